/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Signatures: what the first frames of a film look like, by which they are found again in another film. */

#ifndef CUDAHISTO_SIGNATURE_H
#define CUDAHISTO_SIGNATURE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGNATURE_COLUMNS 8
#define SIGNATURE_ROWS 8
#define SIGNATURE_BLOCKS (SIGNATURE_COLUMNS * SIGNATURE_ROWS)

/* A frame: its stream time, as references are compared by it, and the mean luma of each block of the picture, 0 to 255. */
typedef struct {
  GstClockTime time;
  gfloat blocks[SIGNATURE_BLOCKS];
} Signature;

/* Decodes up to `n_frames` frames, and up to `span` ns, from the start of a film, and returns an array of Signature. Waits for
 * `timeout` ns, 20 seconds at most (0: 20 seconds), and no longer than until a signal interrupts the command; then the frames
 * so far are returned. NULL: the film is no regular file, cannot be decoded, has no frames, or has frames without times, which
 * its measurement reports. */
GArray *signature_read (const gchar *where, guint n_frames, GstClockTime span, GstClockTime timeout);

G_END_DECLS

#endif
