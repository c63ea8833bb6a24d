/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows: ends by time, and times. test_windows.c has the frames and bytes that each covers. */

#include "cases.h"
#include "count/window.h"

#define NONE GST_CLOCK_TIME_NONE

/* Video at that frame rate, from time 0. Running time is an hour ahead of the timestamp, stream time two hours. */
static GstCudaHistoPosition
make_frame_position (guint64 frame, guint fps)
{
  GstClockTime timestamp = gst_util_uint64_scale (frame, GST_SECOND, fps);

  return (GstCudaHistoPosition){
    .frame = frame,
    .timestamp = timestamp,
    .stream_time = timestamp + 7200 * GST_SECOND,
    .running_time = timestamp + 3600 * GST_SECOND,
    .duration = GST_SECOND / fps,
    .running_duration = GST_SECOND / fps,
  };
}

static GstCudaHistoPosition
make_bytes_position (guint64 buffer, guint64 offset)
{
  return (GstCudaHistoPosition){
    .frame = buffer,
    .offset = offset,
    .timestamp = NONE,
    .stream_time = NONE,
    .running_time = NONE,
    .duration = NONE,
    .running_duration = NONE,
  };
}

static GstCudaHistoWindow window; /* under test */
static GstCudaHistoSpan span;     /* of the window that was closed last */

static gboolean
add_frame (GstCudaHistoPosition position)
{
  return gst_cuda_histo_window_add (&window, &position, 0, TRUE, TRUE);
}

static void
close_window (void)
{
  fail_unless (gst_cuda_histo_window_close (&window, GST_CUDA_HISTO_ENDED_BY_SEGMENT, &span));
  fail_unless_equals_int (span.ended_by, GST_CUDA_HISTO_ENDED_BY_SEGMENT);
}

/* Closes the window, which covers this. */
static void
check_closed (guint64 frame, guint64 frames, guint64 offset, guint64 size)
{
  close_window ();
  fail_unless_equals_uint64 (span.frame, frame);
  fail_unless_equals_uint64 (span.frames, frames);
  fail_unless_equals_uint64 (span.offset, offset);
  fail_unless_equals_uint64 (span.size, size);
}

TEST (test_early_end_starts_a_whole_window)
{
  const GstCudaHistoPosition position = make_bytes_position (0, 0);

  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BYTES, 10, 0);
  fail_if (gst_cuda_histo_window_add (&window, &position, 7, TRUE, TRUE));
  check_closed (0, 1, 0, 7);
  fail_unless_equals_uint64 (gst_cuda_histo_window_take (&window, 20), 10);
}

TEST (test_nothing_open)
{
  span = (GstCudaHistoSpan){ .frame = 12, .size = 34 };
  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_STREAM, 0, 0);
  fail_if (gst_cuda_histo_window_close (&window, GST_CUDA_HISTO_ENDED_BY_EOS, &span));
  fail_unless_equals_uint64 (span.frame, 12);
  fail_unless_equals_uint64 (span.size, 34);
  add_frame (make_frame_position (0, 25));
  close_window ();
  span.frame = 12;
  fail_if (gst_cuda_histo_window_close (&window, GST_CUDA_HISTO_ENDED_BY_EOS, &span));
  fail_unless_equals_uint64 (span.frame, 12);
}

/* Number of frames in each of the first windows; ends with 0. */
static void
check_thinning (guint fps, GstClockTime interval, const guint *expected)
{
  guint64 frame = 0, start = 0;

  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BUFFER, 0, interval);
  for (; *expected != 0; expected++) {
    while (!add_frame (make_frame_position (frame++, fps)))
      fail_unless (frame < 1000);
    check_closed (start, *expected, 0, 0);
    fail_unless (span.duration >= interval - 1);
    start = frame;
  }
}

