/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/part.h"

#include "damage/damage.h"

#define LEAST_SEEK (2 * GST_SECOND) /* a shorter way is decoded */
/* A seek goes to the key frame before the part, not to one at its beginning: a decoder may cut a frame there, or report errors
 * of the frames before. Demuxers round the position to their time scale. */
#define MARGIN (GST_SECOND / 2)

/* Stages of a seek. */
typedef enum {
  SEEK_NONE,
  SEEK_AWAITED,
  SEEK_DONE,   /* the next frame is the first after it */
  SEEK_FAILED, /* the stream continues where it was */
} Seek;

struct _Part {
  GstPad *pad;
  PartLimits limits;
  PartCallbacks callbacks;
  GMutex lock; /* for the members below, up to `passed` */
  GCond cond;
  Seek seek;
  GstClockTime position; /* of the seek */
  gboolean is_released;
  guint64 passed;
  gint is_untimed; /* atomic: packets have only decode times */
  /* For the streaming thread. */
  gboolean has_begun, has_ended;
  GstClockTime time; /* of the latest frame */
  GstEvent *damage;  /* the report on the next frame, or NULL */
};

/* Returns the stream time of a frame; without a timestamp, that of the frame before. */
static GstClockTime
part_find_time (Part *part, GstBuffer *buffer)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (part->pad, GST_EVENT_SEGMENT, 0);
  GstClockTime time = GST_CLOCK_TIME_NONE;
  const GstSegment *segment;

  if (event != NULL && GST_BUFFER_PTS_IS_VALID (buffer)) {
    gst_event_parse_segment (event, &segment);
    if (segment->format == GST_FORMAT_TIME)
      time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  }
  if (GST_CLOCK_TIME_IS_VALID (time))
    part->time = time;
  return part->time;
}

/* ---- packets ----------------------------------------------------------------------------------------------------------- */

/* The decoder adds up the times of frames from the first one on. */
static GstPadProbeReturn
part_take_first_packet (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  Part *part = user_data;

  if (!GST_BUFFER_PTS_IS_VALID (GST_PAD_PROBE_INFO_BUFFER (info)))
    g_atomic_int_set (&part->is_untimed, TRUE);
  return GST_PAD_PROBE_REMOVE;
}

static void
part_take_pad (GstElement *demuxer G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  if (g_str_has_prefix (GST_OBJECT_NAME (pad), "video"))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, part_take_first_packet, user_data, NULL);
}

static void
part_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory != NULL && gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DEMUXER))
    g_signal_connect (element, "pad-added", G_CALLBACK (part_take_pad), user_data);
}

/* ---- the seek ---------------------------------------------------------------------------------------------------------- */

/* Returns whether the stream was sought, or stops: the present frame is not of the part. */
static gboolean
part_await_seek (Part *part, GstClockTime position)
{
  gboolean is_over;

  g_mutex_lock (&part->lock);
  part->position = position;
  part->seek = SEEK_AWAITED;
  g_mutex_unlock (&part->lock);
  if (!part->callbacks.seek (part->callbacks.data))
    return FALSE;
  g_mutex_lock (&part->lock);
  while (part->seek == SEEK_AWAITED && !part->is_released)
    g_cond_wait (&part->cond, &part->lock);
  is_over = part->seek != SEEK_FAILED;
  g_mutex_unlock (&part->lock);
  return is_over;
}

static void
part_set_seek (Part *part, Seek seek)
{
  g_mutex_lock (&part->lock);
  if (part->seek == SEEK_AWAITED)
    part->seek = seek;
  g_cond_broadcast (&part->cond);
  g_mutex_unlock (&part->lock);
}

void
part_seek (Part *part)
{
  const GstSeekFlags keys
      = part->limits.is_of_keys ? GST_SEEK_FLAG_TRICKMODE_KEY_UNITS | GST_SEEK_FLAG_TRICKMODE_NO_AUDIO : GST_SEEK_FLAG_NONE;
  GstClockTime position;

  g_mutex_lock (&part->lock);
  position = part->position;
  g_mutex_unlock (&part->lock);
  gst_pad_send_event (part->pad,
                      gst_event_new_seek (1, GST_FORMAT_TIME,
                                          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT | GST_SEEK_FLAG_SNAP_BEFORE | keys,
                                          GST_SEEK_TYPE_SET, (gint64)position, GST_SEEK_TYPE_NONE, 0));
  part_set_seek (part, SEEK_FAILED); /* there was no flush */
}

