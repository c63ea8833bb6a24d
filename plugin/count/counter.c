/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "count/counter.h"

#include <string.h>

#include "common/thread.h"
#include "frame/cudacontext.h"

#define COLLECT_ATTEMPTS 5 /* while host memory is exhausted */
#define COLLECT_PAUSE_US (20 * 1000)
/* Bytes of the smallest frame in system memory whose submission to a GPU is deferred, for an idle thread. For 2 MiB
 * the driver takes 15 to 30 us, a tenth of the time in which the streaming thread fills the next; smaller ones cost
 * less, and come sooner after each other. */
#define DEFERRED_BYTES ((gsize)512 * 1024)
/* Closed windows that may be in the queue. Windows without samples are not bounded by max_in_flight. */
#define MAX_CLOSED 256
/* Contexts besides the one in use whose engine stays open: frames may come from several decoders in turn. */
#define MAX_PARKED 3

typedef enum { ITEM_FRAME, ITEM_CLOSE, ITEM_DISCARD, ITEM_CONTEXT, ITEM_FAIL } GstCudaHistoItemKind;

/* One entry of the queue between the streaming thread and the counter's. */
typedef struct _GstCudaHistoItem GstCudaHistoItem;
struct _GstCudaHistoItem {
  GstCudaHistoItem *next;
  GstCudaHistoItemKind kind;
  /* ITEM_FRAME */
  GstCudaHistoFrame *frame, *operand; /* operand may be NULL */
  histo_ticket ticket;                /* 0: no engine has it: its submission is deferred, or failed */
  /* ITEM_CLOSE */
  GstCudaHistoSource source;
  GstCudaHistoSpan span;
  /* ITEM_DISCARD */
  guint64 frames; /* that ended in what is discarded */
  /* ITEM_CONTEXT: the one to go on in */
  GstObject *context;
  /* ITEM_FAIL, and ITEM_FRAME without a ticket */
  enum histo_status status;
};

/* A parked engine: its context is not in use just now, and may be again. */
typedef struct {
  GstObject *context; /* NULL: the device's own */
  struct CUctx_st *handle;
  struct histo_engine *engine;
} GstCudaHistoParkedEngine;

struct _GstCudaHistoCounter {
  gatomicrefcount ref_count;
  GstCudaHistoCounterCallbacks callbacks;
  GstElement *owner;
  GstDebugCategory *category;
  struct histo_config config; /* the worker's, once the thread runs; and the next */
  GstObject *context;         /* the GstCudaContext of config.cuda_context, or NULL */
  GstCudaHistoPinner *pinner; /* of the first engine; good for all that follow */
  GThread *thread;

  /* Held to submit, to replace the engine and to append a frame, so that the queue has the order of submission. Only the worker
   * changes `engine`: it reads it without the lock. Taken before `lock`. */
  GMutex submit_lock;
  struct histo_engine *engine;
  enum histo_status engine_status; /* HISTO_OK, or why the engine gets nothing more */
  /* The frame, first in the queue, whose submission is deferred, or NULL. Atomic: the thread looks at it without the lock. */
  GstCudaHistoItem *deferred;

  GMutex lock;
  GCond changed; /* anything below, for those who wait */
  GCond wanted;  /* the thread has something to do */
  GstCudaHistoItem *first, *last;
  guint pending;       /* frames in the queue */
  guint closed;        /* windows in the queue */
  guint64 collected;   /* frames that left the queue */
  guint max_in_flight; /* wanted */
  guint engine_limit;  /* histo_info.max_in_flight */
  gint in_use;         /* enum histo_backend. Atomic: each buffer asks */
  const gchar *backend, *device;
  gboolean idle;           /* nothing is in the queue, and no callback runs; the thread may be opening a wider engine */
  gboolean stopping;       /* end when the queue is empty */
  gboolean ended;          /* the thread has; nothing is added any more */
  gboolean flushing;       /* nobody waits */
  gboolean is_synchronous; /* atomic, as above: whoever adds does the thread's work, when he has to wait */
  GThread *worker;         /* who is in the middle of an item, or NULL: the thread, or in its place who waits */
  gboolean failed;

  GMutex log_lock;
  gchar *log_text; /* the last error since an engine opened, or NULL */
  gchar *warning;  /* the last warning that nobody has taken, or NULL */

  /* the worker's own */
  struct histo_stats part, total;
  guint refused_limit;                         /* no engine takes as many frames as this. 0: not known of any */
  gboolean reported;                           /* the failure */
  GstCudaHistoParkedEngine parked[MAX_PARKED]; /* the latest first; those without an engine last */
};

