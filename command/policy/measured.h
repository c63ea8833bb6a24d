/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A result as rules read it. */

#pragma once

#include "policy/places.h"

typedef struct {
  const GstStructure *line;
  const gchar *const *components; /* NULL-terminated */
  guint depth;                    /* 0: unknown */
  gboolean is_pq, is_hlg;
  PlacesSpan span;
} Measured;

void measured_take (Measured *measured, const GstStructure *line, const gchar *const *components);

/* Returns a number; NaN: the result does not have it. `component`: NULL for a field of the picture. */
gdouble measured_read (const Measured *measured, const FieldDescription *field, const gchar *component);

gboolean measured_has_component (const Measured *measured, const gchar *name);

/* Returns whether `choice` of a rule ("luma", "chroma", "rgb", "all" or a name) includes a component. */
gboolean measured_is_chosen (const gchar *choice, const gchar *component);

/* Returns why the rule does not apply to this result; NULL: it does. */
const gchar *measured_find_obstacle (const Measured *measured, const Rule *rule);
