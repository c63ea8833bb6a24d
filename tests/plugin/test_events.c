/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The property `events`: when messages and lines come, their order, and the ends of events. test_events.py compares the events
 * with FFmpeg's filters. */

#include "pictures.h"
#include "rig.h"

#include <json-glib/json-glib.h>
#include <string.h>

enum { SAMPLES = 16, BLACK = 16, WHITE = 235 };

#define FRAME_TIME (GST_SECOND / 25)
#define NONE GST_CLOCK_TIME_NONE
#define GRAY "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1,colorimetry=2:4:0:1"

/* From the first frame on that is black, or equals the one before. */
#define AT_ONCE "black-min-duration=0 freeze-min-duration=0"

static GstBuffer *
make_frame (guint8 value, guint frame)
{
  guint8 data[SAMPLES];

  memset (data, value, sizeof data);
  return make_buffer (data, sizeof data, frame * FRAME_TIME, FRAME_TIME);
}

static void
push_frame (Rig *rig, guint8 value, guint frame)
{
  ck_assert_int_eq (gst_harness_push (rig->harness, make_frame (value, frame)), GST_FLOW_OK);
}

static GstClockTime
time_of (gint frame)
{
  return frame < 0 ? NONE : (GstClockTime)frame * FRAME_TIME;
}

/* The next message is an event. *event is a copy. */
static GstStructure *
pop_event (Rig *rig)
{
  g_autoptr (GstMessage) message = pop_message (rig->bus);
  GstStructure *event;

  ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
  event = gst_structure_copy (gst_message_get_structure (message));
  ck_assert_str_eq (gst_structure_get_name (event), "cudahisto-event");
  return event;
}

/* The next message is that event. `end`: a frame, or -1 until it ends. */
static void
check_event (Rig *rig, const gchar *kind, gint start, gint end, guint frames, const gchar *ended_by)
{
  g_autoptr (GstStructure) event = pop_event (rig);
  g_autofree gchar *text = gst_structure_to_string (event), *input = NULL;

  g_object_get (rig->element, "input-name", &input, NULL);
  ck_assert_msg (g_str_equal (gst_structure_get_string (event, "event"), kind), "%s", text);
  ck_assert_msg (get_field_u64 (event, "start") == time_of (start), "%s", text);
  ck_assert_msg (get_field_u64 (event, "end") == time_of (end), "%s", text);
  ck_assert_msg (get_field_u64 (event, "running-time") == time_of (start), "%s", text);
  ck_assert_msg (get_field_u64 (event, "end-running-time") == time_of (end), "%s", text);
  ck_assert_msg (get_field_u64 (event, "duration") == (end < 0 ? NONE : time_of (end - start)), "%s", text);
  ck_assert_msg (get_field_u64 (event, "frame") == (guint64)start, "%s", text);
  ck_assert_msg (get_field_u64 (event, "frames") == frames, "%s", text);
  ck_assert_msg (g_strcmp0 (gst_structure_get_string (event, "ended-by"), ended_by) == 0, "%s", text);
  ck_assert_msg (g_strcmp0 (gst_structure_get_string (event, "input"), input) == 0, "%s", text);
}

/* Events are posted with and without results. Events that were not requested are not detected. */
TEST (test_messages)
{
  static const guint8 values[] = { WHITE, BLACK, BLACK, BLACK, WHITE, WHITE };
  Rig rig = open_video (
      "name=detector input-name=film.mkv events=black+scene-change black-min-duration=80000000 post-messages=false", GRAY);

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    push_frame (&rig, values[i], i);
  push_eos (&rig);
  check_event (&rig, "scene-change", 1, 1, 1, "complete");
  check_event (&rig, "black", 1, -1, 3, NULL);
  check_event (&rig, "black", 1, 4, 3, "complete");
  check_event (&rig, "scene-change", 4, 4, 1, "complete");
  check_bus_empty (rig.bus);
  close_rig (&rig);

  rig = open_video ("events=black+freeze post-messages=false", GRAY);
  for (guint i = 0; i < 50; i++)
    push_frame (&rig, BLACK, i);
  push_eos (&rig); /* one frame too early */
  check_bus_empty (rig.bus);
  close_rig (&rig);
}

static void
push_damaged (Rig *rig, guint frame)
{
  GstBuffer *buffer = make_frame (WHITE, frame);

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  ck_assert_int_eq (gst_harness_push (rig->harness, buffer), GST_FLOW_OK);
}

/* Upstream reports frames missing before this one. */
static void
push_missing (Rig *rig, const gchar *cause, guint frame, guint64 missing)
{
  GstStructure *structure
      = gst_structure_new ("cudahisto-damage", "cause", G_TYPE_STRING, cause, "missing", G_TYPE_UINT64, missing, "start",
                           G_TYPE_UINT64, time_of ((gint)frame), "end", G_TYPE_UINT64, time_of ((gint)(frame + missing)), NULL);

  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, structure)));
}

