/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend: one device, one context, one module, a stream for copies and two for kernels, which frames in device
 * memory use in turn: the end of one kernel, which leaves most of the device idle, is the beginning of the next. A frame in host memory is copied, a frame in device memory is
 * counted in place. One launch a frame, or one for many (and more for row and column sums), leaves the numbers in pinned memory.
 *
 * Launches come in the order of submission: a kernel may read the copy that was made for the frame before. So a frame whose samples
 * the staging has not yet read is the head of a queue of slots, with all later ones behind it, and whoever completes the head, a
 * thread of the staging, launches it and the others up to the next that is incomplete. With an empty queue submit launches.
 * `lock` guards the queue and is held while launching, so that the order is the queue's; a slot's `outcome`, set last, hands the
 * slot over to collect, which waits for `launched`. The first failure empties the queue: it is the outcome of all that is in it. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend.h"
#include "cuda/driver.h"
#include "cuda/launch.h"
#include "cuda/pins.h"
#include "cuda/upload.h"

/* How long collect looks for the numbers before it sleeps. A pinned frame of 1080p crosses the bus in 40 to 60 us, one of 4K in 160 to 180;
 * asleep, the thread had the numbers 50 us later. */
#define SPIN_NS 200000
#define LOOKS 16 /* at the numbers, for one at the clock */
#define TRY_CONTEXT(state) ((state)->driver.cuCtxPushCurrent ((state)->context))

#define PENDING (-1)
#define COUNT_STREAMS 2
#define MAX_LINES 4

struct slot {
  CUevent arrived[2]; /* the samples are there: copied, or reached by the producer's stream; the operand's */
  CUevent counted;
  struct histo_cuda_upload upload; /* of a frame in host memory */

  /* An entry of the queue. */
  unsigned event_count; /* of `arrived`, that the kernel must come after */
  unsigned frame_count; /* that go in this slot's launch: their slots follow; 0: an earlier slot's launch */
  unsigned last_slot;   /* of the launch: its `counted` is everybody's, since it is collected last */
  bool is_resident;     /* the frame was in device memory when it came */
  bool is_complete;     /* these have been recorded; under the lock */

  atomic_int outcome; /* of the launch: PENDING, or enum histo_status */
  bool is_over;       /* of a last slot: collect has waited for its `counted`, and need not again */

  /* The stream of the last launch, where nobody has waited for the end of its kernel: its numbers were seen before; else NULL. */
  CUstream unended;
};

/* A line for the log that was written under the lock. */
struct line {
  enum histo_log_level level;
  char text[512];
};

/* Each thread has one at an address of its own. */
static _Thread_local char thread_mark;

struct state {
  const struct histo_config *engine_config;
  struct histo_config config; /* the same, but for the log */
  bool is_optional;           /* another device may do: a failure is no error, but a warning */
  struct histo_cuda_driver driver;
  CUdevice device;
  CUcontext context;
  bool context_is_ours; /* the retained primary context */
  CUstream copy_stream, count_streams[COUNT_STREAMS];
  struct histo_cuda_launcher *launcher; /* a run a slot */
  struct histo_cuda_uploader *uploader;

  unsigned slot_count;
  struct slot *slots;
  atomic_uint in_flight; /* frames that were submitted and not collected */

  atomic_uintptr_t holder; /* of the lock, who may write to the log: the address of its thread_mark, or 0 */
  pthread_mutex_t lock;    /* what follows */
  struct line lines[MAX_LINES];
  unsigned line_count;
  pthread_cond_t launched; /* a slot is not PENDING any more */
  unsigned queue_first, queue_length;
  unsigned launches;      /* of many frames: chooses the stream */
  bool is_failing;        /* the log is about to be told why */
  atomic_bool has_failed; /* set under the lock */
};

