/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The process: what all engines in it share, and whether it is still the one that opened them. */

#ifndef HISTO_PROCESS_H
#define HISTO_PROCESS_H

/* A number that is another one in the child after each fork(), from the first call on. In a child there are none of the
 * parent's threads, its locks may be held for ever, and the CUDA driver must not be called. */
unsigned histo_process_generation (void);

/* The lock of what engines share. fork() waits for it, so that the child finds nothing half done. To be held for a moment only:
 * without waiting, and without calling the application. */
void histo_process_lock (void);
void histo_process_unlock (void);

#endif
