/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Workspaces and results: the words of each slot, to which kernels add and which they publish as count.h describes, their tags,
 * and the copies of words that are not published in host memory. */

#ifndef HISTO_CUDA_WORKSPACE_H
#define HISTO_CUDA_WORKSPACE_H

#include "cuda/host/gpu.h"
#include "cuda/host/plan.h"

/* The initial words of each slot: for a frame with HISTO_BINS bins for each component, and for its picture with samples of up
 * to 10 bits. A frame that needs more gets separate memory. */
#define HISTO_CUDA_SLOT_SATURATIONS 725
#define HISTO_CUDA_SLOT_WORDS                                                                             \
  (HISTO_MAX_COMPONENTS * HISTO_CUDA_WORDS (HISTO_CUDA_BINS) + HISTO_CUDA_PICTURE_WORDS + HISTO_CUDA_HUES \
   + HISTO_CUDA_SLOT_SATURATIONS)

struct histo_cuda_workspace;

/* For slots 0 .. slots - 1. `gpu` outlives the workspace. On failure *workspace is NULL and the log has the cause. */
enum histo_status histo_cuda_workspace_open (const struct histo_cuda_gpu *gpu, unsigned slots,
                                             struct histo_cuda_workspace **workspace);

/* Frees everything while nothing is running. Accepts NULL. */
void histo_cuda_workspace_close (struct histo_cuda_workspace *workspace);

/* Reserves the words of a launch, sets their addresses in its plan, and lists the addresses of `frames` if a kernel needs them.
 * `last_launch`: see histo_cuda_prepare. NO_MEMORY, of the host or of the device, or DEVICE: the log has the cause. */
enum histo_status histo_cuda_workspace_reserve (struct histo_cuda_workspace *workspace, struct histo_cuda_launch *launch,
                                                const struct histo_frame *frames, CUevent last_launch);

/* The parameters of a frame in a launch of unlike frames, in pinned memory for the kernels. */
struct histo_cuda_parameters {
  struct histo_cuda_count count;
  struct histo_cuda_picture picture;
};
HISTO_CUDA_ASSERT_SIZE (struct histo_cuda_parameters, 2048);

/* Reserves the parameters of all slots. NO_MEMORY or DEVICE: the log has the cause. */
enum histo_status histo_cuda_workspace_reserve_parameters (struct histo_cuda_workspace *workspace);

/* The parameters of a slot, after they were reserved; the next slot's follow. Kernels have read them when the slot's numbers
 * are published. *address: the address on the device. */
struct histo_cuda_parameters *histo_cuda_workspace_get_parameters (const struct histo_cuda_workspace *workspace, unsigned slot,
                                                                   CUdeviceptr *address);

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

#endif
