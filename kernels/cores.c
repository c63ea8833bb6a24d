/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE /* sched_getaffinity */

#include "cores.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PATH 4096

/* ---- affinity ------------------------------------------------------------------------------------------------------- */

static unsigned
count_affinity (void)
{
  long cores = 0;

#if defined(__linux__)
  for (int possible = 1024; cores == 0 && possible <= 1 << 20; possible *= 4) {
    cpu_set_t *set = CPU_ALLOC ((size_t)possible);
    const size_t bytes = CPU_ALLOC_SIZE ((size_t)possible);
    bool too_small;

    if (!set)
      break;
    CPU_ZERO_S (bytes, set);
    too_small = sched_getaffinity (0, bytes, set) != 0 && errno == EINVAL;
    cores = CPU_COUNT_S (bytes, set);
    CPU_FREE (set);
    if (!too_small)
      break;
  }
#endif
  if (cores < 1)
    cores = sysconf (_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : (unsigned)cores;
}

/* ---- cgroups: man 7 cgroups, proc_pid_cgroup(5), proc_pid_mountinfo(5) ------------------------------------------------- */

/* A cgroup hierarchy that can limit processor time. */
struct hierarchy {
  bool is_v2;
  char group[MAX_PATH]; /* of the process, from the hierarchy's root; "" is that root */
};

/* Whether the list `words`, separated by `separator`, contains `word`. */
static bool
has_word (const char *words, const char *word, char separator)
{
  const size_t length = strlen (word);

  for (const char *next = words; next; next = strchr (next, separator)) {
    next += *next == separator;
    if (strncmp (next, word, length) == 0 && (next[length] == separator || next[length] == '\0'))
      return true;
  }
  return false;
}

static void
strip_slashes (char *path)
{
  size_t length = strlen (path);

  while (length > 0 && path[length - 1] == '/')
    path[--length] = '\0';
}

/* Parses a line of /proc/self/cgroup: "0::/user.slice", "4:cpu,cpuacct:/docker/1f". False for other hierarchies. */
static bool
parse_group (char *line, struct hierarchy *hierarchy)
{
  char *controllers = strchr (line, ':'), *group = controllers ? strchr (controllers + 1, ':') : NULL;

  if (!group)
    return false;
  *group++ = '\0';
  controllers++;
  group[strcspn (group, "\n")] = '\0';
  hierarchy->is_v2 = strncmp (line, "0:", 2) == 0 && *controllers == '\0';
  if (!hierarchy->is_v2 && !has_word (controllers, "cpu", ','))
    return false;
  snprintf (hierarchy->group, sizeof hierarchy->group, "%s", group);
  strip_slashes (hierarchy->group);
  return true;
}

/* Decodes the escapes of mountinfo: \040 is a space. */
static void
unescape (char *text)
{
  char *to = text;

  while (*text != '\0') {
    if (text[0] == '\\' && strspn (text + 1, "01234567") >= 3) {
      *to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
      text += 4;
    } else {
      *to++ = *text++;
    }
  }
  *to = '\0';
}

/* Parses a line of /proc/self/mountinfo: "34 31 0:29 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu". True if it
 * mounts the hierarchy; then *root is the mounted group and *point the mount point. Both point into the line. */
static bool
parse_mount (char *line, const struct hierarchy *hierarchy, char **root, char **point)
{
  char *state = NULL, *rest = strstr (line, " - "), *type, *options;

  if (!rest)
    return false;
  *rest = '\0';
  type = strtok_r (rest + 3, " \n", &state);
  options = type && strtok_r (NULL, " \n", &state) ? strtok_r (NULL, " \n", &state) : NULL;
  if (!options || strcmp (type, hierarchy->is_v2 ? "cgroup2" : "cgroup") != 0
      || (!hierarchy->is_v2 && !has_word (options, "cpu", ',')))
    return false;

  *root = *point = NULL;
  if (strtok_r (line, " ", &state) && strtok_r (NULL, " ", &state) && strtok_r (NULL, " ", &state)) {
    *root = strtok_r (NULL, " ", &state);
    *point = strtok_r (NULL, " ", &state);
  }
  if (!*root || !*point)
    return false;
  unescape (*root);
  unescape (*point);
  strip_slashes (*root);
  strip_slashes (*point);
  return true;
}

/* Reads the first line of a file. */
static bool
read_line (const char *folder, const char *name, char *line, int size)
{
  char path[2 * MAX_PATH];
  bool is_read = false;
  FILE *file;

  if (snprintf (path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    return false;
  file = fopen (path, "re");
  if (file) {
    is_read = fgets (line, size, file) != NULL;
    fclose (file);
  }
  return is_read;
}

static unsigned
divide_up (int64_t quota, int64_t period)
{
  int64_t cores;

  if (quota <= 0 || period <= 0)
    return HISTO_CORES_NO_LIMIT;
  cores = quota / period + (quota % period > 0);
  return cores < HISTO_CORES_NO_LIMIT ? (unsigned)cores : HISTO_CORES_NO_LIMIT;
}

/* The quota of the group with files in `folder`. */
static unsigned
read_quota (const char *folder, bool is_v2)
{
  char line[128];
  int64_t quota = -1, period = -1;

  if (is_v2) { /* "150000 100000", "max 100000" */
    if (!read_line (folder, "cpu.max", line, sizeof line) || sscanf (line, "%" SCNd64 " %" SCNd64, &quota, &period) != 2)
      return HISTO_CORES_NO_LIMIT;
  } else {
    if (!read_line (folder, "cpu.cfs_quota_us", line, sizeof line) || sscanf (line, "%" SCNd64, &quota) != 1
        || !read_line (folder, "cpu.cfs_period_us", line, sizeof line) || sscanf (line, "%" SCNd64, &period) != 1)
      return HISTO_CORES_NO_LIMIT;
  }
  return divide_up (quota, period);
}

/* The smallest quota from the process's group up to the mounted one. */
static unsigned
read_quotas (const char *prefix, const struct hierarchy *hierarchy, const char *root, const char *point)
{
  const size_t root_length = strlen (root);
  const char *below = hierarchy->group;
  char folder[2 * MAX_PATH];
  unsigned cores = HISTO_CORES_NO_LIMIT;
  size_t top;

  /* A container that sees the host's paths may have mounted another group. Its own limits are then at the mount point. */
  if (strncmp (below, root, root_length) == 0 && (below[root_length] == '/' || below[root_length] == '\0'))
    below += root_length;
  else
    below = "";
  top = strlen (prefix) + strlen (point);
  if (snprintf (folder, sizeof folder, "%s%s%s", prefix, point, below) >= (int)sizeof folder)
    return cores;
  for (;;) {
    const unsigned allowed = read_quota (folder, hierarchy->is_v2);
    char *slash = strrchr (folder, '/');

    if (allowed < cores)
      cores = allowed;
    if (strlen (folder) <= top || !slash)
      return cores;
    *slash = '\0';
  }
}

static unsigned
hierarchy_cores (const char *prefix, const struct hierarchy *hierarchy)
{
  char path[MAX_PATH], *line = NULL, *root, *point;
  unsigned cores = HISTO_CORES_NO_LIMIT;
  size_t size = 0;
  FILE *file;

  if (snprintf (path, sizeof path, "%s/proc/self/mountinfo", prefix) >= (int)sizeof path)
    return cores;
  file = fopen (path, "re");
  while (file && getline (&line, &size, file) > 0)
    if (parse_mount (line, hierarchy, &root, &point)) {
      cores = read_quotas (prefix, hierarchy, root, point);
      break;
    }
  free (line);
  if (file)
    fclose (file);
  return cores;
}

unsigned
histo_cgroup_cores (const char *prefix)
{
  char path[MAX_PATH], *line = NULL;
  unsigned cores = HISTO_CORES_NO_LIMIT;
  struct hierarchy hierarchy;
  size_t size = 0;
  FILE *file;

  if (snprintf (path, sizeof path, "%s/proc/self/cgroup", prefix) >= (int)sizeof path)
    return cores;
  file = fopen (path, "re");
  while (file && getline (&line, &size, file) > 0)
    if (parse_group (line, &hierarchy)) {
      const unsigned allowed = hierarchy_cores (prefix, &hierarchy);

      if (allowed < cores)
        cores = allowed;
    }
  free (line);
  if (file)
    fclose (file);
  return cores;
}

unsigned
histo_usable_cores (void)
{
  const unsigned affinity = count_affinity (), quota = histo_cgroup_cores ("");

  return quota < affinity ? quota : affinity;
}
