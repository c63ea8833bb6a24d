/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that has the public header and the shared library, and nothing else: strict ISO C11, and C++11. */

#include <cudahisto/histo.h>

int
main (void)
{
  static const uint8_t bytes[] = { 1, 2, 3, 250 };
  static struct histo_config config;
  static struct histo_frame frame;
  static struct histo_stats stats;
  struct histo_engine *engine = NULL;
  struct histo_summary summary;
  histo_ticket ticket;
  bool is_good;

  config.backend = HISTO_BACKEND_REFERENCE;
  config.cuda_device = -1;
  frame.plane_count = frame.component_count = 1;
  frame.planes[0].data = bytes;
  frame.planes[0].stride_bytes = sizeof bytes;
  frame.planes[0].height = 1;
  frame.components[0].step_bytes = 1;
  frame.components[0].width = sizeof bytes;
  frame.components[0].sample_bytes = 1;
  frame.components[0].depth = 8;
  is_good = histo_open (&config, &engine) == HISTO_OK && histo_submit (engine, &frame, &ticket) == HISTO_OK
            && histo_collect (engine, ticket, &stats) == HISTO_OK && histo_summarize (&stats.components[0], &summary)
            && stats.components[0].sum == 256 && summary.max == 250;
  histo_stats_clear (&stats);
  histo_close (&engine);
  return is_good ? 0 : 1;
}
