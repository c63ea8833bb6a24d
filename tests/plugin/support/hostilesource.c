/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hostilesource.h"

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

#include "random.h"

#define FRAME_DURATION (GST_SECOND / 50)
#define MAX_WIDTH 48
#define MAX_HEIGHT 24

typedef struct {
  GstPushSrc parent;

  guint64 seed;
  guint kind, frames, calm;
  gboolean is_interlaced;

  struct test_random random;
  GstCaps *caps; /* NULL: none */
  GstVideoInfo info;
  guint made;
  GstClockTime time;
  guint64 offset;
} HostileSource;

typedef GstPushSrcClass HostileSourceClass;

static GType hostile_source_get_type (void);
G_DEFINE_TYPE (HostileSource, hostile_source, GST_TYPE_PUSH_SRC)

enum { PROP_0, PROP_SEED, PROP_KIND, PROP_FRAMES, PROP_CALM, PROP_INTERLACED };

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static guint
draw (HostileSource *self, guint limit)
{
  return (guint)test_random_below (&self->random, limit);
}

/* Whether to do one of `kinds` odd things now. */
static gboolean
is_odd (HostileSource *self, guint kinds)
{
  return test_random_once_in (&self->random, (guint64)self->calm * kinds);
}

static gboolean
is_timed (const HostileSource *self)
{
  return self->kind != HOSTILE_BYTES;
}

/* ---- caps -------------------------------------------------------------------------------------------------------- */

static void
draw_caps (HostileSource *self)
{
  static const gchar *const plain[]
      = { "I420", "NV12", "YV12", "YUY2", "UYVY", "Y42B", "Y444", "RGB", "BGRx", "ARGB", "NV21", "RGBA" };
  static const gchar *const deep[]
      = { "P010_10LE", "I420_10LE", "I422_12LE", "Y444_16LE", "GBR_10LE", "GBR_12LE", "P016_LE", "GRAY8", "Y444_10LE", "VUYA" };
  static const gchar *const modes[] = { "progressive", "interleaved", "mixed", "mixed" };
  const gchar *format;

  g_clear_pointer (&self->caps, gst_caps_unref);
  if (self->kind == HOSTILE_BYTES || self->kind == HOSTILE_TIMED) {
    if (draw (self, 3) > 0)
      self->caps = gst_caps_new_simple ("application/x-hostile", "number", G_TYPE_INT, (gint)draw (self, 100), NULL);
    return;
  }
  format = self->kind == HOSTILE_PLAIN ? plain[draw (self, G_N_ELEMENTS (plain))] : deep[draw (self, G_N_ELEMENTS (deep))];
  self->caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format, "width", G_TYPE_INT,
                                    (gint)(2 + draw (self, MAX_WIDTH - 1)), "height", G_TYPE_INT,
                                    (gint)(2 + draw (self, MAX_HEIGHT - 1)), "framerate", GST_TYPE_FRACTION,
                                    draw (self, 3) > 0 ? 50 : 0, 1, NULL);
  if (self->is_interlaced)
    gst_caps_set_simple (self->caps, "interlace-mode", G_TYPE_STRING, modes[draw (self, G_N_ELEMENTS (modes))], NULL);
  if (!gst_video_info_from_caps (&self->info, self->caps))
    g_error ("no video: %s", format);
}

