/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "parts/metering.h"

#include "frame/pictureformat.h"

#include "common/debug.h"

gboolean
gst_cuda_histo_meter_open (GstCudaHistoMeter *meter, GstCudaHistoMetering metering, const gchar *location, GError **error)
{
  gst_cuda_histo_meter_clear (meter);
  meter->metering = metering;
  if (metering != GST_CUDA_HISTO_METERING_WEIGHTS)
    return TRUE;
  if (location == NULL) {
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                         "Cannot use metering=weights: weights-location is not set.");
    return FALSE;
  }
  meter->map = gst_cuda_histo_meter_map_read (location, error);
  return meter->map != NULL;
}

static void
gst_cuda_histo_meter_clear_weights (GstCudaHistoMeterWeights *weights)
{
  g_clear_pointer (&weights->frame, gst_cuda_histo_frame_unref);
  gst_clear_object (&weights->context);
}

void
gst_cuda_histo_meter_clear (GstCudaHistoMeter *meter)
{
  g_clear_pointer (&meter->map, gst_cuda_histo_meter_map_free);
  for (guint i = 0; i < G_N_ELEMENTS (meter->weights); i++)
    gst_cuda_histo_meter_clear_weights (&meter->weights[i]);
  meter->counted_weights = 0;
}

static void
gst_cuda_histo_meter_warn (GstCudaHistoHost *host, const gchar *whose, const gchar *reason)
{
  gst_cuda_histo_notices_warn_once (&host->notices, host->element, GST_CUDA_HISTO_NOTICE_NO_METERING,
                                    g_strdup_printf ("Cannot meter %s: %s.", whose, reason));
}

void
gst_cuda_histo_meter_choose (GstCudaHistoMeter *meter, const GstCudaHistoFormat *format, GstCudaHistoHost *host)
{
  const GstCudaHistoSource *source = &format->source;
  const gboolean has_luma = source->is_video
                            && (GST_VIDEO_INFO_IS_YUV (&format->info) || GST_VIDEO_INFO_IS_GRAY (&format->info)
                                || gst_cuda_histo_picture_can_derive (&format->info, source->width, source->height));

  meter->is_used = meter->metering > GST_CUDA_HISTO_METERING_AVERAGE && has_luma;
  if (meter->metering != GST_CUDA_HISTO_METERING_NONE && !has_luma)
    gst_cuda_histo_meter_warn (host, format->source.format, "metering needs video with Y, with GRAY or with R, G and B");
}

/* Uploads the weights to the GPU that has luma. FALSE if that is impossible. */
static gboolean
gst_cuda_histo_meter_upload (GstCudaHistoMeterWeights *weights, const GstCudaHistoFrame *luma, const GstVideoInfo *info,
                             GstObject *context)
{
  GstCudaHistoFrame *uploaded = gst_cuda_histo_meter_frame_upload (weights->frame, info, context);

  if (uploaded != NULL && !gst_cuda_histo_frame_matches (luma, uploaded))
    g_clear_pointer (&uploaded, gst_cuda_histo_frame_unref);
  if (uploaded == NULL)
    return FALSE;
  gst_cuda_histo_frame_unref (weights->frame);
  weights->frame = uploaded;
  gst_object_replace (&weights->context, context);
  return TRUE;
}

/* Whether the weights can be the operand of a picture's luma. */
static gboolean
gst_cuda_histo_meter_fits (const GstCudaHistoMeterWeights *weights, const GstCudaHistoFrame *luma, const GstObject *context)
{
  return weights->frame != NULL && gst_cuda_histo_frame_matches (luma, weights->frame)
         && (luma->frame.memory == HISTO_MEMORY_HOST || weights->context == context);
}

