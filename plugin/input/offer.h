/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers to ALLOCATION queries: upstream allocates buffers in memory that the element reads fastest. */

#pragma once

#include <gst/gst.h>

/* Offers memory if downstream, which has answered, proposes none: `frame_allocator` for raw video, with a pool if the query
 * needs one; `byte_allocator` for other streams. NULL: no offer for such streams. `element` is for the log. FALSE: nothing was
 * offered. */
gboolean gst_cuda_histo_offer_memory (GstElement *element, GstQuery *query, GstAllocator *frame_allocator,
                                      GstAllocator *byte_allocator);

/* Adds `held` buffers to each pool of the answer, because the element holds that number. For raw video without a pool, adds
 * them to the pool that upstream will make. FALSE: nothing was added. */
gboolean gst_cuda_histo_offer_more_buffers (GstQuery *query, guint held);
