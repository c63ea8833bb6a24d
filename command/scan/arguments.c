/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scan/arguments.h"

#include <gio/gio.h>
#include <gst/gst.h>

#include "common/settings.h"
#include "policy/policy.h"

#define DEFAULT_STATISTICS "basic+hdr" /* of `measure` */

/* ---- the settings ----------------------------------------------------------------------------------------------------- */

static gboolean
scan_check_time (const gchar *option, const gchar *text, GError **error)
{
  guint64 ns;

  return text == NULL || settings_parse_time (option, text, &ns, error);
}

static gboolean
scan_apply (const ScanSettings *settings, GstElement *histo, GError **error)
{
  const struct {
    const gchar *option, *property, *text;
  } options[] = {
    { "--statistics", "statistics", settings->statistics },
    { "--events", "events", settings->events },
    { "--backend", "backend", settings->backend },
    { "--bins", "bins", settings->bins },
    { "--fields", "fields", settings->fields },
  };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (options[i].text != NULL && !settings_set (histo, options[i].option, options[i].property, options[i].text, error))
      return FALSE;
  for (gchar **assignment = settings->assignments; assignment != NULL && *assignment != NULL; assignment++)
    if (!settings_assign (histo, "--set", *assignment, error))
      return FALSE;
  return scan_check_time ("--interval", settings->interval, error) && scan_check_time ("--timeout", settings->timeout, error);
}

/* Starts the element, so that a backend that is not available is an error of the scan, not of each film. */
static gboolean
scan_check_start (GstElement *histo, GError **error)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  gboolean is_good;

  gst_element_set_bus (histo, bus);
  is_good = gst_element_set_state (histo, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE;
  if (!is_good) {
    g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

    if (message != NULL)
      gst_message_parse_error (message, error, NULL);
    else
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the element cudahisto does not start");
  }
  gst_element_set_state (histo, GST_STATE_NULL);
  gst_element_set_bus (histo, NULL);
  return is_good;
}

static gboolean
scan_check_settings (const ScanSettings *settings, GError **error)
{
  GstElement *histo = gst_element_factory_make ("cudahisto", NULL);
  gboolean is_valid;

  if (histo == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the element cudahisto cannot be created");
    return FALSE;
  }
  gst_object_ref_sink (histo);
  is_valid = scan_apply (settings, histo, error) && (settings->backend == NULL || scan_check_start (histo, error));
  gst_object_unref (histo);
  return is_valid;
}

/* ---- the policy ------------------------------------------------------------------------------------------------------- */

static gboolean
scan_check_policy (const Policy *policy, const ScanSettings *settings, GError **error)
{
  for (const gchar *const *property = policy_properties; *property != NULL; property++)
    if (settings_has_assignment (settings->assignments, *property)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "--set: with --policy, scan sets %s itself", *property);
      return FALSE;
    }
  for (guint i = 0; i < policy->rules->len; i++) {
    const Rule *rule = policy->rules->pdata[i];

    if (rule->subject == RULE_SUBJECT_DECLARED && rule->declared != DECLARED_DAMAGE) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                   "--policy: the rule %s needs what the file declares, which results do not have: use cudahisto check",
                   rule->name);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
scan_judges_damage (const Policy *policy)
{
  for (guint i = 0; i < policy->rules->len; i++) {
    const Rule *rule = policy->rules->pdata[i];

    if (rule->subject == RULE_SUBJECT_DECLARED && rule->declared == DECLARED_DAMAGE)
      return TRUE;
  }
  return FALSE;
}

/* Returns the events that are detected for the policy, as `check --events` accepts them. */
static gchar *
scan_list_detected (const Policy *policy)
{
  const Detected detected = policy_get_detected (policy);
  GString *list = g_string_new ("damaged"); /* `measure` always detects it */

  for (const gchar *const *kind = detected_kinds; *kind != NULL; kind++) {
    gchar seconds[G_ASCII_DTOSTR_BUF_SIZE];
    GstClockTime minimum;

    if (g_str_equal (*kind, "damaged") || !detected_find (&detected, *kind, &minimum))
      continue;
    g_ascii_dtostr (seconds, sizeof seconds, (gdouble)minimum / (gdouble)GST_SECOND);
    g_string_append_printf (list, "+%s:%s", *kind, seconds);
  }
  return g_string_free (list, FALSE);
}

/* ---- the arguments ---------------------------------------------------------------------------------------------------- */

