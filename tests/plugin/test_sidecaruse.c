/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sidecars of elements (result/test_sidecar.c tests the file without one): what pipelines do to other files, to each
 * other's sidecars, and to their own if it is not read. */

#include "rig.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_START "{\"cudahisto\":1,\"element\":"
#define VIDEO "video/x-raw,format=I420,width=16,height=16,framerate=1000/1"

/* If it is inlined, gcc 12 mistakes the result for the address of `text`. */
static G_GNUC_NO_INLINE gchar *
read_file (const gchar *path)
{
  gchar *text = NULL;

  ck_assert_msg (g_file_get_contents (path, &text, NULL, NULL), "%s cannot be read", path);
  return text;
}

/* Fails unless the text is `count` lines of the frames that follow `first`. */
static void
check_lines (const gchar *text, guint first, guint count)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  ck_assert_uint_eq (MAX (g_strv_length (lines), 1) - 1, count);
  for (guint i = 0; i < count; i++) {
    g_autofree gchar *frame = g_strdup_printf (",\"frame\":%u,", first + i);

    ck_assert_msg (g_str_has_prefix (lines[i], LINE_START) && g_str_has_suffix (lines[i], "}}}"), "%s", lines[i]);
    ck_assert_msg (strstr (lines[i], frame) != NULL, "line %u: %s", i, lines[i]);
  }
  ck_assert (count == 0 || lines[count][0] == '\0');
}

/* ---- files of others -------------------------------------------------------------------------------------------------- */

/* The film's name is by mistake also sidecar-location. */
TEST (test_film_stays)
{
  static const struct {
    const gchar *needs, *source;
    const gchar *name; /* of the film for the source; NULL: its own */
  } cases[] = {
    { "filesrc", "filesrc location=%s ! decodebin", NULL },
    { "filesrc", "filesrc location=%s", NULL },
    { "filesrc", "filesrc location=%s ! identity", "symlink" },
    { "filesrc", "filesrc location=%s ! queue", "link" },
    { "giosrc", "giosrc location=file://%s", NULL },
    { "uridecodebin", "uridecodebin uri=file://%s", NULL },
    { "uridecodebin3", "uridecodebin3 uri=file://%s", NULL },
    { "splitfilesrc", "splitfilesrc location=%s", NULL },
    { "multifilesrc", "multifilesrc location=%s num-buffers=1", NULL },
    { "filesrc", "filesrc location=/dev/null ! concat name=c filesrc location=%s ! c. c.", NULL },
    { "filesrc", "fakesrc num-buffers=1 ! funnel name=f filesrc location=%s ! f. f.", NULL },
  };
  static const gchar film[] = "RIFF and the only copy of a film\n";
  const gchar *path = make_file ("film.avi", film, strlen (film));
  const gchar *hard_link = make_path ("link"), *symbolic = make_path ("symlink");

  ck_assert (link (path, hard_link) == 0 && symlink (path, symbolic) == 0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    for (guint appends = 0; appends < 2; appends++) {
      const gchar *name = cases[i].name != NULL ? make_path ("%s", cases[i].name) : path;
      g_autofree gchar *source = g_strdup (cases[i].source), *text = NULL;
      g_auto (GStrv) parts = g_strsplit (source, "%s", 2);
      GstElement *pipeline;
      GstBus *bus;

      if (!gst_registry_check_feature_version (gst_registry_get (), cases[i].needs, 1, 0, 0)) {
        g_print ("%s is not here: not checked\n", cases[i].needs);
      } else {
        pipeline = parse_line ("%s%s%s ! cudahisto %s sidecar-mode=%u sidecar-location=%s ! fakesink", parts[0], name, parts[1],
                               get_backend_words (), appends, path);
        bus = gst_element_get_bus (pipeline);
        gst_element_set_state (pipeline, GST_STATE_PLAYING);
        check_error (bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, path);
        gst_element_set_state (pipeline, GST_STATE_NULL);
        gst_object_unref (bus);
        gst_object_unref (pipeline);
      }
      text = read_file (path);
      ck_assert_str_eq (text, film);
    }
  }
}

/* No engine opens: the old results are still there, and no new file is. */
TEST (test_failed_start)
{
  static const gchar old[] = "{\"cudahisto\":1,\"element\":\"yesterday\"}\n";
  const gchar *path = make_file ("old", old, strlen (old)), *absent = make_path ("absent");
  const gchar *paths[] = { path, absent };
  g_autofree gchar *problem = get_driver_problem ();

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    /* A device that no machine has, where there is a driver. */
    g_autoptr (GstElement) element = make_element (problem != NULL ? "backend=cuda" : "backend=cuda cuda-device-id=1000000");
    g_autoptr (GstBus) bus = attach_bus (element);

    g_object_set (element, "sidecar-location", paths[i], NULL);
    ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    check_error (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, -1, NULL);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
  }
  g_autofree gchar *text = read_file (path);
  ck_assert_str_eq (text, old);
  ck_assert (!g_file_test (absent, G_FILE_TEST_EXISTS));
}

