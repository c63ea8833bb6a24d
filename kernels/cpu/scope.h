/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bins of waveforms and of a picture's histograms, except hue, saturation and light, in a block of a worker: the waveforms
 * of a frame's components, one after the other, then the histograms of its picture. All zeros between jobs. */

#pragma once

#include "memory.h"

/* The number of these bins for `stats`. */
size_t histo_scope_count (const struct histo_stats *stats);

/* The bins of a component's waveform, and of the histogram in row `row` of the list of statistics (HISTO_ROW_...). */
uint32_t *histo_scope_find_waveform (struct histo_cpu_block *block, const struct histo_stats *stats, unsigned component);
uint32_t *histo_scope_find_histogram (struct histo_cpu_block *block, const struct histo_stats *stats, unsigned row);

/* Adds all bins to `stats`, and zeroes them. */
void histo_scope_fold (struct histo_cpu_block *block, struct histo_stats *stats);
