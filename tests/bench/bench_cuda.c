/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA engine through its public header: the time from submit to collect, the frames per second that one thread submits,
 * and the speed of frames in host memory, each with its limit from the same run. Also the size from which copying a frame is
 * faster than reading it in host memory. ladder.cu measures kernels alone, and their peers. Checks the numbers of every frame.
 * Exits with 77 without a GPU. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cudahisto/histo.h>

#include "cuda/host/cuda.h"
#include "cuda/host/driver.h"
#include "engines.h"
#include "frames.h"
#include "require.h"
#include "timing.h"

#define ROTATION_BYTES ((size_t)256 << 20) /* memory of the frames, much larger than the L2 cache */
#define MAX_ROTATION 1024                  /* their largest number */

static struct histo_config config = { .backend = HISTO_BACKEND_CUDA, .cuda_device = -1, .max_in_flight = 64 };
static struct histo_cuda_driver driver;
static struct histo_engine *engine;
static CUdeviceptr device_memory;
static uint8_t *pageable, *pinned;
static uint64_t expected[MAX_ROTATION]; /* of the frames of the layout that prepare() got last */

static double
now_us (void)
{
  return seconds_now () * 1e6;
}

/* A layout: its size and the number of its planes. */
struct layout {
  const char *name;
  uint32_t width, height;
  bool is_nv12;
  unsigned depth, bins; /* for samples of two bytes; 0: samples of one byte */
};

static size_t
layout_bytes (const struct layout *layout)
{
  return (size_t)layout->width * layout->height * (layout->is_nv12 ? 3 : 2) / 2 * (layout->depth > 0 ? 2 : 1);
}

/* Returns the number of different frames. */
static size_t
layout_rotation (const struct layout *layout)
{
  size_t rotation = ROTATION_BYTES / layout_bytes (layout);

  return rotation < MAX_ROTATION ? rotation : MAX_ROTATION;
}

static struct histo_frame
describe (const struct layout *layout, enum histo_memory memory, const uint8_t *base, size_t number)
{
  size_t bytes = layout_bytes (layout), luma = (size_t)layout->width * layout->height;
  const uint8_t *data = base + number % layout_rotation (layout) * bytes;
  struct histo_frame frame = {
    .memory = memory,
    .plane_count = 1,
    .component_count = 1,
    .planes = { { data, layout->width, layout->height }, { data + luma, layout->width, layout->height / 2 } },
    .components
    = { { .plane = 0, .step_bytes = 1, .width = layout->width, .sample_bytes = 1, .depth = 8 },
        { .plane = 1, .offset_bytes = 0, .step_bytes = 2, .width = layout->width / 2, .sample_bytes = 1, .depth = 8 },
        { .plane = 1, .offset_bytes = 1, .step_bytes = 2, .width = layout->width / 2, .sample_bytes = 1, .depth = 8 } },
  };

  if (layout->is_nv12) {
    frame.plane_count = 2;
    frame.component_count = 3;
  }
  if (layout->depth > 0) {
    frame.planes[0].stride_bytes *= 2;
    frame.components[0].step_bytes = frame.components[0].sample_bytes = 2;
    frame.components[0].depth = layout->depth;
    frame.components[0].bins = layout->bins;
  }
  return frame;
}

/* Returns a checksum that a wrong bin changes. */
static uint64_t
digest (const struct histo_stats *stats)
{
  uint64_t digest = 0;

  for (unsigned c = 0; c < stats->component_count; c++)
    digest = digest * 31 + stats->components[c].sum * 7 + stats->components[c].sum_of_squares;
  return digest;
}

/* Counts the frames of a layout on the CPU. */
static void
prepare (const struct layout *layout)
{
  struct histo_engine *cpu = NULL;
  struct histo_stats stats = { 0 };

  require (histo_open (&(struct histo_config){ .backend = HISTO_BACKEND_CPU }, &cpu) == HISTO_OK, "CPU");
  for (size_t i = 0; i < layout_rotation (layout); i++) {
    struct histo_frame frame = describe (layout, HISTO_MEMORY_HOST, pageable, i);

    require (test_engine_count (cpu, &frame, &stats) == HISTO_OK, "CPU");
    expected[i] = digest (&stats);
  }
  histo_stats_clear (&stats);
  histo_close (&cpu);
}

static void
collect_checked (const struct layout *layout, size_t number, histo_ticket ticket, struct histo_stats *stats)
{
  require (histo_collect (engine, ticket, stats) == HISTO_OK, "collect");
  require (digest (stats) == expected[number % layout_rotation (layout)], "the numbers are the CPU's");
}

struct latency {
  double median_us, percentile_99_us;
};

