/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files of a test, in a directory that exists from their first use until the test ends. The program owns the paths. */

#pragma once

#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <sys/stat.h>
#include <unistd.h>

static gchar *test_directory;

static inline gchar *
make_directory (void)
{
  GError *error = NULL;
  gchar *directory = g_dir_make_tmp ("cudahisto-XXXXXX", &error);

  g_assert_no_error (error);
  return directory;
}

/* Removes it with its files, and frees the text. */
static inline void
remove_directory (gchar *directory)
{
  GDir *listing = g_dir_open (directory, 0, NULL);
  const gchar *name;

  while (listing != NULL && (name = g_dir_read_name (listing)) != NULL) {
    g_autofree gchar *path = g_build_filename (directory, name, NULL);

    g_remove (path);
  }
  g_clear_pointer (&listing, g_dir_close);
  g_rmdir (directory);
  g_free (directory);
}

static inline void
remove_test_directory (void)
{
  g_clear_pointer (&test_directory, remove_directory);
}

static inline const gchar *
get_directory (void)
{
  if (test_directory == NULL)
    test_directory = make_directory ();
  return test_directory;
}

static inline const gchar *make_path (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

static inline const gchar *
make_path (const gchar *format, ...)
{
  g_autofree gchar *name = NULL, *path = NULL;
  va_list arguments;

  va_start (arguments, format);
  name = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  path = g_build_filename (get_directory (), name, NULL);
  return g_intern_string (path);
}

/* Writes a file of `size` bytes (-1: a text), unless `contents` is NULL. */
static inline const gchar *
make_file (const gchar *name, gconstpointer contents, gssize size)
{
  const gchar *path = make_path ("%s", name);

  fail_unless (contents == NULL || g_file_set_contents (path, contents, size, NULL));
  return path;
}

/* A named pipe with a reader that does not read yet. */
static inline const gchar *
make_pipe (const gchar *name, gint *reader)
{
  const gchar *path = make_path ("%s", name);

  fail_unless (mkfifo (path, 0600) == 0);
  *reader = g_open (path, O_RDONLY | O_NONBLOCK, 0);
  fail_unless (*reader >= 0);
  return path;
}

/* Returns the text from a pipe, up to its end. `reader`: GINT_TO_POINTER() of the descriptor, for a thread. */
static inline gpointer
read_pipe (gpointer reader)
{
  GString *text = g_string_new (NULL);
  gchar block[5000];
  gssize size;

  fcntl (GPOINTER_TO_INT (reader), F_SETFL, 0);
  while ((size = read (GPOINTER_TO_INT (reader), block, sizeof block)) > 0)
    g_string_append_len (text, block, size);
  return g_string_free (text, FALSE);
}