/* Runs a pipeline until it posts EOS or an error, and stops it. Returns whether it was EOS. */
static gboolean
run_to_end (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gboolean is_eos = FALSE;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  ck_assert (message != NULL);
  is_eos = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return is_eos;
}

/* The element starts, but no line comes, because a source fails or a stream is refused. The old results stay, and no new file
 * is created. */
TEST (test_failed_stream)
{
  static const gchar old[] = "{\"cudahisto\":1,\"element\":\"yesterday\"}\n{\"cuda";
  static const struct {
    const gchar *source, *properties;
  } cases[] = {
    { "filesrc location=/nothere", "" },
    { "videotestsrc ! video/x-raw,format=GRAY8", "window=bytes window-size=256" },
    { "fakesrc num-buffers=0", "" }, /* looks like one that fails later */
  };
  const gchar *path = make_file ("old", old, strlen (old)), *absent = make_path ("absent");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    for (guint appends = 0; appends < 2; appends++) {
      for (guint is_new = 0; is_new < 2; is_new++) {
        GstElement *pipeline
            = parse_line ("%s ! cudahisto %s %s sidecar-mode=%u sidecar-location=%s ! fakesink", cases[i].source,
                          get_backend_words (), cases[i].properties, appends, is_new ? absent : path);

        ck_assert_int_eq (run_to_end (pipeline), i == G_N_ELEMENTS (cases) - 1);
        g_autofree gchar *text = read_file (path);
        ck_assert_msg (strcmp (text, old) == 0, "case %u: %s", i, text);
        ck_assert_msg (!g_file_test (absent, G_FILE_TEST_EXISTS), "case %u", i);
      }
    }
  }
}

/* Started and stopped; a stream that is refused; and one that has frames and no result. */
TEST (test_no_results)
{
  static const gchar old[] = "{\"cudahisto\":1,\"element\":\"yesterday\"}\n";
  const gchar *path = make_file ("old", old, strlen (old));
  gchar *text;

  for (guint run = 0; run < 3; run++) {
    const gboolean has_frames = run == 2;
    const guint8 data[4] = { 0 };
    g_auto (Rig) rig = open_rig_with_sidecar ("", path);

    if (run == 1) {
      gst_harness_push_event (rig.harness, gst_event_new_stream_start ("stream"));
      g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw,format=v308,width=4,height=4,framerate=25/1");

      gst_harness_push_event (rig.harness, gst_event_new_caps (caps));
      gst_harness_push_event (rig.harness, gst_event_new_eos ());
    } else {
      start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
    }
    text = read_file (path);
    ck_assert_str_eq (text, old);
    g_free (text);
    if (has_frames) {
      push_timed (&rig, data, sizeof data, 0, GST_MSECOND); /* too short: skipped */
      push_eos (&rig);
      ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 1);
      text = read_file (path);
      ck_assert_str_eq (text, "");
      g_free (text);
    }
    close_rig (&rig);
    text = read_file (path);
    ck_assert_str_eq (text, has_frames ? "" : old);
    g_free (text);
  }
}

/* The counts are those of the last start, with or without a sidecar. */
TEST (test_counts_begin_again)
{
  const gchar *path = make_path ("sidecar");
  g_autoptr (GstElement) element = make_element ("post-messages=false");

  for (guint run = 0; run < 2; run++) {
    guint8 data[16] = { 0 };
    GstHarness *harness;
    GstSegment segment;

    g_object_set (element, "sidecar-location", run == 0 ? path : NULL, NULL);
    harness = gst_harness_new_with_element (element, "sink", "src");
    gst_segment_init (&segment, GST_FORMAT_BYTES);
    gst_harness_play (harness);
    ck_assert_uint_eq (get_stat (element, "sidecar-lines"), 0);
    gst_harness_push_event (harness, gst_event_new_stream_start ("stream"));
    gst_harness_push_event (harness, gst_event_new_segment (&segment));
    ck_assert_int_eq (gst_harness_push (harness, make_buffer (data, sizeof data, 0, 1)), GST_FLOW_OK);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_harness_teardown (harness);
    ck_assert_uint_eq (get_stat (element, "sidecar-lines"), run == 0 ? 1 : 0);
  }
}

