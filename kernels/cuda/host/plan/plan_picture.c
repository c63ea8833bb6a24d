/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan/plan_picture.h"

#include "derived.h"
#include "picture.h"

/* the statistics of these kernels; the vectorscope and the light have separate kernels */
#define COUNTED \
  ((HISTO_STATISTIC_DIFFERENCE | HISTO_STATISTICS_PICTURE) & ~(HISTO_STATISTIC_VECTORSCOPE | HISTO_STATISTIC_LIGHT))

_Static_assert(HISTO_GAMUT_ONE == 1 << HISTO_CUDA_GAMUT_LOG2, "what 1.0 is");

/* The number of bins of all tables, at most. */
enum {
  MAX_TABLE_BINS = 3 * HISTO_CUDA_BINS
#define PICTURE_HISTOGRAM(id, name, needs, most, bins, ...) \
  +((COUNTED & HISTO_STATISTIC_##id) == 0 ? 0 : (bins) > 0 ? (bins) : HISTO_CUDA_PICTURE_SATURATIONS)
#include "statistic_list.h"
};
_Static_assert(HISTO_CUDA_TABLE_BYTES (MAX_TABLE_BINS, 1) <= HISTO_CUDA_PICTURE_SHARED_BYTES,
               "all tables fit, with one column");

bool
histo_cuda_wants_picture (const struct histo_frame *frame)
{
  return frame->statistics & COUNTED;
}

uint32_t
histo_cuda_count_histogram_words (const struct histo_statistic_row *row, uint32_t statistics, unsigned depth)
{
  const bool is_requested = statistics & row->bit;

  if (row->histogram == 0 || !(row->bit & COUNTED) || !(is_requested || row->bit == HISTO_STATISTIC_HUE))
    return 0;
  return row->bins > 0 ? row->bins : row->count_bins (depth);
}

uint32_t
histo_cuda_count_saturations (const struct histo_frame *frame)
{
  return histo_cuda_count_histogram_words (&histo_statistics[HISTO_ROW_SATURATION], frame->statistics,
                                           frame->components[0].depth);
}

uint32_t
histo_cuda_count_picture_words (const struct histo_frame *frame)
{
  uint32_t words = HISTO_CUDA_PICTURE_WORDS;

  if (!histo_cuda_wants_picture (frame))
    return 0;
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++)
    words += histo_cuda_count_histogram_words (&histo_statistics[s], frame->statistics, frame->components[0].depth);
  return words;
}

/* The lowest bits of the addresses and strides of a component in all frames and operands: they limit the alignment of vectors.
 * For interleaved chroma those of the pair. */
static uint64_t
find_low_bits (const struct histo_frame *frames, unsigned count, unsigned c)
{
  const struct histo_component *component = &frames[0].components[c];
  const uint64_t offset = component->step_bytes == 2 ? component->offset_bytes / 2 * 2 : component->offset_bytes;
  const bool has_operand = frames[0].statistics & HISTO_STATISTIC_DIFFERENCE;
  uint64_t bits = 0;

  for (unsigned i = 0; i < count; i++) {
    const struct histo_plane *plane = &frames[i].planes[component->plane];

    bits |= ((uint64_t)(uintptr_t)plane->data + offset) | plane->stride_bytes;
    if (has_operand) {
      plane = &frames[i].operand->planes[component->plane];
      bits |= ((uint64_t)(uintptr_t)plane->data + offset) | plane->stride_bytes;
    }
  }
  return bits;
}

/* Whether the frames are 4:2:0 pictures of bytes whose rows are whole cells, with no more tiles than share_tiles () can
 * handle. */
static bool
have_cells (const struct histo_frame *frames, unsigned count)
{
  const struct histo_frame *frame = &frames[0];
  const struct histo_component *luma = &frame->components[0], *cb = &frame->components[1], *cr = &frame->components[2];
  const struct histo_chroma *chroma = &frame->chroma;
  const uint64_t luma_mask = HISTO_CUDA_CELL_BYTES - 1, chroma_mask = cb->step_bytes == 1 ? luma_mask / 2 : luma_mask;

  if (frame->statistics & COUNTED & ~(uint32_t)HISTO_CUDA_CELL_STATISTICS)
    return false;
  if (frame->component_count != 3 || luma->depth != 8 || cb->depth != 8 || cr->depth != 8 || luma->step_bytes != 1
      || chroma->shift_x != 1 || chroma->shift_y != 1 || chroma->phase_x != 0 || chroma->phase_y != 0
      || luma->width % HISTO_CUDA_CELL_BYTES != 0 || cb->width != luma->width / 2 || cr->width != cb->width
      || frame->planes[cb->plane].height != histo_cuda_divide (frame->planes[luma->plane].height, 2)
      || frame->planes[cr->plane].height != frame->planes[cb->plane].height || luma->width > HISTO_CUDA_CELL_MAX_WIDTH
      || frame->planes[luma->plane].height > HISTO_CUDA_CELL_MAX_HEIGHT)
    return false;
  if (cb->step_bytes == 2 ? cr->step_bytes != 2 || cr->plane != cb->plane || cb->offset_bytes / 2 != cr->offset_bytes / 2
                                || cb->offset_bytes == cr->offset_bytes
                          : cb->step_bytes != 1 || cr->step_bytes != 1)
    return false;
  return ((find_low_bits (frames, count, 0) & luma_mask)
          | ((find_low_bits (frames, count, 1) | find_low_bits (frames, count, 2)) & chroma_mask))
         == 0;
}

/* The number of bands of a frame. No bin of a band overflows 32 bits: a band has at most HISTO_CUDA_PICTURE_ROWS rows. */
static uint32_t
count_bands (const struct histo_cuda_shape *shape, const struct histo_frame *frame, unsigned frames)
{
  const uint32_t most = shape->multiprocessors * shape->tuning->picture_blocks / frames;
  uint32_t rows = 0, bands, least;

  for (unsigned c = 0; c < frame->component_count; c++)
    if (rows < frame->planes[frame->components[c].plane].height)
      rows = frame->planes[frame->components[c].plane].height;
  bands = histo_cuda_divide (rows, shape->tuning->picture_rows);
  least = histo_cuda_divide (rows, HISTO_CUDA_PICTURE_ROWS);
  if (bands > most)
    bands = most;
  if (bands < least)
    bands = least;
  return bands <= HISTO_CUDA_MAX_BLOCKS ? bands : HISTO_CUDA_MAX_BLOCKS;
}

/* The index of the pass that reads a component; 0 for a component without samples. */
static uint32_t
find_pass (const struct histo_cuda_plan *plan, unsigned component)
{
  for (uint32_t p = 0; p < plan->count.pass_count; p++)
    for (unsigned c = 0; c < plan->passes[p].component_count; c++)
      if (plan->passes[p].components[c].index == component)
        return p;
  return 0;
}

static uint64_t
first_sample (const struct histo_frame *frame, unsigned c)
{
  const struct histo_component *component = &frame->components[c];

  return (uint64_t)(uintptr_t)frame->planes[component->plane].data + component->offset_bytes;
}

void
histo_cuda_describe_component (const struct histo_cuda_plan *plan, const struct histo_frame *frame, unsigned c,
                               struct histo_cuda_picture_component *out)
{
  const struct histo_component *component = &frame->components[c];
  const struct histo_plane *plane = &frame->planes[component->plane];
  const uint32_t pass = find_pass (plan, c);
  const bool has_operand = frame->statistics & HISTO_STATISTIC_DIFFERENCE;

