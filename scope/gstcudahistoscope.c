/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudahistoscope
 * @title: cudahistoscope
 * @short_description: draws histograms, waveforms and a vectorscope over the picture
 * @see_also: cudahisto, textoverlay
 *
 * cudahistoscope draws the results of an upstream `cudahisto` (`add-meta=true`): histograms with marks at low, median and
 * high and with numbers, waveforms, and a vectorscope with the graticule of the signal's matrix
 * (#GstCudaHistoScope:modes). #GstCudaHistoScope:output selects the scope over the picture, or as a separate picture.
 *
 * The `cudahisto` must count the data of each panel: waveforms need `statistics=histogram+waveform`, the vectorscope
 * `statistics=histogram+vectorscope`, the bars of a histogram a value of `message-arrays` other than `none`. If a result
 * lacks the data, the panel shows a message, and the element warns once.
 *
 * The element draws when a new result arrives and when a property changes. If results are less frequent than frames, as with
 * `cudahisto interval=1000000000`, the last one stays. A flush, a new stream and a stop remove it. Without a result frames
 * pass unchanged.
 *
 * The scope is a #GstVideoOverlayComposition. If a downstream element blends such compositions (`glimagesink`,
 * `gtkglsink`), the scope is attached to the buffers, and no sample changes. Otherwise it is blended into frames
 * in system memory, in each format of GStreamer, including those of more than 8 bits. Frames that other elements share are
 * copied first; samples outside the scope do not change. Frames in other memory, such as `memory:CUDAMemory`, always get the
 * scope attached, and are neither copied nor mapped. The element warns if no downstream element blends it.
 *
 * With several upstream `cudahisto`, the scope draws the results of the nearest one, or of the one that
 * #GstCudaHistoScope:element names.
 *
 * In a picture with a #GstVideoCropMeta the scope is in the visible part. It respects the pixel aspect ratio. A sink that
 * rotates the picture by its orientation tag also rotates the scope. To prevent this, put `videoflip method=automatic`
 * upstream.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=90 ! cudahisto add-meta=true ! cudahistoscope ! videoconvert ! autovideosink
 * ]|
 * Shows the histogram of a test picture.
 * |[
 * gst-launch-1.0 filesrc location=clip.mp4 ! decodebin ! cudahisto add-meta=true statistics=basic+waveform+vectorscope \
 *   ! cudahistoscope modes=histogram+waveform+vectorscope placement=bottom ! videoconvert ! autovideosink
 * ]|
 * Shows a clip with three scopes below.
 * |[
 * gst-launch-1.0 filesrc location=clip.mp4 ! decodebin ! cudahisto add-meta=true statistics=basic+waveform \
 *   ! cudahistoscope output=picture modes=waveform-parade ! video/x-raw,width=960,height=360 ! videoconvert ! fakesink
 * ]|
 * Draws a picture of the waveforms of Y, U and V for each frame.
 *
 * Since: 0.2
 */

#include "gstcudahistoscope.h"

#include <string.h>

GST_DEBUG_CATEGORY (gst_cuda_histo_scope_debug);

/* Time without a result before a warning. */
#define NO_RESULT_TIMEOUT (5 * GST_SECOND)
#define NO_RESULT_FRAMES 250 /* the same, if frames have no times */

#define OVERLAY_CAPS "video/x-raw; video/x-raw(ANY)"

static GstStaticPadTemplate sink_template
    = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (OVERLAY_CAPS));
static GstStaticPadTemplate src_template
    = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (OVERLAY_CAPS));

G_DEFINE_TYPE (GstCudaHistoScope, gst_cuda_histo_scope, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudahistoscope, "cudahistoscope", GST_RANK_NONE, GST_TYPE_CUDA_HISTO_SCOPE,
                                       GST_DEBUG_CATEGORY_INIT (gst_cuda_histo_scope_debug, "cudahistoscope", 0,
                                                                "histogram, waveform and vectorscope"))

static void
gst_cuda_histo_scope_forget_result (GstCudaHistoScope *self)
{
  g_clear_pointer (&self->result, gst_cuda_histo_result_unref);
  g_clear_pointer (&self->composition, gst_video_overlay_composition_unref);
  gst_clear_buffer (&self->picture);
  self->is_drawn = FALSE;
  self->frames_without_result = 0;
  self->first_without_result = GST_CLOCK_TIME_NONE;
}

static void
gst_cuda_histo_scope_wait_for_result (GstCudaHistoScope *self, GstClockTime time)
{
  if (self->frames_without_result++ == 0)
    self->first_without_result = time;
  if (GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (self->first_without_result)
          ? time >= self->first_without_result + NO_RESULT_TIMEOUT
          : self->frames_without_result > NO_RESULT_FRAMES)
    gst_cuda_histo_scope_warn_of_no_result (self);
}

