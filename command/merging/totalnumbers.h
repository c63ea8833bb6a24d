/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields of a picture, or of a region, added up. */

#ifndef CUDAHISTO_TOTALNUMBERS_H
#define CUDAHISTO_TOTALNUMBERS_H

#include <gst/gst.h>

#include "merging/totalentry.h"

G_BEGIN_DECLS

typedef struct {
  gchar *name;
  gboolean has_counted, is_counted; /* any result before the one that is being added, and that one, has samples of it */
} Component;

/* The numbers of a picture, or of a region. */
typedef struct {
  GPtrArray *entries; /* in the order of a line */
  GHashTable *by_name;
  GArray *components;
  gboolean has_counted, is_counted; /* as a Component's, of any of them */
} Numbers;

Numbers *total_numbers_new (void);
void total_numbers_free (gpointer numbers);

/* The names of the components, the last NULL: before anything is added. */
void total_numbers_set_components (Numbers *numbers, const gchar *const *components);

/* Adds the fields of a picture or region. `number` of the result is counted from 1. */
void total_numbers_add (Numbers *numbers, const GstStructure *result, guint64 number);

/* An entry that is whole. NULL: there is none such, or it is left out. */
const Entry *total_numbers_find (const Numbers *numbers, gint scope, const gchar *name);

/* FALSE, and *sum as it was: the same. */
gboolean total_numbers_find_sum (const Numbers *numbers, gint scope, const gchar *name, Wide *sum);

G_END_DECLS

#endif
