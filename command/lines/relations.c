/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/relations.h"

#include <math.h>
#include <string.h>

#include "fields/formulas.h"
#include "lines/conditions.h"

typedef enum {
  AT_MOST,         /* a <= b */
  EQUAL,           /* a = b */
  POSITIVE,        /* a >= 1 */
  NOT_NEGATIVE,    /* a >= 0 */
  FRACTION,        /* 0 <= a <= 1 */
  OF_SAMPLES,      /* a <= 2^depth - 1 */
  AT_MOST_SAMPLES, /* a <= b * (2^depth - 1) */
  AT_LEAST_TIMES,  /* a >= b * c */
  AT_MOST_TIMES,   /* a <= b * c */
  SQUARE,          /* a * a <= b * c */
  QUOTIENT,        /* a = b / c */
  FORMULA,         /* a is the result of its formula for b / c */
  ROOT,            /* a * a = b */
  ADDS_UP,         /* the bins of a add up to b */
  BITS_OF,         /* the bits of a are a subset of those of b */
  FITS,            /* a + b <= 2^64 */
  FOLLOWS,         /* a is the function's result for b */
  HOLDS            /* the function returns TRUE; `message` describes a violation */
} Kind;

typedef struct {
  Kind kind;
  Fact a, b, c;
  FactSet needs; /* the check needs all of these */
  Condition function;
  const gchar *message;
} Relation;

/* ---- numbers ---------------------------------------------------------------------------------------------------------- */

static gboolean
relations_is_at_most (const Facts *facts, Fact a, Fact b)
{
  gdouble left, right;

  if (!facts_is_real (a) && !facts_is_real (b))
    return facts->values[a].whole <= facts->values[b].whole;
  left = facts_get_real (facts, a);
  right = facts_get_real (facts, b);
  return left <= right || number_are_close (left, right);
}

/* -1, 0 or 1. */
static gint
relations_compare_product (Wide a, Wide b, Wide c)
{
  Wide product;

  if (__builtin_mul_overflow (b, c, &product))
    return -1;
  return a < product ? -1 : a > product;
}

/* ---- the relations ------------------------------------------------------------------------------------------------------ */

/* The macros below prepend FIELD_ID_. */
#define FIELD_ID_LUMA_COUNT FACT_LUMA_COUNT
#define FIELD_ID_CHROMA_COUNT FACT_CHROMA_COUNT

#define BIT(a) FACT_BIT (FIELD_ID_##a)
#define ONE(kind, a)                                          \
  {                                                           \
    kind, FIELD_ID_##a, N_FACTS, N_FACTS, BIT (a), NULL, NULL \
  }
#define TWO(kind, a, b)                                                      \
  {                                                                          \
    kind, FIELD_ID_##a, FIELD_ID_##b, N_FACTS, BIT (a) | BIT (b), NULL, NULL \
  }
#define THREE(kind, a, b, c)                                                                \
  {                                                                                         \
    kind, FIELD_ID_##a, FIELD_ID_##b, FIELD_ID_##c, BIT (a) | BIT (b) | BIT (c), NULL, NULL \
  }
#define DEEP_ONE(kind, a)                                                   \
  {                                                                         \
    kind, FIELD_ID_##a, N_FACTS, N_FACTS, BIT (a) | BIT (DEPTH), NULL, NULL \
  }
#define DEEP_TWO(kind, a, b)                                                               \
  {                                                                                        \
    kind, FIELD_ID_##a, FIELD_ID_##b, N_FACTS, BIT (a) | BIT (b) | BIT (DEPTH), NULL, NULL \
  }
#define FROM(a, b, also, function)                                                           \
  {                                                                                          \
    FOLLOWS, FIELD_ID_##a, FIELD_ID_##b, N_FACTS, BIT (a) | BIT (b) | (also), function, NULL \
  }
#define CHECK(a, also, function, message)                                      \
  {                                                                            \
    HOLDS, FIELD_ID_##a, N_FACTS, N_FACTS, BIT (a) | (also), function, message \
  }

