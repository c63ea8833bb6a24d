/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Durations that a source does not know. Demuxers that are not connected to a file first ask the source. GStreamer's sources
 * succeed with the duration -1, and the demuxer then ignores the duration in the film's header. */

#pragma once

#include <gst/gst.h>

/* Makes such queries fail, of the sources that are added to the pipeline from now on. */
void decoding_unknown_watch (GstElement *pipeline);
