/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a report draws of a component, or of a picture: its levels over time, further numbers, histograms, and extremes. */

#ifndef CUDAHISTO_CURVE_H
#define CUDAHISTO_CURVE_H

#include <gst/gst.h>

#include "report/heat.h"
#include "report/packing.h"
#include "report/series.h"

G_BEGIN_DECLS

/* Where in the stream: NaN is unknown. */
typedef struct {
  gdouble time, frame, offset, result;
  guint64 run; /* results of the same follow each other: a file may be of several runs, and its samples of several depths */
} Place;

/* A component of the picture, or of a region; one without a name has the numbers that are the picture's, or the region's. */
typedef struct _Curve Curve;

/* `region`: NULL is the whole picture. `component`: NULL is of all. */
Curve *curve_new (const gchar *region, const gchar *component);
void curve_free (gpointer curve);

/* Its numbers of the result that the series has begun. */
void curve_take (Curve *curve, Series *series, const GstStructure *structure, const Place *place);

/* Its counters, into the heat map, and how many there are; 0: there are none that it could have. */
gsize curve_take_histogram (Curve *curve, Heat *heat, const GstStructure *structure);

/* Whether it has had any of these. */
gboolean curve_has_levels (const Curve *curve);
gboolean curve_has_histogram (const Curve *curve);

/* For the page: members of an array in JSON, of curves, of further numbers, of extremes; and the columns of numbers. `number`
 * is the curve's among those of the film. */
void curve_append (const Curve *curve, guint number, GString *curves, GString *further);
void curve_append_extremes (const Curve *curve, GString *json, gboolean has_offsets);
void curve_pack (const Curve *curve, guint number, const Series *series, Packing *packing);
void curve_pack_histogram (const Curve *curve, guint number, const Heat *heat, Packing *packing);

G_END_DECLS

#endif
