/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The counter owns the engine and the frames in flight. The streaming thread adds frames and continues. The counter's thread
 * collects the numbers in order (except those of lazily collected frames), adds them up, and passes each closed window to the
 * owner. It also submits frames that waited for a slot or for memory. If a GPU fails with backend=auto, the counter moves to
 * the CPU with every frame that is not yet counted.
 *
 * One thread at a time adds frames and windows, and drains. */

#pragma once

#include <cudahisto/histo.h>
#include <gst/gst.h>

#include "frame/frame.h"
#include "frame/pinner.h"
#include "result/damage.h"
#include "result/result.h"

#define GST_CUDA_HISTO_MAX_IN_FLIGHT 8 /* largest number of pending pictures, whose buffers may be held */

typedef struct _GstCudaHistoCounter GstCudaHistoCounter;

/* The place of a counted frame: a part of a buffer. */
typedef struct {
  guint part;    /* a GstCudaHistoPart; region i: GST_CUDA_HISTO_PART_REGION + i */
  guint picture; /* index of the picture in its buffer */
  /* Video: bits of components that are stored from the last row to the first. Their row sums are reversed. */
  guint bottom_up;
  guint n_derived;        /* video: as in GstCudaHistoSource */
  guint light_components; /* video: number of components whose mean is brightness: 1 of Y, GRAY and luma, 3 of R, G and B */
  guint32 added_sums;     /* video: the GST_CUDA_HISTO_SUM_STATISTICS of its window; all its frames have the same */
  guint rows_each;        /* video: rows of the frame for each row of the picture: 2 in a field, otherwise 1 */
  guint64 frame;          /* video: index of the buffer since the start, from 0 */
  /* Video: those of the buffer. GST_CLOCK_TIME_NONE: unknown. */
  GstClockTime stream_time, running_time, duration;
  gboolean runs_back;              /* video: stream time decreases from buffer to buffer */
  guint repeats;                   /* video: buffers directly before it with the same timestamp */
  GstClockTime step;               /* video: the least distance of timestamps so far; 0: unknown */
  GstClockTime utc_time;           /* video: arrival of the buffer, since 1970; GST_CLOCK_TIME_NONE: not needed */
  GstCudaHistoDamage damage;       /* video: upstream's report on the buffer */
  gboolean ends_detection;         /* video: the buffer's last frame with numbers for the detectors */
  gboolean is_lazy;                /* bytes: lazy collection; see gst_cuda_histo_counter_add() */
  guint64 weights;                 /* GST_CUDA_HISTO_PART_METERING: sum of the weights of the samples */
  const struct histo_stats *stats; /* its numbers, once counted */
} GstCudaHistoCounted;

/* Callbacks. They run one at a time, in stream order, on the counter's thread or on a thread that waits for the counter
 * (gst_cuda_histo_counter_set_synchronous(), and lazy collection). A callback may call the counter; such a call does not
 * wait. */
typedef struct {
  /* A window is complete. `parts` are its totals, GST_CUDA_HISTO_MAX_PARTS of them. A part without components had no frames.
   * Valid during the call. */
  void (*window_closed) (gpointer owner, const GstCudaHistoSource *source, const GstCudaHistoSpan *span,
                         const struct histo_stats *parts, const gchar *backend);
  /* All frames before the mark are counted. The arguments are those of gst_cuda_histo_counter_mark(). */
  void (*mark_reached) (gpointer owner, const GstCudaHistoSource *source, GstCudaHistoEndedBy ended_by);
  /* The frames since the last closed window were discarded. `frames` is the argument of
   * gst_cuda_histo_counter_discard_window(). */
  void (*window_discarded) (gpointer owner, guint64 frames);
  /* An added frame is counted. `counted` and its `stats` are valid during the call. */
  void (*frame_counted) (gpointer owner, const GstCudaHistoCounted *counted);
  /* The GPU failed, and the CPU continues. `reason` is a text for users. At most once. */
  void (*moved_to_cpu) (gpointer owner, const gchar *reason);
  /* Counting has failed: later frames are refused. At most once, and before any call returns FALSE. */
  void (*failed) (gpointer owner, enum histo_status status, const gchar *reason);
} GstCudaHistoCounterCallbacks;

