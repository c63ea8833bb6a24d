/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "relations.h"

#include <math.h>
#include <string.h>

#include <cudahisto/histo.h>

#define MAX_DEPTH 16
#define MAX_PICTURES 32  /* in one frame */
#define MAX_WEIGHT 32768 /* of a row or a column */
#define BLOCK 256        /* bins whose moments fit 64 bits where each counts less than LARGE */
#define LARGE (G_GUINT64_CONSTANT (1) << 40)
#define TOLERANCE 1e-9 /* relative: a sidecar has all digits, but the last one depends on the C library */

/* Σ h, Σ v·h and Σ v²·h of a histogram. */
typedef struct {
  Wide count, sum, squares;
} Moments;

/* A result or a region, and what of its component has been computed. */
typedef struct {
  const Facts *result;
  const Facts *picture; /* the result, or a region */
  Facts *components[RELATIONS_MAX_COMPONENTS];
  guint n_components;
  gint region; /* its index; -1: it is the result */
  Moments moments;
  struct histo_summary summary;
  struct histo_colour_summary colours[2]; /* of the saturations, of the hues */
  gboolean has_summary, has_colours[2];
  guint64 *native; /* a histogram in the byte order of this machine; NULL: the line's is */
} Check;

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
  ROOT,            /* a * a = b */
  ADDS_UP,         /* the counters of a add up to b */
  BITS_OF,         /* a has no bit that b has not */
  FITS,            /* a + b <= 2^64 */
  FOLLOWS,         /* a is what the function makes of b */
  HOLDS            /* the function says so; `says` says what */
} Kind;

typedef struct {
  Kind kind;
  Fact a, b, c;
  guint64 needs; /* is checked where all of these are there */
  gboolean (*function) (Check *check, const Facts *facts, Fact a);
  const gchar *says;
} Relation;

/* ---- numbers ---------------------------------------------------------------------------------------------------------- */

static gdouble
relations_get_real (const Facts *facts, Fact fact)
{
  return facts_is_real (fact) ? facts->values[fact].real : number_round_wide (facts->values[fact].whole);
}

static gboolean
relations_are_close (gdouble a, gdouble b)
{
  return a == b || fabs (a - b) <= TOLERANCE * MAX (fabs (a), fabs (b));
}

static gboolean
relations_is_at_most (const Facts *facts, Fact a, Fact b)
{
  gdouble left, right;

  if (!facts_is_real (a) && !facts_is_real (b))
    return facts->values[a].whole <= facts->values[b].whole;
  left = relations_get_real (facts, a);
  right = relations_get_real (facts, b);
  return left <= right || relations_are_close (left, right);
}

