/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which decoder a uridecodebin takes. GStreamer takes the one of the highest rank. If that one fails before its first frame, or
 * decodes to fewer samples of chroma or fewer bits than the stream has, as jpegdec does with JPEG 4:2:2, the source starts
 * again without it, as long as another decoder takes the stream. Nothing behind the source has seen a frame then.
 *
 * If there is no other decoder, or the source is one that cannot start again, such as a pipe, the first decoder goes on. If it
 * changes the frames, it posts an element message "cudahisto-decoder", once. Its fields are "decoder" (string), "from" and "to"
 * (strings), for example "4:2:2, 8 bits", and "has-other" (gboolean). */

#ifndef CUDAHISTO_DECODING_CHOICE_H
#define CUDAHISTO_DECODING_CHOICE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define DECODING_CHOICE_MESSAGE "cudahisto-decoder"

/* Chooses the decoders of a uridecodebin, before it has an URI that it plays. */
void decoding_choice_make (GstElement *source);

/* Looks at the frames of an element, if it is a decoder in such a source. Others are left alone. */
void decoding_choice_watch (GstElement *element);

/* Whether the source of an element that posts an error starts again: then the error is not to be passed on. */
gboolean decoding_choice_take_error (GstElement *element);

/* What a message means, as the rest of a sentence about the film: "is decoded to ...". Free with g_free(). */
gchar *decoding_choice_explain (const GstStructure *message);

G_END_DECLS

#endif
