/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running pipelines: live sources, clocks, seeks, loops, pauses, branches, changes of format and of links. A journal of each
 * element recomputes all results from the frames that reach it. */

#include <gst/video/video.h>

#include "journal.h"
#include "rig.h"

#define MAX_WATCHES 2
#define GRAY "video/x-raw,format=GRAY8,width=16,height=16"

/* An element. */
typedef struct {
  GstElement *element;
  Journal *journal;
  guint results;                   /* that were read from the bus */
  GstClockTime first_running_time; /* of the first result */

  GMutex lock;
  GCond changed;
  guint frames, gaps, gap_events; /* that reached it: frames, those with the flag GAP, and GAP events */
  gint framerate;
  gboolean has_ended; /* EOS came after the last frame */
  guint passed;       /* frames that left it */
} Watch;

typedef struct {
  GstElement *pipeline;
  GstBus *bus;
  Watch watches[MAX_WATCHES];
  guint count;
  GMutex lock;
  GCond happened;
  gboolean has_happened;
} Live;

/* ---- what reaches an element ------------------------------------------------------------------------------------- */

static GstPadProbeReturn
watch_input (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0 ? NULL : GST_PAD_PROBE_INFO_EVENT (info);
  Watch *watch = data;
  GstCaps *caps;

  g_mutex_lock (&watch->lock);
  if (event == NULL) {
    watch->frames++;
    watch->gaps += GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info), GST_BUFFER_FLAG_GAP);
    watch->has_ended = FALSE;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate", &watch->framerate, &(gint){ 0 });
  }
  watch->gap_events += event != NULL && GST_EVENT_TYPE (event) == GST_EVENT_GAP;
  watch->has_ended |= event != NULL && GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
watch_output (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer data)
{
  Watch *watch = data;

  g_mutex_lock (&watch->lock);
  watch->passed++;
  g_cond_broadcast (&watch->changed);
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement *element, const gchar *name, GstPadProbeType type, GstPadProbeCallback callback, gpointer data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, type, callback, data, NULL);
}

/* Takes the reference to the element, which is not started yet. */
static Watch *
add_watch (Live *live, GstElement *element)
{
  const JournalPromises promises = { .messages_are_complete = TRUE, .windows_are_fixed = TRUE, .frames_are_complete = TRUE };
  Watch *watch = &live->watches[live->count++];

  g_assert (live->count <= MAX_WATCHES);
  *watch = (Watch){ .element = element, .journal = journal_new (element) };
  journal_begin (watch->journal, &promises);
  g_mutex_init (&watch->lock);
  g_cond_init (&watch->changed);
  add_probe (element, "sink", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_input, watch);
  add_probe (element, "src", GST_PAD_PROBE_TYPE_BUFFER, watch_output, watch);
  return watch;
}

static GstElement *
get_element (Live *live, const gchar *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (live->pipeline), name);

  ck_assert_msg (element != NULL, "no element %s", name);
  return element;
}

/* ---- a pipeline -------------------------------------------------------------------------------------------------- */

/* A pipeline in state NULL, with elements "one" and perhaps "two" that are watched. */
static void open_live (Live *live, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static void
open_live (Live *live, const gchar *format, ...)
{
  static const gchar *const names[] = { "one", "two" };
  GError *error = NULL;
  va_list arguments;

  *live = (Live){ 0 };
  g_mutex_init (&live->lock);
  g_cond_init (&live->happened);
  va_start (arguments, format);
  g_autofree gchar *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  live->pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  ck_assert_msg (error == NULL, "%s: %s", line, error != NULL ? error->message : "");
  ck_assert (GST_IS_PIPELINE (live->pipeline));
  /* Messages of the stop are checked too. */
  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (live->pipeline), FALSE);
  live->bus = gst_element_get_bus (live->pipeline);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElement *element = gst_bin_get_by_name (GST_BIN (live->pipeline), names[i]);

    if (element != NULL)
      add_watch (live, element);
  }
}

static void
set_state (Live *live, GstState state)
{
  GstStateChangeReturn changed = gst_element_set_state (live->pipeline, state);

  ck_assert_int_ne (changed, GST_STATE_CHANGE_FAILURE);
  if (changed == GST_STATE_CHANGE_ASYNC)
    changed = gst_element_get_state (live->pipeline, NULL, NULL, RIG_PATIENCE);
  ck_assert_msg (changed == GST_STATE_CHANGE_SUCCESS || changed == GST_STATE_CHANGE_NO_PREROLL, "%s never came",
                 gst_element_state_get_name (state));
}