static void
gst_cuda_histo_counter_log (void *user_data, enum histo_log_level level, const char *message)
{
  static const GstDebugLevel levels[]
      = { [HISTO_LOG_ERROR] = GST_LEVEL_WARNING, [HISTO_LOG_WARNING] = GST_LEVEL_WARNING, [HISTO_LOG_INFO] = GST_LEVEL_INFO };
  GstCudaHistoCounter *counter = user_data;
  gchar **text;

  GST_CAT_LEVEL_LOG (counter->category, levels[level], counter->owner, "%s", message);
  if (level == HISTO_LOG_INFO)
    return;
  g_mutex_lock (&counter->log_lock);
  text = level == HISTO_LOG_ERROR ? &counter->log_text : &counter->warning;
  g_free (*text);
  *text = g_strdup (message);
  g_mutex_unlock (&counter->log_lock);
}

/* The engine's last words, else those for `status`. Free with g_free(). */
static gchar *
gst_cuda_histo_counter_get_reason (GstCudaHistoCounter *counter, enum histo_status status)
{
  gchar *reason;

  g_mutex_lock (&counter->log_lock);
  reason = g_strdup (counter->log_text != NULL ? counter->log_text : histo_status_text (status));
  g_mutex_unlock (&counter->log_lock);
  return reason;
}

static GstCudaHistoItem *
gst_cuda_histo_item_new (GstCudaHistoItemKind kind)
{
  GstCudaHistoItem *item = g_new0 (GstCudaHistoItem, 1);

  item->kind = kind;
  return item;
}

static void
gst_cuda_histo_item_free (GstCudaHistoItem *item)
{
  if (item->frame != NULL)
    gst_cuda_histo_frame_unref (item->frame);
  if (item->operand != NULL)
    gst_cuda_histo_frame_unref (item->operand);
  gst_clear_object (&item->context);
  g_free (item);
}

/* What a frame takes up in memory, with gaps and what a crop hides. */
static guint64
gst_cuda_histo_item_get_bytes (const GstCudaHistoItem *item)
{
  guint64 bytes = 0;

  for (guint p = 0; p < item->frame->frame.plane_count; p++)
    bytes += (guint64)item->frame->frame.planes[p].stride_bytes * item->frame->frame.planes[p].height;
  return bytes;
}

/* With `lock` held. Takes the item. */
static void
gst_cuda_histo_counter_append (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  if (counter->last != NULL)
    counter->last->next = item;
  else
    counter->first = item;
  counter->last = item;
  if (item->kind == ITEM_FRAME)
    counter->pending++;
  if (item->kind == ITEM_CLOSE)
    counter->closed++;
  if (item->kind == ITEM_FAIL)
    counter->failed = TRUE;
  counter->idle = FALSE;
  if (!counter->is_synchronous)
    g_cond_signal (&counter->wanted);
  g_cond_broadcast (&counter->changed);
}

/* Replaces a frame on the GPU with a copy in system memory. FALSE where the GPU does not let it be copied. */
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

/* With submit_lock held. An engine that failed once gets nothing more, so that no frame overtakes another. */
static enum histo_status
gst_cuda_histo_counter_submit (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  struct histo_frame frame;

  item->ticket = 0;
  item->status = counter->engine_status;
  if (item->status != HISTO_OK)
    return item->status;
  if (histo_engine_info (counter->engine)->backend != HISTO_BACKEND_CUDA
      && (!gst_cuda_histo_counter_download (counter, &item->frame)
          || !gst_cuda_histo_counter_download (counter, &item->operand))) {
    item->status = HISTO_ERROR_DEVICE;
    return item->status;
  }
  frame = item->frame->frame;
  frame.operand = item->operand != NULL ? &item->operand->frame : NULL;
  item->status = histo_submit (counter->engine, &frame, &item->ticket);
  return item->status;
}

/* What a GPU has refused, for want of memory or because it is too large, and nothing is in flight that would give memory back:
 * where the CPU may count, it goes there as from a GPU that failed. */
static enum histo_status
gst_cuda_histo_counter_note_refusal (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  gboolean has_cpu;

  g_mutex_lock (&counter->lock);
  has_cpu = counter->config.backend == HISTO_BACKEND_AUTO && counter->in_use == HISTO_BACKEND_CUDA;
  g_mutex_unlock (&counter->lock);
  if (has_cpu && (item->status == HISTO_ERROR_NO_MEMORY || item->status == HISTO_ERROR_UNSUPPORTED))
    item->status = HISTO_ERROR_DEVICE;
  return item->status;
}

