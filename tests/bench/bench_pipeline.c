/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cost of the element in a pipeline, compared with other elements. Each figure is a ratio of two measurements of this run:
 *
 *   bench_pipeline [--backend=cpu|cuda] [--gib=N] [--seconds=S] [--only=TABLE] [PLUGIN]
 *
 *   PLUGIN: libgstcudahisto.so (default: the one GStreamer finds, without a measurement of its load time). N: size of the file
 *   in GiB, 4. S: duration of a measurement of `statistics`, 0.07.
 *
 * Tables:
 *   video   1080p I420 frames from appsrc: without an element, with videoanalyse, with cudahisto on one CPU thread. The frames
 *           per second of an element follow from the additional time.
 *   plain   filesrc ! cudahisto ! fakesink, compared with the best of filesrc ! fakesink over many block sizes; a sparse file
 *           of N GiB, which is read once before
 *   push    filesrc of a file in the page cache, in blocks of 4 KiB, 64 KiB and 1 MiB: with identity, with cudahisto in its
 *           place, kept from pulling, and the engine alone on the same bytes; directly before a fakesink, where buffers may be
 *           held, and before another element, for which the CPU is waited for. Of the CPU, the limit too: what it takes to hand
 *           bytes to other threads, in bench_handover.c
 *   appsrc  GRAY8 1080p frames in the memory that cudahisto offers (if it offers none, in a pool of ordinary memory), filled in
 *           advance; every message is read
 *   pool    videotestsrc with that memory, and with its own memory if the offer does not reach it
 *   statistics  NV12 1080p frames, on one CPU thread or on the GPU: each statistic, regions, metering, a reference and events,
 *           alternately with basic statistics (bench_statistics.c); every message is read */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cudahisto/histo.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include "bench_handover.h"
#include "bench_statistics.h"
#include "timing.h"

#define WIDTH 1920
#define HEIGHT 1080
#define FRAME_BYTES (WIDTH * HEIGHT * 3 / 2)
#define FRAMES 300
#define CONTENTS 8 /* number of different frames, which are used in turn */
#define ROUNDS 5
#define PUSH_ROUNDS 11 /* many, because they are short and other work disturbs them */
/* With `num-buffers` set, the source always pushes. */
#define PUSHING_SOURCE "filesrc num-buffers=2000000000"
#define FILE_BYTES ((gsize)512 << 20)

#define GRAY_BYTES (1920 * 1080)
#define POOL_BUFFERS 32

static guint8 *frames[CONTENTS];
static const char *backend = "cpu";
static guint file_gib = 4;
static double statistics_seconds = 0.07;

typedef struct {
  double first;
} Probe;

static GstPadProbeReturn
note_first (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer data)
{
  ((Probe *)data)->first = seconds_now ();
  return GST_PAD_PROBE_REMOVE;
}

/* Returns the sum of the bins of a packed histogram. */
static guint64
add_bins (const GstStructure *result, const char *field)
{
  const GValue *value = gst_structure_get_value (result, field);
  const guint64 *bins;
  guint64 sum = 0;
  gsize size;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES))
    g_error ("no packed %s", field);
  bins = g_bytes_get_data (g_value_get_boxed (value), &size);
  for (gsize i = 0; i < size / 8; i++)
    sum += GUINT64_FROM_LE (bins[i]);
  return sum;
}

/* Returns the next message. Ends the program on an error. */
static GstMessage *
pop_message (GstBus *bus, const char *description)
{
  GstMessage *message = gst_bus_timed_pop (bus, GST_CLOCK_TIME_NONE);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_error ("%s: %s", description, error->message);
  }
  return message;
}

/* Plays to EOS, and returns the seconds from the first buffer at the sink to EOS. Reads all messages. Packed byte histograms
 * must add up to `bytes` (0: not checked). */
