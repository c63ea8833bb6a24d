/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decoders that decode into GStreamer's memory without knowing its format.
 *
 * libav's decoders allocate a frame's memory by its pixel format. In GStreamer 1.22 they do so even if GStreamer does not know
 * that format, from an uninitialized structure, and may crash. A decoder with "direct-rendering" switched off reports an error
 * instead. But then QuickTime Animation, Cinepak and other codecs that decode into the previous frame give each frame the
 * timestamp of the first one.
 *
 * The pixel format is known once a frame is decoded. So another decoder of the same kind, with "direct-rendering" switched off,
 * decodes the stream's first frame in advance. If GStreamer knows the format of that frame, the stream's own decoder is left
 * unchanged. */

#pragma once

#include <gst/gst.h>

/* If the element is a decoder with this property, makes a trial when it gets its first data. */
void decoding_trial_plan (GstElement *element);