static void
check_damage (Rig *rig, gint start, gint end, guint64 frame, guint64 frames, guint64 missing, const gchar *cause,
              const gchar *ended_by)
{
  g_autoptr (GstStructure) event = pop_event (rig);

  ck_assert_str_eq (gst_structure_get_string (event, "event"), "damaged");
  ck_assert_str_eq (gst_structure_get_string (event, "cause"), cause);
  ck_assert_str_eq (gst_structure_get_string (event, "ended-by"), ended_by);
  ck_assert_uint_eq (get_field_u64 (event, "start"), time_of (start));
  ck_assert_uint_eq (get_field_u64 (event, "end"), time_of (end));
  ck_assert_uint_eq (get_field_u64 (event, "frame"), frame);
  ck_assert_uint_eq (get_field_u64 (event, "frames"), frames);
  ck_assert_uint_eq (get_field_u64 (event, "missing"), missing);
  ck_assert (!gst_structure_has_field (event, "value") && !gst_structure_has_field (event, "threshold"));
}

/* Flagged frames, and an upstream event, in one message at the end, and in the results' fields. */
TEST (test_damage)
{
  Rig rig = open_video ("events=damaged post-messages=false", GRAY);

  push_frame (&rig, WHITE, 0);
  push_damaged (&rig, 1);
  push_damaged (&rig, 2);
  check_bus_empty (rig.bus);
  push_frame (&rig, WHITE, 3);
  push_missing (&rig, "undecoded", 4, 2); /* without a damaged frame */
  push_frame (&rig, WHITE, 6);
  push_missing (&rig, "gap+decoder", 7, 1); /* with one */
  push_damaged (&rig, 8);
  push_frame (&rig, WHITE, 9);
  push_missing (&rig, "cut", 10, 5); /* at the end */
  push_eos (&rig);
  check_damage (&rig, 1, 3, 1, 2, 0, "flagged", "complete");
  check_damage (&rig, 4, 6, 4, 0, 2, "undecoded", "complete");
  check_damage (&rig, 7, 9, 5, 1, 1, "decoder+gap", "complete");
  check_damage (&rig, 10, 15, 7, 0, 5, "cut", "eos");
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "damages"), 4);
  ck_assert_uint_eq (get_stat (rig.element, "frames-damaged"), 3);
  ck_assert_uint_eq (get_stat (rig.element, "frames-missing"), 8);
  close_rig (&rig);

  rig = open_rig ("events=black post-messages=false"); /* not requested */
  start_video (&rig, GRAY);
  push_damaged (&rig, 0);
  push_missing (&rig, "cut", 1, 5);
  push_eos (&rig);
  check_bus_empty (rig.bus);
  close_rig (&rig);

  rig = open_video ("events=damaged", GRAY);
  push_missing (&rig, "gap", 0, 3);
  push_damaged (&rig, 3);
  push_frame (&rig, WHITE, 4);
  push_eos (&rig);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstMessage) message = pop_message (rig.bus);
    const GstStructure *structure = gst_message_get_structure (message);

    if (gst_structure_has_name (structure, "cudahisto")) {
      const gboolean is_first = get_field_u64 (structure, "frame") == 0;

      ck_assert_int_eq (gst_structure_has_field (structure, "damaged"), is_first);
      ck_assert_int_eq (gst_structure_has_field (structure, "missing"), is_first);
      if (is_first)
        ck_assert_uint_eq (get_field_u64 (structure, "missing"), 3);
    }
  }
  close_rig (&rig);
}

/* A buffer that is too small for a frame. */
static void
push_too_small (Rig *rig, guint frame, gboolean is_damaged)
{
  GstBuffer *buffer = make_frame (WHITE, frame);

  gst_buffer_set_size (buffer, SAMPLES / 2);
  if (is_damaged)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  ck_assert_int_eq (gst_harness_push (rig->harness, buffer), GST_FLOW_OK);
}

static void
check_damage_stats (Rig *rig, guint64 damages, guint64 damaged, guint64 missing)
{
  ck_assert_uint_eq (get_stat (rig->element, "damages"), damages);
  ck_assert_uint_eq (get_stat (rig->element, "frames-damaged"), damaged);
  ck_assert_uint_eq (get_stat (rig->element, "frames-missing"), missing);
  ck_assert_uint_eq (get_stat (rig->element, "frames-in"),
                     get_stat (rig->element, "frames-reported") + get_stat (rig->element, "frames-discarded")
                         + get_stat (rig->element, "frames-skipped") + get_stat (rig->element, "frames-pending"));
}

/* Damage of, and before, an unreadable frame is reported with the next counted frame, or at the end. */
TEST (test_damage_of_unreadable)
{
  g_auto (Rig) rig = open_video ("events=damaged post-messages=false", GRAY);

  push_frame (&rig, WHITE, 0);
  push_too_small (&rig, 1, TRUE);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "1 buffer was not counted");
  push_frame (&rig, WHITE, 2);
  push_missing (&rig, "gap", 3, 3);
  push_too_small (&rig, 6, FALSE);
  push_frame (&rig, WHITE, 7);
  push_frame (&rig, WHITE, 8);
  push_too_small (&rig, 9, TRUE);
  push_too_small (&rig, 10, TRUE);
  push_eos (&rig);
  check_damage (&rig, 1, 2, 1, 1, 0, "flagged", "complete");
  check_damage (&rig, 3, 7, 4, 0, 3, "gap", "complete");
  check_damage (&rig, 9, 10, 6, 2, 0, "flagged", "eos");
  check_damage_stats (&rig, 3, 3, 3);
}

