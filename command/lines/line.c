/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/line.h"

#include <math.h>
#include <string.h>

#include "lines/lineevent.h"
#include "lines/number.h"
#include "lines/relations.h"
#include "lines/values.h"

#define MAX_FIELDS 1024 /* of a result or a region */
#define MAX_FACTS 16384 /* results, regions, components and references: some 16 MiB */

static void
line_free_region (gpointer region)
{
  if (region != NULL)
    gst_structure_free (region);
}

void
line_init (Line *line)
{
  *line = (Line){ .regions = g_ptr_array_new_with_free_func (line_free_region) };
}

void
line_refuse (Line *line, const gchar *format, ...)
{
  va_list arguments;

  if (line->fault != NULL)
    return;
  va_start (arguments, format);
  line->fault = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

/* Returns the index of the new facts. Pointers to earlier facts become invalid. */
static guint
line_add_facts (Line *line, FactsScope scope, const gchar *component)
{
  const guint index = line->n_facts;

  if (index == MAX_FACTS) {
    line_refuse (line, "it has more than %d components", MAX_FACTS);
    return index - 1;
  }
  if (index == line->facts_size) {
    line->facts_size = MAX (8, 2 * line->facts_size);
    line->facts = g_renew (Facts, line->facts, line->facts_size);
  }
  line->facts[index].scope = scope;
  line->facts[index].owner = scope == FACTS_RESULT || scope == FACTS_REGION ? index : line->picture;
  line->facts[index].component = component;
  line->facts[index].has = 0;
  line->n_facts++;
  return index;
}

void
line_begin (Line *line)
{
  g_clear_pointer (&line->result, gst_structure_free);
  g_clear_pointer (&line->region, gst_structure_free);
  g_ptr_array_set_size (line->regions, 0);
  line->field = NULL;
  g_clear_pointer (&line->fault, g_free);
  line->is_impossible = FALSE;
  line->result = gst_structure_new_empty ("cudahisto");
  line->n_facts = 0;
  line->component = line->reference = line->n_components = 0;
  line->picture = line_add_facts (line, FACTS_RESULT, NULL);
}

void
line_clear (Line *line)
{
  g_clear_pointer (&line->result, gst_structure_free);
  g_clear_pointer (&line->region, gst_structure_free);
  g_ptr_array_unref (line->regions);
  g_free (line->numbers);
  g_free (line->facts);
  g_free (line->fault);
}

void
line_begin_region (Line *line)
{
  line->region = gst_structure_new_empty ("region");
  line->picture = line_add_facts (line, FACTS_REGION, NULL);
  line->n_components = 0;
}

void
line_end_region (Line *line)
{
  g_ptr_array_add (line->regions, g_steal_pointer (&line->region));
  line->picture = 0;
  line->n_components = 0;
}

void
line_begin_component (Line *line)
{
  if (line->n_components++ == RELATIONS_MAX_COMPONENTS)
    line_refuse (line, "it has more than %d components", RELATIONS_MAX_COMPONENTS);
  line->component = line_add_facts (line, FACTS_COMPONENT, line->field->name);
  line->reference = 0;
}

void
line_end_component (Line *line)
{
  line->component = 0;
}

void
line_check (Line *line)
{
  if (line->fault != NULL)
    return;
  line->fault = line_format_check (line->result);
  if (line->fault == NULL)
    line->fault = relations_check (line->facts, line->n_facts);
  line->is_impossible = line->fault != NULL;
}

void
line_check_event (Line *line)
{
  if (line->fault != NULL)
    return;
  line->fault = line_event_check (line->result);
  line->is_impossible = line->fault != NULL;
}

/* Stores it for line_check(). */
static void
line_take_fact (Line *line, const GValue *value)
{
  guint index = line->component > 0 ? line->component : line->picture;

  if (line->field->is_of_reference) {
    if (line->reference == 0)
      line->reference = line_add_facts (line, FACTS_REFERENCE, line->facts[line->component].component);
    index = line->reference;
  }
  facts_take (&line->facts[index], line->field->fact, value);
}

void
line_take_value (Line *line, GValue *value)
{
  GstStructure *structure = line->region != NULL ? line->region : line->result;
  const gchar *name = line->field->name;

  if (gst_structure_n_fields (structure) >= MAX_FIELDS)
    line_refuse (line, "it has more than %d fields", MAX_FIELDS);
  else if (gst_structure_has_field (structure, name))
    line_refuse (line, "it has `%s` twice", name);
  else {
    if (line->field->fact != N_FACTS)
      line_take_fact (line, value);
    gst_structure_take_value (structure, name, value);
    return;
  }
  g_value_unset (value);
}

void
line_take_string (Line *line, const gchar *text, gsize length)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_take_string (&value, g_strndup (text, length));
  line_take_value (line, &value);
}

