/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The weighted mean of luma, for exposure control. */

#pragma once

#include "common/host.h"
#include "frame/format.h"
#include "frame/metermap.h"
#include "parts/entries.h"

/* The weights of pictures of one size. */
typedef struct {
  GstCudaHistoFrame *frame; /* NULL: none */
  GstObject *context;       /* their GstCudaContext, if they are on the GPU */
  guint64 sum;              /* their sum */
} GstCudaHistoMeterWeights;

#define GST_CUDA_HISTO_METER_SIZES 3 /* interlaced video has whole frames, top fields and bottom fields */

/* Initialise with zeros. For the streaming thread, except the last field. */
typedef struct {
  GstCudaHistoMetering metering; /* from start to stop */
  GstCudaHistoMeterMap *map;     /* from start to stop; NULL: the weights follow from `metering` */
  gboolean is_used;              /* each picture is also counted with weights */
  GstCudaHistoMeterWeights weights[GST_CUDA_HISTO_METER_SIZES]; /* last used first */
  guint64 counted_weights; /* of the samples since the last closed window. For the thread that does the counter's work */
} GstCudaHistoMeter;

/* Reads the map of weights at `location`, if `metering` needs one. FALSE with @error, a text for users. */
gboolean gst_cuda_histo_meter_open (GstCudaHistoMeter *meter, GstCudaHistoMetering metering, const gchar *location,
                                    GError **error);
void gst_cuda_histo_meter_clear (GstCudaHistoMeter *meter);

/* Decides whether pictures of a format are metered, and warns if that is impossible. */
void gst_cuda_histo_meter_choose (GstCudaHistoMeter *meter, const GstCudaHistoFormat *format, GstCudaHistoHost *host);

/* Adds a picture's luma, with its weights, to the entries, if it is metered. `context`: the GstCudaContext of frames on the
 * GPU. FALSE after a failure. May post a message. */
gboolean gst_cuda_histo_meter_add (GstCudaHistoMeter *meter, GstCudaHistoFrame *frame, const GstCudaHistoCounted *picture,
                                   const GstVideoInfo *info, GstObject *context, GstCudaHistoHost *host,
                                   GstCudaHistoEntries *entries);

/* Returns the weighted luma of a window; FALSE: none. For the thread that does the counter's work, once for each window. */
gboolean gst_cuda_histo_meter_take_luma (GstCudaHistoMeter *meter, const GstCudaHistoSource *source,
                                         const struct histo_stats *parts, GstCudaHistoMeteredLuma *luma);
