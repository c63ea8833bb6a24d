/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The quota of cgroups, from trees of files like Linux's, and from a real group if one can be made; and the affinity. */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cores.h"
#include "runner.h"

static char root[64];

static void
make_root (void)
{
  snprintf (root, sizeof root, "/tmp/test_cores_XXXXXX");
  ck_assert_ptr_nonnull (mkdtemp (root));
}

static void
remove_root (void)
{
  char command[128];

  snprintf (command, sizeof command, "rm -rf '%s'", root);
  ck_assert_int_eq (system (command), 0);
}

/* Writes a file below the root, and creates its directories. */
static void
put (const char *path, const char *text)
{
  char full[512];
  FILE *file;

  snprintf (full, sizeof full, "%s%s", root, path);
  for (char *slash = strchr (full + strlen (root) + 1, '/'); slash; slash = strchr (slash + 1, '/')) {
    *slash = '\0';
    ck_assert (mkdir (full, 0700) == 0 || errno == EEXIST);
    *slash = '/';
  }
  file = fopen (full, "w");
  ck_assert_ptr_nonnull (file);
  fputs (text, file);
  fclose (file);
}

#define V2_MOUNTS                                \
  "22 1 0:21 / /proc rw,nosuid - proc proc rw\n" \
  "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 master:3 - cgroup2 cgroup2 rw,nsdelegate\n"

