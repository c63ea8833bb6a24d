/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element's own threads. The application hears of them as of GStreamer's, since it may want to set their priority or
 * affinity. */

#ifndef GST_CUDA_HISTO_THREAD_H
#define GST_CUDA_HISTO_THREAD_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Starts a thread that calls `function` with `data`. `name`: at most 15 characters, so that the system shows it whole. `owner`,
 * which outlives the thread, posts STREAM_STATUS messages with the GThread as their object: CREATE by the caller, before
 * anything of `function` runs, ENTER and LEAVE by the thread itself. NULL: nobody is told. To be ended with
 * gst_cuda_histo_thread_end() or g_thread_join(). NULL with @error (domain G_THREAD_ERROR) where the system refuses. */
GThread *gst_cuda_histo_thread_new (GstElement *owner, const gchar *name, GThreadFunc function, gpointer data, GError **error);

/* Waits for the end of a thread that is about to end. A thread that ends itself, in a handler of a message that it has posted,
 * does not wait: it posts LEAVE at once, runs on to its end, and keeps `owner` (NULL: nobody) alive until then. Takes
 * `thread`. */
void gst_cuda_histo_thread_end (GThread *thread, GstElement *owner);

G_END_DECLS

#endif
