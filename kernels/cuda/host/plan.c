/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan.h"

#include <string.h>

#include "frame.h"

#define MAX_BYTES_PER_BLOCK ((uint64_t)1 << 31) /* its bins have 32 bits */

/* ---- passes --------------------------------------------------------------------------------------------------------- */

static uint64_t
device_address (const void *pointer)
{
  return (uint64_t)(uintptr_t)pointer;
}

static bool
is_deep (const struct histo_frame *frame)
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].sample_bytes > 1 && frame->components[c].width > 0)
      return true;
  return false;
}

/* Whether the kernel can load the pattern of 2-byte samples in vectors. */
static bool
has_deep_pattern (const struct histo_pass *pass)
{
  const struct histo_pass_component *first = &pass->components[0];
  uint64_t addresses = device_address (pass->data) + pass->begin;

  if (pass->operand)
    addresses |= device_address (pass->operand) + pass->begin;
  if (pass->height > 1)
    addresses |= pass->stride_bytes | (pass->operand ? pass->operand_stride_bytes : 0);
  if (pass->sample_bytes != 2 || addresses % 2 != 0)
    return false;
  for (unsigned c = 1; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];

    if (component->depth != first->depth || component->shift != first->shift || component->big_endian != first->big_endian
        || component->bins != first->bins)
      return false;
  }
  return true;
}

/* Makes all samples of a pass count as samples outside a pattern. */
static void
drop_pattern (struct histo_pass *pass)
{
  pass->begin = pass->end = 0;
  pass->period = 1;
  for (unsigned c = 0; c < pass->component_count; c++) {
    pass->components[c].head = pass->components[c].width;
    pass->components[c].tail = 0;
  }
}

static unsigned
count_bits (unsigned number)
{
  unsigned bits = 0;

  while (number >> bits)
    bits++;
  return bits;
}

/* The number of tables of a pass of 2-byte samples: one for each component, and one for samples of none. */
static unsigned
count_tables (const struct histo_pass *pass)
{
  unsigned tables = pass->component_count;

  for (unsigned i = 0; i < pass->period && pass->end > pass->begin; i++)
    if (pass->component_at[i] < 0)
      return tables + 1;
  return tables;
}

static unsigned
find_most_bins (const struct histo_pass *pass)
{
  unsigned bins = 0;

  for (unsigned c = 0; c < pass->component_count; c++)
    if (bins < pass->components[c].bins)
      bins = pass->components[c].bins;
  return bins;
}

/* Splits a plane into one pass for each component if the tables of all do not fit into a block's shared memory. Returns the
 * number of passes, at most the number of components. */
static unsigned
split_passes (unsigned shared_bytes, struct histo_pass passes[HISTO_MAX_PLANES], unsigned count)
{
  for (unsigned p = 0; p < count; p++) {
    struct histo_pass whole = passes[p];

    if (whole.component_count == 1
        || HISTO_CUDA_TABLE_BYTES (find_most_bins (&whole), 1) * count_tables (&whole) <= shared_bytes)
      continue;
    for (unsigned c = 0; c < whole.component_count; c++) {
      struct histo_pass *part = c == 0 ? &passes[p] : &passes[count++];

      *part = whole;
      part->component_count = 1;
      part->components[0] = whole.components[c];
      for (unsigned i = 0; i < HISTO_MAX_PERIOD; i++)
        if (part->component_at[i] != (int)part->components[0].index)
          part->component_at[i] = -1;
    }
  }
  return count;
}

static unsigned
find_bin_shift (const struct histo_pass_component *component)
{
  return component->depth + 1 - count_bits (component->bins);
}

/* Chooses the largest number of columns for which all tables of a pass of 2-byte samples fit into shared memory, and sets the
 * fields that depend on it. */
static void
lay_out_columns (const struct histo_pass_component *first, unsigned shared_bytes, struct histo_cuda_pass *out)
{
  unsigned row_shift;

  for (out->columns_log2 = 5; HISTO_CUDA_TABLE_BYTES (out->bins, 1u << out->columns_log2) * out->tables > shared_bytes;)
    out->columns_log2--;
  out->table_bytes = HISTO_CUDA_TABLE_BYTES (out->bins, 1u << out->columns_log2);
  row_shift = out->columns_log2 + 2;
  out->row_rotation = (32 + row_shift - first->shift - find_bin_shift (first)) % 32;
  out->row_mask = (first->bins - 1) << row_shift;
}

