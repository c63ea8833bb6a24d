/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rules on what a film declares. */

#include <math.h>
#include <string.h>

#include "lines/values.h"
#include "policy/judgerule.h"

#define SLACK 0.002     /* s: times are rounded, in Matroska to milliseconds */
#define SLACK_MS 2      /* the same for steps between frames */
#define LEAST_EQUAL 0.9 /* of the steps, at a constant frame rate; frames may be missing */
#define MOST_STEP (1000 * GST_SECOND)

/* ---- results ---------------------------------------------------------------------------------------------------------- */

static const gchar *
judge_find_luma (const Measured *measured)
{
  for (guint i = 0; measured->components[i] != NULL; i++)
    if (measured_is_chosen ("luma", measured->components[i]))
      return measured->components[i];
  return NULL;
}

/* Counts the samples beyond the range 16 to 235 of 8 bits. FALSE: their number is unknown. */
static gboolean
judge_count_beyond (const Measured *measured, const gchar *luma, guint64 *beyond)
{
  const gdouble unit = ldexp (1, (gint)measured->depth - 8);
  gsize n_bins;
  const guint64 *bins = values_get_array (measured->line, luma, field_describe (FIELD_ID_HISTOGRAM)->name, &n_bins);

  *beyond = 0;
  if (bins == NULL || n_bins < 256)
    return measured_read (measured, field_describe (FIELD_ID_MIN), luma) >= 16 * unit
           && measured_read (measured, field_describe (FIELD_ID_MAX), luma) <= 235 * unit;
  for (gsize i = 0; i < n_bins; i++)
    if (i < 16 * n_bins / 256 || i > 235 * n_bins / 256)
      *beyond += GUINT64_FROM_LE (bins[i]);
  return TRUE;
}

static void
judge_take_range (JudgedRule *judged, const Measured *measured)
{
  const gchar *luma = judge_find_luma (measured);
  guint64 samples = 0, beyond;
  gdouble fraction;

  judged->lacks_luma |= luma == NULL; /* but R, G and B */
  if (luma == NULL || !values_get_uint64 (measured->line, luma, field_describe (FIELD_ID_COUNT)->name, &samples) || samples == 0
      || measured->depth < 8 || !judge_count_beyond (measured, luma, &beyond))
    return;
  judged->measured += measured->span.frames;
  judged->samples += samples;
  judged->beyond += beyond;
  fraction = (gdouble)beyond / (gdouble)samples;
  if (fraction > judged->rule->share)
    places_take (&judged->places, &measured->span, fraction, fraction, luma);
  else
    places_end (&judged->places);
}

static void
judge_take_bits (JudgedRule *judged, const Measured *measured)
{
  const gchar *name = field_describe (FIELD_ID_USED_MASK)->name;
  gboolean is_measured = FALSE;
  guint64 mask;

  if (judged->depth == 0)
    judged->depth = measured->depth;
  for (guint i = 0; measured->components[i] != NULL; i++) {
    if (!values_get_uint64 (measured->line, measured->components[i], name, &mask))
      continue;
    judged->mask |= mask;
    is_measured = TRUE;
  }
  if (is_measured)
    judged->measured += measured->span.frames;
}

static void
judge_take_damage (JudgedRule *judged, const Measured *measured)
{
  guint64 damaged = 0, missing = 0;

  values_get_uint64 (measured->line, NULL, field_describe (FIELD_ID_DAMAGED)->name, &damaged);
  values_get_uint64 (measured->line, NULL, field_describe (FIELD_ID_MISSING)->name, &missing);
  judged->damaged += damaged + missing;
}

static const FieldDescription *
judge_find_light_field (const Rule *rule)
{
  return field_describe (rule->declared == DECLARED_MAX_CLL ? FIELD_ID_LIGHT_MAX_CLL : FIELD_ID_LIGHT_MAX_FALL_ACTIVE);
}

