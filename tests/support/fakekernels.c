/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fakekernels.h"

#include <stdlib.h>
#include <string.h>

#include "watch.h"

const struct fakekernel fakekernels[FAKEKERNELS] = {
  { "histo_count", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false },
  { "histo_count_dot", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, true, false },
  { "histo_count_packed", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, true },
  { "histo_count_packed_listed", FAKEKERNEL_LISTED, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, true },
  { "histo_count_plane", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false },
  { "histo_count_plane_dot", FAKEKERNEL_PLANE, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, true, false },
  { "histo_count_plane_listed", FAKEKERNEL_LISTED, HISTO_CUDA_THREADS, HISTO_CUDA_WIDE, false, false },
  { "histo_count_narrow", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_NARROW, false, false },
  { "histo_count_dot_narrow", FAKEKERNEL_COUNT, HISTO_CUDA_THREADS, HISTO_CUDA_NARROW, true, false },
  { "histo_count_deep", FAKEKERNEL_DEEP, HISTO_CUDA_THREADS, 0, false, false },
  { "histo_count_deep_dot", FAKEKERNEL_DEEP, HISTO_CUDA_THREADS, 0, true, false },
  { "histo_count_carry", FAKEKERNEL_CARRY, HISTO_CUDA_THREADS, 0, false, false },
  { "histo_count_carry_dot", FAKEKERNEL_CARRY, HISTO_CUDA_THREADS, 0, true, false },
  { "histo_count_small", FAKEKERNEL_SMALL, HISTO_CUDA_SMALL_THREADS *HISTO_CUDA_SMALL_FRAMES, 0, false, false },
  { "histo_project", FAKEKERNEL_PROJECT, HISTO_CUDA_PROJECT_THREADS, HISTO_CUDA_PROJECT_COLUMNS, false, false },
  { "histo_project_any", FAKEKERNEL_PROJECT_ANY, HISTO_CUDA_PROJECT_ANY_THREADS, 0, false, false },
};

static bool
takes_deep (const struct fakekernel *kernel)
{
  return kernel->kind == FAKEKERNEL_DEEP || kernel->kind == FAKEKERNEL_CARRY;
}

static bool
takes_one_plane (const struct fakekernel *kernel)
{
  return kernel->kind == FAKEKERNEL_PLANE || kernel->kind == FAKEKERNEL_LISTED || kernel->kind == FAKEKERNEL_SMALL;
}

