/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Drivers that fail, are slow, too old or missing. CUDAHISTO_TEST_DRIVER selects the libcuda.so.1 that the loader finds:
 * "fake", the scripted one of tests/support; "old", which lacks a function; "broken", which is not a library; or "none". */

#include "rig.h"

#include "fakecuda.h"
#include "short.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, HEIGHT = 16, LUMA = WIDTH * HEIGHT, SIZE = LUMA * 3 / 2, FRAMES = 20 };
#define CAPS "video/x-raw,format=NV12,width=32,height=16,framerate=25/1"
#define FRAME_TIME (GST_SECOND / 25)
#define CUDA_ERROR_LAUNCH_FAILED 719
#define CUDA_ERROR_OUT_OF_MEMORY 2

/* A test with the fake driver. */
#define FAKE_TEST(name) TEST_LOOP (name, 0, is_fake ())

static guint8 frames[FRAMES][SIZE];
static const struct fakecuda *fake;

static gboolean
is_fake (void)
{
  return g_strcmp0 (g_getenv ("CUDAHISTO_TEST_DRIVER"), "fake") == 0;
}

static void
set_up (void)
{
  reset_random ();
  fill_random (frames[0], sizeof frames);
  fake = fakecuda_find ();
  ck_assert_msg (fake != NULL, "the loader does not find the fake driver");
  fake->reset ();
}

static void
tear_down (void)
{
  fake->reset ();
}

TEST_FIXTURE (set_up, tear_down)

/* Whatever failed, all driver resources were released, and no call was wrong. */
static void
check_driver (void)
{
  ck_assert_msg (fake->live () == 0, "%u objects of the driver are still alive", fake->live ());
  ck_assert_msg (fake->faults () == 0, "%s", fake->fault_text ());
}

static void
check_frame (const GstStructure *result, guint frame, gboolean has_dot)
{
  static const gchar *const names[] = { "Y", "U", "V" };

  ck_assert_uint_eq (get_field_u64 (result, "frame"), frame);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), 1);
  ck_assert_uint_eq (get_field_u64 (result, "timestamp"), frame * FRAME_TIME);
  for (guint i = 0; i < 3; i++) {
    const guint8 *data = frames[frame];
    const guint8 *operand = has_dot && frame > 0 ? frames[frame - 1] : NULL;
    guint first = i == 0 ? 0 : LUMA + i - 1;
    guint end = i == 0 ? LUMA : SIZE;
    guint step = i == 0 ? 1 : 2;
    Tally tally = { 0 };

    for (guint at = first; at < end; at += step) {
      tally_sample (&tally, data[at]);
      if (operand != NULL)
        tally_dot (&tally, data + at, operand + at, 1);
    }
    check_component (result, names[i], &tally, BINS_ARRAY);
  }
}

typedef struct {
  guint results, warnings, errors;
  gboolean started, refused; /* a buffer was */
  gchar *first_backend, *last_backend;
  gchar *warning; /* the last one */
} Outcome;

static void
clear_outcome (Outcome *outcome)
{
  g_free (outcome->first_backend);
  g_free (outcome->last_backend);
  g_free (outcome->warning);
}

