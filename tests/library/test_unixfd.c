/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Metas cross a process boundary. One process counts frames and sends them (unixfdsink); another receives them (unixfdsrc)
 * and reads their results with the library. Both print each number that they read, and the texts are equal.
 *
 *   test_unixfd                               the test
 *   test_unixfd send SOCKET FORMAT PROPERTIES prints its results until it is killed
 *   test_unixfd receive SOCKET how            prints FRAMES results; how: "element" or "library", see prepare() */

#define _GNU_SOURCE /* RTLD_DEFAULT */

#include "cases.h"

#include <cudahisto/gstcudahisto.h>
#include <dlfcn.h>
#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META_NAME "GstCudaHistoMeta"

enum { FRAMES = 5, TRIES = 1200, PAUSE_US = 50000, EXIT_SKIP = 77 };

/* ---- descriptions ---------------------------------------------------------------------------------------------------- */

static void
describe_value (GString *text, const gchar *name, const GValue *value)
{
  if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    GBytes *bytes = g_value_get_boxed (value);
    g_autofree gchar *sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);

    g_string_append_printf (text, "  %s: %" G_GSIZE_FORMAT " bytes, %s\n", name, g_bytes_get_size (bytes), sum);
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    g_string_append_printf (text, "  %s: %a\n", name, g_value_get_double (value));
  } else {
    g_autofree gchar *words = gst_value_serialize (value);

    g_string_append_printf (text, "  %s: %s %s\n", name, G_VALUE_TYPE_NAME (value), words);
  }
}

/* All fields of `structure` except regions, as the library reads them from `result`, sorted by name. */
static void
describe_fields (GString *text, const GstCudaHistoResult *result, const GstStructure *structure)
{
  GList *names = NULL;

  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    names = g_list_prepend (names, (gpointer)gst_structure_nth_field_name (structure, (guint)i));
  names = g_list_sort (names, (GCompareFunc)strcmp);
  for (const GList *item = names; item != NULL; item = item->next) {
    const GValue *value = gst_cuda_histo_result_get_field (result, item->data);

    if (value != NULL)
      describe_value (text, item->data, value);
  }
  g_list_free (names);
}

static void
describe_result (GString *text, const GstCudaHistoResult *result, const GstStructure *structure)
{
  const GValue *regions = gst_structure_get_value (structure, "regions");
  guint n_regions = 0;

  g_string_append_printf (text, "frame %" G_GUINT64_FORMAT " of %s, %u components\n", result->frame, result->element,
                          g_list_length (result->components));
  describe_fields (text, result, structure);
  for (const GList *item = result->regions; item != NULL; item = item->next) {
    const GstCudaHistoResult *region = item->data;

    g_string_append_printf (text, " region %u,%u %ux%u\n", region->x, region->y, region->width, region->height);
    describe_fields (text, region, gst_value_get_structure (gst_value_array_get_value (regions, n_regions++)));
  }
  g_string_append (text, "end\n");
}

/* The structure of the only result on the buffer; NULL if it has none. */
static const GstStructure *
find_structure (GstBuffer *buffer)
{
  const GstStructure *structure = NULL;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
    if (gst_meta_info_is_custom (meta->info) && gst_custom_meta_has_name ((GstCustomMeta *)meta, META_NAME)) {
      if (structure != NULL)
        return NULL;
      structure = gst_custom_meta_get_structure ((GstCustomMeta *)meta);
    }
  return structure;
}

/* Pad probe: prints the result of each buffer, and decrements *left, unless it is NULL. */
static GstPadProbeReturn
describe_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer left)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const GstStructure *structure = find_structure (buffer);
  GstCudaHistoResult *result = gst_cuda_histo_result_from_buffer (buffer);
  g_autoptr (GString) text = g_string_new (NULL);

  if (left != NULL && g_atomic_int_get ((gint *)left) == 0)
    return GST_PAD_PROBE_OK;
  if (result == NULL || structure == NULL) {
    g_printerr ("a buffer with no result, or with several\n");
    exit (EXIT_FAILURE);
  }
  describe_result (text, result, structure);
  fputs (text->str, stdout);
  fflush (stdout);
  gst_cuda_histo_result_unref (result);
  if (left != NULL)
    g_atomic_int_add ((gint *)left, -1);
  return GST_PAD_PROBE_OK;
}

