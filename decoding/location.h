/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a film is: a path or a URI. */

#ifndef CUDAHISTO_DECODING_LOCATION_H
#define CUDAHISTO_DECODING_LOCATION_H

#include <glib.h>

G_BEGIN_DECLS

/* Whether a location is a URI. The path of an existing file is not, even if it looks like one: "a:b". */
gboolean decoding_location_is_uri (const gchar *location);

/* A copy for messages and logs, which others may read: a URI without its password. Free with g_free(). */
gchar *decoding_location_hide_password (const gchar *location);

G_END_DECLS

#endif
