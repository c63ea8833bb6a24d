/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Derives luma and chroma for the rows of a slice. */

#pragma once

#include "slice.h"

/* The derived components of a frame, and how a worker derives them. */
struct histo_cpu_derived {
  unsigned count;      /* 0, 1 or 3 */
  unsigned first_pass; /* theirs are the last ones */
  bool has_operand;
  struct histo_derivation derivations[HISTO_MAX_DERIVED];
  struct histo_cpu_component sources[2][3]; /* R', G' and B' of the frame and of the operand */
  uint32_t above, below;                    /* rows around a slice that statistics of luma need */
  size_t stride_bytes, plane_bytes;         /* of the rows of a slice, with those around it */
};

/* Describes the derivation of a frame whose passes are sliced. */
void histo_cpu_find_derived (struct histo_cpu_derived *derived, const struct histo_frame *frame,
                             const struct histo_cpu_pass *passes, unsigned pass_count);

/* The bytes that a worker needs for a slice. */
size_t histo_cpu_count_derived (const struct histo_cpu_derived *derived);

/* Derives the rows of the task's slice, in a derived pass, into `memory`. Sets the derived components of `picture`. */
void histo_cpu_derive (const struct histo_cpu_task *task, const struct histo_cpu_derived *derived, uint8_t *memory,
                       struct histo_cpu_picture *picture);

/* Points the task at the derived rows of component `c` and of its operand. */
void histo_cpu_enter_derived (struct histo_cpu_task *task, const struct histo_cpu_derived *derived, uint8_t *memory,
                              unsigned c);
