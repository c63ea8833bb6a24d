/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element from within: what its files share. Each function is in the file under whose name it stands. "FALSE after a
 * failure" means that an element error was posted, and that buffers are refused from then on. */

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
  gchar *regions_used; /* what it was when it was understood last, since the start */
  gchar *reference_location;
  gchar *row_weights_location, *column_weights_location;
  gchar *weights_location;
  gchar *input_name;
  const gchar *active_backend, *active_device; /* static strings */
  gchar *refusal; /* the last message about raw video that is refused; NULL: none since the start, or since other caps came */
  gboolean refusal_is_fatal; /* it was an error, not a warning */

  /* Any thread: each has a lock of its own. */
  GstCudaHistoSharedContext shared;
  GstCudaHistoLedger ledger;

  /* atomic */
  gint is_started;         /* changes under the sink pad's stream lock, which serialized queries and events have */
  gint settings_changed;   /* the streaming thread has not seen `settings` */
  gint has_failed;         /* an element error was posted, buffers are refused */
  gint takes_cuda;         /* while started: frames on the GPU are taken */
  gint is_pulling;         /* from the puller's start to its stop */
  gint is_before_fakesink; /* directly, and one that reports nothing of its buffers */
  gint sidecar_check;      /* a GstCudaHistoSidecarCheck */
  gint stops;              /* how often the element was stopped */
  gint breaks;             /* stops, and flushes that have ended */
  gint flushes_reference;  /* nobody waits for a frame of the reference. Changes under the object lock */
  gint has_unknown_end;    /* an event of which times do not say how long it was */
  gint is_like_start;      /* the last buffer that was counted is like the one at which a freeze may have begun */
  gpointer starter;        /* the GThread that is starting the element, or NULL */

  gboolean is_start_refused; /* the starting thread's: a handler of a message has asked for another state */

  /* As long as the element. */
  GstCudaHistoSidecar *sidecar; /* open from start to stop */
  GstCudaHistoPuller *puller;
  GstPadActivateModeFunction activate_sink_in_base; /* the base class's, */
  GstPadEventFunction receive_event_in_base;        /* of the sink pad */

  /* From start to stop, for the streaming thread. Others take a reference to the counter under the object lock. */
  GstCudaHistoCounter *counter;
  GstAllocator *frame_allocator, *byte_allocator; /* of memory that the counter likes best */
  GstCudaHistoGather *gather;
  gchar *reference_used; /* `reference_location` as it was at the start, or NULL. Until the next start */
  gboolean has_compared; /* with it: its size has fitted */

  /* From the first caps of video to stop. Others use it under the object lock. */
  GstCudaHistoReference *reference;

  /* The streaming thread's. `active` is `settings` as they were at start, with what may change while playing kept up. */
  GstCudaHistoSettings active;

  /* What is counted, for the present caps. */
  gboolean is_configured; /* the next ones are valid */
  GstCaps *caps;          /* NULL: bytes without caps */
  GstVideoInfo info;      /* video only */
  gboolean is_cuda;       /* the caps are of frames on the GPU */
  GstCudaHistoSource source;
  GArray *row_weights, *column_weights; /* gint16; from start to stop; NULL: ones */
  gboolean has_weights;                 /* either, from start to stop */
  struct histo_frame weighted;          /* of the last frame that the weights were set for: its components and planes */
  guint weighted_bottom_up;             /* and which of its planes are stored from the last row to the first */
  GstCudaHistoMeterMap *meter_map;      /* from start to stop; NULL: the weights follow from `metering` */
  gboolean meters;                      /* each picture is counted once more, with weights */
  GstCudaHistoFrame *meter;             /* the weights of the last one, or NULL */
  GstObject *meter_context;             /* the GstCudaContext that they are in, if they are on the GPU */
  guint64 meter_sum;                    /* all of them */
  GstCudaHistoRegions asked_regions;    /* by the property, while started */
  GstCudaHistoRegions regions;          /* of the open window, and of the next buffer unless it has others */
  guint32 statistics;                   /* what each frame is asked for: bits of enum histo_statistic */
  gboolean has_previous;                /* each frame is measured against the previous one */
  GstCudaHistoEvents events;            /* what is detected */
  gboolean measures_previous;           /* FALSE: frames are measured for the sake of freezes alone */

  /* Where in the stream we are. */
  GstCudaHistoWindow window;
  GstCudaHistoOrigin origin;   /* of the open window */
  gboolean has_partial_buffer; /* the open window has a part of a buffer of which the rest was refused */
  GstCudaHistoFrame *previous[GST_CUDA_HISTO_MAX_PICTURES]; /* of each picture: the operand of the next, or NULL */
  /* Of each picture: the frame at which a freeze may have begun, or NULL. */
  GstCudaHistoFrame *freeze_starts[GST_CUDA_HISTO_MAX_PICTURES];
  GstCudaHistoRegions previous_regions; /* which were counted of those pictures */
  guint64 next_frame;                   /* index of the next buffer */
  GstCudaHistoPosition latest;          /* of the last buffer */
  GstCudaHistoTimestamps timestamps;    /* of the timeline's buffers */
  guint32 stream_seqnum;                /* of its STREAM_START; 0: none has come. Beyond a stop, as are the next two */
  guint64 stream_frames;                /* that have come of it */
  DecodingTimeline stream_line;         /* of them */
  guint64 next_offset;                  /* bytes: position of the next buffer, where it does not say so itself */
  gboolean has_stream;                  /* no buffer comes any more that was on its way when the element was stopped */

  /* The buffer that is being counted. */
  GstBuffer *input;             /* borrowed: as it came in, while it is transformed */
  GstCudaHistoCounted counting; /* what the counter gets to know of its frames */
  GstCudaHistoDamage damage;    /* what is known of the next buffer, and was before it */
  gboolean is_unaccounted;      /* it is neither in a window nor skipped yet */
  gboolean holds_buffers;       /* the counter may still hold it when it goes on */
  gboolean awaits_release;      /* the counter has to release it before it goes on */

  GstClockTime line_time;         /* of `input`: its stream time, as `stream_line` has it */
  GstCudaHistoFrame *counterpart; /* the reference's frame that it is compared with, or NULL */

  GstCudaHistoNotices notices;

  /* Of the histograms of the frames counted since the last closed window. For whoever does the counter's work. */
  GstCudaHistoDistances distances;
  guint64 metered_weights;                                             /* of metered samples since the last window */
  GstCudaHistoActivePicture active_pictures[GST_CUDA_HISTO_MAX_PARTS]; /* of their frames, where they are looked for */

  /* Whoever does the counter's work feeds the detectors. */
  GstCudaHistoDetectors detectors;
  GstCudaHistoFindings flushed; /* what a flush has ended, and is not reported yet */

  /* Of the windows closed since the last drain: owned GstStructure for the meta. Whoever does the counter's work adds, the
   * streaming thread takes while that is idle. */
  GQueue structures;
};