/* Fails unless the pipeline refuses its settings with this text. */
static void
check_settings_refused (GstElement *pipeline, const gchar *words)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  check_error (bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, words);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* A file that a neighbour reads or writes cannot be the sidecar, under any name. All of these look like sidecars. */
TEST (test_neighbours_file)
{
  static const gchar lines[] = "{\"cudahisto\":1,\"element\":\"yesterday\"}\n";
  const gchar *path = make_file ("lines", lines, strlen (lines)), *input = make_file ("input", "123456", 6);
  const gchar *hard_link = make_path ("link");
  const gint writer = g_open (path, O_WRONLY | O_APPEND, 0), reader = g_open (path, O_RDONLY, 0);
  const gchar *words = get_backend_words ();

  ck_assert_int_eq (link (path, hard_link), 0);
  check_settings_refused (
      parse_line ("filesrc location=%s ! cudahisto %s sidecar-location=/dev/fd/%d ! fakesink", path, words, writer),
      "the source reads");
  check_settings_refused (
      parse_line ("fdsrc fd=%d ! identity ! cudahisto %s sidecar-location=%s ! fakesink", reader, words, path),
      "the source reads");
  check_settings_refused (parse_line ("multifilesrc location=%s num-buffers=1 ! cudahisto %s sidecar-location=%s ! fakesink",
                                      path, words, hard_link),
                          "the source reads");
  g_autofree gchar *text = read_file (path);
  ck_assert_str_eq (text, lines);
  check_settings_refused (parse_line ("filesrc location=%s ! cudahisto %s window=bytes window-size=2 sidecar-location=%s"
                                      " ! queue ! filesink location=%s",
                                      input, words, path, hard_link),
                          "the sink writes");
  check_settings_refused (
      parse_line ("filesrc location=%s ! cudahisto %s window=bytes window-size=2 sidecar-location=/dev/fd/%d"
                  " ! fdsink fd=%d",
                  input, words, writer, writer),
      "the sink writes");
  close (writer);
  close (reader);
}

static GstPadProbeReturn
answer_uri (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer uri)
{
  if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) != GST_QUERY_URI)
    return GST_PAD_PROBE_OK;
  gst_query_set_uri (GST_PAD_PROBE_INFO_QUERY (info), uri);
  return GST_PAD_PROBE_HANDLED;
}

/* An element that writes to the file is added after the start: neighbours are checked again before the first line, and before
 * the file is emptied. */
TEST (test_late_neighbour)
{
  static const gchar old[] = "{\"cudahisto\":1,\"element\":\"yesterday\"}\n";
  const gchar *path = make_file ("old", old, strlen (old));
  g_autofree gchar *uri = gst_filename_to_uri (path, NULL);
  gchar *text;

  for (guint is_skipped = 0; is_skipped < 2; is_skipped++) {
    const guint8 data[16] = { 0 };
    GstPad *pad;
    g_auto (Rig) rig = open_rig_with_sidecar ("post-messages=false", path);

    start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
    pad = gst_element_get_static_pad (rig.element, "src");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_uri, uri, NULL);
    gst_harness_push (rig.harness, make_buffer (data, is_skipped ? 1 : sizeof data, 0, GST_MSECOND));
    if (is_skipped) {
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, -1, NULL);
      gst_harness_push_event (rig.harness, gst_event_new_eos ());
    } else {
      const gint64 end = g_get_monotonic_time () + (gint64)(RIG_PATIENCE / GST_USECOND);

      while (gst_harness_push (rig.harness, make_buffer (data, sizeof data, 0, GST_MSECOND)) == GST_FLOW_OK)
        ck_assert (g_get_monotonic_time () < end); /* a GPU may count a few frames until the first line is known to fail */
    }
    check_error (rig.bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, path);
    gst_object_unref (pad);
    close_rig (&rig);
    text = read_file (path);
    ck_assert_str_eq (text, old);
    g_free (text);
  }
}

/* The last line has no newline, and the file may not grow to get it. */
TEST (test_no_room)
{
  static const gchar old[] = "{\"cudahisto\":1,\"element\":\"yesterday\"}";
  const gchar *path = make_file ("old", old, strlen (old));
  g_autoptr (GstElement) pipeline = parse_line ("fakesrc num-buffers=3 sizetype=fixed sizemax=16 ! cudahisto %s window=buffer "
                                                "sidecar-mode=append sidecar-location=%s ! fakesink",
                                                get_backend_words (), path);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  struct rlimit before, none;
  GstMessage *message;

  getrlimit (RLIMIT_FSIZE, &before);
  none = before;
  none.rlim_cur = strlen (old);
  setrlimit (RLIMIT_FSIZE, &none); /* for Check's own files too: nothing is asserted meanwhile */
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_ERROR);
  setrlimit (RLIMIT_FSIZE, &before);
  ck_assert (message != NULL);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_autofree gchar *text = read_file (path);
  ck_assert_str_eq (text, old);
}

