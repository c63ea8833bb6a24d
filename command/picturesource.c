/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "picturesource.h"

#include <gst/base/gstpushsrc.h>

#define FACTORY "cudahistopictures"

typedef struct {
  GstPushSrc parent;
  const Sequence *sequence;
  gint numerator, denominator;
  guint next; /* picture */
} PictureSource;

typedef struct {
  GstPushSrcClass parent_class;
} PictureSourceClass;

static GType picture_source_get_type (void);
G_DEFINE_TYPE (PictureSource, picture_source, GST_TYPE_PUSH_SRC)

static GstStaticPadTemplate source_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static GstClockTime
picture_source_get_time (const PictureSource *self, guint64 place)
{
  return gst_util_uint64_scale_round (place, (guint64)self->denominator * GST_SECOND, (guint64)self->numerator);
}

static guint64
picture_source_get_place (const PictureSource *self, guint picture)
{
  return g_array_index (self->sequence->places, guint64, picture);
}

static gboolean
picture_source_start (GstBaseSrc *source)
{
  ((PictureSource *)source)->next = 0;
  return TRUE;
}

static GstCaps *
picture_source_get_caps (GstBaseSrc *source, GstCaps *filter)
{
  const PictureSource *self = (PictureSource *)source;
  g_autoptr (GstCaps) caps = gst_caps_new_simple (self->sequence->media_type, "framerate", GST_TYPE_FRACTION, self->numerator,
                                                  self->denominator, NULL);

  return filter != NULL ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST) : g_steal_pointer (&caps);
}

static gboolean
picture_source_query (GstBaseSrc *source, GstQuery *query)
{
  const PictureSource *self = (PictureSource *)source;
  GstFormat format;

  if (GST_QUERY_TYPE (query) != GST_QUERY_DURATION)
    return GST_BASE_SRC_CLASS (picture_source_parent_class)->query (source, query);
  gst_query_parse_duration (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  gst_query_set_duration (
      query, format,
      (gint64)picture_source_get_time (self, picture_source_get_place (self, self->sequence->paths->len - 1) + 1));
  return TRUE;
}

static GstFlowReturn
picture_source_create (GstPushSrc *source, GstBuffer **buffer)
{
  PictureSource *self = (PictureSource *)source;
  g_autoptr (GError) error = NULL;
  const gchar *path;
  guint64 place;
  gchar *bytes;
  gsize size;

  if (self->next >= self->sequence->paths->len)
    return GST_FLOW_EOS;
  path = g_ptr_array_index (self->sequence->paths, self->next);
  if (!g_file_get_contents (path, &bytes, &size, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ, ("%s", error->message), (NULL));
    return GST_FLOW_ERROR;
  }
  if (size == 0) {
    g_free (bytes);
    GST_ELEMENT_ERROR (self, RESOURCE, READ, ("The file \"%s\" is empty.", path), (NULL));
    return GST_FLOW_ERROR;
  }
  place = picture_source_get_place (self, self->next++);
  *buffer = gst_buffer_new_wrapped (bytes, size);
  GST_BUFFER_OFFSET (*buffer) = place;
  GST_BUFFER_PTS (*buffer) = GST_BUFFER_DTS (*buffer) = picture_source_get_time (self, place);
  GST_BUFFER_DURATION (*buffer) = picture_source_get_time (self, place + 1) - GST_BUFFER_PTS (*buffer);
  return GST_FLOW_OK;
}

static void
picture_source_class_init (PictureSourceClass *class)
{
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (class), &source_template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (class), "Picture source", "Source/File",
                                         "Pushes the pictures of a sequence", "the cudahisto authors");
  GST_BASE_SRC_CLASS (class)->start = picture_source_start;
  GST_BASE_SRC_CLASS (class)->get_caps = picture_source_get_caps;
  GST_BASE_SRC_CLASS (class)->query = picture_source_query;
  GST_PUSH_SRC_CLASS (class)->create = picture_source_create;
}

static void
picture_source_init (PictureSource *self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

GstElement *
picture_source_new (const Sequence *sequence, gint numerator, gint denominator)
{
  static gboolean has_factory = FALSE;
  PictureSource *self;

  if (!has_factory) /* others ask an element for its factory */
    has_factory = gst_element_register (NULL, FACTORY, GST_RANK_NONE, picture_source_get_type ());
  self = (PictureSource *)gst_element_factory_make (FACTORY, NULL);
  self->sequence = sequence;
  self->numerator = numerator;
  self->denominator = denominator;
  return GST_ELEMENT (self);
}
