/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The detectors: they turn the numbers of each frame, in stream order, into events. They use no threads, buffers or
 * elements. */

#pragma once

#include "detect/interval.h"
#include "detect/measure.h"
#include "result/damage.h"
#include "result/event.h"
#include "result/result.h"

/* Thresholds of FFmpeg 5.1's filters and of EBU R103. */
typedef struct {
  GstCudaHistoEvents events;
  GstClockTime black_min_duration;
  gdouble black_ratio; /* least fraction of luma samples; 0 to 1 */
  gdouble black_level; /* position between black and white; 0 to 1 */
  GstClockTime freeze_min_duration;
  gdouble freeze_noise;           /* largest mean absolute difference; 0 to 1 */
  gdouble scene_change_threshold; /* least score; 0 to 100 */
  GstClockTime clipped_min_duration;
  gdouble clipped_ratio; /* fraction of luma samples or pixels that has to be exceeded; 0 to 1 */
} GstCudaHistoDetection;

/* Events that begin or end together: at most one of each kind. `element` NULL: none. */
typedef struct {
  GstCudaHistoFinding events[GST_CUDA_HISTO_N_EVENTS];
  guint n_events;
} GstCudaHistoFindings;

typedef struct {
  GstCudaHistoDetection settings;

  /* the source of the frames that follow */
  gboolean has_luma;
  guint n_components, n_scene_components; /* components used for differences */
  guint black_limit;

  /* the buffer that is being added */
  guint64 luma_count, black_count;
  guint64 pixel_count, gamut_errors;
  GstCudaHistoDifference difference, scene_difference, freeze_difference;

  GstCudaHistoInterval black, freeze, clipped, damaged;
  gdouble black_value, freeze_value, clipped_value; /* values of the frames at which the events began */
  gdouble previous_mean;                            /* mean difference of the previous frame, for the score of a scene change */
  GstCudaHistoDamage damage;                        /* totals of the open event `damaged` */
  guint64 damaged_frames;
} GstCudaHistoDetectors;

void gst_cuda_histo_detectors_init (GstCudaHistoDetectors *detectors, const GstCudaHistoDetection *settings);

/* Whether pictures of the source have luma. Black is detected only with luma. */
gboolean gst_cuda_histo_detectors_have_luma (const GstCudaHistoSource *source);

/* Sets the source of the frames that follow. No event is open. */
void gst_cuda_histo_detectors_set_source (GstCudaHistoDetectors *detectors, const GstCudaHistoSource *source);

/* Adds the numbers of a picture. A buffer may have several pictures. Differences, if any, are from the previous buffer's
 * picture. */
void gst_cuda_histo_detectors_add_picture (GstCudaHistoDetectors *detectors, const struct histo_stats *stats);

/* Adds the differences of a picture from the frame at which a freeze may have begun. If not called, the previous frame is that
 * frame. */
void gst_cuda_histo_detectors_add_freeze (GstCudaHistoDetectors *detectors, const struct histo_stats *stats);

/* Finds the events that begin or end with the buffer whose pictures were added. `damage` is upstream's report on the buffer.
 * TRUE if the buffer equals the frame at which a freeze may have begun: compare the next buffer with that frame too. FALSE:
 * compare the next buffer with this one. */
gboolean gst_cuda_histo_detectors_finish_buffer (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *moment,
                                                 const GstCudaHistoDamage *damage, GstCudaHistoFindings *findings);

/* Ends all open events with the last buffer. The next buffer has no previous one. */
void gst_cuda_histo_detectors_end (GstCudaHistoDetectors *detectors, GstCudaHistoEndedBy ended_by,
                                   GstCudaHistoFindings *findings);

/* Adds what upstream reported at the end of the stream, after the last buffer: missing and skipped frames. `frame` is the index
 * that the next buffer would have. */
void gst_cuda_histo_detectors_find_end_damage (GstCudaHistoDetectors *detectors, const GstCudaHistoDamage *damage,
                                               guint64 frame, GstCudaHistoEndedBy ended_by, GstCudaHistoFindings *findings);
