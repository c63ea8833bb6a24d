/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A parsed line equals the structure of the message with the same content, field by field, for any statistics. An invalid line
 * is refused, and the next one is read. */

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "cases.h"
#include "lines/lines.h"

#define PATIENCE (120 * GST_SECOND)

static const gchar *path;

static void
set_up (void)
{
  path = make_path ("film.jsonl");
}

/* ---- what the element says -------------------------------------------------------------------------------------------- */

/* The results and events on the bus, in order. */
static GPtrArray *
run_pipeline (const gchar *source, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("%s ! cudahisto name=histo message-arrays=packed sidecar-arrays=all %s"
                                            " ! fakesink sync=false",
                                            source, properties);
  GPtrArray *structures = g_ptr_array_new_with_free_func ((GDestroyNotify)gst_structure_free);
  GstElement *pipeline = gst_parse_launch (line, NULL), *element;
  GstMessage *message;
  gboolean is_over = FALSE;

  ck_assert (pipeline != NULL);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "histo");
  g_object_set (element, "sidecar-location", path, NULL);
  gst_object_unref (element);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!is_over) {
    message = gst_bus_timed_pop_filtered (bus, PATIENCE, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    ck_assert_msg (message != NULL && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR, "%s", line);
    is_over = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!is_over && g_str_has_prefix (gst_structure_get_name (gst_message_get_structure (message)), "cudahisto"))
      g_ptr_array_add (structures, gst_structure_copy (gst_message_get_structure (message)));
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return structures;
}

/* Compares integers, independent of their types. */
static gboolean
is_equal_array (GBytes *a, GBytes *b)
{
  const gsize n_bytes = g_bytes_get_size (a) / 8 * 8;

  return n_bytes == g_bytes_get_size (b) / 8 * 8
         && memcmp (g_bytes_get_data (a, NULL), g_bytes_get_data (b, NULL), n_bytes) == 0;
}

/* gst_structure_is_equal() does not compare the content of a GBytes. */
static gboolean
is_equal_value (const GValue *a, const GValue *b)
{
  if (G_VALUE_TYPE (a) != G_VALUE_TYPE (b))
    return FALSE;
  if (G_VALUE_HOLDS (a, G_TYPE_BYTES))
    return is_equal_array (g_value_get_boxed (a), g_value_get_boxed (b));
  if (GST_VALUE_HOLDS_ARRAY (a)) {
    guint size = gst_value_array_get_size (a);

    if (size != gst_value_array_get_size (b))
      return FALSE;
    while (size-- > 0) {
      if (!is_equal_value (gst_value_array_get_value (a, size), gst_value_array_get_value (b, size)))
        return FALSE;
    }
    return TRUE;
  }
  if (GST_VALUE_HOLDS_STRUCTURE (a)) {
    const GstStructure *one = gst_value_get_structure (a), *other = gst_value_get_structure (b);

    if (gst_structure_n_fields (one) != gst_structure_n_fields (other))
      return FALSE;
    for (gint f = 0; f < gst_structure_n_fields (one); f++) {
      const gchar *name = gst_structure_nth_field_name (one, (guint)f);

      if (!gst_structure_has_field (other, name)
          || !is_equal_value (gst_structure_get_value (one, name), gst_structure_get_value (other, name)))
        return FALSE;
    }
    return TRUE;
  }
  return gst_value_compare (a, b) == GST_VALUE_EQUAL;
}

static void
check_structure (const GstStructure *line, const GstStructure *message)
{
  ck_assert_str_eq (gst_structure_get_name (line), gst_structure_get_name (message));
  for (gint f = 0; f < gst_structure_n_fields (message); f++) {
    const gchar *name = gst_structure_nth_field_name (message, (guint)f);
    const GValue *theirs = gst_structure_get_value (message, name), *ours = gst_structure_get_value (line, name);

    ck_assert_msg (ours != NULL, "the line has no %s", name);
    ck_assert_msg (is_equal_value (ours, theirs), "%s is a %s in the line, and another %s in the message", name,
                   G_VALUE_TYPE_NAME (ours), G_VALUE_TYPE_NAME (theirs));
  }
  ck_assert_int_eq (gst_structure_n_fields (line), gst_structure_n_fields (message));
}

