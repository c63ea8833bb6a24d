/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights of pixels for the metered mean of luma, in a frame that is the operand of luma's dot product. */

#pragma once

#include <gst/video/video.h>

#include "frame/frame.h"

G_BEGIN_DECLS

/* Weights of the pixels in the weighted mean of luma. */
typedef enum {
  GST_CUDA_HISTO_METERING_NONE,
  GST_CUDA_HISTO_METERING_AVERAGE,
  GST_CUDA_HISTO_METERING_CENTER,
  GST_CUDA_HISTO_METERING_SPOT,
  GST_CUDA_HISTO_METERING_WEIGHTS
} GstCudaHistoMetering;

/* A map of weights, owned by the caller of gst_cuda_histo_meter_map_read(). */
typedef struct {
  guint width, height;
  guint16 *weights; /* rows from top to bottom */
} GstCudaHistoMeterMap;

/* Reads a PGM picture (P2 or P5) whose samples are the weights. NULL with @error, a text for users, if it cannot be read or is
 * not a PGM picture. */
GstCudaHistoMeterMap *gst_cuda_histo_meter_map_read (const gchar *location, GError **error);
void gst_cuda_histo_meter_map_free (GstCudaHistoMeterMap *map);

/* Returns luma of a picture as a separate frame, with the dot product as its statistic. `matrix`: derives luma of R, G and B;
 * all zeros: the picture has luma. Luma is the first component of the results. */
GstCudaHistoFrame *gst_cuda_histo_meter_frame_of_luma (GstCudaHistoFrame *picture, const struct histo_matrix *matrix);

/* Returns the weights of such a frame's pixels as its operand, and their *sum. As R, G and B they are grey, whose luma they
 * are. `map` is for GST_CUDA_HISTO_METERING_WEIGHTS.
 * NULL if a weight exceeds the largest value of luma, which is stored in *largest. */
GstCudaHistoFrame *gst_cuda_histo_meter_frame_of_weights (const GstCudaHistoFrame *luma, GstCudaHistoMetering metering,
                                                          const GstCudaHistoMeterMap *map, guint64 *sum, guint *largest);

/* Returns the same weights on the GPU, for whole pictures of `info` there. NULL if they cannot be uploaded. */
GstCudaHistoFrame *gst_cuda_histo_meter_frame_upload (const GstCudaHistoFrame *weights, const GstVideoInfo *info,
                                                      GstObject *context);

G_END_DECLS
