/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private to the engine: the memory of a histo_stats. */

#ifndef HISTO_STATS_H
#define HISTO_STATS_H

#include <cudahisto/histo.h>

/* Gives `stats` the components of a valid `frame`, their depth, rows and columns filled in and all other numbers zero, each
 * component with arrays for its counters and, where the frame projects, its sums. Memory that it owns already is used again.
 * NO_MEMORY leaves `stats` as it was. */
enum histo_status histo_stats_prepare (struct histo_stats *stats, const struct histo_frame *frame);

#endif
