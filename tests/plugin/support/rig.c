/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "rig.h"

#include "fakecuda.h"
#include "random.h"
#include "watch.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SKIP 77

__extension__ typedef unsigned __int128 u128;

/* ---- program -------------------------------------------------------------------------------------------------------- */

static struct test_random random_state;

const gchar *
get_test_backend (void)
{
  const gchar *backend = g_getenv ("CUDAHISTO_TEST_BACKEND");

  return backend != NULL && *backend != '\0' ? backend : NULL;
}

void
reset_random (void)
{
  random_state = test_random_start (0);
}

guint32
draw_random (guint32 limit)
{
  return (guint32)test_random_below (&random_state, limit);
}

void
fill_random (guint8 *data, gsize size)
{
  test_random_bytes (&random_state, data, size);
}

/* Exit status of a program whose element does not start: without a GPU it is skipped. The fake GPU is always available. */
static int
get_absent_status (void)
{
  return fakecuda_find () != NULL ? EXIT_FAILURE : EXIT_SKIP;
}

/* Returns a started element, or NULL after printing why none starts. */
static GstElement *
start_element (void)
{
  GstElement *element = make_element ("");
  g_autoptr (GstBus) bus = attach_bus (element);
  GstMessage *message;
  GError *error = NULL;

  if (gst_element_set_state (element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE) {
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    if (message != NULL)
      gst_message_parse_error (message, &error, NULL);
    printf ("backend=%s does not start: %s\n", get_test_backend (), error != NULL ? error->message : "no reason");
    fflush (stdout);
    g_clear_error (&error);
    gst_clear_message (&message);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_clear_object (&element);
  } else {
    gst_element_set_bus (element, NULL);
  }
  return element;
}

static void
stop_element (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

/* Returns the exit status that shows whether an element starts. Runs in a child process: Check forks for each test, and a CUDA
 * driver does not survive a fork. */
static int
probe_backend (void)
{
  int status = 0;
  pid_t child = fork ();

  if (child == 0) {
    GstElement *element = start_element ();

    if (element == NULL)
      _exit (get_absent_status ());
    stop_element (element);
    _exit (EXIT_SUCCESS);
  }
  if (child < 0 || waitpid (child, &status, 0) < 0 || !WIFEXITED (status))
    return EXIT_FAILURE;
  return WEXITSTATUS (status);
}

/* Only a sanitized program can load a sanitized plugin, so this program scans the plugins itself. It also scans the system's,
 * unless the registry already has them. */
static void
prepare_registry (void)
{
  static const gchar *const command[] = { "gst-inspect-1.0", "--exists", "identity", NULL };
  const gchar *path = g_getenv ("GST_REGISTRY");
  g_auto (GStrv) environment = NULL;

  if (path == NULL || g_file_test (path, G_FILE_TEST_EXISTS) || g_strcmp0 (g_getenv ("GST_REGISTRY_FORK"), "no") != 0)
    return;
  environment = g_environ_unsetenv (g_get_environ (), "GST_REGISTRY_FORK");
  environment = g_environ_unsetenv (environment, "GST_PLUGIN_PATH");
  g_spawn_sync (NULL, (gchar **)command, environment, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

int
run_test_program (int argc, char **argv, Suite *suite, const gchar *needs)
{
  const gchar *name = strrchr (argv[0], '/') != NULL ? strrchr (argv[0], '/') + 1 : argv[0];
  GstElement *keeper = NULL;
  int status = EXIT_SUCCESS;

  if (needs != NULL && g_getenv (needs) == NULL) {
    printf ("skipped: %s is not in the environment\n", needs);
    status = EXIT_SKIP;
  } else {
    prepare_registry ();
    gst_check_init (&argc, &argv);
    reset_random ();
    if (g_strcmp0 (get_test_backend (), "cuda") != 0)
      status = EXIT_SUCCESS;
    else if (g_strcmp0 (g_getenv ("CK_FORK"), "no") != 0)
      status = probe_backend ();
    /* An element runs permanently in each process: making a device's context takes longer than most tests. */
    else if ((keeper = start_element ()) == NULL)
      status = get_absent_status ();
  }
  if (status != EXIT_SUCCESS) {
    srunner_free (srunner_create (suite));
    return status;
  }
  status = gst_check_run_suite (suite, name, name) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  if (keeper != NULL)
    stop_element (keeper);
  return status;
}

gchar *
get_driver_problem (void)
{
#ifdef HAVE_CUDA
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW);
  gchar *problem = NULL;

  if (driver == NULL)
    problem = g_strdup (dlerror ());
  else
    dlclose (driver);
  return problem;
#else
  return g_strdup ("it was built without the CUDA toolkit");
#endif
}

/* ---- rig ------------------------------------------------------------------------------------------------------------ */

GstElement *
make_element (const gchar *properties)
{
  const gchar *backend = strstr (properties, "backend=") == NULL ? get_test_backend () : NULL;

  return parse_line ("cudahisto %s%s %s", backend != NULL ? "backend=" : "", backend != NULL ? backend : "", properties);
}

GstBus *
attach_bus (GstElement *element)
{
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  return bus;
}

Rig
open_rig (const gchar *properties)
{
  return open_rig_with_sidecar (properties, NULL);
}

Rig
open_rig_with_sidecar (const gchar *properties, const gchar *path)
{
  Rig rig = { .element = make_element (properties) };

  if (path != NULL)
    g_object_set (rig.element, "sidecar-location", path, NULL);
  rig.bus = attach_bus (rig.element);
  rig.harness = gst_harness_new_with_element (rig.element, "sink", "src");
  gst_harness_play (rig.harness);
  /* The harness ignores the return value of its change to PLAYING. */
  ck_assert_int_eq (GST_STATE (rig.element), GST_STATE_PLAYING);
  return rig;
}

void
close_rig (Rig *rig)
{
  if (rig->element == NULL)
    return;
  gst_element_set_state (rig->element, GST_STATE_NULL);
  gst_element_set_bus (rig->element, NULL);
  gst_harness_teardown (rig->harness);
  gst_object_unref (rig->element);
  gst_object_unref (rig->bus);
  *rig = (Rig){ 0 };
}

void
start_bytes (Rig *rig, const gchar *caps)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_stream_start ("bytes")));
  if (caps != NULL) {
    g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);

    ck_assert (gst_harness_push_event (rig->harness, gst_event_new_caps (parsed)));
  }
  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_segment (&segment)));
}

