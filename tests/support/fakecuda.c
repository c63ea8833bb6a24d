/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* See fakecuda.h. With FAKECUDA_LACKS_FUNCTION defined, one function is missing, as in a driver that is too old. */

#pragma GCC visibility push(default)

#include "cuda/driver.h"
#include "fakecuda.h"
#include "fakekernels.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_DEVICES 8
#define MAX_DEPTH 8
#define STRICT_STATUS 86
#define JUNK_BYTES 65536
/* What makes a device address of a host address: following one on the host, or the other way round, hits nothing. */
#define DEVICE_TAG ((CUdeviceptr)1 << 62)
#define MAPPED_TAG ((CUdeviceptr)1 << 61)

/* cuda.h names a newer version, or none that takes these arguments. */
CUresult CUDAAPI cuCtxCreate_v2 (CUcontext *context, unsigned flags, CUdevice device);
extern const struct fakecuda fakecuda_control;

enum function {
#define MEMBER(function) FUNCTION_##function,
  HISTO_CUDA_FUNCTIONS (MEMBER)
#undef MEMBER
      FUNCTION_cuCtxCreate,
  FUNCTION_cuCtxDestroy,
  FUNCTION_cuMemAllocPitch,
  FUNCTION_cuMemAllocHost,
  FUNCTION_cuMemcpyHtoD,
  FUNCTION_cuMemcpy2D,
  FUNCTION_COUNT
};

static const char *const function_names[FUNCTION_COUNT] = {
#define MEMBER(function) #function,
  HISTO_CUDA_FUNCTIONS (MEMBER)
#undef MEMBER
      "cuCtxCreate",
  "cuCtxDestroy",
  "cuMemAllocPitch",
  "cuMemAllocHost",
  "cuMemcpyHtoD",
  "cuMemcpy2D",
};

enum kind { KIND_CONTEXT, KIND_MODULE, KIND_STREAM, KIND_EVENT, KIND_DEVICE_MEMORY, KIND_HOST_MEMORY };
static const char *const kind_names[] = { "context", "module", "stream", "event", "device memory", "pinned memory" };

/* The head of everything that must be given back. */
struct object {
  struct object *next;
  enum kind kind;
  CUcontext context; /* that it was made in */
};

struct CUctx_st {
  struct object object;
  CUdevice device;
  unsigned retained; /* 0: made by cuCtxCreate */
};

struct CUfunc_st {
  CUmodule module;
  const struct fakekernel *kernel;
  unsigned shared_bytes; /* what a launch may ask for; 0: 48 KiB */
};

struct CUmod_st {
  struct object object;
  struct CUfunc_st functions[FAKEKERNELS];
};

struct CUevent_st {
  struct object object;
  uint64_t record; /* the last one that was asked for: its number among those of all events; 0: none */
};

enum operation_kind {
  OPERATION_COPY,
  OPERATION_FETCH,
  OPERATION_SET,
  OPERATION_KERNEL,
  OPERATION_TAIL, /* of a kernel whose numbers can be seen */
  OPERATION_RECORD,
  OPERATION_WAIT
};

struct operation {
  struct operation *next;
  enum operation_kind kind;
  /* copies, and a set of one row */
  CUdeviceptr to;
  const uint8_t *from;
  CUdeviceptr from_device; /* of a fetch, to pinned memory */
  size_t to_pitch, from_pitch, row_bytes, rows;
  uint8_t value;
  uint8_t *staged; /* the driver's own copy of `from`, freed with the operation */
  uint64_t record; /* that it is, or waits for */
  /* kernels */
  CUmodule module;
  struct fakekernel_launch launch;
  uint64_t deadline_us; /* when it may be over; 0: it has not begun */
};

struct CUstream_st {
  struct object object;
  CUstream next; /* of all streams */
  struct operation *first, **end;
  struct operation *running; /* no longer in the list */
  bool is_destroyed;         /* goes when it is idle */
};

struct waiter {
  struct waiter *next;
  uint64_t record;
};

struct memory {
  struct object object;
  uint8_t *bytes;
  size_t size;
  unsigned flags; /* of cuMemHostAlloc */
};

static struct {
  pthread_mutex_t lock;   /* everything here */
  pthread_cond_t changed; /* anything that something may wait for */
  bool is_initialised, has_worker;

  int devices, failing_device;
  unsigned capability; /* ten times the compute capability */
  int driver_version;
  uint64_t delay_us;
  enum fakecuda_hold held;

  uint64_t calls, function_calls[FUNCTION_COUNT], kernels, launches[FAKEKERNELS];
  uint64_t failing_call, failing_function_call, failing_kernel, skipped_kernel; /* 0: none */
  enum function failing_function;
  CUresult failure;
  bool failure_is_sticky;
  bool has_failed;
  CUresult lost;       /* CUDA_SUCCESS: the device works */
  bool all_calls_fail; /* when it is lost; else those that touch no device go on */

  bool is_blocked[FUNCTION_COUNT];

  unsigned faults;
  char fault_text[256];

  struct object *objects;
  CUstream streams;
  struct CUstream_st default_stream; /* of what is asked for without a stream: no other waits for it, and it for none */
  uint64_t last_record;
  CUcontext primary[MAX_DEVICES];
  unsigned waiting;       /* calls that wait for all of a stream, or of the device */
  struct waiter *waiters; /* those that wait for an event */
} fake;

static _Thread_local struct {
  CUcontext contexts[MAX_DEPTH];
  unsigned depth;
} thread;

/* ---- the script ----------------------------------------------------------------------------------------------------- */

static uint64_t
read_number (const char *name, uint64_t otherwise)
{
  const char *text = getenv (name);

  return text != NULL && *text != '\0' ? strtoull (text, NULL, 0) : otherwise;
}

static bool
find_function (const char *name, size_t length, enum function *function)
{
  for (unsigned f = 0; f < FUNCTION_COUNT; f++) {
    if (strlen (function_names[f]) == length && memcmp (function_names[f], name, length) == 0) {
      *function = (enum function)f;
      return true;
    }
  }
  fprintf (stderr, "fakecuda: there is no function %.*s\n", (int)length, name);
  return false;
}

static void
read_environment (void)
{
  const char *function = getenv ("FAKECUDA_FAIL_FUNCTION");
  const char *colon = function != NULL ? strchr (function, ':') : NULL;
  const char *held = getenv ("FAKECUDA_HOLD");

  fake.devices = (int)read_number ("FAKECUDA_DEVICES", 1);
  if (fake.devices > MAX_DEVICES)
    fake.devices = MAX_DEVICES;
  fake.failing_device = (int)read_number ("FAKECUDA_FAIL_DEVICE", UINT64_MAX);
  fake.capability = (unsigned)read_number ("FAKECUDA_CAPABILITY", 90);
  fake.delay_us = read_number ("FAKECUDA_DELAY_US", 0);
  fake.held = FAKECUDA_HOLD_NOTHING;
  if (held != NULL && strcmp (held, "kernels") == 0)
    fake.held = FAKECUDA_HOLD_KERNELS;
  if (held != NULL && strcmp (held, "copies") == 0)
    fake.held = FAKECUDA_HOLD_COPIES;
  if (held != NULL && strcmp (held, "events") == 0)
    fake.held = FAKECUDA_HOLD_EVENTS;
  if (held != NULL && strcmp (held, "tails") == 0)
    fake.held = FAKECUDA_HOLD_TAILS;
  fake.failing_call = read_number ("FAKECUDA_FAIL_CALL", 0);
  fake.failing_function_call = 0;
  if (colon != NULL && find_function (function, (size_t)(colon - function), &fake.failing_function))
    fake.failing_function_call = strtoull (colon + 1, NULL, 0);
  fake.failure = (CUresult)read_number ("FAKECUDA_FAIL_RESULT", CUDA_ERROR_UNKNOWN);
  fake.failure_is_sticky = read_number ("FAKECUDA_STICKY", 0) != 0;
  fake.failing_kernel = read_number ("FAKECUDA_FAULT_KERNEL", 0);
  fake.skipped_kernel = 0;
  fake.driver_version = CUDA_VERSION;
  memset (fake.is_blocked, 0, sizeof fake.is_blocked);
}

