/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/decoder.h"

#include "common/debug.h"
#include "common/post.h"
#include "common/ratelimit.h"
#include "common/thread.h"
#include "common/timestamps.h"
#include "decoding/choice.h"
#include "decoding/location.h"
#include "decoding/timeline.h"
#include "decoding/times.h"
#include "decoding/track.h"
#include "decoding/watch.h"
#include "frame/range.h"
#include "frame/videoinfo.h"

#include <gst/app/gstappsink.h>
#include <gst/base/gstbasesrc.h>
#include <unistd.h>

#define PATIENCE_US (20 * G_USEC_PER_SEC) /* for a frame, in microseconds */
#define STOP_US (2 * G_USEC_PER_SEC)
#define INTERRUPT_US (G_USEC_PER_SEC / 10)
#define MAX_STUCK 8
#define FRAMES_AHEAD 2 /* in the sink */

struct _GstCudaHistoDecoder {
  gatomicrefcount ref_count;
  GstElement *owner; /* until the stop; the pipeline, which may outlive it, logs under its name */
  gchar *location;   /* for texts and the log, without passwords */
  gchar *uri;
  gint fd; /* descriptor that GStreamer reads, or -1 */
  GstVideoInfo info;
  GstElement *pipeline, *convert, *filter; /* `pipeline` owns the other two */
  GstAppSink *sink;                        /* owned by `pipeline` */
  /* Of the pushing thread: the decoded format, the format behind the conversion, and the conversion from there to the stream's
   * range and depth, or NULL. */
  const GstVideoFormatInfo *decoded;
  GstVideoInfo converted;
  GstCudaHistoRange *range;
  gboolean is_range_known; /* neither of the two above has changed since */
  GThread *thread;

  GMutex wait_lock;
  gboolean is_waiting; /* the pipeline is changing to PLAYING or seeking; its sources must not be stopped */

  GMutex lock;
  GCond changed;
  gboolean is_flushing, is_stopping;
  gboolean is_prerolled; /* the pipeline can seek */
  gboolean is_seeking;   /* to `seek_time`: frames are of the time before the seek */
  gboolean has_ended;    /* no more frames arrive; the sink may still have some */
  gboolean has_stopped;  /* the pipeline has stopped */
  gboolean is_stuck;     /* the stop no longer waits for the pipeline */
  gboolean can_seek;     /* as far as known */
  GstClockTime seek_time;
  GQueue frames; /* GstCudaHistoDecoderFrame already taken from the sink */
  DecodingTimeline line;
  guint64 next_number;
  /* Of the frames since the start or the last seek. */
  GstClockTime first_time;
  GstCudaHistoTimestamps times;
  gboolean goes_on; /* decode ahead to `until`, or number `until_number`, and skip frames before `from` */
  GstClockTime from, until;
  guint64 until_number;
  gboolean lacks_decoder;         /* for video */
  GError *error;                  /* a text for users, or NULL */
  GstCudaHistoRateLimit warnings; /* number of the pipeline's warnings */
  gchar *warning;                 /* the last of them; NULL: all are reported */
  GQueue missing;                 /* GstStructure: missing plugins that the application may install */
};

static gint n_stuck;   /* atomic: stuck decoders of the process */
static gint n_awaited; /* atomic: decoders whose next frame is awaited */

static void
gst_cuda_histo_decoder_fail (GstCudaHistoDecoder *decoder, GError *error)
{
  g_mutex_lock (&decoder->lock);
  if (decoder->error == NULL)
    decoder->error = error;
  else
    g_error_free (error);
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

/* Posts the pipeline's messages as the owner's. A handler may stop the decoder. */
static void
gst_cuda_histo_decoder_pass_messages (GstCudaHistoDecoder *decoder, gboolean is_last)
{
  g_autofree gchar *warning = NULL;
  GstStructure *missing;
  guint64 count;

  g_mutex_lock (&decoder->lock);
  while (decoder->owner != NULL && (missing = g_queue_pop_head (&decoder->missing)) != NULL) {
    g_mutex_unlock (&decoder->lock);
    gst_element_post_message (decoder->owner, gst_message_new_element (GST_OBJECT (decoder->owner), missing));
    g_mutex_lock (&decoder->lock);
  }
  count = is_last ? gst_cuda_histo_rate_limit_finish (&decoder->warnings) : gst_cuda_histo_rate_limit_take (&decoder->warnings);
  if (count > 0)
    warning = g_steal_pointer (&decoder->warning);
  g_mutex_unlock (&decoder->lock);
  if (warning != NULL && decoder->owner != NULL)
    gst_cuda_histo_post (decoder->owner, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                         g_strdup_printf ("The reference \"%s\" %s", decoder->location, warning),
                         g_strdup_printf ("%" G_GUINT64_FORMAT " %s of its decoder since the last report", count,
                                          count == 1 ? "warning" : "warnings"));
}

/* ---- messages of the pipeline, on any of its threads ----------------------------------------------------------------- */

static GError *
gst_cuda_histo_decoder_new_codec_error (GstCudaHistoDecoder *decoder)
{
  return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND,
                      "The reference \"%s\" has no video that the installed plugins can decode.", decoder->location);
}

