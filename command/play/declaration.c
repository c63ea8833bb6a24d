/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/declaration.h"

#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>

#include "damage/bounds.h"

struct _DeclarationWatch {
  GMutex lock;
  GHashTable *streams; /* the caps of each stream that enters a video decoder, by its ID */
};

static Declaration *collected; /* NULL: none */

void
declaration_collect (Declaration *declaration)
{
  collected = declaration;
}

/* ---- the pipeline's threads ------------------------------------------------------------------------------------------- */

static GstPadProbeReturn
declaration_take_event (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  DeclarationWatch *watch = user_data;
  g_autofree gchar *id = NULL;
  GstCaps *caps;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS || (id = gst_pad_get_stream_id (pad)) == NULL)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
  g_mutex_lock (&watch->lock);
  g_hash_table_replace (watch->streams, g_steal_pointer (&id), gst_caps_ref (caps));
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

static void
declaration_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) sink = NULL;

  if (factory == NULL || GST_IS_BIN (element) || !gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER))
    return;
  sink = gst_element_get_static_pad (element, "sink");
  if (sink != NULL)
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, declaration_take_event, user_data, NULL);
}

DeclarationWatch *
declaration_watch_new (GstElement *pipeline)
{
  DeclarationWatch *watch;

  if (collected == NULL)
    return NULL;
  watch = g_new0 (DeclarationWatch, 1);
  g_mutex_init (&watch->lock);
  watch->streams = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)gst_caps_unref);
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (declaration_take_element), watch);
  return watch;
}

void
declaration_watch_free (DeclarationWatch *watch)
{
  if (watch == NULL)
    return;
  g_hash_table_unref (watch->streams);
  g_mutex_clear (&watch->lock);
  g_free (watch);
}

/* ---- the stream ------------------------------------------------------------------------------------------------------- */

/* Reads what demuxers and parsers write into the caps of a stream. Those of its decoded frames have defaults of GStreamer. */
static void
declaration_take_stream (Declaration *declaration, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *text = gst_structure_get_string (structure, "colorimetry");
  GstVideoColorimetry colorimetry;

  if (text != NULL && gst_video_colorimetry_from_string (&colorimetry, text)) {
    if (colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255)
      declaration->range = "full";
    else if (colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235)
      declaration->range = "limited";
  }
  gst_structure_get_uint (structure, "bit-depth-luma", &declaration->depth);
  text = gst_structure_get_string (structure, "content-light-level");
  if (text != NULL && sscanf (text, "%u:%u", &declaration->max_cll, &declaration->max_fall) != 2)
    declaration->max_cll = declaration->max_fall = 0;
}

static void
declaration_take_rate (Declaration *declaration, const GstCaps *caps)
{
  if (caps != NULL
      && !gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate", &declaration->rate_n,
                                      &declaration->rate_d))
    declaration->rate_n = 0;
}

/* ---- the container ---------------------------------------------------------------------------------------------------- */

typedef enum {
  DECLARES_VIDEO = 1 << 0,    /* the duration and the frames of each video track, in a table that bounds_read_track() reads */
  DECLARES_FRAMES = 1 << 1,   /* the duration of each track in frames */
  DECLARES_LONGEST = 1 << 2,  /* the duration of the longest stream */
  DECLARES_OWN_TIMES = 1 << 3 /* the time of each frame, whatever the frame rate is */
} Declares;

/* Of others, GStreamer estimates the duration, or finds it at the end of the file. */
static Declares
declaration_find_container (const gchar *container)
{
  static const struct {
    const gchar *name;
    Declares declares;
  } containers[] = {
    { "video/quicktime", DECLARES_VIDEO | DECLARES_LONGEST | DECLARES_OWN_TIMES },
    { "video/x-msvideo", DECLARES_VIDEO },
    { "video/x-ivf", DECLARES_VIDEO | DECLARES_OWN_TIMES },
    { "video/x-matroska", DECLARES_LONGEST | DECLARES_OWN_TIMES },
    { "video/x-matroska-3d", DECLARES_LONGEST | DECLARES_OWN_TIMES },
    { "video/webm", DECLARES_LONGEST | DECLARES_OWN_TIMES },
    { "video/x-flv", DECLARES_LONGEST | DECLARES_OWN_TIMES },
    { "video/x-ms-asf", DECLARES_LONGEST | DECLARES_OWN_TIMES },
    { "application/mxf", DECLARES_FRAMES },
    { "video/mpegts", DECLARES_OWN_TIMES },
  };

  for (guint i = 0; i < G_N_ELEMENTS (containers); i++)
    if (g_strcmp0 (container, containers[i].name) == 0)
      return containers[i].declares;
  return 0;
}

/* Takes the number of the track from the ID of its stream, "HASH/002". */
static void
declaration_take_table (Declaration *declaration, const gchar *path, const gchar *id)
{
  const gchar *slash = strrchr (id, '/');
  guint64 track = 0, duration;

  if (path == NULL || (slash != NULL && !g_ascii_string_to_unsigned (slash + 1, 10, 0, G_MAXUINT, &track, NULL)))
    return;
  bounds_read_track (path, (guint)track, &declaration->frames, &duration);
  if (duration > 0)
    declaration->duration = duration;
}

static void
declaration_take_container (Declaration *declaration, const DeclarationFilm *film, const gchar *id)
{
  const Declares declares = declaration_find_container (film->container);

  declaration->has_own_times = (declares & DECLARES_OWN_TIMES) != 0;
  if ((declares & DECLARES_VIDEO) != 0)
    declaration_take_table (declaration, film->path, id);
  if (GST_CLOCK_TIME_IS_VALID (declaration->duration))
    return;
  declaration->is_unread = (declares & DECLARES_LONGEST) != 0 && !GST_CLOCK_TIME_IS_VALID (film->end);
  if ((declares & (DECLARES_FRAMES | DECLARES_LONGEST)) != 0 && !declaration->is_unread)
    declaration->duration = film->duration;
  if ((declares & DECLARES_LONGEST) != 0)
    declaration->end = film->end;
  else if (GST_CLOCK_TIME_IS_VALID (declaration->duration) && declaration->rate_n > 0)
    declaration->frames = gst_util_uint64_scale_round (declaration->duration, (guint64)declaration->rate_n,
                                                       (guint64)declaration->rate_d * GST_SECOND);
}

void
declaration_watch_finish (DeclarationWatch *watch, const DeclarationFilm *film)
{
  g_autofree gchar *id = NULL;
  g_autoptr (GstCaps) decoded = NULL;
  GstCaps *caps;

  if (watch == NULL || collected == NULL)
    return;
  *collected = (Declaration){ .duration = GST_CLOCK_TIME_NONE, .end = GST_CLOCK_TIME_NONE };
  if ((id = gst_pad_get_stream_id (film->pad)) == NULL)
    return;
  decoded = gst_pad_get_current_caps (film->pad);
  g_mutex_lock (&watch->lock);
  caps = g_hash_table_lookup (watch->streams, id);
  if (caps != NULL)
    declaration_take_stream (collected, caps);
  declaration_take_rate (collected, caps != NULL ? caps : decoded);
  g_mutex_unlock (&watch->lock);
  declaration_take_container (collected, film, id);
}
