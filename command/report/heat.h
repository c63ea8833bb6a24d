/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Histograms over time, exact sums of them where there are many: a heat map's columns. Memory does not grow without end. */

#ifndef CUDAHISTO_HEAT_H
#define CUDAHISTO_HEAT_H

#include <glib.h>

G_BEGIN_DECLS

/* Counters of a histogram. */
#define HEAT_BINS 256

typedef struct _Heat Heat;

/* One with a histogram for each of several components, which are added as they come. */
Heat *heat_new (void);
void heat_free (Heat *heat);
guint heat_add_component (Heat *heat);

/* Begins the next result; then the histograms that it has: `counters` are little-endian, and any multiple of 256, of which
 * neighbours are added up. FALSE: it is no such number. */
void heat_begin (Heat *heat);
gboolean heat_add (Heat *heat, guint component, const guint64 *counters, gsize n_counters);

guint heat_count_columns (const Heat *heat);
/* Results in a column, a power of two; the last may have fewer. */
guint64 heat_get_step (const Heat *heat);
/* HEAT_BINS counters for each column in turn, in the order of the machine. */
const guint64 *heat_get_counters (const Heat *heat, guint component);

/* Adds each two columns up. */
void heat_halve (Heat *heat);

G_END_DECLS

#endif
