/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/decodetimes.h"

#define SAME_TIME GST_USECOND /* frames are never that close */

typedef struct {
  GstClockTime time;
  guint segment;
  gboolean is_alone; /* the packet has no presentation time */
} DecodeTime;

struct _DecodingDecodeTimes {
  GArray *packets;   /* DecodeTime, in order of arrival */
  gboolean is_alone; /* so far */
  gboolean differs;  /* a presentation time differs from the decode time */
};

DecodingDecodeTimes *
decoding_decode_times_new (void)
{
  DecodingDecodeTimes *times = g_new0 (DecodingDecodeTimes, 1);

  times->packets = g_array_new (FALSE, FALSE, sizeof (DecodeTime));
  return times;
}

void
decoding_decode_times_free (DecodingDecodeTimes *times)
{
  g_array_unref (times->packets);
  g_free (times);
}

void
decoding_decode_times_reset (DecodingDecodeTimes *times)
{
  g_array_set_size (times->packets, 0);
  times->is_alone = times->differs = FALSE;
}

static const DecodeTime *
decoding_decode_times_get (const DecodingDecodeTimes *times, guint i)
{
  return &g_array_index (times->packets, DecodeTime, i);
}

void
decoding_decode_times_add (DecodingDecodeTimes *times, const GstBuffer *packet, guint segment)
{
  const gboolean has_pts = GST_BUFFER_PTS_IS_VALID (packet);
  const DecodeTime added = { GST_BUFFER_DTS (packet), segment, !has_pts };

  if (has_pts && GST_BUFFER_PTS (packet) != GST_BUFFER_DTS (packet))
    times->differs = TRUE;
  if (!GST_BUFFER_DTS_IS_VALID (packet))
    return;
  if (!has_pts)
    times->is_alone = TRUE;
  if (times->packets->len == DECODING_MOST_PACKETS)
    g_array_remove_index (times->packets, 0);
  g_array_append_val (times->packets, added);
}

gboolean
decoding_decode_times_are_alone (const DecodingDecodeTimes *times)
{
  return times->is_alone && !times->differs;
}

GstClockTime
decoding_decode_times_find_next (const DecodingDecodeTimes *times, guint segment, GstClockTime last)
{
  GstClockTime next = GST_CLOCK_TIME_NONE;

  for (guint i = 0; i < times->packets->len; i++) {
    const DecodeTime *packet = decoding_decode_times_get (times, i);

    if (packet->segment <= segment && packet->time < next
        && (!GST_CLOCK_TIME_IS_VALID (last) || packet->time > last + SAME_TIME))
      next = packet->time;
  }
  return next;
}

gboolean
decoding_decode_times_have (const DecodingDecodeTimes *times, GstClockTime time)
{
  for (guint i = 0; i < times->packets->len; i++)
    if (decoding_decode_times_get (times, i)->is_alone && decoding_decode_times_get (times, i)->time == time)
      return TRUE;
  return FALSE;
}

void
decoding_decode_times_forget (DecodingDecodeTimes *times, guint segment, GstClockTime until)
{
  for (guint i = times->packets->len; i > 0; i--) {
    const DecodeTime *packet = decoding_decode_times_get (times, i - 1);

    if (packet->segment < segment || (packet->segment == segment && packet->time <= until))
      g_array_remove_index (times->packets, i - 1);
  }
}
