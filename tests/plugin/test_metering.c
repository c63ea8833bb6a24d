/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The weighted mean of luma, compared with plain loops, for each kind of weights and each layout of samples. */

#include "pictures.h"
#include "rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WIDTH = 37, HEIGHT = 22, MAP_WIDTH = 5, MAP_HEIGHT = 7 };

static const guint16 *map; /* MAP_WIDTH x MAP_HEIGHT */

/* To the last bit. */
static void
check_luma (const GstStructure *result, gdouble expected)
{
  gdouble luma = -1;

  ck_assert (gst_structure_get_double (result, "metered-luma", &luma));
  ck_assert_msg (luma == expected, "%.17g is not %.17g", luma, expected);
}

/* As docs/statistics.md defines it. */
static guint64
get_weight (const gchar *metering, guint x, guint y, guint width, guint height)
{
  const gint64 u = ABS (2 * (gint64)x + 1 - width), v = ABS (2 * (gint64)y + 1 - height);

  if (g_str_equal (metering, "center")) {
    const gint64 a = 4096 * u / width, b = 4096 * v / height, most = 2 * 4096 * 4096;

    return (guint64)(1 + 254 * (most - a * a - b * b) / most);
  }
  if (g_str_equal (metering, "spot"))
    return 8 * u <= MAX (width, 8) && 8 * v <= MAX (height, 8);
  if (g_str_equal (metering, "weights"))
    return map[(2 * y + 1) * MAP_HEIGHT / (2 * height) * MAP_WIDTH + (2 * x + 1) * MAP_WIDTH / (2 * width)];
  return 1;
}

typedef struct {
  guint64 product, weights;
} Metered;

static void
add_picture (Metered *metered, GstBuffer *buffer, const GstVideoInfo *info, const Area *area, const gchar *metering)
{
  GstVideoFrame frame;

  ck_assert (gst_video_frame_map (&frame, (GstVideoInfo *)info, buffer, GST_MAP_READ));
  for (guint y = 0; y < area->height; y++)
    for (guint x = 0; x < area->width; x++) {
      const guint64 weight = get_weight (metering, x, y, area->width, area->height);

      metered->product += weight * read_sample (&frame, 0, area->x + x, area->y + y);
      metered->weights += weight;
    }
  gst_video_frame_unmap (&frame);
}

