/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The scope's drawing, from plain arrays: reads pixels back at the expected positions. */

#include <math.h>
#include <string.h>

#include "cases.h"
#include "canvas.h"

#define WIDTH 640
#define HEIGHT 400
#define LEVELS 256

/* Opaque, and unlike all other colours in the picture. */
#define TRACE 0xff00ff00
#define LEGAL 0xffff0000
#define MARK 0xffff00ff

typedef struct {
  GstCudaHistoScopeSettings settings;
  GstCudaHistoScopeReading reading;
  GstCudaHistoScopePanel panel;
  guint64 histogram[LEVELS];
  guint64 *waveform;
  guint64 *vectorscope;
  guint32 *pixels;
  guint width, height;
} Fixture;

static void
set_up (Fixture *f, GstCudaHistoScopeModes mode, guint depth)
{
  GstCudaHistoScopeSignal *signal = &f->reading.signal;

  memset (f, 0, sizeof *f);
  gst_cuda_histo_scope_settings_init (&f->settings);
  f->settings.modes = mode;
  f->settings.trace_color = TRACE;
  f->settings.legal_color = LEGAL;
  f->settings.mark_color = MARK;
  f->width = WIDTH;
  f->height = HEIGHT;
  strcpy (signal->format, "I420");
  strcpy (signal->names[0], "Y");
  strcpy (signal->names[1], "U");
  strcpy (signal->names[2], "V");
  signal->depth = depth;
  signal->n_components = 3;
  signal->is_limited = TRUE;
  signal->kr = 0.2126;
  signal->kb = 0.0722;
  signal->has_main_histogram = signal->has_histograms = signal->has_waveforms = signal->has_vectorscope = TRUE;
  f->waveform = g_new0 (guint64, LEVELS * LEVELS);
  f->vectorscope = g_new0 (guint64, LEVELS * LEVELS);
  for (guint c = 0; c < 3; c++) {
    f->reading.traces[c].histogram = f->histogram;
    f->reading.traces[c].n_bins = LEVELS;
    f->reading.traces[c].waveform = f->waveform;
    f->reading.traces[c].n_columns = LEVELS;
  }
  f->reading.vectorscope = f->vectorscope;
}

static void
draw (Fixture *f)
{
  GstCudaHistoScopeCanvas *canvas = gst_cuda_histo_scope_canvas_new ();

  g_free (f->pixels);
  f->pixels = g_new0 (guint32, f->width * f->height);
  gst_cuda_histo_scope_canvas_draw (canvas, &f->settings, &f->reading, FALSE, f->width, f->height, 1.0, (guint8 *)f->pixels,
                                    (gint)f->width * 4);
  gst_cuda_histo_scope_canvas_free (canvas);
  f->panel.mode = f->settings.modes;
  f->panel.box = (GstCudaHistoScopeBox){ 0, 0, f->width, f->height };
  gst_cuda_histo_scope_panel_fit (&f->panel, &f->settings);
}

static void
tear_down (Fixture *f)
{
  g_free (f->waveform);
  g_free (f->vectorscope);
  g_free (f->pixels);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, tear_down)

static GstCudaHistoScopeBox
get_plot (const Fixture *f)
{
  return gst_cuda_histo_scope_panel_get_plot (&f->panel, 0, 1);
}

static guint32
get_pixel (const Fixture *f, gdouble x, gdouble y)
{
  const gint column = (gint)floor (x), row = (gint)floor (y);

  ck_assert_msg (column >= 0 && row >= 0 && (guint)column < f->width && (guint)row < f->height, "no pixel at %d, %d", column,
                 row);
  return f->pixels[(guint)row * f->width + (guint)column];
}

/* Whether the pixel has mostly that colour. */
static gboolean
is_like (guint32 pixel, guint32 colour)
{
  for (guint shift = 0; shift < 24; shift += 8) {
    if ((colour >> shift & 0xff) > 128 ? (pixel >> shift & 0xff) < 150 : (pixel >> shift & 0xff) > 110)
      return FALSE;
  }
  return TRUE;
}

