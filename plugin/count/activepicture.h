/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The active picture: the picture inside black bars, as FFmpeg's cropdetect finds it. Pure arithmetic on row and column
 * sums. */

#pragma once

#include "count/counter.h"
#include "result/result.h"

/* The rows and columns that are not black: x1 <= x < x2, y1 <= y < y2. Both 0: none on that axis. */
typedef struct {
  gboolean is_known; /* at least one picture was added */
  guint x1, y1, x2, y2;
} GstCudaHistoActivePicture;

/* Extends the area by the next picture, which has row and column sums without weights. */
void gst_cuda_histo_active_picture_add (GstCudaHistoActivePicture *active, const GstCudaHistoCounted *counted);

/* Moves the areas of GST_CUDA_HISTO_MAX_PARTS to `pictures` (NULL: drops them): x and width of the columns, y and height of the
 * rows. If either axis has none (x and width, or y and height, are 0), there is no active picture. The other axis may still
 * have an area: a single white row leaves each column black. Returns whether whole pictures were added. */
gboolean gst_cuda_histo_active_pictures_take (GstCudaHistoActivePicture *active, GstCudaHistoRegion *pictures);