/* Enters a result in the journal. An error or a warning fails the test. */
static void
look_at (Live *live, GstMessage *message)
{
  const GstStructure *structure = gst_message_get_structure (message);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      || (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING && !is_lost_meta (message)))
    ck_abort_msg ("%s", gst_structure_to_string (structure));
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
    gst_bin_recalculate_latency (GST_BIN (live->pipeline));
  if (!gst_message_has_name (message, "cudahisto"))
    return;
  for (guint i = 0; i < live->count; i++)
    if (GST_MESSAGE_SRC (message) == GST_OBJECT (live->watches[i].element)) {
      if (live->watches[i].results++ == 0)
        live->watches[i].first_running_time = get_field_u64 (structure, "running-time");
      journal_take_message (live->watches[i].journal, message);
    }
}

/* Reads the bus until such a message arrives. */
static void
await_message (Live *live, GstMessageType type)
{
  gboolean found = FALSE;

  while (!found) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop (live->bus, RIG_PATIENCE);

    ck_assert_msg (message != NULL, "no %s came", gst_message_type_get_name (type));
    found = GST_MESSAGE_TYPE (message) == type;
    look_at (live, message);
  }
}

/* Reads the bus until the element has posted that number of results. */
static void
await_results (Live *live, Watch *watch, guint count)
{
  while (watch->results < count) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop (live->bus, RIG_PATIENCE);

    ck_assert_msg (message != NULL, "%u results of %u", watch->results, count);
    look_at (live, message);
  }
}

/* Waits until that number of frames has left the element. */
static void
await_frames (Watch *watch, guint count)
{
  gint64 end = g_get_monotonic_time () + (gint64)(RIG_PATIENCE / GST_USECOND);
  gboolean in_time = TRUE;

  g_mutex_lock (&watch->lock);
  while (watch->passed < count && in_time)
    in_time = g_cond_wait_until (&watch->changed, &watch->lock, end);
  in_time = watch->passed >= count;
  g_mutex_unlock (&watch->lock);
  ck_assert_msg (in_time, "%u frames never came", count);
}

static guint
get_passed (Watch *watch)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&watch->lock);

  return watch->passed;
}

static void
await_more_frames (Watch *watch, guint count)
{
  await_frames (watch, get_passed (watch) + count);
}

/* For a probe on another thread, which may be called again: an event for which a test waits. One at a time. */
static void
arm_signal (Live *live)
{
  g_mutex_lock (&live->lock);
  live->has_happened = FALSE;
  g_mutex_unlock (&live->lock);
}

static void
raise_signal (Live *live)
{
  g_mutex_lock (&live->lock);
  live->has_happened = TRUE;
  g_cond_broadcast (&live->happened);
  g_mutex_unlock (&live->lock);
}

static void
await_signal (Live *live)
{
  gint64 end = g_get_monotonic_time () + (gint64)(RIG_PATIENCE / GST_USECOND);
  gboolean in_time = TRUE;

  g_mutex_lock (&live->lock);
  while (!live->has_happened && in_time)
    in_time = g_cond_wait_until (&live->happened, &live->lock, end);
  in_time = live->has_happened;
  g_mutex_unlock (&live->lock);
  ck_assert_msg (in_time, "a probe was never called");
}

/* Call it before an element is stopped. */
static void
announce_stop (Live *live)
{
  for (guint i = 0; i < live->count; i++)
    journal_stopping (live->watches[i].journal);
}

/* Stops, and checks all messages of all elements. */
static void
close_live (Live *live)
{
  GstMessage *message;

  for (guint i = 0; i < live->count; i++) {
    Watch *watch = &live->watches[i];

    /* At the end of a stream all frames are accounted for, and `stats` shows that at the EOS. */
    if (watch->has_ended) {
      ck_assert_uint_eq (get_stat (watch->element, "frames-in"), watch->frames);
      ck_assert_uint_eq (get_stat (watch->element, "frames-pending"), 0);
    }
  }
  announce_stop (live);
  set_state (live, GST_STATE_NULL);
  while ((message = gst_bus_pop (live->bus)) != NULL) {
    look_at (live, message);
    gst_message_unref (message);
  }
  gst_clear_object (&live->bus);
  gst_clear_object (&live->pipeline);
  for (guint i = 0; i < live->count; i++) {
    Watch *watch = &live->watches[i];

    journal_end (watch->journal);
    journal_free (watch->journal);
    gst_object_unref (watch->element);
    g_mutex_clear (&watch->lock);
    g_cond_clear (&watch->changed);
  }
  g_mutex_clear (&live->lock);
  g_cond_clear (&live->happened);
}

/* From the application, as `gst-launch-1.0 -e` does, and to the end. */
static void
end_live (Live *live)
{
  ck_assert (gst_element_send_event (live->pipeline, gst_event_new_eos ()));
  await_message (live, GST_MESSAGE_EOS);
}

/* ---- live sources ------------------------------------------------------------------------------------------------ */

