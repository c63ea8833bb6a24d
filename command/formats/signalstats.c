/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/signalstats.h"

#include <string.h>

#include "fields/fields.h"
#include "lines/fields.h"

#define MAX_NUMBERS 48

/* The fields in FFmpeg's order. A group of component fields is repeated for Y, U and V. */
static const struct {
  guint n_fields;
  FieldId fields[5];
} groups[] = {
  { 5, { FIELD_ID_MIN, FIELD_ID_LOW, FIELD_ID_MEAN, FIELD_ID_HIGH, FIELD_ID_MAX } },
  { 5,
    { FIELD_ID_SATURATION_MIN, FIELD_ID_SATURATION_LOW, FIELD_ID_SATURATION_MEAN, FIELD_ID_SATURATION_HIGH,
      FIELD_ID_SATURATION_MAX } },
  { 2, { FIELD_ID_HUE_MEDIAN, FIELD_ID_HUE_MEAN } },
  { 1, { FIELD_ID_DIFFERENCE } },
  { 1, { FIELD_ID_USED_BITS } },
  { 3, { FIELD_ID_OUTLIERS, FIELD_ID_REPEATS, FIELD_ID_OUT_OF_RANGE } },
};

/* FFmpeg's key, and the name of the field. */
typedef struct {
  gchar *key, *field;
} Number;

static void
signalstats_list_group (guint group, const gchar *component, Number *numbers, guint *n_numbers)
{
  for (guint i = 0; i < groups[group].n_fields; i++) {
    const FieldDescription *field = field_describe (groups[group].fields[i]);

    g_assert (*n_numbers < MAX_NUMBERS);
    numbers[(*n_numbers)++] = (Number){
      .key = g_strconcat (component, field->ffmpeg, NULL),
      .field = g_strconcat (component, *component != '\0' ? "-" : "", field->name, NULL),
    };
  }
}

/* Returns the list, which is made once and never freed. */
static const Number *
signalstats_list (guint *n_numbers)
{
  static const gchar *const components[] = { "Y", "U", "V" };
  static Number numbers[MAX_NUMBERS];
  static gboolean is_made = FALSE;
  static guint n = 0;

  for (guint group = 0; group < G_N_ELEMENTS (groups) && !is_made; group++) {
    if (!field_is_of_component (field_describe (groups[group].fields[0]))) {
      signalstats_list_group (group, "", numbers, &n);
      continue;
    }
    for (guint c = 0; c < G_N_ELEMENTS (components); c++)
      signalstats_list_group (group, components[c], numbers, &n);
  }
  is_made = TRUE;
  if (n_numbers != NULL)
    *n_numbers = n;
  return numbers;
}

guint
signalstats_count (void)
{
  guint n_numbers;

  signalstats_list (&n_numbers);
  return n_numbers;
}

const gchar *
signalstats_get_key (guint index)
{
  return signalstats_list (NULL)[index].key;
}

gboolean
signalstats_is_in (guint index, const GstStructure *result)
{
  return gst_structure_has_field (result, signalstats_list (NULL)[index].field);
}

gchar *
signalstats_format (guint index, const GstStructure *result, gboolean is_in_others)
{
  const GValue *value = gst_structure_get_value (result, signalstats_list (NULL)[index].field);
  guint64 frame = G_MAXUINT64;

  if (value != NULL && G_VALUE_HOLDS_DOUBLE (value))
    return g_strdup_printf ("%g", g_value_get_double (value));
  if (value != NULL && G_VALUE_HOLDS_UINT (value))
    return g_strdup_printf ("%u", g_value_get_uint (value));
  fields_get_uint64 (result, NULL, "frame", &frame);
  return frame == 0 && is_in_others && g_str_has_suffix (signalstats_list (NULL)[index].key, "DIF") ? g_strdup ("0") : NULL;
}

GstClockTime
signalstats_get_time (const GstStructure *result)
{
  const GstClockTime time = fields_get_time (result, "stream-time");

  return GST_CLOCK_TIME_IS_VALID (time) ? time : fields_get_time (result, "timestamp");
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
