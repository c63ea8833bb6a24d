/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element is stopped, removed, or restarted from within: in a synchronous handler of a message or notification, on any
 * thread, and in a pad probe. Nothing crashes or hangs, every frame is accounted for, and every counted result is reported. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elementwatch.h"
#include "rig.h"

#define SQUARE "video/x-raw,format=I420,width=64,height=48,framerate=30/1"
#define SOURCE "videotestsrc num-buffers=40 pattern=black ! " SQUARE ",interlace-mode=interleaved ! "
#define SINK " ! fakesink sync=false async=false"

typedef enum { TO_READY, TO_NULL, BOUNCE, REMOVE, PIPELINE_TO_NULL, N_ACTIONS } Action;

static const gchar *const action_names[] = { "READY", "NULL", "NULL and PLAYING", "removal", "NULL of the pipeline" };

typedef struct {
  GstElement *pipeline, *element;
  Action action;
  guint at;            /* number, from 1, of the matching message at which it acts */
  GstMessageType type; /* of these messages: a result, where that is ELEMENT */
  GstStreamStatusType status;
  guint matches, results; /* so far; results since the last start */
  gboolean is_playing;    /* the state change towards it is over: another one would undo the handler's */
  gboolean has_acted, is_over;
  GMutex lock;
  GCond changed;
} Stage;

static GstElement *reference_source; /* of the decoder that was opened last; NULL once that is gone */

static gboolean
wait_for (Stage *stage, const gboolean *what)
{
  gint64 end = g_get_monotonic_time () + (gint64)(RIG_PATIENCE / GST_USECOND);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&stage->lock);

  while (!*what && g_cond_wait_until (&stage->changed, &stage->lock, end))
    ;
  return *what;
}

static void
act (Stage *stage)
{
  GstStateChangeReturn done = GST_STATE_CHANGE_SUCCESS;

  if (stage->type != GST_MESSAGE_STREAM_STATUS || stage->status != GST_STREAM_STATUS_TYPE_CREATE)
    ck_assert (wait_for (stage, &stage->is_playing));
  if (stage->action == TO_READY || stage->action == TO_NULL || stage->action == REMOVE)
    gst_element_set_locked_state (stage->element, TRUE); /* or the pipeline, late with its own change, starts it again */
  switch (stage->action) {
  case TO_READY:
    done = gst_element_set_state (stage->element, GST_STATE_READY);
    break;
  case TO_NULL:
    done = gst_element_set_state (stage->element, GST_STATE_NULL);
    break;
  case BOUNCE:
    done = gst_element_set_state (stage->element, GST_STATE_NULL);
    g_mutex_lock (&stage->lock);
    stage->results = 0;
    g_mutex_unlock (&stage->lock);
    gst_element_sync_state_with_parent (stage->element);
    break;
  case REMOVE:
    done = gst_element_set_state (stage->element, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (stage->pipeline), stage->element);
    break;
  case PIPELINE_TO_NULL:
  default:
    gst_element_set_state (stage->pipeline, GST_STATE_NULL);
    break;
  }
  if (stage->type != GST_MESSAGE_STREAM_STATUS && done != GST_STATE_CHANGE_SUCCESS)
    ck_abort_msg ("%s: the state change returned %d", action_names[stage->action], done);
  g_mutex_lock (&stage->lock); /* from here on the test may free it */
  stage->has_acted = TRUE;
  g_cond_broadcast (&stage->changed);
  g_mutex_unlock (&stage->lock);
}

static gboolean
is_match (const Stage *stage, GstMessage *message)
{
  GstStreamStatusType status;
  GstElement *owner;

  if (GST_MESSAGE_SRC (message) != GST_OBJECT (stage->element) || GST_MESSAGE_TYPE (message) != stage->type)
    return FALSE;
  if (stage->type == GST_MESSAGE_ELEMENT)
    return gst_message_has_name (message, "cudahisto");
  if (stage->type != GST_MESSAGE_STREAM_STATUS)
    return TRUE;
  gst_message_parse_stream_status (message, &status, &owner);
  return status == stage->status;
}

static GstBusSyncReply
take_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  Stage *stage = data;
  gboolean acts;

  g_mutex_lock (&stage->lock);
  if (gst_message_has_name (message, "cudahisto"))
    stage->results++;
  g_cond_broadcast (&stage->changed);
  acts = is_match (stage, message) && ++stage->matches == stage->at;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    stage->is_over = TRUE;
    g_cond_broadcast (&stage->changed);
  }
  g_mutex_unlock (&stage->lock);
  /* Reported when the decoder is closed, at the latest. */
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING && reference_source != NULL)
    GST_ELEMENT_WARNING (reference_source, STREAM, DECODE, ("torn again"), (NULL));
  if (acts)
    act (stage);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
