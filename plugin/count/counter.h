/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The counter: owns the engine and what is in flight in it. The streaming thread adds frames and goes on; a thread of the
 * counter collects the numbers in order, but for those of frames that rest, adds them up and hands each closed window to its
 * owner. While that is idle it also makes the deferred submissions of large frames in system memory to a GPU. When a GPU fails
 * under `auto`, it moves to the CPU with every frame that is not yet counted.
 *
 * Frames and windows are added, and drained, by one thread at a time. */

#ifndef GST_CUDA_HISTO_COUNTER_H
#define GST_CUDA_HISTO_COUNTER_H

#include <cudahisto/histo.h>
#include <gst/gst.h>

#include "frame/frame.h"
#include "frame/pinner.h"
#include "result/damage.h"
#include "result/result.h"

G_BEGIN_DECLS

#define GST_CUDA_HISTO_MAX_IN_FLIGHT 256 /* frames; their buffers are held */

typedef struct _GstCudaHistoCounter GstCudaHistoCounter;

/* A frame that is counted: which part of which buffer it is. */
typedef struct {
  guint part;    /* a GstCudaHistoPart; region i: GST_CUDA_HISTO_PART_REGION + i */
  guint picture; /* index of the picture in its buffer */
  /* Video: bits of components whose rows the frame has from the last to the first; their row sums are turned. */
  guint bottom_up;
  guint light_components; /* video: of the first so many components the mean is light: 1 of Y and GRAY, 3 of R, G and B */
  guint32 added_sums;     /* video: which of GST_CUDA_HISTO_SUM_STATISTICS its window has; each frame has all, or none */
  guint rows_each;        /* video: rows of the frame that one of the picture stands for: 2 of a field, else 1 */
  guint64 frame;          /* video: index of the buffer since the start, from 0 */
  /* Video: those of the buffer; GST_CLOCK_TIME_NONE where unknown. */
  GstClockTime stream_time, running_time, duration;
  gboolean runs_back;              /* video: stream time becomes less from buffer to buffer */
  guint repeats;                   /* video: buffers directly before it that have its timestamp */
  GstClockTime step;               /* video: the least distance of timestamps so far; 0: unknown */
  GstClockTime utc_time;           /* video: when the buffer came, since 1970; GST_CLOCK_TIME_NONE: nobody has asked */
  GstCudaHistoDamage damage;       /* video: what upstream says of the buffer */
  gboolean ends_detection;         /* video: the last frame of the buffer whose numbers the detectors want */
  gboolean rests;                  /* bytes: nobody is woken to collect it, see gst_cuda_histo_counter_add() */
  guint64 weights;                 /* GST_CUDA_HISTO_PART_METERING: the sum of what the samples are multiplied with */
  const struct histo_stats *stats; /* its numbers, where it has been counted */
} GstCudaHistoCounted;

/* Called on the counter's thread, or by whoever waits (gst_cuda_histo_counter_set_synchronous(), and frames that rest), one at
 * a time, in stream order. A callback may call the counter: such a call does not wait. */
typedef struct {
  /* A window is complete; `parts` are its totals, one for each of GST_CUDA_HISTO_MAX_PARTS (no component: nothing of the part
   * was added). Valid during the call. */
  void (*window_closed) (gpointer owner, const GstCudaHistoSource *source, const GstCudaHistoSpan *span,
                         const struct histo_stats *parts, const gchar *backend);
  /* All frames that were added before the mark are counted; both as given to gst_cuda_histo_counter_mark(). */
  void (*mark_reached) (gpointer owner, const GstCudaHistoSource *source, GstCudaHistoEndedBy ended_by);
  /* What was added since the last closed window is forgotten; `frames` as given to discard_window. */
  void (*window_discarded) (gpointer owner, guint64 frames);
  /* One more of the added frames is counted; `counted` and its `stats` are valid during the call. */
  void (*frame_counted) (gpointer owner, const GstCudaHistoCounted *counted);
  /* The GPU failed and the CPU goes on; `reason` in the user's words. At most once in the counter's life. */
  void (*moved_to_cpu) (gpointer owner, const gchar *reason);
  /* Counting is over: later frames are refused. At most once, and before any call returns FALSE. */
  void (*failed) (gpointer owner, enum histo_status status, const gchar *reason);
} GstCudaHistoCounterCallbacks;