/* ---- the two processes ----------------------------------------------------------------------------------------------- */

static GstElement *
make_pipeline (const gchar *line, GstPadProbeCallback probe, gpointer data)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error), *sink;

  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    exit (EXIT_FAILURE);
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, probe, data, NULL);
  gst_object_unref (sink);
  return pipeline;
}

/* TRUE after `timeout` without an error. */
static gboolean
is_well (GstElement *pipeline, GstClockTime timeout)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus, timeout, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

  gst_object_unref (bus);
  if (message == NULL)
    return TRUE;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
  }
  return FALSE;
}

/* Sends in real time until it is killed: a receiver may connect at any time, and gets the following frames. */
static int
send_frames (const gchar *path, const gchar *format, const gchar *properties)
{
  g_autofree gchar *line
      = g_strdup_printf ("videotestsrc is-live=true pattern=ball ! video/x-raw,format=%s,width=64,height=48,framerate=25/1"
                         " ! cudahisto add-meta=true post-messages=false %s"
                         " ! unixfdsink name=sink sync=false async=false socket-path=%s",
                         format, properties, path);
  GstElement *pipeline = make_pipeline (line, describe_buffer, NULL);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (is_well (pipeline, GST_SECOND))
    ;
  return EXIT_FAILURE;
}

/* "element": the program has made an unused element of the plugin. "library": it has no plugin; the library registers the
 * meta. */
static void
prepare (const gchar *how)
{
  if (strcmp (how, "element") == 0) {
    GstElement *element = gst_element_factory_make ("cudahisto", NULL);

    g_assert_nonnull (element);
    gst_object_unref (gst_object_ref_sink (element));
  } else {
    g_assert_null (gst_meta_get_info (META_NAME));
    gst_cuda_histo_register_meta ();
    gst_cuda_histo_register_meta ();
  }
  g_assert_nonnull (gst_meta_get_info (META_NAME));
}

