/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last line of a file that does not reach the end of its film: an event named "incomplete". Without it, a file with a
 * result for each frame would look complete. */

#pragma once

#include <gst/gst.h>

/* Opens the sidecar that the element writes, and keeps the descriptor in *fd (-1 at first). Call it now and then during
 * playback: after a rotation, its name alone may refer to another file. Does nothing for "-". End with close(). */
void mark_follow (const gchar *location, gint *fd);

/* Adds the line to that file, or to standard output, which nothing else writes to any more. `frames`: number of measured
 * frames. `time`: stream time of their end, in ns, or GST_CLOCK_TIME_NONE. `reason`: why measuring ended. `lost`: number of
 * last lines that were not written; if `is_torn`, a part of the first of them was. Waits two seconds for a pipe. FALSE: it
 * could not be written. */
gboolean mark_incomplete (gint fd, const gchar *element, guint64 frames, GstClockTime time, const gchar *reason, guint64 lost,
                          gboolean is_torn);
