/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gstcudahistoprivate.h"

#include "frame/cudacontext.h"
#include "frame/source.h"

/* Maps a picture of a video buffer in its memory. FALSE after a failure. *frame is NULL, with *error, if the picture has to be
 * skipped. */
static gboolean
gst_cuda_histo_map_video (GstCudaHisto *self, GstBuffer *buffer, guint index, GstCudaHistoFrame **frame, GError **error)
{
  GstCudaHistoCudaMemory memory;

  *frame = NULL;
  if (!self->is_cuda || !gst_cuda_histo_cuda_inspect (buffer, &memory)) {
    *frame = gst_cuda_histo_frame_map_video (&self->info, buffer, index, error);
    return TRUE;
  }
  if (!gst_cuda_histo_follow_context (self, memory.context))
    return FALSE;
  *frame = gst_cuda_histo_frame_map_cuda (&self->info, buffer, index, error);
  return TRUE;
}

static void
gst_cuda_histo_unref_frames (GstCudaHistoFrame **frames, guint count)
{
  for (guint i = 0; i < count; i++)
    gst_cuda_histo_frame_unref (frames[i]);
}

/* Maps all before any is counted: a buffer is counted as a whole or not at all. FALSE after a failure. *count is 0, with
 * *error, if the buffer has to be skipped. */
static gboolean
gst_cuda_histo_map_pictures (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoFrame **frames, guint *count, GError **error)
{
  guint pictures = MIN (gst_cuda_histo_picture_get_count (&self->info), GST_CUDA_HISTO_MAX_PICTURES), mapped;
  gboolean succeeded = TRUE;

  for (mapped = 0; mapped < pictures; mapped++) {
    succeeded = gst_cuda_histo_map_video (self, buffer, mapped, &frames[mapped], error);
    if (!succeeded || frames[mapped] == NULL)
      break;
    if ((self->statistics & GST_CUDA_HISTO_COLOUR_STATISTICS) != 0
        && !gst_cuda_histo_frame_has_one_direction (frames[mapped])) {
      g_set_error (
          error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED,
          "some planes of a %s frame are stored from top to bottom and others from bottom to top, which statistics of colours "
          "do not support",
          self->info.finfo->name);
      gst_cuda_histo_frame_unref (frames[mapped]);
      break;
    }
  }
  *count = mapped == pictures ? pictures : 0;
  gst_cuda_histo_unref_frames (frames, mapped - *count);
  return succeeded;
}

/* Whether arrays of chroma may have another length than before, because the crop rectangle has moved. */
static gboolean
gst_cuda_histo_resizes_arrays (GstCudaHisto *self, const GstCudaHistoSource *source)
{
  const guint32 of_columns = GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS | GST_CUDA_HISTO_STATISTICS_WAVEFORM;
  const guint32 statistics = (guint32)self->active.statistics;

  return (source->phase_x != self->source.phase_x && (statistics & of_columns) != 0)
         || (source->phase_y != self->source.phase_y && (statistics & GST_CUDA_HISTO_STATISTICS_ROW_SUMS) != 0);
}

/* Sets the visible part of the picture, and ends the window if the size of results has changed. If only arrays have another
 * size, the stream and its events continue. */
static void
gst_cuda_histo_follow_crop (GstCudaHisto *self, const GstCudaHistoFrame *frame)
{
  const gint breaks = g_atomic_int_get (&self->breaks);
  GstCudaHistoSource source = self->source;
  const gboolean is_resized = gst_cuda_histo_source_set_frame (&source, &self->info, frame);

  if (is_resized)
    gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_CROP);
  else if (gst_cuda_histo_resizes_arrays (self, &source))
    gst_cuda_histo_divide_stream (self, GST_CUDA_HISTO_ENDED_BY_CROP);
  if (breaks != g_atomic_int_get (&self->breaks))
    return;
  self->source = source;
  if (is_resized)
    gst_cuda_histo_choose_statistics (self);
}

gboolean
gst_cuda_histo_count_video (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position, gboolean *closed)
{
  g_autoptr (GError) error = NULL;
  GstCudaHistoFrame *frames[GST_CUDA_HISTO_MAX_PICTURES];
  const gint breaks = g_atomic_int_get (&self->breaks);
  gboolean had_partial_buffer, is_known, succeeded;
  guint count;

  if (self->active.when_busy == GST_CUDA_HISTO_BUSY_SKIP && gst_cuda_histo_counter_is_busy (self->counter)) {
    gst_cuda_histo_skip (self,
                         g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                                      "%u frames, the limit of max-in-flight, are being counted", self->active.max_in_flight));
    return TRUE;
  }
  is_known = gst_cuda_histo_await_verdict (self);
  if (gst_cuda_histo_was_interrupted (self, breaks))
    return TRUE;
  if (!is_known)
    return FALSE;
  if (!gst_cuda_histo_map_pictures (self, buffer, frames, &count, &error))
    return FALSE;
  if (count == 0) {
    gst_cuda_histo_skip (self, g_steal_pointer (&error));
    return TRUE;
  }

  gst_cuda_histo_follow_crop (self, frames[0]);
  if (gst_cuda_histo_was_interrupted (self, breaks)) {
    gst_cuda_histo_unref_frames (frames, count);
    return TRUE;
  }
  gst_cuda_histo_choose_regions (self, buffer);
  if (gst_cuda_histo_was_interrupted (self, breaks)) {
    gst_cuda_histo_unref_frames (frames, count);
    return TRUE;
  }
  succeeded = gst_cuda_histo_find_counterpart (self, frames, count);
  if (gst_cuda_histo_was_interrupted (self, breaks)) {
    gst_cuda_histo_unref_frames (frames, count);
    return TRUE;
  }
  if (!succeeded) {
    gst_cuda_histo_unref_frames (frames, count);
    return FALSE;
  }

  gst_cuda_histo_forget_damage (self);
  had_partial_buffer = self->has_partial_buffer;
  for (guint i = 0; i < count; i++) {
    /* A handler of a message may stop the element, which closes the window. */
    self->has_partial_buffer |= i > 0 && self->window.is_open;
    self->counting.ends_detection = i + 1 == count;
    succeeded = gst_cuda_histo_set_weights (self, frames[i]);
    if (!succeeded || breaks != g_atomic_int_get (&self->breaks))
      gst_cuda_histo_frame_unref (frames[i]);
    else
      succeeded = gst_cuda_histo_count_frame (self, frames[i], i);
    if (gst_cuda_histo_was_interrupted (self, breaks)) {
      gst_cuda_histo_unref_frames (frames + i + 1, count - i - 1);
      return TRUE;
    }
    if (!succeeded) {
      gst_cuda_histo_unref_frames (frames + i + 1, count - i - 1);
      return FALSE;
    }
  }
  self->has_partial_buffer = had_partial_buffer;
  self->previous_regions = self->regions;
  return gst_cuda_histo_add_to_window (self, position, 0, TRUE, TRUE, closed);
}
