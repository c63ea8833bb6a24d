/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the tests of all backends: engines of all variants, and frames whose numbers are compared with the tests' own
 * loops. Each file has one subject. */

#pragma once

#include "engines.h"
#include "frames.h"

#include <check.h>

/* Of pictures. Small enough for a slow core, large enough for every head, body and tail, and for more than one block or
 * thread. */
#define SIZE_COUNT 32
extern const uint32_t sizes[SIZE_COUNT][2];

/* Whether a test of all layouts at all sizes omits this pair. With CUDAHISTO_TEST_SHORT=sizes each layout has a fifth of the
 * sizes, and each size a fifth of the layouts (short.h). */
bool is_omitted (unsigned layout, unsigned size);

/* The log of all engines since the last open_variant(). */
extern struct test_log test_log;

/* Opens, or fails the test. max_in_flight 0: the default. */
struct histo_engine *open_variant (const struct test_variant *variant, unsigned max_in_flight);
struct histo_engine *open_reference (void);

/* An engine of every variant of the backend. */
extern struct engines {
  unsigned count;
  const struct test_variant *variants;
  struct histo_engine *engines[8]; /* NULL: not open */
} all;

/* Closes the engines, and opens others. */
void open_all (unsigned max_in_flight);
void close_all (void);

/* Around each test: all engines are open, with the default number of frames in flight. */
void begin_test (void);
void end_test (void);

/* The numbers of the last count. end_test() clears them. */
extern struct histo_stats stats;

/* Fails the test, with the variant and the frame, if numbers differ. */
void assert_equal (const struct histo_stats *expected, const struct histo_stats *actual, const struct test_variant *variant,
                   const struct test_frame *frame);

/* The engine, or every engine, counts a frame. Fail the test in the same way if the numbers in `stats` differ. */
void assert_counts (struct histo_engine *engine, const struct test_variant *variant, const struct test_frame *frame,
                    const struct histo_stats *expected);
void assert_all_count (const struct test_frame *frame, const struct histo_stats *expected);

/* Every engine counts a frame, and plain loops do. */
void check_counts (const struct test_frame *frame);

/* Collects the numbers of a submitted frame, and compares them. */
void collect_equal (struct histo_engine *engine, histo_ticket ticket, const struct histo_stats *expected,
                    const struct test_variant *variant, const struct test_frame *frame);

/* Counts `count` frames with every engine, `in_flight` at a time, and compares each with its numbers. `submitted`: the frames
 * for the engines; `frames` then only name a failure. NULL: the frames themselves. */
void assert_in_flight (const struct test_frame *frames, const struct histo_frame *const *submitted,
                       const struct test_count *expected, unsigned count, unsigned in_flight);

/* Tests layouts at every base address at which a vector load can begin, with strides of several lengths. */
void check_every_base (const char *const *names, unsigned count, uint64_t salt);

/* A frame of the same picture elsewhere in memory: another address, stride and guard, the same crop. */
void init_operand (struct test_frame *operand, const struct test_frame *frame, struct test_random *random);

enum test_fill choose_fill (struct test_random *random);

/* Returns a pseudo-random number that depends only on the position and the seed. */
uint32_t mix (uint64_t column, uint64_t row, uint64_t seed);

/* A painter of one value, of the uint32_t at `data`. */
uint32_t paint_value (void *data, uint64_t column, uint32_t row);

/* Returns the layout of a 4:4:4 picture of any depth, with a plane for each component. */
struct test_layout make_planes (unsigned depth);

/* Makes a frame, which all engines count. */
void check_frame (const struct test_layout *layout, const struct test_geometry *geometry, enum test_fill fill,
                  bool with_operand, struct test_random *random);
