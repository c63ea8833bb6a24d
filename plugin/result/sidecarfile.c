/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_OFD_SETLK */
#endif

#include "result/sidecarfile.h"
#include "result/sidecarlines.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define HEAD_BYTES 16384                         /* read to recognise a sidecar: longer than an element's name can be */
#define TAIL_BYTES ((gsize)64 * 1024)            /* read at a time from the end, to find the last line */
#define LONGEST_TAIL ((goffset)64 * 1024 * 1024) /* limit of a last line: a dozen times the longest real one */
/* Attribute of files written by the command: command/output/outputmark.h. */
#define MARK_NAME "user.cudahisto"
#define LINE_START "{\"cudahisto\":" /* start of each line since 0.2; a number follows */

struct _GstCudaHistoSidecarFile {
  gchar *location;
  gint fd;
  struct stat status; /* at opening; type and identity are constant */
  gboolean is_given;  /* the process had already opened it */
  gboolean may_block; /* not reopened, so that its flags are shared with other users */
  gboolean is_listed; /* in `open_files` */
  gchar *created;     /* real path of a file that was created and is not yet prepared, or NULL */
  gboolean is_prepared;
  gboolean overwrites; /* may empty files that are not sidecars */
};

/* Files opened by sidecars of this process: two sidecars in one file would corrupt it. */
static GMutex open_files_lock;
static GList *open_files;

/* Sets the error from errno. Returns FALSE. */
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

/* Returns the descriptor that a location names, or -1. */
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

/* Whether the descriptor of standard output is some other file: in a process started without standard output, a library may
 * have got the number for an eventfd or socket pair. GStreamer makes one for each bus. */
static gboolean
gst_cuda_histo_sidecar_file_is_internal (gint fd, const struct stat *status)
{
  struct ucred peer;
  socklen_t size = sizeof peer;

  if (S_ISSOCK (status->st_mode))
    return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid ();
  return (status->st_mode & S_IFMT) == 0;
}

/* Opens a descriptor for a file that the process has open. A regular file shares its position, so that other output is not
 * overwritten. Other files are opened again, because O_NONBLOCK would be shared. */
static gboolean
gst_cuda_histo_sidecar_file_open_given (GstCudaHistoSidecarFile *file, gint given, GError **error)
{
  const gint flags = fcntl (given, F_GETFL);
  const gboolean is_standard = !g_ascii_isdigit (file->location[strlen (file->location) - 1]); /* by name, not by number */
  gchar path[64];

  if (flags < 0
      || (is_standard && fstat (given, &file->status) == 0 && gst_cuda_histo_sidecar_file_is_internal (given, &file->status))) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "Descriptor %d is not open in this process", given);
    return FALSE;
  }
  if ((flags & O_ACCMODE) == O_RDONLY)
    errno = EACCES;
  if ((flags & O_ACCMODE) == O_RDONLY || fstat (given, &file->status) != 0)
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
      file->created = realpath (file->location, NULL); /* the target of a link */
  }
  if (file->fd < 0 && errno == ENXIO && stat (file->location, &file->status) == 0 && S_ISFIFO (file->status.st_mode)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "No process reads the pipe \"%s\". Start its reader first",
                 file->location);
    return FALSE;
  }
  return (file->fd >= 0 && fstat (file->fd, &file->status) == 0) || gst_cuda_histo_sidecar_file_fail (error);
}

/* Returns a descriptor that reads the same file, or -1 with errno. The sidecar's own descriptor cannot read: otherwise a pipe
 * would have a reader. Without /proc the file is opened by name, which fails if it was renamed or the working directory has
 * changed. */
static gint
gst_cuda_histo_sidecar_file_open_to_read (const GstCudaHistoSidecarFile *file)
{
  const gint flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  struct stat status;
  gchar path[64];
  gint fd;

  g_snprintf (path, sizeof path, "/proc/self/fd/%d", file->fd);
  fd = open (path, flags);
  if (fd < 0 && errno == ENOENT)
    fd = open (file->location, flags);
  if (fd < 0 || (fstat (fd, &status) == 0 && gst_cuda_histo_sidecar_file_is_same (&status, &file->status)))
    return fd;
  close (fd);
  errno = ENOENT;
  return -1;
}

