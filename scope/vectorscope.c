/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The vectorscope: U (Cb) from left to right, V (Cr) from the bottom up, each from 0 to 255. More samples are brighter. The
 * graticule has a box for each colour of 75 and 100 % bars, in the signal's matrix. */

#include "panel.h"

#include <math.h>
#include <string.h>

#define LEVELS GST_CUDA_HISTO_SCOPE_LEVELS

/* In units of 256 values. */
#define MIDDLE 128.0
#define LIMITED_SWING 112.0
#define FULL_SWING 127.5
#define BOX_OF_75 7.0
#define BOX_OF_100 4.5

#define BRIGHT 0.5f /* points that light their neighbours */
#define GLOW 0.9f   /* brightness of the lit neighbours, as a factor */

typedef struct {
  gdouble u;
  gdouble v;
} Chroma;

static gdouble
gst_cuda_histo_scope_vectorscope_get_swing (const GstCudaHistoScopeSignal *signal)
{
  return signal->is_limited ? LIMITED_SWING : FULL_SWING;
}

/* The chroma of R', G' and B' of 0 to 1, relative to the middle. */
static Chroma
gst_cuda_histo_scope_vectorscope_find_chroma (const GstCudaHistoScopeSignal *signal, gdouble red, gdouble green, gdouble blue)
{
  const gdouble luma = signal->kr * red + (1 - signal->kr - signal->kb) * green + signal->kb * blue;
  const gdouble swing = gst_cuda_histo_scope_vectorscope_get_swing (signal);

  return (Chroma){ swing * (blue - luma) / (1 - signal->kb), swing * (red - luma) / (1 - signal->kr) };
}

static void
gst_cuda_histo_scope_vectorscope_draw_targets (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                               const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal)
{
  static const struct {
    const gchar *name;
    guint red, green, blue;
    guint32 colour;
  } bars[] = { { "R", 1, 0, 0, 0xffff6b63 },  { "Yl", 1, 1, 0, 0xfff0e15a }, { "G", 0, 1, 0, 0xff5fe07a },
               { "Cy", 0, 1, 1, 0xff56d8e6 }, { "B", 0, 0, 1, 0xff6f9dff },  { "Mg", 1, 0, 1, 0xfff07be6 } };

  for (guint i = 0; i < G_N_ELEMENTS (bars); i++) {
    const Chroma full = gst_cuda_histo_scope_vectorscope_find_chroma (signal, bars[i].red, bars[i].green, bars[i].blue);
    const gdouble distance = hypot (full.u, full.v), outside = 1 + (panel->em > 0 ? 13.0 / distance : 0);
    const gdouble letters = panel->em * 0.75, scale = LEVELS / gst_cuda_histo_scope_panel_get_plot (panel, 0, 1).width;
    const gdouble x = MIDDLE + 0.5 + full.u * outside, y = LEVELS - (MIDDLE + 0.5 + full.v * outside);

    gst_cuda_histo_scope_drawing_set_colour (cr, bars[i].colour, 0.9);
    cairo_rectangle (cr, MIDDLE + 0.5 + full.u * 0.75 - BOX_OF_75, LEVELS - (MIDDLE + 0.5 + full.v * 0.75) - BOX_OF_75,
                     2 * BOX_OF_75, 2 * BOX_OF_75);
    cairo_stroke (cr);
    gst_cuda_histo_scope_drawing_set_colour (cr, bars[i].colour, 0.55);
    cairo_rectangle (cr, MIDDLE + 0.5 + full.u - BOX_OF_100, LEVELS - (MIDDLE + 0.5 + full.v) - BOX_OF_100, 2 * BOX_OF_100,
                     2 * BOX_OF_100);
    cairo_stroke (cr);
    gst_cuda_histo_scope_drawing_set_colour (cr, gst_cuda_histo_scope_drawing_mix (bars[i].colour, settings->color, 0.3), 0.95);
    gst_cuda_histo_scope_draw_text (cr, bars[i].name, letters * scale, CLAMP (x, 8, LEVELS - 8),
                                    CLAMP (y + letters * scale * 0.35, letters * scale, LEVELS - 2), 0.5, 0);
  }
}

