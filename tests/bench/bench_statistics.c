/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define GST_USE_UNSTABLE_API

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gst/gst.h>
#include <gst/video/video.h>
#ifdef HAVE_GST_CUDA
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#endif

#include "bench_statistics.h"
#include "require.h"
#include "timing.h"

#define WIDTH 1920
#define HEIGHT 1080
#define LUMA_BYTES ((gsize)WIDTH * HEIGHT)
#define FRAME_BYTES (LUMA_BYTES * 3 / 2)
#define PICTURES 32 /* twice the L2 cache of an H200 */
#define ROUNDS 5
/* HDR, for the statistic `light`. */
#define CAPS(features) "video/x-raw" features ",format=NV12,width=1920,height=1080,framerate=60/1,colorimetry=bt2100-pq"

/* ---- frames ------------------------------------------------------------------------------------------------------- */

/* Different frames, which are pushed in turn, and the sum of the luma samples of each. */
typedef struct {
  const char *caps;
  GstBuffer *buffers[PICTURES];
  guint64 sums[PICTURES];
} Film;

/* Makes slow ramps that move, some noise, coloured areas: each frame differs from the previous one. Returns the sum of luma. */
static guint64
fill_picture (guint8 *samples, guint number)
{
  guint32 state = number + 1;
  guint64 sum = 0;

  for (guint y = 0; y < HEIGHT * 3 / 2; y++)
    for (guint x = 0; x < WIDTH; x++) {
      const guint ramp = y < HEIGHT ? (x / 12 + y / 8 + number) % 220 + 16 : 96 + (x % 2 * 40) + (y / 32 + x / 64) % 24;

      state = state * 1664525 + 1013904223;
      *samples = (guint8)(ramp + (state >> 30));
      if (y < HEIGHT)
        sum += *samples;
      samples++;
    }
  return sum;
}

static void
make_film (Film *film)
{
  film->caps = CAPS ("");
  for (guint i = 0; i < PICTURES; i++) {
    guint8 *samples = g_malloc (FRAME_BYTES);

    film->sums[i] = fill_picture (samples, i);
    film->buffers[i] = gst_buffer_new_wrapped (samples, FRAME_BYTES);
  }
}

static void
clear_film (Film *film)
{
  for (guint i = 0; i < PICTURES; i++)
    gst_clear_buffer (&film->buffers[i]);
}

#ifdef HAVE_GST_CUDA
/* Copies the frames to the GPU. Returns false if there is none. */
static bool
upload_film (Film *film)
{
  g_autoptr (GstObject) context = NULL; /* 1.22 has no g_autoptr of its type */
  g_autoptr (GstBufferPool) pool = NULL;
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS ("(memory:CUDAMemory)"));
  GstStructure *config;
  GstVideoInfo info, info_there;

  if (!gst_cuda_load_library ())
    return false;
  gst_cuda_memory_init_once ();
  context = GST_OBJECT_CAST (gst_cuda_context_new (0));
  if (!context)
    return false;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  gst_video_info_from_caps (&info_there, caps);
  pool = gst_cuda_buffer_pool_new (GST_CUDA_CONTEXT (context));
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, (guint)info_there.size, 0, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  require (gst_buffer_pool_set_config (pool, config) && gst_buffer_pool_set_active (pool, TRUE), "memory on the GPU");
  for (guint i = 0; i < PICTURES; i++) {
    GstVideoFrame from, to;
    GstBuffer *buffer = NULL;
    GstMapInfo map;

    require (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) == GST_FLOW_OK
                 && gst_video_frame_map (&from, &info, film->buffers[i], GST_MAP_READ)
                 && gst_video_frame_map (&to, &info_there, buffer, GST_MAP_WRITE) && gst_video_frame_copy (&to, &from),
             "a frame for the GPU");
    gst_video_frame_unmap (&to);
    gst_video_frame_unmap (&from);
    require (gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA), "a frame on the GPU"); /* which uploads it */
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (film->buffers[i]);
    film->buffers[i] = buffer;
  }
  gst_buffer_pool_set_active (pool, FALSE);
  film->caps = CAPS ("(memory:CUDAMemory)");
  return true;
}
#else
static bool
upload_film (Film *film G_GNUC_UNUSED)
{
  return false;
}
#endif

