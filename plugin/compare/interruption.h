/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The interruption of a pipeline's sources, which may block a state change or a seek.
 *
 * A change to a lower state interrupts them too, but only after the last change has ended, which may itself wait for a source:
 * for an HTTP server's answer, for example. A seek may wait for a demuxer that reads an index. No source is stopped before the
 * wait ends, because a stopped source frees data that its unlock() needs. A source that has only just begun to start may not
 * have this data yet, and is not unlocked. */

#pragma once

#include <gst/gst.h>

typedef struct {
  GstElement *pipeline; /* borrowed */
  GMutex lock;
  gboolean is_waiting; /* the pipeline is changing to PLAYING or seeking; its sources must not be stopped */
  GHashTable *begun;   /* for the interrupting thread: since when each source has been starting or started */
} GstCudaHistoInterruption;

void gst_cuda_histo_interruption_init (GstCudaHistoInterruption *interruption, GstElement *pipeline);
void gst_cuda_histo_interruption_clear (GstCudaHistoInterruption *interruption);

/* Call it with TRUE before, and with FALSE after, each state change and seek of the pipeline that may be interrupted. */
void gst_cuda_histo_interruption_set_waiting (GstCudaHistoInterruption *interruption, gboolean is_waiting);

/* Interrupts the waits of sources, if the pipeline is waiting. Call it repeatedly, on one thread. */
void gst_cuda_histo_interruption_make (GstCudaHistoInterruption *interruption);
