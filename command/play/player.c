/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/player.h"

#include <gio/gio.h>
#include <gst/pbutils/pbutils.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "decoding/choice.h"
#include "decoding/edits.h"
#include "decoding/ending.h"
#include "decoding/times.h"
#include "decoding/track.h"
#include "decoding/watch.h"
#include "common/interrupt.h"
#include "common/location.h"
#include "play/missing.h"
#include "play/picturesource.h"
#include "play/playerprivate.h"

#define PROGRESS_MS 100
#define BLOCK_BYTES (1 << 20)
#define DROPS_INTERVAL_US G_USEC_PER_SEC /* between two of these warnings */
#define UNKNOWN_FRAMES (G_GUINT64_CONSTANT (1) << 30)
#define START_MS 3000 /* to wait for a start that was cancelled; after a signal, interrupt_limit() of this and the next two */
#define DURATION_MS 1000
#define STOP_MS 4000
#define BUFFERS_AHEAD 4 /* frames decoded ahead */

/* ---- the pipeline's threads ---------------------------------------------------------------------------------------- */

/* Exposes sound, subtitles and data undecoded. The first call is for the container. */
static gboolean
player_wants (GstElement *source G_GNUC_UNUSED, GstPad *pad G_GNUC_UNUSED, GstCaps *caps, gpointer user_data)
{
  Player *player = user_data;

  g_mutex_lock (&player->lock);
  if (player->container == NULL)
    player->container = g_strdup (gst_structure_get_name (gst_caps_get_structure (caps, 0)));
  g_mutex_unlock (&player->lock);
  return !decoding_track_is_other (caps);
}

static void
player_note_hidden (Player *player)
{
  g_mutex_lock (&player->lock);
  player->has_hidden = TRUE;
  g_mutex_unlock (&player->lock);
}

static void
player_take_unknown (GstElement *source G_GNUC_UNUSED, GstPad *pad G_GNUC_UNUSED, GstCaps *caps G_GNUC_UNUSED,
                     gpointer user_data)
{
  player_note_hidden (user_data);
}

static void
player_post_note (Player *player, const gchar *note)
{
  gst_bus_post (player->bus, gst_message_new_application (GST_OBJECT (player->pipeline), gst_structure_new_empty (note)));
}

/* A film may have several parts, each with its own pads: the pipeline ends when all sinks have ended. */
static void
player_end_drain (GstPad *pad, GstPad *peer G_GNUC_UNUSED, gpointer user_data G_GNUC_UNUSED)
{
  gst_pad_send_event (pad, gst_event_new_eos ());
}

/* The last part of a film, such as joined Ogg files, may have no video; its end then ends the video. If no part has video, the
 * film has none. */
static GstPadProbeReturn
player_take_drained (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  Player *player = user_data;
  g_autoptr (GstPad) sink = NULL;
  GstEvent *eos;
  gboolean has_video;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&player->lock);
  has_video = player->videos > 0;
  sink = gst_element_get_static_pad (player->queue, "sink");
  g_mutex_unlock (&player->lock);
  if (!has_video) {
    player_post_note (player, "no-video");
  } else if (!gst_pad_is_linked (sink)) {
    eos = gst_event_new_eos ();
    gst_event_set_seqnum (eos, gst_event_get_seqnum (GST_PAD_PROBE_INFO_EVENT (info)));
    gst_pad_send_event (sink, eos);
  }
  return GST_PAD_PROBE_OK;
}

/* Reads an unused stream to its end, to check whether the film is complete. No thread waits for it. */
static void
player_drain (Player *player, GstPad *pad)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  g_autoptr (GstPad) sink_pad = gst_element_get_static_pad (sink, "sink");

  decoding_prepare_sink (sink, FALSE);
  extent_watch_other (player->extent, sink_pad);
  watchdog_watch (player->watchdog, sink_pad);
  g_signal_connect (sink_pad, "unlinked", G_CALLBACK (player_end_drain), NULL);
  gst_bin_add (GST_BIN (player->pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, player_take_drained, player, NULL);
  gst_pad_link (pad, sink_pad);
}

