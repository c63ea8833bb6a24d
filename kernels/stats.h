/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private to the engine: the memory of a histo_stats. */

#pragma once

#include <cudahisto/histo.h>

/* Gives `stats` the components of a valid `frame`: depth, rows and columns filled in, all other numbers zero, and arrays for
 * the bins and, if the frame projects, the sums. Reuses the memory of `stats`. NO_MEMORY leaves `stats` unchanged. */
enum histo_status histo_stats_prepare (struct histo_stats *stats, const struct histo_frame *frame);
