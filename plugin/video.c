/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "countbuffer.h"

#include "counting.h"
#include "frame/cudacontext.h"
#include "frame/framemap.h"
#include "frame/source.h"
#include "gstcudahistoprivate.h"

/* The mapped pictures of a buffer that are not yet counted. */
typedef struct {
  GstCudaHistoFrame *frames[GST_CUDA_HISTO_MAX_PICTURES];
  guint first, end; /* frames [first, end) are owned */
} GstCudaHistoPictures;

static void
gst_cuda_histo_drop_pictures (GstCudaHistoPictures *pictures)
{
  while (pictures->first < pictures->end)
    gst_cuda_histo_frame_unref (pictures->frames[pictures->first++]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstCudaHistoPictures, gst_cuda_histo_drop_pictures)

/* Maps a picture of a video buffer in its memory. FALSE after a failure. *frame is NULL, with *error, if the picture has to be
 * skipped. */
static gboolean
gst_cuda_histo_map_video (GstCudaHisto *self, GstBuffer *buffer, guint index, GstCudaHistoFrame **frame, GError **error)
{
  g_autoptr (GstCudaHistoPinner) pinner = gst_cuda_histo_counter_get_pinner (self->use.counter);
  GstCudaHistoCudaMemory memory;

  *frame = NULL;
  if (!self->format.is_cuda || !gst_cuda_histo_cuda_inspect (buffer, &memory)) {
    *frame = gst_cuda_histo_frame_map_video (&self->format.info, buffer, index, pinner, error);
    return TRUE;
  }
  if (!gst_cuda_histo_follow_context (self, memory.context))
    return FALSE;
  *frame = gst_cuda_histo_frame_map_cuda (&self->format.info, buffer, index, pinner, error);
  return TRUE;
}

/* Maps all before any is counted: a buffer is counted as a whole or not at all. FALSE after a failure. There are none, with
 * *error, if the buffer has to be skipped. */
static gboolean
gst_cuda_histo_map_pictures (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPictures *pictures, GError **error)
{
  const guint count = MIN (gst_cuda_histo_picture_get_count (&self->format.info), GST_CUDA_HISTO_MAX_PICTURES);
  gboolean succeeded = TRUE;

  while (pictures->end < count) {
    GstCudaHistoFrame **frame = &pictures->frames[pictures->end];

    succeeded = gst_cuda_histo_map_video (self, buffer, pictures->end, frame, error);
    if (!succeeded || *frame == NULL)
      break;
    pictures->end++;
    if ((self->chosen.statistics & GST_CUDA_HISTO_COLOUR_STATISTICS) != 0 && !gst_cuda_histo_frame_has_one_direction (*frame)) {
      g_set_error (
          error, GST_STREAM_ERROR, GST_STREAM_ERROR_NOT_IMPLEMENTED,
          "some planes of a %s frame are stored from top to bottom and others from bottom to top, which statistics of colours "
          "do not support",
          self->format.info.finfo->name);
      gst_cuda_histo_drop_pictures (pictures);
      break;
    }
  }
  if (pictures->end < count)
    gst_cuda_histo_drop_pictures (pictures);
  return succeeded;
}

/* Whether arrays of chroma may have another length than before, because the crop rectangle has moved. */
static gboolean
gst_cuda_histo_resizes_arrays (GstCudaHisto *self, const GstCudaHistoSource *source)
{
  const guint32 of_columns = GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS | GST_CUDA_HISTO_STATISTICS_WAVEFORM;
  const guint32 statistics = (guint32)self->active.statistics;

  return (source->phase_x != self->format.source.phase_x && (statistics & of_columns) != 0)
         || (source->phase_y != self->format.source.phase_y && (statistics & GST_CUDA_HISTO_STATISTICS_ROW_SUMS) != 0);
}

/* Sets the visible part of the picture, and ends the window if the size of results has changed. If only arrays have another
 * size, the stream and its events continue. */
static void
gst_cuda_histo_follow_crop (GstCudaHisto *self, const GstCudaHistoFrame *frame)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  GstCudaHistoSource source = self->format.source;
  const gboolean is_resized = gst_cuda_histo_source_set_frame (&source, &self->format.info, frame);

  if (is_resized)
    gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_CROP);
  else if (gst_cuda_histo_resizes_arrays (self, &source))
    gst_cuda_histo_divide_stream (self, GST_CUDA_HISTO_ENDED_BY_CROP);
  if (breaks != g_atomic_int_get (&self->host.breaks))
    return;
  self->format.source = source;
  if (is_resized)
    gst_cuda_histo_choose_statistics (self);
}

/* Returns the time that a seek may have cut from the frame's beginning. A cut frame begins its segment, and is shorter than the
 * caps' frame rate. Nothing is cut before stream time 0. */
