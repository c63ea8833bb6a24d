/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan/words.h"

#include "cuda/count.h"

void
histo_cuda_publish_range (struct histo_cuda_words *words, uint32_t first, uint32_t count)
{
  words->ranges[words->range_count++] = (struct histo_cuda_range){ first, count };
}

void
histo_cuda_publish_component (struct histo_cuda_words *words, unsigned c)
{
  const uint32_t totals = histo_cuda_find_totals (words, c);

  words->publishes[c] = true;
  histo_cuda_publish_range (words, words->first_word[c], totals - words->first_word[c]);
  if (words->with_dot)
    histo_cuda_publish_range (words, totals + HISTO_CUDA_DOT, 2);
  if (words->with_sums)
    histo_cuda_publish_range (words, totals + HISTO_CUDA_SUM, HISTO_CUDA_TOTALS - HISTO_CUDA_SUM);
}
