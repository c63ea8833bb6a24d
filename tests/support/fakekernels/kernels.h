/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The private part of the fake kernels (../fakekernels.h). They call blame() if a launch or its memory is not valid. */

#pragma once

#include "fakekernels.h"
#include "watch.h"

/* Whether the kernel counts frames with samples of two bytes, which may also have samples of one byte. */
static inline bool
takes_deep (const struct fakekernel *kernel)
{
  return kernel->kind == FAKEKERNEL_DEEP || kernel->kind == FAKEKERNEL_CARRY;
}

/* Whether the kernel makes waveforms, vectorscopes or light. */
static inline bool
is_scope (const struct fakekernel *kernel)
{
  return kernel->kind == FAKEKERNEL_WAVEFORM || kernel->kind == FAKEKERNEL_VECTORSCOPE || kernel->kind == FAKEKERNEL_LIGHT;
}

/* Whether the kernel counts one component of bytes. Its parameter is only the beginning of the struct. */
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

  /* For a kernel that carries, otherwise NULL. The histogram has the corrections for the table's bins. */
  const struct histo_cuda_pass *pass;
  uint32_t bins;
  uint32_t *table;
};

/* Allocates zeros for the largest number of components in a pass. `pass`: one that carries, or NULL. Free the array with
 * free(). NULL: memory is exhausted. */
struct numbers *make_numbers (const struct histo_cuda_pass *pass, uint32_t bins);

/* Counts a pass. `x`, `y`: the host's addresses of data and operand. Returns false if the kernel's value of a sample depends on
 * the other sample in its word. */
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

/* Adds a component of a picture to a frame that the engine's reference counts. Its first sample is at `data` on the device. If
 * it has no samples, it has no rows. Returns false, after blame(), if it is not valid or not in memory. */
bool describe_component (const struct fakekernel_driver *driver, const struct histo_cuda_picture_component *component,
                         uint64_t data, uint64_t stride_bytes, struct histo_frame *frame);

/* Reports the reads of a component. */
void watch_component (const struct histo_frame *frame, unsigned c);

/* ---- memory.c */

/* Returns the host's address of device memory, or of pinned memory that the device reads. NULL: it is neither. */
void *find_any_memory (const struct fakekernel_driver *driver, uint64_t address, uint64_t size);

/* Returns the host's address of byte 0 of row 0, if bytes [first, last) of all rows from `data` on are readable. Otherwise
 * returns NULL, after blame(). */
const uint8_t *find_rows (const struct fakekernel_driver *driver, uint64_t data, uint64_t stride, uint32_t height,
                          int64_t first, int64_t last);

/* Returns the host's address of a list of `count` addresses. NULL, after blame(): it is not readable. */
const uint64_t *find_addresses (const struct fakekernel_driver *driver, uint64_t addresses, uint64_t count);

/* Returns the result words of a frame. The words of the workspace must be zero, and no word of the result may have the tag.
 * With tag 0, both may have any values. NULL, after blame(): they are not valid. */
uint64_t *find_words (const struct fakekernel_driver *driver, uint64_t workspace_address, uint64_t result_address,
                      uint64_t count, uint64_t tag);

/* Restores the workspace as it was before find_words(). */
void clear_words (const struct fakekernel_driver *driver, uint64_t workspace_address, uint64_t count);

bool are_zeros (const uint64_t *words, uint64_t count);

/* Publishes the numbers of a component; with tag 0, adds them. */
void store_numbers (uint64_t *words, unsigned bins, const struct numbers *numbers, bool with_dot, bool with_sums, uint64_t tag);

/* The same for kernels that carry, into words that are zero: corrections instead of bins. */
void store_carried (uint64_t *words, unsigned bins, const struct numbers *numbers, bool with_dot);

/* ---- validity.c */

/* Returns whether the number of blocks in a launch fits its frames. */
bool grid_is_valid (const struct fakekernel_launch *launch);

/* Returns whether the members of a pass agree with each other. */
bool pass_is_valid (const struct fakekernel_launch *launch, const struct histo_cuda_pass *pass, uint64_t data,
                    uint64_t operand);

/* Finds the bytes [*first, *last) of a row that the kernel reads. Returns false if it reads none. */
bool find_row (const struct histo_cuda_pass *pass, int64_t *first, int64_t *last);

/* Returns whether the parameter of a projection agrees with itself and with the launch. */
bool project_is_valid (const struct fakekernel_launch *launch);

/* ---- count.c, project.c */

/* Run a launch of this kind, as fakekernel_run() does. */
bool count_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool project_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);

/* ---- picture.c: run a launch, end it, and search its parameter for an address */

bool picture_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
void end_pictures (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool pictures_use (const struct histo_cuda_picture *picture, uint64_t begin, uint64_t size);

/* ---- scope.c: run a launch, and search its parameter for an address */

bool scope_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool scopes_use (const struct histo_cuda_scope *scope, uint64_t begin, uint64_t size);

/* ---- move.c: run a launch, and search its parameter for an address */

bool move_vectors (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool move_uses (const struct histo_cuda_move *move, uint64_t begin, uint64_t size);
bool add_tables (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool add_tables_uses (const struct histo_cuda_add_tables *add, uint64_t begin, uint64_t size);

/* Stores the tables of a pass as the blocks of a kernel that carries do: each word is in the table of one block. Returns false,
 * after blame(), if the memory is not valid. */
bool store_tables (const struct fakekernel_driver *driver, const struct histo_cuda_count *count,
                   const struct histo_cuda_pass *pass, const struct numbers *numbers);

/* ---- derive.c: run a launch, end it, and search its parameter for an address */

bool derive_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
void end_derive (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver);
bool derive_uses (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size);

/* Whether the kernel derives luma and chroma. */
static inline bool
takes_derive (const struct fakekernel *kernel)
{
  return kernel->kind == FAKEKERNEL_DERIVE || kernel->kind == FAKEKERNEL_DERIVE_COUNT;
}

static inline bool
is_within (uint64_t address, uint64_t begin, uint64_t size)
{
  return address - begin < size;
}
