/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Demuxers that do not end where their data does.
 *
 * - libav's read on after the end. GStreamer 1.22 returns 0 bytes there, which FFmpeg 5 takes for "not yet". Demuxers such as
 *   those of GIF and NUT then retry forever, and no element after them gets EOS.
 * - ivfparse fails at a frame without data, such as the zeros after a film whose recording or download broke off, and at one
 *   that claims 4 GiB. It then sends EOS, but an error of the pipeline would lose the frames that the decoder holds. */

#pragma once

#include <gst/gst.h>

/* Watches the demuxers that are added to the pipeline from now on. If one that reads a file asks many times in a row for data
 * after the file's end, it gets an error. It then ends, and what it has read is decoded. */
void decoding_ending_watch (GstElement *pipeline);

/* A demuxer whose data is pushed, as from a pipe, shows no activity while it retries. Sends EOS after each of them whose data
 * has ended. Call it once the pipeline has been inactive for long. It may block. FALSE: there was none. */
gboolean decoding_ending_force (GstElement *pipeline);

/* Returns a warning to post in place of this error of an element, if it is ivfparse's at such a frame; otherwise NULL.
 * Pipes are excluded: their source also posts an error. */
GstMessage *decoding_ending_soften (GstElement *element, GstMessage *error);