static GstBuffer *
draw_buffer (const GstVideoInfo *info, gboolean is_turned)
{
  g_autofree guint8 *data = g_malloc (info->size);
  GstBuffer *buffer;

  fill_random (data, info->size);
  buffer = make_buffer (data, info->size, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  if (is_turned)
    add_video_meta (buffer, info, 7);
  return buffer;
}

/* Random weights up to `most` in a new PGM file. Free *weights with g_free(). */
static const gchar *
make_map (gboolean is_plain, guint most, guint16 **weights)
{
  g_autoptr (GString) text = g_string_new (NULL);

  *weights = g_new (guint16, MAP_WIDTH * MAP_HEIGHT);
  g_string_append_printf (text, "P%d # weights\n%d\t%d\n# of pixels\n%u\n", is_plain ? 2 : 5, MAP_WIDTH, MAP_HEIGHT, most);
  for (guint i = 0; i < MAP_WIDTH * MAP_HEIGHT; i++) {
    const guint weight = draw_random (most + 1);

    (*weights)[i] = (guint16)weight;
    if (is_plain) {
      g_string_append_printf (text, "%u%c", weight, i % 4 == 3 ? '\n' : ' ');
    } else {
      if (most > 255)
        g_string_append_c (text, (gchar)(weight >> 8));
      g_string_append_c (text, (gchar)weight);
    }
  }
  return make_file (is_plain ? "plain.pgm" : "raw.pgm", text->str, text->len);
}

static const struct {
  const gchar *format;
  guint most; /* weights */
} formats[] = {
  { "GRAY8", 255 }, { "I420", 255 },       { "NV12", 200 },       { "YUY2", 255 },
  { "VUYA", 255 },  { "P010_10LE", 1023 }, { "I420_12LE", 4095 },
};

/* Two windows of two frames, and one of them cropped and upside down. */
static void
check_metering (const gchar *metering, const gchar *more, const GstVideoInfo *info, const Area *area, gboolean is_turned)
{
  g_autofree gchar *caps
      = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", info->finfo->name, WIDTH, HEIGHT);
  g_autofree gchar *properties = g_strdup_printf ("window=stream statistics=basic metering=%s %s", metering, more);
  g_auto (Rig) rig = open_video (properties, caps);

  for (guint window = 0; window < 2; window++) {
    Metered metered = { 0 };

    for (guint i = 0; i < 2; i++) {
      GstBuffer *buffer = draw_buffer (info, is_turned);

      if (area->width < WIDTH)
        crop_buffer (buffer, area->x, area->y, area->width, area->height);
      add_picture (&metered, buffer, info, area, metering);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    }
    gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another"));
    start_video (&rig, caps);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_luma (result, (gdouble)metered.product / (gdouble)metered.weights);
  }
}

TEST_LOOP (test_metering, 0, G_N_ELEMENTS (formats))
{
  GstVideoInfo info;

  gst_video_info_set_format (&info, gst_video_format_from_string (formats[__i__].format), WIDTH, HEIGHT);
  for (guint i = 0; i < 4; i++) {
    const Area *area = (i & 1) != 0 ? &(const Area){ 3, 5, 24, 13 } : &(const Area){ 0, 0, WIDTH, HEIGHT };
    g_autofree guint16 *weights = NULL;
    const gchar *path = make_map ((i & 1) != 0, formats[__i__].most, &weights);
    g_autofree gchar *location = g_strdup_printf ("weights-location=%s", path);

    map = weights;
    check_metering ("average", "", &info, area, (i & 2) != 0);
    check_metering ("center", "", &info, area, (i & 2) != 0);
    check_metering ("spot", "", &info, area, (i & 2) != 0);
    check_metering ("weights", location, &info, area, (i & 2) != 0);
    check_metering ("center", "dot=previous regions=1,1,3,3", &info, area, (i & 2) != 0);
  }
}

/* Of R, G and B, luma is derived. The error of each sample is at most half a step and the rounding of the matrix. */
TEST (test_metering_of_rgb)
{
  static const gchar *const names[] = { "RGB", "BGRx", "GBR", "GBRA", "RGBA64_LE" };
  static const gchar *const meterings[] = { "average", "center", "spot", "weights" };

  for (guint i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (meterings); i++) {
    const gchar *format = names[i / G_N_ELEMENTS (meterings)], *metering = meterings[i % G_N_ELEMENTS (meterings)];
    g_autofree guint16 *weights = NULL;
    const gchar *path = make_map (FALSE, 255, &weights);
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", format, WIDTH, HEIGHT);
    g_autofree gchar *location
        = g_str_equal (metering, "weights") ? g_strdup_printf ("weights-location=%s", path) : g_strdup ("");
    g_autofree gchar *properties = g_strdup_printf ("statistics=0 metering=%s %s", metering, location);
    static const gdouble matrix[] = { 0.2126, 0.7152, 0.0722 };
    gdouble product = 0, sum = 0, luma = -1;
    GstVideoFrame frame;
    GstVideoInfo info;
    GstBuffer *buffer;

    map = weights;
    gst_video_info_set_format (&info, gst_video_format_from_string (format), WIDTH, HEIGHT);
    buffer = draw_buffer (&info, FALSE);
    ck_assert (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
    for (guint y = 0; y < HEIGHT; y++)
      for (guint x = 0; x < WIDTH; x++) {
        const gdouble weight = (gdouble)get_weight (metering, x, y, WIDTH, HEIGHT);

        sum += weight;
        for (guint c = 0; c < 3; c++)
          product += weight * matrix[c] * read_sample (&frame, c, x, y);
      }
    gst_video_frame_unmap (&frame);
    g_auto (Rig) rig = open_video (properties, caps);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert (gst_structure_get_double (result, "metered-luma", &luma));
    ck_assert_msg (ABS (luma - product / sum) < 0.54, "%s, %s: %g instead of %g", format, metering, luma, product / sum);
    check_bus_empty (rig.bus);
  }
}

/* A picture of one pixel, and of other small sizes: there is always a middle. */
TEST (test_small_pictures)
{
  guint8 data[32 * 17];

  memset (data, 100, sizeof data);
  for (guint width = 1; width <= 17; width++) {
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=GRAY8,width=%u,height=%u", width, 18 - width);
    GstVideoInfo info;

    gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, width, 18 - width);
    g_auto (Rig) rig = open_video ("metering=spot", caps);
    push_bytes (&rig, data, MIN (info.size, sizeof data));
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_luma (result, 100);
  }
}

TEST (test_missing)
{
  g_auto (Rig) rig = open_rig ("metering=average");

  start_bytes (&rig, NULL);
  push_bytes (&rig, "abcdefghijkl", 12);
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "Cannot meter ");
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert (!gst_structure_has_field (result, "metered-luma"));
}

