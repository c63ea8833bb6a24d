/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "panel.h"

#include <string.h>

/* Heights in units of the text size. */
#define TITLE 1.7
#define AXIS 1.45
#define NUMBERS 2.5
#define PADDING 0.6

/* In pixels: readable text, and panels with space for a title and an axis, and for numbers. */
#define LEAST_EM 9.0
#define LEAST_HEIGHT_WITH_LETTERS 80.0
#define LEAST_HEIGHT_WITH_NUMBERS 120.0

gdouble
gst_cuda_histo_scope_panel_get_aspect (GstCudaHistoScopeModes mode, guint n_components)
{
  switch (mode) {
  case GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM:
    return 1.6;
  case GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM:
    return 1.75;
  case GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE:
    return 1.0;
  default:
    return n_components > 1 ? 2.4 : 1.6;
  }
}

void
gst_cuda_histo_scope_panel_fit (GstCudaHistoScopePanel *panel, const GstCudaHistoScopeSettings *settings)
{
  const gdouble size = MIN (panel->box.height, panel->box.width * 1.2);

  panel->em = size >= LEAST_HEIGHT_WITH_LETTERS ? MAX (LEAST_EM, size * 0.047) : 0;
  panel->has_numbers = settings->numbers && size >= LEAST_HEIGHT_WITH_NUMBERS;
  panel->stroke = MAX (1.0, size / 300);
}

const gchar *
gst_cuda_histo_scope_panel_find_lack (GstCudaHistoScopeModes mode, const GstCudaHistoScopeSignal *signal)
{
  switch (mode) {
  case GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM:
  case GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM_PARADE:
    if (mode == GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM ? signal->has_main_histogram : signal->has_histograms)
      return NULL;
    return "No histogram in the result: cudahisto needs statistics=histogram, and message-arrays other than none";
  case GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE:
    if (signal->has_vectorscope)
      return NULL;
    if (signal->n_components < 3)
      return "No chroma to draw: put videoconvert ! video/x-raw,format=Y444 before cudahisto";
    return "No vectorscope in the result: cudahisto needs statistics=histogram+vectorscope";
  default:
    return signal->has_waveforms ? NULL : "No waveform in the result: cudahisto needs statistics=histogram+waveform";
  }
}

guint
gst_cuda_histo_scope_panel_get_components (const GstCudaHistoScopePanel *panel, const GstCudaHistoScopeSignal *signal,
                                           guint *first)
{
  guint count = signal->n_components;

  *first = 0;
  if (panel->mode == GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM_PARADE || panel->mode == GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM_PARADE) {
    /* In a result, alpha and derived luma are last. */
    while (count > 1 && (strcmp (signal->names[count - 1], "A") == 0 || strcmp (signal->names[count - 1], "luma") == 0))
      count--;
    while (*first + 1 < count && strcmp (signal->names[*first], "A") == 0)
      (*first)++;
    return count - *first;
  }
  *first = signal->main;
  return MIN (count, 1);
}

GstCudaHistoScopeBox
gst_cuda_histo_scope_panel_get_plot (const GstCudaHistoScopePanel *panel, guint index, guint count)
{
  const gdouble em = panel->em, padding = em > 0 ? em * PADDING : MIN (2, panel->box.height / 8);
  const gboolean is_vectorscope = panel->mode == GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE;
  const gboolean is_waveform
      = panel->mode == GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM || panel->mode == GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM_PARADE;
  const gdouble axis = is_waveform ? em * 2.1 : 0, gap = em > 0 ? em * 1.0 : 2;
  GstCudaHistoScopeBox plot = panel->box;

  if (is_vectorscope) {
    /* The corners of its square hold the title and the numbers. */
    const gdouble side = MAX (1, MIN (plot.width, plot.height) - 2 * padding);

    plot.x += (plot.width - side) / 2;
    plot.y += (plot.height - side) / 2;
    plot.width = plot.height = side;
    return plot;
  }
  plot.x += padding + axis;
  plot.y += em > 0 ? em * TITLE : padding;
  plot.width -= 2 * padding + axis;
  plot.height -= em > 0 ? em * (TITLE + PADDING) : 2 * padding;
  if (!is_waveform)
    plot.height -= em * (AXIS - PADDING);
  if (panel->has_numbers)
    plot.height -= em * (NUMBERS - (is_waveform ? 0.3 : 0));
  plot.width = (plot.width - gap * (count - 1)) / count;
  plot.x += (plot.width + gap) * index;
  plot.width = MAX (1, plot.width);
  plot.height = MAX (1, plot.height);
  return plot;
}

