/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Draws the scope: its size, the position of the panels, and its pixels. */

#pragma once

#include "panel.h"

/* A rectangle in a picture, in pixels. */
typedef struct {
  gint x;
  gint y;
  gint width; /* 0: the scope has no panels */
  gint height;
} GstCudaHistoScopeRectangle;

/* The maximum side of an image, in pixels: cairo's limit, from pixman's 16 bits. */
#define GST_CUDA_HISTO_SCOPE_MAX_SIDE 32767

typedef struct _GstCudaHistoScopeCanvas GstCudaHistoScopeCanvas;

GstCudaHistoScopeCanvas *gst_cuda_histo_scope_canvas_new (void);
void gst_cuda_histo_scope_canvas_free (GstCudaHistoScopeCanvas *canvas);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaHistoScopeCanvas, gst_cuda_histo_scope_canvas_free)

/* Finds the rectangle of the scope over a picture of this size, whose pixels are `aspect` times as wide as high. It lies inside
 * the picture, no side is longer than GST_CUDA_HISTO_SCOPE_MAX_SIDE, and its edges are between chroma samples or at the
 * picture's edges. */
GstCudaHistoScopeRectangle gst_cuda_histo_scope_canvas_place (const GstCudaHistoScopeSettings *settings,
                                                              const GstCudaHistoScopeSignal *signal, guint width, guint height,
                                                              gdouble aspect);

/* Draws the scope: `height` rows of `width` pixels in cairo's format (native ARGB, premultiplied), `stride_bytes` apart. If
 * `is_picture`, the pixels are opaque, and panels are side by side or one above the other, whichever fits better. `reading` is
 * NULL before the first result. FALSE if a side is longer than GST_CUDA_HISTO_SCOPE_MAX_SIDE or memory is exhausted; then the
 * pixels are undefined. */
gboolean gst_cuda_histo_scope_canvas_draw (GstCudaHistoScopeCanvas *canvas, const GstCudaHistoScopeSettings *settings,
                                           const GstCudaHistoScopeReading *reading, gboolean is_picture, guint width,
                                           guint height, gdouble aspect, guint8 *pixels, gint stride_bytes);
