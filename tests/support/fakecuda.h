/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fake driver: a libcuda.so.1 without a GPU, found through LD_LIBRARY_PATH. It has the functions that the engine calls,
 * and those that GStreamer's CUDA library of 1.22 to 1.26 needs to share contexts and memory (cuCtxCreate_v2, cuCtxDestroy_v2
 * and others). It runs the engine's kernels in plain C. A script makes calls fail.
 *
 * It reports wrong use as faults:
 *   - a call without the right context, with a handle that no longer exists, on the default stream, or before cuInit
 *   - a copy or a kernel outside of an allocation (device addresses are not host addresses here)
 *   - a workspace that is not zero
 *   - device memory, modules, streams and events of another context than that of the call, the copy or the kernel: each context
 *     has its own address space, and only pinned memory is in all of them
 *   - objects that still exist when their context is destroyed
 *   - memory or a module that is freed while the device uses it
 *
 * Streams run on a separate thread, like a device. A call waits for them only if CUDA's documentation says so: destroyed
 * streams finish their work, a copy from pageable memory is only staged, and a kernel whose numbers are visible may still run.
 * Like the real driver, the library stays loaded, with its state.
 *
 * Environment variables set the script. They are read when the library is loaded, and by reset():
 *   FAKECUDA_DEVICES=N         number of devices (1); 0: cuInit fails with CUDA_ERROR_NO_DEVICE
 *   FAKECUDA_FAIL_DEVICE=N     the primary context of device N cannot be retained
 *   FAKECUDA_CONTEXTS=N        only N contexts can be created in all; later ones fail because memory is exhausted
 *   FAKECUDA_CAPABILITY=N      ten times the compute capability of all devices (90)
 *   FAKECUDA_FAIL_CALL=N       the N-th call of any function, from 1, fails
 *   FAKECUDA_FAIL_FUNCTION=cuLaunchKernel:N    the N-th call of this function fails
 *   FAKECUDA_FAIL_RESULT=N     the CUresult that a failing call returns (999, CUDA_ERROR_UNKNOWN)
 *   FAKECUDA_STICKY=1          all calls after the failing one also fail: the device is lost
 *   FAKECUDA_FAULT_KERNEL=N    the N-th kernel faults when it runs: it writes nothing, and later calls fail with
 *                              CUDA_ERROR_ILLEGAL_ADDRESS
 *   FAKECUDA_DELAY_US=N        minimum duration of a kernel
 *   FAKECUDA_HOLD=kernels, copies, events or tails    see hold()
 *   FAKECUDA_STRICT=1          a process that leaves objects, or had a fault, ends with status 86 and the list on stderr
 * A call that frees or pops does so even if the script makes it fail, like the driver when a device is lost. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fakecuda_hold {
  FAKECUDA_HOLD_NOTHING,
  FAKECUDA_HOLD_KERNELS,
  FAKECUDA_HOLD_COPIES, /* in any direction, and sets */
  FAKECUDA_HOLD_EVENTS, /* their records */
  FAKECUDA_HOLD_TAILS,  /* the end of a kernel whose numbers are already visible */
  FAKECUDA_HOLDS
};

struct fakecuda {
  /* Reads the environment again, and resets the script, the counts and the faults. Objects stay. */
  void (*reset) (void);

  void (*set_devices) (int count);
  void (*fail_device) (int device);             /* -1: none */
  void (*set_capability) (unsigned capability); /* 75 is 7.5. The kernels of a build exist for every capability. */
  void (*set_driver_version) (int version);     /* as cuDriverGetVersion returns it; 0: that of the headers */
  void (*set_delay_us) (uint64_t delay_us);
  /* Makes the n-th call from now fail, of any function or of one; 0: none. `result` is a CUresult. `function` has no version
   * suffix: "cuMemAlloc". */
  void (*fail_call) (uint64_t n, int result, bool sticky);
  void (*fail_function) (const char *function, uint64_t n, int result, bool sticky);
  void (*fault_kernel) (uint64_t n); /* the n-th to run from now faults */
  void (*skip_kernel) (uint64_t n);  /* the n-th to run from now succeeds without writing anything */
  /* Holds operations of a kind until the hold ends or a call waits for the device. They then run as late as streams and events
   * allow, so that a missing dependency gives wrong numbers. */
  void (*hold) (enum fakecuda_hold held);

  /* Makes calls of this function wait until block() gets another function or NULL. */
  void (*block) (const char *function);
  void (*block_also) (const char *function); /* the same, in addition to the functions that wait already */

  /* Counts since reset(). */
  uint64_t (*function_calls) (const char *function);
  uint64_t (*launches) (const char *kernel);
  bool (*has_failed) (void); /* the script has made a call fail since reset() */

  unsigned (*pending) (void); /* number of operations that streams have not finished */
  /* Number of retained contexts, modules, streams, events and allocations that were not released. */
  unsigned (*live) (void);
  /* Number of faults since reset(), and a description of the first one; "": none. */
  unsigned (*faults) (void);
  const char *(*fault_text) (void);
  unsigned (*context_depth) (void); /* contexts that the calling thread has pushed */
};

/* Returns the control table of the libcuda.so.1 that dlopen finds; NULL: it finds none, or a real one. */
const struct fakecuda *fakecuda_find (void);
