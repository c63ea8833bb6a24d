/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/origin.h"

#include <gst/video/video.h>
#include <string.h>

/* Whether the clock shows the time of day. It may differ from UTC by whole seconds. The clocks of gst-net are recognised by
 * their type's name, so that the plugin need not link to it. */
static gboolean
gst_cuda_histo_origin_is_wall_clock (GstClock *clock)
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

/* Returns the time of day. If the pipeline's clock is a wall clock, the fraction of the second is that clock's, and whole
 * seconds are the system clock's. Otherwise both are the system clock's. */
static GstClockTime
gst_cuda_histo_origin_get_time_of_day (GstElement *element)
{
  const GstClockTimeDiff second = GST_SECOND;
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTime utc_time = (GstClockTime)g_get_real_time () * GST_USECOND;

  if (clock != NULL && gst_cuda_histo_origin_is_wall_clock (clock)) {
    const GstClockTime time = gst_clock_get_time (clock);
    const GstClockTimeDiff offset = GST_CLOCK_DIFF (time, utc_time), half = offset < 0 ? -second / 2 : second / 2;

    utc_time = time + (GstClockTime)((offset + half) / second * second);
  }
  return utc_time;
}

GstClockTime
gst_cuda_histo_origin_get_utc_time (GstElement *element, GstClockTime arrival)
{
  const GstClockTime age = (GstClockTime)g_get_monotonic_time () * GST_USECOND - arrival;

  return gst_cuda_histo_origin_get_time_of_day (element) - age;
}

gchar *
gst_cuda_histo_origin_format_utc_time (GstClockTime utc_time)
{
  GDateTime *date = GST_CLOCK_TIME_IS_VALID (utc_time) ? g_date_time_new_from_unix_utc ((gint64)(utc_time / GST_SECOND)) : NULL;
  gchar *seconds, *text;

  if (date == NULL)
    return NULL;
  seconds = g_date_time_format (date, "%Y-%m-%dT%H:%M:%S");
  text = g_strdup_printf ("%s.%06uZ", seconds, (guint)(utc_time % GST_SECOND / GST_USECOND));
  g_free (seconds);
  g_date_time_unref (date);
  return text;
}

void
gst_cuda_histo_origin_read (GstCudaHistoOrigin *origin, GstBuffer *buffer, GstClockTime utc_time)
{
  GstVideoTimeCodeMeta *timecode = gst_buffer_get_video_time_code_meta (buffer);
  GstReferenceTimestampMeta *reference = gst_buffer_get_reference_timestamp_meta (buffer, NULL);
  GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);

  *origin = (GstCudaHistoOrigin){
    .utc_time = utc_time,
    .reference_time = GST_CLOCK_TIME_NONE,
  };
  if (timecode != NULL && gst_video_time_code_is_valid (&timecode->tc)) {
    g_autofree gchar *text = gst_video_time_code_to_string (&timecode->tc);

    g_strlcpy (origin->timecode, text, sizeof origin->timecode);
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

gchar *
gst_cuda_histo_origin_format_sampling (guint every, const gchar *input_sampling)
{
  if (every == 1)
    return g_strdup (input_sampling);
  return g_strdup_printf ("every=%u%s%s", every, input_sampling != NULL ? "+" : "",
                          input_sampling != NULL ? input_sampling : "");
}
