/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fake kernels to themselves; see ../fakekernels.h. Where something is not as a kernel needs it, they blame the caller. */

#ifndef FAKEKERNELS_KERNELS_H
#define FAKEKERNELS_KERNELS_H

#include "fakekernels.h"
#include "watch.h"

/* Of 2-byte samples, and whatever else there is in the frame. */
static inline bool
takes_deep (const struct fakekernel *kernel)
{
  return kernel->kind == FAKEKERNEL_DEEP || kernel->kind == FAKEKERNEL_CARRY;
}

/* Of waveforms or vectorscopes. */
static inline bool
is_scope (const struct fakekernel *kernel)
{
  return kernel->kind == FAKEKERNEL_WAVEFORM || kernel->kind == FAKEKERNEL_VECTORSCOPE;
}

/* Of one component of bytes, of which the kernel gets only the beginning of the parameter. */
static inline bool
takes_one_plane (const struct fakekernel *kernel)
{
  return kernel->kind == FAKEKERNEL_PLANE || kernel->kind == FAKEKERNEL_LISTED || kernel->kind == FAKEKERNEL_SMALL;
}

/* ---- samples.c */

/* The totals of a component. */
struct numbers {
  uint64_t *histogram;
  uint64_t dot, sum, squares;

  /* Of a kernel that carries; else NULL. The histogram has what did not fit into the counters of the table. */
  const struct histo_cuda_pass *pass;
  uint32_t bins;
  uint32_t *table;
};

/* All zeros, for as many components as a pass may have; of `pass`, which carries, or NULL. free() the first of them. NULL: no
 * memory. */
struct numbers *make_numbers (const struct histo_cuda_pass *pass, uint32_t bins);

/* Counts a pass. `x` and `y` are the host's addresses of data and operand. False where a sample's neighbour would change it. */
bool count_pass (const struct histo_cuda_pass *pass, const struct fakekernel *kernel, const uint8_t *x, const uint8_t *y,
                 struct numbers *numbers);

static inline TEST_UNWATCHED uint32_t
load_sample (const struct histo_cuda_component *component, const uint8_t *at)
{
  uint32_t value = at[0];

  if (component->sample_bytes == 2)
    value = component->big_endian ? value << 8 | at[1] : value | (uint32_t)at[1] << 8;
  return value >> component->shift & component->mask;
}

/* ---- memory.c */

/* The host's address of device memory, or of pinned memory that the device reads; NULL: it is neither. */
void *find_any_memory (const struct fakekernel_driver *driver, uint64_t address, uint64_t size);

/* The host's address of byte 0 of row 0, where bytes [first, last) of all rows from `data` on are readable. NULL, after blame,
 * where one is not. */
const uint8_t *find_rows (const struct fakekernel_driver *driver, uint64_t data, uint64_t stride, uint32_t height,
                          int64_t first, int64_t last);

/* `count` addresses of many frames. NULL, after blame. */
const uint64_t *find_addresses (const struct fakekernel_driver *driver, uint64_t addresses, uint64_t count);

/* The result words of one frame. Those of the workspace must be zeros, and none of the result may have the tag; with tag 0
 * either has what it has. NULL, after blame. */
uint64_t *find_words (const struct fakekernel_driver *driver, uint64_t workspace_address, uint64_t result_address,
                      uint64_t count, uint64_t tag);

/* The workspace is as it was before find_words. */
void clear_words (const struct fakekernel_driver *driver, uint64_t workspace_address, uint64_t count);

bool are_zeros (const uint64_t *words, uint64_t count);

/* Publishes the numbers of a component, or adds them with tag 0. */
void store_numbers (uint64_t *words, unsigned bins, const struct numbers *numbers, bool with_dot, bool with_sums, uint64_t tag);

/* ---- validity.c */

/* Whether the blocks of a launch are as many as its frames need. */
bool grid_is_valid (const struct fakekernel_launch *launch);

/* Whether what the kernel makes of a pass is what its fields say. */
bool pass_is_valid (const struct fakekernel_launch *launch, const struct histo_cuda_pass *pass, uint64_t data,
                    uint64_t operand);

/* The bytes of a row that the kernel reads: [*first, *last). False: none. */
bool find_row (const struct histo_cuda_pass *pass, int64_t *first, int64_t *last);

/* Whether the parameter of a projection does not contradict itself or the launch. */
bool project_is_valid (const struct fakekernel_launch *launch);

/* ---- count.c, project.c */

/* Run a launch of that kind: see fakekernel_run. */
bool count_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool project_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);

/* ---- picture.c: run, end and look into the parameter of such a launch */

bool picture_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
void end_pictures (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool pictures_use (const struct histo_cuda_picture *picture, uint64_t begin, uint64_t size);

/* ---- scope.c: runs such a launch, and looks into its parameter */

bool scope_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool scopes_use (const struct histo_cuda_scope *scope, uint64_t begin, uint64_t size);

static inline bool
is_within (uint64_t address, uint64_t begin, uint64_t size)
{
  return address - begin < size;
}

#endif
