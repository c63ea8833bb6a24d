/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The panels of histograms: values from left to right, samples from the bottom up. */

#include "panel.h"

#include <math.h>

/* The left edge of a value of the samples' depth. */
static gdouble
gst_cuda_histo_scope_histogram_find_x (const GstCudaHistoScopeBox *plot, const GstCudaHistoScopeSignal *signal, gdouble value)
{
  return plot->x + plot->width * value / (1u << signal->depth);
}

static void
gst_cuda_histo_scope_histogram_draw_axis (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                          const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal,
                                          const GstCudaHistoScopeBox *plot, guint component)
{
  const guint max = (1u << signal->depth) - 1;
  guint low, high;
  const gboolean has_range
      = gst_cuda_histo_scope_signal_get_legal_range (signal, component, &low, &high) && settings->legal_range;
  const guint limited[] = { low, high, 0, max, (max + 1) / 2, 0 },
              full[] = { 0, max, (max + 1) / 2, max / 4 + 1, max / 4 * 3 + 3 };
  const guint *values = has_range ? limited : full;
  GstCudaHistoScopeLabel labels[5];

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++) {
    const gboolean is_limit = has_range && i < 2;

    labels[i].x = gst_cuda_histo_scope_histogram_find_x (plot, signal, values[i] + (values[i] == high && is_limit ? 1.0 : 0.0));
    labels[i].colour = is_limit ? settings->legal_color : settings->color;
    g_snprintf (labels[i].text, sizeof labels[i].text, "%u", values[i]);
  }
  gst_cuda_histo_scope_draw_labels (cr, labels, G_N_ELEMENTS (labels), panel->em * 0.8, plot->y + plot->height + panel->em,
                                    plot->x, plot->x + plot->width);
}

void
gst_cuda_histo_scope_histogram_draw_ground (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                            const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal)
{
  guint first;
  const guint count = gst_cuda_histo_scope_panel_get_components (panel, signal, &first);

  for (guint i = 0; i < count; i++) {
    const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_draw_plot (cr, panel, settings, i, count);

    cairo_set_line_width (cr, panel->stroke);
    gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.12);
    for (guint quarter = 1; quarter < 4; quarter++) {
      const gdouble x = plot.x + plot.width * quarter / 4, y = plot.y + plot.height * quarter / 4;

      gst_cuda_histo_scope_draw_line (cr, x, plot.y, x, plot.y + plot.height);
      gst_cuda_histo_scope_draw_line (cr, plot.x, y, plot.x + plot.width, y);
    }
    gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.45);
    gst_cuda_histo_scope_draw_line (cr, plot.x, plot.y + plot.height, plot.x + plot.width, plot.y + plot.height);
    gst_cuda_histo_scope_histogram_draw_axis (cr, panel, settings, signal, &plot, first + i);
  }
}

/* The number of bins for each bar, so that no bar is thinner than half a unit. */
static gsize
gst_cuda_histo_scope_histogram_find_group (gsize n_bins, gdouble width)
{
  gsize group = 1;

  while (n_bins / group > GST_CUDA_HISTO_SCOPE_LEVELS && (gdouble)(n_bins / group) > width)
    group *= 2;
  return group;
}

static guint64
gst_cuda_histo_scope_histogram_add_up (const GstCudaHistoScopeTrace *trace, gsize first, gsize group)
{
  guint64 samples = 0;

  for (gsize i = first; i < MIN (first + group, trace->n_bins); i++)
    samples += trace->histogram[i];
  return samples;
}

