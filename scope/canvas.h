/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The scope as a picture: how large it is, which panel is where, and its pixels. */

#ifndef GST_CUDA_HISTO_SCOPE_CANVAS_H
#define GST_CUDA_HISTO_SCOPE_CANVAS_H

#include "panel.h"

G_BEGIN_DECLS

/* Where in a picture, in its pixels. */
typedef struct {
  gint x;
  gint y;
  gint width; /* 0: the scope has no panels */
  gint height;
} GstCudaHistoScopeRectangle;

/* In pixels: as long as a side of an image may be (cairo's limit, that of pixman's 16 bits). */
#define GST_CUDA_HISTO_SCOPE_MAX_SIDE 32767

typedef struct _GstCudaHistoScopeCanvas GstCudaHistoScopeCanvas;

GstCudaHistoScopeCanvas *gst_cuda_histo_scope_canvas_new (void);
void gst_cuda_histo_scope_canvas_free (GstCudaHistoScopeCanvas *canvas);

/* The rectangle of the scope over a picture of this size, whose pixels are `aspect` times as wide as high. It is inside of the
 * picture, no side of it is longer than GST_CUDA_HISTO_SCOPE_MAX_SIDE, and it begins and ends between samples of chroma, except
 * at the picture's edges. */
GstCudaHistoScopeRectangle gst_cuda_histo_scope_canvas_place (const GstCudaHistoScopeSettings *settings,
                                                              const GstCudaHistoScopeSignal *signal, guint width, guint height,
                                                              gdouble aspect);

/* Draws the scope: `height` rows of `width` pixels as cairo has them (native ARGB, premultiplied), `stride_bytes` apart. Where
 * `is_picture`, they are opaque, and panels are side by side or one above the other, whichever fits. A reading of NULL: there
 * is no result yet. FALSE: a side is longer than GST_CUDA_HISTO_SCOPE_MAX_SIDE, or there is no memory; then what the pixels are
 * is undefined. */
gboolean gst_cuda_histo_scope_canvas_draw (GstCudaHistoScopeCanvas *canvas, const GstCudaHistoScopeSettings *settings,
                                           const GstCudaHistoScopeReading *reading, gboolean is_picture, guint width,
                                           guint height, gdouble aspect, guint8 *pixels, gint stride_bytes);

G_END_DECLS

#endif