/* Returns the pipeline's error as a text for users. */
static GError *
gst_cuda_histo_decoder_translate (GstCudaHistoDecoder *decoder, const GError *error)
{
  if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND))
    return g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "The reference \"%s\" does not exist.",
                        decoder->location);
  if (error->domain == GST_RESOURCE_ERROR)
    return g_error_new (error->domain, error->code, "The reference \"%s\" cannot be read: %s", decoder->location,
                        error->message);
  if (g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN))
    return gst_cuda_histo_decoder_new_codec_error (decoder);
  return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "The reference \"%s\" cannot be decoded: %s",
                      decoder->location, error->message);
}

static void
gst_cuda_histo_decoder_take_missing (GstCudaHistoDecoder *decoder, const GstStructure *missing)
{
  if (!gst_structure_has_name (missing, "missing-plugin") || !decoding_track_needs_missing (missing))
    return;
  g_mutex_lock (&decoder->lock);
  decoder->lacks_decoder = TRUE;
  g_queue_push_tail (&decoder->missing, gst_structure_copy (missing));
  g_mutex_unlock (&decoder->lock);
}

/* Passes on the pipeline's request for a context, at once and on its thread, since the requesting element waits. The owner, a
 * bin around it or the application gives that element its context. */
static void
gst_cuda_histo_decoder_pass_context (GstCudaHistoDecoder *decoder, GstMessage *message)
{
  g_autoptr (GstElement) owner = NULL;
  g_autoptr (GstContext) context = NULL;
  const gchar *type;

  g_mutex_lock (&decoder->lock);
  if (decoder->owner != NULL && !decoder->is_stopping)
    owner = gst_object_ref (decoder->owner);
  g_mutex_unlock (&decoder->lock);
  if (owner == NULL)
    return;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT && gst_message_parse_context_type (message, &type))
    context = gst_element_get_context (owner, type);
  if (context != NULL)
    gst_element_set_context (GST_ELEMENT (GST_MESSAGE_SRC (message)), context);
  else
    gst_element_post_message (owner, gst_message_ref (message));
}

/* Returns the text and the detail of a message, with passwords removed from URIs. */
static void
gst_cuda_histo_decoder_parse (GstCudaHistoDecoder *decoder, GstMessage *message,
                              void (*parse) (GstMessage *, GError **, gchar **), GError **error, gchar **detail)
{
  g_autofree gchar *text = NULL, *debug = NULL;

  parse (message, error, &debug);
  *detail = decoding_location_hide_secrets_in (debug, decoder->uri);
  if (*error == NULL) /* testbin posts messages without an error */
    *error = g_error_new_literal (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "GStreamer gives no reason.");
  text = decoding_location_hide_secrets_in ((*error)->message, decoder->uri);
  g_free ((*error)->message);
  (*error)->message = g_steal_pointer (&text);
}

/* `warning` completes a sentence about the reference. Takes it. */
static void
gst_cuda_histo_decoder_add_warning (GstCudaHistoDecoder *decoder, gchar *warning)
{
  g_mutex_lock (&decoder->lock);
  gst_cuda_histo_rate_limit_add (&decoder->warnings, 1);
  g_free (decoder->warning);
  decoder->warning = warning;
  g_mutex_unlock (&decoder->lock);
}

static GstBusSyncReply
gst_cuda_histo_decoder_take_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;
  g_autofree gchar *detail = NULL;
  g_autoptr (GError) error = NULL;

  (void)bus;
  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    gst_cuda_histo_decoder_parse (decoder, message, gst_message_parse_error, &error, &detail);
    GST_INFO_OBJECT (decoder->pipeline, "%s: %s (%s)", decoder->location, error->message, detail);
    gst_cuda_histo_decoder_fail (decoder, gst_cuda_histo_decoder_translate (decoder, error));
    break;
  case GST_MESSAGE_WARNING:
    gst_cuda_histo_decoder_parse (decoder, message, gst_message_parse_warning, &error, &detail);
    GST_WARNING_OBJECT (decoder->pipeline, "%s: %s (%s)", decoder->location, error->message, detail);
    /* Without a decoder for video, an error. */
    if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND))
      break;
    gst_cuda_histo_decoder_add_warning (decoder, g_strdup_printf ("may be damaged: %s", error->message));
    break;
  case GST_MESSAGE_ELEMENT:
    gst_cuda_histo_decoder_take_missing (decoder, gst_message_get_structure (message));
    if (gst_message_has_name (message, DECODING_TIMES_MESSAGE))
      gst_cuda_histo_decoder_add_warning (decoder, decoding_times_explain (gst_message_get_structure (message)));
    else if (gst_message_has_name (message, DECODING_CHOICE_MESSAGE))
      gst_cuda_histo_decoder_add_warning (decoder, decoding_choice_explain (gst_message_get_structure (message)));
    break;
  case GST_MESSAGE_NEED_CONTEXT:
  case GST_MESSAGE_HAVE_CONTEXT:
    gst_cuda_histo_decoder_pass_context (decoder, message);
    break;
  case GST_MESSAGE_ASYNC_DONE:
    g_mutex_lock (&decoder->lock);
    decoder->is_prerolled = TRUE;
    g_cond_broadcast (&decoder->changed);
    g_mutex_unlock (&decoder->lock);
    break;
  default:
    break;
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* Returns the colorimetry to convert to: samples keep their stored values if possible. Only RGB and YUV are converted into each
 * other, with the stream's matrix and range. Otherwise the range is kept here and converted behind videoconvert, which converts
 * it only with the matrix. NULL: unknown. */
