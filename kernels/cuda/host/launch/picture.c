/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistic of differences and of the picture's numbers besides its histograms. Its numbers are words of the workspace. The
 * faster of its two kernels also counts the histograms, if it can count the frame. */

#include <stddef.h>
#include <stdlib.h>

#include "cuda/host/launch/publish.h"
#include "cuda/host/launch/statistic.h"
#include "cuda/host/plan/plan_picture.h"

struct analyser {
  const struct histo_cuda_gpu *gpu;
  struct histo_cuda_workspace *workspace;
  CUfunction functions[2][2][2]; /* for frames that are alike, and unlike; `histo_picture`, and for cells; without and with the
                                  * gamut */
  CUfunction fill;               /* fills the cells' table of colours */
  bool has_colours;              /* the table is filled */
};

static void
close_analyser (void *analyser)
{
  free (analyser);
}

static enum histo_status
open_analyser (const struct histo_cuda_gpu *gpu, struct histo_cuda_workspace *workspace, unsigned slots, void **state)
{
  static const char *const names[2][2][2]
      = { { { "histo_picture", "histo_picture_gamut" }, { "histo_picture_cells", "histo_picture_cells_gamut" } },
          { { "histo_picture_unlike", "histo_picture_gamut_unlike" },
            { "histo_picture_cells_unlike", "histo_picture_cells_gamut_unlike" } } };
  struct analyser *analyser = calloc (1, sizeof *analyser);
  enum histo_status status = HISTO_OK;

  (void)slots;
  *state = NULL;
  if (!analyser)
    return histo_cuda_lack_memory (gpu->driver->config);
  analyser->gpu = gpu;
  analyser->workspace = workspace;
  for (unsigned i = 0; i < 8; i++)
    HISTO_CUDA_TRY (
        status, gpu->driver,
        cuModuleGetFunction (&analyser->functions[i / 4][i / 2 % 2][i % 2], gpu->module, names[i / 4][i / 2 % 2][i % 2]),
        "finding the kernel");
  HISTO_CUDA_TRY (status, gpu->driver, cuModuleGetFunction (&analyser->fill, gpu->module, "histo_picture_fill"),
                  "finding the kernel");
  if (status == HISTO_OK)
    *state = analyser;
  else
    close_analyser (analyser);
  return status;
}

static enum histo_status
fill_colours (struct analyser *analyser)
{
  const struct histo_cuda_gpu *gpu = analyser->gpu;
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, gpu->driver,
                  cuLaunchKernel (analyser->fill, HISTO_CUDA_CELL_COLOURS / HISTO_CUDA_PICTURE_THREADS, 1, 1,
                                  HISTO_CUDA_PICTURE_THREADS, 1, 1, 0, gpu->stream, NULL, NULL),
                  "starting the kernel");
  HISTO_CUDA_TRY (status, gpu->driver, cuStreamSynchronize (gpu->stream), "waiting for the kernel");
  analyser->has_colours = status == HISTO_OK;
  return status;
}

static enum histo_status
plan_launch (void *state, struct histo_cuda_launch *launch)
{
  struct analyser *analyser = state;
  const struct histo_cuda_plan *plan = &launch->plan;

  if (plan->picture.counts)
    launch->covered |= HISTO_CUDA_BIT (HISTO_CUDA_COUNT);
  if (!plan->has_cells || !(plan->picture.statistics & (HISTO_STATISTIC_HUE | HISTO_STATISTIC_SATURATION))
      || analyser->has_colours)
    return HISTO_OK;
  return fill_colours (analyser);
}

/* The parameter of the kernels for a launch whose words are reserved. */
static struct histo_cuda_picture
make_parameter (const struct histo_cuda_plan *plan)
{
  struct histo_cuda_picture picture = plan->picture;

  picture.workspace = plan->count.workspace;
  picture.result = plan->count.result;
  picture.addresses = plan->count.addresses;
  picture.pitch_bytes = plan->count.pitch_bytes;
  picture.frame_words = plan->count.frame_words;
  picture.tag = plan->count.tag;
  return picture;
}

static enum histo_status
start_kernel (const struct analyser *analyser, bool is_unlike, const struct histo_cuda_plan *plan, uint32_t blocks,
              uint32_t shared_bytes, void *parameter, CUstream stream)
{
  const bool has_gamut = plan->picture.statistics & HISTO_STATISTIC_GAMUT;
  void *parameters[] = { parameter };
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, analyser->gpu->driver,
                  cuLaunchKernel (analyser->functions[is_unlike][plan->has_cells][has_gamut], blocks,
                                  is_unlike ? 1 : plan->count.frame_count, 1, plan->picture_threads, 1, 1, shared_bytes, stream,
                                  parameters, NULL),
                  "starting the kernel");
  return status;
}

