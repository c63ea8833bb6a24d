/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench_cpu [ROUNDS]: the CPU backend with one worker thread against a plain loop, over formats and contents.
 *
 * Each round times the plain loop and then the engine on the same FRAMES_PER_ROUND frames of 1920x1080, which fit into the
 * last-level cache; the figures are medians over the rounds, the ratio too. Time is processor time of all threads, so that
 * other work on the machine does not count. A frame of the engine goes through histo_submit and histo_collect, with all
 * frames of the round in flight; the plain loop fills the histogram and nothing else, without the dot product. Every result
 * is compared with the reference backend's first. Exit status 1: a number differed, or the engine failed. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cudahisto/histo.h>

#define WIDTH 1920
#define HEIGHT 1080
#define FRAMES_PER_ROUND 4
#define MAX_ROUNDS 1000
#define MAX_BYTES ((size_t)WIDTH * HEIGHT * 4)

static uint64_t random_state;

static uint32_t
bench_random (void)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33);
}

/* ---- contents: the byte at column x of row y of a plane ---- */

static uint8_t
fill_random (size_t x, size_t y)
{
  (void)x;
  (void)y;
  return (uint8_t)bench_random ();
}

static uint8_t
fill_constant (size_t x, size_t y)
{
  (void)x;
  (void)y;
  return 16;
}

static uint8_t
fill_two_values (size_t x, size_t y)
{
  (void)x;
  (void)y;
  return bench_random () & 1 ? 235 : 16;
}

static uint8_t
fill_natural (size_t x, size_t y)
{
  return (uint8_t)(16 + x / 16 + y / 12 + (bench_random () & 3) + (bench_random () & 3));
}

static uint8_t
fill_alternating (size_t x, size_t y)
{
  (void)y;
  return x & 1 ? 200 : 50;
}

static uint8_t
fill_aliasing (size_t x, size_t y)
{
  (void)x;
  (void)y;
  return (uint8_t)(bench_random () * 32);
}

/* Flat runs with a random byte now and then, so that equal and unequal groups follow each other in no order. */
static uint8_t
fill_runs (size_t x, size_t y)
{
  (void)x;
  return bench_random () % 90 ? (uint8_t)(y / 8) : (uint8_t)bench_random ();
}

static const struct {
  const char *name;
  uint8_t (*fill) (size_t x, size_t y);
} contents[] = {
  { "random", fill_random },          { "constant", fill_constant },       { "two values", fill_two_values },
  { "ramp and noise", fill_natural }, { "alternating", fill_alternating }, { "multiples of 32", fill_aliasing },
  { "interrupted runs", fill_runs },
};

/* ---- formats ---- */

struct layout {
  const char *name;
  bool has_operand;
  unsigned plane_count, component_count;
  struct {
    size_t row_bytes;
    uint32_t height;
  } planes[3];
  struct {
    unsigned plane;
    size_t offset_bytes, step_bytes;
    uint64_t width;
  } components[4];
};

static const struct layout layouts[] = {
  { "luma", false, 1, 1, { { WIDTH, HEIGHT } }, { { 0, 0, 1, WIDTH } } },
  { "luma, dot", true, 1, 1, { { WIDTH, HEIGHT } }, { { 0, 0, 1, WIDTH } } },
  { "I420",
    false,
    3,
    3,
    { { WIDTH, HEIGHT }, { WIDTH / 2, HEIGHT / 2 }, { WIDTH / 2, HEIGHT / 2 } },
    { { 0, 0, 1, WIDTH }, { 1, 0, 1, WIDTH / 2 }, { 2, 0, 1, WIDTH / 2 } } },
  { "NV12",
    false,
    2,
    3,
    { { WIDTH, HEIGHT }, { WIDTH, HEIGHT / 2 } },
    { { 0, 0, 1, WIDTH }, { 1, 0, 2, WIDTH / 2 }, { 1, 1, 2, WIDTH / 2 } } },
  { "RGB", false, 1, 3, { { WIDTH * 3, HEIGHT } }, { { 0, 0, 3, WIDTH }, { 0, 1, 3, WIDTH }, { 0, 2, 3, WIDTH } } },
  { "RGBA",
    false,
    1,
    4,
    { { WIDTH * 4, HEIGHT } },
    { { 0, 0, 4, WIDTH }, { 0, 1, 4, WIDTH }, { 0, 2, 4, WIDTH }, { 0, 3, 4, WIDTH } } },
  { "RGBA, dot",
    true,
    1,
    4,
    { { WIDTH * 4, HEIGHT } },
    { { 0, 0, 4, WIDTH }, { 0, 1, 4, WIDTH }, { 0, 2, 4, WIDTH }, { 0, 3, 4, WIDTH } } },
};

/* Describes the samples at `data`, plane after plane; returns their bytes. */
static size_t
describe_frame (const struct layout *layout, const uint8_t *data, struct histo_frame *frame)
{
  size_t begin = 0;

  *frame = (struct histo_frame){ .plane_count = layout->plane_count, .component_count = layout->component_count };
  for (unsigned p = 0; p < layout->plane_count; p++) {
    frame->planes[p] = (struct histo_plane){
      .data = data + begin,
      .stride_bytes = layout->planes[p].row_bytes,
      .height = layout->planes[p].height,
    };
    begin += layout->planes[p].row_bytes * layout->planes[p].height;
  }
  for (unsigned c = 0; c < layout->component_count; c++)
    frame->components[c] = (struct histo_component){
      .plane = layout->components[c].plane,
      .offset_bytes = layout->components[c].offset_bytes,
      .step_bytes = layout->components[c].step_bytes,
      .width = layout->components[c].width,
      .sample_bytes = 1,
      .depth = 8,
    };
  return begin;
}

