/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "damage/damage.h"

#include <gst/video/video.h>
#include <string.h>

#include "damage/blank.h"
#include "damage/bounds.h"
#include "damage/boundsstream.h"
#include "damage/damagelog.h"
#include "damage/extent.h"
#include "damage/packets.h"

/* Without a warning of the demuxer, the smallest gap at the end of a film, and the largest part of the film that is left. */
#define LEAST_CUT (GST_SECOND / 2)
#define MOST_COMPLETE 0.95

/* The bytes that a demuxer receives. A demuxer that is connected to a file reads them itself. */
typedef struct {
  BoundsStream *stream;              /* NULL: none so far */
  gboolean is_incomplete, has_ended; /* bytes are missing before the end; the source has sent all */
} Input;

struct _Damage {
  gchar *path;
  gint is_part;          /* atomic: the end of the film is not measured */
  gboolean has_pictures; /* their source reports missing ones */
  DamageLog *log;
  Extent *extent;      /* of all streams that leave the demuxer */
  GMutex lock;         /* for the members below */
  GHashTable *streams; /* stream identifier: Packets, for each video stream */
  guint64 frames;      /* measured frames */
  guint64 reported;    /* missing frames in events so far */
  gchar *container;    /* the demuxer's name */
  Input input;         /* of the first demuxer */
  gchar *cut, *joined;
  gboolean is_unmarked;
};

/* A pad of a demuxer or decoder. */
typedef struct {
  Damage *damage;
  Packets *packets; /* of its stream; NULL: unknown so far */
} Watch;

static void
watch_add_probe (Damage *damage, GstPad *pad, GstPadProbeType type, GstPadProbeCallback callback)
{
  const Watch watch = { damage, NULL };

  gst_pad_add_probe (pad, type, callback, g_memdup2 (&watch, sizeof watch), g_free);
}

/* With the lock. */
static PacketsTraits
damage_get_traits (const Damage *damage)
{
  static const gchar *const constant[] = { "oggdemux", "mxfdemux", NULL };

  if (damage->container == NULL || g_str_equal (damage->container, "mpegpsdemux")) /* its timestamps are made by parsers */
    return 0;
  if (g_str_equal (damage->container, "tsdemux"))
    return PACKETS_TIMED;
  return PACKETS_FRAMED | PACKETS_TIMED | (g_strv_contains (constant, damage->container) ? PACKETS_CONSTANT : 0);
}

/* With the lock. */
static Packets *
damage_get_packets (Damage *damage, GstPad *pad)
{
  g_autofree gchar *id = gst_pad_get_stream_id (pad);
  const gchar *key = id != NULL ? id : "";
  Packets *packets = g_hash_table_lookup (damage->streams, key);

  if (packets == NULL) {
    packets = packets_new (damage_get_traits (damage));
    g_hash_table_insert (damage->streams, g_strdup (key), packets);
  }
  return packets;
}

/* With the lock. */
static Packets *
watch_get_packets (Watch *watch, GstPad *pad)
{
  if (watch->packets == NULL)
    watch->packets = damage_get_packets (watch->damage, pad);
  return watch->packets;
}

static PacketsErrors
damage_get_errors (Damage *damage)
{
  return (PacketsErrors){ damage_log_get_errors (damage->log), damage_log_get_warnings (damage->log) };
}

/* ---- the decoder ------------------------------------------------------------------------------------------------------ */

static void
watch_add_packet (Watch *watch, GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const gboolean is_blank = blank_check_packet (buffer, caps);

  g_mutex_lock (&watch->damage->lock);
  packets_add (watch_get_packets (watch, pad), buffer, is_blank, damage_get_errors (watch->damage));
  g_mutex_unlock (&watch->damage->lock);
}

static GstPadProbeReturn
watch_take_packets (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBufferList *list;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    watch_add_packet (user_data, pad, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  }
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    watch_add_packet (user_data, pad, gst_buffer_list_get (list, i));
  return GST_PAD_PROBE_OK;
}

