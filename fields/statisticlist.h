/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistics that a user can request: id, bits, name, description. Define STATISTIC, then include this file. Bits 0 to 15
 * are the engine's (HISTO_STATISTIC_HUE and so on). */

STATISTIC (HISTOGRAM, 1 << 16, "histogram", "Histogram, sums, mean, variance, minimum, maximum, percentiles")
STATISTIC (LUMA, 1 << 23, "luma", "Luma of R, G and B: a component luma with the numbers of histogram")
STATISTIC (SATURATION, 1 << 5, "saturation", "Distance of colours from grey (SAT)")
STATISTIC (HUE, 1 << 6, "hue", "Angle of colours, in degrees (HUE)")
STATISTIC (DIFFERENCE, 1 << 2, "difference", "Mean absolute difference from the previous frame (YDIF, UDIF, VDIF)")
STATISTIC (OUTLIERS, 1 << 3, "outliers", "Luma samples that differ from those above and below, as in dropouts (TOUT)")
STATISTIC (REPEATS, 1 << 4, "repeats",
           "Rows of luma that resemble the fourth row above, as time base correctors leave them (VREP)")
STATISTIC (BROADCAST_RANGE, 1 << 7, "broadcast-range", "Pixels outside the broadcast range (BRNG)")
STATISTIC (USED_BITS, 1 << 17, "used-bits", "Bits that are set in at least one sample (YBITDEPTH, UBITDEPTH, VBITDEPTH)")
STATISTIC (GAMUT, 1 << 8, "gamut", "Pixels outside the preferred range of EBU R103, in Y or in R, G or B")
STATISTIC (COMPARISON, 1 << 18, "comparison", "Differences from the previous frame: SAD, SSD, MSE, PSNR, histogram distance")
STATISTIC (WAVEFORM, 1 << 9, "waveform", "A histogram for each column, or group of adjacent columns, of the picture")
STATISTIC (VECTORSCOPE, 1 << 10, "vectorscope", "A two-dimensional histogram of U and V")
STATISTIC (LIGHT, 1 << 11, "light", "Light of PQ and HLG video in nits: largest, mean, percentiles, MaxCLL and MaxFALL")
STATISTIC (ROW_SUMS, 1 << 20, "row-sums", "Sum of each row, weighted by row-weights-location")
STATISTIC (COLUMN_SUMS, 1 << 21, "column-sums", "Sum of each column, weighted by column-weights-location")
STATISTIC (ACTIVE_PICTURE, 1 << 22, "active-picture", "Rectangle inside black bars, as FFmpeg's cropdetect finds it")
STATISTIC (HDR, 1 << 24, "hdr", "light and active-picture, if the video is HDR (PQ or HLG)")

/* Sets. They follow the statistics that they contain. */
STATISTIC (BASIC, STATISTIC_HISTOGRAM, "basic", "Set: histogram alone")
STATISTIC (SIGNALSTATS,
           STATISTIC_HISTOGRAM | STATISTIC_SATURATION | STATISTIC_HUE | STATISTIC_DIFFERENCE | STATISTIC_OUTLIERS
               | STATISTIC_REPEATS | STATISTIC_BROADCAST_RANGE | STATISTIC_USED_BITS,
           "signalstats", "Set: the statistics of FFmpeg's signalstats, from histogram to used-bits, without luma")