/* A pixel near x in that row: a line is moved so that it is sharp and has its colour in subsampled chroma. */
static gboolean
is_like_near (const Fixture *f, gdouble x, gdouble y, guint32 colour)
{
  for (gint distance = -2; distance <= 1; distance++) {
    if (is_like (get_pixel (f, x + distance, y), colour))
      return TRUE;
  }
  return FALSE;
}

/* Height of the trace in the column at x, in pixels from the bottom of the plot. */
static gdouble
measure_bar (const Fixture *f, gdouble x, guint32 colour)
{
  const GstCudaHistoScopeBox plot = get_plot (f);
  gdouble height = 0;

  for (gdouble y = plot.y + plot.height - 1.5; y > plot.y && is_like (get_pixel (f, x, y), colour); y--)
    height++;
  return height;
}

static gdouble
find_x (const Fixture *f, gdouble value)
{
  const GstCudaHistoScopeBox plot = get_plot (f);

  return plot.x + plot.width * value / (1u << f->reading.signal.depth);
}

/* 40 % of the samples are 40, and 60 % are 200. */
TEST (test_bars)
{
  Fixture f;

  for (GstCudaHistoScopeScale scale = GST_CUDA_HISTO_SCOPE_SCALE_LINEAR; scale <= GST_CUDA_HISTO_SCOPE_SCALE_LOGARITHMIC;
       scale++) {
    gdouble part, full, height;

    set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM, 8);
    f.settings.scale = scale;
    f.histogram[40] = 400;
    f.histogram[200] = 600;
    draw (&f);
    full = get_plot (&f).height;
    part = scale == GST_CUDA_HISTO_SCOPE_SCALE_LINEAR ? 400.0 / 600.0 : log (401) / log (601);
    height = measure_bar (&f, find_x (&f, 40.5), TRACE);
    ck_assert_msg (fabs (height - part * full) < 3, "40 %% is %g high, and not %g", height, part * full);
    height = measure_bar (&f, find_x (&f, 200.5), TRACE);
    ck_assert_msg (fabs (height - full) < 3, "60 %% is %g high, and not %g", height, full);
    ck_assert_msg (measure_bar (&f, find_x (&f, 120.5), TRACE) == 0, "a bar where there are no samples");
    tear_down (&f);
  }
}

/* A single sample among many is visible; 1024 bins are drawn at their positions. */
TEST (test_native_bins)
{
  g_autofree guint64 *bins = g_new0 (guint64, 1024);
  g_auto (Fixture) f = { 0 };

  set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM, 10);
  f.width = 1600;
  f.height = 1000;
  bins[512] = 1000000;
  bins[300] = 1;
  f.reading.traces[0].histogram = bins;
  f.reading.traces[0].n_bins = 1024;
  draw (&f);
  ck_assert (is_like (get_pixel (&f, find_x (&f, 300.5), get_plot (&f).y + get_plot (&f).height - 1), TRACE)
             || is_like (get_pixel (&f, find_x (&f, 300.5), get_plot (&f).y + get_plot (&f).height - 2), TRACE));
  ck_assert (measure_bar (&f, find_x (&f, 512.5), TRACE) > get_plot (&f).height - 4);
  ck_assert (measure_bar (&f, find_x (&f, 515.5), TRACE) == 0);
}

TEST (test_marks)
{
  const guint values[] = { 50, 120, 210 };
  Fixture f;

  for (gboolean has_marks = FALSE; has_marks <= TRUE; has_marks++) {
    set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM, 8);
    f.settings.marks = has_marks;
    f.reading.traces[0].has_numbers = TRUE;
    f.reading.traces[0].low = values[0];
    f.reading.traces[0].median = values[1];
    f.reading.traces[0].high = values[2];
    draw (&f);
    for (guint i = 0; i < G_N_ELEMENTS (values); i++)
      ck_assert_msg (is_like_near (&f, find_x (&f, values[i] + 0.5), get_plot (&f).y, MARK) == has_marks, "the mark at %u",
                     values[i]);
    ck_assert (!is_like_near (&f, find_x (&f, 90), get_plot (&f).y, MARK));
    tear_down (&f);
  }
}

