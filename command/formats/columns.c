/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/columns.h"

#include <math.h>
#include <string.h>

#include "fields/fields.h"
#include "lines/values.h"

#define NO_REGION -1
#define KEY "%d:%s"
#define SEPARATORS ";\t\r\n" /* cell separators other than the comma, and row separators */

typedef enum {
  KIND_VALUE,     /* a column */
  KIND_TIME,      /* in ns, and in seconds */
  KIND_FRACTION,  /* as a decimal number, its numerator, its denominator */
  KIND_RECTANGLE, /* x, y, width, height */
  KIND_COUNTERS   /* a column for each bin */
} Kind;

typedef struct {
  gint region;
  Kind kind;
  gboolean has_other_kinds; /* a result has another kind, which has no column */
  guint count;
  gchar field[]; /* name of the field */
} Group;

struct _Columns {
  gboolean has_histograms;
  GPtrArray *groups; /* in column order */
  GHashTable *known; /* "2:Y-mean": Group */
  GString *key;      /* buffer for a key of `known` */
};

Columns *
columns_new (gboolean has_histograms)
{
  Columns *columns = g_new0 (Columns, 1);

  columns->has_histograms = has_histograms;
  columns->key = g_string_new (NULL);
  columns->groups = g_ptr_array_new_with_free_func (g_free);
  columns->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return columns;
}

void
columns_free (Columns *columns)
{
  g_string_free (columns->key, TRUE);
  g_hash_table_unref (columns->known);
  g_ptr_array_unref (columns->groups);
  g_free (columns);
}

/* NULL: no result had the field. */
static Group *
columns_find_group (const Columns *columns, gint region, const gchar *field)
{
  GString *key = columns->key;

  g_string_printf (key, KEY, region, field);
  return g_hash_table_lookup (columns->known, key->str);
}

/* Returns whether the array has a bin for each value of a number, not rows, columns or tables. */
static gboolean
columns_is_histogram (const gchar *name)
{
  const FieldDescription *field = field_find_in_message (name);

  return field != NULL && (field->type == FIELD_TYPE_HISTOGRAM || field->type == FIELD_TYPE_COUNTERS);
}

/* 0: the field has no columns. */
static guint
columns_count_of_value (const Columns *columns, const gchar *field, const GValue *value, Kind *kind)
{
  *kind = KIND_VALUE;
  if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    *kind = KIND_COUNTERS;
    return columns->has_histograms && columns_is_histogram (field)
               ? (guint)(g_bytes_get_size (g_value_get_boxed (value)) / sizeof (guint64))
               : 0;
  }
  if (GST_VALUE_HOLDS_ARRAY (value)) {
    *kind = KIND_RECTANGLE;
    return strcmp (field, VALUES_REGIONS) == 0 ? 0 : 4;
  }
  if (GST_VALUE_HOLDS_FRACTION (value)) {
    *kind = KIND_FRACTION;
    return 3;
  }
  if (strcmp (field, field_describe (FIELD_ID_STREAM_TIME)->name) == 0) {
    *kind = KIND_TIME;
    return 2;
  }
  return 1;
}

/* Returns the index of the group, which usually is `place`. */
static guint
columns_find_place (const Columns *columns, const Group *group, guint place)
{
  guint found = 0;

  if (place < columns->groups->len && columns->groups->pdata[place] == group)
    return place;
  g_ptr_array_find (columns->groups, group, &found);
  return found;
}

/* Adds the columns of a structure, from `place` on. A new field is placed after the field before it in the line. */
static void
columns_add_structure (Columns *columns, const GstStructure *structure, gint region, guint place)
{
  for (gint f = 0; f < gst_structure_n_fields (structure); f++) {
    const gchar *field = gst_structure_nth_field_name (structure, (guint)f);
    Group *group = columns_find_group (columns, region, field);
    Kind kind;
    guint count;

    count = columns_count_of_value (columns, field, gst_structure_get_value (structure, field), &kind);
    if (group != NULL) {
      if (kind == group->kind)
        group->count = MAX (group->count, count);
      else
        group->has_other_kinds = TRUE;
      place = columns_find_place (columns, group, place) + 1;
      continue;
    }
    if (count == 0)
      continue;
    group = g_malloc (sizeof *group + strlen (field) + 1);
    group->region = region;
    group->kind = kind;
    group->has_other_kinds = FALSE;
    group->count = count;
    strcpy (group->field, field);
    g_hash_table_insert (columns->known, g_strdup_printf (KEY, region, field), group);
    g_ptr_array_insert (columns->groups, (gint)place++, group);
  }
}

/* Returns whether all fields are known with the same number of columns. Usually a result has the fields of the previous one. */
static gboolean
columns_know_structure (const Columns *columns, const GstStructure *structure, gint region)
{
  for (gint f = 0; f < gst_structure_n_fields (structure); f++) {
    const gchar *field = gst_structure_nth_field_name (structure, (guint)f);
    const Group *group = columns_find_group (columns, region, field);
    Kind kind;
    guint count = columns_count_of_value (columns, field, gst_structure_get_value (structure, field), &kind);

    if (count == 0)
      continue;
    if (group == NULL || (kind == group->kind ? count > group->count : !group->has_other_kinds))
      return FALSE;
  }
  return TRUE;
}

