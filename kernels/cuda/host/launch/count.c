/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistic of every frame: histogram, sums and dot product. Its numbers are in the words of the workspace. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/host/launch/publish.h"
#include "cuda/host/launch/statistic.h"

struct counter {
  const struct histo_cuda_gpu *gpu;
  struct histo_cuda_workspace *workspace;
  CUfunction kernels[HISTO_CUDA_KERNELS]; /* NULL: not for tables of the device's width */
  CUfunction unlike_kernels[2][2];        /* for unlike frames: of bytes, deep; each without and with an operand */
};

/* Finds a kernel, and sets its maximum shared memory for tables. */
static enum histo_status
find_kernel (const struct counter *counter, const char *name, unsigned shared_bytes, CUfunction *kernel)
{
  const struct histo_cuda_driver *driver = counter->gpu->driver;
  enum histo_status status = HISTO_OK;

  HISTO_CUDA_TRY (status, driver, cuModuleGetFunction (kernel, counter->gpu->module, name), "finding the kernel");
  if (shared_bytes > 0)
    HISTO_CUDA_TRY (status, driver,
                    cuFuncSetAttribute (*kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes),
                    "requesting shared memory");
  return status;
}

/* Finds the kernels that fit into the device's shared memory. */
static enum histo_status
find_kernels (struct counter *counter)
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
                                                        [HISTO_CUDA_KERNEL_CARRY_PLANES] = "histo_count_carry_planes",
                                                        [HISTO_CUDA_KERNEL_SMALL] = "histo_count_small" };
  static const char *const narrow[HISTO_CUDA_KERNELS] = { [HISTO_CUDA_KERNEL_COUNT] = "histo_count_narrow",
                                                          [HISTO_CUDA_KERNEL_DOT] = "histo_count_dot_narrow",
                                                          [HISTO_CUDA_KERNEL_DEEP] = "histo_count_deep",
                                                          [HISTO_CUDA_KERNEL_DEEP_DOT] = "histo_count_deep_dot",
                                                          [HISTO_CUDA_KERNEL_CARRY] = "histo_count_carry",
                                                          [HISTO_CUDA_KERNEL_CARRY_DOT] = "histo_count_carry_dot",
                                                          [HISTO_CUDA_KERNEL_CARRY_PLANES] = "histo_count_carry_planes",
                                                          [HISTO_CUDA_KERNEL_SMALL] = "histo_count_small" };
  static const char *const unlike[2][2][2]
      = { { { "histo_count_unlike", "histo_count_dot_unlike" }, { "histo_count_deep_unlike", "histo_count_deep_dot_unlike" } },
          { { "histo_count_unlike_narrow", "histo_count_dot_unlike_narrow" },
            { "histo_count_deep_unlike", "histo_count_deep_dot_unlike" } } };
  const struct histo_cuda_shape shape
      = histo_cuda_find_shape (counter->gpu->tuning, counter->gpu->shared_bytes, counter->gpu->multiprocessors);
  const bool is_narrow = shape.columns != HISTO_CUDA_WIDE;
  const char *const *names = is_narrow ? narrow : wide;
  enum histo_status status = HISTO_OK;

  for (unsigned k = 0; status == HISTO_OK && k < HISTO_CUDA_KERNELS; k++)
    if (names[k])
      status = find_kernel (counter, names[k], k == HISTO_CUDA_KERNEL_SMALL ? 0 : shape.shared_bytes, &counter->kernels[k]);
  for (unsigned k = 0; status == HISTO_OK && k < 4; k++)
    status = find_kernel (counter, unlike[is_narrow][k / 2][k % 2], shape.shared_bytes, &counter->unlike_kernels[k / 2][k % 2]);
  return status;
}

static void
close_counter (void *counter)
{
  free (counter);
}

static enum histo_status
open_counter (const struct histo_cuda_gpu *gpu, struct histo_cuda_workspace *workspace, unsigned slots, void **state)
{
  struct counter *counter = calloc (1, sizeof *counter);
  enum histo_status status;

  (void)slots;
  *state = NULL;
  if (!counter)
    return histo_cuda_lack_memory (gpu->driver->config);
  counter->gpu = gpu;
  counter->workspace = workspace;
  status = find_kernels (counter);
  if (status == HISTO_OK)
    *state = counter;
  else
    close_counter (counter);
  return status;
}

static bool
is_wanted (const struct histo_frame *frame)
{
  (void)frame;
  return true;
}

static enum histo_status
launch_kernel (void *state, const struct histo_cuda_launch *launch, CUstream stream)
{
  const struct counter *counter = state;
  const struct histo_cuda_plan *plan = &launch->plan;
  struct histo_cuda_listed_count listed;
  struct histo_cuda_count carry;
  void *parameters[] = { (void *)&plan->count };
  uint32_t frames = plan->count.frame_count, blocks = plan->blocks, threads = HISTO_CUDA_THREADS;
  enum histo_status status = HISTO_OK;

  if (plan->kernel == HISTO_CUDA_KERNEL_PACKED_LISTED || plan->kernel == HISTO_CUDA_KERNEL_PLANE_LISTED) {
    memcpy (listed.head, &plan->count, sizeof listed.head);
    memcpy (listed.data, launch->addresses, frames * sizeof listed.data[0]);
    parameters[0] = &listed;
  } else if (plan->words.carries) {
    carry = plan->count;
    carry.workspace = launch->tables;
    carry.frame_words = plan->shared_bytes / sizeof (uint64_t);
    parameters[0] = &carry;
  } else if (plan->kernel == HISTO_CUDA_KERNEL_SMALL) {
    blocks = (frames + HISTO_CUDA_SMALL_FRAMES - 1) / HISTO_CUDA_SMALL_FRAMES;
    threads = HISTO_CUDA_SMALL_THREADS * HISTO_CUDA_SMALL_FRAMES;
    frames = 1;
  }
  HISTO_CUDA_TRY (status, counter->gpu->driver,
                  cuLaunchKernel (counter->kernels[plan->kernel], blocks, frames, 1, threads, 1, 1, plan->shared_bytes, stream,
                                  parameters, NULL),
                  "starting the kernel");
  return status;
}

