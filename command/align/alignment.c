/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "align/alignment.h"

#include <math.h>

#include "align/signature.h"

#define LEAST_PAIRS 12
#define LEAST_MOTION 1e-4      /* squared levels */
#define UNIQUE_MISFIT 0.5      /* largest misfit, of the mean of all pairs of frames */
#define FIRST_MISFIT 0.25      /* the same for the first frames */
#define ZERO_MISFIT 0.7        /* the same for 0 */
#define LEAST_CORRELATION 0.6  /* of the differences of consecutive frames of both films */
#define SHARPNESS 0.5          /* least excess of every other offset, in units of the motion */
#define NEGLIGIBLE_EXCESS 0.02 /* of the smallest misfit */
#define CLEAR_EXCESS 0.5       /* of the smallest misfit */
#define CLEAR_FACTOR 4         /* ratio of the excess of 0 and that of the first frames */
#define ROUNDING GST_MSECOND

typedef struct {
  const GArray *film, *reference;
  GstClockTimeDiff period;
  gfloat *differences; /* mean squared differences of a frame of the film and a frame of the reference, in levels */
  gdouble mean;        /* of `differences` */
} Comparison;

typedef struct {
  GstClockTimeDiff offset;
  gdouble misfit; /* mean squared difference; INFINITY: too few pairs */
} Fit;

/* Means of the squared differences of consecutive frames, and of the products of both films' differences. */
typedef struct {
  gdouble film, reference, common;
} Motion;

static const Signature *
alignment_get (const GArray *signatures, guint index)
{
  return &g_array_index (signatures, Signature, index);
}