void
start_video (Rig *rig, const gchar *caps)
{
  gst_harness_set_src_caps_str (rig->harness, caps);
}

Rig
open_bytes (const gchar *properties, const gchar *caps)
{
  Rig rig = open_rig (properties);

  start_bytes (&rig, caps);
  return rig;
}

Rig
open_video (const gchar *properties, const gchar *caps)
{
  Rig rig = open_rig (properties);

  start_video (&rig, caps);
  return rig;
}

GstBuffer *
make_buffer (gconstpointer data, gsize size, GstClockTime pts, GstClockTime duration)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_fill (buffer, 0, data, size);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = duration;
  return buffer;
}

void
push_timed (Rig *rig, gconstpointer data, gsize size, GstClockTime pts, GstClockTime duration)
{
  ck_assert_int_eq (gst_harness_push (rig->harness, make_buffer (data, size, pts, duration)), GST_FLOW_OK);
}

void
push_bytes (Rig *rig, gconstpointer data, gsize size)
{
  push_timed (rig, data, size, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
}

void
push_eos (Rig *rig)
{
  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_eos ()));
}

void
push_segment (Rig *rig, gdouble rate, GstClockTime start, GstClockTime stop, GstClockTime time, GstClockTime base)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = start;
  segment.stop = stop;
  segment.time = time;
  segment.base = base;
  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_segment (&segment)));
}

