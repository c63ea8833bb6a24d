/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/duration.h"

struct _Duration {
  GstElement *element;
  GstFormat format;
  GMutex lock; /* for the members below */
  GCond woken;
  GThread *thread; /* NULL: no query so far */
  guint64 asked, answered;
  gboolean is_stopped, has_ended;
  gint64 latest;
};

static gpointer
duration_main (gpointer data)
{
  Duration *duration = data;

  g_mutex_lock (&duration->lock);
  while (!duration->is_stopped) {
    const guint64 asked = duration->asked;
    gint64 answer;

    if (asked == duration->answered) {
      g_cond_wait (&duration->woken, &duration->lock);
      continue;
    }
    g_mutex_unlock (&duration->lock);
    if (!gst_element_query_duration (duration->element, duration->format, &answer))
      answer = -1;
    g_mutex_lock (&duration->lock);
    duration->latest = answer;
    duration->answered = asked;
    g_cond_broadcast (&duration->woken);
  }
  duration->has_ended = TRUE;
  g_cond_broadcast (&duration->woken);
  g_mutex_unlock (&duration->lock);
  return NULL;
}

Duration *
duration_new (GstElement *element, GstFormat format)
{
  Duration *duration = g_new0 (Duration, 1);

  g_mutex_init (&duration->lock);
  g_cond_init (&duration->woken);
  duration->element = element;
  duration->format = format;
  duration->latest = -1;
  return duration;
}

gboolean
duration_free (Duration *duration, guint ms)
{
  const gint64 deadline = g_get_monotonic_time () + (gint64)ms * 1000;
  gboolean has_ended;

  g_mutex_lock (&duration->lock);
  duration->is_stopped = TRUE;
  g_cond_broadcast (&duration->woken);
  while (duration->thread != NULL && !duration->has_ended && g_cond_wait_until (&duration->woken, &duration->lock, deadline))
    ;
  has_ended = duration->thread == NULL || duration->has_ended;
  g_mutex_unlock (&duration->lock);
  if (!has_ended)
    return FALSE;
  if (duration->thread != NULL)
    g_thread_join (duration->thread);
  g_mutex_clear (&duration->lock);
  g_cond_clear (&duration->woken);
  g_free (duration);
  return TRUE;
}

/* With the lock. */
static void
duration_ask (Duration *duration)
{
  if (duration->thread == NULL && (duration->thread = g_thread_try_new ("duration", duration_main, duration, NULL)) == NULL)
    return; /* no thread available: the duration stays unknown */
  duration->asked++;
  g_cond_broadcast (&duration->woken);
}

gint64
duration_get (Duration *duration)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&duration->lock);

  if (duration->asked == duration->answered)
    duration_ask (duration);
  return duration->latest;
}

gint64
duration_wait (Duration *duration, guint ms)
{
  const gint64 deadline = g_get_monotonic_time () + (gint64)ms * 1000;
  guint64 asked;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&duration->lock);

  duration_ask (duration);
  asked = duration->asked;
  while (duration->answered < asked && g_cond_wait_until (&duration->woken, &duration->lock, deadline))
    ;
  return duration->latest;
}
