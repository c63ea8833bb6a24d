/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All calls that other threads may make while the element goes up and down: queries, events, properties, signals, contexts.
 * Nothing may crash or hang; under the thread sanitizer, nothing may race. Also what a handler of messages may do, on the
 * thread that posts them. */

#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostilesource.h"
#include "journal.h"
#include "random.h"
#include "short.h"

/* Of a test: NULL to PLAYING and back. */
#define CYCLES (TEST_IS_SANITIZED ? 150 : test_is_short ("cycles") ? 300 : 1500)
#define LONGEST_US (8 * G_USEC_PER_SEC)            /* of a test, where that many cycles take longer */
#define PATIENCE_US ((gint64)300 * G_USEC_PER_SEC) /* for one cycle */
#define MAX_HAMMERS 8
#define SQUARE "video/x-raw,format=GRAY8,width=32,height=32,framerate=50/1"

/* ---- threads that call something, over and over ------------------------------------------------------------------ */

typedef struct {
  GstElement *element;
  GstPad *sinkpad, *srcpad;
  struct test_random random;
} Call;

typedef struct {
  const gchar *name;
  void (*call) (Call *call);
} Entry;

typedef struct {
  const Entry *entry;
  Call call;
  GThread *thread;
  guint calls;
} Hammer;

typedef struct {
  Hammer hammers[MAX_HAMMERS];
  guint n_hammers;
  gint is_ending;    /* atomic */
  gint progress;     /* atomic: cycles */
  const gchar *what; /* of the test */
  GThread *watcher;
} Hammers;

static Hammers *all; /* of the test that runs */

static gpointer
run_hammer (gpointer data)
{
  Hammer *hammer = data;

  while (!g_atomic_int_get (&all->is_ending)) {
    hammer->entry->call (&hammer->call);
    hammer->calls++;
    /* Eight of them would take the processors from the thread that changes states. */
    if (test_random_once_in (&hammer->call.random, 10))
      g_usleep (test_random_below (&hammer->call.random, 200));
  }
  return NULL;
}

/* A hanging test reports it and leaves a core. */
static gpointer
watch_progress (gpointer data G_GNUC_UNUSED)
{
  gint64 since = g_get_monotonic_time ();
  gint last = -1;

  while (!g_atomic_int_get (&all->is_ending)) {
    gint progress = g_atomic_int_get (&all->progress);

    g_usleep (G_USEC_PER_SEC / 20);
    if (progress != last)
      since = g_get_monotonic_time ();
    last = progress;
    if (g_get_monotonic_time () - since > PATIENCE_US)
      journal_fail ("%s hangs in cycle %d", all->what, progress);
  }
  return NULL;
}

/* A thread for each entry. */
static void
start_hammers (Hammers *hammers, const gchar *what, GstElement *element, const Entry *entries, guint count)
{
  *hammers = (Hammers){ .what = what, .n_hammers = count };
  all = hammers;
  g_assert (count <= MAX_HAMMERS);
  for (guint i = 0; i < count; i++) {
    Hammer *hammer = &hammers->hammers[i];

    hammer->entry = &entries[i];
    hammer->call.element = gst_object_ref (element);
    hammer->call.sinkpad = gst_element_get_static_pad (element, "sink");
    hammer->call.srcpad = gst_element_get_static_pad (element, "src");
    hammer->call.random = test_random_start (i);
    hammer->thread = g_thread_new (entries[i].name, run_hammer, hammer);
  }
  hammers->watcher = g_thread_new ("watcher", watch_progress, NULL);
}

static void
stop_hammers (Hammers *hammers)
{
  g_atomic_int_set (&hammers->is_ending, TRUE);
  printf ("%s: %d cycles against", hammers->what, hammers->progress);
  for (guint i = 0; i < hammers->n_hammers; i++) {
    Hammer *hammer = &hammers->hammers[i];

    g_thread_join (hammer->thread);
    printf ("%s %u %s", i > 0 ? "," : "", hammer->calls, hammer->entry->name);
    ck_assert_msg (hammer->calls > 0 || hammers->progress < 10, "%s was never called", hammer->entry->name);
    gst_object_unref (hammer->call.sinkpad);
    gst_object_unref (hammer->call.srcpad);
    gst_object_unref (hammer->call.element);
  }
  putchar ('\n');
  fflush (stdout);
  g_thread_join (hammers->watcher);
}

