/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend and its driver when things go wrong. argv[1] says which libcuda.so.1 LD_LIBRARY_PATH leads to:
 *   absent  none (exit status 77 where the machine has one of its own)
 *   old     one that lacks a function
 *   broken  a file that is no library
 *   fake    the fake driver: no device, a device that cannot be opened, and a failure at each call in turn. */

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <pthread.h>

#include "cuda/cuda.h"
#include "device.h"
#include "engines.h"
#include "fakecuda.h"
#include "frames.h"
#include "runner.h"

#define SKIPPED 77
#define ILLEGAL_ADDRESS 700
#define OUT_OF_MEMORY 2
#define UNKNOWN 999

static struct test_log test_log = TEST_LOG_INIT;
static const struct fakecuda *fake; /* NULL: another library */

static struct histo_config
config_for (enum histo_backend backend)
{
  test_log_clear (&test_log);
  return (struct histo_config){
    .backend = backend, .cuda_device = -1, .max_in_flight = 3, .log = test_log_add, .log_data = &test_log
  };
}

static atomic_uint failing_calloc; /* of the engine, from now, 0: none */

/* The linker puts these where the engine calls calloc. */
void *__real_calloc (size_t count, size_t size);
void *__wrap_calloc (size_t count, size_t size);

void *
__wrap_calloc (size_t count, size_t size)
{
  if (atomic_load (&failing_calloc) > 0 && atomic_fetch_sub (&failing_calloc, 1) == 1)
    return NULL;
  return __real_calloc (count, size);
}

/* ---- libraries that cannot be used ---------------------------------------------------------------------------------- */

static const char *expected_words, *expected_remedy; /* NULL: nothing to warn of */

START_TEST (cuda_says_why_it_is_not_there)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = (struct histo_engine *)(uintptr_t)8;

  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DRIVER);
  ck_assert_ptr_null (engine);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_ERROR], 1);
  ck_assert_msg (strstr (test_log.text, "libcuda.so.1") != NULL, "the log lacks the library's name: %s", test_log.text);
  ck_assert_msg (strstr (test_log.text, expected_words) != NULL, "the log lacks '%s': %s", expected_words, test_log.text);
}
END_TEST

START_TEST (auto_counts_on_the_cpu_and_says_why)
{
  struct histo_config config = config_for (HISTO_BACKEND_AUTO);
  struct histo_engine *engine = NULL;
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame frame;

  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_int_eq (histo_engine_info (engine)->backend, HISTO_BACKEND_CPU);
  ck_assert_str_eq (histo_engine_info (engine)->backend_name, "cpu");
  /* Being without a GPU is no error and no cause for a warning; having a driver that cannot be used is one. */
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], expected_remedy != NULL);
  if (expected_remedy != NULL)
    ck_assert_msg (strstr (test_log.text, expected_remedy) != NULL, "the log lacks '%s': %s", expected_remedy, test_log.text);
  ck_assert_msg (strstr (test_log.text, expected_words) != NULL, "the log lacks '%s': %s", expected_words, test_log.text);
  test_random_init (&random, 50);
  test_frame_init_bytes (&frame, 10000, 0, TEST_GUARD_END, TEST_FILL_MAX, &random);
  ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_OK);
  ck_assert_uint_eq (stats.components[0].sum, 2550000);
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  histo_close (&engine);
}
END_TEST

/* ---- devices -------------------------------------------------------------------------------------------------------- */

#define SOME_COPIED 768 /* of the frames of a scene some are copied, and some are counted where they are */

static unsigned live_before; /* what a test that failed has left */

static void
begin_script (void)
{
  histo_cuda_zero_copy_bytes = SOME_COPIED;
  fake->reset ();
  live_before = fake->live ();
}

/* Nothing may be left, and the fake must have had no cause to complain. */
static void
end_script (void)
{
  ck_assert_msg (fake->faults () == 0, "%s", fake->fault_text ());
  ck_assert_msg (fake->live () == live_before, "%u objects are still alive", fake->live () - live_before);
  ck_assert_uint_eq (fake->context_depth (), 0);
  fake->reset ();
}

START_TEST (no_device)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;

  begin_script ();
  fake->set_devices (0);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DEVICE);
  ck_assert_ptr_null (engine);
  ck_assert_msg (strstr (test_log.text, "CUDA_ERROR_NO_DEVICE") != NULL, "%s", test_log.text);

  config = config_for (HISTO_BACKEND_AUTO);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_int_eq (histo_engine_info (engine)->backend, HISTO_BACKEND_CPU);
  ck_assert_msg (test_log.lines[HISTO_LOG_WARNING] == 0, "%s", test_log.text);
  histo_close (&engine);
  end_script ();
}
END_TEST

/* A GPU that is there and cannot be used: AUTO warns in one sentence, with the remedy; CUDA says the same as its error. */
START_TEST (an_unusable_gpu_is_a_warning)
{
  enum { NO_BINARY = 209, UNSUPPORTED_PTX = 222, JIT_DISABLED = 223, UNAVAILABLE = 46, MISMATCH = 803 };
  static const struct {
    const char *function;
    int result;
    unsigned capability;
    const char *words, *remedy, *wrong_words;
    int driver_version; /* 0: no older than the toolkit */
  } cases[] = {
    { "cuInit", MISMATCH, 90, "NVIDIA's driver cannot be used", "restart the machine", NULL, 0 },
    { "cuInit", UNKNOWN, 90, "CUDA_ERROR_UNKNOWN", "nvidia-smi", NULL, 0 },
    { "cuDeviceGetCount", UNKNOWN, 90, "NVIDIA's driver", "nvidia-smi", NULL, 0 },
    { "cuDevicePrimaryCtxRetain", UNAVAILABLE, 90, "CUDA device 0 cannot be used: another process", "nvidia-smi -c DEFAULT",
      NULL, 0 },
    { "cuModuleLoadData", NO_BINARY, 21, "it has compute capability 2.1, and this build is for ", "-Dcuda-arch=native", NULL,
      0 },
    /* No driver has a use for what is not there; one that is older than the toolkit is the reason for the rest. */
    { "cuModuleLoadData", NO_BINARY, 990, "has compute capability 99.0, and this build is for GPUs up to ",
      "-Dcuda-arch=native", "update the driver", 0 },
    { "cuModuleLoadData", NO_BINARY, 990, "this build is for GPUs up to ", "-Dcuda-arch=all-major", "update the driver",
      11000 },
    { "cuModuleLoadData", UNSUPPORTED_PTX, 990, "the driver, for CUDA 11.0,", "update the driver", "GPUs up to", 11000 },
    { "cuModuleLoadData", JIT_DISABLED, 990, "this build is for GPUs up to ", "-Dcuda-arch=native", "update the driver", 0 },
    { "cuModuleLoadData", UNSUPPORTED_PTX, HISTO_CUDA_BUILT_TO, "no kernels for compute capability", "-Dcuda-arch=native",
      "update the driver", 0 },
    { "cuMemAlloc", OUT_OF_MEMORY, 90, "CUDA device 0 (Fake GPU 0) cannot be used: its memory", "end other programs", NULL, 0 },
    { "cuStreamCreate", UNKNOWN, 90, "CUDA device 0 (Fake GPU 0)", "nvidia-smi", NULL, 0 },
  };

  for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    const bool may_do_without = i % 2;
    struct histo_config config = config_for (may_do_without ? HISTO_BACKEND_AUTO : HISTO_BACKEND_CUDA);
    struct histo_engine *engine = NULL;
    char *end;

    begin_script ();
    fake->set_capability (cases[i / 2].capability);
    fake->set_driver_version (cases[i / 2].driver_version);
    fake->fail_function (cases[i / 2].function, 1, cases[i / 2].result, false);
    ck_assert_int_eq (histo_open (&config, &engine), may_do_without ? HISTO_OK : HISTO_ERROR_NO_DEVICE);
    ck_assert_msg (strstr (test_log.text, cases[i / 2].words) != NULL, "the log lacks '%s': %s", cases[i / 2].words,
                   test_log.text);
    ck_assert_msg (strstr (test_log.text, cases[i / 2].remedy) != NULL, "the log lacks '%s': %s", cases[i / 2].remedy,
                   test_log.text);
    if (cases[i / 2].wrong_words != NULL)
      ck_assert_msg (strstr (test_log.text, cases[i / 2].wrong_words) == NULL, "the log has '%s': %s", cases[i / 2].wrong_words,
                     test_log.text);
    if (may_do_without) {
      ck_assert_int_eq (histo_engine_info (engine)->backend, HISTO_BACKEND_CPU);
      ck_assert_msg (test_log.lines[HISTO_LOG_WARNING] == 1 && test_log.lines[HISTO_LOG_ERROR] == 0, "%s", test_log.text);
    } else {
      /* The last line of the log is the reason that users read. */
      ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], 0);
      end = strrchr (test_log.text, '\n');
      *end = '\0';
      end = strrchr (test_log.text, '\n');
      ck_assert_msg (strstr (end != NULL ? end : test_log.text, cases[i / 2].remedy) != NULL, "%s", test_log.text);
    }
    histo_close (&engine);
    end_script ();
  }
}
END_TEST

/* Each allocation of the host's while an engine is being opened fails in turn, and is what the sentence is about, whatever the
 * driver said before. */
START_TEST (host_memory_is_exhausted)
{
  unsigned sentences = 0;
  bool is_open = false;

  for (unsigned n = 1; !is_open; n++) {
    const bool may_do_without = n % 2;
    struct histo_config config = config_for (HISTO_BACKEND_CUDA);
    struct histo_engine *engine = NULL;
    enum histo_status status;

    begin_script ();
    fake->fail_function ("cuStreamCreate", n % 3, UNKNOWN, false);
    if (n % 3 > 0)
      ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DEVICE);
    config = config_for (may_do_without ? HISTO_BACKEND_AUTO : HISTO_BACKEND_CUDA);
    atomic_store (&failing_calloc, n);
    status = histo_open (&config, &engine);
    is_open = atomic_exchange (&failing_calloc, 0) > 0;
    if (!is_open) {
      ck_assert_msg (strstr (test_log.text, "CUDA_") == NULL, "allocation %u: %s", n, test_log.text);
      ck_assert_msg (strstr (test_log.text, histo_status_text (HISTO_ERROR_NO_MEMORY)) != NULL, "allocation %u: %s", n,
                     test_log.text);
      ck_assert_msg (may_do_without || status == HISTO_ERROR_NO_DEVICE || status == HISTO_ERROR_NO_MEMORY, "%s",
                     histo_status_text (status));
      if (strstr (test_log.text, "cannot be used") != NULL) {
        ck_assert_msg (strstr (test_log.text, "CUDA device 0 (Fake GPU 0) cannot be used: host memory is exhausted; end ")
                           != NULL,
                       "%s", test_log.text);
        ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], may_do_without);
        sentences++;
      }
    }
    histo_close (&engine);
    end_script ();
  }
  ck_assert_uint_gt (sentences, 5);
}
END_TEST

