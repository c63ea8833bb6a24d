/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/times.h"

/* A decoder that adds up durations is late by a nanosecond each time. No film has frames so close. */
#define ROUNDING GST_USECOND

static GstStaticCaps raw_video = GST_STATIC_CAPS ("video/x-raw");

typedef struct {
  GMutex lock;
  gint rate_n, rate_d;   /* of the decoded frames; rate_n 0: unknown or not constant */
  GArray *pending;       /* GstClockTime: presentation times of packets of which no frame has come, ascending */
  gboolean lacks_times;  /* a packet had none */
  GstClockTime anchor;   /* of frame 0 */
  GstClockTime last;     /* as handed on */
  guint64 frames, empty; /* so far: frames, and packets without data, which stand for a frame that is shown again */
  gboolean is_derived, is_unreliable; /* since a frame whose time did not advance */
  gboolean is_told;
} DecodingTimes;

static void
decoding_times_reset (DecodingTimes *times)
{
  g_array_set_size (times->pending, 0);
  times->anchor = times->last = GST_CLOCK_TIME_NONE;
  times->frames = times->empty = 0;
  times->lacks_times = times->is_derived = times->is_unreliable = FALSE;
}

static void
decoding_times_release (gpointer data)
{
  DecodingTimes *times = data;

  g_array_unref (times->pending);
  g_mutex_clear (&times->lock);
}

static void
decoding_times_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, decoding_times_release);
}

/* ---- packets -------------------------------------------------------------------------------------------------------- */

static void
decoding_times_add_packet (DecodingTimes *times, GstBuffer *packet)
{
  const GstClockTime time = GST_BUFFER_PTS (packet);
  guint place = times->pending->len;

  if (gst_buffer_get_size (packet) == 0) {
    times->empty++;
    return;
  }
  if (!GST_CLOCK_TIME_IS_VALID (time)) {
    times->lacks_times = TRUE;
    return;
  }
  while (place > 0 && g_array_index (times->pending, GstClockTime, place - 1) > time)
    place--;
  g_array_insert_val (times->pending, place, time);
}

static GstPadProbeReturn
decoding_times_take_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  DecodingTimes *times = user_data;

  (void)pad;
  g_mutex_lock (&times->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    decoding_times_add_packet (times, GST_PAD_PROBE_INFO_BUFFER (info));
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_STOP)
    decoding_times_reset (times);
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

static GstClockTime
decoding_times_of_frame (const DecodingTimes *times, guint64 frame)
{
  return times->anchor
         + gst_util_uint64_scale_round (frame + times->empty, GST_SECOND * (guint64)times->rate_d, (guint64)times->rate_n);
}

/* The earliest time of a packet that is later than the last frame's; NONE: there is none. */
static GstClockTime
decoding_times_find_packet (const DecodingTimes *times)
{
  for (guint i = 0; i < times->pending->len; i++) {
    const GstClockTime time = g_array_index (times->pending, GstClockTime, i);

    if (time > times->last)
      return time;
  }
  return GST_CLOCK_TIME_NONE;
}

static void
decoding_times_forget_packets (DecodingTimes *times, GstClockTime until)
{
  guint count = 0;

  while (count < times->pending->len && g_array_index (times->pending, GstClockTime, count) <= until)
    count++;
  if (count > 0)
    g_array_remove_range (times->pending, 0, count);
}

/* A decoder guesses the time of a frame whose packet has none. A guess is wrong if it skips the time of a packet of which no
 * frame has come. */
static gboolean
decoding_times_is_wrong_guess (const DecodingTimes *times, GstClockTime said)
{
  if (!times->lacks_times || times->rate_n <= 0
      || said - times->last < gst_util_uint64_scale (3 * GST_SECOND / 2, (guint64)times->rate_d, (guint64)times->rate_n))
    return FALSE;
  return decoding_times_find_packet (times) < said;
}

static gboolean
decoding_times_is_right (const DecodingTimes *times, GstClockTime said)
{
  if (!GST_CLOCK_TIME_IS_VALID (said))
    return times->frames == 0 && times->rate_n <= 0; /* a picture */
  if (!GST_CLOCK_TIME_IS_VALID (times->last))
    return TRUE;
  return said > times->last + ROUNDING && !decoding_times_is_wrong_guess (times, said);
}

