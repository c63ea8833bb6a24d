/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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

/* ---- reasons and remedies ------------------------------------------------------------------------------------------- */

void
histo_cuda_refuse (const struct histo_config *config, const char *format, ...)
{
  bool may_do_without = config->backend == HISTO_BACKEND_AUTO;
  char sentence[480];
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (sentence, sizeof sentence, format, arguments);
  va_end (arguments);
  histo_log (config, may_do_without ? HISTO_LOG_WARNING : HISTO_LOG_ERROR, "%s%s", sentence, may_do_without ? "." : "");
}

void
histo_cuda_refuse_result (const struct histo_config *config, const struct histo_cuda_driver *driver, CUresult result,
                          const char *what)
{
  static const struct {
    CUresult result;
    const char *reason, *remedy;
  } known[] = {
    { CUDA_ERROR_OUT_OF_MEMORY, "its memory or the system's is in use", "end other programs that use it" },
    { CUDA_ERROR_STUB_LIBRARY, "libcuda.so.1 is the stub of the CUDA toolkit",
      "remove the toolkit's stubs from LD_LIBRARY_PATH" },
    { HISTO_CUDA_ERROR_NEWER_DRIVER, "the driver is too old for this build", "update it" },
    { CUDA_ERROR_DEVICE_UNAVAILABLE, "another process has exclusive use of it, or its compute mode is Prohibited",
      "end that process, or run nvidia-smi -c DEFAULT" },
    { CUDA_ERROR_DEVICE_NOT_LICENSED, "its licence is missing", "see the driver's documentation of virtual GPUs" },
    { CUDA_ERROR_ECC_UNCORRECTABLE, "its memory has errors that cannot be corrected", "reset it with nvidia-smi -r" },
    { CUDA_ERROR_SYSTEM_NOT_READY, "the system is not ready for it",
      "start nvidia-fabricmanager, or wait until it has started" },
    { CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "the driver's library and its kernel module are of different versions",
      "restart the machine" },
    { CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "the installed package cuda-compat does not support this GPU",
      "remove it from the library path" },
    { CUDA_ERROR_MPS_CONNECTION_FAILED, "the MPS server does not answer", "restart nvidia-cuda-mps-control" },
    { CUDA_ERROR_MPS_SERVER_NOT_READY, "the MPS server is not ready", "restart nvidia-cuda-mps-control" },
    { CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "the MPS server has its maximum number of clients", "end one of them" },
  };
  const char *name = NULL, *reason = NULL, *remedy = "look for errors with nvidia-smi, and update the driver";

  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].result == result) {
      reason = known[i].reason;
      remedy = known[i].remedy;
    }
  if (result == CUDA_SUCCESS) {
    histo_cuda_refuse (config,
                       "%s cannot be used: host memory is exhausted; end other programs, or submit fewer frames at once", what);
    return;
  }
  if (driver->cuGetErrorName (result, &name) != CUDA_SUCCESS || !name)
    name = "unknown error";
  if (!reason && (driver->cuGetErrorString (result, &reason) != CUDA_SUCCESS || !reason))
    reason = "the driver has no text for the error";
  histo_cuda_refuse (config, "%s cannot be used: %s (%s, %d); %s", what, reason, name, (int)result, remedy);
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
