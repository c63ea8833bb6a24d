/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result/sidecarlines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LINE_START "{\"cudahisto\":" /* start of each line since 0.2; a number follows */
#define BLOCK_BYTES ((gsize)256 * 1024)
#define READ_BYTES ((goffset)32 * 1024 * 1024) /* from the beginning and from the end */

/* Moves *text after `beginning`. FALSE if it does not begin like this. */
static gboolean
gst_cuda_histo_sidecar_lines_skip_prefix (const gchar **text, const gchar *beginning)
{
  if (!g_str_has_prefix (*text, beginning))
    return FALSE;
  *text += strlen (beginning);
  return TRUE;
}

gboolean
gst_cuda_histo_sidecar_lines_is_beginning (const gchar *text)
{
  static const gchar *const backends[] = { "cpu\"", "cuda\"", "reference\"" };
  gsize digits;

  if (gst_cuda_histo_sidecar_lines_skip_prefix (&text, LINE_START)) {
    digits = strspn (text, "0123456789");
    return digits > 0 && text[digits] == ',' && text[digits + 1] == '"';
  }
  if (!gst_cuda_histo_sidecar_lines_skip_prefix (&text, "{\"element\":\""))
    return FALSE;
  while (*text != '"' && *text != '\0')
    text += text[0] == '\\' && text[1] != '\0' ? 2 : 1;
  if (!gst_cuda_histo_sidecar_lines_skip_prefix (&text, "\",\"backend\":\""))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (backends); i++) {
    if (gst_cuda_histo_sidecar_lines_skip_prefix (&text, backends[i]))
      return g_str_has_prefix (text, ",\"frame\":");
  }
  return FALSE;
}

gboolean
gst_cuda_histo_sidecar_lines_is_torn (const gchar *text)
{
  if (gst_cuda_histo_sidecar_lines_skip_prefix (&text, LINE_START))
    return text[strspn (text, "0123456789,")] == '\0';
  return g_str_has_prefix (LINE_START, text) || g_str_has_prefix ("{\"element\":\"", text);
}

static gboolean
gst_cuda_histo_sidecar_lines_is_line (const gchar *text, gsize length)
{
  return length > 0 && text[length - 1] == '}' && gst_cuda_histo_sidecar_lines_is_beginning (text);
}

/* Checks the data after the last newline. A zero follows it. */
static gboolean
gst_cuda_histo_sidecar_lines_is_rest (const gchar *text, gsize length)
{
  const gsize n_bytes = strlen (text);

  for (gsize i = n_bytes; i < length; i++)
    if (text[i] != '\0')
      return FALSE;
  return gst_cuda_histo_sidecar_lines_is_beginning (text) || gst_cuda_histo_sidecar_lines_is_torn (text);
}

/* Reads bytes from `at` on, and appends a zero. -1: unreadable. */
static gssize
gst_cuda_histo_sidecar_lines_read (gint fd, gchar *block, goffset at, goffset end)
{
  gssize size;

  do
    size = pread (fd, block, (gsize)MIN (end - at, (goffset)BLOCK_BYTES), at);
  while (size < 0 && errno == EINTR);
  if (size == 0) /* the file is being shortened */
    size = -1;
  if (size > 0)
    block[size] = '\0';
  return size;
}

/* Returns the length of the whole lines in the block. -1: one of them is not a sidecar's. */
static gssize
gst_cuda_histo_sidecar_lines_check_block (gchar *block, gssize size)
{
  gssize start = 0;

  for (gchar *newline; (newline = memchr (block + start, '\n', (gsize)(size - start))) != NULL;) {
    *newline = '\0';
    if (!gst_cuda_histo_sidecar_lines_is_line (block + start, (gsize)(newline - block - start)))
      return -1;
    start = newline + 1 - block;
  }
  return start;
}

/* Returns the position after the newline of the line that fills the block, or `end`. -1: it does not end like a line. */
static goffset
gst_cuda_histo_sidecar_lines_skip_long (gint fd, gchar *block, goffset at, goffset end)
{
  gchar last = '\0';

  while (at < end) {
    const gssize size = gst_cuda_histo_sidecar_lines_read (fd, block, at, end);
    const gchar *newline = size > 0 ? memchr (block, '\n', (gsize)size) : NULL;

    if (size < 0)
      return -1;
    if (newline != NULL) {
      last = newline > block ? newline[-1] : last;
      return last == '}' ? at + (newline - block) + 1 : -1;
    }
    last = block[size - 1];
    at += size;
  }
  return end;
}

/* Checks the lines from `at` on. `has_end`: the last one may be torn. Otherwise it may be cut anywhere. */
static gboolean
gst_cuda_histo_sidecar_lines_check_part (gint fd, goffset at, goffset end, gboolean has_end)
{
  g_autofree gchar *block = g_malloc (BLOCK_BYTES + 1);

  while (at < end) {
    const gssize size = gst_cuda_histo_sidecar_lines_read (fd, block, at, end);
    const gssize whole = size > 0 ? gst_cuda_histo_sidecar_lines_check_block (block, size) : -1;

    if (whole < 0)
      return FALSE;
    if (whole == 0 && at + size == end)
      return !has_end || gst_cuda_histo_sidecar_lines_is_rest (block, (gsize)size);
    if (whole == 0 && !gst_cuda_histo_sidecar_lines_is_beginning (block))
      return FALSE;
    at = whole > 0 ? at + whole : gst_cuda_histo_sidecar_lines_skip_long (fd, block, at + size, end);
    if (at < 0)
      return FALSE;
  }
  return TRUE;
}

/* Returns the position of the first line that begins from `at` on, or `end`. */
static goffset
gst_cuda_histo_sidecar_lines_find (gint fd, goffset at, goffset end)
{
  g_autofree gchar *block = g_malloc (BLOCK_BYTES + 1);

  while (at < end) {
    const gssize size = gst_cuda_histo_sidecar_lines_read (fd, block, at, end);
    const gchar *newline = size > 0 ? memchr (block, '\n', (gsize)size) : NULL;

    if (size < 0)
      break;
    if (newline != NULL)
      return at + (newline - block) + 1;
    at += size;
  }
  return end;
}

gboolean
gst_cuda_histo_sidecar_lines_are_alone (gint fd, goffset size)
{
  if (size <= 2 * READ_BYTES)
    return gst_cuda_histo_sidecar_lines_check_part (fd, 0, size, TRUE);
  return gst_cuda_histo_sidecar_lines_check_part (fd, 0, READ_BYTES, FALSE)
         && gst_cuda_histo_sidecar_lines_check_part (fd, gst_cuda_histo_sidecar_lines_find (fd, size - READ_BYTES, size), size,
                                                     TRUE);
}
