/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values as JSON writes them, appended to a text. */

#ifndef CUDAHISTO_JSON_H
#define CUDAHISTO_JSON_H

#include <glib.h>

G_BEGIN_DECLS

/* A text in its quotes, or null. What is no UTF-8 is replaced. `is_in_page`: without the characters that end an element of
 * HTML, too. */
void json_append_text (GString *json, const gchar *text, gboolean is_in_page);

/* In as few digits as give the same double back, 1 for 1.0; null of what is infinite or NaN. */
void json_append_double (GString *json, gdouble number);

/* A member that is not the first, of a page's object. */
void json_append_text_member (GString *json, const gchar *name, const gchar *text);
void json_append_double_member (GString *json, const gchar *name, gdouble number);

G_END_DECLS

#endif