/* The lines at 16 and 235, 64 and 940; bars outside have their colour. Full range has neither. */
TEST (test_legal_range)
{
  static const struct {
    guint depth, low, high;
  } cases[] = { { 8, 16, 236 }, { 10, 64, 944 }, { 12, 256, 3776 } };
  Fixture f;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    for (guint how = 0; how < 3; how++) { /* shown, not requested, full range */
      const gboolean is_shown = how == 0;
      gdouble y;

      set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM, cases[i].depth);
      f.settings.legal_range = how != 1;
      f.reading.signal.is_limited = how != 2;
      for (guint v = 0; v < LEVELS; v++)
        f.histogram[v] = 100;
      f.histogram[128] = 400;
      draw (&f);
      y = get_plot (&f).y + get_plot (&f).height / 3;
      ck_assert (is_like_near (&f, find_x (&f, cases[i].low), y, LEGAL) == is_shown);
      ck_assert (is_like_near (&f, find_x (&f, cases[i].high), y, LEGAL) == is_shown);
      y = get_plot (&f).y + get_plot (&f).height * 0.9;
      ck_assert (is_like (get_pixel (&f, find_x (&f, cases[i].low * 0.6), y), is_shown ? LEGAL : TRACE));
      ck_assert (is_like (get_pixel (&f, find_x (&f, cases[i].high * 1.03), y), is_shown ? LEGAL : TRACE));
      ck_assert (is_like (get_pixel (&f, find_x (&f, cases[i].low * 2), y), TRACE));
      tear_down (&f);
    }
  }
}

/* Column c of the waveform has only the value c: a diagonal from the lower left to the upper right. */
TEST (test_waveform)
{
  g_auto (Fixture) f = { 0 };

  set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM, 8);
  f.settings.legal_range = FALSE;
  for (guint c = 0; c < LEVELS; c++)
    f.waveform[c * LEVELS + c] = 100;
  draw (&f);
  for (guint c = 8; c < LEVELS; c += 16) {
    const GstCudaHistoScopeBox plot = get_plot (&f);
    const gdouble x = plot.x + plot.width * (c + 0.5) / LEVELS, y = plot.y + plot.height * (1 - (c + 0.5) / LEVELS);
    const gdouble other = plot.y + plot.height * (1 - ((c + 100) % LEVELS + 0.5) / LEVELS);

    ck_assert_msg ((get_pixel (&f, x, y) >> 8 & 0xff) > 130, "nothing at %u: %08x", c, get_pixel (&f, x, y));
    ck_assert_msg ((get_pixel (&f, x, other) >> 8 & 0xff) < 100, "something beside %u", c);
  }
}

/* The legal lines of a waveform, of Y and of chroma. */
TEST (test_waveform_range)
{
  g_auto (Fixture) f = { 0 };

  set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM_PARADE, 10);
  draw (&f);
  for (guint c = 0; c < 3; c++) {
    const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_get_plot (&f.panel, c, 3);
    const gdouble levels[] = { 16, c == 0 ? 236 : 241 };

    for (guint i = 0; i < 2; i++) {
      const gdouble y = plot.y + plot.height * (1 - levels[i] / LEVELS);

      ck_assert (is_like (get_pixel (&f, plot.x + 9, y - 2), LEGAL) || is_like (get_pixel (&f, plot.x + 9, y - 1), LEGAL)
                 || is_like (get_pixel (&f, plot.x + 9, y), LEGAL) || is_like (get_pixel (&f, plot.x + 9, y + 1), LEGAL));
    }
  }
}

