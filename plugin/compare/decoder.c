/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/decoder.h"

#include "common/debug.h"
#include "common/thread.h"
#include "compare/decoderprivate.h"
#include "decoding/location.h"
#include "decoding/track.h"
#include "decoding/watch.h"

#include <unistd.h>

#define PATIENCE_US (20 * G_USEC_PER_SEC) /* for a frame, in microseconds */
#define STOP_US (2 * G_USEC_PER_SEC)
#define INTERRUPT_US (G_USEC_PER_SEC / 10) /* between interruptions */
#define MAX_STUCK 8
#define FRAMES_AHEAD 2 /* in the sink */

static gint n_stuck;   /* atomic: stuck decoders of the process */
static gint n_awaited; /* atomic: decoders whose next frame is awaited */

/* Takes `error`. */
static void
gst_cuda_histo_decoder_fail_to_convert (gpointer user_data, GError *error)
{
  GstCudaHistoDecoder *decoder = user_data;

  gst_cuda_histo_decoder_fail (decoder,
                               g_error_new (error->domain, error->code, "Cannot convert a frame of the reference \"%s\": %s.",
                                            decoder->location, error->message));
  g_error_free (error);
}

static void
gst_cuda_histo_decoder_link_pad (GstElement *source G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder->convert, "sink");

  if (!gst_pad_is_linked (sink)) /* otherwise it is another video stream. Audio cannot be linked */
    gst_pad_link (pad, sink);
}

static void
gst_cuda_histo_decoder_check_pads (GstElement *source G_GNUC_UNUSED, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder->convert, "sink");
  gboolean lacks_decoder;

  g_mutex_lock (&decoder->lock);
  lacks_decoder = decoder->lacks_decoder;
  g_mutex_unlock (&decoder->lock);
  if (!gst_pad_is_linked (sink))
    gst_cuda_histo_decoder_fail (decoder, lacks_decoder
                                              ? gst_cuda_histo_decoder_new_codec_error (decoder)
                                              : g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
                                                             "The reference \"%s\" has no video.", decoder->location));
}

static GstFlowReturn
gst_cuda_histo_decoder_note_sample (GstAppSink *sink G_GNUC_UNUSED, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;

  g_mutex_lock (&decoder->lock);
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
  return GST_FLOW_OK;
}

static void
gst_cuda_histo_decoder_note_end (GstAppSink *sink G_GNUC_UNUSED, gpointer user_data)
{
  GstCudaHistoDecoder *decoder = user_data;

  g_mutex_lock (&decoder->lock);
  decoder->has_ended = TRUE;
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

/* ---- the decoder's thread -------------------------------------------------------------------------------------------- */

static void
gst_cuda_histo_decoder_play (GstCudaHistoDecoder *decoder)
{
  GstStateChangeReturn result;

  gst_cuda_histo_interruption_set_waiting (&decoder->interruption, TRUE);
  result = gst_element_set_state (decoder->pipeline, GST_STATE_PLAYING);
  gst_cuda_histo_interruption_set_waiting (&decoder->interruption, FALSE);
  if (result == GST_STATE_CHANGE_FAILURE)
    gst_cuda_histo_decoder_fail (decoder, g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
                                                       "The reference \"%s\" cannot be read.", decoder->location));
}

/* Whether a seek reaches other frames than requested: in MPEG-TS, by seconds. */
static gboolean
gst_cuda_histo_decoder_seeks_wrongly (GstCudaHistoDecoder *decoder)
{
  GstIterator *demuxers = gst_bin_iterate_all_by_element_factory_name (GST_BIN (decoder->pipeline), "tsdemux");
  g_auto (GValue) demuxer = G_VALUE_INIT;
  GstIteratorResult result;

  while ((result = gst_iterator_next (demuxers, &demuxer)) == GST_ITERATOR_RESYNC)
    gst_iterator_resync (demuxers);
  gst_iterator_free (demuxers);
  return result == GST_ITERATOR_OK;
}

