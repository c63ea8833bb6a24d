/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/times.h"

#include "decoding/decodetimes.h"

/* A decoder that adds up durations may be a nanosecond off per frame. Frames are never that close. */
#define ROUNDING GST_USECOND
#define MOST_B_FRAMES 3 /* consecutive ones in MPEG-1 and MPEG-2, usually */

static GstStaticCaps raw_video = GST_STATIC_CAPS ("video/x-raw");

typedef struct {
  GstClockTime time; /* presentation time */
  guint segment;     /* number of its segment */
  gboolean is_empty; /* repeats the previous frame, unless the decoder makes a frame of it */
} DecodingPacket;

typedef struct {
  GMutex lock;
  gint rate_n, rate_d; /* of the decoded frames; rate_n 0: unknown or not constant */
  GArray *pending;     /* DecodingPacket: packets with a time whose frame has not come, ascending by time */
  DecodingDecodeTimes *decode_times;
  gboolean has_times;            /* a packet had a time; earlier ones are headers */
  GstClockTime latest;           /* of the packet that came last; GST_CLOCK_TIME_NONE: it has none */
  guint64 untimed;               /* packets without a time whose frame has not come */
  gboolean lacks_times;          /* a packet had none */
  guint packet_segment, segment; /* number of the current segment before and after the decoder */
  gboolean is_segment_new;       /* without a frame so far */
  GstSegment output;             /* after the decoder */
  GstClockTime anchor;           /* of frame `anchor_frame` */
  guint64 anchor_frame;
  GstClockTime last;                  /* last output time */
  guint64 frames, empty;              /* frames so far; packets since the anchor that repeat a frame */
  gboolean is_derived, is_unreliable; /* from a frame on whose time did not advance */
  gboolean is_by_packets;             /* derived from decode times */
  gboolean is_reported;
  guint32 seqnum;        /* of the decoder's segment */
  gboolean is_extending; /* the next event is the segment of decoding_times_extend() */
} DecodingTimes;

/* After this, timestamps may begin anywhere. */
static void
decoding_times_restart (DecodingTimes *times)
{
  times->anchor = times->last = GST_CLOCK_TIME_NONE;
  times->frames = times->anchor_frame = times->empty = 0;
  times->is_derived = times->is_unreliable = times->is_by_packets = FALSE;
}

static void
decoding_times_reset (DecodingTimes *times)
{
  g_array_set_size (times->pending, 0);
  decoding_decode_times_reset (times->decode_times);
  times->packet_segment = times->segment = 0;
  times->is_segment_new = times->has_times = times->lacks_times = times->is_extending = FALSE;
  times->untimed = 0;
  times->latest = GST_CLOCK_TIME_NONE;
  gst_segment_init (&times->output, GST_FORMAT_UNDEFINED);
  decoding_times_restart (times);
}

static void
decoding_times_release (gpointer data)
{
  DecodingTimes *times = data;

  g_array_unref (times->pending);
  decoding_decode_times_free (times->decode_times);
  g_mutex_clear (&times->lock);
}

static void
decoding_times_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, decoding_times_release);
}

/* ---- packets -------------------------------------------------------------------------------------------------------- */

static const DecodingPacket *
decoding_times_get_packet (const DecodingTimes *times, guint i)
{
  return &g_array_index (times->pending, DecodingPacket, i);
}

static void
decoding_times_add_packet (DecodingTimes *times, GstBuffer *buffer)
{
  const DecodingPacket packet = { GST_BUFFER_PTS (buffer), times->packet_segment, gst_buffer_get_size (buffer) == 0 };
  guint place = times->pending->len;

  if (packet.is_empty) {
    times->empty++;
  } else {
    times->latest = packet.time;
    decoding_decode_times_add (times->decode_times, buffer, times->packet_segment);
  }
  if (!GST_CLOCK_TIME_IS_VALID (packet.time)) {
    if (times->has_times && !packet.is_empty)
      times->untimed++;
    times->lacks_times = times->untimed > 0 || times->lacks_times;
    return;
  }
  times->has_times = TRUE;
  while (place > 0 && decoding_times_get_packet (times, place - 1)->time > packet.time)
    place--;
  g_array_insert_val (times->pending, place, packet);
  if (times->pending->len > DECODING_MOST_PACKETS)
    g_array_remove_index (times->pending, 0);
}

