/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* A component of a frame, on the host. NULL: it has no samples. */
struct samples {
  const struct histo_cuda_picture_component *component;
  const uint8_t *x;
};

static TEST_UNWATCHED unsigned
sample_at (const struct samples *samples, uint64_t row, uint64_t i)
{
  const struct histo_cuda_picture_component *component = samples->component;
  const uint8_t *at = samples->x + row * component->stride_bytes + i * component->step_bytes;
  unsigned value = at[0];

  if (component->sample_bytes == 2)
    value = component->big_endian ? value << 8 | at[1] : value | (unsigned)at[1] << 8;
  return value >> component->shift & component->mask;
}

/* Returns the upper 8 bits of a sample. */
static TEST_UNWATCHED unsigned
value_at (const struct samples *samples, uint64_t row, uint64_t i)
{
  return sample_at (samples, row, i) >> (samples->component->depth - 8);
}

static bool
find_samples (const struct fakekernel_driver *driver, const struct histo_cuda_scope *scope, unsigned c, unsigned index,
              struct samples *samples)
{
  const struct histo_cuda_picture_component *component = &scope->components[c].samples;
  const int64_t last = (int64_t)((component->width - 1) * component->step_bytes) + component->sample_bytes;
  uint64_t first = component->data + index * scope->pitch_bytes;

  *samples = (struct samples){ .component = component };
  if (component->width == 0 || component->height == 0)
    return true;
  if (scope->addresses != 0) {
    const uint64_t *addresses = find_addresses (driver, scope->addresses, (uint64_t)scope->pass_count * scope->frame_count);

    if (addresses == NULL)
      return false;
    first = addresses[(uint64_t)component->pass * scope->frame_count + index] + (uint64_t)component->offset_bytes;
  }
  samples->x = find_rows (driver, first, component->stride_bytes, component->height, 0, last);
  for (uint32_t row = 0; samples->x != NULL && row < component->height; row++)
    test_watch_read (samples->x + row * component->stride_bytes, (uint64_t)last);
  return samples->x != NULL;
}

/* ---- validity ------------------------------------------------------------------------------------------------------- */

static uint32_t
divide (uint32_t number, uint32_t by)
{
  return (uint32_t)(((uint64_t)number + by - 1) / by);
}

/* Returns whether the blocks of a launch take each strip of each slice of each component once. */
static bool
waveforms_are_valid (const struct fakekernel_launch *launch)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  uint32_t blocks = 0, counters = 0;

  for (unsigned c = 0; c < scope->component_count; c++) {
    const struct histo_cuda_waveform *waveform = &scope->components[c];
    const struct histo_cuda_picture_component *component = &waveform->samples;
    const bool is_empty = component->width == 0 || component->height == 0;

    if (waveform->first_counter != counters || waveform->columns > component->width || !waveform->columns != is_empty
        || waveform->first_block != blocks || component->band_rows == 0
        || waveform->strips != (is_empty ? 0 : divide (component->width, HISTO_CUDA_WAVEFORM_STRIP)))
      return false;
    counters += waveform->columns * HISTO_CUDA_BINS;
    blocks += waveform->strips * divide (component->height, component->band_rows);
  }
  return blocks == launch->blocks_x && counters <= scope->frame_counters;
}

static bool
vectorscope_is_valid (const struct fakekernel_launch *launch)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  const struct histo_cuda_picture_component *cb = &scope->components[1].samples, *cr = &scope->components[2].samples;

  return scope->component_count >= 3 && (scope->bits_log2 == 2 || scope->bits_log2 == 3)
         && launch->shared_bytes == HISTO_CUDA_VECTORSCOPE_WORDS (scope->bits_log2) * sizeof (uint32_t)
         && cb->width == cr->width && cb->height == cr->height && cb->sample_bytes == cr->sample_bytes && cb->depth == cr->depth
         && scope->chroma_rows > 0 && launch->blocks_x == divide (cb->height, scope->chroma_rows)
         && scope->first_pair + HISTO_CUDA_VECTORSCOPE_PAIRS <= scope->frame_counters;
}