/* With submit_lock held. Makes the deferred submission, if there is one: called by whoever
 * comes first, the thread or the next frame. */
static void
gst_cuda_histo_counter_submit_deferred (GstCudaHistoCounter *counter)
{
  enum histo_status status;

  if (counter->deferred == NULL)
    return;
  status = gst_cuda_histo_counter_submit (counter, counter->deferred);
  if (status != HISTO_OK) /* the thread finds the frame without a ticket */
    counter->engine_status = gst_cuda_histo_counter_note_refusal (counter, counter->deferred);
  g_atomic_pointer_set (&counter->deferred, NULL);
}

/* ---- the counter's thread ------------------------------------------------------------------------------------------- */

/* Notes what has been opened. */
static void
gst_cuda_histo_counter_use_engine (GstCudaHistoCounter *counter)
{
  const struct histo_info *info = histo_engine_info (counter->engine);

  g_mutex_lock (&counter->lock);
  g_atomic_int_set (&counter->in_use, (gint)info->backend);
  counter->backend = g_intern_string (info->backend_name);
  counter->device = g_intern_string (info->device_name);
  counter->engine_limit = info->max_in_flight;
  g_cond_broadcast (&counter->changed);
  g_mutex_unlock (&counter->lock);
  /* `auto` opens the CPU after words about the GPU, which explain no later failure. */
  g_mutex_lock (&counter->log_lock);
  g_clear_pointer (&counter->log_text, g_free);
  g_mutex_unlock (&counter->log_lock);
}

/* The item that follows another, or the first (@item NULL). */
static GstCudaHistoItem *
gst_cuda_histo_counter_get_next (GstCudaHistoCounter *counter, const GstCudaHistoItem *item)
{
  GstCudaHistoItem *next;

  g_mutex_lock (&counter->lock);
  next = item != NULL ? item->next : counter->first;
  g_mutex_unlock (&counter->lock);
  return next;
}

/* Closes engines that are parked, all or (@keep) all but as many. */
static void
gst_cuda_histo_counter_close_parked (GstCudaHistoCounter *counter, guint keep)
{
  for (guint i = keep; i < MAX_PARKED; i++) {
    histo_close (&counter->parked[i].engine);
    gst_clear_object (&counter->parked[i].context); /* after the engine that was in it */
    counter->parked[i].handle = NULL;
  }
}

/* Puts `engine` in the place of the present one, with every frame of the queue. The present one is the caller's from now on. */
static struct histo_engine *
gst_cuda_histo_counter_exchange_engine (GstCudaHistoCounter *counter, struct histo_engine *engine, gboolean closes)
{
  struct histo_engine *previous;

  g_mutex_lock (&counter->submit_lock);
  if (closes) /* before the frames are submitted elsewhere: nobody else may be reading them */
    histo_close (&counter->engine);
  previous = counter->engine;
  counter->engine = engine;
  counter->engine_status = HISTO_OK;
  g_atomic_pointer_set (&counter->deferred, NULL);
  gst_cuda_histo_counter_use_engine (counter);
  /* Nobody else appends frames now, nor takes anything away. */
  for (GstCudaHistoItem *item = gst_cuda_histo_counter_get_next (counter, NULL); item != NULL;
       item = gst_cuda_histo_counter_get_next (counter, item))
    if (item->kind == ITEM_FRAME)
      counter->engine_status = gst_cuda_histo_counter_submit (counter, item);
  g_mutex_unlock (&counter->submit_lock);
  return previous;
}

static struct histo_engine *
gst_cuda_histo_counter_open_engine (const GstCudaHistoCounter *counter, enum histo_backend backend, guint limit)
{
  struct histo_config config = counter->config;
  struct histo_engine *engine = NULL;

  config.backend = backend;
  config.max_in_flight = limit;
  return histo_open (&config, &engine) == HISTO_OK ? engine : NULL;
}

/* Closes the present engine and goes on with another, with every frame of the queue. FALSE, and
 * nothing changed, where it does not open. */
static gboolean
gst_cuda_histo_counter_replace_engine (GstCudaHistoCounter *counter, enum histo_backend backend, guint limit)
{
  struct histo_engine *engine = gst_cuda_histo_counter_open_engine (counter, backend, limit);

  if (engine == NULL)
    return FALSE;
  gst_cuda_histo_counter_exchange_engine (counter, engine, TRUE);
  return TRUE;
}

