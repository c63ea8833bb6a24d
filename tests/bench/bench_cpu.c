/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench_cpu [ROUNDS]: the CPU backend against plain loops, one worker thread against many, and its reductions against reading.
 *
 * Both sides of a comparison are measured alternately: each round times one and then the other. Figures and ratios are medians
 * of the rounds. Every result is first compared with that of the reference backend or of plain loops. Exit status 1: a number
 * differs, or the engine failed.
 *
 * 1. One worker thread and a plain loop, for several formats and contents, on the same FRAMES_PER_ROUND frames of 1920x1080,
 * which fit into the last-level cache. Time is the processor time of all threads, to exclude other work of the machine. The
 * engine counts with histo_submit and histo_collect, with all frames of the round in flight. The plain loop makes only the
 * histogram, without sums and dot product.
 * 2. Increasing numbers of worker threads, on SCALING_FRAMES frames: histograms and sums of RGBA, and signalstats of NV12 with
 * the previous frame as operand. Prints the speed per thread, divided by that of one thread. Time is clock time.
 * 3. Each statistic on one worker thread, compared with the histogram and the sums alone: frames per second, and additional
 * microseconds per frame. Time is processor time.
 * 4. The engine's reductions without a histogram, and the histogram of flat bytes, whose loop is equally fast, on STREAM_BYTES
 * of memory: bytes per second, compared with a loop that only reads, with the same prefetch distance. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cudahisto/histo.h>

#include "cpu/histogram.h"
#include "cpu/isa.h"
#include "cpu/reduce.h"
#include "cpu/word.h"
#include "engines.h"
#include "frames.h"
#include "timing.h"

#define WIDTH 1920
#define HEIGHT 1080
#define FRAMES_PER_ROUND 4
#define MAX_ROUNDS 1000
#define MAX_BYTES ((size_t)WIDTH * HEIGHT * 4)
#define SCALING_FRAMES 32
#define SCALING_BYTES ((size_t)64 << 20) /* memory of the frames, which are counted repeatedly */
#define MAX_SCALES 12
#define STREAM_BYTES ((size_t)512 << 20) /* larger than any cache */
#define STREAM_ROUNDS 5
#define BLOCK_BYTES 8064 /* the engine counts and reduces them together */
#define FLAT_VALUE 16

/* The statistics of the set, besides histograms and sums. */
#define SIGNALSTATS                                                                                             \
  (HISTO_STATISTIC_DIFFERENCE | HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS | HISTO_STATISTIC_SATURATION \
   | HISTO_STATISTIC_HUE | HISTO_STATISTIC_OUT_OF_RANGE)

static uint64_t random_state;

static uint32_t
bench_random (void)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33);
}

/* ---- contents ---- */

static const struct {
  const char *name;
  bool is_noisy; /* the bits below the upper 8 are random; otherwise zero */
} contents[] = {
  { "random", true },       { "constant", false },       { "two values", false },       { "ramp and noise", true },
  { "alternating", false }, { "multiples of 32", true }, { "interrupted runs", false },
};

/* Returns the byte at column x of row y of a plane. */
static uint8_t
make_byte (unsigned content, size_t x, size_t y)
{
  switch (content) {
  case 0:
    return (uint8_t)bench_random ();
  case 1:
    return 16;
  case 2:
    return bench_random () & 1 ? 235 : 16;
  case 3:
    return (uint8_t)(16 + x / 16 + y / 12 + (bench_random () & 3) + (bench_random () & 3));
  case 4:
    return x & 1 ? 200 : 50;
  case 5:
    return (uint8_t)(bench_random () * 32);
  default: /* flat runs with occasional random bytes, so that equal and unequal groups alternate irregularly */
    return bench_random () % 90 ? (uint8_t)(y / 8) : (uint8_t)bench_random ();
  }
}

enum { RAMP_AND_NOISE = 3 }; /* index of contents */

/* ---- formats ---- */

struct layout {
  const char *name;
  const char *test_layout; /* its planes and components */
  bool has_operand;
  unsigned depth, shift, bins; /* of all components, for samples of two bytes; 0: samples of one byte */
};

static const struct layout layouts[] = {
  { "luma", "GRAY8", false, 0, 0, 0 },
  { "luma, dot", "GRAY8", true, 0, 0, 0 },
  { "I420", "I420", false, 0, 0, 0 },
  { "NV12", "NV12", false, 0, 0, 0 },
  { "RGB", "RGB", false, 0, 0, 0 },
  { "RGBA", "RGBA", false, 0, 0, 0 },
  { "RGBA, dot", "RGBA", true, 0, 0, 0 },
  { "16/256", "GRAY8", false, 16, 0, 256 },
  { "10/256", "GRAY8", false, 10, 0, 256 },
  { "10/1024", "GRAY8", false, 10, 0, 1024 },
  { "12/4096", "GRAY8", false, 12, 0, 4096 },
  { "16/256,dot", "GRAY8", true, 16, 0, 256 },
  { "10/1024,dot", "GRAY8", true, 10, 0, 1024 },
  { "P010/1024", "NV12", false, 10, 6, 1024 },
};

