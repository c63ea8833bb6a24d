/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Regions: each has the numbers of the picture cropped to it, in another element. Also the choice of regions, and windows when
 * they change. */

#include "pictures.h"
#include "rig.h"

#include <string.h>

enum { WIDTH = 46, HEIGHT = 38 };

static gchar *
make_caps (const gchar *format)
{
  return g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", format, WIDTH, HEIGHT);
}

/* A random picture, a frame of a stream at 25 frames a second. */
static GstBuffer *
draw_buffer (const gchar *format, guint index)
{
  GstVideoInfo info;

  gst_video_info_set_format (&info, gst_video_format_from_string (format), WIDTH, HEIGHT);
  g_autofree guint8 *data = g_malloc (info.size);
  fill_random (data, info.size);
  for (gsize i = 0; i < info.size; i++)
    data[i] = (guint8)(data[i] % 7 + 40 * (i / 5 % 5)); /* so that rows repeat others, and neighbours are similar */
  return make_buffer (data, info.size, index * 40 * GST_MSECOND, 40 * GST_MSECOND);
}

static void
push (Rig *rig, GstBuffer *buffer)
{
  ck_assert_int_eq (gst_harness_push (rig->harness, buffer), GST_FLOW_OK);
}

/* Puts a meta of `area` on a buffer. */
static GstBuffer *
mark (GstBuffer *buffer, const gchar *type, const Area *area)
{
  gst_buffer_add_video_region_of_interest_meta (buffer, type, area->x, area->y, area->width, area->height);
  return buffer;
}

/* ---- looking into results -------------------------------------------------------------------------------------------- */

static guint
count_regions (const GstStructure *result)
{
  const GValue *regions = gst_structure_get_value (result, "regions");

  return regions != NULL ? gst_value_array_get_size (regions) : 0;
}

static const GstStructure *
get_region (const GstStructure *result, guint index)
{
  const GValue *regions = gst_structure_get_value (result, "regions");

  ck_assert (regions != NULL && GST_VALUE_HOLDS_ARRAY (regions) && index < gst_value_array_get_size (regions));
  return gst_value_get_structure (gst_value_array_get_value (regions, index));
}

/* Either may be NULL. */
static void
check_equal_texts (const gchar *left, const gchar *right)
{
  ck_assert_msg (g_strcmp0 (left, right) == 0, "%s is not %s", left != NULL ? left : "NULL", right != NULL ? right : "NULL");
}

static void
check_place (const GstStructure *region, const Area *area, const gchar *type)
{
  guint x, y, width, height;

  ck_assert (gst_structure_has_name (region, "region"));
  ck_assert (gst_structure_get (region, "x", G_TYPE_UINT, &x, "y", G_TYPE_UINT, &y, "width", G_TYPE_UINT, &width, "height",
                                G_TYPE_UINT, &height, NULL));
  ck_assert_uint_eq (x, area->x);
  ck_assert_uint_eq (y, area->y);
  ck_assert_uint_eq (width, area->width);
  ck_assert_uint_eq (height, area->height);
  check_equal_texts (gst_structure_get_string (region, "type"), type);
}

/* A region's numbers are those of the picture cropped to it, and complete. */
static void
check_numbers (const GstStructure *region, const GstStructure *cropped)
{
  g_autoptr (GstStructure) left = gst_structure_copy (region), right = gst_structure_copy (cropped);

  gst_structure_remove_fields (left, "x", "y", "width", "height", "id", "parent-id", "type", NULL);
  gst_structure_remove_fields (right, "element", "backend", "frame", "frames", "format", "width", "height", "crop", "depth",
                               "range", "colorimetry", "framerate", "timestamp", "stream-time", "running-time", "duration",
                               "utc-time", "ended-by", NULL);
  check_same_fields (left, right);
}

static void
check_count (const GstStructure *region, const gchar *field, guint64 count)
{
  ck_assert_uint_eq (get_field_u64 (region, field), count);
}

static const gchar *
get_end (const GstStructure *result)
{
  return gst_structure_get_string (result, "ended-by");
}

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

#define ALL "statistics=signalstats+active-picture dot=previous message-arrays=all "

