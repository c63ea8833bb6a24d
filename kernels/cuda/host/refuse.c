/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/refuse.h"

#include <stdarg.h>
#include <stdio.h>

#include "log.h"

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

/* Whether the driver, for CUDA `version` as cuDriverGetVersion returns it, found no kernels in this build that the device can
 * run. A driver older than the toolkit may be unable to read them. */
static bool
is_foreign_build (CUresult result, int version)
{
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION
         || result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND
         || result == CUDA_ERROR_JIT_COMPILATION_DISABLED || result == HISTO_CUDA_ERROR_DEVSIDE_SYNC
         || (result == CUDA_ERROR_INVALID_IMAGE && version < CUDA_VERSION);
}

/* A device for which the driver found no kernels in this build. */
struct foreign_device {
  const struct histo_config *config;
  const char *what;
  CUresult result;
  int version;      /* of CUDA, for which the driver is, as cuDriverGetVersion returns it */
  int major, minor; /* compute capability; 0 if unknown */
  int capability;   /* the same, times ten */
};

/* If the device is older than the GPUs of this build, reports it. */
static bool
refuse_old_device (const struct foreign_device *device)
{
  if (device->major == 0)
    return false;
  if (device->capability < HISTO_CUDA_KERNELS_FROM)
    histo_cuda_refuse (device->config,
                       "%s cannot be used: it has compute capability %d.%d; %d.%d or later is required; use a newer GPU",
                       device->what, device->major, device->minor, HISTO_CUDA_KERNELS_FROM / 10, HISTO_CUDA_KERNELS_FROM % 10);
  else if (device->capability < HISTO_CUDA_TOOLKIT_FROM)
    histo_cuda_refuse (device->config,
                       "%s cannot be used: it has compute capability %d.%d, and this build's CUDA %d.%d compiles for %d.%d "
                       "and later; rebuild with CUDA %d",
                       device->what, device->major, device->minor, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10,
                       HISTO_CUDA_TOOLKIT_FROM / 10, HISTO_CUDA_TOOLKIT_FROM % 10, CUDA_VERSION / 1000 - 1);
  else if (device->capability < HISTO_CUDA_BUILT_FROM)
    histo_cuda_refuse (
        device->config,
        "%s cannot be used: it has compute capability %d.%d, and this build is for %d.%d and later; rebuild with "
        "-Dcuda-arch=auto, or with -Dcuda-arch=native on this machine",
        device->what, device->major, device->minor, HISTO_CUDA_BUILT_FROM / 10, HISTO_CUDA_BUILT_FROM % 10);
  else
    return false;
  return true;
}

/* If the driver is too old for this build, reports it. */
static bool
refuse_old_driver (const struct foreign_device *device)
{
  const int version = device->version;

  if (version / 1000 < CUDA_VERSION / 1000 && device->capability <= HISTO_CUDA_BUILT_TO)
    histo_cuda_refuse (
        device->config,
        "%s cannot be used: the driver, for CUDA %d.%d, is too old for this build, made with CUDA %d.%d; " HISTO_CUDA_UPDATE
        ", or build with a toolkit of CUDA %d",
        device->what, version / 1000, version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, version / 1000);
  /* A build with PTX can run on later GPUs, if the driver's compiler is new enough. */
  else if (version < CUDA_VERSION && device->result != CUDA_ERROR_NO_BINARY_FOR_GPU)
    histo_cuda_refuse (
        device->config,
        "%s cannot be used: the driver, for CUDA %d.%d, cannot run the kernels of this build, made with CUDA %d.%d, "
        "on compute capability %d.%d; update the driver, or build with -Dcuda-arch=native on this machine",
        device->what, version / 1000, version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, device->major,
        device->minor);
  else
    return false;
  return true;
}

/* Reports a device that is newer than this build, or not among its GPUs. */
static void
refuse_other_device (const struct foreign_device *device)
{
  if (device->capability > HISTO_CUDA_BUILT_TO)
    histo_cuda_refuse (
        device->config,
        "%s cannot be used: it has compute capability %d.%d, and this build is for GPUs up to %d.%d; rebuild with "
        "-Dcuda-arch=native on this machine, or with -Dcuda-arch=auto, whose kernels a driver can compile for this GPU",
        device->what, device->major, device->minor, HISTO_CUDA_BUILT_TO / 10, HISTO_CUDA_BUILT_TO % 10);
  else
    histo_cuda_refuse (
        device->config,
        "%s cannot be used: this build has no kernels for compute capability %d.%d; rebuild with -Dcuda-arch=native on this "
        "machine",
        device->what, device->major, device->minor);
}

void
histo_cuda_refuse_device (const struct histo_config *config, const struct histo_cuda_driver *driver, CUdevice number,
                          CUresult result, const char *what)
{
  struct foreign_device device = { .config = config, .what = what, .result = result };

  driver->cuDriverGetVersion (&device.version);
  if (!is_foreign_build (result, device.version)) {
    histo_cuda_refuse_result (config, driver, result, what);
    return;
  }
  driver->cuDeviceGetAttribute (&device.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, number);
  driver->cuDeviceGetAttribute (&device.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, number);
  device.capability = 10 * device.major + device.minor;
  if (!refuse_old_device (&device) && !refuse_old_driver (&device))
    refuse_other_device (&device);
}
