/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The mark of a file that `cudahisto measure` has had the element write: the extended attribute of outputmark.h. Such a file
 * may have many GB, and the digest of all of them would take as long as the measuring. So it is of the whole content up to
 * 16 MiB; of a larger file it is of the first and the last 8 MiB, and the mark also has the size and the time of the last
 * change of the content (mtime). An edit in the middle of a larger file is missed only if it keeps the size and sets that time
 * back; a copy of one that keeps attributes and not times has a mark that does not fit.
 *
 * The element removes the mark when it empties the file. While lines are written the mark says that the file is unfinished, and
 * `measure` replaces it at the end. A kill or a power cut leaves an unfinished file, which is known by the form of its
 * lines. So is a file on a file system without such attributes. A file that was rotated away stays marked as unfinished. */

#ifndef CUDAHISTO_RESULTMARK_H
#define CUDAHISTO_RESULTMARK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What is to be done at the end. */
typedef struct {
  gboolean is_ours;    /* all of the file will be ours */
  gboolean is_removed; /* the mark of a file that is added to */
} ResultMark;

/* Before the element opens the file that its properties name. FALSE: it would replace one that has no mark, or a mark that does
 * not fit the content or is of another subcommand; `error` is a sentence. An empty or unfinished file, one on a file system
 * without such attributes, a pipe and a descriptor are left to the element. */
gboolean result_mark_begin (ResultMark *mark, const gchar *location, GstElement *histo, GError **error);

/* When a line has been written, of which `fd` is the file: marks it as unfinished, if it has no mark. */
void result_mark_keep (const ResultMark *mark, gint fd);

/* When the element has closed it: marks the file, of which `fd` is a descriptor, or -1. `has_written`: it has a line, at
 * least. Nothing where the location is of another file by now, or the file system has no such attributes. */
void result_mark_end (const ResultMark *mark, const gchar *location, gint fd, gboolean has_written);

G_END_DECLS

#endif
