/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The field `sampling` of lines: which of a film's frames were measured. */

#pragma once

#include <gst/gst.h>

/* All zeros before the first line. */
typedef struct {
  gboolean has_line;
  gchar *text; /* "mixed" if lines differ; NULL: all frames */
} Sampled;

void sampled_take (Sampled *sampled, const GstStructure *line);
void sampled_clear (Sampled *sampled);

/* Returns whether frames between measured ones are omitted. */
gboolean sampled_has_gaps (const Sampled *sampled);

/* Returns whether the beginning of the film is omitted. */
gboolean sampled_lacks_beginning (const GstStructure *line);
