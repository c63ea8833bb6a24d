/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Boxes of object detectors (GstAnalyticsODMtd) as regions. The test looks up GStreamer's library at run time, as the element
 * does: built with 1.22, which has none, it runs with later versions. */

#define _GNU_SOURCE

#include "rig.h"

#include <dlfcn.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#define LIBRARY "libgstanalytics-1.0.so.0"

enum { WIDTH = 48, HEIGHT = 38, EXIT_SKIP = 77, IS_PART_OF = 1 << 1 };

/* ---- the library ----------------------------------------------------------------------------------------------------- */

typedef struct {
  guint id;
  gpointer meta;
} Mtd;

/* The last one is NULL before 1.26. */
static struct {
  gpointer (*gst_buffer_add_analytics_relation_meta) (GstBuffer *buffer);
  gboolean (*gst_analytics_relation_meta_add_od_mtd) (gpointer meta, GQuark type, gint x, gint y, gint width, gint height,
                                                      gfloat confidence, Mtd *mtd);
  gboolean (*gst_analytics_relation_meta_set_relation) (gpointer meta, gint relation, guint first, guint second);
  gboolean (*gst_analytics_relation_meta_add_oriented_od_mtd) (gpointer meta, GQuark type, gint x, gint y, gint width,
                                                               gint height, gfloat rotation, gfloat confidence, Mtd *mtd);
} library;

static gboolean
find_function (gpointer handle, const gchar *name, gpointer function)
{
  gpointer address = dlsym (handle, name);

  memcpy (function, &address, sizeof address);
  return address != NULL;
}

#define FIND(name) find_function (handle, #name, &library.name)

/* As loading a detector's plugin does. */
static void
load_library (void)
{
  gpointer handle = dlopen (LIBRARY, RTLD_LAZY | RTLD_LOCAL);

  ck_assert (handle != NULL && FIND (gst_buffer_add_analytics_relation_meta) && FIND (gst_analytics_relation_meta_add_od_mtd)
             && FIND (gst_analytics_relation_meta_set_relation));
  FIND (gst_analytics_relation_meta_add_oriented_od_mtd);
}

static gboolean
has_library (void)
{
  gpointer handle = dlopen (LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  guint major, minor, micro, nano;

  if (handle != NULL) {
    dlclose (handle);
    return TRUE;
  }
  gst_version (&major, &minor, &micro, &nano);
  if (minor >= 24)
    g_print ("%s is not installed (Debian package libgstreamer-plugins-bad1.0-0)\n", LIBRARY);
  else
    g_print ("%s is in GStreamer 1.24 and later, and this is %u.%u.%u\n", LIBRARY, major, minor, micro);
  return FALSE;
}

/* ---- buffers --------------------------------------------------------------------------------------------------------- */

typedef struct {
  gint x, y, width, height;
} Area;

static GstBuffer *
draw_buffer (guint index)
{
  guint8 data[WIDTH * HEIGHT];

  fill_random (data, sizeof data);
  return make_buffer (data, sizeof data, index * 40 * GST_MSECOND, 40 * GST_MSECOND);
}

static Rig
open_pictures (const gchar *properties)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=GRAY8,width=%d,height=%d,framerate=25/1", WIDTH, HEIGHT);

  return open_video (properties, caps);
}

/* Takes the buffer. */
static void
push (Rig *rig, GstBuffer *buffer)
{
  ck_assert_int_eq (gst_harness_push (rig->harness, buffer), GST_FLOW_OK);
}

/* The meta to which boxes are added. */
static gpointer
add_meta (GstBuffer *buffer)
{
  return library.gst_buffer_add_analytics_relation_meta (buffer);
}

static guint
add_box (gpointer meta, const gchar *type, const Area *area, gfloat confidence)
{
  Mtd mtd;

  ck_assert (library.gst_analytics_relation_meta_add_od_mtd (meta, type != NULL ? g_quark_from_string (type) : 0, area->x,
                                                             area->y, area->width, area->height, confidence, &mtd));
  return mtd.id;
}

static void
add_roi (GstBuffer *buffer, const gchar *type, const Area *area, gint id)
{
  GstVideoRegionOfInterestMeta *roi = gst_buffer_add_video_region_of_interest_meta (
      buffer, type, (guint)area->x, (guint)area->y, (guint)area->width, (guint)area->height);

  roi->id = id;
  roi->parent_id = -3;
}

/* ---- results --------------------------------------------------------------------------------------------------------- */

