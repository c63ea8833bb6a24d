/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Range conversion: every format, sample by sample, compared with the levels of BT.709 and BT.2100 in plain arithmetic.
 * test_ranges.py compares with FFmpeg. */

#include <math.h>
#include <string.h>

#include "cases.h"
#include "frame/framemap.h"
#include "frame/layout.h"
#include "frame/range.h"
#include "frame/unpack.h"
#include "pictures.h"
#include "random.h"

enum { WIDTH = 67, HEIGHT = 35 };

static struct test_random random_bytes;

static void
init_info (GstVideoInfo *info, GstVideoFormat format, GstVideoColorRange range)
{
  fail_unless (gst_video_info_set_format (info, format, WIDTH, HEIGHT));
  info->colorimetry.range = range;
}

static GstBuffer *
make_random (gsize size)
{
  guint8 *data = g_malloc (size);

  test_random_bytes (&random_bytes, data, size);
  return gst_buffer_new_wrapped (data, size);
}

/* The value of black, or of no colour, in limited range, and the number of steps to white, or to full colour. */
static double
bring (guint sample, guint depth, gboolean is_chroma, gboolean becomes_full)
{
  const double unit = (double)(1u << depth) / 256, max = (1u << depth) - 1;
  const double limited_zero = (is_chroma ? 128 : 16) * unit, limited_steps = (is_chroma ? 224 : 219) * unit;
  const double full_zero = is_chroma ? 128 * unit : 0;
  const double brought = becomes_full ? (sample - limited_zero) * max / limited_steps + full_zero
                                      : (sample - full_zero) * limited_steps / max + limited_zero;

  return CLAMP (floor (brought + 0.5), 0, max);
}

static void
check_format (GstVideoFormat format, GstVideoColorRange from, GstVideoColorRange to)
{
  g_autoptr (GstBuffer) buffer = NULL, before = NULL, converted = NULL;
  GstVideoFrame is, was;
  GstVideoInfo info;

  init_info (&info, format, from);
  g_autoptr (GstCudaHistoRange) range = gst_cuda_histo_range_new (&info, info.finfo, to);
  fail_unless (range != NULL, info.finfo->name);
  buffer = make_random (info.size);
  GST_BUFFER_PTS (buffer) = 42;
  before = gst_buffer_copy_deep (buffer);
  converted = gst_cuda_histo_range_convert (range, buffer, NULL);
  fail_unless (converted != NULL && GST_BUFFER_PTS (converted) == 42);

  fail_unless (gst_video_frame_map (&was, &info, before, GST_MAP_READ));
  fail_unless (gst_buffer_memcmp (buffer, 0, was.map[0].data, info.size) == 0);
  fail_unless (gst_video_frame_map (&is, &info, converted, GST_MAP_READ));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++)
    for (guint y = 0; y < (guint)GST_VIDEO_FRAME_COMP_HEIGHT (&was, c); y++)
      for (guint x = 0; x < (guint)GST_VIDEO_FRAME_COMP_WIDTH (&was, c); x++) {
        const guint sample = read_sample (&was, c, x, y), now = read_sample (&is, c, x, y);
        const double expected = c == GST_VIDEO_COMP_A
                                    ? sample
                                    : bring (sample, GST_VIDEO_INFO_COMP_DEPTH (&info, c),
                                             GST_VIDEO_INFO_IS_YUV (&info) && c > 0, to == GST_VIDEO_COLOR_RANGE_0_255);

        fail_unless (now == expected, "%s, component %u: %u became %u, not %g", info.finfo->name, c, sample, now, expected);
      }
  gst_video_frame_unmap (&is);
  gst_video_frame_unmap (&was);
}

TEST (test_formats)
{
  guint n_formats, n_checked = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  random_bytes = test_random_start (0);
  for (guint i = 0; i < n_formats; i++) {
    const GstVideoFormatInfo *finfo = gst_video_format_get_info (formats[i]);
    GstCudaHistoLayout layout;

    /* GStreamer's accessors, which this test uses, are wrong for Y210 and its kin. */
    if (!gst_cuda_histo_layout_find (&layout, finfo) || layout.is_unpacked || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo)
        || g_str_has_prefix (finfo->name, "Y2") || g_str_has_prefix (finfo->name, "Y41") || g_str_equal (finfo->name, "v216"))
      continue;
    check_format (formats[i], GST_VIDEO_COLOR_RANGE_16_235, GST_VIDEO_COLOR_RANGE_0_255);
    check_format (formats[i], GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_RANGE_16_235);
    n_checked++;
  }
  fail_unless (n_checked > 80, "%u formats", n_checked);
}

/* Rows may be longer than a picture is wide, and begin at odd addresses. */
TEST (test_layout)
{
  gint stride[GST_VIDEO_MAX_PLANES] = { 2 * WIDTH + 5 };
  gsize offset[GST_VIDEO_MAX_PLANES] = { 3 };
  const gsize size = offset[0] + (gsize)stride[0] * HEIGHT;
  g_autoptr (GstBuffer) buffer = make_random (size), converted = NULL;
  GstMapInfo is, was;
  GstVideoInfo info;

  init_info (&info, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_COLOR_RANGE_16_235);
  g_autoptr (GstCudaHistoRange) range = gst_cuda_histo_range_new (&info, info.finfo, GST_VIDEO_COLOR_RANGE_0_255);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY16_LE, WIDTH, HEIGHT, 1, offset,
                                  stride);
  converted = gst_cuda_histo_range_convert (range, buffer, NULL);
  fail_unless (converted != NULL && gst_buffer_get_video_meta (converted) != NULL);
  fail_unless (gst_buffer_map (buffer, &was, GST_MAP_READ) && gst_buffer_map (converted, &is, GST_MAP_READ));
  for (gsize i = 0; i < size; i++) {
    const gsize at = i < offset[0] ? (gsize)stride[0] : (i - offset[0]) % (gsize)stride[0], first = i - at % 2;

    if (at >= 2 * WIDTH) {
      fail_unless_equals_int (is.data[i], was.data[i]);
    } else {
      fail_unless (is.data[first] + 256 * is.data[first + 1]
                   == bring (was.data[first] + 256u * was.data[first + 1], 16, FALSE, TRUE));
    }
  }
  gst_buffer_unmap (converted, &is);
  gst_buffer_unmap (buffer, &was);
}