void
fakekernel_set_parameter (struct fakekernel_launch *launch, const void *parameter)
{
  /* What the kernel does not get is garbage. */
  memset (&launch->parameter, 0xa5, sizeof launch->parameter);
  memset (launch->listed, 0xa5, sizeof launch->listed);
  if (takes_one_plane (launch->kernel)) {
    struct histo_cuda_pass *pass = &launch->parameter.count.passes[0];
    const struct histo_cuda_listed_count *listed = parameter;

    memcpy (&launch->parameter.count, parameter, HISTO_CUDA_PLANE_BYTES);
    if (launch->kernel->kind == FAKEKERNEL_LISTED)
      memcpy (launch->listed, listed->data, sizeof launch->listed);
    pass->components[0] = (struct histo_cuda_component){
      .step_bytes = 1,
      .width = pass->length,
      .sample_bytes = 1,
      .mask = 0xff,
      .bins = HISTO_CUDA_BINS,
    };
  } else if (launch->kernel->kind >= FAKEKERNEL_PROJECT) {
    memcpy (&launch->parameter.project, parameter, sizeof launch->parameter.project);
  } else {
    memcpy (&launch->parameter.count, parameter, sizeof launch->parameter.count);
  }
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static void *
find_any (const struct fakekernel_driver *driver, uint64_t address, uint64_t size)
{
  void *memory = driver->find (address, size, true);

  return memory != NULL ? memory : driver->find (address, size, false);
}

/* Rows of bytes [first, last) from `data` on: the host's address of row 0, byte 0. */
static const uint8_t *
find_rows (const struct fakekernel_driver *driver, uint64_t data, uint64_t stride, uint32_t height, int64_t first, int64_t last)
{
  uint64_t size = (height - 1) * stride + (uint64_t)(last - first);
  const uint8_t *bytes = find_any (driver, data + (uint64_t)first, size);

  if (bytes == NULL) {
    driver->blame ("the kernel would read %llu bytes at %#llx, outside of device memory", (unsigned long long)size,
                   (unsigned long long)(data + (uint64_t)first));
    return NULL;
  }
  return bytes - first;
}

/* `count` addresses of many frames; NULL with blame. */
static const uint64_t *
find_addresses (const struct fakekernel_driver *driver, uint64_t addresses, uint64_t count)
{
  const uint64_t *found = find_any (driver, addresses, count * sizeof *found);

  if (found == NULL)
    driver->blame ("the addresses of the frames are not where they should be");
  return found;
}

/* ---- samples -------------------------------------------------------------------------------------------------------- */

/* The totals of a component. */
struct numbers {
  uint64_t *histogram;
  uint64_t dot, sum, squares;

  /* Of a kernel that carries; else NULL. The histogram has what did not fit into the counters of the table. */
  const struct histo_cuda_pass *pass;
  uint32_t bins;
  uint32_t *table;
};

/* All zeros, for as many components as a pass may have; of `pass`, which carries, or NULL.
 * free() the first of them. NULL: no memory. */
static struct numbers *
make_numbers (const struct histo_cuda_pass *pass, uint32_t bins)
{
  const size_t words = pass != NULL ? (size_t)1 << pass->words_log2 : 0;
  const size_t size = bins * sizeof (uint64_t) + words * sizeof (uint32_t);
  struct numbers *numbers = calloc (1, HISTO_CUDA_COMPONENTS * (sizeof *numbers + size));
  uint8_t *next = (uint8_t *)(numbers + HISTO_CUDA_COMPONENTS);

  for (unsigned c = 0; numbers != NULL && c < HISTO_CUDA_COMPONENTS; c++, next += size) {
    numbers[c].pass = pass;
    numbers[c].histogram = (uint64_t *)(void *)next;
    numbers[c].table = (uint32_t *)(void *)(numbers[c].histogram + bins);
    numbers[c].bins = pass != NULL && c < pass->component_count ? pass->components[c].bins : bins;
  }
  return numbers;
}

/* Adds one to a counter in the table, and what overflows to the histogram: see HISTO_CUDA_CARRY_TABLE_BYTES. */
static TEST_UNWATCHED void
count_with_carry (struct numbers *numbers, uint32_t bin)
{
  const struct histo_cuda_pass *pass = numbers->pass;
  const uint32_t words = 1u << pass->words_log2, place = bin / words << pass->bits_log2;
  uint32_t *word = &numbers->table[bin % words], before = *word >> place;

  *word += 1u << place;
  while (bin < numbers->bins && (before & pass->counter_mask) == pass->counter_mask) {
    numbers->histogram[bin] += pass->counter_mask + UINT64_C (1);
    bin += words;
    if (bin >= numbers->bins)
      break;
    numbers->histogram[bin]--;
    before >>= 1u << pass->bits_log2;
  }
}

static TEST_UNWATCHED void
fold_table (struct numbers *numbers)
{
  const struct histo_cuda_pass *pass = numbers->pass;
  const uint32_t words = 1u << pass->words_log2;

  for (uint32_t bin = 0; bin < numbers->bins; bin++)
    numbers->histogram[bin] += numbers->table[bin % words] >> (bin / words << pass->bits_log2) & pass->counter_mask;
}

static TEST_UNWATCHED void
count_value (struct numbers *numbers, uint32_t bin, uint64_t x, uint64_t y)
{
  if (numbers->pass != NULL)
    count_with_carry (numbers, bin);
  else
    numbers->histogram[bin]++;
  numbers->sum += x;
  numbers->squares += x * x;
  numbers->dot += x * y;
}

static TEST_UNWATCHED uint32_t
load_sample (const struct histo_cuda_component *component, const uint8_t *at)
{
  uint32_t value = at[0];

  if (component->sample_bytes == 2)
    value = component->big_endian ? value << 8 | at[1] : value | (uint32_t)at[1] << 8;
  return value >> component->shift & component->mask;
}

/* A sample of a pattern of 2-byte samples, as the kernel takes it from a word, whatever the other sample of the word is. */
static TEST_UNWATCHED bool
load_deep (const struct histo_cuda_pass *pass, bool carries, const uint8_t *at, uint32_t *value, uint32_t *bin)
{
  uint32_t raw = pass->byte_order == 0x2301 ? (uint32_t)at[0] << 8 | at[1] : at[0] | (uint32_t)at[1] << 8;
  uint32_t offsets[2], values[2];

  for (unsigned i = 0; i < 2; i++) {
    uint32_t word = raw | (i > 0 ? 0xffff0000u : 0);
    unsigned rotation = carries ? 0 : pass->row_rotation % 32;

    values[i] = word >> pass->shift & pass->mask & 0xffff;
    if (carries)
      offsets[i] = values[i] >> pass->components[0].bin_shift;
    else
      offsets[i] = (rotation > 0 ? word << rotation | word >> (32 - rotation) : word) & pass->row_mask;
  }
  *value = values[0];
  *bin = carries ? offsets[0] : offsets[0] >> (pass->columns_log2 + 2);
  return offsets[0] == offsets[1] && values[0] == values[1];
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

/* Whether the threads' steps reach each vector of the pass once and none outside. */
static bool
steps_fit (const struct histo_cuda_pass *pass, uint64_t data, uint64_t operand)
{
  uint64_t step = (uint64_t)pass->block_count * HISTO_CUDA_THREADS, vectors = (uint64_t)pass->vectors_per_row * pass->height;
  uint64_t head = -data % 16;

  if (pass->block_count == 0 || pass->rounds * step + pass->last_round != vectors || pass->last_round >= step)
    return false;
  if (vectors == 0)
    return pass->length < 32;
  if (pass->is_aligned) {
    if (pass->stride_bytes % 16 != 0 || head + pass->vectors_per_row * UINT64_C (16) > pass->length
        || pass->length - head - pass->vectors_per_row * UINT64_C (16) >= 16)
      return false;
    if (operand != 0 && (pass->operand_stride_bytes % 16 != 0 || operand % 16 != data % 16))
      return false;
    if (pass->step_bytes != pass->step_rows * pass->stride_bytes + pass->step_vectors * UINT64_C (16)
        || (pass->height > 1 && pass->wrap_bytes != pass->stride_bytes - pass->vectors_per_row * UINT64_C (16)))
      return false;
  } else if (pass->vectors_per_row != pass->length / 16) {
    return false;
  }
  return (uint64_t)pass->step_rows * pass->vectors_per_row + pass->step_vectors == step;
}

static bool
components_fit (const struct histo_cuda_pass *pass, const struct fakekernel *kernel)
{
  const bool deep = takes_deep (kernel);
  const uint32_t most_bins = kernel->kind == FAKEKERNEL_CARRY ? HISTO_CUDA_MAX_BINS : HISTO_CUDA_DEEP_BINS;

  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_cuda_component *component = &pass->components[c];

    if (component->bins > most_bins || component->mask >> component->bin_shift >= component->bins
        || component->head > component->width || component->tail > component->width - component->head
        || ((component->head > 0 || component->tail > 0) && !pass->has_edges) || component->sample_bytes > (deep ? 2 : 1)
        || (!deep && component->bins != HISTO_CUDA_BINS) || (deep && component->bins > pass->bins))
      return false;
  }
  return true;
}

/* Whether what the kernel makes of a pass is what its fields say. */
static bool
pass_fits (const struct fakekernel_launch *launch, const struct histo_cuda_pass *pass, uint64_t data, uint64_t operand)
{
  const struct fakekernel *kernel = launch->kernel;
  unsigned sample_bytes = takes_deep (kernel) ? 2 : 1;
  uint64_t table_bytes = HISTO_CUDA_TABLE_BYTES ((uint64_t)HISTO_CUDA_BINS, kernel->columns);

  if (pass->height == 0 || pass->component_count < 1 || pass->component_count > HISTO_CUDA_COMPONENTS
      || pass->tables < pass->component_count || pass->tables > HISTO_CUDA_COMPONENTS || !components_fit (pass, kernel))
    return false;
  if ((kernel->kind == FAKEKERNEL_PLANE || kernel->kind == FAKEKERNEL_LISTED)
      && (pass->component_count != 1 || pass->tables != 1 || pass->period != 1 || pass->has_edges || !pass->is_aligned
          || data % 16 != 0 || pass->length == 0 || pass->length % 16 != 0))
    return false;
  if (kernel->packed && pass->height != 1)
    return false;
  if (kernel->kind == FAKEKERNEL_SMALL)
    return pass->component_count == 1 && pass->tables == 1 && pass->period == 1 && pass->height == 1 && !pass->has_edges
           && operand == 0 && pass->length <= HISTO_CUDA_SMALL_BYTES;
  if (kernel->kind == FAKEKERNEL_DEEP) {
    table_bytes = HISTO_CUDA_TABLE_BYTES ((uint64_t)pass->bins, 1u << pass->columns_log2);
    if (pass->columns_log2 > 5 || pass->table_bytes != table_bytes || pass->row_mask >= table_bytes
        || (pass->bins == HISTO_CUDA_BINS && 1u << pass->columns_log2 < HISTO_CUDA_THREADS / HISTO_CUDA_BINS))
      return false;
  } else if (kernel->kind == FAKEKERNEL_CARRY) {
    const uint32_t bits = 1u << pass->bits_log2;

    table_bytes = HISTO_CUDA_CARRY_TABLE_BYTES ((uint64_t)pass->bins, pass->bits_log2);
    if (pass->bits_log2 > 5 || pass->table_bytes != table_bytes || table_bytes % 16 != 0
        || UINT64_C (4) << pass->words_log2 != table_bytes || pass->counter_mask != (UINT64_C (1) << bits) - 1)
      return false;
  }
  if (takes_deep (kernel)) {
    if (pass->length > 0
        && (data % 2 != 0 || operand % 2 != 0
            || (pass->height > 1 && (pass->stride_bytes % 2 != 0 || (operand != 0 && pass->operand_stride_bytes % 2 != 0)))))
      return false;
  }
  if (pass->length > 0) {
    if (pass->period < 1 || pass->period > 4 || pass->length % (pass->period * sample_bytes) != 0)
      return false;
    for (unsigned i = 0; i < 4; i++)
      if ((pass->table_at >> (8 * i) & 0xff) >= pass->tables
          || (pass->table_at >> (8 * i) & 0xff) != (pass->table_at >> (8 * (i % pass->period)) & 0xff))
        return false;
  }
  return steps_fit (pass, data, operand) && launch->shared_bytes >= pass->tables * table_bytes;
}

/* The bytes of a row that the kernel reads: [*first, *last). */
static bool
find_row (const struct histo_cuda_pass *pass, int64_t *first, int64_t *last)
{
  *first = pass->length > 0 ? 0 : INT64_MAX;
  *last = pass->length > 0 ? (int64_t)pass->length : INT64_MIN;
  for (unsigned c = 0; c < pass->component_count; c++) {
    const struct histo_cuda_component *component = &pass->components[c];
    const int64_t offset = component->offset_bytes, step = (int64_t)component->step_bytes;
    const int64_t begins[2] = { 0, (int64_t)(component->width - component->tail) };
    const int64_t ends[2] = { (int64_t)component->head, (int64_t)component->width };

    for (unsigned i = 0; i < 2; i++) {
      if (begins[i] >= ends[i])
        continue;
      if (offset + begins[i] * step < *first)
        *first = offset + begins[i] * step;
      if (offset + (ends[i] - 1) * step + component->sample_bytes > *last)
        *last = offset + (ends[i] - 1) * step + component->sample_bytes;
    }
  }
  return *first < *last;
}

static TEST_UNWATCHED void
count_samples (const struct histo_cuda_component *component, const uint8_t *x, const uint8_t *y, uint64_t first, uint64_t last,
               struct numbers *numbers)
{
  for (uint64_t i = first; i < last; i++) {
    int64_t at = component->offset_bytes + (int64_t)(i * component->step_bytes);

    test_watch_read (x + at, component->sample_bytes);
    if (y != NULL)
      test_watch_read (y + at, component->sample_bytes);
    uint32_t value = load_sample (component, x + at);

    count_value (numbers, value >> component->bin_shift, value, y != NULL ? load_sample (component, y + at) : 0);
  }
}

/* Every `step`-th of `length` bytes. */
static TEST_UNWATCHED void
count_bytes (const uint8_t *x, const uint8_t *y, uint64_t length, unsigned step, struct numbers *numbers)
{
  uint64_t sum = 0, squares = 0, dot = 0;

  for (uint64_t at = 0; at < length; at += step) {
    const uint64_t value = x[at];

    numbers->histogram[value]++;
    sum += value;
    squares += value * value;
    dot += y != NULL ? value * y[at] : 0;
  }
  numbers->sum += sum;
  numbers->squares += squares;
  numbers->dot += dot;
}

/* `x` and `y` are the host's addresses of data and operand. False where a sample's neighbour would change it. */
static TEST_UNWATCHED bool
count_pass (const struct histo_cuda_pass *pass, const struct fakekernel *kernel, const uint8_t *x, const uint8_t *y,
            struct numbers *numbers)
{
  const bool deep = takes_deep (kernel), carries = kernel->kind == FAKEKERNEL_CARRY;
  unsigned tables[HISTO_CUDA_COMPONENTS];
  bool is_good = true;

  for (unsigned place = 0; place < HISTO_CUDA_COMPONENTS; place++)
    tables[place] = pass->table_at >> (8 * place) & 0xff;
  for (uint32_t row = 0; row < pass->height; row++) {
    test_watch_read (x, pass->length);
    if (y != NULL)
      test_watch_read (y, pass->length);
    for (unsigned place = 0; place < pass->period && place < pass->length; place++) {
      /* Else a sample of no component, and who copied the frame may have left it out. */
      if (!deep && tables[place] < pass->component_count)
        count_bytes (x + place, y != NULL ? y + place : NULL, pass->length - place, pass->period, &numbers[tables[place]]);
    }
    for (uint64_t at = 0; deep && at < pass->length; at += 2) {
      const unsigned table = tables[at / 2 % pass->period];
      uint32_t value, bin, other = 0, other_bin;

      if (table >= pass->component_count)
        continue;
      is_good &= load_deep (pass, carries, x + at, &value, &bin);
      if (y != NULL)
        is_good &= load_deep (pass, carries, y + at, &other, &other_bin);
      count_value (&numbers[table], bin, value, other);
    }
    for (unsigned c = 0; c < pass->component_count; c++) {
      const struct histo_cuda_component *component = &pass->components[c];

      count_samples (component, x, y, 0, component->head, &numbers[c]);
      count_samples (component, x, y, component->width - component->tail, component->width, &numbers[c]);
    }
    x += pass->stride_bytes;
    y = y != NULL ? y + pass->operand_stride_bytes : NULL;
  }
  return is_good;
}

static void
store (uint64_t *word, uint64_t value, uint64_t tag)
{
  if (tag == 0)
    __atomic_fetch_add (word, value << 16, __ATOMIC_RELEASE);
  else
    __atomic_store_n (word, value << 16 | tag, __ATOMIC_RELEASE);
}

static void
store_total (uint64_t *words, uint64_t total, uint64_t tag)
{
  store (&words[0], total & ((1u << HISTO_CUDA_LOW_BITS) - 1), tag);
  store (&words[1], total >> HISTO_CUDA_LOW_BITS, tag);
}

static void
store_numbers (uint64_t *words, unsigned bins, const struct numbers *numbers, bool with_dot, bool with_sums, uint64_t tag)
{
  for (unsigned bin = 0; bin < bins; bin++)
    store (&words[bin], numbers->histogram[bin], tag);
  if (with_dot)
    store_total (words + bins + HISTO_CUDA_DOT, numbers->dot, tag);
  if (with_sums) {
    store_total (words + bins + HISTO_CUDA_SUM, numbers->sum, tag);
    store_total (words + bins + HISTO_CUDA_SQUARES, numbers->squares, tag);
  }
}

static TEST_UNWATCHED bool
are_zeros (const uint64_t *words, uint64_t count)
{
  uint64_t bits = 0;

  test_watch_read (words, count * sizeof *words);
  for (uint64_t i = 0; i < count; i++)
    bits |= words[i];
  return bits == 0;
}

static TEST_UNWATCHED bool
has_tag (const uint64_t *words, uint64_t count, uint64_t tag)
{
  bool found = false;

  test_watch_read (words, count * sizeof *words);
  for (uint64_t i = 0; i < count; i++)
    found |= (words[i] & UINT16_MAX) == tag;
  return found;
}

/* The words of one frame, zeros in the workspace, and not with that tag in the result;
 * with tag 0 whatever there is. NULL with blame. */
static uint64_t *
find_words (const struct fakekernel_driver *driver, uint64_t workspace_address, uint64_t result_address, uint64_t count,
            uint64_t tag)
{
  uint64_t *workspace = driver->find (workspace_address, count * sizeof *workspace, true);
  uint64_t *result = find_any (driver, result_address, count * sizeof *result);

  if (workspace == NULL || result == NULL || workspace_address % 8 != 0 || result_address % 8 != 0) {
    driver->blame ("the kernel's workspace or result is not where it should be");
    return NULL;
  }
  if (tag == 0)
    return result;
  if (!are_zeros (workspace, count)) {
    driver->blame ("the kernel's workspace is not zero");
    return NULL;
  }
  if (has_tag (result, count, tag)) {
    driver->blame ("the result has the launch's tag from an earlier one");
    return NULL;
  }
  memset (workspace, 0xa5, count * sizeof *workspace); /* what blocks add up, until fakekernel_end */
  return result;
}

/* As it was before find_words. */
static void
clear_words (const struct fakekernel_driver *driver, uint64_t workspace_address, uint64_t count)
{
  uint64_t *workspace = driver->find (workspace_address, count * sizeof *workspace, true);

  if (workspace == NULL)
    driver->blame ("the kernel's workspace went before its end");
  else
    memset (workspace, 0, count * sizeof *workspace);
}

/* One frame, with the lock, which it lets go while it counts. `addresses` is NULL where frames lie at one distance. */
static bool
count_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, const uint64_t *addresses,
             unsigned index)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const bool deep = takes_deep (launch->kernel), carries = launch->kernel->kind == FAKEKERNEL_CARRY;
  const bool with_dot = launch->kernel->with_dot;
  const uint64_t skipped = (uint64_t)index * count->frame_words;
  uint32_t blocks = 0;

  /* Of many frames alone, but not small ones, and of one that carries results are cumulative:
   * the host sees those of others by the tag. */
  if (count->tag > UINT16_MAX
      || (carries ? count->tag != 0 || count->frame_count != 1
                  : count->tag == 0 && (count->frame_count == 1 || launch->kernel->kind == FAKEKERNEL_SMALL))) {
    driver->blame ("the kernel got the tag %u", count->tag);
    return false;
  }
  for (unsigned p = 0; p < count->pass_count; p++) {
    const struct histo_cuda_pass *pass = &count->passes[p];
    const uint64_t at = (uint64_t)p * count->frame_count + index,
                   operand_at = at + (uint64_t)count->pass_count * count->frame_count;
    const uint64_t distance = index * count->pitch_bytes, data = addresses != NULL ? addresses[at] : pass->data + distance,
                   operand = pass->operand == 0  ? 0
                             : addresses != NULL ? addresses[operand_at]
                                                 : pass->operand + distance;
    const uint8_t *x, *y = NULL;
    struct numbers *numbers;
    uint64_t *words[HISTO_CUDA_COMPONENTS];
    int64_t first, last;
    bool is_good;

    if (!pass_fits (launch, pass, data, with_dot ? operand : 0) || !find_row (pass, &first, &last)
        || pass->first_block != blocks || count->first_block[p] != blocks || (pass->operand != 0) != with_dot) {
      driver->blame ("pass %u contradicts itself or the launch", p);
      return false;
    }
    blocks += pass->block_count;
    x = find_rows (driver, data, pass->stride_bytes, pass->height, first, last);
    if (with_dot)
      y = find_rows (driver, operand, pass->operand_stride_bytes, pass->height, first, last);
    if (x == NULL || (with_dot && y == NULL))
      return false;
    for (unsigned c = 0; c < pass->component_count; c++) {
      uint64_t word = (skipped + pass->components[c].first_word) * sizeof (uint64_t);

      words[c] = find_words (driver, count->workspace + word, count->result + word, HISTO_CUDA_WORDS (pass->components[c].bins),
                             count->tag);
      if (words[c] == NULL)
        return false;
      if (carries && !are_zeros (words[c], HISTO_CUDA_WORDS (pass->components[c].bins))) {
        driver->blame ("the result of a kernel that carries is not zero");
        return false;
      }
    }
    numbers = make_numbers (carries ? pass : NULL, deep ? pass->bins : HISTO_CUDA_BINS);
    if (numbers == NULL)
      return false;
    driver->unlock ();
    is_good = count_pass (pass, launch->kernel, x, y, numbers);
    for (unsigned c = 0; carries && c < pass->component_count; c++)
      fold_table (&numbers[c]);
    driver->lock (); /* whoever sees the numbers finds the kernel past them */
    for (unsigned c = 0; c < pass->component_count; c++)
      store_numbers (words[c], pass->components[c].bins, &numbers[c], with_dot, deep, count->tag);
    free (numbers);
    if (!is_good) {
      driver->blame ("a sample of pass %u depends on its neighbour", p);
      return false;
    }
  }
  if (launch->kernel->kind != FAKEKERNEL_SMALL && blocks != launch->blocks_x) {
    driver->blame ("%u blocks were launched, %u have work", launch->blocks_x, blocks);
    return false;
  }
  return true;
}

