/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element with frames, caps, events and states, after a real cudahisto. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../plugin/support/rig.h"
#include "pictures.h"

#define META "meta:GstVideoOverlayComposition"

/* Both elements in a harness, whose element is the scope. `measure` and `scope` are their properties. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstHarness, gst_harness_teardown)

static GstHarness *
open_harness (const gchar *measure, const gchar *scope, const gchar *caps)
{
  g_autofree gchar *line = g_strdup_printf ("cudahisto backend=cpu name=measure add-meta=true post-messages=false %s ! "
                                            "cudahistoscope name=scope %s",
                                            measure, scope);
  GstHarness *harness = gst_harness_new_parse (line);

  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

static GstBus *
take_bus (GstHarness *harness)
{
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (harness->element, bus);
  return bus;
}

static guint
count_warnings (GstBus *bus, const gchar *words)
{
  GstMessage *message;
  guint count = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)) != NULL) {
    g_autoptr (GError) error = NULL;

    ck_assert_msg (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING, "an error");
    gst_message_parse_warning (message, &error, NULL);
    ck_assert_msg (words != NULL && strstr (error->message, words) != NULL, "a warning: %s", error->message);
    gst_message_unref (message);
    count++;
  }
  return count;
}

/* A frame of random samples that are valid at their depth, at frame `index` of 25 a second. */
static GstBuffer *
make_frame (const gchar *caps_text, guint index)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstVideoInfo info;
  GstVideoFrame frame;
  GstBuffer *buffer;
  guint32 seed = 4711 + index;

  ck_assert (gst_video_info_from_caps (&info, caps));
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_memset (buffer, 0, 0, (gsize)-1);
  ck_assert (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++) {
    const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (&frame, c);

    for (guint y = 0; y < (guint)GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (guint x = 0; x < (guint)GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++) {
        seed = seed * 1664525 + 1013904223;
        write_sample (&frame, c, x, y, depth > 8 ? seed >> 16 & ((1u << depth) - 1) : seed >> 24);
      }
  }
  gst_video_frame_unmap (&frame);
  GST_BUFFER_PTS (buffer) = index * GST_SECOND / 25;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 25;
  return buffer;
}

static gsize
count_differences (GstBuffer *left, GstBuffer *right)
{
  GstMapInfo l, r;
  gsize count = 0;

  ck_assert (gst_buffer_map (left, &l, GST_MAP_READ) && gst_buffer_map (right, &r, GST_MAP_READ));
  ck_assert_uint_eq (l.size, r.size);
  for (gsize i = 0; i < l.size; i++)
    count += l.data[i] != r.data[i];
  gst_buffer_unmap (left, &l);
  gst_buffer_unmap (right, &r);
  return count;
}

/* Bytes of samples that differ inside and outside a rectangle of the picture. */
static void
compare_frames (const gchar *caps_text, GstBuffer *before, GstBuffer *after, const GstVideoRectangle *where, gsize *inside,
                gsize *outside)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstVideoFrame left, right;
  GstVideoInfo info;

  ck_assert (gst_video_info_from_caps (&info, caps));
  ck_assert (gst_video_frame_map (&left, &info, before, GST_MAP_READ)
             && gst_video_frame_map (&right, &info, after, GST_MAP_READ));
  *inside = *outside = 0;
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&left); c++) {
    const gint sub_x = GST_VIDEO_FORMAT_INFO_W_SUB (info.finfo, c), sub_y = GST_VIDEO_FORMAT_INFO_H_SUB (info.finfo, c);
    const gsize bytes = GST_VIDEO_FRAME_COMP_DEPTH (&left, c) > 8 ? 2 : 1;

    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&left, c); y++) {
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&left, c); x++) {
        const guint8 *l = find_sample (&left, c, (guint)x, (guint)y), *r = find_sample (&right, c, (guint)x, (guint)y);
        const gboolean is_inside = x << sub_x >= where->x && x << sub_x < where->x + where->w && y << sub_y >= where->y
                                   && y << sub_y < where->y + where->h;

        if (memcmp (l, r, bytes) != 0)
          (*(is_inside ? inside : outside))++;
      }
    }
  }
  gst_video_frame_unmap (&left);
  gst_video_frame_unmap (&right);
}

/* The rectangle of the scope, with the default settings. */
static GstVideoRectangle
find_rectangle (gint width, gint height)
{
  GstVideoRectangle r = { 0, 0, 0, 0 };
  const gdouble margin = (gint)(height * 0.02), high = CLAMP (height * 0.35, 24, height - 2 * margin);

  r.x = MAX (0, (gint)margin - 4);
  r.w = MIN (width, (gint)(margin + high * 1.6) + 8) - r.x;
  r.y = MAX (0, (gint)(height - margin - high) - 4);
  r.h = height - r.y;
  return r;
}

/* Blending changes nothing outside the scope, bit for bit, in any format, including odd sizes. */
TEST (test_blend)
{
  static const gchar *const formats[]
      = { "I420",      "YV12",      "NV12",      "NV21",      "YUY2",      "UYVY",     "Y42B",   "Y444", "VUYA",
          "GRAY8",     "RGB",       "BGR",       "RGBx",      "BGRA",      "ARGB",     "GBR",    "RGBP", "GBRA",
          "I420_10LE", "P010_10LE", "I422_10LE", "Y444_10LE", "Y444_16LE", "GBR_10LE", "P012_LE" };
  static const gint sizes[][2] = { { 320, 240 }, { 333, 201 }, { 64, 48 }, { 16, 16 }, { 17, 9 } };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      g_autofree gchar *caps
          = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", formats[f], sizes[s][0], sizes[s][1]);
      const GstVideoRectangle where = find_rectangle (sizes[s][0], sizes[s][1]);
      g_autoptr (GstHarness) harness = open_harness ("", "", caps);
      g_autoptr (GstBuffer) before = make_frame (caps, 0), after = NULL;
      gsize inside, outside;

      after = gst_harness_push_and_pull (harness, gst_buffer_copy_deep (before));
      compare_frames (caps, before, after, &where, &inside, &outside);
      ck_assert_msg (outside == 0, "%s %dx%d: %" G_GSIZE_FORMAT " samples beside the scope differ", formats[f], sizes[s][0],
                     sizes[s][1], outside);
      ck_assert_msg (inside > (gsize)where.w * where.h / 4, "%s %dx%d: only %" G_GSIZE_FORMAT " samples differ", formats[f],
                     sizes[s][0], sizes[s][1], inside);
      ck_assert (GST_BUFFER_PTS (after) == GST_BUFFER_PTS (before)
                 && GST_BUFFER_DURATION (after) == GST_BUFFER_DURATION (before));
    }
  }
}