/* Opens an engine and starts the thread, which is `owner`'s. NULL with @error (domain GST_RESOURCE_ERROR, the loader's own
 * words) where it cannot. `config->log` is replaced: log lines go to the debug category `log_category`, with `owner` as
 * their object, and the last error among them is the text of errors. `context` is the GstCudaContext to count in, of which a
 * reference is kept, or NULL: the device's own. `max_in_flight` and `parts` are as in the calls that set them;
 * `config->max_in_flight` follows from them. */
GstCudaHistoCounter *gst_cuda_histo_counter_new (const struct histo_config *config, guint max_in_flight, guint parts,
                                                 GstObject *context, const GstCudaHistoCounterCallbacks *callbacks,
                                                 GstElement *owner, GstDebugCategory *log_category, GError **error);

/* While the counter is synchronous its thread rests, and whoever waits for the counter does the work, callbacks included:
 * messages are then posted on the streaming thread, as by other filters, and their handlers may do what they may do there. For
 * the thread that adds frames. A new counter is not synchronous. */
void gst_cuda_histo_counter_set_synchronous (GstCudaHistoCounter *counter, gboolean is_synchronous);

/* Reference counted, for queries and events that come while the owner stops. Of a counter that was started, the last reference
 * goes after gst_cuda_histo_counter_stop(). Any thread. */
GstCudaHistoCounter *gst_cuda_histo_counter_ref (GstCudaHistoCounter *counter);
void gst_cuda_histo_counter_unref (GstCudaHistoCounter *counter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoCounter, gst_cuda_histo_counter_unref)

/* Before the last calls of the thread that stops the counter, when nobody else adds any more. Where that is the counter's own
 * thread, or somebody who is in a callback, it does the work that is left itself, since it cannot wait for itself. */
void gst_cuda_histo_counter_begin_stop (GstCudaHistoCounter *counter);

/* Finishes what is in flight (windows that were closed are still reported) and ends the thread: there are no more
 * callbacks, and nothing can be added. Once. In a callback too: a function of the counter that is in the middle of its work
 * then finds nothing more to do, so its caller keeps a reference. */
void gst_cuda_histo_counter_stop (GstCudaHistoCounter *counter);

/* Whether the caller is in a callback, or on the counter's thread: the streaming thread may be waiting for him. Any thread. */
gboolean gst_cuda_histo_counter_is_own_thread (GstCudaHistoCounter *counter);

/* While flushing nobody waits for the counter, and nothing can be added that would have to wait: the calls that wait return
 * FALSE. What is in the queue is still counted and reported. Any thread. */
void gst_cuda_histo_counter_set_flushing (GstCudaHistoCounter *counter, gboolean flushing);
gboolean gst_cuda_histo_counter_is_flushing (GstCudaHistoCounter *counter);

/* Adds a frame to the open window. One on the GPU is copied to system memory where the GPU has failed by then. Takes
 * the reference to `frame`, keeps one to `operand` (NULL: there is none), copies `what`, whose `stats` is not looked at. The
 * other parts of a picture are added behind it, before the next picture. Waits while max_in_flight pictures, each with its
 * parts, are pending, and while the counter goes over to another context. FALSE, and the frame is in no window, after a failure
 * and while flushing; TRUE does not mean that the engine took the frame: a failure may follow.
 *
 * To wake a thread costs its waker microseconds. A frame that `rests` is not worth that: its numbers are collected by whoever
 * next waits for the counter, in that call, or by the counter's thread when a window is closed behind it. Until then the
 * counter holds the frame, even if it is counted. For frames that the CPU counts. */
gboolean gst_cuda_histo_counter_add (GstCudaHistoCounter *counter, GstCudaHistoFrame *frame, GstCudaHistoFrame *operand,
                                     const GstCudaHistoCounted *what);

/* The same for `count` other parts of the picture that was added last, which the engine gets in one submission, so that a GPU
 * may count them in one launch; in several where it has not so many slots. Takes the references to all frames, keeps those to
 * operands (NULL for a frame without one), copies `what`, each `count` long. After FALSE some may be in the window, and the
 * others are in none. */