/* ---- what is called ---------------------------------------------------------------------------------------------- */

/* Takes the query. */
static void
ask (GstPad *pad, GstQuery *query)
{
  gst_pad_query (pad, query);
  gst_query_unref (query);
}

static void
call_allocation (Call *call)
{
  g_autoptr (GstCaps) caps = test_random_once_in (&call->random, 2) ? gst_caps_from_string (SQUARE) : NULL;

  ask (call->sinkpad, gst_query_new_allocation (caps, caps != NULL));
}

static void
call_drain (Call *call)
{
  ask (call->sinkpad, gst_query_new_drain ());
}

static void
call_caps (Call *call)
{
  GstPad *pad = test_random_once_in (&call->random, 2) ? call->sinkpad : call->srcpad;
  g_autoptr (GstCaps) caps = gst_caps_from_string (SQUARE);

  ask (pad, gst_query_new_caps (NULL));
  ask (pad, gst_query_new_caps (caps));
  ask (pad, gst_query_new_accept_caps (caps));
}

/* Sends one of the first `kinds` queries. */
static void
ask_something (Call *call, guint kinds)
{
  GstPad *pad = test_random_once_in (&call->random, 2) ? call->sinkpad : call->srcpad;

  switch (test_random_below (&call->random, kinds)) {
  case 0:
    ask (pad, gst_query_new_latency ());
    break;
  case 1:
    ask (pad, gst_query_new_context (test_random_once_in (&call->random, 2) ? "gst.cuda.context" : "gst.gl.GLDisplay"));
    break;
  case 2:
    ask (pad, gst_query_new_position (test_random_once_in (&call->random, 2) ? GST_FORMAT_TIME : GST_FORMAT_BYTES));
    break;
  case 3:
    ask (pad, gst_query_new_seeking (test_random_once_in (&call->random, 2) ? GST_FORMAT_TIME : GST_FORMAT_BYTES));
    break;
  case 4:
    ask (pad, gst_query_new_custom (GST_QUERY_CUSTOM, gst_structure_new_empty ("hostile")));
    break;
  default:
    ask (call->srcpad, gst_query_new_scheduling ());
    break;
  }
}

static void
call_queries (Call *call)
{
  ask_something (call, 6);
}

/* For a SCHEDULING query while its pad is inactive, GstBaseSrc starts and stops itself without a lock against its own
 * activation. Such a query makes the start fail without a message, hang, or leave a stopped source, with any element
 * downstream: `filesrc ! identity ! fakesink`, `filesrc ! typefind ! fakesink`. So the test does not query a file directly
 * upstream. */
static void
call_queries_but_scheduling (Call *call)
{
  ask_something (call, 5);
}

static gboolean
has_stream (GstPad *pad)
{
  GstEvent *stream_start = gst_pad_get_sticky_event (pad, GST_EVENT_STREAM_START, 0);
  const gboolean is_there = stream_start != NULL;

  gst_clear_event (&stream_start);
  return is_there;
}

/* Sends a segment, if a stream has begun. With the stream lock. */
static gboolean
send_segment (Call *call, GstClockTime base)
{
  GstSegment segment;

  if (!has_stream (call->srcpad))
    return FALSE;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = base;
  return gst_pad_send_event (call->sinkpad, gst_event_new_segment (&segment));
}

/* As an element upstream may: no buffer comes between the end of the flush and the new segment. An element whose source pad is
 * stopped already refuses the segment: then the flush continues until the sink pad is stopped too. */
