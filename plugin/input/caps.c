/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/caps.h"

#include <gst/video/video.h>

#include "frame/cudacontext.h"
#include "frame/layout.h"
#include "frame/picture.h"
#include "frame/videoinfo.h"

/* Accepted caps features. Those of system memory come first. Each set may also have format:Interlaced. */
static const struct {
  const gchar *memory, *meta; /* NULL: none */
} video_features[] = {
  { GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY, NULL },
  { GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION },
  { NULL, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION },
  { GST_CUDA_HISTO_CUDA_FEATURE, NULL },
  { GST_CUDA_HISTO_CUDA_FEATURE, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION },
};
#define N_SYSTEM_FEATURES 3

/* Appends raw video with some features. `may_alternate`: also with the one that interlace-mode=alternate needs. */
static void
gst_cuda_histo_caps_append_video (GstCaps *video, const GValue *formats, const gchar *memory, const gchar *meta,
                                  gboolean may_alternate)
{
  GstCapsFeatures *features = gst_caps_features_new_empty ();
  GstStructure *structure = gst_structure_new ("video/x-raw", "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height",
                                               GST_TYPE_INT_RANGE, 1, G_MAXINT, NULL);

  gst_structure_set_value (structure, "format", formats);
  if (memory != NULL)
    gst_caps_features_add (features, memory);
  if (meta != NULL)
    gst_caps_features_add (features, meta);
  if (may_alternate)
    gst_caps_features_add (features, GST_CAPS_FEATURE_FORMAT_INTERLACED);
  gst_caps_append_structure_full (video, structure, features);
}

static GstCaps *
gst_cuda_histo_caps_make_video (guint n_features)
{
  GstCaps *video = gst_caps_new_empty ();
  GValue formats = G_VALUE_INIT;

  gst_cuda_histo_layout_list_formats (&formats);
  for (guint i = 0; i < n_features; i++)
    gst_cuda_histo_caps_append_video (video, &formats, video_features[i].memory, video_features[i].meta, FALSE);
  gst_cuda_histo_caps_append_video (video, &formats, NULL, NULL, TRUE);
  for (guint i = 0; i < n_features; i++)
    gst_cuda_histo_caps_append_video (video, &formats, video_features[i].memory, video_features[i].meta, TRUE);
  g_value_unset (&formats);
  GST_MINI_OBJECT_FLAG_SET (video, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
  return video;
}

/* Returns the accepted raw video, without and with a GPU. A framerate is optional. Borrowed. */
static GstCaps *
gst_cuda_histo_caps_get_video (gboolean takes_cuda)
{
  static GstCaps *system_video, *all_video;

  if (g_once_init_enter (&system_video))
    g_once_init_leave (&system_video, gst_cuda_histo_caps_make_video (N_SYSTEM_FEATURES));
  if (g_once_init_enter (&all_video))
    g_once_init_leave (&all_video, gst_cuda_histo_caps_make_video (G_N_ELEMENTS (video_features)));
  return takes_cuda ? all_video : system_video;
}

/* Removes "alternate" from a list of interlace modes, unless the features include format:Interlaced, which it needs. FALSE if
 * no mode remains. */
static gboolean
gst_cuda_histo_caps_drop_alternate (GstStructure *structure, GstCapsFeatures *features)
{
  const GValue *modes = gst_structure_get_value (structure, "interlace-mode");
  GValue alternate = G_VALUE_INIT, others = G_VALUE_INIT;
  gboolean are_left;

  if (modes == NULL || gst_caps_features_contains (features, GST_CAPS_FEATURE_FORMAT_INTERLACED))
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

/* Removes "alternate" from caps of one structure of raw video that cannot have it. FALSE if no mode remains, if there are too
 * many views, or if GStreamer does not support the frame size. */
static gboolean
gst_cuda_histo_caps_can_be (GstCaps *one)
{
  GstStructure *structure = gst_caps_get_structure (one, 0);
  const gchar *format = gst_structure_get_string (structure, "format");
  GstVideoInfo info;
  gint width, height;

  if (!gst_cuda_histo_caps_drop_alternate (structure, gst_caps_get_features (one, 0))
      || gst_cuda_histo_caps_have_too_many_views (structure))
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
  g_autoptr (GstCaps) both = gst_caps_intersect_full (caps, video, GST_CAPS_INTERSECT_FIRST);
  GstCaps *possible = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (both); i++) {
    GstCaps *one = gst_caps_copy_nth (both, i);

    if (gst_cuda_histo_caps_can_be (one))
      gst_caps_append (possible, one);
    else
      gst_caps_unref (one);
  }
  return possible;
}

GstCaps *
gst_cuda_histo_caps_narrow (GstCaps *caps, gboolean takes_cuda)
{
  GstCaps *narrowed;

  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return gst_caps_ref (caps);

  narrowed = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstCaps *one = gst_caps_copy_nth (caps, i);

    if (gst_structure_has_name (gst_caps_get_structure (caps, i), "video/x-raw")) {
      GstCaps *all = one;

      one = gst_cuda_histo_caps_intersect_video (all, gst_cuda_histo_caps_get_video (takes_cuda));
      gst_caps_unref (all);
    }
    gst_caps_append (narrowed, one);
  }
  return narrowed;
}

gboolean
gst_cuda_histo_caps_are_taken (GstCaps *caps, gboolean takes_cuda)
{
  g_autoptr (GstCaps) narrowed = NULL;
  GstVideoInfo info;

  if (!gst_caps_is_fixed (caps) || !gst_cuda_histo_video_info_from_caps (&info, caps))
    return FALSE;
  narrowed = gst_cuda_histo_caps_narrow (caps, takes_cuda);
  return gst_caps_is_subset (caps, narrowed) && !gst_caps_is_empty (narrowed);
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