void
push_flush (Rig *rig, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_flush_start ()));
  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_flush_stop (TRUE)));
  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_segment (&segment)));
}

static gchar *
describe_message (GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, &debug);
  else
    return gst_structure_to_string (gst_message_get_structure (message));
  return g_strdup_printf ("%s: %s, %d: %s (%s)", GST_MESSAGE_TYPE_NAME (message), g_quark_to_string (error->domain),
                          error->code, error->message, debug);
}

gboolean
is_lost_meta (GstMessage *message)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING)
    return FALSE;
  gst_message_parse_warning (message, &error, NULL);
  return g_str_has_suffix (error->message, " on no buffer.");
}

/* Of other elements only errors matter. */
static GstMessage *
pop_within (GstBus *bus, GstClockTime patience)
{
  GstMessage *message;

  while ((message = gst_bus_timed_pop_filtered (bus, patience, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))
         != NULL) {
    if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT
            ? !is_lost_meta (message)
            : gst_message_has_name (message, "cudahisto") || gst_message_has_name (message, "cudahisto-event"))
      break;
    gst_message_unref (message);
  }
  return message;
}

GstMessage *
pop_message (GstBus *bus)
{
  GstMessage *message = pop_within (bus, RIG_PATIENCE);

  ck_assert_msg (message != NULL, "no message came");
  return message;
}

GstStructure *
pop_result (GstBus *bus)
{
  g_autoptr (GstMessage) message = pop_message (bus);
  GstStructure *result;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT)
    ck_abort_msg ("expected a result: %s", describe_message (message));
  result = gst_structure_copy (gst_message_get_structure (message));
  return result;
}

void
check_bus_empty (GstBus *bus)
{
  GstMessage *message = pop_within (bus, 0);

  if (message != NULL)
    ck_abort_msg ("unexpected message: %s", describe_message (message));
}

void
check_error (GstBus *bus, GstMessageType type, GQuark domain, gint code, const gchar *words)
{
  for (;;) {
    GstMessage *message = pop_message (bus);
    g_autoptr (GError) error = NULL;
    g_autofree gchar *debug = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
      gst_message_unref (message);
      continue;
    }
    if (GST_MESSAGE_TYPE (message) != type)
      ck_abort_msg ("expected another kind of message: %s", describe_message (message));
    if (type == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, &debug);
    else
      gst_message_parse_warning (message, &error, &debug);
    ck_assert_msg (error->domain == domain && (code < 0 || error->code == code), "%s, %d expected: %s",
                   g_quark_to_string (domain), code, describe_message (message));
    if (words != NULL)
      ck_assert_msg (strstr (error->message, words) != NULL || (debug != NULL && strstr (debug, words) != NULL),
                     "\"%s\" expected: %s", words, describe_message (message));
    gst_message_unref (message);
    return;
  }
}

guint
drop_results (GstBus *bus)
{
  GstMessage *message;
  guint count = 0;

  while ((message = pop_within (bus, 0)) != NULL) {
    if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT)
      ck_abort_msg ("expected results only: %s", describe_message (message));
    gst_message_unref (message);
    count++;
  }
  return count;
}

const gchar *
get_backend_line (guint index)
{
  static const gchar *const lines[] = { "backend=reference", "backend=cpu", "backend=cpu threads=3" };

  if (get_test_backend () != NULL)
    return index == 0 ? "" : NULL;
  return index < G_N_ELEMENTS (lines) ? lines[index] : NULL;
}

const gchar *
get_backend_words (void)
{
  static gchar words[40];

  if (get_test_backend () != NULL)
    g_snprintf (words, sizeof words, "backend=%s", get_test_backend ());
  return words;
}

static GstElement *
parse (const gchar *line)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  if (error != NULL)
    ck_abort_msg ("%s: %s", line, error->message);
  g_object_set_data_full (G_OBJECT (pipeline), "line", g_strdup (line), g_free); /* for failures */
  return gst_object_ref_sink (pipeline);
}

GstElement *
parse_line (const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree gchar *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return parse (line);
}