static void
judge_take_light (JudgedRule *judged, const Measured *measured)
{
  const gdouble value = measured_read (measured, judge_find_light_field (judged->rule), NULL);

  if (isnan (value))
    return;
  judged->measured += measured->span.frames;
  if (isnan (judged->value) || value > judged->value)
    judged->greatest = measured->span;
  judge_note_value (judged, value, value);
}

/* Counts the step from the last frame. */
static void
judge_take_step (JudgedRule *judged, const Measured *measured)
{
  const GstClockTime start = measured->span.start, last = judged->last_start;
  gpointer key;

  judged->last_start = start;
  if (!GST_CLOCK_TIME_IS_VALID (start) || !GST_CLOCK_TIME_IS_VALID (last) || start <= last || measured->span.frames != 1)
    return;
  if (judged->steps == NULL)
    judged->steps = g_hash_table_new (NULL, NULL);
  key = GUINT_TO_POINTER ((guint)((MIN (start - last, MOST_STEP) + GST_MSECOND / 2) / GST_MSECOND));
  g_hash_table_insert (judged->steps, key, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (judged->steps, key)) + 1));
  judged->n_steps++;
}

/* Returns the number of steps of about this length. */
static guint64
judge_count_steps (const JudgedRule *judged, guint ms)
{
  guint64 count = 0;

  for (guint near = ms - MIN (ms, SLACK_MS); near <= ms + SLACK_MS; near++)
    count += GPOINTER_TO_UINT (g_hash_table_lookup (judged->steps, GUINT_TO_POINTER (near)));
  return count;
}

static gboolean
judge_is_variable (const JudgedRule *judged)
{
  GHashTableIter lengths;
  gpointer ms;
  guint64 most = 0;

  g_hash_table_iter_init (&lengths, judged->steps);
  while (g_hash_table_iter_next (&lengths, &ms, NULL)) {
    const guint64 count = judge_count_steps (judged, GPOINTER_TO_UINT (ms));

    most = MAX (most, count);
  }
  return (gdouble)most < LEAST_EQUAL * (gdouble)judged->n_steps;
}

void
judge_declared_take (JudgedRule *judged, const Measured *measured)
{
  judged->frames += measured->span.frames;
  switch (judged->rule->declared) {
  case DECLARED_RANGE:
    judge_take_range (judged, measured);
    break;
  case DECLARED_DEPTH:
    judge_take_bits (judged, measured);
    break;
  case DECLARED_DAMAGE:
    judge_take_damage (judged, measured);
    break;
  case DECLARED_MAX_CLL:
  case DECLARED_MAX_FALL:
    judge_take_light (judged, measured);
    break;
  case DECLARED_FRAMERATE:
    judge_take_step (judged, measured);
    judged->measured = judged->frames;
    break;
  default: /* the run has its times and frames */
    judged->measured = judged->frames;
    break;
  }
}

/* ---- the verdict ------------------------------------------------------------------------------------------------------ */

/* Compares the value with a declared one. `slack`: of times that are rounded. */
static void
judge_compare_declared (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict, gdouble declared, gdouble slack)
{
  const gdouble tolerance = judged->rule->tolerance;

  verdict->declared = declared;
  judged->min = MAX (0, declared - tolerance);
  judged->max = declared + tolerance;
  judged->excess = fabs (judged->value - declared) - tolerance - slack;
  if (judged->excess <= 0)
    verdict->outcome = VERDICT_PASS;
  else if (film->is_sample)
    judge_set_reason (verdict, VERDICT_NOT_MEASURED, g_strdup ("the lines do not have all frames"));
  else
    verdict->outcome = VERDICT_FAIL;
}

static void
judge_set_undeclared (RuleVerdict *verdict, const JudgedFilm *film, const gchar *what)
{
  if (film->declaration == NULL)
    judge_set_reason (verdict, VERDICT_NOT_MEASURED, g_strdup ("the results have no declarations: check the film itself"));
  else
    judge_set_reason (verdict, verdict->rule->is_required ? VERDICT_FAIL : VERDICT_NOT_APPLICABLE,
                      g_strdup_printf ("the film declares no %s", what));
}

