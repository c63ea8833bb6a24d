/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "film.h"

#include <math.h>
#include <string.h>

#include "fields.h"
#include "heat.h"
#include "packing.h"
#include "series.h"

#define MAX_EVENTS 20000
#define MAX_REGIONS 16
#define MAX_PARTS 1000
#define MAX_COMPONENTS 16
#define LEAST_ROWS 1024 /* to which curves are thinned out, and columns of the heat map */
#define LEAST_COLUMNS 128
#define NONE G_MAXUINT

/* ---- extremes ------------------------------------------------------------------------------------------------------------ */

/* Where in the stream: NaN is unknown. */
typedef struct {
  gdouble time, frame, offset, result;
} Place;

typedef struct {
  gdouble value; /* NaN: none yet */
  Place place;
} Extreme;

typedef enum {
  EXTREME_MEAN_LEAST,
  EXTREME_MEAN_GREATEST,
  EXTREME_MIN,
  EXTREME_MAX,
  EXTREME_RANGE,
  EXTREME_SPREAD,
  EXTREME_LEAST_SPREAD,
  EXTREME_CHANGE,
  N_EXTREMES
} ExtremeKind;

static const struct {
  const gchar *name;
  gboolean is_least;
} extremes[N_EXTREMES] = {
  [EXTREME_MEAN_LEAST] = { "mean-least", TRUE },
  [EXTREME_MEAN_GREATEST] = { "mean-greatest", FALSE },
  [EXTREME_MIN] = { "min-least", TRUE },
  [EXTREME_MAX] = { "max-greatest", FALSE },
  [EXTREME_RANGE] = { "range-greatest", FALSE },
  [EXTREME_SPREAD] = { "spread-greatest", FALSE },
  [EXTREME_LEAST_SPREAD] = { "spread-least", TRUE },
  [EXTREME_CHANGE] = { "change-greatest", FALSE },
};

static void
extreme_take (Extreme *extreme, gboolean is_least, gdouble value, const Place *place)
{
  if (isnan (value) || (is_least ? extreme->value <= value : extreme->value >= value))
    return;
  extreme->value = value;
  extreme->place = *place;
}

/* ---- what a film is made of ---------------------------------------------------------------------------------------------- */

/* The numbers that curves are drawn of. */
static const struct {
  const gchar *name;
  SeriesRule rule;
} levels[] = {
  { "min", SERIES_LEAST },     { "low", SERIES_LEAST },    { "median", SERIES_MEAN },
  { "high", SERIES_GREATEST }, { "max", SERIES_GREATEST }, { "mean", SERIES_MEAN },
};

enum { LEVEL_MIN, LEVEL_LOW, LEVEL_MEDIAN, LEVEL_HIGH, LEVEL_MAX, LEVEL_MEAN, N_LEVELS };

/* Further numbers, of components and of the picture; whether their least, their greatest value is an extreme. */
static const struct {
  const gchar *name;
  gboolean is_of_component, has_least, has_greatest;
} scalars[] = {
  { "difference", TRUE, FALSE, TRUE },
  { "out-of-range", FALSE, FALSE, TRUE },
  { "out-of-gamut", FALSE, FALSE, TRUE },
  { "outliers", FALSE, FALSE, TRUE },
  { "repeats", FALSE, FALSE, TRUE },
  { "saturation-mean", FALSE, FALSE, TRUE },
  { "hue-median", FALSE, FALSE, FALSE },
  { "metered-luma", FALSE, TRUE, TRUE },
  { "psnr", TRUE, TRUE, FALSE },
  { "mse", TRUE, FALSE, TRUE },
  { "histogram-distance", TRUE, FALSE, TRUE },
  { "reference-psnr", TRUE, TRUE, FALSE },
  { "reference-mse", TRUE, FALSE, TRUE },
  { "reference-histogram-distance", TRUE, FALSE, TRUE },
  { "stddev", TRUE, FALSE, FALSE },
};

typedef struct {
  guint column; /* NONE: no result has it so far */
  Extreme least, greatest;
} Scalar;

/* A component of the picture, or of a region; one without a name has the scalars that are the picture's, or the region's. */
typedef struct {
  gchar *region;    /* NULL: the whole picture */
  gchar *component; /* NULL: of all */
  guint levels[N_LEVELS];
  gboolean has_levels;
  guint histogram; /* of the heat map; NONE */
  gdouble last_mean;
  Extreme extremes[N_EXTREMES];
  Scalar scalars[G_N_ELEMENTS (scalars)];
} Curve;

