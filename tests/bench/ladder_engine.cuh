/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The top rungs of the ladder: what the engine's kernels do besides the histogram of bytes, beside what else could do it. Part
 * of ladder.cu. */

#pragma once

#include <cuda/std/array>

/* ---- launches ------------------------------------------------------------------------------------------------------ */

#define MOST_FRAMES 4096
#define ENGINE_WORDS HISTO_CUDA_WORDS (HISTO_CUDA_MAX_BINS)

static u64 *engine_workspace, *engine_result, *engine_result_device;
static unsigned engine_tag; /* of the last launch */

/* Of many frames in a launch: words of HISTO_CUDA_BINS bins each. Two sets, for launches that overlap. */
static u64 *many_workspace[2], *many_result[2];
static cudaStream_t other_stream;
static cudaEvent_t fork_event, join_event;

static unsigned
next_engine_tag ()
{
  engine_tag = engine_tag % UINT16_MAX + 1;
  return engine_tag;
}

template <typename KERNEL>
static void
allow_tables (KERNEL kernel)
{
  CHECK (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE)));
}

static void
prepare_engine ()
{
  const size_t size = ENGINE_WORDS * sizeof (u64), many_size = MOST_FRAMES * HISTO_CUDA_WORDS (HISTO_CUDA_BINS) * sizeof (u64);

  allow_tables (engine::histo_count);
  allow_tables (engine::histo_count_packed);
  allow_tables (engine::histo_count_packed_listed);
  allow_tables (engine::histo_count_plane_dot);
  allow_tables (engine::histo_count_deep);
  allow_tables (engine::histo_project);
  CHECK (cudaMalloc (&engine_workspace, size));
  CHECK (cudaMemset (engine_workspace, 0, size));
  CHECK (cudaHostAlloc (&engine_result, size, cudaHostAllocMapped));
  CHECK (cudaHostGetDevicePointer (&engine_result_device, engine_result, 0));
  memset (engine_result, 0, size);
  for (unsigned i = 0; i < 2; i++) {
    CHECK (cudaMalloc (&many_workspace[i], many_size));
    CHECK (cudaMemset (many_workspace[i], 0, many_size));
    CHECK (cudaMalloc (&many_result[i], many_size));
    CHECK (cudaMemset (many_result[i], 0, many_size));
  }
  CHECK (cudaStreamCreateWithFlags (&other_stream, cudaStreamNonBlocking));
  CHECK (cudaEventCreateWithFlags (&fork_event, cudaEventDisableTiming));
  CHECK (cudaEventCreateWithFlags (&join_event, cudaEventDisableTiming));
}

/* What a block is worth: block_bytes in kernels/cuda/host/tuning.c. */
#define BYTES_PER_BLOCK 24576

/* `length` bytes in a row, a multiple of 16, one component, as the engine's planner has it. */
static histo_cuda_count
plan_engine (const uint8_t *data, size_t length, const uint8_t *operand = nullptr, unsigned blocks = 0)
{
  histo_cuda_count frame = {};
  histo_cuda_pass &pass = frame.passes[0];

  frame.workspace = reinterpret_cast<uintptr_t> (engine_workspace);
  frame.result = reinterpret_cast<uintptr_t> (engine_result_device);
  frame.pass_count = 1;
  pass.data = reinterpret_cast<uintptr_t> (data);
  pass.operand = reinterpret_cast<uintptr_t> (operand);
  pass.length = length;
  pass.height = 1;
  pass.period = 1;
  pass.tables = 1;
  pass.component_count = 1;
  pass.components[0].bins = BINS;
  pass.block_count = blocks > 0 ? blocks : std::min<size_t> (sm_count, (length + BYTES_PER_BLOCK - 1) / BYTES_PER_BLOCK);
  pass.is_aligned = 1;
  pass.vectors_per_row = length / 16;
  pass.step_vectors = pass.block_count * HISTO_CUDA_THREADS;
  pass.rounds = pass.vectors_per_row / pass.step_vectors;
  pass.last_round = pass.vectors_per_row % pass.step_vectors;
  pass.step_bytes = pass.operand_step_bytes = pass.step_vectors * 16ull;
  pass.wrap_bytes = pass.operand_wrap_bytes = -(pass.vectors_per_row * 16ull);
  return frame;
}