static gboolean
hostile_source_negotiate (GstBaseSrc *base)
{
  HostileSource *self = (HostileSource *)base;

  return self->caps == NULL || gst_base_src_set_caps (base, self->caps);
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static gsize
draw_size (HostileSource *self)
{
  gsize size;

  if (self->kind == HOSTILE_BYTES || self->kind == HOSTILE_TIMED) {
    size = draw (self, 20) == 0 ? draw (self, 70000) : draw (self, 6000);
    return is_odd (self, 4) ? 0 : size;
  }
  size = GST_VIDEO_INFO_SIZE (&self->info);
  if (is_odd (self, 4))
    return draw (self, 3) == 0 ? 0 : draw (self, (guint)size);
  if (is_odd (self, 4))
    return size + draw (self, 200);
  return size;
}

/* Random samples from a few values or from all of them. */
static GstMemory *
make_memory (HostileSource *self, gsize size)
{
  GstAllocationParams params = { .align = 15, .prefix = draw (self, 2) * 16 };
  GstMemory *memory = gst_allocator_alloc (NULL, size, &params);
  guint8 mask = draw (self, 4) == 0 ? 0x03 : 0xff;
  GstMapInfo map;

  gst_memory_map (memory, &map, GST_MAP_WRITE);
  test_random_bytes (&self->random, map.data, map.size);
  for (gsize i = 0; mask != 0xff && i < map.size; i++)
    map.data[i] &= mask;
  gst_memory_unmap (memory, &map);
  return memory;
}

static GstBuffer *
make_content (HostileSource *self)
{
  gsize size = draw_size (self);
  GstBuffer *buffer = gst_buffer_new ();

  if (size == 0 && draw (self, 2) == 0)
    return buffer;
  while (size > 1 && is_odd (self, 4) && gst_buffer_n_memory (buffer) < 20) {
    gsize part = 1 + draw (self, (guint)size - 1);

    gst_buffer_append_memory (buffer, make_memory (self, part));
    size -= part;
  }
  gst_buffer_append_memory (buffer, make_memory (self, size));
  return buffer;
}

static void
stamp (HostileSource *self, GstBuffer *buffer)
{
  gdouble rate = GST_BASE_SRC (self)->segment.rate;

  if (!is_timed (self)) {
    if (self->seed % 2 == 0)
      GST_BUFFER_OFFSET (buffer) = self->offset;
    self->offset += gst_buffer_get_size (buffer);
  } else if (!is_odd (self, 6)) {
    GST_BUFFER_PTS (buffer) = self->time;
    if (is_odd (self, 6) && self->time >= 3 * FRAME_DURATION) /* time goes back */
      GST_BUFFER_PTS (buffer) -= (1 + draw (self, 3)) * FRAME_DURATION;
    if (!is_odd (self, 6))
      GST_BUFFER_DURATION (buffer) = FRAME_DURATION;
  }
  if (rate < 0)
    self->time -= MIN (self->time, FRAME_DURATION);
  else
    self->time += FRAME_DURATION;
  if (is_odd (self, 6) || rate < 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (is_odd (self, 6))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  if (is_odd (self, 6))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT | GST_BUFFER_FLAG_DROPPABLE);
}

/* Frames of one, two or three fields, in either order, and whole frames. */
static void
mark_fields (HostileSource *self, GstBuffer *buffer)
{
  static const guint kinds[] = { 0, 0, 0, GST_VIDEO_BUFFER_FLAG_RFF, GST_VIDEO_BUFFER_FLAG_ONEFIELD };

  if (draw (self, 3) > 0)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | kinds[draw (self, G_N_ELEMENTS (kinds))]);
  if (draw (self, 2) == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF);
}

/* ---- what comes between them ------------------------------------------------------------------------------------- */

static void
push (HostileSource *self, GstEvent *event)
{
  gst_pad_push_event (GST_BASE_SRC_PAD (self), event);
}

/* A segment that keeps the meaning of timestamps, or changes it. */
static void
begin_segment (HostileSource *self)
{
  GstSegment segment = GST_BASE_SRC (self)->segment;

  if (segment.format == GST_FORMAT_TIME && draw (self, 2) == 0)
    segment.base += draw (self, 3) * GST_SECOND;
  if (segment.format == GST_FORMAT_TIME && draw (self, 4) == 0)
    segment.time += GST_MSECOND;
  gst_base_src_new_segment (GST_BASE_SRC (self), &segment);
}

static void
push_oddity (HostileSource *self)
{
  gchar *stream;

  switch (draw (self, 6)) {
  case 0:
    push (self, gst_event_new_gap (self->time, FRAME_DURATION));
    break;
  case 1:
    push (self, gst_event_new_custom (draw (self, 2) == 0 ? GST_EVENT_CUSTOM_DOWNSTREAM : GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
                                      gst_structure_new_empty ("hostile")));
    break;
  case 2:
    push (self, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "hostile", NULL)));
    break;
  case 3:
    stream = g_strdup_printf ("stream %u", self->made);
    push (self, gst_event_new_stream_start (stream));
    g_free (stream);
    /* The previous stream's caps do not apply to this one. */
    if (self->caps != NULL)
      push (self, gst_event_new_caps (self->caps));
    begin_segment (self);
    break;
  case 4:
    if (is_timed (self)) /* with other kinds the pipeline seeks, which flushes */
      break;
    push (self, gst_event_new_flush_start ());
    push (self, gst_event_new_flush_stop (draw (self, 2) == 0));
    begin_segment (self);
    break;
  default:
    begin_segment (self);
    break;
  }
}

