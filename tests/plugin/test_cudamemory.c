/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames on the GPU: the element counts them in place, in their context and in order. Also failures of the GPU. The tests run
 * on a real GPU and on the fake one. No element makes frames on the fake GPU: there a pool of GStreamer's CUDA library makes
 * them.
 *
 * The tests compare each result with that of backend=reference for the same frame in system memory. */

#define GST_USE_UNSTABLE_API

#include "pictures.h"
#include "rig.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include <string.h>

#include "fakecuda.h"

/* Formats for which GStreamer's CUDA library allocates memory in 1.26. */
static const gchar *const formats[]
    = { "NV12",      "NV21",      "I420",      "YV12",     "Y42B",     "Y444",      "YUY2",       "UYVY",      "RGB",
        "BGR",       "RGBx",      "BGRx",      "RGBA",     "BGRA",     "ARGB",      "ABGR",       "RGBP",      "BGRP",
        "GBR",       "GBRA",      "P010_10LE", "P012_LE",  "P016_LE",  "I420_10LE", "I420_12LE",  "I422_10LE", "I422_12LE",
        "Y444_10LE", "Y444_12LE", "Y444_16LE", "GBR_10LE", "GBR_12LE", "GBR_16LE",  "RGB10A2_LE", "BGR10A2_LE" };

/* The formats in 1.22, which aborts the process for any other. */
static const gchar *const formats_of_1_22
    = " NV12 NV21 I420 YV12 Y42B Y444 YUY2 UYVY RGB BGR RGBx BGRx RGBA BGRA ARGB ABGR RGBP BGRP GBR GBRA P010_10LE P016_LE "
      "I420_10LE I422_10LE I422_12LE Y444_16LE RGB10A2_LE BGR10A2_LE ";

static gboolean
has_streams (void)
{
  return dlsym (RTLD_DEFAULT, "gst_cuda_memory_get_stream") != NULL;
}

static gboolean
can_allocate (const gchar *format)
{
  g_autofree gchar *word = g_strdup_printf (" %s ", format);

  return gst_video_format_from_string (format) != GST_VIDEO_FORMAT_UNKNOWN
         && (has_streams () || strstr (formats_of_1_22, word) != NULL);
}

/* If the height is odd, GStreamer allocates no memory for the last row of NV21's chroma. In 1.22 the third plane of the other
 * formats then begins in the middle of a row, and an upload omits it. */
static gboolean
loses_odd_heights (const gchar *format)
{
  if (strcmp (format, "NV21") == 0)
    return TRUE;
  return !has_streams () && (g_str_has_prefix (format, "I420") || strcmp (format, "YV12") == 0);
}

static GstCudaContext *
make_context (guint device)
{
  GstCudaContext *context;

  ck_assert (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  context = gst_cuda_context_new (device);
  ck_assert_msg (context != NULL, "no context on device %u", device);
  return context;
}

/* Stores the address of a function, from dlsym(), in a pointer to a function. */
static gboolean
find_function (gpointer where, const gchar *name, gpointer function)
{
  gpointer address = dlsym (where, name);

  memcpy (function, &address, sizeof address);
  return address != NULL;
}

/* From 1.24 on a pool's memory can have a stream. Mapping the memory then does not wait for the GPU. */
static void
use_stream (GstStructure *config, GstCudaContext *context)
{
  GstMiniObject *(*make_stream) (GstCudaContext *);
  void (*set_stream) (GstStructure *, gpointer);
  GstMiniObject *stream;

  if (!find_function (RTLD_DEFAULT, "gst_cuda_stream_new", &make_stream)
      || !find_function (RTLD_DEFAULT, "gst_buffer_pool_config_set_cuda_stream", &set_stream))
    return;
  stream = make_stream (context);
  ck_assert (stream != NULL);
  set_stream (config, stream);
  gst_mini_object_unref (stream);
}

/* A source of frames on the GPU. */
typedef struct {
  GstVideoInfo info;
  gchar *caps; /* with the feature, and without */
  gchar *system_caps;
  GstBufferPool *pool;
} Source;

static void
open_source (Source *source, GstCudaContext *context, const gchar *format, guint width, guint height, guint max_buffers)
{
  g_autoptr (GstCaps) caps = NULL;
  GstStructure *config;

  source->system_caps = g_strdup_printf ("video/x-raw,format=%s,width=%u,height=%u,framerate=25/1", format, width, height);
  source->caps
      = g_strdup_printf ("video/x-raw(memory:CUDAMemory),format=%s,width=%u,height=%u,framerate=25/1", format, width, height);
  caps = gst_caps_from_string (source->caps);
  ck_assert (gst_video_info_from_caps (&source->info, caps));
  source->pool = gst_cuda_buffer_pool_new (context);
  config = gst_buffer_pool_get_config (source->pool);
  gst_buffer_pool_config_set_params (config, caps, (guint)source->info.size, 0, max_buffers);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  use_stream (config, context);
  ck_assert (gst_buffer_pool_set_config (source->pool, config));
  ck_assert (gst_buffer_pool_set_active (source->pool, TRUE));
}

static void
close_source (Source *source)
{
  if (source->pool != NULL)
    gst_buffer_pool_set_active (source->pool, FALSE);
  gst_clear_object (&source->pool);
  g_clear_pointer (&source->caps, g_free);
  g_clear_pointer (&source->system_caps, g_free);
}

/* An element, one with backend=reference, and sources, each with its own context. */
static Rig rig, reference;
static GstCudaContext *contexts[3];
static Source sources[3];

static void
open_frames (guint index, const gchar *format, guint width, guint height)
{
  if (contexts[index] == NULL)
    contexts[index] = make_context (0);
  close_source (&sources[index]);
  open_source (&sources[index], contexts[index], format, width, height, 0);
}

static void
close_all (void)
{
  close_rig (&rig);
  close_rig (&reference);
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    close_source (&sources[i]);
    gst_clear_object (&contexts[i]);
  }
}

/* Closes all. The contexts have no other owner. */
static void
check_released (void)
{
  close_rig (&rig);
  close_rig (&reference);
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    close_source (&sources[i]);
    ck_assert (contexts[i] == NULL || GST_OBJECT_REFCOUNT (contexts[i]) == 1);
  }
  close_all ();
}

/* Opens both elements with these properties. */
static void
open_pair (const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("%s backend=reference", properties);

  close_rig (&rig);
  close_rig (&reference);
  rig = open_rig (properties);
  reference = open_rig (line);
}

/* Starts both, with caps of the first source. */
static void
start_pair (void)
{
  start_video (&rig, sources[0].caps);
  start_video (&reference, sources[0].system_caps);
}

