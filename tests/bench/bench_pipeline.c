/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the element costs in a pipeline, beside its neighbours, every figure a ratio of things measured in this run:
 *
 *   bench_pipeline [PLUGIN]   PLUGIN: libgstcudahisto.so (default: the one GStreamer finds; load time is then not measured)
 *
 * 1. 1080p I420 frames from appsrc: nothing, videoanalyse, cudahisto on one CPU thread. Frames per second of the element alone
 *    come from the time over the bare pipeline.
 * 2. filesrc of a file in the page cache, in blocks of 4 KiB, 64 KiB and 1 MiB: identity, cudahisto, and the engine alone on the
 *    same bytes.
 * 3. The time to load the plugin. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cudahisto/histo.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#define WIDTH 1920
#define HEIGHT 1080
#define FRAME_BYTES (WIDTH * HEIGHT * 3 / 2)
#define FRAMES 300
#define CONTENTS 8 /* different frames, used in turn */
#define ROUNDS 5
#define FILE_BYTES ((gsize)512 << 20)

static guint8 *frames[CONTENTS];

static int
compare_double (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
median (double *values, guint count)
{
  qsort (values, count, sizeof *values, compare_double);
  return values[count / 2];
}

static double
seconds_now (void)
{
  return g_get_monotonic_time () / 1e6;
}

/* Plays to EOS and returns the seconds from the first buffer to EOS; messages are read. */
typedef struct {
  double first;
} Probe;

static GstPadProbeReturn
note_first (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  (void)pad;
  (void)info;
  ((Probe *)data)->first = seconds_now ();
  return GST_PAD_PROBE_REMOVE;
}

static double
play (const char *description, gboolean feed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, &error);
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstBus) bus = NULL;
  Probe probe = { 0 };
  double elapsed = 0;

  if (!pipeline || error)
    g_error ("%s: %s", description, error ? error->message : "no pipeline");
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  bus = gst_element_get_bus (pipeline);
  {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_first, &probe, NULL);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; feed && i < FRAMES; i++) {
    GstBuffer *buffer = gst_buffer_new_wrapped_full (0, frames[i % CONTENTS], FRAME_BYTES, 0, FRAME_BYTES, NULL, NULL);

    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 60;
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 60;
    gst_app_src_push_buffer (GST_APP_SRC (source), buffer);
  }
  if (feed)
    gst_app_src_end_of_stream (GST_APP_SRC (source));
  while (elapsed == 0) {
    GstMessage *message = gst_bus_timed_pop (bus, GST_CLOCK_TIME_NONE);

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, NULL);
      g_error ("%s: %s", description, error->message);
    }
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
      elapsed = seconds_now () - probe.first;
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
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
    APPSRC "fakesink sync=false",
    APPSRC "videoanalyse ! fakesink sync=false",
    APPSRC "cudahisto backend=cpu threads=1 ! fakesink sync=false",
    APPSRC "cudahisto backend=cpu threads=1 message-bins=packed ! fakesink sync=false",
  };
  static const char *const names[]
      = { "bare pipeline", "videoanalyse (luma, no histogram)", "cudahisto, 1 thread (Y, U, V)", "cudahisto, packed bins" };
  double times[G_N_ELEMENTS (pipelines)][ROUNDS], medians[G_N_ELEMENTS (pipelines)], peer = 0;
  gboolean have_peer = gst_registry_check_feature_version (gst_registry_get (), "videoanalyse", 1, 0, 0);

  fill_frames ();
  for (guint round = 0; round < ROUNDS; round++)
    for (guint p = 0; p < G_N_ELEMENTS (pipelines); p++)
      times[p][round] = p == 1 && !have_peer ? 0 : play (pipelines[p], TRUE);
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

static void
bench_bytes (void)
{
  static const guint blocks[] = { 4096, 65536, 1048576 };
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "cudahisto-bench-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  guint8 *bytes;
  guint64 state = 88172645463325252u;

  if (fd < 0 || ftruncate (fd, (off_t)FILE_BYTES) != 0)
    g_error ("cannot make a file of %" G_GSIZE_FORMAT " bytes in %s", FILE_BYTES, g_get_tmp_dir ());
  bytes = mmap (NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  for (gsize i = 0; i < FILE_BYTES; i += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    memcpy (bytes + i, &state, 8);
  }

  printf ("filesrc of %u MiB of random bytes in the page cache, all cores, median of %d, GB/s\n", (guint)(FILE_BYTES >> 20),
          ROUNDS);
  printf ("  %-8s %10s %12s %10s   %s\n", "blocks", "identity", "engine alone", "cudahisto",
          "time over the longer (want at most 1.5)");
  for (guint b = 0; b < G_N_ELEMENTS (blocks); b++) {
    g_autofree char *base
        = g_strdup_printf ("filesrc name=source location=%s blocksize=%u ! identity ! fakesink sync=false", path, blocks[b]);
    g_autofree char *ours = g_strdup_printf (
        "filesrc name=source location=%s blocksize=%u ! cudahisto backend=cpu ! fakesink sync=false", path, blocks[b]);
    double identity[ROUNDS], engine[ROUNDS], element[ROUNDS], a, e, c;

    for (guint round = 0; round < ROUNDS; round++) {
      identity[round] = play (base, FALSE);
      engine[round] = count_with_engine (bytes, FILE_BYTES, 1 << 20);
      element[round] = play (ours, FALSE);
    }
    a = median (identity, ROUNDS);
    e = median (engine, ROUNDS);
    c = median (element, ROUNDS);
    printf ("  %4u KiB %10.2f %12.2f %10.2f   %.2fx\n", blocks[b] / 1024, FILE_BYTES / a / 1e9, FILE_BYTES / e / 1e9,
            FILE_BYTES / c / 1e9, c / MAX (a, e));
  }
  printf ("\n");
  munmap (bytes, FILE_BYTES);
  close (fd);
  unlink (path);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  if (argc > 1) {
    g_autoptr (GError) error = NULL;
    gint64 start = g_get_monotonic_time ();
    g_autoptr (GstPlugin) plugin = gst_plugin_load_file (argv[1], &error);
    gint64 elapsed = g_get_monotonic_time () - start;

    if (!plugin)
      g_error ("%s: %s", argv[1], error->message);
    printf ("loading the plugin: %.2f ms (want below 5)\n\n", elapsed / 1e3);
  }
  bench_video ();
  bench_bytes ();
  for (guint f = 0; f < CONTENTS; f++)
    g_free (frames[f]);
  return 0;
}
