/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fakekernels.h"

#include <stdlib.h>
#include <string.h>

#include "fakekernels/kernels.h"

const struct fakekernel fakekernels[FAKEKERNELS] = {
  { "histo_count", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false, false, false, false },
  { "histo_count_dot", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, true, false, false, false, false },
  { "histo_count_packed", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, true, false, false, false },
  { "histo_count_packed_listed", FAKEKERNEL_LISTED, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, true, false, false, false },
  { "histo_count_plane", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false, false, false, false },
  { "histo_count_plane_dot", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, true, false, false, false, false },
  { "histo_count_plane_listed", FAKEKERNEL_LISTED, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false, false, false, false },
  { "histo_count_narrow", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_NARROW, false, false, false, false, false },
  { "histo_count_dot_narrow", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_NARROW, true, false, false, false, false },
  { "histo_count_deep", FAKEKERNEL_DEEP, HISTO_CUDA_THREADS, 0, false, false, false, false, false },
  { "histo_count_deep_dot", FAKEKERNEL_DEEP, HISTO_CUDA_THREADS, 0, true, false, false, false, false },
  { "histo_count_carry", FAKEKERNEL_CARRY, HISTO_CUDA_THREADS, 0, false, false, false, false, false },
  { "histo_count_carry_planes", FAKEKERNEL_CARRY, HISTO_CUDA_THREADS, 0, false, false, false, false, false },
  { "histo_count_carry_dot", FAKEKERNEL_CARRY, HISTO_CUDA_THREADS, 0, true, false, false, false, false },
  { "histo_count_small", FAKEKERNEL_SMALL, HISTO_CUDA_SMALL_THREADS *HISTO_CUDA_SMALL_FRAMES, 0, false, false, false, false,
    false },
  { "histo_project", FAKEKERNEL_PROJECT, HISTO_CUDA_PROJECT_THREADS, HISTO_CUDA_PROJECT_COLUMNS, false, false, false, false,
    false },
  { "histo_project_any", FAKEKERNEL_PROJECT_ANY, HISTO_CUDA_PROJECT_ANY_THREADS, 0, false, false, false, false, false },
  { "histo_picture", FAKEKERNEL_PICTURE, HISTO_CUDA_PICTURE_THREADS, 0, false, false, false, false, false },
  { "histo_picture_cells", FAKEKERNEL_PICTURE, HISTO_CUDA_CELL_THREADS, 0, false, false, true, false, false },
  { "histo_picture_fill", FAKEKERNEL_FILL, HISTO_CUDA_PICTURE_THREADS, 0, false, false, false, false, false },
  { "histo_waveform", FAKEKERNEL_WAVEFORM, HISTO_CUDA_WAVEFORM_THREADS, 0, false, false, false, false, false },
  { "histo_vectorscope", FAKEKERNEL_VECTORSCOPE, HISTO_CUDA_VECTORSCOPE_THREADS, 0, false, false, false, false, false },
  { "histo_light", FAKEKERNEL_LIGHT, HISTO_CUDA_LIGHT_THREADS, 0, false, false, false, false, false },
  { "histo_light_linear", FAKEKERNEL_LIGHT, HISTO_CUDA_LIGHT_THREADS, 0, false, false, false, false, false },
  { "histo_picture_gamut", FAKEKERNEL_PICTURE, HISTO_CUDA_PICTURE_THREADS, 0, false, false, false, true, false },
  { "histo_picture_cells_gamut", FAKEKERNEL_PICTURE, HISTO_CUDA_CELL_THREADS, 0, false, false, true, true, false },
  { "histo_count_unlike", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false, false, false, false },
  { "histo_count_dot_unlike", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, true, false, false, false, false },
  { "histo_count_unlike_narrow", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_NARROW, false, false, false, false, false },
  { "histo_count_dot_unlike_narrow", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_NARROW, true, false, false, false,
    false },
  { "histo_count_deep_unlike", FAKEKERNEL_DEEP, HISTO_CUDA_THREADS, 0, false, false, false, false, false },
  { "histo_count_deep_dot_unlike", FAKEKERNEL_DEEP, HISTO_CUDA_THREADS, 0, true, false, false, false, false },
  { "histo_picture_unlike", FAKEKERNEL_PICTURE, HISTO_CUDA_PICTURE_THREADS, 0, false, false, false, false, false },
  { "histo_picture_gamut_unlike", FAKEKERNEL_PICTURE, HISTO_CUDA_PICTURE_THREADS, 0, false, false, false, true, false },
  { "histo_picture_cells_unlike", FAKEKERNEL_PICTURE, HISTO_CUDA_CELL_THREADS, 0, false, false, true, false, false },
  { "histo_picture_cells_gamut_unlike", FAKEKERNEL_PICTURE, HISTO_CUDA_CELL_THREADS, 0, false, false, true, true, false },
  { "histo_derive", FAKEKERNEL_DERIVE, HISTO_CUDA_DERIVE_THREADS, 0, false, false, false, false, false },
  { "histo_derive_deep", FAKEKERNEL_DERIVE, HISTO_CUDA_DERIVE_THREADS, 0, false, false, false, false, true },
  { "histo_derive_count", FAKEKERNEL_DERIVE_COUNT, HISTO_CUDA_THREADS, 0, false, false, false, false, false },
  { "histo_derive_count_deep", FAKEKERNEL_DERIVE_COUNT, HISTO_CUDA_THREADS, 0, false, false, false, false, true },
  { "histo_move", FAKEKERNEL_MOVE, HISTO_CUDA_MOVE_THREADS, 0, false, false, false, false, false },
  { "histo_add_tables", FAKEKERNEL_ADD_TABLES, HISTO_CUDA_ADD_THREADS, 0, false, false, false, false, false },
};

