/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "canvas.h"

#include <math.h>
#include <string.h>

#define N_MODES GST_CUDA_HISTO_SCOPE_N_MODES
#define GAP 0.015   /* between panels, in panel heights */
#define MARGIN 0.02 /* around the scope, in picture heights */
#define LEAST_HEIGHT 24.0
#define CHROMA_PIXELS 4 /* the coarsest chroma subsampling */
#define MAX_SIDE (GST_CUDA_HISTO_SCOPE_MAX_SIDE / CHROMA_PIXELS * CHROMA_PIXELS)

/* The state for which the ground was drawn. Unused bytes are zero. */
typedef struct {
  GstCudaHistoScopeSettings settings;
  GstCudaHistoScopeSignal signal;
  gboolean has_signal;
  gboolean is_picture;
  guint width;
  guint height;
  gdouble aspect;
} Key;

struct _GstCudaHistoScopeCanvas {
  Key key;
  cairo_surface_t *ground; /* NULL until drawn */
  GstCudaHistoScopePanel panels[N_MODES];
  guint n_panels;
  guint32 *scratch;
};

GstCudaHistoScopeCanvas *
gst_cuda_histo_scope_canvas_new (void)
{
  GstCudaHistoScopeCanvas *canvas = g_new0 (GstCudaHistoScopeCanvas, 1);

  canvas->scratch = g_new (guint32, GST_CUDA_HISTO_SCOPE_SCRATCH);
  return canvas;
}

void
gst_cuda_histo_scope_canvas_free (GstCudaHistoScopeCanvas *canvas)
{
  if (canvas == NULL)
    return;
  g_clear_pointer (&canvas->ground, cairo_surface_destroy);
  g_free (canvas->scratch);
  g_free (canvas);
}

/* The requested modes, in order. */
static guint
gst_cuda_histo_scope_canvas_list_modes (const GstCudaHistoScopeSettings *settings, GstCudaHistoScopeModes *modes)
{
  guint count = 0;

  for (guint bit = 0; bit < N_MODES; bit++) {
    if (((guint)settings->modes & 1u << bit) != 0)
      modes[count++] = 1u << bit;
  }
  return count;
}

/* Width of a row of panels of height 1, with the gaps between them. */
static gdouble
gst_cuda_histo_scope_canvas_get_aspect (const GstCudaHistoScopeModes *modes, guint count, guint n_components)
{
  gdouble aspect = GAP * (count > 0 ? count - 1 : 0);

  for (guint i = 0; i < count; i++)
    aspect += gst_cuda_histo_scope_panel_get_aspect (modes[i], n_components);
  return aspect;
}

static gint
gst_cuda_histo_scope_canvas_align (gdouble position, gint end)
{
  const gint aligned = (gint)(position / CHROMA_PIXELS + 0.5) * CHROMA_PIXELS;

  return aligned > end - CHROMA_PIXELS ? end : MAX (0, aligned);
}

