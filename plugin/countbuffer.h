/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counting a buffer: video in video.c, bytes in bytestream.c. On the streaming thread. */

#ifndef GST_CUDA_HISTO_COUNTBUFFER_H
#define GST_CUDA_HISTO_COUNTBUFFER_H

#include "element.h"

G_BEGIN_DECLS

/* Counts a buffer. FALSE after a failure. *closed: whether the buffer completed a window. */
gboolean gst_cuda_histo_count_video (GstCudaHisto *self, GstBuffer *buffer, gboolean *closed);
gboolean gst_cuda_histo_count_bytes (GstCudaHisto *self, GstBuffer *buffer, gboolean *closed);

G_END_DECLS

#endif