static void
gst_cuda_histo_counter_fail (GstCudaHistoCounter *counter, enum histo_status status)
{
  g_autofree gchar *reason = gst_cuda_histo_counter_get_reason (counter, status);
  GstCudaHistoItem *item;

  if (!counter->reported)
    counter->callbacks.failed (counter->owner, status, reason);
  counter->reported = TRUE;

  g_mutex_lock (&counter->submit_lock);
  /* Before the frames go: the engine may still be reading them. */
  histo_close (&counter->engine);
  g_mutex_lock (&counter->lock);
  counter->failed = TRUE;
  item = counter->first;
  counter->first = counter->last = NULL;
  g_mutex_unlock (&counter->lock);
  while (item != NULL) {
    GstCudaHistoItem *next = item->next;

    gst_cuda_histo_item_free (item);
    item = next;
  }
  g_mutex_lock (&counter->lock);
  counter->pending = counter->closed = 0;
  g_cond_broadcast (&counter->changed);
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
  gst_cuda_histo_counter_close_parked (counter, 0);
  g_mutex_lock (&counter->submit_lock);
  outcome = counter->engine_status;
  g_mutex_unlock (&counter->submit_lock);
  if (outcome == HISTO_OK) /* else a frame could not be had from the GPU, and the failure follows */
    counter->callbacks.moved_to_cpu (counter->owner, reason);
}

/* Takes the first item out of the queue. */
static void
gst_cuda_histo_counter_pop (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  g_mutex_lock (&counter->lock);
  counter->first = item->next;
  if (counter->first == NULL)
    counter->last = NULL;
  g_mutex_unlock (&counter->lock);
}

static enum histo_status
gst_cuda_histo_counter_collect (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  enum histo_status status;

  if (g_atomic_pointer_get (&counter->deferred) != NULL) {
    g_mutex_lock (&counter->submit_lock);
    gst_cuda_histo_counter_submit_deferred (counter);
    g_mutex_unlock (&counter->submit_lock);
  }
  if (item->ticket == 0)
    return item->status;
  status = histo_collect (counter->engine, item->ticket, &counter->part);
  for (guint attempt = 1; status == HISTO_ERROR_NO_MEMORY && attempt < COLLECT_ATTEMPTS; attempt++) {
    g_usleep (COLLECT_PAUSE_US);
    status = histo_collect (counter->engine, item->ticket, &counter->part);
  }
  if (status == HISTO_OK)
    status = histo_stats_add (&counter->total, &counter->part);
  return status;
}

/* Collects the first item, a frame, or does what its failure asks for. */
static void
gst_cuda_histo_counter_finish_frame (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  enum histo_status status = gst_cuda_histo_counter_collect (counter, item);
  guint64 bytes = 0;

  if (status == HISTO_ERROR_DEVICE && counter->config.backend == HISTO_BACKEND_AUTO && counter->in_use == HISTO_BACKEND_CUDA) {
    gst_cuda_histo_counter_move_to_cpu (counter, status);
    return;
  }
  if (status != HISTO_OK) {
    gst_cuda_histo_counter_fail (counter, status);
    return;
  }

  for (guint i = 0; i < counter->part.component_count; i++)
    bytes += counter->part.components[i].count * (counter->part.components[i].depth > 8 ? 2 : 1);
  gst_cuda_histo_counter_pop (counter, item);
  /* The buffers go before another frame may be added: max_in_flight bounds what is held. */
  gst_cuda_histo_item_free (item);
  counter->callbacks.frame_counted (counter->owner, bytes);
  g_mutex_lock (&counter->lock);
  counter->pending--;
  counter->collected++;
  g_cond_broadcast (&counter->changed);
  g_mutex_unlock (&counter->lock);
}

/* The engine that is parked in a context, which is then not parked any more; NULL: there is none as wide as the present one. */
static struct histo_engine *
gst_cuda_histo_counter_unpark (GstCudaHistoCounter *counter, struct CUctx_st *handle)
{
  for (guint i = 0; i < MAX_PARKED; i++) {
    GstCudaHistoParkedEngine parked = counter->parked[i];

    if (parked.engine == NULL || parked.handle != handle)
      continue;
    memmove (&counter->parked[i], &counter->parked[i + 1], (MAX_PARKED - 1 - i) * sizeof parked);
    counter->parked[MAX_PARKED - 1] = (GstCudaHistoParkedEngine){ 0 };
    if (histo_engine_info (parked.engine)->max_in_flight < counter->engine_limit)
      histo_close (&parked.engine);
    gst_clear_object (&parked.context); /* the caller has it too */
    return parked.engine;
  }
  return NULL;
}

