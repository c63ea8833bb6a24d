/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* HDR10+ metadata of profile A, in the JSON of hdr10plus_tool. All frames of a scene have the same values, in 0.1 nit.
 *
 * MaxScl needs the largest light of each of R, G and B. Results have only that of the largest of the three, which is written
 * for each. Two of the nine values of the distribution are not what their index says: 5 has the 99.99th percentile, and 10 has
 * the percentage of pixels of at most 100 nits. Published metadata has these values, and awsmfunc writes them. */

#pragma once

#include "formats/lightfilm.h"
#include "output/output.h"

void hdr10plus_write (Output *output, const LightFilm *film);
