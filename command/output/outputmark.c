/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "output/outputmark.h"

#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define BLOCK_BYTES (64 * 1024)

/* "csv sha256:0123..." */
static gchar *
output_mark_make (const gchar *kind, const gchar *digest)
{
  return g_strdup_printf ("%s sha256:%s", kind, digest);
}

void
output_mark_set (int fd, const gchar *kind, const gchar *digest)
{
  g_autofree gchar *mark = output_mark_make (kind, digest);

  if (fsetxattr (fd, OUTPUT_MARK_NAME, mark, strlen (mark), 0) != 0)
    fremovexattr (fd, OUTPUT_MARK_NAME);
}

/* NULL: the file cannot be read. */
static gchar *
output_mark_digest (int fd)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guchar *block = g_malloc (BLOCK_BYTES);
  gssize length;

  while ((length = read (fd, block, BLOCK_BYTES)) > 0)
    g_checksum_update (checksum, block, length);
  return length == 0 ? g_strdup (g_checksum_get_string (checksum)) : NULL;
}

gboolean
output_mark_is_intact (const gchar *path, const gchar *kind)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  g_autofree gchar *digest = NULL, *expected = NULL;
  gchar mark[256];
  gssize length;

  if (fd < 0)
    return FALSE;
  length = fgetxattr (fd, OUTPUT_MARK_NAME, mark, sizeof mark - 1);
  if (length > 0)
    digest = output_mark_digest (fd);
  close (fd);
  if (digest == NULL)
    return FALSE;
  mark[length] = '\0';
  expected = output_mark_make (kind, digest);
  return strcmp (mark, expected) == 0;
}
