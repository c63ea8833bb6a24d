/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Animated pictures. GStreamer's decoders know only the first picture of PNG, and none of WebP. */

#pragma once

#include <gst/gst.h>

typedef struct _Animation Animation;

/* Watches the decoders that are added to the pipeline from now on. Stop the pipeline before freeing this. */
Animation *animation_new (GstElement *pipeline);
void animation_free (Animation *animation);

/* Returns an error message about an animated picture in the stream, or NULL. Free with g_free(). */
gchar *animation_explain (Animation *animation, const gchar *film);