static void
call_flush (Call *call)
{
  gst_pad_send_event (call->sinkpad, gst_event_new_flush_start ());
  GST_PAD_STREAM_LOCK (call->sinkpad);
  gst_pad_send_event (call->sinkpad, gst_event_new_flush_stop (TRUE));
  if (!send_segment (call, 0) && has_stream (call->sinkpad))
    gst_pad_send_event (call->sinkpad, gst_event_new_flush_start ());
  GST_PAD_STREAM_UNLOCK (call->sinkpad);
}

static void
call_events (Call *call)
{
  switch (test_random_below (&call->random, 8)) {
  case 0:
    gst_pad_send_event (call->sinkpad, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("hostile")));
    break;
  case 1:
    gst_pad_send_event (call->sinkpad,
                        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_new_empty ("hostile")));
    break;
  case 2:
    gst_pad_send_event (call->srcpad, gst_event_new_reconfigure ());
    break;
  case 3:
    gst_pad_send_event (call->srcpad, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 0.5, 1, 0));
    break;
  case 4:
    gst_pad_send_event (call->srcpad, gst_event_new_latency (GST_MSECOND));
    break;
  case 5:
    gst_pad_send_event (call->srcpad, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("hostile")));
    break;
  case 6:
    gst_pad_send_event (call->sinkpad, gst_event_new_gap (0, GST_SECOND)); /* may wait in the sink for PLAYING */
    break;
  default:
    GST_PAD_STREAM_LOCK (call->sinkpad);
    send_segment (call, test_random_below (&call->random, 3) * GST_SECOND);
    GST_PAD_STREAM_UNLOCK (call->sinkpad);
    break;
  }
}

/* Reads every property, and sets those that may be set, with effect now or at the next start. */
static void
call_properties (Call *call)
{
  guint count;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (call->element), &count);
  GParamSpec *spec = specs[test_random_below (&call->random, count)];
  GValue value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  if (strcmp (spec->name, "parent") != 0 && (spec->flags & G_PARAM_READABLE) != 0)
    g_object_get_property (G_OBJECT (call->element), spec->name, &value);
  if ((spec->flags & G_PARAM_DEPRECATED) != 0) { /* a removed one: the start would be refused */
    ;
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec) && strcmp (spec->name, "qos") != 0) {
    g_value_set_boolean (&value, (gboolean)test_random_below (&call->random, 2));
    g_object_set_property (G_OBJECT (call->element), spec->name, &value);
  } else if (G_IS_PARAM_SPEC_ENUM (spec) && strcmp (spec->name, "backend") != 0 && strcmp (spec->name, "window") != 0
             && strcmp (spec->name, "metering") != 0) { /* without a file of weights the start would be refused */
    GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
    const gint drawn = values->values[test_random_below (&call->random, values->n_values)].value;

    g_value_set_enum (&value, MAX (0, drawn)); /* negative: removed */
    g_object_set_property (G_OBJECT (call->element), spec->name, &value);
  } else if (strcmp (spec->name, "interval") == 0) {
    g_value_set_uint64 (&value, test_random_below (&call->random, GST_SECOND));
    g_object_set_property (G_OBJECT (call->element), spec->name, &value);
  }
  g_value_unset (&value);
  g_free (specs);
}

static void
call_stats (Call *call)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 in, reported, discarded, skipped, pending;

  g_object_get (call->element, "stats", &stats, NULL);
  ck_assert (gst_structure_get (stats, "frames-in", G_TYPE_UINT64, &in, "frames-reported", G_TYPE_UINT64, &reported,
                                "frames-discarded", G_TYPE_UINT64, &discarded, "frames-skipped", G_TYPE_UINT64, &skipped,
                                "frames-pending", G_TYPE_UINT64, &pending, NULL));
  if (in != reported + discarded + skipped + pending)
    journal_fail ("stats do not balance: %s", gst_structure_to_string (stats));
}

