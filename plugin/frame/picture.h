/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures: the place of the visible samples in a buffer of raw video, by its caps and metas. Maps nothing. */

#pragma once

#include "frame/pictureformat.h"

G_BEGIN_DECLS

/* The place of a picture in a buffer. Borrows from the buffer and its caps. */
typedef struct {
  const GstVideoMeta *meta; /* source of the following fields, or NULL */
  gint memory;              /* index of its own memory, or -1: it may be anywhere in the buffer */
  gsize size;               /* bytes of that memory, or of the buffer */
  const gsize *offsets;     /* bytes, from there */
  const gint *strides;      /* bytes */
  GstCudaHistoLayout layout;
  GstCudaHistoExtent extents[GST_VIDEO_MAX_PLANES]; /* of the planes of `layout` */
} GstCudaHistoPicture;

/* Finds picture `index` of a buffer and describes its visible part in `frame`: the components, the position of chroma with rows
 * from top to bottom, and the planes without addresses and strides. Without a GstVideoMeta, strides and offsets are those of
 * `fallback`. FALSE with @error if the metas contradict the caps or each other: then count none of the buffer's pictures. */
gboolean gst_cuda_histo_picture_find (GstCudaHistoPicture *picture, const GstVideoInfo *info, const GstVideoInfo *fallback,
                                      GstBuffer *buffer, guint index, struct histo_frame *frame, GError **error);

/* FALSE with @error if the buffer is smaller than its caps require. */
gboolean gst_cuda_histo_picture_check_size (const GstCudaHistoPicture *picture, const GstVideoInfo *info, GError **error);

/* FALSE with @error if the strides and offsets exceed the buffer. For pictures that are read where they are. */
gboolean gst_cuda_histo_picture_check_layout (const GstCudaHistoPicture *picture, const GstVideoInfo *info, GError **error);

/* Finds the bytes *begin to *end of a plane, relative to its first row, that contain samples. Either may be negative. */
void gst_cuda_histo_extent_find_bytes (const GstCudaHistoExtent *extent, gint stride_bytes, gint64 *begin, gint64 *end);

G_END_DECLS