/* Describes the samples at `data`, plane after plane. Returns their size in bytes. */
static size_t
describe_frame (const struct layout *layout, const uint8_t *data, struct histo_frame *frame)
{
  const struct test_layout *planes = test_layout_find (layout->test_layout);
  const size_t sample_bytes = layout->depth > 0 ? 2 : 1;
  size_t begin = 0;

  *frame = (struct histo_frame){ .plane_count = planes->plane_count,
                                 .component_count = planes->component_count,
                                 .statistics = HISTO_STATISTIC_DOT };
  for (unsigned c = 0; c < planes->component_count; c++) {
    const size_t step_bytes = planes->components[c].step_bytes * sample_bytes;
    const uint64_t width = WIDTH >> planes->components[c].width_shift;

    frame->components[c] = (struct histo_component){
      .plane = planes->components[c].plane,
      .offset_bytes = planes->components[c].offset_bytes * sample_bytes,
      .step_bytes = step_bytes,
      .width = width,
      .sample_bytes = (unsigned)sample_bytes,
      .depth = layout->depth > 0 ? layout->depth : 8,
      .shift = layout->shift,
      .bins = layout->bins,
    };
    frame->planes[planes->components[c].plane].stride_bytes = width * step_bytes;
  }
  for (unsigned p = 0; p < planes->plane_count; p++) {
    frame->planes[p].data = data + begin;
    frame->planes[p].height = HEIGHT >> planes->height_shift[p];
    begin += frame->planes[p].stride_bytes * frame->planes[p].height;
  }
  return begin;
}

/* ---- the plain loop and the engine ---- */

/* The same for samples of two bytes in the processor's byte order. */
static void
count_deep_plainly (const struct histo_component *component, const struct histo_plane *plane, uint32_t *histogram)
{
  const uint8_t *samples = (const uint8_t *)plane->data + component->offset_bytes;
  const size_t count = (size_t)component->width * plane->height;
  const size_t step_bytes = component->step_bytes;
  const unsigned dropped = component->bins == HISTO_BINS ? component->depth - 8 : 0;
  const unsigned shift = component->shift + dropped, mask = (1u << (component->depth - dropped)) - 1;

#pragma GCC unroll 8
  for (size_t i = 0; i < count; i++) {
    uint16_t word;

    memcpy (&word, samples + i * step_bytes, sizeof (word));
    histogram[(unsigned)word >> shift & mask]++;
  }
}

/* Unrolled: otherwise the figure depends on the alignment of the loop, which the compiler chooses arbitrarily. */
static void
count_plainly (const struct histo_frame *frame, uint32_t histograms[HISTO_MAX_COMPONENTS][HISTO_MAX_BINS])
{
  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    const struct histo_plane *plane = &frame->planes[component->plane];
    const uint8_t *samples = (const uint8_t *)plane->data + component->offset_bytes;
    const size_t count = (size_t)component->width * plane->height;
    const size_t step_bytes = component->step_bytes;
    uint32_t *histogram = histograms[c];

    if (component->sample_bytes == 2) {
      count_deep_plainly (component, plane, histogram);
    } else if (step_bytes == 1) {
#pragma GCC unroll 8
      for (size_t i = 0; i < count; i++)
        histogram[samples[i]]++;
    } else {
#pragma GCC unroll 8
      for (size_t i = 0; i < count; i++)
        histogram[samples[i * step_bytes]]++;
    }
  }
}

static bool
count_by_engine (struct histo_engine *engine, const struct histo_frame *frame, struct histo_stats *stats)
{
  histo_ticket tickets[FRAMES_PER_ROUND];
  enum histo_status status = HISTO_OK;

  for (unsigned i = 0; i < FRAMES_PER_ROUND && !status; i++)
    status = histo_submit (engine, frame, &tickets[i]);
  for (unsigned i = 0; i < FRAMES_PER_ROUND && !status; i++)
    status = histo_collect (engine, tickets[i], stats);
  if (status)
    fprintf (stderr, "bench_cpu: %s\n", histo_status_text (status));
  return !status;
}

/* ---- measuring ---- */

static bool
check_results (struct histo_engine *engine, struct histo_engine *reference, const struct histo_frame *frame)
{
  struct histo_stats ours = { 0 }, theirs = { 0 };
  const bool same = count_by_engine (engine, frame, &ours) && !test_engine_count (reference, frame, &theirs)
                    && !test_stats_difference (&theirs, &ours);

  histo_stats_clear (&ours);
  histo_stats_clear (&theirs);
  return same;
}