open_stage (Stage *stage, const gchar *description, Action action)
{
  GError *error = NULL;

  stage->action = action;
  g_mutex_init (&stage->lock);
  g_cond_init (&stage->changed);
  stage->pipeline = gst_parse_launch (description, &error);
  ck_assert_msg (error == NULL, "%s: %s", description, error != NULL ? error->message : "");
  stage->element = gst_bin_get_by_name (GST_BIN (stage->pipeline), "one");
  if (get_test_backend () != NULL && strstr (description, "backend=") == NULL)
    gst_util_set_object_arg (G_OBJECT (stage->element), "backend", get_test_backend ());
  g_autoptr (GstBus) bus = gst_element_get_bus (stage->pipeline);
  gst_bus_set_sync_handler (bus, take_message, stage, NULL);
}

/* Every frame is accounted for, and every result is a message. The warning of a dropped line comes before the message of its
 * window: its handler may already have stopped the element. */
static void
check_stats (Stage *stage, const gchar *description)
{
  gint64 end = g_get_monotonic_time () + (gint64)(RIG_PATIENCE / GST_USECOND);
  guint64 in, reported, discarded, skipped, pending, results;
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (stage->element, "stats", &stats, NULL);
  ck_assert (gst_structure_get (stats, "frames-in", G_TYPE_UINT64, &in, "frames-reported", G_TYPE_UINT64, &reported,
                                "frames-discarded", G_TYPE_UINT64, &discarded, "frames-skipped", G_TYPE_UINT64, &skipped,
                                "frames-pending", G_TYPE_UINT64, &pending, "results", G_TYPE_UINT64, &results, NULL));
  g_mutex_lock (&stage->lock);
  while (stage->results < results && g_cond_wait_until (&stage->changed, &stage->lock, end))
    ;
  if (stage->type == GST_MESSAGE_WARNING && stage->action == BOUNCE && stage->results == results + 1)
    stage->results--;
  g_mutex_unlock (&stage->lock);
  ck_assert_msg (pending == 0 && in == reported + discarded + skipped && results == stage->results,
                 "%s, %s: %u frames in, %u reported, %u discarded, %u skipped, %u pending; %u results, %u messages",
                 description, action_names[stage->action], (guint)in, (guint)reported, (guint)discarded, (guint)skipped,
                 (guint)pending, (guint)results, stage->results);
}

static void
close_stage (Stage *stage)
{
  gst_element_set_state (stage->element, GST_STATE_NULL);
  gst_element_set_state (stage->pipeline, GST_STATE_NULL);
  gst_object_unref (stage->element);
  gst_object_unref (stage->pipeline);
  g_mutex_clear (&stage->lock);
  g_cond_clear (&stage->changed);
}

static void
play (Stage *stage)
{
  gst_element_set_state (stage->pipeline, GST_STATE_PLAYING);
  g_mutex_lock (&stage->lock);
  stage->is_playing = TRUE;
  g_cond_broadcast (&stage->changed);
  g_mutex_unlock (&stage->lock);
}

/* Waits until the handler has acted and, if the stream continues, until its end. */
static void
finish_stage (Stage *stage, const gchar *description, gboolean goes_on)
{
  ck_assert_msg (wait_for (stage, &stage->has_acted), "%s, %s: nothing was done", description, action_names[stage->action]);
  if (goes_on && stage->action == BOUNCE)
    ck_assert_msg (wait_for (stage, &stage->is_over), "%s: the stream does not go on after a bounce", description);
  gst_element_set_state (stage->element, GST_STATE_NULL);
  gst_element_set_state (stage->pipeline, GST_STATE_NULL);
  check_stats (stage, description);
}

static void
run_stage (Stage *stage, const gchar *description, gboolean goes_on)
{
  play (stage);
  finish_stage (stage, description, goes_on);
}

static guint64
count_lines (const gchar *path)
{
  g_autofree gchar *text = NULL;
  guint64 lines = 0;

  ck_assert (g_file_get_contents (path, &text, NULL, NULL));
  for (const gchar *c = text; *c != '\0'; c++)
    lines += *c == '\n';
  return lines;
}

/* ---- handlers of results ------------------------------------------------------------------------------------------ */

