/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/caps.h"

#include <gst/video/video.h>

#include "frame/cudacontext.h"
#include "frame/framemap.h"
#include "frame/picture.h"
#include "frame/videoinfo.h"

#define VIDEO_FIELDS ", format = (string) " GST_CUDA_HISTO_FORMATS ", width = [ 1, MAX ], height = [ 1, MAX ]"
#define OVERLAY_FEATURE GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION
#define SYSTEM_VIDEO                                                           \
  "video/x-raw" VIDEO_FIELDS "; video/x-raw(" OVERLAY_FEATURE ")" VIDEO_FIELDS \
  "; video/x-raw(" GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY ", " OVERLAY_FEATURE ")" VIDEO_FIELDS
#define CUDA_VIDEO                                                                                           \
  "; video/x-raw(" GST_CUDA_HISTO_CUDA_FEATURE ")" VIDEO_FIELDS "; video/x-raw(" GST_CUDA_HISTO_CUDA_FEATURE \
  ", " OVERLAY_FEATURE ")" VIDEO_FIELDS

/* Accepted raw video, without and with a GPU. A framerate is optional. */
static GstStaticCaps system_video_caps = GST_STATIC_CAPS (SYSTEM_VIDEO);
static GstStaticCaps all_video_caps = GST_STATIC_CAPS (SYSTEM_VIDEO CUDA_VIDEO);

/* Removes "alternate" from a list of interlace modes: it needs the caps feature format:Interlaced, which is not accepted. FALSE
 * if no mode remains. */
static gboolean
gst_cuda_histo_caps_drop_alternate (GstStructure *structure)
{
  const GValue *modes = gst_structure_get_value (structure, "interlace-mode");
  GValue alternate = G_VALUE_INIT, others = G_VALUE_INIT;
  gboolean are_left;

  if (modes == NULL)
    return TRUE;
  g_value_init (&alternate, G_TYPE_STRING);
  g_value_set_static_string (&alternate, "alternate");
  are_left = gst_value_subtract (&others, modes, &alternate);
  if (are_left)
    gst_structure_take_value (structure, "interlace-mode", &others);
  g_value_unset (&alternate);
  return are_left;
}

gboolean
gst_cuda_histo_caps_have_too_many_views (const GstStructure *structure)
{
  const gint limit = GST_CUDA_HISTO_MAX_PICTURES;
  gint views;

  return g_strcmp0 (gst_structure_get_string (structure, "multiview-mode"), "separated") == 0
         && gst_structure_get_int (structure, "views", &views)
         && views > (g_strcmp0 (gst_structure_get_string (structure, "interlace-mode"), "fields") == 0 ? limit / 2 : limit);
}

/* Removes "alternate" from a structure of raw video. FALSE if no mode remains, if there are too many views, or if GStreamer
 * does not support the frame size. */
static gboolean
gst_cuda_histo_caps_can_be (GstStructure *structure)
{
  const gchar *format = gst_structure_get_string (structure, "format");
  GstVideoInfo info;
  gint width, height;

  if (!gst_cuda_histo_caps_drop_alternate (structure) || gst_cuda_histo_caps_have_too_many_views (structure))
    return FALSE;
  if (format == NULL || !gst_structure_get_int (structure, "width", &width)
      || !gst_structure_get_int (structure, "height", &height))
    return TRUE; /* a choice that may include a supported value */
  return gst_video_info_set_format (&info, gst_video_format_from_string (format), (guint)width, (guint)height);
}

/* Returns the accepted part of a structure of raw video. The caller unrefs it. */
static GstCaps *
gst_cuda_histo_caps_intersect_video (GstCaps *caps, GstCaps *video)
{
  GstCaps *both = gst_caps_intersect_full (caps, video, GST_CAPS_INTERSECT_FIRST);
  GstCaps *possible = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (both); i++) {
    GstCaps *one = gst_caps_copy_nth (both, i);

    if (gst_cuda_histo_caps_can_be (gst_caps_get_structure (one, 0)))
      gst_caps_append (possible, one);
    else
      gst_caps_unref (one);
  }
  gst_caps_unref (both);
  return possible;
}

GstCaps *
gst_cuda_histo_caps_narrow (GstCaps *caps, gboolean takes_cuda)
{
  GstCaps *narrowed, *video;

  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return gst_caps_ref (caps);

  narrowed = gst_caps_new_empty ();
  video = gst_static_caps_get (takes_cuda ? &all_video_caps : &system_video_caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstCaps *one = gst_caps_copy_nth (caps, i);

    if (gst_structure_has_name (gst_caps_get_structure (caps, i), "video/x-raw")) {
      GstCaps *all = one;

      one = gst_cuda_histo_caps_intersect_video (all, video);
      gst_caps_unref (all);
    }
    gst_caps_append (narrowed, one);
  }
  gst_caps_unref (video);
  return narrowed;
}

gboolean
gst_cuda_histo_caps_are_taken (GstCaps *caps, gboolean takes_cuda)
{
  GstCaps *narrowed;
  GstVideoInfo info;
  gboolean are_taken;

  if (!gst_caps_is_fixed (caps) || !gst_cuda_histo_video_info_from_caps (&info, caps))
    return FALSE;
  narrowed = gst_cuda_histo_caps_narrow (caps, takes_cuda);
  are_taken = gst_caps_is_subset (caps, narrowed) && !gst_caps_is_empty (narrowed);
  gst_caps_unref (narrowed);
  return are_taken;
}

gboolean
gst_cuda_histo_caps_are_video (const GstCaps *caps)
{
  return caps != NULL && gst_caps_get_size (caps) > 0
         && gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw");
}

gboolean
gst_cuda_histo_caps_are_cuda (const GstCaps *caps)
{
  return gst_cuda_histo_caps_are_video (caps)
         && gst_caps_features_contains (gst_caps_get_features (caps, 0), GST_CUDA_HISTO_CUDA_FEATURE);
}
