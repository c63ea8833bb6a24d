/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decodes only key frames. */

#pragma once

#include <gst/gst.h>

/* Drops other packets in front of the video decoders that are added to the pipeline. All frames that leave `pad` are
 * discontinuous. */
void key_frames_select (GstElement *pipeline, GstPad *pad);
