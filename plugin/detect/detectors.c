/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "detect/detectors.h"

#include <math.h>
#include <string.h>

#include "result/schema.h"

void
gst_cuda_histo_detectors_init (GstCudaHistoDetectors *detectors, const GstCudaHistoDetection *settings)
{
  *detectors = (GstCudaHistoDetectors){
    .settings = *settings,
    .black.min_duration = settings->black_min_duration,
    .freeze.min_duration = settings->freeze_min_duration,
    .clipped.min_duration = settings->clipped_min_duration,
  };
}

gboolean
gst_cuda_histo_detectors_have_luma (const GstCudaHistoSource *source)
{
  return source->is_video
         && (source->n_derived > 0 || strcmp (source->components[0], "Y") == 0 || strcmp (source->components[0], "GRAY") == 0);
}

void
gst_cuda_histo_detectors_set_source (GstCudaHistoDetectors *detectors, const GstCudaHistoSource *source)
{
  /* R, G and B of unknown range have the full range. */
  const gboolean is_full
      = strcmp (source->range, "full") == 0 || (source->n_derived > 0 && strcmp (source->range, "unknown") == 0);

  detectors->has_luma = gst_cuda_histo_detectors_have_luma (source);
  /* Of R, G and B, luma and chroma are compared. */
  detectors->n_components = source->n_derived > 0 ? source->n_derived : source->n_components;
  detectors->n_scene_components = detectors->has_luma ? 1 : source->n_components;
  detectors->black_limit = gst_cuda_histo_measure_black_limit (detectors->settings.black_level, source->depth, is_full);
  detectors->black.framerate_n = detectors->freeze.framerate_n = source->framerate_n;
  detectors->black.framerate_d = detectors->freeze.framerate_d = source->framerate_d;
  detectors->clipped.framerate_n = detectors->damaged.framerate_n = source->framerate_n;
  detectors->clipped.framerate_d = detectors->damaged.framerate_d = source->framerate_d;
}

void
gst_cuda_histo_detectors_add_picture (GstCudaHistoDetectors *detectors, const struct histo_stats *stats)
{
  if (detectors->has_luma && (detectors->settings.events & GST_CUDA_HISTO_EVENTS_BLACK) != 0 && stats->component_count > 0) {
    detectors->luma_count += stats->components[0].count;
    detectors->black_count += gst_cuda_histo_measure_black (&stats->components[0], detectors->black_limit);
  }
  if (stats->picture != NULL && (stats->picture->statistics & HISTO_STATISTIC_GAMUT) != 0) {
    detectors->pixel_count += stats->picture->luma_count;
    detectors->gamut_errors += stats->picture->gamut_errors;
  }
  gst_cuda_histo_difference_add (&detectors->difference, stats, detectors->n_components);
  gst_cuda_histo_difference_add (&detectors->scene_difference, stats, detectors->n_scene_components);
}

void
gst_cuda_histo_detectors_add_freeze (GstCudaHistoDetectors *detectors, const struct histo_stats *stats)
{
  gst_cuda_histo_difference_add (&detectors->freeze_difference, stats, detectors->n_components);
}

/* ---- findings -------------------------------------------------------------------------------------------------------- */

static GstCudaHistoFinding *
gst_cuda_histo_findings_add (GstCudaHistoFindings *findings, GstCudaHistoEvents kind, const GstCudaHistoInterval *interval,
                             gdouble value, gdouble threshold)
{
  GstCudaHistoFinding *event = &findings->events[findings->n_events++];

  *event = (GstCudaHistoFinding){
    .kind = gst_cuda_histo_event_get_kind_name (kind),
    .start = interval->start.stream_time,
    .end = GST_CLOCK_TIME_NONE,
    .running_time = interval->start.running_time,
    .end_running_time = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
    .utc_time = interval->start.utc_time,
    .value = value,
    .threshold = threshold,
    .frame = interval->start.frame,
    .frames = interval->frames,
  };
  return event;
}

