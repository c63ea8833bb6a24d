/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Readers of AVI, GIF, IVF and Ogg. Each fills in `bounds` of the file. */

#pragma once

#include "damage/boundsfile.h"

#define BOUNDS_HEADERS 3 /* largest number of packets before the first frame */

void bounds_read_avi (BoundsFile *file);
void bounds_read_gif (BoundsFile *file);
void bounds_read_ivf (BoundsFile *file);
void bounds_read_ogg (BoundsFile *file);
