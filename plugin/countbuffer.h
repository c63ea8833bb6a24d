/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counting a buffer: video in video.c, bytes in bytestream.c. On the streaming thread. */

#pragma once

#include "element.h"

/* Counts a buffer. FALSE after a failure. *closed: whether the buffer completed a window. */
gboolean gst_cuda_histo_count_video (GstCudaHisto *self, GstBuffer *buffer, gboolean *closed);
gboolean gst_cuda_histo_count_bytes (GstCudaHisto *self, GstBuffer *buffer, gboolean *closed);
