/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels `histo_count...`: histogram, sums and dot product in one launch. A single frame needs neither a memset before nor
 * a copy after it, unless it has too many bins for columns.
 *
 * A block counts a share of one pass (plane), thread by thread in vectors of 16 bytes, several in flight. The bins are in
 * shared memory, a column for each lane (histogram.cuh), sums and dot products in registers (reduce.cuh). The limit for large
 * frames is device memory, for small ones the latency of launch, load, fold and publication. */

#include "frame.cuh"
#include "unlike.cuh"

/* ---- any frame ------------------------------------------------------------------------------------------------------- */

#define KERNEL(name, samples, dot) \
  extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1) name (const __grid_constant__ histo_cuda_count frame) \
  { \
    count_frame<samples, dot> (frame); \
  }

/* With a dot product every pass has an operand. Frames with any 2-byte sample go to the deep kernels. These count samples of
 * one byte like samples outside the pattern. */
KERNEL (histo_count, byte_samples<HISTO_CUDA_WIDE>, false)
KERNEL (histo_count_dot, byte_samples<HISTO_CUDA_WIDE>, true)
KERNEL (histo_count_narrow, byte_samples<HISTO_CUDA_NARROW>, false)
KERNEL (histo_count_dot_narrow, byte_samples<HISTO_CUDA_NARROW>, true)
KERNEL (histo_count_deep, deep_samples, false)
KERNEL (histo_count_deep_dot, deep_samples, true)

/* For frames with too many bins for those kernels, one frame a launch. The result is cumulative: see HISTO_CUDA_CARRY_WORDS. */
KERNEL (histo_count_carry, carry_samples, false)
KERNEL (histo_count_carry_dot, carry_samples, true)
KERNEL (histo_count_carry_planes, carry_planes, false)

/* ---- unlike frames --------------------------------------------------------------------------------------------------- */

/* The kernels for any frame, for up to HISTO_CUDA_UNLIKE unlike frames. Each block counts its own frame. It first waits for its
 * frame's parameter, which comes over the bus. The separate sample type gives these kernels separate functions: otherwise the
 * compiler would share functions with the kernels above, and change their code. */
template <typename samples> struct unlike_samples : samples {};

#define UNLIKE_KERNEL(name, samples, dot) \
  extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1) name (const __grid_constant__ histo_cuda_unlike unlike) \
  { \
    __shared__ __align__ (16) histo_cuda_count frame; \
\
    load_parameter (unlike, find_frame (unlike), frame); \
    count_frame<unlike_samples<samples>, dot> (frame); \
  }

UNLIKE_KERNEL (histo_count_unlike, byte_samples<HISTO_CUDA_WIDE>, false)
UNLIKE_KERNEL (histo_count_dot_unlike, byte_samples<HISTO_CUDA_WIDE>, true)
UNLIKE_KERNEL (histo_count_unlike_narrow, byte_samples<HISTO_CUDA_NARROW>, false)
UNLIKE_KERNEL (histo_count_dot_unlike_narrow, byte_samples<HISTO_CUDA_NARROW>, true)
UNLIKE_KERNEL (histo_count_deep_unlike, deep_samples, false)
UNLIKE_KERNEL (histo_count_deep_dot_unlike, deep_samples, true)

/* ---- frames of one plane ---------------------------------------------------------------------------------------------- */

/* The beginning of a histo_cuda_count. */
struct plane_count {
  alignas (8) uint8_t bytes[HISTO_CUDA_PLANE_BYTES];
};

/* Counts a frame as described at HISTO_CUDA_PLANE_BYTES. `data` is the start of its plane. */
template <bool DOT, bool PACKED>
static __device__ __forceinline__ void
count_plane (const view &view, const destination &to)
{
  constexpr unsigned parts = HISTO_CUDA_THREADS / HISTO_CUDA_BINS;
  __shared__ reduce_block reduce;
  tally<ONE_TABLE> tally = {};

  tally.column[0] = histogram_column (HISTO_CUDA_WIDE);
  count_aligned<byte_samples<HISTO_CUDA_WIDE>, ONE_TABLE, DOT, PACKED> (view, tally);
  __syncthreads ();
  const unsigned count = histogram_fold (histogram_tables, HISTO_CUDA_WIDE);

  if (threadIdx.x % parts == 0)
    publish (to, threadIdx.x / parts, count);
  if (DOT) {
    const unsigned long long dot = reduce_sum (reduce, tally.totals[0].dot);

    if (threadIdx.x == 0)
      publish_total (to, HISTO_CUDA_BINS + HISTO_CUDA_DOT, dot);
  }
}

/* Counts one frame, or many at a constant distance, which is also that of the operands. */
template <bool DOT, bool PACKED>
static __device__ __forceinline__ void
count_plane_at_pitch (const histo_cuda_count &frame)
{
  const histo_cuda_pass &pass = frame.passes[0];
  const uint64_t distance = blockIdx.y * frame.pitch_bytes;

  count_plane<DOT, PACKED> ({ pass, reinterpret_cast<const uint8_t *> (pass.data + distance),
                              reinterpret_cast<const uint8_t *> (pass.operand + distance) },
                            find_destination (frame, 0, blockIdx.y));
}

