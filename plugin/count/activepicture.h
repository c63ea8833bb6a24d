/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The active picture: what black bars leave, as FFmpeg's cropdetect finds it. Pure arithmetic on row and column sums. */

#ifndef GST_CUDA_HISTO_ACTIVEPICTURE_H
#define GST_CUDA_HISTO_ACTIVEPICTURE_H

#include "count/counter.h"
#include "result/result.h"

G_BEGIN_DECLS

/* The rows and columns of pictures that are not black: x1 <= x < x2, y1 <= y < y2; both of an axis 0: there are none of it. */
typedef struct {
  gboolean is_known; /* there were pictures */
  guint x1, y1, x2, y2;
} GstCudaHistoActivePicture;

/* Adds what is not black of the next picture, of which there are row and column sums without weights. */
void gst_cuda_histo_active_picture_add (GstCudaHistoActivePicture *active, const GstCudaHistoCounted *counted);

/* Moves what was added, of each of GST_CUDA_HISTO_MAX_PARTS, to `pictures` (NULL: it is dropped): x and width of the columns, y
 * and height of the rows. Where either has none (x and width, or y and height, are 0) there is no active picture, though the
 * other may have some: a single white row leaves each column black. Whether there were whole pictures. */
gboolean gst_cuda_histo_active_pictures_take (GstCudaHistoActivePicture *active, GstCudaHistoRegion *pictures);

G_END_DECLS

#endif
