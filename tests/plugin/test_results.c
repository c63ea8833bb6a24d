/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results: their fields, known numbers, and the agreement of message, meta and sidecar. */

#include "fields/fields.h"
#include "rig.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#define GRAY_4X4 "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1"

/* The names of a component's numbers with statistics=basic, in order, and their number. */
static const gchar *statistics[N_FIELDS];
static guint n_statistics;

static void
list_statistics (void)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);

    if (field->scope == FIELD_SCOPE_COMPONENT && field->type != FIELD_TYPE_HISTOGRAM && field->condition == NULL
        && (field->statistics == 0 || (field->statistics & STATISTIC_BASIC) != 0))
      statistics[n_statistics++] = field->name;
  }
}

/* ---- numbers -------------------------------------------------------------------------------------------------------- */

/* 0 .. 15 once each: sum 120, squares 1240, variance (16² - 1) / 12. */
TEST (test_known_sums)
{
  static const guint8 ramp[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
  static const guint64 counts[] = { 16, 120, 1240 };

  for (guint run = 0; get_backend_line (run) != NULL; run++) {
    gdouble value;
    guint level;

    g_auto (Rig) rig = open_video (get_backend_line (run), GRAY_4X4);
    push_timed (&rig, ramp, sizeof ramp, 0, GST_SECOND / 25);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_uint_eq (get_field_u64 (result, "GRAY-count"), counts[0]);
    ck_assert_uint_eq (get_field_u64 (result, "GRAY-sum"), counts[1]);
    ck_assert_uint_eq (get_field_u64 (result, "GRAY-sum-of-squares"), counts[2]);
    ck_assert (gst_structure_get_double (result, "GRAY-mean", &value) && value == 7.5);
    ck_assert (gst_structure_get_double (result, "GRAY-variance", &value) && value == 21.25);
    ck_assert (gst_structure_get_double (result, "GRAY-stddev", &value) && value > 4.60977222 && value < 4.60977223);
    ck_assert (gst_structure_get_uint (result, "GRAY-min", &level) && level == 0);
    ck_assert (gst_structure_get_uint (result, "GRAY-max", &level) && level == 15);
    /* lrint (1.6) = 2, lrint (8), lrint (14.4) = 14 samples are at or below 1, 7 and 13. */
    ck_assert (gst_structure_get_uint (result, "GRAY-low", &level) && level == 1);
    ck_assert (gst_structure_get_uint (result, "GRAY-median", &level) && level == 7);
    ck_assert (gst_structure_get_uint (result, "GRAY-high", &level) && level == 13);
  }
}

/* One value everywhere: the sum of squares of 307,200 samples of 255 does not fit in 32 bits, and eight tables of bins receive
 * one address only. */
TEST (test_constant_frames)
{
  static const guint8 values[] = { 0, 1, 128, 255 };
  enum { WIDTH = 640, HEIGHT = 480 };

  for (guint run = 0; get_backend_line (run) != NULL; run++) {
    g_autofree guint8 *data = g_malloc (WIDTH * HEIGHT);
    g_auto (Rig) rig = open_video (get_backend_line (run), "video/x-raw,format=GRAY8,width=640,height=480,framerate=25/1");

    for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
      Tally tally = { .count = WIDTH * HEIGHT };

      memset (data, values[i], WIDTH * HEIGHT);
      tally.sum = tally.count * values[i];
      tally.sum_of_squares = tally.sum * values[i];
      tally.histogram[values[i]] = tally.count;
      push_timed (&rig, data, WIDTH * HEIGHT, i * GST_SECOND, GST_SECOND);
      g_autoptr (GstStructure) result = pop_result (rig.bus);
      check_component (result, "GRAY", &tally, BINS_ARRAY);
    }
  }
}

/* Results have the colorimetry of the caps. Without a matrix the rest is a default: that of BT.2020, of PQ and HLG, or for the
 * size, and of grey "1:4:0:0". */