/* Four regions, the last from a meta, compared with four elements that see a crop of the same buffers. */
static void
check_against_crops (const gchar *format, const Area *outer, gboolean is_turned)
{
  static const Area areas[] = { { 0, 0, 20, 16 }, { 3, 5, 21, 17 }, { 8, 7, 1, 1 }, { 5, 2, 30, 20 } };
  GstStructure *results[3], *cropped[3];
  g_autofree gchar *caps = make_caps (format);
  Rig whole, parts[G_N_ELEMENTS (areas)];
  GstVideoInfo info;

  gst_video_info_set_format (&info, gst_video_format_from_string (format), WIDTH, HEIGHT);
  whole = open_rig (ALL "region-metas=true regions=\"0,0,20,16; 3,5,21,17;8 , 7,1, 1 ;\"");
  start_video (&whole, caps);
  for (guint a = 0; a < G_N_ELEMENTS (areas); a++) {
    parts[a] = open_rig (ALL);
    start_video (&parts[a], caps);
  }
  for (guint i = 0; i < G_N_ELEMENTS (results); i++) {
    GstBuffer *buffer = draw_buffer (format, i);

    if (is_turned)
      add_video_meta (buffer, &info, 7);
    for (guint a = 0; a < G_N_ELEMENTS (areas); a++) {
      const Area area = { outer->x + areas[a].x, outer->y + areas[a].y, areas[a].width, areas[a].height };
      GstBuffer *part = gst_buffer_copy_deep (buffer);

      crop_buffer (part, area.x, area.y, area.width, area.height);
      push (&parts[a], part);
    }
    if (outer->width != WIDTH)
      crop_buffer (buffer, outer->x, outer->y, outer->width, outer->height);
    push (&whole, mark (buffer, "face", &(const Area){ outer->x + 5, outer->y + 2, 30, 20 })); /* of the whole buffer */
    results[i] = pop_result (whole.bus);
    ck_assert_uint_eq (count_regions (results[i]), G_N_ELEMENTS (areas));
  }
  for (guint a = 0; a < G_N_ELEMENTS (areas); a++) {
    for (guint i = 0; i < G_N_ELEMENTS (results); i++) {
      cropped[i] = pop_result (parts[a].bus);
      check_place (get_region (results[i], a), &areas[a], a == 3 ? "face" : NULL);
      check_numbers (get_region (results[i], a), cropped[i]);
      gst_structure_free (cropped[i]);
    }
    close_rig (&parts[a]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    gst_structure_free (results[i]);
  close_rig (&whole);
}

static const gchar *const formats[]
    = { "I420", "NV12", "Y42B", "Y444", "YUY2", "VUYA", "GRAY8", "BGRA", "GBR", "P010_10LE", "I420_10LE", "GBR_12LE" };

TEST_LOOP (test_numbers, 0, G_N_ELEMENTS (formats))
{
  const gchar *format = formats[__i__];

  check_against_crops (format, &(const Area){ 0, 0, WIDTH, HEIGHT }, FALSE);
  check_against_crops (format, &(const Area){ 3, 1, 41, 35 }, FALSE);
  check_against_crops (format, &(const Area){ 0, 0, WIDTH, HEIGHT }, TRUE);
  check_against_crops (format, &(const Area){ 3, 1, 41, 35 }, TRUE);
}

/* The rows of a field are every other row of the frame: those of each field that the region touches are counted. */
TEST (test_fields)
{
  enum { COLUMNS = 16, ROWS = 15 };
  static const struct {
    guint y, height, rows;
  } cases[] = { { 0, 4, 4 }, { 1, 2, 4 }, { 3, 3, 4 }, { 14, 1, 1 }, { 6, 9, 9 } };
  guint8 data[COLUMNS * 16];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *properties = g_strdup_printf ("regions=2,%u,10,%u", cases[i].y, cases[i].height);
    gsize offsets[2][GST_VIDEO_MAX_PLANES] = { { 0 }, { 8 * COLUMNS } };
    gint strides[GST_VIDEO_MAX_PLANES] = { COLUMNS };
    GstBuffer *buffer;

    memset (data, 0, sizeof data);
    g_auto (Rig) rig
        = open_video (properties, "video/x-raw,format=GRAY8,width=16,height=15,interlace-mode=fields,framerate=25/1");
    buffer = make_buffer (data, COLUMNS * ROWS, 0, 40 * GST_MSECOND);
    for (gint field = 0; field < 2; field++)
      gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, COLUMNS, field == 0 ? 8 : 7, 1,
                                      offsets[field], strides)
          ->id
          = field;
    push (&rig, buffer);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_count (result, "GRAY-count", COLUMNS * ROWS);
    check_count (get_region (result, 0), "GRAY-count", 10 * cases[i].rows);
  }
}

