/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element's own threads. They post STREAM_STATUS messages as GStreamer's threads do, so that applications can set priority
 * and affinity. */

#pragma once

#include <gst/gst.h>

/* Starts a thread that calls `function` with `data`. `name` has at most 15 characters, the system's limit. `owner` outlives the
 * thread and posts STREAM_STATUS messages with the GThread as their object: the caller posts CREATE before `function` runs, the
 * thread posts ENTER and LEAVE. `owner` NULL: no messages. End the thread with gst_cuda_histo_thread_end() or g_thread_join().
 * Returns NULL with @error (domain G_THREAD_ERROR) if the system refuses. */
GThread *gst_cuda_histo_thread_new (GstElement *owner, const gchar *name, GThreadFunc function, gpointer data, GError **error);

/* Waits until a thread that is about to end has ended. If the caller is that thread (in a handler of a message that it posted),
 * does not wait: posts LEAVE at once and keeps `owner` (may be NULL) alive until the thread ends. Takes `thread`. */
void gst_cuda_histo_thread_end (GThread *thread, GstElement *owner);
