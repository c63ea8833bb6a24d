/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cost of the element for frames on the GPU, compared alternately with the same pipeline without it:
 *
 *   bench_cudamemory [--h264=CLIP.mp4] [--h265=CLIP.mp4] [PLUGIN]
 *
 *   PLUGIN: libgstcudahisto.so (default: the one GStreamer finds). Needs an NVIDIA GPU and the elements of nvcodec.
 *
 * Tables:
 *   existing frames: 1080p NV12 from appsrc, without a decoder: the limit of the element
 *   a clip, decoded by NVDEC: one pipeline, sixteen pipelines of this process, and one with sixteen branches, which share a
 *     CUDA context; seconds from PLAYING to the last EOS
 *
 * Reads every message, and checks every number. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include "timing.h"

#define FRAMES 40000
#define BUFFERS 32
#define ROUNDS 5
#define SIXTEEN 16
#define MAX_ELEMENTS 3
#define CAPS(features) "video/x-raw" features ",format=NV12,width=1920,height=1080,framerate=60/1"

static GstElement *
launch (const char *description)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);

  if (!pipeline || error)
    g_error ("%s: %s", description, error ? error->message : "no pipeline");
  return pipeline;
}

/* Reads messages until EOS, and passes those of the element to `look`. */
static void
read_messages (GstElement *pipeline, void (*look) (const GstStructure *result, gpointer data), gpointer data)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gboolean is_over = FALSE;

  while (!is_over) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop (bus, GST_CLOCK_TIME_NONE);

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      g_autoptr (GError) error = NULL;

      gst_message_parse_error (message, &error, NULL);
      g_error ("%s", error->message);
    }
    if (gst_message_has_name (message, "cudahisto"))
      look (gst_message_get_structure (message), data);
    is_over = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  }
}

/* ---- frames that are there --------------------------------------------------------------------------------------- */

/* Frames on the GPU, and the sum of their luma samples. */
typedef struct {
  GstBuffer *buffers[BUFFERS];
  guint64 sums[BUFFERS];
  guint uploaded, summed;
} Store;

static GstPadProbeReturn
keep_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  Store *store = data;

  if (!gst_memory_is_type (gst_buffer_peek_memory (GST_PAD_PROBE_INFO_BUFFER (info), 0), "gst.cuda.memory"))
    g_error ("the frames are not on the GPU");
  store->buffers[store->uploaded++] = gst_buffer_ref (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
sum_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  Store *store = data;
  GstMapInfo map;

  if (!gst_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), &map, GST_MAP_READ))
    g_error ("a frame cannot be read");
  for (gsize i = 0; i < 1920 * 1080; i++)
    store->sums[store->summed] += map.data[i];
  store->summed++;
  gst_buffer_unmap (GST_PAD_PROBE_INFO_BUFFER (info), &map);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement *pipeline, const char *element, const char *pad_name, GstPadProbeCallback callback, gpointer data)
{
  g_autoptr (GstElement) found = gst_bin_get_by_name (GST_BIN (pipeline), element);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (found, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, data, NULL);
}

static void
fill_store (Store *store)
{
  g_autofree char *description
      = g_strdup_printf ("videotestsrc pattern=snow num-buffers=%d ! " CAPS ("") " ! cudaupload name=upload ! " CAPS (
                             "(memory:CUDAMemory)") " ! fakesink name=sink",
                         BUFFERS);
  g_autoptr (GstElement) pipeline = launch (description);

  add_probe (pipeline, "upload", "sink", sum_buffer, store);
  add_probe (pipeline, "sink", "sink", keep_buffer, store);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  read_messages (pipeline, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (store->uploaded != BUFFERS || store->summed != BUFFERS)
    g_error ("%u frames are on the GPU, not %d", store->uploaded, BUFFERS);
}

typedef struct {
  const Store *store;
  GstElement *source;
  guint64 frames; /* that are counted */
} Feed;

static gpointer
feed_frames (gpointer data)
{
  Feed *feed = data;

  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *buffer = gst_buffer_copy (feed->store->buffers[i % BUFFERS]);

    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 60;
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 60;
    gst_app_src_push_buffer (GST_APP_SRC (feed->source), buffer);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (feed->source));
  return NULL;
}