START_TEST (a_device_number_that_does_not_exist)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;

  begin_script ();
  fake->set_devices (2);
  config.cuda_device = 2;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DEVICE);
  ck_assert_ptr_null (engine);
  ck_assert_msg (strstr (test_log.text, "2") != NULL, "%s", test_log.text);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_ERROR], 1);
  config.cuda_device = INT32_MAX;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DEVICE);
  config.cuda_device = 1;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_str_eq (histo_engine_info (engine)->device_name, "Fake GPU 1");
  histo_close (&engine);
  end_script ();
}
END_TEST

START_TEST (the_first_device_that_opens)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;

  begin_script ();
  fake->set_devices (3);
  fake->fail_device (0);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_str_eq (histo_engine_info (engine)->device_name, "Fake GPU 1");
  /* The user asked for any device, and got one, but may have wanted the other. */
  ck_assert_msg (test_log.lines[HISTO_LOG_ERROR] == 0 && test_log.lines[HISTO_LOG_WARNING] == 1, "%s", test_log.text);
  histo_close (&engine);

  config.cuda_device = 0;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DEVICE);
  end_script ();
}
END_TEST

/* What goes wrong later is logged as what it is, also where other devices would have done. */
START_TEST (the_first_of_several_devices_fails_later)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct test_frame frame;

  begin_script ();
  fake->set_devices (3);
  test_random_init (&random, 55);
  test_frame_init_bytes (&frame, 1000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  fake->fail_function ("cuLaunchKernel", 1, UNKNOWN, false);
  ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_ERROR_DEVICE);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], 0);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_ERROR], 1);
  ck_assert_msg (strstr (test_log.text, "CUDA_ERROR_UNKNOWN") != NULL, "%s", test_log.text);
  histo_stats_clear (&stats);
  histo_close (&engine);
  test_frame_clear (&frame);
  end_script ();
}
END_TEST

/* ---- a failure at each call in turn --------------------------------------------------------------------------------- */

enum { FRAMES = 7, SCENE_FRAMES = 9 };

struct scene {
  struct test_frame frames[FRAMES], operands[FRAMES];
  struct test_count expected[FRAMES];
};

static void
make_scene (struct scene *scene)
{
  static const char *const layouts[] = { "NV12", "bytes", "RGB", "every fifth byte", "YUY2", "GRAY8", "GRAY16_LE by value" };
  struct test_random random;

  test_random_init (&random, 51);
  for (unsigned f = 0; f < FRAMES; f++) {
    struct test_geometry geometry = test_geometry_random (40 + 8 * f, 6, &random);

    if (strcmp (layouts[f], "bytes") == 0) {
      test_frame_init_bytes (&scene->frames[f], 5000, 3, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
      test_frame_init_bytes (&scene->operands[f], 5000, 4, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    } else {
      test_frame_init (&scene->frames[f], test_layout_find (layouts[f]), &geometry, TEST_FILL_RANDOM, &random);
      test_frame_init (&scene->operands[f], scene->frames[f].layout, &geometry, TEST_FILL_RANDOM, &random);
    }
    if (f % 2 == 0)
      scene->frames[f].frame.operand = &scene->operands[f].frame;
    scene->frames[f].frame.project = strcmp (layouts[f], "GRAY8") == 0;
    test_frame_count (&scene->frames[f].frame, &scene->expected[f]);
  }
}

static void
clear_scene (struct scene *scene)
{
  for (unsigned f = 0; f < FRAMES; f++) {
    test_frame_clear (&scene->frames[f]);
    test_frame_clear (&scene->operands[f]);
    test_count_clear (&scene->expected[f]);
  }
}

static void
assert_reason (const char *what)
{
  /* Threads of the engine may still have something to say. */
  pthread_mutex_lock (&test_log.lock);
  ck_assert_msg (test_log.lines[HISTO_LOG_ERROR] > 0, "%s failed without a word", what);
  ck_assert_msg (strlen (test_log.text) > 20, "%s failed with few words: %s", what, test_log.text);
  pthread_mutex_unlock (&test_log.lock);
}

/* After a failure nothing is accepted, everything in flight can still be collected, and nothing waits. */
static void
check_failed_engine (struct histo_engine *engine, const struct scene *scene, histo_ticket oldest, histo_ticket newest)
{
  struct histo_stats stats = { 0 };
  histo_ticket ticket;

  ck_assert_int_eq (histo_submit (engine, &scene->frames[0].frame, &ticket), HISTO_ERROR_DEVICE);
  for (; oldest <= newest; oldest++) {
    enum histo_status status;

    ck_assert_msg (histo_ready (engine, oldest), "ticket %u would wait", (unsigned)oldest);
    status = histo_collect (engine, oldest, &stats);
    /* A frame that was counted before the failure may still give its numbers: then they must be right. */
    if (status == HISTO_OK)
      ck_assert_pstr_eq (test_stats_difference (&scene->expected[(oldest - 1) % FRAMES].stats, &stats), NULL);
    else
      ck_assert_int_eq (status, HISTO_ERROR_DEVICE);
  }
  ck_assert_int_eq (histo_collect (engine, newest + 1, &stats), HISTO_ERROR_INVALID);
  ck_assert_int_eq (histo_submit (engine, &scene->frames[0].frame, &ticket), HISTO_ERROR_DEVICE);
  histo_stats_clear (&stats);
}

/* Opens an engine, sets weights, counts nine frames, three in flight, and closes it; after a failure at once where `abandon`,
 * else it looks at what was in flight. Returns the status of the first call that failed. */
static enum histo_status
play_scene (const struct scene *scene, enum histo_backend backend, bool abandon)
{
  enum { IN_FLIGHT = 3, WEIGHTS = 400 };
  int16_t ones[WEIGHTS];
  struct histo_config config = config_for (backend);
  struct histo_engine *engine = NULL;
  struct histo_stats stats = { 0 };
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
      check_failed_engine (engine, scene, 1, 0);
    histo_close (&engine);
    return status;
  }
  for (histo_ticket t = 1; t <= SCENE_FRAMES + IN_FLIGHT; t++) {
    histo_ticket ticket = 0;

    if (t > IN_FLIGHT) {
      histo_ready (engine, t - IN_FLIGHT);
      status = histo_collect (engine, t - IN_FLIGHT, &stats);
      if (status != HISTO_OK) {
        assert_reason ("histo_collect");
        ck_assert_uint_eq (stats.component_count, 0);
        if (!abandon)
          check_failed_engine (engine, scene, t - IN_FLIGHT + 1, t <= SCENE_FRAMES ? t - 1 : SCENE_FRAMES);
        break;
      }
      ck_assert_pstr_eq (test_stats_difference (&scene->expected[(t - IN_FLIGHT - 1) % FRAMES].stats, &stats), NULL);
    }
    if (t <= SCENE_FRAMES) {
      status = histo_submit (engine, &scene->frames[(t - 1) % FRAMES].frame, &ticket);
      if (status == HISTO_ERROR_NO_MEMORY) { /* nothing else has happened */
        assert_reason ("histo_submit");
        status = histo_submit (engine, &scene->frames[(t - 1) % FRAMES].frame, &ticket);
      }
      if (status != HISTO_OK) {
        assert_reason ("histo_submit");
        if (!abandon)
          check_failed_engine (engine, scene, t > IN_FLIGHT ? t - IN_FLIGHT + 1 : 1, t - 1);
        break;
      }
    }
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
  return status;
}

START_TEST (the_scene_plays)
{
  static struct scene scene;

  begin_script ();
  make_scene (&scene);
  ck_assert_msg (play_scene (&scene, HISTO_BACKEND_CUDA, false) == HISTO_OK, "%s", test_log.text);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  clear_scene (&scene);
  end_script ();
}
END_TEST

/* Each call in turn, or with a larger `step` one in so many, chosen at random;
 * of these, a seventh where calls are to be few. */
static void
fail_each_call (int result, bool sticky, enum histo_backend backend, bool abandon, unsigned step, size_t zero_copy_bytes)
{
  static struct scene scene;
  unsigned failures = 0, plays = 0;
  struct test_random random;
  uint64_t n;

  if (test_is_short ("calls"))
    step *= 7;
  test_random_init (&random, 54);
  make_scene (&scene);
  for (n = 1 + test_random_below (&random, step);; n += 1 + test_random_below (&random, 2 * step - 1)) {
    enum histo_status status;

    begin_script ();
    histo_cuda_zero_copy_bytes = zero_copy_bytes;
    fake->fail_call (n, result, sticky);
    status = play_scene (&scene, backend, abandon);
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
  clear_scene (&scene);
  ck_assert_uint_gt (n, 50);
  /* Failures of what asks (cuEventQuery) and of what gives back may pass; the rest may not. */
  ck_assert_uint_gt (failures, 0);
  if (step == 1)
    ck_assert_msg (failures * 2 > plays, "%u of %u failures were noticed", failures, plays);
}

START_TEST (each_call_fails_once)
{
  static const size_t zero_copy_bytes[] = { 0, SOME_COPIED, SIZE_MAX };

  for (unsigned i = 0; i < sizeof zero_copy_bytes / sizeof *zero_copy_bytes; i++) {
    fail_each_call (OUT_OF_MEMORY, false, HISTO_BACKEND_CUDA, false, 6, zero_copy_bytes[i]);
    fail_each_call (OUT_OF_MEMORY, false, HISTO_BACKEND_CUDA, true, 6, zero_copy_bytes[i]);
  }
}
END_TEST

START_TEST (each_call_loses_the_device)
{
  fail_each_call (UNKNOWN, true, HISTO_BACKEND_CUDA, false, 1, 0);
  fail_each_call (UNKNOWN, true, HISTO_BACKEND_CUDA, false, 1, SOME_COPIED);
  fail_each_call (UNKNOWN, true, HISTO_BACKEND_CUDA, true, 6, 0);
}
END_TEST

/* While an engine is being opened, AUTO moves to the CPU; later it fails as CUDA does. */
START_TEST (auto_survives_each_call)
{
  fail_each_call (UNKNOWN, true, HISTO_BACKEND_AUTO, false, 6, SOME_COPIED);
}
END_TEST

/* A failure of each function by name, so that a refusal says what failed. */
START_TEST (each_function_fails)
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
  static struct scene scene;

  make_scene (&scene);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin_script ();
    fake->fail_function (cases[i].function, 1, OUT_OF_MEMORY, false);
    ck_assert_msg (play_scene (&scene, HISTO_BACKEND_CUDA, false) == cases[i].status, "%s", cases[i].function);
    ck_assert_msg (fake->has_failed (), "%s was not called", cases[i].function);
    ck_assert_msg (strstr (test_log.text, "CUDA_ERROR_OUT_OF_MEMORY") != NULL, "%s: %s", cases[i].function, test_log.text);
    end_script ();
  }
  clear_scene (&scene);
}
END_TEST

/* The launch succeeds, and the kernel faults later: the classic way to lose a device. */
START_TEST (each_kernel_faults)
{
  static struct scene scene;

  make_scene (&scene);
  for (unsigned n = 1; n <= SCENE_FRAMES; n++) {
    begin_script ();
    fake->fault_kernel (n);
    ck_assert_int_eq (play_scene (&scene, HISTO_BACKEND_CUDA, false), HISTO_ERROR_DEVICE);
    ck_assert (fake->has_failed ());
    ck_assert_msg (strstr (test_log.text, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL, "%s", test_log.text);
    end_script ();
  }
  clear_scene (&scene);
}
END_TEST

/* The device says that it is done, and there are no numbers: that must not pass for zeros. */
START_TEST (a_kernel_leaves_no_numbers)
{
  static struct scene scene;

  begin_script ();
  make_scene (&scene);
  fake->skip_kernel (4);
  ck_assert_int_eq (play_scene (&scene, HISTO_BACKEND_CUDA, false), HISTO_ERROR_DEVICE);
  clear_scene (&scene);
  end_script ();
}
END_TEST

/* ---- timing --------------------------------------------------------------------------------------------------------- */

static struct histo_engine *
open_fake (unsigned max_in_flight)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;

  config.max_in_flight = max_in_flight;
  ck_assert_msg (histo_open (&config, &engine) == HISTO_OK, "%s", test_log.text);
  return engine;
}

static uint64_t
elapsed_ms (struct timespec since)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)((now.tv_sec - since.tv_sec) * 1000 + (now.tv_nsec - since.tv_nsec) / 1000000);
}

