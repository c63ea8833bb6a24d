/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's pngdec 1.22 mixes up the components of 16-bit PNG without alpha: alpha holds blue, and so on. */

#pragma once

#include <gst/gst.h>

/* Watches the decoders that are added to the pipeline from now on. If a frame's alpha is not what pngdec fills in, the decoder
 * drops the frame and posts GST_STREAM_ERROR_NOT_IMPLEMENTED with the cause and the remedy. */
void decoding_png_watch (GstElement *pipeline);