/* Each component has the content that it would have alone: constant content stays constant when it is interleaved. */
static void
fill_frame (const struct histo_frame *frame, unsigned content, uint8_t *data)
{
  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    const struct histo_plane *plane = &frame->planes[component->plane];
    uint8_t *first = data + ((const uint8_t *)plane->data - data) + component->offset_bytes;

    for (size_t y = 0; y < plane->height; y++)
      for (size_t x = 0; x < component->width; x++) {
        const uint8_t value = (uint8_t)(make_byte (content, x, y) + 40 * c);
        uint8_t *sample = first + y * plane->stride_bytes + x * component->step_bytes;
        uint16_t word;

        if (component->sample_bytes == 1) {
          *sample = value;
          continue;
        }
        word = (uint16_t)(value << (component->depth - 8));
        if (contents[content].is_noisy)
          word |= bench_random () & ((1u << (component->depth - 8)) - 1);
        word = (uint16_t)(word << component->shift);
        memcpy (sample, &word, sizeof (word));
      }
  }
}

/* Prints one line. Returns false if a number is wrong. */
static bool
bench_line (struct histo_engine *engine, struct histo_engine *reference, const struct layout *layout, unsigned content,
            uint8_t *data, uint8_t *operand_data, unsigned rounds)
{
  static double plain_seconds[MAX_ROUNDS], engine_seconds[MAX_ROUNDS], ratios[MAX_ROUNDS];
  static uint32_t histograms[HISTO_MAX_COMPONENTS][HISTO_MAX_BINS];
  struct histo_stats stats = { 0 };
  struct histo_frame frame, operand;
  const size_t bytes = describe_frame (layout, data, &frame);
  const double gigabytes = (double)bytes * FRAMES_PER_ROUND * 1e-9;
  double plain, ours;

  fill_frame (&frame, content, data);
  if (layout->has_operand) {
    memcpy (operand_data, data, bytes);
    describe_frame (layout, operand_data, &operand);
    frame.operand = &operand;
  }

  if (!check_results (engine, reference, &frame)) {
    fprintf (stderr, "bench_cpu: %s, %s: the numbers differ from the reference\n", layout->name, contents[content].name);
    return false;
  }

  for (unsigned r = 0; r < rounds; r++) {
    const double begin = cpu_seconds_now ();
    double middle;

    for (unsigned i = 0; i < FRAMES_PER_ROUND; i++)
      count_plainly (&frame, histograms);
    middle = cpu_seconds_now ();
    if (!count_by_engine (engine, &frame, &stats))
      return false;
    plain_seconds[r] = middle - begin;
    engine_seconds[r] = cpu_seconds_now () - middle;
    ratios[r] = plain_seconds[r] / engine_seconds[r];
  }
  histo_stats_clear (&stats);

  plain = median (plain_seconds, rounds);
  ours = median (engine_seconds, rounds);
  printf ("%-11s %-17s %9.2f %9.2f %8.2f\n", layout->name, contents[content].name, gigabytes / plain, gigabytes / ours,
          median (ratios, rounds));
  fflush (stdout);
  return true;
}

static bool
bench_formats (struct histo_engine *engine, struct histo_engine *reference, unsigned rounds)
{
  uint8_t *data = malloc (MAX_BYTES), *operand_data = malloc (MAX_BYTES);
  bool ok = data && operand_data;

  printf ("%s; frames of %dx%d, processor time, median of %u rounds of %d\n\n", histo_engine_info (engine)->device_name, WIDTH,
          HEIGHT, rounds, FRAMES_PER_ROUND);
  printf ("%-11s %-17s %9s %9s %8s\n", "format", "content", "plain", "engine", "engine");
  printf ("%-11s %-17s %9s %9s %8s\n", "", "", "GB/s", "GB/s", "/ plain");
  for (unsigned l = 0; ok && l < sizeof (layouts) / sizeof (layouts[0]); l++)
    for (unsigned c = 0; ok && c < sizeof (contents) / sizeof (contents[0]); c++)
      ok = bench_line (engine, reference, &layouts[l], c, data, operand_data, rounds);
  free (data);
  free (operand_data);
  return ok;
}

/* ---- many threads ---- */

/* Counts SCALING_FRAMES frames, with the largest number in flight. */
static bool
stream_frames (struct histo_engine *engine, const struct histo_frame *frames, unsigned frame_count, struct histo_stats *stats)
{
  const unsigned max_in_flight = histo_engine_info (engine)->max_in_flight;
  histo_ticket newest = 0, oldest = 0, ticket;

  for (unsigned n = 0; n < SCALING_FRAMES; n++) {
    if (n >= max_in_flight && histo_collect (engine, oldest++, stats))
      return false;
    if (histo_submit (engine, &frames[n % frame_count], &ticket))
      return false;
    oldest = n == 0 ? ticket : oldest;
    newest = ticket;
  }
  while (oldest <= newest)
    if (histo_collect (engine, oldest++, stats))
      return false;
  return true;
}

