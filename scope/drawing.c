/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "drawing.h"

#include <math.h>

#define MAX_LABELS 16

void
gst_cuda_histo_scope_drawing_set_colour (cairo_t *cr, guint32 colour, gdouble alpha)
{
  cairo_set_source_rgba (cr, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0,
                         (colour >> 24) / 255.0 * alpha);
}

guint32
gst_cuda_histo_scope_drawing_mix (guint32 from, guint32 to, gdouble part)
{
  guint32 mixed = from & 0xff000000;

  for (guint shift = 0; shift < 24; shift += 8)
    mixed |= (guint32)((from >> shift & 0xff) * (1 - part) + (to >> shift & 0xff) * part + 0.5) << shift;
  return mixed;
}

/* The middle of a line of `width` pixels that makes it sharp. A thin line is on an even pixel: subsampled chroma has no samples
 * at odd ones. */
static gdouble
gst_cuda_histo_scope_drawing_snap (gdouble position, gdouble width)
{
  const gint pixels = (gint)(width + 0.5);

  if (pixels <= 2)
    return floor (position / 2) * 2 + (pixels == 2 ? 1 : 0.5);
  return pixels % 2 != 0 ? floor (position) + 0.5 : floor (position + 0.5);
}

void
gst_cuda_histo_scope_draw_line (cairo_t *cr, gdouble x0, gdouble y0, gdouble x1, gdouble y1)
{
  gdouble width = cairo_get_line_width (cr), x = x0, y = y0, zero = 0;

  cairo_user_to_device (cr, &x, &y);
  cairo_user_to_device_distance (cr, &zero, &width);
  x = gst_cuda_histo_scope_drawing_snap (x, width);
  y = gst_cuda_histo_scope_drawing_snap (y, width);
  cairo_device_to_user (cr, &x, &y);
  if (x0 == x1)
    x0 = x1 = x;
  else if (y0 == y1)
    y0 = y1 = y;
  cairo_move_to (cr, x0, y0);
  cairo_line_to (cr, x1, y1);
  cairo_stroke (cr);
}

void
gst_cuda_histo_scope_draw_text (cairo_t *cr, const gchar *text, gdouble em, gdouble x, gdouble y, gdouble align,
                                gdouble max_width)
{
  cairo_text_extents_t extents;

  if (em <= 0 || text[0] == '\0')
    return;
  cairo_set_font_size (cr, em);
  cairo_text_extents (cr, text, &extents);
  if (max_width > 0 && extents.x_advance > max_width) {
    cairo_set_font_size (cr, em * max_width / extents.x_advance);
    extents.x_advance = max_width;
  }
  cairo_move_to (cr, x - align * extents.x_advance, y);
  cairo_show_text (cr, text);
}

static gdouble
gst_cuda_histo_scope_drawing_get_width (cairo_t *cr, const gchar *text)
{
  cairo_text_extents_t extents;

  cairo_text_extents (cr, text, &extents);
  return extents.x_advance;
}

/* Breaks the text into lines between words. Free with g_ptr_array_unref(). */
static GPtrArray *
gst_cuda_histo_scope_drawing_break (cairo_t *cr, const gchar *text, gdouble width)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  gchar *line = NULL;

  for (guint w = 0; words[w] != NULL; w++) {
    gchar *longer = line != NULL ? g_strconcat (line, " ", words[w], NULL) : g_strdup (words[w]);

    if (line != NULL && gst_cuda_histo_scope_drawing_get_width (cr, longer) > width) {
      g_ptr_array_add (lines, line);
      g_free (longer);
      longer = g_strdup (words[w]);
    } else {
      g_free (line);
    }
    line = longer;
  }
  if (line != NULL)
    g_ptr_array_add (lines, line);
  return lines;
}

void
gst_cuda_histo_scope_draw_paragraph (cairo_t *cr, const gchar *text, gdouble em, const GstCudaHistoScopeBox *box)
{
  const gdouble leading = em * 1.35;
  g_autoptr (GPtrArray) lines = NULL;
  gdouble y;

  if (em <= 0)
    return;
  cairo_set_font_size (cr, em);
  lines = gst_cuda_histo_scope_drawing_break (cr, text, box->width);
  y = box->y + (box->height - leading * lines->len) / 2 + em;
  for (guint i = 0; i < lines->len; i++)
    gst_cuda_histo_scope_draw_text (cr, lines->pdata[i], em, box->x + box->width / 2, y + leading * i, 0.5, box->width);
}

void
gst_cuda_histo_scope_draw_labels (cairo_t *cr, const GstCudaHistoScopeLabel *labels, guint count, gdouble em, gdouble baseline,
                                  gdouble left, gdouble right)
{
  gdouble taken[MAX_LABELS][2];
  guint n_taken = 0;

  if (em <= 0)
    return;
  cairo_set_font_size (cr, em);
  for (guint i = 0; i < MIN (count, MAX_LABELS); i++) {
    const gdouble width = gst_cuda_histo_scope_drawing_get_width (cr, labels[i].text);
    const gdouble begin = CLAMP (labels[i].x - width / 2, left, MAX (left, right - width));
    gboolean is_free = TRUE;

    for (guint t = 0; t < n_taken; t++)
      is_free = is_free && (begin > taken[t][1] || begin + width < taken[t][0]);
    if (!is_free)
      continue;
    taken[n_taken][0] = begin - em * 0.2;
    taken[n_taken++][1] = begin + width + em * 0.2;
    gst_cuda_histo_scope_drawing_set_colour (cr, labels[i].colour, 0.8);
    cairo_move_to (cr, begin, baseline);
    cairo_show_text (cr, labels[i].text);
  }
}
