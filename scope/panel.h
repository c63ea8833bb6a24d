/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A panel: one mode of the scope. Its ground, which stays as it is from one result to the next (the graticule, and what is
 * written beside it), is drawn once; the rest of it, which a result changes, over a copy of that. */

#ifndef GST_CUDA_HISTO_SCOPE_PANEL_H
#define GST_CUDA_HISTO_SCOPE_PANEL_H

#include "ink.h"
#include "reading.h"
#include "settings.h"

G_BEGIN_DECLS

typedef struct {
  GstCudaHistoScopeModes mode; /* one of them */
  GstCudaHistoScopeBox box;
  gdouble em;           /* size of the letters; 0: there is no room for any */
  gdouble stroke;       /* width of a line */
  gboolean has_numbers; /* there is room for numbers below, and they are asked for */
} GstCudaHistoScopePanel;

/* How wide a panel of height 1 is best. */
gdouble gst_cuda_histo_scope_panel_get_aspect (GstCudaHistoScopeModes mode, guint n_components);

/* Finds out what there is room for in the box. */
void gst_cuda_histo_scope_panel_fit (GstCudaHistoScopePanel *panel, const GstCudaHistoScopeSettings *settings);

/* What the signal lacks for the mode, as a sentence with what to do about it; NULL: nothing. Static. */
const gchar *gst_cuda_histo_scope_panel_find_lack (GstCudaHistoScopeModes mode, const GstCudaHistoScopeSignal *signal);

/* The place for the curves and points of component `index` of `count` that are side by side. */
GstCudaHistoScopeBox gst_cuda_histo_scope_panel_get_plot (const GstCudaHistoScopePanel *panel, guint index, guint count);

/* The same, with its ground drawn. */
GstCudaHistoScopeBox gst_cuda_histo_scope_panel_draw_plot (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                                           const GstCudaHistoScopeSettings *settings, guint index, guint count);

/* The components that are side by side: from *first on, how many. */
guint gst_cuda_histo_scope_panel_get_components (const GstCudaHistoScopePanel *panel, const GstCudaHistoScopeSignal *signal,
                                                 guint *first);

/* What a component's trace is drawn with. */
guint32 gst_cuda_histo_scope_panel_get_colour (const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal,
                                               guint component);

/* Draws what stands above all plots. */
void gst_cuda_histo_scope_panel_draw_title (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                            const GstCudaHistoScopeSettings *settings, const gchar *left, const gchar *right);

/* A number below a panel. */
typedef struct {
  const gchar *name;
  gchar text[24];
  guint32 colour;
} GstCudaHistoScopeNumber;

/* Draws the names of numbers, or the numbers, evenly below the box. Letters are small enough for `n_letters` in each. */
void gst_cuda_histo_scope_panel_draw_numbers (cairo_t *cr, const GstCudaHistoScopePanel *panel, const GstCudaHistoScopeBox *box,
                                              const GstCudaHistoScopeNumber *numbers, guint count, guint n_letters);

/* Paints an image of pixels as cairo has them (premultiplied, `width` in a row) over the plot. */
void gst_cuda_histo_scope_panel_paint (cairo_t *cr, const GstCudaHistoScopeBox *plot, guint32 *pixels, guint width,
                                       guint height);

/* The three kinds. `scratch` has room for that many pixels, or more: see GST_CUDA_HISTO_SCOPE_SCRATCH. */
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

G_END_DECLS

#endif
