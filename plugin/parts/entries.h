/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of one picture for the counter: the picture, and its other parts. */

#pragma once

#include "count/counter.h"

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
