/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame mapping. Most frames contain the bytes 0, 1, 2 ..., so that a sample's value is its offset in the buffer, and expected
 * values follow from the format's definition. */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "frame/framemap.h"
#include "frame/source.h"
#include "input/bytes.h"
#include "pictures.h"

/* ---- helpers --------------------------------------------------------------------------------------------------------- */

static GstVideoInfo
make_info (const gchar *format, guint width, guint height)
{
  GstVideoInfo info;

  fail_unless (gst_video_info_set_format (&info, gst_video_format_from_string (format), width, height));
  return info;
}

/* A buffer of one memory with the bytes `first`, `first` + 1 ... */
static GstBuffer *
make_counting_buffer (gsize size, guint first)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < size; i++)
    map.data[i] = (guint8)(first + i);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static GstCudaHistoFrame *
map_video (const GstVideoInfo *info, GstBuffer *buffer)
{
  GError *error = NULL;
  GstCudaHistoFrame *frame = gst_cuda_histo_frame_map_video (info, buffer, 0, NULL, &error);

  g_assert_no_error (error);
  fail_unless (frame != NULL);
  fail_unless_equals_uint64 (frame->size, 0);
  fail_unless (frame->frame.id != 0);
  fail_unless (frame->frame.operand == NULL);
  fail_unless_equals_int (frame->frame.memory, HISTO_MEMORY_HOST);
  return frame;
}

/* Reads the bytes of a component's samples row by row, as the engine does, and checks the contract of histo.h. */
static GByteArray *
read_samples (const struct histo_frame *frame, guint index)
{
  const struct histo_component *component = &frame->components[index];
  const struct histo_plane *plane = &frame->planes[component->plane];
  GByteArray *samples = g_byte_array_new ();

  fail_unless (index < frame->component_count && component->plane < frame->plane_count);
  fail_unless_equals_int (component->sample_bytes, component->depth == 8 ? 1 : 2);
  fail_unless (component->depth >= 8 && component->depth + component->shift <= 8 * component->sample_bytes);
  fail_if (component->big_endian);
  fail_unless_equals_int (component->bins == 0 ? HISTO_BINS : component->bins, 1 << component->depth);
  fail_unless (component->width >= 1 && component->step_bytes >= component->sample_bytes);
  fail_unless (plane->height == 1
               || component->offset_bytes + (component->width - 1) * component->step_bytes + component->sample_bytes
                      <= plane->stride_bytes);

  for (guint y = 0; y < plane->height; y++) {
    for (guint64 x = 0; x < component->width; x++)
      g_byte_array_append (
          samples, (const guint8 *)plane->data + y * plane->stride_bytes + component->offset_bytes + x * component->step_bytes,
          component->sample_bytes);
  }
  return samples;
}

/* `expected` is "0 1 2" or, for a run, "0-7". */
static void
check_samples (const GstCudaHistoFrame *frame, guint index, const gchar *expected)
{
  g_autoptr (GByteArray) samples = read_samples (&frame->frame, index);
  g_autoptr (GByteArray) wanted = g_byte_array_new ();
  g_auto (GStrv) words = g_strsplit (expected, " ", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    const gchar *dash = strchr (words[i], '-');
    gint last = atoi (dash != NULL ? dash + 1 : words[i]);

    for (gint value = atoi (words[i]); value <= last; value++)
      g_byte_array_append (wanted, &(guint8){ (guint8)value }, 1);
  }
  if (samples->len != wanted->len || memcmp (samples->data, wanted->data, wanted->len) != 0) {
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < samples->len; i++)
      g_string_append_printf (text, " %u", samples->data[i]);
    fail ("component %u has%s, not %s", index, text->str, expected);
  }
}

/* Fails if the buffer is still referenced or mapped. Takes it. */
static void
check_released (GstBuffer *buffer)
{
  ASSERT_MINI_OBJECT_REFCOUNT (buffer, "buffer", 1);
  fail_unless (gst_buffer_is_all_memory_writable (buffer));
  gst_buffer_unref (buffer);
}

/* Maps and checks. NULL: no such component. Takes the buffer. */
static void
check_buffer (const GstVideoInfo *info, GstBuffer *buffer, const gchar *a, const gchar *b, const gchar *c, const gchar *d)
{
  const gchar *expected[] = { a, b, c, d };
  GstCudaHistoFrame *frame = map_video (info, buffer);

  for (guint i = 0; i < 4; i++) {
    fail_unless_equals_int (expected[i] != NULL, i < frame->frame.component_count);
    if (expected[i] != NULL)
      check_samples (frame, i, expected[i]);
  }
  gst_cuda_histo_frame_unref (frame);
  check_released (buffer);
}

static void
check_format (const gchar *format, guint width, guint height, const gchar *a, const gchar *b, const gchar *c, const gchar *d)
{
  GstVideoInfo info = make_info (format, width, height);

  check_buffer (&info, make_counting_buffer (info.size, 0), a, b, c, d);
}

