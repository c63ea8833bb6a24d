/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "resultfile.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "location.h"

static gboolean
result_file_is_same (const struct stat *one, const struct stat *other)
{
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Whether a path or URI names that file. */
static gboolean
result_file_is (const struct stat *file, const gchar *where)
{
  g_autofree gchar *path = where != NULL ? g_filename_from_uri (where, NULL, NULL) : NULL;
  struct stat other;

  if (where == NULL)
    return FALSE;
  if (g_str_equal (where, "-"))
    return fstat (STDIN_FILENO, &other) == 0 && result_file_is_same (file, &other);
  return stat (path != NULL ? path : where, &other) == 0 && result_file_is_same (file, &other);
}

gboolean
result_file_empty (const gchar *location, const gchar *input, const gchar *reference, GError **error)
{
  g_autofree gchar *name = location_name (location);
  struct stat file;

  if (g_str_equal (location, "-") || stat (location, &file) != 0 || !S_ISREG (file.st_mode))
    return TRUE;
  if (result_file_is (&file, input) || result_file_is (&file, reference)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "\"%s\" is what is read: name another file with --output.", name);
    return FALSE;
  }
  if (truncate (location, 0) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "\"%s\" cannot be written: %s.", name, g_strerror (errno));
  return FALSE;
}

gboolean
result_file_check (const gchar *location, gint fd)
{
  g_autofree gchar *name = location_name (location);
  struct stat written, there;

  if (g_str_equal (location, "-") || (fd >= 0 && (fstat (fd, &written) != 0 || !S_ISREG (written.st_mode))))
    return TRUE;
  if (stat (location, &there) != 0)
    command_fail ("\"%s\" disappeared while it was written: %s.", name,
                  fd >= 0 && written.st_nlink > 0 ? "its lines are in a file of another name" : "its lines are lost");
  else if (fd >= 0 && !result_file_is_same (&written, &there))
    command_fail ("\"%s\" was replaced while it was written, and is another file now.", name);
  else
    return TRUE;
  return FALSE;
}
