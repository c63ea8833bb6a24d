/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA engine as its caller sees it, through the public header: how long from submit to collect, how many frames a second from
 * one thread, how fast frames come from host memory, each beside its limit measured in the same run. Kernels alone, and their
 * peers, are in the ladder (ladder.cu). Every result is checked. Exits with 77 where there is no GPU. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cudahisto/histo.h>

#include "cuda/driver.h"

#define ROTATION_BYTES ((size_t)256 << 20) /* frames are spread over so much memory, far more than the L2 cache holds */

static struct histo_config config = { .backend = HISTO_BACKEND_CUDA, .cuda_device = -1, .max_in_flight = 64 };
static struct histo_cuda_driver driver;
static struct histo_engine *engine;
static CUdeviceptr device_memory;
static uint8_t *pageable, *pinned;

static void
print_log (void *data, enum histo_log_level level, const char *message)
{
  (void)data;
  if (level != HISTO_LOG_INFO)
    fprintf (stderr, "%s\n", message);
}

static void
require (bool condition, const char *what)
{
  if (condition)
    return;
  fprintf (stderr, "failed: %s\n", what);
  exit (1);
}

static double
now_us (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int
compare_double (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* A layout, by its size and the number of its planes. */
struct layout {
  const char *name;
  uint32_t width, height;
  bool is_nv12;
};

static size_t
layout_bytes (const struct layout *layout)
{
  return (size_t)layout->width * layout->height * (layout->is_nv12 ? 3 : 2) / 2;
}

static struct histo_frame
describe (const struct layout *layout, enum histo_memory memory, const uint8_t *base, size_t number)
{
  size_t bytes = layout_bytes (layout), luma = (size_t)layout->width * layout->height;
  const uint8_t *data = base + number % (ROTATION_BYTES / bytes) * bytes;
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
  return frame;
}

/* Compares what was counted of a frame with the reference backend on the same samples in host memory. */
static void
check_stats (const struct layout *layout, size_t number, const struct histo_stats *stats)
{
  struct histo_frame frame = describe (layout, HISTO_MEMORY_HOST, pageable, number);
  struct histo_engine *reference = NULL;
  struct histo_stats expected = { 0 };
  histo_ticket ticket;

  require (histo_open (&(struct histo_config){ .backend = HISTO_BACKEND_REFERENCE }, &reference) == HISTO_OK, "reference");
  require (histo_submit (reference, &frame, &ticket) == HISTO_OK, "reference");
  require (histo_collect (reference, ticket, &expected) == HISTO_OK, "reference");
  for (unsigned c = 0; c < expected.component_count; c++)
    require (stats->components[c].sum_of_squares == expected.components[c].sum_of_squares
                 && memcmp (stats->components[c].histogram, expected.components[c].histogram, HISTO_BINS * 8) == 0,
             "the numbers are the reference's");
  histo_stats_clear (&expected);
  histo_close (&reference);
}

static void
bench_latency (const struct layout *layout)
{
  enum { FRAMES = 10000 };
  static double times[FRAMES];
  struct histo_stats stats = { 0 };
  histo_ticket ticket;

  for (size_t i = 0; i < FRAMES; i++) {
    struct histo_frame frame = describe (layout, HISTO_MEMORY_DEVICE, (const uint8_t *)(uintptr_t)device_memory, i);
    double start = now_us ();

    require (histo_submit (engine, &frame, &ticket) == HISTO_OK, "submit");
    require (histo_collect (engine, ticket, &stats) == HISTO_OK, "collect");
    times[i] = now_us () - start;
    if (i % 1000 == 0)
      check_stats (layout, i, &stats);
  }
  qsort (times, FRAMES, sizeof *times, compare_double);
  printf ("  %-12s submit to collect: median %6.1f us, 99th percentile %6.1f us\n", layout->name, times[FRAMES / 2],
          times[FRAMES * 99 / 100]);
  histo_stats_clear (&stats);
}

/* Frames a second with as many in flight as the engine takes. */
static double
bench_throughput (const struct layout *layout, enum histo_memory memory, const uint8_t *base, size_t frames)
{
  struct histo_stats stats = { 0 };
  histo_ticket ticket = 0, oldest = 0;
  double start = 0;

  for (size_t i = 0; i < frames + 64; i++) {
    struct histo_frame frame = describe (layout, memory, base, i);

    if (i == 64)
      start = now_us ();
    if (i >= config.max_in_flight)
      require (histo_collect (engine, oldest++, &stats) == HISTO_OK, "collect");
    require (histo_submit (engine, &frame, &ticket) == HISTO_OK, "submit");
    if (oldest == 0)
      oldest = ticket;
  }
  while (oldest <= ticket)
    require (histo_collect (engine, oldest++, &stats) == HISTO_OK, "collect");
  start = now_us () - start;
  check_stats (layout, frames + 63, &stats);
  histo_stats_clear (&stats);
  return (double)frames / start * 1e6;
}

/* GB/s of plain copies of `bytes` from `base`, one after another on one stream. */
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

int
main (void)
{
  static const struct layout layouts[] = { { "1080p luma", 1920, 1080, false },
                                           { "1080p NV12", 1920, 1080, true },
                                           { "4K luma", 3840, 2160, false },
                                           { "4K NV12", 3840, 2160, true } };
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
  printf ("frames in device memory, one thread\n");
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    bench_latency (&layouts[i]);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    double rate = bench_throughput (&layouts[i], HISTO_MEMORY_DEVICE, (const uint8_t *)(uintptr_t)device_memory, 20000);

    printf ("  %-12s %8.0f frames/s, %7.1f GB/s\n", layouts[i].name, rate, rate * (double)layout_bytes (&layouts[i]) / 1e9);
  }

  printf ("\nframes in host memory, one thread; beside plain copies of the same bytes\n");
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    size_t bytes = layout_bytes (&layouts[i]);
    double limits[] = { measure_copies (pinned, bytes, 1000), measure_copies (pageable, bytes, 200) };
    double rates[] = { bench_throughput (&layouts[i], HISTO_MEMORY_HOST, pinned, 2000),
                       bench_throughput (&layouts[i], HISTO_MEMORY_HOST, pageable, 400) };

    for (unsigned kind = 0; kind < 2; kind++)
      printf ("  %-12s %-9s %8.0f frames/s, %5.1f GB/s; copies %5.1f GB/s: %.2f of it\n", layouts[i].name,
              kind == 0 ? "pinned" : "pageable", rates[kind], rates[kind] * (double)bytes / 1e9, limits[kind],
              rates[kind] * (double)bytes / 1e9 / limits[kind]);
  }

  histo_close (&engine);
  driver.cuMemFree (device_memory);
  driver.cuMemFreeHost (pinned);
  free (pageable);
  driver.cuDevicePrimaryCtxRelease (device);
  return 0;
}
