/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "damage/packets.h"

#include <gst/video/video.h>
#include <string.h>

#define LEAST_CODED 32     /* bytes; a shorter packet may only repeat the previous frame */
#define MOST_LEFT_OUT 4    /* frames that reordering at the cut end of a film may hide */
#define MOST_PACKETS 16384 /* limit of stored packets if the decoder outputs no frames */

typedef struct {
  GstClockTime time;
  PacketsErrors errors; /* reports when it arrived */
  gboolean is_coded;    /* it must give a frame */
  gboolean is_corrupted, is_blank;
} Packet;

/* A packet that left the demuxer. */
typedef struct {
  GstClockTime time;
  gint warnings;     /* warnings of the demuxer before it */
  gboolean is_coded; /* as in Packet */
  /* `is_discontinuous`: the demuxer marked it so; `is_broken`: and has warned before it. */
  gboolean is_discontinuous, is_broken;
} Promise;

struct _Packets {
  PacketsTraits traits;
  GQueue queue;                  /* Packet, in order of arrival */
  GArray *promised;              /* Promise: those whose time is not over yet */
  gint warnings;                 /* warnings before the last one */
  guint64 n_promised;            /* total */
  GstClockTime promised_end;     /* latest end of those with a duration; GST_CLOCK_TIME_NONE: there is none */
  guint64 coded, coded_promised; /* packets with a frame of their own that arrived at the decoder, and that left the demuxer */
  guint64 count, frames;         /* packets that arrived, and frames that were output */
  guint64 lost;                  /* missing frames without a packet */
  guint64 undecoded;             /* missing frames with a packet */
  PacketsErrors latest;          /* reports when the last one arrived */
  GstClockTime nominal;          /* frame duration by the frame rate; 0: unknown */

  /* A stream joined in the middle begins with frames that cannot be decoded, and the decoder reports errors. */
  gboolean has_key, is_settled;
  GstClockTime key_time, settle_time;
  gint settled_errors;

  /* Frames that may be missing. */
  guint64 suspects;
  GstClockTime suspect_start, suspect_end;

  /* The last frame. */
  GstClockTime time, duration, step; /* `step`: from the previous frame */
  GstClockTime first_time;           /* the earliest; GST_CLOCK_TIME_NONE: there is none */
  Packet packet;
};

Packets *
packets_new (PacketsTraits traits)
{
  Packets *packets = g_new0 (Packets, 1);

  packets->traits = traits;
  g_queue_init (&packets->queue);
  packets->promised = g_array_new (FALSE, FALSE, sizeof (Promise));
  packets->time = packets->first_time = packets->key_time = packets->settle_time = GST_CLOCK_TIME_NONE;
  packets->promised_end = GST_CLOCK_TIME_NONE;
  return packets;
}

void
packets_free (Packets *packets)
{
  g_queue_clear_full (&packets->queue, g_free);
  g_array_unref (packets->promised);
  g_free (packets);
}

void
packets_set_rate (Packets *packets, gint n, gint d)
{
  packets->nominal = n > 0 && d > 0 ? gst_util_uint64_scale (GST_SECOND, (guint64)d, (guint64)n) : 0;
}

/* ---- packets ---------------------------------------------------------------------------------------------------------- */

/* After the first key frame, and the frames shown before it, all frames must decode without an error. */
static void
packets_settle (Packets *packets, GstBuffer *buffer, PacketsErrors errors)
{
  const GstClockTime time = GST_BUFFER_PTS (buffer);

  if (packets->is_settled || GST_CLOCK_TIME_IS_VALID (packets->settle_time))
    return;
  if (!packets->has_key) {
    packets->has_key = !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    packets->key_time = time;
    if (packets->has_key && packets->count == 1 && !GST_CLOCK_TIME_IS_VALID (time))
      packets->is_settled = TRUE;
  } else if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (packets->key_time) || time > packets->key_time) {
    packets->is_settled = packets->count == 2; /* the first packet was the key frame, and no frame is shown before it */
    packets->settle_time = time;
    packets->settled_errors = packets->is_settled ? 0 : errors.decoder;
  }
}

/* Returns whether the packet gives a shown frame; headers and pure reference pictures do not. */
static gboolean
packets_is_shown (GstBuffer *buffer)
{
  const gboolean is_head = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER) && !GST_BUFFER_PTS_IS_VALID (buffer)
                           && !GST_BUFFER_DURATION_IS_VALID (buffer);

  return !is_head && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DECODE_ONLY);
}

/* Returns whether the packet gives its own frame, not one shared with another packet. */
static gboolean
packets_is_coded (GstBuffer *buffer)
{
  return gst_buffer_get_size (buffer) >= LEAST_CODED && !GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_ONEFIELD);
}

