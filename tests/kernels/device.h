/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A CUDA device for the caller: a context, streams and device memory that the engine does not own. Every function fails the
 * test if the driver fails. */

#pragma once

#include "cuda/host/driver.h"

struct test_device {
  struct histo_cuda_driver driver;
  CUdevice device;
  CUcontext context; /* device 0's primary context, or a separate one */
  bool has_own_context;
  CUstream stream, other_stream;
};

/* Device 0. Free with test_device_close(). */
struct test_device *test_device_open (bool own_context);
void test_device_close (struct test_device *device);

/* Makes the context current on the calling thread; leave undoes it. The functions below do it themselves. */
void test_device_enter (const struct test_device *device);
void test_device_leave (const struct test_device *device);

CUdeviceptr test_device_alloc (const struct test_device *device, size_t size);
void test_device_free (const struct test_device *device, CUdeviceptr memory);   /* 0 is fine */
void *test_device_alloc_pinned (const struct test_device *device, size_t size); /* in host memory */
void test_device_free_pinned (const struct test_device *device, void *memory);  /* NULL is fine */
/* Copies on `stream` and returns at once; NULL: on the device's own, and waits. */
void test_device_upload (const struct test_device *device, CUdeviceptr to, const void *from, size_t size, CUstream stream);
/* Allocates device memory, and copies `size` bytes to its start. */
CUdeviceptr test_device_store (const struct test_device *device, const void *from, size_t size, size_t allocated_bytes);
