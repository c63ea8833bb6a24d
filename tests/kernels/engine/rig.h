/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the tests of the engine: engines, frames that they accept, and a check of frames that they refuse. Each file has
 * one subject. */

#pragma once

#include "engines.h"
#include "frames.h"

#include <check.h>

/* The log of all engines. */
extern struct test_log test_log;

/* The backend's first variant, with the log above. */
struct histo_config base_config (void);

/* The engine under test (NULL: none), and the numbers of its last frame. end_test() closes and clears them. */
extern struct histo_engine *engine;
extern struct histo_stats stats;

/* Closes the engine, and opens another, or fails the test. max_in_flight 0: the default. */
void open_engine (unsigned max_in_flight);

/* Opens one with the default. */
void begin_test (void);
void end_test (void);

/* A good frame of two planes and three components, like NV12 of 16x4. */
struct histo_frame good_frame (void);

/* The same, but with samples of two bytes in the third component. */
struct histo_frame deep_frame (void);

/* Fails the test unless the frame is refused with that status, and the engine counts the good one afterwards. `what`: the
 * frame, for the failure's text. */
void assert_refused (const struct histo_frame *frame, enum histo_status expected, const char *what);
