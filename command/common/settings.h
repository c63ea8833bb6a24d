/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options that are properties of the element: their values are checked, and refused with what there is. */

#ifndef CUDAHISTO_SETTINGS_H
#define CUDAHISTO_SETTINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Sets a property from text: of flags a list such as "basic+hue", commas too. `option` is what the user calls it:
 * "--statistics". FALSE: `error` is a sentence that lists what there is. */
gboolean settings_set (GstElement *histo, const gchar *option, const gchar *property, const gchar *text, GError **error);

/* The same of "NAME=VALUE", of any property that can be set; where the results go is the command's own. */
gboolean settings_assign (GstElement *histo, const gchar *option, const gchar *assignment, GError **error);

/* Nanoseconds of "1s", "500ms", "0.5", "2min": a number of seconds, or of the unit that follows. */
gboolean settings_parse_time (const gchar *option, const gchar *text, guint64 *ns, GError **error);

/* "24", "24000/1001" and "23.976", which means the same. */
gboolean settings_parse_rate (const gchar *option, const gchar *text, gint *numerator, gint *denominator, GError **error);

G_END_DECLS

#endif