/* Whether the file may be written to: it is empty, or begins like a sidecar. A file that is to be emptied has to be a sidecar
 * from beginning to end. */
static gboolean
gst_cuda_histo_sidecar_file_check_content (GstCudaHistoSidecarFile *file, gboolean empties, GError **error)
{
  gchar head[HEAD_BYTES + 1];
  gboolean is_sidecar;
  gssize size = -1;
  gint fd;

  if (file->is_given || !S_ISREG (file->status.st_mode) || file->status.st_size == 0 || (empties && file->overwrites))
    return TRUE;
  fd = gst_cuda_histo_sidecar_file_open_to_read (file);
  if (fd < 0)
    return gst_cuda_histo_sidecar_file_fail (error);
  size = pread (fd, head, HEAD_BYTES, 0);
  if (size < 0) {
    gst_cuda_histo_sidecar_file_fail (error);
    close (fd);
    return FALSE;
  }
  head[size] = '\0';
  is_sidecar = gst_cuda_histo_sidecar_lines_is_beginning (head)
               || ((gsize)size == strlen (head) && size < HEAD_BYTES && gst_cuda_histo_sidecar_lines_is_torn (head));
  if (is_sidecar && empties)
    is_sidecar = gst_cuda_histo_sidecar_lines_are_alone (fd, file->status.st_size);
  close (fd);
  if (is_sidecar)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
               "The file \"%s\" is not a sidecar of cudahisto%s. Remove it, or choose another name for the sidecar.",
               file->location, empties ? " from its first line to its last" : "");
  return FALSE;
}

/* Locks the file: one sidecar at a time, under any name and in any process. */
static gboolean
gst_cuda_histo_sidecar_file_lock (GstCudaHistoSidecarFile *file, GError **error)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  gboolean is_busy = FALSE;

  if (S_ISCHR (file->status.st_mode)) /* a terminal or /dev/null */
    return TRUE;
  g_mutex_lock (&open_files_lock);
  for (GList *other = open_files; other != NULL; other = other->next)
    is_busy |= gst_cuda_histo_sidecar_file_is_same (&((GstCudaHistoSidecarFile *)other->data)->status, &file->status);
  if (!is_busy) {
    open_files = g_list_prepend (open_files, file);
    file->is_listed = TRUE;
  }
  g_mutex_unlock (&open_files_lock);
  /* The lock of a file that the process had open would outlive the sidecar. File systems without locks get none. */
  if (!is_busy && !file->is_given && fcntl (file->fd, F_OFD_SETLK, &lock) != 0)
    is_busy = errno == EAGAIN || errno == EACCES;
  if (!is_busy)
    return TRUE;
  g_clear_pointer (&file->created, free); /* another process uses it */
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
               "Another element writes its results to \"%s\". Choose another sidecar-location for this one.", file->location);
  return FALSE;
}

GstCudaHistoSidecarFile *
gst_cuda_histo_sidecar_file_open (const gchar *location, gboolean empties, gboolean overwrites, GError **error)
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
  file->overwrites = overwrites;
  given = gst_cuda_histo_sidecar_file_get_given (location);
  if (given >= 0)
    is_open = gst_cuda_histo_sidecar_file_open_given (file, given, error);
  else
    is_open = gst_cuda_histo_sidecar_file_open_named (file, error);
  if (is_open && S_ISBLK (file->status.st_mode)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "\"%s\" is a block device", location);
    is_open = FALSE;
  }
  if (is_open && gst_cuda_histo_sidecar_file_lock (file, error)
      && gst_cuda_histo_sidecar_file_check_content (file, empties, error))
    return file;
  gst_cuda_histo_sidecar_file_close (file);
  return NULL;
}