static engine::plane_count
plane_of (const histo_cuda_count &frame)
{
  engine::plane_count plane;

  memcpy (plane.bytes, &frame, sizeof plane.bytes);
  return plane;
}

static void
launch_engine (histo_cuda_count &frame)
{
  const unsigned table_bytes = HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE), blocks = frame.passes[0].block_count;

  frame.tag = next_engine_tag ();
  if (frame.passes[0].operand != 0)
    engine::histo_count_plane_dot<<<blocks, HISTO_CUDA_THREADS, table_bytes, stream>>> (plane_of (frame));
  else
    engine::histo_count_packed<<<blocks, HISTO_CUDA_THREADS, table_bytes, stream>>> (plane_of (frame));
}

/* Whether the last launch left `count` words in host memory, and these. */
static bool
same_engine_words (unsigned first, unsigned count, const u64 *want)
{
  bool is_same = true;

  CHECK (cudaStreamSynchronize (stream));
  for (unsigned i = 0; i < count; i++) {
    const u64 word = *const_cast<volatile u64 *> (&engine_result[first + i]);

    is_same &= (word & 0xffff) == engine_tag && word >> 16 == want[i];
  }
  return is_same;
}

static bool
same_engine_bins (const u64 *want)
{
  return same_engine_words (0, BINS, want);
}

static bool
same_engine_total (unsigned first, u64 want)
{
  u64 got = 0;

  CHECK (cudaStreamSynchronize (stream));
  for (unsigned i = 0; i < 2; i++) {
    const u64 word = *const_cast<volatile u64 *> (&engine_result[first + i]);

    if ((word & 0xffff) != engine_tag)
      return false;
    got += word >> 16 << (i * HISTO_CUDA_LOW_BITS);
  }
  return got == want;
}

/* ---- a frame of two planes ------------------------------------------------------------------------------------------ */

/* NV12: Y, then U and V in turn at half the size. */
static histo_cuda_count
plan_nv12 (const uint8_t *data, size_t luma)
{
  const size_t lengths[] = { luma, luma / 2 };
  histo_cuda_count frame = plan_engine (data, luma);
  unsigned first_block = 0;

  frame.pass_count = 2;
  for (unsigned p = 0; p < 2; p++) {
    histo_cuda_pass &pass = frame.passes[p];

    pass = plan_engine (data + p * luma, lengths[p], nullptr, p == 0 ? sm_count * 2 / 3 : sm_count - first_block).passes[0];
    frame.first_block[p] = pass.first_block = first_block;
    first_block += pass.block_count;
  }
  frame.passes[1].period = frame.passes[1].tables = frame.passes[1].component_count = 2;
  frame.passes[1].table_at = 0x01000100;
  for (unsigned c = 0; c < 2; c++) {
    frame.passes[1].components[c].bins = BINS;
    frame.passes[1].components[c].first_word = (1 + c) * HISTO_CUDA_WORDS (BINS);
  }
  return frame;
}

