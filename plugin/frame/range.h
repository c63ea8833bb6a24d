/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conversion between limited and full range, and from fewer bits to more: corresponding samples have the same meaning.
 * GStreamer's videoconvert (1.22, and later versions so far) keeps the range if the matrix stays the same, whatever the caps
 * are. It also widens samples by repeating their upper bits, which is correct for full range only. */

#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Conversion tables, one for each component. */
typedef struct _GstCudaHistoRange GstCudaHistoRange;

/* Returns the conversion of frames of `from`, in its range, to the range `to`. If GStreamer made them from the format
 * `decoded`, with fewer bits and the same number of samples, the conversion is from that. NULL if there is nothing to do: both
 * are the same, or one of the ranges is neither full nor limited. NULL also for samples of fewer than 8 bits, for palettes, and
 * for the unpacked formats that GStreamer does not pack well, such as UYVP (unpack.h). */
GstCudaHistoRange *gst_cuda_histo_range_new (const GstVideoInfo *from, const GstVideoFormatInfo *decoded,
                                             GstVideoColorRange to);
void gst_cuda_histo_range_free (GstCudaHistoRange *range);

/* Returns a copy of `buffer` with all its metas, whose first picture is converted in its visible part. Each sample becomes the
 * nearest one, of two the greater, within the values of its depth. Alpha is unchanged. `buffer` is not modified: a decoder may
 * still read it. NULL with @error if the buffer is smaller than its caps or metas require, or these contradict each other
 * (GST_STREAM_ERROR_DECODE), or if it cannot be read (GST_RESOURCE_ERROR_READ). */
GstBuffer *gst_cuda_histo_range_convert (const GstCudaHistoRange *range, GstBuffer *buffer, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoRange, gst_cuda_histo_range_free)

G_END_DECLS