/* Answers a decoder's caps query: the raw video that the element counts. Otherwise a decoder may leave the GPU needlessly. */
static gboolean
player_answer (GstElement *source G_GNUC_UNUSED, GstPad *pad G_GNUC_UNUSED, GstElement *element G_GNUC_UNUSED, GstQuery *query,
               gpointer user_data)
{
  Player *player = user_data;
  g_autoptr (GstPad) sink = gst_element_get_static_pad (player->histo, "sink");
  g_autoptr (GstCaps) caps = NULL;
  GstCaps *filter;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return FALSE;
  gst_query_parse_caps (query, &filter);
  if (filter == NULL || gst_caps_is_any (filter) || gst_caps_is_empty (filter)
      || !gst_structure_has_name (gst_caps_get_structure (filter, 0), "video/x-raw"))
    return FALSE;
  caps = gst_pad_query_caps (sink, filter);
  gst_query_set_caps_result (query, caps);
  return TRUE;
}

static void
player_link_video (Player *player, GstPad *pad)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (player->queue, "sink");

  g_mutex_lock (&player->lock);
  if (gst_pad_is_linked (sink)) {
    player->has_hidden = TRUE;
    player_post_note (player, "another-video");
  } else {
    player->videos++;
    if (GST_PAD_LINK_FAILED (gst_pad_link (pad, sink)))
      player_post_note (player, "other-memory");
  }
  g_mutex_unlock (&player->lock);
}

static void
player_take_pad (GstElement *source G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  Player *player = user_data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const gchar *name;

  if (caps == NULL)
    caps = gst_pad_query_caps (pad, NULL);
  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps)) {
    player_drain (player, pad);
    return;
  }
  name = gst_structure_get_name (gst_caps_get_structure (caps, 0));
  if (g_str_equal (name, "video/x-raw")) {
    player_link_video (player, pad);
    return;
  }
  g_mutex_lock (&player->lock);
  if (player->other_media == NULL)
    player->other_media = gst_pb_utils_get_codec_description (caps);
  g_mutex_unlock (&player->lock);
  player_drain (player, pad);
}

/* Joined Ogg files may begin with one without video. If the input is a file, player_take_drained() decides at its end. A radio
 * station may never end. Call it with the lock. */
static gboolean
player_may_have_video_later (Player *player, GstElement *source)
{
  g_autofree gchar *uri = NULL;

  if (player->other_media == NULL || !player_is_ogg (player) || player->sequence != NULL)
    return FALSE;
  g_object_get (source, "uri", &uri, NULL);
  return uri != NULL && gst_uri_has_protocol (uri, "file");
}

static void
player_check_pads (GstElement *source, gpointer user_data)
{
  Player *player = user_data;
  gboolean has_video;

  g_mutex_lock (&player->lock);
  player->awaits_video |= player_may_have_video_later (player, source);
  has_video = player->videos > 0 || player->awaits_video;
  g_mutex_unlock (&player->lock);
  if (!has_video)
    player_post_note (player, "no-video");
}

/* ---- a part of the film ------------------------------------------------------------------------------------------------ */

/* In other containers, times may depend on where reading begins. A server may fail at a seek. */
static gboolean
player_arrange_seek (gpointer data)
{
  static const gchar *const media[] = { "video/quicktime", "video/webm", "video/x-matroska", "video/x-matroska-3d", NULL };
  Player *player = data;
  g_autofree gchar *uri = NULL;
  gboolean is_possible;

  if (player->sequence == NULL)
    g_object_get (player->source, "uri", &uri, NULL);
  g_mutex_lock (&player->lock);
  is_possible = uri != NULL && (gst_uri_has_protocol (uri, "file") || gst_uri_has_protocol (uri, "fd"))
                && player->container != NULL && g_strv_contains (media, player->container);
  g_mutex_unlock (&player->lock);
  is_possible = is_possible && !edit_list_is_fragmented (player->edits);
  if (is_possible)
    player_post_note (player, "seek");
  return is_possible;
}

