/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* References: the choice of the frame for a comparison, errors of unusable references, and waits that always end. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/base/gstpushsrc.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "compare/reference.h"
#include "decoding/timeline.h"
#include "elementwatch.h"

enum { WIDTH = 16, HEIGHT = 8 };

static void
init_info (GstVideoInfo *info, const gchar *format)
{
  fail_unless (gst_video_info_set_format (info, gst_video_format_from_string (format), WIDTH, HEIGHT));
}

static GstCudaHistoReference *reference; /* the one that was opened last */

static void
stop_reference (GstCudaHistoReference *of)
{
  gst_cuda_histo_reference_stop (of);
  gst_cuda_histo_reference_unref (of);
}

static void
close_reference (void)
{
  g_clear_pointer (&reference, stop_reference);
}

/* Closes the reference, and writes a clip: frame n has luma n % 200 + 20. Timestamps are rounded to milliseconds. Audio begins
 * `start` before the first frame. The frames from `hole` on, up to `after`, are missing. */
static void
write_holed_clip (const gchar *path, const gchar *encoder, guint n_frames, guint hole, guint after, GstClockTime start,
                  gint rate_n, gint rate_d)
{
  g_autofree gchar *text
      = g_strdup_printf ("audiotestsrc num-buffers=1 samplesperbuffer=44 ! mux. "
                         "appsrc name=src format=time caps=video/x-raw,format=I420,width=%d,height=%d,framerate=%d/%d ! "
                         "%s ! matroskamux name=mux ! filesink location=%s",
                         WIDTH, HEIGHT, rate_n, rate_d, encoder, path);
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, NULL);
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstMessage *message;
  GstVideoInfo info;

  close_reference ();
  init_info (&info, "I420");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint f = 0; f < n_frames; f++) {
    GstBuffer *buffer;

    if (f >= hole && f < after)
      continue;
    buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    gst_buffer_memset (buffer, 0, 128, info.size);
    gst_buffer_memset (buffer, 0, (guint8)(f % 200 + 20), info.offset[1]);
    GST_BUFFER_PTS (buffer) = start + gst_util_uint64_scale (f, (guint64)rate_d * GST_SECOND, (guint64)rate_n);
    GST_BUFFER_DURATION (buffer) = gst_util_uint64_scale (1, (guint64)rate_d * GST_SECOND, (guint64)rate_n);
    fail_unless_equals_int (gst_app_src_push_buffer (GST_APP_SRC (source), buffer), GST_FLOW_OK);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline), 30 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s", text);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

static void
write_clip (const gchar *path, const gchar *encoder, guint n_frames, GstClockTime start, gint rate_n, gint rate_d)
{
  write_holed_clip (path, encoder, n_frames, 0, 0, start, rate_n, rate_d);
}

/* Runs a pipeline with a file as its end. */
static void
run_line (const gchar *start, const gchar *path)
{
  g_autofree gchar *line = g_strdup_printf ("%s ! filesink location=%s", start, path);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline), GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS));
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

#define PICTURE                                                                                                              \
  "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xff050505 ! video/x-raw,format=RGB,width=16,height=8 ! " \
  "pngenc"

static const gchar *
make_clip (guint n_frames, gint rate_n, gint rate_d)
{
  const gchar *path = make_path ("clip.mkv");

  write_clip (path, "identity", n_frames, 0, rate_n, rate_d);
  return path;
}

static GstClockTime
get_time (guint64 frame, gint rate_n, gint rate_d)
{
  return gst_util_uint64_scale (frame, (guint64)rate_d * GST_SECOND, (guint64)rate_n);
}

static void
open_shifted (const gchar *location, GstCudaHistoReferenceMode mode, GstClockTimeDiff offset)
{
  GError *error = NULL;
  GstVideoInfo info;

  close_reference ();
  init_info (&info, "I420");
  reference = gst_cuda_histo_reference_new (NULL, location, mode, offset, &info, &error);
  g_assert_no_error (error);
}

static void
open_reference (const gchar *location, GstCudaHistoReferenceMode mode)
{
  open_shifted (location, mode, 0);
}

/* Returns the number of the found frame, or minus the outcome. */
static gint
find_key (const GstCudaHistoReferenceKey *key)
{
  GstCudaHistoFrame *frame = NULL;
  guint width = 0, height = 0;
  GError *error = NULL;
  GstCudaHistoReferenceOutcome outcome = gst_cuda_histo_reference_find (reference, key, &frame, &width, &height, &error);

  g_assert_no_error (error);
  if (outcome != GST_CUDA_HISTO_REFERENCE_FOUND)
    return -(gint)outcome;
  fail_unless_equals_int (width, WIDTH);
  fail_unless_equals_int (height, HEIGHT);
  return *(const guint8 *)frame->frame.planes[0].data - 20;
}

static gint
find_repeated (guint64 number, GstClockTime time, GstClockTime duration, guint repeats)
{
  const GstCudaHistoReferenceKey key
      = { .frame = number, .is_first = number == 0, .stream_time = time, .duration = duration, .repeats = repeats };

  return find_key (&key);
}

static gint
find (guint64 number, GstClockTime time, GstClockTime duration)
{
  return find_repeated (number, time, duration, 0);
}

/* ---- in step --------------------------------------------------------------------------------------------------------- */

/* The clip's times are rounded, the stream's are not: each frame still finds its counterpart. */
TEST (test_each_frame)
{
  static const gint rates[][2] = { { 25, 1 }, { 30000, 1001 }, { 60000, 1001 }, { 240, 1 }, { 1, 3 } };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    const gint n = rates[i][0], d = rates[i][1];
    const GstClockTime duration = get_time (1, n, d);

    open_reference (make_clip (30, n, d), GST_CUDA_HISTO_REFERENCE_IN_STEP);
    for (guint f = 0; f < 30; f++)
      fail_unless_equals_int (find (0, get_time (f, n, d), duration), (gint)f);
    fail_unless_equals_int (find (0, get_time (30, n, d), duration), -GST_CUDA_HISTO_REFERENCE_ENDED);
  }
  close_reference ();
}

/* Streams of other frame rates, with missing and repeated frames. */
TEST (test_nearest)
{
  open_reference (make_clip (50, 25, 1), GST_CUDA_HISTO_REFERENCE_IN_STEP);
  fail_unless_equals_int (find (0, 0, 20 * GST_MSECOND), 0);
  fail_unless_equals_int (find (1, 20 * GST_MSECOND, 20 * GST_MSECOND), 0); /* of two equally near the earlier */
  fail_unless_equals_int (find (2, 21 * GST_MSECOND, 20 * GST_MSECOND), 1);
  fail_unless_equals_int (find (3, 400 * GST_MSECOND, GST_CLOCK_TIME_NONE), 10);
  fail_unless_equals_int (find (4, 400 * GST_MSECOND, GST_CLOCK_TIME_NONE), 10);
  fail_unless_equals_int (find (5, 399 * GST_MSECOND, GST_CLOCK_TIME_NONE), 10);
  fail_unless_equals_int (find (6, 1960 * GST_MSECOND, 40 * GST_MSECOND), 49);
  fail_unless_equals_int (find (7, 1980 * GST_MSECOND, 40 * GST_MSECOND), 49);
  fail_unless_equals_int (find (8, 1981 * GST_MSECOND, 40 * GST_MSECOND), -GST_CUDA_HISTO_REFERENCE_ENDED);
  fail_unless_equals_int (find (9, 2020 * GST_MSECOND, 120 * GST_MSECOND), 49); /* a longer frame of the stream */
  close_reference ();
}

