/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The active picture in a report: its edges over time, and the most frequent rectangles. */

#pragma once

#include <gst/gst.h>

#include "report/curve.h"
#include "report/packing.h"
#include "report/series.h"

typedef struct _Active Active;

Active *active_new (void);
void active_free (Active *active);

/* Adds the active rectangle of the current result in the series, if it has one. `frames`: number of frames of the result. */
void active_take (Active *active, Series *series, const GstStructure *result, guint64 frames, const Place *place);

/* Appends the member "active" of a JSON object (null if no result has a rectangle), and the columns of the edges. */
void active_append (const Active *active, GString *json);
void active_pack (const Active *active, const Series *series, Packing *packing);