TEST (test_two_elements)
{
  const gchar *path = make_path ("sidecar");
  GstElement *element;
  GstBus *bus;
  guint8 data[16] = { 0 };

  g_auto (Rig) rig = open_rig_with_sidecar ("post-messages=false", path);

  start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
  for (guint i = 0; i < 60; i++) {
    push_timed (&rig, data, sizeof data, i * GST_MSECOND, GST_MSECOND);
    if (i == 30) {
      element = make_element ("");
      bus = attach_bus (element);
      g_object_set (element, "sidecar-location", path, NULL);
      ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
      check_error (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY, path);
      gst_element_set_state (element, GST_STATE_NULL);
      gst_element_set_bus (element, NULL);
      gst_object_unref (bus);
      gst_object_unref (element);
    }
  }
  push_eos (&rig);
  ck_assert_uint_eq (get_stat (rig.element, "sidecar-lines"), 60);
  ck_assert_uint_eq (get_stat (rig.element, "sidecar-dropped"), 0);
  g_autofree gchar *text = read_file (path); /* before the stop */
  check_lines (text, 0, 60);
  check_bus_empty (rig.bus);
}

/* ---- without a reader ------------------------------------------------------------------------------------------------- */

/* Counts the warnings of dropped lines, their lines, and the STREAM_STATUS messages of the thread. */
typedef struct {
  GMutex lock;
  guint warnings, created, entered, left;
  guint64 dropped;
  guint64 stuck; /* lines that the warning before EOS names, which may still be written */
} Notices;

static GstBusSyncReply
listen (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer user_data)
{
  Notices *notices = user_data;

  g_mutex_lock (&notices->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE)) {
      guint64 lines = g_ascii_strtoull (error->message, NULL, 10);
      g_autofree gchar *start
          = g_strdup_printf ("%" G_GUINT64_FORMAT " %s not written ", lines, lines == 1 ? "result was" : "results were");
      g_autofree gchar *stuck
          = g_strdup_printf ("%" G_GUINT64_FORMAT " %s for ", lines, lines == 1 ? "result waits" : "results wait");

      if (g_str_has_prefix (error->message, stuck)) {
        ck_assert_uint_eq (notices->stuck, 0);
        notices->stuck = lines;
      } else {
        ck_assert_msg (g_str_has_prefix (error->message, start), "%s", error->message);
        notices->warnings++;
        notices->dropped += lines;
      }
    }
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_STREAM_STATUS) {
    const GValue *object = gst_message_get_stream_status_object (message);
    GstStreamStatusType type;
    GstElement *owner;

    gst_message_parse_stream_status (message, &type, &owner);
    if (object != NULL && G_VALUE_HOLDS (object, GST_TYPE_G_THREAD)
        && g_strcmp0 (G_OBJECT_TYPE_NAME (owner), "GstCudaHisto") == 0) {
      notices->created += type == GST_STREAM_STATUS_TYPE_CREATE ? 1 : 0;
      notices->entered += type == GST_STREAM_STATUS_TYPE_ENTER ? 1 : 0;
      notices->left += type == GST_STREAM_STATUS_TYPE_LEAVE ? 1 : 0;
    }
  }
  g_mutex_unlock (&notices->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstPadProbeReturn
count_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer counter)
{
  g_atomic_int_inc ((gint *)counter);
  return GST_PAD_PROBE_OK;
}

/* The lines that warnings had named when EOS left the element, and those that they had to name. */
typedef struct {
  GstElement *element;
  Notices *notices;
  guint64 noticed_lines, dropped_lines, noticed_stuck, stuck_lines;
  gint is_over; /* atomic */
} End;

static GstPadProbeReturn
look_at_eos (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  End *end = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS) {
    g_mutex_lock (&end->notices->lock);
    end->noticed_lines = end->notices->dropped;
    end->noticed_stuck = end->notices->stuck;
    g_mutex_unlock (&end->notices->lock);
    end->dropped_lines = get_stat (end->element, "sidecar-dropped");
    end->stuck_lines = get_stat (end->element, "results") - get_stat (end->element, "sidecar-lines") - end->dropped_lines;
    g_atomic_int_set (&end->is_over, TRUE);
  }
  return GST_PAD_PROBE_OK;
}

#define FRAMES 4000
#define MOST_OF_A_PIPE 32768 /* bytes, of 65536: a line that a pipe takes whole does not go on in another page */

/* Returns the number of bytes in a pipe. */
static gint
get_filled (gint reader)
{
  gint size = 0;

  ck_assert_int_eq (ioctl (reader, FIONREAD, &size), 0);
  return size;
}

