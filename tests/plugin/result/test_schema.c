/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The schema: message and JSON have the same fields, with the names and types that this file repeats. Copies of a buffer keep
 * the meta with the message's fields. */

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "cases.h"
#include "frame/source.h"
#include "fields/fields.h"
#include "result/getters.h"
#include "result/schema.h"

/* ---- results to carry ------------------------------------------------------------------------------------------------ */

typedef struct {
  GstCudaHistoWindowResult result;
  GstCudaHistoSource source;
  GstCudaHistoSpan span;
  struct histo_stats stats;
  struct histo_component_stats components[HISTO_MAX_COMPONENTS];
  uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS];
} Example;

/* Gives component `index` one sample of each value; -1 ends the values. */
static void
set_samples (Example *example, guint index, const gint *values)
{
  struct histo_component_stats *stats = &example->stats.components[index];

  memset (example->histograms[index], 0, sizeof example->histograms[index]);
  *stats = (struct histo_component_stats){ .bins = HISTO_BINS, .histogram = example->histograms[index] };
  for (; *values >= 0; values++) {
    stats->count++;
    stats->sum += (guint64)*values;
    stats->sum_of_squares += (guint64)(*values * *values);
    stats->histogram[*values]++;
  }
}

static void
init_result (Example *example)
{
  example->stats.component_count = example->source.n_components;
  example->stats.components = example->components;
  example->result = (GstCudaHistoWindowResult){
    .element = "histo0",
    .backend = "cpu",
    .source = &example->source,
    .span = &example->span,
    .stats = &example->stats,
    .statistics = GST_CUDA_HISTO_STATISTICS_BASIC,
  };
}

/* Two frames of 2x1 NV12. */
static void
init_video (Example *example)
{
  GstVideoInfo info;

  memset (example, 0, sizeof *example);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 2, 1);
  gst_cuda_histo_source_init_video (&example->source, &info, NULL);
  init_result (example);
  set_samples (example, 0, (const gint[]){ 1, 2, 3, 4, -1 });
  set_samples (example, 1, (const gint[]){ 128, 130, -1 });
  set_samples (example, 2, (const gint[]){ 255, 255, -1 });
  example->span = (GstCudaHistoSpan){
    .frame = 10,
    .frames = 2,
    .timestamp = 400 * GST_MSECOND,
    .stream_time = 500 * GST_MSECOND,
    .running_time = 600 * GST_MSECOND,
    .duration = 80 * GST_MSECOND,
  };
}

static void
init_bytes (Example *example)
{
  memset (example, 0, sizeof *example);
  gst_cuda_histo_source_init_bytes (&example->source);
  init_result (example);
  set_samples (example, 0, (const gint[]){ 0, 10, 20, -1 });
  example->span = (GstCudaHistoSpan){
    .frames = 1,
    .offset = 4096,
    .size = 3,
    .timestamp = GST_CLOCK_TIME_NONE,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
  };
}

/* ---- looking into the carriers --------------------------------------------------------------------------------------- */

static gchar *
list_fields (const GstStructure *structure)
{
  GString *names = g_string_new (NULL);

  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? " " : "", gst_structure_nth_field_name (structure, (guint)i));
  return g_string_free (names, FALSE);
}

static void
check_field (const GstStructure *structure, const gchar *name, const gchar *type, const gchar *value)
{
  const GValue *field = gst_structure_get_value (structure, name);

  fail_unless (field != NULL, "no field %s", name);
  g_autofree gchar *text = gst_value_serialize (field);
  fail_unless (g_str_equal (G_VALUE_TYPE_NAME (field), type) && g_strcmp0 (text, value) == 0, "%s is (%s)%s, not (%s)%s", name,
               G_VALUE_TYPE_NAME (field), text, type, value);
}

/* The same for several fields, in the syntax of a structure. */
static void
check_fields (const GstStructure *structure, const gchar *expected)
{
  g_autofree gchar *text = g_strconcat ("expected, ", expected, NULL);
  g_autoptr (GstStructure) fields = gst_structure_from_string (text, NULL);

  fail_unless (fields != NULL, "%s", expected);
  for (gint i = 0; i < gst_structure_n_fields (fields); i++) {
    const gchar *name = gst_structure_nth_field_name (fields, (guint)i);
    const GValue *field = gst_structure_get_value (fields, name);
    g_autofree gchar *value = gst_value_serialize (field);

    check_field (structure, name, G_VALUE_TYPE_NAME (field), value);
  }
}

static JsonObject *
parse_json (const gchar *json, JsonParser **parser)
{
  GError *error = NULL;

  fail_unless (strchr (json, '\n') == NULL);
  *parser = json_parser_new ();
  json_parser_load_from_data (*parser, json, -1, &error);
  g_assert_no_error (error);
  return json_node_get_object (json_parser_get_root (*parser));
}

static void check_same_as_object (const GstStructure *structure, JsonObject *object, guint others);

/* Fails unless the JSON value equals the field of a message. */
static void
check_json_value (const gchar *name, const GValue *field, JsonNode *node)
{
  if (G_VALUE_HOLDS_UINT64 (field) && g_value_get_uint64 (field) == GST_CLOCK_TIME_NONE) {
    fail_unless (JSON_NODE_HOLDS_NULL (node), "%s", name);
  } else if (G_VALUE_HOLDS_UINT64 (field) || G_VALUE_HOLDS_UINT (field)) {
    guint64 value = G_VALUE_HOLDS_UINT (field) ? g_value_get_uint (field) : g_value_get_uint64 (field);

    fail_unless (json_node_get_value_type (node) == G_TYPE_INT64, "%s", name);
    fail_unless_equals_uint64 ((guint64)json_node_get_int (node), value);
  } else if (G_VALUE_HOLDS_INT (field)) {
    fail_unless (json_node_get_int (node) == g_value_get_int (field), "%s", name);
  } else if (G_VALUE_HOLDS_DOUBLE (field)) {
    fail_unless (json_node_get_value_type (node) == G_TYPE_DOUBLE, "%s", name);
    fail_unless (json_node_get_double (node) == g_value_get_double (field), "%s", name);
  } else if (G_VALUE_HOLDS_STRING (field)) {
    fail_unless_equals_string (json_node_get_string (node), g_value_get_string (field));
  } else if (GST_VALUE_HOLDS_FRACTION (field)) {
    g_autofree gchar *text = gst_value_serialize (field);

    fail_unless_equals_string (json_node_get_string (node), text);
  } else if (GST_VALUE_HOLDS_STRUCTURE (field)) {
    check_same_as_object (gst_value_get_structure (field), json_node_get_object (node), 0);
  } else if (JSON_NODE_HOLDS_OBJECT (node)) {
    static const gchar *const names[] = { "x", "y", "width", "height" };

    fail_unless_equals_int (gst_value_array_get_size (field), G_N_ELEMENTS (names));
    fail_unless_equals_int (json_object_get_size (json_node_get_object (node)), G_N_ELEMENTS (names));
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      check_json_value (name, gst_value_array_get_value (field, i),
                        json_object_get_member (json_node_get_object (node), names[i]));
  } else {
    JsonArray *array = json_node_get_array (node);

    fail_unless (GST_VALUE_HOLDS_ARRAY (field), "%s", name);
    fail_unless_equals_int (json_array_get_length (array), gst_value_array_get_size (field));
    for (guint i = 0; i < json_array_get_length (array); i++)
      check_json_value (name, gst_value_array_get_value (field, i), json_array_get_element (array, i));
  }
}

