/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that a pipeline around uridecodebin or decodebin needs to decode films faithfully: the choice of decoders, the guard, the
 * end of demuxers, edit lists, PNG, AVI without an index, and unknown durations. */

#pragma once

#include <gst/gst.h>

/* Watches the elements that are added to the pipeline from now on, and chooses the decoders of `source`, the uridecodebin or
 * decodebin. Call it once, before the source starts. */
void decoding_watch (GstElement *pipeline, GstElement *source);

/* Sets up the sink of such a pipeline, a fakesink or an appsink: it keeps no buffer, and waits for the clock only if the source
 * `is_live`. It is not async: for a live source, uridecodebin may leave its ASYNC_START on the pipeline, which then waits for
 * its sink in PAUSED forever (GStreamer 1.22). */
void decoding_prepare_sink (GstElement *sink, gboolean is_live);

/* Leaves a pipeline without a clock if `uri` is a file (or NULL: pictures that the caller reads). GStreamer's sources give
 * their first buffer the timestamp 0 if they have a clock by then, and none if not, which depends on the threads. Cameras and
 * networks keep the clock that their timestamps are from. Call it before the pipeline starts. */
void decoding_choose_clock (GstElement *pipeline, const gchar *uri);
