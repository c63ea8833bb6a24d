/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "picture.h"
#include "reference/reference.h"

/* Returns the upper 8 bits of a sample. */
static unsigned
value_at (const struct histo_frame *frame, unsigned c, uint32_t row, uint64_t i)
{
  return histo_reference_sample (frame, c, row, i) >> (frame->components[c].depth - 8);
}

/* Describes `count` components from `first` on. */
static bool
find_frame (const struct fakekernel_driver *driver, const struct histo_cuda_scope *scope, unsigned first, unsigned count,
            unsigned index, struct histo_frame *frame)
{
  *frame = (struct histo_frame){ 0 };
  for (unsigned c = 0; c < count; c++) {
    const struct histo_cuda_picture_component *component = &scope->components[first + c].samples;
    uint64_t data = component->data + index * scope->pitch_bytes;

    if (scope->addresses != 0) {
      const uint64_t *addresses = find_addresses (driver, scope->addresses, (uint64_t)scope->pass_count * scope->frame_count);

      if (addresses == NULL)
        return false;
      data = addresses[(uint64_t)component->pass * scope->frame_count + index] + (uint64_t)component->offset_bytes;
    }
    if (!describe_component (driver, component, data, component->stride_bytes, frame))
      return false;
    watch_component (frame, c);
  }
  return true;
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
count_waveform (const struct histo_cuda_waveform *waveform, const struct histo_frame *frame, unsigned c, uint32_t *counters)
{
  for (uint32_t row = 0; row < frame->planes[c].height; row++)
    for (uint64_t i = 0; i < frame->components[c].width; i++)
      counters[i * waveform->columns / frame->components[c].width * HISTO_CUDA_BINS + value_at (frame, c, row, i)]++;
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
count_vectorscope (const struct histo_cuda_scope *scope, const struct histo_frame *chroma, uint32_t *counters)
{
  const uint32_t words = HISTO_CUDA_VECTORSCOPE_WORDS (scope->bits_log2), most = (1u << (1u << scope->bits_log2)) - 1;
  uint32_t *table = calloc (words, sizeof *table);

  if (table == NULL)
    return false;
  for (uint32_t row = 0; row < chroma->planes[0].height; row++)
    for (uint32_t i = 0; i < chroma->components[0].width; i++)
      count_pair (table, counters, value_at (chroma, 1, row, i) * 256 + value_at (chroma, 0, row, i), scope->bits_log2);
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
  struct histo_frame frame;

  if (!find_frame (driver, scope, 0, scope->component_count, index, &frame))
    return false;
  for (unsigned c = 0; c < scope->component_count; c++) {
    const struct histo_cuda_waveform *waveform = &scope->components[c];

    if (!are_clear (counters + waveform->first_counter, (uint64_t)waveform->columns * HISTO_CUDA_BINS)) {
      driver->blame ("the counters of a waveform are not clear");
      return false;
    }
  }
  driver->unlock ();
  for (unsigned c = 0; c < scope->component_count; c++) {
    const struct histo_cuda_waveform *waveform = &scope->components[c];

    test_watch_write (counters + waveform->first_counter, (uint64_t)waveform->columns * HISTO_CUDA_BINS * sizeof *counters);
    count_waveform (waveform, &frame, c, counters + waveform->first_counter);
  }
  driver->lock ();
  return true;
}

static bool
vectorscope_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index,
                   uint32_t *counters)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  struct histo_frame chroma;
  bool has_counted;

  if (!find_frame (driver, scope, 1, 2, index, &chroma))
    return false;
  counters += scope->first_pair;
  if (!are_clear (counters, HISTO_CUDA_VECTORSCOPE_PAIRS)) {
    driver->blame ("the counters of a vectorscope are not clear");
    return false;
  }
  driver->unlock ();
  test_watch_write (counters, HISTO_CUDA_VECTORSCOPE_PAIRS * sizeof *counters);
  has_counted = count_vectorscope (scope, &chroma, counters);
  driver->lock ();
  return has_counted;
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

/* Returns whether the kernel has the tables that the light needs. */
static bool
has_curve (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, const struct histo_light *light)
{
  const struct histo_light_curve *curve;

  if (strcmp (launch->kernel->name, "histo_light_linear") != 0)
    return !histo_light_needs_curve (light);
  curve = driver->find (launch->parameter.scope.light.curve, sizeof *curve, true);
  return curve != NULL && memcmp (curve, histo_find_light_curve (light->transfer), sizeof *curve) == 0;
}

static bool
light_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index, uint32_t *counters)
{
  const struct histo_cuda_scope *scope = &launch->parameter.scope;
  const struct histo_cuda_light *light = &scope->light;
  uint64_t codes[HISTO_LIGHT_CODES] = { 0 };
  struct histo_frame frame;

  if (!find_frame (driver, scope, scope->light_component, 3, index, &frame))
    return false;
  frame.chroma = (struct histo_chroma){ light->shift_x, light->shift_y, light->phase_x, light->phase_y };
  frame.light = (struct histo_light){
    .luma = light->luma,
    .offset = light->offset,
    .r_cr = light->r_cr,
    .g_cb = light->g_cb,
    .g_cr = light->g_cr,
    .b_cb = light->b_cb,
    .weights = { light->weights[0], light->weights[1], light->weights[2] },
    .transfer = light->adds_luminance ? HISTO_TRANSFER_HLG : HISTO_TRANSFER_PQ,
    .source = light->is_luminance ? HISTO_LIGHT_LUMINANCE : HISTO_LIGHT_MAX_RGB,
    .is_rgb = light->is_rgb,
  };
  if (!has_curve (launch, driver, &frame.light)) {
    driver->blame ("the curve of light is not where it should be, or another");
    return false;
  }
  counters += light->first_code;
  if (!are_clear (counters, HISTO_CUDA_LIGHT_COUNTERS)) {
    driver->blame ("the counters of light are not clear");
    return false;
  }
  driver->unlock ();
  test_watch_write (counters, HISTO_CUDA_LIGHT_CODES * sizeof *counters);
  histo_reference_light (&frame, codes);
  for (unsigned code = 0; code < HISTO_LIGHT_CODES; code++)
    counters[code] = (uint32_t)codes[code];
  driver->lock ();
  return light->result == 0 || move_light (driver, scope, index, counters);
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