/* Fails unless the object has all fields of the structure, and `others` more. */
static void
check_same_as_object (const GstStructure *structure, JsonObject *object, guint others)
{
  JsonObject *components = json_object_get_object_member (object, "components");
  guint members = json_object_get_size (object) - 1 - others; /* without `components` */
  GList *names = json_object_get_members (components);
  static const gchar *const groups[] = { "saturation", "hue", NULL };

  for (GList *name = names; name != NULL; name = name->next)
    members += json_object_get_size (json_object_get_object_member (components, name->data));
  g_list_free (names);
  for (guint i = 0; groups[i] != NULL; i++) {
    if (json_object_has_member (object, groups[i]))
      members += json_object_get_size (json_object_get_object_member (object, groups[i])) - 1;
  }
  fail_unless_equals_int (members, gst_structure_n_fields (structure));

  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint)i);
    const gchar *dash = strchr (name, '-');
    g_autofree gchar *component = g_strndup (name, dash != NULL ? (gsize)(dash - name) : strlen (name));
    JsonNode *node;

    if (json_object_has_member (components, component))
      node = json_object_get_member (json_object_get_object_member (components, component), dash + 1);
    else if (g_strv_contains (groups, component))
      node = json_object_get_member (json_object_get_object_member (object, component), dash + 1);
    else
      node = json_object_get_member (object, name);
    fail_unless (node != NULL, "no member %s", name);
    check_json_value (name, gst_structure_get_value (structure, name), node);
  }
}

/* Fails unless the JSON has all fields of the message, and `others` that messages cannot have. */
static void
check_same_as_json (const GstStructure *structure, const gchar *json, guint others)
{
  g_autoptr (JsonParser) parser = NULL;

  check_same_as_object (structure, parse_json (json, &parser), 1 + others); /* the version */
}

static void
check_is_documented (const GstStructure *structure, const gchar *table)
{
  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint)i);
    gchar *row = g_strdup_printf ("| `%s` |", name);

    if (strcmp (name, "regions") == 0) {
      const GValue *regions = gst_structure_get_value (structure, name);

      fail_unless (strstr (table, "`regions`") != NULL);
      for (guint r = 0; r < gst_value_array_get_size (regions); r++)
        check_is_documented (gst_value_get_structure (gst_value_array_get_value (regions, r)), table);
    } else if (strstr (table, row) == NULL) {
      g_free (row);
      row = g_strdup_printf ("| `<C>%s` |", strchr (name, '-'));
      fail_unless (strstr (table, row) != NULL, "%s is not documented", name);
    }
    g_free (row);
  }
}

/* Fails unless message, JSON and documentation have the same fields, except `others` that only JSON can have. Returns the
 * message's structure, which is also the meta's. */
static GstStructure *
check_carriers_but (const GstCudaHistoWindowResult *result, guint others)
{
  GstStructure *structure = gst_cuda_histo_schema_to_structure (result, GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_ARRAY);
  g_autofree gchar *json = gst_cuda_histo_schema_to_json (result, TRUE, TRUE);
  g_autofree gchar *table = gst_cuda_histo_schema_to_markdown ();

  fail_unless (gst_structure_has_name (structure, "cudahisto"));
  fail_unless (g_str_has_prefix (json, "{\"cudahisto\":1,\"element\":"), "%s", json);
  check_same_as_json (structure, json, others);
  check_is_documented (structure, table);
  return structure;
}

static GstStructure *
check_carriers (const GstCudaHistoWindowResult *result)
{
  return check_carriers_but (result, 0);
}

/* Appends the names of the component's numbers with statistics=basic. */
static void
append_basic (GString *names, const gchar *component)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);

    if (field->scope == FIELD_SCOPE_COMPONENT && field->type != FIELD_TYPE_HISTOGRAM && field->condition == NULL
        && (field->statistics == 0 || (field->statistics & STATISTIC_BASIC) != 0))
      g_string_append_printf (names, "%s-%s ", component, field->name);
  }
}

/* Fails unless the structure has the fields of `provenance`, then the numbers of each component, then `arrays`. */
static void
check_basic (const GstStructure *structure, const gchar *provenance, const gchar *components, const gchar *arrays)
{
  g_autoptr (GString) expected = g_string_new (provenance);
  g_auto (GStrv) list = g_strsplit (components, " ", -1);
  g_autofree gchar *names = list_fields (structure);

  for (guint i = 0; list[i] != NULL; i++)
    append_basic (expected, list[i]);
  g_string_append (expected, arrays);
  fail_unless_equals_string (names, expected->str);
}

/* ---- tests ----------------------------------------------------------------------------------------------------------- */

TEST (test_video)
{
  Example example;

  init_video (&example);
  g_autoptr (GstStructure) structure = check_carriers (&example.result);
  check_basic (structure,
               "element backend frame frames format width height depth range colorimetry timestamp stream-time running-time "
               "duration utc-time ended-by ",
               "Y U V", "Y-histogram U-histogram V-histogram");

  check_fields (structure, "element=(string)histo0, backend=(string)cpu, frame=(guint64)10, frames=(guint64)2, "
                           "format=(string)NV12, width=(uint)2, height=(uint)1, depth=(uint)8, range=(string)limited, "
                           "timestamp=(guint64)400000000, stream-time=(guint64)500000000, running-time=(guint64)600000000, "
                           "duration=(guint64)80000000, Y-count=(guint64)4, Y-sum=(guint64)10, "
                           "Y-sum-of-squares=(guint64)30, Y-mean=(double)2.5, Y-variance=(double)1.25, U-mean=(double)129, "
                           "U-stddev=(double)1, V-stddev=(double)0, Y-min=(uint)1, Y-max=(uint)4, Y-low=(uint)1, "
                           "Y-median=(uint)2, Y-high=(uint)4, V-min=(uint)255");
}

TEST (test_bytes)
{
  Example example;

  init_bytes (&example);
  g_autoptr (GstStructure) structure = check_carriers (&example.result);
  check_basic (structure,
               "element backend frame frames offset size format depth range timestamp stream-time running-time duration "
               "utc-time ended-by ",
               "byte", "byte-histogram");
  check_fields (structure, "offset=(guint64)4096, size=(guint64)3, format=(string)bytes, range=(string)full, "
                           "timestamp=(guint64)18446744073709551615, byte-mean=(double)10");
}

/* Every field that only some windows have. */
TEST (test_origin)
{
  static const struct {
    GstClockTime time;
    const gchar *text;
  } times[] = {
    { 0, "1970-01-01T00:00:00.000000Z" },
    { G_GUINT64_CONSTANT (1582934399999999999), "2020-02-28T23:59:59.999999Z" },
    { G_GUINT64_CONSTANT (1767225600000001000), "2026-01-01T00:00:00.000001Z" },
  };
  Example example;
  GstVideoInfo info;
  GstStructure *structure;

  init_video (&example);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 2, 1);
  info.fps_n = 30000;
  info.fps_d = 1001;
  gst_video_colorimetry_from_string (&info.colorimetry, "bt2020");
  gst_cuda_histo_source_init_video (&example.source, &info, NULL);
  example.span.origin = (GstCudaHistoOrigin){
    .timecode = "10:59:59;28",
    .reference_time = 5,
    .reference_clock = "timestamp/x-ntp",
    .has_crop = TRUE,
    .crop = { 7, 8, 2, 1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    example.span.origin.utc_time = times[i].time;
    structure = check_carriers (&example.result);
    fail_unless_equals_string (gst_structure_get_string (structure, "utc-time"), times[i].text);
    gst_structure_free (structure);
  }
  structure = check_carriers (&example.result);
  g_autofree gchar *names = list_fields (structure);
  fail_unless (
      g_str_has_prefix (names,
                        "element backend frame frames format width height crop depth range colorimetry framerate timestamp "
                        "stream-time running-time duration utc-time timecode reference-time reference-clock ended-by Y-count "),
      "%s", names);
  check_fields (structure, "colorimetry=(string)bt2020, framerate=(fraction)30000/1001");
  fail_unless_equals_string (gst_structure_get_string (structure, "timecode"), "10:59:59;28");
  check_field (structure, "reference-time", "guint64", "5");
  fail_unless_equals_string (gst_structure_get_string (structure, "reference-clock"), "timestamp/x-ntp");
  check_field (structure, "crop", "GstValueArray", "< (uint)7, (uint)8, (uint)2, (uint)1 >");
  gst_structure_free (structure);
}

