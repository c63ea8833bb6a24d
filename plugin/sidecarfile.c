/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_OFD_SETLK */
#endif

#include "sidecarfile.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 16384 /* of a file that are looked at: as far as an element's name may take, and further */
#define TAIL_BYTES 4096  /* of a file that is read backwards at a time */

struct _GstCudaHistoSidecarFile {
  gchar *location;
  gint fd;
  struct stat status; /* as it was opened; the type and the identity stay */
  gboolean is_given;  /* the process had it already */
  gboolean may_block; /* it could not be opened anew, and the flags of what is there are for others too */
  gboolean is_listed; /* in `open_files` */
  gchar *created;     /* the real path of a file that was created and has not been prepared, or NULL */
};

/* All of the process that more than one sidecar would garble. */
static GMutex open_files_lock;
static GList *open_files;

/* With what errno says. FALSE. */
static gboolean
gst_cuda_histo_sidecar_file_fail (GError **error)
{
  gint number = errno;

  g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (number), g_strerror (number));
  return FALSE;
}

static gboolean
gst_cuda_histo_sidecar_file_is_same (const struct stat *left, const struct stat *right)
{
  return left->st_dev == right->st_dev && left->st_ino == right->st_ino;
}

/* The descriptor that a location stands for, or -1. */
static gint
gst_cuda_histo_sidecar_file_get_given (const gchar *location)
{
  static const gchar *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
  guint64 fd;

  if (strcmp (location, "-") == 0 || strcmp (location, "/dev/stdout") == 0)
    return STDOUT_FILENO;
  if (strcmp (location, "/dev/stderr") == 0)
    return STDERR_FILENO;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    if (g_str_has_prefix (location, folders[i])
        && g_ascii_string_to_unsigned (location + strlen (folders[i]), 10, 0, INT_MAX, &fd, NULL))
      return (gint)fd;
  }
  return -1;
}

/* A descriptor of our own for one that the process has. A regular file shares its position with it, so that what others write there
 * is not overwritten; all else is opened anew, for whether it waits is not for us alone to say. */
static gboolean
gst_cuda_histo_sidecar_file_open_given (GstCudaHistoSidecarFile *file, gint given, GError **error)
{
  const gint flags = fcntl (given, F_GETFL);
  gchar path[64];

  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
    errno = EACCES;
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat (given, &file->status) != 0)
    return gst_cuda_histo_sidecar_file_fail (error);
  file->is_given = TRUE;
  g_snprintf (path, sizeof path, "/proc/self/fd/%d", given);
  if (!S_ISREG (file->status.st_mode) && !S_ISSOCK (file->status.st_mode))
    file->fd = open (path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file->fd < 0) {
    file->fd = fcntl (given, F_DUPFD_CLOEXEC, 3);
    file->may_block = TRUE;
  }
  return file->fd >= 0 || gst_cuda_histo_sidecar_file_fail (error);
}

static gboolean
gst_cuda_histo_sidecar_file_open_named (GstCudaHistoSidecarFile *file, GError **error)
{
  const gint flags = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

  file->fd = open (file->location, flags);
  if (file->fd < 0 && errno == ENOENT) {
    file->fd = open (file->location, flags | O_CREAT, 0666);
    if (file->fd >= 0)
      file->created = realpath (file->location, NULL); /* of what a link points to */
  }
  if (file->fd < 0 && errno == ENXIO && stat (file->location, &file->status) == 0 && S_ISFIFO (file->status.st_mode)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "Nobody reads the pipe \"%s\": its reader has to start first",
                 file->location);
    return FALSE;
  }
  return (file->fd >= 0 && fstat (file->fd, &file->status) == 0) || gst_cuda_histo_sidecar_file_fail (error);
}

/* A descriptor that reads the same file, or -1 with errno. Not the sidecar's own: with it a pipe would have a reader. */
static gint
gst_cuda_histo_sidecar_file_open_to_read (const GstCudaHistoSidecarFile *file)
{
  gint fd = open (file->location, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat status;

  if (fd < 0 || (fstat (fd, &status) == 0 && gst_cuda_histo_sidecar_file_is_same (&status, &file->status)))
    return fd;
  close (fd);
  errno = ENOENT;
  return -1;
}

static gboolean
gst_cuda_histo_sidecar_file_begins (const gchar **text, const gchar *beginning)
{
  if (!g_str_has_prefix (*text, beginning))
    return FALSE;
  *text += strlen (beginning);
  return TRUE;
}

/* Whether the text begins as a sidecar does: with the version of the format, or, as those of 0.1 did, with the name of the
 * element and what counted. */
static gboolean
gst_cuda_histo_sidecar_file_is_ours (const gchar *text)
{
  static const gchar *const backends[] = { "cpu\"", "cuda\"", "reference\"" };
  gsize digits;

  if (gst_cuda_histo_sidecar_file_begins (&text, "{\"cudahisto\":")) {
    digits = strspn (text, "0123456789");
    return digits > 0 && text[digits] == ',';
  }
  if (!gst_cuda_histo_sidecar_file_begins (&text, "{\"element\":\""))
    return FALSE;
  while (*text != '"' && *text != '\0')
    text += text[0] == '\\' && text[1] != '\0' ? 2 : 1;
  if (!gst_cuda_histo_sidecar_file_begins (&text, "\",\"backend\":\""))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (backends); i++) {
    if (gst_cuda_histo_sidecar_file_begins (&text, backends[i]))
      return g_str_has_prefix (text, ",\"frame\":");
  }
  return FALSE;
}

