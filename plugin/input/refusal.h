/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Why raw video is refused, in the user's words. */

#ifndef GST_CUDA_HISTO_REFUSAL_H
#define GST_CUDA_HISTO_REFUSAL_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What of these caps of raw video cannot be counted (the memory, the format, the size ...), and the remedy. They are fixed, and
 * gst_cuda_histo_caps_are_taken() refuses them; or a choice of which gst_cuda_histo_caps_narrow() leaves nothing.
 * `place`: where the remedy goes, "in front" or "behind". Free with g_free(). */
gchar *gst_cuda_histo_refusal_describe (const GstCaps *caps, gboolean takes_cuda, const gchar *place);

G_END_DECLS

#endif
