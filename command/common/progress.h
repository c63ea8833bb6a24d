/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The progress of a job: a bar on a terminal, with the speed and the time left. */

#pragma once

#include <glib.h>

typedef struct {
  const gchar *name;  /* name of the job, printable */
  guint index, count; /* its index, from 0, and the number of jobs */
  const gchar *unit;  /* of `done`: "frames" */
  gdouble done;
  gdouble position, length; /* a length of 0: unknown */
  gdouble elapsed;          /* seconds */
} Progress;

/* Returns a line of at most `width` columns (at least 17). Parts that do not fit are omitted: the name first, then the bar,
 * then the speed. Free with g_free(). */
gchar *progress_describe (const Progress *progress, guint width);

/* "0:05", "12:34", "1:02:03". Free with g_free(). */
gchar *progress_format_seconds (gdouble seconds);