/* Parks an engine, with its context, for when frames of that context come again. The one
 * that was parked longest ago is closed. */
static void
gst_cuda_histo_counter_park (GstCudaHistoCounter *counter, struct histo_engine *engine, GstObject *context,
                             struct CUctx_st *handle)
{
  gst_cuda_histo_counter_close_parked (counter, MAX_PARKED - 1);
  memmove (&counter->parked[1], &counter->parked[0], (MAX_PARKED - 1) * sizeof counter->parked[0]);
  counter->parked[0] = (GstCudaHistoParkedEngine){ .context = context, .handle = handle, .engine = engine };
}

/* Goes on in another context. Nothing is in flight. */
static void
gst_cuda_histo_counter_finish_context (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  struct CUctx_st *handle = gst_cuda_histo_cuda_get_handle (item->context);

  gst_cuda_histo_counter_pop (counter, item);
  if (counter->in_use == HISTO_BACKEND_CUDA && handle != counter->config.cuda_context) {
    struct CUctx_st *previous_handle = counter->config.cuda_context;
    struct histo_engine *engine = gst_cuda_histo_counter_unpark (counter, handle);

    counter->config.cuda_context = handle;
    if (engine == NULL)
      engine = gst_cuda_histo_counter_open_engine (counter, HISTO_BACKEND_CUDA, counter->engine_limit);
    if (engine != NULL) {
      engine = gst_cuda_histo_counter_exchange_engine (counter, engine, FALSE);
      gst_cuda_histo_counter_park (counter, engine, counter->context, previous_handle);
      counter->context = g_steal_pointer (&item->context);
    } else {
      counter->config.cuda_context = previous_handle;
      if (counter->config.backend == HISTO_BACKEND_AUTO)
        gst_cuda_histo_counter_move_to_cpu (counter, HISTO_ERROR_DEVICE);
      else
        gst_cuda_histo_counter_fail (counter, HISTO_ERROR_DEVICE);
    }
  }
  gst_cuda_histo_item_free (item);
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
  case ITEM_CLOSE:
    gst_cuda_histo_counter_pop (counter, item);
    counter->callbacks.window_closed (counter->owner, &item->source, &item->span, &counter->total, counter->backend);
    g_mutex_lock (&counter->lock);
    counter->closed--;
    g_cond_broadcast (&counter->changed);
    g_mutex_unlock (&counter->lock);
    break;
  case ITEM_DISCARD:
    gst_cuda_histo_counter_pop (counter, item);
    counter->callbacks.window_discarded (counter->owner, item->frames);
    break;
  }
  histo_stats_reset (&counter->total);
  gst_cuda_histo_item_free (item);
}

/* TRUE where the thread is to open a wider engine. With `lock` held. */
static gboolean
gst_cuda_histo_counter_is_too_narrow (const GstCudaHistoCounter *counter)
{
  return counter->max_in_flight > counter->engine_limit && !counter->failed
         && (counter->refused_limit == 0 || counter->max_in_flight < counter->refused_limit);
}

/* Does one thing that is to be done: opens a wider engine, or finishes the first item. With `lock` held, which it drops
 * meanwhile. FALSE: there is nothing, or the caller is in the middle of an item, in a callback. */
static gboolean
gst_cuda_histo_counter_work (GstCudaHistoCounter *counter)
{
  GstCudaHistoItem *item = counter->first;
  const guint limit = counter->max_in_flight;
  const gboolean is_too_narrow = gst_cuda_histo_counter_is_too_narrow (counter);

  if (counter->worker != NULL || (item == NULL && !is_too_narrow))
    return FALSE;
  counter->worker = g_thread_self ();
  g_mutex_unlock (&counter->lock);
  if (is_too_narrow)
    gst_cuda_histo_counter_replace_engine (counter, counter->in_use, limit);
  else
    gst_cuda_histo_counter_finish_item (counter, item);
  g_mutex_lock (&counter->lock);
  counter->worker = NULL;
  if (is_too_narrow && counter->engine_limit < limit) {
    GST_CAT_WARNING_OBJECT (counter->category, counter->owner, "no engine for %u frames in flight, keeping %u", limit,
                            counter->engine_limit);
    counter->refused_limit = limit;
  }
  g_cond_broadcast (&counter->changed);
  return TRUE;
}