/* The frames that increasing numbers of threads count: frames of a layout that fill SCALING_BYTES, each the next one's
 * operand. */
struct scaling {
  const struct layout *layout;
  uint32_t statistics;
  uint8_t *data;
  struct histo_frame frames[SCALING_BYTES / ((size_t)WIDTH * HEIGHT)];
  unsigned frame_count;
  size_t frame_bytes;
  double seconds[MAX_SCALES][MAX_ROUNDS],
      shares[MAX_SCALES][MAX_ROUNDS]; /* shares: speed of each thread, divided by that of a single thread */
};

static void
fill_scaling (struct scaling *scaling)
{
  scaling->frame_bytes = describe_frame (scaling->layout, scaling->data, &scaling->frames[0]);
  scaling->frame_count = (unsigned)(SCALING_BYTES / scaling->frame_bytes);
  for (unsigned f = 0; f < scaling->frame_count; f++) {
    struct histo_frame *frame = &scaling->frames[f];
    uint8_t *data = scaling->data + f * scaling->frame_bytes;

    describe_frame (scaling->layout, data, frame);
    fill_frame (frame, RAMP_AND_NOISE, data);
    frame->statistics = scaling->statistics;
    frame->chroma = (struct histo_chroma){ .shift_x = 1, .shift_y = 1 };
    if (scaling->statistics & HISTO_STATISTIC_DIFFERENCE)
      frame->operand = &scaling->frames[f > 0 ? f - 1 : scaling->frame_count - 1];
  }
}

static bool
bench_scaling (struct histo_engine *reference, unsigned rounds)
{
  static struct scaling scalings[] = { { .layout = &layouts[5] }, { .layout = &layouts[3], .statistics = SIGNALSTATS } };
  struct scaling *basic = &scalings[0], *signalstats = &scalings[1];
  struct histo_engine *engines[MAX_SCALES] = { NULL };
  unsigned threads[MAX_SCALES], scale_count = 0, cores = 0;
  struct histo_config config = { .backend = HISTO_BACKEND_CPU, .cuda_device = -1, .max_in_flight = 8 };
  struct histo_stats stats = { 0 };
  bool ok = !histo_open (&config, &engines[0]);

  if (ok)
    cores = histo_engine_info (engines[0])->threads;
  histo_close (&engines[0]);
  for (unsigned count = 1; ok && count <= cores && scale_count < MAX_SCALES; count *= 2) {
    config.threads = threads[scale_count] = count;
    ok = !histo_open (&config, &engines[scale_count++]);
    if (count < cores && count * 2 > cores)
      count = (cores + 1) / 2;
  }
  for (struct scaling *each = basic; each <= signalstats; each++) {
    each->data = malloc (SCALING_BYTES);
    ok = ok && each->data;
    if (ok)
      fill_scaling (each);
    for (unsigned s = 0; ok && s < scale_count; s++) {
      ok = check_results (engines[s], reference, &each->frames[0]);
      if (!ok)
        fprintf (stderr, "bench_cpu: %s, %u threads: the numbers differ from the reference\n", each->layout->name, threads[s]);
    }
  }
  for (unsigned r = 0; ok && r < rounds; r++)
    for (unsigned s = 0; ok && s < scale_count; s++)
      for (struct scaling *each = basic; ok && each <= signalstats; each++) {
        const double begin = seconds_now ();

        ok = stream_frames (engines[s], each->frames, each->frame_count, &stats);
        each->seconds[s][r] = seconds_now () - begin;
        each->shares[s][r] = each->seconds[0][r] / (each->seconds[s][r] * threads[s]);
      }
  if (ok)
    printf ("\nramp and noise, %u frames in %zu MiB, clock time\n\n%7s %26s   %26s\n%7s %9s %16s   %9s %16s\n", SCALING_FRAMES,
            SCALING_BYTES >> 20, "", "RGBA", "NV12, signalstats", "threads", "GB/s", "each / one alone", "frames/s",
            "each / one alone");
  for (unsigned s = 0; ok && s < scale_count; s++)
    printf ("%7u %9.2f %16.2f   %9.0f %16.2f\n", threads[s],
            (double)basic->frame_bytes * SCALING_FRAMES * 1e-9 / median (basic->seconds[s], rounds),
            median (basic->shares[s], rounds), SCALING_FRAMES / median (signalstats->seconds[s], rounds),
            median (signalstats->shares[s], rounds));
  for (unsigned s = 0; s < MAX_SCALES; s++)
    histo_close (&engines[s]);
  for (struct scaling *each = basic; each <= signalstats; each++)
    free (each->data);
  histo_stats_clear (&stats);
  return ok;
}