/* Whether a neighbour reads or writes the sidecar's file, too. */
typedef enum {
  GST_CUDA_HISTO_SIDECAR_UNCHECKED,
  GST_CUDA_HISTO_SIDECAR_NO_CONFLICT,
  GST_CUDA_HISTO_SIDECAR_CONFLICT
} GstCudaHistoSidecarCheck;

/* Posts an element error, and only then refuses buffers: the other way round, upstream could be first to post an error,
 * which says less. A handler of the error may have stopped the element, and started it again. Takes `text` and `detail`. */
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

/* The parent class, to chain up to. */
extern GstBaseTransformClass *gst_cuda_histo_base_class;

/* Sets `active-backend` and `active-device`, and notifies. Any thread. `counter`: NULL where nothing counts. */
void gst_cuda_histo_notify_backend (GstCudaHisto *self, GstCudaHistoCounter *counter);

/* ---- start.c -------------------------------------------------------------------------------------------------------- */

gboolean gst_cuda_histo_start (GstBaseTransform *base);
gboolean gst_cuda_histo_stop (GstBaseTransform *base);
GstStateChangeReturn gst_cuda_histo_change_state (GstElement *element, GstStateChange transition);

/* ---- context.c ------------------------------------------------------------------------------------------------------ */

/* Whether frames on the GPU are taken: while stopped, whether they may be. Any thread. */
gboolean gst_cuda_histo_takes_cuda (GstCudaHisto *self);