/* Waits for a change, and makes one where that is the caller's work. With `lock` held. FALSE: nothing will change, since it is
 * the caller himself who is waited for. */
static gboolean
gst_cuda_histo_counter_wait (GstCudaHistoCounter *counter)
{
  if (counter->worker == g_thread_self ())
    return FALSE;
  if (counter->is_synchronous && counter->worker == NULL)
    return gst_cuda_histo_counter_work (counter);
  g_cond_wait (&counter->changed, &counter->lock);
  return TRUE;
}

static gpointer
gst_cuda_histo_counter_run (gpointer data)
{
  GstCudaHistoCounter *counter = data;

  g_mutex_lock (&counter->lock);
  for (;;) {
    if (!counter->is_synchronous && gst_cuda_histo_counter_work (counter))
      continue;
    if (counter->stopping && counter->first == NULL)
      break;
    if (!counter->idle && counter->first == NULL && counter->worker == NULL) {
      counter->idle = TRUE;
      g_cond_broadcast (&counter->changed);
    }
    g_cond_wait (&counter->wanted, &counter->lock);
  }
  counter->idle = counter->ended = TRUE;
  g_cond_broadcast (&counter->changed);
  g_mutex_unlock (&counter->lock);
  return NULL;
}

/* ---- the owner's threads -------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_counter_destroy (GstCudaHistoCounter *counter)
{
  histo_close (&counter->engine);
  gst_cuda_histo_counter_close_parked (counter, 0);
  if (counter->pinner != NULL)
    gst_cuda_histo_pinner_retire (counter->pinner);
  g_clear_pointer (&counter->pinner, gst_cuda_histo_pinner_unref);
  gst_clear_object (&counter->context);
  histo_stats_clear (&counter->part);
  histo_stats_clear (&counter->total);
  g_mutex_clear (&counter->submit_lock);
  g_mutex_clear (&counter->lock);
  g_mutex_clear (&counter->log_lock);
  g_cond_clear (&counter->changed);
  g_cond_clear (&counter->wanted);
  g_free (counter->log_text);
  g_free (counter->warning);
  g_free (counter);
}

GstCudaHistoCounter *
gst_cuda_histo_counter_new (const struct histo_config *config, GstObject *context,
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
  counter->config.log = gst_cuda_histo_counter_log;
  counter->config.log_data = counter;
  if (context != NULL) {
    counter->context = gst_object_ref (context);
    counter->config.cuda_context = gst_cuda_histo_cuda_get_handle (context);
  }
  g_mutex_init (&counter->submit_lock);
  g_mutex_init (&counter->lock);
  g_mutex_init (&counter->log_lock);
  g_cond_init (&counter->changed);
  g_cond_init (&counter->wanted);

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
  counter->pinner = gst_cuda_histo_pinner_new (pinner);
  if (context != NULL)
    gst_cuda_histo_pinner_keep (counter->pinner, gst_object_ref (context), gst_object_unref);
  gst_cuda_histo_counter_use_engine (counter);
  counter->max_in_flight = counter->engine_limit;
  counter->idle = TRUE;

  counter->thread = gst_cuda_histo_thread_new (owner, "histo-counter", gst_cuda_histo_counter_run, counter, NULL);
  if (counter->thread == NULL) {
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "The system refuses one more thread");
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

void
gst_cuda_histo_counter_stop (GstCudaHistoCounter *counter)
{
  g_mutex_lock (&counter->lock);
  while (counter->is_synchronous && gst_cuda_histo_counter_work (counter))
    ;
  counter->stopping = TRUE;
  g_cond_signal (&counter->wanted);
  g_mutex_unlock (&counter->lock);
  g_thread_join (counter->thread);
}

/* Whether nothing is to be waited for. With `lock` held. */
static gboolean
gst_cuda_histo_counter_is_over (const GstCudaHistoCounter *counter)
{
  return counter->failed || counter->flushing || counter->ended;
}

void
gst_cuda_histo_counter_set_synchronous (GstCudaHistoCounter *counter, gboolean is_synchronous)
{
  if (g_atomic_int_get (&counter->is_synchronous) == is_synchronous) /* nobody else changes it */
    return;
  g_mutex_lock (&counter->lock);
  while (is_synchronous && counter->worker != NULL && !gst_cuda_histo_counter_is_over (counter))
    g_cond_wait (&counter->changed, &counter->lock);
  if (!is_synchronous || counter->worker == NULL)
    g_atomic_int_set (&counter->is_synchronous, is_synchronous);
  g_cond_signal (&counter->wanted);
  g_mutex_unlock (&counter->lock);
}

