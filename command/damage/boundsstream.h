/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bytes of a film from a pipe or a network that show its bounds: its beginning, of MP4 and QuickTime the head of each
 * outermost box and the whole box `moov`, of AVI the head of each RIFF. */

#pragma once

#include <gst/gst.h>

#define BOUNDS_RIFF_HEAD 12

typedef struct _BoundsStream BoundsStream;

BoundsStream *bounds_stream_new (void);
void bounds_stream_free (BoundsStream *stream);

/* Takes the stream's next bytes. */
void bounds_stream_push (BoundsStream *stream, GstBuffer *buffer);

/* Returns the number of bytes so far. */
guint64 bounds_stream_get_size (const BoundsStream *stream);

/* FALSE: these bytes are not kept. */
gboolean bounds_stream_get (const BoundsStream *stream, guint64 at, gpointer bytes, gsize count);
