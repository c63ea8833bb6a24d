/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Declarations shared by the counter's files. */

#pragma once

#include "count/counter.h"

/* Kinds of entries of the queue. */
typedef enum { ITEM_FRAME, ITEM_CLOSE, ITEM_DISCARD, ITEM_MARK, ITEM_CONTEXT, ITEM_WEIGHTS, ITEM_FAIL } GstCudaHistoItemKind;

/* Weights of row and column sums: gint16. NULL: all 1. */
typedef struct {
  GBytes *row, *column;
} GstCudaHistoWeights;

/* An entry of the queue between the streaming thread and the counter's thread. */
typedef struct _GstCudaHistoItem GstCudaHistoItem;
struct _GstCudaHistoItem {
  GstCudaHistoItem *next;
  GstCudaHistoItemKind kind;
  /* ITEM_FRAME */
  GstCudaHistoFrame *frame, *operand; /* operand may be NULL */
  GstCudaHistoCounted what;
  guint64 picture;     /* number of its picture since the start, from 1; the picture's parts share it */
  histo_ticket ticket; /* 0: not in an engine, because it waits or its submission failed */
  /* ITEM_CLOSE and, without the span, ITEM_MARK */
  GstCudaHistoSource source;
  GstCudaHistoEndedBy ended_by;
  GstCudaHistoSpan span;
  /* ITEM_DISCARD */
  guint64 frames; /* that end in the discarded window */
  /* ITEM_CONTEXT: the next context */
  GstObject *context;
  /* ITEM_WEIGHTS */
  guint component;
  GstCudaHistoWeights weights;
  /* ITEM_FAIL, and ITEM_FRAME without a ticket */
  enum histo_status status;
};

struct _GstCudaHistoCounter {
  gatomicrefcount ref_count;
  GstCudaHistoCounterCallbacks callbacks;
  GstElement *owner;
  GstDebugCategory *category;
  struct histo_config config; /* this and the next: for the worker only, once the thread runs */
  GstObject *context;         /* the GstCudaContext of config.cuda_context, or NULL */
  GstCudaHistoPinner *pinner; /* made with the first engine, usable with all others */
  GThread *thread;
  /* The context of the next added frame: that of the last ITEM_CONTEXT, finished or not. For the thread that adds frames. */
  GstObject *asked_context;

  /* Held to submit, to replace the engine and to append a frame, so that queue order is submission order. Only the worker
   * changes `engine`, and reads it without the lock. Taken before `lock`. */
  GMutex submit_lock;
  struct histo_engine *engine;
  enum histo_status engine_status; /* HISTO_OK, or why the engine accepts no more frames */
  /* The first frame of the queue that is not submitted: it waits for slots or memory. Those after it are not submitted
   * either. NULL: none. Atomic: the thread reads it without the lock. */
  GstCudaHistoItem *waiting_frame;

  GMutex lock;
  GCond changed;      /* signals each change below */
  GCond work_added;   /* wakes the thread */
  guint waiting;      /* threads that wait for `changed`: without them no signal is sent, which would be a system call */
  gboolean is_asleep; /* the thread is waiting for `work_added` */
  GstCudaHistoItem *first, *last;
  guint urgent;         /* entries of the queue without lazy collection */
  guint pending;        /* frames in the queue */
  guint pictures;       /* pictures with frames in the queue */
  guint64 last_picture; /* number of the last picture */
  /* Frames in the queue, for each of the last pictures, at its number modulo the length. */
  guint8 frames[2 * GST_CUDA_HISTO_MAX_IN_FLIGHT];
  guint closed;        /* windows in the queue */
  guint switches;      /* changes of context or weights in the queue or in progress: no frame is added after one */
  guint64 collected;   /* frames that left the queue */
  guint max_in_flight; /* pictures; constant */
  guint parts;         /* largest number of frames of a picture in the queue */
  guint engine_limit;  /* slots of the engine: histo_info.max_in_flight */
  gint active_backend; /* enum histo_backend. Atomic: read for each buffer */
  const gchar *backend, *device;
  gboolean idle;           /* the queue is empty, and no callback runs; the thread may be opening an engine with more slots */
  gboolean stopping;       /* the thread ends when the queue is empty */
  gboolean ended;          /* the thread has ended; nothing can be added */
  gboolean flushing;       /* calls return instead of waiting */
  gboolean is_synchronous; /* atomic, as above: a thread that waits does the work */
  GThread *worker;         /* the thread that is handling an item: the counter's, or one that waits. NULL: none */
  gboolean failed;

  GMutex log_lock;
  gchar *log_text; /* last error since an engine was opened, or NULL */
  gchar *warning;  /* last warning that was not yet taken, or NULL */

  /* for the worker only */
  struct histo_stats counted, totals[GST_CUDA_HISTO_MAX_PARTS]; /* of the last collected frame; of the open window */
  GstCudaHistoWeights weights[HISTO_MAX_COUNTED];               /* set in each engine when it is opened */
  guint refused_limit; /* number of slots with which an engine could not be opened; 0: none */
  gboolean has_reported_failure;
};

/* Each file calls only functions of the files above it. */

/* ---- counterqueue.c -------------------------------------------------------------------------------------------------- */

void gst_cuda_histo_weights_clear (GstCudaHistoWeights *weights);

