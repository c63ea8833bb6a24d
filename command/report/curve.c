/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/curve.h"

#include <math.h>

#include "fields/fields.h"
#include "lines/values.h"
#include "lines/json.h"

#define NONE G_MAXUINT

typedef struct {
  gdouble value; /* NaN: none yet */
  Place place;
} Extreme;

typedef enum {
  EXTREME_MEAN_LEAST,
  EXTREME_MEAN_GREATEST,
  EXTREME_MIN,
  EXTREME_MAX,
  EXTREME_RANGE,
  EXTREME_SPREAD,
  EXTREME_LEAST_SPREAD,
  EXTREME_CHANGE,
  N_EXTREMES
} ExtremeKind;

static const struct {
  const gchar *name;
  gboolean is_least;
} extremes[N_EXTREMES] = {
  [EXTREME_MEAN_LEAST] = { "mean-least", TRUE },
  [EXTREME_MEAN_GREATEST] = { "mean-greatest", FALSE },
  [EXTREME_MIN] = { "min-least", TRUE },
  [EXTREME_MAX] = { "max-greatest", FALSE },
  [EXTREME_RANGE] = { "range-greatest", FALSE },
  [EXTREME_SPREAD] = { "spread-greatest", FALSE },
  [EXTREME_LEAST_SPREAD] = { "spread-least", TRUE },
  [EXTREME_CHANGE] = { "change-greatest", FALSE },
};

/* The numbers drawn as curves. */
static const struct {
  FieldId field;
  SeriesRule rule;
} levels[] = {
  { FIELD_ID_MIN, SERIES_LEAST },     { FIELD_ID_LOW, SERIES_LEAST },    { FIELD_ID_MEDIAN, SERIES_MEAN },
  { FIELD_ID_HIGH, SERIES_GREATEST }, { FIELD_ID_MAX, SERIES_GREATEST }, { FIELD_ID_MEAN, SERIES_MEAN },
};

enum { LEVEL_MIN, LEVEL_LOW, LEVEL_MEDIAN, LEVEL_HIGH, LEVEL_MAX, LEVEL_MEAN, N_LEVELS };

/* A field with its own chart. */
typedef struct {
  guint column; /* NONE: not in any result so far */
  Extreme least, greatest;
} Scalar;

struct _Curve {
  gchar *region;    /* NULL: the whole picture */
  gchar *component; /* NULL: the picture's own numbers */
  guint levels[N_LEVELS];
  gboolean has_levels;
  guint histogram;   /* index in the heat map; NONE: not in it */
  gdouble last_mean; /* of the previous result of the run */
  guint64 run;
  Extreme extremes[N_EXTREMES];
  const FieldDescription *const *fields; /* fields with charts, NULL-terminated */
  Scalar *scalars;                       /* one for each of `fields` */
  guint n_scalars;
};

Curve *
curve_new (const gchar *region, const gchar *component)
{
  Curve *curve = g_new0 (Curve, 1);

  curve->region = g_strdup (region);
  curve->component = g_strdup (component);
  curve->histogram = NONE;
  curve->last_mean = NAN;
  for (guint i = 0; i < N_LEVELS; i++)
    curve->levels[i] = NONE;
  for (guint i = 0; i < N_EXTREMES; i++)
    curve->extremes[i].value = NAN;
  curve->fields = field_list_charts (component != NULL);
  while (curve->fields[curve->n_scalars] != NULL)
    curve->n_scalars++;
  curve->scalars = g_new (Scalar, curve->n_scalars);
  for (guint i = 0; i < curve->n_scalars; i++)
    curve->scalars[i] = (Scalar){ .column = NONE, .least = { .value = NAN }, .greatest = { .value = NAN } };
  return curve;
}

void
curve_free (gpointer data)
{
  Curve *curve = data;

  g_free (curve->scalars);
  g_free (curve->region);
  g_free (curve->component);
  g_free (curve);
}

