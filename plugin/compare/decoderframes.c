/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/decoderprivate.h"

void
gst_cuda_histo_decoder_clear_frame (GstCudaHistoDecoderFrame *frame)
{
  g_clear_pointer (&frame->sample, gst_sample_unref);
}

void
gst_cuda_histo_decoder_free_frame (gpointer data)
{
  gst_cuda_histo_decoder_clear_frame (data);
  g_free (data);
}

/* FALSE: the sample is outside its segment and not shown. A frame that begins before its segment keeps its own time. */
static gboolean
gst_cuda_histo_decoder_get_time (GstCudaHistoDecoder *decoder, GstSample *sample, GstClockTime *time)
{
  const GstSegment *segment = gst_sample_get_segment (sample);
  const GstClockTime pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));

  *time = GST_CLOCK_TIME_NONE;
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (pts))
    return TRUE;
  if (gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME, pts, time) <= 0)
    return FALSE;
  *time = decoding_timeline_follow (&decoder->line, pts, *time);
  return TRUE;
}

gboolean
gst_cuda_histo_decoder_pull (GstCudaHistoDecoder *decoder)
{
  g_autoptr (GstSample) sample = gst_app_sink_try_pull_sample (decoder->sink, 0);
  GstCudaHistoDecoderFrame *frame;
  GstClockTime time;

  if (sample == NULL)
    return FALSE;
  if (!gst_cuda_histo_decoder_get_time (decoder, sample, &time))
    return TRUE;
  frame = g_new0 (GstCudaHistoDecoderFrame, 1);
  frame->sample = g_steal_pointer (&sample);
  frame->time = time;
  frame->number = decoder->next_number++;
  if (frame->number == 0) {
    decoder->first_time = time;
    decoder->times = (GstCudaHistoTimestamps){ 0 };
  }
  frame->first_time = decoder->first_time;
  frame->repeats = gst_cuda_histo_timestamps_follow (&decoder->times, time);
  g_queue_push_tail (&decoder->frames, frame);
  return TRUE;
}

/* Compares a frame with a time, or with a number if either time is unknown. */
static gint
gst_cuda_histo_decoder_compare (const GstCudaHistoDecoderFrame *frame, GstClockTime time, guint64 number)
{
  if (!GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (frame->time))
    return frame->number < number ? -1 : frame->number > number;
  return frame->time < time ? -1 : frame->time > time;
}

/* Skips the last frame but one if time stands still at both: neither is needed, and there may be any number of them. */
static void
gst_cuda_histo_decoder_skip_still (GstCudaHistoDecoder *decoder)
{
  GList *last = decoder->frames.tail, *link = last != NULL ? last->prev : NULL;
  const GstCudaHistoDecoderFrame *frame = link != NULL ? link->data : NULL;

  if (frame == NULL || !gst_cuda_histo_timestamps_stand_still (frame->repeats)
      || ((GstCudaHistoDecoderFrame *)last->data)->repeats <= frame->repeats)
    return;
  gst_cuda_histo_decoder_free_frame (link->data);
  g_queue_delete_link (&decoder->frames, link);
}

gboolean
gst_cuda_histo_decoder_go_on_now (GstCudaHistoDecoder *decoder)
{
  GstCudaHistoDecoderFrame *frame = g_queue_peek_tail (&decoder->frames);

  if (!decoder->goes_on || decoder->is_seeking
      || (frame != NULL && gst_cuda_histo_decoder_compare (frame, decoder->until, decoder->until_number) >= 0)
      || !gst_cuda_histo_decoder_pull (decoder))
    return FALSE;
  if (GST_CLOCK_TIME_IS_VALID (decoder->from))
    gst_cuda_histo_decoder_skip_still (decoder);
  while ((frame = g_queue_peek_nth (&decoder->frames, 1)) != NULL
         && gst_cuda_histo_decoder_compare (frame, decoder->from, decoder->until_number) <= 0) {
    gst_cuda_histo_decoder_free_frame (g_queue_pop_head (&decoder->frames));
    frame->follows_skipped = TRUE;
  }
  return TRUE;
}
