/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A failure of each call in turn, and of each kernel. */

#include <string.h>

#include "cuda/host/cuda.h"
#include "rig.h"

TEST_FIXTURE (begin_script, end_script)

/* After a failure the engine accepts nothing, all frames in flight can be collected, and no call waits. */
static void
check_failed_engine (struct histo_engine *engine, const struct workload *workload, histo_ticket oldest, histo_ticket newest)
{
  histo_ticket ticket;

  ck_assert_int_eq (histo_submit (engine, &workload->frames[0].frame, &ticket), HISTO_ERROR_DEVICE);
  for (; oldest <= newest; oldest++) {
    enum histo_status status;

    ck_assert_msg (histo_ready (engine, oldest), "ticket %u would wait", (unsigned)oldest);
    status = histo_collect (engine, oldest, &stats);
    /* A frame that was counted before the failure may still return its numbers, which must be correct. */
    if (status == HISTO_OK)
      ck_assert_pstr_eq (test_stats_difference (&workload->expected[(oldest - 1) % FRAMES].stats, &stats), NULL);
    else
      ck_assert_int_eq (status, HISTO_ERROR_DEVICE);
  }
  ck_assert_int_eq (histo_collect (engine, newest + 1, &stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit (engine, &workload->frames[0].frame, &ticket), HISTO_ERROR_DEVICE);
}

/* Opens an engine, sets weights, counts nine frames, three in flight, and closes it. After a failure it closes at once if
 * `abandon`; otherwise it first collects the frames in flight. Returns the status of the first failed call. */
static enum histo_status
run_workload (const struct workload *workload, enum histo_backend backend, bool abandon)
{
  enum { IN_FLIGHT = 3, WEIGHTS = 400 };
  int16_t ones[WEIGHTS];
  struct histo_config config = config_for (backend);
  struct histo_engine *engine = NULL;
  enum histo_status status = histo_open (&config, &engine);

  if (status != HISTO_OK) {
    ck_assert_ptr_null (engine);
    assert_reason ("histo_open");
    return status;
  }
  if (backend == HISTO_BACKEND_AUTO && histo_engine_info (engine)->backend == HISTO_BACKEND_CPU) {
    ck_assert_msg (test_log.lines[HISTO_LOG_INFO] > 1, "no word of why the CPU counts: %s", test_log.text);
    ck_assert_msg (test_log.lines[HISTO_LOG_ERROR] == 0, "%s", test_log.text);
  }
  for (unsigned i = 0; i < sizeof ones / sizeof *ones; i++)
    ones[i] = 1;
  for (unsigned attempt = 0; attempt == 0 || (attempt == 1 && status == HISTO_ERROR_NO_MEMORY); attempt++)
    status = histo_set_weights (engine, 0, &(struct histo_weights){ ones, WEIGHTS, ones, WEIGHTS });
  if (status != HISTO_OK) {
    assert_reason ("histo_set_weights");
    if (!abandon)
      check_failed_engine (engine, workload, 1, 0);
    histo_close (&engine);
    return status;
  }
  for (histo_ticket t = 1; t <= WORKLOAD_FRAMES + IN_FLIGHT; t++) {
    histo_ticket ticket = 0;

    if (t > IN_FLIGHT) {
      histo_ready (engine, t - IN_FLIGHT);
      status = histo_collect (engine, t - IN_FLIGHT, &stats);
      if (status != HISTO_OK) {
        assert_reason ("histo_collect");
        ck_assert_uint_eq (stats.component_count, 0);
        if (!abandon)
          check_failed_engine (engine, workload, t - IN_FLIGHT + 1, t <= WORKLOAD_FRAMES ? t - 1 : WORKLOAD_FRAMES);
        break;
      }
      ck_assert_pstr_eq (test_stats_difference (&workload->expected[(t - IN_FLIGHT - 1) % FRAMES].stats, &stats), NULL);
    }
    if (t <= WORKLOAD_FRAMES) {
      status = histo_submit (engine, &workload->frames[(t - 1) % FRAMES].frame, &ticket);
      if (status == HISTO_ERROR_NO_MEMORY) { /* with no other effect */
        assert_reason ("histo_submit");
        status = histo_submit (engine, &workload->frames[(t - 1) % FRAMES].frame, &ticket);
      }
      if (status != HISTO_OK) {
        assert_reason ("histo_submit");
        if (!abandon)
          check_failed_engine (engine, workload, t > IN_FLIGHT ? t - IN_FLIGHT + 1 : 1, t - 1);
        break;
      }
    }
  }
  histo_close (&engine);
  return status;
}

TEST (the_workload_runs)
{
  static struct workload workload;

  make_workload (&workload);
  ck_assert_msg (run_workload (&workload, HISTO_BACKEND_CUDA, false) == HISTO_OK, "%s", test_log.text);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  clear_workload (&workload);
}

/* Fails each call in turn or, with a larger `step`, one call in `step`, chosen at random; a seventh of these if
 * CUDAHISTO_TEST_SHORT has `calls`. */
static void
fail_each_call (int result, bool sticky, enum histo_backend backend, bool abandon, unsigned step, size_t zero_copy_bytes)
{
  static struct workload workload;
  unsigned failures = 0, plays = 0;
  struct test_random random = test_random_start (54);
  uint64_t n;

  if (test_is_short ("calls"))
    step *= 7;
  make_workload (&workload);
  for (n = 1 + test_random_below (&random, step);; n += 1 + test_random_below (&random, 2 * step - 1)) {
    enum histo_status status;

    begin_script ();
    histo_cuda_zero_copy_bytes = zero_copy_bytes;
    fake->fail_call (n, result, sticky);
    status = run_workload (&workload, backend, abandon);
    if (!fake->has_failed ()) {
      ck_assert_int_eq (status, HISTO_OK);
      end_script ();
      break;
    }
    plays++;
    failures += status != HISTO_OK;
    ck_assert_msg (status == HISTO_OK || status == HISTO_ERROR_DEVICE || status == HISTO_ERROR_NO_DEVICE
                       || status == HISTO_ERROR_NO_MEMORY,
                   "call %u: %s", (unsigned)n, histo_status_text (status));
    ck_assert_msg (fake->faults () == 0, "call %u: %s", (unsigned)n, fake->fault_text ());
    ck_assert_msg (fake->live () == live_before, "call %u: %u objects are still alive", (unsigned)n,
                   fake->live () - live_before);
    end_script ();
  }
  clear_workload (&workload);
  ck_assert_uint_gt (n, 50);
  /* Failures of queries (cuEventQuery) and of calls that free objects may have no effect; others must. */
  ck_assert_uint_gt (failures, 0);
  if (step == 1)
    ck_assert_msg (failures * 2 > plays, "%u of %u failures were noticed", failures, plays);
}

TEST (each_call_fails_once)
{
  static const size_t zero_copy_bytes[] = { 0, SOME_COPIED, SIZE_MAX };

  for (unsigned i = 0; i < sizeof zero_copy_bytes / sizeof *zero_copy_bytes; i++) {
    fail_each_call (OUT_OF_MEMORY, false, HISTO_BACKEND_CUDA, false, 6, zero_copy_bytes[i]);
    fail_each_call (OUT_OF_MEMORY, false, HISTO_BACKEND_CUDA, true, 6, zero_copy_bytes[i]);
  }
}

TEST (each_call_loses_the_device)
{
  fail_each_call (UNKNOWN, true, HISTO_BACKEND_CUDA, false, 1, 0);
  fail_each_call (UNKNOWN, true, HISTO_BACKEND_CUDA, false, 1, SOME_COPIED);
  fail_each_call (UNKNOWN, true, HISTO_BACKEND_CUDA, true, 6, 0);
}

/* While an engine opens, AUTO falls back to the CPU; later it fails like CUDA. */
TEST (auto_survives_each_call)
{
  fail_each_call (UNKNOWN, true, HISTO_BACKEND_AUTO, false, 6, SOME_COPIED);
}

/* A failure of each function by name: the refusal names the failed call. */
TEST (each_function_fails)
{
  static const struct {
    const char *function;
    enum histo_status status;
  } cases[] = {
    { "cuInit", HISTO_ERROR_NO_DEVICE },           { "cuDeviceGetCount", HISTO_ERROR_NO_DEVICE },
    { "cuDeviceGet", HISTO_ERROR_NO_DEVICE },      { "cuDevicePrimaryCtxRetain", HISTO_ERROR_NO_DEVICE },
    { "cuModuleLoadData", HISTO_ERROR_NO_DEVICE }, { "cuModuleGetFunction", HISTO_ERROR_NO_DEVICE },
    { "cuStreamCreate", HISTO_ERROR_NO_DEVICE },   { "cuEventCreate", HISTO_ERROR_NO_DEVICE },
    { "cuMemHostAlloc", HISTO_ERROR_NO_DEVICE },   { "cuLaunchKernel", HISTO_ERROR_DEVICE },
    { "cuMemcpyHtoDAsync", HISTO_ERROR_DEVICE },   { "cuEventRecord", HISTO_ERROR_DEVICE },
    { "cuStreamWaitEvent", HISTO_ERROR_DEVICE },
  };
  static struct workload workload;

  make_workload (&workload);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin_script ();
    fake->fail_function (cases[i].function, 1, OUT_OF_MEMORY, false);
    ck_assert_msg (run_workload (&workload, HISTO_BACKEND_CUDA, false) == cases[i].status, "%s", cases[i].function);
    ck_assert_msg (fake->has_failed (), "%s was not called", cases[i].function);
    ck_assert_msg (strstr (test_log.text, "CUDA_ERROR_OUT_OF_MEMORY") != NULL, "%s: %s", cases[i].function, test_log.text);
    end_script ();
  }
  clear_workload (&workload);
}

/* The launch succeeds, and the kernel faults later: the classic way to lose a device. */
TEST (each_kernel_faults)
{
  static struct workload workload;

  make_workload (&workload);
  for (unsigned n = 1; n <= WORKLOAD_FRAMES; n++) {
    begin_script ();
    fake->fault_kernel (n);
    ck_assert_int_eq (run_workload (&workload, HISTO_BACKEND_CUDA, false), HISTO_ERROR_DEVICE);
    ck_assert (fake->has_failed ());
    ck_assert_msg (strstr (test_log.text, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL, "%s", test_log.text);
    end_script ();
  }
  clear_workload (&workload);
}

/* The device reports the end, but there are no numbers: the engine must not return zeros. */
TEST (a_kernel_leaves_no_numbers)
{
  static struct workload workload;

  make_workload (&workload);
  fake->skip_kernel (4);
  ck_assert_int_eq (run_workload (&workload, HISTO_BACKEND_CUDA, false), HISTO_ERROR_DEVICE);
  clear_workload (&workload);
}
