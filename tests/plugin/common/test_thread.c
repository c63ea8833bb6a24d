/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads: STREAM_STATUS messages arrive in order and name the thread. */

#include <sys/prctl.h>

#include "cases.h"
#include "common/thread.h"

typedef struct {
  GstElement *owner;
  GstBus *bus;
  gchar name[16];
  GThread *thread;
  GMutex lock; /* until `thread` is set */
} Work;

/* Stores the thread's name in the system, and posts a message. */
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
  g_autoptr (GstMessage) message = gst_bus_pop (bus);
  GstStreamStatusType type;
  const GValue *object;
  GstElement *element;

  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_STREAM_STATUS);
  gst_message_parse_stream_status (message, &type, &element);
  fail_unless_equals_int (type, wanted);
  fail_unless (element == owner && GST_MESSAGE_SRC (message) == GST_OBJECT (owner));
  object = gst_message_get_stream_status_object (message);
  fail_unless (object != NULL && G_VALUE_TYPE (object) == GST_TYPE_G_THREAD);
  return g_value_get_boxed (object);
}

TEST (test_status)
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

TEST (test_no_owner)
{
  Work task = { 0 };
  GThread *thread = gst_cuda_histo_thread_new (NULL, "histo-thread", work, &task, NULL);

  fail_unless (g_thread_join (thread) == &task);
  fail_unless_equals_string (task.name, "histo-thread");
}

/* Ends the calling thread, which then holds the last reference to the owner. */
static gpointer
end_itself (gpointer data)
{
  Work *task = data;

  g_mutex_lock (&task->lock);
  gst_cuda_histo_thread_end (task->thread, task->owner);
  gst_object_unref (task->owner);
  g_mutex_unlock (&task->lock);
  return NULL;
}

static void
note_end (gpointer data, GObject *owner G_GNUC_UNUSED)
{
  g_atomic_int_set ((gint *)data, TRUE);
}

TEST (test_end)
{
  for (guint i = 0; i < 200; i++) {
    Work task = { .owner = gst_bin_new ("owner"), .bus = gst_bus_new () };
    GThread *thread;
    gint is_gone = FALSE;

    g_mutex_init (&task.lock);
    gst_element_set_bus (task.owner, task.bus);
    g_object_weak_ref (G_OBJECT (task.owner), note_end, &is_gone);
    if (i % 2 == 0) { /* another thread waits */
      thread = gst_cuda_histo_thread_new (task.owner, "histo-thread", work, &task, NULL);
      gst_cuda_histo_thread_end (thread, task.owner);
      gst_message_unref (gst_bus_pop_filtered (task.bus, GST_MESSAGE_ELEMENT));
      gst_bus_set_flushing (task.bus, TRUE);
      gst_object_unref (task.owner);
      fail_unless (g_atomic_int_get (&is_gone));
    } else { /* it does not wait for itself */
      g_mutex_lock (&task.lock);
      task.thread = gst_cuda_histo_thread_new (task.owner, "histo-thread", end_itself, &task, NULL);
      thread = g_thread_ref (task.thread);
      g_mutex_unlock (&task.lock);
      for (guint s = 0; s < 3; s++) {
        g_autoptr (GstMessage) message = gst_bus_timed_pop (task.bus, 120 * GST_SECOND);
        GstStreamStatusType type;
        GstElement *element;

        fail_unless (message != NULL);
        gst_message_parse_stream_status (message, &type, &element);
        fail_unless_equals_int (type, s == 0   ? GST_STREAM_STATUS_TYPE_CREATE
                                      : s == 1 ? GST_STREAM_STATUS_TYPE_ENTER
                                               : GST_STREAM_STATUS_TYPE_LEAVE);
      }
      g_thread_join (thread);
      fail_unless (g_atomic_int_get (&is_gone));
    }
    gst_object_unref (task.bus);
    g_mutex_clear (&task.lock);
  }
}

TEST_MAIN