/* Fails unless mapping fails with this text. Takes the buffer. */
static void
check_refused (const GstVideoInfo *info, GstBuffer *buffer, GQuark domain, gint code, const gchar *words)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cuda_histo_frame_map_video (info, buffer, 0, NULL, &error) == NULL);
  g_assert_error (error, domain, code);
  fail_unless (strstr (error->message, words) != NULL, "\"%s\" is not in \"%s\"", words, error->message);
  fail_unless (gst_cuda_histo_frame_map_video (info, buffer, 0, NULL, NULL) == NULL);
  check_released (buffer);
}

/* ---- formats --------------------------------------------------------------------------------------------------------- */

TEST (test_planar_formats)
{
  check_format ("GRAY8", 4, 2, "0-7", NULL, NULL, NULL);
  check_format ("I420", 4, 2, "0-7", "8-9", "12-13", NULL);
  check_format ("YV12", 4, 2, "0-7", "12-13", "8-9", NULL);
  check_format ("NV12", 4, 2, "0-7", "8 10", "9 11", NULL);
  check_format ("NV21", 4, 2, "0-7", "9 11", "8 10", NULL);
  check_format ("Y42B", 4, 2, "0-7", "8-9 12-13", "16-17 20-21", NULL);
  check_format ("Y444", 4, 2, "0-7", "8-15", "16-23", NULL);
}

TEST (test_packed_formats)
{
  check_format ("YUY2", 4, 2, "0 2 4 6 8 10 12 14", "1 5 9 13", "3 7 11 15", NULL);
  check_format ("UYVY", 4, 2, "1 3 5 7 9 11 13 15", "0 4 8 12", "2 6 10 14", NULL);
  check_format ("RGB", 4, 2, "0 3 6 9 12 15 18 21", "1 4 7 10 13 16 19 22", "2 5 8 11 14 17 20 23", NULL);
  check_format ("BGR", 4, 2, "2 5 8 11 14 17 20 23", "1 4 7 10 13 16 19 22", "0 3 6 9 12 15 18 21", NULL);
  check_format ("RGBx", 2, 2, "0 4 8 12", "1 5 9 13", "2 6 10 14", NULL);
  check_format ("BGRx", 2, 2, "2 6 10 14", "1 5 9 13", "0 4 8 12", NULL);
  check_format ("xRGB", 2, 2, "1 5 9 13", "2 6 10 14", "3 7 11 15", NULL);
  check_format ("xBGR", 2, 2, "3 7 11 15", "2 6 10 14", "1 5 9 13", NULL);
  check_format ("RGBA", 2, 2, "0 4 8 12", "1 5 9 13", "2 6 10 14", "3 7 11 15");
  check_format ("BGRA", 2, 2, "2 6 10 14", "1 5 9 13", "0 4 8 12", "3 7 11 15");
  check_format ("ARGB", 2, 2, "1 5 9 13", "2 6 10 14", "3 7 11 15", "0 4 8 12");
  check_format ("ABGR", 2, 2, "3 7 11 15", "2 6 10 14", "1 5 9 13", "0 4 8 12");
}

/* Two bytes a sample: the numbers are of bytes. */
TEST (test_deep_formats)
{
  GstVideoInfo info = make_info ("P010_10LE", 2, 2);
  GstBuffer *buffer = make_counting_buffer (info.size, 0);
  GstCudaHistoFrame *frame = map_video (&info, buffer);

  fail_unless_equals_int (frame->frame.components[0].depth, 10);
  fail_unless_equals_int (frame->frame.components[0].shift, 6);
  fail_unless_equals_int (frame->frame.components[2].depth, 10);
  fail_unless_equals_int (frame->frame.components[2].shift, 6);
  gst_cuda_histo_frame_unref (frame);
  check_released (buffer);

  check_format ("P010_10LE", 2, 2, "0-7", "8-9", "10-11", NULL);
  check_format ("P012_LE", 4, 2, "0-15", "16-17 20-21", "18-19 22-23", NULL);
  check_format ("P016_LE", 2, 2, "0-7", "8-9", "10-11", NULL);
  check_format ("I420_10LE", 4, 2, "0-15", "16-19", "20-23", NULL);
  check_format ("I420_12LE", 2, 2, "0-7", "8-9", "12-13", NULL);
  check_format ("I422_10LE", 4, 2, "0-15", "16-23", "24-31", NULL);
  check_format ("I422_12LE", 4, 2, "0-15", "16-23", "24-31", NULL);
  check_format ("Y444_10LE", 2, 2, "0-7", "8-15", "16-23", NULL);
  check_format ("Y444_12LE", 2, 1, "0-3", "4-7", "8-11", NULL);
  check_format ("Y444_16LE", 2, 2, "0-7", "8-15", "16-23", NULL);
  check_format ("GBR_10LE", 2, 1, "8-11", "0-3", "4-7", NULL);
  check_format ("GBR_12LE", 2, 1, "8-11", "0-3", "4-7", NULL);
  if (gst_video_format_from_string ("GBR_16LE") != GST_VIDEO_FORMAT_UNKNOWN)
    check_format ("GBR_16LE", 2, 1, "8-11", "0-3", "4-7", NULL);
}

