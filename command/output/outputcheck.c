/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether an output may be written. */

#include "output/outputprivate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/outputmark.h"

gboolean
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

/* If no file can be created in the directory, the new one is made elsewhere: see outputfile.c. */
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

gboolean
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