static bool
takes_unlike (const struct fakekernel *kernel)
{
  return strstr (kernel->name, "_unlike") != NULL;
}

/* Returns the size of the parameter of a launch, in bytes. */
static size_t
parameter_size (const struct fakekernel_launch *launch)
{
  return launch->kernel->kind == FAKEKERNEL_PICTURE ? sizeof launch->parameter.picture : sizeof launch->parameter.count;
}

/* Returns the parameters of frames of different sizes. NULL, after blame(): they are not valid. */
static const uint8_t *
find_parameters (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_unlike *unlike = &launch->unlike;
  const uint8_t *found = NULL;

  if (unlike->frame_count >= 1 && unlike->frame_count <= HISTO_CUDA_UNLIKE && unlike->parameters % 16 == 0
      && unlike->stride_bytes % 16 == 0 && unlike->size_bytes % 16 == 0 && unlike->size_bytes <= parameter_size (launch))
    found = find_any_memory (driver, unlike->parameters,
                             (unlike->frame_count - 1) * (uint64_t)unlike->stride_bytes + unlike->size_bytes);
  if (found == NULL)
    driver->blame ("the parameters of unlike frames are not where they should be");
  return found;
}

/* Copies the parameter of frame `index`, whose blocks then begin at 0. Returns false if it has no blocks. */
static bool
set_frame (const struct fakekernel_launch *launch, unsigned index, const uint8_t *parameters, struct fakekernel_launch *frame)
{
  const uint32_t first_block = launch->unlike.first_block[index];
  struct histo_cuda_count *count = &frame->parameter.count;

  *frame = (struct fakekernel_launch){ .kernel = launch->kernel,
                                       .blocks_x = launch->unlike.first_block[index + 1] - first_block,
                                       .blocks_y = 1,
                                       .shared_bytes = launch->shared_bytes };
  if (frame->blocks_x == 0)
    return false;
  memset (&frame->parameter, 0xa5, sizeof frame->parameter); /* the kernel does not read the remainder */
  memcpy (&frame->parameter, parameters + (uint64_t)index * launch->unlike.stride_bytes, launch->unlike.size_bytes);
  for (unsigned p = 0; launch->kernel->kind != FAKEKERNEL_PICTURE && p < count->pass_count && p < HISTO_CUDA_PASSES; p++) {
    count->first_block[p] -= first_block;
    count->passes[p].first_block -= first_block;
  }
  return true;
}

static bool
set_unlike (struct fakekernel_launch *launch, const struct histo_cuda_unlike *unlike, const struct fakekernel_driver *driver)
{
  const uint8_t *parameters;
  bool is_good;

  launch->unlike = *unlike;
  parameters = find_parameters (launch, driver);
  if (parameters == NULL)
    return false;
  launch->frames = calloc (unlike->frame_count, sizeof *launch->frames);
  is_good = launch->frames != NULL && launch->blocks_y == 1 && unlike->first_block[0] == 0
            && unlike->first_block[unlike->frame_count] == launch->blocks_x;
  for (unsigned i = 0; is_good && i < unlike->frame_count; i++) {
    is_good = unlike->first_block[i] <= unlike->first_block[i + 1];
    launch->frame_count += set_frame (launch, i, parameters, &launch->frames[launch->frame_count]);
  }
  if (!is_good)
    driver->blame ("a launch of unlike frames contradicts itself");
  return is_good;
}

/* Returns whether the parameters of frames of different sizes are unchanged since the launch. */
static bool
are_unchanged (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const uint8_t *parameters = find_parameters (launch, driver);
  struct fakekernel_launch now;

  for (unsigned i = 0, f = 0; parameters != NULL && i < launch->unlike.frame_count; i++)
    if (set_frame (launch, i, parameters, &now)
        && memcmp (&now.parameter, &launch->frames[f++].parameter, parameter_size (launch)) != 0) {
      driver->blame ("the parameter of frame %u was changed before the kernel could read it", i);
      return false;
    }
  return parameters != NULL;
}

void
fakekernel_clear (struct fakekernel_launch *launch)
{
  free (launch->frames);
  launch->frames = NULL;
  launch->frame_count = 0;
}

