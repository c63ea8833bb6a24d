/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a film's container and stream headers declare, read without decoding the film (GstDiscoverer). */

#pragma once

#include <gst/gst.h>

typedef struct {
  GstClockTime duration;   /* GST_CLOCK_TIME_NONE: not declared */
  guint64 frames;          /* of the duration and the frame rate; 0: unknown */
  gint rate_n, rate_d;     /* frames per second; rate_n 0: variable or unknown */
  const gchar *range;      /* "full", "limited", or NULL */
  guint depth;             /* bits per sample; 0: unknown */
  guint max_cll, max_fall; /* nits; 0: not declared */
} Declaration;

/* NULL: the film cannot be read; `error` says why. Free with declaration_free(). */
Declaration *declaration_read (const gchar *where, GError **error);
void declaration_free (Declaration *declaration);