/* Returns the number of fields. */
static gint
compare (const gchar *source, const gchar *properties)
{
  g_autoptr (GPtrArray) messages = run_pipeline (source, properties);
  g_autoptr (Lines) lines = lines_open (path, NULL);
  GstStructure *structure;
  gint n_fields = 0;

  ck_assert (lines != NULL);
  ck_assert_uint_gt (messages->len, 0);
  for (guint i = 0; i < messages->len; i++) {
    const gboolean is_event = gst_structure_has_name (messages->pdata[i], "cudahisto-event");

    ck_assert_int_eq (lines_next (lines, &structure, NULL), is_event ? LINES_EVENT : LINES_RESULT);
    ck_assert_uint_eq (lines_get_number (lines), i + 1);
    check_structure (structure, messages->pdata[i]);
    n_fields += gst_structure_n_fields (structure);
    gst_structure_free (structure);
  }
  ck_assert_int_eq (lines_next (lines, &structure, NULL), LINES_END);
  ck_assert (!lines_ends_within_line (lines));
  ck_assert_int_eq (lines_get_position (lines), lines_get_size (lines));
  return n_fields;
}

TEST_FIXTURE (set_up, NULL)

TEST (test_lines_are_messages)
{
  const gchar *all = "statistics=signalstats+comparison+gamut+active-picture+row-sums+column-sums+waveform+vectorscope"
                     " dot=previous metering=center regions=0,0,9,7;8,4,16,16 events=black+freeze+scene-change+clipped"
                     " clipped-ratio=0.001";

  for (guint i = 0; i < 5; i++) {
    static const gchar *const formats[] = { "I420", "NV12", "I420_10LE", "BGRx", "GRAY8" };
    g_autofree gchar *source
        = g_strdup_printf ("videotestsrc num-buffers=6 pattern=%s ! video/x-raw,format=%s,width=66,height=34,"
                           "framerate=30000/1001",
                           i == 0 ? "black" : "ball", formats[i]);

    ck_assert_int_gt (compare (source, all), 6 * 40);
    compare (source, "");
    compare (source, "bins=native window=stream statistics=basic+hue");
  }
  compare ("videotestsrc num-buffers=6 ! video/x-raw,format=P010_10LE,width=66,height=34,framerate=25/1,colorimetry=bt2100-pq",
           "statistics=basic+light regions=0,0,9,7");
  compare ("fakesrc num-buffers=20 sizetype=fixed sizemax=1000 filltype=random", "window=bytes window-size=3000");
}

/* ---- what is no line -------------------------------------------------------------------------------------------------- */

static void
write_file (const gchar *text, gssize length)
{
  ck_assert (g_file_set_contents (path, text, length, NULL));
}

TEST (test_exact_integers)
{
  const gchar *line
      = "{\"frame\":18446744073709551615,\"frames\":1,\"later\":18446744073709551616,\"less\":-9223372036854775808,"
        "\"components\":{\"Y\":{\"ssd\":340282366920938463463374607431768211455,\"mean\":4,"
        "\"row-sums\":[-1,9223372036854775807],\"psnr\":null}}}\n";
  g_autoptr (Lines) lines = NULL;
  g_autoptr (GstStructure) structure = NULL;
  const guint64 *sums;
  guint64 frame;
  gint64 less;
  gdouble number;
  gsize size;

  write_file (line, -1);
  lines = lines_open (path, NULL);
  ck_assert_int_eq (lines_next (lines, &structure, NULL), LINES_RESULT);
  ck_assert (gst_structure_get_uint64 (structure, "frame", &frame) && frame == G_MAXUINT64);
  ck_assert (gst_structure_get_int64 (structure, "less", &less) && less == G_MININT64);
  ck_assert_str_eq (gst_structure_get_string (structure, "later"), "18446744073709551616");
  ck_assert_str_eq (gst_structure_get_string (structure, "Y-ssd"), "340282366920938463463374607431768211455");
  ck_assert (gst_structure_get_double (structure, "Y-mean", &number) && number == 4);
  ck_assert (gst_structure_get_double (structure, "Y-psnr", &number) && number > G_MAXDOUBLE);
  sums = g_bytes_get_data (g_value_get_boxed (gst_structure_get_value (structure, "Y-row-sums")), &size);
  ck_assert_uint_eq (size, 16);
  ck_assert (GUINT64_FROM_LE (sums[0]) == G_MAXUINT64 && GUINT64_FROM_LE (sums[1]) == G_MAXINT64);
  ck_assert_str_eq (lines_get_components (lines)[0], "Y");
  ck_assert (lines_get_components (lines)[1] == NULL);
}

