/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policy.h"

#include <errno.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#include "policy/policyfile.h"
#include "policy/policyrule.h"

#define FOLDER "/cudahisto/policies/"
#define SUFFIX ".policy"
#define HEAD "policy" /* the section about the policy */
#define MAX_FILE_BYTES (1 << 20)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Policy, policy_free)

const gchar *const policy_properties[] = { "statistics",
                                           "events",
                                           "black-min-duration",
                                           "freeze-min-duration",
                                           "clipped-min-duration",
                                           "sidecar-mode",
                                           "sidecar-slow",
                                           "sidecar-arrays",
                                           NULL };

static Policy *
policy_new (void)
{
  Policy *policy = g_new0 (Policy, 1);

  policy->rules = g_ptr_array_new_with_free_func ((GDestroyNotify)policy_rule_free);
  return policy;
}

void
policy_free (Policy *policy)
{
  if (policy == NULL)
    return;
  g_free (policy->name);
  g_free (policy->title);
  g_free (policy->source);
  g_free (policy->url);
  g_strfreev (policy->files);
  g_strfreev (policy->not_covered);
  g_ptr_array_unref (policy->rules);
  g_free (policy);
}

/* ---- built-in policies --------------------------------------------------------------------------------------------- */

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar *const *)a, *(const gchar *const *)b);
}

