/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Queries, accepted caps, and memory offered upstream. */

#pragma once

#include "element.h"

/* Under the object lock. */
typedef struct {
  gchar *text;       /* last message about refused raw video; NULL: none since the start or the last change of caps */
  gboolean is_fatal; /* the message was an error, not a warning */
} GstCudaHistoRefused;

GstCaps *gst_cuda_histo_transform_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter);
void gst_cuda_histo_forget_refusal (GstCudaHisto *self);
gboolean gst_cuda_histo_accept_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps);
gboolean gst_cuda_histo_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query);
gboolean gst_cuda_histo_propose_allocation (GstBaseTransform *base, GstQuery *decide_query, GstQuery *query);