GstEvent *
damage_make_event (const gchar *cause, guint64 missing, GstClockTime start, GstClockTime end)
{
  GstStructure *structure
      = gst_structure_new (DAMAGE_EVENT, "cause", G_TYPE_STRING, cause, "missing", G_TYPE_UINT64, missing, NULL);

  if (GST_CLOCK_TIME_IS_VALID (start))
    gst_structure_set (structure, "start", G_TYPE_UINT64, start, NULL);
  if (GST_CLOCK_TIME_IS_VALID (end))
    gst_structure_set (structure, "end", G_TYPE_UINT64, end, NULL);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, structure);
}

static void
watch_take_rate (Watch *watch, GstPad *pad, GstEvent *event)
{
  GstCaps *caps;
  gint n = 0, d = 1;

  gst_event_parse_caps (event, &caps);
  gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  g_mutex_lock (&watch->damage->lock);
  packets_set_rate (watch_get_packets (watch, pad), n, d);
  g_mutex_unlock (&watch->damage->lock);
}

static GstPadProbeReturn
watch_take_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Watch *watch = user_data;
  PacketsVerdict verdict = { .cause = "" };

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

    if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
      watch_take_rate (watch, pad, event);
    return GST_PAD_PROBE_OK;
  }
  g_mutex_lock (&watch->damage->lock);
  verdict = packets_take_frame (watch_get_packets (watch, pad), GST_PAD_PROBE_INFO_BUFFER (info),
                                damage_get_errors (watch->damage));
  watch->damage->reported += verdict.missing;
  g_mutex_unlock (&watch->damage->lock);
  if (watch->damage->has_pictures) {
    verdict.missing = 0;
    verdict.start = GST_CLOCK_TIME_NONE;
  }
  if (verdict.cause[0] != '\0')
    gst_pad_push_event (pad, damage_make_event (verdict.cause, verdict.missing, verdict.start, GST_CLOCK_TIME_NONE));
  if (verdict.is_damaged) {
    GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));

    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  return GST_PAD_PROBE_OK;
}

static void
damage_watch_decoder (Damage *damage, GstElement *decoder)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder, "sink"), src = gst_element_get_static_pad (decoder, "src");

  if (sink == NULL || src == NULL)
    return;
  damage_log_watch_decoder (damage->log, decoder);
  watch_add_probe (damage, sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, watch_take_packets);
  watch_add_probe (damage, src, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_take_frame);
}

/* ---- the demuxer ------------------------------------------------------------------------------------------------------ */

static GstPadProbeReturn
watch_take_promise (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Watch *watch = user_data;

  damage_log_enter_demuxer (watch->damage->log);
  g_mutex_lock (&watch->damage->lock);
  packets_promise (watch_get_packets (watch, pad), GST_PAD_PROBE_INFO_BUFFER (info), damage_get_errors (watch->damage));
  g_mutex_unlock (&watch->damage->lock);
  return GST_PAD_PROBE_OK;
}

static void
damage_take_stream (GstElement *demuxer G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  Damage *damage = user_data;

  if (gst_pad_get_direction (pad) != GST_PAD_SRC)
    return;
  extent_watch_other (damage->extent, pad);
  watch_add_probe (damage, pad, GST_PAD_PROBE_TYPE_BUFFER, watch_take_promise);
}

static void
input_take_event (Input *input, GstPad *pad, GstEvent *event)
{
  const GstSegment *segment;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_SEGMENT:
    gst_event_parse_segment (event, &segment);
    input->is_incomplete |= segment->format != GST_FORMAT_BYTES || segment->start != bounds_stream_get_size (input->stream);
    break;
  case GST_EVENT_EOS: /* also sent if the demuxer refuses data */
    input->has_ended = GST_PAD_LAST_FLOW_RETURN (pad) == GST_FLOW_OK;
    break;
  default:
    break;
  }
}

static GstPadProbeReturn
damage_take_input (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Damage *damage = user_data;

  g_mutex_lock (&damage->lock);
  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    bounds_stream_push (damage->input.stream, GST_PAD_PROBE_INFO_BUFFER (info));
  else if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) != 0)
    input_take_event (&damage->input, pad, GST_PAD_PROBE_INFO_EVENT (info));
  else
    damage->input.is_incomplete = TRUE; /* sources push no lists */
  g_mutex_unlock (&damage->lock);
  return GST_PAD_PROBE_OK;
}