static Wide
relations_get_peak (const Facts *facts)
{
  return ((Wide)1 << facts->values[FACT_DEPTH].whole) - 1;
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

/* The largest value that a sample has, where `max` may be the lowest of a counter of many, as in lines of 0.1. */
static Wide
relations_get_largest (const Facts *facts, Fact fact)
{
  const Wide number = facts->values[fact].whole;
  guint shift;

  if (fact != FACT_MAX || (facts->has & FACT_BIT (FACT_DEPTH)) == 0 || facts->values[FACT_DEPTH].whole <= 8)
    return number;
  shift = (guint)facts->values[FACT_DEPTH].whole - 8;
  return number % ((Wide)1 << shift) == 0 ? number + ((Wide)1 << shift) - 1 : number;
}

/* ---- the histogram of a component --------------------------------------------------------------------------------------- */

static guint64
relations_find_any (const guint64 *numbers, gsize length)
{
  guint64 any = 0;

  for (gsize i = 0; i < length; i++)
    any |= GUINT64_FROM_LE (numbers[i]);
  return any;
}

static Wide
relations_add_up (const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[fact].numbers;
  const gsize length = facts->values[fact].length;
  const gsize step = relations_find_any (numbers, length) < LARGE ? BLOCK : 1;
  Wide sum = 0;

  for (gsize i = 0; i < length; i += step) {
    guint64 part = 0;

    for (gsize b = i; b < MIN (length, i + step); b++)
      part += GUINT64_FROM_LE (numbers[b]);
    sum += part;
  }
  return sum;
}

/* What has no `count` to add up to. */
static gboolean
relations_has_sum (Check *check, const Facts *facts, Fact fact)
{
  (void)check;
  return relations_add_up (facts, fact) <= G_MAXUINT64;
}

/* Adds those of up to BLOCK bins, of which the first is that of `value`. */
static void
relations_add_block (Moments *moments, const guint64 *numbers, gsize length, Wide value)
{
  guint64 count = 0, sum = 0, squares = 0;

  for (guint64 i = 0; i < length; i++) {
    const guint64 number = GUINT64_FROM_LE (numbers[i]);

    count += number;
    sum += i * number;
    squares += i * i * number;
  }
  moments->count += count;
  moments->sum += value * count + sum;
  moments->squares += value * value * count + 2 * value * sum + squares;
}

static void
relations_compute_moments (Moments *moments, const guint64 *numbers, gsize length)
{
  const gsize step = relations_find_any (numbers, length) < LARGE ? BLOCK : 1;

  *moments = (Moments){ 0 };
  for (gsize i = 0; i < length; i += step)
    relations_add_block (moments, numbers + i, MIN (step, length - i), i);
}

/* 256 bins of deeper samples, or one for each value. */
static gboolean
relations_has_bins (Check *check, const Facts *facts, Fact fact)
{
  const gsize length = facts->values[fact].length;

  (void)check;
  return length == HISTO_BINS || (facts->values[FACT_DEPTH].whole > 8 && length == (gsize)1 << facts->values[FACT_DEPTH].whole);
}

static guint
relations_get_shift (const Facts *facts)
{
  const guint depth = (guint)facts->values[FACT_DEPTH].whole;

  return facts->values[FACT_HISTOGRAM].length == HISTO_BINS && depth > 8 ? depth - 8 : 0;
}

static gboolean
relations_histogram_adds_up (Check *check, const Facts *facts, Fact fact)
{
  relations_compute_moments (&check->moments, facts->values[fact].numbers, facts->values[fact].length);
  return check->moments.count == facts->values[FACT_COUNT].whole;
}

/* Exact where each value has a bin, else between what the least and the greatest values of all bins make. */
static gboolean
relations_histogram_has_sum (Check *check, const Facts *facts, Fact fact)
{
  const Wide least = check->moments.sum << relations_get_shift (facts);
  const Wide most = least + check->moments.count * (((Wide)1 << relations_get_shift (facts)) - 1);

  return facts->values[fact].whole >= least && facts->values[fact].whole <= most;
}

static gboolean
relations_histogram_has_squares (Check *check, const Facts *facts, Fact fact)
{
  const guint shift = relations_get_shift (facts);
  const Wide rest = ((Wide)1 << shift) - 1, least = check->moments.squares << 2 * shift;
  const Wide most = least + 2 * rest * (check->moments.sum << shift) + rest * rest * check->moments.count;

  return facts->values[fact].whole >= least && facts->values[fact].whole <= most;
}

static const guint64 *
relations_get_native (Check *check, const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[fact].numbers;

  if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
    return numbers;
  check->native = g_renew (guint64, check->native, MAX (1, facts->values[fact].length));
  for (gsize i = 0; i < facts->values[fact].length; i++)
    check->native[i] = GUINT64_FROM_LE (numbers[i]);
  return check->native;
}

/* What the library makes of the component's integers. */
static const struct histo_summary *
relations_summarize (Check *check, const Facts *facts)
{
  const gboolean has_histogram = (facts->has & FACT_BIT (FACT_HISTOGRAM)) != 0;
  const guint64 all = (guint64)facts->values[FACT_COUNT].whole;
  struct histo_component_stats stats = { .depth = (guint32)facts->values[FACT_DEPTH].whole, .count = all, .bins = 1 };

  if (check->has_summary)
    return &check->summary;
  if ((facts->has & FACT_BIT (FACT_SUM)) != 0 && (facts->has & FACT_BIT (FACT_SUM_OF_SQUARES)) != 0) {
    stats.sum = (guint64)facts->values[FACT_SUM].whole;
    stats.sum_of_squares = (guint64)facts->values[FACT_SUM_OF_SQUARES].whole;
    stats.sum_of_squares_high = (guint64)(facts->values[FACT_SUM_OF_SQUARES].whole >> 64);
  }
  stats.histogram = (guint64 *)&all;
  if (has_histogram) {
    stats.histogram = (guint64 *)relations_get_native (check, facts, FACT_HISTOGRAM);
    stats.bins = (guint32)facts->values[FACT_HISTOGRAM].length;
  }
  histo_summarize (&stats, &check->summary);
  check->has_summary = TRUE;
  return &check->summary;
}

/* Values, of which lines of 0.1 have the lowest of each bin. */
static gboolean
relations_follows_from_histogram (Check *check, const Facts *facts, Fact fact)
{
  const struct histo_summary *summary = relations_summarize (check, facts);
  const guint expected = fact == FACT_MIN      ? summary->min
                         : fact == FACT_MAX    ? summary->max
                         : fact == FACT_LOW    ? summary->low
                         : fact == FACT_MEDIAN ? summary->median
                                               : summary->high;

  return summary->resolution > 0 && facts->values[fact].whole / summary->resolution == expected / summary->resolution;
}

/* Which bits are 1 in a value that occurs: exact where each value has a bin, else of the upper 8 bits. */
static gboolean
relations_mask_follows (Check *check, const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[FACT_HISTOGRAM].numbers;
  const guint shift = relations_get_shift (facts);
  guint64 mask = 0;

  (void)check;
  for (gsize i = 0; i < facts->values[FACT_HISTOGRAM].length; i++)
    mask |= numbers[i] != 0 ? i : 0;
  return (guint64)facts->values[fact].whole >> shift == mask;
}

static gboolean
relations_variance_follows (Check *check, const Facts *facts, Fact fact)
{
  return relations_are_close (facts->values[fact].real, relations_summarize (check, facts)->variance);
}

/* ---- other numbers of components ---------------------------------------------------------------------------------------- */

static gboolean
relations_was_counted (Check *check, const Facts *facts, Fact fact)
{
  (void)check;
  (void)fact;
  return facts->values[FACT_COUNT].whole > 0;
}

static gboolean
relations_counts_bits (Check *check, const Facts *facts, Fact fact)
{
  (void)check;
  return (guint)__builtin_popcountll ((guint64)facts->values[FACT_USED_MASK].whole) == facts->values[fact].whole;
}

/* The greatest value has the highest bit of all. */
static gboolean
relations_mask_is_of_max (Check *check, const Facts *facts, Fact fact)
{
  (void)check;
  return facts->values[fact].whole <= 2 * relations_get_largest (facts, FACT_MAX);
}

/* At least those of the greatest value, at most as many as are below its highest. */
static gboolean
relations_bits_are_of_max (Check *check, const Facts *facts, Fact fact)
{
  const guint64 least = (guint64)facts->values[FACT_MAX].whole, most = (guint64)relations_get_largest (facts, FACT_MAX);
  const guint length = most > 0 ? (guint)g_bit_storage (most) : 0;

  (void)check;
  return facts->values[fact].whole >= (guint)__builtin_popcountll (least) && facts->values[fact].whole <= length;
}

static gboolean
relations_psnr_follows (Check *check, const Facts *facts, Fact fact)
{
  const gdouble peak = (gdouble)relations_get_peak (facts), mse = facts->values[FACT_MSE].real;
  const gdouble psnr = facts->values[fact].real, expected = 10 * log10 (peak * peak / mse);

  (void)check;
  return mse > 0 ? fabs (psnr - expected) <= TOLERANCE * MAX (1, expected) : isinf (psnr) && psnr > 0;
}

/* A column of 256 counters for each column of the picture, or for several; their bins are the histogram's upper 8 bits. */
static gboolean
relations_waveform_has_histogram (Check *check, const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[fact].numbers, *histogram = facts->values[FACT_HISTOGRAM].numbers;
  const gsize each = facts->values[FACT_HISTOGRAM].length / HISTO_BINS;
  guint64 sums[HISTO_BINS] = { 0 };

  (void)check;
  for (gsize i = 0; i < facts->values[fact].length; i++)
    sums[i % HISTO_BINS] += GUINT64_FROM_LE (numbers[i]);
  for (gsize i = 0; i < facts->values[FACT_HISTOGRAM].length; i++)
    sums[i / each] -= GUINT64_FROM_LE (histogram[i]);
  return relations_find_any (sums, HISTO_BINS) == 0;
}

static gboolean
relations_has_columns (Check *check, const Facts *facts, Fact fact)
{
  (void)check;
  return facts->values[fact].length % HISTO_BINS == 0;
}

/* Weights have 16 bits, and are not in the line: only where a result has an active picture there were none. */
static gboolean
relations_sums_add_up (Check *check, const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[fact].numbers;
  const Wide sum = facts->values[FACT_SUM].whole;
  Wide positive = 0, negative = 0;

  for (gsize i = 0; i < facts->values[fact].length; i++) {
    const gint64 number = (gint64)GUINT64_FROM_LE (numbers[i]);

    *(number < 0 ? &negative : &positive) += number < 0 ? -(guint64)number : (guint64)number;
  }
  if ((check->picture->has & FACT_BIT (FACT_ACTIVE_PICTURE)) != 0)
    return negative == 0 && positive == sum;
  return positive + negative <= MAX_WEIGHT * sum;
}

/* As many as the picture has; of subsampled chroma fewer, and a row stands for two where a frame comes as two fields. */
static gboolean
relations_sums_fit (Check *check, const Facts *facts, Fact fact)
{
  const Fact side = fact == FACT_ROW_SUMS ? FACT_HEIGHT : FACT_WIDTH;
  const gsize length = facts->values[fact].length;

  if ((check->picture->has & FACT_BIT (side)) == 0)
    return TRUE;
  if (fact == FACT_COLUMN_SUMS && facts == check->components[0])
    return length == check->picture->values[side].whole;
  return length <= check->picture->values[side].whole;
}

/* ---- pictures ----------------------------------------------------------------------------------------------------------- */

/* How many pictures each frame has: several views, say. 0: as far as that is known, not so many samples. */
static Wide
relations_count_pictures (const Facts *facts)
{
  const guint64 needs = FACT_BIT (FACT_LUMA_COUNT) | FACT_BIT (FACT_WIDTH) | FACT_BIT (FACT_HEIGHT) | FACT_BIT (FACT_FRAMES);
  const Wide all = facts->values[FACT_WIDTH].whole * facts->values[FACT_HEIGHT].whole * facts->values[FACT_FRAMES].whole;

  if ((facts->has & needs) != needs || all == 0)
    return MAX_PICTURES;
  return (facts->values[FACT_LUMA_COUNT].whole + all / 2) / all;
}

/* Whole rows of this width. One of an odd height may come as two fields, which have a row more, or one less; a region of two
 * fields has each row that it may touch. */
static gboolean
relations_has_pixels (Check *check, const Facts *facts, Fact fact)
{
  const Wide width = facts->values[FACT_WIDTH].whole * facts->values[FACT_FRAMES].whole,
             height = facts->values[FACT_HEIGHT].whole;
  const Wide count = facts->values[fact].whole, rows = width > 0 ? count / width : 0;
  const Wide pictures = relations_count_pictures (check->result);

  if (width == 0 || height == 0)
    return count == 0;
  if (rows * width != count || pictures == 0 || pictures > MAX_PICTURES)
    return FALSE;
  if (check->region >= 0)
    return rows >= height && rows <= pictures * (height + 2);
  return rows >= pictures * (height - height % 2) && rows <= pictures * (height + height % 2);
}

/* Whether the rectangle lies in the picture, whose height counts as larger by `slack`. */
static gboolean
relations_is_inside (const guint rectangle[4], const Facts *picture, guint slack)
{
  return (Wide)rectangle[0] + rectangle[2] <= picture->values[FACT_WIDTH].whole
         && (Wide)rectangle[1] + rectangle[3] <= picture->values[FACT_HEIGHT].whole + slack;
}

static gboolean
relations_rectangle_is_inside (Check *check, const Facts *facts, Fact fact)
{
  return relations_is_inside (facts->values[fact].rectangle, facts, check->region >= 0 ? 2 : 0);
}

static gboolean
relations_region_is_inside (Check *check, const Facts *facts, Fact fact)
{
  const guint rectangle[4] = { (guint)facts->values[FACT_X].whole, (guint)facts->values[FACT_Y].whole,
                               (guint)facts->values[FACT_WIDTH].whole, (guint)facts->values[FACT_HEIGHT].whole };
  const guint64 size = FACT_BIT (FACT_WIDTH) | FACT_BIT (FACT_HEIGHT);

  (void)fact;
  return (check->result->has & size) != size || relations_is_inside (rectangle, check->result, 0);
}

static gboolean
relations_active_follows (Check *check, const Facts *facts, Fact fact)
{
  static const guint nothing[4] = { 0 };
  const guint *extent = facts->values[FACT_ACTIVE_EXTENT].rectangle;

  (void)check;
  return memcmp (facts->values[fact].rectangle, extent[2] > 0 && extent[3] > 0 ? extent : nothing, sizeof nothing) == 0;
}

/* What the library makes of the counters of saturations, or of hues. */
static const struct histo_colour_summary *
relations_summarize_colours (Check *check, const Facts *facts, gboolean is_hue)
{
  const Fact fact = is_hue ? FACT_HUE_HISTOGRAM : FACT_SATURATION_HISTOGRAM;
  struct histo_picture_stats stats = { .chroma_count = (guint64)facts->values[FACT_CHROMA_COUNT].whole };

  if (check->has_colours[is_hue])
    return &check->colours[is_hue];
  if (is_hue) {
    stats.hue = (guint64 *)relations_get_native (check, facts, fact);
  } else {
    stats.saturation = (guint64 *)relations_get_native (check, facts, fact);
    stats.saturation_count = (guint32)facts->values[fact].length;
  }
  histo_summarize_colours (&stats, &check->colours[is_hue]);
  check->has_colours[is_hue] = TRUE;
  return &check->colours[is_hue];
}

static gboolean
relations_saturation_follows (Check *check, const Facts *facts, Fact fact)
{
  const struct histo_colour_summary *summary = relations_summarize_colours (check, facts, FALSE);

  switch (fact) {
  case FACT_SATURATION_MIN:
    return facts->values[fact].whole == summary->saturation_min;
  case FACT_SATURATION_LOW:
    return facts->values[fact].whole == summary->saturation_low;
  case FACT_SATURATION_HIGH:
    return facts->values[fact].whole == summary->saturation_high;
  case FACT_SATURATION_MAX:
    return facts->values[fact].whole == summary->saturation_max;
  default:
    return relations_are_close (facts->values[fact].real, summary->saturation_mean);
  }
}

static gboolean
relations_hue_follows (Check *check, const Facts *facts, Fact fact)
{
  const struct histo_colour_summary *summary = relations_summarize_colours (check, facts, TRUE);

  return fact == FACT_HUE_MEDIAN ? facts->values[fact].whole == summary->hue_median
                                 : relations_are_close (facts->values[fact].real, summary->hue_mean);
}

/* The distance from the middle of both axes, which is farther below it than above. */
static gboolean
relations_is_saturation (Check *check, const Facts *facts, Fact fact)
{
  const Wide half = (Wide)1 << (facts->values[FACT_DEPTH].whole - 1);

  (void)check;
  return facts->values[fact].whole * facts->values[fact].whole <= 2 * half * half;
}

static gboolean
relations_has_saturations (Check *check, const Facts *facts, Fact fact)
{
  const Wide half = (Wide)1 << (facts->values[FACT_DEPTH].whole - 1), most = facts->values[fact].length;

  (void)check;
  return (most - 1) * (most - 1) <= 2 * half * half && most * most > 2 * half * half;
}

static gboolean
relations_is_hue (Check *check, const Facts *facts, Fact fact)
{
  (void)check;
  return relations_get_real (facts, fact) >= 0 && relations_get_real (facts, fact) <= HISTO_HUES - 1;
}

static gboolean
relations_has_hues (Check *check, const Facts *facts, Fact fact)
{
  (void)check;
  return facts->values[fact].length == HISTO_HUES;
}

static gboolean
relations_is_vectorscope (Check *check, const Facts *facts, Fact fact)
{
  (void)check;
  return facts->values[fact].length == HISTO_VECTORSCOPE;
}

/* ---- the relations ------------------------------------------------------------------------------------------------------ */

#define BIT(a) FACT_BIT (FACT_##a)
#define ONE(kind, a)                                      \
  {                                                       \
    kind, FACT_##a, N_FACTS, N_FACTS, BIT (a), NULL, NULL \
  }
#define TWO(kind, a, b)                                              \
  {                                                                  \
    kind, FACT_##a, FACT_##b, N_FACTS, BIT (a) | BIT (b), NULL, NULL \
  }
#define THREE(kind, a, b, c)                                                    \
  {                                                                             \
    kind, FACT_##a, FACT_##b, FACT_##c, BIT (a) | BIT (b) | BIT (c), NULL, NULL \
  }
#define DEEP_ONE(kind, a)                                               \
  {                                                                     \
    kind, FACT_##a, N_FACTS, N_FACTS, BIT (a) | BIT (DEPTH), NULL, NULL \
  }
#define DEEP_TWO(kind, a, b)                                                       \
  {                                                                                \
    kind, FACT_##a, FACT_##b, N_FACTS, BIT (a) | BIT (b) | BIT (DEPTH), NULL, NULL \
  }
#define FROM(a, b, also, function)                                                   \
  {                                                                                  \
    FOLLOWS, FACT_##a, FACT_##b, N_FACTS, BIT (a) | BIT (b) | (also), function, NULL \
  }
#define CHECK(a, also, function, says)                                  \
  {                                                                     \
    HOLDS, FACT_##a, N_FACTS, N_FACTS, BIT (a) | (also), function, says \
  }

#define OVERFLOWS "has counters whose sum is more than 64 bits hold"
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
  CHECK (MIN, BIT (COUNT), relations_was_counted, "is there, though `count` is 0"),
  CHECK (MAX, BIT (COUNT), relations_was_counted, "is there, though `count` is 0"),
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

  CHECK (HISTOGRAM, BIT (DEPTH), relations_has_bins, "has neither 256 counters nor one for each value"),
  CHECK (HISTOGRAM, 0, relations_has_sum, OVERFLOWS),
  { ADDS_UP, FACT_HISTOGRAM, FACT_COUNT, N_FACTS, BIT (HISTOGRAM) | BIT (COUNT), relations_histogram_adds_up, NULL },
  FROM (SUM, HISTOGRAM, COUNTED, relations_histogram_has_sum),
  FROM (SUM_OF_SQUARES, HISTOGRAM, COUNTED, relations_histogram_has_squares),
  FROM (MIN, HISTOGRAM, COUNTED, relations_follows_from_histogram),
  FROM (MAX, HISTOGRAM, COUNTED, relations_follows_from_histogram),
  FROM (LOW, HISTOGRAM, COUNTED, relations_follows_from_histogram),
  FROM (MEDIAN, HISTOGRAM, COUNTED, relations_follows_from_histogram),
  FROM (HIGH, HISTOGRAM, COUNTED, relations_follows_from_histogram),
  FROM (USED_MASK, HISTOGRAM, COUNTED, relations_mask_follows),
  FROM (VARIANCE, SUM_OF_SQUARES, COUNTED | BIT (SUM), relations_variance_follows),

  DEEP_ONE (OF_SAMPLES, USED_MASK),
  FROM (USED_BITS, USED_MASK, 0, relations_counts_bits),
  TWO (BITS_OF, MIN, USED_MASK),
  TWO (BITS_OF, LOW, USED_MASK),
  TWO (BITS_OF, MEDIAN, USED_MASK),
  TWO (BITS_OF, HIGH, USED_MASK),
  TWO (BITS_OF, MAX, USED_MASK),
  FROM (USED_MASK, MAX, 0, relations_mask_is_of_max),
  FROM (USED_BITS, MAX, 0, relations_bits_are_of_max),
  TWO (AT_MOST, USED_BITS, DEPTH),

  TWO (AT_MOST, DOT_COUNT, COUNT),
  DEEP_TWO (AT_MOST_SAMPLES, DOT, SUM),

  CHECK (WAVEFORM, 0, relations_has_columns, "has not 256 counters a column"),
  TWO (ADDS_UP, WAVEFORM, COUNT),
  FROM (WAVEFORM, HISTOGRAM, COUNTED, relations_waveform_has_histogram),
  CHECK (ROW_SUMS, 0, relations_sums_fit, "has more numbers than the picture has rows"),
  CHECK (COLUMN_SUMS, 0, relations_sums_fit, "has not one value for each column of the picture"),
  FROM (ROW_SUMS, SUM, 0, relations_sums_add_up),
  FROM (COLUMN_SUMS, SUM, 0, relations_sums_add_up),
};

