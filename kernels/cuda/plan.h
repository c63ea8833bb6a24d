/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Planning: what is launched together, which kernel counts it, what that gets to know, and which words it publishes. Calls no
 * driver. */

#ifndef HISTO_CUDA_PLAN_H
#define HISTO_CUDA_PLAN_H

#include "cuda/count.h"
#include "cuda/picture.h"
#include "cuda/scope.h"
#include "pass.h"

/* The kernels of count.cu, which say what each is for. */
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

/* The device, as far as plans depend on it. */
struct histo_cuda_shape {
  unsigned multiprocessors;
  unsigned columns;      /* of a table of 8-bit samples: HISTO_CUDA_WIDE or HISTO_CUDA_NARROW */
  unsigned shared_bytes; /* shared memory of a block for tables */
};

/* Words that lie one behind the other. */
struct histo_cuda_range {
  uint32_t first, count;
};
#define HISTO_CUDA_RANGES (3 * HISTO_MAX_COMPONENTS + 3)

/* The words of a frame, and which of them a launch publishes. */
struct histo_cuda_words {
  bool with_dot, with_sums; /* totals that are published */
  unsigned component_count;
  bool publishes[HISTO_MAX_COMPONENTS]; /* false for a component without samples */
  uint32_t bins[HISTO_MAX_COMPONENTS];
  uint32_t first_word[HISTO_MAX_COMPONENTS + 1]; /* of the components; the last: of the picture, see picture.h */
  uint32_t count;
  unsigned range_count;
  struct histo_cuda_range ranges[HISTO_CUDA_RANGES]; /* all that is published */
};

struct histo_cuda_plan {
  struct histo_cuda_count count; /* without workspace, result, addresses, frame_words and tag: see workspace.c */
  bool has_pitch;                /* count.pitch_bytes says where the other frames are; else the kernel needs their addresses */
  struct histo_pass passes[HISTO_MAX_PLANES];
  struct histo_cuda_words words;
  enum histo_cuda_kernel kernel;
  uint32_t blocks; /* a frame's */
  uint32_t shared_bytes;

  /* Where a statistic of the picture or the difference is asked for. Without what workspace.c fills in for `count`. */
  struct histo_cuda_picture picture;
  bool has_cells;                           /* for `histo_picture_cells` */
  uint32_t picture_blocks, picture_threads; /* a frame's; a block's */
  uint32_t picture_shared_bytes;

  /* Where a waveform or a vectorscope is asked for. Without what scope.c fills in. */
  struct histo_cuda_scope scope;
  uint32_t waveform_blocks, vectorscope_blocks; /* a frame's */
};

/* In the order in which launch.c visits them: a statistic whose kernel may produce the numbers of another as well comes before
 * that. */
enum histo_cuda_statistic_id {
  HISTO_CUDA_PROJECTION, /* row and column sums: projection.c */
  HISTO_CUDA_SCOPE,      /* waveforms and vectorscopes: scope.c */
  HISTO_CUDA_PICTURE,    /* differences, and what a picture says beside its histograms: picture.c */
  HISTO_CUDA_COUNT,      /* histogram, sums and dot product: count.c */
  HISTO_CUDA_STATISTICS
};

#define HISTO_CUDA_BIT(statistic_id) (1u << (statistic_id)) /* in a set of statistics */

/* What is launched together: one frame, or many that differ in addresses alone, in slots first_slot, first_slot + 1 ... Unlike
 * frames have a struct each, as if each went by itself. */
struct histo_cuda_launch {
  struct histo_cuda_plan plan; /* the passes, and where their words are; at least one pass */
  unsigned first_slot;
  unsigned wanted;           /* the set of statistics that the frames are asked for */
  unsigned covered;          /* those of them whose numbers the kernel of an earlier one produces as well */
  unsigned unlike_count;     /* of the first of unlike frames: how many go with it; else 1 */
  bool lists_addresses;      /* of many frames: somebody needs `addresses` */
  const uint64_t *addresses; /* of many frames, as count.h says: in pinned memory */
};

/* The shape of a device whose blocks may have so much shared memory. */
struct histo_cuda_shape histo_cuda_find_shape (unsigned shared_bytes, unsigned multiprocessors);

/* The words of a frame. */
size_t histo_cuda_count_words (const struct histo_frame *frame);

/* Whether `count` frames in device memory can go in one launch: they differ in nothing but addresses, and the kernels can take
 * these. */
bool histo_cuda_frames_are_alike (const struct histo_frame *frames, unsigned count);

/* How many of `count` frames, from the first on, can go in one launch although they differ in more: at most HISTO_CUDA_UNLIKE,
 * all in host memory, of which these are copies, or all in device memory, and asked for the same, which is neither a projection
 * nor a waveform nor a vectorscope; all with samples of bytes alone, or all with some of two, and with so few counters that the
 * kernels publish the numbers. At least 1. */
unsigned histo_cuda_count_unlike (const struct histo_frame *frames, unsigned count);

/* Shares the multiprocessors out to `count` unlike frames, by their samples: shares[i] is the shape to plan frames[i] with. */
void histo_cuda_share_out (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                           struct histo_cuda_shape *shares);

/* Plans the launch of `count` frames that are alike, or one. Where plan->count.pass_count is 0 there is nothing to launch.
 * UNSUPPORTED: the frames are too large; then nothing is published. */
enum histo_status histo_cuda_plan (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                                   struct histo_cuda_plan *plan);

/* Rounded up. */
static inline uint32_t
histo_cuda_divide (uint32_t number, uint32_t by)
{
  return number / by + (number % by != 0);
}

/* Whether a statistic of the picture or the difference is asked for; and the words that takes. */
bool histo_cuda_wants_picture (const struct histo_frame *frame);
uint32_t histo_cuda_count_picture_words (const struct histo_frame *frame);

/* The counters of its saturations; 0: they are not asked for. */
uint32_t histo_cuda_count_saturations (const struct histo_frame *frame);

/* Plans which kernel of picture.cu takes the frames, whose passes and words are planned. */
void histo_cuda_plan_picture (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                              struct histo_cuda_plan *plan);

/* The same of waveforms and vectorscopes, and of scope.cu. */
bool histo_cuda_wants_scope (const struct histo_frame *frame);
void histo_cuda_plan_scope (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                            struct histo_cuda_plan *plan);

/* Where a component of a frame, whose passes are planned, has its samples; without band_rows. */
void histo_cuda_describe_component (const struct histo_cuda_plan *plan, const struct histo_frame *frame, unsigned c,
                                    struct histo_cuda_picture_component *out);

/* Says that words are published. */
void histo_cuda_publish_range (struct histo_cuda_words *words, uint32_t first, uint32_t count);

/* Writes down where the passes of the frames begin, as count.h says: at most HISTO_CUDA_ADDRESSES a frame. */
void histo_cuda_list_addresses (const struct histo_cuda_plan *plan, const struct histo_frame *frames, uint64_t *addresses);

#endif