static bool
grid_fits (const struct fakekernel_launch *launch)
{
  const uint32_t frames = launch->parameter.count.frame_count;

  switch (launch->kernel->kind) {
  case FAKEKERNEL_LISTED:
    return frames >= 1 && frames <= HISTO_CUDA_LISTED && launch->blocks_y == frames;
  case FAKEKERNEL_SMALL:
    return frames >= 1 && launch->blocks_x == (frames - 1) / HISTO_CUDA_SMALL_FRAMES + 1 && launch->blocks_y == 1;
  default:
    return launch->blocks_y == frames;
  }
}

static bool
count_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const enum fakekernel_kind kind = launch->kernel->kind;
  const uint64_t *addresses = NULL;

  if (count->pass_count < 1 || count->pass_count > (takes_one_plane (launch->kernel) ? 1 : HISTO_CUDA_PLANES)) {
    driver->blame ("the kernel got %u passes", count->pass_count);
    return false;
  }
  if (!grid_fits (launch)) {
    driver->blame ("%ux%u blocks were launched for %u frames", launch->blocks_x, launch->blocks_y, count->frame_count);
    return false;
  }
  if (kind == FAKEKERNEL_LISTED) {
    addresses = launch->listed;
  } else if (kind != FAKEKERNEL_PLANE && count->addresses != 0) {
    const unsigned parts = launch->kernel->with_dot ? 2 : 1;

    addresses = find_addresses (driver, count->addresses, (uint64_t)parts * count->pass_count * count->frame_count);
    if (addresses == NULL)
      return false;
  }
  for (uint32_t i = 0; i < count->frame_count; i++)
    if (!count_frame (launch, driver, addresses, i))
      return false;
  return true;
}