/* Measures the time from submit to collect, one frame at a time. */
static struct latency
measure_latency (const struct layout *layout, enum histo_memory memory, const uint8_t *base, size_t frames)
{
  static double times[10000];
  struct histo_stats stats = { 0 };
  histo_ticket ticket;

  for (size_t i = 0; i < frames; i++) {
    struct histo_frame frame = describe (layout, memory, base, i);
    double start = now_us ();

    require (histo_submit (engine, &frame, &ticket) == HISTO_OK, "submit");
    collect_checked (layout, i, ticket, &stats);
    times[i] = now_us () - start;
  }
  histo_stats_clear (&stats);
  sort_times (times, frames);
  return (struct latency){ times[frames / 2], times[frames * 99 / 100] };
}

/* Returns the frames per second, with the largest number in flight. */
static double
measure_rate (const struct layout *layout, enum histo_memory memory, const uint8_t *base, size_t frames)
{
  enum { WARM_UP = 64 };
  size_t in_flight = config.max_in_flight, collected = 0;
  struct histo_stats stats = { 0 };
  histo_ticket ticket = 0, first = 0;
  double start = 0;

  for (size_t i = 0; i < frames + WARM_UP; i++) {
    struct histo_frame frame = describe (layout, memory, base, i);

    if (i == WARM_UP)
      start = now_us ();
    for (; i - collected >= in_flight; collected++)
      collect_checked (layout, collected, first + collected, &stats);
    require (histo_submit (engine, &frame, &ticket) == HISTO_OK, "submit");
    if (i == 0)
      first = ticket;
  }
  for (; collected < frames + WARM_UP; collected++)
    collect_checked (layout, collected, first + collected, &stats);
  start = now_us () - start;
  histo_stats_clear (&stats);
  return (double)frames / start * 1e6;
}

#define BATCH 64 /* frames of a submission */

/* Returns the frames per second in submissions of BATCH frames. Two are in flight: while the numbers of one are read, the next
 * one is counted. */
static double
measure_batches (const struct layout *layout, const uint8_t *base, size_t batches)
{
  enum { WARM_UP = 4 };
  struct histo_stats stats = { 0 };
  histo_ticket tickets[2];
  double start = 0;

  for (size_t i = 0; i <= batches + WARM_UP; i++) {
    struct histo_frame frames[BATCH];

    if (i == WARM_UP)
      start = now_us ();
    for (size_t f = 0; f < BATCH; f++)
      frames[f] = describe (layout, HISTO_MEMORY_DEVICE, base, i * BATCH + f);
    if (i < batches + WARM_UP)
      require (histo_submit_many (engine, frames, BATCH, &tickets[i % 2]) == HISTO_OK, "submit");
    for (size_t f = 0; i > 0 && f < BATCH; f++)
      collect_checked (layout, (i - 1) * BATCH + f, tickets[(i - 1) % 2] + f, &stats);
  }
  start = now_us () - start;
  histo_stats_clear (&stats);
  return (double)(batches * BATCH) / start * 1e6;
}

/* Returns the GB/s of plain copies of `bytes` from `base`, one after the other on one stream. */
static double
measure_copies (const uint8_t *base, size_t bytes, size_t copies)
{
  CUstream stream;
  CUdeviceptr target;
  double start;

  require (driver.cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS, "stream");
  require (driver.cuMemAlloc (&target, bytes) == CUDA_SUCCESS, "device memory");
  driver.cuMemcpyHtoDAsync (target, base, bytes, stream);
  driver.cuStreamSynchronize (stream);
  start = now_us ();
  for (size_t i = 0; i < copies; i++)
    require (driver.cuMemcpyHtoDAsync (target, base + i % (ROTATION_BYTES / bytes) * bytes, bytes, stream) == CUDA_SUCCESS,
             "copy");
  driver.cuStreamSynchronize (stream);
  start = now_us () - start;
  driver.cuMemFree (target);
  driver.cuStreamDestroy (stream);
  return (double)(bytes * copies) / start / 1e3;
}

static void
open_engine (size_t zero_copy_bytes)
{
  histo_close (&engine);
  histo_cuda_zero_copy_bytes = zero_copy_bytes;
  require (histo_open (&config, &engine) == HISTO_OK, "opening the engine");
}

/* ---- tables --------------------------------------------------------------------------------------------------------- */

static const struct layout layouts[] = { { "1080p luma", 1920, 1080, false, 0, 0 },
                                         { "1080p NV12", 1920, 1080, true, 0, 0 },
                                         { "4K luma", 3840, 2160, false, 0, 0 },
                                         { "4K NV12", 3840, 2160, true, 0, 0 } };
#define LAYOUTS (sizeof layouts / sizeof *layouts)

