/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "merging/totalnumbers.h"

#include <string.h>

#include "lines/values.h"

static void
total_numbers_clear_component (gpointer data)
{
  g_free (((Component *)data)->name);
}

Numbers *
total_numbers_new (void)
{
  Numbers *numbers = g_new0 (Numbers, 1);

  numbers->entries = g_ptr_array_new_with_free_func (total_entry_free);
  numbers->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  numbers->components = g_array_new (FALSE, TRUE, sizeof (Component));
  g_array_set_clear_func (numbers->components, total_numbers_clear_component);
  return numbers;
}

void
total_numbers_free (gpointer data)
{
  Numbers *numbers = data;

  g_hash_table_unref (numbers->by_name);
  g_ptr_array_unref (numbers->entries);
  g_array_unref (numbers->components);
  g_free (numbers);
}

void
total_numbers_set_components (Numbers *numbers, const gchar *const *components)
{
  for (; *components != NULL; components++) {
    const Component component = { .name = g_strdup (*components) };

    g_array_append_val (numbers->components, component);
  }
}

/* Returns the field's component, or PICTURE, and sets its name without the component's. */
static gint
total_numbers_find_scope (const Numbers *numbers, const gchar *name, const gchar **member)
{
  for (guint c = 0; c < numbers->components->len; c++) {
    const gchar *component = g_array_index (numbers->components, Component, c).name;
    const gsize length = strlen (component);

    if (strncmp (name, component, length) == 0 && name[length] == '-') {
      *member = name + length + 1;
      return (gint)c;
    }
  }
  *member = name;
  return PICTURE;
}

static Entry *
total_numbers_add_entry (Numbers *numbers, const gchar *name, guint place)
{
  const gchar *member;
  const gint scope = total_numbers_find_scope (numbers, name, &member);
  Entry *entry = total_entry_new (name, scope, (gsize)(member - name));

  g_ptr_array_insert (numbers->entries, (gint)place, entry);
  g_hash_table_insert (numbers->by_name, entry->name, entry);
  return entry;
}

/* Returns whether earlier results, and this one, have samples in the entry's scope. */
static gboolean
total_numbers_have_counted (const Numbers *numbers, const Entry *entry)
{
  return entry->scope == PICTURE ? numbers->has_counted
                                 : g_array_index (numbers->components, Component, entry->scope).has_counted;
}

static gboolean
total_numbers_are_counted (const Numbers *numbers, const Entry *entry)
{
  return entry->scope == PICTURE ? numbers->is_counted
                                 : g_array_index (numbers->components, Component, entry->scope).is_counted;
}

static void
total_numbers_look_at_counts (Numbers *numbers, const GstStructure *result)
{
  numbers->is_counted = FALSE;
  for (guint c = 0; c < numbers->components->len; c++) {
    Component *component = &g_array_index (numbers->components, Component, c);
    guint64 count;

    /* A component without `count` may have samples. */
    component->is_counted
        = !values_get_uint64 (result, component->name, field_describe (FIELD_ID_COUNT)->name, &count) || count > 0;
    numbers->is_counted |= component->is_counted;
  }
}

/* Returns whether this or an earlier result has the entry but not its pair, or the reverse. */
static gboolean
total_numbers_lack_pair (const Numbers *numbers, const Entry *entry)
{
  const gchar *component = g_array_index (numbers->components, Component, entry->scope).name;
  g_autofree gchar *name = g_strconcat (component, "-", field_describe (entry->field->pair)->name, NULL);
  const Entry *pair = g_hash_table_lookup (numbers->by_name, name);

  return pair == NULL || pair->last != entry->last || pair->added != entry->added;
}

void
total_numbers_add (Numbers *numbers, const GstStructure *result, guint64 number)
{
  guint place = 0;

  total_numbers_look_at_counts (numbers, result);
  for (gint f = 0; f < gst_structure_n_fields (result); f++) {
    const gchar *name = gst_structure_nth_field_name (result, (guint)f);
    Entry *entry = g_hash_table_lookup (numbers->by_name, name);
    guint found;

    if (strcmp (name, VALUES_REGIONS) == 0)
      continue;
    if (entry == NULL) {
      entry = total_numbers_add_entry (numbers, name, place);
      if (total_entry_needs_all (entry) && total_numbers_have_counted (numbers, entry))
        total_entry_omit (entry, WHY_LINES);
    }
    total_entry_add (entry, gst_structure_get_value (result, name), number == 1);
    entry->added++;
    entry->last = number;
    place = g_ptr_array_find (numbers->entries, entry, &found) ? found + 1 : place;
  }
  for (guint i = 0; i < numbers->entries->len; i++) {
    Entry *entry = numbers->entries->pdata[i];

    if (total_entry_needs_all (entry) && entry->last != number && total_numbers_are_counted (numbers, entry))
      total_entry_omit (entry, WHY_LINES);
    if (entry->field->addition == FIELD_ADDITION_SUM_WITH_PAIR && entry->why == WHY_NOT
        && total_numbers_lack_pair (numbers, entry))
      total_entry_omit (entry, WHY_LINES);
    if ((entry->field->addition == FIELD_ADDITION_KEPT_IF_SAME || entry->field->addition == FIELD_ADDITION_UNITED)
        && entry->last != number)
      total_entry_omit (entry, WHY_DIFFERS);
    if (entry->field->addition == FIELD_ADDITION_MIXED && entry->last != number)
      g_value_set_static_string (&entry->value, "mixed");
  }
  for (guint c = 0; c < numbers->components->len; c++) {
    Component *component = &g_array_index (numbers->components, Component, c);

    component->has_counted |= component->is_counted;
  }
  numbers->has_counted |= numbers->is_counted;
}

const Entry *
total_numbers_find (const Numbers *numbers, gint scope, FieldId field)
{
  const gchar *name = field_describe (field)->name;
  g_autofree gchar *full
      = scope != PICTURE ? g_strconcat (g_array_index (numbers->components, Component, scope).name, "-", name, NULL) : NULL;
  const Entry *entry = g_hash_table_lookup (numbers->by_name, full != NULL ? full : name);

  return entry != NULL && entry->why == WHY_NOT ? entry : NULL;
}

gboolean
total_numbers_find_sum (const Numbers *numbers, gint scope, FieldId field, Wide *sum)
{
  const Entry *entry = total_numbers_find (numbers, scope, field);

  if (entry != NULL)
    *sum = entry->sum;
  return entry != NULL;
}
