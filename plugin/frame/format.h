/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The format of a stream: the kind of data that is counted, from caps to caps. */

#ifndef GST_CUDA_HISTO_FORMAT_H
#define GST_CUDA_HISTO_FORMAT_H

#include <gst/video/video.h>

#include "result/result.h"

G_BEGIN_DECLS

typedef struct {
  gboolean is_configured;    /* the following fields are valid */
  GstCaps *caps;             /* owned; NULL: bytes without caps */
  GstVideoInfo info;         /* video only */
  gboolean is_cuda;          /* the caps are of frames on the GPU */
  GstCudaHistoSource source; /* with the visible size of the last picture */
} GstCudaHistoFormat;

G_END_DECLS

#endif