/* A stream without its first frames, or one that begins with a seek: its times are right, and the lead reports it. */
TEST (test_lost_start)
{
  static const guint lost[] = { 0, 1, 3, 10, 25 };

  for (guint i = 0; i < G_N_ELEMENTS (lost); i++) {
    open_reference (make_clip (40, 25, 1), GST_CUDA_HISTO_REFERENCE_IN_STEP);
    for (guint f = lost[i]; f < 40; f++)
      fail_unless_equals_int (find (f - lost[i], get_time (f, 25, 1), GST_SECOND / 25), (gint)f);
    fail_unless_equals_int (gst_cuda_histo_reference_get_lead (reference), get_time (lost[i], 25, 1));
  }
  close_reference ();
}

/* A clip whose times are all shifted, in either direction: the offset has to be set. */
TEST (test_shifts)
{
  static const guint starts[] = { 1, 19, 21, 39, 80, 400, 1000, 2000 };
  const gchar *path = make_path ("clip.mkv");

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++) {
    const GstClockTime start = starts[i] * GST_MSECOND;

    write_clip (path, "identity", 100, start, 25, 1);
    open_shifted (path, GST_CUDA_HISTO_REFERENCE_IN_STEP, -(GstClockTimeDiff)start);
    for (guint f = 0; f < 100; f += 1 + f % 9)
      fail_unless_equals_int (find (f, get_time (f, 25, 1), GST_SECOND / 25), (gint)f);
    fail_unless_equals_int (find (0, get_time (7, 25, 1), GST_SECOND / 25), 7); /* and after a seek */
    fail_unless_equals_int (gst_cuda_histo_reference_get_lead (reference), 0);

    write_clip (path, "identity", 50, 0, 25, 1);
    open_shifted (path, GST_CUDA_HISTO_REFERENCE_IN_STEP, (GstClockTimeDiff)start);
    if (starts[i] > 20)
      fail_unless_equals_int (find (0, 0, GST_SECOND / 25), -GST_CUDA_HISTO_REFERENCE_ABSENT);
    fail_unless_equals_int (find (0, start - 1, GST_SECOND / 25), 0); /* a time that was rounded */
    for (guint f = 0; f < 50; f++)
      fail_unless_equals_int (find (f, start + get_time (f, 25, 1), GST_SECOND / 25), (gint)f);
  }

  write_clip (path, "identity", 10, 2 * GST_SECOND, 25, 1);
  open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  fail_unless_equals_int (find (0, 0, GST_SECOND / 25), -GST_CUDA_HISTO_REFERENCE_ABSENT);
  fail_unless_equals_int (gst_cuda_histo_reference_get_lead (reference), -2 * (gint64)GST_SECOND);
  fail_unless_equals_int (find (49, get_time (49, 25, 1), GST_SECOND / 25), -GST_CUDA_HISTO_REFERENCE_ABSENT);
  fail_unless_equals_int (find (50, 2 * GST_SECOND, GST_SECOND / 25), 0);
  fail_unless_equals_int (find (55, get_time (55, 25, 1), GST_SECOND / 25), 5);

  open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP); /* far enough for a seek */
  fail_unless_equals_int (find (0, 102 * GST_SECOND, GST_SECOND / 25), -GST_CUDA_HISTO_REFERENCE_ENDED);
  fail_unless_equals_int64 (gst_cuda_histo_reference_get_lead (reference), 100 * (gint64)GST_SECOND);
  close_reference ();
}

/* Counts events that reach the decoders' sinks. */
static GstPadProbeCallback probe;
static GstPadProbeType probe_type;

static void
watch_sink (GstElement *element, gpointer data G_GNUC_UNUSED)
{

  if (GST_IS_APP_SINK (element))
    gst_pad_add_probe (element->sinkpads->data, probe_type, probe, NULL, NULL);
}

static void
watch_sinks (GstPadProbeType type, GstPadProbeCallback callback)
{
  probe_type = type;
  probe = callback;
  element_watch_start (watch_sink, NULL);
}

/* From half a frame on, a shift is reported: the earlier of two equally near frames may be the wrong one. */
TEST (test_half_a_frame)
{
  static const guint starts[] = { 18, 20, 21 };
  const gchar *path = make_path ("clip.mkv");

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++) {
    write_clip (path, "identity", 5, starts[i] * GST_MSECOND, 25, 1);
    open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
    find (0, 0, GST_SECOND / 25);
    fail_unless_equals_int64 (gst_cuda_histo_reference_get_lead (reference),
                              starts[i] < 20 ? 0 : -(GstClockTimeDiff)(starts[i] * GST_MSECOND));
  }
  close_reference ();
}

static gint n_flushes;

static GstPadProbeReturn
count_flush (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data G_GNUC_UNUSED)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_STOP)
    g_atomic_int_inc (&n_flushes);
  return GST_PAD_PROBE_OK;
}

/* Frames that the reference lacks have no counterpart, and those around the gap keep theirs. The same holds after a seek into
 * the gap. One seek suffices for all. */
TEST (test_holes)
{
  static const guint holes[][2] = { { 10, 11 }, { 10, 25 }, { 10, 45 } };
  watch_sinks (GST_PAD_PROBE_TYPE_EVENT_FLUSH, count_flush);
  const gchar *path = make_path ("clip.mkv");

  for (guint i = 0; i < G_N_ELEMENTS (holes); i++)
    for (guint is_sought = 0; is_sought < 2; is_sought++) {
      write_holed_clip (path, "identity", 60, holes[i][0], holes[i][1], 0, 25, 1);
      open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
      if (is_sought) {
        fail_unless_equals_int (find (0, get_time (59, 25, 1), GST_SECOND / 25), 59);
        n_flushes = 0;
        for (guint f = (holes[i][0] + holes[i][1]) / 2; f < holes[i][1]; f++)
          fail_unless_equals_int (find (0, get_time (f, 25, 1), GST_SECOND / 25), -GST_CUDA_HISTO_REFERENCE_MISSING);
        fail_unless_equals_int (g_atomic_int_get (&n_flushes), 1);
      }
      for (guint f = 0; f < 60; f++)
        fail_unless_equals_int (find (f, get_time (f, 25, 1), GST_SECOND / 25),
                                f >= holes[i][0] && f < holes[i][1] ? -GST_CUDA_HISTO_REFERENCE_MISSING : (gint)f);
    }
  element_watch_end ();
  close_reference ();
}

/* Times are rounded to milliseconds. Of four frames with the same time, none can be identified. Of two, the second follows from
 * the next frame's time. */
