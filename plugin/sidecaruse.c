/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sidecaruse.h"

#include "gstcudahistoprivate.h"

#include <gio/gio.h>
#include <sys/stat.h>

#include "result/neighbourfile.h"

static void
gst_cuda_histo_sidecar_failed (GstElement *element, const gchar *location, const GError *error)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);
  GstResourceError code
      = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE) ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_WRITE;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS))
    gst_cuda_histo_fail (&self->host, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, g_strdup (error->message),
                         g_strdup ("another program has written to it since the start"));
  else
    gst_cuda_histo_fail (&self->host, GST_RESOURCE_ERROR, code,
                         g_strdup_printf ("Cannot write results to the sidecar file \"%s\".", location),
                         g_strdup (error->message));
}

static void
gst_cuda_histo_sidecar_dropped (GstElement *element, const gchar *location, guint64 lines)
{
  gst_cuda_histo_post (element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
                       g_strdup_printf ("%" G_GUINT64_FORMAT
                                        " %s not written to the sidecar \"%s\", which accepts them too slowly.",
                                        lines, lines == 1 ? "result was" : "results were", location),
                       g_strdup ("sidecar-slow=block waits instead; sidecar-arrays=none and a longer interval write less"));
}

static void
gst_cuda_histo_sidecar_stuck (GstElement *element, const gchar *location, guint64 lines)
{
  gst_cuda_histo_post (
      element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
      g_strdup_printf ("%" G_GUINT64_FORMAT
                       " %s for the sidecar \"%s\", which has accepted nothing for two seconds at the end of the stream.",
                       lines, lines == 1 ? "result waits" : "results wait", location),
      g_strdup ("results that still wait when the element stops are lost; sidecar-slow=block waits for the reader"));
}

static void
gst_cuda_histo_sidecar_not_reopened (GstElement *element, const gchar *location, const GError *error)
{
  gst_cuda_histo_post (element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
                       g_strdup_printf ("Cannot reopen the sidecar file \"%s\"; results continue in the open file.", location),
                       g_strdup (error->message));
}

static void
gst_cuda_histo_sidecar_cut (GstElement *element, const gchar *location, guint64 bytes)
{
  gst_cuda_histo_post (element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
                       g_strdup_printf ("The last line of the sidecar file \"%s\" was torn and is removed (%" G_GUINT64_FORMAT
                                        " bytes).",
                                        location, bytes),
                       g_strdup ("a system or program that fails while it writes leaves such a line"));
}

/* Whether a neighbour's file is the sidecar's. `status`: the file at the sidecar's location if the sidecar is not open; NULL:
 * it is open. */
static gboolean
gst_cuda_histo_is_sidecar_file (GstCudaHisto *self, const struct stat *status, const struct stat *theirs)
{
  if (status == NULL)
    return gst_cuda_histo_sidecar_is_file (self->sidecar_use.sidecar, theirs);
  return status->st_dev == theirs->st_dev && status->st_ino == theirs->st_ino;
}

/* Returns how a neighbour uses the sidecar's file, as a text, or NULL. `status` as above. Several elements may write to a
 * terminal or to /dev/null, and a socket may be standard input and output. */
static const gchar *
gst_cuda_histo_find_conflict (GstCudaHisto *self, const struct stat *status)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  struct stat theirs;

  if (gst_cuda_histo_neighbour_file_stat (GST_BASE_TRANSFORM_SINK_PAD (base), &theirs) && S_ISREG (theirs.st_mode)
      && gst_cuda_histo_is_sidecar_file (self, status, &theirs))
    return "the source reads";
  if (gst_cuda_histo_neighbour_file_stat (GST_BASE_TRANSFORM_SRC_PAD (base), &theirs) && !S_ISCHR (theirs.st_mode)
      && gst_cuda_histo_is_sidecar_file (self, status, &theirs))
    return "the sink writes";
  return NULL;
}

static const gchar *
gst_cuda_histo_sidecar_find_conflict (GstElement *element, const struct stat *file)
{
  return gst_cuda_histo_find_conflict (GST_CUDA_HISTO (element), file);
}