#define CAPS "video/x-raw,format=I420,width=320,height=240,framerate=25/1"
#define RGB_CAPS "video/x-raw,format=RGBx,width=320,height=240,framerate=25/1"

/* Before the first result buffers pass unchanged; then the last result stays. */
TEST (test_interval)
{
  g_autoptr (GstHarness) harness = open_harness ("interval=200000000", "", CAPS);
  guint drawn = 0, first = 0;

  for (guint i = 0; i < 12; i++) {
    GstBuffer *before = make_frame (CAPS, i), *copy = gst_buffer_copy_deep (before);
    g_autoptr (GstBuffer) after = gst_harness_push_and_pull (harness, before);

    if (count_differences (copy, after) > 0) {
      if (drawn++ == 0)
        first = i;
    } else {
      ck_assert_msg (drawn == 0, "the scope is gone in frame %u", i);
      ck_assert (after == before);
    }
    gst_buffer_unref (copy);
  }
  ck_assert_uint_eq (first, 4);
  ck_assert_uint_eq (drawn, 8);
}

/* A flush removes the scope. */
TEST (test_flush)
{
  g_autoptr (GstHarness) harness = open_harness ("interval=80000000", "", CAPS);
  GstSegment segment;
  gsize differences[3];

  for (guint i = 0; i < 6; i++) {
    g_autoptr (GstBuffer) before = make_frame (CAPS, i), after = NULL;

    if (i == 4) {
      ck_assert (gst_harness_push_event (harness, gst_event_new_flush_start ()));
      ck_assert (gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
      gst_segment_init (&segment, GST_FORMAT_TIME);
      ck_assert (gst_harness_push_event (harness, gst_event_new_segment (&segment)));
    }
    after = gst_harness_push_and_pull (harness, gst_buffer_copy_deep (before));
    if (i >= 3)
      differences[i - 3] = count_differences (before, after);
  }
  ck_assert (differences[0] > 0 && differences[1] == 0);
}

/* A downstream element that blends compositions: its caps say so, and if `answers`, its answer to the ALLOCATION query. */
static void
accept_compositions (GstHarness *harness, gboolean answers)
{
  gst_harness_set_sink_caps_str (harness, "video/x-raw(ANY)");
  if (answers)
    gst_harness_add_propose_allocation_meta (harness, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
}

static gboolean
has_feature (GstHarness *harness)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->sinkpad);

  return gst_caps_features_contains (gst_caps_get_features (caps, 0), META);
}

/* If a downstream element blends, the composition is attached, after existing ones, and no sample changes. */
TEST (test_attach)
{
  for (guint how = 0; how < 2; how++) {
    GstBuffer *before;
    g_autoptr (GstBuffer) after = NULL, copy = NULL;
    GstVideoOverlayCompositionMeta *meta;
    GstMemory *memory;
    g_autoptr (GstHarness) harness
        = gst_harness_new_parse ("cudahisto backend=cpu add-meta=true post-messages=false ! cudahistoscope");

    accept_compositions (harness, how == 0);
    gst_harness_set_src_caps_str (harness, CAPS);
    before = make_frame (CAPS, 0);
    memory = gst_buffer_peek_memory (before, 0);
    copy = gst_buffer_copy_deep (before);
    if (how == 0) {
      g_autoptr (GstBuffer) pixels = gst_buffer_new_allocate (NULL, 64, NULL);
      GstVideoOverlayRectangle *rectangle;
      GstVideoOverlayComposition *composition;

      gst_buffer_memset (pixels, 0, 0xff, 64);
      gst_buffer_add_video_meta (pixels, 0, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 4, 4);
      rectangle = gst_video_overlay_rectangle_new_raw (pixels, 0, 0, 4, 4, 0);
      composition = gst_video_overlay_composition_new (rectangle);
      gst_buffer_add_video_overlay_composition_meta (before, composition);
      gst_video_overlay_composition_unref (composition);
      gst_video_overlay_rectangle_unref (rectangle);
    }
    after = gst_harness_push_and_pull (harness, before);
    meta = gst_buffer_get_video_overlay_composition_meta (after);
    ck_assert (has_feature (harness) == (how == 0));
    if (how == 0) {
      gint x, y;
      guint width, height;

      ck_assert (gst_buffer_peek_memory (after, 0) == memory);
      ck_assert_uint_eq (count_differences (copy, after), 0);
      ck_assert (meta != NULL);
      ck_assert_uint_eq (gst_video_overlay_composition_n_rectangles (meta->overlay), 2);
      gst_video_overlay_rectangle_get_render_rectangle (gst_video_overlay_composition_get_rectangle (meta->overlay, 1), &x, &y,
                                                        &width, &height);
      ck_assert (x == 4 && x + width <= 320 && y + height <= 240 && height >= 80 && height <= 88);
    } else {
      ck_assert (meta == NULL);
      ck_assert_uint_gt (count_differences (copy, after), 1000);
    }
  }
}

