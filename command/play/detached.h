/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls that may never return, such as the stop of a pipeline whose source hangs. */

#pragma once

#include <glib.h>

/* A call on its own thread. */
typedef struct _Detached Detached;

/* Starts `call (data)`. If no thread can be created, calls it directly. End with detached_wait(). */
Detached *detached_start (void (*call) (gpointer data), gpointer data);

/* Waits up to `ms` milliseconds for the call to return, and frees `call`. FALSE: it continues; `data` and all that it uses
 * must stay valid until the process ends. */
gboolean detached_wait (Detached *call, guint ms);

/* Starts a call, and waits as detached_wait() does. */
gboolean detached_run (void (*call) (gpointer data), gpointer data, guint ms);

/* Returns whether any call is still running after its wait ended. */
gboolean detached_has_left (void);
