/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/lightfilm.h"

#include <cudahisto/histo.h>
#include <math.h>
#include <string.h>

#include "common/command.h"
#include "fields/fields.h"
#include "formats/madvrbins.h"
#include "lines/values.h"

#define PQ "pq"
#define MAX_RGB "max-rgb"
#define MAX_PIXELS (G_GUINT64_CONSTANT (1) << 32)

static const gdouble percents[N_LIGHT_PERCENTILES] = {
  [LIGHT_PERCENTILE_1] = 1,   [LIGHT_PERCENTILE_25] = 25, [LIGHT_PERCENTILE_50] = 50,       [LIGHT_PERCENTILE_75] = 75,
  [LIGHT_PERCENTILE_90] = 90, [LIGHT_PERCENTILE_95] = 95, [LIGHT_PERCENTILE_99_98] = 99.98, [LIGHT_PERCENTILE_99_99] = 99.99,
};

LightFilm *
light_film_new (LightActive active, gboolean has_bins)
{
  LightFilm *film = g_new0 (LightFilm, 1);

  film->active = active;
  film->frames = g_array_new (FALSE, TRUE, sizeof (LightFrame));
  film->scenes = g_array_new (FALSE, TRUE, sizeof (LightScene));
  film->bins = has_bins ? g_array_new (FALSE, TRUE, MADVR_BINS * sizeof (guint16)) : NULL;
  return film;
}

void
light_film_free (LightFilm *film)
{
  if (film == NULL)
    return;
  g_array_unref (film->frames);
  g_array_unref (film->scenes);
  g_clear_pointer (&film->bins, g_array_unref);
  g_free (film);
}

const LightFrame *
light_film_get_frame (const LightFilm *film, guint index)
{
  return &g_array_index (film->frames, LightFrame, index);
}

const LightScene *
light_film_get_scene (const LightFilm *film, guint index)
{
  return &g_array_index (film->scenes, LightScene, index);
}

/* ---- sums ------------------------------------------------------------------------------------------------------------- */

guint64
light_divide (Wide sum, guint64 number)
{
  return number > 0 ? (guint64)((sum + number / 2) / number) : 0;
}

guint64
light_get_code (const Light *light)
{
  return light_divide (light->code_sum, light->pixels);
}

gdouble
light_get_mean (const Light *light)
{
  return light->pixels > 0 ? (gdouble)light->units_sum / (gdouble)light->pixels : 0;
}

guint64
light_get_peak (const Light *light)
{
  return histo_find_nits (light->max);
}

static void
light_add (Light *sum, const Light *light)
{
  sum->min = sum->pixels > 0 ? MIN (sum->min, light->min) : light->min;
  sum->max = MAX (sum->max, light->max);
  sum->pixels += light->pixels;
  sum->dark += light->dark;
  sum->code_sum += light->code_sum;
  sum->units_sum += light->units_sum;
}

/* ---- the first reading ------------------------------------------------------------------------------------------------ */

static gboolean
light_film_check_frame (LightFilm *film, const GstStructure *result, const gchar *name)
{
  guint64 number = 0, frames = 1, width = 0, height = 0;

  values_get_uint64 (result, NULL, "frame", &number);
  values_get_uint64 (result, NULL, "frames", &frames);
  values_get_uint64 (result, NULL, "width", &width);
  values_get_uint64 (result, NULL, "height", &height);
  if (film->frames->len == 0) {
    film->first_number = number;
    film->width = width;
    film->height = height;
  }
  if (frames != 1)
    command_fail ("%s has a result of %" G_GUINT64_FORMAT " frames: measure without --interval", name, frames);
  else if (values_get_string (result, NULL, "field") != NULL)
    command_fail ("%s has results of fields: measure whole frames, with --fields=together", name);
  else if (number != film->first_number + film->frames->len)
    command_fail ("%s has no result of frame %" G_GUINT64_FORMAT ", but of frame %" G_GUINT64_FORMAT
                  ": measure all frames of the film",
                  name, film->first_number + film->frames->len, number);
  else if (width != film->width || height != film->height)
    command_fail ("%s changes its size at frame %" G_GUINT64_FORMAT ": measure the parts separately", name, number);
  else
    return TRUE;
  return FALSE;
}

