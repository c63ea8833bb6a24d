/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "pass.h"
#include "picture.h"

/* The number of samples of the component before `position` in a row. */
static uint64_t
count_before (const struct histo_pass_component *component, size_t position)
{
  uint64_t samples;

  if (position <= component->offset_bytes)
    return 0;
  samples = (position - component->offset_bytes - 1) / component->step_bytes + 1;
  return samples < component->width ? samples : component->width;
}

/* Finds sample_bytes, period, component_at, begin and end. False if the components form no pattern. Positions and steps are in
 * samples, from the row's first byte, or from its second if two-byte samples are at odd addresses. */
static bool
find_pattern (struct histo_pass *pass)
{
  const unsigned unit = pass->components[0].sample_bytes;
  const size_t origin = pass->components[0].offset_bytes % unit;
  size_t first = SIZE_MAX, last = 0; /* the samples of all components; no others may be read */
  size_t begin = 0, end = SIZE_MAX;  /* the samples where every component is in the pattern */
  unsigned period = 1;

  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];
    const size_t offset = component->offset_bytes / unit, step = component->step_bytes / unit;
    const size_t row_end = offset + (size_t)(component->width - 1) * step + 1;
    unsigned common = period;

    if (component->sample_bytes != unit || component->offset_bytes % unit != origin || component->step_bytes % unit != 0)
      return false;
    if (step > HISTO_MAX_PERIOD)
      return false;
    while (common % step != 0)
      common += period;
    period = common;

    if (offset < first)
      first = offset;
    if (row_end > last)
      last = row_end;
    if (offset + 1 > step && offset + 1 - step > begin)
      begin = offset + 1 - step;
    if (row_end - 1 + step < end)
      end = row_end - 1 + step;
  }
  if (period > HISTO_MAX_PERIOD)
    return false;
  if (begin < first)
    begin = first;
  if (end > last)
    end = last;
  if (end < begin || end - begin < period)
    return false;

  memset (pass->component_at, -1, sizeof pass->component_at);
  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];
    const size_t offset = component->offset_bytes / unit, step = component->step_bytes / unit;

    for (unsigned i = 0; i < period; i++) {
      /* Tests that begin + i and the offset agree modulo the step, without a negative difference. */
      if ((begin + i) % step != offset % step)
        continue;
      if (pass->component_at[i] >= 0)
        return false;
      pass->component_at[i] = (int8_t)component->index;
    }
  }

  end -= (end - begin) % period;
  pass->sample_bytes = unit;
  pass->period = period;
  pass->begin = origin + begin * unit;
  pass->end = origin + end * unit;
  return true;
}

/* Whether rows can be joined: in each component the first sample of a row is one step after the last of the previous row. */
static bool
rows_follow (const struct histo_pass *pass)
{
  for (unsigned c = 0; c < pass->component_count; c++) {
    const size_t step = pass->components[c].step_bytes;
    const uint64_t width = pass->components[c].width;

    if (pass->stride_bytes % step != 0 || pass->stride_bytes / step != width)
      return false;
    if (pass->operand && pass->operand_stride_bytes != pass->stride_bytes)
      return false;
  }
  return true;
}

static void
plan_row (struct histo_pass *pass)
{
  /* Rows without a pattern are not joined, so that threads can share them. */
  struct histo_pass joined = *pass;

  if (pass->height > 1 && !pass->project && rows_follow (pass)) {
    for (unsigned c = 0; c < joined.component_count; c++)
      joined.components[c].width *= joined.height;
    joined.height = 1;
  }

  if (find_pattern (&joined)) {
    *pass = joined;
  } else {
    pass->begin = pass->end = 0;
    pass->sample_bytes = pass->period = 1;
    memset (pass->component_at, -1, sizeof pass->component_at);
  }

  for (unsigned c = 0; c < pass->component_count; c++) {
    struct histo_pass_component *component = &pass->components[c];

    if (pass->begin == pass->end) {
      component->head = component->width;
      component->tail = 0;
    } else {
      component->head = count_before (component, pass->begin);
      component->tail = component->width - count_before (component, pass->end);
    }
  }
}

unsigned
histo_plan_passes (const struct histo_frame *frame, struct histo_pass passes[HISTO_MAX_PLANES])
{
  const struct histo_frame *operand = frame->statistics & HISTO_STATISTICS_OPERAND ? frame->operand : NULL;
  unsigned count = 0;

  for (unsigned p = 0; p < frame->plane_count; p++) {
    struct histo_pass *pass = &passes[count];

    *pass = (struct histo_pass){
      .data = frame->planes[p].data,
      .operand = operand ? operand->planes[p].data : NULL,
      .stride_bytes = frame->planes[p].stride_bytes,
      .operand_stride_bytes = operand ? operand->planes[p].stride_bytes : 0,
      .height = frame->planes[p].height,
      .project = frame->statistics & HISTO_STATISTIC_PROJECTION,
    };
    if (pass->height == 0)
      continue;
    for (unsigned c = 0; c < frame->component_count; c++) {
      const struct histo_component *component = &frame->components[c];

      if (component->plane != p || component->width == 0)
        continue;
      pass->components[pass->component_count++] = (struct histo_pass_component){
        .index = c,
        .offset_bytes = component->offset_bytes,
        .step_bytes = component->step_bytes,
        .width = component->width,
        .sample_bytes = component->sample_bytes,
        .depth = component->depth,
        .shift = component->shift,
        .big_endian = component->big_endian,
        .bins = component->bins,
      };
    }
    if (pass->component_count == 0)
      continue;
    plan_row (pass);
    count++;
  }
  return count;
}
