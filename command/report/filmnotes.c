/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/filmprivate.h"

static void
film_note_axes (Film *film)
{
  if (film->n_results == 0 || film_is_of_bytes (film))
    return;
  if (!film->has_times && film->times_lost_at >= 0)
    film_add_note (film, "%s, first at result %" G_GINT64_FORMAT ": the horizontal axis shows %s instead of time.",
                   film->is_time_unknown ? "Results have no stream time"
                                         : "Times go back, as after a seek or between runs in one file",
                   film->times_lost_at + 1, film->has_frames ? "frames" : "results");
  else if (!film->has_frames)
    film_add_note (film, "Frame numbers go back at result %" G_GINT64_FORMAT ": there is no axis of frames.",
                   film->frames_lost_at + 1);
}

/* Returns whether parts have different bit depths. */
static gboolean
film_has_depths (const Film *film)
{
  for (guint i = 1; i < film->parts->len; i++) {
    const Part *first = g_ptr_array_index (film->parts, 0), *other = g_ptr_array_index (film->parts, i);

    if (first->depth != other->depth)
      return TRUE;
  }
  return FALSE;
}

static void
film_note_contents (Film *film)
{
  gboolean has_levels = FALSE;

  for (guint i = 0; i < film->curves->len; i++)
    has_levels |= curve_has_levels (g_ptr_array_index (film->curves, i));
  if (film->n_results == 0)
    film_add_note (film, "The file has events and no results: measure without window=stream, or to the end, for curves.");
  else if (!has_levels)
    film_add_note (film, "The results have no means and percentiles: measure with statistics=basic or histogram for curves.");
  else if (!film_has_histograms (film))
    film_add_note (film, "The results have no histograms (sidecar-arrays=none): there is no heat map.");
  if (film_has_depths (film))
    film_add_note (film, "The bit depth changes. Levels are drawn on the axis of the highest depth; numbers and extremes are "
                         "at each result's own depth.");
  if (film->has_folded_histograms)
    film_add_note (film, "Histograms have 256 bins here, each of neighbouring values; the results have a bin for each value.");
  if (film->n_omitted_regions > 0)
    film_add_warning (film, "Only the first %d regions are shown; %u others are omitted.", FILM_MAX_REGIONS,
                      film->n_omitted_regions);
  if (film->n_events > film->events->len)
    film_add_warning (film, "Of %" G_GUINT64_FORMAT " events, the first %u are shown.", film->n_events, film->events->len);
  if (film->n_omitted_parts > 0)
    film_add_warning (film, "The format changes so often that only the first %d changes are shown.", FILM_MAX_PARTS);
}

static void
film_note_coarseness (Film *film)
{
  const guint64 step = series_get_step (film->series), heat_step = heat_get_step (film->heat);

  if (step > 1)
    film_add_note (film,
                   "A point of the curves covers %" G_GUINT64_FORMAT
                   " results: their smallest min and low, their largest high and max, and the average of their means, medians "
                   "and other numbers. The table of extremes uses each result.",
                   step);
  if (heat_step > 1 && film_has_histograms (film))
    film_add_note (film,
                   "A column of the heat map is the sum of %" G_GUINT64_FORMAT
                   " results, and a click shows the histogram of that sum; the curves show %s.",
                   heat_step, step > 1 ? "shorter intervals" : "every result");
  if (film->n_inputs > 1)
    film_add_note (film, "The results are of several inputs: %s.", film->inputs->str);
}

static void
film_warn_of_sampling (Film *film)
{
  if (film->sampled.text != NULL)
    film_add_warning (film, "Not all frames of the film were measured: %s.", film->sampled.text);
}

static void
film_warn_of_damage (Film *film)
{
  if (film->n_damaged > 0)
    film_add_warning (film, "The film is damaged in %" G_GUINT64_FORMAT " %s: see the events.", film->n_damaged,
                      film->n_damaged == 1 ? "place" : "places");
}

void
film_add_notes (Film *film)
{
  film_warn_of_sampling (film);
  film_warn_of_damage (film);
  film_note_axes (film);
  film_note_contents (film);
  film_note_coarseness (film);
}