TEST (test_ended_by)
{
  static const gchar *const names[]
      = { "complete", "eos", "stop", "caps", "crop", "regions", "segment", "segment-done", "stream-start" };
  Example example;

  init_video (&example);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    example.span.ended_by = (GstCudaHistoEndedBy)i;
    g_autoptr (GstStructure) structure = check_carriers (&example.result);
    check_field (structure, "ended-by", "gchararray", names[i]);
  }
}

/* Two regions have their own numbers; in the second nothing was counted. Both carriers or neither have their histograms. */
TEST (test_regions)
{
  struct histo_stats parts[GST_CUDA_HISTO_MAX_PARTS] = { 0 };
  const GValue *regions;
  Example example, inside;
  GstStructure *structure;

  init_video (&example);
  init_video (&inside);
  set_samples (&inside, 0, (const gint[]){ 4, -1 });
  parts[0] = example.stats;
  parts[GST_CUDA_HISTO_PART_REGION] = inside.stats;
  example.result.parts = parts;
  example.span.regions = (GstCudaHistoRegions){
    .count = 2,
    .regions = { { .x = 1, .y = 2, .width = 3, .height = 4 },
                 { .width = 5,
                   .height = 6,
                   .is_meta = TRUE,
                   .has_parent = TRUE,
                   .has_confidence = TRUE,
                   .id = 7,
                   .parent_id = -8,
                   .type = "a\xff\"b",
                   .confidence = 0.75 } },
  };
  structure = check_carriers (&example.result);
  regions = gst_structure_get_value (structure, "regions");
  fail_unless_equals_int (gst_value_array_get_size (regions), 2);
  for (guint i = 0; i < 2; i++) {
    const GstStructure *region = gst_value_get_structure (gst_value_array_get_value (regions, i));
    g_autofree gchar *names = list_fields (region);

    fail_unless (gst_structure_has_name (region, "region"));
    fail_unless (g_str_has_prefix (names, i == 0 ? "x y width height Y-count "
                                                 : "x y width height id parent-id type confidence Y-count "),
                 "%s", names);
    check_field (region, "x", "guint", i == 0 ? "1" : "0");
    check_field (region, "height", "guint", i == 0 ? "4" : "6");
    if (i == 1) {
      check_fields (region, "id=(int)7, parent-id=(int)-8, confidence=(double)0.75");
    }
    check_field (region, "Y-count", "guint64", i == 0 ? "1" : "0");
    fail_unless (gst_structure_has_field (region, "Y-max") == (i == 0));
    fail_unless (gst_structure_has_field (region, "Y-histogram"));
  }
  gst_structure_free (structure);

  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_NONE);
  regions = gst_structure_get_value (structure, "regions");
  fail_unless (gst_structure_has_field (structure, "Y-histogram"));
  fail_if (gst_structure_has_field (gst_value_get_structure (gst_value_array_get_value (regions, 0)), "Y-histogram"));
  g_autofree gchar *json = gst_cuda_histo_schema_to_json (&example.result, TRUE, FALSE);
  check_same_as_json (structure, json, 0);
  gst_structure_free (structure);
}

TEST (test_every_component)
{
  static const struct {
    GstVideoFormat format;
    const gchar *names;
  } formats[] = {
    { GST_VIDEO_FORMAT_GRAY8, "GRAY-histogram" },
    { GST_VIDEO_FORMAT_BGR, "R-histogram G-histogram B-histogram" },
    { GST_VIDEO_FORMAT_ABGR, "R-histogram G-histogram B-histogram A-histogram" },
    { GST_VIDEO_FORMAT_YUY2, "Y-histogram U-histogram V-histogram" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    Example example;
    GstVideoInfo info;

    init_video (&example);
    gst_video_info_set_format (&info, formats[i].format, 2, 1);
    gst_cuda_histo_source_init_video (&example.source, &info, NULL);
    init_result (&example);
    for (guint c = 0; c < example.source.n_components; c++)
      set_samples (&example, c, (const gint[]){ 1, (gint)c + 7, -1 });
    g_autoptr (GstStructure) structure = check_carriers (&example.result);
    g_autofree gchar *names = list_fields (structure);
    fail_unless (g_str_has_suffix (names, formats[i].names), "%s", names);
  }
}

TEST (test_histogram)
{
  Example example;
  GstStructure *structure;
  const GValue *histogram;
  g_autoptr (GBytes) bytes = NULL;
  gsize size;
  const guint8 *data;
  gint n_fields;

  init_video (&example);
  example.histograms[0][0] = 0x0102030405060708;
  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_ARRAY);
  n_fields = gst_structure_n_fields (structure);
  histogram = gst_structure_get_value (structure, "Y-histogram");
  fail_unless (GST_VALUE_HOLDS_ARRAY (histogram));
  fail_unless_equals_int (gst_value_array_get_size (histogram), 256);
  for (guint i = 0; i < 256; i++) {
    fail_unless (G_VALUE_HOLDS_UINT64 (gst_value_array_get_value (histogram, i)));
    fail_unless_equals_uint64 (g_value_get_uint64 (gst_value_array_get_value (histogram, i)), example.histograms[0][i]);
  }
  gst_structure_free (structure);

  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_PACKED, GST_CUDA_HISTO_FORM_ARRAY);
  fail_unless_equals_int (gst_structure_n_fields (structure), n_fields);
  fail_unless (gst_structure_get (structure, "Y-histogram", G_TYPE_BYTES, &bytes, NULL));
  data = g_bytes_get_data (bytes, &size);
  fail_unless_equals_uint64 (size, 256 * 8 + 1); /* a multiple of 3 */
  fail_unless (data[256 * 8] == 0);
  fail_unless (memcmp (data, "\x08\x07\x06\x05\x04\x03\x02\x01", 8) == 0);
  for (guint i = 0; i < 256; i++)
    fail_unless_equals_uint64 (GST_READ_UINT64_LE (data + 8 * i), example.histograms[0][i]);
  gst_structure_free (structure);

  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_NONE, GST_CUDA_HISTO_FORM_ARRAY);
  fail_unless_equals_int (gst_structure_n_fields (structure), n_fields - 3);
  fail_if (gst_structure_has_field (structure, "Y-histogram"));
  gst_structure_free (structure);

  g_autofree gchar *json = gst_cuda_histo_schema_to_json (&example.result, TRUE, TRUE);
  fail_unless (strstr (json, "\"histogram\":[72623859790382856,1,1,1,1,0,0,") != NULL, "%s", json);
}

