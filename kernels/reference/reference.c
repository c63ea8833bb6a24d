/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reference backend: counts inside submit, and keeps the numbers of each slot until they are collected. */

#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "derived.h"
#include "log.h"
#include "reference.h"
#include "stats.h"

struct reference {
  unsigned slot_count;
  struct histo_stats *slots;
  struct histo_weights weights[HISTO_MAX_COUNTED];
};

static void
close_reference (void *state)
{
  struct reference *reference = state;

  for (unsigned i = 0; reference->slots && i < reference->slot_count; i++)
    histo_stats_clear (&reference->slots[i]);
  free (reference->slots);
  free (reference);
}

static enum histo_status
open_reference (const struct histo_config *config, struct histo_info *info, void **state)
{
  struct reference *reference = calloc (1, sizeof *reference);

  if (reference) {
    reference->slot_count = config->max_in_flight;
    reference->slots = calloc (config->max_in_flight, sizeof *reference->slots);
  }
  if (!reference || !reference->slots) {
    free (reference);
    histo_log (config, HISTO_LOG_ERROR, "reference: no memory for %u frames in flight", config->max_in_flight);
    return HISTO_ERROR_NO_MEMORY;
  }
  snprintf (info->device_name, sizeof info->device_name, "plain loops");
  info->threads = 0;
  *state = reference;
  return HISTO_OK;
}

/* Computes each statistic of the list that was requested. */
static void
count_picture (const struct histo_frame *frame, struct histo_picture_stats *picture)
{
#define PICTURE_NUMBER(id, name, ...)             \
  if (picture->statistics & HISTO_STATISTIC_##id) \
    picture->name = histo_reference_##name (frame);
#define PICTURE_HISTOGRAM(id, name, ...)          \
  if (picture->statistics & HISTO_STATISTIC_##id) \
    histo_reference_##name (frame, picture->name);
#include "statistic_list.h"
}

static void
count (const struct reference *reference, const struct histo_frame *frame, struct histo_stats *stats)
{
  for (unsigned c = 0; c < frame->component_count; c++) {
    struct histo_component_stats *component = &stats->components[c];

    histo_reference_histogram (frame, c, component->histogram);
    component->sum = histo_reference_sum (frame, c);
    component->sum_of_squares = histo_reference_sum_of_squares (frame, c);
    if (frame->statistics & HISTO_STATISTIC_DOT)
      component->dot = histo_reference_dot (frame, c);
    if (frame->statistics & HISTO_STATISTIC_DIFFERENCE)
      histo_reference_difference (frame, c, &component->absolute_difference, &component->squared_difference);
    if (component->rows > 0)
      histo_reference_project (frame, c, &reference->weights[c], component->row_sums, component->column_sums);
    if (component->waveform)
      histo_reference_waveform (frame, c, component->waveform_columns, component->waveform);
  }
  if (stats->picture)
    count_picture (frame, stats->picture);
}

/* Places the derived planes in memory, and fills them. */
static void
place_derived (struct histo_frame *frame, const struct histo_matrix *matrix, uint8_t *memory)
{
  for (unsigned c = 0; c < frame->derived_count; c++)
    frame->planes[frame->components[c].plane].data = memory + c * histo_count_derived_bytes (frame);
  histo_reference_fill_derived (frame, matrix);
}

static enum histo_status
count_derived (const struct reference *reference, const struct histo_frame *frame, struct histo_stats *stats)
{
  const size_t bytes = histo_count_derived_bytes (frame) * frame->derived_count;
  struct histo_frame whole = *frame, operand;
  uint8_t *memory = malloc (2 * bytes + 1);

  if (!memory)
    return HISTO_ERROR_NO_MEMORY;
  place_derived (&whole, &frame->matrix, memory);
  if (frame->operand) {
    operand = *frame->operand;
    place_derived (&operand, &frame->matrix, memory + bytes);
    whole.operand = &operand;
  }
  count (reference, &whole, stats);
  free (memory);
  return HISTO_OK;
}

static enum histo_status
submit (void *state, const struct histo_frame *frame, unsigned slot)
{
  const struct reference *reference = state;
  struct histo_stats *stats = &reference->slots[slot];
  enum histo_status status = histo_stats_prepare (stats, frame);

  if (status != HISTO_OK || frame->derived_count > 0)
    return status == HISTO_OK ? count_derived (reference, frame, stats) : status;
  count (reference, frame, stats);
  return HISTO_OK;
}

static bool
ready (void *state, unsigned slot)
{
  (void)state;
  (void)slot;
  return true;
}

static enum histo_status
collect (void *state, unsigned slot, struct histo_stats *stats)
{
  const struct reference *reference = state;

  return stats->component_count > 0 ? histo_stats_add (stats, &reference->slots[slot]) : HISTO_OK;
}

static enum histo_status
set_weights (void *state, unsigned component, const struct histo_weights *weights)
{
  struct reference *reference = state;

  reference->weights[component] = *weights;
  return HISTO_OK;
}

const struct histo_backend_ops histo_backend_reference = {
  .name = "reference",
  .open = open_reference,
  .submit = submit,
  .ready = ready,
  .collect = collect,
  .close = close_reference,
  .set_weights = set_weights,
};
