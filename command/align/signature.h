/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Signatures: the first frames of a film, reduced to a few numbers each, to find the same frames in another film. */

#pragma once

#include <gst/gst.h>

#define SIGNATURE_COLUMNS 64
#define SIGNATURE_ROWS 64
#define SIGNATURE_BLOCKS (SIGNATURE_COLUMNS * SIGNATURE_ROWS)

/* A frame: its stream time, by which frames are paired, and the mean luma of each block of the picture, 0 to 255. */
typedef struct {
  GstClockTime time;
  gfloat blocks[SIGNATURE_BLOCKS];
} Signature;

/* Decodes up to `n_frames` frames, and up to `span` ns, from the start of a film, and returns an array of Signature. Waits for
 * `timeout` ns, at most 20 seconds (0: 20 seconds); then, or if a signal interrupts the command, returns the frames so far.
 * NULL: the film is not a regular file, cannot be decoded, or has no frames or no times. Its measurement reports the reason. */
GArray *signature_read (const gchar *where, guint n_frames, GstClockTime span, GstClockTime timeout);