static void
curve_take_extreme (Extreme *extreme, gboolean is_least, gdouble value, const Place *place)
{
  if (isnan (value) || (is_least ? extreme->value <= value : extreme->value >= value))
    return;
  extreme->value = value;
  extreme->place = *place;
}

static void
curve_take_levels (Curve *curve, Series *series, const GstStructure *structure, const Place *place)
{
  gdouble values[N_LEVELS];

  if (curve->run != place->run) {
    curve->run = place->run;
    curve->last_mean = NAN;
  }
  for (guint i = 0; i < N_LEVELS; i++) {
    values[i] = values_read_double (structure, curve->component, field_describe (levels[i].field)->name);
    if (curve->levels[i] == NONE)
      curve->levels[i] = series_add_column (series, levels[i].rule);
    series_set (series, curve->levels[i], values[i]);
    curve->has_levels |= !isnan (values[i]);
  }
  for (guint i = 0; i < N_EXTREMES; i++) {
    const gdouble numbers[N_EXTREMES] = {
      [EXTREME_MEAN_LEAST] = values[LEVEL_MEAN],
      [EXTREME_MEAN_GREATEST] = values[LEVEL_MEAN],
      [EXTREME_MIN] = values[LEVEL_MIN],
      [EXTREME_MAX] = values[LEVEL_MAX],
      [EXTREME_RANGE] = values[LEVEL_MAX] - values[LEVEL_MIN],
      [EXTREME_SPREAD] = values[LEVEL_HIGH] - values[LEVEL_LOW],
      [EXTREME_LEAST_SPREAD] = values[LEVEL_HIGH] - values[LEVEL_LOW],
      [EXTREME_CHANGE] = fabs (values[LEVEL_MEAN] - curve->last_mean),
    };

    curve_take_extreme (&curve->extremes[i], extremes[i].is_least, numbers[i], place);
  }
  curve->last_mean = values[LEVEL_MEAN];
}

static void
curve_take_scalars (Curve *curve, Series *series, const GstStructure *structure, const Place *place)
{
  for (guint i = 0; i < curve->n_scalars; i++) {
    Scalar *scalar = &curve->scalars[i];
    gdouble value = values_read_double (structure, curve->component, curve->fields[i]->name);

    if (isnan (value))
      continue;
    if (scalar->column == NONE)
      scalar->column
          = series_add_column (series, curve->fields[i]->addition == FIELD_ADDITION_GREATEST ? SERIES_GREATEST : SERIES_MEAN);
    series_set (series, scalar->column, value);
    if ((curve->fields[i]->extremes & FIELD_EXTREMES_LEAST) != 0)
      curve_take_extreme (&scalar->least, TRUE, value, place);
    if ((curve->fields[i]->extremes & FIELD_EXTREMES_GREATEST) != 0)
      curve_take_extreme (&scalar->greatest, FALSE, value, place);
  }
}

void
curve_take (Curve *curve, Series *series, const GstStructure *structure, const Place *place)
{
  if (curve->component != NULL)
    curve_take_levels (curve, series, structure, place);
  curve_take_scalars (curve, series, structure, place);
}

gsize
curve_take_histogram (Curve *curve, Heat *heat, const GstStructure *structure)
{
  gsize n_counters = 0;
  const guint64 *counters
      = values_get_array (structure, curve->component, field_describe (FIELD_ID_HISTOGRAM)->name, &n_counters);

  if (counters == NULL || n_counters == 0 || n_counters % HEAT_BINS != 0)
    return 0;
  if (curve->histogram == NONE)
    curve->histogram = heat_add_component (heat);
  heat_add (heat, curve->histogram, counters, n_counters);
  return n_counters;
}

gboolean
curve_has_levels (const Curve *curve)
{
  return curve->has_levels;
}

gboolean
curve_has_histogram (const Curve *curve)
{
  return curve->histogram != NONE;
}