static int
receive_frames (const gchar *path, const gchar *how)
{
  g_autofree gchar *line = g_strdup_printf ("unixfdsrc socket-path=%s ! fakesink name=sink sync=false async=false", path);
  gint left = FRAMES;

  prepare (how);
  g_autoptr (GstElement) pipeline = make_pipeline (line, describe_buffer, &left);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (g_atomic_int_get (&left) > 0) {
    if (!is_well (pipeline, 20 * GST_MSECOND))
      return EXIT_FAILURE;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return EXIT_SUCCESS;
}

/* ---- the test -------------------------------------------------------------------------------------------------------- */

static const gchar *program;
static const gchar *sent_path, *socket_path;

static void
set_up (void)
{
  sent_path = make_path ("sent");
  socket_path = make_path ("socket");
}

static GSubprocess *
start_sender (const gchar *format, const gchar *properties)
{
  GSubprocessLauncher *launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  GSubprocess *sender;

  g_subprocess_launcher_set_stdout_file_path (launcher, sent_path);
  sender = g_subprocess_launcher_spawn (launcher, NULL, program, "send", socket_path, format, properties, NULL);
  ck_assert (sender != NULL);
  g_object_unref (launcher);
  for (guint i = 0; i < TRIES && !g_file_test (socket_path, G_FILE_TEST_EXISTS); i++) {
    ck_assert_msg (g_subprocess_get_identifier (sender) != NULL, "the sender has ended");
    g_usleep (PAUSE_US);
  }
  ck_assert_msg (g_file_test (socket_path, G_FILE_TEST_EXISTS), "the sender has no socket");
  return sender;
}

/* The output of the receiver. Free with g_free(). */
static gchar *
run_receiver (const gchar *how)
{
  GSubprocessLauncher *launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  const gchar *registry_of_test = g_getenv ("GST_REGISTRY");
  gchar *registry = g_strconcat (registry_of_test != NULL ? registry_of_test : get_directory (), "-library", NULL),
        *received = NULL;
  GError *error = NULL;
  GSubprocess *receiver;

  if (strcmp (how, "library") == 0) {
    g_subprocess_launcher_unsetenv (launcher, "GST_PLUGIN_PATH");
    g_subprocess_launcher_setenv (launcher, "GST_REGISTRY", registry, TRUE);
  }
  receiver = g_subprocess_launcher_spawn (launcher, &error, program, "receive", socket_path, how, NULL);
  ck_assert_msg (receiver != NULL, "%s", error != NULL ? error->message : "");
  ck_assert (g_subprocess_communicate_utf8 (receiver, NULL, NULL, &received, NULL, NULL));
  ck_assert_msg (g_subprocess_get_successful (receiver), "the receiver has failed (%s)", how);
  g_object_unref (receiver);
  g_object_unref (launcher);
  g_free (registry);
  return received;
}

static void
end_sender (GSubprocess *sender)
{
  g_subprocess_force_exit (sender);
  ck_assert (g_subprocess_wait (sender, NULL, NULL));
  g_object_unref (sender);
}

/* Each result in `received` is in `sent`. Returns the number of lines of the last one. */
static guint
check_received (const gchar *received, const gchar *sent)
{
  g_auto (GStrv) results = g_strsplit (received, "end\n", -1);
  const guint count = g_strv_length (results);

  ck_assert_uint_ge (count, FRAMES + 1);
  ck_assert_str_eq (results[count - 1], "");
  for (guint i = 0; i < count - 1; i++)
    ck_assert_msg (strstr (sent, results[i]) != NULL, "received, and not sent: %s", results[i]);
  g_auto (GStrv) lines = g_strsplit (results[0], "\n", -1);
  return g_strv_length (lines);
}

#define PICTURE \
  "saturation+hue+difference+outliers+repeats+broadcast-range+used-bits+gamut+comparison+row-sums+column-sums+active-picture"

/* Each result has less text than a socket accepts at once: docs/internals/upstream/unixfd.md. */
static const struct {
  const gchar *format, *properties, *how;
  guint min_lines;
} cases[] = {
  { "I420", "message-arrays=packed dot=previous metering=center statistics=histogram+" PICTURE, "library", 110 },
  { "I420", "message-arrays=packed dot=previous metering=center statistics=histogram+" PICTURE, "element", 110 },
  { "I420", "message-arrays=packed regions=0,0,8,4;8,4,16,16 statistics=basic", "library", 120 },
  { "I420", "message-arrays=none waveform-columns=1 statistics=waveform+basic", "library", 40 },
  { "GRAY8", "message-arrays=packed waveform-columns=5 statistics=waveform+row-sums+basic", "element", 30 },
  { "I420_10LE", "message-arrays=packed bins=native", "library", 50 },
  { "BGRA", "message-arrays=histograms statistics=basic+column-sums", "library", 60 },
};

TEST_FIXTURE (set_up, NULL)

TEST_LOOP (test_every_number, 0, G_N_ELEMENTS (cases))
{
  GSubprocess *sender = start_sender (cases[__i__].format, cases[__i__].properties);
  g_autofree gchar *received = run_receiver (cases[__i__].how), *sent = NULL;

  end_sender (sender);
  ck_assert (g_file_get_contents (sent_path, &sent, NULL, NULL));
  ck_assert_uint_ge (check_received (received, sent), cases[__i__].min_lines);
}

/* ---- without a socket, at every size --------------------------------------------------------------------------------- */

/* Since 1.24. Looked up at run time, because a test built with 1.22 also runs with later versions. */
static gboolean (*serialize) (const GstMeta *meta, GByteArray *data);
static GstMeta *(*deserialize) (GstBuffer *buffer, const guint8 *data, gsize size, guint32 *consumed);

static gchar *
describe (GstBuffer *buffer)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GstCudaHistoResult) result = gst_cuda_histo_result_from_buffer (buffer);

  ck_assert (result != NULL);
  describe_result (text, result, find_structure (buffer));
  return g_string_free (text, FALSE);
}

