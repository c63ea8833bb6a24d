/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options that set properties of the element. Errors list the valid values. */

#pragma once

#include <gst/gst.h>

/* Sets a property from text. Flags are a list such as "basic+hue" or "basic,hue". `option`: the option's name, "--statistics".
 * FALSE: `error` lists the valid values. */
gboolean settings_set (GstElement *histo, const gchar *option, const gchar *property, const gchar *text, GError **error);

/* Sets any writable property from "NAME=VALUE", except the location of the results. */
gboolean settings_assign (GstElement *histo, const gchar *option, const gchar *assignment, GError **error);

/* Returns whether an assignment "NAME=VALUE" names the property. `assignments`: NULL-terminated, or NULL. */
gboolean settings_has_assignment (gchar **assignments, const gchar *property);

/* Parses "1s", "500ms", "0.5", "2min" into nanoseconds. The default unit is seconds. */
gboolean settings_parse_time (const gchar *option, const gchar *text, guint64 *ns, GError **error);

/* Parses "-40ms", "1.5s", and "0". Other numbers need a unit. */
gboolean settings_parse_offset (const gchar *option, const gchar *text, gint64 *ns, GError **error);

/* Parses "24", "24000/1001", and "23.976", which means 24000/1001. */
gboolean settings_parse_rate (const gchar *option, const gchar *text, gint *numerator, gint *denominator, GError **error);
