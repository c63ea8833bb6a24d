/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Buffers with more than one picture: views in their own memory, fields one after the other. All pictures of a buffer are
 * counted, or none, with a warning. Also buffers that look like that but have one picture. */

#include <string.h>

#include "pictures.h"
#include "rig.h"

enum { WIDTH = 7, HEIGHT = 6, STRIDE = 8, SIZE = STRIDE * HEIGHT, MAX_PICTURES = 8 };

#define CAPS "video/x-raw,format=GRAY8,width=7,height=6,framerate=25/1"

/* The layout of a buffer. */
typedef struct {
  guint pictures, memories, rows; /* rows of each picture */
  gint ids[MAX_PICTURES];         /* of the GstVideoMeta for each; -1: none */
} Shape;

/* A buffer of random pictures of STRIDE bytes a row, one after the other, each with a meta;
 * and adds its visible samples to `tally`. */
static GstBuffer *
make_pictures (const Shape *shape, Tally *tally, GstClockTime pts)
{
  gsize picture_bytes = (gsize)STRIDE * shape->rows, size = picture_bytes * shape->pictures;
  g_autofree guint8 *data = g_malloc (size);
  GstBuffer *buffer = gst_buffer_new ();

  fill_random (data, size);
  for (guint m = 0; m < shape->memories; m++) {
    gsize begin = size / shape->memories * m;
    gsize bytes = m + 1 < shape->memories ? size / shape->memories : size - begin;

    guint8 *copy = g_memdup2 (data + begin, bytes);

    gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, copy, bytes, 0, bytes, copy, g_free));
  }
  for (guint i = 0; i < shape->pictures; i++) {
    gsize offset[4] = { picture_bytes * i };
    gint stride[4] = { STRIDE };

    for (guint y = 0; y < shape->rows; y++)
      tally_bytes (tally, data + offset[0] + y * STRIDE, WIDTH);
    if (shape->ids[i] >= 0)
      gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, WIDTH, shape->rows, 1, offset,
                                      stride)
          ->id
          = shape->ids[i];
  }
  GST_BUFFER_PTS (buffer) = pts;
  return buffer;
}

/* ---- all of them -------------------------------------------------------------------------------------------------------- */

static const struct {
  const gchar *fields;
  Shape shape;
} counted[] = {
  { ",multiview-mode=separated,views=2", { 2, 1, HEIGHT, { 0, 1 } } },
  { ",multiview-mode=separated,views=2", { 2, 2, HEIGHT, { 0, 1 } } },
  { ",multiview-mode=separated,views=2", { 2, 2, HEIGHT, { 1, 0 } } },
  { ",multiview-mode=separated,views=2", { 2, 2, HEIGHT, { -1, -1 } } },
  { ",multiview-mode=separated,views=5", { 5, 5, HEIGHT, { -1, -1, -1, -1, -1 } } },
  { ",multiview-mode=separated,views=3", { 3, 3, HEIGHT, { 2, 0, 1 } } },
  { ",multiview-mode=separated,views=3", { 3, 4, HEIGHT, { 0, 1, 2 } } }, /* pictures across memories */
  { ",multiview-mode=separated,views=1", { 1, 1, HEIGHT, { 0 } } },
  { ",multiview-mode=separated", { 1, 1, HEIGHT, { -1 } } },
  { ",interlace-mode=fields", { 2, 1, HEIGHT / 2, { 0, 1 } } },
  { ",interlace-mode=fields", { 2, 2, HEIGHT / 2, { 1, 0 } } },
  { ",interlace-mode=fields,multiview-mode=separated,views=2", { 4, 2, HEIGHT / 2, { 0, 1, 2, 3 } } },
  /* One picture, whatever its kind and id. */
  { ",interlace-mode=interleaved", { 1, 1, HEIGHT, { 0 } } },
  { ",interlace-mode=mixed", { 1, 1, HEIGHT, { -1 } } },
  { ",multiview-mode=side-by-side", { 1, 1, HEIGHT, { 0 } } },
  { ",multiview-mode=top-bottom,views=2", { 1, 1, HEIGHT, { -1 } } },
  { ",multiview-mode=frame-by-frame,views=2", { 1, 1, HEIGHT, { 1 } } },
  { ",multiview-mode=multiview-frame-by-frame,views=4", { 1, 1, HEIGHT, { 3 } } },
  { "", { 1, 3, HEIGHT, { -1 } } },
};

