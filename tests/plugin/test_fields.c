/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* fields=apart: each field is counted as a frame. The tests divide random frames themselves, and count the fields as
 * progressive frames by another element. */

#include <string.h>

#include "formatoracle.h"
#include "pictures.h"
#include "rig.h"

#define NONE GST_CLOCK_TIME_NONE
#define MS GST_MSECOND

/* ---- the fields of a buffer: their order, times and numbers ---------------------------------------------------------- */

typedef struct {
  const gchar *field; /* NULL: a whole frame */
  guint height;
  GstClockTime timestamp, duration;
} Expected;

static const struct {
  const gchar *caps;
  guint flags;
  GstClockTime pts, duration;
  Expected expected[3];
} orders[] = {
  { "framerate=25/1,interlace-mode=interleaved",
    GST_VIDEO_BUFFER_FLAG_TFF,
    80 * MS,
    40 * MS,
    { { "top", 4, 80 * MS, 20 * MS }, { "bottom", 4, 100 * MS, 20 * MS } } },
  { "framerate=25/1,interlace-mode=interleaved",
    0,
    80 * MS,
    40 * MS,
    { { "bottom", 4, 80 * MS, 20 * MS }, { "top", 4, 100 * MS, 20 * MS } } },
  /* The caps' order is valid, whatever the flag. */
  { "framerate=25/1,interlace-mode=interleaved,field-order=bottom-field-first",
    GST_VIDEO_BUFFER_FLAG_TFF,
    0,
    40 * MS,
    { { "bottom", 4, 0, 20 * MS }, { "top", 4, 20 * MS, 20 * MS } } },
  { "framerate=25/1,interlace-mode=interleaved,field-order=top-field-first",
    0,
    0,
    40 * MS,
    { { "top", 4, 0, 20 * MS }, { "bottom", 4, 20 * MS, 20 * MS } } },
  /* An odd number of nanoseconds, and no duration. */
  { "framerate=25/1,interlace-mode=interleaved",
    GST_VIDEO_BUFFER_FLAG_TFF,
    1,
    33366667,
    { { "top", 4, 1, 16683333 }, { "bottom", 4, 16683334, 16683334 } } },
  { "framerate=25/1,interlace-mode=interleaved",
    GST_VIDEO_BUFFER_FLAG_TFF,
    0,
    NONE,
    { { "top", 4, 0, 20 * MS }, { "bottom", 4, 20 * MS, 20 * MS } } },
  { "framerate=0/1,interlace-mode=interleaved",
    GST_VIDEO_BUFFER_FLAG_TFF,
    0,
    NONE,
    { { "top", 4, 0, NONE }, { "bottom", 4, NONE, NONE } } },
  { "framerate=25/1,interlace-mode=interleaved",
    GST_VIDEO_BUFFER_FLAG_TFF,
    NONE,
    40 * MS,
    { { "top", 4, NONE, NONE }, { "bottom", 4, NONE, NONE } } },
  /* The first field is shown again: it is not counted again. */
  { "framerate=25/1,interlace-mode=interleaved",
    GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_RFF,
    0,
    60 * MS,
    { { "top", 4, 0, 20 * MS }, { "bottom", 4, 20 * MS, 40 * MS } } },
  { "framerate=25/1,interlace-mode=interleaved",
    GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_RFF,
    0,
    NONE,
    { { "top", 4, 0, 20 * MS }, { "bottom", 4, 20 * MS, 40 * MS } } },
  { "framerate=25/1,interlace-mode=interleaved",
    GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD,
    0,
    20 * MS,
    { { "top", 4, 0, 20 * MS } } },
  { "framerate=25/1,interlace-mode=interleaved", GST_VIDEO_BUFFER_FLAG_ONEFIELD, 0, 20 * MS, { { "bottom", 4, 0, 20 * MS } } },
  { "framerate=25/1,interlace-mode=interleaved,field-order=top-field-first",
    GST_VIDEO_BUFFER_FLAG_ONEFIELD,
    0,
    20 * MS,
    { { "bottom", 4, 0, 20 * MS } } },
  { "framerate=25/1,interlace-mode=mixed",
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF,
    0,
    40 * MS,
    { { "top", 4, 0, 20 * MS }, { "bottom", 4, 20 * MS, 20 * MS } } },
  { "framerate=25/1,interlace-mode=mixed",
    GST_VIDEO_BUFFER_FLAG_INTERLACED,
    0,
    40 * MS,
    { { "bottom", 4, 0, 20 * MS }, { "top", 4, 20 * MS, 20 * MS } } },
  { "framerate=25/1,interlace-mode=mixed", GST_VIDEO_BUFFER_FLAG_TFF, 0, 40 * MS, { { NULL, 8, 0, 40 * MS } } },
  { "framerate=25/1,interlace-mode=progressive", GST_VIDEO_BUFFER_FLAG_INTERLACED, 0, 40 * MS, { { NULL, 8, 0, 40 * MS } } },
  { "framerate=25/1", 0, 0, 40 * MS, { { NULL, 8, 0, 40 * MS } } },
};

/* Bytes whose rows have their number as value. */
static GstBuffer *
make_numbered_rows (guint width, guint rows)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, width * rows, NULL);

  for (guint y = 0; y < rows; y++)
    gst_buffer_memset (buffer, y * width, (guint8)y, width);
  return buffer;
}

static void
check_field (const GstStructure *result, const Expected *expected)
{
  ck_assert_str_eq (gst_structure_has_field (result, "field") ? gst_structure_get_string (result, "field") : "none",
                    expected->field != NULL ? expected->field : "none");
  ck_assert_uint_eq (get_field_uint (result, "height"), expected->height);
  check_times (result, expected->timestamp, expected->timestamp, expected->timestamp, expected->duration);
  ck_assert_uint_eq (get_field_uint (result, "GRAY-min"), expected->field != NULL && expected->field[0] == 'b' ? 1 : 0);
  ck_assert_uint_eq (get_field_uint (result, "GRAY-max"), expected->field != NULL && expected->field[0] == 't' ? 6 : 7);
  ck_assert_uint_eq (get_field_u64 (result, "GRAY-count"), 8 * expected->height);
}

