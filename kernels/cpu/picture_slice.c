/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Computes the picture's statistics for the rows of a slice. Samples that are not consecutive in memory are gathered, a tile at
 * a time. */

#include "slice.h"

#define TILE 1024          /* samples that stay in the first-level cache with the rows around them */
#define PADDING 64         /* bytes: no two rows of a ring are a multiple of 4 KiB apart */
#define RING 8             /* rows of a ring: a power of two, at least HISTO_OUTLIER_ROWS */
#define REPEAT_SAMPLES 512 /* samples compared before testing whether the sum is decided */

#define LUMA 0
#define CB 1
#define CR 2

static const uint8_t *
find_sample (const struct histo_cpu_component *component, uint32_t y, uint32_t first)
{
  return component->data + (size_t)y * component->stride_bytes + (size_t)first * component->step_bytes;
}

static bool
is_dense (const struct histo_cpu_component *component)
{
  return component->step_bytes == component->format.sample_bytes;
}

/* The bytes of samples first .. first + count - 1 of row y: in place, or in `buffer`. */
static const uint8_t *
read_bytes (const struct histo_cpu_task *task, unsigned c, uint32_t y, uint32_t first, uint32_t count, uint8_t *buffer)
{
  const struct histo_cpu_component *component = &task->picture->components[c];
  const uint8_t *sample = find_sample (component, y, first);

  if (component->format.sample_bytes == 1 && is_dense (component))
    return sample;
  task->isa->bytes (sample, component->step_bytes, count, &component->format, buffer);
  return buffer;
}

static void
read_words (const struct histo_cpu_task *task, unsigned c, uint32_t y, uint32_t first, uint32_t count, uint16_t *buffer)
{
  const struct histo_cpu_component *component = &task->picture->components[c];

  task->isa->words (find_sample (component, y, first), component->step_bytes, count, &component->format, buffer);
}

/* The format for reading gathered words again as samples. */
static struct histo_format
find_word_format (const struct histo_cpu_component *component)
{
  return (struct histo_format){
    .sample_bytes = 2,
    .depth = component->format.depth,
    .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
  };
}

/* ---- outliers ------------------------------------------------------------------------------------------------------- */

/* Counts outliers between samples `first` and first + count - 1. */
static void
count_outliers_of_tile (const struct histo_cpu_task *task, uint32_t first, uint32_t count)
{
  const struct histo_cpu_component *luma = &task->picture->components[LUMA];
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  uint8_t buffers[RING][TILE + PADDING];
  const uint8_t *ring[RING] = { NULL };
  uint32_t next = begin > HISTO_OUTLIER_REACH ? begin - HISTO_OUTLIER_REACH : 0; /* next row to gather */

  for (uint32_t y = begin > 0 ? begin : 1; y < end && y + 1 < luma->height; y++) {
    const bool is_far = y >= HISTO_OUTLIER_REACH && y + HISTO_OUTLIER_REACH < luma->height;
    const uint8_t *rows[HISTO_OUTLIER_ROWS];

    for (; next <= y + HISTO_OUTLIER_REACH && next < luma->height; next++)
      ring[next % RING] = read_bytes (task, LUMA, next, first, count, buffers[next % RING]);
    for (unsigned i = 0; i < HISTO_OUTLIER_ROWS; i++)
      rows[i] = ring[(y + RING - HISTO_OUTLIER_REACH + i) % RING];
    if (!is_far)
      rows[0] = rows[HISTO_OUTLIER_ROWS - 1] = NULL;
    task->scratch->outliers += task->isa->outliers (rows, count);
  }
}

static void
count_outliers (const struct histo_cpu_task *task)
{
  const struct histo_cpu_component *luma = &task->picture->components[LUMA];
  const uint32_t tile = luma->format.sample_bytes == 1 && is_dense (luma) ? luma->width : TILE;

  /* An outlier is not at the edge of a tile, so tiles overlap by two samples. */
  for (uint32_t first = 0; luma->width - first > 2; first += tile - 2) {
    const uint32_t count = luma->width - first < tile ? luma->width - first : tile;

    count_outliers_of_tile (task, first, count);
    if (first + count == luma->width)
      break;
  }
}

