/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "parts/sums.h"

#include <string.h>

#include "frame/pictureformat.h"
#include "frame/weights.h"

void
gst_cuda_histo_sums_clear (GstCudaHistoSums *sums)
{
  g_clear_pointer (&sums->row_weights, g_array_unref);
  g_clear_pointer (&sums->column_weights, g_array_unref);
  sums->weighted = (struct histo_frame){ 0 };
}

gboolean
gst_cuda_histo_sums_open (GstCudaHistoSums *sums, const gchar *row_location, const gchar *column_location, GError **error)
{
  gst_cuda_histo_sums_clear (sums);
  if ((row_location != NULL && (sums->row_weights = gst_cuda_histo_weights_read (row_location, error)) == NULL)
      || (column_location != NULL && (sums->column_weights = gst_cuda_histo_weights_read (column_location, error)) == NULL)) {
    gst_cuda_histo_sums_clear (sums);
    return FALSE;
  }
  sums->has_weights = sums->row_weights != NULL || sums->column_weights != NULL;
  return TRUE;
}

/* Whether the weights of the samples equal those that were set last. */
static gboolean
gst_cuda_histo_sums_are_weighted_alike (const GstCudaHistoSums *sums, const GstCudaHistoFrame *frame)
{
  const struct histo_frame *last = &sums->weighted;

  if (last->component_count != frame->frame.component_count || last->derived_count != frame->frame.derived_count
      || sums->bottom_up != frame->bottom_up || memcmp (&last->chroma, &frame->frame.chroma, sizeof last->chroma) != 0)
    return FALSE;
  for (guint c = 0; c < last->component_count; c++) {
    const guint plane = frame->frame.components[c].plane;

    if (last->components[c].width != frame->frame.components[c].width
        || (sums->column_weights != NULL && last->planes[plane].height != frame->frame.planes[plane].height))
      return FALSE;
  }
  return TRUE;
}

/* Posts an element error and returns FALSE, unless the number of weights equals the number of `unit`s, columns or rows, of the
 * visible picture. */
static gboolean
gst_cuda_histo_sums_check_weights (GstCudaHistoHost *host, const GArray *weights, const gchar *property, const gchar *unit,
                                   guint needed)
{
  if (weights == NULL || weights->len == needed)
    return TRUE;
  gst_cuda_histo_fail (
      host, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      g_strdup_printf ("%s: %u weights for %u %ss. Write one line for each %s.", property, weights->len, needed, unit, unit),
      NULL);
  return FALSE;
}

/* Whether the last frame is whole and the weights of rows are for fields, or the reverse. */
static gboolean
gst_cuda_histo_sums_are_for_others (const GstCudaHistoSums *sums, const GstCudaHistoFormat *format)
{
  const guint rows = sums->column_weights != NULL ? sums->column_weights->len : format->source.height;

  return format->fields == GST_CUDA_HISTO_FIELDS_APART
         && GST_VIDEO_INFO_INTERLACE_MODE (&format->info) == GST_VIDEO_INTERLACE_MODE_MIXED && rows != format->source.height
         && (rows == format->frame_height || rows == format->frame_height / 2);
}

static void
gst_cuda_histo_sums_warn_of_others (const GstCudaHistoSums *sums, const GstCudaHistoFormat *format, GstCudaHistoHost *host)
{
  gst_cuda_histo_notices_warn_once (
      &host->notices, host->element, GST_CUDA_HISTO_NOTICE_NO_SUMS,
      g_strdup_printf (
          "Cannot measure row and column sums of %s: column-weights-location has %u weights, and they have %u rows.",
          gst_cuda_histo_format_is_of_field (format) ? "fields" : "whole frames", sums->column_weights->len,
          format->source.height));
}

gboolean
gst_cuda_histo_sums_set_weights (GstCudaHistoSums *sums, GstCudaHistoFrame *frame, const GstCudaHistoFormat *format,
                                 GstCudaHistoCounter *counter, GstCudaHistoHost *host)
{
  const GstCudaHistoSource *source = &format->source;
  const struct histo_chroma *chroma = &frame->frame.chroma;
  const gint breaks = g_atomic_int_get (&host->breaks);
  const guint n_derived = frame->frame.derived_count; /* with R, G and B, where no component is subsampled */

  if (!sums->has_weights || (frame->frame.statistics & HISTO_STATISTIC_PROJECTION) == 0
      || gst_cuda_histo_sums_are_weighted_alike (sums, frame))
    return TRUE;
  if (gst_cuda_histo_sums_are_for_others (sums, format)) {
    frame->frame.statistics &= ~(guint32)HISTO_STATISTIC_PROJECTION;
    gst_cuda_histo_sums_warn_of_others (sums, format, host);
    return TRUE;
  }
  if (!gst_cuda_histo_sums_check_weights (host, sums->row_weights, "row-weights-location", "column", source->width)
      || !gst_cuda_histo_sums_check_weights (host, sums->column_weights, "column-weights-location", "row", source->height))
    return FALSE;
  for (guint c = 0; c < n_derived + frame->frame.component_count; c++) {
    const struct histo_component *component = &frame->frame.components[c < n_derived ? 0 : c - n_derived];
    const gboolean is_chroma = c == 1 || c == 2, is_reversed = (frame->bottom_up & 1u << component->plane) != 0;
    g_autoptr (GBytes) row = NULL, column = NULL;

    if (sums->row_weights != NULL)
      row = gst_cuda_histo_weights_spread (sums->row_weights, (guint)component->width, is_chroma ? chroma->shift_x : 0,
                                           is_chroma ? chroma->phase_x : 0, 1, FALSE);
    if (sums->column_weights != NULL)
      column = gst_cuda_histo_weights_spread (sums->column_weights, frame->frame.planes[component->plane].height,
                                              is_chroma ? chroma->shift_y : 0, is_chroma ? frame->phase_y : 0,
                                              format->rows_each, is_reversed);
    gst_cuda_histo_counter_set_weights (counter, c, row, column);
    if (breaks != g_atomic_int_get (&host->breaks))
      return TRUE;
  }
  sums->weighted = frame->frame;
  sums->bottom_up = frame->bottom_up;
  return TRUE;
}

void
gst_cuda_histo_sums_describe (const GstCudaHistoFrame *frame, const GstCudaHistoFormat *format, guint32 statistics,
                              GstCudaHistoCounted *what)
{
  const gboolean is_video = format->source.is_video;

  what->added_sums = statistics & GST_CUDA_HISTO_SUM_STATISTICS;
  what->light_components = is_video ? 1 : 0;
  what->n_derived = frame->frame.derived_count;
  if (is_video && GST_VIDEO_INFO_IS_RGB (&format->info) && what->n_derived == 0)
    what->light_components = 3;
  what->rows_each = is_video ? format->rows_each : 1;
  for (guint c = 0; frame->bottom_up != 0 && c < what->n_derived + frame->frame.component_count; c++) {
    const struct histo_component *component = &frame->frame.components[c < what->n_derived ? 0 : c - what->n_derived];

    if ((frame->bottom_up & 1u << component->plane) != 0)
      what->bottom_up |= 1u << c;
  }
}