/* NONE if the buffer has no time, or the segment is not in time format. */
static GstClockTime
gst_cuda_histo_scope_get_stream_time (const GstCudaHistoScope *self, GstBuffer *buffer)
{
  if (self->segment.format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_stream_time (&self->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
}

/* Gets the result to draw from the buffer; NULL if there is none. If no element is named, the last result is the nearest
 * element's. If the buffer's only result is of another element than before, it may be from a more distant element, and is not
 * drawn. */
static GstCudaHistoResult *
gst_cuda_histo_scope_find_result (const GstCudaHistoScope *self, const gchar *element, GstBuffer *buffer)
{
  GstCudaHistoResult *result, *former;

  if (element != NULL)
    return gst_cuda_histo_buffer_find_result (buffer, element);
  result = gst_cuda_histo_result_from_buffer (buffer);
  if (result == NULL || self->result == NULL || strcmp (result->element, self->result->element) == 0)
    return result;
  former = gst_cuda_histo_buffer_find_result (buffer, self->result->element);
  gst_cuda_histo_result_unref (former != NULL ? former : result);
  return former != NULL ? result : NULL;
}

static void
gst_cuda_histo_scope_look_for_result (GstCudaHistoScope *self, const gchar *element, GstBuffer *buffer)
{
  GstCudaHistoResult *result = gst_cuda_histo_scope_find_result (self, element, buffer);

  if (element != NULL && self->result != NULL && strcmp (element, self->result->element) != 0)
    gst_cuda_histo_scope_forget_result (self);
  if (result != NULL) {
    g_clear_pointer (&self->result, gst_cuda_histo_result_unref);
    self->result = result;
    self->is_drawn = FALSE;
  } else if (self->result == NULL) {
    gst_cuda_histo_scope_wait_for_result (self, gst_cuda_histo_scope_get_stream_time (self, buffer));
  }
}

/* Gets the settings for the buffer. If they have changed, everything is drawn again. */
static GstCudaHistoScopeSettings
gst_cuda_histo_scope_get_settings (GstCudaHistoScope *self, GstBuffer *buffer)
{
  const GstClockTime time = gst_cuda_histo_scope_get_stream_time (self, buffer);
  GstCudaHistoScopeSettings settings;

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
  GST_OBJECT_LOCK (self);
  settings = self->settings;
  settings.output = self->output;
  GST_OBJECT_UNLOCK (self);
  if (memcmp (&settings, &self->drawn_settings, sizeof settings) != 0)
    self->is_drawn = FALSE;
  self->drawn_settings = settings;
  return settings;
}

static GstFlowReturn
gst_cuda_histo_scope_chain (GstPad *pad G_GNUC_UNUSED, GstObject *parent, GstBuffer *buffer)
{
  GstCudaHistoScope *self = GST_CUDA_HISTO_SCOPE (parent);
  GstCudaHistoScopeSettings settings;

  if (self->caps == NULL || (gst_pad_check_reconfigure (self->src_pad) && !gst_cuda_histo_scope_negotiate (self))) {
    gst_buffer_unref (buffer);
    return GST_PAD_IS_FLUSHING (self->src_pad) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  }
  settings = gst_cuda_histo_scope_get_settings (self, buffer);
  gst_cuda_histo_scope_look_for_result (self, settings.element, buffer);
  if (settings.output == GST_CUDA_HISTO_SCOPE_OUTPUT_PICTURE)
    buffer = gst_cuda_histo_scope_draw_picture (self, &settings, buffer);
  else
    buffer = gst_cuda_histo_scope_draw_over (self, &settings, buffer);
  if (buffer == NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
                       ("Cannot allocate a picture of %d x %d pixels for the scope: memory is exhausted; request a smaller one "
                        "after cudahistoscope (width and height of the caps).",
                        GST_VIDEO_INFO_WIDTH (&self->picture_info), GST_VIDEO_INFO_HEIGHT (&self->picture_info)),
                       (NULL));
    return GST_FLOW_ERROR;
  }
  return gst_pad_push (self->src_pad, buffer);
}

static gboolean
gst_cuda_histo_scope_take_caps (GstCudaHistoScope *self, GstEvent *event)
{
  GstCaps *caps;
  gboolean is_set;

  gst_event_parse_caps (event, &caps);
  is_set = gst_cuda_histo_scope_set_caps (self, caps);
  gst_event_unref (event);
  return is_set;
}

static gboolean
gst_cuda_histo_scope_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstCudaHistoScope *self = GST_CUDA_HISTO_SCOPE (parent);

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    return gst_cuda_histo_scope_take_caps (self, event);
  case GST_EVENT_SEGMENT:
    gst_event_copy_segment (event, &self->segment);
    break;
  case GST_EVENT_STREAM_START:
  case GST_EVENT_FLUSH_STOP:
    gst_cuda_histo_scope_forget_result (self);
    break;
  case GST_EVENT_EOS:
    if (self->result == NULL && self->frames_without_result > 0)
      gst_cuda_histo_scope_warn_of_no_result (self);
    break;
  default:
    break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_cuda_histo_scope_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCudaHistoScope *self = GST_CUDA_HISTO_SCOPE (parent);
  GstCaps *filter, *caps;

  switch (GST_QUERY_TYPE (query)) {
  case GST_QUERY_CAPS:
    gst_query_parse_caps (query, &filter);
    caps = gst_cuda_histo_scope_get_sink_caps (self, filter);
    gst_query_set_caps_result (query, caps);
    gst_caps_unref (caps);
    return TRUE;
  case GST_QUERY_ALLOCATION:
    if (gst_cuda_histo_scope_get_output (self) != GST_CUDA_HISTO_SCOPE_OUTPUT_PICTURE)
      return gst_pad_peer_query (self->src_pad, query);
    /* The element does not read the frames. */
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    gst_query_add_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL);
    return TRUE;
  default:
    return gst_pad_query_default (pad, parent, query);
  }
}

