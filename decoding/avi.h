/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* AVI without an index, such as a truncated one. avidemux then marks each packet as a key frame, and gives it its decode time
 * as its presentation time, which is wrong with B-frames. */

#pragma once

#include <gst/gst.h>

/* Watches the demuxers that are added to the pipeline from now on. If the codec may have B-frames, a key frame directly after a
 * key frame loses its presentation time, as the packets between key frames have none. Decoders get the same times as from a
 * file with an index. */
void decoding_avi_watch (GstElement *pipeline);
