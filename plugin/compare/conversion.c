/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/conversion.h"

#include "common/debug.h"
#include "frame/range.h"
#include "frame/videoinfo.h"

struct _GstCudaHistoConversion {
  GstElement *bin, *filter; /* `bin` owns the filter, and outlives this */
  GstVideoInfo info;        /* of the converted frames */
  GstCudaHistoConversionFailed failed;
  gpointer user_data;
  /* Of the pushing thread: the decoded format, the format after the conversion, and the conversion from there to the stream's
   * range and depth, or NULL. */
  const GstVideoFormatInfo *decoded;
  GstVideoInfo converted;
  GstCudaHistoRange *range;
  gboolean is_range_known; /* neither of the two above has changed since */
};

/* Returns the colorimetry to convert to: samples keep their stored values if possible. Only RGB and YUV are converted into each
 * other, with the stream's matrix and range. Otherwise the range is kept here and converted after videoconvert, which converts
 * it only with the matrix. NULL: unknown. */
static gchar *
gst_cuda_histo_conversion_choose_colorimetry (const GstVideoInfo *wanted, const GstVideoInfo *info)
{
  GstVideoColorimetry colorimetry = wanted->colorimetry;

  if (!GST_VIDEO_INFO_IS_RGB (info) == !GST_VIDEO_INFO_IS_RGB (wanted))
    return gst_video_colorimetry_to_string (&info->colorimetry);
  gst_cuda_histo_video_info_assume_range (wanted, &colorimetry);
  return gst_video_colorimetry_to_string (&colorimetry);
}

static void
gst_cuda_histo_conversion_set_colorimetry (GstPadProbeInfo *probe, const gchar *colorimetry)
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
  gst_event_set_seqnum (GST_PAD_PROBE_INFO_EVENT (probe), gst_event_get_seqnum (event));
  gst_event_unref (event);
}

/* FALSE: another event, or invalid caps, which the conversion refuses. */
static gboolean
gst_cuda_histo_conversion_parse_caps (GstEvent *event, GstVideoInfo *info)
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
gst_cuda_histo_conversion_take_caps (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *probe, gpointer user_data)
{
  GstCudaHistoConversion *conversion = user_data;
  g_autofree gchar *from = NULL, *to = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;

  if (!gst_cuda_histo_conversion_parse_caps (GST_PAD_PROBE_INFO_EVENT (probe), &info))
    return GST_PAD_PROBE_OK;
  conversion->decoded = info.finfo;
  conversion->is_range_known = FALSE;
  to = gst_cuda_histo_conversion_choose_colorimetry (&conversion->info, &info);
  if (!GST_VIDEO_INFO_IS_RGB (&info) != !GST_VIDEO_INFO_IS_RGB (&conversion->info)) {
    conversion->decoded = conversion->info.finfo; /* the conversion changes samples */
    gst_cuda_histo_video_info_assume_range (&info, &info.colorimetry);
  }
  from = gst_video_colorimetry_to_string (&info.colorimetry);
  gst_cuda_histo_conversion_set_colorimetry (probe, from);
  caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, conversion->info.finfo->name, NULL);
  if (to != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, to, NULL);
  GST_DEBUG_OBJECT (conversion->bin, "%" GST_PTR_FORMAT ", as %" GST_PTR_FORMAT, (gpointer)GST_PAD_PROBE_INFO_EVENT (probe),
                    (gpointer)caps);
  g_object_set (conversion->filter, "caps", caps, NULL);
  return GST_PAD_PROBE_OK;
}

/* If only the decoded format changes, the conversion sends no new caps. */
static void
gst_cuda_histo_conversion_find_range (GstCudaHistoConversion *conversion)
{
  if (conversion->is_range_known)
    return;
  g_clear_pointer (&conversion->range, gst_cuda_histo_range_free);
  conversion->range
      = gst_cuda_histo_range_new (&conversion->converted, conversion->decoded, conversion->info.colorimetry.range);
  conversion->is_range_known = TRUE;
}

/* A probe before the sink: converts frames to the stream's range. Caps stay the same, since no later element reads the
 * range. */
static GstPadProbeReturn
gst_cuda_histo_conversion_convert_range (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *probe, gpointer user_data)
{
  GstCudaHistoConversion *conversion = user_data;
  g_autoptr (GError) error = NULL;
  GstBuffer *converted;

  if ((GST_PAD_PROBE_INFO_TYPE (probe) & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    if (gst_cuda_histo_conversion_parse_caps (GST_PAD_PROBE_INFO_EVENT (probe), &conversion->converted))
      conversion->is_range_known = FALSE;
    return GST_PAD_PROBE_OK;
  }
  gst_cuda_histo_conversion_find_range (conversion);
  if (conversion->range == NULL)
    return GST_PAD_PROBE_OK;
  converted = gst_cuda_histo_range_convert (conversion->range, GST_PAD_PROBE_INFO_BUFFER (probe), &error);
  if (converted == NULL) {
    conversion->failed (conversion->user_data, g_steal_pointer (&error));
    return GST_PAD_PROBE_DROP;
  }
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (probe));
  GST_PAD_PROBE_INFO_DATA (probe) = converted;
  return GST_PAD_PROBE_OK;
}

GstCudaHistoConversion *
gst_cuda_histo_conversion_new (const GstVideoInfo *info, GstElement *bin, GstElement *convert, GstElement *filter,
                               GstElement *sink, GstCudaHistoConversionFailed failed, gpointer user_data)
{
  GstCudaHistoConversion *conversion = g_new0 (GstCudaHistoConversion, 1);
  g_autoptr (GstPad) decoded = gst_element_get_static_pad (convert, "sink");
  g_autoptr (GstPad) converted = gst_element_get_static_pad (sink, "sink");

  conversion->bin = bin;
  conversion->filter = filter;
  conversion->info = conversion->converted = *info;
  conversion->decoded = info->finfo;
  conversion->failed = failed;
  conversion->user_data = user_data;
  g_object_set (convert, "dither", 0, NULL); /* the same samples each time, without noise */
  gst_pad_add_probe (decoded, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, gst_cuda_histo_conversion_take_caps, conversion, NULL);
  gst_pad_add_probe (converted, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_BUFFER,
                     gst_cuda_histo_conversion_convert_range, conversion, NULL);
  return conversion;
}

void
gst_cuda_histo_conversion_free (GstCudaHistoConversion *conversion)
{
  g_clear_pointer (&conversion->range, gst_cuda_histo_range_free);
  g_free (conversion);
}
