/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/qctools.h"

#include <string.h>

#include "fields/fields.h"
#include "lines/values.h"
#include "formats/signalstats.h"
#include "common/terminal.h"

#define BEGINNING                                                              \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                               \
  "<ffprobe:ffprobe xmlns:ffprobe=\"http://www.ffmpeg.org/schema/ffprobe\">\n" \
  "    <frames>\n"
#define PICTURE_TYPE " pict_type=\"?\">\n"

/* QCTools splits the text after each "</frame>", and prepends "<ffprobe:ffprobe><frames>". The prefix must be exactly this. */
void
qctools_begin (Output *output)
{
  output_print (output, BEGINNING);
}

/* A time attribute: FFmpeg's name since 5.0, and the older one, which QCTools uses. */
static void
qctools_add_time (Output *output, const gchar *name, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    output_print (output, " %s=\"%.7f\"", name, (gdouble)time / GST_SECOND);
}

static void
qctools_add_tag (Output *output, const gchar *prefix, const gchar *key, const gchar *value)
{
  output_print (output, "            <tag key=\"%s%s\" value=\"%s\"/>\n", prefix, key, value);
}

/* As cropdetect prints it with QCTools' options (reset=1:round=1). FFmpeg prints none for a black picture. */
static void
qctools_add_crop (Output *output, const GstStructure *result)
{
  static const gchar *const keys[] = { "x1", "x2", "y1", "y2", "w", "h" };
  guint picture[4];

  if (!values_get_rectangle (result, field_describe (FIELD_ID_ACTIVE_PICTURE)->name, picture) || picture[2] == 0
      || picture[3] == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const guint values[]
        = { picture[0], picture[0] + picture[2] - 1, picture[1], picture[1] + picture[3] - 1, picture[2], picture[3] };
    g_autofree gchar *value = g_strdup_printf ("%u", values[i]);

    qctools_add_tag (output, "lavfi.cropdetect.", keys[i], value);
  }
}

static void
qctools_add_size (Output *output, const GstStructure *result)
{
  const gchar *pixel_format = signalstats_find_pixel_format (values_get_string (result, NULL, "format"));
  guint64 width = 0, height = 0;

  values_get_uint64 (result, NULL, "width", &width);
  values_get_uint64 (result, NULL, "height", &height);
  output_print (output, " width=\"%" G_GUINT64_FORMAT "\" height=\"%" G_GUINT64_FORMAT "\"", width, height);
  if (pixel_format != NULL)
    output_print (output, " pix_fmt=\"%s\"", pixel_format);
}

void
qctools_add_frame (Output *output, const GstStructure *result, const gboolean *are_in_others)
{
  const GstClockTime time = signalstats_get_time (result);

  output_print (output, "        <frame media_type=\"video\" stream_index=\"0\" key_frame=\"0\"");
  if (GST_CLOCK_TIME_IS_VALID (time))
    output_print (output, " pts=\"%" G_GUINT64_FORMAT "\"", time);
  qctools_add_time (output, "pts_time", time);
  qctools_add_time (output, "pkt_pts_time", time);
  qctools_add_time (output, "pkt_duration_time", values_get_time (result, "duration"));
  qctools_add_size (output, result);
  output_print (output, PICTURE_TYPE);
  for (guint i = 0; i < signalstats_count (); i++) {
    g_autofree gchar *value = signalstats_format (i, result, are_in_others[i]);

    if (value != NULL)
      qctools_add_tag (output, SIGNALSTATS_PREFIX, signalstats_get_key (i), value);
  }
  qctools_add_crop (output, result);
  output_print (output, "        </frame>\n");
}

void
qctools_end (Output *output, const GstStructure *first, const gchar *filename)
{
  g_autofree gchar *clean = terminal_clean (filename); /* XML does not allow control characters */
  g_autofree gchar *name = g_markup_escape_text (clean, -1);
  guint64 depth = 8;
  gint rate_n = 0, rate_d = 1;

  gst_structure_get_fraction (first, "framerate", &rate_n, &rate_d);
  values_get_uint64 (first, NULL, "depth", &depth);
  output_print (
      output, "    </frames>\n    <streams>\n        <stream index=\"0\" codec_type=\"video\" codec_tag_string=\"[0][0][0][0]\""
              " codec_tag=\"0x0000\"");
  qctools_add_size (output, first);
  output_print (
      output,
      " r_frame_rate=\"%d/%d\" avg_frame_rate=\"%d/%d\" time_base=\"1/1000000000\" bits_per_raw_sample=\"%" G_GUINT64_FORMAT
      "\"/>\n    </streams>\n",
      rate_n, rate_d, rate_n, rate_d, depth);
  output_print (output,
                "    <format filename=\"%s\" nb_streams=\"1\" nb_programs=\"0\" format_name=\"cudahisto\"/>\n"
                "</ffprobe:ffprobe>\n",
                name);
}
