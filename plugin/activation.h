/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pads: push or pull, and the downstream link. */

#pragma once

#include "element.h"
#include "input/puller.h"

/* For the lifetime of the element. */
typedef struct {
  GstCudaHistoPuller *puller;
  GstPadActivateModeFunction activate_sink_in_base; /* the base class's functions */
  GstPadEventFunction receive_event_in_base;        /* of the sink pad */
  gint is_pulling;                                  /* atomic: from the puller's start to its stop */
  gint is_before_fakesink;                          /* atomic: linked directly to a fakesink that does not report its buffers */
} GstCudaHistoPads;

/* `receive_event`: the sink pad's function. `report_segment`: called at the end of a segment that the element pulls. */
void gst_cuda_histo_init_pads (GstCudaHisto *self, GstPadEventFullFunction receive_event,
                               void (*report_segment) (GstElement *element));

/* Checks the downstream link. Sets and returns `is_before_fakesink`: then downstream does not see the sizes of buffers or write
 * to them. Called when the pads are activated, which decides on pull mode, and whenever a link there changes, which decides on
 * holding buffers. */
gboolean gst_cuda_histo_look_downstream (GstCudaHisto *self);
