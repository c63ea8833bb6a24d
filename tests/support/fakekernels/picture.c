/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <stdlib.h>

#include "hue.h"
#include "kernels.h"

/* Statistics whose bins are in tables. */
enum {
  HISTOGRAMS = 0
#define PICTURE_HISTOGRAM(id, ...) | HISTO_STATISTIC_##id
#include "statistic_list.h"
};

/* A component of a frame, on the host. */
struct samples {
  const struct histo_cuda_picture_component *component;
  const uint8_t *x, *y;
};

static TEST_UNWATCHED int64_t
value_at (const struct samples *samples, const uint8_t *first, uint64_t stride, uint64_t row, uint64_t i)
{
  const struct histo_cuda_picture_component *component = samples->component;
  const uint8_t *at = first + row * stride + i * component->step_bytes;
  unsigned value = at[0];

  if (component->sample_bytes == 2)
    value = component->big_endian ? value << 8 | at[1] : value | (unsigned)at[1] << 8;
  return value >> component->shift & component->mask;
}

static TEST_UNWATCHED int64_t
x_at (const struct samples *samples, uint64_t row, uint64_t i)
{
  return value_at (samples, samples->x, samples->component->stride_bytes, row, i);
}

/* Returns the address of a component of frame `index`. */
static uint64_t
first_sample (const struct fakekernel_driver *driver, const struct histo_cuda_picture *picture, unsigned c, unsigned index,
              bool of_operand)
{
  const struct histo_cuda_picture_component *component = &picture->components[c];
  const uint64_t lists = picture->pass_count * (of_operand ? 2 : 1);
  const uint64_t *addresses;

  if (picture->addresses == 0)
    return (of_operand ? component->operand : component->data) + index * picture->pitch_bytes;
  addresses = find_addresses (driver, picture->addresses, lists * picture->frame_count);
  if (addresses == NULL)
    return 0;
  return addresses[((of_operand ? picture->pass_count : 0) + component->pass) * (uint64_t)picture->frame_count + index]
         + (uint64_t)component->offset_bytes;
}

static bool
find_samples (const struct fakekernel_driver *driver, const struct histo_cuda_picture *picture, unsigned index,
              struct samples samples[HISTO_CUDA_COUNTED])
{
  for (unsigned c = 0; c < picture->component_count; c++) {
    const struct histo_cuda_picture_component *component = &picture->components[c];
    const int64_t last = (int64_t)((component->width - 1) * component->step_bytes) + component->sample_bytes;

    samples[c] = (struct samples){ .component = component };
    if (component->width == 0 || component->height == 0)
      continue;
    samples[c].x = find_rows (driver, first_sample (driver, picture, c, index, false), component->stride_bytes,
                              component->height, 0, last);
    if (component->operand != 0)
      samples[c].y = find_rows (driver, first_sample (driver, picture, c, index, true), component->operand_stride_bytes,
                                component->height, 0, last);
    if (samples[c].x == NULL || (component->operand != 0 && samples[c].y == NULL))
      return false;
  }
  return true;
}

static void
watch_samples (const struct samples *samples)
{
  const struct histo_cuda_picture_component *component = samples->component;
  const uint64_t bytes = (component->width - 1) * component->step_bytes + component->sample_bytes;

  for (uint32_t row = 0; samples->x != NULL && row < component->height; row++) {
    test_watch_read (samples->x + row * component->stride_bytes, bytes);
    if (samples->y != NULL)
      test_watch_read (samples->y + row * component->operand_stride_bytes, bytes);
  }
}

static TEST_UNWATCHED void
count_differences (const struct samples *samples, uint64_t *totals)
{
  for (uint32_t row = 0; samples->x != NULL && row < samples->component->height; row++)
    for (uint32_t i = 0; i < samples->component->width; i++) {
      int64_t difference
          = x_at (samples, row, i) - value_at (samples, samples->y, samples->component->operand_stride_bytes, row, i);

      totals[0] += (uint64_t)llabs (difference);
      totals[1] += (uint64_t)(difference * difference);
    }
}

