/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "frame.h"
#include "log.h"
#include "pinner.h"
#include "process.h"
#include "statistic_table.h"
#include "stats.h"
#include "weights.h"

#define DEFAULT_IN_FLIGHT 8
struct histo_engine {
  const struct histo_backend_ops *ops;
  void *state;
  struct histo_config config;
  struct histo_info info;
  unsigned generation; /* of the process that opened the engine */
  struct histo_engine *next_orphan;

  /* info.max_in_flight slots; ticket t has slot (t - 1) % max_in_flight */
  struct histo_frame *frames;
  struct histo_frame *operands; /* frames[i].operand is NULL or points to operands[i] */
  struct histo_own_weights weights[HISTO_MAX_COUNTED];

  pthread_mutex_t lock; /* protects the following */
  histo_ticket next, oldest;
  bool failed;
};

/* ---- fork ----------------------------------------------------------------------------------------------------------- */

/* Engines of the parent process that the child closed. The parent's threads may have used them during the fork, so it is
 * unknown which of their memory can be freed. Its pages stay shared with the parent until either process writes to them. */
static struct histo_engine *orphans;

/* Whether this process is a child of the one that opened the engine. Then the engine's threads do not exist, its lock may stay
 * locked for ever, and the driver must not be called. */
static bool
is_forked (const struct histo_engine *engine)
{
  return engine->generation != histo_process_generation ();
}

/* ---- opening -------------------------------------------------------------------------------------------------------- */

static const struct histo_backend_ops *
find_backend (enum histo_backend backend)
{
  switch (backend) {
  case HISTO_BACKEND_REFERENCE:
    return &histo_backend_reference;
  case HISTO_BACKEND_CPU:
    return &histo_backend_cpu;
  case HISTO_BACKEND_CUDA:
    return &histo_backend_cuda;
  case HISTO_BACKEND_AUTO:
    break;
  }
  return NULL;
}

static enum histo_status
open_backend (struct histo_engine *engine, enum histo_backend backend)
{
  enum histo_status status;

  engine->ops = find_backend (backend);
  engine->info.backend = backend;
  snprintf (engine->info.backend_name, sizeof engine->info.backend_name, "%s", engine->ops->name);
  status = engine->ops->open (&engine->config, &engine->info, &engine->state);
  if (status == HISTO_OK)
    histo_log (&engine->config, HISTO_LOG_INFO, "counting with backend %s: %s", engine->info.backend_name,
               engine->info.device_name);
  return status;
}

/* With AUTO, a missing device is information, not an error. */
static void
log_auto (void *user_data, enum histo_log_level level, const char *message)
{
  const struct histo_config *config = user_data;

  histo_log (config, level == HISTO_LOG_ERROR ? HISTO_LOG_INFO : level, "%s", message);
}

static enum histo_status
open_auto (struct histo_engine *engine)
{
  struct histo_config config = engine->config;
  enum histo_status status;

  engine->config.log = log_auto;
  engine->config.log_data = &config;
  status = open_backend (engine, HISTO_BACKEND_CUDA);
  engine->config.log = config.log;
  engine->config.log_data = config.log_data;
  if (status == HISTO_OK)
    return status;

  histo_log (&engine->config, HISTO_LOG_INFO, "%s: counting on the CPU", histo_status_text (status));
  return open_backend (engine, HISTO_BACKEND_CPU);
}