void
run_to_eos (GstElement *pipeline)
{
  const gchar *line = g_object_get_data (G_OBJECT (pipeline), "line");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  ck_assert_msg (message != NULL, "neither an end nor an error: %s", line);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    ck_abort_msg ("%s: %s", line, describe_message (message));
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

GList *
run_line (GstMessage **ending, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *line = NULL;
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstBus) bus = NULL;
  GstMessage *message = NULL;
  GList *results = NULL;

  va_start (arguments, format);
  line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  pipeline = parse (line);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (;;) {
    message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE,
                                          GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_ELEMENT);
    ck_assert_msg (message != NULL, "neither an end nor an error: %s", line);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      break;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING && ending == NULL)
      ck_abort_msg ("%s: %s", line, describe_message (message));
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING || gst_message_has_name (message, "cudahisto"))
      results = g_list_prepend (results, gst_structure_copy (gst_message_get_structure (message)));
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (ending != NULL)
    *ending = message;
  else {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      ck_abort_msg ("%s: %s", line, describe_message (message));
    gst_message_unref (message);
  }
  return g_list_reverse (results);
}

void
free_results (GList *results)
{
  g_list_free_full (results, (GDestroyNotify)gst_structure_free);
}

guint64
get_u64 (GstElement *element, const gchar *property)
{
  guint64 value = G_MAXUINT64;

  g_object_get (element, property, &value, NULL);
  return value;
}

guint64
get_stat (GstElement *element, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = G_MAXUINT64;

  g_object_get (element, "stats", &stats, NULL);
  ck_assert_msg (stats != NULL && gst_structure_has_name (stats, "cudahisto-stats"), "no stats");
  ck_assert_msg (gst_structure_get_uint64 (stats, field, &value), "no %s in the stats", field);
  return value;
}

/* ---- counts --------------------------------------------------------------------------------------------------------- */

TEST_UNWATCHED void
tally_sample (Tally *tally, guint sample)
{
  tally->count++;
  tally->sum += sample;
  tally->sum_of_squares += (guint64)sample * sample;
  tally->histogram[sample]++;
}

TEST_UNWATCHED void
tally_bytes (Tally *tally, const guint8 *data, gsize size)
{
  test_watch_read (data, size);
  for (gsize i = 0; i < size; i++)
    tally_sample (tally, data[i]);
}

TEST_UNWATCHED void
tally_dot (Tally *tally, const guint8 *data, const guint8 *operand, gsize size)
{
  test_watch_read (data, size);
  test_watch_read (operand, size);
  for (gsize i = 0; i < size; i++)
    tally->dot += (guint64)data[i] * operand[i];
  tally->dot_count += size;
}

guint64
get_field_u64 (const GstStructure *result, const gchar *field)
{
  guint64 value = 0;

  if (!gst_structure_get_uint64 (result, field, &value))
    ck_abort_msg ("no guint64 field %s in %.2000s", field, gst_structure_to_string (result));
  return value;
}

guint
get_field_uint (const GstStructure *result, const gchar *field)
{
  guint value = 0;

  if (!gst_structure_get_uint (result, field, &value))
    ck_abort_msg ("no guint field %s in %.2000s", field, gst_structure_to_string (result));
  return value;
}

gdouble
find_nits (guint code)
{
  const gdouble root = pow (code / 4095.0, 32 / 2523.0);
  const gdouble nits = 10000 * pow (fmax (root - 3424 / 4096.0, 0) / (2413 / 128.0 - 2392 / 128.0 * root), 16384 / 2610.0);

  return rint (nits * 1e4) / 1e4;
}

gdouble
get_field_double (const GstStructure *result, const gchar *field)
{
  gdouble value = 0;

  if (!gst_structure_get_double (result, field, &value))
    ck_abort_msg ("no gdouble field %s in %.2000s", field, gst_structure_to_string (result));
  return value;
}

