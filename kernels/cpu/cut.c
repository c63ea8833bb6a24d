/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cut.h"

struct histo_format
histo_cpu_edge_format (const struct histo_cpu_cut *cut, unsigned c)
{
  return cut->pass.begin < cut->pass.end ? cut->format : histo_format_of (&cut->pass.components[c]);
}

bool
histo_cpu_cut_is_wide (const struct histo_cpu_cut *cut)
{
  for (unsigned c = 0; c < cut->pass.component_count; c++) {
    const struct histo_format format = histo_cpu_edge_format (cut, c);

    if (histo_format_is_wide (&format))
      return true;
  }
  return false;
}

/* The samples of a pattern are counted together only where they are of one kind. */
static void
choose_format (struct histo_cpu_cut *cut)
{
  struct histo_pass *pass = &cut->pass;
  bool is_uniform = true;

  cut->format = histo_format_of (&pass->components[0]);
  for (unsigned c = 1; c < pass->component_count; c++) {
    const struct histo_format other = histo_format_of (&pass->components[c]);

    is_uniform = is_uniform && histo_format_equals (&cut->format, &other);
    cut->format.is_native = cut->format.is_native || other.is_native;
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
choose_slices (struct histo_cpu_cut *cut)
{
  const struct histo_pass *pass = &cut->pass;
  const uint64_t max_rows = pass->project ? HISTO_CPU_BAND_ROWS : UINT32_MAX;
  uint64_t row_bytes = pass->end - pass->begin;

  cut->part_bytes = pass->project ? HISTO_CPU_STRIP_BYTES : HISTO_CPU_SLICE_BYTES;
  cut->parts = row_bytes > 0 ? (row_bytes - 1) / cut->part_bytes + 1 : 1;
  if (cut->parts > 1)
    row_bytes = cut->part_bytes;
  else
    for (unsigned c = 0; c < pass->component_count; c++)
      row_bytes += (pass->components[c].head + pass->components[c].tail) * pass->components[c].sample_bytes;
  cut->rows = row_bytes < HISTO_CPU_SLICE_BYTES ? HISTO_CPU_SLICE_BYTES / row_bytes : 1;
  if (cut->rows > max_rows)
    cut->rows = max_rows;
  cut->slice_count = cut->parts * ((pass->height - 1) / cut->rows + 1);
}

void
histo_cpu_cut_pass (struct histo_cpu_cut *cut, const struct histo_pass *pass, uint64_t first_slice)
{
  cut->pass = *pass;
  cut->first_slice = first_slice;
  choose_format (cut);
  choose_slices (cut);
}

struct histo_cpu_slice
histo_cpu_find_slice (const struct histo_cpu_cut *cuts, uint64_t number)
{
  const struct histo_cpu_cut *cut = cuts;
  struct histo_cpu_slice slice;
  uint64_t part;

  while (number - cut->first_slice >= cut->slice_count)
    cut++;
  number -= cut->first_slice;
  part = number % cut->parts;

  slice.cut = cut;
  slice.first_row = number / cut->parts * cut->rows;
  slice.rows = cut->pass.height - slice.first_row < cut->rows ? cut->pass.height - slice.first_row : cut->rows;
  slice.has_edges = part == cut->parts - 1;
  slice.begin = cut->pass.begin + (size_t)part * cut->part_bytes;
  slice.end = slice.has_edges ? cut->pass.end : slice.begin + cut->part_bytes;
  return slice;
}
