/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame mapping: makes frames for the engine from a GstBuffer of raw video, for each supported format and memory (layout.h).
 * Samples are copied only if the engine cannot read their format. */

#pragma once

#include <gst/video/video.h>

#include "frame/frame.h"
#include "frame/picture.h"

G_BEGIN_DECLS

/* Maps the visible samples of picture `index` of a video buffer for reading. Strides and offsets are those of the GstVideoMeta
 * with that id (the first one in a buffer of one picture). GstVideoCropMeta crops, in pixels; all samples of a subsampled
 * component that touch the rectangle are visible. Without metas each view has its own memory. Keeps `buffer`, or unpacks the
 * samples to a block of `pinner` (NULL: ordinary memory).
 *
 * Returns NULL with @error, a text for users, if the buffer is too small or has other pictures than its caps or metas describe,
 * or these contradict each other (GST_STREAM_ERROR_DECODE), if they are ambiguous (GST_STREAM_ERROR_NOT_IMPLEMENTED), or if the
 * buffer cannot be read (GST_RESOURCE_ERROR_READ). `info` has a supported format. Interleaved fields are one picture. */
GstCudaHistoFrame *gst_cuda_histo_frame_map_video (const GstVideoInfo *info, GstBuffer *buffer, guint index,
                                                   GstCudaHistoPinner *pinner, GError **error);

/* Like gst_cuda_histo_frame_map_video(), for a buffer that is one memory on the GPU, and an engine in its context. Without a
 * GstVideoMeta, strides and offsets are those of the memory. Unpacked samples are in system memory. */
GstCudaHistoFrame *gst_cuda_histo_frame_map_cuda (const GstVideoInfo *info, GstBuffer *buffer, guint index,
                                                  GstCudaHistoPinner *pinner, GError **error);

G_END_DECLS
