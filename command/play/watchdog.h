/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Notices that a pipeline makes no progress. Progress is a buffer that passes on a watched pad, or data that a source reads:
 * whatever is pushed, and of a file that is read anywhere what had not been read before, so that a demuxer that reads the same
 * place again and again makes none. */

#ifndef CUDAHISTO_WATCHDOG_H
#define CUDAHISTO_WATCHDOG_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Watchdog Watchdog;

/* Watches the sources that the pipeline gets from now on. The pipeline must have stopped before it is freed. */
Watchdog *watchdog_new (GstElement *pipeline);
void watchdog_free (Watchdog *watchdog);

/* Buffers on this pad are progress. */
void watchdog_watch (Watchdog *watchdog, GstPad *pad);

/* To be called several times a second, on one thread; returns the time without progress, in ns. Time in which `is_held_up`,
 * since somebody else keeps the pipeline waiting, is not counted; nor is the time in which nothing called it, as while the
 * process or the computer was suspended. */
guint64 watchdog_check (Watchdog *watchdog, gboolean is_held_up);

/* Whether all that sources push has come. */
gboolean watchdog_has_ended (Watchdog *watchdog);

/* The time without progress begins anew. */
void watchdog_reset (Watchdog *watchdog);

G_END_DECLS

#endif
