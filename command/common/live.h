/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One result in one line, for people who watch: time, mean, range, percentiles, and the histogram as a bar. */

#ifndef CUDAHISTO_LIVE_H
#define CUDAHISTO_LIVE_H

#include <cudahisto/gstcudahisto.h>

G_BEGIN_DECLS

typedef struct {
  GstClockTime time; /* stream time in ns, or GST_CLOCK_TIME_NONE: the frame's index is shown instead */
  guint64 frame;
  const gchar *component;
  gdouble mean; /* NaN: nothing was counted */
  guint min, low, median, high, max;
  guint top;                  /* largest value that there can be: 1023 of 10 bits */
  guint legal_min, legal_max; /* what is nominal; 0 and `top`: everything is */
  const guint64 *counters;    /* the histogram; NULL: there is none, and the bar has range and percentiles alone */
  gsize n_counters;
} LiveNumbers;

/* The numbers of a component, NULL: of the main one. They belong to the result. FALSE: it has no such component. */
gboolean live_read (LiveNumbers *numbers, const GstCudaHistoResult *result, const gchar *component);

/* A line of at most `width` columns, from 17 on, and what goes above the columns of such lines. What does not fit is left
 * out. With colours where `has_colours`. Free with g_free(). */
gchar *live_format (const LiveNumbers *numbers, guint width, gboolean has_colours);
gchar *live_format_header (const LiveNumbers *numbers, guint width);

/* What has begun, or is over, and when: "black from 0:12.00 to 0:14.96", without what a terminal would
 * obey. Free with g_free(). */
gchar *live_format_event (const GstCudaHistoEvent *event);

G_END_DECLS

#endif