/* ---- projecting ----------------------------------------------------------------------------------------------------- */

static bool
project_fits (const struct fakekernel_launch *launch)
{
  const struct histo_cuda_project *project = &launch->parameter.project;
  const bool counts = launch->kernel->kind == FAKEKERNEL_PROJECT;
  const uint64_t lead = counts ? project->data[0] % 16 : 0,
                 strip = counts ? HISTO_CUDA_PROJECT_BYTES : HISTO_CUDA_PROJECT_ANY_THREADS;

  if (project->height == 0 || project->width == 0 || project->slice_rows == 0 || project->slice_rows > HISTO_CUDA_PROJECT_ROWS
      || project->strips != (project->width + lead + strip - 1) / strip
      || launch->blocks_x != (project->height - 1) / project->slice_rows * project->strips + project->strips)
    return false;
  if ((project->weight_size == 0) != (project->row_weights == 0 && project->column_weights == 0))
    return false;
  return !counts
         || (project->stride_bytes % 16 == 0 && project->component.sample_bytes == 1 && project->component.step_bytes == 1
             && project->component.bins == HISTO_CUDA_BINS && launch->blocks_x <= HISTO_CUDA_MAX_BLOCKS
             && launch->shared_bytes >= HISTO_CUDA_TABLE_BYTES (HISTO_CUDA_BINS, HISTO_CUDA_PROJECT_COLUMNS));
}