/* ---- the measurement ---------------------------------------------------------------------------------------------- */

/* A playing element, before a fakesink. */
typedef struct {
  const Film *film;
  GstElement *pipeline;
  GstPad *source;
  GstBus *bus;
  guint64 pushed, read; /* frames since the start */
  guint count;          /* number of frames to push next */
} Player;

static void
open_player (Player *player, const Film *film, const char *properties)
{
  g_autofree char *description
      = g_strdup_printf ("cudahisto name=histo message-arrays=packed %s ! fakesink sync=false async=false", properties);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) element = NULL;
  g_autoptr (GstPad) sink = NULL;
  g_autoptr (GstCaps) caps = gst_caps_from_string (film->caps);
  GstSegment segment;

  *player = (Player){ .film = film, .pipeline = gst_parse_launch (description, &error) };
  if (error)
    fprintf (stderr, "%s: %s\n", description, error->message);
  require (player->pipeline && !error, "a pipeline");
  player->bus = gst_element_get_bus (player->pipeline);
  element = gst_bin_get_by_name (GST_BIN (player->pipeline), "histo");
  sink = gst_element_get_static_pad (element, "sink");
  player->source = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  gst_pad_set_active (player->source, TRUE);
  require (gst_pad_link_full (player->source, sink, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK, "a link");
  require (gst_element_set_state (player->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE, "the element plays");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  require (gst_pad_push_event (player->source, gst_event_new_stream_start ("film"))
               && gst_pad_push_event (player->source, gst_event_new_caps (caps))
               && gst_pad_push_event (player->source, gst_event_new_segment (&segment)),
           "the element takes the caps");
}

static void
close_player (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  gst_pad_set_active (player->source, FALSE);
  gst_object_unref (player->source);
  gst_object_unref (player->bus);
  gst_object_unref (player->pipeline);
}

static gpointer
push_frames (gpointer data)
{
  Player *player = data;

  for (guint i = 0; i < player->count; i++) {
    GstBuffer *buffer = gst_buffer_copy (player->film->buffers[player->pushed % PICTURES]);

    GST_BUFFER_PTS (buffer) = player->pushed * GST_SECOND / 60;
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 60;
    player->pushed++;
    require (gst_pad_push (player->source, buffer) == GST_FLOW_OK, "a frame is taken");
  }
  return NULL;
}

static void
check_result (Player *player, const GstStructure *result)
{
  guint64 frame = 0, frames = 0, sum = 0;

  require (gst_structure_get (result, "frame", G_TYPE_UINT64, &frame, "frames", G_TYPE_UINT64, &frames, "Y-sum", G_TYPE_UINT64,
                              &sum, NULL),
           "a result says which frame it is of, and its sum");
  require (frame == player->read && frames == 1, "each frame has one result");
  require (sum == player->film->sums[frame % PICTURES], "a frame is counted right");
  player->read++;
}

/* Waits for a message, at most a minute. A warning also ends the program: it means that something is not counted. */
static void
read_message (Player *player)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop (player->bus, 60 * GST_SECOND);

  require (message != NULL, "the results come");
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR || GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    g_autoptr (GError) error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    fprintf (stderr, "%s\n", error->message);
    require (false, "there is neither error nor warning");
  }
  if (gst_message_has_name (message, "cudahisto"))
    check_result (player, gst_message_get_structure (message));
}

/* Seconds per frame. */
typedef struct {
  double clock, processor;
} Cost;

/* Returns the processor time of all threads except this one, which reads the messages like an application. */
static double
others_seconds_now (void)
{
  return cpu_seconds_now () - seconds_of (CLOCK_THREAD_CPUTIME_ID);
}

/* Measures from the first pushed frame to the last result that is read. */
static Cost
play (Player *player, guint count)
{
  const double start = seconds_now (), processor_start = others_seconds_now ();
  const guint64 end = player->read + count;
  GThread *thread;

  player->count = count;
  thread = g_thread_new ("push", push_frames, player);
  while (player->read < end)
    read_message (player);
  g_thread_join (thread);
  require (player->read == player->pushed, "there are as many results as frames");
  return (Cost){ (seconds_now () - start) / count, (others_seconds_now () - processor_start) / count };
}

