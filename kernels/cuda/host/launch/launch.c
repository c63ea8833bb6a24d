/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/launch/launch.h"

#include <stdlib.h>

#include "cuda/host/cuda.h"
#include "cuda/host/launch/derive.h"
#include "cuda/host/launch/publish.h"
#include "cuda/host/launch/statistic.h"
#include "cuda/host/plan/alike.h"
#include "cuda/host/plan/plan_pass.h"
#include "log.h"

extern const unsigned char histo_cuda_kernels[]; /* the module: see embed.py */

unsigned histo_cuda_shared_limit;

static const struct histo_cuda_statistic *const statistics[HISTO_CUDA_STATISTICS] = {
  [HISTO_CUDA_PROJECTION] = &histo_cuda_statistic_projection,
  [HISTO_CUDA_SCOPE] = &histo_cuda_statistic_scope,
  [HISTO_CUDA_PICTURE] = &histo_cuda_statistic_picture,
  [HISTO_CUDA_COUNT] = &histo_cuda_statistic_count,
};

struct slot {
  /* Of the last planned frame. Kept until the next is planned: other threads may read it while its numbers are read. */
  unsigned wanted; /* statistics */
  bool publishes_early;
};

struct histo_cuda_launcher {
  struct histo_cuda_gpu gpu;
  struct histo_cuda_shape shape;
  struct histo_cuda_workspace *workspace;
  struct histo_cuda_deriver *deriver;
  void *states[HISTO_CUDA_STATISTICS];
  unsigned slot_count;
  struct slot *slots;
  struct histo_cuda_launch *launches; /* one for each slot; many frames use the first slot's */
};

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

/* Loads the module, and reads the device's properties for the kernels. */
static enum histo_status
open_gpu (struct histo_cuda_gpu *gpu)
{
  const struct histo_cuda_driver *driver = gpu->driver;
  int shared_bytes = 0, multiprocessors = 1;
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, driver, cuModuleLoadData (&gpu->module, histo_cuda_kernels), "loading the kernels");
  if (status != HISTO_OK)
    gpu->module = NULL;
  HISTO_CUDA_TRY (status, driver,
                  cuDeviceGetAttribute (&shared_bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, gpu->device),
                  "reading the size of shared memory");
  HISTO_CUDA_TRY (status, driver,
                  cuDeviceGetAttribute (&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu->device),
                  "reading the number of multiprocessors");
  if (histo_cuda_shared_limit > 0 && shared_bytes > (int)histo_cuda_shared_limit)
    shared_bytes = (int)histo_cuda_shared_limit;
  gpu->shared_bytes = shared_bytes > 0 ? (unsigned)shared_bytes : 0;
  gpu->multiprocessors = multiprocessors > 0 ? (unsigned)multiprocessors : 1;
  return status;
}

enum histo_status
histo_cuda_launcher_open (const struct histo_cuda_driver *driver, CUdevice device, const struct histo_cuda_tuning *tuning,
                          CUstream stream, unsigned slots, struct histo_cuda_launcher **launcher_out)
{
  struct histo_cuda_launcher *launcher = calloc (1, sizeof *launcher);
  enum histo_status status;

  *launcher_out = NULL;
  if (launcher) {
    launcher->slots = calloc (slots, sizeof *launcher->slots);
    launcher->launches = calloc (slots, sizeof *launcher->launches);
  }
  if (!launcher || !launcher->slots || !launcher->launches) {
    if (launcher) {
      free (launcher->slots);
      free (launcher->launches);
    }
    free (launcher);
    return histo_cuda_lack_memory (driver->config);
  }
  launcher->gpu = (struct histo_cuda_gpu){ .driver = driver, .device = device, .tuning = tuning, .stream = stream };
  launcher->slot_count = slots;

  status = open_gpu (&launcher->gpu);
  launcher->shape = histo_cuda_find_shape (tuning, launcher->gpu.shared_bytes, launcher->gpu.multiprocessors);
  if (status == HISTO_OK)
    status = histo_cuda_workspace_open (&launcher->gpu, slots, &launcher->workspace);
  if (status == HISTO_OK)
    status = histo_cuda_deriver_open (&launcher->gpu, slots, &launcher->deriver);
  for (unsigned s = 0; status == HISTO_OK && s < HISTO_CUDA_STATISTICS; s++)
    status = statistics[s]->open (&launcher->gpu, launcher->workspace, slots, &launcher->states[s]);
  if (status == HISTO_OK)
    *launcher_out = launcher;
  else
    histo_cuda_launcher_close (launcher);
  return status;
}

