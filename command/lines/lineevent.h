/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks of a line beyond the numbers of facts.h: an event, and the format of a result. */

#pragma once

#include <gst/gst.h>

/* Returns a description of a contradiction within the event, or NULL. Free with g_free(). */
gchar *line_event_check (const GstStructure *event);

/* The same for a result whose depth is not that of its format. NULL also if either is unknown. */
gchar *line_format_check (const GstStructure *result);
