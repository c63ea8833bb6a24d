/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Drawing helpers for all panels: boxes, colours, lines and text. */

#pragma once

#include <cairo.h>
#include <glib.h>

/* In units of a pixel's height: x to the right, y down. */
typedef struct {
  gdouble x;
  gdouble y;
  gdouble width;
  gdouble height;
} GstCudaHistoScopeBox;

/* Sets cairo's source to the colour 0xAARRGGBB, with its alpha times `alpha`. */
void gst_cuda_histo_scope_drawing_set_colour (cairo_t *cr, guint32 colour, gdouble alpha);

/* Mixes two colours: `part` is 0 (`from`) to 1 (`to`). The alpha is that of `from`. */
guint32 gst_cuda_histo_scope_drawing_mix (guint32 from, guint32 to, gdouble part);

/* Draws a line. A vertical or horizontal line is moved by less than a pixel, so that it is sharp. */
void gst_cuda_histo_scope_draw_line (cairo_t *cr, gdouble x0, gdouble y0, gdouble x1, gdouble y1);

/* Draws a text with its baseline at y. `align` 0: x is the left end, 0.5: the middle, 1: the right end. Draws nothing if the
 * text size `em` is 0. A text wider than `max_width` (0: any) becomes smaller. */
void gst_cuda_histo_scope_draw_text (cairo_t *cr, const gchar *text, gdouble em, gdouble x, gdouble y, gdouble align,
                                     gdouble max_width);

/* Draws a text in the middle of a box, in as many lines as necessary. */
void gst_cuda_histo_scope_draw_paragraph (cairo_t *cr, const gchar *text, gdouble em, const GstCudaHistoScopeBox *box);

/* The label of an axis. */
typedef struct {
  gdouble x; /* of its middle */
  gchar text[16];
  guint32 colour;
} GstCudaHistoScopeLabel;

/* Draws labels on one line, in the order of the array. A label that extends out of the box is moved into it. A label that would
 * overlap another is omitted. */
void gst_cuda_histo_scope_draw_labels (cairo_t *cr, const GstCudaHistoScopeLabel *labels, guint count, gdouble em,
                                       gdouble baseline, gdouble left, gdouble right);
