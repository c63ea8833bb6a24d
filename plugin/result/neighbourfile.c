/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/neighbourfile.h"

#include <string.h>

/* Gets the status of a URI's local file, if it is a single file. */
static gboolean
gst_cuda_histo_neighbour_file_stat_uri (const gchar *uri, struct stat *status)
{
  g_autofree gchar *path = NULL;
  guint64 fd;

  if (g_str_has_prefix (uri, "fd://"))
    return g_ascii_string_to_unsigned (uri + strlen ("fd://"), 10, 0, G_MAXINT, &fd, NULL) && fstat ((gint)fd, status) == 0;
  path = g_filename_from_uri (uri, NULL, NULL);
  return path != NULL && stat (path, status) == 0;
}

/* Gets the status of the file in an element's property "location": multifilesrc and multifilesink do not answer URI queries
 * with a file. */
static gboolean
gst_cuda_histo_neighbour_file_stat_location (GstObject *element, struct stat *status)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "location");
  g_autofree gchar *location = NULL;

  if (pspec != NULL && G_IS_PARAM_SPEC_STRING (pspec) && (pspec->flags & G_PARAM_READABLE) != 0)
    g_object_get (element, "location", &location, NULL);
  return location != NULL && stat (location, status) == 0;
}

gboolean
gst_cuda_histo_neighbour_file_stat (GstPad *pad, struct stat *status)
{
  GstQuery *query = gst_query_new_uri ();
  g_autofree gchar *uri = NULL;
  gboolean is_known = FALSE;
  GstPad *peer;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_uri (query, &uri);
  gst_query_unref (query);
  if (uri != NULL && gst_cuda_histo_neighbour_file_stat_uri (uri, status))
    return TRUE;
  peer = gst_pad_get_peer (pad);
  if (peer != NULL) {
    GstElement *element = gst_pad_get_parent_element (peer);

    is_known = element != NULL && gst_cuda_histo_neighbour_file_stat_location (GST_OBJECT (element), status);
    g_clear_pointer (&element, gst_object_unref);
    gst_object_unref (peer);
  }
  return is_known;
}
