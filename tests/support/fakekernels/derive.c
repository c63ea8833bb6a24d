/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "kernels.h"

#include <stdlib.h>

/* R', G' or B' on the host. */
struct source {
  const struct histo_cuda_picture_component *component;
  const uint8_t *x;
};

static TEST_UNWATCHED int64_t
value_at (const struct source *source, uint64_t row, uint64_t i)
{
  const struct histo_cuda_picture_component *component = source->component;
  const uint8_t *at = source->x + row * component->stride_bytes + i * component->step_bytes;
  unsigned value = at[0];

  if (component->sample_bytes == 2)
    value = component->big_endian ? value << 8 | at[1] : value | (unsigned)at[1] << 8;
  return value >> component->shift & component->mask;
}

static bool
derive_is_valid (const struct fakekernel_launch *launch)
{
  const struct histo_cuda_derive *derive = &launch->parameter.derive;
  const uint64_t groups = (uint64_t)derive->row_groups * derive->height;

  if (launch->blocks_y != 1 || (derive->count != 1 && derive->count != HISTO_MAX_DERIVED)
      || derive->row_groups != (derive->width + HISTO_CUDA_DERIVE_SAMPLES - 1) / HISTO_CUDA_DERIVE_SAMPLES || groups == 0
      || derive->stride_bytes % 16 != 0)
    return false;
  if (launch->kernel->kind == FAKEKERNEL_DERIVE
      && (launch->shared_bytes != 0 || launch->blocks_x != (groups - 1) / HISTO_CUDA_DERIVE_THREADS + 1))
    return false;
  for (unsigned c = 0; c < 3; c++) {
    const struct histo_cuda_picture_component *source = &derive->sources[c];

    if (source->width != derive->width || source->height != derive->height || (source->depth > 8) != launch->kernel->is_deep
        || source->depth != derive->sources[0].depth || source->sample_bytes != (source->depth > 8 ? 2 : 1))
      return false;
  }
  return derive->top == (1 << derive->sources[0].depth) - 1;
}

/* Takes the sample from the pixel that has it, as the kernel does within a row. A selector outside the pixel gives 0. */
static TEST_UNWATCHED int64_t
value_in_pixel (const struct histo_cuda_derive *derive, const struct source *source, uint32_t selector, uint64_t row,
                uint64_t i)
{
  const struct histo_cuda_picture_component *component = source->component;
  const uint8_t *pixel
      = source->x - (component->data - derive->pixels) + row * component->stride_bytes + i * derive->pixel_bytes;
  const uint32_t low = selector & 15, high = selector >> 4 & 15;

  if (component->sample_bytes == 1)
    return low < derive->pixel_bytes && selector >> 4 == 0x444 ? pixel[low] : 0;
  if (low >= derive->pixel_bytes || high >= derive->pixel_bytes)
    return 0;
  return (pixel[low] | (unsigned)pixel[high] << 8) >> component->shift & component->mask;
}

static TEST_UNWATCHED int64_t
find_value (const struct histo_cuda_derive *derive, const struct source sources[3], unsigned c, uint64_t row, uint64_t i)
{
  if (derive->pixel_bytes == 0 || i < HISTO_CUDA_DERIVE_SAMPLES || i + HISTO_CUDA_DERIVE_SAMPLES >= derive->width)
    return value_at (&sources[c], row, i);
  return value_in_pixel (derive, &sources[c], derive->selectors[c], row, i);
}

static TEST_UNWATCHED int64_t
derive_value (const struct histo_cuda_derive *derive, const struct histo_cuda_derived *derived, const int64_t rgb[3])
{
  const int64_t sum
      = derived->offset + derived->weights[0] * rgb[0] + derived->weights[1] * rgb[1] + derived->weights[2] * rgb[2];
  const int64_t value = sum >> derive->shift;

  return value < 0 ? 0 : value > derive->top ? derive->top : value;
}

static TEST_UNWATCHED void
store_value (const struct histo_cuda_derive *derive, uint8_t *row, uint64_t i, int64_t value)
{
  const unsigned sample_bytes = derive->sources[0].sample_bytes;

  row[i * sample_bytes] = (uint8_t)value;
  if (sample_bytes == 2)
    row[i * sample_bytes + 1] = (uint8_t)(value >> 8);
}

