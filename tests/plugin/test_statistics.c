/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The property `statistics`: the fields of results, and their numbers compared with plain loops over the samples, in any layout
 * and with any crop. test_signalstats.py compares the definitions with FFmpeg's signalstats. */

#include "pictures.h"
#include "rig.h"

#include <math.h>
#include <string.h>

static gboolean
has_field (const GstStructure *result, const gchar *component, const gchar *field)
{
  g_autofree gchar *name = g_strdup_printf ("%s-%s", component, field);

  return gst_structure_has_field (result, name);
}

/* ---- pictures, and plain loops over them ----------------------------------------------------------------------------- */

enum { MAX_WIDTH = 48, MAX_HEIGHT = 40, MAX_SATURATION = 65536 };

/* The samples of a whole frame, before it is cropped. */
typedef struct {
  const GstVideoFormatInfo *finfo;
  guint width, height;
  guint16 samples[3][MAX_HEIGHT][MAX_WIDTH];
} Picture;

/* The totals of all areas that were added. */
typedef struct {
  guint64 luma, chroma, outliers, repeats, out_of_range;
  guint64 out_of_gamut, near_gamut; /* the latter so near its limits that rounding may decide */
  guint64 difference[3], difference_count[3];
  guint bits[3];
  guint64 hues[360];
  guint64 *saturations; /* MAX_SATURATION */
} Expected;

static guint
get_shift (const Picture *picture, guint c, gboolean is_vertical)
{
  return (guint)(is_vertical ? GST_VIDEO_FORMAT_INFO_H_SUB (picture->finfo, c)
                             : GST_VIDEO_FORMAT_INFO_W_SUB (picture->finfo, c));
}

/* The part of a component that a range of pixels touches. *first is its first sample. */
static guint
touch (guint start, guint count, guint shift, guint *first)
{
  *first = start >> shift;
  return ((start + count - 1) >> shift) - *first + 1;
}

/* Smooth, with spikes as wide as outliers are, rows that repeat others, and colours of all kinds. */
static void
draw_picture (Picture *picture, const gchar *format, guint width, guint height)
{
  guint most;

  picture->finfo = gst_video_format_get_info (gst_video_format_from_string (format));
  picture->width = width;
  picture->height = height;
  most = (1u << GST_VIDEO_FORMAT_INFO_DEPTH (picture->finfo, 0)) - 1;
  for (guint c = 0; c < 3; c++)
    for (guint y = 0; y < height; y++) {
      const gboolean repeats = y >= 4 && draw_random (3) == 0;
      const guint spike = draw_random (2) * (1 + draw_random (width));

      for (guint x = 0; x < width; x++) {
        guint value = (8 + 3 * x + 2 * y + draw_random (3)) * (most / 255);

        if (c > 0)
          value = draw_random (4) == 0 ? draw_random (most + 1) : most / 2 + draw_random (most / 16);
        else if (spike > 0 && x + 2 >= spike && x < spike + 2)
          value += 60;
        picture->samples[c][y][x] = (guint16)MIN (value, most);
        if (c == 0 && repeats)
          picture->samples[0][y][x] = picture->samples[0][y - 4][x];
      }
    }
}

