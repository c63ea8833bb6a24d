/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/filmprivate.h"

#include <math.h>

#include "lines/json.h"
#include "report/packing.h"

#define LEAST_ROWS 1024 /* lower limit when curves and the heat map are thinned out */
#define LEAST_COLUMNS 128

static void
film_append_events (const Film *film, GString *json)
{
  g_string_append (json, ",\"events\":[");
  for (guint i = 0; i < film->events->len; i++) {
    const Event *event = g_ptr_array_index (film->events, i);

    g_string_append_printf (json, "%s{\"is-open\":%s", i > 0 ? "," : "", event->ended_by == NULL ? "true" : "false");
    json_append_text_member (json, "event", event->kind);
    json_append_text_member (json, "ended-by", event->ended_by);
    json_append_double_member (json, "start", film_read_time (event->start));
    json_append_double_member (json, "end", film_read_time (event->end));
    json_append_double_member (json, "frame", (gdouble)event->frame);
    json_append_double_member (json, "frames", event->has_frames ? (gdouble)event->frames : NAN);
    json_append_double_member (json, "value", event->value);
    json_append_double_member (json, "threshold", event->threshold);
    json_append_double_member (json, "missing", event->has_missing ? (gdouble)event->missing : NAN);
    json_append_text_member (json, "cause", event->cause);
    json_append_double_member (json, "result", event->result);
    json_append_double_member (json, "result-end", event->result_end);
    g_string_append_c (json, '}');
  }
  g_string_append_c (json, ']');
}

static void
film_append_parts (const Film *film, GString *json)
{
  g_string_append (json, ",\"parts\":[");
  for (guint i = 0; i < film->parts->len; i++) {
    const Part *part = g_ptr_array_index (film->parts, i);

    g_string_append_printf (json,
                            "%s{\"point\":%" G_GUINT64_FORMAT ",\"width\":%u,\"height\":%u,\"depth\":%u,\"is-of-fields\":%s",
                            i > 0 ? "," : "", part->result / series_get_step (film->series), part->width, part->height,
                            part->depth, part->is_of_fields ? "true" : "false");
    json_append_text_member (json, "format", part->format);
    json_append_text_member (json, "range", part->range);
    json_append_text_member (json, "framerate", part->framerate);
    g_string_append_c (json, '}');
  }
  g_string_append_c (json, ']');
}

/* Appends the curves with data, and their numbers, which columns refer to. */
static void
film_append_curves (const Film *film, GString *json)
{
  g_autoptr (GString) further = g_string_new (NULL);

  g_string_append (json, ",\"curves\":[");
  for (guint i = 0; i < film->curves->len; i++)
    curve_append (g_ptr_array_index (film->curves, i), i, json, further);
  g_string_append_printf (json, "],\"scalars\":[%s]", further->str);
}

static void
film_append_extremes (const Film *film, GString *json)
{
  g_string_append (json, ",\"extremes\":[");
  for (guint i = 0; i < film->curves->len; i++)
    curve_append_extremes (g_ptr_array_index (film->curves, i), json, film->offset != FILM_NONE);
  g_string_append_c (json, ']');
}

static void
film_append_axes (const Film *film, GString *json)
{
  const gboolean is_bytes = film_is_of_bytes (film);

  g_string_append_printf (json, ",\"axes\":[%s%s%s\"result\"]", film->has_times ? "\"time\"," : "",
                          film->has_frames && !is_bytes ? "\"frame\"," : "", is_bytes ? "\"byte\"," : "");
}

/* Packs lengths instead of ends, since these compress better. */
static void
film_pack_lengths (const Film *film, Packing *packing, const gchar *name, guint begin, guint end)
{
  const guint n_rows = series_count_rows (film->series);
  const gdouble *begins = series_get_column (film->series, begin), *ends = series_get_column (film->series, end);
  g_autofree gdouble *lengths = g_new (gdouble, MAX (1, n_rows));

  for (guint i = 0; i < n_rows; i++)
    lengths[i] = ends[i] - begins[i];
  packing_add_doubles (packing, name, lengths, n_rows, TRUE);
}