static void
call_others (Call *call)
{
  static const gchar *const types[] = { "gst.cuda.context", "gst.gl.GLDisplay" };
  GstContext *context;
  gboolean is_done;
  gchar *name;

  switch (test_random_below (&call->random, 4)) {
  case 0: /* a context without its promised contents */
    context = gst_context_new (types[test_random_below (&call->random, 2)], TRUE);
    gst_element_set_context (call->element, context);
    gst_context_unref (context);
    break;
  case 1:
    name = gst_element_get_name (call->element);
    g_free (name);
    break;
  case 2:
    g_signal_emit_by_name (call->element, "reopen-sidecar", &is_done);
    break;
  default:
    gst_element_query_position (call->element, GST_FORMAT_TIME, NULL);
    break;
  }
}

static const Entry all_entries[] = {
  { "ALLOCATION", call_allocation }, { "DRAIN", call_drain },           { "CAPS", call_caps },   { "queries", call_queries },
  { "events", call_events },         { "properties", call_properties }, { "stats", call_stats }, { "others", call_others },
};

static const Entry entries_of_file[] = {
  { "ALLOCATION", call_allocation },
  { "DRAIN", call_drain },
  { "CAPS", call_caps },
  { "queries", call_queries_but_scheduling },
  { "events", call_events },
  { "properties", call_properties },
  { "stats", call_stats },
  { "others", call_others },
};

/* ---- up and down ------------------------------------------------------------------------------------------------- */

static const gchar *last_error; /* of any element, for the report of a failure; atomic */

static void
set_state (GstElement *element, GstState state)
{
  GstStateChangeReturn changed = gst_element_set_state (element, state);

  if (changed == GST_STATE_CHANGE_FAILURE)
    journal_fail ("%s was refused: %s", gst_element_state_get_name (state), last_error != NULL ? last_error : "no error");
}

/* Whether to run another cycle. A driver of a real GPU takes a good part of a second to start. */
static gboolean
has_time_left (gint64 since)
{
  return g_get_monotonic_time () - since < LONGEST_US;
}

/* A random walk over the states, which ends in NULL. */
static void
cycle (Hammers *hammers, GstElement *element, guint cycles)
{
  static const GstState states[] = { GST_STATE_PLAYING, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL };
  const gint64 since = g_get_monotonic_time ();
  struct test_random random = test_random_start (99);

  for (guint i = 0; i < cycles && has_time_left (since); i++) {
    set_state (element, GST_STATE_PLAYING);
    g_usleep (test_random_below (&random, 1500));
    set_state (element, states[test_random_below (&random, G_N_ELEMENTS (states))]);
    g_usleep (test_random_below (&random, 300));
    set_state (element, test_random_once_in (&random, 2) ? GST_STATE_READY : GST_STATE_NULL);
    g_atomic_int_inc (&hammers->progress);
  }
  set_state (element, GST_STATE_NULL);
}

static GstBusSyncReply
drop_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data G_GNUC_UNUSED)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) error = NULL;
    g_autofree gchar *debug = NULL, *text = NULL;

    gst_message_parse_error (message, &error, &debug);
    text = g_strdup_printf ("%s: %s (%s)", GST_MESSAGE_SRC_NAME (message), error->message, debug);
    g_atomic_pointer_set (&last_error, g_intern_string (text)); /* others may be reading the one before */
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* Warnings of GStreamer itself, after any element: an event that meets a flush on its way, and GstBaseTransform's answer
 * about the position while a segment comes. */
static void
ignore_warnings (void)
{
  static gboolean is_done;

  if (is_done)
    return;
  is_done = TRUE;
  gst_check_add_log_filter ("GStreamer", G_LOG_LEVEL_WARNING, g_regex_new ("Sticky event misordering", 0, 0, NULL), NULL, NULL,
                            NULL);
  gst_check_add_log_filter ("GStreamer", G_LOG_LEVEL_CRITICAL, g_regex_new ("gst_segment_to_stream_time", 0, 0, NULL), NULL,
                            NULL, NULL);
}

