/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame/unpack.h"

#include <string.h>

#define ALIGNMENT 64      /* bytes; of planes and rows */
#define MAX_OVERRUN 64    /* pixels that unpack functions may write beyond a row, since they write groups */
#define UNKNOWN_READ 4096 /* bytes that the unpack function of an unknown format may read beyond a row */

/* ---- the picture's memory ------------------------------------------------------------------------------------------- */

/* Bytes of a plane. Tiles are one row. */
typedef struct {
  guint rows, sub_y;
  gsize needed; /* bytes of a row that must be in the buffer */
  gsize read;   /* bytes that an unpack function reads, at most */
} PlaneBytes;

/* Finds how a format stores groups of samples. *samples is 0 for other formats. */
static void
gst_cuda_histo_unpack_find_group (const GstVideoFormatInfo *finfo, guint *samples, guint *bytes)
{
  static const struct {
    const gchar *formats[5];
    guint samples, bytes; /* samples: of luma, or of the plane of chroma */
  } groups[] = {
    { { "v210", NULL }, 6, 16 },
    { { "UYVP", NULL }, 2, 5 },
    { { "IYU1", NULL }, 4, 6 },
    { { "GRAY10_LE32", "NV12_10LE32", "NV16_10LE32", NULL }, 3, 4 },
    { { "NV12_10LE40", "NV16_10LE40", NULL }, 4, 5 },
    { { "Y410", "r210", "RGB10A2_LE", "BGR10A2_LE", NULL }, 1, 4 },
    { { "RGB15", "BGR15", "RGB16", "BGR16", NULL }, 1, 2 },
  };

  *samples = *bytes = 0;
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    if (g_strv_contains (groups[i].formats, finfo->name)) {
      *samples = groups[i].samples;
      *bytes = groups[i].bytes;
    }
  }
}

/* If the width is odd, GStreamer's planes of chroma may have one tile less than its unpack functions read. */
static PlaneBytes
gst_cuda_histo_unpack_find_tiles (const GstVideoInfo *whole, guint plane, gint stride)
{
  const gint least = GST_VIDEO_INFO_PLANE_STRIDE (whole, plane);
  const gsize tile = GST_VIDEO_FORMAT_INFO_TILE_SIZE (whole->finfo, plane);
  const gsize size = (gsize)GST_VIDEO_TILE_X_TILES (stride) * (gsize)GST_VIDEO_TILE_Y_TILES (stride) * tile;

  if (GST_VIDEO_TILE_X_TILES (stride) < GST_VIDEO_TILE_X_TILES (least)
      || GST_VIDEO_TILE_Y_TILES (stride) < GST_VIDEO_TILE_Y_TILES (least))
    return (PlaneBytes){ .needed = 0 };
  return (PlaneBytes){ 1, 0, size, plane > 0 && GST_VIDEO_INFO_WIDTH (whole) % 2 != 0 ? size + tile : size };
}

/* `needed` is 0 if the stride is too small. */
static PlaneBytes
gst_cuda_histo_unpack_find_bytes (const GstVideoInfo *whole, guint plane, gint stride)
{
  const GstVideoFormatInfo *finfo = whole->finfo;
  const gsize row_bytes = (gsize)GST_VIDEO_INFO_PLANE_STRIDE (whole, plane);
  const guint width = (guint)GST_VIDEO_INFO_WIDTH (whole);
  PlaneBytes bytes = { .needed = row_bytes, .read = row_bytes + UNKNOWN_READ };
  gint components[GST_VIDEO_MAX_COMPONENTS];
  guint group, group_bytes;

  if (GST_VIDEO_FORMAT_INFO_IS_TILED (finfo))
    return gst_cuda_histo_unpack_find_tiles (whole, plane, stride);
  gst_cuda_histo_unpack_find_group (finfo, &group, &group_bytes);
  if (group > 0) {
    bytes.read = ((gsize)(plane > 0 ? (width + 1) / 2 * 2 : width) + group - 1) / group * group_bytes;
    bytes.needed = MIN (row_bytes, bytes.read); /* GStreamer's rows of odd widths may end within a group */
  }
  gst_video_format_info_component (finfo, plane, components);
  bytes.sub_y = GST_VIDEO_FORMAT_INFO_H_SUB (finfo, components[0]);
  bytes.rows = (guint)GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (finfo, components[0], GST_VIDEO_INFO_HEIGHT (whole));
  if (bytes.rows > 1 && (guint64)ABS ((gint64)stride) < bytes.needed)
    bytes.needed = 0;
  return bytes;
}

