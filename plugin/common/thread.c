/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/thread.h"

/* In a thread that joins itself: a reference to its owner, which keeps the owner alive until the thread ends. */
static GPrivate kept_owner = G_PRIVATE_INIT (NULL);

/* Owned by the thread and by its starter. */
typedef struct {
  GstElement *owner;
  GThreadFunc function;
  gpointer data;
  GMutex lock; /* held until CREATE is posted */
} GstCudaHistoThreadStart;

static void
gst_cuda_histo_thread_start_clear (gpointer start)
{
  g_mutex_clear (&((GstCudaHistoThreadStart *)start)->lock);
}

static void
gst_cuda_histo_thread_post (GstElement *owner, GThread *thread, GstStreamStatusType type)
{
  GValue value = G_VALUE_INIT;
  GstMessage *message;

  if (owner == NULL)
    return;
  message = gst_message_new_stream_status (GST_OBJECT (owner), type, owner);
  g_value_init (&value, GST_TYPE_G_THREAD);
  g_value_set_boxed (&value, thread);
  gst_message_set_stream_status_object (message, &value);
  g_value_unset (&value);
  gst_element_post_message (owner, message);
}

static gpointer
gst_cuda_histo_thread_run (gpointer user_data)
{
  GstCudaHistoThreadStart *start = user_data;
  GstElement *owner = start->owner;
  GThreadFunc function = start->function;
  gpointer data = start->data, result;
  GstElement *kept;

  g_mutex_lock (&start->lock);
  g_mutex_unlock (&start->lock);
  g_atomic_rc_box_release_full (start, gst_cuda_histo_thread_start_clear);

  gst_cuda_histo_thread_post (owner, g_thread_self (), GST_STREAM_STATUS_TYPE_ENTER);
  result = function (data);
  kept = g_private_get (&kept_owner);
  if (kept == NULL) {
    gst_cuda_histo_thread_post (owner, g_thread_self (), GST_STREAM_STATUS_TYPE_LEAVE);
  } else {
    g_private_set (&kept_owner, NULL);
    gst_object_unref (kept);
  }
  return result;
}

GThread *
gst_cuda_histo_thread_new (GstElement *owner, const gchar *name, GThreadFunc function, gpointer data, GError **error)
{
  GstCudaHistoThreadStart *start = g_atomic_rc_box_new0 (GstCudaHistoThreadStart);
  GThread *thread;

  start->owner = owner;
  start->function = function;
  start->data = data;
  g_mutex_init (&start->lock);
  g_mutex_lock (&start->lock);
  thread = g_thread_try_new (name, gst_cuda_histo_thread_run, g_atomic_rc_box_acquire (start), error);
  if (thread != NULL)
    gst_cuda_histo_thread_post (owner, thread, GST_STREAM_STATUS_TYPE_CREATE);
  else
    g_atomic_rc_box_release (start);
  g_mutex_unlock (&start->lock);
  g_atomic_rc_box_release_full (start, gst_cuda_histo_thread_start_clear);
  return thread;
}

void
gst_cuda_histo_thread_end (GThread *thread, GstElement *owner)
{
  if (thread != g_thread_self ()) {
    g_thread_join (thread);
    return;
  }
  /* Posted now and not at the thread's end: the pipeline and its bus may be gone by then. */
  gst_cuda_histo_thread_post (owner, thread, GST_STREAM_STATUS_TYPE_LEAVE);
  g_private_set (&kept_owner, owner != NULL ? gst_object_ref (owner) : NULL);
  g_thread_unref (thread);
}