/* Nothing is missing at the end of a part. */
static void
player_prepare_part_end (gpointer data)
{
  Player *player = data;

  g_atomic_int_set (&player->is_part_over, TRUE);
  if (player->damage != NULL)
    damage_set_part (player->damage);
}

static void
player_end_part (gpointer data)
{
  player_post_note (data, "part-end");
}

static void
player_limit_part (Player *player)
{
  const PartCallbacks callbacks = { player_arrange_seek, player_prepare_part_end, player_end_part, player };
  g_autoptr (GstPad) pad = gst_element_get_static_pad (player->queue, "src");

  if (player->options.part == NULL)
    return;
  watchdog_watch (player->watchdog, pad);
  player->part = part_new (player->pipeline, pad, player->options.part, &callbacks);
  if (GST_CLOCK_TIME_IS_VALID (player->options.part->from) && player->damage != NULL)
    damage_set_part (player->damage);
}

static void
player_seek (gpointer data)
{
  Player *player = data;

  part_seek (player->part);
}

/* Waits for the last seek. */
static void
player_finish_seek (Player *player)
{
  if (player->seek != NULL)
    player->is_abandoned = !detached_wait (g_steal_pointer (&player->seek), interrupt_limit (START_MS)) || player->is_abandoned;
}

static void
player_start_seek (Player *player)
{
  player_finish_seek (player);
  if (!player->is_abandoned)
    player->seek = detached_start (player_seek, player);
}

/* ---- construction -------------------------------------------------------------------------------------------------- */

static GstElement *
player_make_byte_source (Player *player, const gchar *uri, GError **error)
{
  g_autoptr (GError) reason = NULL;
  GstElement *source = gst_element_make_from_uri (GST_URI_SRC, uri, NULL, &reason);

  if (source == NULL) {
    g_autofree gchar *protocol = gst_uri_get_protocol (uri);
    GstMessage *missing = gst_missing_uri_source_message_new (player->pipeline, protocol);
    g_autofree gchar *what = missing_describe (missing);

    gst_message_unref (missing);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "\"%s\" needs a plugin that is not installed: %s.", player->name, what);
    return NULL;
  }
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (source), "blocksize") != NULL)
    g_object_set (source, "blocksize", BLOCK_BYTES, NULL);
  return source;
}

static GstElement *
player_make_decoder (Player *player, const gchar *uri, GError **error)
{
  const gchar *factory = player->sequence != NULL ? "decodebin" : "uridecodebin";
  GstElement *source = gst_element_factory_make (factory, NULL);

  if (source == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 "GStreamer cannot decode anything: its element %s is not installed (Debian package "
                 "gstreamer1.0-plugins-base).",
                 factory);
    return NULL;
  }
  if (player->sequence == NULL)
    g_object_set (source, "uri", uri, NULL);
  g_signal_connect (source, "autoplug-continue", G_CALLBACK (player_wants), player);
  g_signal_connect (source, "autoplug-query", G_CALLBACK (player_answer), player);
  g_signal_connect (source, "pad-added", G_CALLBACK (player_take_pad), player);
  g_signal_connect (source, "unknown-type", G_CALLBACK (player_take_unknown), player);
  g_signal_connect (source, "no-more-pads", G_CALLBACK (player_check_pads), player);
  decoding_watch (player->pipeline, source);
  return source;
}