/* The same for tables without columns: chooses the widest bins that fit. Four tables of one-bit bins always fit. */
static void
lay_out_words (unsigned shared_bytes, struct histo_cuda_pass *out)
{
  for (out->bits_log2 = 5; HISTO_CUDA_CARRY_TABLE_BYTES (out->bins, out->bits_log2) * out->tables > shared_bytes;)
    out->bits_log2--;
  out->table_bytes = HISTO_CUDA_CARRY_TABLE_BYTES (out->bins, out->bits_log2);
  out->words_log2 = count_bits (out->table_bytes / 4) - 1;
  out->counter_mask = UINT32_MAX >> (32 - (1u << out->bits_log2));
}

/* Sets the fields for passes of 2-byte samples. `shared_bytes`: for its tables. */
static void
describe_deep_pass (const struct histo_pass *pass, unsigned shared_bytes, bool carries, struct histo_cuda_pass *out)
{
  const struct histo_pass_component *first = &pass->components[0];
  unsigned value_mask = (1u << first->depth) - 1;

  out->bins = find_most_bins (pass);
  out->byte_order = first->big_endian ? 0x2301 : 0x3210;
  out->shift = first->shift;
  out->mask = value_mask | value_mask << 16;
  if (carries)
    lay_out_words (shared_bytes, out);
  else
    lay_out_columns (first, shared_bytes, out);
}

/* Sets all fields except those of assign_blocks. */
static void
describe_pass (const struct histo_pass *pass, bool deep, bool carries, unsigned shared_bytes, const uint32_t *first_words,
               struct histo_cuda_pass *out)
{
  uint64_t operand = pass->operand ? device_address (pass->operand) + pass->begin : 0;
  uint64_t data = device_address (pass->data) + pass->begin;
  size_t stride = pass->height > 1 ? pass->stride_bytes : 0;
  size_t operand_stride = pass->height > 1 ? pass->operand_stride_bytes : 0;
  uint64_t length = pass->end - pass->begin, head = -data % 16;
  bool has_gap = false;

  *out = (struct histo_cuda_pass){
    .data = data,
    .operand = operand,
    .stride_bytes = stride,
    .operand_stride_bytes = operand_stride,
    .length = length,
    .height = pass->height,
    .period = pass->period,
    .component_count = pass->component_count,
    .is_aligned = stride % 16 == 0 && (!operand || (operand_stride % 16 == 0 && operand % 16 == data % 16)),
  };
  if (out->is_aligned)
    out->vectors_per_row = (uint32_t)(length > head ? (length - head) / 16 : 0);
  else
    out->vectors_per_row = (uint32_t)(length / 16);

  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_pass_component *component = &pass->components[c];

    out->components[c] = (struct histo_cuda_component){
      .offset_bytes = (int64_t)component->offset_bytes - (int64_t)pass->begin,
      .step_bytes = component->step_bytes,
      .width = component->width,
      .head = component->head,
      .tail = component->tail,
      .first_word = first_words[component->index],
      .sample_bytes = (uint8_t)component->sample_bytes,
      .shift = (uint8_t)component->shift,
      .big_endian = component->big_endian,
      .bin_shift = (uint8_t)find_bin_shift (component),
      .mask = (1u << component->depth) - 1,
      .bins = component->bins,
    };
    out->has_edges |= component->head > 0 || component->tail > 0;
  }
  for (unsigned i = 0; i < 4; i++) {
    unsigned table = pass->component_count; /* the table for samples of no component */

    for (unsigned c = 0; c < pass->component_count; c++)
      if (pass->component_at[i % pass->period] == (int)pass->components[c].index)
        table = c;
    has_gap = has_gap || table == pass->component_count;
    out->table_at |= table << (8 * i);
  }
  out->tables = pass->component_count + (has_gap && length > 0);
  if (deep)
    describe_deep_pass (pass, shared_bytes, carries, out);
}

/* The cost of a pass in bytes: a sample outside the pattern counts as one byte. */
static uint64_t
weigh_pass (const struct histo_pass *pass)
{
  uint64_t bytes = pass->end - pass->begin;

  for (unsigned c = 0; c < pass->component_count; c++)
    bytes += pass->components[c].head + pass->components[c].tail;
  return bytes * pass->height;
}