static void
gst_cuda_histo_decoder_seek_now (GstCudaHistoDecoder *decoder, GstClockTime time)
{
  const GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE;
  gboolean is_made, is_stopping;

  gst_cuda_histo_interruption_set_waiting (&decoder->interruption, TRUE);
  is_made = !gst_cuda_histo_decoder_seeks_wrongly (decoder)
            && gst_element_seek_simple (decoder->pipeline, GST_FORMAT_TIME, flags, (gint64)time);
  gst_cuda_histo_interruption_set_waiting (&decoder->interruption, FALSE);
  g_mutex_lock (&decoder->lock);
  is_stopping = decoder->is_stopping;
  g_mutex_unlock (&decoder->lock);
  if (is_made || is_stopping)
    return;
  GST_INFO_OBJECT (decoder->pipeline, "%s cannot seek and is read again from its start", decoder->location);
  gst_element_set_state (decoder->pipeline, GST_STATE_READY);
  g_mutex_lock (&decoder->lock);
  decoder->is_playing = decoder->can_seek = FALSE;
  g_mutex_unlock (&decoder->lock);
  gst_cuda_histo_decoder_play (decoder);
}

/* With `lock` held, which it releases meanwhile: takes a frame that a seek will make obsolete. The seek waits for the change to
 * PLAYING. The streaming thread may hold a lock that this change needs until a frame is taken. FALSE: the sink has no frame. */
static gboolean
gst_cuda_histo_decoder_discard (GstCudaHistoDecoder *decoder)
{
  GstSample *sample = gst_app_sink_try_pull_sample (decoder->sink, 0);

  if (sample == NULL)
    return FALSE;
  g_mutex_unlock (&decoder->lock);
  gst_sample_unref (sample); /* which may run code of the buffer's owner */
  g_mutex_lock (&decoder->lock);
  return TRUE;
}

/* With `lock` held: makes the requested seek once the pipeline is playing, and discards frames until then. FALSE: nothing to do
 * yet. */
static gboolean
gst_cuda_histo_decoder_work (GstCudaHistoDecoder *decoder)
{
  const GstClockTime time = decoder->seek_time;

  if (!decoder->is_seeking)
    return gst_cuda_histo_decoder_go_on_now (decoder);
  if (decoder->error != NULL)
    return FALSE;
  if (!decoder->is_playing)
    return gst_cuda_histo_decoder_discard (decoder);
  decoder->has_ended = FALSE;
  g_mutex_unlock (&decoder->lock);
  gst_cuda_histo_decoder_seek_now (decoder, time);
  g_mutex_lock (&decoder->lock);
  decoder->is_seeking = time != decoder->seek_time; /* another seek may have been requested meanwhile */
  g_cond_broadcast (&decoder->changed);
  return TRUE;
}

static gpointer
gst_cuda_histo_decoder_run (gpointer data)
{
  GstCudaHistoDecoder *decoder = data;

  gst_cuda_histo_decoder_play (decoder);
  g_mutex_lock (&decoder->lock);
  while (!decoder->is_stopping) {
    if (!gst_cuda_histo_decoder_work (decoder))
      g_cond_wait (&decoder->changed, &decoder->lock);
  }
  g_mutex_unlock (&decoder->lock);
  gst_element_set_state (decoder->pipeline, GST_STATE_NULL);
  g_mutex_lock (&decoder->lock);
  decoder->has_stopped = TRUE;
  if (decoder->is_stuck)
    g_atomic_int_add (&n_stuck, -1);
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
  gst_cuda_histo_decoder_unref (decoder);
  return NULL;
}

/* ---- for the owner --------------------------------------------------------------------------------------------------- */

static GstElement *
gst_cuda_histo_decoder_add_element (GstCudaHistoDecoder *decoder, const gchar *name, GError **error)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  if (element == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
                 "Cannot read a reference without the element %s. Install GStreamer's base plugins.", name);
  else
    gst_bin_add (GST_BIN (decoder->pipeline), element);
  return element;
}

