/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The properties that say which events are detected, and from when on. */

#ifndef GST_CUDA_HISTO_DETECTIONSETTINGS_H
#define GST_CUDA_HISTO_DETECTIONSETTINGS_H

#include "detect/detectors.h"

G_BEGIN_DECLS

/* The first of their ids, behind those of all other properties. */
#define GST_CUDA_HISTO_DETECTION_BEGIN 100

#define GST_TYPE_CUDA_HISTO_EVENTS (gst_cuda_histo_events_get_type ())
GType gst_cuda_histo_events_get_type (void);

/* Each property at its default. */
extern const GstCudaHistoDetection gst_cuda_histo_detection_defaults;

void gst_cuda_histo_detection_install (GObjectClass *object_class);

/* What set_property() and get_property() do. FALSE: none of these properties has this id. */
gboolean gst_cuda_histo_detection_set (GstCudaHistoDetection *detection, guint id, const GValue *value);
gboolean gst_cuda_histo_detection_get (const GstCudaHistoDetection *detection, guint id, GValue *value);

G_END_DECLS

#endif
