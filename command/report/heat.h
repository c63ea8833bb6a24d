/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Histograms over time, the columns of a heat map. If there are many, neighbouring columns are added up exactly, so that memory
 * is bounded. */

#pragma once

#include <glib.h>

/* Bins of a histogram. */
#define HEAT_BINS 256

typedef struct _Heat Heat;

/* Holds one histogram for each component. Components are added as they appear. */
Heat *heat_new (void);
void heat_free (Heat *heat);
guint heat_add_component (Heat *heat);

/* heat_begin() starts the next result. heat_add() adds a histogram of it: `counters` are little-endian, and any multiple of
 * 256; neighbours are added up. FALSE: the number is not a multiple. */
void heat_begin (Heat *heat);
gboolean heat_add (Heat *heat, guint component, const guint64 *counters, gsize n_counters);

guint heat_count_columns (const Heat *heat);
/* Results in a column, a power of two; the last may have fewer. */
guint64 heat_get_step (const Heat *heat);
/* HEAT_BINS bins for each column in turn, in machine byte order. */
const guint64 *heat_get_counters (const Heat *heat, guint component);

/* Adds up each pair of columns. */
void heat_halve (Heat *heat);