static void
measure_nv12 (const uint8_t *data, const std::vector<uint8_t> &host, const char *name, size_t luma)
{
  const size_t length = luma + luma / 2;
  const unsigned frames = host.size () / length, checked = 5 % frames;
  const double limit_us = empty_us + length / bytes_per_us;
  const uint8_t *pixels = host.data () + checked * length;
  unsigned *bins = allocate<unsigned> (3 * BINS);
  std::vector<u64> want (3 * BINS);
  std::vector<histo_cuda_count> plans;
  char title[100];

  snprintf (title, sizeof title, "Three histograms of one frame: %.30s", name);
  begin_section (title);
  for (size_t i = 0; i < length; i++)
    want[(i < luma ? 0 : 1 + i % 2) * BINS + pixels[i]]++;
  for (unsigned i = 0; i < frames; i++)
    plans.push_back (plan_nv12 (data + i * length, luma));
  auto launch = [&] (int i) {
    histo_cuda_count &frame = plans[i % frames];

    frame.tag = next_engine_tag ();
    engine::histo_count<<<frame.first_block[1] + frame.passes[1].block_count, HISTO_CUDA_THREADS,
                          2 * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE), stream>>> (frame);
  };
  const timing ours = time_calls (launch);
  bool is_right = true;

  launch (checked);
  for (unsigned c = 0; c < 3; c++)
    is_right &= same_engine_words (c * HISTO_CUDA_WORDS (BINS), BINS, &want[c * BINS]);
  report ("nv12", name, "the engine: one launch, result in host memory", "ours", ours, length, "GB/s", limit_us, is_right);

  auto count = [&] (int i) {
    const uint8_t *frame = data + i % frames * length;
#if CUB_VERSION >= 300000
    const cuda::std::array<int, 2> levels = { BINS + 1, BINS + 1 }, lower = { 0, 0 }, upper = { BINS, BINS };
    const cuda::std::array<unsigned *, 2> chroma = { bins + BINS, bins + 2 * BINS };
#else
    int levels[] = { BINS + 1, BINS + 1 }, lower[] = { 0, 0 }, upper[] = { BINS, BINS };
    unsigned *chroma[] = { bins + BINS, bins + 2 * BINS };
#endif
    size_t size = cub_memory_size;

    count_frame_with_cub (frame, luma, bins);
    CHECK ((cub::DeviceHistogram::MultiHistogramEven<2, 2> (cub_memory, size, frame + luma, chroma, levels, lower, upper,
                                                            static_cast<int> (luma / 4), stream)));
  };
  const timing cub = time_calls (count);
  std::vector<unsigned> got (3 * BINS);

  count (checked);
  CHECK (cudaMemcpy (got.data (), bins, got.size () * sizeof got[0], cudaMemcpyDeviceToHost));
  report ("nv12", name, "CUB HistogramEven, MultiHistogramEven", "peer", cub, length, "GB/s", limit_us,
          std::equal (got.begin (), got.end (), want.begin ()));
  CHECK (cudaFree (bins));
}

/* ---- the dot product of two frames on top -------------------------------------------------------------------------- */

static void
measure_histogram_and_dot (const uint8_t *data, const std::vector<uint8_t> &host, const char *content)
{
  const size_t length = host.size () / 2;
  histo_cuda_count frame = plan_engine (data, length, data + length);
  std::vector<u64> dots (64);
  u64 want[BINS], dot = 0;
  std::atomic<unsigned> next{ 0 };
  char title[80];

  snprintf (title, sizeof title, "Histogram and dot product with another frame: %.20s", content);
  begin_section (title);
  count_plainly (host.data (), length, want);
  in_parallel (length, 16, [&] (size_t begin, size_t end) {
    u64 sum = 0;

    for (size_t i = begin; i < end; i++)
      sum += host[i] * host[length + i];
    dots[next++ % 64] += sum;
  });
  for (u64 part : dots)
    dot += part;
  const double limit_us = 2 * length / bytes_per_us;
  const timing timing = time_calls ([&] (int) { launch_engine (frame); });
  const bool is_right = same_engine_bins (want) && same_engine_total (BINS + HISTO_CUDA_DOT, dot);
  report ("both", content, "the engine: histogram and dot product, one launch", "ours", timing, 2 * length, "GB/s", limit_us,
          is_right);

  /* Two calls, which read the first frame twice. */
  unsigned *bins = allocate<unsigned> (BINS);
  u64 *result = allocate<u64> (1), got;
  const auto cub = time_calls ([&] (int) {
    count_with_cub (data, length, bins);
    reduce_with_cub<DOT> (data, data + length, length, result);
  });
  CHECK (cudaMemcpy (&got, result, sizeof got, cudaMemcpyDeviceToHost));
  report ("both", content, "CUB DeviceHistogram, then DeviceReduce", "peer", cub, 2 * length, "GB/s", limit_us,
          same_bins (bins, want) && got == dot);
  CHECK (cudaFree (bins));
  CHECK (cudaFree (result));
}

/* ---- samples of two bytes ------------------------------------------------------------------------------------------ */

static histo_cuda_count
plan_deep (const uint8_t *data, size_t length, unsigned depth, unsigned bins)
{
  histo_cuda_count frame = plan_engine (data, length);
  histo_cuda_pass &pass = frame.passes[0];
  unsigned bin_shift = 0;

  while (bins << bin_shift < 1u << depth)
    bin_shift++;
  pass.bins = pass.components[0].bins = bins;
  pass.components[0].bin_shift = bin_shift;
  pass.byte_order = 0x3210;
  pass.mask = ((1u << depth) - 1) * 0x10001;
  pass.columns_log2 = 5;
  pass.table_bytes = HISTO_CUDA_TABLE_BYTES (bins, 32);
  pass.row_rotation = (32 + 7 - bin_shift) % 32;
  pass.row_mask = (bins - 1) << 7;
  return frame;
}