TEST (test_time_stands_still)
{
  static const gint rates[] = { 2000, 4000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    gint last;

    open_reference (make_clip (20, rates[i], 1), GST_CUDA_HISTO_REFERENCE_IN_STEP);
    fail_unless (find (0, GST_MSECOND, GST_MSECOND / 2) > 0);
    last = find (1, GST_MSECOND + 1, GST_MSECOND / 2);
    fail_unless (rates[i] == 2000 ? last > 0 : last == -GST_CUDA_HISTO_REFERENCE_UNTIMED);
    fail_unless (find (2, 2 * GST_MSECOND, GST_MSECOND / 2) > 0);
  }
  close_reference ();
}

/* Two frames of the stream with the same time match the two such frames of the reference. If only one frame of the reference
 * has that time, the second is unknown. */
TEST (test_shared_times)
{
  static const gint rates[] = { 2000, 1000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    open_reference (make_clip (20, rates[i], 1), GST_CUDA_HISTO_REFERENCE_IN_STEP);
    for (gint f = 1; f < 10; f++) {
      const GstClockTime time = (guint)f * GST_MSECOND;

      for (guint again = 0; again < 2; again++) {
        fail_unless_equals_int (find_repeated ((guint)f, time, GST_MSECOND / 2, 0), rates[i] == 2000 ? 2 * f - 1 : f);
        fail_unless_equals_int (find_repeated ((guint)f, time, GST_MSECOND / 2, 1),
                                rates[i] == 2000 ? 2 * f : -GST_CUDA_HISTO_REFERENCE_UNTIMED);
      }
    }
  }
  close_reference ();
}

/* If the frame before is unknown, a frame may be either of two with its time. */
TEST (test_unsure_shared_times)
{
  static const gint rates[] = { 2000, 1000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    open_reference (make_clip (20, rates[i], 1), GST_CUDA_HISTO_REFERENCE_IN_STEP);
    for (gint f = 1; f < 10; f++) {
      GstCudaHistoReferenceKey key = { .frame = (guint)f, .stream_time = (guint)f * GST_MSECOND, .duration = GST_MSECOND / 2 };

      key.follows_unknown = TRUE;
      fail_unless_equals_int (find_key (&key), rates[i] == 2000 ? -GST_CUDA_HISTO_REFERENCE_UNTIMED : f);
      key.follows_unknown = FALSE;
      key.repeats = 1;
      fail_unless_equals_int (find_key (&key), rates[i] == 2000 ? 2 * f : -GST_CUDA_HISTO_REFERENCE_UNTIMED);
    }
  }
  close_reference ();
}

/* A seek to a time in the middle of a frame cuts its beginning. A frame that is really short begins with a reference frame. */
TEST (test_cut_frames)
{
  const GstClockTime period = GST_SECOND / 25;

  open_reference (make_clip (20, 25, 1), GST_CUDA_HISTO_REFERENCE_IN_STEP);
  for (guint f = 1; f < 20; f += 3)
    for (guint part = 0; part < 10; part++) {
      const GstClockTime cut = part * period / 10, time = get_time (f, 25, 1) + cut;
      const GstCudaHistoReferenceKey keys[] = {
        { .frame = f, .stream_time = time, .duration = period - cut, .cut = cut },
        { .frame = f, .stream_time = time - cut, .duration = period - cut, .cut = cut },
      };

      for (guint k = 0; k < G_N_ELEMENTS (keys); k++) {
        GstCudaHistoFrame *frame = NULL;
        guint width, height;

        fail_unless_equals_int (gst_cuda_histo_reference_find (reference, &keys[k], &frame, &width, &height, NULL),
                                GST_CUDA_HISTO_REFERENCE_FOUND);
        fail_unless_equals_int (*(const guint8 *)frame->frame.planes[0].data, 20 + f);
      }
    }
  close_reference ();
}

/* Only the first frame has another stream time, as matroskademux gives it. */
TEST (test_first_segment)
{
  const GstClockTime start = 23 * GST_MSECOND;
  DecodingTimeline line = { 0 };

  for (guint f = 0; f < 20; f++) {
    const GstClockTime time = get_time (f, 25, 1);

    fail_unless_equals_uint64 (decoding_timeline_follow (&line, start + time, f == 0 ? 0 : start + time), time);
  }
}

/* Stream times that continue where timestamps do not, as in an edit list, and stream times that run faster. */
TEST (test_segments)
{
  for (guint is_fast = 0; is_fast < 2; is_fast++) {
    DecodingTimeline line = { 0 };

    for (guint f = 0; f < 50; f += 1 + is_fast) {
      const GstClockTime time = get_time (f, 25, 1), timestamp = is_fast ? time / 2 : time + (f < 25 ? 0 : 400 * GST_MSECOND);

      fail_unless_equals_uint64 (decoding_timeline_follow (&line, timestamp, time), time);
    }
  }
}

/* After seeks of the stream, backwards and forwards, near and far. */
TEST (test_seeks)
{
  static const guint frames[] = { 20, 3, 4, 5, 180, 179, 20, 0, 199, 198, 1, 150, 10 };
  const gchar *path = make_clip (200, 5, 1);

  open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    fail_unless_equals_int (find (i, get_time (frames[i], 5, 1), GST_SECOND / 5), (gint)frames[i]);
  fail_unless_equals_int (find (0, 60 * GST_SECOND, GST_SECOND / 5), -GST_CUDA_HISTO_REFERENCE_ENDED);
  fail_unless_equals_int (find (0, (GstClockTime)1 << 63, GST_SECOND / 5), -GST_CUDA_HISTO_REFERENCE_ENDED);
  fail_unless_equals_int (find (0, GST_SECOND, GST_SECOND / 5), 5);

  /* The stream begins late in the reference. */
  open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  fail_unless_equals_int (find (0, 30 * GST_SECOND, GST_SECOND / 5), 150);
  fail_unless_equals_int (find (1, 30 * GST_SECOND + GST_SECOND / 5, GST_SECOND / 5), 151);
  close_reference ();
}

/* Makes segments as tsdemux does: they begin with the first frame, at the stream time of the seek. */
static GstPadProbeReturn
delay_segments (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const GstSegment *segment;
  GstSegment delayed;

  count_flush (pad, info, data);
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_event_parse_segment (GST_PAD_PROBE_INFO_EVENT (info), &segment);
  delayed = *segment;
  delayed.start = MAX (delayed.start, 700 * GST_MSECOND);
  if (n_flushes == 0)
    delayed.time = delayed.start;
  gst_event_take ((GstEvent **)&info->data, gst_event_new_segment (&delayed));
  return GST_PAD_PROBE_OK;
}

