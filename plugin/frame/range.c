/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/range.h"

#include "frame/picture.h"
#include "frame/unpack.h"

struct _GstCudaHistoRange {
  GstVideoInfo info;
  guint16 *tables[GST_VIDEO_MAX_COMPONENTS]; /* converted sample for each value; NULL: the component is unchanged */
};

static gboolean
gst_cuda_histo_range_is_known (GstVideoColorRange range)
{
  return range == GST_VIDEO_COLOR_RANGE_0_255 || range == GST_VIDEO_COLOR_RANGE_16_235;
}

/* Whether the samples of a format can be replaced: in place, or unpacked and packed again. */
static gboolean
gst_cuda_histo_range_can_address (const GstVideoFormatInfo *format)
{
  GstCudaHistoLayout layout;

  if (!gst_cuda_histo_layout_find (&layout, format) || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (format))
    return FALSE;
  return !layout.is_unpacked || (GST_VIDEO_FORMAT_INFO_DEPTH (format, 0) >= 8 && gst_cuda_histo_unpack_can_pack (format));
}

/* A range: the value of black, or of no colour, and the number of steps to white, or to full colour. */
typedef struct {
  gint offset, scale;
} Levels;

static Levels
gst_cuda_histo_range_get_levels (const GstVideoFormatInfo *format, GstVideoColorRange range, guint c)
{
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];

  gst_video_color_range_offsets (range, format, offset, scale);
  return (Levels){ offset[c], scale[c] };
}

/* `lower`: number of lower bits that repeat the upper ones, and that `from` does not have. */
static guint16 *
gst_cuda_histo_range_make_table (guint depth, guint lower, Levels from, Levels to)
{
  const gint64 max = (1 << depth) - 1;
  guint16 *table = g_new (guint16, max + 1);

  for (gint64 value = 0; value <= max; value++) {
    const gint64 sample = value >> lower;
    const gint64 scaled = (sample - from.offset) * to.scale + (gint64)to.offset * from.scale; /* in units of 1 / from.scale */

    table[value] = scaled < 0 ? 0 : (guint16)MIN ((2 * scaled + from.scale) / (2 * from.scale), max);
  }
  return table;
}

/* Whether frames of `format` were made from a format with fewer bits, sample by sample. A format without chroma has none at any
 * depth. */
static gboolean
gst_cuda_histo_range_is_widened (const GstVideoFormatInfo *format, const GstVideoFormatInfo *decoded)
{
  const guint count = MIN (GST_VIDEO_FORMAT_INFO_N_COMPONENTS (decoded), GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format));

  for (guint c = 1; c < count; c++)
    if (GST_VIDEO_FORMAT_INFO_W_SUB (decoded, c) != GST_VIDEO_FORMAT_INFO_W_SUB (format, c)
        || GST_VIDEO_FORMAT_INFO_H_SUB (decoded, c) != GST_VIDEO_FORMAT_INFO_H_SUB (format, c)
        || GST_VIDEO_FORMAT_INFO_DEPTH (decoded, c) != GST_VIDEO_FORMAT_INFO_DEPTH (decoded, 0))
      return FALSE;
  return GST_VIDEO_FORMAT_INFO_DEPTH (decoded, 0) >= 8
         && GST_VIDEO_FORMAT_INFO_DEPTH (decoded, 0) < GST_VIDEO_FORMAT_INFO_DEPTH (format, 0);
}

GstCudaHistoRange *
gst_cuda_histo_range_new (const GstVideoInfo *from, const GstVideoFormatInfo *decoded, GstVideoColorRange to)
{
  const GstVideoFormatInfo *format = from->finfo;
  const GstVideoColorRange is = from->colorimetry.range;
  const gboolean is_widened = gst_cuda_histo_range_is_widened (format, decoded);
  GstCudaHistoRange *range;

  if ((is == to && !is_widened) || !gst_cuda_histo_range_is_known (is) || !gst_cuda_histo_range_is_known (to)
      || !gst_cuda_histo_range_can_address (format))
    return NULL;
  range = g_new0 (GstCudaHistoRange, 1);
  range->info = *from;
  for (guint c = 0; c < MIN (GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format), (guint)GST_VIDEO_COMP_A); c++) {
    const guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (format, c);
    const guint lower = is_widened ? depth - GST_VIDEO_FORMAT_INFO_DEPTH (decoded, 0) : 0;
    Levels levels = gst_cuda_histo_range_get_levels (format, is, c);

    if (lower > 0) { /* limited range scales by a power of two, full range does not */
      levels.offset >>= lower;
      levels.scale = is == GST_VIDEO_COLOR_RANGE_0_255 ? (1 << (depth - lower)) - 1 : levels.scale >> lower;
    }
    range->tables[c] = gst_cuda_histo_range_make_table (depth, lower, levels, gst_cuda_histo_range_get_levels (format, to, c));
  }
  return range;
}