TEST (test_range)
{
  static const struct {
    const gchar *caps;
    const gchar *range, *colorimetry;
  } cases[] = {
    { "format=I420", "limited", "bt601" },
    { "format=I420,colorimetry=bt709", "limited", "bt709" },
    { "format=I420,colorimetry=(string)1:4:0:0", "full", "1:4:0:0" },
    { "format=NV12,colorimetry=(string)2:3:5:1", "limited", "bt709" },
    { "format=RGB", "full", "sRGB" },
    { "format=RGB,colorimetry=(string)2:1:7:1", "limited", "2:1:7:1" },
    { "format=RGB,colorimetry=(string)2:0:0:0", "limited", "2:1:0:0" },
    /* The matrix is unknown, or one that luma and chroma cannot have. */
    { "format=I420,colorimetry=(string)1:0:0:0", "full", "1:4:16:4" },
    { "format=NV12,colorimetry=(string)1:0:5:1", "full", "1:4:5:1" },
    { "format=Y444,colorimetry=(string)1:1:7:1", "full", "1:4:7:1" },
    { "format=Y444,colorimetry=(string)2:0:0:0", "limited", "bt601" },
    { "format=I420,colorimetry=(string)2:0:5:0", "limited", "2:4:5:4" },
    { "format=I420,colorimetry=(string)0:0:0:0", "limited", "bt601" },
    { "format=GRAY8,colorimetry=(string)2:1:7:1", "limited", "2:4:7:1" },
    { "format=GRAY8,colorimetry=(string)1:0:0:0", "full", "1:4:0:0" },
    { "format=GRAY8,colorimetry=(string)2:0:0:0", "limited", "2:4:0:0" },
    { "format=GRAY8,colorimetry=(string)0:0:0:0", "full", "1:4:0:0" },
    { "format=GRAY8", "full", "1:4:0:0" },
    { "format=GRAY8,colorimetry=(string)2:3:5:1", "limited", "bt709" },
    { "format=I420,colorimetry=(string)2:0:14:7", "limited", "bt2100-pq" },
    { "format=I420,colorimetry=(string)2:0:15:7", "limited", "bt2100-hlg" },
    { "format=I420,colorimetry=(string)2:0:14:0", "limited", "bt2100-pq" },
    { "format=I420,colorimetry=(string)1:0:15:0", "full", "1:6:15:7" },
    { "format=I420,colorimetry=(string)2:0:0:7", "limited", "bt2020" },
    { "format=I420,colorimetry=(string)2:0:5:7", "limited", "2:6:5:7" },
    { "format=I420,colorimetry=(string)2:0:14:1", "limited", "2:6:14:1" },
    /* Parts missing besides a matrix stay unknown. */
    { "format=I420,colorimetry=(string)0:3:5:1", "unknown", "0:3:5:1" },
    { "format=I420,colorimetry=(string)2:3:0:0", "limited", "2:3:0:0" },
    { "format=RGB,colorimetry=(string)0:1:0:0", "unknown", "0:1:0:0" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,width=4,height=4,framerate=25/1,%s", cases[i].caps);
    guint8 data[64] = { 0 };
    g_auto (Rig) rig = open_video ("", caps);

    push_timed (&rig, data, sizeof data, 0, GST_SECOND);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_msg (g_str_equal (gst_structure_get_string (result, "range"), cases[i].range)
                       && g_str_equal (gst_structure_get_string (result, "colorimetry"), cases[i].colorimetry),
                   "%s: %s, %s", cases[i].caps, gst_structure_get_string (result, "range"),
                   gst_structure_get_string (result, "colorimetry"));
  }
}

TEST (test_default_matrix)
{
  static const struct {
    guint height;
    const gchar *caps, *colorimetry;
  } cases[] = {
    { 576, "", "bt601" },
    { 578, "", "bt709" },
    { 718, "", "bt709" },
    { 2160, "", "bt709" }, /* from 2160 rows on, later versions of GStreamer assume BT.2020 */
    { 2160, ",colorimetry=(string)1:0:0:0", "1:3:5:1" },
    { 1080, ",colorimetry=(string)2:0:14:7", "bt2100-pq" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *caps
        = g_strdup_printf ("video/x-raw,format=I420,width=4,height=%u,framerate=25/1%s", cases[i].height, cases[i].caps);
    const gsize size = (gsize)cases[i].height * 8;
    g_autofree guint8 *data = g_malloc0 (size);
    g_auto (Rig) rig = open_video ("", caps);

    push_timed (&rig, data, size, 0, GST_SECOND);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_str_eq (gst_structure_get_string (result, "colorimetry"), cases[i].colorimetry);
  }
}

/* ---- fields --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const gchar *name;
  GType type;
} Field;

static void
check_fields (const GstStructure *result, const Field *provenance, guint n_provenance, const gchar *const *components,
              guint n_components, gboolean has_dot)
{
  guint index = 0;

  ck_assert_str_eq (gst_structure_get_name (result), "cudahisto");
  for (guint i = 0; i < n_provenance; i++, index++) {
    ck_assert_str_eq (gst_structure_nth_field_name (result, index), provenance[i].name);
    ck_assert_msg (gst_structure_get_field_type (result, provenance[i].name) == provenance[i].type, "%s is a %s",
                   provenance[i].name, g_type_name (gst_structure_get_field_type (result, provenance[i].name)));
  }
  /* Short fields come first, histograms last: a printed line begins with its readable part. */
  for (guint c = 0; c < n_components; c++)
    for (guint i = 0; i < n_statistics + (has_dot ? 2 : 0); i++, index++) {
      g_autofree gchar *name = g_strdup_printf ("%s-%s", components[c],
                                                i < n_statistics    ? statistics[i]
                                                : i == n_statistics ? "dot"
                                                                    : "dot-count");

      ck_assert_str_eq (gst_structure_nth_field_name (result, index), name);
    }
  for (guint c = 0; c < n_components; c++, index++) {
    g_autofree gchar *name = g_strdup_printf ("%s-histogram", components[c]);

    ck_assert_str_eq (gst_structure_nth_field_name (result, index), name);
  }
  ck_assert_int_eq (gst_structure_n_fields (result), index);
}

TEST (test_fields_of_video)
{
  const Field provenance[] = {
    { "element", G_TYPE_STRING },     { "backend", G_TYPE_STRING },       { "frame", G_TYPE_UINT64 },
    { "frames", G_TYPE_UINT64 },      { "format", G_TYPE_STRING },        { "width", G_TYPE_UINT },
    { "height", G_TYPE_UINT },        { "depth", G_TYPE_UINT },           { "range", G_TYPE_STRING },
    { "colorimetry", G_TYPE_STRING }, { "framerate", GST_TYPE_FRACTION }, { "timestamp", G_TYPE_UINT64 },
    { "stream-time", G_TYPE_UINT64 }, { "running-time", G_TYPE_UINT64 },  { "duration", G_TYPE_UINT64 },
    { "utc-time", G_TYPE_STRING },    { "ended-by", G_TYPE_STRING },
  };
  static const gchar *const components[] = { "Y", "U", "V" };
  guint8 data[24] = { 1, 2, 3 };
  GstMessage *message;

  g_auto (Rig) rig = open_video ("name=analyser dot=previous", "video/x-raw,format=NV12,width=4,height=4,framerate=25/1");
  push_timed (&rig, data, sizeof data, 0, GST_SECOND / 25);
  push_timed (&rig, data, sizeof data, GST_SECOND / 25, GST_SECOND / 25);
  for (guint frame = 0; frame < 2; frame++) {
    message = pop_message (rig.bus);
    ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
    ck_assert_ptr_eq (GST_MESSAGE_SRC (message), rig.element);
    check_fields (gst_message_get_structure (message), provenance, G_N_ELEMENTS (provenance), components, 3, frame == 1);
    ck_assert_str_eq (gst_structure_get_string (gst_message_get_structure (message), "element"), "analyser");
    gst_message_unref (message);
  }
}

TEST (test_fields_of_bytes)
{
  const Field provenance[] = {
    { "element", G_TYPE_STRING },   { "backend", G_TYPE_STRING },     { "frame", G_TYPE_UINT64 },
    { "frames", G_TYPE_UINT64 },    { "offset", G_TYPE_UINT64 },      { "size", G_TYPE_UINT64 },
    { "format", G_TYPE_STRING },    { "depth", G_TYPE_UINT },         { "range", G_TYPE_STRING },
    { "timestamp", G_TYPE_UINT64 }, { "stream-time", G_TYPE_UINT64 }, { "running-time", G_TYPE_UINT64 },
    { "duration", G_TYPE_UINT64 },  { "utc-time", G_TYPE_STRING },    { "ended-by", G_TYPE_STRING },
  };
  static const gchar *const components[] = { "byte" };
  guint8 data[24] = { 1, 2, 3 };
  guint depth;

  g_auto (Rig) rig = open_bytes ("", NULL);
  push_bytes (&rig, data, sizeof data);
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_fields (result, provenance, G_N_ELEMENTS (provenance), components, 1, FALSE);
  ck_assert (gst_structure_get_uint (result, "depth", &depth) && depth == 8);
  ck_assert_str_eq (gst_structure_get_string (result, "range"), "full");
  ck_assert_str_eq (gst_structure_get_string (result, "format"), "bytes");
  /* A stream without times has none. */
  check_times (result, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
}

/* Audio and anything else that is not raw video is bytes. */
TEST (test_foreign_caps)
{
  static const gchar *const caps[] = { "audio/x-raw,format=S16LE,rate=8000,channels=1,layout=interleaved",
                                       "video/x-h264,stream-format=byte-stream,alignment=au", "image/jpeg" };
  guint8 data[101];

  fill_random (data, sizeof data);
  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    g_auto (Rig) rig = open_bytes ("", caps[i]);
    push_bytes (&rig, data, 100);
    push_bytes (&rig, data + 100, 1);
    push_eos (&rig);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_bytes (result, data, sizeof data, 0, 2, 0);
    check_bus_empty (rig.bus);
  }
}

TEST (test_message_arrays)
{
  static const gchar *const nicks[] = { "histograms", "packed", "none" };
  guint8 data[32];
  Tally tally = { 0 };

  fill_random (data, sizeof data);
  tally_bytes (&tally, data, 16);
  g_auto (Rig) rig = open_video ("add-meta=true", "video/x-raw,format=I420,width=4,height=4,framerate=25/1");
  /* Forwards and backwards, while it plays. */
  for (guint i = 0; i < 5; i++) {
    Bins bins = i < 3 ? i : 4 - i;

    gst_util_set_object_arg (G_OBJECT (rig.element), "message-arrays", nicks[bins]);
    g_autoptr (GstBuffer) buffer
        = gst_harness_push_and_pull (rig.harness, make_buffer (data, sizeof data, i * GST_SECOND, GST_SECOND));
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_component (result, "Y", &tally, bins);
    check_same_fields (result, get_meta (buffer));
  }
}

/* ---- carriers ------------------------------------------------------------------------------------------------------- */

static gboolean
equals_serialized (const GValue *value, const gchar *text)
{
  g_autofree gchar *serialized = gst_value_serialize (value);

  return g_strcmp0 (serialized, text) == 0;
}

/* Free of assertions that hold, because each is a write to a pipe. */
static void
check_json_value (JsonNode *node, const GValue *value, const gchar *field)
{
  gboolean equal = FALSE;

  if (G_VALUE_HOLDS_UINT64 (value) && g_value_get_uint64 (value) == GST_CLOCK_TIME_NONE)
    equal = JSON_NODE_HOLDS_NULL (node);
  else if (!JSON_NODE_HOLDS_VALUE (node))
    ck_abort_msg ("%s is no value", field);
  else if (GST_VALUE_HOLDS_FRACTION (value))
    equal = equals_serialized (value, json_node_get_string (node));
  else if (G_VALUE_HOLDS_STRING (value))
    equal = g_strcmp0 (json_node_get_string (node), g_value_get_string (value)) == 0;
  else if (G_VALUE_HOLDS_UINT64 (value))
    equal = json_node_get_value_type (node) == G_TYPE_INT64 && json_node_get_int (node) == (gint64)g_value_get_uint64 (value);
  else if (G_VALUE_HOLDS_UINT (value))
    equal = json_node_get_value_type (node) == G_TYPE_INT64 && json_node_get_int (node) == g_value_get_uint (value);
  else if (G_VALUE_HOLDS_DOUBLE (value))
    equal = json_node_get_double (node) == g_value_get_double (value);
  if (!equal)
    ck_abort_msg ("%s is another in the sidecar", field);
}

/* The line equals the message. */
static void
check_json (const gchar *line, const GstStructure *result)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  GError *error = NULL;
  JsonObject *root;
  JsonObject *components;
  guint in_root = 2; /* components, and the version */
  guint in_components = 0;
  GList *members;

  if (!json_parser_load_from_data (parser, line, -1, &error))
    ck_abort_msg ("%s: %s", error->message, line);
  ck_assert (JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)));
  ck_assert_msg (g_str_has_prefix (line, "{\"cudahisto\":1,\"element\":"), "%s", line);
  root = json_node_get_object (json_parser_get_root (parser));
  ck_assert (json_object_has_member (root, "components"));
  components = json_object_get_object_member (root, "components");
  for (gint i = 0; i < gst_structure_n_fields (result); i++) {
    const gchar *field = gst_structure_nth_field_name (result, i);
    const GValue *value = gst_structure_get_value (result, field);
    const gchar *dash = strchr (field, '-');
    g_autofree gchar *component = dash != NULL ? g_strndup (field, dash - field) : NULL;

    if (component != NULL && json_object_has_member (components, component)) {
      JsonObject *object = json_object_get_object_member (components, component);

      ck_assert_msg (json_object_has_member (object, dash + 1), "no %s in %s", field, line);
      if (GST_VALUE_HOLDS_ARRAY (value)) {
        JsonArray *array = json_object_get_array_member (object, dash + 1);

        ck_assert_uint_eq (json_array_get_length (array), gst_value_array_get_size (value));
        for (guint bin = 0; bin < gst_value_array_get_size (value); bin++)
          check_json_value (json_array_get_element (array, bin), gst_value_array_get_value (value, bin), field);
      } else
        check_json_value (json_object_get_member (object, dash + 1), value, field);
      in_components++;
    } else {
      ck_assert_msg (json_object_has_member (root, field), "no %s in %s", field, line);
      check_json_value (json_object_get_member (root, field), value, field);
      in_root++;
    }
  }
  ck_assert_uint_eq (json_object_get_size (root), in_root);
  members = json_object_get_members (components);
  for (GList *member = members; member != NULL; member = member->next)
    in_components -= json_object_get_size (json_object_get_object_member (components, member->data));
  ck_assert_uint_eq (in_components, 0);
  g_list_free (members);
}

