/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/projection.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/project.h"

#define SLICE_ROWS 64 /* a block's, at least: fewer cost more to begin and end than to sum */

/* Of a component in all frames of a launch: row sums of the first frame, the second ..., then column sums. */
struct part {
  size_t first; /* in the sums */
  uint32_t rows;
  uint64_t columns;
};

struct histo_cuda_sums {
  struct histo_cuda_sums *next; /* of those that nobody uses */
  unsigned uses, frames;
  size_t capacity, used; /* numbers of 64 bits; of the launch */
  CUdeviceptr device;
  int64_t *host; /* pinned */
  struct part parts[HISTO_MAX_COMPONENTS];
};

struct weights {
  CUdeviceptr row, column; /* int16_t; 0: ones */
  bool fit;                /* see histo_cuda_project.weight_size */
};

struct histo_cuda_projector {
  const struct histo_config *config;
  const struct histo_cuda_driver *driver;
  CUstream stream; /* for weights */
  CUfunction project, project_any;
  bool has_room; /* for the tables of `project` */
  unsigned multiprocessors;
  struct weights weights[HISTO_MAX_COMPONENTS];

  pthread_mutex_t lock; /* around `idle` and the uses */
  struct histo_cuda_sums *idle;
};

static enum histo_status
check (const struct histo_cuda_projector *projector, CUresult result, const char *what)
{
  return histo_cuda_check (projector->config, projector->driver, result, what);
}

static enum histo_status
check_memory (const struct histo_cuda_projector *projector, CUresult result, const char *what)
{
  return histo_cuda_check_memory (projector->config, projector->driver, result, what);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

enum histo_status
histo_cuda_projector_open (const struct histo_config *config, const struct histo_cuda_driver *driver, CUmodule module,
                           CUstream stream, unsigned room, unsigned multiprocessors,
                           struct histo_cuda_projector **projector_out)
{
  const unsigned table_bytes = HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_PROJECT_COLUMNS);
  struct histo_cuda_projector *projector = calloc (1, sizeof *projector);
  enum histo_status status;

  *projector_out = NULL;
  if (!projector)
    return histo_cuda_lack_memory (config);
  projector->config = config;
  projector->driver = driver;
  projector->stream = stream;
  projector->multiprocessors = multiprocessors;
  projector->has_room = room >= table_bytes + HISTO_CUDA_PROJECT_STATIC_BYTES;
  projector->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  status = check (projector, driver->cuModuleGetFunction (&projector->project, module, "histo_project"), "finding the kernel");
  if (status == HISTO_OK)
    status = check (projector, driver->cuModuleGetFunction (&projector->project_any, module, "histo_project_any"),
                    "finding the kernel");
  if (status == HISTO_OK && projector->has_room)
    status = check (
        projector,
        driver->cuFuncSetAttribute (projector->project, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)table_bytes),
        "asking for shared memory");
  if (status == HISTO_OK)
    *projector_out = projector;
  else
    histo_cuda_projector_close (projector);
  return status;
}

static void
free_weights (const struct histo_cuda_projector *projector, struct weights *weights)
{
  if (weights->row)
    projector->driver->cuMemFree (weights->row);
  if (weights->column)
    projector->driver->cuMemFree (weights->column);
  *weights = (struct weights){ 0 };
}

static void
free_sums (const struct histo_cuda_projector *projector, struct histo_cuda_sums *sums)
{
  if (sums->device)
    projector->driver->cuMemFree (sums->device);
  if (sums->host)
    projector->driver->cuMemFreeHost (sums->host);
  free (sums);
}

void
histo_cuda_projector_close (struct histo_cuda_projector *projector)
{
  if (!projector)
    return;
  while (projector->idle) {
    struct histo_cuda_sums *sums = projector->idle;

    projector->idle = sums->next;
    free_sums (projector, sums);
  }
  for (unsigned c = 0; c < HISTO_MAX_COMPONENTS; c++)
    free_weights (projector, &projector->weights[c]);
  pthread_mutex_destroy (&projector->lock);
  free (projector);
}

/* ---- weights -------------------------------------------------------------------------------------------------------- */

