/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel for light: the codes of the largest of R', G' and B'. As in ../cpu/light.h, a chroma sample adds one number to
 * luma. */

#include "publish.cuh"
#include "scope.cuh"

#define GROUP_SAMPLES 4 /* of a group: see group.cuh */

static __device__ __forceinline__ int
find_part (const histo_cuda_light &light, int cb, int cr)
{
  return light.offset + max (max (light.r_cr * cr, light.b_cb * cb), light.g_cb * cb + light.g_cr * cr);
}

/* `part` includes the offset. */
static __device__ __forceinline__ unsigned
find_code (const histo_cuda_light &light, int luma, int part)
{
  const int code = (light.luma * luma + part) >> HISTO_CUDA_LIGHT_LOG2;

#if __CUDACC_VER_MAJOR__ >= 12 /* one instruction from Hopper on */
  return __vimin_s32_relu (code, HISTO_CUDA_LIGHT_CODES - 1);
#else
  return min (max (code, 0), HISTO_CUDA_LIGHT_CODES - 1);
#endif
}

/* Luma, Cb and Cr, or R', G' and B'. */
static __device__ __forceinline__ const histo_cuda_picture_component &
light_samples (const histo_cuda_scope &scope, unsigned c)
{
  return scope.components[scope.light_component + c].samples;
}

/* The planes of a picture. */
struct light_planes {
  const uint8_t *luma, *cb, *cr;
};

/* A value of two bytes, the lower or the upper half of a word. */
static __device__ __forceinline__ int
half_value (const histo_cuda_picture_component &component, unsigned word, unsigned half)
{
  const unsigned order = component.big_endian ? 0x2301 : 0x3210;

  return (__byte_perm (word, 0, order) >> (16 * half) & 0xffff) >> component.shift & component.mask;
}

/* Loads two adjacent chroma samples of two bytes each if that takes one or two loads. */
static __device__ __forceinline__ bool
load_pairs (const histo_cuda_picture_component &cb, const uint8_t *cb_at, const uint8_t *cr_at, int u[2], int v[2])
{
  const uint64_t cb_address = reinterpret_cast<uintptr_t> (cb_at), cr_address = reinterpret_cast<uintptr_t> (cr_at);

  if (cb.step_bytes == 2 && (cb_address | cr_address) % 4 == 0) {
    const unsigned us = *reinterpret_cast<const unsigned *> (cb_at), vs = *reinterpret_cast<const unsigned *> (cr_at);

#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
      u[i] = half_value (cb, us, i);
      v[i] = half_value (cb, vs, i);
    }
    return true;
  }
  if (cb.step_bytes == 4 && cb_address % 8 == 0 && cr_address == cb_address + 2) {
    const uint2 pairs = *reinterpret_cast<const uint2 *> (cb_at);

    u[0] = half_value (cb, pairs.x, 0);
    v[0] = half_value (cb, pairs.x, 1);
    u[1] = half_value (cb, pairs.y, 0);
    v[1] = half_value (cb, pairs.y, 1);
    return true;
  }
  return false;
}

