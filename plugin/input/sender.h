/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pad upstream that sends caps. */

#pragma once

#include <gst/gst.h>

/* Returns the caps that a pad upstream of `sinkpad` is sending at this moment, or NULL. The caller unrefs them.
 *
 * The pad is the peer, or upstream of elements that pass caps on unchanged, such as queue. Such an element queries downstream
 * before it accepts a CAPS event: if downstream refuses, the event never leaves the element. A query without a CAPS event has
 * no sender: after a new link, for example, the source pad has caps that it has not sent. */
GstCaps *gst_cuda_histo_sender_get_caps (GstPad *sinkpad);

/* Whether that pad, or one between, has caps: it has sent them, perhaps to another element, or is sending them. */
gboolean gst_cuda_histo_sender_has_caps (GstPad *sinkpad);
