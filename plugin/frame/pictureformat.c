/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/pictureformat.h"

gboolean
gst_cuda_histo_picture_is_field (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_FIELDS;
}

gboolean
gst_cuda_histo_picture_is_alternate (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_ALTERNATE;
}

guint
gst_cuda_histo_picture_get_count (const GstVideoInfo *info)
{
  gint views = 1;

  if (GST_VIDEO_INFO_MULTIVIEW_MODE (info) == GST_VIDEO_MULTIVIEW_MODE_SEPARATED)
    views = CLAMP (GST_VIDEO_INFO_VIEWS (info), 1, GST_CUDA_HISTO_MAX_PICTURES + 1);
  return (guint)views * (gst_cuda_histo_picture_is_field (info) ? 2 : 1);
}

const gchar *
gst_cuda_histo_picture_get_light_transfer (const GstVideoInfo *info)
{
  switch (info->colorimetry.transfer) {
  case GST_VIDEO_TRANSFER_SMPTE2084:
    return "pq";
  case GST_VIDEO_TRANSFER_ARIB_STD_B67:
    return "hlg-1000";
  default:
    return NULL;
  }
}

guint32
gst_cuda_histo_picture_get_statistics (const GstVideoInfo *info, guint width, guint height)
{
  const guint luma = HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS;
  const guint hdr = gst_cuda_histo_picture_get_light_transfer (info) != NULL ? GST_CUDA_HISTO_HDR_STATISTICS : 0;

  if (width > GST_CUDA_HISTO_MAX_SIDE || height > GST_CUDA_HISTO_MAX_SIDE)
    return 0;
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo))
    return HISTO_STATISTIC_WAVEFORM;
  if (GST_VIDEO_INFO_IS_GRAY (info))
    return HISTO_STATISTIC_WAVEFORM | luma;
  return HISTO_STATISTIC_WAVEFORM
         | (GST_VIDEO_INFO_IS_YUV (info) || GST_VIDEO_INFO_IS_RGB (info) ? luma | GST_CUDA_HISTO_COLOUR_STATISTICS | hdr : 0);
}

gboolean
gst_cuda_histo_picture_can_derive (const GstVideoInfo *info, guint width, guint height)
{
  return GST_VIDEO_INFO_IS_RGB (info) && !GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo) && width <= GST_CUDA_HISTO_MAX_SIDE
         && height <= GST_CUDA_HISTO_MAX_SIDE;
}

struct histo_matrix
gst_cuda_histo_picture_get_matrix (const GstVideoInfo *info, GstVideoColorMatrix matrix)
{
  const gboolean is_full = info->colorimetry.range != GST_VIDEO_COLOR_RANGE_16_235;
  struct histo_matrix derived;
  gdouble kr, kb;

  gst_video_color_matrix_get_Kr_Kb (matrix, &kr, &kb);
  histo_find_matrix (&derived, kr, kb, is_full, MAX (GST_VIDEO_INFO_COMP_DEPTH (info, 0), 8));
  return derived;
}

/* Samples [*first, *first + returned count) of a component subsampled by 2^shift touch pixels [start, start + count). */
static guint
gst_cuda_histo_picture_subsample (guint start, guint count, guint shift, guint *first)
{
  guint64 end = (((guint64)start + count) + (1u << shift) - 1) >> shift;

  *first = start >> shift;
  return (guint)end - *first;
}

/* Returns which chroma sample belongs to a sample of luma, with rows from top to bottom. */
static struct histo_chroma
gst_cuda_histo_picture_get_chroma (const GstCudaHistoLayout *layout, const GstCudaHistoVisible *visible)
{
  struct histo_chroma chroma = { 0 };

  if (layout->n_components < 3)
    return chroma;
  chroma.shift_x = (uint8_t)layout->components[1].sub_x;
  chroma.shift_y = (uint8_t)layout->components[1].sub_y;
  chroma.phase_x = (uint8_t)(visible->x % (1u << chroma.shift_x));
  chroma.phase_y = (uint8_t)(visible->y % (1u << chroma.shift_y));
  return chroma;
}

/* How R', G' and B' follow from the samples. */
typedef struct {
  gdouble kr, kb;
  gboolean is_rgb, is_full;
  guint depth;
} Signal;

