/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of frames.h in device memory and in pinned memory. */

#pragma once

#include "device.h"
#include "engines.h"
#include "frames.h"

/* Device 0. */
extern struct test_device *device;

/* Around each test: the device is open, and no engine. */
void begin_on_device (void);
void end_on_device (void);

/* Copies a frame's planes into device memory. Each begins `offset` bytes after the start of an allocation that ends with its
 * last sample. The caller frees `memory` with free_planes(). */
void upload_frame (const struct test_frame *frame, unsigned offset, CUstream stream, struct histo_frame *on_device,
                   CUdeviceptr memory[HISTO_MAX_PLANES]);
void free_planes (const CUdeviceptr memory[HISTO_MAX_PLANES]); /* 0: none */

/* A frame whose planes are in pinned memory, `offset` bytes off its allocations. All zeros: none. */
struct pinned_frame {
  struct histo_frame frame;
  void *memory[HISTO_MAX_PLANES];
};

void pin_frame (const struct test_frame *frame, unsigned offset, struct pinned_frame *pinned);
void unpin_frame (struct pinned_frame *pinned);

/* `width` bytes of a byte stream in device memory, from `data` on. */
struct histo_frame describe_bytes (const struct test_frame *bytes, CUdeviceptr data, uint64_t width);

/* `height` rows of a picture: of its first plane from row `row`, of the others from `chroma_row`. */
struct histo_frame view_rows (const struct histo_frame *picture, unsigned row, unsigned chroma_row, uint32_t height);

/* Submits frames, several in one call. Returns the first ticket. */
histo_ticket submit_frames (struct histo_engine *engine, const struct histo_frame *frames, unsigned count);

/* Submits frames, and compares each with its frame in `frames`, counted by loops. For a picture it
 * compares with the view in host memory (NULL: none). */
void check_submission (struct histo_engine *engine, const struct test_variant *variant, const struct histo_frame *on_device,
                       unsigned count, const struct test_frame *frames, const struct histo_frame *views);
