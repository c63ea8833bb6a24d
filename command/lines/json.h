/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Appends values as JSON. */

#pragma once

#include <glib.h>

/* A string in quotes, or null. Replaces invalid UTF-8. `is_in_page`: also escapes the characters that can end an HTML
 * element. */
void json_append_text (GString *json, const gchar *text, gboolean is_in_page);

/* The fewest digits that give the same double back; 1 for 1.0; null if infinite or NaN. */
void json_append_double (GString *json, gdouble number);

/* A member after the first of an object in a page. */
void json_append_text_member (GString *json, const gchar *name, const gchar *text);
void json_append_double_member (GString *json, const gchar *name, gdouble number);
