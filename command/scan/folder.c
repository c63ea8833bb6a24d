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
  paths->summary = scan_paths_build (folder, INTERNAL, name, ".sum.jsonl");
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
  g_free (paths->summary);
  g_free (paths->record);
  g_free (paths->lock);
  g_free (paths);
}

gboolean
scan_paths_prepare (const ScanPaths *paths, GError **error)
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
  return TRUE;
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