static void
pop_context (const struct state *state)
{
  CUcontext popped;

  state->driver.cuCtxPopCurrent (&popped);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

/* Undoes open_device, as far as it came. Results are not checked: there is nothing left to do about a failure. */
static void
close_device (struct state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  bool is_current;

  histo_cuda_uploader_stop (state->uploader);
  is_current = state->context && TRY_CONTEXT (state) == CUDA_SUCCESS;
  if (state->copy_stream)
    driver->cuStreamSynchronize (state->copy_stream);
  for (unsigned i = 0; i < COUNT_STREAMS; i++)
    if (state->count_streams[i])
      driver->cuStreamSynchronize (state->count_streams[i]);
  histo_cuda_uploader_close (state->uploader);
  for (unsigned i = 0; state->slots && i < state->slot_count; i++) {
    CUevent *events[] = { &state->slots[i].arrived[0], &state->slots[i].arrived[1], &state->slots[i].counted };

    for (unsigned e = 0; e < sizeof events / sizeof *events; e++) {
      if (*events[e])
        driver->cuEventDestroy (*events[e]);
      *events[e] = NULL;
    }
  }
  histo_cuda_launcher_close (state->launcher);
  if (state->copy_stream)
    driver->cuStreamDestroy (state->copy_stream);
  for (unsigned i = 0; i < COUNT_STREAMS; i++)
    if (state->count_streams[i])
      driver->cuStreamDestroy (state->count_streams[i]);
  if (is_current)
    pop_context (state);
  if (state->context && state->context_is_ours)
    driver->cuDevicePrimaryCtxRelease (state->device);

  state->context = NULL;
  state->uploader = NULL;
  state->launcher = NULL;
  state->copy_stream = NULL;
  memset (state->count_streams, 0, sizeof state->count_streams);
}

/* Of the uploader. */
static void complete_slot (void *state, unsigned index, enum histo_status status);

/* With the context current. */
static enum histo_status
open_objects (struct state *state)
{
  const struct histo_cuda_driver *driver = &state->driver;
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, driver, cuStreamCreate (&state->copy_stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  for (unsigned i = 0; i < COUNT_STREAMS; i++)
    HISTO_CUDA_TRY (status, driver, cuStreamCreate (&state->count_streams[i], CU_STREAM_NON_BLOCKING), "creating a stream");
  for (unsigned i = 0; i < state->slot_count; i++) {
    for (unsigned e = 0; e < 2; e++)
      HISTO_CUDA_TRY (status, driver, cuEventCreate (&state->slots[i].arrived[e], CU_EVENT_DISABLE_TIMING),
                      "creating an event");
    HISTO_CUDA_TRY (status, driver, cuEventCreate (&state->slots[i].counted, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC),
                    "creating an event");
  }
  if (status == HISTO_OK)
    status = histo_cuda_launcher_open (driver, state->device, state->count_streams[0], state->slot_count, &state->launcher);
  if (status == HISTO_OK)
    status = histo_cuda_uploader_open (&state->config, driver, state->context, state->copy_stream, state->count_streams[0],
                                       state->slot_count, complete_slot, state, &state->uploader);
  return status;
}

/* Whether the driver found no kernels in this build that it could run on the device. */
static bool
is_foreign_build (CUresult result)
{
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION
         || result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND
         || result == CUDA_ERROR_JIT_COMPILATION_DISABLED || result == CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC;
}

/* Says why a device does not open, after histo_cuda_check has had its say. `number`: -1: that of a context. */
static void
refuse_device (const struct state *state, int number, const char *name)
{
  const struct histo_cuda_driver *driver = &state->driver;
  const CUresult result = histo_cuda_last_failure ();
  int major = 0, minor = 0, version = 0, capability;
  char what[160];

  if (number < 0)
    snprintf (what, sizeof what, "The CUDA context that was given%s%s", *name ? " on " : "", name);
  else
    snprintf (what, sizeof what, *name ? "CUDA device %d (%s)" : "CUDA device %d", number, name);
  if (!is_foreign_build (result)) {
    histo_cuda_refuse_result (&state->config, driver, result, what);
    return;
  }
  driver->cuDriverGetVersion (&version);
  driver->cuDeviceGetAttribute (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, state->device);
  driver->cuDeviceGetAttribute (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, state->device);
  capability = 10 * major + minor;
  if (major > 0 && capability < HISTO_CUDA_BUILT_FROM)
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: it has compute capability %d.%d, and this build is for %d.%d and later; build it with "
        "-Dcuda-arch=native on this machine",
        what, major, minor, HISTO_CUDA_BUILT_FROM / 10, HISTO_CUDA_BUILT_FROM % 10);
  /* A build with PTX in it would serve later GPUs, had the driver a compiler that is new enough. */
  else if (version < CUDA_VERSION && result != CUDA_ERROR_NO_BINARY_FOR_GPU)
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: the driver, for CUDA %d.%d, has no use for the kernels of this build, made with CUDA "
        "%d.%d, on compute capability %d.%d; update the driver, or build with -Dcuda-arch=native on this machine",
        what, version / 1000, version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, major, minor);
  else if (HISTO_CUDA_BUILT_TO > 0 && capability > HISTO_CUDA_BUILT_TO)
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: it has compute capability %d.%d, and this build is for GPUs up to %d.%d; build it with "
        "-Dcuda-arch=native on this machine, or with -Dcuda-arch=all-major and a CUDA toolkit that knows this GPU",
        what, major, minor, HISTO_CUDA_BUILT_TO / 10, HISTO_CUDA_BUILT_TO % 10);
  else
    histo_cuda_refuse (
        &state->config,
        "%s cannot be used: this build has no kernels for compute capability %d.%d; build it with -Dcuda-arch=native on this "
        "machine",
        what, major, minor);
}