/* Counts many frames at any addresses. */
template <bool PACKED>
static __device__ __forceinline__ void
count_plane_listed (const histo_cuda_listed_count &listed)
{
  const histo_cuda_count &frame = reinterpret_cast<const histo_cuda_count &> (listed.head);

  count_plane<false, PACKED> ({ frame.passes[0], reinterpret_cast<const uint8_t *> (listed.data[blockIdx.y]), nullptr },
                              find_destination (frame, 0, blockIdx.y));
}

#define PLANE_KERNEL(name, dot, packed) \
  extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1) name (const __grid_constant__ plane_count plane) \
  { \
    count_plane_at_pitch<dot, packed> (reinterpret_cast<const histo_cuda_count &> (plane)); \
  }

#define LISTED_KERNEL(name, packed) \
  extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_THREADS, 1) \
      name (const __grid_constant__ histo_cuda_listed_count listed) \
  { \
    count_plane_listed<packed> (listed); \
  }

PLANE_KERNEL (histo_count_packed, false, true)
PLANE_KERNEL (histo_count_plane, false, false)
PLANE_KERNEL (histo_count_plane_dot, true, false)
LISTED_KERNEL (histo_count_packed_listed, true)
LISTED_KERNEL (histo_count_plane_listed, false)

/* ---- small frames ---------------------------------------------------------------------------------------------------- */

/* Blocks for all threads of a multiprocessor, for the largest number of loads in flight. */
#if __CUDA_ARCH__ == 750
#define SMALL_THREADS 1024
#elif (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100
#define SMALL_THREADS 1536
#else
#define SMALL_THREADS 2048
#endif
#define SMALL_BLOCKS (SMALL_THREADS / (HISTO_CUDA_SMALL_THREADS * HISTO_CUDA_SMALL_FRAMES))

/* Many small frames: see HISTO_CUDA_SMALL_BYTES. Only one block adds to a frame's words, so that device memory needs no atomics
 * and no clearing. The bins are in shared memory, a table a warp. The limit is latency, which many blocks on a multiprocessor
 * hide. */
extern "C" __global__ void __launch_bounds__ (HISTO_CUDA_SMALL_THREADS * HISTO_CUDA_SMALL_FRAMES, SMALL_BLOCKS)
histo_count_small (const __grid_constant__ plane_count plane)
{
  constexpr unsigned frames = HISTO_CUDA_SMALL_FRAMES, threads = HISTO_CUDA_SMALL_THREADS, warps = threads / 32, depth = 4;
  __shared__ __align__ (16) unsigned tables[frames][warps][HISTO_CUDA_BINS];
  __shared__ uint64_t listed[frames];
  const histo_cuda_count &count = reinterpret_cast<const histo_cuda_count &> (plane);
  const unsigned first = blockIdx.x * frames, mine = threadIdx.x / threads, thread = threadIdx.x % threads;
  const bool has_frame = first + mine < count.frame_count;
  unsigned *table = tables[mine][thread / 32];
  uint64_t data = count.passes[0].data + (first + mine) * count.pitch_bytes;

  if (count.addresses != 0) { /* one read over the bus for all frames of the block */
    if (threadIdx.x < frames && first + threadIdx.x < count.frame_count)
      listed[threadIdx.x] = reinterpret_cast<const uint64_t *> (count.addresses)[first + threadIdx.x];
    __syncthreads ();
    data = listed[mine];
  }
  const uint8_t *x = reinterpret_cast<const uint8_t *> (data);
  const unsigned length = has_frame ? static_cast<unsigned> (count.passes[0].length) : 0;
  const unsigned to_boundary = static_cast<unsigned> (-data) & 15, head = to_boundary < length ? to_boundary : length;
  const unsigned vectors = (length - head) / 16, tail = head + vectors * 16;

  for (unsigned i = threadIdx.x % 32; i < HISTO_CUDA_BINS / 4; i += 32)
    reinterpret_cast<uint4 *> (table)[i] = make_uint4 (0, 0, 0, 0);
  __syncwarp ();
  for (unsigned i = thread; i < vectors; i += depth * threads) {
    uint4 vector[depth];

#pragma unroll
    for (unsigned k = 0; k < depth; k++)
      if (i + k * threads < vectors)
        vector[k] = load_vector (reinterpret_cast<const uint4 *> (x + head) + i + k * threads);
#pragma unroll
    for (unsigned k = 0; k < depth; k++) {
      const unsigned words[4] = { vector[k].x, vector[k].y, vector[k].z, vector[k].w };

      if (i + k * threads < vectors) {
#pragma unroll
        for (unsigned j = 0; j < 16; j++)
          atomicAdd (&table[words[j / 4] >> (8 * (j % 4)) & 0xff], 1u);
      }
    }
  }
  if (thread < head)
    atomicAdd (&table[x[thread]], 1u);
  if (thread < length - tail)
    atomicAdd (&table[x[tail + thread]], 1u);
  __syncthreads ();
  if (has_frame) {
    const destination to = find_destination (count, 0, first + mine);

    for (unsigned bin = thread; bin < HISTO_CUDA_BINS; bin += threads) {
      unsigned long long total = 0;

#pragma unroll
      for (unsigned i = 0; i < warps; i++)
        total += tables[mine][i][bin];
      to.result[bin] = total << 16 | to.tag;
    }
  }
}