/* ---- a bin for each value ---- */

/* The cost of a frame with 256 bins and with a bin for each value, on one and on two threads: counting it, adding it to a
 * window, and summarizing the window. */
enum { RESOLUTIONS = 2, MOST_THREADS = 2 };

static double
time_windows (struct histo_engine *engine, const struct histo_frame *frame, bool *ok)
{
  struct histo_stats stats = { 0 }, total = { 0 };
  struct histo_summary summary;
  histo_ticket tickets[FRAMES_PER_ROUND];
  const double begin = seconds_now ();

  for (unsigned i = 0; i < FRAMES_PER_ROUND; i++)
    *ok = *ok && !histo_submit (engine, frame, &tickets[i]);
  for (unsigned i = 0; i < FRAMES_PER_ROUND; i++) {
    *ok = *ok && !histo_collect (engine, tickets[i], &stats) && !histo_stats_add (&total, &stats);
    for (unsigned c = 0; c < total.component_count; c++)
      *ok = *ok && histo_summarize (&total.components[c], &summary);
    histo_stats_reset (&total);
  }
  histo_stats_clear (&stats);
  histo_stats_clear (&total);
  return seconds_now () - begin;
}

static bool
bench_native_line (struct histo_engine *const engines[MOST_THREADS], struct histo_engine *reference, struct layout layout,
                   unsigned content, uint8_t *data, unsigned rounds)
{
  static double seconds[MOST_THREADS][RESOLUTIONS][MAX_ROUNDS], ratios[MOST_THREADS][MAX_ROUNDS];
  struct histo_frame frames[RESOLUTIONS];
  bool ok = true;

  for (unsigned i = 0; i < RESOLUTIONS; i++) {
    layout.bins = i == 0 ? HISTO_BINS : 1u << layout.depth;
    describe_frame (&layout, data, &frames[i]);
  }
  fill_frame (&frames[0], content, data);
  for (unsigned t = 0; t < MOST_THREADS; t++)
    for (unsigned i = 0; i < RESOLUTIONS; i++)
      ok = ok && check_results (engines[t], reference, &frames[i]);
  for (unsigned r = 0; r < rounds; r++)
    for (unsigned t = 0; t < MOST_THREADS; t++) {
      for (unsigned i = 0; i < RESOLUTIONS; i++)
        seconds[t][i][r] = time_windows (engines[t], &frames[i], &ok);
      ratios[t][r] = seconds[t][1][r] / seconds[t][0][r];
    }
  if (!ok) {
    fprintf (stderr, "bench_cpu: %u bits, %s: a call failed, or the numbers differ from the reference\n", layout.depth,
             contents[content].name);
    return false;
  }
  printf ("%2u bits, %-15s", layout.depth, contents[content].name);
  for (unsigned t = 0; t < MOST_THREADS; t++)
    printf (" %9.0f %9.0f %6.2f", 1e6 * median (seconds[t][0], rounds) / FRAMES_PER_ROUND,
            1e6 * median (seconds[t][1], rounds) / FRAMES_PER_ROUND, median (ratios[t], rounds));
  printf ("\n");
  fflush (stdout);
  return true;
}

static bool
bench_native (struct histo_engine *reference, unsigned rounds)
{
  static const unsigned depths[] = { 10, 12, 16 }, shown[] = { 0, 3, 1 };
  struct histo_engine *engines[MOST_THREADS] = { NULL };
  uint8_t *data = malloc (MAX_BYTES);
  bool ok = data != NULL;

  for (unsigned t = 0; t < MOST_THREADS; t++) {
    const struct histo_config config = { .backend = HISTO_BACKEND_CPU, .cuda_device = -1, .threads = t + 1 };

    ok = ok && !histo_open (&config, &engines[t]);
  }
  if (ok)
    printf ("\na counter for each value, frames of %dx%d in 16 bits: us a frame, clock time\n\n%23s %26s %26s\n%23s %9s %9s "
            "%6s %9s %9s "
            "%6s\n",
            WIDTH, HEIGHT, "", "1 thread", "2 threads", "", "256", "native", "/ 256", "256", "native", "/ 256");
  for (unsigned d = 0; d < sizeof (depths) / sizeof (depths[0]); d++)
    for (unsigned c = 0; ok && c < sizeof (shown) / sizeof (shown[0]); c++) {
      const struct layout layout = { .test_layout = "GRAY8", .depth = depths[d] };

      ok = bench_native_line (engines, reference, layout, shown[c], data, rounds);
    }
  for (unsigned t = 0; t < MOST_THREADS; t++)
    histo_close (&engines[t]);
  free (data);
  return ok;
}

/* ---- statistics ---- */