/* A pipeline with an element named "one", whose messages are dropped. */
static GstElement *make_pipeline (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

static GstElement *
make_pipeline (const gchar *format, ...)
{
  GError *error = NULL;
  GstElement *pipeline;
  va_list arguments;

  hostile_source_register ();
  ignore_warnings ();
  g_atomic_pointer_set (&last_error, NULL);
  va_start (arguments, format);
  g_autofree gchar *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  ck_assert_msg (error == NULL, "%s: %s", line, error != NULL ? error->message : "");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_bus_set_sync_handler (bus, drop_message, NULL, NULL);
  return pipeline;
}

static GstElement *
get_one (GstElement *pipeline)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "one");

  ck_assert (element != NULL);
  return element;
}

/* Without neighbours: the shortest cycles. */
TEST (test_alone)
{
  g_autoptr (GstElement) element = make_element ("threads=1");
  g_autoptr (GstBus) bus = attach_bus (element);
  Hammers hammers;

  gst_bus_set_sync_handler (bus, drop_message, NULL, NULL);
  start_hammers (&hammers, "alone", element, all_entries, G_N_ELEMENTS (all_entries));
  cycle (&hammers, element, CYCLES);
  stop_hammers (&hammers);
  gst_element_set_bus (element, NULL);
}

/* While frames flow. */
static const gchar *const modes[] = {
  "",
  "dot=previous window=stream",
  "add-meta=true dot=previous",
  "when-busy=skip interval=100000000",
  "fields=apart add-meta=true dot=previous",
  "fields=apart interval=50000000 regions=0,0,9,9 statistics=comparison+row-sums",
  "events=black+freeze+scene-change black-min-duration=0 freeze-min-duration=0 freeze-noise=0.3 scene-change-threshold=1",
};

TEST_LOOP (test_playing, 0, G_N_ELEMENTS (modes))
{
  g_autoptr (GstElement) pipeline
      = make_pipeline ("hostilesrc calm=1000 interlaced=true ! cudahisto name=one threads=1 %s %s ! fakesink sync=false",
                       modes[__i__], get_backend_words ());
  g_autoptr (GstElement) element = get_one (pipeline);
  Hammers hammers;

  start_hammers (&hammers, modes[__i__], element, all_entries, G_N_ELEMENTS (all_entries));
  cycle (&hammers, pipeline, CYCLES / 4);
  stop_hammers (&hammers);
}

/* A flush stops a source for good, so that flushes are tested separately. */
TEST_LOOP (test_flushes, 0, G_N_ELEMENTS (modes))
{
  static const Entry entries[]
      = { { "flushes", call_flush }, { "DRAIN", call_drain }, { "ALLOCATION", call_allocation }, { "stats", call_stats } };
  g_autoptr (GstElement) pipeline = make_pipeline (
      "hostilesrc calm=1000 interlaced=true ! cudahisto name=one threads=1 %s %s ! fakesink sync=false async=false",
      modes[__i__], get_backend_words ());
  g_autoptr (GstElement) element = get_one (pipeline);
  Hammers hammers;

  start_hammers (&hammers, modes[__i__], element, entries, G_N_ELEMENTS (entries));
  cycle (&hammers, pipeline, CYCLES / 4);
  stop_hammers (&hammers);
  /* A flush does not make the source post an error, which would also end the current state change. */
  if (g_atomic_pointer_get (&last_error) != NULL)
    journal_fail ("%s: %s", modes[__i__], last_error);
}

static void
run_file (const gchar *what, const gchar *after, const gchar *properties, const Entry *entries, guint count)
{
  g_autofree gchar *contents = g_malloc0 (1 << 20);
  const gchar *path = make_file ("zeros", contents, 1 << 20);
  g_autoptr (GstElement) pipeline
      = make_pipeline ("filesrc location=%s ! %s cudahisto name=one threads=1 %s %s ! fakesink sync=false", path, after,
                       properties, get_backend_words ());
  g_autoptr (GstElement) element = get_one (pipeline);
  Hammers hammers;

  start_hammers (&hammers, what, element, entries, count);
  cycle (&hammers, pipeline, CYCLES / 4);
  stop_hammers (&hammers);
}

TEST (test_bytes)
{
  run_file ("a file after a queue", "queue !", "", all_entries, G_N_ELEMENTS (all_entries));
}