/* A clip that begins late, in a container like MPEG-TS, and a stream of it: both seeks go to before their first frames. */
TEST (test_seek_before_start)
{
  static const guint sought[] = { 0, 200, 700, 900, 4000, 500 };
  const GstClockTime start = 700 * GST_MSECOND;
  watch_sinks (GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH, delay_segments);
  const gchar *path = make_path ("clip.mkv");
  DecodingTimeline line = { 0 };

  write_clip (path, "identity", 100, start, 25, 1);
  n_flushes = 0;
  open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  for (guint f = 0; f < 100; f++)
    fail_unless_equals_int (find (f, start + get_time (f, 25, 1), GST_SECOND / 25), (gint)f);
  decoding_timeline_follow (&line, start, start);
  for (guint i = 0; i < G_N_ELEMENTS (sought); i++) {
    const GstClockTime time = sought[i] * GST_MSECOND;

    for (guint f = time > start ? (guint)(time - start) * 25 / GST_SECOND : 0, n = 0; n < 15; f++, n++) {
      const GstClockTime timestamp = start + get_time (f, 25, 1);
      const GstClockTime stream_time = timestamp - (time < start ? start - time : 0);

      fail_unless_equals_int (find (100 + f, decoding_timeline_follow (&line, timestamp, stream_time), GST_SECOND / 25),
                              (gint)f);
    }
  }
  n_flushes = 1;
  fail_unless_equals_int (find (0, 600 * GST_MSECOND, GST_SECOND / 25), -GST_CUDA_HISTO_REFERENCE_ABSENT);
  fail_unless_equals_int (g_atomic_int_get (&n_flushes), 2); /* one seek is enough */
  element_watch_end ();
  close_reference ();
}

/* A decoder that seeks into the middle of a frame gives it the time of the seek. The stream's frame is slightly earlier than
 * the next one, because of rounding, and means that one. */
TEST (test_seek_between_frames)
{
  GstElementFactory *encoder = gst_element_factory_find ("avenc_ffv1"), *decoder = gst_element_factory_find ("avdec_ffv1");
  const gchar *path = make_path ("clip.mkv");

  if (encoder != NULL && decoder != NULL) {
    write_clip (path, "avenc_ffv1", 200, 0, 5, 1);
    open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
    fail_unless_equals_int (find (0, 30 * GST_SECOND - GST_MSECOND, GST_SECOND / 5), 150);
    fail_unless_equals_int (find (0, 10 * GST_SECOND - GST_MSECOND, GST_SECOND / 5), 50);
  }
  gst_clear_object (&encoder);
  gst_clear_object (&decoder);
  close_reference ();
}

/* A seek goes into the middle of a long frame, which counts from its beginning. */
TEST (test_seek_into_long_frame)
{
  static const gchar *const encoders[] = { "identity", "avenc_ffv1" };

  for (guint i = 0; i < G_N_ELEMENTS (encoders); i++) {
    g_autoptr (GstElementFactory) encoder = gst_element_factory_find (encoders[i]);
    const gchar *path = make_path ("clip.mkv");

    if (encoder != NULL) {
      write_clip (path, encoders[i], 20, 0, 1, 5);
      open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
      for (GstClockTime time = 27 * GST_SECOND; time < 31 * GST_SECOND; time += GST_SECOND / 5)
        fail_unless_equals_int (find (0, time, GST_SECOND / 5), time <= 27500 * GST_MSECOND ? 5 : 6);
    }
  }
  close_reference ();
}

/* Without waiting, the reference still stays in step: with a stream of fewer frames, after a jump, and if both have other first
 * times. */
TEST (test_nobody_waits)
{
  static const guint steps[] = { 1, 5, 25 };
  const gchar *path = make_path ("clip.mkv");

  write_clip (path, "identity", 1700, 400 * GST_MSECOND, 25, 1);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    guint n_found[2] = { 0 }, n_missed = 0; /* the latter: time since a frame was found */

    open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
    gst_cuda_histo_reference_set_waits (reference, FALSE);
    for (guint f = 0; f < 40; f++) {
      const guint frame = f * steps[i] + (f < 20 ? 0 : 175);
      const gint found = find (f, get_time (frame, 25, 1), steps[i] * GST_SECOND / 25);

      if (found >= 0) {
        fail_unless_equals_int (found, ((gint)frame - 10) % 200);
        n_found[f / 20]++;
      }
      n_missed = found >= 0 ? 0 : n_missed + 1;
      g_usleep (20 * 1000 * MIN (1 + n_missed, 20)); /* a loaded machine seeks slowly */
    }
    fail_unless (n_found[0] > 3 && n_found[1] > 3, "%u %u %u", steps[i], n_found[0], n_found[1]);
    if (steps[i] < 20) /* otherwise less than half a frame */
      fail_unless_equals_int64 (gst_cuda_histo_reference_get_lead (reference), -400 * (gint64)GST_MSECOND);
  }
  close_reference ();
}

/* Frames of a stream that plays backwards have no counterpart, except in a picture. The stream may turn around. */
TEST (test_runs_back)
{
  for (guint is_fixed = 0; is_fixed < 2; is_fixed++) {
    open_reference (make_clip (20, 25, 1), is_fixed ? GST_CUDA_HISTO_REFERENCE_FIXED : GST_CUDA_HISTO_REFERENCE_IN_STEP);
    for (guint f = 20; f-- > 0;) {
      const GstCudaHistoReferenceKey key
          = { .frame = 20 - f, .stream_time = get_time (f, 25, 1), .duration = GST_SECOND / 25, .runs_back = TRUE };

      fail_unless_equals_int (find_key (&key), is_fixed ? 0 : -GST_CUDA_HISTO_REFERENCE_BACKWARDS);
    }
    for (guint f = 5; f < 20; f++)
      fail_unless_equals_int (find (f, get_time (f, 25, 1), GST_SECOND / 25), is_fixed ? 0 : (gint)f);
  }
  close_reference ();
}

static gint n_starts;

static void
note_end_of_frame (gpointer n_frames, GstMiniObject *frame G_GNUC_UNUSED)
{
  g_atomic_int_add ((gint *)n_frames, -1);
}

/* A source of 200 frames that cannot seek. `data`: a counter of its frames in memory; time then stands still from the second
 * frame on. */
static void
feed_source (GstElement *source, gpointer data)
{
  GstVideoInfo info;
  g_autoptr (GstCaps) caps = NULL;

  if (!GST_IS_APP_SRC (source))
    return;
  g_atomic_int_inc (&n_starts);
  init_info (&info, "I420");
  info.fps_n = 5;
  caps = gst_video_info_to_caps (&info);
  g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  for (guint f = 0; f < 200; f++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);

    gst_buffer_memset (buffer, 0, (guint8)(f + 20), info.size);
    GST_BUFFER_PTS (buffer) = get_time (data != NULL ? MIN (f, 1) : f, 5, 1);
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 5;
    if (data != NULL) {
      g_atomic_int_inc ((gint *)data);
      gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), note_end_of_frame, data);
    }
    gst_app_src_push_buffer (GST_APP_SRC (source), buffer);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (source));
}

/* A reference that cannot seek is read on, and not restarted for each frame. */
TEST (test_unseekable)
{
  element_watch_start (feed_source, NULL);
  guint n_found = 0;

  open_reference ("appsrc://", GST_CUDA_HISTO_REFERENCE_IN_STEP);
  gst_cuda_histo_reference_set_waits (reference, FALSE);
  for (guint i = 0; n_found <= 10 && i < 2000; i++) { /* after frame 190, requests the same frame again */
    const guint f = 150 + MIN (i, 40);
    const gint found = find (i, get_time (f, 5, 1), GST_SECOND / 5);

    fail_unless (found < 0 || found == (gint)f);
    n_found += found >= 0;
    g_usleep (30 * 1000);
  }
  fail_unless (n_found > 10 && g_atomic_int_get (&n_starts) <= 2, "%u %d", n_found, n_starts);
  close_reference ();
  element_watch_end ();
}

