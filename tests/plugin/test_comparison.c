/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comparisons of frames with the previous one: the fields of results against plain loops over the samples. */

#include "rig.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

/* ---- planar pictures, and plain loops over them ---------------------------------------------------------------------- */

enum { N_FRAMES = 5 };

typedef struct {
  GstVideoInfo info;
  guint8 *frames[N_FRAMES]; /* as they lie in buffers */
} Clip;

/* Each frame differs from the one before in some samples; the last two are equal. */
static void
init_clip (Clip *clip, const gchar *format, guint width, guint height)
{
  ck_assert (gst_video_info_set_format (&clip->info, gst_video_format_from_string (format), width, height));
  for (guint f = 0; f < N_FRAMES; f++) {
    clip->frames[f] = g_malloc (clip->info.size);
    if (f == 0)
      fill_random (clip->frames[0], clip->info.size);
    else
      memcpy (clip->frames[f], clip->frames[f - 1], clip->info.size);
    for (gsize i = 0; f > 0 && f + 1 < N_FRAMES && i < clip->info.size; i += 1 + draw_random (7))
      clip->frames[f][i] = (guint8)draw_random (256);
  }
}

static void
clear_clip (Clip *clip)
{
  for (guint f = 0; f < N_FRAMES; f++)
    g_free (clip->frames[f]);
}

static guint
get_sample (const Clip *clip, guint frame, guint c, guint x, guint y)
{
  const guint8 *row = clip->frames[frame] + GST_VIDEO_INFO_COMP_OFFSET (&clip->info, c)
                      + (gsize)y * (gsize)GST_VIDEO_INFO_COMP_STRIDE (&clip->info, c);
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (&clip->info, c);

  return depth > 8 ? GST_READ_UINT16_LE (row + 2 * x) & ((1u << depth) - 1) : row[x];
}

typedef struct {
  guint64 count, sad, ssd, moved;
} Sums;

/* Adds what component `c` of one frame has from another's. */
static void
add_sums (Sums *sums, const Clip *clip, guint frame, guint other, guint c)
{
  gint *histogram = g_new0 (gint, 65536);

  for (guint y = 0; y < (guint)GST_VIDEO_INFO_COMP_HEIGHT (&clip->info, c); y++)
    for (guint x = 0; x < (guint)GST_VIDEO_INFO_COMP_WIDTH (&clip->info, c); x++) {
      const gint a = (gint)get_sample (clip, frame, c, x, y), b = (gint)get_sample (clip, other, c, x, y);

      sums->count++;
      sums->sad += (guint64)ABS (a - b);
      sums->ssd += (guint64)((gint64)(a - b) * (a - b));
      histogram[a]++;
      histogram[b]--;
    }
  for (guint v = 0; v < 65536; v++)
    sums->moved += (guint64)MAX (histogram[v], 0);
  g_free (histogram);
}

static gdouble
get_component_double (const GstStructure *result, const gchar *component, const gchar *field)
{
  gchar *name = g_strdup_printf ("%s-%s", component, field);
  gdouble value = get_field_double (result, name);

  g_free (name);
  return value;
}

static guint64
get_component_u64 (const GstStructure *result, const gchar *component, const gchar *field)
{
  gchar *name = g_strdup_printf ("%s-%s", component, field);
  guint64 value = get_field_u64 (result, name);

  g_free (name);
  return value;
}

static void
check_sums (const GstStructure *result, const gchar *component, const Sums *sums, guint depth)
{
  const gdouble mse = (gdouble)sums->ssd / (gdouble)sums->count, peak = (gdouble)((1u << depth) - 1);
  gdouble psnr = get_component_double (result, component, "psnr");

  ck_assert_uint_eq (get_component_u64 (result, component, "difference-count"), sums->count);
  ck_assert_uint_eq (get_component_u64 (result, component, "sad"), sums->sad);
  ck_assert_uint_eq (get_component_u64 (result, component, "ssd"), sums->ssd);
  ck_assert (get_component_double (result, component, "difference") == (gdouble)sums->sad / (gdouble)sums->count);
  ck_assert (get_component_double (result, component, "mse") == mse);
  if (sums->ssd == 0)
    ck_assert (isinf (psnr) && psnr > 0);
  else
    ck_assert (fabs (psnr - 10 * log10 (peak * peak / mse)) < 1e-9);
  ck_assert (get_component_double (result, component, "histogram-distance") == (gdouble)sums->moved / (gdouble)sums->count);
}

