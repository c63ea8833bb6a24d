/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Luma and chroma of R', G' and B': one derived sample. */

#ifndef HISTO_CUDA_DERIVE_CUH
#define HISTO_CUDA_DERIVE_CUH

#include "../derive.h"

/* Adds weight * value in one instruction: the compiler takes three where it knows that a value is not negative. */
static __device__ __forceinline__ long long
add_product (long long sum, int32_t weight, unsigned value)
{
  asm ("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(weight), "r"(value));
  return sum;
}

/* The sum for a deep sample, before its shift. */
static __device__ __forceinline__ long long
add_products (const histo_cuda_derived &derived, unsigned red, unsigned green, unsigned blue)
{
  return add_product (add_product (add_product (derived.offset, derived.weights[0], red), derived.weights[1], green),
                      derived.weights[2], blue);
}

/* A derived sample. The sums of bytes fit into 32 bits. */
template <bool DEEP>
static __device__ __forceinline__ unsigned
derive_sample (const histo_cuda_derive &derive, const histo_cuda_derived &derived, unsigned red, unsigned green, unsigned blue)
{
  if (DEEP)
    return min (max (static_cast<int> (add_products (derived, red, green, blue) >> derive.shift), 0), derive.top);

  const int sum = static_cast<int> (derived.offset) + derived.weights[0] * static_cast<int> (red)
                  + derived.weights[1] * static_cast<int> (green) + derived.weights[2] * static_cast<int> (blue);

  return min (max (sum >> derive.shift, 0), derive.top);
}

/* The same for luma, which needs no limits: its weights are not negative, and their sum is 1. */
template <bool DEEP>
static __device__ __forceinline__ unsigned
derive_luma (const histo_cuda_derive &derive, unsigned red, unsigned green, unsigned blue)
{
  const histo_cuda_derived &luma = derive.derived[0];

  if (DEEP)
    return static_cast<unsigned> (add_products (luma, red, green, blue) >> derive.shift);
  return (static_cast<unsigned> (luma.offset) + luma.weights[0] * red + luma.weights[1] * green + luma.weights[2] * blue)
         >> derive.shift;
}

#endif
