/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/refusal.h"

#include <gst/video/video.h>

#include "frame/cudacontext.h"
#include "frame/picture.h"
#include "input/caps.h"

/* Elements that copy frames to system memory. */
static const struct {
  const gchar *feature, *element;
} downloads[] = {
  { GST_CUDA_HISTO_CUDA_FEATURE, "cudadownload" }, { "memory:GLMemory", "gldownload" },
  { "memory:VulkanImage", "vulkandownload" },      { "memory:VAMemory", "vapostproc" },
  { "memory:VASurface", "vaapipostproc" },         { "memory:D3D11Memory", "d3d11download" },
  { "memory:D3D12Memory", "d3d12download" },       { "memory:NVMM", "nvvidconv" },
};

/* Returns the first caps feature that is not supported, or NULL. */
static const gchar *
gst_cuda_histo_refusal_find_feature (const GstCapsFeatures *features, gboolean takes_cuda)
{
  static const gchar *const taken[]
      = { GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION,
          GST_CAPS_FEATURE_FORMAT_INTERLACED, NULL };

  for (guint i = 0; i < gst_caps_features_get_size (features); i++) {
    const gchar *feature = gst_caps_features_get_nth (features, i);

    if (!g_strv_contains (taken, feature) && !(takes_cuda && g_str_equal (feature, GST_CUDA_HISTO_CUDA_FEATURE)))
      return feature;
  }
  return NULL;
}

static gchar *
gst_cuda_histo_refusal_describe_feature (const gchar *feature, const gchar *place)
{
  if (!g_str_has_prefix (feature, "memory:"))
    return g_strdup_printf ("Cannot count frames with the caps feature %s. Put an element %s that converts them.", feature,
                            place);
  for (guint i = 0; i < G_N_ELEMENTS (downloads); i++)
    if (g_str_equal (feature, downloads[i].feature))
      return g_strdup_printf ("Cannot read frames in %s%s. Put %s in front.", feature,
                              i == 0 ? " without the CUDA backend" : "", downloads[i].element);
  return g_strdup_printf ("Cannot read frames in %s. Put an element %s that copies them to system memory.", feature, place);
}

static gboolean
gst_cuda_histo_refusal_takes (const gchar *format, gint width, gint height)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format, "width", G_TYPE_INT, width,
                                                  "height", G_TYPE_INT, height, NULL);

  return gst_cuda_histo_caps_are_taken (caps, FALSE);
}

/* Returns the formats of a structure, which may have one or a list: "NV16" or "NV16, NV61 and 3 others". NULL: none. */
static gchar *
gst_cuda_histo_refusal_name_formats (const GstStructure *structure)
{
  enum { MAX_NAMES = 4 };
  const GValue *formats = gst_structure_get_value (structure, "format");
  const guint count = formats != NULL && GST_VALUE_HOLDS_LIST (formats) ? gst_value_list_get_size (formats) : 0;
  GString *names;

  if (formats != NULL && G_VALUE_HOLDS_STRING (formats))
    return g_value_dup_string (formats);
  if (count == 0)
    return NULL;
  names = g_string_new (NULL);
  for (guint i = 0; i < MIN (count, MAX_NAMES); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", g_value_get_string (gst_value_list_get_value (formats, i)));
  if (count > MAX_NAMES)
    g_string_append_printf (names, " and %u others", count - MAX_NAMES);
  return g_string_free (names, FALSE);
}

/* Returns the first unsupported format, or NULL. If no caps are accepted, but not because of a feature, it stands for all. */
static const gchar *
gst_cuda_histo_refusal_get_format (const GstStructure *structure)
{
  const GValue *formats = gst_structure_get_value (structure, "format");

  if (formats != NULL && GST_VALUE_HOLDS_LIST (formats) && gst_value_list_get_size (formats) > 0)
    formats = gst_value_list_get_value (formats, 0);
  return formats != NULL && G_VALUE_HOLDS_STRING (formats) ? g_value_get_string (formats) : NULL;
}

gchar *
gst_cuda_histo_refusal_describe (const GstCaps *caps, gboolean takes_cuda, const gchar *place)
{
  enum { SMALL = 16 }; /* a frame size that every format supports */
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *feature = gst_cuda_histo_refusal_find_feature (gst_caps_get_features (caps, 0), takes_cuda);
  const gchar *format = gst_cuda_histo_refusal_get_format (structure);
  gint width = 0, height = 0, views = 1;

  if (feature != NULL)
    return gst_cuda_histo_refusal_describe_feature (feature, place);
  if (g_strcmp0 (gst_structure_get_string (structure, "interlace-mode"), "alternate") == 0
      && !gst_caps_features_contains (gst_caps_get_features (caps, 0), GST_CAPS_FEATURE_FORMAT_INTERLACED))
    return g_strdup ("Invalid raw video caps: interlace-mode=alternate needs the caps feature format:Interlaced. Add it.");
  if (format == NULL)
    return g_strdup ("Cannot count raw video whose caps have no format. Name it in the caps.");
  if (!gst_cuda_histo_refusal_takes (format, SMALL, SMALL)) {
    g_autofree gchar *formats = gst_cuda_histo_refusal_name_formats (structure);

    return g_strdup_printf ("Cannot count frames of format %s. Put %s %s.", formats,
                            gst_cuda_histo_caps_are_cuda (caps) ? "cudaconvert" : "videoconvert", place);
  }
  if (!gst_structure_has_field (structure, "width") || !gst_structure_has_field (structure, "height"))
    return g_strdup ("Cannot count raw video whose caps have no width or no height. Name both in the caps.");
  if (gst_structure_get_int (structure, "width", &width) && gst_structure_get_int (structure, "height", &height)
      && !gst_cuda_histo_refusal_takes (format, width, height))
    return g_strdup_printf ("Cannot count frames of %dx%d: GStreamer has none of this size in format %s. Put videoscale or "
                            "videocrop %s.",
                            width, height, format, place);
  if (gst_cuda_histo_caps_have_too_many_views (structure) && gst_structure_get_int (structure, "views", &views))
    return g_strdup_printf (
        "Cannot count %d views in a buffer: %d pictures are the most. Have the element %s put fewer views in "
        "a buffer.",
        views, GST_CUDA_HISTO_MAX_PICTURES, place);
  return g_strdup ("Invalid raw video caps: GStreamer cannot parse them. Correct them.");
}
