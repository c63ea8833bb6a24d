/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extent.h"

struct _Extent {
  GMutex lock;
  GstClockTime video_start, video_end, end;
};

Extent *
extent_new (void)
{
  Extent *extent = g_new0 (Extent, 1);

  g_mutex_init (&extent->lock);
  extent->video_start = extent->video_end = extent->end = GST_CLOCK_TIME_NONE;
  return extent;
}

void
extent_free (Extent *extent)
{
  g_mutex_clear (&extent->lock);
  g_free (extent);
}

/* Of a list of buffers: the last one. */
static GstBuffer *
extent_get_buffer (GstPadProbeInfo *info)
{
  GstBufferList *list;

  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST))
    return GST_PAD_PROBE_INFO_BUFFER (info);
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  return gst_buffer_list_length (list) > 0 ? gst_buffer_list_get (list, gst_buffer_list_length (list) - 1) : NULL;
}

/* Sources that know no times have segments of bytes. */
static GstClockTime
extent_get_stream_time (GstPad *pad, GstClockTime time)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  if (event == NULL)
    return GST_CLOCK_TIME_NONE;
  gst_event_parse_segment (event, &segment);
  return segment->format == GST_FORMAT_TIME ? gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time) : GST_CLOCK_TIME_NONE;
}

static void
extent_raise (GstClockTime *end, GstClockTime time)
{
  if (!GST_CLOCK_TIME_IS_VALID (*end) || time > *end)
    *end = time;
}

static void
extent_take (Extent *extent, GstPad *pad, GstPadProbeInfo *info, gboolean is_video)
{
  GstBuffer *buffer = extent_get_buffer (info);
  GstClockTime start = buffer != NULL && GST_BUFFER_PTS_IS_VALID (buffer)
                           ? extent_get_stream_time (pad, GST_BUFFER_PTS (buffer))
                           : GST_CLOCK_TIME_NONE;
  GstClockTime end;

  if (!GST_CLOCK_TIME_IS_VALID (start))
    return;
  end = GST_BUFFER_DURATION_IS_VALID (buffer) ? start + GST_BUFFER_DURATION (buffer) : start;
  g_mutex_lock (&extent->lock);
  if (is_video && !GST_CLOCK_TIME_IS_VALID (extent->video_start))
    extent->video_start = start;
  if (is_video)
    extent_raise (&extent->video_end, end);
  extent_raise (&extent->end, end);
  g_mutex_unlock (&extent->lock);
}

static GstPadProbeReturn
extent_take_video (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  extent_take (user_data, pad, info, TRUE);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
extent_take_other (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  extent_take (user_data, pad, info, FALSE);
  return GST_PAD_PROBE_OK;
}

void
extent_watch_video (Extent *extent, GstPad *pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, extent_take_video, extent, NULL);
}

void
extent_watch_other (Extent *extent, GstPad *pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, extent_take_other, extent, NULL);
}

static GstClockTime
extent_get (Extent *extent, const GstClockTime *time)
{
  GstClockTime got;

  g_mutex_lock (&extent->lock);
  got = *time;
  g_mutex_unlock (&extent->lock);
  return got;
}

GstClockTime
extent_get_video_start (Extent *extent)
{
  return extent_get (extent, &extent->video_start);
}

GstClockTime
extent_get_video_end (Extent *extent)
{
  return extent_get (extent, &extent->video_end);
}

GstClockTime
extent_get_end (Extent *extent)
{
  return extent_get (extent, &extent->end);
}
