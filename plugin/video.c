/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "countbuffer.h"

#include "counting.h"
#include "frame/cudacontext.h"
#include "frame/fieldorder.h"
#include "frame/framemap.h"
#include "frame/source.h"
#include "gstcudahistoprivate.h"
#include "stream.h"

/* Mapped pictures: those of a buffer, or those of a frame that are not yet counted. */
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

  pictures->first = pictures->end = 0;
  while (pictures->end < count) {
    GstCudaHistoFrame **frame = &pictures->frames[pictures->end];

    succeeded = gst_cuda_histo_map_video (self, buffer, pictures->end, frame, error);
    if (!succeeded || *frame == NULL)
      break;
    pictures->end++;
    if (self->buffer.order.are_interleaved && !gst_cuda_histo_fields_check (&self->format.info, buffer, *frame, error)) {
      gst_cuda_histo_drop_pictures (pictures);
      break;
    }
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

/* Whether arrays may have another length than before, or other weights: the crop rectangle has moved, or a field follows a
 * whole frame of the same size, or the reverse. */
static gboolean
gst_cuda_histo_changes_arrays (GstCudaHisto *self, const GstCudaHistoSource *source)
{
  const guint32 of_columns = GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS | GST_CUDA_HISTO_STATISTICS_WAVEFORM;
  const guint32 of_rows = GST_CUDA_HISTO_STATISTICS_ROW_SUMS | GST_CUDA_HISTO_ACTIVE_STATISTICS
                          | (self->sums.column_weights != NULL ? GST_CUDA_HISTO_STATISTICS_COLUMN_SUMS : 0);
  const guint32 statistics = (guint32)self->active.statistics;

  return (source->height != self->format.source.height && (statistics & of_rows) != 0
          && (self->chosen.statistics & HISTO_STATISTIC_PROJECTION) != 0)
         || (source->phase_x != self->format.source.phase_x && (statistics & of_columns) != 0)
         || (source->phase_y != self->format.source.phase_y && (statistics & GST_CUDA_HISTO_STATISTICS_ROW_SUMS) != 0);
}

/* Whether the frame that is being counted is a field. */
static gboolean
gst_cuda_histo_counts_field (GstCudaHisto *self)
{
  return self->buffer.order.fields[self->buffer.next_field - 1] != GST_CUDA_HISTO_FIELD_NONE
         || gst_cuda_histo_picture_is_alternate (&self->format.info);
}

/* Finds the pictures of the frame that is being counted among those of the buffer. */
static void
gst_cuda_histo_choose_pictures (GstCudaHisto *self, const GstCudaHistoPictures *all, GstCudaHistoPictures *pictures)
{
  const GstCudaHistoFieldOrder *order = &self->buffer.order;
  const GstCudaHistoField field = order->fields[self->buffer.next_field - 1];
  /* Of two fields with their own memory, the top field is the first. */
  const gboolean is_one_of_two = gst_cuda_histo_picture_is_field (&self->format.info) && field != GST_CUDA_HISTO_FIELD_NONE;

  for (guint i = is_one_of_two && field == GST_CUDA_HISTO_FIELD_BOTTOM ? 1 : 0; i < all->end; i += is_one_of_two ? 2 : 1)
    pictures->frames[pictures->end++] = order->are_interleaved ? gst_cuda_histo_frame_get_field (all->frames[i], field)
                                                               : gst_cuda_histo_frame_ref (all->frames[i]);
}

/* Sets the visible part of the picture, and ends the window if frames have another size. A field has the size of its frame. The
 * stream and its events continue if only arrays change. `whole`: the first picture of the buffer. */
static void
gst_cuda_histo_follow_crop (GstCudaHisto *self, const GstCudaHistoFrame *whole, const GstCudaHistoFrame *frame)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  const guint frame_height = gst_cuda_histo_source_get_frame_height (&self->format.info, whole);
  const gboolean is_field = gst_cuda_histo_counts_field (self);
  /* The first field of interlace-mode=mixed. */
  const gboolean begins_fields = is_field && !self->format.has_fields
                                 && gst_cuda_histo_fields_are_unequal (&self->format.info, self->format.fields, frame_height);
  GstCudaHistoSource source = self->format.source;
  gboolean is_other;

  gst_cuda_histo_source_set_frame (&source, &self->format.info, frame, is_field);
  is_other = source.width != self->format.source.width || frame_height != self->format.frame_height || begins_fields;
  if (is_other)
    gst_cuda_histo_end_window_early (self, GST_CUDA_HISTO_ENDED_BY_CROP);
  else if (gst_cuda_histo_changes_arrays (self, &source))
    gst_cuda_histo_divide_stream (self, GST_CUDA_HISTO_ENDED_BY_CROP);
  if (breaks != g_atomic_int_get (&self->host.breaks))
    return;
  self->format.source = source;
  self->format.frame_height = frame_height;
  self->format.has_fields |= is_field;
  if (is_other)
    gst_cuda_histo_choose_statistics (self);
}

/* Returns the time that a seek may have cut from the frame's beginning. A cut frame begins its segment, and is shorter than the
 * caps' frame rate. Nothing is cut before stream time 0. */