TEST (test_dead_reader)
{
  static const gchar *const slow[] = { "auto", "block" };

  for (guint i = 0; i < G_N_ELEMENTS (slow); i++) {
    const gboolean blocks = i == 1;
    Notices notices = { .warnings = 0 };
    End end = { .notices = &notices };
    g_autoptr (GstElement) pipeline = NULL, element = NULL, sink = NULL;
    gint passed = 0, seen = -1, reader;
    gint64 start;
    const gchar *path = make_pipe ("pipe", &reader);

    pipeline = parse_line ("videotestsrc num-buffers=%u ! " VIDEO
                           " ! cudahisto %s name=element post-messages=false sidecar-slow=%s sidecar-location=%s"
                           " ! fakesink name=sink sync=false",
                           FRAMES, get_backend_words (), slow[i], path);
    element = gst_bin_get_by_name (GST_BIN (pipeline), "element");
    sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, &passed, NULL);
    end.element = element;
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_eos, &end, NULL);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    gst_bus_set_sync_handler (bus, listen, &notices, NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    start = g_get_monotonic_time ();
    if (blocks) {
      /* Until the pipe takes no more, and no frame comes. */
      while (get_filled (reader) < MOST_OF_A_PIPE || g_atomic_int_get (&passed) > seen) {
        seen = g_atomic_int_get (&passed);
        g_usleep (G_TIME_SPAN_SECOND);
      }
      ck_assert_int_lt (seen, FRAMES);
    } else {
      while (!g_atomic_int_get (&end.is_over) && g_get_monotonic_time () - start < (gint64)(RIG_PATIENCE / GST_USECOND))
        g_usleep (1000);
      ck_assert_int_eq (g_atomic_int_get (&passed), FRAMES);
      ck_assert_uint_ge (notices.warnings, 1);
      ck_assert_uint_gt (end.dropped_lines, 1);
      ck_assert_uint_eq (end.noticed_lines, end.dropped_lines);
      ck_assert_uint_gt (end.stuck_lines, 1);
      ck_assert_uint_eq (end.noticed_stuck, end.stuck_lines);
    }

    start = g_get_monotonic_time ();
    gst_element_set_state (pipeline, GST_STATE_NULL);
    ck_assert_int_lt (g_get_monotonic_time () - start, (gint64)(RIG_PATIENCE / GST_USECOND));
    ck_assert_uint_ge (notices.warnings, blocks ? 1 : 2);
    ck_assert_uint_gt (get_stat (element, "sidecar-dropped"), 0);
    ck_assert_uint_eq (get_stat (element, "sidecar-dropped"), notices.dropped);
    ck_assert_uint_eq (get_stat (element, "sidecar-lines") + get_stat (element, "sidecar-dropped"),
                       get_stat (element, "results"));
    ck_assert_uint_eq (get_stat (element, "frames-in"),
                       get_stat (element, "frames-reported") + get_stat (element, "frames-discarded"));
    ck_assert_uint_ge (notices.created, 1);
    ck_assert_uint_eq (notices.created, notices.entered);
    ck_assert_uint_eq (notices.created, notices.left);

    gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
    close (reader);
    g_remove (path);
  }
}

/* The warning of a stuck sidecar comes before EOS, while the bus is still read. */
TEST (test_dead_reader_at_eos)
{
  g_autofree gchar *text = NULL, *words = NULL;
  guint64 waiting;
  g_autoptr (GstElement) pipeline = NULL, element = NULL;
  GstMessage *message;
  g_autoptr (GError) error = NULL;
  gint reader;
  const gchar *path = make_pipe ("pipe", &reader);

  pipeline = parse_line ("videotestsrc num-buffers=100 ! " VIDEO
                         " ! cudahisto %s name=element post-messages=false sidecar-location=%s ! fakesink sync=false",
                         get_backend_words (), path);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "element");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
  ck_assert (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING);
  waiting = get_stat (element, "results") - get_stat (element, "sidecar-lines") - get_stat (element, "sidecar-dropped");
  gst_message_parse_warning (message, &error, &text);
  words = g_strdup_printf ("%" G_GUINT64_FORMAT " results wait for the sidecar \"%s\"", waiting, path);
  ck_assert_msg (g_str_has_prefix (error->message, words), "%s", error->message);
  gst_message_unref (message);
  message = gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
  ck_assert (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  ck_assert_uint_eq (get_stat (element, "sidecar-dropped"), waiting);
  ck_assert_uint_eq (get_stat (element, "sidecar-lines") + waiting, get_stat (element, "results"));
  close (reader);
}

typedef struct {
  GstElement *pipeline;
  GstFormat format;
  gint is_done; /* atomic */
} Seek;

static gpointer
seek_to_start (gpointer data)
{
  Seek *seek = data;

  ck_assert (gst_element_seek_simple (seek->pipeline, seek->format, GST_SEEK_FLAG_FLUSH, 0));
  g_atomic_int_set (&seek->is_done, TRUE);
  return NULL;
}

/* Waits until the stream stops because lines wait for the pipe. */
static void
wait_for_standstill (GstElement *element)
{
  guint64 frames = G_MAXUINT64;

  while (get_stat (element, "sidecar-lines") >= get_stat (element, "results") || get_stat (element, "frames-in") != frames) {
    frames = get_stat (element, "frames-in");
    g_usleep (G_TIME_SPAN_SECOND / 4);
  }
}

/* The pipe is open and not read, so that the stream waits: in its middle, with a full queue, or at its end, for the last lines.
 * A flushing seek does not wait, and every result is in the pipe when it is read. */
