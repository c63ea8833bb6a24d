/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Caps. As an overlay the element accepts all raw video and does not change the format. If a downstream element blends
 * compositions, and says so in its answer to an ALLOCATION query, the caps get the feature meta:GstVideoOverlayComposition.
 * Otherwise the element blends the scope into frames in system memory, and attaches it to other frames. */

#include "gstcudahistoscope.h"

#define FEATURE GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION
#define DEFAULT_WIDTH 1280
#define DEFAULT_HEIGHT 720
#define SIDE "[ 1, " G_STRINGIFY (GST_CUDA_HISTO_SCOPE_MAX_SIDE) " ]"
#define PICTURE_CAPS "video/x-raw, format = { BGRA, BGRx }, interlace-mode = progressive, width = " SIDE ", height = " SIDE

GstCudaHistoScopeOutput
gst_cuda_histo_scope_get_output (GstCudaHistoScope *self)
{
  GstCudaHistoScopeOutput output;

  GST_OBJECT_LOCK (self);
  output = self->is_started ? self->output : self->settings.output;
  GST_OBJECT_UNLOCK (self);
  return output;
}

/* Each structure of `caps` twice, without and with the feature. */
static GstCaps *
gst_cuda_histo_scope_vary_feature (GstCaps *caps)
{
  GstCaps *varied;

  if (gst_caps_is_any (caps))
    return gst_caps_ref (caps);
  varied = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    GstCapsFeatures *features = gst_caps_features_copy (gst_caps_get_features (caps, i));

    if (gst_caps_features_is_any (features)) {
      gst_caps_append_structure_full (varied, gst_structure_copy (structure), features);
      continue;
    }
    gst_caps_features_remove (features, FEATURE);
    gst_caps_append_structure_full (varied, gst_structure_copy (structure), gst_caps_features_copy (features));
    gst_caps_features_add (features, FEATURE);
    gst_caps_append_structure_full (varied, gst_structure_copy (structure), features);
  }
  return varied;
}

/* As an overlay: the caps that the neighbour at the other pad allows. */
static GstCaps *
gst_cuda_histo_scope_get_proxied_caps (GstPad *pad, GstPad *other_pad, GstCaps *filter)
{
  g_autoptr (GstCaps) template_caps = gst_pad_get_pad_template_caps (pad), varied = NULL;
  GstCaps *other_filter = filter != NULL ? gst_cuda_histo_scope_vary_feature (filter) : NULL;
  GstCaps *caps = gst_pad_peer_query_caps (other_pad, other_filter);

  if (other_filter != NULL)
    gst_caps_unref (other_filter);
  varied = gst_cuda_histo_scope_vary_feature (caps);
  gst_caps_unref (caps);
  caps = gst_caps_intersect_full (varied, template_caps, GST_CAPS_INTERSECT_FIRST);
  return caps;
}

static gboolean
gst_cuda_histo_scope_is_picture (GstCudaHistoScope *self)
{
  return gst_cuda_histo_scope_get_output (self) == GST_CUDA_HISTO_SCOPE_OUTPUT_PICTURE;
}

/* There is a picture for each buffer, so the rates are equal. */
static GstCaps *
gst_cuda_histo_scope_get_picture_caps (GstCudaHistoScope *self)
{
  GstCaps *caps = gst_caps_from_string (PICTURE_CAPS);
  gint n, d;

  GST_OBJECT_LOCK (self);
  n = self->buffers_n;
  d = self->buffers_d;
  GST_OBJECT_UNLOCK (self);
  if (d > 0)
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, n, d, NULL);
  else
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);
  return caps;
}

/* As a picture: all video, preferring the rates of pictures that downstream accepts. Other caps are accepted too, so that
 * negotiation can fail with an error message. */
static GstCaps *
gst_cuda_histo_scope_get_measured_caps (GstCudaHistoScope *self)
{
  g_autoptr (GstCaps) filter = gst_caps_from_string (PICTURE_CAPS), allowed = gst_pad_peer_query_caps (self->src_pad, filter);
  GstCaps *template_caps = gst_pad_get_pad_template_caps (self->sink_pad), *caps = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (allowed); i++) {
    const GValue *rate = gst_structure_get_value (gst_caps_get_structure (allowed, i), "framerate");

    if (rate != NULL) {
      GstCaps *measured = gst_caps_copy (template_caps);

      gst_caps_set_value (measured, "framerate", rate);
      caps = gst_caps_merge (caps, measured);
    }
  }
  return gst_caps_merge (caps, template_caps);
}

static GstCaps *
gst_cuda_histo_scope_filter (GstCaps *caps, GstCaps *filter)
{
  GstCaps *filtered;

  if (filter == NULL)
    return caps;
  filtered = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return filtered;
}

GstCaps *
gst_cuda_histo_scope_get_sink_caps (GstCudaHistoScope *self, GstCaps *filter)
{
  GstCaps *caps = gst_cuda_histo_scope_is_picture (self)
                      ? gst_cuda_histo_scope_get_measured_caps (self)
                      : gst_cuda_histo_scope_get_proxied_caps (self->sink_pad, self->src_pad, filter);

  return gst_cuda_histo_scope_filter (caps, filter);
}