/* Either may be GST_CLOCK_TIME_NONE. */
static GstClockTime
packets_get_later (GstClockTime one, GstClockTime other)
{
  return !GST_CLOCK_TIME_IS_VALID (one) || !GST_CLOCK_TIME_IS_VALID (other) ? MIN (one, other) : MAX (one, other);
}

void
packets_promise (Packets *packets, GstBuffer *buffer, PacketsErrors errors)
{
  const gboolean has_warned = packets->n_promised > 0 && errors.demuxer != packets->warnings;
  const Promise promise = {
    .time = GST_BUFFER_PTS_IS_VALID (buffer) ? GST_BUFFER_PTS (buffer) : GST_BUFFER_DTS (buffer),
    .warnings = errors.demuxer,
    .is_coded = packets_is_coded (buffer),
    .is_discontinuous = packets->n_promised > 0 && GST_BUFFER_IS_DISCONT (buffer),
    .is_broken = has_warned && GST_BUFFER_IS_DISCONT (buffer),
  };

  if (!packets_is_shown (buffer))
    return;
  packets->n_promised++;
  packets->coded_promised += promise.is_coded ? 1 : 0;
  packets->warnings = errors.demuxer;
  if (!GST_CLOCK_TIME_IS_VALID (promise.time))
    return;
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    packets->promised_end = packets_get_later (packets->promised_end, promise.time + GST_BUFFER_DURATION (buffer));
  g_array_append_val (packets->promised, promise);
  if (packets->promised->len > MOST_PACKETS)
    g_array_remove_index (packets->promised, 0);
}

/* Returns the demuxer's warnings before this packet left it. The demuxer is ahead of the decoder. */
static gint
packets_find_warnings (const Packets *packets, GstClockTime time, gint warnings)
{
  for (guint i = 0; GST_CLOCK_TIME_IS_VALID (time) && i < packets->promised->len; i++) {
    const Promise *promise = &g_array_index (packets->promised, Promise, i);

    if (promise->time == time)
      return promise->warnings;
  }
  return warnings;
}

void
packets_add (Packets *packets, GstBuffer *buffer, gboolean is_blank, PacketsErrors errors)
{
  Packet *packet;

  if (!packets_is_shown (buffer))
    return;
  packets->count++;
  packets->latest = errors;
  packets_settle (packets, buffer, errors);
  packet = g_new0 (Packet, 1);
  packet->time = GST_BUFFER_PTS (buffer);
  packet->errors = errors;
  packet->errors.demuxer = packets_find_warnings (packets, packet->time, errors.demuxer);
  packet->is_coded = packets_is_coded (buffer);
  packets->coded += packet->is_coded ? 1 : 0;
  packet->is_corrupted = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  packet->is_blank = is_blank;
  g_queue_push_tail (&packets->queue, packet);
  if (packets->queue.length > MOST_PACKETS)
    g_free (g_queue_pop_head (&packets->queue));
}

/* Returns the packet of a frame: the one with its timestamp, or the oldest. */
static Packet
packets_pop (Packets *packets, GstClockTime time)
{
  GList *found = GST_CLOCK_TIME_IS_VALID (time) ? packets->queue.head : NULL;
  Packet packet = packets->packet;

  while (found != NULL && ((const Packet *)found->data)->time != time)
    found = found->next;
  if (found == NULL)
    found = packets->queue.head;
  if (found == NULL)
    return packet;
  packet = *(const Packet *)found->data;
  g_free (found->data);
  g_queue_delete_link (&packets->queue, found);
  return packet;
}

/* Drops the packets that should have been shown before `time`, and returns the number of them with a frame to show since the
 * last one. */
static guint64
packets_drop_until (Packets *packets, GstClockTime time, PacketsErrors errors, gboolean *has_errors)
{
  const GstClockTime next = packets_get_end (packets), step = packets_get_step (packets);
  guint64 dropped = 0;

  for (GList *item = packets->queue.head, *following; item != NULL; item = following) {
    Packet *packet = item->data;

    following = item->next;
    if (!GST_CLOCK_TIME_IS_VALID (packet->time) || packet->time >= time)
      continue;
    if (packet->is_coded && GST_CLOCK_TIME_IS_VALID (next) && packet->time + step / 2 >= next) {
      dropped++;
      *has_errors |= errors.decoder != packet->errors.decoder;
    }
    g_free (packet);
    g_queue_delete_link (&packets->queue, item);
  }
  return dropped;
}

