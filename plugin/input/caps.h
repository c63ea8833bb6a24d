/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The caps that the element accepts: any stream, but raw video only in supported formats and readable memory. */

#pragma once

#include <gst/gst.h>

/* Returns the accepted part of `caps`: supported raw video, and everything that is not raw video. `takes_cuda`: accept frames
 * on the GPU. ANY stays ANY, since caps cannot express its accepted part. The caller unrefs the caps. */
GstCaps *gst_cuda_histo_caps_narrow (GstCaps *caps, gboolean takes_cuda);

/* Whether caps of raw video are fixed, complete and accepted. */
gboolean gst_cuda_histo_caps_are_taken (GstCaps *caps, gboolean takes_cuda);

/* Whether a buffer of raw video has more views than the element supports. */
gboolean gst_cuda_histo_caps_have_too_many_views (const GstStructure *structure);

/* Whether caps, which may be NULL, are of raw video; of frames on the GPU. */
gboolean gst_cuda_histo_caps_are_video (const GstCaps *caps);
gboolean gst_cuda_histo_caps_are_cuda (const GstCaps *caps);
