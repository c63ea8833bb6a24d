/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The private part of the fake driver (../fakecuda.h). Each file has one subject. All share one state, which one lock protects.
 * Call these functions with the lock held, unless their comments say otherwise. */

#pragma once

/* The driver's functions, which dlsym() finds. */
#pragma GCC visibility push(default)
#include "cuda/host/driver.h"
#include "fakecuda.h"

/* cuda.h declares a later version, or none with these arguments. */
CUresult CUDAAPI cuCtxCreate_v2 (CUcontext *context, unsigned flags, CUdevice device);
extern const struct fakecuda fakecuda_control;
#pragma GCC visibility pop

#include "fakekernels.h"

#include <pthread.h>

#define MAX_DEVICES 8
#define MAX_DEPTH 8
/* Make a device address of a host address. Neither is valid on the other side. */
#define DEVICE_TAG ((CUdeviceptr)1 << 62)
#define MAPPED_TAG ((CUdeviceptr)1 << 61)

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

#define OBJECT_BUCKETS 4096 /* an engine may have tens of thousands of events */

enum kind { KIND_CONTEXT, KIND_MODULE, KIND_STREAM, KIND_EVENT, KIND_DEVICE_MEMORY, KIND_HOST_MEMORY, KINDS };

/* The head of every object that must be released. */
struct object {
  struct object *next, **link; /* in the list of its kind; the pointer to it */
  struct object *next_there;   /* in the list of its bucket */
  enum kind kind;
  CUcontext context; /* in which it was made */
};

struct CUctx_st {
  struct object object;
  CUdevice device;
  unsigned retained; /* 0: made by cuCtxCreate */
};

struct CUfunc_st {
  CUmodule module;
  const struct fakekernel *kernel;
  unsigned shared_bytes; /* limit for a launch; 0: 48 KiB */
};

struct CUmod_st {
  struct object object;
  struct CUfunc_st functions[FAKEKERNELS];
};

struct CUevent_st {
  struct object object;
  uint64_t record; /* number of the last record, among those of all events; 0: none */
};

enum operation_kind {
  OPERATION_COPY,
  OPERATION_FETCH,
  OPERATION_SET,
  OPERATION_KERNEL,
  OPERATION_TAIL, /* of a kernel whose numbers are visible */
  OPERATION_RECORD,
  OPERATION_WAIT
};

struct operation {
  struct operation *next;
  enum operation_kind kind;
  CUcontext context; /* whose memory it uses: the stream's or, on the default stream, the caller's */
  /* For copies, and for a set, which has one row */
  CUdeviceptr to;
  const uint8_t *from;
  CUdeviceptr from_device; /* of a fetch, which writes to pinned memory */
  size_t to_pitch, from_pitch, row_bytes, rows;
  uint8_t value;
  uint8_t *staged; /* the driver's copy of `from`, freed with the operation */
  uint64_t record; /* that it makes, or waits for */
  /* For kernels */
  CUmodule module;
  struct fakekernel_launch launch;
  uint64_t deadline_us; /* when it may end; 0: it has not begun */
};

struct CUstream_st {
  struct object object;
  CUstream next; /* of all streams */
  struct operation *first, **end;
  struct operation *running; /* removed from the list */
  bool is_destroyed;         /* is freed when it is idle */
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

struct state {
  pthread_mutex_t lock;   /* for all members */
  pthread_cond_t changed; /* signalled after any change */
  bool is_initialised, has_worker;

  int devices, failing_device;
  uint64_t contexts_left; /* number that can still be made */
  unsigned capability;    /* ten times the compute capability */
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
  bool all_calls_fail; /* after the loss; otherwise calls that use no device still work */

  bool is_blocked[FUNCTION_COUNT];

  unsigned faults;
  char fault_text[256];

  struct object *objects[KINDS], *buckets[OBJECT_BUCKETS]; /* the same objects, by address */
  CUstream streams;
  CUcontext running_context;         /* of the running operation; only the device's thread uses it */
  struct CUstream_st default_stream; /* for operations without a stream; it waits for no other stream, and none for it */
  uint64_t last_record;
  CUcontext primary[MAX_DEVICES];
  unsigned waiting;       /* calls that wait for all operations of a stream or of the device */
  struct waiter *waiters; /* calls that wait for an event */
};

struct thread {
  CUcontext contexts[MAX_DEPTH];
  unsigned depth;
};

extern struct state fake;
extern _Thread_local struct thread thread;
extern const char *const function_names[FUNCTION_COUNT]; /* without their versions */
extern const char *const kind_names[];                   /* of enum kind */

/* ---- script.c */

bool find_function (const char *name, size_t length, enum function *function);
void read_environment (void);
/* Records a fault of the caller, with a description. */
void __attribute__ ((format (printf, 1, 2))) blame (const char *format, ...);
/* enter() begins every function of the driver: takes the lock, counts the call, and returns the result that the script wants.
 * leave() ends the function: releases the lock, and returns `result`. */
CUresult enter (enum function function);
CUresult leave (CUresult result);

/* ---- objects.c */

CUcontext current_context (void); /* of the calling thread, or NULL */
/* Check that there is a current context, and that `pointer` is an object of this kind in it. If not, call blame() and return an
 * error. */
CUresult require_context (const char *function);
CUresult require_object (const char *function, enum kind kind, const void *pointer);
void *add_object (enum kind kind, size_t size);
void forget_object (struct object *object); /* unlists it without freeing it */
void remove_object (void *pointer);
/* A complete function of the driver, called without the lock. Releases an object even if the script makes the call fail. Does
 * not wait for the device, since the documentation does not promise that. */
CUresult release_object (enum function function, enum kind kind, void *pointer);

/* ---- run.c */

/* Makes calls return `result` from now on: all calls, or those that need a device. */
void lose_device (CUresult result, bool all_calls_fail);
/* Appends a copy of `operation` to the stream. */
CUresult append_operation (CUstream stream, const struct operation *operation);
/* The same, after checking the caller's stream. */
CUresult add_operation (const char *function, CUstream stream, const struct operation *operation);
/* Waits until the device is idle. */
void wait_idle (void);
/* Returns whether a queued or running operation uses the device memory [begin, begin + size), or a kernel of the module. */
bool is_in_use (CUdeviceptr begin, uint64_t size, const struct CUmod_st *module);

/* ---- lateness.c */

/* Returns whether this record of an event has not been reached yet. */
bool is_pending (uint64_t record);
/* Returns a random one of the streams that can continue, as a device does; streams with held operations come last. NULL: none.
 * Sets *deadline_us to the time when another one can, if that is earlier. */
CUstream choose_stream (uint64_t *deadline_us);

/* ---- contexts.c */

void remove_context (CUcontext context);

/* ---- streams.c */

bool is_idle (const struct CUstream_st *stream);
/* Frees a destroyed stream that is idle. */
void free_stream (CUstream stream);
/* Destroys a stream. It is freed when it is idle; the caller does not wait. */
void remove_stream (CUstream stream);

/* ---- memory.c */

/* Returns the host's address of the memory that contains [address, address + size) in the address space of `context`. NULL:
 * there is none, or, after blame(), it is another context's. Pinned memory is in all address spaces: with unified addressing,
 * as here, CUDA ignores the flags. */
uint8_t *find_memory (CUcontext context, CUdeviceptr address, uint64_t size, bool is_device);
struct memory *add_memory (enum kind kind, size_t size);

/* ---- driver.c */

CUresult require_device (CUdevice device);
