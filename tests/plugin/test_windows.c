/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows: the part of the stream that a result covers, early ends, and the times of reports. */

#include "pictures.h"
#include "rig.h"

#include <string.h>

#define GRAY_4X4 "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1"
#define FRAME_TIME (GST_SECOND / 25)

static void
push_flags (Rig *rig, gconstpointer data, gsize size, GstClockTime pts, GstBufferFlags flags)
{
  GstBuffer *buffer = make_buffer (data, size, pts, FRAME_TIME);

  GST_BUFFER_FLAG_SET (buffer, flags);
  ck_assert_int_eq (gst_harness_push (rig->harness, buffer), GST_FLOW_OK);
}

static void
check_next_bytes (Rig *rig, const guint8 *data, gsize size, guint64 frame, guint64 frames, guint64 offset)
{
  g_autoptr (GstStructure) result = pop_result (rig->bus);

  check_bytes (result, data, size, frame, frames, offset);
}

/* The next result is of video: `frames` frames from `frame` on, and these samples. */
static void
check_next_frames (Rig *rig, const guint8 *data, gsize size, guint64 frame, guint64 frames)
{
  g_autoptr (GstStructure) result = pop_result (rig->bus);
  Tally tally = { 0 };

  tally_bytes (&tally, data, size);
  ck_assert_uint_eq (get_field_u64 (result, "frame"), frame);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), frames);
  check_component (result, "GRAY", &tally, BINS_ARRAY);
}

/* ---- the clock ------------------------------------------------------------------------------------------------------ */

/* Frames without times: the clock ends the interval. */
TEST (test_interval_by_the_clock)
{
  static const guint8 data[16] = { 1 };
  g_auto (Rig) rig = open_video ("interval=60000000", "video/x-raw,format=GRAY8,width=4,height=4,framerate=0/1");

  for (guint i = 0; i < 10; i++) {
    push_bytes (&rig, data, sizeof data);
    g_usleep (25000);
  }
  ck_assert_uint_ge (get_stat (rig.element, "results") + get_stat (rig.element, "frames-pending"), 2);
  ck_assert_uint_lt (get_stat (rig.element, "frames-pending"), 10);
  push_eos (&rig);
  ck_assert_uint_lt (get_stat (rig.element, "results"), 10);
  drop_results (rig.bus);
}

/* ---- the modes ------------------------------------------------------------------------------------------------------ */

TEST (test_buffer_window)
{
  static const gsize sizes[] = { 1, 7, 4096, 100000, 3 };
  g_autofree guint8 *data = g_malloc (104107);
  gsize at = 0;

  fill_random (data, 104107);
  g_auto (Rig) rig = open_bytes ("window=buffer", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    push_bytes (&rig, data + at, sizes[i]);
    /* It is reported without a later buffer. */
    check_next_bytes (&rig, data + at, sizes[i], i, 1, at);
    at += sizes[i];
  }
  push_eos (&rig);
  check_bus_empty (rig.bus);
}

TEST (test_stream_window_of_video)
{
  guint8 data[5 * 16];
  Tally tally = { 0 };

  fill_random (data, sizeof data);
  tally_bytes (&tally, data, sizeof data);
  g_auto (Rig) rig = open_video ("window=stream", GRAY_4X4);
  for (guint i = 0; i < 5; i++)
    push_timed (&rig, data + 16 * i, 16, i * FRAME_TIME, FRAME_TIME);
  push_eos (&rig);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "frame"), 0);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), 5);
  check_component (result, "GRAY", &tally, BINS_ARRAY);
  check_times (result, 0, 0, 0, 5 * FRAME_TIME);
  check_bus_empty (rig.bus);
}

/* Buffers, and the windows that cover their bytes, up to the first of size 0. */
TEST (test_windows_of_bytes)
{
  static const struct {
    const gchar *properties;
    guint buffers[11];
    struct {
      guint size, frame, frames;
    } windows[6];
  } cases[] = {
    { "", { 100, 100, 100 }, { { 300, 0, 3 } } },
    { "window=auto", { 100, 100, 100 }, { { 300, 0, 3 } } },
    { "window=stream", { 100, 100, 100 }, { { 300, 0, 3 } } },
    /* The last one is the remainder. */
    { "window=bytes window-size=300", { 1000 }, { { 300, 0, 1 }, { 300, 0, 1 }, { 300, 0, 1 }, { 100, 0, 1 } } },
    /* The first and the last buffer of a window are shared with its neighbours. */
    { "window=bytes window-size=24", { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 }, { { 24, 0, 4 }, { 24, 3, 4 }, { 22, 6, 4 } } },
    /* No remainder, and no window without bytes. */
    { "window=bytes window-size=20", { 10, 10, 10, 10 }, { { 20, 0, 2 }, { 20, 2, 2 } } },
    { "window=bytes window-size=1", { 2, 3 }, { { 1, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } } },
    { "window=bytes window-size=18446744073709551615", { 3 }, { { 3, 0, 1 } } },
  };
  guint8 data[1000];

  fill_random (data, sizeof data);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint pushed = 0, covered = 0;
    g_auto (Rig) rig = open_bytes (cases[i].properties, NULL);

    for (const guint *size = cases[i].buffers; *size > 0; pushed += *size++)
      push_bytes (&rig, data + pushed, *size);
    push_eos (&rig);
    for (guint w = 0; cases[i].windows[w].size > 0; covered += cases[i].windows[w++].size)
      check_next_bytes (&rig, data + covered, cases[i].windows[w].size, cases[i].windows[w].frame, cases[i].windows[w].frames,
                        covered);
    check_bus_empty (rig.bus);
  }
}

