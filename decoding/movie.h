/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The box `moov` of an MP4 or QuickTime film, changed so that qtdemux reads the film to its end. */

#ifndef CUDAHISTO_DECODING_MOVIE_H
#define CUDAHISTO_DECODING_MOVIE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstClockTime excess;    /* time by which the duration that qtdemux reports is too long, in ns */
  gboolean is_fragmented; /* further samples are in boxes `moof` */
} DecodingMovie;

/* Changes the box in place. Its size stays the same. `least`: an edit list that skips less does not shorten the film, in ns. */
DecodingMovie decoding_movie_change (guint8 *data, gsize size, GstClockTime least);

G_END_DECLS

#endif
