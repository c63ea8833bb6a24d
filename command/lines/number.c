/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/number.h"

#include <math.h>

#include "fields/formulas.h"

gboolean
number_parse_uint64 (const gchar *text, gsize length, guint64 *number)
{
  guint64 sum = 0;

  if (length == 0 || length > 20)
    return FALSE;
  for (gsize i = 0; i < length; i++) {
    const guint digit = (guint)((guchar)text[i] - '0');

    if (digit > 9)
      return FALSE;
    /* Twenty digits may overflow. */
    if (i == 19 && (sum > G_MAXUINT64 / 10 || (sum == G_MAXUINT64 / 10 && digit > G_MAXUINT64 % 10)))
      return FALSE;
    sum = sum * 10 + digit;
  }
  *number = sum;
  return TRUE;
}

gboolean
number_parse_int64 (const gchar *text, gsize length, gint64 *number)
{
  const gboolean is_negative = length > 0 && text[0] == '-';
  guint64 size;

  if (!number_parse_uint64 (text + is_negative, length - is_negative, &size) || size > (guint64)G_MAXINT64 + is_negative)
    return FALSE;
  *number = (gint64)(is_negative ? -size : size);
  return TRUE;
}

gboolean
number_is_whole (const gchar *text, gsize length)
{
  for (gsize i = text[0] == '-' ? 1 : 0; i < length; i++) {
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
  }
  return TRUE;
}

gdouble
number_parse_double (const gchar *text, gsize length)
{
  gchar copy[NUMBER_MAX_DIGITS + 1];

  memcpy (copy, text, length);
  copy[length] = '\0';
  return g_ascii_strtod (copy, NULL);
}

gboolean
number_parse_wide (const gchar *digits, Wide *number)
{
  Wide sum = 0;

  for (; *digits != '\0'; digits++) {
    if (!g_ascii_isdigit (*digits) || __builtin_mul_overflow (sum, (Wide)10, &sum)
        || __builtin_add_overflow (sum, (Wide)(*digits - '0'), &sum))
      return FALSE;
  }
  *number = sum;
  return TRUE;
}

void
number_append_wide (GString *text, Wide number)
{
  gchar digits[40];
  guint first = sizeof digits;

  do {
    digits[--first] = (gchar)('0' + (guint)(number % 10));
    number /= 10;
  } while (number > 0);
  g_string_append_len (text, digits + first, (gssize)(sizeof digits - first));
}

gdouble
number_round_wide (Wide number)
{
  return formula_round_wide ((guint64)(number >> 64), (guint64)number);
}

gboolean
number_are_close (gdouble a, gdouble b)
{
  return a == b || fabs (a - b) <= NUMBER_TOLERANCE * MAX (fabs (a), fabs (b));
}
