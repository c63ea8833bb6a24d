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