/* ---- repeats -------------------------------------------------------------------------------------------------------- */

/* The sum of absolute differences of `count` samples of two rows, at most REPEAT_SAMPLES. */
static uint64_t
compare_rows (const struct histo_cpu_task *task, uint32_t y, uint32_t other, uint32_t first, uint32_t count)
{
  const struct histo_cpu_component *luma = &task->picture->components[LUMA];
  struct histo_differences differences = { { 0 }, { 0 } };

  if (luma->format.sample_bytes == 1) {
    uint8_t buffers[2][REPEAT_SAMPLES];
    const uint8_t *x = read_bytes (task, LUMA, y, first, count, buffers[0]);
    const uint8_t *z = read_bytes (task, LUMA, other, first, count, buffers[1]);

    task->isa->difference (x, z, count, 1, &differences);
  } else if (is_dense (luma)) {
    task->isa->deep_difference (find_sample (luma, y, first), find_sample (luma, other, first), count, &luma->format, 1,
                                &differences);
  } else {
    const struct histo_format words = find_word_format (luma);
    uint16_t x[REPEAT_SAMPLES], z[REPEAT_SAMPLES];

    read_words (task, LUMA, y, first, count, x);
    read_words (task, LUMA, other, first, count, z);
    task->isa->deep_difference ((const uint8_t *)x, (const uint8_t *)z, count, &words, 1, &differences);
  }
  return differences.absolute[0];
}

/* Whether the mean absolute difference is below 1. */
static bool
is_repeated (const struct histo_cpu_task *task, uint32_t y)
{
  const uint32_t width = task->picture->components[LUMA].width;
  uint64_t difference = 0;

  for (uint32_t first = 0; first < width && difference < width; first += REPEAT_SAMPLES) {
    const uint32_t count = width - first < REPEAT_SAMPLES ? width - first : REPEAT_SAMPLES;

    difference += compare_rows (task, y, y - HISTO_REPEAT_DISTANCE, first, count);
  }
  return difference < width;
}

static void
count_repeats (const struct histo_cpu_task *task)
{
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;

  for (uint32_t y = begin > HISTO_REPEAT_DISTANCE ? begin : HISTO_REPEAT_DISTANCE; y < end; y++)
    if (is_repeated (task, y))
      task->scratch->repeats += task->picture->components[LUMA].width;
}

/* ---- luma and its chroma ----------------------------------------------------------------------------------------------- */

/* A tile of luma with its chroma. If chroma has a phase, its first sample also covers `skipped` luma samples before the row. */
struct shared_tile {
  uint32_t first, count, skipped;
  uint32_t first_chroma, chroma_count;
  uint32_t next; /* start of the next tile, counted from the first luma sample that the first chroma sample covers */
};

/* False after the last tile. All zeros finds the first. */
static bool
find_next_tile (const struct histo_cpu_task *task, struct shared_tile *tile)
{
  const struct histo_chroma *chroma = &task->picture->chroma;
  const uint32_t width = task->picture->components[LUMA].width + chroma->phase_x, begin = tile->next;
  const uint32_t end = begin < width && width - begin < TILE ? width : begin + TILE;

  if (begin >= width)
    return false;
  tile->skipped = begin == 0 ? chroma->phase_x : 0;
  tile->first = begin + tile->skipped - chroma->phase_x;
  tile->count = end - begin - tile->skipped;
  tile->first_chroma = begin >> chroma->shift_x;
  tile->chroma_count = ((end - 1) >> chroma->shift_x) + 1 - tile->first_chroma;
  tile->next = end;
  return true;
}

/* ---- out of range --------------------------------------------------------------------------------------------------- */