static gfloat
alignment_compare (const Signature *left, const Signature *right)
{
  gfloat sums[4] = { 0 };

  for (guint i = 0; i < SIGNATURE_BLOCKS; i++) {
    const gfloat difference = left->blocks[i] - right->blocks[i];

    sums[i % G_N_ELEMENTS (sums)] += difference * difference;
  }
  return (sums[0] + sums[1] + sums[2] + sums[3]) / SIGNATURE_BLOCKS;
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

static void
alignment_compare_all (Comparison *comparison)
{
  const GArray *film = comparison->film, *reference = comparison->reference;
  const gsize n_pairs = (gsize)film->len * reference->len;
  gdouble sum = 0;

  comparison->differences = g_new (gfloat, n_pairs);
  for (guint i = 0; i < film->len; i++)
    for (guint j = 0; j < reference->len; j++) {
      const gfloat difference = alignment_compare (alignment_get (film, i), alignment_get (reference, j));

      comparison->differences[(gsize)i * reference->len + j] = difference;
      sum += difference;
    }
  comparison->mean = sum / MAX ((gdouble)n_pairs, 1);
}

static GstClockTimeDiff
alignment_get_offset (const Comparison *comparison, guint i, guint j)
{
  return GST_CLOCK_DIFF (alignment_get (comparison->reference, j)->time, alignment_get (comparison->film, i)->time);
}

/* Returns the absolute distance of two frames' times at an offset. */
static GstClockTimeDiff
alignment_get_distance (const Comparison *comparison, guint i, guint j, GstClockTimeDiff offset)
{
  return ABS (alignment_get_offset (comparison, i, j) - offset);
}

static gdouble
alignment_get_difference (const Comparison *comparison, guint i, gint j)
{
  return comparison->differences[(gsize)i * comparison->reference->len + (gsize)j];
}

/* partners: for each frame of the film, the frame of the reference that is nearest at an offset; -1: none within half a frame.
 * The first frame of the film has none: a cut may have changed it. */
static void
alignment_pair (const Comparison *comparison, GstClockTimeDiff offset, gint *partners)
{
  for (guint i = 0, j = 0; i < comparison->film->len; i++) {
    while (j + 1 < comparison->reference->len
           && alignment_get_distance (comparison, i, j + 1, offset) < alignment_get_distance (comparison, i, j, offset))
      j++;
    partners[i] = i > 0 && alignment_get_distance (comparison, i, j, offset) <= comparison->period / 2 ? (gint)j : -1;
  }
}

static Fit
alignment_fit (const Comparison *comparison, GstClockTimeDiff offset)
{
  const guint enough = MAX (LEAST_PAIRS, MIN (comparison->film->len, comparison->reference->len) / 2);
  g_autofree gint *partners = g_new (gint, comparison->film->len);
  gdouble sum = 0;
  guint pairs = 0;

  alignment_pair (comparison, offset, partners);
  for (guint i = 0; i < comparison->film->len; i++)
    if (partners[i] >= 0) {
      sum += alignment_get_difference (comparison, i, partners[i]);
      pairs++;
    }
  return (Fit){ .offset = offset, .misfit = pairs < enough ? INFINITY : sum / pairs };
}

/* Returns by how much an offset is worse than the best one. Compares the frames that both pair, if those are enough. */
static gdouble
alignment_get_excess (const Comparison *comparison, const Fit *fit, const Fit *best)
{
  g_autofree gint *partners = g_new (gint, comparison->film->len), *best_partners = g_new (gint, comparison->film->len);
  gdouble sum = 0;
  guint pairs = 0;

  if (!isfinite (fit->misfit))
    return INFINITY;
  alignment_pair (comparison, fit->offset, partners);
  alignment_pair (comparison, best->offset, best_partners);
  for (guint i = 0; i < comparison->film->len; i++)
    if (partners[i] >= 0 && best_partners[i] >= 0) {
      sum += alignment_get_difference (comparison, i, partners[i]) - alignment_get_difference (comparison, i, best_partners[i]);
      pairs++;
    }
  return pairs < LEAST_PAIRS ? fit->misfit - best->misfit : sum / pairs;
}

static void
alignment_add_motion (Motion *motion, const Signature *film, const Signature *reference, const Signature *last_reference)
{
  motion->film += alignment_compare (film, film - 1);
  motion->reference += alignment_compare (reference, last_reference);
  for (guint i = 0; i < SIGNATURE_BLOCKS; i++)
    motion->common += ((gdouble)film->blocks[i] - (film - 1)->blocks[i])
                      * ((gdouble)reference->blocks[i] - last_reference->blocks[i]) / SIGNATURE_BLOCKS;
}

static Motion
alignment_get_motion (const Comparison *comparison, GstClockTimeDiff offset)
{
  g_autofree gint *partners = g_new (gint, comparison->film->len);
  Motion motion = { 0 };
  guint pairs = 0;

  alignment_pair (comparison, offset, partners);
  for (guint i = 1; i < comparison->film->len; i++)
    if (partners[i] >= 0 && partners[i - 1] >= 0) {
      alignment_add_motion (&motion, alignment_get (comparison->film, i),
                            alignment_get (comparison->reference, (guint)partners[i]),
                            alignment_get (comparison->reference, (guint)partners[i - 1]));
      pairs++;
    }
  pairs = MAX (pairs, 1);
  return (Motion){ motion.film / pairs, motion.reference / pairs, motion.common / pairs };
}

/* Lists the distances of all pairs of frames, each once, apart from rounding. */
static GArray *
alignment_list_offsets (const Comparison *comparison)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (GstClockTimeDiff));
  GArray *offsets = g_array_new (FALSE, FALSE, sizeof (GstClockTimeDiff));

  for (guint i = 0; i < comparison->film->len; i++)
    for (guint j = 0; j < comparison->reference->len; j++) {
      const GstClockTimeDiff offset = alignment_get_offset (comparison, i, j);

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

/* *lead: the smallest excess of offsets that pair the frames differently. */
static Fit
alignment_find_best (const Comparison *comparison, gdouble *lead)
{
  g_autoptr (GArray) offsets = alignment_list_offsets (comparison), fits = g_array_new (FALSE, FALSE, sizeof (Fit));
  Fit best = { .misfit = INFINITY };

  for (guint i = 0; i < offsets->len; i++) {
    const Fit fit = alignment_fit (comparison, g_array_index (offsets, GstClockTimeDiff, i));

    g_array_append_val (fits, fit);
    if (fit.misfit < best.misfit)
      best = fit;
  }
  *lead = INFINITY;
  for (guint i = 0; i < fits->len; i++) {
    const Fit *fit = &g_array_index (fits, Fit, i);

    if (ABS (fit->offset - best.offset) > comparison->period / 2)
      *lead = MIN (*lead, alignment_get_excess (comparison, fit, &best));
  }
  return best;
}

/* Returns whether an offset is the best one, or as good. Coarse encodes repeat earlier content, so that the next frame's offset
 * fits slightly better than the right one. */
static gboolean
alignment_is_good (const Comparison *comparison, const Fit *fit, const Fit *best, const Motion *motion)
{
  const gdouble excess = alignment_get_excess (comparison, fit, best);
  const GstClockTimeDiff later = best->offset - fit->offset;

  return ABS (later) <= comparison->period / 2 || excess <= NEGLIGIBLE_EXCESS * best->misfit
         || (later > 0 && later <= comparison->period * 3 / 2 && excess <= motion->common);
}

/* Returns whether the first frames of both films belong together, and 0 is clearly wrong. */
static gboolean
alignment_begins_together (const Comparison *comparison, const Fit *best, const Motion *motion, const Fit *zero)
{
  const Fit first = alignment_fit (comparison, alignment_get_offset (comparison, 0, 0));
  const gdouble excess = alignment_get_excess (comparison, zero, best);

  return ABS (first.offset) > comparison->period / 2 && first.misfit <= FIRST_MISFIT * comparison->mean
         && alignment_is_good (comparison, &first, best, motion) && excess > CLEAR_EXCESS * best->misfit
         && excess > motion->common && excess > CLEAR_FACTOR * alignment_get_excess (comparison, &first, best);
}

/* Without a unique offset: tries the two that are most likely. */
static gboolean
alignment_try_likely (const Comparison *comparison, const Fit *best, const Motion *motion, GstClockTimeDiff *offset)
{
  const Fit zero = alignment_fit (comparison, 0);

  if (alignment_begins_together (comparison, best, motion, &zero)) {
    *offset = alignment_get_offset (comparison, 0, 0);
    return TRUE;
  }
  *offset = 0;
  return zero.misfit <= MAX (ZERO_MISFIT * comparison->mean, MIN (motion->film, motion->reference))
         && alignment_is_good (comparison, &zero, best, motion);
}

gboolean
alignment_find (const GArray *film, const GArray *reference, GstClockTimeDiff *offset, gboolean *moves)
{
  Comparison comparison = { .film = film, .reference = reference };
  g_autofree gfloat *differences = NULL;
  gdouble lead, correlation;
  Motion motion;
  Fit best;

  comparison.period = MAX (alignment_get_period (film), alignment_get_period (reference));
  alignment_compare_all (&comparison);
  differences = comparison.differences;
  best = alignment_find_best (&comparison, &lead);
  motion = alignment_get_motion (&comparison, best.offset);
  correlation = motion.common / sqrt (MAX (motion.film * motion.reference, G_MINDOUBLE));
  GST_INFO ("%u and %u frames, of %" GST_TIME_FORMAT ": offset %" G_GINT64_FORMAT " fits best", film->len, reference->len,
            GST_TIME_ARGS ((GstClockTime)comparison.period), best.offset);
  GST_INFO ("misfit %g of %g, others worse by %g, motion %g, correlation %g", best.misfit, comparison.mean, lead, motion.common,
            correlation);
  *moves = isfinite (best.misfit) && motion.film >= LEAST_MOTION;
  if (!isfinite (best.misfit))
    return FALSE;
  if (motion.common < LEAST_MOTION || correlation < LEAST_CORRELATION || best.misfit > UNIQUE_MISFIT * comparison.mean
      || lead < SHARPNESS * motion.common)
    return alignment_try_likely (&comparison, &best, &motion, offset);
  *offset = ABS (best.offset) < comparison.period / 2 - (GstClockTimeDiff)ROUNDING ? 0 : best.offset;
  return TRUE;
}