/* Begins to copy a vector. */
static enum histo_status
copy_vector (const struct histo_cuda_projector *projector, const int16_t *vector, uint64_t count, CUdeviceptr *copy)
{
  enum histo_status status;

  if (!vector || count == 0)
    return HISTO_OK;
  status = check_memory (projector, projector->driver->cuMemAlloc (copy, count * sizeof *vector),
                         "allocating device memory for weights");
  if (status != HISTO_OK)
    *copy = 0;
  else
    status = check (projector, projector->driver->cuMemcpyHtoDAsync (*copy, vector, count * sizeof *vector, projector->stream),
                    "copying weights to the device");
  return status;
}

/* Whether HISTO_CUDA_PROJECT_BYTES neighbours or fewer, wherever they begin, times bytes and added up, stay in 32 bits. */
static bool
fit (const int16_t *weights, uint64_t count)
{
  int64_t positive = 0, negative = 0;

  for (uint64_t i = 0; i < count; i++) {
    int gone = i >= HISTO_CUDA_PROJECT_BYTES ? weights[i - HISTO_CUDA_PROJECT_BYTES] : 0;

    positive += (weights[i] > 0 ? weights[i] : 0) - (gone > 0 ? gone : 0);
    negative += (weights[i] < 0 ? weights[i] : 0) - (gone < 0 ? gone : 0);
    if (255 * positive > INT32_MAX || 255 * negative < INT32_MIN)
      return false;
  }
  return true;
}

enum histo_status
histo_cuda_projector_set_weights (struct histo_cuda_projector *projector, unsigned component,
                                  const struct histo_weights *weights)
{
  struct weights copy = { .fit = !weights->row || fit (weights->row, weights->row_count) };
  enum histo_status status = copy_vector (projector, weights->row, weights->row_count, &copy.row), outcome;

  if (status == HISTO_OK)
    status = copy_vector (projector, weights->column, weights->column_count, &copy.column);
  /* A copy from pageable memory, even cuMemcpyHtoD, may be over before the samples are where they go ("API synchronization behavior" in the
   * documentation of the driver), and no stream of the engine's would wait for it. Once its own stream is done it has landed for all of them;
   * and whatever failed, nobody reads the vectors any more. */
  outcome = check (projector, projector->driver->cuStreamSynchronize (projector->stream), "copying weights to the device");
  if (outcome != HISTO_OK)
    status = outcome;
  if (status != HISTO_OK) {
    free_weights (projector, &copy);
    return status;
  }
  free_weights (projector, &projector->weights[component]);
  projector->weights[component] = copy;
  return HISTO_OK;
}

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

/* Sums with that capacity, idle ones or new. */
static enum histo_status
take_sums (struct histo_cuda_projector *projector, size_t capacity, struct histo_cuda_sums **sums_out)
{
  const struct histo_cuda_driver *driver = projector->driver;
  struct histo_cuda_sums *sums = NULL, **place;
  enum histo_status status;

  pthread_mutex_lock (&projector->lock);
  for (place = &projector->idle; *place && (*place)->capacity < capacity; place = &(*place)->next)
    ;
  if (*place) {
    sums = *place;
    *place = sums->next;
  }
  pthread_mutex_unlock (&projector->lock);
  *sums_out = sums;
  if (sums)
    return HISTO_OK;

  sums = calloc (1, sizeof *sums);
  if (!sums)
    return histo_cuda_lack_memory (projector->config);
  status = check_memory (projector, driver->cuMemAlloc (&sums->device, capacity * sizeof *sums->host),
                         "allocating device memory for row and column sums");
  if (status != HISTO_OK) {
    sums->device = 0;
  } else {
    status = check_memory (
        projector, driver->cuMemHostAlloc ((void **)&sums->host, capacity * sizeof *sums->host, CU_MEMHOSTALLOC_PORTABLE),
        "allocating pinned memory for row and column sums");
    if (status != HISTO_OK)
      sums->host = NULL;
  }
  if (status != HISTO_OK) {
    free_sums (projector, sums);
    return status;
  }
  sums->capacity = capacity;
  *sums_out = sums;
  return HISTO_OK;
}

static void
drop_uses (struct histo_cuda_projector *projector, struct histo_cuda_sums *sums, unsigned uses)
{
  pthread_mutex_lock (&projector->lock);
  sums->uses -= uses;
  if (sums->uses == 0) {
    sums->next = projector->idle;
    projector->idle = sums;
  }
  pthread_mutex_unlock (&projector->lock);
}

