/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pipeline around uridecodebin, guarded against two defects of GStreamer 1.22.
 *
 * decodebin drops an element's errors until it has connected the element, even those that come after the last step at which it
 * would act on one. A demuxer reads on a thread of its own and may fail in between: its error is lost, and the pipeline waits
 * forever. No signal tells when decodebin has finished, so the guard looks at the errors instead: one that comes from a
 * streaming thread while the element's state is still locked goes to the pipeline's bus directly. Nothing waits for it.
 *
 * The second defect is the subject of decoding/trial.h. */

#ifndef CUDAHISTO_DECODING_GUARD_H
#define CUDAHISTO_DECODING_GUARD_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Guards the elements that the pipeline gets from now on. */
void decoding_guard (GstElement *pipeline);

G_END_DECLS

#endif