/* Releases memory reserved for a slot. */
static void
drop_slot (struct histo_cuda_launcher *launcher, unsigned slot)
{
  for (unsigned s = 0; s < HISTO_CUDA_STATISTICS; s++)
    if (launcher->slots[slot].wanted & HISTO_CUDA_BIT (s) && statistics[s]->drop)
      statistics[s]->drop (launcher->states[s], slot);
  launcher->slots[slot].wanted = 0;
}

void
histo_cuda_launcher_close (struct histo_cuda_launcher *launcher)
{
  if (!launcher)
    return;
  for (unsigned i = 0; i < launcher->slot_count; i++)
    drop_slot (launcher, i);
  for (unsigned s = 0; s < HISTO_CUDA_STATISTICS; s++)
    statistics[s]->close (launcher->states[s]);
  histo_cuda_deriver_close (launcher->deriver);
  histo_cuda_workspace_close (launcher->workspace);
  if (launcher->gpu.module)
    launcher->gpu.driver->cuModuleUnload (launcher->gpu.module);
  free (launcher->slots);
  free (launcher->launches);
  free (launcher);
}

enum histo_status
histo_cuda_set_weights (struct histo_cuda_launcher *launcher, unsigned component, const struct histo_weights *weights)
{
  return histo_cuda_projection_set_weights (launcher->states[HISTO_CUDA_PROJECTION], component, weights);
}

/* ---- preparing and launching ---------------------------------------------------------------------------------------- */

bool
histo_cuda_can_launch_many (const struct histo_frame *frames, unsigned count)
{
  return !histo_cuda_has_many_bins (&frames[0]) && histo_cuda_count_words (&frames[0]) <= HISTO_CUDA_SLOT_WORDS
         && histo_cuda_frames_are_alike (frames, count);
}

/* Plans the statistics of a launch whose passes are planned. */
static enum histo_status
plan_statistics (struct histo_cuda_launcher *launcher, struct histo_cuda_launch *launch, const struct histo_frame *frame)
{
  enum histo_status status = HISTO_OK;

  launch->wanted = launch->covered = 0;
  launch->lists_addresses = !launch->plan.has_pitch;
  for (unsigned s = 0; s < HISTO_CUDA_STATISTICS; s++)
    if (statistics[s]->is_wanted (frame))
      launch->wanted |= HISTO_CUDA_BIT (s);
  for (unsigned i = 0; i < launch->plan.count.frame_count; i++)
    launcher->slots[launch->first_slot + i].wanted = launch->wanted;
  for (unsigned s = 0; status == HISTO_OK && s < HISTO_CUDA_STATISTICS; s++)
    if (launch->wanted & HISTO_CUDA_BIT (s) && statistics[s]->plan)
      status = statistics[s]->plan (launcher->states[s], launch);
  return status;
}

static bool
publishes_early (const struct histo_cuda_launcher *launcher, const struct histo_cuda_launch *launch)
{
  for (unsigned s = 0; s < HISTO_CUDA_STATISTICS; s++)
    if (launch->wanted & HISTO_CUDA_BIT (s) && !statistics[s]->is_published)
      return false;
  return histo_cuda_workspace_publishes_early (launcher->workspace, launch->first_slot);
}

/* As histo_cuda_prepare, on the part of the device that `shape` describes. */
static enum histo_status
prepare (struct histo_cuda_launcher *launcher, const struct histo_cuda_shape *shape, unsigned first_slot,
         const struct histo_frame *frames, unsigned count, CUevent last_launch)
{
  struct histo_cuda_launch *launch = &launcher->launches[first_slot];
  struct slot *slots = &launcher->slots[first_slot];
  enum histo_status status = histo_cuda_plan (shape, frames, count, &launch->plan);
  bool is_early = true;

  if (status != HISTO_OK) {
    histo_log (launcher->gpu.driver->config, HISTO_LOG_ERROR, "a frame is too large to be counted by one launch: %s",
               histo_status_text (status));
    return status;
  }
  for (unsigned i = 0; i < count; i++)
    drop_slot (launcher, first_slot + i);
  launch->first_slot = first_slot;
  launch->unlike_count = 1;
  launch->wanted = 0;
  if (launch->plan.count.pass_count > 0) {
    status = plan_statistics (launcher, launch, &frames[0]);
    if (status == HISTO_OK && frames[0].derived_count > 0)
      histo_cuda_deriver_cover (launcher->deriver, &frames[0], launch);
    if (status == HISTO_OK)
      status = histo_cuda_workspace_reserve (launcher->workspace, launch, frames, last_launch);
    is_early = status == HISTO_OK && publishes_early (launcher, launch);
  }
  for (unsigned i = 0; i < count; i++) {
    slots[i].publishes_early = is_early;
    if (status != HISTO_OK)
      drop_slot (launcher, first_slot + i);
  }
  return status;
}

