/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Computes the picture's statistics for the rows of a slice. Samples that are not consecutive in memory are gathered, a tile at
 * a time. */

#include "tile.h"

#define PADDING 64         /* bytes: no two rows of a ring are a multiple of 4 KiB apart */
#define RING 8             /* rows of a ring: a power of two, at least HISTO_OUTLIER_ROWS */
#define REPEAT_SAMPLES 512 /* samples compared before testing whether the sum is decided */

/* ---- outliers ------------------------------------------------------------------------------------------------------- */

/* Counts outliers between samples `first` and first + count - 1. */
static uint64_t
count_outliers_of_tile (const struct histo_cpu_task *task, uint32_t first, uint32_t count)
{
  const struct histo_cpu_component *luma = &task->picture->components[LUMA];
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  uint8_t buffers[RING][HISTO_CPU_TILE + PADDING];
  const uint8_t *ring[RING] = { NULL };
  uint32_t next = begin > HISTO_OUTLIER_REACH ? begin - HISTO_OUTLIER_REACH : 0; /* next row to gather */
  uint64_t outliers = 0;

  for (uint32_t y = begin > 0 ? begin : 1; y < end && y + 1 < luma->height; y++) {
    const bool is_far = y >= HISTO_OUTLIER_REACH && y + HISTO_OUTLIER_REACH < luma->height;
    const uint8_t *rows[HISTO_OUTLIER_ROWS];

    for (; next <= y + HISTO_OUTLIER_REACH && next < luma->height; next++)
      ring[next % RING] = histo_cpu_read_bytes (task, LUMA, next, first, count, buffers[next % RING]);
    for (unsigned i = 0; i < HISTO_OUTLIER_ROWS; i++)
      rows[i] = ring[(y + RING - HISTO_OUTLIER_REACH + i) % RING];
    if (!is_far)
      rows[0] = rows[HISTO_OUTLIER_ROWS - 1] = NULL;
    outliers += task->isa->outliers (rows, count);
  }
  return outliers;
}

