/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's pngdec of 1.22 mixes up the components of PNG of 16 bits without alpha: alpha holds blue, and so on. */

#ifndef CUDAHISTO_DECODING_PNG_H
#define CUDAHISTO_DECODING_PNG_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Watches the decoders that the pipeline gets from now on. In place of a frame whose alpha is not what pngdec has filled in,
 * the decoder posts an error, GST_STREAM_ERROR_NOT_IMPLEMENTED, whose text is a sentence and the remedy. */
void decoding_png_watch (GstElement *pipeline);

G_END_DECLS

#endif
