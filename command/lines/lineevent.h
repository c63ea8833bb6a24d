/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a line says besides the numbers of facts.h: an event, and the format of a result. */

#ifndef CUDAHISTO_LINEEVENT_H
#define CUDAHISTO_LINEEVENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* NULL: nothing in the event contradicts anything else in it. Else what does, in words; free with g_free(). */
gchar *line_event_check (const GstStructure *event);

/* NULL: the depth of the result is that of its format, or one of both is unknown. Else as above. */
gchar *line_format_check (const GstStructure *result);

G_END_DECLS

#endif
