/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Row and column sums, with and without weights, and the active picture, compared with plain loops. test_cropdetect.py compares
 * the active picture with FFmpeg's cropdetect. */

#include "pictures.h"
#include "rig.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 37, HEIGHT = 22, MAX_SIDE = 64 };

typedef struct {
  gint64 rows[3][MAX_SIDE], columns[3][MAX_SIDE];
  guint n_rows[3], n_columns[3];
} Sums;

static GstBuffer *
draw_buffer (const GstVideoInfo *info)
{
  g_autofree guint8 *data = g_malloc (info->size);

  fill_random (data, info->size);
  return make_buffer (data, info->size, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
}

/* The weight of a sample's first visible pixel. */
static gint
get_weight (const gint16 *weights, guint sample, guint shift, guint start)
{
  const guint pixel = sample << shift;

  return weights[pixel > start ? pixel - start : 0];
}

static void
add_sums (Sums *sums, GstBuffer *buffer, const GstVideoInfo *info, const Area *area, const gint16 *row, const gint16 *column)
{
  GstVideoFrame frame;

  ck_assert (gst_video_frame_map (&frame, (GstVideoInfo *)info, buffer, GST_MAP_READ));
  for (guint c = 0; c < MIN (3, GST_VIDEO_INFO_N_COMPONENTS (info)); c++) {
    const guint shift_x = (guint)GST_VIDEO_FORMAT_INFO_W_SUB (info->finfo, c);
    const guint shift_y = (guint)GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, c);
    const guint first_x = area->x >> shift_x, end_x = ((area->x + area->width - 1) >> shift_x) + 1;
    const guint first_y = area->y >> shift_y, end_y = ((area->y + area->height - 1) >> shift_y) + 1;

    sums->n_rows[c] = end_y - first_y;
    sums->n_columns[c] = end_x - first_x;
    for (guint y = first_y; y < end_y; y++)
      for (guint x = first_x; x < end_x; x++) {
        const gint64 value = read_sample (&frame, c, x, y);

        sums->rows[c][y - first_y] += value * (row != NULL ? get_weight (row, x, shift_x, area->x) : 1);
        sums->columns[c][x - first_x] += value * (column != NULL ? get_weight (column, y, shift_y, area->y) : 1);
      }
  }
  gst_video_frame_unmap (&frame);
}

static void
check_array (const GstStructure *result, const gchar *component, const gchar *name, const gint64 *expected, guint count)
{
  g_autofree gchar *field = g_strdup_printf ("%s-%s", component, name);
  const GValue *array = gst_structure_get_value (result, field);

  ck_assert_msg (array != NULL, "no %s", field);
  ck_assert_uint_eq (gst_value_array_get_size (array), count);
  for (guint i = 0; i < count; i++)
    ck_assert_int_eq (g_value_get_int64 (gst_value_array_get_value (array, i)), expected[i]);
}

static void
check_sums (const GstStructure *result, const Sums *sums, const gchar *const *components)
{
  for (guint c = 0; c < 3 && components[c] != NULL; c++) {
    check_array (result, components[c], "row-sums", sums->rows[c], sums->n_rows[c]);
    check_array (result, components[c], "column-sums", sums->columns[c], sums->n_columns[c]);
  }
}

/* `count` random weights in a new file, and *weights. */
static const gchar *
make_weights (const gchar *name, gint16 *weights, guint count)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < count; i++) {
    weights[i] = (gint16)draw_random (65536);
    g_string_append_printf (text, i % 3 == 1 ? "%d \r\n" : "%d\n", weights[i]);
  }
  g_string_truncate (text, text->len - 1); /* the last line need not end */
  return make_file (name, text->str, text->len);
}

static const struct {
  const gchar *format;
  const gchar *components[4];
} formats[] = {
  { "GRAY8", { "GRAY" } },
  { "I420", { "Y", "U", "V" } },
  { "NV12", { "Y", "U", "V" } },
  { "Y42B", { "Y", "U", "V" } },
  { "YUY2", { "Y", "U", "V" } },
  { "BGRx", { "R", "G", "B" } },
  { "P010_10LE", { "Y", "U", "V" } },
  { "I420_10LE", { "Y", "U", "V" } },
};

