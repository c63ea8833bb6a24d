/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The submission of frames to the engine. */

#include "count/counterprivate.h"

/* Replaces a frame on the GPU by a copy in system memory. FALSE if the GPU cannot copy it. */
static gboolean
gst_cuda_histo_counter_download (GstCudaHistoCounter *counter, GstCudaHistoFrame **frame)
{
  g_autoptr (GError) error = NULL;
  GstCudaHistoFrame *copy;

  if (*frame == NULL || (*frame)->frame.memory != HISTO_MEMORY_DEVICE)
    return TRUE;
  copy = gst_cuda_histo_frame_download (*frame, &error);
  if (copy == NULL) {
    gst_cuda_histo_counter_log (counter, HISTO_LOG_ERROR, error->message);
    return FALSE;
  }
  gst_cuda_histo_frame_unref (*frame);
  *frame = copy;
  return TRUE;
}

/* Submits `count` frames, 1 .. GST_CUDA_HISTO_MAX_PARTS. The engine accepts all or none. After a failure the engine gets no
 * more frames, so that none overtakes another. */
static enum histo_status
gst_cuda_histo_counter_submit (GstCudaHistoCounter *counter, GstCudaHistoItem *const *items, guint count)
{
  struct histo_frame frames[GST_CUDA_HISTO_MAX_PARTS];
  enum histo_status status = counter->engine_status;
  histo_ticket first = 0;

  g_assert (count > 0);
  for (guint i = 0; i < count && status == HISTO_OK; i++) {
    if (histo_engine_info (counter->engine)->backend != HISTO_BACKEND_CUDA
        && (!gst_cuda_histo_counter_download (counter, &items[i]->frame)
            || !gst_cuda_histo_counter_download (counter, &items[i]->operand)))
      status = HISTO_ERROR_DEVICE;
    frames[i] = items[i]->frame->frame;
    frames[i].operand = items[i]->operand != NULL ? &items[i]->operand->frame : NULL;
  }
  if (status == HISTO_OK)
    status = histo_submit_many (counter->engine, frames, count, &first);
  for (guint i = 0; i < count; i++) {
    items[i]->status = status;
    items[i]->ticket = status == HISTO_OK ? first + i : 0;
  }
  return status;
}

enum histo_status
gst_cuda_histo_counter_note_refusal (GstCudaHistoCounter *counter, GstCudaHistoItem *const *items, guint count)
{
  gboolean has_cpu;

  g_mutex_lock (&counter->lock);
  has_cpu = counter->config.backend == HISTO_BACKEND_AUTO && counter->active_backend == HISTO_BACKEND_CUDA;
  g_mutex_unlock (&counter->lock);
  for (guint i = 0; i < count; i++) {
    if (has_cpu && (items[i]->status == HISTO_ERROR_NO_MEMORY || items[i]->status == HISTO_ERROR_UNSUPPORTED))
      items[i]->status = HISTO_ERROR_DEVICE;
  }
  return items[0]->status;
}

/* Whether the submission can be repeated when the engine has collected a frame, which frees a slot and memory. */
static gboolean
gst_cuda_histo_counter_is_short (enum histo_status status)
{
  return status == HISTO_ERROR_BUSY || status == HISTO_ERROR_NO_MEMORY;
}

enum histo_status
gst_cuda_histo_counter_submit_picture (GstCudaHistoCounter *counter, GstCudaHistoItem *const *items, guint count,
                                       guint free_slots, guint *submitted)
{
  enum histo_status status = gst_cuda_histo_counter_submit (counter, items, 1);
  const guint others = MIN (count, free_slots) - 1;

  *submitted = status == HISTO_OK ? 1 : 0;
  if (status != HISTO_OK || others == 0)
    return status;
  status = gst_cuda_histo_counter_submit (counter, &items[1], others);
  if (status == HISTO_OK)
    *submitted += others;
  return gst_cuda_histo_counter_is_short (status) ? HISTO_OK : status;
}

/* Submits waiting frames, at least one and up to `limit` at once. */
static enum histo_status
gst_cuda_histo_counter_submit_some (GstCudaHistoCounter *counter, guint limit)
{
  GstCudaHistoItem *items[GST_CUDA_HISTO_MAX_PARTS], *next = counter->waiting_frame;
  enum histo_status status;
  guint count = 0;

  do {
    items[count++] = next;
    next = gst_cuda_histo_counter_get_next_frame (counter, next);
  } while (next != NULL && count < limit);
  status = gst_cuda_histo_counter_submit (counter, items, count);
  if (gst_cuda_histo_counter_is_short (status) && count > 1) {
    next = items[1];
    status = gst_cuda_histo_counter_submit (counter, items, 1);
  }
  if (status == HISTO_OK)
    g_atomic_pointer_set (&counter->waiting_frame, next);
  return status;
}

enum histo_status
gst_cuda_histo_counter_submit_waiting (GstCudaHistoCounter *counter, gboolean is_first)
{
  enum histo_status status = HISTO_OK;

  while (status == HISTO_OK && counter->waiting_frame != NULL) {
    GstCudaHistoItem *item = counter->waiting_frame;

    status = gst_cuda_histo_counter_submit_some (counter, GST_CUDA_HISTO_MAX_PARTS);
    if (gst_cuda_histo_counter_is_short (status) && !is_first)
      break;
    is_first = FALSE;         /* frames are in flight now */
    if (status != HISTO_OK) { /* the thread handles the frame without a ticket */
      counter->engine_status = gst_cuda_histo_counter_note_refusal (counter, &item, 1);
      g_atomic_pointer_set (&counter->waiting_frame, NULL);
    }
  }
  return status;
}

gboolean
gst_cuda_histo_counter_replace_engine (GstCudaHistoCounter *counter, enum histo_backend backend, guint limit)
{
  struct histo_engine *engine = gst_cuda_histo_counter_open_engine (counter, backend, limit);

  if (engine == NULL)
    return FALSE;
  g_mutex_lock (&counter->submit_lock);
  histo_close (&counter->engine); /* before the frames are submitted again: no other engine may be reading them */
  counter->engine = engine;
  counter->engine_status = HISTO_OK;
  gst_cuda_histo_counter_use_engine (counter);
  for (GstCudaHistoItem *item = gst_cuda_histo_counter_get_next_frame (counter, NULL); item != NULL;
       item = gst_cuda_histo_counter_get_next_frame (counter, item))
    item->ticket = 0;
  g_atomic_pointer_set (&counter->waiting_frame, gst_cuda_histo_counter_get_next_frame (counter, NULL));
  /* One by one, so that a frame that cannot be copied from the GPU keeps none before it from being counted. */
  while (counter->engine_status == HISTO_OK && counter->waiting_frame != NULL) {
    const GstCudaHistoItem *first = gst_cuda_histo_counter_get_next_frame (counter, NULL);
    const enum histo_status status = gst_cuda_histo_counter_submit_some (counter, 1);

    if (gst_cuda_histo_counter_is_short (status) && counter->waiting_frame != first)
      break;
    counter->engine_status = status;
  }
  if (counter->engine_status != HISTO_OK)
    g_atomic_pointer_set (&counter->waiting_frame, NULL);
  g_mutex_unlock (&counter->submit_lock);
  return TRUE;
}
