/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compact columns of numbers for page/data.js. Each number is stored as the difference from an earlier one of the column. The
 * bytes of these are stored in planes, lowest first. All columns are deflated (zlib) and in base64. */

#pragma once

#include <glib.h>

typedef struct _Packing Packing;

Packing *packing_new (void);
void packing_free (Packing *packing);

/* Doubles, including NaN. `is_stepping`: take differences from the value before; only for whole numbers below 2^53. */
void packing_add_doubles (Packing *packing, const gchar *name, const gdouble *values, gsize n_values, gboolean is_stepping);
/* Whole numbers from 0 to 2^32 - 2; all others become NaN. */
void packing_add_values (Packing *packing, const gchar *name, const gdouble *values, gsize n_values);
/* Bins in rows of `stride`. Takes the differences from the row before. */
void packing_add_counters (Packing *packing, const gchar *name, const guint64 *counters, gsize n_counters, gsize stride);

/* The list of columns, in JSON. */
const gchar *packing_get_layout (Packing *packing);
/* Free with g_free(). */
gchar *packing_finish (Packing *packing, gsize *length);
