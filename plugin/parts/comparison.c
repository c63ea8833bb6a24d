/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "parts/comparison.h"

#include "frame/fieldorder.h"
#include "frame/pictureformat.h"

/* ---- from caps to caps ----------------------------------------------------------------------------------------------- */

void
gst_cuda_histo_comparison_open (GstCudaHistoComparison *comparison, const gchar *location, GstCudaHistoReferenceMode mode,
                                GstClockTimeDiff offset)
{
  g_free (comparison->location);
  comparison->location = g_strdup (location);
  comparison->mode = mode;
  comparison->offset = offset;
  comparison->has_compared = FALSE;
}

void
gst_cuda_histo_comparison_set_flushing (GstCudaHistoComparison *comparison, GstElement *element, gboolean flushing)
{
  GST_OBJECT_LOCK (element);
  g_atomic_int_set (&comparison->is_flushing, flushing);
  if (comparison->reference != NULL)
    gst_cuda_histo_reference_set_flushing (comparison->reference, flushing);
  GST_OBJECT_UNLOCK (element);
}

void
gst_cuda_histo_comparison_close (GstCudaHistoComparison *comparison, GstElement *element)
{
  g_autoptr (GstCudaHistoReference) reference = NULL;

  g_clear_pointer (&comparison->counterpart, gst_cuda_histo_frame_unref);
  GST_OBJECT_LOCK (element);
  reference = g_steal_pointer (&comparison->reference);
  GST_OBJECT_UNLOCK (element);
  if (reference != NULL)
    gst_cuda_histo_reference_stop (reference);
}

/* Warns once that nothing is compared with the reference. Takes `why`. */
static void
gst_cuda_histo_comparison_warn (GstCudaHistoHost *host, GstCudaHistoNotice kind, gchar *why)
{
  gst_cuda_histo_notices_warn_once (&host->notices, host->element, kind,
                                    g_strdup_printf ("Not compared with the reference: %s.", why));
  g_free (why);
}

gboolean
gst_cuda_histo_comparison_choose (GstCudaHistoComparison *comparison, const GstCudaHistoFormat *format, GstCudaHistoHost *host)
{
  const gint stops = g_atomic_int_get (&host->stops);
  g_autoptr (GError) error = NULL;
  GstCudaHistoReference *reference;

  g_clear_pointer (&comparison->counterpart, gst_cuda_histo_frame_unref);
  if (comparison->location == NULL)
    return TRUE;
  if (!format->source.is_video) {
    gst_cuda_histo_comparison_warn (host, GST_CUDA_HISTO_NOTICE_NO_REFERENCE, g_strdup ("the stream is not raw video"));
    return TRUE;
  }
  if (gst_cuda_histo_picture_is_alternate (&format->info)) {
    gst_cuda_histo_comparison_warn (host, GST_CUDA_HISTO_NOTICE_NO_REFERENCE,
                                    g_strdup ("each buffer of the stream has one field"));
    return TRUE;
  }
  if (comparison->reference != NULL && gst_cuda_histo_reference_fits (comparison->reference, &format->info))
    return TRUE;
  gst_cuda_histo_comparison_close (comparison, host->element);
  if (stops != g_atomic_int_get (&host->stops)) /* stopped by a handler of its decoder's last warning */
    return FALSE;
  reference = gst_cuda_histo_reference_new (host->element, comparison->location, comparison->mode, comparison->offset,
                                            &format->info, &error);
  if (reference == NULL) {
    gst_cuda_histo_fail (host, error->domain, error->code, g_strdup (error->message), NULL);
    return FALSE;
  }
  GST_OBJECT_LOCK (host->element);
  comparison->reference = reference;
  gst_cuda_histo_reference_set_flushing (reference, g_atomic_int_get (&comparison->is_flushing));
  GST_OBJECT_UNLOCK (host->element);
  return TRUE;
}

/* ---- frame by frame -------------------------------------------------------------------------------------------------- */

/* Reports that the reference has another size than the stream: before the first comparison an error (returns FALSE), later,
 * when the stream's size has changed, a warning. */
