/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/settings.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define MOST_RATE 1000000                  /* frames per second */
#define NTSC_DIVISOR 1001                  /* 23.976 is 24000/1001 */
#define LONGEST (365.25 * 24 * 3600 * 1e9) /* a year, in ns */

/* Properties that the command sets itself. */
static const gchar *const own_properties[]
    = { "sidecar-location", "post-messages", "name", "parent", "qos", "every", "input-sampling", NULL };

static gchar *
settings_list_values (const GParamSpec *property)
{
  GString *list = g_string_new (NULL);

  if (G_IS_PARAM_SPEC_ENUM (property)) {
    const GEnumClass *values = G_PARAM_SPEC_ENUM (property)->enum_class;

    for (guint i = 0; i < values->n_values; i++) {
      if (values->values[i].value >= 0) /* negative: removed */
        g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", values->values[i].value_nick);
    }
  } else if (G_IS_PARAM_SPEC_FLAGS (property)) {
    const GFlagsClass *values = G_PARAM_SPEC_FLAGS (property)->flags_class;

    for (guint i = 0; i < values->n_values; i++)
      g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", values->values[i].value_nick);
  }
  return g_string_free (list, FALSE);
}

static gboolean
settings_set_flags (GstElement *histo, const gchar *option, GParamSpec *property, const gchar *text, GError **error)
{
  GFlagsClass *known = G_PARAM_SPEC_FLAGS (property)->flags_class;
  g_auto (GStrv) names = g_strsplit_set (text, "+,", -1);
  guint flags = 0;

  for (guint i = 0; i == 0 || names[i] != NULL; i++) {
    const gchar *name = names[i] != NULL ? g_strstrip (names[i]) : "";
    const GFlagsValue *value = g_flags_get_value_by_nick (known, name);

    if (value == NULL) {
      g_autofree gchar *list = settings_list_values (property);

      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                   "%s: there is no \"%s\". Use one of %s; join several by +, as in %s+%s.", option, name, list,
                   known->values[0].value_nick, known->values[1].value_nick);
      return FALSE;
    }
    flags |= value->value;
  }
  g_object_set (histo, property->name, flags, NULL);
  return TRUE;
}

static gchar *
settings_describe_range (const GParamSpec *property)
{
  if (G_IS_PARAM_SPEC_INT (property))
    return g_strdup_printf ("a whole number from %d to %d", G_PARAM_SPEC_INT (property)->minimum,
                            G_PARAM_SPEC_INT (property)->maximum);
  if (G_IS_PARAM_SPEC_UINT (property))
    return g_strdup_printf ("a whole number from %u to %u", G_PARAM_SPEC_UINT (property)->minimum,
                            G_PARAM_SPEC_UINT (property)->maximum);
  if (G_IS_PARAM_SPEC_INT64 (property))
    return g_strdup_printf ("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                            G_PARAM_SPEC_INT64 (property)->minimum, G_PARAM_SPEC_INT64 (property)->maximum);
  if (G_IS_PARAM_SPEC_UINT64 (property))
    return g_strdup_printf ("a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                            G_PARAM_SPEC_UINT64 (property)->minimum, G_PARAM_SPEC_UINT64 (property)->maximum);
  if (G_IS_PARAM_SPEC_DOUBLE (property))
    return g_strdup_printf ("a number from %g to %g", G_PARAM_SPEC_DOUBLE (property)->minimum,
                            G_PARAM_SPEC_DOUBLE (property)->maximum);
  if (G_IS_PARAM_SPEC_BOOLEAN (property))
    return g_strdup ("true or false");
  return g_strdup_printf ("a %s", g_type_name (G_PARAM_SPEC_VALUE_TYPE (property)));
}

gboolean
settings_set (GstElement *histo, const gchar *option, const gchar *name, const gchar *text, GError **error)
{
  GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (histo), name);
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree gchar *wanted = NULL;

  g_return_val_if_fail (property != NULL, FALSE);
  if (G_IS_PARAM_SPEC_FLAGS (property))
    return settings_set_flags (histo, option, property, text, error);
  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (property));
  if (G_VALUE_HOLDS_STRING (&value)) {
    g_value_set_string (&value, text);
    g_object_set_property (G_OBJECT (histo), name, &value);
    return TRUE;
  }
  if (G_IS_PARAM_SPEC_ENUM (property)) {
    const GEnumValue *found = g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (property)->enum_class, text);

    if (found != NULL) {
      g_object_set (histo, name, found->value, NULL);
      return TRUE;
    }
    wanted = settings_list_values (property);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s: there is no \"%s\". Use one of %s.", option, text,
                 wanted);
    return FALSE;
  }
  /* GStreamer takes an empty text for 0. */
  if (*text != '\0' && gst_value_deserialize (&value, text) && !g_param_value_validate (property, &value)) {
    g_object_set_property (G_OBJECT (histo), name, &value);
    return TRUE;
  }
  wanted = settings_describe_range (property);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s: \"%s\" is not %s.", option, text, wanted);
  return FALSE;
}