static gchar *
gst_cuda_histo_decoder_choose_colorimetry (const GstVideoInfo *wanted, const GstVideoInfo *info)
{
  GstVideoColorimetry colorimetry = wanted->colorimetry;

  if (!GST_VIDEO_INFO_IS_RGB (info) == !GST_VIDEO_INFO_IS_RGB (wanted))
    return gst_video_colorimetry_to_string (&info->colorimetry);
  gst_cuda_histo_video_info_assume_range (wanted, &colorimetry);
  return gst_video_colorimetry_to_string (&colorimetry);
}

static void
gst_cuda_histo_decoder_set_colorimetry (GstPadProbeInfo *probe, const gchar *colorimetry)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  g_autoptr (GstCaps) caps = NULL;
  GstCaps *received;

  if (colorimetry == NULL)
    return;
  gst_event_parse_caps (event, &received);
  if (g_strcmp0 (gst_structure_get_string (gst_caps_get_structure (received, 0), "colorimetry"), colorimetry) == 0)
    return;
  caps = gst_caps_copy (received);
  gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  GST_PAD_PROBE_INFO_DATA (probe) = gst_event_new_caps (caps);
  gst_event_unref (event);
}

/* FALSE: another event, or invalid caps, which the conversion refuses. */
static gboolean
gst_cuda_histo_decoder_parse_caps (GstEvent *event, GstVideoInfo *info)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return FALSE;
  gst_event_parse_caps (event, &caps);
  return gst_cuda_histo_video_info_from_caps (info, caps);
}

/* A probe before the conversion: decoders know their caps only when they have decoded. It completes the colorimetry from the
 * output side, so that the conversion does nothing if nothing else differs. */
static GstPadProbeReturn
gst_cuda_histo_decoder_take_caps (GstPad *pad, GstPadProbeInfo *probe, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;
  g_autofree gchar *from = NULL, *to = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;

  (void)pad;
  if (!gst_cuda_histo_decoder_parse_caps (GST_PAD_PROBE_INFO_EVENT (probe), &info))
    return GST_PAD_PROBE_OK;
  decoder->decoded = info.finfo;
  decoder->is_range_known = FALSE;
  to = gst_cuda_histo_decoder_choose_colorimetry (&decoder->info, &info);
  if (!GST_VIDEO_INFO_IS_RGB (&info) != !GST_VIDEO_INFO_IS_RGB (&decoder->info)) {
    decoder->decoded = decoder->info.finfo; /* the conversion changes samples */
    gst_cuda_histo_video_info_assume_range (&info, &info.colorimetry);
  }
  from = gst_video_colorimetry_to_string (&info.colorimetry);
  gst_cuda_histo_decoder_set_colorimetry (probe, from);
  caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, decoder->info.finfo->name, NULL);
  if (to != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, to, NULL);
  GST_DEBUG_OBJECT (decoder->pipeline, "%" GST_PTR_FORMAT ", as %" GST_PTR_FORMAT, (gpointer)GST_PAD_PROBE_INFO_EVENT (probe),
                    (gpointer)caps);
  g_object_set (decoder->filter, "caps", caps, NULL);
  return GST_PAD_PROBE_OK;
}

/* If only the decoded format changes, the conversion sends no new caps. */
static void
gst_cuda_histo_decoder_find_range (GstCudaHistoDecoder *decoder)
{
  if (decoder->is_range_known)
    return;
  g_clear_pointer (&decoder->range, gst_cuda_histo_range_free);
  decoder->range = gst_cuda_histo_range_new (&decoder->converted, decoder->decoded, decoder->info.colorimetry.range);
  decoder->is_range_known = TRUE;
}

/* A probe before the sink: converts frames to the stream's range. Caps stay the same, since no later element reads the
 * range. */
static GstPadProbeReturn
gst_cuda_histo_decoder_convert_range (GstPad *pad, GstPadProbeInfo *probe, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;
  g_autoptr (GError) error = NULL;
  GstBuffer *converted;

  (void)pad;
  if ((GST_PAD_PROBE_INFO_TYPE (probe) & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    if (gst_cuda_histo_decoder_parse_caps (GST_PAD_PROBE_INFO_EVENT (probe), &decoder->converted))
      decoder->is_range_known = FALSE;
    return GST_PAD_PROBE_OK;
  }
  gst_cuda_histo_decoder_find_range (decoder);
  if (decoder->range == NULL)
    return GST_PAD_PROBE_OK;
  converted = gst_cuda_histo_range_convert (decoder->range, GST_PAD_PROBE_INFO_BUFFER (probe), &error);
  if (converted == NULL) {
    gst_cuda_histo_decoder_fail (decoder,
                                 g_error_new (error->domain, error->code, "Cannot convert a frame of the reference \"%s\": %s.",
                                              decoder->location, error->message));
    return GST_PAD_PROBE_DROP;
  }
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (probe));
  GST_PAD_PROBE_INFO_DATA (probe) = converted;
  return GST_PAD_PROBE_OK;
}

