/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The counter without an element, with frames of bytes: each part has its own totals, frames are reported in the order of their
 * addition, and a picture with its parts counts as one pending picture. */

#include <string.h>

#include "cases.h"
#include "count/counter.h"

GST_DEBUG_CATEGORY_STATIC (test_debug);

enum { SIZE = 64, MAX_CALLS = 64 };

/* The collecting thread: the counter's, the waiting one, or the waiting one because frames are lazy. */
typedef enum { THREAD, SYNCHRONOUS, FRAMES_LAZY, N_MODES } Mode;

/* The counter's callbacks; written on its thread, read when it is idle. */
typedef struct {
  guint n_calls;
  GstCudaHistoCounted calls[MAX_CALLS];
  guint64 sums[MAX_CALLS], differences[MAX_CALLS];                            /* of the frames' only component */
  GThread *threads[MAX_CALLS];                                                /* threads of the callbacks */
  gint n_closed;                                                              /* atomic */
  guint64 counts[GST_CUDA_HISTO_MAX_PARTS], totals[GST_CUDA_HISTO_MAX_PARTS]; /* of the last window */
  guint64 discarded;
  guint n_marks, frames_at_mark; /* and the number of frames reported before it */
  GstCudaHistoEndedBy mark;
  GstCudaHistoCounter *stopped; /* stop in the next callback */
  Mode mode;
} Calls;

static Calls calls;

static void
hear_window (gpointer owner, const GstCudaHistoSource *source, const GstCudaHistoSpan *span, const struct histo_stats *parts,
             const gchar *backend)
{
  (void)owner, (void)source, (void)span, (void)backend;
  for (guint i = 0; i < GST_CUDA_HISTO_MAX_PARTS; i++) {
    calls.counts[i] = parts[i].component_count > 0 ? parts[i].components[0].count : 0;
    calls.totals[i] = parts[i].component_count > 0 ? parts[i].components[0].sum : 0;
  }
  g_atomic_int_inc (&calls.n_closed);
}

static void
hear_discard (gpointer owner G_GNUC_UNUSED, guint64 frames)
{
  calls.discarded += frames;
}

static void
hear_frame (gpointer owner G_GNUC_UNUSED, const GstCudaHistoCounted *counted)
{
  const guint i = calls.n_calls++;
  GstCudaHistoCounter *stopped = g_steal_pointer (&calls.stopped);

  fail_unless (i < MAX_CALLS);
  if (stopped != NULL)
    gst_cuda_histo_counter_stop (stopped);
  calls.calls[i] = *counted;
  calls.threads[i] = g_thread_self ();
  calls.sums[i] = counted->stats->components[0].sum;
  calls.differences[i] = counted->stats->components[0].absolute_difference;
}

static void
hear_mark (gpointer owner G_GNUC_UNUSED, const GstCudaHistoSource *source, GstCudaHistoEndedBy ended_by)
{
  fail_unless_equals_string (source->format, "marked");
  calls.n_marks++;
  calls.frames_at_mark = calls.n_calls;
  calls.mark = ended_by;
}

static void
hear_move (gpointer owner G_GNUC_UNUSED, const gchar *reason)
{
  fail ("moved to the CPU: %s", reason);
}

static void
hear_failure (gpointer owner G_GNUC_UNUSED, enum histo_status status, const gchar *reason)
{
  fail ("failed: %d, %s", (gint)status, reason);
}

static void
close_window (GstCudaHistoCounter *counter)
{
  const GstCudaHistoSource source = { .format = "bytes" };
  const GstCudaHistoSpan span = { .frames = 1 };

  gst_cuda_histo_counter_close_window (counter, &source, &span);
}