#define OVERFLOWS "has bins whose sum exceeds 64 bits"
#define COUNTED (BIT (COUNT) | BIT (DEPTH))

/* The relations of a component. A relation may rely on those before it. */
static const Relation relations_of_components[] = {
  DEEP_TWO (AT_MOST_SAMPLES, SUM, COUNT),
  DEEP_TWO (AT_MOST_SAMPLES, SUM_OF_SQUARES, SUM),
  TWO (AT_MOST, SUM, SUM_OF_SQUARES),
  THREE (SQUARE, SUM, COUNT, SUM_OF_SQUARES),
  THREE (QUOTIENT, MEAN, SUM, COUNT),
  ONE (NOT_NEGATIVE, MEAN),
  DEEP_ONE (OF_SAMPLES, MEAN),
  ONE (NOT_NEGATIVE, VARIANCE),
  ONE (NOT_NEGATIVE, STDDEV),
  TWO (ROOT, STDDEV, VARIANCE),
  CHECK (MIN, BIT (COUNT), conditions_was_counted, "is present, although `count` is 0"),
  CHECK (MAX, BIT (COUNT), conditions_was_counted, "is present, although `count` is 0"),
  DEEP_ONE (OF_SAMPLES, MAX),
  TWO (AT_MOST, MIN, LOW),
  TWO (AT_MOST, LOW, MEDIAN),
  TWO (AT_MOST, MEDIAN, HIGH),
  TWO (AT_MOST, HIGH, MAX),
  TWO (AT_MOST, MIN, MAX),
  THREE (AT_LEAST_TIMES, SUM, COUNT, MIN),
  THREE (AT_MOST_TIMES, SUM, COUNT, MAX),
  THREE (AT_LEAST_TIMES, SUM_OF_SQUARES, SUM, MIN),
  THREE (AT_MOST_TIMES, SUM_OF_SQUARES, SUM, MAX),

  CHECK (HISTOGRAM, BIT (DEPTH), conditions_has_bins, "has neither 256 bins nor one for each value"),
  CHECK (HISTOGRAM, 0, conditions_has_sum, OVERFLOWS),
  { ADDS_UP, FIELD_ID_HISTOGRAM, FIELD_ID_COUNT, N_FACTS, BIT (HISTOGRAM) | BIT (COUNT), conditions_histogram_adds_up, NULL },
  FROM (SUM, HISTOGRAM, COUNTED, conditions_histogram_has_sum),
  FROM (SUM_OF_SQUARES, HISTOGRAM, COUNTED, conditions_histogram_has_squares),
  FROM (MIN, HISTOGRAM, COUNTED, conditions_follows_from_histogram),
  FROM (MAX, HISTOGRAM, COUNTED, conditions_follows_from_histogram),
  FROM (LOW, HISTOGRAM, COUNTED, conditions_follows_from_histogram),
  FROM (MEDIAN, HISTOGRAM, COUNTED, conditions_follows_from_histogram),
  FROM (HIGH, HISTOGRAM, COUNTED, conditions_follows_from_histogram),
  FROM (USED_MASK, HISTOGRAM, COUNTED, conditions_mask_follows),
  FROM (VARIANCE, SUM_OF_SQUARES, COUNTED | BIT (SUM), conditions_variance_follows),

  DEEP_ONE (OF_SAMPLES, USED_MASK),
  FROM (USED_BITS, USED_MASK, 0, conditions_counts_bits),
  TWO (BITS_OF, MIN, USED_MASK),
  TWO (BITS_OF, LOW, USED_MASK),
  TWO (BITS_OF, MEDIAN, USED_MASK),
  TWO (BITS_OF, HIGH, USED_MASK),
  TWO (BITS_OF, MAX, USED_MASK),
  FROM (USED_MASK, MAX, 0, conditions_mask_is_of_max),
  FROM (USED_BITS, MAX, 0, conditions_bits_are_of_max),
  TWO (AT_MOST, USED_BITS, DEPTH),

  DEEP_TWO (AT_MOST_SAMPLES, DOT, SUM),

  CHECK (WAVEFORM, 0, conditions_has_columns, "does not have 256 bins for each column"),
  TWO (ADDS_UP, WAVEFORM, COUNT),
  FROM (WAVEFORM, HISTOGRAM, COUNTED, conditions_waveform_has_histogram),
  CHECK (ROW_SUMS, 0, conditions_sums_fit, "has more numbers than the picture has rows"),
  CHECK (COLUMN_SUMS, 0, conditions_sums_fit, "does not have one value for each column of the picture"),
  FROM (ROW_SUMS, SUM, 0, conditions_sums_add_up),
  FROM (COLUMN_SUMS, SUM, 0, conditions_sums_add_up),
};

