/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pipeline around uridecodebin, guarded against two defects of GStreamer 1.22.
 *
 * decodebin drops an element's errors until it has connected the element, even errors that come too late for decodebin to
 * handle. A demuxer reads on its own thread and may fail in between: its error is lost, and the pipeline waits forever. No
 * signal reports when decodebin has finished. So the guard watches the errors: one that comes from a streaming thread while the
 * element's state is still locked goes directly to the pipeline's bus.
 *
 * decoding/trial.h describes the second defect. */

#pragma once

#include <gst/gst.h>

/* Guards the elements that are added to the pipeline from now on. */
void decoding_guard (GstElement *pipeline);