/* Every field that is an array, in every carrier. */
TEST (test_arrays)
{
  static uint64_t waveform[2 * HISTO_BINS], vectorscope[HISTO_VECTORSCOPE];
  struct histo_picture_stats picture = { .statistics = HISTO_STATISTIC_VECTORSCOPE, .vectorscope = vectorscope };
  Example example;
  GstStructure *structure;
  const GValue *rows;
  gchar *names, *json;
  GBytes *bytes;
  gsize size;
  const guint8 *data;

  init_video (&example);
  for (guint i = 0; i < G_N_ELEMENTS (waveform); i++)
    waveform[i] = 1000 + i;
  for (guint i = 0; i < G_N_ELEMENTS (vectorscope); i++)
    vectorscope[i] = i * G_GUINT64_CONSTANT (0x100000001);
  example.components[0].waveform_columns = 2;
  example.components[0].waveform = waveform;
  example.stats.picture = &picture;

  /* Counted but not requested. */
  structure = check_carriers (&example.result);
  fail_if (gst_structure_has_field (structure, "Y-waveform"));
  fail_if (gst_structure_has_field (structure, "vectorscope"));
  gst_structure_free (structure);

  example.result.statistics |= GST_CUDA_HISTO_STATISTICS_WAVEFORM | GST_CUDA_HISTO_STATISTICS_VECTORSCOPE;
  structure = check_carriers (&example.result);
  names = list_fields (structure);
  fail_unless (g_str_has_suffix (names, " V-high Y-histogram Y-waveform U-histogram V-histogram vectorscope"), "%s", names);
  g_free (names);
  rows = gst_structure_get_value (structure, "Y-waveform");
  fail_unless_equals_int (gst_value_array_get_size (rows), 2);
  rows = gst_value_array_get_value (rows, 1);
  fail_unless_equals_int (gst_value_array_get_size (rows), 256);
  fail_unless_equals_uint64 (g_value_get_uint64 (gst_value_array_get_value (rows, 3)), 1000 + 256 + 3);
  rows = gst_structure_get_value (structure, "vectorscope");
  fail_unless_equals_int (gst_value_array_get_size (rows), 256);
  rows = gst_value_array_get_value (rows, 255);
  fail_unless_equals_int (gst_value_array_get_size (rows), 256);
  fail_unless_equals_uint64 (g_value_get_uint64 (gst_value_array_get_value (rows, 254)), vectorscope[65534]);
  gst_structure_free (structure);

  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_NONE, GST_CUDA_HISTO_FORM_PACKED);
  fail_unless (gst_structure_get (structure, "Y-waveform", G_TYPE_BYTES, &bytes, NULL));
  data = g_bytes_get_data (bytes, &size);
  fail_unless_equals_uint64 (size, sizeof waveform + 2);
  fail_unless (data[sizeof waveform] == 0 && data[sizeof waveform + 1] == 0);
  for (guint i = 0; i < G_N_ELEMENTS (waveform); i++)
    fail_unless (GST_READ_UINT64_LE (data + 8 * i) == 1000 + i);
  g_bytes_unref (bytes);
  fail_unless (gst_structure_get (structure, "vectorscope", G_TYPE_BYTES, &bytes, NULL));
  data = g_bytes_get_data (bytes, &size);
  fail_unless_equals_uint64 (size, sizeof vectorscope + 1);
  fail_unless (memcmp (data + 8 * 65534, "\xfe\xff\0\0\xfe\xff\0\0", 8) == 0);
  g_bytes_unref (bytes);
  gst_structure_free (structure);

  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_NONE);
  fail_if (gst_structure_has_field (structure, "Y-waveform"));
  fail_if (gst_structure_has_field (structure, "vectorscope"));
  fail_unless (gst_structure_has_field (structure, "Y-histogram"));
  gst_structure_free (structure);
  json = gst_cuda_histo_schema_to_json (&example.result, TRUE, FALSE);
  fail_unless (strstr (json, "waveform") == NULL);
  fail_unless (strstr (json, "vectorscope") == NULL);
  g_free (json);
  json = gst_cuda_histo_schema_to_json (&example.result, TRUE, TRUE);
  fail_unless (strstr (json, "\"waveform\":[[1000,1001,") != NULL);
  fail_unless (strstr (json, ",1254,1255],[1256,1257,") != NULL);
  g_free (json);
}

/* If nothing was counted, mean and minimum are absent, and sums and counters are 0. */
TEST (test_empty_window)
{
  static const gint none[] = { -1 };

  for (guint with_components = 0; with_components < 2; with_components++) {
    Example example;
    GstStructure *structure;

    init_bytes (&example);
    if (with_components)
      set_samples (&example, 0, none);
    else
      example.stats.component_count = 0; /* the contents of the components are invalid */
    structure = check_carriers (&example.result);
    g_autofree gchar *names = list_fields (structure);
    fail_unless (g_str_has_suffix (names, " duration utc-time ended-by byte-count byte-sum byte-sum-of-squares byte-histogram"),
                 "%s", names);
    check_fields (structure, "byte-count=(guint64)0, byte-sum-of-squares=(guint64)0");
    fail_unless_equals_int (gst_value_array_get_size (gst_structure_get_value (structure, "byte-histogram")), 256);
    gst_structure_free (structure);

    example.result.bins = GST_CUDA_HISTO_BINS_NATIVE;
    example.stats.component_count = 0;
    example.source.depth = 16;
    structure = check_carriers (&example.result);
    fail_unless_equals_int (gst_value_array_get_size (gst_structure_get_value (structure, "byte-histogram")), 65536);
    gst_structure_free (structure);
  }
}

TEST (test_dot)
{
  Example example;

  init_video (&example);
  example.stats.components[0].dot = 1234;
  example.stats.components[0].dot_count = 4;
  example.stats.components[1].dot_count = 1; /* of two samples; the product was 0 */
  g_autoptr (GstStructure) structure = check_carriers (&example.result);
  check_fields (structure, "Y-dot=(guint64)1234, Y-dot-count=(guint64)4, U-dot=(guint64)0, U-dot-count=(guint64)1");
  fail_if (gst_structure_has_field (structure, "V-dot"));
  fail_if (gst_structure_has_field (structure, "V-dot-count"));
  g_autofree gchar *names = list_fields (structure);
  fail_unless (strstr (names, "Y-high Y-dot Y-dot-count U-count") != NULL, "%s", names);
}

/* Adds a picture of eight luma samples and four chroma samples, three of which have saturation 10 and hue 90. */
static void
add_picture (Example *example, struct histo_picture_stats *picture, guint32 statistics)
{
  static uint64_t saturation[182] = { [3] = 1, [10] = 3 }, hue[HISTO_HUES] = { [0] = 1, [90] = 3 };

  *picture = (struct histo_picture_stats){ .statistics = statistics, .luma_count = 8, .chroma_count = 4 };
  if (statistics & HISTO_STATISTIC_SATURATION) {
    picture->saturation_count = G_N_ELEMENTS (saturation);
    picture->saturation = saturation;
  }
  if (statistics & HISTO_STATISTIC_HUE)
    picture->hue = hue;
  picture->outliers = statistics & HISTO_STATISTIC_OUTLIERS ? 2 : 0;
  picture->repeats = 0;
  picture->out_of_range = statistics & HISTO_STATISTIC_OUT_OF_RANGE ? 8 : 0;
  picture->gamut_errors = statistics & HISTO_STATISTIC_GAMUT ? 5 : 0;
  example->stats.picture = picture;
}

/* Fails unless the field is an array of `n_counters` (0: absent), and counter `index` is 3. */
static void
check_counters (const GstStructure *structure, const gchar *name, guint n_counters, guint index)
{
  const GValue *array = gst_structure_get_value (structure, name);

  fail_unless ((array != NULL) == (n_counters > 0), "%s", name);
  if (array == NULL)
    return;
  fail_unless (GST_VALUE_HOLDS_ARRAY (array));
  fail_unless_equals_int (gst_value_array_get_size (array), n_counters);
  fail_unless_equals_uint64 (g_value_get_uint64 (gst_value_array_get_value (array, index)), 3);
}