/* The lines of the sidecar, each ended; free with g_strfreev(). */
static gchar **
read_lines (const gchar *path, guint count)
{
  g_autofree gchar *contents = NULL;
  gchar **lines;

  ck_assert (g_file_get_contents (path, &contents, NULL, NULL));
  lines = g_strsplit (contents, "\n", -1);
  /* The text ends with a newline. */
  ck_assert_msg (g_strv_length (lines) == count + 1, "%u lines, not %u", g_strv_length (lines) - 1, count);
  ck_assert_str_eq (lines[count], "");
  g_free (lines[count]);
  lines[count] = NULL;
  return lines;
}

TEST (test_carriers_of_video)
{
  const gchar *path = make_path ("a b.jsonl");
  guint8 data[2][34 * 3 * 4];
  GstStructure *results[4];
  g_auto (GStrv) lines = NULL;

  fill_random (data[0], sizeof data[0]);
  fill_random (data[1], sizeof data[1]);
  g_auto (Rig) rig = open_rig_with_sidecar ("add-meta=true dot=previous", path);
  start_video (&rig, "video/x-raw,format=ARGB,width=34,height=3,framerate=25/1");
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (
        rig.harness, make_buffer (data[i % 2], sizeof data[0], i == 2 ? GST_CLOCK_TIME_NONE : i * GST_SECOND, GST_SECOND));

    results[i] = pop_result (rig.bus);
    ck_assert (get_meta (buffer) != NULL);
    check_same_fields (results[i], get_meta (buffer));
  }
  push_eos (&rig);
  /* The lines are written while the element plays. */
  lines = read_lines (path, 4);
  for (guint i = 0; i < 4; i++) {
    check_json (lines[i], results[i]);
    gst_structure_free (results[i]);
  }
}