TEST (test_orders)
{
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_autofree gchar *caps = g_strconcat ("video/x-raw,format=GRAY8,width=8,height=8,", orders[i].caps, NULL);
    g_auto (Rig) rig = open_video ("fields=apart", caps);
    guint count = 0;

    for (guint buffer_index = 0; buffer_index < 2; buffer_index++) {
      GstBuffer *buffer = make_numbered_rows (8, 8);

      GST_BUFFER_PTS (buffer) = orders[i].pts;
      GST_BUFFER_DURATION (buffer) = orders[i].duration;
      GST_BUFFER_FLAG_SET (buffer, orders[i].flags);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
      for (const Expected *expected = orders[i].expected; expected->height > 0; expected++) {
        g_autoptr (GstStructure) result = pop_result (rig.bus);
        gint n = -1, d = -1;

        check_field (result, expected);
        ck_assert_uint_eq (get_field_u64 (result, "frame"), count++);
        ck_assert_uint_eq (get_field_u64 (result, "frames"), 1);
        if (gst_structure_get_fraction (result, "framerate", &n, &d))
          ck_assert_int_eq (n, expected->field != NULL ? 50 : 25);
        ck_assert_str_eq (gst_structure_get_string (result, "ended-by"), "complete");
      }
    }
    ck_assert_uint_eq (get_stat (rig.element, "frames-in"), count);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), count);
    ck_assert_uint_eq (get_stat (rig.element, "results"), count);
    check_bus_empty (rig.bus);
  }
}

/* At a negative rate buffers come in reverse order, and so do their fields. */
TEST (test_reverse)
{
  static const Expected expected[] = { { "bottom", 4, 20 * MS, 20 * MS }, { "top", 4, 0, 20 * MS } };
  g_auto (Rig) rig
      = open_video ("fields=apart", "video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1,interlace-mode=interleaved,"
                                    "field-order=top-field-first");
  GstBuffer *buffer = make_numbered_rows (8, 8);

  push_segment (&rig, -1, 0, 40 * MS, 0, 0);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * MS;
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    ck_assert_str_eq (gst_structure_get_string (result, "field"), expected[i].field);
    ck_assert_uint_eq (get_field_u64 (result, "timestamp"), expected[i].timestamp);
  }
}

/* ---- the numbers of fields ------------------------------------------------------------------------------------------- */

/* Statistics of an element, and those of one that counts the fields as progressive frames. */
#define STATISTICS                                                                                      \
  "statistics=basic+difference+comparison+waveform+row-sums+column-sums+active-picture%s dot=previous " \
  "message-arrays=packed "
#define LUMA_STATISTICS "+outliers+repeats metering=center"
#define COLOUR_STATISTICS "+saturation+hue+broadcast-range+gamut+vectorscope" LUMA_STATISTICS

static const struct {
  const gchar *format, *statistics;
} split_formats[] = {
  { "I420", COLOUR_STATISTICS },
  { "NV12", COLOUR_STATISTICS },
  { "Y42B", COLOUR_STATISTICS },
  { "Y444", COLOUR_STATISTICS },
  { "YUY2", COLOUR_STATISTICS },
  { "P010_10LE", COLOUR_STATISTICS },
  { "I420_10LE", COLOUR_STATISTICS },
  { "Y444_16LE", COLOUR_STATISTICS },
  { "AYUV64", COLOUR_STATISTICS },
  { "v210", COLOUR_STATISTICS },
  { "GRAY8", LUMA_STATISTICS },
  { "RGBA", "+gamut" },
  { "GBR", "+gamut" },
  { "r210", "+gamut" },
};

/* A frame with random samples. Rows are stored upwards if `is_upwards`. */
typedef struct {
  GstVideoInfo info; /* of the whole frame, with its strides and offsets */
  guint8 *data;
  gsize size;
  gboolean is_upwards;
} Picture;

static guint
get_plane_rows (const GstVideoInfo *info, guint plane)
{
  gint components[GST_VIDEO_MAX_COMPONENTS];

  gst_video_format_info_component (info->finfo, plane, components);
  return (guint)GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
}

static void
init_picture (Picture *picture, const gchar *format, guint width, guint height, gboolean is_upwards)
{
  GstVideoInfo *info = &picture->info;

  ck_assert (gst_video_info_set_format (info, gst_video_format_from_string (format), width, height));
  picture->is_upwards = is_upwards;
  picture->size = 0;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const guint rows = get_plane_rows (info, p);
    const gint stride = info->stride[p] + 4 * (gint)draw_random (5);

    info->offset[p] = picture->size + 4 * draw_random (4) + (is_upwards ? (rows - 1) * (gsize)stride : 0);
    /* Nothing behind the last sample: a checker then finds reads there. */
    picture->size
        = info->offset[p] - (is_upwards ? (rows - 1) * (gsize)stride : 0) + (rows - 1) * (gsize)stride + (gsize)info->stride[p];
    info->stride[p] = is_upwards ? -stride : stride;
  }
  picture->data = g_malloc (picture->size);
  fill_random (picture->data, picture->size);
  if (GST_VIDEO_FORMAT_INFO_BITS (info->finfo) == 10) /* unused bits are 0 */
    for (gsize i = 1; i < picture->size; i += 2)
      picture->data[i] &= info->finfo->shift[0] == 0 ? 3 : 255;
}

static GstBuffer *
wrap_picture (Picture *picture, GstClockTime pts)
{
  GstVideoInfo *info = &picture->info;
  guint8 *data = g_memdup2 (picture->data, picture->size);
  GstBuffer *buffer = gst_buffer_new_wrapped (data, picture->size);

  add_video_meta (buffer, info, 0);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 40 * MS;
  GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF);
  return buffer;
}

/* A buffer with every other row of rows [first, first + height), as a progressive frame. */
static GstBuffer *
copy_field (const Picture *picture, guint first, guint height, guint field, GstClockTime pts)
{
  const GstVideoInfo *whole = &picture->info;
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  ck_assert (gst_video_info_set_format (&info, GST_VIDEO_INFO_FORMAT (whole), (guint)GST_VIDEO_INFO_WIDTH (whole), height / 2));
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  ck_assert (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
    const guint begin = first * get_plane_rows (whole, p) / (guint)GST_VIDEO_INFO_HEIGHT (whole);

    for (guint y = 0; y < get_plane_rows (&info, p); y++)
      memcpy (map.data + info.offset[p] + y * (gsize)info.stride[p],
              picture->data + (gssize)whole->offset[p] + (gssize)(begin + field + 2 * y) * whole->stride[p],
              (gsize)info.stride[p]);
  }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 20 * MS;
  return buffer;
}