static TEST_UNWATCHED void
derive_plane (const struct histo_cuda_derive *derive, const struct histo_cuda_derived *derived, const struct source sources[3],
              uint8_t *plane)
{
  for (uint32_t row = 0; row < derive->height; row++)
    for (uint32_t i = 0; i < derive->width; i++) {
      const int64_t rgb[3] = { find_value (derive, sources, 0, row, i), find_value (derive, sources, 1, row, i),
                               find_value (derive, sources, 2, row, i) };

      store_value (derive, plane + row * derive->stride_bytes, i, derive_value (derive, derived, rgb));
    }
}

/* Finds `count` sources. Returns false, after blame(), if their samples are not in memory. */
static bool
find_sources (const struct fakekernel_driver *driver, const struct histo_cuda_picture_component *const *components,
              unsigned count, struct source *sources)
{
  for (unsigned c = 0; c < count; c++) {
    const struct histo_cuda_picture_component *source = components[c];
    const int64_t last = (int64_t)((source->width - 1) * source->step_bytes) + source->sample_bytes;

    sources[c].component = source;
    sources[c].x = find_rows (driver, source->data, source->stride_bytes, source->height, 0, last);
    if (sources[c].x == NULL)
      return false;
    for (uint32_t row = 0; row < source->height; row++)
      test_watch_read (sources[c].x + row * source->stride_bytes, (uint64_t)last);
  }
  return true;
}

/* Finds the plane of each derived component; NULL for address 0. Returns false, after blame(), if one is not in memory. */
static bool
find_planes (const struct fakekernel_driver *driver, const struct histo_cuda_derive *derive, uint64_t size,
             uint8_t *planes[HISTO_MAX_DERIVED])
{
  const uint64_t group_bytes = (uint64_t)HISTO_CUDA_DERIVE_SAMPLES * derive->sources[0].sample_bytes;

  for (unsigned d = 0; d < derive->count; d++) {
    planes[d] = derive->derived[d].data != 0 ? driver->find (derive->derived[d].data, size, true) : NULL;
    if ((derive->derived[d].data != 0 && planes[d] == NULL) || derive->derived[d].data % 16 != 0
        || derive->row_groups * group_bytes > derive->stride_bytes) {
      driver->blame ("the planes of luma and chroma are not where they should be");
      return false;
    }
    if (planes[d] != NULL)
      test_watch_write (planes[d], size);
  }
  return true;
}

static uint64_t
count_plane_bytes (const struct histo_cuda_derive *derive)
{
  const uint64_t group_bytes = (uint64_t)HISTO_CUDA_DERIVE_SAMPLES * derive->sources[0].sample_bytes;

  return (derive->height - 1) * derive->stride_bytes + derive->row_groups * group_bytes;
}

static bool
derive_only (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_derive *derive = &launch->parameter.derive;
  const struct histo_cuda_picture_component *const components[3]
      = { &derive->sources[0], &derive->sources[1], &derive->sources[2] };
  uint8_t *planes[HISTO_MAX_DERIVED];
  struct source sources[3];

  if (!derive_is_valid (launch)) {
    driver->blame ("a derivation of luma contradicts itself or the launch");
    return false;
  }
  if (!find_planes (driver, derive, count_plane_bytes (derive), planes) || !find_sources (driver, components, 3, sources))
    return false;
  driver->unlock ();
  for (unsigned d = 0; d < derive->count; d++)
    derive_plane (derive, &derive->derived[d], sources, planes[d]);
  driver->lock ();
  return true;
}