TEST (test_carriers_of_bytes)
{
  const gchar *path = make_file ("sidecar", "{\"cudahisto\":1,\"element\":\"before\"}\n", 35);
  guint8 data[1000];
  GstStructure *results[4];
  guint64 counted = 0;

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_rig_with_sidecar ("window=bytes window-size=300 add-meta=true name=a\\\"b", path);
  start_bytes (&rig, NULL);
  for (guint i = 0; i < 4; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (rig.harness, make_buffer (data + 250 * i, 250, i * GST_SECOND, GST_CLOCK_TIME_NONE)));
  push_eos (&rig);
  g_auto (GStrv) lines = read_lines (path, 4);
  for (guint i = 0; i < 4; i++) {
    results[i] = pop_result (rig.bus);
    counted += get_field_u64 (results[i], "byte-count");
    check_json (lines[i], results[i]);
    gst_structure_free (results[i]);
  }
  ck_assert_uint_eq (counted, 1000);
  check_bus_empty (rig.bus);
}

/* Undefined numbers of an empty window are absent everywhere. */
TEST (test_carriers_of_nothing)
{
  const gchar *path = make_path ("sidecar");
  Tally tally = { 0 };

  g_auto (Rig) rig = open_rig_with_sidecar ("window=buffer", path);
  start_bytes (&rig, NULL);
  push_bytes (&rig, "", 0);
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_component (result, "byte", &tally, BINS_ARRAY);
  g_auto (GStrv) lines = read_lines (path, 1);
  check_json (lines[0], result);
}

