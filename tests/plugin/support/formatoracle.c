/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formatoracle.h"

#include <string.h>

#include "pictures.h"

/* GStreamer's planes of some formats, such as NV16_10LE32, end before the last samples of some widths. These are 0 if they are
 * not in the buffer. */
enum { MISSING_BYTES = 4096 };

/* ---- definitions of formats ------------------------------------------------------------------------------------------- */

static guint32
read_little (const guint8 *at)
{
  return at[0] | (guint32)at[1] << 8 | (guint32)at[2] << 16 | (guint32)at[3] << 24;
}

static guint
read_word (const OracleFrame *frame, gint x, gint y)
{
  const guint8 *at = frame->map.data + frame->info.offset[0] + y * frame->info.stride[0] + 2 * x;

  return at[0] | (guint)at[1] << 8;
}

static const guint8 *
find_row (const OracleFrame *frame, guint plane, gint y)
{
  return frame->map.data + frame->info.offset[plane] + y * frame->info.stride[plane];
}

/* The k-th sample of 10 bits in words of three samples. */
static guint
read_third (const guint8 *row, guint k)
{
  return read_little (row + k / 3 * 4) >> 10 * (k % 3) & 1023;
}

static guint
read_v210 (const OracleFrame *frame, guint c, gint x, gint y)
{
  const guint pixel = (guint)x % 6, sample[] = { 2 * pixel + 1, pixel / 2 * 4, pixel / 2 * 4 + 2 };

  return read_third (find_row (frame, 0, y) + x / 6 * 16, sample[c]);
}

/* Samples of 10 bits one after another, the upper bits first: U, Y, V, Y. */
static guint
read_uyvp (const OracleFrame *frame, guint c, gint x, gint y)
{
  const guint sample[] = { 2 * ((guint)x % 2) + 1, 0, 2 };
  const guint8 *row = find_row (frame, 0, y) + x / 2 * 5;
  guint value = 0;

  for (guint bit = 10 * sample[c]; bit < 10 * sample[c] + 10; bit++)
    value = value << 1 | (row[bit / 8] >> (7 - bit % 8) & 1u);
  return value;
}

static guint
read_pixel_word (const OracleFrame *frame, gint x, gint y, guint shift, guint bits)
{
  return read_little (find_row (frame, 0, y) + 4 * x) >> shift & ((1u << bits) - 1);
}

static guint
read_y410 (const OracleFrame *frame, guint c, gint x, gint y)
{
  static const guint shifts[] = { 10, 0, 20, 30 };

  return read_pixel_word (frame, x, y, shifts[c], c < 3 ? 10 : 2);
}

static guint
read_rgb10a2 (const OracleFrame *frame, guint c, gint x, gint y)
{
  return read_pixel_word (frame, x, y, 10 * c, c < 3 ? 10 : 2);
}

static guint
read_bgr10a2 (const OracleFrame *frame, guint c, gint x, gint y)
{
  static const guint shifts[] = { 20, 10, 0, 30 };

  return read_pixel_word (frame, x, y, shifts[c], c < 3 ? 10 : 2);
}

static guint
read_r210 (const OracleFrame *frame, guint c, gint x, gint y)
{
  return GUINT32_SWAP_LE_BE (read_pixel_word (frame, x, y, 0, 31) | read_pixel_word (frame, x, y, 31, 1) << 31) >> (20 - 10 * c)
         & 1023;
}

static guint
read_gray10_le32 (const OracleFrame *frame, guint c G_GNUC_UNUSED, gint x, gint y)
{
  return read_third (find_row (frame, 0, y), (guint)x);
}

static guint
read_nv12_10le32 (const OracleFrame *frame, guint c, gint x, gint y)
{
  if (c == 0)
    return read_third (find_row (frame, 0, y), (guint)x);
  return read_third (find_row (frame, 1, y / 2), (guint)x / 2 * 2 + c - 1);
}

static guint
read_nv16_10le32 (const OracleFrame *frame, guint c, gint x, gint y)
{
  if (c == 0)
    return read_third (find_row (frame, 0, y), (guint)x);
  return read_third (find_row (frame, 1, y), (guint)x / 2 * 2 + c - 1);
}

/* Four samples in five bytes, the lower bits first. */
static guint
read_nv12_10le40 (const OracleFrame *frame, guint c, gint x, gint y)
{
  const guint8 *row = find_row (frame, c > 0, c > 0 ? y / 2 : y);
  const guint k = c == 0 ? (guint)x : (guint)x / 2 * 2 + c - 1;
  guint64 five = 0;

  for (guint i = 0; i < 5; i++)
    five |= (guint64)row[k / 4 * 5 + i] << 8 * i;
  return (guint)(five >> 10 * (k % 4)) & 1023;
}