static GstCudaHistoCounter *
open_counter (GstElement *owner, guint max_in_flight, guint parts, Mode mode)
{
  const struct histo_config config = { .backend = HISTO_BACKEND_CPU, .cuda_device = -1, .threads = 2 };
  const GstCudaHistoCounterCallbacks callbacks = {
    .window_closed = hear_window,
    .window_discarded = hear_discard,
    .frame_counted = hear_frame,
    .mark_reached = hear_mark,
    .moved_to_cpu = hear_move,
    .failed = hear_failure,
  };
  GError *error = NULL;
  GstCudaHistoCounter *counter
      = gst_cuda_histo_counter_new (&config, max_in_flight, parts, NULL, &callbacks, owner, test_debug, &error);

  fail_unless (counter != NULL, "%s", error != NULL ? error->message : "");
  close_window (counter);
  fail_unless (gst_cuda_histo_counter_drain (counter)); /* its thread has started and sleeps */
  memset (&calls, 0, sizeof calls);
  calls.mode = mode;
  gst_cuda_histo_counter_set_synchronous (counter, mode == SYNCHRONOUS);
  return counter;
}

/* SIZE bytes of one value. */
static GstCudaHistoFrame *
make_frame (guint8 value)
{
  guint8 *data = g_malloc (SIZE);

  memset (data, value, SIZE);
  return gst_cuda_histo_frame_wrap_bytes (data, SIZE, g_free, data);
}

/* A frame of one value as the part `part` of picture `frame`. */
static GstCudaHistoEntry
make_entry (guint8 value, guint part, guint64 frame)
{
  return (GstCudaHistoEntry){
    .frame = make_frame (value),
    .what = {
      .part = part,
      .frame = frame,
      .stream_time = 10 * frame,
      .running_time = 20 * frame,
      .duration = 30 + frame,
      .picture = 7,
      .is_lazy = calls.mode == FRAMES_LAZY,
    },
  };
}

static void
add (GstCudaHistoCounter *counter, guint8 value, guint64 frame)
{
  const GstCudaHistoEntry entry = make_entry (value, GST_CUDA_HISTO_PART_PICTURE, frame);

  fail_unless (gst_cuda_histo_counter_add (counter, &entry, 1));
}

/* Adds a picture and other parts of the same value, `count` in total. */
static void
add_all (GstCudaHistoCounter *counter, guint8 value, guint count, guint64 frame)
{
  GstCudaHistoEntry entries[GST_CUDA_HISTO_MAX_PARTS];

  for (guint part = 0; part < count; part++)
    entries[part] = make_entry (value, part, frame);
  fail_unless (gst_cuda_histo_counter_add (counter, entries, count));
}

/* Adds a picture and one other part. */
static void
add_two (GstCudaHistoCounter *counter, guint8 value, guint part, guint8 part_value, guint64 frame)
{
  const GstCudaHistoEntry entries[]
      = { make_entry (value, GST_CUDA_HISTO_PART_PICTURE, frame), make_entry (part_value, part, frame) };

  fail_unless (gst_cuda_histo_counter_add (counter, entries, 2));
}

static void
close_counter (GstCudaHistoCounter *counter, GstElement *owner)
{
  gst_cuda_histo_counter_stop (counter);
  gst_cuda_histo_counter_unref (counter);
  gst_object_unref (owner);
}

static void
check_call (guint i, guint part, guint64 frame, guint64 sum)
{
  fail_unless_equals_int (calls.calls[i].part, part);
  fail_unless_equals_int (calls.calls[i].picture, 7);
  fail_unless_equals_uint64 (calls.calls[i].frame, frame);
  fail_unless_equals_uint64 (calls.calls[i].stream_time, 10 * frame);
  fail_unless_equals_uint64 (calls.calls[i].running_time, 20 * frame);
  fail_unless_equals_uint64 (calls.calls[i].duration, 30 + frame);
  fail_unless_equals_uint64 (calls.sums[i], sum);
}