static void
gst_cuda_histo_findings_add_beginning (GstCudaHistoFindings *findings, GstCudaHistoEvents kind, GstCudaHistoInterval *interval,
                                       gdouble value, gdouble threshold)
{
  if (gst_cuda_histo_interval_begins_event (interval))
    gst_cuda_histo_findings_add (findings, kind, interval, value, threshold);
}

/* `next`: the first frame after the event, or NULL. */
static void
gst_cuda_histo_findings_add_end (GstCudaHistoFindings *findings, GstCudaHistoEvents kind, GstCudaHistoInterval *interval,
                                 gdouble value, gdouble threshold, const GstCudaHistoMoment *next, GstCudaHistoEndedBy ended_by)
{
  const GstCudaHistoMoment *end = next != NULL ? next : &interval->last;
  GstCudaHistoFinding *event;
  GstClockTime duration;

  if (!gst_cuda_histo_interval_close (interval, next, &duration))
    return;
  event = gst_cuda_histo_findings_add (findings, kind, interval, value, threshold);
  if (GST_CLOCK_TIME_IS_VALID (duration)) {
    event->end = end->stream_time;
    event->end_running_time = end->running_time;
  }
  event->duration = duration;
  event->ended_by = gst_cuda_histo_ended_by_get_name (ended_by);
}

/* ---- the kinds of events --------------------------------------------------------------------------------------------- */

/* An event of frames that each qualify alone, by `value`. */
static void
gst_cuda_histo_detectors_find_state (GstCudaHistoEvents kind, GstCudaHistoInterval *interval, gboolean is_part, gdouble value,
                                     gdouble *first_value, gdouble threshold, const GstCudaHistoMoment *moment,
                                     GstCudaHistoFindings *findings)
{
  if (!is_part) {
    gst_cuda_histo_findings_add_end (findings, kind, interval, *first_value, threshold, moment,
                                     GST_CUDA_HISTO_ENDED_BY_COMPLETE);
    return;
  }
  if (interval->is_open) {
    gst_cuda_histo_interval_extend (interval, moment);
  } else {
    gst_cuda_histo_interval_open (interval, moment);
    *first_value = value;
  }
  gst_cuda_histo_findings_add_beginning (findings, kind, interval, *first_value, threshold);
}

static void
gst_cuda_histo_detectors_find_black (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *moment,
                                     GstCudaHistoFindings *findings)
{
  const gdouble ratio = (gdouble)detectors->black_count / (gdouble)detectors->luma_count;

  if (detectors->luma_count > 0)
    gst_cuda_histo_detectors_find_state (GST_CUDA_HISTO_EVENTS_BLACK, &detectors->black,
                                         ratio >= detectors->settings.black_ratio, ratio, &detectors->black_value,
                                         detectors->settings.black_ratio, moment, findings);
}

static void
gst_cuda_histo_detectors_find_clipped (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *moment,
                                       GstCudaHistoFindings *findings)
{
  const gdouble ratio = (gdouble)detectors->gamut_errors / (gdouble)detectors->pixel_count;

  if (detectors->pixel_count > 0)
    gst_cuda_histo_detectors_find_state (GST_CUDA_HISTO_EVENTS_CLIPPED, &detectors->clipped,
                                         ratio > detectors->settings.clipped_ratio, ratio, &detectors->clipped_value,
                                         detectors->settings.clipped_ratio, moment, findings);
}

static void
gst_cuda_histo_detectors_end_freeze (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *next,
                                     GstCudaHistoEndedBy ended_by, GstCudaHistoFindings *findings)
{
  gst_cuda_histo_findings_add_end (findings, GST_CUDA_HISTO_EVENTS_FREEZE, &detectors->freeze, detectors->freeze_value,
                                   detectors->settings.freeze_noise, next, ended_by);
}

/* A freeze may begin at each frame that differs from the frame before. The frame opens an interval. In a stream with a low
 * frame rate one frame can last long enough to be an event. */
