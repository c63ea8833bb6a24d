/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "kernels.h"

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

  if (launch->blocks_y != 1 || launch->shared_bytes != 0 || (derive->count != 1 && derive->count != HISTO_MAX_DERIVED)
      || derive->row_groups != (derive->width + HISTO_CUDA_DERIVE_SAMPLES - 1) / HISTO_CUDA_DERIVE_SAMPLES || groups == 0
      || launch->blocks_x != (groups - 1) / HISTO_CUDA_DERIVE_THREADS + 1 || derive->stride_bytes % 16 != 0)
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

static TEST_UNWATCHED void
derive_plane (const struct histo_cuda_derive *derive, const struct histo_cuda_derived *derived, const struct source sources[3],
              uint8_t *plane)
{
  const unsigned sample_bytes = sources[0].component->sample_bytes;

  for (uint32_t row = 0; row < derive->height; row++)
    for (uint32_t i = 0; i < derive->width; i++) {
      uint8_t *at = plane + row * derive->stride_bytes + (uint64_t)i * sample_bytes;
      int64_t value = derived->offset;

      for (unsigned c = 0; c < 3; c++)
        value += derived->weights[c] * find_value (derive, sources, c, row, i);
      value >>= derive->shift;
      value = value < 0 ? 0 : value > derive->top ? derive->top : value;
      at[0] = (uint8_t)value;
      if (sample_bytes == 2)
        at[1] = (uint8_t)(value >> 8);
    }
}

bool
derive_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_derive *derive = &launch->parameter.derive;
  const uint64_t group_bytes = (uint64_t)HISTO_CUDA_DERIVE_SAMPLES * derive->sources[0].sample_bytes;
  uint8_t *planes[HISTO_MAX_DERIVED];
  struct source sources[3];
  uint64_t size;

  if (!derive_is_valid (launch)) {
    driver->blame ("a derivation of luma contradicts itself or the launch");
    return false;
  }
  size = (derive->height - 1) * derive->stride_bytes + derive->row_groups * group_bytes;
  for (unsigned d = 0; d < derive->count; d++) {
    planes[d] = driver->find (derive->derived[d].data, size, true);
    if (planes[d] == NULL || derive->derived[d].data % 16 != 0 || derive->row_groups * group_bytes > derive->stride_bytes) {
      driver->blame ("the planes of luma and chroma are not where they should be");
      return false;
    }
  }
  for (unsigned c = 0; c < 3; c++) {
    const struct histo_cuda_picture_component *source = &derive->sources[c];
    const int64_t last = (int64_t)((source->width - 1) * source->step_bytes) + source->sample_bytes;

    sources[c].component = source;
    sources[c].x = find_rows (driver, source->data, source->stride_bytes, source->height, 0, last);
    if (sources[c].x == NULL)
      return false;
    for (uint32_t row = 0; row < source->height; row++)
      test_watch_read (sources[c].x + row * source->stride_bytes, (uint64_t)last);
  }
  driver->unlock ();
  for (unsigned d = 0; d < derive->count; d++) {
    test_watch_write (planes[d], size);
    derive_plane (derive, &derive->derived[d], sources, planes[d]);
  }
  driver->lock ();
  return true;
}

bool
derive_uses (const struct histo_cuda_derive *derive, uint64_t begin, uint64_t size)
{
  for (unsigned c = 0; c < 3; c++)
    if (is_within (derive->sources[c].data, begin, size))
      return true;
  for (unsigned d = 0; d < derive->count; d++)
    if (is_within (derive->derived[d].data, begin, size))
      return true;
  return false;
}
