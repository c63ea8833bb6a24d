/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* State of the process that all engines share, and whether the process has forked. */

#pragma once

/* A number that changes in the child with each fork(), from the first call on. The child has none of the parent's threads, its
 * locks may stay locked for ever, and it must not call the CUDA driver. */
unsigned histo_process_generation (void);

/* The lock of the state that engines share. fork() waits for it, so that the child finds consistent state. Hold it briefly: do
 * not wait or call the application while holding it. */
void histo_process_lock (void);
void histo_process_unlock (void);