/* Exposes audio, subtitles and data without decoding them. */
static gboolean
gst_cuda_histo_decoder_wants (GstElement *source, GstPad *pad, GstCaps *caps, gpointer user_data)
{
  (void)source;
  (void)pad;
  (void)user_data;
  return !decoding_track_is_other (caps);
}

static void
gst_cuda_histo_decoder_link_pad (GstElement *source, GstPad *pad, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder->convert, "sink");

  (void)source;
  if (!gst_pad_is_linked (sink)) /* otherwise it is another video stream. Audio cannot be linked */
    gst_pad_link (pad, sink);
}

static void
gst_cuda_histo_decoder_check_pads (GstElement *source, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder->convert, "sink");
  gboolean lacks_decoder;

  (void)source;

  g_mutex_lock (&decoder->lock);
  lacks_decoder = decoder->lacks_decoder;
  g_mutex_unlock (&decoder->lock);
  if (!gst_pad_is_linked (sink))
    gst_cuda_histo_decoder_fail (decoder, lacks_decoder
                                              ? gst_cuda_histo_decoder_new_codec_error (decoder)
                                              : g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
                                                             "The reference \"%s\" has no video.", decoder->location));
}

static GstFlowReturn
gst_cuda_histo_decoder_note_sample (GstAppSink *sink, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;

  (void)sink;
  g_mutex_lock (&decoder->lock);
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
  return GST_FLOW_OK;
}

static void
gst_cuda_histo_decoder_note_end (GstAppSink *sink, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;

  (void)sink;
  g_mutex_lock (&decoder->lock);
  decoder->has_ended = TRUE;
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

/* ---- frames: all with `lock` held ------------------------------------------------------------------------------------ */

static void
gst_cuda_histo_decoder_free_frame (gpointer data)
{
  gst_cuda_histo_decoder_clear_frame (data);
  g_free (data);
}

/* FALSE: the sample is outside its segment and not shown. A frame that begins before its segment keeps its own time. */
static gboolean
gst_cuda_histo_decoder_get_time (GstCudaHistoDecoder *decoder, GstSample *sample, GstClockTime *time)
{
  const GstSegment *segment = gst_sample_get_segment (sample);
  const GstClockTime pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));

  *time = GST_CLOCK_TIME_NONE;
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (pts))
    return TRUE;
  if (gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME, pts, time) <= 0)
    return FALSE;
  *time = decoding_timeline_follow (&decoder->line, pts, *time);
  return TRUE;
}

/* Takes a frame from the sink. FALSE: it has none. */
static gboolean
gst_cuda_histo_decoder_pull (GstCudaHistoDecoder *decoder)
{
  g_autoptr (GstSample) sample = gst_app_sink_try_pull_sample (decoder->sink, 0);
  GstCudaHistoDecoderFrame *frame;
  GstClockTime time;

  if (sample == NULL)
    return FALSE;
  if (!gst_cuda_histo_decoder_get_time (decoder, sample, &time))
    return TRUE;
  frame = g_new0 (GstCudaHistoDecoderFrame, 1);
  frame->sample = g_steal_pointer (&sample);
  frame->time = time;
  frame->number = decoder->next_number++;
  if (frame->number == 0) {
    decoder->first_time = time;
    decoder->times = (GstCudaHistoTimestamps){ 0 };
  }
  frame->first_time = decoder->first_time;
  frame->repeats = gst_cuda_histo_timestamps_follow (&decoder->times, time);
  g_queue_push_tail (&decoder->frames, frame);
  return TRUE;
}

/* Compares a frame with a time, or with a number if either time is unknown. */
static gint
gst_cuda_histo_decoder_compare (const GstCudaHistoDecoderFrame *frame, GstClockTime time, guint64 number)
{
  if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (frame->time))
    return frame->number < number ? -1 : frame->number > number;
  return frame->time < time ? -1 : frame->time > time;
}

/* Skips the last frame but one if time stands still at both: neither is needed, and there may be any number of them. */
static void
gst_cuda_histo_decoder_skip_still (GstCudaHistoDecoder *decoder)
{
  GList *last = decoder->frames.tail, *link = last != NULL ? last->prev : NULL;
  const GstCudaHistoDecoderFrame *frame = link != NULL ? link->data : NULL;

  if (frame == NULL || !gst_cuda_histo_timestamps_stand_still (frame->repeats)
      || ((GstCudaHistoDecoderFrame *)last->data)->repeats <= frame->repeats)
    return;
  gst_cuda_histo_decoder_free_frame (link->data);
  g_queue_delete_link (&decoder->frames, link);
}

