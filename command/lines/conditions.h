/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conditions on the numbers of a line that need more than a comparison of two or three numbers: what must hold for a histogram,
 * a rectangle or an array of sums. relations.c has the table of all conditions. */

#pragma once

#include <cudahisto/histo.h>

#include "lines/facts.h"
#include "lines/relations.h"

/* Σ h, Σ v·h and Σ v²·h of a histogram. */
typedef struct {
  Wide count, sum, squares;
} Moments;

/* A picture (the result of a line, or a region of it) with values computed for the component being checked. Conditions compute
 * `moments` and the members after it. */
typedef struct {
  const Facts *result;
  const Facts *picture; /* the result, or a region */
  Facts *components[RELATIONS_MAX_COMPONENTS];
  guint n_components;
  gint region; /* its index; -1: the result */
  Moments moments;
  struct histo_summary summary;
  struct histo_colour_summary colours[2]; /* of the saturations and of the hues */
  struct histo_light_summary light;
  gboolean has_summary, has_colours[2], has_light;
  guint64 *native; /* a histogram in the byte order of this machine; NULL: the line has that order */
} CheckedPicture;

/* Returns whether the number `fact` of `facts` meets the condition. `facts` is the picture, one of its components, or its
 * comparison with a reference. It has the number and those with which the condition compares it. */
typedef gboolean (*Condition) (CheckedPicture *check, const Facts *facts, Fact fact);

/* For an array of bins. The first checks that the sum of an array without a count fits into 64 bits. */
gboolean conditions_has_sum (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_columns (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_bins (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_saturations (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_hues (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_is_vectorscope (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_has_codes (CheckedPicture *check, const Facts *facts, Fact fact);

/* For the histogram of a component, and numbers that follow from it. conditions_histogram_adds_up() computes the moments that
 * the next two functions need. */
gboolean conditions_histogram_adds_up (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_histogram_has_sum (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_histogram_has_squares (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_follows_from_histogram (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_mask_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_waveform_has_histogram (CheckedPicture *check, const Facts *facts, Fact fact);

/* For other numbers of a component. */
gboolean conditions_variance_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_was_counted (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_counts_bits (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_mask_is_of_max (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_bits_are_of_max (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_psnr_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_sums_add_up (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_sums_fit (CheckedPicture *check, const Facts *facts, Fact fact);

/* For a picture: its size, its rectangles and its colours. */
gboolean conditions_has_pixels (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_rectangle_is_inside (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_region_is_inside (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_active_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_light_follows (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_light_has_sum (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_is_code (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_is_saturation (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_is_hue (CheckedPicture *check, const Facts *facts, Fact fact);
gboolean conditions_colour_follows (CheckedPicture *check, const Facts *facts, Fact fact);

/* Returns whether a number is the result of a formula, except for the last digits. Both may be infinite. */
gboolean conditions_is_result (gdouble number, gdouble expected);

/* Returns the sum of an array's bins, in 128 bits. */
Wide conditions_add_up (const Facts *facts, Fact fact);

/* Returns the bitwise OR of the numbers, which are little-endian. */
guint64 conditions_find_any (const guint64 *numbers, gsize length);
