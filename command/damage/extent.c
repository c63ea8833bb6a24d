/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "damage/extent.h"

#define LATEST_FRAMES 4096

struct _Extent {
  GMutex lock;
  GstClockTime video_start, video_end, end;
  GstClockTime timestamps_end;
  guint64 frames;                         /* video frames so far */
  GstClockTime video_ends[LATEST_FRAMES]; /* the end of each recent frame, by its number modulo LATEST_FRAMES */
};

Extent *
extent_new (void)
{
  Extent *extent = g_new0 (Extent, 1);

  g_mutex_init (&extent->lock);
  extent->video_start = extent->video_end = extent->end = extent->timestamps_end = GST_CLOCK_TIME_NONE;
  return extent;
}

void
extent_free (Extent *extent)
{
  g_mutex_clear (&extent->lock);
  g_free (extent);
}

/* Sources without times have segments of bytes. */
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
  if (GST_CLOCK_TIME_IS_VALID (time) && (!GST_CLOCK_TIME_IS_VALID (*end) || time > *end))
    *end = time;
}

static void
extent_take_buffer (Extent *extent, GstPad *pad, GstBuffer *buffer, gboolean is_video)
{
  const GstClockTime time = GST_BUFFER_PTS_IS_VALID (buffer) ? GST_BUFFER_PTS (buffer) : GST_BUFFER_DTS (buffer);
  const GstClockTime start = GST_CLOCK_TIME_IS_VALID (time) ? extent_get_stream_time (pad, time) : GST_CLOCK_TIME_NONE;
  const GstClockTime end
      = GST_CLOCK_TIME_IS_VALID (start) && GST_BUFFER_DURATION_IS_VALID (buffer) ? start + GST_BUFFER_DURATION (buffer) : start;

  g_mutex_lock (&extent->lock);
  if (is_video && !GST_CLOCK_TIME_IS_VALID (extent->video_start))
    extent->video_start = start;
  if (is_video)
    extent_raise (&extent->video_end, end);
  extent_raise (&extent->end, end);
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    extent_raise (&extent->timestamps_end,
                  GST_BUFFER_PTS (buffer) + (GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer) : 0));
  if (is_video)
    extent->video_ends[extent->frames++ % LATEST_FRAMES] = extent->video_end;
  g_mutex_unlock (&extent->lock);
}

static void
extent_take (Extent *extent, GstPad *pad, GstPadProbeInfo *info, gboolean is_video)
{
  GstBufferList *list;

  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST)) {
    extent_take_buffer (extent, pad, GST_PAD_PROBE_INFO_BUFFER (info), is_video);
    return;
  }
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    extent_take_buffer (extent, pad, gst_buffer_list_get (list, i), is_video);
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
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&extent->lock);

  return *time;
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

GstClockTime
extent_get_timestamps_end (Extent *extent)
{
  return extent_get (extent, &extent->timestamps_end);
}

GstClockTime
extent_get_video_end_of (Extent *extent, guint64 frames)
{
  GstClockTime end = GST_CLOCK_TIME_NONE;

  g_mutex_lock (&extent->lock);
  if (frames > 0 && frames <= extent->frames && extent->frames - frames < LATEST_FRAMES)
    end = extent->video_ends[(frames - 1) % LATEST_FRAMES];
  g_mutex_unlock (&extent->lock);
  return end;
}

guint64
extent_get_video_frames (Extent *extent)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&extent->lock);

  return extent->frames;
}
