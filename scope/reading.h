/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values that the scope draws, as plain numbers and arrays, read from a result of cudahisto. */

#pragma once

#include <cudahisto/gstcudahisto.h>

#define GST_CUDA_HISTO_SCOPE_MAX_COMPONENTS 5
#define GST_CUDA_HISTO_SCOPE_LEVELS 256 /* in a column of a waveform; of U and V in a vectorscope */

/* The properties of the stream, which do not change between results. Unused bytes are zero, so that memcmp() can compare
 * two. */
typedef struct {
  gchar format[24];      /* as in the caps */
  gchar colorimetry[24]; /* "BT.709" and the like */
  guint width;           /* in pixels */
  guint height;
  guint depth; /* significant bits of a sample */
  guint n_components;
  gchar names[GST_CUDA_HISTO_SCOPE_MAX_COMPONENTS][8]; /* "Y" and so on */
  guint main;                                          /* the component that represents brightness */
  gboolean is_rgb;
  gboolean is_limited; /* the samples have a nominal range with values outside it */
  gboolean is_pq;      /* SMPTE ST 2084 */
  gdouble kr;          /* weights of red and blue in luma */
  gdouble kb;
  gboolean has_main_histogram;
  gboolean has_histograms; /* of all components */
  gboolean has_waveforms;
  gboolean has_vectorscope;
} GstCudaHistoScopeSignal;

/* The numbers of one component. The result owns the arrays. */
typedef struct {
  const guint64 *histogram; /* NULL: the result has none */
  gsize n_bins;             /* 256, or one for each value */
  const guint64 *waveform;  /* n_columns rows of 256 bins; NULL: the result has none */
  gsize n_columns;
  gboolean has_numbers; /* samples were counted */
  gdouble mean, stddev;
  guint min, low, median, high, max; /* at the samples' own depth */
} GstCudaHistoScopeTrace;

typedef struct {
  GstCudaHistoScopeSignal signal;
  GstCudaHistoScopeTrace traces[GST_CUDA_HISTO_SCOPE_MAX_COMPONENTS];
  const guint64 *vectorscope; /* 256 rows, one for each V, of 256 bins, one for each U; NULL: the result has none */
  gboolean has_saturation;    /* the next two are valid */
  gdouble saturation_mean;    /* at the samples' own depth */
  guint saturation_max;
} GstCudaHistoScopeReading;

/* Reads a result, which must outlive the reading. */
void gst_cuda_histo_scope_reading_init (GstCudaHistoScopeReading *reading, const GstCudaHistoResult *result);

/* The luminance of grey of this value in PQ video, in nits (SMPTE ST 2084). */
gdouble gst_cuda_histo_scope_signal_get_nits (const GstCudaHistoScopeSignal *signal, guint value);

/* The nominal range of a component, at the samples' own depth: 16 to 235 for 8-bit luma, R, G and B, 16 to 240 for chroma.
 * FALSE if it has none, as in full range. */
gboolean gst_cuda_histo_scope_signal_get_legal_range (const GstCudaHistoScopeSignal *signal, guint component, guint *low,
                                                      guint *high);
