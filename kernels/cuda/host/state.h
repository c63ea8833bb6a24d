/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state of a CUDA backend, and the functions that its files share. device.c opens and closes it, log.c has its lock,
 * queue.c launches in order, collect.c reads results, cuda.c submits frames. */

#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "cuda/host/driver.h"
#include "cuda/host/launch/launch.h"
#include "cuda/host/upload/upload.h"

#define HISTO_CUDA_PENDING (-1) /* no outcome yet */
#define HISTO_CUDA_MAX_LINES 4

struct histo_cuda_slot {
  CUevent arrived[2]; /* the samples, the operand's: copied, or written by the producer's stream */
  CUevent counted;
  struct histo_cuda_upload upload; /* of a frame in host memory */

  /* An entry of the queue. */
  unsigned event_count; /* number of `arrived` events that the kernel waits for */
  unsigned frame_count; /* frames in the launch that begins with this slot; 0: the launch began with an earlier slot */
  unsigned last_slot;   /* of the launch: only its `counted` event is recorded, since it is collected last */
  bool is_resident;     /* the frame was in device memory when submitted */
  bool is_unlike;       /* the frames in the launch differ in more than addresses */
  bool is_launchable;   /* `arrived` is recorded: the launch only waits for its turn; protected by the lock */

  atomic_int outcome; /* of the launch: HISTO_CUDA_PENDING, or enum histo_status */
  bool has_finished;  /* last slot: collect has waited for its `counted` event */

  /* The last launch, if its kernel may still be running although its numbers were read: its stream (otherwise NULL), and the
   * event recorded after it, its last slot's. Slots are used in turn, so no other launch has recorded the event since. */
  CUstream unfinished_stream;
  CUevent unfinished_event;
};

/* A line for the log, written with the lock held. */
struct histo_cuda_line {
  enum histo_log_level level;
  char text[512];
};

/* WORKING, then FAILING while the cause is logged, then FAILED: no call returns the failure before the log has the cause. */
enum histo_cuda_health { HISTO_CUDA_WORKING, HISTO_CUDA_FAILING, HISTO_CUDA_FAILED };

struct histo_cuda_state {
  const struct histo_config *engine_config;
  struct histo_config config; /* a copy, except for the log */
  bool is_optional;           /* other devices follow: a failure to open this one is no error */
  struct histo_cuda_driver driver;
  CUdevice device;
  const struct histo_cuda_tuning *tuning;
  CUcontext context;
  bool context_is_ours; /* the retained primary context */
  CUstream copy_stream, count_streams[HISTO_CUDA_COUNT_STREAMS];
  struct histo_cuda_launcher *launcher;
  struct histo_cuda_uploader *uploader;

  unsigned slot_count;
  struct histo_cuda_slot *slots;
  atomic_uint in_flight; /* frames submitted and not collected */

  atomic_uintptr_t holder; /* the thread that holds the lock: the address of its thread_mark; 0: none */
  pthread_mutex_t lock;    /* protects the following */
  struct histo_cuda_line lines[HISTO_CUDA_MAX_LINES];
  unsigned line_count;
  pthread_cond_t launched; /* a slot is no longer HISTO_CUDA_PENDING */
  unsigned queue_first, queue_length;
  unsigned launches; /* of many frames: selects the stream */
  atomic_int health; /* enum histo_cuda_health; set with the lock */
};

/* ---- device.c ------------------------------------------------------------------------------------------------------- */

/* Opens the configured device, or any, with all objects on it. On failure the log has the cause and nothing stays open. */
enum histo_status histo_cuda_open_device (struct histo_cuda_state *state, struct histo_info *info);

/* Closes what open_device has opened, completely or in part. */
void histo_cuda_close_device (struct histo_cuda_state *state);

/* Makes the context current; leave_context undoes that. If enter_context fails, the log has the cause. */
enum histo_status histo_cuda_enter_context (const struct histo_cuda_state *state);
bool histo_cuda_try_context (const struct histo_cuda_state *state);
void histo_cuda_leave_context (const struct histo_cuda_state *state);

/* Waits until the device no longer reads host memory. The context is current. */
void histo_cuda_synchronize (struct histo_cuda_state *state);

/* ---- log.c ---------------------------------------------------------------------------------------------------------- */

/* The log of the state's config; `state` is a struct histo_cuda_state. The application's callback runs without a lock: lines
 * written with the state's lock are passed on by flush_log, or when the lock is released. */
void histo_cuda_log (void *state, enum histo_log_level level, const char *message);

void histo_cuda_lock (struct histo_cuda_state *state);
void histo_cuda_unlock (struct histo_cuda_state *state);

/* Passes on the lines written to the log. Releases the lock meanwhile. */
void histo_cuda_flush_log (struct histo_cuda_state *state);

/* ---- queue.c -------------------------------------------------------------------------------------------------------- */

/* Appends the slots of `count` frames, whose event_count is set, to the queue as one entry, or launches them at once if the
 * queue is empty. `frames`: as the kernel finds them. Frames that cannot be launched are refused here. After DEVICE the engine
 * is unusable: nothing was launched, or no event was recorded after the kernel. */
enum histo_status histo_cuda_enqueue (struct histo_cuda_state *state, unsigned index, const struct histo_frame *frames,
                                      unsigned count, bool is_launchable);

/* All copies of an entry are enqueued: called by a staging thread, with the context current unless it failed. `state` is a
 * struct histo_cuda_state. */
void histo_cuda_complete_slot (void *state, unsigned index, enum histo_status status);

/* Waits for the outcome of a slot's launch, and returns it. */
enum histo_status histo_cuda_wait_for_launch (struct histo_cuda_state *state, unsigned index);

/* ---- collect.c ------------------------------------------------------------------------------------------------------ */

/* As histo_backend_ops.ready and .collect; `state` is a struct histo_cuda_state. */
bool histo_cuda_ready (void *state, unsigned index);
enum histo_status histo_cuda_collect (void *state, unsigned index, struct histo_stats *stats);