static enum histo_status
open_device (struct state *state, int number, struct histo_info *info)
{
  const struct histo_cuda_driver *driver = &state->driver;
  enum histo_status status;

  info->device_name[0] = '\0';
  state->context_is_ours = !state->config.cuda_context;
  if (state->context_is_ours) {
    status = histo_cuda_check (&state->driver, driver->cuDeviceGet (&state->device, number), "opening the CUDA device");
    if (status == HISTO_OK)
      status = histo_cuda_check (&state->driver, driver->cuDevicePrimaryCtxRetain (&state->context, state->device),
                                 "opening the CUDA device");
    if (status != HISTO_OK) {
      state->context = NULL;
      refuse_device (state, number, "");
      return status;
    }
  } else {
    state->context = state->config.cuda_context;
  }

  status = histo_cuda_check (&state->driver, TRY_CONTEXT (state), "using the CUDA context");
  if (status == HISTO_OK) {
    if (!state->context_is_ours)
      status = histo_cuda_check (&state->driver, driver->cuCtxGetDevice (&state->device), "asking for the context's device");
    if (status == HISTO_OK)
      status = histo_cuda_check (&state->driver,
                                 driver->cuDeviceGetName (info->device_name, sizeof info->device_name, state->device),
                                 "asking for the device's name");
    if (status == HISTO_OK)
      status = open_objects (state);
    pop_context (state);
  }
  if (status != HISTO_OK) {
    refuse_device (state, number, info->device_name);
    close_device (state);
  }
  return status;
}

/* The engine's log. The application's callback runs under no lock: flush_log hands on what is written under ours. */
static void
log_for_engine (void *user_data, enum histo_log_level level, const char *message)
{
  struct state *state = user_data;

  if (state->is_optional && level == HISTO_LOG_ERROR)
    level = HISTO_LOG_INFO;
  if (atomic_load (&state->holder) == (uintptr_t)&thread_mark) {
    if (state->line_count < MAX_LINES) {
      struct line *line = &state->lines[state->line_count++];

      line->level = level;
      snprintf (line->text, sizeof line->text, "%s", message);
    }
    return;
  }
  histo_log (state->engine_config, level, "%s", message);
}

static enum histo_status
open_any_device (struct state *state, struct histo_info *info)
{
  const struct histo_config *config = &state->config;
  int count = 0;

  if (config->cuda_context)
    return open_device (state, -1, info) == HISTO_OK ? HISTO_OK : HISTO_ERROR_NO_DEVICE;

  if (histo_cuda_check (&state->driver, state->driver.cuDeviceGetCount (&count), "counting CUDA devices") != HISTO_OK) {
    histo_cuda_refuse_result (config, &state->driver, histo_cuda_last_failure (), "NVIDIA's driver");
    return HISTO_ERROR_NO_DEVICE;
  }
  if (count < 1) {
    histo_log (config, HISTO_LOG_ERROR, "the CUDA driver finds no device");
    return HISTO_ERROR_NO_DEVICE;
  }
  if (config->cuda_device >= count) {
    histo_cuda_refuse (config, "There is no CUDA device %d, the last one is %d; choose that or an earlier one, or -1 for any",
                       config->cuda_device, count - 1);
    return HISTO_ERROR_NO_DEVICE;
  }
  if (config->cuda_device >= 0)
    return open_device (state, config->cuda_device, info) == HISTO_OK ? HISTO_OK : HISTO_ERROR_NO_DEVICE;
  for (int number = 0; number < count; number++) {
    enum histo_status status;

    state->is_optional = number + 1 < count;
    state->config.backend = state->is_optional ? HISTO_BACKEND_AUTO : state->engine_config->backend;
    status = open_device (state, number, info);
    state->is_optional = false;
    if (status == HISTO_OK)
      return HISTO_OK;
  }
  return HISTO_ERROR_NO_DEVICE;
}

