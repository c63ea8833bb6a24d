/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element among others, as in gst-launch. */

#include "rig.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gboolean
has_elements (const gchar *first, ...)
{
  gboolean all = TRUE;
  va_list names;

  va_start (names, first);
  for (const gchar *name = first; name != NULL; name = va_arg (names, const gchar *)) {
    GstElementFactory *factory = gst_element_factory_find (name);

    if (factory == NULL) {
      printf ("not tested: no element %s\n", name);
      all = FALSE;
    } else
      gst_object_unref (factory);
  }
  va_end (names);
  return all;
}

/* A path as a property's value in a line. */
static gchar *
quote (const gchar *path)
{
  g_autofree gchar *escaped = g_strescape (path, NULL);

  return g_strdup_printf ("\"%s\"", escaped);
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

/* With its own block size, which is 4096, filesrc is pulled from, in larger blocks. */
#define PULLED 4096
#define PULL_BLOCK (8 * 1024 * 1024) /* GST_CUDA_HISTO_PULL_BYTES */

TEST (test_file)
{
  static const gsize sizes[] = { 1, 4095, 4096, 4097, 1000003, 2 * PULL_BLOCK, 2 * PULL_BLOCK + 1 };
  static const guint block_sizes[] = { PULLED, 7919, 1048576 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree guint8 *data = g_malloc (sizes[i]);
    const gchar *path;

    fill_random (data, sizes[i]);
    path = make_file ("any.bin", data, sizes[i]);
    g_autofree gchar *location = quote (path);
    for (guint j = 0; j < G_N_ELEMENTS (block_sizes); j++) {
      gsize block_size = block_sizes[j] == PULLED ? PULL_BLOCK : block_sizes[j];
      g_autolist (GstStructure) results = run_line (NULL, "filesrc location=%s blocksize=%u ! cudahisto %s ! fakesink",
                                                    location, block_sizes[j], get_backend_words ());

      ck_assert_uint_eq (g_list_length (results), 1);
      check_bytes (results->data, data, sizes[i], 0, (sizes[i] + block_size - 1) / block_size, 0);
    }
  }
}

TEST (test_empty_file)
{
  const gchar *path = make_file ("empty", "", 0);
  g_autofree gchar *location = quote (path);
  GList *results = run_line (NULL, "filesrc location=%s ! cudahisto %s ! fakesink", location, get_backend_words ());

  ck_assert_ptr_eq (results, NULL);
}

TEST (test_file_in_windows)
{
  enum { SIZE = 100000, WINDOW = 30000, BLOCK = 4095 };
  g_autofree guint8 *data = g_malloc (SIZE);
  const gchar *path;
  g_autolist (GstStructure) results = NULL;
  gsize at = 0;

  fill_random (data, SIZE);
  path = make_file ("any.bin", data, SIZE);
  g_autofree gchar *location = quote (path);
  results = run_line (NULL, "filesrc location=%s blocksize=%d ! cudahisto window=bytes window-size=%d %s ! fakesink", location,
                      BLOCK, WINDOW, get_backend_words ());
  ck_assert_uint_eq (g_list_length (results), 4);
  for (GList *result = results; result != NULL; result = result->next) {
    gsize size = MIN (WINDOW, SIZE - at);

    check_bytes (result->data, data + at, size, at / BLOCK, (at + size - 1) / BLOCK - at / BLOCK + 1, at);
    at += size;
  }
}

/* Whole frames are counted; the incomplete one at the end has no effect. */
TEST (test_truncated_frame)
{
  enum { FRAME = 16 * 8 * 3 / 2, SIZE = 3 * FRAME + 50 };
  guint8 data[SIZE];
  const gchar *path;
  g_autolist (GstStructure) results = NULL;
  guint frames = 0;

  if (!has_elements ("rawvideoparse", NULL))
    return;
  fill_random (data, SIZE);
  path = make_file ("frames.yuv", data, SIZE);
  g_autofree gchar *location = quote (path);
  results = run_line (NULL,
                      "filesrc location=%s ! rawvideoparse format=i420 width=16 height=8 framerate=25/1 ! cudahisto %s ! "
                      "fakesink",
                      location, get_backend_words ());
  for (GList *result = results; result != NULL; result = result->next, frames++) {
    const guint8 *frame = data + frames * FRAME;
    Tally y = { 0 };
    Tally u = { 0 };
    Tally v = { 0 };

    ck_assert_uint_lt (frames, 3);
    tally_bytes (&y, frame, 128);
    tally_bytes (&u, frame + 128, 32);
    tally_bytes (&v, frame + 160, 32);
    check_component (result->data, "Y", &y, BINS_ARRAY);
    check_component (result->data, "U", &u, BINS_ARRAY);
    check_component (result->data, "V", &v, BINS_ARRAY);
  }
  ck_assert_uint_eq (frames, 3);
}

/* ---- decoded video -------------------------------------------------------------------------------------------------- */

static void
tally_frame (const GstVideoFrame *frame, guint component, Tally *tally)
{
  const guint8 *row = GST_VIDEO_FRAME_COMP_DATA (frame, component);

  for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (frame, component);
       y++, row += GST_VIDEO_FRAME_COMP_STRIDE (frame, component))
    for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (frame, component); x++)
      tally_sample (tally, row[x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, component)]);
}

