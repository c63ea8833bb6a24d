/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Durations are queried on a thread: an element that does not answer blocks nothing. */

#include <gst/check/gstcheck.h>

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

GST_START_TEST (test_nobody_asked)
{
  ck_assert (!slow->is_asked);
}

GST_END_TEST

GST_START_TEST (test_answer)
{
  ck_assert_int_eq (duration_wait (duration, PATIENCE_MS), 5);
  ck_assert_int_eq (duration_get (duration), 5);
}

GST_END_TEST

/* There is one query while nothing waits; its late answer is kept. */
GST_START_TEST (test_no_answer)
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

GST_END_TEST

int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("duration");
  TCase *chain = tcase_create ("duration");

  gst_check_init (&argc, &argv);
  tcase_add_checked_fixture (chain, make, destroy);
  tcase_add_test (chain, test_nobody_asked);
  tcase_add_test (chain, test_answer);
  tcase_add_test (chain, test_no_answer);
  suite_add_tcase (suite, chain);
  return gst_check_run_suite (suite, "duration", __FILE__);
}