/* The lines of 100, 203, 1000 and 4000 nits, in limited range of 10 bits and full range of 8. Chroma and other video have
 * none. */
TEST (test_waveform_nits)
{
  static const gdouble limited[] = { 509, 573, 723, 855 }, full[] = { 130, 148, 192, 230 };
  Fixture f;

  for (guint kind = 0; kind < 4; kind++) {
    const guint depth = kind == 1 ? 8 : 10;

    set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_WAVEFORM_PARADE, depth);
    f.height = 1100;
    f.settings.color = LEGAL;
    f.settings.waveform_scale = kind == 2 ? GST_CUDA_HISTO_SCOPE_WAVEFORM_SCALE_CODE : GST_CUDA_HISTO_SCOPE_WAVEFORM_SCALE_NITS;
    f.settings.legal_range = FALSE;
    f.reading.signal.is_pq = kind != 3;
    f.reading.signal.is_limited = kind != 1;
    draw (&f);
    for (guint c = 0; c < 2; c++) {
      const GstCudaHistoScopeBox plot = gst_cuda_histo_scope_panel_get_plot (&f.panel, c, 3);

      for (guint i = 0; i < G_N_ELEMENTS (limited); i++) {
        const gdouble code = kind == 1 ? full[i] : limited[i];
        const gdouble y = plot.y + plot.height * (1 - (code + 0.5) / (1u << depth));
        gboolean is_line = FALSE;

        for (gint distance = -2; distance <= 2; distance++)
          is_line |= (get_pixel (&f, plot.x + plot.width / 2, y + distance) >> 16 & 0xff) > 90;
        ck_assert_msg (is_line == (kind < 2 && c == 0), "%u: line %u of component %u", kind, i, c);
      }
    }
    tear_down (&f);
  }
}

/* Colour bars of 75 % as in the standards: Cb and Cr of R, Yl, G, Cy, B, Mg. Each point is lit, and in the middle of a box. */
TEST (test_vectorscope)
{
  static const struct {
    gdouble kr, kb;
    guint8 bars[6][2];
  } matrices[] = {
    { 0.2126, 0.0722, { { 109, 212 }, { 44, 136 }, { 63, 52 }, { 147, 44 }, { 212, 120 }, { 193, 204 } } },
    { 0.299, 0.114, { { 100, 212 }, { 44, 142 }, { 72, 58 }, { 156, 44 }, { 212, 114 }, { 184, 198 } } },
  };
  Fixture f;

  for (guint m = 0; m < G_N_ELEMENTS (matrices); m++) {
    for (guint has_samples = 0; has_samples < 2; has_samples++) {
      set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE, 8);
      f.width = f.height = 1000;
      f.reading.signal.kr = matrices[m].kr;
      f.reading.signal.kb = matrices[m].kb;
      for (guint b = 0; has_samples == 1 && b < 6; b++)
        f.vectorscope[matrices[m].bars[b][1] * LEVELS + matrices[m].bars[b][0]] = 1000;
      draw (&f);
      for (guint b = 0; b < 6; b++) {
        const GstCudaHistoScopeBox plot = get_plot (&f);
        const gdouble unit = plot.width / LEVELS, x = plot.x + (matrices[m].bars[b][0] + 0.5) * unit;
        const gdouble y = plot.y + plot.height - (matrices[m].bars[b][1] + 0.5) * unit;
        const guint32 point = get_pixel (&f, x, y);
        guint sides = 0;

        ck_assert_msg ((MAX (MAX (point >> 16 & 0xff, point >> 8 & 0xff), point & 0xff) > 140) == (has_samples == 1),
                       "bar %u: %08x", b, point);
        /* The box's line is 7 units from the point in each direction, plus or minus one. */
        for (guint direction = 0; direction < 4; direction++) {
          static const gint dx[] = { 1, 0, -1, 0 }, dy[] = { 0, 1, 0, -1 };
          gdouble nearest = 0;

          for (gdouble distance = 3 * unit; distance < 12 * unit && nearest == 0; distance++) {
            const guint32 pixel = get_pixel (&f, x + dx[direction] * distance, y + dy[direction] * distance);

            if (MAX (MAX (pixel >> 16 & 0xff, pixel >> 8 & 0xff), pixel & 0xff) > 170)
              nearest = distance / unit;
          }
          sides += nearest > 5.5 && nearest < 8.5;
        }
        ck_assert_msg (sides == 4, "matrix %u, bar %u is not in its box: %u sides", m, b, sides);
      }
      tear_down (&f);
    }
  }
}

