/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fakekernels.h"

#include <string.h>

#include "fakekernels/kernels.h"

const struct fakekernel fakekernels[FAKEKERNELS] = {
  { "histo_count", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false, false, false },
  { "histo_count_dot", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, true, false, false, false },
  { "histo_count_packed", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, true, false, false },
  { "histo_count_packed_listed", FAKEKERNEL_LISTED, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, true, false, false },
  { "histo_count_plane", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false, false, false },
  { "histo_count_plane_dot", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, true, false, false, false },
  { "histo_count_plane_listed", FAKEKERNEL_LISTED, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false, false, false },
  { "histo_count_narrow", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_NARROW, false, false, false, false },
  { "histo_count_dot_narrow", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_NARROW, true, false, false, false },
  { "histo_count_deep", FAKEKERNEL_DEEP, HISTO_CUDA_THREADS, 0, false, false, false, false },
  { "histo_count_deep_dot", FAKEKERNEL_DEEP, HISTO_CUDA_THREADS, 0, true, false, false, false },
  { "histo_count_carry", FAKEKERNEL_CARRY, HISTO_CUDA_THREADS, 0, false, false, false, false },
  { "histo_count_carry_dot", FAKEKERNEL_CARRY, HISTO_CUDA_THREADS, 0, true, false, false, false },
  { "histo_count_small", FAKEKERNEL_SMALL, HISTO_CUDA_SMALL_THREADS *HISTO_CUDA_SMALL_FRAMES, 0, false, false, false, false },
  { "histo_project", FAKEKERNEL_PROJECT, HISTO_CUDA_PROJECT_THREADS, HISTO_CUDA_PROJECT_COLUMNS, false, false, false, false },
  { "histo_project_any", FAKEKERNEL_PROJECT_ANY, HISTO_CUDA_PROJECT_ANY_THREADS, 0, false, false, false, false },
  { "histo_picture", FAKEKERNEL_PICTURE, HISTO_CUDA_PICTURE_THREADS, 0, false, false, false, false },
  { "histo_picture_cells", FAKEKERNEL_PICTURE, HISTO_CUDA_CELL_THREADS, 0, false, false, true, false },
  { "histo_picture_fill", FAKEKERNEL_FILL, HISTO_CUDA_PICTURE_THREADS, 0, false, false, false, false },
  { "histo_waveform", FAKEKERNEL_WAVEFORM, HISTO_CUDA_WAVEFORM_THREADS, 0, false, false, false, false },
  { "histo_vectorscope", FAKEKERNEL_VECTORSCOPE, HISTO_CUDA_VECTORSCOPE_THREADS, 0, false, false, false, false },
  { "histo_picture_gamut", FAKEKERNEL_PICTURE, HISTO_CUDA_PICTURE_THREADS, 0, false, false, false, true },
  { "histo_picture_cells_gamut", FAKEKERNEL_PICTURE, HISTO_CUDA_CELL_THREADS, 0, false, false, true, true },
};

void
fakekernel_set_parameter (struct fakekernel_launch *launch, const void *parameter)
{
  /* What the kernel does not get is garbage. */
  memset (&launch->parameter, 0xa5, sizeof launch->parameter);
  memset (launch->listed, 0xa5, sizeof launch->listed);
  if (launch->kernel->kind == FAKEKERNEL_FILL)
    return;
  if (takes_one_plane (launch->kernel)) {
    struct histo_cuda_pass *pass = &launch->parameter.count.passes[0];
    const struct histo_cuda_listed_count *listed = parameter;

    memcpy (&launch->parameter.count, parameter, HISTO_CUDA_PLANE_BYTES);
    if (launch->kernel->kind == FAKEKERNEL_LISTED)
      memcpy (launch->listed, listed->data, sizeof launch->listed);
    pass->components[0] = (struct histo_cuda_component){
      .step_bytes = 1,
      .width = pass->length,
      .sample_bytes = 1,
      .mask = 0xff,
      .bins = HISTO_CUDA_BINS,
    };
  } else if (launch->kernel->kind == FAKEKERNEL_PICTURE) {
    memcpy (&launch->parameter.picture, parameter, sizeof launch->parameter.picture);
  } else if (is_scope (launch->kernel)) {
    memcpy (&launch->parameter.scope, parameter, sizeof launch->parameter.scope);
  } else if (launch->kernel->kind >= FAKEKERNEL_PROJECT) {
    memcpy (&launch->parameter.project, parameter, sizeof launch->parameter.project);
  } else {
    memcpy (&launch->parameter.count, parameter, sizeof launch->parameter.count);
  }
}

