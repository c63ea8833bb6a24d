/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cuda/host/launch/derive_count.h"

#define MAX_BYTES ((uint64_t)1 << 31) /* of the samples of three sources: a bin of a block has 32 bits */

static bool
is_deep (const struct histo_cuda_derive *derive)
{
  return derive->sources[0].depth > 8; /* two bytes each */
}

uint32_t
histo_cuda_find_derive_tables (const struct histo_cuda_derive_count *count)
{
  const uint32_t bins = is_deep (&count->derive) ? 1u << count->bins_log2 : HISTO_CUDA_BINS;

  return HISTO_CUDA_TABLE_BYTES (bins, 1u << count->columns_log2) * (count->derive.count + count->source_count);
}

uint32_t
histo_cuda_find_selector (const struct histo_cuda_picture_component *source, uint64_t pixel)
{
  const uint32_t at = (uint32_t)(source->data - pixel);

  if (source->sample_bytes == 1)
    return 0x4440 | at;
  return source->big_endian ? at << 4 | (at + 1) : (at + 1) << 4 | at;
}

/* Whether a source has the size, depth and layout of samples of the first. */
static bool
is_alike (const struct histo_cuda_derive *derive, const struct histo_cuda_picture_component *source)
{
  const struct histo_cuda_picture_component *first = &derive->sources[0];

  return source->width == first->width && source->height == first->height && source->depth == first->depth
         && source->sample_bytes == first->sample_bytes && source->shift == first->shift
         && source->big_endian == first->big_endian;
}

/* Describes the fourth source. Returns whether it is in the pixels of the other three, if these are interleaved. */
static bool
describe_other (const struct histo_cuda_picture_component *other, struct histo_cuda_derive_count *count)
{
  const struct histo_cuda_derive *derive = &count->derive;
  const uint64_t at = other->data - derive->pixels;

  count->other = *other;
  count->other_selector = histo_cuda_find_selector (other, derive->pixels);
  return derive->pixel_bytes == 0
         || (at <= derive->pixel_bytes - other->sample_bytes && other->step_bytes == derive->pixel_bytes
             && other->stride_bytes == derive->sources[0].stride_bytes);
}

/* Finds the groups of a row whose words are aligned, and have no bytes outside the row's samples. */
static void
find_loaded_groups (struct histo_cuda_derive_count *count)
{
  const struct histo_cuda_derive *derive = &count->derive;
  const bool are_pixels = derive->pixel_bytes > 0;
  const unsigned sample_bytes = derive->sources[0].sample_bytes;
  const uint64_t group_bytes = (uint64_t)HISTO_CUDA_DERIVE_SAMPLES * (are_pixels ? derive->pixel_bytes : sample_bytes);
  const uint64_t alignment = !are_pixels ? group_bytes : derive->pixel_bytes == 3 ? 4 : 16;
  uint64_t bits = derive->pixels, first = UINT64_MAX, end = 0;

  for (unsigned c = 0; c < count->source_count; c++) {
    const struct histo_cuda_picture_component *source = c < 3 ? &derive->sources[c] : &count->other;

    bits |= source->stride_bytes | (are_pixels ? 0 : source->data);
    if (!are_pixels && source->step_bytes != sample_bytes)
      return;
    first = source->data < first ? source->data : first;
    end = source->data + sample_bytes > end ? source->data + sample_bytes : end;
  }
  if (bits % alignment != 0)
    return;
  if (!are_pixels) {
    count->loaded_groups = derive->width / HISTO_CUDA_DERIVE_SAMPLES;
    return;
  }
  count->first_group = first > derive->pixels;
  end += (derive->width - 1) * (uint64_t)derive->pixel_bytes - derive->pixels;
  if (end / group_bytes > count->first_group)
    count->loaded_groups = (uint32_t)(end / group_bytes) - count->first_group;
}

/* Sets the fields for deep samples. Returns false if the components have different numbers of bins, or too many. */
static bool
describe_bins (const struct histo_cuda_words *words, struct histo_cuda_derive_count *count)
{
  for (unsigned c = 1; c < count->derive.count + count->source_count; c++)
    if (words->bins[c] != words->bins[0])
      return false;
  while (1u << count->bins_log2 < words->bins[0])
    count->bins_log2++;
  count->bin_shift = count->derive.sources[0].depth - count->bins_log2;
  return words->bins[0] <= HISTO_CUDA_DEEP_BINS;
}

unsigned
histo_cuda_describe_derive_count (const struct histo_cuda_shape *shape, const struct histo_cuda_words *words,
                                  const struct histo_cuda_derive *derive, const struct histo_cuda_picture_component *other,
                                  struct histo_cuda_derive_count *count)
{
  const uint64_t samples = (uint64_t)derive->row_groups * derive->height * HISTO_CUDA_DERIVE_SAMPLES,
                 bytes = 3 * samples * derive->sources[0].sample_bytes;
  unsigned blocks = shape->multiprocessors;

  *count = (struct histo_cuda_derive_count){ .derive = *derive, .source_count = other ? 4 : 3, .columns_log2 = 5 };
  if (bytes == 0 || bytes > MAX_BYTES || words->with_dot || !is_alike (derive, &derive->sources[1])
      || !is_alike (derive, &derive->sources[2]) || (other && !(is_alike (derive, other) && describe_other (other, count)))
      || (is_deep (derive) && !describe_bins (words, count)))
    return 0;
  find_loaded_groups (count);
  if (count->loaded_groups == 0) /* sample by sample, two readings are faster */
    return 0;
  while (histo_cuda_find_derive_tables (count) > shape->shared_bytes)
    if (count->columns_log2-- == 0)
      return 0;
  for (unsigned c = 0; c < derive->count + count->source_count; c++)
    count->first_words[c] = words->first_word[c];
  if (bytes / shape->tuning->block_bytes < blocks)
    blocks = (unsigned)(bytes / shape->tuning->block_bytes) + 1;
  return samples / blocks / HISTO_CUDA_THREADS < HISTO_CUDA_DERIVE_MAX_SAMPLES - HISTO_CUDA_DERIVE_SAMPLES ? blocks : 0;
}
