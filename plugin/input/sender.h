/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pad upstream that sends caps. */

#ifndef GST_CUDA_HISTO_SENDER_H
#define GST_CUDA_HISTO_SENDER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The caps that a pad upstream of `sinkpad` sends at this moment, or NULL. The caller unrefs them.
 *
 * The pad is the peer, or lies behind elements that hand on caps as they come, as queue does. Such an element asks downstream
 * before it accepts a CAPS event: if downstream refuses, the event never leaves the element. A query of another origin has no
 * sender: after a new link, for example, the source pad has caps that it has not sent there. */
GstCaps *gst_cuda_histo_sender_get_caps (GstPad *sinkpad);

G_END_DECLS

#endif
