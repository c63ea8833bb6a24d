/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Luma and chroma derived from R', G' and B': see struct histo_matrix.
 *
 * In a slot, the derived components of a frame precede the stored ones, and their planes follow the stored planes. Derived
 * planes have rows and a stride, but no samples: the backend derives the samples into its memory. */

#pragma once

#include <cudahisto/histo.h>

/* The highest depth for which 32-bit arithmetic suffices. */
#define HISTO_NARROW_DEPTH 12

/* How a derived component follows from R', G' and B': (weights[0] * R' + weights[1] * G' + weights[2] * B' + offset) >> shift,
 * limited to 0 .. top. */
struct histo_derivation {
  int32_t weights[3];
  uint32_t shift;
  int64_t offset; /* fits into 32 bits up to HISTO_NARROW_DEPTH, and so do all sums */
  int32_t top;
};

/* The derivation of component `c`, a derived one. */
struct histo_derivation histo_find_derivation (const struct histo_frame *frame, unsigned c);

/* Whether a frame whose number of components is valid has valid components to derive from, or derives none. */
bool histo_derivation_is_valid (const struct histo_frame *frame);

/* Whether its matrix is valid and its chroma not subsampled, if it derives components. Those of an operand are ignored. */
bool histo_matrix_is_valid (const struct histo_frame *frame);

/* Adds the derived components and their planes to a frame. */
void histo_add_derived (struct histo_frame *frame);

/* Removes them again. */
void histo_remove_derived (struct histo_frame *frame);

/* The bytes of one derived plane, rounded up so that the next begins at an aligned address. */
size_t histo_count_derived_bytes (const struct histo_frame *frame);

/* The first component of statistics of luma and chroma, or of R', G' and B' if `is_rgb`. */
unsigned histo_find_first_component (const struct histo_frame *frame, bool is_rgb);
