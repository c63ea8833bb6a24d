/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A total as a line of a sidecar, part by part, and the list of omitted fields. */

#pragma once

#include <glib.h>

#include "merging/totalnumbers.h"
#include "merging/totalspan.h"

/* Names of omitted fields, by reason. */
typedef struct {
  GString *names[N_WHY];
} Omissions;

void total_line_omit (Omissions *omissions, Why why, const gchar *region, const gchar *name);

/* Appends a sentence for each reason to `missing`, and frees the names. */
void total_line_append_omissions (Omissions *omissions, GPtrArray *missing);

/* Appends a comma if needed, and `"name":` if there is a name. */
void total_line_append_name (GString *text, const gchar *name);

/* Appends the members of a picture or region, with those of its components. `region`: prefix for the names of omitted
 * fields. */
void total_line_append_numbers (GString *text, const Span *span, const Numbers *numbers, const gchar *region,
                                Omissions *omissions);