/* The relations of a component compared with the frame before, or with a reference. */
static const Relation relations_of_comparisons[] = {
  TWO (AT_MOST, DIFFERENCE_COUNT, COUNT),
  DEEP_TWO (AT_MOST_SAMPLES, SAD, DIFFERENCE_COUNT),
  TWO (AT_MOST, SAD, SSD),
  DEEP_TWO (AT_MOST_SAMPLES, SSD, SAD),
  THREE (SQUARE, SAD, DIFFERENCE_COUNT, SSD),
  THREE (QUOTIENT, DIFFERENCE, SAD, DIFFERENCE_COUNT),
  ONE (NOT_NEGATIVE, DIFFERENCE),
  DEEP_ONE (OF_SAMPLES, DIFFERENCE),
  THREE (QUOTIENT, MSE, SSD, DIFFERENCE_COUNT),
  ONE (NOT_NEGATIVE, MSE),
  ONE (NOT_NEGATIVE, PSNR),
  FROM (PSNR, MSE, BIT (DEPTH), relations_psnr_follows),
  TWO (AT_MOST, DISTANCE_COUNT, COUNT),
  TWO (AT_MOST, DISTANCE_MOVED, DISTANCE_COUNT),
  THREE (QUOTIENT, DISTANCE, DISTANCE_MOVED, DISTANCE_COUNT),
  ONE (FRACTION, DISTANCE),
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
  CHECK (X, BIT (Y) | REGION_SIZE, relations_region_is_inside, "and the others of the region reach beyond the picture"),
  CHECK (LUMA_COUNT, REGION_SIZE | BIT (FRAMES), relations_has_pixels, "is not what `frames` of `width` x `height` have"),
  CHECK (ACTIVE_PICTURE, REGION_SIZE, relations_rectangle_is_inside, "reaches beyond the picture"),
  CHECK (ACTIVE_EXTENT, REGION_SIZE, relations_rectangle_is_inside, "reaches beyond the picture"),
  FROM (ACTIVE_PICTURE, ACTIVE_EXTENT, 0, relations_active_follows),

  THREE (QUOTIENT, OUTLIERS, OUTLIERS_COUNT, LUMA_COUNT),
  THREE (QUOTIENT, REPEATS, REPEATS_COUNT, LUMA_COUNT),
  THREE (QUOTIENT, OUT_OF_RANGE, OUT_OF_RANGE_COUNT, LUMA_COUNT),
  THREE (QUOTIENT, OUT_OF_GAMUT, OUT_OF_GAMUT_COUNT, LUMA_COUNT),
  TWO (AT_MOST, OUTLIERS_COUNT, LUMA_COUNT),
  TWO (AT_MOST, REPEATS_COUNT, LUMA_COUNT),
  TWO (AT_MOST, OUT_OF_RANGE_COUNT, LUMA_COUNT),
  TWO (AT_MOST, OUT_OF_GAMUT_COUNT, LUMA_COUNT),
  ONE (FRACTION, OUTLIERS),
  ONE (FRACTION, REPEATS),
  ONE (FRACTION, OUT_OF_RANGE),
  ONE (FRACTION, OUT_OF_GAMUT),
  DEEP_TWO (AT_MOST_SAMPLES, METERED_LUMA_SUM, METERED_LUMA_WEIGHTS),
  THREE (QUOTIENT, METERED_LUMA, METERED_LUMA_SUM, METERED_LUMA_WEIGHTS),
  ONE (NOT_NEGATIVE, METERED_LUMA),
  DEEP_ONE (OF_SAMPLES, METERED_LUMA),

  CHECK (SATURATION_MAX, BIT (DEPTH), relations_is_saturation, "is more than samples of this `depth` can have"),
  TWO (AT_MOST, SATURATION_MIN, SATURATION_LOW),
  TWO (AT_MOST, SATURATION_LOW, SATURATION_HIGH),
  TWO (AT_MOST, SATURATION_HIGH, SATURATION_MAX),
  TWO (AT_MOST, SATURATION_MIN, SATURATION_MEAN),
  TWO (AT_MOST, SATURATION_MEAN, SATURATION_MAX),
  CHECK (SATURATION_HISTOGRAM, BIT (DEPTH), relations_has_saturations, "has not a counter for each saturation"),
  TWO (ADDS_UP, SATURATION_HISTOGRAM, CHROMA_COUNT),
  FROM (SATURATION_MIN, SATURATION_HISTOGRAM, SATURATIONS, relations_saturation_follows),
  FROM (SATURATION_LOW, SATURATION_HISTOGRAM, SATURATIONS, relations_saturation_follows),
  FROM (SATURATION_MEAN, SATURATION_HISTOGRAM, SATURATIONS, relations_saturation_follows),
  FROM (SATURATION_HIGH, SATURATION_HISTOGRAM, SATURATIONS, relations_saturation_follows),
  FROM (SATURATION_MAX, SATURATION_HISTOGRAM, SATURATIONS, relations_saturation_follows),
  CHECK (HUE_MEDIAN, 0, relations_is_hue, "is outside 0 to 359"),
  CHECK (HUE_MEAN, 0, relations_is_hue, "is outside 0 to 359"),
  CHECK (HUE_HISTOGRAM, 0, relations_has_hues, "has not 360 counters"),
  TWO (ADDS_UP, HUE_HISTOGRAM, CHROMA_COUNT),
  FROM (HUE_MEDIAN, HUE_HISTOGRAM, BIT (CHROMA_COUNT), relations_hue_follows),
  FROM (HUE_MEAN, HUE_HISTOGRAM, BIT (CHROMA_COUNT), relations_hue_follows),
  CHECK (VECTORSCOPE, 0, relations_is_vectorscope, "has not 256 rows of 256 counters"),
  TWO (ADDS_UP, VECTORSCOPE, CHROMA_COUNT),
};