void
line_take_uint64 (Line *line, guint64 number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT64);
  g_value_set_uint64 (&value, number);
  line_take_value (line, &value);
}

void
line_take_double (Line *line, gdouble number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, number);
  line_take_value (line, &value);
}

/* "30000/1001" */
void
line_take_fraction (Line *line, const gchar *text, gsize length)
{
  GValue value = G_VALUE_INIT;
  gchar copy[32], *slash, *end = NULL;
  gint64 numerator, denominator = 0;

  if (length >= sizeof copy) {
    line_refuse (line, "`%s` should be a fraction", line->field->name);
    return;
  }
  memcpy (copy, text, length);
  copy[length] = '\0';
  numerator = g_ascii_strtoll (copy, &slash, 10);
  if (slash != copy && *slash == '/' && g_ascii_isdigit (slash[1]))
    denominator = g_ascii_strtoll (slash + 1, &end, 10);
  if (end != copy + length || numerator < 0 || numerator > G_MAXINT || denominator < 1 || denominator > G_MAXINT) {
    line_refuse (line, "`%s` should be a fraction", line->field->name);
    return;
  }
  g_value_init (&value, GST_TYPE_FRACTION);
  gst_value_set_fraction (&value, (gint)numerator, (gint)denominator);
  line_take_value (line, &value);
}

/* Takes a number for TYPE_ANY, in the type that fits. */
static void
line_take_number_as_written (Line *line, const gchar *text, gsize length)
{
  GValue value = G_VALUE_INIT;
  guint64 number;
  gint64 signed_number;

  if (number_parse_uint64 (text, length, &number)) {
    line_take_uint64 (line, number);
  } else if (number_parse_int64 (text, length, &signed_number)) {
    g_value_init (&value, G_TYPE_INT64);
    g_value_set_int64 (&value, signed_number);
    line_take_value (line, &value);
  } else if (number_is_whole (text, length)) {
    line_take_string (line, text, length);
  } else {
    line_take_double (line, number_parse_double (text, length));
  }
}

/* Takes an integer of at most 128 bits; above 64 bits, as decimal digits. */
static void
line_take_wide (Line *line, const gchar *text, gsize length)
{
  gchar digits[NUMBER_MAX_DIGITS + 1];
  guint64 number;
  Wide wide;

  if (number_parse_uint64 (text, length, &number)) {
    line_take_uint64 (line, number);
    return;
  }
  memcpy (digits, text, length);
  digits[length] = '\0';
  if (number_parse_wide (digits, &wide))
    line_take_string (line, text, length);
  else
    line_refuse (line, "`%s` should be a whole number of at most 128 bits", line->field->name);
}

