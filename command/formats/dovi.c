/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/dovi.h"

#include <cudahisto/histo.h>

static void
dovi_print_level_1 (Output *output, const Light *light)
{
  output_print (output, "{\"Level1\": {\"min_pq\": %u, \"max_pq\": %u, \"avg_pq\": %" G_GUINT64_FORMAT "}}", light->min,
                light->max, light_get_code (light));
}

/* Distances of the active picture from the edges of the frame. */
static void
dovi_print_offsets (Output *output, const LightFilm *film, const guint active[4])
{
  const guint right = active[0] + active[2], bottom = active[1] + active[3];
  const gboolean is_whole = active[2] == 0;

  output_print (output,
                "{\"active_area_left_offset\": %u, \"active_area_right_offset\": %" G_GUINT64_FORMAT
                ", \"active_area_top_offset\": %u, \"active_area_bottom_offset\": %" G_GUINT64_FORMAT "}",
                active[0], is_whole ? 0 : film->width - right, active[1], is_whole ? 0 : film->height - bottom);
}

static void
dovi_print_edits (Output *output, const LightFilm *film, const LightScene *scene)
{
  output_print (output, ", \"frame_edits\": [");
  for (guint i = scene->first; i < scene->end; i++) {
    output_print (output, "%s\n      {\"edit_offset\": %u, \"metadata_blocks\": [", i > scene->first ? "," : "",
                  i - scene->first);
    dovi_print_level_1 (output, &light_film_get_frame (film, i)->light);
    output_print (output, "]}");
  }
  output_print (output, "]");
}

static void
dovi_print_shot (Output *output, const LightFilm *film, guint index, gboolean has_frames)
{
  const LightScene *scene = light_film_get_scene (film, index);

  output_print (output, "%s\n    {\"start\": %u, \"duration\": %u, \"metadata_blocks\": [", index > 0 ? "," : "", scene->first,
                scene->end - scene->first);
  dovi_print_level_1 (output, &scene->light);
  if (film->active == LIGHT_ACTIVE_SCENE) {
    output_print (output, ", {\"Level5\": ");
    dovi_print_offsets (output, film, scene->active);
    output_print (output, "}");
  }
  output_print (output, "]");
  if (has_frames)
    dovi_print_edits (output, film, scene);
  output_print (output, "}");
}

void
dovi_write (Output *output, const LightFilm *film, const DoviSettings *settings)
{
  static const guint whole[4] = { 0 };
  const Light *brightest = &light_film_get_frame (film, film->brightest)->light;
  const Light *highest = &light_film_get_frame (film, film->highest)->light;

  output_print (output,
                "{\n  \"cm_version\": \"V40\",\n  \"profile\": \"8.1\",\n  \"length\": %u,\n  \"level5\": ", film->frames->len);
  dovi_print_offsets (output, film, film->active == LIGHT_ACTIVE_FILM ? film->picture : whole);
  output_print (output,
                ",\n  \"level6\": {\"max_display_mastering_luminance\": %u, \"min_display_mastering_luminance\": %u"
                ", \"max_content_light_level\": %" G_GUINT64_FORMAT ", \"max_frame_average_light_level\": %" G_GUINT64_FORMAT
                "},\n  \"shots\": [",
                settings->max, settings->min, light_divide (light_get_peak (brightest), HISTO_NIT),
                light_divide (highest->units_sum, highest->pixels * HISTO_NIT));
  for (guint i = 0; i < film->scenes->len; i++)
    dovi_print_shot (output, film, i, settings->has_frames);
  output_print (output, "\n  ]\n}\n");
}
