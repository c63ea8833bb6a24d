/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Alignment: how much later the frames of a film are than the same frames of a reference.
 *
 * Frames look alike whose blocks have the same mean luma. For each distance between a frame of the film and one of the
 * reference, the frames that have it are paired, each with the nearest. The mean difference of the pairs' blocks, divided by
 * the mean difference of frames of the film from the ones before them, is the misfit of that distance: 0 if the frames are the
 * same, about 1 if they are one frame apart. */

#ifndef CUDAHISTO_ALIGNMENT_H
#define CUDAHISTO_ALIGNMENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* How long, and how many frames, of each are looked at. */
#define ALIGNMENT_SPAN (6 * GST_SECOND)
#define ALIGNMENT_FRAMES 240

/* *offset, in ns; 0 if frames of the same time, or less than half a frame apart, belong together. FALSE: none fits, several do,
 * or there are too few frames. Both are arrays of Signature in order of time. */
gboolean alignment_find (const GArray *film, const GArray *reference, GstClockTimeDiff *offset);

G_END_DECLS

#endif