/* Any number of frames with the stream's next time does not fill the memory. */
TEST (test_time_stands_still_ahead)
{
  gint n_frames = 0;
  element_watch_start (feed_source, &n_frames);

  open_reference ("appsrc://", GST_CUDA_HISTO_REFERENCE_IN_STEP);
  gst_cuda_histo_reference_set_waits (reference, FALSE);
  while (find (0, 0, GST_SECOND / 5 + 20 * GST_MSECOND) < 0)
    g_usleep (1000);
  for (guint i = 0; i < 250 && g_atomic_int_get (&n_frames) > 20; i++)
    g_usleep (20 * 1000);
  fail_unless (g_atomic_int_get (&n_frames) <= 20, "%d", n_frames);
  close_reference ();
  element_watch_end ();
}

/* Without times frames are matched by number. */
TEST (test_numbers)
{
  open_reference (make_clip (10, 25, 1), GST_CUDA_HISTO_REFERENCE_IN_STEP);
  for (guint f = 0; f < 10; f += 1 + f % 2)
    fail_unless_equals_int (find (f, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE), (gint)f);
  fail_unless_equals_int (find (10, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE), -GST_CUDA_HISTO_REFERENCE_ENDED);
  fail_unless_equals_int (find (2, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE), -GST_CUDA_HISTO_REFERENCE_ABSENT);
  close_reference ();
}

/* Removes the time of one frame. */
static GstPadProbeReturn
forget_time (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data G_GNUC_UNUSED)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  guint8 luma;

  gst_buffer_extract (buffer, 0, &luma, 1);
  if (luma == 20 + 3)
    GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  info->data = buffer;
  return GST_PAD_PROBE_OK;
}

/* If other frames have times, a frame without one has no counterpart. */
TEST (test_frame_without_time)
{
  watch_sinks (GST_PAD_PROBE_TYPE_BUFFER, forget_time);

  open_reference (make_clip (10, 25, 1), GST_CUDA_HISTO_REFERENCE_IN_STEP);
  for (guint f = 0; f < 10; f++)
    fail_unless_equals_int (find (100 + f, get_time (f, 25, 1), GST_SECOND / 25),
                            f == 3 ? -GST_CUDA_HISTO_REFERENCE_MISSING : (gint)f);
  element_watch_end ();
  close_reference ();
}

/* ---- fixed, and converted -------------------------------------------------------------------------------------------- */

TEST (test_fixed)
{
  open_reference (make_clip (3, 25, 1), GST_CUDA_HISTO_REFERENCE_FIXED);
  fail_unless_equals_int (find (0, 0, GST_SECOND), 0);
  fail_unless_equals_int (find (1, 1000 * GST_SECOND, GST_SECOND), 0);
  fail_unless_equals_int (find (2, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE), 0);
  close_reference ();
}

/* A picture of another format is converted. One of the same format with other colorimetry is not. */
TEST (test_formats)
{
  const gchar *path = make_path ("picture.png");
  g_autofree gchar *uri = gst_filename_to_uri (path, NULL);
  GstVideoInfo info, other;

  run_line (PICTURE, path);
  open_reference (uri, GST_CUDA_HISTO_REFERENCE_FIXED);
  fail_unless_equals_int (find (0, 0, GST_SECOND), 0); /* in limited range, grey 5 is luma 20 */
  init_info (&info, "I420");
  other = info;
  fail_unless (gst_cuda_histo_reference_fits (reference, &other));
  other.width = 5;
  other.fps_n = 5;
  fail_unless (gst_cuda_histo_reference_fits (reference, &other));
  other.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  fail_if (gst_cuda_histo_reference_fits (reference, &other));
  init_info (&other, "NV12");
  fail_if (gst_cuda_histo_reference_fits (reference, &other));

  /* A picture is a clip of one frame. */
  run_line (PICTURE, path);
  open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  fail_unless_equals_int (find (0, 0, GST_SECOND / 25), 0);
  fail_unless_equals_int (find (1, GST_SECOND / 25, GST_SECOND / 25), -GST_CUDA_HISTO_REFERENCE_ENDED);
  close_reference ();
}

/* An existing file is a path, even if it could be a URI. */
TEST (test_path_like_uri)
{
  const gchar *path = make_path ("scene:1.mkv");
  g_autofree gchar *directory = g_path_get_dirname (path), *before = g_get_current_dir ();

  write_clip (path, "identity", 1, 0, 25, 1);
  fail_unless_equals_int (g_chdir (directory), 0);
  open_reference ("scene:1.mkv", GST_CUDA_HISTO_REFERENCE_IN_STEP);
  fail_unless_equals_int (find (0, 0, GST_SECOND / 25), 0);
  fail_unless_equals_int (g_chdir (before), 0);
  close_reference ();
}

/* ---- unusable references --------------------------------------------------------------------------------------------- */