static guint
read_rgb16 (const OracleFrame *frame, guint c, gint x, gint y)
{
  static const guint shifts[] = { 11, 5, 0 };

  return read_word (frame, x, y) >> shifts[c] & (c == 1 ? 63 : 31);
}

static guint
read_bgr16 (const OracleFrame *frame, guint c, gint x, gint y)
{
  return read_rgb16 (frame, 2 - c, x, y);
}

static guint
read_rgb15 (const OracleFrame *frame, guint c, gint x, gint y)
{
  return read_word (frame, x, y) >> 5 * (2 - c) & 31;
}

static guint
read_bgr15 (const OracleFrame *frame, guint c, gint x, gint y)
{
  return read_rgb15 (frame, 2 - c, x, y);
}

/* U Y Y V Y Y: four pixels. */
static guint
read_iyu1 (const OracleFrame *frame, guint c, gint x, gint y)
{
  static const guint luma[] = { 1, 2, 4, 5 };

  return find_row (frame, 0, y)[x / 4 * 6 + (gint)(c == 0 ? luma[x % 4] : 3 * (c - 1))];
}

/* Tiles of rows, from left to right and from top to bottom. */
static guint
read_tile (const OracleFrame *frame, guint c, gint x, gint y, gint width, gint height)
{
  const guint plane = c > 0;
  const gint byte = c == 0 ? x : x / 2 * 2 + (gint)c - 1, row = c == 0 ? y : y / 2;
  const gint tile = row / height * GST_VIDEO_TILE_X_TILES (frame->info.stride[plane]) + byte / width;

  return frame->map.data[frame->info.offset[plane] + (gsize)(tile * width * height + row % height * width + byte % width)];
}

static guint
read_4l4 (const OracleFrame *frame, guint c, gint x, gint y)
{
  return read_tile (frame, c, x, y, 4, 4);
}

static guint
read_32l32 (const OracleFrame *frame, guint c, gint x, gint y)
{
  return read_tile (frame, c, x, y, 32, 32);
}

static guint
read_16l32s (const OracleFrame *frame, guint c, gint x, gint y)
{
  return read_tile (frame, c, x, y, 16, c == 0 ? 32 : 16);
}

static guint
read_8l128 (const OracleFrame *frame, guint c, gint x, gint y)
{
  return read_tile (frame, c, x, y, 8, 128);
}

/* Formats that are not read where they are. NULL: compared with GStreamer. */
static const struct {
  const gchar *name;
  guint (*read) (const OracleFrame *frame, guint c, gint x, gint y);
  guint samples, bytes; /* of a group in a row; 0: the format has tiles */
} unpacked[] = {
  { "v210", read_v210, 6, 16 },
  { "UYVP", read_uyvp, 2, 5 },
  { "Y410", read_y410, 1, 4 },
  { "RGB10A2_LE", read_rgb10a2, 1, 4 },
  { "BGR10A2_LE", read_bgr10a2, 1, 4 },
  { "r210", read_r210, 1, 4 },
  { "GRAY10_LE32", read_gray10_le32, 3, 4 },
  { "NV12_10LE32", read_nv12_10le32, 3, 4 },
  { "NV16_10LE32", read_nv16_10le32, 3, 4 },
  { "NV12_10LE40", read_nv12_10le40, 4, 5 },
  { "RGB16", read_rgb16, 1, 2 },
  { "BGR16", read_bgr16, 1, 2 },
  { "RGB15", read_rgb15, 1, 2 },
  { "BGR15", read_bgr15, 1, 2 },
  { "IYU1", read_iyu1, 4, 6 },
  { "NV12_4L4", read_4l4, 0, 0 },
  { "NV12_32L32", read_32l32, 0, 0 },
  { "NV12_16L32S", read_16l32s, 0, 0 },
  { "NV12_8L128", read_8l128, 0, 0 },
  { "NV12_10BE_8L128", NULL, 0, 0 },
  { "NV12_64Z32", NULL, 0, 0 },
  { "NV12_10LE40_4L4", NULL, 0, 0 },
  { "MT2110T", NULL, 0, 0 },
  { "MT2110R", NULL, 0, 0 },
};

/* Returns the place in `unpacked`, or its length. */
static guint
find_unpacked (const gchar *name)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (unpacked) && !g_str_equal (unpacked[i].name, name))
    i++;
  return i;
}

/* ---- samples ------------------------------------------------------------------------------------------------- */

