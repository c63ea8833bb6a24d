/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cost of the statistics of a picture on a GPU. For NV12 in device memory: each statistic, signalstats, and those of a
 * scope. For P010: the basic ones and light. For GRAY16 with film and with noise (noise16): the basic ones. For RGBx and GBR10:
 * the basic ones, luma, and luma with chroma. Deep samples have a bin for each value. On the device, the time from an event
 * before the engine's launches to an event after them, with the numbers in host memory. Through the public header, the time
 * from submit to collect, one frame at a time, and the frames per second with many in flight and in submissions of 64. First
 * compares the numbers with the reference's. Exits with 77 without a GPU.
 *
 *   bench_picture [NAME ...]   all sets of all frames, or only the sets or frames with these names */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cudahisto/histo.h>

#include "cuda/host/launch/launch.h"
#include "derived.h"
#include "engines.h"
#include "frames.h"
#include "require.h"
#include "statistic_table.h"
#include "stats.h"
#include "timing.h"

#define FRAMES 72 /* different frames: with 1080p, twice the L2 cache of any present GPU */
#define BATCH 64

#define PICTURE (HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS | HISTO_STATISTIC_OUT_OF_RANGE)
#define COLOURS (HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE)

static const struct set {
  const char *name;
  uint32_t statistics;
  uint32_t waveform_columns;
  unsigned derived; /* components: luma, and chroma */
} sets[] = {
  { "basic", 0, 0, 0 },
  { "dot product", HISTO_STATISTIC_DOT, 0, 0 },
  { "difference", HISTO_STATISTIC_DIFFERENCE, 0, 0 },
  { "saturation", HISTO_STATISTIC_SATURATION, 0, 0 },
  { "hue", HISTO_STATISTIC_HUE, 0, 0 },
  { "outliers", HISTO_STATISTIC_OUTLIERS, 0, 0 },
  { "repeats", HISTO_STATISTIC_REPEATS, 0, 0 },
  { "out of range", HISTO_STATISTIC_OUT_OF_RANGE, 0, 0 },
  { "gamut", HISTO_STATISTIC_GAMUT, 0, 0 },
  { "signalstats", HISTO_STATISTIC_DIFFERENCE | PICTURE | COLOURS, 0, 0 },
  { "with gamut", HISTO_STATISTIC_DIFFERENCE | PICTURE | COLOURS | HISTO_STATISTIC_GAMUT, 0, 0 },
  { "waveform 256", HISTO_STATISTIC_WAVEFORM, 256, 0 },
  { "waveform 1920", HISTO_STATISTIC_WAVEFORM, 1920, 0 },
  { "vectorscope", HISTO_STATISTIC_VECTORSCOPE, 0, 0 },
  { "light", HISTO_STATISTIC_LIGHT, 0, 0 },
  { "scope", HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE, 256, 0 },
  { "luma", 0, 0, 1 },
  { "luma, chroma", 0, 0, 3 },
};
#define SETS (sizeof sets / sizeof *sets)

enum layout { NV12, P010, GRAY16, NOISE16, RGBX, GBR10 }; /* NOISE16: GRAY16 with random samples */

struct size {
  const char *name;
  uint32_t width, height;
  enum layout layout;
};
static const struct size sizes[] = {
  { "1080p NV12", 1920, 1080, NV12 },       { "4K NV12", 3840, 2160, NV12 },        { "1080p P010", 1920, 1080, P010 },
  { "4K P010", 3840, 2160, P010 },          { "1080p GRAY16", 1920, 1080, GRAY16 }, { "4K GRAY16", 3840, 2160, GRAY16 },
  { "1080p noise16", 1920, 1080, NOISE16 }, { "4K noise16", 3840, 2160, NOISE16 },  { "1080p RGBx", 1920, 1080, RGBX },
  { "4K RGBx", 3840, 2160, RGBX },          { "1080p GBR10", 1920, 1080, GBR10 },   { "4K GBR10", 3840, 2160, GBR10 },
};

