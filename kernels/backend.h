/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The private interface between histo.c, which checks all arguments and keeps the queue, and the backends, which count.
 *
 * A backend has `max_in_flight` slots, numbered from 0. histo.c submits only into free slots, in the order 0, 1, 2 ... and from
 * 0 again, and collects in that order. submit and collect may run at the same time, on different slots. */

#pragma once

#include <cudahisto/histo.h>

struct histo_backend_ops {
  const char *name; /* as in histo_info.backend_name */

  /* `config` is complete (only `threads` may still be 0) and outlives the state. Fills info->device_name and ->threads. On
   * failure *state stays NULL, nothing is left allocated and the log has the cause. */
  enum histo_status (*open) (const struct histo_config *config, struct histo_info *info, void **state);

  /* The frame is valid, no `bins` is 0, and it has an operand if and only if a statistic needs one. Both live until the slot is
   * collected or the backend closed. */
  enum histo_status (*submit) (void *state, const struct histo_frame *frame, unsigned slot);

  /* Optional (NULL: histo.c submits one by one). Submits `count` frames into slots first_slot .. first_slot + count - 1: all or
   * none. */
  enum histo_status (*submit_many) (void *state, const struct histo_frame *frames, unsigned count, unsigned first_slot);

  bool (*ready) (void *state, unsigned slot);

  /* Adds the slot's numbers to `stats`. It has the frame's components, zeroed, each with arrays for its bins, and a picture if
   * one was requested. Without components the numbers are dropped. histo.c fills the counts of samples, depth, rows and
   * columns. */
  enum histo_status (*collect) (void *state, unsigned slot, struct histo_stats *stats);

  void (*close) (void *state); /* waits for the frames in flight */

  /* Sets new weights of a component while nothing is in flight. The backend copies the struct; the vectors live until the next
   * successful call or until close. Before the first call all weights are 1. For a projected frame, the vectors are long enough
   * and the `stats` of collect has zeroed arrays for the sums. */
  enum histo_status (*set_weights) (void *state, unsigned component, const struct histo_weights *weights);

  /* Optional: pinned memory that outlives the state. All four are NULL if there is none. Any thread may call pin and unpin. If
   * the driver has no memory, pin returns NO_MEMORY or DEVICE and logs nothing. */
  enum histo_status (*open_pins) (void *state, void **pins);
  enum histo_status (*pin) (void *pins, size_t size_bytes, void **data);
  void (*unpin) (void *pins, void *data);
  void (*close_pins) (void *pins);
};

extern const struct histo_backend_ops histo_backend_reference;
extern const struct histo_backend_ops histo_backend_cpu;
extern const struct histo_backend_ops histo_backend_cuda; /* built without CUDA: open fails with NO_DRIVER */
