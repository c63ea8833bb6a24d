/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For LD_PRELOAD: changes a file just before a command replaces it, when the command syncs its new file to the disk.
 * MEANWHILE_FROM, if it is set, is renamed to MEANWHILE_TO; otherwise that is removed. With MEANWHILE_OLD the file system
 * supports neither RENAME_EXCHANGE nor RENAME_NOREPLACE. MEANWHILE_SHRINK is emptied before a command reads at an offset. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__ ((visibility ("default"))) int
fsync (int fd)
{
  const char *from = getenv ("MEANWHILE_FROM"), *to = getenv ("MEANWHILE_TO");

  if (to != NULL && (from != NULL ? rename (from, to) : unlink (to)) != 0)
    perror (to);
  return (int)syscall (SYS_fsync, fd);
}

__attribute__ ((visibility ("default"))) ssize_t
pread (int fd, void *bytes, size_t count, off_t offset)
{
  const char *path = getenv ("MEANWHILE_SHRINK");

  if (path != NULL && truncate (path, 0) != 0)
    perror (path);
  return syscall (SYS_pread64, fd, bytes, count, offset);
}

__attribute__ ((visibility ("default"))) int
renameat2 (int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags)
{
  if (getenv ("MEANWHILE_OLD") != NULL) {
    errno = EINVAL;
    return -1;
  }
  return (int)syscall (SYS_renameat2, old_folder, old_path, new_folder, new_path, flags);
}
