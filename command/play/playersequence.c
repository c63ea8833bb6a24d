/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gio/gio.h>
#include <gst/video/gstvideodecoder.h>

#include "common/command.h"
#include "play/picturesource.h"
#include "play/playerprivate.h"

#define DEFAULT_RATE 25

static gboolean
player_check_pictures (Player *player, const Sequence *sequence, GError **error)
{
  if (!g_str_equal (sequence->type, "DPX"))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
               "\"%s\" has pictures of %s, which GStreamer does not decode. Convert them: `ffmpeg -framerate %d/%d -i PICTURES "
               "-c:v ffv1 film.mkv`.",
               player->name, sequence->type, player->options.framerate_numerator, player->options.framerate_denominator);
  return FALSE;
}

/* Tells decoders that each buffer is a picture. Otherwise they search for its end; openexrdec finds that only at EOS. */
static void
player_take_decoder (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element,
                     gpointer user_data G_GNUC_UNUSED)
{
  if (GST_IS_VIDEO_DECODER (element))
    gst_video_decoder_set_packetized (GST_VIDEO_DECODER (element), TRUE);
}

static void
player_warn_of_sequence (Player *player, gboolean has_rate)
{
  const Sequence *sequence = player->sequence;
  const guint64 n_places = g_array_index (sequence->places, guint64, sequence->places->len - 1) + 1;

  if (!has_rate)
    command_warn ("the pictures of \"%s\" are measured at %d frames per second: --framerate sets another rate.", player->name,
                  DEFAULT_RATE);
  if (sequence->n_others > 0)
    command_warn ("%u %s in \"%s\" %s not a picture, and %s skipped.", sequence->n_others,
                  sequence->n_others == 1 ? "file" : "files", player->name, sequence->n_others == 1 ? "is" : "are",
                  sequence->n_others == 1 ? "is" : "are");
  if (sequence->missing != NULL)
    command_warn ("%" G_GUINT64_FORMAT " of the %" G_GUINT64_FORMAT " pictures of \"%s\" %s missing: %s.", sequence->n_missing,
                  n_places, player->name, sequence->n_missing == 1 ? "is" : "are", sequence->missing);
}

gboolean
player_open_sequence (Player *player, const gchar *where, GError **error)
{
  const gboolean has_rate = player->options.framerate_numerator > 0;

  if (!has_rate) {
    player->options.framerate_numerator = DEFAULT_RATE;
    player->options.framerate_denominator = 1;
  }
  player->sequence = sequence_find (where, error);
  if (player->sequence == NULL || !player_check_pictures (player, player->sequence, error))
    return FALSE;
  player->pictures
      = picture_source_new (player->sequence, player->options.framerate_numerator, player->options.framerate_denominator);
  g_signal_connect (player->pipeline, "deep-element-added", G_CALLBACK (player_take_decoder), NULL);
  player_warn_of_sequence (player, has_rate);
  return TRUE;
}

void
player_check_pictures_end (Player *player)
{
  const guint64 frames = extent_get_video_frames (player->extent);
  const gchar *path, *fault;
  guint count, awaited;

  if (player->sequence == NULL || player->is_interrupted || player->options.part != NULL)
    return;
  count = player->sequence->paths->len;
  awaited = (guint)frames + picture_source_count_skipped (player->pictures);
  if (awaited >= count && frames > 0)
    return;
  awaited = frames == 0 ? 0 : awaited;
  path = g_ptr_array_index (player->sequence->paths, awaited);
  fault = picture_source_get_fault (player->pictures, awaited);
  if (!player->has_ended && fault == NULL)
    return;
  if (fault != NULL)
    player_fail (player, FALSE, "of the %u pictures of \"%s\", GStreamer decoded %" G_GUINT64_FORMAT ": %s %s.", count,
                 player->name, frames, path, fault);
  else
    player_fail (player, FALSE, "of the %u pictures of \"%s\", GStreamer decoded %" G_GUINT64_FORMAT "; it did not decode %s.",
                 count, player->name, frames, path);
}

gboolean
player_has_gaps (Player *player)
{
  return player->sequence != NULL && player->sequence->missing != NULL;
}
