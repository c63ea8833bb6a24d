/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures: where in a buffer of raw video the visible samples lie, by its caps and its metas. Nothing is mapped here. */

#ifndef GST_CUDA_HISTO_PICTURE_H
#define GST_CUDA_HISTO_PICTURE_H

#include <cudahisto/histo.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* The most pictures of a buffer that are counted. */
#define GST_CUDA_HISTO_MAX_PICTURES 32

/* Rows, and samples in a row, of a picture of which the engine has more than a histogram. */
#define GST_CUDA_HISTO_MAX_SIDE 65536

/* Of enum histo_statistic: those of the colours of a picture, which need luma and chroma sample by sample. */
#define GST_CUDA_HISTO_COLOUR_STATISTICS                                                                   \
  (HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE | HISTO_STATISTIC_OUT_OF_RANGE | HISTO_STATISTIC_GAMUT \
   | HISTO_STATISTIC_VECTORSCOPE)

/* How many pictures each buffer holds: more than one with multiview-mode=separated, the views, and with interlace-mode=fields,
 * two for each view. More than GST_CUDA_HISTO_MAX_PICTURES: none can be mapped. */
guint gst_cuda_histo_picture_get_count (const GstVideoInfo *info);

/* Which statistics of a picture, and of its colours, a format can have: bits of enum histo_statistic. `width` and `height` are
 * those of the visible part. */
guint32 gst_cuda_histo_picture_get_statistics (const GstVideoInfo *info, guint width, guint height);

/* Whether each picture is a field: interlace-mode=fields. */
gboolean gst_cuda_histo_picture_is_field (const GstVideoInfo *info);

/* The visible part of a plane, in bytes and rows, before anything is known about addresses. */
typedef struct {
  guint first_row, rows;
  gsize first_byte; /* in each row */
  gsize row_bytes;  /* from the first byte to the end of the last sample; 0: no component lies in the plane */
} GstCudaHistoExtent;

/* Where one picture of a buffer lies. Borrows from the buffer and its caps. */
typedef struct {
  const GstVideoMeta *meta; /* which says so, or NULL */
  gint memory;              /* the memory that it has for itself, or -1: it lies anywhere in the buffer */
  gsize size;               /* bytes of that, or of the buffer */
  const gsize *offsets;     /* bytes, from there */
  const gint *strides;      /* bytes */
  GstCudaHistoExtent extents[GST_VIDEO_MAX_PLANES];
} GstCudaHistoPicture;

/* Finds picture `index` of a buffer, and describes its visible part in `frame`: the components, which chroma belongs to which
 * luma where rows lie from top to bottom, and the planes but for their addresses and strides. Without a GstVideoMeta, strides
 * and offsets are those of `fallback`. FALSE with @error where the metas contradict the caps, or each other: then none of the
 * buffer's pictures is to be counted. */
gboolean gst_cuda_histo_picture_find (GstCudaHistoPicture *picture, const GstVideoInfo *info, const GstVideoInfo *fallback,
                                      GstBuffer *buffer, guint index, struct histo_frame *frame, GError **error);

/* FALSE with @error where the buffer is smaller than its caps say. */
gboolean gst_cuda_histo_picture_check_size (const GstCudaHistoPicture *picture, const GstVideoInfo *info, GError **error);

/* FALSE with @error where the buffer cannot hold what its strides and offsets claim. */
gboolean gst_cuda_histo_picture_check_layout (const GstCudaHistoPicture *picture, const GstVideoInfo *info, GError **error);

/* The bytes from *begin to *end of a plane, counted from its first row, that hold samples. Either may be negative. */
void gst_cuda_histo_extent_find_bytes (const GstCudaHistoExtent *extent, gint stride_bytes, gint64 *begin, gint64 *end);

G_END_DECLS

#endif
