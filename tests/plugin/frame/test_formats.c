/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every format of raw video, with any size, stride, offset and crop. Samples of formats that are read where they are, and of
 * tiles in another order than from left to right, are compared with those that GStreamer unpacks. Samples of the others are
 * compared with their bits in memory, by the definition of the format. */

#include <gst/video/video.h>
#include <string.h>

#include "cases.h"
#include "frame/framemap.h"
#include "random.h"

#define ROUNDS 60 /* pictures of each format */

/* A picture in memory. */
typedef struct {
  GstVideoInfo info; /* with the offsets and strides of this picture */
  const guint8 *data;
} Memory;

/* ---- definitions of formats ------------------------------------------------------------------------------------------- */

static guint32
read_little (const guint8 *at)
{
  return at[0] | (guint32)at[1] << 8 | (guint32)at[2] << 16 | (guint32)at[3] << 24;
}

static guint
read_word (const Memory *memory, gint x, gint y)
{
  const guint8 *at = memory->data + memory->info.offset[0] + y * memory->info.stride[0] + 2 * x;

  return at[0] | (guint)at[1] << 8;
}

static const guint8 *
find_row (const Memory *memory, guint plane, gint y)
{
  return memory->data + memory->info.offset[plane] + y * memory->info.stride[plane];
}

/* The k-th sample of 10 bits in words of three samples. */
static guint
read_third (const guint8 *row, guint k)
{
  return read_little (row + k / 3 * 4) >> 10 * (k % 3) & 1023;
}

static guint
read_v210 (const Memory *memory, guint c, gint x, gint y)
{
  const guint pixel = (guint)x % 6, sample[] = { 2 * pixel + 1, pixel / 2 * 4, pixel / 2 * 4 + 2 };

  return read_third (find_row (memory, 0, y) + x / 6 * 16, sample[c]);
}

/* Samples of 10 bits one after another, the upper bits first: U, Y, V, Y. */
static guint
read_uyvp (const Memory *memory, guint c, gint x, gint y)
{
  const guint sample[] = { 2 * ((guint)x % 2) + 1, 0, 2 };
  const guint8 *row = find_row (memory, 0, y) + x / 2 * 5;
  guint value = 0;

  for (guint bit = 10 * sample[c]; bit < 10 * sample[c] + 10; bit++)
    value = value << 1 | (row[bit / 8] >> (7 - bit % 8) & 1u);
  return value;
}

static guint
read_pixel_word (const Memory *memory, gint x, gint y, guint shift, guint bits)
{
  return read_little (find_row (memory, 0, y) + 4 * x) >> shift & ((1u << bits) - 1);
}

static guint
read_y410 (const Memory *memory, guint c, gint x, gint y)
{
  static const guint shifts[] = { 10, 0, 20, 30 };

  return read_pixel_word (memory, x, y, shifts[c], c < 3 ? 10 : 2);
}

static guint
read_rgb10a2 (const Memory *memory, guint c, gint x, gint y)
{
  return read_pixel_word (memory, x, y, 10 * c, c < 3 ? 10 : 2);
}

static guint
read_bgr10a2 (const Memory *memory, guint c, gint x, gint y)
{
  static const guint shifts[] = { 20, 10, 0, 30 };

  return read_pixel_word (memory, x, y, shifts[c], c < 3 ? 10 : 2);
}

static guint
read_r210 (const Memory *memory, guint c, gint x, gint y)
{
  return GUINT32_SWAP_LE_BE (read_pixel_word (memory, x, y, 0, 31) | read_pixel_word (memory, x, y, 31, 1) << 31)
             >> (20 - 10 * c)
         & 1023;
}

static guint
read_gray10_le32 (const Memory *memory, guint c, gint x, gint y)
{
  (void)c;
  return read_third (find_row (memory, 0, y), (guint)x);
}

static guint
read_nv12_10le32 (const Memory *memory, guint c, gint x, gint y)
{
  if (c == 0)
    return read_third (find_row (memory, 0, y), (guint)x);
  return read_third (find_row (memory, 1, y / 2), (guint)x / 2 * 2 + c - 1);
}

static guint
read_nv16_10le32 (const Memory *memory, guint c, gint x, gint y)
{
  if (c == 0)
    return read_third (find_row (memory, 0, y), (guint)x);
  return read_third (find_row (memory, 1, y), (guint)x / 2 * 2 + c - 1);
}