/* Each view has the region. */
TEST (test_views)
{
  guint8 data[2 * 16 * 8];
  GstBuffer *buffer;

  memset (data, 1, sizeof data / 2);
  memset (data + sizeof data / 2, 2, sizeof data / 2);
  g_auto (Rig) rig = open_video ("regions=4,2,5,3",
                                 "video/x-raw,format=GRAY8,width=16,height=8,multiview-mode=separated,views=2,framerate=25/1");
  buffer = gst_buffer_new ();
  for (guint view = 0; view < 2; view++) {
    guint8 *copy = g_memdup2 (data + view * 128, 128);

    gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, copy, 128, 0, 128, copy, g_free));
  }
  push (&rig, buffer);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_count (get_region (result, 0), "GRAY-count", 2 * 15);
  check_count (get_region (result, 0), "GRAY-sum", 15 * 1 + 15 * 2);
}

/* ---- carriers -------------------------------------------------------------------------------------------------------- */

/* Histograms of regions are large: they are optional, but always in a meta. */
TEST (test_histograms)
{
  static const struct {
    const gchar *properties;
    const gchar *type; /* NULL: there is none */
    const gchar *of_picture;
  } cases[] = {
    { "", NULL, "GstValueArray" },
    { "message-arrays=all", "GstValueArray", "GstValueArray" },
    { "message-arrays=packed", "GBytes", "GBytes" },
    { "message-arrays=none", NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *properties = g_strdup_printf ("regions=0,0,8,8 add-meta=true %s", cases[i].properties);
    g_autofree gchar *caps = make_caps ("GRAY8");
    const GstStructure *meta;
    GType type;

    reset_random ();
    g_auto (Rig) rig = open_video (properties, caps);
    push (&rig, draw_buffer ("GRAY8", 0));
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    type = gst_structure_get_field_type (get_region (result, 0), "GRAY-histogram");
    check_equal_texts (type != G_TYPE_INVALID ? g_type_name (type) : NULL, cases[i].type);
    type = gst_structure_get_field_type (result, "GRAY-histogram");
    check_equal_texts (type != G_TYPE_INVALID ? g_type_name (type) : NULL, cases[i].of_picture);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (rig.harness);
    meta = get_meta (buffer);
    ck_assert (meta != NULL);
    type = gst_structure_get_field_type (get_region (meta, 0), "GRAY-histogram");
    check_equal_texts (type != G_TYPE_INVALID ? g_type_name (type) : NULL, cases[i].of_picture != NULL ? "GBytes" : NULL);
  }
}

/* ---- which regions --------------------------------------------------------------------------------------------------- */

TEST (test_clipped)
{
  g_autofree gchar *caps = make_caps ("I420");
  GstStructure *result;

  g_auto (Rig) rig = open_video ("regions=\"40,30,100,100; 46,0,1,1; 0,38,5,5; 10,10,2,2; 2147483647,0,2147483647,1\"", caps);
  for (guint i = 0; i < 3; i++)
    push (&rig, draw_buffer ("I420", i));
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "in a picture of 46x38 pixels: 1 reaches beyond it, measured only where it is inside; 3 are outside it.");
  for (guint i = 0; i < 3; i++) { /* warned once */
    result = pop_result (rig.bus);
    ck_assert_uint_eq (count_regions (result), 2);
    check_place (get_region (result, 0), &(const Area){ 40, 30, 6, 8 }, NULL);
    check_count (get_region (result, 0), "Y-count", 48);
    check_count (get_region (result, 0), "U-count", 12);
    check_place (get_region (result, 1), &(const Area){ 10, 10, 2, 2 }, NULL);
    gst_structure_free (result);
  }
}

