/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Row and column sums: their weights. For the streaming thread. */

#pragma once

#include "common/host.h"
#include "count/counter.h"
#include "frame/format.h"

/* Initialise with zeros. */
typedef struct {
  /* From start to stop. gint16; NULL: all 1. */
  GArray *row_weights, *column_weights;
  gboolean has_weights;        /* either of them */
  struct histo_frame weighted; /* components and planes of the last frame for which weights were set */
  guint bottom_up;             /* its planes that are stored from the last row to the first */
} GstCudaHistoSums;

/* Reads both files of weights. NULL: all 1. FALSE with @error, a text for users. */
gboolean gst_cuda_histo_sums_open (GstCudaHistoSums *sums, const gchar *row_location, const gchar *column_location,
                                   GError **error);
void gst_cuda_histo_sums_clear (GstCudaHistoSums *sums);

/* Sets the weights of a picture's row and column sums in the counter. In interlace-mode=mixed, omits the sums of fields if the
 * weights are for whole frames, and the reverse, with a warning. FALSE after a failure. May post a message. */
gboolean gst_cuda_histo_sums_set_weights (GstCudaHistoSums *sums, GstCudaHistoFrame *frame, const GstCudaHistoFormat *format,
                                          GstCudaHistoCounter *counter, GstCudaHistoHost *host);

/* Describes the row and column sums of a picture for the counter. `statistics`: the requested GstCudaHistoStatistics. */
void gst_cuda_histo_sums_describe (const GstCudaHistoFrame *frame, const GstCudaHistoFormat *format, guint32 statistics,
                                   GstCudaHistoCounted *what);