TEST (test_pulled_bytes)
{
  run_file ("a file", "", "", entries_of_file, G_N_ELEMENTS (entries_of_file));
}

/* ---- crashes that were ------------------------------------------------------------------------------------------- */

/* An application queries the element's memory, as docs/embedding.md recommends, while the pipeline is being stopped. */
TEST (test_allocation_while_stopping)
{
  static const Entry entries[] = { { "ALLOCATION", call_allocation }, { "ALLOCATION", call_allocation } };
  const gint64 since = g_get_monotonic_time ();
  g_autoptr (GstElement) element = make_element ("threads=1");
  Hammers hammers;

  start_hammers (&hammers, "ALLOCATION while stopping", element, entries, G_N_ELEMENTS (entries));
  for (guint i = 0; i < CYCLES && has_time_left (since); i++) {
    set_state (element, GST_STATE_PAUSED);
    set_state (element, GST_STATE_NULL);
    g_atomic_int_inc (&hammers.progress);
  }
  stop_hammers (&hammers);
}

TEST (test_drain_while_stopping)
{
  static const Entry entries[] = { { "DRAIN", call_drain }, { "DRAIN", call_drain } };
  const gint64 since = g_get_monotonic_time ();
  g_autoptr (GstElement) pipeline = make_pipeline (
      "hostilesrc calm=1000 ! cudahisto name=one threads=1 dot=previous %s ! fakesink sync=false", get_backend_words ());
  g_autoptr (GstElement) element = get_one (pipeline);
  Hammers hammers;

  start_hammers (&hammers, "DRAIN while stopping", element, entries, G_N_ELEMENTS (entries));
  for (guint i = 0; i < CYCLES / 4 && has_time_left (since); i++) {
    set_state (pipeline, GST_STATE_PLAYING);
    g_usleep (i % 7 * 100);
    set_state (pipeline, GST_STATE_NULL);
    g_atomic_int_inc (&hammers.progress);
  }
  stop_hammers (&hammers);
}

/* Out of a playing pipeline, without notice to the source. */
TEST (test_removal)
{
  static const Entry entries[] = { { "ALLOCATION", call_allocation }, { "stats", call_stats } };
  const gint64 since = g_get_monotonic_time ();

  for (guint i = 0; i < CYCLES / 50 && has_time_left (since); i++) {
    g_autoptr (GstElement) pipeline
        = make_pipeline ("hostilesrc calm=1000 ! cudahisto name=one threads=1 window=stream %s %s ! fakesink sync=false",
                         i % 2 == 0 ? "" : "add-meta=true", get_backend_words ());
    g_autoptr (GstElement) element = get_one (pipeline);
    Hammers hammers;

    start_hammers (&hammers, "removal", element, entries, G_N_ELEMENTS (entries));
    set_state (pipeline, GST_STATE_PLAYING);
    g_usleep (i % 10 * 500);
    gst_element_set_locked_state (element, TRUE);
    gst_bin_remove (GST_BIN (pipeline), element);
    set_state (element, GST_STATE_NULL);
    set_state (pipeline, GST_STATE_NULL);
    stop_hammers (&hammers);
  }
}

/* ---- what a handler of messages does ----------------------------------------------------------------------------- */

typedef struct {
  GstElement *pipeline, *element;
  guint at;      /* the result at which it acts */
  guint results; /* so far */
  guint actions; /* to do */
  gboolean ends; /* sends EOS instead of seeking */
  GMutex lock;
  GCond changed;
  gboolean is_over;
  gint busy; /* atomic: acting */
} Handler;