/* Makes a frame of random samples on the GPU and, if `copy` is not NULL, the same frame in system memory. */
static GstBuffer *
make_frame (Source *source, GstClockTime pts, GstBuffer **copy)
{
  const GstVideoInfo *info = &source->info;
  GstBuffer *buffer = NULL, *system = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstVideoFrame video;
  GstMapInfo map;

  ck_assert (gst_buffer_map (system, &map, GST_MAP_WRITE));
  fill_random (map.data, map.size);

  ck_assert_int_eq (gst_buffer_pool_acquire_buffer (source->pool, &buffer, NULL), GST_FLOW_OK);
  ck_assert_uint_eq (gst_buffer_n_memory (buffer), 1);
  ck_assert (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0)));
  ck_assert (gst_video_frame_map (&video, info, buffer, GST_MAP_WRITE));
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (&video); plane++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gint stride = GST_VIDEO_INFO_PLANE_STRIDE (info, plane);

    gst_video_format_info_component (info->finfo, plane, components);
    ck_assert_int_ge (GST_VIDEO_FRAME_PLANE_STRIDE (&video, plane), stride);
    for (gint row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (&video, components[0]); row++)
      memcpy ((guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&video, plane) + row * GST_VIDEO_FRAME_PLANE_STRIDE (&video, plane),
              map.data + GST_VIDEO_INFO_PLANE_OFFSET (info, plane) + (gsize)(row * stride), (gsize)stride);
  }
  gst_video_frame_unmap (&video);
  gst_buffer_unmap (system, &map);

  GST_BUFFER_PTS (buffer) = GST_BUFFER_PTS (system) = pts;
  GST_BUFFER_DURATION (buffer) = GST_BUFFER_DURATION (system) = GST_SECOND / 25;
  if (copy != NULL)
    *copy = system;
  else
    gst_buffer_unref (system);
  return buffer;
}

static void
check_same_numbers (GstStructure *left, GstStructure *right)
{
  gst_structure_remove_fields (left, "element", "backend", NULL);
  gst_structure_remove_fields (right, "element", "backend", NULL);
  check_same_fields (left, right);
  gst_structure_free (left);
  gst_structure_free (right);
}

static void
push (Rig *to, GstBuffer *buffer)
{
  ck_assert_int_eq (gst_harness_push (to->harness, buffer), GST_FLOW_OK);
}

/* Pushes a frame to one element, and its copy in system memory to the other. */
static void
push_pair (Source *source, guint index)
{
  GstBuffer *copy;

  push (&rig, make_frame (source, index * GST_SECOND / 25, &copy));
  push (&reference, copy);
}

static void
push_eos_to_pair (void)
{
  push_eos (&rig);
  push_eos (&reference);
}

/* Both post the same next result. */
static void
check_next (void)
{
  check_same_numbers (pop_result (rig.bus), pop_result (reference.bus));
}

/* Starts both with interlaced video. */
static void
start_interlaced_pair (const gchar *mode)
{
  g_autofree gchar *caps = g_strdup_printf ("%s,interlace-mode=%s", sources[0].caps, mode);
  g_autofree gchar *system_caps = g_strdup_printf ("%s,interlace-mode=%s", sources[0].system_caps, mode);

  start_video (&rig, caps);
  start_video (&reference, system_caps);
}

/* Returns the GstCudaContext that the element shares with a neighbour of that pad, or NULL. The caller owns it. */
static GstCudaContext *
ask_for_context (GstElement *element, const gchar *pad_name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, pad_name);
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstCudaContext *found = NULL;
  GstContext *context = NULL;

  if (gst_pad_query (pad, query)) {
    gst_query_parse_context (query, &context);
    ck_assert (context != NULL);
    gst_structure_get (gst_context_get_structure (context), GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &found, NULL);
  }
  return found;
}

static void
check_context (GstElement *element, GstCudaContext *context)
{
  static const gchar *const pads[] = { "sink", "src" };

  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    GstCudaContext *found = ask_for_context (element, pads[i]);

    ck_assert_msg (found == context, "another context, %p, at the %s pad", (gpointer)found, pads[i]);
    gst_clear_object (&found);
  }
}

/* ---- fields --------------------------------------------------------------------------------------------------------- */

/* Returns the next result. Drops warnings of statistics that the format lacks. */
static GstStructure *
pop_past_warnings (GstBus *bus)
{
  GstMessage *message = pop_message (bus);
  GstStructure *result;

  while (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    gst_message_unref (message);
    message = pop_message (bus);
  }
  result = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  return result;
}

/* Each field is counted in the GPU's memory, and compared with the one before. */
TEST (test_fields)
{
  static const guint sizes[][2] = { { 64, 32 }, { 34, 20 } };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (!can_allocate (formats[i]))
      continue;
    open_pair ("fields=apart statistics=signalstats+comparison dot=previous metering=average regions=\"3,2,9,7\"");
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++) {
      open_frames (0, formats[i], sizes[j][0], sizes[j][1]);
      start_interlaced_pair ("interleaved");
      for (guint k = 0; k < 3; k++) {
        push_pair (&sources[0], k);
        for (guint field = 0; field < 2; field++) {
          GstStructure *result = pop_past_warnings (rig.bus);

          ck_assert_str_eq (gst_structure_get_string (result, "field"), field == 0 ? "bottom" : "top");
          check_same_numbers (result, pop_past_warnings (reference.bus));
        }
      }
      while (gst_harness_buffers_in_queue (rig.harness) > 0)
        gst_buffer_unref (gst_harness_pull (rig.harness));
    }
  }
  check_released ();
}

/* ---- numbers -------------------------------------------------------------------------------------------------------- */

TEST (test_formats)
{
  static const guint sizes[][2] = { { 64, 32 }, { 34, 18 }, { 33, 17 }, { 400, 2 }, { 1, 1 } };
  guint counted = 0;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (!can_allocate (formats[i]))
      continue;
    open_pair ("");
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++) {
      if (sizes[j][1] % 2 == 1 && loses_odd_heights (formats[i]))
        continue;
      open_frames (0, formats[i], sizes[j][0], sizes[j][1]);
      start_pair ();
      for (guint k = 0; k < 3; k++) {
        GstStructure *result;

        push_pair (&sources[0], k);
        result = pop_result (rig.bus);
        ck_assert_str_eq (gst_structure_get_string (result, "format"), formats[i]);
        check_same_numbers (result, pop_result (reference.bus));
        counted++;
      }
      gst_buffer_unref (gst_harness_pull (rig.harness));
    }
  }
  ck_assert_uint_ge (counted, 26 * 3 * 3);
  close_all ();
}

TEST (test_crop)
{
  open_pair ("statistics=signalstats+waveform+vectorscope message-arrays=packed regions=0,0,1,1");
  open_frames (0, "NV12", 64, 48);
  start_pair ();
  for (guint i = 0; i < 10; i++) {
    GstBuffer *copy, *frame = make_frame (&sources[0], 0, &copy);
    const guint x = draw_random (64), y = draw_random (48);
    const guint width = 1 + draw_random (64 - x), height = 1 + draw_random (48 - y);

    crop_buffer (frame, x, y, width, height);
    crop_buffer (copy, x, y, width, height);
    push (&rig, frame);
    push (&reference, copy);
    check_next ();
  }
  close_all ();
}

