/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdlib.h>

#include "kernels.h"
#include "picture.h"
#include "reference/reference.h"

/* Statistics whose bins are in tables. */
enum {
  HISTOGRAMS = 0
#define PICTURE_HISTOGRAM(id, ...) | HISTO_STATISTIC_##id
#include "statistic_list.h"
};

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

/* Describes the frame, and the operand if there is one. */
static bool
find_frame (const struct fakekernel_driver *driver, const struct histo_cuda_picture *picture, unsigned index,
            struct histo_frame *frame, struct histo_frame *operand)
{
  *frame = *operand = (struct histo_frame){
    .derived_count = picture->gamut_component,
    .chroma = { picture->shift_x, picture->shift_y, picture->phase_x, picture->phase_y },
    .gamut = { .r_cr = (int16_t)(picture->gamut_red >> 16),
               .g_cb = (int16_t)(picture->gamut_green & 0xffff),
               .g_cr = (int16_t)(picture->gamut_green >> 16),
               .b_cb = (int16_t)(picture->gamut_blue & 0xffff),
               .min = picture->gamut_min,
               .max = picture->gamut_max,
               .is_rgb = picture->gamut_is_rgb },
    .operand = operand,
  };
  for (unsigned c = 0; c < picture->component_count; c++) {
    const struct histo_cuda_picture_component *component = &picture->components[c];

    if (!describe_component (driver, component, first_sample (driver, picture, c, index, false), component->stride_bytes,
                             frame))
      return false;
    if (component->operand != 0
        && !describe_component (driver, component, first_sample (driver, picture, c, index, true),
                                component->operand_stride_bytes, operand))
      return false;
  }
  return true;
}

static bool
is_present (const struct histo_frame *frame, unsigned needs)
{
  return (!(needs & HISTO_NEEDS_LUMA) || frame->planes[0].data != NULL)
         && (!(needs & HISTO_NEEDS_COLOURS) || (frame->planes[1].data != NULL && frame->planes[2].data != NULL));
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
count_statistics (const struct histo_cuda_picture *picture, const struct histo_frame *frame, uint64_t *totals, uint64_t *bins)
{
#define PICTURE_NUMBER(id, name, needs)                                        \
  if (picture->statistics & HISTO_STATISTIC_##id && is_present (frame, needs)) \
    totals[HISTO_NUMBER_##id] = histo_reference_##name (frame);
#define PICTURE_HISTOGRAM(id, name, needs, most, list_bins, ...)              \
  if (picture->statistics & HISTO_STATISTIC_##id && is_present (frame, needs) \
      && count_bins (picture, HISTO_STATISTIC_##id, list_bins) > 0)           \
    histo_reference_##name (frame, bins + count_bins_before (picture, HISTO_ROW_##id));
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

/* Returns whether the picture has the broadcast range of its depth, and no other coefficients than R', G' and B' have. */
static bool
limits_are_valid (const struct histo_cuda_picture *picture)
{
  const struct histo_range range = histo_find_range (picture->components[0].depth);

  return picture->luma_min == range.luma_min && picture->luma_max == range.luma_max && picture->chroma_min == range.chroma_min
         && picture->chroma_max == range.chroma_max && (picture->gamut_red & 0xffff) == 0 && picture->gamut_blue >> 16 == 0
         && (picture->gamut_component == 0 || picture->gamut_is_rgb);
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
      || (takes_cells ? !has_cells (picture) || !shares_tiles (launch) : picture->counts) || !limits_are_valid (picture))
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
  struct histo_frame frame, operand;
  uint64_t *words
      = find_words (driver, picture->workspace + offset, picture->result + offset, count_words (picture), picture->tag);
  uint64_t *bins = calloc (count_words (picture), sizeof *bins);

  if (words == NULL || bins == NULL || !find_frame (driver, picture, index, &frame, &operand)) {
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
    uint64_t *differences = &totals[HISTO_CUDA_PICTURE_DIFFERENCE (c) / 2];

    watch_component (&frame, c);
    if (picture->statistics & HISTO_STATISTIC_DIFFERENCE) {
      watch_component (&operand, c);
      histo_reference_difference (&frame, c, &differences[0], &differences[1]);
    }
    if (picture->counts) /* the kernel for cells can */
      histo_reference_histogram (&frame, c, histograms[c]);
  }
  count_statistics (picture, &frame, totals, bins);
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