static void
free_state (struct state *state)
{
  histo_cuda_driver_unload (&state->driver);
  pthread_cond_destroy (&state->launched);
  pthread_mutex_destroy (&state->lock);
  free (state->slots);
  free (state);
}

static void
close_cuda (void *state_in)
{
  struct state *state = state_in;

  close_device (state);
  free_state (state);
}

static enum histo_status
open_cuda (const struct histo_config *config, struct histo_info *info, void **state_out)
{
  struct state *state = calloc (1, sizeof *state);
  struct slot *slots = calloc (config->max_in_flight, sizeof *slots);
  enum histo_status status;

  *state_out = NULL;
  if (!state || !slots) {
    free (slots);
    free (state);
    return histo_cuda_lack_memory (config);
  }
  state->engine_config = config;
  state->config = *config;
  state->config.log = log_for_engine;
  state->config.log_data = state;
  state->slots = slots;
  state->slot_count = config->max_in_flight;
  state->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  state->launched = (pthread_cond_t)PTHREAD_COND_INITIALIZER;

  status = histo_cuda_driver_load (&state->config, &state->driver);
  if (status == HISTO_OK)
    status = open_any_device (state, info);
  if (status != HISTO_OK) {
    free_state (state);
    return status;
  }
  info->threads = 0;
  *state_out = state;
  return HISTO_OK;
}

/* ---- the lock ------------------------------------------------------------------------------------------------------- */

static void
lock_state (struct state *state)
{
  pthread_mutex_lock (&state->lock);
  atomic_store (&state->holder, (uintptr_t)&thread_mark);
}

/* Hands on what was written to the log. Lets the lock go meanwhile. */
static void
flush_log (struct state *state)
{
  const unsigned line_count = state->line_count;
  struct line lines[MAX_LINES];

  if (line_count == 0)
    return;
  for (unsigned i = 0; i < line_count; i++)
    lines[i] = state->lines[i];
  state->line_count = 0;
  atomic_store (&state->holder, 0);
  pthread_mutex_unlock (&state->lock);
  for (unsigned i = 0; i < line_count; i++)
    histo_log (state->engine_config, lines[i].level, "%s", lines[i].text);
  lock_state (state);
}

static void
unlock_state (struct state *state)
{
  flush_log (state);
  atomic_store (&state->holder, 0);
  pthread_mutex_unlock (&state->lock);
}

/* ---- launching in order --------------------------------------------------------------------------------------------- */

/* The operand of a frame in host memory may be the copy of the frame before, which only that frame's launch waits for: all these go on one
 * stream. Others take turns, but so that a slot's stays the same: see wait_for_end. */
static CUstream
choose_stream (struct state *state, unsigned index)
{
  const struct slot *slot = &state->slots[index];

  if (!slot->is_resident)
    return state->count_streams[0];
  return state->count_streams[(slot->frame_count > 1 ? state->launches++ : index) % COUNT_STREAMS];
}

/* The numbers of a frame may be seen before the kernel is over that left them, and before its workspace is seen to be zero again: nothing
 * orders the two but the end of the kernel (count.h). A launch on the same stream comes after that, another has to wait. */
static enum histo_status
wait_for_end (struct state *state, struct slot *slot, CUstream stream)
{
  CUstream unended = slot->unended;

  slot->unended = NULL;
  if (!unended || unended == stream)
    return HISTO_OK;
  return histo_cuda_check (&state->driver, state->driver.cuStreamWaitEvent (stream, slot->counted, 0), "waiting for an event");
}

/* The frames of an entry, which were prepared: only the device can fail. With the lock, and with the context current. */
static enum histo_status
launch (struct state *state, unsigned index)
{
  struct slot *slot = &state->slots[index];
  CUstream stream = choose_stream (state, index);
  enum histo_status status = HISTO_OK;

  for (unsigned i = index; status == HISTO_OK && i < index + slot->frame_count; i++) {
    status = wait_for_end (state, &state->slots[i], stream);
    for (unsigned e = 0; status == HISTO_OK && e < state->slots[i].event_count; e++)
      status = histo_cuda_check (&state->driver, state->driver.cuStreamWaitEvent (stream, state->slots[i].arrived[e], 0),
                                 "waiting for an event");
  }
  if (status == HISTO_OK)
    status = histo_cuda_launch (state->launcher, index, stream);
  if (status == HISTO_OK)
    status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (state->slots[slot->last_slot].counted, stream),
                               "recording an event");
  if (histo_cuda_publishes_early (state->launcher, index))
    slot->unended = stream;
  return status;
}