/* A clip, encoded with installed plugins. Its frames have to equal those after the element. */
TEST (test_decoded_clip)
{
  static const gchar *const names[] = { "Y", "U", "V" };
  const gchar *path = make_path ("clip.ogg");
  g_autofree gchar *location = quote (path);
  gchar *line;
  GstElement *pipeline;
  GstElement *sink;
  GstSample *sample;
  GstBus *bus;
  guint frames = 0;

  if (has_elements ("theoraenc", "oggmux", "oggdemux", "theoradec", "decodebin", NULL)) {
    free_results (run_line (NULL,
                            "videotestsrc num-buffers=10 pattern=smpte75 ! video/x-raw,format=I420,width=130,height=98 ! "
                            "theoraenc ! oggmux ! filesink location=%s",
                            location));
    line = g_strdup_printf ("filesrc location=%s ! decodebin ! cudahisto %s ! appsink name=sink sync=false", location,
                            get_backend_words ());
    pipeline = gst_parse_launch (line, NULL);
    ck_assert (pipeline != NULL);
    sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    bus = gst_element_get_bus (pipeline);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
      g_autoptr (GstStructure) result = pop_result (bus);
      GstVideoInfo info;
      GstVideoFrame frame;

      ck_assert (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
      ck_assert (gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ));
      ck_assert_uint_eq (get_field_u64 (result, "frame"), frames);
      ck_assert_uint_eq (get_field_u64 (result, "timestamp"), GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
      for (guint i = 0; i < 3; i++) {
        Tally tally = { 0 };

        tally_frame (&frame, i, &tally);
        ck_assert_uint_eq (tally.count, i == 0 ? 130 * 98 : 65 * 49);
        check_component (result, names[i], &tally, BINS_ARRAY);
      }
      gst_video_frame_unmap (&frame);
      gst_sample_unref (sample);
      frames++;
    }
    ck_assert_uint_eq (frames, 10);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (bus);
    gst_object_unref (sink);
    gst_object_unref (pipeline);
    g_free (line);
  }
}

/* ---- tee ------------------------------------------------------------------------------------------------------------ */

enum { TEE_FRAMES = 12 };

typedef struct {
  GMutex lock;
  GQueue buffers; /* references, so that no memory is used a second time */
} Branch;

static void
keep_buffer (GstElement *sink G_GNUC_UNUSED, GstBuffer *buffer, GstPad *pad G_GNUC_UNUSED, gpointer data)
{
  Branch *branch = data;

  g_mutex_lock (&branch->lock);
  g_queue_push_tail (&branch->buffers, gst_buffer_ref (buffer));
  g_mutex_unlock (&branch->lock);
}

