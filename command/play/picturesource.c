/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/picturesource.h"

#include <gst/base/gstpushsrc.h>

#include "damage/damage.h"
#include "play/picturecheck.h"

#define FACTORY "cudahistopictures"
#define MOST_TIME (G_MAXINT64 - 1) /* ns; GStreamer has no later times */

typedef struct {
  GstPushSrc parent;
  const Sequence *sequence;
  gint numerator, denominator;
  guint next;               /* picture to push */
  const gchar **faults;     /* the reason for each picture that was not pushed, or NULL; set before the next one is pushed */
  guint awaited, n_skipped; /* next picture expected at the pad, and those that did not arrive; of the measuring thread */
  guint64 place;            /* after the last picture that was measured or reported */
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
  const guint64 time = gst_util_uint64_scale_round (place, (guint64)self->denominator * GST_SECOND, (guint64)self->numerator);

  return MIN (time, MOST_TIME);
}

static guint64
picture_source_get_place (const PictureSource *self, guint picture)
{
  return g_array_index (self->sequence->places, guint64, picture);
}

static gboolean
picture_source_start (GstBaseSrc *source)
{
  PictureSource *self = (PictureSource *)source;

  self->next = 0;
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

/* Skips faulty pictures. */
static GstFlowReturn
picture_source_create (GstPushSrc *source, GstBuffer **buffer)
{
  PictureSource *self = (PictureSource *)source;
  g_autoptr (GError) error = NULL;
  const gchar *fault;
  guint64 place;
  gchar *bytes;
  gsize size;

  do {
    if (self->next >= self->sequence->paths->len)
      return GST_FLOW_EOS;
    if (!g_file_get_contents (g_ptr_array_index (self->sequence->paths, self->next), &bytes, &size, &error)) {
      GST_ELEMENT_ERROR (self, RESOURCE, READ, ("%s", error->message), (NULL));
      return GST_FLOW_ERROR;
    }
    fault = self->faults[self->next] = picture_check (self->sequence->media_type, (const guint8 *)bytes, size);
    place = picture_source_get_place (self, self->next++);
    if (fault != NULL)
      g_free (bytes);
  } while (fault != NULL);
  *buffer = gst_buffer_new_wrapped (bytes, size);
  GST_BUFFER_OFFSET (*buffer) = place;
  GST_BUFFER_PTS (*buffer) = GST_BUFFER_DTS (*buffer) = picture_source_get_time (self, place);
  GST_BUFFER_DURATION (*buffer) = picture_source_get_time (self, place + 1) - GST_BUFFER_PTS (*buffer);
  return GST_FLOW_OK;
}

/* ---- measured pictures ----------------------------------------------------------------------------------------------- */

/* Reports missing numbers up to `place`. */
static void
picture_source_report (PictureSource *self, GstPad *pad, const gchar *cause, guint64 place)
{
  if (place <= self->place)
    return;
  gst_pad_send_event (pad, damage_make_event (cause, place - self->place, picture_source_get_time (self, self->place),
                                              picture_source_get_time (self, place)));
  self->place = place;
}

/* Reports that the expected picture did not arrive. */
static void
picture_source_skip_awaited (PictureSource *self, GstPad *pad)
{
  const guint64 place = picture_source_get_place (self, self->awaited);
  const gchar *fault = self->faults[self->awaited], *path = g_ptr_array_index (self->sequence->paths, self->awaited);

  picture_source_report (self, pad, "missing", place);
  picture_source_report (self, pad, "undecoded", place + 1);
  GST_ELEMENT_WARNING (self, STREAM, DECODE,
                       ("the picture %s %s, and is skipped.", path, fault != NULL ? fault : "cannot be decoded"), (NULL));
  self->awaited++;
  self->n_skipped++;
}

/* At the end of the stream: if one picture did not arrive, it is faulty; if several did not, the decoder gave up. */
static GstPadProbeReturn
picture_source_take_measured (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  PictureSource *self = user_data;
  const GPtrArray *paths = self->sequence->paths;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    const GstClockTime time = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));

    while (GST_CLOCK_TIME_IS_VALID (time) && self->awaited < paths->len
           && picture_source_get_time (self, picture_source_get_place (self, self->awaited)) < time)
      picture_source_skip_awaited (self, pad);
    if (self->awaited < paths->len) {
      const guint64 place = picture_source_get_place (self, self->awaited++);

      picture_source_report (self, pad, "missing", place);
      self->place = place + 1;
    }
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS) {
    while (self->awaited < paths->len && (self->faults[self->awaited] != NULL || self->awaited + 1 == paths->len))
      picture_source_skip_awaited (self, pad);
  }
  return GST_PAD_PROBE_OK;
}

static void
picture_source_finalize (GObject *object)
{
  g_free (((PictureSource *)object)->faults);
  G_OBJECT_CLASS (picture_source_parent_class)->finalize (object);
}

static void
picture_source_class_init (PictureSourceClass *class)
{
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (class), &source_template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (class), "Picture source", "Source/File",
                                         "Pushes the pictures of a sequence", "the cudahisto authors");
  G_OBJECT_CLASS (class)->finalize = picture_source_finalize;
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

  if (!has_factory) /* GStreamer code expects elements to have a factory */
    has_factory = gst_element_register (NULL, FACTORY, GST_RANK_NONE, picture_source_get_type ());
  self = (PictureSource *)gst_element_factory_make (FACTORY, NULL);
  self->sequence = sequence;
  self->numerator = numerator;
  self->denominator = denominator;
  self->faults = g_new0 (const gchar *, sequence->paths->len);
  return GST_ELEMENT (self);
}

void
picture_source_watch (GstElement *source, GstPad *pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, picture_source_take_measured, source,
                     NULL);
}

guint
picture_source_count_skipped (GstElement *source)
{
  return ((PictureSource *)source)->n_skipped;
}

const gchar *
picture_source_get_fault (GstElement *source, guint picture)
{
  return ((PictureSource *)source)->faults[picture];
}
