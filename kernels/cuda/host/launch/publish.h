/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How the words of a launch reach the host: published as count.h describes, with a tag, or copied after the kernels. */

#pragma once

#include "cuda/host/launch/workspace.h"

/* Call it before the kernels: clears the words that they expect cleared, and assigns a tag to the launch. DEVICE. */
enum histo_status histo_cuda_workspace_begin (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch,
                                              CUstream stream);

/* Call it after the kernels: copies the words that they did not publish to the host. DEVICE. */
enum histo_status histo_cuda_workspace_end (struct histo_cuda_workspace *workspace, const struct histo_cuda_launch *launch,
                                            CUstream stream);

/* Whether the host can see a slot's words before the launch has finished. */
bool histo_cuda_workspace_publishes_early (const struct histo_cuda_workspace *workspace, unsigned slot);

/* Whether all words that the slot's plan publishes are there. Unless they are published early, call it after the launch has
 * finished. Never waits; any thread may call it. */
bool histo_cuda_workspace_is_published (const struct histo_cuda_workspace *workspace, unsigned slot);

/* The words of a slot, once published. */
struct histo_cuda_numbers {
  const struct histo_cuda_words *words; /* their positions in `result` */
  const uint64_t *result;
  const uint64_t *before; /* cumulative words: the values before the launch; otherwise NULL */
};
struct histo_cuda_numbers histo_cuda_workspace_find (const struct histo_cuda_workspace *workspace, unsigned slot);

/* The launch's count in a word, and in a total of two words. */
static inline uint64_t
histo_cuda_read_word (const struct histo_cuda_numbers *numbers, uint32_t word)
{
  return (numbers->result[word] - (numbers->before ? numbers->before[word] : 0)) >> 16;
}

static inline uint64_t
histo_cuda_read_total (const struct histo_cuda_numbers *numbers, uint32_t word)
{
  return histo_cuda_read_word (numbers, word) + (histo_cuda_read_word (numbers, word + 1) << HISTO_CUDA_LOW_BITS);
}

/* Records that the words of a slot were read: its next launch adds to them if they are cumulative. Once for each launch. */
void histo_cuda_workspace_mark_read (struct histo_cuda_workspace *workspace, unsigned slot);