/* With the lock. */
static void
damage_watch_input (Damage *damage, GstElement *demuxer)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (demuxer, "sink");

  if (damage->input.stream != NULL || pad == NULL)
    return;
  damage->input.stream = bounds_stream_new ();
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH, damage_take_input, damage, NULL);
}

static void
damage_watch_demuxer (Damage *damage, GstElement *demuxer)
{
  g_mutex_lock (&damage->lock);
  damage_watch_input (damage, demuxer);
  g_free (damage->container);
  damage->container = g_strdup (GST_OBJECT_NAME (gst_element_get_factory (demuxer)));
  g_mutex_unlock (&damage->lock);
  damage_log_watch_demuxer (damage->log, demuxer);
  g_signal_connect (demuxer, "pad-added", G_CALLBACK (damage_take_stream), damage);
}

static void
damage_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const GstElementFactoryListType media = GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE;

  if (factory == NULL || GST_IS_BIN (element))
    return;
  if (gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER | media)
      && gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DECODER))
    damage_watch_decoder (user_data, element);
  else if (gst_element_factory_list_is_type (factory, GST_ELEMENT_FACTORY_TYPE_DEMUXER))
    damage_watch_demuxer (user_data, element);
}

/* ---- the end ---------------------------------------------------------------------------------------------------------- */

/* Returns whether the demuxer ends all streams together, and has the film's own duration. */
static gboolean
damage_has_duration (const Damage *damage)
{
  static const gchar *const names[] = { "matroskademux", "flvdemux", "mxfdemux", "asfdemux", NULL };

  return damage->container != NULL && g_strv_contains (names, damage->container);
}

/* Returns the end of the film on the time scale of its duration. Matroska's counts from timestamp 0, others' from the first
 * frame, and some muxers mix them up. Takes the later one, so that no frame is reported missing wrongly. Call it with the
 * lock. */
static GstClockTime
damage_find_end (const Damage *damage)
{
  const GstClockTime end = extent_get_end (damage->extent), latest = extent_get_timestamps_end (damage->extent);

  if (!damage_has_duration (damage) || !GST_CLOCK_TIME_IS_VALID (end) || !GST_CLOCK_TIME_IS_VALID (latest))
    return end;
  return MAX (end, latest);
}

/* Returns the film's duration in ns; 0: unknown. */
static GstClockTime
damage_get_duration (const Damage *damage, GstPad *pad, const Bounds *bounds)
{
  gint64 duration = 0;

  if (g_strcmp0 (damage->container, "avidemux") == 0)
    return bounds->duration;
  if (!damage_has_duration (damage) || !gst_pad_peer_query_duration (pad, GST_FORMAT_TIME, &duration))
    return 0;
  return (GstClockTime)MAX (0, duration);
}

/* Returns the time missing at the film's end, in ns, according to its duration; GST_CLOCK_TIME_NONE: unknown. Without other
 * evidence, the duration may be approximate. If another stream reaches it, such as a long subtitle, it may not be the
 * video's. */
static GstClockTime
damage_get_missing_time (Damage *damage, GstPad *pad, const Bounds *bounds, gboolean is_certain)
{
  const gboolean is_cut = bounds->is_cut || bounds->broken > 0;
  const GstClockTime duration = damage_get_duration (damage, pad, bounds);
  const Packets *video = damage_get_packets (damage, pad);
  const GstClockTime step = packets_get_step (video), video_end = packets_get_stream_end (video);
  GstClockTime missing, video_missing, end = damage_find_end (damage);

  if (duration == 0 || !GST_CLOCK_TIME_IS_VALID (end))
    return GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (video_end))
    end = MAX (end, video_end); /* FLV's packets have no duration */
  if (end > duration + LEAST_CUT)
    return GST_CLOCK_TIME_NONE;
  missing = duration - MIN (duration, end);
  if (!is_certain)
    return missing > LEAST_CUT && (gdouble)end < MOST_COMPLETE * (gdouble)duration ? missing : 0;
  if (is_cut && GST_CLOCK_TIME_IS_VALID (video_end)) {
    video_missing = duration - MIN (duration, video_end);
    if (video_missing > LEAST_CUT && missing + step / 4 < step)
      return GST_CLOCK_TIME_NONE;
    missing = video_missing;
  }
  return missing + step / 4 >= step ? missing : 0;
}

