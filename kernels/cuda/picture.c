/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistic of differences and of what a picture says beside its histograms. Its numbers are words of the workspace. The
 * faster of its two kernels, where it can take the frame, counts the histograms in the same reading. */

#include <stdlib.h>

#include "cuda/statistic.h"

struct analyser {
  const struct histo_cuda_gpu *gpu;
  struct histo_cuda_workspace *workspace;
  CUfunction functions[2][2]; /* `histo_picture`, and for cells; each without and with the gamut */
  CUfunction fill;            /* what fills in the cells' table of colours */
  bool has_colours;           /* the table is filled in */
};

static void
close_analyser (void *analyser)
{
  free (analyser);
}

static enum histo_status
open_analyser (const struct histo_cuda_gpu *gpu, struct histo_cuda_workspace *workspace, unsigned slots, void **state)
{
  static const char *const names[2][2]
      = { { "histo_picture", "histo_picture_gamut" }, { "histo_picture_cells", "histo_picture_cells_gamut" } };
  struct analyser *analyser = calloc (1, sizeof *analyser);
  enum histo_status status = HISTO_OK;

  (void)slots;
  *state = NULL;
  if (!analyser)
    return histo_cuda_lack_memory (gpu->driver->config);
  analyser->gpu = gpu;
  analyser->workspace = workspace;
  for (unsigned k = 0; k < 2; k++)
    for (unsigned g = 0; g < 2; g++)
      HISTO_CUDA_TRY (status, gpu->driver, cuModuleGetFunction (&analyser->functions[k][g], gpu->module, names[k][g]),
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
  if (!plan->has_cells || !(plan->picture.statistics & (HISTO_CUDA_HUE | HISTO_CUDA_SATURATION)) || analyser->has_colours)
    return HISTO_OK;
  return fill_colours (analyser);
}

static enum histo_status
launch_kernel (void *state, const struct histo_cuda_launch *launch, CUstream stream)
{
  const struct analyser *analyser = state;
  const struct histo_cuda_plan *plan = &launch->plan;
  struct histo_cuda_picture picture = plan->picture;
  const CUfunction function = analyser->functions[plan->has_cells][(picture.statistics & HISTO_CUDA_GAMUT) != 0];
  void *parameters[] = { &picture };
  enum histo_status status = HISTO_OK;

  picture.workspace = plan->count.workspace;
  picture.result = plan->count.result;
  picture.addresses = plan->count.addresses;
  picture.pitch_bytes = plan->count.pitch_bytes;
  picture.frame_words = plan->count.frame_words;
  picture.tag = plan->count.tag;
  HISTO_CUDA_TRY (status, analyser->gpu->driver,
                  cuLaunchKernel (function, plan->picture_blocks, plan->count.frame_count, 1, plan->picture_threads, 1, 1,
                                  plan->picture_shared_bytes, stream, parameters, NULL),
                  "starting the kernel");
  return status;
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
  const uint32_t hues = first + HISTO_CUDA_PICTURE_WORDS, saturations = hues + HISTO_CUDA_HUES;
  struct histo_picture_stats *picture = stats->picture;

  for (unsigned c = 0; c < stats->component_count; c++) {
    const uint32_t difference = first + HISTO_CUDA_PICTURE_DIFFERENCE (c);

    stats->components[c].absolute_difference += histo_cuda_read_total (&numbers, difference);
    stats->components[c].squared_difference += histo_cuda_read_total (&numbers, difference + 2);
  }
  if (!picture)
    return;
  picture->outliers += histo_cuda_read_total (&numbers, first + HISTO_CUDA_PICTURE_OUTLIERS);
  picture->repeats += histo_cuda_read_total (&numbers, first + HISTO_CUDA_PICTURE_REPEATS);
  picture->out_of_range += histo_cuda_read_total (&numbers, first + HISTO_CUDA_PICTURE_OUT_OF_RANGE);
  picture->gamut_errors += histo_cuda_read_total (&numbers, first + HISTO_CUDA_PICTURE_GAMUT);
  for (uint32_t h = 0; picture->hue && h < HISTO_HUES; h++)
    picture->hue[h] += histo_cuda_read_word (&numbers, hues + h);
  for (uint32_t s = 0; s < picture->saturation_count; s++)
    picture->saturation[s] += histo_cuda_read_word (&numbers, saturations + s);
}

const struct histo_cuda_statistic histo_cuda_statistic_picture = {
  .open = open_analyser,
  .close = close_analyser,
  .is_wanted = histo_cuda_wants_picture,
  .plan = plan_launch,
  .launch = launch_kernel,
  .is_published = is_published,
  .read = read_numbers,
};
