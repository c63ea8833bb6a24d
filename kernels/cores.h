/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How many processors the process may use. */

#ifndef HISTO_CORES_H
#define HISTO_CORES_H

#include <limits.h>

#define HISTO_CORES_NO_LIMIT UINT_MAX

/* The smaller of the calling thread's affinity and the cgroups' quota, at least 1. Reads files: not for every frame. */
unsigned histo_usable_cores (void);

/* The processor time that the cgroups of the process allow, in processors, rounded up: the least of its own group and all those
 * around it, in version 2 (`cpu.max`) and in version 1 (`cpu.cfs_quota_us`); HISTO_CORES_NO_LIMIT where none says anything.
 * `root` stands before the paths /proc/self/cgroup, /proc/self/mountinfo and those of the groups; "" is the system's own. */
unsigned histo_cgroup_cores (const char *root);

#endif