/* Pad probe: converts each meta like unixfdsink and unixfdsrc. */
static GstPadProbeReturn
copy_meta (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer n_copied)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info), *copy = gst_buffer_new ();
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, META_NAME);
  g_autoptr (GByteArray) data = g_byte_array_new ();
  g_autofree gchar *before = describe (buffer), *after = NULL;
  guint32 consumed;

  ck_assert (serialize ((GstMeta *)meta, data));
  ck_assert (deserialize (copy, data->data, data->len, &consumed) != NULL);
  ck_assert_uint_eq (consumed, data->len);
  after = describe (copy);
  ck_assert_str_eq (after, before);
  (*(guint *)n_copied)++;
  gst_buffer_unref (copy);
  return GST_PAD_PROBE_OK;
}

static const struct {
  const gchar *format, *properties;
} large[] = {
  { "I420", "message-arrays=packed regions=0,0,8,4;8,4,16,16 statistics=histogram+waveform+vectorscope+" PICTURE },
  { "I420", "message-arrays=histograms regions=0,0,8,4 statistics=histogram+waveform+vectorscope+" PICTURE },
  { "Y444_16LE", "message-arrays=packed bins=native statistics=histogram+vectorscope+" PICTURE },
  { "GBR_12LE", "message-arrays=packed bins=native" },
};

TEST_LOOP (test_every_size, 0, G_N_ELEMENTS (large))
{
  g_autofree gchar *line
      = g_strdup_printf ("videotestsrc num-buffers=2 pattern=ball ! video/x-raw,format=%s,width=64,height=48,framerate=25/1"
                         " ! cudahisto add-meta=true post-messages=false %s ! fakesink name=sink",
                         large[__i__].format, large[__i__].properties);
  guint n_copied = 0;
  GstElement *pipeline = make_pipeline (line, copy_meta, &n_copied);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  ck_assert_uint_eq (n_copied, 2);
}

static void
find_function (const gchar *name, gpointer function)
{
  gpointer address = dlsym (RTLD_DEFAULT, name);

  g_assert_nonnull (address);
  memcpy (function, &address, sizeof address);
}

static gboolean
has_unixfd (void)
{
  GstElementFactory *factory = gst_element_factory_find ("unixfdsink");

  if (factory != NULL)
    gst_object_unref (factory);
  else
    puts ("unixfdsink is not installed (Debian package gstreamer1.0-plugins-bad)");
  return factory != NULL;
}

static gboolean
is_too_old (void)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  if (minor < 24)
    printf ("unixfdsink is in GStreamer 1.24 and later, and this is %u.%u.%u\n", major, minor, micro);
  return minor < 24;
}

int
main (int argc, char **argv)
{
  program = argv[0];
  if (argc == 5 && strcmp (argv[1], "send") == 0) {
    gst_init (NULL, NULL);
    return send_frames (argv[2], argv[3], argv[4]);
  }
  if (argc == 4 && strcmp (argv[1], "receive") == 0) {
    gst_init (NULL, NULL);
    return receive_frames (argv[2], argv[3]);
  }
  if (is_too_old ())
    return EXIT_SKIP;
  gst_check_init (&argc, &argv);
  if (!has_unixfd ())
    return EXIT_SKIP;
  find_function ("gst_meta_serialize_simple", &serialize);
  find_function ("gst_meta_deserialize", &deserialize);
  return TEST_RUN ();
}
