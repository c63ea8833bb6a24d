/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Columns of numbers in little room, as page/data.js reads them: of each number the difference from an earlier one of the
 * column, the bytes of all of these in planes, lowest first, and all columns deflated (zlib) and in base64. */

#ifndef CUDAHISTO_PACKING_H
#define CUDAHISTO_PACKING_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _Packing Packing;

Packing *packing_new (void);
void packing_free (Packing *packing);

/* Doubles, NaN too. With `is_stepping` differences from the one before, which is for whole numbers below 2^53. */
void packing_add_doubles (Packing *packing, const gchar *name, const gdouble *values, gsize n_values, gboolean is_stepping);
/* Whole numbers from 0 to 2^32 - 2; all others become NaN. */
void packing_add_values (Packing *packing, const gchar *name, const gdouble *values, gsize n_values);
/* Counters: rows of `stride`, of each of which the differences from the row before are taken. */
void packing_add_counters (Packing *packing, const gchar *name, const guint64 *counters, gsize n_counters, gsize stride);

/* Which columns there are, in JSON. */
const gchar *packing_get_layout (Packing *packing);
/* Free with g_free(). */
gchar *packing_finish (Packing *packing, gsize *length);

G_END_DECLS

#endif
