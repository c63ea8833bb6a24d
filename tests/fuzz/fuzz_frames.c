/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random frames, sensible and not: each is either counted, and then the backend agrees with loops of this program's own, or
 * refused because it breaks a rule of histo.h. Meant for the address and undefined-behaviour sanitizers.
 *
 *   fuzz_frames [reference | cpu | cuda [ROUNDS]]      CUDAHISTO_TEST_SEED repeats a run */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engines.h"
#include "frames.h"

#define DEFAULT_ROUNDS 60000
#define MEMORY_BYTES 16384 /* between two pages that cannot be read */
#define ROW_WEIGHTS 290    /* fewer than the longest rows have samples */
#define COLUMN_WEIGHTS 30

__extension__ typedef unsigned __int128 wide;

static const uint8_t *memory;
static int16_t weight_numbers[HISTO_MAX_COUNTED][ROW_WEIGHTS + COLUMN_WEIGHTS];
static struct histo_weights weights[HISTO_MAX_COUNTED]; /* that the engines have */
static struct test_random fuzz_random;

static uint64_t
below (uint64_t limit)
{
  return test_random_below (&fuzz_random, limit);
}

static bool
once_in (uint64_t times)
{
  return test_random_once_in (&fuzz_random, times);
}

/* A number that code tends to get wrong. */
static uint64_t
choose_nonsense (void)
{
  static const uint64_t corners[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257, 4095, 4096, 65535, 65536 };

  switch (below (4)) {
  case 0:
    return corners[below (sizeof corners / sizeof *corners)];
  case 1:
    return UINT64_MAX - below (20);
  case 2:
    return (UINT64_C (1) << below (64)) + below (3) - 1;
  default:
    return test_random_next (&fuzz_random) >> below (64);
  }
}

/* ---- the rules of histo.h, in numbers that cannot overflow ---------------------------------------------------------- */

enum verdict { VALID, REFUSED, OUTSIDE /* valid, but of memory that is not there, or of rows without end: not to be tried */ };

static bool
is_known_sample (const struct histo_component *component)
{
  bool is_byte = component->sample_bytes == 1 && component->depth == 8 && component->shift == 0;
  bool is_deep = component->sample_bytes == 2 && component->depth >= 9 && component->depth <= 16
                 && component->shift <= 16 - component->depth;

  if (!is_byte && !is_deep)
    return false;
  return component->bins == 0 || component->bins == HISTO_BINS || component->bins == 1u << component->depth;
}

static enum verdict
judge_component (const struct histo_frame *frame, const struct histo_component *component, bool project)
{
  const struct histo_plane *plane;
  wide row_bytes, bytes, max_samples;

  if (component->plane >= frame->plane_count)
    return REFUSED;
  if (!is_known_sample (component))
    return REFUSED; /* INVALID or UNSUPPORTED */
  if (component->step_bytes < component->sample_bytes)
    return REFUSED;
  plane = &frame->planes[component->plane];
  if (component->width == 0 || plane->height == 0)
    return plane->height <= MEMORY_BYTES ? VALID : OUTSIDE;
  if (plane->data == NULL)
    return REFUSED;
  row_bytes = (wide)component->offset_bytes + (wide)(component->width - 1) * component->step_bytes + component->sample_bytes;
  if (plane->height > 1 && plane->stride_bytes < row_bytes)
    return REFUSED;
  bytes = (wide)(plane->height - 1) * plane->stride_bytes + row_bytes;
  /* No object is larger than this, so no plane is. */
  max_samples = (wide)1 << (project || component->sample_bytes == 2 ? 32 : 48);
  if (bytes > PTRDIFF_MAX || (wide)component->width * plane->height > max_samples)
    return REFUSED;
  if (bytes > MEMORY_BYTES - (wide)((const uint8_t *)plane->data - memory))
    return OUTSIDE;
  return VALID;
}

/* Returns whether the engines have enough weights `w` for component `c`. */
static bool
has_weights (const struct histo_frame *frame, unsigned c, unsigned w)
{
  const struct histo_component *component = &frame->components[c];
  uint32_t height = frame->planes[component->plane].height;

  return component->width == 0 || height == 0
         || ((weights[w].row == NULL || component->width <= weights[w].row_count)
             && (weights[w].column == NULL || height <= weights[w].column_count));
}

#define OF_SCOPES (HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE)
#define CHEAP_STATISTICS ((uint32_t)HISTO_STATISTICS_ALL & ~(uint32_t)OF_SCOPES)
#define MAX_SIDE 65536

static uint32_t
height_of (const struct histo_frame *frame, unsigned c)
{
  return frame->planes[frame->components[c].plane].height;
}