/* Allows two roundings, but not a truncated mean. */
static void
check_near (const GstStructure *result, const gchar *field, gdouble expected)
{
  gdouble value = get_field_double (result, field);

  ck_assert_msg (fabs (value - expected) <= 1e-13 * expected, "%s is %.17g, not %.17g", field, value, expected);
}

/* Returns the smallest value whose cumulative count reaches the rounded fraction of all samples, and at least 1. */
static guint
find_quantile (const Tally *tally, gdouble share)
{
  guint64 wanted = (guint64)llrint ((gdouble)tally->count * share);
  guint64 seen = 0;
  guint value = 0;

  if (wanted == 0)
    wanted = 1;
  while ((seen += tally->histogram[value]) < wanted)
    value++;
  return value;
}

static void
check_histogram (const GstStructure *result, const gchar *field, const Tally *tally, Bins bins)
{
  const GValue *value = gst_structure_get_value (result, field);
  const guint values = tally->depth > 8 ? 1u << (tally->depth - 8) : 1; /* of a bin */
  const guint8 *packed = NULL;
  gsize size;

  if (bins == BINS_NONE) {
    ck_assert_msg (value == NULL, "%s is there although message-arrays=none", field);
    return;
  }
  ck_assert_msg (value != NULL, "no field %s", field);
  if (bins == BINS_ARRAY) {
    ck_assert_msg (GST_VALUE_HOLDS_ARRAY (value), "%s is a %s", field, G_VALUE_TYPE_NAME (value));
    ck_assert_uint_eq (gst_value_array_get_size (value), 256);
  } else {
    ck_assert_msg (G_VALUE_HOLDS (value, G_TYPE_BYTES), "%s is a %s", field, G_VALUE_TYPE_NAME (value));
    packed = g_bytes_get_data (g_value_get_boxed (value), &size);
    ck_assert_uint_eq (size / 8, 256);
    ck_assert_uint_eq (size % 3, 0);
  }
  /* Each assertion of Check writes to a pipe, even if it holds: avoid 256 of them. */
  for (guint bin = 0; bin < 256; bin++) {
    const GValue *counter = packed == NULL ? gst_value_array_get_value (value, bin) : NULL;
    guint64 count, expected = 0;

    if (counter != NULL && !G_VALUE_HOLDS_UINT64 (counter))
      ck_abort_msg ("%s[%u] is a %s", field, bin, G_VALUE_TYPE_NAME (counter));
    count = counter != NULL ? g_value_get_uint64 (counter) : GST_READ_UINT64_LE (packed + 8 * bin);
    for (guint value_of_bin = bin * values; value_of_bin < (bin + 1) * values; value_of_bin++)
      expected += tally->histogram[value_of_bin];
    if (count != expected)
      ck_abort_msg ("%s[%u] is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, field, bin, count, expected);
  }
}

void
check_component (const GstStructure *result, const gchar *component, const Tally *tally, Bins bins)
{
  static const gchar *const undefined_when_empty[] = { "mean", "variance", "stddev", "min", "max", "low", "median", "high" };
  gchar *field = NULL;

#define FIELD(name) (g_free (field), field = g_strdup_printf ("%s-%s", component, name))
  ck_assert_uint_eq (get_field_u64 (result, FIELD ("count")), tally->count);
  ck_assert_uint_eq (get_field_u64 (result, FIELD ("sum")), tally->sum);
  ck_assert_uint_eq (get_field_u64 (result, FIELD ("sum-of-squares")), tally->sum_of_squares);
  if (tally->count == 0) {
    for (guint i = 0; i < G_N_ELEMENTS (undefined_when_empty); i++)
      ck_assert_msg (!gst_structure_has_field (result, FIELD (undefined_when_empty[i])), "%s of nothing", field);
  } else {
    gdouble mean = (gdouble)((long double)tally->sum / tally->count);
    u128 numerator = (u128)tally->count * tally->sum_of_squares - (u128)tally->sum * tally->sum;
    gdouble variance = (gdouble)((long double)numerator / tally->count / tally->count);
    guint min = 0;
    guint max = G_N_ELEMENTS (tally->histogram) - 1;

    while (tally->histogram[min] == 0)
      min++;
    while (tally->histogram[max] == 0)
      max--;
    check_near (result, FIELD ("mean"), mean);
    check_near (result, FIELD ("variance"), variance);
    check_near (result, FIELD ("stddev"), sqrt (variance));
    ck_assert_uint_eq (get_field_uint (result, FIELD ("min")), min);
    ck_assert_uint_eq (get_field_uint (result, FIELD ("max")), max);
    ck_assert_uint_eq (get_field_uint (result, FIELD ("low")), find_quantile (tally, 0.10));
    ck_assert_uint_eq (get_field_uint (result, FIELD ("median")), find_quantile (tally, 0.50));
    ck_assert_uint_eq (get_field_uint (result, FIELD ("high")), find_quantile (tally, 0.90));
  }
  if (tally->dot_count > 0) {
    ck_assert_uint_eq (get_field_u64 (result, FIELD ("dot")), tally->dot);
    ck_assert_uint_eq (get_field_u64 (result, FIELD ("dot-count")), tally->dot_count);
  } else {
    ck_assert_msg (!gst_structure_has_field (result, FIELD ("dot")), "%s without an operand", field);
    ck_assert_msg (!gst_structure_has_field (result, FIELD ("dot-count")), "%s without an operand", field);
  }
  check_histogram (result, FIELD ("histogram"), tally, bins);
  g_free (field);
#undef FIELD
}

void
check_bytes (const GstStructure *result, const guint8 *data, gsize size, guint64 frame, guint64 frames, guint64 offset)
{
  Tally tally = { 0 };

  tally_bytes (&tally, data, size);
  ck_assert_str_eq (gst_structure_get_string (result, "format"), "bytes");
  ck_assert_uint_eq (get_field_u64 (result, "size"), size);
  ck_assert_uint_eq (get_field_u64 (result, "frame"), frame);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), frames);
  ck_assert_uint_eq (get_field_u64 (result, "offset"), offset);
  check_component (result, "byte", &tally, BINS_ARRAY);
}

