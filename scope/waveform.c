/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The panels of waveforms: the columns of the picture from left to right, values from the bottom up. More samples are
 * brighter. */

#include "panel.h"

#include <math.h>
#include <string.h>

#define LEVELS GST_CUDA_HISTO_SCOPE_LEVELS
#define N_BRIGHTNESSES 256

/* The lower edge of one of 256 values. */
static gdouble
gst_cuda_histo_scope_waveform_find_y (const GstCudaHistoScopeBox *plot, gdouble level)
{
  return plot->y + plot->height * (1 - level / LEVELS);
}

static void
gst_cuda_histo_scope_waveform_draw_level (cairo_t *cr, const GstCudaHistoScopePanel *panel, const GstCudaHistoScopeBox *plot,
                                          gdouble level, guint value, gboolean has_label)
{
  const gdouble y = gst_cuda_histo_scope_waveform_find_y (plot, level);
  gchar text[16];

  gst_cuda_histo_scope_draw_line (cr, plot->x, y, plot->x + plot->width, y);
  g_snprintf (text, sizeof text, "%u", value);
  if (has_label)
    gst_cuda_histo_scope_draw_text (cr, text, panel->em * 0.75, plot->x - panel->em * 0.3, y + panel->em * 0.27, 1,
                                    panel->em * 2.2);
}

/* The place of a luminance among the 256 values, by SMPTE ST 2084. */
static gdouble
gst_cuda_histo_scope_waveform_find_level (const GstCudaHistoScopeSignal *signal, gdouble nits)
{
  const gdouble power = pow (nits / 10000, 2610 / 16384.0);
  const gdouble code = pow ((3424 / 4096.0 + 2413 / 128.0 * power) / (1 + 2392 / 128.0 * power), 2523 / 32.0);
  const guint depth = signal->depth;
  const gdouble value = signal->is_limited ? (16 + 219 * code) * (1u << (depth - 8)) : code * ((1u << depth) - 1);

  return (value + 0.5) / (1u << (depth - 8));
}

/* Whether the lines are at luminances. */
static gboolean
gst_cuda_histo_scope_waveform_has_nits (const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal,
                                        guint component)
{
  return settings->waveform_scale == GST_CUDA_HISTO_SCOPE_WAVEFORM_SCALE_NITS && signal->is_pq
         && strchr ("UVA", signal->names[component][0]) == NULL;
}

static void
gst_cuda_histo_scope_waveform_draw_nits (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                         const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal,
                                         const GstCudaHistoScopeBox *plot, gboolean has_labels)
{
  static const guint lines[] = { 1, 10, 100, 203, 1000, 4000 };

  cairo_set_line_width (cr, panel->stroke);
  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.4);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    gst_cuda_histo_scope_waveform_draw_level (cr, panel, plot, gst_cuda_histo_scope_waveform_find_level (signal, lines[i]),
                                              lines[i], has_labels);
}

static void
gst_cuda_histo_scope_waveform_draw_levels (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                           const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal,
                                           const GstCudaHistoScopeBox *plot, guint component, gboolean has_labels)
{
  const guint shift = signal->depth - 8;
  guint low, high;
  const gboolean has_range
      = gst_cuda_histo_scope_signal_get_legal_range (signal, component, &low, &high) && settings->legal_range;

  cairo_set_line_width (cr, panel->stroke);
  for (guint quarter = 0; quarter <= 4; quarter++) {
    const guint level = quarter < 4 ? quarter * 64 : LEVELS - 1;

    gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, has_labels && !(has_range && quarter % 4 == 0) ? 0.75 : 0);
    if (has_labels && quarter > 0 && (quarter < 4 || !has_range)) {
      gchar text[16];

      g_snprintf (text, sizeof text, "%u", quarter < 4 ? level << shift : (1u << signal->depth) - 1);
      gst_cuda_histo_scope_draw_text (cr, text, panel->em * 0.75, plot->x - panel->em * 0.3,
                                      gst_cuda_histo_scope_waveform_find_y (plot, level) + panel->em * 0.27, 1,
                                      panel->em * 2.2);
    }
    gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.14);
    gst_cuda_histo_scope_waveform_draw_level (cr, panel, plot, quarter < 4 ? level : LEVELS, 0, FALSE);
  }
  if (has_range) {
    gst_cuda_histo_scope_drawing_set_colour (cr, settings->legal_color, 0.85);
    gst_cuda_histo_scope_waveform_draw_level (cr, panel, plot, low >> shift, low, has_labels);
    gst_cuda_histo_scope_waveform_draw_level (cr, panel, plot, (high >> shift) + 1, high, has_labels);
  }
}

void
gst_cuda_histo_scope_waveform_draw_ground (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                           const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal)
{
  guint first;
  const guint count = gst_cuda_histo_scope_panel_get_components (panel, signal, &first);

  for (guint i = 0; i < count; i++) {
    const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_draw_plot (cr, panel, settings, i, count);

    if (gst_cuda_histo_scope_waveform_has_nits (settings, signal, first + i))
      gst_cuda_histo_scope_waveform_draw_nits (cr, panel, settings, signal, &plot, i == 0);
    else
      gst_cuda_histo_scope_waveform_draw_levels (cr, panel, settings, signal, &plot, first + i, i == 0);
    if (count > 1) {
      gst_cuda_histo_scope_drawing_set_colour (cr, gst_cuda_histo_scope_panel_get_colour (settings, signal, first + i), 1);
      gst_cuda_histo_scope_draw_text (cr, signal->names[first + i], panel->em, plot.x, panel->box.y + panel->em * 1.2, 0, 0);
    }
  }
  if (count == 1) {
    g_autofree gchar *left = g_strdup_printf ("%s waveform", signal->names[first]);
    g_autofree gchar *right = gst_cuda_histo_scope_waveform_has_nits (settings, signal, first)
                                  ? g_strdup_printf ("%s, nits", signal->format)
                                  : g_strdup_printf ("%s %u bit", signal->format, signal->depth);

    gst_cuda_histo_scope_panel_draw_title (cr, panel, settings, left, right);
  }
}