static guint64
judge_count_frames (const JudgedFilm *film)
{
  return film->run->clock.has_fields ? event_clock_count_frames (&film->run->clock, 0, film->run->end_frame) : film->frames;
}

/* Returns the length of the video in seconds. NaN: unknown. */
static gdouble
judge_measure_video (const JudgedFilm *film)
{
  const EventRun *run = film->run;

  if (!GST_CLOCK_TIME_IS_VALID (run->begin) || !GST_CLOCK_TIME_IS_VALID (run->end) || run->end <= run->begin)
    return NAN;
  return (gdouble)(run->end - run->begin) / GST_SECOND;
}

/* Returns the length that the declared duration is of. That of the longest stream begins at 0, or with the video. */
static gdouble
judge_measure_declared (const JudgedFilm *film, gdouble declared)
{
  const gdouble video = judge_measure_video (film);
  gdouble begin, end;

  if (isnan (video) || !GST_CLOCK_TIME_IS_VALID (film->declaration->end))
    return video;
  begin = (gdouble)film->run->begin / GST_SECOND;
  end = (gdouble)MAX (film->declaration->end, film->run->end) / GST_SECOND;
  return fabs (end - declared) < fabs (end - begin - declared) ? end : end - begin;
}

static void
judge_finish_frames (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  judged->value = (gdouble)judge_count_frames (film);
  if (film->declaration == NULL || film->declaration->frames == 0)
    judge_set_undeclared (verdict, film, "number of frames");
  else
    judge_compare_declared (judged, film, verdict, (gdouble)film->declaration->frames, 0);
}

static void
judge_finish_duration (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  gdouble declared;

  if (film->declaration != NULL && film->declaration->is_unread) {
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE,
                      g_strdup ("the film declares only the duration of its longest stream, which was not measured"));
    return;
  }
  if (film->declaration == NULL || !GST_CLOCK_TIME_IS_VALID (film->declaration->duration)) {
    judge_set_undeclared (verdict, film, "duration");
    return;
  }
  declared = (gdouble)film->declaration->duration / GST_SECOND;
  judged->value = judge_measure_declared (film, declared);
  if (isnan (judged->value))
    judge_set_reason (verdict, VERDICT_NOT_MEASURED, g_strdup ("the frames have no times"));
  else
    judge_compare_declared (judged, film, verdict, declared, SLACK);
}

static void
judge_finish_rate (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  const Declaration *declaration = film->declaration;
  const gdouble duration = judge_measure_video (film);
  gdouble rate;

  judged->value = (gdouble)judge_count_frames (film) / duration;
  if (declaration == NULL || declaration->rate_n <= 0 || declaration->rate_d <= 0) {
    judge_set_undeclared (verdict, film, "fixed frame rate");
  } else if (!declaration->has_own_times) {
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE, g_strdup ("the times of the frames follow from the frame rate"));
  } else if (film->frames < 3) {
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE, g_strdup ("the film has too few frames"));
  } else if (judged->n_steps == 0 || isnan (duration)) {
    judge_set_reason (verdict, VERDICT_NOT_MEASURED, g_strdup ("the rate needs a result for each frame, with its time"));
  } else if (judge_is_variable (judged)) {
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE, g_strdup ("the frame rate is variable"));
  } else {
    rate = (gdouble)declaration->rate_n / declaration->rate_d;
    judge_compare_declared (judged, film, verdict, rate, (rate * SLACK + 1) / duration); /* one frame more or less */
  }
}

static void
judge_finish_range (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  const gchar *range = film->declaration != NULL ? film->declaration->range : NULL;

  places_end (&judged->places);
  judged->max = judged->rule->share;
  judged->value = judged->samples > 0 ? (gdouble)judged->beyond / (gdouble)judged->samples : NAN;
  verdict->word = range;
  if (range == NULL)
    judge_set_undeclared (verdict, film, "range");
  else if (g_str_equal (range, "full"))
    judge_set_reason (verdict, VERDICT_NOT_APPLICABLE, g_strdup ("the film declares full range"));
  else if (judged->value > judged->max)
    verdict->outcome = VERDICT_FAIL;
  else
    judge_pass (judged, film, verdict, "histogram of luma",
                statistic_get_nick (judged->lacks_luma ? STATISTIC_LUMA : STATISTIC_HISTOGRAM));
}