static GstPadProbeReturn
decoding_times_take_packet (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  DecodingTimes *times = user_data;

  g_mutex_lock (&times->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    decoding_times_add_packet (times, GST_PAD_PROBE_INFO_BUFFER (info));
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_STOP)
    decoding_times_reset (times);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT)
    times->packet_segment++;
  g_mutex_unlock (&times->lock);
  return GST_PAD_PROBE_OK;
}

/* ---- frames --------------------------------------------------------------------------------------------------------- */

static void
decoding_times_take_caps (DecodingTimes *times, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate", &times->rate_n, &times->rate_d))
    times->rate_n = 0;
}

static void
decoding_times_take_segment (DecodingTimes *times, GstEvent *event)
{
  gst_event_copy_segment (event, &times->output);
  times->seqnum = gst_event_get_seqnum (event);
  times->segment++;
  times->is_segment_new = TRUE;
}

static GstClockTime
decoding_times_scale (const DecodingTimes *times, guint64 n_frames)
{
  return gst_util_uint64_scale_round (n_frames, GST_SECOND * (guint64)times->rate_d, (guint64)times->rate_n);
}

static GstClockTime
decoding_times_of_frame (const DecodingTimes *times, guint64 frame)
{
  return times->anchor + decoding_times_scale (times, frame - times->anchor_frame + times->empty);
}

/* Returns the earliest time of a packet of this segment after the last frame's; NONE: there is none. */
static GstClockTime
decoding_times_find_packet (const DecodingTimes *times)
{
  for (guint i = 0; i < times->pending->len; i++) {
    const DecodingPacket *packet = decoding_times_get_packet (times, i);

    if (packet->segment <= times->segment && !packet->is_empty && packet->time > times->last)
      return packet->time;
  }
  return GST_CLOCK_TIME_NONE;
}

/* Returns whether a packet of this segment whose frame has not come has this time. Frames may share rounded times. */
static gboolean
decoding_times_has_packet (const DecodingTimes *times, GstClockTime time)
{
  for (guint i = 0; i < times->pending->len; i++) {
    const DecodingPacket *packet = decoding_times_get_packet (times, i);

    if (packet->segment == times->segment && !packet->is_empty && packet->time <= time + ROUNDING
        && packet->time + ROUNDING >= time)
      return TRUE;
  }
  return FALSE;
}

/* Drops the packets up to this frame, including earlier segments. Of several packets with the frame's time, one is dropped. If
 * an empty packet has the frame's time, the decoder made the frame from it. */
static void
decoding_times_forget_packets (DecodingTimes *times, GstClockTime until)
{
  gboolean is_timed = FALSE;

  for (guint i = times->pending->len; i > 0; i--) {
    const DecodingPacket *packet = decoding_times_get_packet (times, i - 1);

    if (packet->segment > times->segment || (packet->segment == times->segment && packet->time > until + ROUNDING))
      continue;
    if (packet->segment == times->segment && packet->time + ROUNDING >= until) {
      if (is_timed)
        continue;
      is_timed = TRUE;
    }
    if (packet->is_empty && packet->time + ROUNDING >= until && times->empty > 0)
      times->empty--;
    g_array_remove_index (times->pending, i - 1);
  }
  if (!is_timed && times->untimed > 0)
    times->untimed--;
}

/* Returns whether the gap between the last frame and this time, that of a packet, exceeds the packets without a time. In MPEG-1
 * and MPEG-2, B-frames come after the packet of the next reference frame, and leave the decoder at once. So if the packet that
 * came last may be shown before that time, the frame is its, and a short gap is that of further B-frames. */
