/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls that may never return, such as the stop of a pipeline whose source hangs. */

#ifndef CUDAHISTO_DETACHED_H
#define CUDAHISTO_DETACHED_H

#include <glib.h>

G_BEGIN_DECLS

/* A call on a thread of its own. */
typedef struct _Detached Detached;

/* Starts `call (data)`. If no thread can be made, the call runs to its end here. End with detached_wait(). */
Detached *detached_start (void (*call) (gpointer data), gpointer data);

/* Waits for up to `ms` milliseconds until the call has returned, and frees `call`. FALSE: it has not; it goes on, and `data`
 * and all that it uses must stay until the process ends. */
gboolean detached_wait (Detached *call, guint ms);

/* Starts a call, and waits for it as detached_wait() does. */
gboolean detached_run (void (*call) (gpointer data), gpointer data, guint ms);

/* Whether any call has been left behind so far. */
gboolean detached_has_left (void);

G_END_DECLS

#endif