TEST (test_interval_thins_video)
{
  check_thinning (25, GST_SECOND, (const guint[]){ 25, 25, 25, 0 });
  check_thinning (25, 1, (const guint[]){ 1, 1, 1, 0 });
  check_thinning (25, 40 * GST_MSECOND, (const guint[]){ 1, 1, 1, 0 });
  check_thinning (25, 41 * GST_MSECOND, (const guint[]){ 2, 2, 2, 0 });
  /* 1/30 s is not a whole number of ns. A window still has thirty frames a second, not thirty-one. */
  check_thinning (30, GST_SECOND, (const guint[]){ 30, 30, 30, 30, 0 });
  check_thinning (60, GST_SECOND, (const guint[]){ 60, 60, 60, 60, 0 });
}

TEST (test_interval_without_durations)
{
  guint frames = 0;

  /* The last frame's end is unknown, so its start has to be a second after the window's: frame 25. */
  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BUFFER, 0, GST_SECOND);
  for (gboolean is_end = FALSE; !is_end; frames++) {
    GstCudaHistoPosition position = make_frame_position (frames, 25);

    position.duration = position.running_duration = NONE;
    is_end = add_frame (position);
  }
  fail_unless_equals_int (frames, 26);
  close_window ();
  fail_unless_equals_clocktime (span.duration, NONE);
}

TEST (test_interval_without_times)
{
  GstCudaHistoPosition position;

  /* The clock gives the window's length. */
  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BUFFER, 0, 10 * GST_SECOND);
  for (guint64 i = 0; i < 30; i++) {
    position = make_bytes_position (i, 0);
    position.arrival = 77 * GST_SECOND + i * GST_SECOND;
    fail_unless_equals_int (add_frame (position), i % 11 == 10);
    if (i % 11 != 10)
      continue;
    check_closed (i - 10, 11, 0, 0);
    fail_unless_equals_clocktime (span.timestamp, NONE);
    fail_unless_equals_clocktime (span.duration, NONE);
  }

  /* The same if times begin in the middle of a window. */
  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BYTES, 10, 10 * GST_SECOND);
  position = make_bytes_position (0, 0);
  fail_if (gst_cuda_histo_window_add (&window, &position, 4, TRUE, TRUE));
  position = make_frame_position (1, 25);
  fail_if (gst_cuda_histo_window_add (&window, &position, 6, TRUE, TRUE));
  position.arrival = 10 * GST_SECOND;
  fail_unless (gst_cuda_histo_window_add (&window, &position, 10, TRUE, TRUE));
  check_closed (0, 3, 0, 20);
  fail_unless_equals_clocktime (span.duration, NONE);

  /* Nor if they stop there. */
  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BUFFER, 0, 10 * GST_SECOND);
  fail_if (add_frame (make_frame_position (0, 25)));
  fail_if (add_frame (make_bytes_position (1, 0)));
  check_closed (0, 2, 0, 0);
  fail_unless_equals_clocktime (span.timestamp, 0);
  fail_unless_equals_clocktime (span.duration, NONE);
}

TEST (test_time_jumps_back)
{
  GstCudaHistoPosition position = make_frame_position (0, 25);

  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BUFFER, 0, GST_SECOND);
  fail_if (add_frame (make_frame_position (250, 25)));
  fail_if (add_frame (make_frame_position (251, 25)));
  fail_if (add_frame (make_frame_position (250, 25))); /* not before the window's start */
  /* From here on the clock decides, from the window's start. */
  position.arrival = GST_SECOND - 2;
  fail_if (add_frame (position));
  position.arrival = GST_SECOND - 1;
  fail_unless (add_frame (position));
  check_closed (250, 5, 0, 0);
  fail_unless_equals_clocktime (span.timestamp, 10 * GST_SECOND);
  fail_unless_equals_clocktime (span.duration, NONE);

  fail_if (add_frame (make_frame_position (1, 25)));
  close_window ();
  fail_unless_equals_clocktime (span.timestamp, 40 * GST_MSECOND);
  fail_unless_equals_clocktime (span.duration, 40 * GST_MSECOND);
}