static void
check_failure (const gchar *location, const gchar *words)
{
  const GstCudaHistoReferenceKey key = { .stream_time = 0 };
  GstCudaHistoFrame *frame;
  guint width, height;

  open_reference (location, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  for (guint i = 0; i < 2; i++) { /* and the error stays */
    g_autoptr (GError) error = NULL;

    fail_unless_equals_int (gst_cuda_histo_reference_find (reference, &key, &frame, &width, &height, &error),
                            GST_CUDA_HISTO_REFERENCE_FAILED);
    fail_unless (error != NULL && strstr (error->message, words) != NULL, "%s", error->message);
    fail_unless (strstr (error->message, location) != NULL, "%s", error->message);
  }
  close_reference ();
}

TEST (test_failures)
{
  const gchar *path = make_path ("words.txt");

  check_failure ("/nowhere/at/all.mkv", "The reference \"/nowhere/at/all.mkv\" does not exist");
  g_file_set_contents (path, "these are words, and no video", -1, NULL);
  check_failure (path, "cannot be decoded");

  path = make_path ("sound.wav");
  run_line ("audiotestsrc num-buffers=10 ! wavenc", path);
  check_failure (path, "has no video");
}

/* Under load a stop may take longer than the test waits. */
static void
await_end (void)
{
  while (gst_cuda_histo_reference_count_stuck () > 0)
    g_usleep (10 * 1000);
}

static gpointer
close_in_thread (gpointer of)
{
  stop_reference (of);
  return NULL;
}

static gpointer
flush_soon (gpointer of)
{
  g_usleep (100 * 1000);
  gst_cuda_histo_reference_set_flushing (of, TRUE);
  return NULL;
}

/* No process writes to the pipe: a flush releases waiting callers, and a stop leaves nothing behind. */
TEST (test_stuck)
{
  const gchar *path = make_path ("pipe");
  gint64 begin;
  GThread *thread;

  fail_unless_equals_int (mkfifo (path, 0600), 0);
  open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  for (guint i = 0; i < 2; i++) {
    thread = g_thread_new ("flush", flush_soon, reference);
    fail_unless_equals_int (find (0, i * 20 * GST_SECOND, GST_SECOND), -GST_CUDA_HISTO_REFERENCE_FLUSHING);
    g_thread_join (thread);
    fail_unless_equals_int (find (0, 0, GST_SECOND), -GST_CUDA_HISTO_REFERENCE_FLUSHING);
    gst_cuda_histo_reference_set_flushing (reference, FALSE);
  }
  begin = g_get_monotonic_time ();
  close_reference ();
  fail_unless (g_get_monotonic_time () - begin < 100 * G_USEC_PER_SEC);
  await_end ();
  fail_unless_equals_int (open (path, O_WRONLY | O_NONBLOCK), -1);
  fail_unless_equals_int (errno, ENXIO); /* the reader has gone */
}

/* A writer that writes nothing, or a part, and keeps the pipe open. */
TEST (test_stuck_writer)
{
  const gchar *path = make_path ("pipe");
  GThread *thread;
  gint writer;

  fail_unless_equals_int (mkfifo (path, 0600), 0);
  writer = open (path, O_RDWR);
  fail_unless (writer >= 0);
  for (guint i = 0; i < 2; i++) {
    open_reference (path, GST_CUDA_HISTO_REFERENCE_IN_STEP);
    thread = g_thread_new ("flush", flush_soon, reference);
    fail_unless_equals_int (find (0, 0, GST_SECOND), -GST_CUDA_HISTO_REFERENCE_FLUSHING);
    g_thread_join (thread);
    close_reference ();
    await_end ();
    fail_unless_equals_int (write (writer, "YUV4MPEG2 W32 ", 14), 14);
  }
  close (writer);
}

#ifndef __SANITIZE_ADDRESS__
/* A server that accepts the connection and never answers. Not for the leak checker: gstsoup 1.22 never frees the data of its
 * session (its finalize does not call the parent's), and libsoup 3.2 leaks a source of a cancelled connection. */
TEST (test_stuck_server)
{
  GstElementFactory *http = gst_element_factory_find ("souphttpsrc");
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  const gint server = socket (AF_INET, SOCK_STREAM, 0);
  socklen_t length = sizeof address;
  GThread *thread;

  if (http == NULL) {
    g_print ("there is no souphttpsrc (gstreamer1.0-plugins-good): no server is tried\n");
    close (server);
    return;
  }
  gst_object_unref (http);
  fail_unless_equals_int (bind (server, (struct sockaddr *)&address, sizeof address), 0);
  fail_unless_equals_int (listen (server, 8), 0);
  fail_unless_equals_int (getsockname (server, (struct sockaddr *)&address, &length), 0);
  g_autofree gchar *uri = g_strdup_printf ("http://127.0.0.1:%u/film.mp4", ntohs (address.sin_port));
  open_reference (uri, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  thread = g_thread_new ("flush", flush_soon, reference);
  fail_unless_equals_int (find (0, 0, GST_SECOND), -GST_CUDA_HISTO_REFERENCE_FLUSHING);
  g_thread_join (thread);
  close_reference ();
  await_end ();
  close (server);
}

static void
log_slowly (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
            GObject *object, GstDebugMessage *message, gpointer user_data)
{
  (void)category, (void)level, (void)file, (void)function, (void)line, (void)object, (void)message, (void)user_data;
  g_usleep (20);
}

/* A camera, whose pipeline may stay in PAUSED if state changes are slow. Not for the leak checker: GStreamer keeps every list
 * of log functions. */
TEST (test_camera)
{
  GstElementFactory *testbin = gst_element_factory_find ("testsrcbin");
  GstCudaHistoReferenceOutcome outcome;
  GstCudaHistoFrame *frame = NULL;
  guint width = 0, height = 0;
  GError *error = NULL;

  if (testbin == NULL) {
    g_print ("there is no testsrcbin (gstreamer1.0-plugins-bad): no camera is tried\n");
    return;
  }
  gst_object_unref (testbin);
  (gst_debug_remove_log_function) (NULL); /* the default; the macros with these names compare functions with void * */
  (gst_debug_add_log_function) (log_slowly, NULL, NULL);
  gst_debug_set_threshold_from_string ("GST_STATES:5,bin:5", FALSE);
  for (guint i = 0; i < 10; i++) {
    open_reference ("testbin://video,is-live=true", GST_CUDA_HISTO_REFERENCE_IN_STEP);
    for (guint f = 0; f < 20; f++) {
      const GstCudaHistoReferenceKey key
          = { .frame = f, .is_first = f == 0, .stream_time = f * 10 * GST_MSECOND, .duration = 10 * GST_MSECOND };

      outcome = gst_cuda_histo_reference_find (reference, &key, &frame, &width, &height, &error);
      g_assert_no_error (error);
      fail_unless (outcome != GST_CUDA_HISTO_REFERENCE_FAILED);
    }
  }
  gst_debug_set_threshold_from_string ("", TRUE);
  (gst_debug_remove_log_function) (log_slowly);
  (gst_debug_add_log_function) (gst_debug_log_default, NULL, NULL);
  close_reference ();
}
#endif

/* Sources for failures. stuck:// cannot be interrupted, like a file server that is gone. wait:// is interrupted while it
 * starts. slow:// changes to READY slowly, so that it has not started, or has stopped. seek:// has frames, and waits during a
 * seek. full:// has frames, and waits for its streaming thread as it changes to PLAYING. last:// is like
 * full:// and ends after two frames. jump:// is like full:// and can seek. */
typedef struct {
  GstPushSrc parent;
  gboolean waits, is_slow, seeks, fills, ends, jumps, is_interrupted, has_started, has_failed;
  guint64 frame;
} StuckSrc;

typedef struct {
  GstPushSrcClass parent_class;
} StuckSrcClass;

static GMutex stuck_lock;
static GCond stuck_cond;
static gboolean is_loose;
static guint n_slow, n_early; /* slow changes of state, and calls of unlock() in a source that has not started */
static guint n_started;       /* sources that have started */
static guint n_filling;       /* changes to PLAYING that have waited for the streaming thread */
static guint n_frames;        /* of sources with frames; the end counts as one */

static GstURIType
stuck_get_uri_type (GType type G_GNUC_UNUSED)
{
  return GST_URI_SRC;
}

static const gchar *const *
stuck_get_protocols (GType type G_GNUC_UNUSED)
{
  static const gchar *const protocols[] = { "stuck", "wait", "slow", "seek", "full", "last", "jump", NULL };

  return protocols;
}

static gchar *
stuck_get_uri (GstURIHandler *handler G_GNUC_UNUSED)
{
  return g_strdup ("stuck://here");
}

static gboolean
stuck_set_uri (GstURIHandler *handler, const gchar *uri, GError **error G_GNUC_UNUSED)
{
  ((StuckSrc *)handler)->waits = gst_uri_has_protocol (uri, "wait");
  ((StuckSrc *)handler)->is_slow = gst_uri_has_protocol (uri, "slow");
  ((StuckSrc *)handler)->seeks = gst_uri_has_protocol (uri, "seek");
  ((StuckSrc *)handler)->ends = gst_uri_has_protocol (uri, "last");
  ((StuckSrc *)handler)->jumps = gst_uri_has_protocol (uri, "jump");
  ((StuckSrc *)handler)->fills
      = ((StuckSrc *)handler)->ends || ((StuckSrc *)handler)->jumps || gst_uri_has_protocol (uri, "full");
  gst_base_src_set_format (GST_BASE_SRC (handler),
                           ((StuckSrc *)handler)->seeks || ((StuckSrc *)handler)->fills ? GST_FORMAT_TIME : GST_FORMAT_BYTES);
  return TRUE;
}

static void
stuck_init_handler (gpointer iface, gpointer data G_GNUC_UNUSED)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = stuck_get_uri_type;
  handler->get_protocols = stuck_get_protocols;
  handler->get_uri = stuck_get_uri;
  handler->set_uri = stuck_set_uri;
}

static GType stuck_src_get_type (void);

G_DEFINE_TYPE_WITH_CODE (StuckSrc, stuck_src, GST_TYPE_PUSH_SRC,
                         G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, stuck_init_handler))

