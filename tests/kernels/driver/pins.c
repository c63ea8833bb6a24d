/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pinned memory for callers. */

#include <string.h>

#include "rig.h"

TEST_FIXTURE (begin_script, end_script)

enum { BLOCKS = 3, BLOCK_BYTES = 10000 };

static struct histo_frame
describe_block (const struct histo_block *block)
{
  return (struct histo_frame){ .plane_count = 1,
                               .component_count = 1,
                               .planes = { { block->data, BLOCK_BYTES, 1 } },
                               .components = { { .step_bytes = 1, .width = BLOCK_BYTES, .sample_bytes = 1, .depth = 8 } } };
}

/* Blocks can be allocated, have the stated properties and keep their contents, whatever the state of the driver. */
static void
use_blocks (struct histo_pinner *pinner, struct histo_block blocks[BLOCKS])
{
  for (unsigned i = 0; i < BLOCKS; i++) {
    ck_assert_int_eq (histo_pinner_alloc (pinner, BLOCK_BYTES, &blocks[i]), HISTO_OK);
    ck_assert_uint_eq ((uintptr_t)blocks[i].data % 4096, 0);
    ck_assert_uint_ge (blocks[i].size_bytes, BLOCK_BYTES);
    memset (blocks[i].data, (int)i + 1, BLOCK_BYTES);
  }
}

static void
free_blocks (struct histo_pinner *pinner, struct histo_block blocks[BLOCKS])
{
  for (unsigned i = 0; i < BLOCKS; i++) {
    for (size_t at = 0; at < BLOCK_BYTES; at++)
      TEST_REQUIRE (((const uint8_t *)blocks[i].data)[at] == i + 1, "block %u changed", i);
    histo_pinner_free (pinner, &blocks[i]);
    ck_assert_ptr_null (blocks[i].data);
  }
}

TEST (pinned_memory_outlives_the_engine)
{
  for (unsigned own_context = 0; own_context < 2; own_context++) {
    struct histo_config config = config_for (HISTO_BACKEND_CUDA);
    struct histo_engine *engine = NULL;
    struct histo_pinner *pinner = NULL;
    struct histo_block blocks[BLOCKS], later[BLOCKS];
    struct histo_frame frame;
    struct test_device *device;

    begin_script ();
    device = test_device_open (own_context);
    config.cuda_context = own_context ? device->context : NULL;
    ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
    ck_assert_int_eq (histo_pinner_open (engine, &pinner), HISTO_OK);
    if (!own_context)
      test_device_close (device); /* the engine and the pinner hold the primary context */
    use_blocks (pinner, blocks);
    for (unsigned i = 0; i < BLOCKS; i++)
      ck_assert (blocks[i].is_pinned);
    frame = describe_block (&blocks[1]);
    ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
    ck_assert_uint_eq (stats.components[0].sum, 2 * BLOCK_BYTES);
    histo_close (&engine);
    use_blocks (pinner, later);
    for (unsigned i = 0; i < BLOCKS; i++)
      ck_assert (later[i].is_pinned);
    free_blocks (pinner, blocks);
    free_blocks (pinner, later);
    histo_pinner_close (&pinner);
    if (own_context)
      test_device_close (device);
    end_script ();
  }
}

TEST (pinned_memory_outlives_the_device)
{
  struct histo_pinner *pinner = NULL, *late = (struct histo_pinner *)(uintptr_t)8;
  struct histo_block blocks[BLOCKS], later[BLOCKS];
  struct histo_frame frame;
  struct histo_engine *engine = open_fake (FRAMES);

  ck_assert_int_eq (histo_pinner_open (engine, &pinner), HISTO_OK);
  use_blocks (pinner, blocks);
  frame = describe_block (&blocks[0]);
  fake->fault_kernel (1);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_ERROR_DEVICE);
  test_log_clear (&test_log);
  use_blocks (pinner, later); /* now ordinary memory */
  for (unsigned i = 0; i < BLOCKS; i++)
    ck_assert (!later[i].is_pinned);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  ck_assert_int_eq (histo_pinner_open (engine, &late), HISTO_ERROR_DEVICE);
  ck_assert_ptr_null (late);
  histo_close (&engine);
  free_blocks (pinner, later);
  free_blocks (pinner, blocks);
  histo_pinner_close (&pinner);
}

static enum histo_status
use_pins (bool engine_goes_first)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;
  struct histo_pinner *pinner = NULL;
  struct histo_block blocks[BLOCKS];
  enum histo_status status = histo_open (&config, &engine);

  if (status != HISTO_OK)
    return status;
  status = histo_pinner_open (engine, &pinner);
  ck_assert ((status == HISTO_OK) == (pinner != NULL));
  if (status == HISTO_OK) {
    struct histo_frame frame;

    use_blocks (pinner, blocks);
    frame = describe_block (&blocks[2]);
    status = test_engine_count (engine, &frame, &stats);
    if (status == HISTO_OK)
      ck_assert_uint_eq (stats.components[0].sum, 3 * BLOCK_BYTES);
  } else {
    assert_reason ("histo_pinner_open");
  }
  if (engine_goes_first)
    histo_close (&engine);
  if (pinner != NULL)
    free_blocks (pinner, blocks);
  histo_pinner_close (&pinner);
  histo_close (&engine);
  return status;
}

TEST (pinning_survives_each_call)
{
  for (unsigned way = 0; way < 8; way++) {
    bool has_failed = true;

    for (uint64_t n = 1; has_failed; n++) {
      enum histo_status status;

      begin_script ();
      fake->fail_call (n, way & 4 ? UNKNOWN : OUT_OF_MEMORY, way & 2);
      status = use_pins (way & 1);
      has_failed = fake->has_failed ();
      ck_assert_msg (has_failed || status == HISTO_OK, "%s", test_log.text);
      ck_assert_msg (fake->faults () == 0, "call %u: %s", (unsigned)n, fake->fault_text ());
      ck_assert_msg (fake->live () == live_before, "call %u: %u objects are still alive", (unsigned)n,
                     fake->live () - live_before);
      end_script ();
    }
  }
}