static gboolean
gst_cuda_histo_comparison_report_size (const GstCudaHistoComparison *comparison, const GstCudaHistoCompared *compared,
                                       guint width, guint height, GstCudaHistoHost *host)
{
  if (comparison->has_compared) {
    gst_cuda_histo_comparison_warn (
        host, GST_CUDA_HISTO_NOTICE_REFERENCE_SIZE,
        g_strdup_printf ("it has %ux%u pixels, and the frames have %ux%u", width, height, compared->width, compared->height));
    return TRUE;
  }
  gst_cuda_histo_fail (host, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                       g_strdup_printf ("Cannot compare with the reference: it has %ux%u pixels and the stream %ux%u.", width,
                                        height, compared->width, compared->height),
                       g_strdup ("put videoscale in front of the element, or use a reference of the stream's size"));
  return FALSE;
}

/* Warns once per stream that its first frame and the reference's have different times. */
static void
gst_cuda_histo_comparison_warn_of_lead (GstCudaHistoHost *host, GstClockTimeDiff lead)
{
  if (lead != 0)
    gst_cuda_histo_notices_warn_once (
        &host->notices, host->element, GST_CUDA_HISTO_NOTICE_REFERENCE_SHIFT,
        g_strdup_printf ("The stream's first frame is %.3f ms %s than the reference's. Frames of the same stream time are "
                         "compared; if the first ones belong together, set reference-offset=%" G_GINT64_FORMAT ".",
                         (gdouble)ABS (lead) / GST_MSECOND, lead > 0 ? "later" : "earlier", lead));
}

/* A frame of the reference, borrowed from it, and its visible size. */
typedef struct {
  GstCudaHistoFrame *frame;
  guint width, height;
} GstCudaHistoReferenceMatch;

/* Keeps the reference's frame for the buffer's picture, if it matches. FALSE after a failure. */
static gboolean
gst_cuda_histo_comparison_take (GstCudaHistoComparison *comparison, const GstCudaHistoCompared *compared,
                                const GstCudaHistoReferenceMatch *match, GstCudaHistoHost *host)
{
  const GstCudaHistoFrame *frame = compared->frames[0];

  if (match->width != compared->width || match->height != compared->height)
    return gst_cuda_histo_comparison_report_size (comparison, compared, match->width, match->height, host);
  comparison->has_compared = TRUE;
  if (gst_cuda_histo_frame_matches (match->frame, frame))
    comparison->counterpart = gst_cuda_histo_frame_ref (match->frame);
  else if (frame->frame.memory == HISTO_MEMORY_DEVICE)
    gst_cuda_histo_comparison_warn (host, GST_CUDA_HISTO_NOTICE_NO_REFERENCE,
                                    g_strdup ("it cannot be uploaded to the frames' GPU (put cudadownload in front)"));
  else
    gst_cuda_histo_comparison_warn (host, GST_CUDA_HISTO_NOTICE_NO_REFERENCE,
                                    g_strdup ("its samples have another order or another crop"));
  return TRUE;
}

/* Reports that the reference has no frame for number `frame` of the stream. */
static void
gst_cuda_histo_comparison_report_absence (GstCudaHistoHost *host, GstCudaHistoReferenceOutcome outcome, guint64 frame)
{
  static const GstCudaHistoUncompared reasons[] = {
    [GST_CUDA_HISTO_REFERENCE_MISSING] = GST_CUDA_HISTO_UNCOMPARED_MISSING,
    [GST_CUDA_HISTO_REFERENCE_UNTIMED] = GST_CUDA_HISTO_UNCOMPARED_UNTIMED,
    [GST_CUDA_HISTO_REFERENCE_TOO_LATE] = GST_CUDA_HISTO_UNCOMPARED_TOO_LATE,
    [GST_CUDA_HISTO_REFERENCE_DAMAGED] = GST_CUDA_HISTO_UNCOMPARED_DAMAGED,
  };

  if (outcome == GST_CUDA_HISTO_REFERENCE_ABSENT)
    gst_cuda_histo_comparison_warn (host, GST_CUDA_HISTO_NOTICE_REFERENCE_LATE, g_strdup ("frames before its first one"));
  else if (outcome == GST_CUDA_HISTO_REFERENCE_ENDED)
    gst_cuda_histo_comparison_warn (host, GST_CUDA_HISTO_NOTICE_REFERENCE_ENDED,
                                    g_strdup ("frames after its last one (reference-mode=fixed compares all with its first)"));
  else
    gst_cuda_histo_notices_add_uncompared (&host->notices, host->element, frame, reasons[outcome]);
}

