/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/signalstats.h"

#include <string.h>

#include "fields/fields.h"
#include "lines/values.h"

/* A number that FFmpeg prints. */
typedef struct {
  const FieldDescription *field;
  gchar *key;  /* FFmpeg's */
  gchar *name; /* the field's, in a message */
} Number;

static void
signalstats_add (GArray *numbers, const FieldDescription *field, const gchar *component)
{
  const Number number = {
    .field = field,
    .key = g_strconcat (component, field->ffmpeg, NULL),
    .name = g_strconcat (component, *component != '\0' ? "-" : "", field->name, NULL),
  };

  g_array_append_val (numbers, number);
}

/* Adds the group that begins with `fields`. Returns the next one. */
static const FieldDescription *const *
signalstats_add_group (GArray *numbers, const FieldDescription *const *fields)
{
  static const gchar *const components[] = { "Y", "U", "V", NULL }, *const picture[] = { "", NULL };
  const guint group = (*fields)->ffmpeg_place / 10;
  const FieldDescription *const *field = fields;

  for (const gchar *const *component = field_is_of_component (*fields) ? components : picture; *component != NULL;
       component++) {
    for (field = fields; *field != NULL && (*field)->ffmpeg_place / 10 == group; field++)
      signalstats_add (numbers, *field, *component);
  }
  return field;
}

/* Returns the list, which is made once and never freed. */
static const GArray *
signalstats_list (void)
{
  static GArray *numbers = NULL;

  if (numbers == NULL) {
    numbers = g_array_new (FALSE, FALSE, sizeof (Number));
    for (const FieldDescription *const *fields = field_list_ffmpeg (); *fields != NULL;)
      fields = signalstats_add_group (numbers, fields);
  }
  return numbers;
}

static const Number *
signalstats_get (guint index)
{
  return &g_array_index (signalstats_list (), Number, index);
}

guint
signalstats_count (void)
{
  return signalstats_list ()->len;
}

const gchar *
signalstats_get_key (guint index)
{
  return signalstats_get (index)->key;
}

gboolean
signalstats_is_in (guint index, const GstStructure *result)
{
  return gst_structure_has_field (result, signalstats_get (index)->name);
}

gchar *
signalstats_format (guint index, const GstStructure *result, gboolean is_in_others)
{
  const Number *number = signalstats_get (index);
  const GValue *value = gst_structure_get_value (result, number->name);
  guint64 frame = G_MAXUINT64;

  if (value != NULL && G_VALUE_HOLDS_DOUBLE (value))
    return g_strdup_printf ("%g", g_value_get_double (value));
  if (value != NULL && G_VALUE_HOLDS_UINT (value))
    return g_strdup_printf ("%u", g_value_get_uint (value));
  values_get_uint64 (result, NULL, "frame", &frame);
  return frame == 0 && is_in_others && number->field->id == FIELD_ID_DIFFERENCE ? g_strdup ("0") : NULL;
}

GstClockTime
signalstats_get_time (const GstStructure *result)
{
  const GstClockTime time = values_get_time (result, "stream-time");

  return GST_CLOCK_TIME_IS_VALID (time) ? time : values_get_time (result, "timestamp");
}

gchar *
signalstats_format_time (const GstStructure *result)
{
  const GstClockTime time = signalstats_get_time (result);

  return GST_CLOCK_TIME_IS_VALID (time) ? g_strdup_printf ("%f", (gdouble)time / GST_SECOND) : NULL;
}

const gchar *
signalstats_find_pixel_format (const gchar *format)
{
  static const gchar *const names[][2] = {
    { "GRAY8", "gray" },
    { "I420", "yuv420p" },
    { "YV12", "yuv420p" },
    { "NV12", "nv12" },
    { "NV21", "nv21" },
    { "Y42B", "yuv422p" },
    { "Y444", "yuv444p" },
    { "YUY2", "yuyv422" },
    { "UYVY", "uyvy422" },
    { "VUYA", "vuya" },
    { "RGB", "rgb24" },
    { "BGR", "bgr24" },
    { "RGBx", "rgb0" },
    { "BGRx", "bgr0" },
    { "xRGB", "0rgb" },
    { "xBGR", "0bgr" },
    { "RGBA", "rgba" },
    { "BGRA", "bgra" },
    { "ARGB", "argb" },
    { "ABGR", "abgr" },
    { "RGBP", "gbrp" },
    { "BGRP", "gbrp" },
    { "GBR", "gbrp" },
    { "GBRA", "gbrap" },
    { "P010_10LE", "p010le" },
    { "P012_LE", "p012le" },
    { "P016_LE", "p016le" },
    { "I420_10LE", "yuv420p10le" },
    { "I420_12LE", "yuv420p12le" },
    { "I422_10LE", "yuv422p10le" },
    { "I422_12LE", "yuv422p12le" },
    { "Y444_10LE", "yuv444p10le" },
    { "Y444_12LE", "yuv444p12le" },
    { "Y444_16LE", "yuv444p16le" },
    { "GBR_10LE", "gbrp10le" },
    { "GBR_12LE", "gbrp12le" },
    { "GBR_16LE", "gbrp16le" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (format != NULL && strcmp (names[i][0], format) == 0)
      return names[i][1];
  }
  return NULL;
}