/* Draws the outline of the bars. */
static void
gst_cuda_histo_scope_histogram_trace_path (cairo_t *cr, const GstCudaHistoScopeBox *plot,
                                           const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeTrace *trace)
{
  const gboolean is_linear = settings->scale == GST_CUDA_HISTO_SCOPE_SCALE_LINEAR;
  const gsize group = gst_cuda_histo_scope_histogram_find_group (trace->n_bins, plot->width);
  const gdouble bottom = plot->y + plot->height;
  guint64 highest = 1;

  for (gsize i = 0; i < trace->n_bins; i += group)
    highest = MAX (highest, gst_cuda_histo_scope_histogram_add_up (trace, i, group));
  cairo_move_to (cr, plot->x, bottom);
  for (gsize i = 0; i < trace->n_bins; i += group) {
    const guint64 samples = gst_cuda_histo_scope_histogram_add_up (trace, i, group);
    const gdouble part = is_linear ? (gdouble)samples / (gdouble)highest : log1p ((gdouble)samples) / log1p ((gdouble)highest);
    const gdouble height = samples > 0 ? MAX (plot->height * part, MIN (1, plot->height)) : 0;

    cairo_line_to (cr, plot->x + plot->width * (gdouble)i / (gdouble)trace->n_bins, bottom - height);
    cairo_line_to (cr, plot->x + plot->width * (gdouble)(i + group) / (gdouble)trace->n_bins, bottom - height);
  }
  cairo_line_to (cr, plot->x + plot->width, bottom);
  cairo_close_path (cr);
}

static void
gst_cuda_histo_scope_histogram_fill (cairo_t *cr, const GstCudaHistoScopeBox *plot, gdouble left, gdouble right,
                                     const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeTrace *trace,
                                     guint32 colour)
{
  if (right <= left)
    return;
  cairo_save (cr);
  cairo_rectangle (cr, left, plot->y, right - left, plot->height);
  cairo_clip (cr);
  gst_cuda_histo_scope_histogram_trace_path (cr, plot, settings, trace);
  gst_cuda_histo_scope_drawing_set_colour (cr, colour, 0.85);
  cairo_fill (cr);
  cairo_restore (cr);
}

static void
gst_cuda_histo_scope_histogram_draw_bars (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                          const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading,
                                          const GstCudaHistoScopeBox *plot, guint component)
{
  const GstCudaHistoScopeSignal *signal = &reading->signal;
  const GstCudaHistoScopeTrace *trace = &reading->traces[component];
  const guint32 colour = gst_cuda_histo_scope_panel_get_colour (settings, signal, component);
  const gdouble right = plot->x + plot->width;
  guint low, high;

  if (!gst_cuda_histo_scope_signal_get_legal_range (signal, component, &low, &high) || !settings->legal_range) {
    gst_cuda_histo_scope_histogram_fill (cr, plot, plot->x, right, settings, trace, colour);
  } else {
    const gdouble from = gst_cuda_histo_scope_histogram_find_x (plot, signal, low);
    const gdouble to = gst_cuda_histo_scope_histogram_find_x (plot, signal, high + (1u << (signal->depth - 8)));

    gst_cuda_histo_scope_histogram_fill (cr, plot, plot->x, from, settings, trace, settings->legal_color);
    gst_cuda_histo_scope_histogram_fill (cr, plot, from, to, settings, trace, colour);
    gst_cuda_histo_scope_histogram_fill (cr, plot, to, right, settings, trace, settings->legal_color);
    cairo_set_line_width (cr, panel->stroke);
    gst_cuda_histo_scope_drawing_set_colour (cr, settings->legal_color, 0.8);
    gst_cuda_histo_scope_draw_line (cr, from, plot->y, from, plot->y + plot->height);
    gst_cuda_histo_scope_draw_line (cr, to, plot->y, to, plot->y + plot->height);
  }
}

static void
gst_cuda_histo_scope_histogram_draw_marks (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                           const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading,
                                           const GstCudaHistoScopeBox *plot, guint component)
{
  const GstCudaHistoScopeTrace *trace = &reading->traces[component];
  const guint values[] = { trace->low, trace->median, trace->high };
  const gdouble dash[] = { panel->stroke * 3, panel->stroke * 2 };

  cairo_set_line_width (cr, panel->stroke * 1.3);
  gst_cuda_histo_scope_drawing_set_colour (cr, settings->mark_color, 0.95);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    const gdouble x = gst_cuda_histo_scope_histogram_find_x (plot, &reading->signal, values[i] + 0.5);
    const gdouble side = panel->em * 0.32;

    cairo_set_dash (cr, dash, i == 1 ? 0 : 2, 0);
    gst_cuda_histo_scope_draw_line (cr, x, plot->y, x, plot->y + plot->height);
    cairo_move_to (cr, x - side, plot->y - side * 0.4);
    cairo_rel_line_to (cr, 2 * side, 0);
    cairo_rel_line_to (cr, -side, 1.4 * side);
    cairo_close_path (cr);
    cairo_fill (cr);
  }
  cairo_set_dash (cr, dash, 0, 0);
}

