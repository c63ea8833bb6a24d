/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows: which frames or bytes one result covers. Pure arithmetic on positions and times; no buffer, no thread. */

#ifndef GST_CUDA_HISTO_WINDOW_H
#define GST_CUDA_HISTO_WINDOW_H

#include <gst/gst.h>

#include "count/position.h"
#include "result/result.h"

G_BEGIN_DECLS

/**
 * GstCudaHistoWindowMode:
 * @GST_CUDA_HISTO_WINDOW_AUTO: buffer for video, stream for bytes
 * @GST_CUDA_HISTO_WINDOW_BUFFER: each buffer
 * @GST_CUDA_HISTO_WINDOW_STREAM: everything until EOS
 * @GST_CUDA_HISTO_WINDOW_BYTES: each `window-size` bytes, across buffers
 *
 * What one result covers.
 */
typedef enum {
  GST_CUDA_HISTO_WINDOW_AUTO,
  GST_CUDA_HISTO_WINDOW_BUFFER,
  GST_CUDA_HISTO_WINDOW_STREAM,
  GST_CUDA_HISTO_WINDOW_BYTES
} GstCudaHistoWindowMode;

typedef struct {
  /* set by the owner, who may change interval at any time */
  GstCudaHistoWindowMode mode; /* never AUTO */
  guint64 size;                /* BYTES: bytes to the boundary, at least 1 */
  /* A result covers at least this much running time (less 1 ns, since times are rounded down); 0: every window is reported. */
  GstClockTime interval;
  /* STREAM: `interval` divides the stream, between buffers that have times. FALSE: one window is all of the stream. */
  gboolean divides_stream;

  /* private */
  gboolean is_open;
  GstCudaHistoSpan span;
  guint64 to_boundary; /* BYTES: bytes that still belong before the next boundary */
  GstClockTime latest; /* the last timestamp in the window, or NONE */
  gboolean went_back;  /* a timestamp in the window was less than the one before */
  GstClockTime opened; /* `arrival` of its first buffer */
} GstCudaHistoWindow;

void gst_cuda_histo_window_init (GstCudaHistoWindow *window, GstCudaHistoWindowMode mode, guint64 size, GstClockTime interval);

/* Whether `arrival` of what is added next is needed: reading the clock costs a small buffer as much as all else here. */
gboolean gst_cuda_histo_window_wants_arrival (const GstCudaHistoWindow *window);

/* How many of the next `size` bytes belong to the window before a boundary is reached: all, but in BYTES mode. At least 1 for a
 * `size` of at least 1. Before a window is opened, the answer is for the one that will be. */
guint64 gst_cuda_histo_window_take (const GstCudaHistoWindow *window, guint64 size);

/* Adds a frame, or `size` bytes that gst_cuda_histo_window_take() allowed. `starts_buffer` is FALSE for all but the first piece
 * of a buffer that is added in pieces, `ends_buffer` for all but the last. Opens the window if need be.
 *
 * TRUE where the window is to be closed with this piece. That takes two things, else it goes on: a place where the mode ends
 * windows (BUFFER: the end of the buffer; BYTES: a boundary; STREAM: none, but see divides_stream), and `interval` of running
 * time since the window opened. Where running times are unknown, or jump back before the window's start, it is the time since
 * the window's first buffer came. */
gboolean gst_cuda_histo_window_add (GstCudaHistoWindow *window, const GstCudaHistoPosition *position, guint64 size,
                                    gboolean starts_buffer, gboolean ends_buffer);

/* Ends the window, early or not, for the reason that `ended_by` gives; the next BYTES window is a whole one again. FALSE, and
 * *span untouched, where none is open. The span's times are those of the buffer in which the window opened; its duration
 * reaches to the end of the last buffer that was added, whole or in part, and is unknown where either end is, or where time
 * went back, as it does at a negative rate. `size` is 0 for video. */
gboolean gst_cuda_histo_window_close (GstCudaHistoWindow *window, GstCudaHistoEndedBy ended_by, GstCudaHistoSpan *span);

G_END_DECLS

#endif
