/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last line of a file that does not reach to the end of its film: an event named "incomplete". Windows of one frame are all
 * complete ones, so that nothing else in such a file would show it. */

#ifndef CUDAHISTO_MARK_H
#define CUDAHISTO_MARK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Keeps a descriptor in *fd, -1 at first, of the sidecar file that the element has open: once in a while, as long as it plays.
 * By its name alone it may be another one later, in the place of one that was renamed. Nothing for "-". Close with close(). */
void mark_follow (const gchar *location, gint *fd);

/* Adds the line to that file, or to standard output, which nobody writes to any more. `frames` have been measured, `time` is
 * the stream time that was reached, in ns, or GST_CLOCK_TIME_NONE; `reason` says in words why no more were; the last `lost`
 * lines about them have not been written, but for a part of the first of them, where it `is_torn`. FALSE: it could not be
 * written; a pipe is waited for, for two seconds. */
gboolean mark_incomplete (gint fd, const gchar *element, guint64 frames, GstClockTime time, const gchar *reason, guint64 lost,
                          gboolean is_torn);

G_END_DECLS

#endif
