/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the scope draws, in plain numbers and arrays, and where they come from: a result of cudahisto. */

#ifndef GST_CUDA_HISTO_SCOPE_READING_H
#define GST_CUDA_HISTO_SCOPE_READING_H

#include <cudahisto/gstcudahisto.h>

G_BEGIN_DECLS

#define GST_CUDA_HISTO_SCOPE_MAX_COMPONENTS 4
#define GST_CUDA_HISTO_SCOPE_LEVELS 256 /* of a column of a waveform, and of U and V in a vectorscope */

/* What does not change from one result to the next while the stream stays what it is. All zeros where unused, so that two can
 * be compared by memcmp(). */
typedef struct {
  gchar format[24];      /* as in the caps */
  gchar colorimetry[24]; /* "BT.709" and the like */
  guint width;           /* in pixels */
  guint height;
  guint depth; /* significant bits of a sample */
  guint n_components;
  gchar names[GST_CUDA_HISTO_SCOPE_MAX_COMPONENTS][8]; /* "Y" and so on */
  guint main;                                          /* the component that brightness is measured by */
  gboolean is_rgb;
  gboolean is_limited; /* the samples have a nominal range, below and above which there are others */
  gdouble kr;          /* shares of red and blue in luma; of RGB those of BT.709 */
  gdouble kb;
  gboolean has_histograms;
  gboolean has_waveforms;
  gboolean has_vectorscope;
} GstCudaHistoScopeSignal;

/* Of one component. The arrays belong to the result. */
typedef struct {
  const guint64 *histogram; /* NULL: the result has none */
  gsize n_bins;             /* 256, or one for each value */
  const guint64 *waveform;  /* n_columns rows of 256 counters; NULL: the result has none */
  gsize n_columns;
  gboolean has_numbers; /* something was counted */
  gdouble mean, stddev;
  guint min, low, median, high, max; /* at the samples' own depth */
} GstCudaHistoScopeTrace;

typedef struct {
  GstCudaHistoScopeSignal signal;
  GstCudaHistoScopeTrace traces[GST_CUDA_HISTO_SCOPE_MAX_COMPONENTS];
  const guint64 *vectorscope; /* 256 rows, one for each V, of 256 counters, one for each U; NULL: the result has none */
  gboolean has_saturation;    /* with the next two */
  gdouble saturation_mean;    /* at the samples' own depth */
  guint saturation_max;
} GstCudaHistoScopeReading;

/* Reads a result, which has to live as long as the reading is used. */
void gst_cuda_histo_scope_reading_init (GstCudaHistoScopeReading *reading, const GstCudaHistoResult *result);

/* The nominal range of a component, at the samples' own depth: 16 to 235 of luma, R, G and B with 8 bits, 16 to 240 of chroma.
 * FALSE: it has none, as in full range. */
gboolean gst_cuda_histo_scope_signal_get_legal_range (const GstCudaHistoScopeSignal *signal, guint component, guint *low,
                                                      guint *high);

G_END_DECLS

#endif