/* Marks luma whose chroma is one of samples first .. first + count - 1 of row y. */
static void
mark_chroma (const struct histo_cpu_task *task, uint32_t y, uint32_t first, uint32_t count, uint8_t *marks)
{
  const struct histo_cpu_picture *picture = task->picture;
  const unsigned shift = picture->chroma.shift_x;

  if (picture->components[CB].format.sample_bytes == 1) {
    uint8_t buffers[2][TILE];
    const uint8_t *cb = read_bytes (task, CB, y, first, count, buffers[0]);
    const uint8_t *cr = read_bytes (task, CR, y, first, count, buffers[1]);

    task->isa->mark_bytes (cb, cr, count, &picture->range, shift, marks);
  } else {
    uint16_t cb[TILE], cr[TILE];

    read_words (task, CB, y, first, count, cb);
    read_words (task, CR, y, first, count, cr);
    task->isa->mark_words (cb, cr, count, &picture->range, shift, marks);
  }
}

static uint64_t
count_outside_words (const struct histo_cpu_task *task, uint32_t y, uint32_t first, uint32_t count, const uint8_t *marks)
{
  const struct histo_cpu_component *luma = &task->picture->components[LUMA];
  const struct histo_format words = find_word_format (luma);
  uint16_t buffer[TILE];

  if (is_dense (luma))
    return task->isa->outside_words (find_sample (luma, y, first), &luma->format, marks, count, &task->picture->range);
  read_words (task, LUMA, y, first, count, buffer);
  return task->isa->outside_words ((const uint8_t *)buffer, &words, marks, count, &task->picture->range);
}

static uint64_t
count_outside_bytes (const struct histo_cpu_task *task, uint32_t y, uint32_t first, uint32_t count, const uint8_t *marks)
{
  uint8_t buffer[TILE];
  const uint8_t *luma = read_bytes (task, LUMA, y, first, count, buffer);

  return task->isa->outside_bytes (luma, marks, count, &task->picture->range);
}

static void
count_out_of_range (const struct histo_cpu_task *task)
{
  const struct histo_chroma *chroma = &task->picture->chroma;
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  const bool is_deep = task->picture->components[LUMA].format.sample_bytes == 2;
  struct shared_tile tile = { 0 };
  uint8_t marks[TILE];

  while (find_next_tile (task, &tile)) {
    uint32_t marked = UINT32_MAX; /* row of chroma with valid marks */

    for (uint32_t y = begin; y < end; y++) {
      const uint32_t row = (y + chroma->phase_y) >> chroma->shift_y;

      if (row != marked)
        mark_chroma (task, row, tile.first_chroma, tile.chroma_count, marks);
      marked = row;
      task->scratch->out_of_range += is_deep ? count_outside_words (task, y, tile.first, tile.count, marks + tile.skipped)
                                             : count_outside_bytes (task, y, tile.first, tile.count, marks + tile.skipped);
    }
  }
}

/* ---- out of gamut --------------------------------------------------------------------------------------------------- */

/* The bounds of luma in a tile; they begin `skipped` samples before it. */
struct tile_bounds {
  union {
    uint8_t bytes[TILE];
    uint16_t words[TILE];
  } low, high;
};

static void
bound_tile (const struct histo_cpu_task *task, const struct shared_tile *tile, uint32_t row, struct tile_bounds *bounds)
{
  const struct histo_cpu_picture *picture = task->picture;
  const unsigned shift = picture->chroma.shift_x, depth = picture->components[CB].format.depth;
  const uint32_t first = tile->first_chroma, count = tile->chroma_count;

  if (depth == 8) {
    uint8_t buffers[2][TILE];
    const uint8_t *cb = read_bytes (task, CB, row, first, count, buffers[0]);
    const uint8_t *cr = read_bytes (task, CR, row, first, count, buffers[1]);

    task->isa->bound_bytes (cb, cr, count, &picture->gamut, shift, bounds->low.bytes, bounds->high.bytes);
  } else {
    uint16_t cb[TILE], cr[TILE];

    read_words (task, CB, row, first, count, cb);
    read_words (task, CR, row, first, count, cr);
    task->isa->bound_words (cb, cr, count, &picture->gamut, depth, shift, bounds->low.words, bounds->high.words);
  }
}

