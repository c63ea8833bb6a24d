/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "kernels.h"

#include <stdlib.h>

#include "watch.h"

/* Projects a frame. `x`: the first sample. `lead`: its offset in the first vector of a row, in bytes. */
static TEST_UNWATCHED void
project_samples (const struct histo_cuda_project *project, bool counts, const uint8_t *x, uint64_t lead,
                 const int16_t *row_weights, const int16_t *column_weights, int64_t *row_sums, int64_t *column_sums,
                 struct numbers *numbers)
{
  const uint64_t row_bytes = (project->width - 1) * project->component.step_bytes + project->component.sample_bytes;

  if (row_weights != NULL)
    test_watch_read (row_weights, project->width * sizeof *row_weights);
  if (column_weights != NULL)
    test_watch_read (column_weights, project->height * sizeof *column_weights);
  test_watch_write (row_sums, project->height * sizeof *row_sums);
  test_watch_write (column_sums, project->width * sizeof *column_sums);
  for (uint32_t row = 0; row < project->height; row++) {
    int64_t part = 0;

    test_watch_read (x + row * project->stride_bytes, row_bytes);
    for (uint64_t i = 0; i < project->width; i++) {
      const uint8_t *at = x + row * project->stride_bytes + i * project->component.step_bytes;
      int64_t value = counts ? *at : load_sample (&project->component, at);

      part += value * (row_weights != NULL ? row_weights[i] : 1);
      column_sums[i] += value * (column_weights != NULL ? column_weights[row] : 1);
      if (counts)
        numbers->histogram[value]++;
      if (counts && ((i + 1 + lead) % HISTO_CUDA_PROJECT_BYTES == 0 || i + 1 == project->width)) {
        row_sums[row] += project->weight_size < 2 ? (int32_t)(uint32_t)part : part; /* the lanes of a warp hold 32 bits */
        part = 0;
      }
    }
    row_sums[row] += part;
  }
}

static bool
project_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index)
{
  const struct histo_cuda_project *project = &launch->parameter.project;
  const struct histo_cuda_component *component = &project->component;
  const bool counts = launch->kernel->kind == FAKEKERNEL_PROJECT;
  const uint64_t data = project->data[index];
  const int64_t first = counts ? 0 : component->offset_bytes;
  const int64_t last = first + (int64_t)((project->width - 1) * component->step_bytes) + component->sample_bytes;
  const uint8_t *x = find_rows (driver, data, project->stride_bytes, project->height, first, last);
  const int16_t *row_weights = NULL, *column_weights = NULL;
  int64_t *row_sums = driver->find (project->row_sums + (uint64_t)index * project->height * sizeof *row_sums,
                                    project->height * sizeof *row_sums, true);
  int64_t *column_sums = driver->find (project->column_sums + index * project->width * sizeof *column_sums,
                                       project->width * sizeof *column_sums, true);
  uint64_t *words = NULL;
  struct numbers *numbers;

  if (project->row_weights != 0)
    row_weights = driver->find (project->row_weights, project->width * sizeof *row_weights, true);
  if (project->column_weights != 0)
    column_weights = driver->find (project->column_weights, project->height * sizeof *column_weights, true);
  if (row_sums == NULL || column_sums == NULL || (project->row_weights != 0 && row_weights == NULL)
      || (project->column_weights != 0 && column_weights == NULL) || project->row_weights % 16 != 0
      || (counts && (data % 16 != project->data[0] % 16 || project->tag == 0))) {
    driver->blame ("weights or sums of a projection are not where they should be, or it has no tag");
    return false;
  }
  if (counts) {
    uint64_t at = (uint64_t)index * project->frame_words * sizeof (uint64_t);

    words
        = find_words (driver, project->workspace + at, project->result + at, HISTO_CUDA_WORDS (HISTO_CUDA_BINS), project->tag);
  }
  numbers = make_numbers (NULL, HISTO_CUDA_BINS);
  if (x == NULL || numbers == NULL || (counts && words == NULL)) {
    free (numbers);
    return false;
  }
  driver->unlock ();
  project_samples (project, counts, x + first, data % 16, row_weights, column_weights, row_sums, column_sums, numbers);
  driver->lock ();
  if (counts)
    store_numbers (words, HISTO_CUDA_BINS, numbers, false, false, project->tag);
  free (numbers);
  return true;
}

bool
project_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  if (launch->blocks_y > HISTO_CUDA_LISTED || !project_is_valid (launch)) {
    driver->blame ("a projection contradicts itself or the launch");
    return false;
  }
  for (unsigned i = 0; i < launch->blocks_y; i++)
    if (!project_frame (launch, driver, i))
      return false;
  return true;
}