/* Both results are the same, except for the crop and the field. */
static void
check_same_result (GstStructure *result, GstStructure *plain, const gchar *field)
{
  ck_assert_str_eq (gst_structure_get_string (result, "field"), field);
  gst_structure_remove_fields (result, "field", "crop", "element", NULL);
  gst_structure_remove_fields (plain, "element", NULL);
  check_same_fields (result, plain);
  gst_structure_free (result);
  gst_structure_free (plain);
}

/* Counts three frames of random size, crop and direction in both ways. */
static void
check_split (guint index, const gchar *properties, const gchar *field_properties)
{
  const gchar *format = split_formats[index].format;
  const guint width = 16 + 2 * draw_random (9), height = 16 + 4 * draw_random (5);
  const gboolean is_cropped = draw_random (2) == 0, is_upwards = draw_random (2) == 0;
  const guint first = is_cropped ? 4 * draw_random (2) : 0, visible = is_cropped ? 8 : height;
  g_autofree gchar *line = g_strdup_printf ("fields=apart %s " STATISTICS, properties, split_formats[index].statistics);
  g_autofree gchar *plain_line = g_strdup_printf ("%s " STATISTICS, field_properties, split_formats[index].statistics);
  g_autofree gchar *caps = g_strdup_printf (
      "video/x-raw,format=%s,width=%u,height=%u,framerate=25/1,interlace-mode=interleaved", format, width, visible);
  g_autofree gchar *plain_caps
      = g_strdup_printf ("video/x-raw,format=%s,width=%u,height=%u,framerate=50/1", format, width, visible / 2);
  g_auto (Rig) rig = open_video (line, caps);
  g_auto (Rig) plain = open_video (plain_line, plain_caps);

  for (guint i = 0; i < 3; i++) {
    Picture picture;
    GstBuffer *buffer;

    init_picture (&picture, format, width, height, is_upwards);
    buffer = wrap_picture (&picture, i * 40 * MS);
    if (is_cropped)
      crop_buffer (buffer, 0, first, width, visible);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    for (guint field = 0; field < 2; field++) {
      buffer = copy_field (&picture, first, visible, field, (2 * i + field) * 20 * MS);
      ck_assert_int_eq (gst_harness_push (plain.harness, buffer), GST_FLOW_OK);
      check_same_result (pop_result (rig.bus), pop_result (plain.bus), field == 0 ? "top" : "bottom");
    }
    g_free (picture.data);
  }
}

TEST (test_split)
{
  for (guint i = 0; i < G_N_ELEMENTS (split_formats); i++)
    for (guint round = 0; round < 4; round++)
      check_split (i, "", "");
}

/* Regions are those of the frame, and results have the rows of the field. */
/* The bottom field of 4:2:0 has one chroma row fewer than half of its luma rows, rounded up. */
TEST (test_region_of_unequal_fields)
{
#define UNEQUAL "video/x-raw,format=I420,width=8,height=10,framerate=25/1,interlace-mode=interleaved"
  g_autoptr (GstCaps) caps = gst_caps_from_string (UNEQUAL);
  g_auto (Rig) rig = open_video ("fields=apart regions=0,0,8,10", UNEQUAL);
  g_autofree guint8 *data = NULL;
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  data = g_malloc (info.size);
  fill_random (data, info.size);
  push_timed (&rig, data, info.size, 0, GST_SECOND / 25);
  for (guint field = 0; field < 2;) {
    g_autoptr (GstMessage) message = pop_message (rig.bus);
    const GstStructure *result = gst_message_get_structure (message);

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) /* the fields are unequal */
      continue;
    ck_assert_uint_eq (get_field_u64 (result, "V-count"), field == 0 ? 8 : 12);
    const GValue *regions = gst_structure_get_value (result, "regions");
    const GstStructure *region = gst_value_get_structure (gst_value_array_get_value (regions, 0));
    ck_assert_uint_eq (get_field_u64 (region, "V-count"), get_field_u64 (result, "V-count"));
    ck_assert_uint_eq (get_field_u64 (region, "V-sum"), get_field_u64 (result, "V-sum"));
    field++;
  }
}

TEST (test_regions)
{
  for (guint i = 0; i < G_N_ELEMENTS (split_formats); i++)
    check_split (i, "regions=\"0,0,8,8;3,1,9,6;2,2,4,3\"", "regions=\"0,0,8,4;3,0,9,4;2,1,4,2\"");
}

/* Every format of GStreamer, unpacked ones included, with any stride and crop. */
TEST (test_formats)
{
  struct test_random random = test_random_start (1);
  guint n_formats, counted = 0, skipped = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++)
    for (guint round = 0; round < 8; round++) {
      g_auto (OracleFrame) frame = { 0 };
      g_autofree gchar *caps = NULL;
      g_auto (Rig) rig = open_rig ("fields=apart message-arrays=none");
      const GstVideoFormatInfo *finfo = gst_video_format_get_info (formats[i]);
      gboolean is_divided = TRUE;

      oracle_init (&frame, formats[i], &random);
      for (guint c = 0; c < oracle_get_n_components (finfo); c++) {
        guint first_x, first_y, columns, rows;

        oracle_find_samples (&frame, c, &first_x, &first_y, &columns, &rows);
        is_divided = is_divided && rows > 1 && (guint)frame.visible.y % (2u << GST_VIDEO_FORMAT_INFO_H_SUB (finfo, c)) == 0;
      }
      caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1,interlace-mode=interleaved", finfo->name,
                              frame.info.width, frame.info.height);
      start_video (&rig, caps);
      GST_BUFFER_FLAG_SET (frame.buffer, GST_VIDEO_BUFFER_FLAG_TFF);
      ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_ref (frame.buffer)), GST_FLOW_OK);
      if (!is_divided) {
        check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED, NULL);
        ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 2);
        skipped++;
        continue;
      }
      counted++;
      for (guint field = 0; field < 2; field++) {
        g_autoptr (GstStructure) result = pop_result (rig.bus);

        for (guint c = 0; c < oracle_get_n_components (finfo); c++) {
          g_autofree gchar *count_name = g_strdup_printf ("%s-count", oracle_get_name (finfo, c));
          g_autofree gchar *squares_name = g_strdup_printf ("%s-sum-of-squares", oracle_get_name (finfo, c));
          guint first_x, first_y, columns, rows;
          guint64 count = 0, squares = 0;

          oracle_find_samples (&frame, c, &first_x, &first_y, &columns, &rows);
          for (guint y = first_y + field; y < first_y + rows; y += 2)
            for (guint x = first_x; x < first_x + columns; x++) {
              const guint64 sample = oracle_get_sample (&frame, c, x, y);

              count++;
              squares += sample * sample;
            }
          ck_assert_uint_eq (get_field_u64 (result, count_name), count);
          ck_assert_uint_eq (get_field_u64 (result, squares_name), squares);
        }
      }
    }
  ck_assert_uint_ge (counted, 100);
  ck_assert_uint_ge (skipped, 100);
}