/* The same for packets that left the demuxer. A parser may have dropped some. */
static guint64
packets_drop_promised_until (Packets *packets, GstClockTime time, Promise *broken)
{
  const GstClockTime next = packets_get_end (packets), step = packets_get_step (packets);
  guint64 dropped = 0;
  guint kept = 0;

  for (guint i = 0; i < packets->promised->len; i++) {
    Promise promise = g_array_index (packets->promised, Promise, i);

    if (!GST_CLOCK_TIME_IS_VALID (time) || promise.time <= time) {
      broken->is_broken |= promise.is_broken;
      broken->is_discontinuous |= promise.is_discontinuous;
      promise.is_broken = promise.is_discontinuous = FALSE;
    }
    if (GST_CLOCK_TIME_IS_VALID (time) && promise.time + step / 2 >= time) {
      g_array_index (packets->promised, Promise, kept++) = promise;
    } else if (promise.is_coded && GST_CLOCK_TIME_IS_VALID (next) && promise.time + step / 2 >= next) {
      dropped++;
    }
  }
  g_array_set_size (packets->promised, kept);
  return dropped;
}

/* ---- frames ----------------------------------------------------------------------------------------------------------- */

guint64
packets_count (const Packets *packets)
{
  return packets->n_promised > 0 ? packets->n_promised : packets->count;
}

guint64
packets_count_lost (const Packets *packets)
{
  return packets->lost;
}

guint64
packets_count_frames (const Packets *packets)
{
  return packets->frames;
}

/* The demuxer is ahead of the decoder, and may have warned of the end before the decoder got its last packet. */
gboolean
packets_is_warned (const Packets *packets, PacketsErrors errors)
{
  return packets->count > 0 && errors.demuxer != (packets->n_promised > 0 ? packets->warnings : packets->latest.demuxer);
}

GstClockTime
packets_get_step (const Packets *packets)
{
  return MAX (packets->nominal, packets->step);
}

guint64
packets_estimate (const Packets *packets, guint64 frames, GstClockTime time)
{
  const guint64 count = MAX (1, frames), least = time > 0 ? 1 : 0;
  GstClockTime span, step = packets->nominal;

  if (!GST_CLOCK_TIME_IS_VALID (packets->time) || packets->time <= packets->first_time)
    return 0;
  span = packets->time - packets->first_time;
  if (step == 0 || count + MOST_LEFT_OUT < span / step)
    return MAX (least, gst_util_uint64_scale_round (time, count, span + span / count));
  return MAX (least, gst_util_uint64_scale_round (time, 1, step)) + MAX (count, gst_util_uint64_scale_round (span, 1, step) + 1)
         - count;
}

GstClockTime
packets_get_end (const Packets *packets)
{
  if (!GST_CLOCK_TIME_IS_VALID (packets->time))
    return GST_CLOCK_TIME_NONE;
  return packets->time + MAX (packets->duration, packets_get_step (packets));
}

GstClockTime
packets_get_stream_end (const Packets *packets)
{
  GstClockTime end = GST_CLOCK_TIME_NONE;

  if (GST_CLOCK_TIME_IS_VALID (packets->time))
    end = packets->time + MAX (packets->duration, packets->nominal);
  return packets_get_later (end, packets->promised_end);
}

static void
packets_add_cause (PacketsVerdict *verdict, const gchar *cause)
{
  if (verdict->cause[0] != '\0')
    g_strlcat (verdict->cause, "+", sizeof verdict->cause);
  g_strlcat (verdict->cause, cause, sizeof verdict->cause);
}

/* Returns the errors reported before the packets in the decoder and this one. A frame may be shown before frames of earlier
 * packets. */
static gint
packets_get_warnings (const Packets *packets, const Packet *packet)
{
  gint warnings = packet->errors.demuxer;

  for (const GList *item = packets->queue.head; item != NULL; item = item->next)
    warnings = MAX (warnings, ((const Packet *)item->data)->errors.demuxer);
  return warnings;
}

/* Handles packets without a frame of their timestamp. If the decoder reported no error, their frames may have other timestamps;
 * the number of frames at the end shows whether any are missing. */
static void
packets_suspect (Packets *packets, GstClockTime start, GstClockTime end, guint64 count)
{
  if (packets->suspects == 0)
    packets->suspect_start = start;
  packets->suspect_end = end;
  packets->suspects += count;
}

/* Returns whether a gap in the timestamps before this frame means missing frames. */
static gboolean
packets_reports_gap (const Packets *packets, const Packet *packet, const Promise *broken, PacketsErrors errors)
{
  return broken->is_discontinuous || errors.decoder != packets->packet.errors.decoder
         || (packets->traits & PACKETS_CONSTANT) != 0
         || ((packets->traits & PACKETS_TIMED) != 0
             && packets_get_warnings (packets, packet) != packets->packet.errors.demuxer);
}

