/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that has the public header and the shared library, and nothing else: strict ISO C11. */

#include <cudahisto/histo.h>

int
main (void)
{
  static const uint8_t bytes[] = { 1, 2, 3, 250 };
  const struct histo_config config = { .backend = HISTO_BACKEND_REFERENCE, .cuda_device = -1 };
  const struct histo_frame frame = {
    .plane_count = 1,
    .component_count = 1,
    .planes = { { .data = bytes, .stride_bytes = sizeof bytes, .height = 1 } },
    .components = { { .step_bytes = 1, .width = sizeof bytes, .sample_bytes = 1, .depth = 8 } },
  };
  struct histo_engine *engine = NULL;
  struct histo_stats stats = { 0 };
  struct histo_summary summary;
  histo_ticket ticket;
  bool is_good = histo_open (&config, &engine) == HISTO_OK && histo_submit (engine, &frame, &ticket) == HISTO_OK
                 && histo_collect (engine, ticket, &stats) == HISTO_OK && histo_summarize (&stats.components[0], &summary)
                 && stats.components[0].sum == 256 && summary.max == 250;

  histo_stats_clear (&stats);
  histo_close (&engine);
  return is_good ? 0 : 1;
}
