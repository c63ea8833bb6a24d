/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/runs.h"

#include <math.h>

#include "lines/values.h"

/* Several windows of bytes may begin in the same buffer, so their offset decides. */
gboolean
runs_take_result (RunsEnd *end, const GstStructure *result)
{
  const gdouble frame = values_read_double (result, NULL, "frame"), offset = values_read_double (result, NULL, "offset");
  const gboolean is_anew = isnan (offset) ? frame < end->frame : offset < end->offset;
  guint64 frames = 1, size = 0;

  values_get_uint64 (result, NULL, "frames", &frames);
  values_get_uint64 (result, NULL, "size", &size);
  end->frame = frame + (gdouble)frames;
  end->offset = offset + (gdouble)size;
  return is_anew;
}