static gboolean
is_unlike (const Picture *picture, guint y, guint x, guint distance)
{
  for (guint k = x - 1; k <= x + 1; k++) {
    const gint above = picture->samples[0][y - distance][k] & 255, below = picture->samples[0][y + distance][k] & 255;
    const gint here = picture->samples[0][y][k] & 255;

    if ((abs (above - here) + abs (below - here)) / 2 - abs (below - above) <= 4)
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_outside (guint sample, guint low, guint high, guint depth)
{
  return sample < low << (depth - 8) || sample > high << (depth - 8);
}

/* Whether Y, R, G or B is outside the preferred range of EBU R103, by BT.601, the default of small pictures, in limited range:
 * 1 if one is, 0 if none is, -1 if rounding decides. */
static gint
is_out_of_gamut (gdouble y, gdouble cb, gdouble cr, guint depth)
{
  const gdouble unit = 1u << (depth - 8), middle = 128 * unit, stretch = 219.0 / 224;
  const gdouble red = y + stretch * 1.402 * (cr - middle), blue = y + stretch * 1.772 * (cb - middle);
  const gdouble green = (y - 0.299 * red - 0.114 * blue) / 0.587, doubt = middle / 16384 + 1e-4;
  const gdouble levels[] = { y, red, green, blue };
  gint outside = 0;

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++) {
    const gdouble beyond = MAX (5 * unit - 0.5 - levels[i], levels[i] - 246 * unit - 0.5);

    if (beyond > doubt)
      return 1;
    if (beyond > -doubt)
      outside = -1;
  }
  return outside;
}

/* Adds the visible part of the picture, and its difference from `previous`, if any, which has the same size. */
static void
expect (Expected *expected, const Picture *picture, const Area *area, const Picture *previous, const Area *previous_area)
{
  const guint depth = (guint)GST_VIDEO_FORMAT_INFO_DEPTH (picture->finfo, 0), middle = 1u << (depth - 1);
  const guint bottom = area->y + area->height, right = area->x + area->width;

  for (guint y = area->y; y < bottom; y++) {
    guint64 from_fourth = 0;

    for (guint x = area->x; x < right; x++) {
      const guint chroma_y = y >> get_shift (picture, 1, TRUE), chroma_x = x >> get_shift (picture, 1, FALSE);
      const gint gamut = is_out_of_gamut (picture->samples[0][y][x], picture->samples[1][chroma_y][chroma_x],
                                          picture->samples[2][chroma_y][chroma_x], depth);

      expected->luma++;
      expected->out_of_gamut += gamut == 1;
      expected->near_gamut += gamut == -1;
      expected->out_of_range += is_outside (picture->samples[0][y][x], 16, 235, depth)
                                || is_outside (picture->samples[1][chroma_y][chroma_x], 16, 240, depth)
                                || is_outside (picture->samples[2][chroma_y][chroma_x], 16, 240, depth);
      if (y >= area->y + 4)
        from_fourth += (guint64)abs ((gint)picture->samples[0][y][x] - (gint)picture->samples[0][y - 4][x]);
      if (y > area->y && y + 1 < bottom && x > area->x && x + 1 < right && is_unlike (picture, y, x, 1)
          && (y < area->y + 2 || y + 2 >= bottom || is_unlike (picture, y, x, 2)))
        expected->outliers++;
    }
    if (y >= area->y + 4 && from_fourth < area->width)
      expected->repeats += area->width;
  }

  for (guint c = 0; c < 3; c++) {
    guint first_x, first_y, previous_x = 0, previous_y = 0;
    const guint columns = touch (area->x, area->width, get_shift (picture, c, FALSE), &first_x);
    const guint rows = touch (area->y, area->height, get_shift (picture, c, TRUE), &first_y);

    if (previous != NULL) {
      touch (previous_area->x, area->width, get_shift (picture, c, FALSE), &previous_x);
      touch (previous_area->y, area->height, get_shift (picture, c, TRUE), &previous_y);
      expected->difference_count[c] += columns * rows;
    }
    for (guint y = 0; y < rows; y++)
      for (guint x = 0; x < columns; x++) {
        const gint sample = picture->samples[c][first_y + y][first_x + x];

        expected->bits[c] |= (guint)sample;
        if (previous != NULL)
          expected->difference[c] += (guint64)abs (sample - (gint)previous->samples[c][previous_y + y][previous_x + x]);
        if (c == 1) {
          const gint blue = sample - (gint)middle, red = (gint)picture->samples[2][first_y + y][first_x + x] - (gint)middle;

          expected->chroma++;
          expected->saturations[(guint)sqrt ((gdouble)blue * blue + (gdouble)red * red)]++;
          expected->hues[(guint)(floorf ((float)(180 / G_PI * (gdouble)atan2f ((float)blue, (float)red) + 180))) % 360]++;
        }
      }
  }
}

static Expected *
expect_nothing (void)
{
  Expected *expected = g_new0 (Expected, 1);

  expected->saturations = g_new0 (guint64, MAX_SATURATION);
  return expected;
}

static void
free_expected (Expected *expected)
{
  g_free (expected->saturations);
  g_free (expected);
}

/* Returns the first bin up to which there are at least `rank` samples, and the *mean. */
static guint
find_rank (const guint64 *counters, guint count, guint64 rank, gdouble *mean)
{
  guint64 below = 0, sum = 0, all = 0;
  guint found = count;

  for (guint i = 0; i < count; i++) {
    below += counters[i];
    if (found == count && below >= rank)
      found = i;
    sum += counters[i] * i;
    all += counters[i];
  }
  *mean = (gdouble)sum / (gdouble)all;
  return found;
}

static void
check_number (const GstStructure *result, const gchar *component, const gchar *field, gdouble value)
{
  g_autofree gchar *name = component != NULL ? g_strdup_printf ("%s-%s", component, field) : g_strdup (field);

  ck_assert_msg (get_field_double (result, name) == value, "%s is %.17g, not %.17g", name, get_field_double (result, name),
                 value);
}

/* All of signalstats. */
static void
check_numbers (const GstStructure *result, const Expected *expected)
{
  static const gchar *const names[] = { "Y", "U", "V" };
  gdouble mean;

  ck_assert_uint_eq (get_field_uint (result, "saturation-min"), find_rank (expected->saturations, MAX_SATURATION, 1, &mean));
  check_number (result, NULL, "saturation-mean", mean);
  ck_assert_uint_eq (
      get_field_uint (result, "saturation-low"),
      find_rank (expected->saturations, MAX_SATURATION, MAX (1, (guint64)lrint ((gdouble)expected->chroma * 0.1)), &mean));
  ck_assert_uint_eq (
      get_field_uint (result, "saturation-high"),
      find_rank (expected->saturations, MAX_SATURATION, MAX (1, (guint64)lrint ((gdouble)expected->chroma * 0.9)), &mean));
  ck_assert_uint_eq (get_field_uint (result, "saturation-max"),
                     find_rank (expected->saturations, MAX_SATURATION, expected->chroma, &mean));
  ck_assert_uint_eq (get_field_uint (result, "hue-median"), find_rank (expected->hues, 360, expected->chroma / 2 + 1, &mean));
  check_number (result, NULL, "hue-mean", mean);
  check_number (result, NULL, "outliers", (gdouble)expected->outliers / (gdouble)expected->luma);
  check_number (result, NULL, "repeats", (gdouble)expected->repeats / (gdouble)expected->luma);
  check_number (result, NULL, "out-of-range", (gdouble)expected->out_of_range / (gdouble)expected->luma);
  if (gst_structure_has_field (result, "out-of-gamut")) {
    const guint64 out = (guint64)lrint (get_field_double (result, "out-of-gamut") * (gdouble)expected->luma);

    check_number (result, NULL, "out-of-gamut", (gdouble)out / (gdouble)expected->luma);
    ck_assert_uint_ge (out, expected->out_of_gamut);
    ck_assert_uint_le (out, expected->out_of_gamut + expected->near_gamut);
  }
  for (guint c = 0; c < 3; c++) {
    g_autofree gchar *bits = g_strdup_printf ("%s-used-bits", names[c]);
    guint count = 0;

    for (guint left = expected->bits[c]; left > 0; left &= left - 1)
      count++;
    ck_assert_uint_eq (get_field_uint (result, bits), count);
    ck_assert_int_eq (has_field (result, names[c], "difference"), expected->difference_count[c] > 0);
    if (expected->difference_count[c] > 0)
      check_number (result, names[c], "difference", (gdouble)expected->difference[c] / (gdouble)expected->difference_count[c]);
  }
}

/* A buffer with the picture, cropped where its area is not all of it. See add_video_meta() for `bottom_up`. */
static GstBuffer *
make_picture (const Picture *picture, const Area *area, guint bottom_up, GstClockTime pts)
{
  GstVideoFrame frame;
  GstVideoInfo info;
  GstBuffer *buffer;

  ck_assert (gst_video_info_set_format (&info, GST_VIDEO_FORMAT_INFO_FORMAT (picture->finfo), picture->width, picture->height));
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, 0, info.size);
  add_video_meta (buffer, &info, bottom_up);
  ck_assert (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
  for (guint c = 0; c < 3; c++)
    for (guint y = 0; y < (guint)GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (guint x = 0; x < (guint)GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++)
        write_sample (&frame, c, x, y, picture->samples[c][y][x]);
  gst_video_frame_unmap (&frame);
  if (area->width != picture->width || area->height != picture->height)
    crop_buffer (buffer, area->x, area->y, area->width, area->height);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 25;
  return buffer;
}

static gchar *
write_caps (const Picture *picture, const Area *area)
{
  return g_strdup_printf ("video/x-raw,format=%s,width=%u,height=%u,framerate=25/1", picture->finfo->name, area->width,
                          area->height);
}

static const gchar *const formats[] = { "I420", "YV12", "NV12",      "NV21",      "Y42B",      "Y444",     "YUY2",
                                        "UYVY", "VUYA", "P010_10LE", "I420_10LE", "I422_10LE", "Y444_10LE" };

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

/* Whole frames, separately and together, of even and odd sizes, and too small for neighbours. */
TEST (test_frames)
{
  static const guint sizes[][2] = { { 32, 24 }, { 35, 27 }, { 5, 5 }, { 2, 3 }, { 1, 1 } };
  static Picture pictures[4];

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      const Area area = { 0, 0, sizes[s][0], sizes[s][1] };
      Expected *all = expect_nothing ();

      reset_random ();
      for (guint f = 0; f < G_N_ELEMENTS (pictures); f++)
        draw_picture (&pictures[f], formats[i], area.width, area.height);
      g_autofree gchar *caps = write_caps (&pictures[0], &area);
      g_auto (Rig) single = open_rig ("statistics=signalstats+gamut");
      g_auto (Rig) stream = open_rig ("statistics=signalstats+gamut window=stream");
      start_video (&single, caps);
      start_video (&stream, caps);
      for (guint f = 0; f < G_N_ELEMENTS (pictures); f++) {
        Expected *one = expect_nothing ();
        GstBuffer *buffer = make_picture (&pictures[f], &area, 0, f * GST_SECOND / 25);

        ck_assert_int_eq (gst_harness_push (single.harness, gst_buffer_ref (buffer)), GST_FLOW_OK);
        ck_assert_int_eq (gst_harness_push (stream.harness, buffer), GST_FLOW_OK);
        expect (one, &pictures[f], &area, f > 0 ? &pictures[f - 1] : NULL, &area);
        expect (all, &pictures[f], &area, f > 0 ? &pictures[f - 1] : NULL, &area);
        g_autoptr (GstStructure) result = pop_result (single.bus);
        check_numbers (result, one);
        free_expected (one);
      }
      push_eos (&stream);
      g_autoptr (GstStructure) result = pop_result (stream.bus);
      check_numbers (result, all);
      free_expected (all);
      close_rig (&single);
    }
}

/* Whatever the crop, chroma belongs to the same luma as before, from top to bottom and the reverse. The crop moves from frame
 * to frame, so that a frame is compared with the visible part of the one before. */
TEST (test_crops)
{
  static const guint sizes[][2] = { { 12, 11 }, { 9, 8 }, { 1, 1 } };
  static const guint places[][2] = { { 0, 0 }, { 2, 4 }, { 3, 4 }, { 5, 6 }, { 5, 7 }, { 3, 1 }, { 4, 3 }, { 6, 9 } };
  static Picture pictures[2];

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (guint turned = 0; turned < 2; turned++) {
        Area area = { 0, 0, sizes[s][0], sizes[s][1] }, previous_area = area;
        guint compared = 0;

        reset_random ();
        for (guint f = 0; f < 2; f++)
          draw_picture (&pictures[f], formats[i], 22, 21);
        g_autofree gchar *caps = write_caps (&pictures[0], &area);
        g_auto (Rig) rig = open_video ("statistics=signalstats+gamut message-arrays=none", caps);
        for (guint f = 0; f < G_N_ELEMENTS (places); f++) {
          Expected *expected = expect_nothing ();
          gboolean has_difference;

          previous_area = area;
          area.x = places[f][0];
          area.y = places[f][1];
          ck_assert_int_eq (
              gst_harness_push (rig.harness, make_picture (&pictures[f % 2], &area, turned ? 7 : 0, f * GST_SECOND / 25)),
              GST_FLOW_OK);
          g_autoptr (GstStructure) result = pop_result (rig.bus);
          has_difference = has_field (result, "Y", "difference");
          /* There is a difference if the crop moves by whole chroma samples; otherwise the number of samples may still be the
           * same. */
          if (f > 0 && area.x % 2 == previous_area.x % 2 && area.y % 2 == previous_area.y % 2)
            ck_assert (has_difference);
          compared += has_difference;
          expect (expected, &pictures[f % 2], &area, has_difference ? &pictures[1 - f % 2] : NULL, &previous_area);
          check_numbers (result, expected);
          free_expected (expected);
        }
        ck_assert_uint_gt (compared, 0);
        check_bus_empty (rig.bus);
      }
}

/* Rows of luma in one order and of chroma in the other: statistics of colours cannot pair them. */
TEST (test_mixed_directions)
{
  static Picture picture;
  const Area area = { 0, 0, 16, 14 };
  GstStructure *result;
  Rig rig;

  draw_picture (&picture, "I420", area.width, area.height);
  g_autofree gchar *caps = write_caps (&picture, &area);
  rig = open_video ("statistics=basic+hue", caps);
  ck_assert_int_eq (gst_harness_push (rig.harness, make_picture (&picture, &area, 1, 0)), GST_FLOW_OK);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED, "bottom to top");
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 1);
  ck_assert_int_eq (gst_harness_push (rig.harness, make_picture (&picture, &area, 0, GST_SECOND)), GST_FLOW_OK);
  result = pop_result (rig.bus);
  ck_assert (gst_structure_has_field (result, "hue-mean"));
  gst_structure_free (result);
  close_rig (&rig);

  rig = open_video ("statistics=basic+outliers+repeats+difference+used-bits", caps);
  ck_assert_int_eq (gst_harness_push (rig.harness, make_picture (&picture, &area, 1, 0)), GST_FLOW_OK);
  result = pop_result (rig.bus);
  ck_assert (gst_structure_has_field (result, "outliers"));
  gst_structure_free (result);
  check_bus_empty (rig.bus);
  close_rig (&rig);
}