/* Premultiplied, from transparent through the colour to almost white, like phosphor. */
static void
gst_cuda_histo_scope_waveform_fill_palette (guint32 *palette, guint32 colour)
{
  for (guint i = 0; i < N_BRIGHTNESSES; i++) {
    const gdouble part = i / (N_BRIGHTNESSES - 1.0);
    const guint32 lit = gst_cuda_histo_scope_drawing_mix (colour, 0xffffff, MAX (0, part - 0.6) * 1.6);
    const gdouble alpha = i > 0 ? MIN (1, part * 1.3) * (colour >> 24) / 255.0 : 0;
    guint32 pixel = (guint32)(alpha * 255 + 0.5) << 24;

    for (guint shift = 0; shift < 24; shift += 8)
      pixel |= (guint32)((lit >> shift & 0xff) * alpha + 0.5) << shift;
    palette[i] = pixel;
  }
}

/* Adds up the bins of columns `begin` to `end`. */
static void
gst_cuda_histo_scope_waveform_add_up (const GstCudaHistoScopeTrace *trace, gsize begin, gsize end, guint64 *levels)
{
  memcpy (levels, trace->waveform + begin * LEVELS, LEVELS * sizeof *levels);
  for (gsize column = begin + 1; column < end; column++) {
    for (guint level = 0; level < LEVELS; level++)
      levels[level] += trace->waveform[column * LEVELS + level];
  }
}

static void
gst_cuda_histo_scope_waveform_draw_trace (cairo_t *cr, const GstCudaHistoScopeSettings *settings,
                                          const GstCudaHistoScopeTrace *trace, const GstCudaHistoScopeBox *plot, guint32 colour,
                                          guint32 *pixels)
{
  const gsize width = MIN (trace->n_columns, MIN ((gsize)ceil (plot->width), GST_CUDA_HISTO_SCOPE_MAX_COLUMNS));
  /* With fewer rows than levels, each row shows several levels, so that none is lost. */
  const guint group = plot->height >= LEVELS / 2 ? 1 : plot->height >= LEVELS / 4 ? 2 : 4;
  const guint height = LEVELS / group;
  guint32 palette[N_BRIGHTNESSES];
  guint64 levels[LEVELS];

  gst_cuda_histo_scope_waveform_fill_palette (palette, colour);
  for (gsize x = 0; x < width; x++) {
    gdouble total = 0;

    gst_cuda_histo_scope_waveform_add_up (trace, x * trace->n_columns / width, (x + 1) * trace->n_columns / width, levels);
    for (guint level = 0; level < LEVELS; level++)
      total += (gdouble)levels[level];
    for (guint row = 0; row < height; row++) {
      guint64 samples = 0;
      gdouble brightness;

      for (guint level = row * group; level < (row + 1) * group; level++)
        samples += levels[level];
      brightness = samples > 0 ? 0.10 + 2.6 * settings->gain * sqrt ((gdouble)samples / total) : 0;
      pixels[(height - 1 - row) * width + x] = palette[(guint)(MIN (1, brightness) * (N_BRIGHTNESSES - 1))];
    }
  }
  gst_cuda_histo_scope_panel_paint (cr, plot, pixels, (guint)width, height);
}

static void
gst_cuda_histo_scope_waveform_draw_numbers (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                            const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading,
                                            const GstCudaHistoScopeBox *plot, guint component)
{
  const GstCudaHistoScopeTrace *trace = &reading->traces[component];
  GstCudaHistoScopeNumber numbers[]
      = { { "min", "", settings->color }, { "mean", "", settings->color }, { "max", "", settings->color } };

  if (gst_cuda_histo_scope_waveform_has_nits (settings, &reading->signal, component)) {
    const guint values[] = { trace->min, trace->median, trace->max }; /* the luminance of the mean would be another mean */

    numbers[1].name = "median";
    for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
      const gdouble nits = gst_cuda_histo_scope_signal_get_nits (&reading->signal, values[i]);

      g_snprintf (numbers[i].text, sizeof numbers[i].text, nits < 100 ? "%.3g" : "%.0f", nits);
    }
  } else {
    g_snprintf (numbers[0].text, sizeof numbers[0].text, "%u", trace->min);
    g_snprintf (numbers[1].text, sizeof numbers[1].text, "%.1f", trace->mean);
    g_snprintf (numbers[2].text, sizeof numbers[2].text, "%u", trace->max);
  }
  gst_cuda_histo_scope_panel_draw_numbers (cr, panel, plot, numbers, G_N_ELEMENTS (numbers), 7);
}

void
gst_cuda_histo_scope_waveform_draw (cairo_t *cr, const GstCudaHistoScopePanel *panel, const GstCudaHistoScopeSettings *settings,
                                    const GstCudaHistoScopeReading *reading, guint32 *scratch)
{
  guint first;
  const guint count = gst_cuda_histo_scope_panel_get_components (panel, &reading->signal, &first);

  for (guint i = 0; i < count; i++) {
    const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_get_plot (panel, i, count);

    gst_cuda_histo_scope_waveform_draw_trace (cr, settings, &reading->traces[first + i], &plot,
                                              gst_cuda_histo_scope_panel_get_colour (settings, &reading->signal, first + i),
                                              scratch);
    if (panel->has_numbers && reading->traces[first + i].has_numbers)
      gst_cuda_histo_scope_waveform_draw_numbers (cr, panel, settings, reading, &plot, first + i);
  }
}
