/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/driver.h"

#include <dlfcn.h>
#include <string.h>

#include "backend.h"

#define LIBRARY "libcuda.so.1"

#define SYMBOL_TEXT(name) #name
#define SYMBOL(name) SYMBOL_TEXT (name) /* after cuda.h has put the version in */

/* ISO C has no conversion from void * to a function; POSIX promises that the bits are the same. */
static bool
find_symbol (const struct histo_config *config, void *library, const char *name, void *function)
{
  void *symbol = dlsym (library, name);

  if (!symbol) {
    histo_log (config, HISTO_LOG_ERROR, LIBRARY " has no function %s: the driver is too old", name);
    return false;
  }
  memcpy (function, &symbol, sizeof symbol);
  return true;
}

enum histo_status
histo_cuda_driver_load (const struct histo_config *config, struct histo_cuda_driver *driver)
{
  bool complete = true;
  CUresult result;

  memset (driver, 0, sizeof *driver);
  driver->library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) {
    histo_log (config, HISTO_LOG_ERROR, "%s", dlerror ());
    return HISTO_ERROR_NO_DRIVER;
  }
#define FIND(function) complete = complete && find_symbol (config, driver->library, SYMBOL (function), &driver->function);
  HISTO_CUDA_FUNCTIONS (FIND)
#undef FIND
  if (!complete) {
    histo_cuda_driver_unload (driver);
    return HISTO_ERROR_NO_DRIVER;
  }

  result = driver->cuInit (0);
  if (result != CUDA_SUCCESS) {
    histo_cuda_check (config, driver, result, "cuInit");
    histo_cuda_driver_unload (driver);
    return HISTO_ERROR_NO_DEVICE;
  }
  return HISTO_OK;
}

void
histo_cuda_driver_unload (struct histo_cuda_driver *driver)
{
  if (driver->library)
    dlclose (driver->library);
  memset (driver, 0, sizeof *driver);
}

enum histo_status
histo_cuda_check (const struct histo_config *config, const struct histo_cuda_driver *driver, CUresult result, const char *what)
{
  const char *name = NULL, *text = NULL;

  if (result == CUDA_SUCCESS)
    return HISTO_OK;
  if (driver->cuGetErrorName (result, &name) != CUDA_SUCCESS || !name)
    name = "unknown error";
  if (driver->cuGetErrorString (result, &text) != CUDA_SUCCESS || !text)
    text = "the driver has no text for it";
  histo_log (config, HISTO_LOG_ERROR, "%s: %s (%s, %d)", what, text, name, (int)result);
  return HISTO_ERROR_DEVICE;
}

enum histo_status
histo_cuda_check_memory (const struct histo_config *config, const struct histo_cuda_driver *driver, CUresult result,
                         const char *what)
{
  enum histo_status status = histo_cuda_check (config, driver, result, what);

  return result == CUDA_ERROR_OUT_OF_MEMORY ? HISTO_ERROR_NO_MEMORY : status;
}