static const struct {
  const gchar *properties;
  gboolean is_streaming; /* the handler runs on the streaming thread, so that a stream that it restarts continues */
} results[] = {
  { "backend=cpu", TRUE }, /* a GPU counts held buffers */
  { "backend=cpu dot=previous", TRUE },
  { "backend=cpu interval=100000000", TRUE },
  { "add-meta=true", TRUE },
  { "add-meta=true dot=previous interval=100000000", TRUE },
  { "backend=cpu fields=apart", TRUE },
  { "fields=apart add-meta=true interval=100000000", TRUE },
  { "when-busy=skip", FALSE },
  { "when-busy=skip interval=100000000", FALSE },
  { "when-busy=skip dot=previous", FALSE },
};

TEST_LOOP (test_result, 0, G_N_ELEMENTS (results))
{
  g_autofree gchar *description = g_strconcat (SOURCE "cudahisto name=one ", results[__i__].properties, SINK, NULL);

  for (Action action = 0; action < N_ACTIONS; action++) {
    Stage stage = { .type = GST_MESSAGE_ELEMENT, .at = 3 };

    if (action == PIPELINE_TO_NULL && results[__i__].is_streaming)
      continue; /* a source cannot wait for its own thread */
    open_stage (&stage, description, action);
    run_stage (&stage, description, results[__i__].is_streaming);
    close_stage (&stage);
  }
}

/* The handler of the last result, which comes while EOS waits for it. */
TEST_LOOP (test_last_result, 0, 3)
{
  static const gchar *const properties[] = { "", "add-meta=true", "when-busy=skip" };
  g_autofree gchar *description = g_strconcat (SOURCE "cudahisto name=one window=stream ", properties[__i__], SINK, NULL);

  for (Action action = 0; action < PIPELINE_TO_NULL; action++) {
    Stage stage = { .type = GST_MESSAGE_ELEMENT, .at = 1 };

    open_stage (&stage, description, action);
    run_stage (&stage, description, FALSE);
    close_stage (&stage);
  }
}

/* Each line is in the sidecar, whichever thread stops the element. */
TEST_LOOP (test_result_with_sidecar, 0, G_N_ELEMENTS (results))
{
  const gchar *path = make_path ("lines.jsonl");
  g_autofree gchar *description
      = g_strdup_printf (SOURCE "cudahisto name=one %s sidecar-location=%s" SINK, results[__i__].properties, path);

  for (Action action = 0; action < PIPELINE_TO_NULL; action++) {
    Stage stage = { .type = GST_MESSAGE_ELEMENT, .at = 3 };

    if (action == BOUNCE)
      continue; /* begins the file anew */
    open_stage (&stage, description, action);
    run_stage (&stage, description, FALSE);
    ck_assert_int_eq (count_lines (path), stage.results);
    close_stage (&stage);
  }
}

/* Bytes that are pushed: counted before they go on, or held before the fakesink. Bytes that are pulled: the streaming thread
 * is then the element's own. */
static const struct {
  const gchar *source, *between;
} byte_lines[] = {
  { "filesrc blocksize=65536", " ! identity" },
  { "filesrc blocksize=65536", "" },
  { "filesrc", "" },
};

TEST_LOOP (test_bytes, 0, G_N_ELEMENTS (byte_lines))
{
  g_autofree guint8 *data = g_malloc0 (3 << 20);
  const gchar *path = make_file ("bytes", data, 3 << 20);
  g_autofree gchar *description = g_strdup_printf ("%s location=%s ! cudahisto name=one window=bytes window-size=65536%s" SINK,
                                                   byte_lines[__i__].source, path, byte_lines[__i__].between);

  for (Action action = 0; action < PIPELINE_TO_NULL; action++) {
    for (guint at = 1; at <= 48; at += 47) {
      Stage stage = { .type = GST_MESSAGE_ELEMENT, .at = at };

      open_stage (&stage, description, action);
      run_stage (&stage, description, FALSE);
      close_stage (&stage);
    }
  }
}

/* ---- other messages ------------------------------------------------------------------------------------------------- */

/* A device that is full: the error comes from the sidecar's thread. */
TEST (test_sidecar_error)
{
  static const gchar *const description
      = SOURCE "cudahisto name=one when-busy=skip sidecar-slow=block sidecar-location=/dev/full" SINK;

  for (guint i = 0; i < 4; i++) {
    for (Action action = 0; action < N_ACTIONS; action++) {
      Stage stage = { .type = GST_MESSAGE_ERROR, .at = 1 };

      open_stage (&stage, description, action);
      run_stage (&stage, description, FALSE);
      close_stage (&stage);
    }
  }
}

/* A reader that does not read: the first warning comes from the reporting thread, later ones mostly from the sidecar's thread,
 * within a line. */
