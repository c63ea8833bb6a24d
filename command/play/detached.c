/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/detached.h"

struct _Detached {
  void (*call) (gpointer data);
  gpointer data;
  GMutex lock;
  GCond ended;
  gboolean has_ended;
  gatomicrefcount references; /* of the thread and the caller */
};

static gint n_left;

static void
detached_unref (Detached *detached)
{
  if (!g_atomic_ref_count_dec (&detached->references))
    return;
  g_mutex_clear (&detached->lock);
  g_cond_clear (&detached->ended);
  g_free (detached);
}

static gpointer
detached_main (gpointer data)
{
  Detached *detached = data;

  detached->call (detached->data);
  g_mutex_lock (&detached->lock);
  detached->has_ended = TRUE;
  g_cond_signal (&detached->ended);
  g_mutex_unlock (&detached->lock);
  detached_unref (detached);
  return NULL;
}

Detached *
detached_start (void (*call) (gpointer data), gpointer data)
{
  Detached *detached = g_new0 (Detached, 1);
  GThread *thread;

  detached->call = call;
  detached->data = data;
  g_mutex_init (&detached->lock);
  g_cond_init (&detached->ended);
  g_atomic_ref_count_init (&detached->references);
  g_atomic_ref_count_inc (&detached->references);
  thread = g_thread_try_new ("detached", detached_main, detached, NULL);
  if (thread != NULL)
    g_thread_unref (thread);
  else
    detached_main (detached);
  return detached;
}

gboolean
detached_wait (Detached *detached, guint ms)
{
  const gint64 deadline = g_get_monotonic_time () + (gint64)ms * 1000;
  gboolean has_ended;

  g_mutex_lock (&detached->lock);
  while (!detached->has_ended && g_cond_wait_until (&detached->ended, &detached->lock, deadline))
    ;
  has_ended = detached->has_ended;
  g_mutex_unlock (&detached->lock);
  if (!has_ended)
    g_atomic_int_inc (&n_left);
  detached_unref (detached);
  return has_ended;
}

gboolean
detached_run (void (*call) (gpointer data), gpointer data, guint ms)
{
  return detached_wait (detached_start (call, data), ms);
}

gboolean
detached_has_left (void)
{
  return g_atomic_int_get (&n_left) > 0;
}