static bool
light_is_valid (const struct fakekernel_launch *launch)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  const struct histo_cuda_light *light = &scope->light;
  const unsigned first = scope->light_component;
  const struct histo_cuda_picture_component *luma = &scope->components[first].samples,
                                            *cb = &scope->components[first + 1].samples,
                                            *cr = &scope->components[first + 2].samples;

  return scope->component_count >= first + 3 && launch->blocks_x > 0 && luma->height > 0
         && launch->shared_bytes == HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_LIGHT_CODES, 1u << light->columns_log2)
         && cb->width == cr->width && cb->height == cr->height && luma->sample_bytes == cb->sample_bytes
         && cb->sample_bytes == cr->sample_bytes && (luma->width - 1 + light->phase_x) >> light->shift_x < cb->width
         && (luma->height - 1 + light->phase_y) >> light->shift_y < cb->height
         && light->first_code + HISTO_CUDA_LIGHT_COUNTERS <= scope->frame_counters && light->first_code % 4 == 0
         && scope->frame_counters % 4 == 0 && light->result % 16 == 0;
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

static TEST_UNWATCHED bool
are_clear (const uint32_t *counters, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    if (counters[i] != 0)
      return false;
  return true;
}

static TEST_UNWATCHED void
count_waveform (const struct histo_cuda_waveform *waveform, const struct samples *samples, uint32_t *counters)
{
  const struct histo_cuda_picture_component *component = samples->component;

  for (uint32_t row = 0; row < component->height; row++)
    for (uint64_t i = 0; i < component->width; i++)
      counters[i * waveform->columns / component->width * HISTO_CUDA_BINS + value_at (samples, row, i)]++;
}

/* Adds to a narrow bin, and adds the overflow to the result: see carry_pair in scope.cu. */
static TEST_UNWATCHED void
count_pair (uint32_t *table, uint32_t *counters, uint32_t pair, unsigned bits_log2)
{
  const uint32_t words = HISTO_CUDA_VECTORSCOPE_WORDS (bits_log2), most = (1u << (1u << bits_log2)) - 1;
  uint32_t before = table[pair % words] >> (pair / words << bits_log2);

  table[pair % words] += 1u << (pair / words << bits_log2);
  for (; (before & most) == most; before >>= 1u << bits_log2) {
    counters[pair] += most + 1;
    pair += words;
    if (pair >= HISTO_CUDA_VECTORSCOPE_PAIRS)
      break;
    counters[pair]--;
  }
}

static TEST_UNWATCHED bool
count_vectorscope (const struct histo_cuda_scope *scope, const struct samples *cb, const struct samples *cr, uint32_t *counters)
{
  const uint32_t words = HISTO_CUDA_VECTORSCOPE_WORDS (scope->bits_log2), most = (1u << (1u << scope->bits_log2)) - 1;
  uint32_t *table = calloc (words, sizeof *table);

  if (table == NULL)
    return false;
  for (uint32_t row = 0; row < cb->component->height; row++)
    for (uint32_t i = 0; i < cb->component->width; i++)
      count_pair (table, counters, value_at (cr, row, i) * 256 + value_at (cb, row, i), scope->bits_log2);
  for (uint32_t pair = 0; pair < HISTO_CUDA_VECTORSCOPE_PAIRS; pair++)
    counters[pair] += table[pair % words] >> (pair / words << scope->bits_log2) & most;
  free (table);
  return true;
}

static bool
waveform_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index,
                uint32_t *counters)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  struct samples samples[HISTO_CUDA_COUNTED];

  for (unsigned c = 0; c < scope->component_count; c++) {
    const struct histo_cuda_waveform *waveform = &scope->components[c];

    if (!find_samples (driver, scope, c, index, &samples[c]))
      return false;
    if (!are_clear (counters + waveform->first_counter, (uint64_t)waveform->columns * HISTO_CUDA_BINS)) {
      driver->blame ("the counters of a waveform are not clear");
      return false;
    }
  }
  driver->unlock ();
  for (unsigned c = 0; c < scope->component_count; c++) {
    const struct histo_cuda_waveform *waveform = &scope->components[c];

    test_watch_write (counters + waveform->first_counter, (uint64_t)waveform->columns * HISTO_CUDA_BINS * sizeof *counters);
    if (samples[c].x != NULL)
      count_waveform (waveform, &samples[c], counters + waveform->first_counter);
  }
  driver->lock ();
  return true;
}

