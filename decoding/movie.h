/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The box `moov` of an MP4 or QuickTime film, changed so that qtdemux reads the film to its end. */

#pragma once

#include <gst/gst.h>

typedef struct {
  GstClockTime excess;    /* time by which the duration that qtdemux reports is too long, in ns */
  gboolean is_fragmented; /* further samples are in boxes `moof` */
} DecodingMovie;

/* Changes the box in place. Its size stays the same. `least`: an edit list that skips less does not shorten the film, in ns. */
DecodingMovie decoding_movie_change (guint8 *data, gsize size, GstClockTime least);