/* Buffers of every size, some of several memories, some larger than a gathering block, compared with counts of the same part of
 * one array. */
TEST (test_random_bytes)
{
  static const gchar *const lines[] = { "window=buffer", "window=stream", "window=bytes window-size=5000",
                                        "window=bytes window-size=100001", "window=bytes window-size=700000" };
  static const gsize largest[] = { 10, 5000, 40000, 1200000 };
  enum { SIZE = 3000000, MOST = 3000 };
  g_autofree guint8 *data = g_malloc (SIZE);

  fill_random (data, SIZE);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    gsize ends[MOST];
    guint n_buffers = 0;
    gsize at = 0;
    guint64 expected = 0;
    guint windows = 0;
    GstMessage *message;
    g_auto (Rig) rig = open_bytes (lines[i], NULL);

    while (n_buffers < 200 && at < SIZE) {
      gsize drawn = 1 + draw_random (largest[draw_random (4)]);
      gsize size = MIN (drawn, SIZE - at);
      gsize cut = draw_random (3) == 0 ? draw_random (size) : 0;
      GstBuffer *buffer = make_buffer (data + at, size - cut, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);

      if (cut > 0)
        buffer
            = gst_buffer_append (buffer, make_buffer (data + at + size - cut, cut, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));
      ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
      at += size;
      ends[n_buffers++] = at;
    }
    push_eos (&rig);
    while ((message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT)) != NULL) {
      const GstStructure *result = gst_message_get_structure (message);
      guint64 size = get_field_u64 (result, "size");
      guint first = 0;
      guint last;

      while (ends[first] <= expected)
        first++;
      last = first;
      while (ends[last] < expected + size)
        last++;
      check_bytes (result, data + expected, size, first, last - first + 1, expected);
      if (i == 0)
        ck_assert_uint_eq (expected + size, ends[windows]);
      else if (i >= 2 && expected + size < at)
        ck_assert_uint_eq (size, i == 2 ? 5000 : i == 3 ? 100001 : 700000);
      expected += size;
      windows++;
      gst_message_unref (message);
    }
    ck_assert_uint_eq (expected, at);
    if (i == 1)
      ck_assert_uint_eq (windows, 1);
    ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), at);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), n_buffers);
  }
}

/* ---- interval ------------------------------------------------------------------------------------------------------- */

/* 40 ms a frame: 100 ms have passed after three. */
TEST (test_interval)
{
  guint8 data[10 * 16];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_video ("interval=100000000", GRAY_4X4);
  for (guint i = 0; i < 10; i++)
    push_timed (&rig, data + 16 * i, 16, i * FRAME_TIME, FRAME_TIME);
  check_next_frames (&rig, data, 48, 0, 3);
  check_next_frames (&rig, data + 48, 48, 3, 3);
  check_next_frames (&rig, data + 96, 48, 6, 3);
  push_eos (&rig);
  /* All frames are counted. */
  check_next_frames (&rig, data + 144, 16, 9, 1);
  check_bus_empty (rig.bus);
}

TEST (test_interval_changes)
{
  guint8 data[9 * 16];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_video ("interval=18446744073709551614", GRAY_4X4);
  for (guint i = 0; i < 9; i++) {
    if (i == 4)
      g_object_set (rig.element, "interval", (guint64)80 * GST_MSECOND, NULL);
    if (i == 7)
      g_object_set (rig.element, "interval", (guint64)0, NULL);
    push_timed (&rig, data + 16 * i, 16, i * FRAME_TIME, FRAME_TIME);
  }
  push_eos (&rig);
  check_next_frames (&rig, data, 80, 0, 5);
  check_next_frames (&rig, data + 80, 32, 5, 2);
  check_next_frames (&rig, data + 112, 16, 7, 1);
  check_next_frames (&rig, data + 128, 16, 8, 1);
  check_bus_empty (rig.bus);
}

TEST (test_interval_without_times)
{
  static const gchar *const lines[] = { "interval=3000000000", "interval=3000000000 window=buffer" };
  guint8 data[100 * 16];

  fill_random (data, sizeof data);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_auto (Rig) rig = open_rig (lines[i]);

    if (i == 0)
      start_video (&rig, GRAY_4X4);
    else
      start_bytes (&rig, NULL);
    for (guint j = 0; j < 100; j++)
      push_bytes (&rig, data + 16 * j, 16);
    push_eos (&rig);
    g_autoptr (GstStructure) result = pop_result (rig.bus); /* unless the machine stalls for seconds */
    ck_assert_uint_eq (get_field_u64 (result, "frames"), 100);
    check_bus_empty (rig.bus);
  }
}