/* ---- frames that cannot be divided into equal fields ------------------------------------------------------------------ */

/* The bottom field lacks the last row of chroma. */
TEST (test_unequal)
{
  static const struct {
    const gchar *format;
    guint height, luma[2], chroma[2];
  } cases[] = {
    { "I420", 10, { 5, 5 }, { 3, 2 } }, { "NV12", 10, { 5, 5 }, { 3, 2 } }, { "I420", 9, { 5, 4 }, { 3, 2 } },
    { "I420", 7, { 4, 3 }, { 2, 2 } },  { "Y42B", 9, { 5, 4 }, { 5, 4 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *caps = g_strdup_printf (
        "video/x-raw,format=%s,width=8,height=%u,framerate=25/1,interlace-mode=interleaved", cases[i].format, cases[i].height);
    g_auto (Rig) rig = open_rig ("fields=apart statistics=signalstats+gamut+row-sums events=black+freeze message-arrays=all");
    Picture picture;

    start_video (&rig, caps);
    check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, -1, "fields of equal size");
    for (guint k = 0; k < 2; k++) {
      init_picture (&picture, cases[i].format, 8, cases[i].height, k == 1);
      ck_assert_int_eq (gst_harness_push (rig.harness, wrap_picture (&picture, k * 40 * MS)), GST_FLOW_OK);
      g_free (picture.data);
    }
    for (guint k = 0; k < 4;) {
      g_autoptr (GstMessage) message = pop_message (rig.bus);
      const GstStructure *result = gst_message_get_structure (message);

      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
        continue;
      ck_assert_uint_eq (get_field_u64 (result, "Y-count"), 8 * cases[i].luma[k % 2]);
      ck_assert_uint_eq (get_field_u64 (result, "U-count"), 4 * cases[i].chroma[k % 2]);
      ck_assert (gst_structure_has_field (result, "outliers"));
      ck_assert (!gst_structure_has_field (result, "hue-mean"));
      ck_assert (!gst_structure_has_field (result, "Y-difference"));
      ck_assert (!gst_structure_has_field (result, "Y-row-sums"));
      k++;
    }
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 4);
  }
}

TEST (test_skipped)
{
  g_auto (Rig) rig
      = open_video ("fields=apart", "video/x-raw,format=I420,width=8,height=8,framerate=25/1,interlace-mode=interleaved");
  Picture picture;

  for (guint y = 0; y < 6; y++) {
    GstBuffer *buffer;

    init_picture (&picture, "I420", 8, 16, FALSE);
    buffer = wrap_picture (&picture, y * 40 * MS);
    g_free (picture.data);
    crop_buffer (buffer, 0, y, 8, 8);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    if (y == 1)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED,
                   "cropped from row 1 on, which is not a multiple of 4");
  }
  push_eos (&rig);
  ck_assert_uint_eq (get_stat (rig.element, "frames-in"), 12);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 4);
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 8);
}

/* ---- windows, events and metas ---------------------------------------------------------------------------------------- */

#define GRAY_CAPS "video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1,interlace-mode="

static void
push_rows (Rig *rig, guint index, guint flags)
{
  GstBuffer *buffer = make_numbered_rows (8, 8);

  GST_BUFFER_PTS (buffer) = index * 40 * MS;
  GST_BUFFER_DURATION (buffer) = 40 * MS;
  GST_BUFFER_FLAG_SET (buffer, flags);
  ck_assert_int_eq (gst_harness_push (rig->harness, buffer), GST_FLOW_OK);
}

TEST (test_windows)
{
  g_auto (Rig) rig = open_video ("fields=apart interval=60000000", GRAY_CAPS "interleaved");

  for (guint i = 0; i < 4; i++)
    push_rows (&rig, i, GST_VIDEO_BUFFER_FLAG_TFF);
  push_eos (&rig);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    ck_assert_uint_eq (get_field_u64 (result, "frame"), 3 * i);
    ck_assert_uint_eq (get_field_u64 (result, "frames"), i < 2 ? 3 : 2);
    ck_assert_uint_eq (get_field_u64 (result, "timestamp"), i * 60 * MS);
    ck_assert_uint_eq (get_field_u64 (result, "duration"), (i < 2 ? 60 : 40) * MS);
    ck_assert_str_eq (gst_structure_get_string (result, "field"), "both");
  }
  ck_assert_uint_eq (get_stat (rig.element, "frames-in"), 8);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 8);
  check_bus_empty (rig.bus);
}

/* A change from whole frames to fields ends no event, and only windows with sums that depend on the number of rows. */
static const struct {
  const gchar *properties;
  guint n_results, frames[4], heights[4];
} mixed_windows[] = {
  { "", 1, { 8 }, { 8 } },
  { "statistics=column-sums message-arrays=all", 1, { 8 }, { 8 } },
  { "regions=0,0,8,8", 1, { 8 }, { 8 } },
  { "metering=center", 1, { 8 }, { 8 } },
  { "statistics=row-sums message-arrays=all", 4, { 2, 3, 1, 2 }, { 8, 4, 8, 4 } },
  { "statistics=active-picture", 4, { 2, 3, 1, 2 }, { 8, 4, 8, 4 } },
};

TEST_LOOP (test_mixed, 0, G_N_ELEMENTS (mixed_windows))
{
  const guint *frames = mixed_windows[__i__].frames, n_results = mixed_windows[__i__].n_results;
  g_autofree gchar *line = g_strdup_printf ("fields=apart window=stream events=black black-min-duration=200000000 %s",
                                            mixed_windows[__i__].properties);
  g_auto (Rig) rig = open_video (line, GRAY_CAPS "mixed");
  guint results = 0, begins = 0, ends = 0;

  for (guint i = 0; i < 6; i++)
    push_rows (&rig, i,
               i == 2 || i == 5 ? GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF
               : i == 3         ? GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_ONEFIELD
                                : 0);
  push_eos (&rig);
  while (results < n_results || ends == 0) {
    g_autoptr (GstMessage) message = pop_message (rig.bus);
    const GstStructure *structure = gst_message_get_structure (message);

    ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
    if (gst_structure_has_name (structure, "cudahisto")) {
      ck_assert_uint_eq (get_field_u64 (structure, "frames"), frames[results]);
      ck_assert_uint_eq (get_field_uint (structure, "height"), mixed_windows[__i__].heights[results]);
      results++;
      ck_assert_str_eq (gst_structure_get_string (structure, "ended-by"), results < n_results ? "crop" : "eos");
      if (n_results == 1)
        ck_assert (!gst_structure_has_field (structure, "field"));
      if (n_results == 1) /* six frames, one of them a single field */
        ck_assert_uint_eq (get_field_u64 (structure, "GRAY-count"), 5 * 64 + 32);
    } else if (gst_structure_has_field (structure, "ended-by")) {
      ck_assert_uint_eq (get_field_u64 (structure, "duration"), 220 * MS);
      ends++;
    } else {
      begins++;
    }
  }
  ck_assert_uint_eq (begins, 1);
  check_bus_empty (rig.bus);
}