static gboolean
gst_cuda_histo_decoder_build (GstCudaHistoDecoder *decoder, const gchar *uri, GError **error)
{
  GstAppSinkCallbacks callbacks = { .new_sample = gst_cuda_histo_decoder_note_sample, .eos = gst_cuda_histo_decoder_note_end };
  GstElement *source = gst_cuda_histo_decoder_add_element (decoder, "uridecodebin", error);
  g_autofree gchar *open_uri = decoding_location_open (uri, &decoder->fd);
  g_autoptr (GstBus) bus = NULL;
  GstElement *filter, *sink;

  if (source == NULL || (decoder->convert = gst_cuda_histo_decoder_add_element (decoder, "videoconvert", error)) == NULL
      || (filter = gst_cuda_histo_decoder_add_element (decoder, "capsfilter", error)) == NULL
      || (sink = gst_cuda_histo_decoder_add_element (decoder, "appsink", error)) == NULL)
    return FALSE;

  decoder->sink = GST_APP_SINK (sink);
  g_object_set (source, "uri", open_uri != NULL ? open_uri : uri, "force-sw-decoders", TRUE,
                NULL); /* for frames in system memory */
  decoding_prepare_sink (sink, FALSE);
  gst_app_sink_set_max_buffers (decoder->sink, FRAMES_AHEAD);
  gst_app_sink_set_callbacks (decoder->sink, &callbacks, decoder, NULL);
  decoding_watch (decoder->pipeline, source);
  decoding_choose_clock (decoder->pipeline, open_uri != NULL ? open_uri : uri);
  g_signal_connect (source, "autoplug-continue", G_CALLBACK (decoding_track_decodes), NULL);
  g_signal_connect (source, "pad-added", G_CALLBACK (gst_cuda_histo_decoder_link_pad), decoder);
  g_signal_connect (source, "no-more-pads", G_CALLBACK (gst_cuda_histo_decoder_check_pads), decoder);
  decoder->conversion = gst_cuda_histo_conversion_new (&decoder->info, decoder->pipeline, decoder->convert, filter, sink,
                                                       gst_cuda_histo_decoder_fail_to_convert, decoder);
  bus = gst_pipeline_get_bus (GST_PIPELINE (decoder->pipeline));
  gst_bus_set_sync_handler (bus, gst_cuda_histo_decoder_take_message, decoder, NULL);
  return gst_element_link_many (decoder->convert, filter, sink, NULL);
}

static GstCudaHistoDecoder *
gst_cuda_histo_decoder_ref (GstCudaHistoDecoder *decoder)
{
  g_atomic_ref_count_inc (&decoder->ref_count);
  return decoder;
}

void
gst_cuda_histo_decoder_unref (GstCudaHistoDecoder *decoder)
{
  if (!g_atomic_ref_count_dec (&decoder->ref_count))
    return;
  gst_cuda_histo_interruption_clear (&decoder->interruption);
  gst_object_unref (decoder->pipeline);
  if (decoder->fd >= 0)
    close (decoder->fd);
  g_clear_pointer (&decoder->conversion, gst_cuda_histo_conversion_free);
  g_mutex_clear (&decoder->lock);
  g_cond_clear (&decoder->changed);
  g_clear_error (&decoder->error);
  g_queue_clear_full (&decoder->frames, gst_cuda_histo_decoder_free_frame);
  g_queue_clear_full (&decoder->missing, (GDestroyNotify)gst_structure_free);
  g_free (decoder->warning);
  g_free (decoder->location);
  g_free (decoder->uri);
  g_free (decoder);
}