static gboolean
relations_holds (const Relation *relation, Check *check, const Facts *facts)
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
    return relations_get_real (facts, a) <= (gdouble)relations_get_peak (facts);
  case AT_MOST_SAMPLES:
    return relations_compare_product (facts->values[a].whole, facts->values[b].whole, relations_get_peak (facts)) <= 0;
  case AT_LEAST_TIMES:
    return relations_compare_product (facts->values[a].whole, facts->values[b].whole, facts->values[c].whole) >= 0;
  case AT_MOST_TIMES:
    return relations_compare_product (facts->values[a].whole, facts->values[b].whole, relations_get_largest (facts, c)) <= 0;
  case SQUARE:
    return relations_compare_product (facts->values[a].whole * facts->values[a].whole, facts->values[b].whole,
                                      facts->values[c].whole)
           <= 0;
  case QUOTIENT:
    return facts->values[c].whole > 0
           && relations_are_close (facts->values[a].real, relations_get_real (facts, b) / relations_get_real (facts, c));
  case ROOT:
    return relations_are_close (facts->values[a].real, sqrt (facts->values[b].real));
  case BITS_OF:
    return (facts->values[a].whole & ~facts->values[b].whole) == 0;
  case FITS:
    return facts->values[a].whole + facts->values[b].whole <= (Wide)1 << 64;
  case ADDS_UP:
    if (relation->function == NULL)
      return relations_add_up (facts, a) == facts->values[b].whole;
    return relation->function (check, facts, a);
  case FOLLOWS:
  case HOLDS:
    return relation->function (check, facts, a);
  }
  g_return_val_if_reached (TRUE);
}

