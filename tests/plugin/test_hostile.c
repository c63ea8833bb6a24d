/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random pipelines and random operations on them, until CUDAHISTO_HOSTILE_FRAMES frames have passed. The journal accounts for
 * each frame and computes each number a second time (journal.h). The seed and an episode's number determine its operations;
 * only their moments depend on threads. CUDAHISTO_HOSTILE_EPISODE repeats one episode. */

#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostilesource.h"
#include "journal.h"
#include "random.h"

#define FRAMES (TEST_IS_SANITIZED ? 3000 : 12000)
#define MANY_FRAMES 3000 /* a run of this length must have done each operation */
#define MAX_WATCHED 2
#define TRACE_LINES 48
#define PATIENCE_US ((gint64)300 * G_USEC_PER_SEC) /* limit of one step */

typedef struct {
  GstElement *element;
  Journal *journal;
  JournalPromises promises;
  gchar *sidecar;
  guint rotations;
} Watched;

typedef struct {
  guint number;
  struct test_random random;
  GstElement *pipeline;
  HostileKind kind;
  gboolean is_seekable, has_filter, has_selector, has_valve, may_fail;
  gint has_failed; /* atomic: an error that the run allows was posted */
  gint is_over;    /* atomic: EOS came */

  /* Protects `watched`: the meddling thread uses elements that may be removed. */
  GMutex lock;
  Watched watched[MAX_WATCHED];
  guint n_watched;

  GThread *meddler;
  gint is_ending; /* atomic */
  guint64 meddler_seed;
} Episode;

static gchar *directory;
static guint next_sidecar;
static guint n_pipelines, n_seeks, n_removals, n_stops, n_changes, n_queries;

/* ---- the report of a failure ------------------------------------------------------------------------------------- */

static GMutex trace_lock;
static gchar *trace[TRACE_LINES];
static guint trace_length, current_episode;
static gchar *current_line;
static gint64 last_step;