static void
assign_blocks (struct histo_cuda_pass *pass, uint32_t first_block, uint32_t block_count)
{
  uint64_t step = (uint64_t)block_count * HISTO_CUDA_THREADS;
  uint64_t vectors = (uint64_t)pass->vectors_per_row * pass->height;

  pass->first_block = first_block;
  pass->block_count = block_count;
  pass->rounds = (uint32_t)(vectors / step);
  pass->last_round = (uint32_t)(vectors % step);
  pass->step_vectors = (uint32_t)step;
  if (pass->height > 1 && pass->vectors_per_row > 0) {
    pass->step_rows = (uint32_t)(step / pass->vectors_per_row);
    pass->step_vectors = (uint32_t)(step % pass->vectors_per_row);
  }
  pass->step_bytes = pass->step_rows * pass->stride_bytes + pass->step_vectors * UINT64_C (16);
  pass->operand_step_bytes = pass->step_rows * pass->operand_stride_bytes + pass->step_vectors * UINT64_C (16);
  pass->wrap_bytes = pass->stride_bytes - pass->vectors_per_row * UINT64_C (16);
  pass->operand_wrap_bytes = pass->operand_stride_bytes - pass->vectors_per_row * UINT64_C (16);
}

/* Chooses the number of blocks of a frame, one of `frames` that share the multiprocessors, and divides them among its passes.
 * Returns the number; 0 if the frame is too large. */
static uint32_t
share_blocks (const struct histo_cuda_shape *shape, const struct histo_pass *passes, unsigned frames,
              struct histo_cuda_count *count)
{
  uint64_t weights[HISTO_CUDA_PLANES], least[HISTO_CUDA_PLANES], total = 0, needed = 0, wanted, most, first = 0;

  for (unsigned p = 0; p < count->pass_count; p++) {
    /* The vectors of a row are numbered with 32 bits. */
    if ((passes[p].end - passes[p].begin) / 16 >= UINT32_MAX)
      return 0;
    weights[p] = weigh_pass (&passes[p]);
    least[p] = weights[p] > 0 ? (weights[p] - 1) / MAX_BYTES_PER_BLOCK + 1 : 1;
    total += weights[p];
    needed += least[p];
  }
  if (needed > HISTO_CUDA_MAX_BLOCKS) /* also, no product below overflows */
    return 0;
  wanted = (total + shape->tuning->block_bytes - 1) / shape->tuning->block_bytes;
  most = shape->multiprocessors > frames ? shape->multiprocessors / frames : 1;
  if (wanted > most)
    wanted = most;
  if (wanted < needed)
    wanted = needed;

  for (unsigned p = 0; p < count->pass_count; p++) {
    /* Shares are rounded, and the last pass gets the remainder. No share may be less than its pass needs. */
    uint64_t share = p + 1 < count->pass_count ? (weights[p] * wanted + total / 2) / total
                     : wanted > first          ? wanted - first
                                               : 1;

    if (share < least[p])
      share = least[p];
    if (first + share > HISTO_CUDA_MAX_BLOCKS)
      return 0;
    count->first_block[p] = (uint32_t)first;
    assign_blocks (&count->passes[p], (uint32_t)first, (uint32_t)share);
    first += share;
  }
  return (uint32_t)first;
}

/* ---- frames --------------------------------------------------------------------------------------------------------- */

/* The index of the plane of a pass. */
static unsigned
find_plane (const struct histo_frame *frame, const struct histo_pass *pass)
{
  return frame->components[pass->components[0].index].plane;
}

/* The bits in which a plane's address differs from that of the same plane in the first frame. */
static uint64_t
differing_bits (const struct histo_frame *frame, const struct histo_frame *first, unsigned plane)
{
  uint64_t bits = device_address (frame->planes[plane].data) ^ device_address (first->planes[plane].data);

  if (first->operand)
    bits |= device_address (frame->operand->planes[plane].data) ^ device_address (first->operand->planes[plane].data);
  return bits;
}

/* In a frame without two-byte samples every component has HISTO_CUDA_BINS bins, even an empty one described with two bytes. */
static uint32_t
count_bins (const struct histo_component *component, bool deep)
{
  return deep ? component->bins : HISTO_CUDA_BINS;
}