/* Extends the rectangle to contain the other one. */
static void
light_extend (guint rectangle[4], const guint other[4])
{
  if (other[2] == 0 || other[3] == 0)
    return;
  for (guint i = 0; i < 2; i++) {
    const guint end = rectangle[i + 2] > 0 ? MAX (rectangle[i] + rectangle[i + 2], other[i] + other[i + 2]) : 0;

    rectangle[i] = rectangle[i + 2] > 0 ? MIN (rectangle[i], other[i]) : other[i];
    rectangle[i + 2] = end > 0 ? end - rectangle[i] : other[i + 2];
  }
}

gboolean
light_film_add_frame (LightFilm *film, const GstStructure *result, const gchar *name)
{
  LightFrame frame = { 0 };

  if (!light_film_check_frame (film, result, name))
    return FALSE;
  if (film->active != LIGHT_ACTIVE_NONE
      && values_get_rectangle (result, field_describe (FIELD_ID_ACTIVE_PICTURE)->name, frame.active))
    film->has_active = TRUE;
  if ((guint64)frame.active[0] + frame.active[2] > film->width || (guint64)frame.active[1] + frame.active[3] > film->height) {
    command_fail ("%s has an active picture beyond the frame in the result of frame %" G_GUINT64_FORMAT, name,
                  film->first_number + film->frames->len);
    return FALSE;
  }
  light_extend (film->picture, frame.active);
  g_array_append_val (film->frames, frame);
  return TRUE;
}

/* ---- scenes ----------------------------------------------------------------------------------------------------------- */

static void
light_film_add_scene (LightFilm *film, guint first, guint end)
{
  LightScene scene = { .first = first, .end = end, .brightest = first };

  if (film->active == LIGHT_ACTIVE_FILM)
    memcpy (scene.active, film->picture, sizeof scene.active);
  for (guint i = first; i < end && film->active == LIGHT_ACTIVE_SCENE; i++)
    light_extend (scene.active, light_film_get_frame (film, i)->active);
  g_array_append_val (film->scenes, scene);
}

void
light_film_divide (LightFilm *film, const GPtrArray *events)
{
  guint first = 0;

  for (guint i = 0; i < events->len; i++) {
    const Event *event = g_ptr_array_index (events, i);

    if (!event_is_scene_change (event) || event->frame <= film->first_number + first
        || event->frame >= film->first_number + film->frames->len)
      continue;
    light_film_add_scene (film, first, (guint)(event->frame - film->first_number));
    first = (guint)(event->frame - film->first_number);
  }
  light_film_add_scene (film, first, film->frames->len);
}

/* ---- the second reading ----------------------------------------------------------------------------------------------- */

/* Copies the bins, and returns their sum. 0: it is too large. */
static guint64
light_copy_codes (guint64 codes[HISTO_LIGHT_CODES], const guint64 *bins)
{
  guint64 pixels = 0;

  for (guint i = 0; i < HISTO_LIGHT_CODES; i++) {
    codes[i] = GUINT64_FROM_LE (bins[i]);
    if (codes[i] > MAX_PIXELS || (pixels += codes[i]) > MAX_PIXELS)
      return 0;
  }
  return pixels;
}

/* Drops the darkest of the pixels, which the active picture leaves over. */
static void
light_drop_bars (guint64 codes[HISTO_LIGHT_CODES], guint64 pixels, const guint active[4])
{
  const guint64 inside = (guint64)active[2] * active[3];
  guint64 outside = inside > 0 && inside < pixels ? pixels - inside : 0;

  for (guint i = 0; outside > 0; i++) {
    const guint64 dropped = MIN (codes[i], outside);

    codes[i] -= dropped;
    outside -= dropped;
  }
}

static guint64
light_count (const guint64 codes[HISTO_LIGHT_CODES])
{
  guint64 pixels = 0;

  for (guint i = 0; i < HISTO_LIGHT_CODES; i++)
    pixels += codes[i];
  return pixels;
}

