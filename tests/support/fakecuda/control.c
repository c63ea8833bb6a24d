/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The control table, with which tests make the driver fail and read its state. */

#include "fake.h"

#include <string.h>

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

/* Call it with the lock held. */
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
  for (unsigned kind = 0; kind < KINDS; kind++)
    for (const struct object *object = fake.objects[kind]; object != NULL; object = object->next)
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
  .function_calls = control_function_calls,
  .launches = control_launches,
  .has_failed = control_has_failed,
  .pending = control_pending,
  .live = control_live,
  .faults = control_faults,
  .fault_text = control_fault_text,
  .context_depth = control_context_depth,
};
