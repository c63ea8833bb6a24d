/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <sys/file.h>
#include <unistd.h>

#define INTERNAL ".scan"

static gchar *
scan_paths_build (const gchar *folder, const gchar *internal, const gchar *name, const gchar *suffix)
{
  g_autofree gchar *file = g_strconcat (name, suffix, NULL);

  return internal != NULL ? g_build_filename (folder, internal, file, NULL) : g_build_filename (folder, file, NULL);
}

ScanPaths *
scan_paths_new (const gchar *folder, const gchar *name)
{
  ScanPaths *paths = g_new0 (ScanPaths, 1);

  paths->results = scan_paths_build (folder, NULL, name, ".jsonl");
  paths->page = scan_paths_build (folder, NULL, name, ".html");
  paths->partial = scan_paths_build (folder, INTERNAL, name, ".jsonl");
  paths->partial_page = scan_paths_build (folder, INTERNAL, name, ".page");
  paths->summary = scan_paths_build (folder, INTERNAL, name, ".sum");
  paths->verdict = scan_paths_build (folder, INTERNAL, name, ".verdict");
  paths->record = scan_paths_build (folder, INTERNAL, name, ".film");
  paths->lock = scan_paths_build (folder, INTERNAL, name, ".lock");
  return paths;
}

void
scan_paths_free (ScanPaths *paths)
{
  g_free (paths->results);
  g_free (paths->page);
  g_free (paths->partial);
  g_free (paths->partial_page);
  g_free (paths->summary);
  g_free (paths->verdict);
  g_free (paths->record);
  g_free (paths->lock);
  g_free (paths);
}

/* FALSE: results or page exist, and no scan wrote them. */
static gboolean
scan_paths_check (const ScanPaths *paths, GError **error)
{
  const gchar *const files[] = { paths->results, paths->page };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    if (g_file_test (files[i], G_FILE_TEST_EXISTS) && !g_file_test (paths->record, G_FILE_TEST_EXISTS)) {
      g_autofree gchar *file = g_filename_display_name (files[i]);

      g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
                   "\"%s\" exists, and no scan wrote it: use another folder, or --force to overwrite it", file);
      return FALSE;
    }
  return TRUE;
}

gboolean
scan_paths_prepare (const ScanPaths *paths, gboolean is_forced, GError **error)
{
  const gchar *const files[] = { paths->results, paths->partial };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree gchar *folder = g_path_get_dirname (files[i]);

    if (g_mkdir_with_parents (folder, 0777) != 0) {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot create the folder \"%s\": %s", folder,
                   g_strerror (errno));
      return FALSE;
    }
  }
  return is_forced || scan_paths_check (paths, error);
}

int
scan_paths_lock (const ScanPaths *paths, GError **error)
{
  const int lock = open (paths->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

  if (lock >= 0 && flock (lock, LOCK_EX | LOCK_NB) == 0)
    return lock;
  if (lock < 0 || errno != EWOULDBLOCK)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot lock \"%s\": %s", paths->lock, g_strerror (errno));
  if (lock >= 0)
    close (lock);
  return -1;
}

void
scan_paths_unlock (int lock)
{
  close (lock);
}

int
scan_folder_lock (const gchar *folder)
{
  const int lock = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (lock >= 0 && flock (lock, LOCK_EX) != 0) {
    const int reason = errno;

    close (lock);
    errno = reason;
    return -1;
  }
  return lock;
}