static void explain (void);
static void note (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

static void
note (const gchar *format, ...)
{
  va_list arguments;
  gchar **line;

  va_start (arguments, format);
  g_mutex_lock (&trace_lock);
  line = &trace[trace_length++ % TRACE_LINES];
  g_free (*line);
  *line = g_strdup_vprintf (format, arguments);
  last_step = g_get_monotonic_time ();
  g_mutex_unlock (&trace_lock);
  va_end (arguments);
}

static void
explain (void)
{
  g_mutex_lock (&trace_lock);
  printf ("episode %u: CUDAHISTO_TEST_SEED=%" G_GUINT64_FORMAT " CUDAHISTO_HOSTILE_EPISODE=%u repeats it\n%s\n",
          current_episode, (guint64)test_seed (), current_episode, current_line);
  for (guint i = trace_length > TRACE_LINES ? trace_length - TRACE_LINES : 0; i < trace_length; i++)
    printf ("  step %u: %s\n", i + 1, trace[i % TRACE_LINES]);
  g_mutex_unlock (&trace_lock);
}

/* Fails if a step hangs. */
static gpointer
watch_steps (gpointer data)
{
  gint *is_ending = data;

  while (!g_atomic_int_get (is_ending)) {
    gboolean hangs;

    g_usleep (G_USEC_PER_SEC / 10);
    g_mutex_lock (&trace_lock);
    hangs = g_get_monotonic_time () - last_step > PATIENCE_US;
    g_mutex_unlock (&trace_lock);
    if (hangs)
      journal_fail ("the last step takes for ever");
  }
  return NULL;
}

/* ---- random things ----------------------------------------------------------------------------------------------- */

static guint
draw (Episode *episode, guint limit)
{
  return (guint)test_random_below (&episode->random, limit);
}

/* Returns TRUE in `percent` of 100 calls. */
static gboolean
happens (Episode *episode, guint percent)
{
  return draw (episode, 100) < percent;
}

static gboolean
is_video (const Episode *episode)
{
  return episode->kind == HOSTILE_PLAIN || episode->kind == HOSTILE_DEEP;
}

/* ---- the element ------------------------------------------------------------------------------------------------- */

static GstBusSyncReply
take_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  Episode *episode = data;
  Journal *journal = NULL;

  g_mutex_lock (&episode->lock);
  for (guint i = 0; i < episode->n_watched; i++)
    if (episode->watched[i].element != NULL && GST_MESSAGE_SRC (message) == GST_OBJECT (episode->watched[i].element))
      journal = episode->watched[i].journal;
  g_mutex_unlock (&episode->lock);
  if (journal != NULL) /* it is freed when its element is stopped and posts no more */
    journal_take_message (journal, message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    g_atomic_int_set (&episode->is_over, TRUE);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    /* Other elements may fail, such as a source whose event met a flush: the journal checks what its element returned. */
    if (journal != NULL)
      journal_fail ("%s", gst_structure_to_string (gst_message_get_structure (message)));
    g_atomic_int_set (&episode->has_failed, TRUE);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* Returns random properties in gst-launch's syntax, and sets the promises to the journal accordingly. */
static gchar *
draw_properties (Episode *episode, Watched *watched)
{
  static const gchar *const video_windows[] = { "auto", "buffer", "stream", "auto" };
  static const gchar *const byte_windows[] = { "auto", "buffer", "stream", "bytes" };
  static const gchar *const arrays[] = { "none", "histograms", "all", "packed" };
  GString *line = g_string_new (get_backend_words ());
  const gchar *window = (is_video (episode) ? video_windows : byte_windows)[draw (episode, 4)];
  gboolean skips = is_video (episode) && happens (episode, 15);
  gboolean is_timed = episode->kind != HOSTILE_BYTES;

  watched->promises.may_skip = skips;
  watched->promises.may_hold = skips;
  watched->promises.windows_are_fixed = skips || happens (episode, 70);
  watched->promises.messages_are_complete = TRUE;
  g_clear_pointer (&watched->sidecar, g_free);
  if (happens (episode, 40)) {
    watched->sidecar = g_strdup_printf ("%s/%u.jsonl", directory, next_sidecar++);
    watched->promises.messages_are_complete = happens (episode, 50);
    g_string_append_printf (line, " sidecar-location=%s", watched->sidecar);
    if (happens (episode, 30))
      g_string_append (line, " sidecar-arrays=none");
  }
  if (skips)
    g_string_append (line, " when-busy=skip window=buffer");
  else
    g_string_append_printf (line, " window=%s", window);
  if (!skips && strcmp (window, "bytes") == 0)
    g_string_append_printf (line, " window-size=%u", 1 + draw (episode, 20000));
  if (is_timed && !skips && strcmp (window, "stream") != 0 && happens (episode, 40))
    g_string_append_printf (line, " interval=%u", 1 + draw (episode, 300000000));
  if (is_video (episode) || strcmp (window, "buffer") == 0)
    g_string_append_printf (line, " dot=%s", happens (episode, 50) ? "previous" : "none");
  g_string_append_printf (line, " add-meta=%s", happens (episode, 30) ? "true" : "false");
  g_string_append_printf (line, " threads=%u message-arrays=%s", 1 + draw (episode, 2),
                          arrays[draw (episode, G_N_ELEMENTS (arrays))]);
  if (happens (episode, 15))
    g_string_append (line, " bins=native");
  if (happens (episode, 30)) /* no effect: all frames are progressive */
    g_string_append (line, " fields=apart");
  if (is_video (episode) && happens (episode, 40))
    g_string_append_printf (line,
                            " events=%s black-min-duration=0 black-ratio=0.1 freeze-min-duration=0 freeze-noise=0.3 "
                            "scene-change-threshold=1",
                            happens (episode, 50) ? "freeze" : "black+freeze+scene-change");
  return g_string_free (line, FALSE);
}

static void
watch (Episode *episode, Watched *watched, GstElement *element)
{
  g_mutex_lock (&episode->lock);
  watched->element = gst_object_ref (element);
  watched->journal = journal_new (element);
  watched->rotations = 0;
  g_mutex_unlock (&episode->lock);
}

static void
unwatch (Episode *episode, Watched *watched)
{
  g_mutex_lock (&episode->lock);
  g_clear_pointer (&watched->journal, journal_free);
  gst_clear_object (&watched->element);
  g_mutex_unlock (&episode->lock);
}

static void
begin (Episode *episode, Watched *watched)
{
  if (watched->element == NULL)
    return;
  watched->rotations = 0;
  watched->promises.may_fail = episode->may_fail;
  /* Another thread may have switched it off. */
  if (watched->promises.messages_are_complete)
    g_object_set (watched->element, "post-messages", TRUE, NULL);
  journal_begin (watched->journal, &watched->promises);
}

/* ---- a pipeline -------------------------------------------------------------------------------------------------- */

static void
append_source (Episode *episode, GString *line, const gchar *name)
{
  g_string_append_printf (line, "hostilesrc name=%s seed=%u kind=%u calm=%u frames=%u ", name, draw (episode, G_MAXUINT),
                          episode->kind, 3 + draw (episode, 40), 50 + draw (episode, 700));
}

static void
append_head (Episode *episode, GString *line)
{
  guint choice = draw (episode, 10);

  episode->is_seekable = episode->kind != HOSTILE_BYTES;
  if (choice < 2 && is_video (episode)) {
    gboolean is_live = happens (episode, 30);

    g_string_append_printf (line,
                            "videotestsrc name=source is-live=%s pattern=%s num-buffers=%u ! "
                            "capsfilter name=filter caps-change-mode=delayed "
                            "caps=video/x-raw,format=I420,width=32,height=24,framerate=%u/1 ",
                            is_live ? "true" : "false", happens (episode, 50) ? "snow" : "smpte", 50 + draw (episode, 500),
                            is_live ? 500 : 50);
    episode->has_filter = TRUE;
    episode->kind = HOSTILE_PLAIN;
  } else if (choice < 4 && is_video (episode)) {
    append_source (episode, line, "source");
    g_string_append (line, "! selector.sink_0 ");
    append_source (episode, line, "other");
    g_string_append (line, "! selector.sink_1 input-selector name=selector sync-streams=false ");
    episode->has_selector = TRUE;
  } else {
    append_source (episode, line, "source");
  }
}

static void
append_middle (Episode *episode, GString *line)
{
  static const gchar *const leaks[] = { "no", "upstream", "downstream" };

  if (happens (episode, 50))
    g_string_append_printf (line, "! queue leaky=%s max-size-buffers=%u max-size-bytes=0 max-size-time=0 ",
                            leaks[draw (episode, 3)], 1 + draw (episode, 5));
  episode->has_valve = happens (episode, 25);
  if (episode->has_valve)
    g_string_append (line, "! valve name=valve ");
  if (happens (episode, 25))
    g_string_append_printf (line, "! identity drop-probability=0.1 ");
  if (happens (episode, 30))
    g_string_append_printf (
        line,
        "! tee name=split split. ! queue leaky=downstream max-size-buffers=2 max-size-bytes=0 max-size-time=0 "
        "%s! fakesink async=false sync=false "
        "split. ! queue max-size-buffers=3 ",
        episode->kind == HOSTILE_PLAIN ? "! videobalance saturation=0.3 " : "");
}

static void
append_tail (Episode *episode, GString *line)
{
  if (happens (episode, 30))
    g_string_append (line, "! queue max-size-buffers=3 ");
  if (episode->kind == HOSTILE_PLAIN && happens (episode, 50))
    g_string_append (line, "! videobalance brightness=0.2 ");
  if (happens (episode, 25)) {
    g_autofree gchar *properties = draw_properties (episode, &episode->watched[1]);

    g_string_append_printf (line, "! cudahisto name=two %s ", properties);
    episode->n_watched = 2;
  }
  if (happens (episode, 20))
    g_string_append_printf (line, "! identity sleep-time=%u ", draw (episode, 1000));
  if (happens (episode, 5)) {
    g_string_append_printf (line, "! identity error-after=%u ", 1 + draw (episode, 200));
    episode->may_fail = TRUE;
  }
  g_string_append_printf (line, "! identity ! fakesink name=sink async=%s sync=false",
                          happens (episode, 70) ? "true" : "false");
}

static GstPadProbeReturn
drop_allocation (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data G_GNUC_UNUSED)
{
  return GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) == GST_QUERY_ALLOCATION ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* GStreamer 1.22: if downstream ends with EOS while a query waits in a queue, the query is freed but stays in the queue, which
 * then fails with "Unexpected item dequeued". */
static void
keep_queries_out_of_queues (Episode *episode)
{
  static const gchar *const names[] = { "source", "other" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (episode->pipeline), names[i]);
    GstPad *pad = source != NULL ? gst_element_get_static_pad (source, "src") : NULL;

    if (pad != NULL) {
      gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, drop_allocation, NULL, NULL);
      gst_object_unref (pad);
    }
  }
}

