/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights of pixels, for the mean of luma that an exposure control wants: as a frame that luma is multiplied with. */

#ifndef GST_CUDA_HISTO_METERMAP_H
#define GST_CUDA_HISTO_METERMAP_H

#include <gst/video/video.h>

#include "frame/frame.h"

G_BEGIN_DECLS

/**
 * GstCudaHistoMetering:
 * @GST_CUDA_HISTO_METERING_NONE: no weighted mean
 * @GST_CUDA_HISTO_METERING_AVERAGE: all pixels have the same weight
 * @GST_CUDA_HISTO_METERING_CENTER: pixels weigh the less the farther they are from the centre
 * @GST_CUDA_HISTO_METERING_SPOT: those in the middle eighth of width and height alone
 * @GST_CUDA_HISTO_METERING_WEIGHTS: as `weights-location` says
 *
 * Which pixels weigh how much in the weighted mean of luma.
 *
 * Since: 0.2
 */
typedef enum {
  GST_CUDA_HISTO_METERING_NONE,
  GST_CUDA_HISTO_METERING_AVERAGE,
  GST_CUDA_HISTO_METERING_CENTER,
  GST_CUDA_HISTO_METERING_SPOT,
  GST_CUDA_HISTO_METERING_WEIGHTS
} GstCudaHistoMetering;

/* A map of weights; owned by whoever read it. */
typedef struct {
  guint width, height;
  guint16 *weights; /* row by row from the top */
} GstCudaHistoMeterMap;

/* Reads a PGM picture (P2 or P5) whose samples are the weights. NULL with @error, in the user's words, where it cannot be read
 * or is not that. */
GstCudaHistoMeterMap *gst_cuda_histo_meter_map_read (const gchar *location, GError **error);
void gst_cuda_histo_meter_map_free (GstCudaHistoMeterMap *map);

/* Luma of a picture as a frame for itself, asked for its dot product. */
GstCudaHistoFrame *gst_cuda_histo_meter_frame_of_luma (GstCudaHistoFrame *picture);

/* The weights of the pixels of such a frame, as one that it can be multiplied with; *sum of all of them. `map` for
 * GST_CUDA_HISTO_METERING_WEIGHTS. NULL, and *largest, where a weight is more than samples of luma can be. */
GstCudaHistoFrame *gst_cuda_histo_meter_frame_of_weights (const GstCudaHistoFrame *luma, GstCudaHistoMetering metering,
                                                          const GstCudaHistoMeterMap *map, guint64 *sum, guint *largest);

/* The same weights on the GPU, for whole pictures of `info` there. NULL where they cannot be brought to it. */
GstCudaHistoFrame *gst_cuda_histo_meter_frame_upload (const GstCudaHistoFrame *weights, const GstVideoInfo *info,
                                                      GstObject *context);

G_END_DECLS

#endif
