/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/launch.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cuda/count.h"
#include "cuda/cuda.h"
#include "cuda/plan.h"
#include "cuda/projection.h"

extern const unsigned char histo_cuda_kernels[]; /* made by embed.py */

unsigned histo_cuda_shared_limit;

/* What was launched for a run, and where its words are. */
struct run {
  uint16_t tag; /* of the launch, see count.h */
  struct histo_cuda_words words;
  bool projects, projections_count; /* there are row and column sums; their kernels make the histograms as well */

  /* A frame whose words do not fit into the run's share of the launcher's has its own. */
  uint64_t *own_result;
  CUdeviceptr own_result_device, own_workspace;
  size_t own_words;
  bool has_new_words; /* the next launch clears own_workspace */

  uint64_t *result;   /* as the launch left it */
  bool is_copied;     /* by the copy engine: of a launch of many frames */
  bool is_cumulative; /* what earlier launches counted is in it, too: it is in the launcher's `seen` */
  bool is_own;        /* copied from the run's own workspace, which was all zeros: no tags, and nothing of earlier launches */

  struct histo_cuda_sums *sums; /* of a frame that projects, as number sums_index of a launch; NULL: none, or read already */
  unsigned sums_index;
  bool has_sums; /* until the next launch, for whoever asks while they are read */
};

/* The words of a run in memory that the launcher made in advance: of a frame of 8-bit samples. */
#define RUN_WORDS (HISTO_MAX_COMPONENTS * HISTO_CUDA_WORDS (HISTO_CUDA_BINS))

struct histo_cuda_launcher {
  const struct histo_config *config;
  const struct histo_cuda_driver *driver;
  CUdevice device;
  CUmodule module;
  CUfunction kernels[HISTO_CUDA_KERNELS]; /* NULL: not for tables as narrow as the device's */
  unsigned shared_bytes;                  /* that a block may have */
  struct histo_cuda_shape shape;
  struct histo_cuda_projector *projector;

  CUstream stream; /* for what is waited for */
  unsigned run_count;
  struct run *runs;
  struct histo_cuda_plan *plans; /* a run's; of many frames that of the first */
  uint64_t *results;             /* pinned, RUN_WORDS a run */
  CUdeviceptr results_device;
  CUdeviceptr workspaces; /* RUN_WORDS a run */

  /* For many frames in one launch, a run each: made when first needed. */
  uint64_t *addresses; /* pinned, HISTO_CUDA_ADDRESSES a run */
  CUdeviceptr addresses_device;
  CUdeviceptr many_results; /* RUN_WORDS a run, in device memory, on their way to `results`; set last, see get_many_results */
  uint64_t *seen;           /* what the host has read of them */
};

static enum histo_status
check (const struct histo_cuda_launcher *launcher, CUresult result, const char *what)
{
  return histo_cuda_check (launcher->config, launcher->driver, result, what);
}

