/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/format.h"

#include "frame/pictureformat.h"

gboolean
gst_cuda_histo_format_is_of_field (const GstCudaHistoFormat *format)
{
  return format->source.is_video && format->source.height < format->frame_height;
}

gboolean
gst_cuda_histo_format_has_unequal_fields (const GstCudaHistoFormat *format)
{
  return format->source.is_video
         && (format->has_fields || GST_VIDEO_INFO_INTERLACE_MODE (&format->info) != GST_VIDEO_INTERLACE_MODE_MIXED)
         && gst_cuda_histo_fields_are_unequal (&format->info, format->fields, format->frame_height);
}

gboolean
gst_cuda_histo_format_has_equal_frames (const GstCudaHistoFormat *format)
{
  return format->fields == GST_CUDA_HISTO_FIELDS_TOGETHER || !gst_cuda_histo_format_has_unequal_fields (format);
}

guint32
gst_cuda_histo_format_get_statistics (const GstCudaHistoFormat *format)
{
  const GstCudaHistoSource *source = &format->source;

  if (!source->is_video)
    return 0;
  return gst_cuda_histo_picture_get_statistics (&format->info, source->width, source->height)
         & ~(gst_cuda_histo_format_has_equal_frames (format)
                 ? 0u
                 : GST_CUDA_HISTO_COLOUR_STATISTICS | GST_CUDA_HISTO_HDR_STATISTICS);
}