enum histo_status
histo_open (const struct histo_config *config, struct histo_engine **engine_out)
{
  static const struct histo_config defaults = { .cuda_device = -1 };
  struct histo_engine *engine;
  enum histo_status status;

  if (!engine_out)
    return HISTO_ERROR_INVALID;
  *engine_out = NULL;
  if (!config)
    config = &defaults;
  if (config->max_in_flight > HISTO_MAX_IN_FLIGHT || config->cuda_device < -1
      || (config->backend != HISTO_BACKEND_AUTO && !find_backend (config->backend))) {
    histo_log (config, HISTO_LOG_ERROR, "%s", histo_status_text (HISTO_ERROR_INVALID));
    return HISTO_ERROR_INVALID;
  }

  engine = calloc (1, sizeof *engine);
  if (!engine)
    goto no_memory;
  engine->config = *config;
  engine->generation = histo_process_generation ();
  if (engine->config.max_in_flight == 0)
    engine->config.max_in_flight = DEFAULT_IN_FLIGHT;
  engine->info.max_in_flight = engine->config.max_in_flight;
  engine->next = engine->oldest = 1;
  engine->frames = calloc (engine->config.max_in_flight, sizeof *engine->frames);
  engine->operands = calloc (engine->config.max_in_flight, sizeof *engine->operands);
  if (!engine->frames || !engine->operands)
    goto no_memory;
  if (pthread_mutex_init (&engine->lock, NULL) != 0)
    goto no_memory;

  status = config->backend == HISTO_BACKEND_AUTO ? open_auto (engine) : open_backend (engine, config->backend);
  if (status == HISTO_OK) {
    *engine_out = engine;
    return HISTO_OK;
  }
  pthread_mutex_destroy (&engine->lock);
  free (engine->frames);
  free (engine->operands);
  free (engine);
  return status;

no_memory:
  histo_log (config, HISTO_LOG_ERROR, "%s", histo_status_text (HISTO_ERROR_NO_MEMORY));
  if (engine) {
    free (engine->frames);
    free (engine->operands);
  }
  free (engine);
  return HISTO_ERROR_NO_MEMORY;
}

void
histo_close (struct histo_engine **engine_in)
{
  struct histo_engine *engine;

  if (!engine_in || !*engine_in)
    return;
  engine = *engine_in;
  *engine_in = NULL;
  if (is_forked (engine)) {
    histo_process_lock ();
    engine->next_orphan = orphans;
    orphans = engine;
    histo_process_unlock ();
    return;
  }
  engine->ops->close (engine->state);
  pthread_mutex_destroy (&engine->lock);
  for (unsigned c = 0; c < HISTO_MAX_COUNTED; c++)
    histo_weights_free (&engine->weights[c]);
  free (engine->frames);
  free (engine->operands);
  free (engine);
}

