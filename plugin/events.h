/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events of the pads. */

#pragma once

#include "element.h"

GstFlowReturn gst_cuda_histo_receive_event (GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_cuda_histo_sink_event (GstBaseTransform *base, GstEvent *event);
gboolean gst_cuda_histo_src_event (GstBaseTransform *base, GstEvent *event);
gboolean gst_cuda_histo_send_event (GstElement *element, GstEvent *event);

/* The puller's callback at the end of a segment. */
void gst_cuda_histo_report_segment (GstElement *element);