/* Four samples in five bytes, the lower bits first. */
static guint
read_nv12_10le40 (const Memory *memory, guint c, gint x, gint y)
{
  const guint8 *row = find_row (memory, c > 0, c > 0 ? y / 2 : y);
  const guint k = c == 0 ? (guint)x : (guint)x / 2 * 2 + c - 1;
  guint64 five = 0;

  for (guint i = 0; i < 5; i++)
    five |= (guint64)row[k / 4 * 5 + i] << 8 * i;
  return (guint)(five >> 10 * (k % 4)) & 1023;
}

static guint
read_rgb16 (const Memory *memory, guint c, gint x, gint y)
{
  static const guint shifts[] = { 11, 5, 0 };

  return read_word (memory, x, y) >> shifts[c] & (c == 1 ? 63 : 31);
}

static guint
read_bgr16 (const Memory *memory, guint c, gint x, gint y)
{
  return read_rgb16 (memory, 2 - c, x, y);
}

static guint
read_rgb15 (const Memory *memory, guint c, gint x, gint y)
{
  return read_word (memory, x, y) >> 5 * (2 - c) & 31;
}

static guint
read_bgr15 (const Memory *memory, guint c, gint x, gint y)
{
  return read_rgb15 (memory, 2 - c, x, y);
}

/* U Y Y V Y Y: four pixels. */
static guint
read_iyu1 (const Memory *memory, guint c, gint x, gint y)
{
  static const guint luma[] = { 1, 2, 4, 5 };

  return find_row (memory, 0, y)[x / 4 * 6 + (gint)(c == 0 ? luma[x % 4] : 3 * (c - 1))];
}

/* Tiles of rows, from left to right and from top to bottom. */
static guint
read_tile (const Memory *memory, guint c, gint x, gint y, gint width, gint height)
{
  const guint plane = c > 0;
  const gint byte = c == 0 ? x : x / 2 * 2 + (gint)c - 1, row = c == 0 ? y : y / 2;
  const gint tile = row / height * GST_VIDEO_TILE_X_TILES (memory->info.stride[plane]) + byte / width;

  return memory->data[memory->info.offset[plane] + (gsize)(tile * width * height + row % height * width + byte % width)];
}

static guint
read_4l4 (const Memory *memory, guint c, gint x, gint y)
{
  return read_tile (memory, c, x, y, 4, 4);
}

static guint
read_32l32 (const Memory *memory, guint c, gint x, gint y)
{
  return read_tile (memory, c, x, y, 32, 32);
}

static guint
read_16l32s (const Memory *memory, guint c, gint x, gint y)
{
  return read_tile (memory, c, x, y, 16, c == 0 ? 32 : 16);
}

static guint
read_8l128 (const Memory *memory, guint c, gint x, gint y)
{
  return read_tile (memory, c, x, y, 8, 128);
}

/* Formats that are not read where they are. NULL: compared with GStreamer. */
static const struct {
  const gchar *name;
  guint (*read) (const Memory *memory, guint c, gint x, gint y);
} unpacked[] = {
  { "v210", read_v210 },
  { "UYVP", read_uyvp },
  { "Y410", read_y410 },
  { "RGB10A2_LE", read_rgb10a2 },
  { "BGR10A2_LE", read_bgr10a2 },
  { "r210", read_r210 },
  { "GRAY10_LE32", read_gray10_le32 },
  { "NV12_10LE32", read_nv12_10le32 },
  { "NV16_10LE32", read_nv16_10le32 },
  { "NV12_10LE40", read_nv12_10le40 },
  { "RGB16", read_rgb16 },
  { "BGR16", read_bgr16 },
  { "RGB15", read_rgb15 },
  { "BGR15", read_bgr15 },
  { "IYU1", read_iyu1 },
  { "NV12_4L4", read_4l4 },
  { "NV12_32L32", read_32l32 },
  { "NV12_16L32S", read_16l32s },
  { "NV12_8L128", read_8l128 },
  { "NV12_10BE_8L128", NULL },
  { "NV12_64Z32", NULL },
  { "NV12_10LE40_4L4", NULL },
  { "MT2110T", NULL },
  { "MT2110R", NULL },
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

/* ---- expected samples ------------------------------------------------------------------------------------------------- */

/* As GStreamer unpacks it. */
static guint
unpack_sample (const Memory *memory, guint c, gint x, gint y)
{
  const GstVideoFormatInfo *finfo = memory->info.finfo;
  /* GStreamer exchanges U and V of the last pixel of VYUY if the number of pixels is odd. */
  const gint width = GST_VIDEO_INFO_WIDTH (&memory->info) + (g_str_equal (finfo->name, "VYUY") ? 1 : 0);
  const gboolean is_deep = GST_VIDEO_FORMAT_INFO_BITS (gst_video_format_get_info (finfo->unpack_format)) > 8;
  g_autofree guint16 *pixels = g_new (guint16, 4 * (gsize)(width + 64));
  gpointer planes[GST_VIDEO_MAX_PLANES];
  const guint at = 4 * (guint)x + (c + 1) % 4;

  for (guint p = 0; p < GST_VIDEO_FORMAT_INFO_N_PLANES (finfo); p++)
    planes[p] = (guint8 *)memory->data + memory->info.offset[p];
  finfo->unpack_func (finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, pixels, planes, memory->info.stride, 0, y, width);
  return is_deep ? (guint)pixels[at] >> (16 - MIN (16, GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c))) : ((guint8 *)pixels)[at];
}