TEST_LOOP (test_parts_have_totals_of_their_own, THREAD, N_MODES)
{
  const guint last = GST_CUDA_HISTO_MAX_PARTS - 1;
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 8, 3, (Mode)__i__);

  for (guint frame = 0; frame < 3; frame++) {
    GstCudaHistoEntry entries[] = {
      make_entry ((guint8)(1 + frame), GST_CUDA_HISTO_PART_PICTURE, frame),
      make_entry ((guint8)(10 + frame), GST_CUDA_HISTO_PART_REGION, frame),
      make_entry ((guint8)(100 + frame), last, frame),
    };

    if (frame == 1)
      gst_cuda_histo_frame_unref (entries[2].frame);
    fail_unless (gst_cuda_histo_counter_add (counter, entries, frame == 1 ? 2 : 3));
  }
  close_window (counter);
  fail_unless (gst_cuda_histo_counter_drain (counter));

  fail_unless_equals_int (calls.n_calls, 8);
  check_call (0, GST_CUDA_HISTO_PART_PICTURE, 0, SIZE * 1);
  check_call (1, GST_CUDA_HISTO_PART_REGION, 0, SIZE * 10);
  check_call (2, last, 0, SIZE * 100);
  check_call (3, GST_CUDA_HISTO_PART_PICTURE, 1, SIZE * 2);
  check_call (4, GST_CUDA_HISTO_PART_REGION, 1, SIZE * 11);
  check_call (5, GST_CUDA_HISTO_PART_PICTURE, 2, SIZE * 3);
  check_call (6, GST_CUDA_HISTO_PART_REGION, 2, SIZE * 12);
  check_call (7, last, 2, SIZE * 102);
  fail_unless_equals_int (calls.n_closed, 1);
  for (guint i = 0; i < GST_CUDA_HISTO_MAX_PARTS; i++) {
    const guint64 frames = i == last ? 2 : 3, sum = i == 0 ? 6 : i == last ? 202 : 33;
    const gboolean is_used = i == GST_CUDA_HISTO_PART_PICTURE || i == GST_CUDA_HISTO_PART_REGION || i == last;

    fail_unless_equals_uint64 (calls.counts[i], is_used ? SIZE * frames : 0);
    fail_unless_equals_uint64 (calls.totals[i], is_used ? SIZE * sum : 0);
  }

  /* Each window begins empty, for every part. */
  add_two (counter, 5, last, 6, 3);
  gst_cuda_histo_counter_discard_window (counter, 1);
  add (counter, 7, 4);
  close_window (counter);
  fail_unless (gst_cuda_histo_counter_drain (counter));
  fail_unless_equals_uint64 (calls.discarded, 1);
  fail_unless_equals_int (calls.n_closed, 2);
  for (guint i = 0; i < GST_CUDA_HISTO_MAX_PARTS; i++)
    fail_unless_equals_uint64 (calls.totals[i], i == 0 ? SIZE * 7 : 0);
  close_counter (counter, owner);
}

/* A mark is reached between two frames of a window, which continues. */
TEST_LOOP (test_marks, THREAD, N_MODES)
{
  const GstCudaHistoSource source = { .format = "marked" };
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 8, 1, (Mode)__i__);

  add (counter, 1, 0);
  add (counter, 2, 1);
  gst_cuda_histo_counter_mark (counter, &source, GST_CUDA_HISTO_ENDED_BY_CAPS);
  add (counter, 3, 2);
  close_window (counter);
  fail_unless (gst_cuda_histo_counter_drain (counter));
  fail_unless_equals_int (calls.n_marks, 1);
  fail_unless_equals_int (calls.frames_at_mark, 2);
  fail_unless_equals_int (calls.mark, GST_CUDA_HISTO_ENDED_BY_CAPS);
  fail_unless_equals_uint64 (calls.totals[0], SIZE * 6);
  close_counter (counter, owner);
}

/* A part is compared with its own operand, whatever the other parts are. */
TEST (test_parts_have_operands_of_their_own)
{
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 2, 2, THREAD);
  GstCudaHistoFrame *operand = make_frame (50), *frame = make_frame (20), *part = make_frame (20);

  frame->frame.statistics = part->frame.statistics = HISTO_STATISTIC_DIFFERENCE;
  fail_unless (
      gst_cuda_histo_counter_add (counter,
                                  (const GstCudaHistoEntry[]){
                                      { .frame = frame },
                                      { .frame = part, .operand = operand, .what = { .part = GST_CUDA_HISTO_PART_REFERENCE } },
                                  },
                                  2));
  fail_unless (gst_cuda_histo_counter_drain (counter));
  fail_unless_equals_int (calls.n_calls, 2);
  fail_unless_equals_uint64 (calls.differences[0], 0);
  fail_unless_equals_uint64 (calls.differences[1], SIZE * 30);
  close_counter (counter, owner);
}

