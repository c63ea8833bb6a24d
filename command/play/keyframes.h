/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decodes only key frames. */

#pragma once

#include <gst/gst.h>

#define KEY_FRAMES_UNTIMED "key-frame-without-time"

typedef struct _KeyFrames KeyFrames;

/* Drops other packets in front of the video decoders that are added to the pipeline. All frames that leave `queue` are
 * discontinuous. Call it before others watch the pipeline: they do not see dropped packets. If the time of a key frame follows
 * from frames that are not decoded, an element posts an application message named KEY_FRAMES_UNTIMED. */
KeyFrames *key_frames_new (GstElement *pipeline, GstElement *queue);

/* Stop the pipeline before freeing this. */
void key_frames_free (KeyFrames *keys);
