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

/* Reads it from `buffer`, which came to `element` at `arrival`, by g_get_monotonic_time() in nanoseconds.
 *
 * utc_time is the time of day at `arrival`. Where the pipeline's clock is a wall clock (real time, NTP, PTP, TAI), which
 * differs from UTC by whole seconds at most, the fraction of the second is that clock's and the whole seconds are the system
 * clock's; else all of it is the system clock's. It is not made from running time, which says nothing of the time of day where
 * a stream is flushed, or not played in step with the clock. */
void gst_cuda_histo_origin_read (GstCudaHistoOrigin *origin, GstElement *element, GstBuffer *buffer, GstClockTime arrival);

G_END_DECLS

#endif