/* Runs FRAMES frames through an element, checks all results in order, and reports other messages. */
static Outcome
run_frames (const gchar *properties)
{
  g_autoptr (GstElement) element = make_element (properties);
  g_autoptr (GstBus) bus = attach_bus (element);
  gboolean has_dot = strstr (properties, "dot=previous") != NULL;
  Outcome outcome = { 0 };
  GstMessage *message;

  outcome.started = gst_element_set_state (element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE;
  if (outcome.started) {
    GstHarness *harness = gst_harness_new_with_element (element, "sink", "src");

    gst_harness_set_drop_buffers (harness, TRUE);
    gst_harness_set_src_caps_str (harness, CAPS);
    g_object_get (element, "active-backend", &outcome.first_backend, NULL);
    for (guint i = 0; i < FRAMES && !outcome.refused; i++)
      outcome.refused = gst_harness_push (harness, make_buffer (frames[i], SIZE, i * FRAME_TIME, FRAME_TIME)) != GST_FLOW_OK;
    gst_harness_push_event (harness, gst_event_new_eos ());
    g_object_get (element, "active-backend", &outcome.last_backend, NULL);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_harness_teardown (harness);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  /* Before the messages are removed: one that the filter drops may have the last reference to a pad of the harness. Unlinking
   * it there would make the element post on a bus that later versions of GStreamer have locked. */
  gst_element_set_bus (element, NULL);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)) != NULL) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      g_autoptr (GError) error = NULL;

      gst_message_parse_warning (message, &error, NULL);
      g_free (outcome.warning);
      outcome.warning = g_strdup (error->message);
      outcome.warnings++;
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      outcome.errors++;
    else
      check_frame (gst_message_get_structure (message), outcome.results++, has_dot);
    gst_message_unref (message);
  }
  return outcome;
}

/* ---- a driver that works -------------------------------------------------------------------------------------------- */

FAKE_TEST (test_no_failure)
{
  Outcome outcome = run_frames ("backend=cuda dot=previous");

  ck_assert_uint_eq (outcome.results, FRAMES);
  ck_assert_uint_eq (outcome.warnings + outcome.errors, 0);
  ck_assert_str_eq (outcome.first_backend, "cuda");
  ck_assert_uint_ge (fake->function_calls ("cuLaunchKernel"), FRAMES);
  check_driver ();
  clear_outcome (&outcome);

  outcome = run_frames ("");
  ck_assert_str_eq (outcome.first_backend, "cuda");
  ck_assert_str_eq (outcome.last_backend, "cuda");
  clear_outcome (&outcome);
}

/* ---- a driver that fails -------------------------------------------------------------------------------------------- */

/* With add-meta, each frame is a submission: others may be submitted together. */
static const gchar *const ways[] = { "add-meta=true dot=previous", "dot=previous", "" };

/* The step between the failing calls that are tried: each call for a single failure with `auto`, fewer in similar cases. Slow
 * checkers try fewer (short.h). */
static guint
get_step (guint way, gboolean is_first)
{
  return (way == 0 && is_first ? 1 : way <= 1 ? 3 : 23) * (test_is_short ("calls") ? 7 : 1);
}

/* Each call in turn: once, or from then on always. */
static void
fail_each_call_under_auto (gboolean sticky)
{
  guint moved = 0;

  for (guint way = 0; way < G_N_ELEMENTS (ways); way++) {
    guint step = get_step (way, !sticky);

    for (guint call = 1 + way;; call += step) {
      Outcome outcome;
      gboolean has_moved;

      fake->reset ();
      fake->fail_call (call, CUDA_ERROR_LAUNCH_FAILED, sticky);
      outcome = run_frames (ways[way]);
      ck_assert_msg (outcome.started && !outcome.refused, "call %u, %s: stopped", call, ways[way]);
      ck_assert_msg (outcome.results == FRAMES, "call %u, %s: %u results", call, ways[way], outcome.results);
      ck_assert_msg (outcome.errors == 0, "call %u, %s: an error", call, ways[way]);
      has_moved = g_strcmp0 (outcome.first_backend, outcome.last_backend) != 0;
      /* The property may be read before the failure: there is one warning at most, and one if the property shows a failure. */
      ck_assert_msg (outcome.warnings <= 1 && outcome.warnings >= (guint)has_moved, "call %u, %s: %u warnings", call, ways[way],
                     outcome.warnings);
      moved += has_moved;
      check_driver ();
      clear_outcome (&outcome);
      if (!fake->has_failed ())
        break;
    }
  }
  /* The script reached the frames, not only start and end. */
  ck_assert_uint_ge (moved, 2 * FRAMES / get_step (0, !sticky));
}

