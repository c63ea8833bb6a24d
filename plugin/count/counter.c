/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/counterprivate.h"

#include "common/thread.h"
#include "frame/cudacontext.h"

/* Limit of closed windows in the queue. max_in_flight does not limit windows without samples. */
#define MAX_CLOSED 256

/* Frees all device memory. */
static void
gst_cuda_histo_counter_close (GstCudaHistoCounter *counter)
{
  histo_close (&counter->engine);
  while (counter->first != NULL) {
    GstCudaHistoItem *item = counter->first;

    counter->first = item->next;
    gst_cuda_histo_item_free (item);
  }
  counter->last = NULL;
  if (counter->pinner != NULL)
    gst_cuda_histo_pinner_retire (counter->pinner);
  g_clear_pointer (&counter->pinner, gst_cuda_histo_pinner_unref);
  gst_clear_object (&counter->context);
  gst_clear_object (&counter->asked_context);
}

static void
gst_cuda_histo_counter_destroy (GstCudaHistoCounter *counter)
{
  gst_cuda_histo_counter_close (counter);
  histo_stats_clear (&counter->counted);
  gst_cuda_histo_counter_clear_totals (counter);
  for (guint c = 0; c < G_N_ELEMENTS (counter->weights); c++)
    gst_cuda_histo_weights_clear (&counter->weights[c]);
  g_mutex_clear (&counter->submit_lock);
  g_mutex_clear (&counter->lock);
  g_mutex_clear (&counter->log_lock);
  g_cond_clear (&counter->changed);
  g_cond_clear (&counter->work_added);
  g_free (counter->log_text);
  g_free (counter->warning);
  g_free (counter);
}

/* The thread's function. */
static gpointer
gst_cuda_histo_counter_main (gpointer data)
{
  gst_cuda_histo_counter_run (data);
  gst_cuda_histo_counter_unref (data);
  return NULL;
}

GstCudaHistoCounter *
gst_cuda_histo_counter_new (const struct histo_config *config, guint max_in_flight, guint parts, GstObject *context,
                            const GstCudaHistoCounterCallbacks *callbacks, GstElement *owner, GstDebugCategory *log_category,
                            GError **error)
{
  static const GstResourceError codes[] = {
    [HISTO_OK] = GST_RESOURCE_ERROR_FAILED,
    [HISTO_ERROR_INVALID] = GST_RESOURCE_ERROR_SETTINGS,
    [HISTO_ERROR_UNSUPPORTED] = GST_RESOURCE_ERROR_SETTINGS,
    [HISTO_ERROR_BUSY] = GST_RESOURCE_ERROR_BUSY,
    [HISTO_ERROR_NO_MEMORY] = GST_RESOURCE_ERROR_NO_SPACE_LEFT,
    [HISTO_ERROR_NO_DRIVER] = GST_RESOURCE_ERROR_NOT_FOUND,
    [HISTO_ERROR_NO_DEVICE] = GST_RESOURCE_ERROR_NOT_FOUND,
    [HISTO_ERROR_DEVICE] = GST_RESOURCE_ERROR_FAILED,
    [HISTO_ERROR_FORKED] = GST_RESOURCE_ERROR_FAILED,
  };
  GstCudaHistoCounter *counter = g_new0 (GstCudaHistoCounter, 1);
  struct histo_pinner *pinner = NULL;
  enum histo_status status;

  g_atomic_ref_count_init (&counter->ref_count);
  counter->callbacks = *callbacks;
  counter->owner = owner;
  counter->category = log_category;
  counter->config = *config;
  counter->max_in_flight = max_in_flight;
  counter->parts = parts;
  counter->config.max_in_flight = max_in_flight * parts;
  counter->config.log = gst_cuda_histo_counter_log;
  counter->config.log_data = counter;
  if (context != NULL) {
    counter->context = gst_object_ref (context);
    counter->asked_context = gst_object_ref (context);
    counter->config.cuda_context = gst_cuda_histo_cuda_get_handle (context);
  }
  g_mutex_init (&counter->submit_lock);
  g_mutex_init (&counter->lock);
  g_mutex_init (&counter->log_lock);
  g_cond_init (&counter->changed);
  g_cond_init (&counter->work_added);

  status = histo_open (&counter->config, &counter->engine);
  if (status != HISTO_OK) {
    g_autofree gchar *reason = gst_cuda_histo_counter_get_reason (counter, status);

    g_set_error_literal (error, GST_RESOURCE_ERROR, codes[status], reason);
    gst_cuda_histo_counter_destroy (counter);
    return NULL;
  }
  status = histo_pinner_open (counter->engine, &pinner);
  if (status != HISTO_OK)
    GST_CAT_WARNING_OBJECT (log_category, owner, "no fast memory: %s", histo_status_text (status));
  gst_cuda_histo_counter_use_engine (counter);
  counter->pinner = gst_cuda_histo_pinner_new (pinner, gst_cuda_histo_counter_is_on_gpu (counter) ? GST_CUDA_HISTO_GPU_BLOCK
                                                                                                  : GST_CUDA_HISTO_CPU_BLOCK);
  if (context != NULL)
    gst_cuda_histo_pinner_hold_context (counter->pinner, gst_object_ref (context), gst_object_unref);
  counter->idle = TRUE;

  counter->thread = gst_cuda_histo_thread_new (owner, "histo-counter", gst_cuda_histo_counter_main,
                                               gst_cuda_histo_counter_ref (counter), NULL);
  if (counter->thread == NULL) {
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
                         "the thread that collects results cannot be started");
    gst_cuda_histo_counter_destroy (counter);
    return NULL;
  }
  return counter;
}

