/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/pins.h"

#include <stdlib.h>

#include "log.h"

struct histo_cuda_pins {
  struct histo_cuda_driver driver; /* the pins' own reference */
  CUdevice device;
  CUcontext context;
  bool is_retained;
};

enum histo_status
histo_cuda_pins_open (const struct histo_config *config, CUdevice device, CUcontext context, bool is_primary,
                      struct histo_cuda_pins **pins_out)
{
  struct histo_cuda_pins *pins = calloc (1, sizeof *pins);
  struct histo_config quiet = *config; /* the engine already uses the driver: do not warn here */
  enum histo_status status = HISTO_OK;

  quiet.log = NULL;
  *pins_out = NULL;
  if (!pins)
    return histo_cuda_lack_memory (config);
  pins->device = device;
  pins->context = context;
  if (histo_cuda_driver_load (&quiet, &pins->driver) != HISTO_OK) {
    histo_log (config, HISTO_LOG_ERROR, "the driver failed when it was opened for pinned memory");
    status = HISTO_ERROR_DEVICE;
  }
  pins->driver.config = config;
  if (status == HISTO_OK && is_primary) {
    HISTO_CUDA_TRY (status, &pins->driver, cuDevicePrimaryCtxRetain (&pins->context, device),
                    "opening the CUDA device for pinned memory");
    pins->is_retained = status == HISTO_OK;
  }
  pins->driver.config = NULL; /* the pins outlive it */
  if (status == HISTO_OK)
    *pins_out = pins;
  else
    histo_cuda_pins_close (pins);
  return status;
}

enum histo_status
histo_cuda_pin (void *pins_in, size_t size_bytes, void **data)
{
  const struct histo_cuda_pins *pins = pins_in;
  const struct histo_cuda_driver *driver = &pins->driver;
  CUcontext popped;
  CUresult result = driver->cuCtxPushCurrent (pins->context);

  *data = NULL;
  if (result == CUDA_SUCCESS) {
    result = driver->cuMemHostAlloc (data, size_bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    driver->cuCtxPopCurrent (&popped);
  }
  if (result == CUDA_SUCCESS)
    return HISTO_OK;
  *data = NULL;
  return result == CUDA_ERROR_OUT_OF_MEMORY ? HISTO_ERROR_NO_MEMORY : HISTO_ERROR_DEVICE;
}

void
histo_cuda_unpin (void *pins_in, void *data)
{
  const struct histo_cuda_pins *pins = pins_in;
  bool is_current = pins->driver.cuCtxPushCurrent (pins->context) == CUDA_SUCCESS;
  CUcontext popped;

  /* Results are not checked: a failure leaves nothing to do. */
  pins->driver.cuMemFreeHost (data);
  if (is_current)
    pins->driver.cuCtxPopCurrent (&popped);
}

void
histo_cuda_pins_close (void *pins_in)
{
  struct histo_cuda_pins *pins = pins_in;

  if (pins->is_retained)
    pins->driver.cuDevicePrimaryCtxRelease (pins->device);
  histo_cuda_driver_unload (&pins->driver);
  free (pins);
}
