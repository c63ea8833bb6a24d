/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Launching: from frames in device memory to their numbers. A slot is one frame on its way; the caller numbers its slots from 0
 * and uses each for one frame at a time. All calls but histo_cuda_launcher_close need the context current that it was opened
 * in. */

#ifndef HISTO_CUDA_LAUNCH_H
#define HISTO_CUDA_LAUNCH_H

#include "cuda/driver.h"

struct histo_cuda_launcher;

/* Loads the kernels, and makes what `slots` slots need; `stream` is for clearing it and for what else is waited for. `driver`,
 * the context and the stream outlive the launcher. On failure *launcher is NULL and the log has the reason. */
enum histo_status histo_cuda_launcher_open (const struct histo_cuda_driver *driver, CUdevice device, CUstream stream,
                                            unsigned slots, struct histo_cuda_launcher **launcher);

/* Frees everything; with the context current if it still can be, and nothing running. NULL is fine. */
void histo_cuda_launcher_close (struct histo_cuda_launcher *launcher);

/* Whether `count` frames in device memory can go in one launch: they differ in nothing but addresses. */
bool histo_cuda_can_launch_many (const struct histo_frame *frames, unsigned count);

/* Plans the count of a frame in device memory, or of many that can go in one launch, in slots first_slot, first_slot + 1 ..., and
 * reserves what that takes: from then on nothing fails but the device. `ended`: recorded behind the last launch of first_slot,
 * where nobody has waited for its end; else NULL. It is waited for where memory of that launch has to go. UNSUPPORTED: a frame
 * is too large. NO_MEMORY: of the host or of the device. The log has the reason of either, and the slots are as good as before.
 * DEVICE. Other threads may launch other slots meanwhile, and read their numbers. */
enum histo_status histo_cuda_prepare (struct histo_cuda_launcher *launcher, unsigned first_slot,
                                      const struct histo_frame *frames, unsigned count, CUevent ended);

/* Launches on `stream` what was prepared for the slots from first_slot on. DEVICE. */
enum histo_status histo_cuda_launch (struct histo_cuda_launcher *launcher, unsigned first_slot, CUstream stream);

/* Whether the numbers of a slot that was launched can be seen before the stream has come past the launch: those of one frame,
 * which the kernel itself writes. Copies, of many frames' numbers and of row and column sums, can be read when they are
 * over. */
bool histo_cuda_publishes_early (const struct histo_cuda_launcher *launcher, unsigned slot);

/* Whether they are there. Never waits, needs no context, and may be called from any thread. `is_over`: the stream has come past
 * the launch. */
bool histo_cuda_is_published (const struct histo_cuda_launcher *launcher, unsigned slot, bool is_over);

/* Adds the numbers of a slot, which are there, to `stats` as histo_backend_ops.collect does. Needs no context. Once a launch. */
void histo_cuda_read (struct histo_cuda_launcher *launcher, unsigned slot, struct histo_stats *stats);

/* As histo_backend_ops.set_weights. */
enum histo_status histo_cuda_set_weights (struct histo_cuda_launcher *launcher, unsigned component,
                                          const struct histo_weights *weights);

#endif
