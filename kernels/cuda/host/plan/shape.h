/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The device, as plans see it. */

#pragma once

#include "cuda/host/tuning.h"

/* The properties of the device that plans depend on. */
struct histo_cuda_shape {
  unsigned multiprocessors;
  unsigned columns;      /* of a table of 8-bit samples: HISTO_CUDA_WIDE or HISTO_CUDA_NARROW */
  unsigned shared_bytes; /* shared memory of a block for tables */
  const struct histo_cuda_tuning *tuning;
};

/* Describes a device whose blocks may have `shared_bytes` of shared memory. */
struct histo_cuda_shape histo_cuda_find_shape (const struct histo_cuda_tuning *tuning, unsigned shared_bytes,
                                               unsigned multiprocessors);