bool
fakekernel_set_parameter (struct fakekernel_launch *launch, const void *parameter, const struct fakekernel_driver *driver)
{
  /* The kernel does not get the remainder. */
  memset (&launch->parameter, 0xa5, sizeof launch->parameter);
  memset (launch->listed, 0xa5, sizeof launch->listed);
  if (launch->kernel->kind == FAKEKERNEL_FILL)
    return true;
  if (takes_unlike (launch->kernel))
    return set_unlike (launch, parameter, driver);
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
  } else if (launch->kernel->kind == FAKEKERNEL_DERIVE) {
    memcpy (&launch->parameter.derive, parameter, sizeof launch->parameter.derive);
  } else if (launch->kernel->kind == FAKEKERNEL_DERIVE_COUNT) {
    memcpy (&launch->parameter.derive_count, parameter, sizeof launch->parameter.derive_count);
  } else if (launch->kernel->kind == FAKEKERNEL_MOVE) {
    memcpy (&launch->parameter.move, parameter, sizeof launch->parameter.move);
  } else if (launch->kernel->kind == FAKEKERNEL_ADD_TABLES) {
    memcpy (&launch->parameter.add_tables, parameter, sizeof launch->parameter.add_tables);
  } else if (is_scope (launch->kernel)) {
    memcpy (&launch->parameter.scope, parameter, sizeof launch->parameter.scope);
  } else if (launch->kernel->kind >= FAKEKERNEL_PROJECT) {
    memcpy (&launch->parameter.project, parameter, sizeof launch->parameter.project);
  } else {
    memcpy (&launch->parameter.count, parameter, sizeof launch->parameter.count);
  }
  return true;
}

bool
fakekernel_run (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  if (launch->frames != NULL) {
    bool is_good = are_unchanged (launch, driver);

    for (unsigned i = 0; is_good && i < launch->frame_count; i++)
      is_good = fakekernel_run (&launch->frames[i], driver);
    return is_good;
  }
  if (launch->kernel->kind == FAKEKERNEL_FILL)
    return true;
  if (launch->kernel->kind == FAKEKERNEL_PICTURE)
    return picture_frames (launch, driver);
  if (takes_derive (launch->kernel))
    return derive_frame (launch, driver);
  if (launch->kernel->kind == FAKEKERNEL_MOVE)
    return move_vectors (launch, driver);
  if (launch->kernel->kind == FAKEKERNEL_ADD_TABLES)
    return add_tables (launch, driver);
  if (is_scope (launch->kernel))
    return scope_frames (launch, driver);
  return launch->kernel->kind >= FAKEKERNEL_PROJECT ? project_frames (launch, driver) : count_frames (launch, driver);
}

void
fakekernel_end (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const struct histo_cuda_project *project = &launch->parameter.project;

  for (unsigned i = 0; i < launch->frame_count; i++)
    fakekernel_end (&launch->frames[i], driver);
  if (launch->frames != NULL || launch->kernel->kind == FAKEKERNEL_PROJECT_ANY || launch->kernel->kind == FAKEKERNEL_FILL
      || launch->kernel->kind == FAKEKERNEL_MOVE || launch->kernel->kind == FAKEKERNEL_ADD_TABLES || is_scope (launch->kernel))
    return;
  if (takes_derive (launch->kernel)) {
    end_derive (launch, driver);
    return;
  }
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

  for (unsigned i = 0; i < launch->frame_count; i++)
    if (fakekernel_uses (&launch->frames[i], begin, size))
      return true;
  if (launch->frames != NULL)
    return is_within (launch->unlike.parameters, begin, size);
  if (launch->kernel->kind == FAKEKERNEL_FILL)
    return false;
  if (launch->kernel->kind == FAKEKERNEL_PICTURE)
    return pictures_use (&launch->parameter.picture, begin, size);
  if (takes_derive (launch->kernel))
    return derive_uses (launch, begin, size);
  if (launch->kernel->kind == FAKEKERNEL_MOVE)
    return move_uses (&launch->parameter.move, begin, size);
  if (launch->kernel->kind == FAKEKERNEL_ADD_TABLES)
    return add_tables_uses (&launch->parameter.add_tables, begin, size);
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
  for (unsigned i = 0; i < launch->frame_count; i++)
    if (fakekernel_clears (&launch->frames[i], begin, size))
      return true;
  if (launch->frames != NULL || launch->kernel->kind == FAKEKERNEL_FILL)
    return false;
  if (launch->kernel->kind == FAKEKERNEL_PICTURE)
    return launch->parameter.picture.tag != 0 && is_within (launch->parameter.picture.workspace, begin, size);
  if (launch->kernel->kind == FAKEKERNEL_DERIVE_COUNT)
    return launch->parameter.derive_count.tag != 0 && is_within (launch->parameter.derive_count.workspace, begin, size);
  if (is_scope (launch->kernel) || launch->kernel->kind == FAKEKERNEL_DERIVE || launch->kernel->kind == FAKEKERNEL_MOVE
      || launch->kernel->kind == FAKEKERNEL_ADD_TABLES)
    return false;
  if (launch->kernel->kind >= FAKEKERNEL_PROJECT)
    return launch->kernel->kind == FAKEKERNEL_PROJECT && is_within (launch->parameter.project.workspace, begin, size);
  return launch->parameter.count.tag != 0 && is_within (launch->parameter.count.workspace, begin, size);
}
