/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device.h"

#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define DO(call) ck_assert_int_eq ((int)device->driver.call, (int)CUDA_SUCCESS)

/* With the device's context current. */
#define DO_INSIDE(call)         \
  do {                          \
    test_device_enter (device); \
    DO (call);                  \
    test_device_leave (device); \
  } while (0)

typedef CUresult (*create_function) (CUcontext *context, unsigned flags, CUdevice device);
typedef CUresult (*destroy_function) (CUcontext context);

static void
find_function (const struct test_device *device, const char *name, void *function)
{
  void *symbol = dlsym (device->driver.library, name);

  ck_assert_msg (symbol != NULL, "libcuda.so.1 has no %s", name);
  memcpy (function, &symbol, sizeof symbol);
}

struct test_device *
test_device_open (bool own_context)
{
  static const struct histo_config config = { 0 };
  struct test_device *device = calloc (1, sizeof *device);

  ck_assert_ptr_nonnull (device);
  ck_assert_int_eq (histo_cuda_driver_load (&config, &device->driver), HISTO_OK);
  device->has_own_context = own_context;
  DO (cuDeviceGet (&device->device, 0));
  if (own_context) {
    create_function create;

    find_function (device, "cuCtxCreate_v2", &create);
    ck_assert_int_eq (create (&device->context, 0, device->device), CUDA_SUCCESS);
    test_device_leave (device);
  } else {
    DO (cuDevicePrimaryCtxRetain (&device->context, device->device));
  }
  test_device_enter (device);
  DO (cuStreamCreate (&device->stream, CU_STREAM_NON_BLOCKING));
  DO (cuStreamCreate (&device->other_stream, CU_STREAM_NON_BLOCKING));
  test_device_leave (device);
  return device;
}

void
test_device_close (struct test_device *device)
{
  test_device_enter (device);
  DO (cuStreamDestroy (device->stream));
  DO (cuStreamDestroy (device->other_stream));
  test_device_leave (device);
  if (device->has_own_context) {
    destroy_function destroy;

    find_function (device, "cuCtxDestroy_v2", &destroy);
    ck_assert_int_eq (destroy (device->context), CUDA_SUCCESS);
  } else {
    DO (cuDevicePrimaryCtxRelease (device->device));
  }
  histo_cuda_driver_unload (&device->driver);
  free (device);
}

void
test_device_enter (const struct test_device *device)
{
  DO (cuCtxPushCurrent (device->context));
}

void
test_device_leave (const struct test_device *device)
{
  CUcontext popped = NULL;

  DO (cuCtxPopCurrent (&popped));
  ck_assert_ptr_eq (popped, device->context);
}

CUdeviceptr
test_device_alloc (const struct test_device *device, size_t size)
{
  CUdeviceptr memory = 0;

  DO_INSIDE (cuMemAlloc (&memory, size > 0 ? size : 1));
  return memory;
}

void
test_device_free (const struct test_device *device, CUdeviceptr memory)
{
  if (memory != 0)
    DO_INSIDE (cuMemFree (memory));
}

void *
test_device_alloc_pinned (const struct test_device *device, size_t size)
{
  void *memory = NULL;

  DO_INSIDE (cuMemHostAlloc (&memory, size > 0 ? size : 1, CU_MEMHOSTALLOC_PORTABLE));
  return memory;
}

void
test_device_free_pinned (const struct test_device *device, void *memory)
{
  if (memory != NULL)
    DO_INSIDE (cuMemFreeHost (memory));
}

void
test_device_upload (const struct test_device *device, CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
  if (size == 0)
    return;
  DO_INSIDE (cuMemcpyHtoDAsync (to, from, size, stream != NULL ? stream : device->stream));
  if (stream == NULL)
    DO_INSIDE (cuStreamSynchronize (device->stream));
}

CUdeviceptr
test_device_store (const struct test_device *device, const void *from, size_t size, size_t allocated_bytes)
{
  CUdeviceptr memory = test_device_alloc (device, allocated_bytes);

  test_device_upload (device, memory, from, size, NULL);
  return memory;
}