static GstClockTime
gst_cuda_histo_find_cut (GstCudaHisto *self)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  const GstVideoInfo *info = &self->format.info;
  const GstClockTime duration = self->buffer.counting.duration;
  GstClockTime period;

  if (segment->rate < 0 || GST_BUFFER_PTS (self->buffer.input) != segment->start || GST_VIDEO_INFO_FPS_N (info) <= 0
      || !GST_CLOCK_TIME_IS_VALID (duration))
    return 0;
  period = gst_util_uint64_scale (GST_SECOND, (guint64)GST_VIDEO_INFO_FPS_D (info), (guint64)GST_VIDEO_INFO_FPS_N (info));
  return period > duration ? MIN (period - duration, self->buffer.line_time) : 0;
}

/* Finds the reference's frame for a buffer. FALSE after a failure, and while flushing. */
static gboolean
gst_cuda_histo_find_counterpart (GstCudaHisto *self, const GstCudaHistoPictures *pictures)
{
  const GstCudaHistoCounted *counting = &self->buffer.counting;
  const GstClockTime time = self->buffer.line_time;
  const GstCudaHistoCompared compared = {
    .key = {
      .frame = counting->frame,
      .is_first = self->stream.frames == 1,
      .stream_time = time,
      .duration = counting->duration,
      .cut = gst_cuda_histo_find_cut (self),
      .runs_back = counting->runs_back,
      .lacks_time = !GST_CLOCK_TIME_IS_VALID (time) && self->stream.line.n_frames > 0,
      .repeats = counting->repeats,
      .follows_unknown = GST_BUFFER_IS_DISCONT (self->buffer.input)
                         || gst_cuda_histo_timestamps_follow_unknown (&self->stream.timestamps),
    },
    .frames = pictures->frames,
    .count = pictures->end,
    .context = self->context.shared.context,
    .waits = self->active.when_busy != GST_CUDA_HISTO_BUSY_SKIP,
  };

  return gst_cuda_histo_comparison_find (&self->comparison, &compared, &self->format.source, &self->host);
}

/* Decides on windows, statistics, regions and the counterpart of a buffer. FALSE after a failure, while flushing, and if a
 * handler of a message has flushed or stopped the element. */
static gboolean
gst_cuda_histo_prepare_pictures (GstCudaHisto *self, GstBuffer *buffer, const GstCudaHistoPictures *pictures)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);

  gst_cuda_histo_follow_crop (self, pictures->frames[0]);
  if (breaks != g_atomic_int_get (&self->host.breaks))
    return FALSE;
  gst_cuda_histo_choose_regions (self, buffer);
  return breaks == g_atomic_int_get (&self->host.breaks) && gst_cuda_histo_find_counterpart (self, pictures)
         && breaks == g_atomic_int_get (&self->host.breaks);
}

/* Adds the pictures to the counter. FALSE as above. */
static gboolean
gst_cuda_histo_count_pictures (GstCudaHisto *self, GstCudaHistoPictures *pictures)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  const gboolean had_partial_buffer = self->windows.has_partial_buffer;

  gst_cuda_histo_forget_damage (self);
  while (pictures->first < pictures->end) {
    const guint index = pictures->first++;

    /* A handler of a message may stop the element, which closes the window. */
    self->windows.has_partial_buffer |= index > 0 && self->windows.window.is_open;
    self->buffer.counting.ends_detection = pictures->first == pictures->end;
    if (!gst_cuda_histo_count_picture (self, pictures->frames[index], index) || breaks != g_atomic_int_get (&self->host.breaks))
      return FALSE;
  }
  self->windows.has_partial_buffer = had_partial_buffer;
  self->operands.regions = self->regions.current;
  return TRUE;
}

gboolean
gst_cuda_histo_count_video (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position, gboolean *closed)
{
  g_autoptr (GError) error = NULL;
  g_auto (GstCudaHistoPictures) pictures = { .end = 0 };
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  gboolean succeeded;

  if (self->active.when_busy == GST_CUDA_HISTO_BUSY_SKIP && gst_cuda_histo_counter_is_busy (self->use.counter)) {
    gst_cuda_histo_skip (self, g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "%d frames are already being counted",
                                            GST_CUDA_HISTO_MAX_IN_FLIGHT));
    return TRUE;
  }
  succeeded = gst_cuda_histo_await_verdict (self);
  if (gst_cuda_histo_was_interrupted (self, breaks))
    return TRUE;
  if (!succeeded || !gst_cuda_histo_map_pictures (self, buffer, &pictures, &error))
    return FALSE;
  if (pictures.first == pictures.end) {
    gst_cuda_histo_skip (self, g_steal_pointer (&error));
    return TRUE;
  }
  succeeded = gst_cuda_histo_prepare_pictures (self, buffer, &pictures) && gst_cuda_histo_count_pictures (self, &pictures);
  if (gst_cuda_histo_was_interrupted (self, breaks))
    return TRUE;
  return succeeded && gst_cuda_histo_add_to_window (self, position, 0, TRUE, TRUE, closed);
}
