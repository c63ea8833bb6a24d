/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cut.h"

#include "derived.h"

struct histo_cpu_component
histo_cpu_describe_component (const struct histo_frame *frame, unsigned c)
{
  const struct histo_component *component = &frame->components[c];
  const struct histo_plane *plane = &frame->planes[component->plane];

  if (component->width == 0 || plane->height == 0)
    return (struct histo_cpu_component){ .data = NULL };
  return (struct histo_cpu_component){
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

void
histo_cpu_find_picture (struct histo_cpu_picture *picture, const struct histo_frame *frame)
{
  unsigned count = 0;

  *picture = (struct histo_cpu_picture){ .statistics = frame->statistics & HISTO_STATISTICS_PICTURE };
  if (frame->statistics & HISTO_STATISTIC_WAVEFORM || frame->derived_count > 0)
    count = frame->component_count;
  else if (picture->statistics & HISTO_STATISTICS_COLOURS)
    count = 3;
  else if (picture->statistics)
    count = 1;
  for (unsigned c = 0; c < count; c++)
    picture->components[c] = histo_cpu_describe_component (frame, c);
  picture->chroma = frame->chroma;
  picture->range = histo_find_range (frame->components[0].depth);
  picture->gamut = frame->gamut;
  picture->light = frame->light;
  picture->gamut_component = histo_find_first_component (frame, frame->gamut.is_rgb);
  picture->light_component = histo_find_first_component (frame, frame->light.is_rgb);
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

/* Samples of a pattern are counted together only if they have the same format. */
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

/* Bytes of a row that the components use. */
static uint64_t
count_row_bytes (const struct histo_pass *pass)
{
  uint64_t bytes = pass->end - pass->begin;

  for (unsigned c = 0; c < pass->component_count; c++)
    bytes += (pass->components[c].head + pass->components[c].tail) * pass->components[c].sample_bytes;
  return bytes;
}

/* Whether the pass joined its rows to one. */
static bool
is_joined (const struct histo_cpu_pass *sliced)
{
  return sliced->pass.height != sliced->plane_rows;
}

bool
histo_cpu_looks_at_rows (const struct histo_cpu_pass *sliced)
{
  return sliced->statistics != 0 || sliced->has_waveforms;
}

static uint64_t
count_slices (const struct histo_cpu_pass *sliced)
{
  return sliced->parts * ((sliced->pass.height - 1) / sliced->rows + 1);
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

/* The number of rows of `row_bytes` in a slice that computes the picture's statistics. */
static uint64_t
choose_picture_rows (uint64_t row_bytes)
{
  const uint64_t rows = row_bytes < HISTO_CPU_PICTURE_BYTES ? HISTO_CPU_PICTURE_BYTES / row_bytes : 1;

  return rows < HISTO_CPU_PICTURE_ROWS ? HISTO_CPU_PICTURE_ROWS : rows - rows % HISTO_CPU_PICTURE_ROWS;
}

/* Slices of whole rows of the plane: bands of `rows` rows, or of their bytes if the rows are joined. A pass that projects has
 * strips of bands; the last strip computes the picture's statistics. */
static void
choose_picture_slices (struct histo_cpu_pass *sliced, uint64_t rows)
{
  const struct histo_pass *pass = &sliced->pass;

  sliced->picture_rows = (uint32_t)rows;
  if (is_joined (sliced)) {
    sliced->part_bytes = rows * pass->stride_bytes;
    sliced->parts = pass->end > pass->begin ? (pass->end - pass->begin - 1) / sliced->part_bytes + 1 : 1;
    return;
  }
  sliced->rows = rows;
  if (!pass->project)
    sliced->parts = 1;
}

/* Whether luma and chroma lie in separate planes and are read together. Slices of both then alternate, so that the second finds
 * the samples of the first in the cache. */
static bool
takes_turns (const struct histo_cpu_pass *sliced, unsigned count, const struct histo_cpu_picture *picture)
{
  if (!(picture->statistics & HISTO_STATISTICS_COLOURS) || count < 2 || count > HISTO_CPU_TURNS)
    return false;
  for (unsigned p = 0; p < count; p++)
    if (sliced[p].pass.project || histo_cpu_pass_is_wide (&sliced[p]))
      return false;
  return true;
}

static bool
has_component (const struct histo_pass *pass, unsigned index)
{
  for (unsigned c = 0; c < pass->component_count; c++)
    if (pass->components[c].index == index)
      return true;
  return false;
}

/* Chroma comes first: its slice has the same part of the picture as the luma slice, which reads the chroma again. */
static uint64_t
take_turns (struct histo_cpu_pass *sliced, unsigned count, const struct histo_cpu_picture *picture)
{
  const struct histo_cpu_component *luma = &picture->components[LUMA];
  const uint64_t rows = choose_picture_rows (luma->width > 0 ? (uint64_t)luma->width * luma->step_bytes : 1);
  uint64_t rounds = 0;

  for (unsigned p = 0; p < count; p++) {
    const bool is_chroma = has_component (&sliced[p].pass, CB) || has_component (&sliced[p].pass, CR);

    choose_picture_slices (&sliced[p],
                           is_chroma && !has_component (&sliced[p].pass, LUMA) ? rows >> picture->chroma.shift_y : rows);
    sliced[p].slice_count = count_slices (&sliced[p]);
    if (sliced[p].slice_count > rounds)
      rounds = sliced[p].slice_count;
    sliced[p].first_slice = count - 1 - p;
    sliced[p].turns = count;
    sliced[p].tables = p;
  }
  return rounds * count;
}

/* The number of rows in a slice of a pass with a derived component. */
static uint64_t
choose_derived_rows (const struct histo_cpu_pass *sliced, unsigned count)
{
  const uint64_t bytes = histo_cpu_pass_is_wide (sliced) ? HISTO_CPU_WIDE_DERIVED_BYTES : HISTO_CPU_DERIVED_BYTES;
  uint64_t rows = bytes / (count * sliced->pass.stride_bytes);

  if (rows < HISTO_CPU_DERIVED_ROWS)
    return HISTO_CPU_DERIVED_ROWS;
  if (rows > HISTO_CPU_BAND_ROWS)
    rows = HISTO_CPU_BAND_ROWS;
  return rows - rows % HISTO_CPU_PICTURE_ROWS;
}

/* Slices of the stored components and of those derived from them alternate: the second finds the samples of the first in the
 * cache. `first`: the first pass of a derived component. */
static uint64_t
slice_derived (struct histo_cpu_pass *sliced, unsigned count, unsigned first)
{
  const uint64_t rows = choose_derived_rows (&sliced[first], count - first);
  uint64_t rounds = 0;

  for (unsigned p = 0; p < count; p++) {
    choose_picture_slices (&sliced[p], rows);
    sliced[p].slice_count = p <= first ? count_slices (&sliced[p]) : 0;
    if (sliced[p].slice_count > rounds)
      rounds = sliced[p].slice_count;
    sliced[p].first_slice = p;
    sliced[p].turns = first + 1;
    sliced[p].tables = histo_cpu_pass_is_wide (&sliced[p]) ? 0 : p; /* a worker has one set of wide tables */
  }
  return rounds * (first + 1);
}

uint64_t
histo_cpu_slice_passes (struct histo_cpu_pass *sliced, const struct histo_pass *passes, unsigned count,
                        const struct histo_frame *frame, const struct histo_cpu_picture *picture)
{
  uint64_t slices = 0;

  for (unsigned p = 0; p < count; p++) {
    const unsigned plane = frame->components[passes[p].components[0].index].plane;

    sliced[p] = (struct histo_cpu_pass){ .pass = passes[p], .plane_rows = frame->planes[plane].height, .turns = 1 };
    if (has_component (&passes[p], LUMA))
      sliced[p].statistics |= picture->statistics & HISTO_STATISTICS_LUMA;
    if (has_component (&passes[p], CR))
      sliced[p].statistics |= picture->statistics & ~(uint32_t)HISTO_STATISTICS_LUMA;
    sliced[p].has_waveforms = frame->statistics & HISTO_STATISTIC_WAVEFORM;
    choose_format (&sliced[p]);
    choose_slices (&sliced[p]);
  }
  if (frame->derived_count > 0 && count > frame->derived_count && has_component (&passes[count - frame->derived_count], LUMA))
    return slice_derived (sliced, count, count - frame->derived_count);
  if (takes_turns (sliced, count, picture))
    return take_turns (sliced, count, picture);
  for (unsigned p = 0; p < count; p++) {
    const uint64_t row_bytes = is_joined (&sliced[p]) ? passes[p].stride_bytes : count_row_bytes (&sliced[p].pass);

    if (histo_cpu_looks_at_rows (&sliced[p]))
      choose_picture_slices (&sliced[p], passes[p].project ? HISTO_CPU_BAND_ROWS : choose_picture_rows (row_bytes));
    sliced[p].first_slice = slices;
    sliced[p].slice_count = count_slices (&sliced[p]);
    slices += sliced[p].slice_count;
  }
  return slices;
}

/* Finds part `part` of known rows. */
static void
find_picture_rows (struct histo_cpu_slice *slice, uint64_t part)
{
  const struct histo_cpu_pass *sliced = slice->sliced;

  slice->first_picture_row = (uint32_t)slice->first_row;
  slice->picture_rows = slice->has_edges ? (uint32_t)slice->rows : 0;
  if (!is_joined (sliced) || !histo_cpu_looks_at_rows (sliced))
    return;
  /* The last part has the remainder, which may be larger: bytes outside the pattern may be whole rows. */
  slice->first_picture_row = (uint32_t)part * sliced->picture_rows;
  slice->picture_rows = slice->has_edges ? sliced->plane_rows - slice->first_picture_row : sliced->picture_rows;
}

bool
histo_cpu_find_slice (const struct histo_cpu_pass *passes, unsigned count, uint64_t number, struct histo_cpu_slice *slice)
{
  uint64_t local = 0, part;
  unsigned p = 0;

  for (; p < count; p++) {
    local = number - passes[p].first_slice;
    if (number >= passes[p].first_slice && local % passes[p].turns == 0 && local / passes[p].turns < passes[p].slice_count)
      break;
  }
  if (p == count)
    return false;
  local /= passes[p].turns;
  part = local % passes[p].parts;

  slice->sliced = &passes[p];
  slice->first_row = local / passes[p].parts * passes[p].rows;
  slice->rows = passes[p].pass.height - slice->first_row;
  if (slice->rows > passes[p].rows)
    slice->rows = passes[p].rows;
  slice->has_edges = part == passes[p].parts - 1;
  slice->begin = passes[p].pass.begin + (size_t)part * passes[p].part_bytes;
  slice->end = slice->has_edges ? passes[p].pass.end : slice->begin + passes[p].part_bytes;
  find_picture_rows (slice, part);
  return true;
}