  *out = (struct histo_cuda_picture_component){
    .data = first_sample (frame, c),
    .operand = has_operand ? first_sample (frame->operand, c) : 0,
    .stride_bytes = plane->stride_bytes,
    .operand_stride_bytes = has_operand ? frame->operand->planes[component->plane].stride_bytes : 0,
    .step_bytes = component->step_bytes,
    .offset_bytes = (int64_t)component->offset_bytes - (int64_t)plan->passes[pass].begin,
    .pass = pass,
    .width = (uint32_t)component->width,
    .height = component->width > 0 ? plane->height : 0,
    .mask = (1u << component->depth) - 1,
    .first_word = plan->words.first_word[c],
    .sample_bytes = (uint8_t)component->sample_bytes,
    .shift = (uint8_t)component->shift,
    .big_endian = component->big_endian,
    .depth = (uint8_t)component->depth,
  };
}

/* Packs the coefficients of a pair of chroma samples. */
static int32_t
pair_coefficients (int16_t cb, int16_t cr)
{
  return (int32_t)((uint32_t)(uint16_t)cr << 16 | (uint16_t)cb);
}

static void
describe_gamut (const struct histo_frame *frame, struct histo_cuda_picture *out)
{
  const struct histo_gamut *gamut = &frame->gamut;

  out->gamut_min = gamut->min;
  out->gamut_max = gamut->max;
  out->gamut_red = pair_coefficients (0, gamut->r_cr);
  out->gamut_green = pair_coefficients (gamut->g_cb, gamut->g_cr);
  out->gamut_blue = pair_coefficients (gamut->b_cb, 0);
  out->gamut_is_rgb = gamut->is_rgb;
  out->gamut_component = histo_find_first_component (frame, gamut->is_rgb);
}

/* Divides the tiles of a picture among blocks. There are at most 2^20 tiles, and fewer than 2^12 blocks. */
static void
share_tiles (const struct histo_cuda_shape *shape, unsigned frames, struct histo_cuda_plan *plan)
{
  const struct histo_cuda_picture_component *luma = &plan->picture.components[0];
  const uint32_t bands = histo_cuda_divide (luma->height, HISTO_CUDA_CELL_ROWS),
                 row_tiles = histo_cuda_divide (luma->width, HISTO_CUDA_TILE_BYTES);
  const uint32_t least = histo_cuda_divide (bands, HISTO_CUDA_SHARE_BANDS);
  const uint32_t threads = frames > 1 ? HISTO_CUDA_CELL_THREADS_OF_MANY : HISTO_CUDA_CELL_THREADS;
  uint32_t blocks = histo_cuda_divide (bands * row_tiles, threads / 32);
  uint32_t most = shape->multiprocessors;

  if (frames > 1)
    most = shape->multiprocessors * shape->tuning->picture_blocks / frames;
  if (blocks > most)
    blocks = most;
  plan->picture_blocks = blocks > least ? blocks : least;
  plan->picture_threads = threads;
  plan->picture.tiles = bands * row_tiles;
  plan->picture.row_tiles = row_tiles;
}

static void
publish_words (const struct histo_frame *frame, uint32_t first, struct histo_cuda_words *words)
{
  histo_cuda_publish_range (words, first, HISTO_CUDA_PICTURE_WORDS);
  first += HISTO_CUDA_PICTURE_WORDS;
  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++) {
    const struct histo_statistic_row *row = &histo_statistics[s];
    const uint32_t count = histo_cuda_count_histogram_words (row, frame->statistics, frame->components[0].depth);

    if (count > 0 && frame->statistics & row->bit)
      histo_cuda_publish_range (words, first, count);
    first += count;
  }
}