static const GstStructure *
get_region (const GstStructure *result, guint index)
{
  const GValue *regions = gst_structure_get_value (result, "regions");

  ck_assert (regions != NULL && index < gst_value_array_get_size (regions));
  return gst_value_get_structure (gst_value_array_get_value (regions, index));
}

static void
check_count (const GstStructure *result, guint count)
{
  const GValue *regions = gst_structure_get_value (result, "regions");

  ck_assert_uint_eq (regions != NULL ? gst_value_array_get_size (regions) : 0, count);
}

static void
check_place (const GstStructure *region, const Area *area, const gchar *type)
{
  static const gchar *const names[] = { "x", "y", "width", "height" };
  const gint numbers[] = { area->x, area->y, area->width, area->height };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    guint number;

    ck_assert (gst_structure_get_uint (region, names[i], &number));
    ck_assert_msg (number == (guint)numbers[i], "%s is %u, not %d", names[i], number, numbers[i]);
  }
  ck_assert (g_strcmp0 (gst_structure_get_string (region, "type"), type) == 0);
}

/* `parent_id` -1: none. */
static void
check_origin (const GstStructure *region, gint id, gint parent_id, gfloat confidence)
{
  gint number = -1;
  gdouble sureness;

  ck_assert (gst_structure_get_int (region, "id", &number));
  ck_assert_int_eq (number, id);
  ck_assert_int_eq (gst_structure_get_int (region, "parent-id", &number), parent_id != -1);
  if (parent_id != -1)
    ck_assert_int_eq (number, parent_id);
  ck_assert (gst_structure_get_double (region, "confidence", &sureness));
  ck_assert (sureness == (gdouble)confidence);
}

/* ---- tests ----------------------------------------------------------------------------------------------------------- */

/* A detector may be loaded after the element has received buffers. */
TEST (test_late_library)
{
  GstStructure *result;
  GstBuffer *buffer = draw_buffer (0);

  g_auto (Rig) rig = open_pictures ("region-metas=true");
  add_roi (buffer, "face", &(const Area){ 1, 2, 3, 4 }, 5);
  push (&rig, buffer);
  result = pop_result (rig.bus);
  check_count (result, 1);
  check_place (get_region (result, 0), &(const Area){ 1, 2, 3, 4 }, "face");
  ck_assert (!gst_structure_has_field (get_region (result, 0), "confidence"));
  gst_structure_free (result);

  load_library ();
  buffer = draw_buffer (1);
  ck_assert_uint_eq (add_box (add_meta (buffer), "cat", &(const Area){ 5, 6, 7, 8 }, 0.25f), 0);
  push (&rig, buffer);
  result = pop_result (rig.bus);
  check_count (result, 1);
  check_place (get_region (result, 0), &(const Area){ 5, 6, 7, 8 }, "cat");
  check_origin (get_region (result, 0), 0, -1, 0.25f);
  gst_structure_free (result);
}

/* The numbers equal those of the same rectangle in the property. The fields have the detector's values. */
TEST (test_fields_and_numbers)
{
  static const Area areas[] = { { 0, 0, 20, 16 }, { 3, 5, 21, 17 }, { 8, 7, 1, 1 } };
  GstBuffer *buffer = draw_buffer (0), *copy = gst_buffer_copy_deep (buffer);
  g_autoptr (GstStructure) result = NULL, named = NULL;
  gpointer meta;

  load_library ();
  g_auto (Rig) rig
      = open_pictures ("region-metas=true message-arrays=packed regions=1,1,2,2 statistics=signalstats+active-picture");
  g_auto (Rig) other
      = open_pictures ("message-arrays=packed regions=0,0,20,16;3,5,21,17;8,7,1,1 statistics=signalstats+active-picture");
  meta = add_meta (buffer);
  ck_assert_uint_eq (add_box (meta, "car", &areas[0], 0.5f), 0);
  ck_assert_uint_eq (add_box (meta, NULL, &areas[1], 1.0f), 1);
  ck_assert_uint_eq (add_box (meta, "plate", &areas[2], 0.9f), 2);
  ck_assert (library.gst_analytics_relation_meta_set_relation (meta, IS_PART_OF, 2, 0));
  push (&rig, buffer);
  push (&other, copy);
  result = pop_result (rig.bus);
  named = pop_result (other.bus);
  check_count (result, 4);
  check_place (get_region (result, 0), &(const Area){ 1, 1, 2, 2 }, NULL);
  ck_assert (!gst_structure_has_field (get_region (result, 0), "confidence"));
  check_origin (get_region (result, 1), 0, -1, 0.5f);
  check_origin (get_region (result, 2), 1, -1, 1.0f);
  check_origin (get_region (result, 3), 2, 0, 0.9f);
  for (guint i = 0; i < G_N_ELEMENTS (areas); i++) {
    g_autoptr (GstStructure) region = gst_structure_copy (get_region (result, i + 1));

    check_place (region, &areas[i], i == 0 ? "car" : i == 1 ? NULL : "plate");
    gst_structure_remove_fields (region, "id", "parent-id", "type", "confidence", NULL);
    check_same_fields (region, get_region (named, i));
  }
}

