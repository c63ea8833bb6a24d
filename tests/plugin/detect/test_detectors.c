/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The detectors without an element: numbers and the events that follow from them, and the events' lines and messages. */

#include <json-glib/json-glib.h>
#include <string.h>

#include "cases.h"
#include "common/timestamps.h"
#include "detect/detectors.h"

enum { FPS = 25, SAMPLES = 1000, LIMIT = 37 };

#define NONE GST_CLOCK_TIME_NONE
#define FRAME (GST_SECOND / FPS)
#define DAY (24 * 60 * 60 * GST_SECOND) /* since 1970; arrival of the first frame */

/* Luma only, limited range. */
static const GstCudaHistoSource gray = {
  .is_video = TRUE,
  .format = "GRAY8",
  .depth = 8,
  .range = "limited",
  .framerate_n = FPS,
  .framerate_d = 1,
  .n_components = 1,
  .components = { "GRAY" },
};

static const GstCudaHistoDetection defaults = {
  .events = GST_CUDA_HISTO_EVENTS_BLACK | GST_CUDA_HISTO_EVENTS_FREEZE | GST_CUDA_HISTO_EVENTS_SCENE_CHANGE,
  .black_min_duration = 2 * GST_SECOND,
  .black_ratio = 0.98,
  .black_level = 0.1,
  .freeze_min_duration = 2 * GST_SECOND,
  .freeze_noise = 0.001,
  .scene_change_threshold = 10,
};

/* A stream of frames through the detectors, and the findings of the last frame. */
typedef struct {
  GstCudaHistoDetectors detectors;
  GstCudaHistoFindings findings;
  guint64 next_frame;
  GstClockTime start;        /* stream time of the first frame; NONE: no frame has times */
  gboolean was_like;         /* operand of the last frame */
  GstCudaHistoDamage damage; /* of the next frame */
} Stream;

static void
open_stream (Stream *stream, GstCudaHistoEvents events, const GstCudaHistoSource *source)
{
  GstCudaHistoDetection settings = defaults;

  memset (stream, 0, sizeof *stream);
  settings.events = events;
  gst_cuda_histo_detectors_init (&stream->detectors, &settings);
  gst_cuda_histo_detectors_set_source (&stream->detectors, source);
}

static struct histo_component_stats
make_component (uint64_t *histogram, guint black, gint64 difference)
{
  histogram[LIMIT] = black;
  histogram[LIMIT + 1] = SAMPLES - black;
  return (struct histo_component_stats){
    .count = SAMPLES,
    .depth = 8,
    .bins = 256,
    .histogram = histogram,
    .absolute_difference = difference >= 0 ? (guint64)difference : 0,
    .difference_count = difference >= 0 ? SAMPLES : 0,
  };
}

static GstClockTime
time_of (const Stream *stream, guint64 frame)
{
  return stream->start == NONE ? NONE : stream->start + gst_util_uint64_scale (frame, GST_SECOND, FPS);
}

static void
finish (Stream *stream)
{
  const GstCudaHistoMoment moment
      = { stream->next_frame, time_of (stream, stream->next_frame), FALSE, 0, 0, NONE, DAY + stream->next_frame * FRAME };

  stream->was_like = gst_cuda_histo_detectors_finish_buffer (&stream->detectors, &moment, &stream->damage, &stream->findings);
  stream->next_frame++;
}

/* A frame with a number of black samples and a sum of differences (-1: none). */
static void
push (Stream *stream, guint black, gint64 difference)
{
  uint64_t histogram[256] = { 0 };
  struct histo_component_stats component = make_component (histogram, black, difference);
  const struct histo_stats stats = { .component_count = 1, .components = &component };

  gst_cuda_histo_detectors_add_picture (&stream->detectors, &stats);
  finish (stream);
}

static void
push_many (Stream *stream, guint count, guint black, gint64 difference)
{
  for (guint i = 0; i < count; i++) {
    push (stream, black, difference);
    fail_unless_equals_int (stream->findings.n_events, 0);
  }
}

