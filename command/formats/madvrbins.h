/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The histogram of a frame in madVR's measurement file: 64 bins divide the PQ signals from 0 to that of 100 nits, and 192 those
 * up to 10000 nits. */

#pragma once

#include <glib.h>

#define MADVR_BINS 256
#define MADVR_SCALE 64000 /* all pixels, and the signal of 10000 nits */

/* The shares of the pixels times MADVR_SCALE. `codes`: number of pixels of each 12-bit PQ code; `pixels`: their sum, from 1 to
 * 2^32. */
void madvr_bins_make (guint16 shares[MADVR_BINS], const guint64 *codes, guint64 pixels);
