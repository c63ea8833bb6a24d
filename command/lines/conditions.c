/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/conditions.h"

#include <math.h>
#include <string.h>

#include "fields/formulas.h"
#include "lines/summary.h"

#define MAX_PICTURES 32  /* pictures per frame */
#define MAX_WEIGHT 32768 /* of a row or a column */
#define BLOCK 256        /* bins whose moments fit into 64 bits if each is below LARGE */
#define LARGE (G_GUINT64_CONSTANT (1) << 40)

/* ---- the histogram of a component --------------------------------------------------------------------------------------- */

guint64
conditions_find_any (const guint64 *numbers, gsize length)
{
  guint64 any = 0;

  for (gsize i = 0; i < length; i++)
    any |= GUINT64_FROM_LE (numbers[i]);
  return any;
}

Wide
conditions_add_up (const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[fact].numbers;
  const gsize length = facts->values[fact].length;
  const gsize step = conditions_find_any (numbers, length) < LARGE ? BLOCK : 1;
  Wide sum = 0;

  for (gsize i = 0; i < length; i += step) {
    guint64 part = 0;

    for (gsize b = i; b < MIN (length, i + step); b++)
      part += GUINT64_FROM_LE (numbers[b]);
    sum += part;
  }
  return sum;
}

/* For arrays without a `count`. */
gboolean
conditions_has_sum (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return conditions_add_up (facts, fact) <= G_MAXUINT64;
}

/* Adds the moments of up to BLOCK bins, the first of which is for `value`. */
static void
conditions_add_block (Moments *moments, const guint64 *numbers, gsize length, Wide value)
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
conditions_compute_moments (Moments *moments, const guint64 *numbers, gsize length)
{
  const gsize step = conditions_find_any (numbers, length) < LARGE ? BLOCK : 1;

  *moments = (Moments){ 0 };
  for (gsize i = 0; i < length; i += step)
    conditions_add_block (moments, numbers + i, MIN (step, length - i), i);
}

/* 256 bins, or one for each value. */
gboolean
conditions_has_bins (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  const gsize length = facts->values[fact].length;

  return length == HISTO_BINS
         || (facts->values[FIELD_ID_DEPTH].whole > 8 && length == (gsize)1 << facts->values[FIELD_ID_DEPTH].whole);
}

static guint
conditions_get_shift (const Facts *facts)
{
  const guint depth = (guint)facts->values[FIELD_ID_DEPTH].whole;

  return facts->values[FIELD_ID_HISTOGRAM].length == HISTO_BINS && depth > 8 ? depth - 8 : 0;
}

gboolean
conditions_histogram_adds_up (CheckedPicture *check, const Facts *facts, Fact fact)
{
  conditions_compute_moments (&check->moments, facts->values[fact].numbers, facts->values[fact].length);
  return check->moments.count == facts->values[FIELD_ID_COUNT].whole;
}

/* Exact if each value has a bin. Otherwise between the sums for the lowest and the highest values of all bins. */
gboolean
conditions_histogram_has_sum (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const Wide least = check->moments.sum << conditions_get_shift (facts);
  const Wide most = least + check->moments.count * (((Wide)1 << conditions_get_shift (facts)) - 1);

  return facts->values[fact].whole >= least && facts->values[fact].whole <= most;
}

gboolean
conditions_histogram_has_squares (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const guint shift = conditions_get_shift (facts);
  const Wide rest = ((Wide)1 << shift) - 1, least = check->moments.squares << 2 * shift;
  const Wide most = least + 2 * rest * (check->moments.sum << shift) + rest * rest * check->moments.count;

  return facts->values[fact].whole >= least && facts->values[fact].whole <= most;
}

static const guint64 *
conditions_get_native (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[fact].numbers;

  if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
    return numbers;
  check->native = g_renew (guint64, check->native, MAX (1, facts->values[fact].length));
  for (gsize i = 0; i < facts->values[fact].length; i++)
    check->native[i] = GUINT64_FROM_LE (numbers[i]);
  return check->native;
}

