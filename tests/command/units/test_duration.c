/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Durations are queried on a thread: an element that does not answer blocks nothing. */

#include "cases.h"
#include "play/duration.h"

#define PATIENCE_MS 20000

/* An element whose answer waits until it is let go. */
typedef struct {
  GstElement parent;
  GMutex lock;
  GCond changed;
  gboolean is_stuck, is_asked;
} Slow;
typedef GstElementClass SlowClass;

GType slow_get_type (void);

G_DEFINE_TYPE (Slow, slow, GST_TYPE_ELEMENT)

static gboolean
slow_query (GstElement *element, GstQuery *query)
{
  Slow *slow = (Slow *)element;

  g_mutex_lock (&slow->lock);
  slow->is_asked = TRUE;
  g_cond_broadcast (&slow->changed);
  while (slow->is_stuck)
    g_cond_wait (&slow->changed, &slow->lock);
  g_mutex_unlock (&slow->lock);
  gst_query_set_duration (query, GST_FORMAT_TIME, 5);
  return TRUE;
}

static void
slow_class_init (SlowClass *klass)
{
  klass->query = slow_query;
}

static void
slow_init (Slow *slow)
{
  g_mutex_init (&slow->lock);
  g_cond_init (&slow->changed);
}

static Slow *slow;
static Duration *duration;

static void
make (void)
{
  slow = gst_object_ref_sink (g_object_new (slow_get_type (), NULL));
  duration = duration_new (GST_ELEMENT (slow), GST_FORMAT_TIME);
}

static void
destroy (void)
{
  ck_assert (duration_free (duration, PATIENCE_MS));
  gst_object_unref (slow);
}

static void
set_stuck (gboolean is_stuck)
{
  g_mutex_lock (&slow->lock);
  slow->is_stuck = is_stuck;
  g_cond_broadcast (&slow->changed);
  g_mutex_unlock (&slow->lock);
}

TEST_FIXTURE (make, destroy)

TEST (test_nobody_asked)
{
  ck_assert (!slow->is_asked);
}

TEST (test_answer)
{
  ck_assert_int_eq (duration_wait (duration, PATIENCE_MS), 5);
  ck_assert_int_eq (duration_get (duration), 5);
}

/* There is one query while nothing waits; its late answer is kept. */
TEST (test_no_answer)
{
  set_stuck (TRUE);
  ck_assert_int_eq (duration_get (duration), -1);
  g_mutex_lock (&slow->lock);
  while (!slow->is_asked)
    g_cond_wait (&slow->changed, &slow->lock);
  g_mutex_unlock (&slow->lock);
  ck_assert_int_eq (duration_get (duration), -1);
  ck_assert_int_eq (duration_wait (duration, 10), -1);
  ck_assert (!duration_free (duration, 10));
  set_stuck (FALSE);
}

TEST_MAIN