/* Whether frames can be uploaded: GStreamer after 1.22 uses copy functions that the fake GPU lacks. */
static gboolean
can_upload (void)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  if (fakecuda_find () == NULL || minor <= 22)
    return TRUE;
  g_print ("skipped: the fake GPU does not take what GStreamer 1.%u uploads\n", minor);
  return FALSE;
}

/* The weights are uploaded into the context of the frames. */
TEST (test_metering)
{
  static const struct {
    const gchar *format, *metering;
  } cases[] = { { "NV12", "center" }, { "P010_10LE", "spot" }, { "I420", "average" }, { "Y444", "center" } };

  if (!can_upload ())
    return;
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autofree gchar *properties = g_strdup_printf ("window=stream metering=%s", cases[c].metering);

    open_pair (properties);
    for (guint turn = 0; turn < 2; turn++) {
      gst_clear_object (&contexts[0]); /* another one */
      open_frames (0, cases[c].format, 66, 46);
      start_pair ();
      for (guint i = 0; i < 3; i++)
        push_pair (&sources[0], i * 25);
    }
    push_eos_to_pair ();
    for (guint i = get_stat (reference.element, "results"); i > 0; i--) {
      GstStructure *result = pop_result (rig.bus);

      ck_assert (gst_structure_has_field_typed (result, "metered-luma", G_TYPE_DOUBLE));
      check_same_numbers (result, pop_result (reference.bus));
    }
    check_bus_empty (rig.bus);
  }
  close_all ();
}

/* The maximum number of regions, which overlap: a frame takes one launch of each kernel that its regions need. */
TEST (test_regions)
{
  static const gchar *const regions
      = "0,0,1,1; 1,1,3,3; 63,47,1,1; 0,0,64,48; 16,8,32,16; 5,0,59,48; 0,7,64,1; 9,9,9,9; 8,8,8,8; 2,30,61,17; 33,3,30,44; "
        "0,40,16,8; 48,0,16,6; 31,1,2,47; 7,21,40,20; 12,12,13,14";
  static const gchar signalstats[] = "statistics=signalstats";
  static const struct {
    const gchar *format, *properties, *kernels[3];
    guint without_operand; /* frames counted by the first kernel */
    gboolean in_system;    /* the frames are in system memory; the regions are counted in the copy on the GPU */
  } cases[] = {
    { "NV12", "", { "histo_count_unlike" }, 5, FALSE },
    { "I420", "dot=previous", { "histo_count_unlike", "histo_count_dot_unlike" }, 1, FALSE },
    { "I420", "dot=previous", { "histo_count_unlike", "histo_count_dot_unlike" }, 1, TRUE },
    { "RGBA", "dot=previous", { "histo_count_unlike", "histo_count_dot_unlike" }, 1, FALSE },
    { "P010_10LE", "", { "histo_count_deep_unlike" }, 5, FALSE },
    { "NV12", signalstats, { "histo_count_unlike", "histo_picture_unlike", "histo_picture_cells_unlike" }, 5, FALSE },
    { "NV12", signalstats, { "histo_count_unlike", "histo_picture_unlike", "histo_picture_cells_unlike" }, 5, TRUE },
    { "P010_10LE", "statistics=signalstats bins=native", { "histo_count_deep_unlike", "histo_picture_unlike" }, 5, FALSE },
  };
  const struct fakecuda *fake = fakecuda_find ();

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autofree gchar *properties = g_strdup_printf ("%s regions=\"%s\"", cases[c].properties, regions);
    guint64 before[3] = { 0 }, all = 0, alone = 0;

    open_frames (0, cases[c].format, cases[c].in_system ? 720 : 64, cases[c].in_system ? 576 : 48);
    for (guint with_regions = 0; with_regions < 2; with_regions++) {
      open_pair (with_regions ? properties : cases[c].properties);
      start_video (&rig, cases[c].in_system ? sources[0].system_caps : sources[0].caps);
      start_video (&reference, sources[0].system_caps);
      for (guint k = 0; fake != NULL && k < 3 && cases[c].kernels[k] != NULL; k++)
        before[k] = fake->launches (cases[c].kernels[k]);
      if (fake != NULL)
        all = fake->function_calls ("cuLaunchKernel");
      for (guint i = 0; i < 5; i++) {
        GstBuffer *copy, *frame = make_frame (&sources[0], i * GST_SECOND / 25, &copy);

        if (cases[c].in_system) {
          gst_buffer_unref (frame);
          frame = gst_buffer_ref (copy);
        }
        push (&rig, frame);
        push (&reference, copy);
        if (with_regions)
          check_next ();
        else
          gst_structure_free (pop_result (rig.bus));
      }
      if (fake != NULL && !with_regions)
        alone = fake->function_calls ("cuLaunchKernel") - all;
    }
    for (guint k = 0; fake != NULL && k < 3 && cases[c].kernels[k] != NULL; k++) {
      const guint64 launches = fake->launches (cases[c].kernels[k]) - before[k];

      ck_assert_msg (
          launches == (strstr (cases[c].kernels[k], "dot") != NULL ? 5 - cases[c].without_operand : cases[c].without_operand),
          "case %u: %u launches of %s", c, (guint)launches, cases[c].kernels[k]);
      alone += launches;
    }
    if (fake != NULL)
      ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel") - all, alone);
  }
  close_all ();
}

/* Two views in one memory on the GPU: both are counted there. */
TEST (test_views)
{
  GstBuffer *buffer, *copy;
  GstStructure *left, *right;
  GstVideoMeta *meta;

  open_frames (0, "RGBA", 16, 16);
  buffer = gst_buffer_make_writable (make_frame (&sources[0], 0, &copy));
  meta = gst_buffer_get_video_meta (buffer);
  meta->height = 8;
  meta = gst_buffer_add_video_meta_full (buffer, meta->flags, meta->format, 16, 8, 1, meta->offset, meta->stride);
  meta->id = 1;
  meta->offset[0] += 8 * (gsize)meta->stride[0];

  open_pair ("");
  start_video (&rig, "video/x-raw(memory:CUDAMemory),format=RGBA,width=16,height=8,framerate=25/1,multiview-mode=separated,"
                     "views=2");
  start_video (&reference, sources[0].system_caps);
  push (&rig, buffer);
  push (&reference, copy);
  left = pop_result (rig.bus);
  right = pop_result (reference.bus);
  ck_assert_str_eq (gst_structure_get_string (left, "backend"), "cuda");
  ck_assert_uint_eq (get_field_u64 (left, "R-count"), 2 * 16 * 8);
  gst_structure_remove_field (left, "height");
  gst_structure_remove_field (right, "height");
  check_same_numbers (left, right);
  close_all ();
}

