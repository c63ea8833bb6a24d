/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The work on the queue, by the counter's thread or by a thread that waits for the counter. */

#include "count/counterprivate.h"

#include <string.h>

#include "frame/cudacontext.h"

#define COLLECT_ATTEMPTS 5 /* while host memory is exhausted */
#define COLLECT_PAUSE_US (20 * 1000)

void
gst_cuda_histo_counter_clear_totals (GstCudaHistoCounter *counter)
{
  for (guint i = 0; i < G_N_ELEMENTS (counter->totals); i++)
    histo_stats_clear (&counter->totals[i]);
}

static void
gst_cuda_histo_counter_fail (GstCudaHistoCounter *counter, enum histo_status status)
{
  g_autofree gchar *reason = gst_cuda_histo_counter_get_reason (counter, status);
  GstCudaHistoItem *item;

  if (!counter->has_reported_failure) {
    counter->has_reported_failure = TRUE; /* before the call: a handler may stop the counter */
    counter->callbacks.failed (counter->owner, status, reason);
  }

  g_mutex_lock (&counter->submit_lock);
  /* Before the frames are freed: the engine may be reading them. */
  histo_close (&counter->engine);
  g_mutex_lock (&counter->lock);
  counter->failed = TRUE;
  g_atomic_pointer_set (&counter->waiting_frame, NULL);
  item = counter->first;
  counter->first = counter->last = NULL;
  counter->urgent = 0;
  g_mutex_unlock (&counter->lock);
  while (item != NULL) {
    GstCudaHistoItem *next = item->next;

    gst_cuda_histo_item_free (item);
    item = next;
  }
  g_mutex_lock (&counter->lock);
  counter->pending = counter->pictures = counter->closed = 0;
  memset (counter->frames, 0, sizeof counter->frames);
  gst_cuda_histo_counter_announce (counter);
  g_mutex_unlock (&counter->lock);
  g_mutex_unlock (&counter->submit_lock);
}

/* Moves from a GPU to the CPU, with every frame of the queue. */
static void
gst_cuda_histo_counter_move_to_cpu (GstCudaHistoCounter *counter, enum histo_status status)
{
  g_autofree gchar *reason = gst_cuda_histo_counter_get_reason (counter, status);
  enum histo_status outcome;

  if (!gst_cuda_histo_counter_replace_engine (counter, HISTO_BACKEND_CPU, counter->engine_limit)) {
    gst_cuda_histo_counter_fail (counter, status);
    return;
  }
  g_mutex_lock (&counter->submit_lock);
  outcome = counter->engine_status;
  g_mutex_unlock (&counter->submit_lock);
  if (outcome == HISTO_OK) /* otherwise a frame could not be copied from the GPU, and the failure follows */
    counter->callbacks.moved_to_cpu (counter->owner, reason);
}

/* Moves to the CPU if that may count instead of the GPU that failed. Otherwise the counter fails. */
static void
gst_cuda_histo_counter_handle_failure (GstCudaHistoCounter *counter, enum histo_status status)
{
  if (status == HISTO_ERROR_DEVICE && counter->config.backend == HISTO_BACKEND_AUTO
      && counter->active_backend == HISTO_BACKEND_CUDA)
    gst_cuda_histo_counter_move_to_cpu (counter, status);
  else
    gst_cuda_histo_counter_fail (counter, status);
}

/* Reverses the row sums of components that are stored from the last row to the first. */
static void
gst_cuda_histo_counter_turn_rows (struct histo_stats *stats, guint bottom_up)
{
  for (guint c = 0; c < stats->component_count; c++) {
    int64_t *sums = stats->components[c].row_sums;

    if (sums == NULL || (bottom_up & 1u << c) == 0)
      continue;
    for (guint first = 0, last = stats->components[c].rows - 1; first < last; first++, last--) {
      const int64_t sum = sums[first];

      sums[first] = sums[last];
      sums[last] = sum;
    }
  }
}

/* Adds the numbers of a frame to those of its window. The window may lack the frame's row or column sums. */
static enum histo_status
gst_cuda_histo_counter_add_up (GstCudaHistoCounter *counter, const GstCudaHistoCounted *what)
{
  struct histo_component_stats components[HISTO_MAX_COUNTED] = { { 0 } };
  struct histo_stats part = counter->counted;

  for (guint c = 0; c < part.component_count; c++) {
    components[c] = part.components[c];
    if ((what->added_sums & GST_CUDA_HISTO_STATISTICS_ROW_SUMS) == 0)
      components[c].rows = 0;
    if ((what->added_sums & GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS) == 0)
      components[c].columns = 0;
  }
  part.components = components;
  return histo_stats_add (&counter->totals[what->part], &part);
}