static const gchar *const modes[] = {
  "", "window=stream", "interval=100000000", "add-meta=true", "dot=previous", "fields=apart", /* progressive frames */
};

TEST (test_live_source)
{
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    Live live;

    open_live (&live,
               "videotestsrc is-live=true num-buffers=40 pattern=snow ! " GRAY ",framerate=200/1 ! "
               "cudahisto name=one %s %s ! fakesink sync=true",
               modes[i], get_backend_words ());
    set_state (&live, GST_STATE_PLAYING);
    await_message (&live, GST_MESSAGE_EOS);
    ck_assert_uint_eq (live.watches[0].frames, 40);
    close_live (&live);
  }
}

/* Two elements in one pipeline, one after a videorate that drops frames, the other after one that repeats them. A repeated
 * frame has the flag GAP, and is counted as usual. */
TEST (test_rates)
{
  Live live;

  open_live (
      &live,
      "videotestsrc is-live=true num-buffers=50 pattern=ball ! " GRAY ",framerate=250/1 ! tee name=tee  "
      "tee. ! queue ! videorate skip-to-first=true ! video/x-raw,framerate=50/1 ! cudahisto name=one %s ! fakesink sync=true  "
      "tee. ! queue ! videorate skip-to-first=true ! video/x-raw,framerate=750/1 ! cudahisto name=two interval=20000000 %s ! "
      "fakesink sync=true",
      get_backend_words (), get_backend_words ());
  set_state (&live, GST_STATE_PLAYING);
  await_message (&live, GST_MESSAGE_EOS);
  ck_assert_uint_ge (live.watches[0].frames, 10);
  ck_assert_uint_le (live.watches[0].frames, 12);
  ck_assert_uint_ge (live.watches[1].frames, 140);
  ck_assert_uint_ge (live.watches[1].gaps, 90);
  close_live (&live);
}

/* A leaky queue before a sink that accepts nothing until the other branch has finished. */
static GstPadProbeReturn
wait_for_the_other (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer other)
{
  await_frames (other, 200);
  return GST_PAD_PROBE_REMOVE;
}

TEST (test_leaky_queue)
{
  static const gchar *const leaks[] = { "upstream", "downstream" };

  for (guint i = 0; i < G_N_ELEMENTS (leaks); i++) {
    GstElement *sink;
    Live live;

    open_live (&live,
               "videotestsrc num-buffers=200 pattern=snow ! " GRAY ",framerate=100/1 ! tee name=tee  "
               "tee. ! queue ! cudahisto name=one window=stream %s ! fakesink async=false sync=false  "
               "tee. ! queue leaky=%s max-size-buffers=3 ! cudahisto name=two interval=50000000 %s ! "
               "fakesink name=sink async=false sync=false",
               get_backend_words (), leaks[i], get_backend_words ());
    sink = get_element (&live, "sink");
    add_probe (sink, "sink", GST_PAD_PROBE_TYPE_BUFFER, wait_for_the_other, &live.watches[0]);
    set_state (&live, GST_STATE_PLAYING);
    await_message (&live, GST_MESSAGE_EOS);
    ck_assert_uint_eq (live.watches[0].frames, 200);
    ck_assert_uint_lt (live.watches[1].frames, 200);
    gst_object_unref (sink);
    close_live (&live);
  }
}

/* While it is closed no frame comes, but all results of earlier frames are reported. */
TEST (test_valve)
{
  GstElement *valve;
  Live live;

  open_live (&live,
             "videotestsrc is-live=true pattern=snow ! " GRAY ",framerate=200/1 ! valve name=valve ! cudahisto name=one %s ! "
             "fakesink sync=true",
             get_backend_words ());
  valve = get_element (&live, "valve");
  set_state (&live, GST_STATE_PLAYING);
  for (guint i = 0; i < 4; i++) {
    guint passed;

    await_more_frames (&live.watches[0], 7);
    g_object_set (valve, "drop", TRUE, NULL);
    /* A frame that had passed the valve is reported at last with its results. */
    passed = get_passed (&live.watches[0]);
    await_results (&live, &live.watches[0], passed);
    g_object_set (valve, "drop", FALSE, NULL);
  }
  await_more_frames (&live.watches[0], 1);
  end_live (&live);
  gst_object_unref (valve);
  close_live (&live);
}

typedef struct {
  GstElement *selector;
  GstPad *pads[2];
  guint frames;
} Selection;

/* On the streaming thread, with its last buffer on the way: an input-selector switched by the application sometimes passes
 * buffers with the caps of the other source. */
static GstPadProbeReturn
select_other (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer data)
{
  Selection *selection = data;

  selection->frames++;
  if (selection->frames % 5 == 0 && selection->frames <= 30)
    g_object_set (selection->selector, "active-pad", selection->pads[selection->frames / 5 % 2], NULL);
  return GST_PAD_PROBE_OK;
}

