/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The regions that are measured. On the streaming thread. */

#pragma once

#include "element.h"
#include "frame/region.h"

typedef struct {
  gchar *text;                 /* the property `regions`; under the object lock */
  gchar *valid_text;           /* its last valid value since the start; under the object lock */
  GstCudaHistoRegions asked;   /* from the property, while started */
  GstCudaHistoRegions current; /* of the open window, and of the next buffer unless it has others */
} GstCudaHistoRegionUse;

/* Reads the property `regions`. FALSE with @error if it is invalid. While started, the property and the regions then return to
 * the last valid value. */
gboolean gst_cuda_histo_take_regions (GstCudaHisto *self, GError **error);

/* Warns once that a byte stream has no regions. */
void gst_cuda_histo_check_regions (GstCudaHisto *self);

/* Returns the number of frames of a picture in the counter, its parts included: at least those that the settings and the
 * regions need. */
guint gst_cuda_histo_get_part_count (GstCudaHisto *self);

/* Finds the regions of a buffer whose visible size is in `source`. If they differ from those of the open window, ends the
 * window. */
void gst_cuda_histo_choose_regions (GstCudaHisto *self, GstBuffer *buffer);
