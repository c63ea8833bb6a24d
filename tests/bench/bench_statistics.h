/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table `statistics` of bench_pipeline. */

#pragma once

/* Prints the cost of each statistic of the element, by name of the property: frames per second, and the time of a frame divided
 * by that with basic statistics. `backend`: "cpu", one thread and frames in system memory; "cuda", frames on the GPU. Without a
 * GPU, prints that the table is skipped. `seconds`: approximate duration of each measurement; 0: one frame. Ends the program
 * with status 1 if a result is missing or wrong, or if the element warns. */
void bench_statistics (const char *backend, double seconds);
