/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reports.h"

#include "gstcudahistoprivate.h"
#include "result/origin.h"
#include "result/schema.h"

/* Forms of arrays in messages. */
static const struct {
  GstCudaHistoForm histograms, arrays;
} message_forms[] = {
  [GST_CUDA_HISTO_MESSAGE_ARRAYS_NONE] = { GST_CUDA_HISTO_FORM_NONE, GST_CUDA_HISTO_FORM_NONE },
  [GST_CUDA_HISTO_MESSAGE_ARRAYS_HISTOGRAMS] = { GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_NONE },
  [GST_CUDA_HISTO_MESSAGE_ARRAYS_ALL] = { GST_CUDA_HISTO_FORM_ARRAY, GST_CUDA_HISTO_FORM_ARRAY },
  [GST_CUDA_HISTO_MESSAGE_ARRAYS_PACKED] = { GST_CUDA_HISTO_FORM_PACKED, GST_CUDA_HISTO_FORM_PACKED },
};

static void
gst_cuda_histo_window_closed (gpointer owner, const GstCudaHistoSource *source, const GstCudaHistoSpan *span,
                              const struct histo_stats *parts, const gchar *backend)
{
  GstCudaHisto *self = owner;
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (self));
  g_autofree gchar *input = NULL, *sampling = NULL;
  GstCudaHistoWindowResult result = {
    .element = name,
    .backend = backend,
    .source = source,
    .span = span,
    .stats = &parts[GST_CUDA_HISTO_PART_PICTURE],
    .parts = parts,
    .reference_offset = self->active.reference_offset,
    .has_reference_offset = self->active.reference_mode == GST_CUDA_HISTO_REFERENCE_IN_STEP,
    .light_source = self->active.light_source == GST_CUDA_HISTO_LIGHT_SOURCE_MAX_RGB ? "max-rgb" : "luminance",
    .statistics = self->active.statistics,
  };
  GstCudaHistoDistance previous[HISTO_MAX_COUNTED], reference[HISTO_MAX_COUNTED];
  GstCudaHistoRegion active_pictures[GST_CUDA_HISTO_MAX_PARTS];
  GstCudaHistoLightPeaks light_peaks[GST_CUDA_HISTO_MAX_PARTS];
  GstCudaHistoMeteredLuma metered_luma;
  gboolean post_messages, add_meta;
  GstCudaHistoMessageArrays arrays;
  GstCudaHistoSidecarArrays sidecar_arrays;

  if (gst_cuda_histo_meter_take_luma (&self->meter, source, parts, &metered_luma))
    result.metered_luma = &metered_luma;
  if (gst_cuda_histo_active_pictures_take (self->reports.active_pictures, active_pictures))
    result.active_pictures = active_pictures;
  gst_cuda_histo_light_peaks_take (self->reports.light_peaks, light_peaks);
  result.light_peaks = light_peaks;
  /* Before a handler of the message stops the element. */
  gst_cuda_histo_distances_take (&self->reports.distances, previous, reference);
  result.distances = previous;
  result.reference_distances = reference;
  gst_cuda_histo_ledger_add_result (&self->ledger, span->ended_frames);
  GST_LOG_OBJECT (self, "window of %" G_GUINT64_FORMAT " buffers from %" G_GUINT64_FORMAT, span->frames, span->frame);
  GST_OBJECT_LOCK (self);
  post_messages = self->settings.post_messages;
  result.bins = self->settings.bins;
  arrays = self->settings.message_arrays;
  sidecar_arrays = self->settings.sidecar_arrays;
  result.input = input = g_strdup (self->reports.input_name);
  result.sampling = sampling
      = gst_cuda_histo_origin_format_sampling (source->is_video ? self->active.every : 1, self->reports.input_sampling);
  GST_OBJECT_UNLOCK (self);
  add_meta = self->active.add_meta;

  if (gst_cuda_histo_check_sidecar (self))
    gst_cuda_histo_sidecar_write (self->sidecar_use.sidecar, &result, sidecar_arrays);
  /* A meta has all statistics: histograms as messages have them, other arrays in their cheapest form. */
  if (add_meta)
    g_queue_push_tail (&self->reports.structures, gst_cuda_histo_schema_to_structure (&result, message_forms[arrays].histograms,
                                                                                      GST_CUDA_HISTO_FORM_PACKED));
  if (post_messages)
    gst_element_post_message (GST_ELEMENT (self),
                              gst_message_new_element (GST_OBJECT (self), gst_cuda_histo_schema_to_structure (
                                                                              &result, message_forms[arrays].histograms,
                                                                              message_forms[arrays].arrays)));
}

