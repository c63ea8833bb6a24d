/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Distances between histograms: of each picture from the previous one, and of a reference from its picture. They need the bins
 * of single frames, which a window's totals lack. For one thread at a time. */

#pragma once

#include "count/counter.h"
#include "frame/pictureformat.h"
#include "result/result.h"

/* Initialise with zeros. */
typedef struct {
  struct histo_stats latest[GST_CUDA_HISTO_MAX_PICTURES]; /* copies, for each picture of a buffer */
  /* Totals since the last gst_cuda_histo_distances_take(). */
  GstCudaHistoDistance previous[HISTO_MAX_COUNTED], reference[HISTO_MAX_COUNTED];
} GstCudaHistoDistances;

/* Adds the distances of the next frame in stream order. A picture with an operand is compared with the previous one, a part
 * GST_CUDA_HISTO_PART_REFERENCE with the last picture. Other frames have no distance. */
void gst_cuda_histo_distances_add (GstCudaHistoDistances *distances, const GstCudaHistoCounted *counted);

/* Moves the totals to the two arrays of HISTO_MAX_COUNTED. The last pictures stay. */
void gst_cuda_histo_distances_take (GstCudaHistoDistances *distances, GstCudaHistoDistance *previous,
                                    GstCudaHistoDistance *reference);

/* Resets to zeros. */
void gst_cuda_histo_distances_clear (GstCudaHistoDistances *distances);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstCudaHistoDistances, gst_cuda_histo_distances_clear)