static bool
vectorscope_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index,
                   uint32_t *counters)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  struct samples cb, cr;
  bool has_counted = true;

  if (!find_samples (driver, scope, 1, index, &cb) || !find_samples (driver, scope, 2, index, &cr))
    return false;
  counters += scope->first_pair;
  if (!are_clear (counters, HISTO_CUDA_VECTORSCOPE_PAIRS)) {
    driver->blame ("the counters of a vectorscope are not clear");
    return false;
  }
  driver->unlock ();
  test_watch_write (counters, HISTO_CUDA_VECTORSCOPE_PAIRS * sizeof *counters);
  if (cb.x != NULL)
    has_counted = count_vectorscope (scope, &cb, &cr, counters);
  driver->lock ();
  return has_counted;
}

/* Limits a sum to the codes. */
static TEST_UNWATCHED uint32_t
round_code (int64_t sum)
{
  const int64_t code = sum < 0 ? 0 : sum / (1 << HISTO_CUDA_LIGHT_LOG2);

  return code < HISTO_CUDA_LIGHT_CODES ? (uint32_t)code : HISTO_CUDA_LIGHT_CODES - 1;
}

/* Finds the logarithm of a number by halving it. */
static TEST_UNWATCHED uint32_t
find_logarithm (const struct histo_cuda_light_curve *curve, uint64_t number)
{
  uint32_t exponent = 0;

  while (number >> exponent > 1)
    exponent++;
  return exponent * 4096 + curve->mantissas[(number << 32 >> exponent >> 22) - HISTO_CUDA_LIGHT_MANTISSAS];
}

static TEST_UNWATCHED uint32_t
find_linear_code (const struct histo_cuda_light *light, const struct histo_cuda_light_curve *curve, const int64_t signals[3])
{
  const int64_t level = 1 << (HISTO_CUDA_LIGHT_LOG2 - 2), last = 4 * (HISTO_CUDA_LIGHT_CODES - 1);
  uint64_t most = 0, luminance = 0, number;

  for (unsigned c = 0; c < 3; c++) {
    const int64_t place = signals[c] < level * 3 / 2 ? 0 : (signals[c] - level * 3 / 2) / level;
    const uint64_t linear = curve->linear[place < last ? place : last];

    luminance += light->weights[c] * linear;
    most = linear > most ? linear : most;
  }
  luminance >>= 16;
  number = light->is_luminance ? luminance : most;
  if (number == 0 || luminance == 0)
    return 0;
  return curve
      ->codes[(5 * find_logarithm (curve, number) + (light->adds_luminance ? find_logarithm (curve, luminance) : 0)) / 16];
}

/* `curve`: NULL for light that needs none. */
static TEST_UNWATCHED void
count_light (const struct histo_cuda_scope *scope, const struct samples *samples, const struct histo_cuda_light_curve *curve,
             uint32_t *counters)
{
  const struct histo_cuda_light *light = &scope->light;
  const int64_t middle = (int64_t)1 << (samples[1].component->depth - 1);

  for (uint32_t row = 0; row < samples[0].component->height; row++)
    for (uint32_t i = 0; i < samples[0].component->width; i++) {
      const uint32_t chroma_row = (row + light->phase_y) >> light->shift_y, column = (i + light->phase_x) >> light->shift_x;
      const int64_t x = sample_at (&samples[0], row, i), second = sample_at (&samples[1], chroma_row, column);
      const int64_t third = sample_at (&samples[2], chroma_row, column), cb = second - middle, cr = third - middle;
      const int64_t luma = light->luma * x + light->offset;
      const int64_t yuv[] = { luma + light->r_cr * cr, luma + light->g_cb * cb + light->g_cr * cr, luma + light->b_cb * cb };
      const int64_t rgb[] = { luma, light->luma * second + light->offset, light->luma * third + light->offset };
      uint32_t code = 0;

      if (curve != NULL) {
        counters[find_linear_code (light, curve, light->is_rgb ? rgb : yuv)]++;
        continue;
      }
      for (unsigned c = 0; c < 3; c++) {
        const uint32_t other = round_code (light->is_rgb ? rgb[c] : yuv[c]);

        code = code > other ? code : other;
      }
      counters[code]++;
    }
}

