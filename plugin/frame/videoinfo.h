/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The description of raw video in caps. No other file of the plugin reads colorimetry from caps. */

#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Like gst_video_info_from_caps(), but keeps all known parts of the colorimetry in fixed `caps`, and gives luma a matrix.
 *
 * If the matrix of luma and chroma is unknown or RGB, GStreamer (1.22, and later versions so far) replaces all four parts by
 * defaults, and later versions have other defaults from 2160 rows on. "1:0:0:0", a decoder's full range without a description
 * of the colours, becomes limited range. "2:0:14:7", PQ with the primaries of BT.2020, becomes BT.709. For grey it keeps an
 * unknown matrix, which videoconvert treats as different from any other, and so converts colours.
 *
 * This function keeps the range, transfer function and primaries of the caps in both cases. Unknown parts are those of BT.2020
 * if the primaries are BT.2020's or the transfer function is PQ or HLG, otherwise those of BT.601 up to 576 rows and of BT.709
 * above. Grey has full range, and keeps unknown parts but the matrix. If the caps have a matrix, or frames are RGB, unknown
 * parts stay unknown. FALSE: invalid caps. */
gboolean gst_cuda_histo_video_info_from_caps (GstVideoInfo *info, const GstCaps *caps);

/* Returns the matrix that gives luma to frames of R, G and B: that of fixed `caps`, which GStreamer replaces by RGB, or that of
 * their primaries if these are BT.2020's, otherwise BT.709's. NULL: caps without a matrix. */
GstVideoColorMatrix gst_cuda_histo_video_info_get_luma_matrix (const GstVideoInfo *info, const GstCaps *caps);

/* Sets an unknown range in the colorimetry of frames of `info` to the usual one: limited for luma with chroma, full for RGB and
 * grey. For conversions, which need a range. */
void gst_cuda_histo_video_info_assume_range (const GstVideoInfo *info, GstVideoColorimetry *colorimetry);

G_END_DECLS
