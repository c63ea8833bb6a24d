/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan/shape.h"

#include "cuda/count.h"

struct histo_cuda_shape
histo_cuda_find_shape (const struct histo_cuda_tuning *tuning, unsigned shared_bytes, unsigned multiprocessors)
{
  const unsigned wide_bytes = HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE);
  const unsigned columns = shared_bytes >= wide_bytes + HISTO_CUDA_STATIC_BYTES ? HISTO_CUDA_WIDE : HISTO_CUDA_NARROW;

  return (struct histo_cuda_shape){
    .multiprocessors = multiprocessors,
    .columns = columns,
    .shared_bytes = HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, columns),
    .tuning = tuning,
  };
}
