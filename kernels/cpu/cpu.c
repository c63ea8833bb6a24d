/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CPU backend: splits frames into slices, which workers count into their own tables. */

#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "derive_slice.h"
#include "log.h"
#include "pool.h"
#include "stats.h"
#include "wide.h"

/* The data of a frame in flight. */
struct slot {
  unsigned pass_count;
  struct histo_cpu_pass passes[HISTO_MAX_PASSES];
  uint32_t statistics;
  struct histo_cpu_picture picture;
  struct histo_cpu_derived derived;
  struct histo_cpu_total total;
};

struct cpu {
  struct histo_pool *pool;
  const struct histo_cpu_isa *isa;
  unsigned slot_count;
  struct slot *slots;
  struct histo_weights weights[HISTO_MAX_COUNTED];
  struct histo_cpu_wide wide;             /* for histograms */
  struct histo_cpu_wide wide_saturations; /* for a picture's saturations */
  struct histo_cpu_memory scope;          /* for waveforms and other histograms */
  struct histo_cpu_memory derived;        /* for rows of derived components */
};

/* ---- working -------------------------------------------------------------------------------------------------------- */

static bool
saturations_are_wide (const struct histo_cpu_picture *picture)
{
  return picture->statistics & HISTO_STATISTIC_SATURATION && picture->components[1].format.depth > HISTO_NATIVE_DEPTH;
}

/* Takes the tables that a slice needs and the worker does not have. */
static void
take_tables (struct cpu *cpu, const struct histo_cpu_task *task)
{
  const struct histo_cpu_pass *sliced = task->slice.sliced;
  struct histo_cpu_scratch *scratch = task->scratch;

  if (!scratch->wide_tables && histo_cpu_pass_is_wide (sliced))
    scratch->wide_tables = histo_cpu_wide_take (&cpu->wide);
  if (!scratch->wide_saturations && sliced->statistics & HISTO_STATISTIC_SATURATION && saturations_are_wide (task->picture))
    scratch->wide_saturations = histo_cpu_wide_take (&cpu->wide_saturations);
  if (!scratch->scope && (sliced->statistics != 0 || sliced->has_waveforms) && histo_scope_count (&task->total->stats) > 0)
    scratch->scope = histo_cpu_memory_take (&cpu->scope);
}

/* Counts the task's slice of its pass. */
static void
count_slice (struct cpu *cpu, const struct histo_cpu_task *task)
{
  const struct histo_cpu_pass *sliced = task->slice.sliced;
  struct histo_cpu_scratch *scratch = task->scratch;

  take_tables (cpu, task);
  histo_cpu_scratch_reserve (scratch, task->total, sliced, task->slice.rows * (task->slice.end - task->slice.begin));
  for (unsigned c = 0; c < sliced->pass.component_count; c++)
    scratch->components |= 1u << sliced->pass.components[c].index;
  if (sliced->pass.project)
    histo_cpu_project_slice (task);
  else
    histo_cpu_count_slice (task);
  if (sliced->statistics != 0)
    histo_cpu_count_picture (task);
  if (sliced->has_waveforms)
    histo_cpu_count_waveforms (task);
}

/* Derives the rows of the task's slice, and counts all derived components. */
static void
count_derived (struct cpu *cpu, const struct slot *slot, const struct histo_cpu_task *whole)
{
  struct histo_cpu_picture picture = slot->picture;
  struct histo_cpu_task task = *whole;
  uint8_t *memory;

  if (!task.scratch->derived)
    task.scratch->derived = histo_cpu_memory_take (&cpu->derived);
  memory = task.scratch->derived->bytes;
  histo_cpu_derive (&task, &slot->derived, memory, &picture);
  task.picture = &picture;
  for (unsigned c = 0; c < slot->derived.count; c++) {
    task.slice.sliced = &slot->passes[slot->derived.first_pass + c];
    histo_cpu_enter_derived (&task, &slot->derived, memory, c);
    count_slice (cpu, &task);
  }
}

static void
run (void *user_data, void *data, unsigned thread_index, unsigned job, uint64_t number)
{
  struct cpu *cpu = user_data;
  struct histo_cpu_scratch *scratch = data;
  struct slot *slot = &cpu->slots[job];
  struct histo_cpu_task task = {
    .isa = cpu->isa,
    .weights = cpu->weights,
    .scratch = scratch,
    .total = &slot->total,
    .statistics = slot->statistics,
    .picture = &slot->picture,
  };

  (void)thread_index;
  if (!histo_cpu_find_slice (slot->passes, slot->pass_count, number, &task.slice))
    return;
  if (task.slice.sliced == &slot->passes[slot->derived.first_pass]) {
    count_derived (cpu, slot, &task);
    return;
  }
  task.data = task.slice.sliced->pass.data;
  task.operand = task.slice.sliced->pass.operand;
  count_slice (cpu, &task);
}

static void
merge (void *user_data, void *data, unsigned job)
{
  struct cpu *cpu = user_data;
  struct histo_cpu_scratch *scratch = data;

  histo_cpu_scratch_merge (scratch, &cpu->slots[job].total);
  if (scratch->wide_tables)
    histo_cpu_wide_return (&cpu->wide, scratch->wide_tables);
  scratch->wide_tables = NULL;
  if (scratch->wide_saturations)
    histo_cpu_wide_return (&cpu->wide_saturations, scratch->wide_saturations);
  scratch->wide_saturations = NULL;
  if (scratch->scope)
    histo_cpu_memory_return (&cpu->scope, scratch->scope);
  scratch->scope = NULL;
  if (scratch->derived)
    histo_cpu_memory_return (&cpu->derived, scratch->derived);
  scratch->derived = NULL;
}