/* ---- what is wrong ------------------------------------------------------------------------------------------------------ */

/* "`Y-reference-mse`" */
static gchar *
relations_quote (const Check *check, const Facts *facts, Fact fact)
{
  if (fact == N_FACTS)
    return NULL;
  if (fact == FACT_LUMA_COUNT)
    return g_strdup_printf ("`%s-count`", check->components[0]->component);
  if (fact == FACT_CHROMA_COUNT)
    return g_strdup ("`U-count`");
  if (facts->component == NULL || fact >= FACT_DEPTH)
    return g_strdup_printf ("`%s`", facts_get_name (fact));
  return g_strdup_printf ("`%s-%s%s`", facts->component,
                          facts->scope == FACTS_REFERENCE && fact >= FACT_DIFFERENCE ? "reference-" : "",
                          facts_get_name (fact));
}

static gchar *
relations_describe (const Relation *relation, const Check *check, const Facts *facts)
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
    return g_strdup_printf ("%s has bits that %s has not", a, b);
  case FITS:
    return g_strdup_printf ("%s and %s are too large", a, b);
  case FOLLOWS:
    return g_strdup_printf ("%s contradicts %s", a, b);
  case HOLDS:
    return g_strdup_printf ("%s %s", a, relation->says);
  }
  g_return_val_if_reached (NULL);
}

