/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What caps say of raw video: the only place in the plugin that reads their colorimetry. */

#ifndef GST_CUDA_HISTO_VIDEO_INFO_H
#define GST_CUDA_HISTO_VIDEO_INFO_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* As gst_video_info_from_caps(), but what the colorimetry of fixed `caps` says is never lost. GStreamer (1.22, and later
 * versions so far) takes its default for all four parts of one whose matrix is unknown or, of luma and chroma, RGB: "1:0:0:0",
 * as decoders have it of full range without a description of the colours, becomes limited range. Here the range, the transfer
 * function and the primaries are those of the caps, and only what these leave open is the default. FALSE: the caps are not
 * understood. */
gboolean gst_cuda_histo_video_info_from_caps (GstVideoInfo *info, const GstCaps *caps);

/* Whether gst_video_info_from_caps() alone would have said something else of the colorimetry: elements that read `caps` do, so
 * that one which converts has to be told. `info` is that of `caps`. */
gboolean gst_cuda_histo_video_info_corrects_caps (const GstVideoInfo *info, const GstCaps *caps);

G_END_DECLS

#endif