TEST (test_counted)
{
  for (guint i = 0; i < G_N_ELEMENTS (counted); i++) {
    g_autofree gchar *caps = g_strconcat (CAPS, counted[i].fields, NULL);
    Tally all = { 0 };
    Rig rig;

    reset_random ();
    rig = open_video ("", caps);
    for (guint frame = 0; frame < 3; frame++) {
      Tally tally = { 0 };
      g_autoptr (GstBuffer) buffer = make_pictures (&counted[i].shape, &tally, frame * GST_SECOND);

      ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_ref (buffer)), GST_FLOW_OK);
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      check_component (result, "GRAY", &tally, BINS_ARRAY);
      ck_assert_uint_eq (get_field_u64 (result, "frame"), frame);
      ck_assert_uint_eq (get_field_u64 (result, "frames"), 1);
      ck_assert (gst_structure_has_field_typed (result, "height", G_TYPE_UINT));
      ck_assert_uint_eq (g_value_get_uint (gst_structure_get_value (result, "width")), WIDTH);
      ck_assert_uint_eq (g_value_get_uint (gst_structure_get_value (result, "height")), HEIGHT);
    }
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 3);
    close_rig (&rig);

    /* And added up. */
    rig = open_video ("window=stream", caps);
    for (guint frame = 0; frame < 10; frame++)
      ck_assert_int_eq (gst_harness_push (rig.harness, make_pictures (&counted[i].shape, &all, frame * GST_SECOND)),
                        GST_FLOW_OK);
    push_eos (&rig);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_component (result, "GRAY", &all, BINS_ARRAY);
    ck_assert_uint_eq (get_field_u64 (result, "frames"), 10);
    check_bus_empty (rig.bus);
    close_rig (&rig);
  }
}

/* ---- none of them ------------------------------------------------------------------------------------------------------- */

static const struct {
  const gchar *fields;
  Shape shape;
  const gchar *words;
} skipped[] = {
  { ",multiview-mode=separated,views=2", { 1, 1, HEIGHT, { 0 } }, "1 of its pictures, but its caps describe 2" },
  { ",multiview-mode=separated,views=2", { 2, 2, HEIGHT, { 0, 0 } }, "1 of its pictures, but its caps describe 2" },
  { ",multiview-mode=separated,views=2", { 2, 2, HEIGHT, { 0, 2 } }, "its caps describe 2" },
  { ",multiview-mode=separated,views=2", { 3, 3, HEIGHT, { 0, 1, 2 } }, "at least 3 of its pictures, but its caps describe 2" },
  { ",multiview-mode=separated,views=2", { 2, 1, HEIGHT, { -1, -1 } }, "0 of its pictures, but its caps" },
  { ",multiview-mode=separated,views=2", { 3, 3, HEIGHT, { -1, -1, -1 } }, "0 of its pictures, but its caps" },
  { ",multiview-mode=separated,views=2", { 2, 2, HEIGHT - 1, { -1, -1 } }, "0 of its pictures, but its caps" },
  { ",multiview-mode=separated,views=2", { 2, 2, HEIGHT - 1, { 0, 1 } }, "7x5" },
  { ",multiview-mode=separated", { 2, 2, HEIGHT, { 0, 1 } }, "at least 2 of its pictures, but its caps describe 1" },
  { ",interlace-mode=fields", { 1, 1, HEIGHT, { 0 } }, "1 of its pictures, but its caps describe 2" },
  { ",interlace-mode=fields", { 2, 2, HEIGHT / 2, { -1, -1 } }, "0 of its pictures, but its caps" },
  { ",interlace-mode=fields", { 2, 2, HEIGHT, { -1, -1 } }, "0 of its pictures, but its caps" },
  { ",interlace-mode=fields", { 2, 2, HEIGHT / 2 - 1, { 0, 1 } }, "7x2" },
  { "", { 2, 2, HEIGHT, { 0, 1 } }, "at least 2 of its pictures, but its caps describe 1" },
  { "", { 2, 1, HEIGHT, { 3, 1 } }, "at least 2 of its pictures, but its caps describe 1" },
  { "", { 2, 2, HEIGHT, { -1, -1 } }, "2 memories with a frame each" },
  { ",multiview-mode=side-by-side", { 2, 2, HEIGHT, { 0, 1 } }, "at least 2 of its pictures, but its caps" },
  { ",interlace-mode=interleaved", { 2, 2, HEIGHT / 2, { 0, 1 } }, "at least 2 of its pictures, but its caps" },
};

TEST (test_skipped)
{
  for (guint i = 0; i < G_N_ELEMENTS (skipped); i++) {
    g_autofree gchar *caps = g_strconcat (CAPS, skipped[i].fields, NULL);
    Tally tally = { 0 };
    g_auto (Rig) rig = open_video ("", caps);

    ck_assert_int_eq (gst_harness_push (rig.harness, make_pictures (&skipped[i].shape, &tally, 0)), GST_FLOW_OK);
    check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, -1, skipped[i].words);
    push_eos (&rig);
    check_bus_empty (rig.bus);
    ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 1);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 0);
    ck_assert_uint_eq (gst_harness_buffers_received (rig.harness), 1);
  }
}

/* A crop cannot locate each of two fields. That of views is the same for each. */
TEST (test_cropped)
{
  static const Shape fields = { 2, 1, HEIGHT / 2, { 0, 1 } }, views = { 2, 2, HEIGHT + 3, { 0, 1 } };
  Tally tally = { 0 };
  g_auto (Rig) rig = open_video ("", CAPS ",interlace-mode=fields");
  GstBuffer *buffer = make_pictures (&fields, &tally, 0);

  crop_buffer (buffer, 0, 0, 2, 2);
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED, "buffer of fields is cropped");

  start_video (&rig, CAPS ",multiview-mode=separated,views=2");
  buffer = make_pictures (&views, &tally, 0);
  crop_buffer (buffer, 2, 2, 3, 5);
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "GRAY-count"), 2 * 3 * 5);
}