/* The ranks are those of the percentiles in results. */
static void
light_frame_measure (LightFrame *frame, const guint64 codes[HISTO_LIGHT_CODES])
{
  Light *light = &frame->light;
  const guint64 pixels = light_count (codes);
  guint next = 0;

  for (guint code = 0; code < HISTO_LIGHT_CODES; code++) {
    if (codes[code] == 0)
      continue;
    light->min = light->pixels > 0 ? light->min : (guint16)code;
    light->max = (guint16)code;
    light->pixels += codes[code];
    light->code_sum += (Wide)codes[code] * code;
    light->units_sum += (Wide)codes[code] * histo_find_nits (code);
    if (code <= LIGHT_FILM_CODE_100)
      light->dark = light->pixels;
    while (next < N_LIGHT_PERCENTILES && (gint64)light->pixels >= MAX (1, llrint ((gdouble)pixels * (percents[next] / 100))))
      frame->percentiles[next++] = (guint16)code;
  }
}

/* Returns whether the first light is brighter, as in LightScene. */
static gboolean
light_is_brighter (const Light *light, const Light *other)
{
  return light->max != other->max ? light->max > other->max : light_get_mean (light) > light_get_mean (other);
}

static void
light_film_add_light (LightFilm *film, LightScene *scene, guint index)
{
  const Light *light = &light_film_get_frame (film, index)->light;

  light_add (&scene->light, light);
  if (light_is_brighter (light, &light_film_get_frame (film, scene->brightest)->light))
    scene->brightest = index;
  if (light_is_brighter (light, &light_film_get_frame (film, film->brightest)->light))
    film->brightest = index;
  if (light_get_mean (light) > light_get_mean (&light_film_get_frame (film, film->highest)->light))
    film->highest = index;
}

/* Returns the scene of the next frame. */
static LightScene *
light_film_find_scene (LightFilm *film)
{
  while (light_film_get_scene (film, film->current)->end <= film->n_measured)
    film->current++;
  return &g_array_index (film->scenes, LightScene, film->current);
}

/* FALSE: it is not that of the frames before. */
static gboolean
light_film_take_kind (LightFilm *film, const GstStructure *result)
{
  const gchar *transfer = values_get_string (result, NULL, field_describe (FIELD_ID_LIGHT_TRANSFER)->name);
  const gchar *source = values_get_string (result, NULL, field_describe (FIELD_ID_LIGHT_SOURCE)->name);

  transfer = transfer != NULL ? transfer : PQ;
  source = source != NULL ? source : MAX_RGB;
  if (film->transfer == NULL) {
    film->transfer = g_intern_string (transfer);
    film->source = g_intern_string (source);
  }
  return g_str_equal (transfer, film->transfer) && g_str_equal (source, film->source);
}

gboolean
light_film_is_for_mastering (const LightFilm *film)
{
  return g_strcmp0 (film->transfer, PQ) == 0 && g_strcmp0 (film->source, MAX_RGB) == 0;
}

gboolean
light_film_measure_frame (LightFilm *film, const GstStructure *result, const gchar *name)
{
  const guint index = film->n_measured;
  LightScene *scene = light_film_find_scene (film);
  gsize length;
  const guint64 *bins = values_get_array (result, NULL, field_describe (FIELD_ID_LIGHT_HISTOGRAM)->name, &length);
  guint64 codes[HISTO_LIGHT_CODES], pixels = 0;

  if (bins != NULL && length == HISTO_LIGHT_CODES)
    pixels = light_copy_codes (codes, bins);
  if (pixels == 0) {
    command_fail ("%s has no histogram of light of frame %" G_GUINT64_FORMAT
                  ": measure PQ or HLG video with --statistics=hdr, and with histograms",
                  name, film->first_number + index);
    return FALSE;
  }
  if (!light_film_take_kind (film, result)) {
    command_fail ("%s has another kind of light from frame %" G_GUINT64_FORMAT " on: the video's transfer function or "
                  "light-source changed",
                  name, film->first_number + index);
    return FALSE;
  }
  if (film->width > 0 && film->height > 0 && pixels / film->width / film->height > 1) {
    command_fail ("%s has results of several views, whose light is not known separately: only their largest values are, as "
                  "max-cll and max-fall in the results",
                  name);
    return FALSE;
  }
  light_drop_bars (codes, pixels, scene->active);
  light_frame_measure (&g_array_index (film->frames, LightFrame, index), codes);
  if (film->bins != NULL) {
    guint16 shares[MADVR_BINS];

    madvr_bins_make (shares, codes, light_film_get_frame (film, index)->light.pixels);
    g_array_append_vals (film->bins, shares, 1);
  }
  light_film_add_light (film, scene, index);
  film->n_measured++;
  return TRUE;
}