static void
open_pipeline (Episode *episode)
{
  static const gchar *const names[MAX_WATCHED] = { "one", "two" };
  g_autoptr (GString) line = g_string_new ("");
  GError *error = NULL;
  GstBus *bus;

  append_head (episode, line);
  append_middle (episode, line);
  episode->n_watched = 1;
  g_autofree gchar *properties = draw_properties (episode, &episode->watched[0]);
  g_string_append_printf (line, "! identity name=before ! cudahisto name=one %s ! identity name=after ", properties);
  append_tail (episode, line);

  g_mutex_lock (&trace_lock);
  g_free (current_line);
  current_line = g_strdup (line->str);
  current_episode = episode->number;
  trace_length = 0;
  g_mutex_unlock (&trace_lock);
  episode->pipeline = gst_parse_launch_full (line->str, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  JOURNAL_REQUIRE (error == NULL, "%s", error->message);
  if (strstr (line->str, "! queue leaky") != NULL)
    keep_queries_out_of_queues (episode);
  bus = gst_element_get_bus (episode->pipeline);
  gst_bus_set_sync_handler (bus, take_message, episode, NULL);
  gst_object_unref (bus);
  for (guint i = 0; i < episode->n_watched; i++) {
    g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (episode->pipeline), names[i]);

    watch (episode, &episode->watched[i], element);
  }
  n_pipelines++;
}

