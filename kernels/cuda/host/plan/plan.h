/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans launches: which kernel counts the frames, its parameter, and the words that it publishes. Calls no driver. */

#pragma once

#include "cuda/count.h"
#include "cuda/host/plan/shape.h"
#include "cuda/host/plan/words.h"
#include "cuda/picture.h"
#include "cuda/scope.h"
#include "pass.h"

/* The kernels of count.cu, described there. */
enum histo_cuda_kernel {
  HISTO_CUDA_KERNEL_COUNT,
  HISTO_CUDA_KERNEL_DOT,
  HISTO_CUDA_KERNEL_PACKED,
  HISTO_CUDA_KERNEL_PACKED_LISTED,
  HISTO_CUDA_KERNEL_PLANE,
  HISTO_CUDA_KERNEL_PLANE_DOT,
  HISTO_CUDA_KERNEL_PLANE_LISTED,
  HISTO_CUDA_KERNEL_DEEP,
  HISTO_CUDA_KERNEL_DEEP_DOT,
  HISTO_CUDA_KERNEL_CARRY,
  HISTO_CUDA_KERNEL_CARRY_DOT,
  HISTO_CUDA_KERNEL_CARRY_PLANES,
  HISTO_CUDA_KERNEL_SMALL,
  HISTO_CUDA_KERNELS
};

struct histo_cuda_plan {
  /* Without fields that are set later: workspace, result, addresses and frame_words in workspace.c, tag in publish.c. */
  struct histo_cuda_count count;
  bool has_pitch; /* count.pitch_bytes locates the other frames; otherwise the kernel needs their addresses */
  struct histo_pass passes[HISTO_CUDA_PASSES];
  struct histo_cuda_words words;
  enum histo_cuda_kernel kernel;
  uint32_t blocks; /* for each frame */
  uint32_t shared_bytes;

  /* Used if a statistic of the picture, or the difference, is requested. Lacks the same fields as `count`. */
  struct histo_cuda_picture picture;
  bool has_cells;                           /* for `histo_picture_cells` */
  uint32_t picture_blocks, picture_threads; /* blocks of a frame; threads of a block */
  uint32_t picture_shared_bytes;

  /* Used if a waveform, a vectorscope or light is requested. Lacks the fields that scope.c sets. */
  struct histo_cuda_scope scope;
  uint32_t waveform_blocks, vectorscope_blocks, light_blocks; /* for each frame */
  bool light_needs_curve;                                     /* of scope.light.adds_luminance's transfer function */
};

/* In the order in which launch.c visits them. A statistic whose kernel may also produce another statistic's numbers comes
 * before the other. */
enum histo_cuda_statistic_id {
  HISTO_CUDA_PROJECTION, /* row and column sums: projection.c */
  HISTO_CUDA_SCOPE,      /* waveforms, vectorscopes and light: scope.c */
  HISTO_CUDA_PICTURE,    /* differences, and the picture's numbers besides its histograms: picture.c */
  HISTO_CUDA_COUNT,      /* histogram, sums and dot product: count.c */
  HISTO_CUDA_STATISTICS
};

#define HISTO_CUDA_BIT(statistic_id) (1u << (statistic_id)) /* in a set of statistics */

/* The frames of one launch: one frame, or many that differ only in addresses, in slots first_slot, first_slot + 1 ... Unlike
 * frames have one struct each, as if launched separately. */
struct histo_cuda_launch {
  struct histo_cuda_plan plan; /* the passes and their words; at least one pass */
  unsigned first_slot;
  unsigned wanted;           /* the set of requested statistics */
  unsigned covered;          /* those whose numbers an earlier statistic's kernel also produces */
  unsigned unlike_count;     /* first of unlike frames: the number of frames in the launch; otherwise 1 */
  bool lists_addresses;      /* many frames: a kernel needs `addresses` */
  const uint64_t *addresses; /* many frames, see count.h: in pinned memory */
  uint64_t tables;           /* device address of the blocks' tables, each plan.shared_bytes; only of kernels that carry */
};

/* The largest number of blocks of a launch whose kernel carries. A frame has one for each multiprocessor, or a few more if it
 * is so large that this would be too few. */
static inline uint32_t
histo_cuda_most_carrying_blocks (unsigned multiprocessors)
{
  return multiprocessors + 32;
}

/* The number of words of a frame. */
size_t histo_cuda_count_words (const struct histo_frame *frame);

/* Plans the launch of `count` frames that are alike, or of one. If plan->count.pass_count is 0 there is nothing to launch.
 * UNSUPPORTED: the frames are too large; then nothing is published. */
enum histo_status histo_cuda_plan (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                                   struct histo_cuda_plan *plan);

/* Divides, rounded up. */
static inline uint32_t
histo_cuda_divide (uint32_t number, uint32_t by)
{
  return number / by + (number % by != 0);
}

/* Lists the start of the frames' passes, as count.h describes: at most HISTO_CUDA_ADDRESSES for each frame. */
void histo_cuda_list_addresses (const struct histo_cuda_plan *plan, const struct histo_frame *frames, uint64_t *addresses);