/* The outcome of an entry, for all its slots. */
static void
set_outcome (struct state *state, unsigned index, enum histo_status status)
{
  for (unsigned i = index; i < index + state->slots[index].frame_count; i++)
    atomic_store (&state->slots[i].outcome, status);
}

/* Takes the head off the queue. With the lock. */
static void
pop_entry (struct state *state, enum histo_status status)
{
  unsigned index = state->queue_first, count = state->slots[index].frame_count;

  state->queue_first = (index + count) % state->slot_count;
  state->queue_length -= count;
  set_outcome (state, index, status);
}

/* With the lock, which it lets go until the log has the reason; before that no call returns with the failure. */
static void
fail (struct state *state)
{
  state->is_failing = true;
  flush_log (state);
  atomic_store (&state->has_failed, true);
  while (state->queue_length > 0)
    pop_entry (state, HISTO_ERROR_DEVICE);
  pthread_cond_broadcast (&state->launched);
}

/* Launches what is complete and has its turn. With the lock. */
static void
launch_queue (struct state *state)
{
  while (!state->is_failing && state->queue_length > 0 && state->slots[state->queue_first].is_complete) {
    enum histo_status status = launch (state, state->queue_first);

    if (status != HISTO_OK) {
      fail (state);
      return;
    }
    pop_entry (state, HISTO_OK);
  }
  pthread_cond_broadcast (&state->launched);
}

/* Puts the slots of `count` frames, whose event_count is set, at the end of the queue as one entry, or launches them at once where there
 * is no queue. `frames`: as the kernel finds them. Frames that cannot be launched are refused here, before anything is promised. DEVICE is
 * the end of the engine: nothing was launched, or its kernel is running without an event. */
static enum histo_status
enqueue (struct state *state, unsigned index, const struct histo_frame *frames, unsigned count, bool is_complete)
{
  struct slot *slot = &state->slots[index];
  enum histo_status status = HISTO_ERROR_DEVICE;

  atomic_fetch_add (&state->in_flight, count);
  /* Without the lock: it may allocate, and wait for the device, and those before it in the queue should not have to. */
  if (!atomic_load (&state->has_failed))
    status = histo_cuda_prepare (state->launcher, index, frames, count, slot->unended ? slot->counted : NULL);
  lock_state (state);
  if (atomic_load (&state->has_failed))
    status = HISTO_ERROR_DEVICE;
  for (unsigned i = index; i < index + count; i++) {
    state->slots[i].frame_count = 0;
    state->slots[i].last_slot = index + count - 1;
    state->slots[i].is_over = false;
    atomic_store (&state->slots[i].outcome, PENDING);
  }
  slot->frame_count = count;
  slot->is_complete = is_complete;
  if (status != HISTO_OK) {
    set_outcome (state, index, status);
  } else if (state->queue_length == 0 && is_complete && !state->is_failing) {
    status = launch (state, index);
    set_outcome (state, index, status);
  } else {
    if (state->queue_length == 0)
      state->queue_first = index;
    state->queue_length += count;
  }
  if (status == HISTO_ERROR_DEVICE)
    fail (state);
  unlock_state (state);
  if (status != HISTO_OK)
    atomic_fetch_sub (&state->in_flight, count);
  return status;
}

/* The copies of an entry have all been enqueued: called by a thread of the staging, with the context current unless it failed. */
static void
complete_slot (void *state_in, unsigned index, enum histo_status status)
{
  struct state *state = state_in;
  struct slot *slot = &state->slots[index];

  if (status == HISTO_OK)
    status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (slot->arrived[0], state->copy_stream),
                               "recording an event");
  lock_state (state);
  slot->is_complete = true;
  if (status != HISTO_OK)
    fail (state);
  else
    launch_queue (state);
  unlock_state (state);
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

