/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* batch: counts several frames with one call, from pinned memory, and adds up their numbers. Uses only the engine, without
 * GStreamer. */

#include <cudahisto/histo.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FRAMES 4
#define WIDTH 640
#define HEIGHT 480

int
main (void)
{
  const size_t frame_bytes = (size_t)WIDTH * HEIGHT;
  struct histo_config config = { .cuda_device = -1, .max_in_flight = FRAMES };
  struct histo_frame frames[FRAMES];
  struct histo_engine *engine = NULL;
  struct histo_pinner *pinner = NULL;
  struct histo_block block = { 0 };
  struct histo_stats stats = { 0 }, total = { 0 };
  histo_ticket first = 0;
  enum histo_status status;

  status = histo_open (&config, &engine);
  if (status == HISTO_OK)
    status = histo_pinner_open (engine, &pinner);
  if (status == HISTO_OK)
    status = histo_pinner_alloc (pinner, FRAMES * frame_bytes, &block);

  for (unsigned i = 0; status == HISTO_OK && i < FRAMES; i++) {
    uint8_t *samples = (uint8_t *)block.data + i * frame_bytes;

    memset (samples, (int)(10 * i), frame_bytes);
    frames[i] = (struct histo_frame){
      .plane_count = 1,
      .component_count = 1,
      .planes = { { .data = samples, .stride_bytes = WIDTH, .height = HEIGHT } },
      .components = { { .step_bytes = 1, .width = WIDTH, .sample_bytes = 1, .depth = 8 } },
    };
  }
  if (status == HISTO_OK)
    status = histo_submit_many (engine, frames, FRAMES, &first); /* all frames or, on an error, none */
  for (unsigned i = 0; status == HISTO_OK && i < FRAMES; i++) {
    status = histo_collect (engine, first + i, &stats);
    if (status == HISTO_OK)
      status = histo_stats_add (&total, &stats);
  }
  if (status == HISTO_OK)
    printf ("%" PRIu64 " samples, their sum is %" PRIu64 "\n", total.components[0].count, total.components[0].sum);
  else
    fprintf (stderr, "%s\n", histo_status_text (status));

  histo_stats_clear (&stats);
  histo_stats_clear (&total);
  histo_close (&engine); /* the engine no longer reads the block */
  histo_pinner_free (pinner, &block);
  histo_pinner_close (&pinner);
  return status != HISTO_OK;
}