/* FFmpeg's definition: half the sum of the distances of the outer two from the middle one, minus their distance, exceeds 4. */
static TEST_UNWATCHED bool
stands_out (const struct samples *luma, int64_t row, int64_t i, int64_t distance)
{
  int64_t above = x_at (luma, (uint64_t)(row - distance), (uint64_t)i) & 255;
  int64_t below = x_at (luma, (uint64_t)(row + distance), (uint64_t)i) & 255;
  int64_t middle = x_at (luma, (uint64_t)row, (uint64_t)i) & 255;

  return (llabs (above - middle) + llabs (below - middle)) / 2 - llabs (above - below) > 4;
}

static TEST_UNWATCHED bool
is_outlier (const struct histo_cuda_picture *picture, const struct samples *luma, uint32_t row_index, uint32_t index)
{
  const int64_t width = luma->component->width, height = luma->component->height, row = row_index, i = index;

  (void)picture;
  if (row < 1 || row + 1 >= height || i < 1 || i + 1 >= width)
    return false;
  for (int64_t k = i - 1; k <= i + 1; k++)
    if (!stands_out (luma, row, k, 1) || (row >= 2 && row + 2 < height && !stands_out (luma, row, k, 2)))
      return false;
  return true;
}

static TEST_UNWATCHED bool
repeats (const struct samples *luma, uint32_t row)
{
  uint64_t distance = 0;

  for (uint32_t i = 0; row >= 4 && i < luma->component->width; i++)
    distance += (uint64_t)llabs (x_at (luma, row, i) - x_at (luma, row - 4, i));
  return row >= 4 && distance < luma->component->width;
}

static TEST_UNWATCHED bool
is_out_of_range (const struct histo_cuda_picture *picture, const struct samples *samples, uint32_t row, uint32_t i)
{
  const uint32_t chroma_row = (row + picture->phase_y) >> picture->shift_y,
                 chroma_i = (i + picture->phase_x) >> picture->shift_x;
  const int64_t luma = x_at (&samples[0], row, i);

  if (luma < picture->luma_min || luma > picture->luma_max)
    return true;
  for (unsigned c = 1; c < 3; c++) {
    const int64_t chroma = x_at (&samples[c], chroma_row, chroma_i);

    if (chroma < picture->chroma_min || chroma > picture->chroma_max)
      return true;
  }
  return false;
}

static TEST_UNWATCHED bool
is_out_of_limits (const struct histo_cuda_picture *picture, int64_t value)
{
  return value < picture->gamut_min || value > picture->gamut_max;
}

static TEST_UNWATCHED bool
is_out_of_gamut (const struct histo_cuda_picture *picture, const struct samples *samples, uint32_t row, uint32_t i)
{
  const uint32_t chroma_row = (row + picture->phase_y) >> picture->shift_y,
                 chroma_i = (i + picture->phase_x) >> picture->shift_x;
  const struct samples *tested = &samples[picture->gamut_component];
  const int64_t one = 1 << HISTO_CUDA_GAMUT_LOG2, luma = x_at (&tested[0], row, i) * one;
  const int32_t matrix[] = { picture->gamut_red, picture->gamut_green, picture->gamut_blue };
  int64_t chroma[2];
  bool is_out = is_out_of_limits (picture, luma);

  for (unsigned c = 0; c < 2; c++) {
    chroma[c] = x_at (&tested[1 + c], chroma_row, chroma_i);
    if (picture->gamut_is_rgb)
      is_out = is_out || is_out_of_limits (picture, chroma[c] * one);
    else
      chroma[c] -= (int64_t)1 << (tested[0].component->depth - 1);
  }
  for (unsigned c = 0; c < 3 && !picture->gamut_is_rgb; c++)
    is_out = is_out
             || is_out_of_limits (picture,
                                  luma + (int16_t)(matrix[c] & 0xffff) * chroma[0] + (int16_t)(matrix[c] >> 16) * chroma[1]);
  return is_out;
}

