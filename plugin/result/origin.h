/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The origin of a window: what its first buffer says of when and where it was made, beside its times. */

#ifndef GST_CUDA_HISTO_ORIGIN_H
#define GST_CUDA_HISTO_ORIGIN_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Holds nothing that would have to be freed. */
typedef struct {
  GstClockTime utc_time;        /* since 1970 */
  gchar timecode[48];           /* hh:mm:ss:ff as GStreamer prints it, with a semicolon in drop-frame counting; "": none */
  GstClockTime reference_time;  /* of a GstReferenceTimestampMeta; GST_CLOCK_TIME_NONE: none */
  const gchar *reference_clock; /* the name of its caps, "timestamp/x-ntp"; interned; NULL: none */
  gboolean has_crop;
  guint crop[4]; /* of a GstVideoCropMeta: x, y, width, height */
} GstCudaHistoOrigin;

/* The time of day, in nanoseconds since 1970, at which a buffer came to `element`: `arrival`, by g_get_monotonic_time() in
 * nanoseconds.
 *
 * Where the pipeline's clock is a wall clock (real time, NTP, PTP, TAI), which
 * differs from UTC by whole seconds at most, the fraction of the second is that clock's and the whole seconds are the system
 * clock's; else all of it is the system clock's. It is not made from running time, which says nothing of the time of day where
 * a stream is flushed, or not played in step with the clock. */
GstClockTime gst_cuda_histo_origin_get_utc_time (GstElement *element, GstClockTime arrival);

/* A time of day as results and events have it: RFC 3339 in UTC, with microseconds, since more is not known of the system's
 * clock, and less would be lost on those that know it. Free with g_free(). NULL where it is GST_CLOCK_TIME_NONE, or beyond the
 * calendar. */
gchar *gst_cuda_histo_origin_format_utc_time (GstClockTime utc_time);

/* Reads it from `buffer`, which came at `utc_time`. */
void gst_cuda_histo_origin_read (GstCudaHistoOrigin *origin, GstBuffer *buffer, GstClockTime utc_time);

G_END_DECLS

#endif
