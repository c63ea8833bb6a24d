/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/verdicttext.h"

#include <math.h>
#include <string.h>

#include "common/terminal.h"

#define WIDTH 80
#define MOST_NAME 32   /* columns of a rule's name before its value */
#define MOST_PLACES 10 /* that are printed */

/* ---- numbers ---------------------------------------------------------------------------------------------------------- */

/* A number with four digits, or with more if it would otherwise look like `other`. */
static gchar *
text_format_number (gdouble number, gdouble other)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE], unwanted[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  if (isnan (number))
    return g_strdup ("unknown");
  if (isinf (number))
    return g_strdup (number > 0 ? "infinite" : "-infinite");
  if (number == floor (number) && fabs (number) < 1e15)
    return g_strdup_printf ("%.0f", number);
  for (guint digits = 4; digits <= 17; digits++) {
    g_snprintf (format, sizeof format, "%%.%ug", digits);
    g_ascii_formatd (text, sizeof text, format, number);
    g_ascii_formatd (unwanted, sizeof unwanted, format, other);
    if (number == other || strcmp (text, unwanted) != 0)
      break;
  }
  return g_strdup (text);
}

/* A limit, as a policy has it: 117.999 is not 118. */
static gchar *
text_format_limit (gdouble limit)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (limit) || limit == floor (limit))
    return text_format_number (limit, NAN);
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.6g", limit));
}

/* Returns the limit that the value breaks, or one that exists. */
static gdouble
text_find_limit (const RuleVerdict *rule, gdouble value)
{
  if (isinf (rule->max) || (!isinf (rule->min) && value < rule->min))
    return rule->min;
  return rule->max;
}

/* Only a value beyond the limit must differ from it in print: others may be rounded. */
static gchar *
text_format_value (const RuleVerdict *rule, gdouble value)
{
  if (rule->outcome == VERDICT_FAIL)
    return text_format_number (value, text_find_limit (rule, value));
  return rule->rule->subject == RULE_SUBJECT_DECLARED ? text_format_limit (value) : text_format_number (value, NAN);
}

/* "declared: 6, within 0.2"; "": nothing is declared. */
static gchar *
text_format_declared (const RuleVerdict *rule, const gchar *unit)
{
  g_autofree gchar *declared = text_format_limit (rule->declared), *tolerance = text_format_limit (rule->rule->tolerance);

  if (rule->word != NULL)
    return g_strdup_printf ("declared: %s", rule->word);
  if (isnan (rule->declared))
    return g_strdup ("");
  if (rule->rule->tolerance <= 0)
    return g_strdup_printf ("declared: %s%s", declared, unit);
  return g_strdup_printf ("declared: %s%s, within %s%s", declared, unit, tolerance, unit);
}

static const gchar *
text_get_unit (const Rule *rule)
{
  static const gchar *const units[N_DECLARED] = {
    [DECLARED_DURATION] = "s",    [DECLARED_FRAMES] = "frames", [DECLARED_FRAMERATE] = "frames/s", [DECLARED_DEPTH] = "bits",
    [DECLARED_DAMAGE] = "frames", [DECLARED_MAX_CLL] = "nits",  [DECLARED_MAX_FALL] = "nits",
  };

  switch (rule->subject) {
  case RULE_SUBJECT_FIELD:
    return g_strcmp0 (rule->field->unit, "fraction") == 0 ? NULL : rule->field->unit;
  case RULE_SUBJECT_EVENT:
    return "events";
  case RULE_SUBJECT_CONSTANT:
    return "pixels";
  case RULE_SUBJECT_DECLARED:
    return units[rule->declared];
  }
  return NULL;
}

/* ---- a rule and its places -------------------------------------------------------------------------------------------- */

/* "at most 0.01"; "" of a rule with a share alone. */
static gchar *
text_format_limits (const RuleVerdict *rule)
{
  g_autofree gchar *min = text_format_limit (rule->min), *max = text_format_limit (rule->max);

  if (isinf (rule->min) && isinf (rule->max))
    return g_strdup ("");
  if (isinf (rule->min))
    return g_strdup_printf ("at most %s", max);
  if (isinf (rule->max))
    return g_strdup_printf ("at least %s", min);
  if (rule->min == rule->max)
    return g_steal_pointer (&min);
  return g_strdup_printf ("%s to %s", min, max);
}