GstCaps *
gst_cuda_histo_scope_get_src_caps (GstCudaHistoScope *self, GstCaps *filter)
{
  GstCaps *caps = gst_cuda_histo_scope_is_picture (self)
                      ? gst_cuda_histo_scope_get_picture_caps (self)
                      : gst_cuda_histo_scope_get_proxied_caps (self->src_pad, self->sink_pad, filter);

  return gst_cuda_histo_scope_filter (caps, filter);
}

/* Whether a downstream element answers an ALLOCATION query and accepts compositions. */
static gboolean
gst_cuda_histo_scope_is_composition_wanted (GstCudaHistoScope *self, GstCaps *caps)
{
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);

  return gst_pad_peer_query (self->src_pad, query)
         && gst_query_find_allocation_meta (query, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
}

/* As an overlay: forwards the caps, with the feature if that helps. */
static gboolean
gst_cuda_histo_scope_negotiate_overlay (GstCudaHistoScope *self, GstCaps *caps)
{
  const gboolean has_feature = gst_caps_features_contains (gst_caps_get_features (caps, 0), FEATURE);
  g_autoptr (GstCaps) richer = gst_caps_copy (caps);
  gboolean is_set = FALSE;

  self->is_attached = FALSE;
  if (!has_feature)
    gst_caps_features_add (gst_caps_get_features (richer, 0), FEATURE);
  if (has_feature || gst_pad_peer_query_accept_caps (self->src_pad, richer)) {
    is_set = gst_pad_set_caps (self->src_pad, richer);
    self->is_attached = is_set && gst_cuda_histo_scope_is_composition_wanted (self, richer);
  }
  /* Some elements, such as fakesink, accept any caps and blend nothing. */
  if (!has_feature && !self->is_attached)
    is_set = gst_pad_set_caps (self->src_pad, caps);
  GST_DEBUG_OBJECT (self, "%s",
                    self->is_attached ? "downstream blends compositions" : "no element downstream blends compositions");
  return is_set;
}

static gboolean
gst_cuda_histo_scope_negotiate_picture (GstCudaHistoScope *self)
{
  g_autoptr (GstCaps) caps = gst_pad_get_allowed_caps (self->src_pad);
  GstStructure *structure;
  gboolean is_set = FALSE;

  if (caps == NULL)
    caps = gst_cuda_histo_scope_get_src_caps (self, NULL);
  if (!gst_caps_is_empty (caps)) {
    caps = gst_caps_truncate (gst_caps_make_writable (caps));
    structure = gst_caps_get_structure (caps, 0);
    gst_structure_fixate_field_nearest_int (structure, "width", DEFAULT_WIDTH);
    gst_structure_fixate_field_nearest_int (structure, "height", DEFAULT_HEIGHT);
    if (gst_structure_has_field (structure, "pixel-aspect-ratio"))
      gst_structure_fixate_field_nearest_fraction (structure, "pixel-aspect-ratio", 1, 1);
    else
      gst_structure_set (structure, "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, NULL);
    caps = gst_caps_fixate (caps);
    is_set = gst_video_info_from_caps (&self->picture_info, caps) && gst_pad_set_caps (self->src_pad, caps);
  }
  if (!is_set && !GST_PAD_IS_FLUSHING (self->src_pad))
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
                       ("Downstream does not accept the picture of the scope: BGRA or BGRx, progressive, a picture for each "
                        "frame (%d/%d a second%s), sides of at most %d pixels; put videoconvert, videoscale or videorate after "
                        "cudahistoscope.",
                        self->buffers_n, MAX (1, self->buffers_d), self->buffers_n == 0 ? ": the rate varies" : "",
                        GST_CUDA_HISTO_SCOPE_MAX_SIDE),
                       (NULL));
  return is_set;
}

gboolean
gst_cuda_histo_scope_negotiate (GstCudaHistoScope *self)
{
  gboolean is_set;

  if (self->caps == NULL)
    return FALSE;
  is_set = gst_cuda_histo_scope_is_picture (self) ? gst_cuda_histo_scope_negotiate_picture (self)
                                                  : gst_cuda_histo_scope_negotiate_overlay (self, self->caps);
  self->is_drawn = FALSE;
  if (!is_set)
    gst_pad_mark_reconfigure (self->src_pad);
  return is_set;
}

/* Whether frames are in memory that can be mapped and has the layout of their format. */
static gboolean
gst_cuda_histo_scope_is_system_memory (GstCaps *caps)
{
  GstCapsFeatures *features = gst_caps_features_copy (gst_caps_get_features (caps, 0));
  gboolean is_system_memory;

  gst_caps_features_remove (features, FEATURE);
  is_system_memory = gst_caps_features_is_equal (features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
  gst_caps_features_free (features);
  return is_system_memory;
}

gboolean
gst_cuda_histo_scope_set_caps (GstCudaHistoScope *self, GstCaps *caps)
{
  if (!gst_video_info_from_caps (&self->info, caps)) {
    GST_ERROR_OBJECT (self, "invalid caps: %" GST_PTR_FORMAT, (gpointer)caps);
    return FALSE;
  }
  gst_caps_replace (&self->caps, caps);
  GST_OBJECT_LOCK (self);
  self->buffers_n = GST_VIDEO_INFO_FIELD_RATE_N (&self->info);
  self->buffers_d = GST_VIDEO_INFO_FPS_D (&self->info);
  GST_OBJECT_UNLOCK (self);
  self->is_in_system_memory = gst_cuda_histo_scope_is_system_memory (caps);
  gst_pad_check_reconfigure (self->src_pad);
  return gst_cuda_histo_scope_negotiate (self);
}
