/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistics of each frame. On the streaming thread. */

#pragma once

#include <cudahisto/histo.h>

#include "element.h"

/* For the present caps. */
typedef struct {
  guint32 statistics;         /* requested for each frame: bits of enum histo_statistic */
  guint n_derived;            /* as in GstCudaHistoSource */
  struct histo_matrix matrix; /* of R, G and B: for deriving components; all zeros: of others */
  gboolean has_previous;      /* each frame is compared with the previous one */
  gboolean measures_previous; /* FALSE: frames are compared only for freezes */
} GstCudaHistoChosen;

/* Returns the names of GstCudaHistoStatistics: "saturation, hue". Free with g_free(). Any thread. */
gchar *gst_cuda_histo_name_statistics (guint32 statistics);

/* Sets the statistics of each frame for the present caps and the visible size in `source`. Warns of statistics that were
 * requested by name and are not available. */
void gst_cuda_histo_choose_statistics (GstCudaHisto *self);

/* Returns the number of columns of waveforms: the user's, or that of the picture. */
guint gst_cuda_histo_get_waveform_columns (GstCudaHisto *self);

/* Warns once that buffers without a previous one of equal size have no operand. */
void gst_cuda_histo_warn_of_unequal_sizes (GstCudaHisto *self);