GstCudaHistoItem *gst_cuda_histo_item_new (GstCudaHistoItemKind kind);

void gst_cuda_histo_item_free (GstCudaHistoItem *item);

/* Returns the first frame after `item` or, if that is NULL, the first of the queue. NULL: none. */
GstCudaHistoItem *gst_cuda_histo_counter_get_next_frame (GstCudaHistoCounter *counter, const GstCudaHistoItem *item);

/* Wakes the threads that wait for a change. With `lock` held. */
void gst_cuda_histo_counter_announce (GstCudaHistoCounter *counter);

/* Wakes the thread if it has work without lazy collection. With `lock` held. */
void gst_cuda_histo_counter_wake (GstCudaHistoCounter *counter);
void gst_cuda_histo_counter_wake_if_urgent (GstCudaHistoCounter *counter);

/* Takes the item. With `lock` held. */
void gst_cuda_histo_counter_append (GstCudaHistoCounter *counter, GstCudaHistoItem *item);

/* Removes the first item, `item`, from the queue. */
void gst_cuda_histo_counter_pop (GstCudaHistoCounter *counter, GstCudaHistoItem *item);

/* Removes a frame of picture number `picture` from the counts of the queue. With `lock` held. */
void gst_cuda_histo_counter_remove_frame (GstCudaHistoCounter *counter, guint64 picture);

/* ---- counterengine.c --------------------------------------------------------------------------------------------- */

/* histo_config.log, with the counter as its data. */
void gst_cuda_histo_counter_log (void *user_data, enum histo_log_level level, const char *message);

/* Returns the engine's last logged error, or the text for `status`. Free with g_free(). */
gchar *gst_cuda_histo_counter_get_reason (GstCudaHistoCounter *counter, enum histo_status status);

/* Stores the backend, device and number of slots of the opened engine. */
void gst_cuda_histo_counter_use_engine (GstCudaHistoCounter *counter);

/* Opens an engine with the counter's configuration except these two. NULL if it does not open. */
struct histo_engine *gst_cuda_histo_counter_open_engine (const GstCudaHistoCounter *counter, enum histo_backend backend,
                                                         guint limit);

/* Sets the weights of a component in the engine, which has nothing in flight. */
enum histo_status gst_cuda_histo_counter_give_weights (const GstCudaHistoCounter *counter, struct histo_engine *engine,
                                                       guint component);

/* Replaces the engine by `engine` and returns the old one, which the caller then owns. No frame is in the queue, so neither has
 * anything in flight. */
struct histo_engine *gst_cuda_histo_counter_exchange_engine (GstCudaHistoCounter *counter, struct histo_engine *engine);

/* ---- countersubmit.c: with submit_lock held, except the last --------------------------------------------------------- */

/* Submits a picture's frames, which are not in the queue: the picture, then the others in one submission, up to the number of
 * free slots, 1 or more. *submitted: number of frames in the engine. With HISTO_OK the rest has to wait. */
enum histo_status gst_cuda_histo_counter_submit_picture (GstCudaHistoCounter *counter, GstCudaHistoItem *const *items,
                                                         guint count, guint free_slots, guint *submitted);

/* Submits the waiting frames of the queue. `is_first`: the first of them is the first of the queue, so that no frame in flight
 * would free slots or memory. HISTO_ERROR_BUSY and HISTO_ERROR_NO_MEMORY: some still wait. After another failure the thread
 * handles them: the engine refuses a submission as a whole, so its first frame has the failure, whichever frame caused it. */
enum histo_status gst_cuda_histo_counter_submit_waiting (GstCudaHistoCounter *counter, gboolean is_first);

/* Notes that a GPU refused the frames because they are too large or memory is short, while no frame in flight would free
 * memory. If the CPU may count, they move there as after a failure of the GPU. */
enum histo_status gst_cuda_histo_counter_note_refusal (GstCudaHistoCounter *counter, GstCudaHistoItem *const *items,
                                                       guint count);

/* Opens another engine, in the same context or on the CPU, closes the old one, and moves every frame of the queue. FALSE if it
 * does not open; nothing has changed. */
gboolean gst_cuda_histo_counter_replace_engine (GstCudaHistoCounter *counter, enum histo_backend backend, guint limit);

/* ---- counterwork.c ----------------------------------------------------------------------------------------------- */

/* Does the next step: opens an engine with more slots, or finishes the first item. With `lock` held, which it drops meanwhile.
 * FALSE: there is no work, or the caller is handling an item, in a callback. */
gboolean gst_cuda_histo_counter_work (GstCudaHistoCounter *counter);

/* Waits for gst_cuda_histo_counter_announce(). With `lock` held. */
void gst_cuda_histo_counter_wait_for_change (GstCudaHistoCounter *counter);

/* Waits for a change, or does some of the work if that is the caller's. With `lock` held. FALSE: the caller is handling an item
 * and would wait for itself. */
gboolean gst_cuda_histo_counter_wait (GstCudaHistoCounter *counter);

/* Frees the totals of the open window. */
void gst_cuda_histo_counter_clear_totals (GstCudaHistoCounter *counter);

/* Works until the counter stops, on its thread. */
void gst_cuda_histo_counter_run (GstCudaHistoCounter *counter);
