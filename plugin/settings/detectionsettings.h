/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties of event detection: which events, and their thresholds. */

#ifndef GST_CUDA_HISTO_DETECTIONSETTINGS_H
#define GST_CUDA_HISTO_DETECTIONSETTINGS_H

#include "detect/detectors.h"

G_BEGIN_DECLS

/* The first of their property ids, after those of all other properties. */
#define GST_CUDA_HISTO_DETECTION_BEGIN 100

#define GST_TYPE_CUDA_HISTO_EVENTS (gst_cuda_histo_events_get_type ())
GType gst_cuda_histo_events_get_type (void);

/* The default values. */
extern const GstCudaHistoDetection gst_cuda_histo_detection_defaults;

void gst_cuda_histo_detection_install (GObjectClass *object_class);

/* For set_property() and get_property(). FALSE: the id is not one of these properties. */
gboolean gst_cuda_histo_detection_set (GstCudaHistoDetection *detection, guint id, const GValue *value);
gboolean gst_cuda_histo_detection_get (const GstCudaHistoDetection *detection, guint id, GValue *value);

G_END_DECLS

#endif
