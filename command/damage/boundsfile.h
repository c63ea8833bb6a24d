/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A film whose bounds are read, with random access to its bytes. */

#pragma once

#include "damage/bounds.h"
#include "damage/boundsstream.h"

#define BOUNDS_WINDOW 4096 /* bytes that are read at a time */

/* The bytes of a file that were read last. All zeros: none. */
typedef struct {
  guint64 at;
  gsize length;
  guint8 bytes[BOUNDS_WINDOW];
} BoundsWindow;

typedef struct {
  const BoundsStream *stream; /* NULL: the film is a file */
  const guint *track;         /* number of the video track; NULL: find it, for a film that was cut off */
  gint fd;
  guint64 size;
  Bounds bounds;
  BoundsWindow window;
} BoundsFile;

/* FALSE: the film does not have these bytes. */
gboolean bounds_get (BoundsFile *file, guint64 at, gpointer bytes, gsize count);

/* The same with another window, for tables that are read in turn. */
gboolean bounds_get_in (BoundsFile *file, BoundsWindow *window, guint64 at, gpointer bytes, gsize count);

/* Returns a big-endian number of 1 to 8 bytes. */
guint64 bounds_get_big (const guint8 *bytes, guint count);