/* message-arrays is for messages and metas; a file always has the histograms. */
TEST (test_sidecar_keeps_bins)
{
  const gchar *path = make_path ("sidecar");

  g_auto (Rig) rig = open_rig_with_sidecar ("message-arrays=none", path);
  start_bytes (&rig, NULL);
  push_bytes (&rig, "abc", 3);
  push_eos (&rig);
  g_auto (GStrv) lines = read_lines (path, 1);
  ck_assert (strstr (lines[0], "\"histogram\"") != NULL);
}

TEST (test_post_messages_off)
{
  const gchar *path = make_path ("sidecar");
  guint8 data[16] = { 0 };

  g_auto (Rig) rig = open_rig_with_sidecar ("post-messages=false add-meta=true", path);
  start_video (&rig, GRAY_4X4);
  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = gst_harness_push_and_pull (rig.harness, make_buffer (data, sizeof data, i * GST_SECOND, GST_SECOND));

    ck_assert (get_meta (buffer) != NULL);
    gst_buffer_unref (buffer);
    /* With add-meta the result is ready with the buffer, so that a change takes effect at the next one. */
    if (i == 2) {
      check_bus_empty (rig.bus);
      g_object_set (rig.element, "post-messages", TRUE, NULL);
    }
    if (i == 4)
      g_object_set (rig.element, "post-messages", FALSE, NULL);
  }
  push_eos (&rig);
  ck_assert_uint_eq (drop_results (rig.bus), 2);
  g_strfreev (read_lines (path, 6));
}

