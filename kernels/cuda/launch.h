/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Launching: from frames in device memory to their numbers. Slots are those of backend.h, a frame each. Unless said otherwise,
 * calls need the context current that the launcher was opened in. */

#ifndef HISTO_CUDA_LAUNCH_H
#define HISTO_CUDA_LAUNCH_H

#include "cuda/driver.h"

struct histo_cuda_launcher;

/* Loads the kernels, and allocates what `slots` slots need; `stream` is for clearing that and for what else is waited for.
 * `driver`, the context and the stream outlive the launcher. On failure *launcher is NULL and the log has the reason. */
enum histo_status histo_cuda_launcher_open (const struct histo_cuda_driver *driver, CUdevice device, CUstream stream,
                                            unsigned slots, struct histo_cuda_launcher **launcher);

/* Frees everything; with the context current if it still can be, and nothing running. NULL is fine. */
void histo_cuda_launcher_close (struct histo_cuda_launcher *launcher);

/* Whether `count` frames in device memory can go in one launch: they differ in addresses alone. Needs no context. */
bool histo_cuda_can_launch_many (const struct histo_frame *frames, unsigned count);

/* Plans the launch of a frame in device memory, or of many that can go in one, in slots first_slot, first_slot + 1 ..., and
 * reserves its memory: after that only the device can fail. `last_launch`: the event behind the last launch of first_slot,
 * where that may still be running; else NULL. It is waited for before memory of that launch is freed. UNSUPPORTED: a frame is
 * too large. NO_MEMORY: of the host or of the device. After either the slots can be used as before, and the log has the reason.
 * DEVICE. Other threads may launch other slots meanwhile, and read their numbers. */
enum histo_status histo_cuda_prepare (struct histo_cuda_launcher *launcher, unsigned first_slot,
                                      const struct histo_frame *frames, unsigned count, CUevent last_launch);

/* The same for frames that histo_cuda_count_unlike says can go in one launch. last_launches[i]: of slot first_slot + i. */
enum histo_status histo_cuda_prepare_unlike (struct histo_cuda_launcher *launcher, unsigned first_slot,
                                             const struct histo_frame *frames, unsigned count, const CUevent *last_launches);

/* Launches on `stream` what was prepared in first_slot and those that follow it. DEVICE. */
enum histo_status histo_cuda_launch (struct histo_cuda_launcher *launcher, unsigned first_slot, CUstream stream);

/* Whether the host can see the numbers of a slot before its launch has finished: those of a single frame and of unlike ones,
 * which the kernel itself writes to host memory. What is copied there, the numbers of many frames that are alike and row and
 * column sums, can be read when the copy is over. Needs no context. */
bool histo_cuda_publishes_early (const struct histo_cuda_launcher *launcher, unsigned slot);

/* Whether they are there. Never waits, needs no context, and may be called from any thread. `has_finished`: the stream has come
 * past the launch, copies included. */
bool histo_cuda_is_published (const struct histo_cuda_launcher *launcher, unsigned slot, bool has_finished);

/* Adds the numbers of a slot, which are there, to `stats` as histo_backend_ops.collect does. Once a launch; needs no
 * context. */
void histo_cuda_read (struct histo_cuda_launcher *launcher, unsigned slot, struct histo_stats *stats);

/* As histo_backend_ops.set_weights. */
enum histo_status histo_cuda_set_weights (struct histo_cuda_launcher *launcher, unsigned component,
                                          const struct histo_weights *weights);

#endif
