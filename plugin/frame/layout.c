/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/layout.h"

/* Packed formats whose description in GStreamer lacks offsets, or has wrong ones, or the wrong byte order or shift. The offsets
 * are those of Y, U, V and alpha, in samples. */
typedef struct {
  const gchar *name;
  guint depth;
  gboolean is_big_endian;
  guint offsets[GST_VIDEO_MAX_COMPONENTS];
} Packed;

static const Packed packed_formats[] = {
  { "VYUY", 8, FALSE, { 1, 2, 0 } },        { "v216", 16, FALSE, { 1, 0, 2 } },       { "Y210", 10, FALSE, { 0, 1, 3 } },
  { "Y212_LE", 12, FALSE, { 0, 1, 3 } },    { "Y212_BE", 12, TRUE, { 0, 1, 3 } },     { "Y216_LE", 16, FALSE, { 0, 1, 3 } },
  { "Y216_BE", 16, TRUE, { 0, 1, 3 } },     { "Y412_LE", 12, FALSE, { 1, 0, 2, 3 } }, { "Y412_BE", 12, TRUE, { 1, 0, 2, 3 } },
  { "Y416_LE", 16, FALSE, { 1, 0, 2, 3 } }, { "Y416_BE", 16, TRUE, { 1, 0, 2, 3 } },
};

static const gchar *
gst_cuda_histo_layout_name_component (const GstVideoFormatInfo *finfo, guint c)
{
  static const gchar *const yuv[] = { "Y", "U", "V", "A" };
  static const gchar *const rgb[] = { "R", "G", "B", "A" };
  static const gchar *const gray[] = { "GRAY", "A" };

  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo))
    return "index";
  if (GST_VIDEO_FORMAT_INFO_IS_RGB (finfo))
    return rgb[c];
  return GST_VIDEO_FORMAT_INFO_IS_GRAY (finfo) ? gray[MIN (c, 1)] : yuv[c];
}

/* NULL: GStreamer's description is right. */
static const Packed *
gst_cuda_histo_layout_find_packed (const GstVideoFormatInfo *finfo)
{
  for (guint i = 0; i < G_N_ELEMENTS (packed_formats); i++)
    if (g_str_equal (packed_formats[i].name, finfo->name))
      return &packed_formats[i];
  return NULL;
}

static void
gst_cuda_histo_layout_describe_component (GstCudaHistoSamples *samples, const GstVideoFormatInfo *finfo, const Packed *packed,
                                          guint c)
{
  *samples = (GstCudaHistoSamples){
    .name = gst_cuda_histo_layout_name_component (finfo, c),
    .plane = GST_VIDEO_FORMAT_INFO_PLANE (finfo, c),
    .offset_bytes = GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c),
    .step_bytes = (guint)MAX (0, GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, c)),
    .sample_bytes = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c) > 8 ? 2 : 1,
    .depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c),
    .shift = GST_VIDEO_FORMAT_INFO_SHIFT (finfo, c),
    .sub_x = GST_VIDEO_FORMAT_INFO_W_SUB (finfo, c),
    .sub_y = GST_VIDEO_FORMAT_INFO_H_SUB (finfo, c),
  };
  samples->is_big_endian = samples->sample_bytes == 2 && !GST_VIDEO_FORMAT_INFO_IS_LE (finfo);
  /* For V of P010, P012 and P016 GStreamer's table counts in samples: 1 instead of 2 bytes. */
  if (samples->sample_bytes == 2 && samples->offset_bytes % 2 == 1)
    samples->offset_bytes *= 2;
  if (packed != NULL) {
    samples->depth = packed->depth;
    samples->shift = 8 * samples->sample_bytes - packed->depth;
    samples->offset_bytes = samples->sample_bytes * packed->offsets[c];
    samples->is_big_endian = packed->is_big_endian;
  }
}

/* Whether the engine can read a component where it is. Components whose description has the same offset share a word. */
static gboolean
gst_cuda_histo_layout_is_readable (const GstCudaHistoLayout *layout, guint c)
{
  const GstCudaHistoSamples *samples = &layout->components[c];

  if (samples->depth < 8 || samples->depth + samples->shift > 8 * samples->sample_bytes
      || samples->step_bytes < samples->sample_bytes)
    return FALSE;
  for (guint other = 0; other < c; other++)
    if (layout->components[other].plane == samples->plane && layout->components[other].offset_bytes == samples->offset_bytes)
      return FALSE;
  return TRUE;
}

/* Describes a copy with a plane for each component. */
static void
gst_cuda_histo_layout_unpack (GstCudaHistoLayout *layout, guint depth)
{
  layout->is_unpacked = TRUE;
  layout->n_planes = layout->n_components;
  for (guint c = 0; c < layout->n_components; c++) {
    GstCudaHistoSamples *samples = &layout->components[c];

    samples->plane = c;
    samples->depth = depth;
    samples->sample_bytes = samples->step_bytes = depth > 8 ? 2 : 1;
    samples->offset_bytes = samples->shift = 0;
    samples->is_big_endian = samples->sample_bytes == 2 && G_BYTE_ORDER == G_BIG_ENDIAN;
  }
}

/* Whether samples keep their size when they are unpacked. True for all formats of GStreamer 1.22 to 1.26. */
static gboolean
gst_cuda_histo_layout_keeps_size (const GstVideoFormatInfo *finfo, guint depth)
{
  return (GST_VIDEO_FORMAT_INFO_BITS (gst_video_format_get_info (finfo->unpack_format)) > 8) == (depth > 8);
}

gboolean
gst_cuda_histo_layout_find (GstCudaHistoLayout *layout, const GstVideoFormatInfo *finfo)
{
  const Packed *packed = gst_cuda_histo_layout_find_packed (finfo);
  gboolean is_readable = !GST_VIDEO_FORMAT_INFO_IS_COMPLEX (finfo) && !GST_VIDEO_FORMAT_INFO_IS_TILED (finfo);
  guint depth = 8;

  *layout = (GstCudaHistoLayout){
    .n_planes = GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo) ? 1 : GST_VIDEO_FORMAT_INFO_N_PLANES (finfo),
    .n_components = GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo) ? 1 : GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo),
  };
  for (guint c = 0; c < layout->n_components; c++) {
    gst_cuda_histo_layout_describe_component (&layout->components[c], finfo, packed, c);
    is_readable = is_readable && gst_cuda_histo_layout_is_readable (layout, c)
                  && layout->components[c].depth == layout->components[0].depth;
    depth = MAX (depth, layout->components[c].depth);
    if (layout->components[c].depth > 16)
      layout->n_components = 0;
  }
  if (layout->n_components == 0 || finfo->unpack_func == NULL
      || (!is_readable && !gst_cuda_histo_layout_keeps_size (finfo, depth))) {
    *layout = (GstCudaHistoLayout){ .n_components = 0 };
    return FALSE;
  }
  if (!is_readable)
    gst_cuda_histo_layout_unpack (layout, depth);
  return TRUE;
}

void
gst_cuda_histo_layout_list_formats (GValue *formats)
{
  guint n_raw;
  const GstVideoFormat *raw = gst_video_formats_raw (&n_raw);

  g_value_init (formats, GST_TYPE_LIST);
  for (guint i = 0; i < n_raw; i++) {
    GValue name = G_VALUE_INIT;
    GstCudaHistoLayout layout;

    if (!gst_cuda_histo_layout_find (&layout, gst_video_format_get_info (raw[i])))
      continue;
    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, gst_video_format_to_string (raw[i]));
    gst_value_list_append_and_take_value (formats, &name);
  }
}
