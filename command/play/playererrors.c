/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gio/gio.h>
#include <string.h>

#include "common/command.h"
#include "decoding/choice.h"
#include "decoding/location.h"
#include "decoding/times.h"
#include "play/missing.h"
#include "play/negotiation.h"
#include "play/playerprivate.h"
#include "play/remux.h"

#define MOST_WARNINGS 5 /* for one input */
/* The smallest gap at the end of a film that is reported, and the largest part of the film that is left. */
#define LEAST_CUT (GST_SECOND / 2)
#define MOST_COMPLETE 0.95

void
player_fail (Player *player, gboolean is_vague, const gchar *format, ...)
{
  va_list arguments;

  if (player->error != NULL && !(player->is_vague && !is_vague))
    return;
  g_clear_error (&player->error);
  player->is_vague = is_vague;
  va_start (arguments, format);
  player->error = g_error_new_valist (G_IO_ERROR, G_IO_ERROR_FAILED, format, arguments);
  va_end (arguments);
}

/* Returns whether all is decoded up to the end of the film. */
static gboolean
player_reaches_end (Player *player)
{
  return !player->options.is_of_keys && !g_atomic_int_get (&player->is_part_over);
}

/* Joins an element's message and the remedy that it has put into the debug text, after the source location. */
static gchar *
player_join_remedy (const gchar *sentence, const gchar *debug)
{
  const gchar *remedy = debug != NULL ? strchr (debug, '\n') : NULL;

  if (remedy == NULL)
    return g_strdup (sentence);
  return g_strdup_printf ("%s (%s)", sentence, remedy + 1);
}

/* GStreamer's messages may lack the full stop. */
static gchar *
player_end_sentence (const gchar *text)
{
  return g_str_has_suffix (text, ".") ? g_strdup (text) : g_strconcat (text, ".", NULL);
}

/* "not-negotiated" of "streaming stopped, reason not-negotiated (-4)". */
static gboolean
player_is_not_negotiated (const gchar *debug)
{
  return debug != NULL && strstr (debug, "not-negotiated") != NULL;
}

/* A failing source sometimes reports only that; the elements after it then lack data. */
static gboolean
player_is_of_source (GstMessage *message, const gchar *debug)
{
  return GST_OBJECT_FLAG_IS_SET (GST_MESSAGE_SRC (message), GST_ELEMENT_FLAG_SOURCE) && debug != NULL
         && strstr (debug, "reason error") != NULL;
}

/* Some of libav's demuxers, such as that of GIF, need a seekable file. */
static gboolean
player_is_of_pipe (GstMessage *message)
{
  GstElement *element = GST_IS_ELEMENT (GST_MESSAGE_SRC (message)) ? GST_ELEMENT (GST_MESSAGE_SRC (message)) : NULL;
  GstElementFactory *factory = element != NULL ? gst_element_get_factory (element) : NULL;
  g_autoptr (GstPad) pad = NULL;

  if (factory == NULL || !g_str_has_prefix (GST_OBJECT_NAME (factory), "avdemux_"))
    return FALSE;
  pad = gst_element_get_static_pad (element, "sink");
  return pad != NULL && GST_PAD_MODE (pad) == GST_PAD_MODE_PUSH;
}

/* mxfdemux needs the index, which many MXF files have at their end. */
static gboolean
player_is_piped_mxf (const Player *player)
{
  g_autofree gchar *uri = NULL;

  if (player->sequence != NULL || g_strcmp0 (player->container, "application/mxf") != 0)
    return FALSE;
  g_object_get (player->source, "uri", &uri, NULL);
  return uri != NULL && gst_uri_has_protocol (uri, "fd");
}

static void
player_fail_pipe (Player *player)
{
  player_fail (player, FALSE, "\"%s\" cannot be decoded: GStreamer cannot read this film from a pipe. Measure it from a file.",
               player->name);
}