/* Checks that the last frame has caused this event and no other. `end` is a frame, or -1 until it ends. */
static void
check_event (const Stream *stream, const gchar *kind, guint64 frame, gint64 end, guint64 frames, gdouble value,
             const gchar *ended_by)
{
  const GstCudaHistoFinding *event = &stream->findings.events[0];

  fail_unless_equals_int (stream->findings.n_events, 1);
  fail_unless_equals_string (event->kind, kind);
  fail_unless_equals_uint64 (event->frame, frame);
  fail_unless_equals_uint64 (event->frames, frames);
  fail_unless_equals_uint64 (event->start, time_of (stream, frame));
  fail_unless_equals_uint64 (event->end, end < 0 ? NONE : time_of (stream, (guint64)end));
  fail_unless_equals_uint64 (event->duration, end < 0 ? NONE : ((guint64)end - frame) * FRAME);
  fail_unless_equals_uint64 (event->utc_time, DAY + frame * FRAME);
  fail_unless_equals_float (event->value, value);
  fail_unless_equals_string (event->ended_by, ended_by);
}

TEST (test_black_limit)
{
  fail_unless_equals_int (gst_cuda_histo_measure_black_limit (0.1, 8, FALSE), 37); /* 16 + 21.9 */
  fail_unless_equals_int (gst_cuda_histo_measure_black_limit (0.1, 8, TRUE), 25);  /* 25.5 */
  fail_unless_equals_int (gst_cuda_histo_measure_black_limit (0.1, 10, FALSE), 151);
  fail_unless_equals_int (gst_cuda_histo_measure_black_limit (0.1, 10, TRUE), 102);
  fail_unless_equals_int (gst_cuda_histo_measure_black_limit (0, 16, FALSE), 4096);
  fail_unless_equals_int (gst_cuda_histo_measure_black_limit (1, 16, TRUE), 65535);
}

TEST (test_black)
{
  Stream stream;

  open_stream (&stream, GST_CUDA_HISTO_EVENTS_BLACK, &gray);
  push_many (&stream, 10, 979, 0);
  push_many (&stream, 50, 980, 0);
  push (&stream, 1000, 0); /* two seconds after its first frame */
  check_event (&stream, "black", 10, -1, 51, 0.98, NULL);
  push_many (&stream, 5, 1000, 0);
  push (&stream, 979, 0);
  check_event (&stream, "black", 10, 66, 56, 0.98, "complete");

  /* Exactly the minimum duration: known at its end. One frame less is no event. */
  push_many (&stream, 50, 1000, 0);
  push (&stream, 0, 0);
  check_event (&stream, "black", 67, 117, 50, 1, "complete");
  push_many (&stream, 49, 1000, 0);
  push_many (&stream, 1, 0, 0);
}

/* As in blackdetect, the end of the stream is its last frame. */
TEST (test_end)
{
  Stream stream;

  open_stream (&stream, GST_CUDA_HISTO_EVENTS_BLACK | GST_CUDA_HISTO_EVENTS_FREEZE, &gray);
  push_many (&stream, 1, 1000, -1);
  push_many (&stream, 49, 1000, 1001);
  gst_cuda_histo_detectors_end (&stream.detectors, GST_CUDA_HISTO_ENDED_BY_EOS, &stream.findings);
  fail_unless_equals_int (stream.findings.n_events, 0);

  push_many (&stream, 1, 1000, -1);
  push_many (&stream, 49, 1000, 0);
  push (&stream, 1000, 0);
  fail_unless_equals_int (stream.findings.n_events, 2);
  push_many (&stream, 3, 1000, 0);
  gst_cuda_histo_detectors_end (&stream.detectors, GST_CUDA_HISTO_ENDED_BY_CAPS, &stream.findings);
  fail_unless_equals_int (stream.findings.n_events, 2);
  stream.findings.n_events = 1;
  check_event (&stream, "black", 50, 103, 54, 1, "caps");
  stream.findings.events[0] = stream.findings.events[1];
  check_event (&stream, "freeze", 50, 103, 54, 0, "caps");

  gst_cuda_histo_detectors_end (&stream.detectors, GST_CUDA_HISTO_ENDED_BY_STOP, &stream.findings);
  fail_unless_equals_int (stream.findings.n_events, 0);
}