/* A number is present if it was requested and counted. */
TEST (test_statistics)
{
  static const struct {
    guint32 asked, counted;
    const gchar *fields; /* without those of basic */
  } cases[] = {
    { GST_CUDA_HISTO_STATISTICS_BASIC, 0, "" },
    { GST_CUDA_HISTO_STATISTICS_SATURATION, HISTO_STATISTIC_SATURATION,
      "saturation-min saturation-low saturation-mean saturation-high saturation-max " },
    { GST_CUDA_HISTO_STATISTICS_HUE, HISTO_STATISTIC_HUE, "hue-median hue-mean " },
    { GST_CUDA_HISTO_STATISTICS_OUTLIERS, HISTO_STATISTIC_OUTLIERS, "outliers outliers-count " },
    { GST_CUDA_HISTO_STATISTICS_REPEATS, HISTO_STATISTIC_REPEATS, "repeats repeats-count " },
    { GST_CUDA_HISTO_STATISTICS_BROADCAST_RANGE, HISTO_STATISTIC_OUT_OF_RANGE, "out-of-range out-of-range-count " },
    { GST_CUDA_HISTO_STATISTICS_GAMUT, HISTO_STATISTIC_GAMUT, "out-of-gamut out-of-gamut-count " },
    { GST_CUDA_HISTO_STATISTICS_GAMUT, 0, "" },
    { GST_CUDA_HISTO_STATISTICS_SIGNALSTATS, HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS,
      "outliers outliers-count repeats repeats-count " },
    { GST_CUDA_HISTO_STATISTICS_SIGNALSTATS, 0, "" },
    { GST_CUDA_HISTO_STATISTICS_SIGNALSTATS, 0xfc,
      "saturation-min saturation-low saturation-mean saturation-high saturation-max hue-median hue-mean outliers "
      "outliers-count repeats repeats-count out-of-range out-of-range-count " },
  };
  static const gchar provenance[] = " utc-time ended-by ";

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    struct histo_picture_stats picture;
    gchar *names, *end;
    Example example;

    init_video (&example);
    example.result.statistics = (GstCudaHistoStatistics)cases[i].asked;
    if (cases[i].counted != 0)
      add_picture (&example, &picture, cases[i].counted);
    g_autoptr (GstStructure) structure = check_carriers (&example.result);
    names = list_fields (structure);
    end = strstr (names, "Y-count");
    fail_unless (end != NULL && strstr (names, provenance) != NULL, "%s", names);
    *end = '\0';
    fail_unless_equals_string (strstr (names, provenance) + strlen (provenance), cases[i].fields);
    g_free (names);
    fail_unless (gst_structure_has_field (structure, "Y-mean")
                 == ((cases[i].asked & GST_CUDA_HISTO_STATISTICS_HISTOGRAM) != 0));
    fail_unless (gst_structure_has_field (structure, "U-histogram") == gst_structure_has_field (structure, "Y-mean"));
    fail_unless (gst_structure_has_field (structure, "V-used-bits")
                 == ((cases[i].asked & GST_CUDA_HISTO_STATISTICS_USED_BITS) != 0));
    if (cases[i].counted & HISTO_STATISTIC_SATURATION) {
      check_fields (structure, "saturation-min=(uint)3, saturation-low=(uint)3, saturation-mean=(double)8.25, "
                               "saturation-high=(uint)10, saturation-max=(uint)10");
    }
    check_counters (structure, "saturation-histogram", cases[i].counted & HISTO_STATISTIC_SATURATION ? 182 : 0, 10);
    check_counters (structure, "hue-histogram", cases[i].counted & HISTO_STATISTIC_HUE ? 360 : 0, 90);
    if (cases[i].counted & HISTO_STATISTIC_HUE) {
      check_fields (structure, "hue-median=(uint)90, hue-mean=(double)67.5");
    }
    if (cases[i].counted & HISTO_STATISTIC_OUTLIERS) {
      check_fields (structure, "outliers=(double)0.25, outliers-count=(guint64)2");
    }
    if (cases[i].counted & HISTO_STATISTIC_REPEATS) {
      check_fields (structure, "repeats=(double)0, repeats-count=(guint64)0");
    }
    if (cases[i].counted & HISTO_STATISTIC_OUT_OF_RANGE) {
      check_fields (structure, "out-of-range=(double)1, out-of-range-count=(guint64)8");
    }
    if (cases[i].counted & HISTO_STATISTIC_GAMUT) {
      check_fields (structure, "out-of-gamut=(double)0.625, out-of-gamut-count=(guint64)5");
    }
    if (cases[i].asked & GST_CUDA_HISTO_STATISTICS_USED_BITS) {
      check_field (structure, "Y-used-bits", "guint", "3"); /* 1, 2, 3, 4 */
      check_field (structure, "U-used-bits", "guint", "2"); /* 128, 130 */
      check_fields (structure, "V-used-bits=(uint)8, Y-used-mask=(uint)7, U-used-mask=(uint)130, V-used-mask=(uint)255");
    }
  }
}

/* If a bin covers four values, the mask has the bits that are 1 in all four. */
TEST (test_used_mask_of_few_counters)
{
  Example example;

  init_video (&example);
  example.result.statistics |= GST_CUDA_HISTO_STATISTICS_USED_BITS;
  example.components[1].depth = 10;
  g_autoptr (GstStructure) structure = check_carriers (&example.result);
  check_fields (structure, "U-max=(uint)520, U-used-bits=(uint)2, U-used-mask=(uint)520");
}

/* Lines include the counters of saturation and hue with histograms, messages with arrays. */
TEST (test_counters_of_colours)
{
  struct histo_picture_stats picture;
  struct histo_stats parts[GST_CUDA_HISTO_MAX_PARTS] = { 0 };
  Example example;

  init_video (&example);
  example.result.statistics |= GST_CUDA_HISTO_STATISTICS_SATURATION | GST_CUDA_HISTO_STATISTICS_HUE;
  add_picture (&example, &picture, HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE);
  parts[0] = parts[GST_CUDA_HISTO_PART_REGION] = example.stats;
  example.result.parts = parts;
  example.span.regions.count = 1;
  for (guint arrays = 0; arrays < 3; arrays++)
    for (guint bins = 0; bins < 3; bins++) {
      g_autoptr (GstStructure) structure = gst_cuda_histo_schema_to_structure (&example.result, bins, arrays);
      const GstStructure *region
          = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (structure, "regions"), 0));
      const GType types[] = { G_TYPE_INVALID, GST_TYPE_ARRAY, G_TYPE_BYTES }, type = types[arrays];

      fail_unless (gst_structure_get_field_type (structure, "saturation-histogram") == type);
      fail_unless (gst_structure_get_field_type (structure, "hue-histogram") == type);
      fail_unless (gst_structure_get_field_type (region, "hue-histogram")
                   == (bins == GST_CUDA_HISTO_FORM_NONE ? G_TYPE_INVALID : type));
      if (type == G_TYPE_BYTES) {
        g_autoptr (GBytes) bytes = NULL;
        gsize size;

        fail_unless (gst_structure_get (structure, "hue-histogram", G_TYPE_BYTES, &bytes, NULL));
        fail_unless_equals_uint64 (GST_READ_UINT64_LE ((const guint8 *)g_bytes_get_data (bytes, &size) + 8 * 90), 3);
        fail_unless_equals_uint64 (size, 8 * 360);
      }
    }
  for (guint has_arrays = 0; has_arrays < 2; has_arrays++)
    for (guint has_histograms = 0; has_histograms < 2; has_histograms++) {
      g_autofree gchar *json = gst_cuda_histo_schema_to_json (&example.result, (gboolean)has_histograms, (gboolean)has_arrays);
      const gchar *regions = strstr (json, "\"regions\":");
      const gchar *hue = strstr (json, ",\"mean\":67.5,\"histogram\":[1,0,0,"),
                  *last = g_strrstr (json, ",\"mean\":67.5,\"hist");

      fail_unless ((strstr (json, ",\"max\":10,\"histogram\":[0,0,0,1,0,0,0,0,0,0,3,0,") != NULL) == has_histograms);
      fail_unless ((hue != NULL) == has_histograms && regions != NULL);
      fail_unless ((last > regions) == (has_histograms && has_arrays));
    }
}