/* Returns the library's summary of the component's integers. */
static const struct histo_summary *
conditions_summarize (CheckedPicture *check, const Facts *facts)
{
  const gboolean has_histogram = (facts->has & FACT_BIT (FIELD_ID_HISTOGRAM)) != 0;
  const guint64 all = (guint64)facts->values[FIELD_ID_COUNT].whole;
  struct histo_component_stats stats = { .depth = (guint32)facts->values[FIELD_ID_DEPTH].whole, .count = all, .bins = 1 };

  if (check->has_summary)
    return &check->summary;
  if ((facts->has & FACT_BIT (FIELD_ID_SUM)) != 0 && (facts->has & FACT_BIT (FIELD_ID_SUM_OF_SQUARES)) != 0) {
    stats.sum = (guint64)facts->values[FIELD_ID_SUM].whole;
    stats.sum_of_squares = (guint64)facts->values[FIELD_ID_SUM_OF_SQUARES].whole;
    stats.sum_of_squares_high = (guint64)(facts->values[FIELD_ID_SUM_OF_SQUARES].whole >> 64);
  }
  stats.histogram = (guint64 *)&all;
  if (has_histogram) {
    stats.histogram = (guint64 *)conditions_get_native (check, facts, FIELD_ID_HISTOGRAM);
    stats.bins = (guint32)facts->values[FIELD_ID_HISTOGRAM].length;
  }
  histo_summarize (&stats, &check->summary);
  check->has_summary = TRUE;
  return &check->summary;
}

/* Compares values. Lines of 0.1 have the lowest value of each bin. */
gboolean
conditions_follows_from_histogram (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const struct histo_summary *summary = conditions_summarize (check, facts);
  const guint32 *expected = summary_find (summary, fact);

  return summary->resolution > 0 && facts->values[fact].whole / summary->resolution == *expected / summary->resolution;
}

/* The bits that are 1 in any value: exact if each value has a bin, otherwise only for the upper 8 bits. */
gboolean
conditions_mask_follows (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[FIELD_ID_HISTOGRAM].numbers;
  const guint shift = conditions_get_shift (facts);
  guint64 mask = 0;

  for (gsize i = 0; i < facts->values[FIELD_ID_HISTOGRAM].length; i++)
    mask |= numbers[i] != 0 ? i : 0;
  return (guint64)facts->values[fact].whole >> shift == mask;
}

gboolean
conditions_variance_follows (CheckedPicture *check, const Facts *facts, Fact fact)
{
  return number_are_close (facts->values[fact].real, conditions_summarize (check, facts)->variance);
}

gboolean
conditions_is_result (gdouble number, gdouble expected)
{
  return number == expected || (isfinite (expected) && fabs (number - expected) <= NUMBER_TOLERANCE * MAX (1, fabs (expected)));
}

/* ---- other numbers of components ---------------------------------------------------------------------------------------- */

gboolean
conditions_was_counted (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact G_GNUC_UNUSED)
{
  return facts->values[FIELD_ID_COUNT].whole > 0;
}

gboolean
conditions_counts_bits (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return (guint)__builtin_popcountll ((guint64)facts->values[FIELD_ID_USED_MASK].whole) == facts->values[fact].whole;
}

/* The largest value has the highest bit. */
gboolean
conditions_mask_is_of_max (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return facts->values[fact].whole <= 2 * facts_get_largest (facts, FIELD_ID_MAX);
}

/* At least the number of bits set in the maximum, at most the number of its digits. */
gboolean
conditions_bits_are_of_max (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  const guint64 least = (guint64)facts->values[FIELD_ID_MAX].whole, most = (guint64)facts_get_largest (facts, FIELD_ID_MAX);
  const guint length = most > 0 ? (guint)g_bit_storage (most) : 0;

  return facts->values[fact].whole >= (guint)__builtin_popcountll (least) && facts->values[fact].whole <= length;
}

gboolean
conditions_psnr_follows (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return conditions_is_result (facts->values[fact].real,
                               formula_psnr (facts->values[FIELD_ID_MSE].real, (guint)facts->values[FIELD_ID_DEPTH].whole));
}

/* 256 bins for each column of the picture, or for several; they add up to the upper 8 bits of the histogram. */
gboolean
conditions_waveform_has_histogram (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[fact].numbers, *histogram = facts->values[FIELD_ID_HISTOGRAM].numbers;
  const gsize each = facts->values[FIELD_ID_HISTOGRAM].length / HISTO_BINS;
  guint64 sums[HISTO_BINS] = { 0 };

  for (gsize i = 0; i < facts->values[fact].length; i++)
    sums[i % HISTO_BINS] += GUINT64_FROM_LE (numbers[i]);
  for (gsize i = 0; i < facts->values[FIELD_ID_HISTOGRAM].length; i++)
    sums[i / each] -= GUINT64_FROM_LE (histogram[i]);
  return conditions_find_any (sums, HISTO_BINS) == 0;
}

gboolean
conditions_has_columns (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return facts->values[fact].length % HISTO_BINS == 0;
}

