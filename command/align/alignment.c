/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "align/alignment.h"

#include <math.h>

#include "align/signature.h"

#define LEAST_PAIRS 12
#define LEAST_ACTIVITY 0.01 /* smallest mean difference of consecutive frames, in levels */
#define BEST_MISFIT 0.5     /* largest misfit that is accepted */
#define SHARPNESS 0.25      /* every other offset must be worse by this, and by a factor of two */
#define ROUNDING GST_MSECOND

typedef struct {
  GstClockTimeDiff offset;
  gdouble misfit; /* INFINITY: too few pairs, or no motion */
} Fit;

static const Signature *
alignment_get (const GArray *signatures, guint index)
{
  return &g_array_index (signatures, Signature, index);
}

static gdouble
alignment_compare (const Signature *left, const Signature *right)
{
  gdouble sum = 0;

  for (guint i = 0; i < SIGNATURE_BLOCKS; i++)
    sum += fabs ((gdouble)left->blocks[i] - (gdouble)right->blocks[i]);
  return sum / SIGNATURE_BLOCKS;
}

static gint
alignment_order_times (gconstpointer left, gconstpointer right)
{
  const GstClockTimeDiff a = *(const GstClockTimeDiff *)left, b = *(const GstClockTimeDiff *)right;

  return (a > b) - (a < b);
}

/* Returns the median distance of consecutive frames; 0: there are none. */
static GstClockTimeDiff
alignment_get_period (const GArray *signatures)
{
  g_autoptr (GArray) distances = g_array_new (FALSE, FALSE, sizeof (GstClockTimeDiff));

  for (guint i = 1; i < signatures->len; i++) {
    const GstClockTimeDiff distance
        = GST_CLOCK_DIFF (alignment_get (signatures, i - 1)->time, alignment_get (signatures, i)->time);

    g_array_append_val (distances, distance);
  }
  g_array_sort (distances, alignment_order_times);
  return distances->len > 0 ? g_array_index (distances, GstClockTimeDiff, distances->len / 2) : 0;
}

/* Returns the absolute distance of two frames' times at an offset. */
static GstClockTimeDiff
alignment_get_distance (const GArray *film, guint i, const GArray *reference, guint j, GstClockTimeDiff offset)
{
  return ABS (GST_CLOCK_DIFF (alignment_get (reference, j)->time, alignment_get (film, i)->time) - offset);
}

static gdouble
alignment_get_misfit (const GArray *film, const GArray *reference, GstClockTimeDiff period, GstClockTimeDiff offset)
{
  const guint enough = MAX (LEAST_PAIRS, MIN (film->len, reference->len) / 2);
  gdouble difference = 0, activity = 0;
  guint pairs = 0;

  for (guint i = 1, j = 0; i < film->len; i++) {
    while (j + 1 < reference->len
           && alignment_get_distance (film, i, reference, j + 1, offset)
                  < alignment_get_distance (film, i, reference, j, offset))
      j++;
    if (alignment_get_distance (film, i, reference, j, offset) > period / 2)
      continue;
    difference += alignment_compare (alignment_get (film, i), alignment_get (reference, j));
    activity += alignment_compare (alignment_get (film, i), alignment_get (film, i - 1));
    pairs++;
  }
  return pairs < enough || activity < pairs * LEAST_ACTIVITY ? INFINITY : difference / activity;
}

/* Lists the distances of all pairs of frames, each once, apart from rounding. */
static GArray *
alignment_list_offsets (const GArray *film, const GArray *reference)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (GstClockTimeDiff));
  GArray *offsets = g_array_new (FALSE, FALSE, sizeof (GstClockTimeDiff));

  for (guint i = 0; i < film->len; i++)
    for (guint j = 0; j < reference->len; j++) {
      const GstClockTimeDiff offset = GST_CLOCK_DIFF (alignment_get (reference, j)->time, alignment_get (film, i)->time);

      g_array_append_val (all, offset);
    }
  g_array_sort (all, alignment_order_times);
  for (guint i = 0; i < all->len; i++) {
    const GstClockTimeDiff offset = g_array_index (all, GstClockTimeDiff, i);

    if (offsets->len == 0 || offset - g_array_index (offsets, GstClockTimeDiff, offsets->len - 1) > (GstClockTimeDiff)ROUNDING)
      g_array_append_val (offsets, offset);
  }
  return offsets;
}

/* *second: the smallest misfit of offsets that pair the frames differently. */
static Fit
alignment_find_best (const GArray *fits, GstClockTimeDiff period, gdouble *second)
{
  Fit best = { .misfit = INFINITY };

  for (guint i = 0; i < fits->len; i++)
    if (g_array_index (fits, Fit, i).misfit < best.misfit)
      best = g_array_index (fits, Fit, i);
  *second = INFINITY;
  for (guint i = 0; i < fits->len; i++) {
    const Fit *fit = &g_array_index (fits, Fit, i);

    if (ABS (fit->offset - best.offset) > period / 2)
      *second = MIN (*second, fit->misfit);
  }
  return best;
}

gboolean
alignment_find (const GArray *film, const GArray *reference, GstClockTimeDiff *offset, gboolean *fits_nowhere)
{
  const GstClockTimeDiff period = MAX (alignment_get_period (film), alignment_get_period (reference));
  g_autoptr (GArray) offsets = alignment_list_offsets (film, reference), fits = g_array_new (FALSE, FALSE, sizeof (Fit));
  gdouble second;
  Fit best;

  for (guint i = 0; i < offsets->len; i++) {
    Fit fit = { .offset = g_array_index (offsets, GstClockTimeDiff, i) };

    fit.misfit = alignment_get_misfit (film, reference, period, fit.offset);
    g_array_append_val (fits, fit);
  }
  best = alignment_find_best (fits, period, &second);
  GST_INFO ("%u and %u frames, of %" GST_TIME_FORMAT ": offset %" G_GINT64_FORMAT " fits best, misfit %g, others %g or more",
            film->len, reference->len, GST_TIME_ARGS ((GstClockTime)period), best.offset, best.misfit, second);
  *fits_nowhere = isfinite (best.misfit) && best.misfit > BEST_MISFIT;
  if (best.misfit > BEST_MISFIT || second < best.misfit + SHARPNESS || second < 2 * best.misfit)
    return FALSE;
  *offset = ABS (best.offset) < period / 2 - (GstClockTimeDiff)ROUNDING ? 0 : best.offset;
  return TRUE;
}