/* The samples of luma for which `is_counted` is true. */
static TEST_UNWATCHED uint64_t
count_where (const struct histo_cuda_picture *picture, const struct samples *samples,
             bool (*is_counted) (const struct histo_cuda_picture *picture, const struct samples *samples, uint32_t row,
                                 uint32_t i))
{
  uint64_t counted = 0;

  for (uint32_t row = 0; row < samples[0].component->height; row++)
    for (uint32_t i = 0; i < samples[0].component->width; i++)
      counted += is_counted (picture, samples, row, i);
  return counted;
}

/* Each number and each histogram of the list of statistics: count_NAME. */
static TEST_UNWATCHED uint64_t
count_outliers (const struct histo_cuda_picture *picture, const struct samples *samples)
{
  return count_where (picture, samples, is_outlier);
}

static TEST_UNWATCHED uint64_t
count_repeats (const struct histo_cuda_picture *picture, const struct samples *samples)
{
  uint64_t rows = 0;

  (void)picture;
  for (uint32_t row = 0; row < samples[0].component->height; row++)
    rows += repeats (&samples[0], row);
  return rows * samples[0].component->width;
}

static TEST_UNWATCHED uint64_t
count_out_of_range (const struct histo_cuda_picture *picture, const struct samples *samples)
{
  return count_where (picture, samples, is_out_of_range);
}

static TEST_UNWATCHED uint64_t
count_gamut_errors (const struct histo_cuda_picture *picture, const struct samples *samples)
{
  return count_where (picture, samples, is_out_of_gamut);
}

/* Returns whether a chroma pair is at the beginning of this hue, or less than 180 degrees beyond it. */
static TEST_UNWATCHED bool
is_past (unsigned hue, int64_t cb, int64_t cr)
{
  static const int64_t directions[HISTO_HUES][2] = { HISTO_HUE_DIRECTIONS };

  hue %= HISTO_HUES;
  return cb * directions[hue][1] >= cr * directions[hue][0];
}

/* Finds the hue by bisection, after its quarter. */
static TEST_UNWATCHED unsigned
find_hue (int64_t cb, int64_t cr)
{
  const unsigned quarter = HISTO_HUES / 4;
  unsigned hue = 0, end;

  if (cb == 0 && cr == 0)
    return HISTO_HUES / 2;
  while (!is_past (hue, cb, cr) || is_past (hue + quarter, cb, cr))
    hue += quarter;
  for (end = hue + quarter; end - hue > 1;) {
    const unsigned middle = (hue + end) / 2;

    if (is_past (middle, cb, cr))
      hue = middle;
    else
      end = middle;
  }
  return hue;
}

static TEST_UNWATCHED void
count_hue (const struct histo_cuda_picture *picture, const struct samples *samples, uint64_t *bins)
{
  const int64_t middle = (int64_t)1 << (samples[1].component->depth - 1);

  (void)picture;
  for (uint32_t row = 0; row < samples[1].component->height; row++)
    for (uint32_t i = 0; i < samples[1].component->width; i++)
      bins[find_hue (x_at (&samples[1], row, i) - middle, x_at (&samples[2], row, i) - middle)]++;
}

static TEST_UNWATCHED void
count_saturation (const struct histo_cuda_picture *picture, const struct samples *samples, uint64_t *bins)
{
  const int64_t middle = (int64_t)1 << (samples[1].component->depth - 1);

  (void)picture;
  for (uint32_t row = 0; row < samples[1].component->height; row++)
    for (uint32_t i = 0; i < samples[1].component->width; i++) {
      const int64_t cb = x_at (&samples[1], row, i) - middle, cr = x_at (&samples[2], row, i) - middle;

      bins[(uint64_t)sqrtl ((long double)(cb * cb + cr * cr))]++;
    }
}

/* Counted by other kernels: see scope.c. */
static void
count_light (const struct histo_cuda_picture *picture, const struct samples *samples, uint64_t *bins)
{
  (void)picture;
  (void)samples;
  (void)bins;
}

static void
count_vectorscope (const struct histo_cuda_picture *picture, const struct samples *samples, uint64_t *bins)
{
  (void)picture;
  (void)samples;
  (void)bins;
}