/* Blending here equals a downstream element's blending of the composition, bit for bit. */
TEST (test_blend_as_downstream)
{
  static const gchar *const formats[] = { "I420", "NV12", "GRAY8", "RGBx", "I420_10LE", "Y444_16LE" };

  for (guint f = 0; f < 2 * G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *caps_text = g_strdup_printf ("video/x-raw,format=%s,width=320,height=240,framerate=25/1", formats[f / 2]);
    g_autoptr (GstHarness) here = open_harness ("", f % 2 == 0 ? "" : "opacity=0.6", caps_text);
    g_autoptr (GstHarness) downstream = open_harness ("", f % 2 == 0 ? "" : "opacity=0.6", caps_text);
    g_autoptr (GstBuffer) blended = gst_harness_push_and_pull (here, make_frame (caps_text, 0)), attached = NULL;
    g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
    GstVideoOverlayCompositionMeta *meta;
    GstVideoFrame frame;
    GstVideoInfo info;

    accept_compositions (downstream, TRUE);
    gst_harness_set_src_caps_str (downstream, caps_text);
    attached = gst_harness_push_and_pull (downstream, make_frame (caps_text, 0));
    meta = gst_buffer_get_video_overlay_composition_meta (attached);
    ck_assert (meta != NULL && gst_video_info_from_caps (&info, caps));
    ck_assert (gst_video_frame_map (&frame, &info, attached, GST_MAP_READWRITE));
    ck_assert (gst_video_overlay_composition_blend (meta->overlay, &frame));
    gst_video_frame_unmap (&frame);
    ck_assert_msg (count_differences (blended, attached) == 0, "%s, %s: %" G_GSIZE_FORMAT " bytes differ", formats[f / 2],
                   f % 2 == 0 ? "opaque" : "translucent", count_differences (blended, attached));
  }
}

/* A result from another element, for a buffer without one. */
static void
copy_result (GstBuffer *to)
{
  g_autoptr (GstHarness) harness = open_harness ("", "modes=0", CAPS);
  g_autoptr (GstBuffer) measured = gst_harness_push_and_pull (harness, make_frame (CAPS, 0));
  GstCustomMeta *from = gst_buffer_get_custom_meta (measured, "GstCudaHistoMeta");
  GstStructure *structure = gst_custom_meta_get_structure (gst_buffer_add_custom_meta (to, "GstCudaHistoMeta"));
  GstStructure *fields = gst_custom_meta_get_structure (from);

  for (gint i = 0; i < gst_structure_n_fields (fields); i++) {
    const gchar *name = gst_structure_nth_field_name (fields, (guint)i);

    gst_structure_set_value (structure, name, gst_structure_get_value (fields, name));
  }
}

static gint times_mapped;

static gpointer
refuse_to_map (GstMemory *memory, gsize size, GstMapFlags flags)
{
  (void)memory, (void)size, (void)flags;
  g_atomic_int_inc (&times_mapped);
  return NULL;
}

static GstMemory *
refuse_to_copy (GstMemory *memory, gssize offset, gssize size)
{
  (void)memory, (void)offset, (void)size;
  g_atomic_int_inc (&times_mapped);
  return NULL;
}

static void
free_memory (GstAllocator *allocator G_GNUC_UNUSED, GstMemory *memory)
{
  g_free (memory);
}

typedef struct {
  GstAllocator parent;
} FarAllocator;
typedef struct {
  GstAllocatorClass parent_class;
} FarAllocatorClass;

GType far_allocator_get_type (void);
G_DEFINE_TYPE (FarAllocator, far_allocator, GST_TYPE_ALLOCATOR)

static void
far_allocator_class_init (FarAllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->free = free_memory;
}

