/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/plan/plan_pass.h"

bool
histo_cuda_is_deep (const struct histo_frame *frame)
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].sample_bytes > 1 && frame->components[c].width > 0)
      return true;
  return false;
}

bool
histo_cuda_has_many_bins (const struct histo_frame *frame)
{
  for (unsigned c = 0; c < frame->component_count; c++)
    if (frame->components[c].width > 0 && frame->components[c].bins > HISTO_CUDA_DEEP_BINS)
      return true;
  return false;
}

/* Whether the kernel can load the pattern of 2-byte samples in vectors. */
static bool
has_deep_pattern (const struct histo_pass *pass)
{
  const struct histo_pass_component *first = &pass->components[0];
  uint64_t addresses = histo_cuda_device_address (pass->data) + pass->begin;

  if (pass->operand)
    addresses |= histo_cuda_device_address (pass->operand) + pass->begin;
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
split_passes (unsigned shared_bytes, struct histo_pass passes[HISTO_CUDA_PASSES], unsigned count)
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

unsigned
histo_cuda_plan_passes (const struct histo_frame *frame, unsigned shared_bytes, struct histo_pass passes[HISTO_CUDA_PASSES])
{
  unsigned count = histo_plan_passes (frame, passes);

  if (!histo_cuda_is_deep (frame))
    return count;
  for (unsigned p = 0; p < count; p++)
    if (!has_deep_pattern (&passes[p]))
      drop_pattern (&passes[p]);
  return histo_cuda_has_many_bins (frame) ? count : split_passes (shared_bytes, passes, count);
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

static void
describe_component (const struct histo_pass_component *component, size_t begin, const uint32_t *first_words,
                    struct histo_cuda_component *out)
{
  *out = (struct histo_cuda_component){
    .offset_bytes = (int64_t)component->offset_bytes - (int64_t)begin,
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
}

/* Sets table_at. Returns whether the pattern has samples of no component, which have a table after the components'. */
static bool
assign_tables (const struct histo_pass *pass, struct histo_cuda_pass *out)
{
  bool has_gap = false;

  for (unsigned i = 0; i < 4; i++) {
    unsigned table = pass->component_count;

    for (unsigned c = 0; c < pass->component_count; c++)
      if (pass->component_at[i % pass->period] == (int)pass->components[c].index)
        table = c;
    has_gap = has_gap || table == pass->component_count;
    out->table_at |= table << (8 * i);
  }
  return has_gap;
}

void
histo_cuda_describe_pass (const struct histo_pass *pass, bool deep, bool carries, unsigned shared_bytes,
                          const uint32_t *first_words, struct histo_cuda_pass *out)
{
  uint64_t operand = pass->operand ? histo_cuda_device_address (pass->operand) + pass->begin : 0;
  uint64_t data = histo_cuda_device_address (pass->data) + pass->begin;
  size_t stride = pass->height > 1 ? pass->stride_bytes : 0;
  size_t operand_stride = pass->height > 1 ? pass->operand_stride_bytes : 0;
  uint64_t length = pass->end - pass->begin, head = -data % 16;
  bool has_gap;

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

  for (unsigned c = 0; c < pass->component_count; c++)
    describe_component (&pass->components[c], pass->begin, first_words, &out->components[c]);
  for (unsigned c = 0; c < pass->component_count; c++)
    out->has_edges |= pass->components[c].head > 0 || pass->components[c].tail > 0;
  has_gap = assign_tables (pass, out);
  out->tables = pass->component_count + (has_gap && length > 0);
  if (deep)
    describe_deep_pass (pass, shared_bytes, carries, out);
}