/* Gets the numbers of frames that are the same memory, or the same buffer, in both branches. One has the `element`. */
static void
run_tee (const gchar *element, guint *same_memory, guint *same_buffer, guint *with_meta)
{
  g_autoptr (GstElement) pipeline
      = parse_line ("videotestsrc num-buffers=%d pattern=snow ! video/x-raw,format=I420,width=64,height=48 ! "
                    "tee name=t  t. ! queue ! %s ! fakesink name=a signal-handoffs=true  "
                    "t. ! queue ! fakesink name=b signal-handoffs=true",
                    TEE_FRAMES, element);
  GstElement *sinks[2];
  Branch branches[2];

  ck_assert (pipeline != NULL);
  for (guint i = 0; i < 2; i++) {
    g_mutex_init (&branches[i].lock);
    g_queue_init (&branches[i].buffers);
    sinks[i] = gst_bin_get_by_name (GST_BIN (pipeline), i == 0 ? "a" : "b");
    g_signal_connect (sinks[i], "handoff", G_CALLBACK (keep_buffer), &branches[i]);
  }
  run_to_eos (pipeline);

  *same_memory = *same_buffer = *with_meta = 0;
  ck_assert_uint_eq (branches[0].buffers.length, TEE_FRAMES);
  ck_assert_uint_eq (branches[1].buffers.length, TEE_FRAMES);
  for (guint i = 0; i < TEE_FRAMES; i++) {
    GstBuffer *left = g_queue_peek_nth (&branches[0].buffers, i);
    GstBuffer *right = g_queue_peek_nth (&branches[1].buffers, i);
    GstMapInfo left_map, right_map;

    ck_assert_uint_eq (gst_buffer_n_memory (left), gst_buffer_n_memory (right));
    *same_buffer += left == right;
    *same_memory += gst_buffer_peek_memory (left, 0) == gst_buffer_peek_memory (right, 0);
    *with_meta += get_meta (left) != NULL;
    ck_assert_msg (get_meta (right) == NULL, "the meta is in the other branch");
    ck_assert (gst_buffer_map (left, &left_map, GST_MAP_READ) && gst_buffer_map (right, &right_map, GST_MAP_READ));
    ck_assert (left_map.size == right_map.size && memcmp (left_map.data, right_map.data, left_map.size) == 0);
    gst_buffer_unmap (left, &left_map);
    gst_buffer_unmap (right, &right_map);
  }
  for (guint i = 0; i < 2; i++) {
    g_queue_clear_full (&branches[i].buffers, (GDestroyNotify)gst_buffer_unref);
    g_mutex_clear (&branches[i].lock);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (guint i = 0; i < 2; i++)
    gst_object_unref (sinks[i]);
}

TEST (test_tee)
{
  g_autofree gchar *element = g_strdup_printf ("cudahisto %s", get_backend_words ());
  guint same_memory, same_buffer, with_meta;

  run_tee (element, &same_memory, &same_buffer, &with_meta);
  ck_assert_uint_eq (same_buffer, TEE_FRAMES);
  ck_assert_uint_eq (same_memory, TEE_FRAMES);
  ck_assert_uint_eq (with_meta, 0);
}

/* The buffer is another, with the meta in it; the pixels are the same. */
TEST (test_tee_with_meta)
{
  g_autofree gchar *element = g_strdup_printf ("cudahisto add-meta=true dot=previous %s", get_backend_words ());
  guint same_memory, same_buffer, with_meta;

  run_tee (element, &same_memory, &same_buffer, &with_meta);
  ck_assert_uint_eq (same_memory, TEE_FRAMES);
  ck_assert_uint_eq (same_buffer, 0);
  ck_assert_uint_eq (with_meta, TEE_FRAMES);
}

/* The two tests above would detect a copy: `videoanalyse` copies each frame whose memory is shared. */
TEST (test_tee_sees_copies)
{
  guint same_memory, same_buffer, with_meta;

  if (!has_elements ("videoanalyse", NULL))
    return;
  run_tee ("videoanalyse", &same_memory, &same_buffer, &with_meta);
  ck_assert_uint_lt (same_memory, TEE_FRAMES);
}

/* ---- the bus -------------------------------------------------------------------------------------------------------- */

static GstPadProbeReturn
note_eos (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer is_over)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_set ((gint *)is_over, 1);
  return GST_PAD_PROBE_OK;
}