TEST (test_flushing_seek)
{
  static const struct {
    const gchar *source;
    const gchar *properties;
    GstFormat format;
    gboolean is_at_end;
  } cases[] = {
    { "videotestsrc num-buffers=30", "bins=native", GST_FORMAT_TIME, FALSE },
    { "videotestsrc num-buffers=5", "bins=native", GST_FORMAT_TIME, TRUE },
    { "videotestsrc num-buffers=5", "bins=native when-busy=skip", GST_FORMAT_TIME, TRUE },
    { "filesrc", "window=bytes window-size=2000", GST_FORMAT_BYTES, TRUE },
  };
  g_autofree gchar *contents = g_malloc0 (200000);
  const gchar *film = make_file ("film", contents, 200000);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) lines = NULL;
    g_autoptr (GstElement) pipeline = NULL, element = NULL;
    GThread *thread;
    guint64 results, next_frame = 0;
    gint64 start;
    gint reader;
    const gchar *path = make_pipe ("pipe", &reader);

    pipeline = parse_line ("%s%s%s ! cudahisto %s name=element post-messages=false %s sidecar-slow=block"
                           " sidecar-location=%s ! fakesink sync=false",
                           cases[i].source, cases[i].format == GST_FORMAT_BYTES ? " location=" : " ! video/x-raw,format=",
                           cases[i].format == GST_FORMAT_BYTES ? film : "Y444_16LE,width=16,height=16,framerate=30/1",
                           get_backend_words (), cases[i].properties, path);
    element = gst_bin_get_by_name (GST_BIN (pipeline), "element");
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    for (guint k = 0; k < 2; k++) {
      Seek seek = { pipeline, cases[i].format, FALSE };

      wait_for_standstill (element);
      ck_assert_uint_lt (get_stat (element, "sidecar-lines"), get_stat (element, "results"));
      ck_assert (gst_bus_pop_filtered (bus, GST_MESSAGE_EOS) == NULL);
      ck_assert (cases[i].is_at_end || get_stat (element, "frames-in") < 30);
      thread = g_thread_new ("seek", seek_to_start, &seek);
      start = g_get_monotonic_time ();
      while (!g_atomic_int_get (&seek.is_done)) {
        ck_assert_msg (g_get_monotonic_time () - start < (gint64)(RIG_PATIENCE / GST_USECOND),
                       "case %u: seek %u does not return", i, k);
        g_usleep (1000);
      }
      g_thread_join (thread);
    }

    thread = g_thread_new ("reader", read_pipe, GINT_TO_POINTER (reader));
    gst_message_unref (gst_bus_timed_pop_filtered (bus, RIG_PATIENCE, GST_MESSAGE_EOS));
    results = get_stat (element, "results");
    ck_assert_uint_eq (get_stat (element, "sidecar-lines"), results);
    ck_assert_uint_eq (get_stat (element, "sidecar-dropped"), 0);
    ck_assert_uint_eq (get_stat (element, "frames-in"),
                       get_stat (element, "frames-reported") + get_stat (element, "frames-discarded"));
    gst_element_set_state (pipeline, GST_STATE_NULL);
    g_autofree gchar *text = g_thread_join (thread);
    lines = g_strsplit (text, "\n", -1);
    ck_assert_uint_eq (g_strv_length (lines), results + 1);
    for (guint64 k = 0; k < results; k++) {
      const guint64 frame = g_ascii_strtoull (strstr (lines[k], ",\"frame\":") + strlen (",\"frame\":"), NULL, 10);

      ck_assert (g_str_has_prefix (lines[k], LINE_START) && g_str_has_suffix (lines[k], "}}}"));
      ck_assert_uint_ge (frame, next_frame);
      next_frame = cases[i].format == GST_FORMAT_TIME ? frame + 1 : frame; /* several windows may begin in one buffer */
    }
    ck_assert_str_eq (lines[results], "");

    close (reader);
    g_remove (path);
  }
}

/* ---- for daily use ---------------------------------------------------------------------------------------------------- */

static gboolean
reopen (GstElement *element)
{
  gboolean is_new;

  g_signal_emit_by_name (element, "reopen-sidecar", &is_new);
  return is_new;
}

#define OLD_LINES "{\"cudahisto\":1,\"element\":\"yesterday\"}\n"

/* Before the first line: a renamed file is not emptied, nor is a reopened one. */
TEST (test_rotation_before_the_first_line)
{
  for (guint way = 0; way < 4; way++) {
    const gboolean renames = way & 1, reopens = way & 2;
    const gchar *path = make_file ("early", OLD_LINES, strlen (OLD_LINES));
    g_autofree gchar *renamed = g_strconcat (path, ".1", NULL);
    gchar *settings, *text;

    settings = g_strdup_printf ("window=stream sidecar-location=%s", path);
    g_auto (Rig) rig = open_rig (settings);
    g_free (settings);
    start_bytes (&rig, NULL);
    push_bytes (&rig, "abc", 3);
    if (renames)
      ck_assert_int_eq (g_rename (path, renamed), 0);
    if (reopens)
      ck_assert (reopen (rig.element));
    push_eos (&rig);
    text = read_file (renames ? renamed : path);
    ck_assert_msg (g_str_has_prefix (text, OLD_LINES) == (renames || reopens), "%s", text);
    g_free (text);
    if (renames == reopens) {
      text = read_file (path);
      ck_assert (g_str_has_suffix (text, "}}}\n") && strstr (text, "yesterday") == NULL);
      g_free (text);
    }
    drop_results (rig.bus);
    g_remove (path);
    g_remove (renamed);
  }
}

