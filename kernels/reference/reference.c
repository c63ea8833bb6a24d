/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reference backend: works inside submit, keeps the numbers of each slot until they are collected. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "reference.h"

struct histo_reference_numbers {
  uint64_t sum, sum_of_squares, dot;
  uint64_t histogram[HISTO_BINS];
};

struct histo_reference_slot {
  struct histo_reference_numbers numbers[HISTO_MAX_COMPONENTS];
};

static enum histo_status
histo_reference_open (const struct histo_config *config, struct histo_info *info, void **state)
{
  struct histo_reference_slot *slots = calloc (config->max_in_flight, sizeof (*slots));

  if (!slots) {
    histo_log (config, HISTO_LOG_ERROR, "reference: no memory for %u frames in flight", config->max_in_flight);
    return HISTO_ERROR_NO_MEMORY;
  }
  snprintf (info->device_name, sizeof (info->device_name), "plain loops");
  info->threads = 0;
  *state = slots;
  return HISTO_OK;
}

static enum histo_status
histo_reference_submit (void *state, const struct histo_frame *frame, unsigned slot)
{
  struct histo_reference_numbers *numbers = ((struct histo_reference_slot *)state)[slot].numbers;

  for (unsigned c = 0; c < frame->component_count; c++) {
    memset (&numbers[c], 0, sizeof (numbers[c]));
    histo_reference_histogram (frame, c, numbers[c].histogram);
    numbers[c].sum = histo_reference_sum (frame, c);
    numbers[c].sum_of_squares = histo_reference_sum_of_squares (frame, c);
    numbers[c].dot = histo_reference_dot (frame, c);
  }
  return HISTO_OK;
}

static bool
histo_reference_ready (void *state, unsigned slot)
{
  (void)state;
  (void)slot;
  return true;
}

static enum histo_status
histo_reference_collect (void *state, unsigned slot, struct histo_stats *stats)
{
  const struct histo_reference_numbers *numbers = ((struct histo_reference_slot *)state)[slot].numbers;

  for (unsigned c = 0; c < stats->component_count; c++) {
    stats->components[c].sum += numbers[c].sum;
    stats->components[c].sum_of_squares += numbers[c].sum_of_squares;
    stats->components[c].dot += numbers[c].dot;
    for (unsigned v = 0; v < HISTO_BINS; v++)
      stats->components[c].histogram[v] += numbers[c].histogram[v];
  }
  return HISTO_OK;
}

static void
histo_reference_close (void *state)
{
  free (state);
}

const struct histo_backend_ops histo_backend_reference = {
  .name = "reference",
  .open = histo_reference_open,
  .submit = histo_reference_submit,
  .ready = histo_reference_ready,
  .collect = histo_reference_collect,
  .close = histo_reference_close,
};
