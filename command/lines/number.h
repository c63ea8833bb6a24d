/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers as JSON writes them, and integers of more than 64 bits. No text that is given with a length ends with a zero. */

#ifndef CUDAHISTO_NUMBER_H
#define CUDAHISTO_NUMBER_H

#include <glib.h>

G_BEGIN_DECLS

/* The longest number that is read, in characters; a double has at most 309 digits before its point. */
#define NUMBER_MAX_DIGITS 400

/* Relative: a sidecar has all digits, but the last one depends on the C library. */
#define NUMBER_TOLERANCE 1e-9

__extension__ typedef unsigned __int128 Wide;

/* FALSE, and *number as it was: it is no whole number from 0 to 2^64 - 1, or of 64 bits with a sign. */
gboolean number_parse_uint64 (const gchar *text, gsize length, guint64 *number);
gboolean number_parse_int64 (const gchar *text, gsize length, gint64 *number);

/* Whether a number of JSON has neither a point nor an exponent. */
gboolean number_is_whole (const gchar *text, gsize length);

/* Of at most NUMBER_MAX_DIGITS characters; infinite where it is too large. */
gdouble number_parse_double (const gchar *text, gsize length);

/* FALSE, and *number as it was: a character is no decimal digit, or the number has more than 128 bits. Nothing is 0. */
gboolean number_parse_wide (const gchar *digits, Wide *number);
void number_append_wide (GString *text, Wide number);

/* As the element rounds integers of 128 bits. */
gdouble number_round_wide (Wide number);

/* Whether they differ by at most NUMBER_TOLERANCE of the larger magnitude. */
gboolean number_are_close (gdouble a, gdouble b);

G_END_DECLS

#endif