TEST (test_planar_rgb)
{
  check_format ("VUYA", 2, 2, "2 6 10 14", "1 5 9 13", "0 4 8 12", "3 7 11 15");
  check_format ("RGBP", 4, 2, "0-7", "8-15", "16-23", NULL);
  check_format ("BGRP", 4, 2, "16-23", "8-15", "0-7", NULL);
  check_format ("GBR", 4, 2, "16-23", "0-7", "8-15", NULL);
  check_format ("GBRA", 4, 2, "16-23", "0-7", "8-15", "24-31");
}

/* GStreamer's rows are padded to 4 bytes: the padding is not counted. */
TEST (test_odd_sizes)
{
  check_format ("GRAY8", 3, 2, "0-2 4-6", NULL, NULL, NULL);
  check_format ("I420", 3, 3, "0-2 4-6 8-10", "16-17 20-21", "24-25 28-29", NULL);
  check_format ("NV12", 3, 3, "0-2 4-6 8-10", "16 18 20 22", "17 19 21 23", NULL);
  check_format ("YUY2", 3, 2, "0 2 4 8 10 12", "1 5 9 13", "3 7 11 15", NULL);
  check_format ("UYVY", 3, 1, "1 3 5", "0 4", "2 6", NULL);
  check_format ("RGB", 1, 2, "0 4", "1 5", "2 6", NULL);
  check_format ("I420", 1, 1, "0", "8", "12", NULL);
  check_format ("YUY2", 1, 1, "0", "1", "3", NULL);
  check_format ("UYVY", 1, 1, "1", "0", "2", NULL);
  check_format ("NV21", 1, 5, "0 4 8 12 16", "25 29 33", "24 28 32", NULL);
}

/* ---- strides, offsets, memories -------------------------------------------------------------------------------------- */

TEST (test_video_meta)
{
  GstVideoInfo info = make_info ("NV12", 4, 2);
  GstBuffer *buffer = make_counting_buffer (100, 0);

  info.offset[0] = 7;
  info.stride[0] = 13;
  info.offset[1] = 51;
  info.stride[1] = 5;
  add_video_meta (buffer, &info, 0);
  info = make_info ("NV12", 4, 2);
  check_buffer (&info, buffer, "7-10 20-23", "51 53", "52 54", NULL);

  /* Without padding after the last row, and with chroma before luma. */
  buffer = make_counting_buffer (4 + 3 + 10 + 4, 0);
  info.offset[0] = 7;
  info.stride[0] = 10;
  info.offset[1] = 0;
  info.stride[1] = 100;
  add_video_meta (buffer, &info, 0);
  info = make_info ("NV12", 4, 2);
  check_buffer (&info, buffer, "7-10 17-20", "0 2", "1 3", NULL);
}

TEST (test_video_meta_is_larger)
{
  GstVideoInfo info = make_info ("GRAY8", 8, 4);
  GstBuffer *buffer = make_counting_buffer (info.size, 0);

  add_video_meta (buffer, &info, 0);
  info = make_info ("GRAY8", 3, 2);
  check_buffer (&info, buffer, "0-2 8-10", NULL, NULL, NULL);
}

TEST (test_bottom_up_rows)
{
  GstVideoInfo info = make_info ("GRAY8", 3, 3);
  GstBuffer *buffer = make_counting_buffer (info.size, 0);
  GstCudaHistoFrame *frame, *other;

  info.offset[0] = 8;
  info.stride[0] = -4;
  add_video_meta (buffer, &info, 0);
  info = make_info ("GRAY8", 3, 3);
  frame = map_video (&info, buffer);
  check_samples (frame, 0, "0-2 4-6 8-10");
  gst_buffer_unref (buffer);

  /* Its rows differ from those of a frame in the usual order. */
  buffer = make_counting_buffer (info.size, 0);
  other = map_video (&info, buffer);
  fail_if (gst_cuda_histo_frame_matches (frame, other));
  fail_if (gst_cuda_histo_frame_matches (other, frame));
  fail_unless (gst_cuda_histo_frame_matches (frame, frame));
  gst_buffer_unref (buffer);
  gst_cuda_histo_frame_unref (frame);
  gst_cuda_histo_frame_unref (other);

  buffer = make_counting_buffer (12, 0);
  info.offset[0] = 7;
  info.stride[0] = -4;
  add_video_meta (buffer, &info, 0);
  info = make_info ("GRAY8", 3, 3);
  check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "too small");

  /* From offset 9 the first row ends with the buffer. From 10 it does not fit. */
  for (guint first = 9; first <= 10; first++) {
    buffer = make_counting_buffer (12, 0);
    info.offset[0] = first;
    info.stride[0] = -4;
    add_video_meta (buffer, &info, 0);
    info = make_info ("GRAY8", 3, 3);
    if (first == 9)
      check_buffer (&info, buffer, "1-3 5-7 9-11", NULL, NULL, NULL);
    else
      check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "too small");
  }
}