static struct histo_engine *engine;
static struct histo_cuda_driver driver;
static CUdevice device;
static __typeof__ (&cuEventElapsedTime) elapsed_time; /* the engine does not use it */
static CUdeviceptr device_memory;
static uint8_t *host_memory;

static bool
is_gray (const struct size *size)
{
  return size->layout == GRAY16 || size->layout == NOISE16;
}

static bool
is_deep (const struct size *size)
{
  return is_gray (size) || size->layout == P010 || size->layout == GBR10;
}

static size_t
row_bytes (const struct size *size)
{
  return (size_t)size->width * (size->layout == NV12 ? 1 : size->layout == RGBX ? 4 : 2);
}

static bool
has_chroma (const struct size *size)
{
  return size->layout == NV12 || size->layout == P010;
}

/* Rows of all planes. */
static uint32_t
count_rows (const struct size *size)
{
  return size->layout == GBR10 ? 3 * size->height : size->height * (has_chroma (size) ? 3 : 2) / 2;
}

static size_t
size_bytes (const struct size *size)
{
  return row_bytes (size) * count_rows (size);
}

static bool
is_for_size (const struct set *set, const struct size *size)
{
  if (set->derived > 0)
    return size->layout == RGBX || size->layout == GBR10;
  return size->layout == NV12 || set->statistics == 0 || (set->statistics == HISTO_STATISTIC_LIGHT && size->layout == P010);
}

static bool
needs_operand (const struct set *set)
{
  return set->statistics & HISTO_STATISTICS_OPERAND;
}

static struct histo_component
describe_component (const struct size *size, unsigned c)
{
  const uint8_t bytes = is_deep (size) ? 2 : 1;
  const bool is_chroma = has_chroma (size) && c > 0;

  return (struct histo_component){
    .plane = size->layout == GBR10 ? c : is_chroma,
    .offset_bytes = size->layout == RGBX  ? c
                    : is_chroma && c == 2 ? bytes
                                          : 0,
    .step_bytes = size->layout == RGBX ? 4
                  : is_chroma          ? 2u * bytes
                                       : bytes,
    .width = is_chroma ? size->width / 2 : size->width,
    .sample_bytes = bytes,
    .depth = is_gray (size)   ? 16
             : is_deep (size) ? 10
                              : 8,
    .shift = size->layout == P010 ? 6 : 0,
    .bins = is_gray (size)   ? 65536
            : is_deep (size) ? 1024
                             : HISTO_BINS,
  };
}

static struct histo_frame
describe (const struct size *size, enum histo_memory memory, size_t number, const struct set *set)
{
  const uint8_t *base = memory == HISTO_MEMORY_DEVICE ? (const uint8_t *)(uintptr_t)device_memory : host_memory;
  const uint8_t *data = base + number % FRAMES * size_bytes (size);

  const size_t row = row_bytes (size);
  const uint8_t bits = is_deep (size) ? 10 : 8;
  struct histo_frame frame = {
    .memory = memory,
    .plane_count = size->layout == GBR10 ? 3
                   : has_chroma (size)   ? 2
                                         : 1,
    .component_count = is_gray (size) ? 1 : 3,
    .derived_count = set ? set->derived : 0,
    .planes = { { data, row, size->height },
                { data + row * size->height, row, has_chroma (size) ? size->height / 2 : size->height },
                { data + 2 * row * size->height, row, size->height } },
    .components = { describe_component (size, 0), describe_component (size, 1), describe_component (size, 2) },
    .statistics = set ? set->statistics : 0,
    .waveform_columns = set ? set->waveform_columns : 0,
    .chroma = { .shift_x = has_chroma (size), .shift_y = has_chroma (size) },
  };

  histo_find_matrix (&frame.matrix, 0.2126, 0.0722, true, bits);
  histo_find_gamut (&frame.gamut, 0.2126, 0.0722, false, bits);
  histo_find_light (&frame.light, 0.2627, 0.0593, false, bits);
  return frame;
}