static void
gst_cuda_histo_scope_histogram_draw_numbers (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                             const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading,
                                             const GstCudaHistoScopeBox *plot, guint component, gboolean is_alone)
{
  const GstCudaHistoScopeTrace *trace = &reading->traces[component];
  const guint32 plain = settings->color, mark = settings->marks ? settings->mark_color : settings->color;
  GstCudaHistoScopeNumber numbers[] = {
    { "min", "", plain }, { "low", "", mark },   { "median", "", mark },  { "high", "", mark },
    { "max", "", plain }, { "mean", "", plain }, { "stddev", "", plain },
  };
  const guint values[] = { trace->min, trace->low, trace->median, trace->high, trace->max };
  const guint digits = reading->signal.depth > 13 ? 5 : 4;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_snprintf (numbers[i].text, sizeof numbers[i].text, "%u", values[i]);
  g_snprintf (numbers[5].text, sizeof numbers[5].text, "%.1f", trace->mean);
  g_snprintf (numbers[6].text, sizeof numbers[6].text, "%.1f", trace->stddev);
  gst_cuda_histo_scope_panel_draw_numbers (cr, panel, plot, numbers, is_alone ? 7 : 5, is_alone ? digits + 2 : digits);
}

static void
gst_cuda_histo_scope_histogram_draw_header (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                            const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading)
{
  const GstCudaHistoScopeSignal *signal = &reading->signal;
  guint first;
  const guint count = gst_cuda_histo_scope_panel_get_components (panel, signal, &first);

  if (count == 1) {
    g_autofree gchar *right = g_strdup_printf ("%s %u bit%s", signal->format, signal->depth,
                                               settings->scale == GST_CUDA_HISTO_SCOPE_SCALE_LINEAR ? "" : ", log");

    gst_cuda_histo_scope_panel_draw_title (cr, panel, settings, signal->names[first], right);
    return;
  }
  for (guint i = 0; i < count; i++) {
    const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_get_plot (panel, i, count);
    g_autofree gchar *mean = g_strdup_printf ("mean %.1f", reading->traces[first + i].mean);

    gst_cuda_histo_scope_drawing_set_colour (cr, gst_cuda_histo_scope_panel_get_colour (settings, signal, first + i), 1);
    gst_cuda_histo_scope_draw_text (cr, signal->names[first + i], panel->em, plot.x, panel->box.y + panel->em * 1.2, 0, 0);
    gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.7);
    if (settings->numbers && reading->traces[first + i].has_numbers)
      gst_cuda_histo_scope_draw_text (cr, mean, panel->em * 0.85, plot.x + plot.width, panel->box.y + panel->em * 1.2, 1,
                                      plot.width * 0.7);
  }
}

void
gst_cuda_histo_scope_histogram_draw (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                     const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading)
{
  guint first;
  const guint count = gst_cuda_histo_scope_panel_get_components (panel, &reading->signal, &first);

  gst_cuda_histo_scope_histogram_draw_header (cr, panel, settings, reading);
  for (guint i = 0; i < count; i++) {
    const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_get_plot (panel, i, count);

    gst_cuda_histo_scope_histogram_draw_bars (cr, panel, settings, reading, &plot, first + i);
    if (settings->marks && reading->traces[first + i].has_numbers)
      gst_cuda_histo_scope_histogram_draw_marks (cr, panel, settings, reading, &plot, first + i);
    if (panel->has_numbers && reading->traces[first + i].has_numbers)
      gst_cuda_histo_scope_histogram_draw_numbers (cr, panel, settings, reading, &plot, first + i, count == 1);
  }
}
