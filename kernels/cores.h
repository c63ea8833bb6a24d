/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The number of processors that the process may use. */

#pragma once

#include <limits.h>

#define HISTO_CORES_NO_LIMIT UINT_MAX

/* The smaller of the calling thread's affinity and the cgroups' quota, at least 1. It reads files: do not call it for every
 * frame. */
unsigned histo_usable_cores (void);

/* The quota of the process's cgroups in processors, rounded up: the smallest of its own group and all enclosing groups, of
 * version 2 (`cpu.max`) and version 1 (`cpu.cfs_quota_us`). HISTO_CORES_NO_LIMIT without a quota. `root` is the prefix of
 * /proc/self/cgroup, /proc/self/mountinfo and the groups' paths; "" for the system's own. */
unsigned histo_cgroup_cores (const char *root);
