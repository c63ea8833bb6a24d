/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The regions of a picture as its parts. */

#pragma once

#include "frame/region.h"
#include "parts/entries.h"

/* What the regions of a picture depend on. Borrows all. */
typedef struct {
  const GstCudaHistoRegions *regions;          /* to count */
  const GstCudaHistoRegions *previous_regions; /* those that were counted in the operand */
  gboolean is_field;                           /* the picture is a field, and the regions are those of a frame */
  gboolean has_weights;                        /* row and column sums have weights, which are the whole picture's */
} GstCudaHistoRegionSet;

/* Adds the regions of `frame` to the entries. `operand` is the picture's, or NULL. Neither is taken. */
void gst_cuda_histo_region_set_add (const GstCudaHistoRegionSet *set, GstCudaHistoFrame *frame, GstCudaHistoFrame *operand,
                                    const GstCudaHistoCounted *picture, GstCudaHistoEntries *entries);
