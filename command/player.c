/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "player.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "missing.h"
#include "terminal.h"

#define PROGRESS_MS 100
#define MOST_WARNINGS 5            /* of one input */
#define LEAST_CUT (GST_SECOND / 2) /* of a film that is said to be cut off, and what part of it is there at most */
#define MOST_COMPLETE 0.95
#define BLOCK_BYTES (1 << 20)
#define BUFFERS_AHEAD 4 /* that are decoded while one is counted */

struct _Player {
  gchar *name;
  PlayerOptions options;
  int fd;                                               /* of a FIFO; -1: it is none */
  GstElement *pipeline, *source, *queue, *histo, *sink; /* the pipeline's, but for itself */
  GstBus *bus;
  GMainLoop *loop;
  gboolean is_interrupted, has_ended, is_conversion_told;
  GError *error;       /* the first, in the user's words */
  gboolean is_vague;   /* that one says only that something went wrong */
  gchar *missing;      /* plugins, or NULL */
  guint warnings;      /* those that came */
  GMutex lock;         /* what follows is set on threads of the pipeline */
  guint videos;        /* streams of video */
  gchar *other_media;  /* the type of one that is none; NULL: there is none */
  GstClockTime start;  /* stream time of the first frame */
  GstElement *convert; /* the pipeline's; NULL: frames are counted as they were decoded */
};

gchar *
player_name (const gchar *where)
{
  g_autofree gchar *name = NULL;
  const gchar *password, *end;

  if (g_str_equal (where, "-"))
    return g_strdup ("standard input");
  name = g_filename_display_name (where);
  if (gst_uri_is_valid (name) && (end = strchr (name, '@')) != NULL && (password = strstr (name, "://")) != NULL
      && (password = strchr (password + 3, ':')) != NULL && password < end) {
    g_autofree gchar *without = g_strdup_printf ("%.*s%s", (int)(password - name), name, end);

    return terminal_clean (without);
  }
  return terminal_clean (name);
}

/* ---- errors -------------------------------------------------------------------------------------------------------- */

/* The first error is the cause, unless it was a vague one. */
static void G_GNUC_PRINTF (3, 4) player_fail (Player *player, gboolean is_vague, const gchar *format, ...)
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

/* An element's sentence, and the remedy that it has put into what GStreamer calls debug, behind the place in its source. */
static gchar *
player_join_remedy (const gchar *sentence, const gchar *debug)
{
  const gchar *remedy = debug != NULL ? strchr (debug, '\n') : NULL;

  if (remedy == NULL || remedy[1] == '\0')
    return g_strdup (sentence);
  return g_strdup_printf ("%s (%s)", sentence, remedy + 1);
}

/* GStreamer's own end with a full stop or without. */
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

/* A source that fails says no more than that at times, and what comes behind it misses its data. */
static gboolean
player_is_of_source (GstMessage *message, const gchar *debug)
{
  return GST_OBJECT_FLAG_IS_SET (GST_MESSAGE_SRC (message), GST_ELEMENT_FLAG_SOURCE) && debug != NULL
         && strstr (debug, "reason error") != NULL;
}

static void
player_take_error (Player *player, GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;
  const gchar *name = player->name;

  gst_message_parse_error (message, &error, &debug);
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
    player_fail (player, FALSE, "\"%s\" is of no type that GStreamer knows. --bytes counts anything as bytes.", name);
  } else if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE)) {
    g_autofree gchar *sentence = player_end_sentence (error->message);

    player_fail (player, FALSE, "\"%s\" has no video: %s --bytes counts anything as bytes.", name, sentence);
  } else if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND)
             || g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN)) {
    player_fail (player, TRUE, "\"%s\" cannot be decoded by the GStreamer plugins that are installed.", name);
  } else if (player_is_of_source (message, debug)) {
    player_fail (player, FALSE, "\"%s\" cannot be read: nothing comes from there.", name);
  } else if (player_is_not_negotiated (debug)) {
    player_fail (player, TRUE, "\"%s\" has frames that cannot be counted, and that GStreamer cannot convert.", name);
  } else {
    g_autofree gchar *sentence = player_end_sentence (error->message);

    player_fail (player, g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED),
                 "\"%s\" cannot be decoded, it may be damaged or cut off: %s", name, sentence);
  }
  g_main_loop_quit (player->loop);
}