static void
append_counting_memory (GstBuffer *buffer, gsize size, guint first)
{
  g_autoptr (GstBuffer) part = make_counting_buffer (size, first);

  gst_buffer_append_memory (buffer, gst_buffer_get_memory (part, 0));
}

TEST (test_several_memories)
{
  GstVideoInfo info = make_info ("I420", 4, 2);
  GstBuffer *buffer = gst_buffer_new ();
  GstCudaHistoFrame *frame;

  /* A memory a plane. */
  append_counting_memory (buffer, 8, 0);
  append_counting_memory (buffer, 4, 100);
  append_counting_memory (buffer, 4, 200);
  add_video_meta (buffer, &info, 0);
  frame = map_video (&info, buffer);
  for (guint p = 0; p < 3; p++) {
    GstMapInfo map;

    fail_unless (gst_buffer_map_range (buffer, p, 1, &map, GST_MAP_READ));
    fail_unless (frame->frame.planes[p].data == map.data); /* no copy */
    gst_buffer_unmap (buffer, &map);
  }
  gst_cuda_histo_frame_unref (frame);
  check_buffer (&info, buffer, "0-7", "100-101", "200-201", NULL);

  /* Cut in the middle of a plane, with and without a video meta. */
  for (guint with_meta = 0; with_meta < 2; with_meta++) {
    buffer = gst_buffer_new ();
    append_counting_memory (buffer, 5, 0);
    append_counting_memory (buffer, 4, 5);
    append_counting_memory (buffer, 7, 9);
    if (with_meta)
      add_video_meta (buffer, &info, 0);
    check_buffer (&info, buffer, "0-7", "8-9", "12-13", NULL);
  }

  /* Rows that begin before the memory in which the plane begins. */
  buffer = gst_buffer_new ();
  append_counting_memory (buffer, 5, 0);
  append_counting_memory (buffer, 7, 5);
  info = make_info ("GRAY8", 4, 3);
  info.offset[0] = 8;
  info.stride[0] = -4;
  add_video_meta (buffer, &info, 0);
  info = make_info ("GRAY8", 4, 3);
  check_buffer (&info, buffer, "0-11", NULL, NULL, NULL);
}

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  guint8 *pages;
  gsize size;
} Pages;

static void
free_pages (gpointer data)
{
  Pages *pages = data;

  fail_unless (munmap (pages->pages, pages->size) == 0);
  g_free (pages);
}

/* A buffer that ends at the end of a page, before unmapped memory. */
static GstBuffer *
make_buffer_at_the_end (gsize size)
{
  const gsize page = (gsize)sysconf (_SC_PAGESIZE), whole = (size + page - 1) / page * page;
  Pages *pages = g_new (Pages, 1);

  pages->size = whole + page;
  pages->pages = mmap (NULL, pages->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fail_unless (pages->pages != MAP_FAILED);
  fail_unless (mprotect (pages->pages + whole, page, PROT_NONE) == 0);
  for (gsize i = 0; i < size; i++)
    pages->pages[whole - size + i] = (guint8)(i * 7 + i / 256);
  return gst_buffer_new_wrapped_full (0, pages->pages, whole, whole - size, size, pages, free_pages);
}

/* The same samples, without data beside them if the layout is the same, and they persist. */
TEST (test_copy)
{
  static const gchar *const formats[] = { "GRAY8", "I420", "NV12", "YUY2", "RGB", "GRAY16_LE", "P010_10LE", "A420", "v308" };
  g_autoptr (GstCudaHistoPinner) pinner = gst_cuda_histo_pinner_new (NULL, GST_CUDA_HISTO_CPU_BLOCK);

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (guint side = 1; side < 40; side += 19) {
      GstVideoInfo info = make_info (formats[f], side, side / 2 + 1);
      GstBuffer *buffer = make_buffer_at_the_end (info.size);
      GstCudaHistoFrame *frame = map_video (&info, buffer), *copy = gst_cuda_histo_frame_copy (frame, pinner);
      GByteArray *samples[HISTO_MAX_COMPONENTS] = { NULL };

      fail_unless (copy != NULL);
      fail_unless_equals_uint64 (copy->frame.id, frame->frame.id);
      fail_unless_equals_int (copy->frame.plane_count, frame->frame.plane_count);
      fail_unless_equals_int (copy->frame.component_count, frame->frame.component_count);
      for (guint p = 0; p < frame->frame.plane_count; p++) {
        fail_unless_equals_uint64 (copy->frame.planes[p].stride_bytes, frame->frame.planes[p].stride_bytes);
        fail_unless_equals_uint64 (((gsize)copy->frame.planes[p].data - (gsize)frame->frame.planes[p].data) % 256, 0);
      }
      for (guint c = 0; c < frame->frame.component_count; c++)
        samples[c] = read_samples (&frame->frame, c);
      gst_cuda_histo_frame_unref (frame);
      gst_buffer_memset (buffer, 0, 0, info.size);
      check_released (buffer);
      for (guint c = 0; c < copy->frame.component_count; c++) {
        g_autoptr (GByteArray) copied = read_samples (&copy->frame, c);

        fail_unless (copied->len == samples[c]->len && memcmp (copied->data, samples[c]->data, copied->len) == 0,
                     "%s of %u columns: component %u differs", formats[f], side, c);
        g_byte_array_unref (samples[c]);
      }
      gst_cuda_histo_frame_unref (copy);
    }
  }
}

