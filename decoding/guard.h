/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pipeline around uridecodebin, guarded against two defects of GStreamer 1.22: an error that decodebin loses, after which the
 * pipeline hangs, and a crash of libav's decoders. */

#ifndef CUDAHISTO_DECODING_GUARD_H
#define CUDAHISTO_DECODING_GUARD_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Guards the elements that the pipeline gets from now on. */
void decoding_guard (GstElement *pipeline);

G_END_DECLS

#endif
