/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "cuda/host/refuse.h"
#include "log.h"
#include "process.h"

#define LIBRARY "libcuda.so.1"

#define SYMBOL_TEXT(name) #name
#define SYMBOL(name) SYMBOL_TEXT (name) /* after cuda.h has added the version */

static _Thread_local CUresult last_failure;

CUresult
histo_cuda_last_failure (void)
{
  return last_failure;
}

enum histo_status
histo_cuda_lack_memory (const struct histo_config *config)
{
  last_failure = CUDA_SUCCESS;
  histo_log (config, HISTO_LOG_ERROR, "%s", histo_status_text (HISTO_ERROR_NO_MEMORY));
  return HISTO_ERROR_NO_MEMORY;
}

/* ---- loading -------------------------------------------------------------------------------------------------------- */

/* 0: cuInit was not called; otherwise 1 plus the generation of the process that called it. CUDA does not support a process that
 * forked after that: the driver's behaviour in it is undefined. */
static atomic_uint initialised;

/* Whether dlopen failed because the library does not exist, not because of its contents or dependencies. */
static bool
is_absent (const char *error)
{
  const char *no_such_file = strerror (ENOENT);
  size_t length = strlen (error), tail = strlen (no_such_file);

  return strstr (error, LIBRARY) && length >= tail && strcmp (error + length - tail, no_such_file) == 0;
}

/* ISO C has no conversion from void * to a function; POSIX guarantees equal bits. */
static bool
find_symbol (const struct histo_config *config, void *library, const char *name, void *function)
{
  void *symbol = dlsym (library, name);

  if (!symbol) {
    histo_cuda_refuse (config, "NVIDIA's driver is too old for this build: " LIBRARY " has no function %s; " HISTO_CUDA_UPDATE,
                       name);
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
  driver->config = config;
  if (atomic_load (&initialised) && atomic_load (&initialised) != histo_process_generation () + 1) {
    histo_cuda_refuse (config, "NVIDIA's driver cannot be used: it was in use when this process was forked, and works in the "
                               "parent process alone; fork before its first use, or start the child by exec");
    return HISTO_ERROR_NO_DRIVER;
  }
  driver->library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) {
    const char *error = dlerror ();

    if (is_absent (error))
      histo_log (config, HISTO_LOG_ERROR, "%s", error);
    else
      histo_cuda_refuse (config, "NVIDIA's driver cannot be loaded: %s; install it anew", error);
    return HISTO_ERROR_NO_DRIVER;
  }
#define FIND(function) complete = complete && find_symbol (config, driver->library, SYMBOL (function), &driver->function);
  HISTO_CUDA_FUNCTIONS (FIND)
#undef FIND
  if (!complete) {
    histo_cuda_driver_unload (driver);
    return HISTO_ERROR_NO_DRIVER;
  }

  atomic_store (&initialised, histo_process_generation () + 1);
  result = driver->cuInit (0);
  if (result != CUDA_SUCCESS) {
    histo_cuda_check (driver, result, "cuInit");
    if (result != CUDA_ERROR_NO_DEVICE)
      histo_cuda_refuse_result (config, driver, result, "NVIDIA's driver");
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
histo_cuda_check (const struct histo_cuda_driver *driver, CUresult result, const char *what)
{
  const char *name = NULL, *text = NULL;

  if (result == CUDA_SUCCESS)
    return HISTO_OK;
  last_failure = result;
  if (driver->cuGetErrorName (result, &name) != CUDA_SUCCESS || !name)
    name = "unknown error";
  if (driver->cuGetErrorString (result, &text) != CUDA_SUCCESS || !text)
    text = "the driver has no text for it";
  histo_log (driver->config, HISTO_LOG_ERROR, "%s: %s (%s, %d)", what, text, name, (int)result);
  return HISTO_ERROR_DEVICE;
}

enum histo_status
histo_cuda_check_memory (const struct histo_cuda_driver *driver, CUresult result, const char *what)
{
  enum histo_status status = histo_cuda_check (driver, result, what);

  return result == CUDA_ERROR_OUT_OF_MEMORY ? HISTO_ERROR_NO_MEMORY : status;
}
