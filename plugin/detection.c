/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "detection.h"

#include "gstcudahistoprivate.h"
#include "result/origin.h"

/* Events that follow from differences between frames. */
#define DIFFERENCE_EVENTS (GST_CUDA_HISTO_EVENTS_FREEZE | GST_CUDA_HISTO_EVENTS_SCENE_CHANGE)

/* Returns the events that can be detected in frames of the present caps. */
static GstCudaHistoEvents
gst_cuda_histo_get_possible_events (GstCudaHisto *self)
{
  GstCudaHistoEvents possible = GST_CUDA_HISTO_EVENTS_DAMAGED;

  if (!self->format.source.is_video)
    return 0;
  if (gst_cuda_histo_format_has_equal_frames (&self->format))
    possible |= DIFFERENCE_EVENTS;
  if (gst_cuda_histo_detectors_have_luma (&self->format.source)) /* stored or derived */
    possible |= GST_CUDA_HISTO_EVENTS_BLACK;
  if ((gst_cuda_histo_format_get_statistics (&self->format) & HISTO_STATISTIC_GAMUT) != 0)
    possible |= GST_CUDA_HISTO_EVENTS_CLIPPED;
  return possible;
}

void
gst_cuda_histo_open_detection (GstCudaHisto *self)
{
  g_atomic_int_set (&self->detection.is_like_start, FALSE);
  g_atomic_int_set (&self->detection.has_unknown_end, FALSE);
  gst_cuda_histo_detectors_init (&self->detection.detectors, &self->active.detection);
  self->detection.flushed.n_events = 0;
  gst_cuda_histo_forget_damage (self);
}

void
gst_cuda_histo_choose_events (GstCudaHisto *self)
{
  const GstCudaHistoEvents asked = self->active.detection.events;

  self->detection.events = asked & gst_cuda_histo_get_possible_events (self);
  self->chosen.measures_previous
      = self->chosen.has_previous || (self->detection.events & GST_CUDA_HISTO_EVENTS_SCENE_CHANGE) != 0;
  if ((self->detection.events & DIFFERENCE_EVENTS) != 0) {
    self->chosen.has_previous = TRUE;
    self->chosen.statistics |= HISTO_STATISTIC_DIFFERENCE;
  }
  if ((self->detection.events & GST_CUDA_HISTO_EVENTS_CLIPPED) != 0)
    self->chosen.statistics |= HISTO_STATISTIC_GAMUT;
  if (asked != 0) /* even if none is possible: the detectors need the source */
    gst_cuda_histo_counter_mark (self->use.counter, &self->format.source, GST_CUDA_HISTO_ENDED_BY_CAPS);
  if (self->detection.events != asked)
    gst_cuda_histo_notices_warn_once (
        &self->host.notices, GST_ELEMENT (self), GST_CUDA_HISTO_NOTICE_NO_EVENTS,
        g_strdup_printf (
            "Cannot detect all events in %s: they need raw video, black with Y, GRAY or R, G and B, clipped with Y, U and V or "
            "with R, G and B%s.",
            self->format.source.format,
            gst_cuda_histo_format_has_equal_frames (&self->format)
                ? ""
                : ", and freeze, scene-change and clipped fields of equal size"));
}

guint
gst_cuda_histo_count_held (GstCudaHisto *self)
{
  const GstCudaHistoEvents events = self->active.detection.events;

  if ((events & GST_CUDA_HISTO_EVENTS_FREEZE) != 0)
    return 2;
  return (events & DIFFERENCE_EVENTS) != 0 || gst_cuda_histo_settings_need_previous (&self->active) ? 1 : 0;
}

gboolean
gst_cuda_histo_await_verdict (GstCudaHisto *self)
{
  return (self->detection.events & GST_CUDA_HISTO_EVENTS_FREEZE) == 0
         || gst_cuda_histo_counter_release_frames (self->use.counter, 0);
}

/* ---- on the thread that does the counter's work ---------------------------------------------------------------------- */

/* The detectors are finished: a handler of a message may stop and restart the element. */
static void
gst_cuda_histo_report_findings (GstCudaHisto *self, GstCudaHistoFindings *findings)
{
  const gint stops = g_atomic_int_get (&self->host.stops);
  g_autofree gchar *name = NULL, *input = NULL, *sampling = NULL;

  if (findings->n_events == 0)
    return;
  name = gst_object_get_name (GST_OBJECT (self));
  GST_OBJECT_LOCK (self);
  input = g_strdup (self->reports.input_name);
  sampling = gst_cuda_histo_origin_format_sampling (self->active.every, self->reports.input_sampling);
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < findings->n_events; i++) {
    findings->events[i].element = name;
    findings->events[i].input = input;
    findings->events[i].sampling = sampling;
    if (findings->events[i].ended_by != NULL && findings->events[i].cause == NULL
        && !GST_CLOCK_TIME_IS_VALID (findings->events[i].duration))
      g_atomic_int_set (&self->detection.has_unknown_end, TRUE);
    if (findings->events[i].cause != NULL)
      gst_cuda_histo_ledger_add_damage (&self->ledger, findings->events[i].frames, findings->events[i].missing);
    if (gst_cuda_histo_check_sidecar (self))
      gst_cuda_histo_sidecar_write_event (self->sidecar_use.sidecar, &findings->events[i]);
  }
  for (guint i = 0; i < findings->n_events && stops == g_atomic_int_get (&self->host.stops); i++)
    gst_element_post_message (
        GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self), gst_cuda_histo_event_to_structure (&findings->events[i])));
}