TEST_LOOP (test_sidecar_too_slow, 0, 3)
{
  const gchar *path = make_path ("slow");
  g_autofree gchar *description
      = g_strdup_printf ("videotestsrc is-live=true pattern=black ! "
                         "video/x-raw,format=Y444_16LE,width=32,height=32,framerate=100/1 ! cudahisto name=one "
                         "bins=native message-arrays=none %s sidecar-slow=drop sidecar-location=%s" SINK,
                         __i__ == 0 ? "" : "when-busy=skip", path);
  gint reader;

  ck_assert_int_eq (mkfifo (path, 0600), 0);
  reader = g_open (path, O_RDONLY | O_NONBLOCK);
  ck_assert_int_ge (reader, 0);
  for (Action action = TO_NULL; action <= BOUNCE; action++) {
    Stage stage = { .type = GST_MESSAGE_WARNING, .at = __i__ == 2 ? 2 : 1 };

    open_stage (&stage, description, action);
    run_stage (&stage, description, FALSE);
    close_stage (&stage);
  }
  close (reader);
  g_unlink (path);
}

/* The location cannot be opened again: a warning from the sidecar's thread. */
TEST (test_sidecar_not_reopened)
{
  const gchar *folder = make_path ("folder"), *moved = make_path ("moved");
  g_autofree gchar *description = g_strdup_printf ("videotestsrc is-live=true ! " SQUARE
                                                   " ! cudahisto name=one when-busy=skip sidecar-location=%s/lines.jsonl" SINK,
                                                   folder);

  for (Action action = 0; action < N_ACTIONS; action++) {
    Stage stage = { .type = GST_MESSAGE_WARNING, .at = 1 };
    gboolean is_reopened = TRUE;
    gchar *path;

    ck_assert_int_eq (g_mkdir_with_parents (folder, 0700), 0);
    open_stage (&stage, description, action);
    play (&stage);
    g_usleep (G_USEC_PER_SEC / 10);
    ck_assert_int_eq (g_rename (folder, moved), 0);
    g_signal_emit_by_name (stage.element, "reopen-sidecar", &is_reopened);
    ck_assert (!is_reopened);
    finish_stage (&stage, description, FALSE);
    close_stage (&stage);
    for (guint i = 0; i < 2; i++) {
      path = g_build_filename (i == 0 ? moved : folder, "lines.jsonl", NULL);
      g_unlink (path);
      g_free (path);
    }
    g_rmdir (moved);
    g_rmdir (folder);
  }
}

/* A warning of the streaming thread, of a buffer that is too small for its caps. */
TEST (test_skip_warning)
{
  static const gchar *const description = "fakesrc num-buffers=10 sizetype=fixed sizemax=16 filltype=zero format=time ! "
                                          "capsfilter caps=" SQUARE " ! cudahisto name=one" SINK;

  for (Action action = 0; action < PIPELINE_TO_NULL; action++) {
    Stage stage = { .type = GST_MESSAGE_WARNING, .at = 1 };

    open_stage (&stage, description, action);
    run_stage (&stage, description, FALSE);
    close_stage (&stage);
  }
}

/* ---- warnings of caps ------------------------------------------------------------------------------------------------ */

/* Gives a reference frames, and its decoder a reason to warn. */
static void
feed_reference (GstElement *source, gpointer data G_GNUC_UNUSED)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (SQUARE);
  GstFlowReturn flow;

  if (strcmp (GST_OBJECT_NAME (gst_element_get_factory (source)), "appsrc") == 0) {
    g_set_weak_pointer (&reference_source, source);
    GST_ELEMENT_WARNING (source, STREAM, DECODE, ("torn"), (NULL)); /* reported with the second frame at the latest */
    g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
    for (guint f = 0; f < 10; f++) {
      g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 64 * 48 * 3 / 2, NULL);

      gst_buffer_memset (buffer, 0, 128, 64 * 48 * 3 / 2);
      GST_BUFFER_PTS (buffer) = f * GST_SECOND / 30;
      g_signal_emit_by_name (source, "push-buffer", buffer, &flow);
    }
  }
}

#define REFERENCE "reference-location=appsrc://"