static const struct {
  const gchar *line, *words;
  gint code;
} refused[] = {
  { "film", "is not JSON: lexical error", LINES_FAULT_LINE },
  { "{\"frame\":NaN}", "is not JSON", LINES_FAULT_LINE },
  { "{\"frame\":0", "is not JSON", LINES_FAULT_LINE },
  { "{\"a\":\"\x01\"}", "is not JSON", LINES_FAULT_LINE },
  { "{\"a\":\"\xff\"}", "is not JSON", LINES_FAULT_LINE },
  { "{} {}", "is not JSON", LINES_FAULT_LINE },
  { "1", "it is a number, not an object", LINES_FAULT_LINE },
  { "[]", "it is an array, not an object", LINES_FAULT_LINE },
  { "{}", "it has neither `components` nor `event`", LINES_FAULT_LINE },
  { "{\"components\":{}}", "it has no `frame`", LINES_FAULT_LINE },
  { "{\"components\":1}", "`components` should not be a number", LINES_FAULT_LINE },
  { "{\"components\":{\"Y\":1}}", "it has a number in the wrong place", LINES_FAULT_LINE },
  { "{\"components\":{},\"components\":{}}", "it has `components` twice", LINES_FAULT_LINE },
  { "{\"frame\":1,\"frame\":1}", "it has `frame` twice", LINES_FAULT_LINE },
  { "{\"frame\":-1}", "`frame` should be a whole number", LINES_FAULT_LINE },
  { "{\"frame\":1.5}", "`frame` should be a whole number", LINES_FAULT_LINE },
  { "{\"width\":4294967296}", "`width` should be a whole number of at most 32 bits", LINES_FAULT_LINE },
  { "{\"event\":1}", "`event` should not be a number", LINES_FAULT_LINE },
  { "{\"event\":\"a\\u0000b\"}", "`event` has a character U+0000", LINES_FAULT_LINE },
  { "{\"framerate\":\"25\"}", "`framerate` should be a fraction", LINES_FAULT_LINE },
  { "{\"framerate\":\"25/0\"}", "`framerate` should be a fraction", LINES_FAULT_LINE },
  { "{\"value\":1e999}", "`value` is too large", LINES_FAULT_LINE },
  { "{\"crop\":{\"x\":1,\"y\":1,\"width\":1}}", "`crop` should have x, y, width and height", LINES_FAULT_LINE },
  { "{\"crop\":{\"x\":1,\"x\":1}}", "`crop` should have x, y, width and height", LINES_FAULT_LINE },
  { "{\"regions\":[1]}", "it has a number in the wrong place", LINES_FAULT_LINE },
  { "{\"components\":{\"Y\":{\"histogram\":[1.5]}}}", "`Y-histogram` should have whole numbers", LINES_FAULT_LINE },
  { "{\"components\":{\"Y\":{\"histogram\":[-3]}}}", "`Y-histogram` should have whole numbers, not negative,",
    LINES_FAULT_LINE },
  { "{\"components\":{\"Y\":{\"ssd\":-1}}}", "`Y-ssd` should be a whole number of at most 128 bits", LINES_FAULT_LINE },
  { "{\"components\":{\"Y\":{\"ssd\":340282366920938463463374607431768211456}}}", "at most 128 bits", LINES_FAULT_LINE },
  { "{\"frame\":0,\"frames\":0,\"components\":{}}", "contradicts itself: `frames` is 0", LINES_FAULT_LINE },
  { "{\"frame\":0,\"components\":{\"Y\":{\"count\":2,\"sum\":3,\"mean\":2,\"reference\":{\"psnr\":1}}}}",
    "contradicts itself: `Y-mean` is not `Y-sum` / `Y-count`", LINES_FAULT_LINE },
  { "{\"frame\":0,\"components\":{\"Y\":{\"count\":2,\"reference\":{\"sad\":3,\"ssd\":1}}}}",
    "contradicts itself: `Y-reference-sad` is more than `Y-reference-ssd`", LINES_FAULT_LINE },
  { "{\"frame\":0,\"depth\":8,\"components\":{\"Y\":{\"count\":4,\"difference-count\":4,\"sad\":0,\"ssd\":0,\"psnr\":50}}}",
    "contradicts itself: `Y-psnr` contradicts `Y-ssd`", LINES_FAULT_LINE },
  { "{\"regions\":[{\"components\":{\"Y\":{\"count\":3}}}],\"frame\":0,\"components\":{\"Y\":{\"count\":2}}}",
    "contradicts itself: in region 0, `Y-count` is more than that of the picture", LINES_FAULT_LINE },
  { "{\"frame\":0,\"components\":{\"Y\":{\"histogram\":[2],\"count\":2}},\"depth\":8}",
    "contradicts itself: `Y-histogram` has neither 256 bins", LINES_FAULT_LINE },
  { "[[[[[[[[[[[[[[[[[[[[", "it is an array", LINES_FAULT_LINE },
  { "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{",
    "nested too deeply", LINES_FAULT_LINE },
  { "{\"cudahisto\":2,\"frame\":[{}]}", "is of version 2 of the format, and this cudahisto reads version 1",
    LINES_FAULT_VERSION },
  { "{\"cudahisto\":\"1\"}", "`cudahisto` should be the version", LINES_FAULT_LINE },
};