static GstBusSyncReply
act_on_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  Handler *handler = data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_mutex_lock (&handler->lock);
    handler->is_over = TRUE;
    g_cond_broadcast (&handler->changed);
    g_mutex_unlock (&handler->lock);
  }
  if ((gst_message_has_name (message, "cudahisto") || gst_message_has_name (message, "cudahisto-event"))
      && g_atomic_int_compare_and_exchange (&handler->busy, FALSE, TRUE)) {
    if (++handler->results >= handler->at && handler->actions > 0) {
      handler->results = 0;
      handler->actions--;
      if (handler->ends)
        gst_element_send_event (handler->pipeline, gst_event_new_eos ());
      else
        gst_element_seek_simple (handler->pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
    }
    g_atomic_int_set (&handler->busy, FALSE);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static gboolean
wait_until_over (Handler *handler)
{
  gint64 end = g_get_monotonic_time () + (gint64)(RIG_PATIENCE / GST_USECOND);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&handler->lock);

  while (!handler->is_over && g_cond_wait_until (&handler->changed, &handler->lock, end))
    ;
  return handler->is_over;
}

static void
run_handler (const gchar *properties, guint at, guint actions, gboolean ends)
{
  Handler handler = { .at = at, .actions = actions, .ends = ends };
  const gboolean skips = strstr (properties, "when-busy=skip") != NULL; /* at the frame rate, no frame is skipped */
  g_autoptr (GstStructure) stats = NULL;
  guint64 in = 0, pending = 1;

  g_mutex_init (&handler.lock);
  g_cond_init (&handler.changed);
  handler.pipeline
      = make_pipeline ("videotestsrc num-buffers=40 ! " SQUARE ",interlace-mode=interleaved ! cudahisto name=one %s %s ! "
                       "fakesink sync=%s async=false",
                       properties, get_backend_words (), skips ? "true" : "false");
  handler.element = get_one (handler.pipeline);
  g_autoptr (GstBus) bus = gst_element_get_bus (handler.pipeline);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_bus_set_sync_handler (bus, act_on_message, &handler, NULL);
  set_state (handler.pipeline, GST_STATE_PLAYING);
  if (!wait_until_over (&handler))
    journal_fail ("%s: a handler that %s at result %u hangs", properties, ends ? "sends EOS" : "seeks", at);
  set_state (handler.pipeline, GST_STATE_NULL);
  ck_assert_msg (handler.actions < actions, "%s: nothing was done", properties);
  g_object_get (handler.element, "stats", &stats, NULL);
  ck_assert (gst_structure_get (stats, "frames-in", G_TYPE_UINT64, &in, "frames-pending", G_TYPE_UINT64, &pending, NULL));
  ck_assert (in > 0 && pending == 0);
  gst_object_unref (handler.element);
  gst_object_unref (handler.pipeline);
  g_mutex_clear (&handler.lock);
  g_cond_clear (&handler.changed);
}

static const gchar *const handled[] = {
  "add-meta=false",
  "add-meta=true",
  "add-meta=true dot=previous",
  "when-busy=skip",
  "add-meta=true when-busy=skip",
  "fields=apart",
  "fields=apart add-meta=true",
  "events=black+freeze+scene-change black-ratio=0 black-min-duration=0 freeze-min-duration=0 scene-change-threshold=0",
};

/* `level` allows a handler to seek, since it runs on the streaming thread. This handler does not, and the streaming thread may
 * be waiting for it. */
TEST_LOOP (test_seek_in_handler, 0, G_N_ELEMENTS (handled))
{
  for (guint at = 1; at <= 10; at += 3)
    run_handler (handled[__i__], at, 3, FALSE);
}

/* The last result comes while the EOS event is held up. */
TEST_LOOP (test_seek_in_handler_at_eos, 0, G_N_ELEMENTS (handled))
{
  g_autofree gchar *properties = g_strdup_printf ("window=stream %s", handled[__i__]);

  run_handler (properties, 1, 2, FALSE);
}

TEST_LOOP (test_eos_in_handler, 0, G_N_ELEMENTS (handled))
{
  /* If the streaming thread waits for each buffer, the handler runs on it. Otherwise it may wait for a place in the queue,
   * which the handler occupies. */
  if (get_test_backend () != NULL && strstr (handled[__i__], "add-meta=true") == NULL)
    return;
  run_handler (handled[__i__], 5, 1, TRUE);
}

RIG_MAIN (NULL)