START_TEST (submit_and_ready_do_not_wait)
{
  static struct scene scene;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  struct timespec begin;
  histo_ticket ticket;

  begin_script ();
  make_scene (&scene);
  engine = open_fake (FRAMES);
  fake->set_delay_us (300000);
  clock_gettime (CLOCK_MONOTONIC, &begin);
  for (unsigned f = 0; f < FRAMES; f++)
    ck_assert_int_eq (histo_submit (engine, &scene.frames[f].frame, &ticket), HISTO_OK);
  for (unsigned f = 0; f < FRAMES; f++)
    histo_ready (engine, f + 1);
  /* A second and a half of kernels is under way. */
  ck_assert_uint_lt (elapsed_ms (begin), 290 * FRAMES);
  ck_assert (!histo_ready (engine, FRAMES));
  for (unsigned f = 0; f < FRAMES; f++) {
    ck_assert_int_eq (histo_collect (engine, f + 1, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&scene.expected[f].stats, &stats), NULL);
  }
  ck_assert_uint_ge (elapsed_ms (begin), 300 * FRAMES);
  histo_stats_clear (&stats);
  histo_close (&engine);
  clear_scene (&scene);
  end_script ();
}
END_TEST

START_TEST (held_frames_are_not_ready)
{
  static struct scene scene;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  histo_ticket ticket;

  begin_script ();
  make_scene (&scene);
  engine = open_fake (FRAMES);
  fake->hold (FAKECUDA_HOLD_KERNELS);
  for (unsigned f = 0; f < FRAMES; f++)
    ck_assert_int_eq (histo_submit (engine, &scene.frames[f].frame, &ticket), HISTO_OK);
  for (unsigned f = 0; f < FRAMES; f++)
    ck_assert (!histo_ready (engine, f + 1));
  ck_assert_int_eq (histo_submit (engine, &scene.frames[0].frame, &ticket), HISTO_ERROR_BUSY);
  for (unsigned f = 0; f < FRAMES; f++) {
    ck_assert_int_eq (histo_collect (engine, f + 1, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&scene.expected[f].stats, &stats), NULL);
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
  clear_scene (&scene);
  end_script ();
}
END_TEST

START_TEST (close_waits_for_the_device)
{
  static struct scene scene;
  struct histo_engine *engine;
  histo_ticket ticket;

  begin_script ();
  make_scene (&scene);
  engine = open_fake (FRAMES);
  fake->hold (FAKECUDA_HOLD_COPIES);
  for (unsigned f = 0; f < FRAMES; f++)
    ck_assert_int_eq (histo_submit (engine, &scene.frames[f].frame, &ticket), HISTO_OK);
  histo_close (&engine);
  clear_scene (&scene);
  end_script ();
}
END_TEST

/* The caller may free the samples of a frame that was refused, also where the device reads them itself. */
START_TEST (a_refused_frame_is_not_read_any_more)
{
  static const char *const functions[] = { "cuLaunchKernel", "cuEventRecord" };

  for (unsigned i = 0; i < 4; i++) {
    struct test_device *device;
    struct histo_engine *engine;
    histo_ticket ticket;
    void *pinned;

    begin_script ();
    histo_cuda_zero_copy_bytes = i < 2 ? 0 : 1024;
    device = test_device_open (false);
    test_device_enter (device);
    pinned = test_device_alloc_pinned (device, 1000);
    test_device_leave (device);
    engine = open_fake (FRAMES);
    fake->hold (i < 2 ? FAKECUDA_HOLD_COPIES : FAKECUDA_HOLD_KERNELS);
    fake->fail_function (functions[i % 2], 1, UNKNOWN, false);
    ck_assert_int_eq (histo_submit (engine,
                                    &(struct histo_frame){
                                        .plane_count = 1,
                                        .component_count = 1,
                                        .planes = { { pinned, 1000, 1 } },
                                        .components = { { .step_bytes = 1, .width = 1000, .sample_bytes = 1, .depth = 8 } } },
                                    &ticket),
                      HISTO_ERROR_DEVICE);
    ck_assert_uint_eq (fake->pending (), 0);
    histo_close (&engine);
    test_device_enter (device);
    test_device_free_pinned (device, pinned);
    test_device_leave (device);
    test_device_close (device);
    end_script ();
  }
}
END_TEST

/* Numbers come back through memory that earlier frames wrote to. Whatever marks them as new must do so after 2^8 or 2^16
 * frames, and in a component that none of these had. */
START_TEST (old_numbers_are_not_taken_for_new)
{
  static const unsigned frames_between[] = { 255, 65535 };
  struct test_random random;
  struct test_frame old_frame, new_frame;
  static struct test_count expected;
  struct histo_stats stats = { 0 };
  struct histo_frame empty = { .memory = HISTO_MEMORY_DEVICE,
                               .plane_count = 1,
                               .component_count = 1,
                               .components = { { .step_bytes = 1, .sample_bytes = 1, .depth = 8 } } };

  begin_script ();
  test_random_init (&random, 53);
  test_frame_init_bytes (&old_frame, 1000, 0, TEST_GUARD_END, TEST_FILL_MAX, &random);
  test_frame_init_bytes (&new_frame, 900, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  test_frame_count (&new_frame.frame, &expected);
  for (unsigned i = 0; i < sizeof frames_between / sizeof *frames_between; i++) {
    struct histo_engine *engine = open_fake (1);
    histo_ticket ticket;

    ck_assert_int_eq (test_engine_count (engine, &old_frame.frame, &stats), HISTO_OK);
    for (unsigned n = 0; n < frames_between[i]; n++)
      TEST_REQUIRE (test_engine_count (engine, &empty, &stats) == HISTO_OK, "%s", test_log.text);
    fake->hold (FAKECUDA_HOLD_KERNELS);
    ck_assert_int_eq (histo_submit (engine, &new_frame.frame, &ticket), HISTO_OK);
    ck_assert_msg (!histo_ready (engine, ticket), "ready before the kernel ran, %u frames later", frames_between[i]);
    ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    fake->hold (FAKECUDA_HOLD_NOTHING);
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_frame_clear (&old_frame);
  test_frame_clear (&new_frame);
  end_script ();
}
END_TEST

/* Frames of one size over and over must not take device memory over and over, and one launch is all that a frame costs. */
START_TEST (a_frame_costs_one_launch)
{
  enum { COUNT = 50 };
  static struct scene scene;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  uint64_t allocations, launches;

  begin_script ();
  make_scene (&scene);
  engine = open_fake (2);
  for (unsigned n = 0; n < 10; n++)
    ck_assert_int_eq (test_engine_count (engine, &scene.frames[0].frame, &stats), HISTO_OK);
  allocations = fake->function_calls ("cuMemAlloc");
  launches = fake->function_calls ("cuLaunchKernel");
  for (unsigned n = 0; n < COUNT; n++)
    ck_assert_int_eq (test_engine_count (engine, &scene.frames[0].frame, &stats), HISTO_OK);
  ck_assert_uint_eq (fake->function_calls ("cuMemAlloc"), allocations);
  ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel"), launches + COUNT);
  histo_stats_clear (&stats);
  histo_close (&engine);
  clear_scene (&scene);
  end_script ();
}
END_TEST

/* The less a frame asks for, the less the kernel can do that counts it:
 * whatever takes another is counted right as well, but not as fast. */
START_TEST (simple_frames_have_kernels_of_their_own)
{
  enum { MOST = 512, SPACE = 1024 }; /* of a frame and its operand */
  static const struct {
    const char *kernel;
    uint64_t width, gap; /* bytes: of a row, and between rows */
    uint32_t height;
    unsigned count;
    bool is_listed, has_operand;
  } cases[] = {
    { "histo_count_packed", 64, 0, 3, 1, false, false },
    { "histo_count_packed", 64, 0, 3, 4, false, false },
    { "histo_count_packed_listed", 64, 0, 3, 4, true, false },
    { "histo_count_plane", 64, 16, 3, 1, false, false },
    { "histo_count_plane", 64, 16, 3, 4, false, false },
    { "histo_count_plane_listed", 64, 16, 3, 4, true, false },
    { "histo_count_plane_dot", 64, 0, 3, 4, false, true },
    { "histo_count_plane_dot", 64, 16, 3, 1, false, true },
    { "histo_count_small", 64, 0, 3, MOST, false, false },
    { "histo_count", 64, 8, 3, 1, false, false },
    { "histo_count", 60, 0, 3, 1, false, false },
    { "histo_count", 60, 4, 3, 4, true, false },
    { "histo_count_dot", 64, 0, 3, 4, true, true },
  };
  static const uint8_t zeros[(MOST + 1) * SPACE];
  static struct histo_frame frames[MOST], operands[MOST];
  struct histo_stats stats = { 0 };
  struct test_device *device;
  CUdeviceptr memory;

  begin_script ();
  device = test_device_open (false);
  memory = test_device_store (device, zeros, sizeof zeros, sizeof zeros);
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct histo_engine *engine = open_fake (MOST);
    const uint64_t launches = fake->launches (cases[c].kernel), all = fake->function_calls ("cuLaunchKernel");
    histo_ticket first;

    for (unsigned f = 0; f < cases[c].count; f++) {
      frames[f] = (struct histo_frame){
        .memory = HISTO_MEMORY_DEVICE,
        .plane_count = 1,
        .planes = { { .data = (const void *)(uintptr_t)(memory + (cases[c].is_listed ? f ^ 1 : f) * SPACE),
                      .stride_bytes = cases[c].width + cases[c].gap,
                      .height = cases[c].height } },
        .component_count = 1,
        .components = { { .step_bytes = 1, .width = cases[c].width, .sample_bytes = 1, .depth = 8 } },
      };
      operands[f] = frames[f];
      operands[f].planes[0].data = (const uint8_t *)frames[f].planes[0].data + SPACE / 2;
      frames[f].operand = cases[c].has_operand ? &operands[f] : NULL;
    }
    ck_assert_int_eq (histo_submit_many (engine, frames, cases[c].count, &first), HISTO_OK);
    for (unsigned f = 0; f < cases[c].count; f++)
      ck_assert_int_eq (histo_collect (engine, first + f, &stats), HISTO_OK);
    ck_assert_msg (fake->launches (cases[c].kernel) == launches + 1 && fake->function_calls ("cuLaunchKernel") == all + 1,
                   "case %u was not counted by one launch of %s", c, cases[c].kernel);
    histo_close (&engine);
  }
  histo_stats_clear (&stats);
  test_device_drop (device, memory);
  test_device_close (device);
  end_script ();
}
END_TEST

/* Two frames of bytes in device memory, whose numbers differ. */
struct two_frames {
  struct test_device *device;
  CUdeviceptr memory[2];
  struct histo_frame frames[2];
  struct test_count expected[2];
};

static void
make_two (struct two_frames *two, uint64_t seed)
{
  enum { LENGTH = 4096 };
  struct test_random random;

  test_random_init (&random, seed);
  two->device = test_device_open (false);
  for (unsigned i = 0; i < 2; i++) {
    struct test_frame bytes;

    test_frame_init_bytes (&bytes, LENGTH, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    test_frame_count (&bytes.frame, &two->expected[i]);
    two->memory[i] = test_device_store (two->device, bytes.memory[0].bytes, LENGTH, LENGTH);
    two->frames[i] = bytes.frame;
    two->frames[i].memory = HISTO_MEMORY_DEVICE;
    two->frames[i].planes[0].data = (const void *)(uintptr_t)two->memory[i];
    test_frame_clear (&bytes);
  }
}

static void
clear_two (struct two_frames *two)
{
  for (unsigned i = 0; i < 2; i++) {
    test_device_drop (two->device, two->memory[i]);
    test_count_clear (&two->expected[i]);
  }
  test_device_close (two->device);
}

/* Frames that went in one launch are waited for once, and the next launch in their slots is waited for as well. */
START_TEST (a_launch_is_waited_for_once)
{
  enum { IN_A_LAUNCH = 5 };
  static struct two_frames two;
  struct histo_stats stats = { 0 };
  struct histo_engine *engine;

  begin_script ();
  make_two (&two, 55);
  engine = open_fake (IN_A_LAUNCH); /* always in the same slots */
  for (unsigned round = 0; round < 4; round++) {
    struct histo_frame frames[IN_A_LAUNCH];
    histo_ticket first;
    uint64_t waits;

    for (unsigned i = 0; i < IN_A_LAUNCH; i++)
      frames[i] = two.frames[round % 2];
    fake->hold (FAKECUDA_HOLD_KERNELS);
    waits = fake->function_calls ("cuEventSynchronize");
    ck_assert_int_eq (histo_submit_many (engine, frames, IN_A_LAUNCH, &first), HISTO_OK);
    for (unsigned i = 0; i < IN_A_LAUNCH; i++) {
      ck_assert_int_eq (histo_collect (engine, first + i, &stats), HISTO_OK);
      ck_assert_pstr_eq (test_stats_difference (&two.expected[round % 2].stats, &stats), NULL);
    }
    ck_assert_uint_eq (fake->function_calls ("cuEventSynchronize"), waits + 1);
    fake->hold (FAKECUDA_HOLD_NOTHING);
  }
  histo_close (&engine);
  histo_stats_clear (&stats);
  clear_two (&two);
  end_script ();
}
END_TEST

struct many_traffic {
  struct histo_engine *engine;
  const struct histo_frame *frames; /* two, by turns */
  enum histo_status status;
};

enum { MANY_LAUNCHES = 300, MANY_MOST = 5 };

static unsigned
many_in_launch (unsigned n)
{
  return 1 + n * 7 % MANY_MOST;
}

static void *
submit_many (void *data)
{
  struct many_traffic *traffic = data;
  histo_ticket expected = 1, first;

  for (unsigned n = 0; n < MANY_LAUNCHES && traffic->status == HISTO_OK;) {
    struct histo_frame frames[MANY_MOST];
    enum histo_status status;

    for (unsigned i = 0; i < many_in_launch (n); i++)
      frames[i] = traffic->frames[(expected + i) % 2];
    status = histo_submit_many (traffic->engine, frames, many_in_launch (n), &first);
    if (status == HISTO_ERROR_BUSY)
      nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
    else if (status != HISTO_OK || first != expected)
      traffic->status = status != HISTO_OK ? status : HISTO_ERROR_INVALID;
    else
      expected += many_in_launch (n++);
  }
  return NULL;
}

/* One thread submits launches of one to five frames, another collects. */
START_TEST (many_frames_from_two_threads)
{
  static struct two_frames two;
  struct many_traffic traffic = { .frames = two.frames, .status = HISTO_OK };
  struct histo_stats stats = { 0 };
  histo_ticket last = 0;
  pthread_t submitter;
  time_t begin = time (NULL);

  begin_script ();
  make_two (&two, 56);
  for (unsigned n = 0; n < MANY_LAUNCHES; n++)
    last += many_in_launch (n);
  traffic.engine = open_fake (2 * MANY_MOST + 1);
  ck_assert_int_eq (pthread_create (&submitter, NULL, submit_many, &traffic), 0);
  for (histo_ticket ticket = 1; ticket <= last;) {
    enum histo_status status = histo_collect (traffic.engine, ticket, &stats);

    if (status == HISTO_ERROR_INVALID) { /* not submitted yet */
      nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
      TEST_REQUIRE (time (NULL) - begin < 60, "ticket %u never comes", (unsigned)ticket);
      continue;
    }
    TEST_REQUIRE (status == HISTO_OK, "%s", histo_status_text (status));
    ck_assert_pstr_eq (test_stats_difference (&two.expected[ticket % 2].stats, &stats), NULL);
    ticket++;
  }
  pthread_join (submitter, NULL);
  ck_assert_int_eq (traffic.status, HISTO_OK);
  histo_close (&traffic.engine);
  histo_stats_clear (&stats);
  clear_two (&two);
  end_script ();
}
END_TEST

/* dot=previous: with ids, an operand that is still on the device is not copied again. */
START_TEST (an_operand_with_an_id_is_copied_once)
{
  enum { COUNT = 20 };
  struct test_frame frames[2];
  struct test_random random;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  static struct test_count expected;
  uint64_t copies;

  begin_script ();
  test_random_init (&random, 52);
  for (unsigned i = 0; i < 2; i++)
    test_frame_init_bytes (&frames[i], 4000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  engine = open_fake (2);
  copies = fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync");
  for (unsigned n = 0; n < COUNT; n++) {
    struct test_frame *frame = &frames[n % 2], *previous = &frames[(n + 1) % 2];

    test_frame_refill (frame, TEST_FILL_RANDOM, &random);
    frame->frame.id = 1000 + n;
    frame->frame.operand = n > 0 ? &previous->frame : NULL;
    test_frame_count (&frame->frame, &expected);
    ck_assert_int_eq (test_engine_count (engine, &frame->frame, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  }
  copies = fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync") - copies;
  ck_assert_uint_eq (copies, COUNT);
  histo_stats_clear (&stats);
  histo_close (&engine);
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&frames[i]);
  end_script ();
}
END_TEST

/* ---- the way to the device ------------------------------------------------------------------------------------------ */

static uint64_t
count_copies (void)
{
  return fake->function_calls ("cuMemcpyHtoDAsync") + fake->function_calls ("cuMemcpy2DAsync");
}

/* Frames on all ways to the device: pageable ones that are staged, the second of which has the first for an operand and so
 * needs its copy; a small pageable one; a large pinned one, with or without an operand to stage; a small pinned one; one in
 * device memory. */
enum { STAGED, STAGED_AFTER, SMALL, PINNED, SMALL_PINNED, ON_DEVICE, WAYS, MIXED_FRAMES = 4 * WAYS };

struct mixed {
  struct test_device *device;
  struct test_frame frames[MIXED_FRAMES];
  void *pinned[MIXED_FRAMES];
  CUdeviceptr on_device[MIXED_FRAMES];
  struct histo_frame given[MIXED_FRAMES];
  struct test_count expected[MIXED_FRAMES];
};

static void
make_mixed (struct mixed *mixed)
{
  static const char *const layouts[WAYS] = { "NV12", "NV12", "bytes", "GRAY8", "bytes", "GRAY8" };
  struct test_random random;

  test_random_init (&random, 56);
  mixed->device = test_device_open (false);
  test_device_enter (mixed->device);
  for (unsigned f = 0; f < MIXED_FRAMES; f++) {
    struct test_frame *frame = &mixed->frames[f];
    struct test_geometry geometry = { .width = 401, .height = 403, .extra_stride_bytes = 3 };
    const struct histo_frame *operand = NULL;
    unsigned way = f % WAYS;
    size_t size;

    if (way == SMALL || way == SMALL_PINNED)
      test_frame_init_bytes (frame, SOME_COPIED - f, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
    else
      test_frame_init (frame, test_layout_find (layouts[way]), &geometry, TEST_FILL_RANDOM, &random);
    frame->frame.id = f + 1;
    mixed->given[f] = frame->frame;
    size = frame->memory[0].size;
    if (way == PINNED || way == SMALL_PINNED) {
      mixed->pinned[f] = test_device_alloc_pinned (mixed->device, size);
      memcpy (mixed->pinned[f], frame->frame.planes[0].data, size);
      mixed->given[f].planes[0].data = mixed->pinned[f];
    } else if (way == ON_DEVICE) {
      mixed->on_device[f] = test_device_alloc (mixed->device, size);
      test_device_upload (mixed->device, mixed->on_device[f], frame->frame.planes[0].data, size, mixed->device->stream);
      mixed->given[f].planes[0].data = (const void *)(uintptr_t)mixed->on_device[f];
      mixed->given[f].memory = HISTO_MEMORY_DEVICE;
      mixed->given[f].stream = mixed->device->stream;
    }
    if (way == STAGED_AFTER)
      operand = &mixed->frames[f - 1].frame;
    else if (way == PINNED && f < MIXED_FRAMES / 2)
      operand = &frame->frame;
    mixed->given[f].operand = frame->frame.operand = operand;
    test_frame_count (&frame->frame, &mixed->expected[f]);
  }
  test_device_leave (mixed->device);
}

static void
clear_mixed (struct mixed *mixed)
{
  test_device_enter (mixed->device);
  for (unsigned f = 0; f < MIXED_FRAMES; f++) {
    test_device_free_pinned (mixed->device, mixed->pinned[f]);
    test_device_free (mixed->device, mixed->on_device[f]);
    test_frame_clear (&mixed->frames[f]);
  }
  test_device_leave (mixed->device);
  test_device_close (mixed->device);
  memset (mixed, 0, sizeof *mixed);
}

static void
submit_mixed (struct histo_engine *engine, const struct mixed *mixed)
{
  for (unsigned f = 0; f < MIXED_FRAMES; f++) {
    histo_ticket ticket;

    ck_assert_msg (histo_submit (engine, &mixed->given[f], &ticket) == HISTO_OK, "%s", test_log.text);
  }
}

static void
collect_mixed (struct histo_engine *engine, const struct mixed *mixed, histo_ticket first)
{
  struct histo_stats stats = { 0 };

  for (unsigned f = 0; f < MIXED_FRAMES; f++) {
    ck_assert_msg (histo_collect (engine, first + f, &stats) == HISTO_OK, "%s", test_log.text);
    ck_assert_pstr_eq (test_stats_difference (&mixed->expected[f].stats, &stats), NULL);
  }
  histo_stats_clear (&stats);
}

static void *
unblock_later (void *unused)
{
  (void)unused;
  nanosleep (&(struct timespec){ .tv_nsec = 50000000 }, NULL);
  fake->block (NULL);
  return NULL;
}

/* A frame that is not yet on its way to the device holds up none but those behind it, and them only at their launch. */
START_TEST (frames_wait_for_their_turn)
{
  static const enum fakecuda_hold holds[]
      = { FAKECUDA_HOLD_NOTHING, FAKECUDA_HOLD_COPIES, FAKECUDA_HOLD_KERNELS, FAKECUDA_HOLD_EVENTS, FAKECUDA_HOLD_TAILS };
  static struct mixed mixed;

  for (unsigned i = 0; i < sizeof holds / sizeof *holds; i++) {
    struct histo_engine *engine;
    pthread_t thread;
    uint64_t launches;

    begin_script ();
    make_mixed (&mixed);
    engine = open_fake (MIXED_FRAMES + 3);
    submit_mixed (engine, &mixed);
    collect_mixed (engine, &mixed, 1);

    fake->hold (holds[i]);
    launches = fake->function_calls ("cuLaunchKernel");
    fake->block ("cuMemcpyHtoDAsync"); /* the staging's alone */
    submit_mixed (engine, &mixed);
    for (unsigned f = 0; f < MIXED_FRAMES; f++)
      ck_assert (!histo_ready (engine, MIXED_FRAMES + 1 + f));
    ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel"), launches);
    ck_assert_int_eq (pthread_create (&thread, NULL, unblock_later, NULL), 0);
    collect_mixed (engine, &mixed, MIXED_FRAMES + 1);
    pthread_join (thread, NULL);
    ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel"), launches + MIXED_FRAMES);
    histo_close (&engine);
    clear_mixed (&mixed);
    end_script ();
  }
}
END_TEST

/* Frames wait for one that is never counted: none of them may be taken for counted, and none may be waited for. */
START_TEST (a_failure_of_the_staging_is_everybodys)
{
  static const char *const functions[] = { "cuMemcpyHtoDAsync", "cuEventRecord",     "cuEventSynchronize",
                                           "cuCtxPushCurrent",  "cuStreamWaitEvent", "cuLaunchKernel" };
  static struct mixed mixed;

  for (unsigned i = 0; i < 2 * sizeof functions / sizeof *functions; i++) {
    const char *function = functions[i / 2];
    struct histo_engine *engine;
    struct histo_stats stats = { 0 };
    histo_ticket ticket;
    pthread_t thread;
    unsigned failures = 0;

    begin_script ();
    make_mixed (&mixed);
    engine = open_fake (MIXED_FRAMES + 1);
    fake->block ("cuMemcpyHtoDAsync");
    submit_mixed (engine, &mixed);
    fake->fail_function (function, 1, UNKNOWN, i % 2);
    ck_assert_int_eq (pthread_create (&thread, NULL, unblock_later, NULL), 0);
    for (unsigned f = 0; f < MIXED_FRAMES; f++) {
      enum histo_status status = histo_collect (engine, f + 1, &stats);

      failures += status != HISTO_OK;
      if (status == HISTO_OK)
        ck_assert_pstr_eq (test_stats_difference (&mixed.expected[f].stats, &stats), NULL);
      else
        ck_assert_int_eq (status, HISTO_ERROR_DEVICE);
    }
    ck_assert_msg (failures > 0, "nobody noticed %s", function);
    ck_assert_int_eq (histo_submit (engine, &mixed.given[0], &ticket), HISTO_ERROR_DEVICE);
    assert_reason (function);
    pthread_join (thread, NULL);
    histo_stats_clear (&stats);
    histo_close (&engine);
    ck_assert_msg (fake->faults () == 0, "%s", fake->fault_text ());
    fake->reset (); /* a device that works, to give back what is the test's */
    clear_mixed (&mixed);
    end_script ();
  }
}
END_TEST

/* With frames at every stage of their way. */
START_TEST (close_ends_the_staging)
{
  static struct mixed mixed;

  for (unsigned i = 0; i < 20; i++) {
    struct histo_engine *engine;
    pthread_t thread;

    begin_script ();
    make_mixed (&mixed);
    engine = open_fake (MIXED_FRAMES);
    if (i < 4)
      fake->block ("cuMemcpyHtoDAsync");
    fake->hold ((enum fakecuda_hold) (i % FAKECUDA_HOLDS));
    submit_mixed (engine, &mixed);
    if (i < 4)
      ck_assert_int_eq (pthread_create (&thread, NULL, unblock_later, NULL), 0);
    histo_close (&engine);
    if (i < 4)
      pthread_join (thread, NULL);
    clear_mixed (&mixed);
    end_script ();
  }
}
END_TEST

/* More than the staging's memory holds, and no copy ends before somebody waits for it. */
START_TEST (staging_uses_its_memory_again)
{
  enum { COUNT = 3, BYTES = 6 << 20 };
  struct test_frame frames[COUNT];
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  static struct test_count expected;
  struct test_random random;
  histo_ticket ticket;

  begin_script ();
  test_random_init (&random, 57);
  engine = open_fake (COUNT);
  fake->hold (FAKECUDA_HOLD_COPIES);
  for (unsigned i = 0; i < COUNT; i++) {
    test_frame_init_bytes (&frames[i], BYTES + i, 1, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
    ck_assert_int_eq (histo_submit (engine, &frames[i].frame, &ticket), HISTO_OK);
  }
  for (unsigned i = 0; i < COUNT; i++) {
    test_frame_count (&frames[i].frame, &expected);
    ck_assert_int_eq (histo_collect (engine, i + 1, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    test_frame_clear (&frames[i]);
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
  end_script ();
}
END_TEST

/* What a frame costs: small ones nothing but a launch, pinned or not, with and without an operand. */
START_TEST (small_frames_are_not_copied)
{
  struct test_frame frame, operand;
  struct test_device *device;
  struct test_random random;
  struct histo_stats stats = { 0 };
  static struct test_count expected;
  uint8_t *pinned;

  begin_script ();
  test_random_init (&random, 58);
  test_frame_init_bytes (&frame, 1000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  test_frame_init_bytes (&operand, 1000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  device = test_device_open (false);
  test_device_enter (device);
  pinned = test_device_alloc_pinned (device, 1000);
  test_device_leave (device);
  memcpy (pinned, frame.frame.planes[0].data, 1000);
  for (unsigned i = 0; i < 8; i++) {
    bool is_small = i & 1, is_pinned = i & 2, has_operand = i & 4;
    struct histo_frame given = frame.frame;
    struct histo_engine *engine;
    uint64_t launches, copies, waits;

    histo_cuda_zero_copy_bytes = is_small ? 1024 : 1023; /* copies come in units of 256 bytes */
    if (is_pinned)
      given.planes[0].data = pinned;
    frame.frame.operand = has_operand ? &operand.frame : NULL;
    given.operand = frame.frame.operand;
    test_frame_count (&frame.frame, &expected);
    engine = open_fake (2);
    copies = count_copies ();
    waits = fake->function_calls ("cuStreamWaitEvent");
    launches = fake->function_calls ("cuLaunchKernel");
    ck_assert_int_eq (test_engine_count (engine, &given, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    ck_assert_uint_eq (count_copies () - copies, (is_small ? 0u : 1u + has_operand));
    ck_assert_uint_eq (fake->function_calls ("cuStreamWaitEvent") - waits, !is_small);
    ck_assert_uint_eq (fake->function_calls ("cuLaunchKernel") - launches, 1);
    histo_close (&engine);
  }
  test_device_enter (device);
  test_device_free_pinned (device, pinned);
  test_device_leave (device);
  test_device_close (device);
  histo_stats_clear (&stats);
  test_frame_clear (&frame);
  test_frame_clear (&operand);
  end_script ();
}
END_TEST

/* ---- what a frame takes --------------------------------------------------------------------------------------------- */

/* A frame that needs memory of one kind after another: at first the copy of a pageable frame and the staging, the room of a
 * small one, what many in a launch share, words of many bins, sums of rows and columns. */
enum needy_kind { NEEDY_STAGED, NEEDY_SMALL, NEEDY_PINNED, NEEDY_DEEP, NEEDY_PROJECTED, NEEDY_MANY, NEEDY_KINDS };

struct needy {
  struct test_device *device;
  struct test_frame frame, operand;
  struct histo_frame given[2];
  unsigned count;
  void *pinned;
  CUdeviceptr on_device;
  struct test_count expected;
};

static void
make_needy (struct needy *needy, enum needy_kind kind)
{
  const struct test_geometry geometry = { .width = 401, .height = 403, .extra_stride_bytes = 3 };
  struct test_random random;

  memset (needy, 0, sizeof *needy);
  test_random_init (&random, 59);
  needy->device = test_device_open (false);
  needy->count = 1;
  if (kind == NEEDY_SMALL) {
    test_frame_init_bytes (&needy->frame, SOME_COPIED, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  } else {
    const struct test_layout *layout = test_layout_find (kind == NEEDY_DEEP ? "P010_10LE" : "GRAY8");

    test_frame_init (&needy->frame, layout, &geometry, TEST_FILL_RANDOM, &random);
    test_frame_init (&needy->operand, layout, &geometry, TEST_FILL_RANDOM, &random);
    needy->frame.frame.operand = kind == NEEDY_STAGED || kind == NEEDY_DEEP ? &needy->operand.frame : NULL;
  }
  for (unsigned c = 0; kind == NEEDY_DEEP && c < 3; c++)
    needy->frame.frame.components[c].bins = needy->operand.frame.components[c].bins = 1024;
  needy->frame.frame.project = kind == NEEDY_PROJECTED;
  needy->given[0] = needy->frame.frame;
  test_device_enter (needy->device);
  if (kind == NEEDY_PINNED) {
    needy->pinned = test_device_alloc_pinned (needy->device, needy->frame.memory[0].size);
    memcpy (needy->pinned, needy->frame.frame.planes[0].data, needy->frame.memory[0].size);
    needy->given[0].planes[0].data = needy->pinned;
  } else if (kind == NEEDY_MANY) {
    needy->on_device = test_device_alloc (needy->device, needy->frame.memory[0].size);
    test_device_upload (needy->device, needy->on_device, needy->frame.frame.planes[0].data, needy->frame.memory[0].size, NULL);
    needy->given[0].planes[0].data = (const void *)(uintptr_t)needy->on_device;
    needy->given[0].memory = HISTO_MEMORY_DEVICE;
    needy->count = 2;
  }
  test_device_leave (needy->device);
  needy->given[1] = needy->given[0];
  test_frame_count (&needy->frame.frame, &needy->expected);
}

static void
clear_needy (struct needy *needy)
{
  test_device_enter (needy->device);
  test_device_free_pinned (needy->device, needy->pinned);
  test_device_free (needy->device, needy->on_device);
  test_device_leave (needy->device);
  test_device_close (needy->device);
  test_frame_clear (&needy->frame);
  test_frame_clear (&needy->operand);
  test_count_clear (&needy->expected);
}

/* Memory that is not there refuses a frame, in words, and does nothing to the frames in flight,
 * nor to the same frame a moment later. */
START_TEST (a_frame_without_memory_is_refused)
{
  static const char *const functions[] = { "cuMemAlloc", "cuMemHostAlloc" };
  static struct needy needy;
  struct histo_stats stats = { 0 };
  unsigned refused[NEEDY_KINDS] = { 0 };

  for (unsigned kind = 0; kind < NEEDY_KINDS; kind++)
    for (unsigned f = 0; f < sizeof functions / sizeof *functions; f++)
      for (unsigned n = 1, struck = 1; struck > 0; n++) {
        struct histo_engine *engine;
        struct test_frame before;
        struct test_random random;
        static struct test_count expected;
        histo_ticket first, ticket;
        enum histo_status status;

        begin_script ();
        test_random_init (&random, 60);
        test_frame_init_bytes (&before, 5000, 1, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
        test_frame_count (&before.frame, &expected);
        make_needy (&needy, kind);
        engine = open_fake (5);
        fake->hold (FAKECUDA_HOLD_KERNELS);
        ck_assert_int_eq (histo_submit (engine, &before.frame, &first), HISTO_OK);
        fake->fail_function (functions[f], n, OUT_OF_MEMORY, false);
        status = histo_submit_many (engine, needy.given, needy.count, &ticket);
        struck = fake->has_failed ();
        ck_assert_int_eq (status, struck ? HISTO_ERROR_NO_MEMORY : HISTO_OK);
        refused[kind] += struck;
        if (struck) {
          assert_reason ("histo_submit_many");
          ck_assert_int_eq (histo_submit_many (engine, needy.given, needy.count, &ticket), HISTO_OK);
        }
        ck_assert_uint_eq (ticket, first + 1);
        ck_assert_int_eq (histo_collect (engine, first, &stats), HISTO_OK);
        ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
        for (unsigned i = 0; i < needy.count; i++) {
          ck_assert_int_eq (histo_collect (engine, ticket + i, &stats), HISTO_OK);
          ck_assert_pstr_eq (test_stats_difference (&needy.expected.stats, &stats), NULL);
        }
        histo_close (&engine);
        clear_needy (&needy);
        test_frame_clear (&before);
        end_script ();
      }
  for (unsigned kind = 0; kind < NEEDY_KINDS; kind++)
    ck_assert_msg (refused[kind] > 0, "no frame of kind %u needed memory", kind);
  histo_stats_clear (&stats);
}
END_TEST

/* A frame that was refused is nobody's operand, although it has an id and was on its way to the device. */
START_TEST (a_refused_frame_leaves_no_copy)
{
  enum { ROUNDS = 6 };
  static struct test_count expected[2];
  struct test_frame frames[2], refused;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  struct test_random random;

  begin_script ();
  test_random_init (&random, 61);
  for (unsigned i = 0; i < 2; i++)
    test_frame_init_bytes (&frames[i], 5000 + i, 0, TEST_GUARD_NONE, TEST_FILL_RANDOM, &random);
  test_frame_init (&refused, test_layout_find ("GRAY8"), &(struct test_geometry){ .width = 50, .height = 100 },
                   TEST_FILL_RANDOM, &random);
  refused.frame.project = true;
  refused.frame.id = 5;
  test_frame_count (&frames[0].frame, &expected[0]);
  frames[1].frame = refused.frame;
  frames[1].frame.project = false;
  frames[1].frame.id = 6;
  frames[1].frame.operand = &refused.frame;
  test_frame_count (&frames[1].frame, &expected[1]);
  engine = open_fake (4);
  fake->hold (FAKECUDA_HOLD_KERNELS);
  for (unsigned round = 0; round < ROUNDS; round++) {
    histo_ticket first, second, ticket;

    ck_assert_int_eq (histo_submit (engine, &frames[0].frame, &first), HISTO_OK);
    for (unsigned i = 0; i < 3; i++) {
      fake->fail_function ("cuMemAlloc", round == 0 && i == 0 ? 2 : 1, OUT_OF_MEMORY, false); /* the sums', after the copy's */
      ck_assert_int_eq (histo_submit (engine, &refused.frame, &ticket), HISTO_ERROR_NO_MEMORY);
      test_log_clear (&test_log);
    }
    fake->fail_function ("cuMemAlloc", 0, 0, false);
    ck_assert_int_eq (histo_submit (engine, &frames[1].frame, &second), HISTO_OK);
    ck_assert_int_eq (histo_collect (engine, first, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected[0].stats, &stats), NULL);
    ck_assert_int_eq (histo_collect (engine, second, &stats), HISTO_OK);
    ck_assert_pstr_eq (test_stats_difference (&expected[1].stats, &stats), NULL);
  }
  histo_stats_clear (&stats);
  histo_close (&engine);
  for (unsigned i = 0; i < 2; i++)
    test_frame_clear (&frames[i]);
  test_frame_clear (&refused);
  end_script ();
}
END_TEST

/* Rows further apart than the copy engine takes, in pinned memory; and a projection of as many rows as there can be. */
START_TEST (strides_and_heights_at_the_limit)
{
  enum { WIDTH = 100 };
  const size_t stride = (size_t)INT32_MAX + 1;
  struct test_device *device;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  struct test_random random;
  struct histo_frame tall = { .memory = HISTO_MEMORY_DEVICE,
                              .plane_count = 1,
                              .component_count = 1,
                              .planes = { { (const void *)(uintptr_t)256, 16, UINT32_MAX } },
                              .components = { { .step_bytes = 1, .width = 1, .sample_bytes = 1, .depth = 8 } },
                              .project = true };
  static struct test_count expected;
  struct histo_frame frame = tall;
  uint8_t *pinned;
  histo_ticket ticket;

  begin_script ();
  test_random_init (&random, 62);
  device = test_device_open (false);
  test_device_enter (device);
  pinned = test_device_alloc_pinned (device, stride + WIDTH);
  test_device_leave (device);
  test_random_bytes (&random, pinned, WIDTH);
  test_random_bytes (&random, pinned + stride, WIDTH);
  frame.memory = HISTO_MEMORY_HOST;
  frame.planes[0] = (struct histo_plane){ pinned, stride, 2 };
  frame.components[0].width = WIDTH;
  frame.project = false;
  test_frame_count (&frame, &expected);
  histo_cuda_zero_copy_bytes = 0;
  engine = open_fake (2);
  ck_assert_msg (test_engine_count (engine, &frame, &stats) == HISTO_OK, "%s", test_log.text);
  ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
  fake->fail_function ("cuMemAlloc", 1, OUT_OF_MEMORY, false); /* 32 GiB of sums */
  ck_assert_int_eq (histo_submit (engine, &tall, &ticket), HISTO_ERROR_NO_MEMORY);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
  histo_close (&engine);
  histo_stats_clear (&stats);
  test_device_enter (device);
  test_device_free_pinned (device, pinned);
  test_device_leave (device);
  test_device_close (device);
  end_script ();
}
END_TEST

/* Copies are as late as they can be: weights are there before a kernel reads them, in every stream;
 * without memory for them they stay what they were. */
START_TEST (weights_arrive_before_they_are_used)
{
  enum { WIDTH = 40, HEIGHT = 30, FRAMES_AT_ONCE = 2, ROUNDS = 10 };
  const struct test_geometry geometry = { .width = WIDTH, .height = HEIGHT };
  struct histo_weights weights[HISTO_MAX_COMPONENTS] = { { 0 } };
  int16_t row[WIDTH], column[HEIGHT];
  struct test_frame frame;
  struct histo_frame on_device;
  struct test_device *device;
  CUdeviceptr memory;
  struct histo_engine *engine;
  struct histo_stats stats = { 0 };
  struct test_random random;
  static struct test_count expected;
  histo_ticket ticket;

  begin_script ();
  test_random_init (&random, 63);
  test_frame_init (&frame, test_layout_find ("GRAY8"), &geometry, TEST_FILL_RANDOM, &random);
  frame.frame.project = true;
  test_frame_count (&frame.frame, &expected);
  device = test_device_open (false);
  memory = test_device_store (device, frame.frame.planes[0].data, WIDTH * HEIGHT, WIDTH * HEIGHT);
  on_device = frame.frame;
  on_device.memory = HISTO_MEMORY_DEVICE;
  on_device.planes[0].data = (const void *)(uintptr_t)memory;
  engine = open_fake (FRAMES_AT_ONCE);
  fake->hold (FAKECUDA_HOLD_COPIES);
  for (unsigned round = 0; round < ROUNDS; round++) {
    test_random_bytes (&random, (uint8_t *)row, sizeof row);
    test_random_bytes (&random, (uint8_t *)column, sizeof column);
    weights[0] = (struct histo_weights){ row, WIDTH, column, HEIGHT };
    ck_assert_int_eq (histo_set_weights (engine, 0, &weights[0]), HISTO_OK);
    test_frame_project (&frame.frame, weights, &expected);
    memset (row, 0, sizeof row);
    for (unsigned n = 1; round == 0 && n <= 2; n++) {
      fake->fail_function ("cuMemAlloc", n, OUT_OF_MEMORY, false);
      ck_assert_int_eq (histo_set_weights (engine, 0, &weights[0]), HISTO_ERROR_NO_MEMORY);
    }
    for (unsigned i = 0; i < FRAMES_AT_ONCE; i++)
      ck_assert_int_eq (histo_submit (engine, &on_device, &ticket), HISTO_OK);
    for (unsigned i = 0; i < FRAMES_AT_ONCE; i++) {
      ck_assert_int_eq (histo_collect (engine, ticket - 1 + i, &stats), HISTO_OK);
      ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
    }
  }
  histo_close (&engine);
  histo_stats_clear (&stats);
  test_count_clear (&expected);
  test_device_drop (device, memory);
  test_device_close (device);
  test_frame_clear (&frame);
  end_script ();
}
END_TEST

/* The end of each kernel is as late as it can be, which its numbers do not wait for:
 * a slot's next frame comes after it, on either stream. */
START_TEST (numbers_come_before_the_end)
{
  enum { LAUNCHES = 40, BYTES = 4096 };
  static struct two_frames two;
  struct histo_stats stats = { 0 };

  begin_script ();
  make_two (&two, 64);
  for (unsigned slots = 1; slots <= 5; slots++) {
    struct histo_engine *engine = open_fake (slots);
    struct histo_frame host[2];
    void *pinned[2];
    histo_ticket oldest = 1, newest = 0;
    unsigned is_over = 0;

    test_device_enter (two.device);
    for (unsigned i = 0; i < 2; i++) {
      pinned[i] = test_device_alloc_pinned (two.device, BYTES);
      ck_assert_int_eq ((int)two.device->driver.cuMemcpyDtoHAsync (pinned[i], two.memory[i], BYTES, two.device->stream), 0);
      ck_assert_int_eq ((int)two.device->driver.cuStreamSynchronize (two.device->stream), 0);
      host[i] = two.frames[i];
      host[i].memory = HISTO_MEMORY_HOST;
      host[i].planes[0].data = pinned[i];
    }
    test_device_leave (two.device);
    fake->hold (FAKECUDA_HOLD_TAILS);
    while (oldest <= LAUNCHES) {
      for (; newest < LAUNCHES && newest - oldest + 1 < slots; newest++) {
        histo_ticket ticket;

        ck_assert_int_eq (histo_submit (engine, newest % 7 == 3 ? &host[newest % 2] : &two.frames[newest % 2], &ticket),
                          HISTO_OK);
      }
      /* Collect looks for the numbers for a moment only. Some come with the end of the kernel before. */
      for (unsigned i = 0; i < 50 && !histo_ready (engine, oldest); i++)
        nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
      ck_assert_msg (histo_collect (engine, oldest, &stats) == HISTO_OK, "%s", test_log.text);
      ck_assert_pstr_eq (test_stats_difference (&two.expected[(oldest - 1) % 2].stats, &stats), NULL);
      is_over += fake->pending () == 0;
      oldest++;
    }
    fake->hold (FAKECUDA_HOLD_NOTHING);
    histo_close (&engine);
    ck_assert_msg (fake->faults () == 0, "%u slots: %s", slots, fake->fault_text ());
    ck_assert_uint_lt (is_over, LAUNCHES);
    test_device_enter (two.device);
    for (unsigned i = 0; i < 2; i++)
      test_device_free_pinned (two.device, pinned[i]);
    test_device_leave (two.device);
  }
  histo_stats_clear (&stats);
  clear_two (&two);
  end_script ();
}
END_TEST

/* Each frame needs more memory than the last one in its slot, for its numbers or for the copy of its operand, and the end of
 * that one's kernel is as late as it can be. */
START_TEST (memory_stays_until_the_end)
{
  enum { COUNT = 3, LENGTH = 3000 };
  static const unsigned depths[COUNT] = { 11, 12, 16 };
  struct test_random random;

  test_random_init (&random, 65);
  for (unsigned i = 0; i < 2; i++) {
    const bool has_operand = i > 0;
    struct histo_stats stats = { 0 };
    struct histo_engine *engine;

    begin_script ();
    histo_cuda_zero_copy_bytes = 0;
    engine = open_fake (1);
    fake->hold (FAKECUDA_HOLD_TAILS);
    for (unsigned n = 0; n < COUNT; n++) {
      const unsigned depth = depths[has_operand ? 0 : n];
      const size_t length = has_operand ? LENGTH * (n + 1) : LENGTH;
      struct test_frame bytes[2];
      static struct test_count expected;
      struct timespec begin;
      histo_ticket ticket;

      for (unsigned b = 0; b < 2; b++) {
        test_frame_init_bytes (&bytes[b], length, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
        bytes[b].frame.components[0] = (struct histo_component){
          .step_bytes = 2, .width = length / 2, .sample_bytes = 2, .depth = depth, .bins = 1U << depth
        };
      }
      bytes[0].frame.operand = has_operand ? &bytes[1].frame : NULL;
      test_frame_count (&bytes[0].frame, &expected);
      ck_assert_msg (histo_submit (engine, &bytes[0].frame, &ticket) == HISTO_OK, "%s", test_log.text);
      ck_assert_msg (fake->faults () == 0, "frame %u: %s", n, fake->fault_text ());
      clock_gettime (CLOCK_MONOTONIC, &begin);
      while (depth <= 12 && !histo_ready (engine, ticket) && elapsed_ms (begin) < 20000)
        nanosleep (&(struct timespec){ .tv_nsec = 100000 }, NULL);
      if (depth <= 12) { /* the numbers of deeper samples are copied, and so they come after the end */
        ck_assert_msg (histo_ready (engine, ticket), "frame %u: nobody waited for the end of the one before", n);
        ck_assert_msg (fake->pending () > 0, "frame %u: its end has come", n);
      }
      ck_assert_int_eq (histo_collect (engine, ticket, &stats), HISTO_OK);
      ck_assert_pstr_eq (test_stats_difference (&expected.stats, &stats), NULL);
      test_count_clear (&expected);
      for (unsigned b = 0; b < 2; b++)
        test_frame_clear (&bytes[b]);
    }
    fake->hold (FAKECUDA_HOLD_NOTHING);
    histo_stats_clear (&stats);
    histo_close (&engine);
    end_script ();
  }
}
END_TEST

struct submission {
  struct histo_engine *engine;
  const struct histo_frame *frame;
  histo_ticket ticket;
  enum histo_status status;
};

static void *
submit_one (void *data)
{
  struct submission *submission = data;

  submission->status = histo_submit (submission->engine, submission->frame, &submission->ticket);
  return NULL;
}

/* While one frame waits for memory, another one that was submitted before is launched and collected. */
START_TEST (who_allocates_holds_nobody_up)
{
  static struct scene scene;
  const struct timespec step = { .tv_nsec = 1000000 };
  struct histo_stats stats = { 0 };
  struct submission submission;
  struct timespec begin;
  histo_ticket staged;
  pthread_t submitter;
  uint64_t allocations;

  begin_script ();
  make_scene (&scene);
  histo_cuda_zero_copy_bytes = 0;
  submission = (struct submission){ .engine = open_fake (2), .frame = &scene.frames[6].frame };
  fake->block ("cuMemcpyHtoDAsync");
  ck_assert_int_eq (histo_submit (submission.engine, &scene.frames[1].frame, &staged), HISTO_OK);
  fake->block_also ("cuMemHostGetDevicePointer"); /* of the words that the frame needs for itself */
  allocations = fake->function_calls ("cuMemHostAlloc");
  ck_assert_int_eq (pthread_create (&submitter, NULL, submit_one, &submission), 0);
  clock_gettime (CLOCK_MONOTONIC, &begin);
  while (fake->function_calls ("cuMemHostAlloc") == allocations && elapsed_ms (begin) < 10000)
    nanosleep (&step, NULL);
  ck_assert_uint_gt (fake->function_calls ("cuMemHostAlloc"), allocations);
  ck_assert (!histo_ready (submission.engine, staged));
  fake->block ("cuMemHostGetDevicePointer");
  while (!histo_ready (submission.engine, staged) && elapsed_ms (begin) < 20000)
    nanosleep (&step, NULL);
  ck_assert_msg (histo_ready (submission.engine, staged), "it waits for another frame's memory");
  ck_assert_int_eq (histo_collect (submission.engine, staged, &stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&scene.expected[1].stats, &stats), NULL);
  fake->block (NULL);
  pthread_join (submitter, NULL);
  ck_assert_int_eq (submission.status, HISTO_OK);
  ck_assert_int_eq (histo_collect (submission.engine, submission.ticket, &stats), HISTO_OK);
  ck_assert_pstr_eq (test_stats_difference (&scene.expected[6].stats, &stats), NULL);
  histo_stats_clear (&stats);
  histo_close (&submission.engine);
  clear_scene (&scene);
  end_script ();
}
END_TEST

/* ---- pinned memory -------------------------------------------------------------------------------------------------- */

enum { BLOCKS = 3, BLOCK_BYTES = 10000 };

static struct histo_frame
describe_block (const struct histo_block *block)
{
  return (struct histo_frame){ .plane_count = 1,
                               .component_count = 1,
                               .planes = { { block->data, BLOCK_BYTES, 1 } },
                               .components = { { .step_bytes = 1, .width = BLOCK_BYTES, .sample_bytes = 1, .depth = 8 } } };
}

/* Blocks can be had, are what they say and hold what is put into them, whatever became of the driver. */
static void
use_blocks (struct histo_pinner *pinner, struct histo_block blocks[BLOCKS])
{
  for (unsigned i = 0; i < BLOCKS; i++) {
    ck_assert_int_eq (histo_pinner_alloc (pinner, BLOCK_BYTES, &blocks[i]), HISTO_OK);
    ck_assert_uint_eq ((uintptr_t)blocks[i].data % 4096, 0);
    ck_assert_uint_ge (blocks[i].size_bytes, BLOCK_BYTES);
    memset (blocks[i].data, (int)i + 1, BLOCK_BYTES);
  }
}

static void
free_blocks (struct histo_pinner *pinner, struct histo_block blocks[BLOCKS])
{
  for (unsigned i = 0; i < BLOCKS; i++) {
    for (size_t at = 0; at < BLOCK_BYTES; at++)
      TEST_REQUIRE (((const uint8_t *)blocks[i].data)[at] == i + 1, "block %u changed", i);
    histo_pinner_free (pinner, &blocks[i]);
    ck_assert_ptr_null (blocks[i].data);
  }
}

START_TEST (pinned_memory_outlives_the_engine)
{
  for (unsigned own_context = 0; own_context < 2; own_context++) {
    struct histo_config config = config_for (HISTO_BACKEND_CUDA);
    struct histo_engine *engine = NULL;
    struct histo_pinner *pinner = NULL;
    struct histo_block blocks[BLOCKS], later[BLOCKS];
    struct histo_stats stats = { 0 };
    struct histo_frame frame;
    struct test_device *device;

    begin_script ();
    device = test_device_open (own_context);
    config.cuda_context = own_context ? device->context : NULL;
    ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
    ck_assert_int_eq (histo_pinner_open (engine, &pinner), HISTO_OK);
    if (!own_context)
      test_device_close (device); /* the engine and the pinner hold the primary context themselves */
    use_blocks (pinner, blocks);
    for (unsigned i = 0; i < BLOCKS; i++)
      ck_assert (blocks[i].is_pinned);
    frame = describe_block (&blocks[1]);
    ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_OK);
    ck_assert_uint_eq (stats.components[0].sum, 2 * BLOCK_BYTES);
    histo_close (&engine);
    use_blocks (pinner, later);
    for (unsigned i = 0; i < BLOCKS; i++)
      ck_assert (later[i].is_pinned);
    free_blocks (pinner, blocks);
    free_blocks (pinner, later);
    histo_pinner_close (&pinner);
    if (own_context)
      test_device_close (device);
    histo_stats_clear (&stats);
    end_script ();
  }
}
END_TEST

START_TEST (pinned_memory_outlives_the_device)
{
  struct histo_engine *engine;
  struct histo_pinner *pinner = NULL, *late = (struct histo_pinner *)(uintptr_t)8;
  struct histo_block blocks[BLOCKS], later[BLOCKS];
  struct histo_stats stats = { 0 };
  struct histo_frame frame;

  begin_script ();
  engine = open_fake (FRAMES);
  ck_assert_int_eq (histo_pinner_open (engine, &pinner), HISTO_OK);
  use_blocks (pinner, blocks);
  frame = describe_block (&blocks[0]);
  fake->fault_kernel (1);
  ck_assert_int_eq (test_engine_count (engine, &frame, &stats), HISTO_ERROR_DEVICE);
  test_log_clear (&test_log);
  use_blocks (pinner, later); /* ordinary memory, then */
  for (unsigned i = 0; i < BLOCKS; i++)
    ck_assert (!later[i].is_pinned);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_ERROR], 0);
  ck_assert_int_eq (histo_pinner_open (engine, &late), HISTO_ERROR_DEVICE);
  ck_assert_ptr_null (late);
  histo_close (&engine);
  free_blocks (pinner, later);
  free_blocks (pinner, blocks);
  histo_pinner_close (&pinner);
  histo_stats_clear (&stats);
  end_script ();
}
END_TEST

static enum histo_status
play_pins (bool engine_goes_first)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;
  struct histo_pinner *pinner = NULL;
  struct histo_block blocks[BLOCKS];
  struct histo_stats stats = { 0 };
  enum histo_status status = histo_open (&config, &engine);

  if (status != HISTO_OK)
    return status;
  status = histo_pinner_open (engine, &pinner);
  ck_assert ((status == HISTO_OK) == (pinner != NULL));
  if (status == HISTO_OK) {
    struct histo_frame frame;

    use_blocks (pinner, blocks);
    frame = describe_block (&blocks[2]);
    status = test_engine_count (engine, &frame, &stats);
    if (status == HISTO_OK)
      ck_assert_uint_eq (stats.components[0].sum, 3 * BLOCK_BYTES);
  } else {
    assert_reason ("histo_pinner_open");
  }
  if (engine_goes_first)
    histo_close (&engine);
  if (pinner != NULL)
    free_blocks (pinner, blocks);
  histo_pinner_close (&pinner);
  histo_close (&engine);
  histo_stats_clear (&stats);
  return status;
}

START_TEST (pinning_survives_each_call)
{
  for (unsigned way = 0; way < 8; way++) {
    bool has_failed = true;

    for (uint64_t n = 1; has_failed; n++) {
      enum histo_status status;

      begin_script ();
      fake->fail_call (n, way & 4 ? UNKNOWN : OUT_OF_MEMORY, way & 2);
      status = play_pins (way & 1);
      has_failed = fake->has_failed ();
      ck_assert_msg (has_failed || status == HISTO_OK, "%s", test_log.text);
      ck_assert_msg (fake->faults () == 0, "call %u: %s", (unsigned)n, fake->fault_text ());
      ck_assert_msg (fake->live () == live_before, "call %u: %u objects are still alive", (unsigned)n,
                     fake->live () - live_before);
      end_script ();
    }
  }
}
END_TEST

static void
add_fake_tests (Suite *suite)
{
  TEST_ADD (suite, no_device);
  TEST_ADD (suite, an_unusable_gpu_is_a_warning);
  TEST_ADD (suite, host_memory_is_exhausted);
  TEST_ADD (suite, a_device_number_that_does_not_exist);
  TEST_ADD (suite, the_first_device_that_opens);
  TEST_ADD (suite, the_first_of_several_devices_fails_later);
  TEST_ADD (suite, the_scene_plays);
  TEST_ADD (suite, each_call_fails_once);
  TEST_ADD (suite, each_call_loses_the_device);
  TEST_ADD (suite, auto_survives_each_call);
  TEST_ADD (suite, each_function_fails);
  TEST_ADD (suite, each_kernel_faults);
  TEST_ADD (suite, a_kernel_leaves_no_numbers);
  TEST_ADD (suite, submit_and_ready_do_not_wait);
  TEST_ADD (suite, held_frames_are_not_ready);
  TEST_ADD (suite, close_waits_for_the_device);
  TEST_ADD (suite, a_refused_frame_is_not_read_any_more);
  TEST_ADD (suite, old_numbers_are_not_taken_for_new);
  TEST_ADD (suite, a_frame_costs_one_launch);
  TEST_ADD (suite, simple_frames_have_kernels_of_their_own);
  TEST_ADD (suite, a_launch_is_waited_for_once);
  TEST_ADD (suite, many_frames_from_two_threads);
  TEST_ADD (suite, an_operand_with_an_id_is_copied_once);
  TEST_ADD (suite, frames_wait_for_their_turn);
  TEST_ADD (suite, a_failure_of_the_staging_is_everybodys);
  TEST_ADD (suite, close_ends_the_staging);
  TEST_ADD (suite, staging_uses_its_memory_again);
  TEST_ADD (suite, small_frames_are_not_copied);
  TEST_ADD (suite, a_frame_without_memory_is_refused);
  TEST_ADD (suite, a_refused_frame_leaves_no_copy);
  TEST_ADD (suite, strides_and_heights_at_the_limit);
  TEST_ADD (suite, weights_arrive_before_they_are_used);
  TEST_ADD (suite, numbers_come_before_the_end);
  TEST_ADD (suite, memory_stays_until_the_end);
  TEST_ADD (suite, who_allocates_holds_nobody_up);
  TEST_ADD (suite, pinned_memory_outlives_the_engine);
  TEST_ADD (suite, pinned_memory_outlives_the_device);
  TEST_ADD (suite, pinning_survives_each_call);
}

/* True where LD_LIBRARY_PATH could not keep a driver of the machine's own away. */
static bool
has_own_driver (void)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;
  enum histo_status status = histo_open (&config, &engine);

  histo_close (&engine);
  return status != HISTO_ERROR_NO_DRIVER;
}

int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("driver");
  const char *library = argc > 1 ? argv[1] : "";

  fake = fakecuda_find ();
  if (strcmp (library, "fake") == 0) {
    if (fake == NULL) {
      printf ("LD_LIBRARY_PATH does not lead to the fake driver\n");
      return EXIT_FAILURE;
    }
    add_fake_tests (suite);
    return test_run_suite (suite);
  }
  if (strcmp (library, "absent") == 0)
    expected_words = "cannot open shared object file";
  else if (strcmp (library, "old") == 0)
    expected_words = "cuStreamWaitEvent", expected_remedy = "update the driver.";
  else if (strcmp (library, "broken") == 0)
    expected_words = "file too short", expected_remedy = "install it anew.";
  else {
    fprintf (stderr, "usage: %s absent | old | broken | fake\n", argv[0]);
    return EXIT_FAILURE;
  }
  if (strcmp (library, "absent") == 0 && has_own_driver ()) {
    printf ("this machine has a libcuda.so.1 that cannot be hidden\n");
    return SKIPPED;
  }
  TEST_ADD (suite, cuda_says_why_it_is_not_there);
  TEST_ADD (suite, auto_counts_on_the_cpu_and_says_why);
  return test_run_suite (suite);
}
