/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Detects that a pipeline makes no progress. Progress is a buffer on a watched pad, or new data that a source pushes or reads
 * from a file. Repeated reads of the same data, as by a looping demuxer, do not count. */

#pragma once

#include <gst/gst.h>

typedef struct _Watchdog Watchdog;

/* Watches the sources that are added to the pipeline from now on. Stop the pipeline before freeing this. */
Watchdog *watchdog_new (GstElement *pipeline);
void watchdog_free (Watchdog *watchdog);

/* Counts buffers on this pad as progress. */
void watchdog_watch (Watchdog *watchdog, GstPad *pad);

/* Returns the time without progress, in ns. Call it several times a second, on one thread. Excludes time in which `is_held_up`
 * (another process keeps the pipeline waiting), and time without calls, as while the computer was suspended. */
guint64 watchdog_check (Watchdog *watchdog, gboolean is_held_up);

/* Returns whether all sources that push have ended. */
gboolean watchdog_has_ended (Watchdog *watchdog);

/* Restarts the time without progress. */
void watchdog_reset (Watchdog *watchdog);