static void
far_allocator_init (FarAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = "FarMemory";
  allocator->mem_map = refuse_to_map;
  allocator->mem_copy = refuse_to_copy;
  GST_OBJECT_FLAG_SET (allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* Frames in memory that the processor cannot map: the composition is attached, whatever is downstream. The memory stays the
 * same, and is never mapped. */
TEST (test_far_memory)
{
  for (guint how = 0; how < 2; how++) {
    g_autoptr (GstHarness) harness = gst_harness_new ("cudahistoscope");
    g_autoptr (GstBus) bus = take_bus (harness);
    g_autoptr (GstAllocator) allocator = g_object_new (far_allocator_get_type (), NULL);
    GstBuffer *buffer = gst_buffer_new (), *after;

    gst_object_ref_sink (allocator);
    times_mapped = 0;
    if (how == 0)
      accept_compositions (harness, TRUE);
    gst_harness_set_src_caps_str (harness, "video/x-raw(memory:CUDAMemory),format=I420,width=320,height=240,framerate=25/1");
    for (guint i = 0; i < 3; i++) {
      GstMemory *memory = g_malloc0 (sizeof (GstMemory));

      gst_memory_init (memory, 0, allocator, NULL, 320 * 240 * 3 / 2, 0, 0, 320 * 240 * 3 / 2);
      gst_buffer_append_memory (buffer, memory);
      copy_result (buffer);
      gst_buffer_ref (buffer); /* another reference to it */
      after = gst_harness_push_and_pull (harness, buffer);
      ck_assert (gst_buffer_peek_memory (after, 0) == memory);
      ck_assert (gst_buffer_get_video_overlay_composition_meta (after) != NULL);
      ck_assert (has_feature (harness) == (how == 0));
      ck_assert (gst_buffer_get_video_overlay_composition_meta (buffer) == NULL);
      gst_buffer_unref (after);
      gst_buffer_unref (buffer);
      buffer = gst_buffer_new ();
    }
    gst_buffer_unref (buffer);
    ck_assert_int_eq (times_mapped, 0);
    ck_assert_uint_eq (count_warnings (bus, "cudadownload"), how);
  }
}

/* New caps in mid-stream: the scope follows them. */
TEST (test_caps_change)
{
  static const gchar *const caps[] = {
    CAPS, "video/x-raw,format=NV12,width=640,height=480,framerate=25/1",
    "video/x-raw,format=RGB,width=97,height=55,framerate=25/1",
    "video/x-raw,format=I420_10LE,width=720,height=576,framerate=25/1,pixel-aspect-ratio=64/45,interlace-mode=interleaved"
  };
  g_autoptr (GstHarness) harness = open_harness ("", "placement=top-right", caps[0]);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (caps); i++) {
    const gchar *text = caps[i % G_N_ELEMENTS (caps)];
    g_autoptr (GstBuffer) before = NULL, after = NULL;
    g_autoptr (GstCaps) expected = gst_caps_from_string (text), current = NULL;

    gst_harness_set_src_caps_str (harness, text);
    before = make_frame (text, i);
    after = gst_harness_push_and_pull (harness, gst_buffer_copy_deep (before));
    current = gst_pad_get_current_caps (harness->sinkpad);
    ck_assert (gst_caps_can_intersect (current, expected));
    ck_assert_uint_gt (count_differences (before, after), 300);
  }
}

/* In the visible part of a cropped frame. */
TEST (test_crop)
{
  const GstVideoRectangle where = { 100, 40, 160, 160 };
  g_autoptr (GstHarness) harness = open_harness ("", "placement=center size=1", CAPS);
  g_autoptr (GstBuffer) before = make_frame (CAPS, 0), after = NULL;
  GstBuffer *buffer = gst_buffer_copy_deep (before);
  gsize inside, outside;

  crop_buffer (buffer, 100, 40, 160, 160);
  after = gst_harness_push_and_pull (harness, buffer);
  compare_frames (CAPS, before, after, &where, &inside, &outside);
  ck_assert_uint_eq (outside, 0);
  ck_assert_uint_gt (inside, 5000);
}

/* A separate picture: of the requested size, with the frames' times, sharing its memory until the next result. */
TEST (test_picture)
{
  g_autoptr (GstHarness) harness = open_harness ("interval=120000000", "output=picture modes=histogram+vectorscope", CAPS);
  GstMemory *last = NULL;
  guint changes = 0;

  gst_harness_set_sink_caps_str (harness, "video/x-raw,format=BGRx,width=400,height=300");
  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 9; i++) {
    g_autoptr (GstBuffer) after = gst_harness_push_and_pull (harness, make_frame (CAPS, i));
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->sinkpad);
    GstVideoInfo info;
    GstMapInfo map;

    ck_assert (gst_video_info_from_caps (&info, caps));
    ck_assert (GST_VIDEO_INFO_WIDTH (&info) == 400 && GST_VIDEO_INFO_HEIGHT (&info) == 300
               && GST_VIDEO_INFO_FPS_N (&info) == 25);
    ck_assert_uint_eq (GST_BUFFER_PTS (after), i * GST_SECOND / 25);
    ck_assert (gst_buffer_map (after, &map, GST_MAP_READ));
    ck_assert_uint_eq (map.size, 400 * 300 * 4);
    for (gsize pixel = 0; pixel < 400 * 300; pixel++)
      ck_assert (map.data[pixel * 4 + 3] == 0xff);
    gst_buffer_unmap (after, &map);
    changes += gst_buffer_peek_memory (after, 0) != last;
    last = gst_buffer_peek_memory (after, 0);
  }
  ck_assert_msg (changes >= 3 && changes <= 4, "%u pictures", changes);
}

/* A picture matches its caps, in each format, and after a format change while playing. */
TEST (test_picture_formats)
{
  static const gchar *const formats[] = { "BGRA", "BGRx", "BGRA" };
  g_autoptr (GstHarness) harness = open_harness ("", "output=picture background-color=4279383126", CAPS); /* 0xff123456 */

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *wanted = g_strdup_printf ("video/x-raw,format=%s,width=64,height=48", formats[f]);
    GstVideoFrame frame;
    GstVideoInfo info;

    gst_harness_set_sink_caps_str (harness, wanted);
    gst_harness_push_upstream_event (harness, gst_event_new_reconfigure ());
    g_autoptr (GstBuffer) after = gst_harness_push_and_pull (harness, make_frame (CAPS, f));
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->sinkpad);
    ck_assert (gst_video_info_from_caps (&info, caps));
    ck_assert_str_eq (gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&info)), formats[f]);
    ck_assert (gst_video_frame_map (&frame, &info, after, GST_MAP_READ));
    ck_assert_int_eq (GST_VIDEO_FRAME_FORMAT (&frame), GST_VIDEO_INFO_FORMAT (&info));
    for (gint y = 0; y < 48; y++)
      ck_assert_uint_eq (
          GST_READ_UINT32_LE ((guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0)),
          0xff123456);
    gst_video_frame_unmap (&frame);
  }
}

/* The element warns once for each mode whose data results lack, and once if there are no results. */
TEST (test_warnings)
{
  GstHarness *harness = open_harness ("", "modes=histogram+waveform+vectorscope", CAPS);
  GstElement *scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (scope, bus);
  gst_object_unref (scope);
  for (guint i = 0; i < 4; i++)
    gst_buffer_unref (gst_harness_push_and_pull (harness, make_frame (CAPS, i)));
  ck_assert_uint_eq (count_warnings (bus, "statistics=histogram+"), 2);
  gst_harness_teardown (harness);
  gst_object_unref (bus);

  for (guint how = 0; how < 2; how++) { /* at EOS, and after five seconds */
    harness = gst_harness_new ("cudahistoscope");
    bus = take_bus (harness);
    gst_harness_set_src_caps_str (harness, CAPS);
    for (guint i = 0; i < 3; i++)
      gst_buffer_unref (gst_harness_push_and_pull (harness, make_frame (CAPS, i * (how == 0 ? 1 : 100))));
    ck_assert_uint_eq (count_warnings (bus, "add-meta=true"), how);
    gst_harness_push_event (harness, gst_event_new_eos ());
    ck_assert_uint_eq (count_warnings (bus, "add-meta=true"), 1 - how);
    gst_harness_teardown (harness);
    gst_object_unref (bus);
  }
}

