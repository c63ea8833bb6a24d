/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Declarations shared by the element's files. A heading names the file that defines the functions below it. "FALSE after a
 * failure" means that an element error was posted, and that later buffers are refused. */

#ifndef GST_CUDA_HISTO_PRIVATE_H
#define GST_CUDA_HISTO_PRIVATE_H

#include "common/debug.h"
#include "common/post.h"
#include "common/timestamps.h"
#include "compare/reference.h"
#include "count/activepicture.h"
#include "count/counter.h"
#include "count/distances.h"
#include "count/ledger.h"
#include "count/position.h"
#include "count/window.h"
#include "detect/detectors.h"
#include "element.h"
#include "frame/framemap.h"
#include "frame/metermap.h"
#include "frame/region.h"
#include "frame/sharedcontext.h"
#include "frame/weights.h"
#include "input/gather.h"
#include "input/puller.h"
#include "notices.h"
#include "result/schema.h"
#include "result/sidecar.h"
#include "settings.h"

G_BEGIN_DECLS

struct _GstCudaHisto {
  GstBaseTransform parent;

  /* under the object lock */
  GstCudaHistoSettings settings;
  gchar *sidecar_location;
  gchar *regions_text; /* the property `regions` */
  gchar *regions_used; /* its last valid value since the start */
  gchar *reference_location;
  gchar *row_weights_location, *column_weights_location;
  gchar *weights_location;
  gchar *input_name;
  const gchar *active_backend, *active_device; /* static strings */
  gchar *refusal;            /* last message about refused raw video; NULL: none since the start or the last change of caps */
  gboolean refusal_is_fatal; /* the message was an error, not a warning */

  /* Any thread: each has its own lock. */
  GstCudaHistoSharedContext shared;
  GstCudaHistoLedger ledger;

  /* atomic */
  gint is_started;         /* changes under the sink pad's stream lock, which serialized queries and events hold */
  gint settings_changed;   /* the streaming thread has not seen `settings` */
  gint has_failed;         /* an element error was posted; buffers are refused */
  gint takes_cuda;         /* while started: frames on the GPU are accepted */
  gint is_pulling;         /* from the puller's start to its stop */
  gint is_before_fakesink; /* linked directly to a fakesink that does not report its buffers */
  gint sidecar_check;      /* a GstCudaHistoSidecarCheck */
  gint stops;              /* number of stops */
  gint breaks;             /* number of stops and finished flushes */
  gint flushes_reference;  /* do not wait for frames of the reference. Changes under the object lock */
  gint has_unknown_end;    /* timestamps did not give the length of an event */
  gint is_like_start;      /* the last counted buffer equals the one at which a freeze may have begun */
  gpointer starter;        /* the GThread that starts the element, or NULL */

  gboolean is_start_refused; /* for the starting thread: a handler of a message has requested another state */

  /* For the lifetime of the element. */
  GstCudaHistoSidecar *sidecar; /* open from start to stop */
  GstCudaHistoPuller *puller;
  GstPadActivateModeFunction activate_sink_in_base; /* the base class's functions */
  GstPadEventFunction receive_event_in_base;        /* of the sink pad */

  /* From start to stop, for the streaming thread. Other threads take a reference to the counter under the object lock. */
  GstCudaHistoCounter *counter;
  GstAllocator *frame_allocator, *byte_allocator; /* of the memory that the counter reads fastest */
  GstCudaHistoGather *gather;
  gchar *reference_used; /* `reference_location` at the start, or NULL. Until the next start */
  gboolean has_compared; /* its size has matched once */

  /* From the first caps of video to stop. Other threads use it under the object lock. */
  GstCudaHistoReference *reference;

  /* For the streaming thread. `active` is `settings` at the start, with later changes of properties that may change while
   * playing. */
  GstCudaHistoSettings active;