/* From a result on the format is another. */
typedef struct {
  guint64 result;
  gchar *format, *range, *framerate;
  guint width, height, depth;
} Part;

typedef struct {
  gchar *kind, *ended_by;
  gdouble start, end, frame, frames, value, result;
} Event;

struct _Film {
  gchar *name;
  GPtrArray *notes;
  Series *series;
  guint time, end, frame, frame_end, offset, offset_end; /* columns; those of bytes NONE where there are none */
  Heat *heat;
  GPtrArray *curves;      /* of Curve, in the order in which they came */
  GHashTable *curve_keys; /* "region\ncomponent": Curve */
  GHashTable *regions;    /* their names; of those that are left out, too */
  guint n_regions, n_omitted_regions;
  GPtrArray *parts;  /* of Part */
  GPtrArray *events; /* of Event */
  GHashTable *open;  /* "kind\nframe\nelement": Event that has begun */
  guint64 n_results, n_events, n_frames, n_bytes, n_omitted_parts, n_left_out;
  gchar *backend, *utc_time;

  Place last;
  gdouble last_frame_end;
  gboolean has_times, has_frames, has_offsets; /* of all results, and none goes back */
  gint64 times_lost_at, frames_lost_at;        /* the result that first had none, or went back; -1 */
  gboolean is_time_unknown;
  gboolean has_folded_histograms;
};

static void
part_free (gpointer data)
{
  Part *part = data;

  g_free (part->format);
  g_free (part->range);
  g_free (part->framerate);
  g_free (part);
}

static void
event_free (gpointer data)
{
  Event *event = data;

  g_free (event->kind);
  g_free (event->ended_by);
  g_free (event);
}

static void
curve_free (gpointer data)
{
  Curve *curve = data;

  g_free (curve->region);
  g_free (curve->component);
  g_free (curve);
}

Film *
film_new (const gchar *name)
{
  Film *film = g_new0 (Film, 1);

  film->name = g_strdup (name);
  film->notes = g_ptr_array_new_with_free_func (g_free);
  film->series = series_new ();
  film->time = series_add_column (film->series, SERIES_FIRST);
  film->end = series_add_column (film->series, SERIES_LAST);
  film->frame = series_add_column (film->series, SERIES_FIRST);
  film->frame_end = series_add_column (film->series, SERIES_LAST);
  film->offset = film->offset_end = NONE;
  film->heat = heat_new ();
  film->curves = g_ptr_array_new_with_free_func (curve_free);
  film->curve_keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  film->regions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  film->parts = g_ptr_array_new_with_free_func (part_free);
  film->events = g_ptr_array_new_with_free_func (event_free);
  film->open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  film->last = (Place){ NAN, NAN, NAN, NAN };
  film->last_frame_end = 0;
  film->has_times = film->has_frames = film->has_offsets = TRUE;
  film->times_lost_at = film->frames_lost_at = -1;
  return film;
}

void
film_free (Film *film)
{
  if (film == NULL)
    return;
  g_free (film->name);
  g_ptr_array_unref (film->notes);
  series_free (film->series);
  heat_free (film->heat);
  g_hash_table_unref (film->curve_keys);
  g_hash_table_unref (film->regions);
  g_hash_table_unref (film->open);
  g_ptr_array_unref (film->curves);
  g_ptr_array_unref (film->parts);
  g_ptr_array_unref (film->events);
  g_free (film->backend);
  g_free (film->utc_time);
  g_free (film);
}

