/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tracks of a film. */

#pragma once

#include <gst/gst.h>

/* Returns whether caps, not empty, are those of a track other than video (sound, subtitles, data), which needs no decoder. */
gboolean decoding_track_is_other (const GstCaps *caps);

/* Handler of a uridecodebin's or decodebin's signal "autoplug-continue": exposes these tracks without decoding them. */
gboolean decoding_track_decodes (GstElement *source, GstPad *pad, GstCaps *caps, gpointer user_data);

/* Returns whether a message "missing-plugin" is about a plugin that the video needs. A container counts as video. */
gboolean decoding_track_needs_missing (const GstStructure *missing);
