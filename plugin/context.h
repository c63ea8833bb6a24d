/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA context in which frames are counted. "FALSE after a failure" means that an element error was posted. */

#pragma once

#include "element.h"
#include "frame/sharedcontext.h"

typedef struct {
  GstCudaHistoSharedContext shared; /* any thread */
  gint takes_cuda;                  /* atomic; while started: frames on the GPU are accepted */
} GstCudaHistoContextUse;

/* Whether frames on the GPU are accepted; while stopped, whether they may be. Any thread. */
gboolean gst_cuda_histo_takes_cuda (GstCudaHisto *self);

/* If the process has loaded GStreamer's CUDA library, counts in the context that neighbours share, or makes one, which elements
 * that start later can query. Otherwise loads nothing, and the engine opens its own context. */
void gst_cuda_histo_look_for_context (GstCudaHisto *self);

void gst_cuda_histo_set_context (GstElement *element, GstContext *context);

/* Before each frame on the GPU: changes to `context`, a neighbour's, if it is not the present one. FALSE after a failure, and
 * while flushing. */
gboolean gst_cuda_histo_follow_context (GstCudaHisto *self, GstObject *context);

/* Before the first frame on the GPU. FALSE after a failure, and while flushing. */
gboolean gst_cuda_histo_prepare_for_cuda (GstCudaHisto *self);
