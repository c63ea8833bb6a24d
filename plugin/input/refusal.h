/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Error texts for raw video that the element refuses. */

#pragma once

#include <gst/gst.h>

/* Returns which part of these caps of raw video is not supported (memory, format, size ...), and the remedy. The caps are
 * either fixed and fail gst_cuda_histo_caps_are_taken(), or a choice of which gst_cuda_histo_caps_narrow() accepts nothing.
 * `place`: where the remedy goes, "in front" or "after cudahisto". Free with g_free(). */
gchar *gst_cuda_histo_refusal_describe (const GstCaps *caps, gboolean takes_cuda, const gchar *place);
