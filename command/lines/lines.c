/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines/parser.h"

#define BLOCK_BYTES (256 * 1024)
#define MAX_LINE_BYTES (256 * 1024 * 1024) /* three waveforms of 16384 columns have about 60 MiB */

struct _Lines {
  gchar *path, *name;
  int fd;
  gboolean is_file; /* it has a size and can be read again */
  gboolean is_over; /* it is not a file, and all its writers have closed it */
  int flags;        /* file status flags to restore; -1: unchanged */

  gchar *data; /* a part of the file: [begin, end) is not parsed yet, and [begin, scanned) has no newline */
  gsize size, begin, scanned, end;
  gint64 first;    /* where reading began; standard input may not be at 0 */
  gint64 position; /* file offset of data[begin] */
  guint64 number;
  gboolean is_skipping; /* skipping the rest of a line that was rejected */
  gboolean is_torn;
  gboolean has_failed;
  gboolean has_valid; /* a line was valid */

  gboolean is_premature; /* the last line is valid except for its missing end */
  Parser *parser;
};

GQuark
lines_fault_quark (void)
{
  return g_quark_from_static_string ("cudahisto-lines-fault");
}

/* Parses a line without its newline, for lines_next(). */
static LinesKind
lines_parse (Lines *lines, const gchar *text, gsize length, GstStructure **structure, GError **error)
{
  GError *reason = NULL;
  GstStructure *parsed = parser_parse (lines->parser, text, length, &reason);

  lines->is_premature = parsed == NULL && reason->code == PARSER_FAULT_TORN;
  if (parsed == NULL) {
    g_set_error (error, LINES_FAULT, reason->code == PARSER_FAULT_VERSION ? LINES_FAULT_VERSION : LINES_FAULT_LINE,
                 "%s: line %" G_GUINT64_FORMAT " %s", lines->name, lines->number, reason->message);
    g_error_free (reason);
    return LINES_ERROR;
  }
  *structure = parsed;
  lines->has_valid = TRUE;
  return gst_structure_has_name (parsed, "cudahisto-event") ? LINES_EVENT : LINES_RESULT;
}

static gboolean
lines_is_space (gchar character)
{
  return character == ' ' || character == '\t' || character == '\r';
}

static gboolean
lines_is_blank (const gchar *text, gsize length)
{
  for (gsize i = 0; i < length; i++) {
    if (!lines_is_space (text[i]))
      return FALSE;
  }
  return TRUE;
}

/* Makes space for another block. FALSE: the line is too long. */
static gboolean
lines_reserve (Lines *lines)
{
  if (lines->begin > 0) {
    memmove (lines->data, lines->data + lines->begin, lines->end - lines->begin);
    lines->scanned -= lines->begin;
    lines->end -= lines->begin;
    lines->begin = 0;
  }
  if (lines->size - lines->end >= BLOCK_BYTES)
    return TRUE;
  if (lines->size >= MAX_LINE_BYTES)
    return FALSE;
  lines->size = MIN (MAX (lines->size * 2, 2 * BLOCK_BYTES), MAX_LINE_BYTES + BLOCK_BYTES);
  lines->data = g_realloc (lines->data, lines->size);
  return TRUE;
}

typedef enum { FILL_MORE, FILL_END, FILL_FAILED } Fill;

static Fill
lines_fill (Lines *lines, GError **error)
{
  const gssize length = read (lines->fd, lines->data + lines->end, lines->size - lines->end);

  if (length > 0) {
    lines->end += (gsize)length;
    return FILL_MORE;
  }
  if (length == 0 && !lines->is_file)
    lines->is_over = TRUE;
  if (length == 0 || errno == EINTR || errno == EAGAIN)
    return FILL_END;
  lines->has_failed = TRUE;
  g_set_error (error, LINES_FAULT, LINES_FAULT_READ, "%s cannot be read after line %" G_GUINT64_FORMAT ": %s", lines->name,
               lines->number, g_strerror (errno));
  return FILL_FAILED;
}

/* Skips `length` bytes. */
static void
lines_advance (Lines *lines, gsize length)
{
  lines->begin += length;
  lines->position += (gint64)length;
  lines->scanned = MAX (lines->scanned, lines->begin);
}