/* Finds the parts of the luma samples from `first` on. Without further samples in the row they repeat the last. */
template <bool DEEP>
static __device__ __forceinline__ void
find_parts (const histo_cuda_scope &scope, const light_planes &planes, unsigned chroma_row, unsigned first, int *parts)
{
  const histo_cuda_light &light = scope.light;
  const histo_cuda_picture_component &luma = light_samples (scope, 0), &cb = light_samples (scope, 1),
                                     &cr = light_samples (scope, 2);
  const uint8_t *cb_row = planes.cb + chroma_row * cb.stride_bytes, *cr_row = planes.cr + chroma_row * cr.stride_bytes;
  const int middle = 1 << (cb.depth - 1);
  unsigned before = ~0u;

  if (DEEP && light.shift_x == 1 && light.phase_x == 0 && first + GROUP_SAMPLES <= luma.width
      && cb.step_bytes == cr.step_bytes && cb.shift == cr.shift && cb.big_endian == cr.big_endian) {
    int u[2], v[2];

    if (load_pairs (cb, cb_row + first / 2 * cb.step_bytes, cr_row + first / 2 * cr.step_bytes, u, v)) {
      parts[0] = parts[1] = find_part (light, u[0] - middle, v[0] - middle);
      parts[2] = parts[3] = find_part (light, u[1] - middle, v[1] - middle);
      return;
    }
  }
  if (light.shift_x == 0) {
    const group us = load_group<DEEP> (cb, cb_row, first), vs = load_group<DEEP> (cr, cr_row, first);

#pragma unroll
    for (unsigned i = 0; i < GROUP_SAMPLES; i++)
      parts[i] = find_part (light, static_cast<int> (group_value<DEEP> (us, i)) - middle,
                            static_cast<int> (group_value<DEEP> (vs, i)) - middle);
    return;
  }
#pragma unroll
  for (unsigned i = 0; i < GROUP_SAMPLES; i++) {
    const unsigned sample = (min (first + i, luma.width - 1) + light.phase_x) >> light.shift_x;

    parts[i] = i > 0 && sample == before ? parts[i - 1]
                                         : find_part (light, static_cast<int> (load_sample (cb, cb_row, sample)) - middle,
                                                      static_cast<int> (load_sample (cr, cr_row, sample)) - middle);
    before = sample;
  }
}

/* Counts a code in the lane's column. */
static __device__ __forceinline__ void
count_code (const histo_cuda_light &light, unsigned code)
{
  const unsigned column = threadIdx.x & ((1u << light.columns_log2) - 1), row_bytes = sizeof (unsigned) << light.columns_log2;

  histogram_increment (code * row_bytes + column * sizeof (unsigned)); /* one instruction: a multiplication and an addition */
}

static __device__ __forceinline__ void
count_codes (const histo_cuda_light &light, const unsigned *codes, unsigned samples)
{
#pragma unroll
  for (unsigned i = 0; i < GROUP_SAMPLES; i++)
    if (i < samples)
      count_code (light, codes[i]);
}

/* Counts the samples of a row from `first` on. `parts`: of Y', Cb and Cr; ignored for R', G' and B'. */
template <bool DEEP>
static __device__ __forceinline__ void
count_row (const histo_cuda_scope &scope, const light_planes &planes, unsigned row, unsigned first, const int *parts)
{
  const histo_cuda_light &light = scope.light;
  const histo_cuda_picture_component &luma = light_samples (scope, 0), &cb = light_samples (scope, 1),
                                     &cr = light_samples (scope, 2);
  const group values = load_group<DEEP> (luma, planes.luma + row * luma.stride_bytes, first);
  unsigned codes[GROUP_SAMPLES];

  if (light.is_rgb) {
    const group greens = load_group<DEEP> (cb, planes.cb + row * cb.stride_bytes, first);
    const group blues = load_group<DEEP> (cr, planes.cr + row * cr.stride_bytes, first);

#pragma unroll
    for (unsigned i = 0; i < GROUP_SAMPLES; i++)
      codes[i] = find_code (light,
                            static_cast<int> (max (max (group_value<DEEP> (values, i), group_value<DEEP> (greens, i)),
                                                   group_value<DEEP> (blues, i))),
                            light.offset);
  } else {
#pragma unroll
    for (unsigned i = 0; i < GROUP_SAMPLES; i++)
      codes[i] = find_code (light, static_cast<int> (group_value<DEEP> (values, i)), parts[i]);
  }
  count_codes (light, codes, luma.width - first);
}

/* ---- linear light ----------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned
linearise (const histo_cuda_light_curve *curve, int signal)
{
  constexpr int half_level = 1 << (HISTO_CUDA_LIGHT_LOG2 - 3), half_code = 1 << (HISTO_CUDA_LIGHT_LOG2 - 1);
  const int level = (max (signal, half_code - half_level) - (half_code - half_level)) >> (HISTO_CUDA_LIGHT_LOG2 - 2);

  return __ldg (&curve->linear[min (level, 4 * (HISTO_CUDA_LIGHT_CODES - 1))]);
}

/* Of a number that is not 0. */
static __device__ __forceinline__ unsigned
find_logarithm (const histo_cuda_light_curve *curve, unsigned number)
{
  const unsigned zeros = __clz (number);

  return (31 - zeros) * 4096 + __ldg (&curve->mantissas[number << zeros >> 21 & (HISTO_CUDA_LIGHT_MANTISSAS - 1)]);
}