TEST (test_freeze)
{
  const gint64 noise = 256; /* of 1000 samples: 0.001 of 256 values each */
  Stream stream;

  open_stream (&stream, GST_CUDA_HISTO_EVENTS_FREEZE, &gray);
  push_many (&stream, 1, 0, -1);
  fail_unless (!stream.was_like);
  push_many (&stream, 1, 0, noise + 1);
  fail_unless (!stream.was_like);
  push_many (&stream, 1, 0, noise);
  fail_unless (stream.was_like);
  push_many (&stream, 48, 0, 0);
  push (&stream, 0, 0);
  check_event (&stream, "freeze", 1, -1, 51, 0.001, NULL);
  push_many (&stream, 7, 0, noise);
  fail_unless (stream.was_like);
  push (&stream, 0, noise + 1);
  fail_unless (!stream.was_like);
  check_event (&stream, "freeze", 1, 59, 58, 0.001, "complete");

  /* The next frame is compared with the frame that ended it. */
  push_many (&stream, 49, 0, 0);
  push (&stream, 0, 100000);
  check_event (&stream, "freeze", 59, 109, 50, 0, "complete");
}

/* If other frames are compared too, those with the freeze's first frame decide. */
TEST (test_freeze_part)
{
  uint64_t histogram[256] = { 0 };
  struct histo_component_stats component = make_component (histogram, 0, 0);
  const struct histo_stats stats = { .component_count = 1, .components = &component };
  Stream stream;

  open_stream (&stream, GST_CUDA_HISTO_EVENTS_FREEZE | GST_CUDA_HISTO_EVENTS_SCENE_CHANGE, &gray);
  push_many (&stream, 1, 0, -1);
  push_many (&stream, 49, 0, 0);
  /* It equals the previous frame, but not the freeze's first frame. */
  gst_cuda_histo_detectors_add_picture (&stream.detectors, &stats);
  component.absolute_difference = 50000;
  gst_cuda_histo_detectors_add_freeze (&stream.detectors, &stats);
  finish (&stream);
  check_event (&stream, "freeze", 0, 50, 50, 0, "complete");
}

/* A low frame rate: each frame stands still for its duration. */
TEST (test_slow_freeze)
{
  GstCudaHistoDetectors detectors;
  GstCudaHistoFindings findings;
  uint64_t histogram[256] = { 0 };
  struct histo_component_stats component = make_component (histogram, 0, -1);
  const struct histo_stats stats = { .component_count = 1, .components = &component };
  const GstCudaHistoDamage sound = { 0 };

  gst_cuda_histo_detectors_init (&detectors, &defaults);
  gst_cuda_histo_detectors_set_source (&detectors, &gray);
  for (guint i = 0; i < 5; i++) {
    const GstCudaHistoMoment moment = { i, i * 4 * GST_SECOND, FALSE, 0, 0, i * 2 * GST_SECOND, NONE };

    gst_cuda_histo_detectors_add_picture (&detectors, &stats);
    gst_cuda_histo_detectors_finish_buffer (&detectors, &moment, &sound, &findings);
    component = make_component (histogram, 0, 20000); /* below a scene change */
    fail_unless_equals_int (findings.n_events, i > 0);
    if (i > 0) {
      fail_unless_equals_uint64 (findings.events[0].start, (i - 1) * 4 * GST_SECOND);
      fail_unless_equals_uint64 (findings.events[0].end, i * 4 * GST_SECOND);
      fail_unless_equals_uint64 (findings.events[0].running_time, (i - 1) * 2 * GST_SECOND);
      fail_unless_equals_uint64 (findings.events[0].end_running_time, i * 2 * GST_SECOND);
      fail_unless_equals_uint64 (findings.events[0].frames, 1);
    }
  }
}

TEST (test_gap)
{
  Stream stream;

  open_stream (&stream, defaults.events, &gray);
  push_many (&stream, 1, 1000, -1);
  for (guint i = 0; i < 55; i++)
    push (&stream, 1000, 0);
  /* Black continues. A freeze, and the operand of scene changes, do not. */
  push (&stream, 1000, -1);
  check_event (&stream, "freeze", 0, 55, 56, 0, "gap");
  push (&stream, 1000, 25600);
  check_event (&stream, "scene-change", 57, 57, 1, 10, "complete");
  push (&stream, 0, 25600);
  check_event (&stream, "black", 0, 58, 58, 1, "complete");
}

