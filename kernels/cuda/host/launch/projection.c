/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistic of frames that project: row and column sums. The faster of its two kernels also counts the histograms into the
 * words of the workspace, if it can count the frame. */

#include <stdlib.h>
#include <string.h>

#include "cuda/host/launch/statistic.h"
#include "cuda/host/launch/sums.h"
#include "cuda/host/launch/weights.h"
#include "cuda/project.h"

enum kernel {
  PROJECT,     /* also counts the histograms */
  PROJECT_ANY, /* any kind of samples */
  KERNELS
};

static const struct {
  const char *name;
  unsigned threads;
  unsigned strip;     /* samples of a row that a block counts */
  unsigned alignment; /* of strips in memory, except the start of the first */
  unsigned table_bytes;
} kernels[KERNELS] = {
  [PROJECT] = { "histo_project", HISTO_CUDA_PROJECT_THREADS, HISTO_CUDA_PROJECT_BYTES, 16,
                HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_PROJECT_COLUMNS) },
  [PROJECT_ANY] = { "histo_project_any", HISTO_CUDA_PROJECT_ANY_THREADS, HISTO_CUDA_PROJECT_ANY_THREADS, 1, 0 },
};

/* The sums of a slot's frame, frame `index` of its launch; NULL: none, or already read. */
struct slot {
  struct histo_cuda_sums *sums;
  unsigned index;
};

struct projector {
  const struct histo_cuda_gpu *gpu;
  CUfunction functions[KERNELS];
  bool has_tables; /* the device has enough shared memory for the tables of PROJECT */
  struct histo_cuda_weights weights[HISTO_MAX_COUNTED];
  struct histo_cuda_sums_pool pool;
  struct slot *slots;
};

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static void
close_projector (void *state)
{
  struct projector *projector = state;

  if (!projector)
    return;
  histo_cuda_sums_pool_close (&projector->pool);
  for (unsigned c = 0; c < HISTO_MAX_COUNTED; c++)
    histo_cuda_weights_free (&projector->weights[c], projector->gpu->driver);
  free (projector->slots);
  free (projector);
}

static enum histo_status
open_projector (const struct histo_cuda_gpu *gpu, struct histo_cuda_workspace *workspace, unsigned slots, void **state)
{
  struct projector *projector = calloc (1, sizeof *projector);
  enum histo_status status = HISTO_OK;

  (void)workspace;
  *state = NULL;
  if (projector)
    projector->slots = calloc (slots, sizeof *projector->slots);
  if (!projector || !projector->slots) {
    free (projector);
    return histo_cuda_lack_memory (gpu->driver->config);
  }
  projector->gpu = gpu;
  projector->has_tables = gpu->shared_bytes >= kernels[PROJECT].table_bytes + HISTO_CUDA_PROJECT_STATIC_BYTES;
  histo_cuda_sums_pool_open (&projector->pool, gpu->driver);
  for (unsigned k = 0; k < KERNELS; k++)
    HISTO_CUDA_TRY (status, gpu->driver, cuModuleGetFunction (&projector->functions[k], gpu->module, kernels[k].name),
                    "finding the kernel");
  if (projector->has_tables)
    HISTO_CUDA_TRY (status, gpu->driver,
                    cuFuncSetAttribute (projector->functions[PROJECT], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        (int)kernels[PROJECT].table_bytes),
                    "requesting shared memory");
  if (status == HISTO_OK)
    *state = projector;
  else
    close_projector (projector);
  return status;
}

enum histo_status
histo_cuda_projection_set_weights (void *projection, unsigned component, const struct histo_weights *weights)
{
  struct projector *projector = projection;

  return histo_cuda_weights_set (&projector->weights[component], projector->gpu->driver, projector->gpu->stream, weights);
}

/* ---- planning ------------------------------------------------------------------------------------------------------- */

static bool
is_wanted (const struct histo_frame *frame)
{
  return frame->statistics & HISTO_STATISTIC_PROJECTION;
}

/* The number of frames of one launch of the kernel. If one launch cannot take all, several take about the same number each. */
static unsigned
share_frames (unsigned frames)
{
  unsigned launches = (frames + HISTO_CUDA_LISTED - 1) / HISTO_CUDA_LISTED;

  return (frames + launches - 1) / launches;
}