static void
play (Episode *episode)
{
  note ("PLAYING");
  for (guint i = 0; i < episode->n_watched; i++)
    begin (episode, &episode->watched[i]);
  g_atomic_int_set (&episode->is_over, FALSE);
  g_atomic_int_set (&episode->has_failed, FALSE);
  JOURNAL_REQUIRE (gst_element_set_state (episode->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE,
                   "it does not start");
}

static void
stop (Episode *episode, GstState state)
{
  note ("%s", gst_element_state_get_name (state));
  for (guint i = 0; i < episode->n_watched; i++)
    if (episode->watched[i].element != NULL)
      journal_stopping (episode->watched[i].journal);
  JOURNAL_REQUIRE (gst_element_set_state (episode->pipeline, state) == GST_STATE_CHANGE_SUCCESS, "it does not stop");
  for (guint i = 0; i < episode->n_watched; i++)
    if (episode->watched[i].element != NULL)
      journal_end (episode->watched[i].journal);
  n_stops++;
}

static GstElement *
get_element (Episode *episode, const gchar *name)
{
  return gst_bin_get_by_name (GST_BIN (episode->pipeline), name);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static void
do_nothing (Episode *episode)
{
  guint time = draw (episode, 10000);

  note ("sleep %u us", time);
  g_usleep (time);
}

/* Returns whether the state change is over. Before, an event that waits for the streaming thread would block the change, on
 * which that thread waits. */
static gboolean
is_settled (Episode *episode)
{
  return gst_element_get_state (episode->pipeline, NULL, NULL, GST_SECOND / 10) == GST_STATE_CHANGE_SUCCESS;
}

static void
do_seek (Episode *episode)
{
  static const gdouble rates[] = { 1, 1, 1, -1, 2, 0.5, -0.5 };
  gdouble rate = rates[draw (episode, G_N_ELEMENTS (rates))];
  GstSeekFlags flags = happens (episode, 60) ? GST_SEEK_FLAG_FLUSH : 0;
  gint64 start = draw (episode, 5000) * (gint64)GST_MSECOND;
  gint64 stop = rate < 0 || happens (episode, 30) ? start + (1 + draw (episode, 5000)) * (gint64)GST_MSECOND : -1;

  /* An input-selector passes a seek to both sources, but blocks the flush of the source that is not selected. If that source's
   * thread already waits in the sink for preroll, the seek never returns, whichever filter is in between. */
  if (!episode->is_seekable || episode->has_selector)
    return;
  if (happens (episode, 20))
    flags |= GST_SEEK_FLAG_SEGMENT;
  if (((flags & GST_SEEK_FLAG_FLUSH) == 0 || episode->has_valve) && !is_settled (episode)) /* a closed valve blocks flushes */
    return;
  note ("seek rate %g flags 0x%x from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, rate, flags, start, stop);
  g_atomic_int_set (&episode->is_over, FALSE);
  gst_element_seek (episode->pipeline, rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop);
  n_seeks++;
}

static void
do_caps (Episode *episode)
{
  static const gchar *const formats[] = { "I420", "NV12", "RGBA", "YUY2", "Y444" };
  g_autoptr (GstElement) filter = get_element (episode, "filter");

  if (filter == NULL)
    return;
  g_autofree gchar *caps
      = g_strdup_printf ("video/x-raw,format=%s,width=%u,height=%u", formats[draw (episode, G_N_ELEMENTS (formats))],
                         2 + draw (episode, 60), 2 + draw (episode, 30));
  note ("%s", caps);
  gst_util_set_object_arg (G_OBJECT (filter), "caps", caps);
}

static void
do_select (Episode *episode)
{
  g_autoptr (GstElement) selector = get_element (episode, "selector");
  guint which = draw (episode, 2);

  if (selector == NULL)
    return;
  note ("input %u", which);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (selector, which == 0 ? "sink_0" : "sink_1");
  g_object_set (selector, "active-pad", pad, NULL);
}

static void
do_valve (Episode *episode)
{
  g_autoptr (GstElement) valve = get_element (episode, "valve");
  gboolean drops = happens (episode, 40);

  if (valve == NULL)
    return;
  note ("valve %s", drops ? "shut" : "open");
  g_object_set (valve, "drop", drops, NULL);
}

static void
do_eos (Episode *episode)
{
  if (!is_settled (episode))
    return;
  note ("EOS");
  gst_element_send_event (episode->pipeline, gst_event_new_eos ());
}

static void
do_reconfigure (Episode *episode)
{
  g_autoptr (GstElement) after = get_element (episode, "after");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (after, "sink");

  note ("RECONFIGURE");
  gst_pad_push_event (pad, gst_event_new_reconfigure ());
}

static void
do_pause (Episode *episode)
{
  note ("PAUSED and PLAYING");
  gst_element_set_state (episode->pipeline, GST_STATE_PAUSED);
  g_usleep (draw (episode, 3000));
  gst_element_set_state (episode->pipeline, GST_STATE_PLAYING);
}

static void
do_restart (Episode *episode)
{
  stop (episode, happens (episode, 50) ? GST_STATE_READY : GST_STATE_NULL);
  play (episode);
}

static void
do_rotate (Episode *episode)
{
  Watched *watched = &episode->watched[draw (episode, episode->n_watched)];
  gboolean is_reopened = FALSE;

  if (watched->element == NULL || watched->sidecar == NULL)
    return;
  note ("reopen-sidecar");
  g_autofree gchar *path = g_strdup_printf ("%s.%u", watched->sidecar, watched->rotations++);
  JOURNAL_REQUIRE (g_rename (watched->sidecar, path) == 0, "%s is not there", watched->sidecar);
  journal_rotate (watched->journal, path);
  g_signal_emit_by_name (watched->element, "reopen-sidecar", &is_reopened);
  JOURNAL_REQUIRE (is_reopened, "the sidecar was not reopened");
}

/* Reference-counted, since the probe may still be running when it is removed. */
typedef struct {
  gatomicrefcount ref_count;
  GMutex lock;
  GCond changed;
  gboolean is_idle;
} Idle;

static Idle *
new_idle (void)
{
  Idle *idle = g_new0 (Idle, 1);

  g_atomic_ref_count_init (&idle->ref_count);
  g_mutex_init (&idle->lock);
  g_cond_init (&idle->changed);
  return idle;
}

static void
unref_idle (gpointer data)
{
  Idle *idle = data;

  if (!g_atomic_ref_count_dec (&idle->ref_count))
    return;
  g_mutex_clear (&idle->lock);
  g_cond_clear (&idle->changed);
  g_free (idle);
}

static GstPadProbeReturn
be_idle (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer data)
{
  Idle *idle = data;

  g_mutex_lock (&idle->lock);
  idle->is_idle = TRUE;
  g_cond_broadcast (&idle->changed);
  g_mutex_unlock (&idle->lock);
  return GST_PAD_PROBE_OK;
}

/* Removes the element from the playing pipeline, or inserts another one. Does nothing if the pad before it does not become idle
 * in time, or during a state change: a query may then wait downstream of the element for the sink to play. */
static void
do_replace (Episode *episode)
{
  Watched *watched = &episode->watched[0];
  gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC / 5;
  GstElement *before = get_element (episode, "before"), *after = get_element (episode, "after");
  GstPad *pad = gst_element_get_static_pad (before, "src");
  Idle *idle = NULL;
  gboolean is_idle;
  gulong probe;

  if (!is_settled (episode)) {
    gst_object_unref (pad);
    gst_object_unref (before);
    gst_object_unref (after);
    return;
  }
  idle = new_idle ();
  g_atomic_ref_count_inc (&idle->ref_count);
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_IDLE | GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, be_idle, idle, unref_idle);
  g_mutex_lock (&idle->lock);
  while (!idle->is_idle && g_cond_wait_until (&idle->changed, &idle->lock, end))
    ;
  is_idle = idle->is_idle;
  g_mutex_unlock (&idle->lock);
  if (is_idle) {
    note ("%s the element", watched->element != NULL ? "remove" : "insert");
    if (watched->element != NULL) {
      gst_element_unlink_many (before, watched->element, after, NULL);
      journal_stopping (watched->journal);
      gst_element_set_locked_state (watched->element, TRUE); /* the pipeline may be changing to PLAYING */
      JOURNAL_REQUIRE (gst_element_set_state (watched->element, GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS,
                       "it does not stop");
      gst_bin_remove (GST_BIN (episode->pipeline), watched->element);
      journal_end (watched->journal);
      unwatch (episode, watched);
      n_removals++;
    } else {
      g_mutex_lock (&episode->lock); /* the meddling thread also reads it */
      g_autofree gchar *properties = draw_properties (episode, watched);
      g_mutex_unlock (&episode->lock);
      g_autoptr (GstElement) element = make_element (properties);
      note ("%s", properties);
      watch (episode, watched, element);
      begin (episode, watched);
      gst_element_unlink (before, after);
      gst_bin_add (GST_BIN (episode->pipeline), element);
      JOURNAL_REQUIRE (gst_element_link (element, after), "no link");
      JOURNAL_REQUIRE (gst_element_sync_state_with_parent (element), "it does not start");
      JOURNAL_REQUIRE (gst_element_link (before, element), "no link");
    }
    if (watched->element == NULL)
      JOURNAL_REQUIRE (gst_element_link (before, after), "no link");
  }
  if (probe != 0)
    gst_pad_remove_probe (pad, probe);
  unref_idle (idle);
  gst_object_unref (pad);
  gst_object_unref (before);
  gst_object_unref (after);
}

/* ---- the meddling thread ----------------------------------------------------------------------------------------- */

/* A random value of a property that may change while playing. */
static void
set_randomly (struct test_random *random, const Watched *watched, GParamSpec *spec)
{
  static const gchar *const regions[] = { NULL, "0,0,2,2", "1,1,9,9; 40,0,8,8; 0,0,20,4" };
  static const gchar *const inputs[] = { NULL, "film.mp4", "a \"film\"" };
  GObject *object = G_OBJECT (watched->element);

  if (strcmp (spec->name, "post-messages") == 0 && watched->promises.messages_are_complete)
    return;
  if (strcmp (spec->name, "when-busy") == 0 && !watched->promises.may_skip)
    return;
  if (strcmp (spec->name, "interval") == 0) {
    if (!watched->promises.windows_are_fixed)
      g_object_set (object, "interval", (guint64)test_random_below (random, 300000000), NULL);
  } else if (strcmp (spec->name, "regions") == 0) {
    if (!watched->promises.windows_are_fixed) /* a change ends a window */
      g_object_set (object, "regions", regions[test_random_below (random, G_N_ELEMENTS (regions))], NULL);
  } else if (strcmp (spec->name, "input-name") == 0 || strcmp (spec->name, "input-sampling") == 0) {
    g_object_set (object, spec->name, inputs[test_random_below (random, G_N_ELEMENTS (inputs))], NULL);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec)) {
    g_object_set (object, spec->name, (gboolean)test_random_below (random, 2), NULL);
  } else if (G_IS_PARAM_SPEC_ENUM (spec)) {
    GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
    const gint value = values->values[test_random_below (random, values->n_values)].value;

    g_object_set (object, spec->name, MAX (0, value), NULL); /* negative: removed */
  } else {
    journal_fail ("a property of a new kind: %s", spec->name);
  }
}

static void
change_property (struct test_random *random, const Watched *watched)
{
  guint count;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (watched->element), &count);
  GParamSpec *spec = specs[test_random_below (random, count)];

  if ((spec->flags & GST_PARAM_MUTABLE_PLAYING) != 0 && (spec->flags & G_PARAM_WRITABLE) != 0)
    set_randomly (random, watched, spec);
  g_free (specs);
  g_atomic_int_inc ((gint *)&n_changes);
}

static void
ask (struct test_random *random, const Watched *watched)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (watched->element, test_random_below (random, 2) == 0 ? "sink" : "src");
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw,format=I420,width=16,height=16,framerate=50/1");
  gboolean is_sink = GST_PAD_IS_SINK (pad);
  GstQuery *query = NULL;

  switch (test_random_below (random, 8)) {
  case 0:
    query = is_sink ? gst_query_new_allocation (caps, TRUE) : NULL;
    break;
  case 1:
    query = is_sink ? gst_query_new_drain () : NULL;
    break;
  case 2:
    query = gst_query_new_caps (NULL);
    break;
  case 3:
    query = gst_query_new_accept_caps (caps);
    break;
  case 4:
    query = gst_query_new_latency ();
    break;
  case 5:
    query = gst_query_new_position (GST_FORMAT_TIME);
    break;
  case 6: /* not SCHEDULING: a GstBaseSrc upstream starts itself for it and, while being activated, waits for ever */
    query = is_sink ? NULL : gst_query_new_duration (GST_FORMAT_TIME);
    break;
  default:
    query = gst_query_new_seeking (GST_FORMAT_TIME);
    break;
  }
  if (query != NULL) {
    gst_pad_query (pad, query);
    gst_query_unref (query);
    g_atomic_int_inc ((gint *)&n_queries);
  }
}