static __device__ __forceinline__ unsigned
find_linear_code (const histo_cuda_light &light, int red_signal, int green_signal, int blue_signal)
{
  auto curve = reinterpret_cast<const histo_cuda_light_curve *> (light.curve);
  const unsigned red = linearise (curve, red_signal), green = linearise (curve, green_signal),
                 blue = linearise (curve, blue_signal);
  const unsigned luminance = static_cast<unsigned> ((static_cast<uint64_t> (light.weights[0]) * red
                                                     + static_cast<uint64_t> (light.weights[1]) * green
                                                     + static_cast<uint64_t> (light.weights[2]) * blue)
                                                    >> 16);
  const unsigned number = light.is_luminance ? luminance : max (max (red, green), blue);

  if (number == 0 || luminance == 0)
    return 0;
  return __ldg (
      &curve
           ->codes[(5 * find_logarithm (curve, number) + (light.adds_luminance ? find_logarithm (curve, luminance) : 0)) / 16]);
}

/* Counts the samples of a row from `first` on. */
template <bool DEEP>
static __device__ __forceinline__ void
count_linear_row (const histo_cuda_scope &scope, const light_planes &planes, unsigned row, unsigned chroma_row, unsigned first)
{
  const histo_cuda_light &light = scope.light;
  const histo_cuda_picture_component &luma = light_samples (scope, 0), &cb = light_samples (scope, 1),
                                     &cr = light_samples (scope, 2);
  const group values = load_group<DEEP> (luma, planes.luma + row * luma.stride_bytes, first);
  const uint8_t *cb_row = planes.cb + chroma_row * cb.stride_bytes, *cr_row = planes.cr + chroma_row * cr.stride_bytes;
  const int middle = 1 << (cb.depth - 1);
  unsigned codes[GROUP_SAMPLES];

#pragma unroll
  for (unsigned i = 0; i < GROUP_SAMPLES; i++) {
    const unsigned sample = (min (first + i, luma.width - 1) + light.phase_x) >> light.shift_x;
    const int second = static_cast<int> (load_sample (cb, cb_row, sample)),
              third = static_cast<int> (load_sample (cr, cr_row, sample));
    const int y = light.luma * static_cast<int> (group_value<DEEP> (values, i)) + light.offset;
    const int u = second - middle, v = third - middle;

    codes[i] = light.is_rgb
                   ? find_linear_code (light, y, light.luma * second + light.offset, light.luma * third + light.offset)
                   : find_linear_code (light, y + light.r_cr * v, y + (light.g_cb * u + light.g_cr * v), y + light.b_cb * u);
  }
  count_codes (light, codes, luma.width - first);
}

/* ---- whole vectors ---------------------------------------------------------------------------------------------------- */

/* Eight values, two in each word. */
struct eight {
  unsigned pairs[4];
};

/* Whether cells of Y', Cb and Cr are whole vectors: 4:2:0, chroma interleaved or in two planes. */
template <bool DEEP>
static __device__ __forceinline__ bool
has_vectors (const histo_cuda_scope &scope, const light_planes &planes)
{
  constexpr unsigned bytes = DEEP ? 2 : 1;
  const histo_cuda_light &light = scope.light;
  const histo_cuda_picture_component &luma = light_samples (scope, 0), &cb = light_samples (scope, 1),
                                     &cr = light_samples (scope, 2);
  const uint64_t cb_address = reinterpret_cast<uintptr_t> (planes.cb), cr_address = reinterpret_cast<uintptr_t> (planes.cr);
  const bool is_interleaved = cb.step_bytes == 2 * bytes && cr_address == cb_address + bytes;

  return !light.is_rgb && light.shift_x == 1 && light.shift_y == 1 && light.phase_x == 0 && light.phase_y == 0
         && luma.step_bytes == bytes && (reinterpret_cast<uintptr_t> (planes.luma) | luma.stride_bytes) % (8 * bytes) == 0
         && cb.step_bytes == cr.step_bytes && cb.stride_bytes == cr.stride_bytes && cb.shift == cr.shift
         && cb.big_endian == cr.big_endian
         && (is_interleaved ? (cb_address | cb.stride_bytes) % (8 * bytes) == 0
                            : cb.step_bytes == bytes && (cb_address | cr_address | cb.stride_bytes) % (4 * bytes) == 0);
}

