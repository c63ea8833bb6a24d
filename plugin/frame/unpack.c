/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/unpack.h"

#define ALIGNMENT 64   /* bytes; of planes and rows */
#define MAX_OVERRUN 64 /* pixels that unpack functions may write beyond a row, since they write groups */

/* ---- the picture's memory ------------------------------------------------------------------------------------------- */

/* Returns the bytes that unpacking may read from the first byte of a plane with positive stride. 0: the stride is too small. */
static gsize
gst_cuda_histo_unpack_get_plane_bytes (const GstVideoInfo *whole, guint plane, gint stride)
{
  const GstVideoFormatInfo *finfo = whole->finfo;
  const gint least = GST_VIDEO_INFO_PLANE_STRIDE (whole, plane);
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gsize rows;

  if (GST_VIDEO_FORMAT_INFO_IS_TILED (finfo)) {
    if (GST_VIDEO_TILE_X_TILES (stride) < GST_VIDEO_TILE_X_TILES (least)
        || GST_VIDEO_TILE_Y_TILES (stride) < GST_VIDEO_TILE_Y_TILES (least))
      return 0;
    return (gsize)GST_VIDEO_TILE_X_TILES (stride) * (gsize)GST_VIDEO_TILE_Y_TILES (stride)
           * GST_VIDEO_FORMAT_INFO_TILE_SIZE (finfo, plane);
  }
  if (ABS ((gint64)stride) < least)
    return 0;
  gst_video_format_info_component (finfo, plane, components);
  rows = (gsize)GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (finfo, components[0], GST_VIDEO_INFO_HEIGHT (whole));
  return (rows - 1) * (gsize)ABS ((gint64)stride) + (gsize)least;
}

gsize
gst_cuda_histo_unpack_get_overrun (const GstVideoFormatInfo *finfo)
{
  static const gchar *const formats[] = { "NV12_10LE32", "NV16_10LE32", "UYVP", "NV12_10BE_8L128", NULL };

  return g_strv_contains (formats, finfo->name) ? 4096 : 0; /* seen: up to 4, and 1024 for the tiles */
}

gboolean
gst_cuda_histo_unpack_can_pack (const GstVideoFormatInfo *finfo)
{
  /* GStreamer 1.26 unpacks MT2110T and MT2110R exactly, but packs other lower bits. */
  return finfo->pack_func != NULL && gst_cuda_histo_unpack_get_overrun (finfo) == 0
         && !g_str_has_prefix (finfo->name, "MT2110");
}

gboolean
gst_cuda_histo_unpack_check (const GstVideoInfo *info, const GstCudaHistoPicture *picture, GError **error)
{
  const guint width = picture->meta != NULL ? picture->meta->width : (guint)GST_VIDEO_INFO_WIDTH (info);
  const gboolean has_height = picture->meta != NULL && !gst_cuda_histo_picture_is_alternate (info);
  const guint height = has_height ? picture->meta->height : (guint)GST_VIDEO_INFO_FIELD_HEIGHT (info);
  GstVideoInfo whole;

  if (!gst_video_info_set_format (&whole, GST_VIDEO_INFO_FORMAT (info), width, height)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "buffer has a video meta of a %ux%u frame, which is too large", width, height);
    return FALSE;
  }
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const gint stride = picture->strides[p];
    const gsize bytes = gst_cuda_histo_unpack_get_plane_bytes (&whole, p, stride);
    const gsize before = stride < 0 && !GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo)
                             ? bytes - (gsize)GST_VIDEO_INFO_PLANE_STRIDE (&whole, p)
                             : 0;

    if (bytes == 0 || picture->offsets[p] < before || picture->offsets[p] - before > picture->size
        || bytes > picture->size - (picture->offsets[p] - before)) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "buffer of %" G_GSIZE_FORMAT
                   " bytes is too small for its %ux%u %s frame: plane %u has a stride of %d bytes, "
                   "from byte %" G_GSIZE_FORMAT " on",
                   picture->size, width, height, info->finfo->name, p, stride, picture->offsets[p]);
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- the planes of the copy ----------------------------------------------------------------------------------------- */