/* Sets all fields except the addresses, the words and the sums. */
static void
describe (const struct projector *projector, enum kernel kernel, const struct histo_cuda_pass *pass, unsigned t,
          unsigned frames, const struct histo_cuda_weights *weights, struct histo_cuda_project *out)
{
  const unsigned strip = kernels[kernel].strip, lead = pass->data % kernels[kernel].alignment;
  const struct histo_cuda_tuning *tuning = projector->gpu->tuning;
  const uint64_t height = pass->height;
  uint64_t wanted, most, strips;

  *out = (struct histo_cuda_project){
    .stride_bytes = pass->stride_bytes,
    .width = pass->components[t].width,
    .height = pass->height,
    .row_weights = weights->row,
    .column_weights = weights->column,
    .weight_size = !weights->row && !weights->column ? 0
                   : weights->fits_32_bits           ? 1
                                                     : 2,
    .component = pass->components[t],
  };
  out->strips = (uint32_t)((out->width + lead + strip - 1) / strip);
  strips = (uint64_t)out->strips * share_frames (frames);
  wanted = ((uint64_t)projector->gpu->multiprocessors * tuning->project_blocks + strips - 1) / strips;
  most = (height + tuning->project_rows - 1) / tuning->project_rows;
  if (wanted > most)
    wanted = most;
  if (wanted < (height + HISTO_CUDA_PROJECT_ROWS - 1) / HISTO_CUDA_PROJECT_ROWS)
    wanted = (height + HISTO_CUDA_PROJECT_ROWS - 1) / HISTO_CUDA_PROJECT_ROWS;
  out->slice_rows = (uint32_t)((height + wanted - 1) / wanted);
}

/* The number of blocks of a frame. PROJECT_ANY never has too many for a launch: 2^32 samples are at most 2^24 strips of one
 * row, or one strip of 2^20 slices. */
static uint64_t
count_blocks (const struct histo_cuda_project *project)
{
  return (uint64_t)((project->height - 1) / project->slice_rows + 1) * project->strips;
}

/* Whether PROJECT can count all passes. */
static bool
can_count (const struct projector *projector, const struct histo_cuda_plan *plan)
{
  if (!projector->has_tables)
    return false;
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    const struct histo_cuda_pass *pass = &plan->count.passes[p];
    struct histo_cuda_project project;

    /* One component of adjacent bytes, all in vectors that begin at the same position in each row. */
    if (plan->passes[p].component_count != 1 || plan->passes[p].sample_bytes != 1 || pass->period != 1 || pass->has_edges
        || pass->operand || pass->stride_bytes % 16 != 0 || !pass->is_aligned)
      return false;
    describe (projector, PROJECT, pass, 0, plan->count.frame_count, &(struct histo_cuda_weights){ 0 }, &project);
    if (count_blocks (&project) > HISTO_CUDA_MAX_BLOCKS) /* the limit of additions to a word */
      return false;
  }
  return true;
}

static enum histo_status
plan_projection (void *state, struct histo_cuda_launch *launch)
{
  struct projector *projector = state;
  const struct histo_cuda_plan *plan = &launch->plan;
  struct histo_cuda_sums_part parts[HISTO_MAX_COUNTED] = { 0 };
  struct histo_cuda_sums *sums;
  enum histo_status status;

  for (unsigned p = 0; p < plan->count.pass_count; p++)
    for (unsigned t = 0; t < plan->passes[p].component_count; t++) {
      const struct histo_pass_component *component = &plan->passes[p].components[t];

      parts[component->index].rows = plan->passes[p].height;
      parts[component->index].columns = component->width;
    }
  status = histo_cuda_sums_take (&projector->pool, plan->count.frame_count, parts, &sums);
  if (status != HISTO_OK)
    return status;
  for (unsigned i = 0; i < plan->count.frame_count; i++)
    projector->slots[launch->first_slot + i] = (struct slot){ .sums = sums, .index = i };
  launch->lists_addresses = true;
  if (can_count (projector, plan))
    launch->covered |= HISTO_CUDA_BIT (HISTO_CUDA_COUNT);
  return HISTO_OK;
}

/* ---- launching ------------------------------------------------------------------------------------------------------ */

/* Launches one component of all frames. `project` is set for the first frame, except its address. `addresses`: of all
 * frames. */