GstCudaHistoDecoder *
gst_cuda_histo_decoder_new (GstElement *owner, const gchar *location, const GstVideoInfo *info, GError **error)
{
  const gboolean is_uri = decoding_location_is_uri (location);
  g_autofree gchar *uri = is_uri ? g_strdup (location) : gst_filename_to_uri (location, error);
  g_autofree gchar *name = g_strdup_printf ("%s-reference", owner != NULL ? GST_OBJECT_NAME (owner) : "cudahisto");
  GstCudaHistoDecoder *decoder;

  if (uri == NULL)
    return NULL;
  if (gst_cuda_histo_decoder_count_stuck () >= MAX_STUCK) {
    g_set_error (
        error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY,
        "Cannot read another reference: %d stopped references are stuck in reads that do not end, each with its threads "
        "(references-stuck of the property stats). Restart the process.",
        MAX_STUCK);
    return NULL;
  }
  decoder = g_new0 (GstCudaHistoDecoder, 1);
  g_atomic_ref_count_init (&decoder->ref_count);
  decoder->owner = owner;
  decoder->location = is_uri ? decoding_location_hide_secrets (location) : g_strdup (location);
  decoder->uri = g_strdup (uri);
  decoder->fd = -1;
  decoder->info = *info;
  decoder->can_seek = TRUE;
  decoder->pipeline = gst_object_ref_sink (gst_pipeline_new (name));
  gst_cuda_histo_interruption_init (&decoder->interruption, decoder->pipeline);
  g_mutex_init (&decoder->lock);
  g_cond_init (&decoder->changed);
  GST_INFO_OBJECT (owner, "reference %s", decoder->location);
  if (gst_cuda_histo_decoder_build (decoder, uri, error)) {
    /* No element owns it in STREAM_STATUS messages: it may outlive the element. */
    decoder->thread = gst_cuda_histo_thread_new (NULL, "histo-reference", gst_cuda_histo_decoder_run,
                                                 gst_cuda_histo_decoder_ref (decoder), error);
    if (decoder->thread != NULL)
      return decoder;
    gst_cuda_histo_decoder_unref (decoder);
  }
  gst_cuda_histo_decoder_unref (decoder);
  return NULL;
}

/* With `lock` held. FALSE: no outcome yet. */
static gboolean
gst_cuda_histo_decoder_look (GstCudaHistoDecoder *decoder, GstCudaHistoDecoderOutcome *outcome, GstCudaHistoDecoderFrame *frame)
{
  GstCudaHistoDecoderFrame *first;

  if (decoder->is_flushing || decoder->is_stopping) {
    *outcome = GST_CUDA_HISTO_DECODER_FLUSHING;
    return TRUE;
  }
  while (!decoder->is_seeking && g_queue_is_empty (&decoder->frames) && gst_cuda_histo_decoder_pull (decoder))
    ;
  if ((first = g_queue_pop_head (&decoder->frames)) != NULL) {
    *frame = *first;
    g_free (first);
    *outcome = GST_CUDA_HISTO_DECODER_FRAME;
    return TRUE;
  }
  if (decoder->error != NULL) {
    *outcome = GST_CUDA_HISTO_DECODER_FAILED;
    return TRUE;
  }
  /* An EOS from before the seek is obsolete. */
  *outcome = GST_CUDA_HISTO_DECODER_END;
  return !decoder->is_seeking && decoder->has_ended && gst_app_sink_is_eos (decoder->sink);
}

GstCudaHistoDecoderOutcome
gst_cuda_histo_decoder_next (GstCudaHistoDecoder *decoder, gboolean waits, GstCudaHistoDecoderFrame *frame, GError **error)
{
  const gint64 deadline = g_get_monotonic_time () + PATIENCE_US;
  GstCudaHistoDecoderOutcome outcome;

  gst_cuda_histo_decoder_pass_messages (decoder, FALSE); /* first: handlers may stop the decoder */
  g_mutex_lock (&decoder->lock);
  g_atomic_int_add (&n_awaited, waits ? 1 : 0);
  while (!gst_cuda_histo_decoder_look (decoder, &outcome, frame)) {
    if (!waits) {
      outcome = GST_CUDA_HISTO_DECODER_LATE;
      break;
    }
    if (!g_cond_wait_until (&decoder->changed, &decoder->lock, deadline) && decoder->error == NULL)
      decoder->error
          = g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "The reference \"%s\" has given no frame for %d seconds.",
                         decoder->location, (gint)(PATIENCE_US / G_USEC_PER_SEC));
  }
  g_atomic_int_add (&n_awaited, waits ? -1 : 0);
  if (outcome == GST_CUDA_HISTO_DECODER_FAILED && error != NULL)
    *error = g_error_copy (decoder->error);
  g_mutex_unlock (&decoder->lock);
  if (outcome == GST_CUDA_HISTO_DECODER_FAILED) /* warnings explain the error that follows */
    gst_cuda_histo_decoder_pass_messages (decoder, FALSE);
  return outcome;
}