/* FALSE: the file does not have joined Ogg films that GStreamer takes for one. */
static gboolean
player_fail_mixed (Player *player)
{
  const guint64 start = player->damage != NULL ? damage_find_mixed (player->damage) : 0;

  if (start == 0)
    return FALSE;
  player_fail (player, FALSE,
               "\"%s\" cannot be decoded: it has joined films whose streams have the same serial number. Another film begins "
               "at byte %" G_GUINT64_FORMAT ". Measure each film separately.",
               player->name, start);
  return TRUE;
}

void
player_take_error (Player *player, GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;
  const gchar *name = player->name;

  if (g_atomic_int_get (&player->is_part_over)) /* a decoder may complain about the end */
    return;
  decoding_location_parse_message (message, gst_message_parse_error, player->where, &error, &debug);
  if (error == NULL) /* testbin posts this */
    error = g_error_new_literal (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "GStreamer gives no reason.");
  GST_INFO ("%s: %s (%s)", name, error->message, debug);
  if (GST_MESSAGE_SRC (message) == GST_OBJECT (player->histo)) {
    g_autofree gchar *sentence = player_join_remedy (error->message, debug);

    player_fail (player, FALSE, "%s", sentence);
  } else if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND)) {
    player_fail (player, FALSE, "there is no \"%s\".", name);
  } else if (error->domain == GST_RESOURCE_ERROR) {
    g_autofree gchar *sentence = player_end_sentence (error->message);

    player_fail (player, FALSE, "\"%s\" cannot be read: %s", name, sentence);
  } else if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_TYPE_NOT_FOUND)) {
    player_fail (player, FALSE, "\"%s\" has a type that GStreamer does not know. --bytes counts anything as bytes.", name);
  } else if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE)) {
    g_autofree gchar *sentence = player_end_sentence (error->message);

    player_fail (player, FALSE, "\"%s\" has no video: %s --bytes counts anything as bytes.", name, sentence);
  } else if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND)
             || g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN)) {
    player_fail (player, TRUE, "\"%s\" cannot be decoded by the GStreamer plugins that are installed.", name);
  } else if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED)) {
    player_fail (player, FALSE, "\"%s\" cannot be decoded as it is: %s", name, error->message);
  } else if (player_is_of_source (message, debug)) {
    player_fail (player, FALSE, "\"%s\" cannot be read: it sends no data.", name);
  } else if (player_is_not_negotiated (debug)) {
    g_autofree gchar *sentence = negotiation_explain (player->pipeline, name);

    player_fail (player, TRUE, "%s", sentence);
  } else if (player_is_of_pipe (message) || player_is_piped_mxf (player)) {
    player_fail_pipe (player);
  } else if (!player_fail_mixed (player)) {
    g_autofree gchar *sentence = player_end_sentence (error->message);

    player_fail (player, g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED),
                 "\"%s\" cannot be decoded, it may be damaged or cut off: %s", name, sentence);
  }
  g_main_loop_quit (player->loop);
}

void
player_take_warning (Player *player, GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;
  g_autofree gchar *sentence = NULL;

  decoding_location_parse_message (message, gst_message_parse_warning, player->where, &error, &debug);
  if (error == NULL
      || ((player->is_stopping || g_atomic_int_get (&player->is_part_over))
          && GST_MESSAGE_SRC (message) != GST_OBJECT (player->histo)))
    return;
  if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND)) /* for video, an error follows */
    return;
  if (GST_MESSAGE_SRC (message) == GST_OBJECT (player->histo))
    sentence = player_join_remedy (error->message, debug);
  else
    sentence = g_strdup_printf ("\"%s\" may be damaged: %s", player->name, error->message);
  player->warnings++;
  if (player->warnings <= MOST_WARNINGS)
    command_warn ("%s", sentence);
  else if (player->warnings == MOST_WARNINGS + 1)
    command_warn ("more warnings of \"%s\" are not shown.", player->name);
}

void
player_take_missing (Player *player, GstMessage *message)
{
  g_autofree gchar *what = missing_describe (message);
  g_autofree gchar *before = NULL;

  if (player->advice == NULL)
    player->advice = remux_advise (player->name, message);
  if (player->advice != NULL)
    return;
  before = g_steal_pointer (&player->missing);
  if (before == NULL)
    player->missing = g_steal_pointer (&what);
  else
    player->missing = strstr (before, what) != NULL ? g_steal_pointer (&before) : g_strdup_printf ("%s, %s", before, what);
}

