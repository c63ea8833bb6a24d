/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/values.h"

void
histo_bytes_c (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format, uint8_t *bytes)
{
  for (size_t i = 0; i < samples; i++)
    bytes[i] = (uint8_t)histo_load_sample (first + i * step_bytes, format);
}

void
histo_words_c (const uint8_t *first, size_t step_bytes, size_t samples, const struct histo_format *format, uint16_t *words)
{
  for (size_t i = 0; i < samples; i++)
    words[i] = (uint16_t)histo_load_sample (first + i * step_bytes, format);
}
