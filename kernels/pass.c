/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "pass.h"
#include "statistic_table.h"

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

/* Samples of a row, counted in samples from its first byte, or from its second if two-byte samples are at odd addresses. */
struct span {
  size_t first, end;
};

/* The offset and the step of a component in samples. */
static size_t
find_offset (const struct histo_pass_component *component)
{
  return component->offset_bytes / component->sample_bytes;
}

static size_t
find_step (const struct histo_pass_component *component)
{
  return component->step_bytes / component->sample_bytes;
}

/* Whether all samples have the same size and are a number of samples apart, at most HISTO_MAX_PERIOD in a component. */
static bool
share_positions (const struct histo_pass *pass)
{
  const struct histo_pass_component *first = &pass->components[0];
  const unsigned unit = first->sample_bytes;

  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];

    if (component->sample_bytes != unit || component->offset_bytes % unit != first->offset_bytes % unit
        || component->step_bytes % unit != 0 || find_step (component) > HISTO_MAX_PERIOD)
      return false;
  }
  return true;
}

/* The least common multiple of the components' steps. */
static unsigned
find_period (const struct histo_pass *pass)
{
  unsigned period = 1;

  for (unsigned c = 0; c < pass->component_count; c++) {
    unsigned common = period;

    while (common % find_step (&pass->components[c]) != 0)
      common += period;
    period = common;
  }
  return period;
}

/* The samples where every component is in the pattern, without any before the first or after the last sample of all components,
 * which may not be read. */
static struct span
find_span (const struct histo_pass *pass)
{
  struct span all = { SIZE_MAX, 0 }, span = { 0, SIZE_MAX };

  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];
    const size_t offset = find_offset (component), step = find_step (component);
    const size_t row_end = offset + (size_t)(component->width - 1) * step + 1;

    if (offset < all.first)
      all.first = offset;
    if (row_end > all.end)
      all.end = row_end;
    if (offset + 1 > step && offset + 1 - step > span.first)
      span.first = offset + 1 - step;
    if (row_end - 1 + step < span.end)
      span.end = row_end - 1 + step;
  }
  if (span.first < all.first)
    span.first = all.first;
  if (span.end > all.end)
    span.end = all.end;
  return span;
}

/* Sets component_at for a pattern that begins at sample `first`. False if two components have the same samples. */
static bool
assign_components (struct histo_pass *pass, size_t first, unsigned period)
{
  memset (pass->component_at, -1, sizeof pass->component_at);
  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];
    const size_t offset = find_offset (component), step = find_step (component);

    for (unsigned i = 0; i < period; i++) {
      /* Tests that first + i and the offset agree modulo the step, without a negative difference. */
      if ((first + i) % step != offset % step)
        continue;
      if (pass->component_at[i] >= 0)
        return false;
      pass->component_at[i] = (int8_t)component->index;
    }
  }
  return true;
}

/* Finds sample_bytes, period, component_at, begin and end. False if the components form no pattern. */
static bool
find_pattern (struct histo_pass *pass)
{
  const unsigned unit = pass->components[0].sample_bytes;
  const size_t origin = pass->components[0].offset_bytes % unit;
  unsigned period;
  struct span span;

  if (!share_positions (pass))
    return false;
  period = find_period (pass);
  span = find_span (pass);
  if (period > HISTO_MAX_PERIOD || span.end < span.first || span.end - span.first < period
      || !assign_components (pass, span.first, period))
    return false;
  pass->sample_bytes = unit;
  pass->period = period;
  pass->begin = origin + span.first * unit;
  pass->end = origin + (span.end - (span.end - span.first) % period) * unit;
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

/* Makes one row of all rows if each begins where the last one ends. Projected rows stay separate. */
static void
join_rows (struct histo_pass *pass)
{
  if (pass->height == 1 || pass->project || !rows_follow (pass))
    return;
  for (unsigned c = 0; c < pass->component_count; c++)
    pass->components[c].width *= pass->height;
  pass->height = 1;
}

/* Counts the samples of each component outside the pattern. */
static void
count_edges (struct histo_pass *pass)
{
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

static void
plan_row (struct histo_pass *pass)
{
  /* Rows without a pattern are not joined, so that threads can share them. */
  struct histo_pass joined = *pass;

  join_rows (&joined);
  if (find_pattern (&joined)) {
    *pass = joined;
  } else {
    pass->begin = pass->end = 0;
    pass->sample_bytes = pass->period = 1;
    memset (pass->component_at, -1, sizeof pass->component_at);
  }
  count_edges (pass);
}

unsigned
histo_plan_passes (const struct histo_frame *frame, struct histo_pass passes[HISTO_MAX_PASSES])
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
