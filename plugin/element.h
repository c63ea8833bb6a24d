/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element's type and registration. */

#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

#define GST_TYPE_CUDA_HISTO (gst_cuda_histo_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHisto, gst_cuda_histo, GST, CUDA_HISTO, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (cudahisto)