void
gst_cuda_histo_decoder_seek (GstCudaHistoDecoder *decoder, GstClockTime stream_time)
{
  g_mutex_lock (&decoder->lock);
  decoder->is_seeking = TRUE;
  decoder->seek_time = stream_time;
  decoder->goes_on = FALSE;
  decoder->next_number = 0;
  g_queue_clear_full (&decoder->frames, gst_cuda_histo_decoder_free_frame);
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

gboolean
gst_cuda_histo_decoder_can_seek (GstCudaHistoDecoder *decoder)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&decoder->lock);

  return decoder->can_seek;
}

void
gst_cuda_histo_decoder_go_on (GstCudaHistoDecoder *decoder, GstClockTime from, GstClockTime until, guint64 number)
{
  g_mutex_lock (&decoder->lock);
  decoder->goes_on = TRUE;
  decoder->from = from;
  decoder->until = until;
  decoder->until_number = number;
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

void
gst_cuda_histo_decoder_set_flushing (GstCudaHistoDecoder *decoder, gboolean flushing)
{
  g_mutex_lock (&decoder->lock);
  decoder->is_flushing = flushing;
  g_cond_broadcast (&decoder->changed);
  g_mutex_unlock (&decoder->lock);
}

guint
gst_cuda_histo_decoder_count_stuck (void)
{
  return (guint)g_atomic_int_get (&n_stuck);
}

guint
gst_cuda_histo_decoder_count_awaited (void)
{
  return (guint)g_atomic_int_get (&n_awaited);
}

/* With `lock` held: waits until the pipeline has stopped, or until the deadline. */
static void
gst_cuda_histo_decoder_await_stop (GstCudaHistoDecoder *decoder, gint64 deadline)
{
  while (!decoder->has_stopped && g_get_monotonic_time () < deadline) {
    if (g_cond_wait_until (&decoder->changed, &decoder->lock, g_get_monotonic_time () + INTERRUPT_US))
      continue;
    g_mutex_unlock (&decoder->lock);
    gst_cuda_histo_interruption_make (&decoder->interruption);
    g_mutex_lock (&decoder->lock);
  }
}

void
gst_cuda_histo_decoder_stop (GstCudaHistoDecoder *decoder)
{
  const gint64 deadline = g_get_monotonic_time () + STOP_US;

  /* A full appsink waits while it holds a lock that a state change needs. An appsink with untaken frames waits in the same way
   * at the end of the stream. The pipeline may still be changing state, even in the decoder's thread. */
  g_object_set (decoder->sink, "drop", TRUE, "wait-on-eos", FALSE, NULL);
  g_mutex_lock (&decoder->lock);
  decoder->is_stopping = TRUE;
  g_cond_broadcast (&decoder->changed);
  gst_cuda_histo_decoder_await_stop (decoder, deadline);
  if (decoder->has_stopped) {
    g_mutex_unlock (&decoder->lock);
    g_thread_join (decoder->thread);
    gst_cuda_histo_decoder_pass_messages (decoder, TRUE);
    return;
  }
  decoder->is_stuck = TRUE;
  g_atomic_int_inc (&n_stuck);
  g_mutex_unlock (&decoder->lock);
  GST_WARNING_OBJECT (decoder->pipeline, "%s is stuck; its thread stops it later", decoder->location);
  g_thread_unref (decoder->thread);
}