/* A stream with times is reported by time: encoded video, for example, without an end. */
TEST (test_interval_divides_timed_bytes)
{
  static const struct {
    const gchar *line;
    guint results;
  } cases[] = { { "interval=1000000000", 5 }, { "", 1 }, { "interval=1000000000 window=stream", 1 } };
  guint8 data[5 * 25 * 16];

  fill_random (data, sizeof data);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const guint frames = 125 / cases[i].results;
    g_auto (Rig) rig = open_rig (cases[i].line);

    if (strstr (cases[i].line, "window=stream") != NULL)
      check_error (rig.bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "interval");
    start_video (&rig, "image/jpeg,framerate=25/1");
    for (guint j = 0; j < 125; j++)
      push_timed (&rig, data + 16 * j, 16, j * FRAME_TIME, FRAME_TIME);
    push_eos (&rig);
    for (guint j = 0; j < cases[i].results; j++) {
      g_autoptr (GstStructure) result = pop_result (rig.bus);

      check_bytes (result, data + 16 * frames * j, 16 * frames, frames * j, frames, 16 * frames * j);
      ck_assert_str_eq (gst_structure_get_string (result, "ended-by"), cases[i].results > 1 ? "complete" : "eos");
    }
    check_bus_empty (rig.bus);
  }
}

/* Running times without a common divisor: no window is shorter than the interval, and all together are the stream. */
TEST (test_interval_of_bytes)
{
  guint8 data[20 * 10];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_bytes ("interval=100000000 window=bytes window-size=10",
                                 "audio/x-raw,format=U8,rate=1000,channels=1,layout=interleaved");
  push_segment (&rig, 1, 0, GST_CLOCK_TIME_NONE, 0, 0);
  for (guint i = 0; i < 20; i++)
    push_timed (&rig, data + 10 * i, 10, i * 30 * GST_MSECOND, 30 * GST_MSECOND);
  push_eos (&rig);
  for (guint i = 0; i < 5; i++)
    check_next_bytes (&rig, data + 40 * i, 40, 4 * i, 4, 40 * i);
  check_bus_empty (rig.bus);
}

/* ---- what ends a window early --------------------------------------------------------------------------------------- */

typedef struct {
  GstBus *bus;
  guint before_eos; /* results on the bus when EOS came out of the element; G_MAXUINT: it did not */
} EosProbe;

static GstPadProbeReturn
count_at_eos (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  EosProbe *probe = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    probe->before_eos = drop_results (probe->bus);
  return GST_PAD_PROBE_OK;
}

static void
add_eos_probe (Rig *rig, EosProbe *probe)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (rig->element, "src");

  *probe = (EosProbe){ rig->bus, G_MAXUINT };
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, count_at_eos, probe, NULL);
}

/* At EOS downstream all results are already on the bus. */
TEST (test_results_before_eos)
{
  g_autofree guint8 *data = g_malloc0 (640 * 480);
  EosProbe probe;
  Rig rig = open_rig ("");

  add_eos_probe (&rig, &probe);
  start_video (&rig, "video/x-raw,format=GRAY8,width=640,height=480,framerate=25/1");
  for (guint i = 0; i < 20; i++)
    push_timed (&rig, data, 640 * 480, i * FRAME_TIME, FRAME_TIME);
  push_eos (&rig);
  ck_assert_uint_eq (probe.before_eos, 20);
  check_bus_empty (rig.bus);
  close_rig (&rig);

  rig = open_rig ("window=stream");
  add_eos_probe (&rig, &probe);
  start_bytes (&rig, NULL);
  push_bytes (&rig, data, 640 * 480);
  push_eos (&rig);
  ck_assert_uint_eq (probe.before_eos, 1);
  close_rig (&rig);
}

TEST (test_eos_without_buffers)
{
  static const gchar *const lines[] = { "", "window=buffer", "window=bytes window-size=5" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    EosProbe probe;
    g_auto (Rig) rig = open_rig (lines[i]);

    add_eos_probe (&rig, &probe);
    start_bytes (&rig, NULL);
    push_eos (&rig);
    ck_assert_uint_eq (probe.before_eos, 0);
    check_bus_empty (rig.bus);
  }
}

/* Everything that was not reported is discarded. Buffer indices continue, the position in the stream does not. */
TEST (test_flush)
{
  guint8 data[60];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_bytes ("window=bytes window-size=20", NULL);
  push_bytes (&rig, data, 15);
  push_bytes (&rig, data + 15, 15);
  push_flush (&rig, GST_FORMAT_BYTES);
  push_bytes (&rig, data + 30, 20);
  push_bytes (&rig, data + 50, 10);
  push_eos (&rig);
  check_next_bytes (&rig, data, 20, 0, 2, 0);
  check_next_bytes (&rig, data + 30, 20, 2, 1, 0);
  check_next_bytes (&rig, data + 50, 10, 3, 1, 20);
  check_bus_empty (rig.bus);
}

TEST (test_flush_of_video)
{
  guint8 data[4 * 16];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_video ("window=stream", GRAY_4X4);
  push_timed (&rig, data, 16, 0, FRAME_TIME);
  push_timed (&rig, data + 16, 16, FRAME_TIME, FRAME_TIME);
  push_flush (&rig, GST_FORMAT_TIME);
  push_timed (&rig, data + 32, 16, 0, FRAME_TIME);
  push_timed (&rig, data + 48, 16, FRAME_TIME, FRAME_TIME);
  push_eos (&rig);
  check_next_frames (&rig, data + 32, 32, 2, 2);
  check_bus_empty (rig.bus);
}

