/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans launches: which frames go together, which kernel counts them, its parameter, and the words that it publishes. Calls no
 * driver. */

#ifndef HISTO_CUDA_PLAN_H
#define HISTO_CUDA_PLAN_H

#include "cuda/count.h"
#include "cuda/picture.h"
#include "cuda/host/tuning.h"
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
  HISTO_CUDA_KERNEL_SMALL,
  HISTO_CUDA_KERNELS
};

/* The properties of the device that plans depend on. */
struct histo_cuda_shape {
  unsigned multiprocessors;
  unsigned columns;      /* of a table of 8-bit samples: HISTO_CUDA_WIDE or HISTO_CUDA_NARROW */
  unsigned shared_bytes; /* shared memory of a block for tables */
  const struct histo_cuda_tuning *tuning;
};

/* Consecutive words. */
struct histo_cuda_range {
  uint32_t first, count;
};
#define HISTO_CUDA_RANGES (3 * HISTO_MAX_COMPONENTS + 3)

/* The words of a frame, and the words that a launch publishes. */
struct histo_cuda_words {
  bool with_dot, with_sums; /* whether these totals are published */
  unsigned component_count;
  bool publishes[HISTO_MAX_COMPONENTS]; /* false for a component without samples */
  uint32_t bins[HISTO_MAX_COMPONENTS];
  uint32_t first_word[HISTO_MAX_COMPONENTS + 1]; /* of each component; the last is the picture's, see picture.h */
  uint32_t count;
  unsigned range_count;
  struct histo_cuda_range ranges[HISTO_CUDA_RANGES]; /* all published words */
};

struct histo_cuda_plan {
  struct histo_cuda_count count; /* without workspace, result, addresses, frame_words and tag, which workspace.c sets */
  bool has_pitch;                /* count.pitch_bytes locates the other frames; otherwise the kernel needs their addresses */
  struct histo_pass passes[HISTO_MAX_PLANES];
  struct histo_cuda_words words;
  enum histo_cuda_kernel kernel;
  uint32_t blocks; /* for each frame */
  uint32_t shared_bytes;

  /* If a statistic of the picture or the difference is requested. Without the fields that workspace.c also sets in `count`. */
  struct histo_cuda_picture picture;
  bool has_cells;                           /* for `histo_picture_cells` */
  uint32_t picture_blocks, picture_threads; /* blocks of a frame; threads of a block */
  uint32_t picture_shared_bytes;

  /* If a waveform or a vectorscope is requested. Without the fields that scope.c sets. */
  struct histo_cuda_scope scope;
  uint32_t waveform_blocks, vectorscope_blocks; /* for each frame */
};

/* In the order in which launch.c visits them. A statistic whose kernel may also produce another statistic's numbers comes
 * before the other. */
enum histo_cuda_statistic_id {
  HISTO_CUDA_PROJECTION, /* row and column sums: projection.c */
  HISTO_CUDA_SCOPE,      /* waveforms and vectorscopes: scope.c */
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
};

/* Describes a device whose blocks may have `shared_bytes` of shared memory. */
struct histo_cuda_shape histo_cuda_find_shape (const struct histo_cuda_tuning *tuning, unsigned shared_bytes,
                                               unsigned multiprocessors);

/* The number of words of a frame. */
size_t histo_cuda_count_words (const struct histo_frame *frame);

/* Whether one launch can count `count` frames in device memory: they differ only in addresses, and the kernels support these
 * addresses. */
bool histo_cuda_frames_are_alike (const struct histo_frame *frames, unsigned count);

/* The number of frames, from the first of `count`, that one launch can count although they differ in more than addresses: 1 ..
 * HISTO_CUDA_UNLIKE. All are copies of frames in host memory, or all were in device memory. All request the same statistics,
 * without projection, waveform and vectorscope. All have only one-byte samples, or all have some two-byte samples. They have so
 * few bins that the kernels publish the numbers. */
unsigned histo_cuda_count_unlike (const struct histo_frame *frames, unsigned count);

/* Divides the multiprocessors among `count` unlike frames by their samples: shares[i] is the shape for planning frames[i]. */
void histo_cuda_share_out (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                           struct histo_cuda_shape *shares);

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

/* Whether a statistic of the picture or the difference is requested; and the number of words for it. */
bool histo_cuda_wants_picture (const struct histo_frame *frame);
uint32_t histo_cuda_count_picture_words (const struct histo_frame *frame);

/* The number of bins of the saturations; 0 if they are not requested. */
uint32_t histo_cuda_count_saturations (const struct histo_frame *frame);

/* Chooses the kernel of picture.cu for frames whose passes and words are planned. */
void histo_cuda_plan_picture (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                              struct histo_cuda_plan *plan);

/* The same for waveforms and vectorscopes, and scope.cu. */
bool histo_cuda_wants_scope (const struct histo_frame *frame);
void histo_cuda_plan_scope (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                            struct histo_cuda_plan *plan);

/* Describes the samples of a component of a frame whose passes are planned, without band_rows. */
void histo_cuda_describe_component (const struct histo_cuda_plan *plan, const struct histo_frame *frame, unsigned c,
                                    struct histo_cuda_picture_component *out);

/* Marks words as published. */
void histo_cuda_publish_range (struct histo_cuda_words *words, uint32_t first, uint32_t count);

/* Lists the start of the frames' passes, as count.h describes: at most HISTO_CUDA_ADDRESSES for each frame. */
void histo_cuda_list_addresses (const struct histo_cuda_plan *plan, const struct histo_frame *frames, uint64_t *addresses);

#endif