/* A file that a neighbour now writes to is not reopened. It looks like a sidecar. */
TEST (test_rotation_to_a_neighbour)
{
  const gchar *path = make_path ("lines"), *renamed = make_path ("renamed");
  gchar *text;
  g_autofree gchar *settings = g_strdup_printf ("post-messages=false sidecar-location=%s", path),
                   *uri = gst_filename_to_uri (path, NULL);
  const guint8 data[16] = { 0 };
  g_auto (Rig) rig = open_video (settings, "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");

  push_timed (&rig, data, sizeof data, 0, GST_MSECOND);
  while (get_stat (rig.element, "sidecar-lines") == 0) /* the check before the first line is over */
    g_usleep (1000);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (rig.element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_uri, uri, NULL);
  ck_assert_int_eq (g_rename (path, renamed), 0);
  make_file ("lines", OLD_LINES, strlen (OLD_LINES));
  ck_assert (!reopen (rig.element));
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, path);
  push_timed (&rig, data, sizeof data, GST_MSECOND, GST_MSECOND);
  push_eos (&rig);
  text = read_file (renamed);
  check_lines (text, 0, 2);
  g_free (text);
  text = read_file (path);
  ck_assert_str_eq (text, OLD_LINES);
  g_free (text);
}

TEST (test_rotation)
{
  const gchar *path = make_path ("sidecar");
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GstElement) pipeline = NULL, element = NULL;
  gchar *text;

  pipeline = parse_line ("videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=16,height=16,framerate=500/1"
                         " ! cudahisto %s name=element post-messages=false sidecar-location=%s ! fakesink",
                         get_backend_words (), path);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "element");
  ck_assert (!reopen (element)); /* nothing is open */
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 4; i++) {
    const gchar *rotated = make_path ("sidecar.%u", i);
    const guint64 lines = get_stat (element, "sidecar-lines");

    while (get_stat (element, "sidecar-lines") < lines + 20)
      g_usleep (1000);
    ck_assert_int_eq (g_rename (path, rotated), 0);
    ck_assert (reopen (element));
    text = read_file (rotated);
    ck_assert_uint_gt (strlen (text), 0);
    g_string_append (all, text);
    g_free (text);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  ck_assert (!reopen (element));
  text = read_file (path);
  g_string_append (all, text);
  check_lines (all->str, 0, (guint)get_stat (element, "results"));
  g_free (text);
}

static GstPadProbeReturn
count_lines_at_eos (GstPad *pad, GstPadProbeInfo *info, gpointer lines)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    *(guint64 *)lines = get_stat (element, "sidecar-lines");
  return GST_PAD_PROBE_OK;
}

/* When EOS leaves the element, every line is in the file. */
TEST (test_eos)
{
  const gchar *path = make_path ("sidecar");

  for (guint run = 0; run < 50; run++) {
    const guint8 bytes[16] = { 0 };
    guint64 lines = 0;
    g_auto (Rig) rig = open_rig_with_sidecar ("window=buffer", path);

    start_bytes (&rig, NULL);
    gst_harness_set_drop_buffers (rig.harness, TRUE);
    g_autoptr (GstPad) srcpad = gst_element_get_static_pad (rig.element, "src");
    gst_pad_add_probe (srcpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, count_lines_at_eos, &lines, NULL);
    for (guint i = 0; i < 10; i++)
      push_bytes (&rig, bytes, sizeof bytes);
    push_eos (&rig);
    ck_assert_uint_eq (lines, 10);
  }
}

TEST (test_append)
{
  const gchar *path = make_path ("sidecar");
  gchar *text;

  for (guint run = 0; run < 3; run++)
    free_results (run_line (
        NULL, "videotestsrc num-buffers=5 ! " VIDEO " ! cudahisto %s sidecar-mode=append sidecar-location=%s ! fakesink",
        get_backend_words (), path));
  text = read_file (path);
  ck_assert_uint_eq (strlen (text) % 3, 0);
  text[strlen (text) / 3] = '\0';
  check_lines (text, 0, 5);
  g_free (text);

  free_results (run_line (NULL, "videotestsrc num-buffers=2 ! " VIDEO " ! cudahisto %s sidecar-location=%s ! fakesink",
                          get_backend_words (), path));
  text = read_file (path);
  check_lines (text, 0, 2);
  g_free (text);
}