void
gst_cuda_histo_range_free (GstCudaHistoRange *range)
{
  for (guint c = 0; c < GST_VIDEO_MAX_COMPONENTS; c++)
    g_free (range->tables[c]);
  g_free (range);
}

static void
gst_cuda_histo_range_convert_bytes (const guint16 *table, guint8 *row, guint64 width, gsize step_bytes)
{
  for (guint64 x = 0; x < width; x++)
    row[x * step_bytes] = (guint8)table[row[x * step_bytes]];
}

static void
gst_cuda_histo_range_convert_words (const guint16 *table, const struct histo_component *component, guint8 *row)
{
  const guint max = (1u << component->depth) - 1, low = component->big_endian ? 1 : 0;

  for (guint64 x = 0; x < component->width; x++, row += component->step_bytes) {
    const guint word = row[low] | (guint)row[1 - low] << 8, converted = (guint)table[word >> component->shift & max];

    row[low] = (guint8)(converted << component->shift);
    row[1 - low] = (guint8)(converted << component->shift >> 8);
  }
}

static void
gst_cuda_histo_range_convert_component (const guint16 *table, const struct histo_component *component, guint8 *row,
                                        gint stride_bytes, guint rows)
{
  for (guint y = 0; y < rows; y++, row += stride_bytes) {
    if (component->sample_bytes == 1)
      gst_cuda_histo_range_convert_bytes (table, row, component->width, component->step_bytes);
    else
      gst_cuda_histo_range_convert_words (table, component, row);
  }
}

static void
gst_cuda_histo_range_convert_in_place (const GstCudaHistoRange *range, const GstCudaHistoPicture *picture,
                                       const struct histo_frame *frame, guint8 *data)
{
  for (guint c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    const GstCudaHistoExtent *extent = &picture->extents[component->plane];
    const gint stride_bytes = picture->strides[component->plane];

    if (range->tables[c] != NULL)
      gst_cuda_histo_range_convert_component (range->tables[c], component,
                                              data + picture->offsets[component->plane] + component->offset_bytes
                                                  + (gint64)extent->first_row * stride_bytes + extent->first_byte,
                                              stride_bytes, extent->rows);
  }
}

/* Converts rows of pixels as unpack functions write them, the whole picture. */
static void
gst_cuda_histo_range_convert_packed (const GstCudaHistoRange *range, const GstCudaHistoPicture *picture, guint8 *data)
{
  const GstVideoFormatInfo *format = range->info.finfo;
  const guint width = picture->meta != NULL ? picture->meta->width : (guint)GST_VIDEO_INFO_WIDTH (&range->info);
  const guint height = picture->meta != NULL ? picture->meta->height : (guint)GST_VIDEO_INFO_FIELD_HEIGHT (&range->info);
  g_auto (GstCudaHistoRow) row = { 0 };
  gpointer planes[GST_VIDEO_MAX_PLANES] = { NULL };

  for (guint p = 0; p < GST_VIDEO_FORMAT_INFO_N_PLANES (format); p++)
    planes[p] = data + picture->offsets[p];
  gst_cuda_histo_row_init (&row, format, width);
  for (guint y = 0; y < height; y++) {
    gst_cuda_histo_row_unpack (&row, planes, picture->strides, y);
    for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++)
      if (range->tables[c] != NULL)
        gst_cuda_histo_row_convert (&row, c, range->tables[c]);
    gst_cuda_histo_row_pack (&row, planes, picture->strides, y);
  }
}

GstBuffer *
gst_cuda_histo_range_convert (const GstCudaHistoRange *range, GstBuffer *buffer, GError **error)
{
  struct histo_frame frame = { .plane_count = 0 };
  GstCudaHistoPicture picture;
  GstBuffer *copy;
  GstMapInfo map;

  if (!gst_cuda_histo_picture_find (&picture, &range->info, &range->info, buffer, 0, &frame, error)
      || !gst_cuda_histo_picture_check_size (&picture, &range->info, error)
      || !(picture.layout.is_unpacked ? gst_cuda_histo_unpack_check (&range->info, &picture, error)
                                      : gst_cuda_histo_picture_check_layout (&picture, &range->info, error)))
    return NULL;
  copy = gst_buffer_copy_deep (buffer);
  if (copy == NULL
      || !gst_buffer_map_range (copy, (guint)MAX (picture.memory, 0), picture.memory < 0 ? -1 : 1, &map, GST_MAP_READWRITE)) {
    gst_clear_buffer (&copy);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "cannot read a %s frame", range->info.finfo->name);
    return NULL;
  }
  if (picture.layout.is_unpacked)
    gst_cuda_histo_range_convert_packed (range, &picture, map.data);
  else
    gst_cuda_histo_range_convert_in_place (range, &picture, &frame, map.data);
  gst_buffer_unmap (copy, &map);
  return copy;
}
