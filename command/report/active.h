/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The active picture of a film, for its report: where it is over time, and which rectangles are the most frequent. */

#ifndef CUDAHISTO_ACTIVE_H
#define CUDAHISTO_ACTIVE_H

#include <gst/gst.h>

#include "report/curve.h"
#include "report/packing.h"
#include "report/series.h"

G_BEGIN_DECLS

typedef struct _Active Active;

Active *active_new (void);
void active_free (Active *active);

/* Takes the rectangle of the result that the series has begun, if it has one. `frames`: those of the result. */
void active_take (Active *active, Series *series, const GstStructure *result, guint64 frames, const Place *place);

/* For the page: a member "active" of a JSON object, null if no result has a rectangle, and the columns of its edges. */
void active_append (const Active *active, GString *json);
void active_pack (const Active *active, const Series *series, Packing *packing);

G_END_DECLS

#endif
