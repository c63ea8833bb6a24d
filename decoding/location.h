/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a film is: a path or a URI. */

#ifndef CUDAHISTO_DECODING_LOCATION_H
#define CUDAHISTO_DECODING_LOCATION_H

#include <glib.h>

G_BEGIN_DECLS

/* Whether a location is a URI. The path of an existing file is not, even if it looks like one: "a:b". */
gboolean decoding_location_is_uri (const gchar *location);

/* If `uri` is that of a file which can keep its reader waiting, a FIFO or a device, opens it and returns a URI of the open
 * file; the caller closes *fd. Neither this nor GStreamer's fdsrc waits beyond recall for a writer, as filesrc does. NULL: it
 * is of anything else, or cannot be opened. Free with g_free(). */
gchar *decoding_location_open (const gchar *uri, gint *fd);

/* A copy for messages and logs, which others may read: a URI without its password, and with "..." in place of its query and
 * fragment, which may have a token or a signature. A path stays as it is. Free with g_free(). */
gchar *decoding_location_hide_secrets (const gchar *location);

/* A copy of a text, such as GStreamer's about a film at `location` (or NULL), in which that and every other URI have lost the
 * same. NULL for NULL. Free with g_free(). */
gchar *decoding_location_hide_secrets_in (const gchar *text, const gchar *location);

G_END_DECLS

#endif
