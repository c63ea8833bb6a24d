/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a scan knows of a film that it has measured, in a file of the folder `.scan` of the results. */

#pragma once

#include "common/command.h"
#include "scan/films.h"

typedef struct {
  guint64 size; /* those of the film when it was measured */
  gint64 modified_us;
  gchar *options; /* of `measure`, separated by blanks */
  /* How `measure` ended: COMMAND_FINDING if the film is damaged, COMMAND_ERROR if it has no results. */
  CommandStatus status;
  gchar *message; /* its messages, a line each; "": none */
  gdouble seconds;
} ScanRecord;

/* NULL: there is no valid record. */
ScanRecord *scan_record_read (const gchar *path);
gboolean scan_record_write (const ScanRecord *record, const gchar *path, GError **error);
void scan_record_free (ScanRecord *record);

/* Whether the film is unchanged since, and was measured with these options. */
gboolean scan_record_is_of (const ScanRecord *record, const ScanFilm *film, const gchar *options);