TEST (test_scene_change)
{
  Stream stream;

  open_stream (&stream, GST_CUDA_HISTO_EVENTS_SCENE_CHANGE, &gray);
  push_many (&stream, 1, 0, -1);
  push_many (&stream, 1, 0, 25599);
  push_many (&stream, 1, 0, 51198); /* 19.99 less 9.99 is below 10 */
  push_many (&stream, 1, 0, 51198); /* the same difference: no change */
  push_many (&stream, 1, 0, 2560);
  push (&stream, 0, 29000);
  check_event (&stream, "scene-change", 5, 5, 1, (gfloat)((29000 - 2560) * 100. / 1000 / 256), "complete");
  push_many (&stream, 1, 0, 2560);
  push (&stream, 0, 255000);
  check_event (&stream, "scene-change", 7, 7, 1, (gfloat)(252440 * 100. / 1000 / 256), "complete");
}

/* Above a fraction of the picture, at once, and over all pictures of a buffer. */
TEST (test_clipped)
{
  struct histo_picture_stats picture = { .statistics = HISTO_STATISTIC_GAMUT, .luma_count = SAMPLES };
  const struct histo_stats stats = { .picture = &picture };
  const guint64 errors[] = { 10, 11, 30, 10, 0, 11 };
  Stream stream;

  open_stream (&stream, GST_CUDA_HISTO_EVENTS_CLIPPED, &gray);
  stream.detectors.settings.clipped_ratio = 0.01;
  for (guint i = 0; i < G_N_ELEMENTS (errors); i++) {
    for (guint view = 0; view < 2; view++) {
      picture.gamut_errors = errors[i];
      gst_cuda_histo_detectors_add_picture (&stream.detectors, &stats);
    }
    finish (&stream);
    if (i == 1)
      check_event (&stream, "clipped", 1, -1, 1, 0.011, NULL);
    else if (i == 3)
      check_event (&stream, "clipped", 1, 3, 2, 0.011, "complete");
    else
      fail_unless_equals_int (stream.findings.n_events, i == 5);
  }
  gst_cuda_histo_detectors_end (&stream.detectors, GST_CUDA_HISTO_ENDED_BY_EOS, &stream.findings);
  check_event (&stream, "clipped", 5, 5, 1, 0.011, "eos");

  /* Without the statistic nothing is detected. */
  picture.statistics = HISTO_STATISTIC_OUTLIERS;
  gst_cuda_histo_detectors_add_picture (&stream.detectors, &stats);
  finish (&stream);
  fail_unless_equals_int (stream.findings.n_events, 0);
}

/* Scene changes use luma only; freezes use all components; R, G and B are all used for both. */
TEST (test_components)
{
  const GstCudaHistoSource yuv = {
    .is_video = TRUE, .format = "Y444", .depth = 8, .range = "limited", .n_components = 3, .components = { "Y", "U", "V" }
  };
  const GstCudaHistoSource rgb
      = { .is_video = TRUE, .format = "GBR", .depth = 8, .range = "full", .n_components = 3, .components = { "R", "G", "B" } };
  const GstCudaHistoSource bytes
      = { .format = "bytes", .depth = 8, .range = "full", .n_components = 1, .components = { "byte" } };
  const GstCudaHistoSource *sources[] = { &yuv, &rgb };
  uint64_t histogram[256] = { 0 };

  fail_unless (gst_cuda_histo_detectors_have_luma (&gray));
  fail_unless (gst_cuda_histo_detectors_have_luma (&yuv));
  fail_unless (!gst_cuda_histo_detectors_have_luma (&rgb));
  fail_unless (!gst_cuda_histo_detectors_have_luma (&bytes));
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    struct histo_component_stats components[3];
    const struct histo_stats stats = { .component_count = 3, .components = components };
    Stream stream;

    open_stream (&stream, defaults.events, sources[i]);
    for (guint c = 0; c < 3; c++)
      components[c] = make_component (histogram, SAMPLES, -1);
    gst_cuda_histo_detectors_add_picture (&stream.detectors, &stats);
    finish (&stream);
    for (guint c = 0; c < 3; c++)
      components[c] = make_component (histogram, SAMPLES, c == 2 ? 120000 : 0);
    gst_cuda_histo_detectors_add_picture (&stream.detectors, &stats);
    finish (&stream);
    fail_unless (!stream.was_like);
    fail_unless_equals_int (stream.findings.n_events, sources[i] == &rgb);
    fail_unless_equals_int (stream.detectors.black.is_open, sources[i] == &yuv);
    /* Two pictures in a buffer, one without an operand. */
    gst_cuda_histo_detectors_add_picture (&stream.detectors, &stats);
    components[0].difference_count = 0;
    gst_cuda_histo_detectors_add_picture (&stream.detectors, &stats);
    finish (&stream);
    fail_unless_equals_int (stream.findings.n_events, 0);
    fail_unless_equals_float (stream.detectors.previous_mean, 0);
  }
}