/* Repeats a sample of fewer than 8 bits. */
static guint
widen (guint value, guint depth)
{
  guint bits = depth, widened = value;

  for (; bits < 8; bits += depth)
    widened = widened << depth | value;
  return widened >> (bits - 8);
}

/* The expected sample of the component at a pixel. */
static guint
get_expected (const Memory *memory, guint c, gint x, gint y)
{
  const guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (memory->info.finfo, c);
  const guint i = find_unpacked (memory->info.finfo->name);

  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (memory->info.finfo))
    return find_row (memory, 0, y)[x];
  if (i == G_N_ELEMENTS (unpacked) || unpacked[i].read == NULL)
    return unpack_sample (memory, c, x, y);
  return depth < 8 ? widen (unpacked[i].read (memory, c, x, y), depth) : unpacked[i].read (memory, c, x, y);
}

/* The sample that the engine reads. */
static guint
get_sample (const struct histo_frame *frame, guint c, guint i, guint row)
{
  const struct histo_component *component = &frame->components[c];
  const struct histo_plane *plane = &frame->planes[component->plane];
  const guint8 *at
      = (const guint8 *)plane->data + row * plane->stride_bytes + component->offset_bytes + i * component->step_bytes;

  if (component->sample_bytes == 1)
    return at[0];
  return (component->big_endian ? (guint)at[0] << 8 | at[1] : at[0] | (guint)at[1] << 8) >> component->shift
         & ((1u << component->depth) - 1);
}

/* ---- pictures --------------------------------------------------------------------------------------------------------- */

/* Returns the bytes of a plane. */
static gsize
get_plane_bytes (const GstVideoInfo *info, guint plane)
{
  const gint stride = info->stride[plane];
  gint components[GST_VIDEO_MAX_COMPONENTS];

  if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
    return (gsize)(GST_VIDEO_TILE_X_TILES (stride) * GST_VIDEO_TILE_Y_TILES (stride))
           * GST_VIDEO_FORMAT_INFO_TILE_SIZE (info->finfo, plane);
  gst_video_format_info_component (info->finfo, plane, components);
  return (gsize)stride * (gsize)GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
}

/* Sets random strides and offsets, and returns the end of the last plane. */
static gsize
lay_out (GstVideoInfo *info, struct test_random *random)
{
  gsize end = 0;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const gint more = (gint)test_random_below (random, 20);

    info->offset[p] = end + test_random_below (random, 20);
    if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
      info->stride[p] = GST_VIDEO_TILE_MAKE_STRIDE (GST_VIDEO_TILE_X_TILES (info->stride[p]) + more % 3,
                                                    GST_VIDEO_TILE_Y_TILES (info->stride[p]));
    else
      info->stride[p] += more;
    end = info->offset[p] + get_plane_bytes (info, p);
  }
  return end;
}

static void
check_frame (const Memory *memory, const GstVideoRectangle *visible, const GstCudaHistoFrame *frame)
{
  const GstVideoFormatInfo *finfo = memory->info.finfo;
  const guint n_components = GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo) ? 1 : GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo);

  fail_unless_equals_int (frame->frame.component_count, n_components);
  for (guint c = 0; c < n_components; c++) {
    const struct histo_component *component = &frame->frame.components[c];
    const guint height = frame->frame.planes[component->plane].height;
    const gint sub_x = (gint)GST_VIDEO_FORMAT_INFO_W_SUB (finfo, c), sub_y = (gint)GST_VIDEO_FORMAT_INFO_H_SUB (finfo, c);
    const gint first_x = visible->x >> sub_x, first_y = visible->y >> sub_y;

    fail_unless_equals_int (component->depth, MAX (8, GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c)));
    fail_unless_equals_int (component->width, ((visible->x + visible->w - 1) >> sub_x) - first_x + 1);
    fail_unless_equals_int (height, ((visible->y + visible->h - 1) >> sub_y) - first_y + 1);
    for (guint row = 0; row < height; row++)
      for (guint i = 0; i < component->width; i++) {
        const guint sample = get_sample (&frame->frame, c, i, row);
        const guint expected
            = get_expected (memory, c, (first_x + (gint)i) * (1 << sub_x), (first_y + (gint)row) * (1 << sub_y));

        fail_unless (sample == expected,
                     "%s %dx%d, visible %dx%d at (%d,%d): sample %u of row %u of component %u is %u, not %u", finfo->name,
                     memory->info.width, memory->info.height, visible->w, visible->h, visible->x, visible->y, i, row, c, sample,
                     expected);
      }
  }
}