/* Only the picture has them: bins for each region would need gigabytes. */
TEST (test_no_scopes)
{
  g_autofree gchar *caps = make_caps ("Y444");

  g_auto (Rig) rig = open_video ("statistics=basic+waveform+vectorscope message-arrays=packed regions=0,0,8,8", caps);
  push (&rig, draw_buffer ("Y444", 0));
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert (gst_structure_has_field (result, "Y-waveform") && gst_structure_has_field (result, "vectorscope"));
  check_count (get_region (result, 0), "Y-count", 64);
  ck_assert (!gst_structure_has_field (get_region (result, 0), "Y-waveform"));
  ck_assert (!gst_structure_has_field (get_region (result, 0), "vectorscope"));
}

/* The property's come first. The limit is sixteen. */
TEST (test_too_many)
{
  g_autofree gchar *caps = make_caps ("NV12");
  GstStructure *result;
  GstBuffer *buffer;

  g_auto (Rig) rig = open_video (
      "region-metas=true regions=\"0,0,2,2;1,0,2,2;2,0,2,2;3,0,2,2;4,0,2,2;5,0,2,2;6,0,2,2;7,0,2,2;8,0,2,2;9,0,2,2\"", caps);
  buffer = draw_buffer ("NV12", 0);
  for (guint i = 0; i < 10; i++)
    mark (buffer, i == 0 ? "car" : "tree", &(const Area){ 20 + i, 30, 3, 3 });
  push (&rig, buffer);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "pixels: 4 come beyond the 16 that are counted.");
  result = pop_result (rig.bus);
  ck_assert_uint_eq (count_regions (result), 16);
  for (guint i = 0; i < 16; i++) {
    const Area area = { i < 10 ? i : 10 + i, i < 10 ? 0 : 30, i < 10 ? 2 : 3, i < 10 ? 2 : 3 };

    check_place (get_region (result, i), &area, i < 10 ? NULL : i == 10 ? "car" : "tree");
    check_count (get_region (result, i), "Y-count", area.width * area.height);
  }
  gst_structure_free (result);
  check_count (result = (push (&rig, draw_buffer ("NV12", 1)), pop_result (rig.bus)), "frame", 1);
  ck_assert_uint_eq (count_regions (result), 10);
  gst_structure_free (result);
}

TEST (test_metas_are_left_alone)
{
  g_autofree gchar *caps = make_caps ("GRAY8");

  g_auto (Rig) rig = open_video ("window=stream", caps);
  for (guint i = 0; i < 3; i++)
    push (&rig, mark (draw_buffer ("GRAY8", i), "face", &(const Area){ i, 0, 4, 4 }));
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_count (result, "frames", 3);
  ck_assert (!gst_structure_has_field (result, "regions"));
}

TEST (test_bytes_have_none)
{
  g_auto (Rig) rig = open_bytes ("regions=0,0,1,1", NULL);

  push_bytes (&rig, "abc", 3);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "they need raw video");
  g_object_set (rig.element, "regions", "0,0,2,2", NULL);
  push_bytes (&rig, "def", 3);
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_count (result, "byte-count", 6);
  ck_assert (!gst_structure_has_field (result, "regions"));
}

#define NINE "0,0,1,1;0,0,1,1;0,0,1,1;0,0,1,1;0,0,1,1;0,0,1,1;0,0,1,1;0,0,1,1;0,0,1,1"

TEST (test_not_understood)
{
  static const gchar *const texts[] = {
    "1,2,3",       "1,2,3,0", "1,2,0,4",   "-1,2,3,4",  "1,2,3,4,5",        "1,2,3,4 5,6,7,8",
    "a,b,c,d",     "1;2;3;4", "1,2,3,4;x", "1,2,3,4;,", "1,2,3,2147483648", "1,2,3,99999999999999999999999999",
    NINE ";" NINE,
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GstElement) element = make_element ("");
    g_autoptr (GstBus) bus = attach_bus (element);

    g_object_set (element, "regions", texts[i], NULL);
    ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    check_error (bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, texts[i]);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
  }
}

/* ---- windows --------------------------------------------------------------------------------------------------------- */