/* Two frames in a window. In the middle the engine is replaced by one with more slots. */
static void
check_format (guint index, const Area *area, gboolean is_turned, gboolean has_weights)
{
  const gchar *row_path, *column_path;
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d", formats[index].format, WIDTH, HEIGHT);
  g_autoptr (GString) properties = g_string_new ("window=stream statistics=row-sums+column-sums message-arrays=all "
                                                 "regions=2,3,4,5 ");
  Sums sums = { 0 }, inside = { 0 };
  gint16 row[WIDTH], column[HEIGHT];
  const GstStructure *region;
  GstVideoInfo info;

  row_path = make_weights ("row", row, area->width);
  column_path = make_weights ("column", column, area->height);
  if (has_weights)
    g_string_append_printf (properties, "row-weights-location=%s column-weights-location=%s", row_path, column_path);
  gst_video_info_set_format (&info, gst_video_format_from_string (formats[index].format), WIDTH, HEIGHT);
  g_auto (Rig) rig = open_video (properties->str, caps);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = draw_buffer (&info);

    if (is_turned)
      add_video_meta (buffer, &info, 7);
    if (area->width < WIDTH)
      crop_buffer (buffer, area->x, area->y, area->width, area->height);
    add_sums (&sums, buffer, &info, area, has_weights ? row : NULL, has_weights ? column : NULL);
    add_sums (&inside, buffer, &info, &(const Area){ area->x + 2, area->y + 3, 4, 5 }, NULL, NULL);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  }
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_sums (result, &sums, formats[index].components);
  region = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (result, "regions"), 0));
  if (has_weights)
    ck_assert (!gst_structure_has_field (region, formats[index].components[1] != NULL ? "Y-row-sums" : "GRAY-row-sums"));
  else
    check_sums (region, &inside, formats[index].components);
}

TEST_LOOP (test_sums, 0, G_N_ELEMENTS (formats))
{
  for (guint i = 0; i < 8; i++)
    check_format ((guint)__i__, (i & 1) != 0 ? &(const Area){ 3, 5, 24, 13 } : &(const Area){ 0, 0, WIDTH, HEIGHT },
                  (i & 2) != 0, (i & 4) != 0);
}

/* The crop rectangle moves by a pixel: if an array of chroma may become longer the window ends, but no event does. */
TEST (test_crop_that_moves)
{
  static const struct {
    const gchar *statistics;
    guint x, y, windows;
  } cases[] = {
    { "row-sums+column-sums", 1, 1, 2 },
    { "row-sums", 1, 0, 1 },
    { "row-sums", 0, 1, 2 },
    { "column-sums", 1, 0, 2 },
    { "column-sums", 0, 1, 1 },
    { "waveform waveform-columns=0", 1, 0, 2 },
    { "waveform waveform-columns=0", 0, 1, 1 },
    { "active-picture regions=1,1,2,2", 1, 1, 1 },
  };
  guint8 data[8 * 8 * 3 / 2] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *properties = g_strconcat (
        "window=stream message-arrays=all events=black black-min-duration=0 statistics=", cases[i].statistics, NULL);
    GstStructure *event;
    g_auto (Rig) rig = open_video (properties, "video/x-raw,format=I420,width=8,height=8");

    for (guint f = 0; f < 3; f++) {
      GstBuffer *buffer = make_buffer (data, sizeof data, f, 1);

      crop_buffer (buffer, f > 0 ? cases[i].x : 0, f > 0 ? cases[i].y : 0, 4, 4);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    }
    push_eos (&rig);
    event = pop_result (rig.bus);
    ck_assert_str_eq (gst_structure_get_name (event), "cudahisto-event");
    gst_structure_free (event);
    for (guint window = 0; window < cases[i].windows; window++) {
      const gboolean is_last = window + 1 == cases[i].windows;

      if (is_last) {
        event = pop_result (rig.bus);
        ck_assert_str_eq (gst_structure_get_name (event), "cudahisto-event");
        ck_assert_str_eq (gst_structure_get_string (event, "ended-by"), "eos");
        ck_assert_uint_eq (get_field_u64 (event, "frames"), 3);
        gst_structure_free (event);
      }
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      ck_assert_uint_eq (get_field_u64 (result, "frames"), cases[i].windows == 1 ? 3 : 1 + window);
      ck_assert_str_eq (gst_structure_get_string (result, "ended-by"), is_last ? "eos" : "crop");
    }
    check_bus_empty (rig.bus);
  }
}

