/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What all panels draw with: boxes, colours, lines and letters. */

#ifndef GST_CUDA_HISTO_SCOPE_INK_H
#define GST_CUDA_HISTO_SCOPE_INK_H

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

/* In units as high as a pixel, and as wide as a pixel is high: x to the right, y down. */
typedef struct {
  gdouble x;
  gdouble y;
  gdouble width;
  gdouble height;
} GstCudaHistoScopeBox;

/* Sets the source: a colour 0xAARRGGBB, its alpha times `alpha`. */
void gst_cuda_histo_scope_ink_set_colour (cairo_t *cr, guint32 colour, gdouble alpha);

/* A colour halfway (0 to 1) from one to another; alpha is the first one's. */
guint32 gst_cuda_histo_scope_ink_mix (guint32 from, guint32 to, gdouble part);

/* Draws a line; an upright or level one is moved by less than a pixel, so that it is as sharp as it can be. */
void gst_cuda_histo_scope_ink_draw_line (cairo_t *cr, gdouble x0, gdouble y0, gdouble x1, gdouble y1);

/* Draws a text with its baseline at y; `align` 0: x is where it begins, 0.5: its middle, 1: its end. Nothing happens where
 * `em`, the size of the letters, is 0. A text that is wider than `max_width` (0: any) has smaller letters. */
void gst_cuda_histo_scope_ink_draw_text (cairo_t *cr, const gchar *text, gdouble em, gdouble x, gdouble y, gdouble align,
                                         gdouble max_width);

/* The same in the middle of a box, in as many lines as it takes. */
void gst_cuda_histo_scope_ink_draw_paragraph (cairo_t *cr, const gchar *text, gdouble em, const GstCudaHistoScopeBox *box);

/* A label of an axis. */
typedef struct {
  gdouble x; /* its middle */
  gchar text[16];
  guint32 colour;
} GstCudaHistoScopeLabel;

/* Draws labels on one line, those first that are first in the array; one that would overlap another, or reach out of the box by
 * more than a little, is moved into the box, or left out. */
void gst_cuda_histo_scope_ink_draw_labels (cairo_t *cr, const GstCudaHistoScopeLabel *labels, guint count, gdouble em,
                                           gdouble baseline, gdouble left, gdouble right);

G_END_DECLS

#endif
