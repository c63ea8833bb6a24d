/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The words of a frame in a workspace and in a result, and which of them a launch publishes. See count.h. */

#pragma once

#include "cuda/count.h"
#include "statistic_table.h"

/* Consecutive words. */
struct histo_cuda_range {
  uint32_t first, count;
};
#define HISTO_CUDA_RANGES (3 * HISTO_CUDA_COUNTED + 1 + HISTO_STATISTIC_ROWS)

/* The words of a frame, and the words that a launch publishes. */
struct histo_cuda_words {
  bool with_dot, with_sums; /* whether these totals are published */
  bool carries;             /* HISTO_CUDA_CARRY_WORDS instead of HISTO_CUDA_WORDS for each component */
  unsigned component_count;
  bool publishes[HISTO_CUDA_COUNTED]; /* false for a component without samples */
  uint32_t bins[HISTO_CUDA_COUNTED];
  uint32_t first_word[HISTO_CUDA_COUNTED + 1]; /* of each component; the last is the picture's, see picture.h */
  uint32_t count;
  unsigned range_count;
  struct histo_cuda_range ranges[HISTO_CUDA_RANGES]; /* all published words */
};

/* The first of a component's totals. */
static inline uint32_t
histo_cuda_find_totals (const struct histo_cuda_words *words, unsigned c)
{
  return words->first_word[c] + (words->carries ? HISTO_CUDA_CARRY_WORDS (words->bins[c]) : HISTO_CUDA_WORDS (words->bins[c]))
         - HISTO_CUDA_TOTALS;
}

/* Marks words as published. */
void histo_cuda_publish_range (struct histo_cuda_words *words, uint32_t first, uint32_t count);

/* Marks the words of a component with samples as published. */
void histo_cuda_publish_component (struct histo_cuda_words *words, unsigned c);