GstCudaHistoCounter *
gst_cuda_histo_counter_ref (GstCudaHistoCounter *counter)
{
  g_atomic_ref_count_inc (&counter->ref_count);
  return counter;
}

void
gst_cuda_histo_counter_unref (GstCudaHistoCounter *counter)
{
  if (g_atomic_ref_count_dec (&counter->ref_count))
    gst_cuda_histo_counter_destroy (counter);
}

/* With `lock` held. */
static gboolean
gst_cuda_histo_counter_is_caller_inside (const GstCudaHistoCounter *counter)
{
  return counter->worker == g_thread_self () || counter->thread == g_thread_self ();
}

gboolean
gst_cuda_histo_counter_is_own_thread (GstCudaHistoCounter *counter)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->lock);

  return gst_cuda_histo_counter_is_caller_inside (counter);
}

void
gst_cuda_histo_counter_begin_stop (GstCudaHistoCounter *counter)
{
  g_mutex_lock (&counter->lock);
  counter->flushing = FALSE;
  if (gst_cuda_histo_counter_is_caller_inside (counter)) {
    g_atomic_int_set (&counter->is_synchronous, TRUE);
    counter->worker = NULL; /* the item in progress is out of the queue, or another thread can finish it */
  }
  g_mutex_unlock (&counter->lock);
}

void
gst_cuda_histo_counter_stop (GstCudaHistoCounter *counter)
{
  gst_cuda_histo_counter_begin_stop (counter);
  g_mutex_lock (&counter->lock);
  while (counter->is_synchronous && gst_cuda_histo_counter_work (counter))
    ;
  counter->stopping = TRUE;
  counter->ended = counter->is_synchronous; /* otherwise the counter's thread first finishes the queue */
  gst_cuda_histo_counter_wake (counter);
  gst_cuda_histo_counter_announce (counter);
  g_mutex_unlock (&counter->lock);
  gst_cuda_histo_thread_end (counter->thread, counter->owner);
  /* Not with the last reference: an ending thread may hold it, and the process may end first. */
  gst_cuda_histo_counter_close (counter);
}

/* Whether calls return instead of waiting. With `lock` held. */
static gboolean
gst_cuda_histo_counter_is_over (const GstCudaHistoCounter *counter)
{
  return counter->failed || counter->flushing || counter->ended;
}

void
gst_cuda_histo_counter_set_synchronous (GstCudaHistoCounter *counter, gboolean is_synchronous)
{
  if (g_atomic_int_get (&counter->is_synchronous) == is_synchronous) /* only this thread changes it */
    return;
  g_mutex_lock (&counter->lock);
  while (is_synchronous && counter->worker != NULL && !gst_cuda_histo_counter_is_over (counter))
    gst_cuda_histo_counter_wait_for_change (counter);
  if (!is_synchronous || counter->worker == NULL)
    g_atomic_int_set (&counter->is_synchronous, is_synchronous);
  gst_cuda_histo_counter_wake (counter);
  g_mutex_unlock (&counter->lock);
}