void
gst_cuda_histo_counter_set_flushing (GstCudaHistoCounter *counter, gboolean flushing)
{
  g_mutex_lock (&counter->lock);
  counter->flushing = flushing;
  g_cond_broadcast (&counter->changed);
  g_mutex_unlock (&counter->lock);
}

gboolean
gst_cuda_histo_counter_is_flushing (GstCudaHistoCounter *counter)
{
  gboolean flushing;

  g_mutex_lock (&counter->lock);
  flushing = counter->flushing;
  g_mutex_unlock (&counter->lock);
  return flushing;
}

static gboolean
gst_cuda_histo_counter_may_add (const GstCudaHistoCounter *counter)
{
  return counter->pending < MIN (counter->max_in_flight, counter->engine_limit);
}

/* Waits until one more frame may be added. *collected: how many frames had left the queue by then.
 * FALSE after a failure, and while flushing. */
static gboolean
gst_cuda_histo_counter_wait_to_add (GstCudaHistoCounter *counter, guint64 *collected)
{
  gboolean is_over;

  g_mutex_lock (&counter->lock);
  while (!gst_cuda_histo_counter_is_over (counter) && !gst_cuda_histo_counter_may_add (counter)
         && gst_cuda_histo_counter_wait (counter))
    ;
  *collected = counter->collected;
  is_over = gst_cuda_histo_counter_is_over (counter);
  g_mutex_unlock (&counter->lock);
  return !is_over;
}

/* Waits until more than `collected` frames have left the queue. FALSE where that cannot happen. */
static gboolean
gst_cuda_histo_counter_wait_for_collect (GstCudaHistoCounter *counter, guint64 collected)
{
  gboolean happened;

  g_mutex_lock (&counter->lock);
  while (counter->collected == collected && counter->pending > 0 && !gst_cuda_histo_counter_is_over (counter)
         && gst_cuda_histo_counter_wait (counter))
    ;
  happened = counter->collected != collected && !gst_cuda_histo_counter_is_over (counter);
  g_mutex_unlock (&counter->lock);
  return happened;
}

/* With submit_lock held. While the thread is idle, appends a large frame that is not submitted: the thread has to wake for its
 * numbers anyway, and submits it then. FALSE: the caller submits it. */
static gboolean
gst_cuda_histo_counter_defer (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  gboolean defers;

  if (counter->is_synchronous || item->frame->frame.memory != HISTO_MEMORY_HOST
      || gst_cuda_histo_item_get_bytes (item) < DEFERRED_BYTES)
    return FALSE;
  g_mutex_lock (&counter->lock);
  defers = counter->idle && counter->in_use == HISTO_BACKEND_CUDA;
  if (defers) {
    item->status = HISTO_ERROR_INVALID; /* until it is submitted */
    g_atomic_pointer_set (&counter->deferred, item);
    gst_cuda_histo_counter_append (counter, item);
  }
  g_mutex_unlock (&counter->lock);
  return defers;
}

gboolean
gst_cuda_histo_counter_add (GstCudaHistoCounter *counter, GstCudaHistoFrame *frame, GstCudaHistoFrame *operand)
{
  GstCudaHistoItem *item = gst_cuda_histo_item_new (ITEM_FRAME);
  enum histo_status status;
  guint64 collected;

  item->frame = frame;
  item->operand = operand != NULL ? gst_cuda_histo_frame_ref (operand) : NULL;

  for (;;) {
    if (!gst_cuda_histo_counter_wait_to_add (counter, &collected)) {
      gst_cuda_histo_item_free (item);
      return FALSE;
    }
    g_mutex_lock (&counter->submit_lock);
    if (counter->engine == NULL) { /* failed a moment ago */
      g_mutex_unlock (&counter->submit_lock);
      continue;
    }
    if (gst_cuda_histo_counter_defer (counter, item)) {
      g_mutex_unlock (&counter->submit_lock);
      return TRUE;
    }
    gst_cuda_histo_counter_submit_deferred (counter);
    status = gst_cuda_histo_counter_submit (counter, item);
    if (status != HISTO_ERROR_BUSY && status != HISTO_ERROR_NO_MEMORY)
      break;
    g_mutex_unlock (&counter->submit_lock);
    /* Each frame that is collected gives a slot and memory back. */
    if (!gst_cuda_histo_counter_wait_for_collect (counter, collected)) {
      if (gst_cuda_histo_counter_is_flushing (counter)) {
        gst_cuda_histo_item_free (item);
        return FALSE;
      }
      g_mutex_lock (&counter->submit_lock);
      break;
    }
  }

  status = gst_cuda_histo_counter_note_refusal (counter, item);
  if (status == HISTO_ERROR_DEVICE)
    counter->engine_status = status; /* the thread finds the frame without a ticket, and decides */
  else if (status != HISTO_OK) {
    gst_cuda_histo_item_free (item);
    item = gst_cuda_histo_item_new (ITEM_FAIL);
    item->status = status;
  }
  g_mutex_lock (&counter->lock);
  gst_cuda_histo_counter_append (counter, item);
  g_mutex_unlock (&counter->lock);
  g_mutex_unlock (&counter->submit_lock);
  if (status == HISTO_OK || status == HISTO_ERROR_DEVICE)
    return TRUE;
  gst_cuda_histo_counter_drain (counter); /* until the failure is reported */
  return FALSE;
}