/* Two sources of different sizes and formats by turns. */
TEST (test_input_selector)
{
  static const gchar *const lines[] = { "window=buffer", "window=stream", "interval=30000000" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    Selection selection = { 0 };
    Live live;

    open_live (&live,
               "videotestsrc is-live=true pattern=snow ! " GRAY ",framerate=200/1 ! selector.sink_0  "
               "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=24,height=8,framerate=100/1 ! "
               "selector.sink_1  "
               "input-selector name=selector ! cudahisto name=one %s %s ! fakesink sync=true",
               lines[i], get_backend_words ());
    selection.selector = get_element (&live, "selector");
    for (guint j = 0; j < 2; j++)
      selection.pads[j] = gst_element_get_static_pad (selection.selector, j == 0 ? "sink_0" : "sink_1");
    g_object_set (selection.selector, "active-pad", selection.pads[0], NULL);
    add_probe (live.watches[0].element, "sink", GST_PAD_PROBE_TYPE_BUFFER, select_other, &selection);
    set_state (&live, GST_STATE_PLAYING);
    await_frames (&live.watches[0], 35);
    end_live (&live);
    close_live (&live);
    for (guint j = 0; j < 2; j++)
      gst_object_unref (selection.pads[j]);
    gst_object_unref (selection.selector);
  }
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

TEST (test_paused_and_back)
{
  for (guint is_live = 0; is_live < 2; is_live++)
    for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
      Live live;

      open_live (&live,
                 "videotestsrc is-live=%s pattern=snow ! " GRAY ",framerate=200/1 ! queue ! cudahisto name=one %s %s ! "
                 "fakesink sync=true",
                 is_live ? "true" : "false", modes[i], get_backend_words ());
      for (guint j = 0; j < 3; j++) {
        set_state (&live, GST_STATE_PLAYING);
        await_more_frames (&live.watches[0], 6);
        set_state (&live, GST_STATE_PAUSED);
        /* A live GstBaseSrc that plays again before its thread has noticed the pause stops for good, with any element
         * downstream (1.22.0). */
        if (is_live)
          g_usleep (50 * 1000);
      }
      set_state (&live, GST_STATE_PLAYING);
      await_more_frames (&live.watches[0], 6);
      end_live (&live);
      close_live (&live);
    }
}

/* Stopped and restarted while frames flow, without EOS: complete windows are reported, even from the last moment. */
TEST (test_stopped_in_full_flow)
{
  static const GstState low[] = { GST_STATE_READY, GST_STATE_NULL };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (modes); i++) {
    Live live;

    open_live (&live,
               "videotestsrc pattern=snow ! " GRAY ",framerate=200/1 ! queue max-size-buffers=2 ! "
               "cudahisto name=one %s %s ! queue max-size-buffers=2 ! fakesink sync=false",
               modes[i / 2], get_backend_words ());
    set_state (&live, GST_STATE_PLAYING);
    await_more_frames (&live.watches[0], 20);
    announce_stop (&live);
    gst_element_set_state (live.pipeline, low[i % 2]);
    close_live (&live);
  }
}

/* ---- seeks ------------------------------------------------------------------------------------------------------- */

static const gchar *const windows[]
    = { "window=buffer", "window=stream", "interval=150000000", "interval=100000000 add-meta=true" };

/* 25 frames a second, as fast as they are counted. */
static void
open_seekable (Live *live, const gchar *properties, const gchar *sink)
{
  open_live (live, "videotestsrc name=source pattern=snow ! " GRAY ",framerate=25/1 ! cudahisto name=one %s %s ! fakesink %s",
             properties, get_backend_words (), sink);
}

static void
seek (Live *live, gdouble rate, GstSeekFlags flags, GstClockTime start, GstClockTime stop)
{
  ck_assert (gst_element_seek (live->pipeline, rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, (gint64)start,
                               GST_SEEK_TYPE_SET, (gint64)stop));
}

/* To other places, faster, slower and backwards, each time to the end of the segment. */
TEST (test_rates_of_seeks)
{
  static const gdouble rates[] = { 1, 2, 0.5, 4, -1, -2, -0.5 };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++) {
    Live live;

    open_seekable (&live, windows[i], "sync=false");
    set_state (&live, GST_STATE_PAUSED);
    for (guint j = 0; j < G_N_ELEMENTS (rates); j++) {
      guint before = get_passed (&live.watches[0]);

      seek (&live, rates[j], GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, (1 + j) * GST_SECOND, (2 + j) * GST_SECOND);
      set_state (&live, GST_STATE_PLAYING);
      await_message (&live, GST_MESSAGE_EOS);
      ck_assert_uint_ge (get_passed (&live.watches[0]) - before, 25);
    }
    close_live (&live);
  }
}