/* An empty window has none of the requested statistics. */
TEST (test_statistics_of_nothing)
{
  struct histo_picture_stats picture;
  GstStructure *structure;
  Example example;

  init_video (&example);
  example.result.statistics = GST_CUDA_HISTO_STATISTICS_SIGNALSTATS & ~GST_CUDA_HISTO_STATISTICS_HISTOGRAM;
  add_picture (&example, &picture, 0xfc);
  picture.luma_count = picture.chroma_count = 0;
  for (guint c = 0; c < 3; c++)
    set_samples (&example, c, (const gint[]){ -1 });
  for (guint i = 0; i < 2; i++) {
    structure = check_carriers (&example.result);
    g_autofree gchar *names = list_fields (structure);
    fail_unless (g_str_has_suffix (names, " ended-by Y-count U-count V-count"), "%s", names);
    gst_structure_free (structure);
    example.stats.picture = NULL;
    example.stats.component_count = 0;
  }
}

TEST (test_difference)
{
  GstStructure *structure;
  Example example;

  init_video (&example);
  example.stats.components[0].absolute_difference = 7;
  example.stats.components[0].difference_count = 4;
  example.stats.components[1].difference_count = 1; /* of two samples, which are equal */
  structure = check_carriers (&example.result);
  fail_if (gst_structure_has_field (structure, "Y-difference")); /* not requested */
  gst_structure_free (structure);
  example.result.statistics = GST_CUDA_HISTO_STATISTICS_BASIC | GST_CUDA_HISTO_STATISTICS_DIFFERENCE;
  structure = check_carriers (&example.result);
  check_fields (structure, "Y-difference=(double)1.75, Y-difference-count=(guint64)4, Y-sad=(guint64)7, "
                           "U-difference=(double)0");
  fail_if (gst_structure_has_field (structure, "V-difference"));
  g_autofree gchar *names = list_fields (structure);
  fail_unless (strstr (names, "Y-high Y-difference Y-difference-count Y-sad U-count") != NULL, "%s", names);
  gst_structure_free (structure);
}

/* Sums of differences, and the numbers derived from them. Without differences PSNR is infinite, and null in JSON. */
TEST (test_comparison)
{
  GstStructure *structure;
  Example example;
  g_autoptr (JsonParser) parser = NULL;
  JsonObject *luma;
  g_autofree gchar *json = NULL, *names = NULL;

  init_video (&example);
  for (guint c = 0; c < 3; c++)
    example.stats.components[c].depth = c == 1 ? 10 : 8;
  example.stats.components[0].absolute_difference = 7;
  example.stats.components[0].squared_difference = 13;
  example.stats.components[0].difference_count = 4;
  example.stats.components[1].squared_difference_high = 1; /* 2^64 */
  example.stats.components[1].difference_count = G_GUINT64_CONSTANT (1) << 50;
  example.result.statistics = GST_CUDA_HISTO_STATISTICS_COMPARISON;
  structure = check_carriers_but (&example.result, 1);
  check_fields (structure, "Y-difference=(double)1.75, Y-difference-count=(guint64)4, Y-sad=(guint64)7, Y-ssd=(guint64)13, "
                           "Y-mse=(double)3.25");
  check_field (structure, "Y-psnr", "gdouble", "43.011969998890358"); /* 10 log10 (255 * 255 / 3.25) */
  fail_if (gst_structure_has_field (structure, "U-ssd"));             /* more than 64 bits: only in JSON */
  check_field (structure, "U-mse", "gdouble", "16384");
  check_field (structure, "U-psnr", "gdouble", "18.053313281285838"); /* 10 log10 (1023 * 1023 / 16384) */
  fail_if (gst_structure_has_field (structure, "V-mse"));
  names = list_fields (structure);
  fail_unless (strstr (names, "Y-count Y-difference Y-difference-count Y-sad Y-ssd Y-mse Y-psnr U-count") != NULL, "%s", names);
  gst_structure_free (structure);

  example.stats.components[0].absolute_difference = example.stats.components[0].squared_difference = 0;
  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_ARRAY);
  check_field (structure, "Y-mse", "gdouble", "0");
  check_field (structure, "Y-psnr", "gdouble", "inf");
  gst_structure_free (structure);
  json = gst_cuda_histo_schema_to_json (&example.result, TRUE, TRUE);
  luma = json_object_get_object_member (json_object_get_object_member (parse_json (json, &parser), "components"), "Y");
  fail_unless (json_node_is_null (json_object_get_member (luma, "psnr")), "%s", json);
  fail_unless (json_object_get_double_member (luma, "mse") == 0);
}

/* An integer of more than 64 bits is in the line, with all digits, and not in the message. */
TEST (test_wide_integers)
{
  static const gchar *const members[] = {
    "\"metered-luma\":1.8446744073709552e+19,\"metered-luma-sum\":18446744073709551616,\"metered-luma-weights\":1,",
    "\"sum-of-squares\":340282366920938463463374607431768211455,",
    "\"dot\":36893488147419103233,\"dot-count\":4,",
    "\"ssd\":55340232221128654848,\"mse\":",
    "\"reference\":{\"difference\":0.0,\"difference-count\":4,\"sad\":0,\"ssd\":73786976294838206473,\"mse\":",
  };
  static const gchar *const names[] = { "metered-luma-sum", "Y-sum-of-squares", "Y-dot", "Y-ssd", "Y-reference-ssd" };
  GstCudaHistoMeteredLuma luma = { .sum_high = 1, .weights = 1 };
  struct histo_stats parts[GST_CUDA_HISTO_MAX_PARTS] = { 0 };
  struct histo_component_stats *stats;
  Example example, reference;
  GstStructure *structure;
  gchar *json;

  init_video (&example);
  init_video (&reference);
  example.result.statistics |= GST_CUDA_HISTO_STATISTICS_COMPARISON;
  example.result.metered_luma = &luma;
  parts[GST_CUDA_HISTO_PART_REFERENCE] = reference.stats;
  example.result.parts = parts;
  reference.components[0].difference_count = 4;
  reference.components[0].squared_difference_high = 4;
  reference.components[0].squared_difference = 9;
  stats = &example.components[0];
  stats->dot_count = stats->difference_count = 4;
  stats->sum_of_squares = stats->sum_of_squares_high = G_MAXUINT64;
  stats->dot_high = 2;
  stats->dot = 1;
  stats->squared_difference_high = 3;
  for (guint width = 0; width < 2; width++) {
    structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_ARRAY);
    json = gst_cuda_histo_schema_to_json (&example.result, TRUE, TRUE);
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
      fail_unless (gst_structure_has_field (structure, names[i]) == (width == 1), "%s", names[i]);
      fail_unless ((strstr (json, members[i]) != NULL) == (width == 0), "%s %s", members[i], json);
    }
    g_free (json);
    gst_structure_free (structure);
    reference.components[0].squared_difference_high = luma.sum_high = 0;
    stats->sum_of_squares_high = stats->dot_high = stats->squared_difference_high = 0;
  }
}

