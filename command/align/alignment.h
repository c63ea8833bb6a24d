/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Alignment: the offset between a film and a reference.
 *
 * Frames look alike if their blocks have the same mean luma. For each possible offset, each frame of the film is paired with
 * the nearest frame of the reference. The misfit of an offset is the mean difference of the pairs' blocks, divided by the mean
 * difference of consecutive frames of the film. It is 0 if the frames are the same, and about 1 if they are one frame apart. */

#pragma once

#include <gst/gst.h>

/* The duration and the number of frames that are compared. */
#define ALIGNMENT_SPAN (6 * GST_SECOND)
#define ALIGNMENT_FRAMES 240

/* Sets *offset, in ns; 0 if the times agree to within half a frame. Returns FALSE if no offset fits, if several fit, or if
 * there are too few frames. *fits_nowhere: the film moves, and no offset fits. Both arrays hold Signature, in order of time. */
gboolean alignment_find (const GArray *film, const GArray *reference, GstClockTimeDiff *offset, gboolean *fits_nowhere);