/* Returns the start of the data after the last newline, in a file of `size` bytes. -1 with @error: unreadable or too long. */
static goffset
gst_cuda_histo_sidecar_file_find_tail (const GstCudaHistoSidecarFile *file, gint fd, goffset size, guint8 *block,
                                       GError **error)
{
  goffset start = size;

  while (start > 0) {
    const gsize part = (gsize)MIN (start, (goffset)TAIL_BYTES);
    gsize kept = 0;

    if (size - start >= LONGEST_TAIL) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                   "The last line of \"%s\" is longer than any line of a sidecar (64 MiB), and was not changed.",
                   file->location);
      return -1;
    }
    if (pread (fd, block, part, start - (goffset)part) != (gssize)part) {
      gst_cuda_histo_sidecar_file_fail (error);
      return -1;
    }
    while (kept < part && block[part - kept - 1] != '\n')
      kept++;
    start -= (goffset)kept;
    if (kept < part)
      break;
  }
  return start;
}

/* Returns the start of a torn line in the data after the last newline, from `start` to `size`; `size`: none. An object that is
 * not closed is torn, as are NULs at the end, which some file systems leave in place of lost data. All other data is kept:
 * several objects without newlines, white space, a note. LINE_START always begins a line, since its quotation marks would be
 * escaped within one. So an earlier torn line does not remove those after it. -1 with @error: unreadable. */
static goffset
gst_cuda_histo_sidecar_file_find_torn (gint fd, goffset start, goffset size, guint8 *block, GError **error)
{
  gboolean is_string = FALSE, is_escaped = FALSE;
  goffset object = start, nuls = start; /* start of the last of each */
  gsize matched = 0;                    /* matched bytes of LINE_START */
  gint depth = 0;

  for (goffset at = start; at < size;) {
    const gssize part = pread (fd, block, (gsize)MIN (size - at, (goffset)TAIL_BYTES), at);

    if (part <= 0) {
      if (part == 0)
        errno = EIO; /* the file is being shortened */
      gst_cuda_histo_sidecar_file_fail (error);
      return -1;
    }
    for (gssize i = 0; i < part; i++, at++) {
      const guint8 byte = block[i];

      if (byte != '\0')
        nuls = at + 1;
      if (depth == 1 && at == object + 1 && byte != '"' && byte != '\0')
        depth = 0; /* no line begins like this */
      matched = byte == (guint8)LINE_START[matched] ? matched + 1 : byte == '{';
      if (matched == strlen (LINE_START)) {
        object = at + 1 - (goffset)matched;
        depth = 1;
        is_string = is_escaped = FALSE;
        matched = 0;
      } else if (depth == 0) {
        if (byte == '{') {
          object = at;
          depth = 1;
        }
      } else if (is_escaped) {
        is_escaped = FALSE;
      } else if (is_string && byte == '\\') {
        is_escaped = TRUE;
      } else if (byte == '"') {
        is_string = !is_string;
      } else if (!is_string && (byte == '{' || byte == '[')) {
        depth++;
      } else if (!is_string && (byte == '}' || byte == ']')) {
        depth--;
      }
    }
  }
  return depth > 0 ? object : nuls;
}

/* Removes a torn line, and ends the line before it. *cut: number of removed bytes. */
static gboolean
gst_cuda_histo_sidecar_file_mend (GstCudaHistoSidecarFile *file, guint64 *cut, GError **error)
{
  const gint fd = gst_cuda_histo_sidecar_file_open_to_read (file);
  g_autofree guint8 *block = g_malloc (TAIL_BYTES);
  gboolean is_done = FALSE;
  goffset start, torn;
  struct stat status;

  if (fd < 0 || fstat (fd, &status) != 0) {
    gst_cuda_histo_sidecar_file_fail (error);
  } else if ((start = gst_cuda_histo_sidecar_file_find_tail (file, fd, status.st_size, block, error)) >= 0
             && (torn = gst_cuda_histo_sidecar_file_find_torn (fd, start, status.st_size, block, error)) >= 0) {
    is_done = torn == status.st_size || ftruncate (file->fd, torn) == 0;
    if (is_done)
      *cut = (guint64)(status.st_size - torn);
    is_done = is_done && (torn == start || write (file->fd, "\n", 1) == 1);
    if (!is_done)
      gst_cuda_histo_sidecar_file_fail (error);
  }
  if (fd >= 0)
    close (fd);
  return is_done;
}

