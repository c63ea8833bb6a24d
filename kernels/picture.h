/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What stats.c, the checks and the backends agree on about statistics of a picture. */

#ifndef HISTO_PICTURE_H
#define HISTO_PICTURE_H

#include <cudahisto/histo.h>

#define HISTO_STATISTICS_OPERAND (HISTO_STATISTIC_DOT | HISTO_STATISTIC_DIFFERENCE)
#define HISTO_STATISTICS_COLOURS                                                                           \
  (HISTO_STATISTIC_SATURATION | HISTO_STATISTIC_HUE | HISTO_STATISTIC_OUT_OF_RANGE | HISTO_STATISTIC_GAMUT \
   | HISTO_STATISTIC_VECTORSCOPE)
#define HISTO_STATISTICS_PICTURE (HISTO_STATISTIC_OUTLIERS | HISTO_STATISTIC_REPEATS | HISTO_STATISTICS_COLOURS)
#define HISTO_STATISTICS_ALL \
  (HISTO_STATISTICS_OPERAND | HISTO_STATISTIC_PROJECTION | HISTO_STATISTICS_PICTURE | HISTO_STATISTIC_WAVEFORM)

/* Those that count a sample's upper 8 bits with 32 bits. */
#define HISTO_STATISTICS_SCOPE (HISTO_STATISTIC_WAVEFORM | HISTO_STATISTIC_VECTORSCOPE)

#define HISTO_REPEAT_DISTANCE 4 /* rows from one to that which it may repeat */

/* The broadcast range of samples of 8 .. 16 bits, the ends included: that of 8 bits (ITU-R BT.601), shifted. Above it lie what
 * is more than 235 << (depth - 8), as in FFmpeg's signalstats: with 10 bits 941, and with 8 bits 236. */
struct histo_range {
  uint32_t luma_min, luma_max, chroma_min, chroma_max;
};
struct histo_range histo_find_range (unsigned depth);

/* What histo_gamut.min and .max, and the two coefficients of green together, are at most: nothing overflows 32 bits then. */
#define HISTO_GAMUT_LIMIT (1 << 30)
#define HISTO_GAMUT_GREEN 32767
#define HISTO_GAMUT_ONE_LOG2 14 /* of HISTO_GAMUT_ONE */

/* The saturations that samples of 8 .. 16 bits can have are 0 .. this - 1. */
uint32_t histo_count_saturations (unsigned depth);

/* Both of a chroma sample, Cb and Cr each less the middle of their range: -32768 .. 32767. The same as reference/chroma.c, and
 * faster. */
uint32_t histo_find_saturation (int32_t cb, int32_t cr);
uint32_t histo_find_hue (int32_t cb, int32_t cr);

#endif