static gboolean
decoding_times_skips_packets (const DecodingTimes *times, GstClockTime original)
{
  const GstClockTime period = decoding_times_scale (times, 1);
  const guint64 gap = (original - times->last + period / 2) / period;
  const gboolean is_reordered
      = GST_CLOCK_TIME_IS_VALID (times->latest) ? times->latest > times->last && times->latest < original : times->untimed > 0;

  return gap > times->untimed + 1 && !(is_reordered && gap <= MOST_B_FRAMES + 1);
}

/* A decoder guesses the time of a frame whose packet has no time at all, not even a decode time. A time after a gap is not a
 * guess if it follows from the frame number, or if it is the next packet's time and the gap exceeds the packets without a
 * time. */
static gboolean
decoding_times_is_wrong_guess (const DecodingTimes *times, GstClockTime original)
{
  GstClockTime period;

  if (!times->lacks_times || times->rate_n <= 0 || decoding_decode_times_are_alone (times->decode_times))
    return FALSE;
  period = decoding_times_scale (times, 1);
  if (original - times->last < period * 3 / 2 || decoding_decode_times_have (times->decode_times, original)
      || ABS (GST_CLOCK_DIFF (original, decoding_times_of_frame (times, times->frames))) <= (GstClockTimeDiff)period / 2)
    return FALSE;
  return ABS (GST_CLOCK_DIFF (original, decoding_times_find_packet (times))) > (GstClockTimeDiff)ROUNDING
         || !decoding_times_skips_packets (times, original);
}

/* Returns whether frames are missing before this time, so that derived times continue from it: a packet confirms it. */
static gboolean
decoding_times_is_after_hole (const DecodingTimes *times, GstClockTime original)
{
  return times->is_derived && !times->is_by_packets && GST_CLOCK_TIME_IS_VALID (original)
         && GST_CLOCK_TIME_IS_VALID (times->last) && original > times->last && decoding_times_has_packet (times, original)
         && decoding_times_skips_packets (times, original);
}

static gboolean
decoding_times_is_right (const DecodingTimes *times, GstClockTime original)
{
  if (!GST_CLOCK_TIME_IS_VALID (original))
    return times->frames == 0 && times->rate_n <= 0; /* a single picture */
  if (!GST_CLOCK_TIME_IS_VALID (times->last))
    return TRUE;
  if (original <= times->last + ROUNDING)
    return original + ROUNDING >= times->last && decoding_times_has_packet (times, original);
  return !decoding_times_is_wrong_guess (times, original);
}

/* Takes the next decode time if there are no other times. The decoder's time is never too late then: if it is later, the
 * packets in between have no frames. FALSE: no known packet can be this frame's. */
static gboolean
decoding_times_derive_from_packets (DecodingTimes *times, GstClockTime original)
{
  GstClockTime time;

  if (!decoding_decode_times_are_alone (times->decode_times))
    return FALSE;
  time = decoding_decode_times_find_next (times->decode_times, times->segment, times->last);
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return FALSE;
  times->anchor = GST_CLOCK_TIME_IS_VALID (original) ? MAX (original, time) : time;
  times->anchor_frame = times->frames;
  times->empty = 0;
  return TRUE;
}

/* Derives the time from the frame number. If it would not advance, times continue from the last one. */
static GstClockTime
decoding_times_derive (DecodingTimes *times)
{
  if (!GST_CLOCK_TIME_IS_VALID (times->anchor))
    times->anchor = 0;
  if (GST_CLOCK_TIME_IS_VALID (times->last) && decoding_times_of_frame (times, times->frames) <= times->last + ROUNDING) {
    times->anchor = times->last + decoding_times_scale (times, 1);
    times->anchor_frame = times->frames;
    times->empty = 0;
  }
  return decoding_times_of_frame (times, times->frames);
}

