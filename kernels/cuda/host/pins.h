/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pinned memory for the engine's callers. It holds its own references to the driver library and the primary context. So it
 * outlives its engine, and the processor can use it after the device was lost. */

#pragma once

#include "cuda/host/driver.h"

struct histo_cuda_pins;

/* `context` is the primary context of `device` if `is_primary`; otherwise it is borrowed and outlives the pins. Only this call
 * uses `config`. NO_MEMORY, DEVICE: *pins is NULL and the log has the cause. */
enum histo_status histo_cuda_pins_open (const struct histo_config *config, CUdevice device, CUcontext context, bool is_primary,
                                        struct histo_cuda_pins **pins);

/* As histo_backend_ops.pin, .unpin and .close_pins; `pins` is a struct histo_cuda_pins. */
enum histo_status histo_cuda_pin (void *pins, size_t size_bytes, void **data);
void histo_cuda_unpin (void *pins, void *data);
void histo_cuda_pins_close (void *pins);
