/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For loops that read each byte of a frame. The thread sanitizer checks every access, and plain loops make most of those in
 * tests. It does not check accesses of a function that is TEST_UNWATCHED. Such a function, and all functions that it calls,
 * must instead report the memory that other threads may access at the same time, with one call of test_watch_read() or
 * test_watch_write(). It must not use atomics. */

#pragma once

#include <stddef.h>

#if defined(__SANITIZE_THREAD__)
#define TEST_WATCHES_THREADS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_WATCHES_THREADS
#endif
#endif

#ifdef TEST_WATCHES_THREADS
#define TEST_UNWATCHED __attribute__ ((no_sanitize ("thread")))
void __tsan_read_range (void *address, long size);
void __tsan_write_range (void *address, long size);
#else
#define TEST_UNWATCHED
#endif

static inline void
test_watch_read (const void *address, size_t size)
{
#ifdef TEST_WATCHES_THREADS
  __tsan_read_range ((void *)address, (long)size);
#else
  (void)address;
  (void)size;
#endif
}

static inline void
test_watch_write (void *address, size_t size)
{
#ifdef TEST_WATCHES_THREADS
  __tsan_write_range (address, (long)size);
#else
  (void)address;
  (void)size;
#endif
}