/* `x`: the first sample. `lead`: of its bytes, in the vector in which a row begins. */
static TEST_UNWATCHED void
project_samples (const struct histo_cuda_project *project, bool counts, const uint8_t *x, uint64_t lead,
                 const int16_t *row_weights, const int16_t *column_weights, int64_t *row_sums, int64_t *column_sums,
                 struct numbers *numbers)
{
  const uint64_t row_bytes = (project->width - 1) * project->component.step_bytes + project->component.sample_bytes;

  if (row_weights != NULL)
    test_watch_read (row_weights, project->width * sizeof *row_weights);
  if (column_weights != NULL)
    test_watch_read (column_weights, project->height * sizeof *column_weights);
  test_watch_write (row_sums, project->height * sizeof *row_sums);
  test_watch_write (column_sums, project->width * sizeof *column_sums);
  for (uint32_t row = 0; row < project->height; row++) {
    int64_t part = 0;

    test_watch_read (x + row * project->stride_bytes, row_bytes);
    for (uint64_t i = 0; i < project->width; i++) {
      const uint8_t *at = x + row * project->stride_bytes + i * project->component.step_bytes;
      int64_t value = counts ? *at : load_sample (&project->component, at);

      part += value * (row_weights != NULL ? row_weights[i] : 1);
      column_sums[i] += value * (column_weights != NULL ? column_weights[row] : 1);
      if (counts)
        numbers->histogram[value]++;
      if (counts && ((i + 1 + lead) % HISTO_CUDA_PROJECT_BYTES == 0 || i + 1 == project->width)) {
        row_sums[row] += project->weight_size < 2 ? (int32_t)(uint32_t)part : part; /* as much as a warp's lanes hold */
        part = 0;
      }
    }
    row_sums[row] += part;
  }
}

