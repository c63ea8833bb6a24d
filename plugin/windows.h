/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows of the stream. On the streaming thread.
 *
 * A handler of a message or notification posted by these functions may flush, stop and restart the element. So callers keep a
 * reference to the counter, and after each call that may post they compare `breaks` before they use the stream's fields. "FALSE
 * after a failure" means that an element error was posted, and that later buffers are refused. */

#pragma once

#include "count/window.h"
#include "element.h"

typedef struct {
  GstCudaHistoWindow window;
  GstCudaHistoOrigin origin;   /* of the open window */
  GstCudaHistoSource source;   /* of the open window: its tallest frame */
  gboolean has_partial_buffer; /* the open window has a part of a buffer whose other part was refused */
} GstCudaHistoWindows;

/* Adds the buffer, or the part of it that ends at `offset` + `size`, to the window, and closes the window if it is complete.
 * FALSE after a failure. */
gboolean gst_cuda_histo_add_to_window (GstCudaHisto *self, GstCudaHistoPosition *position, guint64 size, gboolean starts_buffer,
                                       gboolean ends_buffer, gboolean *closed);

/* Skips the buffer with a warning: it is in no window. Takes `error`. */
void gst_cuda_histo_skip (GstCudaHisto *self, GError *error);

/* The same for a frame that is not to be counted (`every`), without a warning. */
void gst_cuda_histo_omit (GstCudaHisto *self);

/* Closes the window early; the stream continues with the same kind of picture. FALSE after a failure. */
gboolean gst_cuda_histo_divide_stream (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* Closes the window early, ends open events and drops the operands of the next frame. FALSE after a failure. */
gboolean gst_cuda_histo_end_window_early (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);

/* Discards everything since the last closed window, for a flush. */
void gst_cuda_histo_discard_window (GstCudaHisto *self);

/* Whether a handler of a message has flushed or stopped the element since `breaks` was read. Frames added since then belong to
 * the old stream and are discarded. */
gboolean gst_cuda_histo_was_interrupted (GstCudaHisto *self, gint breaks);

/* Reports everything so far. */
void gst_cuda_histo_report_all (GstCudaHisto *self, GstCudaHistoEndedBy ended_by);