/* interlace-mode=mixed: weights of rows are for whole frames or for fields. The others have no sums. */
static const struct {
  guint weights;
  gboolean is_stream;
} mixed_weights[] = { { 8, FALSE }, { 4, FALSE }, { 8, TRUE }, { 4, TRUE } };

TEST_LOOP (test_mixed_weights, 0, G_N_ELEMENTS (mixed_weights))
{
  static const gchar text[] = "1\n10\n100\n1000\n2\n3\n4\n5\n";
  static const gint64 expected[] = { 1 * 10 + 2 * 100 + 3 * 1000 + 4 * 2 + 5 * 3 + 6 * 4 + 7 * 5, /* of a whole frame */
                                     2 * 10 + 4 * 100 + 6 * 1000, 1 + 3 * 10 + 5 * 100 + 7 * 1000 };
  const guint n_weights = mixed_weights[__i__].weights;
  const gboolean is_stream = mixed_weights[__i__].is_stream;
  const gchar *path = make_path ("weights.txt");
  g_autofree gchar *line
      = g_strdup_printf ("fields=apart statistics=column-sums message-arrays=all column-weights-location=%s %s", path,
                         is_stream ? "window=stream" : "");
  guint frames = 0, warnings = 0;

  ck_assert (g_file_set_contents (path, text, n_weights == 8 ? -1 : (gssize)strlen ("1\n10\n100\n1000\n"), NULL));
  g_auto (Rig) rig = open_video (line, GRAY_CAPS "mixed");
  for (guint i = 0; i < 3; i++)
    push_rows (&rig, i, i == 1 ? GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF : 0);
  push_eos (&rig);
  while (frames < 4) {
    g_autoptr (GstMessage) message = pop_message (rig.bus);
    const GstStructure *result = gst_message_get_structure (message);
    const gboolean is_field = frames == 1 || frames == 2;
    const GValue *sums;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      warnings++;
      continue;
    }
    ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
    ck_assert_int_eq (gst_structure_has_field (result, "GRAY-column-sums"), n_weights == (is_field ? 4 : 8));
    sums = gst_structure_get_value (result, "GRAY-column-sums");
    if (sums != NULL)
      ck_assert_int_eq (g_value_get_int64 (gst_value_array_get_value (sums, 7)),
                        is_field && is_stream ? expected[1] + expected[2] : expected[is_field ? frames : 0]);
    frames += (guint)get_field_u64 (result, "frames");
  }
  ck_assert_uint_eq (warnings, 1);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 4);
  check_bus_empty (rig.bus);
}

/* Neither: an error. */
TEST (test_other_weights)
{
  const gchar *path = make_path ("weights.txt");
  g_autofree gchar *line
      = g_strdup_printf ("fields=apart statistics=column-sums message-arrays=all column-weights-location=%s", path);
  g_autoptr (GstBuffer) buffer = make_numbered_rows (8, 8);

  ck_assert (g_file_set_contents (path, "1\n2\n3\n", -1, NULL));
  g_auto (Rig) rig = open_video (line, GRAY_CAPS "mixed");
  ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_ref (buffer)), GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, -1, "3 weights for 8 rows");
}

/* Each buffer carries the results of both fields. */
TEST (test_metas)
{
  g_auto (Rig) rig = open_video ("fields=apart add-meta=true", GRAY_CAPS "interleaved");

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = NULL;
    gpointer state = NULL;
    GstMeta *meta;
    guint metas = 0;

    push_rows (&rig, i, GST_VIDEO_BUFFER_FLAG_TFF);
    buffer = gst_harness_pull (rig.harness);
    while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL) {
      const GstStructure *structure;

      if (!gst_meta_info_is_custom (meta->info))
        continue;
      structure = gst_custom_meta_get_structure ((GstCustomMeta *)meta);
      ck_assert_uint_eq (get_field_u64 (structure, "frame"), 2 * i + metas);
      ck_assert_str_eq (gst_structure_get_string (structure, "field"), metas == 0 ? "top" : "bottom");
      metas++;
    }
    ck_assert_uint_eq (metas, 2);
  }
}

/* ---- fields of unequal height: windows and metas ----------------------------------------------------------------------- */

/* A film whose frames have an odd number of rows of luma, or of chroma, or neither. */
typedef struct {
  const gchar *format, *mode, *order;
  guint height;
  gboolean runs_back;
} Film;

static const Film unequal_films[] = {
  { "I420", "interleaved", "top-field-first", 47, FALSE }, { "I420", "interleaved", "bottom-field-first", 47, FALSE },
  { "I420", "interleaved", "top-field-first", 46, FALSE }, { "I420", "interleaved", "top-field-first", 48, FALSE },
  { "I420", "interleaved", "top-field-first", 47, TRUE },  { "I420", "interleaved", "bottom-field-first", 47, TRUE },
  { "NV12", "mixed", "top-field-first", 47, FALSE },       { "GRAY8", "fields", "top-field-first", 47, FALSE },
  { "GRAY8", "fields", "bottom-field-first", 47, FALSE },  { "GRAY8", "fields", "top-field-first", 47, TRUE },
  { "GRAY8", "fields", "bottom-field-first", 46, FALSE },
};

static void
send_film_segment (Rig *rig, const Film *film)
{
  push_segment (rig, film->runs_back ? -1 : 1, 0, film->runs_back ? GST_SECOND : GST_CLOCK_TIME_NONE, 0, 0);
}

static Rig
open_film (const Film *film, const gchar *properties)
{
  g_autofree gchar *caps
      = g_strdup_printf ("video/x-raw,format=%s,width=16,height=%u,framerate=25/1,interlace-mode=%s,field-order=%s",
                         film->format, film->height, film->mode, film->order);
  Rig rig = open_video (properties, caps);

  send_film_segment (&rig, film);
  return rig;
}

