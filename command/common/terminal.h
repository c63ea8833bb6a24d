/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is printed for people: how wide, in which colours, and in place. */

#ifndef CUDAHISTO_TERMINAL_H
#define CUDAHISTO_TERMINAL_H

#include <glib.h>

G_BEGIN_DECLS

/* Whether a file descriptor is a terminal, and how wide it is in columns: COLUMNS, else what the terminal says, else 80. At
 * least 20. */
gboolean terminal_is_there (int fd);
guint terminal_get_width (int fd);

/* Whether it is a terminal on which a line can be drawn in place of the one before: TERM=dumb obeys no sequences. */
gboolean terminal_can_redraw (int fd);

/* Colours are used on a terminal whose TERM has any, unless NO_COLOR is set (https://no-color.org). */
gboolean terminal_has_colours (int fd);

/* Whether the locale's encoding is UTF-8, so that blocks and other characters beyond ASCII can be drawn. */
gboolean terminal_is_utf8 (void);

/* Columns that the text takes, wide and combining characters counted as terminals draw them; a copy that is cut to at most
 * `width` of them; and one in which control characters and what is not UTF-8 are U+FFFD. Escape sequences of colours ("\033["
 * to "m") take no column, and are not cut off; terminal_clean() replaces theirs, too. Free with g_free(). */
guint terminal_measure (const gchar *text);
gchar *terminal_cut (const gchar *text, guint width);
gchar *terminal_clean (const gchar *text);

/* A bar of `width` columns in eighths of a block, filled from 0 to `fraction` (0 to 1), blanks behind it; '#' where the locale
 * is not UTF-8. Free with g_free(). */
gchar *terminal_draw_bar (gdouble fraction, guint width);

/* How wide a line may be that is drawn again and again in the same place of the terminal `fd`: less than that is, so that the
 * cursor, and the "^C" that a terminal shows, stay on it. terminal_draw_line() cuts it to that; terminal_end_line() leaves it
 * and goes below; terminal_clear_line() takes it away. There is one such line in a process; both do nothing where there is none
 * on that terminal. */
guint terminal_get_line_width (int fd);
void terminal_draw_line (int fd, const gchar *text);
void terminal_end_line (int fd);
void terminal_clear_line (int fd);

G_END_DECLS

#endif