static void
scan_add_option (GStrvBuilder *arguments, const gchar *option, const gchar *value)
{
  g_autofree gchar *argument = g_strdup_printf ("--%s=%s", option, value);

  if (value != NULL && *value != '\0')
    g_strv_builder_add (arguments, argument);
}

/* Joins two lists; either may be NULL or empty. */
static gchar *
scan_join (const gchar *first, const gchar *second)
{
  const gboolean has_both = first != NULL && second != NULL && *first != '\0' && *second != '\0';

  return g_strconcat (first != NULL ? first : "", has_both ? "+" : "", second != NULL ? second : "", NULL);
}

static gchar **
scan_list_measure (const ScanSettings *settings, const Policy *policy)
{
  g_autoptr (GStrvBuilder) arguments = g_strv_builder_new ();
  g_autofree gchar *needed = policy != NULL ? policy_get_statistics (policy) : NULL,
                   *needed_events = policy != NULL ? policy_get_events (policy) : NULL,
                   *statistics = scan_join (
                       settings->statistics == NULL && policy != NULL ? DEFAULT_STATISTICS : settings->statistics, needed),
                   *events = scan_join (settings->events, needed_events);
  g_auto (GStrv) durations = policy != NULL ? policy_get_settings (policy) : NULL;

  scan_add_option (arguments, "statistics", statistics);
  scan_add_option (arguments, "events", events);
  scan_add_option (arguments, "interval", settings->interval);
  scan_add_option (arguments, "backend", settings->backend);
  scan_add_option (arguments, "bins", settings->bins);
  scan_add_option (arguments, "fields", settings->fields);
  scan_add_option (arguments, "timeout", settings->timeout);
  for (gchar **setting = durations; setting != NULL && *setting != NULL; setting++)
    scan_add_option (arguments, "set", *setting);
  for (gchar **assignment = settings->assignments; assignment != NULL && *assignment != NULL; assignment++)
    scan_add_option (arguments, "set", *assignment);
  return g_strv_builder_end (arguments);
}

static gchar **
scan_list_judge (const ScanSettings *settings, const Policy *policy)
{
  g_autoptr (GStrvBuilder) arguments = g_strv_builder_new ();
  g_autofree gchar *detected = policy != NULL ? scan_list_detected (policy) : NULL;

  if (policy != NULL) {
    scan_add_option (arguments, "policy", settings->policy);
    scan_add_option (arguments, "events", detected);
  }
  return g_strv_builder_end (arguments);
}

static gchar *
scan_describe (const ScanArguments *arguments, const Policy *policy)
{
  g_autofree gchar *measure = g_strjoinv (" ", arguments->measure), *judge = g_strjoinv (" ", arguments->judge);
  g_autoptr (GChecksum) digest = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree gchar *text = NULL;

  if (policy == NULL)
    return g_utf8_make_valid (measure, -1);
  for (gchar **file = policy->files; *file != NULL; file++) {
    g_autofree gchar *content = NULL;
    gsize length;

    if (g_file_get_contents (*file, &content, &length, NULL))
      g_checksum_update (digest, (const guchar *)content, (gssize)length);
  }
  text = g_strconcat (measure, " ", judge, " ", g_checksum_get_string (digest), NULL);
  return g_utf8_make_valid (text, -1);
}

ScanArguments *
scan_arguments_new (const ScanSettings *settings, GError **error)
{
  ScanArguments *arguments = NULL;
  Policy *policy = NULL;

  if (!scan_check_settings (settings, error))
    return NULL;
  if (settings->policy != NULL && (policy = policy_load (settings->policy, error)) == NULL)
    return NULL;
  if (policy == NULL || scan_check_policy (policy, settings, error)) {
    arguments = g_new0 (ScanArguments, 1);
    arguments->has_policy = policy != NULL;
    arguments->has_pages = !settings->has_no_pages;
    arguments->judges_damage = policy != NULL && scan_judges_damage (policy);
    arguments->measure = scan_list_measure (settings, policy);
    arguments->judge = scan_list_judge (settings, policy);
    arguments->text = scan_describe (arguments, policy);
  }
  policy_free (policy);
  return arguments;
}

void
scan_arguments_free (ScanArguments *arguments)
{
  if (arguments == NULL)
    return;
  g_strfreev (arguments->measure);
  g_strfreev (arguments->judge);
  g_free (arguments->text);
  g_free (arguments);
}
