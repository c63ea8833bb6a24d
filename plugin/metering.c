/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The weighted mean of luma, for exposure control. */

#include "gstcudahistoprivate.h"

gboolean
gst_cuda_histo_read_meter_map (GstCudaHisto *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *location = NULL;

  gst_cuda_histo_clear_meter (self);
  if (self->active.metering != GST_CUDA_HISTO_METERING_WEIGHTS)
    return TRUE;
  GST_OBJECT_LOCK (self);
  location = g_strdup (self->weights_location);
  GST_OBJECT_UNLOCK (self);
  if (location == NULL) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("metering=weights needs a weights-location."), (NULL));
    return FALSE;
  }
  self->meter_map = gst_cuda_histo_meter_map_read (location, &error);
  if (self->meter_map == NULL)
    gst_cuda_histo_post (self, GST_MESSAGE_ERROR, error->domain, error->code, g_strdup (error->message), NULL);
  return self->meter_map != NULL;
}

void
gst_cuda_histo_clear_meter (GstCudaHisto *self)
{
  g_clear_pointer (&self->meter_map, gst_cuda_histo_meter_map_free);
  g_clear_pointer (&self->meter, gst_cuda_histo_frame_unref);
  gst_clear_object (&self->meter_context);
  self->metered_weights = 0;
}

static void
gst_cuda_histo_warn_of_missing_meter (GstCudaHisto *self, const gchar *whose, const gchar *reason)
{
  gst_cuda_histo_notices_warn_once (&self->notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_METERING,
                                    g_strdup_printf ("Cannot meter %s: %s.", whose, reason));
}

void
gst_cuda_histo_choose_metering (GstCudaHisto *self)
{
  const gboolean has_luma
      = self->source.is_video && (GST_VIDEO_INFO_IS_YUV (&self->info) || GST_VIDEO_INFO_IS_GRAY (&self->info));

  self->meters = self->active.metering > GST_CUDA_HISTO_METERING_AVERAGE && has_luma;
  if (self->active.metering != GST_CUDA_HISTO_METERING_NONE && !has_luma)
    gst_cuda_histo_warn_of_missing_meter (self, self->source.format, "metering needs video with Y or GRAY");
}

/* Uploads the weights to the GPU that has luma. */
static void
gst_cuda_histo_upload_meter (GstCudaHisto *self, const GstCudaHistoFrame *luma)
{
  GstCudaHistoFrame *uploaded = gst_cuda_histo_meter_frame_upload (self->meter, &self->info, self->shared.context);

  if (uploaded != NULL && !gst_cuda_histo_frame_matches (luma, uploaded))
    g_clear_pointer (&uploaded, gst_cuda_histo_frame_unref);
  if (uploaded != NULL) {
    gst_cuda_histo_frame_unref (self->meter);
    self->meter = uploaded;
    gst_object_replace (&self->meter_context, self->shared.context);
    return;
  }
  self->meters = FALSE;
  gst_cuda_histo_warn_of_missing_meter (self, "these frames",
                                        "the weights cannot be uploaded to the frames' GPU (put cudadownload in front)");
}

/* Whether the weights can be the operand of a picture's luma. */
static gboolean
gst_cuda_histo_has_meter (GstCudaHisto *self, const GstCudaHistoFrame *luma)
{
  return self->meter != NULL && gst_cuda_histo_frame_matches (luma, self->meter)
         && (luma->frame.memory == HISTO_MEMORY_HOST || self->meter_context == self->shared.context);
}

/* Finds the weights for a picture's luma. Sets `meters` to FALSE if there are none. FALSE after a failure. */
static gboolean
gst_cuda_histo_find_meter (GstCudaHisto *self, const GstCudaHistoFrame *luma)
{
  guint largest;

  if (gst_cuda_histo_has_meter (self, luma))
    return TRUE;
  g_clear_pointer (&self->meter, gst_cuda_histo_frame_unref);
  self->meter
      = gst_cuda_histo_meter_frame_of_weights (luma, self->active.metering, self->meter_map, &self->meter_sum, &largest);
  if (self->meter == NULL)
    gst_cuda_histo_fail (self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                         g_strdup_printf ("weights-location has weights up to %u, but luma of %u bits allows at most %u.",
                                          largest, luma->frame.components[0].depth,
                                          (1u << luma->frame.components[0].depth) - 1),
                         NULL);
  else if (luma->frame.memory == HISTO_MEMORY_DEVICE)
    gst_cuda_histo_upload_meter (self, luma);
  if (self->meter != NULL && self->meter_sum == 0)
    gst_cuda_histo_warn_of_missing_meter (self, "these frames", "all weights of the visible picture are 0");
  return self->meter != NULL;
}

gboolean
gst_cuda_histo_meter (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *frame,
                      const GstCudaHistoCounted *picture)
{
  GstCudaHistoCounted what = *picture;
  GstCudaHistoFrame *luma = gst_cuda_histo_meter_frame_of_luma (frame);

  if (!gst_cuda_histo_find_meter (self, luma) || !self->meters) {
    gst_cuda_histo_frame_unref (luma);
    return self->meter != NULL;
  }
  what.part = GST_CUDA_HISTO_PART_METERING;
  what.weights = self->meter_sum;
  return gst_cuda_histo_counter_add (counter, luma, self->meter, &what);
}

gboolean
gst_cuda_histo_take_metered_luma (GstCudaHisto *self, const GstCudaHistoSource *source, const struct histo_stats *parts,
                                  GstCudaHistoMeteredLuma *luma)
{
  const guint64 weights = self->metered_weights;
  guint part = GST_CUDA_HISTO_PART_METERING;
  const struct histo_component_stats *stats;

  self->metered_weights = 0;
  if (self->active.metering == GST_CUDA_HISTO_METERING_AVERAGE && source->n_components > 0
      && (g_str_equal (source->components[0], "Y") || g_str_equal (source->components[0], "GRAY")))
    part = GST_CUDA_HISTO_PART_PICTURE;
  if (parts[part].component_count == 0)
    return FALSE;
  stats = &parts[part].components[0];
  if (part == GST_CUDA_HISTO_PART_PICTURE)
    *luma = (GstCudaHistoMeteredLuma){ .sum = stats->sum, .weights = stats->count };
  else
    *luma = (GstCudaHistoMeteredLuma){ .sum = stats->dot, .sum_high = stats->dot_high, .weights = weights };
  return luma->weights > 0;
}