static guint
count_like (const Fixture *f, guint32 colour)
{
  guint count = 0;

  for (guint i = 0; i < f->width * f->height; i++)
    count += is_like (f->pixels[i], colour);
  return count;
}

/* The panel and the warning show what a mode lacks. */
TEST (test_lacks)
{
  Fixture f;

  for (guint bit = 0; bit < GST_CUDA_HISTO_SCOPE_N_MODES; bit++) {
    guint before;

    set_up (&f, 1u << bit, 8);
    f.settings.marks = FALSE;
    draw (&f);
    before = count_like (&f, MARK);
    ck_assert (gst_cuda_histo_scope_panel_find_lack (1u << bit, &f.reading.signal) == NULL);
    f.reading.signal.has_main_histogram = f.reading.signal.has_histograms = FALSE;
    f.reading.signal.has_waveforms = f.reading.signal.has_vectorscope = FALSE;
    memset (f.reading.traces, 0, sizeof f.reading.traces);
    f.reading.vectorscope = NULL;
    draw (&f);
    ck_assert_uint_gt (count_like (&f, MARK), before + 300);
    ck_assert (strstr (gst_cuda_histo_scope_panel_find_lack (1u << bit, &f.reading.signal), "statistics=") != NULL);
    f.reading.signal.n_components = 1;
    if (1u << bit == GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE)
      ck_assert (strstr (gst_cuda_histo_scope_panel_find_lack (1u << bit, &f.reading.signal), "videoconvert") != NULL);
    tear_down (&f);
  }
}

/* The boxes of a vectorscope of R, G and B are in the matrix that cudahisto takes for luma. */
TEST (test_matrix_of_rgb)
{
  static const struct {
    const gchar *colorimetry;
    gdouble kr;
  } cases[] = { { "sRGB", 0.2126 }, { "1:1:14:7", 0.2627 }, { "1:4:5:1", 0.299 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstStructure) structure
        = gst_structure_new ("cudahisto", "version", G_TYPE_UINT, 1, "format", G_TYPE_STRING, "RGB", "colorimetry",
                             G_TYPE_STRING, cases[i].colorimetry, "R-count", G_TYPE_UINT64, G_GUINT64_CONSTANT (1), NULL);
    g_autoptr (GstCudaHistoResult) result = gst_cuda_histo_result_from_structure (structure);
    GstCudaHistoScopeReading reading;

    ck_assert (result != NULL);
    gst_cuda_histo_scope_reading_init (&reading, result);
    ck_assert (reading.signal.is_rgb);
    ck_assert (fabs (reading.signal.kr - cases[i].kr) < 1e-9);
  }
}

TEST (test_nits)
{
  static const struct {
    guint depth, value;
    gboolean is_limited;
    gdouble nits;
  } cases[] = { { 10, 64, TRUE, 0 },       { 10, 509, TRUE, 99.86 },   { 10, 940, TRUE, 10000 },  { 10, 4, TRUE, 0 },
                { 10, 1019, TRUE, 10000 }, { 12, 2081, FALSE, 100.1 }, { 12, 4095, FALSE, 10000 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const GstCudaHistoScopeSignal signal = { .depth = cases[i].depth, .is_limited = cases[i].is_limited };
    const gdouble nits = gst_cuda_histo_scope_signal_get_nits (&signal, cases[i].value);

    ck_assert_msg (fabs (nits - cases[i].nits) <= 0.001 * cases[i].nits, "%u: %g nits", cases[i].value, nits);
  }
}

TEST (test_opacity)
{
  g_auto (Fixture) f = { 0 };
  guint most = 0;

  set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM, 8);
  f.settings.opacity = 0.5;
  f.histogram[100] = 1;
  draw (&f);
  for (guint i = 0; i < f.width * f.height; i++)
    most = MAX (most, f.pixels[i] >> 24);
  ck_assert_uint_ge (most, 120);
  ck_assert_uint_le (most, 128);
}