static void
player_take_warning (Player *player, GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;
  g_autofree gchar *sentence = NULL;

  gst_message_parse_warning (message, &error, &debug);
  if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND)) /* for video it is an error, too */
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

static void
player_take_missing (Player *player, GstMessage *message)
{
  g_autofree gchar *what = missing_describe (message);
  g_autofree gchar *before = g_steal_pointer (&player->missing);

  if (before == NULL)
    player->missing = g_steal_pointer (&what);
  else
    player->missing = strstr (before, what) != NULL ? g_steal_pointer (&before) : g_strdup_printf ("%s, %s", before, what);
}

/* What is left of a film that was cut off may be all that there is to decode, and no error. */
static void
player_check_end (Player *player, gint64 position, gint64 duration)
{
  if (player->has_ended && !player->options.is_bytes && position >= 0 && duration - position > LEAST_CUT
      && (gdouble)position < MOST_COMPLETE * (gdouble)duration)
    command_warn ("\"%s\" says that it is %.2f s long, and ends at %.2f s: it may be cut off.", player->name,
                  (gdouble)duration / (gdouble)GST_SECOND, (gdouble)position / (gdouble)GST_SECOND);
}

/* What GStreamer says when several things were wrong: that a plugin is missing explains the rest. */
static void
player_explain (Player *player)
{
  if (player->missing != NULL && (player->error == NULL || player->is_vague)) {
    player->is_vague = TRUE;
    player_fail (player, FALSE, "\"%s\" needs what is not installed: %s.", player->name, player->missing);
  } else if (player->error == NULL && player->videos == 0 && !player->options.is_bytes && !player->is_interrupted) {
    player_fail (player, FALSE, "\"%s\" has no video%s%s. --bytes counts anything as bytes.", player->name,
                 player->other_media != NULL ? ", only " : "", player->other_media != NULL ? player->other_media : "");
  }
}

/* ---- the pipeline's threads ---------------------------------------------------------------------------------------- */

/* Sound, subtitles and data are exposed as they are: nobody needs them decoded. */
static gboolean
player_wants (GstElement *source, GstPad *pad, GstCaps *caps, gpointer user_data)
{
  (void)source;
  (void)pad;
  (void)user_data;
  return !missing_is_other_track (gst_structure_get_name (gst_caps_get_structure (caps, 0)));
}

/* The part of the caps that the element counts as it is. The caller unrefs it. */
static GstCaps *
player_narrow (Player *player, GstCaps *caps)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (player->histo, "sink");

  return gst_pad_query_caps (sink, caps);
}

/* What a decoder may hand out, so that it does not settle for what nobody behind it takes, or leave the GPU needlessly: best
 * what the element counts as it is, else any raw video in system memory, which is converted. */
