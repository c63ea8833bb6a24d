/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/madvrbins.h"

#include <cudahisto/histo.h>

#define PQ_100 0.508078421517399 /* signal of 100 nits */
#define BINS_TO_100 64

static guint
madvr_bins_find (guint code)
{
  const gdouble signal = (gdouble)code / (HISTO_LIGHT_CODES - 1);

  if (signal < PQ_100)
    return (guint)(signal / PQ_100 * BINS_TO_100);
  return MIN (MADVR_BINS - 1, BINS_TO_100 + (guint)((signal - PQ_100) / (1 - PQ_100) * (MADVR_BINS - BINS_TO_100)));
}

void
madvr_bins_make (guint16 shares[MADVR_BINS], const guint64 *codes, guint64 pixels)
{
  guint64 bins[MADVR_BINS] = { 0 };

  for (guint code = 0; code < HISTO_LIGHT_CODES; code++)
    bins[madvr_bins_find (code)] += codes[code];
  for (guint i = 0; i < MADVR_BINS; i++)
    shares[i] = (guint16)((bins[i] * MADVR_SCALE + pixels / 2) / pixels);
}