static enum histo_status
check_memory (const struct histo_cuda_launcher *launcher, CUresult result, const char *what)
{
  return histo_cuda_check_memory (launcher->config, launcher->driver, result, what);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static enum histo_status
load_module (struct histo_cuda_launcher *launcher)
{
  enum histo_status status = check (launcher, launcher->driver->cuModuleLoadData (&launcher->module, histo_cuda_kernels),
                                    "loading the kernels");

  if (status != HISTO_OK)
    launcher->module = NULL;
  return status;
}

/* Finds the kernels that fit into the device's shared memory. With the context current. */
static enum histo_status
find_kernels (struct histo_cuda_launcher *launcher)
{
  static const char *const wide[HISTO_CUDA_KERNELS] = { [HISTO_CUDA_KERNEL_COUNT] = "histo_count",
                                                        [HISTO_CUDA_KERNEL_DOT] = "histo_count_dot",
                                                        [HISTO_CUDA_KERNEL_PACKED] = "histo_count_packed",
                                                        [HISTO_CUDA_KERNEL_PACKED_LISTED] = "histo_count_packed_listed",
                                                        [HISTO_CUDA_KERNEL_PLANE] = "histo_count_plane",
                                                        [HISTO_CUDA_KERNEL_PLANE_DOT] = "histo_count_plane_dot",
                                                        [HISTO_CUDA_KERNEL_PLANE_LISTED] = "histo_count_plane_listed",
                                                        [HISTO_CUDA_KERNEL_DEEP] = "histo_count_deep",
                                                        [HISTO_CUDA_KERNEL_DEEP_DOT] = "histo_count_deep_dot",
                                                        [HISTO_CUDA_KERNEL_CARRY] = "histo_count_carry",
                                                        [HISTO_CUDA_KERNEL_CARRY_DOT] = "histo_count_carry_dot",
                                                        [HISTO_CUDA_KERNEL_SMALL] = "histo_count_small" };
  static const char *const narrow[HISTO_CUDA_KERNELS]
      = { [HISTO_CUDA_KERNEL_COUNT] = "histo_count_narrow", [HISTO_CUDA_KERNEL_DOT] = "histo_count_dot_narrow",
          [HISTO_CUDA_KERNEL_DEEP] = "histo_count_deep",    [HISTO_CUDA_KERNEL_DEEP_DOT] = "histo_count_deep_dot",
          [HISTO_CUDA_KERNEL_CARRY] = "histo_count_carry",  [HISTO_CUDA_KERNEL_CARRY_DOT] = "histo_count_carry_dot",
          [HISTO_CUDA_KERNEL_SMALL] = "histo_count_small" };
  const struct histo_cuda_driver *driver = launcher->driver;
  int available = 0;
  const char *const *names;
  bool is_wide;
  enum histo_status status = check (
      launcher,
      driver->cuDeviceGetAttribute (&available, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, launcher->device),
      "asking for the size of shared memory");

  if (histo_cuda_shared_limit > 0 && available > (int)histo_cuda_shared_limit)
    available = (int)histo_cuda_shared_limit;
  launcher->shared_bytes = available > 0 ? (unsigned)available : 0;
  is_wide = available >= (int)(HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE)
                               + HISTO_CUDA_STATIC_BYTES);
  launcher->shape.columns = is_wide ? HISTO_CUDA_WIDE : HISTO_CUDA_NARROW;
  launcher->shape.room = HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, launcher->shape.columns);

  names = is_wide ? wide : narrow;
  for (unsigned k = 0; status == HISTO_OK && k < HISTO_CUDA_KERNELS; k++) {
    if (!names[k])
      continue;
    status = check (launcher, driver->cuModuleGetFunction (&launcher->kernels[k], launcher->module, names[k]),
                    "finding the kernel");
    if (status == HISTO_OK && k != HISTO_CUDA_KERNEL_SMALL)
      status = check (launcher,
                      driver->cuFuncSetAttribute (launcher->kernels[k], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                  (int)launcher->shape.room),
                      "asking for shared memory");
  }
  return status;
}

static enum histo_status
open_memory (struct histo_cuda_launcher *launcher)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  size_t size = launcher->run_count * RUN_WORDS * sizeof (uint64_t);
  int multiprocessors = 1;
  enum histo_status status = check (
      launcher, driver->cuDeviceGetAttribute (&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, launcher->device),
      "asking for the number of multiprocessors");

  launcher->shape.multiprocessors = multiprocessors > 0 ? (unsigned)multiprocessors : 1;
#define TRY(call, what)   \
  if (status == HISTO_OK) \
  status = check (launcher, driver->call, what)

  TRY (cuMemHostAlloc ((void **)&launcher->results, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
       "allocating pinned memory");
  if (status == HISTO_OK)
    memset (launcher->results, 0, size);
  else
    launcher->results = NULL;
  TRY (cuMemHostGetDevicePointer (&launcher->results_device, launcher->results, 0), "mapping pinned memory");
  TRY (cuMemAlloc (&launcher->workspaces, size), "allocating device memory");
  if (status != HISTO_OK)
    launcher->workspaces = 0;
  TRY (cuMemsetD8Async (launcher->workspaces, 0, size, launcher->stream), "clearing device memory");
  TRY (cuStreamSynchronize (launcher->stream), "clearing device memory");
#undef TRY
  return status;
}

