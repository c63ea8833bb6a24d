/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fake driver: a libcuda.so.1 without a GPU, found through LD_LIBRARY_PATH. It has the functions that the engine calls (and
 * cuCtxCreate_v2, cuCtxDestroy_v2, and what GStreamer's CUDA library of 1.22 to 1.26 needs to share contexts and memory),
 * runs the engine's kernels in plain C, fails where a script tells it to, and finds fault with a caller who uses it
 * wrongly:
 *   - a call without the right context, on a handle that is gone, on the default stream, before cuInit;
 *   - a copy or a kernel outside of an allocation (device addresses are not host addresses here), a workspace that is not zero;
 *   - device memory, modules, streams and events of another context than the one in which the call, the copy or the kernel
 *     works: each has an address space of its own, and only pinned memory is in all of them;
 *   - objects that are still alive when their context goes, memory or a module that goes while the device has to do with it.
 * Streams run on a thread of their own, as a device would, and no call waits for them of which the documentation does not say
 * so: what is destroyed goes on, a copy from pageable memory has been staged and nothing more, and a kernel whose numbers can
 * be seen need not be over. Like the real one it stays loaded, with its state, once loaded.
 *
 * A process may set the script in its environment; it is read when the library is loaded, and again by reset():
 *   FAKECUDA_DEVICES=N         so many devices (1); 0: cuInit fails with CUDA_ERROR_NO_DEVICE
 *   FAKECUDA_FAIL_DEVICE=N     the primary context of device N cannot be retained
 *   FAKECUDA_CONTEXTS=N        no more than N contexts can be made, one after another; others fail for want of memory
 *   FAKECUDA_CAPABILITY=N      ten times the compute capability of all devices (90)
 *   FAKECUDA_FAIL_CALL=N       the N-th call of all, from 1, fails
 *   FAKECUDA_FAIL_FUNCTION=cuLaunchKernel:N    the N-th call of that function fails
 *   FAKECUDA_FAIL_RESULT=N     the CUresult that a failing call gives (999, CUDA_ERROR_UNKNOWN)
 *   FAKECUDA_STICKY=1          every call after the failing one fails too: the device is lost
 *   FAKECUDA_FAULT_KERNEL=N    the N-th kernel faults when it runs: nothing is written, and every call from then on fails with
 *                              CUDA_ERROR_ILLEGAL_ADDRESS
 *   FAKECUDA_DELAY_US=N        each kernel takes at least that long
 *   FAKECUDA_HOLD=kernels, copies, events or tails    see hold()
 *   FAKECUDA_STRICT=1          a process that leaves objects alive, or was found at fault, ends with status 86 and the list on
 *                              stderr
 * A call that frees or pops does so even when the script fails it, and so does the driver when a device is lost. */

#ifndef FAKECUDA_H
#define FAKECUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fakecuda_hold {
  FAKECUDA_HOLD_NOTHING,
  FAKECUDA_HOLD_KERNELS,
  FAKECUDA_HOLD_COPIES, /* in any direction, and sets */
  FAKECUDA_HOLD_EVENTS, /* their records */
  FAKECUDA_HOLD_TAILS,  /* the end of a kernel whose numbers can be seen already */
  FAKECUDA_HOLDS
};

struct fakecuda {
  /* Reads the environment again and forgets script, counts and faults; not what is alive. */
  void (*reset) (void);

  void (*set_devices) (int count);
  void (*fail_device) (int device); /* -1: none */
  void (*set_capability) (
      unsigned capability); /* 75 is 7.5; the kernels of a build are there for all, unless the script fails them */
  void (*set_driver_version) (int version); /* as cuDriverGetVersion counts; 0: that of the headers */
  void (*set_delay_us) (uint64_t delay_us);
  /* The n-th call from now fails; 0: none does. The results are CUresult. */
  void (*fail_call) (uint64_t n, int result, bool sticky);
  void (*fail_function) (const char *function, uint64_t n, int result,
                         bool sticky); /* named without its version: "cuMemAlloc" */
  void (*fault_kernel) (uint64_t n);   /* the n-th to run from now */
  void (*skip_kernel) (uint64_t n);    /* likewise; it ends well, and has written nothing */
  /* What is held does not run until it is released, or until a call waits for the device; and then it runs as late as streams
   * and events allow, so that a missing dependency shows. */
  void (*hold) (enum fakecuda_hold held);

  /* Calls of that function, named without its version, wait until another function, or NULL, is blocked. */
  void (*block) (const char *function);
  void (*block_also) (const char *function); /* and those of this one until then, too */

  uint64_t (*calls) (void); /* since reset; those of cuGetErrorName, cuGetErrorString and cuDriverGetVersion too */
  uint64_t (*function_calls) (const char *function);
  uint64_t (*launches) (const char *kernel); /* likewise */
  bool (*has_failed) (void);                 /* the script has struck since reset */

  unsigned (*pending) (void); /* what streams have still to do */
  /* Retained contexts, modules, streams, events and allocations that were not given back. */
  unsigned (*live) (void);
  /* Ways in which the caller was at fault since reset; the first one in words ("" where there was none). */
  unsigned (*faults) (void);
  const char *(*fault_text) (void);
  unsigned (*context_depth) (void); /* contexts that the calling thread has pushed */
};

/* The control table of the libcuda.so.1 that dlopen finds; NULL where it finds none, or a real one. */
const struct fakecuda *fakecuda_find (void);

#endif
