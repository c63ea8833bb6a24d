/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of frames.h in device memory and in pinned memory. But for describe_bytes() with the device's context current. */

#ifndef BACKENDS_DEVICE_FRAMES_H
#define BACKENDS_DEVICE_FRAMES_H

#include "device.h"
#include "frames.h"

/* Copies a frame's planes into device memory, each `offset` bytes off an allocation that ends with its last sample. Each of
 * `memory` is the caller's, for test_device_free(). */
void upload_frame (const struct test_device *device, const struct test_frame *frame, unsigned offset, CUstream stream,
                   struct histo_frame *on_device, CUdeviceptr memory[HISTO_MAX_PLANES]);

/* A frame whose planes are in pinned memory, `offset` bytes off its allocations. All zeros: none. */
struct pinned_frame {
  struct histo_frame frame;
  void *memory[HISTO_MAX_PLANES];
};

void pin_frame (const struct test_device *device, const struct test_frame *frame, unsigned offset, struct pinned_frame *pinned);
void unpin_frame (const struct test_device *device, struct pinned_frame *pinned);

/* `width` bytes of a byte stream in device memory, from `data` on. */
struct histo_frame describe_bytes (const struct test_frame *bytes, CUdeviceptr data, uint64_t width);

#endif