void
player_fail_untimed (Player *player)
{
  player_fail (player, FALSE,
               "\"%s\" has key frames without timestamps, which --keyframes needs: use --every, which decodes all frames.",
               player->name);
  g_main_loop_quit (player->loop);
}

void
player_take_notice (Player *player, const GstStructure *message)
{
  const gboolean is_of_times = gst_structure_has_name (message, DECODING_TIMES_MESSAGE);
  g_autofree gchar *explanation = is_of_times ? decoding_times_explain (message) : decoding_choice_explain (message);

  if (is_of_times && player->options.is_of_keys)
    player_fail_untimed (player); /* derived times are those of all frames */
  else if (!g_atomic_int_get (&player->is_part_over))
    command_warn ("\"%s\" %s", player->name, explanation);
}

/* Returns whether the container stores the duration. For others, such as MPEG-TS, GStreamer estimates it. */
static gboolean
player_has_length (Player *player)
{
  static const gchar *const with_length[]
      = { "application/mxf", "video/quicktime", "video/webm",          "video/x-flv", "video/x-matroska",
          "video/x-ms-asf",  "video/x-msvideo", "video/x-matroska-3d", NULL };

  return player->container != NULL && g_strv_contains (with_length, player->container);
}

GstClockTime
player_find_end (Player *player)
{
  const gint64 demuxed = player->damage != NULL ? (gint64)damage_get_end (player->damage) : -1;

  return (GstClockTime)MAX ((gint64)extent_get_end (player->extent), demuxed); /* -1: GST_CLOCK_TIME_NONE */
}

void
player_check_end (Player *player, gint64 duration)
{
  const gint64 end = (gint64)player_find_end (player);
  const gchar *cut = player->damage != NULL ? damage_get_cut (player->damage) : NULL;
  const gchar *joined = player->damage != NULL ? damage_get_joined (player->damage) : NULL;
  GstClockTime early, length;
  gboolean is_length_known;

  if (cut != NULL)
    command_warn ("\"%s\" %s.", player->name, cut);
  if (joined != NULL)
    command_warn ("\"%s\" %s.", player->name, joined);
  if (player->damage != NULL && damage_is_unmarked (player->damage))
    command_warn ("\"%s\" has no end mark; its end may be missing.", player->name);

  g_mutex_lock (&player->lock);
  is_length_known = !player->has_hidden && player_has_length (player) && !edit_list_is_short (player->edits, &early, &length);
  g_mutex_unlock (&player->lock);
  if (cut == NULL && is_length_known && player_reaches_end (player) && player->has_ended && end >= 0
      && duration - end > LEAST_CUT && (gdouble)end < MOST_COMPLETE * (gdouble)duration) {
    player->is_cut = TRUE;
    command_warn ("\"%s\" has a duration of %.2f s in its header, and ends at %.2f s: it may be cut off.", player->name,
                  (gdouble)duration / (gdouble)GST_SECOND, (gdouble)end / (gdouble)GST_SECOND);
  }
}

gboolean
player_is_ogg (const Player *player)
{
  return player->container != NULL && g_str_has_suffix (player->container, "/ogg");
}

/* GStreamer's qtdemux ignores a track that is shorter than a fifth of the film, as a preview. */
static void
player_explain_no_video (Player *player)
{
  if (player_fail_mixed (player))
    return;
  if (player_is_piped_mxf (player))
    player_fail_pipe (player);
  else if (player->other_media == NULL)
    player_fail (player, FALSE, "\"%s\" has no video. --bytes counts anything as bytes.", player->name);
  else if (g_strcmp0 (player->container, "video/quicktime") == 0)
    player_fail (player, FALSE,
                 "GStreamer finds no video in \"%s\", only %s. It ignores video that is shorter than a fifth of the film. "
                 "Extract it: `ffmpeg -i FILM -an -c copy film.mkv`. --bytes counts anything as bytes.",
                 player->name, player->other_media);
  else if (player_is_ogg (player) && !player->awaits_video)
    player_fail (player, FALSE,
                 "\"%s\" begins with a part without video, only %s. Save it as a file: `measure` then looks for video in later "
                 "parts. --bytes counts anything as bytes.",
                 player->name, player->other_media);
  else
    player_fail (player, FALSE, "\"%s\" has no video, only %s. --bytes counts anything as bytes.", player->name,
                 player->other_media);
}