gboolean
settings_assign (GstElement *histo, const gchar *option, const gchar *assignment, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (assignment, "=", 2);
  g_autofree gchar *full_option = NULL;
  GParamSpec *property;

  if (g_strv_length (parts) != 2) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "%s: \"%s\" has no \"=\": name a property of the element and its value, as in %s freeze-noise=0.002.", option,
                 assignment, option);
    return FALSE;
  }
  full_option = g_strdup_printf ("%s %s", option, parts[0]);
  property = g_object_class_find_property (G_OBJECT_GET_CLASS (histo), parts[0]);
  if (property == NULL || (property->flags & G_PARAM_WRITABLE) == 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "%s: the element has no writable property \"%s\". `gst-inspect-1.0 cudahisto` lists all properties.", option,
                 parts[0]);
    return FALSE;
  }
  if (g_strv_contains (own_properties, property->name)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s: %s cannot be set: options such as --output set it.",
                 option, property->name);
    return FALSE;
  }
  return settings_set (histo, full_option, property->name, parts[1], error);
}

gboolean
settings_has_assignment (gchar **assignments, const gchar *property)
{
  for (guint i = 0; assignments != NULL && assignments[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (assignments[i], "=", 2);

    if (parts[0] != NULL && g_str_equal (g_strdelimit (parts[0], "_", '-'), property)) /* GObject accepts both */
      return TRUE;
  }
  return FALSE;
}

/* Parses a number without a sign, and a unit. The default unit is seconds, unless `needs_unit` is set. */
static gboolean
settings_scan_time (const gchar *text, gboolean needs_unit, gdouble *ns)
{
  static const struct {
    const gchar *name;
    gdouble ns;
  } units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "min", 60e9 }, { "h", 3600e9 } };
  gchar *end = NULL;
  const gdouble number = g_ascii_isdigit (*text) || *text == '.' ? g_ascii_strtod (text, &end) : NAN;

  if (isnan (number) || end == text || strpbrk (text, "xX") != NULL)
    return FALSE;
  while (*end == ' ')
    end++;
  for (guint i = needs_unit ? 1 : 0; i < G_N_ELEMENTS (units); i++) {
    if (g_str_equal (end, units[i].name) && number * units[i].ns < LONGEST) {
      *ns = number * units[i].ns;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
settings_parse_time (const gchar *option, const gchar *text, guint64 *ns, GError **error)
{
  gdouble time;

  if (settings_scan_time (text, FALSE, &time)) {
    *ns = (guint64)(time + 0.5);
    return TRUE;
  }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "%s: \"%s\" is not a time. Use a number of seconds, or a number and ns, us, ms, s, min or h: 0.5, 500ms, 1min.",
               option, text);
  return FALSE;
}

gboolean
settings_parse_offset (const gchar *option, const gchar *text, gint64 *ns, GError **error)
{
  const gboolean is_negative = *text == '-';
  gdouble time;

  if (settings_scan_time (is_negative ? text + 1 : text, !g_str_equal (text, "0"), &time)) {
    *ns = (gint64)(time + 0.5) * (is_negative ? -1 : 1);
    return TRUE;
  }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "%s: \"%s\" is not an offset with a unit. Use auto, or a number and ns, us, ms, s, min or h: -40ms, 1.5s.",
               option, text);
  return FALSE;
}

gboolean
settings_parse_rate (const gchar *option, const gchar *text, gint *numerator, gint *denominator, GError **error)
{
  gchar *end = NULL;
  const gdouble number = g_ascii_isdigit (*text) ? g_ascii_strtod (text, &end) : 0;
  const gdouble whole = round (number * NTSC_DIVISOR / 1000); /* if the rate is N·1000/1001, this is N */

  if (end != NULL && number > 0 && number <= MOST_RATE && strpbrk (text, "xX") == NULL) {
    const gdouble divisor = *end == '/' && g_ascii_isdigit (end[1]) ? g_ascii_strtod (end + 1, &end) : 1;

    if (*end == '\0' && divisor >= 1 && divisor <= MOST_RATE && floor (number) == number && floor (divisor) == divisor) {
      *numerator = (gint)number;
      *denominator = (gint)divisor;
      return TRUE;
    }
    if (*end == '\0' && divisor == 1) {
      if (fabs (whole * 1000 / NTSC_DIVISOR - number) < 0.005) {
        *numerator = (gint)whole * 1000;
        *denominator = NTSC_DIVISOR;
      } else {
        gst_util_double_to_fraction (number, numerator, denominator);
      }
      return *numerator > 0;
    }
  }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "%s: \"%s\" is not a rate. Use a number of frames per second, or a fraction: 24, 23.976, 24000/1001.", option,
               text);
  return FALSE;
}