void
film_add_note (Film *film, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (film->notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

guint64
film_count_results (const Film *film)
{
  return film->n_results;
}

guint64
film_count_events (const Film *film)
{
  return film->n_events;
}

/* ---- a result ------------------------------------------------------------------------------------------------------------ */

static gdouble
film_get_number (const GstStructure *structure, const gchar *component, const gchar *name)
{
  gdouble number = NAN;

  fields_get_double (structure, component, name, &number);
  return number;
}

static gdouble
film_get_time (const GstStructure *structure, const gchar *name)
{
  const GstClockTime time = fields_get_time (structure, name);

  return GST_CLOCK_TIME_IS_VALID (time) ? (gdouble)time : NAN;
}

static Curve *
film_find_curve (Film *film, const gchar *region, const gchar *component)
{
  gchar *key = g_strdup_printf ("%s\n%s", region != NULL ? region : "", component != NULL ? component : "");
  Curve *curve = g_hash_table_lookup (film->curve_keys, key);

  if (curve != NULL) {
    g_free (key);
    return curve;
  }
  curve = g_new0 (Curve, 1);
  curve->region = g_strdup (region);
  curve->component = g_strdup (component);
  curve->histogram = NONE;
  curve->last_mean = NAN;
  for (guint i = 0; i < N_LEVELS; i++)
    curve->levels[i] = NONE;
  for (guint i = 0; i < N_EXTREMES; i++)
    curve->extremes[i].value = NAN;
  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++)
    curve->scalars[i] = (Scalar){ .column = NONE, .least = { .value = NAN }, .greatest = { .value = NAN } };
  g_hash_table_insert (film->curve_keys, key, curve);
  g_ptr_array_add (film->curves, curve);
  return curve;
}

static void
film_take_levels (Film *film, Curve *curve, const GstStructure *structure, const Place *place)
{
  gdouble values[N_LEVELS];

  for (guint i = 0; i < N_LEVELS; i++) {
    values[i] = film_get_number (structure, curve->component, levels[i].name);
    if (curve->levels[i] == NONE)
      curve->levels[i] = series_add_column (film->series, levels[i].rule);
    series_set (film->series, curve->levels[i], values[i]);
    curve->has_levels |= !isnan (values[i]);
  }
  for (guint i = 0; i < N_EXTREMES; i++) {
    const gdouble numbers[N_EXTREMES] = {
      [EXTREME_MEAN_LEAST] = values[LEVEL_MEAN],
      [EXTREME_MEAN_GREATEST] = values[LEVEL_MEAN],
      [EXTREME_MIN] = values[LEVEL_MIN],
      [EXTREME_MAX] = values[LEVEL_MAX],
      [EXTREME_RANGE] = values[LEVEL_MAX] - values[LEVEL_MIN],
      [EXTREME_SPREAD] = values[LEVEL_HIGH] - values[LEVEL_LOW],
      [EXTREME_LEAST_SPREAD] = values[LEVEL_HIGH] - values[LEVEL_LOW],
      [EXTREME_CHANGE] = fabs (values[LEVEL_MEAN] - curve->last_mean),
    };

    extreme_take (&curve->extremes[i], extremes[i].is_least, numbers[i], place);
  }
  curve->last_mean = values[LEVEL_MEAN];
}

static void
film_take_scalars (Film *film, Curve *curve, const GstStructure *structure, const Place *place)
{
  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++) {
    Scalar *scalar = &curve->scalars[i];
    gdouble value;

    if (scalars[i].is_of_component != (curve->component != NULL))
      continue;
    value = film_get_number (structure, curve->component, scalars[i].name);
    if (isnan (value))
      continue;
    if (scalar->column == NONE)
      scalar->column = series_add_column (film->series, SERIES_MEAN);
    series_set (film->series, scalar->column, value);
    if (scalars[i].has_least)
      extreme_take (&scalar->least, TRUE, value, place);
    if (scalars[i].has_greatest)
      extreme_take (&scalar->greatest, FALSE, value, place);
  }
}

static void
film_take_histogram (Film *film, Curve *curve, const GstStructure *structure)
{
  gsize n_counters = 0;
  const guint64 *counters = fields_get_array (structure, curve->component, "histogram", &n_counters);

  if (counters == NULL || n_counters == 0 || n_counters % HEAT_BINS != 0)
    return;
  if (curve->histogram == NONE)
    curve->histogram = heat_add_component (film->heat);
  heat_add (film->heat, curve->histogram, counters, n_counters);
  film->has_folded_histograms |= n_counters > HEAT_BINS;
}

/* The numbers of a picture, or of a region of it. */
static void
film_take_picture (Film *film, const gchar *region, const GstStructure *structure, const gchar *const *components,
                   const Place *place)
{
  for (guint i = 0; components[i] != NULL && i < MAX_COMPONENTS; i++) {
    Curve *curve = film_find_curve (film, region, components[i]);

    film_take_levels (film, curve, structure, place);
    film_take_scalars (film, curve, structure, place);
    if (region == NULL)
      film_take_histogram (film, curve, structure);
  }
  film_take_scalars (film, film_find_curve (film, region, NULL), structure, place);
}

/* A region of the property is the one in its place; one that a detector follows, by its type and number. */
static gchar *
film_name_region (const GstStructure *region)
{
  const gchar *type = fields_get_string (region, NULL, "type");
  const gint64 id = (gint64)film_get_number (region, NULL, "id");
  guint64 x = 0, y = 0, width = 0, height = 0;

  if (fields_get (region, NULL, "id") != NULL)
    return g_strdup_printf ("%s %" G_GINT64_FORMAT, type != NULL ? type : "region", id);
  fields_get_uint64 (region, NULL, "x", &x);
  fields_get_uint64 (region, NULL, "y", &y);
  fields_get_uint64 (region, NULL, "width", &width);
  fields_get_uint64 (region, NULL, "height", &height);
  return g_strdup_printf ("%" G_GUINT64_FORMAT "×%" G_GUINT64_FORMAT " at %" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT, width,
                          height, x, y);
}