static void
measure_deep (uint8_t *data, std::vector<uint8_t> &host, const char *content, unsigned kind)
{
  const size_t length = host.size (), samples = length / 2;
  const double limit_us = length / bytes_per_us;
  auto values = reinterpret_cast<uint16_t *> (host.data ());
  unsigned *bins = allocate<unsigned> (1024);

  in_parallel (samples, 8, [&] (size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
      const unsigned noise = scramble (i) & 1023;

      values[i] = kind == 0   ? noise
                  : kind == 1 ? 64 + i % 1920 / 3 + i / 1920 % 1080 / 5 + noise % 48
                  : kind == 2 ? 310
                              : noise & 0x3e0;
    }
  });
  CHECK (cudaMemcpy (data, host.data (), length, cudaMemcpyHostToDevice));
  for (unsigned bin_count : { 256u, 1024u }) {
    std::vector<u64> want (1024);
    std::vector<unsigned> got (bin_count);
    histo_cuda_count frame = plan_deep (data, length, 10, bin_count);
    u64 sum = 0, squares = 0;
    char name[120];

    for (size_t i = 0; i < samples; i++)
      want[values[i]]++;
    for (u64 i = 0; i < 1024; i++) {
      sum += want[i] * i;
      squares += want[i] * i * i;
    }
    if (bin_count == 256)
      for (unsigned i = 0; i < 256; i++)
        want[i] = want[4 * i] + want[4 * i + 1] + want[4 * i + 2] + want[4 * i + 3];

    const timing ours = time_calls ([&] (int) {
      frame.tag = next_engine_tag ();
      engine::histo_count_deep<<<frame.passes[0].block_count, HISTO_CUDA_THREADS, frame.passes[0].table_bytes, stream>>> (
          frame);
    });
    const bool is_right = same_engine_words (0, bin_count, want.data ()) && same_engine_total (bin_count + HISTO_CUDA_SUM, sum)
                          && same_engine_total (bin_count + HISTO_CUDA_SQUARES, squares);
    snprintf (name, sizeof name, "the engine: %u bins, sum and sum of squares, one launch", bin_count);
    report ("deep", content, name, "ours", ours, length, "GB/s", limit_us, is_right);

    const timing cub = time_calls ([&] (int) {
      size_t size = cub_memory_size;

      CHECK (cub::DeviceHistogram::HistogramEven (cub_memory, size, reinterpret_cast<const uint16_t *> (data), bins,
                                                  bin_count + 1, 0, 1024, static_cast<long long> (samples), stream));
    });
    CHECK (cudaMemcpy (got.data (), bins, bin_count * sizeof (unsigned), cudaMemcpyDeviceToHost));
    bool is_cub_right = true;
    for (unsigned i = 0; i < bin_count; i++)
      is_cub_right &= got[i] == want[i];
    snprintf (name, sizeof name, "CUB DeviceHistogram::HistogramEven, %u bins", bin_count);
    report ("deep", content, name, "peer", cub, length, "GB/s", limit_us, is_cub_right);
  }
  CHECK (cudaFree (bins));
}

/* Rows of 3840 samples: slow ramps and some noise, as in bench_picture without its frames of noise. */
static void
make_film_of_16_bits (std::vector<uint8_t> &host)
{
  auto values = reinterpret_cast<uint16_t *> (host.data ());

  in_parallel (host.size () / 2, 8, [&] (size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
      values[i] = static_cast<uint16_t> (256 * ((i % 3840 / 12 + i / 3840 / 8) % 220 + 16) + scramble (i) % 1024);
  });
}

/* One frame of 16-bit samples with a bin for each value, on an idle GPU, with the bins in host memory at the end: what
 * bench_picture measures of the engine (GRAY16, noise16). */