static const struct {
  const char *name;
  uint32_t statistics;
  uint32_t waveform_columns;
  enum histo_transfer transfer;
  enum histo_light_source source;
} prices[] = {
  { "histogram, sums", 0, 0, 0, 0 },
  { "dot", HISTO_STATISTIC_DOT, 0, 0, 0 },
  { "row, column sums", HISTO_STATISTIC_PROJECTION, 0, 0, 0 },
  { "difference", HISTO_STATISTIC_DIFFERENCE, 0, 0, 0 },
  { "outliers", HISTO_STATISTIC_OUTLIERS, 0, 0, 0 },
  { "repeats", HISTO_STATISTIC_REPEATS, 0, 0, 0 },
  { "saturation", HISTO_STATISTIC_SATURATION, 0, 0, 0 },
  { "hue", HISTO_STATISTIC_HUE, 0, 0, 0 },
  { "out of range", HISTO_STATISTIC_OUT_OF_RANGE, 0, 0, 0 },
  { "gamut", HISTO_STATISTIC_GAMUT, 0, 0, 0 },
  { "all of signalstats", SIGNALSTATS, 0, 0, 0 },
  { "waveform 256", HISTO_STATISTIC_WAVEFORM, 256, 0, 0 },
  { "waveform 1920", HISTO_STATISTIC_WAVEFORM, 1920, 0, 0 },
  { "vectorscope", HISTO_STATISTIC_VECTORSCOPE, 0, 0, 0 },
  { "light", HISTO_STATISTIC_LIGHT, 0, HISTO_TRANSFER_PQ, HISTO_LIGHT_MAX_RGB },
  { "light, luminance", HISTO_STATISTIC_LIGHT, 0, HISTO_TRANSFER_PQ, HISTO_LIGHT_LUMINANCE },
  { "light of HLG", HISTO_STATISTIC_LIGHT, 0, HISTO_TRANSFER_HLG, HISTO_LIGHT_MAX_RGB },
};

enum { PRICES = sizeof (prices) / sizeof (prices[0]) };

static void
request_price (struct histo_frame *frame, unsigned price)
{
  frame->statistics = prices[price].statistics;
  frame->waveform_columns = prices[price].waveform_columns;
  frame->light.transfer = prices[price].transfer;
  frame->light.source = prices[price].source;
}

/* Makes two frames with the same content, except for its random part. One is the other's operand. */
static bool
bench_prices_of (struct histo_engine *engine, struct histo_engine *reference, const struct layout *layout, unsigned content,
                 uint8_t *data[2], unsigned rounds)
{
  static double seconds[PRICES][MAX_ROUNDS], more[MAX_ROUNDS];
  struct histo_stats stats = { 0 };
  struct histo_frame frame, operand;
  bool ok = true;

  describe_frame (layout, data[0], &frame);
  describe_frame (layout, data[1], &operand);
  fill_frame (&frame, content, data[0]);
  fill_frame (&operand, content, data[1]);
  frame.chroma = (struct histo_chroma){ .shift_x = 1, .shift_y = 1 };
  histo_find_gamut (&frame.gamut, 0.2126, 0.0722, false, frame.components[0].depth);
  histo_find_light (&frame.light, 0.2627, 0.0593, false, frame.components[0].depth);
  frame.operand = &operand;
  for (unsigned p = 0; ok && p < PRICES; p++) {
    request_price (&frame, p);
    ok = check_results (engine, reference, &frame);
    if (!ok)
      fprintf (stderr, "bench_cpu: %s, %s, %s: the numbers differ from the reference\n", layout->name, contents[content].name,
               prices[p].name);
  }
  for (unsigned r = 0; ok && r < rounds; r++)
    for (unsigned p = 0; ok && p < PRICES; p++) {
      const double begin = cpu_seconds_now ();

      request_price (&frame, p);
      ok = count_by_engine (engine, &frame, &stats);
      seconds[p][r] = (cpu_seconds_now () - begin) / FRAMES_PER_ROUND;
    }
  histo_stats_clear (&stats);
  for (unsigned p = 0; ok && p < PRICES; p++) {
    for (unsigned r = 0; r < rounds; r++)
      more[r] = seconds[p][r] - seconds[0][r];
    printf ("%-11s %-17s %-20s %9.0f %9.0f\n", layout->name, contents[content].name, prices[p].name,
            1 / median (seconds[p], rounds), 1e6 * median (more, rounds));
    fflush (stdout);
  }
  return ok;
}

