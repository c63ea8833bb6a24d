/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/declaration.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>
#include <stdio.h>

#include "common/location.h"

#define TIMEOUT (15 * GST_SECOND)

/* Reads what parsers write into the caps of the stream. */
static void
declaration_take_caps (Declaration *declaration, const GstCaps *caps)
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
declaration_take_video (Declaration *declaration, GstDiscovererInfo *info)
{
  GList *videos = gst_discoverer_info_get_video_streams (info);
  GstDiscovererVideoInfo *video = videos != NULL ? videos->data : NULL;
  GstCaps *caps;

  if (video != NULL) {
    declaration->rate_n = (gint)gst_discoverer_video_info_get_framerate_num (video);
    declaration->rate_d = MAX (1, (gint)gst_discoverer_video_info_get_framerate_denom (video));
    caps = gst_discoverer_stream_info_get_caps (GST_DISCOVERER_STREAM_INFO (video));
    if (caps != NULL && !gst_caps_is_any (caps) && !gst_caps_is_empty (caps))
      declaration_take_caps (declaration, caps);
    g_clear_pointer (&caps, gst_caps_unref);
  }
  gst_discoverer_stream_info_list_free (videos);
}

/* Returns whether there is video. Decoders of other streams may be missing. */
static gboolean
declaration_is_usable (GstDiscovererInfo *info)
{
  const GstDiscovererResult result = gst_discoverer_info_get_result (info);
  GList *videos = gst_discoverer_info_get_video_streams (info);
  const gboolean has_video = videos != NULL;

  gst_discoverer_stream_info_list_free (videos);
  return result == GST_DISCOVERER_OK || (result == GST_DISCOVERER_MISSING_PLUGINS && has_video);
}

/* MPEG streams, and video without a container, declare no duration: it is estimated. In MPEG program streams, the frame times
 * follow from the frame rate, which they cannot contradict. */
static void
declaration_take_container (Declaration *declaration, GstDiscovererInfo *info)
{
  g_autoptr (GstDiscovererStreamInfo) top = gst_discoverer_info_get_stream_info (info);
  g_autoptr (GstCaps) caps = top != NULL ? gst_discoverer_stream_info_get_caps (top) : NULL;
  const gboolean has_caps = caps != NULL && !gst_caps_is_any (caps) && !gst_caps_is_empty (caps);
  const gchar *name = has_caps ? gst_structure_get_name (gst_caps_get_structure (caps, 0)) : "";
  const gboolean is_mpeg = g_str_equal (name, "video/mpeg"),
                 is_container = top != NULL && GST_IS_DISCOVERER_CONTAINER_INFO (top);

  declaration->duration = gst_discoverer_info_get_duration (info);
  if (declaration->duration == 0 || !is_container || is_mpeg || g_str_equal (name, "video/mpegts"))
    declaration->duration = GST_CLOCK_TIME_NONE;
  if (is_mpeg)
    declaration->rate_n = 0;
}

Declaration *
declaration_read (const gchar *where, GError **error)
{
  g_autoptr (GstDiscoverer) discoverer = gst_discoverer_new (TIMEOUT, error);
  g_autoptr (GstDiscovererInfo) info = NULL;
  g_autofree gchar *uri = NULL;
  Declaration *declaration;
  gint fd = -1;

  if (discoverer == NULL)
    return NULL;
  uri = location_get_uri (where, FALSE, &fd, error);
  if (uri == NULL)
    return NULL;
  if (fd >= 0) { /* a FIFO can be read once */
    g_close (fd, NULL);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "a pipe declares nothing that can be read before it is measured");
    return NULL;
  }
  info = gst_discoverer_discover_uri (discoverer, uri, error);
  if (info == NULL)
    return NULL;
  if (!declaration_is_usable (info)) {
    if (error != NULL && *error == NULL)
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "GStreamer cannot read what the film declares");
    return NULL;
  }
  declaration = g_new0 (Declaration, 1);
  declaration_take_video (declaration, info);
  declaration_take_container (declaration, info);
  if (GST_CLOCK_TIME_IS_VALID (declaration->duration) && declaration->rate_n > 0)
    declaration->frames = gst_util_uint64_scale_round (declaration->duration, (guint64)declaration->rate_n,
                                                       (guint64)declaration->rate_d * GST_SECOND);
  return declaration;
}

void
declaration_free (Declaration *declaration)
{
  g_free (declaration);
}
