/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* sums: counts samples of 10 bits, and sums their rows, with weights, and columns. Uses only the engine, without
 * GStreamer. */

#include <cudahisto/histo.h>
#include <inttypes.h>
#include <stdio.h>

int
main (void)
{
  static const uint16_t samples[3][4] = { { 0, 10, 20, 30 }, { 5, 5, 5, 5 }, { 1023, 1000, 500, 0 } };
  static const int16_t last_less_first[4] = { -1, 0, 0, 1 };
  struct histo_weights weights = { .row = last_less_first, .row_count = 4 }; /* of columns: ones */
  struct histo_frame frame = {
    .plane_count = 1,
    .component_count = 1,
    .planes = { { .data = samples, .stride_bytes = sizeof samples[0], .height = 3 } },
    .components = { { .step_bytes = 2, .width = 4, .sample_bytes = 2, .depth = 10, .bins = 1024 } },
    .statistics = HISTO_STATISTIC_PROJECTION,
  };
  struct histo_engine *engine = NULL;
  struct histo_stats stats = { 0 };
  histo_ticket ticket;
  enum histo_status status;

  status = histo_open (NULL, &engine);
  if (status == HISTO_OK)
    status = histo_set_weights (engine, 0, &weights);
  if (status == HISTO_OK)
    status = histo_submit (engine, &frame, &ticket);
  if (status == HISTO_OK)
    status = histo_collect (engine, ticket, &stats);
  if (status == HISTO_OK) {
    const struct histo_component_stats *component = &stats.components[0];

    printf ("%" PRIu64 " samples have the value 5\n", component->histogram[5]);
    for (uint32_t y = 0; y < component->rows; y++)
      printf ("row %u: last less first %" PRId64 "\n", y, component->row_sums[y]);
    for (uint64_t x = 0; x < component->columns; x++)
      printf ("column %" PRIu64 ": sum %" PRId64 "\n", x, component->column_sums[x]);
  } else {
    fprintf (stderr, "%s\n", histo_status_text (status));
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
  return status != HISTO_OK;
}
