/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Definitions for statistics of a picture, shared by stats.c, the checks and the backends. */

#pragma once

#include <cudahisto/histo.h>

#define HISTO_REPEAT_DISTANCE 4 /* rows from one to the one it may repeat */

/* The broadcast range of samples of 8 .. 16 bits, ends included: the 8-bit range (ITU-R BT.601), shifted. Samples above 235 <<
 * (depth - 8) are out of range, as in FFmpeg's signalstats: 941 with 10 bits, 236 with 8 bits. */
struct histo_range {
  uint32_t luma_min, luma_max, chroma_min, chroma_max;
};
struct histo_range histo_find_range (unsigned depth);

/* Upper limits of |histo_gamut.min|, of .max, and of the sum of green's two coefficients: 32 bits then do not overflow. */
#define HISTO_GAMUT_LIMIT (1 << 30)
#define HISTO_GAMUT_GREEN 32767
#define HISTO_GAMUT_ONE_LOG2 14 /* of HISTO_GAMUT_ONE */

/* Tables for the light of signals that need linear light. A level is a quarter of a code. */
#define HISTO_LIGHT_LEVELS 16384
#define HISTO_LIGHT_MANTISSAS 1024
#define HISTO_LIGHT_LOGARITHMS 49152
struct histo_light_curve {
  uint32_t linear[HISTO_LIGHT_LEVELS];       /* linear light of a level, 2^32 - 1 for 1; the last levels are not used */
  uint16_t mantissas[HISTO_LIGHT_MANTISSAS]; /* 4096 * log2 (1 + (m + 1/2) / 1024) */
  uint16_t codes[HISTO_LIGHT_LOGARITHMS];    /* of the sum of logarithms, divided by 16 */
};

/* The tables for a transfer function. Static. The first call makes them; any thread may call. */
const struct histo_light_curve *histo_find_light_curve (enum histo_transfer transfer);

/* Whether the light needs the tables. */
static inline bool
histo_light_needs_curve (const struct histo_light *light)
{
  return light->transfer != HISTO_TRANSFER_PQ || light->source != HISTO_LIGHT_MAX_RGB;
}

/* histo_find_nits of each code. Static. */
const uint32_t *histo_list_nits (void);

/* Whether the sums of struct histo_light fit into 32 bits for samples of `depth` bits. */
bool histo_light_is_valid (const struct histo_light *light, unsigned depth);

/* The number of saturations of samples of 8 .. 16 bits: they are 0 .. this - 1. */
uint32_t histo_count_saturations (unsigned depth);

/* The saturation and the hue of a chroma sample. Cb and Cr are minus the middle of their range: -32768 .. 32767. Equal to
 * reference/chroma.c, and faster. */
uint32_t histo_find_saturation (int32_t cb, int32_t cr);
uint32_t histo_find_hue (int32_t cb, int32_t cr);