TEST (test_dot)
{
  open_pair ("dot=previous");
  open_frames (0, "P010_10LE", 64, 48);
  start_pair ();
  for (guint i = 0; i < 10; i++) {
    GstStructure *result;

    push_pair (&sources[0], i);
    result = pop_result (rig.bus);
    ck_assert_int_eq (gst_structure_has_field (result, "Y-dot"), i > 0);
    check_same_numbers (result, pop_result (reference.bus));
  }
  close_all ();
}

/* The reference is uploaded into the context of the frames, in both modes, also when the context changes. If the upload would
 * lose its last row, nothing is compared. */
TEST (test_reference)
{
  static const gchar *const modes[] = { "in-step", "fixed" };
  const gchar *path = make_path ("reference.mkv");

  if (!can_upload ())
    return;
  for (guint height = 48; height > 46; height--) {
    free_results (
        run_line (NULL,
                  "videotestsrc num-buffers=6 pattern=snow ! video/x-raw,format=I420,width=64,height=%u,framerate=25/1 ! "
                  "matroskamux ! filesink location=%s",
                  height, path));
    for (guint mode = 0; mode < G_N_ELEMENTS (modes); mode++) {
      g_autofree gchar *properties = g_strdup_printf ("reference-location=%s reference-mode=%s", path, modes[mode]);

      open_pair (properties);
      for (guint i = 0; i < 2; i++)
        open_frames (i, "I420", 64, height);
      start_pair ();
      for (guint i = 0; i < 6; i++) {
        GstBuffer *copy, *frame = make_frame (&sources[i / 3], i * GST_SECOND / 25, &copy);
        GstStructure *result;

        push (&rig, frame);
        if (height % 2 == 1 && i == 0)
          check_error (rig.bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "cannot be uploaded");
        result = pop_result (rig.bus);
        ck_assert_int_eq (gst_structure_has_field (result, "V-reference-mse"), height % 2 == 0);
        if (height % 2 == 0) {
          push (&reference, copy);
          check_same_numbers (result, pop_result (reference.bus));
        } else {
          gst_buffer_unref (copy);
          gst_structure_free (result);
        }
      }
    }
  }
  close_all ();
}

/* ---- in place ------------------------------------------------------------------------------------------------------- */

/* Buffers leave unchanged, without a copy, and more of them pass than the pool has. */
TEST (test_in_place)
{
  const struct fakecuda *fake = fakecuda_find ();

  contexts[0] = make_context (0);
  open_source (&sources[0], contexts[0], "NV12", 64, 48, 2);
  rig = open_video ("", sources[0].caps);
  for (guint i = 0; i < 20; i++) {
    GstBuffer *frame = make_frame (&sources[0], i * GST_SECOND / 25, NULL), *out;
    guint64 copies;

    /* Upload now, so that the element need not. */
    {
      GstMapInfo map;

      ck_assert (gst_buffer_map (frame, &map, GST_MAP_READ | GST_MAP_CUDA));
      gst_buffer_unmap (frame, &map);
    }
    copies = fake != NULL ? fake->function_calls ("cuMemcpy2D") + fake->function_calls ("cuMemcpyHtoDAsync")
                                + fake->function_calls ("cuMemcpy2DAsync")
                          : 0;
    push (&rig, frame);
    gst_structure_free (pop_result (rig.bus));
    if (fake != NULL)
      ck_assert_uint_eq (fake->function_calls ("cuMemcpy2D") + fake->function_calls ("cuMemcpyHtoDAsync")
                             + fake->function_calls ("cuMemcpy2DAsync"),
                         copies);
    out = gst_harness_pull (rig.harness);
    ck_assert (out == frame);
    gst_buffer_unref (out);
  }
  close_all ();
}

TEST (test_add_meta)
{
  open_frames (0, "NV12", 64, 48);
  rig = open_video ("add-meta=true", sources[0].caps);
  reference = open_video ("backend=reference", sources[0].system_caps);
  for (guint i = 0; i < 5; i++) {
    GstBuffer *copy, *frame = make_frame (&sources[0], i * GST_SECOND / 25, &copy), *out;
    GstMemory *memory = gst_buffer_peek_memory (frame, 0);

    if (i % 2 == 1)
      gst_buffer_ref (frame); /* not writable: there is another reference */
    push (&rig, frame);
    push (&reference, copy);
    out = gst_harness_pull (rig.harness);
    ck_assert (gst_buffer_peek_memory (out, 0) == memory);
    ck_assert (get_meta (out) != NULL);
    gst_structure_free (pop_result (rig.bus));
    check_same_numbers (gst_structure_copy (get_meta (out)), pop_result (reference.bus));
    gst_buffer_unref (out);
    if (i % 2 == 1)
      gst_buffer_unref (frame);
  }
  close_all ();
}

static GstPadProbeReturn
answer_allocation (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer pool)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, pool, 1234, 3, 5);
  return GST_PAD_PROBE_HANDLED;
}

/* The neighbours agree on the memory of frames on the GPU: downstream offers the pool and its configuration. */
TEST (test_allocation_is_forwarded)
{
  static const gchar *const properties[] = { "", "add-meta=true" };

  open_frames (0, "NV12", 64, 48);
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    g_autoptr (GstCaps) caps = gst_caps_from_string (sources[0].caps);
    g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
    g_autoptr (GstBufferPool) pool = NULL;
    guint size, min, max;

    close_rig (&rig);
    rig = open_video (properties[i], sources[0].caps);
    gst_pad_add_probe (rig.harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_allocation, sources[0].pool, NULL);
    ck_assert (gst_pad_peer_query (rig.harness->srcpad, query));
    ck_assert_uint_eq (gst_query_get_n_allocation_pools (query), 1);
    ck_assert_uint_eq (gst_query_get_n_allocation_params (query), 0);
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    ck_assert (pool == sources[0].pool && size == 1234 && min == 3 && max == 5);
  }
  close_all ();
}

/* ---- caps ----------------------------------------------------------------------------------------------------------- */

static gboolean
accepts (GstElement *element, const gchar *description)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);

  return gst_pad_query_accept_caps (pad, caps);
}

TEST (test_caps)
{
  static const gchar *const properties[] = { "backend=cuda", "backend=auto", "backend=cpu", "backend=reference" };

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    close_rig (&rig);
    rig = open_rig (properties[i]);
    ck_assert_int_eq (accepts (rig.element, "video/x-raw(memory:CUDAMemory),format=NV12,width=4,height=4,framerate=25/1"),
                      i < 2);
    ck_assert_int_eq (accepts (rig.element, "video/x-raw(memory:CUDAMemory, meta:GstVideoOverlayComposition),format=Y444_16LE,"
                                            "width=4,height=4"),
                      i < 2);
    ck_assert_int_eq (accepts (rig.element, "video/x-raw(memory:CUDAMemory),format=RGB10A2_LE,width=4,height=4"), i < 2);
    ck_assert (!accepts (rig.element, "video/x-raw(memory:CUDAMemory),format=FUTURE,width=4,height=4,framerate=25/1"));
    ck_assert (!accepts (rig.element, "video/x-raw(memory:GLMemory),format=RGBA,width=4,height=4,framerate=25/1"));
  }
  close_all ();
}

