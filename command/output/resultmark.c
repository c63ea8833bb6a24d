/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "output/resultmark.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/location.h"
#include "output/outputmark.h"

#define WHOLE_BYTES ((goffset)16 * 1024 * 1024) /* largest file whose whole content is in the digest */
#define PART_BYTES (WHOLE_BYTES / 2)
#define BLOCK_BYTES (64 * 1024)
#define UNFINISHED "measure unfinished"

typedef enum {
  MARK_UNKNOWN, /* no content, an unfinished measurement, or a file system without such attributes */
  MARK_INTACT,
  MARK_BROKEN /* or missing, since an editor may replace the file */
} MarkState;

/* Adds bytes from `begin` to `end` to the digest. FALSE: they cannot be read. */
static gboolean
result_mark_add (GChecksum *checksum, gint fd, goffset begin, goffset end)
{
  g_autofree guchar *block = g_malloc (BLOCK_BYTES);

  while (begin < end) {
    const gssize length = pread (fd, block, (gsize)MIN (end - begin, BLOCK_BYTES), begin);

    if (length < 0 && errno == EINTR)
      continue;
    if (length <= 0)
      return FALSE;
    g_checksum_update (checksum, block, length);
    begin += length;
  }
  return TRUE;
}

/* "measure sha256:0123...", or "measure size:123 mtime:123.000000001 sha256:0123...". NULL: it cannot be read. */
static gchar *
result_mark_make (gint fd, const struct stat *about)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const goffset size = about->st_size;

  if (size <= WHOLE_BYTES)
    return result_mark_add (checksum, fd, 0, size) ? g_strdup_printf ("measure sha256:%s", g_checksum_get_string (checksum))
                                                   : NULL;
  if (!result_mark_add (checksum, fd, 0, PART_BYTES) || !result_mark_add (checksum, fd, size - PART_BYTES, size))
    return NULL;
  return g_strdup_printf ("measure size:%" G_GOFFSET_FORMAT " mtime:%" G_GINT64_FORMAT ".%09ld sha256:%s", size,
                          (gint64)about->st_mtim.tv_sec, about->st_mtim.tv_nsec, g_checksum_get_string (checksum));
}

/* Opens the location if it is a regular file. -1: it is not, or cannot be read. */
static gint
result_mark_open (const gchar *location, struct stat *about)
{
  gint fd = -1;

  if (!g_str_equal (location, "-") && !g_str_has_prefix (location, "/dev/fd/") && !g_str_has_prefix (location, "/proc/")
      && !g_str_equal (location, "/dev/stdout") && !g_str_equal (location, "/dev/stderr"))
    fd = open (location, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || (fstat (fd, about) == 0 && S_ISREG (about->st_mode)))
    return fd;
  close (fd);
  return -1;
}

static MarkState
result_mark_look (gint fd, const struct stat *about)
{
  g_autofree gchar *expected = NULL;
  gchar mark[256];
  const gssize length = fgetxattr (fd, OUTPUT_MARK_NAME, mark, sizeof mark - 1);

  if (length < 0 && errno == ENOTSUP)
    return MARK_UNKNOWN;
  mark[MAX (0, length)] = '\0';
  if (g_str_equal (mark, UNFINISHED))
    return MARK_UNKNOWN;
  expected = result_mark_make (fd, about);
  return g_strcmp0 (mark, expected) == 0 ? MARK_INTACT : MARK_BROKEN;
}

/* Returns the name of a value of the property sidecar-mode. */
static gboolean
result_mark_has_mode (GstElement *histo, const gchar *nick)
{
  GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (histo), "sidecar-mode");
  gint mode;

  g_object_get (histo, "sidecar-mode", &mode, NULL);
  return g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (property)->enum_class, nick)->value == mode;
}

gboolean
result_mark_begin (ResultMark *mark, const gchar *location, GstElement *histo, GError **error)
{
  const gboolean is_added_to = result_mark_has_mode (histo, "append");
  g_autofree gchar *name = location_name (location);
  MarkState state = MARK_UNKNOWN;
  struct stat about = { .st_size = 0 };
  const gint fd = result_mark_open (location, &about);

  if (fd >= 0 && about.st_size > 0)
    state = result_mark_look (fd, &about);
  mark->is_ours = !is_added_to || about.st_size == 0 || state == MARK_INTACT;
  mark->is_removed = is_added_to && state == MARK_INTACT && fremovexattr (fd, OUTPUT_MARK_NAME) == 0;
  if (fd >= 0)
    close (fd);
  if (state != MARK_BROKEN || !result_mark_has_mode (histo, "truncate"))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
               "\"%s\" exists and was changed, or was not written by `cudahisto measure`. Use another --output, or --force.",
               name);
  return FALSE;
}

void
result_mark_keep (const ResultMark *mark, gint fd)
{
  if (mark->is_ours)
    (void)!fsetxattr (fd, OUTPUT_MARK_NAME, UNFINISHED, strlen (UNFINISHED), XATTR_CREATE);
}

void
result_mark_end (const ResultMark *mark, const gchar *location, gint fd, gboolean has_written)
{
  struct stat about, written;
  g_autofree gchar *text = NULL;
  gint there;

  if (!mark->is_ours || (!has_written && !mark->is_removed) || (there = result_mark_open (location, &about)) < 0)
    return;
  if (fd < 0 || (fstat (fd, &written) == 0 && written.st_dev == about.st_dev && written.st_ino == about.st_ino))
    text = result_mark_make (there, &about);
  if (text == NULL || fsetxattr (there, OUTPUT_MARK_NAME, text, strlen (text), 0) != 0)
    fremovexattr (there, OUTPUT_MARK_NAME);
  close (there);
}