/* In synchronous mode no thread collects until one waits. */
TEST (test_a_picture_is_busy_once)
{
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 2, 1, SYNCHRONOUS);

  gst_cuda_histo_counter_set_parts (counter, 4);
  gst_cuda_histo_counter_set_parts (counter, 2); /* never fewer slots */
  fail_unless (!gst_cuda_histo_counter_is_busy (counter));
  add (counter, 1, 0); /* replaces the engine by one with more slots */
  fail_unless (gst_cuda_histo_counter_drain (counter));
  fail_unless_equals_int (calls.n_calls, 1);
  for (guint frame = 0; frame < 2; frame++) {
    fail_unless (!gst_cuda_histo_counter_is_busy (counter));
    add_all (counter, 1, 4, frame);
  }
  fail_unless_equals_int (calls.n_calls, 1); /* all eight were added without waiting */
  fail_unless (gst_cuda_histo_counter_is_busy (counter));

  add (counter, 1, 2); /* waits for the first picture and its parts */
  fail_unless_equals_int (calls.n_calls, 5);
  fail_unless (gst_cuda_histo_counter_release_frames (counter, 0));
  fail_unless_equals_int (calls.n_calls, 10);
  fail_unless (!gst_cuda_histo_counter_is_busy (counter));
  close_counter (counter, owner);
}

/* The last added frames may stay. */
TEST (test_release_all_but_some)
{
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 8, 1, SYNCHRONOUS);

  for (guint frame = 0; frame < 5; frame++)
    add (counter, (guint8)(1 + frame), frame);
  fail_unless (gst_cuda_histo_counter_release_frames (counter, 5));
  fail_unless_equals_int (calls.n_calls, 0);
  fail_unless (gst_cuda_histo_counter_release_frames (counter, 2));
  fail_unless_equals_int (calls.n_calls, 3);
  fail_unless (gst_cuda_histo_counter_release_frames (counter, 0));
  fail_unless_equals_int (calls.n_calls, 5);
  for (guint frame = 0; frame < 5; frame++)
    check_call (frame, GST_CUDA_HISTO_PART_PICTURE, frame, SIZE * (1 + frame));
  close_counter (counter, owner);
}

/* A thread that waits, even for free slots, collects lazy frames. A window that is closed after them is reported without a
 * waiting thread. A stop collects the rest. */
TEST (test_lazy_frames)
{
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 2, 1, FRAMES_LAZY);

  for (guint i = 0; i < 6; i++) {
    add (counter, 1, 0);
    g_usleep (1000);                                           /* time enough for a woken thread to collect it */
    fail_unless_equals_int (calls.n_calls, i > 1 ? i - 1 : 0); /* two fit */
  }
  fail_unless (gst_cuda_histo_counter_release_frames (counter, 1));
  fail_unless (calls.n_calls >= 5);
  fail_unless (gst_cuda_histo_counter_drain (counter));
  fail_unless_equals_int (calls.n_calls, 6);
  for (guint i = 0; i < 6; i++)
    fail_unless (calls.threads[i] == g_thread_self ());

  add (counter, 2, 0);
  close_window (counter);
  while (g_atomic_int_get (&calls.n_closed) == 0)
    g_usleep (1000);
  fail_unless_equals_uint64 (calls.totals[0], SIZE * 8);

  add (counter, 3, 0);
  close_counter (counter, owner);
  fail_unless_equals_int (calls.n_calls, 8);
}

/* Counted frames are collected even if they may stay: their memory can be reused. */
TEST (test_counted_lazy_frames)
{
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 8, 1, FRAMES_LAZY);

  add (counter, 1, 0);
  while (calls.n_calls == 0) {
    g_usleep (1000);
    fail_unless (gst_cuda_histo_counter_release_frames (counter, 8));
  }
  close_counter (counter, owner);
}

/* More parts than slots: they wait in the queue, and not the caller. A flush refuses pictures as a whole, and none that is in
 * the queue. */
