/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where one run of cudahisto ends and the next one begins, in a file to which several were appended. */

#ifndef CUDAHISTO_RUNS_H
#define CUDAHISTO_RUNS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Where the last result ends; all 0: there was none yet. */
typedef struct {
  gdouble frame;  /* the index of the frame behind it */
  gdouble offset; /* the same of bytes; not a number: it is of pictures */
} RunsEnd;

/* Whether this result belongs to another run than the one before it: each counts frames, or bytes, anew. */
gboolean runs_take_result (RunsEnd *end, const GstStructure *result);

G_END_DECLS

#endif