/* If the process has loaded GStreamer's CUDA library already, counts in the context that neighbours share, and makes one
 * where there is none: elements that start later can then ask this one for it. Else nothing is loaded, and the engine opens
 * a context of its own. */
void gst_cuda_histo_look_for_context (GstCudaHisto *self);

void gst_cuda_histo_set_context (GstElement *element, GstContext *context);

/* Before each frame on the GPU: goes on counting in `context`, a neighbour's, where that is another than the last one's. FALSE
 * after a failure, and while flushing. */
gboolean gst_cuda_histo_follow_context (GstCudaHisto *self, GstObject *context);

/* Before the first frame on the GPU. FALSE after a failure, and while flushing. */
gboolean gst_cuda_histo_prepare_for_cuda (GstCudaHisto *self);

/* ---- sidecaruse.c --------------------------------------------------------------------------------------------------- */

void gst_cuda_histo_init_sidecar (GstCudaHisto *self);

/* Opens the sidecar where there is to be one. Nothing that is there changes yet. FALSE after a failure. */
gboolean gst_cuda_histo_open_sidecar (GstCudaHisto *self);

/* Counting can begin. FALSE after a failure; to be closed then. */
gboolean gst_cuda_histo_start_sidecar (GstCudaHisto *self);

/* Before the first line, and before the file is emptied: by now the neighbours have opened their files, and may be others than
 * they were at the start. FALSE: the sidecar is to be left alone. */
gboolean gst_cuda_histo_check_sidecar (GstCudaHisto *self);

void gst_cuda_histo_close_sidecar (GstCudaHisto *self);

/* The signal `reopen-sidecar`. */
gboolean gst_cuda_histo_reopen_sidecar (GstCudaHisto *self);

/* ---- activation.c --------------------------------------------------------------------------------------------------- */

void gst_cuda_histo_init_pads (GstCudaHisto *self);

/* Looks at what is linked downstream, and sets `is_before_fakesink`, which it returns: then the sizes of buffers show nowhere,
 * and nobody writes to them. Called when the pads are activated, which decides whether to pull, and again whenever a link there
 * changes, which decides whether to hold buffers. */
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

/* What the puller calls at the end of a segment. */
void gst_cuda_histo_report_segment (GstElement *element);

/* ---- windows.c: on the streaming thread -----------------------------------------------------------------------------
 *
 * A handler of a message or of a notification, called from within, may flush, stop the element, and start it again. So who
 * calls these keeps a reference to the counter, and what belongs to the stream is looked at again, by way of `breaks`, after
 * each call that may post. */

/* Decides what is counted, and in which windows, for `caps` (NULL: bytes). No window is open. FALSE with an element error where
 * that is impossible; nothing has changed then. FALSE also where a handler of a message has stopped the element. */
gboolean gst_cuda_histo_configure (GstCudaHisto *self, GstCaps *caps);

/* Adds the buffer, or the part of it that ends at `offset` + `size`, to the window, and closes that where
 * it is complete. FALSE after a failure. */
gboolean gst_cuda_histo_add_to_window (GstCudaHisto *self, GstCudaHistoPosition *position, guint64 size, gboolean starts_buffer,
                                       gboolean ends_buffer, gboolean *closed);