/* ---- crops ----------------------------------------------------------------------------------------------------------- */

/* An 8x4 frame of bytes 0, 1, 2 ... */
static void
check_crop (const gchar *format, guint x, guint y, guint width, guint height, const gchar *a, const gchar *b, const gchar *c)
{
  GstVideoInfo info = make_info (format, 8, 4);
  GstBuffer *buffer = make_counting_buffer (info.size, 0);

  crop_buffer (buffer, x, y, width, height);
  check_buffer (&info, buffer, a, b, c, NULL);
}

TEST (test_crop)
{
  check_crop ("GRAY8", 0, 0, 8, 4, "0-31", NULL, NULL);
  check_crop ("GRAY8", 3, 1, 2, 2, "11-12 19-20", NULL, NULL);
  check_crop ("GRAY8", 7, 3, 1, 1, "31", NULL, NULL);
  check_crop ("RGB", 1, 1, 2, 1, "27 30", "28 31", "29 32");

  /* Chroma of NV12, from 32 on, 8 bytes a row: pixels 3..4 touch samples 1 and 2; rows 1..2 touch both. */
  check_crop ("NV12", 3, 1, 2, 2, "11-12 19-20", "34 36 42 44", "35 37 43 45");
  check_crop ("NV12", 2, 2, 2, 2, "18-19 26-27", "42", "43");
  check_crop ("NV12", 1, 3, 1, 1, "25", "40", "41");
  check_crop ("I420", 5, 0, 3, 1, "5-7", "34-35", "42-43");

  /* YUY2, 16 bytes a row: pixels 1..2 touch both halves of "0 1 2 3 | 4 5 6 7". */
  check_crop ("YUY2", 1, 0, 2, 1, "2 4", "1 5", "3 7");
  check_crop ("YUY2", 1, 2, 1, 1, "34", "33", "35");
  check_crop ("YUY2", 2, 1, 3, 1, "20 22 24", "21 25", "23 27");
  check_crop ("YUY2", 7, 3, 1, 1, "62", "61", "63");
  check_crop ("UYVY", 3, 0, 3, 2, "7 9 11 23 25 27", "4 8 20 24", "6 10 22 26");
}

TEST (test_crop_in_larger_frame)
{
  /* As decoders do: the caps have the size after the crop, the video meta has the whole frame's. */
  GstVideoInfo info = make_info ("GRAY8", 8, 4);
  GstBuffer *buffer = make_counting_buffer (info.size, 0);

  add_video_meta (buffer, &info, 0);
  crop_buffer (buffer, 5, 2, 3, 2);
  info = make_info ("GRAY8", 3, 2);
  check_buffer (&info, buffer, "21-23 29-31", NULL, NULL, NULL);
}

TEST (test_crop_refused)
{
  const guint crops[][4] = {
    { 0, 0, 9, 4 }, { 0, 0, 8, 5 }, { 1, 0, 8, 4 },         { 0, 3, 8, 2 },         { 9, 0, 1, 1 },
    { 0, 5, 1, 1 }, { 8, 0, 1, 1 }, { 1, 1, G_MAXUINT, 1 }, { G_MAXUINT, 0, 2, 1 },
  };
  GstVideoInfo info = make_info ("NV12", 8, 4);
  GstBuffer *buffer;

  for (guint i = 0; i < G_N_ELEMENTS (crops); i++) {
    buffer = make_counting_buffer (info.size, 0);
    crop_buffer (buffer, crops[i][0], crops[i][1], crops[i][2], crops[i][3]);
    check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "not inside its 8x4 frame");
  }
  buffer = make_counting_buffer (info.size, 0);
  crop_buffer (buffer, 1, 1, 0, 2);
  check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "no pixel is visible");
  buffer = make_counting_buffer (info.size, 0);
  crop_buffer (buffer, 1, 1, 2, 0);
  check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "no pixel is visible");
}

/* ---- invalid buffers ------------------------------------------------------------------------------------------------- */

TEST (test_too_small)
{
  GstVideoInfo info = make_info ("I420", 320, 240);

  check_refused (&info, make_counting_buffer (1000, 0), GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                 "buffer of 1000 bytes is too small for a 320x240 I420 frame of 115200 bytes");
  check_refused (&info, make_counting_buffer (info.size - 1, 0), GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "115199 bytes");
  check_refused (&info, gst_buffer_new (), GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "buffer of 0 bytes");
}