void
gst_cuda_histo_init_sidecar (GstCudaHisto *self)
{
  static const GstCudaHistoSidecarCallbacks callbacks = {
    .failed = gst_cuda_histo_sidecar_failed,
    .dropped = gst_cuda_histo_sidecar_dropped,
    .stuck = gst_cuda_histo_sidecar_stuck,
    .not_reopened = gst_cuda_histo_sidecar_not_reopened,
    .find_conflict = gst_cuda_histo_sidecar_find_conflict,
    .cut = gst_cuda_histo_sidecar_cut,
  };

  self->sidecar_use.sidecar = gst_cuda_histo_sidecar_new (&callbacks, GST_ELEMENT (self));
}

gboolean
gst_cuda_histo_reopen_sidecar (GstCudaHisto *self)
{
  return gst_cuda_histo_sidecar_reopen (self->sidecar_use.sidecar);
}

gboolean
gst_cuda_histo_check_sidecar (GstCudaHisto *self)
{
  const gchar *conflict = NULL;

  if (g_atomic_int_get (&self->sidecar_use.check) == GST_CUDA_HISTO_SIDECAR_UNCHECKED) {
    conflict = gst_cuda_histo_find_conflict (self, NULL);
    g_atomic_int_set (&self->sidecar_use.check,
                      conflict != NULL ? GST_CUDA_HISTO_SIDECAR_CONFLICT : GST_CUDA_HISTO_SIDECAR_NO_CONFLICT);
    if (conflict != NULL) {
      g_autofree gchar *location = NULL;

      GST_OBJECT_LOCK (self);
      location = g_strdup (self->sidecar_use.location);
      GST_OBJECT_UNLOCK (self);
      gst_cuda_histo_fail (
          &self->host, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          g_strdup_printf ("The sidecar file \"%s\" is the file that %s. Choose another sidecar-location.", location, conflict),
          NULL);
    }
  }
  /* Not if a handler of the error has restarted the element. */
  return conflict == NULL && g_atomic_int_get (&self->sidecar_use.check) == GST_CUDA_HISTO_SIDECAR_NO_CONFLICT;
}

static void
gst_cuda_histo_refuse_sidecar (GstCudaHisto *self, const gchar *location, const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS))
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BUSY))
    GST_ELEMENT_ERROR (self, RESOURCE, BUSY, ("%s", error->message), (NULL));
  else
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE, ("Cannot open the sidecar file \"%s\" for writing.", location),
                       ("%s", error->message));
}

void
gst_cuda_histo_close_sidecar (GstCudaHisto *self)
{
  guint64 lost = gst_cuda_histo_sidecar_close (self->sidecar_use.sidecar);

  if (lost > 0)
    gst_cuda_histo_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
                         g_strdup_printf ("%" G_GUINT64_FORMAT " %s not written to the sidecar.", lost,
                                          lost == 1 ? "result was" : "results were"),
                         g_strdup ("the reader did not take them within two seconds after the stop"));
}

gboolean
gst_cuda_histo_open_sidecar (GstCudaHisto *self)
{
  g_autofree gchar *location = NULL;
  g_autoptr (GError) error = NULL;
  const gchar *conflict = NULL;
  struct stat status;
  gboolean is_open;

  GST_OBJECT_LOCK (self);
  location = g_strdup (self->sidecar_use.location);
  GST_OBJECT_UNLOCK (self);
  if (location == NULL)
    return TRUE;

  is_open = gst_cuda_histo_sidecar_open (self->sidecar_use.sidecar, location, self->active.sidecar_mode,
                                         self->active.sidecar_slow, &error);
  /* Compares the open file and not its name: "-" has none. If opening failed, a conflict with a neighbour is the better reason
   * to report. */
  if (is_open || stat (location, &status) == 0)
    conflict = gst_cuda_histo_find_conflict (self, is_open ? NULL : &status);
  if (conflict != NULL)
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS,
                       ("The sidecar file \"%s\" is the file that %s. Choose another sidecar-location.", location, conflict),
                       (NULL));
  else if (!is_open)
    gst_cuda_histo_refuse_sidecar (self, location, error);
  if (conflict != NULL)
    gst_cuda_histo_close_sidecar (self);
  g_atomic_int_set (&self->sidecar_use.check, GST_CUDA_HISTO_SIDECAR_UNCHECKED);
  return is_open && conflict == NULL;
}

gboolean
gst_cuda_histo_start_sidecar (GstCudaHisto *self)
{
  g_autoptr (GError) error = NULL;

  if (gst_cuda_histo_sidecar_start (self->sidecar_use.sidecar, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE, ("Cannot write the sidecar file."), ("%s", error->message));
  return FALSE;
}
