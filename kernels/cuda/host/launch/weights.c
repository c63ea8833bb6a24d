/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/launch/weights.h"

#include "cuda/project.h"

void
histo_cuda_weights_free (struct histo_cuda_weights *weights, const struct histo_cuda_driver *driver)
{
  if (weights->row)
    driver->cuMemFree (weights->row);
  if (weights->column)
    driver->cuMemFree (weights->column);
  *weights = (struct histo_cuda_weights){ 0 };
}

/* Begins to copy a vector. */
static enum histo_status
copy_vector (const struct histo_cuda_driver *driver, CUstream stream, const int16_t *vector, uint64_t count, CUdeviceptr *copy)
{
  const size_t size = count * sizeof *vector;
  enum histo_status status = HISTO_OK;

  if (!vector || count == 0)
    return HISTO_OK;
  HISTO_CUDA_TRY_MEMORY (status, driver, cuMemAlloc (copy, size), "allocating device memory for weights");
  if (status != HISTO_OK)
    *copy = 0;
  HISTO_CUDA_TRY (status, driver, cuMemcpyHtoDAsync (*copy, vector, size, stream), "copying weights to the device");
  return status;
}

/* Whether 32 bits hold the weighted sum of any HISTO_CUDA_PROJECT_BYTES or fewer adjacent bytes. */
static bool
fits_32_bits (const int16_t *weights, uint64_t count)
{
  int64_t positive = 0, negative = 0;

  for (uint64_t i = 0; i < count; i++) {
    int gone = i >= HISTO_CUDA_PROJECT_BYTES ? weights[i - HISTO_CUDA_PROJECT_BYTES] : 0;

    positive += (weights[i] > 0 ? weights[i] : 0) - (gone > 0 ? gone : 0);
    negative += (weights[i] < 0 ? weights[i] : 0) - (gone < 0 ? gone : 0);
    if (255 * positive > INT32_MAX || 255 * negative < INT32_MIN)
      return false;
  }
  return true;
}

enum histo_status
histo_cuda_weights_set (struct histo_cuda_weights *weights, const struct histo_cuda_driver *driver, CUstream stream,
                        const struct histo_weights *vectors)
{
  struct histo_cuda_weights copy = { .fits_32_bits = !vectors->row || fits_32_bits (vectors->row, vectors->row_count) };
  enum histo_status status = copy_vector (driver, stream, vectors->row, vectors->row_count, &copy.row), outcome = HISTO_OK;

  if (status == HISTO_OK)
    status = copy_vector (driver, stream, vectors->column, vectors->column_count, &copy.column);
  /* A copy from pageable memory, even cuMemcpyHtoD, may return before the data is on the device ("API synchronization behavior"
   * in the driver's documentation), and the engine's other streams would not wait for it. Once this stream is idle, all streams
   * see the copy. After a failure too, the vectors are no longer read. */
  HISTO_CUDA_TRY (outcome, driver, cuStreamSynchronize (stream), "copying weights to the device");
  if (outcome != HISTO_OK)
    status = outcome;
  if (status != HISTO_OK) {
    histo_cuda_weights_free (&copy, driver);
    return status;
  }
  histo_cuda_weights_free (weights, driver);
  *weights = copy;
  return HISTO_OK;
}
