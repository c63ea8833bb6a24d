/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA context that an element shares with others, or none: taken from a neighbour or the application, or made, and given
 * to those who ask. Any thread may call, and neighbours may ask each other at the same time. */

#ifndef GST_CUDA_HISTO_SHAREDCONTEXT_H
#define GST_CUDA_HISTO_SHAREDCONTEXT_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *element; /* whose it is, borrowed */
  /* A GstCudaContext, or NULL. Written under the lock, which is recursive because GStreamer's library calls set_context() while
   * it looks for a context. Start and the streaming thread, which alone replace it, read it without. `answer`, the same
   * context, is for CONTEXT queries, under a lock of its own: an element that is asked must not wait for one that asks. */
  GRecMutex lock;
  GstObject *context;
  GMutex answer_lock;
  GstObject *answer;
} GstCudaHistoSharedContext;

void gst_cuda_histo_shared_context_init (GstCudaHistoSharedContext *shared, GstElement *element);
void gst_cuda_histo_shared_context_clear (GstCudaHistoSharedContext *shared);

/* Replaces the context with `context`, which it takes; NULL: with none. */
void gst_cuda_histo_shared_context_replace (GstCudaHistoSharedContext *shared, GstObject *context);

/* What set_context() does: takes the context that `from` has (NULL: none), if there is none yet and it is on the right
 * device (-1: any). */
void gst_cuda_histo_shared_context_take (GstCudaHistoSharedContext *shared, GstContext *from, gint device);

/* Makes sure that there is a context: a neighbour's, the application's or a new one. FALSE where there is none. */
gboolean gst_cuda_histo_shared_context_ensure (GstCudaHistoSharedContext *shared, gint device);

/* Answers a CONTEXT query. FALSE: not asked for, or nothing to say. */
gboolean gst_cuda_histo_shared_context_answer (GstCudaHistoSharedContext *shared, GstQuery *query);

G_END_DECLS

#endif
