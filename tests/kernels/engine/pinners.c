/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pinners: memory for frames, which outlives the engine. */

#include <string.h>

#include "rig.h"
#include "runner.h"

TEST_FIXTURE (begin_test, end_test)

TEST (pinners_refuse_nonsense)
{
  struct histo_pinner *pinner = (struct histo_pinner *)(uintptr_t)8;
  struct histo_block block = { &engine, 5, true };

  ck_assert_int_eq (histo_pinner_open (engine, NULL), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_pinner_open (NULL, &pinner), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (pinner);
  ck_assert_int_eq (histo_pinner_alloc (NULL, 1, &block), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (block.data);
  ck_assert_int_eq (histo_pinner_open (engine, &pinner), HISTO_OK);
  ck_assert_int_eq (histo_pinner_alloc (pinner, 1, NULL), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_pinner_alloc (pinner, 0, &block), HISTO_ERROR_INVALID);
  ck_assert_ptr_null (block.data);
  ck_assert_uint_eq (block.size_bytes, 0);
  histo_pinner_free (NULL, &block);
  histo_pinner_free (pinner, NULL);
  histo_pinner_free (pinner, &block);
  histo_pinner_close (&pinner);
  ck_assert_ptr_null (pinner);
  histo_pinner_close (&pinner);
  histo_pinner_close (NULL);
}

/* Blocks of all sizes are complete and separate, and frames in them can be counted. They outlive the engine. */
TEST (pinners_have_memory)
{
  static const size_t sizes[] = { 1, 100, 4095, 4096, 4097, 1000000 };
  enum { SIZES = sizeof sizes / sizeof *sizes };
  struct histo_pinner *pinner = NULL;
  struct histo_block blocks[SIZES];

  ck_assert_int_eq (histo_pinner_open (engine, &pinner), HISTO_OK);
  for (unsigned i = 0; i < SIZES; i++) {
    ck_assert_int_eq (histo_pinner_alloc (pinner, sizes[i], &blocks[i]), HISTO_OK);
    ck_assert_uint_ge (blocks[i].size_bytes, sizes[i]);
    ck_assert_uint_eq ((uintptr_t)blocks[i].data % 256, 0);
    if (test_backend () != HISTO_BACKEND_CUDA)
      ck_assert (!blocks[i].is_pinned);
    memset (blocks[i].data, (int)i + 1, sizes[i]);
  }
  for (unsigned i = 0; i < SIZES; i++) {
    const struct histo_frame frame = {
      .plane_count = 1,
      .component_count = 1,
      .planes = { { blocks[i].data, 0, 1 } },
      .components = { { .step_bytes = 1, .width = sizes[i], .sample_bytes = 1, .depth = 8 } },
    };

    ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
    ck_assert_uint_eq (stats.components[0].sum, sizes[i] * (i + 1));
  }
  histo_close (&engine);

  for (unsigned i = 0; i < SIZES; i++) {
    ck_assert_uint_eq (((const uint8_t *)blocks[i].data)[sizes[i] - 1], i + 1);
    histo_pinner_free (pinner, &blocks[i]);
    ck_assert_ptr_null (blocks[i].data);
    ck_assert_uint_eq (blocks[i].size_bytes, 0);
    ck_assert (!blocks[i].is_pinned);
  }
  ck_assert_int_eq (histo_pinner_alloc (pinner, 5000, &blocks[0]), HISTO_OK);
  memset (blocks[0].data, 1, 5000);
  histo_pinner_free (pinner, &blocks[0]);
  histo_pinner_close (&pinner);
}