/* Windows of an interval add up their frames. The first frame of one has the last of the one before as its operand. */
TEST (test_intervals)
{
  static Picture pictures[2];
  const Area area = { 0, 0, 20, 16 };
  Expected *expected = expect_nothing ();
  guint results = 0;
  Rig rig;

  for (guint f = 0; f < 2; f++)
    draw_picture (&pictures[f], "NV12", area.width, area.height);
  g_autofree gchar *caps = write_caps (&pictures[0], &area);
  rig = open_rig ("statistics=signalstats interval=120000000"); /* three frames */
  start_video (&rig, caps);
  for (guint f = 0; f < 9; f++) {
    ck_assert_int_eq (gst_harness_push (rig.harness, make_picture (&pictures[f % 2], &area, 0, f * GST_SECOND / 25)),
                      GST_FLOW_OK);
    expect (expected, &pictures[f % 2], &area, f > 0 ? &pictures[1 - f % 2] : NULL, &area);
    if (f % 3 == 2) {
      g_autoptr (GstStructure) result = pop_result (rig.bus);

      ck_assert_uint_eq (get_field_u64 (result, "frames"), 3);
      check_numbers (result, expected);
      free_expected (expected);
      expected = expect_nothing ();
      results++;
    }
  }
  push_eos (&rig);
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (results, 3);
  close_rig (&rig);
  free_expected (expected);
}

/* Of several pictures in a buffer the numbers are added up. */
TEST (test_views)
{
  static Picture pictures[4]; /* two views, of two buffers */
  const Area area = { 0, 0, 18, 14 };
  g_autofree gchar *caps = NULL, *view_caps = NULL;

  for (guint i = 0; i < 4; i++)
    draw_picture (&pictures[i], "I420", area.width, area.height);
  caps = write_caps (&pictures[0], &area);
  view_caps = g_strconcat (caps, ",multiview-mode=separated,views=2", NULL);
  g_auto (Rig) rig = open_video ("statistics=signalstats", view_caps);
  for (guint f = 0; f < 4; f++) {
    Expected *expected = expect_nothing ();
    GstBuffer *buffer = gst_buffer_new ();

    for (guint view = 0; view < 2; view++) {
      GstBuffer *one = make_picture (&pictures[2 * (f % 2) + view], &area, 0, 0);

      gst_buffer_append_memory (buffer, gst_buffer_get_memory (one, 0));
      gst_buffer_unref (one);
      expect (expected, &pictures[2 * (f % 2) + view], &area, f > 0 ? &pictures[2 - 2 * (f % 2) + view] : NULL, &area);
    }
    GST_BUFFER_PTS (buffer) = f * GST_SECOND / 25;
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_numbers (result, expected);
    free_expected (expected);
  }
  check_bus_empty (rig.bus);
}

/* ---- waveforms and vectorscopes -------------------------------------------------------------------------------------- */

/* The counters of a packed array, in the machine's byte order. Free with g_free(). */
static guint64 *
unpack (const GstStructure *structure, const gchar *name, gsize *count)
{
  const guint8 *data;
  guint64 *counters;
  g_autoptr (GBytes) bytes = NULL;

  ck_assert_msg (gst_structure_get (structure, name, G_TYPE_BYTES, &bytes, NULL), "no bytes %s", name);
  data = g_bytes_get_data (bytes, count);
  *count /= sizeof *counters;
  counters = g_new (guint64, *count);
  for (gsize i = 0; i < *count; i++)
    counters[i] = GST_READ_UINT64_LE (data + 8 * i);
  return counters;
}

/* Subtracts the visible part of the picture from unpacked bins: a waveform of component c or, with c < 0, a vectorscope. */
static void
take_away (guint64 *counters, const Picture *picture, const Area *area, gint c, guint columns)
{
  const guint drop = (guint)GST_VIDEO_FORMAT_INFO_DEPTH (picture->finfo, 0) - 8, of = c < 0 ? 1 : (guint)c;
  guint first_x, first_y;
  const guint width = touch (area->x, area->width, get_shift (picture, of, FALSE), &first_x);
  const guint height = touch (area->y, area->height, get_shift (picture, of, TRUE), &first_y);

  for (guint y = first_y; y < first_y + height; y++)
    for (guint x = 0; x < width; x++) {
      if (c < 0)
        counters[(picture->samples[2][y][first_x + x] >> drop) * 256 + (picture->samples[1][y][first_x + x] >> drop)]--;
      else
        counters[x * MIN (columns, width) / width * 256 + (picture->samples[c][y][first_x + x] >> drop)]--;
    }
}