/* The crop rectangle moves by a pixel, and no component changes its size: the weights of chroma move with it. */
TEST (test_weights_of_moving_crop)
{
  static const gchar *const components[] = { "Y", "U", "V" };
  static const Area areas[] = { { 1, 1, 3, 3 }, { 0, 1, 3, 3 }, { 0, 0, 3, 3 }, { 1, 0, 3, 3 } };
  gint16 row[3], column[3];
  const gchar *row_path = make_weights ("row", row, 3), *column_path = make_weights ("column", column, 3);
  g_autofree gchar *properties = g_strdup_printf (
      "statistics=row-sums+column-sums message-arrays=all row-weights-location=%s column-weights-location=%s", row_path,
      column_path);
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, 8, 8);
  g_auto (Rig) rig = open_video (properties, "video/x-raw,format=I420,width=8,height=8");
  for (guint i = 0; i < G_N_ELEMENTS (areas); i++) {
    GstBuffer *buffer = draw_buffer (&info);
    Sums sums = { 0 };

    crop_buffer (buffer, areas[i].x, areas[i].y, areas[i].width, areas[i].height);
    add_sums (&sums, buffer, &info, &areas[i], row, column);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_sums (result, &sums, components);
  }
}

/* Arrays come on request. */
TEST (test_carriers)
{
  static const struct {
    const gchar *properties, *type;
  } cases[] = { { "", NULL }, { "message-arrays=all", "GstValueArray" }, { "message-arrays=packed", "GBytes" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *properties = g_strdup_printf ("statistics=row-sums %s", cases[i].properties);
    g_autoptr (GstStructure) result = NULL;
    GType type;
    g_auto (Rig) rig = open_rig (properties);

    if (cases[i].type == NULL)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                   "No result has the requested arrays (row-sums). Set message-arrays=all, ");
    start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=4");
    push_bytes (&rig, "0123456789abcdef", 16);
    result = pop_result (rig.bus);
    type = gst_structure_get_field_type (result, "GRAY-row-sums");
    ck_assert (g_strcmp0 (type != G_TYPE_INVALID ? g_type_name (type) : NULL, cases[i].type) == 0);
    ck_assert (!gst_structure_has_field (result, "GRAY-column-sums"));
    ck_assert (!gst_structure_has_field (result, "GRAY-mean"));
  }
}

/* ---- active picture -------------------------------------------------------------------------------------------------- */

static void
check_active (const GstStructure *result, guint x, guint y, guint width, guint height)
{
  const GValue *array = gst_structure_get_value (result, "active-picture");
  const guint expected[] = { x, y, width, height };

  ck_assert (array != NULL && gst_value_array_get_size (array) == 4);
  for (guint i = 0; i < 4; i++)
    ck_assert_uint_eq (g_value_get_uint (gst_value_array_get_value (array, i)), expected[i]);
}

/* A picture of 8 rows of `columns` bytes, black except an area of `value`. */
static void
push_area (Rig *rig, guint columns, guint pixel_bytes, const Area *area, guint8 value)
{
  guint8 data[8 * 64];

  memset (data, 16, sizeof data);
  for (guint y = area->y; y < area->y + area->height; y++)
    memset (data + y * columns * pixel_bytes + area->x * pixel_bytes, value, area->width * pixel_bytes);
  push_bytes (rig, data, 8 * columns * pixel_bytes);
}

TEST (test_active_picture)
{
  GstStructure *result;
  g_auto (Rig) rig = open_video ("statistics=active-picture", "video/x-raw,format=GRAY8,width=16,height=8");

  push_area (&rig, 16, 1, &(const Area){ 0, 2, 16, 3 }, 200);
  push_area (&rig, 16, 1, &(const Area){ 5, 0, 4, 8 }, 200);
  push_area (&rig, 16, 1, &(const Area){ 3, 1, 12, 6 }, 235);
  push_area (&rig, 16, 1, &(const Area){ 0, 0, 16, 8 }, 17);
  push_area (&rig, 16, 1, &(const Area){ 0, 0, 16, 8 }, 24);
  push_area (&rig, 16, 1, &(const Area){ 0, 0, 16, 8 }, 25);
  check_active (result = pop_result (rig.bus), 0, 2, 16, 3);
  gst_structure_free (result);
  check_active (result = pop_result (rig.bus), 5, 0, 4, 8);
  gst_structure_free (result);
  check_active (result = pop_result (rig.bus), 3, 1, 12, 6);
  gst_structure_free (result);
  for (guint i = 0; i < 2; i++) {
    check_active (result = pop_result (rig.bus), 0, 0, 0, 0);
    gst_structure_free (result);
  }
  check_active (result = pop_result (rig.bus), 0, 0, 16, 8);
  ck_assert (!gst_structure_has_field (result, "GRAY-row-sums"));
  gst_structure_free (result);
}