static double
play (const char *description, gboolean feed, guint64 bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, &error);
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstBus) bus = NULL;
  Probe probe = { 0 };
  double elapsed = 0;
  guint64 counted = 0;

  if (!pipeline || error)
    g_error ("%s: %s", description, error ? error->message : "no pipeline");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  bus = gst_element_get_bus (pipeline);
  {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_first, &probe, NULL);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (feed) {
    g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");

    for (guint i = 0; i < FRAMES; i++) {
      GstBuffer *buffer = gst_buffer_new_wrapped_full (0, frames[i % CONTENTS], FRAME_BYTES, 0, FRAME_BYTES, NULL, NULL);

      GST_BUFFER_PTS (buffer) = i * GST_SECOND / 60;
      GST_BUFFER_DURATION (buffer) = GST_SECOND / 60;
      gst_app_src_push_buffer (GST_APP_SRC (source), buffer);
    }
    gst_app_src_end_of_stream (GST_APP_SRC (source));
  }
  while (elapsed == 0) {
    g_autoptr (GstMessage) message = pop_message (bus, description);

    if (bytes > 0 && gst_message_has_name (message, "cudahisto"))
      counted += add_bins (gst_message_get_structure (message), "byte-histogram");
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
      elapsed = seconds_now () - probe.first;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (counted != bytes)
    g_error ("%s: %" G_GUINT64_FORMAT " bytes were counted, not %" G_GUINT64_FORMAT, description, counted, bytes);
  return elapsed;
}

static void
fill_frames (void)
{
  guint32 state = 1;

  for (guint f = 0; f < CONTENTS; f++) {
    frames[f] = g_malloc (FRAME_BYTES);
    for (guint i = 0; i < FRAME_BYTES; i++) {
      state = state * 1664525 + 1013904223;
      /* a slow ramp with noise, as in a decoded picture */
      frames[f][i] = (guint8)((i / 16 + f * 7 + (state >> 29)) & 0xff);
    }
  }
}

#define APPSRC                                                     \
  "appsrc name=source format=time block=true max-bytes=100000000 " \
  "caps=video/x-raw,format=I420,width=1920,height=1080,framerate=60/1 ! "

static void
bench_video (void)
{
  static const char *const pipelines[] = {
    APPSRC "fakesink name=sink sync=false",
    APPSRC "videoanalyse ! fakesink name=sink sync=false",
    APPSRC "cudahisto backend=cpu threads=1 ! fakesink name=sink sync=false",
    APPSRC "cudahisto backend=cpu threads=1 message-arrays=packed ! fakesink name=sink sync=false",
  };
  static const char *const names[]
      = { "bare pipeline", "videoanalyse (luma, no histogram)", "cudahisto, 1 thread (Y, U, V)", "cudahisto, packed bins" };
  double times[G_N_ELEMENTS (pipelines)][ROUNDS], medians[G_N_ELEMENTS (pipelines)], peer = 0;
  gboolean have_peer = gst_registry_check_feature_version (gst_registry_get (), "videoanalyse", 1, 0, 0);

  fill_frames ();
  for (guint round = 0; round < ROUNDS; round++)
    for (guint p = 0; p < G_N_ELEMENTS (pipelines); p++)
      times[p][round] = p == 1 && !have_peer ? 0 : play (pipelines[p], TRUE, 0);
  printf ("1080p I420, %d frames, median of %d\n", FRAMES, ROUNDS);
  printf ("  %-34s %10s %16s %8s\n", "", "ms/frame", "frames/s alone", "ratio");
  for (guint p = 0; p < G_N_ELEMENTS (pipelines); p++) {
    double per_frame, alone;

    medians[p] = median (times[p], ROUNDS);
    per_frame = medians[p] / FRAMES;
    alone = per_frame - medians[0] / FRAMES;
    if (p == 1)
      peer = have_peer ? 1 / alone : 0;
    if (p == 1 && !have_peer)
      printf ("  %-34s not installed\n", names[p]);
    else if (p == 0)
      printf ("  %-34s %10.3f\n", names[p], per_frame * 1e3);
    else if (peer > 0)
      printf ("  %-34s %10.3f %16.0f %7.2fx\n", names[p], per_frame * 1e3, 1 / alone, 1 / alone / peer);
    else
      printf ("  %-34s %10.3f %16.0f\n", names[p], per_frame * 1e3, 1 / alone);
  }
  printf ("  want: cudahisto at least 2.5x videoanalyse\n\n");
}

