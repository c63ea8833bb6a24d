/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The properties of the scope. settings.c describes the values of enums. */

#pragma once

#include <gst/gst.h>

/* The output of the element. */
typedef enum { GST_CUDA_HISTO_SCOPE_OUTPUT_OVERLAY, GST_CUDA_HISTO_SCOPE_OUTPUT_PICTURE } GstCudaHistoScopeOutput;

/* The modes to draw, one panel each, in this order. */
typedef enum {
  GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM = 1 << 0,
  GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM_PARADE = 1 << 1,
  GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM = 1 << 2,
  GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM_PARADE = 1 << 3,
  GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE = 1 << 4
} GstCudaHistoScopeModes;

#define GST_CUDA_HISTO_SCOPE_N_MODES 5

/* Scale of the height of histogram bars. The highest bar fills the panel. */
typedef enum { GST_CUDA_HISTO_SCOPE_SCALE_LINEAR, GST_CUDA_HISTO_SCOPE_SCALE_LOGARITHMIC } GstCudaHistoScopeScale;

/* Values at the lines of waveforms. */
typedef enum {
  GST_CUDA_HISTO_SCOPE_WAVEFORM_SCALE_CODE,
  GST_CUDA_HISTO_SCOPE_WAVEFORM_SCALE_NITS
} GstCudaHistoScopeWaveformScale;

/* Position of the scope in the picture. */
typedef enum {
  GST_CUDA_HISTO_SCOPE_PLACEMENT_TOP_LEFT,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_TOP,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_TOP_RIGHT,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_LEFT,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_CENTER,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_RIGHT,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_BOTTOM_LEFT,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_BOTTOM,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_BOTTOM_RIGHT,
  GST_CUDA_HISTO_SCOPE_PLACEMENT_POSITION
} GstCudaHistoScopePlacement;

/* Colours are 0xAARRGGBB, not premultiplied. */
typedef struct {
  const gchar *element; /* name of the element whose results are drawn; NULL: the nearest upstream. From g_intern_string(). */
  GstCudaHistoScopeOutput output;
  GstCudaHistoScopeModes modes;
  GstCudaHistoScopeScale scale;
  GstCudaHistoScopeWaveformScale waveform_scale;
  GstCudaHistoScopePlacement placement;
  gdouble xpos; /* 0 (left) to 1 (right), in the space beside the scope */
  gdouble ypos;
  gdouble size;    /* height of the scope as a fraction of the picture's */
  gdouble opacity; /* 0 to 1 */
  gdouble gain;    /* factor for the brightness of waveforms and the vectorscope */
  gboolean legal_range;
  gboolean marks;
  gboolean numbers;
  guint32 color;
  guint32 trace_color;
  guint32 mark_color;
  guint32 legal_color;
  guint32 background_color;
} GstCudaHistoScopeSettings;

void gst_cuda_histo_scope_settings_init (GstCudaHistoScopeSettings *settings);

/* Installs the properties of the element. */
void gst_cuda_histo_scope_settings_install (GObjectClass *klass);

/* For set_property() and get_property(). */
void gst_cuda_histo_scope_settings_set (GstCudaHistoScopeSettings *settings, guint id, const GValue *value);
void gst_cuda_histo_scope_settings_get (const GstCudaHistoScopeSettings *settings, guint id, GValue *value);
