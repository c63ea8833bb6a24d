/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cut.h"

#define LUMA 0
#define CR 2
#define LUMA_STATISTICS (HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS | HISTO_STATISTIC_OUT_OF_RANGE)
#define CHROMA_STATISTICS (HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE)

void
histo_cpu_find_picture (struct histo_cpu_picture *picture, const struct histo_frame *frame)
{
  unsigned count = 0;

  *picture = (struct histo_cpu_picture){ .statistics = frame->statistics & HISTO_STATISTICS_PICTURE };
  if (picture->statistics & HISTO_STATISTICS_COLOURS)
    count = 3;
  else if (picture->statistics)
    count = 1;
  for (unsigned c = 0; c < count; c++) {
    const struct histo_component *component = &frame->components[c];
    const struct histo_plane *plane = &frame->planes[component->plane];

    if (component->width == 0 || plane->height == 0)
      continue;
    picture->components[c] = (struct histo_cpu_component){
      .data = (const uint8_t *)plane->data + component->offset_bytes,
      .stride_bytes = plane->stride_bytes,
      .step_bytes = component->step_bytes,
      .width = (uint32_t)component->width,
      .height = plane->height,
      .format = {
        .sample_bytes = component->sample_bytes,
        .depth = component->depth,
        .shift = component->shift,
        .big_endian = component->big_endian,
      },
    };
  }
  picture->chroma = frame->chroma;
  picture->range = histo_find_range (frame->components[0].depth);
}

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

/* Bytes of a row that the components touch. */
static uint64_t
count_row_bytes (const struct histo_pass *pass)
{
  uint64_t bytes = pass->end - pass->begin;

  for (unsigned c = 0; c < pass->component_count; c++)
    bytes += (pass->components[c].head + pass->components[c].tail) * pass->components[c].sample_bytes;
  return bytes;
}

static void
choose_slices (struct histo_cpu_pass *sliced)
{
  const struct histo_pass *pass = &sliced->pass;
  const uint64_t max_rows = pass->project ? HISTO_CPU_BAND_ROWS : UINT32_MAX;
  uint64_t row_bytes = pass->end - pass->begin;

  sliced->part_bytes = pass->project ? HISTO_CPU_STRIP_BYTES : HISTO_CPU_SLICE_BYTES;
  sliced->parts = row_bytes > 0 ? (row_bytes - 1) / sliced->part_bytes + 1 : 1;
  row_bytes = sliced->parts > 1 ? sliced->part_bytes : count_row_bytes (pass);
  sliced->rows = row_bytes < HISTO_CPU_SLICE_BYTES ? HISTO_CPU_SLICE_BYTES / row_bytes : 1;
  if (sliced->rows > max_rows)
    sliced->rows = max_rows;
}

/* Slices of whole rows of the picture: bands of rows, or of the bytes of as many where they are joined. A pass that projects
 * has strips of bands, of which the last looks at the rows. */
static void
choose_picture_slices (struct histo_cpu_pass *sliced)
{
  const struct histo_pass *pass = &sliced->pass;
  const bool is_joined = pass->height != sliced->plane_rows;
  const uint64_t row_bytes = is_joined ? pass->stride_bytes : count_row_bytes (pass);
  uint64_t rows = row_bytes < HISTO_CPU_PICTURE_BYTES ? HISTO_CPU_PICTURE_BYTES / row_bytes : 1;

  if (pass->project)
    rows = HISTO_CPU_BAND_ROWS;
  rows = rows < HISTO_CPU_PICTURE_ROWS ? HISTO_CPU_PICTURE_ROWS : rows - rows % HISTO_CPU_PICTURE_ROWS;
  sliced->picture_rows = (uint32_t)rows;
  if (is_joined) {
    sliced->part_bytes = rows * pass->stride_bytes;
    sliced->parts = pass->end > pass->begin ? (pass->end - pass->begin - 1) / sliced->part_bytes + 1 : 1;
    return;
  }
  sliced->rows = rows;
  if (!pass->project)
    sliced->parts = 1;
}

void
histo_cpu_slice_pass (struct histo_cpu_pass *sliced, const struct histo_pass *pass, uint32_t plane_rows,
                      const struct histo_cpu_picture *picture, uint64_t first_slice)
{
  *sliced = (struct histo_cpu_pass){ .pass = *pass, .first_slice = first_slice, .plane_rows = plane_rows };
  for (unsigned c = 0; c < pass->component_count; c++) {
    if (pass->components[c].index == LUMA)
      sliced->has_luma = (picture->statistics & LUMA_STATISTICS) != 0;
    if (pass->components[c].index == CR)
      sliced->has_chroma = (picture->statistics & CHROMA_STATISTICS) != 0;
  }
  choose_format (sliced);
  choose_slices (sliced);
  if (sliced->has_luma || sliced->has_chroma)
    choose_picture_slices (sliced);
  sliced->slice_count = sliced->parts * ((pass->height - 1) / sliced->rows + 1);
}

/* Of the part `part` of rows that are known. */
static void
find_picture_rows (struct histo_cpu_slice *slice, uint64_t part)
{
  const struct histo_cpu_pass *sliced = slice->sliced;
  const bool is_joined = sliced->pass.height != sliced->plane_rows;

  slice->first_picture_row = (uint32_t)slice->first_row;
  slice->picture_rows = slice->has_edges ? (uint32_t)slice->rows : 0;
  if (!is_joined || (!sliced->has_luma && !sliced->has_chroma))
    return;
  /* The last part has what is left, be it more: bytes outside of the pattern may be those of whole rows. */
  slice->first_picture_row = (uint32_t)part * sliced->picture_rows;
  slice->picture_rows = slice->has_edges ? sliced->plane_rows - slice->first_picture_row : sliced->picture_rows;
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
  find_picture_rows (&slice, part);
  return slice;
}
