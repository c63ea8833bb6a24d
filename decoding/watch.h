/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that a pipeline around uridecodebin or decodebin needs to decode films as they are: the choice of decoders, the guard,
 * demuxers that end, and PNG. */

#ifndef CUDAHISTO_DECODING_WATCH_H
#define CUDAHISTO_DECODING_WATCH_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Watches the elements that the pipeline gets from now on, and chooses the decoders of `source`, the uridecodebin or decodebin.
 * Call it once, before the source starts. */
void decoding_watch (GstElement *pipeline, GstElement *source);

G_END_DECLS

#endif
