/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/neighbours.h"

#include <stdbool.h>
#include <stdlib.h>

static bool
is_unlike (int above, int sample, int below)
{
  return (abs (above - sample) + abs (below - sample)) / 2 - abs (below - above) > HISTO_OUTLIER_THRESHOLD;
}

uint64_t
histo_outliers_c (const uint8_t *const rows[HISTO_OUTLIER_ROWS], size_t samples)
{
  const bool is_far = rows[0] != NULL;
  unsigned neighbours = 0; /* consecutive unlike samples, up to sample i */
  uint64_t outliers = 0;

  for (size_t i = 0; i < samples; i++) {
    bool unlike = is_unlike (rows[1][i], rows[2][i], rows[3][i]);

    if (is_far)
      unlike = unlike && is_unlike (rows[0][i], rows[2][i], rows[4][i]);
    neighbours = unlike ? neighbours + 1 : 0;
    outliers += neighbours >= 3;
  }
  return outliers;
}