enum histo_status
histo_cuda_launcher_open (const struct histo_config *config, const struct histo_cuda_driver *driver, CUdevice device,
                          CUstream stream, unsigned runs, struct histo_cuda_launcher **launcher_out)
{
  struct histo_cuda_launcher *launcher = calloc (1, sizeof *launcher);
  enum histo_status status;

  *launcher_out = NULL;
  if (launcher) {
    launcher->runs = calloc (runs, sizeof *launcher->runs);
    launcher->plans = calloc (runs, sizeof *launcher->plans);
  }
  if (!launcher || !launcher->runs || !launcher->plans) {
    if (launcher) {
      free (launcher->runs);
      free (launcher->plans);
    }
    free (launcher);
    return histo_cuda_lack_memory (config);
  }
  launcher->config = config;
  launcher->driver = driver;
  launcher->device = device;
  launcher->stream = stream;
  launcher->run_count = runs;

  status = load_module (launcher);
  if (status == HISTO_OK)
    status = find_kernels (launcher);
  if (status == HISTO_OK)
    status = open_memory (launcher);
  if (status == HISTO_OK)
    status = histo_cuda_projector_open (config, driver, launcher->module, stream, launcher->shared_bytes,
                                        launcher->shape.multiprocessors, &launcher->projector);
  if (status == HISTO_OK)
    *launcher_out = launcher;
  else
    histo_cuda_launcher_close (launcher);
  return status;
}

static void
free_own_words (struct histo_cuda_launcher *launcher, struct run *run)
{
  if (run->own_workspace)
    launcher->driver->cuMemFree (run->own_workspace);
  if (run->own_result)
    launcher->driver->cuMemFreeHost (run->own_result);
  run->own_workspace = 0;
  run->own_result = NULL;
  run->own_words = 0;
}

void
histo_cuda_launcher_close (struct histo_cuda_launcher *launcher)
{
  if (!launcher)
    return;
  for (unsigned i = 0; i < launcher->run_count; i++) {
    histo_cuda_sums_drop (launcher->projector, launcher->runs[i].sums);
    free_own_words (launcher, &launcher->runs[i]);
  }
  histo_cuda_projector_close (launcher->projector);
  if (launcher->many_results)
    launcher->driver->cuMemFree (launcher->many_results);
  if (launcher->addresses)
    launcher->driver->cuMemFreeHost (launcher->addresses);
  if (launcher->workspaces)
    launcher->driver->cuMemFree (launcher->workspaces);
  if (launcher->results)
    launcher->driver->cuMemFreeHost (launcher->results);
  if (launcher->module)
    launcher->driver->cuModuleUnload (launcher->module);
  free (launcher->seen);
  free (launcher->runs);
  free (launcher->plans);
  free (launcher);
}

