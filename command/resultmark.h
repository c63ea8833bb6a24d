/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The mark of a file that `cudahisto measure` has had the element write: the extended attribute of outputmark.h. Such a file
 * may have many GB, and the digest of all of them would take as long as the measuring. So it is of the whole content up to
 * 16 MiB; of a larger file it is of the first and the last 8 MiB, and the mark also has the size and the time of the last
 * change of the content (mtime). An edit in the middle of a larger file is missed only if it keeps the size and sets that time
 * back; a copy of one that keeps attributes and not times has a mark that does not fit.
 *
 * A file has no mark while it is written: the element removes it when it empties the file, and `measure` sets it at the end.
 * So a file that a kill or a power cut has left behind has none, and neither has one that was rotated away. */

#ifndef CUDAHISTO_RESULTMARK_H
#define CUDAHISTO_RESULTMARK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What is to be done at the end. */
typedef struct {
  gboolean is_ours;    /* all of the file will be ours */
  gboolean is_removed; /* the mark of a file that is added to */
} ResultMark;

/* Before the element opens the file that its properties name. FALSE: it would replace one whose mark does not fit the
 * content, or is of another subcommand; `error` is a sentence. A file without a mark, a pipe and a descriptor are left to the
 * element. */
gboolean result_mark_begin (ResultMark *mark, const gchar *location, GstElement *histo, GError **error);

/* When the element has closed it: marks the file, of which `fd` is a descriptor, or -1. `has_written`: it has a line, at
 * least. Nothing where the location is of another file by now, or the file system has no such attributes. */
void result_mark_end (const ResultMark *mark, const gchar *location, gint fd, gboolean has_written);

G_END_DECLS

#endif
