/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Distances between histograms: the pairs of frames, and their sums. */

#include <string.h>

#include "cases.h"
#include "count/distances.h"

/* A frame of two components: `moved` of ten samples of the first differ from 3, and those of the second have one value. */
typedef struct {
  struct histo_stats stats;
  struct histo_component_stats components[2];
  uint64_t histograms[2][1024];
} Frame;

static void
init_frame (Frame *frame, guint moved, guint value)
{
  memset (frame, 0, sizeof *frame);
  frame->stats.component_count = 2;
  frame->stats.components = frame->components;
  for (guint c = 0; c < 2; c++) {
    frame->components[c].bins = c == 0 ? 256 : 1024;
    frame->components[c].depth = c == 0 ? 8 : 10;
    frame->components[c].count = 10;
    frame->components[c].histogram = frame->histograms[c];
  }
  frame->histograms[0][3] = 10 - moved;
  frame->histograms[0][7] = moved / 2;
  frame->histograms[0][255] = moved - moved / 2;
  frame->histograms[1][value] = 10;
}

static void
add_frame (GstCudaHistoDistances *distances, Frame *frame, guint part, guint picture, gboolean has_operand)
{
  const GstCudaHistoCounted counted = { .part = part, .picture = picture, .stats = &frame->stats };

  for (guint c = 0; c < 2; c++)
    frame->components[c].difference_count = has_operand ? 10 : 0;
  gst_cuda_histo_distances_add (distances, &counted);
}

static void
check_totals (const GstCudaHistoDistance *totals, guint64 first, guint64 second, guint64 count)
{
  ck_assert_uint_eq (totals[0].moved, first);
  ck_assert_uint_eq (totals[1].moved, second);
  ck_assert_uint_eq (totals[0].count, count);
  ck_assert_uint_eq (totals[1].count, count);
  ck_assert_uint_eq (totals[2].count, 0);
}

TEST (test_sums)
{
  GstCudaHistoDistance previous[HISTO_MAX_COUNTED], reference[HISTO_MAX_COUNTED];
  g_auto (GstCudaHistoDistances) distances = { 0 };
  Frame frame;

  init_frame (&frame, 0, 1000);
  add_frame (&distances, &frame, GST_CUDA_HISTO_PART_PICTURE, 0, FALSE); /* the first frame has no predecessor */
  init_frame (&frame, 4, 1000);
  add_frame (&distances, &frame, GST_CUDA_HISTO_PART_PICTURE, 0, TRUE); /* four of ten samples differ, and none */
  init_frame (&frame, 10, 1);
  add_frame (&distances, &frame, GST_CUDA_HISTO_PART_REFERENCE, 0, TRUE); /* from the last picture, with four */
  init_frame (&frame, 1, 2);
  add_frame (&distances, &frame, GST_CUDA_HISTO_PART_METERING, 0, TRUE); /* it is compared with no other frame */
  init_frame (&frame, 10, 1000);
  add_frame (&distances, &frame, GST_CUDA_HISTO_PART_PICTURE, 0, TRUE);
  gst_cuda_histo_distances_take (&distances, previous, reference);
  check_totals (previous, 4 + 6, 0, 20);
  check_totals (reference, 6, 10, 10);

  /* They restart; the last picture is still known. */
  gst_cuda_histo_distances_take (&distances, previous, reference);
  check_totals (previous, 0, 0, 0);
  check_totals (reference, 0, 0, 0);
  init_frame (&frame, 0, 0);
  add_frame (&distances, &frame, GST_CUDA_HISTO_PART_PICTURE, 0, TRUE);
  gst_cuda_histo_distances_take (&distances, previous, reference);
  check_totals (previous, 10, 10, 10);
}

/* Each picture of a buffer is compared with the same picture of the previous buffer. */
TEST (test_pictures)
{
  GstCudaHistoDistance previous[HISTO_MAX_COUNTED], reference[HISTO_MAX_COUNTED];
  g_auto (GstCudaHistoDistances) distances = { 0 };
  Frame frame;

  for (guint buffer = 0; buffer < 2; buffer++)
    for (guint picture = 0; picture < GST_CUDA_HISTO_MAX_PICTURES; picture++) {
      init_frame (&frame, (picture % 9) + buffer, 5 * picture);
      add_frame (&distances, &frame, GST_CUDA_HISTO_PART_PICTURE, picture, buffer > 0);
    }
  gst_cuda_histo_distances_take (&distances, previous, reference);
  check_totals (previous, GST_CUDA_HISTO_MAX_PICTURES, 0, 10 * GST_CUDA_HISTO_MAX_PICTURES);
}

/* Frames of other sizes have none. */
TEST (test_sizes)
{
  GstCudaHistoDistance previous[HISTO_MAX_COUNTED], reference[HISTO_MAX_COUNTED];
  g_auto (GstCudaHistoDistances) distances = { 0 };
  Frame frame;

  init_frame (&frame, 0, 0);
  add_frame (&distances, &frame, GST_CUDA_HISTO_PART_PICTURE, 0, FALSE);
  init_frame (&frame, 0, 1);
  frame.components[0].count = frame.histograms[0][3] = 11;
  add_frame (&distances, &frame, GST_CUDA_HISTO_PART_PICTURE, 0, TRUE);
  gst_cuda_histo_distances_take (&distances, previous, reference);
  ck_assert_uint_eq (previous[0].count, 0);
  ck_assert_uint_eq (previous[1].count, 10);
  ck_assert_uint_eq (previous[1].moved, 10);
}

TEST_MAIN
