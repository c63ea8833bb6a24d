/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/debug.h"
#include "common/post.h"
#include "compare/decoderprivate.h"
#include "decoding/choice.h"
#include "decoding/location.h"
#include "decoding/times.h"
#include "decoding/track.h"

void
gst_cuda_histo_decoder_fail (GstCudaHistoDecoder *decoder, GError *error)
{
  g_mutex_lock (&decoder->lock);
  if (decoder->error == NULL)
    decoder->error = error;
  else
    g_error_free (error);
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

void
gst_cuda_histo_decoder_pass_messages (GstCudaHistoDecoder *decoder, gboolean is_last)
{
  g_autofree gchar *warning = NULL;
  GstStructure *missing;
  guint64 count;

  g_mutex_lock (&decoder->lock);
  while (decoder->owner != NULL && (missing = g_queue_pop_head (&decoder->missing)) != NULL) {
    g_mutex_unlock (&decoder->lock);
    gst_element_post_message (decoder->owner, gst_message_new_element (GST_OBJECT (decoder->owner), missing));
    g_mutex_lock (&decoder->lock);
  }
  count = is_last ? gst_cuda_histo_rate_limit_finish (&decoder->warnings) : gst_cuda_histo_rate_limit_take (&decoder->warnings);
  if (count > 0)
    warning = g_steal_pointer (&decoder->warning);
  g_mutex_unlock (&decoder->lock);
  if (warning != NULL && decoder->owner != NULL)
    gst_cuda_histo_post (decoder->owner, GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
                         g_strdup_printf ("The reference \"%s\" %s", decoder->location, warning),
                         g_strdup_printf ("%" G_GUINT64_FORMAT " %s of its decoder since the last report", count,
                                          count == 1 ? "warning" : "warnings"));
}

GError *
gst_cuda_histo_decoder_new_codec_error (GstCudaHistoDecoder *decoder)
{
  return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND,
                      "The reference \"%s\" has no video that the installed plugins can decode.", decoder->location);
}

/* Returns the pipeline's error as a text for users. */
static GError *
gst_cuda_histo_decoder_translate (GstCudaHistoDecoder *decoder, const GError *error)
{
  if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND))
    return g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "The reference \"%s\" does not exist.",
                        decoder->location);
  if (error->domain == GST_RESOURCE_ERROR)
    return g_error_new (error->domain, error->code, "The reference \"%s\" cannot be read: %s", decoder->location,
                        error->message);
  if (g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN))
    return gst_cuda_histo_decoder_new_codec_error (decoder);
  return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "The reference \"%s\" cannot be decoded: %s",
                      decoder->location, error->message);
}

static void
gst_cuda_histo_decoder_take_missing (GstCudaHistoDecoder *decoder, const GstStructure *missing)
{
  if (!gst_structure_has_name (missing, "missing-plugin") || !decoding_track_needs_missing (missing))
    return;
  g_mutex_lock (&decoder->lock);
  decoder->lacks_decoder = TRUE;
  g_queue_push_tail (&decoder->missing, gst_structure_copy (missing));
  g_mutex_unlock (&decoder->lock);
}

/* Passes on the pipeline's request for a context, at once and on its thread, since the requesting element waits. The owner, a
 * bin around it or the application gives that element its context. */
static void
gst_cuda_histo_decoder_pass_context (GstCudaHistoDecoder *decoder, GstMessage *message)
{
  g_autoptr (GstElement) owner = NULL;
  g_autoptr (GstContext) context = NULL;
  const gchar *type;

  g_mutex_lock (&decoder->lock);
  if (decoder->owner != NULL && !decoder->is_stopping)
    owner = gst_object_ref (decoder->owner);
  g_mutex_unlock (&decoder->lock);
  if (owner == NULL)
    return;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT && gst_message_parse_context_type (message, &type))
    context = gst_element_get_context (owner, type);
  if (context != NULL)
    gst_element_set_context (GST_ELEMENT (GST_MESSAGE_SRC (message)), context);
  else
    gst_element_post_message (owner, gst_message_ref (message));
}

/* Returns the text and the detail of a message, with passwords removed from URIs. */
static void
gst_cuda_histo_decoder_parse (GstCudaHistoDecoder *decoder, GstMessage *message,
                              void (*parse) (GstMessage *, GError **, gchar **), GError **error, gchar **detail)
{
  decoding_location_parse_message (message, parse, decoder->uri, error, detail);
  if (*error == NULL) /* testbin posts messages without an error */
    *error = g_error_new_literal (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "GStreamer gives no reason.");
}

/* `warning` completes a sentence about the reference. Takes it. */
static void
gst_cuda_histo_decoder_add_warning (GstCudaHistoDecoder *decoder, gchar *warning)
{
  g_mutex_lock (&decoder->lock);
  gst_cuda_histo_rate_limit_add (&decoder->warnings, 1);
  g_free (decoder->warning);
  decoder->warning = warning;
  g_mutex_unlock (&decoder->lock);
}

static gboolean
gst_cuda_histo_decoder_is_stopping (GstCudaHistoDecoder *decoder)
{
  gboolean is_stopping;

  g_mutex_lock (&decoder->lock);
  is_stopping = decoder->is_stopping;
  g_mutex_unlock (&decoder->lock);
  return is_stopping;
}

GstBusSyncReply
gst_cuda_histo_decoder_take_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;
  g_autofree gchar *detail = NULL;
  g_autoptr (GError) error = NULL;
  GstState state;

  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    gst_cuda_histo_decoder_parse (decoder, message, gst_message_parse_error, &error, &detail);
    GST_INFO_OBJECT (decoder->pipeline, "%s: %s (%s)", decoder->location, error->message, detail);
    gst_cuda_histo_decoder_fail (decoder, gst_cuda_histo_decoder_translate (decoder, error));
    break;
  case GST_MESSAGE_WARNING:
    gst_cuda_histo_decoder_parse (decoder, message, gst_message_parse_warning, &error, &detail);
    GST_WARNING_OBJECT (decoder->pipeline, "%s: %s (%s)", decoder->location, error->message, detail);
    /* Without a decoder for video, an error follows. Elements also warn if they are stopped while decodebin connects
     * them. */
    if (!g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND)
        && !gst_cuda_histo_decoder_is_stopping (decoder))
      gst_cuda_histo_decoder_add_warning (decoder, g_strdup_printf ("may be damaged: %s", error->message));
    break;
  case GST_MESSAGE_ELEMENT:
    gst_cuda_histo_decoder_take_missing (decoder, gst_message_get_structure (message));
    if (gst_message_has_name (message, DECODING_TIMES_MESSAGE))
      gst_cuda_histo_decoder_add_warning (decoder, decoding_times_explain (gst_message_get_structure (message)));
    else if (gst_message_has_name (message, DECODING_CHOICE_MESSAGE))
      gst_cuda_histo_decoder_add_warning (decoder, decoding_choice_explain (gst_message_get_structure (message)));
    break;
  case GST_MESSAGE_NEED_CONTEXT:
  case GST_MESSAGE_HAVE_CONTEXT:
    gst_cuda_histo_decoder_pass_context (decoder, message);
    break;
  case GST_MESSAGE_STATE_CHANGED:
    gst_message_parse_state_changed (message, NULL, &state, NULL);
    if (GST_MESSAGE_SRC (message) != GST_OBJECT (decoder->pipeline) || state != GST_STATE_PLAYING)
      break;
    g_mutex_lock (&decoder->lock);
    decoder->is_playing = TRUE;
    g_cond_broadcast (&decoder->changed);
    g_mutex_unlock (&decoder->lock);
    break;
  default:
    break;
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}
