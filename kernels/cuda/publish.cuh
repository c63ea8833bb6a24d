/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a block publishes what it counted: the protocol of count.h, word by word. */

#ifndef HISTO_CUDA_PUBLISH_CUH
#define HISTO_CUDA_PUBLISH_CUH

#include "histogram.cuh"

/* Where the words of this block's frame are, and how many blocks add to each. */
struct destination {
  unsigned long long *workspace, *result;
  unsigned tag, block_count;
};

/* A word that is being published. */
struct publication {
  unsigned long long *workspace, *result;
  unsigned long long value, before; /* what was added, and to what */
  bool is_wanted;                   /* the caller's */
};

/* Adds `value` to a word of the frame. */
static __device__ __forceinline__ void
publish_begin (publication &publication, const destination &to, unsigned word, unsigned long long value)
{
  publication.workspace = to.workspace + word;
  publication.result = to.result + word;
  publication.value = value;
  if (to.tag == 0)
    atomicAdd (publication.result, value << 16); /* what it returns is not used: nothing waits for it */
  else if (to.block_count > 1)
    publication.before = atomicAdd (publication.workspace, (1ull << 48) + value);
}

/* Whoever added last publishes the total, where it is not cumulative. See count.h. */
static __device__ __forceinline__ void
publish_end (const publication &publication, unsigned tag, unsigned block_count)
{
  volatile unsigned long long *result = publication.result;
  unsigned long long value = publication.value;

  if (tag == 0)
    return;
  if (block_count > 1) {
    if (publication.before >> 48 != block_count - 1)
      return;
    *publication.workspace = 0;
    value += publication.before;
  }
  *result = value << 16 | tag;
}

/* Both at once. */
static __device__ __forceinline__ void
publish (const destination &to, unsigned word, unsigned long long value)
{
  publication publication;

  publish_begin (publication, to, word, value);
  publish_end (publication, to.tag, to.block_count);
}

/* A total of the block in two words; thread 0 has it. */
static __device__ __forceinline__ void
publish_total (const destination &to, unsigned word, unsigned long long value)
{
  publish (to, word, value & ((1u << HISTO_CUDA_LOW_BITS) - 1));
  publish (to, word + 1, value >> HISTO_CUDA_LOW_BITS);
}

#endif
