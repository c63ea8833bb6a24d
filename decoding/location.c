/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "decoding/location.h"

#include <gst/gst.h>
#include <string.h>

gboolean
decoding_location_is_uri (const gchar *location)
{
  return gst_uri_is_valid (location) && !g_file_test (location, G_FILE_TEST_EXISTS);
}

gchar *
decoding_location_hide_password (const gchar *location)
{
  const gchar *authority = gst_uri_is_valid (location) ? strstr (location, "://") : NULL, *end, *password;

  if (authority == NULL)
    return g_strdup (location);
  authority += strlen ("://");
  end = g_strrstr_len (authority, (gssize)strcspn (authority, "/?#"), "@"); /* a password may have others */
  password = end != NULL ? g_strstr_len (authority, end - authority, ":") : NULL;
  return password != NULL ? g_strdup_printf ("%.*s%s", (gint)(password - location), location, end) : g_strdup (location);
}
