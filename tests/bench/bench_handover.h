/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The limit in the table `push` of bench_pipeline. */

#pragma once

#include <stddef.h>

/* Prints the least time in which other threads can read the bytes that a thread reads from a file: the limit of an element that
 * hands bytes to threads. The thread reads blocks of several sizes into one buffer, like filesrc ! identity ! fakesink; into a
 * ring of 3 x 512 KiB, which other threads read or not; or into one buffer, from which it copies them into that ring. The other
 * threads never sleep. `fd`: a file of `file_bytes` bytes, a multiple of 512 KiB, in the page cache. Ends the program with
 * status 1 if a thread has read other bytes than the file has. */
void bench_handover (int fd, size_t file_bytes);
