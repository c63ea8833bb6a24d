/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "regions.h"

#include "gstcudahistoprivate.h"

guint
gst_cuda_histo_get_part_count (GstCudaHisto *self)
{
  guint regions = MAX (self->regions.current.count, self->regions.asked.count), reserved = 0;

  /* Metas change the number of regions, and more regions need another engine. The part for a freeze is not included: with
   * freezes each buffer waits for the numbers of the one before, so that this part only waits for a slot. */
  while (reserved < regions)
    reserved = reserved == 0 ? 1 : 2 * reserved;
  return 1 + (self->comparison.location != NULL ? 1 : 0) + (self->active.metering > GST_CUDA_HISTO_METERING_AVERAGE ? 1 : 0)
         + reserved;
}

gboolean
gst_cuda_histo_take_regions (GstCudaHisto *self, GError **error)
{
  gboolean is_valid;

  GST_OBJECT_LOCK (self);
  is_valid = gst_cuda_histo_regions_parse (&self->regions.asked, self->regions.text);
  if (!is_valid)
    g_set_error (
        error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "Invalid regions=\"%s\". Write x,y,width,height in pixels for each region, separated by semicolons, for at most "
        "%u regions.",
        self->regions.text, GST_CUDA_HISTO_MAX_REGIONS);
  if (is_valid) {
    g_free (self->regions.valid_text);
    self->regions.valid_text = g_strdup (self->regions.text);
  } else if (g_atomic_int_get (&self->host.is_started)) {
    g_free (self->regions.text);
    self->regions.text = g_strdup (self->regions.valid_text);
  }
  GST_OBJECT_UNLOCK (self);
  return is_valid;
}

void
gst_cuda_histo_check_regions (GstCudaHisto *self)
{
  if (self->format.is_configured && !self->format.source.is_video && self->regions.asked.count > 0)
    gst_cuda_histo_notices_warn_once (&self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_REGIONS,
                                      g_strdup ("Cannot measure regions of bytes: they need raw video."));
}

static void
gst_cuda_histo_warn_of_lost_regions (GstCudaHisto *self, const GstCudaHistoRegionLoss *loss)
{
  g_autoptr (GString) words = NULL;

  if (loss->clipped == 0 && loss->outside == 0 && loss->too_many == 0)
    return;
  words = g_string_new (NULL);
  if (loss->clipped > 0)
    g_string_append_printf (words, "; %u %s beyond it, measured only %s", loss->clipped,
                            loss->clipped == 1 ? "reaches" : "reach",
                            loss->clipped == 1 ? "where it is inside" : "where they are inside");
  if (loss->outside > 0)
    g_string_append_printf (words, "; %u %s outside it", loss->outside, loss->outside == 1 ? "is" : "are");
  if (loss->too_many > 0)
    g_string_append_printf (words, "; %u %s beyond the %u that are counted", loss->too_many,
                            loss->too_many == 1 ? "comes" : "come", GST_CUDA_HISTO_MAX_REGIONS);
  gst_cuda_histo_notices_warn_once (&self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_LOST_REGIONS,
                                    g_strdup_printf ("Not all regions are measured as set, in a picture of %ux%u pixels: %s.",
                                                     self->format.source.width, self->format.frame_height,
                                                     words->str + strlen ("; ")));
}

void
gst_cuda_histo_choose_regions (GstCudaHisto *self, GstBuffer *buffer)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  GstCudaHistoRegionLoss loss;
  GstCudaHistoRegions regions;

  gst_cuda_histo_regions_collect (&regions, &self->regions.asked, self->active.region_metas ? buffer : NULL,
                                  self->format.source.width, self->format.frame_height, &loss);
  if (gst_cuda_histo_format_is_of_field (&self->format))
    loss.outside += gst_cuda_histo_regions_omit (&regions, gst_cuda_histo_format_has_unequal_fields (&self->format)
                                                               ? self->format.frame_height / 2
                                                               : self->format.source.height);
  if (!gst_cuda_histo_regions_are_equal (&regions, &self->regions.current)) {
    gst_cuda_histo_divide_stream (self, GST_CUDA_HISTO_ENDED_BY_REGIONS);
    if (breaks != g_atomic_int_get (&self->host.breaks))
      return;
    self->regions.current = regions;
    gst_cuda_histo_counter_set_parts (self->use.counter, gst_cuda_histo_get_part_count (self));
  } else if (!self->windows.window.is_open) {
    self->regions.current = regions; /* their confidence may differ */
  }
  gst_cuda_histo_warn_of_lost_regions (self, &loss);
}