static void
check_refused (const gchar *path, GQuark domain, const gchar *words)
{
  g_autoptr (GstElement) element = make_element ("metering=weights");
  g_autoptr (GstBus) bus = attach_bus (element);

  g_object_set (element, "weights-location", path, NULL);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  check_error (bus, GST_MESSAGE_ERROR, domain, -1, words);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
}

TEST (test_bad_maps)
{
  static const struct {
    const gchar *text, *words;
  } maps[] = {
    { "", "it is not a PGM picture" },
    { "P", "it is not a PGM picture" },
    { "\x89PNG\r\n", "it is not a PGM picture" },
    { "P3 1 1 255 1 2 3", "a PNM picture other than PGM" },
    { "P6 1 1 255\nabc", "a PNM picture other than PGM" },
    { "P5 x", "no width and height" },
    { "P5 0 1 255\n", "no width and height" },
    { "P5 1 0 255\n", "no width and height" },
    { "P2 99999 1 9 1", "no width and height" },
    { "P5 1 1", "no largest value from 1 to 65535" },
    { "P5 1 1 0\n", "no largest value from 1 to 65535" },
    { "P2 1 1 65536 1", "no largest value from 1 to 65535" },
    { "P5 1 1 9", "it ends before its last sample" },
    { "P5 2 2 255\nabc", "it ends before its last sample" },
    { "P2 2 1 9 1", "it ends before its last sample" },
    { "P2 2 1 99 10 ", "it ends before its last sample" },
    { "P2 2 1 9 1 -1", "a sample is not a whole number" },
    { "P2 2 1 9 1 10", "exceeds the largest value" },
    { "P5 1 1 200\n\xff", "exceeds the largest value" },
    { "P2 2 1 255 0 0", "all its weights are 0" },
  };
  const gchar *path;
  g_autofree gchar *properties = NULL;

  check_refused (NULL, GST_LIBRARY_ERROR, "weights-location is not set");
  check_refused ("/nowhere/to/be/found", GST_RESOURCE_ERROR, "Cannot read the weights in");
  check_refused ("/dev/zero", GST_RESOURCE_ERROR, ": it is not a regular file.");
  path = make_file ("large", "P5", 2);
  ck_assert_int_eq (truncate (path, ((off_t)256 << 20) + 1), 0);
  check_refused (path, GST_RESOURCE_ERROR, "it has more than 256 MiB");
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++) {
    path = make_file ("map", maps[i].text, strlen (maps[i].text));
    check_refused (path, GST_LIBRARY_ERROR, maps[i].words);
  }

  /* Luma cannot be that large. */
  path = make_file ("map", "P2 2 1 300 4 256", 16);
  properties = g_strdup_printf ("metering=weights weights-location=%s", path);
  g_auto (Rig) rig = open_video (properties, "video/x-raw,format=GRAY8,width=4,height=1");
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer ("abcd", 4, 0, 1)), GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "weights up to 256");
}

/* Too little memory for a map is an error. */
TEST_LOOP (test_map_without_memory, 0, !TEST_IS_SANITIZED) /* a sanitizer's allocator aborts if memory is short */
{
  const gchar *path = make_file ("map", "P5", 2);
  FILE *statm = fopen ("/proc/self/statm", "r");
  struct rlimit before, limit;
  unsigned long pages;

  ck_assert (statm != NULL && fscanf (statm, "%lu", &pages) == 1);
  fclose (statm);
  ck_assert_int_eq (truncate (path, (off_t)256 << 20), 0);
  ck_assert_int_eq (getrlimit (RLIMIT_AS, &before), 0);
  limit = before;
  limit.rlim_cur = pages * (rlim_t)sysconf (_SC_PAGESIZE) + ((rlim_t)128 << 20);
  ck_assert_int_eq (setrlimit (RLIMIT_AS, &limit), 0);
  check_refused (path, GST_RESOURCE_ERROR, "Cannot allocate memory");
  setrlimit (RLIMIT_AS, &before);
}

/* The one sample of the picture is nearest to a weight of 0. */
TEST (test_no_weight_is_left)
{
  const gchar *path = make_file ("map", "P2 3 1 255 9 0 9", 16);
  g_autofree gchar *properties = g_strdup_printf ("metering=weights weights-location=%s", path);
  g_auto (Rig) rig = open_video (properties, "video/x-raw,format=GRAY8,width=1,height=1");

  for (guint i = 0; i < 2; i++)
    ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer ("abcd", 4, i, 1)), GST_FLOW_OK);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "all weights of the visible picture are 0");
  for (guint i = 0; i < 2; i++) { /* warned once */
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    ck_assert (!gst_structure_has_field (result, "metered-luma"));
  }
}

RIG_MAIN (NULL)
