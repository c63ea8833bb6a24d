/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Entries of the queue, and the submission of frames to the engine. */

#include "count/counterprivate.h"

/* The smallest frame in system memory, in bytes, whose submission to a GPU is deferred to an idle thread. For 2 MiB the driver
 * takes 15 to 30 us, a tenth of the time in which the streaming thread fills the next frame. Smaller frames cost less and
 * arrive faster. */
#define DEFERRED_BYTES ((gsize)512 * 1024)

GstCudaHistoItem *
gst_cuda_histo_item_new (GstCudaHistoItemKind kind)
{
  GstCudaHistoItem *item = g_new0 (GstCudaHistoItem, 1);

  item->kind = kind;
  return item;
}

void
gst_cuda_histo_item_free (GstCudaHistoItem *item)
{
  if (item->frame != NULL)
    gst_cuda_histo_frame_unref (item->frame);
  if (item->operand != NULL)
    gst_cuda_histo_frame_unref (item->operand);
  gst_clear_object (&item->context);
  gst_cuda_histo_weights_clear (&item->weights);
  g_free (item);
}

/* Returns the frame's size in memory, with gaps and cropped pixels. */
static guint64
gst_cuda_histo_item_get_bytes (const GstCudaHistoItem *item)
{
  guint64 bytes = 0;

  for (guint p = 0; p < item->frame->frame.plane_count; p++)
    bytes += (guint64)item->frame->frame.planes[p].stride_bytes * item->frame->frame.planes[p].height;
  return bytes;
}

/* Returns the number of a picture's frames in the queue. */
static guint8 *
gst_cuda_histo_counter_get_frames (GstCudaHistoCounter *counter, guint64 picture)
{
  return &counter->frames[picture % G_N_ELEMENTS (counter->frames)];
}

/* Counts a frame that enters the queue, and its picture if the frame is the picture's first. */
static void
gst_cuda_histo_counter_add_frame (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  if (item->what.part == GST_CUDA_HISTO_PART_PICTURE)
    counter->last_picture++;
  item->picture = counter->last_picture;
  counter->pending++;
  if ((*gst_cuda_histo_counter_get_frames (counter, item->picture))++ == 0)
    counter->pictures++;
}

void
gst_cuda_histo_counter_remove_frame (GstCudaHistoCounter *counter, guint64 picture)
{
  counter->collected++;
  if (counter->pending == 0) /* a failure has emptied the queue */
    return;
  counter->pending--;
  if (--*gst_cuda_histo_counter_get_frames (counter, picture) == 0)
    counter->pictures--;
  gst_cuda_histo_counter_announce (counter);
}

void
gst_cuda_histo_counter_announce (GstCudaHistoCounter *counter)
{
  if (counter->waiting > 0)
    g_cond_broadcast (&counter->changed);
}

void
gst_cuda_histo_counter_wake (GstCudaHistoCounter *counter)
{
  if (counter->is_asleep)
    g_cond_signal (&counter->work_added);
  counter->is_asleep = FALSE;
}

void
gst_cuda_histo_counter_wake_if_urgent (GstCudaHistoCounter *counter)
{
  if (counter->urgent > 0 && !counter->is_synchronous)
    gst_cuda_histo_counter_wake (counter);
}

void
gst_cuda_histo_counter_append (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  if (counter->last != NULL)
    counter->last->next = item;
  else
    counter->first = item;
  counter->last = item;
  if (item->kind == ITEM_FRAME)
    gst_cuda_histo_counter_add_frame (counter, item);
  if (item->kind == ITEM_CLOSE)
    counter->closed++;
  if (item->kind == ITEM_CONTEXT || item->kind == ITEM_WEIGHTS)
    counter->switches++;
  if (item->kind == ITEM_FAIL)
    counter->failed = TRUE;
  counter->idle = FALSE;
  if (!item->what.is_lazy)
    counter->urgent++;
  gst_cuda_histo_counter_wake_if_urgent (counter);
  gst_cuda_histo_counter_announce (counter);
}

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

enum histo_status
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

void
gst_cuda_histo_counter_submit_deferred (GstCudaHistoCounter *counter)
{
  enum histo_status status;

  if (counter->deferred == NULL)
    return;
  status = gst_cuda_histo_counter_submit (counter, &counter->deferred, 1);
  if (status != HISTO_OK) /* the thread handles the frame without a ticket */
    counter->engine_status = gst_cuda_histo_counter_note_refusal (counter, &counter->deferred, 1);
  g_atomic_pointer_set (&counter->deferred, NULL);
}

gboolean
gst_cuda_histo_counter_defer (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  gboolean defers;

  if (counter->is_synchronous || item->frame->frame.memory != HISTO_MEMORY_HOST
      || gst_cuda_histo_item_get_bytes (item) < DEFERRED_BYTES)
    return FALSE;
  g_mutex_lock (&counter->lock);
  defers = counter->idle && counter->active_backend == HISTO_BACKEND_CUDA;
  if (defers) {
    item->status = HISTO_ERROR_INVALID; /* until it is submitted */
    g_atomic_pointer_set (&counter->deferred, item);
    gst_cuda_histo_counter_append (counter, item);
  }
  g_mutex_unlock (&counter->lock);
  return defers;
}
