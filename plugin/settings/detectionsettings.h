/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties of event detection: which events, and their thresholds. */

#pragma once

#include "detect/detectors.h"

/* The default values. */
extern const GstCudaHistoDetection gst_cuda_histo_detection_defaults;

void gst_cuda_histo_detection_install (GObjectClass *object_class);