/* ---- contexts ------------------------------------------------------------------------------------------------------- */

/* The element counts in the context that an application sets, and answers context queries with it. */
TEST (test_context_of_application)
{
  GstCudaContext *context = make_context (0);
  GstContext *shared = gst_context_new_cuda_context (context);
  GstElement *element = make_element ("");
  GstBus *bus = attach_bus (element);

  gst_element_set_context (element, shared);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  check_context (element, context);
  /* A restart keeps it. */
  gst_element_set_state (element, GST_STATE_NULL);
  ck_assert_int_eq (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  check_context (element, context);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
  gst_object_unref (element);
  gst_context_unref (shared);
  ck_assert_int_eq (GST_OBJECT_REFCOUNT (context), 1);
  gst_object_unref (context);
}

/* Frames of another context than the current one: the element changes to it, in the middle of a window. */
TEST (test_context_of_frames)
{
  GstContext *shared;

  for (guint i = 0; i < 3; i++)
    open_frames (i, "I420", 48, 32);
  shared = gst_context_new_cuda_context (contexts[0]);
  reference = open_rig ("backend=reference window=stream");
  rig = open_rig ("window=stream dot=previous");
  gst_element_set_context (rig.element, shared);
  gst_context_unref (shared);
  start_pair ();
  for (guint i = 0; i < 12; i++) {
    push_pair (&sources[i / 2 % 3], i);
    check_context (rig.element, contexts[i / 2 % 3]);
  }
  push_eos_to_pair ();
  {
    GstStructure *result = pop_result (rig.bus);

    /* A frame in one context is no operand in another. */
    ck_assert_uint_eq (get_field_u64 (result, "Y-dot-count"), 6 * 48 * 32);
    for (guint c = 0; c < 3; c++) {
      gchar dot[] = "Y-dot", count[] = "Y-dot-count";

      dot[0] = count[0] = "YUV"[c];
      gst_structure_remove_fields (result, dot, count, NULL);
    }
    check_same_numbers (result, pop_result (reference.bus));
  }
  check_bus_empty (rig.bus);
  check_released ();
}

/* Frames of two decoders by turns, as after an input-selector. */
TEST (test_contexts_in_turn)
{
  open_pair ("window=stream");
  for (guint i = 0; i < 2; i++)
    open_frames (i, "NV12", 64, 32);
  start_pair ();
  for (guint i = 0; i < 40; i++) {
    push_pair (&sources[i % 2], i);
    check_context (rig.element, contexts[i % 2]);
  }
  push_eos_to_pair ();
  check_next ();
  check_bus_empty (rig.bus);
  check_released ();
}

/* A frame that a separate thread pushes, because the push may wait. */
typedef struct {
  GstBuffer *frame;
  GThread *thread;
  gint is_over; /* atomic */
} LatePush;

static gpointer
run_late_push (gpointer data)
{
  LatePush *late = data;
  GstFlowReturn flow = gst_harness_push (rig.harness, late->frame);

  g_atomic_int_set (&late->is_over, TRUE);
  return GINT_TO_POINTER (flow);
}

/* Returns when the element has the frame. */
static void
begin_late_push (LatePush *late, GstBuffer *frame)
{
  const guint64 before = get_stat (rig.element, "frames-in");

  *late = (LatePush){ .frame = frame };
  late->thread = g_thread_new ("pushes", run_late_push, late);
  while (get_stat (rig.element, "frames-in") == before)
    g_usleep (1000);
}

static void
end_late_push (LatePush *late, GstFlowReturn expected)
{
  ck_assert_int_eq (GPOINTER_TO_INT (g_thread_join (late->thread)), expected);
}

/* Makes a frame of source 'A' or 'B', or with `kind` 'S' in system memory; *copy is the same frame in system memory. */
static GstBuffer *
make_frame_of (gchar kind, guint index, GstBuffer **copy)
{
  GstBuffer *frame = make_frame (&sources[kind == 'B'], index * GST_SECOND / 25, copy);

  if (kind == 'S')
    gst_buffer_replace (&frame, *copy);
  return frame;
}

/* Pushes a frame of context A and one of context B, flushes while B's engine opens, then pushes the frames of `order`, kinds of
 * make_frame_of(). The first of these comes after the engine is open or, with `is_early`, before: then it waits. Each frame is
 * counted where it is. */
static void
check_flushed_switch (const gchar *properties, const gchar *order, gboolean is_early)
{
  const struct fakecuda *fake = fakecuda_find ();
  GstBuffer *copy, *frame;
  LatePush late;

  g_print ("%s, %s%s\n", properties, order, is_early ? ", early" : "");
  open_pair (properties);
  for (guint i = 0; i < 2; i++)
    open_frames (i, "NV12", 64, 32);
  start_pair ();
  push_pair (&sources[0], 0);
  check_next ();

  fake->block ("cuModuleLoadData");
  frame = make_frame_of ('B', 1, &copy);
  begin_late_push (&late, frame);
  push (&reference, copy);
  gst_structure_free (pop_result (reference.bus));
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_start ()));
  if (!is_early)
    fake->block (NULL);
  end_late_push (&late, GST_FLOW_FLUSHING);
  ck_assert (gst_harness_push_event (rig.harness, gst_event_new_flush_stop (TRUE)));
  push_segment (&rig, 1, 0, GST_CLOCK_TIME_NONE, 0, 0);

  for (guint i = 0; order[i] != '\0'; i++) {
    frame = make_frame_of (order[i], 2 + i, &copy);
    if ((i > 0 && order[i - 1] == 'S') != (order[i] == 'S'))
      start_video (&rig, order[i] == 'S' ? sources[0].system_caps : sources[0].caps);
    begin_late_push (&late, frame);
    if (i == 0 && is_early) {
      g_usleep (50 * 1000);
      ck_assert_msg (!g_atomic_int_get (&late.is_over), "a frame has moved past a change of context");
      fake->block (NULL);
    }
    end_late_push (&late, GST_FLOW_OK);
    push (&reference, copy);
    if (order[i] != 'S')
      check_context (rig.element, contexts[order[i] == 'B']);
    check_next ();
  }
  push_eos (&rig);
  check_bus_empty (rig.bus);
  ck_assert_msg (fake->faults () == 0, "%s", fake->fault_text ());
  ck_assert_uint_eq (get_stat (rig.element, "frames-discarded"), 1);
  check_released ();
}

