/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Unpacking: copies the visible samples of a picture whose format the engine cannot read to planes that it can read. */

#ifndef GST_CUDA_HISTO_UNPACK_H
#define GST_CUDA_HISTO_UNPACK_H

#include "frame/picture.h"

G_BEGIN_DECLS

/* Returns the bytes that the planes of `picture` take when unpacked, and sets the planes of `frame` to their places in `block`,
 * which may be NULL. */
gsize gst_cuda_histo_unpack_place (struct histo_frame *frame, const GstCudaHistoPicture *picture, gpointer block);

/* Unpacks a mapped picture to the planes of `frame`. Samples are exact: those of fewer than 8 bits become 8 bits by repeating
 * their bits, so that the largest one is 255. `planes`: addresses of the planes of `info`. */
void gst_cuda_histo_unpack (const GstVideoInfo *info, const GstCudaHistoPicture *picture,
                            gpointer const planes[GST_VIDEO_MAX_PLANES], struct histo_frame *frame);

/* Whether the planes of a picture that is to be unpacked lie in its memory. FALSE with @error if not. */
gboolean gst_cuda_histo_unpack_check (const GstVideoInfo *info, const GstCudaHistoPicture *picture, GError **error);

G_END_DECLS

#endif
