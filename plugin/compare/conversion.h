/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The conversion of a reference's frames to the format of the stream, in the decoder's pipeline. It keeps stored values if
 * possible. It does not scale. */

#pragma once

#include <gst/video/video.h>

typedef struct _GstCudaHistoConversion GstCudaHistoConversion;

/* A frame cannot be converted. Takes `error`. On the thread that pushes the frame. */
typedef void (*GstCudaHistoConversionFailed) (gpointer user_data, GError *error);

/* Sets up `convert`, a videoconvert, `filter`, a capsfilter, and the pad of `sink`, all in `bin`, which are linked in this
 * order. `info` is the stream's format. Free it when no frame passes. */
GstCudaHistoConversion *gst_cuda_histo_conversion_new (const GstVideoInfo *info, GstElement *bin, GstElement *convert,
                                                       GstElement *filter, GstElement *sink,
                                                       GstCudaHistoConversionFailed failed, gpointer user_data);
void gst_cuda_histo_conversion_free (GstCudaHistoConversion *conversion);