static gboolean
gst_cuda_histo_detectors_find_freeze (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *moment,
                                      GstCudaHistoFindings *findings)
{
  const GstCudaHistoDifference *difference
      = detectors->freeze_difference.count > 0 ? &detectors->freeze_difference : &detectors->difference;
  const gboolean is_known = gst_cuda_histo_difference_is_known (difference) && detectors->freeze.is_open;
  const gdouble mean = is_known ? gst_cuda_histo_difference_get_mean (difference) : 1;

  if (!is_known || mean > detectors->settings.freeze_noise) {
    gst_cuda_histo_detectors_end_freeze (detectors, is_known ? moment : NULL,
                                         is_known ? GST_CUDA_HISTO_ENDED_BY_COMPLETE : GST_CUDA_HISTO_ENDED_BY_GAP, findings);
    gst_cuda_histo_interval_open (&detectors->freeze, moment);
    detectors->freeze_value = 0;
    return FALSE;
  }
  if (detectors->freeze.frames == 1)
    detectors->freeze_value = mean;
  gst_cuda_histo_interval_extend (&detectors->freeze, moment);
  gst_cuda_histo_findings_add_beginning (findings, GST_CUDA_HISTO_EVENTS_FREEZE, &detectors->freeze, detectors->freeze_value,
                                         detectors->settings.freeze_noise);
  return TRUE;
}

/* A scene change begins and ends with one frame. */
static void
gst_cuda_histo_detectors_find_scene_change (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *moment,
                                            GstCudaHistoFindings *findings)
{
  GstCudaHistoInterval interval = { 0 };
  gdouble score;

  if (!gst_cuda_histo_difference_is_known (&detectors->scene_difference)) {
    detectors->previous_mean = 0;
    return;
  }
  score = gst_cuda_histo_difference_get_score (&detectors->scene_difference, &detectors->previous_mean);
  if (score < detectors->settings.scene_change_threshold)
    return;
  gst_cuda_histo_interval_open (&interval, moment);
  gst_cuda_histo_findings_add_end (findings, GST_CUDA_HISTO_EVENTS_SCENE_CHANGE, &interval, score,
                                   detectors->settings.scene_change_threshold, moment, GST_CUDA_HISTO_ENDED_BY_COMPLETE);
}

static void
gst_cuda_histo_detectors_end_damage (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *next,
                                     GstCudaHistoEndedBy ended_by, GstCudaHistoFindings *findings)
{
  const guint before = findings->n_events;
  GstCudaHistoFinding *event = &findings->events[before];

  gst_cuda_histo_findings_add_end (findings, GST_CUDA_HISTO_EVENTS_DAMAGED, &detectors->damaged, NAN, NAN, next, ended_by);
  if (findings->n_events == before)
    return;
  event->frames = detectors->damaged_frames;
  event->missing = detectors->damage.missing;
  event->cause = gst_cuda_histo_damage_name_causes (detectors->damage.causes);
}

/* A gap begins where the first missing frame should have been, and ends at the frame after the gap. */
static void
gst_cuda_histo_detectors_open_damage (GstCudaHistoDetectors *detectors, const GstCudaHistoDamage *damage,
                                      const GstCudaHistoMoment *moment)
{
  GstCudaHistoMoment start = *moment;

  if (damage->has_time) {
    start.stream_time = damage->stream_time;
    start.running_time = damage->running_time;
    start.repeats = 0;
  }
  if (damage->skipped > 0)
    start.frame = damage->frame;
  gst_cuda_histo_interval_open (&detectors->damaged, &start);
  detectors->damaged.is_event = TRUE;
  detectors->damage = (GstCudaHistoDamage){ 0 };
  detectors->damaged_frames = 0;
}

