/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Picture formats: the pictures, components and statistics of a format of raw video. */

#pragma once

#include <cudahisto/histo.h>
#include <gst/video/video.h>

#include "frame/layout.h"

G_BEGIN_DECLS

/* Limit of pictures in a buffer. */
#define GST_CUDA_HISTO_MAX_PICTURES 32

/* Limit of rows, and of samples in a row, for all statistics but the histogram. */
#define GST_CUDA_HISTO_MAX_SIDE 65536

/* Statistics of colours, bits of enum histo_statistic. They need luma and chroma, sample by sample. */
#define GST_CUDA_HISTO_COLOUR_STATISTICS                                                                   \
  (HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE | HISTO_STATISTIC_OUT_OF_RANGE | HISTO_STATISTIC_GAMUT \
   | HISTO_STATISTIC_VECTORSCOPE)

/* Those that need R, G and B, or chroma. The others need chroma, stored or derived. */
#define GST_CUDA_HISTO_RGB_STATISTICS HISTO_STATISTIC_GAMUT

/* Those that pictures of R, G and B also have, and that need a transfer function of HDR. */
#define GST_CUDA_HISTO_HDR_STATISTICS HISTO_STATISTIC_LIGHT

/* Returns the number of pictures in each buffer: the views with multiview-mode=separated, and two for each view with
 * interlace-mode=fields. Above GST_CUDA_HISTO_MAX_PICTURES none can be mapped. */
guint gst_cuda_histo_picture_get_count (const GstVideoInfo *info);

/* Returns the statistics that a picture of a format can have, those of colours included: bits of enum histo_statistic. `width`
 * and `height` are those of the visible part. */
guint32 gst_cuda_histo_picture_get_statistics (const GstVideoInfo *info, guint width, guint height);

/* Whether each picture is a field, and a buffer has both fields: interlace-mode=fields. */
gboolean gst_cuda_histo_picture_is_field (const GstVideoInfo *info);

/* Whether each picture is a field, and the next buffer has the other one: interlace-mode=alternate. */
gboolean gst_cuda_histo_picture_is_alternate (const GstVideoInfo *info);

/* The visible part of a plane, in bytes and rows, without addresses. */
typedef struct {
  guint first_row, rows;
  gsize first_byte; /* offset in each row */
  gsize row_bytes;  /* from the first byte to the end of the last sample; 0: the plane has no component */
} GstCudaHistoExtent;

/* The visible part of a picture, in pixels. */
typedef struct {
  guint x, y, width, height;
} GstCudaHistoVisible;

/* Describes the visible part of a picture: the components, the position of chroma with rows from top to bottom, the heights of
 * the planes, and the extent of each plane. */
void gst_cuda_histo_picture_describe (struct histo_frame *frame, const GstCudaHistoLayout *layout,
                                      const GstCudaHistoVisible *visible, GstCudaHistoExtent extents[GST_VIDEO_MAX_PLANES]);

/* Whether luma and chroma can be derived from pictures of a format. `width` and `height` are those of the visible part. */
gboolean gst_cuda_histo_picture_can_derive (const GstVideoInfo *info, guint width, guint height);

/* Returns the coefficients for deriving them from R, G and B by a matrix with luma, in the range of the caps. */
struct histo_matrix gst_cuda_histo_picture_get_matrix (const GstVideoInfo *info, GstVideoColorMatrix matrix);

/* Returns the preferred range of EBU R103 for the matrix and range of the caps, or their usual values if unknown. */
struct histo_gamut gst_cuda_histo_picture_get_gamut (const GstVideoInfo *info);

/* Returns the name of the transfer function for which pictures have light: "pq" or "hlg-1000". Static. NULL: none. */
const gchar *gst_cuda_histo_picture_get_light_transfer (const GstVideoInfo *info);

/* Returns the light for the matrix and range of the caps, or their usual values if unknown. All zeros: the transfer function
  * is no such function, or the format has neither Y, U and V nor R, G and B. */
struct histo_light gst_cuda_histo_picture_get_light (const GstVideoInfo *info);

G_END_DECLS