/* A change while playing takes effect at the next buffer. An invalid value changes nothing. */
TEST (test_changed_while_playing)
{
  g_autofree gchar *caps = make_caps ("GRAY8"), *text = NULL;
  GstStructure *result;

  g_auto (Rig) rig = open_video ("window=stream dot=previous", caps);
  push (&rig, draw_buffer ("GRAY8", 0));
  push (&rig, draw_buffer ("GRAY8", 1));
  g_object_set (rig.element, "regions", "1,1,10,10", NULL);
  push (&rig, draw_buffer ("GRAY8", 2));
  result = pop_result (rig.bus);
  ck_assert_str_eq (get_end (result), "regions");
  check_count (result, "frames", 2);
  ck_assert_uint_eq (count_regions (result), 0);
  gst_structure_free (result);

  push (&rig, draw_buffer ("GRAY8", 3));
  g_object_set (rig.element, "regions", "1,1,10", NULL);
  push (&rig, draw_buffer ("GRAY8", 4));
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "1,1,10");
  g_object_get (rig.element, "regions", &text, NULL);
  ck_assert_str_eq (text, "1,1,10,10");                                 /* which is in effect */
  g_object_set (rig.element, "interval", G_GUINT64_CONSTANT (0), NULL); /* no reason for another warning */
  g_object_set (rig.element, "regions", "1,1,10,10; 20,20,4,5", NULL);
  push (&rig, draw_buffer ("GRAY8", 5));
  result = pop_result (rig.bus);
  ck_assert_str_eq (get_end (result), "regions");
  check_count (result, "frames", 3);
  ck_assert_uint_eq (count_regions (result), 1);
  check_count (result, "GRAY-dot-count", 3 * WIDTH * HEIGHT); /* the picture is as it was: it has a previous one */
  check_count (get_region (result, 0), "GRAY-count", 3 * 100);
  check_count (get_region (result, 0), "GRAY-dot-count", 2 * 100);
  gst_structure_free (result);

  g_object_set (rig.element, "regions", NULL, NULL);
  push (&rig, draw_buffer ("GRAY8", 6));
  result = pop_result (rig.bus);
  ck_assert_uint_eq (count_regions (result), 2);
  check_count (get_region (result, 0), "GRAY-dot-count", 100); /* this one was there before, and has not moved */
  ck_assert (!gst_structure_has_field (get_region (result, 1), "GRAY-dot-count"));
  gst_structure_free (result);
  push_eos (&rig);
  result = pop_result (rig.bus);
  ck_assert_str_eq (get_end (result), "eos");
  ck_assert_uint_eq (count_regions (result), 0);
  gst_structure_free (result);
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 7);
  ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 7 * WIDTH * HEIGHT); /* of pictures */
}

/* A region that moves with each buffer ends each window, and all frames are reported. */
TEST (test_moving)
{
  g_autofree gchar *caps = make_caps ("GRAY8");

  g_auto (Rig) rig = open_video ("region-metas=true window=stream", caps);
  for (guint i = 0; i < 6; i++)
    push (&rig, mark (draw_buffer ("GRAY8", i), "face", &(const Area){ i / 2, 0, 4, 4 }));
  push_eos (&rig);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_count (result, "frames", 2);
    ck_assert_str_eq (get_end (result), i < 2 ? "regions" : "eos");
    check_place (get_region (result, 0), &(const Area){ i, 0, 4, 4 }, "face");
    check_count (get_region (result, 0), "GRAY-count", 32);
  }
  check_bus_empty (rig.bus);
}

/* A picture, and a region of it, is compared with the previous one if the crop moves by whole samples of chroma, in both
 * directions, even if their number differs. */