/* A region's sums begin at its own corner. */
TEST (test_active_picture_of_regions)
{
  g_autoptr (GstStructure) result = NULL;
  const GValue *regions;
  g_auto (Rig) rig = open_video ("statistics=active-picture window=stream regions=\"2,1,12,6; 0,0,3,8; 0,0,16,8\"",
                                 "video/x-raw,format=GRAY8,width=16,height=8");

  push_area (&rig, 16, 1, &(const Area){ 5, 3, 4, 2 }, 235);
  push_area (&rig, 16, 1, &(const Area){ 6, 4, 8, 2 }, 235);
  push_eos (&rig);
  check_active (result = pop_result (rig.bus), 5, 3, 9, 3);
  regions = gst_structure_get_value (result, "regions");
  check_active (gst_value_get_structure (gst_value_array_get_value (regions, 0)), 3, 2, 9, 3);
  check_active (gst_value_get_structure (gst_value_array_get_value (regions, 1)), 0, 0, 0, 0);
  check_active (gst_value_get_structure (gst_value_array_get_value (regions, 2)), 5, 3, 9, 3);
}

/* The active picture of all frames of a window. A flush drops the earlier ones. */
TEST (test_active_picture_of_windows)
{
  g_autoptr (GstStructure) result = NULL;
  g_auto (Rig) rig = open_video ("statistics=active-picture window=stream", "video/x-raw,format=GRAY8,width=16,height=8");

  push_area (&rig, 16, 1, &(const Area){ 0, 0, 16, 8 }, 200);
  push_flush (&rig, GST_FORMAT_TIME);
  push_area (&rig, 16, 1, &(const Area){ 2, 3, 5, 3 }, 255);
  push_area (&rig, 16, 1, &(const Area){ 0, 0, 16, 8 }, 16);
  push_area (&rig, 16, 1, &(const Area){ 4, 2, 8, 2 }, 255);
  push_eos (&rig);
  check_active (result = pop_result (rig.bus), 2, 2, 10, 4);
}

/* For R, G and B their mean counts: none of them exceeds the limit alone. */
TEST (test_active_picture_of_rgb)
{
  guint8 data[8 * 8 * 4] = { 0 };
  g_autoptr (GstStructure) result = NULL;

  for (guint y = 2; y < 5; y++)
    for (guint x = 1; x < 8; x++)
      memcpy (data + (y * 8 + x) * 4, (const guint8[]){ 255, 60, 30, 255 }, 4);
  data[0] = 255; /* alpha and padding do not count */
  g_auto (Rig) rig = open_video ("statistics=active-picture", "video/x-raw,format=RGBA,width=8,height=8");
  push_bytes (&rig, data, sizeof data);
  check_active (result = pop_result (rig.bus), 1, 2, 7, 3);
}

/* A row of a field is two of the frame. */
TEST (test_active_picture_of_fields)
{
  const gint strides[GST_VIDEO_MAX_PLANES] = { 16 };
  guint8 data[16 * 8];
  const GValue *region;
  g_autoptr (GstStructure) result = NULL;
  GstBuffer *buffer;

  memset (data, 0, sizeof data);
  memset (data + 16, 200, 16);      /* of the first field row 1 */
  memset (data + 64 + 32, 200, 16); /* of the second row 2 */
  g_auto (Rig) rig = open_video ("statistics=active-picture regions=2,1,14,4",
                                 "video/x-raw,format=GRAY8,width=16,height=8,interlace-mode=fields");
  buffer = make_buffer (data, sizeof data, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  for (gint field = 0; field < 2; field++)
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 16, 4, 1,
                                    (gsize[GST_VIDEO_MAX_PLANES]){ (gsize)field * 64 }, (gint *)strides)
        ->id
        = field;
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  check_active (result = pop_result (rig.bus), 0, 2, 16, 4);
  region = gst_value_array_get_value (gst_structure_get_value (result, "regions"), 0);
  check_active (gst_value_get_structure (region), 0, 2, 14, 4);
}

/* ---- what cannot be had ---------------------------------------------------------------------------------------------- */