static double
count_with_engine (const guint8 *bytes, gsize size, gsize block)
{
  struct histo_config config = { .backend = HISTO_BACKEND_CPU, .cuda_device = -1 };
  struct histo_engine *engine = NULL;
  struct histo_stats part = { 0 }, total = { 0 };
  histo_ticket ticket = 0, oldest = 1;
  double start = seconds_now (), elapsed;

  if (histo_open (&config, &engine) != HISTO_OK)
    g_error ("no CPU engine");
  for (gsize at = 0; at < size; at += block) {
    struct histo_frame frame = {
      .plane_count = 1,
      .component_count = 1,
      .planes = { { .data = bytes + at, .height = 1 } },
      .components = { { .step_bytes = 1, .width = MIN (block, size - at), .sample_bytes = 1, .depth = 8 } },
    };

    while (histo_submit (engine, &frame, &ticket) == HISTO_ERROR_BUSY) {
      histo_collect (engine, oldest++, &part);
      histo_stats_add (&total, &part);
    }
  }
  while (oldest <= ticket) {
    histo_collect (engine, oldest++, &part);
    histo_stats_add (&total, &part);
  }
  elapsed = seconds_now () - start;
  if (total.components[0].count != size)
    g_error ("the engine counted %" G_GUINT64_FORMAT " bytes", (guint64)total.components[0].count);
  histo_stats_clear (&part);
  histo_stats_clear (&total);
  histo_close (&engine);
  return elapsed;
}

/* Makes a file of `size` zero bytes that takes no space on the disk. It is removed when it is closed. */
static int
make_file (char *path, guint64 size)
{
  int fd = g_mkstemp (path);

  if (fd < 0 || ftruncate (fd, (off_t)size) != 0)
    g_error ("cannot make a file of %" G_GUINT64_FORMAT " bytes in %s", size, g_get_tmp_dir ());
  return fd;
}

static void
bench_plain (void)
{
  static const guint blocks[] = { 4096, 16384, 65536, 262144, 1048576, 2097152, 4194304 };
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "cudahisto-bench-XXXXXX", NULL);
  guint64 size = (guint64)file_gib << 30;
  int fd = make_file (path, size);
  g_autofree char *ours = g_strdup_printf (
      "filesrc location=%s ! cudahisto backend=%s message-arrays=packed ! fakesink name=sink sync=false", path, backend);
  g_autofree guint8 *chunk = g_malloc (1 << 20);
  double times[G_N_ELEMENTS (blocks)][3], element[3], best = 0, median_of_ours;
  guint rounds = file_gib > 4 ? 1 : 3;

  while (read (fd, chunk, 1 << 20) > 0)
    continue;
  for (guint round = 0; round < rounds; round++) {
    for (guint b = 0; b < G_N_ELEMENTS (blocks); b++) {
      g_autofree char *base
          = g_strdup_printf ("filesrc location=%s blocksize=%u ! fakesink name=sink sync=false", path, blocks[b]);

      times[b][round] = play (base, FALSE, 0);
    }
    element[round] = play (ours, FALSE, size);
  }
  printf ("filesrc ! cudahisto backend=%s ! fakesink, a sparse file of %u GiB, median of %u\n", backend, file_gib, rounds);
  for (guint b = 0; b < G_N_ELEMENTS (blocks); b++) {
    double time = median (times[b], rounds);

    printf ("  without cudahisto, blocksize %4u KiB %10.2f GB/s\n", blocks[b] / 1024, (double)size / time / 1e9);
    if (best == 0 || time < best)
      best = time;
  }
  median_of_ours = median (element, rounds);
  printf ("  %-36s %10.2f GB/s   %.2fx the time of the best (want at most 1.05)\n\n", "cudahisto",
          (double)size / median_of_ours / 1e9, median_of_ours / best);
  close (fd);
  unlink (path);
}