/* Opens an engine and starts the thread, which belongs to `owner`. Returns NULL with @error (domain GST_RESOURCE_ERROR, the
 * loader's text) if that fails. `config->log` is replaced: log lines go to the debug category `log_category` with `owner` as
 * their object, and the last error among them is the text of errors. `context` is the GstCudaContext to count in; NULL: the
 * device's own. The counter keeps a reference. `max_in_flight` is the number of pictures that may be pending, 1 ..
 * GST_CUDA_HISTO_MAX_IN_FLIGHT; `parts` as in gst_cuda_histo_counter_set_parts(). They determine `config->max_in_flight`. */
GstCudaHistoCounter *gst_cuda_histo_counter_new (const struct histo_config *config, guint max_in_flight, guint parts,
                                                 GstObject *context, const GstCudaHistoCounterCallbacks *callbacks,
                                                 GstElement *owner, GstDebugCategory *log_category, GError **error);

/* In synchronous mode the counter's thread sleeps, and the thread that waits for the counter does its work and runs the
 * callbacks. Messages are then posted on the streaming thread, as in other filters, and handlers may do whatever is allowed on
 * that thread. Call this on the thread that adds frames. A new counter is not synchronous. */
void gst_cuda_histo_counter_set_synchronous (GstCudaHistoCounter *counter, gboolean is_synchronous);

/* Reference counted, for queries and events during the owner's stop. The last reference to a started counter is dropped after
 * gst_cuda_histo_counter_stop(). Any thread. */
GstCudaHistoCounter *gst_cuda_histo_counter_ref (GstCudaHistoCounter *counter);
void gst_cuda_histo_counter_unref (GstCudaHistoCounter *counter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoCounter, gst_cuda_histo_counter_unref)

/* Call this before the final calls of the thread that stops the counter, when no other thread adds frames. If that is the
 * counter's own thread, or a thread in a callback, it does the remaining work itself, since it cannot wait for itself. */
void gst_cuda_histo_counter_begin_stop (GstCudaHistoCounter *counter);

/* Finishes the frames in flight, reports closed windows, and ends the thread. Afterwards there are no callbacks, and nothing
 * can be added. Call it once; a callback may call it. A counter function that is running then finds no more work, so its caller
 * has to keep a reference. */
void gst_cuda_histo_counter_stop (GstCudaHistoCounter *counter);

/* Whether the caller is in a callback or on the counter's thread. The streaming thread may then be waiting for it. Any
 * thread. */
gboolean gst_cuda_histo_counter_is_own_thread (GstCudaHistoCounter *counter);

/* While flushing, functions that would wait for the counter return FALSE, and frames that would have to wait are refused.
 * Queued frames are still counted and reported. Any thread. */
void gst_cuda_histo_counter_set_flushing (GstCudaHistoCounter *counter, gboolean flushing);
gboolean gst_cuda_histo_counter_is_flushing (GstCudaHistoCounter *counter);

/* A frame to count. */
typedef struct {
  GstCudaHistoFrame *frame;   /* owned */
  GstCudaHistoFrame *operand; /* owned; NULL: none */
  GstCudaHistoCounted what;
} GstCudaHistoEntry;

/* Adds a picture, entries[0], and its other parts to the open window: all or none, except that a picture whose other parts the
 * engine refuses may still be counted (frame_counted) before `failed`. `count` is 1 .. GST_CUDA_HISTO_MAX_PARTS.
 * Takes the frames and operands of all entries, and copies `what` except `stats`. The engine gets the other parts in one
 * submission, so that a GPU may count them in one launch. It gets them later if slots or memory are short. If the GPU has
 * failed, frames in its memory are copied to system memory. Waits while max_in_flight pictures with their parts are pending,
 * and while the counter changes context. Returns FALSE after a failure and while flushing: the frames are in no window. TRUE
 * does not mean that the engine accepted the frames: a failure may follow.
 *
 * Waking a thread costs microseconds. Frames with `is_lazy` are collected without that: by the next call that waits for the
 * counter, or by the counter's thread when a later window is closed. Until then the counter holds the frame, even if it is
 * counted. For frames that the CPU counts. */