/* Strides and offsets of one plane that do not fit a 16-byte buffer with a 4x2 I420 frame. */
static void
check_layout_refused (guint plane, gsize offset, gint stride, const gchar *words)
{
  GstVideoInfo info = make_info ("I420", 4, 2);
  GstBuffer *buffer = make_counting_buffer (info.size, 0);

  info.offset[plane] = offset;
  info.stride[plane] = stride;
  add_video_meta (buffer, &info, 0);
  info = make_info ("I420", 4, 2);
  check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, words);
}

TEST (test_layout_beyond_buffer)
{
  check_layout_refused (0, 9, 4, "too small");
  check_layout_refused (0, 0, 13, "too small");
  check_layout_refused (0, 0, G_MAXINT, "too small");
  check_layout_refused (0, 0, -4, "too small");
  check_layout_refused (0, 4, G_MININT, "too small");
  check_layout_refused (0, 0, 3, "stride of 3 bytes");
  check_layout_refused (0, 0, 0, "stride of 0 bytes");
  check_layout_refused (2, 15, 4, "plane 2");
  check_layout_refused (2, 16, 4, "plane 2");
  check_layout_refused (1, G_MAXSIZE, 4, "plane 1");
  check_layout_refused (1, G_MAXSIZE / 2 + 1, 4, "plane 1");
}

TEST (test_layout_at_the_limit)
{
  GstVideoInfo info = make_info ("I420", 4, 2);
  GstBuffer *buffer = make_counting_buffer (info.size, 0);

  info.stride[0] = 12; /* last row 12 .. 15 */
  info.offset[2] = 14; /* one row, 14 .. 15 */
  info.stride[1] = 1;  /* irrelevant for one row */
  add_video_meta (buffer, &info, 0);
  info = make_info ("I420", 4, 2);
  check_buffer (&info, buffer, "0-3 12-15", "8-9", "14-15", NULL);

  /* The last component is not always the last in memory. */
  for (gsize size = 11; size <= 12; size++) {
    info = make_info ("BGR", 4, 1);
    buffer = make_counting_buffer (size, 0);
    add_video_meta (buffer, &info, 0);
    if (size == 12)
      check_buffer (&info, buffer, "2 5 8 11", "1 4 7 10", "0 3 6 9", NULL);
    else
      check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "too small");
  }
}

static void
check_meta_refused (const gchar *format, guint width, guint height, const gchar *words)
{
  GstVideoInfo info = make_info (format, width, height);
  GstBuffer *buffer = make_counting_buffer (1000, 0);

  add_video_meta (buffer, &info, 0);
  info = make_info ("I420", 4, 4);
  check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, words);
}

TEST (test_meta_contradicts_caps)
{
  GstVideoInfo info = make_info ("I420", 4, 4);
  GstBuffer *buffer;

  check_meta_refused ("NV12", 4, 4, "4x4 NV12 frame, but its caps describe 4x4 I420");
  check_meta_refused ("YV12", 4, 4, "YV12");
  check_meta_refused ("I420", 3, 4, "3x4 I420");
  check_meta_refused ("I420", 4, 2, "4x2 I420");
  buffer = make_counting_buffer (info.size, 0);
  add_video_meta (buffer, &info, 0)->n_planes = 2;
  check_refused (&info, buffer, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "2 planes, but I420 has 3");
}

/* An allocator whose memory cannot be mapped. */
typedef GstAllocator LockedAllocator;
typedef GstAllocatorClass LockedAllocatorClass;
static GType locked_allocator_get_type (void);
G_DEFINE_TYPE (LockedAllocator, locked_allocator, GST_TYPE_ALLOCATOR)

static gpointer
locked_memory_map (GstMemory *memory, gsize size, GstMapFlags flags)
{
  (void)memory;
  (void)size;
  (void)flags;
  return NULL;
}

static void
locked_memory_free (GstAllocator *allocator, GstMemory *memory)
{
  (void)allocator;
  g_free (memory);
}

static void
locked_allocator_class_init (LockedAllocatorClass *klass)
{
  klass->free = locked_memory_free;
}

static void
locked_allocator_init (LockedAllocator *allocator)
{
  allocator->mem_map = locked_memory_map;
}

TEST (test_unreadable)
{
  GstVideoInfo info = make_info ("GRAY8", 4, 2);
  g_autoptr (GstAllocator) allocator = gst_object_ref_sink (g_object_new (locked_allocator_get_type (), NULL));

  for (guint with_meta = 0; with_meta < 2; with_meta++) {
    GstBuffer *buffer = gst_buffer_new ();
    GstMemory *memory = g_new0 (GstMemory, 1);

    gst_memory_init (memory, 0, allocator, NULL, 8, 0, 0, 8);
    gst_buffer_append_memory (buffer, memory);
    fail_unless (gst_cuda_histo_bytes_new (buffer, memory, TRUE) == NULL);
    if (with_meta)
      add_video_meta (buffer, &info, 0);
    check_refused (&info, buffer, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
                   "cannot read a buffer of 8 bytes with a 4x2 GRAY8 frame");
  }
}