static void
packets_find_missing (Packets *packets, const Packet *packet, GstClockTime time, PacketsErrors errors, PacketsVerdict *verdict)
{
  const GstClockTime next = packets_get_end (packets), step = packets_get_step (packets);
  gboolean has_errors = FALSE, has_gap, is_reported;
  Promise broken = { .is_broken = FALSE };
  const gboolean is_distance_known = packets->step > 0 || (packets->traits & PACKETS_CONSTANT) != 0;
  const guint64 promised = packets_drop_promised_until (packets, time, &broken);
  const guint64 undecoded = packets_drop_until (packets, time, errors, &has_errors);
  const guint64 dropped = has_errors ? MAX (promised, undecoded) : 0;

  if (!packets->is_settled || !GST_CLOCK_TIME_IS_VALID (next))
    return;
  has_gap = step > 0 && time >= next + step / 2;
  if (has_gap && !has_errors && MAX (promised, undecoded) > 0 && (packets->traits & PACKETS_FRAMED) != 0)
    packets_suspect (packets, next, time, MAX (promised, undecoded));
  is_reported = has_gap && is_distance_known && packets_reports_gap (packets, packet, &broken, errors);
  if (!is_reported && (!has_gap || dropped == 0)) {
    if (broken.is_broken) /* data is missing; the number of frames is unknown */
      packets_add_cause (verdict, "gap");
    return;
  }
  verdict->missing = MAX (dropped, is_reported ? MAX (1, gst_util_uint64_scale_round (time - next, 1, step)) : 0);
  verdict->start = next;
  packets->lost += verdict->missing - dropped;
  packets->undecoded += dropped;
  packets_add_cause (verdict, dropped > 0 ? "undecoded" : "gap");
}

/* The stream may be joined in the middle: the decoder reports errors from the first frame on. Frames up to the next key frame
 * are affected. */
static gboolean
packets_is_joined (Packets *packets)
{
  if (packets->frames > 1 || (packets->traits & PACKETS_FRAMED) != 0)
    return FALSE;
  packets->is_settled = packets->has_key = FALSE;
  packets->settle_time = GST_CLOCK_TIME_NONE;
  return TRUE;
}

PacketsVerdict
packets_take_frame (Packets *packets, GstBuffer *frame, PacketsErrors errors)
{
  const GstClockTime time = GST_BUFFER_PTS (frame);
  const Packet packet = packets_pop (packets, time);
  PacketsVerdict verdict = { FALSE, 0, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, "" };

  packets->frames++;
  if (!packets->is_settled && GST_CLOCK_TIME_IS_VALID (packets->settle_time)
      && (!GST_CLOCK_TIME_IS_VALID (time) || time >= packets->settle_time)) {
    packets->is_settled = TRUE;
    packets->settled_errors = errors.decoder;
  }
  if (GST_CLOCK_TIME_IS_VALID (time))
    packets_find_missing (packets, &packet, time, errors, &verdict);
  if (packets->is_settled && errors.decoder > MAX (packet.errors.decoder, packets->settled_errors)) {
    verdict.is_damaged = !packets_is_joined (packets);
    if (verdict.is_damaged)
      packets_add_cause (&verdict, "decoder");
  } else if (packet.is_corrupted || packet.is_blank) {
    verdict.is_damaged = TRUE;
    packets_add_cause (&verdict, packet.is_blank ? "zeros" : "flagged");
  }
  if (verdict.missing == 0 && GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (packets->time) && time > packets->time)
    packets->step = time - packets->time;
  packets->time = time;
  packets->first_time = MIN (packets->first_time, time); /* GST_CLOCK_TIME_NONE is the largest */
  packets->duration = GST_BUFFER_DURATION_IS_VALID (frame) ? GST_BUFFER_DURATION (frame) : 0;
  packets->packet = packet;
  return verdict;
}

PacketsVerdict
packets_finish (Packets *packets, PacketsErrors errors)
{
  PacketsVerdict verdict = { FALSE, 0, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, "" };
  gboolean has_errors = FALSE;
  Promise broken = { .is_broken = FALSE };
  const guint64 promised = packets_drop_promised_until (packets, GST_CLOCK_TIME_NONE, &broken);
  const guint64 undecoded = packets_drop_until (packets, GST_CLOCK_TIME_NONE, errors, &has_errors);
  const guint64 coded = MAX (packets->coded, packets->coded_promised);

  verdict.start = packets_get_end (packets);
  if (has_errors) {
    verdict.missing = MAX (promised, undecoded);
    packets_add_cause (&verdict, "decoder+undecoded");
    return verdict;
  }
  if (MAX (promised, undecoded) > 0 && (packets->traits & PACKETS_FRAMED) != 0)
    packets_suspect (packets, verdict.start, GST_CLOCK_TIME_NONE, MAX (promised, undecoded));
  if (coded > packets->frames + packets->undecoded)
    verdict.missing = MIN (packets->suspects, coded - packets->frames - packets->undecoded);
  if (verdict.missing > 0) {
    verdict.start = packets->suspect_start;
    verdict.end = packets->suspect_end;
    packets_add_cause (&verdict, "undecoded");
  }
  return verdict;
}