/* Returns the name of the reference that the film waits for, or NULL. Free with g_free(). */
static gchar *
player_name_awaited (Player *player)
{
  g_autoptr (GstStructure) stats = NULL;
  g_autofree gchar *reference = NULL;
  guint awaited = 0;

  g_object_get (player->histo, "stats", &stats, "reference-location", &reference, NULL);
  return reference != NULL && gst_structure_get_uint (stats, "references-awaited", &awaited) && awaited > 0
             ? decoding_location_hide_secrets (reference)
             : NULL;
}

void
player_fail_quiet (Player *player, gboolean is_read)
{
  g_autofree gchar *reference = player_name_awaited (player);
  const gdouble seconds = (gdouble)(is_read ? player->options.end_timeout : player->options.timeout) / (gdouble)GST_SECOND;

  if (reference != NULL)
    player_fail (
        player, FALSE,
        "\"%s\" waits for its reference \"%s\": no data for %g s. --timeout=SECONDS waits longer, --timeout=0 forever.",
        player->name, reference, seconds);
  else if (is_read)
    player_fail (player, FALSE, "\"%s\": GStreamer did not finish within %g s of the last byte.", player->name, seconds);
  else
    player_fail (player, FALSE, "\"%s\": no data for %g s. --timeout=SECONDS waits longer, --timeout=0 forever.", player->name,
                 seconds);
}

void
player_check_edits (Player *player)
{
  const GstClockTime remainder = edit_list_get_remainder (player->edits);
  const guint n_skipped = edit_list_get_skipped (player->edits);
  const gboolean has_beginning = player->options.part == NULL || !GST_CLOCK_TIME_IS_VALID (player->options.part->from);
  GstClockTime end, length;

  if (has_beginning && n_skipped > 0)
    command_warn ("the edit list of \"%s\" skips its first %u frames. FFmpeg ignores edit lists of fragmented films.",
                  player->name, n_skipped);
  else if (has_beginning && remainder > 0)
    command_warn (
        "\"%s\" begins within a frame: frame 0 is its last %.3f ms. FFmpeg drops this frame: its frame 0 is frame 1 here.",
        player->name, (gdouble)remainder / GST_MSECOND);
  if (!player->has_ended || !player_reaches_end (player) || (player->damage != NULL && damage_get_cut (player->damage) != NULL)
      || !edit_list_is_short (player->edits, &end, &length))
    return;
  player_fail (player, FALSE,
               "\"%s\" ends at %.2f s of %.2f s: qtdemux mishandles its edit list. Convert it: "
               "`ffmpeg -i FILM -an -c:v ffv1 film.mkv`.",
               player->name, (gdouble)end / (gdouble)GST_SECOND, (gdouble)length / (gdouble)GST_SECOND);
}

void
player_check_animation (Player *player)
{
  g_autofree gchar *words = animation_explain (player->animation, player->name);

  if (words == NULL || player->is_interrupted)
    return;
  player->is_vague = TRUE;
  player_fail (player, FALSE, "%s", words);
}

void
player_explain (Player *player)
{
  if (player->advice != NULL && (player->error == NULL || player->is_vague)) {
    player->is_vague = TRUE;
    player_fail (player, FALSE, "%s", player->advice);
  } else if (player->missing != NULL && (player->error == NULL || player->is_vague)) {
    player->is_vague = TRUE;
    player_fail (player, FALSE, "\"%s\" needs a plugin that is not installed: %s.", player->name, player->missing);
  } else if (player->error == NULL && player->videos == 0 && !player->options.is_bytes && !player->is_interrupted) {
    player_explain_no_video (player);
  }
}
