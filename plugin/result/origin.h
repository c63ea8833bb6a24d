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
  gchar timecode[48];           /* hh:mm:ss:ff as GStreamer prints it, with a semicolon where frames are dropped; "": none */
  GstClockTime reference_time;  /* of a GstReferenceTimestampMeta; GST_CLOCK_TIME_NONE: none */
  const gchar *reference_clock; /* the name of its caps, "timestamp/x-ntp"; interned; NULL: none */
  gboolean has_crop;
  guint crop[4]; /* of a GstVideoCropMeta: x, y, width, height */
} GstCudaHistoOrigin;

/* Reads it from `buffer`, which came to `element` at `arrival`, by g_get_monotonic_time() in nanoseconds.
 *
 * utc_time is the time of day then. Where the pipeline's clock counts the seconds of the world (real time, NTP, PTP, TAI) it is
 * that clock's, which differs from UTC by whole seconds, and no more is taken from the system's; else it is the system's. Not
 * made from running time: what is not played in step with a clock, or is flushed, has running times that are no time of day. */
void gst_cuda_histo_origin_read (GstCudaHistoOrigin *origin, GstElement *element, GstBuffer *buffer, GstClockTime arrival);

G_END_DECLS

#endif
