/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/hdr10plus.h"

#include <cudahisto/histo.h>

#define UNIT (HISTO_NIT / 10)

static guint64
hdr10plus_convert_code (guint code)
{
  return light_divide (histo_find_nits (code), UNIT);
}

static void
hdr10plus_print_distribution (Output *output, const LightFilm *film, const LightScene *scene)
{
  const guint16 *percentiles = light_film_get_frame (film, scene->brightest)->percentiles;
  static const LightPercentile others[] = { LIGHT_PERCENTILE_25, LIGHT_PERCENTILE_50, LIGHT_PERCENTILE_75,
                                            LIGHT_PERCENTILE_90, LIGHT_PERCENTILE_95, LIGHT_PERCENTILE_99_98 };

  output_print (output,
                "{\"DistributionIndex\": [1, 5, 10, 25, 50, 75, 90, 95, 99], \"DistributionValues\": [%" G_GUINT64_FORMAT
                ", %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT,
                hdr10plus_convert_code (percentiles[LIGHT_PERCENTILE_1]),
                hdr10plus_convert_code (percentiles[LIGHT_PERCENTILE_99_99]),
                light_divide ((Wide)scene->light.dark * 100, scene->light.pixels));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    output_print (output, ", %" G_GUINT64_FORMAT, hdr10plus_convert_code (percentiles[others[i]]));
  output_print (output, "]}");
}

static void
hdr10plus_print_frame (Output *output, const LightFilm *film, guint number, guint index)
{
  const LightScene *scene = light_film_get_scene (film, number);
  const guint64 peak = hdr10plus_convert_code (scene->light.max);

  output_print (output,
                "%s\n    {\"LuminanceParameters\": {\"AverageRGB\": %" G_GUINT64_FORMAT ", \"LuminanceDistributions\": ",
                index > 0 ? "," : "", light_divide (scene->light.units_sum, scene->light.pixels * UNIT));
  hdr10plus_print_distribution (output, film, scene);
  output_print (output,
                ", \"MaxScl\": [%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                "]}, \"NumberOfWindows\": 1, \"TargetedSystemDisplayMaximumLuminance\": 0, \"SceneFrameIndex\": %u"
                ", \"SceneId\": %u, \"SequenceFrameIndex\": %u}",
                peak, peak, peak, index - scene->first, number, index);
}

static void
hdr10plus_print_summary (Output *output, const LightFilm *film)
{
  output_print (output, "  \"SceneInfoSummary\": {\"SceneFirstFrameIndex\": [");
  for (guint i = 0; i < film->scenes->len; i++)
    output_print (output, "%s%u", i > 0 ? ", " : "", light_film_get_scene (film, i)->first);
  output_print (output, "], \"SceneFrameNumbers\": [");
  for (guint i = 0; i < film->scenes->len; i++)
    output_print (output, "%s%u", i > 0 ? ", " : "",
                  light_film_get_scene (film, i)->end - light_film_get_scene (film, i)->first);
  output_print (output, "]},\n");
}

void
hdr10plus_write (Output *output, const LightFilm *film)
{
  output_print (output, "{\n  \"JSONInfo\": {\"HDR10plusProfile\": \"A\", \"Version\": \"1.0\"},\n  \"SceneInfo\": [");
  for (guint i = 0; i < film->scenes->len; i++)
    for (guint j = light_film_get_scene (film, i)->first; j < light_film_get_scene (film, i)->end; j++)
      hdr10plus_print_frame (output, film, i, j);
  output_print (output, "\n  ],\n");
  hdr10plus_print_summary (output, film);
  output_print (output, "  \"ToolInfo\": {\"Tool\": \"cudahisto\", \"Version\": \"" COMMAND_VERSION "\"}\n}\n");
}