/* Checks the first bytes of the file (three, or all), and skips a byte order mark. FALSE: the file is not UTF-8 lines. */
static gboolean
lines_check_start (Lines *lines, GError **error)
{
  const gchar *start = lines->data + lines->begin;
  const gsize length = lines->end - lines->begin;
  const gchar *what = NULL;

  if (length >= 3 && memcmp (start, "\xef\xbb\xbf", 3) == 0)
    lines_advance (lines, 3);
  else if (length >= 2 && (memcmp (start, "\xff\xfe", 2) == 0 || memcmp (start, "\xfe\xff", 2) == 0))
    what = "is UTF-16, as the > of PowerShell writes it: convert it to UTF-8 with iconv";
  else if (length >= 2 && memcmp (start, "\x1f\x8b", 2) == 0)
    what = "is compressed: unpack it first, as in `zcat FILE | cudahisto show -`";
  if (what == NULL)
    return TRUE;
  lines->has_failed = TRUE;
  g_set_error (error, LINES_FAULT, LINES_FAULT_TEXT, "%s %s", lines->name, what);
  return FALSE;
}

/* Handles the data after the last newline, at the end of the file: a complete line without its newline, an invalid one, or an
 * incomplete one (LINES_END). */
static LinesKind
lines_end (Lines *lines, GstStructure **structure, GError **error)
{
  const gsize length = lines->end - lines->begin;
  GError *reason = NULL;
  LinesKind kind;

  lines->is_torn = FALSE;
  if (lines->is_skipping || lines_is_blank (lines->data + lines->begin, length))
    return LINES_END;
  lines->number++;
  kind = lines_parse (lines, lines->data + lines->begin, length, structure, &reason);
  if (kind == LINES_ERROR && lines->is_premature) {
    g_error_free (reason);
    lines->number--;
    lines->is_torn = TRUE;
    return LINES_END;
  }
  if (kind == LINES_ERROR)
    g_propagate_error (error, reason);
  lines->is_skipping = TRUE; /* its newline may follow */
  lines_advance (lines, length);
  return kind;
}

/* Reads up to a newline. LINES_RESULT: *newline points to it. */
static LinesKind
lines_find_newline (Lines *lines, gsize *newline, GError **error)
{
  for (;;) {
    const gchar *found = NULL;

    if (lines->end > lines->scanned)
      found = memchr (lines->data + lines->scanned, '\n', lines->end - lines->scanned);
    if (found != NULL) {
      *newline = (gsize)(found - lines->data);
      return LINES_RESULT;
    }
    lines->scanned = lines->end;
    if (lines->is_skipping)
      lines_advance (lines, lines->end - lines->begin);
    if (!lines_reserve (lines)) {
      lines->number++;
      lines->is_skipping = TRUE;
      lines->has_failed = !lines->has_valid;
      g_set_error (error, LINES_FAULT, lines->has_failed ? LINES_FAULT_TEXT : LINES_FAULT_LINE,
                   "%s: line %" G_GUINT64_FORMAT " is longer than %d MiB, the limit", lines->name, lines->number,
                   MAX_LINE_BYTES >> 20);
      return LINES_ERROR;
    }
    switch (lines_fill (lines, error)) {
    case FILL_MORE:
      break;
    case FILL_END:
      return LINES_END;
    case FILL_FAILED:
      return LINES_ERROR;
    }
  }
}

LinesKind
lines_next (Lines *lines, GstStructure **structure, GError **error)
{
  while (!lines->has_failed) {
    gsize newline = 0, length;
    LinesKind kind = lines_find_newline (lines, &newline, error);
    const gchar *line;

    if (kind == LINES_ERROR)
      return kind;
    if (lines->position == 0 && !lines_check_start (lines, error))
      return LINES_ERROR;
    if (kind == LINES_END)
      return lines_end (lines, structure, error);
    line = lines->data + lines->begin;
    length = newline - lines->begin;
    lines_advance (lines, length + 1);
    lines->is_torn = FALSE;
    if (lines->is_skipping) {
      lines->is_skipping = FALSE;
      continue;
    }
    lines->number++;
    if (!lines_is_blank (line, length))
      return lines_parse (lines, line, length, structure, error);
  }
  return LINES_END;
}

/* FALSE: *error is set. */
static gboolean
lines_open_file (Lines *lines, GError **error)
{
  struct stat about;
  off_t position;

  if (strcmp (lines->path, "-") == 0)
    lines->fd = dup (STDIN_FILENO);
  else
    lines->fd = g_open (lines->path, O_RDONLY | O_CLOEXEC, 0);
  if (lines->fd < 0 || fstat (lines->fd, &about) < 0) {
    g_set_error (error, LINES_FAULT, LINES_FAULT_READ, "%s: %s", lines->name, g_strerror (errno));
    return FALSE;
  }
  if (S_ISDIR (about.st_mode)) {
    g_set_error (error, LINES_FAULT, LINES_FAULT_READ, "%s is a folder: name a sidecar file in it", lines->name);
    return FALSE;
  }
  lines->is_file = S_ISREG (about.st_mode);
  position = lines->is_file ? lseek (lines->fd, 0, SEEK_CUR) : 0;
  lines->first = lines->position = MAX (0, position);
  return TRUE;
}