/* Each damaged frame is in an event, even if it was skipped. */
TEST (test_damage_of_skipped)
{
  const gsize size = 4096 * 4096;
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, size, NULL);
  const GstStructure *event;
  GstMessage *message;
  guint64 damages = 0, damaged = 0;

  gst_buffer_memset (buffer, 0, 3, size);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  g_auto (Rig) rig = open_video ("events=damaged when-busy=skip post-messages=false",
                                 "video/x-raw,format=GRAY8,width=4096,height=4096,framerate=25/1");
  gst_harness_set_drop_buffers (rig.harness, TRUE);
  for (guint frame = 0; frame < 100; frame++)
    ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_copy (buffer)), GST_FLOW_OK);
  push_eos (&rig);
  ck_assert_uint_gt (get_stat (rig.element, "frames-skipped"), 0);
  while ((message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT)) != NULL) {
    event = gst_message_get_structure (message);
    damages++;
    damaged += get_field_u64 (event, "frames");
    gst_message_unref (message);
  }
  ck_assert_uint_eq (damaged, 100);
  check_damage_stats (&rig, damages, 100, 0);
}

/* A stop reports damage without a later frame. A flush drops it. */
TEST (test_damage_at_stop)
{
  Rig rig = open_video ("events=damaged post-messages=false", GRAY);

  push_frame (&rig, WHITE, 0);
  push_missing (&rig, "cut", 1, 7);
  ck_assert_int_eq (gst_element_set_state (rig.element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  check_damage (&rig, 1, 8, 1, 0, 7, "cut", "stop");
  check_bus_empty (rig.bus);
  check_damage_stats (&rig, 1, 0, 7);
  close_rig (&rig);

  rig = open_video ("events=damaged post-messages=false", GRAY);
  push_frame (&rig, WHITE, 0);
  push_missing (&rig, "cut", 1, 7);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_start ()));
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_stop (TRUE)));
  push_eos (&rig);
  check_bus_empty (rig.bus);
  check_damage_stats (&rig, 0, 0, 0);
  close_rig (&rig);
}

/* Upstream reports any number. A sum that is too large becomes the largest number. */
TEST (test_damage_without_end)
{
  g_auto (Rig) rig = open_video ("events=damaged window=stream", GRAY);

  for (guint frame = 0; frame < 3; frame++) {
    GstStructure *structure = gst_structure_new ("cudahisto-damage", "missing", G_TYPE_UINT64, G_MAXUINT64, NULL);

    ck_assert (gst_harness_push_event (rig.harness, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, structure)));
    if (frame < 2)
      push_damaged (&rig, frame); /* one event */
    else
      push_frame (&rig, WHITE, 3); /* extends it */
  }
  check_damage (&rig, 0, 3, 0, 2, G_MAXUINT64, "flagged", "complete");
  push_missing (&rig, "gap", 4, 1);
  push_frame (&rig, WHITE, 5);
  push_eos (&rig);
  check_damage (&rig, 4, 5, 3, 0, 1, "gap", "complete");
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "missing"), G_MAXUINT64);
  check_damage_stats (&rig, 2, 2, G_MAXUINT64);
}

static void
push_segment_of_frames (Rig *rig, gint from, gint base)
{
  push_segment (rig, 1, time_of (from), NONE, time_of (from), time_of (base));
}

/* Damage belongs to the stream in which it was reported, and not to later ones. */
TEST (test_damage_of_streams)
{
  g_auto (Rig) rig = open_video ("events=damaged post-messages=false", GRAY);

  push_frame (&rig, WHITE, 0);
  push_missing (&rig, "cut", 1, 5);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another")));
  check_damage (&rig, 1, 6, 1, 0, 5, "cut", "stream-start");
  push_segment_of_frames (&rig, 2500, 1);
  push_frame (&rig, WHITE, 2500);
  push_missing (&rig, "cut", 2501, 4);
  push_segment_of_frames (&rig, 5000, 2);
  check_damage (&rig, 2501, 2505, 2, 0, 4, "cut", "segment");
  push_frame (&rig, WHITE, 5000);
  push_missing (&rig, "gap", 5001, 1);
  push_segment_of_frames (&rig, 5002, 4); /* continues the last one */
  push_frame (&rig, WHITE, 5002);
  push_missing (&rig, "cut", 5003, 2);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_segment_done (GST_FORMAT_TIME, (gint64)time_of (5003))));
  check_damage (&rig, 5001, 5002, 3, 0, 1, "gap", "complete");
  check_damage (&rig, 5003, 5005, 4, 0, 2, "cut", "segment-done");
  push_eos (&rig);
  check_bus_empty (rig.bus);
  check_damage_stats (&rig, 4, 0, 12);
}

/* Bytes have no frames: a warning says that there are no events, and none are reported. */
TEST (test_damage_of_bytes)
{
  guint8 data[SAMPLES] = { 0 };
  g_auto (Rig) rig = open_bytes ("events=damaged post-messages=false", NULL);

  push_bytes (&rig, data, sizeof data);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "they need raw video");
  push_missing (&rig, "cut", 1, 5);
  push_eos (&rig);
  check_bus_empty (rig.bus);
  check_damage_stats (&rig, 0, 0, 0);
}