static void
film_take_regions (Film *film, const GstStructure *result, const gchar *const *components, const Place *place)
{
  g_autoptr (GHashTable) seen = NULL; /* a number that comes twice in a result is taken once */

  for (guint i = 0; i < fields_count_regions (result); i++) {
    const GstStructure *region = fields_get_region (result, i);
    g_autofree gchar *name = film_name_region (region);

    if (!g_hash_table_contains (film->regions, name)) {
      if (film->n_regions == MAX_REGIONS) {
        film->n_omitted_regions++;
        continue;
      }
      film->n_regions++;
      g_hash_table_add (film->regions, g_strdup (name));
    }
    if (seen == NULL)
      seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    if (g_hash_table_add (seen, g_strdup (name)))
      film_take_picture (film, name, region, components, place);
  }
}

static void
film_take_part (Film *film, const GstStructure *result)
{
  const Part *last = film->parts->len > 0 ? g_ptr_array_index (film->parts, film->parts->len - 1) : NULL;
  const GValue *rate = fields_get (result, NULL, "framerate");
  guint64 width = 0, height = 0, depth = 8;
  Part part = { .result = film->n_results };

  part.format = g_strdup (fields_get_string (result, NULL, "format"));
  part.range = g_strdup (fields_get_string (result, NULL, "range"));
  if (rate != NULL && GST_VALUE_HOLDS_FRACTION (rate))
    part.framerate
        = g_strdup_printf ("%d/%d", gst_value_get_fraction_numerator (rate), gst_value_get_fraction_denominator (rate));
  fields_get_uint64 (result, NULL, "width", &width);
  fields_get_uint64 (result, NULL, "height", &height);
  fields_get_uint64 (result, NULL, "depth", &depth);
  part.width = (guint)width;
  part.height = (guint)height;
  part.depth = (guint)CLAMP (depth, 8, 32);
  if (last != NULL && g_strcmp0 (last->format, part.format) == 0 && g_strcmp0 (last->range, part.range) == 0
      && g_strcmp0 (last->framerate, part.framerate) == 0 && last->width == part.width && last->height == part.height
      && last->depth == part.depth) {
    g_free (part.format);
    g_free (part.range);
    g_free (part.framerate);
  } else if (film->parts->len < MAX_PARTS) {
    g_ptr_array_add (film->parts, g_memdup2 (&part, sizeof part));
  } else {
    g_free (part.format);
    g_free (part.range);
    g_free (part.framerate);
    film->n_omitted_parts++;
  }
}

/* Which of the axes this result can be on. */
static void
film_check_place (Film *film, const Place *place, gdouble frame_end)
{
  if (film->has_times && (isnan (place->time) || place->time < film->last.time)) {
    film->has_times = FALSE;
    film->times_lost_at = (gint64)film->n_results;
    film->is_time_unknown = isnan (place->time);
  }
  if (film->has_frames && (isnan (place->frame) || place->frame < film->last_frame_end)) {
    film->has_frames = FALSE;
    film->frames_lost_at = (gint64)film->n_results;
  }
  if (film->has_offsets && (isnan (place->offset) || place->offset < film->last.offset))
    film->has_offsets = FALSE;
  film->last = *place;
  film->last_frame_end = frame_end;
}

void
film_add_result (Film *film, const GstStructure *result, const gchar *const *components)
{
  const gdouble duration = film_get_time (result, "duration");
  guint64 frames = 1, size = 0;
  Place place = {
    .time = film_get_time (result, "stream-time"),
    .frame = film_get_number (result, NULL, "frame"),
    .offset = film_get_number (result, NULL, "offset"),
    .result = (gdouble)film->n_results,
  };

  fields_get_uint64 (result, NULL, "frames", &frames);
  fields_get_uint64 (result, NULL, "size", &size);
  film_check_place (film, &place, place.frame + (gdouble)frames);
  film_take_part (film, result);
  series_begin (film->series, (gdouble)MAX (1, MAX (frames, size)));
  heat_begin (film->heat);
  series_set (film->series, film->time, place.time);
  series_set (film->series, film->end, place.time + duration);
  series_set (film->series, film->frame, place.frame);
  series_set (film->series, film->frame_end, place.frame + (gdouble)frames);
  if (!isnan (place.offset)) {
    if (film->offset == NONE) {
      film->offset = series_add_column (film->series, SERIES_FIRST);
      film->offset_end = series_add_column (film->series, SERIES_LAST);
    }
    series_set (film->series, film->offset, place.offset);
    series_set (film->series, film->offset_end, place.offset + (gdouble)size);
  }
  film_take_picture (film, NULL, result, components, &place);
  film_take_regions (film, result, components, &place);
  if (film->backend == NULL)
    film->backend = g_strdup (fields_get_string (result, NULL, "backend"));
  if (film->utc_time == NULL)
    film->utc_time = g_strdup (fields_get_string (result, NULL, "utc-time"));
  film->n_frames += frames;
  film->n_bytes += size;
  film->n_results++;
}