/* Makes frames that resemble film: slow ramps, some noise, coloured areas. Every eighth frame is noise. */
static void
fill (const struct size *size)
{
  uint32_t state = 1;

  for (size_t number = 0; number < FRAMES; number++) {
    uint8_t *frame = host_memory + number * size_bytes (size);

    for (uint32_t y = 0; y < count_rows (size); y++)
      for (uint32_t x = 0; x < row_bytes (size) / (is_deep (size) ? 2 : 1); x++) {
        const bool is_luma = y < size->height || !has_chroma (size);
        const uint32_t ramp
            = is_luma ? (x / 12 + y / 8 + (uint32_t)number) % 220 + 16 : 96 + (x % 2 * 40) + (y / 32 + x / 64) % 24;
        uint8_t *row = frame + y * row_bytes (size);

        state = state * 1664525 + 1013904223;
        if (size->layout == NOISE16)
          ((uint16_t *)(void *)row)[x] = (uint16_t)(state >> 16);
        else if (size->layout == GRAY16)
          ((uint16_t *)(void *)row)[x] = (uint16_t)(number % 8 == 7 ? state >> 16 : 256 * ramp + (state >> 22));
        else if (size->layout == P010)
          ((uint16_t *)(void *)row)[x] = (uint16_t)((number % 8 == 7 ? state >> 22 : 4 * ramp + (state >> 28)) << 6);
        else if (size->layout == GBR10)
          ((uint16_t *)(void *)row)[x] = (uint16_t)(number % 8 == 7 ? state >> 22 : 4 * ramp + (state >> 28));
        else
          row[x] = (uint8_t)(number % 8 == 7 ? state >> 24 : ramp + (state >> 30));
      }
  }
}

static void
collect (histo_ticket ticket, struct histo_stats *stats)
{
  require (histo_collect (engine, ticket, stats) == HISTO_OK, "collect");
}

/* Compares frames 7, noise, and 8, film, with the reference. */
static void
check (const struct size *size, const struct set *set)
{
  struct histo_engine *reference = NULL;
  struct histo_stats ours = { 0 }, theirs = { 0 };
  const char *difference;

  require (histo_open (&(struct histo_config){ .backend = HISTO_BACKEND_REFERENCE }, &reference) == HISTO_OK, "reference");
  for (size_t i = 7; i < 9; i++) {
    struct histo_frame operand = describe (size, HISTO_MEMORY_DEVICE, i - 1, set);
    struct histo_frame frame = describe (size, HISTO_MEMORY_DEVICE, i, set);

    frame.operand = needs_operand (set) ? &operand : NULL;
    require (test_engine_count (engine, &frame, &ours) == HISTO_OK, "counting");
    operand = describe (size, HISTO_MEMORY_HOST, i - 1, set);
    frame = describe (size, HISTO_MEMORY_HOST, i, set);
    frame.operand = needs_operand (set) ? &operand : NULL;
    require (test_engine_count (reference, &frame, &theirs) == HISTO_OK, "reference");
    difference = test_stats_difference (&theirs, &ours);
    require (difference == NULL, difference);
  }
  histo_stats_clear (&ours);
  histo_stats_clear (&theirs);
  histo_close (&reference);
}

/* Checks that the numbers of a slot are in host memory. */
static void
check_numbers (struct histo_cuda_launcher *launcher, unsigned slot, const struct size *size, const struct histo_frame *frame)
{
  struct histo_stats stats = { 0 };
  uint64_t count = 0;

  require (histo_cuda_is_published (launcher, slot, true) && histo_stats_prepare (&stats, frame) == HISTO_OK, "numbers");
  histo_cuda_read (launcher, slot, &stats);
  for (unsigned bin = 0; bin < stats.components[0].bins; bin++)
    count += stats.components[0].histogram[bin];
  require (count == (uint64_t)size->width * size->height, "each sample is in the histogram");
  histo_stats_clear (&stats);
}