void
columns_add (Columns *columns, const GstStructure *result)
{
  if (!columns_know_structure (columns, result, NO_REGION))
    columns_add_structure (columns, result, NO_REGION, 0);
  for (guint i = 0; i < values_count_regions (result); i++) {
    const GstStructure *region = values_get_region (result, i);

    if (!columns_know_structure (columns, region, (gint)i))
      columns_add_structure (columns, region, (gint)i, columns->groups->len);
  }
}

gboolean
columns_know (const Columns *columns, const GstStructure *result)
{
  if (!columns_know_structure (columns, result, NO_REGION))
    return FALSE;
  for (guint i = 0; i < values_count_regions (result); i++) {
    if (!columns_know_structure (columns, values_get_region (result, i), (gint)i))
      return FALSE;
  }
  return TRUE;
}

guint
columns_count (const Columns *columns)
{
  guint count = 0;

  for (guint g = 0; g < columns->groups->len; g++)
    count += ((const Group *)columns->groups->pdata[g])->count;
  return count;
}

/* Returns the name of column `i` of the group, with letters, digits and underscores only. It may not be unique. */
static gchar *
columns_name (const Group *group, guint i)
{
  static const gchar *const rectangle[] = { "_x", "_y", "_width", "_height" };
  static const gchar *const fraction[] = { "", "_numerator", "_denominator" };
  static const gchar *const time[] = { "", "_s" };
  GString *name = g_string_new (NULL);

  if (group->region != NO_REGION)
    g_string_append_printf (name, "region%d_", group->region);
  g_string_append (name, *group->field != '\0' ? group->field : "_");
  g_strcanon (name->str, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS, '_');
  if (group->kind == KIND_RECTANGLE)
    g_string_append (name, rectangle[i]);
  else if (group->kind == KIND_FRACTION)
    g_string_append (name, fraction[i]);
  else if (group->kind == KIND_TIME)
    g_string_append (name, time[i]);
  else if (group->kind == KIND_COUNTERS)
    g_string_append_printf (name, "_%u", i);
  return g_string_free (name, FALSE);
}