/* ---- lifetime -------------------------------------------------------------------------------------------------------- */

TEST (test_buffer_is_kept)
{
  GstVideoInfo info = make_info ("NV12", 4, 2);
  g_autoptr (GstBuffer) buffer = make_counting_buffer (info.size, 0);
  GstCudaHistoFrame *frame;

  for (guint with_meta = 0; with_meta < 2; with_meta++) {
    GstMapInfo map;

    if (with_meta)
      add_video_meta (buffer, &info, 0);
    frame = map_video (&info, buffer);
    ASSERT_MINI_OBJECT_REFCOUNT (buffer, "mapped buffer", 2);
    /* The pixels are read where they are. */
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    fail_unless (frame->frame.planes[0].data == map.data);
    fail_unless (frame->frame.planes[1].data == map.data + 8);
    gst_buffer_unmap (buffer, &map);

    fail_unless (gst_cuda_histo_frame_ref (frame) == frame);
    gst_cuda_histo_frame_unref (frame);
    ASSERT_MINI_OBJECT_REFCOUNT (buffer, "mapped buffer", 2);
    check_samples (frame, 0, "0-7");
    gst_cuda_histo_frame_unref (frame);
    ASSERT_MINI_OBJECT_REFCOUNT (buffer, "unmapped buffer", 1);
  }
}

TEST (test_ids_are_unique)
{
  GstVideoInfo info = make_info ("GRAY8", 4, 2);
  g_autoptr (GstBuffer) buffer = make_counting_buffer (info.size, 0);
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < 100; i++) {
    g_autoptr (GstCudaHistoFrame) frame
        = i % 2 ? map_video (&info, buffer) : gst_cuda_histo_frame_wrap_bytes ("", 0, NULL, NULL);
    guint64 id = frame->frame.id;

    fail_unless (id != 0);
    fail_unless (g_hash_table_add (ids, g_memdup2 (&id, sizeof id)));
  }
}

static gpointer
drop_frame (gpointer frame)
{
  gst_cuda_histo_frame_unref (frame);
  return NULL;
}

TEST (test_any_thread_may_drop)
{
  GstVideoInfo info = make_info ("I420", 64, 64);

  for (guint i = 0; i < 50; i++) {
    GstBuffer *buffer = make_counting_buffer (info.size, 0);
    GstCudaHistoFrame *frame = map_video (&info, buffer);
    GThread *threads[4];

    gst_buffer_unref (buffer);
    for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
      threads[t] = g_thread_new ("drop", drop_frame, gst_cuda_histo_frame_ref (frame));
    gst_cuda_histo_frame_unref (frame);
    for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
      g_thread_join (threads[t]);
  }
}

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

static void
count_release (gpointer count)
{
  ++*(guint *)count;
}

TEST (test_bytes)
{
  GstBuffer *buffer = make_counting_buffer (10, 0);
  GstMemory *memory = gst_buffer_get_memory (buffer, 0);
  GstCudaHistoBytes *bytes = gst_cuda_histo_bytes_new (buffer, memory, TRUE);
  GstCudaHistoFrame *frame, *other;
  guint releases = 0;

  gst_buffer_unref (buffer);
  gst_memory_unref (memory);
  fail_unless_equals_uint64 (bytes->size, 10);
  frame = gst_cuda_histo_bytes_get_frame (bytes, 3, 4);
  fail_unless_equals_uint64 (frame->size, 4);
  fail_unless_equals_int (frame->frame.plane_count, 1);
  fail_unless_equals_int (frame->frame.component_count, 1);
  check_samples (frame, 0, "3-6");

  other = gst_cuda_histo_frame_wrap_bytes ("wrap", 4, count_release, &releases);
  check_samples (other, 0, "119 114 97 112");
  fail_unless (gst_cuda_histo_frame_matches (frame, other));
  gst_cuda_histo_frame_ref (other);
  gst_cuda_histo_frame_unref (other);
  fail_unless_equals_int (releases, 0);
  gst_cuda_histo_frame_unref (other);
  fail_unless_equals_int (releases, 1);

  other = gst_cuda_histo_bytes_get_frame (bytes, 10, 0);
  gst_cuda_histo_bytes_unref (bytes); /* owned by the frames */
  check_samples (frame, 0, "3-6");
  fail_unless_equals_uint64 (other->frame.components[0].width, 0);
  fail_if (gst_cuda_histo_frame_matches (frame, other));
  gst_cuda_histo_frame_unref (other);
  gst_cuda_histo_frame_unref (frame);
}

/* ---- matching and describing ----------------------------------------------------------------------------------------- */