static gboolean
player_build (Player *player, const gchar *uri, GError **error)
{
  g_autofree gchar *path = NULL, *reference = NULL;
  g_autoptr (GstPad) pad = NULL;

  player->sink = gst_element_factory_make ("fakesink", NULL);
  player->queue = player->options.is_bytes ? NULL : gst_element_factory_make ("queue", NULL);
  gst_bin_add_many (GST_BIN (player->pipeline), player->histo, player->sink, NULL);
  decoding_prepare_sink (player->sink, player->options.is_live);
  if (player->options.is_of_keys)
    player->keys = key_frames_new (player->pipeline, player->queue);
  if (player->options.is_bytes)
    player->source = player_make_byte_source (player, uri, error);
  else
    player->source = player_make_decoder (player, uri, error);
  if (player->source == NULL)
    return FALSE;
  if (!player->options.is_live)
    decoding_choose_clock (player->pipeline, uri);
  gst_bin_add (GST_BIN (player->pipeline), player->source);
  player->duration = duration_new (player->options.is_bytes ? player->source : player->pipeline,
                                   player->options.is_bytes ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
  if (player->pictures != NULL) {
    gst_bin_add (GST_BIN (player->pipeline), player->pictures);
    gst_element_link (player->pictures, player->source);
  }
  gst_element_link (player->histo, player->sink);
  pad = gst_element_get_static_pad (player->histo, "sink"); /* a stop does not overtake counted frames there */
  watchdog_watch (player->watchdog, pad);
  if (player->queue == NULL)
    return gst_element_link (player->source, player->histo);
  extent_watch_video (player->extent, pad);
  path = uri != NULL && player->fd < 0 ? g_filename_from_uri (uri, NULL, NULL) : NULL;
  g_object_get (player->histo, "reference-location", &reference, NULL);
  if (!player->options.is_of_keys)
    player->damage = damage_new (player->pipeline, pad, path, reference == NULL);
  if (player->pictures != NULL) {
    g_autoptr (GstPad) pictures = gst_element_get_static_pad (player->queue, "sink"); /* also those before a part */

    picture_source_watch (player->pictures, pictures);
    if (player->damage != NULL)
      damage_set_pictures (player->damage);
  }
  g_object_set (player->queue, "max-size-buffers", BUFFERS_AHEAD, "max-size-bytes", 0, "max-size-time", G_GUINT64_CONSTANT (0),
                NULL);
  gst_bin_add (GST_BIN (player->pipeline), player->queue);
  player_limit_part (player);
  return gst_element_link (player->queue, player->histo);
}

Player *
player_new (const gchar *where, GstElement *histo, const PlayerOptions *options, GError **error)
{
  Player *player = g_new0 (Player, 1);
  g_autofree gchar *uri = NULL;
  gboolean is_open;

  g_mutex_init (&player->lock);
  player->name = location_name (where);
  player->where = g_strdup (where);
  player->options = *options;
  player->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  player->histo = histo;
  player->extent = extent_new ();
  player->watchdog = watchdog_new (player->pipeline);
  player->animation = animation_new (player->pipeline);
  player->edits = edit_list_new (player->pipeline);
  player->declaration = declaration_watch_new (player->pipeline);
  player->bus = gst_pipeline_get_bus (GST_PIPELINE (player->pipeline));
  player->loop = g_main_loop_new (NULL, FALSE);
  if (options->message != NULL)
    player->backlog = backlog_new (player->bus, histo);
  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (player->pipeline), FALSE);
  player->fd = -1;
  if (!options->is_bytes && sequence_is_location (where))
    is_open = player_open_sequence (player, where, error);
  else
    is_open = (uri = location_get_uri (where, options->is_bytes, &player->fd, error)) != NULL;
  if (is_open && player->sequence == NULL && options->framerate_numerator > 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "--framerate needs a pattern or a folder; \"%s\" is neither.",
                 player->name);
    is_open = FALSE;
  }
  if (!is_open) {
    gst_object_unref (gst_object_ref_sink (histo));
    player->histo = NULL;
  } else if (player_build (player, uri, error)) {
    return player;
  }
  player_free (player);
  return NULL;
}

static void
player_set_null (gpointer data)
{
  Player *player = data;

  gst_element_set_state (player->pipeline, GST_STATE_NULL);
}

static void
player_free_duration (gpointer data)
{
  Player *player = data;

  duration_free (player->duration, G_MAXUINT);
}

