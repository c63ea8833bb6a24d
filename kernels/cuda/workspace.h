/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Workspaces and results: the words of each slot, which kernels add to and publish as count.h says, their tags, and the copies
 * of those that are not published in host memory. */

#ifndef HISTO_CUDA_WORKSPACE_H
#define HISTO_CUDA_WORKSPACE_H

#include "cuda/gpu.h"
#include "cuda/plan.h"

/* The words that each slot has from the start: those of a frame with HISTO_BINS counters for each component, and of its picture
 * with samples of up to 10 bits. A frame that needs more gets memory of its own. */
#define HISTO_CUDA_SLOT_SATURATIONS 725
#define HISTO_CUDA_SLOT_WORDS                                                                             \
  (HISTO_MAX_COMPONENTS * HISTO_CUDA_WORDS (HISTO_CUDA_BINS) + HISTO_CUDA_PICTURE_WORDS + HISTO_CUDA_HUES \
   + HISTO_CUDA_SLOT_SATURATIONS)

struct histo_cuda_workspace;

/* For slots 0 .. slots - 1; `gpu` outlives it. On failure *workspace is NULL and the log has the reason. */
enum histo_status histo_cuda_workspace_open (const struct histo_cuda_gpu *gpu, unsigned slots,
                                             struct histo_cuda_workspace **workspace);

/* Frees everything; with nothing running. NULL is fine. */
void histo_cuda_workspace_close (struct histo_cuda_workspace *workspace);

/* Reserves the words of a launch, says in its plan where they are, and lists the addresses of `frames` where somebody needs
 * them. `last_launch`: see histo_cuda_prepare. NO_MEMORY, of the host or of the device, or DEVICE: the log has the reason. */
enum histo_status histo_cuda_workspace_reserve (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch,
                                                const struct histo_frame *frames, CUevent last_launch);

/* The parameters of a frame in a launch of unlike ones, as their kernels read them: pinned memory. */
struct histo_cuda_parameters {
  struct histo_cuda_count count;
  struct histo_cuda_picture picture;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_parameters, 2048);

/* Reserves those of all slots. NO_MEMORY or DEVICE: the log has the reason. */
enum histo_status histo_cuda_workspace_reserve_parameters (struct histo_cuda_workspace *workspace);

/* Those of a slot, once they are reserved; the next slot's are behind them. Kernels have read them when the slot's numbers are
 * published. *address: as the device addresses them. */
struct histo_cuda_parameters *histo_cuda_workspace_get_parameters (const struct histo_cuda_workspace *workspace, unsigned slot,
                                                                   CUdeviceptr *address);

/* To be called before the kernels: clears what they have to find cleared, and gives the launch a tag. DEVICE. */
enum histo_status histo_cuda_workspace_begin (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch,
                                              CUstream stream);

/* To be called behind them: copies to the host what they did not publish there. DEVICE. */
enum histo_status histo_cuda_workspace_end (struct histo_cuda_workspace *workspace, const struct histo_cuda_launch *launch,
                                            CUstream stream);

/* Whether the host can see a slot's words before the launch has finished. */
bool histo_cuda_workspace_publishes_early (const struct histo_cuda_workspace *workspace, unsigned slot);

/* Whether all words are there that the slot's plan says are published. Where they are not published early, to be asked when the
 * launch has finished. Never waits; any thread may call it. */
bool histo_cuda_workspace_is_published (const struct histo_cuda_workspace *workspace, unsigned slot);

/* Where the words of a slot are, once they are published. */
struct histo_cuda_numbers {
  const struct histo_cuda_words *words; /* where in `result` */
  const uint64_t *result;
  const uint64_t *before; /* what was in them before the launch, where they are cumulative; else NULL */
};
struct histo_cuda_numbers histo_cuda_workspace_find (const struct histo_cuda_workspace *workspace, unsigned slot);

/* What the launch counted in a word, and in a total of two. */
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

/* Notes that the words of a slot have been read: its next launch adds to them where they are cumulative. Once a launch. */
void histo_cuda_workspace_mark_read (struct histo_cuda_workspace *workspace, unsigned slot);

#endif
