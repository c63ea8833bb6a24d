/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the tests of the CUDA backend and its driver: a script of the fake driver around each test, and frames to count.
 * Each file has one subject. */

#pragma once

#include <stdatomic.h>
#include <time.h>

#include "device.h"
#include "engines.h"
#include "fakecuda.h"
#include "frames.h"
#include "runner.h"

/* Of enum cudaError_enum. */
#define ILLEGAL_ADDRESS 700
#define OUT_OF_MEMORY 2
#define UNKNOWN 999

/* histo_cuda_zero_copy_bytes: some frames of a workload are copied, and some are counted in place. */
#define SOME_COPIED 768

extern struct test_log test_log;    /* the log of all engines since the last config_for() */
extern const struct fakecuda *fake; /* NULL: another library */
extern struct histo_stats stats;    /* of the last count; end_script() clears them */
extern unsigned live_before;        /* objects that a failed test has left */
extern atomic_uint failing_calloc;  /* the engine's call that fails, counted from now; 0: none */

struct histo_config config_for (enum histo_backend backend);

/* Fails the test if the engine does not open. */
struct histo_engine *open_fake (unsigned max_in_flight);

/* Around each test: no object may be left, and the fake driver must have found no fault. */
void begin_script (void);
void end_script (void);

/* Asserts that the engine logged why `what` failed. */
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
