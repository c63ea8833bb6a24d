/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* index.html of a scan: a table with a row for each film. */

#pragma once

#include "output/output.h"
#include "scan/index.h"
#include "scan/row.h"

/* Appends a row of the table. `name`: of the film's results. */
void index_page_append_row (GString *rows, const Row *row, const gchar *name, gboolean has_policy);

/* Writes the page. */
void index_page_write (Output *page, const GString *rows, const ScanCounts *counts, gboolean has_policy);
