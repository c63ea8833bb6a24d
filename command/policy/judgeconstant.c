/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rules on the active picture: the same rectangle throughout. */

#include <string.h>

#include "lines/values.h"
#include "policy/judgerule.h"

#define LEAST_USUAL 0.1 /* of the frames with a picture */

static const gchar *
judge_get_rectangle_name (void)
{
  return field_describe (FIELD_ID_ACTIVE_PICTURE)->name;
}

/* Continues the last rectangle of the list if it is this one. */
static gboolean
judge_continue_rectangle (GArray *rectangles, const guint rectangle[4], const PlacesSpan *span)
{
  JudgedRectangle *last = rectangles->len > 0 ? &g_array_index (rectangles, JudgedRectangle, rectangles->len - 1) : NULL;

  if (last == NULL || memcmp (last->rectangle, rectangle, sizeof last->rectangle) != 0
      || last->span.frame + last->span.frames != span->frame)
    return FALSE;
  last->span.frames += span->frames;
  if (GST_CLOCK_TIME_IS_VALID (last->span.start) && GST_CLOCK_TIME_IS_VALID (span->start)
      && GST_CLOCK_TIME_IS_VALID (span->length) && span->start > last->span.start)
    last->span.length = span->start + span->length - last->span.start;
  else
    last->span.length = GST_CLOCK_TIME_NONE;
  return TRUE;
}

void
judge_constant_take (JudgedRule *judged, const Measured *measured)
{
  JudgedRectangle next = { .span = measured->span };

  judged->frames += measured->span.frames;
  if (!values_get_rectangle (measured->line, judge_get_rectangle_name (), next.rectangle))
    return;
  judged->measured += measured->span.frames;
  if (next.rectangle[2] == 0 || next.rectangle[3] == 0)
    return;
  judged->with_picture += measured->span.frames;
  if (judged->rectangles == NULL)
    judged->rectangles = g_array_new (FALSE, FALSE, sizeof (JudgedRectangle));
  if (!judge_continue_rectangle (judged->rectangles, next.rectangle, &measured->span))
    g_array_append_val (judged->rectangles, next);
}

static guint
judge_hash_rectangle (gconstpointer key)
{
  const guint *rectangle = key;

  return ((rectangle[0] * 31 + rectangle[1]) * 31 + rectangle[2]) * 31 + rectangle[3];
}

static gboolean
judge_is_same_rectangle (gconstpointer one, gconstpointer other)
{
  return memcmp (one, other, 4 * sizeof (guint)) == 0;
}

/* Returns the rectangle of most frames; of equals, the first to have that number. NULL: none is that of enough frames, as in a
 * dark film without bars. */
static const guint *
judge_find_usual (const GArray *rectangles, guint64 frames)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (judge_hash_rectangle, judge_is_same_rectangle, NULL, g_free);
  const guint *usual = NULL;
  guint64 most = 0;

  for (guint i = 0; i < rectangles->len; i++) {
    JudgedRectangle *one = &g_array_index (rectangles, JudgedRectangle, i);
    guint64 *count = g_hash_table_lookup (counts, one->rectangle);

    if (count == NULL) {
      count = g_new0 (guint64, 1);
      g_hash_table_insert (counts, one->rectangle, count);
    }
    *count += one->span.frames;
    if (*count > most) {
      most = *count;
      usual = one->rectangle;
    }
  }
  return (gdouble)most >= LEAST_USUAL * (gdouble)frames ? usual : NULL;
}

/* Returns the largest distance in pixels by which a rectangle extends beyond the usual one. Sets *sides to the sides where this
 * distance exceeds `tolerance`. A smaller rectangle proves nothing: dark pictures and titles on black have one. */
static gdouble
judge_measure_outside (const guint one[4], const guint usual[4], gdouble tolerance, VerdictSides *sides)
{
  static const VerdictSides before[] = { VERDICT_LEFT, VERDICT_TOP }, after[] = { VERDICT_RIGHT, VERDICT_BOTTOM };
  gdouble distance = 0;

  *sides = 0;
  for (guint i = 0; i < 2; i++) {
    const gdouble first = (gdouble)usual[i] - one[i];
    const gdouble last = ((gdouble)one[i] + one[i + 2]) - ((gdouble)usual[i] + usual[i + 2]);

    *sides |= (first > tolerance ? before[i] : 0) | (last > tolerance ? after[i] : 0);
    distance = MAX (distance, MAX (first, last));
  }
  return distance;
}

static void
judge_find_changes (JudgedRule *judged, const guint *usual)
{
  memcpy (judged->usual.rectangle, usual, sizeof judged->usual.rectangle);
  for (guint i = 0; i < judged->rectangles->len; i++) {
    const JudgedRectangle *one = &g_array_index (judged->rectangles, JudgedRectangle, i);
    PlacesSpan span = one->span;
    const gdouble distance = judge_measure_outside (one->rectangle, usual, judged->rule->tolerance, &span.picture.sides);

    memcpy (span.picture.rectangle, one->rectangle, sizeof span.picture.rectangle);
    judge_note_value (judged, distance, distance - judged->rule->tolerance);
    if (distance > judged->rule->tolerance)
      places_take (&judged->places, &span, distance, distance, NULL);
    else
      places_end (&judged->places);
  }
  places_end (&judged->places);
}

void
judge_constant_finish (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  const guint *usual = judged->rectangles != NULL ? judge_find_usual (judged->rectangles, judged->with_picture) : NULL;

  judged->max = judged->rule->tolerance;
  if (usual != NULL)
    judge_find_changes (judged, usual);
  if (judge_has_too_many (judged, film))
    verdict->outcome = VERDICT_FAIL;
  else if (judged->measured > 0 && judged->rectangles == NULL)
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE, g_strdup ("every frame is black"));
  else if (judged->measured > 0 && usual == NULL)
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE, g_strdup ("no active picture is usual: it changes all the time"));
  else
    judge_pass (judged, film, verdict, judge_get_rectangle_name (), judge_get_rectangle_name ());
}