struct histo_cuda_shape
histo_cuda_find_shape (const struct histo_cuda_tuning *tuning, unsigned shared_bytes, unsigned multiprocessors)
{
  const unsigned wide_bytes = HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_WIDE);
  const unsigned columns = shared_bytes >= wide_bytes + HISTO_CUDA_STATIC_BYTES ? HISTO_CUDA_WIDE : HISTO_CUDA_NARROW;

  return (struct histo_cuda_shape){
    .multiprocessors = multiprocessors,
    .columns = columns,
    .shared_bytes = HISTO_CUDA_COMPONENTS * HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, columns),
    .tuning = tuning,
  };
}

/* Whether a component has too many bins for tables with columns: see HISTO_CUDA_CARRY_TABLE_BYTES. */
static bool
has_many_bins (const struct histo_frame *frame)
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].width > 0 && frame->components[c].bins > HISTO_CUDA_DEEP_BINS)
      return true;
  return false;
}

size_t
histo_cuda_count_words (const struct histo_frame *frame)
{
  bool deep = is_deep (frame);
  size_t words = 0;

  for (unsigned c = 0; c < frame->component_count; c++)
    words += HISTO_CUDA_WORDS (count_bins (&frame->components[c], deep));
  return words + histo_cuda_count_picture_words (frame);
}

void
histo_cuda_publish_range (struct histo_cuda_words *words, uint32_t first, uint32_t count)
{
  words->ranges[words->range_count++] = (struct histo_cuda_range){ first, count };
}

/* Marks the words of a component with samples as published. */
static void
publish_component (struct histo_cuda_words *words, unsigned c)
{
  const uint32_t totals = words->first_word[c] + words->bins[c];

  words->publishes[c] = true;
  histo_cuda_publish_range (words, words->first_word[c], words->bins[c]);
  if (words->with_dot)
    histo_cuda_publish_range (words, totals + HISTO_CUDA_DOT, 2);
  if (words->with_sums)
    histo_cuda_publish_range (words, totals + HISTO_CUDA_SUM, HISTO_CUDA_TOTALS - HISTO_CUDA_SUM);
}

static bool
gamuts_are_alike (const struct histo_gamut *a, const struct histo_gamut *b)
{
  return a->r_cr == b->r_cr && a->g_cb == b->g_cb && a->g_cr == b->g_cr && a->b_cb == b->b_cb && a->min == b->min
         && a->max == b->max && a->is_rgb == b->is_rgb;
}

bool
histo_cuda_frames_are_alike (const struct histo_frame *frames, unsigned count)
{
  const struct histo_frame *first = &frames[0];
  bool deep = is_deep (first);

  for (unsigned i = 0; i < count; i++) {
    const struct histo_frame *frame = &frames[i];

    if (!histo_frames_match (frame, first) || !frame->operand != !first->operand || frame->statistics != first->statistics
        || memcmp (&frame->chroma, &first->chroma, sizeof frame->chroma) != 0
        || (frame->statistics & HISTO_STATISTIC_WAVEFORM && frame->waveform_columns != first->waveform_columns)
        || (frame->statistics & HISTO_STATISTIC_GAMUT && !gamuts_are_alike (&frame->gamut, &first->gamut)))
      return false;
    for (unsigned p = 0; p < first->plane_count; p++)
      if (frame->planes[p].stride_bytes != first->planes[p].stride_bytes
          || (first->operand && frame->operand->planes[p].stride_bytes != first->operand->planes[p].stride_bytes)
          || (deep && differing_bits (frame, first, p) % 2 != 0))
        return false;
  }
  return true;
}

/* Whether a launch of unlike frames can take this frame: its statistics have kernels for that, which publish all numbers. */
static bool
may_be_unlike (const struct histo_frame *frame)
{
  return !has_many_bins (frame)
         && !(frame->statistics & (HISTO_STATISTIC_PROJECTION | HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE))
         && histo_cuda_count_saturations (frame) <= HISTO_CUDA_PICTURE_SATURATIONS;
}

unsigned
histo_cuda_count_unlike (const struct histo_frame *frames, unsigned count)
{
  unsigned taken = 1;

  if (!may_be_unlike (&frames[0]))
    return taken;
  while (taken < count && taken < HISTO_CUDA_UNLIKE && may_be_unlike (&frames[taken])
         && frames[taken].memory == frames[0].memory && frames[taken].statistics == frames[0].statistics
         && is_deep (&frames[taken]) == is_deep (&frames[0]))
    taken++;
  return taken;
}