/* Sets `whole` to the picture without its crop. FALSE: it is too large. */
static gboolean
gst_cuda_histo_unpack_find_whole (GstVideoInfo *whole, const GstVideoInfo *info, const GstCudaHistoPicture *picture)
{
  const guint width = picture->meta != NULL ? picture->meta->width : (guint)GST_VIDEO_INFO_WIDTH (info);
  const gboolean has_height = picture->meta != NULL && !gst_cuda_histo_picture_is_alternate (info);
  const guint height = has_height ? picture->meta->height : (guint)GST_VIDEO_INFO_FIELD_HEIGHT (info);

  return gst_video_info_set_format (whole, GST_VIDEO_INFO_FORMAT (info), width, height);
}

gboolean
gst_cuda_histo_unpack_can_pack (const GstVideoFormatInfo *finfo)
{
  /* Functions that read or write beyond the end of a plane. */
  static const gchar *const overrunning[] = { "NV12_10LE32", "NV16_10LE32", "UYVP", "NV12_10BE_8L128", NULL };

  /* GStreamer 1.26 unpacks MT2110T and MT2110R exactly, but packs other lower bits. */
  return finfo->pack_func != NULL && !g_strv_contains (overrunning, finfo->name) && !g_str_has_prefix (finfo->name, "MT2110");
}

gboolean
gst_cuda_histo_unpack_check (const GstVideoInfo *info, const GstCudaHistoPicture *picture, GError **error)
{
  GstVideoInfo whole;

  if (!gst_cuda_histo_unpack_find_whole (&whole, info, picture)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "buffer has a video meta of a %ux%u frame, which is too large", picture->meta->width, picture->meta->height);
    return FALSE;
  }
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const gint stride = picture->strides[p];
    const PlaneBytes bytes = gst_cuda_histo_unpack_find_bytes (&whole, p, stride);
    const gsize others = bytes.needed > 0 ? (bytes.rows - 1) * (gsize)ABS ((gint64)stride) : 0; /* rows but the last */
    const gsize before = stride < 0 ? others : 0, after = others - before + bytes.needed;

    if (bytes.needed == 0 || picture->offsets[p] < before || picture->offsets[p] > picture->size
        || after > picture->size - picture->offsets[p]) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                   "buffer of %" G_GSIZE_FORMAT
                   " bytes is too small for its %dx%d %s frame: plane %u has a stride of %d bytes, "
                   "from byte %" G_GSIZE_FORMAT " on",
                   picture->size, whole.width, whole.height, info->finfo->name, p, stride, picture->offsets[p]);
      return FALSE;
    }
  }
  return TRUE;
}

/* The rows of a mapped picture. */
typedef struct {
  const GstCudaHistoPicture *picture;
  guint8 *data;
  gboolean is_tiled;
  guint n_planes;
  PlaneBytes bytes[GST_VIDEO_MAX_PLANES];
  guint8 *copies[GST_VIDEO_MAX_PLANES]; /* of a row that an unpack function reads beyond the memory; NULL: none so far */
  gsize copied[GST_VIDEO_MAX_PLANES];   /* offset of that row */
} Reader;

static void
reader_init (Reader *reader, const GstVideoInfo *info, const GstCudaHistoPicture *picture, guint8 *data)
{
  GstVideoInfo whole;

  *reader = (Reader){
    .picture = picture,
    .data = data,
    .is_tiled = GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo),
    .n_planes = GST_VIDEO_INFO_N_PLANES (info),
  };
  gst_cuda_histo_unpack_find_whole (&whole, info, picture);
  for (guint p = 0; p < reader->n_planes; p++)
    reader->bytes[p] = gst_cuda_histo_unpack_find_bytes (&whole, p, picture->strides[p]);
}

