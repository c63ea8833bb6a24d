/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame.h"

#include <stdlib.h>

#include "derived.h"
#include "picture.h"
#include "statistic_table.h"

/* The maximum number of samples of a component: 64 bits then hold the sum of squares of 8-bit samples, the sum of 16-bit
 * samples, and weighted sums of both. */
#define MAX_SAMPLES ((uint64_t)1 << 48)
#define MAX_DEEP_SAMPLES ((uint64_t)1 << 32)
#define MAX_PICTURE_SIDE 65536 /* rows, and samples in a row */
#define MAX_CHROMA_SHIFT 2

/* Checks its size, significant bits and bins. */
static bool
sample_is_valid (const struct histo_component *component)
{
  if (component->sample_bytes == 1) {
    if (component->depth != 8 || component->shift != 0)
      return false;
  } else if (component->sample_bytes == 2) {
    if (component->depth < 9 || component->depth > 16 || component->shift > 16 - component->depth)
      return false;
  } else {
    return false;
  }
  if (component->bins == 0 || component->bins == HISTO_BINS)
    return true;
  return component->bins == 1u << component->depth;
}

static bool
component_is_valid (const struct histo_frame *frame, const struct histo_component *component, uint32_t statistics)
{
  const struct histo_plane *plane;
  uint64_t max_samples = component->sample_bytes == 2 ? MAX_DEEP_SAMPLES : MAX_SAMPLES, row_bytes, rows_bytes;

  if (component->plane >= frame->plane_count)
    return false;
  if (!sample_is_valid (component) || component->step_bytes < component->sample_bytes)
    return false;

  plane = &frame->planes[component->plane];
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++)
    if (statistics & histo_statistics[s].bit && max_samples > histo_statistics[s].max_samples)
      max_samples = histo_statistics[s].max_samples;
  if (component->width > 0 && plane->height > 0) {
    if (!plane->data)
      return false;
    if (component->width > max_samples / plane->height)
      return false;
    if (__builtin_mul_overflow (component->width - 1, (uint64_t)component->step_bytes, &row_bytes)
        || __builtin_add_overflow (row_bytes, (uint64_t)component->offset_bytes, &row_bytes)
        || __builtin_add_overflow (row_bytes, (uint64_t)component->sample_bytes, &row_bytes))
      return false;
    if (plane->height > 1 && plane->stride_bytes < row_bytes)
      return false;
    if (__builtin_mul_overflow ((uint64_t)plane->height - 1, (uint64_t)plane->stride_bytes, &rows_bytes)
        || __builtin_add_overflow (rows_bytes, row_bytes, &rows_bytes) || rows_bytes > PTRDIFF_MAX)
      return false;
  }
  return true;
}

/* Whether the frame has Cb and Cr for each sample of luma. */
static bool
has_colours (const struct histo_frame *frame)
{
  const struct histo_component *luma = &frame->components[0], *cb = &frame->components[1], *cr = &frame->components[2];
  const struct histo_chroma *chroma = &frame->chroma;
  uint32_t rows, chroma_rows;

  if (frame->component_count < 3 || cb->depth != luma->depth || cr->depth != luma->depth || cb->width != cr->width)
    return false;
  rows = frame->planes[luma->plane].height;
  chroma_rows = frame->planes[cb->plane].height;
  if (frame->planes[cr->plane].height != chroma_rows || chroma_rows > MAX_PICTURE_SIDE || cb->width > MAX_PICTURE_SIDE
      || chroma->shift_x > MAX_CHROMA_SHIFT || chroma->shift_y > MAX_CHROMA_SHIFT || chroma->phase_x >> chroma->shift_x > 0
      || chroma->phase_y >> chroma->shift_y > 0)
    return false;
  return luma->width == 0 || rows == 0
         || ((luma->width - 1 + chroma->phase_x) >> chroma->shift_x < cb->width
             && (rows - 1 + chroma->phase_y) >> chroma->shift_y < chroma_rows);
}

static bool
waveform_is_valid (const struct histo_frame *frame)
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].width > MAX_PICTURE_SIDE)
      return false;
  return frame->waveform_columns >= 1 && frame->waveform_columns <= HISTO_MAX_WAVEFORM_COLUMNS;
}

/* Whether the gamut fits into 32-bit arithmetic, and the frame's chroma is valid for it. */
static bool
gamut_is_valid (const struct histo_frame *frame)
{
  const struct histo_gamut *gamut = &frame->gamut;

  if (gamut->min >= gamut->max || gamut->min < -HISTO_GAMUT_LIMIT || gamut->min > HISTO_GAMUT_LIMIT - HISTO_GAMUT_ONE)
    return false;
  if (gamut->is_rgb)
    return frame->chroma.shift_x == 0 && frame->chroma.shift_y == 0;
  return abs (gamut->g_cb) + abs (gamut->g_cr) <= HISTO_GAMUT_GREEN;
}

static bool
light_is_valid (const struct histo_frame *frame)
{
  const struct histo_chroma *chroma = &frame->chroma;

  return histo_light_is_valid (&frame->light, frame->components[0].depth)
         && (!frame->light.is_rgb || (chroma->shift_x == 0 && chroma->shift_y == 0));
}

