/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Output on a terminal: width, colours, and redrawn lines. */

#pragma once

#include <glib.h>

/* Whether a file descriptor is a terminal, and its width in columns: COLUMNS, otherwise the terminal's, otherwise 80; at least
 * 20. */
gboolean terminal_is_there (int fd);
guint terminal_get_width (int fd);

/* Whether a line on the terminal can be redrawn. TERM=dumb supports no escape sequences. */
gboolean terminal_can_redraw (int fd);

/* Whether to use colours: on a terminal whose TERM has them, unless NO_COLOR is set (https://no-color.org). */
gboolean terminal_has_colours (int fd);

/* Whether the locale's encoding is UTF-8, which block characters need. */
gboolean terminal_is_utf8 (void);

/* terminal_measure() returns the columns of a text, with wide and combining characters. terminal_cut() returns a copy cut to at
 * most `width` columns. Escape sequences of colours ("\033[" to "m") take no column and are kept. terminal_clean() returns a
 * copy with U+FFFD in place of control characters, including those of escape sequences, and of invalid UTF-8. Free with
 * g_free(). */
guint terminal_measure (const gchar *text);
gchar *terminal_cut (const gchar *text, guint width);
gchar *terminal_clean (const gchar *text);

/* A bar of `width` columns in eighths of a block, filled from 0 to `fraction` (0 to 1), padded with blanks; '#' if the locale
 * is not UTF-8. Free with g_free(). */
gchar *terminal_draw_bar (gdouble fraction, guint width);

/* A line that is redrawn in place on the terminal `fd`. Its width is limited, so that the cursor and the "^C" that a terminal
 * prints stay on it. terminal_draw_line() cuts the text to that width; terminal_end_line() keeps it and moves to the next line;
 * terminal_clear_line() erases it. A process has one such line; the last two do nothing if there is none on that terminal. */
guint terminal_get_line_width (int fd);
void terminal_draw_line (int fd, const gchar *text);
void terminal_end_line (int fd);
void terminal_clear_line (int fd);