static GstBuffer *
stuck_src_make_frame (StuckSrc *self)
{
  GstBuffer *buffer;
  GstVideoInfo info;

  init_info (&info, "I420");
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 5, 1, NULL);
  gst_base_src_set_caps (GST_BASE_SRC (self), caps);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, (guint8)(self->frame % 200 + 20), info.size);
  GST_BUFFER_PTS (buffer) = self->frame++ * GST_SECOND / 5;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 5;
  return buffer;
}

static GstFlowReturn
stuck_src_create (GstPushSrc *source, GstBuffer **buffer)
{
  if (((StuckSrc *)source)->has_failed) /* without a segment */
    return GST_FLOW_FLUSHING;
  if (((StuckSrc *)source)->ends && ((StuckSrc *)source)->frame == 2) {
    g_mutex_lock (&stuck_lock);
    n_frames++;
    g_cond_broadcast (&stuck_cond);
    g_mutex_unlock (&stuck_lock);
    gst_pad_push_event (GST_BASE_SRC_PAD (source), gst_event_new_eos ()); /* the sink waits until its frames are taken */
    g_mutex_lock (&stuck_lock);
    ((StuckSrc *)source)->frame = 4;
    g_cond_broadcast (&stuck_cond);
    g_mutex_unlock (&stuck_lock);
    return GST_FLOW_EOS;
  }
  if (((StuckSrc *)source)->seeks || ((StuckSrc *)source)->fills) {
    g_mutex_lock (&stuck_lock);
    n_frames++;
    *buffer = stuck_src_make_frame ((StuckSrc *)source);
    g_cond_broadcast (&stuck_cond);
    g_mutex_unlock (&stuck_lock);
    return GST_FLOW_OK;
  }
  g_mutex_lock (&stuck_lock);
  while (!is_loose && !((StuckSrc *)source)->waits && !((StuckSrc *)source)->is_slow)
    g_cond_wait (&stuck_cond, &stuck_lock);
  g_mutex_unlock (&stuck_lock);
  return GST_FLOW_EOS;
}

static gboolean
stuck_src_start (GstBaseSrc *source)
{
  StuckSrc *self = (StuckSrc *)source;

  g_mutex_lock (&stuck_lock);
  self->has_started = TRUE;
  self->has_failed = FALSE;
  n_started++;
  while (self->waits && !self->is_interrupted)
    g_cond_wait (&stuck_cond, &stuck_lock);
  g_mutex_unlock (&stuck_lock);
  return TRUE;
}

static gboolean
stuck_src_unlock (GstBaseSrc *source)
{
  g_mutex_lock (&stuck_lock);
  n_early += !((StuckSrc *)source)->has_started;
  ((StuckSrc *)source)->is_interrupted = TRUE;
  g_cond_broadcast (&stuck_cond);
  g_mutex_unlock (&stuck_lock);
  return TRUE;
}

static gboolean
stuck_src_unlock_stop (GstBaseSrc *source)
{
  g_mutex_lock (&stuck_lock);
  ((StuckSrc *)source)->is_interrupted = FALSE;
  g_mutex_unlock (&stuck_lock);
  return TRUE;
}

static gboolean
stuck_src_is_seekable (GstBaseSrc *source)
{
  return ((StuckSrc *)source)->seeks || ((StuckSrc *)source)->jumps;
}

/* jump:// continues at the frame of the seek. Other sources block until they are interrupted, and then fail, except for the
 * seek at the start. */
static gboolean
stuck_src_do_seek (GstBaseSrc *source, GstSegment *segment)
{
  if (segment->start == 0)
    return TRUE;
  if (((StuckSrc *)source)->jumps) {
    ((StuckSrc *)source)->frame = segment->start * 5 / GST_SECOND;
    return TRUE;
  }
  g_mutex_lock (&stuck_lock);
  while (!((StuckSrc *)source)->is_interrupted)
    g_cond_wait (&stuck_cond, &stuck_lock);
  ((StuckSrc *)source)->has_failed = TRUE;
  g_mutex_unlock (&stuck_lock);
  return FALSE;
}

static gboolean
stuck_src_stop (GstBaseSrc *source)
{
  g_mutex_lock (&stuck_lock);
  ((StuckSrc *)source)->has_started = FALSE;
  g_mutex_unlock (&stuck_lock);
  GST_ELEMENT_WARNING (source, STREAM, FORMAT, ("stopped"), ("stopped"));
  return TRUE;
}

/* Waits until the sink accepts the third frame, or the end of the stream. It holds two frames. With jump://, the decoder
 * takes frames before the seek, so it waits for more. */
static void
stuck_src_await_streaming (StuckSrc *self)
{
  g_mutex_lock (&stuck_lock);
  n_filling++;
  g_cond_broadcast (&stuck_cond);
  while (self->frame < (self->jumps ? 6 : 4))
    g_cond_wait (&stuck_cond, &stuck_lock);
  g_mutex_unlock (&stuck_lock);
}

static GstStateChangeReturn
stuck_src_change_state (GstElement *element, GstStateChange change)
{
  const GstStateChangeReturn result = GST_ELEMENT_CLASS (stuck_src_parent_class)->change_state (element, change);

  if (((StuckSrc *)element)->fills && change == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    stuck_src_await_streaming ((StuckSrc *)element);
  if (((StuckSrc *)element)->is_slow
      && (change == GST_STATE_CHANGE_NULL_TO_READY || change == GST_STATE_CHANGE_PAUSED_TO_READY)) {
    g_usleep (G_USEC_PER_SEC / 2);
    g_mutex_lock (&stuck_lock);
    n_slow++;
    g_mutex_unlock (&stuck_lock);
  }
  return result;
}

static void
stuck_src_class_init (StuckSrcClass *klass)
{
  static GstStaticPadTemplate pad = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &pad);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Stuck source", "Source", "Gives nothing", "cudahisto");
  GST_BASE_SRC_CLASS (klass)->start = stuck_src_start;
  GST_BASE_SRC_CLASS (klass)->stop = stuck_src_stop;
  GST_BASE_SRC_CLASS (klass)->unlock = stuck_src_unlock;
  GST_BASE_SRC_CLASS (klass)->unlock_stop = stuck_src_unlock_stop;
  GST_BASE_SRC_CLASS (klass)->is_seekable = stuck_src_is_seekable;
  GST_BASE_SRC_CLASS (klass)->do_seek = stuck_src_do_seek;
  GST_ELEMENT_CLASS (klass)->change_state = stuck_src_change_state;
  GST_PUSH_SRC_CLASS (klass)->create = stuck_src_create;
}