/* Whether the bytes of a group's words are samples of the row, or between two of them. */
static bool
group_is_within_row (const struct histo_cuda_derive_count *count, const struct source *sources, uint32_t group)
{
  const struct histo_cuda_derive *derive = &count->derive;
  const unsigned sample_bytes = derive->sources[0].sample_bytes;
  const uint64_t bytes = derive->pixel_bytes > 0 ? derive->pixel_bytes : sample_bytes;
  uint64_t begin = UINT64_MAX, end = 0;

  for (unsigned c = 0; c < count->source_count; c++) {
    const struct histo_cuda_picture_component *source = sources[c].component;
    const uint64_t at = derive->pixel_bytes > 0 ? derive->pixels : source->data,
                   first = at + group * bytes * HISTO_CUDA_DERIVE_SAMPLES;

    const uint64_t alignment = derive->pixel_bytes == 3  ? 4
                               : derive->pixel_bytes > 0 ? 16
                                                         : 4 * sample_bytes,
                   last = source->data + (source->width - 1) * bytes + sample_bytes;

    if ((first | source->stride_bytes) % alignment != 0 || source->step_bytes != bytes)
      return false;
    if (derive->pixel_bytes == 0 && (first < source->data || first + HISTO_CUDA_DERIVE_SAMPLES * bytes > last))
      return false;
    begin = source->data < begin ? source->data : begin;
    end = last > end ? last : end;
  }
  return derive->pixel_bytes == 0
         || (derive->pixels + group * bytes * HISTO_CUDA_DERIVE_SAMPLES >= begin
             && derive->pixels + (group + 1) * bytes * HISTO_CUDA_DERIVE_SAMPLES <= end);
}

/* The number of bins of each component. */
static uint32_t
count_derived_bins (const struct histo_cuda_derive_count *count)
{
  return count->derive.sources[0].sample_bytes > 1 ? 1u << count->bins_log2 : HISTO_CUDA_BINS;
}

/* Whether all sources have samples as the first, which the kernel takes out of words. */
static bool
sources_are_alike (const struct histo_cuda_derive_count *count, const struct source *sources)
{
  const struct histo_cuda_picture_component *first = sources[0].component;

  for (unsigned c = 1; c < count->source_count; c++) {
    const struct histo_cuda_picture_component *source = sources[c].component;

    if (source->width != first->width || source->height != first->height || source->sample_bytes != first->sample_bytes
        || source->shift != first->shift || source->mask != first->mask || source->big_endian != first->big_endian)
      return false;
  }
  return first->sample_bytes == 1 || (count->bins_log2 <= 12 && count->bins_log2 + count->bin_shift == first->depth);
}

static bool
derive_count_is_valid (const struct fakekernel_launch *launch, const struct source *sources)
{
  const struct histo_cuda_derive_count *count = &launch->parameter.derive_count;
  const uint32_t last_group = count->first_group + count->loaded_groups;

  return derive_is_valid (launch) && sources_are_alike (count, sources) && count->tag <= UINT16_MAX && count->columns_log2 <= 5
         && launch->blocks_x >= 1 && launch->blocks_x <= HISTO_CUDA_MAX_BLOCKS
         && launch->shared_bytes
                == (count->derive.count + count->source_count)
                       * HISTO_CUDA_TABLE_BYTES (count_derived_bins (count), 1u << count->columns_log2)
         && (count->loaded_groups == 0
             || (last_group <= count->derive.row_groups && group_is_within_row (count, sources, count->first_group)
                 && group_is_within_row (count, sources, last_group - 1)));
}

/* The sample that the kernel takes: from a pixel's word, or from memory. */
static TEST_UNWATCHED int64_t
find_counted (const struct histo_cuda_derive_count *count, const struct source *source, unsigned c, uint32_t row, uint32_t i)
{
  const uint32_t group = i / HISTO_CUDA_DERIVE_SAMPLES;

  if (count->derive.pixel_bytes == 0 || group < count->first_group || group - count->first_group >= count->loaded_groups)
    return value_at (source, row, i);
  return value_in_pixel (&count->derive, source, c < 3 ? count->derive.selectors[c] : count->other_selector, row, i);
}

static TEST_UNWATCHED void
count_value (const struct histo_cuda_derive_count *count, struct numbers *numbers, uint64_t value)
{
  numbers->histogram[value >> count->bin_shift]++;
  numbers->sum += value;
  numbers->squares += value * value;
}

static TEST_UNWATCHED void
count_pixels (const struct histo_cuda_derive_count *count, const struct source *sources, uint8_t *const *planes,
              struct numbers *numbers)
{
  const struct histo_cuda_derive *derive = &count->derive;