static bool
is_present (const struct samples *samples, unsigned needs)
{
  return (!(needs & HISTO_NEEDS_LUMA) || samples[0].x != NULL)
         && (!(needs & HISTO_NEEDS_COLOURS) || (samples[1].x != NULL && samples[2].x != NULL));
}

/* The words of a histogram: 0 if it is not requested (the hues always have theirs), or if another kernel counts it. */
static uint32_t
count_bins (const struct histo_cuda_picture *picture, uint32_t statistic, uint32_t bins)
{
  if (statistic == HISTO_STATISTIC_VECTORSCOPE || statistic == HISTO_STATISTIC_LIGHT
      || (!(picture->statistics & statistic) && statistic != HISTO_STATISTIC_HUE))
    return 0;
  return bins > 0 ? bins : picture->saturation_count;
}

/* The words of the histograms before row `end` of the list. */
static uint32_t
count_bins_before (const struct histo_cuda_picture *picture, unsigned end)
{
  uint32_t words = 0;

#define PICTURE_HISTOGRAM(id, name, needs, most, bins, ...) \
  words += HISTO_ROW_##id < end ? count_bins (picture, HISTO_STATISTIC_##id, bins) : 0;
#include "statistic_list.h"
  return words;
}

/* Counts the numbers of a picture that are requested into `totals`, and its histograms into `bins`. */
static void
count_statistics (const struct histo_cuda_picture *picture, const struct samples *samples, uint64_t *totals, uint64_t *bins)
{
#define PICTURE_NUMBER(id, name, needs)                                          \
  if (picture->statistics & HISTO_STATISTIC_##id && is_present (samples, needs)) \
    totals[HISTO_NUMBER_##id] = count_##name (picture, samples);
#define PICTURE_HISTOGRAM(id, name, needs, ...)                                  \
  if (picture->statistics & HISTO_STATISTIC_##id && is_present (samples, needs)) \
    count_##name (picture, samples, bins + count_bins_before (picture, HISTO_ROW_##id));
#include "statistic_list.h"
}

/* Returns whether the kernel for cells supports the picture. */
static bool
has_cells (const struct histo_cuda_picture *picture)
{
  const struct histo_cuda_picture_component *luma = &picture->components[0], *cb = &picture->components[1],
                                            *cr = &picture->components[2];
  const uint64_t pair = cb->step_bytes == 2, chroma_unit = pair ? HISTO_CUDA_CELL_BYTES : HISTO_CUDA_CELL_BYTES / 2;
  const uint64_t chroma_bits = (cb->data - (pair && cb->data % 2)) | cb->stride_bytes | (cr->data - (pair && cr->data % 2))
                               | cr->stride_bytes | (cb->operand - (pair && cb->operand % 2)) | cb->operand_stride_bytes
                               | (cr->operand - (pair && cr->operand % 2)) | cr->operand_stride_bytes;

  return picture->component_count == 3 && luma->depth == 8 && cb->depth == 8 && luma->step_bytes == 1
         && cr->step_bytes == cb->step_bytes && cb->step_bytes <= 2 && picture->shift_x == 1 && picture->shift_y == 1
         && picture->phase_x == 0 && picture->phase_y == 0 && luma->width <= HISTO_CUDA_CELL_MAX_WIDTH
         && cb->width * 2 == luma->width && cr->width == cb->width && cb->height == (luma->height + 1) / 2
         && cr->height == cb->height
         && (luma->width | luma->data | luma->operand | luma->stride_bytes | luma->operand_stride_bytes) % HISTO_CUDA_CELL_BYTES
                == 0
         && chroma_bits % chroma_unit == 0 && picture->columns_log2 == HISTO_CUDA_PICTURE_COLUMNS_LOG2;
}

/* Returns whether the launch covers all tiles, and has memory for the rows of a block's share. */
static bool
shares_tiles (const struct fakekernel_launch *launch)
{
  const struct histo_cuda_picture *picture = &launch->parameter.picture;
  const struct histo_cuda_picture_component *luma = &picture->components[0];
  const uint64_t bands = (luma->height + HISTO_CUDA_CELL_ROWS - 1) / HISTO_CUDA_CELL_ROWS;

  return picture->row_tiles == (luma->width + HISTO_CUDA_TILE_BYTES - 1) / HISTO_CUDA_TILE_BYTES
         && picture->tiles == bands * picture->row_tiles && (uint64_t)picture->tiles * launch->blocks_x <= UINT32_MAX
         && launch->blocks_x * (uint64_t)HISTO_CUDA_SHARE_BANDS >= bands
         && (HISTO_CUDA_SHARE_BANDS + 1) * HISTO_CUDA_CELL_ROWS <= HISTO_CUDA_PICTURE_ROWS;
}

static bool
picture_is_valid (const struct fakekernel_launch *launch)
{
  const struct histo_cuda_picture *picture = &launch->parameter.picture;
  const bool takes_cells = launch->kernel->takes_cells;
  const bool is_tabled = picture->saturation_count <= HISTO_CUDA_PICTURE_SATURATIONS;
  uint32_t bins = picture->counts ? 3 * HISTO_CUDA_BINS : 0;

  if (picture->statistics & HISTOGRAMS)
    bins += count_bins_before (picture, HISTO_STATISTIC_ROWS) - (is_tabled ? 0 : picture->saturation_count);
  if (picture->frame_count != launch->blocks_y || launch->blocks_x > HISTO_CUDA_MAX_BLOCKS || picture->component_count < 1
      || picture->component_count > HISTO_CUDA_COUNTED || (!is_tabled && picture->tag != 0)
      || !(picture->statistics & HISTO_STATISTIC_SATURATION) != !picture->saturation_count
      || !(picture->statistics & HISTO_STATISTIC_GAMUT) == launch->kernel->with_gamut
      || launch->shared_bytes < HISTO_CUDA_TABLE_BYTES (bins, 1u << picture->columns_log2)
      || (takes_cells ? !has_cells (picture) || !shares_tiles (launch) : picture->counts))
    return false;
  for (unsigned c = 0; c < picture->component_count; c++) {
    const struct histo_cuda_picture_component *component = &picture->components[c];

    if ((!takes_cells && (uint64_t)component->band_rows * launch->blocks_x < component->height)
        || (component->height > 0 && !component->operand != !(picture->statistics & HISTO_STATISTIC_DIFFERENCE)))
      return false;
  }
  return takes_cells || picture->components[0].band_rows <= HISTO_CUDA_PICTURE_ROWS;
}

static void
store (uint64_t *word, uint64_t value, uint64_t tag)
{
  if (tag == 0)
    __atomic_fetch_add (word, value << 16, __ATOMIC_RELAXED);
  else
    __atomic_store_n (word, value << 16 | tag, __ATOMIC_RELEASE);
}

/* Counts the histograms, which the kernel for cells can also make. */
static TEST_UNWATCHED void
count_histogram (const struct samples *samples, uint64_t *histogram)
{
  for (uint32_t row = 0; samples->x != NULL && row < samples->component->height; row++)
    for (uint32_t i = 0; i < samples->component->width; i++)
      histogram[x_at (samples, row, i)]++;
}

static void
store_picture (const struct histo_cuda_picture *picture, uint64_t *words, const uint64_t *totals, const uint64_t *bins)
{
  for (unsigned t = 0; t < HISTO_CUDA_PICTURE_TOTALS; t++) {
    store (&words[2 * t], totals[t] & ((1u << HISTO_CUDA_LOW_BITS) - 1), picture->tag);
    store (&words[2 * t + 1], totals[t] >> HISTO_CUDA_LOW_BITS, picture->tag);
  }
  words += HISTO_CUDA_PICTURE_WORDS;
#define PICTURE_HISTOGRAM(id, name, needs, most, list_bins, ...)                                                             \
  for (uint32_t first = count_bins_before (picture, HISTO_ROW_##id), i = first;                                              \
       picture->statistics & HISTO_STATISTIC_##id && i < first + count_bins (picture, HISTO_STATISTIC_##id, list_bins); i++) \
    store (&words[i], bins[i], picture->tag);
#include "statistic_list.h"
}

static uint64_t
count_words (const struct histo_cuda_picture *picture)
{
  return HISTO_CUDA_PICTURE_WORDS + count_bins_before (picture, HISTO_STATISTIC_ROWS);
}

/* Returns the bytes from the first word of the first frame to a word of another frame. */
static uint64_t
find_offset (const struct histo_cuda_picture *picture, unsigned index, uint32_t word)
{
  return ((uint64_t)index * picture->frame_words + word) * sizeof (uint64_t);
}

/* Returns the result words of a component's histogram. */
static uint64_t *
find_histogram (const struct fakekernel_driver *driver, const struct histo_cuda_picture *picture, unsigned index, unsigned c)
{
  const uint64_t offset = find_offset (picture, index, picture->components[c].first_word);

  return find_words (driver, picture->workspace + offset, picture->result + offset, HISTO_CUDA_BINS, picture->tag);
}

static bool
picture_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index)
{
  const struct histo_cuda_picture *picture = &launch->parameter.picture;
  const uint64_t offset = find_offset (picture, index, picture->first_word);
  uint64_t histograms[HISTO_CUDA_COUNTED][HISTO_CUDA_BINS] = { { 0 } }, *histogram_words[HISTO_CUDA_COUNTED];
  uint64_t totals[HISTO_CUDA_PICTURE_TOTALS] = { 0 };
  struct samples samples[HISTO_CUDA_COUNTED];
  uint64_t *words
      = find_words (driver, picture->workspace + offset, picture->result + offset, count_words (picture), picture->tag);
  uint64_t *bins = calloc (count_words (picture), sizeof *bins);

  if (words == NULL || bins == NULL || !find_samples (driver, picture, index, samples)) {
    free (bins);
    return false;
  }
  for (unsigned c = 0; picture->counts && c < picture->component_count; c++) {
    histogram_words[c] = find_histogram (driver, picture, index, c);
    if (histogram_words[c] == NULL) {
      free (bins);
      return false;
    }
  }
  driver->unlock ();
  for (unsigned c = 0; c < picture->component_count; c++) {
    watch_samples (&samples[c]);
    if (picture->statistics & HISTO_STATISTIC_DIFFERENCE)
      count_differences (&samples[c], &totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2]);
    if (picture->counts)
      count_histogram (&samples[c], histograms[c]);
  }
  count_statistics (picture, samples, totals, bins);
  driver->lock ();
  store_picture (picture, words, totals, bins);
  for (unsigned c = 0; picture->counts && c < picture->component_count; c++)
    for (unsigned bin = 0; bin < HISTO_CUDA_BINS; bin++)
      store (&histogram_words[c][bin], histograms[c][bin], picture->tag);
  free (bins);
  return true;
}

bool
picture_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  if (!picture_is_valid (launch)) {
    driver->blame ("the statistics of a picture contradict themselves or the launch");
    return false;
  }
  for (unsigned i = 0; i < launch->blocks_y; i++)
    if (!picture_frame (launch, driver, i))
      return false;
  return true;
}

void
end_pictures (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_picture *picture = &launch->parameter.picture;

  for (uint32_t i = 0; i < picture->frame_count && picture->tag != 0; i++) {
    clear_words (driver, picture->workspace + find_offset (picture, i, picture->first_word), count_words (picture));
    for (unsigned c = 0; picture->counts && c < picture->component_count; c++)
      clear_words (driver, picture->workspace + find_offset (picture, i, picture->components[c].first_word), HISTO_CUDA_BINS);
  }
}

bool
pictures_use (const struct histo_cuda_picture *picture, uint64_t begin, uint64_t size)
{
  for (unsigned c = 0; c < picture->component_count; c++)
    if (is_within (picture->components[c].data, begin, size) || is_within (picture->components[c].operand, begin, size))
      return true;
  return is_within (picture->workspace, begin, size) || is_within (picture->result, begin, size)
         || is_within (picture->addresses, begin, size);
}