static void
bench_push (void)
{
  static const guint blocks[] = { 4096, 65536, 1048576 };
  static const struct {
    const char *name, *words;
  } after[] = { { "fakesink", "" }, { "identity", "identity ! " } };
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "cudahisto-bench-XXXXXX", NULL);
  int fd = make_file (path, FILE_BYTES);
  guint8 *bytes;
  guint64 state = 88172645463325252u;

  bytes = mmap (NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  for (gsize i = 0; i < FILE_BYTES; i += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    memcpy (bytes + i, &state, 8);
  }

  printf (
      "filesrc ! cudahisto backend=%s ! fakesink in push mode, %u MiB of random bytes in the page cache, median of %d, GB/s\n",
      backend, (guint)(FILE_BYTES >> 20), PUSH_ROUNDS);
  printf ("  %-8s %-9s %10s %12s %10s   %s\n", "blocks", "before", "identity", "CPU engine", "cudahisto",
          "time over identity (want at most 1.15), over the longer");
  for (guint i = 0; i < G_N_ELEMENTS (blocks) * G_N_ELEMENTS (after); i++) {
    const guint b = i % G_N_ELEMENTS (blocks), w = i / G_N_ELEMENTS (blocks);
    g_autofree char *base = g_strdup_printf (PUSHING_SOURCE " location=%s blocksize=%u ! identity ! %sfakesink name=sink "
                                                            "sync=false",
                                             path, blocks[b], after[w].words);
    g_autofree char *ours = g_strdup_printf (PUSHING_SOURCE " location=%s blocksize=%u ! cudahisto backend=%s "
                                                            "message-arrays=packed ! %sfakesink name=sink sync=false",
                                             path, blocks[b], backend, after[w].words);
    double identity[PUSH_ROUNDS], engine[PUSH_ROUNDS], element[PUSH_ROUNDS], a, e, c;

    for (guint round = 0; round < PUSH_ROUNDS; round++) {
      identity[round] = play (base, FALSE, 0);
      engine[round] = count_with_engine (bytes, FILE_BYTES, 1 << 20);
      element[round] = play (ours, FALSE, FILE_BYTES);
    }
    a = median (identity, PUSH_ROUNDS);
    e = median (engine, PUSH_ROUNDS);
    c = median (element, PUSH_ROUNDS);
    printf ("  %4u KiB %-9s %10.2f %12.2f %10.2f   %.2fx %.2fx\n", blocks[b] / 1024, after[w].name, FILE_BYTES / a / 1e9,
            FILE_BYTES / e / 1e9, FILE_BYTES / c / 1e9, c / a, c / MAX (a, e));
  }
  printf ("\n");
  if (strcmp (backend, "cpu") == 0)
    bench_handover (fd, FILE_BYTES);
  munmap (bytes, FILE_BYTES);
  close (fd);
  unlink (path);
}

#define GRAY_CAPS "video/x-raw,format=GRAY8,width=1920,height=1080,framerate=60/1"

/* Returns the pool that is offered to the source, or one of ordinary memory, with POOL_BUFFERS buffers. *offered: it is the
 * offered one. */
static GstBufferPool *
find_pool (GstElement *source, GstCaps *caps, gboolean *offered)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  g_autoptr (GstAllocator) allocator = NULL;
  GstStructure *config;

  if (gst_pad_peer_query (pad, query)) {
    if (gst_query_get_n_allocation_pools (query) > 0)
      gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
    if (gst_query_get_n_allocation_params (query) > 0)
      gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  }
  gst_query_unref (query);
  *offered = pool != NULL;
  if (!pool)
    pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, GRAY_BYTES, POOL_BUFFERS, POOL_BUFFERS);
  if (allocator)
    gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (!gst_buffer_pool_set_config (pool, config) || !gst_buffer_pool_set_active (pool, TRUE))
    g_error ("the pool cannot be used");
  return pool;
}

typedef struct {
  GstElement *source;
  GstBufferPool *pool;
  GstMemory *memories[POOL_BUFFERS]; /* borrowed */
  guint64 sums[POOL_BUFFERS];        /* of the samples in them */
  guint64 *expected;                 /* of each frame */
  guint count;
} Feed;

/* Fills the buffers of the pool, each with other noise. */
static void
fill_pool (Feed *feed)
{
  GstBuffer *buffers[POOL_BUFFERS];
  guint32 state = 1;

  for (guint i = 0; i < POOL_BUFFERS; i++) {
    GstMapInfo map;

    if (gst_buffer_pool_acquire_buffer (feed->pool, &buffers[i], NULL) != GST_FLOW_OK
        || !gst_buffer_map (buffers[i], &map, GST_MAP_WRITE))
      g_error ("the pool has no buffers");
    for (guint j = 0; j < GRAY_BYTES; j++) {
      state = state * 1664525 + 1013904223;
      map.data[j] = (guint8)((j / 16 + i * 7 + (state >> 29)) & 0xff);
      feed->sums[i] += map.data[j];
    }
    gst_buffer_unmap (buffers[i], &map);
    feed->memories[i] = gst_buffer_peek_memory (buffers[i], 0);
  }
  for (guint i = 0; i < POOL_BUFFERS; i++)
    gst_buffer_unref (buffers[i]);
}

