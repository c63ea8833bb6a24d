/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Animated pictures whose decoders in GStreamer know the first picture alone (PNG), or none (WebP). */

#ifndef CUDAHISTO_ANIMATION_H
#define CUDAHISTO_ANIMATION_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Animation Animation;

/* Watches the decoders that the pipeline gets from now on. The pipeline must have stopped before it is freed. */
Animation *animation_new (GstElement *pipeline);
void animation_free (Animation *animation);

/* What is said of an animated picture that came; NULL: none did. Free with g_free(). */
gchar *animation_explain (Animation *animation, const gchar *film);

G_END_DECLS

#endif
