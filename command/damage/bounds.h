/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a film file ends by its own account: the container's outermost structure says whether the file was cut off, and
 * whether another film follows in it, as `cat` joins them. Demuxers report neither. */

#ifndef CUDAHISTO_BOUNDS_H
#define CUDAHISTO_BOUNDS_H

#include <glib.h>

G_BEGIN_DECLS

/* A film in a file of Ogg or GIF, of which GStreamer may measure one behind the other. */
typedef struct {
  guint64 start;   /* byte at which it begins */
  guint64 frames;  /* that are in it; 0: unknown */
  gboolean recurs; /* a stream of it has the serial number of a stream of an earlier film */
} BoundsLink;

typedef struct {
  gboolean is_cut;      /* the file ends before its container does */
  gboolean is_unmarked; /* the end mark is missing; Ogg and GIF are otherwise whole, NUT may be cut */
  guint64 joined;       /* byte at which another film begins; 0: none does */
  gboolean is_partial;  /* some frames of that film, of Ogg, are measured */
  guint64 frames;       /* of its video, by QuickTime's table, or AVI's or IVF's header; 0: unknown */
  gboolean is_estimate; /* `frames` is: AVI's header counts empty chunks */
  guint64 duration;     /* of its video in ns, by the same header; 0: unknown */
  guint64 broken;       /* byte at which its blocks end before it does, of GIF; 0: they do not */
  GArray *links;        /* BoundsLink, of Ogg and GIF; NULL: unknown */
  guint headers;        /* packets before the first frame of a link, at most */
} Bounds;

/* AVI, MP4 and QuickTime, Matroska and WebM, FLV, MXF, GIF, IVF, NUT, Ogg. Of others, and of files that do not say where
 * they end, all is 0. Reads some hundred bytes, but all of a GIF, the head of each frame of IVF, and of each page of
 * Ogg. End with bounds_clear(). */
Bounds bounds_read (const gchar *path);
void bounds_clear (Bounds *bounds);

/* In a file of Ogg or GIF: offset of the first film of which no frame was measured; *before: the frames before it. 0: there is
 * none. The heads of films may count among `frames`. */
guint64 bounds_find_unmeasured (const Bounds *bounds, guint64 frames, guint64 *before);

/* The same of joined films with a serial number in common: GStreamer takes them for one, and loses frames. Offset of the first
 * film, after the one at the start of the file, that is not wholly among the `frames` measured. */
guint64 bounds_find_mixed (const Bounds *bounds, guint64 frames, guint64 *before);

G_END_DECLS

#endif
