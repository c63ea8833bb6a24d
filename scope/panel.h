/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A panel: one mode of the scope. Its ground, the part that does not change between results (graticule and labels), is drawn
 * once. The rest is drawn over a copy of the ground for each result. */

#pragma once

#include "drawing.h"
#include "reading.h"
#include "settings.h"

typedef struct {
  GstCudaHistoScopeModes mode; /* exactly one */
  GstCudaHistoScopeBox box;
  gdouble em;           /* text size; 0: no space for text */
  gdouble stroke;       /* line width */
  gboolean has_numbers; /* numbers are requested and there is space below */
} GstCudaHistoScopePanel;

/* The best width of a panel of height 1. */
gdouble gst_cuda_histo_scope_panel_get_aspect (GstCudaHistoScopeModes mode, guint n_components);

/* Decides which parts fit into the box. */
void gst_cuda_histo_scope_panel_fit (GstCudaHistoScopePanel *panel, const GstCudaHistoScopeSettings *settings);

/* What the signal lacks for the mode, as a sentence with the remedy; NULL if it lacks nothing. Static. */
const gchar *gst_cuda_histo_scope_panel_find_lack (GstCudaHistoScopeModes mode, const GstCudaHistoScopeSignal *signal);

/* The box for the traces of component `index` of `count` components side by side. */
GstCudaHistoScopeBox gst_cuda_histo_scope_panel_get_plot (const GstCudaHistoScopePanel *panel, guint index, guint count);

/* The same, and draws its ground. */
GstCudaHistoScopeBox gst_cuda_histo_scope_panel_draw_plot (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                                           const GstCudaHistoScopeSettings *settings, guint index, guint count);

/* The number of components side by side; the first is *first. */
guint gst_cuda_histo_scope_panel_get_components (const GstCudaHistoScopePanel *panel, const GstCudaHistoScopeSignal *signal,
                                                 guint *first);

/* The colour of a component's trace. */
guint32 gst_cuda_histo_scope_panel_get_colour (const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal,
                                               guint component);

/* Draws the title above all plots. */
void gst_cuda_histo_scope_panel_draw_title (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                            const GstCudaHistoScopeSettings *settings, const gchar *left, const gchar *right);

/* A number below a panel. */
typedef struct {
  const gchar *name;
  gchar text[24];
  guint32 colour;
} GstCudaHistoScopeNumber;

/* Draws the names of numbers, or the numbers, evenly below the box. The text is small enough for `n_letters` letters in
 * each. */
void gst_cuda_histo_scope_panel_draw_numbers (cairo_t *cr, const GstCudaHistoScopePanel *panel, const GstCudaHistoScopeBox *box,
                                              const GstCudaHistoScopeNumber *numbers, guint count, guint n_letters);

/* Paints an image of pixels in cairo's format (premultiplied, `width` in a row) over the plot. */
void gst_cuda_histo_scope_panel_paint (cairo_t *cr, const GstCudaHistoScopeBox *plot, guint32 *pixels, guint width,
                                       guint height);

/* Draws the three kinds of panels. `scratch` has at least that number of pixels: see GST_CUDA_HISTO_SCOPE_SCRATCH. */
#define GST_CUDA_HISTO_SCOPE_MAX_COLUMNS 2048
#define GST_CUDA_HISTO_SCOPE_SCRATCH (GST_CUDA_HISTO_SCOPE_MAX_COLUMNS * GST_CUDA_HISTO_SCOPE_LEVELS)

void gst_cuda_histo_scope_histogram_draw_ground (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                                 const GstCudaHistoScopeSettings *settings,
                                                 const GstCudaHistoScopeSignal *signal);
void gst_cuda_histo_scope_histogram_draw (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                          const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading);

void gst_cuda_histo_scope_waveform_draw_ground (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                                const GstCudaHistoScopeSettings *settings,
                                                const GstCudaHistoScopeSignal *signal);
void gst_cuda_histo_scope_waveform_draw (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                         const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading,
                                         guint32 *scratch);

void gst_cuda_histo_scope_vectorscope_draw_ground (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                                   const GstCudaHistoScopeSettings *settings,
                                                   const GstCudaHistoScopeSignal *signal);
void gst_cuda_histo_scope_vectorscope_draw (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                            const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading,
                                            guint32 *scratch);