/* Weights have 16 bits and are not in the line. Only a result with an active picture has no weights. */
gboolean
conditions_sums_add_up (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const guint64 *numbers = facts->values[fact].numbers;
  const Wide sum = facts->values[FIELD_ID_SUM].whole;
  Wide positive = 0, negative = 0;

  for (gsize i = 0; i < facts->values[fact].length; i++) {
    const gint64 number = (gint64)GUINT64_FROM_LE (numbers[i]);

    *(number < 0 ? &negative : &positive) += number < 0 ? -(guint64)number : (guint64)number;
  }
  if ((check->picture->has & FACT_BIT (FIELD_ID_ACTIVE_PICTURE)) != 0)
    return negative == 0 && positive == sum;
  return positive + negative <= MAX_WEIGHT * sum;
}

/* The number of rows or columns of the picture. Subsampled chroma has fewer, and if a frame arrives as two fields, a row stands
 * for two. */
gboolean
conditions_sums_fit (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const Fact side = fact == FIELD_ID_ROW_SUMS ? FIELD_ID_HEIGHT : FIELD_ID_WIDTH;
  const gsize length = facts->values[fact].length;

  if ((check->picture->has & FACT_BIT (side)) == 0)
    return TRUE;
  if (fact == FIELD_ID_COLUMN_SUMS && facts == check->components[0])
    return length == check->picture->values[side].whole;
  return length <= check->picture->values[side].whole;
}

/* ---- pictures ----------------------------------------------------------------------------------------------------------- */

/* Number of pictures in each frame, such as the views of a stereo film; MAX_PICTURES if unknown. 0: the samples are fewer than
 * half a picture. */
static Wide
conditions_count_pictures (const Facts *facts)
{
  const FactSet needs
      = FACT_BIT (FACT_LUMA_COUNT) | FACT_BIT (FIELD_ID_WIDTH) | FACT_BIT (FIELD_ID_HEIGHT) | FACT_BIT (FIELD_ID_FRAMES);
  const Wide all
      = facts->values[FIELD_ID_WIDTH].whole * facts->values[FIELD_ID_HEIGHT].whole * facts->values[FIELD_ID_FRAMES].whole;

  if ((facts->has & needs) != needs || all == 0)
    return MAX_PICTURES;
  return (facts->values[FACT_LUMA_COUNT].whole + all / 2) / all;
}

/* `height` is that of the tallest of several frames. Fields may have a row less, and in mixed video half of the rows. */
static gboolean
conditions_has_rows (const Facts *facts, Wide rows)
{
  const Wide frames = facts->values[FIELD_ID_FRAMES].whole, height = facts->values[FIELD_ID_HEIGHT].whole;

  return rows >= height + (frames - 1) * (height / 2) && rows <= MAX_PICTURES * frames * (height + 2);
}

/* Checks that the count is a multiple of the width. Fields of an odd height have a row more or less, and a region of two fields
 * has each row that it may touch. */
gboolean
conditions_has_pixels (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const Wide width = facts->values[FIELD_ID_WIDTH].whole, height = facts->values[FIELD_ID_HEIGHT].whole;
  const Wide count = facts->values[fact].whole, rows = width > 0 ? count / width : 0;
  const Wide pictures = conditions_count_pictures (check->result);

  if (width == 0 || height == 0)
    return count == 0;
  if (rows * width != count || pictures == 0 || pictures > MAX_PICTURES)
    return FALSE;
  if (facts->values[FIELD_ID_FRAMES].whole > 1)
    return conditions_has_rows (facts, rows);
  if (check->region >= 0)
    return rows >= height && rows <= pictures * (height + 2);
  return rows >= pictures * (height - height % 2) && rows <= pictures * (height + height % 2);
}

/* Returns whether the rectangle is inside the picture, whose height may be larger by `slack`. */
static gboolean
conditions_is_inside (const guint rectangle[4], const Facts *picture, guint slack)
{
  return (Wide)rectangle[0] + rectangle[2] <= picture->values[FIELD_ID_WIDTH].whole
         && (Wide)rectangle[1] + rectangle[3] <= picture->values[FIELD_ID_HEIGHT].whole + slack;
}

gboolean
conditions_rectangle_is_inside (CheckedPicture *check, const Facts *facts, Fact fact)
{
  return conditions_is_inside (facts->values[fact].rectangle, facts, check->region >= 0 ? 2 : 0);
}

gboolean
conditions_region_is_inside (CheckedPicture *check, const Facts *facts, Fact fact G_GNUC_UNUSED)
{
  const guint rectangle[4] = { (guint)facts->values[FIELD_ID_REGION_X].whole, (guint)facts->values[FIELD_ID_REGION_Y].whole,
                               (guint)facts->values[FIELD_ID_WIDTH].whole, (guint)facts->values[FIELD_ID_HEIGHT].whole };
  const FactSet size = FACT_BIT (FIELD_ID_WIDTH) | FACT_BIT (FIELD_ID_HEIGHT);

  return (check->result->has & size) != size || conditions_is_inside (rectangle, check->result, 0);
}

