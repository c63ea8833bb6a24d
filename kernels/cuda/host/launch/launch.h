/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Launches the counting of frames in device memory, and reads their numbers. Slots are those of backend.h, one for each frame.
 * Unless stated otherwise, calls need the context current in which the launcher was opened. */

#pragma once

#include "cuda/host/driver.h"
#include "cuda/host/tuning.h"

struct histo_cuda_launcher;

/* The number of streams on which launches happen. */
#define HISTO_CUDA_COUNT_STREAMS 2

/* Loads the kernels, and allocates memory for `slots` slots. `stream` is for synchronous work, such as clearing that memory.
 * `driver`, `tuning`, the context and the stream outlive the launcher. On failure *launcher is NULL and the log has the
 * cause. */
enum histo_status histo_cuda_launcher_open (const struct histo_cuda_driver *driver, CUdevice device,
                                            const struct histo_cuda_tuning *tuning, CUstream stream, unsigned slots,
                                            struct histo_cuda_launcher **launcher);

/* Frees everything while nothing is running. The context is current, if possible. Accepts NULL. */
void histo_cuda_launcher_close (struct histo_cuda_launcher *launcher);

/* Whether one launch can count `count` frames in device memory: they differ only in addresses. Needs no context. */
bool histo_cuda_can_launch_many (const struct histo_frame *frames, unsigned count);

/* Plans the launch of one frame in device memory, or of many that one launch can count, in slots first_slot, first_slot + 1
 * ..., and reserves its memory: afterwards only the device can fail. `last_launch`: the event after the last launch of
 * first_slot if that may still be running, otherwise NULL. The call waits for it before it frees memory of that launch.
 * UNSUPPORTED: a frame is too large. NO_MEMORY: of the host or of the device. After either, the log has the cause, and the
 * slots stay usable. DEVICE. Meanwhile other threads may launch other slots and read their numbers. */
enum histo_status histo_cuda_prepare (struct histo_cuda_launcher *launcher, unsigned first_slot,
                                      const struct histo_frame *frames, unsigned count, CUevent last_launch);

/* The same for frames that histo_cuda_count_unlike accepts for one launch. last_launches[i]: of slot first_slot + i. */
enum histo_status histo_cuda_prepare_unlike (struct histo_cuda_launcher *launcher, unsigned first_slot,
                                             const struct histo_frame *frames, unsigned count, const CUevent *last_launches);

/* Launches the frames prepared in first_slot and the following slots on `stream`. DEVICE. */
enum histo_status histo_cuda_launch (struct histo_cuda_launcher *launcher, unsigned first_slot, CUstream stream);

/* Whether the host can see the numbers of a slot before its launch has finished. This holds for a single frame and for unlike
 * frames: the kernel itself writes their numbers to host memory. The numbers of many frames that are alike, and row and column
 * sums, are copied, and can be read after the copy. Needs no context. */
bool histo_cuda_publishes_early (const struct histo_cuda_launcher *launcher, unsigned slot);

/* Whether the numbers are there. Never waits, needs no context; any thread may call it. `has_finished`: the stream has finished
 * the launch and its copies. */
bool histo_cuda_is_published (const struct histo_cuda_launcher *launcher, unsigned slot, bool has_finished);

/* Adds the published numbers of a slot to `stats`, as histo_backend_ops.collect does. Once for each launch; needs no
 * context. */
void histo_cuda_read (struct histo_cuda_launcher *launcher, unsigned slot, struct histo_stats *stats);

/* As histo_backend_ops.set_weights. */
enum histo_status histo_cuda_set_weights (struct histo_cuda_launcher *launcher, unsigned component,
                                          const struct histo_weights *weights);