TEST (test_times)
{
  GstCudaHistoSource unpaced = gray;
  GstCudaHistoInterval interval = { .min_duration = 100000000 };
  const GstCudaHistoMoment third[] = { { 1, 33333333, FALSE, 0, 0, NONE, NONE },
                                       { 4, 133333333, FALSE, 0, 0, NONE, NONE },
                                       { 5, 133333332, FALSE, 0, 0, NONE, NONE },
                                       { 6, 133333331, FALSE, 0, 0, NONE, NONE } };
  const GstCudaHistoMoment back = { 5, 33333333, TRUE, 0, 0, NONE, NONE }, still = { 1, 3, FALSE, 2, 0, NONE, NONE };
  GstClockTime duration;
  Stream stream;

  /* Without times the duration follows from the frame rate. Without both it is unknown. */
  open_stream (&stream, GST_CUDA_HISTO_EVENTS_BLACK, &gray);
  stream.start = NONE;
  push_many (&stream, 50, SAMPLES, -1);
  push (&stream, SAMPLES, -1);
  fail_unless_equals_int (stream.findings.n_events, 1);
  fail_unless_equals_uint64 (stream.findings.events[0].start, NONE);
  push (&stream, 0, -1);
  fail_unless_equals_uint64 (stream.findings.events[0].end, NONE);
  fail_unless_equals_uint64 (stream.findings.events[0].duration, 51 * FRAME);
  fail_unless_equals_string (stream.findings.events[0].ended_by, "complete");
  unpaced.framerate_n = 0;
  open_stream (&stream, GST_CUDA_HISTO_EVENTS_BLACK, &unpaced);
  stream.start = NONE;
  push_many (&stream, 500, SAMPLES, -1);

  /* Backwards it has the same duration. */
  gst_cuda_histo_interval_open (&interval, &third[1]);
  fail_unless (!gst_cuda_histo_interval_begins_event (&interval));
  gst_cuda_histo_interval_extend (&interval, &back);
  fail_unless (gst_cuda_histo_interval_begins_event (&interval));
  fail_unless (!gst_cuda_histo_interval_begins_event (&interval));
  /* Timestamps are rounded down by up to a nanosecond. */
  gst_cuda_histo_interval_open (&interval, &third[0]);
  fail_unless (gst_cuda_histo_interval_close (&interval, &third[2], &duration));
  fail_unless_equals_uint64 (duration, 99999999);
  fail_unless (!gst_cuda_histo_interval_close (&interval, &third[2], &duration));
  gst_cuda_histo_interval_open (&interval, &third[0]);
  fail_unless (!gst_cuda_histo_interval_close (&interval, &third[3], &duration));
  /* The first frame's time belongs to another frame: only the number of frames gives the duration. */
  interval.framerate_n = interval.framerate_d = 1;
  gst_cuda_histo_interval_open (&interval, &still);
  fail_unless (gst_cuda_histo_interval_close (&interval, &third[1], &duration));
  fail_unless_equals_uint64 (duration, NONE);
}

