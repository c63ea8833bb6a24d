/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame mapping: makes frames for the engine from a GstBuffer of raw video, without copying samples, for each accepted format
 * and memory. */

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

/* Maps the visible samples of picture `index` of a video buffer for reading. Strides and offsets are those of the GstVideoMeta
 * with that id (the first one in a buffer of one picture). GstVideoCropMeta crops, in pixels; all samples of a subsampled
 * component that touch the rectangle are visible. Without metas each view has its own memory. Keeps `buffer`.
 *
 * Returns NULL with @error, a text for users, if the buffer is too small or has other pictures than its caps or metas describe,
 * or these contradict each other (GST_STREAM_ERROR_DECODE), if they are ambiguous (GST_STREAM_ERROR_NOT_IMPLEMENTED), or if the
 * buffer cannot be read (GST_RESOURCE_ERROR_READ). `info` has one of GST_CUDA_HISTO_FORMATS. Interleaved fields are one
 * picture. Fields in separate buffers are not supported. */
GstCudaHistoFrame *gst_cuda_histo_frame_map_video (const GstVideoInfo *info, GstBuffer *buffer, guint index, GError **error);

/* Like gst_cuda_histo_frame_map_video(), for a buffer that is one memory on the GPU, and an engine in its context. Without a
 * GstVideoMeta, strides and offsets are those of the memory. */
GstCudaHistoFrame *gst_cuda_histo_frame_map_cuda (const GstVideoInfo *info, GstBuffer *buffer, guint index, GError **error);

G_END_DECLS

#endif