/* Appends the unit of the rule's numbers, if it has one. `number`: the last one before it. */
static void
text_append_unit (GString *text, const Rule *rule, gdouble number)
{
  const gchar *unit = text_get_unit (rule);
  const gboolean is_singular = number == 1 && unit != NULL && strchr (unit, '/') == NULL && g_str_has_suffix (unit, "s");

  if (unit != NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", unit);
  if (is_singular && strlen (unit) > 1)
    g_string_truncate (text, text->len - 1);
}

static gdouble
text_get_last_limit (const RuleVerdict *rule)
{
  return isinf (rule->max) ? rule->min : rule->max;
}

/* "limit 0.01", "at least 10"; "": there is none, or it follows from what is declared. */
static gchar *
text_format_bounds (const RuleVerdict *rule)
{
  g_autofree gchar *min = text_format_limit (rule->min), *max = text_format_limit (rule->max);

  if ((isinf (rule->min) && isinf (rule->max)) || !isnan (rule->declared))
    return g_strdup ("");
  if (isinf (rule->min))
    return g_strdup_printf ("limit %s", max);
  if (isinf (rule->max))
    return g_strdup_printf ("at least %s", min);
  if (rule->min == rule->max)
    return g_strdup_printf ("must be %s", min);
  return g_strdup_printf ("%s to %s", min, max);
}

static void
text_append_limits (GString *text, const RuleVerdict *rule)
{
  g_autofree gchar *bounds = text_format_bounds (rule), *declared = text_format_declared (rule, "");
  const gboolean has_both = *bounds != '\0' && *declared != '\0';

  text_append_unit (text, rule->rule, rule->value);
  if (*bounds != '\0' || *declared != '\0')
    g_string_append_printf (text, " (%s%s%s)", bounds, has_both ? ", " : "", declared);
}

static gboolean
text_has_share (const Rule *rule)
{
  return rule->share > 0 && rule->subject != RULE_SUBJECT_DECLARED;
}

/* The frames beyond the limit, of which a share may be. */
static void
text_append_frames (GString *text, const RuleVerdict *rule)
{
  if (rule->frames > 0) /* missing frames have none */
    g_string_append_printf (text, ": %" G_GUINT64_FORMAT " frame%s", rule->frames, rule->frames == 1 ? "" : "s");
  g_string_append_printf (text, " in %" G_GUINT64_FORMAT " place%s", rule->n_places, rule->n_places == 1 ? "" : "s");
  if (text_has_share (rule->rule)) {
    g_autofree gchar *share = text_format_number (rule->rule->share * 100, NAN);

    g_string_append_printf (text, "; allowed: %s %% of the frames", share);
  }
}

/* Runs that are too short to count are why a value beyond the limits passes. */
static void
text_append_duration (GString *text, const RuleVerdict *rule)
{
  g_autofree gchar *seconds = text_format_number ((gdouble)rule->rule->duration / GST_SECOND, NAN);

  if (rule->value > rule->max || rule->value < rule->min)
    g_string_append_printf (text, ": never for %s s", seconds);
}

/* "1920x800 at 0,140" */
static gchar *
text_format_picture (const VerdictPicture *picture)
{
  const guint *rectangle = picture->rectangle;

  return g_strdup_printf ("%ux%u at %u,%u", rectangle[2], rectangle[3], rectangle[0], rectangle[1]);
}

gchar **
verdict_text_list_sides (VerdictSides sides)
{
  static const gchar *const names[] = { "left", "top", "right", "bottom" };
  g_autoptr (GStrvBuilder) list = g_strv_builder_new ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((sides & 1u << i) != 0)
      g_strv_builder_add (list, names[i]);
  return g_strv_builder_end (list);
}

static void
text_append_picture (GString *text, const VerdictPicture *picture)
{
  g_autofree gchar *rectangle = text_format_picture (picture), *sides = NULL;
  g_auto (GStrv) list = verdict_text_list_sides (picture->sides);

  sides = g_strjoinv (", ", list);
  g_string_append_printf (text, "  %s (%s)", rectangle, sides);
}

gchar *
verdict_text_describe_rule (const RuleVerdict *rule)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree gchar *value = NULL;

  if (rule->reason != NULL)
    return g_strdup (rule->reason);
  if (isnan (rule->value))
    return g_strdup ("");
  value = text_format_value (rule, rule->value);
  g_string_append (text, value);
  text_append_limits (text, rule);
  if (rule->n_places > 0)
    text_append_frames (text, rule);
  else if (rule->rule->duration > 0 && rule->rule->subject == RULE_SUBJECT_FIELD)
    text_append_duration (text, rule);
  if (rule->n_places > 0 && rule->usual.rectangle[2] > 0) {
    g_autofree gchar *usual = text_format_picture (&rule->usual);

    g_string_append_printf (text, "; usually %s", usual);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gchar *
verdict_text_describe_value (const RuleVerdict *rule)
{
  g_autofree gchar *value = NULL;
  GString *text = g_string_new (NULL);

  if (rule->reason == NULL && !isnan (rule->value)) {
    value = text_format_value (rule, rule->value);
    g_string_append (text, value);
    text_append_unit (text, rule->rule, rule->value);
  }
  return g_string_free (text, FALSE);
}

/* Of events: " of 2 s or longer in at most 5 % of the frames". Of others: ", except for less than 2 s or in 5 % of the
 * frames". */
static void
text_append_exceptions (GString *text, const Rule *rule)
{
  const gboolean is_event = rule->subject == RULE_SUBJECT_EVENT, has_duration = rule->duration > 0;
  g_autofree gchar *seconds = text_format_number ((gdouble)rule->duration / GST_SECOND, NAN);
  g_autofree gchar *percent = text_format_number (rule->share * 100, NAN);

  if (has_duration)
    g_string_append_printf (text, is_event ? " of %s s or longer" : ", except for less than %s s", seconds);
  if (text_has_share (rule))
    g_string_append_printf (text, "%s %s %% of the frames",
                            is_event       ? " in at most"
                            : has_duration ? " or in"
                                           : ", except in",
                            percent);
}

gchar *
verdict_text_describe_limit (const RuleVerdict *rule)
{
  g_autofree gchar *limits = isnan (rule->declared) ? text_format_limits (rule) : g_strdup ("");
  const gchar *unit = text_get_unit (rule->rule);
  g_autofree gchar *spaced = unit != NULL ? g_strconcat (" ", unit, NULL) : g_strdup ("");
  g_autofree gchar *declared = text_format_declared (rule, spaced);
  GString *text = g_string_new (limits);

  if (*declared != '\0')
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", declared);
  else if (text->len > 0 || rule->rule->subject == RULE_SUBJECT_EVENT)
    text_append_unit (text, rule->rule, text_get_last_limit (rule));
  if (rule->usual.rectangle[2] > 0) {
    g_autofree gchar *usual = text_format_picture (&rule->usual);

    g_string_append_printf (text, " beyond %s", usual);
  }
  text_append_exceptions (text, rule->rule);
  return g_string_free (text, FALSE);
}

/* 01:02:03.456 */
static void
text_append_time (GString *text, GstClockTime time)
{
  const guint64 ms = time / GST_MSECOND + (time % GST_MSECOND >= GST_MSECOND / 2);

  g_string_append_printf (text, "%02" G_GUINT64_FORMAT ":%02u:%02u.%03u", ms / 3600000, (guint)(ms / 60000 % 60),
                          (guint)(ms / 1000 % 60), (guint)(ms % 1000));
}

gchar *
verdict_text_describe_place (const RuleVerdict *rule, const VerdictPlace *place)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (place->timecode != NULL)
    g_string_append (text, place->timecode);
  else if (GST_CLOCK_TIME_IS_VALID (place->elapsed))
    text_append_time (text, place->elapsed);
  if (place->frame != G_MAXUINT64) {
    g_string_append_printf (text, "%s%s %" G_GUINT64_FORMAT, text->len > 0 ? "  " : "", place->frames > 1 ? "frames" : "frame",
                            place->frame);
    if (place->frames > 1)
      g_string_append_printf (text, "-%" G_GUINT64_FORMAT, place->frame + place->frames - 1);
  }
  if (!isnan (place->value)) {
    g_autofree gchar *value = rule->rule->subject == RULE_SUBJECT_EVENT ? text_format_number (place->value, NAN)
                                                                        : text_format_value (rule, place->value);

    g_string_append_printf (text, "  %s", value);
  }
  if (place->component != NULL)
    g_string_append_printf (text, "  %s", place->component);
  if (place->picture.rectangle[2] > 0)
    text_append_picture (text, &place->picture);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
verdict_text_has_about (const Rule *rule)
{
  return *rule->about != '\0' && !g_str_has_suffix (rule->name, rule->about);
}

gboolean
verdict_text_is_longest (const RuleVerdict *rule, const VerdictPlace *place)
{
  return rule->n_places > 1 && rule->longest != NULL && place->frame == rule->longest->frame
         && place->frames == rule->longest->frames && place->start == rule->longest->start;
}

/* ---- the page --------------------------------------------------------------------------------------------------------- */

/* Appends text, and breaks lines at spaces before the right margin. `column`: of the cursor; lines begin at `indent`. */
static void
text_append_wrapped (GString *text, const gchar *words, guint column, guint indent)
{
  g_autofree gchar *clean = terminal_clean (words);
  gboolean is_first = TRUE;
  g_auto (GStrv) list = g_strsplit (clean, " ", -1);

  for (guint i = 0; list[i] != NULL; i++) {
    const guint width = terminal_measure (list[i]);

    if (!is_first && column + 1 + width > WIDTH) {
      while (text->str[text->len - 1] == ' ')
        g_string_truncate (text, text->len - 1);
      g_string_append_printf (text, "\n%*s", (int)indent, "");
      column = indent;
      is_first = TRUE;
    }
    g_string_append_printf (text, "%s%s", is_first ? "" : " ", list[i]);
    column += width + !is_first;
    is_first = FALSE;
  }
  g_string_append_c (text, '\n');
}

/* Returns the word in the first column. */
static const gchar *
text_get_word (const RuleVerdict *rule)
{
  if (rule->outcome == VERDICT_FAIL && rule->rule->severity == RULE_SEVERITY_WARNING)
    return "warning";
  return verdict_outcome_get_name (rule->outcome);
}

/* Widths of the first two columns. */
static void
text_measure_columns (const Verdict *verdict, guint *word, guint *name)
{
  *word = *name = 0;
  for (guint i = 0; i < verdict->rules->len; i++) {
    const RuleVerdict *rule = g_ptr_array_index (verdict->rules, i);
    g_autofree gchar *own = terminal_clean (rule->rule->name);

    *word = MAX (*word, (guint)strlen (text_get_word (rule)));
    *name = MAX (*name, MIN (terminal_measure (own), MOST_NAME));
  }
}

static void
text_append_place (GString *text, const RuleVerdict *rule, const VerdictPlace *place, guint indent)
{
  g_autofree gchar *own = verdict_text_describe_place (rule, place);
  g_autofree gchar *line = g_strconcat (own, verdict_text_is_longest (rule, place) ? "  longest" : "", NULL);

  g_string_append_printf (text, "%*s", (int)indent, "");
  text_append_wrapped (text, line, indent, indent + 2);
}

/* The first places, and the longest. */
static void
text_append_places (GString *text, const RuleVerdict *rule, guint indent)
{
  const guint n_printed = MIN (rule->places->len, MOST_PLACES);
  gboolean has_longest = rule->longest == NULL || rule->n_places < 2;
  guint64 n_more = rule->n_places - n_printed;

  for (guint i = 0; i < n_printed; i++) {
    has_longest |= verdict_text_is_longest (rule, g_ptr_array_index (rule->places, i));
    text_append_place (text, rule, g_ptr_array_index (rule->places, i), indent);
  }
  if (!has_longest) {
    text_append_place (text, rule, rule->longest, indent);
    n_more--;
  }
  if (n_more > 0)
    g_string_append_printf (text, "%*sand %" G_GUINT64_FORMAT " more\n", (int)indent, "", n_more);
}

static void
text_append_about (GString *text, const Rule *rule, guint indent)
{
  g_autofree gchar *about = NULL;

  if (!verdict_text_has_about (rule))
    return;
  about = *rule->reference != '\0' ? g_strdup_printf ("%s (%s)", rule->about, rule->reference) : g_strdup (rule->about);
  g_string_append_printf (text, "%*s", (int)indent, "");
  text_append_wrapped (text, about, indent, indent);
}

static void
text_append_rule (GString *text, const RuleVerdict *rule, guint word, guint name)
{
  g_autofree gchar *own = terminal_clean (rule->rule->name), *value = verdict_text_describe_rule (rule);
  const guint width = terminal_measure (own), indent = word + 2, column = indent + name + 2;

  g_string_append_printf (text, "%-*s  %s", (int)word, text_get_word (rule), own);
  if (width > name)
    g_string_append_printf (text, "\n%*s", (int)column, "");
  else
    g_string_append_printf (text, "%*s", (int)(name - width + 2), "");
  text_append_wrapped (text, value, column, column);
  if (rule->outcome != VERDICT_FAIL)
    return;
  text_append_about (text, rule->rule, indent);
  text_append_places (text, rule, indent);
}

static guint
text_count (const Verdict *verdict, VerdictOutcome outcome, RuleSeverity severity)
{
  guint count = 0;

  for (guint i = 0; i < verdict->rules->len; i++) {
    const RuleVerdict *rule = g_ptr_array_index (verdict->rules, i);

    count += rule->outcome == outcome && (outcome != VERDICT_FAIL || rule->rule->severity == severity);
  }
  return count;
}

gchar *
verdict_text_count_rules (const Verdict *verdict)
{
  GString *text = g_string_new (NULL);
  const guint n_failed = text_count (verdict, VERDICT_FAIL, RULE_SEVERITY_ERROR);
  const guint n_warnings = text_count (verdict, VERDICT_FAIL, RULE_SEVERITY_WARNING);
  const guint n_not_applicable = text_count (verdict, VERDICT_NOT_APPLICABLE, RULE_SEVERITY_ERROR);
  const guint n_not_measured = text_count (verdict, VERDICT_NOT_MEASURED, RULE_SEVERITY_ERROR);
  const guint n_rules = verdict->rules->len;

  if (n_failed > 0)
    g_string_append_printf (text, "%u of %u rule%s fail%s", n_failed, n_rules, n_rules == 1 ? "" : "s",
                            n_failed == 1 ? "s" : "");
  else
    g_string_append_printf (text, "%u rule%s", n_rules, n_rules == 1 ? "" : "s");
  if (n_warnings > 0)
    g_string_append_printf (text, ", %u warning%s", n_warnings, n_warnings == 1 ? "" : "s");
  if (n_not_measured > 0)
    g_string_append_printf (text, ", %u not measured", n_not_measured);
  if (n_not_applicable > 0)
    g_string_append_printf (text, ", %u not applicable", n_not_applicable);
  return g_string_free (text, FALSE);
}

gchar **
verdict_text_list_notes (const Verdict *verdict)
{
  g_autoptr (GStrvBuilder) notes = g_strv_builder_new ();

  if (verdict->finding != NULL)
    g_strv_builder_add (notes, verdict->finding);
  else if (verdict->is_sample)
    g_strv_builder_add (notes, "a sample: the lines do not have all frames of the film");
  if (verdict->frames_per_result > 1) {
    g_autofree gchar *note = g_strdup_printf ("a line covers up to %" G_GUINT64_FORMAT
                                              " frames: limits apply to its values, not to those of each frame",
                                              verdict->frames_per_result);

    g_strv_builder_add (notes, note);
  }
  return g_strv_builder_end (notes);
}

static gboolean
verdict_text_has_places (const Verdict *verdict)
{
  for (guint i = 0; i < verdict->rules->len; i++)
    if (((const RuleVerdict *)g_ptr_array_index (verdict->rules, i))->n_places > 0)
      return TRUE;
  return FALSE;
}

void
verdict_text_append (GString *text, const Verdict *verdict)
{
  g_auto (GStrv) notes = verdict_text_list_notes (verdict);
  g_autofree gchar *counts = verdict_text_count_rules (verdict);
  g_autofree gchar *outcome = g_strdup_printf ("%s: %s", verdict_outcome_get_name (verdict_get_outcome (verdict)), counts);
  guint word, name;

  text_append_wrapped (text, verdict->film, 0, 0);
  text_measure_columns (verdict, &word, &name);
  for (guint i = 0; i < verdict->rules->len && verdict->frames > 0; i++)
    text_append_rule (text, g_ptr_array_index (verdict->rules, i), word, name);
  if (verdict->has_timecodes && verdict_text_has_places (verdict))
    g_string_append (text, "Time codes are those of the film.\n");
  for (guint i = 0; notes[i] != NULL; i++)
    text_append_wrapped (text, notes[i], 0, 0);
  text_append_wrapped (text, outcome, 0, 0);
}