/* ---- events -------------------------------------------------------------------------------------------------------------- */

void
film_add_event (Film *film, const GstStructure *structure)
{
  const gchar *kind = fields_get_string (structure, NULL, "event"), *element = fields_get_string (structure, NULL, "element");
  const gchar *ended_by = fields_get_string (structure, NULL, "ended-by");
  const gdouble frame = film_get_number (structure, NULL, "frame");
  g_autofree gchar *key = g_strdup_printf ("%s\n%.0f\n%s", kind, frame, element != NULL ? element : "");
  Event *event = g_hash_table_lookup (film->open, key);

  if (kind == NULL)
    return;
  if (g_str_equal (kind, "incomplete")) {
    const gchar *reason = fields_get_string (structure, NULL, "reason");

    film_add_note (film, "The film goes on behind what was measured%s%s.", reason != NULL ? ": " : "",
                   reason != NULL ? reason : "");
    return;
  }
  if (event == NULL) {
    film->n_events++;
    if (film->events->len == MAX_EVENTS)
      return;
    event = g_new0 (Event, 1);
    event->kind = g_strdup (kind);
    event->result = (gdouble)film->n_results;
    g_ptr_array_add (film->events, event);
    if (ended_by == NULL)
      g_hash_table_insert (film->open, g_strdup (key), event);
  }
  event->start = film_get_time (structure, "start");
  event->end = film_get_time (structure, "end");
  event->frame = isnan (frame) ? 0 : frame;
  event->frames = film_get_number (structure, NULL, "frames");
  event->value = film_get_number (structure, NULL, "value");
  if (ended_by != NULL) {
    event->ended_by = g_strdup (ended_by);
    g_hash_table_remove (film->open, key);
  }
}

/* ---- notes --------------------------------------------------------------------------------------------------------------- */

/* All of it, in order. */
static gboolean
film_is_of_bytes (const Film *film)
{
  return film->offset != NONE && film->has_offsets;
}

static void
film_note_axes (Film *film)
{
  if (film->n_results == 0 || film_is_of_bytes (film))
    return;
  if (!film->has_times && film->times_lost_at >= 0)
    film_add_note (film, "%s, result %" G_GINT64_FORMAT " first: the horizontal axis counts %s instead of time.",
                   film->is_time_unknown ? "Results have no stream time"
                                         : "Times go back (a seek, or several runs in one file)",
                   film->times_lost_at + 1, film->has_frames ? "frames" : "results");
  else if (!film->has_frames)
    film_add_note (film, "The frames' indices go back at result %" G_GINT64_FORMAT ": there is no axis of frames.",
                   film->frames_lost_at + 1);
}

/* Whether some parts are deeper than others. */
static gboolean
film_has_depths (const Film *film)
{
  for (guint i = 1; i < film->parts->len; i++) {
    const Part *first = g_ptr_array_index (film->parts, 0), *other = g_ptr_array_index (film->parts, i);

    if (first->depth != other->depth)
      return TRUE;
  }
  return FALSE;
}

static gboolean
film_has_histograms (const Film *film)
{
  for (guint i = 0; i < film->curves->len; i++) {
    const Curve *curve = g_ptr_array_index (film->curves, i);

    if (curve->histogram != NONE)
      return TRUE;
  }
  return FALSE;
}

