/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The origin of a window: the time and place at which its first buffer was made, besides its timestamps. */

#pragma once

#include <gst/gst.h>

/* Owns no memory. */
typedef struct {
  GstClockTime utc_time;        /* since 1970 */
  gchar timecode[48];           /* hh:mm:ss:ff in GStreamer's format, with a semicolon in drop-frame counting; "": none */
  GstClockTime reference_time;  /* of a GstReferenceTimestampMeta; GST_CLOCK_TIME_NONE: none */
  const gchar *reference_clock; /* name of its caps, "timestamp/x-ntp"; interned; NULL: none */
  gboolean has_crop;
  guint crop[4]; /* of a GstVideoCropMeta: x, y, width, height */
} GstCudaHistoOrigin;

/* Returns the time of day, in ns since 1970, at which a buffer arrived at `element`: at `arrival`, which is
 * g_get_monotonic_time() in ns.
 *
 * If the pipeline's clock is a wall clock (real time, NTP, PTP, TAI), which may differ from UTC by whole seconds, the fraction
 * of the second is that clock's and whole seconds are the system clock's. Otherwise both are the system clock's. Running time
 * is not used: it has no relation to the time of day after a flush, or without synchronisation to the clock. */
GstClockTime gst_cuda_histo_origin_get_utc_time (GstElement *element, GstClockTime arrival);

/* Formats a time of day for results and events: RFC 3339 in UTC, with microseconds, the resolution of the system clock. Free
 * with g_free(). NULL for GST_CLOCK_TIME_NONE and for times beyond the calendar. */
gchar *gst_cuda_histo_origin_format_utc_time (GstClockTime utc_time);

/* Reads the origin from `buffer`, which arrived at `utc_time`. */
void gst_cuda_histo_origin_read (GstCudaHistoOrigin *origin, GstBuffer *buffer, GstClockTime utc_time);

/* Returns the field `sampling`: one frame of `every`, and `input-sampling` (or NULL). NULL: the whole input is measured. Free
 * with g_free(). */
gchar *gst_cuda_histo_origin_format_sampling (guint every, const gchar *input_sampling);
