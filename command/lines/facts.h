/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The numbers of a line, by scope, so that relations.h can check them against each other. */

#ifndef CUDAHISTO_FACTS_H
#define CUDAHISTO_FACTS_H

#include <glib-object.h>

#include "lines/number.h"

G_BEGIN_DECLS

/* A number, or an array of numbers. Names are those of docs/messages.md. */
typedef enum {
  /* of a component */
  FACT_COUNT,
  FACT_SUM,
  FACT_SUM_OF_SQUARES,
  FACT_MEAN,
  FACT_VARIANCE,
  FACT_STDDEV,
  FACT_MIN,
  FACT_MAX,
  FACT_LOW,
  FACT_MEDIAN,
  FACT_HIGH,
  FACT_DOT,
  FACT_DOT_COUNT,
  FACT_USED_BITS,
  FACT_USED_MASK,
  FACT_HISTOGRAM,
  FACT_ROW_SUMS,
  FACT_COLUMN_SUMS,
  FACT_WAVEFORM,
  /* of a component, and of its comparison with a reference */
  FACT_DIFFERENCE,
  FACT_DIFFERENCE_COUNT,
  FACT_SAD,
  FACT_SSD,
  FACT_MSE,
  FACT_PSNR,
  FACT_DISTANCE,
  FACT_DISTANCE_MOVED,
  FACT_DISTANCE_COUNT,
  /* of a result, or of a region */
  FACT_DEPTH,
  FACT_WIDTH,
  FACT_HEIGHT,
  FACT_X,
  FACT_Y,
  FACT_FRAME,
  FACT_FRAMES,
  FACT_OFFSET,
  FACT_SIZE,
  FACT_SATURATION_MIN,
  FACT_SATURATION_LOW,
  FACT_SATURATION_MEAN,
  FACT_SATURATION_HIGH,
  FACT_SATURATION_MAX,
  FACT_SATURATION_HISTOGRAM,
  FACT_HUE_MEDIAN,
  FACT_HUE_MEAN,
  FACT_HUE_HISTOGRAM,
  FACT_OUTLIERS,
  FACT_OUTLIERS_COUNT,
  FACT_REPEATS,
  FACT_REPEATS_COUNT,
  FACT_OUT_OF_RANGE,
  FACT_OUT_OF_RANGE_COUNT,
  FACT_OUT_OF_GAMUT,
  FACT_OUT_OF_GAMUT_COUNT,
  FACT_METERED_LUMA,
  FACT_METERED_LUMA_SUM,
  FACT_METERED_LUMA_WEIGHTS,
  FACT_ACTIVE_PICTURE,
  FACT_ACTIVE_EXTENT,
  FACT_VECTORSCOPE,
  /* no fields, but derived: the `count` of the first component, and that of U */
  FACT_LUMA_COUNT,
  FACT_CHROMA_COUNT,
  N_FACTS
} Fact;

#define FACT_BIT(fact) (G_GUINT64_CONSTANT (1) << (fact))

typedef enum { FACTS_RESULT, FACTS_REGION, FACTS_COMPONENT, FACTS_REFERENCE } FactsScope;

/* The numbers of a result, a region, a component of either, or its comparison with a reference. */
typedef struct {
  FactsScope scope;
  guint owner;            /* index in the line's array of the result or region that it belongs to */
  const gchar *component; /* its name; NULL: of no component */
  guint64 has;            /* FACT_BIT() of each number that is present */
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

/* Returns the fact of a member, by its name without its component's and without "reference-". N_FACTS: none. */
Fact facts_find (const gchar *member, gboolean is_of_component);
const gchar *facts_get_name (Fact fact);

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

G_END_DECLS

#endif
