/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks whether a picture file is complete. Decoders end the stream at a damaged picture, or take the next one for its
 * remainder. */

#pragma once

#include <glib.h>

/* Returns the fault of a file of that media type: "is cut off". NULL: none that can be found without decoding. */
const gchar *picture_check (const gchar *media_type, const guint8 *bytes, gsize size);
