/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/location.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <string.h>
#include <sys/stat.h>

gboolean
decoding_location_is_uri (const gchar *location)
{
  return gst_uri_is_valid (location) && !g_file_test (location, G_FILE_TEST_EXISTS);
}

gchar *
decoding_location_open (const gchar *uri, gint *fd)
{
  g_autofree gchar *path = gst_uri_has_protocol (uri, "file") ? g_filename_from_uri (uri, NULL, NULL) : NULL;
  GStatBuf status;

  if (path == NULL || g_stat (path, &status) != 0 || !(S_ISFIFO (status.st_mode) || S_ISCHR (status.st_mode)))
    return NULL;
  *fd = g_open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  return *fd >= 0 ? g_strdup_printf ("fd://%d", *fd) : NULL;
}

/* Appends `length` bytes of a URI whose authority begins at `authority`. */
static void
location_append_hidden (GString *text, const gchar *uri, gsize length, const gchar *authority)
{
  const gsize rest = length - (gsize)(authority - uri);
  const gsize authority_length = MIN (strcspn (authority, "/?#"), rest), path_length = MIN (strcspn (authority, "?#"), rest);
  const gchar *at = g_strrstr_len (authority, (gssize)authority_length, "@"); /* a password may contain "@" */
  const gchar *password = at != NULL ? g_strstr_len (authority, at - authority, ":") : NULL;

  if (password != NULL) {
    g_string_append_len (text, uri, password - uri);
    g_string_append_len (text, at, authority + path_length - at);
  } else {
    g_string_append_len (text, uri, authority + path_length - uri);
  }
  if (path_length < rest)
    g_string_append_printf (text, "%c...", authority[path_length]);
}

gchar *
decoding_location_hide_secrets (const gchar *location)
{
  const gchar *colon = gst_uri_is_valid (location) ? strstr (location, "://") : NULL;
  GString *name;

  if (colon == NULL)
    return g_strdup (location);
  name = g_string_new (NULL);
  location_append_hidden (name, location, strlen (location), colon + strlen ("://"));
  return g_string_free (name, FALSE);
}

gchar *
decoding_location_hide_secrets_in (const gchar *text, const gchar *location)
{
  g_autoptr (GString) known = g_string_new (text);
  g_autofree gchar *name = location != NULL ? decoding_location_hide_secrets (location) : NULL;
  GString *hidden;
  const gchar *at, *colon;

  if (text == NULL)
    return NULL;
  if (name != NULL && !g_str_equal (name, location)) /* it may have characters that end a URI */
    g_string_replace (known, location, name, 0);
  hidden = g_string_new (NULL);
  for (at = known->str; (colon = strstr (at, "://")) != NULL;) {
    const gchar *const authority = colon + strlen ("://"), *const end = authority + strcspn (authority, " \t\r\n\"<>");

    location_append_hidden (hidden, at, (gsize)(end - at), authority);
    at = end;
  }
  g_string_append (hidden, at);
  return g_string_free (hidden, FALSE);
}

void
decoding_location_parse_message (GstMessage *message, void (*parse) (GstMessage *, GError **, gchar **), const gchar *location,
                                 GError **error, gchar **detail)
{
  g_autofree gchar *debug = NULL;
  gchar *text;

  parse (message, error, &debug);
  *detail = decoding_location_hide_secrets_in (debug, location);
  if (*error == NULL)
    return;
  text = decoding_location_hide_secrets_in ((*error)->message, location);
  g_free ((*error)->message);
  (*error)->message = text;
}
