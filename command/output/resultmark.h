/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The mark of a file that `cudahisto measure` has had the element write: the extended attribute of outputmark.h. Such a file
 * may have many GB, so the digest covers the whole content only up to 16 MiB. For a larger file it covers the first and the
 * last 8 MiB, and the mark also has the size and the modification time (mtime). An edit in the middle of a larger file is
 * missed only if it keeps the size and resets that time. A copy that keeps attributes but not times has an invalid mark.
 *
 * The element removes the mark when it empties the file. While lines are written, the mark says that the file is unfinished,
 * and `measure` replaces it at the end. After a kill or a power cut the file stays unfinished; it is then recognized by its
 * lines, as is a file on a file system without such attributes. A rotated file stays marked as unfinished. */

#pragma once

#include <gst/gst.h>

/* The work of result_mark_end(). */
typedef struct {
  gboolean is_ours;    /* this run writes the whole file */
  gboolean is_removed; /* remove the mark, since the run appends to the file */
} ResultMark;

/* Call it before the element opens the file that its properties name. FALSE: the element would replace a file without a mark,
 * or one whose mark does not match the content or is of another subcommand; `error` has the message. The element itself checks
 * an empty or unfinished file, one on a file system without such attributes, a pipe and a descriptor. */
gboolean result_mark_begin (ResultMark *mark, const gchar *location, GstElement *histo, GError **error);

/* Call it when a line has been written to the file `fd`: marks it as unfinished if it has no mark. */
void result_mark_keep (const ResultMark *mark, gint fd);

/* Call it when the element has closed the file: marks it. `fd`: its descriptor, or -1. `has_written`: it has at least one line.
 * Does nothing if the location now has another file, or the file system has no such attributes. */
void result_mark_end (const ResultMark *mark, const gchar *location, gint fd, gboolean has_written);