gsize
gst_cuda_histo_unpack_place (struct histo_frame *frame, const GstCudaHistoPicture *picture, gpointer block)
{
  gsize size = 0;

  for (guint p = 0; p < frame->plane_count; p++) {
    struct histo_plane *plane = &frame->planes[p];

    plane->stride_bytes = (picture->extents[p].row_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    plane->data = block != NULL ? (guint8 *)block + size : NULL;
    size += plane->stride_bytes * plane->height;
  }
  return size;
}

/* ---- samples -------------------------------------------------------------------------------------------------------- */

void
gst_cuda_histo_row_init (GstCudaHistoRow *row, const GstVideoFormatInfo *finfo, guint width)
{
  *row = (GstCudaHistoRow){
    .finfo = finfo,
    .width = width,
    .is_deep = GST_VIDEO_FORMAT_INFO_BITS (gst_video_format_get_info (finfo->unpack_format)) > 8,
  };
  row->pixels = g_malloc_n ((gsize)width + MAX_OVERRUN, row->is_deep ? 8 : 4);
}

void
gst_cuda_histo_row_clear (GstCudaHistoRow *row)
{
  g_clear_pointer (&row->pixels, g_free);
}

void
gst_cuda_histo_row_unpack (GstCudaHistoRow *row, gpointer const planes[GST_VIDEO_MAX_PLANES], const gint *strides, guint y)
{
  /* Without this flag MT2110R of GStreamer 1.26 has wrong upper bits; with it samples of 5 bits would not be widened. */
  const GstVideoPackFlags flags = row->is_deep ? GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE : GST_VIDEO_PACK_FLAG_NONE;

  /* From the first pixel on: not all unpack functions support another one. */
  row->finfo->unpack_func (row->finfo, flags, row->pixels, planes, strides, 0, (gint)y, (gint)row->width);
}

void
gst_cuda_histo_row_pack (const GstCudaHistoRow *row, gpointer const planes[GST_VIDEO_MAX_PLANES], const gint *strides, guint y)
{
  row->finfo->pack_func (row->finfo, GST_VIDEO_PACK_FLAG_NONE, row->pixels, 0, (gpointer *)planes, strides,
                         GST_VIDEO_CHROMA_SITE_UNKNOWN, (gint)y, (gint)row->width);
}

void
gst_cuda_histo_row_convert (GstCudaHistoRow *row, guint c, const guint16 *table)
{
  const guint shift = 16 - GST_VIDEO_FORMAT_INFO_DEPTH (row->finfo, c);

  for (gsize i = (c + 1) % 4; i < 4 * (gsize)row->width; i += 4) {
    if (row->is_deep) {
      guint16 *pixel = (guint16 *)row->pixels + i;

      *pixel = (guint16)(table[*pixel >> shift] << shift);
    } else {
      guint8 *pixel = (guint8 *)row->pixels + i;

      *pixel = (guint8)table[*pixel];
    }
  }
}

static void
gst_cuda_histo_unpack_copy_deep (guint16 *to, const guint16 *from, gsize count, guint step, guint shift)
{
  for (gsize i = 0; i < count; i++)
    to[i] = (guint16)(from[i * step] >> shift);
}

static void
gst_cuda_histo_unpack_copy_bytes (guint8 *to, const guint8 *from, gsize count, guint step)
{
  for (gsize i = 0; i < count; i++)
    to[i] = from[i * step];
}

/* For samples of 1 to 8 bits in the upper bits of two bytes. */
static void
gst_cuda_histo_unpack_copy_narrow (guint8 *to, const guint16 *from, gsize count, guint step, guint depth)
{
  for (gsize i = 0; i < count; i++) {
    guint value = (guint)from[i * step] >> (16 - depth) << (16 - depth);

    for (guint bits = depth; bits < 8; bits *= 2)
      value |= value >> bits;
    to[i] = (guint8)(value >> 8);
  }
}

/* Copies the visible samples of component `c` from a row of pixels. */
static void
gst_cuda_histo_unpack_copy_row (const GstCudaHistoRow *row, const GstCudaHistoLayout *layout, guint c,
                                const GstCudaHistoExtent *extent, const struct histo_frame *frame, guint8 *to)
{
  const GstCudaHistoSamples *samples = &layout->components[c];
  const gsize count = (gsize)frame->components[c].width;
  const gsize first = ((extent->first_byte / samples->step_bytes) << samples->sub_x) * 4 + (c + 1) % 4;
  const guint step = 4u << samples->sub_x;

  if (!row->is_deep)
    gst_cuda_histo_unpack_copy_bytes (to, (const guint8 *)row->pixels + first, count, step);
  else if (samples->sample_bytes == 1)
    gst_cuda_histo_unpack_copy_narrow (to, (const guint16 *)row->pixels + first, count, step,
                                       GST_VIDEO_FORMAT_INFO_DEPTH (row->finfo, c));
  else
    gst_cuda_histo_unpack_copy_deep ((guint16 *)(gpointer)to, (const guint16 *)row->pixels + first, count, step,
                                     16 - samples->depth);
}

void
gst_cuda_histo_unpack (const GstVideoInfo *info, const GstCudaHistoPicture *picture,
                       gpointer const planes[GST_VIDEO_MAX_PLANES], struct histo_frame *frame)
{
  const GstCudaHistoLayout *layout = &picture->layout;
  const GstCudaHistoExtent *luma = &picture->extents[0];
  g_auto (GstCudaHistoRow) row = { 0 };

  gst_cuda_histo_row_init (&row, info->finfo,
                           picture->meta != NULL ? picture->meta->width : (guint)GST_VIDEO_INFO_WIDTH (info));
  for (guint y = luma->first_row; y < luma->first_row + luma->rows; y++) {
    gst_cuda_histo_row_unpack (&row, planes, picture->strides, y);
    for (guint c = 0; c < layout->n_components; c++) {
      const guint to = (y >> layout->components[c].sub_y) - picture->extents[c].first_row;
      const gboolean is_repeated = y > luma->first_row && y % (1u << layout->components[c].sub_y) != 0;

      if (!is_repeated)
        gst_cuda_histo_unpack_copy_row (&row, layout, c, &picture->extents[c], frame,
                                        (guint8 *)frame->planes[c].data + to * frame->planes[c].stride_bytes);
    }
  }
}