/* Returns FALSE if the format has neither Y, U and V nor R, G and B. R, G and B have the matrix of BT.2020, for their light. */
static gboolean
gst_cuda_histo_picture_find_signal (const GstVideoInfo *info, Signal *signal)
{
  const GstVideoColorRange range = info->colorimetry.range;

  signal->is_rgb = GST_VIDEO_INFO_IS_RGB (info) && !GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo);
  signal->is_full = range == GST_VIDEO_COLOR_RANGE_0_255 || (range == GST_VIDEO_COLOR_RANGE_UNKNOWN && signal->is_rgb);
  signal->depth = (guint)MAX (GST_VIDEO_INFO_COMP_DEPTH (info, 0), 8);
  if (!signal->is_rgb && !GST_VIDEO_INFO_IS_YUV (info))
    return FALSE;
  return gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &signal->kr, &signal->kb)
         || gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT2020, &signal->kr, &signal->kb);
}

struct histo_gamut
gst_cuda_histo_picture_get_gamut (const GstVideoInfo *info)
{
  struct histo_gamut gamut = { 0 };
  Signal signal;

  if (!gst_cuda_histo_picture_find_signal (info, &signal))
    return gamut;
  histo_find_gamut (&gamut, signal.kr, signal.kb, signal.is_full, signal.depth);
  gamut.is_rgb = signal.is_rgb;
  return gamut;
}

struct histo_light
gst_cuda_histo_picture_get_light (const GstVideoInfo *info)
{
  struct histo_light light = { 0 };
  Signal signal;

  if (gst_cuda_histo_picture_get_light_transfer (info) == NULL || !gst_cuda_histo_picture_find_signal (info, &signal))
    return light;
  histo_find_light (&light, signal.kr, signal.kb, signal.is_full, signal.depth);
  light.is_rgb = signal.is_rgb;
  if (info->colorimetry.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    light.transfer = HISTO_TRANSFER_HLG;
  return light;
}

void
gst_cuda_histo_picture_describe (struct histo_frame *frame, const GstCudaHistoLayout *layout,
                                 const GstCudaHistoVisible *visible, GstCudaHistoExtent extents[GST_VIDEO_MAX_PLANES])
{
  gsize starts[GST_VIDEO_MAX_COMPONENTS];

  frame->plane_count = layout->n_planes;
  frame->component_count = layout->n_components;
  for (guint p = 0; p < frame->plane_count; p++)
    extents[p] = (GstCudaHistoExtent){ .first_byte = G_MAXSIZE };

  for (guint c = 0; c < frame->component_count; c++) {
    const GstCudaHistoSamples *samples = &layout->components[c];
    struct histo_component *component = &frame->components[c];
    GstCudaHistoExtent *extent;
    guint first;

    component->plane = samples->plane;
    component->step_bytes = samples->step_bytes;
    component->width = gst_cuda_histo_picture_subsample (visible->x, visible->width, samples->sub_x, &first);
    component->depth = samples->depth;
    /* Always one bin for each value, so that all results derived from bins are exact. */
    component->bins = 1u << component->depth;
    component->sample_bytes = samples->sample_bytes;
    component->shift = samples->shift;
    component->big_endian = samples->is_big_endian;

    extent = &extents[component->plane];
    starts[c] = first * component->step_bytes;
    extent->first_byte = MIN (extent->first_byte, starts[c]);
    extent->rows = gst_cuda_histo_picture_subsample (visible->y, visible->height, samples->sub_y, &extent->first_row);
  }

  /* Offsets are relative to the visible part, so that frames of one size match whatever their crop. */
  for (guint c = 0; c < frame->component_count; c++) {
    struct histo_component *component = &frame->components[c];
    GstCudaHistoExtent *extent = &extents[component->plane];
    gsize end;

    component->offset_bytes = starts[c] - extent->first_byte + layout->components[c].offset_bytes;
    end = component->offset_bytes + (component->width - 1) * component->step_bytes + component->sample_bytes;
    extent->row_bytes = MAX (extent->row_bytes, end);
  }
  for (guint p = 0; p < frame->plane_count; p++)
    frame->planes[p].height = extents[p].rows;
  frame->chroma = gst_cuda_histo_picture_get_chroma (layout, visible);
}