static enum histo_status
submit_host_frame (struct state *state, const struct histo_frame *frame, unsigned index)
{
  struct slot *slot = &state->slots[index];
  enum histo_status status = histo_cuda_upload (state->uploader, index, frame, atomic_load (&state->in_flight), &slot->upload);
  bool is_complete = !slot->upload.is_staged;

  if (status == HISTO_OK && slot->upload.is_copied && is_complete)
    status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (slot->arrived[0], state->copy_stream),
                               "recording an event");
  slot->event_count = slot->upload.is_copied;
  slot->is_resident = false;
  if (status == HISTO_OK)
    status = enqueue (state, index, &slot->upload.frame, 1, is_complete);
  /* Last, because it may be over at once, and because a frame that is refused must not be read any more and leaves no trace. */
  if (status == HISTO_OK)
    histo_cuda_uploader_keep (state->uploader, index);
  return status;
}

/* Notes where the streams of a frame in device memory, other than `done`, are. */
static enum histo_status
record_streams (struct state *state, const struct histo_frame *frame, unsigned index, CUstream done)
{
  CUstream streams[] = { frame->stream, frame->operand ? frame->operand->stream : NULL };
  struct slot *slot = &state->slots[index];
  enum histo_status status = HISTO_OK;

  slot->upload.is_staged = false;
  slot->is_resident = true;
  slot->event_count = 0;
  for (unsigned i = 0; status == HISTO_OK && i < 2; i++)
    if (streams[i] && streams[i] != done && (i == 0 || streams[i] != streams[0]))
      status = histo_cuda_check (&state->driver, state->driver.cuEventRecord (slot->arrived[slot->event_count++], streams[i]),
                                 "recording an event");
  return status;
}

static enum histo_status
submit_device_frame (struct state *state, const struct histo_frame *frame, unsigned index)
{
  enum histo_status status = record_streams (state, frame, index, NULL);

  return status == HISTO_OK ? enqueue (state, index, frame, 1, true) : status;
}

/* Frames in device memory that go in one launch. */
static enum histo_status
submit_device_frames (struct state *state, const struct histo_frame *frames, unsigned count, unsigned first)
{
  enum histo_status status = record_streams (state, &frames[0], first, NULL);

  for (unsigned i = 1; status == HISTO_OK && i < count; i++)
    status = record_streams (state, &frames[i], first + i, frames[0].stream);
  return status == HISTO_OK ? enqueue (state, first, frames, count, true) : status;
}

/* Waits until nothing reads host memory on the device's behalf; with the context current. */
static void
settle (struct state *state)
{
  state->driver.cuStreamSynchronize (state->copy_stream);
  for (unsigned i = 0; i < COUNT_STREAMS; i++)
    state->driver.cuStreamSynchronize (state->count_streams[i]);
}

static enum histo_status
submit (void *state_in, const struct histo_frame *frame, unsigned index)
{
  struct state *state = state_in;
  enum histo_status status = histo_cuda_check (&state->driver, TRY_CONTEXT (state), "using the CUDA context");

  if (status != HISTO_OK)
    return status;
  if (frame->memory == HISTO_MEMORY_DEVICE)
    status = submit_device_frame (state, frame, index);
  else
    status = submit_host_frame (state, frame, index);
  if (status != HISTO_OK)
    settle (state); /* the caller may free the samples now */
  pop_context (state);
  return status;
}

static enum histo_status collect (void *state, unsigned index, struct histo_stats *stats);

static enum histo_status
submit_many (void *state_in, const struct histo_frame *frames, unsigned count, unsigned first)
{
  struct state *state = state_in;
  enum histo_status status = HISTO_OK;
  unsigned taken = 0;

  if (frames[0].memory == HISTO_MEMORY_DEVICE && histo_cuda_can_launch_many (frames, count)) {
    status = histo_cuda_check (&state->driver, TRY_CONTEXT (state), "using the CUDA context");
    if (status != HISTO_OK)
      return status;
    status = submit_device_frames (state, frames, count, first);
    if (status != HISTO_OK)
      settle (state);
    pop_context (state);
    return status;
  }
  while (status == HISTO_OK && taken < count) {
    status = submit (state, &frames[taken], first + taken);
    taken += status == HISTO_OK;
  }
  for (unsigned i = 0; status != HISTO_OK && i < taken; i++)
    collect (state, first + i, &(struct histo_stats){ 0 });
  return status;
}

