/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/range.h"

#include <string.h>

static inline bool
is_outside (uint32_t value, uint32_t min, uint32_t max)
{
  return value < min || value > max;
}

static inline bool
chroma_is_outside (uint32_t cb, uint32_t cr, const struct histo_range *range)
{
  return is_outside (cb, range->chroma_min, range->chroma_max) || is_outside (cr, range->chroma_min, range->chroma_max);
}

void
histo_mark_bytes_c (const uint8_t *cb, const uint8_t *cr, size_t samples, const struct histo_range *range, unsigned shift,
                    uint8_t *marks)
{
  for (size_t i = 0; i < samples; i++)
    memset (marks + (i << shift), chroma_is_outside (cb[i], cr[i], range) ? HISTO_MARK : 0, (size_t)1 << shift);
}

void
histo_mark_words_c (const uint16_t *cb, const uint16_t *cr, size_t samples, const struct histo_range *range, unsigned shift,
                    uint8_t *marks)
{
  for (size_t i = 0; i < samples; i++)
    memset (marks + (i << shift), chroma_is_outside (cb[i], cr[i], range) ? HISTO_MARK : 0, (size_t)1 << shift);
}

uint64_t
histo_outside_bytes_c (const uint8_t *luma, const uint8_t *marks, size_t samples, const struct histo_range *range)
{
  uint64_t outside = 0;

  for (size_t i = 0; i < samples; i++)
    outside += marks[i] != 0 || is_outside (luma[i], range->luma_min, range->luma_max);
  return outside;
}

uint64_t
histo_outside_words_c (const uint8_t *luma, const struct histo_format *format, const uint8_t *marks, size_t samples,
                       const struct histo_range *range)
{
  uint64_t outside = 0;

  for (size_t i = 0; i < samples; i++)
    outside += marks[i] != 0 || is_outside (histo_load_sample (luma + i * 2, format), range->luma_min, range->luma_max);
  return outside;
}