  /* The counted data, for the present caps. */
  gboolean is_configured; /* the following fields are valid */
  GstCaps *caps;          /* NULL: bytes without caps */
  GstVideoInfo info;      /* video only */
  gboolean is_cuda;       /* the caps are of frames on the GPU */
  GstCudaHistoSource source;
  GArray *row_weights, *column_weights; /* gint16; from start to stop; NULL: all 1 */
  gboolean has_weights;                 /* either of them; from start to stop */
  struct histo_frame weighted;          /* components and planes of the last frame for which weights were set */
  guint weighted_bottom_up;             /* its planes that are stored from the last row to the first */
  GstCudaHistoMeterMap *meter_map;      /* from start to stop; NULL: the weights follow from `metering` */
  gboolean meters;                      /* each picture is also counted with weights */
  GstCudaHistoFrame *meter;             /* last used weights, or NULL */
  GstObject *meter_context;             /* their GstCudaContext, if they are on the GPU */
  guint64 meter_sum;                    /* their sum */
  GstCudaHistoRegions asked_regions;    /* from the property, while started */
  GstCudaHistoRegions regions;          /* of the open window, and of the next buffer unless it has others */
  guint32 statistics;                   /* requested for each frame: bits of enum histo_statistic */
  gboolean has_previous;                /* each frame is compared with the previous one */
  GstCudaHistoEvents events;            /* events to detect */
  gboolean measures_previous;           /* FALSE: frames are compared only for freezes */

  /* The place in the stream. */
  GstCudaHistoWindow window;
  GstCudaHistoOrigin origin;   /* of the open window */
  gboolean has_partial_buffer; /* the open window has a part of a buffer whose other part was refused */
  GstCudaHistoFrame *previous[GST_CUDA_HISTO_MAX_PICTURES]; /* for each picture: the operand of the next, or NULL */
  /* For each picture: the frame at which a freeze may have begun, or NULL. */
  GstCudaHistoFrame *freeze_starts[GST_CUDA_HISTO_MAX_PICTURES];
  GstCudaHistoRegions previous_regions; /* regions counted in those pictures */
  guint64 next_frame;                   /* index of the next buffer */
  GstCudaHistoPosition latest;          /* of the last buffer */
  GstCudaHistoTimestamps timestamps;    /* of the timeline's buffers */
  guint32 stream_seqnum;                /* of its STREAM_START; 0: none yet. This and the next two outlive a stop */
  guint64 stream_frames;                /* number of its buffers */
  DecodingTimeline stream_line;         /* their timeline */
  guint64 next_offset;                  /* bytes: position of the next buffer, if the buffer has none */
  gboolean has_stream;                  /* buffers that were on their way at a stop can no longer arrive */

  /* The buffer that is being counted. */
  GstBuffer *input;             /* borrowed: the buffer as it arrived, while it is transformed */
  GstCudaHistoCounted counting; /* description of its frames for the counter */
  GstCudaHistoDamage damage;    /* of the next buffer, and before it */
  gboolean is_unaccounted;      /* not yet in a window or skipped */
  gboolean holds_buffers;       /* the counter may still hold it when it goes on */
  gboolean awaits_release;      /* the counter has to release it before it goes on */

  GstClockTime line_time;         /* stream time of `input` in `stream_line` */
  GstCudaHistoFrame *counterpart; /* the reference's frame to compare it with, or NULL */

  GstCudaHistoNotices notices;

  /* Of the frames' histograms since the last closed window. For the thread that does the counter's work. */
  GstCudaHistoDistances distances;
  /* Of metered samples since the last closed window. */
  guint64 metered_weights;
  GstCudaHistoActivePicture active_pictures[GST_CUDA_HISTO_MAX_PARTS]; /* of their frames, if measured */

  /* For the thread that does the counter's work. */
  GstCudaHistoDetectors detectors;
  GstCudaHistoFindings flushed; /* events ended by a flush and not yet reported */

