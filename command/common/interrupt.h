/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ctrl-C: SIGINT, SIGTERM and SIGHUP end what is being done in an orderly way, which may take ten seconds. The
 * second one ends the process at once. */

#ifndef CUDAHISTO_INTERRUPT_H
#define CUDAHISTO_INTERRUPT_H

#include <glib.h>

G_BEGIN_DECLS

/* From now on a signal is caught, and `call` called in GLib's main context, each time that one comes while it is set; NULL: no
 * more. A signal that the process was started to ignore, as nohup does, stays ignored. */
void interrupt_catch (void (*call) (gpointer data), gpointer data);

/* The signal that has come; 0: none. And its name: "SIGINT". */
int interrupt_get (void);
const gchar *interrupt_get_name (void);

/* Milliseconds to wait for a part of an orderly end: `ms`, or after a signal what is left of the time for all of it, if that is
 * less. When that time is over, the process is given up. */
guint interrupt_limit (guint ms);

/* Waits until what is written to `fd` is taken: before each line of output that a reader may hold up. FALSE: a signal has come,
 * and nobody reads, so that nothing more is to be written. */
gboolean interrupt_await_output (int fd);

/* Ends the process as the signal would have, so that a shell that runs a loop, or a service manager, knows. Nothing where none
 * has come. */
void interrupt_pass_on (void);

G_END_DECLS

#endif