static enum histo_status
launch_component (const struct projector *projector, enum kernel kernel, struct histo_cuda_project *project,
                  const uint64_t *addresses, unsigned frames, CUstream stream)
{
  const unsigned most = share_frames (frames);
  enum histo_status status = HISTO_OK;
  void *parameters[] = { project };

  for (unsigned first = 0, count; status == HISTO_OK && first < frames; first += count) {
    count = frames - first < most ? frames - first : most;
    memcpy (project->data, addresses + first, count * sizeof *addresses);
    HISTO_CUDA_TRY (status, projector->gpu->driver,
                    cuLaunchKernel (projector->functions[kernel], (unsigned)count_blocks (project), count, 1,
                                    kernels[kernel].threads, 1, 1, kernels[kernel].table_bytes, stream, parameters, NULL),
                    "starting the kernel");
    project->workspace += count * project->frame_words * sizeof (uint64_t);
    project->result += count * project->frame_words * sizeof (uint64_t);
    project->row_sums += (uint64_t)count * project->height * sizeof (int64_t);
    project->column_sums += count * project->width * sizeof (int64_t);
  }
  return status;
}

static enum histo_status
launch_projection (void *state, const struct histo_cuda_launch *launch, CUstream stream)
{
  const struct projector *projector = state;
  const struct histo_cuda_driver *driver = projector->gpu->driver;
  const struct histo_cuda_plan *plan = &launch->plan;
  const struct histo_cuda_count *count = &plan->count;
  const struct histo_cuda_sums *sums = projector->slots[launch->first_slot].sums;
  const enum kernel kernel = launch->covered & HISTO_CUDA_BIT (HISTO_CUDA_COUNT) ? PROJECT : PROJECT_ANY;
  const unsigned frames = count->frame_count;
  const size_t size = sums->used * sizeof *sums->host;
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, driver, cuMemsetD8Async (sums->device, 0, size, stream), "clearing device memory");
  for (unsigned p = 0; p < count->pass_count; p++)
    for (unsigned t = 0; status == HISTO_OK && t < plan->passes[p].component_count; t++) {
      const unsigned component = plan->passes[p].components[t].index;
      const struct histo_cuda_sums_part *part = &sums->parts[component];
      struct histo_cuda_project project;

      describe (projector, kernel, &count->passes[p], t, frames, &projector->weights[component], &project);
      project.tag = count->tag;
      project.frame_words = count->frame_words;
      project.workspace = count->workspace + project.component.first_word * sizeof (uint64_t);
      project.result = count->result + project.component.first_word * sizeof (uint64_t);
      project.row_sums = sums->device + part->first * sizeof *sums->host;
      project.column_sums = project.row_sums + (size_t)frames * part->rows * sizeof *sums->host;
      status = launch_component (projector, kernel, &project,
                                 frames > 1 ? launch->addresses + (size_t)p * frames : &count->passes[p].data, frames, stream);
    }
  HISTO_CUDA_TRY (status, driver, cuMemcpyDtoHAsync (sums->host, sums->device, size, stream),
                  "copying the sums from the device");
  return status;
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */

static void
drop_slot (void *state, unsigned slot)
{
  struct projector *projector = state;

  histo_cuda_sums_drop (&projector->pool, projector->slots[slot].sums);
  projector->slots[slot].sums = NULL;
}

static void
read_sums (void *state, unsigned slot, struct histo_stats *stats)
{
  const struct projector *projector = state;
  const struct histo_cuda_sums *sums = projector->slots[slot].sums;
  const size_t index = projector->slots[slot].index;

  for (unsigned c = 0; c < stats->component_count; c++) {
    const struct histo_cuda_sums_part *part = &sums->parts[c];
    const int64_t *rows = sums->host + part->first + index * part->rows;
    const int64_t *columns = sums->host + part->first + (size_t)sums->frames * part->rows + index * part->columns;

    for (uint32_t y = 0; y < part->rows; y++)
      stats->components[c].row_sums[y] += rows[y];
    for (uint64_t i = 0; i < part->columns; i++)
      stats->components[c].column_sums[i] += columns[i];
  }
  drop_slot (state, slot);
}

const struct histo_cuda_statistic histo_cuda_statistic_projection = {
  .open = open_projector,
  .close = close_projector,
  .is_wanted = is_wanted,
  .plan = plan_projection,
  .launch = launch_projection,
  .read = read_sums,
  .drop = drop_slot,
};
