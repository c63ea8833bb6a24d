/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights are built once for each size of pictures. test_metering.c checks their numbers. */

#include "cases.h"

#undef GST_CAT_DEFAULT /* Check's */
#include "frame/framemap.h"
#include "parts/metering.h"
#include "pictures.h"

enum { WIDTH = 32, ROWS = 24 };

/* Returns a new mapped picture whose visible part begins at row `y` and has `rows`. */
static GstCudaHistoFrame *
make_picture (GstVideoInfo *info, guint y, guint rows)
{
  g_autoptr (GstBuffer) buffer = NULL;
  GstCudaHistoFrame *frame;

  fail_unless (gst_video_info_set_format (info, GST_VIDEO_FORMAT_I420, WIDTH, ROWS + 2));
  buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  gst_buffer_memset (buffer, 0, 100, info->size);
  crop_buffer (buffer, 0, y, WIDTH, rows);
  frame = gst_cuda_histo_frame_map_video (info, buffer, 0, NULL, NULL);
  fail_unless (frame != NULL);
  return frame;
}

/* Returns the id of the weights of a picture's pixels. */
static guint64
find_weights (GstCudaHistoMeter *meter, GstCudaHistoHost *host, guint y, guint rows, guint64 *sum)
{
  const GstCudaHistoCounted what = { .frame = 0 };
  GstCudaHistoEntries entries;
  GstVideoInfo info;
  g_autoptr (GstCudaHistoFrame) picture = make_picture (&info, y, rows);
  guint64 id;

  entries.count = 0;
  fail_unless (gst_cuda_histo_meter_add (meter, picture, &what, &info, NULL, host, &entries));
  fail_unless (entries.count == 1);
  fail_unless (entries.entries[0].operand->frame.planes[0].height == rows);
  id = entries.entries[0].operand->frame.id;
  *sum = entries.entries[0].what.weights;
  gst_cuda_histo_entries_clear (&entries);
  return id;
}

/* Whole frames, top fields and bottom fields in turn, and a crop rectangle that begins within a row of chroma. */
TEST (test_sizes)
{
  static const struct {
    guint y, rows;
  } sizes[] = { { 0, 23 }, { 0, 12 }, { 1, 11 } };
  GstCudaHistoMeter meter = { .metering = GST_CUDA_HISTO_METERING_CENTER, .is_used = TRUE };
  GstCudaHistoHost host = { 0 };
  guint64 ids[G_N_ELEMENTS (sizes)], sums[G_N_ELEMENTS (sizes)], other;

  for (guint i = 0; i < 4 * G_N_ELEMENTS (sizes); i++) {
    const guint size = i % G_N_ELEMENTS (sizes);
    guint64 sum, id = find_weights (&meter, &host, sizes[size].y, sizes[size].rows, &sum);

    if (i < G_N_ELEMENTS (sizes)) {
      ids[size] = id;
      sums[size] = sum;
    }
    ck_assert_uint_eq (id, ids[size]);
    ck_assert_uint_eq (sum, sums[size]);
  }
  ck_assert_uint_ne (ids[0], ids[1]);
  ck_assert_uint_ne (ids[1], ids[2]);
  ck_assert_uint_gt (sums[0], sums[1]);
  ck_assert_uint_gt (sums[1], sums[2]);

  /* A fourth size replaces the one that was used least recently. */
  find_weights (&meter, &host, 0, 5, &other);
  ck_assert_uint_eq (find_weights (&meter, &host, sizes[2].y, sizes[2].rows, &other), ids[2]);
  ck_assert_uint_eq (find_weights (&meter, &host, sizes[1].y, sizes[1].rows, &other), ids[1]);
  ck_assert_uint_ne (find_weights (&meter, &host, sizes[0].y, sizes[0].rows, &other), ids[0]);
  ck_assert_uint_eq (other, sums[0]);
  gst_cuda_histo_meter_clear (&meter);
}

TEST_MAIN