__attribute__ ((constructor)) static void
begin (void)
{
  pthread_condattr_t attributes;

  pthread_mutex_init (&fake.lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&fake.changed, &attributes);
  pthread_condattr_destroy (&attributes);
  fake.default_stream.end = &fake.default_stream.first;
  fake.streams = &fake.default_stream;
  read_environment ();
}

/* Notes that the caller is at fault, in words; with the lock. */
static void __attribute__ ((format (printf, 1, 2))) blame (const char *format, ...)
{
  va_list arguments;
  char text[sizeof fake.fault_text];

  va_start (arguments, format);
  vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  if (fake.faults++ == 0)
    memcpy (fake.fault_text, text, sizeof text);
  fprintf (stderr, "fakecuda: %s\n", text);
}

static void
free_operation (struct operation *operation)
{
  free (operation->staged);
  free (operation);
}

static void
drop_operations (void)
{
  for (CUstream stream = fake.streams; stream != NULL; stream = stream->next) {
    while (stream->first != NULL) {
      struct operation *operation = stream->first;
      stream->first = operation->next;
      free_operation (operation);
    }
    stream->end = &stream->first;
  }
}

static void
lose_device (CUresult result, bool all_calls_fail)
{
  fake.has_failed = true;
  fake.lost = result;
  fake.all_calls_fail = all_calls_fail;
  drop_operations ();
  pthread_cond_broadcast (&fake.changed);
}

