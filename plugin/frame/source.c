/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/source.h"

#include <string.h>

#include "frame/picture.h"

/* The first component is never subsampled. */
static guint
gst_cuda_histo_source_get_rows (const GstCudaHistoFrame *frame)
{
  return frame->frame.planes[frame->frame.components[0].plane].height;
}

guint
gst_cuda_histo_source_get_frame_height (const GstVideoInfo *info, const GstCudaHistoFrame *picture)
{
  const guint rows = gst_cuda_histo_source_get_rows (picture);

  if (gst_cuda_histo_picture_is_field (info) || gst_cuda_histo_picture_is_alternate (info))
    return MIN (2 * rows, (guint)GST_VIDEO_INFO_HEIGHT (info));
  return rows;
}

static void
gst_cuda_histo_source_set_framerate (GstCudaHistoSource *source, const GstVideoInfo *info, gboolean is_field)
{
  source->framerate_n = GST_VIDEO_INFO_FPS_N (info);
  source->framerate_d = GST_VIDEO_INFO_FPS_D (info);
  if (is_field && source->framerate_n > 0
      && !gst_util_fraction_multiply (source->framerate_n, source->framerate_d, 2, 1, &source->framerate_n,
                                      &source->framerate_d))
    source->framerate_n = 0;
}

void
gst_cuda_histo_source_set_frame (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame,
                                 gboolean is_field)
{
  gst_cuda_histo_source_set_framerate (source, info, is_field);
  source->width = (guint)frame->frame.components[0].width;
  source->height = is_field ? gst_cuda_histo_source_get_rows (frame) : gst_cuda_histo_source_get_frame_height (info, frame);
  source->phase_x = frame->frame.chroma.phase_x;
  source->phase_y = frame->phase_y;
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
    .n_components = layout.n_components,
  };
  gst_cuda_histo_source_set_framerate (source, info, FALSE);
  colorimetry = gst_video_colorimetry_to_string (&info->colorimetry);
  source->colorimetry = colorimetry != NULL ? g_intern_string (colorimetry) : NULL;
  g_free (colorimetry);
  source->light_transfer = gst_cuda_histo_picture_get_light_transfer (info);
  if (frame != NULL)
    gst_cuda_histo_source_set_frame (source, info, frame, FALSE);
  if (info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255)
    source->range = "full";
  else if (info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235)
    source->range = "limited";
  for (guint c = 0; c < source->n_components; c++)
    source->components[c] = layout.components[c].name;
}

void
gst_cuda_histo_source_init_fields (GstCudaHistoSource *source, const GstVideoInfo *info)
{
  gst_cuda_histo_source_init_video (source, info, NULL);
  gst_cuda_histo_source_set_framerate (source, info, TRUE);
  source->height = (source->height + 1) / 2;
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