Lines *
lines_open (const gchar *path, GError **error)
{
  Lines *lines = g_new0 (Lines, 1);

  lines->flags = -1;
  lines->path = g_strdup (path);
  lines->name = strcmp (path, "-") == 0 ? g_strdup ("standard input") : g_filename_display_name (path);
  lines->parser = parser_new ();
  if (lines_open_file (lines, error))
    return lines;
  lines_close (lines);
  return NULL;
}

void
lines_close (Lines *lines)
{
  if (lines == NULL)
    return;
  if (lines->flags != -1) /* other processes share standard input */
    fcntl (lines->fd, F_SETFL, lines->flags);
  if (lines->fd >= 0)
    close (lines->fd);
  parser_free (lines->parser);
  g_free (lines->data);
  g_free (lines->name);
  g_free (lines->path);
  g_free (lines);
}

guint64
lines_get_number (const Lines *lines)
{
  return lines->number;
}

const gchar *const *
lines_get_components (const Lines *lines)
{
  return parser_get_components (lines->parser);
}

gboolean
lines_ends_within_line (const Lines *lines)
{
  return lines->is_torn;
}

gint64
lines_get_position (const Lines *lines)
{
  return lines->position;
}

gint64
lines_get_size (const Lines *lines)
{
  struct stat about;

  return lines->is_file && fstat (lines->fd, &about) == 0 ? about.st_size : -1;
}

gboolean
lines_was_replaced (const Lines *lines)
{
  struct stat open_one, there;

  if (!lines->is_file || fstat (lines->fd, &open_one) < 0)
    return FALSE;
  if (open_one.st_size < lines->position + (gint64)(lines->end - lines->begin))
    return TRUE;
  return strcmp (lines->path, "-") != 0 && g_stat (lines->path, &there) == 0 && there.st_size > 0
         && (there.st_ino != open_one.st_ino || there.st_dev != open_one.st_dev);
}

/* Copies `from` to its end. FALSE: errno has the reason. */
static gboolean
lines_copy (int from, int to)
{
  gchar block[BLOCK_BYTES / 4];
  gssize length;

  while ((length = read (from, block, sizeof block)) != 0) {
    if (length < 0 && errno != EINTR)
      return FALSE;
    for (gssize done = 0, written; done < length; done += written) {
      written = write (to, block + done, (gsize)(length - done));
      if (written < 0)
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
lines_keep (Lines *lines, GError **error)
{
  g_autofree gchar *path = NULL;
  int copy;

  if (lines->is_file)
    return TRUE;
  copy = g_file_open_tmp ("cudahisto-XXXXXX", &path, error);
  if (copy < 0)
    return FALSE;
  g_unlink (path);
  if (!lines_copy (lines->fd, copy) || lseek (copy, 0, SEEK_SET) != 0) {
    g_set_error (error, LINES_FAULT, LINES_FAULT_READ,
                 "%s has to be read twice and cannot be copied to %s: %s. Set TMPDIR to another folder.", lines->name,
                 g_get_tmp_dir (), g_strerror (errno));
    close (copy);
    return FALSE;
  }
  close (lines->fd);
  lines->fd = copy;
  lines->is_file = TRUE;
  lines->first = 0;
  return TRUE;
}

gboolean
lines_rewind (Lines *lines)
{
  if (!lines->is_file || lseek (lines->fd, lines->first, SEEK_SET) != lines->first)
    return FALSE;
  lines->begin = lines->scanned = lines->end = 0;
  lines->position = lines->first;
  lines->number = 0;
  lines->is_skipping = lines->is_torn = lines->has_failed = FALSE;
  return TRUE;
}

void
lines_skip_to_last (Lines *lines)
{
  gint64 last = 0;
  guint64 number = 0;

  if (!lines->is_file)
    return;
  for (gsize newline = 0; lines_find_newline (lines, &newline, NULL) == LINES_RESULT; number++) {
    last = lines->position;
    lines_advance (lines, newline + 1 - lines->begin);
  }
  if (!lines_rewind (lines) || number == 0 || lseek (lines->fd, last, SEEK_SET) != last)
    return;
  lines->position = last;
  lines->number = number - 1;
}

void
lines_wait_no_more (Lines *lines)
{
  const int flags = fcntl (lines->fd, F_GETFL);

  if (lines->is_file || flags == -1 || (flags & O_NONBLOCK) != 0)
    return;
  if (fcntl (lines->fd, F_SETFL, flags | O_NONBLOCK) == 0)
    lines->flags = flags;
}

gboolean
lines_are_over (const Lines *lines)
{
  return lines->is_over || lines->has_failed;
}

const gchar *
lines_get_name (const Lines *lines)
{
  return lines->name;
}
