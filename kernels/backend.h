/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The private table between histo.c, which checks every argument once and keeps the queue, and the backends, which count.
 *
 * A backend has `max_in_flight` slots, numbered from 0. histo.c submits into free slots only, in the order 0, 1, 2 ... and
 * round again, and collects in that order. submit and collect may run at the same time, on different slots. */

#ifndef HISTO_BACKEND_H
#define HISTO_BACKEND_H

#include <cudahisto/histo.h>

/* Formats one line and hands it to config->log, if there is one. */
void histo_log (const struct histo_config *config, enum histo_log_level level, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

struct histo_backend_ops {
  const char *name; /* as in histo_info.backend_name */

  /* `config` is complete (no zero defaults left but threads) and outlives the state. Fills info->device_name and ->threads. On
   * failure *state stays NULL, nothing is left behind and the log has the reason. */
  enum histo_status (*open) (const struct histo_config *config, struct histo_info *info, void **state);

  /* The frame is valid, its `bins` are never 0, and it has an operand if and only if a statistic needs one. Both live until the
   * slot is collected or the backend closed. */
  enum histo_status (*submit) (void *state, const struct histo_frame *frame, unsigned slot);

  /* Optional. The same for `count` frames in slots first_slot .. first_slot + count - 1. All are taken or none. NULL: one by
   * one. */
  enum histo_status (*submit_many) (void *state, const struct histo_frame *frames, unsigned count, unsigned first_slot);

  bool (*ready) (void *state, unsigned slot);

  /* Adds the slot's numbers to `stats`, which has the frame's components, zeroed, each with arrays for its counters, and a
   * picture where it was asked for; where it has no components, the numbers are dropped. Leaves the counts of samples, depth,
   * rows and columns to histo.c. */
  enum histo_status (*collect) (void *state, unsigned slot, struct histo_stats *stats);

  void (*close) (void *state); /* waits for what is in flight */

  /* Takes over new weights of a component; nothing is in flight. The struct is to be copied, the vectors live until the next
   * call that succeeds or until close. Before the first call all are ones. A projected frame has vectors as long as it needs,
   * and arrays for its sums in the `stats` of collect, zeroed. */
  enum histo_status (*set_weights) (void *state, unsigned component, const struct histo_weights *weights);

  /* Optional. Pinned memory that outlives the state; all NULL: there is none. Any thread may call pin and unpin. pin: NO_MEMORY
   * or DEVICE where the driver has none, without a line in the log. */
  enum histo_status (*open_pins) (void *state, void **pins);
  enum histo_status (*pin) (void *pins, size_t size_bytes, void **data);
  void (*unpin) (void *pins, void *data);
  void (*close_pins) (void *pins);
};

extern const struct histo_backend_ops histo_backend_reference;
extern const struct histo_backend_ops histo_backend_cpu;
extern const struct histo_backend_ops histo_backend_cuda; /* built without CUDA: open says so with NO_DRIVER */

#endif
