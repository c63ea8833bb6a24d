/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table `statistics` of bench_pipeline. */

#ifndef BENCH_STATISTICS_H
#define BENCH_STATISTICS_H

/* Prints what the element costs with each of its statistics, by name of the property: frames per second, and how many times as
 * long a frame takes as with basic statistics. backend: "cpu", one thread and frames in system memory; "cuda", frames on the
 * GPU, without which it prints that the table is skipped; borrowed. seconds: of each measurement, about; 0: one frame. Ends the
 * program with status 1 where a result is missing or wrong, or the element warns. */
void bench_statistics (const char *backend, double seconds);

#endif