/* The hue of NTSC's +I, near which all skin tones lie, as R', G' and B'. */
static void
gst_cuda_histo_scope_vectorscope_draw_skin_line (cairo_t *cr, const GstCudaHistoScopeSettings *settings,
                                                 const GstCudaHistoScopeSignal *signal)
{
  const Chroma hue = gst_cuda_histo_scope_vectorscope_find_chroma (signal, 0.956, -0.272, -1.106);
  const gdouble length = gst_cuda_histo_scope_vectorscope_get_swing (signal) / hypot (hue.u, hue.v);

  gst_cuda_histo_scope_drawing_set_colour (cr, gst_cuda_histo_scope_drawing_mix (settings->color, 0xffb98a, 0.7), 0.75);
  gst_cuda_histo_scope_draw_line (cr, MIDDLE + 0.5, LEVELS - MIDDLE - 0.5, MIDDLE + 0.5 + hue.u * length,
                                  LEVELS - (MIDDLE + 0.5 + hue.v * length));
}

static void
gst_cuda_histo_scope_vectorscope_draw_circle (cairo_t *cr, const GstCudaHistoScopeSettings *settings, gdouble swing)
{
  const gdouble x = MIDDLE + 0.5, y = LEVELS - MIDDLE - 0.5;

  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.06);
  cairo_arc (cr, x, y, swing, 0, 2 * G_PI);
  cairo_fill_preserve (cr);
  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.4);
  cairo_stroke (cr);
  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.16);
  gst_cuda_histo_scope_draw_line (cr, x - swing, y, x + swing, y);
  gst_cuda_histo_scope_draw_line (cr, x, y - swing, x, y + swing);
  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.4);
  for (guint tick = 0; tick < 36; tick++) {
    const gdouble angle = tick * G_PI / 18, inside = swing * (tick % 3 == 0 ? 0.95 : 0.975);

    gst_cuda_histo_scope_draw_line (cr, x + cos (angle) * inside, y + sin (angle) * inside, x + cos (angle) * swing,
                                    y + sin (angle) * swing);
  }
}

void
gst_cuda_histo_scope_vectorscope_draw_ground (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                              const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal)
{
  const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_get_plot (panel, 0, 1);

  gst_cuda_histo_scope_panel_draw_title (cr, panel, settings, signal->colorimetry, signal->is_limited ? "" : "full range");
  cairo_save (cr);
  cairo_rectangle (cr, plot.x, plot.y, plot.width, plot.height);
  cairo_clip (cr);
  cairo_translate (cr, plot.x, plot.y);
  cairo_scale (cr, plot.width / LEVELS, plot.height / LEVELS);
  cairo_set_line_width (cr, panel->stroke * LEVELS / plot.width);
  gst_cuda_histo_scope_vectorscope_draw_circle (cr, settings, gst_cuda_histo_scope_vectorscope_get_swing (signal));
  gst_cuda_histo_scope_vectorscope_draw_skin_line (cr, settings, signal);
  gst_cuda_histo_scope_vectorscope_draw_targets (cr, panel, settings, signal);
  cairo_restore (cr);
}

/* The colour of a chroma, with enough luma to be visible. */
static guint32
gst_cuda_histo_scope_vectorscope_find_colour (const GstCudaHistoScopeSignal *signal, guint u, guint v)
{
  const gdouble swing = gst_cuda_histo_scope_vectorscope_get_swing (signal), luma = 0.62;
  const gdouble blue = luma + (u - MIDDLE) / swing * (1 - signal->kb), red = luma + (v - MIDDLE) / swing * (1 - signal->kr);
  const gdouble green = (luma - signal->kr * red - signal->kb * blue) / (1 - signal->kr - signal->kb);

  return 0xff000000 | (guint32)(CLAMP (red, 0, 1) * 255 + 0.5) << 16 | (guint32)(CLAMP (green, 0, 1) * 255 + 0.5) << 8
         | (guint32)(CLAMP (blue, 0, 1) * 255 + 0.5);
}

