/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows: which frames or bytes one result covers. Pure arithmetic on positions and times; no buffer, no thread. */

#ifndef GST_CUDA_HISTO_WINDOW_H
#define GST_CUDA_HISTO_WINDOW_H

#include <gst/gst.h>

#include "schema.h"

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
  GstClockTime interval;       /* a result covers at least this much running time; 0: every window is reported */

  /* private */
  gboolean is_open;
  GstCudaHistoSpan span;
  GstClockTime end_running_time;
  guint64 to_boundary; /* BYTES: bytes that still belong before the next boundary */
} GstCudaHistoWindow;

/* Times and position of the buffer that is being added. Times may be GST_CLOCK_TIME_NONE. */
typedef struct {
  guint64 frame;  /* its index */
  guint64 offset; /* bytes: of the first byte in the stream */
  GstClockTime timestamp, stream_time, running_time, duration;
} GstCudaHistoPosition;

void gst_cuda_histo_window_init (GstCudaHistoWindow *window, GstCudaHistoWindowMode mode, guint64 size, GstClockTime interval);

/* How many of the next `size` bytes belong to the window before a boundary is reached: all, but in BYTES mode. At least 1 for a
 * `size` of at least 1. */
guint64 gst_cuda_histo_window_take (const GstCudaHistoWindow *window, guint64 size);

/* Adds a frame, or `size` bytes that gst_cuda_histo_window_take() allowed; `starts_buffer` is FALSE for the later pieces of a
 * buffer that is added in pieces, `ends_buffer` for all but the last piece. Opens the window if need be. TRUE where the window
 * is to be closed with this piece: the mode says so and `interval` has passed since the last report. Without times nothing is
 * thinned. */
gboolean gst_cuda_histo_window_add (GstCudaHistoWindow *window, const GstCudaHistoPosition *position, guint64 size,
                                    gboolean starts_buffer, gboolean ends_buffer);

/* Ends the window, early or not. FALSE, and *span untouched, where none is open. */
gboolean gst_cuda_histo_window_close (GstCudaHistoWindow *window, GstCudaHistoSpan *span);

G_END_DECLS

#endif
