/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows: the frames or bytes that one result covers. Pure arithmetic on positions and times, without buffers or threads. */

#pragma once

#include <gst/gst.h>

#include "count/position.h"
#include "result/result.h"

/* The part of the stream that one result covers. */
typedef enum {
  GST_CUDA_HISTO_WINDOW_AUTO,
  GST_CUDA_HISTO_WINDOW_BUFFER,
  GST_CUDA_HISTO_WINDOW_STREAM,
  GST_CUDA_HISTO_WINDOW_BYTES
} GstCudaHistoWindowMode;

typedef struct {
  /* set by the owner, which may change `interval` at any time */
  GstCudaHistoWindowMode mode; /* never AUTO */
  guint64 size;                /* BYTES: bytes between boundaries, at least 1 */
  /* A result covers at least this running time (less 1 ns, since times are rounded down). 0: each window is reported. */
  GstClockTime interval;
  /* STREAM: `interval` divides the stream between buffers that have times. FALSE: one window covers the stream. */
  gboolean divides_stream;

  /* private */
  gboolean is_open;
  GstCudaHistoSpan span;
  guint64 to_boundary; /* BYTES: bytes before the next boundary */
  GstClockTime latest; /* last timestamp in the window, or NONE */
  gboolean went_back;  /* a timestamp in the window was less than the one before */
  GstClockTime opened; /* `arrival` of its first buffer */
} GstCudaHistoWindow;

void gst_cuda_histo_window_init (GstCudaHistoWindow *window, GstCudaHistoWindowMode mode, guint64 size, GstClockTime interval);

/* Whether the next position needs `arrival`. Reading the clock costs a small buffer as much as all other work on its window. */
gboolean gst_cuda_histo_window_wants_arrival (const GstCudaHistoWindow *window);

/* Returns the number of bytes, of the next `size`, before the next boundary: all, except in BYTES mode. At least 1 if `size`
 * is. Before a window is opened, the number is for the next window. */
guint64 gst_cuda_histo_window_take (const GstCudaHistoWindow *window, guint64 size);

/* Adds a frame, or `size` bytes that gst_cuda_histo_window_take() allowed. `starts_buffer` is FALSE for all but the first piece
 * of a buffer, `ends_buffer` for all but the last. Opens a window if none is open.
 *
 * Returns whether the window has to be closed after this piece: if the mode allows it here (BUFFER: at the end of the buffer;
 * BYTES: at a boundary; STREAM: never, but see divides_stream), and `interval` of running time has passed since the window
 * opened. If running times are unknown or earlier than the window's start, the time since the arrival of the window's first
 * buffer is used. */
gboolean gst_cuda_histo_window_add (GstCudaHistoWindow *window, const GstCudaHistoPosition *position, guint64 size,
                                    gboolean starts_buffer, gboolean ends_buffer);

/* Ends the window, early or not, for the reason `ended_by`. The next BYTES window is a whole one. FALSE if none is open; *span
 * is unchanged. The span's start is that of the buffer in which the window opened. Its duration reaches to the end of the last
 * buffer, added in whole or in part. It is unknown if either end is, or if time went back, as at a negative rate. `size` is 0
 * for video. */
gboolean gst_cuda_histo_window_close (GstCudaHistoWindow *window, GstCudaHistoEndedBy ended_by, GstCudaHistoSpan *span);
