/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The counter from within: what its files share. */

#ifndef GST_CUDA_HISTO_COUNTERPRIVATE_H
#define GST_CUDA_HISTO_COUNTERPRIVATE_H

#include "count/counter.h"

G_BEGIN_DECLS

/* Contexts besides the one in use whose engine stays open: frames may come from several decoders in turn. */
#define MAX_PARKED 3

typedef enum { ITEM_FRAME, ITEM_CLOSE, ITEM_DISCARD, ITEM_MARK, ITEM_CONTEXT, ITEM_WEIGHTS, ITEM_FAIL } GstCudaHistoItemKind;

/* Of row and column sums: gint16; NULL: ones. */
typedef struct {
  GBytes *row, *column;
} GstCudaHistoWeights;

/* One entry of the queue between the streaming thread and the counter's. */
typedef struct _GstCudaHistoItem GstCudaHistoItem;
struct _GstCudaHistoItem {
  GstCudaHistoItem *next;
  GstCudaHistoItemKind kind;
  /* ITEM_FRAME */
  GstCudaHistoFrame *frame, *operand; /* operand may be NULL */
  GstCudaHistoCounted what;
  guint64 picture;     /* its number since the start, which its parts share; from 1 */
  histo_ticket ticket; /* 0: no engine has it: its submission is deferred, or failed */
  /* ITEM_CLOSE, and all but the span ITEM_MARK */
  GstCudaHistoSource source;
  GstCudaHistoEndedBy ended_by;
  GstCudaHistoSpan span;
  /* ITEM_DISCARD */
  guint64 frames; /* that ended in what is discarded */
  /* ITEM_CONTEXT: the one to go on in */
  GstObject *context;
  /* ITEM_WEIGHTS */
  guint component;
  GstCudaHistoWeights weights;
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
  struct histo_config config; /* this and the next: the worker's, once the thread runs */
  GstObject *context;         /* the GstCudaContext of config.cuda_context, or NULL */
  GstCudaHistoPinner *pinner; /* of the first engine; good for all that follow */
  GThread *thread;
  /* Where the next frame is to be counted: the `context` of the last ITEM_CONTEXT, be that finished or not. The thread's that
   * adds frames. */
  GstObject *asked_context;

  /* Held to submit, to replace the engine and to append a frame, so that the queue has the order of submission. Only the worker
   * changes `engine`: it reads it without the lock. Taken before `lock`. */
  GMutex submit_lock;
  struct histo_engine *engine;
  enum histo_status engine_status; /* HISTO_OK, or why the engine gets nothing more */
  /* The frame, first in the queue, whose submission is deferred, or NULL. Atomic: the thread looks at it without the lock. */
  GstCudaHistoItem *deferred;

  GMutex lock;
  GCond changed;      /* anything below, for those who wait */
  GCond work_added;   /* the thread has something to do */
  guint waiting;      /* threads that wait for `changed`; signalling costs a system call, whether anybody waits or not */
  gboolean is_asleep; /* the thread waits for `work_added` */
  GstCudaHistoItem *first, *last;
  guint urgent;                                    /* entries of the queue that do not rest */
  guint pending;                                   /* frames in the queue */
  guint pictures;                                  /* of which there are frames in the queue */
  guint64 last_picture;                            /* number of the latest */
  guint8 frames[2 * GST_CUDA_HISTO_MAX_IN_FLIGHT]; /* in the queue, of each of the last pictures, at its number modulo this */
  guint closed;                                    /* windows in the queue */
  guint switches;      /* changes of context or weights in the queue, or being made: no frame is added behind one */
  guint64 collected;   /* frames that left the queue */
  guint max_in_flight; /* pictures, as the user has set it */
  guint parts;         /* frames that a picture may have in the queue */
  guint engine_limit;  /* slots of the engine: histo_info.max_in_flight */
  gint active_backend; /* enum histo_backend. Atomic: each buffer asks */
  const gchar *backend, *device;
  gboolean idle;     /* nothing is in the queue, and no callback runs; the thread may be opening an engine with more slots */
  gboolean stopping; /* end when the queue is empty */
  gboolean ended;    /* the thread has; nothing is added any more */
  gboolean flushing; /* nobody waits */
  gboolean is_synchronous; /* atomic, as above: whoever adds does the thread's work, when he has to wait */
  GThread *worker;         /* who is in the middle of an item, or NULL: the thread, or in its place who waits */
  gboolean failed;

  GMutex log_lock;
  gchar *log_text; /* the last error since an engine opened, or NULL */
  gchar *warning;  /* the last warning that nobody has taken, or NULL */

  /* the worker's own */
  struct histo_stats counted, totals[GST_CUDA_HISTO_MAX_PARTS]; /* of the frame just collected; of the open window */
  GstCudaHistoWeights weights[HISTO_MAX_COMPONENTS];            /* of every engine that is opened */
  guint refused_limit; /* no engine can be opened with so many slots; 0: none has been refused */
  gboolean has_reported_failure;
  GstCudaHistoParkedEngine parked[MAX_PARKED]; /* the latest first; those without an engine last */
};

/* ---- counter.c ------------------------------------------------------------------------------------------------------- */

void gst_cuda_histo_weights_clear (GstCudaHistoWeights *weights);

/* Frees the totals of the open window. */
void gst_cuda_histo_counter_clear_totals (GstCudaHistoCounter *counter);

