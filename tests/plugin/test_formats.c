/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every format of raw video through the element: the numbers are those of the oracle's samples. */

#include <gst/video/video.h>

#include "formatoracle.h"
#include "rig.h"

#define ROUNDS 4 /* pictures of each format */

typedef struct {
  guint64 count, sum, sum_of_squares;
  guint64 histogram[256];
} Sums;

static void
check_numbers (const GstStructure *result, const gchar *name, const Sums *sums)
{
  g_autofree gchar *count = g_strdup_printf ("%s-count", name), *sum = g_strdup_printf ("%s-sum", name);
  g_autofree gchar *squares = g_strdup_printf ("%s-sum-of-squares", name);
  g_autofree gchar *histogram = g_strdup_printf ("%s-histogram", name);
  const GValue *bins = gst_structure_get_value (result, histogram);

  ck_assert_uint_eq (get_field_u64 (result, count), sums->count);
  ck_assert_uint_eq (get_field_u64 (result, sum), sums->sum);
  ck_assert_uint_eq (get_field_u64 (result, squares), sums->sum_of_squares);
  for (guint i = 0; i < G_N_ELEMENTS (sums->histogram); i++)
    ck_assert_uint_eq (g_value_get_uint64 (gst_value_array_get_value (bins, i)), sums->histogram[i]);
}

static void
check_result (const OracleFrame *frame, const GstStructure *result)
{
  static const gchar *const yuv[] = { "Y", "U", "V", "A" }, *const rgb[] = { "R", "G", "B", "A" };
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  const gchar *single = GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo) ? "index" : "GRAY";

  for (guint c = 0; c < oracle_get_n_components (finfo); c++) {
    const guint shift = oracle_get_depth (finfo) - 8;
    guint first_x, first_y, columns, rows;
    Sums sums = { 0 };

    oracle_find_samples (frame, c, &first_x, &first_y, &columns, &rows);
    for (guint y = first_y; y < first_y + rows; y++)
      for (guint x = first_x; x < first_x + columns; x++) {
        const guint64 sample = oracle_get_sample (frame, c, x, y);

        sums.count++;
        sums.sum += sample;
        sums.sum_of_squares += sample * sample;
        sums.histogram[sample >> shift]++;
      }
    check_numbers (result,
                   oracle_get_n_components (finfo) < 3    ? single
                   : GST_VIDEO_FORMAT_INFO_IS_RGB (finfo) ? rgb[c]
                                                          : yuv[c],
                   &sums);
  }
}

TEST (test_numbers)
{
  struct test_random random = test_random_start (1);
  guint n_formats;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    const gchar *name = gst_video_format_to_string (formats[i]);
    g_auto (Rig) rig = open_rig ("message-arrays=histograms");

    for (guint round = 0; round < ROUNDS; round++) {
      g_auto (OracleFrame) frame = { 0 };
      g_autofree gchar *caps = NULL;

      oracle_init (&frame, formats[i], &random);
      caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", name, frame.info.width,
                              frame.info.height);
      start_video (&rig, caps);
      ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_ref (frame.buffer)), GST_FLOW_OK);
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      ck_assert_str_eq (gst_structure_get_string (result, "format"), name);
      check_result (&frame, result);
    }
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), ROUNDS);
  }
}

RIG_MAIN (NULL)