/* The flush ended the wait for the other context, but the counter has changed to it. */
TEST (test_flushed_switch)
{
  static const gchar *const properties[] = { "", "add-meta=true" };
  static const gchar *const orders[] = { "AAAA", "BBA", "ABAB", "SSBA", "SAB" };

  if (fakecuda_find () == NULL) {
    g_print ("skipped: a real GPU does not open an engine as late as that\n");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    for (guint j = 0; j < G_N_ELEMENTS (orders); j++)
      check_flushed_switch (properties[i], orders[j], FALSE);
}

/* The counter is still changing to the other context. */
TEST (test_frames_before_a_flushed_switch)
{
  static const gchar *const orders[] = { "AB", "ABAAA", "BA", "SABA", "SSBA" };

  if (fakecuda_find () == NULL) {
    g_print ("skipped: a real GPU does not open an engine as late as that\n");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    check_flushed_switch ("", orders[i], TRUE);
}

TEST (test_elements_share)
{
  GstContext *shared;
  GstElement *bin
      = gst_parse_bin_from_description ("cudahisto name=a backend=auto ! cudahisto name=b backend=auto", TRUE, NULL);
  GstHarness *harness;

  ck_assert (bin != NULL);
  open_frames (0, "NV12", 48, 32);
  shared = gst_context_new_cuda_context (contexts[0]);
  gst_element_set_context (bin, shared);
  gst_context_unref (shared);
  harness = gst_harness_new_with_element (bin, "sink", "src");
  gst_harness_set_src_caps_str (harness, sources[0].caps);
  ck_assert_int_eq (gst_harness_push (harness, make_frame (&sources[0], 0, NULL)), GST_FLOW_OK);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (bin), i == 0 ? "a" : "b");

    check_context (element, contexts[0]);
  }
  gst_harness_teardown (harness);
  gst_object_unref (bin);
  check_released ();
}

static gboolean
has_second_device (void)
{
  const struct fakecuda *fake = fakecuda_find ();
  GstCudaContext *context;

  if (fake != NULL)
    fake->set_devices (2);
  ck_assert (gst_cuda_load_library ());
  context = gst_cuda_context_new (1);
  if (context == NULL)
    return FALSE;
  gst_object_unref (context);
  return TRUE;
}

/* Frames of another device than the requested one. */
TEST (test_wrong_device)
{
  GstBuffer *frame;

  if (!has_second_device ()) {
    g_print ("skipped: there is one device\n");
    return;
  }
  contexts[0] = make_context (1);
  open_frames (0, "NV12", 48, 32);
  frame = make_frame (&sources[0], 0, NULL);
  rig = open_video ("cuda-device-id=0", sources[0].caps);
  ck_assert_int_eq (gst_harness_push (rig.harness, frame), GST_FLOW_ERROR);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
               "cuda-device-id=0 cannot count frames on CUDA device 1");

  /* If no device or the same one was requested, the element counts on the device of the frames. */
  for (guint i = 0; i < 2; i++) {
    close_rig (&rig);
    rig = open_video (i == 0 ? "cuda-device-id=-1" : "cuda-device-id=1", sources[0].caps);
    push (&rig, make_frame (&sources[0], 0, NULL));
    gst_structure_free (pop_result (rig.bus));
    check_context (rig.element, contexts[0]);
  }
  close_all ();
}

/* An element on each of two devices. Frames come by turns in device memory and in system memory. */
TEST (test_two_devices)
{
  if (!has_second_device ()) {
    g_print ("skipped: there is one device\n");
    return;
  }
  for (guint is_on_gpu = 0; is_on_gpu < 2; is_on_gpu++) {
    Rig rigs[2], references[2];

    for (guint d = 0; d < 2; d++) {
      if (contexts[d] == NULL)
        contexts[d] = make_context (d);
      open_frames (d, d == 0 ? "NV12" : "P010_10LE", 200, 120);
      rigs[d] = open_rig (d == 0 ? "dot=previous cuda-device-id=0" : "dot=previous cuda-device-id=1");
      references[d] = open_rig ("dot=previous backend=reference");
      start_video (&rigs[d], is_on_gpu ? sources[d].caps : sources[d].system_caps);
      start_video (&references[d], sources[d].system_caps);
    }
    for (guint i = 0; i < 20; i++) {
      for (guint d = 0; d < 2; d++) {
        GstBuffer *copy, *frame = make_frame (&sources[d], i * GST_SECOND / 25, &copy);

        push (&rigs[d], is_on_gpu ? gst_buffer_ref (frame) : gst_buffer_copy_deep (copy));
        push (&references[d], copy);
        gst_buffer_unref (frame);
      }
      for (guint d = 0; d < 2; d++)
        check_same_numbers (pop_result (rigs[d].bus), pop_result (references[d].bus));
    }
    for (guint d = 0; d < 2; d++) {
      GstCudaContext *found = ask_for_context (rigs[d].element, "src");
      guint device = G_MAXUINT;

      ck_assert (found != NULL && (!is_on_gpu || found == contexts[d]));
      g_object_get (found, "cuda-device-id", &device, NULL);
      ck_assert_uint_eq (device, d);
      gst_object_unref (found);
      close_rig (&rigs[d]);
      close_rig (&references[d]);
    }
  }
  close_all ();
}

/* ---- streams -------------------------------------------------------------------------------------------------------- */

/* From 1.24 on a frame may be pushed before the GPU has written it. Here the GPU takes long, and the result must be that of its
 * last write. */