static guint
get_field_rows (const Film *film, gboolean is_bottom)
{
  return (film->height + 1 - is_bottom) / 2;
}

/* Whether the first field that is counted is the bottom field. */
static gboolean
begins_with_bottom (const Film *film)
{
  return g_str_equal (film->order, "bottom-field-first") != film->runs_back;
}

/* Pushes frame `index`, which lasts 40 ms. */
static void
push_film (Rig *rig, const Film *film, guint index)
{
  const gboolean is_top_first = g_str_equal (film->order, "top-field-first");
  GstBuffer *buffer;
  GstVideoInfo info;

  ck_assert (gst_video_info_set_interlaced_format (&info, gst_video_format_from_string (film->format),
                                                   GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 16, film->height));
  if (g_str_equal (film->mode, "fields")) {
    gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
    gint stride[GST_VIDEO_MAX_PLANES] = { 16 };

    buffer = gst_buffer_new_allocate (NULL, 16 * 48, NULL);
    for (gint id = 0; id < 2; id++) {
      offset[0] = (gsize)id * 16 * 24;
      gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 16,
                                      get_field_rows (film, id == 1), 1, offset, stride)
          ->id
          = id;
    }
  } else {
    buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  }
  gst_buffer_memset (buffer, 0, 100, gst_buffer_get_size (buffer));
  GST_BUFFER_PTS (buffer) = (film->runs_back ? 24 - index : index) * 40 * MS;
  GST_BUFFER_DURATION (buffer) = 40 * MS;
  GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | (is_top_first ? GST_VIDEO_BUFFER_FLAG_TFF : 0));
  ck_assert_int_eq (gst_harness_push (rig->harness, buffer), GST_FLOW_OK);
}

static void
check_account (Rig *rig, guint64 reported, guint64 discarded)
{
  ck_assert_uint_eq (get_stat (rig->element, "frames-in"), reported + discarded);
  ck_assert_uint_eq (get_stat (rig->element, "frames-reported"), reported);
  ck_assert_uint_eq (get_stat (rig->element, "frames-discarded"), discarded);
  ck_assert_uint_eq (get_stat (rig->element, "frames-pending"), 0);
}

/* Each buffer carries both results, with the rows of each field. */
TEST_LOOP (test_unequal_metas, 0, 2 * G_N_ELEMENTS (unequal_films))
{
  const Film *film = &unequal_films[__i__ / 2];
  const gboolean has_regions = __i__ % 2 == 1;
  g_auto (Rig) rig
      = open_film (film, has_regions ? "fields=apart add-meta=true regions=0,0,16,99;4,4,8,8" : "fields=apart add-meta=true");

  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = NULL;
    gpointer state = NULL;
    GstMeta *meta;
    guint metas = 0;

    push_film (&rig, film, i);
    buffer = gst_harness_pull (rig.harness);
    while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL) {
      const gboolean is_bottom = begins_with_bottom (film) != (metas == 1);
      const GstStructure *result, *region;

      if (!gst_meta_info_is_custom (meta->info))
        continue;
      result = gst_custom_meta_get_structure ((GstCustomMeta *)meta);
      ck_assert_uint_eq (get_field_u64 (result, "frame"), 2 * i + metas);
      ck_assert_str_eq (gst_structure_get_string (result, "field"), is_bottom ? "bottom" : "top");
      ck_assert_uint_eq (get_field_uint (result, "height"), get_field_rows (film, is_bottom));
      if (has_regions) {
        region = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (result, "regions"), 0));
        ck_assert_uint_eq (get_field_uint (region, "height"), get_field_rows (film, is_bottom));
        region = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (result, "regions"), 1));
        ck_assert_uint_eq (get_field_uint (region, "y"), 2);
        ck_assert_uint_eq (get_field_uint (region, "height"), 4);
      }
      metas++;
    }
    ck_assert_uint_eq (metas, 2);
  }
  push_eos (&rig);
  check_account (&rig, 8, 0);
}

/* A window of fields of unequal height is one, with the height of the top field. A flush discards it. */
TEST_LOOP (test_unequal_windows, 0, 4 * G_N_ELEMENTS (unequal_films))
{
  static const gchar *const properties[]
      = { "window=stream", "interval=1000000000", "interval=120000000", "interval=120000000 add-meta=true regions=0,0,16,99" };
  const Film *film = &unequal_films[__i__ / 4];
  const guint kind = __i__ % 4, n_results = kind < 2 ? 1 : 2;
  const gchar *component = g_str_equal (film->format, "GRAY8") ? "GRAY-count" : "Y-count";
  g_autofree gchar *line = g_strdup_printf ("fields=apart %s", properties[kind]);
  g_auto (Rig) rig = open_film (film, line);
  guint results = 0;

  push_film (&rig, film, 0);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_start ()));
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_stop (TRUE)));
  send_film_segment (&rig, film);
  for (guint i = 0; i < 5; i++)
    push_film (&rig, film, i);
  push_eos (&rig);
  while (results < n_results) {
    g_autoptr (GstMessage) message = pop_message (rig.bus);
    const GstStructure *result = gst_message_get_structure (message);
    guint frames;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) /* regions that reach out, or the last result's meta */
      continue;
    frames = kind < 2 ? 10 : results == 0 ? 6 : 4;
    results++;
    ck_assert_uint_eq (get_field_u64 (result, "frames"), frames);
    ck_assert_str_eq (gst_structure_get_string (result, "ended-by"), results < n_results ? "complete" : "eos");
    ck_assert_uint_eq (get_field_uint (result, "height"), get_field_rows (film, FALSE));
    ck_assert_uint_eq (get_field_u64 (result, component), frames / 2 * 16 * film->height);
    ck_assert_str_eq (gst_structure_get_string (result, "field"), "both");
  }
  check_account (&rig, 10, 2);
}

/* A region without a row in the bottom field is omitted in both: the others keep their places, and the window continues. */
TEST (test_region_of_last_row)
{
  g_auto (Rig) rig = open_film (&unequal_films[0], "fields=apart window=stream regions=0,46,16,1;0,0,16,4");
  g_autoptr (GstStructure) result = NULL;
  const GValue *regions;

  push_film (&rig, &unequal_films[0], 0);
  push_film (&rig, &unequal_films[0], 1);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, -1, "1 is outside it");
  push_eos (&rig);
  result = pop_result (rig.bus);
  regions = gst_structure_get_value (result, "regions");
  ck_assert_uint_eq (gst_value_array_get_size (regions), 1);
  ck_assert_uint_eq (get_field_u64 (gst_value_get_structure (gst_value_array_get_value (regions, 0)), "Y-count"), 4 * 16 * 2);
  check_account (&rig, 4, 0);
}

