/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From limited to full range and back, and from few bits to more: samples of the one that mean what those of the other do.
 * GStreamer's videoconvert (1.22, and later versions so far) leaves the range alone where the matrix stays the same, whatever
 * its caps say; and it widens samples by repeating their upper bits, which is right for full range alone. */

#ifndef GST_CUDA_HISTO_RANGE_H
#define GST_CUDA_HISTO_RANGE_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* A table of samples for each component. */
typedef struct _GstCudaHistoRange GstCudaHistoRange;

/* What brings frames of `from`, of its range, to the range `to`; where GStreamer has made them of frames of the format
 * `decoded` that had fewer bits and as many samples, from those. NULL: there is nothing to do, since both are the same, or one
 * of the ranges is neither full nor limited; or samples of the format cannot be had one by one: it is complex, as v210,
 * big-endian, or of more than 16 bits. None of GST_CUDA_HISTO_FORMATS is. */
GstCudaHistoRange *gst_cuda_histo_range_new (const GstVideoInfo *from, const GstVideoFormatInfo *decoded,
                                             GstVideoColorRange to);
void gst_cuda_histo_range_free (GstCudaHistoRange *range);

/* A copy of `buffer` with all that it bears, whose first picture is of the other range, as far as it is visible: each sample
 * the nearest one, of two the greater, and none beyond those that the depth has. Alpha stays. `buffer` is untouched: a decoder
 * may still read it. NULL with @error where it is smaller than its caps or metas promise, or these contradict each other
 * (GST_STREAM_ERROR_DECODE), or it cannot be read (GST_RESOURCE_ERROR_READ). */
GstBuffer *gst_cuda_histo_range_convert (const GstCudaHistoRange *range, GstBuffer *buffer, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoRange, gst_cuda_histo_range_free)

G_END_DECLS

#endif