static void
film_note_contents (Film *film)
{
  gboolean has_levels = FALSE;

  for (guint i = 0; i < film->curves->len; i++) {
    const Curve *curve = g_ptr_array_index (film->curves, i);

    has_levels |= curve->has_levels;
  }
  if (film->n_results == 0)
    film_add_note (film, "The file has events and no results: measure without window=stream, or to the end, for curves.");
  else if (!has_levels)
    film_add_note (film, "The lines have no means and percentiles: statistics=basic, or histogram, measures them.");
  else if (!film_has_histograms (film))
    film_add_note (film, "The lines have no histograms (sidecar-bins=none): there is no heat map, and a click shows none.");
  if (film_has_depths (film))
    film_add_note (film,
                   "The depth of the samples changes. Levels are drawn on the axis of the deepest; numbers, and the extremes "
                   "among them, are at each result's own depth.");
  if (film->has_folded_histograms)
    film_add_note (film, "Histograms have 256 counters here, each of neighbouring values; the lines have one for each value.");
  if (film->n_omitted_regions > 0)
    film_add_note (film, "Of the regions the first %d are shown; %u numbers of others are left out.", MAX_REGIONS,
                   film->n_omitted_regions);
  if (film->n_events > film->events->len)
    film_add_note (film, "Of %" G_GUINT64_FORMAT " events the first %u are shown.", film->n_events, film->events->len);
  if (film->n_omitted_parts > 0)
    film_add_note (film, "The format changes so often that only the first %d changes are shown.", MAX_PARTS);
}

