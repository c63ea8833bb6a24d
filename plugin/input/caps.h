/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The caps that the element takes: anything, but of raw video the formats whose samples
 * it knows, with memory that it can read. */

#ifndef GST_CUDA_HISTO_CAPS_H
#define GST_CUDA_HISTO_CAPS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The part of `caps` that is taken: all but raw video of another kind; `takes_cuda`: frames on the GPU too. That part of ANY
 * cannot be expressed as caps: ANY stays ANY. The caller unrefs them. */
GstCaps *gst_cuda_histo_caps_narrow (GstCaps *caps, gboolean takes_cuda);

/* Whether caps of raw video are fixed, complete, and what gst_cuda_histo_caps_narrow() leaves as it is. */
gboolean gst_cuda_histo_caps_are_taken (GstCaps *caps, gboolean takes_cuda);

/* Whether a buffer of raw video would have more views than are counted. */
gboolean gst_cuda_histo_caps_have_too_many_views (const GstStructure *structure);

/* Whether caps, which may be NULL, are of raw video; of frames on the GPU. */
gboolean gst_cuda_histo_caps_are_video (const GstCaps *caps);
gboolean gst_cuda_histo_caps_are_cuda (const GstCaps *caps);

G_END_DECLS

#endif