TEST (test_slow_producer)
{
  GstCudaContext *context;
  gpointer (*get_stream) (gpointer memory);
  gpointer (*get_handle) (gpointer stream);
  gpointer (*make_stream) (GstCudaContext * context);
  void (*set_stream) (GstStructure * config, gpointer stream);
  int (*memset_async) (unsigned long long address, unsigned char value, size_t size, gpointer stream);
  int (*memory_alloc) (unsigned long long *address, size_t size);
  int (*memory_free) (unsigned long long address);
  gpointer driver = dlopen ("libcuda.so.1", RTLD_NOW), stream;
  const gsize size = (gsize)1 << 30;
  unsigned long long scratch;
  GstStructure *config;

  find_function (RTLD_DEFAULT, "gst_cuda_memory_get_stream", &get_stream);
  find_function (RTLD_DEFAULT, "gst_cuda_stream_get_handle", &get_handle);
  find_function (RTLD_DEFAULT, "gst_cuda_stream_new", &make_stream);
  find_function (RTLD_DEFAULT, "gst_buffer_pool_config_set_cuda_stream", &set_stream);
  find_function (driver, "cuMemsetD8Async", &memset_async);
  find_function (driver, "cuMemAlloc_v2", &memory_alloc);
  find_function (driver, "cuMemFree_v2", &memory_free);
  if (get_stream == NULL || fakecuda_find () != NULL) {
    g_print ("skipped: memory has no stream, or there is no real GPU\n");
    return;
  }

  context = make_context (0);
  stream = make_stream (context);
  ck_assert (stream != NULL);
  g_autoptr (GstCaps) caps
      = gst_caps_from_string ("video/x-raw(memory:CUDAMemory),format=GBR,width=512,height=512,framerate=25/1");
  g_autoptr (GstBufferPool) pool = gst_cuda_buffer_pool_new (context);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, 512 * 512 * 3, 0, 0);
  set_stream (config, stream);
  ck_assert (gst_buffer_pool_set_config (pool, config));
  ck_assert (gst_buffer_pool_set_active (pool, TRUE));

  rig = open_video ("", "video/x-raw(memory:CUDAMemory),format=GBR,width=512,height=512,framerate=25/1");
  gst_cuda_context_push (context);
  ck_assert_int_eq (memory_alloc (&scratch, size), 0);
  gst_cuda_context_pop (NULL);
  for (guint i = 1; i <= 20; i++) {
    GstBuffer *frame = NULL;
    GstMapInfo map;
    guint value;

    ck_assert_int_eq (gst_buffer_pool_acquire_buffer (pool, &frame, NULL), GST_FLOW_OK);
    ck_assert (get_stream (gst_buffer_peek_memory (frame, 0)) == stream);
    ck_assert (gst_buffer_map (frame, &map, GST_MAP_WRITE | GST_MAP_CUDA));
    gst_cuda_context_push (context);
    memset_async ((unsigned long long)(guintptr)map.data, 255, map.size, get_handle (stream));
    for (guint j = 0; j < 50; j++) /* about 10 ms */
      memset_async (scratch, (unsigned char)j, size, get_handle (stream));
    ck_assert_int_eq (memset_async ((unsigned long long)(guintptr)map.data, (unsigned char)i, map.size, get_handle (stream)),
                      0);
    gst_cuda_context_pop (NULL);
    gst_buffer_unmap (frame, &map);
    GST_BUFFER_PTS (frame) = i * GST_SECOND / 25;
    push (&rig, frame);
    g_autoptr (GstStructure) result = pop_result (rig.bus);
    ck_assert (gst_structure_get_uint (result, "G-min", &value));
    ck_assert_uint_eq (value, i);
    ck_assert (gst_structure_get_uint (result, "G-max", &value));
    ck_assert_uint_eq (value, i);
    gst_buffer_unref (gst_harness_pull (rig.harness));
  }
  close_rig (&rig);
  gst_cuda_context_push (context);
  memory_free (scratch);
  gst_cuda_context_pop (NULL);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_mini_object_unref (stream);
  gst_object_unref (context);
  close_all ();
}

/* ---- failures, on the fake GPU -------------------------------------------------------------------------------------- */

enum { CUDA_OUT_OF_MEMORY = 2, CUDA_UNKNOWN = 999 };

static void
make_hdr (gchar **caps)
{
  gchar *sdr = *caps;

  *caps = g_strconcat (sdr, ",colorimetry=bt2100-pq", NULL);
  g_free (sdr);
}

/* A call of the driver fails in mid-stream, but memory can still be read: the CPU counts copies of the frames on the GPU. */
static void
check_failover (const gchar *function, guint64 call, const gchar *properties)
{
  const struct fakecuda *fake = fakecuda_find ();
  g_autofree gchar *line = g_strdup_printf ("backend=auto window=stream %s", properties);

  reset_random ();
  open_pair (line);
  open_frames (0, "P010_10LE", 34, 18);
  make_hdr (&sources[0].caps);
  make_hdr (&sources[0].system_caps);
  start_pair ();
  for (guint i = 0; i < 12; i++) {
    GstBuffer *copy, *frame = make_frame (&sources[0], i * GST_SECOND / 25, &copy);

    if (i == 3)
      fake->fail_function (function, call, CUDA_OUT_OF_MEMORY, false);
    push (&rig, frame);
    push (&reference, copy);
  }
  push_eos_to_pair ();
  ck_assert (fake->has_failed ());
  check_error (rig.bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "the CPU continues");
  check_next ();
  check_bus_empty (rig.bus);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 12);
  ck_assert_uint_eq (get_stat (rig.element, "frames-skipped"), 0);
  close_all ();
  fake->reset ();
}

TEST (test_failover)
{
  if (fakecuda_find () == NULL) {
    g_print ("skipped: a real GPU does not fail when it is asked to\n");
    return;
  }
  check_failover ("cuLaunchKernel", 1, "");
  check_failover ("cuLaunchKernel", 3, "");
  check_failover ("cuLaunchKernel", 2, "dot=previous");
  check_failover ("cuLaunchKernel", 4, "statistics=signalstats");
  for (guint call = 3; call < 7; call++)
    check_failover ("cuLaunchKernel", call, "statistics=signalstats regions=\"3,1,20,10; 8,8,9,7\"");
  check_failover ("cuLaunchKernel", 5, "statistics=waveform+vectorscope waveform-columns=9 message-arrays=packed");
  check_failover ("cuLaunchKernel", 3, "statistics=light light-source=luminance");
  if (can_upload ())
    check_failover ("cuLaunchKernel", 5, "metering=center");
  check_failover ("cuEventRecord", 2, "");
}

/* The device is lost with its frames: the element posts an error and no incomplete result. */
TEST (test_lost_device)
{
  static const gchar *const properties[] = { "backend=auto window=stream", "backend=cuda window=stream" };
  const struct fakecuda *fake = fakecuda_find ();

  if (fake == NULL) {
    g_print ("skipped: a real GPU is not lost when it is asked to be\n");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GstFlowReturn flow = GST_FLOW_OK;
    GstBuffer *frames[100];

    rig = open_rig (properties[i]);
    open_frames (0, "NV12", 34, 18);
    start_video (&rig, sources[0].caps);
    /* Make all frames now: a lost device allocates no memory. Map them for writing on the GPU, since the CPU still has the
     * samples that it wrote. */
    for (guint j = 0; j < G_N_ELEMENTS (frames); j++) {
      GstMapInfo map;

      frames[j] = make_frame (&sources[0], j * GST_SECOND / 25, NULL);
      ck_assert (gst_buffer_map (frames[j], &map, GST_MAP_WRITE | GST_MAP_CUDA));
      gst_buffer_unmap (frames[j], &map);
    }
    for (guint j = 0; j < G_N_ELEMENTS (frames); j++) {
      if (j == 3)
        fake->fail_function ("cuLaunchKernel", 1, CUDA_UNKNOWN, true);
      if (flow == GST_FLOW_OK)
        flow = gst_harness_push (rig.harness, frames[j]);
      else
        gst_buffer_unref (frames[j]);
      if (j > 3)
        g_usleep (1000);
    }
    ck_assert_int_eq (flow, GST_FLOW_ERROR);
    check_error (rig.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, NULL);
    close_all ();
    fake->reset ();
  }
}