/* interlace-mode=mixed: unequal fields limit statistics and events when the first one comes. */
TEST_LOOP (test_first_field, 0, 3)
{
  static const gchar *const properties[] = { "", "add-meta=true", "window=stream" };
  static const Film film = { "I420", "mixed", "top-field-first", 46, FALSE };
  g_autofree gchar *line = g_strdup_printf (
      "fields=apart statistics=hue+difference+row-sums events=freeze message-arrays=all %s", properties[__i__]);
  const gboolean is_whole = __i__ == 2; /* two results */
  g_auto (Rig) rig = open_film (&film, line);
  guint warnings = 0, frames = 0;

  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16 * 46 + 2 * 8 * 24, NULL);

    gst_buffer_memset (buffer, 0, 100, gst_buffer_get_size (buffer));
    GST_BUFFER_PTS (buffer) = i * 40 * MS;
    GST_BUFFER_DURATION (buffer) = 40 * MS;
    if (i == 3)
      GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  }
  push_eos (&rig);
  while (frames < 7) {
    g_autoptr (GstMessage) message = pop_message (rig.bus);
    const GstStructure *result = gst_message_get_structure (message);
    const gboolean is_before = frames < 3;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) { /* when the field comes; results may come later */
      warnings++;
      continue;
    }
    ck_assert_int_eq (gst_structure_has_field (result, "hue-mean"), is_before);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-row-sums"), is_before);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-difference"), is_before && (is_whole || frames > 0));
    ck_assert_uint_eq (get_field_u64 (result, "frames"), !is_whole ? 1 : is_before ? 3 : 4);
    ck_assert_str_eq (gst_structure_get_string (result, "ended-by"), !is_whole ? "complete" : is_before ? "crop" : "eos");
    frames += (guint)get_field_u64 (result, "frames");
  }
  ck_assert_uint_eq (warnings, 4); /* colours, sums, differences, events */
  check_account (&rig, 7, 0);
}

/* ---- the reference ----------------------------------------------------------------------------------------------------- */

/* Returns the sum of squared differences of rows `field`, `field` + 2 ... of luma from those of `others`. */
static guint64
sum_squares (const guint8 *luma, const guint8 *others, guint width, guint height, guint field)
{
  guint64 sum = 0;

  for (guint y = field; y < height; y += 2)
    for (guint x = 0; x < width; x++) {
      const gint difference = luma[y * width + x] - others[y * width + x];

      sum += (guint64)(difference * difference);
    }
  return sum;
}

/* Each field is compared with the same rows of the reference's frame, also after a skipped frame. */
TEST (test_reference)
{
  enum { WIDTH = 32, HEIGHT = 16, SIZE = WIDTH * HEIGHT * 3 / 2 };
  static const gchar source[]
      = "videotestsrc num-buffers=%d pattern=gradient ! video/x-raw,format=I420,width=32,height=16,framerate=25/1";
  const gchar *film = make_path ("film.mkv"), *raw = make_path ("frame.raw");
  g_autofree gchar *line = g_strdup_printf ("fields=apart statistics=comparison reference-location=%s", film);
  g_autofree gchar *many = g_strdup_printf (source, 4), *one = g_strdup_printf (source, 1);
  g_autofree gchar *frame = NULL;
  guint8 data[SIZE];
  gsize size = 0;

  free_results (run_line (NULL, "%s ! matroskamux ! filesink location=%s", many, film));
  free_results (run_line (NULL, "%s ! filesink location=%s", one, raw));
  ck_assert (g_file_get_contents (raw, &frame, &size, NULL));
  ck_assert_uint_eq (size, SIZE);
  g_auto (Rig) rig = open_video (line, "video/x-raw,format=I420,width=32,height=16,framerate=25/1,interlace-mode=interleaved,"
                                       "field-order=top-field-first");
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer;

    fill_random (data, SIZE);
    buffer = make_buffer (data, i == 2 ? SIZE / 2 : SIZE, i * 40 * MS, 40 * MS);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    if (i == 2) {
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "too small");
      continue;
    }
    for (guint field = 0; field < 2; field++) {
      g_autoptr (GstStructure) result = pop_result (rig.bus);

      ck_assert_uint_eq (get_field_u64 (result, "Y-reference-difference-count"), WIDTH * HEIGHT / 2);
      ck_assert_uint_eq (get_field_u64 (result, "Y-reference-ssd"),
                         sum_squares (data, (const guint8 *)frame, WIDTH, HEIGHT, field));
    }
  }
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 2);
}

/* A buffer with a single field is not compared. The film, which does not exist, is not opened. */
TEST (test_reference_of_alternate)
{
  g_auto (Rig) rig = open_rig ("reference-location=/nonexistent/film.mkv");

  start_video (&rig, "video/x-raw(format:Interlaced),format=GRAY8,width=8,height=8,framerate=25/1,interlace-mode=alternate");
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, -1,
               "Not compared with the reference: each buffer of the stream has one field.");
}

/* ---- fields with their own memory ------------------------------------------------------------------------------------- */

/* interlace-mode=fields: together or apart. */
TEST (test_two_pictures)
{
  for (guint is_apart = 0; is_apart < 2; is_apart++) {
    g_auto (Rig) rig = open_video (is_apart ? "fields=apart" : "", GRAY_CAPS "fields");
    GstBuffer *buffer = make_numbered_rows (8, 8);
    gsize offset[4] = { 0 };
    gint stride[4] = { 8 };

    for (gint id = 0; id < 2; id++) {
      offset[0] = (gsize)id * 32;
      gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 8, 4, 1, offset, stride)->id
          = id;
    }
    GST_BUFFER_PTS (buffer) = 0;
    GST_BUFFER_DURATION (buffer) = 40 * MS;
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    for (guint i = 0; i <= is_apart; i++) {
      g_autoptr (GstStructure) result = pop_result (rig.bus);

      /* Without the flag TFF the bottom field is the first. */
      ck_assert_int_eq (gst_structure_has_field (result, "field"), is_apart);
      if (is_apart)
        ck_assert_str_eq (gst_structure_get_string (result, "field"), i == 0 ? "bottom" : "top");
      ck_assert_uint_eq (get_field_uint (result, "height"), is_apart ? 4 : 8);
      ck_assert_uint_eq (get_field_uint (result, "GRAY-min"), is_apart && i == 0 ? 4 : 0);
      ck_assert_uint_eq (get_field_uint (result, "GRAY-max"), is_apart && i == 1 ? 3 : 7);
      ck_assert_uint_eq (get_field_u64 (result, "timestamp"), i * 20 * MS);
    }
    push_eos (&rig);
    check_bus_empty (rig.bus);
  }
}