/* The relations of a component compared with the frame before, or with a reference. */
static const Relation relations_of_comparisons[] = {
  DEEP_TWO (AT_MOST_SAMPLES, SAD, DIFFERENCE_COUNT),
  TWO (AT_MOST, SAD, SSD),
  DEEP_TWO (AT_MOST_SAMPLES, SSD, SAD),
  THREE (SQUARE, SAD, DIFFERENCE_COUNT, SSD),
  DEEP_ONE (OF_SAMPLES, DIFFERENCE),
  FROM (PSNR, MSE, BIT (DEPTH), conditions_psnr_follows),
};

#define REGION_SIZE (BIT (WIDTH) | BIT (HEIGHT))
#define SATURATIONS (BIT (CHROMA_COUNT) | BIT (DEPTH))

/* The relations of a result or a region. */
static const Relation relations_of_pictures[] = {
  ONE (POSITIVE, DEPTH),
  ONE (POSITIVE, FRAMES),
  TWO (FITS, FRAME, FRAMES),
  TWO (FITS, OFFSET, SIZE),
  TWO (EQUAL, LUMA_COUNT, SIZE),
  CHECK (REGION_X, BIT (REGION_Y) | REGION_SIZE, conditions_region_is_inside,
         "and the other numbers of the region extend beyond the picture"),
  CHECK (LUMA_COUNT, REGION_SIZE | BIT (FRAMES), conditions_has_pixels, "contradicts `frames`, `width` and `height`"),
  CHECK (ACTIVE_PICTURE, REGION_SIZE, conditions_rectangle_is_inside, "extends beyond the picture"),
  CHECK (ACTIVE_EXTENT, REGION_SIZE, conditions_rectangle_is_inside, "extends beyond the picture"),
  FROM (ACTIVE_PICTURE, ACTIVE_EXTENT, 0, conditions_active_follows),

  DEEP_TWO (AT_MOST_SAMPLES, METERED_LUMA_SUM, METERED_LUMA_WEIGHTS),
  DEEP_ONE (OF_SAMPLES, METERED_LUMA),

  CHECK (SATURATION_MAX, BIT (DEPTH), conditions_is_saturation, "is more than samples of this `depth` can have"),
  TWO (AT_MOST, SATURATION_MIN, SATURATION_LOW),
  TWO (AT_MOST, SATURATION_LOW, SATURATION_HIGH),
  TWO (AT_MOST, SATURATION_HIGH, SATURATION_MAX),
  TWO (AT_MOST, SATURATION_MIN, SATURATION_MEAN),
  TWO (AT_MOST, SATURATION_MEAN, SATURATION_MAX),
  CHECK (SATURATION_HISTOGRAM, BIT (DEPTH), conditions_has_saturations, "does not have a bin for each saturation"),
  TWO (ADDS_UP, SATURATION_HISTOGRAM, CHROMA_COUNT),
  FROM (SATURATION_MIN, SATURATION_HISTOGRAM, SATURATIONS, conditions_colour_follows),
  FROM (SATURATION_LOW, SATURATION_HISTOGRAM, SATURATIONS, conditions_colour_follows),
  FROM (SATURATION_MEAN, SATURATION_HISTOGRAM, SATURATIONS, conditions_colour_follows),
  FROM (SATURATION_HIGH, SATURATION_HISTOGRAM, SATURATIONS, conditions_colour_follows),
  FROM (SATURATION_MAX, SATURATION_HISTOGRAM, SATURATIONS, conditions_colour_follows),
  CHECK (HUE_MEDIAN, 0, conditions_is_hue, "is outside 0 to 359"),
  CHECK (HUE_MEAN, 0, conditions_is_hue, "is outside 0 to 359"),
  CHECK (HUE_HISTOGRAM, 0, conditions_has_hues, "does not have 360 bins"),
  TWO (ADDS_UP, HUE_HISTOGRAM, CHROMA_COUNT),
  FROM (HUE_MEDIAN, HUE_HISTOGRAM, BIT (CHROMA_COUNT), conditions_colour_follows),
  FROM (HUE_MEAN, HUE_HISTOGRAM, BIT (CHROMA_COUNT), conditions_colour_follows),

  CHECK (LIGHT_MAX_PQ, 0, conditions_is_code, "is more than 4095"),
  TWO (AT_MOST, LIGHT_MIN_PQ, LIGHT_MAX_PQ),
  TWO (AT_MOST, LIGHT_PERCENTILE_50, LIGHT_PERCENTILE_90),
  TWO (AT_MOST, LIGHT_PERCENTILE_90, LIGHT_PERCENTILE_99),
  TWO (AT_MOST, LIGHT_PERCENTILE_99, LIGHT_PERCENTILE_99_9),
  TWO (AT_MOST, LIGHT_PERCENTILE_99_9, LIGHT_PERCENTILE_99_99),
  TWO (AT_MOST, LIGHT_PERCENTILE_99_99, LIGHT_MAX_NITS),
  TWO (AT_MOST, LIGHT_MAX_NITS, LIGHT_MAX_CLL),
  TWO (AT_MOST, LIGHT_MAX_CLL, LIGHT_MAX_NITS),
  TWO (AT_MOST, LIGHT_MAX_CLL_99_99, LIGHT_MAX_CLL),
  TWO (AT_MOST, LIGHT_AVERAGE_NITS, LIGHT_MAX_FALL),
  TWO (AT_MOST, LIGHT_MAX_FALL_99_99, LIGHT_MAX_FALL),
  TWO (AT_MOST, LIGHT_MAX_FALL, LIGHT_MAX_CLL),
  CHECK (LIGHT_HISTOGRAM, 0, conditions_has_codes, "does not have 4096 bins"),
  TWO (ADDS_UP, LIGHT_HISTOGRAM, LUMA_COUNT),
  FROM (LIGHT_MAX_NITS, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_follows),
  FROM (LIGHT_PERCENTILE_50, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_follows),
  FROM (LIGHT_PERCENTILE_90, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_follows),
  FROM (LIGHT_PERCENTILE_99, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_follows),
  FROM (LIGHT_PERCENTILE_99_9, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_follows),
  FROM (LIGHT_PERCENTILE_99_99, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_follows),
  FROM (LIGHT_MIN_PQ, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_follows),
  FROM (LIGHT_MAX_PQ, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_follows),
  FROM (LIGHT_SUM, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_has_sum),
  FROM (LIGHT_PQ_SUM, LIGHT_HISTOGRAM, BIT (LUMA_COUNT), conditions_light_has_sum),

  CHECK (VECTORSCOPE, 0, conditions_is_vectorscope, "does not have 256 rows of 256 bins"),
  TWO (ADDS_UP, VECTORSCOPE, CHROMA_COUNT),
};

