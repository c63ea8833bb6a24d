/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakecuda.h"
#include "frames.h"
#include "short.h"

#define SKIPPED 77
#define MAX_VARIANTS 8

static enum histo_backend backend;
static struct test_variant variants[MAX_VARIANTS];
static unsigned variant_count;

static struct test_variant *
add_variant (const char *name)
{
  struct test_variant *variant = &variants[variant_count++];

  snprintf (variant->name, sizeof variant->name, "%s", name);
  variant->config.backend = backend;
  variant->config.cuda_device = -1;
  return variant;
}

/* Adds numbers of threads, with and without AVX2. With `few`, omits some of the combinations. */
static void
add_cpu_variants (void)
{
  const bool is_few = test_is_short ("few");
  static const unsigned threads[] = { 1, 2, 5 };

  for (unsigned i = 0; i < sizeof threads / sizeof *threads; i++) {
    char name[sizeof variants->name];

    if (is_few && threads[i] == 2)
      continue;
    snprintf (name, sizeof name, "cpu, threads %u", threads[i]);
    add_variant (name)->config.threads = threads[i];
  }
  for (unsigned i = is_few ? 1 : 0; i < 2; i++) {
    struct test_variant *variant = add_variant (i == 0 ? "cpu, threads 1, without AVX2" : "cpu, threads 2, without AVX2");
    variant->config.threads = i + 1;
    variant->config.cpu_isa_disable = HISTO_ISA_AVX2;
  }
}

/* Opens the backend. Exits if that fails. A missing driver or device is no failure, unless the driver is the fake one. */
static void
probe (void)
{
  struct test_log log = TEST_LOG_INIT;
  struct histo_config config = variants[0].config;
  struct histo_engine *engine = NULL;
  enum histo_status status;

  config.log = test_log_add;
  config.log_data = &log;
  status = histo_open (&config, &engine);
  if (status == HISTO_OK) {
    printf ("%s: %s\n", histo_engine_info (engine)->backend_name, histo_engine_info (engine)->device_name);
    fflush (stdout);
    histo_close (&engine);
    return;
  }
  printf ("%s:\n%s", histo_status_text (status), log.text);
  exit ((status == HISTO_ERROR_NO_DRIVER || status == HISTO_ERROR_NO_DEVICE) && !fakecuda_find () ? SKIPPED : EXIT_FAILURE);
}

void
test_engines_init (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "cpu";

  if (strcmp (name, "reference") == 0) {
    backend = HISTO_BACKEND_REFERENCE;
    add_variant (name);
  } else if (strcmp (name, "cpu") == 0) {
    backend = HISTO_BACKEND_CPU;
    add_cpu_variants ();
  } else if (strcmp (name, "cuda") == 0) {
    backend = HISTO_BACKEND_CUDA;
    add_variant (name);
  } else {
    fprintf (stderr, "usage: %s [reference | cpu | cuda]\n", argv[0]);
    exit (EXIT_FAILURE);
  }
  probe ();
}

enum histo_backend
test_backend (void)
{
  return backend;
}

const struct test_variant *
test_variants (unsigned *count)
{
  *count = variant_count;
  return variants;
}

void
test_log_add (void *data, enum histo_log_level level, const char *message)
{
  struct test_log *log = data;
  size_t used;

  pthread_mutex_lock (&log->lock);
  log->lines[level]++;
  used = strlen (log->text);
  snprintf (log->text + used, sizeof log->text - used, "%s\n", message);
  if (getenv ("CUDAHISTO_TEST_LOG") != NULL)
    printf ("log: %s\n", message);
  pthread_mutex_unlock (&log->lock);
}

void
test_log_clear (struct test_log *log)
{
  pthread_mutex_lock (&log->lock);
  memset (log->lines, 0, sizeof log->lines);
  log->text[0] = '\0';
  pthread_mutex_unlock (&log->lock);
}

enum histo_status
test_engine_count (struct histo_engine *engine, const struct histo_frame *frame, struct histo_stats *stats)
{
  histo_ticket ticket;
  enum histo_status status = histo_submit (engine, frame, &ticket);

  return status == HISTO_OK ? histo_collect (engine, ticket, stats) : status;
}