/* At most 2^51: see histo_component.width. */
static uint64_t
count_sample_bytes (const struct histo_frame *frame)
{
  uint64_t bytes = 0;

  for (unsigned c = 0; c < frame->component_count; c++)
    bytes += histo_frame_count_samples (frame, &frame->components[c]) * frame->components[c].sample_bytes;
  return bytes;
}

void
histo_cuda_share_out (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                      struct histo_cuda_shape *shares)
{
  const unsigned spare = shape->multiprocessors > count ? shape->multiprocessors - count : 0;
  uint64_t bytes = 0;

  for (unsigned i = 0; i < count; i++)
    bytes += count_sample_bytes (&frames[i]);
  for (unsigned i = 0; i < count; i++) {
    shares[i] = *shape;
    shares[i].multiprocessors = 1;
    if (spare > 0)
      shares[i].multiprocessors += (unsigned)(count_sample_bytes (&frames[i]) / (bytes / spare + 1));
  }
}

/* Turns aligned vectors off if the frames are not aligned alike. */
static void
align (const struct histo_frame *frames, unsigned count, struct histo_cuda_plan *plan)
{
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    struct histo_cuda_pass *pass = &plan->count.passes[p];
    unsigned plane = find_plane (&frames[0], &plan->passes[p]);
    uint64_t bits = 0;

    for (unsigned i = 1; i < count; i++)
      bits |= differing_bits (&frames[i], &frames[0], plane);
    if (bits % 16 == 0)
      continue;
    pass->is_aligned = false;
    pass->vectors_per_row = (uint32_t)(pass->length / 16);
    assign_blocks (pass, pass->first_block, pass->block_count);
  }
}

static uint64_t
find_distance (const struct histo_frame *frame, const struct histo_frame *next, unsigned plane)
{
  return device_address (next->planes[plane].data) - device_address (frame->planes[plane].data);
}

/* Finds the distance from each frame to the next if it is constant for all of them, their planes and operands. */
static void
find_pitch (const struct histo_frame *frames, unsigned count, struct histo_cuda_plan *plan)
{
  uint64_t pitch = count > 1 ? find_distance (&frames[0], &frames[1], find_plane (&frames[0], &plan->passes[0])) : 0;

  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    unsigned plane = find_plane (&frames[0], &plan->passes[p]);

    for (unsigned i = 1; i < count; i++)
      if (find_distance (&frames[i - 1], &frames[i], plane) != pitch
          || (frames[0].operand && find_distance (frames[i - 1].operand, frames[i].operand, plane) != pitch))
        return;
  }
  plan->count.pitch_bytes = pitch;
  plan->has_pitch = true;
}

/* Chooses a faster kernel for frames that it can count. */
static void
specialise (const struct histo_cuda_shape *shape, struct histo_cuda_plan *plan)
{
  const struct histo_cuda_pass *pass = &plan->count.passes[0];
  const uint32_t frames = plan->count.frame_count;
  bool is_one_plane
      = plan->count.pass_count == 1 && pass->tables == 1 && pass->components[0].first_word == 0 && !pass->has_edges;
  bool is_packed = pass->height == 1;
  bool has_whole_vectors = pass->is_aligned && pass->data % 16 == 0 && pass->length > 0 && pass->length % 16 == 0;

  if (!is_one_plane || (plan->kernel != HISTO_CUDA_KERNEL_COUNT && plan->kernel != HISTO_CUDA_KERNEL_DOT))
    return;
  if (frames >= shape->tuning->small_frames && plan->kernel == HISTO_CUDA_KERNEL_COUNT && is_packed
      && pass->length <= HISTO_CUDA_SMALL_BYTES) {
    plan->kernel = HISTO_CUDA_KERNEL_SMALL;
    plan->shared_bytes = 0;
  } else if (has_whole_vectors && shape->columns == HISTO_CUDA_WIDE) {
    if (plan->has_pitch && plan->kernel == HISTO_CUDA_KERNEL_DOT)
      plan->kernel = HISTO_CUDA_KERNEL_PLANE_DOT;
    else if (plan->has_pitch)
      plan->kernel = is_packed ? HISTO_CUDA_KERNEL_PACKED : HISTO_CUDA_KERNEL_PLANE;
    else if (frames <= HISTO_CUDA_LISTED && plan->kernel == HISTO_CUDA_KERNEL_COUNT)
      plan->kernel = is_packed ? HISTO_CUDA_KERNEL_PACKED_LISTED : HISTO_CUDA_KERNEL_PLANE_LISTED;
  }
}