/* Takes the next frame while decoding ahead. FALSE: nothing to do yet. */
static gboolean
gst_cuda_histo_decoder_go_on_now (GstCudaHistoDecoder *decoder)
{
  GstCudaHistoDecoderFrame *frame = g_queue_peek_tail (&decoder->frames);

  if (!decoder->goes_on || decoder->is_seeking
      || (frame != NULL && gst_cuda_histo_decoder_compare (frame, decoder->until, decoder->until_number) >= 0)
      || !gst_cuda_histo_decoder_pull (decoder))
    return FALSE;
  if (GST_CLOCK_TIME_IS_VALID (decoder->from))
    gst_cuda_histo_decoder_skip_still (decoder);
  while ((frame = g_queue_peek_nth (&decoder->frames, 1)) != NULL
         && gst_cuda_histo_decoder_compare (frame, decoder->from, decoder->until_number) <= 0) {
    gst_cuda_histo_decoder_free_frame (g_queue_pop_head (&decoder->frames));
    frame->follows_skipped = TRUE;
  }
  return TRUE;
}

/* ---- the decoder's thread -------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_decoder_set_waiting (GstCudaHistoDecoder *decoder, gboolean is_waiting)
{
  g_mutex_lock (&decoder->wait_lock);
  decoder->is_waiting = is_waiting;
  g_mutex_unlock (&decoder->wait_lock);
}

static void
gst_cuda_histo_decoder_play (GstCudaHistoDecoder *decoder)
{
  GstStateChangeReturn result;

  gst_cuda_histo_decoder_set_waiting (decoder, TRUE);
  result = gst_element_set_state (decoder->pipeline, GST_STATE_PLAYING);
  gst_cuda_histo_decoder_set_waiting (decoder, FALSE);
  if (result == GST_STATE_CHANGE_FAILURE) {
    gst_cuda_histo_decoder_fail (decoder, g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
                                                       "The reference \"%s\" cannot be read.", decoder->location));
  } else if (result == GST_STATE_CHANGE_SUCCESS) { /* a live source: no ASYNC_DONE follows */
    g_mutex_lock (&decoder->lock);
    decoder->is_prerolled = TRUE;
    g_mutex_unlock (&decoder->lock);
  }
}

static void
gst_cuda_histo_decoder_seek_now (GstCudaHistoDecoder *decoder, GstClockTime time)
{
  const GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE;
  gboolean is_made, is_stopping;

  gst_cuda_histo_decoder_set_waiting (decoder, TRUE);
  is_made = gst_element_seek_simple (decoder->pipeline, GST_FORMAT_TIME, flags, (gint64)time);
  gst_cuda_histo_decoder_set_waiting (decoder, FALSE);
  g_mutex_lock (&decoder->lock);
  is_stopping = decoder->is_stopping;
  g_mutex_unlock (&decoder->lock);
  if (is_made || is_stopping)
    return;
  GST_INFO_OBJECT (decoder->pipeline, "%s cannot seek and is read again from its start", decoder->location);
  gst_element_set_state (decoder->pipeline, GST_STATE_READY);
  g_mutex_lock (&decoder->lock);
  decoder->is_prerolled = decoder->can_seek = FALSE;
  g_mutex_unlock (&decoder->lock);
  gst_cuda_histo_decoder_play (decoder);
}

/* With `lock` held: makes the requested seek once the pipeline can seek. FALSE: nothing to do yet. */
static gboolean
gst_cuda_histo_decoder_work (GstCudaHistoDecoder *decoder)
{
  const GstClockTime time = decoder->seek_time;

  if (!decoder->is_seeking)
    return gst_cuda_histo_decoder_go_on_now (decoder);
  if (!decoder->is_prerolled || decoder->error != NULL)
    return FALSE;
  decoder->has_ended = FALSE;
  g_mutex_unlock (&decoder->lock);
  gst_cuda_histo_decoder_seek_now (decoder, time);
  g_mutex_lock (&decoder->lock);
  decoder->is_seeking = time != decoder->seek_time; /* another seek may have been requested meanwhile */
  g_cond_broadcast (&decoder->changed);
  return TRUE;
}

static gpointer
gst_cuda_histo_decoder_run (gpointer data)
{
  GstCudaHistoDecoder *decoder = data;

  gst_cuda_histo_decoder_play (decoder);
  g_mutex_lock (&decoder->lock);
  while (!decoder->is_stopping) {
    if (!gst_cuda_histo_decoder_work (decoder))
      g_cond_wait (&decoder->changed, &decoder->lock);
  }
  g_mutex_unlock (&decoder->lock);
  /* A full appsink waits with the lock that a state change needs, and uridecodebin's may be going on. */
  gst_app_sink_set_drop (decoder->sink, TRUE);
  gst_element_set_state (decoder->pipeline, GST_STATE_NULL);
  g_mutex_lock (&decoder->lock);
  decoder->has_stopped = TRUE;
  if (decoder->is_stuck)
    g_atomic_int_add (&n_stuck, -1);
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
  gst_cuda_histo_decoder_unref (decoder);
  return NULL;
}