/* Whether `samples` of luma each have one of `chroma_samples`: along a row, or down a column. */
static bool
is_covered (uint64_t samples, uint64_t chroma_samples, unsigned shift, unsigned phase)
{
  return shift <= 2 && phase < 1u << shift && chroma_samples <= MAX_SIDE
         && (samples == 0 || (samples - 1 + phase) / (1u << shift) < chroma_samples);
}

static bool
gamut_fits (const struct histo_frame *frame)
{
  const struct histo_gamut *gamut = &frame->gamut;
  const int64_t limit = INT64_C (1) << 30;

  return gamut->min < gamut->max && gamut->min >= -limit && gamut->min + HISTO_GAMUT_ONE <= limit
         && (gamut->is_rgb ? (frame->chroma.shift_x | frame->chroma.shift_y) == 0
                           : abs (gamut->g_cb) + abs (gamut->g_cr) < 32768);
}

/* Whether no sum exceeds 32 bits, at the corners of the samples' range. */
static bool
light_fits (const struct histo_frame *frame)
{
  const struct histo_light *light = &frame->light;
  const int64_t middle = INT64_C (1) << (frame->components[0].depth - 1), top = 2 * middle - 1;

  if (light->transfer > HISTO_TRANSFER_HLG || light->source > HISTO_LIGHT_LUMINANCE
      || ((light->transfer != HISTO_TRANSFER_PQ || light->source != HISTO_LIGHT_MAX_RGB)
          && (uint64_t)light->weights[0] + light->weights[1] + light->weights[2] > HISTO_LIGHT_WEIGHTS))
    return false;
  if (light->luma <= 0 || light->luma * top > INT32_MAX || light->luma * top + light->offset > INT32_MAX)
    return false;
  if (light->is_rgb)
    return (frame->chroma.shift_x | frame->chroma.shift_y) == 0;
  for (unsigned corner = 0; corner < 8; corner++) {
    const int64_t y = corner & 1 ? light->luma * top + light->offset : light->offset;
    const int64_t cb = corner & 2 ? middle - 1 : -middle, cr = corner & 4 ? middle - 1 : -middle;
    const int64_t parts[] = { light->r_cr * cr, light->g_cb * cb + light->g_cr * cr, light->b_cb * cb };

    for (unsigned p = 0; p < 3; p++)
      if (parts[p] != (int32_t)parts[p] || y + parts[p] != (int32_t)(y + parts[p]))
        return false;
  }
  return true;
}

