/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fields/fields.h"

#include <string.h>

#include "fields/formulas.h"

const FieldDescription field_descriptions[N_FIELDS] = {
#define FIELD(field, key, part, kind, sum, ...)            \
  [FIELD_ID_##field] = { .id = FIELD_ID_##field,           \
                         .name = key,                      \
                         .scope = FIELD_SCOPE_##part,      \
                         .type = FIELD_TYPE_##kind,        \
                         .addition = FIELD_ADDITION_##sum, \
                         __VA_ARGS__ },
#include "fields/list.h"
#undef FIELD
};

const FieldDescription *
field_describe (FieldId id)
{
  return id > FIELD_ID_NONE && id < N_FIELDS ? &field_descriptions[id] : NULL;
}

const FieldDescription *
field_find (const gchar *name, FieldScope scope)
{
  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = &field_descriptions[id];

    if (field->scope == scope && strcmp (field->name, name) == 0)
      return field;
  }
  return NULL;
}

const FieldDescription *
field_find_in_message (const gchar *name)
{
  const FieldDescription *found = NULL;
  const gsize length = strlen (name);
  gsize longest = 0;

  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = &field_descriptions[id];
    const gsize own = strlen (field->name);
    const gboolean is_complete = field_is_of_component (field) ? length > own && name[length - own - 1] == '-' : length == own;

    if (is_complete && own > longest && strcmp (name + length - own, field->name) == 0) {
      found = field;
      longest = own;
    }
  }
  return found;
}

const gchar *
field_scope_get_group (FieldScope scope)
{
  switch (scope) {
  case FIELD_SCOPE_SATURATION:
    return "saturation";
  case FIELD_SCOPE_HUE:
    return "hue";
  case FIELD_SCOPE_LIGHT:
    return "light";
  case FIELD_SCOPE_REFERENCE:
    return "reference";
  default:
    return NULL;
  }
}

const gchar *
field_get_member (const FieldDescription *field)
{
  const gchar *group = field_scope_get_group (field->scope);

  return group != NULL ? field->name + strlen (group) + 1 : field->name;
}

gboolean
field_is_of_component (const FieldDescription *field)
{
  return field->scope == FIELD_SCOPE_COMPONENT || field->scope == FIELD_SCOPE_REFERENCE;
}

gboolean
field_is_of_picture (const FieldDescription *field)
{
  return field->scope == FIELD_SCOPE_PICTURE || field->scope == FIELD_SCOPE_SATURATION || field->scope == FIELD_SCOPE_HUE
         || field->scope == FIELD_SCOPE_LIGHT;
}

gboolean
field_is_quotient (const FieldDescription *field)
{
  return field->formula == formula_quotient;
}

gdouble
field_compute (const FieldDescription *field, gdouble dividend, gdouble divisor, guint depth)
{
  return field->formula (dividend / divisor, depth);
}

static guint
field_get_chart_order_of_picture (const FieldDescription *field)
{
  return field_is_of_component (field) ? 0 : field->chart_order;
}

static guint
field_get_chart_order_of_component (const FieldDescription *field)
{
  return field_is_of_component (field) ? field->chart_order : 0;
}

static guint
field_get_ffmpeg_place (const FieldDescription *field)
{
  return field->ffmpeg_place;
}

/* Lists the fields whose place is not 0, by place. */
static void
field_sort (guint (*get_place) (const FieldDescription *field), const FieldDescription **sorted)
{
  guint n_sorted = 0;

  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = &field_descriptions[id];
    guint i = n_sorted;

    if (get_place (field) == 0)
      continue;
    for (; i > 0 && get_place (sorted[i - 1]) > get_place (field); i--)
      sorted[i] = sorted[i - 1];
    sorted[i] = field;
    n_sorted++;
  }
}

typedef enum { SORTED_CHARTS_OF_PICTURE, SORTED_CHARTS_OF_COMPONENT, SORTED_FFMPEG, N_SORTED } Sorted;

static const FieldDescription *const *
field_list_sorted (Sorted which)
{
  static const FieldDescription *lists[N_SORTED][N_FIELDS];
  static gsize is_initialized;

  if (g_once_init_enter (&is_initialized)) {
    field_sort (field_get_chart_order_of_picture, lists[SORTED_CHARTS_OF_PICTURE]);
    field_sort (field_get_chart_order_of_component, lists[SORTED_CHARTS_OF_COMPONENT]);
    field_sort (field_get_ffmpeg_place, lists[SORTED_FFMPEG]);
    g_once_init_leave (&is_initialized, 1);
  }
  return lists[which];
}

const FieldDescription *const *
field_list_charts (gboolean are_of_components)
{
  return field_list_sorted (are_of_components ? SORTED_CHARTS_OF_COMPONENT : SORTED_CHARTS_OF_PICTURE);
}

const FieldDescription *const *
field_list_ffmpeg (void)
{
  return field_list_sorted (SORTED_FFMPEG);
}