TEST (test_values)
{
  GstStructure *event;
  guint8 data[SAMPLES];
  gdouble value;
  g_auto (Rig) rig = open_video ("name=detector events=black+freeze black-ratio=0.5 black-level=0.5 freeze-noise=0.25 " AT_ONCE
                                 " post-messages=false",
                                 GRAY);

  memset (data, 125, 8); /* up to 16 + 109 is black */
  memset (data + 8, 126, 8);
  push_timed (&rig, data, sizeof data, 0, FRAME_TIME);
  event = pop_event (&rig);
  ck_assert (gst_structure_get_double (event, "value", &value) && value == 0.5);
  ck_assert (gst_structure_get_double (event, "threshold", &value) && value == 0.5);
  ck_assert_str_eq (gst_structure_get_string (event, "element"), "detector");
  gst_structure_free (event);
  push_frame (&rig, 94, 1); /* 31.5 away, slightly less than an eighth of the range */
  event = pop_event (&rig);
  ck_assert_str_eq (gst_structure_get_string (event, "event"), "freeze");
  ck_assert (gst_structure_get_double (event, "value", &value) && value == 31.5 / 256);
  ck_assert (gst_structure_get_double (event, "threshold", &value) && value == 0.25);
  gst_structure_free (event);
}

/* A slow change: no frame differs from the one before, but one differs from the first. Other comparisons with the previous
 * frame do not change that. */
TEST (test_freeze_reference)
{
  static const gchar *const lines[] = { "",
                                        "statistics=difference",
                                        "statistics=difference dot=previous when-busy=skip",
                                        "statistics=signalstats window=stream",
                                        "events=freeze+scene-change+black",
                                        "statistics=difference regions=0,0,2,2;2,2,2,2" };

  for (guint l = 0; l < G_N_ELEMENTS (lines); l++) {
    g_autofree gchar *line
        = g_strdup_printf ("events=freeze freeze-noise=0.012 freeze-min-duration=0 %s", lines[l]); /* 3.07 of 256 */
    const gboolean has_stream = strstr (lines[l], "stream") != NULL, has_difference = strstr (lines[l], "statistics") != NULL;
    guint results = 0, next = 0;
    GstMessage *message;
    gdouble difference;

    g_auto (Rig) rig = open_video (line, GRAY);
    for (guint i = 0; i < 9; i++)
      push_frame (&rig, (guint8)(100 + i), i);
    push_eos (&rig);
    while ((message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)) != NULL) {
      static const struct {
        guint start;
        gint end;
        guint frames;
      } wanted[] = { { 0, -1, 2 }, { 0, 4, 4 }, { 4, -1, 2 }, { 4, 8, 4 } };
      const GstStructure *structure = gst_message_get_structure (message);

      ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
      if (gst_structure_has_name (structure, "cudahisto-event")) {
        ck_assert_uint_lt (next, G_N_ELEMENTS (wanted));
        ck_assert_uint_eq (get_field_u64 (structure, "start"), time_of ((gint)wanted[next].start));
        ck_assert_uint_eq (get_field_u64 (structure, "end"), time_of (wanted[next].end));
        ck_assert_uint_eq (get_field_u64 (structure, "frames"), wanted[next].frames);
        next++;
      } else {
        ck_assert_int_eq (gst_structure_get_double (structure, "GRAY-difference", &difference),
                          has_difference && (has_stream || results > 0));
        ck_assert (!has_difference || results == 0 || difference == 1);
        ck_assert_int_eq (gst_structure_has_field (structure, "GRAY-dot"), strstr (lines[l], "dot") != NULL && results > 0);
        ck_assert_uint_eq (get_field_u64 (structure, "GRAY-count"), (has_stream ? 9 : 1) * SAMPLES);
        results++;
      }
      gst_message_unref (message);
    }
    ck_assert_uint_eq (next, 4);
    ck_assert_uint_eq (results, has_stream ? 1 : 9);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 9);
    ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 9 * SAMPLES);
  }
}

/* The pictures of a buffer are one frame. */
TEST (test_views)
{
  static const guint8 views[][2] = { { BLACK, WHITE }, { BLACK, BLACK }, { BLACK, BLACK + 2 }, { BLACK, BLACK + 4 } };

  g_auto (Rig) rig
      = open_rig ("events=black+freeze freeze-noise=0.004 statistics=difference post-messages=false " AT_ONCE); /* 1.02 */
  start_video (&rig, GRAY ",multiview-mode=separated,views=2");
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    GstBuffer *buffer = make_frame (views[i][0], i), *other = make_frame (views[i][1], i);

    gst_buffer_append_memory (buffer, gst_buffer_get_memory (other, 0));
    gst_buffer_unref (other);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  }
  push_eos (&rig);
  check_event (&rig, "black", 1, -1, 1, NULL);
  check_event (&rig, "freeze", 0, 1, 1, "complete");
  check_event (&rig, "freeze", 1, -1, 2, NULL);
  check_event (&rig, "freeze", 1, 3, 2, "complete");
  check_event (&rig, "black", 1, 3, 3, "eos");
  check_bus_empty (rig.bus);
}

