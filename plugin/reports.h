/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports of windows: message, meta and the line of the sidecar. */

#pragma once

#include "count/activepicture.h"
#include "count/counter.h"
#include "count/distances.h"
#include "count/lightpeaks.h"
#include "element.h"

typedef struct {
  gchar *input_name, *input_sampling; /* the properties; under the object lock */
  /* Of the frames' histograms since the last closed window. For the thread that does the counter's work. */
  GstCudaHistoDistances distances;
  GstCudaHistoActivePicture active_pictures[GST_CUDA_HISTO_MAX_PARTS]; /* the same, of the frames, if measured */
  GstCudaHistoLightPeaks light_peaks[GST_CUDA_HISTO_MAX_PARTS];        /* the same */
  /* Results of the windows since the last drain: owned GstStructure for the meta. Added on the thread that does the counter's
   * work, taken by the streaming thread while the counter is idle. */
  GQueue structures;
} GstCudaHistoReports;

/* The counter's callbacks, on the thread that does its work. */
extern const GstCudaHistoCounterCallbacks gst_cuda_histo_counter_callbacks;

/* Waits for the results of the windows that `buffer` completed, and attaches them. FALSE after a failure. */
gboolean gst_cuda_histo_attach_results (GstCudaHisto *self, GstBuffer *buffer);

/* Drops the results that no buffer can carry, and warns. The counter is idle. */
void gst_cuda_histo_drop_results (GstCudaHisto *self);

/* Drops everything that is not reported, when the counter has stopped. */
void gst_cuda_histo_clear_reports (GstCudaHisto *self);
