/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How far a job is: a bar on a terminal, with the speed and the time left. */

#ifndef CUDAHISTO_PROGRESS_H
#define CUDAHISTO_PROGRESS_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  const gchar *name;  /* what is worked on, printable */
  guint index, count; /* the index-th, from 0, of so many */
  const gchar *unit;  /* of `done`: "frames" */
  gdouble done;
  gdouble position, length; /* how far, of how much; a length of 0: not known */
  gdouble elapsed;          /* seconds */
} Progress;

/* A line of at most `width` columns, from 17 on. What does not fit is left out, the name first, then the bar, then the speed.
 * Free with g_free(). */
gchar *progress_describe (const Progress *progress, guint width);

/* "0:05", "12:34", "1:02:03". Free with g_free(). */
gchar *progress_format_seconds (gdouble seconds);

G_END_DECLS

#endif