enum histo_status
histo_cuda_set_weights (struct histo_cuda_launcher *launcher, unsigned component, const struct histo_weights *weights)
{
  return histo_cuda_projector_set_weights (launcher->projector, component, weights);
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

/* Gives a run words of its own where the launcher's do not suffice. `ended`: see histo_cuda_prepare. */
static enum histo_status
reserve_words (struct histo_cuda_launcher *launcher, struct run *run, CUevent ended)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  size_t words = run->words.first_word[run->words.component_count], size = words * sizeof (uint64_t);
  enum histo_status status = HISTO_OK;

  if (words <= RUN_WORDS || words <= run->own_words)
    return HISTO_OK;
  /* A kernel whose numbers were seen may still be storing zeros, and nobody says that cuMemFree waits for it. */
  if (run->own_workspace && ended)
    status = check (launcher, driver->cuEventSynchronize (ended), "waiting for the device");
  if (status != HISTO_OK)
    return status;
  free_own_words (launcher, run);
  status = check_memory (
      launcher, driver->cuMemHostAlloc ((void **)&run->own_result, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
      "allocating pinned memory");
  if (status != HISTO_OK) {
    run->own_result = NULL;
    return status;
  }
  memset (run->own_result, 0, size);
  status = check (launcher, driver->cuMemHostGetDevicePointer (&run->own_result_device, run->own_result, 0),
                  "mapping pinned memory");
  if (status == HISTO_OK) {
    status = check_memory (launcher, driver->cuMemAlloc (&run->own_workspace, size), "allocating device memory");
    if (status != HISTO_OK)
      run->own_workspace = 0;
  }
  if (status == HISTO_OK) {
    run->own_words = words;
    run->has_new_words = true;
  } else {
    free_own_words (launcher, run);
  }
  return status;
}

/* What other threads than the one that reserves find: the memory with `seen`, or 0. */
static CUdeviceptr
get_many_results (const struct histo_cuda_launcher *launcher)
{
  return __atomic_load_n (&launcher->many_results, __ATOMIC_ACQUIRE);
}

/* Clears the cumulative words of `count` runs, behind what `stream` has to do. */
static enum histo_status
clear_cumulative (struct histo_cuda_launcher *launcher, unsigned first, unsigned count, CUstream stream)
{
  const size_t first_word = (size_t)first * RUN_WORDS, size = (size_t)count * RUN_WORDS * sizeof (uint64_t);
  const CUdeviceptr many_results = get_many_results (launcher);

  if (!many_results)
    return HISTO_OK;
  memset (launcher->seen + first_word, 0, size);
  return check (launcher, launcher->driver->cuMemsetD8Async (many_results + first_word * sizeof (uint64_t), 0, size, stream),
                "clearing device memory");
}

/* A tag that the words of `count` runs do not have, for all of them. */
static enum histo_status
next_tag (struct histo_cuda_launcher *launcher, unsigned first, unsigned count, CUstream stream)
{
  const size_t first_word = (size_t)first * RUN_WORDS, size = (size_t)count * RUN_WORDS * sizeof (uint64_t);
  struct run *runs = &launcher->runs[first];
  enum histo_status status = HISTO_OK;
  unsigned tag = 0;

  for (unsigned i = 0; i < count; i++)
    if (tag < runs[i].tag)
      tag = runs[i].tag;
  /* Before a tag comes round again: words that few launches deliver may still have it. */
  if (++tag > UINT16_MAX) {
    tag = 1;
    memset (launcher->results + first_word, 0, size);
    for (unsigned i = 0; i < count; i++)
      if (runs[i].own_result)
        memset (runs[i].own_result, 0, runs[i].own_words * sizeof (uint64_t));
    status = clear_cumulative (launcher, first, count, stream);
  }
  for (unsigned i = 0; i < count; i++)
    runs[i].tag = (uint16_t)tag;
  return status;
}

static enum histo_status
launch_kernel (struct histo_cuda_launcher *launcher, const struct histo_cuda_plan *plan, const uint64_t *addresses,
               CUstream stream)
{
  struct histo_cuda_listed_count listed;
  void *parameters[] = { (void *)&plan->count };
  uint32_t frames = plan->count.frame_count, blocks = plan->blocks, threads = HISTO_CUDA_THREADS;

  if (plan->kernel == HISTO_CUDA_KERNEL_PACKED_LISTED || plan->kernel == HISTO_CUDA_KERNEL_PLANE_LISTED) {
    memcpy (listed.head, &plan->count, sizeof listed.head);
    memcpy (listed.data, addresses, frames * sizeof listed.data[0]);
    parameters[0] = &listed;
  } else if (plan->kernel == HISTO_CUDA_KERNEL_SMALL) {
    blocks = (frames + HISTO_CUDA_SMALL_FRAMES - 1) / HISTO_CUDA_SMALL_FRAMES;
    threads = HISTO_CUDA_SMALL_THREADS * HISTO_CUDA_SMALL_FRAMES;
    frames = 1;
  }
  return check (launcher,
                launcher->driver->cuLaunchKernel (launcher->kernels[plan->kernel], blocks, frames, 1, threads, 1, 1,
                                                  plan->shared_bytes, stream, parameters, NULL),
                "starting the kernel");
}

/* What a run had of an earlier launch. */
static void
drop_sums (struct histo_cuda_launcher *launcher, struct run *run)
{
  histo_cuda_sums_drop (launcher->projector, run->sums);
  run->sums = NULL;
}

/* Launches everything for the frames of the plan, in runs from `run` on. `addresses`: of many frames. */
static enum histo_status
launch_plan (struct histo_cuda_launcher *launcher, const struct histo_cuda_plan *plan, const uint64_t *addresses,
             const struct run *run, CUstream stream)
{
  enum histo_status status = HISTO_OK;

  if (!run->projections_count)
    status = launch_kernel (launcher, plan, addresses, stream);
  if (status == HISTO_OK && run->projects)
    status = histo_cuda_project (launcher->projector, &plan->count, plan->passes, addresses, run->projections_count, stream,
                                 run->sums);
  return status;
}

/* Launches a frame whose numbers are added up in the run's own workspace, without tags, and copied from there. */
static enum histo_status
launch_carry (struct histo_cuda_launcher *launcher, const struct run *run, const struct histo_cuda_plan *plan, CUstream stream)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  const size_t size = run->words.first_word[run->words.component_count] * sizeof (uint64_t);
  enum histo_status status = launch_plan (launcher, plan, NULL, run, stream);

  if (status == HISTO_OK)
    status = check (launcher, driver->cuMemcpyDtoHAsync (run->own_result, run->own_workspace, size, stream),
                    "copying the numbers from the device");
  if (status == HISTO_OK) /* for the next launch */
    status = check (launcher, driver->cuMemsetD8Async (run->own_workspace, 0, size, stream), "clearing device memory");
  return status;
}