void
player_free (Player *player)
{
  if (player->is_abandoned || !detached_run (player_set_null, player, interrupt_limit (STOP_MS))
      || (player->duration != NULL && !detached_run (player_free_duration, player, interrupt_limit (STOP_MS))))
    return;
  gst_bus_set_flushing (player->bus, TRUE);
  g_clear_pointer (&player->backlog, backlog_free);
  gst_object_unref (player->bus);
  gst_object_unref (player->pipeline);
  g_main_loop_unref (player->loop);
  g_clear_error (&player->error);
  g_mutex_clear (&player->lock);
  if (player->fd >= 0)
    close (player->fd);
  g_clear_pointer (&player->damage, damage_free);
  extent_free (player->extent);
  g_clear_pointer (&player->part, part_free);
  g_clear_pointer (&player->keys, key_frames_free);
  watchdog_free (player->watchdog);
  animation_free (player->animation);
  edit_list_free (player->edits);
  declaration_watch_free (player->declaration);
  sequence_free (player->sequence);
  g_free (player->container);
  g_free (player->other_media);
  g_free (player->missing);
  g_free (player->advice);
  g_free (player->name);
  g_free (player->where);
  g_free (player);
}

/* ---- playback ------------------------------------------------------------------------------------------------------ */

static void
player_take_note (Player *player, const GstStructure *note)
{
  if (gst_structure_has_name (note, "no-video")) {
    player_explain (player);
    g_main_loop_quit (player->loop);
  } else if (gst_structure_has_name (note, "no-start")) {
    player_fail (player, TRUE, "\"%s\" cannot be played.", player->name);
    g_main_loop_quit (player->loop);
  } else if (gst_structure_has_name (note, KEY_FRAMES_UNTIMED)) {
    player_fail_untimed (player);
  } else if (gst_structure_has_name (note, "seek")) {
    player_start_seek (player);
  } else if (gst_structure_has_name (note, "part-end")) {
    player->has_ended = TRUE;
    g_main_loop_quit (player->loop);
  } else if (gst_structure_has_name (note, "other-memory")) {
    player_fail (player, FALSE,
                 "\"%s\" is decoded into memory that cudahisto cannot read. Convert the film: "
                 "`ffmpeg -i FILM -an -c:v ffv1 film.mkv`.",
                 player->name);
    g_main_loop_quit (player->loop);
  } else {
    command_warn ("\"%s\" has more than one video stream; the first is measured.", player->name);
  }
}

/* Warns at most once per interval. */
static void
player_warn_of_drops (Player *player, gboolean is_last)
{
  const gint64 now = g_get_monotonic_time ();
  guint64 dropped;

  if (!is_last && player->drops_reported > 0 && now - player->drops_reported < DROPS_INTERVAL_US)
    return;
  dropped = backlog_take_dropped (player->backlog);
  if (dropped == 0)
    return;
  player->drops_reported = now;
  command_warn ("%" G_GUINT64_FORMAT " %s of the live input \"%s\" dropped: the reader of the output is too slow.", dropped,
                dropped == 1 ? "line was" : "lines were", player->name);
}

static void
player_take_off (Player *player, GstMessage *message)
{
  if (player->backlog == NULL || GST_MESSAGE_SRC (message) != GST_OBJECT (player->histo))
    return;
  backlog_take_off (player->backlog);
  player_warn_of_drops (player, FALSE);
}