static void
reader_clear (Reader *reader)
{
  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++)
    g_free (reader->copies[p]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reader, reader_clear)

/* Returns the address of row `y` in a plane, or that of its copy, followed by zeros. */
static guint8 *
reader_find_row (Reader *reader, guint p, guint y)
{
  const gint64 row = reader->is_tiled ? 0 : (gint64)(y >> reader->bytes[p].sub_y) * reader->picture->strides[p];
  const gsize at = (gsize)((gint64)reader->picture->offsets[p] + row);
  const gsize read = reader->bytes[p].read, present = reader->picture->size - at;

  if (present >= read)
    return reader->data + at;
  if (reader->copies[p] == NULL)
    reader->copies[p] = g_malloc (read);
  else if (reader->copied[p] == at)
    return reader->copies[p];
  memcpy (reader->copies[p], reader->data + at, present);
  memset (reader->copies[p] + present, 0, read - present);
  reader->copied[p] = at;
  return reader->copies[p];
}

static void
reader_unpack (Reader *reader, GstCudaHistoRow *row, guint y)
{
  static const gint same[GST_VIDEO_MAX_PLANES] = { 0 }; /* strides with which each row is the first */
  gpointer planes[GST_VIDEO_MAX_PLANES] = { NULL };

  for (guint p = 0; p < reader->n_planes; p++)
    planes[p] = reader_find_row (reader, p, y);
  gst_cuda_histo_row_unpack (row, planes, reader->is_tiled ? reader->picture->strides : same, y);
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

/* For samples with fewer bits, in the upper bits of two bytes, than those of other components. */
static void
gst_cuda_histo_unpack_copy_widened (guint16 *to, const guint16 *from, gsize count, guint step, guint bits, guint depth)
{
  for (gsize i = 0; i < count; i++) {
    guint value = (guint)from[i * step] >> (16 - bits) << (16 - bits);

    for (guint known = bits; known < depth; known *= 2)
      value |= value >> known;
    to[i] = (guint16)(value >> (16 - depth));
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
  const guint step = 4u << samples->sub_x, bits = GST_VIDEO_FORMAT_INFO_DEPTH (row->finfo, c);

  if (!row->is_deep)
    gst_cuda_histo_unpack_copy_bytes (to, (const guint8 *)row->pixels + first, count, step);
  else if (bits < samples->depth)
    gst_cuda_histo_unpack_copy_widened ((guint16 *)(gpointer)to, (const guint16 *)row->pixels + first, count, step, bits,
                                        samples->depth);
  else
    gst_cuda_histo_unpack_copy_deep ((guint16 *)(gpointer)to, (const guint16 *)row->pixels + first, count, step,
                                     16 - samples->depth);
}

void
gst_cuda_histo_unpack (const GstVideoInfo *info, const GstCudaHistoPicture *picture, guint8 *data, struct histo_frame *frame)
{
  const GstCudaHistoLayout *layout = &picture->layout;
  const GstCudaHistoExtent *luma = &picture->extents[0];
  g_auto (GstCudaHistoRow) row = { 0 };
  g_auto (Reader) reader = { 0 };

  reader_init (&reader, info, picture, data);
  gst_cuda_histo_row_init (&row, info->finfo,
                           picture->meta != NULL ? picture->meta->width : (guint)GST_VIDEO_INFO_WIDTH (info));
  for (guint y = luma->first_row; y < luma->first_row + luma->rows; y++) {
    reader_unpack (&reader, &row, y);
    for (guint c = 0; c < layout->n_components; c++) {
      const guint to = (y >> layout->components[c].sub_y) - picture->extents[c].first_row;
      const gboolean is_repeated = y > luma->first_row && y % (1u << layout->components[c].sub_y) != 0;

      if (!is_repeated)
        gst_cuda_histo_unpack_copy_row (&row, layout, c, &picture->extents[c], frame,
                                        (guint8 *)frame->planes[c].data + to * frame->planes[c].stride_bytes);
    }
  }
}