static bool
bench_prices (struct histo_engine *engine, struct histo_engine *reference, unsigned rounds)
{
  static const char *const names[] = { "NV12", "P010/1024" };
  static const unsigned shown[] = { 3, 1 };
  uint8_t *data[2] = { malloc (MAX_BYTES), malloc (MAX_BYTES) };
  bool ok = data[0] && data[1];

  printf ("\nstatistics, frames of %dx%d, one thread, processor time\n\n%-11s %-17s %-20s %9s %9s\n", WIDTH, HEIGHT, "format",
          "content", "", "frames/s", "us more");
  for (unsigned l = 0; l < sizeof (layouts) / sizeof (layouts[0]); l++)
    for (unsigned n = 0; n < sizeof (names) / sizeof (names[0]); n++)
      for (unsigned c = 0; ok && !strcmp (layouts[l].name, names[n]) && c < sizeof (shown) / sizeof (shown[0]); c++)
        ok = bench_prices_of (engine, reference, &layouts[l], shown[c], data, rounds);
  free (data[0]);
  free (data[1]);
  return ok;
}

/* ---- reductions ---- */

typedef uint64_t vector __attribute__ ((vector_size (16), aligned (1)));

/* Uses results, so that the compiler omits no loop. */
static volatile uint64_t sink;

/* Reads one stream, or two together, and adds up their words of 64 bits: little more than the loads. */
static void
read_memory (const uint8_t *x, const uint8_t *y, size_t size)
{
  vector sums[4] = { { 0 } };

  for (size_t i = 0; i + sizeof (sums) <= size; i += sizeof (sums)) {
    const vector *from = (const void *)(x + i), *other = (const void *)(y + i);

    __builtin_prefetch (x + i + HISTO_PREFETCH_BYTES);
    if (x != y)
      __builtin_prefetch (y + i + HISTO_PREFETCH_BYTES);
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; k++)
      sums[k] += from[k];
    if (x == y)
      continue;
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; k++)
      sums[k] += other[k];
  }
  sums[0] += sums[1] + sums[2] + sums[3];
  sink = sums[0][0] + sums[0][1];
}

enum reduction {
  READ,
  READ_TWO,
  BYTE_SQUARES,
  BYTE_DOT,
  SUMS_15,
  DOT_15,
  SUMS_16,
  DOT_16,
  SUMS_AND_DOT_16,
  FLAT_HISTOGRAM,
  REDUCTIONS
};

static const struct {
  const char *name;
  bool reads_two;
} reductions[REDUCTIONS] = {
  { "reading one stream", false },
  { "reading two streams", true },
  { "bytes: squares", false },
  { "bytes: dot", true },
  { "up to 15 bits: sum, squares", false },
  { "up to 15 bits: dot", true },
  { "16 bits: sum, squares", false },
  { "16 bits: dot", true },
  { "16 bits: sum, squares, dot", true },
  { "flat bytes: histogram", false },
};

/* Counts with the engine's loops, or with a plain loop. */
static void
count_flat (const uint8_t *data, size_t size, bool is_plain, uint64_t results[3])
{
  static struct histo_tables tables;
  const int8_t component_at[HISTO_MAX_PERIOD] = { 0 };
  uint64_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS] = { { 0 } };

  if (is_plain) {
    histo_count_samples (histograms[0], data, 1, size);
  } else {
    for (size_t i = 0; i < size; i += BLOCK_BYTES)
      histo_tables_count (&tables, data + i, size - i < BLOCK_BYTES ? size - i : BLOCK_BYTES, 1);
    histo_tables_fold (&tables, 1, component_at, histograms);
  }
  histo_sum_bins (histograms[0], &results[0], &results[1]);
  results[2] = histograms[0][FLAT_VALUE];
}

/* The streams, of STREAM_BYTES each: random bytes and flat bytes. */
struct streams {
  uint8_t *x, *y, *flat;
};

/* `isa` NULL: uses the plain loops. */
static void
reduce (const struct histo_cpu_isa *isa, enum reduction reduction, const struct streams *streams, uint64_t results[3])
{
  const uint8_t *x = streams->x, *y = streams->y;
  const struct histo_format deep15 = { .sample_bytes = 2, .depth = 15 }, deep16 = { .sample_bytes = 2, .depth = 16 };
  const struct histo_format *format = reduction == SUMS_15 || reduction == DOT_15 ? &deep15 : &deep16;
  uint64_t sums[3][HISTO_MAX_PERIOD] = { { 0 } };

  if (reduction == FLAT_HISTOGRAM) {
    count_flat (streams->flat, STREAM_BYTES, isa == NULL, results);
    return;
  }
  if (isa == NULL)
    isa = histo_cpu_choose_isa (UINT32_MAX);
  /* Block by block, like the engine. */
  for (size_t i = 0; i < STREAM_BYTES; i += BLOCK_BYTES) {
    const size_t bytes = STREAM_BYTES - i < BLOCK_BYTES ? STREAM_BYTES - i : BLOCK_BYTES;

    if (reduction == READ || reduction == READ_TWO)
      read_memory (x + i, reduction == READ ? x + i : y + i, bytes);
    if (reduction == BYTE_SQUARES)
      isa->dot (x + i, x + i, bytes, 1, sums[1]);
    if (reduction == BYTE_DOT)
      isa->dot (x + i, y + i, bytes, 1, sums[2]);
    if (reduction == SUMS_15 || reduction == SUMS_16 || reduction == SUMS_AND_DOT_16)
      isa->deep_sums (x + i, bytes / 2, format, 1, sums[0], sums[1]);
    if (reduction == DOT_15 || reduction == DOT_16 || reduction == SUMS_AND_DOT_16)
      isa->deep_dot (x + i, y + i, bytes / 2, format, 1, sums[2]);
  }
  for (unsigned i = 0; i < 3; i++)
    results[i] = sums[i][0];
}