/* Whether a component has no more samples than each of the statistics accepts. */
static bool
has_few_samples (const struct histo_frame *frame, unsigned c)
{
  uint64_t most = UINT64_MAX;

#define COMPONENT_STATISTIC(id, name, needs, max_samples)                      \
  if ((frame->statistics & HISTO_STATISTIC_##id) != 0 && (max_samples) < most) \
    most = max_samples;
#define PICTURE_HISTOGRAM(id, name, needs, max_samples, ...) COMPONENT_STATISTIC (id, name, needs, max_samples)
#include "../../kernels/statistic_list.h"
  return height_of (frame, c) == 0 || frame->components[c].width <= most / height_of (frame, c);
}

/* Whether what is asked of a frame, whose components are valid, can be answered. */
static bool
can_answer (const struct histo_frame *frame)
{
  const struct histo_component *components = frame->components;
  const struct histo_chroma *chroma = &frame->chroma;
  uint64_t width = components[0].width;
  uint32_t height = height_of (frame, 0);

  if ((frame->statistics & ~(uint32_t)HISTO_STATISTICS_ALL) != 0)
    return false;
  for (unsigned c = 0; c < frame->component_count && (frame->statistics & HISTO_STATISTIC_WAVEFORM) != 0; c++)
    if (components[c].width > MAX_SIDE)
      return false;
  if ((frame->statistics & HISTO_STATISTIC_WAVEFORM) != 0 && (frame->waveform_columns < 1 || frame->waveform_columns > 16384))
    return false;
  for (unsigned c = 0; c < frame->component_count; c++)
    if (!has_few_samples (frame, c))
      return false;
  if ((frame->statistics & HISTO_STATISTICS_PICTURE) != 0 && (width > MAX_SIDE || height > MAX_SIDE))
    return false;
  if ((frame->statistics & HISTO_STATISTIC_LIGHT) != 0 && !light_fits (frame))
    return false;
  if ((frame->statistics & HISTO_STATISTIC_GAMUT) != 0 && !gamut_fits (frame))
    return false;
  if ((frame->statistics & HISTO_STATISTICS_COLOURS) == 0)
    return true;
  if (frame->component_count < 3 || components[1].width != components[2].width || height_of (frame, 1) != height_of (frame, 2))
    return false;
  for (unsigned c = 1; c < 3; c++)
    if (components[c].depth != components[0].depth)
      return false;
  /* A picture without samples needs none of chroma. */
  if (width == 0 || height == 0)
    width = height = 0;
  return is_covered (width, components[1].width, chroma->shift_x, chroma->phase_x)
         && is_covered (height, height_of (frame, 1), chroma->shift_y, chroma->phase_y);
}

/* Whether the frame derives nothing, or from components that are alike. */
static bool
can_derive (const struct histo_frame *frame)
{
  const struct histo_component *red = &frame->components[0];

  if (frame->derived_count == 0)
    return true;
  if ((frame->derived_count != 1 && frame->derived_count != 3) || frame->component_count < 3)
    return false;
  for (unsigned c = 0; c < 3; c++)
    if (frame->components[c].plane >= frame->plane_count || frame->components[c].width != red->width
        || frame->components[c].depth != red->depth || height_of (frame, c) != height_of (frame, 0))
      return false;
  return red->width <= MAX_SIDE && height_of (frame, 0) <= MAX_SIDE;
}

/* Whether coefficients have a sum of 0, and their positive ones are one of at most `most`. */
static bool
is_difference (const int32_t factors[3], int64_t most)
{
  const bool is_first = factors[0] > 0 && factors[1] <= 0 && factors[2] <= 0 && factors[0] <= most;
  const bool is_second = factors[1] > 0 && factors[0] <= 0 && factors[2] <= 0 && factors[1] <= most;
  const bool is_third = factors[2] > 0 && factors[0] <= 0 && factors[1] <= 0 && factors[2] <= most;

  return (is_first || is_second || is_third) && (int64_t)factors[0] + factors[1] + factors[2] == 0;
}

/* Whether chroma and matrix are valid for derived components. */
static bool
matrix_fits (const struct histo_frame *frame)
{
  const struct histo_matrix *matrix = &frame->matrix;
  const unsigned depth = frame->components[0].depth, shift = depth <= 12 ? 30 - depth : 30;
  const int64_t one = INT64_C (1) << shift;

  return (frame->chroma.shift_x | frame->chroma.shift_y | frame->chroma.phase_x | frame->chroma.phase_y) == 0
         && matrix->shift == shift && matrix->y[0] >= 0 && matrix->y[1] >= 0 && matrix->y[2] >= 0
         && (int64_t)matrix->y[0] + matrix->y[1] + matrix->y[2] == one && is_difference (matrix->cb, one)
         && is_difference (matrix->cr, one);
}

/* Statistics that a frame with derived luma alone cannot have. */
static uint32_t
find_unanswered (const struct histo_frame *frame)
{
  uint32_t statistics = HISTO_STATISTICS_COLOURS;

  if (frame->gamut.is_rgb)
    statistics &= ~(uint32_t)HISTO_STATISTIC_GAMUT;
  if (frame->light.is_rgb)
    statistics &= ~(uint32_t)HISTO_STATISTIC_LIGHT;
  return frame->derived_count == 1 ? statistics : 0;
}

static enum verdict
judge_frame (const struct histo_frame *frame, bool project)
{
  enum verdict verdict = VALID;

  if (frame->memory == HISTO_MEMORY_DEVICE && test_backend () == HISTO_BACKEND_CUDA)
    return OUTSIDE;
  if (frame->memory != HISTO_MEMORY_HOST || frame->plane_count < 1 || frame->plane_count > HISTO_MAX_PLANES
      || frame->component_count < 1 || frame->component_count > HISTO_MAX_COMPONENTS || !can_derive (frame))
    return REFUSED;
  for (unsigned c = 0; c < frame->component_count; c++) {
    enum verdict one = judge_component (frame, &frame->components[c], project);

    if (one == REFUSED || (project && !has_weights (frame, c, frame->derived_count + c)))
      return REFUSED;
    if (one == OUTSIDE)
      verdict = OUTSIDE;
  }
  for (unsigned d = 0; project && d < frame->derived_count; d++)
    if (!has_weights (frame, 0, d))
      return REFUSED;
  return verdict;
}

static bool
is_same_component (const struct histo_component *a, const struct histo_component *b)
{
  return a->plane == b->plane && a->offset_bytes == b->offset_bytes && a->step_bytes == b->step_bytes && a->width == b->width
         && a->sample_bytes == b->sample_bytes && a->depth == b->depth && a->shift == b->shift && a->big_endian == b->big_endian
         && (a->bins ? a->bins : HISTO_BINS) == (b->bins ? b->bins : HISTO_BINS);
}

static enum verdict
judge (const struct histo_frame *frame)
{
  const struct histo_frame *operand = frame->operand;
  enum verdict verdict = judge_frame (frame, frame->statistics & HISTO_STATISTIC_PROJECTION), other;

  if (verdict == VALID && !can_answer (frame))
    return REFUSED;
  if (verdict != REFUSED && frame->derived_count > 0
      && (!matrix_fits (frame) || (frame->statistics & find_unanswered (frame)) != 0))
    return REFUSED;
  if (operand == NULL || verdict == REFUSED)
    return verdict;
  other = judge_frame (operand, frame->statistics & HISTO_STATISTIC_PROJECTION);
  if (other == REFUSED || operand->plane_count != frame->plane_count || operand->component_count != frame->component_count
      || operand->derived_count != frame->derived_count)
    return REFUSED;
  for (unsigned p = 0; p < frame->plane_count; p++)
    if (operand->planes[p].height != frame->planes[p].height)
      return REFUSED;
  for (unsigned c = 0; c < frame->component_count; c++)
    if (!is_same_component (&operand->components[c], &frame->components[c]))
      return REFUSED;
  return verdict == OUTSIDE ? OUTSIDE : other;
}

/* ---- frames --------------------------------------------------------------------------------------------------------- */

static void
make_sample (struct histo_component *component, bool is_deep)
{
  component->sample_bytes = 1;
  component->depth = 8;
  if (is_deep) {
    component->sample_bytes = 2;
    component->depth = 9 + (unsigned)below (8);
    component->shift = (unsigned)below (17 - component->depth);
    component->big_endian = once_in (2);
    if (once_in (2))
      component->bins = 1u << component->depth;
  }
  if (component->bins == 0 && once_in (2))
    component->bins = HISTO_BINS;
}

/* Any, of which most can be computed with. */
static void
make_gamut (struct histo_frame *frame)
{
  struct histo_gamut *gamut = &frame->gamut;
  const bool is_wild = once_in (8);

  if (once_in (2)) {
    histo_find_gamut (gamut, 0.01 * (double)(1 + below (50)), 0.01 * (double)(1 + below (50)), once_in (2),
                      frame->components[0].depth);
  } else {
    gamut->r_cr = (int16_t)below (65536);
    gamut->g_cb = (int16_t)(is_wild ? below (65536) : below (32768) - 16384);
    gamut->g_cr = (int16_t)(is_wild ? below (65536) : below (32767) - 16383);
    gamut->b_cb = (int16_t)below (65536);
    gamut->min = (int32_t)below (is_wild ? UINT32_MAX : (UINT64_C (1) << 30) - HISTO_GAMUT_ONE);
    gamut->max = (int32_t)(is_wild ? below (UINT32_MAX) : (uint64_t)gamut->min + 1 + below (1 << 30));
  }
  gamut->is_rgb = once_in (4);
}

static void
make_light (struct histo_frame *frame)
{
  struct histo_light *light = &frame->light;

  if (once_in (2)) {
    histo_find_light (light, 0.01 * (double)(1 + below (50)), 0.01 * (double)(1 + below (50)), once_in (2),
                      frame->components[0].depth);
  } else {
    const unsigned bits = 31 - frame->components[0].depth + (unsigned)below (3);

    light->luma = (int32_t)below (UINT64_C (1) << bits);
    light->offset = (int32_t)below (UINT32_MAX);
    light->r_cr = (int32_t)below (UINT64_C (2) << bits) - (1 << bits);
    light->g_cb = (int32_t)below (UINT64_C (1) << bits) - (1 << bits) / 2;
    light->g_cr = (int32_t)below (UINT64_C (1) << bits) - (1 << bits) / 2;
    light->b_cb = (int32_t)below (UINT64_C (2) << bits) - (1 << bits);
  }
  for (unsigned c = 0; c < 3 && once_in (2); c++)
    light->weights[c] = (uint32_t)below (HISTO_LIGHT_WEIGHTS / 2);
  light->transfer = once_in (20) ? 2 : (enum histo_transfer)below (2);
  light->source = once_in (20) ? 2 : (enum histo_light_source)below (2);
  light->is_rgb = once_in (4);
}

/* A number of 0 .. `limit`. */
static int32_t
choose_up_to (int64_t limit)
{
  return (int32_t)(once_in (8) ? 0 : once_in (8) ? (uint64_t)limit : below ((uint64_t)limit + 1));
}

/* Coefficients with a sum of 0, one of them positive. */
static void
make_difference (int32_t factors[3], int64_t one)
{
  const unsigned first = (unsigned)below (3);
  const int32_t main = 1 + choose_up_to (one - 1), part = choose_up_to (main);

  factors[first] = main;
  factors[(first + 1) % 3] = -part;
  factors[(first + 2) % 3] = part - main;
}

static void
make_matrix (struct histo_frame *frame)
{
  struct histo_matrix *matrix = &frame->matrix;
  int64_t one;

  histo_find_matrix (matrix, 0.01 * (double)(1 + below (49)), 0.01 * (double)(1 + below (49)), once_in (2),
                     frame->components[0].depth);
  if (once_in (2))
    return;
  one = INT64_C (1) << matrix->shift;
  matrix->y[0] = choose_up_to (one);
  matrix->y[1] = choose_up_to (one - matrix->y[0]);
  matrix->y[2] = (int32_t)(one - matrix->y[0] - matrix->y[1]);
  make_difference (matrix->cb, one);
  make_difference (matrix->cr, one);
}

static void
spoil_matrix (struct histo_matrix *matrix)
{
  int32_t *const factors[] = { matrix->y, matrix->cb, matrix->cr };
  int32_t *factor = &factors[below (3)][below (3)];

  switch (below (4)) {
  case 0:
    matrix->shift = (uint32_t)choose_nonsense ();
    break;
  case 1:
    *factor = (int32_t)choose_nonsense ();
    break;
  case 2:
    *factor = -*factor;
    break;
  case 3:
    *factor = (int32_t)((uint32_t)*factor + 1);
    break;
  }
}

/* Makes the first three components R', G' and B', from which others are derived. */
static void
shape_rgb (struct histo_frame *frame)
{
  const struct histo_component *red = &frame->components[0];

  frame->derived_count = once_in (3) ? 1 : 3;
  for (unsigned c = 1; c < 3; c++) {
    struct histo_component *component = &frame->components[c];

    component->width = red->width;
    component->sample_bytes = red->sample_bytes;
    component->depth = red->depth;
    if (component->shift > 16 - red->depth || red->sample_bytes == 1)
      component->shift = 0;
    component->big_endian &= red->sample_bytes == 2;
    component->bins = once_in (2) ? HISTO_BINS : red->bins;
    if (component->step_bytes < red->sample_bytes)
      component->step_bytes = red->sample_bytes;
  }
}

/* Makes the components those of a picture, of which each sample has its chroma, most of the time. */
static void
shape_picture (struct histo_frame *frame)
{
  struct histo_component *luma = &frame->components[0];
  struct histo_chroma *chroma = &frame->chroma;

  chroma->shift_x = (uint8_t)below (3);
  chroma->shift_y = (uint8_t)below (3);
  chroma->phase_x = (uint8_t)below (UINT64_C (1) << chroma->shift_x);
  chroma->phase_y = (uint8_t)below (UINT64_C (1) << chroma->shift_y);
  for (unsigned c = 1; c < 3; c++) {
    frame->components[c].sample_bytes = luma->sample_bytes;
    frame->components[c].depth = luma->depth;
    if (frame->components[c].shift > 16 - luma->depth || luma->sample_bytes == 1)
      frame->components[c].shift = 0;
    frame->components[c].bins = luma->bins;
    if (frame->components[c].step_bytes < luma->sample_bytes)
      frame->components[c].step_bytes = luma->sample_bytes;
    frame->components[c].width = luma->width > 0 ? ((luma->width - 1 + chroma->phase_x) >> chroma->shift_x) + 1 : 0;
    frame->components[c].width += once_in (4);
  }
  frame->components[2].width = frame->components[1].width;
  if ((frame->components[1].plane == luma->plane) != (frame->components[2].plane == luma->plane))
    frame->components[2].plane = frame->components[1].plane;
}

static void
make_components (struct histo_frame *frame)
{
  bool is_deep = once_in (2), is_mixed = once_in (6);

  for (unsigned c = 0; c < frame->component_count; c++) {
    struct histo_component *component = &frame->components[c];

    component->plane = (unsigned)below (frame->plane_count);
    component->step_bytes = 1 + below (once_in (5) ? 40 : 4);
    component->offset_bytes = below (once_in (5) ? 200 : 5);
    component->width = below (once_in (4) ? 300 : 20);
    make_sample (component, is_mixed ? once_in (2) : is_deep);
    /* Often of one kind and at even distances, as pixels are. */
    if (component->sample_bytes == 2 && once_in (5)) {
      component->step_bytes += component->step_bytes == 1;
    } else if (component->sample_bytes == 2) {
      component->step_bytes *= 2;
      component->offset_bytes *= 2;
    }
    if (c > 0 && component->sample_bytes == 2 && frame->components[0].sample_bytes == 2 && !is_mixed) {
      component->depth = frame->components[0].depth;
      component->shift = frame->components[0].shift;
      component->big_endian = frame->components[0].big_endian;
      component->bins = frame->components[0].bins;
    }
  }
}

/* The bytes of a plane's rows that components touch. */
static size_t
count_row_bytes (const struct histo_frame *frame, unsigned plane)
{
  size_t row_bytes = 0;

  for (unsigned c = 0; c < frame->component_count; c++) {
    const struct histo_component *component = &frame->components[c];
    size_t end = component->offset_bytes + (component->width - 1) * component->step_bytes + component->sample_bytes;

    if (component->plane == plane && component->width > 0 && end > row_bytes)
      row_bytes = end;
  }
  return row_bytes;
}

/* A frame that fits into the memory, most of the time. */
static void
make_frame (struct histo_frame *frame)
{
  bool is_picture = once_in (2), is_rgb = once_in (4);

  memset (frame, 0, sizeof *frame);
  frame->statistics
      = HISTO_STATISTIC_DOT | (once_in (4) ? HISTO_STATISTIC_PROJECTION : 0) | (once_in (3) ? HISTO_STATISTIC_DIFFERENCE : 0);
  frame->plane_count = 1 + (unsigned)below (once_in (3) ? HISTO_MAX_PLANES : 1);
  frame->component_count = 1 + (unsigned)below (HISTO_MAX_COMPONENTS);
  make_components (frame);
  if (is_picture || once_in (20))
    frame->statistics = (uint32_t)below (UINT32_MAX) & CHEAP_STATISTICS;
  if (once_in (8))
    frame->statistics |= HISTO_STATISTIC_WAVEFORM;
  if (is_picture && once_in (16))
    frame->statistics |= HISTO_STATISTIC_VECTORSCOPE;
  frame->waveform_columns = 1 + (uint32_t)below (once_in (4) ? 300 : 3);
  if (is_picture && frame->component_count < 3)
    frame->statistics &= ~(uint32_t)HISTO_STATISTICS_COLOURS;
  else if (is_rgb)
    shape_rgb (frame);
  else if (is_picture)
    shape_picture (frame);
  if (frame->statistics & HISTO_STATISTIC_GAMUT)
    make_gamut (frame);
  if (frame->statistics & HISTO_STATISTIC_LIGHT)
    make_light (frame);
  if (frame->derived_count > 0)
    make_matrix (frame);
  if (!once_in (8))
    frame->statistics &= ~find_unanswered (frame);
  for (unsigned p = 0; p < frame->plane_count; p++)
    frame->planes[p].height = (uint32_t)below (once_in (4) ? 40 : 7);
  if (is_picture && frame->component_count >= 3 && frame->components[1].plane != frame->components[0].plane) {
    const uint32_t height = height_of (frame, 0), above = height > 0 ? height - 1u + frame->chroma.phase_y : 0;
    const uint32_t chroma_rows = (height > 0 ? (above >> frame->chroma.shift_y) + 1 : 0) + (uint32_t)once_in (4);

    frame->planes[frame->components[1].plane].height = frame->planes[frame->components[2].plane].height = chroma_rows;
  }
  for (unsigned c = 1; c < 3 && frame->derived_count > 0; c++)
    frame->planes[frame->components[c].plane].height = height_of (frame, 0);
  for (unsigned p = 0; p < frame->plane_count; p++) {
    struct histo_plane *plane = &frame->planes[p];
    const size_t row_bytes = count_row_bytes (frame, p);
    size_t bytes;

    plane->stride_bytes = row_bytes + (once_in (2) ? 0 : below (9));
    bytes = plane->height > 0 && row_bytes > 0 ? (plane->height - 1) * plane->stride_bytes + row_bytes : 0;
    /* Against the end of the memory, or anywhere. */
    if (bytes > 0 && bytes <= MEMORY_BYTES)
      plane->data = memory + (once_in (2) ? MEMORY_BYTES - bytes : below (MEMORY_BYTES - bytes + 1));
    else if (bytes > 0 || once_in (2))
      plane->data = memory;
  }
}

static void
spoil_frame (struct histo_frame *frame)
{
  struct histo_component *component = &frame->components[below (HISTO_MAX_COMPONENTS)];
  struct histo_plane *plane = &frame->planes[below (HISTO_MAX_PLANES)];
  uint64_t value = choose_nonsense ();

  switch (below (23)) {
  case 0:
    frame->memory = (enum histo_memory) (value & 3);
    break;
  case 1:
    frame->plane_count = (unsigned)value;
    break;
  case 2:
    frame->component_count = (unsigned)value;
    break;
  case 3:
    plane->data = NULL;
    break;
  case 4:
  case 5:
    plane->stride_bytes = (size_t)value;
    break;
  case 6:
    plane->height = (uint32_t)value;
    break;
  case 7:
    component->plane = (unsigned)value;
    break;
  case 8:
    component->offset_bytes = (size_t)value;
    break;
  case 9:
    component->step_bytes = (size_t)value;
    break;
  case 10:
    component->width = value;
    break;
  case 11:
    component->sample_bytes = (unsigned)value;
    break;
  case 12:
    component->depth = (unsigned)value;
    break;
  case 13:
    component->shift = (unsigned)value;
    break;
  case 14:
    component->bins = (unsigned)value;
    break;
  case 15:
    component->big_endian = !component->big_endian;
    break;
  case 16:
    frame->statistics ^= HISTO_STATISTIC_PROJECTION;
    break;
  case 17:
    frame->statistics ^= UINT32_C (1) << below (once_in (3) ? 32 : 8);
    break;
  case 18:
    if (once_in (2))
      frame->chroma.shift_x = (uint8_t)value;
    else
      frame->chroma.shift_y = (uint8_t)value;
    break;
  case 19:
    if (once_in (2))
      frame->chroma.phase_x = (uint8_t)value;
    else
      frame->chroma.phase_y = (uint8_t)value;
    break;
  case 20:
    frame->waveform_columns = (uint32_t)value;
    break;
  case 21:
    frame->derived_count = (unsigned)value;
    break;
  case 22:
    spoil_matrix (&frame->matrix);
    break;
  }
}

/* The same shape elsewhere. */
static void
make_operand (const struct histo_frame *frame, struct histo_frame *operand)
{
  *operand = *frame;
  operand->operand = (const struct histo_frame *)(uintptr_t)24; /* not to be looked at, nor are these */
  operand->statistics = (uint32_t)test_random_next (&fuzz_random);
  operand->waveform_columns = (uint32_t)test_random_next (&fuzz_random);
  operand->matrix = (struct histo_matrix){ .shift = (uint32_t)below (40) };
  operand->chroma = (struct histo_chroma){ .shift_x = (uint8_t)below (256), .phase_y = (uint8_t)below (256) };
  for (unsigned p = 0; p < HISTO_MAX_PLANES; p++) {
    if (once_in (2) && operand->planes[p].data != NULL)
      operand->planes[p].data = memory + below (64);
    if (once_in (3))
      operand->planes[p].stride_bytes += below (4);
  }
  if (once_in (10))
    spoil_frame (operand);
}

/* New weights, of random lengths, for one component of all engines. */
static void
change_weights (struct histo_engine **engines, unsigned engine_count)
{
  unsigned c = (unsigned)below (HISTO_MAX_COUNTED);
  bool are_large = once_in (4); /* and of one sign: their sums leave 32 bits */

  for (unsigned i = 0; i < ROW_WEIGHTS + COLUMN_WEIGHTS; i++)
    weight_numbers[c][i] = (int16_t)(are_large     ? INT16_MAX - below (512)
                                     : once_in (9) ? INT16_MIN
                                     : once_in (9) ? INT16_MAX
                                                   : test_random_next (&fuzz_random));
  weights[c].row = once_in (3) ? NULL : weight_numbers[c];
  weights[c].row_count = once_in (2) ? ROW_WEIGHTS : below (ROW_WEIGHTS + 1);
  weights[c].column = once_in (3) ? NULL : weight_numbers[c] + ROW_WEIGHTS;
  weights[c].column_count = once_in (2) ? COLUMN_WEIGHTS : below (COLUMN_WEIGHTS + 1);
  for (unsigned e = 0; e < engine_count; e++)
    if (histo_set_weights (engines[e], c, &weights[c]) != HISTO_OK)
      exit (EXIT_FAILURE);
}

/* ---- the program ---------------------------------------------------------------------------------------------------- */

static void
print_frame (const char *name, const struct histo_frame *frame)
{
  fprintf (stderr,
           "%s: memory %d, %u planes, %u components, asked for %#" PRIx32 " and %" PRIu32
           " columns, chroma shifts %u and %u, phases %u and %u\n",
           name, (int)frame->memory, frame->plane_count, frame->component_count, frame->statistics, frame->waveform_columns,
           frame->chroma.shift_x, frame->chroma.shift_y, frame->chroma.phase_x, frame->chroma.phase_y);
  fprintf (stderr, "  %u derived: shift %" PRIu32, frame->derived_count, frame->matrix.shift);
  for (unsigned i = 0; i < 3; i++)
    fprintf (stderr, ", %" PRId32 " %" PRId32 " %" PRId32, frame->matrix.y[i], frame->matrix.cb[i], frame->matrix.cr[i]);
  fprintf (stderr, "\n");
  for (unsigned p = 0; p < HISTO_MAX_PLANES; p++)
    fprintf (stderr, "  plane %u: data %+td, stride %zu, height %" PRIu32 "\n", p,
             frame->planes[p].data != NULL ? (const uint8_t *)frame->planes[p].data - memory : -1,
             frame->planes[p].stride_bytes, frame->planes[p].height);
  for (unsigned c = 0; c < HISTO_MAX_COMPONENTS; c++) {
    const struct histo_component *component = &frame->components[c];
    fprintf (stderr,
             "  component %u: plane %u, offset %zu, step %zu, width %" PRIu64
             ", sample %u, depth %u, shift %u, %s-endian, bins %u\n",
             c, component->plane, component->offset_bytes, component->step_bytes, component->width, component->sample_bytes,
             component->depth, component->shift, component->big_endian ? "big" : "little", component->bins);
  }
}

static _Noreturn void
fail (uint64_t round, const char *engine, const char *what, const struct histo_frame *frame)
{
  fprintf (stderr, "seed %" PRIu64 ", round %" PRIu64 ": %s: %s\n", test_seed (), round, engine, what);
  print_frame ("frame", frame);
  if (frame->operand != NULL)
    print_frame ("operand", frame->operand);
  exit (EXIT_FAILURE);
}

static void
make_memory (void)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  uint8_t *map = mmap (NULL, MEMORY_BYTES + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (map == MAP_FAILED) {
    perror ("mmap");
    exit (EXIT_FAILURE);
  }
  test_random_bytes (&fuzz_random, map + page, MEMORY_BYTES);
  mprotect (map, page, PROT_NONE);
  mprotect (map + page, MEMORY_BYTES, PROT_READ);
  mprotect (map + page + MEMORY_BYTES, page, PROT_NONE);
  memory = map + page;
}

int
main (int argc, char **argv)
{
  enum { MAX_ENGINES = 8 };
  struct histo_engine *opened[MAX_ENGINES] = { NULL };
  const struct test_variant *engines;
  unsigned engine_count;
  uint64_t rounds = argc > 2 ? strtoull (argv[2], NULL, 0) : DEFAULT_ROUNDS, verdicts[3] = { 0 }, pictures = 0, derived = 0;
  static struct test_count expected;
  struct histo_stats stats = { 0 };

  test_engines_init (argc, argv);
  engines = test_variants (&engine_count);
  fuzz_random = test_random_start (60);
  make_memory ();
  for (unsigned e = 0; e < engine_count; e++)
    if (histo_open (&engines[e].config, &opened[e]) != HISTO_OK)
      return EXIT_FAILURE;

  for (uint64_t round = 0; round < rounds; round++) {
    struct histo_frame frame, operand;
    enum verdict verdict;

    if (once_in (10))
      change_weights (opened, engine_count);
    make_frame (&frame);
    if (once_in (3)) {
      make_operand (&frame, &operand);
      frame.operand = &operand;
    }
    for (unsigned faults = once_in (3) ? 1 + (unsigned)below (3) : 0; faults > 0; faults--)
      spoil_frame (&frame);
    verdict = judge (&frame);
    verdicts[verdict]++;
    derived += verdict == VALID && frame.derived_count > 0;
    pictures += verdict == VALID && (frame.statistics & HISTO_STATISTICS_COLOURS) != 0;
    if (verdict == OUTSIDE)
      continue;
    if (verdict == VALID)
      test_frame_count (&frame, &expected);
    if (verdict == VALID && frame.statistics & HISTO_STATISTIC_PROJECTION)
      test_frame_project (&frame, weights, &expected);

    for (unsigned e = 0; e < engine_count; e++) {
      histo_ticket ticket;
      enum histo_status status = histo_submit (opened[e], &frame, &ticket);

      if (verdict == REFUSED && status != HISTO_ERROR_INVALID && status != HISTO_ERROR_UNSUPPORTED)
        fail (round, engines[e].name, "a frame against the rules was not refused", &frame);
      if (verdict == VALID) {
        const char *difference;

        if (status != HISTO_OK)
          fail (round, engines[e].name, histo_status_text (status), &frame);
        status = histo_collect (opened[e], ticket, &stats);
        if (status != HISTO_OK)
          fail (round, engines[e].name, histo_status_text (status), &frame);
        difference = test_stats_difference (&expected.stats, &stats);
        if (difference != NULL)
          fail (round, engines[e].name, difference, &frame);
      }
    }
  }

  test_count_clear (&expected);
  histo_stats_clear (&stats);
  for (unsigned e = 0; e < engine_count; e++)
    histo_close (&opened[e]);
  printf ("%" PRIu64 " frames: %" PRIu64 " counted, %" PRIu64 " of them with colours, %" PRIu64
          " with derived components, %" PRIu64 " refused, %" PRIu64 " left out\n",
          rounds, verdicts[VALID], pictures, derived, verdicts[REFUSED], verdicts[OUTSIDE]);
  return pictures > 0 && derived > 0 && verdicts[REFUSED] > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
