/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame mapping: from a GstBuffer to the struct histo_frame that the engine counts, without copying a sample, for every format
 * and memory that the element accepts; and back again. */

#ifndef GST_CUDA_HISTO_FRAMEMAP_H
#define GST_CUDA_HISTO_FRAMEMAP_H

#include <cudahisto/histo.h>
#include <gst/video/video.h>

#include "frame/pinner.h"
#include "result/schema.h"

G_BEGIN_DECLS

/* The raw formats, in system memory and on the GPU, as a caps list: 8 bits, then 10 to 16 bits in two bytes. */
#define GST_CUDA_HISTO_FORMATS                                                        \
  "{ GRAY8, I420, YV12, NV12, NV21, Y42B, Y444, YUY2, UYVY, VUYA, "                   \
  "RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, RGBP, BGRP, GBR, GBRA, " \
  "P010_10LE, P012_LE, P016_LE, I420_10LE, I420_12LE, I422_10LE, I422_12LE, "         \
  "Y444_10LE, Y444_12LE, Y444_16LE, GBR_10LE, GBR_12LE, GBR_16LE }"

/* A mapped frame, or a mapped piece of a byte stream. Reference counted, because the previous frame is the next one's operand;
 * the last reference unmaps. Any thread may drop it. */
typedef struct {
  gatomicrefcount ref_count;
  struct histo_frame frame; /* ready to submit; `operand` is NULL; `id` is unique in the process */
  guint64 size;             /* bytes: length of the piece; 0 for video */

  /* private */
  guint bottom_up; /* video: bit p set: the rows of plane p lie in memory from the last to the first, and `frame` has them so */
  void (*unmap) (gpointer mapping);
  gpointer mapping;
} GstCudaHistoFrame;

/* The most pictures of a buffer that are counted. */
#define GST_CUDA_HISTO_MAX_PICTURES 32

/* How many pictures each buffer holds: more than one with multiview-mode=separated, the views, and with interlace-mode=fields,
 * two for each view. More than GST_CUDA_HISTO_MAX_PICTURES: none can be mapped. */
guint gst_cuda_histo_count_pictures (const GstVideoInfo *info);

/* Maps the visible samples of picture `index` of a video buffer for reading: strides and offsets of the GstVideoMeta
 * with that id (the first one, where there is one picture), cropped by GstVideoCropMeta. Without metas views lie in
 * one memory each. The rectangle of the crop is in pixels; of a subsampled component all samples that it touches are
 * visible. `buffer` is kept. NULL, with @error in the user's words, where the buffer is smaller, or holds other
 * pictures, than its caps or metas promise, where these contradict each other (GST_STREAM_ERROR_DECODE), where
 * nothing says what is meant (GST_STREAM_ERROR_NOT_IMPLEMENTED) or where it cannot be read
 * (GST_RESOURCE_ERROR_READ). `info` is of one of GST_CUDA_HISTO_FORMATS. Interleaved fields are one picture; fields
 * in buffers of their own are not supported. */
GstCudaHistoFrame *gst_cuda_histo_frame_map_video (const GstVideoInfo *info, GstBuffer *buffer, guint index, GError **error);

/* The same for a buffer that is one memory on the GPU, which is read there: strides and offsets are those of the memory where
 * there is no GstVideoMeta. For an engine in the memory's context. */
GstCudaHistoFrame *gst_cuda_histo_frame_map_cuda (const GstVideoInfo *info, GstBuffer *buffer, guint index, GError **error);

/* Maps what gst_cuda_histo_frame_map_cuda() mapped once more, in system memory, for an engine that is not on the
 * GPU. That costs a copy, and needs a GPU that still gives its memory away. NULL with @error
 * (GST_RESOURCE_ERROR_READ) where it does not. */
GstCudaHistoFrame *gst_cuda_histo_frame_download (const GstCudaHistoFrame *frame, GError **error);

/* A copy of a frame in system memory, in a block of `pinner`, with the same strides and the same `id`: it is the same
 * samples. NULL where there is no memory. */
GstCudaHistoFrame *gst_cuda_histo_frame_copy (const GstCudaHistoFrame *frame, GstCudaHistoPinner *pinner);

/* Wraps `size` bytes of somebody else's memory. The last unref calls `release` (owner), on its thread; `release` may be
 * NULL. */
GstCudaHistoFrame *gst_cuda_histo_frame_wrap_bytes (gconstpointer data, gsize size, GDestroyNotify release, gpointer owner);

GstCudaHistoFrame *gst_cuda_histo_frame_ref (GstCudaHistoFrame *frame);
void gst_cuda_histo_frame_unref (GstCudaHistoFrame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoFrame, gst_cuda_histo_frame_unref)

/* Whether `operand` can be the dot product's other factor for `frame`: same planes and components, rows in the same
 * order. Addresses and strides may differ. */
gboolean gst_cuda_histo_frame_matches (const GstCudaHistoFrame *frame, const GstCudaHistoFrame *operand);

/* Describes video in the format `info` and of the visible size of `frame` (NULL: of `info`); and a byte stream. */
void gst_cuda_histo_source_init_video (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame);
/* Only the visible size, of video. Whether it has changed. */
gboolean gst_cuda_histo_source_set_frame (GstCudaHistoSource *source, const GstVideoInfo *info, const GstCudaHistoFrame *frame);
void gst_cuda_histo_source_init_bytes (GstCudaHistoSource *source);

G_END_DECLS

#endif