/* No context can be created, neither at the start for the engine, nor when caps announce frames on the GPU. That is an error,
 * and neither caps nor frames go downstream. */
TEST (test_no_context)
{
  const struct fakecuda *fake = fakecuda_find ();
  GstBuffer *frame;
  GstCaps *arrived;

  if (fake == NULL) {
    g_print ("skipped: a real GPU does not fail when it is asked to\n");
    return;
  }
  open_frames (0, "NV12", 48, 32);
  frame = make_frame (&sources[0], 0, NULL);
  fake->fail_function ("cuCtxCreate", 1, CUDA_OUT_OF_MEMORY, false);
  rig = open_rig ("");
  ck_assert (fake->has_failed ());
  fake->fail_function ("cuCtxCreate", 1, CUDA_OUT_OF_MEMORY, false);
  start_video (&rig, sources[0].caps);
  check_error (rig.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "no CUDA context can be created");
  arrived = gst_pad_get_current_caps (rig.harness->sinkpad);
  ck_assert_msg (arrived == NULL, "the caps went downstream");
  ck_assert_int_ne (gst_harness_push (rig.harness, frame), GST_FLOW_OK);
  ck_assert_uint_eq (gst_harness_buffers_received (rig.harness), 0);
  ck_assert_uint_eq (get_stat (rig.element, "frames-reported"), 0);
  check_bus_empty (rig.bus);
  close_rig (&rig);
  fake->reset ();
  close_all ();
}

/* ---- with the elements of nvcodec ----------------------------------------------------------------------------------- */

static gboolean
have_elements (const gchar *first, ...)
{
  va_list names;
  gboolean have = TRUE;

  va_start (names, first);
  for (const gchar *name = first; name != NULL; name = va_arg (names, const gchar *)) {
    GstElementFactory *factory = gst_element_factory_find (name);

    if (factory == NULL) {
      g_print ("skipped: there is no %s\n", name);
      have = FALSE;
    } else {
      gst_object_unref (factory);
    }
  }
  va_end (names);
  return have;
}

/* Fails unless the elements "a" and "b" of a pipeline report the same for each of `frames` frames (0: any number). Takes the
 * results. */
static void
check_pairs (GList *results, guint frames)
{
  GQueue waiting[2] = { G_QUEUE_INIT, G_QUEUE_INIT };
  guint pairs = 0;

  while (results != NULL) {
    GstStructure *result = results->data;

    g_queue_push_tail (&waiting[strcmp (gst_structure_get_string (result, "element"), "b") == 0], result);
    results = g_list_delete_link (results, results);
    if (!g_queue_is_empty (&waiting[0]) && !g_queue_is_empty (&waiting[1])) {
      check_same_numbers (g_queue_pop_head (&waiting[0]), g_queue_pop_head (&waiting[1]));
      pairs++;
    }
  }
  ck_assert_uint_gt (pairs, 0);
  if (frames > 0)
    ck_assert_uint_eq (pairs, frames);
  ck_assert (g_queue_is_empty (&waiting[0]) && g_queue_is_empty (&waiting[1]));
}

TEST (test_uploaded)
{
  if (!have_elements ("cudaupload", "cudadownload", NULL))
    return;
  g_autoptr (GstElement) upload = gst_object_ref_sink (gst_element_factory_make ("cudaupload", NULL));
  g_autoptr (GstPad) pad = gst_element_get_static_pad (upload, "src");
  g_autoptr (GstCaps) caps = gst_pad_get_pad_template_caps (pad);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree gchar *description = g_strdup_printf ("video/x-raw(memory:CUDAMemory),format=%s", formats[i]);
    g_autoptr (GstCaps) wanted = gst_caps_from_string (description);
    gboolean can_upload = can_allocate (formats[i]) && gst_caps_can_intersect (caps, wanted);

    if (!can_upload)
      continue;
    /* videotestsrc itself makes few of the deep formats. */
    check_pairs (run_line (NULL,
                           "videotestsrc num-buffers=8 pattern=smpte ! videoconvert ! "
                           "video/x-raw,format=%s,width=322,height=242,framerate=25/1 ! cudahisto name=b backend=reference ! "
                           "cudaupload ! video/x-raw(memory:CUDAMemory) ! cudahisto name=a backend=cuda ! fakesink",
                           formats[i]),
                 8);
  }
}

TEST (test_converted)
{
  if (!have_elements ("cudaupload", "cudaconvert", "cudadownload", NULL))
    return;
  check_pairs (run_line (NULL, "videotestsrc num-buffers=8 ! video/x-raw,format=NV12,width=640,height=360 ! cudaupload ! "
                               "cudaconvert ! video/x-raw(memory:CUDAMemory),format=RGBA ! cudahisto name=a backend=cuda ! "
                               "cudadownload ! video/x-raw,format=RGBA ! cudahisto name=b backend=reference ! fakesink"),
               8);
  /* The same between converters, which must agree on a format of the element. */
  free_results (run_line (NULL,
                          "videotestsrc num-buffers=8 ! cudaupload ! cudaconvert ! cudahisto backend=cuda add-meta=true ! "
                          "cudaconvert ! cudadownload ! fakesink"));
}

/* CUDAHISTO_TEST_CLIP names a clip, H.264 in MP4, for machines without an encoder. */
TEST (test_decoded)
{
  static const gchar *const encoders[] = { "x264enc", "openh264enc", "nvh264enc" };
  /* With dot, the operand holds a surface of the decoder. */
  static const gchar *const properties[] = { "", "dot=previous add-meta=true" };
  const gchar *clip = g_getenv ("CUDAHISTO_TEST_CLIP"), *encoder = NULL;
  g_autofree gchar *source = NULL;

  if (!have_elements ("nvh264dec", "h264parse", "cudadownload", NULL))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (encoders) && encoder == NULL && clip == NULL; i++)
    if (have_elements (encoders[i], NULL))
      encoder = encoders[i];
  if (clip != NULL)
    source = g_strdup_printf ("filesrc location=\"%s\" ! qtdemux", clip);
  else if (encoder != NULL)
    source = g_strdup_printf ("videotestsrc num-buffers=60 pattern=ball ! video/x-raw,format=I420,width=640,height=360 ! %s",
                              encoder);
  else
    return;
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    check_pairs (run_line (NULL,
                           "%s ! h264parse ! nvh264dec ! video/x-raw(memory:CUDAMemory),format=NV12 ! "
                           "cudahisto name=a backend=cuda %s ! cudadownload ! video/x-raw,format=NV12 ! "
                           "cudahisto name=b backend=reference %s ! fakesink sync=false",
                           source, properties[i], i == 0 ? "" : "dot=previous"),
                 clip != NULL ? 0 : 60);
}

RIG_MAIN ("CUDAHISTO_TEST_BACKEND")