/* One second, four times: the sink receives no EOS until the last. */
TEST (test_loops)
{
  static const gdouble rates[][4] = { { 1, 1, 1, 1 }, { 1, -1, 1, -1 }, { 2, 2, 0.5, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (windows) * G_N_ELEMENTS (rates); i++) {
    const gdouble *rate = rates[i / G_N_ELEMENTS (windows)];
    Live live;

    open_seekable (&live, windows[i % G_N_ELEMENTS (windows)], "sync=false");
    set_state (&live, GST_STATE_PAUSED);
    seek (&live, rate[0], GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT | GST_SEEK_FLAG_ACCURATE, 2 * GST_SECOND, 3 * GST_SECOND);
    set_state (&live, GST_STATE_PLAYING);
    for (guint j = 1; j < 4; j++) {
      await_message (&live, GST_MESSAGE_SEGMENT_DONE);
      seek (&live, rate[j], GST_SEEK_FLAG_ACCURATE | (j < 3 ? GST_SEEK_FLAG_SEGMENT : GST_SEEK_FLAG_NONE), 2 * GST_SECOND,
            3 * GST_SECOND);
    }
    await_message (&live, GST_MESSAGE_EOS);
    ck_assert_uint_ge (live.watches[0].frames, 100);
    close_live (&live);
  }
}

static GstPadProbeReturn
raise_at_segment_done (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer live)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT_DONE)
    raise_signal (live);
  return GST_PAD_PROBE_OK;
}

/* At the end of the segment downstream, all results are on the bus, as at EOS. */

TEST (test_one_segment)
{
  for (guint i = 0; i < G_N_ELEMENTS (windows); i++) {
    GstElement *sink;
    Live live;

    open_seekable (&live, windows[i], "name=sink sync=false");
    sink = get_element (&live, "sink");
    arm_signal (&live);
    add_probe (sink, "sink", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, raise_at_segment_done, &live);
    set_state (&live, GST_STATE_PAUSED);
    seek (&live, 1, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT | GST_SEEK_FLAG_ACCURATE, 0, GST_SECOND);
    set_state (&live, GST_STATE_PLAYING);
    await_signal (&live);
    gst_object_unref (sink);
    close_live (&live);
  }
}

/* While playing, from the application, at any moment. */
TEST (test_seeks_in_full_flow)
{
  for (guint i = 0; i < G_N_ELEMENTS (windows); i++) {
    Live live;

    open_live (&live,
               "videotestsrc pattern=snow ! " GRAY ",framerate=25/1 ! queue max-size-buffers=2 ! "
               "cudahisto name=one %s %s ! queue max-size-buffers=2 ! fakesink sync=false",
               windows[i], get_backend_words ());
    set_state (&live, GST_STATE_PLAYING);
    for (guint j = 0; j < 20; j++) {
      /* Far away: a short distance would continue the timeline. */
      GstClockTime start = (1 + j) * 200000 * GST_SECOND + draw_random (1000) * GST_MSECOND;
      gboolean is_paused = draw_random (4) == 0;
      gboolean flushes = is_paused || draw_random (3) > 0; /* otherwise it waits for a paused element */

      if (draw_random (3) > 0)
        await_more_frames (&live.watches[0], 1 + draw_random (20));
      if (is_paused)
        set_state (&live, GST_STATE_PAUSED);
      seek (&live, draw_random (3) == 0 ? -1.5 : 1, flushes ? GST_SEEK_FLAG_FLUSH : GST_SEEK_FLAG_NONE, start,
            start + 100000 * GST_SECOND);
      if (draw_random (4) == 0)
        set_state (&live, GST_STATE_PAUSED);
      set_state (&live, GST_STATE_PLAYING);
    }
    await_more_frames (&live.watches[0], 5);
    seek (&live, 1, GST_SEEK_FLAG_FLUSH, 0, GST_SECOND);
    await_message (&live, GST_MESSAGE_EOS);
    close_live (&live);
  }
}

/* ---- caps and gaps ----------------------------------------------------------------------------------------------- */

/* A caps filter before or after the element, which the application changes in mid-stream. It passes the frame on its way with
 * the old caps; by default it would refuse it. */