uint64_t
histo_cpu_outliers (const struct histo_cpu_task *task)
{
  const struct histo_cpu_component *luma = &task->picture->components[LUMA];
  const uint32_t tile = luma->format.sample_bytes == 1 && histo_cpu_is_dense (luma) ? luma->width : HISTO_CPU_TILE;
  uint64_t outliers = 0;

  /* An outlier is not at the edge of a tile, so tiles overlap by two samples. */
  for (uint32_t first = 0; luma->width - first > 2; first += tile - 2) {
    const uint32_t count = luma->width - first < tile ? luma->width - first : tile;

    outliers += count_outliers_of_tile (task, first, count);
    if (first + count == luma->width)
      break;
  }
  return outliers;
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
    const uint8_t *x = histo_cpu_read_bytes (task, LUMA, y, first, count, buffers[0]);
    const uint8_t *z = histo_cpu_read_bytes (task, LUMA, other, first, count, buffers[1]);

    task->isa->difference (x, z, count, 1, &differences);
  } else if (histo_cpu_is_dense (luma)) {
    task->isa->deep_difference (histo_cpu_find_sample (luma, y, first), histo_cpu_find_sample (luma, other, first), count,
                                &luma->format, 1, &differences);
  } else {
    const struct histo_format words = histo_cpu_find_word_format (luma);
    uint16_t x[REPEAT_SAMPLES], z[REPEAT_SAMPLES];

    histo_cpu_read_words (task, LUMA, y, first, count, x);
    histo_cpu_read_words (task, LUMA, other, first, count, z);
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

uint64_t
histo_cpu_repeats (const struct histo_cpu_task *task)
{
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  uint64_t repeats = 0;

  for (uint32_t y = begin > HISTO_REPEAT_DISTANCE ? begin : HISTO_REPEAT_DISTANCE; y < end; y++)
    if (is_repeated (task, y))
      repeats += task->picture->components[LUMA].width;
  return repeats;
}

/* ---- out of range --------------------------------------------------------------------------------------------------- */

/* Marks luma whose chroma is one of samples first .. first + count - 1 of row y. */
static void
mark_chroma (const struct histo_cpu_task *task, uint32_t y, uint32_t first, uint32_t count, uint8_t *marks)
{
  const struct histo_cpu_picture *picture = task->picture;
  const unsigned shift = picture->chroma.shift_x;

  if (picture->components[CB].format.sample_bytes == 1) {
    uint8_t buffers[2][HISTO_CPU_TILE];
    const uint8_t *cb = histo_cpu_read_bytes (task, CB, y, first, count, buffers[0]);
    const uint8_t *cr = histo_cpu_read_bytes (task, CR, y, first, count, buffers[1]);

    task->isa->mark_bytes (cb, cr, count, &picture->range, shift, marks);
  } else {
    uint16_t cb[HISTO_CPU_TILE], cr[HISTO_CPU_TILE];

    histo_cpu_read_words (task, CB, y, first, count, cb);
    histo_cpu_read_words (task, CR, y, first, count, cr);
    task->isa->mark_words (cb, cr, count, &picture->range, shift, marks);
  }
}

static uint64_t
count_outside_words (const struct histo_cpu_task *task, uint32_t y, uint32_t first, uint32_t count, const uint8_t *marks)
{
  const struct histo_cpu_component *luma = &task->picture->components[LUMA];
  const struct histo_format words = histo_cpu_find_word_format (luma);
  uint16_t buffer[HISTO_CPU_TILE];

  if (histo_cpu_is_dense (luma))
    return task->isa->outside_words (histo_cpu_find_sample (luma, y, first), &luma->format, marks, count,
                                     &task->picture->range);
  histo_cpu_read_words (task, LUMA, y, first, count, buffer);
  return task->isa->outside_words ((const uint8_t *)buffer, &words, marks, count, &task->picture->range);
}

static uint64_t
count_outside_bytes (const struct histo_cpu_task *task, uint32_t y, uint32_t first, uint32_t count, const uint8_t *marks)
{
  uint8_t buffer[HISTO_CPU_TILE];
  const uint8_t *luma = histo_cpu_read_bytes (task, LUMA, y, first, count, buffer);

  return task->isa->outside_bytes (luma, marks, count, &task->picture->range);
}

uint64_t
histo_cpu_out_of_range (const struct histo_cpu_task *task)
{
  const struct histo_chroma *chroma = &task->picture->chroma;
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  const bool is_deep = task->picture->components[LUMA].format.sample_bytes == 2;
  struct histo_cpu_tile tile = { 0 };
  uint8_t marks[HISTO_CPU_TILE];
  uint64_t outside = 0;

  while (histo_cpu_find_next_tile (task, &tile)) {
    uint32_t marked = UINT32_MAX; /* row of chroma with valid marks */

    for (uint32_t y = begin; y < end; y++) {
      const uint32_t row = (y + chroma->phase_y) >> chroma->shift_y;

      if (row != marked)
        mark_chroma (task, row, tile.first_chroma, tile.chroma_count, marks);
      marked = row;
      outside += is_deep ? count_outside_words (task, y, tile.first, tile.count, marks + tile.skipped)
                         : count_outside_bytes (task, y, tile.first, tile.count, marks + tile.skipped);
    }
  }
  return outside;
}

/* ---- out of gamut --------------------------------------------------------------------------------------------------- */

/* The bounds of luma in a tile; they begin `skipped` samples before it. */
struct tile_bounds {
  union {
    uint8_t bytes[HISTO_CPU_TILE];
    uint16_t words[HISTO_CPU_TILE];
  } low, high;
};

static void
bound_tile (const struct histo_cpu_task *task, const struct histo_cpu_tile *tile, uint32_t row, struct tile_bounds *bounds)
{
  const struct histo_cpu_picture *picture = task->picture;
  const unsigned cb_index = picture->gamut_component + CB, cr_index = picture->gamut_component + CR;
  const unsigned shift = picture->chroma.shift_x, depth = picture->components[cb_index].format.depth;
  const uint32_t first = tile->first_chroma, count = tile->chroma_count;

  if (depth == 8) {
    uint8_t buffers[2][HISTO_CPU_TILE];
    const uint8_t *cb = histo_cpu_read_bytes (task, cb_index, row, first, count, buffers[0]);
    const uint8_t *cr = histo_cpu_read_bytes (task, cr_index, row, first, count, buffers[1]);

    task->isa->bound_bytes (cb, cr, count, &picture->gamut, shift, bounds->low.bytes, bounds->high.bytes);
  } else {
    uint16_t cb[HISTO_CPU_TILE], cr[HISTO_CPU_TILE];

    histo_cpu_read_words (task, cb_index, row, first, count, cb);
    histo_cpu_read_words (task, cr_index, row, first, count, cr);
    task->isa->bound_words (cb, cr, count, &picture->gamut, depth, shift, bounds->low.words, bounds->high.words);
  }
}

static uint64_t
count_beyond (const struct histo_cpu_task *task, const struct histo_cpu_tile *tile, uint32_t y,
              const struct tile_bounds *bounds)
{
  const unsigned index = task->picture->gamut_component + LUMA;
  const struct histo_cpu_component *luma = &task->picture->components[index];
  const uint32_t skipped = tile->skipped;

  if (luma->format.sample_bytes == 1) {
    uint8_t buffer[HISTO_CPU_TILE];

    return task->isa->beyond_bytes (histo_cpu_read_bytes (task, index, y, tile->first, tile->count, buffer),
                                    bounds->low.bytes + skipped, bounds->high.bytes + skipped, tile->count);
  }
  if (histo_cpu_is_dense (luma))
    return task->isa->beyond_words (histo_cpu_find_sample (luma, y, tile->first), &luma->format, bounds->low.words + skipped,
                                    bounds->high.words + skipped, tile->count);

  const struct histo_format words = histo_cpu_find_word_format (luma);
  uint16_t buffer[HISTO_CPU_TILE];

  histo_cpu_read_words (task, index, y, tile->first, tile->count, buffer);
  return task->isa->beyond_words ((const uint8_t *)buffer, &words, bounds->low.words + skipped, bounds->high.words + skipped,
                                  tile->count);
}

uint64_t
histo_cpu_gamut_errors (const struct histo_cpu_task *task)
{
  const struct histo_chroma *chroma = &task->picture->chroma;
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  struct histo_cpu_tile tile = { 0 };
  struct tile_bounds bounds;
  uint64_t beyond = 0;

  while (histo_cpu_find_next_tile (task, &tile)) {
    uint32_t bounded = UINT32_MAX; /* row of chroma with valid bounds */

    for (uint32_t y = begin; y < end; y++) {
      const uint32_t row = (y + chroma->phase_y) >> chroma->shift_y;

      if (row != bounded)
        bound_tile (task, &tile, row, &bounds);
      bounded = row;
      beyond += count_beyond (task, &tile, y, &bounds);
    }
  }
  return beyond;
}

/* ---- colours -------------------------------------------------------------------------------------------------------- */

static void
count_colours (const struct histo_cpu_task *task, const struct histo_colour_counters *counters, uint32_t y, uint32_t first,
               uint32_t count)
{
  const struct histo_cpu_picture *picture = task->picture;
  const unsigned depth = picture->components[CB].format.depth;

  if (depth == 8) {
    uint8_t buffers[2][HISTO_CPU_TILE];
    const uint8_t *cb = histo_cpu_read_bytes (task, CB, y, first, count, buffers[0]);
    const uint8_t *cr = histo_cpu_read_bytes (task, CR, y, first, count, buffers[1]);

    histo_colours_count_bytes (counters, picture->colours, cb, cr, count);
  } else {
    uint16_t cb[HISTO_CPU_TILE], cr[HISTO_CPU_TILE], hues[HISTO_CPU_TILE], saturations[HISTO_CPU_TILE];

    histo_cpu_read_words (task, CB, y, first, count, cb);
    histo_cpu_read_words (task, CR, y, first, count, cr);
    task->isa->colours (cb, cr, count, depth, counters->hues ? hues : NULL, counters->saturations ? saturations : NULL);
    if (counters->hues)
      histo_colours_count_words (counters->hues, HISTO_HUE_ROW, hues, count);
    if (counters->saturations)
      histo_colours_count_words (counters->saturations, counters->saturation_row, saturations, count);
  }
}

/* Counts the requested ones of both. */
static void
count_chroma (const struct histo_cpu_task *task)
{
  const struct histo_cpu_component *chroma = &task->picture->components[CB];
  const struct histo_colour_counters counters
      = histo_cpu_scratch_colours (task->scratch, task->picture->statistics, chroma->format.depth);
  const uint32_t end = task->slice.first_picture_row + task->slice.picture_rows;

  task->scratch->has_colours = true;
  for (uint32_t y = task->slice.first_picture_row; y < end; y++)
    for (uint32_t first = 0; first < chroma->width; first += HISTO_CPU_TILE)
      count_colours (task, &counters, y, first,
                     chroma->width - first < HISTO_CPU_TILE ? chroma->width - first : HISTO_CPU_TILE);
}

void
histo_cpu_saturation (const struct histo_cpu_task *task)
{
  count_chroma (task);
}

/* The saturation's walk also counts the hue. */
void
histo_cpu_hue (const struct histo_cpu_task *task)
{
  if (!(task->picture->statistics & HISTO_STATISTIC_SATURATION))
    count_chroma (task);
}

/* ---- light ---------------------------------------------------------------------------------------------------------- */

/* Reads samples of any depth as words. */
static void
read_values (const struct histo_cpu_task *task, unsigned c, uint32_t y, uint32_t first, uint32_t count, uint16_t *values)
{
  uint8_t buffer[HISTO_CPU_TILE];
  const uint8_t *bytes;

  if (task->picture->components[c].format.sample_bytes == 2) {
    histo_cpu_read_words (task, c, y, first, count, values);
    return;
  }
  bytes = histo_cpu_read_bytes (task, c, y, first, count, buffer);
  for (uint32_t i = 0; i < count; i++)
    values[i] = bytes[i];
}

/* The parts of chroma in a tile; they begin `skipped` samples before it. */
static void
find_parts (const struct histo_cpu_task *task, const struct histo_cpu_tile *tile, uint32_t row, int32_t *parts)
{
  const struct histo_cpu_picture *picture = task->picture;
  uint16_t cb[HISTO_CPU_TILE], cr[HISTO_CPU_TILE];

  read_values (task, picture->light_component + CB, row, tile->first_chroma, tile->chroma_count, cb);
  read_values (task, picture->light_component + CR, row, tile->first_chroma, tile->chroma_count, cr);
  task->isa->light_parts (cb, cr, tile->chroma_count, &picture->light,
                          picture->components[picture->light_component + CB].format.depth, picture->chroma.shift_x, parts);
}

/* Replaces values by those of another component that are larger. */
static void
take_larger (const struct histo_cpu_task *task, unsigned c, uint32_t y, const struct histo_cpu_tile *tile, uint16_t *values)
{
  uint16_t others[HISTO_CPU_TILE];

  read_values (task, c, y, tile->first, tile->count, others);
  for (uint32_t i = 0; i < tile->count; i++)
    values[i] = values[i] > others[i] ? values[i] : others[i];
}

/* Counts light that needs linear light. */
static void
count_linear_light (const struct histo_cpu_task *task)
{
  const struct histo_cpu_picture *picture = task->picture;
  const struct histo_chroma *chroma = &picture->chroma;
  const unsigned first = picture->light_component;
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  struct histo_cpu_tile tile = { 0 };

  while (histo_cpu_find_next_tile (task, &tile)) {
    uint16_t luma[HISTO_CPU_TILE], cb[HISTO_CPU_TILE + HISTO_LIGHT_PADDING], cr[HISTO_CPU_TILE + HISTO_LIGHT_PADDING];
    uint16_t codes[HISTO_CPU_TILE];
    const struct histo_light_samples samples = {
      .luma = luma,
      .cb = cb,
      .cr = cr,
      .count = tile.count,
      .depth = picture->components[first + CB].format.depth,
      .shift = chroma->shift_x,
      .skipped = tile.skipped,
    };
    uint32_t found = UINT32_MAX; /* row of the chroma */

    for (uint32_t y = begin; y < end; y++) {
      const uint32_t row = (y + chroma->phase_y) >> chroma->shift_y;

      read_values (task, first + LUMA, y, tile.first, tile.count, luma);
      if (row != found) {
        read_values (task, first + CB, row, tile.first_chroma, tile.chroma_count, cb);
        read_values (task, first + CR, row, tile.first_chroma, tile.chroma_count, cr);
      }
      found = row;
      task->isa->linear_codes (&samples, &picture->light, codes);
      histo_light_count (&task->scratch->light, codes, tile.count);
    }
  }
}

void
histo_cpu_light (const struct histo_cpu_task *task)
{
  const struct histo_cpu_picture *picture = task->picture;
  const struct histo_chroma *chroma = &picture->chroma;
  const uint32_t begin = task->slice.first_picture_row, end = begin + task->slice.picture_rows;
  struct histo_cpu_tile tile = { 0 };
  int32_t parts[HISTO_CPU_TILE] = { 0 };

  task->scratch->has_light = true;
  if (histo_light_needs_curve (&picture->light)) {
    count_linear_light (task);
    return;
  }
  while (histo_cpu_find_next_tile (task, &tile)) {
    uint32_t found = UINT32_MAX; /* row of chroma with valid parts */

    for (uint32_t y = begin; y < end; y++) {
      const uint32_t row = (y + chroma->phase_y) >> chroma->shift_y;
      uint16_t values[HISTO_CPU_TILE], codes[HISTO_CPU_TILE];

      read_values (task, picture->light_component + LUMA, y, tile.first, tile.count, values);
      if (picture->light.is_rgb) {
        take_larger (task, picture->light_component + CB, y, &tile, values);
        take_larger (task, picture->light_component + CR, y, &tile, values);
      } else if (row != found) {
        find_parts (task, &tile, row, parts);
        found = row;
      }
      task->isa->light_codes (values, parts + tile.skipped, tile.count, &picture->light, codes);
      histo_light_count (&task->scratch->light, codes, tile.count);
    }
  }
}

/* ---- all ------------------------------------------------------------------------------------------------------------ */

void
histo_cpu_count_picture (const struct histo_cpu_task *task)
{
  const uint32_t statistics = task->slice.sliced->statistics;

#define PICTURE_NUMBER(id, name, ...)    \
  if (statistics & HISTO_STATISTIC_##id) \
    task->scratch->numbers[HISTO_NUMBER_##id] += histo_cpu_##name (task);
#define PICTURE_HISTOGRAM(id, name, ...) \
  if (statistics & HISTO_STATISTIC_##id) \
    histo_cpu_##name (task);
#include "statistic_list.h"
}
