/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The numbers of a line, by scope, so that relations.h can check them against each other. */

#pragma once

#include <glib-object.h>

#include "fields/fields.h"
#include "lines/number.h"

/* A number or an array of numbers: a FieldId or a value below. A comparison with a reference has the same facts as the
 * comparison with the previous frame, and a region the same as the picture. */
typedef guint Fact;

enum {
  FACT_LUMA_COUNT = N_FIELDS, /* derived, not fields: the `count` of the first component, and of U */
  FACT_CHROMA_COUNT,
  N_FACTS
};

/* A set of facts. */
__extension__ typedef unsigned __int128 FactSet;

#define FACT_BIT(fact) ((FactSet)1 << (fact))

typedef enum { FACTS_RESULT, FACTS_REGION, FACTS_COMPONENT, FACTS_REFERENCE } FactsScope;

/* The numbers of a result, a region, a component of either, or its comparison with a reference. */
typedef struct {
  FactsScope scope;
  guint owner;            /* index in the line's array of the result or region that it belongs to */
  const gchar *component; /* its name; NULL: of no component */
  FactSet has;            /* FACT_BIT() of each number that is present */
  union {
    Wide whole;
    gdouble real;
    guint rectangle[4]; /* x, y, width, height */
    struct {
      const guint64 *numbers; /* little-endian; owned by the structure */
      gsize length;
    };
  } values[N_FACTS];
} Facts;

/* Returns the fact of a member, whose name lacks its component's and "reference-". N_FACTS: none. */
Fact facts_find (const gchar *member, gboolean is_of_component);
const gchar *facts_get_name (Fact fact);

/* Returns whether a component's fact also exists in comparisons with a reference. */
gboolean facts_is_of_reference (Fact fact);

/* Returns whether it is a double. */
gboolean facts_is_real (Fact fact);

/* Returns a number that is present, as a double. */
gdouble facts_get_real (const Facts *facts, Fact fact);

/* Returns the largest possible sample value for the depth, which must be present. */
Wide facts_get_peak (const Facts *facts);

/* Returns the largest sample value. If bins hold several values, as in lines of 0.1, `max` may be the lowest value of its bin.
 * Returns any other number unchanged. */
Wide facts_get_largest (const Facts *facts, Fact fact);

/* Stores a value. Ignores a value of the wrong type. */
void facts_take (Facts *facts, Fact fact, const GValue *value);