static gpointer
meddle (gpointer data)
{
  Episode *episode = data;
  struct test_random random = test_random_start (episode->meddler_seed);

  while (!g_atomic_int_get (&episode->is_ending)) {
    Watched watched = { 0 };

    g_mutex_lock (&episode->lock);
    watched = episode->watched[test_random_below (&random, episode->n_watched)];
    if (watched.element != NULL)
      gst_object_ref (watched.element);
    /* The lock keeps the journal. ask() below does not need it. */
    if (watched.element != NULL && test_random_below (&random, 3) == 0)
      change_property (&random, &watched);
    if (watched.journal != NULL)
      journal_sample (watched.journal);
    g_mutex_unlock (&episode->lock);
    if (watched.element != NULL && test_random_below (&random, 4) == 0)
      ask (&random, &watched);
    if (watched.element != NULL)
      gst_object_unref (watched.element);
    g_usleep (test_random_below (&random, 2000));
  }
  return NULL;
}

/* ---- episodes ---------------------------------------------------------------------------------------------------- */

static void
run_step (Episode *episode)
{
  static void (*const actions[]) (Episode *)
      = { do_nothing, do_nothing,     do_nothing, do_seek,    do_seek,    do_caps,  do_select,
          do_valve,   do_reconfigure, do_pause,   do_replace, do_replace, do_rotate };

  if (happens (episode, 4))
    do_restart (episode);
  else if (happens (episode, 2))
    do_eos (episode);
  else
    actions[draw (episode, G_N_ELEMENTS (actions))](episode);
  for (guint i = 0; i < episode->n_watched; i++)
    if (episode->watched[i].element != NULL)
      journal_digest (episode->watched[i].journal);
}

