/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/mapped.h"

void
histo_cuda_mapped_free (struct histo_cuda_mapped *mapped, const struct histo_cuda_driver *driver)
{
  if (mapped->host)
    driver->cuMemFreeHost (mapped->host);
  *mapped = (struct histo_cuda_mapped){ 0 };
}

enum histo_status
histo_cuda_mapped_reserve (struct histo_cuda_mapped *mapped, const struct histo_cuda_driver *driver, size_t size)
{
  enum histo_status status = HISTO_OK;

  if (mapped->host)
    return HISTO_OK;
  HISTO_CUDA_TRY_MEMORY (status, driver,
                         cuMemHostAlloc (&mapped->host, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                         "allocating pinned memory");
  if (status != HISTO_OK) {
    mapped->host = NULL;
    return status;
  }
  HISTO_CUDA_TRY (status, driver, cuMemHostGetDevicePointer (&mapped->device, mapped->host, 0), "mapping pinned memory");
  if (status != HISTO_OK)
    histo_cuda_mapped_free (mapped, driver);
  return status;
}
