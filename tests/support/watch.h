/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For loops that read each byte of a frame: the thread sanitizer looks at every access, and those of plain loops are most of
 * what tests do. A function that is TEST_UNWATCHED, like all that it calls, says in one go what it reads or writes that other
 * threads may write or read at the time. Atomics do not belong there. */

#ifndef TEST_WATCH_H
#define TEST_WATCH_H

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

#endif