/* The element's own fields have hyphens and no underscores. */
static gboolean
columns_is_usual (const Group *group)
{
  return group->field[strspn (group->field, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-")] == '\0';
}

/* Returns a free name: the name itself, or with a suffix number above the one in `numbers`. */
static gchar *
columns_make_free (GHashTable *taken, GHashTable *numbers, const gchar *name)
{
  gchar *free_name = g_strdup (name);
  guint number = MAX (1, GPOINTER_TO_UINT (g_hash_table_lookup (numbers, name)));

  while (g_hash_table_contains (taken, free_name)) {
    g_free (free_name);
    free_name = g_strdup_printf ("%s_%u", name, ++number);
  }
  if (number > 1)
    g_hash_table_insert (numbers, g_strdup (name), GUINT_TO_POINTER (number));
  return free_name;
}

/* Names the columns of the element's own groups, or of the other ones, from `names[0]` on. A name that is taken gets a suffix
 * number. */
static void
columns_name_groups (const Columns *columns, gboolean are_usual, GHashTable *taken, GHashTable *numbers, GPtrArray *names)
{
  guint column = 0;

  for (guint g = 0; g < columns->groups->len; g++) {
    const Group *group = columns->groups->pdata[g];

    for (guint i = 0; i < group->count; i++, column++) {
      g_autofree gchar *name = NULL;

      if (columns_is_usual (group) != are_usual)
        continue;
      name = columns_name (group, i);
      names->pdata[column] = columns_make_free (taken, numbers, name);
      g_hash_table_add (taken, names->pdata[column]);
    }
  }
}

void
columns_append_header (const Columns *columns, GString *text)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_set_size (names, (gint)columns_count (columns));
  columns_name_groups (columns, TRUE, taken, numbers, names);
  columns_name_groups (columns, FALSE, taken, numbers, names);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", (const gchar *)names->pdata[i]);
  g_string_append_c (text, '\n');
}

/* ---- a row ------------------------------------------------------------------------------------------------------------ */

/* Returns whether a spreadsheet would take this as the start of a formula, in a table whose cells end at any of SEPARATORS. The
 * sign may be full-width. Integers of more than 64 bits are also text. */
static gboolean
columns_is_formula (const gchar *cell)
{
  const gchar *begin = cell + strspn (cell, " "), *digits = begin + 1;
  gunichar sign = *begin != '\0' ? g_utf8_get_char (begin) : 0;

  g_unichar_fully_decompose (sign, TRUE, &sign, 1);
  if (sign != '=' && sign != '+' && sign != '-' && sign != '@')
    return FALSE;
  digits += strspn (digits, G_CSET_DIGITS);
  return *begin != '-' || digits == begin + 1 || (*digits != '\0' && strchr (SEPARATORS, *digits) == NULL);
}

void
columns_append_text (GString *text, const gchar *cell)
{
  const gsize begin = text->len;
  gboolean is_first = TRUE;

  /* If semicolons separate cells, as in many countries, quotation marks within a row have no effect. */
  for (const gchar *next = cell; *next != '\0'; next++) {
    if ((next == cell && strchr (SEPARATORS, *next) != NULL && *next != ';') || (is_first && columns_is_formula (next)))
      g_string_append_c (text, '\'');
    if (*next == '"')
      g_string_append_c (text, '"');
    g_string_append_c (text, *next);
    is_first = strchr (SEPARATORS, *next) != NULL;
  }
  if (text->len - begin == strlen (cell) && *cell != ' ' && cell[strcspn (cell, ",\"" SEPARATORS)] == '\0')
    return;
  g_string_insert_c (text, (gssize)begin, '"');
  g_string_append_c (text, '"');
}

static void
columns_append_double (GString *text, gdouble number)
{
  g_autofree gchar *digits = isinf (number) ? g_strdup ("inf") : values_format_double (number);

  g_string_append (text, digits);
}

/* Returns whether the field uses 64 set bits for an unknown value. */
static gboolean
columns_is_time (const gchar *name)
{
  const FieldDescription *field = field_find_in_message (name);

  return field != NULL && field->type == FIELD_TYPE_TIME;
}

static void
columns_append_value (GString *text, const gchar *field, const GValue *value)
{
  if (G_VALUE_HOLDS_UINT64 (value)) {
    if (GST_CLOCK_TIME_IS_VALID (g_value_get_uint64 (value)) || !columns_is_time (field))
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_INT64 (value)) {
    g_string_append_printf (text, "%" G_GINT64_FORMAT, g_value_get_int64 (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    g_string_append_printf (text, "%u", g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    g_string_append_printf (text, "%d", g_value_get_int (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    columns_append_double (text, g_value_get_double (value));
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    g_string_append (text, g_value_get_boolean (value) ? "true" : "false");
  } else if (G_VALUE_HOLDS_STRING (value)) {
    columns_append_text (text, g_value_get_string (value));
  }
}

/* Appends cell `i` of the group. */
static void
columns_append_cell (GString *text, const Group *group, const GValue *value, guint i)
{
  gsize size = 0;

  switch (group->kind) {
  case KIND_VALUE:
    columns_append_value (text, group->field, value);
    break;
  case KIND_TIME:
    if (i == 0)
      columns_append_value (text, group->field, value);
    else if (G_VALUE_HOLDS_UINT64 (value) && GST_CLOCK_TIME_IS_VALID (g_value_get_uint64 (value)))
      g_string_append_printf (text, "%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT, g_value_get_uint64 (value) / GST_SECOND,
                              g_value_get_uint64 (value) % GST_SECOND);
    break;
  case KIND_FRACTION:
    if (i == 0)
      columns_append_double (text,
                             (gdouble)gst_value_get_fraction_numerator (value) / gst_value_get_fraction_denominator (value));
    else
      g_string_append_printf (text, "%d",
                              i == 1 ? gst_value_get_fraction_numerator (value) : gst_value_get_fraction_denominator (value));
    break;
  case KIND_RECTANGLE:
    columns_append_value (text, group->field, gst_value_array_get_value (value, i));
    break;
  case KIND_COUNTERS: {
    const guint64 *counters = g_bytes_get_data (g_value_get_boxed (value), &size);

    if (i < size / sizeof *counters)
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, GUINT64_FROM_LE (counters[i]));
    break;
  }
  }
}

/* Returns the value of the group's field; NULL: the result has none, or one of another kind. */
static const GValue *
columns_find_value (const Columns *columns, const Group *group, const GstStructure *result)
{
  const guint n_regions = group->region != NO_REGION ? values_count_regions (result) : 0;
  const GValue *value;
  Kind kind;

  if (group->region != NO_REGION && (guint)group->region >= n_regions)
    return NULL;
  if (group->region != NO_REGION)
    result = values_get_region (result, (guint)group->region);
  value = gst_structure_get_value (result, group->field);
  if (value == NULL || columns_count_of_value (columns, group->field, value, &kind) == 0 || kind != group->kind)
    return NULL;
  return value;
}

void
columns_append_row (const Columns *columns, const GstStructure *result, GString *text)
{
  for (guint g = 0; g < columns->groups->len; g++) {
    const Group *group = columns->groups->pdata[g];
    const GValue *value = columns_find_value (columns, group, result);

    for (guint i = 0; i < group->count; i++) {
      if (g > 0 || i > 0)
        g_string_append_c (text, ',');
      if (value != NULL)
        columns_append_cell (text, group, value, i);
    }
  }
  g_string_append_c (text, '\n');
}