static void
run_episode (guint number)
{
  Episode episode = { .number = number };
  guint steps;

  episode.random = test_random_start ((guint64)number << 1);
  g_mutex_init (&episode.lock);
  episode.meddler_seed = ((guint64)number << 1) + 1;
  episode.kind = draw (&episode, 10) < 5 ? HOSTILE_PLAIN : draw (&episode, 3) + HOSTILE_DEEP;
  open_pipeline (&episode);
  episode.meddler = g_thread_new ("meddler", meddle, &episode);
  play (&episode);
  steps = 2 + draw (&episode, 25);
  for (guint i = 0; i < steps && !g_atomic_int_get (&episode.has_failed); i++)
    run_step (&episode);
  if (happens (&episode, 30)) { /* wait for the end of the stream, if it comes soon */
    note ("to the end");
    for (guint i = 0; i < 100 && !g_atomic_int_get (&episode.is_over) && !g_atomic_int_get (&episode.has_failed); i++)
      g_usleep (5000);
  }
  stop (&episode, GST_STATE_NULL);
  g_atomic_int_set (&episode.is_ending, TRUE);
  g_thread_join (episode.meddler);
  for (guint i = 0; i < episode.n_watched; i++) {
    unwatch (&episode, &episode.watched[i]);
    g_free (episode.watched[i].sidecar);
  }
  gst_object_unref (episode.pipeline);
  g_mutex_clear (&episode.lock);
  remove_directory (directory);
  directory = make_directory ();
}

