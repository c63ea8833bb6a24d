/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The extent of streams, from the buffers on their pads: in stream time, and unknown without times. */

#include "cases.h"
#include "damage/extent.h"

static Extent *extent;

static void
make_extent (void)
{
  extent = extent_new ();
}

static void
free_extent (void)
{
  extent_free (extent);
}

static GstBuffer *
make_buffer (GstClockTime pts, GstClockTime duration)
{
  GstBuffer *buffer = gst_buffer_new ();

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = duration;
  return buffer;
}

/* A pad without a peer: a probe sees its buffers all the same. */
static GstPad *
make_pad (const gchar *stream, const GstSegment *segment)
{
  GstPad *pad = gst_pad_new (stream, GST_PAD_SRC);

  gst_pad_set_active (pad, TRUE);
  gst_pad_push_event (pad, gst_event_new_stream_start (stream));
  gst_pad_push_event (pad, gst_event_new_segment (segment));
  return pad;
}

TEST_FIXTURE (make_extent, free_extent)

TEST (test_stream_time)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_SECOND;
  segment.time = GST_SECOND;
  g_autoptr (GstPad) pad = make_pad ("video", &segment);
  extent_watch_video (extent, pad);
  ck_assert_uint_eq (extent_get_video_start (extent), GST_CLOCK_TIME_NONE);
  ck_assert_uint_eq (extent_get_end (extent), GST_CLOCK_TIME_NONE);
  gst_pad_push (pad, make_buffer (9 * GST_SECOND, GST_SECOND)); /* before the segment */
  ck_assert_uint_eq (extent_get_video_start (extent), GST_CLOCK_TIME_NONE);
  gst_pad_push (pad, make_buffer (12 * GST_SECOND, GST_SECOND));
  gst_pad_push (pad, make_buffer (11 * GST_SECOND, GST_CLOCK_TIME_NONE));
  gst_pad_push (pad, make_buffer (GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));
  gst_pad_push_event (pad, gst_event_new_gap (20 * GST_SECOND, GST_SECOND)); /* a gap */
  ck_assert_uint_eq (extent_get_video_start (extent), 3 * GST_SECOND);
  ck_assert_uint_eq (extent_get_video_end (extent), 4 * GST_SECOND);
  ck_assert_uint_eq (extent_get_end (extent), 4 * GST_SECOND);
}

TEST (test_other_streams)
{
  GstBufferList *list = gst_buffer_list_new ();
  GstSegment segment;
  g_autoptr (GstPad) video = NULL, sound = NULL;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  video = make_pad ("video", &segment);
  sound = make_pad ("sound", &segment);
  extent_watch_video (extent, video);
  extent_watch_other (extent, sound);
  gst_buffer_list_add (list, make_buffer (5 * GST_SECOND, GST_SECOND));
  gst_buffer_list_add (list, make_buffer (6 * GST_SECOND, GST_SECOND));
  gst_pad_push_list (sound, list);
  ck_assert_uint_eq (extent_get_video_end (extent), GST_CLOCK_TIME_NONE);
  gst_pad_push (video, make_buffer (0, GST_SECOND));
  ck_assert_uint_eq (extent_get_video_start (extent), 0);
  ck_assert_uint_eq (extent_get_video_end (extent), GST_SECOND);
  ck_assert_uint_eq (extent_get_end (extent), 7 * GST_SECOND);
}

/* The end after a frame, when more frames have come. */
TEST (test_end_of_some)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_autoptr (GstPad) pad = make_pad ("video", &segment);
  extent_watch_video (extent, pad);
  ck_assert_uint_eq (extent_get_video_end_of (extent, 1), GST_CLOCK_TIME_NONE);
  gst_pad_push (pad, make_buffer (GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));
  ck_assert_uint_eq (extent_get_video_end_of (extent, 1), GST_CLOCK_TIME_NONE);
  for (GstClockTime i = 0; i < 5000; i++)
    gst_pad_push (pad, make_buffer (i * GST_SECOND, GST_SECOND));
  ck_assert_uint_eq (extent_get_video_end_of (extent, 0), GST_CLOCK_TIME_NONE);
  ck_assert_uint_eq (extent_get_video_end_of (extent, 5000), 4999 * GST_SECOND);
  ck_assert_uint_eq (extent_get_video_end_of (extent, 5001), 5000 * GST_SECOND);
  ck_assert_uint_eq (extent_get_video_end_of (extent, 5002), GST_CLOCK_TIME_NONE);
  ck_assert_uint_eq (extent_get_video_end_of (extent, 5001 - 4095), (5001 - 4096) * GST_SECOND);
  ck_assert_uint_eq (extent_get_video_end_of (extent, 5001 - 4096), GST_CLOCK_TIME_NONE);
}

/* Some sources have a segment of bytes, and buffers with times. */
TEST (test_segment_of_bytes)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  g_autoptr (GstPad) pad = make_pad ("video", &segment);
  extent_watch_video (extent, pad);
  gst_pad_push (pad, make_buffer (GST_SECOND, GST_SECOND));
  ck_assert_uint_eq (extent_get_video_start (extent), GST_CLOCK_TIME_NONE);
  ck_assert_uint_eq (extent_get_end (extent), GST_CLOCK_TIME_NONE);
}

TEST_MAIN
