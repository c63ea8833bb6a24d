/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans the kernels of picture.cu. */

#pragma once

#include "cuda/host/plan/plan.h"

/* Whether a statistic of the picture or the difference is requested; and the number of words for it. */
bool histo_cuda_wants_picture (const struct histo_frame *frame);
uint32_t histo_cuda_count_picture_words (const struct histo_frame *frame);

/* The number of words of a histogram of the picture: its bins if it is requested. The hues always have words, so that kernels
 * find the next histogram. */
uint32_t histo_cuda_count_histogram_words (const struct histo_statistic_row *row, uint32_t statistics, unsigned depth);

/* The number of bins of the saturations; 0 if they are not requested. */
uint32_t histo_cuda_count_saturations (const struct histo_frame *frame);

/* Chooses the kernel of picture.cu for frames whose passes and words are planned. */
void histo_cuda_plan_picture (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                              struct histo_cuda_plan *plan);

/* Describes the samples of a component of a frame whose passes are planned, without band_rows. */
void histo_cuda_describe_component (const struct histo_cuda_plan *plan, const struct histo_frame *frame, unsigned c,
                                    struct histo_cuda_picture_component *out);
