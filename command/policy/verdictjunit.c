/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/verdictjunit.h"

#include <string.h>

#include "policy/verdicttext.h"

/* ---- XML -------------------------------------------------------------------------------------------------------------- */

/* Returns whether XML 1.0 may contain the character. */
static gboolean
xml_is_valid (gunichar c)
{
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xfffe && c != 0xffff);
}

static void
xml_append_text (GString *xml, const gchar *text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text != NULL ? text : "", -1);

  for (const gchar *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
    const gunichar c = g_utf8_get_char (at);

    if (!xml_is_valid (c))
      g_string_append (xml, "\357\277\275");
    else if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == '"')
      g_string_append_printf (xml, "&#%u;", c);
    else
      g_string_append_unichar (xml, c);
  }
}

static void
xml_append_attribute (GString *xml, const gchar *name, const gchar *text)
{
  g_string_append_printf (xml, " %s=\"", name);
  xml_append_text (xml, text);
  g_string_append_c (xml, '"');
}

/* ---- test cases ------------------------------------------------------------------------------------------------------- */

static gboolean
junit_is_failure (const RuleVerdict *rule)
{
  return rule->outcome == VERDICT_FAIL && rule->rule->severity == RULE_SEVERITY_ERROR;
}

static void
junit_append_places (GString *xml, const RuleVerdict *rule)
{
  if (verdict_text_has_about (rule->rule)) {
    xml_append_text (xml, rule->rule->about);
    g_string_append_c (xml, '\n');
  }
  for (guint i = 0; i < rule->places->len; i++) {
    const VerdictPlace *place = g_ptr_array_index (rule->places, i);
    g_autofree gchar *text = verdict_text_describe_place (rule, place);

    xml_append_text (xml, text);
    g_string_append (xml, verdict_text_is_longest (rule, place) ? "  longest\n" : "\n");
  }
  if (rule->n_places > rule->places->len)
    g_string_append_printf (xml, "and %" G_GUINT64_FORMAT " more\n", rule->n_places - rule->places->len);
}

static void
junit_append_finding (GString *xml, const RuleVerdict *rule, const gchar *value)
{
  if (junit_is_failure (rule)) {
    g_string_append (xml, "<failure type=\"error\"");
    xml_append_attribute (xml, "message", value);
    g_string_append_c (xml, '>');
    junit_append_places (xml, rule);
    g_string_append (xml, "</failure>");
  } else {
    g_string_append (xml, "<system-out>warning: ");
    xml_append_text (xml, value);
    g_string_append_c (xml, '\n');
    junit_append_places (xml, rule);
    g_string_append (xml, "</system-out>");
  }
}

static void
junit_append_outcome (GString *xml, const RuleVerdict *rule)
{
  g_autofree gchar *value = verdict_text_describe_rule (rule);

  switch (rule->outcome) {
  case VERDICT_PASS:
    g_string_append (xml, "<system-out>");
    xml_append_text (xml, value);
    g_string_append (xml, "</system-out>");
    break;
  case VERDICT_FAIL:
    junit_append_finding (xml, rule, value);
    break;
  case VERDICT_NOT_APPLICABLE:
    g_string_append (xml, "<skipped");
    xml_append_attribute (xml, "message", value);
    g_string_append (xml, "/>");
    break;
  case VERDICT_NOT_MEASURED:
    g_string_append (xml, "<error type=\"not measured\"");
    xml_append_attribute (xml, "message", value);
    g_string_append (xml, "/>");
    break;
  }
}

/* The class is the policy, which the rule's name begins with. */
static void
junit_append_case (GString *xml, const RuleVerdict *rule)
{
  const gchar *name = rule->rule->name;
  g_autofree gchar *policy = g_strndup (name, strcspn (name, "/"));

  g_string_append (xml, "    <testcase");
  xml_append_attribute (xml, "classname", policy);
  xml_append_attribute (xml, "name", name);
  g_string_append_c (xml, '>');
  junit_append_outcome (xml, rule);
  g_string_append (xml, "</testcase>\n");
}

/* Returns whether the film was not measured as a whole, and no rule judges that. */
static gboolean
junit_is_error (const Verdict *verdict)
{
  return verdict->finding != NULL && !verdict->is_finding_judged;
}

static void
junit_append_error (GString *xml, const Verdict *verdict)
{
  g_string_append (xml, "    <testcase");
  xml_append_attribute (xml, "classname", verdict->policy->name);
  g_string_append (xml, " name=\"measurement\"><error type=\"not measured\"");
  xml_append_attribute (xml, "message", verdict->finding);
  g_string_append (xml, "/></testcase>\n");
}

static void
junit_append_properties (GString *xml, const Verdict *verdict)
{
  if (!verdict->is_sample && verdict->frames_per_result <= 1 && verdict->finding == NULL)
    return;
  g_string_append (xml, "    <properties>");
  if (verdict->is_sample)
    g_string_append (xml, "<property name=\"sample\" value=\"true\"/>");
  if (verdict->frames_per_result > 1)
    g_string_append_printf (xml, "<property name=\"frames-per-result\" value=\"%" G_GUINT64_FORMAT "\"/>",
                            verdict->frames_per_result);
  if (verdict->finding != NULL) {
    g_string_append (xml, "<property name=\"finding\"");
    xml_append_attribute (xml, "value", verdict->finding);
    g_string_append (xml, "/>");
  }
  g_string_append (xml, "</properties>\n");
}

/* ---- the file --------------------------------------------------------------------------------------------------------- */

void
verdict_junit_begin (GString *xml)
{
  g_string_append (xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
}

void
verdict_junit_append (GString *xml, const Verdict *verdict)
{
  const gboolean is_error = junit_is_error (verdict);
  guint n_failures = 0, n_errors = is_error, n_skipped = 0;

  for (guint i = 0; i < verdict->rules->len; i++) {
    const RuleVerdict *rule = g_ptr_array_index (verdict->rules, i);

    n_failures += junit_is_failure (rule);
    n_errors += rule->outcome == VERDICT_NOT_MEASURED;
    n_skipped += rule->outcome == VERDICT_NOT_APPLICABLE;
  }
  g_string_append (xml, "  <testsuite");
  xml_append_attribute (xml, "name", verdict->film);
  g_string_append_printf (xml, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n", verdict->rules->len + is_error,
                          n_failures, n_errors, n_skipped);
  junit_append_properties (xml, verdict);
  if (is_error)
    junit_append_error (xml, verdict);
  for (guint i = 0; i < verdict->rules->len; i++)
    junit_append_case (xml, g_ptr_array_index (verdict->rules, i));
  g_string_append (xml, "  </testsuite>\n");
}

void
verdict_junit_end (GString *xml)
{
  g_string_append (xml, "</testsuites>\n");
}
