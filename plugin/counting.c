/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "counting.h"

#include "frame/pictureformat.h"
#include "gstcudahistoprivate.h"
#include "parts/regions.h"

/* The operands of a picture. Owned; NULL: none. */
typedef struct {
  GstCudaHistoFrame *previous;
  GstCudaHistoFrame *freeze_start; /* the frame at which a freeze may have begun, if it is not `previous` */
} GstCudaHistoPictureOperands;

/* Finds the operands of picture `index` among the frames of earlier buffers, and keeps the picture as the next operand. Returns
 * the frame to count: the picture or a copy of it. Takes `frame`. */
static GstCudaHistoFrame *
gst_cuda_histo_exchange_operands (GstCudaHisto *self, GstCudaHistoFrame *frame, guint index,
                                  GstCudaHistoPictureOperands *operands)
{
  g_autoptr (GstCudaHistoFrame) previous = g_steal_pointer (&self->operands.previous[index]);
  g_autoptr (GstCudaHistoFrame) start = NULL;
  g_autoptr (GstCudaHistoPinner) pinner = NULL;

  *operands = (GstCudaHistoPictureOperands){ 0 };
  if (!self->chosen.has_previous)
    return frame;
  if ((self->detection.events & GST_CUDA_HISTO_EVENTS_FREEZE) != 0)
    start = gst_cuda_histo_operands_follow_freeze (&self->operands, previous, index,
                                                   g_atomic_int_get (&self->detection.is_like_start));
  /* Counts the copy: a GPU then has it already when it becomes the operand. */
  pinner = gst_cuda_histo_counter_get_pinner (self->use.counter);
  frame = gst_cuda_histo_operands_copy (frame, pinner);
  self->operands.previous[index] = gst_cuda_histo_frame_ref (frame);
  if (previous != NULL && !gst_cuda_histo_frame_matches (frame, previous)) {
    if (!self->format.source.is_video)
      gst_cuda_histo_warn_of_unequal_sizes (self);
    g_clear_pointer (&previous, gst_cuda_histo_frame_unref);
  }
  if (start != NULL && !gst_cuda_histo_frame_matches (frame, start))
    g_clear_pointer (&start, gst_cuda_histo_frame_unref);
  if (start != NULL && !self->chosen.measures_previous) {
    operands->previous = g_steal_pointer (&start);
  } else {
    operands->previous = g_steal_pointer (&previous);
    operands->freeze_start = g_steal_pointer (&start);
  }
  return frame;
}

/* Returns the field of interleaved ones that is being counted. NONE: a whole picture of a buffer. */
static GstCudaHistoField
gst_cuda_histo_get_divided_field (GstCudaHisto *self)
{
  const GstCudaHistoBufferUse *use = &self->buffer;

  return use->order.are_interleaved ? use->order.fields[use->next_field - 1] : GST_CUDA_HISTO_FIELD_NONE;
}

/* Collects the frames of a picture in the order in which they are counted. Takes `frame`. FALSE after a failure. May post
 * messages. */
static gboolean
gst_cuda_histo_collect_frames (GstCudaHisto *self, GstCudaHistoFrame *frame, guint index, const GstCudaHistoCounted *what,
                               GstCudaHistoEntries *entries)
{
  const GstCudaHistoRegionSet regions = {
    .regions = &self->regions.current,
    .previous_regions = &self->operands.regions,
    .is_field
    = gst_cuda_histo_format_is_of_field (&self->format) || (self->format.source.is_video && self->format.rows_each > 1),
    .has_weights = self->sums.has_weights,
  };
  GstCudaHistoPictureOperands operands;
  GstCudaHistoCounted *picture;

  frame = gst_cuda_histo_exchange_operands (self, frame, index, &operands);
  picture = gst_cuda_histo_entries_add (entries, GST_CUDA_HISTO_PART_PICTURE, frame, operands.previous, what);
  if (operands.freeze_start != NULL) {
    GstCudaHistoFrame *part = gst_cuda_histo_frame_share (frame);

    part->frame.statistics = HISTO_STATISTIC_DIFFERENCE;
    picture->ends_detection = FALSE;
    gst_cuda_histo_entries_add (entries, GST_CUDA_HISTO_PART_FREEZE, part, operands.freeze_start, what);
  }
  gst_cuda_histo_comparison_add (&self->comparison, frame, gst_cuda_histo_get_divided_field (self), what, entries);
  if (!gst_cuda_histo_meter_add (&self->meter, frame, what, &self->format.info, self->context.shared.context, &self->host,
                                 entries))
    return FALSE;
  gst_cuda_histo_region_set_add (&regions, frame, operands.previous, what, entries);
  return TRUE;
}

