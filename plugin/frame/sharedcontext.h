/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA context that an element shares with others, if any. The element takes it from a neighbour or the application, or
 * makes it, and answers queries with it. Any thread; neighbours may query each other at the same time. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *element; /* its element, borrowed */
  /* A GstCudaContext, or NULL. Written under the lock, which is recursive because GStreamer's library calls set_context() while
   * it looks for a context. The starting and the streaming thread, which alone replace it, read it without the lock. `answer`,
   * the same context, is for CONTEXT queries, under a separate lock: an element that answers a query must not wait for one that
   * queries. */
  GRecMutex lock;
  GstObject *context;
  GMutex answer_lock;
  GstObject *answer;
} GstCudaHistoSharedContext;

void gst_cuda_histo_shared_context_init (GstCudaHistoSharedContext *shared, GstElement *element);
void gst_cuda_histo_shared_context_clear (GstCudaHistoSharedContext *shared);

/* Replaces the context by `context`, which it takes. NULL: no context. */
void gst_cuda_histo_shared_context_replace (GstCudaHistoSharedContext *shared, GstObject *context);

/* For set_context(): takes the context in `from` (NULL: none) if there is none yet and the device matches (-1: any). */
void gst_cuda_histo_shared_context_take (GstCudaHistoSharedContext *shared, GstContext *from, gint device);

/* Makes sure that there is a context: a neighbour's, the application's or a new one. FALSE if impossible. */
gboolean gst_cuda_histo_shared_context_ensure (GstCudaHistoSharedContext *shared, gint device);

/* Answers a CONTEXT query. FALSE: another query, or no context. */
gboolean gst_cuda_histo_shared_context_answer (GstCudaHistoSharedContext *shared, GstQuery *query);

G_END_DECLS
