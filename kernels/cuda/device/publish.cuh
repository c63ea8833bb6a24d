/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Publishes a block's numbers: the protocol of count.h, word by word. */

#ifndef HISTO_CUDA_PUBLISH_CUH
#define HISTO_CUDA_PUBLISH_CUH

#include "histogram.cuh"

/* The words of this block's frame, and the number of blocks that add to each. */
struct destination {
  unsigned long long *workspace, *result;
  unsigned tag, block_count;
  unsigned block_words; /* of the kernels that carry: from a block's tables to the next block's */
};

/* Adds `value` to a word of the frame. The last block publishes the total, unless the result is cumulative. See count.h. */
static __device__ __forceinline__ void
publish (const destination &to, unsigned word, unsigned long long value)
{
  volatile unsigned long long *result = to.result + word;

  if (to.tag == 0) {
    atomicAdd (to.result + word, value << 16); /* its result is unused: nothing waits for it */
    return;
  }
  if (to.block_count > 1) {
    const unsigned long long before = atomicAdd (to.workspace + word, (1ull << 48) + value);

    if (before >> 48 != to.block_count - 1)
      return;
    to.workspace[word] = 0;
    value += before;
  }
  *result = value << 16 | to.tag;
}

/* The first half of publish (), for threads with several words. */
static __device__ __forceinline__ unsigned long long
publish_add (const destination &to, unsigned word, unsigned long long value)
{
  if (to.tag == 0) {
    atomicAdd (to.result + word, value << 16);
    return 0;
  }
  return to.block_count > 1 ? atomicAdd (to.workspace + word, (1ull << 48) + value) : 0;
}

/* The second half. `before`: the result of publish_add (). */
static __device__ __forceinline__ void
publish_last (const destination &to, unsigned word, unsigned long long value, unsigned long long before)
{
  volatile unsigned long long *result = to.result + word;

  if (to.tag == 0 || (to.block_count > 1 && before >> 48 != to.block_count - 1))
    return;
  if (to.block_count > 1)
    to.workspace[word] = 0;
  *result = (value + before) << 16 | to.tag;
}

/* Publishes `count` words: `find (i, word)` returns the block's number for the i-th, and sets `word` to its index. A thread
 * starts several additions before it waits for the result of the first. */
template <typename find_number>
static __device__ __forceinline__ void
publish_words (const destination &to, unsigned count, const find_number &find)
{
  constexpr unsigned depth = 4;

  for (unsigned first = threadIdx.x; first < count; first += depth * HISTO_CUDA_THREADS) {
    unsigned words[depth];
    unsigned long long values[depth], before[depth];

#pragma unroll
    for (unsigned k = 0; k < depth; k++)
      if (first + k * HISTO_CUDA_THREADS < count) {
        values[k] = find (first + k * HISTO_CUDA_THREADS, words[k]);
        before[k] = publish_add (to, words[k], values[k]);
      }
#pragma unroll
    for (unsigned k = 0; k < depth; k++)
      if (first + k * HISTO_CUDA_THREADS < count)
        publish_last (to, words[k], values[k], before[k]);
  }
}

/* The block's totals of each component, in the order of their words. */
struct totals_block {
  unsigned long long values[HISTO_CUDA_COMPONENTS][HISTO_CUDA_TOTALS / 2];
};

/* Part `word % 2` of a total: see HISTO_CUDA_TOTALS. */
static __device__ __forceinline__ unsigned long long
total_word (const totals_block &totals, unsigned component, unsigned word)
{
  const unsigned long long value = totals.values[component][word / 2];

  return word % 2 == 0 ? value & ((1u << HISTO_CUDA_LOW_BITS) - 1) : value >> HISTO_CUDA_LOW_BITS;
}

/* Returns whether this block is the last of `blocks` to arrive. The last block sees what the others added to device memory. All
 * threads call it. The count in `arrived` is 0 before the first block and after the last. */
static __device__ __forceinline__ bool
arrives_last (unsigned *arrived, unsigned blocks)
{
  __shared__ bool is_last;

  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0) {
    is_last = atomicAdd (arrived, 1) == blocks - 1;
    if (is_last)
      *arrived = 0;
  }
  __syncthreads ();
  if (is_last)
    __threadfence ();
  return is_last;
}

/* Moves vectors from device memory to host memory with the threads of one block, and leaves zeros. */
template <unsigned THREADS>
static __device__ __forceinline__ void
move_to_host (uint4 *from, uint4 *to, unsigned vectors)
{
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < vectors; i += THREADS) {
    to[i] = __ldcg (from + i);
    from[i] = make_uint4 (0, 0, 0, 0);
  }
}

/* Publishes a total of the block in two words; thread 0 has the total. */
static __device__ __forceinline__ void
publish_total (const destination &to, unsigned word, unsigned long long value)
{
  publish (to, word, value & ((1u << HISTO_CUDA_LOW_BITS) - 1));
  publish (to, word + 1, value >> HISTO_CUDA_LOW_BITS);
}

#endif