static bool
bench_reductions (unsigned rounds)
{
  static double seconds[REDUCTIONS][MAX_ROUNDS], shares[REDUCTIONS][MAX_ROUNDS];
  const struct histo_cpu_isa *isa = histo_cpu_choose_isa (0);
  const struct streams streams = { malloc (STREAM_BYTES), malloc (STREAM_BYTES), malloc (STREAM_BYTES) };
  bool ok = streams.x && streams.y && streams.flat;

  if (!ok)
    fprintf (stderr, "bench_cpu: not enough memory: %zu MiB\n", 3 * STREAM_BYTES >> 20);
  if (rounds > STREAM_ROUNDS)
    rounds = STREAM_ROUNDS;
  for (size_t i = 0; ok && i < STREAM_BYTES; i++) {
    streams.x[i] = (uint8_t)bench_random ();
    streams.y[i] = (uint8_t)bench_random ();
  }
  if (ok)
    memset (streams.flat, FLAT_VALUE, STREAM_BYTES);
  for (enum reduction reduction = 0; ok && reduction < REDUCTIONS; reduction++) {
    uint64_t ours[3], theirs[3];

    reduce (isa, reduction, &streams, ours);
    reduce (NULL, reduction, &streams, theirs);
    ok = !memcmp (ours, theirs, sizeof (ours));
    if (!ok)
      fprintf (stderr, "bench_cpu: %s: the numbers differ from the plain loop's\n", reductions[reduction].name);
  }
  for (unsigned r = 0; ok && r < rounds; r++)
    for (enum reduction reduction = 0; reduction < REDUCTIONS; reduction++) {
      const double begin = cpu_seconds_now ();
      uint64_t results[3];

      reduce (isa, reduction, &streams, results);
      seconds[reduction][r] = cpu_seconds_now () - begin;
      shares[reduction][r] = seconds[reductions[reduction].reads_two ? READ_TWO : READ][r] / seconds[reduction][r];
    }
  if (ok)
    printf ("\nreductions of %zu MiB, %s, one thread, processor time\n\n%-28s %9s %10s\n", STREAM_BYTES >> 20, isa->name, "",
            "GB/s", "/ reading");
  for (enum reduction reduction = 0; ok && reduction < REDUCTIONS; reduction++)
    printf ("%-28s %9.2f %10.2f\n", reductions[reduction].name,
            STREAM_BYTES * (reductions[reduction].reads_two ? 2 : 1) * 1e-9 / median (seconds[reduction], rounds),
            median (shares[reduction], rounds));
  free (streams.x);
  free (streams.y);
  free (streams.flat);
  return ok;
}

int
main (int argc, char **argv)
{
  const char *seed = getenv ("CUDAHISTO_TEST_SEED");
  struct histo_config config = { .backend = HISTO_BACKEND_CPU, .cuda_device = -1, .threads = 1 };
  struct histo_engine *engine = NULL, *reference = NULL;
  long rounds = argc > 1 ? strtol (argv[1], NULL, 10) : 31;
  bool ok;

  if (argc > 2 || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf (stderr, "usage: bench_cpu [ROUNDS, 1 to %d]\n", MAX_ROUNDS);
    return 2;
  }
  random_state = seed ? strtoull (seed, NULL, 0) : (uint64_t)time (NULL);
  printf ("seed %" PRIu64 " (CUDAHISTO_TEST_SEED repeats it)\n", random_state);

  ok = !histo_open (&config, &engine);
  config.backend = HISTO_BACKEND_REFERENCE;
  ok = ok && !histo_open (&config, &reference);
  ok = ok && bench_formats (engine, reference, (unsigned)rounds);
  ok = ok && bench_native (reference, (unsigned)rounds);
  ok = ok && bench_prices (engine, reference, (unsigned)rounds);
  histo_close (&engine);
  ok = ok && bench_scaling (reference, (unsigned)rounds);
  histo_close (&reference);
  ok = ok && bench_reductions ((unsigned)rounds);
  return ok ? 0 : 1;
}