static enum histo_status
launch_one (struct histo_cuda_launcher *launcher, unsigned index, CUstream stream)
{
  struct run *run = &launcher->runs[index];
  struct histo_cuda_plan *plan = &launcher->plans[index];
  enum histo_status status = HISTO_OK;

  if (run->has_new_words)
    status = check (launcher,
                    launcher->driver->cuMemsetD8Async (run->own_workspace, 0, run->own_words * sizeof (uint64_t), stream),
                    "clearing device memory");
  run->has_new_words = false;
  if (status == HISTO_OK && run->is_own)
    return launch_carry (launcher, run, plan, stream);
  if (status == HISTO_OK)
    status = next_tag (launcher, index, 1, stream);
  if (status != HISTO_OK)
    return status;
  plan->count.tag = run->tag;
  return launch_plan (launcher, plan, NULL, run, stream);
}

/* ---- many frames in one launch -------------------------------------------------------------------------------------- */

static enum histo_status
reserve_many (struct histo_cuda_launcher *launcher)
{
  const struct histo_cuda_driver *driver = launcher->driver;
  enum histo_status status = HISTO_OK;

  if (!launcher->addresses) {
    size_t size = launcher->run_count * HISTO_CUDA_ADDRESSES * sizeof *launcher->addresses;

    status = check_memory (
        launcher,
        driver->cuMemHostAlloc ((void **)&launcher->addresses, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
        "allocating pinned memory");
    if (status != HISTO_OK) {
      launcher->addresses = NULL;
      return status;
    }
    status = check (launcher, driver->cuMemHostGetDevicePointer (&launcher->addresses_device, launcher->addresses, 0),
                    "mapping pinned memory");
  }
  if (status == HISTO_OK && !launcher->seen) {
    launcher->seen = calloc (launcher->run_count * RUN_WORDS, sizeof *launcher->seen);
    if (!launcher->seen)
      return histo_cuda_lack_memory (launcher->config);
  }
  if (status == HISTO_OK && !launcher->many_results) {
    size_t size = launcher->run_count * RUN_WORDS * sizeof (uint64_t);
    CUdeviceptr many_results = 0;

    status = check_memory (launcher, driver->cuMemAlloc (&many_results, size), "allocating device memory");
    if (status != HISTO_OK)
      return status;
    status = check (launcher, driver->cuMemsetD8Async (many_results, 0, size, launcher->stream), "clearing device memory");
    if (status == HISTO_OK) /* launches may be on another stream */
      status = check (launcher, driver->cuStreamSynchronize (launcher->stream), "clearing device memory");
    __atomic_store_n (&launcher->many_results, many_results, __ATOMIC_RELEASE);
  }
  return status;
}

bool
histo_cuda_can_launch_many (const struct histo_frame *frames, unsigned count)
{
  return histo_cuda_count_words (&frames[0]) <= RUN_WORDS && histo_cuda_frames_are_alike (frames, count);
}

static enum histo_status
launch_many (struct histo_cuda_launcher *launcher, unsigned first_run, CUstream stream)
{
  const size_t first_word = (size_t)first_run * RUN_WORDS;
  const uint64_t *addresses = launcher->addresses + (size_t)first_run * HISTO_CUDA_ADDRESSES;
  struct run *first = &launcher->runs[first_run];
  struct histo_cuda_plan *plan = &launcher->plans[first_run];
  const unsigned count = plan->count.frame_count;
  CUDA_MEMCPY2D copy = { 0 };
  enum histo_status status = HISTO_OK;

  if (!first->is_cumulative)
    status = next_tag (launcher, first_run, count, stream);
  plan->count.tag = first->is_cumulative ? 0 : first->tag;
  if (status == HISTO_OK)
    status = launch_plan (launcher, plan, addresses, first, stream);
  if (status != HISTO_OK)
    return status;
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = plan->count.result;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = launcher->results + first_word;
  copy.srcPitch = copy.dstPitch = RUN_WORDS * sizeof (uint64_t);
  copy.WidthInBytes = plan->words.first_word[plan->words.component_count] * sizeof (uint64_t);
  copy.Height = count;
  return check (launcher, launcher->driver->cuMemcpy2DAsync (&copy, stream), "copying the numbers from the device");
}

/* ---- preparing and launching ---------------------------------------------------------------------------------------- */

/* Where the words of a planned launch are. */
static void
place_words (struct histo_cuda_launcher *launcher, unsigned first_run, unsigned count)
{
  struct histo_cuda_plan *plan = &launcher->plans[first_run];
  struct run *first = &launcher->runs[first_run];
  const size_t first_word = (size_t)first_run * RUN_WORDS;

  for (unsigned i = 0; i < count; i++)
    first[i].result = launcher->results + first_word + (size_t)i * RUN_WORDS;
  plan->count.workspace = launcher->workspaces + first_word * sizeof (uint64_t);
  plan->count.result = (count > 1 ? launcher->many_results : launcher->results_device) + first_word * sizeof (uint64_t);
  plan->count.frame_words = count > 1 ? RUN_WORDS : 0;
  if (plan->words.first_word[plan->words.component_count] > RUN_WORDS) {
    first->result = first->own_result;
    plan->count.workspace = first->own_workspace;
    plan->count.result = first->is_own ? first->own_workspace : first->own_result_device;
  }
}

enum histo_status
histo_cuda_prepare (struct histo_cuda_launcher *launcher, unsigned first_run, const struct histo_frame *frames, unsigned count,
                    CUevent ended)
{
  struct histo_cuda_plan *plan = &launcher->plans[first_run];
  struct run *first = &launcher->runs[first_run];
  const size_t first_address = (size_t)first_run * HISTO_CUDA_ADDRESSES;
  enum histo_status status = histo_cuda_plan (&launcher->shape, frames, count, plan);
  bool is_empty, is_cumulative, carries;
  struct histo_cuda_sums *sums = NULL;

  if (status != HISTO_OK) {
    histo_log (launcher->config, HISTO_LOG_ERROR, "a frame is too large to be counted by one launch: %s",
               histo_status_text (status));
    return status;
  }
  is_empty = plan->count.pass_count == 0;
  for (unsigned i = 0; i < count; i++) {
    drop_sums (launcher, &first[i]);
    first[i].words = plan->words;
  }
  first->projects = !is_empty && frames[0].project;
  first->projections_count = first->projects && histo_cuda_projector_counts (launcher->projector, &plan->count, plan->passes);
  if (!is_empty && count > 1)
    status = reserve_many (launcher);
  else if (!is_empty)
    status = reserve_words (launcher, first, ended);
  if (status == HISTO_OK && first->projects)
    status = histo_cuda_sums_reserve (launcher->projector, &plan->count, plan->passes, &sums);
  if (status != HISTO_OK)
    return status;

  /* Small frames have one block each, and nothing to add up. Kernels of row and column sums have more to wait for than this. */
  carries = !is_empty && (plan->kernel == HISTO_CUDA_KERNEL_CARRY || plan->kernel == HISTO_CUDA_KERNEL_CARRY_DOT);
  is_cumulative = !is_empty && count > 1 && plan->kernel != HISTO_CUDA_KERNEL_SMALL && !first->projections_count;
  for (unsigned i = 0; i < count; i++) {
    first[i].is_copied = !is_empty && (count > 1 || carries);
    first[i].is_cumulative = is_cumulative;
    first[i].is_own = carries;
    first[i].sums = sums;
    first[i].sums_index = i;
    first[i].has_sums = sums != NULL;
  }
  if (is_empty)
    return HISTO_OK;
  place_words (launcher, first_run, count);
  if (count > 1 && (!plan->has_pitch || first->projects))
    histo_cuda_list_addresses (plan, frames, launcher->addresses + first_address);
  if (count > 1 && !plan->has_pitch)
    plan->count.addresses = launcher->addresses_device + first_address * sizeof *launcher->addresses;
  return HISTO_OK;
}

enum histo_status
histo_cuda_launch (struct histo_cuda_launcher *launcher, unsigned first_run, CUstream stream)
{
  const struct histo_cuda_count *count = &launcher->plans[first_run].count;

  if (count->pass_count == 0)
    return HISTO_OK;
  return count->frame_count > 1 ? launch_many (launcher, first_run, stream) : launch_one (launcher, first_run, stream);
}

/* ---- reading the numbers -------------------------------------------------------------------------------------------- */

/* Words [first, first + count) have the tag. */
static bool
are_published (const struct run *run, uint32_t first, uint32_t count)
{
  for (uint32_t w = first; w < first + count; w++)
    if ((uint16_t)__atomic_load_n (&run->result[w], __ATOMIC_ACQUIRE) != run->tag)
      return false;
  return true;
}

bool
histo_cuda_publishes_early (const struct histo_cuda_launcher *launcher, unsigned index)
{
  const struct run *run = &launcher->runs[index];

  return !run->has_sums && !run->is_copied;
}

bool
histo_cuda_is_published (const struct histo_cuda_launcher *launcher, unsigned index, bool is_over)
{
  const struct run *run = &launcher->runs[index];

  if (!is_over && !histo_cuda_publishes_early (launcher, index))
    return false;
  if (run->is_cumulative || run->is_own)
    return true;
  for (unsigned c = 0; c < run->words.component_count; c++) {
    uint32_t totals = run->words.first_word[c] + run->words.bins[c];

    if (!run->words.delivers[c])
      continue;
    if (!are_published (run, run->words.first_word[c], run->words.bins[c])
        || (run->words.with_dot && !are_published (run, totals + HISTO_CUDA_DOT, 2))
        || (run->words.with_sums && !are_published (run, totals + HISTO_CUDA_SUM, HISTO_CUDA_TOTALS - HISTO_CUDA_SUM)))
      return false;
  }
  return true;
}

/* What the launch counted in a word; `before` is what was in it, NULL: nothing. */
static uint64_t
read_word (const uint64_t *words, const uint64_t *before, uint32_t word)
{
  return (words[word] - (before ? before[word] : 0)) >> 16;
}

static uint64_t
read_total (const uint64_t *words, const uint64_t *before, uint32_t word)
{
  return read_word (words, before, word) + (read_word (words, before, word + 1) << HISTO_CUDA_LOW_BITS);
}

void
histo_cuda_read (struct histo_cuda_launcher *launcher, unsigned index, struct histo_stats *stats)
{
  struct run *run = &launcher->runs[index];
  uint64_t *seen = run->is_copied && !run->is_own ? launcher->seen + (size_t)index * RUN_WORDS : NULL;
  const uint64_t *before = run->is_cumulative ? seen : NULL;

  if (run->sums && stats->component_count > 0)
    histo_cuda_sums_read (launcher->projector, run->sums, run->sums_index, stats);
  else
    histo_cuda_sums_drop (launcher->projector, run->sums);
  run->sums = NULL;

  for (unsigned c = 0; c < stats->component_count; c++) {
    struct histo_component_stats *component = &stats->components[c];
    const uint32_t first = run->words.first_word[c], totals = first + run->words.bins[c];

    if (!run->words.delivers[c])
      continue;
    /* A frame with deeper samples has as many words for its 8-bit ones, which use the first 256. */
    for (uint32_t bin = 0; bin < component->bins; bin++) {
      uint64_t samples = read_word (run->result, before, first + bin);

      component->histogram[bin] += samples;
      if (!run->words.with_sums) {
        component->sum += samples * bin;
        component->sum_of_squares += samples * bin * bin;
      }
    }
    if (run->words.with_sums) {
      component->sum += read_total (run->result, before, totals + HISTO_CUDA_SUM);
      component->sum_of_squares += read_total (run->result, before, totals + HISTO_CUDA_SQUARES);
    }
    if (run->words.with_dot)
      component->dot += read_total (run->result, before, totals + HISTO_CUDA_DOT);
  }
  if (seen)
    memcpy (seen, run->result, run->words.first_word[run->words.component_count] * sizeof *seen);
}