/* interlace-mode=alternate: each buffer is a field, with any value of the property, with and without a meta. */
TEST (test_alternate)
{
  static const gchar *const formats[] = { "GRAY8", "I420", "v210", "NV12_4L4" };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (formats); i++) {
    const gchar *format = formats[i % G_N_ELEMENTS (formats)];
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw(format:Interlaced),format=%s,width=16,height=32,framerate=25/1,"
                                              "interlace-mode=alternate",
                                              format);
    g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
    g_auto (Rig) rig = open_video (i / G_N_ELEMENTS (formats) % 2 ? "fields=apart" : "", caps);
    GstVideoInfo info;

    ck_assert (gst_video_info_from_caps (&info, parsed));
    for (guint k = 0; k < 4; k++) {
      GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
      g_autoptr (GstStructure) result = NULL;
      const guint flags = k % 2 == 0 ? GST_VIDEO_BUFFER_FLAG_TOP_FIELD : GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD;

      gst_buffer_memset (buffer, 0, (guint8)k, info.size);
      if (i / G_N_ELEMENTS (formats) >= 2)
        add_video_meta (buffer, &info, 0);
      GST_BUFFER_PTS (buffer) = k * 20 * MS;
      GST_BUFFER_DURATION (buffer) = 20 * MS;
      if (k < 3)
        GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | flags);
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
      result = pop_result (rig.bus);
      ck_assert_int_eq (gst_structure_has_field (result, "field"), k < 3); /* without a flag it is unknown */
      if (k < 3)
        ck_assert_str_eq (gst_structure_get_string (result, "field"), k % 2 == 0 ? "top" : "bottom");
      ck_assert_uint_eq (get_field_uint (result, "height"), 16);
      ck_assert_uint_eq (get_field_u64 (result, i % G_N_ELEMENTS (formats) == 0 ? "GRAY-count" : "Y-count"), 16 * 16);
      ck_assert_uint_eq (get_field_u64 (result, "frame"), k);
      check_times (result, k * 20 * MS, k * 20 * MS, k * 20 * MS, 20 * MS);
    }
    push_eos (&rig);
    check_bus_empty (rig.bus);
  }
}

/* interlace-mode=alternate: each field has its own time, whether buffers have those of fields or of frames. */
static const struct {
  gboolean runs_back;
  const gchar *framerate;
  GstClockTime pts[4], duration, timestamps[4]; /* in ms. Duration 0: unknown. Results have 20 */
} alternate_times[] = {
  { FALSE, "25/1", { 0, 0, 40, 40 }, 40, { 0, 20, 40, 60 } },  { FALSE, "25/1", { 0, 0, 40, 40 }, 0, { 0, 20, 40, 60 } },
  { FALSE, "25/1", { 0, 0, 40, 40 }, 20, { 0, 20, 40, 60 } },  { FALSE, "25/1", { 0, 20, 40, 60 }, 40, { 0, 20, 40, 60 } },
  { FALSE, "25/1", { 0, 20, 40, 60 }, 20, { 0, 20, 40, 60 } }, { FALSE, "25/1", { 40, 40, 40, 80 }, 20, { 40, 60, 40, 80 } },
  { FALSE, "0/1", { 0, 0, 40, 40 }, 20, { 0, 20, 40, 60 } },   { TRUE, "25/1", { 40, 40, 0, 0 }, 40, { 60, 40, 20, 0 } },
  { TRUE, "25/1", { 60, 40, 20, 0 }, 20, { 60, 40, 20, 0 } },
};

TEST_LOOP (test_alternate_times, 0, G_N_ELEMENTS (alternate_times))
{
  g_autofree gchar *caps
      = g_strdup_printf ("video/x-raw(format:Interlaced),format=GRAY8,width=8,height=8,interlace-mode=alternate,framerate=%s",
                         alternate_times[__i__].framerate);
  const Film film = { .runs_back = alternate_times[__i__].runs_back };
  g_auto (Rig) rig = open_video ("", caps);

  send_film_segment (&rig, &film);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = make_numbered_rows (8, 4);
    const GstClockTime duration = alternate_times[__i__].duration;
    g_autoptr (GstStructure) result = NULL;

    GST_BUFFER_PTS (buffer) = alternate_times[__i__].pts[i] * MS;
    GST_BUFFER_DURATION (buffer) = duration > 0 ? duration * MS : NONE;
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED
                                     | (i % 2 == 0 ? GST_VIDEO_BUFFER_FLAG_TOP_FIELD : GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD));
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    result = pop_result (rig.bus);
    ck_assert_uint_eq (get_field_u64 (result, "timestamp"), alternate_times[__i__].timestamps[i] * MS);
    ck_assert_uint_eq (get_field_u64 (result, "duration"), 20 * MS);
  }
  push_eos (&rig);
  check_account (&rig, 4, 0);
}

/* Elements that make such buffers. */
TEST (test_elements)
{
  static const gchar *const modes[] = { "video/x-raw,interlace-mode=interleaved",
                                        "capsfilter caps=video/x-raw(format:Interlaced),interlace-mode=alternate ! identity" };

  if (!gst_registry_check_feature_version (gst_registry_get (), "interlace", 1, 0, 0)) {
    g_print ("skipped: there is no interlace\n");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autolist (GstStructure) results
        = run_line (NULL,
                    "videotestsrc num-buffers=12 ! video/x-raw,format=I420,width=32,height=32,framerate=50/1 ! "
                    "interlace field-pattern=1:1 ! %s ! cudahisto fields=apart %s ! fakesink",
                    modes[i], get_backend_words ());

    ck_assert_uint_ge (g_list_length (results), 10);
    for (GList *at = results; at != NULL; at = at->next) {
      const gchar *field = gst_structure_get_string (at->data, "field");

      ck_assert_uint_eq (get_field_u64 (at->data, "Y-count"), 32 * 16);
      ck_assert (field != NULL);
      if (at->prev != NULL)
        ck_assert_str_ne (field, gst_structure_get_string (at->prev->data, "field"));
    }
  }
}

RIG_MAIN (NULL)