gboolean gst_cuda_histo_counter_add_parts (GstCudaHistoCounter *counter, guint count, GstCudaHistoFrame *const *frames,
                                           GstCudaHistoFrame *const *operands, const GstCudaHistoCounted *what);

/* Whether a picture, or one of its parts, would have to wait. */
gboolean gst_cuda_histo_counter_is_busy (GstCudaHistoCounter *counter);

/* Waits until the counter holds no more than `kept` frames, those that were added last: each other is counted, though perhaps
 * not yet reported. Of frames that rest it lets those go, too, that are counted by then, up to the first that is not. FALSE
 * after a failure and while flushing. */
gboolean gst_cuda_histo_counter_release_frames (GstCudaHistoCounter *counter, guint kept);

/* Waits until everything added so far is counted, and goes on in another context, within the open window. Nothing happens where
 * the CPU counts. Under `auto` the CPU goes on where the context cannot be used. The engines of the last few contexts stay
 * open. FALSE after a failure, and while flushing: then nobody waits, but the counter goes over all the same, and a frame that
 * is added later waits for that. */
gboolean gst_cuda_histo_counter_use_context (GstCudaHistoCounter *counter, GstObject *context);

/* Whether frames that are added now are counted in that context, as the last call of the other says, or the start (NULL: in the
 * device's own). For the thread that adds frames. */
gboolean gst_cuda_histo_counter_is_in_context (const GstCudaHistoCounter *counter, const GstObject *context);

/* Sets the weights of a component's row and column sums, for frames that are added later: as in struct histo_weights, gint16;
 * NULL: ones. A frame that is added waits until they are set, which is when all before it are counted. */
void gst_cuda_histo_counter_set_weights (GstCudaHistoCounter *counter, guint component, GBytes *row, GBytes *column);

/* Closes the window: window_closed follows when its frames are counted. Both arguments are copied. Waits while 256 closed
 * windows have yet to be reported. */
void gst_cuda_histo_counter_close_window (GstCudaHistoCounter *counter, const GstCudaHistoSource *source,
                                          const GstCudaHistoSpan *span);

/* Marks a place in the stream: mark_reached follows. `source` is copied. Does not wait. */
void gst_cuda_histo_counter_mark (GstCudaHistoCounter *counter, const GstCudaHistoSource *source, GstCudaHistoEndedBy ended_by);

/* Forgets what was added since the last closed window: window_discarded follows, with `frames`. Does not wait. */
void gst_cuda_histo_counter_discard_window (GstCudaHistoCounter *counter, guint64 frames);

/* Waits until everything added so far is counted and reported; then the counter holds no frame.
 * FALSE after a failure and while flushing. */
gboolean gst_cuda_histo_counter_drain (GstCudaHistoCounter *counter);

/* Changes how many pictures may be pending, 1 .. GST_CUDA_HISTO_MAX_IN_FLIGHT. Where they are more than the engine has slots
 * for, another one takes its place, on the counter's thread, with every frame that is not yet counted. */
void gst_cuda_histo_counter_set_max_in_flight (GstCudaHistoCounter *counter, guint max_in_flight);

/* Sees to it that the engine has slots for so many frames of each picture that may be pending, 1 .. GST_CUDA_HISTO_MAX_PARTS:
 * for itself and for its other parts. Never for fewer than before. */
void gst_cuda_histo_counter_set_parts (GstCudaHistoCounter *counter, guint parts);

/* What counts now: histo_info.backend_name, histo_info.device_name. Static strings. */
const gchar *gst_cuda_histo_counter_get_backend (GstCudaHistoCounter *counter);
const gchar *gst_cuda_histo_counter_get_device (GstCudaHistoCounter *counter);

/* The latest warning from opening an engine, a sentence, or NULL; each is given once. Free with g_free(). */
gchar *gst_cuda_histo_counter_take_warning (GstCudaHistoCounter *counter);

/* Where to get memory that the engine reads fastest; ordinary memory where there is no
 * better. The caller owns the reference. */
GstCudaHistoPinner *gst_cuda_histo_counter_get_pinner (GstCudaHistoCounter *counter);

/* Whether a GPU counts now. */
gboolean gst_cuda_histo_counter_is_on_gpu (GstCudaHistoCounter *counter);

G_END_DECLS

#endif