/* Returns the time that a frame should have. */
static GstClockTime
decoding_times_find (DecodingTimes *times, GstClockTime original)
{
  GstClockTime packet;

  if (!times->is_derived && (times->is_unreliable || decoding_times_is_right (times, original)))
    return original;
  if (!times->is_derived && !times->lacks_times && GST_CLOCK_TIME_IS_VALID (times->last)) {
    packet = decoding_times_find_packet (times);
    if (GST_CLOCK_TIME_IS_VALID (packet))
      return packet;
  }
  if (decoding_times_is_after_hole (times, original)) {
    times->anchor = original;
    times->anchor_frame = times->frames;
    times->empty = 0;
    return original;
  }
  if (decoding_times_derive_from_packets (times, original)) {
    times->is_derived = times->is_by_packets = TRUE;
    return times->anchor;
  }
  times->is_derived = times->rate_n > 0;
  times->is_unreliable = !times->is_derived;
  return times->is_derived ? decoding_times_derive (times) : original;
}

/* A segment whose timestamps go back begins a new timeline. If times are derived, each segment does. */
static void
decoding_times_begin_segment (DecodingTimes *times, GstClockTime original)
{
  if (times->is_derived || times->is_unreliable || !GST_CLOCK_TIME_IS_VALID (times->last)
      || (GST_CLOCK_TIME_IS_VALID (original) && original <= times->last))
    decoding_times_restart (times);
  times->is_segment_new = FALSE;
}

/* After a gap, times continue from a time that a packet confirms. */
static void
decoding_times_note (DecodingTimes *times, GstClockTime time)
{
  if (!GST_CLOCK_TIME_IS_VALID (times->anchor)
      || (!times->is_derived && times->rate_n > 0 && GST_CLOCK_TIME_IS_VALID (times->last) && GST_CLOCK_TIME_IS_VALID (time)
          && time - times->last >= decoding_times_scale (times, 3) / 2)) {
    times->anchor = time;
    times->anchor_frame = times->frames;
    times->empty = 0;
  }
  times->frames++;
  times->last = time;
}

static void
decoding_times_mark (const DecodingTimes *times, GstBuffer *frame, GstClockTime original)
{
  g_autoptr (GstCaps) clock
      = gst_caps_new_empty_simple (times->is_derived ? DECODING_TIMES_DERIVED : DECODING_TIMES_UNRELIABLE);

  if (GST_CLOCK_TIME_IS_VALID (original))
    gst_buffer_add_reference_timestamp_meta (frame, clock, original, GST_CLOCK_TIME_NONE);
}

static GstStructure *
decoding_times_describe (const DecodingTimes *times)
{
  return gst_structure_new (DECODING_TIMES_MESSAGE, "is-derived", G_TYPE_BOOLEAN, times->is_derived, "is-by-packets",
                            G_TYPE_BOOLEAN, times->is_by_packets, "frame", G_TYPE_UINT64, times->frames, "framerate",
                            GST_TYPE_FRACTION, times->rate_n, times->rate_n > 0 ? times->rate_d : 1, NULL);
}

/* Returns a segment without an end; NULL: the time is within the segment. */
static GstEvent *
decoding_times_extend (DecodingTimes *times, GstClockTime time)
{
  GstEvent *segment;

  if (!times->is_derived || times->output.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (times->output.stop)
      || time < times->output.stop)
    return NULL;
  times->output.stop = times->output.duration = GST_CLOCK_TIME_NONE;
  segment = gst_event_new_segment (&times->output);
  gst_event_set_seqnum (segment, times->seqnum);
  return segment;
}

