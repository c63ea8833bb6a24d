/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the tests of the CUDA backend and its driver share: a script of the fake driver around each, and frames to count. A
 * subject is a file, which adds its tests to the suite. */

#ifndef DRIVER_RIG_H
#define DRIVER_RIG_H

#include <stdatomic.h>
#include <time.h>

#include "device.h"
#include "engines.h"
#include "fakecuda.h"
#include "frames.h"
#include "runner.h"

void add_devices (Suite *suite);
void add_failures (Suite *suite);
void add_timing (Suite *suite);
void add_launches (Suite *suite);
void add_staging (Suite *suite);
void add_memory (Suite *suite);
void add_pins (Suite *suite);

/* Of enum cudaError_enum. */
#define ILLEGAL_ADDRESS 700
#define OUT_OF_MEMORY 2
#define UNKNOWN 999

/* histo_cuda_zero_copy_bytes: of the frames of a workload some are copied, and some are counted where they are. */
#define SOME_COPIED 768

extern struct test_log test_log;    /* what engines said since the last config_for() */
extern const struct fakecuda *fake; /* NULL: another library */
extern unsigned live_before;        /* what a test that failed has left */
extern atomic_uint failing_calloc;  /* which one of the engine's fails, from now; 0: none */

struct histo_config config_for (enum histo_backend backend);

/* Fails the test where there is no engine. */
struct histo_engine *open_fake (unsigned max_in_flight);

/* Around each test: nothing may be left behind, and the fake must have had no cause to complain. */
void begin_script (void);
void end_script (void);

/* That the engine said why `what` failed. */
void assert_reason (const char *what);

uint64_t elapsed_ms (struct timespec since);

enum { FRAMES = 7, WORKLOAD_FRAMES = 9 };

/* Frames of all kinds, some with an operand, and their numbers. */
struct workload {
  struct test_frame frames[FRAMES], operands[FRAMES];
  struct test_count expected[FRAMES];
};

void make_workload (struct workload *workload);
void clear_workload (struct workload *workload);

/* Two frames of bytes in device memory, whose numbers differ. */
struct two_frames {
  struct test_device *device;
  CUdeviceptr memory[2];
  struct histo_frame frames[2];
  struct test_count expected[2];
};

void make_two (struct two_frames *two, uint64_t seed);
void clear_two (struct two_frames *two);

#endif