FAKE_TEST (test_auto_fails_once)
{
  fail_each_call_under_auto (FALSE);
}

FAKE_TEST (test_auto_device_lost)
{
  fail_each_call_under_auto (TRUE);
}

/* Pinned memory, which a new frame needs, is short for a moment: frames in flight release some, or the CPU counts. Nothing is
 * lost, and there is no error. */
FAKE_TEST (test_auto_without_memory)
{
  guint refused = 0;

  for (guint way = 0; way < G_N_ELEMENTS (ways); way++)
    for (guint call = 1;; call++) {
      Outcome outcome;

      fake->reset ();
      fake->fail_function ("cuMemHostAlloc", call, CUDA_ERROR_OUT_OF_MEMORY, FALSE);
      outcome = run_frames (ways[way]);
      ck_assert_msg (outcome.started && !outcome.refused && outcome.errors == 0 && outcome.results == FRAMES,
                     "allocation %u, %s: %u results, %u errors", call, ways[way], outcome.results, outcome.errors);
      check_driver ();
      refused += g_strcmp0 (outcome.first_backend, "cuda") == 0 && fake->has_failed ();
      clear_outcome (&outcome);
      if (!fake->has_failed ())
        break;
    }
  ck_assert_uint_ge (refused, G_N_ELEMENTS (ways));
}

/* With backend=cuda: one error, and no wrong number. */
static void
fail_each_call_under_cuda (gboolean sticky)
{
  guint late = 0;

  for (guint way = 0; way < G_N_ELEMENTS (ways); way++) {
    g_autofree gchar *line = g_strdup_printf ("backend=cuda %s", ways[way]);
    guint step = get_step (way, FALSE);

    for (guint call = 1 + way;; call += step) {
      Outcome outcome;

      fake->reset ();
      fake->fail_call (call, CUDA_ERROR_LAUNCH_FAILED, sticky);
      outcome = run_frames (line);
      ck_assert_uint_eq (outcome.warnings, 0);
      ck_assert_msg (outcome.errors <= 1, "call %u, %s: %u errors", call, line, outcome.errors);
      ck_assert_msg (outcome.errors == 1 || (outcome.started && !outcome.refused && outcome.results == FRAMES),
                     "call %u, %s: %u results, and no error", call, line, outcome.results);
      ck_assert_msg (outcome.started || outcome.errors == 1, "call %u: no reason", call);
      late += outcome.started && outcome.errors == 1;
      check_driver ();
      clear_outcome (&outcome);
      if (!fake->has_failed ())
        break;
    }
  }
  ck_assert_uint_ge (late, 2 * FRAMES / get_step (0, FALSE));
}

FAKE_TEST (test_cuda_fails_once)
{
  fail_each_call_under_cuda (FALSE);
}

FAKE_TEST (test_cuda_device_lost)
{
  fail_each_call_under_cuda (TRUE);
}

/* A kernel that faults is seen later, and takes the whole context with it. */
FAKE_TEST (test_kernel_faults)
{
  for (guint kernel = 1; kernel <= FRAMES; kernel += get_step (0, FALSE))
    for (guint way = 0; way < G_N_ELEMENTS (ways); way++) {
      g_autofree gchar *line = g_strdup_printf ("backend=cuda %s", ways[way]);
      Outcome outcome;

      fake->reset ();
      fake->fault_kernel (kernel);
      outcome = run_frames (ways[way]);
      ck_assert_uint_eq (outcome.results, FRAMES);
      ck_assert_uint_eq (outcome.warnings, 1);
      ck_assert_uint_eq (outcome.errors, 0);
      ck_assert_str_eq (outcome.last_backend, "cpu");
      check_driver ();
      clear_outcome (&outcome);

      fake->reset ();
      fake->fault_kernel (kernel);
      outcome = run_frames (line);
      ck_assert_uint_lt (outcome.results, FRAMES);
      ck_assert_uint_eq (outcome.warnings, 0);
      ck_assert_uint_eq (outcome.errors, 1);
      check_driver ();
      clear_outcome (&outcome);
    }
}

