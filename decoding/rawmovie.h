/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Uncompressed video that GStreamer (1.22, and later versions so far) reads wrongly. Its demuxers pass QuickTime's v308 on as
 * Y, Cb, Cr, but the order is Cr, Y, Cb; and r210 as rows without padding, but they are padded to 64 pixels. */

#pragma once

#include <gst/gst.h>

/* Watches the demuxers that are added to the pipeline from now on. If one has such video, it posts an error
 * (STREAM/NOT_IMPLEMENTED) with the remedy, and drops the frames. */
void decoding_rawmovie_watch (GstElement *pipeline);