static gboolean
relations_holds (const Relation *relation, CheckedPicture *check, const Facts *facts)
{
  const Fact a = relation->a, b = relation->b, c = relation->c;

  switch (relation->kind) {
  case AT_MOST:
    return relations_is_at_most (facts, a, b);
  case EQUAL:
    return facts->values[a].whole == facts->values[b].whole;
  case POSITIVE:
    return facts->values[a].whole > 0;
  case NOT_NEGATIVE:
    return facts->values[a].real >= 0;
  case FRACTION:
    return facts->values[a].real >= 0 && facts->values[a].real <= 1;
  case OF_SAMPLES:
    return facts_get_real (facts, a) <= (gdouble)facts_get_peak (facts);
  case AT_MOST_SAMPLES:
    return relations_compare_product (facts->values[a].whole, facts->values[b].whole, facts_get_peak (facts)) <= 0;
  case AT_LEAST_TIMES:
    return relations_compare_product (facts->values[a].whole, facts->values[b].whole, facts->values[c].whole) >= 0;
  case AT_MOST_TIMES:
    return relations_compare_product (facts->values[a].whole, facts->values[b].whole, facts_get_largest (facts, c)) <= 0;
  case SQUARE:
    return relations_compare_product (facts->values[a].whole * facts->values[a].whole, facts->values[b].whole,
                                      facts->values[c].whole)
           <= 0;
  case QUOTIENT:
    return facts->values[c].whole > 0
           && number_are_close (facts->values[a].real, facts_get_real (facts, b) / facts_get_real (facts, c));
  case FORMULA:
    return facts->values[c].whole > 0
           && conditions_is_result (facts->values[a].real,
                                    field_compute (field_describe (a), facts_get_real (facts, b), facts_get_real (facts, c),
                                                   (guint)facts->values[FIELD_ID_DEPTH].whole));
  case ROOT:
    return number_are_close (facts->values[a].real, sqrt (facts->values[b].real));
  case BITS_OF:
    return (facts->values[a].whole & ~facts->values[b].whole) == 0;
  case FITS:
    return facts->values[a].whole + facts->values[b].whole <= (Wide)1 << 64;
  case ADDS_UP:
    if (relation->function == NULL)
      return conditions_add_up (facts, a) == facts->values[b].whole;
    return relation->function (check, facts, a);
  case FOLLOWS:
  case HOLDS:
    return relation->function (check, facts, a);
  }
  g_return_val_if_reached (TRUE);
}

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

