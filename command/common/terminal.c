/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/terminal.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_WIDTH 20
#define MOST_WIDTH 10000
#define USUAL_WIDTH 80

/* The terminal with the line that is redrawn; -1: none. */
static int line_fd = -1;

gboolean
terminal_is_there (int fd)
{
  return isatty (fd) != 0;
}

gboolean
terminal_can_redraw (int fd)
{
  const gchar *term = g_getenv ("TERM");

  return terminal_is_there (fd) && term != NULL && *term != '\0' && !g_str_equal (term, "dumb");
}

guint
terminal_get_width (int fd)
{
  const gchar *columns = g_getenv ("COLUMNS");
  struct winsize size;
  guint64 width;

  if (columns != NULL && g_ascii_string_to_unsigned (columns, 10, 1, MOST_WIDTH, &width, NULL))
    return MAX ((guint)width, LEAST_WIDTH);
  if (ioctl (fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return CLAMP ((guint)size.ws_col, LEAST_WIDTH, MOST_WIDTH);
  return USUAL_WIDTH;
}

gboolean
terminal_has_colours (int fd)
{
  const gchar *unwanted = g_getenv ("NO_COLOR");
  const gchar *term = g_getenv ("TERM");

  if (unwanted != NULL && *unwanted != '\0')
    return FALSE;
  return terminal_can_redraw (fd) && !g_str_has_prefix (term, "vt1") && !g_str_has_prefix (term, "vt2");
}

gboolean
terminal_is_utf8 (void)
{
  return g_get_charset (NULL);
}

/* Returns the bytes of an escape sequence of colours at the start of the text, or 0. */
static gsize
terminal_measure_escape (const gchar *text)
{
  gsize length;

  if (text[0] != '\033' || text[1] != '[')
    return 0;
  length = 2 + strspn (text + 2, "0123456789;");
  return text[length] == 'm' ? length + 1 : 0;
}

static guint
terminal_measure_character (gunichar character)
{
  if (g_unichar_iszerowidth (character))
    return 0;
  return g_unichar_iswide (character) ? 2 : 1;
}

guint
terminal_measure (const gchar *text)
{
  guint columns = 0;

  while (*text != '\0') {
    const gsize escape = terminal_measure_escape (text);

    if (escape == 0)
      columns += terminal_measure_character (g_utf8_get_char (text));
    text = escape > 0 ? text + escape : g_utf8_next_char (text);
  }
  return columns;
}

gchar *
terminal_cut (const gchar *text, guint width)
{
  GString *cut = g_string_new (NULL);
  guint columns = 0;

  while (*text != '\0') {
    const gsize escape = terminal_measure_escape (text);

    if (escape > 0) {
      g_string_append_len (cut, text, (gssize)escape);
      text += escape;
      continue;
    }
    columns += terminal_measure_character (g_utf8_get_char (text));
    if (columns <= width)
      g_string_append_unichar (cut, g_utf8_get_char (text));
    text = g_utf8_next_char (text);
  }
  return g_string_free (cut, FALSE);
}

/* Control characters, and characters that change the text direction or are invisible. */
static gboolean
terminal_is_obeyed (gunichar character)
{
  switch (g_unichar_type (character)) {
  case G_UNICODE_CONTROL:
  case G_UNICODE_FORMAT:
  case G_UNICODE_LINE_SEPARATOR:
  case G_UNICODE_PARAGRAPH_SEPARATOR:
    return character != 0x200c && character != 0x200d; /* joiners, used in words and emoji */
  default:
    return FALSE;
  }
}

gchar *
terminal_clean (const gchar *text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text, -1);
  GString *clean = g_string_new (NULL);

  for (const gchar *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
    const gunichar character = g_utf8_get_char (at);

    g_string_append_unichar (clean, terminal_is_obeyed (character) ? 0xfffd : character);
  }
  return g_string_free (clean, FALSE);
}

gchar *
terminal_draw_bar (gdouble fraction, guint width)
{
  static const gchar *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
  const gboolean is_utf8 = terminal_is_utf8 ();
  const gdouble filled = fraction > 0 ? MIN (fraction, 1) * width : 0; /* NaN: nothing */
  const guint eighths = is_utf8 ? (guint)(8 * filled + 0.5) : 8 * (guint)(filled + 0.5);
  const guint columns = (eighths + 7) / 8;
  GString *bar = g_string_new (NULL);

  for (guint i = 0; i < eighths / 8; i++)
    g_string_append (bar, is_utf8 ? "█" : "#");
  g_string_append (bar, parts[eighths % 8]);
  for (guint i = columns; i < width; i++)
    g_string_append_c (bar, ' ');
  return g_string_free (bar, FALSE);
}

guint
terminal_get_line_width (int fd)
{
  return terminal_get_width (fd) - 3;
}

void
terminal_draw_line (int fd, const gchar *text)
{
  g_autofree gchar *cut = terminal_cut (text, terminal_get_line_width (fd));
  g_autofree gchar *line = g_strdup_printf ("\r%s\033[K", cut);

  fflush (fd == STDOUT_FILENO ? stdout : stderr);
  if (write (fd, line, strlen (line)) >= 0)
    line_fd = fd;
}

void
terminal_end_line (int fd)
{
  if (line_fd == fd && write (fd, "\n", 1) > 0)
    line_fd = -1;
}

void
terminal_clear_line (int fd)
{
  if (line_fd == fd && write (fd, "\r\033[K", 4) > 0)
    line_fd = -1;
}
