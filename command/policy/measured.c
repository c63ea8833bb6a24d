/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/measured.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "lines/values.h"

/* ---- the result ------------------------------------------------------------------------------------------------------- */

static void
measured_take_transfer (Measured *measured)
{
  const FieldDescription *field = field_describe (FIELD_ID_LIGHT_TRANSFER);
  const gchar *light = values_get_string (measured->line, NULL, field->name);
  const gchar *text = values_get_string (measured->line, NULL, "colorimetry");
  GstVideoColorimetry colorimetry = { 0 };

  if (light != NULL) {
    measured->is_pq = g_str_has_prefix (light, "pq");
    measured->is_hlg = g_str_has_prefix (light, "hlg");
  } else if (text != NULL && gst_video_colorimetry_from_string (&colorimetry, text)) {
    measured->is_pq = colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084;
    measured->is_hlg = colorimetry.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
  }
}

static void
measured_take_span (Measured *measured)
{
  PlacesSpan *span = &measured->span;
  gint rate_n, rate_d;

  values_get_uint64 (measured->line, NULL, "frame", &span->frame);
  values_get_uint64 (measured->line, NULL, "frames", &span->frames);
  span->start = values_get_time (measured->line, "stream-time");
  span->length = values_get_time (measured->line, "duration");
  if (!GST_CLOCK_TIME_IS_VALID (span->length) && gst_structure_get_fraction (measured->line, "framerate", &rate_n, &rate_d)
      && rate_n > 0)
    span->length = gst_util_uint64_scale (span->frames, (guint64)rate_d * GST_SECOND, (guint64)rate_n);
}

void
measured_take (Measured *measured, const GstStructure *line, const gchar *const *components)
{
  guint64 depth = 0;

  *measured = (Measured){ .line = line, .components = components };
  values_get_uint64 (line, NULL, "depth", &depth);
  measured->depth = (guint)depth;
  measured_take_transfer (measured);
  measured_take_span (measured);
}

gdouble
measured_read (const Measured *measured, const FieldDescription *field, const gchar *component)
{
  const GValue *value = values_get (measured->line, component, field->name);

  if (value == NULL)
    return NAN;
  if (field->type == FIELD_TYPE_TIME)
    return values_get_time (measured->line, field->name) == GST_CLOCK_TIME_NONE ? NAN : (gdouble)g_value_get_uint64 (value);
  if (G_VALUE_HOLDS_STRING (value)) /* 2^64 or more */
    return field->type == FIELD_TYPE_WIDE ? g_ascii_strtod (g_value_get_string (value), NULL) : NAN;
  if (G_VALUE_HOLDS_INT (value))
    return g_value_get_int (value);
  if (G_VALUE_HOLDS_INT64 (value))
    return (gdouble)g_value_get_int64 (value);
  if (GST_VALUE_HOLDS_FRACTION (value))
    return (gdouble)gst_value_get_fraction_numerator (value) / gst_value_get_fraction_denominator (value);
  return values_read_double (measured->line, component, field->name);
}

/* ---- rules that apply to it ------------------------------------------------------------------------------------------- */

gboolean
measured_has_component (const Measured *measured, const gchar *name)
{
  return g_strv_contains (measured->components, name);
}

gboolean
measured_is_chosen (const gchar *choice, const gchar *component)
{
  static const gchar *const luma[] = { "Y", "GRAY", "luma", NULL }, *const chroma[] = { "U", "V", NULL },
                            *const rgb[] = { "R", "G", "B", NULL };

  if (choice == NULL || strcmp (choice, "all") == 0)
    return TRUE;
  if (strcmp (choice, "luma") == 0)
    return g_strv_contains (luma, component);
  if (strcmp (choice, "chroma") == 0)
    return g_strv_contains (chroma, component);
  if (strcmp (choice, "rgb") == 0)
    return g_strv_contains (rgb, component);
  return strcmp (choice, component) == 0;
}

/* Also of R, G and B, from which luma can be computed. */
static gboolean
measured_has_chosen (const Measured *measured, const gchar *choice)
{
  for (guint i = 0; measured->components[i] != NULL; i++)
    if (measured_is_chosen (choice, measured->components[i]))
      return TRUE;
  return g_strcmp0 (choice, "luma") == 0 && measured_has_component (measured, "R");
}

static gboolean
measured_is_video (const Measured *measured)
{
  return gst_structure_has_field (measured->line, "width");
}

static const gchar *
measured_find_transfer_obstacle (const Measured *measured, gboolean needs_pq, gboolean needs_hlg)
{
  if ((!needs_pq && !needs_hlg) || (needs_pq && measured->is_pq) || (needs_hlg && measured->is_hlg))
    return NULL;
  if (needs_pq && needs_hlg)
    return "the film is neither PQ nor HLG";
  return needs_pq ? "the film is not PQ" : "the film is not HLG";
}

static const gchar *
measured_find_picture_obstacle (const Measured *measured, const FieldDescription *field)
{
  static const guint32 of_colours
      = STATISTIC_SATURATION | STATISTIC_HUE | STATISTIC_BROADCAST_RANGE | STATISTIC_GAMUT | STATISTIC_VECTORSCOPE;
  static const guint32 of_luma = STATISTIC_OUTLIERS | STATISTIC_REPEATS;
  const gboolean has_colours = measured_has_component (measured, "U") || measured_has_component (measured, "R");

  if (!measured_is_video (measured))
    return "it is not video";
  if (field->scope == FIELD_SCOPE_LIGHT)
    return measured_find_transfer_obstacle (measured, TRUE, TRUE);
  if ((field->statistics & of_colours) != 0 && !has_colours)
    return "the format has no colours";
  if ((field->statistics & STATISTIC_BROADCAST_RANGE) != 0 && !measured_has_component (measured, "U"))
    return "the format has no Y, U and V";
  if ((field->statistics & of_luma) != 0 && !measured_has_chosen (measured, "luma"))
    return "the format has no luma";
  return NULL;
}

static const gchar *
measured_find_component_obstacle (const Measured *measured, const gchar *choice)
{
  if (measured_has_chosen (measured, choice))
    return NULL;
  if (strcmp (choice, "luma") == 0)
    return "the format has no luma";
  if (strcmp (choice, "chroma") == 0)
    return "the format has no U and V";
  return strcmp (choice, "rgb") == 0 ? "the format has no R, G and B" : "the format lacks the component";
}

const gchar *
measured_find_obstacle (const Measured *measured, const Rule *rule)
{
  const gchar *obstacle = measured_find_transfer_obstacle (measured, rule->needs_pq, rule->needs_hlg);

  if (obstacle != NULL)
    return obstacle;
  if (rule->subject != RULE_SUBJECT_FIELD && !measured_is_video (measured))
    return "it is not video";
  if (rule->subject == RULE_SUBJECT_DECLARED && rule->declared == DECLARED_RANGE)
    return measured_find_component_obstacle (measured, "luma");
  if (rule->subject != RULE_SUBJECT_FIELD)
    return NULL;
  if (field_is_of_component (rule->field))
    return measured_find_component_obstacle (measured, rule->component);
  if (rule->field->scope == FIELD_SCOPE_RESULT)
    return NULL;
  if (rule->field->scope == FIELD_SCOPE_BYTES)
    return measured_is_video (measured) ? "it is video" : NULL;
  return measured_find_picture_obstacle (measured, rule->field);
}