/* The time that a frame should have. */
static GstClockTime
decoding_times_find (DecodingTimes *times, GstClockTime said)
{
  GstClockTime packet;

  if (!times->is_derived && (times->is_unreliable || decoding_times_is_right (times, said)))
    return said;
  if (!times->is_derived && !times->lacks_times && GST_CLOCK_TIME_IS_VALID (times->last)) {
    packet = decoding_times_find_packet (times);
    if (GST_CLOCK_TIME_IS_VALID (packet))
      return packet;
  }
  times->is_derived = times->rate_n > 0;
  times->is_unreliable = !times->is_derived;
  if (!GST_CLOCK_TIME_IS_VALID (times->anchor))
    times->anchor = 0;
  return times->is_derived ? decoding_times_of_frame (times, times->frames) : said;
}

static void
decoding_times_mark (const DecodingTimes *times, GstBuffer *frame, GstClockTime said)
{
  g_autoptr (GstCaps) clock
      = gst_caps_new_empty_simple (times->is_derived ? DECODING_TIMES_DERIVED : DECODING_TIMES_UNRELIABLE);

  if (GST_CLOCK_TIME_IS_VALID (said))
    gst_buffer_add_reference_timestamp_meta (frame, clock, said, GST_CLOCK_TIME_NONE);
}

static GstStructure *
decoding_times_describe (const DecodingTimes *times)
{
  return gst_structure_new (DECODING_TIMES_MESSAGE, "is-derived", G_TYPE_BOOLEAN, times->is_derived, "frame", G_TYPE_UINT64,
                            times->frames, "framerate", GST_TYPE_FRACTION, times->rate_n, times->rate_n > 0 ? times->rate_d : 1,
                            NULL);
}

/* Returns the message, if times are no longer those of the film; otherwise NULL. */
static GstStructure *
decoding_times_take_buffer (DecodingTimes *times, GstPadProbeInfo *info)
{
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER (info);
  const GstClockTime said = GST_BUFFER_PTS (frame), time = decoding_times_find (times, said);
  GstStructure *news = NULL;

  if (time != said || times->is_derived || times->is_unreliable) {
    GST_PAD_PROBE_INFO_DATA (info) = frame = gst_buffer_make_writable (frame);
    GST_BUFFER_PTS (frame) = time;
  }
  if (times->is_derived || times->is_unreliable) {
    decoding_times_mark (times, frame, said);
    if (!times->is_told)
      news = decoding_times_describe (times);
    times->is_told = TRUE;
  }
  if (!GST_CLOCK_TIME_IS_VALID (times->anchor))
    times->anchor = time;
  times->frames++;
  times->last = time;
  if (GST_CLOCK_TIME_IS_VALID (time))
    decoding_times_forget_packets (times, time);
  return news;
}

static GstPadProbeReturn
decoding_times_take_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstElement) decoder = gst_pad_get_parent_element (pad);
  DecodingTimes *times = user_data;
  GstStructure *news = NULL;

  g_mutex_lock (&times->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    news = decoding_times_take_buffer (times, info);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS)
    decoding_times_take_caps (times, GST_PAD_PROBE_INFO_EVENT (info));
  g_mutex_unlock (&times->lock);
  if (news != NULL && decoder != NULL)
    gst_element_post_message (decoder, gst_message_new_element (GST_OBJECT (decoder), g_steal_pointer (&news)));
  g_clear_pointer (&news, gst_structure_free);
  return GST_PAD_PROBE_OK;
}

gchar *
decoding_times_explain (const GstStructure *message)
{
  gboolean is_derived = FALSE;
  guint64 frame = 0;
  gint rate_n = 0, rate_d = 1;

  gst_structure_get (message, "is-derived", G_TYPE_BOOLEAN, &is_derived, "frame", G_TYPE_UINT64, &frame, "framerate",
                     GST_TYPE_FRACTION, &rate_n, &rate_d, NULL);
  if (!is_derived)
    return g_strdup_printf ("does not say when frame %" G_GUINT64_FORMAT " and those behind it are shown, and has no constant "
                            "frame rate: their times are unreliable.",
                            frame);
  return g_strdup_printf ("does not say when frame %" G_GUINT64_FORMAT
                          " and those behind it are shown: their times follow from "
                          "frame numbers, at %.8g frames/s.",
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
  times->pending = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  decoding_times_reset (times);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_BOTH | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                     decoding_times_take_packet, times, decoding_times_unref);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, decoding_times_take_frame,
                     g_atomic_rc_box_acquire (times), decoding_times_unref);
}