/* Whether it may be overwritten: it is empty, or a sidecar. */
static gboolean
gst_cuda_histo_sidecar_file_check_content (GstCudaHistoSidecarFile *file, GError **error)
{
  gchar head[HEAD_BYTES + 1];
  gssize size = -1;
  gint fd;

  if (file->is_given || !S_ISREG (file->status.st_mode) || file->status.st_size == 0)
    return TRUE;
  fd = gst_cuda_histo_sidecar_file_open_to_read (file);
  if (fd >= 0) {
    size = pread (fd, head, HEAD_BYTES, 0);
    close (fd);
  }
  head[MAX (size, 0)] = '\0';
  if (gst_cuda_histo_sidecar_file_is_ours (head))
    return TRUE;
  g_set_error (
      error, G_IO_ERROR, G_IO_ERROR_EXISTS,
      "The file \"%s\" is not a sidecar of cudahisto, and is left as it is: remove it, or choose another name for the sidecar.",
      file->location);
  return FALSE;
}

/* One sidecar at a time: whoever names the file, by whatever name, and in whichever process. */
static gboolean
gst_cuda_histo_sidecar_file_lock (GstCudaHistoSidecarFile *file, GError **error)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  gboolean is_busy = FALSE;

  if (S_ISCHR (file->status.st_mode)) /* a terminal, or /dev/null */
    return TRUE;
  g_mutex_lock (&open_files_lock);
  for (GList *other = open_files; other != NULL; other = other->next)
    is_busy |= gst_cuda_histo_sidecar_file_is_same (&((GstCudaHistoSidecarFile *)other->data)->status, &file->status);
  if (!is_busy) {
    open_files = g_list_prepend (open_files, file);
    file->is_listed = TRUE;
  }
  g_mutex_unlock (&open_files_lock);
  /* The lock of a given file would outlive us. Where the file system knows no locks, there is none. */
  if (!is_busy && !file->is_given && fcntl (file->fd, F_OFD_SETLK, &lock) != 0)
    is_busy = errno == EAGAIN || errno == EACCES;
  if (!is_busy)
    return TRUE;
  g_clear_pointer (&file->created, free); /* somebody has it by now */
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
               "Another element writes its results to \"%s\": choose another sidecar-location for this one.", file->location);
  return FALSE;
}

GstCudaHistoSidecarFile *
gst_cuda_histo_sidecar_file_open (const gchar *location, GError **error)
{
  GstCudaHistoSidecarFile *file;
  gboolean is_open;
  gint given;

  if (location == NULL || location[0] == '\0') {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "The name of the sidecar file is empty");
    return NULL;
  }
  file = g_new0 (GstCudaHistoSidecarFile, 1);
  file->location = g_strdup (location);
  file->fd = -1;
  given = gst_cuda_histo_sidecar_file_get_given (location);
  if (given >= 0)
    is_open = gst_cuda_histo_sidecar_file_open_given (file, given, error);
  else
    is_open = gst_cuda_histo_sidecar_file_open_named (file, error);
  if (is_open && S_ISBLK (file->status.st_mode)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "\"%s\" is a disk", location);
    is_open = FALSE;
  }
  if (is_open && gst_cuda_histo_sidecar_file_lock (file, error) && gst_cuda_histo_sidecar_file_check_content (file, error))
    return file;
  gst_cuda_histo_sidecar_file_close (file);
  return NULL;
}

/* Whether a line is a whole object: what is cut off has brackets that are open. */
static gboolean
gst_cuda_histo_sidecar_file_is_whole (const gchar *line, gsize size)
{
  gboolean is_string = FALSE;
  gint depth = 0;

  for (gsize i = 0; i < size; i++) {
    if (is_string && line[i] == '\\')
      i++;
    else if (line[i] == '"')
      is_string = !is_string;
    else if (!is_string && (line[i] == '{' || line[i] == '['))
      depth++;
    else if (!is_string && (line[i] == '}' || line[i] == ']'))
      depth--;
  }
  return size > 0 && depth == 0 && !is_string;
}

