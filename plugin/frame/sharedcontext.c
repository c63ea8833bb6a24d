/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/sharedcontext.h"

#include "frame/cudacontext.h"

/* With the lock, after a possible change of the context. */
static void
gst_cuda_histo_shared_context_update_answer (GstCudaHistoSharedContext *shared)
{
  GstObject *previous;

  g_mutex_lock (&shared->answer_lock);
  previous = shared->answer;
  shared->answer = shared->context != NULL ? gst_object_ref (shared->context) : NULL;
  g_mutex_unlock (&shared->answer_lock);
  gst_clear_object (&previous);
}

void
gst_cuda_histo_shared_context_init (GstCudaHistoSharedContext *shared, GstElement *element)
{
  *shared = (GstCudaHistoSharedContext){ .element = element };
  g_rec_mutex_init (&shared->lock);
  g_mutex_init (&shared->answer_lock);
}

void
gst_cuda_histo_shared_context_clear (GstCudaHistoSharedContext *shared)
{
  gst_clear_object (&shared->context);
  gst_clear_object (&shared->answer);
  g_rec_mutex_clear (&shared->lock);
  g_mutex_clear (&shared->answer_lock);
}

void
gst_cuda_histo_shared_context_replace (GstCudaHistoSharedContext *shared, GstObject *context)
{
  g_rec_mutex_lock (&shared->lock);
  gst_clear_object (&shared->context);
  shared->context = context;
  gst_cuda_histo_shared_context_update_answer (shared);
  g_rec_mutex_unlock (&shared->lock);
}

void
gst_cuda_histo_shared_context_take (GstCudaHistoSharedContext *shared, GstContext *from, gint device)
{
  g_rec_mutex_lock (&shared->lock);
  gst_cuda_histo_cuda_take_context (shared->element, from, device, &shared->context);
  gst_cuda_histo_shared_context_update_answer (shared);
  g_rec_mutex_unlock (&shared->lock);
}

gboolean
gst_cuda_histo_shared_context_ensure (GstCudaHistoSharedContext *shared, gint device)
{
  gboolean found;

  g_rec_mutex_lock (&shared->lock);
  found = gst_cuda_histo_cuda_ensure_context (shared->element, device, &shared->context);
  gst_cuda_histo_shared_context_update_answer (shared);
  g_rec_mutex_unlock (&shared->lock);
  return found;
}

gboolean
gst_cuda_histo_shared_context_answer (GstCudaHistoSharedContext *shared, GstQuery *query)
{
  GstObject *context;
  gboolean answered;

  g_mutex_lock (&shared->answer_lock);
  context = shared->answer != NULL ? gst_object_ref (shared->answer) : NULL;
  g_mutex_unlock (&shared->answer_lock);
  answered = gst_cuda_histo_cuda_answer_query (shared->element, query, context);
  gst_clear_object (&context);
  return answered;
}
