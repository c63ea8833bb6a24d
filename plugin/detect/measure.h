/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The numbers of a frame by which something is detected, as FFmpeg 5.1 has them. Pure functions, except for what the score of
 * a scene change remembers of the frame before. */

#ifndef GST_CUDA_HISTO_MEASURE_H
#define GST_CUDA_HISTO_MEASURE_H

#include <cudahisto/histo.h>
#include <glib.h>

G_BEGIN_DECLS

/* The largest value of luma that is black (blackdetect): `level`, from 0 to 1, of the way from black to white, rounded down.
 * `is_full`: black is 0 and white the largest value; else 16 and 235, of deeper samples as much more. */
guint gst_cuda_histo_measure_black_limit (gdouble level, guint depth, gboolean is_full);

/* Samples up to that value. The histogram has a counter for each value. */
guint64 gst_cuda_histo_measure_black (const struct histo_component_stats *luma, guint limit);

/* What is added up of the differences of a frame: of its components, and of the pictures in a buffer. All zeros at first. */
typedef struct {
  guint64 sum, count; /* of the absolute differences */
  guint depth;
  gboolean is_incomplete; /* some samples had no operand */
} GstCudaHistoDifference;

/* Adds the first `n_components`. */
void gst_cuda_histo_difference_add (GstCudaHistoDifference *difference, const struct histo_stats *stats, guint n_components);

/* Whether it is that of the whole frame. */
gboolean gst_cuda_histo_difference_is_known (const GstCudaHistoDifference *difference);

/* The mean, as a fraction of all values that samples can have (freezedetect: MAFD). It is known. */
gdouble gst_cuda_histo_difference_get_mean (const GstCudaHistoDifference *difference);

/* The score of a scene change, 0 to 100 (scdet): the smaller one of the mean difference in percent and of its change since the
 * frame before, whose mean is *previous_mean, and becomes this one's. 0 before the first. */
gdouble gst_cuda_histo_difference_get_score (const GstCudaHistoDifference *difference, gdouble *previous_mean);

G_END_DECLS

#endif