static void
stuck_src_init (StuckSrc *source G_GNUC_UNUSED)
{
}

/* A change of state waits for the source, and no other one can begin. */
TEST (test_stuck_start)
{
  GThread *thread;

  gst_element_register (NULL, "stucksrc", GST_RANK_PRIMARY, stuck_src_get_type ());
  open_reference ("wait://here", GST_CUDA_HISTO_REFERENCE_IN_STEP);
  thread = g_thread_new ("flush", flush_soon, reference);
  fail_unless_equals_int (find (0, 0, GST_SECOND), -GST_CUDA_HISTO_REFERENCE_FLUSHING);
  g_thread_join (thread);
  close_reference ();
  await_end ();
}

/* A seek waits for the source, and no change of state can begin. The stop lets the seek fail, and does not start the source
 * again, as after other failed seeks. */
TEST (test_stuck_seek)
{
  const guint n_before = n_started;
  GThread *thread;

  gst_element_register (NULL, "stucksrc", GST_RANK_PRIMARY, stuck_src_get_type ());
  open_reference ("seek://here", GST_CUDA_HISTO_REFERENCE_IN_STEP);
  fail_unless_equals_int (find (0, 0, GST_SECOND / 5), 0);
  thread = g_thread_new ("flush", flush_soon, reference);
  fail_unless_equals_int (find (1, 1000 * GST_SECOND, GST_SECOND / 5), -GST_CUDA_HISTO_REFERENCE_FLUSHING);
  g_thread_join (thread);
  close_reference ();
  fail_unless_equals_int (gst_cuda_histo_reference_count_stuck (), 0);
  fail_unless_equals_int (n_started - n_before, 1);
}

/* A stop may take longer than the time after which the reference counts as stuck. With a deadlock it does not end. */
static void
check_end (void)
{
  for (guint i = 0; i < 6000 && gst_cuda_histo_reference_count_stuck () > 0; i++)
    g_usleep (10 * 1000);
  fail_unless_equals_int (gst_cuda_histo_reference_count_stuck (), 0);
}

/* Stops a reference whose change of state waits for the streaming thread, which waits until somebody takes a frame from the
 * sink. It stops once the source is changing to PLAYING, or has made three frames, or two and the end. */
static void
stop_full (const gchar *location)
{
  gst_element_register (NULL, "stucksrc", GST_RANK_PRIMARY, stuck_src_get_type ());
  g_mutex_lock (&stuck_lock);
  n_filling = n_frames = 0;
  g_mutex_unlock (&stuck_lock);
  open_reference (location, GST_CUDA_HISTO_REFERENCE_IN_STEP);
  g_mutex_lock (&stuck_lock);
  while (n_filling == 0 && n_frames < 3)
    g_cond_wait (&stuck_cond, &stuck_lock);
  g_mutex_unlock (&stuck_lock);
  close_reference ();
  check_end ();
}

TEST (test_full_sink)
{
  stop_full ("full://here");
}

/* The stop may come before the sink gets the end: hence the repetitions. */
TEST (test_full_sink_at_end)
{
  for (guint i = 0; i < 20; i++)
    stop_full ("last://here");
}

/* A seek waits for the change to PLAYING, which waits until somebody takes a frame. */
TEST (test_seek_of_full_sink)
{
  gst_element_register (NULL, "stucksrc", GST_RANK_PRIMARY, stuck_src_get_type ());
  for (guint i = 0; i < 20; i++) {
    open_reference ("jump://here", GST_CUDA_HISTO_REFERENCE_IN_STEP);
    fail_unless_equals_int (find (0, 1001 * GST_SECOND, GST_SECOND / 5), 5);
    close_reference ();
    check_end ();
  }
}

/* A source may make what its unlock() needs as it starts, as fdsrc does, and free it as it stops. */
TEST (test_not_started)
{
  gst_element_register (NULL, "stucksrc", GST_RANK_PRIMARY, stuck_src_get_type ());
  for (guint i = 0; i < 2; i++) { /* stopped while it opens, and when it has been opened */
    open_reference ("slow://here", GST_CUDA_HISTO_REFERENCE_IN_STEP);
    if (i > 0)
      g_usleep (G_USEC_PER_SEC);
    close_reference ();
    await_end ();
  }
  fail_unless (n_slow >= 2);
  fail_unless_equals_int (n_early, 0);
}

/* An element's warning that comes from the stop alone does not say that the reference is damaged. */
TEST (test_warning_at_stop)
{
  g_autoptr (GstElement) owner = gst_object_ref_sink (gst_element_factory_make ("identity", NULL));
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstMessage *message;
  GstVideoInfo info;

  gst_element_register (NULL, "stucksrc", GST_RANK_PRIMARY, stuck_src_get_type ());
  gst_element_set_bus (owner, bus);
  init_info (&info, "I420");
  reference = gst_cuda_histo_reference_new (owner, "slow://here", GST_CUDA_HISTO_REFERENCE_IN_STEP, 0, &info, NULL);
  g_usleep (G_USEC_PER_SEC);
  close_reference ();
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message == NULL);
  gst_element_set_bus (owner, NULL);
}

/* Stuck decoders are counted and limited until they end. */
TEST (test_stuck_for_good)
{
  GstVideoInfo info;
  g_autoptr (GError) error = NULL;
  GThread *threads[8];

  gst_element_register (NULL, "stucksrc", GST_RANK_PRIMARY, stuck_src_get_type ());
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, 32, 16);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++) {
    GThread *thread;

    open_reference ("stuck://here", GST_CUDA_HISTO_REFERENCE_IN_STEP);
    thread = g_thread_new ("flush", flush_soon, reference);
    fail_unless_equals_int (find (0, 0, GST_SECOND), -GST_CUDA_HISTO_REFERENCE_FLUSHING);
    g_thread_join (thread);
    threads[i] = g_thread_new ("close", close_in_thread, g_steal_pointer (&reference));
  }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  fail_unless_equals_int (gst_cuda_histo_reference_count_stuck (), G_N_ELEMENTS (threads));
  fail_unless (gst_cuda_histo_reference_new (NULL, "stuck://here", GST_CUDA_HISTO_REFERENCE_IN_STEP, 0, &info, &error) == NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY));
  fail_unless (strstr (error->message, "8 stopped references are stuck") != NULL);

  g_mutex_lock (&stuck_lock);
  is_loose = TRUE;
  g_cond_broadcast (&stuck_cond);
  g_mutex_unlock (&stuck_lock);
  await_end ();
  open_reference ("stuck://here", GST_CUDA_HISTO_REFERENCE_IN_STEP);
  close_reference ();
}

/* The plugin's folders log in the element's category. */
GST_DEBUG_CATEGORY_EXTERN (gst_cuda_histo_debug);

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  GST_DEBUG_CATEGORY_INIT (gst_cuda_histo_debug, "cudahisto", 0, "test of references");
  return TEST_RUN ();
}