GstCudaHistoScopeRectangle
gst_cuda_histo_scope_canvas_place (const GstCudaHistoScopeSettings *settings, const GstCudaHistoScopeSignal *signal,
                                   guint width, guint height, gdouble aspect)
{
  static const gdouble thirds[] = { 0, 0.5, 1 };
  const guint place = settings->placement;
  const gboolean is_free = settings->placement == GST_CUDA_HISTO_SCOPE_PLACEMENT_POSITION;
  const gdouble xpos = is_free ? settings->xpos : thirds[place % 3], ypos = is_free ? settings->ypos : thirds[place / 3];
  const gdouble margin = is_free ? 0 : floor (height * MARGIN);
  GstCudaHistoScopeRectangle rectangle = { 0, 0, 0, 0 };
  GstCudaHistoScopeModes modes[N_MODES];
  const guint count = gst_cuda_histo_scope_canvas_list_modes (settings, modes);
  const gdouble shape = gst_cuda_histo_scope_canvas_get_aspect (modes, count, signal->n_components);
  const gdouble free_width = MAX (1, width * aspect - 2 * margin), free_height = MAX (1, height - 2 * margin);
  const gdouble most_width = MIN (free_width, MAX_SIDE * aspect), most_height = MIN (free_height, MAX_SIDE);
  gdouble high, wide;
  gint x, y;

  if (count == 0 || width == 0 || height == 0)
    return rectangle;
  high = MIN (MAX (settings->size * height, LEAST_HEIGHT), most_height);
  wide = high * shape;
  if (wide > most_width) {
    wide = most_width;
    high = MIN (high, MAX (wide / shape, LEAST_HEIGHT));
  }
  x = gst_cuda_histo_scope_canvas_align ((margin + (free_width - wide) * xpos) / aspect, (gint)width);
  y = gst_cuda_histo_scope_canvas_align (margin + (free_height - high) * ypos, (gint)height);
  rectangle.x = MIN (x, MAX (0, (gint)width - CHROMA_PIXELS) / CHROMA_PIXELS * CHROMA_PIXELS);
  rectangle.y = MIN (y, MAX (0, (gint)height - CHROMA_PIXELS) / CHROMA_PIXELS * CHROMA_PIXELS);
  rectangle.width = gst_cuda_histo_scope_canvas_align (rectangle.x + wide / aspect, (gint)width) - rectangle.x;
  rectangle.height = gst_cuda_histo_scope_canvas_align (rectangle.y + high, (gint)height) - rectangle.y;
  rectangle.width = MAX (rectangle.width, MIN (CHROMA_PIXELS, (gint)width - rectangle.x));
  rectangle.height = MAX (rectangle.height, MIN (CHROMA_PIXELS, (gint)height - rectangle.y));
  return rectangle;
}

static void
gst_cuda_histo_scope_canvas_fill_rows (GstCudaHistoScopeCanvas *canvas, const GstCudaHistoScopeModes *modes, guint count,
                                       guint n_rows)
{
  const Key *key = &canvas->key;
  const gdouble width = key->width * key->aspect, height = key->height;
  const gdouble row_height = (height - GAP * height / n_rows * (n_rows - 1)) / n_rows, gap = GAP * row_height;
  guint next = 0;

  for (guint row = 0; row < n_rows; row++) {
    const guint in_row = (count - next + n_rows - row - 1) / (n_rows - row);
    const gdouble shape = gst_cuda_histo_scope_canvas_get_aspect (modes + next, in_row, key->signal.n_components);
    const gdouble scale = (width - gap * (in_row - 1)) / (shape - GAP * (in_row - 1));
    gdouble x = 0;

    for (guint i = 0; i < in_row; i++, next++) {
      GstCudaHistoScopePanel *panel = &canvas->panels[next];

      panel->mode = modes[next];
      panel->box.x = x;
      panel->box.y = row * (row_height + gap);
      panel->box.width = gst_cuda_histo_scope_panel_get_aspect (modes[next], key->signal.n_components) * scale;
      panel->box.height = row_height;
      gst_cuda_histo_scope_panel_fit (panel, &key->settings);
      x += panel->box.width + gap;
    }
  }
}

/* Over a picture, panels are in one row. In a separate picture, the number of rows is the one that distorts them least. */
static void
gst_cuda_histo_scope_canvas_arrange (GstCudaHistoScopeCanvas *canvas)
{
  const Key *key = &canvas->key;
  GstCudaHistoScopeModes modes[N_MODES];
  const guint count = gst_cuda_histo_scope_canvas_list_modes (&key->settings, modes);
  gdouble least = G_MAXDOUBLE;
  guint best = 1;

  canvas->n_panels = count;
  if (count == 0)
    return;
  for (guint n_rows = 1; key->is_picture && n_rows <= count; n_rows++) {
    const guint in_row = (count + n_rows - 1) / n_rows;
    const gdouble shape = gst_cuda_histo_scope_canvas_get_aspect (modes, in_row, key->signal.n_components);
    const gdouble distortion = fabs (log (key->width * key->aspect / (shape * key->height / n_rows)));

    if (distortion < least) {
      least = distortion;
      best = n_rows;
    }
  }
  gst_cuda_histo_scope_canvas_fill_rows (canvas, modes, count, best);
}

