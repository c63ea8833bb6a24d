/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "derived.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE 65536 /* rows, and samples in a row */
#define WIDE_SHIFT 30
#define ALIGNMENT 64 /* of rows */
#define CHROMA_EXCURSION 224
#define LUMA_EXCURSION 219

static uint32_t
find_shift (unsigned depth)
{
  return depth <= HISTO_NARROW_DEPTH ? WIDE_SHIFT - depth : WIDE_SHIFT;
}

/* Fills the coefficients of Cb or Cr: `main` is that of blue or red, whose weight in luma is `weight`; `other` is that of red
 * or blue. */
static void
find_chroma (double weight, double other_weight, double scale, double one, int32_t *main, int32_t *other, int32_t *green)
{
  *main = (int32_t)rint (scale / 2 * one);
  *other = (int32_t)rint (-scale / 2 * other_weight / (1 - weight) * one);
  *green = -*main - *other;
}

bool
histo_find_matrix (struct histo_matrix *matrix, double kr, double kb, bool is_full, unsigned depth)
{
  const double scale = is_full ? 1 : (double)CHROMA_EXCURSION / LUMA_EXCURSION;
  double one;

  if (!matrix)
    return false;
  *matrix = (struct histo_matrix){ .shift = 0 };
  if (depth < 8 || depth > 16 || !(kr > 0 && kb > 0 && 1 - kr - kb > 0))
    return false;
  matrix->shift = find_shift (depth);
  one = (double)((int64_t)1 << matrix->shift);
  matrix->y[0] = (int32_t)rint (kr * one);
  matrix->y[2] = (int32_t)rint (kb * one);
  matrix->y[1] = (int32_t)one - matrix->y[0] - matrix->y[2];
  find_chroma (kb, kr, scale, one, &matrix->cb[2], &matrix->cb[0], &matrix->cb[1]);
  find_chroma (kr, kb, scale, one, &matrix->cr[0], &matrix->cr[2], &matrix->cr[1]);
  return true;
}

static bool
luma_is_valid (const int32_t weights[3], int64_t one)
{
  return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0 && (int64_t)weights[0] + weights[1] + weights[2] == one;
}

/* Whether one coefficient is positive, and the sum is 0: the sum of the others is then at least -one. */
static bool
chroma_is_valid (const int32_t weights[3], int64_t one)
{
  unsigned positive = 0;

  for (unsigned i = 0; i < 3; i++) {
    if (weights[i] > one || weights[i] < -one)
      return false;
    positive += weights[i] > 0;
  }
  return positive == 1 && (int64_t)weights[0] + weights[1] + weights[2] == 0;
}

static bool
matrix_is_valid (const struct histo_matrix *matrix, unsigned depth)
{
  int64_t one;

  if (depth < 8 || depth > 16 || matrix->shift != find_shift (depth))
    return false;
  one = (int64_t)1 << matrix->shift;
  return luma_is_valid (matrix->y, one) && chroma_is_valid (matrix->cb, one) && chroma_is_valid (matrix->cr, one);
}

bool
histo_derivation_is_valid (const struct histo_frame *frame)
{
  const struct histo_component *red = &frame->components[0];

  if (frame->derived_count == 0)
    return true;
  if ((frame->derived_count != 1 && frame->derived_count != HISTO_MAX_DERIVED) || frame->component_count < 3)
    return false;
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].plane >= frame->plane_count)
      return false; /* the next planes are those of derived components */
  for (unsigned c = 1; c < 3; c++) {
    const struct histo_component *component = &frame->components[c];

    if (component->width != red->width || component->depth != red->depth
        || frame->planes[component->plane].height != frame->planes[red->plane].height)
      return false;
  }
  return red->width <= MAX_SIDE && frame->planes[red->plane].height <= MAX_SIDE;
}

bool
histo_matrix_is_valid (const struct histo_frame *frame)
{
  const struct histo_chroma *chroma = &frame->chroma;

  if (frame->derived_count == 0)
    return true;
  return chroma->shift_x == 0 && chroma->shift_y == 0 && chroma->phase_x == 0 && chroma->phase_y == 0
         && matrix_is_valid (&frame->matrix, frame->components[0].depth);
}

struct histo_derivation
histo_find_derivation (const struct histo_frame *frame, unsigned c)
{
  const struct histo_matrix *matrix = &frame->matrix;
  const int32_t *const weights[] = { matrix->y, matrix->cb, matrix->cr };
  const unsigned depth = frame->components[0].depth;
  struct histo_derivation derivation = {
    .weights = { weights[c][0], weights[c][1], weights[c][2] },
    .shift = matrix->shift,
    .offset = (int64_t)1 << (matrix->shift - 1),
    .top = (1 << depth) - 1,
  };

  if (c > 0)
    derivation.offset += (int64_t)1 << (depth - 1 + matrix->shift);
  return derivation;
}

/* A row has padding, so that the rows of a pass are never joined. */
static size_t
count_row_bytes (const struct histo_component *component)
{
  return ((size_t)component->width * component->sample_bytes / ALIGNMENT + 1) * ALIGNMENT + ALIGNMENT;
}

void
histo_add_derived (struct histo_frame *frame)
{
  const unsigned count = frame->derived_count;
  const struct histo_component *red = &frame->components[count];

  memmove (&frame->components[count], &frame->components[0], frame->component_count * sizeof frame->components[0]);
  for (unsigned c = 0; c < count; c++) {
    /* The address is not used; NULL would mean that there are no samples. */
    frame->planes[frame->plane_count] = (struct histo_plane){
      .data = frame->planes[red->plane].data,
      .stride_bytes = count_row_bytes (red),
      .height = frame->planes[red->plane].height,
    };
    frame->components[c] = (struct histo_component){
      .plane = frame->plane_count++,
      .step_bytes = red->sample_bytes,
      .width = red->width,
      .sample_bytes = red->sample_bytes,
      .depth = red->depth,
      .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
      .bins = red->bins,
    };
  }
  frame->component_count += count;
}

void
histo_remove_derived (struct histo_frame *frame)
{
  frame->component_count -= frame->derived_count;
  frame->plane_count -= frame->derived_count;
  memmove (&frame->components[0], &frame->components[frame->derived_count],
           frame->component_count * sizeof frame->components[0]);
}

size_t
histo_count_derived_bytes (const struct histo_frame *frame)
{
  return count_row_bytes (&frame->components[0]) * frame->planes[frame->components[0].plane].height;
}

unsigned
histo_find_first_component (const struct histo_frame *frame, bool is_rgb)
{
  return is_rgb ? frame->derived_count : 0;
}
