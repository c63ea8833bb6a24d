/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures: the place of the visible samples in a buffer of raw video, by its caps and metas. Maps nothing. */

#ifndef GST_CUDA_HISTO_PICTURE_H
#define GST_CUDA_HISTO_PICTURE_H

#include <cudahisto/histo.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Limit of pictures in a buffer. */
#define GST_CUDA_HISTO_MAX_PICTURES 32

/* Limit of rows, and of samples in a row, for all statistics but the histogram. */
#define GST_CUDA_HISTO_MAX_SIDE 65536

/* Statistics of colours, bits of enum histo_statistic. They need luma and chroma, sample by sample. */
#define GST_CUDA_HISTO_COLOUR_STATISTICS                                                                   \
  (HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE | HISTO_STATISTIC_OUT_OF_RANGE | HISTO_STATISTIC_GAMUT \
   | HISTO_STATISTIC_VECTORSCOPE)

/* Returns the number of pictures in each buffer: the views with multiview-mode=separated, and two for each view with
 * interlace-mode=fields. Above GST_CUDA_HISTO_MAX_PICTURES none can be mapped. */
guint gst_cuda_histo_picture_get_count (const GstVideoInfo *info);

/* Returns the statistics that a picture of a format can have, those of colours included: bits of enum histo_statistic. `width`
 * and `height` are those of the visible part. */
guint32 gst_cuda_histo_picture_get_statistics (const GstVideoInfo *info, guint width, guint height);

/* Whether each picture is a field: interlace-mode=fields. */
gboolean gst_cuda_histo_picture_is_field (const GstVideoInfo *info);

/* The visible part of a plane, in bytes and rows, without addresses. */
typedef struct {
  guint first_row, rows;
  gsize first_byte; /* offset in each row */
  gsize row_bytes;  /* from the first byte to the end of the last sample; 0: the plane has no component */
} GstCudaHistoExtent;

/* The place of a picture in a buffer. Borrows from the buffer and its caps. */
typedef struct {
  const GstVideoMeta *meta; /* source of the following fields, or NULL */
  gint memory;              /* index of its own memory, or -1: it may be anywhere in the buffer */
  gsize size;               /* bytes of that memory, or of the buffer */
  const gsize *offsets;     /* bytes, from there */
  const gint *strides;      /* bytes */
  GstCudaHistoExtent extents[GST_VIDEO_MAX_PLANES];
} GstCudaHistoPicture;

/* Finds picture `index` of a buffer and describes its visible part in `frame`: the components, the position of chroma with rows
 * from top to bottom, and the planes without addresses and strides. Without a GstVideoMeta, strides and offsets are those of
 * `fallback`. FALSE with @error if the metas contradict the caps or each other: then count none of the buffer's pictures. */
gboolean gst_cuda_histo_picture_find (GstCudaHistoPicture *picture, const GstVideoInfo *info, const GstVideoInfo *fallback,
                                      GstBuffer *buffer, guint index, struct histo_frame *frame, GError **error);

/* FALSE with @error if the buffer is smaller than its caps require. */
gboolean gst_cuda_histo_picture_check_size (const GstCudaHistoPicture *picture, const GstVideoInfo *info, GError **error);

/* FALSE with @error if the strides and offsets exceed the buffer. */
gboolean gst_cuda_histo_picture_check_layout (const GstCudaHistoPicture *picture, const GstVideoInfo *info, GError **error);

/* Finds the bytes *begin to *end of a plane, relative to its first row, that contain samples. Either may be negative. */
void gst_cuda_histo_extent_find_bytes (const GstCudaHistoExtent *extent, gint stride_bytes, gint64 *begin, gint64 *end);

G_END_DECLS

#endif
