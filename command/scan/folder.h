/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The folder of a scan's results, and the files of each film in it. */

#pragma once

#include <glib.h>

/* Of a film. Free with scan_paths_free(). */
typedef struct {
  gchar *results, *page; /* NAME.jsonl, NAME.html. `results` exists only if they are complete */
  /* In .scan. The last parts of their names differ, so that no film has a file of another. */
  gchar *partial, *partial_page; /* NAME.jsonl, NAME.page: results and page until both are complete */
  gchar *summary;                /* NAME.sum: the sum of the results, and their events */
  gchar *verdict;                /* NAME.verdict, temporary: of `check` */
  gchar *record, *lock;          /* NAME.film, NAME.lock */
} ScanPaths;

ScanPaths *scan_paths_new (const gchar *folder, const gchar *name);
void scan_paths_free (ScanPaths *paths);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScanPaths, scan_paths_free)

/* Creates the folders for them. FALSE also if the film's results or page exist but no scan wrote them, unless `is_forced`. */
gboolean scan_paths_prepare (const ScanPaths *paths, gboolean is_forced, GError **error);

/* Locks a film, so that no other scan measures it. The lock ends with the process, on other machines too if the file system
 * supports flock(). Returns its descriptor; -1 without an error: another scan has the lock. */
int scan_paths_lock (const ScanPaths *paths, GError **error);
void scan_paths_unlock (int lock);

/* Waits for the lock of the index. Returns its descriptor; -1: errno has the reason. */
int scan_folder_lock (const gchar *folder);