static enum histo_status
launch_kernel (void *state, const struct histo_cuda_launch *launch, CUstream stream)
{
  const struct histo_cuda_plan *plan = &launch->plan;
  struct histo_cuda_picture picture = make_parameter (plan);

  return start_kernel (state, false, plan, plan->picture_blocks, plan->picture_shared_bytes, &picture, stream);
}

/* Launches the frames that have cells, or those that have none. */
static enum histo_status
launch_some (const struct analyser *analyser, const struct histo_cuda_launch *launches, unsigned count, bool with_cells,
             CUstream stream)
{
  CUdeviceptr address;
  struct histo_cuda_parameters *own
      = histo_cuda_workspace_get_parameters (analyser->workspace, launches[0].first_slot, &address);
  struct histo_cuda_unlike unlike = {
    .parameters = address + offsetof (struct histo_cuda_parameters, picture),
    .stride_bytes = sizeof *own,
    .frame_count = count,
  };
  const struct histo_cuda_plan *any = NULL;
  uint32_t blocks = 0, shared_bytes = 0;

  for (unsigned i = 0; i < count; i++) {
    const struct histo_cuda_plan *plan = &launches[i].plan;

    unlike.first_block[i] = blocks;
    if (!histo_cuda_launches (&launches[i], HISTO_CUDA_PICTURE) || plan->has_cells != with_cells)
      continue;
    any = plan;
    own[i].picture = make_parameter (plan);
    if (unlike.size_bytes < offsetof (struct histo_cuda_picture, components[plan->picture.component_count]))
      unlike.size_bytes = offsetof (struct histo_cuda_picture, components[plan->picture.component_count]);
    blocks += plan->picture_blocks;
    if (shared_bytes < plan->picture_shared_bytes)
      shared_bytes = plan->picture_shared_bytes;
  }
  unlike.first_block[count] = blocks;
  return any ? start_kernel (analyser, true, any, blocks, shared_bytes, &unlike, stream) : HISTO_OK;
}

static enum histo_status
launch_unlike (void *state, const struct histo_cuda_launch *launches, unsigned count, CUstream stream)
{
  enum histo_status status = launch_some (state, launches, count, false, stream);

  return status == HISTO_OK ? launch_some (state, launches, count, true, stream) : status;
}

static bool
is_published (void *state, unsigned slot)
{
  const struct analyser *analyser = state;

  return histo_cuda_workspace_is_published (analyser->workspace, slot);
}

static void
read_numbers (void *state, unsigned slot, struct histo_stats *stats)
{
  const struct analyser *analyser = state;
  const struct histo_cuda_numbers numbers = histo_cuda_workspace_find (analyser->workspace, slot);
  const uint32_t first = numbers.words->first_word[numbers.words->component_count];
  struct histo_picture_stats *picture = stats->picture;
  uint32_t next = first + HISTO_CUDA_PICTURE_WORDS;

  for (unsigned c = 0; c < stats->component_count; c++) {
    const uint32_t difference = first + HISTO_CUDA_PICTURE_DIFFERENCE (c);

    stats->components[c].absolute_difference += histo_cuda_read_total (&numbers, difference);
    stats->components[c].squared_difference += histo_cuda_read_total (&numbers, difference + 2);
  }
  if (!picture)
    return;
#define PICTURE_NUMBER(id, name, ...) \
  picture->name += histo_cuda_read_total (&numbers, first + HISTO_CUDA_PICTURE_NUMBER (HISTO_NUMBER_##id));
#include "statistic_list.h"
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++) {
    const struct histo_statistic_row *row = &histo_statistics[s];
    const uint32_t count = histo_cuda_count_histogram_words (row, picture->statistics, stats->components[0].depth);

    for (uint32_t i = 0; i < count && picture->statistics & row->bit; i++)
      (*histo_find_histogram (row, picture))[i] += histo_cuda_read_word (&numbers, next + i);
    next += count;
  }
}

const struct histo_cuda_statistic histo_cuda_statistic_picture = {
  .open = open_analyser,
  .close = close_analyser,
  .is_wanted = histo_cuda_wants_picture,
  .plan = plan_launch,
  .launch = launch_kernel,
  .launch_unlike = launch_unlike,
  .is_published = is_published,
  .read = read_numbers,
};