void
gst_cuda_histo_counter_set_flushing (GstCudaHistoCounter *counter, gboolean flushing)
{
  g_mutex_lock (&counter->lock);
  counter->flushing = flushing;
  gst_cuda_histo_counter_announce (counter);
  g_mutex_unlock (&counter->lock);
}

gboolean
gst_cuda_histo_counter_is_flushing (GstCudaHistoCounter *counter)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->lock);

  return counter->flushing;
}

/* Whether a frame is refused because of a flush or a stop. */
static gboolean
gst_cuda_histo_counter_is_refusing (GstCudaHistoCounter *counter)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->lock);

  return counter->flushing || counter->ended;
}

/* Whether the next picture, with its other parts, may be added. With `lock` held. */
static gboolean
gst_cuda_histo_counter_has_capacity (const GstCudaHistoCounter *counter)
{
  return counter->pictures < counter->max_in_flight
         && (counter->pending == 0 || counter->pending + counter->parts <= counter->engine_limit);
}

/* Waits until one more picture may be added. It is submitted at once, so no change of context may be queued before it.
 * *collected: number of frames that have left the queue. *free_slots: free slots of the engine, at least one. FALSE after a
 * failure, and while flushing. */
static gboolean
gst_cuda_histo_counter_wait_to_add (GstCudaHistoCounter *counter, guint64 *collected, guint *free_slots)
{
  gboolean is_over;

  g_mutex_lock (&counter->lock);
  while (!gst_cuda_histo_counter_is_over (counter) && (counter->switches > 0 || !gst_cuda_histo_counter_has_capacity (counter))
         && gst_cuda_histo_counter_wait (counter))
    ;
  *collected = counter->collected;
  *free_slots = counter->engine_limit - MIN (counter->pending, counter->engine_limit - 1);
  is_over = gst_cuda_histo_counter_is_over (counter);
  g_mutex_unlock (&counter->lock);
  return !is_over;
}

/* Waits until more than `collected` frames have left the queue. FALSE if that is impossible. */
static gboolean
gst_cuda_histo_counter_wait_for_collect (GstCudaHistoCounter *counter, guint64 collected)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->lock);

  while (counter->collected == collected && counter->pending > 0 && !gst_cuda_histo_counter_is_over (counter)
         && gst_cuda_histo_counter_wait (counter))
    ;
  return counter->collected != collected && !gst_cuda_histo_counter_is_over (counter);
}

/* Waits until a picture may be added, and submits its items. With TRUE, submit_lock is held. *submitted: number of items in the
 * engine; the others wait for slots or memory, or cannot be counted with *status. FALSE after a failure, and while flushing. */
static gboolean
gst_cuda_histo_counter_submit_items (GstCudaHistoCounter *counter, GstCudaHistoItem *const *items, guint count,
                                     guint *submitted, enum histo_status *status)
{
  guint64 collected;
  guint free_slots;

  *submitted = 0;
  for (;;) {
    if (!gst_cuda_histo_counter_wait_to_add (counter, &collected, &free_slots))
      return FALSE;
    g_mutex_lock (&counter->submit_lock);
    if (counter->engine == NULL) { /* it has just failed */
      g_mutex_unlock (&counter->submit_lock);
      continue;
    }
    *status = gst_cuda_histo_counter_submit_waiting (counter, FALSE);
    if (*status == HISTO_OK || counter->engine_status != HISTO_OK)
      *status = gst_cuda_histo_counter_submit_picture (counter, items, count, free_slots, submitted);
    if (*status != HISTO_ERROR_BUSY && *status != HISTO_ERROR_NO_MEMORY)
      return TRUE;
    g_mutex_unlock (&counter->submit_lock);
    /* Each collected frame frees a slot and memory. */
    if (!gst_cuda_histo_counter_wait_for_collect (counter, collected)) {
      if (gst_cuda_histo_counter_is_refusing (counter))
        return FALSE;
      g_mutex_lock (&counter->submit_lock);
      return TRUE;
    }
  }
}