/* As GStreamer unpacks it. */
static guint
unpack_sample (const OracleFrame *frame, guint c, gint x, gint y)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  /* GStreamer exchanges U and V of the last pixel of VYUY if the number of pixels is odd. */
  const gint width = GST_VIDEO_INFO_WIDTH (&frame->info) + (g_str_equal (finfo->name, "VYUY") ? 1 : 0);
  const gboolean is_deep = GST_VIDEO_FORMAT_INFO_BITS (gst_video_format_get_info (finfo->unpack_format)) > 8;
  g_autofree guint16 *pixels = g_new (guint16, 4 * (gsize)(width + 64));
  gpointer planes[GST_VIDEO_MAX_PLANES];
  const guint at = 4 * (guint)x + (c + 1) % 4;

  for (guint p = 0; p < GST_VIDEO_FORMAT_INFO_N_PLANES (finfo); p++)
    planes[p] = (guint8 *)frame->map.data + frame->info.offset[p];
  finfo->unpack_func (finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, pixels, planes, frame->info.stride, 0, y, width);
  return is_deep ? (guint)pixels[at] >> (16 - MIN (16, GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c))) : ((guint8 *)pixels)[at];
}

/* Repeats the bits of a sample. */
static guint
widen (guint value, guint bits, guint depth)
{
  guint known = bits, widened = value;

  for (; known < depth; known += bits)
    widened = widened << bits | value;
  return widened >> (known - depth);
}

guint
oracle_get_sample (const OracleFrame *frame, guint component, guint x, guint y)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  const guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, component), i = find_unpacked (finfo->name);
  const gint pixel_x = (gint)x << GST_VIDEO_FORMAT_INFO_W_SUB (finfo, component);
  const gint pixel_y = (gint)y << GST_VIDEO_FORMAT_INFO_H_SUB (finfo, component);

  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo))
    return find_row (frame, 0, pixel_y)[pixel_x];
  if (i == G_N_ELEMENTS (unpacked) || unpacked[i].read == NULL)
    return unpack_sample (frame, component, pixel_x, pixel_y);
  return widen (unpacked[i].read (frame, component, pixel_x, pixel_y), depth, oracle_get_depth (finfo));
}

gboolean
oracle_is_unpacked (const gchar *format)
{
  return find_unpacked (format) < G_N_ELEMENTS (unpacked);
}

const gchar *
oracle_get_unpacked (guint n)
{
  return n < G_N_ELEMENTS (unpacked) ? unpacked[n].name : NULL;
}

guint
oracle_get_n_components (const GstVideoFormatInfo *finfo)
{
  return GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo) ? 1 : GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo);
}

const gchar *
oracle_get_name (const GstVideoFormatInfo *finfo, guint component)
{
  static const gchar *const yuv[] = { "Y", "U", "V", "A" }, *const rgb[] = { "R", "G", "B", "A" };

  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo))
    return "index";
  if (oracle_get_n_components (finfo) < 3)
    return component == 0 ? "GRAY" : "A";
  return GST_VIDEO_FORMAT_INFO_IS_RGB (finfo) ? rgb[component] : yuv[component];
}

guint
oracle_get_depth (const GstVideoFormatInfo *finfo)
{
  return MAX (8, GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0));
}

void
oracle_find_samples (const OracleFrame *frame, guint component, guint *first_x, guint *first_y, guint *columns, guint *rows)
{
  const guint sub_x = GST_VIDEO_FORMAT_INFO_W_SUB (frame->info.finfo, component);
  const guint sub_y = GST_VIDEO_FORMAT_INFO_H_SUB (frame->info.finfo, component);

  *first_x = (guint)frame->visible.x >> sub_x;
  *first_y = (guint)frame->visible.y >> sub_y;
  *columns = ((guint)(frame->visible.x + frame->visible.w - 1) >> sub_x) - *first_x + 1;
  *rows = ((guint)(frame->visible.y + frame->visible.h - 1) >> sub_y) - *first_y + 1;
}

/* ---- pictures --------------------------------------------------------------------------------------------------------- */

gsize
oracle_get_group_bytes (const GstVideoInfo *info, guint plane)
{
  const guint i = find_unpacked (info->finfo->name), width = (guint)GST_VIDEO_INFO_WIDTH (info);
  const guint samples = plane > 0 ? (width + 1) / 2 * 2 : width;

  if (i == G_N_ELEMENTS (unpacked) || unpacked[i].samples == 0)
    return 0;
  return (samples + unpacked[i].samples - 1) / unpacked[i].samples * unpacked[i].bytes;
}

