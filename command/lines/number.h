/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers in JSON, and integers of more than 64 bits. A text with a length needs no terminating zero. */

#pragma once

#include <glib.h>

/* The longest number that is accepted, in characters; a double has at most 309 digits before the point. */
#define NUMBER_MAX_DIGITS 400

/* Relative. A sidecar has all digits, but the last one depends on the C library. */
#define NUMBER_TOLERANCE 1e-9

__extension__ typedef unsigned __int128 Wide;

/* FALSE, and *number unchanged: it is not an integer from 0 to 2^64 - 1, or a signed 64-bit integer. */
gboolean number_parse_uint64 (const gchar *text, gsize length, guint64 *number);
gboolean number_parse_int64 (const gchar *text, gsize length, gint64 *number);

/* Returns whether a JSON number has neither a point nor an exponent. */
gboolean number_is_whole (const gchar *text, gsize length);

/* At most NUMBER_MAX_DIGITS characters; infinite if it is too large. */
gdouble number_parse_double (const gchar *text, gsize length);

/* FALSE, and *number unchanged: there is a character other than a decimal digit, or the number exceeds 128 bits. "" is 0. */
gboolean number_parse_wide (const gchar *digits, Wide *number);
void number_append_wide (GString *text, Wide number);

/* Rounds as the element does. */
gdouble number_round_wide (Wide number);

/* Returns whether they differ by at most NUMBER_TOLERANCE of the larger magnitude. */
gboolean number_are_close (gdouble a, gdouble b);