/* At each size, even with almost no space, the scope is inside the picture, between chroma samples, and can be drawn. */
TEST (test_sizes)
{
  static const guint sizes[][2]
      = { { 1, 1 },     { 2, 2 },     { 3, 17 },      { 16, 16 },     { 17, 9 },    { 64, 64 },   { 101, 67 },   { 320, 240 },
          { 720, 576 }, { 854, 480 }, { 1919, 1079 }, { 3840, 2160 }, { 2000, 20 }, { 20, 2000 }, { 7680, 4320 } };
  static const gdouble aspects[] = { 1.0, 64.0 / 45, 0.5 };
  g_auto (Fixture) f = { 0 };

  set_up (&f, 0, 8);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    for (guint modes = 1; modes<32; modes += sizes[i][0]> 1000 ? 15 : 3) {
      for (guint place = 0; place <= GST_CUDA_HISTO_SCOPE_PLACEMENT_POSITION; place++) {
        const gdouble aspect = aspects[(i + modes + place) % G_N_ELEMENTS (aspects)];
        GstCudaHistoScopeRectangle r;

        f.settings.modes = modes;
        f.settings.placement = place;
        f.settings.size = (place + 1) / 10.0;
        f.settings.xpos = f.settings.ypos = modes / 31.0;
        r = gst_cuda_histo_scope_canvas_place (&f.settings, &f.reading.signal, sizes[i][0], sizes[i][1], aspect);
        ck_assert (r.x >= 0 && r.y >= 0 && r.width > 0 && r.height > 0);
        ck_assert (r.x + r.width <= (gint)sizes[i][0] && r.y + r.height <= (gint)sizes[i][1]);
        ck_assert (r.x % 4 == 0 && r.y % 4 == 0);
        ck_assert (r.x + r.width == (gint)sizes[i][0] || (r.x + r.width) % 4 == 0);
        ck_assert (r.y + r.height == (gint)sizes[i][1] || (r.y + r.height) % 4 == 0);
        if (place % 4 == 0 && r.width * r.height < 400000) {
          g_autoptr (GstCudaHistoScopeCanvas) canvas = gst_cuda_histo_scope_canvas_new ();
          g_autofree guint32 *pixels = g_new0 (guint32, r.width * r.height);

          gst_cuda_histo_scope_canvas_draw (canvas, &f.settings, &f.reading, place == 0, (guint)r.width, (guint)r.height,
                                            aspect, (guint8 *)pixels, r.width * 4);
        }
      }
    }
  }
  f.settings.modes = 0;
  ck_assert_int_eq (gst_cuda_histo_scope_canvas_place (&f.settings, &f.reading.signal, 640, 480, 1).width, 0);
}

