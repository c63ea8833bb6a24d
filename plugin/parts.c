/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of a picture that are counted besides itself. */

#include "gstcudahistoprivate.h"

/* ---- number of parts ------------------------------------------------------------------------------------------------- */

guint
gst_cuda_histo_get_part_count (GstCudaHisto *self)
{
  guint regions = MAX (self->regions.count, self->asked_regions.count), reserved = 0;

  /* Metas change the number of regions, and more regions need another engine. The part for a freeze is not included: with
   * freezes each buffer waits for the numbers of the one before, so that this part only waits for a slot. */
  while (reserved < regions)
    reserved = reserved == 0 ? 1 : 2 * reserved;
  return 1 + (self->reference_used != NULL ? 1 : 0) + (self->active.metering > GST_CUDA_HISTO_METERING_AVERAGE ? 1 : 0)
         + reserved;
}

/* ---- regions --------------------------------------------------------------------------------------------------------- */

gboolean
gst_cuda_histo_take_regions (GstCudaHisto *self, GError **error)
{
  gboolean is_valid;

  GST_OBJECT_LOCK (self);
  is_valid = gst_cuda_histo_regions_parse (&self->asked_regions, self->regions_text);
  if (!is_valid)
    g_set_error (
        error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "Invalid regions=\"%s\". Write x,y,width,height in pixels for each region, separated by semicolons, for at most "
        "%u regions.",
        self->regions_text, GST_CUDA_HISTO_MAX_REGIONS);
  if (is_valid) {
    g_free (self->regions_used);
    self->regions_used = g_strdup (self->regions_text);
  } else if (g_atomic_int_get (&self->is_started)) {
    g_free (self->regions_text);
    self->regions_text = g_strdup (self->regions_used);
  }
  GST_OBJECT_UNLOCK (self);
  return is_valid;
}

void
gst_cuda_histo_check_regions (GstCudaHisto *self)
{
  if (self->is_configured && !self->source.is_video && self->asked_regions.count > 0)
    gst_cuda_histo_notices_warn_once (&self->notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_REGIONS,
                                      g_strdup ("regions need raw video: bytes have none."));
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
  gst_cuda_histo_notices_warn_once (&self->notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_LOST_REGIONS,
                                    g_strdup_printf ("Not all regions are measured as set, in a picture of %ux%u pixels: %s.",
                                                     self->source.width, self->source.height, words->str + strlen ("; ")));
}

void
gst_cuda_histo_choose_regions (GstCudaHisto *self, GstBuffer *buffer)
{
  const gint breaks = g_atomic_int_get (&self->breaks);
  GstCudaHistoRegionLoss loss;
  GstCudaHistoRegions regions;

  gst_cuda_histo_regions_collect (&regions, &self->asked_regions, self->active.region_metas ? buffer : NULL, self->source.width,
                                  self->source.height, &loss);
  if (!gst_cuda_histo_regions_are_equal (&regions, &self->regions)) {
    gst_cuda_histo_divide_stream (self, GST_CUDA_HISTO_ENDED_BY_REGIONS);
    if (breaks != g_atomic_int_get (&self->breaks))
      return;
    self->regions = regions;
    gst_cuda_histo_counter_set_parts (self->counter, gst_cuda_histo_get_part_count (self));
  } else if (!self->window.is_open) {
    self->regions = regions; /* their confidence may differ */
  }
  gst_cuda_histo_warn_of_lost_regions (self, &loss);
}

/* Finds the rows of one field in a frame's region. FALSE: none. */
static gboolean
gst_cuda_histo_find_in_field (GstCudaHistoRegion *region, guint rows)
{
  const guint end = (region->y + region->height + 1) / 2;

  region->y /= 2;
  region->height = MIN (end, rows) - MIN (region->y, rows);
  return region->height > 0;
}

/* Returns a region of the frame as a separate frame. NULL: it lies outside. */
static GstCudaHistoFrame *
gst_cuda_histo_cut_out_region (GstCudaHisto *self, GstCudaHistoFrame *frame, GstCudaHistoFrame *operand,
                               const GstCudaHistoRegion *asked, GstCudaHistoFrame **previous)
{
  GstCudaHistoRegion region = *asked;
  GstCudaHistoFrame *part;

  *previous = NULL;
  if (gst_cuda_histo_picture_is_field (&self->info)
      && !gst_cuda_histo_find_in_field (&region, frame->frame.planes[frame->frame.components[0].plane].height))
    return NULL;
  part = gst_cuda_histo_frame_cut_out (frame, &region);
  /* Scopes are for whole pictures only. */
  part->frame.statistics &= ~(guint32)(HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE);
  if (self->has_weights) /* they are the picture's */
    part->frame.statistics &= ~(guint32)HISTO_STATISTIC_PROJECTION;
  if (operand != NULL && gst_cuda_histo_regions_have (&self->previous_regions, asked))
    *previous = gst_cuda_histo_frame_cut_out (operand, &region);
  if (*previous != NULL && !gst_cuda_histo_frame_matches (part, *previous)) /* it begins at another sample of chroma */
    g_clear_pointer (previous, gst_cuda_histo_frame_unref);
  return part;
}

static gboolean
gst_cuda_histo_count_regions (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *frame,
                              GstCudaHistoFrame *operand, const GstCudaHistoCounted *picture)
{
  const GstCudaHistoRegions regions = self->regions;
  GstCudaHistoFrame *parts[GST_CUDA_HISTO_MAX_REGIONS], *previous[GST_CUDA_HISTO_MAX_REGIONS];
  GstCudaHistoCounted what[GST_CUDA_HISTO_MAX_REGIONS];
  gboolean is_added;
  guint count = 0;

  for (guint i = 0; i < regions.count; i++) {
    parts[count] = gst_cuda_histo_cut_out_region (self, frame, operand, &regions.regions[i], &previous[count]);
    if (parts[count] == NULL)
      continue;
    what[count] = *picture;
    what[count++].part = GST_CUDA_HISTO_PART_REGION + i;
  }
  is_added = count == 0 || gst_cuda_histo_counter_add_parts (counter, count, parts, previous, what);
  for (guint i = 0; i < count; i++)
    g_clear_pointer (&previous[i], gst_cuda_histo_frame_unref);
  return is_added;
}

gboolean
gst_cuda_histo_count_parts (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *frame,
                            GstCudaHistoFrame *operand, const GstCudaHistoCounted *picture)
{
  if (self->counterpart != NULL && !gst_cuda_histo_count_counterpart (self, counter, frame, picture))
    return FALSE;
  if (self->meters && !gst_cuda_histo_meter (self, counter, frame, picture))
    return FALSE;
  return gst_cuda_histo_count_regions (self, counter, frame, operand, picture);
}
