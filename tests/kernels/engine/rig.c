/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "rig.h"

struct test_log test_log = TEST_LOG_INIT;
struct histo_engine *engine;
struct histo_stats stats;

struct histo_config
base_config (void)
{
  unsigned count;
  struct histo_config config = test_variants (&count)[0].config;

  config.log = test_log_add;
  config.log_data = &test_log;
  return config;
}

void
open_engine (unsigned max_in_flight)
{
  struct histo_config config = base_config ();

  config.max_in_flight = max_in_flight;
  histo_close (&engine);
  ck_assert_msg (histo_open (&config, &engine) == HISTO_OK, "%s", test_log.text);
  ck_assert_ptr_nonnull (engine);
}

void
begin_test (void)
{
  open_engine (0);
}

void
end_test (void)
{
  histo_close (&engine);
  histo_stats_clear (&stats);
}

static const uint8_t samples[4096];

struct histo_frame
good_frame (void)
{
  return (struct histo_frame){
    .statistics = HISTO_STATISTIC_DOT,
    .plane_count = 2,
    .component_count = 3,
    .planes = { { samples, 64, 4 }, { samples + 1024, 64, 2 } },
    .components = {
      { .plane = 0, .offset_bytes = 0, .step_bytes = 1, .width = 16, .sample_bytes = 1, .depth = 8 },
      { .plane = 1, .offset_bytes = 0, .step_bytes = 2, .width = 8, .sample_bytes = 1, .depth = 8 },
      { .plane = 1, .offset_bytes = 1, .step_bytes = 2, .width = 8, .sample_bytes = 1, .depth = 8 },
    },
  };
}

struct histo_frame
deep_frame (void)
{
  struct histo_frame frame = good_frame ();

  frame.components[2] = (struct histo_component){
    .plane = 1, .offset_bytes = 1, .step_bytes = 4, .width = 8, .sample_bytes = 2, .depth = 10, .shift = 6, .bins = 1024
  };
  return frame;
}

void
assert_refused (const struct histo_frame *frame, enum histo_status expected, const char *what)
{
  histo_ticket ticket;
  struct histo_frame good = good_frame ();
  enum histo_status status = histo_submit (engine, frame, &ticket);

  ck_assert_msg (status == expected, "%s: %s instead of %s", what, histo_status_text (status), histo_status_text (expected));
  /* The engine still works. */
  ck_assert_msg (test_engine_count (engine, &good, &stats) == HISTO_OK, "after %s", what);
  ck_assert_uint_eq (stats.components[0].count, 64);
}