/* Closes the window before its time, where the stream goes on with the same picture. FALSE after a failure. */
gboolean gst_cuda_histo_divide_stream (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* The same where it does not: what is detected ends, and the operands of the next frame are forgotten. */
gboolean gst_cuda_histo_end_window_early (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* Forgets what came since the last closed window: what a flush asks for. */
void gst_cuda_histo_discard_window (GstCudaHisto *self);

/* Whether a flush has ended, or the element was stopped, since `breaks` was read: by a handler of a message. What was
 * added since then belongs to the stream that was flushed, and is forgotten. */
gboolean gst_cuda_histo_was_interrupted (GstCudaHisto *self, gint breaks);

/* Reports what came so far. */
void gst_cuda_histo_report_all (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* ---- statistics.c: on the streaming thread --------------------------------------------------------------------------- */

/* Of bits of GstCudaHistoStatistics: "saturation, hue". Free with g_free(). Any thread. */
gchar *gst_cuda_histo_name_statistics (guint32 statistics);

/* Decides what each frame of the present caps, and of the visible size in `source`, is asked for, and warns of what was asked
 * for by name and cannot be had. */
void gst_cuda_histo_choose_statistics (GstCudaHisto *self);

/* How many columns waveforms are to have: those of the picture, where the user does not say. */
guint gst_cuda_histo_get_waveform_columns (GstCudaHisto *self);

/* Says once why some buffers have nothing that they could be measured against. */
void gst_cuda_histo_warn_of_unequal_sizes (GstCudaHisto *self);

/* ---- parts.c: on the streaming thread -------------------------------------------------------------------------------- */

/* How many frames a picture is for the counter, with its parts: at least as many as the settings and the regions ask for. */
guint gst_cuda_histo_get_part_count (GstCudaHisto *self);

/* Reads the property `regions`. FALSE with @error where it is not understood; while started the regions of before stay, and the
 * property is theirs again. */
gboolean gst_cuda_histo_take_regions (GstCudaHisto *self, GError **error);

/* Says once of a byte stream that regions are asked for. */
void gst_cuda_histo_check_regions (GstCudaHisto *self);

/* Finds the regions of a buffer, of which the visible size is in `source`. Where they are others than those of the open window,
 * that ends. */
void gst_cuda_histo_choose_regions (GstCudaHisto *self, GstBuffer *buffer);

/* Hands the other parts of a picture to the counter, behind it. `frame` and `operand` are the picture's. FALSE after a
 * failure. */
gboolean gst_cuda_histo_count_parts (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *frame,
                                     GstCudaHistoFrame *operand, const GstCudaHistoCounted *picture);

/* ---- comparison.c --------------------------------------------------------------------------------------------------- */

/* Begins to read the reference, if there is to be one, in the format of the present caps. On the streaming thread. FALSE after
 * a failure, and where a handler of a message has stopped the element. */
gboolean gst_cuda_histo_choose_reference (GstCudaHisto *self);

/* Finds the reference's frame for a buffer of so many pictures. Waits for it. On the streaming thread. FALSE after a failure,
 * and while flushing. */
gboolean gst_cuda_histo_find_counterpart (GstCudaHisto *self, GstCudaHistoFrame *const *frames, guint count);

/* Hands that frame to the counter, behind its picture. FALSE after a failure. */
gboolean gst_cuda_histo_count_counterpart (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *picture,
                                           const GstCudaHistoCounted *what);

/* While flushing nobody waits for the reference. Any thread. */
void gst_cuda_histo_flush_reference (GstCudaHisto *self, gboolean flushing);

void gst_cuda_histo_close_reference (GstCudaHisto *self);

/* ---- detection.c ----------------------------------------------------------------------------------------------------- */

/* Decides what is detected in frames of the present caps, behind the choice of statistics, and warns of what cannot be. */
void gst_cuda_histo_choose_events (GstCudaHisto *self);

/* How many frames are kept, at most, for the next one to be measured against. */
guint gst_cuda_histo_count_held (GstCudaHisto *self);

/* With `freeze`: waits until the frame before is counted, because that says what the next one is compared with. FALSE after a
 * failure, and while flushing. */
gboolean gst_cuda_histo_await_verdict (GstCudaHisto *self);

/* Which frame, other than `previous`, the next picture `index` is to be compared with, since that was like it; NULL: none. The
 * caller owns a reference. */
GstCudaHistoFrame *gst_cuda_histo_follow_freeze (GstCudaHisto *self, GstCudaHistoFrame *previous, guint index);

/* For whoever does the counter's work: a frame is counted; what is open ends, and what follows is of `source`. Both report what
 * they find. */
void gst_cuda_histo_detect (GstCudaHisto *self, const GstCudaHistoCounted *counted);
void gst_cuda_histo_end_events (GstCudaHisto *self, GstCudaHistoEndedBy ended_by, const GstCudaHistoSource *source);

/* What upstream says: `event` is the structure of a custom event for the next buffer. A buffer begins with that and its flags,
 * in `counting`. Until the counter takes the buffer, and its damage is forgotten here, it is damage before the next one: a
 * buffer that is skipped leaves it. If no buffer follows, it is reported at the end of the stream or, when the counter has
 * stopped, at the stop. A flush drops it. */
void gst_cuda_histo_note_damage (GstCudaHisto *self, const GstStructure *event);
void gst_cuda_histo_begin_damage (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position);
void gst_cuda_histo_forget_damage (GstCudaHisto *self);
void gst_cuda_histo_report_end_damage (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* What is open ends by a flush, and is reported with what comes next. */
void gst_cuda_histo_flush_events (GstCudaHisto *self);

/* ---- metering.c ------------------------------------------------------------------------------------------------------ */

/* Reads the map of weights, if there is to be one. FALSE after a failure. */
gboolean gst_cuda_histo_read_meter_map (GstCudaHisto *self);
void gst_cuda_histo_clear_meter (GstCudaHisto *self);

/* Decides whether pictures of the present caps are metered, and warns where they cannot be. */
void gst_cuda_histo_choose_metering (GstCudaHisto *self);

/* Hands a picture's luma, with its weights, to the counter. On the streaming thread. FALSE after a failure. */
gboolean gst_cuda_histo_meter (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *frame,
                               const GstCudaHistoCounted *picture);

/* The weighted luma of a window; FALSE: it has none. For whoever does the counter's work, once a window. */
gboolean gst_cuda_histo_take_metered_luma (GstCudaHisto *self, const GstCudaHistoSource *source,
                                           const struct histo_stats *parts, GstCudaHistoMeteredLuma *luma);

/* ---- sums.c ---------------------------------------------------------------------------------------------------------- */

/* Reads the weights of row and column sums, where there are any. FALSE after a failure. */
gboolean gst_cuda_histo_read_weights (GstCudaHisto *self);
void gst_cuda_histo_clear_weights (GstCudaHisto *self);

/* Sees to it that the row and column sums of a picture are weighted as they should be. On the streaming thread. FALSE after a
 * failure. */
gboolean gst_cuda_histo_set_weights (GstCudaHisto *self, const GstCudaHistoFrame *frame);

/* What the counter has to know to make sense of the row and column sums of a picture. */
void gst_cuda_histo_describe_sums (GstCudaHisto *self, const GstCudaHistoFrame *frame, GstCudaHistoCounted *what);

/* ---- reports.c ------------------------------------------------------------------------------------------------------ */

/* What the counter calls, on the thread of whoever does its work. */
extern const GstCudaHistoCounterCallbacks gst_cuda_histo_counter_callbacks;

/* Waits for the numbers of the windows that `buffer` completed, and attaches them. FALSE after a failure. */
gboolean gst_cuda_histo_attach_results (GstCudaHisto *self, GstBuffer *buffer);

/* Drops the results that no buffer can carry, and warns of them. The counter is idle. */
void gst_cuda_histo_drop_results (GstCudaHisto *self);

/* ---- buffers.c: on the streaming thread ----------------------------------------------------------------------------- */

/* Says once where timestamps do not tell the ends of events. Before each frame with its timestamp, `next`, and at the end with
 * GST_CLOCK_TIME_NONE. */
void gst_cuda_histo_check_time (GstCudaHisto *self, GstClockTime next);

GstFlowReturn gst_cuda_histo_prepare_output_buffer (GstBaseTransform *base, GstBuffer *input, GstBuffer **output);
GstFlowReturn gst_cuda_histo_transform_ip (GstBaseTransform *base, GstBuffer *output);

/* Hands a frame, picture `index` of its buffer, to the counter together with its operand. Takes `frame`. FALSE after a
 * failure. */
gboolean gst_cuda_histo_count_frame (GstCudaHisto *self, GstCudaHistoFrame *frame, guint index);

/* Forgets the operands of the next frame. */
void gst_cuda_histo_forget_previous (GstCudaHisto *self);

/* The buffer goes on uncounted, and a warning says so. Takes `error`. */
void gst_cuda_histo_skip (GstCudaHisto *self, GError *error);

/* ---- video.c, bytestream.c: on the streaming thread ----------------------------------------------------------------- */

/* Count a buffer. FALSE after a failure. *closed: whether the buffer completed a window. */
gboolean gst_cuda_histo_count_video (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position, gboolean *closed);
gboolean gst_cuda_histo_count_bytes (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position, gboolean *closed);

/* Hands all gathered bytes to the counter. FALSE after a failure. */
gboolean gst_cuda_histo_flush_gathered (GstCudaHisto *self);

G_END_DECLS

#endif
