/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Row and column sums: their weights. */

#include "gstcudahistoprivate.h"

#include <string.h>

/* Reads the file at *location, under the object lock. *weights is NULL without a file, or without the statistic
 * `statistics`. */
static gboolean
gst_cuda_histo_read_weights_of (GstCudaHisto *self, guint32 statistics, gchar *const *location, GArray **weights)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *path = NULL;

  if (((guint32)self->active.statistics & statistics) == 0)
    return TRUE;
  GST_OBJECT_LOCK (self);
  path = g_strdup (*location);
  GST_OBJECT_UNLOCK (self);
  if (path == NULL)
    return TRUE;
  *weights = gst_cuda_histo_weights_read (path, &error);
  if (*weights == NULL)
    gst_cuda_histo_post (self, GST_MESSAGE_ERROR, error->domain, error->code, g_strdup (error->message), NULL);
  return *weights != NULL;
}

void
gst_cuda_histo_clear_weights (GstCudaHisto *self)
{
  g_clear_pointer (&self->row_weights, g_array_unref);
  g_clear_pointer (&self->column_weights, g_array_unref);
  self->weighted = (struct histo_frame){ 0 };
}

gboolean
gst_cuda_histo_read_weights (GstCudaHisto *self)
{
  gst_cuda_histo_clear_weights (self);
  if (!gst_cuda_histo_read_weights_of (self, GST_CUDA_HISTO_STATISTICS_ROW_SUMS, &self->row_weights_location,
                                       &self->row_weights)
      || !gst_cuda_histo_read_weights_of (self, GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS, &self->column_weights_location,
                                          &self->column_weights)) {
    gst_cuda_histo_clear_weights (self);
    return FALSE;
  }
  self->has_weights = self->row_weights != NULL || self->column_weights != NULL;
  return TRUE;
}

/* Whether the weights of the samples equal those that were set last. */
static gboolean
gst_cuda_histo_is_weighted_alike (GstCudaHisto *self, const GstCudaHistoFrame *frame)
{
  const struct histo_frame *last = &self->weighted;

  if (last->component_count != frame->frame.component_count || self->weighted_bottom_up != frame->bottom_up
      || memcmp (&last->chroma, &frame->frame.chroma, sizeof last->chroma) != 0)
    return FALSE;
  for (guint c = 0; c < last->component_count; c++) {
    const guint plane = frame->frame.components[c].plane;

    if (last->components[c].width != frame->frame.components[c].width
        || last->planes[plane].height != frame->frame.planes[plane].height)
      return FALSE;
  }
  return TRUE;
}

/* Posts an element error and returns FALSE, unless the number of weights equals the number of `unit`s, columns or rows, of the
 * visible picture. */
static gboolean
gst_cuda_histo_check_weights (GstCudaHisto *self, const GArray *weights, const gchar *property, const gchar *unit, guint needed)
{
  if (weights == NULL || weights->len == needed)
    return TRUE;
  gst_cuda_histo_fail (
      self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      g_strdup_printf ("%s: %u weights for %u %ss. Write one line for each %s.", property, weights->len, needed, unit, unit),
      NULL);
  return FALSE;
}

gboolean
gst_cuda_histo_set_weights (GstCudaHisto *self, const GstCudaHistoFrame *frame)
{
  const struct histo_chroma *chroma = &frame->frame.chroma;
  const gint breaks = g_atomic_int_get (&self->breaks);
  const guint rows_each = gst_cuda_histo_picture_is_field (&self->info) ? 2 : 1;

  if (!self->has_weights || (self->statistics & HISTO_STATISTIC_PROJECTION) == 0
      || gst_cuda_histo_is_weighted_alike (self, frame))
    return TRUE;
  if (!gst_cuda_histo_check_weights (self, self->row_weights, "row-weights-location", "column", self->source.width)
      || !gst_cuda_histo_check_weights (self, self->column_weights, "column-weights-location", "row", self->source.height))
    return FALSE;
  for (guint c = 0; c < frame->frame.component_count; c++) {
    const struct histo_component *component = &frame->frame.components[c];
    const gboolean is_chroma = c == 1 || c == 2, is_reversed = (frame->bottom_up & 1u << component->plane) != 0;
    g_autoptr (GBytes) row = NULL, column = NULL;

    if (self->row_weights != NULL)
      row = gst_cuda_histo_weights_spread (self->row_weights, (guint)component->width, is_chroma ? chroma->shift_x : 0,
                                           is_chroma ? chroma->phase_x : 0, 1, FALSE);
    if (self->column_weights != NULL)
      column = gst_cuda_histo_weights_spread (self->column_weights, frame->frame.planes[component->plane].height,
                                              is_chroma ? chroma->shift_y : 0, is_chroma ? frame->phase_y : 0, rows_each,
                                              is_reversed);
    gst_cuda_histo_counter_set_weights (self->counter, c, row, column);
    if (breaks != g_atomic_int_get (&self->breaks))
      return TRUE;
  }
  self->weighted = frame->frame;
  self->weighted_bottom_up = frame->bottom_up;
  return TRUE;
}

void
gst_cuda_histo_describe_sums (GstCudaHisto *self, const GstCudaHistoFrame *frame, GstCudaHistoCounted *what)
{
  what->added_sums = (guint32)self->active.statistics & GST_CUDA_HISTO_SUM_STATISTICS;
  what->light_components = self->source.is_video ? 1 : 0;
  if (self->source.is_video && GST_VIDEO_INFO_IS_RGB (&self->info))
    what->light_components = 3;
  what->rows_each = self->source.is_video && gst_cuda_histo_picture_is_field (&self->info) ? 2 : 1;
  for (guint c = 0; frame->bottom_up != 0 && c < frame->frame.component_count; c++) {
    if ((frame->bottom_up & 1u << frame->frame.components[c].plane) != 0)
      what->bottom_up |= 1u << c;
  }
}
