/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The detectors: from the numbers of each frame, in the order of the stream, to events. They know no thread, no buffer and no
 * element. */

#ifndef GST_CUDA_HISTO_DETECTORS_H
#define GST_CUDA_HISTO_DETECTORS_H

#include "detect/interval.h"
#include "detect/measure.h"
#include "result/damage.h"
#include "result/event.h"
#include "result/result.h"

G_BEGIN_DECLS

/* Thresholds are those of FFmpeg 5.1's filters, and of EBU R103. */
typedef struct {
  GstCudaHistoEvents events;
  GstClockTime black_min_duration;
  gdouble black_ratio; /* of the luma samples, at least; 0 to 1 */
  gdouble black_level; /* from black to white; 0 to 1 */
  GstClockTime freeze_min_duration;
  gdouble freeze_noise;           /* mean absolute difference, at most; 0 to 1 */
  gdouble scene_change_threshold; /* score, at least; 0 to 100 */
  GstClockTime clipped_min_duration;
  gdouble clipped_ratio; /* of the luma samples, or pixels: more than that; 0 to 1 */
} GstCudaHistoDetection;

/* What begins or ends at one time: each kind once. Those with `element` NULL. */
typedef struct {
  GstCudaHistoFinding events[GST_CUDA_HISTO_N_EVENTS];
  guint n_events;
} GstCudaHistoFindings;

typedef struct {
  GstCudaHistoDetection settings;

  /* of the frames that follow */
  gboolean has_luma;
  guint n_components, n_scene_components; /* of which differences are taken */
  guint black_limit;

  /* the buffer whose numbers are being added */
  guint64 luma_count, black_count;
  guint64 pixel_count, gamut_errors;
  GstCudaHistoDifference difference, scene_difference, freeze_difference;

  GstCudaHistoInterval black, freeze, clipped, damaged;
  gdouble black_value, freeze_value, clipped_value; /* by which they began */
  gdouble previous_mean;                            /* what the score of a scene change remembers */
  GstCudaHistoDamage damage;                        /* of what is in `damaged`, all together */
  guint64 damaged_frames;
} GstCudaHistoDetectors;

void gst_cuda_histo_detectors_init (GstCudaHistoDetectors *detectors, const GstCudaHistoDetection *settings);

/* Whether the pictures of a source have luma, without which nothing is black. */
gboolean gst_cuda_histo_detectors_have_luma (const GstCudaHistoSource *source);

/* What follows is of this source. Nothing is open. */
void gst_cuda_histo_detectors_set_source (GstCudaHistoDetectors *detectors, const GstCudaHistoSource *source);

/* Adds the numbers of a picture; a buffer may have several. Its differences, if it has any, are from the previous buffer's. */
void gst_cuda_histo_detectors_add_picture (GstCudaHistoDetectors *detectors, const struct histo_stats *stats);

/* Adds those of a picture whose differences are from the frame at which a freeze may have begun. Without any, that was the
 * previous one. */
void gst_cuda_histo_detectors_add_freeze (GstCudaHistoDetectors *detectors, const struct histo_stats *stats);

/* All pictures of the buffer are added, `damage` is what upstream said of it: finds what begins or ends with it. TRUE where the
 * buffer is like the one that it was compared with, at which a freeze may have begun: that is what the next one is compared
 * with, too. Else it is this one. */
gboolean gst_cuda_histo_detectors_finish_buffer (GstCudaHistoDetectors *detectors, const GstCudaHistoMoment *moment,
                                                 const GstCudaHistoDamage *damage, GstCudaHistoFindings *findings);

/* What is open ends with the last buffer, and the next one has no previous one. */
void gst_cuda_histo_detectors_end (GstCudaHistoDetectors *detectors, GstCudaHistoEndedBy ended_by,
                                   GstCudaHistoFindings *findings);

/* What upstream said at the end, where no buffer follows: what is missing, or was skipped, lies behind the last one. `frame` is
 * the index of the buffer that would be next. */
void gst_cuda_histo_detectors_find_end_damage (GstCudaHistoDetectors *detectors, const GstCudaHistoDamage *damage,
                                               guint64 frame, GstCudaHistoEndedBy ended_by, GstCudaHistoFindings *findings);

G_END_DECLS

#endif