gboolean
gst_cuda_histo_count_picture (GstCudaHisto *self, GstCudaHistoFrame *frame, guint index)
{
  GstCudaHistoCounter *counter = self->use.counter; /* refuses the frames if a handler of a message stops the element */
  const gint breaks = g_atomic_int_get (&self->host.breaks);
  GstCudaHistoCounted what = self->buffer.counting;
  GstCudaHistoEntries entries;
  gboolean succeeded;

  entries.count = 0;
  what.picture = index;
  self->buffer.awaits_release |= !self->buffer.holds_buffers;
  frame->frame.statistics = self->chosen.statistics;
  frame->frame.derived_count = self->chosen.n_derived;
  frame->frame.matrix = self->chosen.matrix;
  gst_cuda_histo_sums_describe (frame, &self->format, (guint32)self->active.statistics, &what);
  frame->frame.waveform_columns = gst_cuda_histo_get_waveform_columns (self);
  if (self->active.light_source == GST_CUDA_HISTO_LIGHT_SOURCE_LUMINANCE)
    frame->frame.light.source = HISTO_LIGHT_LUMINANCE;
  succeeded = gst_cuda_histo_sums_set_weights (&self->sums, frame, &self->format, counter, &self->host);
  if (!succeeded || breaks != g_atomic_int_get (&self->host.breaks)) {
    gst_cuda_histo_frame_unref (frame);
    return FALSE;
  }
  succeeded = gst_cuda_histo_collect_frames (self, frame, index, &what, &entries);
  if (!succeeded || breaks != g_atomic_int_get (&self->host.breaks)) {
    gst_cuda_histo_entries_clear (&entries);
    return FALSE;
  }
  return gst_cuda_histo_counter_add (counter, entries.entries, entries.count);
}

/* Whether the CPU counts, and the bytes and their neighbours fit into a cache together. */
static gboolean
gst_cuda_histo_is_counted_in_cache (GstCudaHistoCounter *counter, gsize size)
{
  return size <= GST_CUDA_HISTO_CPU_BLOCK && !gst_cuda_histo_counter_is_on_gpu (counter);
}

gboolean
gst_cuda_histo_count_gathered (GstCudaHisto *self, GstCudaHistoFrame *gathered)
{
  GstCudaHistoCounter *counter = self->use.counter; /* refuses the frame if a handler of a message stops the element */
  GstCudaHistoEntry entry = { .frame = gathered, .what = self->buffer.counting };

  if (gathered == NULL)
    return TRUE;
  entry.what.is_lazy = gst_cuda_histo_is_counted_in_cache (counter, gathered->size);
  /* Then at most one block is being counted, and the next reuses the memory of an earlier one, still in a cache. */
  if (entry.what.is_lazy
      && !gst_cuda_histo_counter_release_frames (counter, (guint)(GST_CUDA_HISTO_CPU_BLOCK / gathered->size))) {
    gst_cuda_histo_frame_unref (gathered);
    return FALSE;
  }
  return gst_cuda_histo_counter_add (counter, &entry, 1);
}

gboolean
gst_cuda_histo_flush_gathered (GstCudaHisto *self)
{
  return gst_cuda_histo_count_gathered (self, gst_cuda_histo_gather_take (self->gather));
}