/* "`Y-reference-mse`" */
static gchar *
relations_quote (const CheckedPicture *check, const Facts *facts, Fact fact)
{
  if (fact == N_FACTS)
    return NULL;
  if (fact == FACT_LUMA_COUNT)
    return g_strdup_printf ("`%s-count`", check->components[0]->component);
  if (fact == FACT_CHROMA_COUNT)
    return g_strdup ("`U-count`");
  if (facts->component == NULL || !field_is_of_component (field_describe (fact)))
    return g_strdup_printf ("`%s`", facts_get_name (fact));
  return g_strdup_printf ("`%s-%s%s`", facts->component,
                          facts->scope == FACTS_REFERENCE && facts_is_of_reference (fact) ? "reference-" : "",
                          facts_get_name (fact));
}

static gchar *
relations_describe (const Relation *relation, const CheckedPicture *check, const Facts *facts)
{
  g_autofree gchar *a = relations_quote (check, facts, relation->a), *b = relations_quote (check, facts, relation->b);
  g_autofree gchar *c = relations_quote (check, facts, relation->c);

  switch (relation->kind) {
  case AT_MOST:
    return g_strdup_printf ("%s is more than %s", a, b);
  case EQUAL:
    return g_strdup_printf ("%s is not %s", a, b);
  case POSITIVE:
    return g_strdup_printf ("%s is 0", a);
  case NOT_NEGATIVE:
    return g_strdup_printf ("%s is less than 0", a);
  case FRACTION:
    return g_strdup_printf ("%s is not between 0 and 1", a);
  case OF_SAMPLES:
    return g_strdup_printf ("%s is more than samples of this `depth` can have", a);
  case AT_MOST_SAMPLES:
    return g_strdup_printf ("%s is more than %s and `depth` allow", a, b);
  case AT_LEAST_TIMES:
    return g_strdup_printf ("%s is less than %s times %s", a, b, c);
  case AT_MOST_TIMES:
    return g_strdup_printf ("%s is more than %s times %s", a, b, c);
  case SQUARE:
    return g_strdup_printf ("%s is more than %s and %s allow", a, b, c);
  case QUOTIENT:
    return g_strdup_printf ("%s is not %s / %s", a, b, c);
  case ROOT:
    return g_strdup_printf ("%s is not the square root of %s", a, b);
  case ADDS_UP:
    return g_strdup_printf ("%s does not add up to %s", a, b);
  case BITS_OF:
    return g_strdup_printf ("%s has bits that %s does not have", a, b);
  case FITS:
    return g_strdup_printf ("%s and %s are too large", a, b);
  case FORMULA:
  case FOLLOWS:
    return g_strdup_printf ("%s contradicts %s", a, b);
  case HOLDS:
    return g_strdup_printf ("%s %s", a, relation->message);
  }
  g_return_val_if_reached (NULL);
}