static void
judge_finish_depth (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  const guint declared = film->declaration != NULL ? film->declaration->depth : 0;
  const guint depth = declared > 0 ? declared : judged->depth;

  judged->value = __builtin_popcountll (judged->mask);
  judged->min = depth - judged->rule->tolerance;
  verdict->declared = declared > 0 ? declared : NAN;
  if (judged->measured > 0 && judged->value < judged->min)
    verdict->outcome = VERDICT_FAIL;
  else
    judge_pass (judged, film, verdict, field_describe (FIELD_ID_USED_MASK)->name, statistic_get_nick (STATISTIC_USED_BITS));
}

/* An event without numbers is one damaged frame. */
static guint64
judge_take_damaged_events (JudgedRule *judged, const EventRun *run)
{
  guint64 damaged = 0;

  for (guint i = 0; i < run->events->len; i++) {
    const Event *event = g_ptr_array_index (run->events, i);
    const PlacesSpan span
        = { .frame = event->frame, .frames = event->frames, .start = event->start, .length = event->duration };
    const guint64 count = MAX (event->frames + event->missing, 1);

    if (strcmp (event->kind, "damaged") != 0)
      continue;
    damaged += count;
    places_take (&judged->places, &span, (gdouble)count, 0, NULL);
    places_end (&judged->places);
  }
  return damaged;
}

static void
judge_finish_damage (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  const guint64 damaged = judge_take_damaged_events (judged, film->run);

  judged->value = (gdouble)MAX (damaged, judged->damaged);
  judged->max = judged->rule->tolerance;
  if (judged->value > judged->max)
    verdict->outcome = VERDICT_FAIL;
  else if (judged->damaged > 0 || judge_knows_events (film, "damaged"))
    verdict->outcome = VERDICT_PASS;
  else
    judge_set_reason (verdict, VERDICT_NOT_MEASURED,
                      g_strdup ("the lines do not tell whether damage was detected: measure with events=damaged"));
}

static void
judge_finish_light (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  const Declaration *declaration = film->declaration;
  const FieldDescription *field = judge_find_light_field (judged->rule);
  const gboolean is_cll = judged->rule->declared == DECLARED_MAX_CLL;
  const guint declared = declaration == NULL ? 0 : is_cll ? declaration->max_cll : declaration->max_fall;

  if (declared == 0)
    judge_set_undeclared (verdict, film, is_cll ? "MaxCLL" : "MaxFALL");
  else if (judged->measured < judged->frames)
    judge_pass (judged, film, verdict, field->name, statistic_get_nick (STATISTIC_LIGHT));
  else
    judge_compare_declared (judged, film, verdict, declared, 0);
  if (verdict->outcome == VERDICT_FAIL && declared > 0) {
    places_take (&judged->places, &judged->greatest, judged->value, 0, NULL);
    places_end (&judged->places);
  }
}

void
judge_declared_finish (JudgedRule *judged, const JudgedFilm *film, RuleVerdict *verdict)
{
  static void (*const finish[N_DECLARED]) (JudgedRule * judged, const JudgedFilm *film, RuleVerdict *verdict) = {
    [DECLARED_DURATION] = judge_finish_duration, [DECLARED_FRAMES] = judge_finish_frames,
    [DECLARED_FRAMERATE] = judge_finish_rate,    [DECLARED_RANGE] = judge_finish_range,
    [DECLARED_DEPTH] = judge_finish_depth,       [DECLARED_DAMAGE] = judge_finish_damage,
    [DECLARED_MAX_CLL] = judge_finish_light,     [DECLARED_MAX_FALL] = judge_finish_light,
  };

  finish[judged->rule->declared](judged, film, verdict);
}