static gboolean
gst_cuda_histo_scope_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *filter, *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return gst_pad_query_default (pad, parent, query);
  gst_query_parse_caps (query, &filter);
  caps = gst_cuda_histo_scope_get_src_caps (GST_CUDA_HISTO_SCOPE (parent), filter);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

static void
gst_cuda_histo_scope_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec G_GNUC_UNUSED)
{
  GstCudaHistoScope *self = GST_CUDA_HISTO_SCOPE (object);
  gboolean was_late, is_late;

  GST_OBJECT_LOCK (self);
  was_late = self->is_started && self->settings.output != self->output;
  gst_cuda_histo_scope_settings_set (&self->settings, id, value);
  is_late = self->is_started && self->settings.output != self->output;
  GST_OBJECT_UNLOCK (self);
  if (is_late && !was_late)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
                         ("The property output cannot change while the stream runs; set it in state READY or NULL."),
                         ("the new value takes effect at the next start"));
}

static void
gst_cuda_histo_scope_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec G_GNUC_UNUSED)
{
  GstCudaHistoScope *self = GST_CUDA_HISTO_SCOPE (object);

  GST_OBJECT_LOCK (self);
  gst_cuda_histo_scope_settings_get (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_histo_scope_stop (GstCudaHistoScope *self)
{
  gst_cuda_histo_scope_forget_result (self);
  gst_cuda_histo_scope_drop_pool (self);
  g_clear_pointer (&self->canvas, gst_cuda_histo_scope_canvas_free);
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
  gst_clear_caps (&self->caps);
  self->notices = 0;
  GST_OBJECT_LOCK (self);
  self->is_started = FALSE;
  self->buffers_d = 0;
  GST_OBJECT_UNLOCK (self);
}

static GstStateChangeReturn
gst_cuda_histo_scope_change_state (GstElement *element, GstStateChange transition)
{
  GstCudaHistoScope *self = GST_CUDA_HISTO_SCOPE (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->canvas = gst_cuda_histo_scope_canvas_new ();
    GST_OBJECT_LOCK (self);
    self->output = self->settings.output;
    self->is_started = TRUE;
    GST_OBJECT_UNLOCK (self);
  }
  result = GST_ELEMENT_CLASS (gst_cuda_histo_scope_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    gst_cuda_histo_scope_stop (self);
  return result;
}

static void
gst_cuda_histo_scope_finalize (GObject *object)
{
  gst_cuda_histo_scope_stop (GST_CUDA_HISTO_SCOPE (object));
  G_OBJECT_CLASS (gst_cuda_histo_scope_parent_class)->finalize (object);
}

static void
gst_cuda_histo_scope_class_init (GstCudaHistoScopeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_cuda_histo_scope_set_property;
  object_class->get_property = gst_cuda_histo_scope_get_property;
  object_class->finalize = gst_cuda_histo_scope_finalize;
  gst_cuda_histo_scope_settings_install (object_class);

  element_class->change_state = gst_cuda_histo_scope_change_state;
  gst_element_class_set_static_metadata (
      element_class, "Scope: histogram, waveform, vectorscope", "Filter/Analyzer/Video",
      "Draws the results of cudahisto over the picture or as a separate picture: histograms with marks and numbers, "
      "waveforms, and a vectorscope with a graticule",
      "the cudahisto authors");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
}

static void
gst_cuda_histo_scope_init (GstCudaHistoScope *self)
{
  self->sink_pad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sink_pad, gst_cuda_histo_scope_chain);
  gst_pad_set_event_function (self->sink_pad, gst_cuda_histo_scope_sink_event);
  gst_pad_set_query_function (self->sink_pad, gst_cuda_histo_scope_sink_query);
  gst_element_add_pad (GST_ELEMENT (self), self->sink_pad);
  self->src_pad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_query_function (self->src_pad, gst_cuda_histo_scope_src_query);
  gst_element_add_pad (GST_ELEMENT (self), self->src_pad);
  gst_cuda_histo_scope_settings_init (&self->settings);
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
}