/* Moves the bins of a frame to the result, as the last block does. */
static bool
move_light (const struct fakekernel_driver *driver, const struct histo_cuda_scope *scope, unsigned index, uint32_t *counters)
{
  const uint64_t at = scope->light.result + (uint64_t)index * scope->frame_counters * sizeof *counters;
  const size_t size = HISTO_CUDA_LIGHT_CODES * sizeof *counters;
  uint32_t *result = find_any_memory (driver, at, size);

  if (result == NULL) {
    driver->blame ("the result of light is not where it should be");
    return false;
  }
  test_watch_write (result, size);
  memcpy (result, counters, size);
  memset (counters, 0, size);
  return true;
}

static bool
light_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index, uint32_t *counters)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  const struct histo_cuda_light_curve *curve = NULL;
  struct samples samples[3];

  if (strcmp (launch->kernel->name, "histo_light_linear") == 0) {
    curve = driver->find (scope->light.curve, sizeof *curve, true);
    if (curve == NULL) {
      driver->blame ("the curve of light is not where it should be");
      return false;
    }
  }
  for (unsigned c = 0; c < 3; c++)
    if (!find_samples (driver, scope, scope->light_component + c, index, &samples[c]))
      return false;
  counters += scope->light.first_code;
  if (!are_clear (counters, HISTO_CUDA_LIGHT_COUNTERS)) {
    driver->blame ("the counters of light are not clear");
    return false;
  }
  driver->unlock ();
  test_watch_write (counters, HISTO_CUDA_LIGHT_CODES * sizeof *counters);
  count_light (scope, samples, curve, counters);
  driver->lock ();
  return scope->light.result == 0 || move_light (driver, scope, index, counters);
}

static bool
is_valid (const struct fakekernel_launch *launch)
{
  if (launch->kernel->kind == FAKEKERNEL_LIGHT)
    return light_is_valid (launch);
  return launch->kernel->kind == FAKEKERNEL_WAVEFORM ? waveforms_are_valid (launch) : vectorscope_is_valid (launch);
}

static bool
count_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index, uint32_t *counters)
{
  if (launch->kernel->kind == FAKEKERNEL_LIGHT)
    return light_frame (launch, driver, index, counters);
  return launch->kernel->kind == FAKEKERNEL_WAVEFORM ? waveform_frame (launch, driver, index, counters)
                                                     : vectorscope_frame (launch, driver, index, counters);
}

bool
scope_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  uint32_t *counters;

  if (launch->blocks_y != scope->frame_count || scope->component_count < 1 || scope->component_count > HISTO_CUDA_COUNTED
      || !is_valid (launch)) {
    driver->blame ("a waveform, a vectorscope or light contradicts itself or the launch");
    return false;
  }
  counters = driver->find (scope->counters, (uint64_t)scope->frame_count * scope->frame_counters * sizeof *counters, true);
  if (counters == NULL) {
    driver->blame ("the counters of a waveform, a vectorscope or light are not where they should be");
    return false;
  }
  for (unsigned i = 0; i < scope->frame_count; i++, counters += scope->frame_counters)
    if (!count_frame (launch, driver, i, counters))
      return false;
  return true;
}

bool
scopes_use (const struct histo_cuda_scope *scope, uint64_t begin, uint64_t size)
{
  for (unsigned c = 0; c < scope->component_count; c++)
    if (is_within (scope->components[c].samples.data, begin, size))
      return true;
  return is_within (scope->counters, begin, size) || is_within (scope->addresses, begin, size)
         || is_within (scope->light.curve, begin, size) || is_within (scope->light.result, begin, size);
}