static guint
get_number (const gchar *name, guint otherwise)
{
  const gchar *text = g_getenv (name);

  return text != NULL && *text != '\0' ? (guint)strtoul (text, NULL, 10) : otherwise;
}

static void
print_totals (guint episodes)
{
  JournalTotals sums = journal_get_totals ();

  printf ("%" G_GUINT64_FORMAT " frames in %u pipelines (%u episodes): %" G_GUINT64_FORMAT " reported, %" G_GUINT64_FORMAT
          " discarded, %" G_GUINT64_FORMAT " skipped; %" G_GUINT64_FORMAT " buffers out\n",
          sums.frames, n_pipelines, episodes, sums.reported, sums.discarded, sums.skipped, sums.out);
  printf ("%" G_GUINT64_FORMAT " results counted again, %" G_GUINT64_FORMAT " lines and %" G_GUINT64_FORMAT
          " metas compared, %" G_GUINT64_FORMAT " dot products\n",
          sums.results, sums.lines, sums.metas, sums.dots);
  printf ("%" G_GUINT64_FORMAT " starts, %u stops, %u removals, %" G_GUINT64_FORMAT " flushes, %u seeks, %" G_GUINT64_FORMAT
          " caps, %u property changes, %u queries, %" G_GUINT64_FORMAT " samples of stats\n",
          sums.starts, n_stops, n_removals, sums.flushes, n_seeks, sums.caps_changes, n_changes, n_queries, sums.samples);
  fflush (stdout);
}

