/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last line of a file that does not reach to the end of its film: an event named "incomplete". Windows of one frame are all
 * complete ones, so that nothing else in such a file would show it. */

#ifndef CUDAHISTO_MARK_H
#define CUDAHISTO_MARK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Adds the line to the sidecar file, "-": to standard output, which nobody writes to any more. `frames` have been measured,
 * `time` is the stream time that was reached, in ns, or GST_CLOCK_TIME_NONE; `reason` says in words why no more were. FALSE: it
 * could not be written. */
gboolean mark_incomplete (const gchar *location, const gchar *element, guint64 frames, GstClockTime time, const gchar *reason);

G_END_DECLS

#endif
