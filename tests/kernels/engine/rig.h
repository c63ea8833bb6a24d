/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the tests of the engine: engines, frames that they accept, and a check of frames that they refuse. Each file has
 * one subject, and adds its tests to the suite. */

#ifndef ENGINE_RIG_H
#define ENGINE_RIG_H

#include "engines.h"
#include "frames.h"

#include <check.h>

void add_opening (Suite *suite);
void add_frames (Suite *suite);
void add_tickets (Suite *suite);
void add_many (Suite *suite);
void add_weights (Suite *suite);
void add_pinners (Suite *suite);
void add_threads (Suite *suite);

/* The log of all engines. */
extern struct test_log test_log;

/* The backend's first variant, with the log above. */
struct histo_config base_config (void);

/* Opens, or fails the test. max_in_flight 0: the default. */
struct histo_engine *open_engine (unsigned max_in_flight);

/* A good frame of two planes and three components, like NV12 of 16x4. */
struct histo_frame good_frame (void);

/* The same, but with samples of two bytes in the third component. */
struct histo_frame deep_frame (void);

/* Fails the test unless the frame is refused with that status, and the engine counts the good one afterwards. `what`: the
 * frame, for the failure's text. */
void assert_refused (struct histo_engine *engine, const struct histo_frame *frame, enum histo_status expected,
                     const char *what);

#endif
