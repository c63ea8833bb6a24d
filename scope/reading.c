/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reading.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#define ROWS_OF_STANDARD_DEFINITION 576

static void
gst_cuda_histo_scope_reading_read_colours (GstCudaHistoScopeSignal *signal, const GstCudaHistoResult *result)
{
  static const struct {
    GstVideoColorMatrix matrix;
    const gchar *name;
  } names[] = { { GST_VIDEO_COLOR_MATRIX_FCC, "FCC" },
                { GST_VIDEO_COLOR_MATRIX_BT709, "BT.709" },
                { GST_VIDEO_COLOR_MATRIX_BT601, "BT.601" },
                { GST_VIDEO_COLOR_MATRIX_SMPTE240M, "SMPTE 240M" },
                { GST_VIDEO_COLOR_MATRIX_BT2020, "BT.2020" } };
  const GValue *field = gst_cuda_histo_result_get_field (result, "colorimetry");
  GstVideoColorMatrix matrix = GST_VIDEO_COLOR_MATRIX_UNKNOWN;
  GstVideoColorPrimaries primaries = GST_VIDEO_COLOR_PRIMARIES_UNKNOWN;
  GstVideoColorimetry colorimetry;

  if (field != NULL && G_VALUE_HOLDS_STRING (field) && g_value_get_string (field) != NULL
      && gst_video_colorimetry_from_string (&colorimetry, g_value_get_string (field))) {
    matrix = colorimetry.matrix;
    primaries = colorimetry.primaries;
    signal->is_pq = colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084;
  }
  if (!gst_video_color_matrix_get_Kr_Kb (matrix, &signal->kr, &signal->kb)) {
    if (signal->is_rgb && primaries == GST_VIDEO_COLOR_PRIMARIES_BT2020)
      matrix = GST_VIDEO_COLOR_MATRIX_BT2020;
    else if (signal->is_rgb || result->height > ROWS_OF_STANDARD_DEFINITION)
      matrix = GST_VIDEO_COLOR_MATRIX_BT709;
    else
      matrix = GST_VIDEO_COLOR_MATRIX_BT601;
    gst_video_color_matrix_get_Kr_Kb (matrix, &signal->kr, &signal->kb);
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (names[i].matrix == matrix && !signal->is_rgb)
      g_strlcpy (signal->colorimetry, names[i].name, sizeof signal->colorimetry);
  }
}

static void
gst_cuda_histo_scope_reading_read_saturation (GstCudaHistoScopeReading *reading, const GstCudaHistoResult *result)
{
  const GValue *mean = gst_cuda_histo_result_get_field (result, "saturation-mean");
  const GValue *max = gst_cuda_histo_result_get_field (result, "saturation-max");

  reading->has_saturation = mean != NULL && max != NULL && G_VALUE_HOLDS_DOUBLE (mean) && G_VALUE_HOLDS_UINT (max);
  if (reading->has_saturation) {
    reading->saturation_mean = g_value_get_double (mean);
    reading->saturation_max = g_value_get_uint (max);
  }
}

static void
gst_cuda_histo_scope_reading_read_component (GstCudaHistoScopeReading *reading, guint index,
                                             const GstCudaHistoComponent *component)
{
  GstCudaHistoScopeSignal *signal = &reading->signal;
  GstCudaHistoScopeTrace *trace = &reading->traces[index];
  gsize n_counters;

  g_strlcpy (signal->names[index], component->name, sizeof signal->names[index]);
  trace->histogram = gst_cuda_histo_component_get_histogram (component, &trace->n_bins);
  if (trace->n_bins < GST_CUDA_HISTO_SCOPE_LEVELS)
    trace->histogram = NULL;
  trace->waveform = gst_cuda_histo_component_get_waveform (component, &n_counters);
  trace->n_columns = n_counters / GST_CUDA_HISTO_SCOPE_LEVELS;
  if (trace->n_columns == 0)
    trace->waveform = NULL;
  trace->has_numbers = !isnan (component->mean);
  trace->mean = component->mean;
  trace->stddev = component->stddev;
  trace->min = component->min;
  trace->low = component->low;
  trace->median = component->median;
  trace->high = component->high;
  trace->max = component->max;
}

void
gst_cuda_histo_scope_reading_init (GstCudaHistoScopeReading *reading, const GstCudaHistoResult *result)
{
  const GstCudaHistoComponent *main = gst_cuda_histo_result_get_main_component (result);
  GstCudaHistoScopeSignal *signal = &reading->signal;
  const GstCudaHistoComponent *component;
  gsize n_counters = 0;

  memset (reading, 0, sizeof *reading);
  g_strlcpy (signal->format, result->format, sizeof signal->format);
  signal->width = result->width;
  signal->height = result->height;
  signal->depth = CLAMP (result->depth, 8, 16);
  while (signal->n_components < GST_CUDA_HISTO_SCOPE_MAX_COMPONENTS
         && (component = gst_cuda_histo_result_get_component (result, signal->n_components)) != NULL) {
    if (component == main)
      signal->main = signal->n_components;
    gst_cuda_histo_scope_reading_read_component (reading, signal->n_components++, component);
  }
  signal->is_rgb = gst_cuda_histo_result_find_component (result, "R") != NULL;
  signal->is_limited = g_strcmp0 (result->range, "limited") == 0 || (!signal->is_rgb && g_strcmp0 (result->range, "full") != 0);
  gst_cuda_histo_scope_reading_read_colours (signal, result);
  reading->vectorscope = gst_cuda_histo_result_get_vectorscope (result, &n_counters);
  if (n_counters != GST_CUDA_HISTO_SCOPE_LEVELS * GST_CUDA_HISTO_SCOPE_LEVELS)
    reading->vectorscope = NULL;
  gst_cuda_histo_scope_reading_read_saturation (reading, result);

  signal->has_main_histogram = signal->n_components > 0 && reading->traces[signal->main].histogram != NULL;
  signal->has_histograms = signal->has_waveforms = signal->n_components > 0;
  for (guint c = 0; c < signal->n_components; c++) {
    signal->has_histograms = signal->has_histograms && reading->traces[c].histogram != NULL;
    signal->has_waveforms = signal->has_waveforms && reading->traces[c].waveform != NULL;
  }
  signal->has_vectorscope = reading->vectorscope != NULL;
}

gboolean
gst_cuda_histo_scope_signal_get_legal_range (const GstCudaHistoScopeSignal *signal, guint component, guint *low, guint *high)
{
  const gchar *name = signal->names[component];
  const gboolean is_chroma = strcmp (name, "U") == 0 || strcmp (name, "V") == 0;

  *low = 16u << (signal->depth - 8);
  *high = (is_chroma ? 240u : 235u) << (signal->depth - 8);
  return signal->is_limited && strcmp (name, "A") != 0;
}

gdouble
gst_cuda_histo_scope_signal_get_nits (const GstCudaHistoScopeSignal *signal, guint value)
{
  const gdouble code = signal->is_limited ? ((gdouble)value / (1u << (signal->depth - 8)) - 16) / 219
                                          : (gdouble)value / ((1u << signal->depth) - 1);
  const gdouble root = pow (CLAMP (code, 0, 1), 32 / 2523.0);

  return 10000 * pow (MAX (root - 3424 / 4096.0, 0) / (2413 / 128.0 - 2392 / 128.0 * root), 16384 / 2610.0);
}