/* Prefixes the message with the region's number, as in csv. */
static gchar *
relations_report (const CheckedPicture *check, gchar *sentence)
{
  gchar *message;

  if (check->region < 0)
    return sentence;
  message = g_strdup_printf ("in region %d, %s", check->region, sentence);
  g_free (sentence);
  return message;
}

static gchar *
relations_check_all (const Relation *relations, guint n_relations, CheckedPicture *check, const Facts *facts)
{
  for (guint i = 0; i < n_relations; i++) {
    if ((relations[i].needs & ~facts->has) == 0 && !relations_holds (&relations[i], check, facts))
      return relations_report (check, relations_describe (&relations[i], check, facts));
  }
  return NULL;
}

/* Checks a field of the list, by its formula and its unit. NULL: it meets the relations, or a number for them is absent. */
static gchar *
relations_check_field (CheckedPicture *check, const Facts *facts, const FieldDescription *field)
{
  const Fact a = field->id, b = field->dividend;
  const Fact c = facts->component == NULL && field->divisor == FIELD_ID_COUNT ? FACT_LUMA_COUNT : field->divisor;
  const gboolean is_quotient = field_is_quotient (field), is_fraction = g_strcmp0 (field->unit, "fraction") == 0;
  const FactSet all = FACT_BIT (a) | FACT_BIT (b) | FACT_BIT (c);
  const Relation relations[] = {
    { .kind = is_quotient ? QUOTIENT : FORMULA, a, b, c, all | (is_quotient ? 0 : BIT (DEPTH)), NULL, NULL },
    { .kind = is_fraction ? FRACTION : NOT_NEGATIVE, a, N_FACTS, N_FACTS, FACT_BIT (a), NULL, NULL },
    { .kind = AT_MOST, b, c, N_FACTS, FACT_BIT (b) | FACT_BIT (c), NULL, NULL },
  };

  return relations_check_all (relations, is_fraction ? 3 : 2, check, facts);
}

/* Checks the relations that follow from the list of fields. A comparison with a reference has those of components. */
static gchar *
relations_check_fields (CheckedPicture *check, const Facts *facts)
{
  const gboolean is_of_component = facts->component != NULL;
  gchar *fault = NULL;

  for (FieldId id = 1; fault == NULL && id < N_FIELDS; id++) {
    const FieldDescription *field = field_describe (id);
    const Relation pair = { AT_MOST, field->pair, FIELD_ID_COUNT, N_FACTS, FACT_BIT (field->pair) | BIT (COUNT), NULL, NULL };

    if (field->scope == FIELD_SCOPE_REFERENCE || field_is_of_component (field) != is_of_component)
      continue;
    if (field->pair != FIELD_ID_NONE)
      fault = relations_check_all (&pair, 1, check, facts);
    if (fault == NULL && field->formula != NULL)
      fault = relations_check_field (check, facts, field);
  }
  return fault;
}

/* ---- components of one picture ------------------------------------------------------------------------------------------ */

static gboolean
relations_is_chroma (const Facts *component)
{
  return strcmp (component->component, "U") == 0 || strcmp (component->component, "V") == 0;
}

static const Facts *
relations_find_component (const CheckedPicture *check, const gchar *name)
{
  for (guint i = 0; i < check->n_components; i++) {
    if (strcmp (check->components[i]->component, name) == 0)
      return check->components[i];
  }
  return NULL;
}