static GstFlowReturn
hostile_source_create (GstPushSrc *push_source, GstBuffer **buffer)
{
  HostileSource *self = (HostileSource *)push_source;

  if (self->made >= self->frames)
    return GST_FLOW_EOS;
  if (GST_BASE_SRC (self)->segment.rate < 0 && self->time == 0)
    return GST_FLOW_EOS;
  if (is_odd (self, 3))
    push_oddity (self);
  if (is_odd (self, 3) && self->caps != NULL) {
    draw_caps (self);
    if (self->caps != NULL)
      gst_base_src_set_caps (GST_BASE_SRC (self), self->caps); /* if it fails, so does the buffer */
  }
  self->made++;
  *buffer = make_content (self);
  stamp (self, *buffer);
  if (self->is_interlaced)
    mark_fields (self, *buffer);
  return GST_FLOW_OK;
}

/* ---- the base class's -------------------------------------------------------------------------------------------- */

static gboolean
hostile_source_start (GstBaseSrc *base)
{
  HostileSource *self = (HostileSource *)base;

  self->random = test_random_start (self->seed);
  gst_base_src_set_format (base, is_timed (self) ? GST_FORMAT_TIME : GST_FORMAT_BYTES);
  gst_base_src_set_automatic_eos (base, FALSE);
  self->made = 0;
  self->time = 0;
  self->offset = 0;
  draw_caps (self);
  return TRUE;
}

static gboolean
hostile_source_is_seekable (GstBaseSrc *base G_GNUC_UNUSED)
{
  return TRUE;
}

static gboolean
hostile_source_do_seek (GstBaseSrc *base, GstSegment *segment)
{
  HostileSource *self = (HostileSource *)base;

  segment->position = segment->rate < 0 && GST_CLOCK_TIME_IS_VALID (segment->stop) ? segment->stop : segment->start;
  if (is_timed (self))
    self->time = segment->position;
  else
    self->offset = segment->position;
  return TRUE;
}

static void
hostile_source_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HostileSource *self = (HostileSource *)object;

  switch (id) {
  case PROP_SEED:
    self->seed = g_value_get_uint64 (value);
    break;
  case PROP_KIND:
    self->kind = g_value_get_uint (value);
    break;
  case PROP_FRAMES:
    self->frames = g_value_get_uint (value);
    break;
  case PROP_CALM:
    self->calm = g_value_get_uint (value);
    break;
  case PROP_INTERLACED:
    self->is_interlaced = g_value_get_boolean (value);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    break;
  }
}

static void
hostile_source_finalize (GObject *object)
{
  g_clear_pointer (&((HostileSource *)object)->caps, gst_caps_unref);
  G_OBJECT_CLASS (hostile_source_parent_class)->finalize (object);
}

static void
hostile_source_class_init (HostileSourceClass *klass)
{
  const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS;
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);

  object_class->set_property = hostile_source_set_property;
  object_class->finalize = hostile_source_finalize;
  g_object_class_install_property (object_class, PROP_SEED,
                                   g_param_spec_uint64 ("seed", "Seed", "Of everything random", 0, G_MAXUINT64, 0, flags));
  g_object_class_install_property (object_class, PROP_KIND,
                                   g_param_spec_uint ("kind", "Kind", "A HostileKind", 0, 3, 0, flags));
  g_object_class_install_property (object_class, PROP_FRAMES,
                                   g_param_spec_uint ("frames", "Frames", "Buffers until EOS", 0, G_MAXUINT, G_MAXUINT, flags));
  g_object_class_install_property (
      object_class, PROP_CALM,
      g_param_spec_uint ("calm", "Calm", "Buffers from one oddity to the next", 1, G_MAXUINT, 10, flags));
  g_object_class_install_property (
      object_class, PROP_INTERLACED,
      g_param_spec_boolean ("interlaced", "Interlaced", "Interlaced and mixed video", FALSE, flags));
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Hostile source", "Source", "Does what a source may do",
                                         "the cudahisto authors");
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src_template);
  base_class->start = hostile_source_start;
  base_class->negotiate = hostile_source_negotiate;
  base_class->is_seekable = hostile_source_is_seekable;
  base_class->do_seek = hostile_source_do_seek;
  GST_PUSH_SRC_CLASS (klass)->create = hostile_source_create;
}

static void
hostile_source_init (HostileSource *self)
{
  self->frames = G_MAXUINT;
  self->calm = 10;
  gst_base_src_set_live (GST_BASE_SRC (self), FALSE);
}

void
hostile_source_register (void)
{
  gst_element_register (NULL, "hostilesrc", GST_RANK_NONE, hostile_source_get_type ());
}
