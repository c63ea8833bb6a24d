/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/videoinfo.h"

#define MAX_SD_HEIGHT 576 /* largest height of standard definition, whose matrix is BT.601's */

/* Returns the defaults for the parts of a colorimetry that has no matrix. */
static const gchar *
gst_cuda_histo_video_info_choose_defaults (const GstVideoInfo *info, const GstVideoColorimetry *colorimetry)
{
  if (GST_VIDEO_INFO_IS_GRAY (info))
    return "1:4:0:0";
  if (colorimetry->primaries == GST_VIDEO_COLOR_PRIMARIES_BT2020 || colorimetry->transfer == GST_VIDEO_TRANSFER_SMPTE2084
      || colorimetry->transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    return GST_VIDEO_COLORIMETRY_BT2020;
  return GST_VIDEO_INFO_HEIGHT (info) <= MAX_SD_HEIGHT ? GST_VIDEO_COLORIMETRY_BT601 : GST_VIDEO_COLORIMETRY_BT709;
}

gboolean
gst_cuda_histo_video_info_from_caps (GstVideoInfo *info, const GstCaps *caps)
{
  GstVideoColorimetry colorimetry = { .matrix = GST_VIDEO_COLOR_MATRIX_UNKNOWN };
  const gchar *text;

  if (!gst_video_info_from_caps (info, caps))
    return FALSE;
  text = gst_structure_get_string (gst_caps_get_structure (caps, 0), "colorimetry");
  if (text != NULL)
    gst_video_colorimetry_from_string (&colorimetry, text);
  if (GST_VIDEO_INFO_IS_RGB (info)
      || (colorimetry.matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN && colorimetry.matrix != GST_VIDEO_COLOR_MATRIX_RGB))
    return TRUE;
  gst_video_colorimetry_from_string (&info->colorimetry, gst_cuda_histo_video_info_choose_defaults (info, &colorimetry));
  /* Later versions have ranges for floating-point samples only. */
  if (colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 || colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235)
    info->colorimetry.range = colorimetry.range;
  if (colorimetry.transfer != GST_VIDEO_TRANSFER_UNKNOWN)
    info->colorimetry.transfer = colorimetry.transfer;
  if (colorimetry.primaries != GST_VIDEO_COLOR_PRIMARIES_UNKNOWN)
    info->colorimetry.primaries = colorimetry.primaries;
  return TRUE;
}

GstVideoColorMatrix
gst_cuda_histo_video_info_get_luma_matrix (const GstVideoInfo *info, const GstCaps *caps)
{
  const gchar *text = caps != NULL ? gst_structure_get_string (gst_caps_get_structure (caps, 0), "colorimetry") : NULL;
  GstVideoColorimetry colorimetry;
  gdouble kr, kb;

  if (text != NULL && gst_video_colorimetry_from_string (&colorimetry, text)
      && gst_video_color_matrix_get_Kr_Kb (colorimetry.matrix, &kr, &kb))
    return colorimetry.matrix;
  if (info->colorimetry.primaries == GST_VIDEO_COLOR_PRIMARIES_BT2020)
    return GST_VIDEO_COLOR_MATRIX_BT2020;
  return GST_VIDEO_COLOR_MATRIX_BT709;
}

void
gst_cuda_histo_video_info_assume_range (const GstVideoInfo *info, GstVideoColorimetry *colorimetry)
{
  if (colorimetry->range != GST_VIDEO_COLOR_RANGE_UNKNOWN)
    return;
  colorimetry->range = GST_VIDEO_INFO_IS_YUV (info) ? GST_VIDEO_COLOR_RANGE_16_235 : GST_VIDEO_COLOR_RANGE_0_255;
}
