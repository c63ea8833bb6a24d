/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fake driver to itself; see ../fakecuda.h. A subject a file, and one state for all of them, under one lock. Unless said
 * otherwise functions are called with the lock. */

#ifndef FAKECUDA_FAKE_H
#define FAKECUDA_FAKE_H

/* The driver's functions, which dlsym() finds. */
#pragma GCC visibility push(default)
#include "cuda/host/driver.h"
#include "fakecuda.h"

/* cuda.h names a newer version, or none that takes these arguments. */
CUresult CUDAAPI cuCtxCreate_v2 (CUcontext *context, unsigned flags, CUdevice device);
extern const struct fakecuda fakecuda_control;
#pragma GCC visibility pop

#include "fakekernels.h"

#include <pthread.h>

#define MAX_DEVICES 8
#define MAX_DEPTH 8
/* Turns a host address into one of the device: used on the wrong side, either leads nowhere. */
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

/* The head of everything that must be given back. */
struct object {
  struct object *next, **link; /* of its kind; what points to it */
  struct object *next_there;   /* in its bucket */
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
  CUcontext context; /* in whose memory it works: the stream's or, on the default stream, the caller's */
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

struct state {
  pthread_mutex_t lock;   /* everything here */
  pthread_cond_t changed; /* anything that something may wait for */
  bool is_initialised, has_worker;

  int devices, failing_device;
  uint64_t contexts_left; /* that can be made */
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
  bool all_calls_fail; /* when it is lost; else those that touch no device go on */

  bool is_blocked[FUNCTION_COUNT];

  unsigned faults;
  char fault_text[256];

  struct object *objects[KINDS], *buckets[OBJECT_BUCKETS]; /* the same by address */
  CUstream streams;
  CUcontext running_context;         /* of the operation that runs; the device's thread alone looks at it */
  struct CUstream_st default_stream; /* of what is asked for without a stream: no other waits for it, and it for none */
  uint64_t last_record;
  CUcontext primary[MAX_DEVICES];
  unsigned waiting;       /* calls that wait for all of a stream, or of the device */
  struct waiter *waiters; /* those that wait for an event */
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
/* Notes that the caller is at fault, in words. */
void __attribute__ ((format (printf, 1, 2))) blame (const char *format, ...);
/* enter begins every function: takes the lock, counts the call and says how the script wants it to end. leave ends it and
 * releases the lock. */
CUresult enter (enum function function);
CUresult leave (CUresult result);

/* ---- objects.c */

CUcontext current_context (void); /* of the calling thread; NULL: none */
/* That there is one; that `pointer` is an object of that kind, and of the current context. Else with blame. */
CUresult require_context (const char *function);
CUresult require_object (const char *function, enum kind kind, const void *pointer);
void *add_object (enum kind kind, size_t size);
void forget_object (struct object *object); /* it is alive no longer, and still there */
void remove_object (void *pointer);
/* A whole function, lock and all: gives an object back, whatever the script says, without waiting for the device, since no
 * documentation says that it would. */
CUresult release_object (enum function function, enum kind kind, void *pointer);

/* ---- run.c */

/* From now on calls give `result`: all, or those that need a device. */
void lose_device (CUresult result, bool all_calls_fail);
/* Queues a copy of `operation`. */
CUresult append_operation (CUstream stream, const struct operation *operation);
/* The same for a caller's stream. */
CUresult add_operation (const char *function, CUstream stream, const struct operation *operation);
/* Waits until the device has nothing to do. */
void wait_idle (void);
/* Whether the device still has to do with [begin, begin + size), an address of its own, or with the kernels of a module. */
bool is_in_use (CUdeviceptr begin, uint64_t size, const struct CUmod_st *module);

/* ---- lateness.c */

/* Whether that record of an event is still to be reached. */
bool is_pending (uint64_t record);
/* Any of the streams that can go on, as on a device; what is held comes last. */
CUstream choose_stream (uint64_t *deadline_us);

/* ---- contexts.c */

void remove_context (CUcontext context);

/* ---- streams.c */

bool is_idle (const struct CUstream_st *stream);
/* Frees a destroyed stream that is idle. */
void free_stream (CUstream stream);
/* Takes a stream from its caller, who need not wait until it is idle. */
void remove_stream (CUstream stream);

/* ---- memory.c */

/* The memory that has all of [address, address + size), in the address space of `context`; NULL: none, or, with blame, that of
 * another context. Pinned memory is in the address spaces of all: where there is unified addressing, as here, cuda.h has it
 * so, whatever the flags. */
uint8_t *find_memory (CUcontext context, CUdeviceptr address, uint64_t size, bool is_device);
struct memory *add_memory (enum kind kind, size_t size);

/* ---- driver.c */

CUresult require_device (CUdevice device);

#endif