/* Appends the items of a picture to the queue. With submit_lock held. */
static void
gst_cuda_histo_counter_append_items (GstCudaHistoCounter *counter, GstCudaHistoItem **items, guint count, guint submitted,
                                     enum histo_status status)
{
  if (status == HISTO_OK && submitted < count)
    g_atomic_pointer_set (&counter->waiting_frame, items[submitted]);
  g_mutex_lock (&counter->lock);
  for (guint i = 0; i < count; i++)
    gst_cuda_histo_counter_append (counter, items[i]);
  g_mutex_unlock (&counter->lock);
}

/* Appends the failure of a picture's items, which it takes. The engine has the first `submitted`. */
static void
gst_cuda_histo_counter_append_failure (GstCudaHistoCounter *counter, GstCudaHistoItem **items, guint count, guint submitted,
                                       enum histo_status status)
{
  GstCudaHistoItem *failure = gst_cuda_histo_item_new (ITEM_FAIL);

  failure->status = status;
  gst_cuda_histo_counter_append_items (counter, items, submitted, submitted, status);
  gst_cuda_histo_counter_append_items (counter, &failure, 1, 1, status);
  for (guint i = submitted; i < count; i++)
    gst_cuda_histo_item_free (items[i]);
}

gboolean
gst_cuda_histo_counter_add (GstCudaHistoCounter *counter, const GstCudaHistoEntry *entries, guint count)
{
  GstCudaHistoItem *items[GST_CUDA_HISTO_MAX_PARTS];
  enum histo_status status;
  guint submitted;

  for (guint i = 0; i < count; i++) {
    items[i] = gst_cuda_histo_item_new (ITEM_FRAME);
    items[i]->frame = entries[i].frame;
    items[i]->operand = entries[i].operand;
    items[i]->what = entries[i].what;
    items[i]->status = HISTO_ERROR_INVALID; /* until it is submitted */
  }
  if (!gst_cuda_histo_counter_submit_items (counter, items, count, &submitted, &status)) {
    for (guint i = 0; i < count; i++)
      gst_cuda_histo_item_free (items[i]);
    return FALSE;
  }
  if (status != HISTO_OK)
    status = gst_cuda_histo_counter_note_refusal (counter, &items[submitted], count - submitted);
  if (status == HISTO_ERROR_DEVICE)
    counter->engine_status = status; /* the thread handles frames without a ticket */
  if (status != HISTO_OK && status != HISTO_ERROR_DEVICE)
    gst_cuda_histo_counter_append_failure (counter, items, count, submitted, status);
  else
    gst_cuda_histo_counter_append_items (counter, items, count, submitted, status);
  g_mutex_unlock (&counter->submit_lock);
  if (status == HISTO_OK || status == HISTO_ERROR_DEVICE)
    return TRUE;
  gst_cuda_histo_counter_drain (counter); /* until the failure is reported */
  return FALSE;
}

static void
gst_cuda_histo_counter_append_command (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  gboolean is_taken;

  g_mutex_lock (&counter->lock); /* not submit_lock: the thread may be submitting with it */
  is_taken = !counter->failed && !counter->ended;
  if (is_taken)
    gst_cuda_histo_counter_append (counter, item);
  while (counter->is_synchronous && gst_cuda_histo_counter_work (counter))
    ;
  g_mutex_unlock (&counter->lock);
  if (!is_taken)
    gst_cuda_histo_item_free (item);
}

gboolean
gst_cuda_histo_counter_is_in_context (const GstCudaHistoCounter *counter, const GstObject *context)
{
  return counter->asked_context == context;
}

gboolean
gst_cuda_histo_counter_use_context (GstCudaHistoCounter *counter, GstObject *context)
{
  if (!gst_cuda_histo_counter_is_in_context (counter, context)) {
    GstCudaHistoItem *item = gst_cuda_histo_item_new (ITEM_CONTEXT);

    item->context = gst_object_ref (context);
    gst_object_replace (&counter->asked_context, context);
    gst_cuda_histo_counter_append_command (counter, item);
  }
  return gst_cuda_histo_counter_drain (counter);
}

void
gst_cuda_histo_counter_set_weights (GstCudaHistoCounter *counter, guint component, GBytes *row, GBytes *column)
{
  GstCudaHistoItem *item = gst_cuda_histo_item_new (ITEM_WEIGHTS);

  item->component = component;
  item->weights.row = row != NULL ? g_bytes_ref (row) : NULL;
  item->weights.column = column != NULL ? g_bytes_ref (column) : NULL;
  gst_cuda_histo_counter_append_command (counter, item);
}