gboolean gst_cuda_histo_counter_add (GstCudaHistoCounter *counter, const GstCudaHistoEntry *entries, guint count);

/* Whether a picture would have to wait. */
gboolean gst_cuda_histo_counter_is_busy (GstCudaHistoCounter *counter);

/* Waits until the counter holds at most the last `kept` frames. All others are counted, though perhaps not yet reported. Also
 * releases lazily collected frames that are already counted, up to the first that is not. FALSE after a failure and while
 * flushing. */
gboolean gst_cuda_histo_counter_release_frames (GstCudaHistoCounter *counter, guint kept);

/* Waits until all added frames are counted, and continues in another context, within the open window. No effect if the CPU
 * counts. With backend=auto, the CPU continues if the context cannot be used. The engine of the previous context is closed.
 * FALSE after a failure and while flushing. While flushing it does not wait, but the change still happens, and later frames
 * wait for it. */
gboolean gst_cuda_histo_counter_use_context (GstCudaHistoCounter *counter, GstObject *context);

/* Whether added frames are counted in that context, set by the last gst_cuda_histo_counter_use_context() or at the start (NULL:
 * the device's own). For the thread that adds frames. */
gboolean gst_cuda_histo_counter_is_in_context (const GstCudaHistoCounter *counter, const GstObject *context);

/* Sets the weights of a component's row and column sums for later frames: gint16, as in struct histo_weights. NULL: all 1. They
 * are set when all earlier frames are counted. Later frames wait for that. */
void gst_cuda_histo_counter_set_weights (GstCudaHistoCounter *counter, guint component, GBytes *row, GBytes *column);

/* Closes the window. window_closed follows when its frames are counted. Copies both arguments. Waits while 256 closed windows
 * are not yet reported. */
void gst_cuda_histo_counter_close_window (GstCudaHistoCounter *counter, const GstCudaHistoSource *source,
                                          const GstCudaHistoSpan *span);

/* Marks a place in the stream. mark_reached follows. Copies `source`. Does not wait. */
void gst_cuda_histo_counter_mark (GstCudaHistoCounter *counter, const GstCudaHistoSource *source, GstCudaHistoEndedBy ended_by);

/* Discards the frames since the last closed window. window_discarded follows, with `frames`. Does not wait. */
void gst_cuda_histo_counter_discard_window (GstCudaHistoCounter *counter, guint64 frames);

/* Waits until everything added is counted and reported. The counter then holds no frame. FALSE after a failure and while
 * flushing. */
gboolean gst_cuda_histo_counter_drain (GstCudaHistoCounter *counter);

/* Sets the largest number of frames of a pending picture, its parts included, 1 .. GST_CUDA_HISTO_MAX_PARTS. If the engine has
 * too few slots for them, the counter's thread replaces it and moves every frame that is not yet counted. A smaller number than
 * before has no effect. */
void gst_cuda_histo_counter_set_parts (GstCudaHistoCounter *counter, guint parts);

/* The backend and device in use: histo_info.backend_name, histo_info.device_name. Static strings. */
const gchar *gst_cuda_histo_counter_get_backend (GstCudaHistoCounter *counter);
const gchar *gst_cuda_histo_counter_get_device (GstCudaHistoCounter *counter);

/* Returns the last warning from opening an engine, once, or NULL. Free with g_free(). */
gchar *gst_cuda_histo_counter_take_warning (GstCudaHistoCounter *counter);

/* Returns the source of the memory that the engine reads fastest, or of ordinary memory. The caller owns the reference. */
GstCudaHistoPinner *gst_cuda_histo_counter_get_pinner (GstCudaHistoCounter *counter);

/* Whether a GPU is counting. */
gboolean gst_cuda_histo_counter_is_on_gpu (GstCudaHistoCounter *counter);