/* ---- for the owner --------------------------------------------------------------------------------------------------- */

static GstElement *
gst_cuda_histo_decoder_add_element (GstCudaHistoDecoder *decoder, const gchar *name, GError **error)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  if (element == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
                 "Cannot read a reference without the element %s. Install GStreamer's base plugins.", name);
  else
    gst_bin_add (GST_BIN (decoder->pipeline), element);
  return element;
}

static gboolean
gst_cuda_histo_decoder_build (GstCudaHistoDecoder *decoder, const gchar *uri, GError **error)
{
  GstAppSinkCallbacks callbacks = { .new_sample = gst_cuda_histo_decoder_note_sample, .eos = gst_cuda_histo_decoder_note_end };
  GstElement *source = gst_cuda_histo_decoder_add_element (decoder, "uridecodebin", error);
  g_autofree gchar *open_uri = decoding_location_open (uri, &decoder->fd);
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstPad) decoded = NULL, converted = NULL;
  GstElement *sink;

  if (source == NULL || (decoder->convert = gst_cuda_histo_decoder_add_element (decoder, "videoconvert", error)) == NULL
      || (decoder->filter = gst_cuda_histo_decoder_add_element (decoder, "capsfilter", error)) == NULL
      || (sink = gst_cuda_histo_decoder_add_element (decoder, "appsink", error)) == NULL)
    return FALSE;

  decoder->sink = GST_APP_SINK (sink);
  g_object_set (source, "uri", open_uri != NULL ? open_uri : uri, "force-sw-decoders", TRUE,
                NULL);                                /* for frames in system memory */
  g_object_set (decoder->convert, "dither", 0, NULL); /* the same samples each time, without noise */
  /* Not async: with a live source, uridecodebin may leave its ASYNC_START on the pipeline, which then waits in PAUSED for its
   * sink (GStreamer 1.22). */
  g_object_set (sink, "async", FALSE, "sync", FALSE, "enable-last-sample", FALSE, "max-buffers", FRAMES_AHEAD, NULL);
  gst_app_sink_set_callbacks (decoder->sink, &callbacks, decoder, NULL);
  decoding_watch (decoder->pipeline, source);
  decoding_choose_clock (decoder->pipeline, open_uri != NULL ? open_uri : uri);
  g_signal_connect (source, "autoplug-continue", G_CALLBACK (gst_cuda_histo_decoder_wants), NULL);
  g_signal_connect (source, "pad-added", G_CALLBACK (gst_cuda_histo_decoder_link_pad), decoder);
  g_signal_connect (source, "no-more-pads", G_CALLBACK (gst_cuda_histo_decoder_check_pads), decoder);
  decoded = gst_element_get_static_pad (decoder->convert, "sink");
  gst_pad_add_probe (decoded, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, gst_cuda_histo_decoder_take_caps, decoder, NULL);
  converted = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (converted, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_BUFFER,
                     gst_cuda_histo_decoder_convert_range, decoder, NULL);
  bus = gst_pipeline_get_bus (GST_PIPELINE (decoder->pipeline));
  gst_bus_set_sync_handler (bus, gst_cuda_histo_decoder_take_message, decoder, NULL);
  return gst_element_link_many (decoder->convert, decoder->filter, sink, NULL);
}

static GstCudaHistoDecoder *
gst_cuda_histo_decoder_ref (GstCudaHistoDecoder *decoder)
{
  g_atomic_ref_count_inc (&decoder->ref_count);
  return decoder;
}

void
gst_cuda_histo_decoder_unref (GstCudaHistoDecoder *decoder)
{
  if (!g_atomic_ref_count_dec (&decoder->ref_count))
    return;
  gst_object_unref (decoder->pipeline);
  if (decoder->fd >= 0)
    close (decoder->fd);
  g_clear_pointer (&decoder->range, gst_cuda_histo_range_free);
  g_mutex_clear (&decoder->wait_lock);
  g_mutex_clear (&decoder->lock);
  g_cond_clear (&decoder->changed);
  g_clear_error (&decoder->error);
  g_queue_clear_full (&decoder->frames, gst_cuda_histo_decoder_free_frame);
  g_queue_clear_full (&decoder->missing, (GDestroyNotify)gst_structure_free);
  g_free (decoder->warning);
  g_free (decoder->location);
  g_free (decoder->uri);
  g_free (decoder);
}