gboolean
gst_cuda_histo_comparison_find (GstCudaHistoComparison *comparison, const GstCudaHistoCompared *compared,
                                GstCudaHistoHost *host)
{
  const gint breaks = g_atomic_int_get (&host->breaks);
  const gboolean is_on_gpu = compared->frames[0]->frame.memory == HISTO_MEMORY_DEVICE;
  gboolean succeeded = TRUE;
  g_autoptr (GError) error = NULL;
  GstCudaHistoReferenceOutcome outcome;
  GstClockTimeDiff lead;
  g_autoptr (GstCudaHistoReference) reference = NULL; /* stopping posts a warning, whose handler may stop the element */
  GstCudaHistoReferenceMatch match;

  g_clear_pointer (&comparison->counterpart, gst_cuda_histo_frame_unref);
  if (comparison->reference == NULL)
    return TRUE;
  if (compared->count != 1) {
    gst_cuda_histo_comparison_warn (host, GST_CUDA_HISTO_NOTICE_NO_REFERENCE, g_strdup ("buffers have several pictures"));
    return TRUE;
  }
  reference = gst_cuda_histo_reference_ref (comparison->reference);
  if (compared->key.is_first)
    gst_cuda_histo_notices_renew (&host->notices, GST_CUDA_HISTO_NOTICE_REFERENCE_SHIFT);
  gst_cuda_histo_reference_set_context (reference, is_on_gpu ? compared->context : NULL);
  gst_cuda_histo_reference_set_waits (reference, compared->waits);
  outcome = gst_cuda_histo_reference_find (reference, &compared->key, &match.frame, &match.width, &match.height, &error);
  lead = gst_cuda_histo_reference_get_lead (reference);
  switch (outcome) {
  case GST_CUDA_HISTO_REFERENCE_FOUND:
    succeeded = gst_cuda_histo_comparison_take (comparison, compared, &match, host);
    break;
  case GST_CUDA_HISTO_REFERENCE_FLUSHING:
    return FALSE;
  case GST_CUDA_HISTO_REFERENCE_FAILED:
    gst_cuda_histo_fail (host, error->domain, error->code, g_strdup (error->message), NULL);
    return FALSE;
  case GST_CUDA_HISTO_REFERENCE_BACKWARDS:
    gst_cuda_histo_comparison_warn (host, GST_CUDA_HISTO_NOTICE_NO_REFERENCE, g_strdup ("the stream plays backwards"));
    break;
  default:
    gst_cuda_histo_comparison_report_absence (host, outcome, compared->key.frame);
    break;
  }
  if (succeeded && breaks == g_atomic_int_get (&host->breaks))
    gst_cuda_histo_comparison_warn_of_lead (host, lead);
  return succeeded;
}

void
gst_cuda_histo_comparison_forget (GstCudaHistoComparison *comparison)
{
  g_clear_pointer (&comparison->counterpart, gst_cuda_histo_frame_unref);
}

void
gst_cuda_histo_comparison_add (GstCudaHistoComparison *comparison, GstCudaHistoFrame *picture, GstCudaHistoField field,
                               const GstCudaHistoCounted *what, GstCudaHistoEntries *entries)
{
  GstCudaHistoFrame *counterpart = comparison->counterpart;

  if (counterpart == NULL)
    return;
  counterpart = field != GST_CUDA_HISTO_FIELD_NONE ? gst_cuda_histo_frame_get_field (counterpart, field)
                                                   : gst_cuda_histo_frame_ref (counterpart);
  if (counterpart->frame.derived_count != picture->frame.derived_count) { /* not compared yet: only this thread has it */
    counterpart->frame.derived_count = picture->frame.derived_count;
    counterpart->frame.matrix = picture->frame.matrix;
  }
  /* Compares in the other direction: the picture itself is counted anyway, and the differences are the same. */
  gst_cuda_histo_entries_add (entries, GST_CUDA_HISTO_PART_REFERENCE, counterpart, gst_cuda_histo_frame_ref (picture), what);
}
