/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stream times of frames whose segments are those of demuxers. */

#include "cases.h"
#include "decoding/timeline.h"

#define NONE GST_CLOCK_TIME_NONE
#define S(seconds) ((GstClockTime)((seconds)*1000) * GST_MSECOND)
#define MAX_FRAMES 6

typedef struct {
  GstClockTime timestamp, stream_time; /* as its segment says it */
  GstClockTime expected;
} Frame;

static const struct {
  const gchar *name;
  guint n_frames;
  Frame frames[MAX_FRAMES];
} cases[] = {
  { "a film that begins at 0", 3, { { 0, 0, 0 }, { S (0.04), S (0.04), S (0.04) }, { S (0.08), S (0.08), S (0.08) } } },
  { "a segment that begins with the first frame",
    3,
    { { S (1.4), 0, 0 }, { S (1.44), S (0.04), S (0.04) }, { S (1.48), S (0.08), S (0.08) } } },
  { "a film that begins late", 2, { { S (10), S (10), S (10) }, { S (10.04), S (10.04), S (10.04) } } },
  /* matroskademux: the first frame at 0, all others at their timestamps, from where it begins. */
  { "a second segment that begins at 0",
    4,
    { { S (0.08), 0, 0 },
      { S (0.12), S (0.12), S (0.04) },
      { S (0.16), S (0.16), S (0.08) },
      { S (0.2), S (0.2), S (0.12) } } },
  { "frames out of order after it",
    4,
    { { S (0.08), 0, 0 },
      { S (0.16), S (0.16), S (0.08) },
      { S (0.12), S (0.12), S (0.04) },
      { S (0.04), S (0.04), 0 } } }, /* not before the film */
  { "a second segment at 0 that is more than a second behind",
    3,
    { { S (1.5), 0, 0 }, { S (1.54), S (1.54), S (1.54) }, { S (1.58), S (1.58), S (1.58) } } },
  { "another segment, later",
    4,
    { { S (0.08), 0, 0 }, { S (0.12), S (0.12), S (0.04) }, { S (0.16), S (5), S (5) }, { S (0.2), S (0.2), S (0.12) } } },
  { "the second frame in the first one's segment",
    3,
    { { S (0.08), 0, 0 }, { S (0.12), S (0.04), S (0.04) }, { S (0.16), S (0.16), S (0.16) } } },
  /* tsdemux: a film that begins late, and a seek to before its first frame. */
  { "a seek to before the first frame",
    5,
    { { S (1.4), S (1.4), S (1.4) },
      { S (1.44), S (1.44), S (1.44) },
      { S (1.4), S (1), S (1.4) },
      { S (1.44), S (1.04), S (1.44) },
      { S (1.48), S (1.08), S (1.48) } } },
  { "a seek to before the first frame, and one after it",
    6,
    { { S (1.4), S (1.4), S (1.4) },
      { S (1.4), S (1), S (1.4) },
      { S (1.44), S (1.04), S (1.44) },
      { S (1.8), S (1.8), S (1.8) },
      { S (1.84), S (1.44), S (1.44) }, /* the seek is over */
      { S (1.88), S (1.88), S (1.88) } } },
  { "times that are unknown",
    4,
    { { NONE, NONE, NONE }, { S (0.04), NONE, NONE }, { NONE, S (0.04), S (0.04) }, { S (1), S (1), S (1) } } },
  { "an unknown time between the first frame and the second",
    3,
    { { S (0.08), 0, 0 }, { NONE, NONE, NONE }, { S (0.12), S (0.12), S (0.04) } } },
  /* They are not those of a first frame. */
  { "unknown timestamps before the first one", 3, { { NONE, 0, 0 }, { S (0.08), 0, 0 }, { S (0.12), S (0.12), S (0.04) } } },
  { "a stream time before the first one that a shift would wrap",
    3,
    { { S (0.04), G_MAXUINT64 - 1, G_MAXUINT64 - 1 }, { S (0.08), 0, 0 }, { S (0.12), S (0.12), S (0.04) } } },
};

TEST_LOOP (test_table, 0, G_N_ELEMENTS (cases))
{
  DecodingTimeline line = { 0 };

  for (guint i = 0; i < cases[__i__].n_frames; i++) {
    const Frame *frame = &cases[__i__].frames[i];
    const GstClockTime time = decoding_timeline_follow (&line, frame->timestamp, frame->stream_time);

    ck_assert_msg (time == frame->expected, "%s, frame %u: at %" GST_TIME_FORMAT ", not %" GST_TIME_FORMAT, cases[__i__].name,
                   i, GST_TIME_ARGS (time), GST_TIME_ARGS (frame->expected));
  }
}

TEST_MAIN