static void
gst_cuda_histo_counter_append_mark (GstCudaHistoCounter *counter, GstCudaHistoItem *item)
{
  gboolean is_taken;

  g_mutex_lock (&counter->lock); /* and not the other, with which the thread may be submitting */
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
gst_cuda_histo_counter_use_context (GstCudaHistoCounter *counter, GstObject *context)
{
  GstCudaHistoItem *item = gst_cuda_histo_item_new (ITEM_CONTEXT);

  item->context = gst_object_ref (context);
  gst_cuda_histo_counter_append_mark (counter, item);
  return gst_cuda_histo_counter_drain (counter);
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
  gst_cuda_histo_counter_append_mark (counter, item);
}

void
gst_cuda_histo_counter_discard_window (GstCudaHistoCounter *counter, guint64 frames)
{
  GstCudaHistoItem *item = gst_cuda_histo_item_new (ITEM_DISCARD);

  item->frames = frames;
  gst_cuda_histo_counter_append_mark (counter, item);
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

gboolean
gst_cuda_histo_counter_release_frames (GstCudaHistoCounter *counter)
{
  gboolean is_over;

  g_mutex_lock (&counter->lock);
  while (counter->pending > 0 && (counter->is_synchronous || !gst_cuda_histo_counter_is_over (counter))
         && gst_cuda_histo_counter_wait (counter))
    ;
  is_over = gst_cuda_histo_counter_is_over (counter);
  g_mutex_unlock (&counter->lock);
  return !is_over;
}

gboolean
gst_cuda_histo_counter_is_busy (GstCudaHistoCounter *counter)
{
  gboolean is_busy;

  g_mutex_lock (&counter->lock);
  is_busy = !gst_cuda_histo_counter_may_add (counter);
  g_mutex_unlock (&counter->lock);
  return is_busy;
}

void
gst_cuda_histo_counter_set_max_in_flight (GstCudaHistoCounter *counter, guint max_in_flight)
{
  g_mutex_lock (&counter->lock);
  counter->max_in_flight = CLAMP (max_in_flight, 1, GST_CUDA_HISTO_MAX_IN_FLIGHT);
  g_cond_signal (&counter->wanted);
  g_cond_broadcast (&counter->changed);
  g_mutex_unlock (&counter->lock);
}

const gchar *
gst_cuda_histo_counter_get_backend (GstCudaHistoCounter *counter)
{
  const gchar *backend;

  g_mutex_lock (&counter->lock);
  backend = counter->backend;
  g_mutex_unlock (&counter->lock);
  return backend;
}

const gchar *
gst_cuda_histo_counter_get_device (GstCudaHistoCounter *counter)
{
  const gchar *device;

  g_mutex_lock (&counter->lock);
  device = counter->device;
  g_mutex_unlock (&counter->lock);
  return device;
}

gchar *
gst_cuda_histo_counter_take_warning (GstCudaHistoCounter *counter)
{
  gchar *warning;

  g_mutex_lock (&counter->log_lock);
  warning = g_steal_pointer (&counter->warning);
  g_mutex_unlock (&counter->log_lock);
  return warning;
}

GstCudaHistoPinner *
gst_cuda_histo_counter_get_pinner (GstCudaHistoCounter *counter)
{
  return gst_cuda_histo_pinner_ref (counter->pinner);
}

gboolean
gst_cuda_histo_counter_is_on_gpu (GstCudaHistoCounter *counter)
{
  return g_atomic_int_get (&counter->in_use) == HISTO_BACKEND_CUDA;
}
