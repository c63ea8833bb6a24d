/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the tests of all backends: engines of all variants, and frames whose numbers are compared with the tests' own
 * loops. Each file has one subject, and adds its tests to the suite. */

#ifndef BACKENDS_RIG_H
#define BACKENDS_RIG_H

#include "engines.h"
#include "frames.h"

#include <check.h>

void add_layouts (Suite *suite);
void add_dot (Suite *suite);
void add_difference (Suite *suite);
void add_picture (Suite *suite);
void add_gamut (Suite *suite);
void add_deep (Suite *suite);
void add_projection (Suite *suite);
void add_scope (Suite *suite);
void add_queue (Suite *suite);
/* Only for CUDA. */
void add_device_memory (Suite *suite);
void add_device_many (Suite *suite);
void add_device_picture (Suite *suite);
void add_device_projection (Suite *suite);
void add_device_launches (Suite *suite);
void add_device_unlike (Suite *suite);

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
struct engines {
  unsigned count;
  const struct test_variant *variants;
  struct histo_engine *engines[8];
};

struct engines open_all (unsigned max_in_flight);
void close_all (struct engines *all);

/* Fail the test, with the variant and the frame, if numbers differ or counting fails. */
void assert_equal (const struct histo_stats *expected, const struct histo_stats *actual, const struct test_variant *variant,
                   const struct test_frame *frame);
void assert_counts (struct histo_engine *engine, const struct test_variant *variant, const struct test_frame *frame,
                    const struct histo_stats *expected, struct histo_stats *stats);

/* Counts `count` frames with every engine, `in_flight` at a time, and compares each with its numbers. `submitted`: the frames
 * for the engines; `frames` then only name a failure. NULL: the frames themselves. */
void assert_in_flight (struct engines *all, const struct test_frame *frames, const struct histo_frame *const *submitted,
                       const struct test_count *expected, unsigned count, unsigned in_flight);

/* Tests layouts at every base address at which a vector load can begin, with strides of several lengths. */
void check_every_base (const char *const *names, unsigned count, uint64_t salt);

/* A frame of the same picture elsewhere in memory: another address, stride and guard, the same crop. */
void init_operand (struct test_frame *operand, const struct test_frame *frame, struct test_random *random);

/* Makes a frame, which all engines count. */
void check_frame (struct engines *all, const struct test_layout *layout, const struct test_geometry *geometry,
                  enum test_fill fill, bool with_operand, struct test_random *random);

#endif
