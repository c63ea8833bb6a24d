/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The overview of a scan: index.csv and index.html with a row for each film, and summary.jsonl with the exact sum of all
 * results of each format. */

#pragma once

#include "common/command.h"
#include "scan/arguments.h"
#include "scan/films.h"
#include "scan/row.h"

/* Films. Each has one status: n_films = n_complete + n_damaged + n_failed + n_missing. */
typedef struct {
  guint n_complete, n_damaged, n_failed, n_missing; /* missing: not measured, or it cannot be opened */
  guint n_rejected, n_unjudged;                     /* by the policy */
  guint64 n_events[ROW_EVENT_KINDS];
} ScanCounts;

/* Returns whether the three files can be written; FALSE: an error was reported. */
gboolean scan_check_index (const gchar *folder, gboolean is_forced);

/* Writes the three files from the records and sums in the folder. A film has the status "missing" if there is no record of it
 * with these arguments. */
CommandStatus scan_write_index (const gchar *folder, GPtrArray *films, const ScanArguments *arguments, gboolean is_forced,
                                ScanCounts *counts);
