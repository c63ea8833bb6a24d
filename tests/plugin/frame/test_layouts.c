/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every format of raw video, with any size, stride, offset and crop: samples in the planes that the engine reads are those of
 * the oracle. */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "formatoracle.h"
#include "frame/framemap.h"
#include "frame/unpack.h"
#include "pictures.h"
#include "random.h"

#define ROUNDS 60 /* pictures of each format */

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

static void
check_frame (const OracleFrame *picture, const GstCudaHistoFrame *frame)
{
  const GstVideoFormatInfo *finfo = picture->info.finfo;
  const GstVideoRectangle *visible = &picture->visible;

  fail_unless_equals_int (frame->frame.component_count, oracle_get_n_components (finfo));
  for (guint c = 0; c < frame->frame.component_count; c++) {
    const struct histo_component *component = &frame->frame.components[c];
    guint first_x, first_y, columns, rows;

    oracle_find_samples (picture, c, &first_x, &first_y, &columns, &rows);
    fail_unless_equals_int (component->depth, oracle_get_depth (finfo));
    fail_unless_equals_int (component->width, columns);
    fail_unless_equals_int (frame->frame.planes[component->plane].height, rows);
    for (guint row = 0; row < rows; row++)
      for (guint i = 0; i < columns; i++) {
        const guint sample = get_sample (&frame->frame, c, i, row);
        const guint expected = oracle_get_sample (picture, c, first_x + i, first_y + row);

        fail_unless (sample == expected,
                     "%s %dx%d, visible %dx%d at (%d,%d): sample %u of row %u of component %u is %u, not %u", finfo->name,
                     picture->info.width, picture->info.height, visible->w, visible->h, visible->x, visible->y, i, row, c,
                     sample, expected);
      }
  }
}

static void
check_picture (GstVideoFormat format, struct test_random *random)
{
  g_auto (OracleFrame) picture = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCudaHistoFrame) frame = NULL;
  GstVideoInfo info;

  oracle_init (&picture, format, random);
  gst_video_info_set_format (&info, format, (guint)picture.info.width, (guint)picture.info.height);
  frame = gst_cuda_histo_frame_map_video (&info, picture.buffer, 0, NULL, &error);
  g_assert_no_error (error);
  check_frame (&picture, frame);
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
    fail_unless_equals_int (layout.is_unpacked, oracle_is_unpacked (finfo->name));
    n_unpacked += layout.is_unpacked ? 1 : 0;
    for (guint round = 0; round < ROUNDS; round++)
      check_picture (formats[i], &random);
  }
  fail_unless (n_formats >= 111 && n_unpacked >= 21, "%u formats, of which %u are unpacked", n_formats, n_unpacked);
}

/* A buffer that is too short for a picture that is to be unpacked, by one byte in any plane. */
TEST (test_too_short)
{
  for (guint i = 0; oracle_get_unpacked (i) != NULL; i++) {
    const GstVideoFormat format = gst_video_format_from_string (oracle_get_unpacked (i));
    g_autoptr (GError) error = NULL;
    GstVideoInfo info;

    if (format == GST_VIDEO_FORMAT_UNKNOWN) /* unknown to this version of GStreamer */
      continue;
    gst_video_info_set_format (&info, format, 37, 19);
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
      g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
      GstVideoInfo moved = info;

      moved.offset[p] = info.size - oracle_get_plane_bytes (&info, p) + 1;
      add_video_meta (buffer, &moved, 0);
      fail_unless (gst_cuda_histo_frame_map_video (&info, buffer, 0, NULL, &error) == NULL, "%s, plane %u",
                   oracle_get_unpacked (i), p);
      fail_unless (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
      fail_unless (strstr (error->message, oracle_get_unpacked (i)) != NULL, "%s", error->message);
      g_clear_error (&error);
    }
  }
}

/* Returns the bytes beyond the end of the last plane, tightened, that an unpack function may read. */
static gsize
get_overrun (const GstVideoInfo *info)
{
  const guint last = GST_VIDEO_INFO_N_PLANES (info) - 1;

  if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
    return GST_VIDEO_INFO_WIDTH (info) % 2 != 0 ? GST_VIDEO_FORMAT_INFO_TILE_SIZE (info->finfo, last) : 0;
  return oracle_get_group_bytes (info, last) - (gsize)info->stride[last];
}