/* Whether the file is unchanged since it was opened and checked. */
static gboolean
gst_cuda_histo_sidecar_file_is_unchanged (const GstCudaHistoSidecarFile *file, const struct stat *now)
{
  return now->st_size == file->status.st_size && now->st_mtim.tv_sec == file->status.st_mtim.tv_sec
         && now->st_mtim.tv_nsec == file->status.st_mtim.tv_nsec;
}

gboolean
gst_cuda_histo_sidecar_file_is_at (const GstCudaHistoSidecarFile *file, const gchar *location)
{
  struct stat status;

  return file->is_given || (stat (location, &status) == 0 && gst_cuda_histo_sidecar_file_is_same (&status, &file->status));
}

gboolean
gst_cuda_histo_sidecar_file_prepare (GstCudaHistoSidecarFile *file, const gchar *location, gboolean empties, guint64 *cut,
                                     GError **error)
{
  struct stat now;

  *cut = 0;
  if (file->is_prepared)
    return TRUE;
  if (!file->is_given && S_ISREG (file->status.st_mode)) {
    /* Perhaps long after it was opened: others may have written to it. */
    if (fstat (file->fd, &now) != 0)
      return gst_cuda_histo_sidecar_file_fail (error);
    empties = empties && gst_cuda_histo_sidecar_file_is_at (file, location);
    if (!gst_cuda_histo_sidecar_file_is_unchanged (file, &now) || (file->overwrites && !empties)) {
      file->status.st_size = now.st_size;
      if (!gst_cuda_histo_sidecar_file_check_content (file, empties, error))
        return FALSE;
    }
    if (empties)
      fremovexattr (file->fd, MARK_NAME); /* it described the removed contents */
    if (empties && ftruncate (file->fd, 0) != 0)
      return gst_cuda_histo_sidecar_file_fail (error);
    if (!empties && !gst_cuda_histo_sidecar_file_mend (file, cut, error))
      return FALSE;
  }
  g_clear_pointer (&file->created, free);
  file->is_prepared = TRUE;
  return TRUE;
}

gssize
gst_cuda_histo_sidecar_file_write (GstCudaHistoSidecarFile *file, const gchar *data, gsize size, GError **error)
{
  gssize written;

  if (file->may_block && !S_ISREG (file->status.st_mode) && !S_ISSOCK (file->status.st_mode)) {
    struct pollfd writable = { .fd = file->fd, .events = POLLOUT };

    if (poll (&writable, 1, 0) == 0)
      return 0;
    size = MIN (size, PIPE_BUF); /* the most that fits */
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

gint
gst_cuda_histo_sidecar_file_count_untaken (const GstCudaHistoSidecarFile *file)
{
  gint bytes;

  return ioctl (file->fd, S_ISFIFO (file->status.st_mode) ? FIONREAD : TIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

gboolean
gst_cuda_histo_sidecar_file_take_back (GstCudaHistoSidecarFile *file, gsize size)
{
  struct stat status;

  if (size == 0 || file->is_given || !S_ISREG (file->status.st_mode))
    return size == 0;
  /* The current size: log rotation by copying may have shortened the file. */
  if (fstat (file->fd, &status) != 0 || status.st_size < (goffset)size)
    return TRUE;
  if (ftruncate (file->fd, status.st_size - (goffset)size) == 0)
    return TRUE;
  g_debug ("half a line stays: %s", g_strerror (errno));
  return FALSE;
}

struct stat
gst_cuda_histo_sidecar_file_get_status (const GstCudaHistoSidecarFile *file)
{
  return file->status;
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
