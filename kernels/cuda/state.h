/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state of a CUDA backend, and what its files do for each other: device.c opens and closes it, log.c has its lock, queue.c
 * launches in order, collect.c reads results, cuda.c submits frames. */

#ifndef HISTO_CUDA_STATE_H
#define HISTO_CUDA_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cuda/driver.h"
#include "cuda/launch.h"
#include "cuda/upload.h"

#define HISTO_CUDA_PENDING (-1) /* no outcome yet */
#define HISTO_CUDA_COUNT_STREAMS 2
#define HISTO_CUDA_MAX_LINES 4

struct histo_cuda_slot {
  CUevent arrived[2]; /* the samples are complete: copied, or written by the producer's stream; the operand's */
  CUevent counted;
  struct histo_cuda_upload upload; /* of a frame in host memory */

  /* An entry of the queue. */
  unsigned event_count; /* of `arrived`: the kernel waits for these */
  unsigned frame_count; /* in the launch of this slot and those that follow it; 0: in an earlier slot's */
  unsigned last_slot;   /* of the launch: its `counted` is recorded for all, since it is collected last */
  bool is_resident;     /* the frame was in device memory when it came */
  bool is_unlike;       /* the frames in the launch differ in more than addresses */
  bool is_launchable;   /* `arrived` has been recorded: the launch need only wait for its turn; under the lock */

  atomic_int outcome; /* of the launch: HISTO_CUDA_PENDING, or enum histo_status */
  bool has_finished;  /* of a last slot: collect has waited for its `counted`, and need not again */

  /* The stream of the last launch, where its kernel may still be running although its numbers have been read, and the event
   * that is recorded behind it, its last slot's: slots are used in turn, so that no other launch has recorded it since. Else
   * NULL. */
  CUstream unfinished_stream;
  CUevent unfinished_event;
};

/* A line for the log that was written under the lock. */
struct histo_cuda_line {
  enum histo_log_level level;
  char text[512];
};

/* WORKING, then FAILING while the log is told why, then FAILED: no call returns with the failure before the log has the
 * reason. */
enum histo_cuda_health { HISTO_CUDA_WORKING, HISTO_CUDA_FAILING, HISTO_CUDA_FAILED };

struct histo_cuda_state {
  const struct histo_config *engine_config;
  struct histo_config config; /* the same, but for the log */
  bool is_optional;           /* another device may do: a failure is no error, but a warning */
  struct histo_cuda_driver driver;
  CUdevice device;
  CUcontext context;
  bool context_is_ours; /* the retained primary context */
  CUstream copy_stream, count_streams[HISTO_CUDA_COUNT_STREAMS];
  struct histo_cuda_launcher *launcher;
  struct histo_cuda_uploader *uploader;

  unsigned slot_count;
  struct histo_cuda_slot *slots;
  atomic_uint in_flight; /* frames that were submitted and not collected */

  atomic_uintptr_t holder; /* of the lock, who may write to the log: the address of its thread_mark, or 0 */
  pthread_mutex_t lock;    /* what follows */
  struct histo_cuda_line lines[HISTO_CUDA_MAX_LINES];
  unsigned line_count;
  pthread_cond_t launched; /* a slot is not HISTO_CUDA_PENDING any more */
  unsigned queue_first, queue_length;
  unsigned launches; /* of many frames: chooses the stream */
  atomic_int health; /* enum histo_cuda_health; set under the lock */
};

/* ---- device.c ------------------------------------------------------------------------------------------------------- */

/* Opens the device that the config names, or any, with all objects on it. On failure the log has the reason and nothing is left
 * open. */
enum histo_status histo_cuda_open_device (struct histo_cuda_state *state, struct histo_info *info);

/* Undoes that, as far as it came. */
void histo_cuda_close_device (struct histo_cuda_state *state);

/* Makes the context current; leave_context undoes that. The log has the reason of a failure of enter_context. */
enum histo_status histo_cuda_enter_context (const struct histo_cuda_state *state);
bool histo_cuda_try_context (const struct histo_cuda_state *state);
void histo_cuda_leave_context (const struct histo_cuda_state *state);

/* Waits until nothing reads host memory on the device's behalf; with the context current. */
void histo_cuda_synchronize (struct histo_cuda_state *state);

/* ---- log.c ---------------------------------------------------------------------------------------------------------- */

/* The log of the state's config; `state` is a struct histo_cuda_state. The application's callback runs under no lock: what is
 * written under that of the state is handed on by flush_log, or when the lock is released. */
void histo_cuda_log (void *state, enum histo_log_level level, const char *message);

void histo_cuda_lock (struct histo_cuda_state *state);
void histo_cuda_unlock (struct histo_cuda_state *state);

/* Hands on what was written to the log. Releases the lock meanwhile. */
void histo_cuda_flush_log (struct histo_cuda_state *state);

/* ---- queue.c -------------------------------------------------------------------------------------------------------- */

/* Puts the slots of `count` frames, whose event_count is set, at the end of the queue as one entry, or launches them at once
 * where the queue is empty. `frames`: as the kernel finds them. Frames that cannot be launched are refused here. After DEVICE
 * the engine is unusable: nothing was launched, or no event was recorded behind the kernel. */
enum histo_status histo_cuda_enqueue (struct histo_cuda_state *state, unsigned index, const struct histo_frame *frames,
                                      unsigned count, bool is_launchable);

/* The copies of an entry have all been enqueued: called by a thread of the staging, with the context current unless it failed.
 * `state` is a struct histo_cuda_state. */
void histo_cuda_complete_slot (void *state, unsigned index, enum histo_status status);

/* Waits for the outcome of a slot's launch, and returns it. */
enum histo_status histo_cuda_wait_for_launch (struct histo_cuda_state *state, unsigned index);

/* ---- collect.c ------------------------------------------------------------------------------------------------------ */

/* As histo_backend_ops.ready and .collect; `state` is a struct histo_cuda_state. */
bool histo_cuda_ready (void *state, unsigned index);
enum histo_status histo_cuda_collect (void *state, unsigned index, struct histo_stats *stats);

#endif