/* Returns the number of frames that take `seconds`, at least one. Plays some frames. */
static guint
find_count (Player *player, double seconds)
{
  guint count = 4;
  double elapsed = play (player, count).clock * count;

  while (elapsed < seconds / 4) {
    count *= 2;
    elapsed = play (player, count).clock * count;
  }
  return MAX (1, (guint)(count * seconds / elapsed));
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

typedef struct {
  char *name, *properties;
} Row;

static void
clear_row (gpointer data)
{
  g_free (((Row *)data)->name);
  g_free (((Row *)data)->properties);
}

/* Takes `properties`. `name` NULL: they are also the name. */
static void
add_row (GArray *rows, const char *name, char *properties)
{
  const Row row = { g_strdup (name ? name : properties), properties };

  g_array_append_val (rows, row);
}

static GFlagsClass *
find_flags (GstElement *element, const char *property)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), property);

  require (spec && G_IS_PARAM_SPEC_FLAGS (spec), "the property is there, and a set of flags");
  return G_PARAM_SPEC_FLAGS (spec)->flags_class;
}

/* Returns "PROPERTY=black+freeze+..." with all values. */
static char *
name_all (const char *property, const GFlagsClass *flags)
{
  GString *properties = g_string_new (property);

  for (guint i = 0; i < flags->n_values; i++)
    g_string_append_printf (properties, "%c%s", i == 0 ? '=' : '+', flags->values[i].value_nick);
  return g_string_free (properties, FALSE);
}

/* Adds rows: each statistic with the basic ones, each set that includes these, and all together. */
static void
add_statistics (GArray *rows, GstElement *element)
{
  GFlagsClass *flags = find_flags (element, "statistics");
  const guint basic = g_flags_get_value_by_nick (flags, "basic")->value;

  add_row (rows, NULL, g_strdup ("statistics=basic"));
  for (guint i = 0; i < flags->n_values; i++) {
    const GFlagsValue *value = &flags->values[i];

    if ((basic | value->value) != basic)
      add_row (rows, NULL,
               g_strdup_printf ("statistics=%s%s", (value->value & basic) == basic ? "" : "basic+", value->value_nick));
  }
  add_row (rows, "statistics: all of these", name_all ("statistics", flags));
}

static void
add_events (GArray *rows, GstElement *element)
{
  GFlagsClass *flags = find_flags (element, "events");

  for (guint i = 0; i < flags->n_values; i++)
    add_row (rows, NULL, g_strdup_printf ("events=%s", flags->values[i].value_nick));
  add_row (rows, "events: all of these", name_all ("events", flags));
}

/* Adds rows of regions. Each is a sixteenth of the picture. */
static void
add_regions (GArray *rows, guint count, const char *statistics)
{
  GString *properties = g_string_new (NULL);
  g_autofree char *name = g_strdup_printf ("%u region%s, statistics=%s", count, count == 1 ? "" : "s", statistics);

  g_string_printf (properties, "statistics=%s regions=\"", statistics);
  for (guint i = 0; i < count; i++)
    g_string_append_printf (properties, "%u,%u,%u,%u;", i % 4 * WIDTH / 4, i / 4 * HEIGHT / 4, WIDTH / 4, HEIGHT / 4);
  properties->str[properties->len - 1] = '"';
  add_row (rows, name, g_string_free (properties, FALSE));
}

/* Writes luma of a frame to a picture file that GStreamer decodes. Returns its name; remove the file, and free the name. */
static char *
write_reference (void)
{
  char *path = g_build_filename (g_get_tmp_dir (), "cudahisto-bench-XXXXXX", NULL);
  g_autofree guint8 *samples = g_malloc (FRAME_BYTES);
  FILE *file = fdopen (g_mkstemp (path), "wb");

  fill_picture (samples, PICTURES);
  require (file && fprintf (file, "P5\n%d %d\n255\n", WIDTH, HEIGHT) > 0 && fwrite (samples, 1, LUMA_BYTES, file) == LUMA_BYTES
               && fclose (file) == 0,
           "a picture in the folder for temporary files");
  return path;
}