/* Luma of R, G and B has a histogram without the statistic histogram, which R, G and B need in a parade. */
TEST (test_luma_of_rgb)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstHarness) harness
        = open_harness ("statistics=luma", i == 0 ? "modes=histogram" : "modes=histogram-parade", RGB_CAPS);
    GstElement *scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
    g_autoptr (GstBus) bus = gst_bus_new ();

    gst_element_set_bus (scope, bus);
    gst_object_unref (scope);
    gst_buffer_unref (gst_harness_push_and_pull (harness, make_frame (RGB_CAPS, 0)));
    ck_assert_uint_eq (count_warnings (bus, "statistics=histogram"), i);
  }
}

/* Two upstream elements, one with a result for each frame and one with a result each 400 ms. The scope draws the nearest, from
 * its first result on, or the named one. It draws again only for a new result of that element. */
TEST (test_two_in_front)
{
  static const struct {
    const gchar *in_front, *element;
    const gchar *drawn; /* each frame that is drawn anew; in the second half the properties are `then` */
    const gchar *then;
    guint warnings; /* that `two` has no waveform */
  } cases[] = {
    { "cudahisto name=one %s statistics=histogram+waveform ! cudahisto name=two %s interval=400000000", NULL,
      "xxxxxxxxxx.........x....", NULL, 1 },
    { "cudahisto name=two %s interval=400000000 ! cudahisto name=one %s statistics=histogram+waveform", NULL,
      "xxxxxxxxxxxxxxxxxxxxxxxx", NULL, 0 },
    { "cudahisto name=one %s statistics=histogram+waveform ! cudahisto name=two %s interval=400000000", "one",
      "xxxxxxxxxxxxxxxxxxxxxxxx", "one", 0 },
    { "cudahisto name=one %s statistics=histogram+waveform ! cudahisto name=two %s interval=400000000", "two",
      "x........x..xxxxxxxxxxxx", "one", 1 },
    { "cudahisto name=one %s statistics=histogram+waveform ! cudahisto name=two %s interval=400000000", "one",
      "xxxxxxxxxxxxx......x....", "two", 1 },
    { "cudahisto name=one %s statistics=histogram+waveform ! cudahisto name=two %s interval=400000000", "one",
      "xxxxxxxxxxxxxxxxxxxx....", NULL, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gchar *common = "backend=cpu add-meta=true post-messages=false";
    g_auto (GStrv) parts = g_strsplit (cases[i].in_front, "%s", 3);
    g_autofree gchar *line = g_strconcat (parts[0], common, parts[1], common, parts[2],
                                          " ! cudahistoscope name=scope output=picture modes=waveform", NULL);
    g_autoptr (GstHarness) harness = gst_harness_new_parse (line);
    g_autoptr (GstElement) scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
    g_autoptr (GstBus) bus = gst_bus_new ();
    g_autoptr (GstBuffer) last = NULL;
    gchar drawn[25] = "";

    gst_element_set_bus (scope, bus);
    gst_harness_set_src_caps_str (harness, CAPS);
    for (guint frame = 0; frame < 24; frame++) {
      GstBuffer *after;

      g_object_set (scope, "element", frame < 12 ? cases[i].element : cases[i].then, NULL);
      after = gst_harness_push_and_pull (harness, make_frame (CAPS, frame));
      drawn[frame] = last == NULL || gst_buffer_peek_memory (after, 0) != gst_buffer_peek_memory (last, 0) ? 'x' : '.';
      gst_clear_buffer (&last);
      last = after;
    }
    ck_assert_msg (strcmp (drawn, cases[i].drawn) == 0, "case %u: %s, and not %s", i, drawn, cases[i].drawn);
    ck_assert_uint_eq (count_warnings (bus, "No waveform in the result"), cases[i].warnings);
  }
}

/* A name that no upstream element has: the scope of another element is removed, and a warning gives the name. */
TEST (test_unknown_name)
{
  g_autoptr (GstHarness) harness = open_harness ("", "", CAPS);
  g_autoptr (GstElement) scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autofree gchar *name = NULL;

  gst_element_set_bus (scope, bus);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) before = make_frame (CAPS, i), after = NULL;

    if (i == 1)
      g_object_set (scope, "element", "other", NULL);
    after = gst_harness_push_and_pull (harness, gst_buffer_copy_deep (before));
    ck_assert_int_eq (count_differences (before, after) > 0, i == 0);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  ck_assert_uint_eq (count_warnings (bus, "put cudahisto name=other add-meta=true in front"), 1);
  g_object_get (scope, "element", &name, NULL);
  ck_assert_str_eq (name, "other");
}

/* Metas and flags stay the same, even if the buffer is replaced. */
TEST (test_metas_and_flags)
{
  g_autoptr (GstHarness) harness = open_harness ("", "", CAPS);
  g_autoptr (GstBuffer) buffer = make_frame (CAPS, 0), after = NULL;
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("timestamp/x-test");

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_MARKER);
  GST_BUFFER_OFFSET (buffer) = 17;
  gst_buffer_add_reference_timestamp_meta (buffer, caps, 12345, GST_CLOCK_TIME_NONE);
  gst_buffer_ref (buffer);
  after = gst_harness_push_and_pull (harness, buffer);
  ck_assert (after != buffer);
  ck_assert (GST_BUFFER_FLAG_IS_SET (after, GST_BUFFER_FLAG_DISCONT) && GST_BUFFER_FLAG_IS_SET (after, GST_BUFFER_FLAG_MARKER));
  ck_assert_uint_eq (GST_BUFFER_OFFSET (after), 17);
  ck_assert_uint_eq (gst_buffer_get_reference_timestamp_meta (after, caps)->timestamp, 12345);
  ck_assert (gst_buffer_get_custom_meta (after, "GstCudaHistoMeta") != NULL);
}

