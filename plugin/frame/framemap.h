/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame mapping: from a GstBuffer of raw video to frames that the engine can count, without copying a sample, for every format
 * and memory that the element accepts. */

#ifndef GST_CUDA_HISTO_FRAMEMAP_H
#define GST_CUDA_HISTO_FRAMEMAP_H

#include <gst/video/video.h>

#include "frame/frame.h"
#include "frame/picture.h"

G_BEGIN_DECLS

/* The raw formats, in system memory and on the GPU, as a caps list: 8 bits, then 10 to 16 bits in two bytes. */
#define GST_CUDA_HISTO_FORMATS                                                        \
  "{ GRAY8, I420, YV12, NV12, NV21, Y42B, Y444, YUY2, UYVY, VUYA, "                   \
  "RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, RGBP, BGRP, GBR, GBRA, " \
  "P010_10LE, P012_LE, P016_LE, I420_10LE, I420_12LE, I422_10LE, I422_12LE, "         \
  "Y444_10LE, Y444_12LE, Y444_16LE, GBR_10LE, GBR_12LE, GBR_16LE }"

/* Maps the visible samples of picture `index` of a video buffer for reading: strides and offsets of the GstVideoMeta
 * with that id (the first one, where there is one picture), cropped by GstVideoCropMeta. Without metas views lie in
 * one memory each. The rectangle of the crop is in pixels; of a subsampled component all samples that it touches are
 * visible. `buffer` is kept. NULL, with @error in the user's words, where the buffer is smaller, or holds other
 * pictures, than its caps or metas promise, where these contradict each other (GST_STREAM_ERROR_DECODE), where
 * nothing says what is meant (GST_STREAM_ERROR_NOT_IMPLEMENTED) or where it cannot be read
 * (GST_RESOURCE_ERROR_READ). `info` is of one of GST_CUDA_HISTO_FORMATS. Interleaved fields are one picture; fields
 * in buffers of their own are not supported. */
GstCudaHistoFrame *gst_cuda_histo_frame_map_video (const GstVideoInfo *info, GstBuffer *buffer, guint index, GError **error);

/* The same for a buffer that is one memory on the GPU, which is read there: strides and offsets are those of the memory where
 * there is no GstVideoMeta. For an engine in the memory's context. */
GstCudaHistoFrame *gst_cuda_histo_frame_map_cuda (const GstVideoInfo *info, GstBuffer *buffer, guint index, GError **error);

G_END_DECLS

#endif
