/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a film file ends by its own account: the container's outermost structure says whether the file was cut off, and
 * whether another film follows in it, as `cat` joins them. Demuxers report neither. */

#ifndef CUDAHISTO_BOUNDS_H
#define CUDAHISTO_BOUNDS_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gboolean is_cut; /* the file ends before its container does */
  guint64 joined;  /* byte at which another film begins; 0: none does */
  guint64 frames;  /* of its video, by AVI's header or QuickTime's table; 0: unknown */
} Bounds;

/* AVI, MP4 and QuickTime, Matroska and WebM, FLV, MXF. Of others, and of files that do not say where they end, all is 0. Reads
 * some hundred bytes. */
Bounds bounds_read (const gchar *path);

G_END_DECLS

#endif