/* EBU R103: Y of 5 to 246, and the R, G and B that follow. One of 100 pixels may be outside. */
TEST (test_clipped)
{
  static const struct {
    guint8 y, u, v;
    guint pixels; /* pixels outside; the others are grey */
    gboolean is_clipped;
  } frames[]
      = { { 246, 128, 128, 100, FALSE }, { 247, 128, 128, 1, FALSE }, { 247, 128, 128, 2, TRUE }, { 4, 128, 128, 2, TRUE },
          { 5, 128, 128, 100, FALSE },   { 128, 128, 240, 2, TRUE },  { 128, 128, 200, 2, FALSE } };
  gint start = -1;
  g_auto (Rig) rig
      = open_video ("events=clipped", "video/x-raw,format=Y444,width=10,height=10,framerate=25/1,colorimetry=bt709");

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    guint8 data[360]; /* rows are 12 bytes apart */
    GstBuffer *buffer;
    GstVideoInfo info;

    gst_video_info_set_format (&info, GST_VIDEO_FORMAT_Y444, 10, 10);
    memset (data, 128, sizeof data);
    for (guint p = 0; p < frames[i].pixels; p++) {
      const guint at = p / 10 * (guint)info.stride[0] + p % 10;

      data[info.offset[0] + at] = frames[i].y;
      data[info.offset[1] + at] = frames[i].u;
      data[info.offset[2] + at] = frames[i].v;
    }
    buffer = make_buffer (data, MIN (sizeof data, info.size), time_of ((gint)i), FRAME_TIME);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    if (frames[i].is_clipped && start < 0) {
      start = (gint)i;
      check_event (&rig, "clipped", start, -1, 1, NULL);
    } else if (!frames[i].is_clipped && start >= 0) {
      check_event (&rig, "clipped", start, (gint)i, i - (guint)start, "complete");
      start = -1;
    }
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_str_eq (gst_structure_get_name (result), "cudahisto");
    ck_assert (!gst_structure_has_field (result, "out-of-gamut"));
  }
  push_eos (&rig);
  check_bus_empty (rig.bus);
}

/* ---- ends ------------------------------------------------------------------------------------------------------------ */

static void
push_caps (Rig *rig, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_caps (caps)));
}

/* Three black frames. The freeze is known at the second. */
static void
push_black (Rig *rig, guint frame)
{
  for (guint i = 0; i < 3; i++)
    push_frame (rig, BLACK, frame + i);
  check_event (rig, "black", (gint)frame, -1, 1, NULL);
  check_event (rig, "freeze", (gint)frame, -1, 2, NULL);
}

static void
check_both_end (Rig *rig, guint frame, const gchar *ended_by)
{
  check_event (rig, "black", (gint)frame, (gint)frame + 2, 3, ended_by);
  check_event (rig, "freeze", (gint)frame, (gint)frame + 2, 3, ended_by);
  check_bus_empty (rig->bus);
}

TEST (test_ended_by)
{
  GstBuffer *cropped;
  guint8 data[32];
  Rig rig = open_video ("events=black+freeze post-messages=false window=stream " AT_ONCE, GRAY);

  push_black (&rig, 0);
  push_caps (&rig, "video/x-raw,format=GRAY8,width=4,height=4,framerate=30/1,colorimetry=2:4:0:1");
  check_both_end (&rig, 0, "caps");

  push_black (&rig, 3);
  cropped = make_frame (BLACK, 6);
  crop_buffer (cropped, 0, 0, 2, 2);
  ck_assert_int_eq (gst_harness_push (rig.harness, cropped), GST_FLOW_OK);
  check_event (&rig, "black", 3, 5, 3, "crop");
  check_event (&rig, "freeze", 3, 5, 3, "crop");
  check_event (&rig, "black", 6, -1, 1, NULL);
  push_segment (&rig, 1, 0, NONE, GST_SECOND, 0);
  check_event (&rig, "black", 6, 6, 1, "segment");
  push_segment (&rig, 1, 0, NONE, 0, 0);
  push_caps (&rig, GRAY);
  check_bus_empty (rig.bus);

  push_black (&rig, 7);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_segment_done (GST_FORMAT_TIME, GST_SECOND)));
  check_both_end (&rig, 7, "segment-done");
  push_black (&rig, 10);
  push_flush (&rig, GST_FORMAT_TIME);
  check_bus_empty (rig.bus); /* the sender of a flush may hold locks */
  for (guint i = 0; i < 3; i++)
    push_frame (&rig, BLACK, 13 + i);
  check_event (&rig, "black", 10, 12, 3, "flush");
  check_event (&rig, "freeze", 10, 12, 3, "flush");
  check_event (&rig, "black", 13, -1, 1, NULL);
  check_event (&rig, "freeze", 13, -1, 2, NULL);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("another")));
  check_both_end (&rig, 13, "stream-start");
  push_caps (&rig, GRAY);
  push_segment (&rig, 1, 0, NONE, 0, 0);
  push_black (&rig, 16);
  push_eos (&rig);
  check_both_end (&rig, 16, "eos");
  push_flush (&rig, GST_FORMAT_TIME);
  push_black (&rig, 19);
  gst_element_set_state (rig.element, GST_STATE_READY);
  check_both_end (&rig, 19, "stop");
  close_rig (&rig);

  /* No frame follows the flush. */
  rig = open_video ("events=black+freeze post-messages=false " AT_ONCE, GRAY);
  push_black (&rig, 0);
  push_flush (&rig, GST_FORMAT_TIME);
  push_eos (&rig);
  check_both_end (&rig, 0, "flush");
  close_rig (&rig);

  /* Another start has no open event. */
  rig = open_video ("events=black+freeze post-messages=false " AT_ONCE, GRAY);
  push_black (&rig, 0);
  gst_element_set_state (rig.element, GST_STATE_READY);
  check_both_end (&rig, 0, "stop");
  gst_element_set_state (rig.element, GST_STATE_PLAYING);
  start_video (&rig, "video/x-raw,format=GRAY8,width=4,height=8,framerate=25/1,colorimetry=2:4:0:1");
  memset (data, BLACK, sizeof data);
  push_timed (&rig, data, sizeof data, 0, FRAME_TIME);
  check_event (&rig, "black", 0, -1, 1, NULL);
  check_bus_empty (rig.bus);
  close_rig (&rig);
}

