/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conditions on the numbers of a line that take more than a comparison of two or three of them: what a histogram, a rectangle
 * or an array of sums must be. relations.c says which numbers have to meet which. */

#ifndef CUDAHISTO_CONDITIONS_H
#define CUDAHISTO_CONDITIONS_H

#include <cudahisto/histo.h>

#include "lines/facts.h"
#include "lines/relations.h"

G_BEGIN_DECLS

/* Σ h, Σ v·h and Σ v²·h of a histogram. */
typedef struct {
  Wide count, sum, squares;
} Moments;

/* A picture, which is the result of a line or a region of it, and what has been computed of the component that is checked.
 * Conditions compute `moments` and all behind it. */
typedef struct {
  const Facts *result;
  const Facts *picture; /* the result, or a region */
  Facts *components[RELATIONS_MAX_COMPONENTS];
  guint n_components;
  gint region; /* its index; -1: it is the result */
  Moments moments;
  struct histo_summary summary;
  struct histo_colour_summary colours[2]; /* of the saturations, of the hues */
  gboolean has_summary, has_colours[2];
  guint64 *native; /* a histogram in the byte order of this machine; NULL: the line's is */
} CheckedPicture;

/* Whether the number `fact` of `facts` meets the condition. `facts` is the picture, one of its components, or the comparison of
 * one with a reference. It has the number, and those with which the condition compares it. */
typedef gboolean (*Condition) (CheckedPicture *check, const Facts *facts, Fact fact);

/* Of an array of counters. Its sum fits into 64 bits: for arrays that have no count to add up to. */
gboolean conditions_has_sum (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_columns (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_bins (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_saturations (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_hues (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_is_vectorscope (CheckedPicture *check, const Facts *facts, Fact fact);

/* Of the histogram of a component, and of numbers that follow from it. histogram_adds_up() computes the moments that the other
 * two of a histogram need. */
gboolean conditions_histogram_adds_up (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_histogram_has_sum (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_histogram_has_squares (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_follows_from_histogram (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_mask_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_waveform_has_histogram (CheckedPicture *check, const Facts *facts, Fact fact);

/* Of other numbers of a component. */
gboolean conditions_variance_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_was_counted (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_counts_bits (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_mask_is_of_max (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_bits_are_of_max (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_psnr_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_sums_add_up (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_sums_fit (CheckedPicture *check, const Facts *facts, Fact fact);

/* Of a picture: its size, its rectangles and its colours. */
gboolean conditions_has_pixels (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_rectangle_is_inside (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_region_is_inside (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_active_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_is_saturation (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_is_hue (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_saturation_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_hue_follows (CheckedPicture *check, const Facts *facts, Fact fact);

/* Counters of an array, in 128 bits. */
Wide conditions_add_up (const Facts *facts, Fact fact);

/* All bits that any of the numbers has, which are little-endian. 0: all numbers are 0. */
guint64 conditions_find_any (const guint64 *numbers, gsize length);

G_END_DECLS

#endif