/* Then the end of the last frame does not give the window's length, wherever it is. */
TEST (test_duration_after_a_jump_back)
{
  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_STREAM, 0, 0);
  for (guint64 i = 0; i < 50; i++)
    add_frame (make_frame_position (100 + (i < 25 ? i : i - 25), 25));
  check_closed (100, 50, 0, 0);
  fail_unless_equals_clocktime (span.timestamp, 4 * GST_SECOND);
  fail_unless_equals_clocktime (span.duration, NONE);

  add_frame (make_frame_position (0, 25));
  add_frame (make_frame_position (10, 25)); /* a jump forward is allowed */
  close_window ();
  fail_unless_equals_clocktime (span.duration, 440 * GST_MSECOND);
}

/* At another rate a frame has its duration in stream time, and another in running time. Backwards, the next frame ends where
 * the last one began. */
TEST (test_interval_at_other_rates)
{
  static const struct {
    gdouble rate;
    guint frames; /* 40 ms each, in an interval of 200 ms */
  } cases[] = { { 1, 5 }, { 2, 10 }, { 0.5, 3 }, { 4, 20 }, { -1, 5 }, { -2, 10 }, { -0.5, 3 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstSegment segment;
    guint64 frame = 0;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.rate = cases[i].rate;
    segment.stop = 100 * GST_SECOND;
    gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BUFFER, 0, 200 * GST_MSECOND);
    for (guint64 start = 0; start < 5 * cases[i].frames; start = frame) {
      gboolean is_over;

      do {
        GstCudaHistoPosition position = make_frame_position (cases[i].rate > 0 ? frame : 2499 - frame, 25);

        position.frame = frame++;
        position.running_time = gst_segment_to_running_time (&segment, GST_FORMAT_TIME, position.timestamp);
        position.running_duration = (GstClockTime)((gdouble)position.duration / ABS (segment.rate));
        is_over = add_frame (position);
      } while (!is_over);
      check_closed (start, cases[i].frames, 0, 0);
      fail_unless_equals_clocktime (span.duration, cases[i].rate > 0 ? cases[i].frames * 40 * GST_MSECOND : NONE);
    }
  }

  /* Two frames backwards: the second ends where the first begins. The length is not 0. */
  {
    gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_STREAM, 0, 0);
    add_frame (make_frame_position (11, 25));
    add_frame (make_frame_position (10, 25));
    close_window ();
    fail_unless_equals_clocktime (span.duration, NONE);
  }
}

TEST (test_interval_keeps_byte_windows_whole)
{
  guint reports = 0;

  span = (GstCudaHistoSpan){ 0 };
  /* 100 bytes and 10 ms for each buffer, windows of 30 bytes, an interval of 50 ms. */
  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BYTES, 30, 50 * GST_MSECOND);
  for (guint64 i = 0; i < 300; i++) {
    for (guint64 done = 0; done < 100;) {
      guint64 take = gst_cuda_histo_window_take (&window, 100 - done);
      GstCudaHistoPosition position = make_frame_position (i, 100);

      position.offset = i * 100 + done;
      done += take;
      if (gst_cuda_histo_window_add (&window, &position, take, done == take, done == 100)) {
        guint64 end = span.offset + span.size;

        close_window ();
        reports++;
        fail_unless_equals_uint64 (span.offset, end);
        fail_unless_equals_uint64 (span.size % 30, 0);
        /* At least 50 ms lie between two reports: 500 bytes, less the part of the buffer before the window. */
        fail_unless (span.size >= 400, "%" G_GUINT64_FORMAT, span.size);
        fail_unless (span.size <= 600, "%" G_GUINT64_FORMAT, span.size);
      }
    }
  }
  fail_unless (reports >= 300 / 6 && reports <= 300 / 4, "%u", reports);
}

TEST (test_times_at_the_end_of_range)
{
  GstCudaHistoPosition position
      = { .timestamp = NONE - 2, .running_time = NONE - 2, .stream_time = NONE, .duration = 10, .running_duration = 10 };

  gst_cuda_histo_window_init (&window, GST_CUDA_HISTO_WINDOW_BUFFER, 0, NONE);
  fail_if (add_frame (position));
  close_window ();
  fail_unless_equals_clocktime (span.timestamp, NONE - 2);
  fail_unless_equals_clocktime (span.duration, NONE);
}

TEST_MAIN