/* Boxes have signed positions, in pixels of the buffer, and may be cropped. */
TEST (test_clipping)
{
  static const struct {
    Area box, region; /* empty: outside */
  } cases[] = {
    { { 16, 8, 20, 28 }, { 0, 0, 20, 28 } },
    { { -5, -7, 30, 20 }, { 0, 0, 9, 5 } },
    { { 20, 10, 4, 5 }, { 4, 2, 4, 5 } },
    { { 30, 30, 99, 9 }, { 14, 22, 6, 6 } },
    { { G_MININT, 20, G_MAXINT, 4 }, { 0, 0, 0, 0 } },
    { { -100, 20, G_MAXINT, 4 }, { 0, 12, 20, 4 } },
    { { G_MAXINT - 1, 0, G_MAXINT, 9 }, { 0, 0, 0, 0 } },
    { { 0, 0, 16, 38 }, { 0, 0, 0, 0 } },
    { { 20, 10, 0, 5 }, { 0, 0, 0, 0 } },
    { { 20, 10, -4, 5 }, { 0, 0, 0, 0 } },
  };
  GstBuffer *buffer = draw_buffer (0);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
  gpointer meta;
  guint n_regions = 0;

  load_library ();
  crop->x = 16;
  crop->y = 8;
  crop->width = 20;
  crop->height = 28;
  g_auto (Rig) rig = open_pictures ("region-metas=true");
  meta = add_meta (buffer);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    add_box (meta, "cat", &cases[i].box, 0.5f);
  push (&rig, buffer);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "pixels: 3 reach beyond it, measured only where they are inside; 5 are outside it.");
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (cases[i].region.width == 0)
      continue;
    check_place (get_region (result, n_regions), &cases[i].region, "cat");
    check_origin (get_region (result, n_regions), (gint)i, -1, 0.5f);
    ck_assert_uint_eq (get_field_u64 (get_region (result, n_regions), "GRAY-count"),
                       (guint64)(cases[i].region.width * cases[i].region.height));
    n_regions++;
  }
  check_count (result, n_regions);
}

TEST (test_too_many)
{
  GstBuffer *buffer = draw_buffer (0);
  gpointer meta;

  load_library ();
  g_auto (Rig) rig = open_pictures ("region-metas=true regions=0,0,2,2");
  add_roi (buffer, "face", &(const Area){ 9, 9, 2, 2 }, 1);
  meta = add_meta (buffer);
  for (guint i = 0; i < 20; i++)
    add_box (meta, "cat", &(const Area){ (gint)i, 3, 4, 5 }, (gfloat)i / 20);
  push (&rig, buffer);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "pixels: 6 come beyond the 16 that are counted.");
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_count (result, 16);
  check_place (get_region (result, 1), &(const Area){ 9, 9, 2, 2 }, "face");
  for (guint i = 0; i < 14; i++) {
    check_place (get_region (result, i + 2), &(const Area){ (gint)i, 3, 4, 5 }, "cat");
    check_origin (get_region (result, i + 2), (gint)i, -1, (gfloat)i / 20);
  }
}

/* Of a rotated box (1.26) the upright rectangle around it is measured. */
TEST (test_rotated)
{
  static const struct {
    gfloat rotation;
    Area region;
  } cases[] = { { 0, { 10, 12, 20, 10 } }, { (gfloat)(G_PI / 2), { 15, 7, 10, 20 } }, { (gfloat)G_PI, { 10, 12, 20, 10 } } };
  GstBuffer *buffer = draw_buffer (0);
  gpointer meta;

  load_library ();
  if (library.gst_analytics_relation_meta_add_oriented_od_mtd == NULL)
    return;
  g_auto (Rig) rig = open_pictures ("region-metas=true");
  meta = add_meta (buffer);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Mtd mtd;

    ck_assert (library.gst_analytics_relation_meta_add_oriented_od_mtd (meta, g_quark_from_string ("ship"), 10, 12, 20, 10,
                                                                        cases[i].rotation, 0.5f, &mtd));
  }
  push (&rig, buffer);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_count (result, G_N_ELEMENTS (cases));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    check_place (get_region (result, i), &cases[i].region, "ship");
    check_origin (get_region (result, i), (gint)i, -1, 0.5f);
  }
}

