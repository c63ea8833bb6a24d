/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file that replaces an existing one. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE, renameat2() */
#endif

#include "output/outputprivate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "output/outputmark.h"

#define MODE 0666 /* of a new file, reduced by umask */
#define MOST_NAMES 100
#define FIFO_TIMEOUT_US (2 * G_USEC_PER_SEC) /* to wait for a reader */
#define FIFO_PAUSE_US 20000

/* Returns whether the path names a regular file, not something that is written directly, such as a descriptor. */
static gboolean
output_is_replaced (const gchar *path)
{
  const gboolean is_device = g_str_has_prefix (path, "/dev/") && !g_str_has_prefix (path, "/dev/shm/");
  GStatBuf about;

  if (is_device || g_str_has_prefix (path, "/proc/"))
    return FALSE;
  return g_lstat (path, &about) != 0 || (g_stat (path, &about) == 0 && S_ISREG (about.st_mode));
}

/* Returns the path without symbolic links; the file need not exist. NULL: its directory does not exist. */
static gchar *
output_resolve (const gchar *path)
{
  g_autofree gchar *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  char *real = realpath (path, NULL);
  gchar *resolved = NULL;

  if (real != NULL) {
    resolved = g_strdup (real);
  } else {
    real = realpath (folder, NULL);
    if (real != NULL)
      resolved = g_build_filename (real, name, NULL);
  }
  free (real);
  return resolved;
}

static gchar *
output_make_name (const Output *output)
{
  g_autofree gchar *folder = g_path_get_dirname (output->real_path);

  return g_strdup_printf ("%s/.cudahisto-%08x", folder, g_random_int ());
}

/* Creates a file in the directory of the one that it will replace. It has no name if the file system supports that, so that
 * nothing remains if this process is killed. -1: errno has the reason. */
static int
output_make_file (Output *output)
{
  g_autofree gchar *folder = g_path_get_dirname (output->real_path);
  int fd = -1;

  if (g_access ("/proc/self/fd", X_OK) == 0)
    fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, MODE);
  for (guint i = 0; fd < 0 && i < MOST_NAMES; i++) {
    g_free (output->new_path);
    output->new_path = output_make_name (output);
    fd = open (output->new_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  if (fd < 0)
    g_clear_pointer (&output->new_path, g_free);
  return fd;
}

/* Creates a file without a name in TMPDIR. -1: errno has the reason. */
static int
output_make_copied_file (Output *output)
{
  g_autofree gchar *path = g_build_filename (g_get_tmp_dir (), "cudahisto-XXXXXX", NULL);
  const int fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);

  if (fd >= 0)
    g_unlink (path);
  output->is_copied = fd >= 0;
  return fd;
}

/* Copies owner and permissions from the existing file. If the owner cannot be changed, the group gets no permissions. */
static void
output_keep_permissions (const Output *output, int fd)
{
  mode_t lost = 0;
  GStatBuf about;

  if (g_stat (output->real_path, &about) != 0)
    return;
  if (fchown (fd, (uid_t)-1, about.st_gid) != 0)
    lost |= S_ISGID | S_IRWXG;
  if (fchown (fd, about.st_uid, (gid_t)-1) != 0)
    lost |= S_ISUID;
  fchmod (fd, about.st_mode & 07777 & ~lost);
}

/* Opens a FIFO, if its reader comes in time, or anything else that is written directly. -1: errno has the reason. */
static int
output_open_thing (const gchar *path)
{
  const gint64 end = g_get_monotonic_time () + FIFO_TIMEOUT_US;
  int fd;

  while ((fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, MODE)) < 0 && errno == ENXIO
         && g_get_monotonic_time () < end && interrupt_get () == 0)
    g_usleep (FIFO_PAUSE_US);
  if (fd >= 0)
    fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

/* FALSE: errno says why not. */
gboolean
output_open_file (Output *output, const gchar *path)
{
  int fd = -1;

  output->path = g_strdup (path);
  if (output_is_replaced (path))
    output->real_path = output_resolve (path);
  if (output->real_path != NULL) {
    fd = output_make_file (output);
    /* A file may be writable although its directory is not. */
    if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS) && g_access (path, W_OK) == 0)
      fd = output_make_copied_file (output);
    else if (fd >= 0)
      output_keep_permissions (output, fd);
    if (fd < 0)
      return FALSE;
  }
  if (fd < 0)
    fd = output_open_thing (path);
  output->file = fd >= 0 ? fdopen (fd, "wb") : NULL;
  return output->file != NULL;
}

/* Copies the first `size` bytes. FALSE: errno has the reason. */
static gboolean
output_copy (int from, int to, goffset size)
{
  g_autofree gchar *block = g_malloc (OUTPUT_BUFFER_BYTES);

  for (goffset done = 0; done < size;) {
    const gssize length = pread (from, block, OUTPUT_BUFFER_BYTES, done);

    if (length < 0 && errno == EINTR)
      continue;
    if (length == 0)
      errno = EIO;
    if (length <= 0)
      return FALSE;
    for (gssize written = 0, part; written < length; written += MAX (0, part)) {
      part = pwrite (to, block + written, (gsize)(length - written), done + written);
      if (part < 0 && errno != EINTR)
        return FALSE;
    }
    done += length;
  }
  return TRUE;
}

/* Reserves space for a larger file. FALSE: the disk is full (errno). If the file system does not support this, the C library
 * writes into the file what it reads there; if it cannot read, the result is unknown. */
static gboolean
output_reserve (int fd, goffset was, goffset becomes)
{
  const int error = becomes > was ? posix_fallocate (fd, 0, becomes) : 0;

  if (error != ENOSPC && error != EDQUOT && error != EFBIG && error != EIO)
    return TRUE;
  if (ftruncate (fd, was) == 0)
    errno = error;
  return FALSE;
}