TEST (test_caps_changes)
{
  static const gchar *const formats[]
      = { "format=I420,width=32,height=24", "format=GRAY8,width=8,height=40", "format=NV12,width=32,height=24",
          "format=NV12,width=64,height=24", "format=GRAY8,width=16,height=16" };
  static const gchar *const lines[] = {
    "videotestsrc is-live=true pattern=snow ! capsfilter name=filter caps-change-mode=delayed caps=" GRAY
    " ! cudahisto name=one %s %s ! fakesink sync=true",
    "videotestsrc is-live=true pattern=snow ! cudahisto name=one %s %s ! capsfilter name=filter caps-change-mode=delayed "
    "caps=" GRAY " ! fakesink sync=true",
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (windows); i++) {
    g_autoptr (GString) line = g_string_new (lines[i % 2]);
    GstElement *filter;
    Live live;

    g_string_replace (line, "%s %s", windows[i / 2], 1);
    open_live (&live, "%s", line->str);
    if (get_test_backend () != NULL)
      gst_util_set_object_arg (G_OBJECT (live.watches[0].element), "backend", get_test_backend ());
    filter = get_element (&live, "filter");
    set_state (&live, GST_STATE_PLAYING);
    for (guint j = 0; j < G_N_ELEMENTS (formats); j++) {
      g_autofree gchar *caps = g_strdup_printf ("video/x-raw,%s,framerate=%u/1", formats[j], 100 + j);

      await_more_frames (&live.watches[0], 5);
      gst_util_set_object_arg (G_OBJECT (filter), "caps", caps);
    }
    await_more_frames (&live.watches[0], 5);
    end_live (&live);
    ck_assert_int_eq (live.watches[0].framerate, 104);
    gst_object_unref (filter);
    close_live (&live);
  }
}

/* Of every six frames, one becomes a GAP event, and one gets the flag. */
static GstPadProbeReturn
mark_gaps (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer index)
{
  GST_PAD_PROBE_INFO_DATA (info) = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  if (*(guint *)index % 6 == 2)
    GST_BUFFER_FLAG_SET (GST_PAD_PROBE_INFO_BUFFER (info), GST_BUFFER_FLAG_DROPPABLE);
  if (*(guint *)index % 6 == 4)
    GST_BUFFER_FLAG_SET (GST_PAD_PROBE_INFO_BUFFER (info), GST_BUFFER_FLAG_GAP);
  ++*(guint *)index;
  return GST_PAD_PROBE_OK;
}

TEST (test_gaps)
{
  for (guint i = 0; i < G_N_ELEMENTS (windows); i++) {
    guint index = 0;
    GstElement *source;
    Live live;

    open_live (&live,
               "videotestsrc name=source is-live=true num-buffers=60 pattern=snow ! " GRAY ",framerate=200/1 ! "
               "identity drop-buffer-flags=droppable ! cudahisto name=one %s %s ! fakesink sync=true",
               windows[i], get_backend_words ());
    source = get_element (&live, "source");
    add_probe (source, "src", GST_PAD_PROBE_TYPE_BUFFER, mark_gaps, &index);
    set_state (&live, GST_STATE_PLAYING);
    await_message (&live, GST_MESSAGE_EOS);
    ck_assert_uint_eq (live.watches[0].frames, 50);
    ck_assert_uint_eq (live.watches[0].gap_events, 10);
    ck_assert_uint_eq (live.watches[0].gaps, 10);
    gst_object_unref (source);
    close_live (&live);
  }
}

/* ---- links that come and go -------------------------------------------------------------------------------------- */

static GstPadProbeReturn
raise_when_blocked (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer live)
{
  raise_signal (live);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
raise_at_eos (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer live)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  raise_signal (live);
  return GST_PAD_PROBE_DROP; /* the element's end, not the stream's */
}

/* Blocks the pad while no data passes it. */
static gulong
block (Live *live, GstPad *pad)
{
  gulong probe;

  arm_signal (live);
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, raise_when_blocked, live, NULL);
  await_signal (live);
  return probe;
}