/* ---- countersubmit.c --------------------------------------------------------------------------------------------- */

GstCudaHistoItem *gst_cuda_histo_item_new (GstCudaHistoItemKind kind);

void gst_cuda_histo_item_free (GstCudaHistoItem *item);

/* With `lock` held. Wakes those who wait for a change. */
void gst_cuda_histo_counter_announce (GstCudaHistoCounter *counter);

/* With `lock` held. Wakes the thread; and only where it has something to do that does not rest. */
void gst_cuda_histo_counter_wake (GstCudaHistoCounter *counter);
void gst_cuda_histo_counter_wake_if_urgent (GstCudaHistoCounter *counter);

/* With `lock` held. Takes the item. */
void gst_cuda_histo_counter_append (GstCudaHistoCounter *counter, GstCudaHistoItem *item);

/* With `lock` held. A frame of picture number `picture` is out of the queue. */
void gst_cuda_histo_counter_remove_frame (GstCudaHistoCounter *counter, guint64 picture);

/* With submit_lock held. Submits `count` frames, 1 .. GST_CUDA_HISTO_MAX_PARTS, all or none of which the engine takes. One that
 * failed once gets nothing more, so that no frame overtakes another. */
enum histo_status gst_cuda_histo_counter_submit (GstCudaHistoCounter *counter, GstCudaHistoItem *const *items, guint count);

/* Notes that a GPU has refused the frames, for want of memory or because one is too large, while nothing was in flight that
 * would free memory. Where the CPU may count, they go there as from a GPU that failed. */
enum histo_status gst_cuda_histo_counter_note_refusal (GstCudaHistoCounter *counter, GstCudaHistoItem *const *items,
                                                       guint count);

/* With submit_lock held. Makes the deferred submission, if there is one: called by whoever
 * comes first, the thread or the next frame. */
void gst_cuda_histo_counter_submit_deferred (GstCudaHistoCounter *counter);

/* With submit_lock held. While the thread is idle, appends a large frame that is not submitted: the thread has to wake for its
 * numbers anyway, and submits it then. FALSE: the caller submits it. */
gboolean gst_cuda_histo_counter_defer (GstCudaHistoCounter *counter, GstCudaHistoItem *item);

/* ---- counterengine.c --------------------------------------------------------------------------------------------- */

/* histo_config.log, with the counter as its data. */
void gst_cuda_histo_counter_log (void *user_data, enum histo_log_level level, const char *message);

/* The last error that the engine logged, else the text for `status`. Free with g_free(). */
gchar *gst_cuda_histo_counter_get_reason (GstCudaHistoCounter *counter, enum histo_status status);

/* Notes what has been opened: what counts now, and how many frames it takes. */
void gst_cuda_histo_counter_use_engine (GstCudaHistoCounter *counter);

/* An engine with the counter's configuration but for these two. NULL where it does not open. */
struct histo_engine *gst_cuda_histo_counter_open_engine (const GstCudaHistoCounter *counter, enum histo_backend backend,
                                                         guint limit);

/* Gives the engine the weights of a component. It has nothing in flight. */
enum histo_status gst_cuda_histo_counter_give_weights (const GstCudaHistoCounter *counter, struct histo_engine *engine,
                                                       guint component);

/* Puts `engine` in the place of the present one, and returns that, which the caller then owns. No frame is in the queue, so
 * neither has anything in flight. */
struct histo_engine *gst_cuda_histo_counter_exchange_engine (GstCudaHistoCounter *counter, struct histo_engine *engine);

/* Opens another engine, in the same context or on the CPU, closes the present one and goes on with the new one, with every
 * frame of the queue. FALSE, and nothing changed, where it does not open. */
gboolean gst_cuda_histo_counter_replace_engine (GstCudaHistoCounter *counter, enum histo_backend backend, guint limit);

/* Closes all parked engines but the latest `n_kept`. */
void gst_cuda_histo_counter_close_parked (GstCudaHistoCounter *counter, guint n_kept);

/* The engine that is parked in a context, which is then not parked any more; NULL: there is none with as many slots as the
 * present one. */
struct histo_engine *gst_cuda_histo_counter_unpark (GstCudaHistoCounter *counter, struct CUctx_st *handle);

/* Parks an engine that has nothing in flight, with its context, for when frames of that context come again. The one
 * that was parked longest ago is closed. */
void gst_cuda_histo_counter_park (GstCudaHistoCounter *counter, struct histo_engine *engine, GstObject *context,
                                  struct CUctx_st *handle);

/* ---- counterwork.c ----------------------------------------------------------------------------------------------- */

/* Does the next thing in line: opens an engine with more slots, or finishes the first item. With `lock` held, which it drops
 * meanwhile. FALSE: there is nothing, or the caller is in the middle of an item, in a callback. */
gboolean gst_cuda_histo_counter_work (GstCudaHistoCounter *counter);

/* With `lock` held. Waits until somebody announces a change. */
void gst_cuda_histo_counter_wait_for_change (GstCudaHistoCounter *counter);

/* Waits for a change. Where the work is the caller's, does some of it instead. With `lock` held. FALSE: nothing will change,
 * because the caller is in the middle of an item and would wait for itself. */
gboolean gst_cuda_histo_counter_wait (GstCudaHistoCounter *counter);

/* The thread's function. */
gpointer gst_cuda_histo_counter_run (gpointer data);

G_END_DECLS

#endif