/* Begins every function: takes the lock, counts the call and says how the script wants it to end. */
static CUresult
enter (enum function function)
{
  bool needs_device = function != FUNCTION_cuCtxPushCurrent && function != FUNCTION_cuCtxPopCurrent;

  pthread_mutex_lock (&fake.lock);
  while (fake.is_blocked[function])
    pthread_cond_wait (&fake.changed, &fake.lock);
  fake.calls++;
  fake.function_calls[function]++;
  if (fake.lost != CUDA_SUCCESS)
    return fake.all_calls_fail || needs_device ? fake.lost : CUDA_SUCCESS;
  if (fake.calls == fake.failing_call
      || (function == fake.failing_function && fake.function_calls[function] == fake.failing_function_call)) {
    fake.has_failed = true;
    if (fake.failure_is_sticky)
      lose_device (fake.failure, true);
    return fake.failure;
  }
  if (!fake.is_initialised && function != FUNCTION_cuInit) {
    blame ("%s before cuInit", function_names[function]);
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  return CUDA_SUCCESS;
}

static CUresult
leave (CUresult result)
{
  pthread_mutex_unlock (&fake.lock);
  return result;
}

/* ---- objects -------------------------------------------------------------------------------------------------------- */

static CUcontext
current_context (void)
{
  return thread.depth > 0 ? thread.contexts[thread.depth - 1] : NULL;
}

static bool
is_alive (enum kind kind, const void *pointer)
{
  for (const struct object *object = fake.objects; object != NULL; object = object->next)
    if (object == pointer && object->kind == kind)
      return true;
  return false;
}

static CUresult
require_context (const char *function)
{
  CUcontext context = current_context ();

  if (context == NULL) {
    blame ("%s without a current context", function);
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!is_alive (KIND_CONTEXT, context)) {
    blame ("%s in a context that is gone", function);
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  return CUDA_SUCCESS;
}

static CUresult
require_object (const char *function, enum kind kind, const void *pointer)
{
  if (!is_alive (kind, pointer)) {
    blame ("%s: a handle that is no %s", function, kind_names[kind]);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  /* Where a scripted failure kept the caller from having the context, the handle must do. */
  if (kind != KIND_CONTEXT && !fake.has_failed && ((const struct object *)pointer)->context != current_context ()) {
    blame ("%s: a %s of another context", function, kind_names[kind]);
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return CUDA_SUCCESS;
}

static void *
add_object (enum kind kind, size_t size)
{
  struct object *object = calloc (1, size);

  if (object == NULL)
    return NULL;
  object->kind = kind;
  object->context = current_context ();
  object->next = fake.objects;
  fake.objects = object;
  return object;
}

static void
remove_object (void *pointer)
{
  for (struct object **link = &fake.objects; *link != NULL; link = &(*link)->next) {
    if (*link == pointer) {
      *link = (*link)->next;
      free (pointer);
      return;
    }
  }
}

static bool
is_idle (const struct CUstream_st *stream)
{
  return stream->first == NULL && stream->running == NULL;
}

/* Frees a destroyed stream that is idle. */
static void
free_stream (CUstream stream)
{
  CUstream *link = &fake.streams;

  if (!stream->is_destroyed || !is_idle (stream))
    return;
  while (*link != stream)
    link = &(*link)->next;
  *link = stream->next;
  free (stream);
}

/* Takes a stream from its caller, who need not wait until it is idle. */
static void
remove_stream (CUstream stream)
{
  struct object **link = &fake.objects;

  while (*link != &stream->object)
    link = &(*link)->next;
  *link = stream->object.next;
  stream->is_destroyed = true;
  free_stream (stream);
}

static void
remove_context (CUcontext context)
{
  unsigned left = 0;

  for (const struct CUstream_st *stream = fake.streams; stream != NULL; stream = stream->next)
    if (stream->object.context == context && !is_idle (stream) && !fake.has_failed)
      blame ("a context goes while a stream of it has something to do");

  for (const struct object *object = fake.objects; object != NULL; object = object->next)
    left += object->kind != KIND_CONTEXT && object->context == context;
  if (left > 0)
    blame ("a context goes while %u of its objects are alive", left);
  for (unsigned i = 0; i < thread.depth; i++)
    if (thread.contexts[i] == context)
      blame ("a context goes while it is current");
  remove_object (context);
}

/* The memory that holds [address, address + size); NULL: none. */
static uint8_t *
find_memory (CUdeviceptr address, uint64_t size, bool is_device)
{
  for (struct object *object = fake.objects; object != NULL; object = object->next) {
    const struct memory *memory = (const struct memory *)object;
    CUdeviceptr begin;

    if (object->kind != (is_device ? KIND_DEVICE_MEMORY : KIND_HOST_MEMORY))
      continue;
    begin = (CUdeviceptr)(uintptr_t)memory->bytes | (is_device ? DEVICE_TAG : MAPPED_TAG);
    if (address >= begin && address - begin <= memory->size && size <= memory->size - (address - begin))
      return memory->bytes + (address - begin);
  }
  return NULL;
}

/* ---- running streams ------------------------------------------------------------------------------------------------ */

static uint64_t
now_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void *
find_for_kernel (uint64_t address, uint64_t size, bool is_device)
{
  return find_memory (address, size, is_device);
}

static void
unlock_for_kernel (void)
{
  pthread_mutex_unlock (&fake.lock);
}

static void
lock_after_kernel (void)
{
  pthread_mutex_lock (&fake.lock);
}

static const struct fakekernel_driver kernel_driver
    = { .find = find_for_kernel, .blame = blame, .unlock = unlock_for_kernel, .lock = lock_after_kernel };

/* With the lock, which it lets go while it counts. False where the kernel faults. */
static bool
run_kernel (const struct operation *operation)
{
  if (++fake.kernels == fake.failing_kernel)
    return false;
  if (fake.kernels == fake.skipped_kernel) {
    fake.has_failed = true;
    return true;
  }
  return fakekernel_run (&operation->launch, &kernel_driver);
}

/* With the lock, which it lets go while it copies. */
static bool
run_copy (const struct operation *operation)
{
  uint64_t size = (operation->rows - 1) * operation->to_pitch + operation->row_bytes;
  uint8_t *to = find_memory (operation->to, size, true);
  const uint8_t *from = operation->from;

  if (operation->kind == OPERATION_FETCH) {
    from = find_memory (operation->from_device, (operation->rows - 1) * operation->from_pitch + operation->row_bytes, true);
    to = find_memory (operation->to | MAPPED_TAG, size, false);
    if (from == NULL) {
      blame ("a copy of %zux%zu bytes from outside of device memory", operation->row_bytes, operation->rows);
      return false;
    }
  }
  if (to == NULL) {
    blame ("a copy or a set of %llu bytes at %#llx, outside of device memory", (unsigned long long)size,
           (unsigned long long)operation->to);
    return false;
  }
  pthread_mutex_unlock (&fake.lock);
  for (size_t row = 0; row < operation->rows; row++) {
    if (operation->kind != OPERATION_SET)
      memcpy (to + row * operation->to_pitch, from + row * operation->from_pitch, operation->row_bytes);
    else
      memset (to + row * operation->to_pitch, operation->value, operation->row_bytes);
  }
  pthread_mutex_lock (&fake.lock);
  return true;
}

/* Whether that record of an event is still to be reached. */
static bool
is_pending (uint64_t record)
{
  for (const struct CUstream_st *stream = fake.streams; stream != NULL; stream = stream->next)
    for (const struct operation *operation = stream->first; operation != NULL; operation = operation->next)
      if (operation->kind == OPERATION_RECORD && operation->record == record)
        return true;
  return false;
}

/* Whether a call waits for the device: only then does what is held run. One whose event has been reached does not any more. */
static bool
is_awaited (void)
{
  for (const struct waiter *waiter = fake.waiters; waiter != NULL; waiter = waiter->next)
    if (is_pending (waiter->record))
      return true;
  return fake.waiting > 0;
}

/* Whether the script wants it to be as late as it can be. */
static bool
is_held (const struct operation *operation)
{
  switch (operation->kind) {
  case OPERATION_KERNEL:
    return fake.held == FAKECUDA_HOLD_KERNELS;
  case OPERATION_TAIL:
    return fake.held == FAKECUDA_HOLD_TAILS;
  case OPERATION_COPY:
  case OPERATION_FETCH:
  case OPERATION_SET:
    return fake.held == FAKECUDA_HOLD_COPIES;
  case OPERATION_RECORD:
    return fake.held == FAKECUDA_HOLD_EVENTS;
  case OPERATION_WAIT:
    break;
  }
  return false;
}

static bool
is_runnable (struct operation *operation, uint64_t *deadline_us)
{
  if (operation->kind == OPERATION_WAIT)
    return !is_pending (operation->record);
  if (is_held (operation) && !is_awaited ())
    return false;
  if (operation->kind != OPERATION_KERNEL)
    return true;
  if (operation->deadline_us == 0)
    operation->deadline_us = now_us () + fake.delay_us;
  if (now_us () >= operation->deadline_us)
    return true;
  if (operation->deadline_us < *deadline_us)
    *deadline_us = operation->deadline_us;
  return false;
}

static unsigned
random_below (unsigned limit)
{
  static uint64_t state = 1;

  state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (unsigned)(state >> 33) % limit;
}

/* Any of the streams that can go on, as on a device; what is held comes last. */
static CUstream
choose_stream (uint64_t *deadline_us)
{
  CUstream chosen = NULL;
  unsigned candidates = 0;

  for (CUstream stream = fake.streams; stream != NULL; stream = stream->next) {
    if (stream->first == NULL || !is_runnable (stream->first, deadline_us))
      continue;
    if (chosen != NULL && is_held (stream->first) && !is_held (chosen->first))
      continue;
    if (chosen != NULL && is_held (chosen->first) && !is_held (stream->first))
      candidates = 0;
    if (random_below (++candidates) == 0)
      chosen = stream;
  }
  return chosen;
}

/* A kernel has left its numbers: it ends at once, or is held. */
static void
end_kernel (CUstream stream, struct operation *operation)
{
  if (fake.held != FAKECUDA_HOLD_TAILS || fake.lost != CUDA_SUCCESS) {
    fakekernel_end (&operation->launch, &kernel_driver);
    free_operation (operation);
    return;
  }
  operation->kind = OPERATION_TAIL;
  operation->next = stream->first;
  if (stream->first == NULL)
    stream->end = &operation->next;
  stream->first = operation;
}

/* With the lock, which it may let go. */
static void
run_first (CUstream stream)
{
  struct operation *operation = stream->first;
  bool is_good = true;

  stream->first = operation->next;
  if (stream->first == NULL)
    stream->end = &stream->first;
  stream->running = operation;
  switch (operation->kind) {
  case OPERATION_COPY:
  case OPERATION_FETCH:
  case OPERATION_SET:
    is_good = run_copy (operation);
    break;
  case OPERATION_KERNEL:
    is_good = run_kernel (operation);
    break;
  case OPERATION_TAIL:
    fakekernel_end (&operation->launch, &kernel_driver);
    break;
  case OPERATION_RECORD: /* done when it has left the stream */
  case OPERATION_WAIT:
    break;
  }
  stream->running = NULL;
  if (operation->kind == OPERATION_KERNEL && is_good)
    end_kernel (stream, operation);
  else
    free_operation (operation);
  if (!is_good && fake.lost == CUDA_SUCCESS)
    lose_device (CUDA_ERROR_ILLEGAL_ADDRESS, false);
  free_stream (stream);
  pthread_cond_broadcast (&fake.changed);
}

static void *
run_device (void *unused)
{
  (void)unused;
  pthread_mutex_lock (&fake.lock);
  for (;;) {
    uint64_t deadline_us = UINT64_MAX;
    CUstream stream = choose_stream (&deadline_us);

    if (stream != NULL) {
      run_first (stream);
    } else if (deadline_us != UINT64_MAX) {
      struct timespec deadline = { (time_t)(deadline_us / 1000000), (long)(deadline_us % 1000000 * 1000) };
      pthread_cond_timedwait (&fake.changed, &fake.lock, &deadline);
    } else {
      pthread_cond_wait (&fake.changed, &fake.lock);
    }
  }
  return NULL;
}

/* Queues a copy of `operation`. */
static CUresult
append_operation (CUstream stream, const struct operation *operation)
{
  struct operation *added;

  if (!fake.has_worker) {
    pthread_t worker;

    if (pthread_create (&worker, NULL, run_device, NULL) != 0)
      return CUDA_ERROR_OPERATING_SYSTEM;
    pthread_detach (worker);
    fake.has_worker = true;
  }
  added = malloc (sizeof *added);
  if (added == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *added = *operation;
  added->next = NULL;
  *stream->end = added;
  stream->end = &added->next;
  pthread_cond_broadcast (&fake.changed);
  return CUDA_SUCCESS;
}

/* The same for a caller's stream. */
static CUresult
add_operation (const char *function, CUstream stream, const struct operation *operation)
{
  CUresult result = require_context (function);

  if (result == CUDA_SUCCESS && (stream == NULL || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)) {
    blame ("%s on a default stream", function);
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (result == CUDA_SUCCESS)
    result = require_object (function, KIND_STREAM, stream);
  return result == CUDA_SUCCESS ? append_operation (stream, operation) : result;
}

/* Waits until the device has nothing to do. */
static void
wait_idle (void)
{
  CUstream stream = fake.streams;

  fake.waiting++;
  pthread_cond_broadcast (&fake.changed);
  while (stream != NULL) {
    if (!is_idle (stream)) {
      pthread_cond_wait (&fake.changed, &fake.lock);
      stream = fake.streams;
    } else {
      stream = stream->next;
    }
  }
  fake.waiting--;
}

/* Whether the device still has to do with [begin, begin + size), an address of its own, or with the kernels of a module. */
static bool
uses (const struct operation *operation, CUdeviceptr begin, uint64_t size, const struct CUmod_st *module)
{
  const uint64_t rows = operation->rows - 1;
  const struct {
    CUdeviceptr begin;
    uint64_t size;
  } parts[] = {
    { operation->to, rows * operation->to_pitch + operation->row_bytes },
    { operation->to | MAPPED_TAG, rows * operation->to_pitch + operation->row_bytes },
    { (CUdeviceptr)(uintptr_t)operation->from | MAPPED_TAG, rows * operation->from_pitch + operation->row_bytes },
    { operation->from_device, rows * operation->from_pitch + operation->row_bytes },
  };

  switch (operation->kind) {
  case OPERATION_COPY:
  case OPERATION_FETCH:
  case OPERATION_SET:
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
      if (size > 0 && parts[i].begin < begin + size && begin < parts[i].begin + parts[i].size)
        return true;
    return false;
  case OPERATION_KERNEL:
    return operation->module == module || (size > 0 && fakekernel_uses (&operation->launch, begin, size));
  case OPERATION_TAIL: /* what the host can see has been seen, and the samples have been read */
    return operation->module == module || (size > 0 && fakekernel_clears (&operation->launch, begin, size));
  case OPERATION_RECORD:
  case OPERATION_WAIT:
    break;
  }
  return false;
}

static bool
is_in_use (CUdeviceptr begin, uint64_t size, const struct CUmod_st *module)
{
  for (const struct CUstream_st *stream = fake.streams; stream != NULL; stream = stream->next) {
    if (stream->running != NULL && uses (stream->running, begin, size, module))
      return true;
    for (const struct operation *operation = stream->first; operation != NULL; operation = operation->next)
      if (uses (operation, begin, size, module))
        return true;
  }
  return false;
}

/* Gives an object back, whatever the script says, without waiting for the device: no documentation says that it would. */
static CUresult
release_object (enum function function, enum kind kind, void *pointer)
{
  CUresult scripted = enter (function), result = require_object (function_names[function], kind, pointer);

  if (result == CUDA_SUCCESS && kind == KIND_MODULE && is_in_use (0, 0, pointer)) {
    if (!fake.has_failed)
      blame ("%s: a kernel of it is still to run", function_names[function]);
    wait_idle ();
  }
  if (result == CUDA_SUCCESS && kind == KIND_STREAM)
    remove_stream (pointer);
  else if (result == CUDA_SUCCESS && kind == KIND_CONTEXT)
    remove_context (pointer);
  else if (result == CUDA_SUCCESS)
    remove_object (pointer);
  return leave (scripted != CUDA_SUCCESS ? scripted : result);
}

/* ---- functions: the driver and its devices -------------------------------------------------------------------------- */

CUresult CUDAAPI
cuInit (unsigned flags)
{
  CUresult result = enter (FUNCTION_cuInit);

  if (result == CUDA_SUCCESS && flags != 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && fake.devices == 0)
    result = CUDA_ERROR_NO_DEVICE;
  if (result == CUDA_SUCCESS)
    fake.is_initialised = true;
  return leave (result);
}

/* These three need neither a device nor cuInit. */
static void
count_call (enum function function)
{
  pthread_mutex_lock (&fake.lock);
  fake.calls++;
  fake.function_calls[function]++;
  pthread_mutex_unlock (&fake.lock);
}

CUresult CUDAAPI
cuDriverGetVersion (int *version)
{
  count_call (FUNCTION_cuDriverGetVersion);
  *version = fake.driver_version;
  return CUDA_SUCCESS;
}

static const struct {
  CUresult result;
  const char *name, *text;
} errors[] = {
  { CUDA_SUCCESS, "CUDA_SUCCESS", "no error" },
  { CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
  { CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
  { CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
  { CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable" },
  { CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
  { CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
  { CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
  { CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device" },
  { CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
  { CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
  { CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
  { CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready" },
  { CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered" },
  { CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
  { CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    "system has unsupported display driver / cuda driver combination" },
  { CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error" },
};

CUresult CUDAAPI
cuGetErrorName (CUresult error, const char **name)
{
  count_call (FUNCTION_cuGetErrorName);
  *name = NULL;
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].result == error)
      *name = errors[i].name;
  return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI
cuGetErrorString (CUresult error, const char **text)
{
  count_call (FUNCTION_cuGetErrorString);
  *text = NULL;
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].result == error)
      *text = errors[i].text;
  return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI
cuDeviceGetCount (int *count)
{
  CUresult result = enter (FUNCTION_cuDeviceGetCount);

  if (result == CUDA_SUCCESS)
    *count = fake.devices;
  return leave (result);
}

static CUresult
require_device (CUdevice device)
{
  return device >= 0 && device < fake.devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult CUDAAPI
cuDeviceGet (CUdevice *device, int number)
{
  CUresult result = enter (FUNCTION_cuDeviceGet);

  if (result == CUDA_SUCCESS)
    result = require_device (number);
  if (result == CUDA_SUCCESS)
    *device = number;
  return leave (result);
}

CUresult CUDAAPI
cuDeviceGetName (char *name, int size, CUdevice device)
{
  CUresult result = enter (FUNCTION_cuDeviceGetName);

  if (result == CUDA_SUCCESS)
    result = require_device (device);
  if (result == CUDA_SUCCESS)
    snprintf (name, (size_t)size, "Fake GPU %d", device);
  return leave (result);
}

CUresult CUDAAPI
cuDeviceGetAttribute (int *value, CUdevice_attribute attribute, CUdevice device)
{
  CUresult result = enter (FUNCTION_cuDeviceGetAttribute);

  if (result == CUDA_SUCCESS)
    result = require_device (device);
  if (result == CUDA_SUCCESS) {
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 4;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 227 * 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = (int)fake.capability / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = (int)fake.capability % 10;
      break;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
      *value = 1;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      *value = INT32_MAX;
      break;
    default:
      *value = 0;
    }
  }
  return leave (result);
}

/* ---- functions: contexts -------------------------------------------------------------------------------------------- */

static CUresult
make_context (CUdevice device, unsigned retained, CUcontext *context)
{
  *context = add_object (KIND_CONTEXT, sizeof **context);
  if (*context == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  (*context)->object.context = *context;
  (*context)->device = device;
  (*context)->retained = retained;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI
cuDevicePrimaryCtxRetain (CUcontext *context, CUdevice device)
{
  CUresult result = enter (FUNCTION_cuDevicePrimaryCtxRetain);

  if (result == CUDA_SUCCESS)
    result = require_device (device);
  if (result == CUDA_SUCCESS && device == fake.failing_device)
    result = CUDA_ERROR_DEVICE_UNAVAILABLE;
  if (result == CUDA_SUCCESS && fake.primary[device] == NULL)
    result = make_context (device, 0, &fake.primary[device]);
  if (result == CUDA_SUCCESS) {
    fake.primary[device]->retained++;
    *context = fake.primary[device];
  }
  return leave (result);
}

CUresult CUDAAPI
cuDevicePrimaryCtxRelease (CUdevice device)
{
  CUresult scripted = enter (FUNCTION_cuDevicePrimaryCtxRelease), result = require_device (device);

  if (result == CUDA_SUCCESS && fake.primary[device] == NULL) {
    blame ("cuDevicePrimaryCtxRelease without a retain");
    result = CUDA_ERROR_INVALID_CONTEXT;
  }
  if (result == CUDA_SUCCESS && --fake.primary[device]->retained == 0) {
    remove_context (fake.primary[device]);
    fake.primary[device] = NULL;
  }
  return leave (scripted != CUDA_SUCCESS ? scripted : result);
}

CUresult CUDAAPI
cuCtxCreate_v2 (CUcontext *context, unsigned flags, CUdevice device)
{
  CUresult result = enter (FUNCTION_cuCtxCreate);

  (void)flags;
  if (result == CUDA_SUCCESS)
    result = require_device (device);
  if (result == CUDA_SUCCESS && thread.depth == MAX_DEPTH)
    result = CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_SUCCESS)
    result = make_context (device, 0, context);
  if (result == CUDA_SUCCESS)
    thread.contexts[thread.depth++] = *context;
  return leave (result);
}

CUresult CUDAAPI
cuCtxDestroy (CUcontext context)
{
  if (context == current_context ())
    thread.depth--;
  return release_object (FUNCTION_cuCtxDestroy, KIND_CONTEXT, context);
}

CUresult CUDAAPI
cuCtxPushCurrent (CUcontext context)
{
  CUresult result = enter (FUNCTION_cuCtxPushCurrent);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuCtxPushCurrent", KIND_CONTEXT, context);
  if (result == CUDA_SUCCESS && thread.depth == MAX_DEPTH) {
    blame ("cuCtxPushCurrent: %d contexts were pushed and not popped", MAX_DEPTH);
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result == CUDA_SUCCESS)
    thread.contexts[thread.depth++] = context;
  return leave (result);
}

CUresult CUDAAPI
cuCtxPopCurrent (CUcontext *context)
{
  CUresult scripted = enter (FUNCTION_cuCtxPopCurrent), result = require_context ("cuCtxPopCurrent");

  if (thread.depth > 0) {
    thread.depth--;
    if (context != NULL)
      *context = thread.contexts[thread.depth];
  }
  return leave (scripted != CUDA_SUCCESS ? scripted : result);
}

CUresult CUDAAPI
cuCtxGetDevice (CUdevice *device)
{
  CUresult result = enter (FUNCTION_cuCtxGetDevice);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuCtxGetDevice");
  if (result == CUDA_SUCCESS)
    *device = current_context ()->device;
  return leave (result);
}

/* ---- functions: modules --------------------------------------------------------------------------------------------- */

CUresult CUDAAPI
cuModuleLoadData (CUmodule *module, const void *image)
{
  static const uint8_t fatbin_magic[] = { 0x50, 0xed, 0x55, 0xba };
  CUresult result = enter (FUNCTION_cuModuleLoadData);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuModuleLoadData");
  if (result == CUDA_SUCCESS && (image == NULL || memcmp (image, fatbin_magic, sizeof fatbin_magic) != 0)) {
    blame ("cuModuleLoadData: the image is no fatbin");
    result = CUDA_ERROR_INVALID_IMAGE;
  }
  if (result == CUDA_SUCCESS) {
    *module = add_object (KIND_MODULE, sizeof **module);
    if (*module != NULL) {
      for (unsigned k = 0; k < FAKEKERNELS; k++)
        (*module)->functions[k] = (struct CUfunc_st){ .module = *module, .kernel = &fakekernels[k] };
    } else
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

CUresult CUDAAPI
cuModuleUnload (CUmodule module)
{
  return release_object (FUNCTION_cuModuleUnload, KIND_MODULE, module);
}

CUresult CUDAAPI
cuModuleGetFunction (CUfunction *function, CUmodule module, const char *name)
{
  CUresult result = enter (FUNCTION_cuModuleGetFunction);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuModuleGetFunction", KIND_MODULE, module);
  if (result == CUDA_SUCCESS) {
    result = CUDA_ERROR_NOT_FOUND;
    for (unsigned k = 0; k < FAKEKERNELS; k++)
      if (strcmp (name, fakekernels[k].name) == 0) {
        *function = &module->functions[k];
        result = CUDA_SUCCESS;
      }
  }
  return leave (result);
}

/* The function's module, in the current context; NULL where it is none of this driver's. */
static const struct CUmod_st *
find_module (CUfunction function)
{
  for (const struct object *object = fake.objects; object != NULL; object = object->next) {
    const struct CUmod_st *module = (const struct CUmod_st *)object;

    if (object->kind == KIND_MODULE && object->context == current_context () && function >= module->functions
        && function < module->functions + FAKEKERNELS)
      return module;
  }
  return NULL;
}

CUresult CUDAAPI
cuFuncSetAttribute (CUfunction function, CUfunction_attribute attribute, int value)
{
  CUresult result = enter (FUNCTION_cuFuncSetAttribute);

  if (result == CUDA_SUCCESS && find_module (function) == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS && attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    function->shared_bytes = (unsigned)value;
  return leave (result);
}

/* ---- functions: streams and events ---------------------------------------------------------------------------------- */

CUresult CUDAAPI
cuStreamCreate (CUstream *stream, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuStreamCreate);

  (void)flags;
  if (result == CUDA_SUCCESS)
    result = require_context ("cuStreamCreate");
  if (result == CUDA_SUCCESS) {
    *stream = add_object (KIND_STREAM, sizeof **stream);
    if (*stream != NULL) {
      (*stream)->end = &(*stream)->first;
      (*stream)->next = fake.streams;
      fake.streams = *stream;
    } else {
      result = CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  return leave (result);
}

CUresult CUDAAPI
cuStreamDestroy (CUstream stream)
{
  return release_object (FUNCTION_cuStreamDestroy, KIND_STREAM, stream);
}

CUresult CUDAAPI
cuStreamSynchronize (CUstream stream)
{
  CUresult result = enter (FUNCTION_cuStreamSynchronize);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuStreamSynchronize", KIND_STREAM, stream);
  if (result == CUDA_SUCCESS) {
    fake.waiting++;
    pthread_cond_broadcast (&fake.changed);
    while (!is_idle (stream))
      pthread_cond_wait (&fake.changed, &fake.lock);
    fake.waiting--;
    result = fake.lost;
  }
  return leave (result);
}

#ifndef FAKECUDA_LACKS_FUNCTION
CUresult CUDAAPI
cuStreamWaitEvent (CUstream stream, CUevent event, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuStreamWaitEvent);

  (void)flags;
  if (result == CUDA_SUCCESS)
    result = require_object ("cuStreamWaitEvent", KIND_EVENT, event);
  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_WAIT, .record = event->record };
    result = add_operation ("cuStreamWaitEvent", stream, &operation);
  }
  return leave (result);
}
#endif

CUresult CUDAAPI
cuEventCreate (CUevent *event, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuEventCreate);

  (void)flags;
  if (result == CUDA_SUCCESS)
    result = require_context ("cuEventCreate");
  if (result == CUDA_SUCCESS) {
    *event = add_object (KIND_EVENT, sizeof **event);
    if (*event == NULL)
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

CUresult CUDAAPI
cuEventDestroy (CUevent event)
{
  return release_object (FUNCTION_cuEventDestroy, KIND_EVENT, event);
}

CUresult CUDAAPI
cuEventRecord (CUevent event, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuEventRecord);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuEventRecord", KIND_EVENT, event);
  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_RECORD, .record = fake.last_record + 1 };
    result = add_operation ("cuEventRecord", stream, &operation);
  }
  if (result == CUDA_SUCCESS)
    event->record = ++fake.last_record;
  return leave (result);
}

CUresult CUDAAPI
cuEventQuery (CUevent event)
{
  CUresult result = enter (FUNCTION_cuEventQuery);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuEventQuery", KIND_EVENT, event);
  if (result == CUDA_SUCCESS && is_pending (event->record))
    result = CUDA_ERROR_NOT_READY;
  return leave (result);
}

CUresult CUDAAPI
cuEventSynchronize (CUevent event)
{
  CUresult result = enter (FUNCTION_cuEventSynchronize);

  if (result == CUDA_SUCCESS)
    result = require_object ("cuEventSynchronize", KIND_EVENT, event);
  if (result == CUDA_SUCCESS) {
    struct waiter waiter = { fake.waiters, event->record }, **link = &fake.waiters;

    fake.waiters = &waiter;
    pthread_cond_broadcast (&fake.changed);
    while (fake.lost == CUDA_SUCCESS && is_pending (waiter.record))
      pthread_cond_wait (&fake.changed, &fake.lock);
    while (*link != &waiter)
      link = &(*link)->next;
    *link = waiter.next;
    result = fake.lost;
  }
  return leave (result);
}

/* ---- functions: memory ---------------------------------------------------------------------------------------------- */

static struct memory *
add_memory (enum kind kind, size_t size)
{
  void *bytes;
  struct memory *memory;

  /* The driver pins whole pages. */
  if (posix_memalign (&bytes, kind == KIND_HOST_MEMORY ? (size_t)sysconf (_SC_PAGESIZE) : 256, size) != 0)
    return NULL;
  memory = add_object (kind, sizeof *memory);
  if (memory == NULL) {
    free (bytes);
    return NULL;
  }
  /* Whoever counts on zeros is wrong; the front of a large piece shows it. */
  memset (bytes, 0xa5, size < JUNK_BYTES ? size : JUNK_BYTES);
  memory->bytes = bytes;
  memory->size = size;
  return memory;
}

/* Frees the bytes of the allocation that begins at `bytes` too. Nobody may count on its waiting for what the device does with
 * them: the documentation says of cuMemFree that it "may perform implicit synchronization", of cuMemFreeHost nothing of the kind. */
static CUresult
release_memory (enum function function, enum kind kind, const uint8_t *bytes)
{
  CUresult scripted = enter (function), result = CUDA_SUCCESS;
  struct object *object = fake.objects;

  while (object != NULL && (object->kind != kind || ((struct memory *)object)->bytes != bytes))
    object = object->next;
  if (object == NULL || !fake.has_failed)
    result = require_context (function_names[function]);
  if (object == NULL) {
    blame ("%s: no such memory, or freed before", function_names[function]);
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    const struct memory *memory = (const struct memory *)object;
    const CUdeviceptr tag = kind == KIND_HOST_MEMORY ? MAPPED_TAG : DEVICE_TAG;

    if (is_in_use ((CUdeviceptr)(uintptr_t)bytes | tag, memory->size, NULL)) {
      if (!fake.has_failed)
        blame ("%s: the device still has to do with that memory", function_names[function]);
      wait_idle ();
    }
    free (memory->bytes);
    remove_object (object);
  }
  return leave (scripted != CUDA_SUCCESS ? scripted : result);
}

CUresult CUDAAPI
cuMemAlloc (CUdeviceptr *address, size_t size)
{
  CUresult result = enter (FUNCTION_cuMemAlloc);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemAlloc");
  if (result == CUDA_SUCCESS && size == 0) {
    blame ("cuMemAlloc of 0 bytes");
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    const struct memory *memory = add_memory (KIND_DEVICE_MEMORY, size);

    if (memory != NULL)
      *address = (CUdeviceptr)(uintptr_t)memory->bytes | DEVICE_TAG;
    else
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemFree (CUdeviceptr address)
{
  return release_memory (FUNCTION_cuMemFree, KIND_DEVICE_MEMORY, (const uint8_t *)(uintptr_t)(address & ~DEVICE_TAG));
}

CUresult CUDAAPI
cuMemHostAlloc (void **pointer, size_t size, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuMemHostAlloc);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemHostAlloc");
  if (result == CUDA_SUCCESS && size == 0) {
    blame ("cuMemHostAlloc of 0 bytes");
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    struct memory *memory = add_memory (KIND_HOST_MEMORY, size);

    if (memory != NULL) {
      memory->flags = flags;
      *pointer = memory->bytes;
    } else {
      result = CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemFreeHost (void *pointer)
{
  return release_memory (FUNCTION_cuMemFreeHost, KIND_HOST_MEMORY, pointer);
}

CUresult CUDAAPI
cuMemHostGetDevicePointer (CUdeviceptr *address, void *pointer, unsigned flags)
{
  CUresult result = enter (FUNCTION_cuMemHostGetDevicePointer);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemHostGetDevicePointer");
  if (result == CUDA_SUCCESS && (flags != 0 || find_memory ((CUdeviceptr)(uintptr_t)pointer | MAPPED_TAG, 1, false) == NULL)) {
    blame ("cuMemHostGetDevicePointer: no pinned memory");
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS)
    *address = (CUdeviceptr)(uintptr_t)pointer | MAPPED_TAG;
  return leave (result);
}

CUresult CUDAAPI
cuPointerGetAttributes (unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer)
{
  CUresult result = enter (FUNCTION_cuPointerGetAttributes);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuPointerGetAttributes");
  for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++) {
    bool is_host = find_memory (pointer | MAPPED_TAG, 1, false) != NULL;
    bool is_device = !is_host && find_memory (pointer, 1, true) != NULL;

    /* As the driver, which is silent about memory that is not its own. */
    if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      *(CUmemorytype *)data[i] = is_host ? CU_MEMORYTYPE_HOST : is_device ? CU_MEMORYTYPE_DEVICE : 0;
    else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
      *(CUdeviceptr *)data[i] = is_host ? pointer | MAPPED_TAG : is_device ? pointer : 0;
    else
      result = CUDA_ERROR_INVALID_VALUE;
  }
  return leave (result);
}

static CUresult
require_host_pointer (const char *function, const void *pointer)
{
  if (pointer != NULL && ((CUdeviceptr)(uintptr_t)pointer & (DEVICE_TAG | MAPPED_TAG)) == 0)
    return CUDA_SUCCESS;
  blame ("%s: the source is not in host memory", function);
  return CUDA_ERROR_INVALID_VALUE;
}

/* "API synchronization behavior": from pageable memory it returns when that has been staged, and what was staged may reach the device later,
 * in no order with streams that are not blocking. */
CUresult CUDAAPI
cuMemcpyHtoD (CUdeviceptr to, const void *from, size_t size)
{
  CUresult result = enter (FUNCTION_cuMemcpyHtoD);
  struct operation operation = { .kind = OPERATION_COPY, .to = to, .row_bytes = size, .rows = 1 };

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemcpyHtoD");
  if (result == CUDA_SUCCESS)
    result = require_host_pointer ("cuMemcpyHtoD", from);
  if (result == CUDA_SUCCESS && find_memory (to, size, true) == NULL) {
    blame ("cuMemcpyHtoD: %zu bytes to outside of device memory", size);
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    operation.staged = malloc (size);
    if (operation.staged == NULL)
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result == CUDA_SUCCESS) {
    operation.from = memcpy (operation.staged, from, size);
    result = append_operation (&fake.default_stream, &operation);
    if (result != CUDA_SUCCESS)
      free (operation.staged);
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemcpyHtoDAsync (CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuMemcpyHtoDAsync);

  if (result == CUDA_SUCCESS)
    result = require_host_pointer ("cuMemcpyHtoDAsync", from);
  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_COPY, .to = to, .from = from, .row_bytes = size, .rows = 1 };
    result = add_operation ("cuMemcpyHtoDAsync", stream, &operation);
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemcpyDtoHAsync (void *to, CUdeviceptr from, size_t size, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuMemcpyDtoHAsync);

  if (result == CUDA_SUCCESS)
    result = require_host_pointer ("cuMemcpyDtoHAsync", to);
  if (result == CUDA_SUCCESS) {
    struct operation operation
        = { .kind = OPERATION_FETCH, .to = (CUdeviceptr)(uintptr_t)to, .from_device = from, .row_bytes = size, .rows = 1 };
    result = add_operation ("cuMemcpyDtoHAsync", stream, &operation);
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemcpy2DAsync (const CUDA_MEMCPY2D *copy, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuMemcpy2DAsync);

  if (result == CUDA_SUCCESS) {
    if ((copy->srcMemoryType != CU_MEMORYTYPE_HOST || copy->dstMemoryType != CU_MEMORYTYPE_DEVICE)
        && (copy->srcMemoryType != CU_MEMORYTYPE_DEVICE || copy->dstMemoryType != CU_MEMORYTYPE_HOST)) {
      blame ("cuMemcpy2DAsync: this fake has no such copy");
      result = CUDA_ERROR_INVALID_VALUE;
    } else if (copy->srcXInBytes != 0 || copy->srcY != 0 || copy->dstXInBytes != 0 || copy->dstY != 0 || copy->WidthInBytes == 0
               || copy->Height == 0 || copy->srcPitch < copy->WidthInBytes || copy->dstPitch < copy->WidthInBytes
               || copy->srcPitch > INT32_MAX || copy->dstPitch > INT32_MAX) {
      blame ("cuMemcpy2DAsync of %zux%zu bytes, pitch %zu to %zu: the driver refuses that, or this fake has no such copy",
             copy->WidthInBytes, copy->Height, copy->srcPitch, copy->dstPitch);
      result = CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (result == CUDA_SUCCESS)
    result
        = require_host_pointer ("cuMemcpy2DAsync", copy->srcMemoryType == CU_MEMORYTYPE_HOST ? copy->srcHost : copy->dstHost);
  if (result == CUDA_SUCCESS) {
    bool is_fetch = copy->srcMemoryType == CU_MEMORYTYPE_DEVICE;
    struct operation operation = { .kind = is_fetch ? OPERATION_FETCH : OPERATION_COPY,
                                   .to = is_fetch ? (CUdeviceptr)(uintptr_t)copy->dstHost : copy->dstDevice,
                                   .from = is_fetch ? NULL : copy->srcHost,
                                   .from_device = is_fetch ? copy->srcDevice : 0,
                                   .to_pitch = copy->dstPitch,
                                   .from_pitch = copy->srcPitch,
                                   .row_bytes = copy->WidthInBytes,
                                   .rows = copy->Height };
    result = add_operation ("cuMemcpy2DAsync", stream, &operation);
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemsetD8Async (CUdeviceptr to, unsigned char value, size_t size, CUstream stream)
{
  CUresult result = enter (FUNCTION_cuMemsetD8Async);

  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_SET, .to = to, .value = value, .row_bytes = size, .rows = 1 };
    result = add_operation ("cuMemsetD8Async", stream, &operation);
  }
  return leave (result);
}

/* ---- functions: what GStreamer's CUDA library asks for in addition --------------------------------------------------- */

CUresult CUDAAPI
cuMemAllocPitch (CUdeviceptr *address, size_t *pitch, size_t row_bytes, size_t rows, unsigned element_bytes)
{
  CUresult result = enter (FUNCTION_cuMemAllocPitch);

  (void)element_bytes;
  *pitch = (row_bytes + 255) & ~(size_t)255;
  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemAllocPitch");
  if (result == CUDA_SUCCESS) {
    const struct memory *memory = add_memory (KIND_DEVICE_MEMORY, *pitch * rows);

    if (memory != NULL)
      *address = (CUdeviceptr)(uintptr_t)memory->bytes | DEVICE_TAG;
    else
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

CUresult CUDAAPI
cuMemAllocHost (void **pointer, size_t size)
{
  CUresult result = enter (FUNCTION_cuMemAllocHost);

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemAllocHost");
  if (result == CUDA_SUCCESS) {
    const struct memory *memory = add_memory (KIND_HOST_MEMORY, size);

    if (memory != NULL)
      *pointer = memory->bytes;
    else
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return leave (result);
}

/* Begins with what was submitted before, as the default stream does. */
CUresult CUDAAPI
cuMemcpy2D (const CUDA_MEMCPY2D *copy)
{
  CUresult result = enter (FUNCTION_cuMemcpy2D);
  size_t to_bytes = copy->Height > 0 ? (copy->Height - 1) * copy->dstPitch + copy->WidthInBytes : 0;
  size_t from_bytes = copy->Height > 0 ? (copy->Height - 1) * copy->srcPitch + copy->WidthInBytes : 0;
  const uint8_t *from = copy->srcHost;
  uint8_t *to = copy->dstHost;

  if (result == CUDA_SUCCESS)
    result = require_context ("cuMemcpy2D");
  if (copy->srcMemoryType == CU_MEMORYTYPE_DEVICE)
    from = find_memory (copy->srcDevice, from_bytes, true);
  if (copy->dstMemoryType == CU_MEMORYTYPE_DEVICE)
    to = find_memory (copy->dstDevice, to_bytes, true);
  if (result == CUDA_SUCCESS && (from == NULL || to == NULL)) {
    blame ("cuMemcpy2D outside of memory");
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result == CUDA_SUCCESS) {
    wait_idle ();
    for (size_t row = 0; row < copy->Height; row++)
      memcpy (to + row * copy->dstPitch, from + row * copy->srcPitch, copy->WidthInBytes);
  }
  return leave (result);
}

CUresult CUDAAPI
cuDeviceCanAccessPeer (int *can_access, CUdevice device, CUdevice peer)
{
  (void)device;
  (void)peer;
  *can_access = 0;
  return CUDA_SUCCESS;
}

#undef cuStreamDestroy /* it looks for the first version of this one */
CUresult CUDAAPI cuStreamDestroy (CUstream stream);
CUresult CUDAAPI
cuStreamDestroy (CUstream stream)
{
  return release_object (FUNCTION_cuStreamDestroy, KIND_STREAM, stream);
}

/* It wants to see these, and has no reason to call them. By another name here, where cuda.h knows better. */
#define NO_FUNCTION(name)                     \
  CUresult fake_##name (void) __asm__(#name); \
  CUresult fake_##name (void)                 \
  {                                           \
    return CUDA_ERROR_NOT_SUPPORTED;          \
  }
NO_FUNCTION (cuCtxEnablePeerAccess)
NO_FUNCTION (cuCtxDisablePeerAccess)
NO_FUNCTION (cuGLGetDevices_v2)
NO_FUNCTION (cuGraphicsGLRegisterBuffer)
NO_FUNCTION (cuGraphicsGLRegisterImage)
NO_FUNCTION (cuGraphicsMapResources)
NO_FUNCTION (cuGraphicsResourceGetMappedPointer_v2)
NO_FUNCTION (cuGraphicsResourceSetMapFlags_v2)
NO_FUNCTION (cuGraphicsSubResourceGetMappedArray)
NO_FUNCTION (cuGraphicsUnmapResources)
NO_FUNCTION (cuGraphicsUnregisterResource)
NO_FUNCTION (cuTexObjectCreate)
NO_FUNCTION (cuTexObjectDestroy)
/* since 1.24 */
NO_FUNCTION (cuCtxGetLimit)
NO_FUNCTION (cuCtxSetLimit)
NO_FUNCTION (cuCtxSynchronize)
NO_FUNCTION (cuDestroyExternalMemory)
NO_FUNCTION (cuDestroyExternalSemaphore)
NO_FUNCTION (cuExternalMemoryGetMappedBuffer)
NO_FUNCTION (cuExternalMemoryGetMappedMipmappedArray)
NO_FUNCTION (cuImportExternalMemory)
NO_FUNCTION (cuImportExternalSemaphore)
NO_FUNCTION (cuIpcCloseMemHandle)
NO_FUNCTION (cuIpcGetEventHandle)
NO_FUNCTION (cuIpcGetMemHandle)
NO_FUNCTION (cuIpcOpenEventHandle)
NO_FUNCTION (cuIpcOpenMemHandle)
NO_FUNCTION (cuMemAddressFree)
NO_FUNCTION (cuMemAddressReserve)
NO_FUNCTION (cuMemAllocAsync)
NO_FUNCTION (cuMemAllocFromPoolAsync)
NO_FUNCTION (cuMemCreate)
NO_FUNCTION (cuMemExportToShareableHandle)
NO_FUNCTION (cuMemFreeAsync)
NO_FUNCTION (cuMemGetAccess)
NO_FUNCTION (cuMemGetAllocationGranularity)
NO_FUNCTION (cuMemGetAllocationPropertiesFromHandle)
NO_FUNCTION (cuMemImportFromShareableHandle)
NO_FUNCTION (cuMemMap)
NO_FUNCTION (cuMemPoolCreate)
NO_FUNCTION (cuMemPoolDestroy)
NO_FUNCTION (cuMemPoolGetAttribute)
NO_FUNCTION (cuMemPoolSetAttribute)
NO_FUNCTION (cuMemRelease)
NO_FUNCTION (cuMemRetainAllocationHandle)
NO_FUNCTION (cuMemSetAccess)
NO_FUNCTION (cuMemUnmap)
NO_FUNCTION (cuMemcpyDtoDAsync_v2)
NO_FUNCTION (cuMemcpyDtoD_v2)
NO_FUNCTION (cuMemcpyDtoH_v2)
NO_FUNCTION (cuMemsetD2D16Async)
NO_FUNCTION (cuMemsetD2D16_v2)
NO_FUNCTION (cuMemsetD2D32Async)
NO_FUNCTION (cuMemsetD2D32_v2)
NO_FUNCTION (cuMemsetD2D8Async)
NO_FUNCTION (cuMemsetD2D8_v2)
NO_FUNCTION (cuSignalExternalSemaphoresAsync)
NO_FUNCTION (cuWaitExternalSemaphoresAsync)

/* ---- functions: kernels --------------------------------------------------------------------------------------------- */

CUresult CUDAAPI
cuLaunchKernel (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters, void **extra)
{
  CUresult result = enter (FUNCTION_cuLaunchKernel);

  if (result == CUDA_SUCCESS) {
    const struct CUmod_st *module = find_module (function);
    unsigned shared_limit = module != NULL && function->shared_bytes > 0 ? function->shared_bytes : 48 * 1024;

    if (module == NULL || grid_x < 1 || grid_x > INT32_MAX || grid_y < 1 || grid_y > UINT16_MAX || grid_z != 1
        || block_x != function->kernel->threads || block_y != 1 || block_z != 1 || shared_bytes > shared_limit
        || parameters == NULL || extra != NULL) {
      blame ("cuLaunchKernel: no such function here, or a launch of %ux%ux%u blocks of %ux%ux%u threads", grid_x, grid_y,
             grid_z, block_x, block_y, block_z);
      result = CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (result == CUDA_SUCCESS) {
    struct operation operation = { .kind = OPERATION_KERNEL, .module = function->module };

    operation.launch.kernel = function->kernel;
    operation.launch.blocks_x = grid_x;
    operation.launch.blocks_y = grid_y;
    operation.launch.shared_bytes = shared_bytes;
    fakekernel_set_parameter (&operation.launch, parameters[0]);
    fake.launches[function->kernel - fakekernels]++;
    result = add_operation ("cuLaunchKernel", stream, &operation);
  }
  return leave (result);
}

/* ---- control -------------------------------------------------------------------------------------------------------- */

static void
control_reset (void)
{
  pthread_mutex_lock (&fake.lock);
  wait_idle ();
  fake.calls = 0;
  fake.kernels = 0;
  memset (fake.function_calls, 0, sizeof fake.function_calls);
  memset (fake.launches, 0, sizeof fake.launches);
  fake.has_failed = false;
  fake.lost = CUDA_SUCCESS;
  fake.faults = 0;
  fake.fault_text[0] = '\0';
  read_environment ();
  pthread_mutex_unlock (&fake.lock);
}

static void
control_set_devices (int count)
{
  pthread_mutex_lock (&fake.lock);
  fake.devices = count < MAX_DEVICES ? count : MAX_DEVICES;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_fail_device (int device)
{
  pthread_mutex_lock (&fake.lock);
  fake.failing_device = device;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_set_capability (unsigned capability)
{
  pthread_mutex_lock (&fake.lock);
  fake.capability = capability;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_set_driver_version (int version)
{
  pthread_mutex_lock (&fake.lock);
  fake.driver_version = version > 0 ? version : CUDA_VERSION;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_set_delay_us (uint64_t delay_us)
{
  pthread_mutex_lock (&fake.lock);
  fake.delay_us = delay_us;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_fail_call (uint64_t n, int result, bool sticky)
{
  pthread_mutex_lock (&fake.lock);
  fake.failing_call = n > 0 ? fake.calls + n : 0;
  fake.failure = (CUresult)result;
  fake.failure_is_sticky = sticky;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_fail_function (const char *name, uint64_t n, int result, bool sticky)
{
  pthread_mutex_lock (&fake.lock);
  fake.failing_function_call = 0;
  if (n > 0 && find_function (name, strlen (name), &fake.failing_function))
    fake.failing_function_call = fake.function_calls[fake.failing_function] + n;
  fake.failure = (CUresult)result;
  fake.failure_is_sticky = sticky;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_fault_kernel (uint64_t n)
{
  pthread_mutex_lock (&fake.lock);
  fake.failing_kernel = n > 0 ? fake.kernels + n : 0;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_skip_kernel (uint64_t n)
{
  pthread_mutex_lock (&fake.lock);
  fake.skipped_kernel = n > 0 ? fake.kernels + n : 0;
  pthread_mutex_unlock (&fake.lock);
}

static void
control_hold (enum fakecuda_hold held)
{
  pthread_mutex_lock (&fake.lock);
  fake.held = held;
  pthread_cond_broadcast (&fake.changed);
  pthread_mutex_unlock (&fake.lock);
}

/* With the lock. */
static void
block_function (const char *name)
{
  enum function function;

  if (name != NULL && find_function (name, strlen (name), &function))
    fake.is_blocked[function] = true;
  pthread_cond_broadcast (&fake.changed);
}

static void
control_block (const char *name)
{
  pthread_mutex_lock (&fake.lock);
  memset (fake.is_blocked, 0, sizeof fake.is_blocked);
  block_function (name);
  pthread_mutex_unlock (&fake.lock);
}

static void
control_block_also (const char *name)
{
  pthread_mutex_lock (&fake.lock);
  block_function (name);
  pthread_mutex_unlock (&fake.lock);
}

static uint64_t
control_calls (void)
{
  uint64_t calls;

  pthread_mutex_lock (&fake.lock);
  calls = fake.calls;
  pthread_mutex_unlock (&fake.lock);
  return calls;
}

static uint64_t
control_function_calls (const char *name)
{
  enum function function;
  uint64_t calls = 0;

  pthread_mutex_lock (&fake.lock);
  if (find_function (name, strlen (name), &function))
    calls = fake.function_calls[function];
  pthread_mutex_unlock (&fake.lock);
  return calls;
}

static uint64_t
control_launches (const char *name)
{
  uint64_t launches = 0;

  pthread_mutex_lock (&fake.lock);
  for (unsigned k = 0; k < FAKEKERNELS; k++)
    if (strcmp (name, fakekernels[k].name) == 0)
      launches = fake.launches[k];
  pthread_mutex_unlock (&fake.lock);
  return launches;
}

static bool
control_has_failed (void)
{
  bool has_failed;

  pthread_mutex_lock (&fake.lock);
  has_failed = fake.has_failed;
  pthread_mutex_unlock (&fake.lock);
  return has_failed;
}

static unsigned
control_live (void)
{
  unsigned live = 0;

  pthread_mutex_lock (&fake.lock);
  for (const struct object *object = fake.objects; object != NULL; object = object->next)
    live++;
  pthread_mutex_unlock (&fake.lock);
  return live;
}

static unsigned
control_pending (void)
{
  unsigned pending = 0;

  pthread_mutex_lock (&fake.lock);
  for (const struct CUstream_st *stream = fake.streams; stream != NULL; stream = stream->next) {
    pending += stream->running != NULL;
    for (const struct operation *operation = stream->first; operation != NULL; operation = operation->next)
      pending++;
  }
  pthread_mutex_unlock (&fake.lock);
  return pending;
}

static unsigned
control_faults (void)
{
  unsigned faults;

  pthread_mutex_lock (&fake.lock);
  faults = fake.faults;
  pthread_mutex_unlock (&fake.lock);
  return faults;
}

static const char *
control_fault_text (void)
{
  return fake.fault_text;
}

static unsigned
control_context_depth (void)
{
  return thread.depth;
}

const struct fakecuda fakecuda_control = {
  .reset = control_reset,
  .set_devices = control_set_devices,
  .fail_device = control_fail_device,
  .set_capability = control_set_capability,
  .set_driver_version = control_set_driver_version,
  .set_delay_us = control_set_delay_us,
  .fail_call = control_fail_call,
  .fail_function = control_fail_function,
  .fault_kernel = control_fault_kernel,
  .skip_kernel = control_skip_kernel,
  .hold = control_hold,
  .block = control_block,
  .block_also = control_block_also,
  .calls = control_calls,
  .function_calls = control_function_calls,
  .launches = control_launches,
  .has_failed = control_has_failed,
  .pending = control_pending,
  .live = control_live,
  .faults = control_faults,
  .fault_text = control_fault_text,
  .context_depth = control_context_depth,
};

__attribute__ ((destructor)) static void
end (void)
{
  unsigned live = 0;

  if (read_number ("FAKECUDA_STRICT", 0) == 0)
    return;
  pthread_mutex_lock (&fake.lock);
  for (const struct object *object = fake.objects; object != NULL; object = object->next) {
    fprintf (stderr, "fakecuda: still alive: a %s\n", kind_names[object->kind]);
    live++;
  }
  if (live > 0 || fake.faults > 0) {
    fprintf (stderr, "fakecuda: %u objects alive, %u faults\n", live, fake.faults);
    fflush (NULL);
    _exit (STRICT_STATUS);
  }
  pthread_mutex_unlock (&fake.lock);
}