static void
check_empty (const guint64 *counters, gsize count, const gchar *name)
{
  for (gsize i = 0; i < count; i++)
    if (counters[i] != 0)
      ck_abort_msg ("%s[%" G_GSIZE_FORMAT "] is wrong", name, i);
}

/* Fails unless the structure has exactly the visible part of the pictures. */
static void
check_scope (const GstStructure *structure, const Picture *pictures, guint n_pictures, const Area *area, guint columns)
{
  static const gchar *const names[] = { "Y-waveform", "U-waveform", "V-waveform" };
  guint64 *counters;
  gsize count;

  for (gint c = 0; c < 3; c++) {
    guint first;

    counters = unpack (structure, names[c], &count);
    ck_assert_uint_eq (count, 256 * MIN (columns, touch (area->x, area->width, get_shift (pictures, (guint)c, FALSE), &first)));
    for (guint i = 0; i < n_pictures; i++)
      take_away (counters, &pictures[i], area, c, columns);
    check_empty (counters, count, names[c]);
    g_free (counters);
  }
  counters = unpack (structure, "vectorscope", &count);
  ck_assert_uint_eq (count, 65536);
  for (guint i = 0; i < n_pictures; i++)
    take_away (counters, &pictures[i], area, -1, 0);
  check_empty (counters, count, "vectorscope");
  g_free (counters);
}

/* Arrays are in metas always, and in messages on request. Some frames are copied as operands. */
TEST (test_scopes)
{
  static const gchar *const properties[]
      = { "waveform-columns=0 message-arrays=none", "waveform-columns=7 message-arrays=packed",
          "waveform-columns=1 message-arrays=all dot=previous", "message-arrays=packed when-busy=skip dot=previous" };
  static const guint columns[] = { 12, 7, 1, 256 };
  static const Area area = { 3, 4, 12, 11 };
  static Picture picture;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    const guint p = i % G_N_ELEMENTS (properties);
    gchar *line = g_strconcat ("add-meta=true statistics=waveform+vectorscope ", properties[p], NULL), *caps;
    g_auto (Rig) rig = open_rig (line);

    for (guint f = 0; f < 2; f++) {
      GstBuffer *buffer;

      draw_picture (&picture, formats[i], 22, 21);
      caps = write_caps (&picture, &area);
      if (f == 0)
        start_video (&rig, caps);
      g_free (caps);
      buffer = gst_harness_push_and_pull (rig.harness, make_picture (&picture, &area, i % 3 == 0 ? 7 : 0, f * GST_SECOND / 25));
      check_scope (get_meta (buffer), &picture, 1, &area, columns[p]);
      gst_buffer_unref (buffer);
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      ck_assert_int_eq (gst_structure_has_field (result, "vectorscope"), p > 0);
      if (strstr (properties[p], "packed") != NULL) {
        check_scope (result, &picture, 1, &area, columns[p]);
      } else if (p > 0) {
        const GValue *rows = gst_structure_get_value (result, "Y-waveform");

        ck_assert_uint_eq (gst_value_array_get_size (rows), 1);
        ck_assert_uint_eq (gst_value_array_get_size (gst_value_array_get_value (rows, 0)), 256);
      }
    }
    g_free (line);
  }
}

/* A window of several frames has their sum, and so does the sidecar's line. */
TEST (test_scopes_of_windows)
{
  static Picture pictures[4];
  const Area area = { 0, 0, 16, 14 };
  const gchar *path = make_path ("scope.jsonl");
  g_autofree gchar *line = NULL, *caps = NULL, *text = NULL;
  gsize size;

  for (guint f = 0; f < G_N_ELEMENTS (pictures); f++)
    draw_picture (&pictures[f], "NV12", area.width, area.height);
  caps = write_caps (&pictures[0], &area);
  line = g_strdup_printf ("window=stream statistics=waveform+vectorscope waveform-columns=2 message-arrays=packed "
                          "sidecar-arrays=all sidecar-location=%s",
                          path);
  g_auto (Rig) rig = open_video (line, caps);
  for (guint f = 0; f < G_N_ELEMENTS (pictures); f++)
    ck_assert_int_eq (gst_harness_push (rig.harness, make_picture (&pictures[f], &area, 0, f * GST_SECOND / 25)), GST_FLOW_OK);
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_scope (result, pictures, G_N_ELEMENTS (pictures), &area, 2);
  close_rig (&rig);

  ck_assert (g_file_get_contents (path, &text, &size, NULL));
  for (guint i = 0; i < 2; i++) {
    static const gchar *const fields[] = { "U-waveform", "vectorscope" };
    static const gchar *const members[] = { "\"U\":{\"count\":224,\"waveform\":[[", "\"vectorscope\":[[" };
    const gchar *at = strstr (text, members[i]);
    gsize count;

    ck_assert_msg (at != NULL, "no %s", fields[i]);
    at += strlen (members[i]);
    g_autofree guint64 *counters = unpack (result, fields[i], &count);
    for (gsize k = 0; k < count; k++) {
      gchar *end;
      const guint64 value = g_ascii_strtoull (at, &end, 10);

      if (value != counters[k])
        ck_abort_msg ("%s[%" G_GSIZE_FORMAT "] is %" G_GUINT64_FORMAT, fields[i], k, value);
      at = end + strspn (end, ",[]");
    }
  }
}

/* ---- fields ---------------------------------------------------------------------------------------------------------- */

/* "saturation hue outliers repeats out-of-range out-of-gamut", those that a result has, and then those of the first
 * component. */
static gchar *
list_groups (const GstStructure *result, const gchar *component)
{
  static const gchar *const pictures[][2] = { { "saturation-mean", "saturation" }, { "hue-mean", "hue" },
                                              { "outliers", "outliers" },          { "repeats", "repeats" },
                                              { "out-of-range", "out-of-range" },  { "out-of-gamut", "out-of-gamut" },
                                              { "light-max-nits", "light" },       { "vectorscope", "vectorscope" } };
  static const gchar *const components[] = { "mean", "histogram", "used-bits", "difference", "psnr", "dot", "waveform" };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    if (gst_structure_has_field (result, pictures[i][0]))
      g_string_append_printf (text, "%s ", pictures[i][1]);
  for (guint i = 0; i < G_N_ELEMENTS (components); i++)
    if (has_field (result, component, components[i]))
      g_string_append_printf (text, "%s ", components[i]);
  return g_string_free (text, FALSE);
}

/* Of the second of two frames or buffers: exactly the requested statistics that are possible. Others cause a warning, unless
 * only a set was requested. */
