/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/heat.h"

#include <string.h>

#define MAX_COLUMNS 4096

struct _Heat {
  GPtrArray *components; /* guint64[n_allocated * HEAT_BINS] */
  guint n_columns, n_allocated;
  guint64 step;
  guint64 in_last; /* results in the last column */
};

Heat *
heat_new (void)
{
  Heat *heat = g_new0 (Heat, 1);

  heat->components = g_ptr_array_new_with_free_func (g_free);
  heat->step = 1;
  return heat;
}

void
heat_free (Heat *heat)
{
  if (heat == NULL)
    return;
  g_ptr_array_unref (heat->components);
  g_free (heat);
}

guint
heat_add_component (Heat *heat)
{
  g_ptr_array_add (heat->components, g_new0 (guint64, MAX (1, heat->n_allocated) * HEAT_BINS));
  return heat->components->len - 1;
}

void
heat_halve (Heat *heat)
{
  const guint n_columns = heat->n_columns / 2 + heat->n_columns % 2;

  for (guint component = 0; component < heat->components->len; component++) {
    guint64 *counters = g_ptr_array_index (heat->components, component);

    for (guint column = 0; column < n_columns; column++) {
      const guint64 *first = counters + 2 * column * HEAT_BINS;
      const gboolean has_second = 2 * column + 1 < heat->n_columns;

      for (guint bin = 0; bin < HEAT_BINS; bin++)
        counters[column * HEAT_BINS + bin] = first[bin] + (has_second ? first[HEAT_BINS + bin] : 0);
    }
  }
  if (heat->n_columns % 2 == 0 && heat->n_columns > 0)
    heat->in_last += heat->step;
  heat->n_columns = n_columns;
  heat->step *= 2;
}

static void
heat_grow (Heat *heat)
{
  heat->n_allocated = MIN (MAX_COLUMNS, MAX (64, 2 * heat->n_allocated));
  for (guint i = 0; i < heat->components->len; i++)
    heat->components->pdata[i] = g_renew (guint64, heat->components->pdata[i], heat->n_allocated * HEAT_BINS);
}

void
heat_begin (Heat *heat)
{
  if (heat->n_columns == MAX_COLUMNS && heat->in_last == heat->step)
    heat_halve (heat);
  if (heat->n_columns > 0 && heat->in_last < heat->step) {
    heat->in_last++;
    return;
  }
  if (heat->n_columns == heat->n_allocated)
    heat_grow (heat);
  for (guint i = 0; i < heat->components->len; i++)
    memset ((guint64 *)heat->components->pdata[i] + heat->n_columns * HEAT_BINS, 0, HEAT_BINS * sizeof (guint64));
  heat->n_columns++;
  heat->in_last = 1;
}

gboolean
heat_add (Heat *heat, guint component, const guint64 *counters, gsize n_counters)
{
  const gsize fold = n_counters / HEAT_BINS;
  guint64 *sums = (guint64 *)heat->components->pdata[component] + (heat->n_columns - 1) * HEAT_BINS;

  if (n_counters == 0 || n_counters % HEAT_BINS != 0)
    return FALSE;
  for (gsize i = 0; i < n_counters; i++)
    sums[i / fold] += GUINT64_FROM_LE (counters[i]);
  return TRUE;
}

guint
heat_count_columns (const Heat *heat)
{
  return heat->n_columns;
}

guint64
heat_get_step (const Heat *heat)
{
  return heat->step;
}

const guint64 *
heat_get_counters (const Heat *heat, guint component)
{
  return g_ptr_array_index (heat->components, component);
}
