/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The comparison with a reference. */

#include "gstcudahistoprivate.h"

/* ---- from caps to caps ----------------------------------------------------------------------------------------------- */

void
gst_cuda_histo_flush_reference (GstCudaHisto *self, gboolean flushing)
{
  GST_OBJECT_LOCK (self);
  g_atomic_int_set (&self->flushes_reference, flushing);
  if (self->reference != NULL)
    gst_cuda_histo_reference_set_flushing (self->reference, flushing);
  GST_OBJECT_UNLOCK (self);
}

void
gst_cuda_histo_close_reference (GstCudaHisto *self)
{
  g_autoptr (GstCudaHistoReference) reference = NULL;

  g_clear_pointer (&self->counterpart, gst_cuda_histo_frame_unref);
  GST_OBJECT_LOCK (self);
  reference = g_steal_pointer (&self->reference);
  GST_OBJECT_UNLOCK (self);
  if (reference != NULL)
    gst_cuda_histo_reference_stop (reference);
}

/* Warns once that nothing is compared with the reference. Takes `why`. */
static void
gst_cuda_histo_warn_of_reference (GstCudaHisto *self, GstCudaHistoNotice kind, gchar *why)
{
  gst_cuda_histo_notices_warn_once (&self->notices, GST_ELEMENT (self), kind,
                                    g_strdup_printf ("Not compared with the reference: %s.", why));
  g_free (why);
}

