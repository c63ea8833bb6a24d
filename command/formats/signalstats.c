/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/signalstats.h"

#include <string.h>

#include "lines/fields.h"

static const struct {
  const gchar *key, *field;
} numbers[] = {
  { "YMIN", "Y-min" },
  { "YLOW", "Y-low" },
  { "YAVG", "Y-mean" },
  { "YHIGH", "Y-high" },
  { "YMAX", "Y-max" },
  { "UMIN", "U-min" },
  { "ULOW", "U-low" },
  { "UAVG", "U-mean" },
  { "UHIGH", "U-high" },
  { "UMAX", "U-max" },
  { "VMIN", "V-min" },
  { "VLOW", "V-low" },
  { "VAVG", "V-mean" },
  { "VHIGH", "V-high" },
  { "VMAX", "V-max" },
  { "SATMIN", "saturation-min" },
  { "SATLOW", "saturation-low" },
  { "SATAVG", "saturation-mean" },
  { "SATHIGH", "saturation-high" },
  { "SATMAX", "saturation-max" },
  { "HUEMED", "hue-median" },
  { "HUEAVG", "hue-mean" },
  { "YDIF", "Y-difference" },
  { "UDIF", "U-difference" },
  { "VDIF", "V-difference" },
  { "YBITDEPTH", "Y-used-bits" },
  { "UBITDEPTH", "U-used-bits" },
  { "VBITDEPTH", "V-used-bits" },
  { "TOUT", "outliers" },
  { "VREP", "repeats" },
  { "BRNG", "out-of-range" },
};

guint
signalstats_count (void)
{
  return G_N_ELEMENTS (numbers);
}

const gchar *
signalstats_get_key (guint index)
{
  return numbers[index].key;
}

gboolean
signalstats_is_in (guint index, const GstStructure *result)
{
  return gst_structure_has_field (result, numbers[index].field);
}

gchar *
signalstats_format (guint index, const GstStructure *result, gboolean is_in_others)
{
  const GValue *value = gst_structure_get_value (result, numbers[index].field);
  guint64 frame = G_MAXUINT64;

  if (value != NULL && G_VALUE_HOLDS_DOUBLE (value))
    return g_strdup_printf ("%g", g_value_get_double (value));
  if (value != NULL && G_VALUE_HOLDS_UINT (value))
    return g_strdup_printf ("%u", g_value_get_uint (value));
  fields_get_uint64 (result, NULL, "frame", &frame);
  return frame == 0 && is_in_others && g_str_has_suffix (numbers[index].key, "DIF") ? g_strdup ("0") : NULL;
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
