/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif

#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "output/outputmark.h"
#include "common/terminal.h"

#define BUFFER_BYTES (256 * 1024)
#define MODE 0666 /* of a new file, reduced by umask */
#define MOST_NAMES 100
#define FIFO_TIMEOUT_US (2 * G_USEC_PER_SEC) /* to wait for a reader */
#define FIFO_PAUSE_US 20000

struct _Output {
  gchar *path;        /* NULL: standard output */
  gchar *real_path;   /* the file to replace; NULL: the path is written directly */
  gchar *new_path;    /* of the new file; NULL: unnamed so far */
  gboolean is_copied; /* the new file is in another directory, and its content is copied */
  FILE *file;
  GConverter *compressor; /* NULL: no compression */
  gboolean is_terminal;
  gboolean was_there;  /* there was a file at the path at opening */
  GStatBuf about;      /* of that file */
  GChecksum *checksum; /* of the written data */
  const gchar *kind;
  const gchar *change; /* a change by another program; NULL: none */
  int error;           /* errno of the first failed write; 0: none */
};

static gboolean
output_is_named_standard (const gchar *path)
{
  static const gchar *const names[] = { "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", NULL };

  return path == NULL || g_strv_contains (names, path);
}

gboolean
output_is_standard (const gchar *path)
{
  GStatBuf ours, standard;

  return output_is_named_standard (path)
         || (g_stat (path, &ours) == 0 && fstat (STDOUT_FILENO, &standard) == 0 && ours.st_dev == standard.st_dev
             && ours.st_ino == standard.st_ino);
}

/* ---- checks ----------------------------------------------------------------------------------------------------------- */

/* FALSE: the output is one of the inputs. */
static gboolean
output_check_inputs (const gchar *path, const GStatBuf *about, const gchar *const *inputs)
{
  GStatBuf input;

  for (; S_ISREG (about->st_mode) && *inputs != NULL; inputs++) {
    if ((strcmp (*inputs, "-") == 0 ? fstat (STDIN_FILENO, &input) : g_stat (*inputs, &input)) != 0
        || input.st_ino != about->st_ino || input.st_dev != about->st_dev)
      continue;
    if (output_is_named_standard (path))
      command_fail ("standard output is the input %s: name another file to write",
                    strcmp (*inputs, "-") == 0 ? "standard input" : *inputs);
    else
      command_fail ("%s is an input: name another file to write", path);
    return FALSE;
  }
  return TRUE;
}

/* FALSE: the file was written by something else, or has been changed. */
static gboolean
output_check_mark (const gchar *path, const OutputPolicy *policy)
{
  if (policy->is_forced || output_mark_is_intact (path, policy->kind))
    return TRUE;
  command_fail ("%s exists and was changed, or was not written by `cudahisto %s`. Use another -o, or --force", path,
                policy->kind);
  return FALSE;
}

