/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The configuration of `dovi_tool generate`, JSON: a shot for each scene, with level 1 (light), level 5 (active picture) and
 * level 6 (mastering display, MaxCLL and MaxFALL). */

#pragma once

#include "formats/lightfilm.h"
#include "output/output.h"

typedef struct {
  guint max;           /* luminance of the mastering display in nits */
  guint min;           /* and in units of 0.0001 nit */
  gboolean has_frames; /* level 1 of each frame, besides that of each shot */
} DoviSettings;

void dovi_write (Output *output, const LightFilm *film, const DoviSettings *settings);