static const struct histo_pool_work work = {
  .thread_name = "histo-worker",
  .scratch_bytes = sizeof (struct histo_cpu_scratch),
  .run = run,
  .merge = merge,
};

/* ---- the backend ---------------------------------------------------------------------------------------------------- */

static void
close_cpu (void *state)
{
  struct cpu *cpu = state;

  histo_pool_close (cpu->pool);
  for (unsigned i = 0; cpu->slots && i < cpu->slot_count; i++) {
    pthread_mutex_destroy (&cpu->slots[i].total.lock);
    histo_stats_clear (&cpu->slots[i].total.stats);
  }
  histo_cpu_wide_clear (&cpu->wide);
  histo_cpu_wide_clear (&cpu->wide_saturations);
  histo_cpu_memory_clear (&cpu->scope);
  histo_cpu_memory_clear (&cpu->derived);
  free (cpu->slots);
  free (cpu);
}

static enum histo_status
open_cpu (const struct histo_config *config, struct histo_info *info, void **state)
{
  struct cpu *cpu = calloc (1, sizeof *cpu);
  enum histo_status status = HISTO_ERROR_NO_MEMORY;

  if (cpu) {
    cpu->wide.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cpu->wide_saturations.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cpu->scope.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cpu->derived.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cpu->slots = calloc (config->max_in_flight, sizeof *cpu->slots);
  }
  if (!cpu || !cpu->slots) {
    histo_log (config, HISTO_LOG_ERROR, "cpu: no memory for %u frames in flight", config->max_in_flight);
    goto fail;
  }
  cpu->slot_count = config->max_in_flight;
  for (unsigned i = 0; i < cpu->slot_count; i++)
    cpu->slots[i].total.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  cpu->isa = histo_cpu_choose_isa (config->cpu_isa_disable);
  status = histo_pool_open (config, &work, cpu, &cpu->pool);
  if (status != HISTO_OK)
    goto fail;

  info->threads = histo_pool_threads (cpu->pool);
  snprintf (info->device_name, sizeof info->device_name, "%u thread%s, %s", info->threads, info->threads == 1 ? "" : "s",
            cpu->isa->name);
  *state = cpu;
  return HISTO_OK;

fail:
  if (cpu)
    close_cpu (cpu);
  return status;
}

static enum histo_status
submit (void *state, const struct histo_frame *frame, unsigned index)
{
  struct cpu *cpu = state;
  struct slot *slot = &cpu->slots[index];
  struct histo_pass passes[HISTO_MAX_PASSES];
  uint64_t slice_count;
  enum histo_status status = histo_stats_prepare (&slot->total.stats, frame);

  if (status != HISTO_OK)
    return status;
  slot->statistics = frame->statistics;
  histo_cpu_find_picture (&slot->picture, frame);
  if (slot->picture.statistics & (HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE) && frame->components[1].depth == 8)
    slot->picture.colours = histo_colour_table ();
  if (saturations_are_wide (&slot->picture))
    status = histo_cpu_wide_reserve (&cpu->wide_saturations, histo_pool_threads (cpu->pool));
  if (status == HISTO_OK)
    status = histo_cpu_memory_reserve (&cpu->scope, histo_pool_threads (cpu->pool),
                                       histo_scope_count (&slot->total.stats) * sizeof (uint32_t));
  slot->pass_count = histo_plan_passes (frame, passes);
  slice_count = histo_cpu_slice_passes (slot->passes, passes, slot->pass_count, frame, &slot->picture);
  histo_cpu_find_derived (&slot->derived, frame, slot->passes, slot->pass_count);
  if (status == HISTO_OK)
    status = histo_cpu_memory_reserve (&cpu->derived, histo_pool_threads (cpu->pool), histo_cpu_count_derived (&slot->derived));
  for (unsigned p = 0; p < slot->pass_count; p++)
    if (status == HISTO_OK && histo_cpu_pass_is_wide (&slot->passes[p]))
      status = histo_cpu_wide_reserve (&cpu->wide, histo_pool_threads (cpu->pool));
  if (status != HISTO_OK)
    return status;
  return histo_pool_submit (cpu->pool, index, slice_count);
}

static bool
ready (void *state, unsigned slot)
{
  const struct cpu *cpu = state;

  return histo_pool_is_done (cpu->pool, slot);
}

static enum histo_status
collect (void *state, unsigned index, struct histo_stats *stats)
{
  const struct cpu *cpu = state;

  histo_pool_wait (cpu->pool, index);
  return stats->component_count > 0 ? histo_stats_add (stats, &cpu->slots[index].total.stats) : HISTO_OK;
}

static enum histo_status
set_weights (void *state, unsigned component, const struct histo_weights *weights)
{
  struct cpu *cpu = state;

  cpu->weights[component] = *weights;
  return HISTO_OK;
}

const struct histo_backend_ops histo_backend_cpu = {
  .name = "cpu",
  .open = open_cpu,
  .submit = submit,
  .ready = ready,
  .collect = collect,
  .close = close_cpu,
  .set_weights = set_weights,
};