static bool
project_frame (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver, unsigned index)
{
  const struct histo_cuda_project *project = &launch->parameter.project;
  const struct histo_cuda_component *component = &project->component;
  const bool counts = launch->kernel->kind == FAKEKERNEL_PROJECT;
  const uint64_t data = project->data[index];
  const int64_t first = counts ? 0 : component->offset_bytes;
  const int64_t last = first + (int64_t)((project->width - 1) * component->step_bytes) + component->sample_bytes;
  const uint8_t *x = find_rows (driver, data, project->stride_bytes, project->height, first, last);
  const int16_t *row_weights = NULL, *column_weights = NULL;
  int64_t *row_sums = driver->find (project->row_sums + (uint64_t)index * project->height * sizeof *row_sums,
                                    project->height * sizeof *row_sums, true);
  int64_t *column_sums = driver->find (project->column_sums + index * project->width * sizeof *column_sums,
                                       project->width * sizeof *column_sums, true);
  uint64_t *words = NULL;
  struct numbers *numbers;

  if (project->row_weights != 0)
    row_weights = driver->find (project->row_weights, project->width * sizeof *row_weights, true);
  if (project->column_weights != 0)
    column_weights = driver->find (project->column_weights, project->height * sizeof *column_weights, true);
  if (row_sums == NULL || column_sums == NULL || (project->row_weights != 0 && row_weights == NULL)
      || (project->column_weights != 0 && column_weights == NULL) || project->row_weights % 16 != 0
      || (counts && (data % 16 != project->data[0] % 16 || project->tag == 0))) {
    driver->blame ("weights or sums of a projection are not where they should be, or it has no tag");
    return false;
  }
  if (counts) {
    uint64_t at = (uint64_t)index * project->frame_words * sizeof (uint64_t);

    words
        = find_words (driver, project->workspace + at, project->result + at, HISTO_CUDA_WORDS (HISTO_CUDA_BINS), project->tag);
  }
  numbers = make_numbers (NULL, HISTO_CUDA_BINS);
  if (x == NULL || numbers == NULL || (counts && words == NULL)) {
    free (numbers);
    return false;
  }
  driver->unlock ();
  project_samples (project, counts, x + first, data % 16, row_weights, column_weights, row_sums, column_sums, numbers);
  driver->lock ();
  if (counts)
    store_numbers (words, HISTO_CUDA_BINS, numbers, false, false, project->tag);
  free (numbers);
  return true;
}