TEST (test_fields)
{
#define YUV "saturation hue outliers repeats out-of-range "
  static const struct {
    const gchar *properties, *format, *component, *groups;
    const gchar *warning; /* or NULL */
  } cases[] = {
    { "", "I420", "Y", "mean histogram ", NULL },
    { "statistics=basic", "I420", "Y", "mean histogram ", NULL },
    { "statistics=histogram", "RGB", "R", "mean histogram ", NULL },
    { "statistics=0", "I420", "Y", "", NULL },
    { "statistics=saturation", "I420", "Y", "saturation ", NULL },
    { "statistics=hue+used-bits", "NV12", "Y", "hue used-bits ", NULL },
    { "statistics=outliers", "YUY2", "Y", "outliers ", NULL },
    { "statistics=basic+repeats", "GRAY8", "GRAY", "repeats mean histogram ", NULL },
    { "statistics=broadcast-range", "VUYA", "Y", "out-of-range ", NULL },
    { "statistics=gamut", "P010_10LE", "Y", "out-of-gamut ", NULL },
    { "statistics=gamut+hue", "BGRx", "R", "hue out-of-gamut ", NULL },
    { "statistics=gamut+signalstats", "GBR_10LE", "G", YUV "out-of-gamut mean histogram used-bits difference ", NULL },
    { "statistics=luma", "RGB", "luma", "mean histogram ", NULL },
    { "statistics=luma", "RGB", "R", "", NULL },
    { "statistics=luma+difference+used-bits", "ARGB64_LE", "luma", "mean histogram used-bits difference ", NULL },
    { "statistics=luma", "I420", "Y", "", NULL },
    { "statistics=basic+gamut", "GRAY8", "GRAY", "mean histogram ",
      "Cannot measure gamut of GRAY8: gamut needs video with Y, U and V, or with R, G and B." },
    { "statistics=gamut+signalstats", "GRAY8", "GRAY", "outliers repeats mean histogram used-bits difference ",
      "Cannot measure saturation, hue, broadcast-range, gamut of GRAY8: "
      "saturation, hue, broadcast-range, gamut need video with Y, U and V, or with R, G and B." },
    { "statistics=signalstats+vectorscope message-arrays=packed", "RGB", "R",
      YUV "vectorscope mean histogram used-bits difference ", NULL },
    { "statistics=light", "P010_10LE,colorimetry=bt2100-pq", "Y", "light ", NULL },
    { "statistics=light", "RGB,colorimetry=1:1:14:7", "R", "light ", NULL },
    { "statistics=light+hue", "GBR_10LE,colorimetry=1:1:14:7", "G", "hue light ", NULL },
    { "statistics=basic+light", "P010_10LE,colorimetry=bt709", "Y", "mean histogram ",
      "Cannot measure light of P010_10LE: light needs video with Y, U and V, or with R, G and B, whose caps have the "
      "transfer function PQ or HLG." },
    { "statistics=basic+light", "GRAY8,colorimetry=1:4:14:7", "GRAY", "mean histogram ", "Cannot measure light of GRAY8" },
    { "statistics=difference", "I420", "Y", "difference ", NULL },
    { "statistics=difference dot=previous", "I420", "Y", "difference dot ", NULL },
    { "dot=previous", "I420", "Y", "mean histogram dot ", NULL },
    { "statistics=comparison", "I420", "Y", "difference psnr ", NULL },
    { "statistics=basic+comparison window=buffer", NULL, "byte", "mean histogram difference psnr ", NULL },
    { "statistics=basic+comparison", NULL, "byte", "mean histogram ",
      "statistics=comparison needs window=buffer on a byte stream" },
    { "statistics=signalstats+comparison", NULL, "byte", "mean histogram used-bits ",
      "statistics=comparison needs window=buffer on a byte stream" },
    { "statistics=waveform+vectorscope message-arrays=packed", "NV12", "Y", "vectorscope waveform ", NULL },
    { "statistics=basic+waveform message-arrays=all", "RGB", "R", "mean histogram waveform ", NULL },
    { "statistics=basic+hue message-arrays=all", "I420", "V", "hue mean histogram ", NULL },
    { "statistics=waveform+vectorscope message-arrays=all", "GRAY8", "GRAY", "waveform ",
      "Cannot measure vectorscope of GRAY8: vectorscope needs video with Y, U and V, or with R, G and B." },
    { "statistics=waveform window=buffer message-arrays=all", NULL, "byte", "",
      "Cannot measure waveform of bytes: waveform needs video." },
    { "statistics=signalstats", "I420", "Y", YUV "mean histogram used-bits difference ", NULL },
    { "statistics=signalstats dot=previous", "P010_10LE", "Y", YUV "mean histogram used-bits difference dot ", NULL },
    { "statistics=signalstats", "GRAY8", "GRAY", "outliers repeats mean histogram used-bits difference ", NULL },
    { "statistics=signalstats", "RGB", "R", YUV "mean histogram used-bits difference ", NULL },
    { "statistics=signalstats", "ARGB", "A", YUV "mean histogram used-bits difference ", NULL },
    { "statistics=signalstats", "GBR_10LE", "G", YUV "mean histogram used-bits difference ", NULL },
    { "statistics=signalstats window=buffer", NULL, "byte", "mean histogram used-bits difference ", NULL },
    { "statistics=signalstats", NULL, "byte", "mean histogram used-bits ", NULL },
    { "statistics=basic+hue+outliers", "GRAY8", "GRAY", "outliers mean histogram ",
      "Cannot measure hue of GRAY8: hue needs video with Y, U and V, or with R, G and B." },
    { "statistics=basic+hue+outliers", "RGB", "R", "hue outliers mean histogram ", NULL },
    { "statistics=repeats window=buffer", NULL, "byte", "",
      "Cannot measure repeats of bytes: repeats needs video with Y or GRAY, or with R, G and B." },
    { "statistics=difference", NULL, "byte", "", "statistics=difference needs window=buffer on a byte stream" },
    { "dot=previous", NULL, "byte", "mean histogram ", "dot=previous needs window=buffer on a byte stream" },
    { "statistics=signalstats dot=previous", NULL, "byte", "mean histogram used-bits ",
      "dot=previous needs window=buffer on a byte stream" },
  };
#undef YUV

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint8 data[16 * 16 * 8];
    gsize size = 100;
    GstStructure *result;

    reset_random ();
    fill_random (data, sizeof data);
    g_auto (Rig) rig = open_rig (cases[i].properties);
    if (cases[i].format != NULL) {
      GstVideoInfo info;
      g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=16,height=16,framerate=25/1", cases[i].format);
      g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);

      ck_assert (gst_video_info_from_caps (&info, parsed));
      size = info.size;
      start_video (&rig, caps);
    } else {
      start_bytes (&rig, NULL);
    }
    for (guint f = 0; f < 2; f++)
      push_timed (&rig, data, size, f * GST_SECOND / 25, GST_SECOND / 25);
    push_eos (&rig);
    if (cases[i].warning != NULL)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, cases[i].warning);
    result = pop_result (rig.bus);
    if (get_field_u64 (result, "frames") == 1) {
      ck_assert (!has_field (result, cases[i].component, "difference"));
      ck_assert (!has_field (result, cases[i].component, "dot"));
      gst_structure_free (result);
      result = pop_result (rig.bus);
    }
    g_autofree gchar *groups = list_groups (result, cases[i].component);
    ck_assert_msg (strcmp (groups, cases[i].groups) == 0, "%s of %s has %s", cases[i].properties, cases[i].format, groups);
    ck_assert (has_field (result, cases[i].component, "count"));
    gst_structure_free (result);
    check_bus_empty (rig.bus);
  }
}

/* A picture may be too large for a statistic that its format allows. The warning states what each lacks. */
TEST (test_large_picture)
{
  static const struct {
    const gchar *statistics, *format, *warning;
  } cases[] = {
    { "waveform+vectorscope", "GRAY8",
      "Cannot measure waveform, vectorscope of GRAY8: waveform needs at most 65536 x 65536 pixels; "
      "vectorscope needs video with Y, U and V, or with R, G and B, of at most 65536 x 65536 pixels." },
    { "waveform+vectorscope", "I420",
      "Cannot measure waveform, vectorscope of I420: waveform, vectorscope need at most 65536 x 65536 pixels." },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *properties = g_strdup_printf ("statistics=%s message-arrays=packed", cases[i].statistics);
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=70000,height=2,framerate=25/1", cases[i].format);
    GstVideoInfo info;

    gst_video_info_set_format (&info, gst_video_format_from_string (cases[i].format), 70000, 2);
    g_autofree guint8 *data = g_malloc0 (info.size);
    g_auto (Rig) rig = open_video (properties, caps);
    push_timed (&rig, data, info.size, 0, GST_SECOND / 25);
    check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, cases[i].warning);
  }
}