/* Both values of a word of two samples. */
static __device__ __forceinline__ unsigned
pair_values (const histo_cuda_picture_component &component, unsigned word)
{
  return __byte_perm (word, 0, component.big_endian ? 0x2301 : 0x3210) >> component.shift
         & (component.mask | component.mask << 16);
}

/* The bytes of eight samples. */
template <bool DEEP> struct vector_of_eight {
  typedef uint4 type;
};
template <> struct vector_of_eight<false> {
  typedef uint2 type;
};

static __device__ __forceinline__ eight
find_eight (const histo_cuda_picture_component &component, const uint4 &vector)
{
  return { pair_values (component, vector.x), pair_values (component, vector.y), pair_values (component, vector.z),
           pair_values (component, vector.w) };
}

static __device__ __forceinline__ eight
find_eight (const histo_cuda_picture_component &, const uint2 &vector)
{
  return { __byte_perm (vector.x, 0, 0x4140), __byte_perm (vector.x, 0, 0x4342), __byte_perm (vector.y, 0, 0x4140),
           __byte_perm (vector.y, 0, 0x4342) };
}

/* Four samples of each of two planes. */
static __device__ __forceinline__ uint4
join (const uint2 &first, const uint2 &second)
{
  return make_uint4 (first.x, first.y, second.x, second.y);
}

static __device__ __forceinline__ uint2
join (unsigned first, unsigned second)
{
  return make_uint2 (first, second);
}

/* A cell of whole vectors: two rows of luma, the same one twice if there is only one, and their chroma. */
template <bool DEEP> struct vector_cell {
  typename vector_of_eight<DEEP>::type upper, lower, chroma;
  bool has_two;
};

/* Loads the cell whose luma begins at sample `first` of row 2 * chroma_row. */
template <bool DEEP>
static __device__ __forceinline__ vector_cell<DEEP>
load_cell (const histo_cuda_scope &scope, const light_planes &planes, unsigned chroma_row, unsigned first)
{
  constexpr unsigned bytes = DEEP ? 2 : 1;
  typedef typename vector_of_eight<DEEP>::type vector;
  typedef typename vector_of_eight<false>::type vector_of_four; /* of two bytes each */
  const histo_cuda_picture_component &luma = light_samples (scope, 0), &cb = light_samples (scope, 1);
  const uint8_t *at = planes.luma + 2 * chroma_row * luma.stride_bytes + first * bytes;
  const uint64_t chroma_at = chroma_row * cb.stride_bytes + first / 2 * cb.step_bytes;
  vector_cell<DEEP> cell;

  cell.has_two = 2 * chroma_row + 1 < luma.height;
  cell.upper = *reinterpret_cast<const vector *> (at);
  cell.lower = *reinterpret_cast<const vector *> (cell.has_two ? at + luma.stride_bytes : at);
  if (cb.step_bytes == 2 * bytes) {
    cell.chroma = *reinterpret_cast<const vector *> (planes.cb + chroma_at);
  } else if constexpr (DEEP) {
    cell.chroma = join (*reinterpret_cast<const vector_of_four *> (planes.cb + chroma_at),
                        *reinterpret_cast<const vector_of_four *> (planes.cr + chroma_at));
  } else {
    cell.chroma = join (*reinterpret_cast<const unsigned *> (planes.cb + chroma_at),
                        *reinterpret_cast<const unsigned *> (planes.cr + chroma_at));
  }
  return cell;
}

static __device__ __forceinline__ void
count_eight (const histo_cuda_light &light, const eight &values, const int *parts)
{
#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    count_code (light, find_code (light, static_cast<int> (values.pairs[i] & 0xffff), parts[i]));
    count_code (light, find_code (light, static_cast<int> (values.pairs[i] >> 16), parts[i]));
  }
}

