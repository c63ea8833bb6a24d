/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What caps say of raw video: the only place in the plugin that reads their colorimetry. */

#ifndef GST_CUDA_HISTO_VIDEO_INFO_H
#define GST_CUDA_HISTO_VIDEO_INFO_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* As gst_video_info_from_caps(), but what the colorimetry of fixed `caps` says is never lost, and luma has a matrix. GStreamer
 * (1.22, and later versions so far) takes its default for all four parts of one whose matrix is unknown or RGB, where frames
 * are of luma and chroma: "1:0:0:0", as decoders have it of full range without a description of the colours, becomes limited
 * range. Of grey an unknown matrix stays, which videoconvert takes for another one than any, and makes colours of it. Here, of
 * both, the range, the transfer function and the primaries are those of the caps, and the matrix and whatever else these leave
 * open is GStreamer's default for the format and size. Where caps name a matrix, or frames are RGB, other parts that they leave
 * open stay unknown. FALSE: the caps are not understood. */
gboolean gst_cuda_histo_video_info_from_caps (GstVideoInfo *info, const GstCaps *caps);

/* Gives a colorimetry of frames of `info` whose range is unknown the one that most such frames have: limited for luma with
 * chroma, full for RGB and grey. For who has to know: a conversion between them. */
void gst_cuda_histo_video_info_assume_range (const GstVideoInfo *info, GstVideoColorimetry *colorimetry);

G_END_DECLS

#endif
