/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/tuning.h"

/* Only Hopper was measured, on an NVIDIA H200. All other generations use its row. */
const struct histo_cuda_tuning histo_cuda_tunings[HISTO_CUDA_TUNINGS] = {
  {
      .capability = 90,
      .zero_copy_idle_bytes = (size_t)512 << 10,
      .zero_copy_busy_bytes = (size_t)32 << 10,
      .bounce_bytes = (size_t)64 << 10,
      .spin_ns = 200000,
      .block_bytes = 24576,
      .small_frames = 512,
      .project_rows = 64,
      .project_blocks = 2,
      .picture_rows = 8,
      .picture_blocks = 8,
      .waveform_rows = 128,
      .waveform_blocks = 4,
  },
};

const struct histo_cuda_tuning *
histo_cuda_find_tuning (unsigned capability)
{
  unsigned row = 0;

  while (row + 1 < HISTO_CUDA_TUNINGS && histo_cuda_tunings[row + 1].capability <= capability)
    row++;
  return &histo_cuda_tunings[row];
}

enum histo_status
histo_cuda_read_tuning (const struct histo_cuda_driver *driver, CUdevice device, const struct histo_cuda_tuning **tuning)
{
  int major = 0, minor = 0;
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, driver, cuDeviceGetAttribute (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
                  "reading the compute capability");
  HISTO_CUDA_TRY (status, driver, cuDeviceGetAttribute (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
                  "reading the compute capability");
  *tuning = histo_cuda_find_tuning ((unsigned)(10 * major + minor));
  return status;
}