static enum histo_status
gst_cuda_histo_counter_collect (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  enum histo_status status;

  if (g_atomic_pointer_get (&counter->waiting_frame) != NULL) {
    g_mutex_lock (&counter->submit_lock);
    gst_cuda_histo_counter_submit_waiting (counter, counter->waiting_frame == item);
    g_mutex_unlock (&counter->submit_lock);
  }
  if (item->ticket == 0)
    return item->status;
  status = histo_collect (counter->engine, item->ticket, &counter->counted);
  for (guint attempt = 1; status == HISTO_ERROR_NO_MEMORY && attempt < COLLECT_ATTEMPTS; attempt++) {
    g_usleep (COLLECT_PAUSE_US);
    status = histo_collect (counter->engine, item->ticket, &counter->counted);
  }
  if (status == HISTO_OK)
    gst_cuda_histo_counter_turn_rows (&counter->counted, item->what.bottom_up);
  if (status == HISTO_OK)
    status = gst_cuda_histo_counter_add_up (counter, &item->what);
  return status;
}

/* Reports the numbers of a frame to the owner. The call may stop the counter, which then collects other frames: so the numbers
 * are moved out of it first. */
static void
gst_cuda_histo_counter_report_frame (GstCudaHistoCounter *counter, GstCudaHistoCounted *what)
{
  struct histo_stats counted = counter->counted;

  counter->counted = (struct histo_stats){ 0 };
  what->stats = &counted;
  counter->callbacks.frame_counted (counter->owner, what);
  histo_stats_clear (&counter->counted);
  counter->counted = counted; /* keeps the memory for the next frame */
}

/* Collects the first item, a frame, or handles its failure. */
static void
gst_cuda_histo_counter_finish_frame (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  enum histo_status status = gst_cuda_histo_counter_collect (counter, item);
  const guint64 picture = item->picture;
  GstCudaHistoCounted what = item->what;

  if (status != HISTO_OK) {
    gst_cuda_histo_counter_handle_failure (counter, status);
    return;
  }

  gst_cuda_histo_counter_pop (counter, item);
  /* Before another frame may be added: max_in_flight limits the held buffers. */
  gst_cuda_histo_item_free (item);
  gst_cuda_histo_counter_report_frame (counter, &what);
  g_mutex_lock (&counter->lock);
  gst_cuda_histo_counter_remove_frame (counter, picture);
  g_mutex_unlock (&counter->lock);
}

/* Ends a change of context or weights. */
static void
gst_cuda_histo_counter_end_switch (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  gst_cuda_histo_item_free (item);
  g_mutex_lock (&counter->lock);
  counter->switches--;
  gst_cuda_histo_counter_announce (counter);
  g_mutex_unlock (&counter->lock);
}

/* Changes context. Nothing is in flight: earlier frames are counted, and none was added since. */
static void
gst_cuda_histo_counter_finish_context (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  struct CUctx_st *handle = gst_cuda_histo_cuda_get_handle (item->context);

  gst_cuda_histo_counter_pop (counter, item);
  if (counter->active_backend == HISTO_BACKEND_CUDA && handle != counter->config.cuda_context) {
    struct CUctx_st *previous_handle = counter->config.cuda_context;
    struct histo_engine *engine;

    counter->config.cuda_context = handle;
    engine = gst_cuda_histo_counter_open_engine (counter, HISTO_BACKEND_CUDA, counter->engine_limit);
    if (engine != NULL) {
      engine = gst_cuda_histo_counter_exchange_engine (counter, engine);
      histo_close (&engine);
      gst_clear_object (&counter->context); /* after its engine */
      counter->context = g_steal_pointer (&item->context);
    } else {
      counter->config.cuda_context = previous_handle;
      gst_cuda_histo_counter_handle_failure (counter, HISTO_ERROR_DEVICE);
    }
  }
  gst_cuda_histo_counter_end_switch (counter, item);
}

/* Nothing is in flight, as above. */
static void
gst_cuda_histo_counter_finish_weights (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  GstCudaHistoWeights *weights = &counter->weights[item->component];
  enum histo_status status = HISTO_ERROR_DEVICE;

  gst_cuda_histo_counter_pop (counter, item);
  gst_cuda_histo_weights_clear (weights);
  *weights = item->weights;
  item->weights = (GstCudaHistoWeights){ 0 };
  if (counter->engine != NULL)
    status = gst_cuda_histo_counter_give_weights (counter, counter->engine, item->component);
  if (status != HISTO_OK)
    gst_cuda_histo_counter_handle_failure (counter, status);
  gst_cuda_histo_counter_end_switch (counter, item);
}

/* Reports the window to the owner. The call may stop the counter, which then returns here: so the totals are moved out
 * first. */
