/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/verdictjson.h"

#include "lines/json.h"
#include "policy/verdicttext.h"

static const gchar *const json_outcomes[] = { "pass", "fail", "not-applicable", "not-measured" }; /* by VerdictOutcome */

static void
json_append_member (GString *json, const gchar *name, const gchar *text)
{
  g_string_append_printf (json, ",\"%s\":", name);
  json_append_text (json, text, FALSE);
}

static void
json_append_time (GString *json, const gchar *name, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    g_string_append_printf (json, ",\"%s\":%" G_GUINT64_FORMAT, name, time);
  else
    g_string_append_printf (json, ",\"%s\":null", name);
}

/* Takes the text. */
static void
json_append_made (GString *json, const gchar *name, gchar *text)
{
  json_append_member (json, name, text);
  g_free (text);
}

static void
json_append_texts (GString *json, const gchar *name, gchar *const *texts)
{
  g_string_append_printf (json, ",\"%s\":[", name);
  for (guint i = 0; texts != NULL && texts[i] != NULL; i++) {
    g_string_append (json, i > 0 ? "," : "");
    json_append_text (json, texts[i], FALSE);
  }
  g_string_append_c (json, ']');
}

/* "picture":[x,y,width,height]; null: unknown. */
static void
json_append_picture (GString *json, const VerdictPicture *picture)
{
  const guint *rectangle = picture->rectangle;

  if (rectangle[2] > 0)
    g_string_append_printf (json, ",\"picture\":[%u,%u,%u,%u]", rectangle[0], rectangle[1], rectangle[2], rectangle[3]);
  else
    g_string_append (json, ",\"picture\":null");
}

static void
json_append_place (GString *json, const RuleVerdict *rule, const VerdictPlace *place, gboolean is_in_page)
{
  if (place->frame != G_MAXUINT64)
    g_string_append_printf (json, "{\"frame\":%" G_GUINT64_FORMAT, place->frame);
  else
    g_string_append (json, "{\"frame\":null");
  g_string_append_printf (json, ",\"frames\":%" G_GUINT64_FORMAT, place->frames);
  json_append_time (json, "start", place->elapsed);
  json_append_time (json, "end", place->elapsed_end);
  json_append_member (json, "timecode", place->timecode);
  json_append_double_member (json, "value", place->value);
  json_append_member (json, "component", place->component);
  if (rule->rule->subject == RULE_SUBJECT_CONSTANT) {
    g_auto (GStrv) sides = verdict_text_list_sides (place->picture.sides);

    json_append_picture (json, &place->picture);
    json_append_texts (json, "sides", sides);
  }
  if (is_in_page) {
    json_append_time (json, "stream-time", place->start);
    json_append_time (json, "stream-end", place->end);
    json_append_made (json, "text", verdict_text_describe_place (rule, place));
  }
  g_string_append_c (json, '}');
}

static void
json_append_places (GString *json, const RuleVerdict *rule, gboolean is_in_page)
{
  g_string_append_printf (json, ",\"frames\":%" G_GUINT64_FORMAT ",\"places-count\":%" G_GUINT64_FORMAT ",\"places\":[",
                          rule->frames, rule->n_places);
  for (guint i = 0; i < rule->places->len; i++) {
    g_string_append (json, i > 0 ? "," : "");
    json_append_place (json, rule, g_ptr_array_index (rule->places, i), is_in_page);
  }
  g_string_append (json, "],\"longest\":");
  if (rule->longest != NULL)
    json_append_place (json, rule, rule->longest, is_in_page);
  else
    g_string_append (json, "null");
}

static void
json_append_declared (GString *json, const RuleVerdict *verdict)
{
  if (verdict->word != NULL)
    json_append_member (json, "declared", verdict->word);
  else
    json_append_double_member (json, "declared", verdict->declared);
}

static void
json_append_rule (GString *json, const RuleVerdict *verdict, gboolean is_in_page)
{
  const Rule *rule = verdict->rule;

  g_string_append (json, "{\"rule\":");
  json_append_text (json, rule->name, FALSE);
  json_append_member (json, "outcome", json_outcomes[verdict->outcome]);
  json_append_member (json, "severity", rule->severity == RULE_SEVERITY_WARNING ? "warning" : "error");
  json_append_member (json, "about", rule->about);
  json_append_member (json, "reference", rule->reference);
  json_append_member (json, "reason", verdict->reason);
  json_append_double_member (json, "value", verdict->value);
  json_append_double_member (json, "min", verdict->min);
  json_append_double_member (json, "max", verdict->max);
  json_append_declared (json, verdict);
  if (rule->subject == RULE_SUBJECT_CONSTANT)
    json_append_picture (json, &verdict->usual);
  json_append_double_member (json, "share", rule->share);
  json_append_time (json, "duration", rule->duration);
  if (is_in_page) {
    json_append_made (json, "value-text", verdict_text_describe_value (verdict));
    json_append_made (json, "limit-text", verdict_text_describe_limit (verdict));
  }
  json_append_places (json, verdict, is_in_page);
  g_string_append_c (json, '}');
}

static void
json_append_policy (GString *json, const Policy *policy)
{
  json_append_member (json, "policy", policy->name);
  json_append_member (json, "title", policy->title);
  json_append_member (json, "source", policy->source);
  json_append_member (json, "url", policy->url);
  json_append_texts (json, "not-covered", policy->not_covered);
}

static void
json_append_verdict (GString *json, const Verdict *verdict, gboolean is_in_page)
{
  g_auto (GStrv) notes = verdict_text_list_notes (verdict);

  g_string_append (json, "{\"film\":");
  json_append_text (json, verdict->film, FALSE);
  json_append_member (json, "outcome", json_outcomes[verdict_get_outcome (verdict)]);
  json_append_member (json, "finding", verdict->finding);
  if (is_in_page)
    json_append_made (json, "text", verdict_text_count_rules (verdict));
  if (is_in_page)
    json_append_texts (json, "notes", notes);
  g_string_append_printf (
      json, ",\"sample\":%s,\"frames\":%" G_GUINT64_FORMAT ",\"frames-per-result\":%" G_GUINT64_FORMAT ",\"has-timecodes\":%s",
      verdict->is_sample ? "true" : "false", verdict->frames, verdict->frames_per_result,
      verdict->has_timecodes ? "true" : "false");
  json_append_policy (json, verdict->policy);
  g_string_append (json, ",\"rules\":[");
  for (guint i = 0; i < verdict->rules->len; i++) {
    g_string_append (json, i > 0 ? ",\n" : "\n");
    json_append_rule (json, g_ptr_array_index (verdict->rules, i), is_in_page);
  }
  g_string_append (json, "]}");
}

void
verdict_json_begin (GString *json)
{
  g_string_append (json, "[");
}

void
verdict_json_append (GString *json, const Verdict *verdict, gboolean is_first)
{
  g_string_append (json, is_first ? "\n" : ",\n");
  json_append_verdict (json, verdict, FALSE);
}

void
verdict_json_end (GString *json)
{
  g_string_append (json, "\n]\n");
}

gchar *
verdict_json_make_for_page (const Verdict *verdict)
{
  GString *json = g_string_new (NULL);

  json_append_verdict (json, verdict, TRUE);
  g_string_replace (json, "<", "\\u003c", 0); /* it can end an HTML element, and is only in strings */
  return g_string_free (json, FALSE);
}