static bool
project_frames (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  if (launch->blocks_y > HISTO_CUDA_LISTED || !project_fits (launch)) {
    driver->blame ("a projection contradicts itself or the launch");
    return false;
  }
  for (unsigned i = 0; i < launch->blocks_y; i++)
    if (!project_frame (launch, driver, i))
      return false;
  return true;
}

bool
fakekernel_run (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  return launch->kernel->kind >= FAKEKERNEL_PROJECT ? project_frames (launch, driver) : count_frames (launch, driver);
}

void
fakekernel_end (const struct fakekernel_launch *launch, const struct fakekernel_driver *driver)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const struct histo_cuda_project *project = &launch->parameter.project;

  if (launch->kernel->kind == FAKEKERNEL_PROJECT_ANY)
    return;
  if (launch->kernel->kind == FAKEKERNEL_PROJECT) {
    for (unsigned i = 0; i < launch->blocks_y; i++)
      clear_words (driver, project->workspace + (uint64_t)i * project->frame_words * sizeof (uint64_t),
                   HISTO_CUDA_WORDS (HISTO_CUDA_BINS));
    return;
  }
  for (uint32_t i = 0; i < count->frame_count && count->tag != 0; i++)
    for (unsigned p = 0; p < count->pass_count; p++)
      for (unsigned c = 0; c < count->passes[p].component_count; c++) {
        const struct histo_cuda_component *component = &count->passes[p].components[c];
        const uint64_t word = (uint64_t)i * count->frame_words + component->first_word;

        clear_words (driver, count->workspace + word * sizeof (uint64_t), HISTO_CUDA_WORDS (component->bins));
      }
}