/* Missing or skipped frames: black continues, and comparisons with another frame restart. */
TEST (test_gaps)
{
  enum { DISCONT, SKIP, DRAIN, N_GAPS };

  for (guint gap = 0; gap < N_GAPS; gap++) {
    GstBuffer *buffer;
    guint frame = 3;
    g_auto (Rig) rig = open_video ("events=black+freeze+scene-change post-messages=false " AT_ONCE, GRAY);

    push_black (&rig, 0);
    if (gap == SKIP) {
      guint8 data[3] = { 0 };

      push_timed (&rig, data, sizeof data, frame++ * FRAME_TIME, FRAME_TIME);
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, NULL);
    } else if (gap == DRAIN) {
      g_autoptr (GstQuery) query = gst_query_new_drain ();

      gst_pad_peer_query (rig.harness->srcpad, query);
    }
    buffer = make_frame (BLACK, frame);
    if (gap == DISCONT)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    check_event (&rig, "freeze", 0, 2, 3, "gap");
    push_frame (&rig, WHITE, frame + 1);
    check_event (&rig, "black", 0, (gint)frame + 1, 4, "complete");
    /* Long enough alone. */
    check_event (&rig, "freeze", (gint)frame, (gint)frame + 1, 1, "complete");
    check_event (&rig, "scene-change", (gint)frame + 1, (gint)frame + 1, 1, "complete");
    push_eos (&rig);
    check_bus_empty (rig.bus);
  }
}

/* ---- carriers -------------------------------------------------------------------------------------------------------- */

/* An event's line comes before that of the window of its frame. Each is one line, and counted as one. */
TEST (test_sidecar)
{
  static const struct {
    const gchar *window;
    /* R: a result; b, B: black begins, ends; f, F: a freeze. A frame that is a whole event has only F. */
    const gchar *lines;
  } cases[] = { { "buffer", "rbFrfrBFrFr" }, { "stream", "bFfBFFr" } };
  static const guint8 values[] = { WHITE, BLACK, BLACK, WHITE - 20, 90 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gchar *path = make_path ("lines.jsonl");
    g_autofree gchar *properties = NULL, *text = NULL;
    g_autoptr (JsonParser) parser = json_parser_new ();
    g_autoptr (GString) found = g_string_new (NULL);

    properties = g_strdup_printf ("events=black+freeze window=%s freeze-min-duration=40000000 black-min-duration=0 "
                                  "sidecar-location=%s sidecar-arrays=none input-name=film.mkv",
                                  cases[i].window, path);
    g_auto (Rig) rig = open_video (properties, GRAY);
    for (guint f = 0; f < G_N_ELEMENTS (values); f++)
      push_frame (&rig, values[f], f);
    push_eos (&rig);
    ck_assert (g_file_get_contents (path, &text, NULL, NULL));
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    for (guint n = 0; lines[n][0] != '\0'; n++) {
      JsonObject *line;
      gchar kind = 'r';

      ck_assert (json_parser_load_from_data (parser, lines[n], -1, NULL));
      line = json_node_get_object (json_parser_get_root (parser));
      ck_assert_int_eq (json_object_get_int_member (line, "cudahisto"), 1);
      ck_assert_str_eq (json_object_get_string_member (line, "input"), "film.mkv");
      if (json_object_has_member (line, "event")) {
        kind = json_object_get_string_member (line, "event")[0];
        if (!json_object_get_null_member (line, "end"))
          kind = g_ascii_toupper (kind);
        else
          ck_assert (!json_object_has_member (line, "ended-by"));
      }
      g_string_append_c (found, kind);
    }
    ck_assert_str_eq (found->str, cases[i].lines);
    ck_assert_uint_eq (get_stat (rig.element, "sidecar-lines"), found->len);
  }
}