/* 60 frames a second with times in 1/25 s, so that up to three share a time: times still give durations. With one more they do
 * not. */
TEST (test_coarse_times)
{
  for (guint start = 0; start <= 12; start++) {
    const gboolean stands_still = start == 12;
    GstCudaHistoInterval interval = { .framerate_n = 60, .framerate_d = 1 };
    GstCudaHistoTimestamps timestamps = { 0 };
    GstCudaHistoMoment moment = { .frame = 0 };
    GstClockTime begin = 0, duration;

    for (; moment.frame <= start + 20; moment.frame++) {
      moment.stream_time = (moment.frame - (stands_still && moment.frame > start + 2)) * 25 / 60 * (GST_SECOND / 25);
      fail_unless_equals_int (gst_cuda_histo_timestamps_are_lost (&timestamps, moment.stream_time, GST_SECOND / 60),
                              stands_still && moment.frame == start + 4);
      moment.repeats = gst_cuda_histo_timestamps_follow (&timestamps, moment.stream_time);
      moment.step = timestamps.step;
      if (moment.frame == start) {
        begin = moment.stream_time;
        gst_cuda_histo_interval_open (&interval, &moment);
      } else if (moment.frame > start && moment.frame < start + 20) {
        gst_cuda_histo_interval_extend (&interval, &moment);
      }
    }
    moment.frame--;
    fail_unless (gst_cuda_histo_interval_close (&interval, &moment, &duration));
    fail_unless_equals_uint64 (duration, stands_still ? NONE : moment.stream_time - begin);
  }
}

/* Two frames share a rounded time. More share one if time stands still. */
TEST (test_timestamps)
{
  static const struct {
    GstClockTime time;
    guint repeats;
  } frames[] = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 5, 0 }, { 5, 1 }, { NONE, 0 }, { NONE, 0 }, { 5, 0 }, { 4, 0 } };
  GstCudaHistoTimestamps timestamps = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    fail_unless_equals_int (gst_cuda_histo_timestamps_are_lost (&timestamps, frames[i].time, GST_SECOND), FALSE);
    fail_unless_equals_int (gst_cuda_histo_timestamps_follow (&timestamps, frames[i].time), frames[i].repeats);
    fail_unless_equals_int (gst_cuda_histo_timestamps_stand_still (frames[i].repeats), i == 2);
  }
}

/* Three frames share a time, before or after a jump to their right times; and others without such a jump. */
TEST (test_lost_timestamps)
{
  static const struct {
    guint times[4], next, period;
    gboolean are_lost;
  } cases[] = {
    { { 1, 4, 4, 4 }, 5, 1, FALSE }, { { 1, 2, 2, 2 }, 5, 1, FALSE }, { { 5, 2, 2, 2 }, 1, 1, FALSE },
    { { 1, 4, 4, 4 }, 6, 1, TRUE },  { { 1, 2, 2, 2 }, 3, 1, TRUE },  { { 4, 4, 4, 4 }, 5, 1, FALSE },
    { { 1, 4, 4, 4 }, 5, 0, TRUE },  { { 1, 2, 4, 4 }, 6, 1, FALSE }, { { 1, 4, 4, 4 }, 4, 1, FALSE },
    { { 2, 5, 5, 5 }, 8, 1, FALSE }, { { 5, 2, 2, 2 }, 4, 1, TRUE },
  };
  GstCudaHistoTimestamps only = { 0 };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    GstCudaHistoTimestamps timestamps = { 0 };

    for (guint f = 0; f < 4; f++)
      gst_cuda_histo_timestamps_follow (&timestamps, cases[c].times[f] * GST_SECOND);
    fail_unless_equals_int (
        gst_cuda_histo_timestamps_are_lost (&timestamps, cases[c].next * GST_SECOND, cases[c].period * GST_SECOND),
        cases[c].are_lost);
  }
  /* No frames before or after: more than a decoder reorders. */
  for (guint f = 1; f <= GST_CUDA_HISTO_REORDERED_FRAMES + 2; f++) {
    gst_cuda_histo_timestamps_follow (&only, 0);
    fail_unless_equals_int (gst_cuda_histo_timestamps_are_lost (&only, NONE, GST_SECOND),
                            f == GST_CUDA_HISTO_REORDERED_FRAMES + 2);
    fail_unless_equals_int (gst_cuda_histo_timestamps_are_lost (&only, GST_SECOND / 50, GST_SECOND / 50),
                            f == GST_CUDA_HISTO_REORDERED_FRAMES + 2);
  }
}