static void
push_frame (Rig *rig, const Clip *clip, guint frame)
{
  push_timed (rig, clip->frames[frame], clip->info.size, frame * GST_SECOND / 25, GST_SECOND / 25);
}

static void
start_clip (Rig *rig, const Clip *clip)
{
  gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", clip->info.finfo->name,
                                 GST_VIDEO_INFO_WIDTH (&clip->info), GST_VIDEO_INFO_HEIGHT (&clip->info));

  start_video (rig, caps);
  g_free (caps);
}

static const struct {
  const gchar *format, *components[3];
  guint n_components;
} formats[] = {
  { "GRAY8", { "GRAY" }, 1 },           { "I420", { "Y", "U", "V" }, 3 },      { "I422_10LE", { "Y", "U", "V" }, 3 },
  { "GBR_12LE", { "G", "B", "R" }, 3 }, { "Y444_16LE", { "Y", "U", "V" }, 3 },
};

/* Which component of GstVideoInfo the first, second and third of the list above are. */
static guint
find_component (guint format, guint c)
{
  return strcmp (formats[format].format, "GBR_12LE") == 0 ? (c + 1) % 3 : c;
}

/* ---- with the previous frame ----------------------------------------------------------------------------------------- */

/* Frame by frame, and all of them in one window, where the first has nothing to be compared with. */
GST_START_TEST (test_previous)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint is_whole = 0; is_whole < 2; is_whole++) {
      Sums sums[3] = { { 0 } };
      GstStructure *result;
      Clip clip;
      Rig rig;

      reset_random ();
      init_clip (&clip, formats[i].format, 37, 23);
      open_rig (&rig, is_whole ? "statistics=comparison window=stream" : "statistics=comparison");
      start_clip (&rig, &clip);
      for (guint f = 0; f < N_FRAMES; f++) {
        push_frame (&rig, &clip, f);
        if (!is_whole)
          memset (sums, 0, sizeof sums);
        for (guint c = 0; f > 0 && c < formats[i].n_components; c++)
          add_sums (&sums[c], &clip, f, f - 1, find_component (i, c));
        if (is_whole && f + 1 < N_FRAMES)
          continue;
        if (is_whole)
          push_eos (&rig);
        result = pop_result (rig.bus);
        for (guint c = 0; c < formats[i].n_components; c++) {
          gchar *name = g_strdup_printf ("%s-mse", formats[i].components[c]);

          ck_assert_int_eq (gst_structure_has_field (result, name), f > 0);
          g_free (name);
          if (f > 0)
            check_sums (result, formats[i].components[c], &sums[c],
                        GST_VIDEO_INFO_COMP_DEPTH (&clip.info, find_component (i, c)));
        }
        gst_structure_free (result);
      }
      close_rig (&rig);
      clear_clip (&clip);
    }
}
GST_END_TEST

/* After a gap nothing is compared, and a flush takes what was added up with it. */
GST_START_TEST (test_begins_again)
{
  GstStructure *result;
  GstBuffer *buffer;
  Sums sums = { 0 };
  Clip clip;
  Rig rig;

  reset_random ();
  init_clip (&clip, "GRAY8", 16, 16);
  open_rig (&rig, "statistics=comparison");
  start_clip (&rig, &clip);
  for (guint f = 0; f < 3; f++) {
    buffer = make_buffer (clip.frames[f], clip.info.size, f * GST_SECOND / 25, GST_SECOND / 25);
    if (f == 1)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    result = pop_result (rig.bus);
    ck_assert_int_eq (gst_structure_has_field (result, "GRAY-histogram-distance"), f == 2);
    gst_structure_free (result);
  }
  close_rig (&rig);

  open_rig (&rig, "statistics=comparison window=stream");
  start_clip (&rig, &clip);
  push_frame (&rig, &clip, 0);
  push_frame (&rig, &clip, 1);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_start ()));
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_stop (TRUE)));
  start_clip (&rig, &clip);
  push_frame (&rig, &clip, 2);
  push_frame (&rig, &clip, 3);
  push_eos (&rig);
  result = pop_result (rig.bus);
  add_sums (&sums, &clip, 3, 2, 0);
  check_sums (result, "GRAY", &sums, 8);
  gst_structure_free (result);
  close_rig (&rig);
  clear_clip (&clip);
}
GST_END_TEST

static Suite *
comparison_suite (void)
{
  Suite *suite = suite_create ("comparison");
  TCase *tcase = tcase_create ("previous");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_previous);
  tcase_add_test (tcase, test_begins_again);
  return suite;
}

int
main (int argc, char **argv)
{
  return run_test_program (argc, argv, comparison_suite (), NULL);
}