static gboolean
player_take_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer user_data)
{
  Player *player = user_data;

  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    player_take_error (player, message);
    break;
  case GST_MESSAGE_WARNING:
    player_take_warning (player, message);
    break;
  case GST_MESSAGE_EOS:
    player->has_ended = TRUE;
    g_main_loop_quit (player->loop);
    break;
  case GST_MESSAGE_ELEMENT:
    player_take_off (player, message);
    if (missing_is_message (message))
      player_take_missing (player, message);
    else if (gst_message_has_name (message, DECODING_TIMES_MESSAGE) || gst_message_has_name (message, DECODING_CHOICE_MESSAGE))
      player_take_notice (player, gst_message_get_structure (message));
    else if (player->backlog != NULL && GST_MESSAGE_SRC (message) == GST_OBJECT (player->histo))
      player->options.message (message, player->options.data);
    break;
  case GST_MESSAGE_APPLICATION:
    player_take_note (player, gst_message_get_structure (message));
    break;
  case GST_MESSAGE_LATENCY:
    gst_bin_recalculate_latency (GST_BIN (player->pipeline));
    break;
  case GST_MESSAGE_CLOCK_LOST:
    gst_element_set_state (player->pipeline, GST_STATE_PAUSED);
    gst_element_set_state (player->pipeline, GST_STATE_PLAYING);
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

/* A program that writes AVI to a pipe does not know the number of frames, and stores an impossible one. */
static gboolean
player_is_unknown (Player *player, gint64 duration)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (player->sink, "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gint numerator, denominator;

  return caps != NULL && duration > 0
         && gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate", &numerator, &denominator)
         && gst_util_uint64_scale_round ((guint64)duration, (guint64)numerator, (guint64)denominator * GST_SECOND)
                >= UNKNOWN_FRAMES - 1;
}

static gint64
player_get_position (Player *player)
{
  gint64 position;
  guint64 counted = 0;
  g_autoptr (GstStructure) stats = NULL;

  if (!player->options.is_bytes) {
    position = (gint64)extent_get_video_end (player->extent);
    if (position < 0 && !gst_element_query_position (player->sink, GST_FORMAT_TIME, &position)) /* frames without times */
      position = -1;
    return position;
  }
  g_object_get (player->histo, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "bytes-counted", &counted);
  return (gint64)counted;
}

/* Returns `duration`, or -1: unknown. */
static gint64
player_report_progress (Player *player, gint64 duration)
{
  if (duration > 0)
    duration = MAX (0, duration - (gint64)decoding_edits_get_excess (player->pipeline));
  if (!player->options.is_bytes && player_is_unknown (player, duration))
    duration = -1;
  if (player->options.progress != NULL) /* -1: GST_CLOCK_TIME_NONE */
    player->options.progress ((guint64)player_get_position (player), (guint64)duration, player->options.data);
  return duration;
}

static void
player_force_end (gpointer data)
{
  Player *player = data;

  decoding_ending_force (player->pipeline);
}

/* There was no progress for some time: sends EOS downstream of demuxers that miss the end of their data, then fails. */
static void
player_check_quiet (Player *player)
{
  const gboolean has_ended = watchdog_has_ended (player->watchdog);
  const guint64 timeout = has_ended ? player->options.end_timeout : player->options.timeout;
  const gboolean is_held_up = player->options.is_held_up != NULL && player->options.is_held_up (player->options.data);
  const guint64 quiet = watchdog_check (player->watchdog, is_held_up);

  if (timeout == 0 || quiet < timeout)
    return;
  if (has_ended && !player->is_end_forced) {
    player->is_end_forced = TRUE;
    watchdog_reset (player->watchdog);
    player->is_abandoned = !detached_run (player_force_end, player, interrupt_limit (START_MS)) || player->is_abandoned;
    return;
  }
  player_fail_quiet (player, has_ended);
  g_main_loop_quit (player->loop);
}

static gboolean
player_tell_progress (gpointer user_data)
{
  Player *player = user_data;

  player_check_quiet (player);
  if (player->options.progress != NULL)
    player_report_progress (player, duration_get (player->duration));
  return G_SOURCE_CONTINUE;
}

/* Starts the element first: by the time the source queries caps, it knows whether it uses a GPU. If it fails, the source has
 * not been touched. The source may wait for its peer as it starts. */
static void
player_start (gpointer data)
{
  Player *player = data;

  if (gst_element_set_state (player->histo, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE
      || gst_element_set_state (player->pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    player_post_note (player, "no-start");
}

static void
player_play (Player *player)
{
  if (player->is_interrupted)
    return;
  player->start = detached_start (player_start, player);
  g_main_loop_run (player->loop);
  if (player->part != NULL)
    part_release (player->part);
  player_finish_seek (player);
  player->is_abandoned = !detached_wait (player->start, interrupt_limit (START_MS)) || player->is_abandoned;
}

static void
player_set_ready (gpointer data)
{
  Player *player = data;

  gst_element_set_state (player->pipeline, GST_STATE_READY);
}

/* Stops the element, which does not depend on a source that hangs. */
static void
player_set_element_ready (gpointer data)
{
  Player *player = data;

  gst_element_set_state (player->sink, GST_STATE_READY);
  gst_element_set_state (player->histo, GST_STATE_READY);
}

static void
player_take_waiting_messages (Player *player)
{
  GstMessage *message;

  while ((message = gst_bus_pop (player->bus)) != NULL) {
    player_take_message (player->bus, message, player);
    gst_message_unref (message);
  }
}

static void
player_declare (Player *player, gint64 duration)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (player->histo, "sink");
  g_autofree gchar *uri = NULL, *path = NULL;
  const gboolean is_file = player->sequence == NULL && player->fd < 0 && !player->options.is_bytes;
  gboolean has_hidden;

  g_mutex_lock (&player->lock);
  has_hidden = player->has_hidden;
  g_mutex_unlock (&player->lock);
  if (is_file)
    g_object_get (player->source, "uri", &uri, NULL);
  path = uri != NULL ? g_filename_from_uri (uri, NULL, NULL) : NULL;
  declaration_watch_finish (player->declaration, &(const DeclarationFilm){
                                                     .pad = pad,
                                                     .container = player->container,
                                                     .path = path,
                                                     .duration = (GstClockTime)duration,
                                                     .end = has_hidden ? GST_CLOCK_TIME_NONE : player_find_end (player),
                                                 });
}

/* READY keeps the bus, with the messages that the element posts when it stops. */
static void
player_stop (Player *player)
{
  gint64 duration;

  if (player->backlog != NULL)
    backlog_release (player->backlog);
  duration = player_report_progress (player, duration_wait (player->duration, interrupt_limit (DURATION_MS)));
  player_check_end (player, duration);
  if (player->declaration != NULL)
    player_declare (player, duration);
  player_take_waiting_messages (player);
  player->is_stopping = TRUE;
  if (player->start != NULL && (player->is_abandoned || !detached_run (player_set_ready, player, interrupt_limit (STOP_MS)))) {
    player->is_abandoned = TRUE;
    command_warn ("the source of \"%s\" did not stop.", player->name);
    detached_run (player_set_element_ready, player, interrupt_limit (STOP_MS));
  }
  player_take_waiting_messages (player);
  if (player->backlog != NULL)
    player_warn_of_drops (player, TRUE);
}

PlayerEnd
player_run (Player *player, GError **error)
{
  guint watch = gst_bus_add_watch (player->bus, player_take_message, player);
  guint timer = g_timeout_add (PROGRESS_MS, player_tell_progress, player);

  player_play (player);
  g_source_remove (timer);
  g_source_remove (watch);
  player_stop (player);
  player_check_animation (player);
  player_check_edits (player);
  player_check_pictures_end (player);
  if (player->error != NULL || !(player->is_interrupted || player->has_ended))
    player_explain (player);
  if (player->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&player->error));
    return PLAYER_ERROR;
  }
  return player->has_ended ? PLAYER_EOS : PLAYER_INTERRUPTED;
}

GstClockTime
player_get_start (Player *player)
{
  return extent_get_video_start (player->extent);
}

GstClockTime
player_get_end (Player *player, guint64 frames)
{
  return extent_get_video_end_of (player->extent, frames);
}

gboolean
player_is_cut (Player *player)
{
  return player->is_cut;
}

void
player_interrupt (Player *player)
{
  player->is_interrupted = TRUE;
  g_main_loop_quit (player->loop);
}

CommandStatus
player_leave (CommandStatus status)
{
  if (!detached_has_left ())
    return status;
  status = command_finish_output (status);
  interrupt_pass_on ();
  _exit ((int)status);
}