static cairo_t *
gst_cuda_histo_scope_canvas_begin (const GstCudaHistoScopeCanvas *canvas, cairo_surface_t *surface)
{
  cairo_t *cr = cairo_create (surface);
  cairo_font_options_t *options = cairo_font_options_create ();

  /* The same text on every system, whatever its display settings. */
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options (cr, options);
  cairo_font_options_destroy (options);
  cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_scale (cr, 1 / canvas->key.aspect, 1);
  return cr;
}

static void
gst_cuda_histo_scope_canvas_draw_backgrounds (GstCudaHistoScopeCanvas *canvas, cairo_t *cr)
{
  const Key *key = &canvas->key;

  if (key->is_picture) {
    gst_cuda_histo_scope_drawing_set_colour (cr, key->settings.background_color | 0xff000000, 1);
    cairo_paint (cr);
    return;
  }
  gst_cuda_histo_scope_drawing_set_colour (cr, key->settings.background_color, 1);
  for (guint i = 0; i < canvas->n_panels; i++) {
    const GstCudaHistoScopeBox *box = &canvas->panels[i].box;
    const gdouble radius = MIN (canvas->panels[i].em * 0.5, box->height / 8);

    cairo_new_sub_path (cr);
    cairo_arc (cr, box->x + box->width - radius, box->y + radius, radius, -G_PI / 2, 0);
    cairo_arc (cr, box->x + box->width - radius, box->y + box->height - radius, radius, 0, G_PI / 2);
    cairo_arc (cr, box->x + radius, box->y + box->height - radius, radius, G_PI / 2, G_PI);
    cairo_arc (cr, box->x + radius, box->y + radius, radius, G_PI, 3 * G_PI / 2);
    cairo_close_path (cr);
    cairo_fill (cr);
  }
}

static const gchar *
gst_cuda_histo_scope_canvas_find_notice (const GstCudaHistoScopeCanvas *canvas, const GstCudaHistoScopePanel *panel)
{
  if (!canvas->key.has_signal)
    return "No result yet";
  return gst_cuda_histo_scope_panel_find_lack (panel->mode, &canvas->key.signal);
}

static void
gst_cuda_histo_scope_canvas_draw_panel_ground (GstCudaHistoScopeCanvas *canvas, cairo_t *cr,
                                               const GstCudaHistoScopePanel *panel)
{
  const GstCudaHistoScopeSettings *settings = &canvas->key.settings;
  const GstCudaHistoScopeSignal *signal = &canvas->key.signal;
  const gchar *notice = gst_cuda_histo_scope_canvas_find_notice (canvas, panel);

  if (notice != NULL) {
    const gdouble inset = panel->em;
    const GstCudaHistoScopeBox box
        = { panel->box.x + inset, panel->box.y + inset, panel->box.width - 2 * inset, panel->box.height - 2 * inset };

    gst_cuda_histo_scope_drawing_set_colour (cr, settings->mark_color, 1);
    gst_cuda_histo_scope_draw_paragraph (cr, notice, panel->em * 1.05, &box);
    return;
  }
  switch (panel->mode) {
  case GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM:
  case GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM_PARADE:
    gst_cuda_histo_scope_histogram_draw_ground (cr, panel, settings, signal);
    break;
  case GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM:
  case GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM_PARADE:
    gst_cuda_histo_scope_waveform_draw_ground (cr, panel, settings, signal);
    break;
  case GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE:
    gst_cuda_histo_scope_vectorscope_draw_ground (cr, panel, settings, signal);
    break;
  }
}