static gsize
get_least_row_bytes (const GstVideoInfo *info, guint plane)
{
  GstVideoInfo tight;

  gst_video_info_set_format (&tight, GST_VIDEO_INFO_FORMAT (info), (guint)info->width, (guint)info->height);
  return oracle_get_group_bytes (info, plane) > 0 ? MIN (oracle_get_group_bytes (info, plane), (gsize)tight.stride[plane])
                                                  : (gsize)tight.stride[plane];
}

gsize
oracle_get_plane_bytes (const GstVideoInfo *info, guint plane)
{
  const gint stride = info->stride[plane];
  gint components[GST_VIDEO_MAX_COMPONENTS];

  if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
    return (gsize)(GST_VIDEO_TILE_X_TILES (stride) * GST_VIDEO_TILE_Y_TILES (stride))
           * GST_VIDEO_FORMAT_INFO_TILE_SIZE (info->finfo, plane);
  gst_video_format_info_component (info->finfo, plane, components);
  return (gsize)stride * ((gsize)GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]) - 1) + get_least_row_bytes (info, plane);
}

void
oracle_tighten (GstVideoInfo *info)
{
  gsize end = 0;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
      info->stride[p] = (gint)get_least_row_bytes (info, p);
    info->offset[p] = end;
    end += oracle_get_plane_bytes (info, p);
  }
  info->size = end;
}

/* Sets random strides and offsets, and returns the end of the last plane. */
static gsize
lay_out (GstVideoInfo *info, struct test_random *random)
{
  gsize end = 0;

  if (test_random_once_in (random, 2))
    oracle_tighten (info);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const gint more = (gint)test_random_below (random, 20);

    info->offset[p] = end + test_random_below (random, 20);
    if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
      info->stride[p] = GST_VIDEO_TILE_MAKE_STRIDE (GST_VIDEO_TILE_X_TILES (info->stride[p]) + more % 3,
                                                    GST_VIDEO_TILE_Y_TILES (info->stride[p]));
    else
      info->stride[p] += more;
    end = info->offset[p] + oracle_get_plane_bytes (info, p);
  }
  return end;
}

/* Makes the buffer of a picture that has a size and a visible part. */
static void
make_picture (OracleFrame *frame, struct test_random *random)
{
  const GstVideoRectangle *visible = &frame->visible;
  const gsize size = lay_out (&frame->info, random);

  frame->buffer = gst_buffer_new_allocate (NULL, size + MISSING_BYTES, NULL);
  gst_buffer_memset (frame->buffer, size, 0, MISSING_BYTES);
  gst_buffer_map (frame->buffer, &frame->map, GST_MAP_WRITE);
  test_random_bytes (random, frame->map.data, size);
  gst_buffer_unmap (frame->buffer, &frame->map);
  if (test_random_once_in (random, 2))
    gst_buffer_set_size (frame->buffer, (gssize)size);
  add_video_meta (frame->buffer, &frame->info, 0);
  if (visible->w != frame->info.width || visible->h != frame->info.height)
    crop_buffer (frame->buffer, (guint)visible->x, (guint)visible->y, (guint)visible->w, (guint)visible->h);
  gst_buffer_map (frame->buffer, &frame->map, GST_MAP_READ);
}

void
oracle_init (OracleFrame *frame, GstVideoFormat format, struct test_random *random)
{
  const guint width = 1 + test_random_below (random, 40), height = 1 + test_random_below (random, 20);
  GstVideoRectangle *visible = &frame->visible;

  *frame = (OracleFrame){ .visible = { 0, 0, (gint)width, (gint)height } };
  gst_video_info_set_format (&frame->info, format, width, height);
  if (!test_random_once_in (random, 4)) {
    visible->x = (gint)test_random_below (random, width);
    visible->y = (gint)test_random_below (random, height);
    visible->w = 1 + (gint)test_random_below (random, width - (guint)visible->x);
    visible->h = 1 + (gint)test_random_below (random, height - (guint)visible->y);
  }
  make_picture (frame, random);
}

void
oracle_init_next (OracleFrame *frame, const OracleFrame *previous, struct test_random *random)
{
  const GstVideoInfo *info = &previous->info;

  *frame = (OracleFrame){ .visible = previous->visible };
  gst_video_info_set_format (&frame->info, GST_VIDEO_INFO_FORMAT (info), (guint)info->width, (guint)info->height);
  make_picture (frame, random);
}

void
oracle_clear (OracleFrame *frame)
{
  if (frame->buffer != NULL)
    gst_buffer_unmap (frame->buffer, &frame->map);
  gst_clear_buffer (&frame->buffer);
}
