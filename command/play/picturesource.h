/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A source that pushes the files of a sequence, one a buffer, each at the time of its place. GStreamer's imagesequencesrc and
 * multifilesrc count on without gaps. */

#ifndef CUDAHISTO_PICTURESOURCE_H
#define CUDAHISTO_PICTURESOURCE_H

#include <gst/gst.h>

#include "play/sequence.h"

G_BEGIN_DECLS

/* The sequence must outlive the element. The rate is in frames a second. Floating. */
GstElement *picture_source_new (const Sequence *sequence, gint numerator, gint denominator);

/* Where its pictures are measured. Each that does not come there, and each number without a picture, is reported by the event
 * "cudahisto-damage", and the former by a warning. */
void picture_source_watch (GstElement *source, GstPad *pad);

/* Once the stream has ended: the pictures that did not come there, and why one could not; NULL: unknown. */
guint picture_source_count_left_out (GstElement *source);
const gchar *picture_source_get_fault (GstElement *source, guint picture);

G_END_DECLS

#endif