static void
gst_cuda_histo_scope_canvas_draw_panel (GstCudaHistoScopeCanvas *canvas, cairo_t *cr, const GstCudaHistoScopePanel *panel,
                                        const GstCudaHistoScopeReading *reading)
{
  const GstCudaHistoScopeSettings *settings = &canvas->key.settings;

  if (gst_cuda_histo_scope_canvas_find_notice (canvas, panel) != NULL)
    return;
  switch (panel->mode) {
  case GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM:
  case GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM_PARADE:
    gst_cuda_histo_scope_histogram_draw (cr, panel, settings, reading);
    break;
  case GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM:
  case GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM_PARADE:
    gst_cuda_histo_scope_waveform_draw (cr, panel, settings, reading, canvas->scratch);
    break;
  case GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE:
    gst_cuda_histo_scope_vectorscope_draw (cr, panel, settings, reading, canvas->scratch);
    break;
  }
}

/* FALSE if the ground cannot be drawn. */
static gboolean
gst_cuda_histo_scope_canvas_draw_ground (GstCudaHistoScopeCanvas *canvas)
{
  gboolean is_drawn;
  cairo_t *cr;

  gst_cuda_histo_scope_canvas_arrange (canvas);
  g_clear_pointer (&canvas->ground, cairo_surface_destroy);
  canvas->ground = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int)canvas->key.width, (int)canvas->key.height);
  cr = gst_cuda_histo_scope_canvas_begin (canvas, canvas->ground);
  gst_cuda_histo_scope_canvas_draw_backgrounds (canvas, cr);
  for (guint i = 0; i < canvas->n_panels; i++)
    gst_cuda_histo_scope_canvas_draw_panel_ground (canvas, cr, &canvas->panels[i]);
  is_drawn = cairo_status (cr) == CAIRO_STATUS_SUCCESS;
  cairo_destroy (cr);
  cairo_surface_flush (canvas->ground);
  if (!is_drawn)
    g_clear_pointer (&canvas->ground, cairo_surface_destroy);
  return is_drawn;
}

static void
gst_cuda_histo_scope_canvas_fade (cairo_t *cr, gdouble opacity)
{
  cairo_set_operator (cr, CAIRO_OPERATOR_DEST_IN);
  cairo_set_source_rgba (cr, 0, 0, 0, opacity);
  cairo_paint (cr);
}

gboolean
gst_cuda_histo_scope_canvas_draw (GstCudaHistoScopeCanvas *canvas, const GstCudaHistoScopeSettings *settings,
                                  const GstCudaHistoScopeReading *reading, gboolean is_picture, guint width, guint height,
                                  gdouble aspect, guint8 *pixels, gint stride_bytes)
{
  cairo_surface_t *surface;
  gboolean is_drawn;
  cairo_t *cr;
  Key key;

  memset (&key, 0, sizeof key);
  key.settings = *settings;
  if (reading != NULL)
    key.signal = reading->signal;
  key.has_signal = reading != NULL;
  key.is_picture = is_picture;
  key.width = width;
  key.height = height;
  key.aspect = aspect;
  if (canvas->ground == NULL || memcmp (&key, &canvas->key, sizeof key) != 0) {
    memcpy (&canvas->key, &key, sizeof key);
    if (!gst_cuda_histo_scope_canvas_draw_ground (canvas))
      return FALSE;
  }

  for (guint row = 0; row < height; row++)
    memcpy (pixels + (gsize)row * stride_bytes,
            cairo_image_surface_get_data (canvas->ground) + (gsize)row * cairo_image_surface_get_stride (canvas->ground),
            (gsize)width * sizeof (guint32));
  surface = cairo_image_surface_create_for_data (pixels, CAIRO_FORMAT_ARGB32, (int)width, (int)height, stride_bytes);
  cr = gst_cuda_histo_scope_canvas_begin (canvas, surface);
  for (guint i = 0; i < canvas->n_panels && reading != NULL; i++)
    gst_cuda_histo_scope_canvas_draw_panel (canvas, cr, &canvas->panels[i], reading);
  if (!is_picture && settings->opacity < 1)
    gst_cuda_histo_scope_canvas_fade (cr, settings->opacity);
  is_drawn = cairo_status (cr) == CAIRO_STATUS_SUCCESS;
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return is_drawn;
}