enum histo_status
histo_cuda_prepare (struct histo_cuda_launcher *launcher, unsigned first_slot, const struct histo_frame *frames, unsigned count,
                    CUevent last_launch)
{
  struct histo_frame whole, operand;
  enum histo_status status
      = histo_cuda_deriver_reserve (launcher->deriver, first_slot, &frames[0], last_launch, &whole, &operand);

  if (status != HISTO_OK)
    return status;
  if (frames[0].derived_count > 0)
    return prepare (launcher, &launcher->shape, first_slot, &whole, 1, last_launch);
  return prepare (launcher, &launcher->shape, first_slot, frames, count, last_launch);
}

enum histo_status
histo_cuda_prepare_unlike (struct histo_cuda_launcher *launcher, unsigned first_slot, const struct histo_frame *frames,
                           unsigned count, const CUevent *last_launches)
{
  struct histo_cuda_shape shares[HISTO_CUDA_UNLIKE];
  enum histo_status status = histo_cuda_workspace_reserve_parameters (launcher->workspace);
  unsigned prepared = 0;

  histo_cuda_share_out (&launcher->shape, frames, count, shares);
  while (status == HISTO_OK && prepared < count) {
    status = prepare (launcher, &shares[prepared], first_slot + prepared, &frames[prepared], 1, last_launches[prepared]);
    prepared += status == HISTO_OK;
  }
  for (unsigned i = 0; status != HISTO_OK && i < prepared; i++)
    drop_slot (launcher, first_slot + i);
  launcher->launches[first_slot].unlike_count = count;
  return status;
}

static enum histo_status
launch_unlike (struct histo_cuda_launcher *launcher, struct histo_cuda_launch *launches, CUstream stream)
{
  const unsigned count = launches[0].unlike_count;
  enum histo_status status = HISTO_OK;

  for (unsigned i = 0; status == HISTO_OK && i < count; i++)
    if (launches[i].wanted != 0)
      status = histo_cuda_workspace_begin (launcher->workspace, &launches[i], stream);
  for (unsigned s = 0; status == HISTO_OK && s < HISTO_CUDA_STATISTICS; s++)
    if (statistics[s]->launch_unlike)
      status = statistics[s]->launch_unlike (launcher->states[s], launches, count, stream);
  return status;
}

enum histo_status
histo_cuda_launch (struct histo_cuda_launcher *launcher, unsigned first_slot, CUstream stream)
{
  struct histo_cuda_launch *launch = &launcher->launches[first_slot];
  enum histo_status status;

  if (launch->unlike_count > 1)
    return launch_unlike (launcher, launch, stream);
  if (launch->wanted == 0)
    return HISTO_OK;
  status = histo_cuda_workspace_begin (launcher->workspace, launch, stream);
  if (status == HISTO_OK)
    status = histo_cuda_deriver_launch (launcher->deriver, launch, stream);
  for (unsigned s = 0; status == HISTO_OK && s < HISTO_CUDA_STATISTICS; s++)
    if (histo_cuda_launches (launch, s))
      status = statistics[s]->launch (launcher->states[s], launch, stream);
  return status == HISTO_OK ? histo_cuda_workspace_end (launcher->workspace, launch, stream) : status;
}

/* ---- reading the numbers -------------------------------------------------------------------------------------------- */

bool
histo_cuda_publishes_early (const struct histo_cuda_launcher *launcher, unsigned slot)
{
  return launcher->slots[slot].publishes_early;
}

bool
histo_cuda_is_published (const struct histo_cuda_launcher *launcher, unsigned slot, bool has_finished)
{
  if (!has_finished && !launcher->slots[slot].publishes_early)
    return false;
  for (unsigned s = 0; s < HISTO_CUDA_STATISTICS; s++)
    if (launcher->slots[slot].wanted & HISTO_CUDA_BIT (s) && statistics[s]->is_published
        && !statistics[s]->is_published (launcher->states[s], slot))
      return false;
  return true;
}

void
histo_cuda_read (struct histo_cuda_launcher *launcher, unsigned slot, struct histo_stats *stats)
{
  const unsigned wanted = launcher->slots[slot].wanted;

  if (wanted == 0)
    return;
  for (unsigned s = 0; s < HISTO_CUDA_STATISTICS; s++)
    if (wanted & HISTO_CUDA_BIT (s))
      statistics[s]->read (launcher->states[s], slot, stats);
  histo_cuda_workspace_mark_read (launcher->workspace, slot);
}