/* All components have the same count, except subsampled chroma. */
static gchar *
relations_check_counts (const CheckedPicture *check)
{
  const Facts *chroma = NULL, *other = NULL;

  for (guint i = 0; i < check->n_components; i++) {
    const Facts *component = check->components[i], **like = relations_is_chroma (component) ? &chroma : &other;

    if ((component->has & BIT (COUNT)) == 0)
      continue;
    if (*like != NULL && (*like)->values[FIELD_ID_COUNT].whole != component->values[FIELD_ID_COUNT].whole)
      return g_strdup_printf ("`%s-count` is not `%s-count`", component->component, (*like)->component);
    *like = component;
  }
  if (chroma != NULL && other != NULL && chroma->values[FIELD_ID_COUNT].whole > other->values[FIELD_ID_COUNT].whole)
    return g_strdup_printf ("`%s-count` is more than `%s-count`", chroma->component, other->component);
  return NULL;
}

/* Checks that the vectorscope's columns add up to the histogram of U, and its rows to that of V. */
static gchar *
relations_check_vectorscope (const CheckedPicture *check)
{
  const guint64 *numbers = check->picture->values[FIELD_ID_VECTORSCOPE].numbers;

  if ((check->picture->has & BIT (VECTORSCOPE)) == 0)
    return NULL;
  for (guint is_v = 0; is_v < 2; is_v++) {
    const Facts *component = relations_find_component (check, is_v ? "V" : "U");
    guint64 sums[HISTO_BINS] = { 0 };
    gsize each;

    if (component == NULL || (component->has & BIT (HISTOGRAM)) == 0 || (component->has & BIT (DEPTH)) == 0)
      continue;
    for (guint i = 0; i < HISTO_VECTORSCOPE; i++)
      sums[is_v ? i / HISTO_BINS : i % HISTO_BINS] += GUINT64_FROM_LE (numbers[i]);
    each = component->values[FIELD_ID_HISTOGRAM].length / HISTO_BINS;
    for (gsize i = 0; i < component->values[FIELD_ID_HISTOGRAM].length; i++)
      sums[i / each] -= GUINT64_FROM_LE (component->values[FIELD_ID_HISTOGRAM].numbers[i]);
    if (conditions_find_any (sums, HISTO_BINS) != 0)
      return g_strdup_printf ("`vectorscope` contradicts `%s-histogram`", component->component);
  }
  return NULL;
}

/* The numbers of a region must not exceed those of the picture. */
static gchar *
relations_check_region (const CheckedPicture *check, const CheckedPicture *whole)
{
  static const Fact parts[] = { FIELD_ID_COUNT, FIELD_ID_SUM, FIELD_ID_SUM_OF_SQUARES, FIELD_ID_MAX };

  for (guint i = 0; i < check->n_components; i++) {
    const Facts *component = check->components[i], *all = relations_find_component (whole, component->component);

    for (guint p = 0; all != NULL && p < G_N_ELEMENTS (parts); p++) {
      const FactSet bit = FACT_BIT (parts[p]);

      if ((component->has & all->has & bit) != 0 && component->values[parts[p]].whole > facts_get_largest (all, parts[p]))
        return g_strdup_printf ("`%s-%s` is more than that of the picture", component->component, facts_get_name (parts[p]));
    }
  }
  return NULL;
}

/* ---- a line ------------------------------------------------------------------------------------------------------------- */

static void
relations_inherit (Facts *facts, const Facts *from, Fact fact)
{
  if ((from->has & FACT_BIT (fact)) == 0)
    return;
  facts->has |= FACT_BIT (fact);
  facts->values[fact] = from->values[fact];
}

/* Collects the result, or a region of `whole`, and its components, which are among the facts from `first` on. */
static void
relations_begin (CheckedPicture *check, const CheckedPicture *whole, Facts *picture, guint owner, Facts *facts, guint first,
                 guint n_facts)
{
  Facts *component = NULL;

  *check = (CheckedPicture){ .result = picture, .picture = picture, .region = -1 };
  if (whole != NULL) {
    check->result = whole->result;
    picture->has &= ~BIT (DEPTH);
    relations_inherit (picture, whole->result, FIELD_ID_DEPTH);
    relations_inherit (picture, whole->result, FIELD_ID_FRAMES);
  }
  for (guint i = first; i < n_facts; i++) {
    if (facts[i].owner != owner) {
      if (whole != NULL)
        break;
      continue;
    }
    if (facts[i].scope == FACTS_COMPONENT) {
      component = check->components[check->n_components++] = &facts[i];
      relations_inherit (component, picture, FIELD_ID_DEPTH);
    } else if (facts[i].scope == FACTS_REFERENCE && component != NULL) {
      relations_inherit (&facts[i], component, FIELD_ID_COUNT);
      relations_inherit (&facts[i], component, FIELD_ID_DEPTH);
    }
  }
}