TEST (test_missing)
{
  const gchar *path = make_file ("weights", "1\n2\n3\n4\n", 8);
  g_autofree gchar *properties
      = g_strdup_printf ("statistics=row-sums+active-picture message-arrays=all row-weights-location=%s", path);
  GstBuffer *fields;
  Rig rig = open_video (properties, "video/x-raw,format=GRAY8,width=4,height=2");

  push_bytes (&rig, "abcdefgh", 8);
  push_bytes (&rig, "abcdefgh", 8);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "Cannot measure active-picture of GRAY8: active-picture needs unweighted row and column sums.");
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert (!gst_structure_has_field (result, "active-picture"));
  }
  close_rig (&rig);

  rig = open_bytes ("statistics=column-sums message-arrays=all", NULL);
  push_bytes (&rig, "abcdefgh", 8);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "Cannot measure column-sums of bytes: column-sums needs raw video.");
  close_rig (&rig);

  rig = open_bytes ("statistics=column-sums+active-picture message-arrays=all", NULL);
  push_bytes (&rig, "abcdefgh", 8);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "Cannot measure column-sums, active-picture of bytes: column-sums, active-picture need raw video.");
  close_rig (&rig);

  /* The first of two fields has a row more. */
  rig = open_video ("statistics=row-sums+active-picture message-arrays=all",
                    "video/x-raw,format=GRAY8,width=4,height=3,interlace-mode=fields");
  fields = make_buffer ("abcdefghijkl", 12, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  for (guint field = 0; field < 2; field++)
    gst_buffer_add_video_meta (fields, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 4, field == 0 ? 2 : 1)->id
        = (gint)field;
  gst_harness_push (rig.harness, fields);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "Cannot measure row-sums, active-picture of GRAY8: row-sums, active-picture need fields of equal size.");
  close_rig (&rig);
}

/* The number of weights equals that of columns, or of rows. */
TEST (test_number_of_weights)
{
  static const struct {
    guint width, height;
  } sizes[] = { { 8, 2 }, { 3, 5 }, { 2, 8 }, { 5, 3 } };
  const gchar *path = make_file ("weights", "1\n2\n3\n4\n", 8);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    const gboolean of_columns = i % 2 == 0;
    const guint width = sizes[i / 2].width, height = sizes[i / 2].height;
    g_autofree gchar *properties = g_strdup_printf ("statistics=%s-sums message-arrays=all %s-weights-location=%s",
                                                    of_columns ? "row" : "column", of_columns ? "row" : "column", path);
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=Y444,width=%u,height=%u", width, height);
    g_autofree gchar *words = g_strdup_printf ("%s-weights-location: 4 weights for %u %ss. Write one line for each %s.",
                                               of_columns ? "row" : "column", of_columns ? width : height,
                                               of_columns ? "column" : "row", of_columns ? "column" : "row");
    GstVideoInfo info;

    gst_video_info_set_format (&info, GST_VIDEO_FORMAT_Y444, width, height);
    g_auto (Rig) rig = open_video (properties, caps);
    ck_assert_int_eq (gst_harness_push (rig.harness, draw_buffer (&info)), GST_FLOW_ERROR);
    check_error (rig.bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, words);
  }
}

TEST (test_bad_files)
{
  static const struct {
    const gchar *text; /* NULL: no file */
    const gchar *words;
  } cases[] = {
    { NULL, "Cannot read the weights in" },
    { "", "contains no weights" },
    { "1\n2\nx\n", "Line 3 of" },
    { "1\n32768\n", "Line 2 of" },
    { "-32769\n", "Line 1 of" },
    { "1 2\n", "Line 1 of" },
    { "1\n\n2\n", "Line 2 of" },
    { "1.5\n", "Line 1 of" },
    { "1\n \t\n3\n", "Line 2 of" },
    { "1\n\r\n3\n", "Line 2 of" },
  };
  static const gchar *const properties[] = { "row-weights-location", "column-weights-location" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const gchar *text = cases[i / 2].text;
    const gchar *path = make_file ("weights", text, text != NULL ? strlen (text) : 0);
    g_autoptr (GstElement) element = make_element ("statistics=row-sums+column-sums message-arrays=all");
    g_autoptr (GstBus) bus = attach_bus (element);

    g_object_set (element, properties[i % 2], path, NULL);
    ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    check_error (bus, GST_MESSAGE_ERROR, text == NULL ? GST_RESOURCE_ERROR : GST_LIBRARY_ERROR, -1, cases[i / 2].words);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
  }
}

/* Unreadable files, and a FIFO without a writer, for which the element does not wait. */
TEST (test_refused_files)
{
  static const gchar *const words[] = { "it is not a regular file", "it has more than 1 MiB" };
  const gchar *path = make_path ("weights");

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    GstElement *element = make_element ("statistics=row-sums message-arrays=all");
    GstBus *bus = attach_bus (element);

    if (i == 0)
      ck_assert_int_eq (mkfifo (path, 0600), 0);
    else
      ck_assert (g_file_set_contents (path, "", 0, NULL) && truncate (path, (1 << 20) + 1) == 0);
    g_object_set (element, "row-weights-location", path, NULL);
    ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    check_error (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, -1, words[i]);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (element);
    gst_object_unref (bus);
    g_unlink (path);
  }
}

RIG_MAIN (NULL)