/* The numerators and denominators of the distances, of the previous frames and of the reference's. */
TEST (test_distances)
{
  GstCudaHistoDistance previous[HISTO_MAX_COUNTED] = { { 3, 4 } }, other[HISTO_MAX_COUNTED] = { { 1, 4 }, { 0, 2 } };
  GstStructure *structure;
  Example example;

  init_video (&example);
  example.result.statistics |= GST_CUDA_HISTO_STATISTICS_COMPARISON;
  example.result.distances = previous;
  structure = check_carriers (&example.result);
  check_fields (structure, "Y-histogram-distance=(double)0.75, Y-histogram-distance-moved=(guint64)3, "
                           "Y-histogram-distance-count=(guint64)4");
  fail_if (gst_structure_has_field (structure, "U-histogram-distance-moved"));
  gst_structure_free (structure);

  example.result.reference_distances = other;
  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_ARRAY);
  check_fields (structure, "Y-reference-histogram-distance-moved=(guint64)1, "
                           "U-reference-histogram-distance-moved=(guint64)0, U-reference-histogram-distance-count=(guint64)2");
  fail_if (gst_structure_has_field (structure, "V-reference-histogram-distance-count"));
  gst_structure_free (structure);
  g_autofree gchar *json = gst_cuda_histo_schema_to_json (&example.result, TRUE, TRUE);
  fail_unless (strstr (json, "\"reference\":{\"histogram-distance\":0.25,\"histogram-distance-moved\":1,"
                             "\"histogram-distance-count\":4}")
                   != NULL,
               "%s", json);
}

/* Rows without columns are no active picture. The extent keeps them, since a later frame may add columns. */
TEST (test_active_picture)
{
  static const struct {
    guint x, y, width, height;
    const gchar *picture, *extent;
  } cases[] = {
    { 1, 2, 3, 4, "< (uint)1, (uint)2, (uint)3, (uint)4 >", "< (uint)1, (uint)2, (uint)3, (uint)4 >" },
    { 0, 2, 0, 4, "< (uint)0, (uint)0, (uint)0, (uint)0 >", "< (uint)0, (uint)2, (uint)0, (uint)4 >" },
    { 1, 0, 3, 0, "< (uint)0, (uint)0, (uint)0, (uint)0 >", "< (uint)1, (uint)0, (uint)3, (uint)0 >" },
    { 0, 0, 0, 0, "< (uint)0, (uint)0, (uint)0, (uint)0 >", "< (uint)0, (uint)0, (uint)0, (uint)0 >" },
  };
  GstCudaHistoRegion active[GST_CUDA_HISTO_MAX_PARTS] = { { 0 } };
  GstStructure *structure;
  Example example;

  init_video (&example);
  example.result.active_pictures = active;
  structure = check_carriers (&example.result);
  fail_if (gst_structure_has_field (structure, "active-extent")); /* not requested */
  gst_structure_free (structure);
  example.result.statistics |= GST_CUDA_HISTO_STATISTICS_ACTIVE_PICTURE;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    active[0].x = cases[i].x;
    active[0].y = cases[i].y;
    active[0].width = cases[i].width;
    active[0].height = cases[i].height;
    structure = check_carriers (&example.result);
    check_field (structure, "active-picture", "GstValueArray", cases[i].picture);
    check_field (structure, "active-extent", "GstValueArray", cases[i].extent);
    gst_structure_free (structure);
  }
}

TEST (test_large_integers_in_json)
{
  Example example;
  g_autoptr (JsonParser) parser = NULL;

  init_bytes (&example);
  example.stats.components[0].sum_of_squares = G_MAXUINT64;
  example.span.offset = G_MAXUINT64 - 1;
  example.span.size = (guint64)G_MAXINT64 + 1;
  example.span.timestamp = GST_CLOCK_TIME_NONE - 1;
  example.histograms[0][255] = G_MAXINT64;
  example.histograms[0][254] = G_MAXUINT64 - 9;
  example.result.element = "x\\\"-5,1e-08.0\\";
  g_autofree gchar *json = gst_cuda_histo_schema_to_json (&example.result, TRUE, TRUE);
  fail_unless (strstr (json, "\"element\":\"x\\\\\\\"-5,1e-08.0\\\\\",") != NULL, "%s", json);
  fail_unless (strstr (json, "\"sum-of-squares\":18446744073709551615,") != NULL, "%s", json);
  fail_unless (strstr (json, "\"offset\":18446744073709551614,") != NULL, "%s", json);
  fail_unless (strstr (json, "\"size\":9223372036854775808,") != NULL, "%s", json);
  fail_unless (strstr (json, "\"timestamp\":18446744073709551614,") != NULL, "%s", json);
  fail_unless (strstr (json, "\"stream-time\":null,") != NULL, "%s", json);
  fail_unless (strstr (json, ",0,18446744073709551606,9223372036854775807]}}}") != NULL, "%s", json);
  parse_json (json, &parser);
}

/* One sample is 1 and all others are 0: the mean is a power of ten. */
TEST (test_doubles_in_json)
{
  for (guint64 count = 1; count <= 100000000000; count *= 10) {
    const gboolean is_mean_alone_small = count == 100000000;
    Example example;
    g_autoptr (JsonParser) parser = NULL;
    JsonObject *object;

    init_bytes (&example);
    set_samples (&example, 0, (const gint[]){ 1, -1 });
    example.stats.components[0].count = count;
    example.histograms[0][0] = count - 1;
    if (is_mean_alone_small)
      example.stats.components[0].sum_of_squares = 4 * count;
    g_autofree gchar *json = gst_cuda_histo_schema_to_json (&example.result, TRUE, TRUE);
    for (const gchar *e = json; (e = strstr (e, "e-")) != NULL; e++) {
      gsize digits = strspn (e + 2, "0123456789");

      fail_if (digits > 0 && e[2 + digits] == '.', "%s", json);
    }
    object = parse_json (json, &parser);
    object = json_object_get_object_member (json_object_get_object_member (object, "components"), "byte");
    fail_unless (json_object_get_double_member (object, "mean") == 1.0 / (double)count, "%s", json);
    gst_structure_free (check_carriers (&example.result));
  }
}

TEST (test_strange_names)
{
  static const gchar *const names[] = { "", "quote\"d", "new\nline", "\x01", "hört", "{\"a\":-1}", "a,b=(string)c; \\" };
  Example example;
  GstStructure *structure;

  init_video (&example);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    example.result.element = names[i];
    structure = check_carriers (&example.result);
    fail_unless_equals_string (gst_structure_get_string (structure, "element"), names[i]);
    gst_structure_free (structure);
  }

  example.result.element = "no\xff"
                           "utf8";
  structure = check_carriers (&example.result);
  fail_unless_equals_string (gst_structure_get_string (structure, "element"), "no\xef\xbf\xbdutf8");
  gst_structure_free (structure);
}

/* The message as gst-launch -m prints it. */
TEST (test_printed_message)
{
  Example example;
  g_autoptr (GstStructure) structure = NULL, parsed = NULL;

  init_video (&example);
  structure = gst_cuda_histo_schema_to_structure (&example.result, GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_ARRAY);
  g_autofree gchar *text = gst_structure_to_string (structure);
  fail_unless (g_str_has_prefix (text, "cudahisto, element=(string)histo0, backend=(string)cpu, frame=(guint64)10, "), "%s",
               text);
  fail_unless (strstr (text, "Y-mean=(double)2.5, ") != NULL, "%s", text);
  fail_unless (strstr (text, ", Y-histogram=(guint64)< 0, 1, 1, 1, 1, 0, ") != NULL, "%s", text);
  parsed = gst_structure_from_string (text, NULL);
  fail_unless (parsed != NULL);
  fail_unless (gst_structure_has_field (parsed, "Y-histogram"));
}