static void
measure_native_with_cub (uint8_t *data, std::vector<uint8_t> &host, const char *content, unsigned width, unsigned height)
{
  constexpr unsigned bin_count = 65536;
  const size_t samples = static_cast<size_t> (width) * height, frames = host.size () / (2 * samples);
  auto values = reinterpret_cast<const uint16_t *> (data);
  unsigned *bins = allocate<unsigned> (bin_count), *copy;
  std::vector<unsigned> want (bin_count);
  size_t last = 0;

  CHECK (cudaMallocHost (&copy, bin_count * sizeof (unsigned)));
  const timing cub = time_calls ([&] (int i) {
    size_t size = cub_memory_size;

    last = i % frames;
    CHECK (cub::DeviceHistogram::HistogramEven (cub_memory, size, values + last * samples, bins, bin_count + 1, 0,
                                                static_cast<int> (bin_count), static_cast<int> (samples), stream));
    CHECK (cudaMemcpyAsync (copy, bins, bin_count * sizeof (unsigned), cudaMemcpyDeviceToHost, stream));
  });
  CHECK (cudaStreamSynchronize (stream));
  for (size_t i = 0; i < samples; i++)
    want[reinterpret_cast<const uint16_t *> (host.data ())[last * samples + i]]++;
  report ("native", content, "CUB DeviceHistogram::HistogramEven, 65536 bins, copied to the host", "peer", cub, 2.0 * samples,
          "GB/s", 2 * samples / bytes_per_us, std::equal (want.begin (), want.end (), copy));
  CHECK (cudaFreeHost (copy));
  CHECK (cudaFree (bins));
}

/* ---- many frames in one launch ------------------------------------------------------------------------------------- */

/* Calls work (index, stream, set) `rounds` times, on two streams in turn, and returns what one takes. `set` is 0 or 1, the
 * stream's. */
template <typename WORK>
static timing
time_overlapping (int rounds, WORK work)
{
  timing all = time_calls ([&] (int i) {
    CHECK (cudaEventRecord (fork_event, stream));
    CHECK (cudaStreamWaitEvent (other_stream, fork_event, 0));
    for (int round = 0; round < rounds; round++)
      work (i * rounds + round, round % 2 == 0 ? stream : other_stream, round % 2);
    CHECK (cudaEventRecord (join_event, other_stream));
    CHECK (cudaStreamWaitEvent (stream, join_event, 0));
  });

  return { all.us / rounds, all.spread };
}

/* The addresses of `count` frames in a row, where the engine has them: in pinned host memory. Free with cudaFreeHost. */
static u64 *
list_addresses (const uint8_t *data, size_t length, size_t count)
{
  u64 *addresses;

  CHECK (cudaHostAlloc (&addresses, count * sizeof *addresses, cudaHostAllocMapped));
  for (size_t i = 0; i < count; i++)
    addresses[i] = reinterpret_cast<uintptr_t> (data + i * length);
  return addresses;
}

