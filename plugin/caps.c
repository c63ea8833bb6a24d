/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "caps.h"

#include <gst/video/video.h>

#include "cudacontext.h"
#include "framemap.h"

#define VIDEO_FIELDS ", format = (string) " GST_CUDA_HISTO_FORMATS ", width = [ 1, MAX ], height = [ 1, MAX ]"
#define OVERLAY_FEATURE GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION
#define SYSTEM_VIDEO                                                           \
  "video/x-raw" VIDEO_FIELDS "; video/x-raw(" OVERLAY_FEATURE ")" VIDEO_FIELDS \
  "; video/x-raw(" GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY ", " OVERLAY_FEATURE ")" VIDEO_FIELDS
#define CUDA_VIDEO                                                                                           \
  "; video/x-raw(" GST_CUDA_HISTO_CUDA_FEATURE ")" VIDEO_FIELDS "; video/x-raw(" GST_CUDA_HISTO_CUDA_FEATURE \
  ", " OVERLAY_FEATURE ")" VIDEO_FIELDS

/* The raw video that is taken: without and with a GPU. A framerate is not asked for. */
static GstStaticCaps system_video_caps = GST_STATIC_CAPS (SYSTEM_VIDEO);
static GstStaticCaps all_video_caps = GST_STATIC_CAPS (SYSTEM_VIDEO CUDA_VIDEO);

GstCaps *
gst_cuda_histo_caps_get_video (gboolean takes_cuda)
{
  return gst_static_caps_get (takes_cuda ? &all_video_caps : &system_video_caps);
}

GstCaps *
gst_cuda_histo_caps_narrow (GstCaps *caps, gboolean takes_cuda)
{
  GstCaps *narrowed, *video;

  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return gst_caps_ref (caps);

  narrowed = gst_caps_new_empty ();
  video = gst_cuda_histo_caps_get_video (takes_cuda);
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstCaps *one = gst_caps_copy_nth (caps, i);

    if (gst_structure_has_name (gst_caps_get_structure (caps, i), "video/x-raw")) {
      GstCaps *all = one;

      one = gst_caps_intersect_full (all, video, GST_CAPS_INTERSECT_FIRST);
      gst_caps_unref (all);
    }
    gst_caps_append (narrowed, one);
  }
  gst_caps_unref (video);
  return narrowed;
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