/* ---- times ---------------------------------------------------------------------------------------------------------- */

TEST (test_times_of_a_segment)
{
  guint8 data[16] = { 0 };
  g_auto (Rig) rig = open_video ("", GRAY_4X4);

  push_segment (&rig, 1, 10 * GST_SECOND, GST_CLOCK_TIME_NONE, 100 * GST_SECOND, 5 * GST_SECOND);
  push_timed (&rig, data, sizeof data, 12 * GST_SECOND, 40 * GST_MSECOND);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_times (result, 12 * GST_SECOND, 102 * GST_SECOND, 7 * GST_SECOND, 40 * GST_MSECOND);
}

/* Double speed: running time goes half as fast, stream time as the media does. */
TEST (test_times_at_double_rate)
{
  guint8 data[16] = { 0 };
  g_auto (Rig) rig = open_video ("", GRAY_4X4);

  push_segment (&rig, 2, 0, GST_CLOCK_TIME_NONE, 0, 0);
  push_timed (&rig, data, sizeof data, 8 * GST_SECOND, 40 * GST_MSECOND);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_times (result, 8 * GST_SECOND, 8 * GST_SECOND, 4 * GST_SECOND, 40 * GST_MSECOND);
}

/* The four times are those that `level` gives for the same stretch of the same stream. */
static void
compare_with_level (guint interval_ms)
{
  static const gchar *const fields[] = { "timestamp", "stream-time", "running-time", "duration" };
  g_autoptr (GstElement) pipeline = parse_line ("audiotestsrc num-buffers=8 samplesperbuffer=441 timestamp-offset=7000000000 ! "
                                                "audio/x-raw,format=S16LE,rate=44100,channels=1 ! level interval=%u000000 ! "
                                                "cudahisto window=buffer interval=%u000000 %s ! fakesink",
                                                interval_ms, interval_ms, get_backend_words ());
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GQueue ours = G_QUEUE_INIT;
  GQueue theirs = G_QUEUE_INIT;
  guint compared = 0;
  gboolean is_over = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_over) {
    g_autoptr (GstMessage) message
        = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);

    ck_assert (message != NULL && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    is_over = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (gst_message_has_name (message, "cudahisto"))
      g_queue_push_tail (&ours, gst_structure_copy (gst_message_get_structure (message)));
    else if (gst_message_has_name (message, "level")
             && get_field_u64 (gst_message_get_structure (message), "duration") > 0) /* it has one more at EOS, of nothing */
      g_queue_push_tail (&theirs, gst_structure_copy (gst_message_get_structure (message)));
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  ck_assert_uint_eq (g_queue_get_length (&theirs), 80 / interval_ms);
  ck_assert_uint_eq (g_queue_get_length (&ours), 80 / interval_ms);
  while (!g_queue_is_empty (&ours)) {
    g_autoptr (GstStructure) our = g_queue_pop_head (&ours);
    g_autoptr (GstStructure) their = g_queue_pop_head (&theirs);

    for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
      ck_assert_msg (get_field_u64 (our, fields[i]) == get_field_u64 (their, fields[i]),
                     "%s of result %u is %" G_GUINT64_FORMAT ", level says %" G_GUINT64_FORMAT, fields[i], compared,
                     get_field_u64 (our, fields[i]), get_field_u64 (their, fields[i]));
    compared++;
  }
}