static gpointer
feed_frames (gpointer data)
{
  Feed *feed = data;

  for (guint i = 0; i < feed->count; i++) {
    GstBuffer *buffer;
    guint which = 0;

    if (gst_buffer_pool_acquire_buffer (feed->pool, &buffer, NULL) != GST_FLOW_OK)
      g_error ("the pool has no buffers");
    while (which < POOL_BUFFERS && feed->memories[which] != gst_buffer_peek_memory (buffer, 0))
      which++;
    if (which == POOL_BUFFERS)
      g_error ("a frame is in memory that was never filled");
    feed->expected[i] = feed->sums[which];
    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 60;
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 60;
    gst_app_src_push_buffer (GST_APP_SRC (feed->source), buffer);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (feed->source));
  return NULL;
}

/* Returns the seconds from the first frame to EOS. */
static double
play_pool (const char *element, guint count, gboolean *offered)
{
  g_autofree char *description
      = g_strdup_printf ("appsrc name=source format=time block=true max-buffers=8 max-bytes=0 caps=" GRAY_CAPS
                         " ! %s fakesink name=sink sync=false",
                         element);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, &error);
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstCaps) caps = gst_caps_from_string (GRAY_CAPS);
  Feed feed = { .count = count, .expected = g_new0 (guint64, count) };
  guint64 results = 0;
  double start, elapsed = 0;
  GThread *thread;

  if (!pipeline || error)
    g_error ("%s: %s", description, error ? error->message : "no pipeline");
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  feed.source = source;
  feed.pool = find_pool (source, caps, offered);
  fill_pool (&feed);
  start = seconds_now ();
  thread = g_thread_new ("feed", feed_frames, &feed);
  while (elapsed == 0) {
    g_autoptr (GstMessage) message = pop_message (bus, description);

    if (gst_message_has_name (message, "cudahisto")) {
      const GstStructure *result = gst_message_get_structure (message);
      guint64 frame = 0, sum = 0;

      gst_structure_get_uint64 (result, "frame", &frame);
      gst_structure_get_uint64 (result, "GRAY-sum", &sum);
      if (frame != results++ || frame >= count || sum != feed.expected[frame]
          || add_bins (result, "GRAY-histogram") != GRAY_BYTES)
        g_error ("frame %" G_GUINT64_FORMAT " is counted wrong", frame);
    }
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
      elapsed = seconds_now () - start;
  }
  g_thread_join (thread);
  if (*element && results != count)
    g_error ("%" G_GUINT64_FORMAT " results of %u frames", results, count);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_buffer_pool_set_active (feed.pool, FALSE);
  gst_object_unref (feed.pool);
  g_free (feed.expected);
  return elapsed;
}

static void
bench_appsrc (void)
{
  guint count = strcmp (backend, "cuda") == 0 ? 10000 : 1000;
  g_autofree char *ours = g_strdup_printf ("cudahisto backend=%s message-arrays=packed !", backend);
  double without[3], with[3];
  gboolean offered = FALSE, not_offered;

  for (guint round = 0; round < 3; round++) {
    without[round] = play_pool ("", count, &not_offered);
    with[round] = play_pool (ours, count, &offered);
  }
  printf ("appsrc of 1080p GRAY8, %u frames in %d buffers, backend=%s, pool %s, median of 3\n", count, POOL_BUFFERS, backend,
          offered ? "offered by cudahisto" : "of ordinary memory");
  printf ("  %-34s %10.0f frames/s\n", "without cudahisto", count / median (without, 3));
  printf ("  %-34s %10.0f frames/s\n\n", "cudahisto, packed bins", count / median (with, 3));
}

static GstPadProbeReturn
drop_allocation (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data G_GNUC_UNUSED)
{
  return GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) == GST_QUERY_ALLOCATION ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static double