  /* Results of the windows since the last drain: owned GstStructure for the meta. Added on the thread that does the counter's
   * work, taken by the streaming thread while the counter is idle. */
  GQueue structures;
};

/* Whether a neighbour also uses the sidecar's file. */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_UNCHECKED,
  GST_CUDA_HISTO_SIDECAR_NO_CONFLICT,
  GST_CUDA_HISTO_SIDECAR_CONFLICT
} GstCudaHistoSidecarCheck;

/* Posts an element error, then refuses buffers. In the other order, upstream could be first to post an error, which is less
 * specific. A handler of the error may stop and restart the element. Takes `text` and `detail`. */
#define gst_cuda_histo_fail(self, domain, code, text, detail)                  \
  G_STMT_START                                                                 \
  {                                                                            \
    const gint fail_stops = g_atomic_int_get (&(self)->stops);                 \
    gst_cuda_histo_post (self, GST_MESSAGE_ERROR, domain, code, text, detail); \
    if (fail_stops == g_atomic_int_get (&(self)->stops))                       \
      g_atomic_int_set (&(self)->has_failed, TRUE);                            \
  }                                                                            \
  G_STMT_END

/* ---- gstcudahisto.c ------------------------------------------------------------------------------------------------- */

/* The parent class. */
extern GstBaseTransformClass *gst_cuda_histo_base_class;

/* Sets `active-backend` and `active-device`, and notifies. Any thread. `counter` NULL: nothing counts. */
void gst_cuda_histo_notify_backend (GstCudaHisto *self, GstCudaHistoCounter *counter);

/* ---- start.c -------------------------------------------------------------------------------------------------------- */

gboolean gst_cuda_histo_start (GstBaseTransform *base);
gboolean gst_cuda_histo_stop (GstBaseTransform *base);
GstStateChangeReturn gst_cuda_histo_change_state (GstElement *element, GstStateChange transition);

/* ---- context.c ------------------------------------------------------------------------------------------------------ */

/* Whether frames on the GPU are accepted; while stopped, whether they may be. Any thread. */
gboolean gst_cuda_histo_takes_cuda (GstCudaHisto *self);

/* If the process has loaded GStreamer's CUDA library, counts in the context that neighbours share, or makes one, which elements
 * that start later can query. Otherwise loads nothing, and the engine opens its own context. */
void gst_cuda_histo_look_for_context (GstCudaHisto *self);

void gst_cuda_histo_set_context (GstElement *element, GstContext *context);

/* Before each frame on the GPU: changes to `context`, a neighbour's, if it is not the present one. FALSE after a failure, and
 * while flushing. */
gboolean gst_cuda_histo_follow_context (GstCudaHisto *self, GstObject *context);

/* Before the first frame on the GPU. FALSE after a failure, and while flushing. */
gboolean gst_cuda_histo_prepare_for_cuda (GstCudaHisto *self);

/* ---- sidecaruse.c --------------------------------------------------------------------------------------------------- */

void gst_cuda_histo_init_sidecar (GstCudaHisto *self);

/* Opens the sidecar, if requested, without changing existing contents. FALSE after a failure. */
gboolean gst_cuda_histo_open_sidecar (GstCudaHisto *self);

/* Starts the sidecar. FALSE after a failure; then close it. */
gboolean gst_cuda_histo_start_sidecar (GstCudaHisto *self);

/* Before the first line, and before the file is emptied: checks the neighbours again, which have opened their files by now and
 * may have changed since the start. FALSE: do not write to the sidecar. */
gboolean gst_cuda_histo_check_sidecar (GstCudaHisto *self);

void gst_cuda_histo_close_sidecar (GstCudaHisto *self);

/* The signal `reopen-sidecar`. */
gboolean gst_cuda_histo_reopen_sidecar (GstCudaHisto *self);

/* ---- activation.c --------------------------------------------------------------------------------------------------- */

void gst_cuda_histo_init_pads (GstCudaHisto *self);