static gchar **
list_built_in (void)
{
  gchar **names = g_resources_enumerate_children (FOLDER, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  if (names == NULL)
    return g_new0 (gchar *, 1);
  for (guint i = 0; names[i] != NULL; i++)
    names[i][strlen (names[i]) - strlen (SUFFIX)] = '\0';
  qsort (names, g_strv_length (names), sizeof *names, compare_names);
  return names;
}

const gchar *const *
policy_list (void)
{
  static gchar **names;

  if (g_once_init_enter (&names))
    g_once_init_leave (&names, list_built_in ());
  return (const gchar *const *)names;
}

gchar *
policy_get_text (const gchar *name)
{
  if (!g_strv_contains (policy_list (), name))
    return NULL;
  g_autofree gchar *path = g_strconcat (FOLDER, name, SUFFIX, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* ---- a file -------------------------------------------------------------------------------------------------------- */

static gboolean
policy_check_head (const PolicyFile *file, GError **error)
{
  static const gchar *const known[] = { "title", "source", "url", "not-covered", NULL };
  g_auto (GStrv) names = policy_file_list_keys (file, HEAD);

  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    if (!g_strv_contains (known, names[i])) {
      policy_file_fail (file, HEAD, names[i], error, "unknown key `%s` of section [" HEAD "]", names[i]);
      return FALSE;
    }
  }
  return TRUE;
}

/* Returns the value of a key of the first section. */
static gchar *
get_head (const PolicyFile *file, const gchar *key, const gchar *otherwise)
{
  gchar *value = policy_file_get (file, HEAD, key);

  return value != NULL ? value : g_strdup (otherwise);
}

/* Splits sentences at semicolons. */
static gchar **
split_sentences (const gchar *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  g_autoptr (GPtrArray) sentences = g_ptr_array_new ();

  for (guint i = 0; parts[i] != NULL; i++) {
    if (*g_strstrip (parts[i]) != '\0')
      g_ptr_array_add (sentences, g_strdup (parts[i]));
  }
  g_ptr_array_add (sentences, NULL);
  return (gchar **)g_ptr_array_free (g_steal_pointer (&sentences), FALSE);
}

static gboolean
policy_take_rules (Policy *policy, const PolicyFile *file, GError **error)
{
  g_auto (GStrv) sections = policy_file_list_sections (file);

  for (guint i = 0; sections[i] != NULL; i++) {
    Rule *rule;

    if (g_str_equal (sections[i], HEAD))
      continue;
    rule = policy_rule_new (file, sections[i], error);
    if (rule == NULL)
      return FALSE;
    g_ptr_array_add (policy->rules, rule);
  }
  if (policy->rules->len > 0)
    return TRUE;
  policy_file_fail (file, NULL, NULL, error, "the file has no rule");
  return FALSE;
}

static Policy *
policy_parse (const gchar *name, const gchar *where, const gchar *text, gsize length, GError **error)
{
  g_autoptr (PolicyFile) file = policy_file_new (where, text, length, error);
  g_autoptr (Policy) policy = policy_new ();

  if (file == NULL || !policy_check_head (file, error) || !policy_take_rules (policy, file, error))
    return NULL;
  g_autofree gchar *not_covered = get_head (file, "not-covered", "");
  policy->files = g_new0 (gchar *, 2);
  policy->name = g_strdup (name);
  policy->title = get_head (file, "title", name);
  policy->source = get_head (file, "source", "");
  policy->url = get_head (file, "url", "");
  policy->not_covered = split_sentences (not_covered);
  return g_steal_pointer (&policy);
}

/* Returns the text of a file, which may be a pipe. NULL: it cannot be read, or is too large. */
static gchar *
read_file (const gchar *path, const gchar *shown, gsize *length, GError **error)
{
  g_autofree gchar *text = g_malloc (MAX_FILE_BYTES + 1);
  FILE *stream = fopen (path, "re");
  gboolean is_read = FALSE;

  *length = stream != NULL ? fread (text, 1, MAX_FILE_BYTES + 1, stream) : 0;
  if (stream == NULL || ferror (stream))
    g_set_error (error, POLICY_ERROR, 0, "cannot read the policy `%s`: %s", shown, g_strerror (errno));
  else if (*length > MAX_FILE_BYTES)
    g_set_error (error, POLICY_ERROR, 0, "%s: the file is larger than 1 MiB, so it is not a policy", shown);
  else
    is_read = TRUE;
  if (stream != NULL)
    fclose (stream);
  return is_read ? g_steal_pointer (&text) : NULL;
}

static Policy *
policy_load_file (const gchar *path, GError **error)
{
  g_autofree gchar *shown = g_filename_display_name (path);
  g_autofree gchar *name = g_filename_display_basename (path);
  gsize length;
  g_autofree gchar *text = read_file (path, shown, &length, error);
  Policy *policy;

  if (text == NULL)
    return NULL;
  if (g_str_has_suffix (name, SUFFIX) && strlen (name) > strlen (SUFFIX))
    name[strlen (name) - strlen (SUFFIX)] = '\0';
  policy = policy_parse (name, shown, text, length, error);
  if (policy != NULL)
    policy->files[0] = g_strdup (path);
  return policy;
}

/* ---- names --------------------------------------------------------------------------------------------------------- */

static gboolean
name_is_path (const gchar *name)
{
  return strchr (name, '/') != NULL || g_str_has_suffix (name, SUFFIX);
}

static Policy *
policy_load_one (const gchar *name, GError **error)
{
  g_autofree gchar *text = policy_get_text (name);
  g_autofree gchar *where = g_strconcat (name, SUFFIX, NULL);
  g_autofree gchar *list = NULL;

  if (text != NULL)
    return policy_parse (name, where, text, strlen (text), error);
  if (name_is_path (name))
    return policy_load_file (name, error);
  list = g_strjoinv (", ", (gchar **)policy_list ());
  if (*name == '\0')
    g_set_error (error, POLICY_ERROR, 0, "the name of a policy is empty. Use a file or one of %s", list);
  else
    g_set_error (error, POLICY_ERROR, 0, "unknown policy `%s`. Use one of %s, or a file that ends in " SUFFIX, name, list);
  return NULL;
}

/* Returns the length of the first name in "r103+house.policy". A path may contain "+": it ends where a file exists. */
static gsize
measure_name (const gchar *names)
{
  const gsize shortest = strcspn (names, "+");
  gsize length = shortest;

  while (TRUE) {
    g_autofree gchar *name = g_strndup (names, length);

    if (g_strv_contains (policy_list (), name) || (name_is_path (name) && g_file_test (name, G_FILE_TEST_EXISTS)))
      return length;
    if (names[length] == '\0')
      return shortest;
    length += 1 + strcspn (names + length + 1, "+");
  }
}

/* Names the rules as all reports do: "POLICY/RULE". */
static void
policy_name_rules (Policy *policy)
{
  for (guint i = 0; i < policy->rules->len; i++) {
    Rule *rule = g_ptr_array_index (policy->rules, i);
    gchar *name = g_strconcat (policy->name, "/", rule->name, NULL);

    g_free (rule->name);
    rule->name = name;
  }
}

static gboolean
policies_add (GPtrArray *policies, const gchar *name, GError **error)
{
  Policy *policy = policy_load_one (name, error);

  if (policy == NULL)
    return FALSE;
  for (guint i = 0; i < policies->len; i++) {
    if (g_str_equal (((const Policy *)g_ptr_array_index (policies, i))->name, policy->name)) {
      g_set_error (error, POLICY_ERROR, 0, "two policies are named `%s`: remove or rename one", policy->name);
      policy_free (policy);
      return FALSE;
    }
  }
  policy_name_rules (policy);
  g_ptr_array_add (policies, policy);
  return TRUE;
}

static void
append_text (gchar **to, const gchar *separator, const gchar *text)
{
  gchar *joined = *to == NULL || **to == '\0' || *text == '\0' ? g_strconcat (*to != NULL ? *to : "", text, NULL)
                                                               : g_strconcat (*to, separator, text, NULL);

  g_free (*to);
  *to = joined;
}

static void
policy_take (Policy *policy, Policy *other, GStrvBuilder *files, GStrvBuilder *not_covered)
{
  append_text (&policy->name, "+", other->name);
  append_text (&policy->title, " + ", other->title);
  append_text (&policy->source, "; ", other->source);
  g_strv_builder_addv (files, (const char **)other->files);
  for (gchar **part = other->not_covered; *part != NULL; part++) {
    g_autofree gchar *named = g_strdup_printf ("%s: %s", other->name, *part);

    g_strv_builder_add (not_covered, named);
  }
  g_ptr_array_extend_and_steal (policy->rules, g_ptr_array_ref (other->rules));
}

static Policy *
policy_join (const GPtrArray *policies)
{
  g_autoptr (GStrvBuilder) files = g_strv_builder_new (), not_covered = g_strv_builder_new ();
  Policy *policy = policy_new ();

  policy->url = g_strdup (""); /* each has its own */
  for (guint i = 0; i < policies->len; i++)
    policy_take (policy, g_ptr_array_index (policies, i), files, not_covered);
  policy->files = g_strv_builder_end (files);
  policy->not_covered = g_strv_builder_end (not_covered);
  return policy;
}

Policy *
policy_load (const gchar *names, GError **error)
{
  g_autoptr (GPtrArray) policies = g_ptr_array_new_with_free_func ((GDestroyNotify)policy_free);
  gboolean has_more = TRUE;

  while (has_more) {
    const gsize length = measure_name (names);
    g_autofree gchar *name = g_strndup (names, length);

    if (!policies_add (policies, name, error))
      return NULL;
    has_more = names[length] == '+';
    names += length + (has_more ? 1 : 0);
  }
  return policies->len == 1 ? g_ptr_array_steal_index (policies, 0) : policy_join (policies);
}

/* ---- what to measure ----------------------------------------------------------------------------------------------- */

gchar *
policy_get_statistics (const Policy *policy)
{
  g_autoptr (GStrvBuilder) nicks = g_strv_builder_new ();
  guint32 bits = 0;

  for (guint i = 0; i < policy->rules->len; i++)
    bits |= policy_rule_get_statistics (g_ptr_array_index (policy->rules, i));
  if ((bits & STATISTIC_LIGHT) != 0)
    bits = (bits & ~STATISTIC_LIGHT) | STATISTIC_HDR; /* films without light are not applicable, and need no warning */
  for (; bits != 0; bits &= bits - 1)
    g_strv_builder_add (nicks, statistic_get_nick (bits & -bits));
  g_auto (GStrv) list = g_strv_builder_end (nicks);
  return g_strjoinv ("+", list);
}

/* Returns the minimum duration of the events to detect: half of that of the shortest rule. The element measures an event at the
 * end of a film without its last frame. */
static GstClockTime
policy_get_minimum (const Policy *policy, const gchar *event)
{
  GstClockTime shortest = GST_CLOCK_TIME_NONE;

  for (guint i = 0; i < policy->rules->len; i++) {
    const Rule *rule = g_ptr_array_index (policy->rules, i);

    if (g_strcmp0 (policy_rule_get_event (rule), event) == 0)
      shortest = MIN (shortest, rule->duration / 2);
  }
  return shortest;
}

Detected
policy_get_detected (const Policy *policy)
{
  Detected detected = { 0 };

  for (guint i = 0; i < DETECTED_KINDS; i++) {
    const GstClockTime minimum = policy_get_minimum (policy, detected_kinds[i]);

    if (GST_CLOCK_TIME_IS_VALID (minimum))
      detected_add (&detected, detected_kinds[i], minimum);
  }
  return detected;
}

gchar *
policy_get_events (const Policy *policy)
{
  const Detected detected = policy_get_detected (policy);
  g_autoptr (GStrvBuilder) kinds = g_strv_builder_new ();

  for (guint i = 0; i < DETECTED_KINDS; i++)
    if (detected.has_kind[i])
      g_strv_builder_add (kinds, detected_kinds[i]);
  g_auto (GStrv) list = g_strv_builder_end (kinds);
  return g_strjoinv ("+", list);
}

gchar **
policy_get_settings (const Policy *policy)
{
  static const gchar *const kinds[] = { "black", "freeze", "clipped" };
  const Detected detected = policy_get_detected (policy);
  g_autoptr (GStrvBuilder) settings = g_strv_builder_new ();
  GstClockTime minimum;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (detected_find (&detected, kinds[i], &minimum)) {
      g_autofree gchar *setting = g_strdup_printf ("%s-min-duration=%" G_GUINT64_FORMAT, kinds[i], minimum);

      g_strv_builder_add (settings, setting);
    }
  }
  return g_strv_builder_end (settings);
}