/* After EOS a flush opens the stream again. */
TEST (test_flush_after_eos)
{
  guint8 data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  g_auto (Rig) rig = open_bytes ("", NULL);

  push_bytes (&rig, data, 4);
  push_eos (&rig);
  check_next_bytes (&rig, data, 4, 0, 1, 0);
  push_flush (&rig, GST_FORMAT_BYTES);
  push_bytes (&rig, data + 4, 4);
  push_eos (&rig);
  check_next_bytes (&rig, data + 4, 4, 1, 1, 0);
  check_bus_empty (rig.bus);
}

/* DISCONT ends no window. */
TEST (test_discont)
{
  guint8 data[5 * 16];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_video ("window=stream", GRAY_4X4);
  push_flags (&rig, data, 16, 0, GST_BUFFER_FLAG_DISCONT);
  push_timed (&rig, data + 16, 16, FRAME_TIME, FRAME_TIME);
  push_flags (&rig, data + 32, 16, GST_SECOND, GST_BUFFER_FLAG_DISCONT);
  push_flags (&rig, data + 48, 16, GST_SECOND + FRAME_TIME, GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC);
  push_timed (&rig, data + 64, 16, GST_SECOND + 2 * FRAME_TIME, FRAME_TIME);
  push_eos (&rig);
  check_next_frames (&rig, data, 80, 0, 5);
  check_bus_empty (rig.bus);
}

TEST (test_discont_in_bytes)
{
  guint8 data[45];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_bytes ("window=bytes window-size=20", NULL);
  push_flags (&rig, data, 15, GST_CLOCK_TIME_NONE, GST_BUFFER_FLAG_DISCONT);
  push_flags (&rig, data + 15, 30, GST_CLOCK_TIME_NONE, GST_BUFFER_FLAG_DISCONT);
  push_eos (&rig);
  check_next_bytes (&rig, data, 20, 0, 2, 0);
  check_next_bytes (&rig, data + 20, 20, 1, 1, 20);
  check_next_bytes (&rig, data + 40, 5, 1, 1, 40);
  check_bus_empty (rig.bus);
}

TEST (test_stream_start)
{
  guint8 data[30];
  GstSegment segment;

  fill_random (data, sizeof data);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  g_auto (Rig) rig = open_bytes ("", NULL);
  push_bytes (&rig, data, 10);
  push_bytes (&rig, data + 10, 10);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("the next one")));
  check_next_bytes (&rig, data, 20, 0, 2, 0);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_segment (&segment)));
  push_bytes (&rig, data + 20, 10);
  push_eos (&rig);
  check_next_bytes (&rig, data + 20, 10, 2, 1, 0);
  check_bus_empty (rig.bus);
}