bool
fakekernel_run (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  if (launch->kernel->kind == FAKEKERNEL_FILL)
    return true;
  if (launch->kernel->kind == FAKEKERNEL_PICTURE)
    return picture_frames (launch, driver);
  if (is_scope (launch->kernel))
    return scope_frames (launch, driver);
  return launch->kernel->kind >= FAKEKERNEL_PROJECT ? project_frames (launch, driver) : count_frames (launch, driver);
}

void
fakekernel_end (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const struct histo_cuda_project *project = &launch->parameter.project;

  if (launch->kernel->kind == FAKEKERNEL_PROJECT_ANY || launch->kernel->kind == FAKEKERNEL_FILL || is_scope (launch->kernel))
    return;
  if (launch->kernel->kind == FAKEKERNEL_PICTURE) {
    end_pictures (launch, driver);
    return;
  }
  if (launch->kernel->kind == FAKEKERNEL_PROJECT) {
    for (unsigned i = 0; i < launch->blocks_y; i++)
      clear_words (driver, project->workspace + (uint64_t)i * project->frame_words * sizeof (uint64_t),
                   HISTO_CUDA_WORDS (HISTO_CUDA_BINS));
    return;
  }
  for (uint32_t i = 0; i < count->frame_count && count->tag != 0; i++)
    for (unsigned p = 0; p < count->pass_count; p++)
      for (unsigned c = 0; c < count->passes[p].component_count; c++) {
        const struct histo_cuda_component *component = &count->passes[p].components[c];
        const uint64_t word = (uint64_t)i * count->frame_words + component->first_word;

        clear_words (driver, count->workspace + word * sizeof (uint64_t), HISTO_CUDA_WORDS (component->bins));
      }
}

bool
fakekernel_uses (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const struct histo_cuda_project *project = &launch->parameter.project;

  if (launch->kernel->kind == FAKEKERNEL_FILL)
    return false;
  if (launch->kernel->kind == FAKEKERNEL_PICTURE)
    return pictures_use (&launch->parameter.picture, begin, size);
  if (is_scope (launch->kernel))
    return scopes_use (&launch->parameter.scope, begin, size);
  if (launch->kernel->kind >= FAKEKERNEL_PROJECT)
    return is_within (project->data[0], begin, size) || is_within (project->workspace, begin, size)
           || is_within (project->result, begin, size) || is_within (project->row_weights, begin, size)
           || is_within (project->column_weights, begin, size) || is_within (project->row_sums, begin, size)
           || is_within (project->column_sums, begin, size);
  for (unsigned p = 0; p < count->pass_count; p++)
    if (is_within (count->passes[p].data, begin, size) || is_within (count->passes[p].operand, begin, size))
      return true;
  return is_within (count->workspace, begin, size) || is_within (count->result, begin, size)
         || (!takes_one_plane (launch->kernel) && is_within (count->addresses, begin, size));
}

bool
fakekernel_clears (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size)
{
  if (launch->kernel->kind == FAKEKERNEL_FILL)
    return false;
  if (launch->kernel->kind == FAKEKERNEL_PICTURE)
    return launch->parameter.picture.tag != 0 && is_within (launch->parameter.picture.workspace, begin, size);
  if (is_scope (launch->kernel))
    return false;
  if (launch->kernel->kind >= FAKEKERNEL_PROJECT)
    return launch->kernel->kind == FAKEKERNEL_PROJECT && is_within (launch->parameter.project.workspace, begin, size);
  return launch->parameter.count.tag != 0 && is_within (launch->parameter.count.workspace, begin, size);
}