static JsonObject *
parse_line (JsonParser *parser, const GstCudaHistoFinding *event)
{
  g_autofree gchar *line = gst_cuda_histo_event_to_json (event);

  fail_unless (g_str_has_prefix (line, "{\"cudahisto\":1,\"event\":\""));
  fail_unless (strchr (line, '\n') == NULL);
  fail_unless (json_parser_load_from_data (parser, line, -1, NULL));
  return json_node_get_object (json_parser_get_root (parser));
}

TEST (test_carriers)
{
  GstCudaHistoFinding event = { .kind = "black",
                                .element = "detector\xff",
                                .start = 40,
                                .end = NONE,
                                .running_time = 140,
                                .end_running_time = NONE,
                                .duration = NONE,
                                .utc_time = DAY + 1234567,
                                .value = 0.985,
                                .threshold = 1e-3,
                                .frame = 1,
                                .frames = 51 };
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *line = parse_line (parser, &event);
  GstStructure *structure = gst_cuda_histo_event_to_structure (&event);
  guint64 number;
  gdouble real;

  fail_unless_equals_string (json_object_get_string_member (line, "event"), "black");
  fail_unless_equals_int64 (json_object_get_int_member (line, "start"), 40);
  fail_unless_equals_int64 (json_object_get_int_member (line, "running-time"), 140);
  fail_unless (json_object_get_null_member (line, "end-running-time"));
  fail_unless (json_object_get_null_member (line, "end") && json_object_get_null_member (line, "duration"));
  fail_unless (!json_object_has_member (line, "ended-by"));
  fail_unless_equals_string (json_object_get_string_member (line, "utc-time"), "1970-01-02T00:00:00.001234Z");
  fail_unless_equals_float (json_object_get_double_member (line, "value"), 0.985);
  fail_unless_equals_float (json_object_get_double_member (line, "threshold"), 1e-3);
  fail_unless_equals_int64 (json_object_get_int_member (line, "frame"), 1);
  fail_unless_equals_int64 (json_object_get_int_member (line, "frames"), 51);
  fail_unless_equals_string (json_object_get_string_member (line, "element"), "detector\xef\xbf\xbd");

  fail_unless (gst_structure_has_name (structure, "cudahisto-event"));
  fail_unless_equals_int (gst_structure_n_fields (structure), 12);
  fail_unless_equals_string (gst_structure_get_string (structure, "utc-time"), "1970-01-02T00:00:00.001234Z");
  fail_unless_equals_string (gst_structure_get_string (structure, "event"), "black");
  fail_unless (gst_structure_get_uint64 (structure, "end", &number) && number == NONE);
  fail_unless (gst_structure_get_uint64 (structure, "frames", &number) && number == 51);
  fail_unless (gst_structure_get_double (structure, "value", &real) && real == 0.985);
  fail_unless (!gst_structure_has_field (structure, "ended-by"));
  gst_structure_free (structure);

  event.end = 60;
  event.duration = 20;
  event.utc_time = NONE;
  event.ended_by = "eos";
  line = parse_line (parser, &event);
  fail_unless_equals_int64 (json_object_get_int_member (line, "end"), 60);
  fail_unless_equals_int64 (json_object_get_int_member (line, "duration"), 20);
  fail_unless_equals_string (json_object_get_string_member (line, "ended-by"), "eos");
  fail_unless (!json_object_has_member (line, "utc-time"));
  structure = gst_cuda_histo_event_to_structure (&event);
  fail_unless_equals_string (gst_structure_get_string (structure, "ended-by"), "eos");
  fail_unless (!gst_structure_has_field (structure, "utc-time"));
  gst_structure_free (structure);
}

TEST_MAIN
