/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures and bytes on their way to the counter. On the streaming thread. */

#pragma once

#include "element.h"
#include "frame/frame.h"

/* Adds a frame, bytes or picture `index` of a buffer, to the counter, with all its parts. Takes `frame`. FALSE after a failure
 * and while flushing: none of its frames is in the window. */
gboolean gst_cuda_histo_count_picture (GstCudaHisto *self, GstCudaHistoFrame *frame, guint index);

/* Adds a frame of gathered bytes to the counter. Takes `gathered`, which may be NULL. FALSE after a failure. */
gboolean gst_cuda_histo_count_gathered (GstCudaHisto *self, GstCudaHistoFrame *gathered);

/* Adds all gathered bytes to the counter. FALSE after a failure. */
gboolean gst_cuda_histo_flush_gathered (GstCudaHisto *self);