static gboolean
player_answer (GstElement *source, GstPad *pad, GstElement *element, GstQuery *query, gpointer user_data)
{
  Player *player = user_data;
  g_autoptr (GstCaps) raw = NULL, convertible = NULL;
  GstCaps *filter, *caps;

  (void)source;
  (void)pad;
  (void)element;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return FALSE;
  gst_query_parse_caps (query, &filter);
  if (filter == NULL || gst_caps_is_any (filter) || gst_caps_is_empty (filter)
      || !gst_structure_has_name (gst_caps_get_structure (filter, 0), "video/x-raw"))
    return FALSE;
  raw = gst_caps_new_empty_simple ("video/x-raw");
  convertible = gst_caps_intersect_full (filter, raw, GST_CAPS_INTERSECT_FIRST);
  caps = gst_caps_merge (gst_caps_make_writable (player_narrow (player, filter)), g_steal_pointer (&convertible));
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

static guint
player_get_depth (const GstVideoFormatInfo *format)
{
  return GST_VIDEO_FORMAT_INFO_DEPTH (format, 0);
}

/* Whether frames of one format stay what they are in the other: RGB, or luma and chroma, of which grey is the luma. */
static gboolean
player_is_of_same_kind (const GstVideoFormatInfo *one, const GstVideoFormatInfo *other)
{
  return !GST_VIDEO_FORMAT_INFO_IS_RGB (one) == !GST_VIDEO_FORMAT_INFO_IS_RGB (other);
}

/* Raw video of those formats that are counted, of the same kind, and of at least as many bits, or as many as there are. Among
 * them videoconvert finds the one that loses least; left to itself it would rather lose bits than alpha. */
static GstCaps *
player_make_convertible_caps (Player *player, const gchar *decoded)
{
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("video/x-raw"), counted = player_narrow (player, raw);
  const GValue *names = gst_structure_get_value (gst_caps_get_structure (counted, 0), "format");
  const GstVideoFormatInfo *from = gst_video_format_get_info (gst_video_format_from_string (decoded));
  g_auto (GValue) chosen = G_VALUE_INIT;
  guint wanted = 0;

  for (guint pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      wanted = MIN (wanted, player_get_depth (from));
      g_value_init (&chosen, GST_TYPE_LIST);
    }
    for (guint i = 0; i < gst_value_list_get_size (names); i++) {
      const GValue *name = gst_value_list_get_value (names, i);
      const GstVideoFormatInfo *format = gst_video_format_get_info (gst_video_format_from_string (g_value_get_string (name)));

      if (!player_is_of_same_kind (from, format))
        continue;
      if (pass == 0)
        wanted = MAX (wanted, player_get_depth (format));
      else if (player_get_depth (format) >= wanted)
        gst_value_list_append_value (&chosen, name);
    }
  }
  gst_caps_set_value (raw, "format", &chosen);
  return g_steal_pointer (&raw);
}

/* In front of the element, where frames are of a format that it does not count. NULL: they cannot be converted. */
static GstElement *
player_add_convert (Player *player, const gchar *decoded)
{
  GstElement *convert, *filter;
  g_autoptr (GstCaps) caps = NULL;

  if (decoded == NULL || (convert = gst_element_factory_make ("videoconvert", NULL)) == NULL)
    return NULL;
  filter = gst_element_factory_make ("capsfilter", NULL);
  caps = player_make_convertible_caps (player, decoded);
  g_object_set (convert, "dither", 0, NULL); /* the same samples each time, and none that were made up */
  g_object_set (filter, "caps", caps, NULL);
  gst_bin_add_many (GST_BIN (player->pipeline), convert, filter, NULL);
  gst_element_link_many (convert, filter, player->queue, NULL);
  gst_element_sync_state_with_parent (filter);
  gst_element_sync_state_with_parent (convert);
  return convert;
}

static void
player_post_note (Player *player, const gchar *note)
{
  gst_bus_post (player->bus, gst_message_new_application (GST_OBJECT (player->pipeline), gst_structure_new_empty (note)));
}