gboolean
gst_cuda_histo_choose_reference (GstCudaHisto *self)
{
  const gint stops = g_atomic_int_get (&self->stops);
  g_autoptr (GError) error = NULL;
  GstCudaHistoReference *reference;

  g_clear_pointer (&self->counterpart, gst_cuda_histo_frame_unref);
  if (self->reference_used == NULL)
    return TRUE;
  if (!self->source.is_video) {
    gst_cuda_histo_warn_of_reference (self, GST_CUDA_HISTO_NOTICE_NO_REFERENCE, g_strdup ("the stream is not raw video"));
    return TRUE;
  }
  if (self->reference != NULL && gst_cuda_histo_reference_fits (self->reference, &self->info))
    return TRUE;
  gst_cuda_histo_close_reference (self);
  if (stops != g_atomic_int_get (&self->stops)) /* stopped by a handler of its decoder's last warning */
    return FALSE;
  reference = gst_cuda_histo_reference_new (GST_ELEMENT (self), self->reference_used, self->active.reference_mode,
                                            self->active.reference_offset, &self->info, &error);
  if (reference == NULL) {
    gst_cuda_histo_fail (self, error->domain, error->code, g_strdup (error->message), NULL);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->reference = reference;
  gst_cuda_histo_reference_set_flushing (reference, g_atomic_int_get (&self->flushes_reference));
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* ---- frame by frame -------------------------------------------------------------------------------------------------- */

/* Reports that the reference has another size than the stream: before the first comparison an error (returns FALSE), later,
 * when the stream's size has changed, a warning. */
static gboolean
gst_cuda_histo_report_other_size (GstCudaHisto *self, guint width, guint height)
{
  if (self->has_compared) {
    gst_cuda_histo_warn_of_reference (self, GST_CUDA_HISTO_NOTICE_REFERENCE_SIZE,
                                      g_strdup_printf ("it has %ux%u pixels, and the frames have %ux%u", width, height,
                                                       self->source.width, self->source.height));
    return TRUE;
  }
  gst_cuda_histo_fail (self, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                       g_strdup_printf ("Cannot compare with the reference: it has %ux%u pixels and the stream %ux%u.", width,
                                        height, self->source.width, self->source.height),
                       g_strdup ("put videoscale in front of the element, or use a reference of the stream's size"));
  return FALSE;
}

/* Warns once per stream that its first frame and the reference's have different times. */
static void
gst_cuda_histo_warn_of_lead (GstCudaHisto *self, GstClockTimeDiff lead)
{
  if (lead != 0)
    gst_cuda_histo_notices_warn_once (
        &self->notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_REFERENCE_SHIFT,
        g_strdup_printf ("The stream's first frame is %.3f ms %s than the reference's. Frames of the same stream time are "
                         "compared; if the first ones belong together, set reference-offset=%" G_GINT64_FORMAT ".",
                         (gdouble)ABS (lead) / GST_MSECOND, lead > 0 ? "later" : "earlier", lead));
}

/* Keeps the reference's frame for the frames that are counted next, if it matches `frame`. FALSE after a failure. */
static gboolean
gst_cuda_histo_take_counterpart (GstCudaHisto *self, const GstCudaHistoFrame *frame, GstCudaHistoFrame *found, guint width,
                                 guint height)
{
  if (width != self->source.width || height != self->source.height)
    return gst_cuda_histo_report_other_size (self, width, height);
  self->has_compared = TRUE;
  if (gst_cuda_histo_frame_matches (found, frame))
    self->counterpart = gst_cuda_histo_frame_ref (found);
  else if (frame->frame.memory == HISTO_MEMORY_DEVICE)
    gst_cuda_histo_warn_of_reference (self, GST_CUDA_HISTO_NOTICE_NO_REFERENCE,
                                      g_strdup ("it cannot be uploaded to the frames' GPU (put cudadownload in front)"));
  else
    gst_cuda_histo_warn_of_reference (self, GST_CUDA_HISTO_NOTICE_NO_REFERENCE,
                                      g_strdup ("its samples have another order or another crop"));
  return TRUE;
}

/* Returns the time that a seek may have cut from the frame's beginning. A cut frame begins its segment, and is shorter than the
 * caps' frame rate. Nothing is cut before stream time 0. */
static GstClockTime
gst_cuda_histo_find_cut (GstCudaHisto *self)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  const GstClockTime duration = self->counting.duration;
  GstClockTime period;

  if (segment->rate < 0 || GST_BUFFER_PTS (self->input) != segment->start || GST_VIDEO_INFO_FPS_N (&self->info) <= 0
      || !GST_CLOCK_TIME_IS_VALID (duration))
    return 0;
  period = gst_util_uint64_scale (GST_SECOND, (guint64)GST_VIDEO_INFO_FPS_D (&self->info),
                                  (guint64)GST_VIDEO_INFO_FPS_N (&self->info));
  return period > duration ? MIN (period - duration, self->line_time) : 0;
}

gboolean
gst_cuda_histo_find_counterpart (GstCudaHisto *self, GstCudaHistoFrame *const *frames, guint count)
{
  const GstCudaHistoReferenceKey key = {
    .frame = self->counting.frame,
    .is_first = self->stream_frames == 1,
    .stream_time = self->line_time,
    .duration = self->counting.duration,
    .cut = gst_cuda_histo_find_cut (self),
    .runs_back = self->counting.runs_back,
    .lacks_time = !GST_CLOCK_TIME_IS_VALID (self->line_time) && self->stream_line.n_frames > 0,
    .repeats = self->counting.repeats,
    .follows_unknown = GST_BUFFER_IS_DISCONT (self->input) || gst_cuda_histo_timestamps_follow_unknown (&self->timestamps),
  };
  const gint breaks = g_atomic_int_get (&self->breaks);
  gboolean succeeded = TRUE;
  g_autoptr (GError) error = NULL;
  GstCudaHistoReferenceOutcome outcome;
  GstClockTimeDiff lead;
  g_autoptr (GstCudaHistoReference) reference = NULL; /* stopping posts a warning, whose handler may stop the element */
  GstCudaHistoFrame *found;
  guint width, height;

  g_clear_pointer (&self->counterpart, gst_cuda_histo_frame_unref);
  if (self->reference == NULL)
    return TRUE;
  if (count != 1) {
    gst_cuda_histo_warn_of_reference (self, GST_CUDA_HISTO_NOTICE_NO_REFERENCE, g_strdup ("buffers have several pictures"));
    return TRUE;
  }
  reference = gst_cuda_histo_reference_ref (self->reference);
  if (key.is_first)
    gst_cuda_histo_notices_renew (&self->notices, GST_CUDA_HISTO_NOTICE_REFERENCE_SHIFT);
  gst_cuda_histo_reference_set_context (reference,
                                        frames[0]->frame.memory == HISTO_MEMORY_DEVICE ? self->shared.context : NULL);
  gst_cuda_histo_reference_set_waits (reference, self->active.when_busy != GST_CUDA_HISTO_BUSY_SKIP);
  outcome = gst_cuda_histo_reference_find (reference, &key, &found, &width, &height, &error);
  lead = gst_cuda_histo_reference_get_lead (reference);
  switch (outcome) {
  case GST_CUDA_HISTO_REFERENCE_FOUND:
    succeeded = gst_cuda_histo_take_counterpart (self, frames[0], found, width, height);
    break;
  case GST_CUDA_HISTO_REFERENCE_ABSENT:
    gst_cuda_histo_warn_of_reference (self, GST_CUDA_HISTO_NOTICE_REFERENCE_LATE, g_strdup ("frames before its first one"));
    break;
  case GST_CUDA_HISTO_REFERENCE_MISSING:
    gst_cuda_histo_notices_add_uncompared (&self->notices, GST_ELEMENT (self), key.frame, GST_CUDA_HISTO_UNCOMPARED_MISSING);
    break;
  case GST_CUDA_HISTO_REFERENCE_UNTIMED:
    gst_cuda_histo_notices_add_uncompared (&self->notices, GST_ELEMENT (self), key.frame, GST_CUDA_HISTO_UNCOMPARED_UNTIMED);
    break;
  case GST_CUDA_HISTO_REFERENCE_TOO_LATE:
    gst_cuda_histo_notices_add_uncompared (&self->notices, GST_ELEMENT (self), key.frame, GST_CUDA_HISTO_UNCOMPARED_TOO_LATE);
    break;
  case GST_CUDA_HISTO_REFERENCE_ENDED:
    gst_cuda_histo_warn_of_reference (
        self, GST_CUDA_HISTO_NOTICE_REFERENCE_ENDED,
        g_strdup ("frames after its last one (reference-mode=fixed compares all with its first)"));
    break;
  case GST_CUDA_HISTO_REFERENCE_DAMAGED:
    gst_cuda_histo_notices_add_uncompared (&self->notices, GST_ELEMENT (self), key.frame, GST_CUDA_HISTO_UNCOMPARED_DAMAGED);
    break;
  case GST_CUDA_HISTO_REFERENCE_FLUSHING:
    return FALSE;
  default:
    gst_cuda_histo_fail (self, error->domain, error->code, g_strdup (error->message), NULL);
    return FALSE;
  }
  if (succeeded && breaks == g_atomic_int_get (&self->breaks))
    gst_cuda_histo_warn_of_lead (self, lead);
  return succeeded;
}

gboolean
gst_cuda_histo_count_counterpart (GstCudaHisto *self, GstCudaHistoCounter *counter, GstCudaHistoFrame *picture,
                                  const GstCudaHistoCounted *what)
{
  GstCudaHistoCounted counted = *what;
  GstCudaHistoFrame *counterpart = g_steal_pointer (&self->counterpart);

  /* Compares in the other direction: the picture itself is already counted, and the differences are the same. */
  counted.part = GST_CUDA_HISTO_PART_REFERENCE;
  return gst_cuda_histo_counter_add (counter, counterpart, picture, &counted);
}