TEST (test_hostile)
{
  guint frames = get_number ("CUDAHISTO_HOSTILE_FRAMES", FRAMES);
  guint only = get_number ("CUDAHISTO_HOSTILE_EPISODE", G_MAXUINT);
  gint is_ending = FALSE;
  gint64 next_print = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  guint episodes = 0;
  JournalTotals sums;
  GThread *watcher;

  journal_explain = explain;
  /* GStreamer itself warns if an event on its way to a newly inserted element meets a flush. The journal checks the flow. */
  gst_check_add_log_filter ("GStreamer", G_LOG_LEVEL_WARNING, g_regex_new ("misordering|data flow before", 0, 0, NULL), NULL,
                            NULL, NULL);
  hostile_source_register ();
  directory = make_directory ();
  last_step = g_get_monotonic_time ();
  watcher = g_thread_new ("watcher", watch_steps, &is_ending);
  while (journal_get_totals ().frames < frames) {
    run_episode (only != G_MAXUINT ? only : episodes);
    episodes++;
    if (g_get_monotonic_time () > next_print) {
      print_totals (episodes);
      next_print += 60 * G_USEC_PER_SEC;
    }
  }
  g_atomic_int_set (&is_ending, TRUE);
  g_thread_join (watcher);
  remove_directory (directory);
  print_totals (episodes);

  sums = journal_get_totals ();
  ck_assert_uint_eq (sums.frames, sums.reported + sums.discarded + sums.skipped);
  if (frames >= MANY_FRAMES && only == G_MAXUINT) {
    ck_assert (sums.reported > 0 && sums.discarded > 0 && sums.skipped > 0 && sums.out > 0);
    ck_assert (sums.results > 0 && sums.lines > 0 && sums.metas > 0 && sums.dots > 0 && sums.samples > 0);
    ck_assert (sums.flushes > 0 && sums.caps_changes > 0 && n_seeks > 0 && n_removals > 0 && n_changes > 0 && n_queries > 0);
  }
}

int
main (int argc, char **argv)
{
  /* The same run each time, as far as threads allow, unless the environment has another seed. */
  g_setenv ("CUDAHISTO_TEST_SEED", "2026", FALSE);
  return run_test_program (argc, argv, test_suite, NULL);
}
