/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The brightest frames of a window: MaxCLL and MaxFALL. They need the light of single frames, which a window's totals lack. */

#pragma once

#include "count/counter.h"
#include "result/result.h"

/* Adds the next frame. Frames without light change nothing. */
void gst_cuda_histo_light_peaks_add (GstCudaHistoLightPeaks *peaks, const GstCudaHistoCounted *counted);

/* Moves GST_CUDA_HISTO_MAX_PARTS peaks to `taken` (NULL: drops them). */
void gst_cuda_histo_light_peaks_take (GstCudaHistoLightPeaks *peaks, GstCudaHistoLightPeaks *taken);
