/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every format of raw video through the element, with each backend: the numbers are those of the oracle's samples. */

#include <gst/video/video.h>

#include "formatoracle.h"
#include "rig.h"

#define ROUNDS 2 /* pairs of pictures of each format and backend */

static void
tally_component (Tally *tally, const OracleFrame *frame, const OracleFrame *operand, guint component)
{
  guint first_x, first_y, columns, rows;

  oracle_find_samples (frame, component, &first_x, &first_y, &columns, &rows);
  for (guint y = first_y; y < first_y + rows; y++)
    for (guint x = first_x; x < first_x + columns; x++) {
      const guint sample = oracle_get_sample (frame, component, x, y);

      tally_sample (tally, sample);
      if (operand != NULL)
        tally->dot += (guint64)sample * oracle_get_sample (operand, component, x, y);
    }
  if (operand != NULL)
    tally->dot_count = tally->count;
}

/* `operand`: the previous frame, or NULL. */
static void
check_result (const GstStructure *result, const OracleFrame *frame, const OracleFrame *operand)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  guint n_histograms = 0;

  ck_assert_str_eq (gst_structure_get_string (result, "format"), finfo->name);
  ck_assert_uint_eq (get_field_uint (result, "width"), frame->visible.w);
  ck_assert_uint_eq (get_field_uint (result, "height"), frame->visible.h);
  ck_assert_uint_eq (get_field_uint (result, "depth"), oracle_get_depth (finfo));
  for (guint c = 0; c < oracle_get_n_components (finfo); c++) {
    Tally tally = { .depth = oracle_get_depth (finfo) };

    tally_component (&tally, frame, operand, c);
    check_component (result, oracle_get_name (finfo, c), &tally, BINS_ARRAY);
  }
  for (gint i = 0; i < gst_structure_n_fields (result); i++)
    n_histograms += g_str_has_suffix (gst_structure_nth_field_name (result, (guint)i), "-histogram");
  ck_assert_uint_eq (n_histograms, oracle_get_n_components (finfo));
}

/* The caps have the size of the visible part, as from decoders, or of the whole picture. */
static void
check_pair (Rig *rig, GstVideoFormat format, struct test_random *random)
{
  g_auto (OracleFrame) first = { 0 }, second = { 0 };
  g_autofree gchar *caps = NULL;
  gboolean is_visible;

  oracle_init (&first, format, random);
  oracle_init_next (&second, &first, random);
  is_visible = test_random_once_in (random, 2);
  caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", gst_video_format_to_string (format),
                          is_visible ? first.visible.w : first.info.width, is_visible ? first.visible.h : first.info.height);
  start_video (rig, caps);
  GST_BUFFER_FLAG_SET (first.buffer, GST_BUFFER_FLAG_DISCONT); /* it has no operand */
  ck_assert_int_eq (gst_harness_push (rig->harness, gst_buffer_ref (first.buffer)), GST_FLOW_OK);
  ck_assert_int_eq (gst_harness_push (rig->harness, gst_buffer_ref (second.buffer)), GST_FLOW_OK);
  g_autoptr (GstStructure) result = pop_result (rig->bus), next = pop_result (rig->bus);
  check_result (result, &first, NULL);
  check_result (next, &second, &first);
}

TEST (test_numbers)
{
  struct test_random random = test_random_start (1);
  guint n_formats;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint run = 0; get_backend_line (run) != NULL; run++)
    for (guint i = 0; i < n_formats; i++) {
      g_autofree gchar *properties = g_strdup_printf ("dot=previous %s", get_backend_line (run));
      g_auto (Rig) rig = open_rig (properties);

      for (guint round = 0; round < ROUNDS; round++)
        check_pair (&rig, formats[i], &random);
      ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 2 * ROUNDS);
    }
}

RIG_MAIN (NULL)