/* A warning of each kind that caps, or their absence, cause. The last one is a closed decoder's. */
TEST_LOOP (test_caps_warnings, 0, 4)
{
  static const struct {
    const gchar *description;
    guint n_warnings;
    gboolean has_caps;
  } cases[] = {
    { "videotestsrc num-buffers=10 ! video/x-raw,format=RGB8P,width=64,height=48 ! cudahisto name=one " REFERENCE
      " statistics=hue+outliers metering=center events=black+freeze" SINK,
      3, TRUE },
    { "fakesrc num-buffers=10 sizetype=fixed sizemax=16 filltype=zero ! cudahisto name=one " REFERENCE
      " statistics=hue+row-sums+difference+comparison message-arrays=all dot=previous metering=center events=black "
      "regions=0,0,1,1" SINK,
      9, FALSE },
    { "concat name=both ! cudahisto name=one " REFERENCE SINK " videotestsrc num-buffers=9 ! " SQUARE
      " ! both. videotestsrc num-buffers=9 ! video/x-raw,format=NV12,width=64,height=48,framerate=30/1 ! both.",
      2, TRUE },
    /* Luma is derived: the caps that name its matrix are gone when the handler has stopped the element. */
    { "videotestsrc num-buffers=10 ! video/x-raw,format=RGB,width=64,height=48 ! cudahisto name=one " REFERENCE
      " statistics=hue+light" SINK,
      2, TRUE },
  };
  element_watch_start (feed_reference, NULL);

  for (guint at = 1; at <= cases[__i__].n_warnings; at++) {
    for (Action action = 0; action < PIPELINE_TO_NULL; action++) {
      Stage stage = { .type = GST_MESSAGE_WARNING, .at = at };

      if (cases[__i__].has_caps && action == BOUNCE)
        continue; /* as in test_probe */
      open_stage (&stage, cases[__i__].description, action);
      run_stage (&stage, cases[__i__].description, TRUE);
      close_stage (&stage);
      ck_assert_ptr_eq (reference_source, NULL);
    }
  }
  element_watch_end ();
}

/* The counter's thread announces its start: the handler waits for the start, and stops the element on that thread. */
TEST (test_thread_enters)
{
  static const gchar *const description = SOURCE "cudahisto name=one sidecar-location=/dev/null" SINK;

  for (guint at = 1; at <= 2; at++) {
    for (Action action = 0; action < N_ACTIONS; action++) {
      Stage stage = { .type = GST_MESSAGE_STREAM_STATUS, .status = GST_STREAM_STATUS_TYPE_ENTER, .at = at };

      open_stage (&stage, description, action);
      run_stage (&stage, description, FALSE);
      close_stage (&stage);
    }
  }
}

/* The element cannot be stopped while it starts: the start fails with an error. */
TEST (test_thread_created)
{
  static const gchar *const description = SOURCE "cudahisto name=one sidecar-location=/dev/null" SINK;

  for (guint at = 1; at <= 2; at++) {
    for (Action action = 0; action < N_ACTIONS; action++) {
      Stage stage = { .type = GST_MESSAGE_STREAM_STATUS, .status = GST_STREAM_STATUS_TYPE_CREATE, .at = at };

      if (action == BOUNCE || action == REMOVE)
        continue;
      open_stage (&stage, description, action);
      ck_assert_int_eq (gst_element_set_state (stage.pipeline, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
      ck_assert (stage.has_acted && stage.is_over); /* with an error */
      gst_element_set_state (stage.pipeline, GST_STATE_NULL);
      /* The next start succeeds as usual. */
      ck_assert_int_ne (gst_element_set_state (stage.pipeline, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
      gst_element_set_state (stage.pipeline, GST_STATE_NULL);
      check_stats (&stage, description);
      close_stage (&stage);
    }
  }
}

/* ---- pad probes ------------------------------------------------------------------------------------------------------ */

static GstPadProbeReturn
act_in_probe (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer data)
{
  Stage *stage = data;

  if (++stage->matches == stage->at)
    act (stage);
  return GST_PAD_PROBE_OK;
}

/* The buffer or event of the probe continues to a stopped element. */
TEST_LOOP (test_probe, 0, G_N_ELEMENTS (results))
{
  static const GstPadProbeType types[] = { GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM };
  static const gchar *const pads[] = { "sink", "src" };
  g_autofree gchar *description = g_strconcat (SOURCE "cudahisto name=one ", results[__i__].properties, SINK, NULL);

  for (guint p = 0; p < G_N_ELEMENTS (pads); p++) {
    for (guint t = 0; t < (p == 0 ? G_N_ELEMENTS (types) : 1); t++) {
      for (Action action = 0; action < PIPELINE_TO_NULL; action++) {
        Stage stage = { .at = 3 };
        GstPad *pad;

        if (t == 1 && action == BOUNCE)
          continue; /* it comes before the others of its stream, with a warning of GStreamer's: so it does to any element */

        open_stage (&stage, description, action);
        pad = gst_element_get_static_pad (stage.element, pads[p]);
        gst_pad_add_probe (pad, types[t], act_in_probe, &stage, NULL);
        gst_object_unref (pad);
        run_stage (&stage, description, p == 0 && t == 0);
        close_stage (&stage);
      }
    }
  }
}

RIG_MAIN (NULL)