/* Writes the parameter of a frame whose first block is `first_block` in a launch of unlike frames. */
static void
write_parameter (const struct histo_cuda_count *count, uint32_t first_block, struct histo_cuda_count *out)
{
  *out = *count;
  for (unsigned p = 0; p < count->pass_count; p++) {
    out->first_block[p] += first_block;
    out->passes[p].first_block += first_block;
  }
}

static enum histo_status
launch_unlike (void *state, const struct histo_cuda_launch *launches, unsigned count, CUstream stream)
{
  const struct counter *counter = state;
  const struct histo_cuda_words *words = &launches[0].plan.words; /* sums and dot products: in all frames or in none */
  CUdeviceptr address;
  struct histo_cuda_parameters *own
      = histo_cuda_workspace_get_parameters (counter->workspace, launches[0].first_slot, &address);
  struct histo_cuda_unlike unlike = {
    .parameters = address + offsetof (struct histo_cuda_parameters, count),
    .stride_bytes = sizeof *own,
    .frame_count = count,
  };
  void *parameters[] = { &unlike };
  uint32_t blocks = 0, shared_bytes = 0;
  enum histo_status status = HISTO_OK;

  for (unsigned i = 0; i < count; i++) {
    const struct histo_cuda_plan *plan = &launches[i].plan;

    unlike.first_block[i] = blocks;
    if (!histo_cuda_launches (&launches[i], HISTO_CUDA_COUNT))
      continue;
    write_parameter (&plan->count, blocks, &own[i].count);
    if (unlike.size_bytes < offsetof (struct histo_cuda_count, passes[plan->count.pass_count]))
      unlike.size_bytes = offsetof (struct histo_cuda_count, passes[plan->count.pass_count]);
    blocks += plan->blocks;
    if (shared_bytes < plan->shared_bytes)
      shared_bytes = plan->shared_bytes;
  }
  unlike.first_block[count] = blocks;
  if (blocks > 0)
    HISTO_CUDA_TRY (status, counter->gpu->driver,
                    cuLaunchKernel (counter->unlike_kernels[words->with_sums][words->with_dot], blocks, 1, 1,
                                    HISTO_CUDA_THREADS, 1, 1, shared_bytes, stream, parameters, NULL),
                    "starting the kernel");
  return status;
}

static bool
is_published (void *state, unsigned slot)
{
  const struct counter *counter = state;

  return histo_cuda_workspace_is_published (counter->workspace, slot);
}

/* Adds the bins of a frame of the kernels that carry. With 65,536 bins this takes about as long as counting a frame. */
static void
add_bins (const uint32_t *restrict result, uint32_t bins, uint64_t *restrict histogram)
{
  for (uint32_t bin = 0; bin < bins; bin++)
    histogram[bin] += result[bin];
}

/* Adds the words of a component whose bins do not determine its sums. */
static void
add_words (const struct histo_cuda_numbers *numbers, uint32_t first, uint32_t bins, uint64_t *restrict histogram)
{
  const uint64_t *result = numbers->result + first, *before = numbers->before ? numbers->before + first : NULL;

  if (before)
    for (uint32_t bin = 0; bin < bins; bin++)
      histogram[bin] += (result[bin] - before[bin]) >> 16;
  else
    for (uint32_t bin = 0; bin < bins; bin++)
      histogram[bin] += result[bin] >> 16;
}

static void
read_component (const struct histo_cuda_numbers *numbers, unsigned c, struct histo_component_stats *component)
{
  const struct histo_cuda_words *words = numbers->words;
  const uint32_t first = words->first_word[c], totals = histo_cuda_find_totals (words, c);

  if (words->with_sums) {
    if (words->carries)
      add_bins ((const uint32_t *)(numbers->result + first), component->bins, component->histogram);
    else
      add_words (numbers, first, component->bins, component->histogram);
    component->sum += histo_cuda_read_total (numbers, totals + HISTO_CUDA_SUM);
    component->sum_of_squares += histo_cuda_read_total (numbers, totals + HISTO_CUDA_SQUARES);
  } else {
    for (uint32_t bin = 0; bin < component->bins; bin++) {
      const uint64_t samples = histo_cuda_read_word (numbers, first + bin);

      component->histogram[bin] += samples;
      component->sum += samples * bin;
      component->sum_of_squares += samples * bin * bin;
    }
  }
  if (words->with_dot)
    component->dot += histo_cuda_read_total (numbers, totals + HISTO_CUDA_DOT);
}

static void
read_numbers (void *state, unsigned slot, struct histo_stats *stats)
{
  const struct counter *counter = state;
  const struct histo_cuda_numbers numbers = histo_cuda_workspace_find (counter->workspace, slot);

  for (unsigned c = 0; c < stats->component_count; c++)
    if (numbers.words->publishes[c])
      read_component (&numbers, c, &stats->components[c]);
}

const struct histo_cuda_statistic histo_cuda_statistic_count = {
  .open = open_counter,
  .close = close_counter,
  .is_wanted = is_wanted,
  .launch = launch_kernel,
  .launch_unlike = launch_unlike,
  .is_published = is_published,
  .read = read_numbers,
};