/* A detection in both forms is one region. */
TEST (test_twins)
{
  static const Area inside = { 3, 4, 5, 6 }, beyond = { 40, 30, 20, 20 }, clipped = { 40, 30, 8, 8 };
  GstBuffer *buffer = draw_buffer (0);
  gpointer meta;

  load_library ();
  g_auto (Rig) rig = open_pictures ("region-metas=true regions=3,4,5,6");
  add_roi (buffer, "cat", &inside, 0);
  add_roi (buffer, "cat", &beyond, 1);
  add_roi (buffer, "cat", &inside, 7);
  meta = add_meta (buffer);
  add_box (meta, "cat", &inside, 0.5f);  /* 0: the first */
  add_box (meta, "cat", &beyond, 0.75f); /* 1: the second */
  add_box (meta, "dog", &inside, 0.25f); /* another type and number */
  push (&rig, buffer);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
               "pixels: 1 reaches beyond it, measured only where it is inside.");
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_count (result, 5);
  check_place (get_region (result, 0), &inside, NULL);
  ck_assert (!gst_structure_has_field (get_region (result, 0), "confidence"));
  check_place (get_region (result, 1), &inside, "cat");
  check_origin (get_region (result, 1), 0, -3, 0.5f);
  check_place (get_region (result, 2), &clipped, "cat");
  check_origin (get_region (result, 2), 1, -3, 0.75f);
  ck_assert (!gst_structure_has_field (get_region (result, 3), "confidence"));
  check_place (get_region (result, 4), &inside, "dog");
  check_origin (get_region (result, 4), 2, -1, 0.25f);
}

/* The confidence of a box changes with each frame: each result has its own, and no window ends early. */
TEST (test_confidence)
{
  static const gfloat confidences[] = { 0.1f, 0.7f, -1, (gfloat)INFINITY, (gfloat)NAN };
  static const gchar *const properties[] = { "region-metas=true", "region-metas=true window=stream" };

  load_library ();
  for (guint p = 0; p < G_N_ELEMENTS (properties); p++) {
    g_auto (Rig) rig = open_pictures (properties[p]);
    for (guint i = 0; i < G_N_ELEMENTS (confidences); i++) {
      GstBuffer *buffer = draw_buffer (i);

      add_box (add_meta (buffer), "cat", &(const Area){ 3, 4, 5, 6 }, confidences[i]);
      push (&rig, buffer);
    }
    push_eos (&rig);
    for (guint i = 0; i < (p == 0 ? G_N_ELEMENTS (confidences) : 1); i++) {
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      ck_assert_uint_eq (get_field_u64 (result, "frames"), p == 0 ? 1 : G_N_ELEMENTS (confidences));
      if (isfinite (confidences[i]))
        check_origin (get_region (result, 0), 0, -1, confidences[i]);
      else
        ck_assert (!gst_structure_has_field (get_region (result, 0), "confidence"));
    }
    check_bus_empty (rig.bus);
  }
}

/* Other analysis results on the buffer, and boxes without region-metas, have no effect. */
TEST (test_not_asked_for)
{
  GstBuffer *buffer = draw_buffer (0);
  GstStructure *result;

  load_library ();
  g_auto (Rig) rig = open_pictures ("");
  add_box (add_meta (buffer), "cat", &(const Area){ 3, 4, 5, 6 }, 0.5f);
  push (&rig, buffer);
  result = pop_result (rig.bus);
  check_count (result, 0);
  gst_structure_free (result);
  buffer = draw_buffer (1);
  add_meta (buffer);
  g_object_set (rig.element, "region-metas", TRUE, NULL);
  push (&rig, buffer);
  result = pop_result (rig.bus);
  check_count (result, 0);
  gst_structure_free (result);
}

int
main (int argc, char **argv)
{
  if (!has_library ())
    return EXIT_SKIP;
  return run_test_program (argc, argv, test_suite, NULL);
}