TEST (test_times_of_level)
{
  GstElementFactory *factory = gst_element_factory_find ("level");

  if (factory == NULL) {
    printf ("not compared with level: no such element\n");
    return;
  }
  gst_object_unref (factory);
  compare_with_level (10);
  compare_with_level (20);
}

/* ---- the previous frame --------------------------------------------------------------------------------------------- */

/* 1·10 + 2·20 + 3·30 + 4·40 = 300 */
TEST (test_dot_by_hand)
{
  static const guint8 first[4] = { 1, 2, 3, 4 };
  static const guint8 second[4] = { 10, 20, 30, 40 };

  for (guint run = 0; get_backend_line (run) != NULL; run++) {
    g_autofree gchar *line = g_strdup_printf ("dot=previous %s", get_backend_line (run));
    GstStructure *result;
    g_auto (Rig) rig = open_video (line, "video/x-raw,format=GRAY8,width=4,height=1,framerate=25/1");

    push_timed (&rig, first, 4, 0, GST_SECOND);
    push_timed (&rig, second, 4, GST_SECOND, GST_SECOND);
    result = pop_result (rig.bus);
    ck_assert (!gst_structure_has_field (result, "GRAY-dot"));
    gst_structure_free (result);
    result = pop_result (rig.bus);
    ck_assert_uint_eq (get_field_u64 (result, "GRAY-dot"), 300);
    ck_assert_uint_eq (get_field_u64 (result, "GRAY-dot-count"), 4);
    gst_structure_free (result);
  }
}