static guint32
gst_cuda_histo_scope_vectorscope_make_pixel (const GstCudaHistoScopeSignal *signal, guint u, guint v, gdouble brightness)
{
  const guint32 colour = gst_cuda_histo_scope_drawing_mix (gst_cuda_histo_scope_vectorscope_find_colour (signal, u, v),
                                                           0xffffff, MAX (0, brightness - 0.6) * 1.2);
  const gdouble alpha = MIN (1, brightness * 1.2);
  guint32 pixel = (guint32)(alpha * 255 + 0.5) << 24;

  for (guint shift = 0; shift < 24; shift += 8)
    pixel |= (guint32)((colour >> shift & 0xff) * alpha + 0.5) << shift;
  return pixel;
}

static void
gst_cuda_histo_scope_vectorscope_draw_numbers (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                               const GstCudaHistoScopeSettings *settings,
                                               const GstCudaHistoScopeReading *reading)
{
  const gdouble right = panel->box.x + panel->box.width - panel->em * 0.6;
  const gdouble bottom = panel->box.y + panel->box.height - panel->em * 0.6;
  g_autofree gchar *mean = g_strdup_printf ("sat %.1f", reading->saturation_mean);
  g_autofree gchar *max = g_strdup_printf ("max %u", reading->saturation_max);

  gst_cuda_histo_scope_drawing_set_colour (cr, settings->color, 0.8);
  gst_cuda_histo_scope_draw_text (cr, mean, panel->em * 0.8, right, bottom - panel->em, 1, 0);
  gst_cuda_histo_scope_draw_text (cr, max, panel->em * 0.8, right, bottom, 1, 0);
}

/* A bright point lights its neighbours, as on a tube, so that it is larger than a pixel or two. */
static void
gst_cuda_histo_scope_vectorscope_spread (gfloat *lit, guint u, guint v, gfloat brightness)
{
  const gfloat glow = (brightness - BRIGHT) * GLOW;

  for (guint y = MAX (v, 1) - 1; y <= MIN (v + 1, LEVELS - 1); y++) {
    for (guint x = MAX (u, 1) - 1; x <= MIN (u + 1, LEVELS - 1); x++)
      lit[y * LEVELS + x] = MAX (lit[y * LEVELS + x], glow);
  }
}

/* The brightness of each pair of U and V, from 0 to 1. */
static void
gst_cuda_histo_scope_vectorscope_light (const guint64 *counters, gdouble gain, gfloat *lit)
{
  gdouble total = 0;

  for (guint i = 0; i < LEVELS * LEVELS; i++) {
    total += (gdouble)counters[i];
    lit[i] = 0;
  }
  for (guint i = 0; i < LEVELS * LEVELS; i++) {
    if (counters[i] > 0) {
      const gfloat brightness = (gfloat)MIN (1, 0.25 + 12 * gain * sqrt ((gdouble)counters[i] / total));

      lit[i] = MAX (lit[i], brightness);
      if (brightness > BRIGHT)
        gst_cuda_histo_scope_vectorscope_spread (lit, i % LEVELS, i / LEVELS, brightness);
    }
  }
}

void
gst_cuda_histo_scope_vectorscope_draw (cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                       const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeReading *reading,
                                       guint32 *scratch)
{
  const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_get_plot (panel, 0, 1);
  gfloat *lit = (gfloat *)(scratch + LEVELS * LEVELS);

  gst_cuda_histo_scope_vectorscope_light (reading->vectorscope, settings->gain, lit);
  for (guint v = 0; v < LEVELS; v++) {
    guint32 *row = scratch + (LEVELS - 1 - v) * LEVELS;

    for (guint u = 0; u < LEVELS; u++) {
      const gfloat brightness = lit[v * LEVELS + u];

      row[u] = brightness > 0 ? gst_cuda_histo_scope_vectorscope_make_pixel (&reading->signal, u, v, brightness) : 0;
    }
  }
  gst_cuda_histo_scope_panel_paint (cr, &plot, scratch, LEVELS, LEVELS);
  if (panel->has_numbers && reading->has_saturation)
    gst_cuda_histo_scope_vectorscope_draw_numbers (cr, panel, settings, reading);
}
