/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ctrl-C: the first SIGINT, SIGTERM or SIGHUP ends the job in an orderly way, within about ten seconds. The second one ends the
 * process at once. */

#pragma once

#include <glib.h>

/* Catches the signals from now on. Each calls `call` in GLib's main context; NULL: ends the calls. A signal that was ignored
 * when the process started, as under nohup, stays ignored. */
void interrupt_catch (void (*call) (gpointer data), gpointer data);

/* Return the signal that was caught (0: none), and its name: "SIGINT". */
int interrupt_get (void);
const gchar *interrupt_get_name (void);

/* Returns the longest wait for a step of an orderly end, in milliseconds: `ms` or, after a signal, the smaller of `ms` and the
 * time left for all steps. When no time is left, the process ends. */
guint interrupt_limit (guint ms);

/* Waits until `fd` accepts output. Call it before each line that a reader may block. FALSE: a signal was caught, and the reader
 * does not read; do not write any more. */
gboolean interrupt_await_output (int fd);

/* Ends the process by the signal that was caught, so that a shell loop or a service manager sees it. Does nothing if there was
 * no signal. */
void interrupt_pass_on (void);