TEST_LOOP (test_crop_that_moves, 0, 12)
{
  static const struct {
    const gchar *format;
    guint columns, rows; /* of pixels that a sample of chroma belongs to */
  } kinds[] = { { "I420", 2, 2 }, { "NV12", 2, 2 }, { "YUY2", 2, 1 }, { "Y42B", 2, 1 }, { "Y444", 1, 1 }, { "BGRx", 1, 1 } };
  const guint f = (guint)__i__ / 2, odd = (guint)__i__ % 2;
  g_autofree gchar *caps = make_caps (kinds[f].format),
                   *name = g_strdup_printf ("%c-difference", strcmp (kinds[f].format, "BGRx") == 0 ? 'G' : 'Y');

  for (guint i = 0; i < 25; i++) {
    const guint dx = i % 5, dy = i / 5;
    const gboolean matches = dx % kinds[f].columns == 0 && dy % kinds[f].rows == 0;
    g_auto (Rig) rig = open_video (
        odd ? "statistics=basic+comparison regions=2,2,5,5" : "statistics=basic+comparison regions=2,2,4,4", caps);

    for (guint j = 0; j < 2; j++) {
      GstBuffer *buffer = draw_buffer (kinds[f].format, j);

      crop_buffer (buffer, 4 + j * dx, 4 + j * dy, 16 + odd, 16 + odd);
      push (&rig, buffer);
    }
    gst_structure_free (pop_result (rig.bus));
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_msg (gst_structure_has_field (result, name) == matches, "the picture moves by %u, %u", dx, dy);
    ck_assert_msg (gst_structure_has_field (get_region (result, 0), name) == matches, "the region moves by %u, %u", dx, dy);
  }
}

/* A meta is in pixels of the buffer, which may be cropped. Its region has the meta's id; another id is another region. */
TEST (test_metas)
{
  static const struct {
    Area meta, region; /* the region is empty: it is outside */
    gint id;
  } cases[] = {
    { { 0, 0, 20, 10 }, { 0, 0, 4, 2 }, 9 },  { { 20, 10, 4, 5 }, { 4, 2, 4, 5 }, 7 },
    { { 20, 10, 4, 5 }, { 4, 2, 4, 5 }, 8 },  { { 12, 30, 99, 9 }, { 0, 22, 20, 6 }, 9 },
    { { 0, 0, 16, 38 }, { 0, 0, 0, 0 }, -1 }, { { 36, 0, 9, 38 }, { 0, 0, 0, 0 }, 0 },
  };
  g_autofree gchar *caps = make_caps ("GRAY8");

  g_auto (Rig) rig = open_video ("region-metas=true window=stream", caps);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Area *meta = &cases[i].meta;
    GstBuffer *buffer = draw_buffer ("GRAY8", i);
    GstVideoRegionOfInterestMeta *roi
        = gst_buffer_add_video_region_of_interest_meta (buffer, "face", meta->x, meta->y, meta->width, meta->height);

    roi->id = cases[i].id;
    roi->parent_id = -2;
    crop_buffer (buffer, 16, 8, 20, 28);
    push (&rig, buffer);
  }
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "pixels: 1 reaches beyond it, measured only where it is inside.");
  for (guint i = 0; i < 4; i++) {
    const GstStructure *region;
    gint id, parent_id;

    g_autoptr (GstStructure) result = pop_result (rig.bus);
    region = get_region (result, 0);
    check_place (region, &cases[i].region, "face");
    check_count (region, "GRAY-count", cases[i].region.width * cases[i].region.height);
    ck_assert (gst_structure_get (region, "id", G_TYPE_INT, &id, "parent-id", G_TYPE_INT, &parent_id, NULL));
    ck_assert_int_eq (id, cases[i].id);
    ck_assert_int_eq (parent_id, -2);
  }
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_count (result, "frames", 2);
  ck_assert_uint_eq (count_regions (result), 0);
}

/* After a flush, and with other caps, nothing of the old regions remains. */
TEST (test_flush_and_caps)
{
  g_autofree gchar *caps = make_caps ("GRAY8");
  GstStructure *result;

  g_auto (Rig) rig = open_video ("window=stream regions=2,2,2,2", caps);
  push (&rig, draw_buffer ("GRAY8", 0));
  push_flush (&rig, GST_FORMAT_TIME);
  start_video (&rig, caps);
  push (&rig, draw_buffer ("GRAY8", 0));
  start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
  push (&rig, make_buffer ("0123456789abcdef", 16, 40 * GST_MSECOND, 40 * GST_MSECOND));
  push_eos (&rig);
  result = pop_result (rig.bus);
  ck_assert_str_eq (get_end (result), "caps");
  check_count (get_region (result, 0), "GRAY-count", 4);
  gst_structure_free (result);
  result = pop_result (rig.bus);
  check_place (get_region (result, 0), &(const Area){ 2, 2, 2, 2 }, NULL);
  check_count (get_region (result, 0), "GRAY-sum", 'a' + 'b' + 'e' + 'f');
  gst_structure_free (result);
}

RIG_MAIN (NULL)
