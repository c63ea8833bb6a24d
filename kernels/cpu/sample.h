/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Converts the bytes of a sample to a value. */

#pragma once

#include "pass.h"

#define HISTO_NATIVE_DEPTH 12 /* up to this depth each value is counted separately, whatever the number of bins */

/* The fields of histo_component. */
struct histo_format {
  unsigned sample_bytes, depth, shift;
  bool big_endian;
  bool is_native; /* of two bytes: each value has its own bin; otherwise its upper 8 bits have */
};

static inline struct histo_format
histo_format_of (const struct histo_pass_component *component)
{
  return (struct histo_format){
    .sample_bytes = component->sample_bytes,
    .depth = component->depth,
    .shift = component->shift,
    .big_endian = component->big_endian,
    .is_native = component->depth <= HISTO_NATIVE_DEPTH || component->bins != HISTO_BINS,
  };
}

/* Whether two formats read values alike. */
static inline bool
histo_format_equals (const struct histo_format *a, const struct histo_format *b)
{
  return a->sample_bytes == b->sample_bytes && a->depth == b->depth && a->shift == b->shift && a->big_endian == b->big_endian;
}

/* The value of the sample at `bytes`, at any address. */
static inline uint32_t
histo_load_sample (const uint8_t *bytes, const struct histo_format *format)
{
  uint32_t word;

  if (format->sample_bytes == 1)
    return bytes[0];
  word = format->big_endian ? (uint32_t)bytes[0] << 8 | bytes[1] : (uint32_t)bytes[1] << 8 | bytes[0];
  return word >> format->shift & ((1u << format->depth) - 1);
}