/* Runs a pipeline with a sink named "sink" to EOS without reading the bus. */
static void run_unread (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

static void
run_unread (const gchar *format, ...)
{
  va_list arguments;
  g_autoptr (GstElement) sink = NULL;
  gint is_over = 0;

  va_start (arguments, format);
  g_autofree gchar *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  ck_assert (pipeline != NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_eos, &is_over, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint patience = 0; patience < 6000 && !g_atomic_int_get (&is_over); patience++)
    g_usleep (5000);
  ck_assert_msg (g_atomic_int_get (&is_over), "it hangs: %s", line);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

TEST (test_unread_bus)
{
  run_unread ("fakesrc num-buffers=1000 sizetype=fixed sizemax=64 ! cudahisto window=buffer %s ! fakesink name=sink",
              get_backend_words ());
  run_unread ("videotestsrc num-buffers=200 ! video/x-raw,width=32,height=32 ! cudahisto %s ! "
              "fakesink name=sink",
              get_backend_words ());
}

/* Elements that are set to NULL while they are fed. */
TEST (test_stop_in_full_flow)
{
  for (guint i = 0; i < 10; i++) {
    g_autoptr (GstElement) pipeline = parse_line ("videotestsrc ! video/x-raw,format=NV12,width=320,height=240 ! cudahisto "
                                                  "add-meta=%s dot=previous %s ! fakesink",
                                                  i % 2 ? "true" : "false", get_backend_words ());

    ck_assert (pipeline != NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    ck_assert_int_ne (gst_element_get_state (pipeline, NULL, NULL, RIG_PATIENCE), GST_STATE_CHANGE_FAILURE);
    g_usleep (3000 * i);
    ck_assert_int_eq (gst_element_set_state (pipeline, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  }
}

/* A flushing seek in the middle: the numbers after it are those of the place it went to. */
TEST (test_seek)
{
  enum { SIZE = 400000 };
  g_autofree guint8 *data = g_malloc (SIZE);
  const gchar *path;

  fill_random (data, SIZE);
  path = make_file ("any.bin", data, SIZE);
  g_autofree gchar *location = quote (path);
  g_autofree gchar *line
      = g_strdup_printf ("filesrc location=%s blocksize=1000 ! cudahisto %s ! fakesink", location, get_backend_words ());
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  /* Prerolled: the first block is in the sink, and in the element's window. */
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  ck_assert_int_eq (gst_element_get_state (pipeline, NULL, NULL, RIG_PATIENCE), GST_STATE_CHANGE_SUCCESS);
  ck_assert (gst_element_seek_simple (pipeline, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, 300000));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstStructure) result = pop_result (bus);
  ck_assert_uint_eq (get_field_u64 (result, "offset"), 300000);
  check_bytes (result, data + 300000, 100000, get_field_u64 (result, "frame"), 100, 300000);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* ---- sidecars that cannot be written -------------------------------------------------------------------------------- */

static void
check_ending (GstMessage *ending, GQuark domain, gint code, const gchar *words)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  ck_assert_msg (GST_MESSAGE_TYPE (ending) == GST_MESSAGE_ERROR, "the pipeline came to its end without an error");
  gst_message_parse_error (ending, &error, &debug);
  ck_assert_msg (g_error_matches (error, domain, code), "%s, %d: %s (%s)", g_quark_to_string (error->domain), error->code,
                 error->message, debug);
  if (words != NULL)
    ck_assert_msg (strstr (error->message, words) != NULL || strstr (debug, words) != NULL, "no \"%s\" in: %s (%s)", words,
                   error->message, debug);
  gst_message_unref (ending);
}

TEST (test_sidecar_on_full_disk)
{
  static const gchar *const windows[] = { "buffer", "stream", "bytes window-size=1" };

  if (access ("/dev/full", W_OK) != 0) {
    printf ("not tested: no /dev/full\n");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (windows); i++) {
    GstMessage *ending;
    g_autolist (GstStructure) results G_GNUC_UNUSED
        = run_line (&ending,
                    "fakesrc num-buffers=5 sizetype=fixed sizemax=64 ! cudahisto window=%s "
                    "sidecar-location=/dev/full %s ! fakesink",
                    windows[i], get_backend_words ());

    check_ending (ending, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "/dev/full");
  }
}

/* Once the sidecar has failed, the stream stops: the file is incomplete. */
TEST (test_full_disk_stops_the_stream)
{
  guint8 data[16] = { 0 };
  GstFlowReturn flow = GST_FLOW_OK;

  if (access ("/dev/full", W_OK) != 0) {
    printf ("not tested: no /dev/full\n");
    return;
  }
  g_auto (Rig) rig = open_bytes ("window=buffer sidecar-location=/dev/full", NULL);
  /* The failure is seen on another thread, so a few more may pass. */
  for (guint i = 0; i < 10000 && flow == GST_FLOW_OK; i++) {
    flow = gst_harness_push (rig.harness, make_buffer (data, sizeof data, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));
    g_usleep (500);
  }
  ck_assert_int_eq (flow, GST_FLOW_ERROR);
  ck_assert_int_eq (gst_harness_push (rig.harness, make_buffer (data, sizeof data, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE)),
                    GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "/dev/full");
  drop_results (rig.bus);
}

/* A path for the next start, given while the file of this one is being written. */
TEST (test_error_names_the_open_file)
{
  guint8 data[16] = { 0 };

  if (access ("/dev/full", W_OK) != 0) {
    printf ("not tested: no /dev/full\n");
    return;
  }
  g_auto (Rig) rig = open_rig ("sidecar-location=/dev/full");
  g_object_set (rig.element, "sidecar-location", NULL, NULL);
  start_bytes (&rig, NULL);
  push_bytes (&rig, data, sizeof data);
  push_eos (&rig);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "/dev/full");
  drop_results (rig.bus);
}

TEST (test_sidecar_nowhere)
{
  const gchar *paths[] = { get_directory (), make_path ("missing/sidecar"), "/proc/version/sidecar", "" };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    g_autofree gchar *location = quote (paths[i]);
    GstMessage *ending;
    GList *results
        = run_line (&ending, "fakesrc num-buffers=5 sizetype=fixed sizemax=64 ! cudahisto sidecar-location=%s %s ! fakesink",
                    location, get_backend_words ());

    check_ending (ending, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, paths[i]);
    ck_assert_ptr_eq (results, NULL);
  }
}

/* After a failed start the same element starts with a path that can be written. */
TEST (test_sidecar_second_try)
{
  const gchar *path = make_path ("sidecar");
  g_autoptr (GstElement) element = make_element ("");
  g_autoptr (GstBus) bus = attach_bus (element);

  g_object_set (element, "sidecar-location", get_directory (), NULL);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  check_error (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, get_directory ());
  gst_element_set_state (element, GST_STATE_NULL);
  g_object_set (element, "sidecar-location", path, NULL);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  check_bus_empty (bus);
  /* It was created, received no line, and was removed. */
  ck_assert (!g_file_test (path, G_FILE_TEST_EXISTS));
  gst_element_set_bus (element, NULL);
}

/* ---- no driver ------------------------------------------------------------------------------------------------------ */

TEST (test_cuda_without_driver)
{
  g_autofree gchar *problem = get_driver_problem ();
  GstMessage *ending;
  GList *results;

  if (problem == NULL) {
    printf ("not tested without a driver: libcuda.so.1 is there\n");
    return;
  }
  results = run_line (&ending, "videotestsrc num-buffers=3 ! cudahisto backend=cuda ! fakesink");
  ck_assert_ptr_eq (results, NULL);
  check_ending (ending, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, problem);
}

RIG_MAIN (NULL)
