/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Devices that do not exist or cannot be used. */

#include <string.h>

#include "cuda/host/cuda.h"
#include "rig.h"

TEST_FIXTURE (begin_script, end_script)

TEST (no_device)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  TEST_AT_END (histo_close) struct histo_engine *engine = NULL;

  fake->set_devices (0);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DEVICE);
  ck_assert_ptr_null (engine);
  ck_assert_msg (strstr (test_log.text, "CUDA_ERROR_NO_DEVICE") != NULL, "%s", test_log.text);

  config = config_for (HISTO_BACKEND_AUTO);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_int_eq (histo_engine_info (engine)->backend, HISTO_BACKEND_CPU);
  ck_assert_msg (test_log.lines[HISTO_LOG_WARNING] == 0, "%s", test_log.text);
}

/* Text, remedy and wrong text for an unusable GPU of capability 7.0: CUDA 13 compiles for 7.5 and later. */
#if HISTO_CUDA_TOOLKIT_FROM > 70
#define UNSUPPORTED_GPU "compiles for 7.5 and later", "; rebuild with CUDA 12", "-Dcuda-arch"
#elif HISTO_CUDA_BUILT_FROM > 70
#define UNSUPPORTED_GPU "it has compute capability 7.0, and this build is for ", "-Dcuda-arch=auto", "compiles for"
#else
#define UNSUPPORTED_GPU "this build has no kernels for compute capability 7.0", "-Dcuda-arch=native", "compiles for"
#endif

/* A GPU that exists and cannot be used: AUTO warns in one sentence, with the remedy; CUDA reports the same as its error. */
TEST (an_unusable_gpu_is_a_warning)
{
  enum { INVALID_IMAGE = 200, NO_BINARY = 209, UNSUPPORTED_PTX = 222, JIT_DISABLED = 223, UNAVAILABLE = 46, MISMATCH = 803 };
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
    { "cuModuleLoadData", NO_BINARY, 61, "it has compute capability 6.1; 7.0 or later is required; use a newer GPU",
      "use a newer GPU", "-Dcuda-arch", 0 },
    { "cuModuleLoadData", NO_BINARY, 70, UNSUPPORTED_GPU, 0 },
    /* A driver of an earlier major version than the toolkit, whatever the failure. */
    { "cuModuleLoadData", NO_BINARY, HISTO_CUDA_BUILT_TO,
      "the driver, for CUDA 10.2, is too old for this build, made with CUDA ", "update the driver to ", "-Dcuda-arch", 10020 },
    { "cuModuleLoadData", INVALID_IMAGE, HISTO_CUDA_BUILT_TO, "the driver, for CUDA 10.2, is too old for this build, ",
      "or build with a toolkit of CUDA 10", "nvidia-smi", 10020 },
    { "cuModuleLoadData", INVALID_IMAGE, HISTO_CUDA_BUILT_TO, "CUDA_ERROR_INVALID_IMAGE", "nvidia-smi", "too old", 0 },
    /* If the build has no kernels for a GPU, a newer driver does not help. If it has PTX, a driver older than the toolkit is
     * the cause. */
    { "cuModuleLoadData", NO_BINARY, 990, "has compute capability 99.0, and this build is for GPUs up to ",
      "-Dcuda-arch=native", "update the driver", 0 },
    { "cuModuleLoadData", NO_BINARY, 990, "this build is for GPUs up to ", "-Dcuda-arch=auto", "update the driver", 10020 },
    { "cuModuleLoadData", UNSUPPORTED_PTX, 990, "the driver, for CUDA 10.2,", "update the driver", "GPUs up to", 10020 },
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
      /* The last line of the log is the cause that users read. */
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

/* Each allocation of host memory while an engine opens fails in turn, and the warning reports it, whatever the driver's earlier
 * failures. */
TEST (host_memory_is_exhausted)
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

TEST (a_device_number_that_does_not_exist)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  TEST_AT_END (histo_close) struct histo_engine *engine = NULL;

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
}

TEST (the_first_device_that_opens)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct histo_engine *engine = NULL;

  fake->set_devices (3);
  fake->fail_device (0);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  ck_assert_str_eq (histo_engine_info (engine)->device_name, "Fake GPU 1");
  /* The user asked for any device and got one, but may have wanted the other. */
  ck_assert_msg (test_log.lines[HISTO_LOG_ERROR] == 0 && test_log.lines[HISTO_LOG_WARNING] == 1, "%s", test_log.text);
  histo_close (&engine);

  config.cuda_device = 0;
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_ERROR_NO_DEVICE);
}

/* Later failures are logged as errors, even if other devices would have worked. */
TEST (the_first_of_several_devices_fails_later)
{
  struct histo_config config = config_for (HISTO_BACKEND_CUDA);
  struct test_random random = test_random_start (55);
  TEST_AT_END (test_frame_clear) struct test_frame frame = { 0 };
  TEST_AT_END (histo_close) struct histo_engine *engine = NULL;

  fake->set_devices (3);
  test_frame_init_bytes (&frame, 1000, 0, TEST_GUARD_END, TEST_FILL_RANDOM, &random);
  ck_assert_int_eq (histo_open (&config, &engine), HISTO_OK);
  fake->fail_function ("cuLaunchKernel", 1, UNKNOWN, false);
  ck_assert_int_eq (test_engine_count (engine, &frame.frame, &stats), HISTO_ERROR_DEVICE);
  ck_assert_uint_eq (test_log.lines[HISTO_LOG_WARNING], 0);
  ck_assert_uint_ge (test_log.lines[HISTO_LOG_ERROR], 1);
  ck_assert_msg (strstr (test_log.text, "CUDA_ERROR_UNKNOWN") != NULL, "%s", test_log.text);
}