static gpointer
change_properties (gpointer element)
{
  for (guint i = 0; i < 300; i++) {
    gdouble size;

    g_object_set (element, "modes", i % 32, "placement", i % 10, "size", 0.05 + (i % 19) / 20.0, "opacity", (i % 5) / 4.0,
                  "scale", i % 2, "color", 0xff000000 | i * 7919, "numbers", i % 3 == 0, "gain", 0.1 + i % 7, NULL);
    g_object_get (element, "size", &size, NULL);
    g_usleep (500);
  }
  return NULL;
}

/* Properties may change at any time. */
TEST (test_properties)
{
  g_autoptr (GstHarness) harness = open_harness ("statistics=basic+waveform+vectorscope", "", CAPS);
  g_autoptr (GstElement) scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
  GThread *thread = g_thread_new ("properties", change_properties, scope);

  for (guint i = 0; i < 60; i++)
    gst_buffer_unref (gst_harness_push_and_pull (harness, make_frame (CAPS, i)));
  g_thread_join (thread);
}

/* A property change takes effect at once, even without a new result. */
TEST (test_change_without_result)
{
  g_autoptr (GstHarness) harness = open_harness ("interval=80000000", "", CAPS);
  g_autoptr (GstElement) scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
  gsize differences[6];

  for (guint i = 0; i < G_N_ELEMENTS (differences); i++) {
    g_autoptr (GstBuffer) before = make_frame (CAPS, i), after = NULL;

    if (i == 4)
      g_object_set (scope, "modes", 0, NULL);
    after = gst_harness_push_and_pull (harness, gst_buffer_copy_deep (before));
    differences[i] = count_differences (before, after);
  }
  ck_assert (differences[3] > 0 && differences[4] == 0 && differences[5] == 0);
}

/* Pictures larger than cairo draws: the scope has the maximum size, and nothing else changes. */
TEST (test_large)
{
  const gchar *caps = "video/x-raw,format=GRAY8,width=34000,height=4600,framerate=25/1";
  g_autoptr (GstHarness) harness = open_harness ("statistics=basic+waveform", "size=1 modes=31 placement=position", caps);
  g_autoptr (GstBuffer) before = make_frame (caps, 0),
                        after = gst_harness_push_and_pull (harness, gst_buffer_copy_deep (before));

  ck_assert_uint_gt (count_differences (before, after), 1000000);
}

