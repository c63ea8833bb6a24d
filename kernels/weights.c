/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "weights.h"

#include <stdlib.h>
#include <string.h>

/* *copy is NULL for a vector of ones. */
static enum histo_status
copy_vector (const int16_t *vector, uint64_t count, int16_t **copy)
{
  *copy = NULL;
  if (!vector)
    return HISTO_OK;
  if (count > SIZE_MAX / sizeof **copy)
    return HISTO_ERROR_NO_MEMORY;
  *copy = malloc (count > 0 ? (size_t)count * sizeof **copy : 1);
  if (!*copy)
    return HISTO_ERROR_NO_MEMORY;
  memcpy (*copy, vector, (size_t)count * sizeof **copy);
  return HISTO_OK;
}

enum histo_status
histo_weights_copy (const struct histo_weights *weights, struct histo_own_weights *copy)
{
  enum histo_status status;

  *copy = (struct histo_own_weights){ .row_count = weights->row_count, .column_count = weights->column_count };
  status = copy_vector (weights->row, weights->row_count, &copy->row);
  if (status == HISTO_OK)
    status = copy_vector (weights->column, weights->column_count, &copy->column);
  if (status != HISTO_OK)
    histo_weights_free (copy);
  return status;
}

void
histo_weights_free (struct histo_own_weights *weights)
{
  free (weights->row);
  free (weights->column);
  *weights = (struct histo_own_weights){ 0 };
}

bool
histo_weights_suffice (const struct histo_own_weights *weights, const struct histo_frame *frame,
                       const struct histo_component *component)
{
  const uint32_t height = frame->planes[component->plane].height;

  if (component->width == 0 || height == 0)
    return true;
  return (!weights->row || component->width <= weights->row_count) && (!weights->column || height <= weights->column_count);
}