static bool
is_within (uint64_t address, uint64_t begin, uint64_t size)
{
  return address - begin < size;
}

bool
fakekernel_uses (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size)
{
  const struct histo_cuda_count *count = &launch->parameter.count;
  const struct histo_cuda_project *project = &launch->parameter.project;

  if (launch->kernel->kind >= FAKEKERNEL_PROJECT)
    return is_within (project->data[0], begin, size) || is_within (project->workspace, begin, size)
           || is_within (project->result, begin, size) || is_within (project->row_weights, begin, size)
           || is_within (project->column_weights, begin, size) || is_within (project->row_sums, begin, size)
           || is_within (project->column_sums, begin, size);
  for (unsigned p = 0; p < count->pass_count; p++)
    if (is_within (count->passes[p].data, begin, size) || is_within (count->passes[p].operand, begin, size))
      return true;
  return is_within (count->workspace, begin, size) || is_within (count->result, begin, size)
         || (!takes_one_plane (launch->kernel) && is_within (count->addresses, begin, size));
}

bool
fakekernel_clears (const struct fakekernel_launch *launch, uint64_t begin, uint64_t size)
{
  if (launch->kernel->kind >= FAKEKERNEL_PROJECT)
    return launch->kernel->kind == FAKEKERNEL_PROJECT && is_within (launch->parameter.project.workspace, begin, size);
  return launch->parameter.count.tag != 0 && is_within (launch->parameter.count.workspace, begin, size);
}