static void
bench_device_memory (void)
{
  const uint8_t *base = (const uint8_t *)(uintptr_t)device_memory;

  printf ("frames in device memory, one thread\n");
  for (size_t i = 0; i < LAYOUTS; i++) {
    struct latency latency;
    double rate;

    prepare (&layouts[i]);
    latency = measure_latency (&layouts[i], HISTO_MEMORY_DEVICE, base, 10000);
    rate = measure_rate (&layouts[i], HISTO_MEMORY_DEVICE, base, 20000);
    printf ("  %-12s submit to collect: median %6.1f us, 99th percentile %6.1f us; %8.0f frames/s, %7.1f GB/s\n",
            layouts[i].name, latency.median_us, latency.percentile_99_us, rate,
            rate * (double)layout_bytes (&layouts[i]) / 1e9);
  }
}

/* Compares every bin of some frames with the CPU's. */
static void
check_counters (const struct layout *layout, const uint8_t *base)
{
  struct histo_engine *cpu = NULL;
  struct histo_stats ours = { 0 }, theirs = { 0 };
  const char *difference;

  require (histo_open (&(struct histo_config){ .backend = HISTO_BACKEND_CPU }, &cpu) == HISTO_OK, "CPU");
  for (size_t i = 0; i < 8; i++) {
    struct histo_frame frame = describe (layout, HISTO_MEMORY_DEVICE, base, i);

    require (test_engine_count (engine, &frame, &ours) == HISTO_OK, "counting");
    frame = describe (layout, HISTO_MEMORY_HOST, pageable, i);
    require (test_engine_count (cpu, &frame, &theirs) == HISTO_OK, "CPU");
    difference = test_stats_difference (&theirs, &ours);
    require (difference == NULL, difference);
  }
  histo_stats_clear (&ours);
  histo_stats_clear (&theirs);
  histo_close (&cpu);
}

/* Samples of two bytes, in 256 bins and with a bin for each value. */
static void
bench_deep_samples (void)
{
  static const unsigned depths[] = { 10, 12, 16 };
  const uint8_t *base = (const uint8_t *)(uintptr_t)device_memory;

  printf ("\ndeep samples in device memory, one component, one thread\n");
  for (unsigned d = 0; d < sizeof depths / sizeof *depths; d++)
    for (unsigned i = 0; i < 4; i++) {
      const struct layout layout = { .name = i < 2 ? "1080p" : "4K",
                                     .width = i < 2 ? 1920 : 3840,
                                     .height = i < 2 ? 1080 : 2160,
                                     .depth = depths[d],
                                     .bins = i % 2 == 0 ? 256 : 1u << depths[d] };
      struct latency latency;
      double rate;

      prepare (&layout);
      check_counters (&layout, base);
      latency = measure_latency (&layout, HISTO_MEMORY_DEVICE, base, 2000);
      rate = measure_rate (&layout, HISTO_MEMORY_DEVICE, base, 5000);
      printf ("  %-5s %2u bits, %5u bins: median %6.1f us, 99th percentile %6.1f us; %8.0f frames/s, %7.1f GB/s\n", layout.name,
              layout.depth, layout.bins, latency.median_us, latency.percentile_99_us, rate,
              rate * (double)layout_bytes (&layout) / 1e9);
    }
}

static void
bench_batches (void)
{
  const uint8_t *base = (const uint8_t *)(uintptr_t)device_memory;
  unsigned in_flight = config.max_in_flight;

  config.max_in_flight = 2 * BATCH;
  open_engine (histo_cuda_zero_copy_bytes);
  printf ("\nframes in device memory, one thread, %d in a submission\n", BATCH);
  for (size_t i = 0; i < LAYOUTS; i++) {
    double rate;

    prepare (&layouts[i]);
    rate = measure_batches (&layouts[i], base, 300);
    printf ("  %-12s %8.0f frames/s in submissions of %d, %7.1f GB/s\n", layouts[i].name, rate, BATCH,
            rate * (double)layout_bytes (&layouts[i]) / 1e9);
  }
  config.max_in_flight = in_flight;
  open_engine (histo_cuda_zero_copy_bytes);
}