/* Over a picture larger than the maximum image, the scope is smaller, and can be drawn. A larger one is refused. */
TEST (test_largest)
{
  static const guint sizes[][2]
      = { { 34000, 4600 },  { 40000, 64 },    { 100000, 60000 }, { 64, 50000 },    { 32763, 32763 }, { 32764, 32764 },
          { 32765, 32765 }, { 32766, 32766 }, { 32767, 32767 },  { 32768, 32768 }, { 32769, 32770 }, { 32771, 32772 } };
  static const gdouble aspects[] = { 0.5, 2, 1 };
  g_autoptr (GstCudaHistoScopeCanvas) canvas = gst_cuda_histo_scope_canvas_new ();
  g_autofree guint32 *pixels = g_new0 (guint32, 4 * 40000);
  g_auto (Fixture) f = { 0 };

  set_up (&f, 31, 8);
  f.settings.placement = GST_CUDA_HISTO_SCOPE_PLACEMENT_POSITION;
  f.settings.size = 1;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    for (guint modes = 1; modes < 32; modes++) {
      GstCudaHistoScopeRectangle r;

      f.settings.modes = modes;
      f.settings.xpos = f.settings.ypos = modes % 5 / 4.0;
      r = gst_cuda_histo_scope_canvas_place (&f.settings, &f.reading.signal, sizes[i][0], sizes[i][1],
                                             aspects[modes % G_N_ELEMENTS (aspects)]);
      ck_assert (r.width > 0 && r.width <= 32767 && r.height > 0 && r.height <= 32767 && r.x >= 0 && r.y >= 0);
      ck_assert (r.x + r.width <= (gint)sizes[i][0] && r.y + r.height <= (gint)sizes[i][1]);
      ck_assert (r.x % 4 == 0 && (r.width % 4 == 0 || r.x + r.width == (gint)sizes[i][0]));
    }
  }
  ck_assert (
      gst_cuda_histo_scope_canvas_draw (canvas, &f.settings, &f.reading, TRUE, 32767, 4, 1, (guint8 *)pixels, 32767 * 4));
  ck_assert (
      !gst_cuda_histo_scope_canvas_draw (canvas, &f.settings, &f.reading, TRUE, 32768, 4, 1, (guint8 *)pixels, 32768 * 4));
  for (guint again = 0; again < 2; again++) /* after a failure the ground is not treated as drawn */
    ck_assert (!gst_cuda_histo_scope_canvas_draw (canvas, &f.settings, &f.reading, FALSE, 4, 40000, 1, (guint8 *)pixels, 16));
  ck_assert (gst_cuda_histo_scope_canvas_draw (canvas, &f.settings, &f.reading, TRUE, 4, 32767, 1, (guint8 *)pixels, 16));
}

/* The smallest pictures with text and with numbers that the documentation states, with the default settings. */
TEST (test_smallest_text)
{
  g_auto (Fixture) f = { 0 };

  set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_HISTOGRAM, 8);
  for (guint place = 0; place < GST_CUDA_HISTO_SCOPE_PLACEMENT_POSITION; place++) {
    for (guint height = 100; height < 500; height++) {
      GstCudaHistoScopeRectangle r;

      f.settings.placement = place;
      r = gst_cuda_histo_scope_canvas_place (&f.settings, &f.reading.signal, height * 16 / 9, height, 1);
      f.panel.box = (GstCudaHistoScopeBox){ 0, 0, r.width, r.height };
      gst_cuda_histo_scope_panel_fit (&f.panel, &f.settings);
      ck_assert_msg ((f.panel.em > 0) == (height >= 223), "letters of %g in %u rows", f.panel.em, height);
      ck_assert_msg (f.panel.has_numbers == (height >= 338), "numbers in %u rows", height);
    }
  }
}

/* If pixels are twice as wide as high, the vectorscope's square has half as many columns. */
TEST (test_pixel_aspect)
{
  GstCudaHistoScopeRectangle square, wide;
  g_auto (Fixture) f = { 0 };

  set_up (&f, GST_CUDA_HISTO_SCOPE_MODE_VECTORSCOPE, 8);
  square = gst_cuda_histo_scope_canvas_place (&f.settings, &f.reading.signal, 1920, 1080, 1);
  wide = gst_cuda_histo_scope_canvas_place (&f.settings, &f.reading.signal, 960, 1080, 2);
  ck_assert_int_eq (square.height, wide.height);
  ck_assert (abs (square.width - square.height) <= 4);
  ck_assert (abs (wide.width * 2 - square.width) <= 8);
}

TEST_MAIN
