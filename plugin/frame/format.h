/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The format of a stream: the kind of data that is counted, from caps to caps. */

#pragma once

#include <gst/video/video.h>

#include "frame/fieldorder.h"

G_BEGIN_DECLS

typedef struct {
  gboolean is_configured;    /* the following fields are valid */
  GstCaps *caps;             /* owned; NULL: bytes without caps */
  GstVideoInfo info;         /* video only */
  gboolean is_cuda;          /* the caps are of frames on the GPU */
  GstCudaHistoSource source; /* with the visible size of the last picture */
  GstCudaHistoFields fields;
  gboolean has_fields; /* video: a field has been counted as a frame, or each frame is one */
  guint frame_height;  /* video: visible rows of the last frame; those of a field are in `source` */
  guint rows_each;     /* video: rows of `source` for each row of a picture: 2 if both fields are pictures, otherwise 1 */
} GstCudaHistoFormat;

/* Whether the last frame is a field that was counted as a frame. */
gboolean gst_cuda_histo_format_is_of_field (const GstCudaHistoFormat *format);

/* Whether both fields of a frame are counted, and differ in the rows of a plane. FALSE for interlace-mode=mixed before the
 * first field. */
gboolean gst_cuda_histo_format_has_unequal_fields (const GstCudaHistoFormat *format);

/* FALSE: unequal fields are counted as frames. Then one may lack the last row of chroma, and cannot be compared with the one
 * before. */
gboolean gst_cuda_histo_format_has_equal_frames (const GstCudaHistoFormat *format);

/* Returns the statistics that frames can have: bits of enum histo_statistic. */
guint32 gst_cuda_histo_format_get_statistics (const GstCudaHistoFormat *format);

G_END_DECLS
