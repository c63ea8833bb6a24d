/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the bytes of a picture are whole. Decoders of pictures end the stream at a damaged one, or take the next one for its
 * rest. */

#ifndef CUDAHISTO_PICTURECHECK_H
#define CUDAHISTO_PICTURECHECK_H

#include <glib.h>

G_BEGIN_DECLS

/* What is wrong with a file of that media type: "is cut off". NULL: nothing that can be seen without decoding it. */
const gchar *picture_check (const gchar *media_type, const guint8 *bytes, gsize size);

G_END_DECLS

#endif