/* Returns whether the frame is not of the part, because of a seek. */
static gboolean
part_look_for_seek (Part *part, GstClockTime time)
{
  const GstClockTime from = GST_CLOCK_TIME_IS_VALID (part->limits.from) ? part->limits.from : 0;
  gboolean is_sought;

  if (!part->has_begun) {
    part->has_begun = TRUE;
    return (part->limits.is_of_keys || from > time + LEAST_SEEK) && !g_atomic_int_get (&part->is_untimed)
           && part_await_seek (part, from - MIN (from, MARGIN));
  }
  g_mutex_lock (&part->lock);
  is_sought = part->seek == SEEK_DONE;
  part->seek = is_sought ? SEEK_NONE : part->seek;
  g_mutex_unlock (&part->lock);
  return is_sought && time >= from && part->position > 0 && part_await_seek (part, 0);
}

/* ---- frames ------------------------------------------------------------------------------------------------------------ */

static void
part_end (Part *part)
{
  part->has_ended = TRUE;
  part->callbacks.end (part->callbacks.data);
  gst_pad_push_event (part->pad, gst_event_new_eos ());
  part->callbacks.ended (part->callbacks.data);
}

static gboolean
part_has_frame (Part *part, GstBuffer *buffer)
{
  const GstClockTime time = part_find_time (part, buffer);

  if (part->has_ended || part_look_for_seek (part, time)
      || (GST_CLOCK_TIME_IS_VALID (part->limits.from) && time < part->limits.from))
    return FALSE;
  if (part->passed == 0 && GST_CLOCK_TIME_IS_VALID (part->limits.length)) {
    const GstClockTime begin = GST_CLOCK_TIME_IS_VALID (part->limits.from) ? part->limits.from : time;

    part->limits.to = MIN (part->limits.to, begin + part->limits.length); /* GST_CLOCK_TIME_NONE is the largest */
  }
  if (time < part->limits.to && (part->limits.frames == 0 || part->passed < part->limits.frames))
    return TRUE;
  part_end (part);
  return FALSE;
}

static GstPadProbeReturn
part_take_buffer (Part *part, GstBuffer *buffer)
{
  GstEvent *damage = g_steal_pointer (&part->damage);

  if (!part_has_frame (part, buffer)) {
    gst_clear_event (&damage);
    return GST_PAD_PROBE_DROP;
  }
  g_mutex_lock (&part->lock);
  part->passed++;
  g_mutex_unlock (&part->lock);
  if (damage != NULL)
    gst_pad_push_event (part->pad, damage);
  return GST_PAD_PROBE_OK;
}

/* Keeps reports of damage before the part until it is known whether the next frame belongs to it. */
static GstPadProbeReturn
part_take_event (Part *part, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_FLUSH_START:
    part_set_seek (part, SEEK_DONE);
    return GST_PAD_PROBE_OK;
  case GST_EVENT_CUSTOM_DOWNSTREAM:
    if (part->passed > 0 || !gst_event_has_name (event, DAMAGE_EVENT))
      return GST_PAD_PROBE_OK;
    gst_event_replace (&part->damage, event);
    return GST_PAD_PROBE_DROP;
  default:
    return GST_PAD_PROBE_OK;
  }
}

static GstPadProbeReturn
part_take (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    return part_take_buffer (user_data, GST_PAD_PROBE_INFO_BUFFER (info));
  return part_take_event (user_data, GST_PAD_PROBE_INFO_EVENT (info));
}

/* ---- life cycle ------------------------------------------------------------------------------------------------------- */

Part *
part_new (GstElement *pipeline, GstPad *pad, const PartLimits *limits, const PartCallbacks *callbacks)
{
  Part *part = g_new0 (Part, 1);

  g_mutex_init (&part->lock);
  g_cond_init (&part->cond);
  part->pad = gst_object_ref (pad);
  part->limits = *limits;
  part->callbacks = *callbacks;
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (part_take_element), part);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                     part_take, part, NULL);
  return part;
}

void
part_free (Part *part)
{
  gst_clear_event (&part->damage);
  gst_object_unref (part->pad);
  g_mutex_clear (&part->lock);
  g_cond_clear (&part->cond);
  g_free (part);
}

void
part_release (Part *part)
{
  g_mutex_lock (&part->lock);
  part->is_released = TRUE;
  g_cond_broadcast (&part->cond);
  g_mutex_unlock (&part->lock);
}

guint64
part_count (Part *part)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&part->lock);

  return part->passed;
}
