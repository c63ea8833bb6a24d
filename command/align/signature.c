/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "align/signature.h"

#include <gio/gio.h>
#include <gst/video/video.h>

#include "decoding/location.h"
#include "decoding/timeline.h"
#include "decoding/track.h"
#include "decoding/watch.h"
#include "common/interrupt.h"

#define PATIENCE (20 * GST_SECOND)
#define POLL_TIME (50 * GST_MSECOND)
#define ENOUGH "enough"

typedef struct {
  GstElement *pipeline, *convert;
  GArray *signatures;
  guint n_frames;
  GstClockTime span;
  DecodingTimeline line;
  gboolean lacks_time, is_enough;
} Reading;

/* ---- on threads of the pipeline ------------------------------------------------------------------------------------ */

static void
signature_link (GstElement *source G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  Reading *reading = user_data;
  g_autoptr (GstPad) sink = gst_element_get_static_pad (reading->convert, "sink");
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);

  if (!gst_pad_is_linked (sink) && !gst_caps_is_any (caps) && !gst_caps_is_empty (caps)
      && gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw"))
    gst_pad_link (pad, sink);
}

static gfloat
signature_get_mean (const GstVideoFrame *frame, guint left, guint right, guint top, guint bottom)
{
  const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (frame, 0);
  const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
  guint64 sum = 0;

  for (guint y = top; y < bottom; y++)
    for (guint x = left; x < right; x++)
      sum += data[(gssize)y * stride + x];
  return (gfloat)((gdouble)sum / ((gdouble)(right - left) * (bottom - top)));
}

/* Blocks of a small picture overlap: none is empty. */
static void
signature_measure (Signature *signature, const GstVideoFrame *frame)
{
  const guint width = (guint)GST_VIDEO_FRAME_WIDTH (frame), height = (guint)GST_VIDEO_FRAME_HEIGHT (frame);

  for (guint row = 0; row < SIGNATURE_ROWS; row++)
    for (guint column = 0; column < SIGNATURE_COLUMNS; column++) {
      const guint left = column * width / SIGNATURE_COLUMNS, top = row * height / SIGNATURE_ROWS;
      const guint right = MAX ((column + 1) * width / SIGNATURE_COLUMNS, left + 1);
      const guint bottom = MAX ((row + 1) * height / SIGNATURE_ROWS, top + 1);

      signature->blocks[row * SIGNATURE_COLUMNS + column] = signature_get_mean (frame, left, right, top, bottom);
    }
}

/* FALSE: the frame cannot be mapped, or has no time. */
static gboolean
signature_add (Reading *reading, GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  Signature signature;
  GstVideoInfo info;
  GstVideoFrame frame;

  if (caps == NULL || event == NULL || !gst_video_info_from_caps (&info, caps))
    return FALSE;
  gst_event_parse_segment (event, &segment);
  signature.time = decoding_timeline_follow (&reading->line, GST_BUFFER_PTS (buffer),
                                             gst_segment_to_stream_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)));
  if (!GST_CLOCK_TIME_IS_VALID (signature.time) || !gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
    return FALSE;
  signature_measure (&signature, &frame);
  gst_video_frame_unmap (&frame);
  g_array_append_val (reading->signatures, signature);
  return TRUE;
}

static GstPadProbeReturn
signature_take_frame (GstPad *pad, GstPadProbeInfo *probe, gpointer user_data)
{
  Reading *reading = user_data;
  GArray *signatures = reading->signatures;

  if (reading->is_enough)
    return GST_PAD_PROBE_DROP;
  reading->lacks_time = !signature_add (reading, pad, GST_PAD_PROBE_INFO_BUFFER (probe));
  reading->is_enough
      = reading->lacks_time || signatures->len >= reading->n_frames
        || g_array_index (signatures, Signature, signatures->len - 1).time - g_array_index (signatures, Signature, 0).time
               >= reading->span;
  if (reading->is_enough)
    gst_element_post_message (reading->pipeline,
                              gst_message_new_application (GST_OBJECT (reading->pipeline), gst_structure_new_empty (ENOUGH)));
  return GST_PAD_PROBE_DROP;
}

/* Gives luma of both films the same matrix. Otherwise videoconvert converts its range, or not, depending on other parts of the
 * colorimetry. */