gboolean
conditions_active_follows (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  static const guint nothing[4] = { 0 };
  const guint *extent = facts->values[FIELD_ID_ACTIVE_EXTENT].rectangle;

  return memcmp (facts->values[fact].rectangle, extent[2] > 0 && extent[3] > 0 ? extent : nothing, sizeof nothing) == 0;
}

/* Returns the library's summary of the bins of saturations or hues. */
static const struct histo_colour_summary *
conditions_summarize_colours (CheckedPicture *check, const Facts *facts, gboolean is_hue)
{
  const Fact fact = is_hue ? FIELD_ID_HUE_HISTOGRAM : FIELD_ID_SATURATION_HISTOGRAM;
  struct histo_picture_stats stats = { .chroma_count = (guint64)facts->values[FACT_CHROMA_COUNT].whole };

  if (check->has_colours[is_hue])
    return &check->colours[is_hue];
  if (is_hue) {
    stats.hue = (guint64 *)conditions_get_native (check, facts, fact);
  } else {
    stats.saturation = (guint64 *)conditions_get_native (check, facts, fact);
    stats.saturation_count = (guint32)facts->values[fact].length;
  }
  histo_summarize_colours (&stats, &check->colours[is_hue]);
  check->has_colours[is_hue] = TRUE;
  return &check->colours[is_hue];
}

gboolean
conditions_colour_follows (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const FieldDescription *field = field_describe (fact);
  const struct histo_colour_summary *summary = conditions_summarize_colours (check, facts, field->scope == FIELD_SCOPE_HUE);
  gconstpointer expected = summary_find_colour (summary, fact);

  return field->type == FIELD_TYPE_DOUBLE ? number_are_close (facts->values[fact].real, *(const gdouble *)expected)
                                          : facts->values[fact].whole == *(const guint32 *)expected;
}

/* The distance from the centre of both axes, which is larger towards 0. */
gboolean
conditions_is_saturation (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  const Wide half = (Wide)1 << (facts->values[FIELD_ID_DEPTH].whole - 1);

  return facts->values[fact].whole * facts->values[fact].whole <= 2 * half * half;
}

gboolean
conditions_has_saturations (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  const Wide half = (Wide)1 << (facts->values[FIELD_ID_DEPTH].whole - 1), most = facts->values[fact].length;

  return (most - 1) * (most - 1) <= 2 * half * half && most * most > 2 * half * half;
}

gboolean
conditions_is_hue (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return facts_get_real (facts, fact) >= 0 && facts_get_real (facts, fact) <= HISTO_HUES - 1;
}

gboolean
conditions_has_hues (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return facts->values[fact].length == HISTO_HUES;
}

gboolean
conditions_is_vectorscope (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return facts->values[fact].length == HISTO_VECTORSCOPE;
}

gboolean
conditions_has_codes (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return facts->values[fact].length == HISTO_LIGHT_CODES;
}

gboolean
conditions_is_code (CheckedPicture *check G_GNUC_UNUSED, const Facts *facts, Fact fact)
{
  return facts->values[fact].whole < HISTO_LIGHT_CODES;
}

/* Returns the library's summary of the bins of light. */
static const struct histo_light_summary *
conditions_summarize_light (CheckedPicture *check, const Facts *facts)
{
  struct histo_picture_stats stats = { .luma_count = (guint64)facts->values[FACT_LUMA_COUNT].whole };

  if (!check->has_light) {
    stats.light = (guint64 *)conditions_get_native (check, facts, FIELD_ID_LIGHT_HISTOGRAM);
    histo_summarize_light (&stats, &check->light);
    check->has_light = TRUE;
  }
  return &check->light;
}

gboolean
conditions_light_follows (CheckedPicture *check, const Facts *facts, Fact fact)
{
  gconstpointer expected = summary_find_light (conditions_summarize_light (check, facts), fact);

  return facts_is_real (fact) ? number_are_close (facts->values[fact].real, *(const gdouble *)expected)
                              : facts->values[fact].whole == *(const guint32 *)expected;
}

gboolean
conditions_light_has_sum (CheckedPicture *check, const Facts *facts, Fact fact)
{
  const struct histo_light_summary *summary = conditions_summarize_light (check, facts);

  return facts->values[fact].whole
         == (fact == FIELD_ID_LIGHT_PQ_SUM ? summary->code_sum : (Wide)summary->sum_high << 64 | summary->sum);
}
