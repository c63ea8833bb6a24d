/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The public header in strict C++11, linked with the C library. */

#include <cudahisto/histo.h>

int
main ()
{
  static const uint8_t bytes[] = { 1, 2, 3, 250 };
  histo_config config = histo_config ();
  histo_frame frame = histo_frame ();
  histo_engine *engine = nullptr;
  histo_stats stats = histo_stats ();
  histo_summary summary;
  histo_ticket ticket;
  bool is_good;

  config.backend = HISTO_BACKEND_REFERENCE;
  frame.plane_count = frame.component_count = 1;
  frame.planes[0].data = bytes;
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
