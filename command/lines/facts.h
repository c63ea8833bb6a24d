/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The numbers of a line, by what they are of, so that relations.h can hold them against each other. */

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
  /* no fields, but made of them: the `count` of the first component, and that of U */
  FACT_LUMA_COUNT,
  FACT_CHROMA_COUNT,
  N_FACTS
} Fact;

#define FACT_BIT(fact) (G_GUINT64_CONSTANT (1) << (fact))

typedef enum { FACTS_RESULT, FACTS_REGION, FACTS_COMPONENT, FACTS_REFERENCE } FactsScope;

/* What a result, a region, a component of either, or its comparison with a reference says. */
typedef struct {
  FactsScope scope;
  guint owner;            /* where in the line's array the result or the region is that it is of */
  const gchar *component; /* its name; NULL: it is of none */
  guint64 has;            /* FACT_BIT() of those that are there */
  union {
    Wide whole;
    gdouble real;
    guint rectangle[4]; /* x, y, width, height */
    struct {
      const guint64 *numbers; /* little-endian; the structure's */
      gsize length;
    };
  } values[N_FACTS];
} Facts;

/* Which fact a member is, by its name without its component's and without "reference-". N_FACTS: none. */
Fact facts_find (const gchar *member, gboolean is_of_component);
const gchar *facts_get_name (Fact fact);

/* Whether it is a double. */
gboolean facts_is_real (Fact fact);

/* A number that is there, as a double. */
gdouble facts_get_real (const Facts *facts, Fact fact);

/* The largest value of samples, by the depth, which is there. */
Wide facts_get_peak (const Facts *facts);

/* The largest value that a sample has, where `max` may be the lowest of a counter of many, as in lines of 0.1; any other number
 * as it is. */
Wide facts_get_largest (const Facts *facts, Fact fact);

/* Keeps a value. One of another kind than the fact's is not there. */
void facts_take (Facts *facts, Fact fact, const GValue *value);

G_END_DECLS

#endif
