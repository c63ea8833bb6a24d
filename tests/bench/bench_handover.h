/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The limit in the table `push` of bench_pipeline. */

#ifndef BENCH_HANDOVER_H
#define BENCH_HANDOVER_H

#include <stddef.h>

/* Prints what it takes at least to have other threads read what a thread reads from a file: the limit of an element that hands
 * bytes to threads of its own, whatever these do with them. Blocks of several sizes are read into one buffer, as
 * filesrc ! identity ! fakesink does; into a ring of 3 x 512 KiB, of which nobody else reads anything, or all; or into one
 * buffer and then copied into that ring. Those who read are awake all the time. fd: of a file of file_bytes bytes, a multiple
 * of 512 KiB, in the page cache. Ends the program with status 1 where a thread has read something else than the file has. */
void bench_handover (int fd, size_t file_bytes);

#endif