void
gst_cuda_histo_counter_close_window (GstCudaHistoCounter *counter, const GstCudaHistoSource *source,
                                     const GstCudaHistoSpan *span)
{
  GstCudaHistoItem *item = gst_cuda_histo_item_new (ITEM_CLOSE);

  item->source = *source;
  item->span = *span;
  g_mutex_lock (&counter->lock);
  while (counter->closed >= MAX_CLOSED && !gst_cuda_histo_counter_is_over (counter) && gst_cuda_histo_counter_wait (counter))
    ;
  g_mutex_unlock (&counter->lock);
  gst_cuda_histo_counter_append_command (counter, item);
}

void
gst_cuda_histo_counter_mark (GstCudaHistoCounter *counter, const GstCudaHistoSource *source, GstCudaHistoEndedBy ended_by)
{
  GstCudaHistoItem *item = gst_cuda_histo_item_new (ITEM_MARK);

  item->source = *source;
  item->ended_by = ended_by;
  gst_cuda_histo_counter_append_command (counter, item);
}

void
gst_cuda_histo_counter_discard_window (GstCudaHistoCounter *counter, guint64 frames)
{
  GstCudaHistoItem *item = gst_cuda_histo_item_new (ITEM_DISCARD);

  item->frames = frames;
  gst_cuda_histo_counter_append_command (counter, item);
}

gboolean
gst_cuda_histo_counter_drain (GstCudaHistoCounter *counter)
{
  gboolean is_over;

  g_mutex_lock (&counter->lock);
  while ((counter->is_synchronous ? counter->first != NULL || counter->worker != NULL : !counter->idle)
         && (counter->is_synchronous || !counter->flushing) && gst_cuda_histo_counter_wait (counter))
    ;
  is_over = gst_cuda_histo_counter_is_over (counter);
  g_mutex_unlock (&counter->lock);
  return !is_over;
}

/* Whether the first entry of the queue is a counted frame with lazy collection. Its memory, still in a cache, can serve the
 * next frame. With `lock` held. */
static gboolean
gst_cuda_histo_counter_has_counted (const GstCudaHistoCounter *counter)
{
  const GstCudaHistoItem *first = counter->first;

  return counter->worker == NULL && first != NULL && first->what.is_lazy && first->ticket != 0
         && histo_ready (counter->engine, first->ticket);
}

gboolean
gst_cuda_histo_counter_release_frames (GstCudaHistoCounter *counter, guint kept)
{
  gboolean is_over;

  g_mutex_lock (&counter->lock);
  while ((counter->pending > kept || gst_cuda_histo_counter_has_counted (counter))
         && (counter->is_synchronous || !gst_cuda_histo_counter_is_over (counter)) && gst_cuda_histo_counter_wait (counter))
    ;
  is_over = gst_cuda_histo_counter_is_over (counter);
  g_mutex_unlock (&counter->lock);
  return !is_over;
}

gboolean
gst_cuda_histo_counter_is_busy (GstCudaHistoCounter *counter)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->lock);

  return !gst_cuda_histo_counter_has_capacity (counter);
}

void
gst_cuda_histo_counter_set_parts (GstCudaHistoCounter *counter, guint parts)
{
  g_mutex_lock (&counter->lock);
  counter->parts = MAX (counter->parts, parts);
  gst_cuda_histo_counter_wake (counter);
  g_mutex_unlock (&counter->lock);
}

const gchar *
gst_cuda_histo_counter_get_backend (GstCudaHistoCounter *counter)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->lock);

  return counter->backend;
}

const gchar *
gst_cuda_histo_counter_get_device (GstCudaHistoCounter *counter)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->lock);

  return counter->device;
}

gchar *
gst_cuda_histo_counter_take_warning (GstCudaHistoCounter *counter)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&counter->log_lock);

  return g_steal_pointer (&counter->warning);
}

GstCudaHistoPinner *
gst_cuda_histo_counter_get_pinner (GstCudaHistoCounter *counter)
{
  return gst_cuda_histo_pinner_ref (counter->pinner);
}

gboolean
gst_cuda_histo_counter_is_on_gpu (GstCudaHistoCounter *counter)
{
  return g_atomic_int_get (&counter->active_backend) == HISTO_BACKEND_CUDA;
}