/* A window of many frames, part of which the GPU counted before it failed. */
FAKE_TEST (test_failure_within_a_window)
{
  Tally tally = { 0 };

  for (guint i = 0; i < FRAMES; i++) {
    tally_bytes (&tally, frames[i], LUMA);
    if (i > 0)
      tally_dot (&tally, frames[i], frames[i - 1], LUMA);
  }
  fake->fail_function ("cuLaunchKernel", FRAMES / 2, CUDA_ERROR_LAUNCH_FAILED, true);
  g_auto (Rig) rig = open_video ("window=stream dot=previous", CAPS);
  for (guint i = 0; i < FRAMES; i++)
    push_timed (&rig, frames[i], SIZE, i * FRAME_TIME, FRAME_TIME);
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, -1, NULL);
  g_autoptr (GstStructure) result = pop_result (rig.bus);
  ck_assert_uint_eq (get_field_u64 (result, "frames"), FRAMES);
  check_component (result, "Y", &tally, BINS_ARRAY);
  ck_assert_str_eq (gst_structure_get_string (result, "backend"), "cpu");
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), FRAMES);
  ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), FRAMES * SIZE);
  check_bus_empty (rig.bus);
  close_rig (&rig);
  check_driver ();
}

static GstBusSyncReply
hold_up_errors (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer user_data G_GNUC_UNUSED)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_usleep (100 * 1000);
  return GST_BUS_PASS;
}

/* The reason is on the bus before upstream posts its own, more general error. */
FAKE_TEST (test_error_comes_first)
{
  static const gchar *const lines[]
      = { "backend=cuda", "backend=cuda window=stream", "backend=cpu sidecar-location=/dev/full" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GstFlowReturn flow = GST_FLOW_OK;

    fake->reset ();
    fake->fail_function ("cuLaunchKernel", 3, CUDA_ERROR_LAUNCH_FAILED, true);
    g_auto (Rig) rig = open_rig (lines[i]);
    gst_bus_set_sync_handler (rig.bus, hold_up_errors, NULL, NULL);
    gst_harness_set_drop_buffers (rig.harness, TRUE);
    start_video (&rig, CAPS);
    for (guint frame = 0; flow == GST_FLOW_OK; frame++) {
      flow = gst_harness_push (rig.harness, make_buffer (frames[frame % FRAMES], SIZE, frame * FRAME_TIME, FRAME_TIME));
      g_usleep (100);
    }
    ck_assert_int_eq (flow, GST_FLOW_ERROR);
    while (TRUE) {
      GstMessage *message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
      gboolean is_error;

      ck_assert_msg (message != NULL, "%s: the flow stopped, and nothing said why", lines[i]);
      is_error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
      gst_message_unref (message);
      if (is_error)
        break;
    }
    drop_results (rig.bus);
    close_rig (&rig);
    check_driver ();
  }
}

/* Small pieces are gathered when a large one comes, and counting them fails: the large one is also released. */
FAKE_TEST (test_failure_releases_buffers)
{
  enum { LARGE = 1000000, LIMIT = 8 }; /* too large to be gathered with others; frames in flight */
  GstBuffer *large[2];

  fake->set_delay_us (200 * 1000);
  fake->fault_kernel (1);
  g_auto (Rig) rig = open_bytes ("backend=cuda", NULL);
  for (guint i = 0; i < 2; i++)
    large[i] = gst_buffer_new_allocate (NULL, LARGE, NULL);
  for (guint i = 0; i < LIMIT; i++)
    ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_copy (large[0])), GST_FLOW_OK);
  push_bytes (&rig, frames[0], SIZE);
  ck_assert_int_eq (gst_harness_push (rig.harness, gst_buffer_copy (large[1])), GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, -1, NULL);
  close_rig (&rig);
  for (guint i = 0; i < 2; i++) {
    ck_assert_int_eq (GST_MINI_OBJECT_REFCOUNT_VALUE (gst_buffer_peek_memory (large[i], 0)), 1);
    gst_buffer_unref (large[i]);
  }
  check_driver ();
}