TEST (test_no_bins)
{
  const gchar *path = make_path ("sidecar");
  guint8 data[16] = { 0 };
  g_auto (Rig) rig = open_rig_with_sidecar ("sidecar-arrays=none", path);

  start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
  push_timed (&rig, data, sizeof data, 0, GST_MSECOND);
  gst_structure_free (pop_result (rig.bus));
  gst_util_set_object_arg (G_OBJECT (rig.element), "sidecar-arrays", "histograms"); /* while it plays */
  push_timed (&rig, data, sizeof data, GST_MSECOND, GST_MSECOND);
  push_eos (&rig);
  g_autofree gchar *text = read_file (path);
  check_lines (text, 0, 2);
  ck_assert (strstr (text, "\"high\":0}}}\n") != NULL);
  ck_assert (strstr (text, ",\"histogram\":[16,0,0,") > strstr (text, "\n"));
  gst_structure_free (pop_result (rig.bus));
  check_bus_empty (rig.bus);
}

/* As a shell does it. */
TEST (test_standard_output)
{
  static const gchar *const commands[] = {
    "%s ! cudahisto post-messages=false sidecar-location=- ! fakesink >>'%s'",
    "%s ! cudahisto post-messages=false sidecar-location=/dev/stdout ! fakesink >>'%s'",
    "%s ! cudahisto post-messages=false sidecar-location=- ! fakesink | cat >>'%s'",
    "%s ! cudahisto post-messages=false sidecar-location=/dev/stderr ! fakesink 2>>'%s'",
    /* It needs longer than a stop would give it. */
    "%s ! cudahisto post-messages=false sidecar-location=- ! fakesink | while read -r x; do sleep 0.02; echo $x; done >>'%s'",
    "exec 7>>'%2$s'; %1$s ! cudahisto post-messages=false sidecar-location=/dev/fd/7 ! fakesink",
  };

  if (TEST_IS_SANITIZED || g_find_program_in_path ("gst-launch-1.0") == NULL) {
    g_print ("gst-launch-1.0 is not here, or cannot load a sanitized plugin: not checked\n");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    const gchar *path = make_file ("log", "before\n", 7);
    g_autofree gchar *command = NULL, *text = NULL;
    gchar *line;
    gchar sh[] = "sh", option[] = "-c", *argv[] = { sh, option, NULL, NULL };
    gint status;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    command = g_strdup_printf (commands[i], "gst-launch-1.0 -q videotestsrc num-buffers=200 ! " VIDEO, path);
#pragma GCC diagnostic pop
    argv[2] = command;
    ck_assert (g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, NULL));
    ck_assert_msg (status == 0, "%s", command);
    text = read_file (path);
    ck_assert_msg (g_str_has_prefix (text, "before\n" LINE_START), "%s: %s", command, text);
    line = strstr (text, LINE_START);
    check_lines (line, 0, 200);
  }
}

/* ---- at any time ------------------------------------------------------------------------------------------------------ */

typedef struct {
  GstElement *element;
  const gchar *path;
  gint is_over; /* atomic */
} Meddler;

static gpointer
meddle (gpointer data)
{
  Meddler *meddler = data;

  while (!g_atomic_int_get (&meddler->is_over)) {
    get_stat (meddler->element, "sidecar-lines");
    g_object_set (meddler->element, "sidecar-arrays", 0, "sidecar-slow", 2, "sidecar-mode", 1, "sidecar-location",
                  meddler->path, NULL);
    reopen (meddler->element);
    g_usleep (200);
  }
  return NULL;
}

/* All operations of an application while the element starts and stops. */
TEST (test_meddlers)
{
  const gchar *path = make_path ("sidecar");
  Meddler meddler = { make_element ("post-messages=false sidecar-mode=append"), path, FALSE };
  GThread *threads[3];

  g_object_set (meddler.element, "sidecar-location", path, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("meddler", meddle, &meddler);
  for (guint i = 0; i < 30; i++) {
    guint8 data[16] = { 0 };
    GstHarness *harness = gst_harness_new_with_element (meddler.element, "sink", "src");
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_BYTES);
    gst_harness_play (harness);
    gst_harness_push_event (harness, gst_event_new_stream_start ("stream"));
    gst_harness_push_event (harness, gst_event_new_segment (&segment));
    for (guint k = 0; k < 20; k++)
      ck_assert_int_eq (gst_harness_push (harness, make_buffer (data, sizeof data, k, 1)), GST_FLOW_OK);
    gst_element_set_state (meddler.element, GST_STATE_NULL);
    gst_harness_teardown (harness);
    ck_assert_uint_eq (get_stat (meddler.element, "sidecar-lines"), get_stat (meddler.element, "results"));
  }
  g_atomic_int_set (&meddler.is_over, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  gst_object_unref (meddler.element);
}

RIG_MAIN (NULL)
