/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The light of a film, its scenes and its frames, from results with statistics=light. Codes are 12-bit PQ codes of the largest
 * of R', G' and B'; units are 0.0001 nit.
 *
 * The numbers are those of the active picture. The pixels outside are taken to be the darkest ones of the frame. */

#pragma once

#include "lines/event.h"
#include "lines/number.h"

#define LIGHT_FILM_CODE_100 2081 /* the code of 100 nits */

typedef enum {
  LIGHT_PERCENTILE_1,
  LIGHT_PERCENTILE_25,
  LIGHT_PERCENTILE_50,
  LIGHT_PERCENTILE_75,
  LIGHT_PERCENTILE_90,
  LIGHT_PERCENTILE_95,
  LIGHT_PERCENTILE_99_98,
  LIGHT_PERCENTILE_99_99,
  N_LIGHT_PERCENTILES
} LightPercentile;

/* Where black bars are removed. */
typedef enum {
  LIGHT_ACTIVE_FILM,  /* outside the rectangle that contains the active pictures of all frames */
  LIGHT_ACTIVE_SCENE, /* the same for the frames of each scene */
  LIGHT_ACTIVE_NONE   /* nowhere */
} LightActive;

/* Pixels of a frame or of several. */
typedef struct {
  guint64 pixels, dark;     /* `dark`: of at most LIGHT_FILM_CODE_100 */
  Wide code_sum, units_sum; /* of all pixels */
  guint16 min, max;         /* codes */
} Light;

typedef struct {
  guint active[4]; /* of this frame alone; all 0: black, or unknown */
  Light light;
  guint16 percentiles[N_LIGHT_PERCENTILES]; /* codes */
} LightFrame;

typedef struct {
  guint first, end; /* indices of frames */
  guint active[4];  /* active picture; all 0: the whole frame */
  Light light;      /* of all its frames */
  guint brightest;  /* index of the frame with the largest code; of several, with the largest mean; of these, the first */
} LightScene;

typedef struct {
  LightActive active;
  GArray *frames;       /* LightFrame */
  GArray *scenes;       /* LightScene; at least one after light_film_divide() */
  GArray *bins;         /* of each frame, see madvrbins.h; NULL: not wanted */
  guint64 first_number; /* frame number of the first frame */
  guint64 width, height;
  const gchar *transfer, *source; /* of the light: "pq" or "hlg-1000"; "max-rgb" or "luminance". Static; NULL: unknown so far */
  gboolean has_active;            /* results have active pictures */
  guint picture[4];               /* contains the active pictures of all frames; all 0: none */
  guint n_measured;               /* frames with light */
  guint current;                  /* index of the scene of the next frame */
  guint brightest;                /* as in LightScene, of the whole film: MaxCLL */
  guint highest;                  /* index of the frame with the largest mean: MaxFALL */
} LightFilm;

LightFilm *light_film_new (LightActive active, gboolean has_bins);
void light_film_free (LightFilm *film);

/* Take the results of all frames twice: with light_film_add_frame(), then, after light_film_divide(), with
 * light_film_measure_frame(). FALSE: it is not the result of the next frame, or has no light; an error with `name` was
 * reported. */
gboolean light_film_add_frame (LightFilm *film, const GstStructure *result, const gchar *name);
gboolean light_film_measure_frame (LightFilm *film, const GstStructure *result, const gchar *name);

/* Returns whether the light is what files for mastering tools have: max(R, G, B) of PQ. */
gboolean light_film_is_for_mastering (const LightFilm *film);

/* Divides the film at the scene changes among `events` (Event, in order of start). */
void light_film_divide (LightFilm *film, const GPtrArray *events);

const LightFrame *light_film_get_frame (const LightFilm *film, guint index);
const LightScene *light_film_get_scene (const LightFilm *film, guint index);

/* The sum divided by a number, rounded half up. 0 for no number. */
guint64 light_divide (Wide sum, guint64 number);

/* Means over all pixels: in codes, and in units. */
guint64 light_get_code (const Light *light);
gdouble light_get_mean (const Light *light);

/* The largest light in units. */
guint64 light_get_peak (const Light *light);