/* Names the region in the sentence, by the number that csv gives it. */
static gchar *
relations_say (const Check *check, gchar *sentence)
{
  gchar *said;

  if (check->region < 0)
    return sentence;
  said = g_strdup_printf ("in region %d, %s", check->region, sentence);
  g_free (sentence);
  return said;
}

static gchar *
relations_check_all (const Relation *relations, guint n_relations, Check *check, const Facts *facts)
{
  for (guint i = 0; i < n_relations; i++) {
    if ((relations[i].needs & ~facts->has) == 0 && !relations_holds (&relations[i], check, facts))
      return relations_say (check, relations_describe (&relations[i], check, facts));
  }
  return NULL;
}

/* ---- components of one picture ------------------------------------------------------------------------------------------ */

static gboolean
relations_is_chroma (const Facts *component)
{
  return strcmp (component->component, "U") == 0 || strcmp (component->component, "V") == 0;
}

static const Facts *
relations_find_component (const Check *check, const gchar *name)
{
  for (guint i = 0; i < check->n_components; i++) {
    if (strcmp (check->components[i]->component, name) == 0)
      return check->components[i];
  }
  return NULL;
}

/* All have as many samples, but for chroma, which may be subsampled. */
static gchar *
relations_check_counts (const Check *check)
{
  const Facts *chroma = NULL, *other = NULL;

  for (guint i = 0; i < check->n_components; i++) {
    const Facts *component = check->components[i], **like = relations_is_chroma (component) ? &chroma : &other;

    if ((component->has & BIT (COUNT)) == 0)
      continue;
    if (*like != NULL && (*like)->values[FACT_COUNT].whole != component->values[FACT_COUNT].whole)
      return g_strdup_printf ("`%s-count` is not `%s-count`", component->component, (*like)->component);
    *like = component;
  }
  if (chroma != NULL && other != NULL && chroma->values[FACT_COUNT].whole > other->values[FACT_COUNT].whole)
    return g_strdup_printf ("`%s-count` is more than `%s-count`", chroma->component, other->component);
  return NULL;
}