/* ---- the two that are compared ---- */

/* Unrolled, or the alignment of the loop that the compiler happens to choose decides the figure. */
static void
count_plainly (const struct histo_frame *frame, uint32_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS])
{
  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    const struct histo_plane *plane = &frame->planes[component->plane];
    const uint8_t *samples = (const uint8_t *)plane->data + component->offset_bytes;
    const size_t count = (size_t)component->width * plane->height;
    const size_t step_bytes = component->step_bytes;
    uint32_t *histogram = histograms[c];

    if (step_bytes == 1) {
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

static double
cpu_seconds_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
median (double *values, unsigned count)
{
  qsort (values, count, sizeof (*values), compare_doubles);
  return values[count / 2];
}

static bool
check_results (struct histo_engine *engine, struct histo_engine *reference, const struct histo_frame *frame)
{
  struct histo_stats ours = { 0 }, theirs = { 0 };
  histo_ticket ticket;
  bool same = count_by_engine (engine, frame, &ours) && !histo_submit (reference, frame, &ticket)
              && !histo_collect (reference, ticket, &theirs) && ours.component_count == theirs.component_count;

  for (unsigned c = 0; same && c < ours.component_count; c++) {
    const struct histo_component_stats *a = &ours.components[c], *b = &theirs.components[c];

    same = a->count == b->count && a->sum == b->sum && a->sum_of_squares == b->sum_of_squares && a->dot == b->dot
           && a->dot_count == b->dot_count && !memcmp (a->histogram, b->histogram, HISTO_BINS * sizeof (*a->histogram));
  }
  histo_stats_clear (&ours);
  histo_stats_clear (&theirs);
  return same;
}

/* Prints one line. False where a number was wrong. */
static bool
bench_line (struct histo_engine *engine, struct histo_engine *reference, const struct layout *layout, unsigned content,
            uint8_t *data, uint8_t *operand_data, unsigned rounds)
{
  static double plain_seconds[MAX_ROUNDS], engine_seconds[MAX_ROUNDS], ratios[MAX_ROUNDS];
  static uint32_t histograms[HISTO_MAX_COMPONENTS][HISTO_BINS];
  struct histo_stats stats = { 0 };
  struct histo_frame frame, operand;
  const size_t bytes = describe_frame (layout, data, &frame);
  const double gigabytes = (double)bytes * FRAMES_PER_ROUND * 1e-9;
  double plain, ours;

  /* Each component has the content as it would have alone; interleaving does not make constant content a pattern. */
  for (unsigned c = 0; c < frame.component_count; c++) {
    const struct histo_component *component = &frame.components[c];
    const struct histo_plane *plane = &frame.planes[component->plane];

    for (size_t y = 0; y < plane->height; y++)
      for (size_t x = 0; x < component->width; x++)
        data[(size_t)((const uint8_t *)plane->data - data) + y * plane->stride_bytes + component->offset_bytes
             + x * component->step_bytes]
            = (uint8_t)(contents[content].fill (x, y) + 40 * c);
  }
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
  printf ("%-10s %-17s %9.2f %9.2f %8.2f\n", layout->name, contents[content].name, gigabytes / plain, gigabytes / ours,
          median (ratios, rounds));
  fflush (stdout);
  return true;
}

int
main (int argc, char **argv)
{
  const char *seed = getenv ("CUDAHISTO_TEST_SEED");
  struct histo_config config = { .backend = HISTO_BACKEND_CPU, .cuda_device = -1, .threads = 1 };
  struct histo_engine *engine = NULL, *reference = NULL;
  uint8_t *data = malloc (MAX_BYTES), *operand_data = malloc (MAX_BYTES);
  long rounds = argc > 1 ? strtol (argv[1], NULL, 10) : 31;
  bool ok = data && operand_data;

  if (argc > 2 || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf (stderr, "usage: bench_cpu [ROUNDS, 1 to %d]\n", MAX_ROUNDS);
    free (data);
    free (operand_data);
    return 2;
  }
  random_state = seed ? strtoull (seed, NULL, 0) : (uint64_t)time (NULL);
  printf ("seed %" PRIu64 " (CUDAHISTO_TEST_SEED repeats it)\n", random_state);

  ok = ok && !histo_open (&config, &engine);
  config.backend = HISTO_BACKEND_REFERENCE;
  ok = ok && !histo_open (&config, &reference);
  if (ok) {
    printf ("engine: %s; frames of %dx%d, processor time, median of %ld rounds of %d\n\n",
            histo_engine_info (engine)->device_name, WIDTH, HEIGHT, rounds, FRAMES_PER_ROUND);
    printf ("%-10s %-17s %9s %9s %8s\n", "format", "content", "plain", "engine", "engine");
    printf ("%-10s %-17s %9s %9s %8s\n", "", "", "GB/s", "GB/s", "/ plain");
  }
  for (unsigned l = 0; ok && l < sizeof (layouts) / sizeof (layouts[0]); l++)
    for (unsigned c = 0; ok && c < sizeof (contents) / sizeof (contents[0]); c++)
      ok = bench_line (engine, reference, &layouts[l], c, data, operand_data, (unsigned)rounds);

  histo_close (&reference);
  histo_close (&engine);
  free (data);
  free (operand_data);
  return ok ? 0 : 1;
}