static void
gst_cuda_histo_counter_report (GstCudaHistoCounter *counter, const GstCudaHistoItem *item)
{
  struct histo_stats totals[GST_CUDA_HISTO_MAX_PARTS];

  memcpy (totals, counter->totals, sizeof totals);
  memset (counter->totals, 0, sizeof totals);
  counter->callbacks.window_closed (counter->owner, &item->source, &item->span, totals, counter->backend);
  gst_cuda_histo_counter_clear_totals (counter);
  memcpy (counter->totals, totals, sizeof totals); /* keeps the memory for the next window */
  g_mutex_lock (&counter->lock);
  counter->closed--;
  gst_cuda_histo_counter_announce (counter);
  g_mutex_unlock (&counter->lock);
}

static void
gst_cuda_histo_counter_finish_item (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  switch (item->kind) {
  case ITEM_FRAME:
    gst_cuda_histo_counter_finish_frame (counter, item);
    return;
  case ITEM_FAIL:
    gst_cuda_histo_counter_fail (counter, item->status);
    return;
  case ITEM_CONTEXT:
    gst_cuda_histo_counter_finish_context (counter, item);
    return;
  case ITEM_MARK:
    gst_cuda_histo_counter_pop (counter, item);
    counter->callbacks.mark_reached (counter->owner, &item->source, item->ended_by);
    gst_cuda_histo_item_free (item);
    return;
  case ITEM_WEIGHTS:
    gst_cuda_histo_counter_finish_weights (counter, item);
    return;
  case ITEM_CLOSE:
    gst_cuda_histo_counter_pop (counter, item);
    gst_cuda_histo_counter_report (counter, item);
    break;
  case ITEM_DISCARD:
    gst_cuda_histo_counter_pop (counter, item);
    counter->callbacks.window_discarded (counter->owner, item->frames);
    break;
  }
  for (guint i = 0; i < G_N_ELEMENTS (counter->totals); i++)
    histo_stats_reset (&counter->totals[i]);
  gst_cuda_histo_item_free (item);
}

/* Whether an engine with `limit` slots has to be opened. With `lock` held. */
static gboolean
gst_cuda_histo_counter_needs_more_slots (const GstCudaHistoCounter *counter, guint limit)
{
  return limit > counter->engine_limit && !counter->failed && (counter->refused_limit == 0 || limit < counter->refused_limit);
}

gboolean
gst_cuda_histo_counter_work (GstCudaHistoCounter *counter)
{
  GstCudaHistoItem *item = counter->first;
  const guint limit = counter->max_in_flight * counter->parts;
  const gboolean needs_more_slots = gst_cuda_histo_counter_needs_more_slots (counter, limit);

  if (counter->worker != NULL || (item == NULL && !needs_more_slots))
    return FALSE;
  counter->worker = g_thread_self ();
  g_mutex_unlock (&counter->lock);
  if (needs_more_slots)
    gst_cuda_histo_counter_replace_engine (counter, counter->active_backend, limit);
  else
    gst_cuda_histo_counter_finish_item (counter, item);
  g_mutex_lock (&counter->lock);
  counter->worker = NULL;
  if (needs_more_slots && counter->engine_limit < limit) {
    GST_CAT_WARNING_OBJECT (counter->category, counter->owner, "no engine for %u frames in flight, keeping %u", limit,
                            counter->engine_limit);
    counter->refused_limit = limit;
  }
  gst_cuda_histo_counter_wake_if_urgent (counter); /* it may have found another thread at work, and slept */
  gst_cuda_histo_counter_announce (counter);
  return TRUE;
}

void
gst_cuda_histo_counter_wait_for_change (GstCudaHistoCounter *counter)
{
  counter->waiting++;
  g_cond_wait (&counter->changed, &counter->lock);
  counter->waiting--;
}

gboolean
gst_cuda_histo_counter_wait (GstCudaHistoCounter *counter)
{
  if (counter->worker == g_thread_self ())
    return FALSE;
  if (counter->worker == NULL && (counter->is_synchronous || (counter->first != NULL && counter->first->what.is_lazy)))
    return gst_cuda_histo_counter_work (counter);
  if (!counter->is_synchronous)
    gst_cuda_histo_counter_wake (counter);
  gst_cuda_histo_counter_wait_for_change (counter);
  return TRUE;
}

void
gst_cuda_histo_counter_run (GstCudaHistoCounter *counter)
{
  g_mutex_lock (&counter->lock);
  for (;;) {
    if (!counter->is_synchronous && !counter->ended && gst_cuda_histo_counter_work (counter))
      continue;
    if (counter->ended || (counter->stopping && counter->first == NULL))
      break;
    if (!counter->idle && counter->first == NULL && counter->worker == NULL) {
      counter->idle = TRUE;
      gst_cuda_histo_counter_announce (counter);
    }
    counter->is_asleep = TRUE;
    g_cond_wait (&counter->work_added, &counter->lock);
    counter->is_asleep = FALSE;
  }
  counter->idle = counter->ended = TRUE;
  gst_cuda_histo_counter_announce (counter);
  g_mutex_unlock (&counter->lock);
}
