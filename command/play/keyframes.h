/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decodes only key frames. */

#pragma once

#include <gst/gst.h>

#define KEY_FRAMES_UNTIMED "key-frame-without-time"

/* Drops other packets in front of the video decoders that are added to the pipeline. All frames that leave `queue` are
 * discontinuous. Call it before others watch the pipeline: they do not see dropped packets. If a key frame has no timestamp,
 * which would follow from frames that are not decoded, the decoder posts an application message named KEY_FRAMES_UNTIMED. */
void key_frames_select (GstElement *pipeline, GstElement *queue);