/* The engine's launches for `count` frames of `length` bytes; `want` are the bins of the frames of set `checked` of `sets`. */
static void
measure_engine_batch (const uint8_t *data, const char *name, size_t length, unsigned count, unsigned sets, unsigned checked,
                      const std::vector<unsigned> &want)
{
  const double limit_us = empty_us + length * count / bytes_per_us;
  const unsigned words = HISTO_CUDA_WORDS (HISTO_CUDA_BINS);
  std::vector<u64> result (static_cast<size_t> (count) * words);
  u64 *addresses = list_addresses (data, length, sets * count);

  auto launch = [&] (unsigned blocks, bool is_listed, unsigned set, unsigned half, cudaStream_t on) {
    const size_t first = static_cast<size_t> (set % sets) * count;
    histo_cuda_count frame = plan_engine (data + first * length, length, nullptr, std::max (1u, blocks));

    if (is_listed)
      frame.addresses = reinterpret_cast<uintptr_t> (addresses + first);
    frame.pitch_bytes = length;
    frame.workspace = reinterpret_cast<uintptr_t> (many_workspace[half]);
    frame.result = reinterpret_cast<uintptr_t> (many_result[half]);
    frame.frame_words = words;
    frame.frame_count = count;
    frame.tag = blocks == 0; /* the results of larger frames are cumulative */
    const unsigned tables = HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE);

    if (blocks == 0) {
      engine::histo_count_small<<<(count + HISTO_CUDA_SMALL_FRAMES - 1) / HISTO_CUDA_SMALL_FRAMES,
                                  HISTO_CUDA_SMALL_THREADS * HISTO_CUDA_SMALL_FRAMES, 0, on>>> (plane_of (frame));
    } else if (!is_listed) {
      engine::histo_count_packed<<<dim3 (blocks, count), HISTO_CUDA_THREADS, tables, on>>> (plane_of (frame));
    } else {
      histo_cuda_listed_count listed;

      memcpy (listed.head, &frame, sizeof listed.head);
      memcpy (listed.data, addresses + first, count * sizeof listed.data[0]);
      engine::histo_count_packed_listed<<<dim3 (blocks, count), HISTO_CUDA_THREADS, tables, on>>> (listed);
    }
  };
  auto is_right = [&] (unsigned blocks, bool is_listed) {
    bool is_same = true;

    CHECK (cudaMemset (many_result[0], 0, result.size () * sizeof (u64)));
    launch (blocks, is_listed, checked, 0, stream);
    CHECK (cudaStreamSynchronize (stream));
    CHECK (cudaMemcpy (result.data (), many_result[0], result.size () * sizeof (u64), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < count; i++)
      for (unsigned bin = 0; bin < BINS; bin++)
        is_same &= result[static_cast<size_t> (i) * words + bin]
                   == (static_cast<u64> (want[i * BINS + bin]) << 16 | (blocks == 0));
    return is_same;
  };
  auto measure = [&] (const char *title, const char *kind, unsigned blocks, bool is_listed = false) {
    report ("batch", name, title, kind, time_calls ([&] (int set) { launch (blocks, is_listed, set, 0, stream); }),
            length * count, "GB/s", limit_us, is_right (blocks, is_listed));
  };
  /* As the engine's planner shares out the multiprocessors; 0: its kernel for small frames. And what is beside it. */
  const unsigned blocks = length <= HISTO_CUDA_SMALL_BYTES ? 0 : std::max (1u, sm_count / count);
  char title[80];

  measure ("the engine: one launch", "ours", blocks);
  measure (blocks == 0 ? "the same, with a list of addresses in host memory"
                       : "the same, with a list of addresses in the parameter",
           "rung", blocks, true);
  if (blocks > 1) {
    snprintf (title, sizeof title, "the same, %u block%s per frame", blocks - 1, blocks == 2 ? "" : "s");
    measure (title, "rung", blocks - 1);
    snprintf (title, sizeof title, "the same, %u blocks per frame", blocks + 1);
    measure (title, "rung", blocks + 1);
  }
  const timing overlapping
      = time_overlapping (8, [&] (int set, cudaStream_t on, int half) { launch (blocks, false, set, half, on); });
  report ("batch", name, "the engine: launch after launch, on two streams", "ours", overlapping, length * count, "GB/s",
          length * count / bytes_per_us, is_right (blocks, false));
  CHECK (cudaFreeHost (addresses));
}

/* ---- row and column sums ------------------------------------------------------------------------------------------- */

struct row_at {
  unsigned width;

  __host__ __device__ int
  operator() (int row) const
  {
    return row * width;
  }
};

struct widen {
  __host__ __device__ unsigned
  operator() (uint8_t value) const
  {
    return value;
  }
};

