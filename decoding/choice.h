/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Chooses the decoder of a uridecodebin. GStreamer takes the one of the highest rank. It is rejected if it fails before its
 * first frame, or decodes to lower chroma resolution or bit depth than the stream has, as jpegdec does with JPEG 4:2:2. Then
 * the source restarts without it, if there is another decoder. No element after the source has seen a frame by then.
 *
 * If there is no other decoder, or the source cannot restart, such as a pipe, the first decoder continues. If it changes the
 * frames, it posts an element message "cudahisto-decoder", once. Its fields are "decoder" (string), "from" and "to" (strings,
 * for example "4:2:2, 8 bits"), and "has-other" (gboolean). */

#pragma once

#include <gst/gst.h>

#define DECODING_CHOICE_MESSAGE "cudahisto-decoder"

/* Chooses the decoders of a uridecodebin. Call it before its URI is set. */
void decoding_choice_make (GstElement *source);

/* Watches the frames of an element if it is a decoder in such a source. */
void decoding_choice_watch (GstElement *element);

/* Returns whether the source of an element that posted an error restarts. If so, do not forward the error. */
gboolean decoding_choice_take_error (GstElement *element);

/* Explains a message, as the end of a sentence about the film: "is decoded to ...". Free with g_free(). */
gchar *decoding_choice_explain (const GstStructure *message);
