/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sums of a picture's or region's fields. */

#pragma once

#include <gst/gst.h>

#include "merging/totalentry.h"

typedef struct {
  gchar *name;
  gboolean has_counted, is_counted; /* an earlier result has samples of it, and the current one has */
} Component;

/* The numbers of a picture or region. */
typedef struct {
  GPtrArray *entries; /* in the order of a line */
  GHashTable *by_name;
  GArray *components;
  gboolean has_counted, is_counted; /* the same for any component */
} Numbers;

Numbers *total_numbers_new (void);
void total_numbers_free (gpointer numbers);

/* Sets the names of the components, NULL-terminated. Call it before the first addition. */
void total_numbers_set_components (Numbers *numbers, const gchar *const *components);

/* Adds the fields of a picture or region. `number`: of the result, from 1. */
void total_numbers_add (Numbers *numbers, const GstStructure *result, guint64 number);

/* Returns a complete entry, or NULL if there is none or it is omitted. */
const Entry *total_numbers_find (const Numbers *numbers, gint scope, FieldId field);

/* The same for its sum. FALSE: *sum is unchanged. */
gboolean total_numbers_find_sum (const Numbers *numbers, gint scope, FieldId field, Wide *sum);