/* Returns whether the path still has the same file. FALSE: `change` has the difference. */
static gboolean
output_is_unchanged (Output *output, const GStatBuf *now)
{
  const GStatBuf *was = &output->about;

  if (now == NULL)
    output->change = output->was_there ? "disappeared" : NULL;
  else if (!output->was_there)
    output->change = "appeared";
  else if (now->st_dev != was->st_dev || now->st_ino != was->st_ino)
    output->change = "was replaced";
  else if (now->st_size != was->st_size || now->st_mtim.tv_sec != was->st_mtim.tv_sec
           || now->st_mtim.tv_nsec != was->st_mtim.tv_nsec)
    output->change = "was changed";
  return output->change == NULL;
}

void
output_mark (const Output *output, int fd)
{
  output_mark_set (fd, output->kind, g_checksum_get_string (output->checksum));
}

/* Copies the new file into the existing one. Reserves space first, so that a full disk changes nothing. */
static void
output_copy_over (Output *output)
{
  const int from = fileno (output->file);
  struct stat new_one, old_one;
  int to = open (output->real_path, O_RDWR | O_CLOEXEC | O_NOCTTY);

  if (to < 0)
    to = open (output->real_path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

  if (to < 0 || fstat (from, &new_one) != 0 || fstat (to, &old_one) != 0) {
    output->error = errno;
  } else if (output_is_unchanged (output, &old_one)) {
    if (!output_reserve (to, old_one.st_size, new_one.st_size) || !output_copy (from, to, new_one.st_size)
        || ftruncate (to, new_one.st_size) != 0 || fsync (to) != 0)
      output->error = errno;
    else
      output_mark (output, to);
  }
  if (to >= 0)
    close (to);
}

/* FALSE: errno says why not. */
static gboolean
output_give_name (Output *output)
{
  g_autofree gchar *descriptor = g_strdup_printf ("/proc/self/fd/%d", fileno (output->file));

  for (guint i = 0; i < MOST_NAMES && output->new_path == NULL; i++) {
    g_autofree gchar *name = output_make_name (output);

    if (linkat (AT_FDCWD, descriptor, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
      output->new_path = g_steal_pointer (&name);
    else if (errno != EEXIST)
      break;
  }
  return output->new_path != NULL;
}

/* Returns whether renameat2() failed because the file system does not support it. */
static gboolean
output_is_unsupported (void)
{
  return errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
}

/* Returns whether the name is that of the new file. */
static gboolean
output_is_new_file (const Output *output, const gchar *path)
{
  struct stat ours;
  GStatBuf there;

  return fstat (fileno (output->file), &ours) == 0 && g_lstat (path, &there) == 0 && ours.st_dev == there.st_dev
         && ours.st_ino == there.st_ino;
}

/* The exchanged file is not the one seen before: restores its name. If that fails, it keeps the other name. */
static void
output_exchange_back (Output *output)
{
  if (renameat2 (AT_FDCWD, output->new_path, AT_FDCWD, output->real_path, RENAME_EXCHANGE) == 0
      && output_is_new_file (output, output->new_path))
    return;
  if (!output_is_new_file (output, output->new_path)) {
    command_warn ("the file %s was renamed to %s", output->path, output->new_path);
    g_clear_pointer (&output->new_path, g_free); /* otherwise output_abandon() would remove it */
  }
}

/* Exchanges the two files, checks the old one, and removes it. So only the file that was checked before is ever removed, even
 * if another program replaces it at the last moment. FALSE: errno has the reason. */
static gboolean
output_exchange (Output *output)
{
  GStatBuf before;

  if (renameat2 (AT_FDCWD, output->new_path, AT_FDCWD, output->real_path, RENAME_EXCHANGE) != 0)
    return output_is_unsupported () && g_rename (output->new_path, output->real_path) == 0;
  if (g_lstat (output->new_path, &before) == 0 && !output_is_unchanged (output, &before))
    output_exchange_back (output);
  else
    g_unlink (output->new_path);
  return TRUE;
}

/* Renames the temporary file to its final name without replacing another program's file. FALSE: errno says why not. */
static gboolean
output_rename (Output *output)
{
  if (output->was_there)
    return output_exchange (output);
  if (renameat2 (AT_FDCWD, output->new_path, AT_FDCWD, output->real_path, RENAME_NOREPLACE) == 0)
    return TRUE;
  return output_is_unsupported () && g_rename (output->new_path, output->real_path) == 0;
}

/* Gives the new file the name of the existing one. If that is impossible (a mount point, or another user's file in a directory
 * such as /tmp), copies the content. */
void
output_replace (Output *output)
{
  GStatBuf now;
  const gboolean is_there = g_stat (output->real_path, &now) == 0;

  if (!output_is_unchanged (output, is_there ? &now : NULL))
    return;
  if (fflush (output->file) != 0 || fsync (fileno (output->file)) != 0) {
    output->error = errno;
    return;
  }
  if (output->is_copied) {
    output_copy_over (output);
    return;
  }
  output_mark (output, fileno (output->file));
  if (output_give_name (output) && output_rename (output)) {
    if (output->change == NULL)
      g_clear_pointer (&output->new_path, g_free);
  } else if (errno == EEXIST) {
    output->change = "appeared";
  } else if (errno == ENOENT && output->was_there && g_access (output->real_path, F_OK) != 0) {
    output->change = "disappeared";
  } else if ((errno == EBUSY || errno == EPERM || errno == EACCES) && g_access (output->real_path, W_OK) == 0) {
    output_copy_over (output);
  } else {
    output->error = errno;
  }
}
