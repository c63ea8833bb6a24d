/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads: STREAM_STATUS messages come in order, and name the thread. */

#include <gst/check/gstcheck.h>
#include <sys/prctl.h>

#include "common/thread.h"

typedef struct {
  GstElement *owner;
  GstBus *bus;
  gchar name[16];
} Work;

/* Notes its name, as the system has it, and says a word of its own on the bus. */
static gpointer
work (gpointer data)
{
  Work *task = data;

  prctl (PR_GET_NAME, task->name);
  if (task->owner != NULL)
    gst_element_post_message (task->owner,
                              gst_message_new_element (GST_OBJECT (task->owner), gst_structure_new_empty ("word")));
  return task;
}

static GThread *
check_status (GstBus *bus, GstElement *owner, GstStreamStatusType wanted)
{
  GstMessage *message = gst_bus_pop (bus);
  GstStreamStatusType type;
  const GValue *object;
  GstElement *element;
  GThread *thread;

  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_STREAM_STATUS);
  gst_message_parse_stream_status (message, &type, &element);
  fail_unless_equals_int (type, wanted);
  fail_unless (element == owner && GST_MESSAGE_SRC (message) == GST_OBJECT (owner));
  object = gst_message_get_stream_status_object (message);
  fail_unless (object != NULL && G_VALUE_TYPE (object) == GST_TYPE_G_THREAD);
  thread = g_value_get_boxed (object);
  gst_message_unref (message);
  return thread;
}

GST_START_TEST (test_status)
{
  Work task = { .owner = gst_bin_new ("owner"), .bus = gst_bus_new () };
  GstMessage *message;
  GThread *thread;

  gst_element_set_bus (task.owner, task.bus);
  for (guint i = 0; i < 200; i++) {
    thread = g_thread_ref (gst_cuda_histo_thread_new (task.owner, "histo-thread", work, &task, NULL));
    fail_unless (g_thread_join (thread) == &task);
    fail_unless_equals_string (task.name, "histo-thread");
    fail_unless (check_status (task.bus, task.owner, GST_STREAM_STATUS_TYPE_CREATE) == thread);
    fail_unless (check_status (task.bus, task.owner, GST_STREAM_STATUS_TYPE_ENTER) == thread);
    message = gst_bus_pop (task.bus);
    fail_unless (gst_message_has_name (message, "word"));
    gst_message_unref (message);
    fail_unless (check_status (task.bus, task.owner, GST_STREAM_STATUS_TYPE_LEAVE) == thread);
    fail_unless (gst_bus_pop (task.bus) == NULL);
    g_thread_unref (thread);
  }
  gst_element_set_bus (task.owner, NULL);
  gst_object_unref (task.bus);
  gst_object_unref (task.owner);
}
GST_END_TEST

GST_START_TEST (test_no_owner)
{
  Work task = { 0 };
  GThread *thread = gst_cuda_histo_thread_new (NULL, "histo-thread", work, &task, NULL);

  fail_unless (g_thread_join (thread) == &task);
  fail_unless_equals_string (task.name, "histo-thread");
}
GST_END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("thread");
  TCase *tcase = tcase_create ("thread");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_status);
  tcase_add_test (tcase, test_no_owner);
  return suite;
}

GST_CHECK_MAIN (make)