GstCudaHistoDecoder *
gst_cuda_histo_decoder_new (GstElement *owner, const gchar *location, const GstVideoInfo *info, GError **error)
{
  const gboolean is_uri = decoding_location_is_uri (location);
  g_autofree gchar *uri = is_uri ? g_strdup (location) : gst_filename_to_uri (location, error);
  g_autofree gchar *name = g_strdup_printf ("%s-reference", owner != NULL ? GST_OBJECT_NAME (owner) : "cudahisto");
  GstCudaHistoDecoder *decoder;

  if (uri == NULL)
    return NULL;
  if (gst_cuda_histo_decoder_count_stuck () >= MAX_STUCK) {
    g_set_error (
        error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY,
        "Cannot read another reference: %d stopped references are stuck in reads that do not end, each with its threads "
        "(references-stuck of the property stats). Restart the process.",
        MAX_STUCK);
    return NULL;
  }
  decoder = g_new0 (GstCudaHistoDecoder, 1);
  g_atomic_ref_count_init (&decoder->ref_count);
  decoder->owner = owner;
  decoder->location = is_uri ? decoding_location_hide_secrets (location) : g_strdup (location);
  decoder->uri = g_strdup (uri);
  decoder->fd = -1;
  decoder->info = *info;
  decoder->decoded = info->finfo;
  decoder->converted = *info;
  decoder->can_seek = TRUE;
  decoder->pipeline = gst_object_ref_sink (gst_pipeline_new (name));
  g_mutex_init (&decoder->wait_lock);
  g_mutex_init (&decoder->lock);
  g_cond_init (&decoder->changed);
  GST_INFO_OBJECT (owner, "reference %s", decoder->location);
  if (gst_cuda_histo_decoder_build (decoder, uri, error)) {
    /* No element owns it in STREAM_STATUS messages: it may outlive the element. */
    decoder->thread = gst_cuda_histo_thread_new (NULL, "histo-reference", gst_cuda_histo_decoder_run,
                                                 gst_cuda_histo_decoder_ref (decoder), error);
    if (decoder->thread != NULL)
      return decoder;
    gst_cuda_histo_decoder_unref (decoder);
  }
  gst_cuda_histo_decoder_unref (decoder);
  return NULL;
}

/* With `lock` held. FALSE: no outcome yet. */
static gboolean
gst_cuda_histo_decoder_look (GstCudaHistoDecoder *decoder, GstCudaHistoDecoderOutcome *outcome, GstCudaHistoDecoderFrame *frame)
{
  GstCudaHistoDecoderFrame *first;

  if (decoder->is_flushing || decoder->is_stopping) {
    *outcome = GST_CUDA_HISTO_DECODER_FLUSHING;
    return TRUE;
  }
  while (!decoder->is_seeking && g_queue_is_empty (&decoder->frames) && gst_cuda_histo_decoder_pull (decoder))
    ;
  if ((first = g_queue_pop_head (&decoder->frames)) != NULL) {
    *frame = *first;
    g_free (first);
    *outcome = GST_CUDA_HISTO_DECODER_FRAME;
    return TRUE;
  }
  if (decoder->error != NULL) {
    *outcome = GST_CUDA_HISTO_DECODER_FAILED;
    return TRUE;
  }
  /* An EOS from before the seek is obsolete. */
  *outcome = GST_CUDA_HISTO_DECODER_END;
  return !decoder->is_seeking && decoder->has_ended && gst_app_sink_is_eos (decoder->sink);
}

GstCudaHistoDecoderOutcome
gst_cuda_histo_decoder_next (GstCudaHistoDecoder *decoder, gboolean waits, GstCudaHistoDecoderFrame *frame, GError **error)
{
  const gint64 deadline = g_get_monotonic_time () + PATIENCE_US;
  GstCudaHistoDecoderOutcome outcome;

  gst_cuda_histo_decoder_pass_messages (decoder, FALSE); /* first: a handler may stop the decoder, which shows below */
  g_mutex_lock (&decoder->lock);
  g_atomic_int_add (&n_awaited, waits ? 1 : 0);
  while (!gst_cuda_histo_decoder_look (decoder, &outcome, frame)) {
    if (!waits) {
      outcome = GST_CUDA_HISTO_DECODER_LATE;
      break;
    }
    if (!g_cond_wait_until (&decoder->changed, &decoder->lock, deadline) && decoder->error == NULL)
      decoder->error
          = g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "The reference \"%s\" has given no frame for %d seconds.",
                         decoder->location, (gint)(PATIENCE_US / G_USEC_PER_SEC));
  }
  g_atomic_int_add (&n_awaited, waits ? -1 : 0);
  if (outcome == GST_CUDA_HISTO_DECODER_FAILED && error != NULL)
    *error = g_error_copy (decoder->error);
  g_mutex_unlock (&decoder->lock);
  if (outcome == GST_CUDA_HISTO_DECODER_FAILED) /* warnings explain the error that follows */
    gst_cuda_histo_decoder_pass_messages (decoder, FALSE);
  return outcome;
}