static GArray *
make_rows (const char *reference)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_autoptr (GstElement) element = gst_element_factory_make ("cudahisto", NULL);

  require (element != NULL, "the element is there");
  gst_object_ref_sink (element);
  g_array_set_clear_func (rows, clear_row);
  add_statistics (rows, element);
  for (guint count = 1; count <= 16; count *= 4)
    add_regions (rows, count, "basic");
  add_regions (rows, 4, "signalstats");
  add_row (rows, NULL, g_strdup ("metering=center"));
  if (reference)
    add_row (rows, "reference-mode=fixed", g_strdup_printf ("reference-location=%s reference-mode=fixed", reference));
  add_events (rows, element);
  return rows;
}

/* Returns the number of frames that take `seconds` with these properties. */
static guint
count_for (const Film *film, const char *properties, double seconds)
{
  Player player;
  guint count;

  open_player (&player, film, properties);
  count = find_count (&player, seconds);
  close_player (&player);
  return count;
}

/* Measures in a new pipeline. A pipeline keeps its pace, which depends more on where the system puts its threads than on some
 * statistics. */
static Cost
play_anew (const Film *film, const char *properties, guint count)
{
  Player player;
  Cost cost;

  open_player (&player, film, properties);
  play (&player, MIN (count, PICTURES)); /* warm */
  cost = play (&player, count);
  close_player (&player);
  return cost;
}

static void
take_less (Cost *least, Cost cost)
{
  least->clock = MIN (least->clock, cost.clock);
  least->processor = MIN (least->processor, cost.processor);
}

/* Measures the row and basic statistics alternately, and takes the least time of each. */
static void
print_row (const Film *film, const Row *row, const char *settings, guint basic_count, double seconds)
{
  g_autofree char *basic = g_strdup_printf ("%s statistics=basic", settings);
  g_autofree char *properties = g_strdup_printf ("%s %s", settings, row->properties);
  const guint count = count_for (film, properties, seconds);
  Cost price = { DBL_MAX, DBL_MAX }, cost = price;

  for (guint round = 0; round < ROUNDS; round++) {
    take_less (&price, play_anew (film, basic, basic_count));
    take_less (&cost, play_anew (film, properties, count));
  }
  printf ("  %-36s %8.0f %6.2f %9.1f   %8.0f %6.2f %9.1f\n", row->name, 1 / cost.clock, cost.clock / price.clock,
          1e6 * (cost.clock - price.clock), 1 / cost.processor, cost.processor / price.processor,
          1e6 * (cost.processor - price.processor));
  fflush (stdout);
}

static void
print_head (const Film *film, const char *settings)
{
  g_autofree char *device = NULL;
  g_autoptr (GstElement) element = NULL;
  Player player;

  open_player (&player, film, settings);
  play (&player, 1);
  element = gst_bin_get_by_name (GST_BIN (player.pipeline), "histo");
  g_object_get (element, "active-device", &device, NULL);
  close_player (&player);
  printf ("cudahisto %s ! fakesink on %s, %s, %d different frames, least of %d\n", settings, device, film->caps, PICTURES,
          ROUNDS);
  printf ("  %-36s %25s   %25s\n", "", "by the clock", "of processor time");
  printf ("  %-36s %8s %6s %9s   %8s %6s %9s\n", "", "frames/s", "price", "us more", "frames/s", "price", "us more");
}

static void
print_table (const Film *film, const char *settings, double seconds)
{
  g_autofree char *reference
      = gst_registry_check_feature_version (gst_registry_get (), "pnmdec", 1, 0, 0) ? write_reference () : NULL;
  g_autoptr (GArray) rows = make_rows (reference);
  g_autofree char *basic = g_strdup_printf ("%s statistics=basic", settings);
  const guint count = count_for (film, basic, seconds);

  print_head (film, settings);
  for (guint i = 0; i < rows->len; i++)
    print_row (film, &g_array_index (rows, Row, i), settings, count, seconds);
  if (!reference)
    printf ("  reference-mode=fixed: no pnmdec, skipped\n");
  printf ("\n");
  if (reference)
    unlink (reference);
}

void
bench_statistics (const char *backend, double seconds)
{
  const bool is_on_gpu = strcmp (backend, "cuda") == 0;
  Film film;

  make_film (&film);
  if (is_on_gpu && !upload_film (&film))
    printf ("statistics: no GPU, or no CUDA library of GStreamer's: skipped\n\n");
  else
    print_table (&film, is_on_gpu ? "backend=cuda" : "backend=cpu threads=1", seconds);
  clear_film (&film);
}