/* Segments that continue a timeline interrupt neither a window nor the difference from the previous frame. */
TEST (test_segments_that_continue)
{
  const GstClockTime none = GST_CLOCK_TIME_NONE, start = 30 * GST_MSECOND;
  const struct {
    gdouble rate;
    GstClockTime begins[2], ends[2], times[2], bases[2], timestamps[2];
    gboolean continues;
  } cases[] = {
    { 1, { start, 0 }, { none, none }, { 0, 0 }, { 0, 0 }, { start, start + FRAME_TIME }, TRUE }, /* matroskademux */
    { 1, { GST_SECOND, 0 }, { none, none }, { 0, 0 }, { 0, 0 }, { GST_SECOND, GST_SECOND + FRAME_TIME }, FALSE },
    { 1, { 0, start }, { none, none }, { 0, 0 }, { 0, 0 }, { start, start + FRAME_TIME }, FALSE }, /* time goes back */
    /* A loop, and a jump back of less than a frame. */
    { 1, { 0, 0 }, { FRAME_TIME, none }, { 0, 0 }, { 0, FRAME_TIME }, { 0, 0 }, FALSE },
    { 1, { 0, start }, { none, none }, { 0, start }, { 0, FRAME_TIME }, { 0, start }, FALSE },
    /* Too large to be subtracted. */
    { 1, { G_MAXINT64, 0 }, { none, none }, { G_MAXINT64, G_MAXINT64 }, { 0, G_MAXINT64 }, { 0, 0 }, FALSE },
    /* Edits of a list. */
    { 1, { 0, GST_SECOND }, { FRAME_TIME, none }, { 0, FRAME_TIME }, { 0, FRAME_TIME }, { 0, GST_SECOND }, TRUE },
    { 1, { 0, GST_SECOND }, { FRAME_TIME, none }, { 0, 0 }, { 0, FRAME_TIME }, { 0, GST_SECOND }, FALSE },
    { 1, { 0, GST_SECOND }, { FRAME_TIME, none }, { 0, FRAME_TIME }, { 0, 0 }, { 0, GST_SECOND }, FALSE },
    { 2, { 0, GST_SECOND }, { FRAME_TIME, none }, { 0, FRAME_TIME }, { 0, FRAME_TIME / 2 }, { 0, GST_SECOND }, TRUE },
    { -1, { 0, 0 }, { 2 * FRAME_TIME, FRAME_TIME }, { 0, 0 }, { 0, FRAME_TIME }, { FRAME_TIME, 0 }, TRUE },
    { -1, { 0, 0 }, { 2 * FRAME_TIME, FRAME_TIME }, { 0, 0 }, { 0, GST_SECOND }, { FRAME_TIME, 0 }, FALSE },
  };
  guint8 data[2][16] = { { 1 }, { 2 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstStructure *result;
    g_auto (Rig) rig = open_video (
        "window=stream statistics=basic+difference events=black black-min-duration=0 post-messages=true", GRAY_4X4);

    for (guint j = 0; j < 2; j++) {
      push_segment (&rig, cases[i].rate, cases[i].begins[j], cases[i].ends[j], cases[i].times[j], cases[i].bases[j]);
      push_timed (&rig, data[j], sizeof data[j], cases[i].timestamps[j], FRAME_TIME);
    }
    push_eos (&rig);
    result = pop_result (rig.bus);
    while (gst_structure_has_name (result, "cudahisto-event")) {
      ck_assert (gst_structure_get_string (result, "ended-by") == NULL || !cases[i].continues
                 || strcmp (gst_structure_get_string (result, "ended-by"), "eos") == 0);
      gst_structure_free (result);
      result = pop_result (rig.bus);
    }
    ck_assert_msg (get_field_u64 (result, "frames") == (cases[i].continues ? 2 : 1), "of segment %u", i);
    ck_assert_msg (gst_structure_has_field (result, "GRAY-difference") == cases[i].continues, "of segment %u", i);
    gst_structure_free (result);
    drop_results (rig.bus);
  }
}

/* A window's times are those of one timeline. A segment that only reaches farther, or begins later on the same line, continues
 * it. */
TEST (test_segments)
{
  const GstClockTime none = GST_CLOCK_TIME_NONE;
  const struct {
    gdouble rate;
    GstClockTime start, stop, time, base;
    gboolean ends;
  } cases[] = {
    { 1, 0, 50 * GST_SECOND, 0, 0, FALSE },
    { 1, 0, none, 0, 0, FALSE },
    { 1, GST_SECOND, none, GST_SECOND, GST_SECOND, FALSE }, /* as after a seek without a flush to where it was */
    { 1, 0, none, 0, GST_SECOND, TRUE },
    { 1, 0, none, 5 * GST_SECOND, GST_SECOND, TRUE },
    { 2, 0, none, 5 * GST_SECOND, GST_SECOND, TRUE },
    { -1, 0, 50 * GST_SECOND, 5 * GST_SECOND, GST_SECOND, TRUE },
    { -1, 0, 50 * GST_SECOND, 5 * GST_SECOND, GST_SECOND, FALSE },
    { 1, 0, none, 0, 0, TRUE },
  };
  guint8 data[16] = { 0 };
  guint64 first = 0, frame = 1;
  GstStructure *result;
  g_auto (Rig) rig = open_video ("window=stream", GRAY_4X4);

  push_timed (&rig, data, sizeof data, 2 * GST_SECOND, FRAME_TIME);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    push_segment (&rig, cases[i].rate, cases[i].start, cases[i].stop, cases[i].time, cases[i].base);
    if (cases[i].ends) {
      result = pop_result (rig.bus);
      ck_assert_uint_eq (get_field_u64 (result, "frame"), first);
      ck_assert_uint_eq (get_field_u64 (result, "frames"), frame - first);
      gst_structure_free (result);
      first = frame;
    }
    push_timed (&rig, data, sizeof data, 3 * GST_SECOND, FRAME_TIME);
    frame++;
  }
  /* The end of a segment that is played again and again. */
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_segment_done (GST_FORMAT_TIME, 3 * GST_SECOND)));
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), frame);
  result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "frame"), first);
  gst_structure_free (result);
  check_bus_empty (rig.bus);
  push_timed (&rig, data, sizeof data, 3 * GST_SECOND, FRAME_TIME);
  push_eos (&rig);
  result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "frame"), frame);
  gst_structure_free (result);
  check_bus_empty (rig.bus);
}

/* Size, format, video or not: each window is of one kind. */
TEST (test_caps_change)
{
  guint8 data[200];
  GstStructure *result;
  Tally tally = { 0 };
  g_autoptr (GstCaps) caps = NULL;
  guint width;

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_video ("window=stream", GRAY_4X4);
  push_timed (&rig, data, 16, 0, FRAME_TIME);
  push_timed (&rig, data + 16, 16, FRAME_TIME, FRAME_TIME);

  start_video (&rig, "video/x-raw,format=GRAY8,width=8,height=2,framerate=25/1");
  result = pop_result (rig.bus);
  ck_assert (gst_structure_get_uint (result, "width", &width) && width == 4);
  tally_bytes (&tally, data, 32);
  check_component (result, "GRAY", &tally, BINS_ARRAY);
  gst_structure_free (result);
  push_timed (&rig, data + 32, 16, 2 * FRAME_TIME, FRAME_TIME);

  start_video (&rig, "video/x-raw,format=RGBA,width=3,height=2,framerate=25/1");
  result = pop_result (rig.bus);
  ck_assert (gst_structure_get_uint (result, "width", &width) && width == 8);
  ck_assert_uint_eq (get_field_u64 (result, "frame"), 2);
  tally = (Tally){ 0 };
  tally_bytes (&tally, data + 32, 16);
  check_component (result, "GRAY", &tally, BINS_ARRAY);
  gst_structure_free (result);
  push_timed (&rig, data + 48, 24, 3 * FRAME_TIME, FRAME_TIME);

  caps = gst_caps_from_string ("application/octet-stream");
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_caps (caps)));
  result = pop_result (rig.bus);
  ck_assert_str_eq (gst_structure_get_string (result, "format"), "RGBA");
  tally = (Tally){ 0 };
  for (guint i = 0; i < 6; i++)
    tally_sample (&tally, data[48 + 4 * i + 3]);
  check_component (result, "A", &tally, BINS_ARRAY);
  gst_structure_free (result);
  push_timed (&rig, data + 72, 100, 4 * FRAME_TIME, FRAME_TIME);

  start_video (&rig, GRAY_4X4);
  result = pop_result (rig.bus);
  check_bytes (result, data + 72, 100, 4, 1, get_field_u64 (result, "offset"));
  gst_structure_free (result);
  push_timed (&rig, data + 172, 16, 5 * FRAME_TIME, FRAME_TIME);
  push_eos (&rig);
  check_next_frames (&rig, data + 172, 16, 5, 1);
  check_bus_empty (rig.bus);
}

