/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/location.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoding/location.h"
#include "common/terminal.h"

gchar *
location_name (const gchar *where)
{
  g_autofree gchar *name = NULL, *display = NULL;

  if (g_str_equal (where, "-"))
    return g_strdup ("standard input");
  display = g_filename_display_name (where);
  name = decoding_location_hide_secrets (display);
  return terminal_clean (name);
}

gchar *
location_get_file_name (const gchar *where)
{
  g_autofree gchar *path = g_strdup (where);
  g_autofree gchar *name = NULL;

  if (g_str_equal (where, "-"))
    return NULL;
  if (decoding_location_is_uri (where)) {
    g_autoptr (GUri) uri = g_uri_parse (where, G_URI_FLAGS_PARSE_RELAXED, NULL);

    g_free (path);
    path = g_strdup (uri != NULL ? g_uri_get_path (uri) : "");
    path[strcspn (path, ";")] = '\0'; /* parameters, such as a session's */
  }
  name = g_path_get_basename (path);
  if (*path == '\0' || g_str_equal (name, ".") || g_str_equal (name, "..") || g_str_equal (name, G_DIR_SEPARATOR_S))
    return NULL;
  return g_steal_pointer (&name);
}

/* A FIFO is opened once: its writer would not survive a second open, and GStreamer's filesrc makes two. The wait for its writer
 * comes later, with the wait for data. */
static gchar *
location_open_fifo (const gchar *name, const gchar *path, int *fd, GError **error)
{
  *fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (*fd >= 0 && fcntl (*fd, F_SETFL, 0) == 0)
    return g_strdup_printf ("fd://%d", *fd);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "\"%s\" cannot be read: %s.", name, g_strerror (errno));
  return NULL;
}

/* Returns an existing, readable path as a URI; NULL with an error. */
static gchar *
location_get_file_uri (const gchar *name, const gchar *path, int *fd, GError **error)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no file \"%s\".", name);
    else
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "\"%s\" cannot be read: %s.", name, g_strerror (errno));
    return NULL;
  }
  if (S_ISDIR (status.st_mode)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "\"%s\" is a folder: name the files in it.", name);
    return NULL;
  }
  if (g_access (path, R_OK) != 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, "\"%s\" cannot be read: %s.", name, g_strerror (errno));
    return NULL;
  }
  if (S_ISREG (status.st_mode) && status.st_size == 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "\"%s\" is empty.", name);
    return NULL;
  }
  if (S_ISFIFO (status.st_mode))
    return location_open_fifo (name, path, fd, error);
  if (S_ISCHR (status.st_mode) && g_str_has_prefix (path, "/dev/video"))
    return g_strconcat ("v4l2://", path, NULL);
  return gst_filename_to_uri (path, error);
}

gchar *
location_get_uri (const gchar *where, gboolean may_be_typed, int *fd, GError **error)
{
  g_autofree gchar *name = location_name (where);

  *fd = -1;
  if (g_str_equal (where, "-")) {
    if (!may_be_typed && terminal_is_there (STDIN_FILENO)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                   "standard input is a terminal: name a file, or send a film through a pipe.");
      return NULL;
    }
    return g_strdup ("fd://0");
  }
  if (!decoding_location_is_uri (where))
    return location_get_file_uri (name, where, fd, error);
  if (gst_uri_has_protocol (where, "file")) {
    g_autofree gchar *path = g_filename_from_uri (where, NULL, error);

    return path != NULL ? location_get_file_uri (name, path, fd, error) : NULL;
  }
  return g_strdup (where);
}
