/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "origin.h"

#include <gst/video/video.h>
#include <string.h>

#define ATTEMPTS 3                                   /* to read two clocks with nothing in between */
#define AT_ONCE ((GstClockTimeDiff)50 * GST_USECOND) /* is nothing */

/* Whether the clock's time differs from UTC by whole seconds. The clocks of gst-net are known by name: not to link it for them. */
static gboolean
gst_cuda_histo_origin_counts_seconds (GstClock *clock)
{
  const gchar *type = G_OBJECT_TYPE_NAME (clock);
  GstClockType clock_type;

  if (strcmp (type, "GstNtpClock") == 0 || strcmp (type, "GstPtpClock") == 0)
    return TRUE;
  if (strcmp (type, "GstSystemClock") != 0)
    return FALSE;
  g_object_get (clock, "clock-type", &clock_type, NULL);
  return clock_type == GST_CLOCK_TYPE_REALTIME || clock_type == GST_CLOCK_TYPE_TAI;
}

/* What is to be added to the clock's time to have UTC. */
static GstClockTimeDiff
gst_cuda_histo_origin_compare_clocks (GstClock *clock)
{
  GstClockTimeDiff offset = 0, least = G_MAXINT64;

  for (guint i = 0; i < ATTEMPTS && least > AT_ONCE; i++) {
    const GstClockTime before = gst_clock_get_time (clock);
    const GstClockTime utc = (GstClockTime)g_get_real_time () * GST_USECOND;
    const GstClockTimeDiff passed = GST_CLOCK_DIFF (before, gst_clock_get_time (clock));

    if (passed < least) {
      least = passed;
      offset = GST_CLOCK_DIFF (before + (GstClockTime)passed / 2, utc);
    }
  }
  if (gst_cuda_histo_origin_counts_seconds (clock)) {
    const GstClockTimeDiff second = GST_SECOND, half = offset < 0 ? -second / 2 : second / 2;

    offset = (offset + half) / second * second;
  }
  return offset;
}

static GstClockTime
gst_cuda_histo_origin_get_utc_time (GstElement *element, GstClockTime running_time, GstClockTime arrival)
{
  GstClock *clock = NULL;
  GstClockTime utc_time;
  gboolean plays;

  GST_OBJECT_LOCK (element);
  plays = GST_STATE (element) == GST_STATE_PLAYING;
  GST_OBJECT_UNLOCK (element);
  if (plays && GST_CLOCK_TIME_IS_VALID (running_time))
    clock = gst_element_get_clock (element);
  if (clock == NULL) {
    const GstClockTime since = (GstClockTime)g_get_monotonic_time () * GST_USECOND - arrival;

    return (GstClockTime)g_get_real_time () * GST_USECOND - since;
  }
  utc_time = gst_element_get_base_time (element) + running_time;
  utc_time += (GstClockTime)gst_cuda_histo_origin_compare_clocks (clock);
  gst_object_unref (clock);
  return utc_time;
}

void
gst_cuda_histo_origin_read (GstCudaHistoOrigin *origin, GstElement *element, GstBuffer *buffer, GstClockTime running_time,
                            GstClockTime arrival)
{
  GstVideoTimeCodeMeta *timecode = gst_buffer_get_video_time_code_meta (buffer);
  GstReferenceTimestampMeta *reference = gst_buffer_get_reference_timestamp_meta (buffer, NULL);
  GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);

  *origin = (GstCudaHistoOrigin){
    .utc_time = gst_cuda_histo_origin_get_utc_time (element, running_time, arrival),
    .reference_time = GST_CLOCK_TIME_NONE,
  };
  if (timecode != NULL && gst_video_time_code_is_valid (&timecode->tc)) {
    gchar *text = gst_video_time_code_to_string (&timecode->tc);

    g_strlcpy (origin->timecode, text, sizeof origin->timecode);
    g_free (text);
  }
  if (reference != NULL) {
    origin->reference_time = reference->timestamp;
    if (gst_caps_get_size (reference->reference) > 0)
      origin->reference_clock = g_intern_string (gst_structure_get_name (gst_caps_get_structure (reference->reference, 0)));
  }
  if (crop != NULL) {
    origin->has_crop = TRUE;
    origin->crop[0] = crop->x;
    origin->crop[1] = crop->y;
    origin->crop[2] = crop->width;
    origin->crop[3] = crop->height;
  }
}
