/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan/plan_scope.h"

#include "cuda/host/plan/plan_picture.h"
#include "derived.h"
#include "picture.h"

bool
histo_cuda_wants_scope (const struct histo_frame *frame)
{
  return frame->statistics & (HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE | HISTO_STATISTIC_LIGHT);
}

static uint32_t
count_columns (const struct histo_frame *frame, unsigned c)
{
  const struct histo_component *component = &frame->components[c];

  if (!(frame->statistics & HISTO_STATISTIC_WAVEFORM) || frame->planes[component->plane].height == 0)
    return 0;
  return component->width < frame->waveform_columns ? (uint32_t)component->width : frame->waveform_columns;
}

/* Gives the slices of all components the same number of rows, so that all multiprocessors have work. */
static void
share_blocks (const struct histo_cuda_shape *shape, unsigned frames, struct histo_cuda_plan *plan)
{
  struct histo_cuda_scope *scope = &plan->scope;
  uint32_t strips = 0, rows = 0, wanted, slice_rows;

  for (unsigned c = 0; c < scope->component_count; c++) {
    strips += scope->components[c].strips;
    if (scope->components[c].strips > 0 && rows < scope->components[c].samples.height)
      rows = scope->components[c].samples.height;
  }
  if (strips == 0)
    return;
  wanted = histo_cuda_divide (shape->multiprocessors * shape->tuning->waveform_blocks, strips * frames);
  slice_rows = histo_cuda_divide (rows, wanted);
  if (slice_rows < shape->tuning->waveform_rows)
    slice_rows = shape->tuning->waveform_rows;
  for (unsigned c = 0; c < scope->component_count; c++) {
    struct histo_cuda_waveform *waveform = &scope->components[c];

    waveform->samples.band_rows = slice_rows;
    waveform->first_block = plan->waveform_blocks;
    plan->waveform_blocks += waveform->strips * histo_cuda_divide (waveform->samples.height, slice_rows);
  }
}

_Static_assert(HISTO_CUDA_LIGHT_CODES == HISTO_LIGHT_CODES && HISTO_CUDA_LIGHT_LOG2 == HISTO_LIGHT_ONE_LOG2, "what a code is");

/* A block for each multiprocessor: the fewer there are, the fewer bins are added up. */
static void
plan_light (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
            struct histo_cuda_plan *plan)
{
  const struct histo_light *light = &frames[0].light;
  const struct histo_chroma *chroma = &frames[0].chroma;
  const unsigned first = histo_find_first_component (&frames[0], light->is_rgb);
  const struct histo_cuda_picture_component *luma = &plan->scope.components[first].samples;
  const uint32_t most = shape->multiprocessors > count ? shape->multiprocessors / count : 1;
  uint32_t rows, blocks;

  plan->scope.light_component = first;
  plan->scope.light = (struct histo_cuda_light){
    .luma = light->luma,
    .offset = light->offset,
    .r_cr = light->r_cr,
    .g_cb = light->g_cb,
    .g_cr = light->g_cr,
    .b_cb = light->b_cb,
    .is_rgb = light->is_rgb,
    .first_code = plan->scope.frame_counters,
    .shift_x = chroma->shift_x,
    .shift_y = chroma->shift_y,
    .phase_x = chroma->phase_x,
    .phase_y = chroma->phase_y,
    .weights = { light->weights[0], light->weights[1], light->weights[2] },
    .adds_luminance = light->transfer == HISTO_TRANSFER_HLG,
    .is_luminance = light->source == HISTO_LIGHT_LUMINANCE,
  };
  plan->light_needs_curve = histo_light_needs_curve (light);
  plan->scope.frame_counters += HISTO_CUDA_LIGHT_COUNTERS;
  if (luma->height == 0)
    return;
  rows = ((luma->height - 1 + chroma->phase_y) >> chroma->shift_y) + 1;
  blocks = histo_cuda_divide (rows * histo_cuda_divide (luma->width, HISTO_CUDA_LIGHT_SAMPLES), HISTO_CUDA_LIGHT_THREADS);
  plan->light_blocks = blocks < most ? blocks : most;
}

void
histo_cuda_plan_scope (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                       struct histo_cuda_plan *plan)
{
  const struct histo_frame *frame = &frames[0];
  struct histo_cuda_scope *scope = &plan->scope;

  *scope = (struct histo_cuda_scope){
    .frame_count = count,
    .pass_count = plan->count.pass_count,
    .component_count = frame->component_count,
  };
  for (unsigned c = 0; c < frame->component_count; c++) {
    struct histo_cuda_waveform *waveform = &scope->components[c];

    histo_cuda_describe_component (plan, frame, c, &waveform->samples);
    waveform->samples.operand = waveform->samples.operand_stride_bytes = 0;
    waveform->columns = count_columns (frame, c);
    waveform->first_counter = scope->frame_counters;
    waveform->strips = waveform->columns > 0 ? histo_cuda_divide (waveform->samples.width, HISTO_CUDA_WAVEFORM_STRIP) : 0;
    scope->frame_counters += waveform->columns * HISTO_CUDA_BINS;
  }
  share_blocks (shape, count, plan);
  if (frame->statistics & HISTO_STATISTIC_VECTORSCOPE) {
    const uint32_t rows = scope->components[1].samples.height;
    const uint32_t blocks = shape->multiprocessors > count ? shape->multiprocessors / count : 1;

    scope->first_pair = scope->frame_counters;
    scope->frame_counters += HISTO_CUDA_VECTORSCOPE_PAIRS;
    scope->chroma_rows = rows > 0 ? histo_cuda_divide (rows, blocks) : 1;
    plan->vectorscope_blocks = histo_cuda_divide (rows, scope->chroma_rows);
  }
  if (frame->statistics & HISTO_STATISTIC_LIGHT)
    plan_light (shape, frames, count, plan);
}
