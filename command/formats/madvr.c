/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "formats/madvr.h"

#include <cudahisto/histo.h>

#include "formats/madvrbins.h"

#define MAGIC "mvr+"
#define HUES 31
#define HAS_ALL_FRAMES 2

static void
madvr_add_long (GByteArray *bytes, guint64 number)
{
  const guint32 word = GUINT32_TO_LE ((guint32)number);

  g_byte_array_append (bytes, (const guint8 *)&word, sizeof word);
}

static void
madvr_add_short (GByteArray *bytes, guint64 number)
{
  const guint16 word = GUINT16_TO_LE ((guint16)number);

  g_byte_array_append (bytes, (const guint8 *)&word, sizeof word);
}

static guint64
madvr_round_nits (gdouble units)
{
  return (guint64)(units / HISTO_NIT + 0.5);
}

/* Returns the mean over frames of their means, in units. */
static gdouble
madvr_get_average (const LightFilm *film)
{
  gdouble sum = 0;

  for (guint i = 0; i < film->frames->len; i++)
    sum += light_get_mean (&light_film_get_frame (film, i)->light);
  return sum / film->frames->len;
}

static void
madvr_add_header (GByteArray *bytes, const LightFilm *film, guint version)
{
  const guint64 max_cll = light_divide (light_get_peak (&light_film_get_frame (film, film->brightest)->light), HISTO_NIT);

  g_byte_array_append (bytes, (const guint8 *)MAGIC, sizeof MAGIC - 1);
  madvr_add_long (bytes, version);
  madvr_add_long (bytes, version >= 6 ? 36 : 32);
  madvr_add_long (bytes, film->scenes->len);
  madvr_add_long (bytes, film->frames->len);
  madvr_add_long (bytes, HAS_ALL_FRAMES);
  madvr_add_long (bytes, max_cll);
  madvr_add_long (bytes, madvr_round_nits (light_get_mean (&light_film_get_frame (film, film->highest)->light)));
  madvr_add_long (bytes, madvr_round_nits (madvr_get_average (film)));
  if (version >= 6)
    madvr_add_long (bytes, max_cll); /* target peak */
}

static void
madvr_add_scenes (GByteArray *bytes, const LightFilm *film)
{
  for (guint i = 0; i < film->scenes->len; i++)
    madvr_add_long (bytes, light_film_get_scene (film, i)->first);
  for (guint i = 0; i < film->scenes->len; i++)
    madvr_add_long (bytes, light_film_get_scene (film, i)->end);
  for (guint i = 0; i < film->scenes->len; i++)
    madvr_add_long (bytes, light_divide (light_get_peak (&light_film_get_scene (film, i)->light), HISTO_NIT));
}

static void
madvr_add_frame (GByteArray *bytes, const LightFilm *film, guint index, guint version)
{
  const guint16 *shares = &g_array_index (film->bins, guint16, (gsize)index * MADVR_BINS);
  const guint64 peak = light_divide ((Wide)light_film_get_frame (film, index)->light.max * MADVR_SCALE, HISTO_LIGHT_CODES - 1);

  for (guint i = 0; i < (version >= 6 ? 3 : 1); i++)
    madvr_add_short (bytes, peak);
  for (guint i = 0; i < MADVR_BINS; i++)
    madvr_add_short (bytes, shares[i]);
  for (guint i = 0; i < HUES; i++)
    madvr_add_short (bytes, 0);
}

void
madvr_write (Output *output, const LightFilm *film, guint version)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  madvr_add_header (bytes, film, version);
  madvr_add_scenes (bytes, film);
  for (guint i = 0; i < film->frames->len; i++)
    madvr_add_frame (bytes, film, i, version);
  output_write (output, (const gchar *)bytes->data, bytes->len);
}