static void
check_picture (GstVideoFormat format, struct test_random *random)
{
  const gint width = 1 + (gint)test_random_below (random, 40), height = 1 + (gint)test_random_below (random, 20);
  GstVideoRectangle visible = { 0, 0, width, height };
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCudaHistoFrame) frame = NULL;
  GstVideoInfo info;
  Memory memory;
  GstMapInfo map;
  gsize size;

  fail_unless (gst_video_info_set_format (&memory.info, format, (guint)width, (guint)height));
  info = memory.info;
  size = lay_out (&memory.info, random);
  buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  test_random_bytes (random, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format, (guint)width, (guint)height,
                                  GST_VIDEO_INFO_N_PLANES (&memory.info), memory.info.offset, memory.info.stride);
  if (!test_random_once_in (random, 4)) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

    visible.x = (gint)test_random_below (random, (guint)width);
    visible.y = (gint)test_random_below (random, (guint)height);
    visible.w = 1 + (gint)test_random_below (random, (guint)(width - visible.x));
    visible.h = 1 + (gint)test_random_below (random, (guint)(height - visible.y));
    crop->x = (guint)visible.x;
    crop->y = (guint)visible.y;
    crop->width = (guint)visible.w;
    crop->height = (guint)visible.h;
  }
  frame = gst_cuda_histo_frame_map_video (&info, buffer, 0, NULL, &error);
  g_assert_no_error (error);
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  memory.data = map.data;
  check_frame (&memory, &visible, frame);
  gst_buffer_unmap (buffer, &map);
}

/* All formats of this GStreamer but DMA_DRM, whose memory is opaque. */
TEST (test_random_pictures)
{
  struct test_random random = test_random_start (1);
  guint n_formats, n_unpacked = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    const GstVideoFormatInfo *finfo = gst_video_format_get_info (formats[i]);
    GstCudaHistoLayout layout;

    if (g_str_equal (finfo->name, "DMA_DRM"))
      continue;
    fail_unless (gst_cuda_histo_layout_find (&layout, finfo), "%s is not supported", finfo->name);
    fail_unless_equals_int (layout.is_unpacked, find_unpacked (finfo->name) < G_N_ELEMENTS (unpacked));
    n_unpacked += layout.is_unpacked ? 1 : 0;
    for (guint round = 0; round < ROUNDS; round++)
      check_picture (formats[i], &random);
  }
  fail_unless (n_formats >= 111 && n_unpacked >= 21, "%u formats, of which %u are unpacked", n_formats, n_unpacked);
}

/* A buffer that is too short for a picture that is to be unpacked, by one byte in any plane. */
TEST (test_too_short)
{
  for (guint i = 0; i < G_N_ELEMENTS (unpacked); i++) {
    const GstVideoFormat format = gst_video_format_from_string (unpacked[i].name);
    g_autoptr (GError) error = NULL;
    GstVideoInfo info;

    if (format == GST_VIDEO_FORMAT_UNKNOWN) /* unknown to this version of GStreamer */
      continue;
    gst_video_info_set_format (&info, format, 37, 19);
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
      g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
      GstVideoInfo moved = info;

      moved.offset[p] = info.size - get_plane_bytes (&info, p) + 1;
      gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format, 37, 19, GST_VIDEO_INFO_N_PLANES (&info),
                                      moved.offset, moved.stride);
      fail_unless (gst_cuda_histo_frame_map_video (&info, buffer, 0, NULL, &error) == NULL, "%s, plane %u", unpacked[i].name,
                   p);
      fail_unless (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
      fail_unless (strstr (error->message, unpacked[i].name) != NULL, "%s", error->message);
      g_clear_error (&error);
    }
  }
}

TEST_MAIN