static GstClockTime
gst_cuda_histo_find_cut (GstCudaHisto *self)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  const GstVideoInfo *info = &self->format.info;
  const GstClockTime duration = GST_BUFFER_DURATION (self->buffer.input);
  GstClockTime period;

  if (segment->rate < 0 || GST_BUFFER_PTS (self->buffer.input) != segment->start || GST_VIDEO_INFO_FPS_N (info) <= 0
      || !GST_CLOCK_TIME_IS_VALID (duration))
    return 0;
  period = gst_util_uint64_scale (GST_SECOND, (guint64)GST_VIDEO_INFO_FPS_D (info), (guint64)GST_VIDEO_INFO_FPS_N (info));
  return period > duration ? MIN (period - duration, self->buffer.line_time) : 0;
}

/* Finds the reference's frame for a buffer, once. FALSE after a failure, and while flushing. */
static gboolean
gst_cuda_histo_find_counterpart (GstCudaHisto *self, const GstCudaHistoPictures *all)
{
  const GstClockTime time = self->buffer.line_time;
  const GstCudaHistoCompared compared = {
    .key = {
      .frame = self->buffer.number,
      .is_first = self->stream.frames == 1,
      .stream_time = time,
      .duration = GST_BUFFER_DURATION (self->buffer.input),
      .cut = gst_cuda_histo_find_cut (self),
      .runs_back = self->buffer.counting.runs_back,
      .lacks_time = !GST_CLOCK_TIME_IS_VALID (time) && self->stream.line.n_frames > 0,
      .repeats = self->buffer.repeats,
      .follows_unknown = GST_BUFFER_IS_DISCONT (self->buffer.input)
                         || gst_cuda_histo_timestamps_follow_unknown (&self->stream.timestamps),
    },
    .frames = all->frames,
    .count = all->end,
    .width = self->format.source.width,
    .height = self->format.frame_height,
    .context = self->context.shared.context,
    .waits = self->active.when_busy != GST_CUDA_HISTO_BUSY_SKIP,
  };

  if (self->buffer.is_matched)
    return TRUE;
  self->buffer.is_matched = TRUE;
  return gst_cuda_histo_comparison_find (&self->comparison, &compared, &self->host);
}

/* Decides on windows, statistics, regions and the counterpart of a frame. `all`: the pictures of its buffer. FALSE after a
 * failure, while flushing, and if a handler of a message has flushed or stopped the element. */
static gboolean
gst_cuda_histo_prepare_pictures (GstCudaHisto *self, GstBuffer *buffer, const GstCudaHistoPictures *all,
                                 const GstCudaHistoPictures *pictures)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);

  gst_cuda_histo_follow_crop (self, all->frames[0], pictures->frames[0]);
  if (breaks != g_atomic_int_get (&self->host.breaks))
    return FALSE;
  gst_cuda_histo_choose_regions (self, buffer);
  return breaks == g_atomic_int_get (&self->host.breaks) && gst_cuda_histo_find_counterpart (self, all)
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

/* Counts the next frame of a buffer: the whole buffer, or a field. Maps the pictures of the buffer unless `all` has them. FALSE
 * after a failure. */
static gboolean
gst_cuda_histo_count_frame (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPictures *all, gboolean *closed)
{
  g_autoptr (GError) error = NULL;
  g_auto (GstCudaHistoPictures) pictures = { .end = 0 };
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  GstCudaHistoPosition position;
  gboolean succeeded;

  gst_cuda_histo_begin_frame (self, &position);
  if (self->buffer.number % self->active.every != 0) {
    gst_cuda_histo_omit (self);
    return TRUE;
  }
  if (self->active.when_busy == GST_CUDA_HISTO_BUSY_SKIP && gst_cuda_histo_counter_is_busy (self->use.counter)) {
    gst_cuda_histo_skip (self, g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "%d frames are already being counted",
                                            GST_CUDA_HISTO_MAX_IN_FLIGHT));
    return TRUE;
  }
  succeeded = gst_cuda_histo_await_verdict (self);
  if (gst_cuda_histo_was_interrupted (self, breaks))
    return TRUE;
  if (!succeeded || (all->first == all->end && !gst_cuda_histo_map_pictures (self, buffer, all, &error)))
    return FALSE;
  if (all->first == all->end) {
    gst_cuda_histo_skip (self, g_steal_pointer (&error));
    return TRUE;
  }
  gst_cuda_histo_choose_pictures (self, all, &pictures);
  succeeded = gst_cuda_histo_prepare_pictures (self, buffer, all, &pictures);
  if (self->buffer.next_field == self->buffer.order.count)
    gst_cuda_histo_drop_pictures (all);
  succeeded = succeeded && gst_cuda_histo_count_pictures (self, &pictures);
  if (gst_cuda_histo_was_interrupted (self, breaks))
    return TRUE;
  return succeeded && gst_cuda_histo_add_to_window (self, &position, 0, TRUE, TRUE, closed);
}

gboolean
gst_cuda_histo_count_video (GstCudaHisto *self, GstBuffer *buffer, gboolean *closed)
{
  g_auto (GstCudaHistoPictures) all = { .end = 0 };
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  gboolean succeeded = TRUE;

  while (succeeded && self->buffer.next_field < self->buffer.order.count && breaks == g_atomic_int_get (&self->host.breaks))
    succeeded = gst_cuda_histo_count_frame (self, buffer, &all, closed);
  gst_cuda_histo_comparison_forget (&self->comparison);
  return succeeded;
}
