/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cut.h"

struct histo_format
histo_cpu_edge_format (const struct histo_cpu_pass *sliced, unsigned c)
{
  return sliced->pass.begin < sliced->pass.end ? sliced->format : histo_format_of (&sliced->pass.components[c]);
}

bool
histo_cpu_pass_is_wide (const struct histo_cpu_pass *sliced)
{
  for (unsigned c = 0; c < sliced->pass.component_count; c++) {
    const struct histo_format format = histo_cpu_edge_format (sliced, c);

    if (histo_format_is_wide (&format))
      return true;
  }
  return false;
}

/* The samples of a pattern are counted together only where they are of one kind. */
static void
choose_format (struct histo_cpu_pass *sliced)
{
  struct histo_pass *pass = &sliced->pass;
  bool is_uniform = true;

  sliced->format = histo_format_of (&pass->components[0]);
  for (unsigned c = 1; c < pass->component_count; c++) {
    const struct histo_format other = histo_format_of (&pass->components[c]);

    is_uniform = is_uniform && histo_format_equals (&sliced->format, &other);
    sliced->format.is_native = sliced->format.is_native || other.is_native;
  }
  if (pass->sample_bytes == 1 || is_uniform)
    return;
  pass->begin = pass->end = 0;
  for (unsigned c = 0; c < pass->component_count; c++) {
    pass->components[c].head = pass->components[c].width;
    pass->components[c].tail = 0;
  }
}

static void
choose_slices (struct histo_cpu_pass *sliced)
{
  const struct histo_pass *pass = &sliced->pass;
  const uint64_t max_rows = pass->project ? HISTO_CPU_BAND_ROWS : UINT32_MAX;
  uint64_t row_bytes = pass->end - pass->begin;

  sliced->part_bytes = pass->project ? HISTO_CPU_STRIP_BYTES : HISTO_CPU_SLICE_BYTES;
  sliced->parts = row_bytes > 0 ? (row_bytes - 1) / sliced->part_bytes + 1 : 1;
  if (sliced->parts > 1)
    row_bytes = sliced->part_bytes;
  else
    for (unsigned c = 0; c < pass->component_count; c++)
      row_bytes += (pass->components[c].head + pass->components[c].tail) * pass->components[c].sample_bytes;
  sliced->rows = row_bytes < HISTO_CPU_SLICE_BYTES ? HISTO_CPU_SLICE_BYTES / row_bytes : 1;
  if (sliced->rows > max_rows)
    sliced->rows = max_rows;
  sliced->slice_count = sliced->parts * ((pass->height - 1) / sliced->rows + 1);
}

void
histo_cpu_slice_pass (struct histo_cpu_pass *sliced, const struct histo_pass *pass, uint64_t first_slice)
{
  sliced->pass = *pass;
  sliced->first_slice = first_slice;
  choose_format (sliced);
  choose_slices (sliced);
}

struct histo_cpu_slice
histo_cpu_find_slice (const struct histo_cpu_pass *passes, uint64_t number)
{
  const struct histo_cpu_pass *sliced = passes;
  struct histo_cpu_slice slice;
  uint64_t part;

  while (number - sliced->first_slice >= sliced->slice_count)
    sliced++;
  number -= sliced->first_slice;
  part = number % sliced->parts;

  slice.sliced = sliced;
  slice.first_row = number / sliced->parts * sliced->rows;
  slice.rows = sliced->pass.height - slice.first_row < sliced->rows ? sliced->pass.height - slice.first_row : sliced->rows;
  slice.has_edges = part == sliced->parts - 1;
  slice.begin = sliced->pass.begin + (size_t)part * sliced->part_bytes;
  slice.end = slice.has_edges ? sliced->pass.end : slice.begin + sliced->part_bytes;
  return slice;
}