static void
player_link_video (Player *player, GstPad *pad, GstCaps *caps)
{
  g_autoptr (GstCaps) counted = player_narrow (player, caps);
  g_autoptr (GstPad) sink = NULL;

  g_mutex_lock (&player->lock);
  if (player->convert == NULL && gst_caps_is_empty (counted))
    player->convert = player_add_convert (player, gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"));
  sink = gst_element_get_static_pad (player->convert != NULL ? player->convert : player->queue, "sink");
  if (gst_pad_is_linked (sink)) {
    player_post_note (player, "another-video");
  } else {
    player->videos++;
    if (GST_PAD_LINK_FAILED (gst_pad_link (pad, sink)))
      player_post_note (player, "other-memory");
  }
  g_mutex_unlock (&player->lock);
}

static void
player_take_pad (GstElement *source, GstPad *pad, gpointer user_data)
{
  Player *player = user_data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const gchar *name;

  (void)source;
  if (caps == NULL)
    caps = gst_pad_query_caps (pad, NULL);
  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return;
  name = gst_structure_get_name (gst_caps_get_structure (caps, 0));
  if (g_str_equal (name, "video/x-raw")) {
    player_link_video (player, pad, caps);
    return;
  }
  g_mutex_lock (&player->lock);
  if (player->other_media == NULL)
    player->other_media = gst_pb_utils_get_codec_description (caps);
  g_mutex_unlock (&player->lock);
}

static void
player_check_pads (GstElement *source, gpointer user_data)
{
  Player *player = user_data;
  gboolean has_video;

  (void)source;
  g_mutex_lock (&player->lock);
  has_video = player->videos > 0;
  g_mutex_unlock (&player->lock);
  if (!has_video)
    player_post_note (player, "no-video");
}

static GstPadProbeReturn
player_take_first (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Player *player = user_data;
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  if (event != NULL && GST_BUFFER_PTS_IS_VALID (GST_PAD_PROBE_INFO_BUFFER (info))) {
    gst_event_parse_segment (event, &segment);
    g_mutex_lock (&player->lock);
    player->start = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));
    g_mutex_unlock (&player->lock);
  }
  return GST_PAD_PROBE_REMOVE;
}

/* ---- building it --------------------------------------------------------------------------------------------------- */

/* A FIFO is opened once: its writer would not survive the second time, and GStreamer's filesrc tries twice. */
static gchar *
player_open_fifo (Player *player, const gchar *path, GError **error)
{
  player->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (player->fd >= 0)
    return g_strdup_printf ("fd://%d", player->fd);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "\"%s\" cannot be read: %s.", player->name, g_strerror (errno));
  return NULL;
}

/* A path that is there, and can be read, as a URI; NULL with an error. */
static gchar *
player_get_file_uri (Player *player, const gchar *path, GError **error)
{
  const gchar *name = player->name;
  GStatBuf status;

  if (g_stat (path, &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no file \"%s\".", name);
    else
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "\"%s\" cannot be read: %s.", name, g_strerror (errno));
    return NULL;
  }
  if (S_ISDIR (status.st_mode)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "\"%s\" is a folder: name the files in it.", name);
    return NULL;
  }
  if (g_access (path, R_OK) != 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, "\"%s\" cannot be read: %s.", name, g_strerror (errno));
    return NULL;
  }
  if (S_ISREG (status.st_mode) && status.st_size == 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "\"%s\" is empty.", name);
    return NULL;
  }
  if (S_ISFIFO (status.st_mode))
    return player_open_fifo (player, path, error);
  if (S_ISCHR (status.st_mode) && g_str_has_prefix (path, "/dev/video"))
    return g_strconcat ("v4l2://", path, NULL);
  return gst_filename_to_uri (path, error);
}

static gchar *
player_get_uri (Player *player, const gchar *where, GError **error)
{
  if (g_str_equal (where, "-")) {
    if (!player->options.is_bytes && terminal_is_there (STDIN_FILENO)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                   "standard input is a terminal: a film comes from a pipe, or from a file that is named.");
      return NULL;
    }
    return g_strdup ("fd://0");
  }
  if (g_file_test (where, G_FILE_TEST_EXISTS) || !gst_uri_is_valid (where)) /* a:b may be a file */
    return player_get_file_uri (player, where, error);
  if (gst_uri_has_protocol (where, "file")) {
    g_autofree gchar *path = g_filename_from_uri (where, NULL, error);

    return path != NULL ? player_get_file_uri (player, path, error) : NULL;
  }
  return g_strdup (where);
}

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
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "\"%s\" needs what is not installed: %s.", player->name, what);
    return NULL;
  }
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (source), "blocksize") != NULL)
    g_object_set (source, "blocksize", BLOCK_BYTES, NULL);
  return source;
}

