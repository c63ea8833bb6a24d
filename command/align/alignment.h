/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Alignment: the offset between a film and a reference.
 *
 * For each possible offset, each frame of the film is paired with the nearest frame of the reference. The misfit of an offset
 * is the mean squared difference of the pairs' blocks. The motion is the mean product of the differences of consecutive frames,
 * those of the film and those of the reference: without noise, an offset that is wrong by a frame has about that misfit. */

#pragma once

#include <gst/gst.h>

/* The duration and the number of frames that are compared. */
#define ALIGNMENT_SPAN (6 * GST_SECOND)
#define ALIGNMENT_FRAMES 240

/* Sets *offset, in ns; 0 if the times agree to within half a frame. An offset is found if no other one fits nearly as well.
 * Without such an offset, that of the first frames of both films is found if it fits clearly better than 0, or 0 if it fits as
 * well as any. Returns FALSE if none is found, or if there are too few frames. *moves: there are enough frames, and the film
 * moves. Both arrays hold Signature, in order of time, and are not empty. */
gboolean alignment_find (const GArray *film, const GArray *reference, GstClockTimeDiff *offset, gboolean *moves);