static void
check_field (const gchar *field, const GValue *value, const GValue *twin)
{
  gboolean equal;

  ck_assert_msg (twin != NULL, "only one has the field %s", field);
  ck_assert_msg (G_VALUE_TYPE (twin) == G_VALUE_TYPE (value), "%s has two types", field);
  if (strcmp (field, "utc-time") == 0)
    return;
  if (G_VALUE_HOLDS (value, G_TYPE_BYTES))
    equal = g_bytes_equal (g_value_get_boxed (value), g_value_get_boxed (twin));
  else
    equal = gst_value_compare (value, twin) == GST_VALUE_EQUAL;
  ck_assert_msg (equal, "%s has two values", field);
}

void
check_same_fields (const GstStructure *left, const GstStructure *right)
{
  gint count = gst_structure_n_fields (left);

  ck_assert_int_eq (count, gst_structure_n_fields (right));
  for (gint i = 0; i < count; i++) {
    const gchar *field = gst_structure_nth_field_name (left, (guint)i);

    check_field (field, gst_structure_get_value (left, field), gst_structure_get_value (right, field));
  }
}

const GstStructure *
get_meta (GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "GstCudaHistoMeta");

  return meta != NULL ? gst_custom_meta_get_structure (meta) : NULL;
}

void
check_times (const GstStructure *result, GstClockTime timestamp, GstClockTime stream_time, GstClockTime running_time,
             GstClockTime duration)
{
  ck_assert_uint_eq (get_field_u64 (result, "timestamp"), timestamp);
  ck_assert_uint_eq (get_field_u64 (result, "stream-time"), stream_time);
  ck_assert_uint_eq (get_field_u64 (result, "running-time"), running_time);
  ck_assert_uint_eq (get_field_u64 (result, "duration"), duration);
}