TEST (test_refused)
{
  const gchar *good = "{\"cudahisto\":1,\"event\":\"black\"}";

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autofree gchar *text = g_strdup_printf ("%s\r\n\n%s\n \t\n%s\n", good, refused[i].line, good);
    GstStructure *structure;
    GError *error = NULL;
    g_autoptr (Lines) lines = NULL;

    write_file (text, -1);
    lines = lines_open (path, NULL);
    ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_EVENT);
    gst_structure_free (structure);
    ck_assert_msg (lines_next (lines, &structure, &error) == LINES_ERROR, "%s", refused[i].line);
    ck_assert_msg (strstr (error->message, refused[i].words) != NULL, "%s", error->message);
    ck_assert (strstr (error->message, "film.jsonl: line 3 ") != NULL);
    ck_assert_int_eq (error->code, refused[i].code);
    g_clear_error (&error);
    ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_EVENT);
    ck_assert_uint_eq (lines_get_number (lines), 5);
    gst_structure_free (structure);
    ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_END);
  }
}

/* A file that grows byte by byte: a line is complete with its newline, or with its last bracket. */
TEST (test_growing)
{
  const gchar *line = "{\"cudahisto\":1,\"event\":\"black\",\"value\":1.25e-1,\"frame\":12}\n";
  GstStructure *structure;
  GError *error = NULL;
  g_autoptr (Lines) lines = NULL;

  write_file ("", 0);
  lines = lines_open (path, NULL);
  for (gsize length = 0; length <= strlen (line); length++) {
    GFileOutputStream *stream;
    g_autoptr (GFile) file = g_file_new_for_path (path);
    const LinesKind kind = lines_next (lines, &structure, &error);

    ck_assert_int_eq (kind, length == strlen (line) - 1 ? LINES_EVENT : LINES_END);
    ck_assert_int_eq (lines_ends_within_line (lines), length > 0 && length < strlen (line) - 1);
    if (kind == LINES_EVENT)
      gst_structure_free (structure);
    if (length < strlen (line)) {
      stream = g_file_append_to (file, G_FILE_CREATE_NONE, NULL, NULL);
      g_output_stream_write_all (G_OUTPUT_STREAM (stream), line + length, 1, NULL, NULL, NULL);
      g_object_unref (stream);
    }
  }
  ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_END);
}

TEST (test_starts)
{
  static const struct {
    const gchar *text;
    gsize length;
    const gchar *words; /* NULL: it is valid */
  } starts[] = {
    { "\xef\xbb\xbf{\"event\":\"a\"}\n", 17, NULL },
    { "\xff\xfe{\0", 4, "is UTF-16" },
    { "\x1f\x8b\x08", 3, "is compressed" },
  };
  GstStructure *structure;
  g_autoptr (GError) error = NULL;
  Lines *lines;

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++) {
    write_file (starts[i].text, (gssize)starts[i].length);
    lines = lines_open (path, NULL);
    ck_assert_int_eq (lines_next (lines, &structure, &error), starts[i].words == NULL ? LINES_EVENT : LINES_ERROR);
    if (starts[i].words == NULL) {
      gst_structure_free (structure);
    } else {
      ck_assert (strstr (error->message, starts[i].words) != NULL);
      ck_assert_int_eq (error->code, LINES_FAULT_TEXT);
      g_clear_error (&error);
    }
    ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_END);
    lines_close (lines);
  }
  ck_assert (lines_open (get_directory (), &error) == NULL);
  ck_assert (strstr (error->message, "is a folder") != NULL);
}

/* After a valid line a line that is too long is skipped. A file that begins with one is no sidecar, and is not read on. */
TEST_LOOP (test_enormous_line, 0, 2)
{
  const gboolean begins_well = __i__ == 1;
  const gsize size = 257 * 1024 * 1024;
  g_autofree gchar *text = g_malloc (size);
  const gchar *good = "\n{\"event\":\"a\"}\n";
  GstStructure *structure;
  GError *error = NULL;
  g_autoptr (Lines) lines = NULL;

  memset (text, '1', size);
  memcpy (text + size - strlen (good), good, strlen (good));
  if (begins_well)
    memcpy (text, good, strlen (good));
  write_file (text, (gssize)size);
  lines = lines_open (path, NULL);
  if (begins_well) {
    ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_EVENT);
    gst_structure_free (structure);
  }
  ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_ERROR);
  ck_assert (strstr (error->message, begins_well ? "line 3 is longer than 256 MiB" : "line 1 is longer than 256 MiB") != NULL);
  ck_assert_int_eq (error->code, begins_well ? LINES_FAULT_LINE : LINES_FAULT_TEXT);
  g_clear_error (&error);
  if (begins_well) {
    ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_EVENT);
    ck_assert_uint_eq (lines_get_number (lines), 4);
    gst_structure_free (structure);
  }
  ck_assert_int_eq (lines_next (lines, &structure, &error), LINES_END);
}

TEST_MAIN