TEST (no_files_are_no_limit)
{
  make_root ();
  ck_assert_uint_eq (histo_cgroup_cores (root), HISTO_CORES_NO_LIMIT);
  put ("/proc/self/cgroup", "0::/user.slice\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), HISTO_CORES_NO_LIMIT);
  put ("/proc/self/mountinfo", V2_MOUNTS);
  ck_assert_uint_eq (histo_cgroup_cores (root), HISTO_CORES_NO_LIMIT);
  remove_root ();
}

TEST (parts_of_a_core_are_rounded_up)
{
  static const struct {
    const char *text;
    unsigned cores;
  } quotas[] = {
    { "max 100000\n", HISTO_CORES_NO_LIMIT },
    { "100000 100000\n", 1 },
    { "100001 100000\n", 2 },
    { "150000 100000\n", 2 },
    { "1000 100000\n", 1 },
    { "800000 50000\n", 16 },
    { "max\n", HISTO_CORES_NO_LIMIT },
    { "100000 0\n", HISTO_CORES_NO_LIMIT },
    { "-1 100000\n", HISTO_CORES_NO_LIMIT },
    { "9000000000000000000 1\n", HISTO_CORES_NO_LIMIT },
    { "", HISTO_CORES_NO_LIMIT },
  };

  make_root ();
  put ("/proc/self/cgroup", "0::/a\n");
  put ("/proc/self/mountinfo", V2_MOUNTS);
  for (size_t i = 0; i < sizeof quotas / sizeof *quotas; i++) {
    put ("/sys/fs/cgroup/a/cpu.max", quotas[i].text);
    ck_assert_msg (histo_cgroup_cores (root) == quotas[i].cores, "\"%s\" gives %u", quotas[i].text, histo_cgroup_cores (root));
  }
  remove_root ();
}

TEST (every_group_around_it_counts)
{
  make_root ();
  put ("/proc/self/cgroup", "0::/a/b/c\n");
  put ("/proc/self/mountinfo", V2_MOUNTS);
  put ("/sys/fs/cgroup/a/b/c/cpu.max", "700000 100000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 7);
  put ("/sys/fs/cgroup/a/b/cpu.max", "500000 100000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 5);
  put ("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 3);
  put ("/sys/fs/cgroup/cpu.max", "200000 100000\n"); /* in a container the root has this file */
  ck_assert_uint_eq (histo_cgroup_cores (root), 2);
  put ("/sys/fs/cgroup/a/other/cpu.max", "100000 100000\n");
  put ("/sys/cpu.max", "100000 100000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 2);
  remove_root ();
}

TEST (version_1_is_read)
{
  make_root ();
  put ("/proc/self/cgroup", "12:cpuset:/x\n11:cpuacct:/x\n4:cpu,cpuacct:/docker/1f\n1:name=systemd:/x\n");
  put ("/proc/self/mountinfo", "40 30 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                               "41 30 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n");
  put ("/sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us", "100000\n");
  put ("/sys/fs/cgroup/cpuset/x/cpu.cfs_period_us", "100000\n");
  put ("/sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us", "-1\n");
  put ("/sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_period_us", "100000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), HISTO_CORES_NO_LIMIT);
  put ("/sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us", "250000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 3);
  put ("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "50000\n");
  put ("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "50000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 1);
  remove_root ();
}

/* As in a container without its own namespace: the paths are the host's, and a part of the tree is mounted. */
TEST (a_part_of_the_tree_is_mounted)
{
  make_root ();
  put ("/proc/self/cgroup", "5:cpu:/docker/1f/inner\n0::/../other\n");
  put ("/proc/self/mountinfo", "41 30 0:31 /docker/1f /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                               "42 30 0:32 /docker/1 /mnt/my\\040groups rw - cgroup2 cgroup2 rw\n");
  put ("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "600000\n");
  put ("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 6);
  put ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "500000\n");
  put ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 5);
  put ("/mnt/my groups/cpu.max", "400000 100000\n");
  ck_assert_uint_eq (histo_cgroup_cores (root), 4);
  remove_root ();
}

/* Writes to a file of a group made for the test. */
static bool
write_to_group (const char *folder, const char *name, const char *text)
{
  char path[512];
  bool is_written;
  int file;

  snprintf (path, sizeof path, "%s/%s", folder, name);
  file = open (path, O_WRONLY | O_CLOEXEC); /* without a file there is no group */
  if (file < 0)
    return false;
  is_written = write (file, text, strlen (text)) == (ssize_t)strlen (text);
  close (file);
  return is_written;
}

/* Moves a child into a group with a quota of slightly more than one core, and asks there. */
static void
ask_in_group (const char *point, bool is_v2)
{
  char folder[256], pid[32];
  int status = 0;
  pid_t child;

  snprintf (folder, sizeof folder, "%s/cudahisto-test-%d", point, (int)getpid ());
  if (mkdir (folder, 0700) != 0)
    return;
  if (is_v2 ? write_to_group (folder, "cpu.max", "110000 100000") : write_to_group (folder, "cpu.cfs_quota_us", "110000")) {
    child = fork ();
    ck_assert_int_ge (child, 0);
    if (child == 0) {
      alarm (20);
      snprintf (pid, sizeof pid, "%d", (int)getpid ());
      if (!write_to_group (folder, "cgroup.procs", pid))
        _exit (77);
      _exit (histo_cgroup_cores ("") == 2 && histo_usable_cores () <= 2 ? 0 : 1);
    }
    ck_assert_int_eq (waitpid (child, &status, 0), child);
    ck_assert_msg (WIFEXITED (status) && (WEXITSTATUS (status) == 0 || WEXITSTATUS (status) == 77), "in %s: %d", folder,
                   status);
    printf ("%s: %s\n", folder, WEXITSTATUS (status) == 0 ? "seen" : "cannot be entered");
  }
  rmdir (folder);
}

TEST (the_systems_own_groups)
{
  ask_in_group ("/sys/fs/cgroup", true);
  ask_in_group ("/sys/fs/cgroup/unified", true);
  ask_in_group ("/sys/fs/cgroup/cpu", false);
  ck_assert_uint_ge (histo_usable_cores (), 1);
}

/* All cores of the thread's affinity count, unless a quota allows less. */
TEST (affinity_limits_cores)
{
  const unsigned quota = histo_cgroup_cores ("");
  cpu_set_t all, some;
  unsigned cores = 0;

  if (sched_getaffinity (0, sizeof all, &all) != 0) /* more cores than the set can hold */
    return;
  CPU_ZERO (&some);
  for (int core = 0; core < CPU_SETSIZE; core++) {
    if (!CPU_ISSET (core, &all))
      continue;
    CPU_SET (core, &some);
    cores++;
    ck_assert_int_eq (sched_setaffinity (0, sizeof some, &some), 0);
    ck_assert_uint_eq (histo_usable_cores (), cores < quota ? cores : quota);
  }
  ck_assert_uint_ge (cores, 1);
}

TEST_MAIN
