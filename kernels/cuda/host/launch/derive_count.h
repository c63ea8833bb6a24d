/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Describes the launch that derives components and counts them and their sources, if one kernel can do both. */

#pragma once

#include "cuda/derive.h"
#include "cuda/host/plan/shape.h"
#include "cuda/host/plan/words.h"

/* Fills *count for the frame that `derive` describes, without the fields that are set at launch. `other`: its fourth source;
 * NULL: it has three. Returns the number of blocks; 0: other kernels have to count it. */
unsigned histo_cuda_describe_derive_count (const struct histo_cuda_shape *shape, const struct histo_cuda_words *words,
                                           const struct histo_cuda_derive *derive,
                                           const struct histo_cuda_picture_component *other,
                                           struct histo_cuda_derive_count *count);

/* The selector for __byte_perm that takes a source's sample from the words of the pixel at `pixel`: see struct
 * histo_cuda_derive. */
uint32_t histo_cuda_find_selector (const struct histo_cuda_picture_component *source, uint64_t pixel);

/* Shared memory of a block for its tables. */
uint32_t histo_cuda_find_derive_tables (const struct histo_cuda_derive_count *count);