static void
push_caps (Rig *rig, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  ck_assert (gst_harness_push_event (rig->harness, gst_event_new_caps (caps)));
}

/* The next result is of the frame `frame` alone, and ended so. */
static void
check_ended_by (Rig *rig, guint64 frame, const gchar *ended_by)
{
  g_autoptr (GstStructure) result = pop_result (rig->bus);

  ck_assert_uint_eq (get_field_u64 (result, "frame"), frame);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), 1);
  ck_assert_str_eq (gst_structure_get_string (result, "ended-by"), ended_by);
}

/* Each result says why its window ended. */
TEST (test_ended_by)
{
  guint8 data[64] = { 0 };
  GstBuffer *cropped = make_buffer (data, 32, 0, FRAME_TIME);
  Rig rig;

  crop_buffer (cropped, 0, 0, 4, 3);
  rig = open_video ("window=stream", GRAY_4X4);
  push_timed (&rig, data, 16, 0, FRAME_TIME);
  push_caps (&rig, "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1");
  check_ended_by (&rig, 0, "caps");
  push_timed (&rig, data, 32, 0, FRAME_TIME);
  ck_assert_int_eq (gst_harness_push (rig.harness, cropped), GST_FLOW_OK);
  check_ended_by (&rig, 1, "crop");
  push_segment (&rig, 1, 0, GST_CLOCK_TIME_NONE, 0, GST_SECOND);
  check_ended_by (&rig, 2, "segment");
  push_timed (&rig, data, 32, 0, FRAME_TIME);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_segment_done (GST_FORMAT_TIME, GST_SECOND)));
  check_ended_by (&rig, 3, "segment-done");
  push_timed (&rig, data, 32, 0, FRAME_TIME);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_stream_start ("the next one")));
  check_ended_by (&rig, 4, "stream-start");
  push_segment (&rig, 1, 0, GST_CLOCK_TIME_NONE, 0, GST_SECOND);
  push_timed (&rig, data, 32, 0, FRAME_TIME);
  push_eos (&rig);
  check_ended_by (&rig, 5, "eos");
  check_bus_empty (rig.bus);
  close_rig (&rig);

  /* A complete window is reported as complete, even if the end follows at once. */
  rig = open_bytes ("window=bytes window-size=10", NULL);
  push_bytes (&rig, data, 10);
  push_bytes (&rig, data, 5);
  push_eos (&rig);
  check_ended_by (&rig, 0, "complete");
  check_ended_by (&rig, 1, "eos");
  check_bus_empty (rig.bus);
  close_rig (&rig);
}

/* Stopped without EOS: closed windows are reported, and the open one, with the stop as its end. */
TEST (test_stop)
{
  guint8 data[50];

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_bytes ("window=bytes window-size=20", NULL);
  push_bytes (&rig, data, 50);
  gst_element_set_state (rig.element, GST_STATE_READY);
  check_next_bytes (&rig, data, 20, 0, 1, 0);
  check_next_bytes (&rig, data + 20, 20, 0, 1, 20);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  check_bytes (result, data + 40, 10, 0, 1, 40);
  ck_assert_str_eq (gst_structure_get_string (result, "ended-by"), "stop");
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 1);
  ck_assert_uint_eq (get_stat (rig.element, "frames-pending"), 0);
}

/* ---- gaps ----------------------------------------------------------------------------------------------------------- */

TEST (test_gaps)
{
  guint8 data[3 * 16];
  GstEvent *event;
  gboolean seen = FALSE;

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_video ("window=stream", GRAY_4X4);
  push_timed (&rig, data, 16, 0, FRAME_TIME);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_gap (FRAME_TIME, FRAME_TIME)));
  /* Samples in a gap's buffer are counted as usual. */
  push_flags (&rig, data + 16, 16, 2 * FRAME_TIME, GST_BUFFER_FLAG_GAP);
  push_timed (&rig, data + 32, 16, 3 * FRAME_TIME, FRAME_TIME);
  push_eos (&rig);
  check_next_frames (&rig, data, 48, 0, 3);
  check_bus_empty (rig.bus);
  while ((event = gst_harness_try_pull_event (rig.harness)) != NULL) {
    seen = seen || GST_EVENT_TYPE (event) == GST_EVENT_GAP;
    gst_event_unref (event);
  }
  ck_assert_msg (seen, "the gap event did not pass");
  ck_assert_uint_eq (gst_harness_buffers_received (rig.harness), 3);
}