/* An event arrives at the time of its first frame, though it is known frames later: in its message and in its line. */
TEST (test_utc_time)
{
  static const guint8 values[] = { WHITE, BLACK, BLACK, BLACK, WHITE, WHITE, WHITE };
  static const gchar *const modes[] = { "", "add-meta=true", "when-busy=skip", "window=stream" };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++) {
    const gchar *path = make_path ("lines.jsonl");
    g_autofree gchar *properties = NULL, *text = NULL;
    gchar *dates[G_N_ELEMENTS (values)] = { NULL };
    GDateTime *pushed[G_N_ELEMENTS (values)];
    g_autoptr (GPtrArray) events = g_ptr_array_new_with_free_func ((GDestroyNotify)gst_structure_free);
    GstMessage *message;

    properties
        = g_strdup_printf ("%s events=black+freeze+scene-change black-min-duration=80000000 freeze-min-duration=80000000 "
                           "sidecar-arrays=none sidecar-location=%s",
                           modes[m], path);
    g_auto (Rig) rig = open_video (properties, GRAY);
    for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
      pushed[i] = g_date_time_new_now_utc ();
      push_frame (&rig, values[i], i);
      g_usleep (2000);
    }
    push_eos (&rig);
    while ((message = gst_bus_pop (rig.bus)) != NULL) {
      const GstStructure *structure = gst_message_get_structure (message);

      if (gst_message_has_name (message, "cudahisto"))
        dates[get_field_u64 (structure, "frame")] = g_strdup (gst_structure_get_string (structure, "utc-time"));
      else if (gst_message_has_name (message, "cudahisto-event"))
        g_ptr_array_add (events, gst_structure_copy (structure));
      gst_message_unref (message);
    }
    ck_assert (g_file_get_contents (path, &text, NULL, NULL));
    ck_assert_uint_eq (events->len, 8); /* black and two freezes begin and end, and two cuts */
    for (guint e = 0; e < events->len; e++) {
      const GstStructure *event = events->pdata[e];
      const guint64 frame = get_field_u64 (event, "frame");
      const gchar *date = gst_structure_get_string (event, "utc-time");
      g_autoptr (GDateTime) time = date != NULL ? g_date_time_new_from_iso8601 (date, NULL) : NULL;
      g_autofree gchar *member = g_strdup_printf ("\"frame\":%" G_GUINT64_FORMAT ",", frame);
      g_autofree gchar *name = g_strdup_printf ("{\"cudahisto\":1,\"event\":\"%s\"", gst_structure_get_string (event, "event"));
      g_autofree gchar *written = g_strdup_printf ("\"utc-time\":\"%s\"", date);
      g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
      guint seen = 0;

      ck_assert (time != NULL);
      ck_assert_int_ge (g_date_time_compare (time, pushed[frame]), 0);
      ck_assert (frame + 1 == G_N_ELEMENTS (values) || g_date_time_compare (time, pushed[frame + 1]) < 0);
      ck_assert (dates[frame] != NULL || (g_str_equal (modes[m], "window=stream") && frame > 0));
      ck_assert (dates[frame] == NULL || g_str_equal (dates[frame], date));
      for (guint n = 0; lines[n] != NULL; n++)
        if (g_str_has_prefix (lines[n], name) && strstr (lines[n], member) != NULL) {
          ck_assert_msg (strstr (lines[n], written) != NULL, "%s: %s", lines[n], written);
          seen++;
        }
      ck_assert_uint_ge (seen, 1);
    }
    for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
      g_date_time_unref (pushed[i]);
      g_free (dates[i]);
    }
  }
}

/* No frame has two messages of one kind, in any order of events. The thresholds make every event frequent. */
TEST (test_one_a_frame)
{
  static const gchar *const kinds[] = { "black", "freeze", "scene-change" };
  guint counts[G_N_ELEMENTS (kinds)] = { 0 };

  /* With add-meta the messages of a frame are there when the push returns. */
  g_auto (Rig) rig
      = open_video ("events=black+freeze+scene-change add-meta=true post-messages=false black-min-duration=40000000 "
                    "freeze-min-duration=0 freeze-noise=0.02 scene-change-threshold=2",
                    GRAY);
  for (guint i = 0; i < 2000; i++) {
    guint seen[G_N_ELEMENTS (kinds)] = { 0 };
    GstMessage *message;

    push_frame (&rig, (guint8)(draw_random (3) == 0 ? draw_random (256) : 36 + draw_random (4)), i);
    while ((message = gst_bus_pop (rig.bus)) != NULL) {
      for (guint k = 0; GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT && k < G_N_ELEMENTS (kinds); k++)
        if (g_str_equal (gst_structure_get_string (gst_message_get_structure (message), "event"), kinds[k])) {
          seen[k]++;
          counts[k]++;
        }
      gst_message_unref (message);
    }
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      ck_assert_uint_le (seen[k], 1);
  }
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    ck_assert_uint_gt (counts[k], 100);
}

/* ---- neighbours ------------------------------------------------------------------------------------------------------ */

TEST (test_warns)
{
  static const struct {
    const gchar *line, *caps;
    gboolean warns;
  } cases[] = { { "events=black+freeze", "video/x-raw,format=RGB,width=4,height=4,framerate=25/1", FALSE },
                { "events=black+clipped", GRAY, TRUE },
                { "events=freeze+scene-change+clipped", "video/x-raw,format=RGB,width=4,height=4,framerate=25/1", FALSE },
                { "events=black+freeze+scene-change", GRAY, FALSE },
                { "events=scene-change", NULL, TRUE },
                { "events=scene-change window=buffer", NULL, TRUE } };
  guint8 data[48] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Rig) rig = open_rig (cases[i].line);

    if (cases[i].caps != NULL)
      start_video (&rig, cases[i].caps);
    else
      start_bytes (&rig, NULL);
    for (guint f = 0; f < 3; f++)
      push_timed (&rig, data, sizeof data, f * FRAME_TIME, FRAME_TIME);
    if (cases[i].warns)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "Cannot detect all events");
    push_eos (&rig);
    drop_results (rig.bus); /* and no other warning */
  }
}

/* After a change to R, G and B their luma may be black. */
TEST (test_change_to_rgb)
{
  guint8 data[48] = { 0 };
  g_auto (Rig) rig = open_video ("events=black post-messages=false black-min-duration=0", GRAY);

  push_frame (&rig, WHITE, 0);
  push_caps (&rig, "video/x-raw,format=RGB,width=4,height=4,framerate=25/1");
  push_timed (&rig, data, sizeof data, FRAME_TIME, FRAME_TIME);
  push_eos (&rig);
  check_event (&rig, "black", 1, -1, 1, NULL);
  check_event (&rig, "black", 1, 1, 1, "eos");
  check_bus_empty (rig.bus);
}