  for (uint32_t row = 0; row < derive->height; row++)
    for (uint32_t i = 0; i < derive->width; i++) {
      int64_t values[HISTO_CUDA_COMPONENTS];

      for (unsigned c = 0; c < count->source_count; c++) {
        values[c] = find_counted (count, &sources[c], c, row, i);
        count_value (count, &numbers[derive->count + c], (uint64_t)values[c]);
      }
      for (unsigned d = 0; d < derive->count; d++) {
        const int64_t value = derive_value (derive, &derive->derived[d], values);

        count_value (count, &numbers[d], (uint64_t)value);
        if (planes[d] != NULL)
          store_value (derive, planes[d] + row * derive->stride_bytes, i, value);
      }
    }
}

static bool
derive_and_count (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_derive_count *count = &launch->parameter.derive_count;
  const struct histo_cuda_derive *derive = &count->derive;
  const struct histo_cuda_picture_component *const components[HISTO_CUDA_COMPONENTS]
      = { &derive->sources[0], &derive->sources[1], &derive->sources[2], &count->other };
  const uint32_t bins = count_derived_bins (count);
  const bool is_deep = launch->kernel->is_deep;
  uint64_t (*histograms)[HISTO_CUDA_DEEP_BINS], *words[HISTO_CUDA_COUNTED];
  struct numbers numbers[HISTO_CUDA_COUNTED] = { 0 };
  struct source sources[HISTO_CUDA_COMPONENTS];
  uint8_t *planes[HISTO_MAX_DERIVED];

  if (count->source_count < 3 || count->source_count > HISTO_CUDA_COMPONENTS
      || !find_sources (driver, components, count->source_count, sources) || !derive_count_is_valid (launch, sources)) {
    driver->blame ("a count of derived components contradicts itself or the launch");
    return false;
  }
  if (!find_planes (driver, derive, count_plane_bytes (derive), planes))
    return false;
  for (unsigned c = 0; c < derive->count + count->source_count; c++) {
    const uint64_t at = count->first_words[c] * sizeof (uint64_t);

    words[c] = find_words (driver, count->workspace + at, count->result + at, HISTO_CUDA_WORDS (bins), count->tag);
    if (words[c] == NULL)
      return false;
  }
  histograms = calloc (HISTO_CUDA_COUNTED, sizeof *histograms);
  if (histograms == NULL) {
    driver->blame ("the fake GPU has no memory for histograms");
    return false;
  }
  for (unsigned c = 0; c < HISTO_CUDA_COUNTED; c++)
    numbers[c].histogram = histograms[c];
  driver->unlock ();
  count_pixels (count, sources, planes, numbers);
  driver->lock ();
  for (unsigned c = 0; c < derive->count + count->source_count; c++)
    store_numbers (words[c], bins, &numbers[c], false, is_deep, count->tag);
  free (histograms);
  return true;
}

bool
derive_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  return launch->kernel->kind == FAKEKERNEL_DERIVE_COUNT ? derive_and_count (launch, driver) : derive_only (launch, driver);
}

void
end_derive (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_derive_count *count = &launch->parameter.derive_count;

  if (launch->kernel->kind != FAKEKERNEL_DERIVE_COUNT || count->tag == 0)
    return;
  for (unsigned c = 0; c < count->derive.count + count->source_count; c++)
    clear_words (driver, count->workspace + count->first_words[c] * sizeof (uint64_t),
                 HISTO_CUDA_WORDS (count_derived_bins (count)));
}

bool
derive_uses (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size)
{
  const struct histo_cuda_derive *derive = &launch->parameter.derive;
  const struct histo_cuda_derive_count *count = &launch->parameter.derive_count;

  if (launch->kernel->kind == FAKEKERNEL_DERIVE_COUNT
      && (is_within (count->workspace, begin, size) || is_within (count->result, begin, size)
          || (count->source_count > 3 && is_within (count->other.data, begin, size))))
    return true;
  for (unsigned c = 0; c < 3; c++)
    if (is_within (derive->sources[c].data, begin, size))
      return true;
  for (unsigned d = 0; d < derive->count; d++)
    if (is_within (derive->derived[d].data, begin, size))
      return true;
  return false;
}