template <bool DEEP>
static __device__ __forceinline__ void
count_cell (const histo_cuda_scope &scope, const vector_cell<DEEP> &cell)
{
  const histo_cuda_light &light = scope.light;
  const histo_cuda_picture_component &luma = light_samples (scope, 0), &cb = light_samples (scope, 1);
  const bool is_interleaved = cb.step_bytes == (DEEP ? 4 : 2);
  const eight chroma = find_eight (cb, cell.chroma);
  const int middle = 1 << (cb.depth - 1);
  int parts[4];

#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const unsigned pair = chroma.pairs[i], u_pair = chroma.pairs[i / 2], v_pair = chroma.pairs[2 + i / 2];
    const unsigned u = is_interleaved ? pair & 0xffff : u_pair >> (i % 2 * 16) & 0xffff;
    const unsigned v = is_interleaved ? pair >> 16 : v_pair >> (i % 2 * 16) & 0xffff;

    parts[i] = find_part (light, static_cast<int> (u) - middle, static_cast<int> (v) - middle);
  }
  count_eight (light, find_eight (luma, cell.upper), parts);
  if (cell.has_two)
    count_eight (light, find_eight (luma, cell.lower), parts);
}

/* ---- all -------------------------------------------------------------------------------------------------------------- */

/* Counts the samples from `first` on, up to GROUP_SAMPLES of each row. */
template <bool DEEP, bool LINEAR>
static __device__ __forceinline__ void
count_groups (const histo_cuda_scope &scope, const light_planes &planes, unsigned chroma_row, unsigned first,
              unsigned row_begin, unsigned row_end)
{
  int parts[GROUP_SAMPLES] = {};

  if (!LINEAR && !scope.light.is_rgb)
    find_parts<DEEP> (scope, planes, chroma_row, first, parts);
  for (unsigned y = row_begin; y < row_end; y++) {
    if (LINEAR)
      count_linear_row<DEEP> (scope, planes, y, chroma_row, first);
    else
      count_row<DEEP> (scope, planes, y, first, parts);
  }
}

/* Cells in reading order: those of a row of chroma, then those of the next row. */
struct cell_place {
  unsigned chroma_row, cell;
};

/* Goes on to the thread's next cell. */
static __device__ __forceinline__ void
step (cell_place &place, unsigned row_cells)
{
  place.chroma_row += HISTO_CUDA_LIGHT_THREADS / row_cells;
  place.cell += HISTO_CUDA_LIGHT_THREADS % row_cells;
  if (place.cell >= row_cells) {
    place.cell -= row_cells;
    place.chroma_row++;
  }
}