/* A window of many frames adds up the existing products. */
TEST (test_dot_of_a_stream)
{
  guint8 data[4][16];
  Tally tally = { 0 };

  g_auto (Rig) rig = open_video ("dot=previous window=stream", GRAY_4X4);
  for (guint i = 0; i < 4; i++) {
    fill_random (data[i], 16);
    tally_bytes (&tally, data[i], 16);
    if (i > 0)
      tally_dot (&tally, data[i], data[i - 1], 16);
    push_timed (&rig, data[i], 16, i * GST_SECOND, GST_SECOND);
  }
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "GRAY-dot-count"), 48);
  check_component (result, "GRAY", &tally, BINS_ARRAY);
}

TEST (test_dot_of_byte_buffers)
{
  guint8 data[3][100];

  g_auto (Rig) rig = open_bytes ("dot=previous window=buffer", NULL);
  for (guint i = 0; i < 3; i++) {
    Tally tally = { 0 };

    fill_random (data[i], 100);
    tally_bytes (&tally, data[i], 100);
    if (i > 0)
      tally_dot (&tally, data[i], data[i - 1], 100);
    push_bytes (&rig, data[i], 100);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    check_component (result, "byte", &tally, BINS_ARRAY);
  }
  check_bus_empty (rig.bus);
  /* Another size: no product, and one warning. */
  push_bytes (&rig, data[0], 99);
  push_bytes (&rig, data[0], 98);
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, -1, NULL);
}

/* Bytes without pieces of equal size have no previous one: a warning, and the other numbers. */
TEST (test_dot_of_byte_stream)
{
  guint8 data[100] = { 1 };
  guint warnings = 0;
  g_autoptr (GstStructure) result = NULL;
  g_auto (Rig) rig = open_bytes ("dot=previous", NULL);

  push_bytes (&rig, data, 50);
  push_bytes (&rig, data + 50, 50);
  push_eos (&rig);
  while (result == NULL) {
    g_autoptr (GstMessage) message = pop_message (rig.bus);

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      warnings++;
    else {
      ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
      result = gst_structure_copy (gst_message_get_structure (message));
    }
  }
  ck_assert_uint_eq (warnings, 1);
  check_bytes (result, data, 100, 0, 2, 0);
  check_bus_empty (rig.bus);
}

int
main (int argc, char **argv)
{
  list_statistics ();
  return run_test_program (argc, argv, test_suite, NULL);
}
