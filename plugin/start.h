/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Start, stop and changes of state. */

#pragma once

#include "element.h"

typedef struct {
  gpointer thread;     /* atomic: the GThread that starts the element, or NULL */
  gboolean is_refused; /* for that thread: a handler of a message has requested another state */
} GstCudaHistoStarting;

gboolean gst_cuda_histo_start (GstBaseTransform *base);
gboolean gst_cuda_histo_stop (GstBaseTransform *base);
GstStateChangeReturn gst_cuda_histo_change_state (GstElement *element, GstStateChange transition);