void
gst_cuda_histo_decoder_seek (GstCudaHistoDecoder *decoder, GstClockTime stream_time)
{
  g_mutex_lock (&decoder->lock);
  decoder->is_seeking = TRUE;
  decoder->seek_time = stream_time;
  decoder->goes_on = FALSE;
  decoder->next_number = 0;
  g_queue_clear_full (&decoder->frames, gst_cuda_histo_decoder_free_frame);
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

gboolean
gst_cuda_histo_decoder_can_seek (GstCudaHistoDecoder *decoder)
{
  gboolean can_seek;

  g_mutex_lock (&decoder->lock);
  can_seek = decoder->can_seek;
  g_mutex_unlock (&decoder->lock);
  return can_seek;
}

void
gst_cuda_histo_decoder_go_on (GstCudaHistoDecoder *decoder, GstClockTime from, GstClockTime until, guint64 number)
{
  g_mutex_lock (&decoder->lock);
  decoder->goes_on = TRUE;
  decoder->from = from;
  decoder->until = until;
  decoder->until_number = number;
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

void
gst_cuda_histo_decoder_clear_frame (GstCudaHistoDecoderFrame *frame)
{
  g_clear_pointer (&frame->sample, gst_sample_unref);
}

void
gst_cuda_histo_decoder_set_flushing (GstCudaHistoDecoder *decoder, gboolean flushing)
{
  g_mutex_lock (&decoder->lock);
  decoder->is_flushing = flushing;
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

guint
gst_cuda_histo_decoder_count_stuck (void)
{
  return (guint)g_atomic_int_get (&n_stuck);
}

guint
gst_cuda_histo_decoder_count_awaited (void)
{
  return (guint)g_atomic_int_get (&n_awaited);
}

/* Whether the source has started. From then on GstBaseSrc balances each unlock() with an unlock_stop() before it calls
 * stop(). */
static gboolean
gst_cuda_histo_decoder_has_begun (GstElement *element)
{
  gboolean has_begun;

  if (!GST_IS_BASE_SRC (element))
    return FALSE;
  GST_OBJECT_LOCK (element);
  has_begun = GST_BASE_SRC_IS_STARTING (element) || GST_BASE_SRC_IS_STARTED (element);
  GST_OBJECT_UNLOCK (element);
  return has_begun;
}

static void
gst_cuda_histo_decoder_interrupt_element (const GValue *item, gpointer user_data)
{
  GstElement *element = g_value_get_object (item);
  GHashTable *begun = user_data;
  const gint64 now = g_get_monotonic_time ();
  const gint64 *since = g_hash_table_lookup (begun, element);

  if (!gst_cuda_histo_decoder_has_begun (element))
    g_hash_table_remove (begun, element);
  else if (since == NULL)
    g_hash_table_insert (begun, gst_object_ref (element), g_memdup2 (&now, sizeof now));
  else if (now - *since >= INTERRUPT_US && GST_BASE_SRC_GET_CLASS (element)->unlock != NULL)
    GST_BASE_SRC_GET_CLASS (element)->unlock (GST_BASE_SRC (element));
}

/* Interrupts the sources' waits. A change to a lower state does that too, but only after the last change has ended, which may
 * itself wait for a source: for an HTTP server's answer, for example. A seek may wait for a demuxer that reads an index. Until
 * the wait ends no source is stopped, so that none frees what its unlock() needs meanwhile. A source that has just begun to
 * start may not have that yet, and is not unlocked: `begun` has the time since which each source has been starting or
 * started. */
static void
gst_cuda_histo_decoder_interrupt (GstCudaHistoDecoder *decoder, GHashTable *begun)
{
  GstIterator *elements;

  g_mutex_lock (&decoder->wait_lock);
  elements = decoder->is_waiting ? gst_bin_iterate_recurse (GST_BIN (decoder->pipeline)) : NULL;
  if (elements != NULL) {
    while (gst_iterator_foreach (elements, gst_cuda_histo_decoder_interrupt_element, begun) == GST_ITERATOR_RESYNC)
      gst_iterator_resync (elements);
    gst_iterator_free (elements);
  }
  g_mutex_unlock (&decoder->wait_lock);
}

/* With `lock` held: waits until the pipeline has stopped, or until the deadline. */
static void
gst_cuda_histo_decoder_await_stop (GstCudaHistoDecoder *decoder, gint64 deadline)
{
  g_autoptr (GHashTable) begun = g_hash_table_new_full (NULL, NULL, gst_object_unref, g_free);

  while (!decoder->has_stopped && g_get_monotonic_time () < deadline) {
    if (g_cond_wait_until (&decoder->changed, &decoder->lock, g_get_monotonic_time () + INTERRUPT_US))
      continue;
    g_mutex_unlock (&decoder->lock);
    gst_cuda_histo_decoder_interrupt (decoder, begun);
    g_mutex_lock (&decoder->lock);
  }
}

void
gst_cuda_histo_decoder_stop (GstCudaHistoDecoder *decoder)
{
  const gint64 deadline = g_get_monotonic_time () + STOP_US;

  g_mutex_lock (&decoder->lock);
  decoder->is_stopping = TRUE;
  g_cond_broadcast (&decoder->changed);
  gst_cuda_histo_decoder_await_stop (decoder, deadline);
  if (decoder->has_stopped) {
    g_mutex_unlock (&decoder->lock);
    g_thread_join (decoder->thread);
    gst_cuda_histo_decoder_pass_messages (decoder, TRUE);
    return;
  }
  decoder->is_stuck = TRUE;
  g_atomic_int_inc (&n_stuck);
  g_mutex_unlock (&decoder->lock);
  GST_WARNING_OBJECT (decoder->pipeline, "%s is stuck; its thread stops it later", decoder->location);
  g_thread_unref (decoder->thread);
}