static void
film_note_coarseness (Film *film)
{
  const guint64 step = series_get_step (film->series), heat_step = heat_get_step (film->heat);

  if (step > 1)
    film_add_note (film,
                   "The curves are coarser in time than the file: a point stands for %" G_GUINT64_FORMAT
                   " results, with the least of their min and low, the greatest of their high and max, and the average of "
                   "their means, medians and further numbers. The table of extremes is of all results, each by itself.",
                   step);
  if (heat_step > 1 && film_has_histograms (film))
    film_add_note (film,
                   "A column of the heat map is the sum of %" G_GUINT64_FORMAT " results, and a click shows the histogram of "
                   "these together; the curves are %s.",
                   heat_step, step > 1 ? "finer" : "those of every result");
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------------- */

void
film_append_string (GString *json, const gchar *text)
{
  g_autofree gchar *valid = NULL;

  if (text == NULL) {
    g_string_append (json, "null");
    return;
  }
  valid = g_utf8_make_valid (text, -1);
  g_string_append_c (json, '"');
  for (const gchar *at = valid; *at != '\0'; at++) {
    if ((guchar)*at < 0x20 || *at == '"' || *at == '\\' || *at == '<' || *at == '>' || *at == '&')
      g_string_append_printf (json, "\\u%04x", (guchar)*at);
    else
      g_string_append_c (json, *at);
  }
  g_string_append_c (json, '"');
}

/* `name` is one of the page's own. */
static void
film_append_text (GString *json, const gchar *name, const gchar *text)
{
  g_string_append_printf (json, ",\"%s\":", name);
  film_append_string (json, text);
}

static void
film_append_number (GString *json, const gchar *name, gdouble number)
{
  g_autofree gchar *text = isfinite (number) ? fields_format_double (number) : g_strdup ("null");

  g_string_append_printf (json, ",\"%s\":%s", name, text);
}

static void
film_append_extreme (const Film *film, GString *json, const Curve *curve, const gchar *name, const Extreme *extreme)
{
  if (isnan (extreme->value))
    return;
  g_string_append_printf (json, "%s{\"what\":\"%s\"", json->str[json->len - 1] == '[' ? "" : ",", name);
  film_append_text (json, "region", curve->region);
  film_append_text (json, "component", curve->component);
  film_append_number (json, "value", extreme->value);
  film_append_number (json, "time", extreme->place.time);
  film_append_number (json, "frame", extreme->place.frame);
  if (film->offset != NONE)
    film_append_number (json, "offset", extreme->place.offset);
  film_append_number (json, "result", extreme->place.result);
  g_string_append_c (json, '}');
}

static void
film_append_extremes (const Film *film, GString *json)
{
  g_string_append (json, ",\"extremes\":[");
  for (guint i = 0; i < film->curves->len; i++) {
    const Curve *curve = g_ptr_array_index (film->curves, i);

    for (guint kind = 0; kind < N_EXTREMES; kind++)
      film_append_extreme (film, json, curve, extremes[kind].name, &curve->extremes[kind]);
    for (guint n = 0; n < G_N_ELEMENTS (scalars); n++) {
      g_autofree gchar *least = g_strconcat (scalars[n].name, "-least", NULL);
      g_autofree gchar *greatest = g_strconcat (scalars[n].name, "-greatest", NULL);

      film_append_extreme (film, json, curve, least, &curve->scalars[n].least);
      film_append_extreme (film, json, curve, greatest, &curve->scalars[n].greatest);
    }
  }
  g_string_append_c (json, ']');
}

static void
film_append_events (const Film *film, GString *json)
{
  g_string_append (json, ",\"events\":[");
  for (guint i = 0; i < film->events->len; i++) {
    const Event *event = g_ptr_array_index (film->events, i);

    g_string_append_printf (json, "%s{\"is-open\":%s", i > 0 ? "," : "", event->ended_by == NULL ? "true" : "false");
    film_append_text (json, "event", event->kind);
    film_append_text (json, "ended-by", event->ended_by);
    film_append_number (json, "start", event->start);
    film_append_number (json, "end", event->end);
    film_append_number (json, "frame", event->frame);
    film_append_number (json, "frames", event->frames);
    film_append_number (json, "value", event->value);
    film_append_number (json, "result", event->result);
    g_string_append_c (json, '}');
  }
  g_string_append_c (json, ']');
}

static void
film_append_parts (const Film *film, GString *json)
{
  g_string_append (json, ",\"parts\":[");
  for (guint i = 0; i < film->parts->len; i++) {
    const Part *part = g_ptr_array_index (film->parts, i);

    g_string_append_printf (json, "%s{\"point\":%" G_GUINT64_FORMAT ",\"width\":%u,\"height\":%u,\"depth\":%u",
                            i > 0 ? "," : "", part->result / series_get_step (film->series), part->width, part->height,
                            part->depth);
    film_append_text (json, "format", part->format);
    film_append_text (json, "range", part->range);
    film_append_text (json, "framerate", part->framerate);
    g_string_append_c (json, '}');
  }
  g_string_append_c (json, ']');
}

/* Those that have anything to draw, and their numbers by which columns are named. */
static void
film_append_curves (const Film *film, GString *json)
{
  GString *further = g_string_new (NULL);

  g_string_append (json, ",\"curves\":[");
  for (guint i = 0; i < film->curves->len; i++) {
    const Curve *curve = g_ptr_array_index (film->curves, i);

    if (curve->component != NULL) {
      g_string_append_printf (json, "%s{\"id\":\"c%u\",\"bins\":%d,\"has-levels\":%s",
                              json->str[json->len - 1] == '[' ? "" : ",", i, curve->histogram != NONE ? HEAT_BINS : 0,
                              curve->has_levels ? "true" : "false");
      film_append_text (json, "region", curve->region);
      film_append_text (json, "component", curve->component);
      g_string_append_c (json, '}');
    }
    for (guint n = 0; n < G_N_ELEMENTS (scalars); n++) {
      if (curve->scalars[n].column == NONE)
        continue;
      g_string_append_printf (further, "%s{\"id\":\"c%u.%s\",\"name\":\"%s\"", further->len > 0 ? "," : "", i, scalars[n].name,
                              scalars[n].name);
      film_append_text (further, "region", curve->region);
      film_append_text (further, "component", curve->component);
      g_string_append_c (further, '}');
    }
  }
  g_string_append_printf (json, "],\"scalars\":[%s]", further->str);
  g_string_free (further, TRUE);
}

static void
film_append_axes (const Film *film, GString *json)
{
  const gboolean is_bytes = film_is_of_bytes (film);

  g_string_append_printf (json, ",\"axes\":[%s%s%s\"result\"]", film->has_times ? "\"time\"," : "",
                          film->has_frames && !is_bytes ? "\"frame\"," : "", is_bytes ? "\"byte\"," : "");
}

/* ---- the end ------------------------------------------------------------------------------------------------------------- */

/* Lengths rather than ends: they hardly change. */
static void
film_pack_lengths (const Film *film, Packing *packing, const gchar *name, guint begin, guint end)
{
  const guint n_rows = series_count_rows (film->series);
  const gdouble *begins = series_get_column (film->series, begin), *ends = series_get_column (film->series, end);
  gdouble *lengths = g_new (gdouble, MAX (1, n_rows));

  for (guint i = 0; i < n_rows; i++)
    lengths[i] = ends[i] - begins[i];
  packing_add_doubles (packing, name, lengths, n_rows, TRUE);
  g_free (lengths);
}

static Packing *
film_pack_curves (const Film *film)
{
  const guint n_rows = series_count_rows (film->series);
  Packing *packing = packing_new ();

  packing_add_doubles (packing, "time", series_get_column (film->series, film->time), n_rows, TRUE);
  film_pack_lengths (film, packing, "duration", film->time, film->end);
  packing_add_doubles (packing, "frame", series_get_column (film->series, film->frame), n_rows, TRUE);
  film_pack_lengths (film, packing, "frames", film->frame, film->frame_end);
  if (film->offset != NONE) {
    packing_add_doubles (packing, "offset", series_get_column (film->series, film->offset), n_rows, TRUE);
    film_pack_lengths (film, packing, "size", film->offset, film->offset_end);
  }
  for (guint i = 0; i < film->curves->len; i++) {
    const Curve *curve = g_ptr_array_index (film->curves, i);

    for (guint level = 0; curve->component != NULL && level < N_LEVELS; level++) {
      const gdouble *values = series_get_column (film->series, curve->levels[level]);
      g_autofree gchar *name = g_strdup_printf ("c%u.%s", i, levels[level].name);

      /* Averages are no whole numbers. */
      if (levels[level].rule == SERIES_MEAN && (level == LEVEL_MEAN || series_get_step (film->series) > 1))
        packing_add_doubles (packing, name, values, n_rows, FALSE);
      else
        packing_add_values (packing, name, values, n_rows);
    }
    for (guint n = 0; n < G_N_ELEMENTS (scalars); n++) {
      g_autofree gchar *name = g_strdup_printf ("c%u.%s", i, scalars[n].name);

      if (curve->scalars[n].column != NONE)
        packing_add_doubles (packing, name, series_get_column (film->series, curve->scalars[n].column), n_rows, FALSE);
    }
  }
  return packing;
}

static Packing *
film_pack_heat (const Film *film)
{
  Packing *packing = packing_new ();

  for (guint i = 0; i < film->curves->len; i++) {
    const Curve *curve = g_ptr_array_index (film->curves, i);
    g_autofree gchar *name = g_strdup_printf ("c%u.histogram", i);

    if (curve->histogram != NONE)
      packing_add_counters (packing, name, heat_get_counters (film->heat, curve->histogram),
                            (gsize)heat_count_columns (film->heat) * HEAT_BINS, HEAT_BINS);
  }
  return packing;
}

/* A column of the heat map begins with a row of the curves. */
static void
film_align_heat (Film *film)
{
  while (heat_get_step (film->heat) < series_get_step (film->series))
    heat_halve (film->heat);
}

void
film_finish (Film *film, gsize most, GString *facts, gchar **curves, gchar **heat)
{
  Packing *curve_packing, *heat_packing;
  gsize curve_length, heat_length;

  film_align_heat (film);
  curve_packing = film_pack_curves (film);
  heat_packing = film_pack_heat (film);
  *curves = packing_finish (curve_packing, &curve_length);
  *heat = packing_finish (heat_packing, &heat_length);
  while (curve_length + heat_length > most) {
    const gboolean has_rows = series_count_rows (film->series) > LEAST_ROWS;
    const gboolean has_columns = film_has_histograms (film) && heat_count_columns (film->heat) > LEAST_COLUMNS;

    if (!has_rows && !has_columns)
      break;
    if (has_columns && (heat_length > curve_length / 2 || !has_rows))
      heat_halve (film->heat);
    else
      series_halve (film->series);
    film_align_heat (film);
    packing_free (curve_packing);
    packing_free (heat_packing);
    g_free (*curves);
    g_free (*heat);
    curve_packing = film_pack_curves (film);
    heat_packing = film_pack_heat (film);
    *curves = packing_finish (curve_packing, &curve_length);
    *heat = packing_finish (heat_packing, &heat_length);
  }
  film_note_axes (film);
  film_note_contents (film);
  film_note_coarseness (film);

  g_string_append (facts, "{\"name\":");
  film_append_string (facts, film->name);
  g_string_append (facts, ",\"notes\":[");
  for (guint i = 0; i < film->notes->len; i++) {
    g_string_append (facts, i > 0 ? "," : "");
    film_append_string (facts, g_ptr_array_index (film->notes, i));
  }
  g_string_append_printf (facts,
                          "],\"results\":%" G_GUINT64_FORMAT ",\"frames\":%" G_GUINT64_FORMAT ",\"bytes\":%" G_GUINT64_FORMAT
                          ",\"points\":%u,\"results-per-point\":%" G_GUINT64_FORMAT
                          ",\"results-per-column\":%" G_GUINT64_FORMAT,
                          film->n_results, film->n_frames, film->n_bytes, series_count_rows (film->series),
                          series_get_step (film->series), heat_get_step (film->heat));
  film_append_text (facts, "backend", film->backend);
  film_append_text (facts, "utc-time", film->utc_time);
  film_append_axes (film, facts);
  film_append_curves (film, facts);
  film_append_parts (film, facts);
  film_append_events (film, facts);
  film_append_extremes (film, facts);
  g_string_append_printf (facts, ",\"layout\":%s,\"heat-layout\":%s}", packing_get_layout (curve_packing),
                          packing_get_layout (heat_packing));
  packing_free (curve_packing);
  packing_free (heat_packing);
}
