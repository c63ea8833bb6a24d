/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The weights of a component, copied from the caller. */

#pragma once

#include <cudahisto/histo.h>

/* All zeros: all weights are 1. The engine owns the vectors. */
struct histo_own_weights {
  int16_t *row, *column; /* NULL: all are 1 */
  uint64_t row_count, column_count;
};

/* On NO_MEMORY, *copy has nothing to free. */
enum histo_status histo_weights_copy (const struct histo_weights *weights, struct histo_own_weights *copy);

/* Frees the vectors and sets all weights to 1. */
void histo_weights_free (struct histo_own_weights *weights);

/* Whether the vectors are long enough for projecting a component of `frame`. */
bool histo_weights_suffice (const struct histo_own_weights *weights, const struct histo_frame *frame,
                            const struct histo_component *component);
