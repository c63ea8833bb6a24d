/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The numbers of a frame by which events are detected, as FFmpeg 5.1 computes them. Pure functions, except that the score of a
 * scene change uses the previous frame's mean. */

#pragma once

#include <cudahisto/histo.h>
#include <glib.h>

/* Returns the largest luma value that is black (blackdetect): `level`, 0 to 1, of the way from black to white, rounded down.
 * `is_full`: full range, from 0 to the largest value. Otherwise limited range: 16 to 235, scaled to `depth`. */
guint gst_cuda_histo_measure_black_limit (gdouble level, guint depth, gboolean is_full);

/* Returns the number of samples up to `limit`. The histogram has a bin for each value. */
guint64 gst_cuda_histo_measure_black (const struct histo_component_stats *luma, guint limit);

/* Sums over the components of a frame, and over the pictures of a buffer. Initialise with zeros. */
typedef struct {
  guint64 sum, count; /* of absolute differences; of samples */
  guint depth;
  gboolean is_incomplete; /* some samples had no operand */
} GstCudaHistoDifference;

/* Adds the first `n_components` components. */
void gst_cuda_histo_difference_add (GstCudaHistoDifference *difference, const struct histo_stats *stats, guint n_components);

/* Whether all samples of the frame had an operand. */
gboolean gst_cuda_histo_difference_is_known (const GstCudaHistoDifference *difference);

/* Returns the mean as a fraction of the number of sample values (freezedetect: MAFD). The difference is known. */
gdouble gst_cuda_histo_difference_get_mean (const GstCudaHistoDifference *difference);

/* Returns the score of a scene change, 0 to 100 (scdet): the smaller of the mean difference in percent and its change since the
 * previous frame. *previous_mean is the previous frame's mean and becomes this one's. The first frame has 0. */
gdouble gst_cuda_histo_difference_get_score (const GstCudaHistoDifference *difference, gdouble *previous_mean);