static GstElement *
player_make_decoder (Player *player, const gchar *uri, GError **error)
{
  GstElement *source = gst_element_factory_make ("uridecodebin", NULL);

  if (source == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 "GStreamer cannot decode anything: its element uridecodebin is not installed (Debian package "
                 "gstreamer1.0-plugins-base).");
    return NULL;
  }
  g_object_set (source, "uri", uri, NULL);
  g_signal_connect (source, "autoplug-continue", G_CALLBACK (player_wants), player);
  g_signal_connect (source, "autoplug-query", G_CALLBACK (player_answer), player);
  g_signal_connect (source, "pad-added", G_CALLBACK (player_take_pad), player);
  g_signal_connect (source, "no-more-pads", G_CALLBACK (player_check_pads), player);
  return source;
}

static gboolean
player_build (Player *player, const gchar *uri, GError **error)
{
  g_autoptr (GstPad) pad = NULL;

  player->sink = gst_element_factory_make ("fakesink", NULL);
  player->queue = player->options.is_bytes ? NULL : gst_element_factory_make ("queue", NULL);
  gst_bin_add_many (GST_BIN (player->pipeline), player->histo, player->sink, NULL);
  g_object_set (player->sink, "sync", player->options.is_live, "enable-last-sample", FALSE, NULL);
  if (player->options.is_bytes)
    player->source = player_make_byte_source (player, uri, error);
  else
    player->source = player_make_decoder (player, uri, error);
  if (player->source == NULL)
    return FALSE;
  gst_bin_add (GST_BIN (player->pipeline), player->source);
  gst_element_link (player->histo, player->sink);
  if (player->queue == NULL)
    return gst_element_link (player->source, player->histo);
  pad = gst_element_get_static_pad (player->queue, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, player_take_first, player, NULL);
  g_object_set (player->queue, "max-size-buffers", BUFFERS_AHEAD, "max-size-bytes", 0, "max-size-time", G_GUINT64_CONSTANT (0),
                NULL);
  gst_bin_add (GST_BIN (player->pipeline), player->queue);
  return gst_element_link (player->queue, player->histo);
}

Player *
player_new (const gchar *where, GstElement *histo, const PlayerOptions *options, GError **error)
{
  Player *player = g_new0 (Player, 1);
  g_autofree gchar *uri = NULL;

  g_mutex_init (&player->lock);
  player->name = player_name (where);
  player->options = *options;
  player->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  player->histo = histo;
  player->start = GST_CLOCK_TIME_NONE;
  player->fd = -1;
  player->bus = gst_pipeline_get_bus (GST_PIPELINE (player->pipeline));
  player->loop = g_main_loop_new (NULL, FALSE);
  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (player->pipeline), FALSE);
  uri = player_get_uri (player, where, error);
  if (uri == NULL) {
    gst_object_unref (gst_object_ref_sink (histo));
    player->histo = NULL;
  } else if (player_build (player, uri, error)) {
    return player;
  }
  player_free (player);
  return NULL;
}

void
player_free (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  gst_bus_set_flushing (player->bus, TRUE);
  gst_object_unref (player->bus);
  gst_object_unref (player->pipeline);
  g_main_loop_unref (player->loop);
  g_clear_error (&player->error);
  g_mutex_clear (&player->lock);
  if (player->fd >= 0)
    close (player->fd);
  g_free (player->other_media);
  g_free (player->missing);
  g_free (player->name);
  g_free (player);
}

/* ---- playing it ---------------------------------------------------------------------------------------------------- */

static const gchar *
player_get_format (GstElement *element, const gchar *pad_name, gchar **format)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, pad_name);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  *format = caps != NULL ? g_strdup (gst_structure_get_string (gst_caps_get_structure (caps, 0), "format")) : NULL;
  return *format;
}

static void
player_tell_conversion (Player *player)
{
  g_autofree gchar *from = NULL, *to = NULL;

  guint had, has;

  if (player->convert == NULL || player->is_conversion_told || player_get_format (player->convert, "sink", &from) == NULL
      || player_get_format (player->convert, "src", &to) == NULL)
    return;
  player->is_conversion_told = TRUE;
  had = player_get_depth (gst_video_format_get_info (gst_video_format_from_string (from)));
  has = player_get_depth (gst_video_format_get_info (gst_video_format_from_string (to)));
  if (has < had)
    command_warn (
        "frames of \"%s\" are decoded to %s, which is not counted as it is: they are converted to %s, with %u of their "
        "%u bits.",
        player->name, from, to, has, had);
  else
    command_warn ("frames of \"%s\" are decoded to %s, which is not counted as it is: they are converted to %s.", player->name,
                  from, to);
}