/* Fills a frame with one colour, of the depth of the format. */
static GstBuffer *
make_flat (const GstVideoInfo *info, const guint colour[3])
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstVideoFrame frame;

  ck_assert (gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE));
  for (guint c = 0; c < 3; c++)
    for (guint y = 0; y < (guint)GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (guint x = 0; x < (guint)GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++)
        write_sample (&frame, c, x, y, colour[c]);
  gst_video_frame_unmap (&frame);
  return buffer;
}

/* A frame of one colour is inside or outside as a whole, by the matrix and range of the caps, or by their defaults. */
TEST (test_gamut)
{
  static const struct {
    const gchar *format, *colorimetry; /* or NULL */
    guint height;
    guint8 colour[3]; /* of 8 bits, in the order of the components */
    gdouble outside;
  } cases[] = {
    /* R' is 231.6 by BT.601, 247.8 by BT.709, 238.4 by BT.2020 and 247.9 by SMPTE 240M. */
    { "I420", "bt601", 16, { 100, 128, 224 }, 0 },
    { "I420", "bt709", 16, { 100, 128, 224 }, 1 },
    { "I420", "bt2020", 16, { 100, 128, 224 }, 0 },
    { "I420", "smpte240m", 16, { 100, 128, 224 }, 1 },
    { "P010_10LE", "bt601", 16, { 100, 128, 224 }, 0 },
    { "P010_10LE", "bt709", 16, { 100, 128, 224 }, 1 },
    { "I420", NULL, 576, { 100, 128, 224 }, 0 },
    { "I420", NULL, 578, { 100, 128, 224 }, 1 },
    { "NV12", "2:0:0:0", 576, { 100, 128, 224 }, 0 },
    { "NV12", "2:0:0:0", 578, { 100, 128, 224 }, 1 },
    { "NV12", "2:0:0:0", 2160, { 100, 128, 224 }, 1 },
    { "NV12", "2:0:0:7", 578, { 100, 128, 224 }, 0 },
    /* 250.8 of limited range, 254.2 of full range, which is 234.3 of limited range; and further out, 248.8. */
    { "I420", "2:4:0:0", 16, { 100, 128, 238 }, 1 },
    { "I420", "1:4:0:0", 16, { 100, 128, 238 }, 0 },
    { "I420", "1:4:0:0", 16, { 100, 128, 250 }, 1 },
    { "I420", "0:4:0:0", 16, { 100, 128, 238 }, 1 },
    /* Luma. */
    { "Y444", "bt709", 16, { 4, 128, 128 }, 1 },
    { "Y444", "bt709", 16, { 5, 128, 128 }, 0 },
    { "Y444", "bt709", 16, { 246, 128, 128 }, 0 },
    { "Y444", "bt709", 16, { 247, 128, 128 }, 1 },
    { "Y444", "1:3:5:1", 16, { 255, 128, 128 }, 0 },
    { "Y444", "1:3:5:1", 16, { 0, 128, 128 }, 0 },
    /* R, G and B are not converted, and full range has nothing beyond black and white. */
    { "RGB", "sRGB", 16, { 0, 255, 128 }, 0 },
    { "RGB", NULL, 16, { 0, 255, 128 }, 0 },
    { "RGB", "0:1:0:0", 16, { 0, 255, 128 }, 0 },
    { "RGB", "2:1:0:0", 16, { 4, 200, 128 }, 1 },
    { "RGB", "2:1:0:0", 16, { 5, 246, 128 }, 0 },
    { "RGB", "2:1:0:0", 16, { 5, 247, 128 }, 1 },
    { "RGB", "2:1:0:0", 16, { 5, 100, 255 }, 1 },
    { "GBR_10LE", "2:1:0:0", 16, { 5, 246, 128 }, 0 },
    { "GBR_10LE", "2:1:0:0", 16, { 5, 128, 247 }, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=4,height=%u,framerate=25/1%s%s", cases[i].format,
                                              cases[i].height, cases[i].colorimetry != NULL ? ",colorimetry=" : "",
                                              cases[i].colorimetry != NULL ? cases[i].colorimetry : "");
    g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
    guint colour[3];
    GstVideoInfo info;

    ck_assert (gst_video_info_from_caps (&info, parsed));
    for (guint c = 0; c < 3; c++)
      colour[c] = (guint)cases[i].colour[c] << (GST_VIDEO_INFO_COMP_DEPTH (&info, c) - 8);
    g_auto (Rig) rig = open_video ("statistics=gamut", caps);
    ck_assert_int_eq (gst_harness_push (rig.harness, make_flat (&info, colour)), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_msg (get_field_double (result, "out-of-gamut") == cases[i].outside, "case %u, %s: %g", i, caps,
                   get_field_double (result, "out-of-gamut"));
    check_bus_empty (rig.bus);
  }
}

/* The signal of SMPTE ST 2084, 0 to 1. */
static gdouble
find_signal (gdouble nits)
{
  const gdouble root = pow (nits / 10000, 2610 / 16384.0);

  return pow ((3424 / 4096.0 + 2413 / 128.0 * root) / (1 + 2392 / 128.0 * root), 2523 / 32.0);
}

/* Flats of known luminance, by the range and matrix of the caps: grey, and one primary brighter than the others. */
TEST (test_light)
{
  static const struct {
    const gchar *format, *colorimetry;
  } films[] = { { "P010_10LE", "bt2100-pq" }, { "P010_10LE", "1:6:14:7" },  { "I420_10LE", "bt2100-pq" },
                { "I422_10LE", "1:3:14:7" },  { "Y444_12LE", "bt2100-pq" }, { "Y444_16LE", "bt2100-pq" },
                { "GBR_10LE", "1:1:14:7" },   { "GBR_12LE", "2:1:14:7" } };
  static const gdouble flats[] = { 0, 0.005, 0.1, 1, 58, 100, 203, 600, 1000, 4000, 10000 };
  static const guint codes[] = { 0, 62, 255, 614, 1861, 2081, 2378, 2851, 3079, 3696, 4095 };

  for (guint f = 0; f < G_N_ELEMENTS (films); f++) {
    g_autofree gchar *text = g_strdup_printf ("video/x-raw,format=%s,width=16,height=8,framerate=25/1,colorimetry=%s",
                                              films[f].format, films[f].colorimetry);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    g_auto (Rig) rig = open_video ("statistics=light", text);
    GstVideoInfo info;

    ck_assert (gst_video_info_from_caps (&info, caps));
    for (guint i = 0; i < G_N_ELEMENTS (flats); i++) {
      const guint depth = GST_VIDEO_INFO_COMP_DEPTH (&info, 0), unit = 1u << (depth - 8);
      const gboolean is_full = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255, is_rgb = GST_VIDEO_INFO_IS_RGB (&info);
      const gdouble steps = is_full ? (1u << depth) - 1 : 219 * unit, black = is_full ? 0 : 16 * unit;
      const guint value = (guint)lrint (find_signal (flats[i]) * steps + black), other = is_rgb ? value / 2 : 1u << (depth - 1);
      const gdouble code = fmax ((value - black) / steps * 4095, 0);
      const guint colour[3] = { i % 3 == 1 && is_rgb ? other : value,
                                i % 3 == 0 && is_rgb ? other
                                : is_rgb             ? value
                                                     : other,
                                other };
      guint found;

      ck_assert_int_eq (gst_harness_push (rig.harness, make_flat (&info, colour)), GST_FLOW_OK);
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      ck_assert (gst_structure_get_uint (result, "light-max-pq", &found));
      ck_assert_msg (fabs (found - code) < 1, "%s, %g nits: code %u is not %f", text, flats[i], found, code);
      ck_assert_msg (depth < 16 || ABS ((gint)found - (gint)codes[i]) <= 1, "%s, %g nits: code %u", text, flats[i], found);
      check_number (result, NULL, "light-max-nits", find_nits (found));
      check_number (result, NULL, "light-average-nits", find_nits (found));
      check_number (result, NULL, "light-percentile-50", find_nits (found));
      check_number (result, NULL, "light-max-fall-99-99", find_nits (found));
      check_number (result, NULL, "light-average-pq", found);
    }
    check_bus_empty (rig.bus);
  }
}

/* Makes R large, G medium and B small, with noise, so that matrices differ. */
static void
paint_colours (const GstVideoInfo *info, guint8 *data)
{
  for (guint c = 0; c < 3; c++) {
    const guint depth = GST_VIDEO_INFO_COMP_DEPTH (info, c), step = (guint)GST_VIDEO_INFO_COMP_PSTRIDE (info, c);

    for (guint i = 0; i < 16 * 16; i++) {
      guint8 *at = data + GST_VIDEO_INFO_COMP_OFFSET (info, c) + i * step;
      const guint noise = depth == 8 ? *at : GST_READ_UINT16_LE (at) >> (16 - depth);
      const guint value = ((2 - c) << depth) / 3 + noise / 3;

      if (depth == 8)
        *at = (guint8)value;
      else
        GST_WRITE_UINT16_LE (at, value);
    }
  }
}

/* Luma of R, G and B by the matrix of the caps, compared with doubles. Without a matrix it is that of BT.709. */
TEST (test_luma)
{
  static const struct {
    const gchar *format, *colorimetry;
    gdouble kr, kb;
  } cases[] = {
    { "RGB", NULL, 0.2126, 0.0722 },           { "BGRx", "sRGB", 0.2126, 0.0722 },        { "xRGB", "1:2:0:0", 0.30, 0.11 },
    { "RGBA", "1:3:5:1", 0.2126, 0.0722 },     { "BGR", "1:4:16:4", 0.299, 0.114 },       { "RGBx", "2:5:6:5", 0.212, 0.087 },
    { "GBR_10LE", "1:6:0:7", 0.2627, 0.0593 }, { "GBR_12LE", "1:1:0:7", 0.2627, 0.0593 }, { "ARGB64_LE", NULL, 0.2126, 0.0722 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=16,height=16,framerate=25/1%s%s", cases[i].format,
                                              cases[i].colorimetry != NULL ? ",colorimetry=" : "",
                                              cases[i].colorimetry != NULL ? cases[i].colorimetry : "");
    const gdouble kg = 1 - cases[i].kr - cases[i].kb;
    guint8 data[16 * 16 * 8];
    GstVideoInfo info;
    gdouble exact;

    gst_video_info_set_format (&info, gst_video_format_from_string (cases[i].format), 16, 16);
    reset_random ();
    fill_random (data, sizeof data);
    paint_colours (&info, data);
    g_auto (Rig) rig = open_video ("statistics=histogram+luma+saturation+comparison+row-sums message-arrays=all", caps);
    push_timed (&rig, data, info.size, 0, GST_SECOND / 25);
    push_timed (&rig, data, info.size, GST_SECOND / 25, GST_SECOND / 25);
    push_eos (&rig);
    gst_structure_free (pop_result (rig.bus));
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    exact = cases[i].kr * get_field_double (result, "R-mean") + kg * get_field_double (result, "G-mean")
            + cases[i].kb * get_field_double (result, "B-mean");
    ck_assert_msg (fabs (get_field_double (result, "luma-mean") - exact) < 0.54, "%s: %g instead of %g", caps,
                   get_field_double (result, "luma-mean"), exact);
    ck_assert_uint_eq (get_field_u64 (result, "luma-count"), 256);
    ck_assert_uint_eq (get_field_u64 (result, "luma-sad"), 0);
    ck_assert (gst_structure_has_field (result, "luma-row-sums") && gst_structure_has_field (result, "luma-histogram"));
    ck_assert (!gst_structure_has_field (result, "Y-count"));
    check_bus_empty (rig.bus);
  }
}

/* HLG on a display of 1000 nits, and luminance: within half a percent, since codes have steps and tables are rounded. */
TEST (test_light_by_hand)
{
  static const struct {
    const gchar *format, *colorimetry, *source, *transfer;
    guint colour[3];
    gdouble nits;
  } cases[] = {
    { "GBR_12LE", "1:1:15:7", "max-rgb", "hlg-1000", { 3071, 3071, 3071 }, 203.1 }, /* reference white: 75 % */
    { "GBR_12LE", "1:1:15:7", "luminance", "hlg-1000", { 3071, 3071, 3071 }, 203.1 },
    { "GBR_12LE", "1:1:15:7", "max-rgb", "hlg-1000", { 4095, 4095, 4095 }, 1000 },
    { "GBR_12LE", "1:1:15:7", "max-rgb", "hlg-1000", { 2048, 2048, 2048 }, 50.72 }, /* 1000 (1/12)^1.2 */
    { "GBR_12LE", "1:1:15:7", "max-rgb", "hlg-1000", { 0, 0, 0 }, 0 },
    /* Red alone, of which BT.2020 has the luminance 0.2627. */
    { "GBR_12LE", "1:1:15:7", "max-rgb", "hlg-1000", { 4095, 0, 0 }, 765.4 },
    { "GBR_12LE", "1:1:14:7", "max-rgb", "pq", { 4095, 0, 0 }, 10000 },
    { "Y444_12LE", "2:6:14:7", "luminance", "pq", { 2291, 2048, 2048 }, 203 },
    { "Y444_12LE", "2:6:15:7", "max-rgb", "hlg-1000", { 2884, 2048, 2048 }, 203.1 },
    /* 706.7 by BT.709. */
    { "Y444_12LE", "2:6:14:7", "max-rgb", "pq", { 1600, 1800, 2800 }, 582.2 },
    { "Y444_12LE", "2:0:14:7", "max-rgb", "pq", { 1600, 1800, 2800 }, 582.2 },
    { "Y444_12LE", "2:0:14:0", "max-rgb", "pq", { 1600, 1800, 2800 }, 582.2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = g_strdup_printf ("video/x-raw,format=%s,width=16,height=16,framerate=25/1,colorimetry=%s",
                                              cases[i].format, cases[i].colorimetry);
    g_autofree gchar *properties = g_strdup_printf ("statistics=light light-source=%s", cases[i].source);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    g_auto (Rig) rig = open_video (properties, text);
    GstVideoInfo info;
    gdouble nits;

    ck_assert (gst_video_info_from_caps (&info, caps));
    ck_assert_int_eq (gst_harness_push (rig.harness, make_flat (&info, cases[i].colour)), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_str_eq (gst_structure_get_string (result, "light-transfer"), cases[i].transfer);
    ck_assert_str_eq (gst_structure_get_string (result, "light-source"), cases[i].source);
    nits = get_field_double (result, "light-max-nits");
    ck_assert_msg (fabs (nits - cases[i].nits) <= cases[i].nits / 200, "case %u: %g nits", i, nits);
    check_bus_empty (rig.bus);
  }
}

/* MaxCLL and MaxFALL of a window are those of its frames: one has a bright spot, another is brighter in all. */
TEST (test_light_peaks)
{
  static const gchar caps[] = "video/x-raw,format=GBR_12LE,width=100,height=100,framerate=25/1,colorimetry=1:1:14:7";
  enum { PIXELS = 100 * 100 };
  g_auto (Rig) rig = open_rig ("statistics=light window=stream");
  guint16 samples[3 * PIXELS];

  start_video (&rig, caps);
  for (guint f = 0; f < 3; f++) {
    for (guint i = 0; i < 3 * PIXELS; i++)
      samples[i] = GUINT16_TO_LE (f == 1 ? 2081 : 614);
    for (guint i = 0; i < 2 && f == 0; i++)
      samples[i] = GUINT16_TO_LE (4095);
    push_timed (&rig, (const guint8 *)samples, sizeof samples, f * GST_SECOND / 25, GST_SECOND / 25);
  }
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_number (result, NULL, "light-max-nits", 10000);
  check_number (result, NULL, "light-max-cll", 10000);
  check_number (result, NULL, "light-max-fall", 100.102);
  check_number (result, NULL, "light-max-fall-99-99", 100.102);
  check_number (result, NULL, "light-max-cll-99-99", 10000); /* two pixels of 10000 are more than 0.01 % */
  check_number (result, NULL, "light-average-nits",
                (1001020.0 * PIXELS + 9999.0 * (2 * PIXELS - 2) + 2e8) / (3 * PIXELS) / 1e4);
  check_bus_empty (rig.bus);
}

/* The warning for each missing statistic comes once, whatever the caps are. */
TEST (test_warns_once)
{
  guint8 data[3 * 64] = { 1 };
  g_auto (Rig) rig = open_rig ("statistics=basic+hue");

  for (guint i = 0; i < 3; i++) {
    start_video (&rig, i % 2 == 0 ? "video/x-raw,format=GRAY16_LE,width=4,height=4,framerate=25/1"
                                  : "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
    push_timed (&rig, data, i % 2 == 0 ? 32 : 16, i * GST_SECOND, GST_SECOND);
  }
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "hue");
  ck_assert_uint_eq (drop_results (rig.bus), 3);
}

/* A side of more than 65536 has a histogram, and no statistics of the picture. */
TEST (test_large_sides)
{
  static const struct {
    guint width, height;
    gboolean has;
  } sizes[] = { { 65536, 2, TRUE }, { 65537, 2, FALSE }, { 1, 65536, TRUE }, { 1, 65537, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree gchar *caps
        = g_strdup_printf ("video/x-raw,format=Y444,width=%u,height=%u,framerate=25/1", sizes[i].width, sizes[i].height);
    GstVideoInfo info;
    GstBuffer *buffer;

    gst_video_info_set_format (&info, GST_VIDEO_FORMAT_Y444, sizes[i].width, sizes[i].height);
    buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    gst_buffer_memset (buffer, 0, 128, info.size);
    g_auto (Rig) rig = open_video ("statistics=signalstats message-arrays=none", caps);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_uint_eq (get_field_u64 (result, "Y-count"), (guint64)sizes[i].width * sizes[i].height);
    ck_assert_int_eq (gst_structure_has_field (result, "hue-mean"), sizes[i].has);
    ck_assert_int_eq (gst_structure_has_field (result, "outliers"), sizes[i].has);
    check_bus_empty (rig.bus);
  }
}

/* A crop may leave more than the caps' size, and more than statistics of a picture allow, and then less again. */
TEST (test_large_crop)
{
  static const guint widths[] = { 65537, 20, 65536 };
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_Y444, 65540, 2);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, 128, info.size);
  add_video_meta (buffer, &info, 0);
  g_auto (Rig) rig
      = open_video ("statistics=signalstats message-arrays=none", "video/x-raw,format=Y444,width=20,height=2,framerate=25/1");
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    GstBuffer *cropped = gst_buffer_copy (buffer);

    crop_buffer (cropped, 0, 0, widths[i], 2);
    ck_assert_int_eq (gst_harness_push (rig.harness, cropped), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_uint_eq (get_field_u64 (result, "Y-count"), 2 * widths[i]);
    ck_assert_int_eq (gst_structure_has_field (result, "hue-mean"), widths[i] <= 65536);
  }
}

/* ---- the previous frame ---------------------------------------------------------------------------------------------- */

/* After any interruption the first frame has no previous one. */
TEST (test_previous_begins_again)
{
  enum { PLAIN, DISCONT, FLUSH, CAPS, SHORT };
  static const guint breaks[] = { PLAIN, PLAIN, DISCONT, PLAIN, FLUSH, PLAIN, CAPS, PLAIN, SHORT, PLAIN };
  guint8 data[16] = { 0 }, previous[16];

  g_auto (Rig) rig
      = open_video ("statistics=difference dot=previous", "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
  for (guint i = 0; i < G_N_ELEMENTS (breaks); i++) {
    const gboolean has_previous = i > 0 && breaks[i] == PLAIN;
    GstBuffer *buffer;
    guint64 sum = 0, dot = 0;

    memcpy (previous, data, sizeof data);
    fill_random (data, sizeof data);
    for (guint k = 0; k < sizeof data; k++) {
      sum += (guint64)abs ((gint)data[k] - (gint)previous[k]);
      dot += (guint64)data[k] * previous[k];
    }
    buffer = make_buffer (data, sizeof data, i * GST_SECOND, GST_SECOND);
    if (breaks[i] == DISCONT) {
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    } else if (breaks[i] == FLUSH) {
      push_flush (&rig, GST_FORMAT_TIME);
    } else if (breaks[i] == CAPS) {
      start_video (&rig, "video/x-raw,format=GRAY8,width=8,height=2,framerate=25/1");
    } else if (breaks[i] == SHORT) {
      push_timed (&rig, data, 3, i * GST_SECOND, GST_SECOND);
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, NULL);
    }
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_msg (gst_structure_has_field (result, "GRAY-difference") == has_previous, "frame %u", i);
    ck_assert_msg (gst_structure_has_field (result, "GRAY-dot") == has_previous, "frame %u", i);
    if (has_previous) {
      check_number (result, "GRAY", "difference", (gdouble)sum / sizeof data);
      ck_assert_uint_eq (get_field_u64 (result, "GRAY-dot"), dot);
    }
  }
}

/* Buffers of equal size have a difference. Others have none, with one warning, if it was requested by name. */
TEST (test_difference_of_byte_buffers)
{
  static const gchar *const lines[] = { "statistics=difference window=buffer", "statistics=signalstats window=buffer" };
  static const gsize sizes[] = { 100, 100, 99, 98, 98 };

  for (guint l = 0; l < G_N_ELEMENTS (lines); l++) {
    guint8 data[100] = { 0 };
    g_auto (Rig) rig = open_bytes (lines[l], NULL);

    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      data[0] = (guint8)i; /* a difference of 1 */
      push_bytes (&rig, data, sizes[i]);
      if (i == 2 && l == 0)
        check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                     "statistics=difference needs buffers of equal size");
      g_autoptr (GstMessage) message = pop_message (rig.bus);
      ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
      ck_assert_int_eq (gst_structure_has_field (gst_message_get_structure (message), "byte-difference"), i == 1 || i == 4);
      if (i == 1 || i == 4)
        check_number (gst_message_get_structure (message), "byte", "difference", 1.0 / (gdouble)sizes[i]);
    }
    check_bus_empty (rig.bus);
  }
}

RIG_MAIN (NULL)
