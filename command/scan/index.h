/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The overview of a scan: index.csv and index.html with a row for each film, and summary.jsonl with the exact sum of all results
 * of each format. */

#pragma once

#include "common/command.h"
#include "scan/films.h"

/* Writes the three files from the records and sums in the folder. Films without a record have the status "missing". */
CommandStatus scan_write_index (const gchar *folder, GPtrArray *films, gboolean is_forced);
