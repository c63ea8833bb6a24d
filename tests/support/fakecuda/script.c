/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The script, from the environment and the test; the beginning and the end of each call; faults. */

#include "fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct state fake;
_Thread_local struct thread thread;

const char *const function_names[FUNCTION_COUNT] = {
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

#define STRICT_STATUS 86

static uint64_t
read_number (const char *name, uint64_t otherwise)
{
  const char *text = getenv (name);

  return text != NULL && *text != '\0' ? strtoull (text, NULL, 0) : otherwise;
}

bool
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

void
read_environment (void)
{
  const char *function = getenv ("FAKECUDA_FAIL_FUNCTION");
  const char *colon = function != NULL ? strchr (function, ':') : NULL;
  const char *held = getenv ("FAKECUDA_HOLD");

  fake.devices = (int)read_number ("FAKECUDA_DEVICES", 1);
  if (fake.devices > MAX_DEVICES)
    fake.devices = MAX_DEVICES;
  fake.failing_device = (int)read_number ("FAKECUDA_FAIL_DEVICE", UINT64_MAX);
  fake.contexts_left = read_number ("FAKECUDA_CONTEXTS", UINT64_MAX);
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

void __attribute__ ((format (printf, 1, 2))) blame (const char *format, ...)
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

CUresult
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

CUresult
leave (CUresult result)
{
  pthread_mutex_unlock (&fake.lock);
  return result;
}

__attribute__ ((destructor)) static void
end (void)
{
  unsigned live = 0;

  if (read_number ("FAKECUDA_STRICT", 0) == 0)
    return;
  pthread_mutex_lock (&fake.lock);
  for (unsigned kind = 0; kind < KINDS; kind++)
    for (const struct object *object = fake.objects[kind]; object != NULL; object = object->next) {
      fprintf (stderr, "fakecuda: still alive: a %s\n", kind_names[kind]);
      live++;
    }
  if (live > 0 || fake.faults > 0) {
    fprintf (stderr, "fakecuda: %u objects alive, %u faults\n", live, fake.faults);
    fflush (NULL);
    _exit (STRICT_STATUS);
  }
  pthread_mutex_unlock (&fake.lock);
}
