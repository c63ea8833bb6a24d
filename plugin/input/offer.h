/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Offers: what the element answers to an ALLOCATION query, so that buffers are made in memory that it likes to count from. */

#ifndef GST_CUDA_HISTO_OFFER_H
#define GST_CUDA_HISTO_OFFER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Offers memory where downstream, which has answered, has none to offer: for raw video `frame_allocator`, and a
 * pool of it where one is asked for; for other streams `byte_allocator`. NULL: none for such streams. `element` is
 * for the log. FALSE: nothing was offered. */
gboolean gst_cuda_histo_offer_memory (GstElement *element, GstQuery *query, GstAllocator *frame_allocator,
                                      GstAllocator *byte_allocator);

/* Asks for `held` buffers more, because so many are held: in each pool of the answer or, for raw video without one, in the pool
 * that upstream makes. FALSE: nothing was asked for. */
gboolean gst_cuda_histo_offer_more_buffers (GstQuery *query, guint held);

G_END_DECLS

#endif
