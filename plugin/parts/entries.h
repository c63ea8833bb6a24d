/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of one picture for the counter: the picture, and its other parts. */

#ifndef GST_CUDA_HISTO_ENTRIES_H
#define GST_CUDA_HISTO_ENTRIES_H

#include "count/counter.h"

G_BEGIN_DECLS

/* The arguments of gst_cuda_histo_counter_add(). The picture is the first. */
typedef struct {
  guint count;
  GstCudaHistoEntry entries[GST_CUDA_HISTO_MAX_PARTS];
} GstCudaHistoEntries;

/* Adds a frame of the part `part`. Takes `frame` and `operand`, which may be NULL, and copies `picture`. Returns the copy. */
GstCudaHistoCounted *gst_cuda_histo_entries_add (GstCudaHistoEntries *entries, guint part, GstCudaHistoFrame *frame,
                                                 GstCudaHistoFrame *operand, const GstCudaHistoCounted *picture);

/* Drops all entries. */
void gst_cuda_histo_entries_clear (GstCudaHistoEntries *entries);

G_END_DECLS

#endif
