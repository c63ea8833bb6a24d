/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The plugin's debug category, `cudahisto`. The element shares it. */

#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN (gst_cuda_histo_debug);
#define GST_CAT_DEFAULT gst_cuda_histo_debug