/* A file's bytes while the GPU fails at each launch in turn. */
FAKE_TEST (test_failure_in_bytes)
{
  enum { TOTAL = 3000000, WINDOW = 700001 };
  g_autofree guint8 *data = g_malloc (TOTAL);

  fill_random (data, TOTAL);
  for (guint call = 1;; call++) {
    guint64 at = 0;
    guint warnings = 0;
    GstMessage *message;

    fake->reset ();
    fake->fail_function ("cuLaunchKernel", call, CUDA_ERROR_LAUNCH_FAILED, call % 2);
    g_auto (Rig) rig = open_bytes ("window=bytes window-size=700001", NULL);
    for (guint64 pushed = 0; pushed < TOTAL;) {
      gsize size = MIN (call % 3 == 0 ? 4096 : 150000, TOTAL - pushed);

      push_bytes (&rig, data + pushed, size);
      pushed += size;
    }
    push_eos (&rig);
    while ((message = gst_bus_pop_filtered (rig.bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)) != NULL) {
      ck_assert_int_ne (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
        warnings++;
      else {
        const GstStructure *result = gst_message_get_structure (message);
        gsize size = MIN (WINDOW, TOTAL - at);

        check_bytes (result, data + at, size, get_field_u64 (result, "frame"), get_field_u64 (result, "frames"), at);
        at += size;
      }
      gst_message_unref (message);
    }
    ck_assert_uint_eq (at, TOTAL);
    ck_assert_uint_eq (warnings, fake->has_failed ());
    ck_assert_uint_eq (get_stat (rig.element, "bytes-counted"), TOTAL);
    close_rig (&rig);
    check_driver ();
    if (!fake->has_failed ())
      break;
  }
}

/* A frame that is added while the thread opens an engine with more slots moves to that engine. */
FAKE_TEST (test_added_while_an_engine_opens)
{
  g_auto (Rig) rig = open_video ("backend=cuda", CAPS);

  fake->block ("cuStreamCreate");
  g_object_set (rig.element, "regions", "0,0,8,8;8,8,8,8", NULL); /* frames have three parts */
  push_timed (&rig, frames[0], SIZE, 0, FRAME_TIME);
  check_bus_empty (rig.bus);
  fake->block (NULL);
  for (guint i = 0; i < FRAMES; i++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    check_frame (result, i, FALSE);
    if (i + 1 < FRAMES)
      push_timed (&rig, frames[i + 1], SIZE, (i + 1) * FRAME_TIME, FRAME_TIME);
  }
  push_eos (&rig);
  check_bus_empty (rig.bus);
  close_rig (&rig);
  check_driver ();
}

/* After a failed run the element starts again, and with the GPU if that works again. */
FAKE_TEST (test_another_start)
{
  GstElement *element = make_element ("backend=cuda");
  GstBus *bus = attach_bus (element);
  g_autofree gchar *backend = NULL;

  fake->set_devices (0);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  check_error (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  fake->set_devices (1);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  g_object_get (element, "active-backend", &backend, NULL);
  ck_assert_str_eq (backend, "cuda");
  gst_element_set_state (element, GST_STATE_NULL);
  check_bus_empty (bus);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  check_driver ();
}

/* ---- a driver that is slow ------------------------------------------------------------------------------------------ */

enum { SLOW_MS = 60 };

/* A busy machine may also delay the test: not each time. */
FAKE_TEST (test_slow_gpu)
{
  gint64 begin, pushed = 0;
  Rig rig;

  fake->set_delay_us (SLOW_MS * 1000);
  for (guint attempt = 0; attempt < 5 && (attempt == 0 || pushed >= 2 * SLOW_MS * 1000); attempt++) {
    if (attempt > 0)
      close_rig (&rig);
    rig = open_rig ("backend=cuda");
    gst_harness_set_drop_buffers (rig.harness, TRUE);
    start_video (&rig, CAPS);
    begin = g_get_monotonic_time ();
    for (guint i = 0; i < 6; i++)
      push_timed (&rig, frames[i], SIZE, i * FRAME_TIME, FRAME_TIME);
    pushed = g_get_monotonic_time () - begin;
  }
  /* Six kernels take six times as long as one; the streaming thread did not wait for two of them. */
  ck_assert_msg (pushed < 2 * SLOW_MS * 1000, "the streaming thread was held up for %" G_GINT64_FORMAT " ms", pushed / 1000);
  /* Beyond 8 frames it waits, and drops nothing. */
  for (guint i = 6; i < FRAMES; i++)
    push_timed (&rig, frames[i], SIZE, i * FRAME_TIME, FRAME_TIME);
  ck_assert_int_ge (g_get_monotonic_time () - begin, (FRAMES - 8 - 2) * SLOW_MS * 1000);
  push_eos (&rig);
  for (guint i = 0; i < FRAMES; i++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    check_frame (result, i, FALSE);
  }
  check_bus_empty (rig.bus);
  close_rig (&rig);
  check_driver ();
}

/* With add-meta the numbers are on the buffer when it leaves, so that the thread waits. */
FAKE_TEST (test_slow_gpu_with_meta)
{
  fake->set_delay_us (SLOW_MS * 1000);
  g_auto (Rig) rig = open_video ("backend=cuda add-meta=true", CAPS);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer
        = gst_harness_push_and_pull (rig.harness, make_buffer (frames[i], SIZE, i * FRAME_TIME, FRAME_TIME));

    ck_assert (get_meta (buffer) != NULL);
    check_frame (get_meta (buffer), i, FALSE);
  }
  close_rig (&rig);
  check_driver ();
}

/* Stopped, or flushed, with frames in flight. */
FAKE_TEST (test_slow_gpu_stops)
{
  guint results = 0;

  fake->set_delay_us (SLOW_MS * 1000);
  g_auto (Rig) rig = open_video ("backend=cuda", CAPS);
  for (guint i = 0; i < 4; i++)
    push_timed (&rig, frames[i], SIZE, i * FRAME_TIME, FRAME_TIME);
  push_flush (&rig, GST_FORMAT_TIME);
  for (guint i = 4; i < 8; i++)
    push_timed (&rig, frames[i], SIZE, i * FRAME_TIME, FRAME_TIME);
  gst_element_set_state (rig.element, GST_STATE_NULL);
  for (; results < 8; results++) {
    g_autoptr (GstStructure) result = pop_result (rig.bus);

    check_frame (result, results, FALSE);
  }
  check_bus_empty (rig.bus);
  close_rig (&rig);
  check_driver ();
}

/* ---- devices -------------------------------------------------------------------------------------------------------- */

static void
check_start_fails (const gchar *properties, gint code, const gchar *words)
{
  g_autoptr (GstElement) element = make_element (properties);
  g_autoptr (GstBus) bus = attach_bus (element);

  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  check_error (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, code, words);
  check_bus_empty (bus);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
}

static void
check_counts_with (const gchar *properties, const gchar *backend, guint warnings)
{
  Outcome outcome = run_frames (properties);

  ck_assert_uint_eq (outcome.results, FRAMES);
  ck_assert_uint_eq (outcome.warnings, warnings);
  ck_assert_uint_eq (outcome.errors, 0);
  ck_assert_str_eq (outcome.first_backend, backend);
  ck_assert_str_eq (outcome.last_backend, backend);
  clear_outcome (&outcome);
}

FAKE_TEST (test_devices)
{
  fake->set_devices (2);
  check_start_fails ("backend=cuda cuda-device-id=7", GST_RESOURCE_ERROR_NOT_FOUND, "7");
  check_start_fails ("backend=cuda cuda-device-id=2147483647", GST_RESOURCE_ERROR_NOT_FOUND, "2147483647");
  check_counts_with ("cuda-device-id=7", "cpu", 1);
  check_counts_with ("cuda-device-id=1", "cuda", 0);
  check_counts_with ("backend=cuda cuda-device-id=1", "cuda", 0);
  /* The first that opens. */
  fake->fail_device (0);
  check_counts_with ("backend=cuda", "cuda", 1);
  check_start_fails ("backend=cuda cuda-device-id=0", -1, NULL);
  fake->fail_device (-1);
  fake->set_devices (0);
  check_start_fails ("backend=cuda", GST_RESOURCE_ERROR_NOT_FOUND, NULL);
  check_counts_with ("", "cpu", 0);
  check_driver ();
}

/* A GPU that is too old for the kernels, or a driver that is too old for the toolkit: a clear text, and the CPU counts. */
FAKE_TEST (test_too_old)
{
  enum { NO_BINARY_FOR_GPU = 209 };
  static const struct {
    guint capability;
    gint driver_version;
    const gchar *words, *remedy;
  } cases[] = {
    { 61, 0, "it has compute capability 6.1; 7.0 or later is required", "use a newer GPU." },
    { 90, 10020, "the driver, for CUDA 10.2, is too old for this build, made with CUDA ", "; update the driver to " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Outcome outcome;

    fake->set_capability (cases[i].capability);
    fake->set_driver_version (cases[i].driver_version);
    fake->fail_function ("cuModuleLoadData", 1, NO_BINARY_FOR_GPU, false);
    outcome = run_frames ("");
    ck_assert_uint_eq (outcome.results, FRAMES);
    ck_assert_uint_eq (outcome.warnings, 1);
    ck_assert_uint_eq (outcome.errors, 0);
    ck_assert_str_eq (outcome.first_backend, "cpu");
    ck_assert_msg (strstr (outcome.warning, cases[i].words) != NULL && strstr (outcome.warning, cases[i].remedy) != NULL, "%s",
                   outcome.warning);
    clear_outcome (&outcome);
    fake->fail_function ("cuModuleLoadData", 1, NO_BINARY_FOR_GPU, false);
    check_start_fails ("backend=cuda", GST_RESOURCE_ERROR_NOT_FOUND, cases[i].words);
    fake->reset ();
  }
}

/* ---- a driver that cannot be loaded --------------------------------------------------------------------------------- */

static const gchar *driver;

static void
set_up_unusable (void)
{
  reset_random ();
  fill_random (frames[0], sizeof frames);
}

TEST_FIXTURE (set_up_unusable, NULL)

/* The message has the loader's text, or the missing part. */
TEST_LOOP (test_unusable_driver, 0, !is_fake ())
{
  if (strcmp (driver, "old") == 0)
    check_start_fails ("backend=cuda", GST_RESOURCE_ERROR_NOT_FOUND, "libcuda.so.1");
  else {
    g_autofree gchar *words = get_driver_problem ();

    ck_assert (words != NULL);
    check_start_fails ("backend=cuda", GST_RESOURCE_ERROR_NOT_FOUND, words);
  }
  check_counts_with ("backend=auto dot=previous", "cpu", strcmp (driver, "none") != 0); /* present but unusable */
}

int
main (int argc, char **argv)
{
  driver = g_getenv ("CUDAHISTO_TEST_DRIVER");
  if (g_strcmp0 (driver, "none") == 0 && dlopen ("libcuda.so.1", RTLD_NOW) != NULL) {
    printf ("skipped: this machine has a driver, and cannot be without\n");
    return 77;
  }
  return run_test_program (argc, argv, test_suite, "CUDAHISTO_TEST_DRIVER");
}
