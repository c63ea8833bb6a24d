/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The numbers of a component or a picture in a report: levels over time, other numbers, histograms, and extremes. */

#pragma once

#include <gst/gst.h>

#include "report/heat.h"
#include "report/packing.h"
#include "report/series.h"

/* A position in the stream. NaN: unknown. */
typedef struct {
  gdouble time, frame, offset, result;
  guint64 run; /* results of the same run follow each other; a file may have several runs, of different bit depths */
} Place;

/* A component of the picture or of a region. Without a name, it has the numbers of the picture or region itself. */
typedef struct _Curve Curve;

/* `region`: NULL for the whole picture. `component`: NULL for all. */
Curve *curve_new (const gchar *region, const gchar *component);
void curve_free (gpointer curve);

/* Adds its numbers of the current result in the series. */
void curve_take (Curve *curve, Series *series, const GstStructure *structure, const Place *place);

/* Adds its bins to the heat map, and returns their number; 0: it has no histogram that fits. */
gsize curve_take_histogram (Curve *curve, Heat *heat, const GstStructure *structure);

/* Return whether it has had levels, or a histogram. */
gboolean curve_has_levels (const Curve *curve);
gboolean curve_has_histogram (const Curve *curve);

/* For the page: append members of JSON arrays (curves, other numbers, extremes), and pack the columns of numbers. `number`:
 * index of the curve in the film. */
void curve_append (const Curve *curve, guint number, GString *curves, GString *further);
void curve_append_extremes (const Curve *curve, GString *json, gboolean has_offsets);
void curve_pack (const Curve *curve, guint number, const Series *series, Packing *packing);
void curve_pack_histogram (const Curve *curve, guint number, const Heat *heat, Packing *packing);