void
line_take_number (Line *line, const gchar *text, gsize length)
{
  const gchar *name = line->field->name;
  GValue value = G_VALUE_INIT;
  guint64 number = 0;
  gint64 signed_number;
  gdouble real;

  switch (line->field->type) {
  case TYPE_UINT:
    if (!number_parse_uint64 (text, length, &number) || number > G_MAXUINT) {
      line_refuse (line, "`%s` should be a whole number of at most 32 bits", name);
      return;
    }
    g_value_init (&value, G_TYPE_UINT);
    g_value_set_uint (&value, (guint)number);
    line_take_value (line, &value);
    return;
  case TYPE_INT:
    if (!number_parse_int64 (text, length, &signed_number) || signed_number < G_MININT || signed_number > G_MAXINT) {
      line_refuse (line, "`%s` should be a whole number of at most 32 bits", name);
      return;
    }
    g_value_init (&value, G_TYPE_INT);
    g_value_set_int (&value, (gint)signed_number);
    line_take_value (line, &value);
    return;
  case TYPE_INT64:
    if (!number_parse_int64 (text, length, &signed_number)) {
      line_refuse (line, "`%s` should be a whole number of at most 64 bits", name);
      return;
    }
    g_value_init (&value, G_TYPE_INT64);
    g_value_set_int64 (&value, signed_number);
    line_take_value (line, &value);
    return;
  case TYPE_UINT64:
  case TYPE_TIME:
    if (number_parse_uint64 (text, length, &number))
      line_take_uint64 (line, number);
    else
      line_refuse (line, "`%s` should be a whole number of at most 64 bits", name);
    return;
  case TYPE_WIDE:
    line_take_wide (line, text, length);
    return;
  case TYPE_DOUBLE:
  case TYPE_PSNR:
    real = number_parse_double (text, length);
    if (isfinite (real))
      line_take_double (line, real);
    else
      line_refuse (line, "`%s` is too large", name);
    return;
  case TYPE_ANY:
    line_take_number_as_written (line, text, length);
    return;
  default:
    line_refuse (line, "`%s` should not be a number", name);
  }
}

void
line_take_rectangle (Line *line)
{
  GValue value = G_VALUE_INIT;

  if (line->rectangle_members != 0xf) {
    line_refuse (line, "`%s` should have x, y, width and height", line->field->name);
    return;
  }
  gst_value_array_init (&value, 4);
  for (guint i = 0; i < 4; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_UINT);
    g_value_set_uint (&number, line->rectangle[i]);
    gst_value_array_append_and_take_value (&value, &number);
  }
  line_take_value (line, &value);
}

void
line_take_array (Line *line)
{
  GValue value = G_VALUE_INIT;

  for (gsize i = 0; i < line->n_numbers; i++)
    line->numbers[i] = GUINT64_TO_LE (line->numbers[i]);
  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, g_bytes_new (line->numbers, line->n_numbers * sizeof *line->numbers));
  line_take_value (line, &value);
}

void
line_take_regions (Line *line)
{
  GValue regions = G_VALUE_INIT;

  gst_value_array_init (&regions, line->regions->len);
  for (guint i = 0; i < line->regions->len; i++) {
    GValue region = G_VALUE_INIT;

    g_value_init (&region, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&region, line->regions->pdata[i]);
    line->regions->pdata[i] = NULL;
    gst_value_array_append_and_take_value (&regions, &region);
  }
  g_ptr_array_set_size (line->regions, 0);
  gst_structure_take_value (line->result, VALUES_REGIONS, &regions);
}

void
line_append_number (Line *line, const gchar *text, gsize length)
{
  guint64 number = (guchar)text[0] - (guint64)'0'; /* most numbers have one digit */
  gint64 signed_number;

  if ((length > 1 || number > 9) && !number_parse_uint64 (text, length, &number)) {
    if (line->field->type == TYPE_ARRAY || !number_parse_int64 (text, length, &signed_number)) {
      line_refuse (line, "`%s` should have %s of at most 64 bits", line->field->name,
                   line->field->type == TYPE_ARRAY ? "whole numbers, not negative," : "whole numbers");
      return;
    }
    number = (guint64)signed_number;
  }
  if (line->n_numbers == line->numbers_size) {
    line->numbers_size = MAX (1024, line->numbers_size * 2);
    line->numbers = g_renew (guint64, line->numbers, line->numbers_size);
  }
  line->numbers[line->n_numbers++] = number;
}

void
line_set_rectangle_member (Line *line, guint place, const gchar *text, gsize length)
{
  guint64 number;

  if (place >= G_N_ELEMENTS (line->rectangle))
    return;
  if (!number_parse_uint64 (text, length, &number) || number > G_MAXUINT || (line->rectangle_members & 1u << place) != 0) {
    line_refuse (line, "`%s` should have x, y, width and height", line->field->name);
    return;
  }
  line->rectangle[place] = (guint)number;
  line->rectangle_members |= 1u << place;
}