/* Checks the downstream link. Sets and returns `is_before_fakesink`: then downstream does not see the sizes of buffers or write
 * to them. Called when the pads are activated, which decides on pull mode, and whenever a link there changes, which decides on
 * holding buffers. */
gboolean gst_cuda_histo_look_downstream (GstCudaHisto *self);

/* ---- queries.c ------------------------------------------------------------------------------------------------------ */

GstCaps *gst_cuda_histo_transform_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter);
void gst_cuda_histo_forget_refusal (GstCudaHisto *self);
gboolean gst_cuda_histo_accept_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps);
gboolean gst_cuda_histo_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query);
gboolean gst_cuda_histo_propose_allocation (GstBaseTransform *base, GstQuery *decide_query, GstQuery *query);

/* ---- events.c ------------------------------------------------------------------------------------------------------- */

GstFlowReturn gst_cuda_histo_receive_event (GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_cuda_histo_sink_event (GstBaseTransform *base, GstEvent *event);
gboolean gst_cuda_histo_src_event (GstBaseTransform *base, GstEvent *event);
gboolean gst_cuda_histo_send_event (GstElement *element, GstEvent *event);

/* The puller's callback at the end of a segment. */
void gst_cuda_histo_report_segment (GstElement *element);

/* ---- windows.c: on the streaming thread -----------------------------------------------------------------------------
 *
 * A handler of a message or notification posted by these functions may flush, stop and restart the element. So callers keep a
 * reference to the counter, and after each call that may post they compare `breaks` before they use the stream's fields. */

/* Decides on the data to count and the windows, for `caps` (NULL: bytes). No window is open. FALSE with an element error if
 * impossible; nothing has changed. FALSE also if a handler of a message has stopped the element. */
gboolean gst_cuda_histo_configure (GstCudaHisto *self, GstCaps *caps);

/* Adds the buffer, or the part of it that ends at `offset` + `size`, to the window, and closes the window if it is complete.
 * FALSE after a failure. */
gboolean gst_cuda_histo_add_to_window (GstCudaHisto *self, GstCudaHistoPosition *position, guint64 size, gboolean starts_buffer,
                                       gboolean ends_buffer, gboolean *closed);

/* Closes the window early; the stream continues with the same kind of picture. FALSE after a failure. */
gboolean gst_cuda_histo_divide_stream (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* Closes the window early, ends open events and drops the operands of the next frame. FALSE after a failure. */
gboolean gst_cuda_histo_end_window_early (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* Discards everything since the last closed window, for a flush. */
void gst_cuda_histo_discard_window (GstCudaHisto *self);

/* Whether a handler of a message has flushed or stopped the element since `breaks` was read. Frames added since then belong to
 * the old stream and are discarded. */
gboolean gst_cuda_histo_was_interrupted (GstCudaHisto *self, gint breaks);

/* Reports everything so far. */
void gst_cuda_histo_report_all (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* ---- statistics.c: on the streaming thread --------------------------------------------------------------------------- */

/* Returns the names of GstCudaHistoStatistics: "saturation, hue". Free with g_free(). Any thread. */
gchar *gst_cuda_histo_name_statistics (guint32 statistics);

/* Sets the statistics of each frame for the present caps and the visible size in `source`. Warns of statistics that were
 * requested by name and are not available. */
void gst_cuda_histo_choose_statistics (GstCudaHisto *self);

/* Returns the number of columns of waveforms: the user's, or that of the picture. */
guint gst_cuda_histo_get_waveform_columns (GstCudaHisto *self);

/* Warns once that buffers without a previous one of equal size have no operand. */
void gst_cuda_histo_warn_of_unequal_sizes (GstCudaHisto *self);

/* ---- parts.c: on the streaming thread -------------------------------------------------------------------------------- */

/* Returns the number of frames of a picture in the counter, its parts included: at least those that the settings and the
 * regions need. */
guint gst_cuda_histo_get_part_count (GstCudaHisto *self);

/* Reads the property `regions`. FALSE with @error if it is invalid. While started, the property and the regions then return to
 * the last valid value. */
gboolean gst_cuda_histo_take_regions (GstCudaHisto *self, GError **error);

/* Warns once that a byte stream has no regions. */
void gst_cuda_histo_check_regions (GstCudaHisto *self);

/* Finds the regions of a buffer whose visible size is in `source`. If they differ from those of the open window, ends the
 * window. */
void gst_cuda_histo_choose_regions (GstCudaHisto *self, GstBuffer *buffer);

/* Adds the other parts of a picture to the counter, behind it. `frame` and `operand` are the picture's. FALSE after a
 * failure. */
gboolean gst_cuda_histo_count_parts (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *frame,
                                     GstCudaHistoFrame *operand, const GstCudaHistoCounted *picture);

/* ---- comparison.c --------------------------------------------------------------------------------------------------- */

/* Starts to read the reference, if requested, in the format of the present caps. On the streaming thread. FALSE after a
 * failure, and if a handler of a message has stopped the element. */
gboolean gst_cuda_histo_choose_reference (GstCudaHisto *self);

/* Finds the reference's frame for a buffer of `count` pictures, and waits for it. On the streaming thread. FALSE after a
 * failure, and while flushing. */
gboolean gst_cuda_histo_find_counterpart (GstCudaHisto *self, GstCudaHistoFrame *const *frames, guint count);

/* Adds that frame to the counter, behind its picture. FALSE after a failure. */
gboolean gst_cuda_histo_count_counterpart (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *picture,
                                           const GstCudaHistoCounted *what);

/* While flushing, no thread waits for the reference. Any thread. */
void gst_cuda_histo_flush_reference (GstCudaHisto *self, gboolean flushing);

void gst_cuda_histo_close_reference (GstCudaHisto *self);

/* ---- detection.c ----------------------------------------------------------------------------------------------------- */

/* Decides on the events to detect in frames of the present caps, after the choice of statistics. Warns of events that cannot be
 * detected. */
void gst_cuda_histo_choose_events (GstCudaHisto *self);

/* Returns the largest number of frames that are kept as operands of later ones. */
guint gst_cuda_histo_count_held (GstCudaHisto *self);

/* With `freeze`: waits until the previous frame is counted, which decides on the operand of the next. FALSE after a failure,
 * and while flushing. */
gboolean gst_cuda_histo_await_verdict (GstCudaHisto *self);

/* Returns the frame with which the next picture `index` is to be compared besides `previous`, because `previous` equals it.
 * NULL: none. The caller owns a reference. */
GstCudaHistoFrame *gst_cuda_histo_follow_freeze (GstCudaHisto *self, GstCudaHistoFrame *previous, guint index);

/* For the thread that does the counter's work: handles a counted frame; ends open events, and sets the source of later frames.
 * Both report their findings. */
void gst_cuda_histo_detect (GstCudaHisto *self, const GstCudaHistoCounted *counted);
void gst_cuda_histo_end_events (GstCudaHisto *self, GstCudaHistoEndedBy ended_by, const GstCudaHistoSource *source);

/* Adds upstream's report on the next buffer: `event` is the structure of a custom event. A buffer's `counting` begins with that
 * and its flags. Until the counter accepts the buffer, the report stays: if the buffer is skipped, it becomes damage before the
 * next one. If no buffer follows, it is reported at the end of the stream or at the stop. A flush drops it. */
void gst_cuda_histo_note_damage (GstCudaHisto *self, const GstStructure *event);
void gst_cuda_histo_begin_damage (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position);
void gst_cuda_histo_forget_damage (GstCudaHisto *self);
void gst_cuda_histo_report_end_damage (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* Ends open events by a flush. They are reported before later ones. */
void gst_cuda_histo_flush_events (GstCudaHisto *self);

/* ---- metering.c ------------------------------------------------------------------------------------------------------ */

/* Reads the map of weights, if requested. FALSE after a failure. */
gboolean gst_cuda_histo_read_meter_map (GstCudaHisto *self);
void gst_cuda_histo_clear_meter (GstCudaHisto *self);

/* Decides whether pictures of the present caps are metered, and warns if that is impossible. */
void gst_cuda_histo_choose_metering (GstCudaHisto *self);

/* Adds a picture's luma, with its weights, to the counter. On the streaming thread. FALSE after a failure. */
gboolean gst_cuda_histo_meter (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *frame,
                               const GstCudaHistoCounted *picture);

/* Returns the weighted luma of a window; FALSE: none. For the thread that does the counter's work, once for each window. */
gboolean gst_cuda_histo_take_metered_luma (GstCudaHisto *self, const GstCudaHistoSource *source,
                                           const struct histo_stats *parts, GstCudaHistoMeteredLuma *luma);

/* ---- sums.c ---------------------------------------------------------------------------------------------------------- */

/* Reads the weights of row and column sums, if requested. FALSE after a failure. */
gboolean gst_cuda_histo_read_weights (GstCudaHisto *self);
void gst_cuda_histo_clear_weights (GstCudaHisto *self);

/* Sets the weights of a picture's row and column sums in the counter. On the streaming thread. FALSE after a failure. */
gboolean gst_cuda_histo_set_weights (GstCudaHisto *self, const GstCudaHistoFrame *frame);

/* Describes a picture's row and column sums for the counter. */
void gst_cuda_histo_describe_sums (GstCudaHisto *self, const GstCudaHistoFrame *frame, GstCudaHistoCounted *what);

/* ---- reports.c ------------------------------------------------------------------------------------------------------ */

/* The counter's callbacks, on the thread that does its work. */
extern const GstCudaHistoCounterCallbacks gst_cuda_histo_counter_callbacks;

/* Waits for the results of the windows that `buffer` completed, and attaches them. FALSE after a failure. */
gboolean gst_cuda_histo_attach_results (GstCudaHisto *self, GstBuffer *buffer);

/* Drops the results that no buffer can carry, and warns. The counter is idle. */
void gst_cuda_histo_drop_results (GstCudaHisto *self);

/* ---- buffers.c: on the streaming thread ----------------------------------------------------------------------------- */

/* Warns once if timestamps do not give the ends of events. Call it before each frame with its timestamp, `next`, and at the end
 * with GST_CLOCK_TIME_NONE. */
void gst_cuda_histo_check_time (GstCudaHisto *self, GstClockTime next);

GstFlowReturn gst_cuda_histo_prepare_output_buffer (GstBaseTransform *base, GstBuffer *input, GstBuffer **output);
GstFlowReturn gst_cuda_histo_transform_ip (GstBaseTransform *base, GstBuffer *output);

/* Adds a frame, picture `index` of its buffer, and its operand to the counter. Takes `frame`. FALSE after a failure. */
gboolean gst_cuda_histo_count_frame (GstCudaHisto *self, GstCudaHistoFrame *frame, guint index);

/* Drops the operands of the next frame. */
void gst_cuda_histo_forget_previous (GstCudaHisto *self);

/* Skips the buffer with a warning. Takes `error`. */
void gst_cuda_histo_skip (GstCudaHisto *self, GError *error);

/* ---- video.c, bytestream.c: on the streaming thread ----------------------------------------------------------------- */

/* Counts a buffer. FALSE after a failure. *closed: whether the buffer completed a window. */
gboolean gst_cuda_histo_count_video (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position, gboolean *closed);
gboolean gst_cuda_histo_count_bytes (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position, gboolean *closed);

/* Adds all gathered bytes to the counter. FALSE after a failure. */
gboolean gst_cuda_histo_flush_gathered (GstCudaHisto *self);

G_END_DECLS

#endif