static void
check_sum (const GstStructure *result, gpointer data)
{
  Feed *feed = data;
  guint64 frame = 0, frames = 0, sum = 0, expected = 0;

  gst_structure_get (result, "frame", G_TYPE_UINT64, &frame, "frames", G_TYPE_UINT64, &frames, "Y-sum", G_TYPE_UINT64, &sum,
                     NULL);
  for (guint64 i = frame; i < frame + frames; i++)
    expected += feed->store->sums[i % BUFFERS];
  if (frame != feed->frames || sum != expected)
    g_error ("frames %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " are counted wrong", frame, frame + frames - 1);
  feed->frames += frames;
}

static double
play_store (const Store *store, const char *element)
{
  g_autofree char *description
      = g_strdup_printf ("appsrc name=source format=time block=true max-buffers=8 max-bytes=0 caps=" CAPS (
                             "(memory:CUDAMemory)") " ! %s fakesink name=sink sync=false",
                         element);
  g_autoptr (GstElement) pipeline = launch (description);
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  Feed feed = { .store = store, .source = source };
  double start, elapsed;
  GThread *thread;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  start = seconds_now ();
  thread = g_thread_new ("feed", feed_frames, &feed);
  read_messages (pipeline, check_sum, &feed);
  elapsed = seconds_now () - start;
  g_thread_join (thread);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (*element && feed.frames != FRAMES)
    g_error ("%" G_GUINT64_FORMAT " frames are counted, not %d", feed.frames, FRAMES);
  return elapsed;
}

static void
bench_store (void)
{
  static const struct {
    const char *name, *element;
  } lines[] = {
    { "without cudahisto", "" },
    { "cudahisto interval=1000000000 (a message a second)",
      "cudahisto backend=cuda interval=1000000000 message-arrays=packed !" },
    { "cudahisto (a message a frame, packed bins)", "cudahisto backend=cuda message-arrays=packed !" },
  };
  double times[G_N_ELEMENTS (lines)][3];
  Store store = { 0 };

  fill_store (&store);
  for (guint round = 0; round < 3; round++)
    for (guint l = 0; l < G_N_ELEMENTS (lines); l++)
      times[l][round] = play_store (&store, lines[l].element);
  printf ("appsrc of 1080p NV12 in memory:CUDAMemory, %d frames in %d buffers, median of 3\n", FRAMES, BUFFERS);
  for (guint l = 0; l < G_N_ELEMENTS (lines); l++)
    printf ("  %-52s %10.0f frames/s\n", lines[l].name, FRAMES / median (times[l], 3));
  printf ("\n");
  for (guint i = 0; i < BUFFERS; i++)
    gst_buffer_unref (store.buffers[i]);
}

/* ---- decoded frames ---------------------------------------------------------------------------------------------- */

/* One of the pipelines that play at once. */
typedef struct {
  GstElement *pipeline;
  guint64 frames; /* that are counted */
} Player;

static void
check_bins (const GstStructure *result, gpointer data)
{
  Player *player = data;
  g_autoptr (GBytes) packed = NULL;
  const guint64 *bins;
  guint64 frames = 0, samples = 0, count = 0;
  gsize size;

  gst_structure_get (result, "frames", G_TYPE_UINT64, &frames, "Y-count", G_TYPE_UINT64, &count, "Y-histogram", G_TYPE_BYTES,
                     &packed, NULL);
  if (!packed)
    g_error ("no packed bins");
  bins = g_bytes_get_data (packed, &size);
  for (gsize i = 0; i < size / 8; i++)
    samples += GUINT64_FROM_LE (bins[i]);
  if (samples != count || count == 0 || frames != 1)
    g_error ("a frame is counted wrong");
  player->frames += frames;
}

static gpointer
read_player (gpointer data)
{
  Player *player = data;

  read_messages (player->pipeline, check_bins, player);
  return NULL;
}

/* Returns the seconds from PLAYING to the last EOS of `count` pipelines. *frames: the number that each counted. *cores: the
 * average number of busy cores. */
static double
play_clip (const char *description, guint count, guint64 *frames, double *cores)
{
  Player players[SIXTEEN] = { 0 };
  GThread *threads[SIXTEEN];
  double start, cpu_start, elapsed;

  for (guint i = 0; i < count; i++)
    players[i].pipeline = launch (description);
  start = seconds_now ();
  cpu_start = cpu_seconds_now ();
  for (guint i = 0; i < count; i++) {
    gst_element_set_state (players[i].pipeline, GST_STATE_PLAYING);
    threads[i] = g_thread_new ("messages", read_player, &players[i]);
  }
  for (guint i = 0; i < count; i++)
    g_thread_join (threads[i]);
  elapsed = seconds_now () - start;
  *cores = (cpu_seconds_now () - cpu_start) / elapsed;
  for (guint i = 0; i < count; i++) {
    gst_element_set_state (players[i].pipeline, GST_STATE_NULL);
    gst_object_unref (players[i].pipeline);
    if (players[i].frames != players[0].frames)
      g_error ("one pipeline counts %" G_GUINT64_FORMAT " frames and another %" G_GUINT64_FORMAT, players[0].frames,
               players[i].frames);
  }
  *frames = players[0].frames;
  return elapsed;
}

static void
bench_clip (const char *path, const char *codec, guint count, guint branches, guint rounds)
{
  static const char *const elements[MAX_ELEMENTS] = { "", "cudahisto backend=cuda message-arrays=packed !",
                                                      "cudahisto backend=cuda message-arrays=packed add-meta=true !" };
  static const char *const names[MAX_ELEMENTS]
      = { "without cudahisto", "cudahisto, packed bins", "cudahisto, packed bins, add-meta" };
  double times[MAX_ELEMENTS][ROUNDS], ratios[MAX_ELEMENTS][ROUNDS], cores[MAX_ELEMENTS][ROUNDS];
  guint64 frames = 0;

  for (guint round = 0; round < rounds; round++)
    for (guint e = 0; e < MAX_ELEMENTS; e++) {
      g_autofree char *branch = g_strdup_printf ("filesrc location=%s ! qtdemux ! %sparse ! nv%sdec ! %s fakesink sync=false ",
                                                 path, codec, codec, elements[e]);
      g_autoptr (GString) description = g_string_new (NULL);

      for (guint b = 0; b < branches; b++)
        g_string_append (description, branch);
      times[e][round] = play_clip (description->str, count, &frames, &cores[e][round]);
      ratios[e][round] = times[e][round] / times[0][round];
      if (e > 0 && frames == 0)
        g_error ("no frame was counted");
    }
  printf ("nv%sdec ! fakesink, %u pipelines of %u, %" G_GUINT64_FORMAT " frames each, median of %u\n", codec, count, branches,
          frames / branches, rounds);
  for (guint e = 0; e < MAX_ELEMENTS; e++)
    printf ("  %-52s %10.3f s   %.3fx   %4.1f cores\n", names[e], median (times[e], rounds), median (ratios[e], rounds),
            median (cores[e], rounds));
  printf ("\n");
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  const char *clips[2] = { NULL, NULL };
  static const char *const codecs[2] = { "h264", "h265" };

  gst_init (&argc, &argv);
  for (int i = 1; i < argc; i++) {
    if (g_str_has_prefix (argv[i], "--h264="))
      clips[0] = argv[i] + strlen ("--h264=");
    else if (g_str_has_prefix (argv[i], "--h265="))
      clips[1] = argv[i] + strlen ("--h265=");
    else if (argv[i][0] != '-') {
      g_autoptr (GError) error = NULL;
      g_autoptr (GstPlugin) plugin = gst_plugin_load_file (argv[i], &error);

      if (!plugin)
        g_error ("%s: %s", argv[i], error->message);
    } else
      g_error ("usage: bench_cudamemory [--h264=CLIP.mp4] [--h265=CLIP.mp4] [PLUGIN]");
  }
  bench_store ();
  for (guint c = 0; c < 2; c++)
    if (clips[c]) {
      bench_clip (clips[c], codecs[c], 1, 1, ROUNDS);
      bench_clip (clips[c], codecs[c], SIXTEEN, 1, 3);
      bench_clip (clips[c], codecs[c], 1, SIXTEEN, 3); /* which share a context */
    }
  return 0;
}
