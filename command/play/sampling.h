/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options that measure some of a film's frames. */

#pragma once

#include <gst/gst.h>

#include "play/part.h"

typedef struct {
  gchar *every, *from, *to, *head; /* texts of the options; NULL: not set */
  gboolean is_of_keys;
  /* Set by sampling_parse(). */
  guint step;       /* each frame of this number is measured */
  gboolean is_part; /* `part` has a limit, or only key frames are measured */
  PartLimits part;
} Sampling;

/* FALSE: an option is invalid, and `error` has the reason. */
gboolean sampling_parse (Sampling *sampling, GError **error);

/* Whether frames between the first and the last measured one are omitted. */
gboolean sampling_has_gaps (const Sampling *sampling);

/* Returns the field `sampling` without `every`, such as "keyframes+from=60s", or NULL. Free with g_free(). */
gchar *sampling_describe (const Sampling *sampling);

void sampling_clear (Sampling *sampling);