/* Formats that are packed again: each sample, by the planes that the engine reads. */
static void
check_packed (GstVideoFormat format, GstVideoColorRange to)
{
  const gboolean becomes_full = to == GST_VIDEO_COLOR_RANGE_0_255;
  g_autoptr (GstCudaHistoFrame) is = NULL, was = NULL;
  g_autoptr (GstBuffer) buffer = NULL, converted = NULL;
  GstVideoInfo info;

  init_info (&info, format, becomes_full ? GST_VIDEO_COLOR_RANGE_16_235 : GST_VIDEO_COLOR_RANGE_0_255);
  g_autoptr (GstCudaHistoRange) range = gst_cuda_histo_range_new (&info, info.finfo, to);
  fail_unless (range != NULL, info.finfo->name);
  buffer = make_random (info.size);
  converted = gst_cuda_histo_range_convert (range, buffer, NULL);
  fail_unless (converted != NULL, info.finfo->name);
  was = gst_cuda_histo_frame_map_video (&info, buffer, 0, NULL, NULL);
  is = gst_cuda_histo_frame_map_video (&info, converted, 0, NULL, NULL);
  for (guint c = 0; c < was->frame.component_count; c++) {
    const struct histo_component *component = &was->frame.components[c];
    const struct histo_plane *plane = &was->frame.planes[component->plane];

    for (guint y = 0; y < plane->height; y++)
      for (guint x = 0; x < component->width; x++) {
        const gsize at = y * plane->stride_bytes + x * component->step_bytes;
        const guint8 *before = (const guint8 *)plane->data + at;
        const guint8 *after = (const guint8 *)is->frame.planes[component->plane].data + at;
        const guint sample = component->sample_bytes == 1 ? *before : *(const guint16 *)(gconstpointer)before;
        const guint now = component->sample_bytes == 1 ? *after : *(const guint16 *)(gconstpointer)after;
        const double expected = c == GST_VIDEO_COMP_A
                                    ? sample
                                    : bring (sample, component->depth, GST_VIDEO_INFO_IS_YUV (&info) && c > 0, becomes_full);

        fail_unless (now == expected, "%s, component %u, %u,%u: %u became %u, not %g", info.finfo->name, c, x, y, sample, now,
                     expected);
      }
  }
}

TEST (test_packed_formats)
{
  guint n_formats, n_checked = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  random_bytes = test_random_start (0);
  for (guint i = 0; i < n_formats; i++) {
    const GstVideoFormatInfo *finfo = gst_video_format_get_info (formats[i]);
    GstCudaHistoLayout layout;

    if (!gst_cuda_histo_layout_find (&layout, finfo) || !layout.is_unpacked || GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0) < 8)
      continue;
    if (!gst_cuda_histo_unpack_can_pack (finfo)) {
      GstVideoInfo info;

      init_info (&info, formats[i], GST_VIDEO_COLOR_RANGE_16_235);
      fail_unless (gst_cuda_histo_range_new (&info, finfo, GST_VIDEO_COLOR_RANGE_0_255) == NULL, finfo->name);
      continue;
    }
    check_packed (formats[i], GST_VIDEO_COLOR_RANGE_0_255);
    check_packed (formats[i], GST_VIDEO_COLOR_RANGE_16_235);
    n_checked++;
  }
  fail_unless (n_checked >= 12, "%u formats", n_checked);
}

TEST (test_nothing_to_do)
{
  static const struct {
    GstVideoFormat format;
    GstVideoColorRange from, to;
  } cases[] = {
    { GST_VIDEO_FORMAT_I420, GST_VIDEO_COLOR_RANGE_16_235, GST_VIDEO_COLOR_RANGE_16_235 },
    { GST_VIDEO_FORMAT_RGB, GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_RANGE_0_255 },
    { GST_VIDEO_FORMAT_I420, GST_VIDEO_COLOR_RANGE_UNKNOWN, GST_VIDEO_COLOR_RANGE_0_255 },
    { GST_VIDEO_FORMAT_I420, GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_RANGE_UNKNOWN },
    { GST_VIDEO_FORMAT_RGB16, GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_RANGE_16_235 },
    { GST_VIDEO_FORMAT_UYVP, GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_RANGE_16_235 },
    { GST_VIDEO_FORMAT_RGB8P, GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_RANGE_16_235 },
  };
  GstVideoInfo info;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    init_info (&info, cases[i].format, cases[i].from);
    fail_unless (gst_cuda_histo_range_new (&info, info.finfo, cases[i].to) == NULL, info.finfo->name);
  }
}

TEST (test_short_buffer)
{
  g_autoptr (GstBuffer) buffer = make_random (100);
  g_autoptr (GError) error = NULL;
  GstVideoInfo info;

  init_info (&info, GST_VIDEO_FORMAT_I420, GST_VIDEO_COLOR_RANGE_16_235);
  g_autoptr (GstCudaHistoRange) range = gst_cuda_histo_range_new (&info, info.finfo, GST_VIDEO_COLOR_RANGE_0_255);
  fail_unless (gst_cuda_histo_range_convert (range, buffer, &error) == NULL);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
}

TEST_MAIN