/* Returns the median of a frame's time on the device, in microseconds, measured as in ladder.cu: an event, the frame's
 * launches, and another event, on an idle stream. */
static double
measure_device (const struct size *size, const struct set *set)
{
  enum { TIMES = 501, SLOTS = 8 };
  static double times[TIMES];
  struct histo_cuda_launcher *launcher = NULL;
  const struct histo_cuda_tuning *tuning;
  CUstream stream;
  CUevent begin, end;

  require (driver.cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS
               && driver.cuEventCreate (&begin, CU_EVENT_DEFAULT) == CUDA_SUCCESS
               && driver.cuEventCreate (&end, CU_EVENT_DEFAULT) == CUDA_SUCCESS
               && histo_cuda_read_tuning (&driver, device, &tuning) == HISTO_OK
               && histo_cuda_launcher_open (&driver, device, tuning, stream, SLOTS, &launcher) == HISTO_OK,
           "launcher");
  for (unsigned i = 0; i < TIMES; i++) {
    struct histo_frame operand = describe (size, HISTO_MEMORY_DEVICE, i, set);
    struct histo_frame frame = describe (size, HISTO_MEMORY_DEVICE, i + 1, set);
    float milliseconds = 0;

    histo_add_derived (&operand);
    histo_add_derived (&frame);
    frame.operand = needs_operand (set) ? &operand : NULL;
    require (histo_cuda_prepare (launcher, i % SLOTS, &frame, 1, NULL) == HISTO_OK, "prepare");
    require (driver.cuEventRecord (begin, stream) == CUDA_SUCCESS && histo_cuda_launch (launcher, i % SLOTS, stream) == HISTO_OK
                 && driver.cuEventRecord (end, stream) == CUDA_SUCCESS && driver.cuEventSynchronize (end) == CUDA_SUCCESS
                 && elapsed_time (&milliseconds, begin, end) == CUDA_SUCCESS,
             "launch");
    check_numbers (launcher, i % SLOTS, size, &frame);
    times[i] = milliseconds * 1e3;
  }
  histo_cuda_launcher_close (launcher);
  driver.cuEventDestroy (begin);
  driver.cuEventDestroy (end);
  driver.cuStreamDestroy (stream);
  return median (times, TIMES);
}

struct latency {
  double median_us, percentile_99_us;
};

static struct latency
measure_latency (const struct size *size, const struct set *set)
{
  enum { TIMES = 3000 };
  static double times[TIMES];
  struct histo_stats stats = { 0 };

  for (size_t i = 0; i < TIMES; i++) {
    struct histo_frame operand = describe (size, HISTO_MEMORY_DEVICE, i, set);
    struct histo_frame frame = describe (size, HISTO_MEMORY_DEVICE, i + 1, set);
    const double start = seconds_now ();

    frame.operand = needs_operand (set) ? &operand : NULL;
    require (test_engine_count (engine, &frame, &stats) == HISTO_OK, "counting");
    times[i] = (seconds_now () - start) * 1e6;
  }
  histo_stats_clear (&stats);
  sort_times (times, TIMES);
  return (struct latency){ times[TIMES / 2], times[TIMES * 99 / 100] };
}

