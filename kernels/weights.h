/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The weights of a component, copied from the caller's. */

#ifndef HISTO_WEIGHTS_H
#define HISTO_WEIGHTS_H

#include <cudahisto/histo.h>

/* All zeros: ones. The vectors are the engine's. */
struct histo_own_weights {
  int16_t *row, *column; /* NULL: ones */
  uint64_t row_count, column_count;
};

/* NO_MEMORY, and *copy has nothing to free. */
enum histo_status histo_weights_copy (const struct histo_weights *weights, struct histo_own_weights *copy);

/* Leaves ones. */
void histo_weights_free (struct histo_own_weights *weights);

/* Whether there are as many as projecting a component of `frame` takes. */
bool histo_weights_suffice (const struct histo_own_weights *weights, const struct histo_frame *frame,
                            const struct histo_component *component);

#endif
