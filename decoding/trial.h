/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decoders that decode into GStreamer's memory without knowing its format.
 *
 * libav's decoders allocate memory for a frame by its pixel format. In GStreamer 1.22 they do so even if GStreamer does
 * not know that format, from a structure that nobody has filled, and crash or not by chance. Only a decoder with
 * "direct-rendering" switched off survives such a film and reports an error. But then QuickTime Animation, Cinepak and
 * other codecs that decode into the frame before give each frame the timestamp of the first one.
 *
 * The pixel format is known once a frame is decoded. So another decoder of the same kind, with "direct-rendering"
 * switched off, decodes the stream's first frame in advance. If GStreamer knows the format of that frame, the stream's
 * own decoder is left as it was made. */

#ifndef CUDAHISTO_DECODING_TRIAL_H
#define CUDAHISTO_DECODING_TRIAL_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Makes a trial when the element gets its first data, if it is a decoder that has this property. Others are left alone. */
void decoding_trial_plan (GstElement *element);

G_END_DECLS

#endif