static GstPadProbeReturn
signature_take_caps (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *probe, gpointer user_data G_GNUC_UNUSED)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  GstVideoInfo info;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  if (!gst_video_info_from_caps (&info, caps) || !GST_VIDEO_INFO_IS_YUV (&info))
    return GST_PAD_PROBE_OK;
  caps = gst_caps_copy (caps);
  gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING,
                       info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 ? "1:4:0:0" : "2:4:0:0", NULL);
  GST_PAD_PROBE_INFO_DATA (probe) = gst_event_new_caps (caps);
  gst_event_set_seqnum (GST_PAD_PROBE_INFO_EVENT (probe), gst_event_get_seqnum (event));
  gst_caps_unref (caps);
  gst_event_unref (event);
  return GST_PAD_PROBE_OK;
}

/* ---- for the command ----------------------------------------------------------------------------------------------- */

/* NULL: it is not a regular file. Only those can be read twice. */
static gchar *
signature_get_uri (const gchar *where)
{
  g_autofree gchar *path
      = decoding_location_is_uri (where) ? g_filename_from_uri (where, NULL, NULL) : g_canonicalize_filename (where, NULL);

  return path != NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR) ? gst_filename_to_uri (path, NULL) : NULL;
}

static gboolean
signature_build (Reading *reading, const gchar *uri)
{
  GstElement *source = gst_element_factory_make ("uridecodebin", NULL), *filter, *sink;
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "GRAY8", NULL);
  g_autoptr (GstPad) pad = NULL, decoded = NULL;

  reading->convert = gst_element_factory_make ("videoconvert", NULL);
  filter = gst_element_factory_make ("capsfilter", NULL);
  sink = gst_element_factory_make ("fakesink", NULL);
  if (source == NULL || reading->convert == NULL || filter == NULL || sink == NULL) {
    g_clear_object (&source);
    g_clear_object (&reading->convert);
    g_clear_object (&filter);
    g_clear_object (&sink);
    return FALSE;
  }
  g_object_set (source, "uri", uri, "force-sw-decoders", TRUE, NULL);
  g_object_set (filter, "caps", caps, NULL);
  decoding_prepare_sink (sink, FALSE);
  gst_bin_add_many (GST_BIN (reading->pipeline), source, reading->convert, filter, sink, NULL);
  decoding_watch (reading->pipeline, source);
  decoding_choose_clock (reading->pipeline, uri);
  g_signal_connect (source, "autoplug-continue", G_CALLBACK (decoding_track_decodes), NULL);
  g_signal_connect (source, "pad-added", G_CALLBACK (signature_link), reading);
  decoded = gst_element_get_static_pad (reading->convert, "sink");
  gst_pad_add_probe (decoded, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, signature_take_caps, NULL, NULL);
  pad = gst_element_get_static_pad (filter, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, signature_take_frame, reading, NULL);
  return gst_element_link_many (reading->convert, filter, sink, NULL);
}

/* FALSE: an error, or an interrupt. At the deadline, the frames so far are enough. */
static gboolean
signature_await (Reading *reading, GstClockTime timeout)
{
  const GstClockTime patience = timeout > 0 ? MIN (timeout, PATIENCE) : PATIENCE;
  const gint64 deadline = g_get_monotonic_time () + (gint64)(patience / GST_USECOND);
  g_autoptr (GstBus) bus = gst_pipeline_get_bus (GST_PIPELINE (reading->pipeline));

  while (g_get_monotonic_time () < deadline && interrupt_get () == 0) {
    g_autoptr (GstMessage) message
        = gst_bus_timed_pop_filtered (bus, POLL_TIME, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_APPLICATION);

    if (message != NULL)
      return GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR;
  }
  return interrupt_get () == 0;
}

GArray *
signature_read (const gchar *where, guint n_frames, GstClockTime span, GstClockTime timeout)
{
  g_autofree gchar *uri = signature_get_uri (where);
  Reading reading = { .n_frames = n_frames, .span = span };
  gboolean succeeded;

  if (uri == NULL)
    return NULL;
  reading.pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  reading.signatures = g_array_new (FALSE, FALSE, sizeof (Signature));
  succeeded = signature_build (&reading, uri)
              && gst_element_set_state (reading.pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE
              && signature_await (&reading, timeout);
  gst_element_set_state (reading.pipeline, GST_STATE_NULL);
  gst_object_unref (reading.pipeline);
  if (succeeded && !reading.lacks_time && reading.signatures->len > 0)
    return reading.signatures;
  g_array_unref (reading.signatures);
  return NULL;
}