template <bool DEEP, bool LINEAR>
static __device__ __forceinline__ void
count_light (const histo_cuda_scope &scope)
{
  const histo_cuda_light &light = scope.light;
  const histo_cuda_picture_component &luma = light_samples (scope, 0);
  const light_planes planes = { find_samples (scope, luma), find_samples (scope, light_samples (scope, 1)),
                                find_samples (scope, light_samples (scope, 2)) };
  const unsigned row_cells = (luma.width + HISTO_CUDA_LIGHT_SAMPLES - 1) / HISTO_CUDA_LIGHT_SAMPLES;
  const unsigned rows = (luma.height - 1 + light.phase_y) >> light.shift_y, cells = (rows + 1) * row_cells; /* below 2^31 */
  const unsigned begin = static_cast<unsigned> (static_cast<uint64_t> (cells) * blockIdx.x / gridDim.x);
  const unsigned end = static_cast<unsigned> (static_cast<uint64_t> (cells) * (blockIdx.x + 1) / gridDim.x);
  const bool takes_vectors = !LINEAR && has_vectors<DEEP> (scope, planes);
  const unsigned whole_cells = luma.width / HISTO_CUDA_LIGHT_SAMPLES; /* of a row */
  cell_place place = { (begin + threadIdx.x) / row_cells, (begin + threadIdx.x) % row_cells }, next = place;
  vector_cell<DEEP> cell = {}, next_cell = {};

  if (begin + threadIdx.x < end && takes_vectors && place.cell < whole_cells)
    next_cell = load_cell<DEEP> (scope, planes, place.chroma_row, place.cell * HISTO_CUDA_LIGHT_SAMPLES);
  for (unsigned i = begin + threadIdx.x; i < end; i += HISTO_CUDA_LIGHT_THREADS) {
    const unsigned first = place.cell * HISTO_CUDA_LIGHT_SAMPLES, row = place.chroma_row << light.shift_y;
    const unsigned row_begin = row > light.phase_y ? row - light.phase_y : 0;
    const unsigned row_end = min (luma.height, row + (1u << light.shift_y) - light.phase_y);

    cell = next_cell;
    step (next, row_cells);
    /* Loads the next cell while this one is counted. */
    if (i + HISTO_CUDA_LIGHT_THREADS < end && takes_vectors && next.cell < whole_cells)
      next_cell = load_cell<DEEP> (scope, planes, next.chroma_row, next.cell * HISTO_CUDA_LIGHT_SAMPLES);
    if (takes_vectors && place.cell < whole_cells)
      count_cell (scope, cell);
    else
      for (unsigned at = first; at < min (first + HISTO_CUDA_LIGHT_SAMPLES, luma.width); at += GROUP_SAMPLES)
        count_groups<DEEP, LINEAR> (scope, planes, place.chroma_row, at, row_begin, row_end);
    place = next;
  }
}

/* The sum of a code's columns. Eight columns are loaded as two vectors, with fewer bank conflicts. */
static __device__ __forceinline__ unsigned
fold_code (unsigned columns, unsigned code)
{
  if (columns != 8)
    return histogram_fold_bin (histogram_tables, columns, code);
  const uint4 first = reinterpret_cast<const uint4 *> (histogram_tables)[2 * code],
              second = reinterpret_cast<const uint4 *> (histogram_tables)[2 * code + 1];

  return first.x + first.y + first.z + first.w + second.x + second.y + second.z + second.w;
}

template <bool LINEAR>
static __device__ __forceinline__ void
count_share (const histo_cuda_scope &scope)
{
  const unsigned columns = 1u << scope.light.columns_log2;
  unsigned *counters = find_counters (scope, scope.light.first_code);

  histogram_clear<HISTO_CUDA_LIGHT_THREADS> (HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_LIGHT_CODES, columns));
  if (light_samples (scope, 0).sample_bytes == 1)
    count_light<false, LINEAR> (scope);
  else
    count_light<true, LINEAR> (scope);
  __syncthreads ();
  for (unsigned i = 0; i < HISTO_CUDA_LIGHT_CODES; i += HISTO_CUDA_LIGHT_THREADS) {
    const unsigned code = (i + threadIdx.x + 32 * blockIdx.x) % HISTO_CUDA_LIGHT_CODES; /* blocks add to different bins */
    const unsigned count = fold_code (columns, code);

    if (count > 0)
      atomicAdd (counters + code, count);
  }
  if (scope.light.result != 0 && arrives_last (counters + HISTO_CUDA_LIGHT_CODES, gridDim.x))
    move_to_host<HISTO_CUDA_LIGHT_THREADS> (
        reinterpret_cast<uint4 *> (counters),
        reinterpret_cast<uint4 *> (scope.light.result + blockIdx.y * scope.frame_counters * sizeof (unsigned)),
        HISTO_CUDA_LIGHT_CODES / 4);
}

/* The light of a picture. A block counts a share of the cells. The bins are in shared memory. The limits are instruction issue
 * and the increments, one for each luma sample. */
extern "C" __global__ void
__launch_bounds__ (HISTO_CUDA_LIGHT_THREADS) histo_light (const __grid_constant__ histo_cuda_scope scope)
{
  count_share<false> (scope);
}

/* The same for light that needs a curve. Its limit is the loads from the tables, five or six for each luma sample. */
extern "C" __global__ void
__launch_bounds__ (HISTO_CUDA_LIGHT_THREADS) histo_light_linear (const __grid_constant__ histo_cuda_scope scope)
{
  count_share<true> (scope);
}