/* Chooses the largest number of columns that fits. If any histogram is requested, all that have words have a table, except one
 * that is too large for a table. */
static void
lay_out_tables (const struct histo_frame *frame, struct histo_cuda_plan *plan)
{
  struct histo_cuda_picture *picture = &plan->picture;
  uint32_t bins = 0;
  bool has_histogram = false;

  for (unsigned s = 0; s < HISTO_STATISTIC_ROWS; s++) {
    const struct histo_statistic_row *row = &histo_statistics[s];
    const uint32_t count = histo_cuda_count_histogram_words (row, frame->statistics, frame->components[0].depth);

    has_histogram = has_histogram || (count > 0 && frame->statistics & row->bit);
    bins += count <= HISTO_CUDA_PICTURE_SATURATIONS ? count : 0;
  }
  if (!has_histogram)
    bins = 0;
  bins += picture->counts ? 3 * HISTO_CUDA_BINS : 0;
  picture->columns_log2 = HISTO_CUDA_PICTURE_COLUMNS_LOG2;
  while (picture->columns_log2 > 0
         && HISTO_CUDA_TABLE_BYTES (bins, 1u << picture->columns_log2) > HISTO_CUDA_PICTURE_SHARED_BYTES)
    picture->columns_log2--;
  plan->picture_shared_bytes = HISTO_CUDA_TABLE_BYTES (bins, 1u << picture->columns_log2) + 16; /* vectors clear it */
}

void
histo_cuda_plan_picture (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                         struct histo_cuda_plan *plan)
{
  const struct histo_frame *frame = &frames[0];
  const struct histo_range range = histo_find_range (frame->components[0].depth);

  plan->picture = (struct histo_cuda_picture){
    .first_word = plan->words.first_word[frame->component_count],
    .frame_count = count,
    .pass_count = plan->count.pass_count,
    .statistics = frame->statistics & COUNTED,
    .component_count = frame->component_count,
    .saturation_count = histo_cuda_count_saturations (frame),
    .luma_min = range.luma_min,
    .luma_max = range.luma_max,
    .chroma_min = range.chroma_min,
    .chroma_max = range.chroma_max,
    .shift_x = frame->chroma.shift_x,
    .shift_y = frame->chroma.shift_y,
    .phase_x = frame->chroma.phase_x,
    .phase_y = frame->chroma.phase_y,
  };
  if (frame->statistics & HISTO_STATISTIC_GAMUT)
    describe_gamut (frame, &plan->picture);
  plan->has_cells = have_cells (frames, count);
  plan->picture_blocks = count_bands (shape, frame, count);
  plan->picture_threads = HISTO_CUDA_PICTURE_THREADS;
  for (unsigned c = 0; c < frame->component_count; c++) {
    histo_cuda_describe_component (plan, frame, c, &plan->picture.components[c]);
    plan->picture.components[c].band_rows
        = histo_cuda_divide (frame->planes[frame->components[c].plane].height, plan->picture_blocks);
  }
  if (plan->has_cells)
    share_tiles (shape, count, plan);
  plan->picture.counts = plan->has_cells && !(frame->statistics & (HISTO_STATISTIC_DOT | HISTO_STATISTIC_PROJECTION));
  lay_out_tables (frame, plan);
  publish_words (frame, plan->picture.first_word, &plan->words);
}
