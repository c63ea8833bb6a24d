/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The location of a film: a path or a URI. */

#pragma once

#include <gst/gst.h>

/* Returns whether a location is a URI. The path of an existing file is not, even if it looks like one: "a:b". */
gboolean decoding_location_is_uri (const gchar *location);

/* If `uri` names a file whose reader may have to wait (a FIFO or a device), opens it and returns a URI of the open file; the
 * caller closes *fd. This function and GStreamer's fdsrc can be interrupted while they wait for a writer; filesrc cannot. NULL:
 * it names anything else, or cannot be opened. Free with g_free(). */
gchar *decoding_location_open (const gchar *uri, gint *fd);

/* Returns a copy for messages and logs: without a URI's password, and with "..." in place of its query and fragment, which may
 * have a token or a signature. A path is unchanged. Free with g_free(). */
gchar *decoding_location_hide_secrets (const gchar *location);

/* Returns a copy of a text, such as GStreamer's about a film at `location` (or NULL), with the secrets of that and any other
 * URI hidden. NULL for NULL. Free with g_free(). */
gchar *decoding_location_hide_secrets_in (const gchar *text, const gchar *location);

/* Parses a message about a film at `location` (or NULL) with `parse`, gst_message_parse_error() or gst_message_parse_warning().
 * Returns its text in *error and its detail, with secrets hidden as above. *error is NULL if the message has none. */
void decoding_location_parse_message (GstMessage *message, void (*parse) (GstMessage *, GError **, gchar **),
                                      const gchar *location, GError **error, gchar **detail);
