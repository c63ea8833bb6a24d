/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The queue of the counter: its entries and their numbers. */

#include "count/counterprivate.h"

void
gst_cuda_histo_weights_clear (GstCudaHistoWeights *weights)
{
  g_clear_pointer (&weights->row, g_bytes_unref);
  g_clear_pointer (&weights->column, g_bytes_unref);
}

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

GstCudaHistoItem *
gst_cuda_histo_counter_get_next_frame (GstCudaHistoCounter *counter, const GstCudaHistoItem *item)
{
  GstCudaHistoItem *next;

  g_mutex_lock (&counter->lock);
  next = item != NULL ? item->next : counter->first;
  while (next != NULL && next->kind != ITEM_FRAME)
    next = next->next;
  g_mutex_unlock (&counter->lock);
  return next;
}

void
gst_cuda_histo_counter_pop (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  g_mutex_lock (&counter->lock);
  counter->first = item->next;
  if (counter->first == NULL)
    counter->last = NULL;
  if (!item->what.is_lazy)
    counter->urgent--;
  g_mutex_unlock (&counter->lock);
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
