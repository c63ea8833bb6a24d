/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Separates the runs of cudahisto in a file to which several were appended. */

#pragma once

#include <gst/gst.h>

/* The end of the last result; all 0 before the first one. */
typedef struct {
  gdouble frame;  /* index of the next frame */
  gdouble offset; /* offset of the next byte; NaN: frames, not bytes */
} RunsEnd;

/* Returns whether this result begins another run. Each run counts frames or bytes from the start. */
gboolean runs_take_result (RunsEnd *end, const GstStructure *result);