/* Limits the process's address space. setrlimit (RLIMIT_AS, before) restores it. */
static void
limit_memory (gsize bytes, struct rlimit *before)
{
  g_autofree gchar *text = NULL;
  struct rlimit limit;

  ck_assert (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  ck_assert_int_eq (getrlimit (RLIMIT_AS, before), 0);
  limit = *before;
  limit.rlim_cur = g_ascii_strtoull (text, NULL, 10) * (guint64)sysconf (_SC_PAGESIZE) + bytes;
  ck_assert_int_eq (setrlimit (RLIMIT_AS, &limit), 0);
}

/* Memory suffices for the pixels, but not for drawing: frames pass unchanged, with one warning, until the scope is smaller. */
TEST (test_no_memory)
{
  const gchar *caps = "video/x-raw,format=GRAY8,width=4096,height=4096,framerate=25/1";
  GstBuffer *frames[4], *after[4], *before;
  struct rlimit limit;
  g_autoptr (GstElement) scope = NULL;
  g_autoptr (GstHarness) harness = NULL;

  if (TEST_IS_SANITIZED) /* a sanitizer ends the program if malloc fails */
    return;
  harness = open_harness ("", "modes=0 size=1 placement=position", caps);
  scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
  g_autoptr (GstBus) bus = gst_bus_new ();
  gst_element_set_bus (scope, bus);
  for (guint i = 0; i < 4; i++) {
    frames[i] = gst_buffer_new_allocate (NULL, 4096 * 4096, NULL);
    gst_buffer_memset (frames[i], 0, 0x80, (gsize)-1);
    GST_BUFFER_PTS (frames[i]) = i * GST_SECOND / 25;
  }
  before = gst_buffer_copy_deep (frames[0]);
  after[0] = gst_harness_push_and_pull (harness, frames[0]);
  g_object_set (scope, "modes", 1, NULL); /* 4096 x 2560 pixels, twice */
  limit_memory ((gsize)4096 * 2560 * 4 * 3 / 2, &limit);
  after[1] = gst_harness_push_and_pull (harness, frames[1]);
  after[2] = gst_harness_push_and_pull (harness, frames[2]);
  g_object_set (scope, "size", 0.1, NULL);
  after[3] = gst_harness_push_and_pull (harness, frames[3]);
  setrlimit (RLIMIT_AS, &limit);
  for (guint i = 0; i < 4; i++) {
    ck_assert_msg ((count_differences (before, after[i]) > 0) == (i == 3), "frame %u", i);
    gst_buffer_unref (after[i]);
  }
  gst_buffer_unref (before);
  ck_assert_uint_eq (count_warnings (bus, "of 4096 x 2560 pixels: memory is exhausted; make it smaller (size, modes)"), 1);
}

/* The same for a separate picture: it shows the background, and the remedy differs. Without memory for the picture itself it is
 * an error. */
TEST (test_picture_without_memory)
{
  for (guint how = 0; how < 2; how++) {
    const gsize size = (gsize)4096 * 4096 * 4;
    GstBuffer *frame, *after;
    struct rlimit limit;
    g_autoptr (GstHarness) harness = NULL;
    GstMessage *message;

    if (TEST_IS_SANITIZED)
      return;
    harness = gst_harness_new_parse ("cudahistoscope output=picture background-color=4279383126"); /* 0xff123456 */
    g_autoptr (GstBus) bus = take_bus (harness);
    gst_harness_set_sink_caps_str (harness, "video/x-raw,width=4096,height=4096");
    gst_harness_set_src_caps_str (harness, CAPS);
    frame = make_frame (CAPS, 0);
    limit_memory (how == 0 ? size * 3 / 2 : size / 2, &limit);
    if (how == 0) {
      gsize others = 0;
      GstMapInfo map;

      after = gst_harness_push_and_pull (harness, frame);
      setrlimit (RLIMIT_AS, &limit);
      ck_assert (gst_buffer_map (after, &map, GST_MAP_READ));
      ck_assert_uint_eq (map.size, size);
      for (gsize at = 0; at < size; at += 4)
        others += GST_READ_UINT32_LE (map.data + at) != 0xff123456;
      ck_assert_uint_eq (others, 0);
      gst_buffer_unmap (after, &map);
      gst_buffer_unref (after);
      ck_assert_uint_eq (
          count_warnings (bus, "of 4096 x 4096 pixels: memory is exhausted; request a smaller picture after cudahistoscope"),
          1);
    } else {
      GstFlowReturn flow = gst_harness_push (harness, frame);
      g_autoptr (GError) error = NULL;

      setrlimit (RLIMIT_AS, &limit);
      ck_assert_int_eq (flow, GST_FLOW_ERROR);
      message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
      gst_message_parse_error (message, &error, NULL);
      ck_assert_msg (strstr (error->message, "a picture of 4096 x 4096 pixels for the scope: memory is exhausted; request")
                         != NULL,
                     "%s", error->message);
      gst_message_unref (message);
    }
  }
}

/* The element does not read the frames for which it draws a picture: upstream learns that they may have any stride, and be
 * cropped by a meta. */
TEST (test_picture_allocation)
{
  g_autoptr (GstHarness) harness = open_harness ("", "output=picture", CAPS);
  g_autoptr (GstElement) scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (scope, "sink");
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

  ck_assert (gst_pad_query (pad, query));
  ck_assert (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  ck_assert (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL));
}

/* Flags about a frame's lines and views do not apply to the picture. Others stay. */
TEST (test_picture_flags)
{
  const guint of_the_frame = GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_RFF
                             | GST_VIDEO_BUFFER_FLAG_ONEFIELD | GST_VIDEO_BUFFER_FLAG_MULTIPLE_VIEW
                             | GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE;
  const guint of_the_stream = GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_MARKER;
  g_autoptr (GstHarness) harness = open_harness ("", "output=picture", CAPS);

  for (guint i = 0; i < 2; i++) {
    GstBuffer *frame = make_frame (CAPS, i), *after;

    GST_BUFFER_FLAG_SET (frame, of_the_frame | of_the_stream);
    after = gst_harness_push_and_pull (harness, frame);
    ck_assert_uint_eq (GST_BUFFER_FLAGS (after) & of_the_frame, 0);
    ck_assert_uint_eq (GST_BUFFER_FLAGS (after) & of_the_stream, of_the_stream);
    gst_buffer_unref (after);
  }
}

/* Caps that cannot be set while the pad flushes are no error. */
TEST (test_picture_while_flushing)
{
  g_autoptr (GstElement) scope = gst_parse_launch ("cudahistoscope output=picture", NULL);
  g_autoptr (GstHarness) harness = gst_harness_new_with_element (scope, "sink", "src");
  g_autoptr (GstBus) bus = take_bus (harness);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (scope, "src");

  gst_harness_set_src_caps_str (harness, CAPS);
  gst_buffer_unref (gst_harness_push_and_pull (harness, make_frame (CAPS, 0)));
  gst_pad_set_active (pad, FALSE);
  gst_pad_mark_reconfigure (pad);
  ck_assert_int_eq (gst_harness_push (harness, make_frame (CAPS, 1)), GST_FLOW_FLUSHING);
  ck_assert_uint_eq (count_warnings (bus, NULL), 0);
}

/* A stop forgets the frame rate: the next downstream element may request any. */
TEST (test_picture_rate_after_stop)
{
  g_autoptr (GstHarness) harness = gst_harness_new_parse ("cudahistoscope output=picture");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (harness->element, "src");
  g_autoptr (GstCaps) other = gst_caps_from_string ("video/x-raw,framerate=10/1");

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint is_stopped = 0; is_stopped < 2; is_stopped++) {
    if (is_stopped == 1)
      gst_element_set_state (harness->element, GST_STATE_READY);
    g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, other);
    ck_assert_int_eq (gst_caps_is_empty (caps), is_stopped == 0);
  }
}