static void
bench_host_memory (void)
{
  printf ("\nframes in host memory, one thread; beside plain copies of the same bytes\n");
  for (size_t i = 0; i < LAYOUTS; i++) {
    size_t bytes = layout_bytes (&layouts[i]);
    const uint8_t *bases[] = { pinned, pageable };

    prepare (&layouts[i]);
    for (unsigned kind = 0; kind < 2; kind++) {
      double limit = measure_copies (bases[kind], bytes, kind == 0 ? 2000 : 400);
      double rate = measure_rate (&layouts[i], HISTO_MEMORY_HOST, bases[kind], 2000);
      struct latency latency = measure_latency (&layouts[i], HISTO_MEMORY_HOST, bases[kind], 500);

      printf ("  %-12s %-9s %8.0f frames/s, %5.1f GB/s; copies %5.1f GB/s: %.2f of it; median %7.1f us\n", layouts[i].name,
              kind == 0 ? "pinned" : "pageable", rate, rate * (double)bytes / 1e9, limit, rate * (double)bytes / 1e9 / limit,
              latency.median_us);
    }
  }
}

/* Prints a cell: latency, and rate with many frames in flight. */
static void
bench_size (const struct layout *layout, const uint8_t *base)
{
  size_t bytes = layout_bytes (layout), frames = ((size_t)2 << 30) / bytes;
  struct latency latency;
  double rate;

  frames = frames < 500 ? 500 : frames > 10000 ? 10000 : frames;
  latency = measure_latency (layout, HISTO_MEMORY_HOST, base, frames / 5);
  rate = measure_rate (layout, HISTO_MEMORY_HOST, base, frames);
  printf (" | %7.1f %8.0f %6.2f", latency.median_us, rate, rate * (double)bytes / 1e9);
}

/* The kernel reads pinned frames itself, or the copy engine copies them; pageable ones are copied by the calling thread, or by
 * the staging's. From where the right column wins on, copy: in tuning.c zero_copy_idle_bytes by the time, zero_copy_busy_bytes
 * by the rate, and bounce_bytes. */
static void
bench_crossover (void)
{
  const size_t limits[] = { SIZE_MAX, 0 };

  printf ("\nwhen to copy: median us from submit to collect, frames/s, GB/s\n");
  printf ("  %-8s | %-23s | %-23s | %-23s | %-23s\n", "frame", "pinned, in place", "pinned, copied", "pageable, in place",
          "pageable, staged");
  for (size_t bytes = 4096; bytes <= (size_t)16 << 20; bytes *= 2) {
    struct layout layout = { .width = (uint32_t)bytes, .height = 1 };

    prepare (&layout);
    printf ("  %5zu KiB", bytes >> 10);
    for (unsigned kind = 0; kind < 2; kind++)
      for (unsigned i = 0; i < 2; i++) {
        open_engine (limits[i]);
        bench_size (&layout, kind == 0 ? pinned : pageable);
      }
    printf ("\n");
  }
  printf ("  (pageable frames that are too large for the engine's own pinned memory are staged in both columns)\n");
}

int
main (void)
{
  uint64_t state = 88172645463325252u;
  CUdevice device;
  CUcontext context;
  enum histo_status status;

  config.log = print_log;
  status = histo_open (&config, &engine);
  if (status == HISTO_ERROR_NO_DRIVER || status == HISTO_ERROR_NO_DEVICE) {
    printf ("SKIP: %s\n", histo_status_text (status));
    return 77;
  }
  require (status == HISTO_OK, "opening the engine");
  require (histo_cuda_driver_load (&config, &driver) == HISTO_OK, "driver");
  require (driver.cuDeviceGet (&device, 0) == CUDA_SUCCESS, "device");
  require (driver.cuDevicePrimaryCtxRetain (&context, device) == CUDA_SUCCESS, "context");
  require (driver.cuCtxPushCurrent (context) == CUDA_SUCCESS, "context");
  require (driver.cuMemAlloc (&device_memory, ROTATION_BYTES) == CUDA_SUCCESS, "device memory");
  require (driver.cuMemHostAlloc ((void **)&pinned, ROTATION_BYTES, 0) == CUDA_SUCCESS, "pinned memory");
  pageable = malloc (ROTATION_BYTES);
  require (pageable, "memory");
  for (size_t i = 0; i < ROTATION_BYTES; i += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    memcpy (pageable + i, &state, 8);
  }
  memcpy (pinned, pageable, ROTATION_BYTES);
  require (driver.cuMemcpyHtoDAsync (device_memory, pinned, ROTATION_BYTES, NULL) == CUDA_SUCCESS, "copy");
  require (driver.cuStreamSynchronize (NULL) == CUDA_SUCCESS, "copy");

  printf ("%s, random samples, frames in turn over %zu MiB\n\n", histo_engine_info (engine)->device_name, ROTATION_BYTES >> 20);
  bench_device_memory ();
  bench_batches ();
  bench_deep_samples ();
  bench_host_memory ();
  bench_crossover ();

  histo_close (&engine);
  driver.cuMemFree (device_memory);
  driver.cuMemFreeHost (pinned);
  free (pageable);
  driver.cuDevicePrimaryCtxRelease (device);
  return 0;
}
