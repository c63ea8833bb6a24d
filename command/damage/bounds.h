/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The end of a film file according to its container. The container's outermost structure shows whether the file was cut off,
 * and whether another film follows, as `cat` joins them. Demuxers report neither. */

#pragma once

#include "damage/boundsstream.h"

/* A film in a file of Ogg or GIF. GStreamer may play several of them in sequence. */
typedef struct {
  guint64 start;   /* offset of its first byte */
  guint64 frames;  /* number of frames; 0: unknown */
  gboolean recurs; /* one of its streams has the serial number of a stream of an earlier film */
} BoundsLink;

typedef struct {
  gboolean is_cut;      /* the file ends before its container does */
  gboolean is_unmarked; /* the end mark is missing; Ogg and GIF are otherwise whole, NUT may be cut */
  guint64 joined;       /* offset of the next film; 0: there is none */
  gboolean is_partial;  /* some frames of that film are measured (Ogg) */
  guint64 frames;       /* of the video, from QuickTime's table or the header of AVI or IVF; 0: unknown */
  gboolean is_estimate; /* `frames` is an upper limit, since AVI's header counts empty chunks */
  gboolean is_edited; /* a cut film of MP4 or QuickTime whose edit list skips frames: `frames` and `duration` are the others' */
  guint64 duration;   /* of the video in ns, from the same header; 0: unknown */
  guint64 broken;     /* offset at which its blocks end too early (GIF); 0: they do not */
  GArray *links;      /* BoundsLink, for Ogg and GIF; NULL: unknown */
  guint headers;      /* largest number of packets before the first frame of a link */
} Bounds;

/* Supports AVI, MP4 and QuickTime, Matroska and WebM, FLV, MXF, GIF, IVF, NUT and Ogg. All fields are 0 for other formats, and
 * for files that do not state their end. Reads a few hundred bytes; of GIF the whole file, of IVF each frame's header, of Ogg
 * each page's header. End with bounds_clear(). */
Bounds bounds_read (const gchar *path);

/* The same for a film that was not read from a file. Supports AVI, MP4 and QuickTime, Matroska and WebM, and FLV. `frames` of
 * AVI is 0. */
Bounds bounds_read_stream (const BoundsStream *stream);

void bounds_clear (Bounds *bounds);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bounds, bounds_clear)

/* Reads the number of frames and the duration, in ns, that the header of MP4, QuickTime, AVI or IVF has of a video track. 0:
 * unknown, or another format. `track`: its number in GStreamer's stream IDs. */
void bounds_read_track (const gchar *path, guint track, guint64 *frames, guint64 *duration);

/* For a file of Ogg or GIF: returns the offset of the first film of which no frame was measured, and sets *before to the number
 * of frames before it. 0: there is no such film. `frames` may include the films' header packets. */
guint64 bounds_find_unmeasured (const Bounds *bounds, guint64 frames, guint64 *before);

/* The same for joined films that share a serial number. GStreamer takes them for one film and loses frames. Returns the offset
 * of the first film after the initial one whose frames are not all among the `frames` measured. */
guint64 bounds_find_mixed (const Bounds *bounds, guint64 frames, guint64 *before);
