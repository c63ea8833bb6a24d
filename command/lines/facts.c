/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/facts.h"

#include <gst/gst.h>
#include <string.h>

G_STATIC_ASSERT (N_FACTS <= 128);

typedef enum { KIND_NONE, KIND_WHOLE, KIND_REAL, KIND_ARRAY, KIND_RECTANGLE } FactKind;

static FactKind
facts_get_kind (Fact fact)
{
  if (fact >= N_FIELDS)
    return KIND_WHOLE;
  switch (field_describe (fact)->type) {
  case FIELD_TYPE_UINT:
  case FIELD_TYPE_UINT64:
  case FIELD_TYPE_WIDE:
    return KIND_WHOLE;
  case FIELD_TYPE_DOUBLE:
    return KIND_REAL;
  case FIELD_TYPE_HISTOGRAM:
  case FIELD_TYPE_TABLE:
  case FIELD_TYPE_SUMS:
  case FIELD_TYPE_COUNTERS:
    return KIND_ARRAY;
  case FIELD_TYPE_RECTANGLE:
    return KIND_RECTANGLE;
  default:
    return KIND_NONE;
  }
}

Fact
facts_find (const gchar *member, gboolean is_of_component)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);

    if (field->scope != FIELD_SCOPE_REFERENCE && field_is_of_component (field) == is_of_component
        && strcmp (field->name, member) == 0)
      return facts_get_kind (id) != KIND_NONE ? id : N_FACTS;
  }
  return N_FACTS;
}

gboolean
facts_is_of_reference (Fact fact)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);

    if (field->scope == FIELD_SCOPE_REFERENCE && strcmp (field_get_member (field), facts_get_name (fact)) == 0)
      return TRUE;
  }
  return FALSE;
}

const gchar *
facts_get_name (Fact fact)
{
  if (fact == FACT_LUMA_COUNT)
    return "count of the first component";
  return fact == FACT_CHROMA_COUNT ? "count of U or R" : field_describe (fact)->name;
}

gboolean
facts_is_real (Fact fact)
{
  return facts_get_kind (fact) == KIND_REAL;
}

/* Returns FALSE if the value is not a whole number. */
static gboolean
facts_take_whole (Wide *whole, const GValue *value)
{
  if (G_VALUE_HOLDS_UINT64 (value))
    *whole = g_value_get_uint64 (value);
  else if (G_VALUE_HOLDS_UINT (value))
    *whole = g_value_get_uint (value);
  else
    return G_VALUE_HOLDS_STRING (value) && number_parse_wide (g_value_get_string (value), whole);
  return TRUE;
}

/* Returns FALSE if the value is not an array of four numbers. */
static gboolean
facts_take_rectangle (guint rectangle[4], const GValue *value)
{
  if (!GST_VALUE_HOLDS_ARRAY (value) || gst_value_array_get_size (value) != 4)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    rectangle[i] = g_value_get_uint (gst_value_array_get_value (value, i));
  return TRUE;
}

void
facts_take (Facts *facts, Fact fact, const GValue *value)
{
  gboolean is_there = FALSE;

  switch (facts_get_kind (fact)) {
  case KIND_NONE:
    break;
  case KIND_WHOLE:
    is_there = facts_take_whole (&facts->values[fact].whole, value);
    break;
  case KIND_REAL:
    is_there = G_VALUE_HOLDS_DOUBLE (value);
    if (is_there)
      facts->values[fact].real = g_value_get_double (value);
    break;
  case KIND_ARRAY:
    is_there = G_VALUE_HOLDS (value, G_TYPE_BYTES);
    if (is_there)
      facts->values[fact].numbers = g_bytes_get_data (g_value_get_boxed (value), &facts->values[fact].length);
    facts->values[fact].length = is_there ? facts->values[fact].length / sizeof (guint64) : 0;
    break;
  case KIND_RECTANGLE:
    is_there = facts_take_rectangle (facts->values[fact].rectangle, value);
    break;
  }
  if (is_there)
    facts->has |= FACT_BIT (fact);
}

gdouble
facts_get_real (const Facts *facts, Fact fact)
{
  return facts_is_real (fact) ? facts->values[fact].real : number_round_wide (facts->values[fact].whole);
}

Wide
facts_get_peak (const Facts *facts)
{
  return ((Wide)1 << facts->values[FIELD_ID_DEPTH].whole) - 1;
}

Wide
facts_get_largest (const Facts *facts, Fact fact)
{
  const Wide number = facts->values[fact].whole;
  guint shift;

  if (fact != FIELD_ID_MAX || (facts->has & FACT_BIT (FIELD_ID_DEPTH)) == 0 || facts->values[FIELD_ID_DEPTH].whole <= 8)
    return number;
  shift = (guint)facts->values[FIELD_ID_DEPTH].whole - 8;
  return number % ((Wide)1 << shift) == 0 ? number + ((Wide)1 << shift) - 1 : number;
}