static gboolean
do_match (const gchar *format, guint width, guint height, guint x, guint y, const gchar *other_format, guint other_width,
          guint other_height, guint other_x, guint other_y)
{
  GstVideoInfo info = make_info (format, 16, 16), other_info = make_info (other_format, 16, 16);
  g_autoptr (GstBuffer) buffer = make_counting_buffer (info.size, 0), other_buffer = make_counting_buffer (other_info.size, 0);
  g_autoptr (GstCudaHistoFrame) frame = NULL, other = NULL;
  gboolean matches;

  crop_buffer (buffer, x, y, width, height);
  crop_buffer (other_buffer, other_x, other_y, other_width, other_height);
  frame = map_video (&info, buffer);
  other = map_video (&other_info, other_buffer);
  matches = gst_cuda_histo_frame_matches (frame, other);
  fail_unless_equals_int (gst_cuda_histo_frame_matches (other, frame), matches);
  return matches;
}

TEST (test_matches)
{
  fail_unless (do_match ("I420", 16, 16, 0, 0, "I420", 16, 16, 0, 0));
  fail_if (do_match ("I420", 16, 16, 0, 0, "I420", 14, 16, 0, 0));
  fail_if (do_match ("I420", 16, 16, 0, 0, "I420", 16, 14, 0, 0));
  fail_if (do_match ("I420", 16, 16, 0, 0, "NV12", 16, 16, 0, 0));
  fail_if (do_match ("I420", 16, 16, 0, 0, "YV12", 16, 16, 0, 0));
  fail_if (do_match ("RGB", 16, 16, 0, 0, "BGR", 16, 16, 0, 0));
  fail_if (do_match ("RGB", 16, 16, 0, 0, "RGBx", 16, 16, 0, 0));
  fail_if (do_match ("RGBx", 16, 16, 0, 0, "RGBA", 16, 16, 0, 0));
  /* A moving crop keeps its size. */
  fail_unless (do_match ("GRAY8", 4, 4, 0, 0, "GRAY8", 4, 4, 5, 7));
  fail_unless (do_match ("RGB", 4, 4, 0, 0, "RGB", 4, 4, 5, 7));
  fail_unless (do_match ("NV12", 4, 4, 0, 0, "NV12", 4, 4, 6, 8));
  fail_unless (do_match ("YUY2", 4, 4, 0, 0, "YUY2", 4, 4, 6, 7));
  /* But here it changes the chroma samples, */
  fail_if (do_match ("NV12", 4, 4, 0, 0, "NV12", 4, 4, 5, 8));
  /* or their position relative to luma. */
  fail_if (do_match ("YUY2", 3, 4, 0, 0, "YUY2", 3, 4, 5, 7));
}

static void
check_source (const gchar *format, const gchar *colorimetry, const gchar *range, guint n, const gchar *a, const gchar *b,
              const gchar *c, const gchar *d)
{
  const gchar *names[] = { a, b, c, d };
  GstVideoInfo info = make_info (format, 20, 10);
  GstCudaHistoSource source;

  if (colorimetry != NULL)
    fail_unless (gst_video_colorimetry_from_string (&info.colorimetry, colorimetry));
  else
    info.colorimetry.range = GST_VIDEO_COLOR_RANGE_UNKNOWN;
  gst_cuda_histo_source_init_video (&source, &info, NULL);
  fail_unless (source.is_video);
  fail_unless_equals_string (source.format, format);
  fail_unless_equals_int (source.width, 20);
  fail_unless_equals_int (source.height, 10);
  fail_unless_equals_int (source.depth, 8);
  fail_unless_equals_string (source.range, range);
  fail_unless_equals_int (source.n_components, n);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_string (source.components[i], names[i]);
}

TEST (test_source)
{
  GstVideoInfo info = make_info ("NV12", 20, 10);
  GstBuffer *buffer = make_counting_buffer (info.size, 0);
  GstCudaHistoSource source;
  GstCudaHistoFrame *frame;

  check_source ("I420", "bt709", "limited", 3, "Y", "U", "V", NULL);
  check_source ("YV12", "1:4:0:0", "full", 3, "Y", "U", "V", NULL);
  check_source ("GRAY8", NULL, "unknown", 1, "GRAY", NULL, NULL, NULL);
  check_source ("BGR", "sRGB", "full", 3, "R", "G", "B", NULL);
  check_source ("xBGR", "sRGB", "full", 3, "R", "G", "B", NULL);
  check_source ("ABGR", "sRGB", "full", 4, "R", "G", "B", "A");

  crop_buffer (buffer, 3, 1, 7, 5);
  frame = map_video (&info, buffer);
  gst_cuda_histo_source_init_video (&source, &info, frame);
  fail_unless_equals_int (source.width, 7);
  fail_unless_equals_int (source.height, 5);
  gst_cuda_histo_frame_unref (frame);
  gst_buffer_unref (buffer);

  gst_cuda_histo_source_init_bytes (&source);
  fail_if (source.is_video);
  fail_unless_equals_string (source.format, "bytes");
  fail_unless_equals_string (source.range, "full");
  fail_unless_equals_int (source.depth, 8);
  fail_unless_equals_int (source.n_components, 1);
  fail_unless_equals_string (source.components[0], "byte");
}

TEST_MAIN
