/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fields/fields.h"

#include <string.h>

#include "fields/formulas.h"

const FieldDescription field_descriptions[N_FIELDS] = {
#define FIELD(field, ...) [FIELD_ID_##field] = { .id = FIELD_ID_##field, __VA_ARGS__ },
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

const gchar *
field_scope_get_group (FieldScope scope)
{
  switch (scope) {
  case FIELD_OF_SATURATION:
    return "saturation";
  case FIELD_OF_HUE:
    return "hue";
  case FIELD_OF_REFERENCE:
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
  return field->scope == FIELD_OF_COMPONENT || field->scope == FIELD_OF_REFERENCE;
}

gboolean
field_is_of_picture (const FieldDescription *field)
{
  return field->scope == FIELD_OF_PICTURE || field->scope == FIELD_OF_SATURATION || field->scope == FIELD_OF_HUE;
}

gdouble
field_compute (const FieldDescription *field, gdouble dividend, gdouble divisor, guint depth)
{
  return field->formula (dividend / divisor, depth);
}

static void
field_collect_charts (gboolean are_of_components, const FieldDescription **charts)
{
  guint n_charts = 0;

  for (FieldId id = 1; id < N_FIELDS; id++) {
    const FieldDescription *field = &field_descriptions[id];
    guint place = n_charts;

    if (field->chart_order == 0 || field_is_of_component (field) != are_of_components)
      continue;
    for (; place > 0 && charts[place - 1]->chart_order > field->chart_order; place--)
      charts[place] = charts[place - 1];
    charts[place] = field;
    n_charts++;
  }
}

const FieldDescription *const *
field_list_charts (gboolean are_of_components)
{
  static const FieldDescription *charts[2][N_FIELDS];
  static gsize is_initialized;

  if (g_once_init_enter (&is_initialized)) {
    field_collect_charts (FALSE, charts[FALSE]);
    field_collect_charts (TRUE, charts[TRUE]);
    g_once_init_leave (&is_initialized, 1);
  }
  return charts[are_of_components ? TRUE : FALSE];
}