/* ---- bad input ------------------------------------------------------------------------------------------------------ */

TEST (test_zero_length)
{
  static const guint8 data[] = { 3, 4 };
  GstBuffer *buffer;
  g_auto (Rig) rig = open_bytes ("window=buffer", NULL);

  push_bytes (&rig, "", 0);
  check_next_bytes (&rig, data, 0, 0, 1, 0);
  push_bytes (&rig, data, 2);
  check_next_bytes (&rig, data, 2, 1, 1, 0);
  /* No memory at all. */
  buffer = gst_buffer_new ();
  ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  check_next_bytes (&rig, data, 0, 2, 1, 2);
  push_eos (&rig);
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (gst_harness_buffers_received (rig.harness), 3);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 3);
}

TEST (test_zero_length_in_a_stream)
{
  static const gchar *const lines[] = { "", "window=bytes window-size=4" };
  static const guint8 data[] = { 3, 4 };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    Rig rig = open_bytes (lines[i], NULL);

    push_bytes (&rig, "", 0);
    push_eos (&rig);
    check_next_bytes (&rig, data, 0, 0, 1, 0);
    check_bus_empty (rig.bus);
    close_rig (&rig);

    rig = open_bytes (lines[i], NULL);
    push_bytes (&rig, "", 0);
    push_bytes (&rig, data, 2);
    push_bytes (&rig, "", 0);
    push_eos (&rig);
    check_next_bytes (&rig, data, 2, 0, 3, 0);
    check_bus_empty (rig.bus);
    close_rig (&rig);
  }
}

TEST (test_one_byte)
{
  static const guint8 data[] = { 200 };
  static const gchar *const lines[] = { "", "window=buffer", "window=bytes window-size=1", "window=bytes window-size=2" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_auto (Rig) rig = open_bytes (lines[i], NULL);

    push_bytes (&rig, data, 1);
    push_eos (&rig);
    check_next_bytes (&rig, data, 1, 0, 1, 0);
    check_bus_empty (rig.bus);
  }
}

/* A sequence of unreadable frames causes one warning with both sizes; the frames pass. */
TEST (test_short_frames)
{
  static const gsize sizes[] = { 16, 15, 3, 0, 16, 12, 16 };
  guint8 data[7 * 16];
  guint good = 0;

  fill_random (data, sizeof data);
  g_auto (Rig) rig = open_video ("", GRAY_4X4);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    push_timed (&rig, data + 16 * i, sizes[i], i * FRAME_TIME, FRAME_TIME);
    if (sizes[i] == 16) {
      check_next_frames (&rig, data + 16 * i, 16, i, 1);
      good++;
    } else if (sizes[i] == 15) {
      g_autoptr (GstMessage) message = pop_message (rig.bus);
      g_autoptr (GError) error = NULL;

      ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
      gst_message_parse_warning (message, &error, NULL);
      ck_assert (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
      ck_assert_msg (strstr (error->message, "15") != NULL && strstr (error->message, "16") != NULL, "%s", error->message);
    }
  }
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "\n3 buffers were not counted");
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (gst_harness_buffers_received (rig.harness), G_N_ELEMENTS (sizes));
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), good);
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), G_N_ELEMENTS (sizes) - good);
  ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), 16 * good);
}

/* A window skips an unreadable buffer of bytes, which is being written to. */
TEST (test_unreadable_bytes)
{
  static const gchar *const lines[] = { "window=stream", "window=bytes window-size=1000" };
  guint8 data[32];

  fill_random (data, sizeof data);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GstMemory) memory = gst_allocator_alloc (NULL, 16, NULL);
    GstBuffer *buffer = gst_buffer_new ();
    Tally tally = { 0 };

    tally_bytes (&tally, data, sizeof data);
    gst_buffer_append_memory (buffer, gst_memory_ref (memory));
    ck_assert (gst_memory_lock (memory, GST_LOCK_FLAG_WRITE));
    g_auto (Rig) rig = open_bytes (lines[i], NULL);
    push_bytes (&rig, data, 16);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    push_bytes (&rig, data + 16, 16);
    check_error (rig.bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "cannot read a buffer of 16 bytes");
    push_eos (&rig);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert_uint_eq (get_field_u64 (result, "frames"), 2);
    check_component (result, "byte", &tally, BINS_ARRAY);
    check_bus_empty (rig.bus);
    ck_assert_uint_eq (gst_harness_buffers_received (rig.harness), 3);
    ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 2);
    ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 1);
    close_rig (&rig);
    gst_memory_unlock (memory, GST_LOCK_FLAG_WRITE);
  }
}

/* A meta may also describe more than the buffer has. */
TEST (test_meta_beyond_the_buffer)
{
  static const gint strides[] = { 5, 1000, -4, 0 };
  guint8 data[16] = { 0 };
  g_auto (Rig) rig = open_video ("", GRAY_4X4);

  for (guint i = 0; i < G_N_ELEMENTS (strides); i++) {
    GstBuffer *buffer = make_buffer (data, sizeof data, i * FRAME_TIME, FRAME_TIME);
    gsize offset[4] = { 0 };
    gint stride[4] = { strides[i] };

    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 4, 4, 1, offset, stride);
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  }
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "1 buffer was not counted");
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "\n3 buffers were not counted");
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), G_N_ELEMENTS (strides));
}