static void
measure_projection (const uint8_t *data, const std::vector<uint8_t> &host, unsigned count)
{
  const unsigned width = 3840, height = 2160, strips = (width + HISTO_CUDA_PROJECT_BYTES - 1) / HISTO_CUDA_PROJECT_BYTES;
  const size_t length = static_cast<size_t> (width) * height;
  const unsigned sets = host.size () / (length * count), words = HISTO_CUDA_WORDS (HISTO_CUDA_BINS);
  std::vector<int16_t> weights (width);
  auto device_weights = allocate<int16_t> (width);
  auto row_sums = allocate<long long> (static_cast<size_t> (count) * (height + width));
  long long *column_sums = row_sums + static_cast<size_t> (count) * height;
  std::vector<long long> rows (static_cast<size_t> (count) * height), columns (static_cast<size_t> (count) * width);
  char name[120], title[120];

  if (sets == 0)
    return;
  snprintf (name, sizeof name, "%u x 4K", count);
  snprintf (title, sizeof title, "Row and column sums: %.60s", name);
  begin_section (title);
  u64 *addresses = list_addresses (data, length, sets * count);

  /* As kernels/cuda/host/launch/projection.c shares out the multiprocessors. */
  const unsigned slices = (2 * sm_count + strips * count - 1) / (strips * count);

  for (unsigned weight_size : { 0u, 1u, 2u }) {
    histo_cuda_project project = {};
    const bool weighted = weight_size > 0;
    bool is_right = true;

    /* Of weights of either sign no strip's sum leaves 32 bits, of large ones of one sign it does. */
    for (unsigned i = 0; i < width; i++)
      weights[i] = static_cast<int16_t> (weight_size == 1 ? scramble (i) : INT16_MAX - scramble (i) % 256);
    CHECK (cudaMemcpy (device_weights, weights.data (), width * sizeof (int16_t), cudaMemcpyHostToDevice));
    project.stride_bytes = project.width = width;
    project.height = height;
    project.slice_rows = (height + slices - 1) / slices;
    project.strips = strips;
    project.workspace = reinterpret_cast<uintptr_t> (many_workspace[0]);
    project.result = reinterpret_cast<uintptr_t> (many_result[0]);
    project.row_weights = project.column_weights = weighted ? reinterpret_cast<uintptr_t> (device_weights) : 0;
    project.weight_size = weight_size;
    project.row_sums = reinterpret_cast<uintptr_t> (row_sums);
    project.column_sums = reinterpret_cast<uintptr_t> (column_sums);
    project.frame_words = words;
    project.tag = 1;
    auto launch = [&] (int set) {
      memcpy (project.data, addresses + set % sets * count, count * sizeof project.data[0]);
      CHECK (cudaMemsetAsync (row_sums, 0, (rows.size () + columns.size ()) * sizeof (long long), stream));
      engine::histo_project<<<dim3 (strips * slices, count), HISTO_CUDA_PROJECT_THREADS,
                              HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_PROJECT_COLUMNS), stream>>> (project);
    };
    const timing timing = time_calls (launch);

    launch (0);
    CHECK (cudaStreamSynchronize (stream));
    CHECK (cudaMemcpy (rows.data (), row_sums, rows.size () * sizeof (long long), cudaMemcpyDeviceToHost));
    CHECK (cudaMemcpy (columns.data (), column_sums, columns.size () * sizeof (long long), cudaMemcpyDeviceToHost));
    for (unsigned f : { 0u, count - 1 }) {
      const uint8_t *frame = host.data () + f * length;
      std::vector<long long> want_columns (width);

      for (unsigned y = 0; y < height; y++) {
        long long sum = 0;

        for (unsigned x = 0; x < width; x++) {
          sum += static_cast<long long> (frame[y * width + x]) * (weighted ? weights[x] : 1);
          want_columns[x] += static_cast<long long> (frame[y * width + x]) * (weighted ? weights[y] : 1);
        }
        is_right &= sum == rows[static_cast<size_t> (f) * height + y];
      }
      for (unsigned x = 0; x < width; x++)
        is_right &= want_columns[x] == columns[static_cast<size_t> (f) * width + x];
    }
    snprintf (title, sizeof title, "the engine: histogram, row and column sums%s",
              weight_size == 0   ? ""
              : weight_size == 1 ? ", 16-bit weights"
                                 : ", large weights");
    report ("project", name, title, "ours", timing, length * count, "GB/s", empty_us + length * count / bytes_per_us, is_right);
  }

  /* Rows alone, and nothing else. */
  auto offsets = thrust::make_transform_iterator (thrust::counting_iterator<int> (0), row_at{ width });
  auto values = thrust::make_transform_iterator (data, widen ());
  auto cub_rows = allocate<unsigned> (static_cast<size_t> (count) * height);
  const timing cub = time_calls ([&] (int) {
    size_t size = cub_memory_size;

    CHECK (cub::DeviceSegmentedReduce::Sum (cub_memory, size, values, cub_rows, static_cast<int> (count * height), offsets,
                                            offsets + 1, stream));
  });
  report ("project", name, "CUB DeviceSegmentedReduce::Sum, rows alone", "peer", cub, length * count, "GB/s",
          empty_us + length * count / bytes_per_us, true);
  CHECK (cudaFree (cub_rows));
  CHECK (cudaFree (row_sums));
  CHECK (cudaFree (device_weights));
  CHECK (cudaFreeHost (addresses));
}
