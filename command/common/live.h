/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One result in one line on a terminal: time, mean, range, percentiles, and the histogram as a bar. */

#pragma once

#include <cudahisto/gstcudahisto.h>

typedef struct {
  GstClockTime time; /* stream time in ns; GST_CLOCK_TIME_NONE: the frame's index is shown instead */
  guint64 frame;
  const gchar *component;
  gdouble mean; /* NaN: no samples were counted */
  guint min, low, median, high, max;
  guint top;                  /* largest possible value: 1023 for 10 bits */
  guint legal_min, legal_max; /* nominal range; 0 and `top`: the whole range */
  const guint64 *counters;    /* the histogram; NULL: there is none, and the bar shows only range and percentiles */
  gsize n_counters;
} LiveNumbers;

/* Reads the numbers of a component; NULL: of the main one. They belong to the result. FALSE: it has no such component. */
gboolean live_read (LiveNumbers *numbers, const GstCudaHistoResult *result, const gchar *component);

/* Format a line of at most `width` columns (at least 17), and the header of such lines. Parts that do not fit are omitted. Free
 * with g_free(). */
gchar *live_format (const LiveNumbers *numbers, guint width, gboolean has_colours);
gchar *live_format_header (const LiveNumbers *numbers, guint width);

/* Describes an event that began or ended: "black from 0:12.00 to 0:14.96", without control characters. Free with g_free(). */
gchar *live_format_event (const GstCudaHistoEvent *event);
