/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Differences from the operand. */

#ifndef HISTO_CUDA_DIFFERENCE_CUH
#define HISTO_CUDA_DIFFERENCE_CUH

#include "group.cuh"

struct differences {
  unsigned long long absolute, squared;
};

/* Adds this thread's share of a component's rows [begin, end). */
template <bool DEEP>
static __device__ __forceinline__ differences
find_differences (const histo_cuda_picture_component &component, const uint8_t *x, const uint8_t *y, unsigned begin,
                  unsigned end)
{
  const unsigned groups = (component.width + 3) / 4, count = begin < end ? (end - begin) * groups : 0;
  differences sums = {};

#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += HISTO_CUDA_PICTURE_THREADS) {
    const unsigned row = begin + i / groups, first = i % groups * 4;
    const group a = load_group<DEEP> (component, x + row * component.stride_bytes, first);
    const group b = load_group<DEEP> (component, y + row * component.operand_stride_bytes, first);

    if (DEEP) {
#pragma unroll
      for (unsigned k = 0; k < 4; k++) {
        const unsigned difference = __usad (group_value<DEEP> (a, k), group_value<DEEP> (b, k), 0);

        sums.absolute += difference;
        sums.squared += static_cast<unsigned long long> (difference) * difference;
      }
    } else {
      const unsigned difference = __vabsdiffu4 (a.low, b.low);

      sums.absolute += __dp4a (difference, 0x01010101u, 0u);
      sums.squared += __dp4a (difference, difference, 0u);
    }
  }
  return sums;
}

#endif