/* What follows the last newline, NULL on failure, with errno. */
static GByteArray *
gst_cuda_histo_sidecar_file_read_tail (gint fd, goffset size)
{
  GByteArray *tail = g_byte_array_new ();

  while (size > 0) {
    guint8 block[TAIL_BYTES];
    gsize part = (gsize)MIN (size, TAIL_BYTES), kept = 0;

    if (pread (fd, block, part, size - (goffset)part) != (gssize)part) {
      g_byte_array_unref (tail);
      return NULL;
    }
    while (kept < part && block[part - kept - 1] != '\n')
      kept++;
    g_byte_array_prepend (tail, block + part - kept, (guint)kept);
    if (kept < part)
      break;
    size -= (goffset)part;
  }
  return tail;
}

static gboolean
gst_cuda_histo_sidecar_file_mend (GstCudaHistoSidecarFile *file, GError **error)
{
  const gint fd = gst_cuda_histo_sidecar_file_open_to_read (file);
  GByteArray *tail = NULL;
  gboolean is_done = FALSE;
  struct stat status;

  if (fd >= 0 && fstat (fd, &status) == 0)
    tail = gst_cuda_histo_sidecar_file_read_tail (fd, status.st_size);
  if (tail != NULL && tail->len == 0)
    is_done = TRUE;
  else if (tail != NULL && gst_cuda_histo_sidecar_file_is_whole ((const gchar *)tail->data, tail->len))
    is_done = write (file->fd, "\n", 1) == 1;
  else if (tail != NULL)
    is_done = ftruncate (file->fd, status.st_size - (goffset)tail->len) == 0;
  if (!is_done)
    gst_cuda_histo_sidecar_file_fail (error);
  if (fd >= 0)
    close (fd);
  if (tail != NULL)
    g_byte_array_unref (tail);
  return is_done;
}

gboolean
gst_cuda_histo_sidecar_file_prepare (GstCudaHistoSidecarFile *file, gboolean empties, GError **error)
{
  if (!file->is_given && S_ISREG (file->status.st_mode)) {
    if (empties && ftruncate (file->fd, 0) != 0)
      return gst_cuda_histo_sidecar_file_fail (error);
    if (!empties && !gst_cuda_histo_sidecar_file_mend (file, error))
      return FALSE;
  }
  g_clear_pointer (&file->created, free);
  return TRUE;
}

gssize
gst_cuda_histo_sidecar_file_write (GstCudaHistoSidecarFile *file, const gchar *data, gsize size, GError **error)
{
  gssize written;

  if (file->may_block && !S_ISREG (file->status.st_mode) && !S_ISSOCK (file->status.st_mode)) {
    struct pollfd room = { .fd = file->fd, .events = POLLOUT };

    if (poll (&room, 1, 0) == 0)
      return 0;
    size = MIN (size, PIPE_BUF); /* as much as there is room for then */
  }
  do {
    written = S_ISSOCK (file->status.st_mode) ? send (file->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL)
                                              : write (file->fd, data, size);
  } while (written < 0 && errno == EINTR);
  if (written >= 0)
    return written;
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return 0;
  gst_cuda_histo_sidecar_file_fail (error);
  return -1;
}

void
gst_cuda_histo_sidecar_file_take_back (GstCudaHistoSidecarFile *file, gsize size)
{
  struct stat status;

  if (size == 0 || file->is_given || !S_ISREG (file->status.st_mode))
    return;
  /* The size as it is: somebody may have shortened it, as log rotation by copying does. */
  if (fstat (file->fd, &status) == 0 && status.st_size >= (goffset)size
      && ftruncate (file->fd, status.st_size - (goffset)size) != 0)
    g_debug ("half a line stays: %s", g_strerror (errno));
}

gboolean
gst_cuda_histo_sidecar_file_is_at (const GstCudaHistoSidecarFile *file, const gchar *location)
{
  struct stat status;

  return file->is_given || (stat (location, &status) == 0 && gst_cuda_histo_sidecar_file_is_same (&status, &file->status));
}

gboolean
gst_cuda_histo_sidecar_file_is_regular (const GstCudaHistoSidecarFile *file)
{
  return S_ISREG (file->status.st_mode);
}

gint
gst_cuda_histo_sidecar_file_get_fd (const GstCudaHistoSidecarFile *file)
{
  return file->fd;
}

void
gst_cuda_histo_sidecar_file_close (GstCudaHistoSidecarFile *file)
{
  struct stat status;

  if (file->created != NULL && stat (file->created, &status) == 0 && status.st_size == 0
      && gst_cuda_histo_sidecar_file_is_same (&status, &file->status))
    unlink (file->created);
  free (file->created);
  if (file->fd >= 0)
    close (file->fd);
  g_mutex_lock (&open_files_lock);
  if (file->is_listed)
    open_files = g_list_remove (open_files, file);
  g_mutex_unlock (&open_files_lock);
  g_free (file->location);
  g_free (file);
}