/* Returns the frames per second, in submissions of `per_submission` frames: two in flight or, for single frames, BATCH. */
static double
measure_rate (const struct size *size, const struct set *set, unsigned per_submission)
{
  const size_t in_flight = per_submission > 1 ? 2 : BATCH, submissions = per_submission > 1 ? 60 : 6000;
  struct histo_frame operands[BATCH], frames[BATCH];
  struct histo_stats stats = { 0 };
  histo_ticket first = 0, oldest = 0;
  double start = 0;

  for (size_t i = 0; i < submissions + in_flight; i++) {
    if (i == in_flight)
      start = seconds_now ();
    for (unsigned f = 0; f < per_submission; f++) {
      operands[f] = describe (size, HISTO_MEMORY_DEVICE, i * per_submission + f, set);
      frames[f] = describe (size, HISTO_MEMORY_DEVICE, i * per_submission + f + 1, set);
      frames[f].operand = needs_operand (set) ? &operands[f] : NULL;
    }
    for (unsigned f = 0; i >= in_flight && f < per_submission; f++)
      collect (oldest++, &stats);
    require (histo_submit_many (engine, frames, per_submission, &first) == HISTO_OK, "submit");
    if (i == 0)
      oldest = first;
  }
  for (size_t f = 0; f < in_flight * per_submission; f++)
    collect (oldest++, &stats);
  start = seconds_now () - start;
  histo_stats_clear (&stats);
  return (double)(submissions * per_submission) / start;
}

static bool
is_named (const char *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], name) == 0)
      return true;
  return false;
}

static bool
is_requested (const struct size *size, const struct set *set, int argc, char **argv)
{
  bool names_set = false, names_size = false;

  for (size_t i = 0; i < SETS; i++)
    names_set |= is_named (sets[i].name, argc, argv);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    names_size |= is_named (sizes[i].name, argc, argv);
  return (!names_set || is_named (set->name, argc, argv)) && (!names_size || is_named (size->name, argc, argv));
}

int
main (int argc, char **argv)
{
  const struct histo_config config
      = { .backend = HISTO_BACKEND_CUDA, .cuda_device = -1, .max_in_flight = 2 * BATCH, .log = print_log };
  CUcontext context = NULL;

  if (histo_open (&config, &engine) != HISTO_OK) {
    printf ("SKIP: no GPU\n");
    return 77;
  }
  require (histo_cuda_driver_load (&config, &driver) == HISTO_OK, "driver");
  require (driver.cuDeviceGet (&device, 0) == CUDA_SUCCESS && driver.cuDevicePrimaryCtxRetain (&context, device) == CUDA_SUCCESS
               && driver.cuCtxPushCurrent (context) == CUDA_SUCCESS,
           "the device");
  *(void **)&elapsed_time = dlsym (driver.library, "cuEventElapsedTime");
  require (elapsed_time != NULL, "cuEventElapsedTime");
  printf ("statistics of a picture on %s, frames in device memory\n", histo_engine_info (engine)->device_name);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const size_t bytes = FRAMES * size_bytes (&sizes[s]);

    host_memory = malloc (bytes);
    require (host_memory && driver.cuMemAlloc (&device_memory, bytes) == CUDA_SUCCESS, "memory");
    fill (&sizes[s]);
    require (driver.cuMemcpyHtoDAsync (device_memory, host_memory, bytes, NULL) == CUDA_SUCCESS
                 && driver.cuStreamSynchronize (NULL) == CUDA_SUCCESS,
             "copy");
    for (size_t i = 0; i < SETS; i++) {
      struct latency latency;
      double on_device, alone, many;

      if (!is_for_size (&sets[i], &sizes[s]) || !is_requested (&sizes[s], &sets[i], argc, argv))
        continue;
      if (s % 2 == 0)
        check (&sizes[s], &sets[i]);
      on_device = measure_device (&sizes[s], &sets[i]);
      latency = measure_latency (&sizes[s], &sets[i]);
      alone = measure_rate (&sizes[s], &sets[i], 1);
      many = measure_rate (&sizes[s], &sets[i], BATCH);
      printf ("  %-10s %-13s on the device: median %6.1f us; submit to collect: median %6.1f us, 99th percentile %6.1f us; "
              "%8.0f frames/s; by 64 %8.0f frames/s\n",
              sizes[s].name, sets[i].name, on_device, latency.median_us, latency.percentile_99_us, alone, many);
      fflush (stdout);
    }
    driver.cuMemFree (device_memory);
    free (host_memory);
  }
  histo_close (&engine);
  return 0;
}
