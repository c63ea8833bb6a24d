/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The position in a stream of results that were added up, from the first to the last. */

#pragma once

#include <gst/gst.h>

#include "merging/totalentry.h"

typedef struct {
  gboolean is_bytes;
  guint64 frame, frames, offset, size;
  GstClockTime timestamp, duration; /* in ns; GST_CLOCK_TIME_NONE: unknown */
  Why why_no_frames, why_no_size, why_no_duration;
} Span;

/* Adds the position of the next result. A frame of bytes is a buffer, and two results may share one. */
void total_span_add (Span *span, const GstStructure *result, gboolean is_first);