/* Checks whether an existing file can be written, by opening it. Permissions alone are not enough. */
static gboolean
output_check_permission (const gchar *path, const GStatBuf *about)
{
  const int fd = S_ISREG (about->st_mode) ? open (path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;

  if (fd >= 0)
    close (fd);
  if (fd >= 0 || (!S_ISREG (about->st_mode) && g_access (path, W_OK) == 0))
    return TRUE;
  command_fail ("%s cannot be written: %s", path, g_strerror (errno));
  return FALSE;
}

/* If no file can be created in the directory, the new one is made elsewhere: see output_open_file(). */
static gboolean
output_check_creation (const gchar *path)
{
  g_autofree gchar *folder = g_path_get_dirname (path);

  if (g_access (folder, W_OK) == 0 || g_access (g_get_tmp_dir (), W_OK) == 0)
    return TRUE;
  command_fail ("%s cannot be written: no file can be created in %s or %s. Set TMPDIR to another folder", path, folder,
                g_get_tmp_dir ());
  return FALSE;
}

/* Checks a path without a file. */
static gboolean
output_check_folder (const gchar *path)
{
  g_autofree gchar *folder = g_path_get_dirname (path);

  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    command_fail ("%s cannot be written: there is no folder %s", path, folder);
  else if (g_access (folder, W_OK) != 0)
    command_fail ("%s cannot be written: no permission to create a file in %s", path, folder);
  else
    return TRUE;
  return FALSE;
}

gboolean
output_check_standard (const gchar *const *inputs)
{
  GStatBuf about;

  return fstat (STDOUT_FILENO, &about) != 0 || output_check_inputs (NULL, &about, inputs);
}

static gboolean
output_check (Output *output, const gchar *path, const gchar *const *inputs, const OutputPolicy *policy)
{
  GStatBuf *about = &output->about;

  if (output_is_named_standard (path))
    return output_check_standard (inputs);
  if (g_stat (path, about) != 0) {
    if (errno == ENOENT)
      return output_check_folder (path);
    command_fail ("%s cannot be written: %s", path, g_strerror (errno));
    return FALSE;
  }
  output->was_there = TRUE;
  if (S_ISDIR (about->st_mode)) {
    command_fail ("%s is a folder: name a file in it, with -o", path);
    return FALSE;
  }
  if (!output_check_permission (path, about) || (S_ISREG (about->st_mode) && !output_check_creation (path)))
    return FALSE;
  if (!output_check_inputs (path, about, inputs))
    return FALSE;
  return !S_ISREG (about->st_mode) || about->st_size == 0 || output_check_mark (path, policy);
}

/* ---- the new file ----------------------------------------------------------------------------------------------------- */

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
static gboolean
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
  g_autofree gchar *block = g_malloc (BUFFER_BYTES);

  for (goffset done = 0; done < size;) {
    const gssize length = pread (from, block, BUFFER_BYTES, done);

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

static void
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
static void
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

static void
output_fail_to_open (const gchar *path)
{
  if (errno == ENXIO)
    command_fail ("no program reads the pipe %s: start its reader first", path);
  else
    command_fail ("%s cannot be written: %s", path, g_strerror (errno));
}

Output *
output_open (const gchar *path, const gchar *const *inputs, const OutputPolicy *policy)
{
  Output *output = g_new0 (Output, 1);

  if (!output_check (output, path, inputs, policy)) {
    output_abandon (output);
    return NULL;
  }
  output->file = stdout;
  output->kind = policy->kind;
  if (!output_is_named_standard (path) && !output_open_file (output, path)) {
    output_fail_to_open (path);
    output->file = NULL;
    output_abandon (output);
    return NULL;
  }
  output->is_terminal = terminal_is_there (fileno (output->file));
  if (output->path != NULL)
    setvbuf (output->file, NULL, _IOFBF, BUFFER_BYTES);
  if (output->real_path != NULL || (output->path != NULL && !output->was_there)) /* also if a link's target does not exist */
    output->checksum = g_checksum_new (G_CHECKSUM_SHA256);
  if (output->path != NULL && g_str_has_suffix (path, ".gz"))
    output->compressor = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1));
  return output;
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static void
output_put (Output *output, const gchar *data, gsize length)
{
  errno = 0;
  if (output->error == 0 && fwrite (data, 1, length, output->file) < length)
    output->error = errno != 0 ? errno : EIO;
  if (output->checksum != NULL)
    g_checksum_update (output->checksum, (const guchar *)data, (gssize)length);
}

static void
output_compress (Output *output, const gchar *data, gsize length, GConverterFlags flags)
{
  GConverterResult result;

  do {
    gchar packed[4096];
    gsize n_read, n_packed;

    result = g_converter_convert (output->compressor, data, length, packed, sizeof packed, flags, &n_read, &n_packed, NULL);
    if (result == G_CONVERTER_ERROR)
      return;
    output_put (output, packed, n_packed);
    data += n_read;
    length -= n_read;
  } while (length > 0 || (flags != G_CONVERTER_NO_FLAGS && result != G_CONVERTER_FINISHED));
}

/* Replaces control characters for a terminal. */
static void
output_put_clean (Output *output, const gchar *text, gsize length)
{
  while (length > 0) {
    const gchar *end = text;
    g_autofree gchar *part = NULL, *clean = NULL;

    while (end < text + length && *end != '\n' && *end != '\t')
      end++;
    part = g_strndup (text, (gsize)(end - text));
    clean = terminal_clean (part);
    output_put (output, clean, strlen (clean));
    if (end < text + length)
      output_put (output, end++, 1);
    length -= (gsize)(end - text);
    text = end;
  }
}

void
output_write (Output *output, const gchar *text, gsize length)
{
  if (output->is_terminal && output->compressor == NULL)
    output_put_clean (output, text, length);
  else if (output->compressor == NULL)
    output_put (output, text, length);
  else if (length > 0)
    output_compress (output, text, length, G_CONVERTER_NO_FLAGS);
}

void
output_print (Output *output, const gchar *format, ...)
{
  va_list arguments;
  gchar *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  output_write (output, text, strlen (text));
  g_free (text);
}

gboolean
output_is_good (Output *output)
{
  return output->error == 0;
}

void
output_abandon (Output *output)
{
  if (output == NULL)
    return;
  if (output->path != NULL && output->file != NULL)
    fclose (output->file);
  if (output->new_path != NULL)
    g_unlink (output->new_path);
  g_clear_object (&output->compressor);
  g_clear_pointer (&output->checksum, g_checksum_free);
  g_free (output->new_path);
  g_free (output->real_path);
  g_free (output->path);
  g_free (output);
}

CommandStatus
output_close (Output *output, CommandStatus status)
{
  if (output == NULL)
    return status;
  if (output->compressor != NULL)
    output_compress (output, NULL, 0, G_CONVERTER_INPUT_AT_END);
  if (output->path != NULL) {
    if (output->error == 0 && output->real_path != NULL)
      output_replace (output);
    else if (output->error == 0 && output->checksum != NULL && fflush (output->file) == 0)
      output_mark (output, fileno (output->file));
    if (fclose (output->file) != 0 && output->error == 0)
      output->error = errno;
    output->file = NULL;
    if (output->error != 0)
      status = command_fail ("%s cannot be written: %s", output->path, g_strerror (output->error));
    else if (output->change != NULL)
      status = command_fail ("%s %s while cudahisto was running: nothing is written", output->path, output->change);
  } /* command_finish_output() checks standard output */
  output_abandon (output);
  return status;
}
