/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A source that pushes each file of a sequence as a buffer with the timestamp of its number. GStreamer's imagesequencesrc and
 * multifilesrc do not leave time for missing numbers. */

#pragma once

#include <gst/gst.h>

#include "play/sequence.h"

/* The sequence must outlive the element. The rate is in frames per second. Returns a floating reference. */
GstElement *picture_source_new (const Sequence *sequence, gint numerator, gint denominator);

/* Sets the pad where its pictures are measured. A picture that does not arrive there, and a number without a picture, is
 * reported by the event "cudahisto-damage"; the former also by a warning. */
void picture_source_watch (GstElement *source, GstPad *pad);

/* After the end of the stream: the number of pictures that did not arrive, and the reason for one; NULL: unknown. */
guint picture_source_count_skipped (GstElement *source);
const gchar *picture_source_get_fault (GstElement *source, guint picture);