/* Into the link of two elements and out again: with or without an EOS. */
TEST (test_in_and_out)
{
  static const gchar *const properties[]
      = { "name=one", "name=one window=stream", "name=one interval=30000000", "name=one add-meta=true dot=previous" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (properties); i++) {
    GstElement *source, *sink, *element;
    GstPad *upstream, *downstream, *sinkpad, *srcpad;
    gulong probe;
    Live live;

    open_live (&live, "videotestsrc is-live=true pattern=snow ! capsfilter name=source caps=" GRAY
                      ",framerate=200/1 ! fakesink name=sink sync=true");
    source = get_element (&live, "source");
    sink = get_element (&live, "sink");
    upstream = gst_element_get_static_pad (source, "src");
    downstream = gst_element_get_static_pad (sink, "sink");
    set_state (&live, GST_STATE_PLAYING);

    element = make_element (properties[i / 2]);
    sinkpad = gst_element_get_static_pad (element, "sink");
    srcpad = gst_element_get_static_pad (element, "src");
    add_watch (&live, element);
    probe = block (&live, upstream);
    ck_assert (gst_pad_unlink (upstream, downstream));
    ck_assert (gst_bin_add (GST_BIN (live.pipeline), element));
    ck_assert_int_eq (gst_pad_link (upstream, sinkpad), GST_PAD_LINK_OK);
    ck_assert_int_eq (gst_pad_link (srcpad, downstream), GST_PAD_LINK_OK);
    ck_assert (gst_element_sync_state_with_parent (element));
    gst_pad_remove_probe (upstream, probe);
    await_frames (&live.watches[0], 10);

    probe = block (&live, upstream);
    ck_assert (gst_pad_unlink (upstream, sinkpad));
    if (i % 2) {
      arm_signal (&live);
      gst_pad_add_probe (srcpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, raise_at_eos, &live, NULL);
      ck_assert (gst_pad_send_event (sinkpad, gst_event_new_eos ()));
      await_signal (&live);
      ck_assert_uint_eq (get_stat (element, "frames-reported"), get_passed (&live.watches[0]));
    }
    ck_assert (gst_pad_unlink (srcpad, downstream));
    ck_assert_int_eq (gst_element_set_state (element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    ck_assert (gst_bin_remove (GST_BIN (live.pipeline), element));
    ck_assert_int_eq (gst_pad_link (upstream, downstream), GST_PAD_LINK_OK);
    gst_pad_remove_probe (upstream, probe);

    end_live (&live);
    gst_object_unref (sinkpad);
    gst_object_unref (srcpad);
    gst_object_unref (upstream);
    gst_object_unref (downstream);
    gst_object_unref (source);
    gst_object_unref (sink);
    close_live (&live);
  }
}

/* A branch is added to a tee in mid-stream, linked to a running element, and removed, several times. Its times are the
 * stream's. */
TEST (test_branches_come_and_go)
{
  for (guint i = 0; i < 6; i++) {
    GstElement *tee, *branch, *element;
    GstPad *teepad, *ghost;
    gulong probe;
    Live live;

    open_live (&live,
               "videotestsrc is-live=true pattern=snow ! " GRAY ",framerate=200/1 ! tee name=tee ! queue ! "
               "cudahisto name=one interval=50000000 %s ! fakesink sync=true",
               get_backend_words ());
    tee = get_element (&live, "tee");
    set_state (&live, GST_STATE_PLAYING);
    await_frames (&live.watches[0], 5);

    g_autofree gchar *line = g_strdup_printf ("queue ! cudahisto name=two %s %s ! fakesink sync=true async=false",
                                              modes[i % G_N_ELEMENTS (modes)], get_backend_words ());
    branch = gst_parse_bin_from_description (line, TRUE, NULL);
    ck_assert (branch != NULL);
    element = gst_bin_get_by_name (GST_BIN (branch), "two");
    add_watch (&live, element);
    ck_assert (gst_bin_add (GST_BIN (live.pipeline), gst_object_ref (branch)));
    ck_assert (gst_element_sync_state_with_parent (branch));
    teepad = gst_element_request_pad_simple (tee, "src_%u");
    ghost = gst_element_get_static_pad (branch, "sink");
    ck_assert_int_eq (gst_pad_link (teepad, ghost), GST_PAD_LINK_OK);
    await_frames (&live.watches[1], 10);

    probe = block (&live, teepad);
    ck_assert (gst_pad_unlink (teepad, ghost));
    gst_pad_remove_probe (teepad, probe);
    gst_element_release_request_pad (tee, teepad);
    journal_stopping (live.watches[1].journal);
    /* Before it is removed, so that its last messages reach the bus. */
    ck_assert_int_eq (gst_element_set_state (branch, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    ck_assert (gst_bin_remove (GST_BIN (live.pipeline), branch));
    await_more_frames (&live.watches[0], 5);
    end_live (&live);
    ck_assert_uint_gt (live.watches[1].first_running_time, 0);
    gst_object_unref (teepad);
    gst_object_unref (ghost);
    gst_object_unref (branch);
    gst_object_unref (tee);
    close_live (&live);
  }
}

/* ---- latency ----------------------------------------------------------------------------------------------------- */

typedef struct {
  gboolean is_live;
  GstClockTime min, max;
} Latency;

static Latency upstream_latency;

static gboolean
answer_latency (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, upstream_latency.is_live, upstream_latency.min, upstream_latency.max);
  return TRUE;
}

static const gchar *const latency_modes[] = {
  "",
  "window=stream",
  "interval=1000000000",
  "dot=previous",
  "add-meta=true",
  "add-meta=true dot=previous",
  "add-meta=true interval=100000000",
  "add-meta=true window=stream",
  "fields=apart",
  "fields=apart add-meta=true",
};

/* The element never keeps a buffer until the next, so that its answer equals upstream's in every mode, live or not. */
TEST (test_latency)
{
  static const Latency cases[] = {
    { TRUE, 40 * GST_MSECOND, 200 * GST_MSECOND },
    { TRUE, 0, GST_CLOCK_TIME_NONE },
    { FALSE, 0, GST_CLOCK_TIME_NONE },
    { FALSE, 70 * GST_MSECOND, 70 * GST_MSECOND },
  };
  guint8 data[256] = { 7 };

  for (guint i = 0; i < G_N_ELEMENTS (latency_modes); i++) {
    g_auto (Rig) rig = open_rig (latency_modes[i]);

    gst_pad_set_query_function (rig.harness->srcpad, answer_latency);
    start_video (&rig, GRAY ",framerate=25/1,interlace-mode=interleaved");
    for (guint j = 0; j < 50; j++) {
      const Latency *expected = &cases[j % G_N_ELEMENTS (cases)];
      g_autoptr (GstQuery) query = gst_query_new_latency ();
      GstBuffer *buffer;
      Latency latency;

      /* Therefore it adds no latency. */
      push_timed (&rig, data, sizeof data, j * 40 * GST_MSECOND, 40 * GST_MSECOND);
      buffer = gst_harness_try_pull (rig.harness);
      ck_assert_msg (buffer != NULL && GST_BUFFER_PTS (buffer) == j * 40 * GST_MSECOND, "%s: frame %u is kept",
                     latency_modes[i], j);
      gst_buffer_unref (buffer);

      upstream_latency = *expected;
      ck_assert (gst_pad_peer_query (rig.harness->sinkpad, query));
      gst_query_parse_latency (query, &latency.is_live, &latency.min, &latency.max);
      ck_assert_int_eq (latency.is_live, expected->is_live);
      ck_assert_uint_eq (latency.min, expected->min);
      ck_assert_uint_eq (latency.max, expected->max);
    }
    push_eos (&rig);
    drop_results (rig.bus);
  }
}

/* Adds the events and messages of a sink. Takes the reference to it. */
static Latency
query_latency (GstElement *sink)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  Latency latency;

  ck_assert (gst_pad_peer_query (pad, query));
  gst_query_parse_latency (query, &latency.is_live, &latency.min, &latency.max);
  gst_object_unref (sink);
  return latency;
}

/* With the element, and with identity in its place. */
TEST (test_latency_of_pipelines)
{
  static const gchar *const sources[] = {
    "videotestsrc is-live=true ! " GRAY ",framerate=100/1",
    "videotestsrc is-live=true ! " GRAY ",framerate=100/1 ! queue max-size-buffers=3 max-size-time=0 max-size-bytes=0",
    "videotestsrc ! " GRAY ",framerate=100/1",
  };

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    for (guint j = 0; j < G_N_ELEMENTS (latency_modes); j++) {
      Latency latencies[2];

      for (guint k = 0; k < 2; k++) {
        Live live;

        open_live (&live, "%s ! %s %s %s ! fakesink name=sink sync=true", sources[i],
                   k == 0 ? "identity" : "cudahisto name=one", k == 0 ? "" : latency_modes[j],
                   k == 0 ? "" : get_backend_words ());
        set_state (&live, GST_STATE_PLAYING);
        if (k == 1)
          await_frames (&live.watches[0], 1);
        latencies[k] = query_latency (get_element (&live, "sink"));
        close_live (&live);
      }
      ck_assert_int_eq (latencies[0].is_live, i < 2);
      ck_assert_int_eq (latencies[1].is_live, latencies[0].is_live);
      ck_assert_uint_eq (latencies[1].min, latencies[0].min);
      ck_assert_uint_eq (latencies[1].max, latencies[0].max);
    }
}

/* A file that the element reads itself is not live. */
TEST (test_latency_of_a_file)
{
  static const guint8 data[1000] = { 1 };
  const gchar *path = make_file ("any.bin", data, sizeof data);
  g_autoptr (GstElement) pipeline = gst_parse_launch ("filesrc name=source ! cudahisto name=one ! fakesink name=sink", NULL);
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), "one");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  Latency latency;

  if (get_test_backend () != NULL)
    gst_util_set_object_arg (G_OBJECT (element), "backend", get_test_backend ());
  g_object_set (source, "location", path, NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  ck_assert_int_eq (gst_element_get_state (pipeline, NULL, NULL, RIG_PATIENCE), GST_STATE_CHANGE_SUCCESS);
  ck_assert_int_eq (GST_PAD_MODE (GST_PAD_PEER (pad)), GST_PAD_MODE_PULL);
  latency = query_latency (gst_bin_get_by_name (GST_BIN (pipeline), "sink"));
  ck_assert (!latency.is_live);
  ck_assert_uint_eq (latency.min, 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

RIG_MAIN (NULL)
