/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Unpacking: copies the visible samples of a picture whose format the engine cannot read to planes that it can read. */

#pragma once

#include "frame/picture.h"

G_BEGIN_DECLS

/* A row of pixels as GStreamer's unpack functions write it: alpha and three components of 8 or 16 bits. */
typedef struct {
  const GstVideoFormatInfo *finfo;
  gpointer pixels;
  guint width;
  gboolean is_deep; /* 16 bits, of which the upper ones are the sample's */
} GstCudaHistoRow;

void gst_cuda_histo_row_init (GstCudaHistoRow *row, const GstVideoFormatInfo *finfo, guint width);
void gst_cuda_histo_row_clear (GstCudaHistoRow *row);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstCudaHistoRow, gst_cuda_histo_row_clear)

/* Reads row `y` of the planes at these addresses, from the first pixel on, or writes it. */
void gst_cuda_histo_row_unpack (GstCudaHistoRow *row, gpointer const planes[GST_VIDEO_MAX_PLANES], const gint *strides,
                                guint y);
void gst_cuda_histo_row_pack (const GstCudaHistoRow *row, gpointer const planes[GST_VIDEO_MAX_PLANES], const gint *strides,
                              guint y);

/* Replaces each sample of component `c`, which has at least 8 bits, by its entry in `table`. */
void gst_cuda_histo_row_convert (GstCudaHistoRow *row, guint c, const guint16 *table);

/* Returns the bytes that the planes of `picture` take when unpacked, and sets the planes of `frame` to their places in `block`,
 * which may be NULL. */
gsize gst_cuda_histo_unpack_place (struct histo_frame *frame, const GstCudaHistoPicture *picture, gpointer block);

/* Unpacks a picture that gst_cuda_histo_unpack_check() accepts to the planes of `frame`. Samples are exact. Those with fewer
 * bits than the layout's depth are widened by repeating their bits, so that the largest one stays the largest. `data`: the
 * memory of the picture, mapped.
 *
 * Unpack functions read whole groups of samples (such as 5 bytes for 2 pixels of UYVP) and whole tiles. GStreamer 1.22 to 1.26
 * derive the size of planes from the width, not from groups. If the width is odd, a plane may end within a group, or one tile
 * early. Rows that end less than a group before the end of the memory are copied, and zeros follow them there. The test
 * test_end_of_memory fails if an unpack function reads more. */
void gst_cuda_histo_unpack (const GstVideoInfo *info, const GstCudaHistoPicture *picture, guint8 *data,
                            struct histo_frame *frame);

/* Whether GStreamer packs a format exactly, and not beyond the end of a plane. */
gboolean gst_cuda_histo_unpack_can_pack (const GstVideoFormatInfo *finfo);

/* Whether the samples of a picture that is to be unpacked lie in its memory. Rows need no padding. FALSE with @error if not. */
gboolean gst_cuda_histo_unpack_check (const GstVideoInfo *info, const GstCudaHistoPicture *picture, GError **error);

G_END_DECLS