typedef struct {
  GString *cause;
  guint64 missing;
  GstClockTime start, end; /* timestamps */
} DamageEnd;

static void
damage_add_cause (DamageEnd *end, const gchar *cause)
{
  g_string_append_printf (end->cause, "%s%s", end->cause->len > 0 ? "+" : "", cause);
}

/* Returns the duration of the frames cut off after `start`, a timestamp: `time`, from their number, limited by the film's end.
 * If the header has that duration itself, the demuxer may only know the existing part. */
static GstClockTime
damage_get_cut_time (GstPad *pad, const Bounds *bounds, GstClockTime start, GstClockTime time)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  GstClockTime begin = start;
  gint64 duration = 0;

  if (bounds->duration > 0)
    duration = (gint64)bounds->duration;
  else if (!gst_pad_peer_query_duration (pad, GST_FORMAT_TIME, &duration))
    return time;
  if (event != NULL) {
    gst_event_parse_segment (event, &segment);
    begin = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, start);
  }
  if (!GST_CLOCK_TIME_IS_VALID (begin) || duration <= 0 || (GstClockTime)duration <= begin)
    return time;
  return bounds->duration > 0 ? (GstClockTime)duration - begin : MIN (time, (GstClockTime)duration - begin);
}

/* With the lock. */
static void
damage_check_cut (Damage *damage, GstPad *pad, const Bounds *bounds, DamageEnd *end)
{
  const Packets *video = damage_get_packets (damage, pad);
  const GstClockTime step = packets_get_step (video);
  const guint64 found = damage->frames + damage->reported + end->missing;
  const guint64 packets = bounds->is_edited /* packets before the edit are decoded and skipped */
                              ? found
                              : MAX (packets_count (video), damage->frames) + packets_count_lost (video);
  const gboolean is_cut = bounds->is_cut || bounds->broken > 0,
                 is_certain = is_cut || packets_is_warned (video, damage_get_errors (damage));
  const GstClockTime time = damage_get_missing_time (damage, pad, bounds, is_certain);
  const gboolean is_unknown = !GST_CLOCK_TIME_IS_VALID (time);
  guint64 missing = 0;

  if (bounds->frames > 0 || (is_unknown && !is_cut)) {
    if (!is_cut || bounds->frames <= packets)
      return;
    missing = bounds->frames - MIN (bounds->frames, MAX (packets, found));
  } else if (!is_unknown) {
    if (time == 0 && !is_cut)
      return;
    missing = packets_estimate (video, found, time);
    if (time == 0 && missing == 0 && bounds->duration > 0) /* the whole video is there */
      return;
  }
  damage_add_cause (end, "cut");
  end->missing += missing;
  if (GST_CLOCK_TIME_IS_VALID (end->start) && missing > 0)
    end->end = end->start + damage_get_cut_time (pad, bounds, end->start, missing * step);
  if (bounds->broken > 0)
    damage->cut = g_strdup_printf ("is damaged at byte %" G_GUINT64_FORMAT ": the rest is not measured", bounds->broken);
  else if (missing > 0)
    damage->cut = g_strdup_printf ("is shorter than its header says: %s%" G_GUINT64_FORMAT " of its frames %s missing",
                                   bounds->frames > packets && !bounds->is_estimate ? "" : "about ", missing,
                                   missing == 1 ? "is" : "are");
  else
    damage->cut = g_strdup ("is shorter than its header says; the number of missing frames is unknown");
}

/* The header packets of a second film in Ogg may have reached the decoder; they are not missing frames. Call it with the
 * lock. */
static void
damage_check_links (const Damage *damage, Bounds *bounds, PacketsVerdict *verdict)
{
  const guint64 frames = damage->frames + damage->reported + verdict->missing;
  guint64 before, start = bounds_find_mixed (bounds, damage->frames, &before);
  const gboolean is_mixed = start > 0;

  if (!is_mixed)
    start = bounds_find_unmeasured (bounds, frames, &before);
  bounds_clear (bounds);
  if (start == 0)
    return;
  bounds->joined = start;
  bounds->is_partial = is_mixed && damage->frames > before;
  if (frames > before)
    verdict->missing -= MIN (verdict->missing, frames - before);
  else if (is_mixed) /* the end of the first film is lost too */
    verdict->missing += before - frames;
  if (verdict->missing == 0)
    verdict->cause[0] = '\0';
}