/* Maps memory of some bytes before a page that cannot be read. */
static guint8 *
map_before_page (gsize bytes, guint8 **memory, gsize *mapped)
{
  const gsize page = (gsize)sysconf (_SC_PAGESIZE), readable = (bytes + page - 1) / page * page;

  *mapped = readable + page;
  *memory = mmap (NULL, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fail_unless (*memory != MAP_FAILED && mprotect (*memory + readable, page, PROT_NONE) == 0);
  return *memory + readable - bytes;
}

/* Unpacks a picture, and packs it if this is possible. `more`: bytes after the picture. */
static void
check_end_of_memory (GstVideoInfo *info, gsize more)
{
  const gsize size = info->size + more;
  gsize mapped;
  guint8 *memory, *data = map_before_page (size, &memory, &mapped);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, data, size, 0, size, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCudaHistoFrame) frame = NULL;

  add_video_meta (buffer, info, 0);
  frame = gst_cuda_histo_frame_map_video (info, buffer, 0, NULL, &error);
  g_assert_no_error (error);
  if (gst_cuda_histo_unpack_can_pack (info->finfo)) {
    g_auto (GstCudaHistoRow) row = { 0 };
    gpointer planes[GST_VIDEO_MAX_PLANES] = { NULL };

    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
      planes[p] = data + info->offset[p];
    gst_cuda_histo_row_init (&row, info->finfo, (guint)info->width);
    for (guint y = 0; y < (guint)info->height; y++) {
      gst_cuda_histo_row_unpack (&row, planes, info->stride, y);
      gst_cuda_histo_row_pack (&row, planes, info->stride, y);
    }
  }
  munmap (memory, mapped);
}

/* Nothing beyond the buffer is read, and nothing beyond the last group or tile: a page follows that cannot be read. */
TEST (test_end_of_memory)
{
  for (guint i = 0; oracle_get_unpacked (i) != NULL; i++) {
    const GstVideoFormat format = gst_video_format_from_string (oracle_get_unpacked (i));

    if (format == GST_VIDEO_FORMAT_UNKNOWN) /* unknown to this version of GStreamer */
      continue;
    for (guint width = 1; width <= 70; width++) {
      GstVideoInfo info;

      fail_unless (gst_video_info_set_format (&info, format, width, width % 2 == 0 ? 5 : 151));
      check_end_of_memory (&info, 0);
      oracle_tighten (&info);
      check_end_of_memory (&info, 0);
      check_end_of_memory (&info, get_overrun (&info));
    }
  }
}

/* Whether a row has the name among its words. A_{1,2} stands for A_1 and A_2. */
static gboolean
row_lists (const gchar *row, const gchar *name)
{
  g_auto (GStrv) words = g_strsplit (row, " ", -1);
  gboolean is_found = FALSE;

  for (gchar **word = words; *word != NULL && !is_found; word++) {
    g_autofree gchar *pattern = NULL;

    if (g_str_has_suffix (*word, ","))
      (*word)[strlen (*word) - 1] = '\0';
    pattern = g_strdup_printf ("^%s$", g_strdelimit (g_strdelimit (g_strdelimit (*word, "{", '('), ",", '|'), "}", ')'));
    is_found = **word != '|' && g_regex_match_simple (pattern, name, 0, 0);
  }
  return is_found;
}

/* The table of docs/reference.md has each format in the row that describes it. Its formats of other versions of GStreamer are
 * not checked. */
TEST (test_page)
{
  static const gchar *const rows[] = { "| in place | 8 |", "| in place | 9 to 16 |", "| unpacked | 8 |", "| unpacked | 10 |" };
  g_autofree gchar *page = NULL;
  g_auto (GStrv) lines = NULL;
  guint n_formats;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  fail_unless (g_file_get_contents (REFERENCE_PAGE, &page, NULL, NULL));
  lines = g_strsplit (page, "\n", -1);
  for (guint i = 0; i < n_formats; i++) {
    const gchar *name = gst_video_format_to_string (formats[i]);
    const gchar *wanted, *found = NULL;
    GstCudaHistoLayout layout;

    if (!gst_cuda_histo_layout_find (&layout, gst_video_format_get_info (formats[i])))
      continue;
    wanted = rows[(layout.is_unpacked ? 2 : 0) + (layout.components[0].depth > 8 ? 1 : 0)];
    for (gchar **line = lines; *line != NULL; line++)
      for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
        if (g_str_has_prefix (*line, rows[row]) && row_lists (*line, name)) {
          fail_unless (found == NULL, "%s is on the page twice", name);
          found = rows[row];
        }
    fail_unless (g_strcmp0 (found, wanted) == 0, "%s is in the row %s, not in %s", name, found, wanted);
  }
}

TEST_MAIN
