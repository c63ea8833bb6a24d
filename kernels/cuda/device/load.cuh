/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loads sixteen bytes of a frame. */

#ifndef HISTO_CUDA_LOAD_CUH
#define HISTO_CUDA_LOAD_CUH

#include <cstdint>

/* Loads from an aligned address. No thread reads the bytes again, so the L1 cache does not keep them. */
static __device__ __forceinline__ uint4
load_vector (const uint4 *address)
{
  uint4 vector;

  asm volatile ("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)
                : "l"(address));
  return vector;
}

/* Loads sixteen bytes from any address. `inside`: it may read other bytes of the same aligned words. */
static __device__ __forceinline__ uint4
load_any (const uint8_t *y, bool inside)
{
  const unsigned shift = static_cast<unsigned> (reinterpret_cast<uintptr_t> (y)) & 15;
  unsigned words[4];

  if (shift == 0)
    return *reinterpret_cast<const uint4 *> (y);
  if (inside) {
    const unsigned *aligned = reinterpret_cast<const unsigned *> (y - shift % 4);
    unsigned low = aligned[0];

#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
      const unsigned high = shift % 4 ? aligned[i + 1] : i < 3 ? aligned[i + 1] : 0;

      words[i] = __funnelshift_r (low, high, shift % 4 * 8);
      low = high;
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
      words[i] = y[4 * i] | y[4 * i + 1] << 8 | y[4 * i + 2] << 16 | static_cast<unsigned> (y[4 * i + 3]) << 24;
  }
  return make_uint4 (words[0], words[1], words[2], words[3]);
}

#endif