enum histo_status
histo_cuda_plan (const struct histo_cuda_shape *shape, const struct histo_frame *frames, unsigned count,
                 struct histo_cuda_plan *plan)
{
  const struct histo_frame *first = &frames[0];
  struct histo_cuda_words *words = &plan->words;
  bool deep = is_deep (first), carries = has_many_bins (first);

  memset (plan, 0, sizeof *plan);
  words->with_dot = first->statistics & HISTO_STATISTIC_DOT;
  words->with_sums = deep;
  words->component_count = first->component_count;
  for (unsigned c = 0; c < first->component_count; c++) {
    words->bins[c] = count_bins (&first->components[c], deep);
    words->first_word[c + 1] = words->first_word[c] + HISTO_CUDA_WORDS (words->bins[c]);
  }
  words->count = words->first_word[first->component_count] + histo_cuda_count_picture_words (first);

  plan->count.pass_count = histo_plan_passes (first, plan->passes);
  if (plan->count.pass_count == 0)
    return HISTO_OK;
  for (unsigned p = 0; deep && p < plan->count.pass_count; p++)
    if (!has_deep_pattern (&plan->passes[p]))
      drop_pattern (&plan->passes[p]);
  if (deep && !carries)
    plan->count.pass_count = split_passes (shape->shared_bytes, plan->passes, plan->count.pass_count);
  for (unsigned p = 0; p < plan->count.pass_count; p++) {
    struct histo_pass *pass = &plan->passes[p];
    struct histo_cuda_pass *out = &plan->count.passes[p];
    uint32_t table_bytes = HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, shape->columns);

    describe_pass (pass, deep, carries, shape->shared_bytes, words->first_word, out);
    if (deep)
      table_bytes = out->table_bytes;
    if (plan->shared_bytes < out->tables * table_bytes)
      plan->shared_bytes = out->tables * table_bytes;
    for (unsigned c = 0; c < pass->component_count; c++)
      publish_component (words, pass->components[c].index);
  }
  plan->kernel = carries           ? (words->with_dot ? HISTO_CUDA_KERNEL_CARRY_DOT : HISTO_CUDA_KERNEL_CARRY)
                 : deep            ? (words->with_dot ? HISTO_CUDA_KERNEL_DEEP_DOT : HISTO_CUDA_KERNEL_DEEP)
                 : words->with_dot ? HISTO_CUDA_KERNEL_DOT
                                   : HISTO_CUDA_KERNEL_COUNT;
  plan->count.frame_count = count;
  plan->blocks = share_blocks (shape, plan->passes, count, &plan->count);
  if (plan->blocks == 0) {
    memset (words->publishes, 0, sizeof words->publishes);
    words->range_count = 0;
    return HISTO_ERROR_UNSUPPORTED;
  }
  align (frames, count, plan);
  find_pitch (frames, count, plan);
  specialise (shape, plan);
  if (histo_cuda_wants_picture (first))
    histo_cuda_plan_picture (shape, frames, count, plan);
  if (histo_cuda_wants_scope (first))
    histo_cuda_plan_scope (shape, frames, count, plan);
  return HISTO_OK;
}

void
histo_cuda_list_addresses (const struct histo_cuda_plan *plan, const struct histo_frame *frames, uint64_t *addresses)
{
  for (unsigned p = 0; p < plan->count.pass_count; p++)
    for (unsigned i = 0; i < plan->count.frame_count; i++)
      *addresses++ = device_address (frames[i].planes[find_plane (&frames[i], &plan->passes[p])].data) + plan->passes[p].begin;
  for (unsigned p = 0; p < plan->count.pass_count && frames[0].operand; p++)
    for (unsigned i = 0; i < plan->count.frame_count; i++)
      *addresses++
          = device_address (frames[i].operand->planes[find_plane (&frames[i], &plan->passes[p])].data) + plan->passes[p].begin;
}