static bool
ready (void *state_in, unsigned index)
{
  struct state *state = state_in;
  int outcome = atomic_load (&state->slots[index].outcome);
  CUresult result;

  if (outcome != HISTO_OK)
    return outcome != PENDING;
  if (histo_cuda_is_published (state->launcher, index, false))
    return true;
  if (TRY_CONTEXT (state) != CUDA_SUCCESS)
    return true; /* collect has the error */
  result = state->driver.cuEventQuery (state->slots[state->slots[index].last_slot].counted);
  pop_context (state);
  return result != CUDA_ERROR_NOT_READY;
}

static enum histo_status
wait_for_launch (struct state *state, unsigned index)
{
  const atomic_int *outcome = &state->slots[index].outcome;

  if (atomic_load (outcome) == PENDING) {
    pthread_mutex_lock (&state->lock);
    while (atomic_load (outcome) == PENDING)
      pthread_cond_wait (&state->launched, &state->lock);
    pthread_mutex_unlock (&state->lock);
  }
  return (enum histo_status)atomic_load (outcome);
}

static uint64_t
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Looks for the numbers, which are often there before the driver could wake a thread up. */
static bool
spin_for_numbers (const struct state *state, unsigned index)
{
  const uint64_t begin_ns = now_ns ();

  if (!histo_cuda_publishes_early (state->launcher, index))
    return false;
  do {
    for (unsigned i = 0; i < LOOKS; i++)
      if (histo_cuda_is_published (state->launcher, index, false))
        return true;
  } while (now_ns () - begin_ns < SPIN_NS);
  return false;
}

static enum histo_status
wait_for_numbers (struct state *state, unsigned index)
{
  struct slot *last = &state->slots[state->slots[index].last_slot];
  enum histo_status status = HISTO_OK;

  if (spin_for_numbers (state, index))
    return HISTO_OK;
  if (!last->is_over) {
    status = histo_cuda_check (&state->driver, TRY_CONTEXT (state), "using the CUDA context");
    if (status != HISTO_OK)
      return status;
    status = histo_cuda_check (&state->driver, state->driver.cuEventSynchronize (last->counted), "waiting for the device");
    pop_context (state);
    last->is_over = status == HISTO_OK;
    last->unended = NULL;
  }
  if (status == HISTO_OK && !histo_cuda_is_published (state->launcher, index, true)) {
    histo_log (&state->config, HISTO_LOG_ERROR, "the device finished a frame without leaving its numbers");
    status = HISTO_ERROR_DEVICE;
  }
  return status;
}

static enum histo_status
collect (void *state_in, unsigned index, struct histo_stats *stats)
{
  struct state *state = state_in;
  enum histo_status status = wait_for_launch (state, index);

  if (status == HISTO_OK)
    status = wait_for_numbers (state, index);
  atomic_fetch_sub (&state->in_flight, 1);
  if (status == HISTO_OK) {
    histo_cuda_read (state->launcher, index, stats);
    return HISTO_OK;
  }
  /* The caller may free the samples after this. */
  if (state->slots[index].upload.is_staged)
    histo_cuda_uploader_wait (state->uploader, index);
  if (TRY_CONTEXT (state) == CUDA_SUCCESS) {
    settle (state);
    pop_context (state);
  }
  return HISTO_ERROR_DEVICE;
}

static enum histo_status
set_weights (void *state_in, unsigned component, const struct histo_weights *weights)
{
  struct state *state = state_in;
  enum histo_status status = histo_cuda_check (&state->driver, TRY_CONTEXT (state), "using the CUDA context");

  if (status != HISTO_OK)
    return status;
  status = histo_cuda_set_weights (state->launcher, component, weights);
  pop_context (state);
  return status;
}

static enum histo_status
open_pins (void *state_in, void **pins_out)
{
  const struct state *state = state_in;
  struct histo_cuda_pins *pins;
  enum histo_status status
      = histo_cuda_pins_open (&state->config, state->device, state->context, state->context_is_ours, &pins);

  *pins_out = pins;
  return status;
}

const struct histo_backend_ops histo_backend_cuda = {
  .name = "cuda",
  .open = open_cuda,
  .submit = submit,
  .submit_many = submit_many,
  .ready = ready,
  .collect = collect,
  .close = close_cuda,
  .set_weights = set_weights,
  .open_pins = open_pins,
  .pin = histo_cuda_pin,
  .unpin = histo_cuda_unpin,
  .close_pins = histo_cuda_pins_close,
};