static GstBusSyncReply
stop_at_event (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  gboolean *is_told = data;

  if (!*is_told && gst_message_has_name (message, "cudahisto-event")) {
    *is_told = TRUE;
    gst_element_set_state (GST_ELEMENT (GST_MESSAGE_SRC (message)), GST_STATE_READY);
    gst_element_set_state (GST_ELEMENT (GST_MESSAGE_SRC (message)), GST_STATE_PLAYING);
  }
  return GST_BUS_PASS;
}

/* A handler of an event's message may stop and restart the element in the middle of the frame. Other findings of the frame
 * belong to the old stream. */
TEST (test_stop_at_event)
{
  static const gchar *const lines[] = { "add-meta=true", "when-busy=skip" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree gchar *line = g_strdup_printf ("events=black+freeze+scene-change post-messages=false " AT_ONCE " %s", lines[i]);
    gboolean is_told = FALSE;
    g_auto (Rig) rig = open_rig (line);

    gst_bus_set_sync_handler (rig.bus, stop_at_event, &is_told, NULL);
    start_video (&rig, GRAY);
    gst_harness_push (rig.harness, make_frame (BLACK, 0)); /* which may find the element stopped */
    /* The handler's own stop also reports the black frame, within its message. */
    check_event (&rig, "black", 0, 0, 1, "stop");
    check_event (&rig, "black", 0, -1, 1, NULL);
    check_bus_empty (rig.bus);
    gst_bus_set_sync_handler (rig.bus, NULL, NULL, NULL);
  }
}

/* An event of four frames whose times go back: as at a negative rate, wrongly at a positive one, also if later times exceed the
 * first. Or two share a rounded time; or times stand still, and may catch up. A warning, at the next frame or at the end, says
 * if the end of an event is unknown. */
TEST (test_time_goes_back)
{
  static const struct {
    gdouble rate;
    guint frames[5];
    GstClockTime end, duration;
  } cases[] = {
    { 1, { 6, 5, 4, 3, 2 }, NONE, NONE },
    { 1, { 3, 4, 2, 5, 6 }, NONE, NONE },
    { -1, { 6, 5, 4, 3, 2 }, 2 * FRAME_TIME, 4 * FRAME_TIME },
    { -1, { 6, 5, 7, 4, 3 }, NONE, NONE },
    { 1, { 3, 3, 4, 6, 7 }, 7 * FRAME_TIME, 4 * FRAME_TIME },
    { 1, { 3, 3, 3, 3, 3 }, NONE, NONE },
    { 1, { 3, 4, 4, 4, 6 }, NONE, NONE },
    { 1, { 3, 4, 4, 4, 7 }, 7 * FRAME_TIME, 4 * FRAME_TIME },
    { 1, { 3, 6, 6, 6, 7 }, 7 * FRAME_TIME, 4 * FRAME_TIME },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (GstStructure) event = NULL;
    guint n_warnings = 0;
    g_auto (Rig) rig = open_video ("post-messages=false events=black black-min-duration=160000000", GRAY);

    push_segment (&rig, cases[c].rate, 0, GST_SECOND, 0, 0);
    for (guint i = 0; i < 5; i++)
      push_frame (&rig, i < 4 ? BLACK : WHITE, cases[c].frames[i]);
    push_eos (&rig);
    for (guint n = cases[c].end == NONE ? 2 : 1; n > 0; n--) {
      g_autoptr (GstMessage) message = pop_message (rig.bus);

      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
        n_warnings++;
      else
        event = gst_structure_copy (gst_message_get_structure (message));
    }
    ck_assert_uint_eq (n_warnings, cases[c].end == NONE);
    ck_assert_uint_eq (get_field_u64 (event, "start"), time_of ((gint)cases[c].frames[0]));
    ck_assert_uint_eq (get_field_u64 (event, "end"), cases[c].end);
    ck_assert_uint_eq (get_field_u64 (event, "end-running-time"),
                       cases[c].end == NONE || cases[c].rate > 0 ? cases[c].end : GST_SECOND - cases[c].end);
    ck_assert_uint_eq (get_field_u64 (event, "duration"), cases[c].duration);
    ck_assert_str_eq (gst_structure_get_string (event, "ended-by"), "complete");
    check_bus_empty (rig.bus);
  }
}

/* Three frames share a time, as with a clock of that step: times give the length. */
TEST (test_coarse_time)
{
  static const guint frames[] = { 0, 0, 0, 3, 3 };
  g_auto (Rig) rig = open_video ("post-messages=false events=black black-min-duration=0", GRAY);

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    push_frame (&rig, i < 4 ? BLACK : WHITE, frames[i]);
  push_eos (&rig);
  check_event (&rig, "black", 0, -1, 1, NULL);
  check_event (&rig, "black", 0, 3, 4, "complete");
  check_bus_empty (rig.bus);
}

/* Times go back, and then are missing: the warning has no time. */
TEST (test_time_goes_missing)
{
  static const guint frames[] = { 3, 4, 2 };
  guint8 data[SAMPLES];
  g_auto (Rig) rig = open_video ("post-messages=false events=black black-min-duration=160000000", GRAY);

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    push_frame (&rig, BLACK, frames[i]);
  for (guint i = 0; i < 2; i++) {
    memset (data, i == 0 ? BLACK : WHITE, sizeof data);
    push_timed (&rig, data, sizeof data, NONE, FRAME_TIME);
  }
  gst_structure_free (pop_event (&rig));
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "stand still or go back. The duration");
}

RIG_MAIN (NULL)