/* The outcome of `line`: an error (including a failure to link), a warning, or the end; and its message. */
static gchar *
run_words (const gchar *line, GstMessageType *type)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  GstMessage *message;
  gchar *words = NULL;

  *type = GST_MESSAGE_ERROR;
  if (pipeline == NULL)
    return g_strdup (error->message);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
  ck_assert_msg (message != NULL, "no end: %s", line);
  *type = GST_MESSAGE_TYPE (message);
  if (*type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (*type == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  if (error != NULL)
    words = g_strdup (error->message);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return words;
}

#define MEASURED "cudahisto backend=cpu add-meta=true post-messages=false"

/* A picture has sides that cairo can draw, the frame rate, and progressive lines. If downstream requests anything else, there
 * is an error; a source with a choice chooses the requested rate. */
TEST (test_picture_caps)
{
  static const struct {
    const gchar *in, *out;
    gboolean is_taken;
  } cases[] = {
    { "width=64,height=48,framerate=30/1", "width=40000,height=64", FALSE },
    { "width=64,height=48,framerate=30/1", "width=64,height=32768", FALSE },
    { "width=64,height=48,framerate=30/1", "width=32767,height=64", TRUE },
    { "width=64,height=48,framerate=30/1", "framerate=10/1", FALSE },
    { "width=64,height=48,framerate=30/1", "framerate=30/1", TRUE },
    { "width=64,height=48,framerate=30/1", "framerate=[25/1,50/1]", TRUE },
    { "width=64,height=48", "framerate=10/1", TRUE },
    { "width=64,height=48,framerate=0/1", "framerate=25/1", FALSE },
    { "width=64,height=48,framerate=0/1", "framerate=0/1", TRUE },
    { "width=64,height=48,framerate=30/1", "interlace-mode=interleaved", FALSE },
    { "width=64,height=48,framerate=30/1", "interlace-mode=progressive", TRUE },
    { "width=64,height=48,framerate=25/1,interlace-mode=interleaved", "interlace-mode=progressive,framerate=25/1", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *line = g_strdup_printf ("videotestsrc num-buffers=2 ! video/x-raw,%s ! " MEASURED
                                              " ! cudahistoscope output=picture ! video/x-raw,%s ! fakesink sync=false",
                                              cases[i].in, cases[i].out);
    GstMessageType type;
    g_autofree gchar *words = run_words (line, &type);

    ck_assert_msg ((type == GST_MESSAGE_EOS) == cases[i].is_taken, "%s: %s", line, words != NULL ? words : "no error");
    ck_assert_msg (cases[i].is_taken || strstr (words, "for each frame (30/1 a second)") != NULL
                       || strstr (words, "for each frame (0/1 a second: the rate varies)") != NULL
                       || strstr (words, "can't handle caps") != NULL,
                   "%s: %s", line, words);
  }
}

/* Downstream elements that read the picture play it. A critical warning of any library ends the test. */
TEST (test_picture_is_played)
{
  /* jpegenc accepts BGRx, not BGRA. */
  static const gchar *const downstream[] = {
    "video/x-raw,format=BGRA ! videoconvert ! video/x-raw,format=I420",
    "video/x-raw,format=BGRA ! videoscale ! video/x-raw,width=30",
    "video/x-raw,format=BGRx ! videoconvert ! video/x-raw,format=I420",
    "video/x-raw,format=BGRx ! videoscale ! video/x-raw,width=30",
    "jpegenc",
  };

  for (guint i = 0; i < G_N_ELEMENTS (downstream); i++) {
    g_autofree gchar *line = g_strdup_printf ("videotestsrc num-buffers=3 ! video/x-raw,width=64,height=48 ! " MEASURED
                                              " ! cudahistoscope output=picture ! %s ! fakesink sync=false",
                                              downstream[i]);
    GstMessageType type;
    g_autofree gchar *words = run_words (line, &type);

    ck_assert_msg (type == GST_MESSAGE_EOS, "%s: %s", line, words);
  }
}

/* One field in each buffer: twice as many pictures as the frame rate. */
TEST (test_picture_of_fields)
{
  g_autoptr (GstHarness) harness = gst_harness_new_parse ("cudahistoscope output=picture");
  gint n = 0, d = 1;

  gst_harness_set_sink_caps_str (harness, "video/x-raw,framerate=[20/1,60/1]");
  gst_harness_set_src_caps_str (harness, "video/x-raw(format:Interlaced),format=I420,width=64,height=48,framerate=25/1,"
                                         "interlace-mode=alternate");
  gst_buffer_unref (gst_harness_push_and_pull (harness, gst_buffer_new_allocate (NULL, 64 * 24 * 3 / 2, NULL)));
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->sinkpad);
  ck_assert (gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate", &n, &d));
  ck_assert (n == 50 && d == 1);
}

/* The output stays as it was at the start, with one warning for each change. */
TEST (test_output_while_playing)
{
  for (gint output = 0; output < 2; output++) {
    g_autoptr (GstHarness) harness = open_harness ("", output == 0 ? "output=overlay" : "output=picture", CAPS);
    g_autoptr (GstElement) scope = gst_bin_get_by_name (GST_BIN (harness->element), "scope");
    g_autoptr (GstBus) bus = gst_bus_new ();

    gst_element_set_bus (scope, bus);
    for (guint i = 0; i < 6; i++) {
      GstVideoInfo info;

      if (i == 2)
        g_object_set (scope, "output", 1 - output, "output", 1 - output, NULL);
      if (i == 4)
        gst_harness_push_upstream_event (harness, gst_event_new_reconfigure ());
      g_autoptr (GstBuffer) after = gst_harness_push_and_pull (harness, make_frame (CAPS, i));
      g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->sinkpad);
      ck_assert (gst_video_info_from_caps (&info, caps));
      ck_assert_int_eq (GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_I420, output == 0);
      ck_assert_uint_eq (gst_buffer_get_size (after), GST_VIDEO_INFO_SIZE (&info));
    }
    ck_assert_uint_eq (count_warnings (bus, "output cannot change"), 1);
  }
}

/* Segments of bytes have no times. GStreamer's assertions fail the test. */
TEST (test_segment_of_bytes)
{
  g_autoptr (GstHarness) harness = gst_harness_new ("cudahistoscope");
  GstSegment segment;

  gst_harness_set_src_caps_str (harness, CAPS);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  ck_assert (gst_harness_push_event (harness, gst_event_new_segment (&segment)));
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = make_frame (CAPS, i);

    if (i >= 2)
      copy_result (buffer);
    gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
  }
}

int
main (int argc, char **argv)
{
  /* Also those of GStreamer's video library, for which Check has no handler. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  return run_test_program (argc, argv, test_suite, NULL);
}
