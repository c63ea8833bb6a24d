/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* madVR's measurement file, version 5 or 6, as madvr_parse and dovi_tool read it. All integers are little-endian.
 *
 * Results lack two of its fields. Peaks in the P3 and BT.709 primaries (version 6) are those in the film's primaries. The
 * histogram of hues is all 0. */

#pragma once

#include "formats/lightfilm.h"
#include "output/output.h"

/* The film must have bins. */
void madvr_write (Output *output, const LightFilm *film, guint version);