GstCudaHistoScopeBox
gst_cuda_histo_scope_panel_draw_plot (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                      const GstCudaHistoScopeSettings *settings, guint index, guint count)
{
  const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_get_plot (panel, index, count);

  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.05);
  cairo_rectangle (cr, plot.x, plot.y, plot.width, plot.height);
  cairo_fill (cr);
  return plot;
}

guint32
gst_cuda_histo_scope_panel_get_colour (const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal,
                                       guint component)
{
  static const struct {
    gchar name;
    guint32 colour;
  } colours[] = { { 'R', 0xffff5f57 }, { 'G', 0xff4fd86b }, { 'B', 0xff5b9bff }, { 'U', 0xff6fb2ff }, { 'V', 0xffff8a80 } };

  for (guint i = 0; i < G_N_ELEMENTS (colours); i++) {
    if (signal->names[component][0] == colours[i].name)
      return colours[i].colour;
  }
  return settings->trace_color;
}

void
gst_cuda_histo_scope_panel_draw_title (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                       const GstCudaHistoScopeSettings *settings, const gchar *left, const gchar *right)
{
  const gdouble baseline = panel->box.y + panel->em * 1.2, width = panel->box.width - 2 * PADDING * panel->em;

  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 1);
  gst_cuda_histo_scope_draw_text (cr, left, panel->em, panel->box.x + PADDING * panel->em, baseline, 0, width * 0.5);
  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.6);
  gst_cuda_histo_scope_draw_text (cr, right, panel->em * 0.85, panel->box.x + PADDING * panel->em + width, baseline, 1,
                                  width * 0.48);
}

void
gst_cuda_histo_scope_panel_draw_numbers (cairo_t *cr, const GstCudaHistoScopePanel *panel, const GstCudaHistoScopeBox *box,
                                         const GstCudaHistoScopeNumber *numbers, guint count, guint n_letters)
{
  const gdouble column = box->width / count, em = MIN (panel->em, column / (n_letters * 0.66));
  const gdouble bottom = panel->box.y + panel->box.height - panel->em * PADDING;

  for (guint i = 0; i < count; i++) {
    const gdouble x = box->x + column * (i + 0.5);

    gst_cuda_histo_scope_drawing_set_colour (cr, numbers[i].colour, 0.65);
    gst_cuda_histo_scope_draw_text (cr, numbers[i].name, em * 0.8, x, bottom - panel->em * 1.2, 0.5, column * 0.98);
    gst_cuda_histo_scope_drawing_set_colour (cr, numbers[i].colour, 1);
    gst_cuda_histo_scope_draw_text (cr, numbers[i].text, em, x, bottom, 0.5, column * 0.98);
  }
}

void
gst_cuda_histo_scope_panel_paint (cairo_t *cr, const GstCudaHistoScopeBox *plot, guint32 *pixels, guint width, guint height)
{
  cairo_surface_t *image = cairo_image_surface_create_for_data ((guchar *)pixels, CAIRO_FORMAT_ARGB32, (int)width, (int)height,
                                                                (int)(width * sizeof *pixels));

  cairo_save (cr);
  cairo_rectangle (cr, plot->x, plot->y, plot->width, plot->height);
  cairo_translate (cr, plot->x, plot->y);
  cairo_scale (cr, plot->width / width, plot->height / height);
  cairo_set_source_surface (cr, image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_BILINEAR);
  cairo_pattern_set_extend (cairo_get_source (cr), CAIRO_EXTEND_PAD);
  cairo_fill (cr);
  cairo_restore (cr);
  cairo_surface_destroy (image);
}