/* Whether the vectorscope's columns are the histogram of U, and its rows that of V. */
static gchar *
relations_check_vectorscope (const Check *check)
{
  const guint64 *numbers = check->picture->values[FACT_VECTORSCOPE].numbers;

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
    each = component->values[FACT_HISTOGRAM].length / HISTO_BINS;
    for (gsize i = 0; i < component->values[FACT_HISTOGRAM].length; i++)
      sums[i / each] -= GUINT64_FROM_LE (component->values[FACT_HISTOGRAM].numbers[i]);
    if (relations_find_any (sums, HISTO_BINS) != 0)
      return g_strdup_printf ("`vectorscope` contradicts `%s-histogram`", component->component);
  }
  return NULL;
}

/* A part of a picture has no more than the picture. */
static gchar *
relations_check_region (const Check *check, const Check *whole)
{
  static const Fact parts[] = { FACT_COUNT, FACT_SUM, FACT_SUM_OF_SQUARES, FACT_MAX };

  for (guint i = 0; i < check->n_components; i++) {
    const Facts *component = check->components[i], *all = relations_find_component (whole, component->component);

    for (guint p = 0; all != NULL && p < G_N_ELEMENTS (parts); p++) {
      const guint64 bit = FACT_BIT (parts[p]);

      if ((component->has & all->has & bit) != 0 && component->values[parts[p]].whole > relations_get_largest (all, parts[p]))
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

/* The result, or a region of `whole`, and its components, which are among the facts from `first` on. */
static void
relations_begin (Check *check, const Check *whole, Facts *picture, guint owner, Facts *facts, guint first, guint n_facts)
{
  Facts *component = NULL;

  *check = (Check){ .result = picture, .picture = picture, .region = -1 };
  if (whole != NULL) {
    check->result = whole->result;
    picture->has &= ~BIT (DEPTH);
    relations_inherit (picture, whole->result, FACT_DEPTH);
    relations_inherit (picture, whole->result, FACT_FRAMES);
  }
  for (guint i = first; i < n_facts; i++) {
    if (facts[i].owner != owner) {
      if (whole != NULL)
        break;
      continue;
    }
    if (facts[i].scope == FACTS_COMPONENT) {
      component = check->components[check->n_components++] = &facts[i];
      relations_inherit (component, picture, FACT_DEPTH);
    } else if (facts[i].scope == FACTS_REFERENCE && component != NULL) {
      relations_inherit (&facts[i], component, FACT_COUNT);
      relations_inherit (&facts[i], component, FACT_DEPTH);
    }
  }
}

static void
relations_give_counts (const Check *check, Facts *picture)
{
  const Facts *chroma = relations_find_component (check, "U");

  if (check->n_components > 0 && (check->components[0]->has & BIT (COUNT)) != 0) {
    picture->has |= BIT (LUMA_COUNT);
    picture->values[FACT_LUMA_COUNT] = check->components[0]->values[FACT_COUNT];
  }
  if (chroma != NULL && (chroma->has & BIT (COUNT)) != 0) {
    picture->has |= BIT (CHROMA_COUNT);
    picture->values[FACT_CHROMA_COUNT] = chroma->values[FACT_COUNT];
  }
}

static gchar *
relations_check_component (Check *check, const Facts *facts)
{
  gchar *fault = NULL;

  check->has_summary = FALSE;
  if (facts->scope == FACTS_COMPONENT)
    fault = relations_check_all (relations_of_components, G_N_ELEMENTS (relations_of_components), check, facts);
  if (fault == NULL)
    fault = relations_check_all (relations_of_comparisons, G_N_ELEMENTS (relations_of_comparisons), check, facts);
  return fault;
}

/* Checks a picture, after its components have been collected. */
static gchar *
relations_check_picture (Check *check, const Check *whole, Facts *picture, const Facts *end)
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
  if (fault != NULL)
    return fault;
  fault = relations_check_counts (check);
  if (fault == NULL)
    fault = relations_check_vectorscope (check);
  if (fault == NULL && whole != NULL)
    fault = relations_check_region (check, whole);
  return fault != NULL ? relations_say (check, fault) : NULL;
}

gchar *
relations_check (Facts *facts, guint n_facts)
{
  Check whole, part;
  gchar *fault;
  gint region = 0;

  if ((facts->has & BIT (DEPTH)) != 0 && facts->values[FACT_DEPTH].whole > MAX_DEPTH) /* others rely on it */
    return g_strdup_printf ("`depth` is more than %d", MAX_DEPTH);
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
