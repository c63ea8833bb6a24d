/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sidecar.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct _GstCudaHistoSidecar {
  GFileOutputStream *stream;
  gboolean is_regular; /* can be shortened */
  goffset size;        /* bytes of whole lines; only where is_regular */
};

static gboolean
is_regular_file (GFileOutputStream *stream)
{
  GFileInfo *info = g_file_output_stream_query_info (stream, G_FILE_ATTRIBUTE_STANDARD_TYPE, NULL, NULL);
  gboolean is_regular = info != NULL && g_file_info_get_file_type (info) == G_FILE_TYPE_REGULAR;

  g_clear_object (&info);
  return is_regular;
}

/* Opening a named pipe for writing waits for a reader, which may never come. FALSE with @error where there is none. *pipe_fd:
 * keeps the pipe open, to be closed when that has been done; -1: not a pipe. */
static gboolean
check_reader (const gchar *location, gint *pipe_fd, GError **error)
{
  GStatBuf status;

  *pipe_fd = -1;
  if (g_stat (location, &status) != 0 || !S_ISFIFO (status.st_mode))
    return TRUE;
  *pipe_fd = g_open (location, O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0);
  if (*pipe_fd < 0 && errno == ENXIO) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "Nobody reads the pipe \"%s\": its reader has to start first",
                 location);
    return FALSE;
  }
  return TRUE;
}

GstCudaHistoSidecar *
gst_cuda_histo_sidecar_open (const gchar *location, GError **error)
{
  GstCudaHistoSidecar *sidecar;
  GFileOutputStream *stream;
  gint pipe_fd;
  gboolean is_regular;
  GFile *file;

  if (location == NULL || location[0] == '\0') {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "The name of the sidecar file is empty");
    return NULL;
  }

  if (!check_reader (location, &pipe_fd, error))
    return NULL;

  /* Not g_file_replace(): it writes into a temporary file and renames it at the end, so that nobody could follow the lines. */
  file = g_file_new_for_path (location);
  stream = g_file_append_to (file, G_FILE_CREATE_NONE, NULL, error);
  g_object_unref (file);
  if (pipe_fd >= 0)
    close (pipe_fd);
  if (stream == NULL)
    return NULL;

  is_regular = is_regular_file (stream);
  if (is_regular && !g_seekable_truncate (G_SEEKABLE (stream), 0, NULL, error)) {
    g_object_unref (stream);
    return NULL;
  }

  sidecar = g_new0 (GstCudaHistoSidecar, 1);
  sidecar->stream = stream;
  sidecar->is_regular = is_regular;
  return sidecar;
}

/* As g_output_stream_write_all(), but a pipe that nobody reads any more is an error like others, not the end of the process. */
static gboolean
write_without_signal (GOutputStream *stream, const void *data, gsize size, GError **error)
{
  const struct timespec no_time = { 0, 0 };
  sigset_t pipe_signal, old_mask, pending;
  gboolean is_written;

  sigemptyset (&pipe_signal);
  sigaddset (&pipe_signal, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe_signal, &old_mask);
  sigpending (&pending);
  is_written = g_output_stream_write_all (stream, data, size, NULL, NULL, error);
  if (!is_written && !sigismember (&pending, SIGPIPE)) {
    while (sigtimedwait (&pipe_signal, NULL, &no_time) < 0 && errno == EINTR)
      ;
  }
  pthread_sigmask (SIG_SETMASK, &old_mask, NULL);
  return is_written;
}

gboolean
gst_cuda_histo_sidecar_write (GstCudaHistoSidecar *sidecar, const GstCudaHistoResult *result, GError **error)
{
  gchar *line = gst_cuda_histo_schema_to_json (result);
  gsize size = strlen (line);
  gboolean is_written;

  line[size] = '\n'; /* in the place of the terminator, which nobody needs any more: one write a line */
  is_written = write_without_signal (G_OUTPUT_STREAM (sidecar->stream), line, size + 1, error);
  g_free (line);

  if (is_written)
    sidecar->size += size + 1;
  else if (sidecar->is_regular)
    g_seekable_truncate (G_SEEKABLE (sidecar->stream), sidecar->size, NULL, NULL);
  return is_written;
}

gboolean
gst_cuda_histo_sidecar_close (GstCudaHistoSidecar *sidecar, GError **error)
{
  gboolean is_closed;

  if (sidecar == NULL)
    return TRUE;
  is_closed = g_output_stream_close (G_OUTPUT_STREAM (sidecar->stream), NULL, error);
  g_object_unref (sidecar->stream);
  g_free (sidecar);
  return is_closed;
}