play_test_frames (const char *element, guint count, gboolean with_pool)
{
  g_autofree char *description = g_strdup_printf ("videotestsrc pattern=black num-buffers=%u ! " GRAY_CAPS
                                                  " ! identity name=first ! %s fakesink name=sink sync=false",
                                                  count, element);
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, NULL);
  g_autoptr (GstElement) first = gst_bin_get_by_name (GST_BIN (pipeline), "first");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (first, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Probe probe = { 0 };
  double elapsed = 0;
  guint results = 0;

  if (!with_pool)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, drop_allocation, NULL, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_first, &probe, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (elapsed == 0) {
    g_autoptr (GstMessage) message = pop_message (bus, description);

    if (gst_message_has_name (message, "cudahisto")) {
      results++;
      if (add_bins (gst_message_get_structure (message), "GRAY-histogram") != GRAY_BYTES)
        g_error ("a frame is counted wrong");
    }
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
      elapsed = seconds_now () - probe.first;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (*element && results != count)
    g_error ("%u results of %u frames", results, count);
  return elapsed;
}

static void
bench_pool (void)
{
  guint count = strcmp (backend, "cuda") == 0 ? 2000 : 500;
  g_autofree char *ours = g_strdup_printf ("cudahisto backend=%s message-arrays=packed !", backend);
  double without[3], own[3], offered[3];

  for (guint round = 0; round < 3; round++) {
    without[round] = play_test_frames ("", count, TRUE);
    own[round] = play_test_frames (ours, count, FALSE);
    offered[round] = play_test_frames (ours, count, TRUE);
  }
  printf ("videotestsrc pattern=black, 1080p GRAY8, %u frames, backend=%s, median of 3\n", count, backend);
  printf ("  %-34s %10.0f frames/s\n", "without cudahisto", count / median (without, 3));
  printf ("  %-34s %10.0f frames/s\n", "cudahisto, videotestsrc's memory", count / median (own, 3));
  printf ("  %-34s %10.0f frames/s\n\n", "cudahisto, the memory it offers", count / median (offered, 3));
}

static void
bench_each_statistic (void)
{
  bench_statistics (backend, statistics_seconds);
}

static const struct {
  const char *name;
  void (*run) (void);
} tables[] = {
  { "video", bench_video },   { "plain", bench_plain }, { "push", bench_push },
  { "appsrc", bench_appsrc }, { "pool", bench_pool },   { "statistics", bench_each_statistic },
};

int
main (int argc, char **argv)
{
  const char *only = NULL, *path = NULL;

  gst_init (&argc, &argv);
  for (int i = 1; i < argc; i++) {
    if (g_str_has_prefix (argv[i], "--backend="))
      backend = argv[i] + strlen ("--backend=");
    else if (g_str_has_prefix (argv[i], "--gib="))
      file_gib = (guint)CLAMP (atoi (argv[i] + strlen ("--gib=")), 1, 1024);
    else if (g_str_has_prefix (argv[i], "--seconds="))
      statistics_seconds = CLAMP (g_ascii_strtod (argv[i] + strlen ("--seconds="), NULL), 0, 60);
    else if (g_str_has_prefix (argv[i], "--only="))
      only = argv[i] + strlen ("--only=");
    else if (argv[i][0] != '-' && !path)
      path = argv[i];
    else
      g_error ("usage: bench_pipeline [--backend=cpu|cuda] [--gib=N] [--seconds=S] "
               "[--only=video|plain|push|appsrc|pool|statistics] [PLUGIN]");
  }
  if (path) {
    g_autoptr (GError) error = NULL;
    gint64 start = g_get_monotonic_time ();
    g_autoptr (GstPlugin) plugin = gst_plugin_load_file (path, &error);
    gint64 elapsed = g_get_monotonic_time () - start;

    if (!plugin)
      g_error ("%s: %s", path, error->message);
    printf ("loading the plugin: %.2f ms (want below 5)\n\n", elapsed / 1e3);
  }
  for (guint t = 0; t < G_N_ELEMENTS (tables); t++) {
    if (!only || strcmp (only, tables[t].name) == 0)
      tables[t].run ();
    fflush (stdout);
  }
  for (guint f = 0; f < CONTENTS; f++)
    g_free (frames[f]);
  return 0;
}
