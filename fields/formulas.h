/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Formulas that compute fields from the quotient of two sums. */

#pragma once

#include <glib.h>
#include <math.h>

#define FORMULA_MAX_DEPTH 16 /* bits of a sample */

/* Converts an integer of 128 bits. */
static inline gdouble
formula_round_wide (guint64 high, guint64 low)
{
  return ldexp ((gdouble)high, 64) + (gdouble)low;
}

static inline gdouble
formula_quotient (gdouble quotient, guint depth G_GNUC_UNUSED)
{
  return quotient;
}

#define FORMULA_NIT 10000 /* units of luminance in a nit */

/* Luminance in nits. */
static inline gdouble
formula_nits (gdouble units, guint depth G_GNUC_UNUSED)
{
  return units / FORMULA_NIT;
}

/* The mean light of a part of the picture whose remainder is black: `mean` is that of `pixels`, of which the part has `active`,
 * not 0. */
static inline gdouble
formula_active_light (gdouble mean, guint64 pixels, guint64 active)
{
  return mean * (gdouble)pixels / (gdouble)active;
}

/* Peak signal-to-noise ratio in dB. Infinite if `mse` is 0. NaN: the depth is 0 or too large. */
static inline gdouble
formula_psnr (gdouble mse, guint depth)
{
  gdouble peak;

  if (depth == 0 || depth > FORMULA_MAX_DEPTH)
    return NAN;
  peak = (gdouble)((1u << depth) - 1);
  return 10 * log10 (peak * peak / mse);
}