static Packing *
film_pack_curves (const Film *film)
{
  const guint n_rows = series_count_rows (film->series);
  Packing *packing = packing_new ();

  packing_add_doubles (packing, "time", series_get_column (film->series, film->time), n_rows, TRUE);
  film_pack_lengths (film, packing, "duration", film->time, film->end);
  packing_add_doubles (packing, "frame", series_get_column (film->series, film->frame), n_rows, TRUE);
  film_pack_lengths (film, packing, "frames", film->frame, film->frame_end);
  if (film->offset != FILM_NONE) {
    packing_add_doubles (packing, "offset", series_get_column (film->series, film->offset), n_rows, TRUE);
    film_pack_lengths (film, packing, "size", film->offset, film->offset_end);
  }
  active_pack (film->active, film->series, packing);
  for (guint i = 0; i < film->curves->len; i++)
    curve_pack (g_ptr_array_index (film->curves, i), i, film->series, packing);
  return packing;
}

static Packing *
film_pack_heat (const Film *film)
{
  Packing *packing = packing_new ();

  for (guint i = 0; i < film->curves->len; i++)
    curve_pack_histogram (g_ptr_array_index (film->curves, i), i, film->heat, packing);
  return packing;
}

static void
film_append_texts (const GPtrArray *texts, const gchar *name, GString *json)
{
  g_string_append_printf (json, ",\"%s\":[", name);
  for (guint i = 0; i < texts->len; i++) {
    g_string_append (json, i > 0 ? "," : "");
    json_append_text (json, g_ptr_array_index (texts, i), TRUE);
  }
  g_string_append_c (json, ']');
}

/* Aligns the columns of the heat map with rows of the curves. */
static void
film_align_heat (Film *film)
{
  while (heat_get_step (film->heat) < series_get_step (film->series))
    heat_halve (film->heat);
}

void
film_finish (Film *film, gsize most, GString *facts, gchar **curves, gchar **heat)
{
  Packing *curve_packing, *heat_packing;
  gsize curve_length, heat_length;

  film_align_heat (film);
  curve_packing = film_pack_curves (film);
  heat_packing = film_pack_heat (film);
  *curves = packing_finish (curve_packing, &curve_length);
  *heat = packing_finish (heat_packing, &heat_length);
  while (curve_length + heat_length > most) {
    const gboolean has_rows = series_count_rows (film->series) > LEAST_ROWS;
    const gboolean has_columns = film_has_histograms (film) && heat_count_columns (film->heat) > LEAST_COLUMNS;

    if (!has_rows && !has_columns)
      break;
    if (has_columns && (heat_length > curve_length / 2 || !has_rows))
      heat_halve (film->heat);
    else
      series_halve (film->series);
    film_align_heat (film);
    packing_free (curve_packing);
    packing_free (heat_packing);
    g_free (*curves);
    g_free (*heat);
    curve_packing = film_pack_curves (film);
    heat_packing = film_pack_heat (film);
    *curves = packing_finish (curve_packing, &curve_length);
    *heat = packing_finish (heat_packing, &heat_length);
  }
  film_add_notes (film);

  g_string_append (facts, "{\"name\":");
  json_append_text (facts, film_get_name (film), TRUE);
  json_append_text_member (facts, "file", film->file);
  film_append_texts (film->warnings, "warnings", facts);
  film_append_texts (film->notes, "notes", facts);
  g_string_append_printf (facts,
                          ",\"results\":%" G_GUINT64_FORMAT ",\"frames\":%" G_GUINT64_FORMAT ",\"bytes\":%" G_GUINT64_FORMAT
                          ",\"points\":%u,\"results-per-point\":%" G_GUINT64_FORMAT ",\"results-per-column\":%" G_GUINT64_FORMAT
                          ",\"is-of-fields\":%s",
                          film->n_results, film->n_frames, film->n_bytes, series_count_rows (film->series),
                          series_get_step (film->series), heat_get_step (film->heat),
                          film->n_results > 0 && film->n_of_fields == film->n_results ? "true" : "false");
  json_append_text_member (facts, "backend", film->backend);
  json_append_text_member (facts, "utc-time", film->utc_time);
  film_append_axes (film, facts);
  film_append_curves (film, facts);
  film_append_parts (film, facts);
  film_append_events (film, facts);
  active_append (film->active, facts);
  film_append_extremes (film, facts);
  g_string_append_printf (facts, ",\"layout\":%s,\"heat-layout\":%s}", packing_get_layout (curve_packing),
                          packing_get_layout (heat_packing));
  packing_free (curve_packing);
  packing_free (heat_packing);
}