static void
curve_append_extreme (const Curve *curve, GString *json, const gchar *name, const Extreme *extreme, gboolean has_offsets)
{
  if (isnan (extreme->value))
    return;
  g_string_append_printf (json, "%s{\"what\":\"%s\"", json->str[json->len - 1] == '[' ? "" : ",", name);
  json_append_text_member (json, "region", curve->region);
  json_append_text_member (json, "component", curve->component);
  json_append_double_member (json, "value", extreme->value);
  json_append_double_member (json, "time", extreme->place.time);
  json_append_double_member (json, "frame", extreme->place.frame);
  if (has_offsets)
    json_append_double_member (json, "offset", extreme->place.offset);
  json_append_double_member (json, "result", extreme->place.result);
  g_string_append_c (json, '}');
}

void
curve_append_extremes (const Curve *curve, GString *json, gboolean has_offsets)
{
  for (guint kind = 0; kind < N_EXTREMES; kind++)
    curve_append_extreme (curve, json, extremes[kind].name, &curve->extremes[kind], has_offsets);
  for (guint n = 0; n < curve->n_scalars; n++) {
    g_autofree gchar *least = g_strconcat (curve->fields[n]->name, "-least", NULL);
    g_autofree gchar *greatest = g_strconcat (curve->fields[n]->name, "-greatest", NULL);

    curve_append_extreme (curve, json, least, &curve->scalars[n].least, has_offsets);
    curve_append_extreme (curve, json, greatest, &curve->scalars[n].greatest, has_offsets);
  }
}

void
curve_append (const Curve *curve, guint number, GString *curves, GString *further)
{
  if (curve->component != NULL) {
    g_string_append_printf (curves, "%s{\"id\":\"c%u\",\"bins\":%d,\"has-levels\":%s",
                            curves->str[curves->len - 1] == '[' ? "" : ",", number, curve->histogram != NONE ? HEAT_BINS : 0,
                            curve->has_levels ? "true" : "false");
    json_append_text_member (curves, "region", curve->region);
    json_append_text_member (curves, "component", curve->component);
    g_string_append_c (curves, '}');
  }
  for (guint n = 0; n < curve->n_scalars; n++) {
    if (curve->scalars[n].column == NONE)
      continue;
    g_string_append_printf (further, "%s{\"id\":\"c%u.%s\",\"name\":\"%s\"", further->len > 0 ? "," : "", number,
                            curve->fields[n]->name, curve->fields[n]->name);
    json_append_text_member (further, "region", curve->region);
    json_append_text_member (further, "component", curve->component);
    g_string_append_c (further, '}');
  }
}

void
curve_pack (const Curve *curve, guint number, const Series *series, Packing *packing)
{
  const guint n_rows = series_count_rows (series);

  for (guint level = 0; curve->component != NULL && level < N_LEVELS; level++) {
    const gdouble *values = series_get_column (series, curve->levels[level]);
    g_autofree gchar *name = g_strdup_printf ("c%u.%s", number, field_describe (levels[level].field)->name);

    /* Averages are not integers. */
    if (levels[level].rule == SERIES_MEAN && (level == LEVEL_MEAN || series_get_step (series) > 1))
      packing_add_doubles (packing, name, values, n_rows, FALSE);
    else
      packing_add_values (packing, name, values, n_rows);
  }
  for (guint n = 0; n < curve->n_scalars; n++) {
    g_autofree gchar *name = g_strdup_printf ("c%u.%s", number, curve->fields[n]->name);

    if (curve->scalars[n].column != NONE)
      packing_add_doubles (packing, name, series_get_column (series, curve->scalars[n].column), n_rows, FALSE);
  }
}

void
curve_pack_histogram (const Curve *curve, guint number, const Heat *heat, Packing *packing)
{
  g_autofree gchar *name = g_strdup_printf ("c%u.histogram", number);

  if (curve->histogram != NONE)
    packing_add_counters (packing, name, heat_get_counters (heat, curve->histogram),
                          (gsize)heat_count_columns (heat) * HEAT_BINS, HEAT_BINS);
}