static uint64_t
count_beyond (const struct histo_cpu_task *task, const struct shared_tile *tile, uint32_t y, const struct tile_bounds *bounds)
{
  const struct histo_cpu_component *luma = &task->picture->components[LUMA];
  const uint32_t skipped = tile->skipped;

  if (luma->format.sample_bytes == 1) {
    uint8_t buffer[TILE];

    return task->isa->beyond_bytes (read_bytes (task, LUMA, y, tile->first, tile->count, buffer), bounds->low.bytes + skipped,
                                    bounds->high.bytes + skipped, tile->count);
  }
  if (is_dense (luma))
    return task->isa->beyond_words (find_sample (luma, y, tile->first), &luma->format, bounds->low.words + skipped,
                                    bounds->high.words + skipped, tile->count);

  const struct histo_format words = find_word_format (luma);
  uint16_t buffer[TILE];

  read_words (task, LUMA, y, tile->first, tile->count, buffer);
  return task->isa->beyond_words ((const uint8_t *)buffer, &words, bounds->low.words + skipped, bounds->high.words + skipped,
                                  tile->count);
}

static void
count_gamut_errors (const struct histo_cpu_task *task)
{
  const struct histo_chroma *chroma = &task->picture->chroma;
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  struct shared_tile tile = { 0 };
  struct tile_bounds bounds;

  while (find_next_tile (task, &tile)) {
    uint32_t bounded = UINT32_MAX; /* row of chroma with valid bounds */

    for (uint32_t y = begin; y < end; y++) {
      const uint32_t row = (y + chroma->phase_y) >> chroma->shift_y;

      if (row != bounded)
        bound_tile (task, &tile, row, &bounds);
      bounded = row;
      task->scratch->gamut_errors += count_beyond (task, &tile, y, &bounds);
    }
  }
}

void
histo_cpu_count_luma (const struct histo_cpu_task *task)
{
  const uint32_t statistics = task->picture->statistics;

  if (statistics & HISTO_STATISTIC_OUTLIERS)
    count_outliers (task);
  if (statistics & HISTO_STATISTIC_REPEATS)
    count_repeats (task);
  if (statistics & HISTO_STATISTIC_OUT_OF_RANGE)
    count_out_of_range (task);
  if (statistics & HISTO_STATISTIC_GAMUT)
    count_gamut_errors (task);
}

/* ---- colours -------------------------------------------------------------------------------------------------------- */

static void
count_colours (const struct histo_cpu_task *task, const struct histo_colour_counters *counters, uint32_t y, uint32_t first,
               uint32_t count)
{
  const struct histo_cpu_picture *picture = task->picture;
  const unsigned depth = picture->components[CB].format.depth;

  if (depth == 8) {
    uint8_t buffers[2][TILE];
    const uint8_t *cb = read_bytes (task, CB, y, first, count, buffers[0]);
    const uint8_t *cr = read_bytes (task, CR, y, first, count, buffers[1]);

    histo_colours_count_bytes (counters, picture->colours, cb, cr, count);
  } else {
    uint16_t cb[TILE], cr[TILE], hues[TILE], saturations[TILE];

    read_words (task, CB, y, first, count, cb);
    read_words (task, CR, y, first, count, cr);
    task->isa->colours (cb, cr, count, depth, counters->hues ? hues : NULL, counters->saturations ? saturations : NULL);
    if (counters->hues)
      histo_colours_count_words (counters->hues, HISTO_HUE_ROW, hues, count);
    if (counters->saturations)
      histo_colours_count_words (counters->saturations, counters->saturation_row, saturations, count);
  }
}

void
histo_cpu_count_chroma (const struct histo_cpu_task *task)
{
  const struct histo_cpu_component *chroma = &task->picture->components[CB];
  const struct histo_colour_counters counters
      = histo_cpu_scratch_colours (task->scratch, task->picture->statistics, chroma->format.depth);
  const uint32_t end = task->slice.first_picture_row + task->slice.picture_rows;

  task->scratch->has_colours = true;
  for (uint32_t y = task->slice.first_picture_row; y < end; y++)
    for (uint32_t first = 0; first < chroma->width; first += TILE)
      count_colours (task, &counters, y, first, chroma->width - first < TILE ? chroma->width - first : TILE);
}