void
histo_cuda_sums_drop (struct histo_cuda_projector *projector, struct histo_cuda_sums *sums)
{
  if (sums)
    drop_uses (projector, sums, 1);
}

void
histo_cuda_sums_read (struct histo_cuda_projector *projector, struct histo_cuda_sums *sums, unsigned index,
                      struct histo_stats *stats)
{
  for (unsigned c = 0; c < stats->component_count; c++) {
    const struct part *part = &sums->parts[c];
    const int64_t *rows = sums->host + part->first + (size_t)index * part->rows;
    const int64_t *columns = sums->host + part->first + (size_t)sums->frames * part->rows + (size_t)index * part->columns;

    for (uint32_t y = 0; y < part->rows; y++)
      stats->components[c].row_sums[y] += rows[y];
    for (uint64_t i = 0; i < part->columns; i++)
      stats->components[c].column_sums[i] += columns[i];
  }
  drop_uses (projector, sums, 1);
}

/* ---- launching ------------------------------------------------------------------------------------------------------ */

/* The frames of a launch, where there are more than one can take: all launches have about as many. */
static unsigned
share_frames (unsigned frames)
{
  unsigned launches = (frames + HISTO_CUDA_LISTED - 1) / HISTO_CUDA_LISTED;

  return (frames + launches - 1) / launches;
}

/* Fills all but the addresses, the words and the sums. */
static void
describe (const struct histo_cuda_projector *projector, const struct histo_cuda_pass *pass, unsigned t, unsigned frames,
          bool counts, const struct weights *weights, struct histo_cuda_project *out)
{
  const unsigned strip = counts ? HISTO_CUDA_PROJECT_BYTES : HISTO_CUDA_PROJECT_ANY_THREADS;
  const unsigned lead = counts ? pass->data % 16 : 0;
  const uint64_t height = pass->height;
  uint64_t wanted, most, strips;

  *out = (struct histo_cuda_project){
    .stride_bytes = pass->stride_bytes,
    .width = pass->components[t].width,
    .height = pass->height,
    .row_weights = weights->row,
    .column_weights = weights->column,
    .weight_size = !weights->row && !weights->column ? 0
                   : weights->fit                    ? 1
                                                     : 2,
    .component = pass->components[t],
  };
  out->strips = (uint32_t)((out->width + lead + strip - 1) / strip);
  /* Two blocks for each multiprocessor, if there are rows for that. */
  strips = (uint64_t)out->strips * share_frames (frames);
  wanted = (2 * (uint64_t)projector->multiprocessors + strips - 1) / strips;
  most = (height + SLICE_ROWS - 1) / SLICE_ROWS;
  if (wanted > most)
    wanted = most;
  if (wanted < (height + HISTO_CUDA_PROJECT_ROWS - 1) / HISTO_CUDA_PROJECT_ROWS)
    wanted = (height + HISTO_CUDA_PROJECT_ROWS - 1) / HISTO_CUDA_PROJECT_ROWS;
  out->slice_rows = (uint32_t)((height + wanted - 1) / wanted);
}

/* Blocks of a frame. Of `histo_project_any` fewer than a launch takes: 2^32 samples are 2^24 strips of one row, or one of 2^20 slices. */
static uint64_t
count_blocks (const struct histo_cuda_project *project)
{
  return (uint64_t)((project->height - 1) / project->slice_rows + 1) * project->strips;
}

bool
histo_cuda_projector_counts (const struct histo_cuda_projector *projector, const struct histo_cuda_count *count,
                             const struct histo_pass *passes)
{
  if (!projector->has_room)
    return false;
  for (unsigned p = 0; p < count->pass_count; p++) {
    const struct histo_cuda_pass *pass = &count->passes[p];
    struct histo_cuda_project project;

    /* One component of adjacent bytes, all of them in vectors that begin at the same place in each row. */
    if (passes[p].component_count != 1 || passes[p].sample_bytes != 1 || pass->period != 1 || pass->has_edges || pass->operand
        || pass->stride_bytes % 16 != 0 || !pass->is_aligned)
      return false;
    describe (projector, pass, 0, count->frame_count, true, &(struct weights){ 0 }, &project);
    if (count_blocks (&project) > HISTO_CUDA_MAX_BLOCKS) /* no more can arrive at a word */
      return false;
  }
  return true;
}

