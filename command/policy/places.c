/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/places.h"

#define SLACK (2 * GST_MSECOND)

void
places_init (Places *places, GstClockTime duration)
{
  *places = (Places){ .duration = duration, .places = g_ptr_array_new_with_free_func (verdict_place_free) };
}

void
places_clear (Places *places)
{
  g_clear_pointer (&places->places, g_ptr_array_unref);
  g_clear_pointer (&places->longest, verdict_place_free);
  g_clear_pointer (&places->open, verdict_place_free);
}

gboolean
places_is_short (const Places *places, GstClockTime length)
{
  return GST_CLOCK_TIME_IS_VALID (length) && places->duration > SLACK && length < places->duration - SLACK;
}

/* Returns the sum of two lengths; unknown if one of them is. */
static GstClockTime
places_add (GstClockTime one, GstClockTime other)
{
  if (!GST_CLOCK_TIME_IS_VALID (one) || !GST_CLOCK_TIME_IS_VALID (other) || one > G_MAXINT64 || other > G_MAXINT64)
    return GST_CLOCK_TIME_NONE;
  return one + other;
}

static void
places_begin (Places *places, const PlacesSpan *span)
{
  places->open = g_new (VerdictPlace, 1);
  *places->open = (VerdictPlace){ .frame = span->frame, .start = span->start };
  places->open_length = 0;
}

/* The length of the run: rounded lengths do not add up to that of the time between its start and its end. */
static GstClockTime
places_measure (const Places *places)
{
  const VerdictPlace *open = places->open;

  if (GST_CLOCK_TIME_IS_VALID (open->start) && GST_CLOCK_TIME_IS_VALID (open->end) && open->end > open->start)
    return open->end - open->start;
  return places->open_length;
}

void
places_take (Places *places, const PlacesSpan *span, gdouble value, gdouble excess, const gchar *component)
{
  VerdictPlace *open = places->open;

  if (open != NULL && open->frame + open->frames != span->frame)
    places_end (places);
  if (places->open == NULL)
    places_begin (places, span);
  open = places->open;
  if (open->frames == 0 || excess > places->open_excess) {
    places->open_excess = excess;
    open->value = value;
    g_free (open->component);
    open->component = g_strdup (component);
    open->picture = span->picture;
  }
  open->frames += span->frames;
  open->end = places_add (span->start, span->length);
  places->open_length = places_add (places->open_length, span->length);
}

static gboolean
places_is_longest (const Places *places, GstClockTime length)
{
  if (places->longest == NULL)
    return TRUE;
  if (GST_CLOCK_TIME_IS_VALID (length) && GST_CLOCK_TIME_IS_VALID (places->longest_length))
    return length > places->longest_length;
  return places->open->frames > places->longest->frames;
}

void
places_end (Places *places)
{
  GstClockTime length;

  if (places->open == NULL)
    return;
  length = places_measure (places);
  if (places_is_short (places, length)) {
    places->n_short++;
    g_clear_pointer (&places->open, verdict_place_free);
    return;
  }
  if (places_is_longest (places, length)) {
    verdict_place_free (places->longest);
    places->longest = verdict_place_copy (places->open);
    places->longest_length = length;
  }
  places->n_places++;
  places->frames += places->open->frames;
  if (places->places->len < VERDICT_MOST_PLACES)
    g_ptr_array_add (places->places, g_steal_pointer (&places->open));
  else
    g_clear_pointer (&places->open, verdict_place_free);
}