static void
gst_cuda_histo_detectors_find_damage (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *moment,
                                      const GstCudaHistoDamage *damage, GstCudaHistoFindings *findings)
{
  if (gst_cuda_histo_damage_is_any (damage)) {
    if (detectors->damaged.is_open)
      gst_cuda_histo_interval_extend (&detectors->damaged, moment);
    else
      gst_cuda_histo_detectors_open_damage (detectors, damage, moment);
    detectors->damage.causes |= damage->causes;
    detectors->damage.missing = gst_cuda_histo_damage_sum (detectors->damage.missing, damage->missing);
    detectors->damaged_frames += damage->skipped + (damage->is_damaged ? 1 : 0);
  }
  if (!damage->is_damaged)
    gst_cuda_histo_detectors_end_damage (detectors, moment, GST_CUDA_HISTO_ENDED_BY_COMPLETE, findings);
}

void
gst_cuda_histo_detectors_find_end_damage (GstCudaHistoDetectors *detectors, const GstCudaHistoDamage *damage, guint64 frame,
                                          GstCudaHistoEndedBy ended_by, GstCudaHistoFindings *findings)
{
  GstCudaHistoMoment moment = {
    .frame = frame,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .utc_time = GST_CLOCK_TIME_NONE,
  };
  GstCudaHistoMoment end = moment;

  if (damage->has_end) {
    end.stream_time = damage->end_stream_time;
    end.running_time = damage->end_running_time;
  }
  findings->n_events = 0;
  gst_cuda_histo_detectors_open_damage (detectors, damage, &moment);
  detectors->damage = *damage;
  detectors->damaged_frames = damage->skipped;
  gst_cuda_histo_detectors_end_damage (detectors, damage->has_end ? &end : NULL, ended_by, findings);
}

static void
gst_cuda_histo_detectors_forget_buffer (GstCudaHistoDetectors *detectors)
{
  const GstCudaHistoDifference nothing = { 0 };

  detectors->luma_count = detectors->black_count = detectors->pixel_count = detectors->gamut_errors = 0;
  detectors->difference = detectors->scene_difference = detectors->freeze_difference = nothing;
}

gboolean
gst_cuda_histo_detectors_finish_buffer (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *moment,
                                        const GstCudaHistoDamage *damage, GstCudaHistoFindings *findings)
{
  const GstCudaHistoEvents events = detectors->settings.events;
  gboolean is_frozen = FALSE;

  findings->n_events = 0;
  if ((events & GST_CUDA_HISTO_EVENTS_BLACK) != 0)
    gst_cuda_histo_detectors_find_black (detectors, moment, findings);
  if ((events & GST_CUDA_HISTO_EVENTS_FREEZE) != 0)
    is_frozen = gst_cuda_histo_detectors_find_freeze (detectors, moment, findings);
  if ((events & GST_CUDA_HISTO_EVENTS_SCENE_CHANGE) != 0)
    gst_cuda_histo_detectors_find_scene_change (detectors, moment, findings);
  if ((events & GST_CUDA_HISTO_EVENTS_CLIPPED) != 0)
    gst_cuda_histo_detectors_find_clipped (detectors, moment, findings);
  if ((events & GST_CUDA_HISTO_EVENTS_DAMAGED) != 0)
    gst_cuda_histo_detectors_find_damage (detectors, moment, damage, findings);
  gst_cuda_histo_detectors_forget_buffer (detectors);
  return is_frozen;
}

void
gst_cuda_histo_detectors_end (GstCudaHistoDetectors *detectors, GstCudaHistoEndedBy ended_by, GstCudaHistoFindings *findings)
{
  findings->n_events = 0;
  gst_cuda_histo_detectors_forget_buffer (detectors);
  detectors->previous_mean = 0;
  gst_cuda_histo_findings_add_end (findings, GST_CUDA_HISTO_EVENTS_BLACK, &detectors->black, detectors->black_value,
                                   detectors->settings.black_ratio, NULL, ended_by);
  gst_cuda_histo_detectors_end_freeze (detectors, NULL, ended_by, findings);
  gst_cuda_histo_findings_add_end (findings, GST_CUDA_HISTO_EVENTS_CLIPPED, &detectors->clipped, detectors->clipped_value,
                                   detectors->settings.clipped_ratio, NULL, ended_by);
  gst_cuda_histo_detectors_end_damage (detectors, NULL, ended_by, findings);
}