static Bounds
damage_read_bounds (Damage *damage)
{
  Bounds bounds = { 0 };

  if (damage->path != NULL && g_file_test (damage->path, G_FILE_TEST_IS_REGULAR))
    return bounds_read (damage->path);
  g_mutex_lock (&damage->lock);
  if (damage->input.has_ended && !damage->input.is_incomplete)
    bounds = bounds_read_stream (damage->input.stream);
  g_mutex_unlock (&damage->lock);
  return bounds;
}

static void
damage_check_end (Damage *damage, GstPad *pad)
{
  Bounds bounds = damage_read_bounds (damage);
  DamageEnd end = { g_string_new (NULL), 0, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE };
  PacketsVerdict verdict;

  g_mutex_lock (&damage->lock);
  verdict = packets_finish (damage_get_packets (damage, pad), damage_get_errors (damage));
  damage_check_links (damage, &bounds, &verdict);
  if (!damage->has_pictures) {
    end.start = verdict.start;
    end.end = verdict.end;
    end.missing = verdict.missing;
  }
  if (verdict.cause[0] != '\0')
    damage_add_cause (&end, verdict.cause);
  damage_check_cut (damage, pad, &bounds, &end);
  damage->is_unmarked = damage->cut == NULL && bounds.is_unmarked;
  if (bounds.joined > 0) {
    damage_add_cause (&end, "joined");
    damage->joined = g_strdup_printf ("ends at byte %" G_GUINT64_FORMAT ", where another film begins that is not measured%s",
                                      bounds.joined, bounds.is_partial ? " completely" : "");
  }
  g_mutex_unlock (&damage->lock);
  if (end.cause->len > 0)
    gst_pad_send_event (pad, damage_make_event (end.cause->str, end.missing, end.start, end.end));
  g_string_free (end.cause, TRUE);
}

static GstPadProbeReturn
damage_take_measured (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Damage *damage = user_data;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) == 0) {
    g_mutex_lock (&damage->lock);
    damage->frames++;
    g_mutex_unlock (&damage->lock);
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS && !g_atomic_int_get (&damage->is_part)) {
    damage_check_end (damage, pad);
  }
  return GST_PAD_PROBE_OK;
}

/* ---- life cycle ------------------------------------------------------------------------------------------------------- */

Damage *
damage_new (GstElement *pipeline, GstPad *pad, const gchar *path, gboolean is_alone)
{
  Damage *damage = g_new0 (Damage, 1);

  g_mutex_init (&damage->lock);
  damage->path = g_strdup (path);
  damage->log = damage_log_new ();
  if (!is_alone)
    damage_log_expect_foreign (damage->log);
  damage->extent = extent_new ();
  damage->streams = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)packets_free);
  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (damage_take_element), damage);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, damage_take_measured, damage, NULL);
  return damage;
}

void
damage_set_pictures (Damage *damage)
{
  damage->has_pictures = TRUE;
}

void
damage_set_part (Damage *damage)
{
  g_atomic_int_set (&damage->is_part, TRUE);
}

void
damage_free (Damage *damage)
{
  damage_log_free (damage->log);
  extent_free (damage->extent);
  g_hash_table_unref (damage->streams);
  g_mutex_clear (&damage->lock);
  g_clear_pointer (&damage->input.stream, bounds_stream_free);
  g_free (damage->container);
  g_free (damage->path);
  g_free (damage->cut);
  g_free (damage->joined);
  g_free (damage);
}

GstClockTime
damage_get_end (Damage *damage)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&damage->lock);

  return damage_find_end (damage);
}

const gchar *
damage_get_cut (Damage *damage)
{
  return damage->cut;
}

guint64
damage_find_mixed (const Damage *damage)
{
  g_auto (Bounds) bounds = damage->path != NULL ? bounds_read (damage->path) : (Bounds){ 0 };
  guint64 before;

  return bounds_find_mixed (&bounds, 0, &before);
}

const gchar *
damage_get_joined (Damage *damage)
{
  return damage->joined;
}

gboolean
damage_is_unmarked (Damage *damage)
{
  return damage->is_unmarked;
}