/* Moves the weights that fit to the front of those that are kept, or empties the place there. Returns whether they exist. */
static gboolean
gst_cuda_histo_meter_recall (GstCudaHistoMeter *meter, const GstCudaHistoFrame *luma, const GstObject *context)
{
  GstCudaHistoMeterWeights found;
  guint at = 0;

  while (at < G_N_ELEMENTS (meter->weights) - 1 && !gst_cuda_histo_meter_fits (&meter->weights[at], luma, context))
    at++;
  if (!gst_cuda_histo_meter_fits (&meter->weights[at], luma, context))
    gst_cuda_histo_meter_clear_weights (&meter->weights[at]);
  found = meter->weights[at];
  for (; at > 0; at--)
    meter->weights[at] = meter->weights[at - 1];
  meter->weights[0] = found;
  return found.frame != NULL;
}

/* Finds the weights for a picture's luma, the first in `weights`. Sets `is_used` to FALSE if there are none. FALSE after a
 * failure. */
static gboolean
gst_cuda_histo_meter_find (GstCudaHistoMeter *meter, const GstCudaHistoFrame *luma, const GstVideoInfo *info,
                           GstObject *context, GstCudaHistoHost *host)
{
  GstCudaHistoMeterWeights *weights = &meter->weights[0];
  guint largest;

  if (gst_cuda_histo_meter_recall (meter, luma, context))
    return TRUE;
  weights->frame = gst_cuda_histo_meter_frame_of_weights (luma, meter->metering, meter->map, &weights->sum, &largest);
  if (weights->frame == NULL) {
    gst_cuda_histo_fail (host, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                         g_strdup_printf ("weights-location has weights up to %u, but luma of %u bits allows at most %u.",
                                          largest, luma->frame.components[0].depth,
                                          (1u << luma->frame.components[0].depth) - 1),
                         NULL);
    return FALSE;
  }
  if (luma->frame.memory == HISTO_MEMORY_DEVICE && !gst_cuda_histo_meter_upload (weights, luma, info, context)) {
    meter->is_used = FALSE;
    gst_cuda_histo_meter_warn (host, "these frames",
                               "the weights cannot be uploaded to the frames' GPU (put cudadownload in front)");
  }
  if (weights->frame != NULL && weights->sum == 0)
    gst_cuda_histo_meter_warn (host, "these frames", "all weights of the visible picture are 0");
  return weights->frame != NULL;
}

gboolean
gst_cuda_histo_meter_add (GstCudaHistoMeter *meter, GstCudaHistoFrame *frame, const GstCudaHistoCounted *picture,
                          const GstVideoInfo *info, GstObject *context, GstCudaHistoHost *host, GstCudaHistoEntries *entries)
{
  const gint stops = g_atomic_int_get (&host->stops);
  g_autoptr (GstCudaHistoFrame) luma = NULL;

  if (!meter->is_used)
    return TRUE;
  luma = gst_cuda_histo_meter_frame_of_luma (frame, &frame->frame.matrix);
  if (!gst_cuda_histo_meter_find (meter, luma, info, context, host))
    return FALSE;
  if (meter->is_used && stops == g_atomic_int_get (&host->stops))
    gst_cuda_histo_entries_add (entries, GST_CUDA_HISTO_PART_METERING, g_steal_pointer (&luma),
                                gst_cuda_histo_frame_ref (meter->weights[0].frame), picture)
        ->weights
        = meter->weights[0].sum;
  return TRUE;
}

gboolean
gst_cuda_histo_meter_take_luma (GstCudaHistoMeter *meter, const GstCudaHistoSource *source, const struct histo_stats *parts,
                                GstCudaHistoMeteredLuma *luma)
{
  const guint64 weights = meter->counted_weights;
  guint part = GST_CUDA_HISTO_PART_METERING;
  const struct histo_component_stats *stats;

  meter->counted_weights = 0;
  if (meter->metering == GST_CUDA_HISTO_METERING_AVERAGE && source->n_components > 0
      && (source->n_derived > 0 || g_str_equal (source->components[0], "Y") || g_str_equal (source->components[0], "GRAY")))
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