/* Each picture is compared with the same one of the previous buffer, in any order. */
TEST (test_previous)
{
  static const struct {
    const gchar *fields;
    Shape shapes[2]; /* of every other buffer */
  } cases[] = {
    { ",multiview-mode=separated,views=2", { { 2, 2, HEIGHT, { 0, 1 } }, { 2, 2, HEIGHT, { 1, 0 } } } },
    { ",multiview-mode=separated,views=3", { { 3, 3, HEIGHT, { -1, -1, -1 } }, { 3, 3, HEIGHT, { 2, 1, 0 } } } },
    { ",interlace-mode=fields", { { 2, 1, HEIGHT / 2, { 0, 1 } }, { 2, 2, HEIGHT / 2, { 1, 0 } } } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *caps = g_strconcat (CAPS, cases[i].fields, NULL);
    GstBuffer *previous = NULL;

    reset_random ();
    g_auto (Rig) rig = open_video ("dot=previous statistics=basic+difference", caps);
    for (guint frame = 0; frame < 4; frame++) {
      const Shape *shape = &cases[i].shapes[frame % 2], *other = &cases[i].shapes[1 - frame % 2];
      Tally tally = { 0 };
      GstBuffer *buffer = make_pictures (shape, &tally, frame * GST_SECOND);
      guint64 difference = 0;

      ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_ref (buffer)), GST_FLOW_OK);
      for (guint p = 0; frame > 0 && p < shape->pictures; p++) {
        GstMapInfo map, previous_map;
        guint q = 0;

        while ((other->ids[q] < 0 ? (gint)q : other->ids[q]) != (shape->ids[p] < 0 ? (gint)p : shape->ids[p]))
          q++;
        gst_buffer_map (buffer, &map, GST_MAP_READ);
        gst_buffer_map (previous, &previous_map, GST_MAP_READ);
        for (guint y = 0; y < shape->rows; y++) {
          const guint8 *row = map.data + (p * shape->rows + y) * STRIDE;
          const guint8 *previous_row = previous_map.data + (q * shape->rows + y) * STRIDE;

          tally_dot (&tally, row, previous_row, WIDTH);
          for (guint x = 0; x < WIDTH; x++)
            difference += (guint64)ABS ((gint)row[x] - (gint)previous_row[x]);
        }
        gst_buffer_unmap (previous, &previous_map);
        gst_buffer_unmap (buffer, &map);
      }
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      check_component (result, "GRAY", &tally, BINS_ARRAY);
      ck_assert_int_eq (gst_structure_has_field (result, "GRAY-difference"), frame > 0);
      if (frame > 0) {
        gdouble mean = -1;

        gst_structure_get_double (result, "GRAY-difference", &mean);
        ck_assert (mean == (gdouble)difference / (gdouble)tally.count);
      }
      gst_clear_buffer (&previous);
      previous = buffer;
    }
    gst_clear_buffer (&previous);
  }
}

/* ---- elements that make them --------------------------------------------------------------------------------------------- */

static gboolean
has_element (const gchar *name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (factory == NULL)
    g_print ("skipped: there is no %s\n", name);
  gst_clear_object (&factory);
  return factory != NULL;
}

/* Rows of two fields in one frame are one picture. test_fields.c counts them apart. */
TEST (test_interlaced)
{
  g_autolist (GstStructure) results = NULL;

  if (!has_element ("interlace"))
    return;
  results = run_line (NULL,
                      "videotestsrc num-buffers=12 ! video/x-raw,format=I420,width=32,height=32,framerate=50/1 ! interlace "
                      "field-pattern=1:1 ! video/x-raw,interlace-mode=interleaved ! cudahisto %s ! fakesink",
                      get_backend_words ());
  ck_assert_uint_ge (g_list_length (results), 5);
  for (GList *at = results; at != NULL; at = at->next)
    ck_assert_uint_eq (get_field_u64 (at->data, "Y-count"), 32 * 32);
}

/* One view of two in each buffer. */
TEST (test_multiview)
{
  g_autolist (GstStructure) results = NULL;

  if (!gst_registry_check_feature_version (gst_registry_get (), "capssetter", 1, 0, 0)) {
    g_print ("skipped: there is no capssetter\n");
    return;
  }
  results = run_line (NULL,
                      "videotestsrc num-buffers=4 ! video/x-raw,format=GRAY8,width=32,height=32,multiview-mode=mono ! "
                      "capssetter caps=video/x-raw,multiview-mode=frame-by-frame,views=2 ! cudahisto %s ! fakesink",
                      get_backend_words ());
  ck_assert_uint_eq (g_list_length (results), 4);
  for (GList *at = results; at != NULL; at = at->next)
    ck_assert_uint_eq (get_field_u64 (at->data, "GRAY-count"), 32 * 32);
}

RIG_MAIN (NULL)
