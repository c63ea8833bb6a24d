/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Notices: warnings about data missing from the results. Each kind is posted at once, and then at most once a second with the
 * number since. For one thread at a time. */

#pragma once

#include <gst/gst.h>

#include "common/ratelimit.h"

/* Warnings that are posted once between start and stop, or until they are renewed. */
typedef enum {
  GST_CUDA_HISTO_NOTICE_NO_DOT = 1 << 0,
  GST_CUDA_HISTO_NOTICE_NO_DIFFERENCE = 1 << 1,
  GST_CUDA_HISTO_NOTICE_NO_STATISTICS = 1 << 2,
  GST_CUDA_HISTO_NOTICE_NO_COMPARISON = 1 << 3,
  GST_CUDA_HISTO_NOTICE_LOST_REGIONS = 1 << 4,
  GST_CUDA_HISTO_NOTICE_NO_REFERENCE = 1 << 5,
  GST_CUDA_HISTO_NOTICE_REFERENCE_LATE = 1 << 6,
  GST_CUDA_HISTO_NOTICE_REFERENCE_ENDED = 1 << 7,
  GST_CUDA_HISTO_NOTICE_NO_SUMS = 1 << 8,
  GST_CUDA_HISTO_NOTICE_NO_METERING = 1 << 9,
  GST_CUDA_HISTO_NOTICE_NO_EVENTS = 1 << 10,
  GST_CUDA_HISTO_NOTICE_NO_REGIONS = 1 << 11,
  GST_CUDA_HISTO_NOTICE_REFERENCE_SHIFT = 1 << 12,
  GST_CUDA_HISTO_NOTICE_REFERENCE_SIZE = 1 << 13,
  GST_CUDA_HISTO_NOTICE_TIME_STANDS_STILL = 1 << 14
} GstCudaHistoNotice;

/* Why frames are not compared with a reference. Reported with their number. */
typedef enum {
  GST_CUDA_HISTO_UNCOMPARED_MISSING,  /* the reference has no such frame */
  GST_CUDA_HISTO_UNCOMPARED_UNTIMED,  /* timestamps stand still, are shared or missing: the counterpart is unknown */
  GST_CUDA_HISTO_UNCOMPARED_TOO_LATE, /* not decoded yet */
  GST_CUDA_HISTO_UNCOMPARED_DAMAGED,  /* the decoder reports it as damaged */
  GST_CUDA_HISTO_N_UNCOMPARED
} GstCudaHistoUncompared;

typedef struct {
  GstCudaHistoRateLimit skips, lost_metas, uncompared[GST_CUDA_HISTO_N_UNCOMPARED];
  guint64 uncompared_frames[GST_CUDA_HISTO_N_UNCOMPARED]; /* index of the last one */
  GError *skip_error;                                     /* of the last skipped frame, if not yet reported */
  guint64 skipped_frame;                                  /* its index */
  guint given;                                            /* bits of GstCudaHistoNotice that were posted */
} GstCudaHistoNotices;

/* Resets for a new start. */
void gst_cuda_histo_notices_reset (GstCudaHistoNotices *notices);

/* Buffer number `frame` is not counted because of `error`, which is taken. */
void gst_cuda_histo_notices_add_skipped (GstCudaHistoNotices *notices, GstElement *element, guint64 frame, GError *error);

/* `results` more results are on no buffer, though add-meta is set. */
void gst_cuda_histo_notices_add_lost_metas (GstCudaHistoNotices *notices, GstElement *element, guint64 results);

/* Frame number `frame` is not compared with its counterpart. */
void gst_cuda_histo_notices_add_uncompared (GstCudaHistoNotices *notices, GstElement *element, guint64 frame,
                                            GstCudaHistoUncompared why);

/* Posts `text`, which it takes, if it is the first of its kind. */
void gst_cuda_histo_notices_warn_once (GstCudaHistoNotices *notices, GstElement *element, GstCudaHistoNotice kind, gchar *text);

/* Allows another warning of this kind. */
void gst_cuda_histo_notices_renew (GstCudaHistoNotices *notices, GstCudaHistoNotice kind);

/* At the end of the stream or at a stop: posts the warnings that are still due. */
void gst_cuda_histo_notices_finish (GstCudaHistoNotices *notices, GstElement *element);
