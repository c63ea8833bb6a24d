/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/source.h"

#include <string.h>

#include "frame/picture.h"

gboolean
gst_cuda_histo_source_set_frame (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame)
{
  /* The first component is never subsampled. */
  const guint width = (guint)frame->frame.components[0].width;
  guint height = frame->frame.planes[frame->frame.components[0].plane].height;
  gboolean changes;

  if (gst_cuda_histo_picture_is_field (info))
    height = MIN (2 * height, (guint)GST_VIDEO_INFO_HEIGHT (info));
  changes = width != source->width || height != source->height;

  source->width = width;
  source->height = height;
  source->phase_x = frame->frame.chroma.phase_x;
  source->phase_y = frame->phase_y;
  return changes;
}

void
gst_cuda_histo_source_init_video (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame)
{
  GstCudaHistoLayout layout;
  gchar *colorimetry;

  gst_cuda_histo_layout_find (&layout, info->finfo);
  *source = (GstCudaHistoSource){
    .is_video = TRUE,
    .format = info->finfo->name,
    .width = (guint)GST_VIDEO_INFO_WIDTH (info),
    .height = (guint)GST_VIDEO_INFO_HEIGHT (info),
    .depth = layout.components[0].depth,
    .range = "unknown",
    .framerate_n = GST_VIDEO_INFO_FPS_N (info),
    .framerate_d = GST_VIDEO_INFO_FPS_D (info),
    .n_components = layout.n_components,
  };
  colorimetry = gst_video_colorimetry_to_string (&info->colorimetry);
  source->colorimetry = colorimetry != NULL ? g_intern_string (colorimetry) : NULL;
  g_free (colorimetry);
  if (frame != NULL)
    gst_cuda_histo_source_set_frame (source, info, frame);
  if (info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255)
    source->range = "full";
  else if (info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235)
    source->range = "limited";
  for (guint c = 0; c < source->n_components; c++)
    source->components[c] = layout.components[c].name;
}

void
gst_cuda_histo_source_set_derived (GstCudaHistoSource *source, guint n_derived, gboolean reports_luma)
{
  const guint n_stored = source->n_components - source->n_derived;

  memmove (&source->components[n_derived], &source->components[source->n_derived], n_stored * sizeof source->components[0]);
  for (guint c = 0; c < n_derived; c++)
    source->components[c] = c == 0 && reports_luma ? "luma" : NULL;
  source->n_derived = n_derived;
  source->n_components = n_stored + n_derived;
}

void
gst_cuda_histo_source_init_bytes (GstCudaHistoSource *source)
{
  *source = (GstCudaHistoSource){
    .format = "bytes",
    .depth = 8,
    .range = "full",
    .n_components = 1,
    .components = { "byte" },
  };
}