const struct histo_info *
histo_engine_info (const struct histo_engine *engine)
{
  return engine ? &engine->info : NULL;
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

static bool
is_valid (const struct histo_engine *engine, const struct histo_frame *frame)
{
  return histo_frame_is_valid (frame, engine->info.backend == HISTO_BACKEND_CUDA, engine->weights);
}

/* Copies a valid frame into a slot, with the operand only if a statistic needs it. */
static void
fill_slot (struct histo_engine *engine, unsigned slot, const struct histo_frame *frame)
{
  histo_frame_copy (&engine->frames[slot], frame);
  if (!frame->operand) {
    engine->frames[slot].statistics &= ~(uint32_t)HISTO_STATISTICS_OPERAND;
  } else if (frame->statistics & HISTO_STATISTICS_OPERAND) {
    histo_frame_copy (&engine->operands[slot], frame->operand);
    engine->frames[slot].operand = &engine->operands[slot];
  }
}

/* Finds `count` consecutive free slots, which may wrap around. */
static enum histo_status
find_slots (struct histo_engine *engine, unsigned count, unsigned *first)
{
  enum histo_status status = HISTO_OK;

  pthread_mutex_lock (&engine->lock);
  if (engine->failed)
    status = HISTO_ERROR_DEVICE;
  else if (engine->next - engine->oldest + count > engine->info.max_in_flight)
    status = HISTO_ERROR_BUSY;
  *first = (unsigned)((engine->next - 1) % engine->info.max_in_flight);
  pthread_mutex_unlock (&engine->lock);
  return status;
}

/* Assigns tickets to `count` frames if the backend accepted them, and records whether the engine failed. */
static enum histo_status
give_tickets (struct histo_engine *engine, enum histo_status status, unsigned count, histo_ticket *first)
{
  pthread_mutex_lock (&engine->lock);
  if (status == HISTO_OK) {
    *first = engine->next;
    engine->next += count;
  } else if (status == HISTO_ERROR_DEVICE) {
    engine->failed = true;
  }
  pthread_mutex_unlock (&engine->lock);
  return status;
}

enum histo_status
histo_submit (struct histo_engine *engine, const struct histo_frame *frame, histo_ticket *ticket)
{
  enum histo_status status;
  unsigned index;

  if (!engine || !frame || !ticket)
    return HISTO_ERROR_INVALID;
  *ticket = 0;
  if (is_forked (engine))
    return HISTO_ERROR_FORKED;
  if (!is_valid (engine, frame))
    return HISTO_ERROR_INVALID;
  status = find_slots (engine, 1, &index);
  if (status != HISTO_OK)
    return status;
  fill_slot (engine, index, frame);
  status = engine->ops->submit (engine->state, &engine->frames[index], index);
  return give_tickets (engine, status, 1, ticket);
}

/* Submits the frames of `count` slots, which do not wrap around, to the backend. *taken: the number accepted. */
static enum histo_status
submit_slots (struct histo_engine *engine, unsigned first, unsigned count, unsigned *taken)
{
  enum histo_status status = HISTO_OK;

  *taken = 0;
  if (engine->ops->submit_many && count > 1) {
    status = engine->ops->submit_many (engine->state, &engine->frames[first], count, first);
    if (status == HISTO_OK)
      *taken = count;
    return status;
  }
  while (status == HISTO_OK && *taken < count) {
    status = engine->ops->submit (engine->state, &engine->frames[first + *taken], first + *taken);
    if (status == HISTO_OK)
      ++*taken;
  }
  return status;
}

/* Waits for accepted frames that get no ticket, and drops their numbers. */
static void
drop_slots (struct histo_engine *engine, unsigned first, unsigned count)
{
  struct histo_stats nothing = { 0 };

  for (unsigned i = 0; i < count; i++)
    engine->ops->collect (engine->state, first + i, &nothing);
}

enum histo_status
histo_submit_many (struct histo_engine *engine, const struct histo_frame *frames, unsigned count, histo_ticket *first_ticket)
{
  enum histo_status status;
  unsigned first, before_wrap, taken, taken_after = 0;

  if (!engine || !frames || !first_ticket || count == 0)
    return HISTO_ERROR_INVALID;
  *first_ticket = 0;
  if (is_forked (engine))
    return HISTO_ERROR_FORKED;
  for (unsigned i = 0; i < count; i++)
    if (!is_valid (engine, &frames[i]))
      return HISTO_ERROR_INVALID;
  status = find_slots (engine, count, &first);
  if (status != HISTO_OK)
    return status;

  for (unsigned i = 0; i < count; i++)
    fill_slot (engine, (first + i) % engine->info.max_in_flight, &frames[i]);
  before_wrap = engine->info.max_in_flight - first;
  if (before_wrap > count)
    before_wrap = count;
  status = submit_slots (engine, first, before_wrap, &taken);
  if (status == HISTO_OK && before_wrap < count)
    status = submit_slots (engine, 0, count - before_wrap, &taken_after);
  if (status != HISTO_OK) {
    drop_slots (engine, first, taken);
    drop_slots (engine, 0, taken_after);
  }
  return give_tickets (engine, status, count, first_ticket);
}

bool
histo_ready (struct histo_engine *engine, histo_ticket ticket)
{
  bool in_flight, failed;

  if (!engine)
    return false;
  if (is_forked (engine))
    return ticket >= engine->oldest && ticket < engine->next;
  pthread_mutex_lock (&engine->lock);
  in_flight = ticket >= engine->oldest && ticket < engine->next;
  failed = engine->failed;
  pthread_mutex_unlock (&engine->lock);
  if (!in_flight)
    return false;
  return failed || engine->ops->ready (engine->state, (unsigned)((ticket - 1) % engine->info.max_in_flight));
}

enum histo_status
histo_collect (struct histo_engine *engine, histo_ticket ticket, struct histo_stats *stats)
{
  enum histo_status status;
  const struct histo_frame *frame;
  bool is_oldest;
  unsigned index;

  if (!engine || !stats)
    return HISTO_ERROR_INVALID;
  histo_stats_reset (stats);
  if (is_forked (engine))
    return HISTO_ERROR_FORKED;
  pthread_mutex_lock (&engine->lock);
  is_oldest = ticket == engine->oldest && ticket < engine->next;
  pthread_mutex_unlock (&engine->lock);
  if (!is_oldest)
    return HISTO_ERROR_INVALID;

  index = (unsigned)((ticket - 1) % engine->info.max_in_flight);
  frame = &engine->frames[index];
  status = histo_stats_prepare (stats, frame);
  if (status != HISTO_OK)
    return status;
  status = engine->ops->collect (engine->state, index, stats);
  if (status == HISTO_OK) {
    for (unsigned c = 0; c < frame->component_count; c++) {
      stats->components[c].count = histo_frame_count_samples (frame, &frame->components[c]);
      if (frame->statistics & HISTO_STATISTIC_DOT)
        stats->components[c].dot_count = stats->components[c].count;
      if (frame->statistics & HISTO_STATISTIC_DIFFERENCE)
        stats->components[c].difference_count = stats->components[c].count;
    }
    if (stats->picture)
      stats->picture->luma_count = stats->components[0].count;
    if (stats->picture && stats->picture->statistics & HISTO_STATISTICS_COLOURS)
      stats->picture->chroma_count = stats->components[1].count;
  } else {
    histo_stats_reset (stats);
  }

  pthread_mutex_lock (&engine->lock);
  if (status == HISTO_ERROR_DEVICE)
    engine->failed = true;
  engine->oldest++;
  pthread_mutex_unlock (&engine->lock);
  return status;
}

enum histo_status
histo_pinner_open (const struct histo_engine *engine, struct histo_pinner **pinner)
{
  if (!pinner)
    return HISTO_ERROR_INVALID;
  *pinner = NULL;
  if (engine && is_forked (engine))
    return HISTO_ERROR_FORKED;
  return engine ? histo_pinner_create (engine->ops, engine->state, pinner) : HISTO_ERROR_INVALID;
}

/* ---- weights -------------------------------------------------------------------------------------------------------- */

/* DEVICE if the engine failed; BUSY while any frame is in flight. */
static enum histo_status
check_idle (struct histo_engine *engine)
{
  enum histo_status status = HISTO_OK;

  pthread_mutex_lock (&engine->lock);
  if (engine->failed)
    status = HISTO_ERROR_DEVICE;
  else if (engine->next != engine->oldest)
    status = HISTO_ERROR_BUSY;
  pthread_mutex_unlock (&engine->lock);
  return status;
}

enum histo_status
histo_set_weights (struct histo_engine *engine, unsigned component, const struct histo_weights *weights)
{
  struct histo_own_weights copy;
  enum histo_status status;

  if (!engine || component >= HISTO_MAX_COUNTED || !weights)
    return HISTO_ERROR_INVALID;
  if (is_forked (engine))
    return HISTO_ERROR_FORKED;
  status = check_idle (engine);
  if (status != HISTO_OK)
    return status;

  status = histo_weights_copy (weights, &copy);
  if (status == HISTO_OK) {
    const struct histo_weights view = { copy.row, copy.row_count, copy.column, copy.column_count };

    status = engine->ops->set_weights (engine->state, component, &view);
  }
  if (status == HISTO_OK) {
    const struct histo_own_weights old = engine->weights[component];

    engine->weights[component] = copy;
    copy = old;
  } else if (status == HISTO_ERROR_DEVICE) {
    pthread_mutex_lock (&engine->lock);
    engine->failed = true;
    pthread_mutex_unlock (&engine->lock);
  }
  histo_weights_free (&copy);
  return status;
}