static void
player_take_note (Player *player, const GstStructure *note)
{
  if (gst_structure_has_name (note, "no-video")) {
    player_explain (player);
    g_main_loop_quit (player->loop);
  } else if (gst_structure_has_name (note, "other-memory")) {
    player_fail (player, FALSE, "\"%s\" is decoded into memory that is not counted, and that GStreamer cannot convert.",
                 player->name);
    g_main_loop_quit (player->loop);
  } else {
    command_warn ("\"%s\" has more than one video stream; the first is measured.", player->name);
  }
}

static gboolean
player_take_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Player *player = user_data;

  (void)bus;
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
    if (missing_is_message (message))
      player_take_missing (player, message);
    else if (GST_MESSAGE_SRC (message) == GST_OBJECT (player->histo) && player->options.message != NULL)
      player->options.message (message, player->options.data);
    break;
  case GST_MESSAGE_APPLICATION:
    player_take_note (player, gst_message_get_structure (message));
    break;
  case GST_MESSAGE_ASYNC_DONE:
    player_tell_conversion (player);
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

/* -1: not known. */
static void
player_measure (Player *player, gint64 *position, gint64 *duration)
{
  const GstFormat format = player->options.is_bytes ? GST_FORMAT_BYTES : GST_FORMAT_TIME;
  GstElement *asked = player->options.is_bytes ? player->source : player->pipeline;
  GstStructure *stats;
  guint64 counted = 0;

  if (!gst_element_query_duration (asked, format, duration))
    *duration = -1;
  if (player->options.is_bytes) {
    g_object_get (player->histo, "stats", &stats, NULL);
    gst_structure_get_uint64 (stats, "bytes-counted", &counted);
    gst_structure_free (stats);
    *position = (gint64)counted;
  } else if (!gst_element_query_position (player->pipeline, format, position)) {
    *position = -1;
  }
}

static gboolean
player_tell_progress (gpointer user_data)
{
  Player *player = user_data;
  gint64 position, duration;

  player_measure (player, &position, &duration);
  if (player->options.progress != NULL)
    player->options.progress ((guint64)position, (guint64)duration, player->options.data); /* -1: GST_CLOCK_TIME_NONE */
  player_check_end (player, position, duration);
  return G_SOURCE_CONTINUE;
}

/* The element is ready before the source asks what is taken behind it: it knows then whether a GPU counts. Where it cannot
 * start the source has not been touched. */
static void
player_start (Player *player)
{
  if (gst_element_set_state (player->histo, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE
      || gst_element_set_state (player->pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    player_fail (player, TRUE, "\"%s\" cannot be played.", player->name);
  else if (!player->is_interrupted)
    g_main_loop_run (player->loop);
}

/* READY keeps the bus: what the element reports when it stops is there. */
static void
player_stop (Player *player)
{
  GstMessage *message;

  player_tell_progress (player);
  gst_element_set_state (player->pipeline, GST_STATE_READY);
  while ((message = gst_bus_pop (player->bus)) != NULL) {
    player_take_message (player->bus, message, player);
    gst_message_unref (message);
  }
}

PlayerEnd
player_run (Player *player, GError **error)
{
  guint watch = gst_bus_add_watch (player->bus, player_take_message, player);
  guint timer = g_timeout_add (PROGRESS_MS, player_tell_progress, player);

  player_start (player);
  g_source_remove (timer);
  g_source_remove (watch);
  player_stop (player);
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
  GstClockTime start;

  g_mutex_lock (&player->lock);
  start = player->start;
  g_mutex_unlock (&player->lock);
  return start;
}

void
player_interrupt (Player *player)
{
  player->is_interrupted = TRUE;
  g_main_loop_quit (player->loop);
}