static void
relations_give_counts (const CheckedPicture *check, Facts *picture)
{
  const Facts *chroma = relations_find_component (check, "U");

  if (chroma == NULL)
    chroma = relations_find_component (check, "R"); /* derived chroma has a sample for each pixel */
  if (check->n_components > 0 && (check->components[0]->has & BIT (COUNT)) != 0) {
    picture->has |= BIT (LUMA_COUNT);
    picture->values[FACT_LUMA_COUNT] = check->components[0]->values[FIELD_ID_COUNT];
  }
  if (chroma != NULL && (chroma->has & BIT (COUNT)) != 0) {
    picture->has |= BIT (CHROMA_COUNT);
    picture->values[FACT_CHROMA_COUNT] = chroma->values[FIELD_ID_COUNT];
  }
}

static gchar *
relations_check_component (CheckedPicture *check, const Facts *facts)
{
  gchar *fault = NULL;

  check->has_summary = FALSE;
  if (facts->scope == FACTS_COMPONENT)
    fault = relations_check_all (relations_of_components, G_N_ELEMENTS (relations_of_components), check, facts);
  if (fault == NULL)
    fault = relations_check_all (relations_of_comparisons, G_N_ELEMENTS (relations_of_comparisons), check, facts);
  return fault != NULL ? fault : relations_check_fields (check, facts);
}

/* Checks a picture, after its components have been collected. */
static gchar *
relations_check_picture (CheckedPicture *check, const CheckedPicture *whole, Facts *picture, const Facts *end)
{
  gchar *fault = NULL;

  relations_give_counts (check, picture);
  for (guint i = 0; fault == NULL && i < check->n_components; i++) {
    const Facts *component = check->components[i], *reference = component + 1;

    fault = relations_check_component (check, component);
    if (fault == NULL && reference < end && reference->scope == FACTS_REFERENCE)
      fault = relations_check_component (check, reference);
  }
  if (fault == NULL)
    fault = relations_check_all (relations_of_pictures, G_N_ELEMENTS (relations_of_pictures), check, picture);
  if (fault == NULL)
    fault = relations_check_fields (check, picture);
  if (fault != NULL)
    return fault;
  fault = relations_check_counts (check);
  if (fault == NULL)
    fault = relations_check_vectorscope (check);
  if (fault == NULL && whole != NULL)
    fault = relations_check_region (check, whole);
  return fault != NULL ? relations_report (check, fault) : NULL;
}

gchar *
relations_check (Facts *facts, guint n_facts)
{
  CheckedPicture whole, part;
  gchar *fault;
  gint region = 0;

  if ((facts->has & BIT (DEPTH)) != 0 && facts->values[FIELD_ID_DEPTH].whole > FORMULA_MAX_DEPTH) /* other checks rely on it */
    return g_strdup_printf ("`depth` is more than %d", FORMULA_MAX_DEPTH);
  relations_begin (&whole, NULL, facts, 0, facts, 1, n_facts);
  fault = relations_check_picture (&whole, NULL, facts, facts + n_facts);
  g_free (whole.native);
  for (guint i = 1; fault == NULL && i < n_facts; i++) {
    if (facts[i].scope != FACTS_REGION)
      continue;
    relations_begin (&part, &whole, &facts[i], i, facts, i + 1, n_facts);
    part.region = region++;
    fault = relations_check_picture (&part, &whole, &facts[i], facts + n_facts);
    g_free (part.native);
  }
  return fault;
}
