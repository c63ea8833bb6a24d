/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks frames before a backend gets them. */

#pragma once

#include "weights.h"

/* Whether a frame and its operand are within the limits of histo.h. `weights`: the engine's, for each component. */
bool histo_frame_is_valid (const struct histo_frame *frame, bool takes_device_memory, const struct histo_own_weights *weights);

/* Whether two frames have the same memory, plane heights and components. */
bool histo_frames_match (const struct histo_frame *frame, const struct histo_frame *other);

/* Copies a valid frame without its operand, and adds its derived components. A number of bins of 0 becomes the default. */
void histo_frame_copy (struct histo_frame *copy, const struct histo_frame *frame);

/* The number of samples of a component of a valid frame. */
uint64_t histo_frame_count_samples (const struct histo_frame *frame, const struct histo_component *component);