/* Returns the message if times are no longer the film's own; otherwise NULL. */
static GstStructure *
decoding_times_take_buffer (DecodingTimes *times, GstPadProbeInfo *info, GstEvent **segment)
{
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER (info);
  const GstClockTime original = GST_BUFFER_PTS (frame);
  GstStructure *news = NULL;
  GstClockTime time;

  if (times->is_segment_new)
    decoding_times_begin_segment (times, original);
  time = decoding_times_find (times, original);
  *segment = decoding_times_extend (times, time);
  if (time != original || times->is_derived || times->is_unreliable) {
    GST_PAD_PROBE_INFO_DATA (info) = frame = gst_buffer_make_writable (frame);
    GST_BUFFER_PTS (frame) = time;
  }
  if (times->is_derived || times->is_unreliable) {
    decoding_times_mark (times, frame, original);
    if (!times->is_reported)
      news = decoding_times_describe (times);
    times->is_reported = TRUE;
  }
  decoding_times_note (times, time);
  if (GST_CLOCK_TIME_IS_VALID (time)) {
    decoding_times_forget_packets (times, time);
    decoding_decode_times_forget (times->decode_times, times->segment, time);
  }
  return news;
}

static GstPadProbeReturn
decoding_times_take_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstElement) decoder = gst_pad_get_parent_element (pad);
  DecodingTimes *times = user_data;
  GstStructure *news = NULL;
  GstEvent *segment = NULL;

  g_mutex_lock (&times->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    news = decoding_times_take_buffer (times, info, &segment);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS)
    decoding_times_take_caps (times, GST_PAD_PROBE_INFO_EVENT (info));
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT && !times->is_extending)
    decoding_times_take_segment (times, GST_PAD_PROBE_INFO_EVENT (info));
  times->is_extending = segment != NULL;
  g_mutex_unlock (&times->lock);
  if (segment != NULL)
    gst_pad_push_event (pad, segment);
  if (news != NULL && decoder != NULL)
    gst_element_post_message (decoder, gst_message_new_element (GST_OBJECT (decoder), g_steal_pointer (&news)));
  g_clear_pointer (&news, gst_structure_free);
  return GST_PAD_PROBE_OK;
}

gchar *
decoding_times_explain (const GstStructure *message)
{
  gboolean is_derived = FALSE, is_by_packets = FALSE;
  guint64 frame = 0;
  gint rate_n = 0, rate_d = 1;

  gst_structure_get (message, "is-derived", G_TYPE_BOOLEAN, &is_derived, "is-by-packets", G_TYPE_BOOLEAN, &is_by_packets,
                     "frame", G_TYPE_UINT64, &frame, "framerate", GST_TYPE_FRACTION, &rate_n, &rate_d, NULL);
  if (!is_derived)
    return g_strdup_printf ("has no presentation times from frame %" G_GUINT64_FORMAT
                            " on, and no constant frame rate: times from there on are unreliable.",
                            frame);
  if (is_by_packets)
    return g_strdup_printf ("has no presentation times from frame %" G_GUINT64_FORMAT
                            " on: they are the packets' decode times, in ascending order.",
                            frame);
  return g_strdup_printf ("has no presentation times from frame %" G_GUINT64_FORMAT
                          " on: they follow from frame numbers, at %.8g frames/s.",
                          frame, (gdouble)rate_n / (gdouble)rate_d);
}

void
decoding_times_watch (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstCaps) raw = NULL;
  g_autoptr (GstPad) sink = NULL, src = NULL;
  DecodingTimes *times;

  if (factory == NULL || GST_IS_BIN (element) || !gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER)
      || !gst_element_factory_can_src_any_caps (factory, (raw = gst_static_caps_get (&raw_video))))
    return;
  sink = gst_element_get_static_pad (element, "sink");
  src = gst_element_get_static_pad (element, "src");
  if (sink == NULL || src == NULL)
    return;
  times = g_atomic_rc_box_new0 (DecodingTimes);
  g_mutex_init (&times->lock);
  times->pending = g_array_new (FALSE, FALSE, sizeof (DecodingPacket));
  times->decode_times = decoding_decode_times_new ();
  decoding_times_reset (times);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_BOTH | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                     decoding_times_take_packet, times, decoding_times_unref);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, decoding_times_take_frame,
                     g_atomic_rc_box_acquire (times), decoding_times_unref);
}
