/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Groups: four samples of a row of a component, which a thread processes at once. */

#ifndef HISTO_CUDA_GROUP_CUH
#define HISTO_CUDA_GROUP_CUH

#include "../picture.h"

/* The first sample of a component in this block's frame, or in its operand. */
static __device__ __forceinline__ const uint8_t *
find_component (const histo_cuda_picture &picture, unsigned c, bool of_operand = false)
{
  const histo_cuda_picture_component &component = picture.components[c];
  const uint64_t frame = blockIdx.y, pass = (of_operand ? picture.pass_count : 0) + component.pass;
  auto addresses = reinterpret_cast<const uint64_t *> (picture.addresses);
  uint64_t first = (of_operand ? component.operand : component.data) + frame * picture.pitch_bytes;

  if (addresses != nullptr)
    first = addresses[pass * picture.frame_count + frame] + component.offset_bytes;
  return reinterpret_cast<const uint8_t *> (first);
}

static __device__ __forceinline__ unsigned
load_sample (const histo_cuda_picture_component &component, const uint8_t *row, unsigned i)
{
  const uint8_t *at = row + i * component.step_bytes;
  unsigned value = at[0];

  if (component.sample_bytes == 2)
    value = component.big_endian ? value << 8 | at[1] : value | at[1] << 8;
  return value >> component.shift & component.mask;
}

/* Four values: four bytes in one word, or four 16-bit values in two words. */
struct group {
  unsigned low, high; /* deep samples: the first two, the last two; otherwise `low` has all four */
};

template <bool DEEP>
static __device__ __forceinline__ unsigned
group_value (const group &group, unsigned i)
{
  return DEEP ? (i < 2 ? group.low : group.high) >> (i % 2 * 16) & 0xffff : group.low >> (i * 8) & 0xff;
}

/* The lowest eight bits of each value. */
template <bool DEEP>
static __device__ __forceinline__ unsigned
group_bytes (const group &group)
{
  return DEEP ? __byte_perm (group.low, group.high, 0x6420) : group.low;
}

/* Loads the samples from `first` on, zeros after the end of the row. It reads no other bytes, except those of other components
 * between two of the samples. */
template <bool DEEP>
static __device__ __forceinline__ group
load_group (const histo_cuda_picture_component &component, const uint8_t *row, unsigned first)
{
  const uint8_t *at = row + first * component.step_bytes;
  const unsigned address = static_cast<unsigned> (reinterpret_cast<uintptr_t> (at));
  const bool is_inside = first + 4 < component.width;
  group group = { 0, 0 };

  if (DEEP) {
    if (is_inside && component.step_bytes == 2 && component.sample_bytes == 2 && address % 8 == 0) {
      const uint2 words = *reinterpret_cast<const uint2 *> (at);
      const unsigned order = component.big_endian ? 0x2301 : 0x3210, mask = component.mask | component.mask << 16;

      group.low = __byte_perm (words.x, 0, order) >> component.shift & mask;
      group.high = __byte_perm (words.y, 0, order) >> component.shift & mask;
      return group;
    }
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
      const unsigned value = first + i < component.width ? load_sample (component, row, first + i) : 0;

      (i < 2 ? group.low : group.high) |= value << (i % 2 * 16);
    }
    return group;
  }
  if (is_inside && component.step_bytes == 1 && address % 4 == 0) {
    group.low = *reinterpret_cast<const unsigned *> (at);
  } else if (is_inside && component.step_bytes == 2 && address % 8 < 2) {
    const uint2 words = *reinterpret_cast<const uint2 *> (at - address % 8);

    group.low = __byte_perm (words.x, words.y, address % 8 == 0 ? 0x6420 : 0x7531);
  } else {
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
      group.low |= (first + i < component.width ? load_sample (component, row, first + i) : 0) << (i * 8);
  }
  return group;
}

#endif