/* Reports the events that a flush has ended, before later ones. FALSE if a handler of a message has stopped the element. */
static gboolean
gst_cuda_histo_report_flushed (GstCudaHisto *self)
{
  const gint stops = g_atomic_int_get (&self->host.stops);
  GstCudaHistoFindings findings = self->detection.flushed;

  self->detection.flushed.n_events = 0;
  gst_cuda_histo_report_findings (self, &findings);
  return stops == g_atomic_int_get (&self->host.stops);
}

void
gst_cuda_histo_detect (GstCudaHisto *self, const GstCudaHistoCounted *counted)
{
  const GstCudaHistoMoment moment = {
    .frame = counted->frame,
    .stream_time = counted->stream_time,
    .running_time = counted->running_time,
    .runs_back = counted->runs_back,
    .repeats = counted->repeats,
    .step = counted->step,
    .utc_time = counted->utc_time,
  };
  GstCudaHistoFindings findings;

  if (self->detection.detectors.settings.events == 0)
    return;
  if (counted->part == GST_CUDA_HISTO_PART_PICTURE)
    gst_cuda_histo_detectors_add_picture (&self->detection.detectors, counted->stats);
  else if (counted->part == GST_CUDA_HISTO_PART_FREEZE)
    gst_cuda_histo_detectors_add_freeze (&self->detection.detectors, counted->stats);
  else
    return;
  if (!counted->ends_detection)
    return;
  g_atomic_int_set (&self->detection.is_like_start,
                    gst_cuda_histo_detectors_finish_buffer (&self->detection.detectors, &moment, &counted->damage, &findings));
  if (gst_cuda_histo_report_flushed (self))
    gst_cuda_histo_report_findings (self, &findings);
}

void
gst_cuda_histo_end_events (GstCudaHisto *self, GstCudaHistoEndedBy ended_by, const GstCudaHistoSource *source)
{
  const gboolean is_end = ended_by == GST_CUDA_HISTO_ENDED_BY_EOS || ended_by == GST_CUDA_HISTO_ENDED_BY_STOP;
  GstCudaHistoFindings findings;

  gst_cuda_histo_detectors_end (&self->detection.detectors, ended_by, &findings);
  gst_cuda_histo_detectors_set_source (&self->detection.detectors, source);
  if ((findings.n_events == 0 && !is_end) || gst_cuda_histo_report_flushed (self))
    gst_cuda_histo_report_findings (self, &findings);
}

void
gst_cuda_histo_note_damage (GstCudaHisto *self, const GstStructure *event)
{
  const GstCudaHistoEvents events = self->format.is_configured ? self->detection.events : self->active.detection.events;

  if ((events & GST_CUDA_HISTO_EVENTS_DAMAGED) != 0)
    gst_cuda_histo_damage_add_event (&self->detection.damage, event, &GST_BASE_TRANSFORM_CAST (self)->segment);
}

void
gst_cuda_histo_begin_damage (GstCudaHisto *self, GstBuffer *buffer, GstCudaHistoPosition *position)
{
  GstCudaHistoDamage *damage = &self->buffer.counting.damage;

  *damage = (GstCudaHistoDamage){ 0 };
  if ((self->detection.events & GST_CUDA_HISTO_EVENTS_DAMAGED) == 0)
    return;
  *damage = self->detection.damage;
  gst_cuda_histo_damage_add_flags (damage, buffer);
  position->is_damaged = damage->is_damaged;
  position->missing = damage->missing;
  self->detection.damage = *damage;
  gst_cuda_histo_damage_carry (&self->detection.damage, position->frame, position->stream_time, position->running_time);
}

void
gst_cuda_histo_forget_damage (GstCudaHisto *self)
{
  self->detection.damage = (GstCudaHistoDamage){ 0 };
}

/* While the counter is idle. */
static void
gst_cuda_histo_report_damage_now (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const GstCudaHistoDamage damage = self->detection.damage;
  GstCudaHistoFindings findings;

  gst_cuda_histo_forget_damage (self);
  if (self->format.is_configured && (self->detection.events & GST_CUDA_HISTO_EVENTS_DAMAGED) == 0)
    return;
  gst_cuda_histo_detectors_find_end_damage (&self->detection.detectors, &damage, self->stream.next_frame, ended_by, &findings);
  gst_cuda_histo_report_findings (self, &findings);
}

void
gst_cuda_histo_report_end_damage (GstCudaHisto *self, GstCudaHistoEndedBy ended_by)
{
  const gint breaks = g_atomic_int_get (&self->host.breaks);

  if (!gst_cuda_histo_damage_is_any (&self->detection.damage))
    return;
  if (ended_by == GST_CUDA_HISTO_ENDED_BY_STOP
      || (gst_cuda_histo_counter_drain (self->use.counter) && breaks == g_atomic_int_get (&self->host.breaks)))
    gst_cuda_histo_report_damage_now (self, ended_by);
}

/* Does not report: the thread that flushes during a seek, or sends the SEGMENT after it, may hold locks for which a handler of
 * the message would wait. */
void
gst_cuda_histo_flush_events (GstCudaHisto *self)
{
  GstCudaHistoFindings findings;

  gst_cuda_histo_detectors_end (&self->detection.detectors, GST_CUDA_HISTO_ENDED_BY_FLUSH, &findings);
  if (findings.n_events > 0)
    self->detection.flushed = findings;
}