static void
gst_cuda_histo_window_discarded (gpointer owner, guint64 frames)
{
  GstCudaHisto *self = owner;
  GstCudaHistoDistance previous[HISTO_MAX_COUNTED], reference[HISTO_MAX_COUNTED];

  self->meter.counted_weights = 0;
  gst_cuda_histo_active_pictures_take (self->reports.active_pictures, NULL);
  gst_cuda_histo_light_peaks_take (self->reports.light_peaks, NULL);
  gst_cuda_histo_distances_take (&self->reports.distances, previous, reference);
  gst_cuda_histo_ledger_add_discarded (&self->ledger, frames);
  gst_cuda_histo_flush_events (self);
}

static void
gst_cuda_histo_mark_reached (gpointer owner, const GstCudaHistoSource *source, GstCudaHistoEndedBy ended_by)
{
  GstCudaHisto *self = owner;

  gst_cuda_histo_end_events (self, ended_by, source);
}

static void
gst_cuda_histo_frame_counted (gpointer owner, const GstCudaHistoCounted *counted)
{
  GstCudaHisto *self = owner;
  guint64 bytes = 0;

  if ((self->active.statistics & GST_CUDA_HISTO_STATISTICS_COMPARISON) != 0 || self->comparison.location != NULL)
    gst_cuda_histo_distances_add (&self->reports.distances, counted);
  if (counted->part == GST_CUDA_HISTO_PART_METERING)
    self->meter.counted_weights += counted->weights;
  if (counted->part == GST_CUDA_HISTO_PART_PICTURE || counted->part >= GST_CUDA_HISTO_PART_REGION) {
    if ((self->active.statistics & GST_CUDA_HISTO_ACTIVE_STATISTICS) != 0 && !self->sums.has_weights)
      gst_cuda_histo_active_picture_add (&self->reports.active_pictures[counted->part], counted);
    gst_cuda_histo_light_peaks_add (&self->reports.light_peaks[counted->part], counted);
  }
  if (counted->part == GST_CUDA_HISTO_PART_PICTURE) {
    for (guint i = counted->n_derived; i < counted->stats->component_count; i++)
      bytes += counted->stats->components[i].count * (counted->stats->components[i].depth > 8 ? 2 : 1);
    gst_cuda_histo_ledger_add_bytes (&self->ledger, bytes);
  }
  gst_cuda_histo_detect (self, counted); /* last: it may post messages */
}

static void
gst_cuda_histo_moved_to_cpu (gpointer owner, const gchar *reason)
{
  GstCudaHisto *self = owner;

  gst_cuda_histo_ledger_add_fallback (&self->ledger);
  gst_cuda_histo_notify_backend (self, self->use.counter);
  gst_cuda_histo_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
                       g_strdup ("The GPU failed; the CPU continues, and nothing is lost."), g_strdup (reason));
}

static void
gst_cuda_histo_counting_failed (gpointer owner, enum histo_status status, const gchar *reason)
{
  GstCudaHisto *self = owner;

  gst_cuda_histo_fail (&self->host, GST_RESOURCE_ERROR,
                       status == HISTO_ERROR_NO_MEMORY ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_FAILED,
                       g_strdup_printf ("Counting failed: %s.", histo_status_text (status)), g_strdup (reason));
}

const GstCudaHistoCounterCallbacks gst_cuda_histo_counter_callbacks = {
  .window_closed = gst_cuda_histo_window_closed,
  .window_discarded = gst_cuda_histo_window_discarded,
  .frame_counted = gst_cuda_histo_frame_counted,
  .mark_reached = gst_cuda_histo_mark_reached,
  .moved_to_cpu = gst_cuda_histo_moved_to_cpu,
  .failed = gst_cuda_histo_counting_failed,
};

gboolean
gst_cuda_histo_attach_results (GstCudaHisto *self, GstBuffer *buffer)
{
  gboolean succeeded = gst_cuda_histo_counter_drain (self->use.counter);
  guint64 lost = 0;
  GstStructure *structure;

  while (succeeded && (structure = g_queue_pop_head (&self->reports.structures)) != NULL) {
    if (!gst_buffer_is_writable (buffer)) {
      gst_structure_free (structure);
      lost++;
    } else if (!gst_cuda_histo_schema_attach (structure, buffer)) {
      lost++;
    }
  }
  gst_cuda_histo_notices_add_lost_metas (&self->host.notices, GST_ELEMENT (self), lost);
  return succeeded;
}

void
gst_cuda_histo_drop_results (GstCudaHisto *self)
{
  gst_cuda_histo_notices_add_lost_metas (&self->host.notices, GST_ELEMENT (self),
                                         g_queue_get_length (&self->reports.structures));
  g_queue_clear_full (&self->reports.structures, (GDestroyNotify)gst_structure_free);
}

void
gst_cuda_histo_clear_reports (GstCudaHisto *self)
{
  gst_cuda_histo_distances_clear (&self->reports.distances);
  gst_cuda_histo_active_pictures_take (self->reports.active_pictures, NULL);
  gst_cuda_histo_light_peaks_take (self->reports.light_peaks, NULL);
  g_queue_clear_full (&self->reports.structures, (GDestroyNotify)gst_structure_free);
}
