/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Distances between histograms: of each picture from the previous one, and of a reference from its picture. They need the
 * counters of single frames, which the totals of a window do not have any more. For one thread at a time. */

#ifndef GST_CUDA_HISTO_DISTANCES_H
#define GST_CUDA_HISTO_DISTANCES_H

#include "count/counter.h"
#include "frame/picture.h"
#include "result/result.h"

G_BEGIN_DECLS

/* All zeros before its first use. */
typedef struct {
  struct histo_stats latest[GST_CUDA_HISTO_MAX_PICTURES]; /* of each picture of a buffer: copies */
  GstCudaHistoDistance previous[HISTO_MAX_COMPONENTS], reference[HISTO_MAX_COMPONENTS]; /* since they were taken */
} GstCudaHistoDistances;

/* Adds the distances that the next frame in stream order has: a picture that had an operand from the one before it, a part
 * GST_CUDA_HISTO_PART_REFERENCE from the latest picture. Others have none. */
void gst_cuda_histo_distances_add (GstCudaHistoDistances *distances, const GstCudaHistoCounted *counted);

/* Moves what was added up to the two arrays, of HISTO_MAX_COMPONENTS. The latest pictures stay. */
void gst_cuda_histo_distances_take (GstCudaHistoDistances *distances, GstCudaHistoDistance *previous,
                                    GstCudaHistoDistance *reference);

/* All zeros again. */
void gst_cuda_histo_distances_clear (GstCudaHistoDistances *distances);

G_END_DECLS

#endif
