/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A total as the line of a sidecar, part by part, and what is left out of it. */

#ifndef CUDAHISTO_TOTALLINE_H
#define CUDAHISTO_TOTALLINE_H

#include <glib.h>

#include "merging/totalnumbers.h"
#include "merging/totalspan.h"

G_BEGIN_DECLS

/* What is left out, by why. */
typedef struct {
  GString *names[N_WHY];
} LeftOut;

void total_line_tell (LeftOut *left_out, Why why, const gchar *region, const gchar *name);

/* Appends a sentence for each reason to `missing`, and frees the names. */
void total_line_append_left_out (LeftOut *left_out, GPtrArray *missing);

/* A comma, where one is due, and `"name":`, where there is a name. */
void total_line_append_name (GString *text, const gchar *name);

/* The members of a picture or region, with those of its components. `region` is what names of fields that are left out begin
 * with. */
void total_line_append_numbers (GString *text, const Span *span, const Numbers *numbers, const gchar *region,
                                LeftOut *left_out);

G_END_DECLS

#endif
