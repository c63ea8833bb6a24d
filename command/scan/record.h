/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a scan knows of a film that it has measured, in a file of the folder `.scan` of the results. */

#pragma once

#include "common/command.h"
#include "scan/films.h"

typedef struct {
  guint64 size; /* those of the film when it was measured */
  gint64 modified_us;
  gchar *options; /* ScanArguments.text */
  /* How `measure` ended: COMMAND_FINDING if the film is damaged, COMMAND_ERROR if it has no results. */
  CommandStatus status;
  gchar *message; /* its messages, a line each; "": none */
  gchar *verdict; /* "pass", "fail", "not-applicable", "not-measured"; "": none */
  gdouble seconds;
} ScanRecord;

/* NULL: there is no valid record, or another version of cudahisto wrote one that this version cannot read. */
ScanRecord *scan_record_read (const gchar *path);
gboolean scan_record_write (const ScanRecord *record, const gchar *path, GError **error);
void scan_record_free (ScanRecord *record);

/* Returns whether the film is unchanged since, was measured with these options, and has its results unless it failed. */
gboolean scan_record_is_of (const ScanRecord *record, const ScanFilm *film, const gchar *options, const gchar *results);