/* Times that are missing, go back or stand still: every frame is counted once, and no time is the result of an underflow. */
TEST (test_odd_times)
{
  static const gchar *const lines[] = { "", "interval=100000000", "window=stream" };
  static const GstClockTime times[]
      = { 5 * GST_SECOND,      1 * GST_SECOND,          GST_CLOCK_TIME_NONE, 7 * GST_SECOND, 7 * GST_SECOND, 0,
          GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE - 1, 2 * GST_SECOND };
  guint8 data[16] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    guint64 frames = 0;
    GstMessage *message;
    g_auto (Rig) rig = open_video (lines[i], GRAY_4X4);

    for (guint j = 0; j < G_N_ELEMENTS (times); j++)
      push_timed (&rig, data, sizeof data, times[j], j % 2 ? FRAME_TIME : GST_CLOCK_TIME_NONE);
    push_eos (&rig);
    while ((message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) != NULL) {
      const GstStructure *result = gst_message_get_structure (message);
      GstClockTime duration;

      ck_assert_int_eq (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
      ck_assert_uint_eq (get_field_u64 (result, "frame"), frames);
      frames += get_field_u64 (result, "frames");
      duration = get_field_u64 (result, "duration");
      ck_assert_msg (duration == GST_CLOCK_TIME_NONE || duration <= 10 * GST_SECOND, "duration %" G_GUINT64_FORMAT, duration);
      gst_message_unref (message);
    }
    ck_assert_uint_eq (frames, G_N_ELEMENTS (times));
  }
}

/* ---- positions ------------------------------------------------------------------------------------------------------ */

TEST (test_offsets)
{
  guint8 data[10] = { 1 };
  Rig rig;

  /* In a byte stream, buffers have offsets. */
  rig = open_bytes ("window=buffer", NULL);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = make_buffer (data, 10, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);

    if (i < 2)
      GST_BUFFER_OFFSET (buffer) = 1000 + 500 * i;
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
  }
  check_next_bytes (&rig, data, 10, 0, 1, 1000);
  check_next_bytes (&rig, data, 10, 1, 1, 1500);
  /* A buffer without an offset follows the one before. */
  check_next_bytes (&rig, data, 10, 2, 1, 1510);
  close_rig (&rig);

  /* In a stream of time, a buffer's offset is a number of samples or frames, and no position in bytes. */
  rig = open_bytes ("window=buffer", "audio/x-raw,format=U8,rate=1000,channels=1,layout=interleaved");
  push_segment (&rig, 1, 0, GST_CLOCK_TIME_NONE, 0, 0);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = make_buffer (data, 10, i * GST_SECOND, GST_SECOND);

    GST_BUFFER_OFFSET (buffer) = 1000;
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    check_next_bytes (&rig, data, 10, i, 1, 10 * i);
  }
  close_rig (&rig);
}

/* ---- back-pressure -------------------------------------------------------------------------------------------------- */

TEST (test_stats_while_playing)
{
  g_autofree guint8 *data = g_malloc (6 * 5 * 4096);
  guint next = 0;

  fill_random (data, 6 * 5 * 4096);
  g_auto (Rig) rig = open_video ("", "video/x-raw,format=GRAY8,width=64,height=64,framerate=25/1");
  for (guint i = 0; i < 6; i++) {
    for (guint j = 0; j < 5; j++) {
      guint64 counted = get_stat (rig.element, "frames-reported");

      push_timed (&rig, data + 4096 * (5 * i + j), 4096, i * GST_SECOND, FRAME_TIME);
      /* Read while playing: never decreasing, and never ahead of the input. */
      ck_assert_uint_ge (get_stat (rig.element, "frames-reported"), counted);
      ck_assert_uint_le (get_stat (rig.element, "frames-reported"), 5 * i + j + 1);
    }
  }
  push_eos (&rig);
  for (; next < 30; next++)
    check_next_frames (&rig, data + 4096 * next, 4096, next, 1);
  check_bus_empty (rig.bus);
}

/* A buffer is released when it is counted, not at the end of the stream. */
TEST (test_buffers_are_released)
{
  static const gchar *const lines[] = { "window=stream", "window=buffer", "add-meta=true" };
  g_autofree guint8 *data = g_malloc0 (65536);

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GstBuffer *buffer = make_buffer (data, 65536, 0, FRAME_TIME);
    g_autoptr (GstMemory) memory = gst_buffer_get_memory (buffer, 0);
    g_auto (Rig) rig = open_rig (lines[i]);

    gst_harness_set_drop_buffers (rig.harness, TRUE);
    start_video (&rig, "video/x-raw,format=GRAY8,width=256,height=256,framerate=25/1");
    ck_assert_int_eq (gst_harness_push (rig.harness, buffer), GST_FLOW_OK);
    for (guint patience = 0; patience < 2000 && GST_MINI_OBJECT_REFCOUNT_VALUE (memory) > 1; patience++)
      g_usleep (5000);
    ck_assert_int_eq (GST_MINI_OBJECT_REFCOUNT_VALUE (memory), 1);
  }
}

RIG_MAIN (NULL)