static gpointer
register_meta (gpointer unused G_GNUC_UNUSED)
{
  gst_cuda_histo_schema_register_meta ();
  return (gpointer)gst_meta_get_info ("GstCudaHistoMeta");
}

TEST (test_meta_is_registered_once)
{
  GThread *threads[8];
  const GstMetaInfo *info;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("register", register_meta, NULL);
  info = register_meta (NULL);
  fail_unless (info != NULL);
  fail_unless (gst_meta_info_is_custom (info));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless (g_thread_join (threads[i]) == info);
  fail_unless_equals_string (gst_meta_api_type_get_tags (info->api)[0], "video");
  fail_unless (gst_meta_api_type_get_tags (info->api)[1] == NULL);
}

/* Puts the result into a meta. */
static void
add_meta (GstBuffer *buffer, const GstCudaHistoWindowResult *result)
{
  g_autoptr (GstStructure) structure
      = gst_cuda_histo_schema_to_structure (result, GST_CUDA_HISTO_FORM_PACKED, GST_CUDA_HISTO_FORM_ARRAY);
  GstCustomMeta *meta;

  gst_cuda_histo_schema_register_meta ();
  meta = gst_buffer_add_custom_meta (buffer, "GstCudaHistoMeta");
  fail_unless (meta != NULL);
  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint)i);

    gst_structure_set_value (gst_custom_meta_get_structure (meta), name, gst_structure_get_value (structure, name));
  }
}

static void
check_has_meta (GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "GstCudaHistoMeta");
  guint64 sum;

  fail_unless (meta != NULL);
  fail_unless (gst_structure_get_uint64 (gst_custom_meta_get_structure (meta), "Y-sum", &sum));
  fail_unless_equals_uint64 (sum, 10);
}

TEST (test_meta_survives)
{
  Example example;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16 * 16 * 3, NULL), *copy;

  init_video (&example);
  gst_buffer_memset (buffer, 0, 0, 16 * 16 * 3);
  add_meta (buffer, &example.result);
  check_has_meta (buffer);

  copy = gst_buffer_copy (buffer);
  check_has_meta (copy);
  gst_buffer_unref (copy);
  copy = gst_buffer_copy_deep (buffer);
  check_has_meta (copy);
  gst_buffer_unref (copy);
  copy = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 0, 8);
  check_has_meta (copy);
  gst_buffer_unref (copy);
  copy = gst_buffer_make_writable (gst_buffer_ref (buffer));
  check_has_meta (copy);
  gst_buffer_unref (copy);

  /* Through converters, if they are installed. */
  if (gst_registry_check_feature_version (gst_registry_get (), "videoscale", 1, 0, 0)
      && gst_registry_check_feature_version (gst_registry_get (), "videoconvert", 1, 0, 0)) {
    GstHarness *harness = gst_harness_new_parse ("videoconvert ! videoscale");

    gst_harness_set_caps_str (harness, "video/x-raw,format=RGB,width=16,height=16,framerate=1/1",
                              "video/x-raw,format=NV12,width=8,height=8,framerate=1/1");
    copy = gst_harness_push_and_pull (harness, gst_buffer_ref (buffer));
    fail_unless (copy != NULL);
    check_has_meta (copy);
    gst_buffer_unref (copy);
    gst_harness_teardown (harness);
  } else {
    g_print ("videoconvert and videoscale are not here: not tried\n");
  }
  gst_buffer_unref (buffer);
}

/* Every field of the list has either a getter or a formula. */
TEST (test_every_field_has_a_source)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);
    const gboolean has_getter = gst_cuda_histo_schema_getters[id].get != NULL;

    fail_unless (has_getter != (field->formula != NULL), "%s", field->name);
    if (has_getter)
      fail_unless (gst_cuda_histo_schema_getters[id].field == field, "%s", field->name);
    else
      fail_unless (gst_cuda_histo_schema_getters[field->dividend].get != NULL
                       && gst_cuda_histo_schema_getters[field->divisor].get != NULL,
                   "%s", field->name);
  }
}

/* Returns whether results have `sum` wherever they have `field`, so that a formula can use it. */
static gboolean
is_beside (const FieldDescription *field, const FieldDescription *sum)
{
  return sum != NULL && (sum->scope == field->scope || (field_is_of_picture (field) && field_is_of_picture (sum)));
}

/* Fails unless a field's sums are integers of its own scope. `count` of the first component is also a divisor of pictures. */
static void
check_formula (const FieldDescription *field)
{
  const FieldDescription *dividend = field_describe (field->dividend), *divisor = field_describe (field->divisor);

  if (field->formula == NULL) {
    fail_unless (dividend == NULL && divisor == NULL, "%s", field->name);
    return;
  }
  fail_unless (field->addition == FIELD_ADDITION_DERIVED && field->type == FIELD_TYPE_DOUBLE, "%s", field->name);
  fail_unless (field_is_of_component (field) || field_is_of_picture (field), "%s", field->name);
  fail_unless (is_beside (field, dividend), "the dividend of %s has another scope", field->name);
  fail_unless (is_beside (field, divisor) || (field_is_of_picture (field) && field->divisor == FIELD_ID_COUNT),
               "the divisor of %s has another scope", field->name);
  fail_unless (dividend->type == FIELD_TYPE_UINT64 || dividend->type == FIELD_TYPE_WIDE, "%s", field->name);
  fail_unless (divisor->type == FIELD_TYPE_UINT64 || divisor->type == FIELD_TYPE_WIDE, "%s", field->name);
}

/* The members of each field's description are consistent. */
TEST (test_descriptions)
{
  guint n_places = 0;

  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);

    fail_unless (field->id == id && field->name != NULL && field->meaning != NULL);
    fail_unless (field_find (field->name, field->scope) == field, "%s occurs twice", field->name);
    fail_unless (field->addition != FIELD_ADDITION_UNKNOWN, "%s", field->name);
    fail_unless ((field->pair != FIELD_ID_NONE) == (field->addition == FIELD_ADDITION_SUM_WITH_PAIR), "%s", field->name);
    fail_unless (field->pair == FIELD_ID_NONE || field_describe (field->pair)->scope == field->scope, "%s", field->name);
    check_formula (field);
    fail_unless (
        (field->chart_order > 0)
            == (field->title != NULL && field->chart_unit != NULL && field->about != NULL && field->type != FIELD_TYPE_STRING),
        "%s", field->name);
    fail_unless (field->extremes == 0 || field->chart_order > 0, "%s", field->name);
    if (field_scope_get_group (field->scope) != NULL)
      fail_unless (g_str_has_prefix (field->name, field_scope_get_group (field->scope)), "%s", field->name);
    fail_unless ((field->ffmpeg != NULL) == (field->ffmpeg_place > 0), "%s has no place among FFmpeg's keys", field->name);
    n_places += field->ffmpeg_place > 0;
  }
  for (guint i = 0; i < n_places; i++) {
    const FieldDescription *field = field_list_ffmpeg ()[i], *next = field_list_ffmpeg ()[i + 1];

    fail_unless ((next == NULL) == (i + 1 == n_places), "%s", field->name);
    fail_unless (next == NULL || next->ffmpeg_place > field->ffmpeg_place, "%s", next != NULL ? next->name : NULL);
    fail_unless (next == NULL || next->ffmpeg_place / 10 > field->ffmpeg_place / 10
                     || field_is_of_component (next) == field_is_of_component (field),
                 "%s", field->name);
  }
}

TEST_MAIN