/* The statistics that need chroma. */
static uint32_t
find_chroma_statistics (const struct histo_frame *frame)
{
  uint32_t statistics = HISTO_STATISTICS_COLOURS;

  if (frame->gamut.is_rgb)
    statistics &= ~(uint32_t)HISTO_STATISTIC_GAMUT;
  if (frame->light.is_rgb)
    statistics &= ~(uint32_t)HISTO_STATISTIC_LIGHT;
  return statistics;
}

/* The components are valid. */
static bool
statistics_are_valid (const struct histo_frame *frame, uint32_t statistics)
{
  const struct histo_component *luma = &frame->components[0];

  if (statistics & ~(uint32_t)HISTO_STATISTICS_ALL)
    return false;
  if (statistics & HISTO_STATISTIC_WAVEFORM && !waveform_is_valid (frame))
    return false;
  if (statistics & HISTO_STATISTICS_PICTURE
      && (luma->width > MAX_PICTURE_SIDE || frame->planes[luma->plane].height > MAX_PICTURE_SIDE))
    return false;
  if (statistics & HISTO_STATISTIC_GAMUT && !gamut_is_valid (frame))
    return false;
  if (statistics & HISTO_STATISTIC_LIGHT && !light_is_valid (frame))
    return false;
  if (frame->derived_count == 1 && statistics & find_chroma_statistics (frame))
    return false;
  return !(statistics & HISTO_STATISTICS_COLOURS) || has_colours (frame);
}

/* Whether the planes and components fit into the struct, and others can be derived from them. */
static bool
counts_are_valid (const struct histo_frame *frame)
{
  return frame->plane_count >= 1 && frame->plane_count <= HISTO_MAX_PLANES && frame->component_count >= 1
         && frame->component_count <= HISTO_MAX_COMPONENTS && histo_derivation_is_valid (frame);
}

/* `statistics`: those that the frame requests. */
static bool
frame_is_valid (const struct histo_frame *frame, uint32_t statistics, bool takes_device_memory,
                const struct histo_own_weights *weights)
{
  const bool projects = statistics & HISTO_STATISTIC_PROJECTION;

  if (frame->memory != HISTO_MEMORY_HOST && frame->memory != HISTO_MEMORY_DEVICE)
    return false;
  if (frame->memory == HISTO_MEMORY_DEVICE && !takes_device_memory)
    return false;
  for (unsigned c = 0; c < frame->component_count; c++)
    if (!component_is_valid (frame, &frame->components[c], statistics))
      return false;
  for (unsigned c = 0; projects && c < frame->component_count; c++)
    if (!histo_weights_suffice (&weights[c], frame, &frame->components[c]))
      return false;
  return statistics_are_valid (frame, statistics);
}

static unsigned
bins_of (const struct histo_component *component)
{
  return component->bins > 0 ? component->bins : HISTO_BINS;
}

bool
histo_frames_match (const struct histo_frame *frame, const struct histo_frame *operand)
{
  if (operand->memory != frame->memory || operand->plane_count != frame->plane_count
      || operand->component_count != frame->component_count)
    return false;
  for (unsigned p = 0; p < frame->plane_count; p++)
    if (operand->planes[p].height != frame->planes[p].height)
      return false;
  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *x = &frame->components[c], *y = &operand->components[c];

    if (x->plane != y->plane || x->offset_bytes != y->offset_bytes || x->step_bytes != y->step_bytes || x->width != y->width
        || x->sample_bytes != y->sample_bytes || x->depth != y->depth || x->shift != y->shift || x->big_endian != y->big_endian
        || bins_of (x) != bins_of (y))
      return false;
  }
  return true;
}

bool
histo_frame_is_valid (const struct histo_frame *frame, bool takes_device_memory, const struct histo_own_weights *weights)
{
  const struct histo_frame *whole = frame, *operand = frame->operand;
  struct histo_frame copies[2];

  if (!counts_are_valid (frame) || !histo_matrix_is_valid (frame)
      || (operand && (!counts_are_valid (operand) || operand->derived_count != frame->derived_count)))
    return false;
  if (frame->derived_count > 0) {
    histo_frame_copy (&copies[0], frame);
    whole = &copies[0];
  }
  if (operand && frame->derived_count > 0) {
    histo_frame_copy (&copies[1], operand);
    operand = &copies[1];
  }
  return frame_is_valid (whole, frame->statistics, takes_device_memory, weights)
         && (!operand
             || (frame_is_valid (operand, frame->statistics & HISTO_STATISTIC_PROJECTION, takes_device_memory, weights)
                 && histo_frames_match (whole, operand)));
}

void
histo_frame_copy (struct histo_frame *copy, const struct histo_frame *frame)
{
  *copy = *frame;
  copy->operand = NULL;
  if (copy->derived_count > 0)
    histo_add_derived (copy);
  for (unsigned c = 0; c < copy->component_count; c++)
    copy->components[c].bins = bins_of (&copy->components[c]);
}

uint64_t
histo_frame_count_samples (const struct histo_frame *frame, const struct histo_component *component)
{
  return component->width * frame->planes[component->plane].height;
}