TEST_LOOP (test_parts_wait_for_slots, THREAD, N_MODES)
{
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 1, 1, (Mode)__i__);
  const GstCudaHistoEntry refused[]
      = { make_entry (4, GST_CUDA_HISTO_PART_PICTURE, 1), make_entry (5, GST_CUDA_HISTO_PART_FREEZE, 1) };

  add_all (counter, 3, GST_CUDA_HISTO_MAX_PARTS, 0);
  if (__i__ == SYNCHRONOUS)
    fail_unless_equals_int (calls.n_calls, 0);
  gst_cuda_histo_counter_set_flushing (counter, TRUE);
  fail_unless (!gst_cuda_histo_counter_add (counter, refused, G_N_ELEMENTS (refused)));
  gst_cuda_histo_counter_set_flushing (counter, FALSE);
  close_window (counter);
  fail_unless (gst_cuda_histo_counter_drain (counter));
  fail_unless_equals_int (calls.n_calls, GST_CUDA_HISTO_MAX_PARTS);
  for (guint i = 0; i < GST_CUDA_HISTO_MAX_PARTS; i++)
    fail_unless_equals_uint64 (calls.totals[i], SIZE * 3);
  close_counter (counter, owner);
}

/* Each frame has its numbers and its operand, with and without enough slots. */
TEST_LOOP (test_parts_added_together, 0, 4)
{
  enum { PARTS = GST_CUDA_HISTO_MAX_PARTS - 1, PICTURES = 3 };
  GstElement *owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, __i__ < 2 ? 2 : 8, __i__ < 2 ? 1 : GST_CUDA_HISTO_MAX_PARTS,
                                               __i__ % 2 == 1 ? SYNCHRONOUS : THREAD);

  for (guint frame = 0; frame < PICTURES; frame++) {
    GstCudaHistoEntry entries[1 + PARTS];

    for (guint i = 0; i <= PARTS; i++) {
      entries[i] = make_entry ((guint8)(1 + i), i, frame);
      entries[i].frame->frame.statistics = i > 0 ? HISTO_STATISTIC_DIFFERENCE : 0;
    }
    entries[1].operand = make_frame (9);
    fail_unless (gst_cuda_histo_counter_add (counter, entries, 1 + PARTS));
  }
  fail_unless (gst_cuda_histo_counter_drain (counter));
  fail_unless_equals_int (calls.n_calls, PICTURES * (1 + PARTS));
  for (guint i = 0; i < calls.n_calls; i++) {
    fail_unless_equals_int (calls.calls[i].part, i % (1 + PARTS));
    fail_unless_equals_uint64 (calls.calls[i].frame, i / (1 + PARTS));
    fail_unless_equals_uint64 (calls.sums[i], SIZE * (1 + i % (1 + PARTS)));
    fail_unless_equals_uint64 (calls.differences[i], i % (1 + PARTS) == 1 ? SIZE * (9 - 2) : 0);
  }
  close_counter (counter, owner);
}

/* Frames added after the stop began are still counted, in order, except the frame in whose callback it began, whose numbers
 * come last. */
TEST_LOOP (test_stopped_in_a_call, SYNCHRONOUS, N_MODES)
{
  g_autoptr (GstElement) owner = gst_bin_new (NULL);
  GstCudaHistoCounter *counter = open_counter (owner, 4, 2, (Mode)__i__);

  for (guint frame = 0; frame < 4; frame++) {
    add_two (counter, (guint8)(1 + frame), GST_CUDA_HISTO_PART_FREEZE, (guint8)(11 + frame), frame);
  }
  calls.stopped = counter;
  gst_cuda_histo_counter_release_frames (counter, 0);
  fail_unless_equals_int (calls.n_calls, 8);
  check_call (0, GST_CUDA_HISTO_PART_PICTURE, 0, SIZE * 1);
  check_call (1, GST_CUDA_HISTO_PART_FREEZE, 0, SIZE * 11);
  check_call (7, GST_CUDA_HISTO_PART_FREEZE, 3, SIZE * 14);
  fail_unless (!gst_cuda_histo_counter_add (counter, &(const GstCudaHistoEntry){ .frame = make_frame (0) }, 1));
  gst_cuda_histo_counter_unref (counter);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  GST_DEBUG_CATEGORY_INIT (test_debug, "test_counter", 0, "test of the counter");
  return TEST_RUN ();
}
