/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fields that libcudahisto derives from sums and bins, in its summaries. */

#pragma once

#include <cudahisto/histo.h>

#include "fields/fields.h"

/* Return the field's member of the summary: a gdouble for FIELD_TYPE_DOUBLE, otherwise a guint32. NULL: it has none. */
gconstpointer summary_find (const struct histo_summary *summary, FieldId field);
gconstpointer summary_find_colour (const struct histo_colour_summary *summary, FieldId field);
gconstpointer summary_find_light (const struct histo_light_summary *summary, FieldId field);