static enum histo_status
launch (struct histo_cuda_projector *projector, struct histo_cuda_project *project, unsigned frames, bool counts,
        CUstream stream)
{
  void *parameters[] = { project };

  return check (
      projector,
      projector->driver->cuLaunchKernel (counts ? projector->project : projector->project_any, (unsigned)count_blocks (project),
                                         frames, 1, counts ? HISTO_CUDA_PROJECT_THREADS : HISTO_CUDA_PROJECT_ANY_THREADS, 1, 1,
                                         counts ? HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_PROJECT_COLUMNS) : 0,
                                         stream, parameters, NULL),
      "starting the kernel");
}

enum histo_status
histo_cuda_sums_reserve (struct histo_cuda_projector *projector, const struct histo_cuda_count *count,
                         const struct histo_pass *passes, struct histo_cuda_sums **sums_out)
{
  const unsigned frames = count->frame_count;
  struct part parts[HISTO_MAX_COMPONENTS] = { 0 };
  enum histo_status status;
  size_t used = 0;

  for (unsigned p = 0; p < count->pass_count; p++)
    for (unsigned t = 0; t < passes[p].component_count; t++) {
      struct part *part = &parts[passes[p].components[t].index];

      *part = (struct part){ .first = used, .rows = passes[p].height, .columns = passes[p].components[t].width };
      used += frames * (part->rows + part->columns);
    }
  status = take_sums (projector, used, sums_out);
  if (status == HISTO_OK) {
    memcpy ((*sums_out)->parts, parts, sizeof parts);
    (*sums_out)->frames = (*sums_out)->uses = frames;
    (*sums_out)->used = used;
  }
  return status;
}

/* Launches one component of all frames, with `project` filled for the first, but for its address. `addresses`: of all frames. */
static enum histo_status
launch_all (struct histo_cuda_projector *projector, struct histo_cuda_project *project, const uint64_t *addresses,
            unsigned frames, bool counts, CUstream stream)
{
  const unsigned most = share_frames (frames);
  enum histo_status status = HISTO_OK;

  for (unsigned first = 0, count; status == HISTO_OK && first < frames; first += count) {
    count = frames - first < most ? frames - first : most;
    memcpy (project->data, addresses + first, count * sizeof *addresses);
    status = launch (projector, project, count, counts, stream);
    project->workspace += count * project->frame_words * sizeof (uint64_t);
    project->result += count * project->frame_words * sizeof (uint64_t);
    project->row_sums += (uint64_t)count * project->height * sizeof (int64_t);
    project->column_sums += count * project->width * sizeof (int64_t);
  }
  return status;
}

enum histo_status
histo_cuda_project (struct histo_cuda_projector *projector, const struct histo_cuda_count *count,
                    const struct histo_pass *passes, const uint64_t *addresses, bool counts, CUstream stream,
                    struct histo_cuda_sums *sums)
{
  const struct histo_cuda_driver *driver = projector->driver;
  const size_t size = sums->used * sizeof *sums->host;
  unsigned frames = count->frame_count;
  enum histo_status status
      = check (projector, driver->cuMemsetD8Async (sums->device, 0, size, stream), "clearing device memory");

  for (unsigned p = 0; p < count->pass_count; p++)
    for (unsigned t = 0; status == HISTO_OK && t < passes[p].component_count; t++) {
      unsigned component = passes[p].components[t].index;
      const struct part *part = &sums->parts[component];
      struct histo_cuda_project project;

      describe (projector, &count->passes[p], t, frames, counts, &projector->weights[component], &project);
      project.tag = count->tag;
      project.frame_words = count->frame_words;
      project.workspace = count->workspace + project.component.first_word * sizeof (uint64_t);
      project.result = count->result + project.component.first_word * sizeof (uint64_t);
      project.row_sums = sums->device + part->first * sizeof *sums->host;
      project.column_sums = project.row_sums + (size_t)frames * part->rows * sizeof *sums->host;
      status = launch_all (projector, &project, frames > 1 ? addresses + (size_t)p * frames : &count->passes[p].data, frames,
                           counts, stream);
    }
  if (status == HISTO_OK)
    status = check (projector, driver->cuMemcpyDtoHAsync (sums->host, sums->device, size, stream),
                    "copying the sums from the device");
  return status;
}
