/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/film.h"

#include <math.h>

#include "lines/values.h"
#include "report/filmprivate.h"

#define MAX_EVENTS 20000
#define MAX_COMPONENTS 16
#define UNKNOWN "an unnamed one"
#define MAX_INPUTS 10 /* listed by name */

static void
part_free (gpointer data)
{
  Part *part = data;

  g_free (part->format);
  g_free (part->range);
  g_free (part->framerate);
  g_free (part);
}

Film *
film_new (const gchar *file)
{
  Film *film = g_new0 (Film, 1);

  film->file = g_strdup (file);
  film->warnings = g_ptr_array_new_with_free_func (g_free);
  film->notes = g_ptr_array_new_with_free_func (g_free);
  film->series = series_new ();
  film->time = series_add_column (film->series, SERIES_FIRST);
  film->end = series_add_column (film->series, SERIES_LAST);
  film->frame = series_add_column (film->series, SERIES_FIRST);
  film->frame_end = series_add_column (film->series, SERIES_LAST);
  film->offset = film->offset_end = FILM_NONE;
  film->heat = heat_new ();
  film->active = active_new ();
  film->curves = g_ptr_array_new_with_free_func (curve_free);
  film->curve_keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  film->regions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  film->parts = g_ptr_array_new_with_free_func (part_free);
  film->events = g_ptr_array_new_with_free_func (event_free);
  film->open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  film->omitted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  film->last = (Place){ .time = NAN, .frame = NAN, .offset = NAN, .result = NAN };
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
  g_free (film->file);
  if (film->inputs != NULL)
    g_string_free (film->inputs, TRUE);
  g_free (film->last_input);
  sampled_clear (&film->sampled);
  g_ptr_array_unref (film->warnings);
  g_ptr_array_unref (film->notes);
  series_free (film->series);
  heat_free (film->heat);
  active_free (film->active);
  g_hash_table_unref (film->curve_keys);
  g_hash_table_unref (film->regions);
  g_hash_table_unref (film->open);
  g_hash_table_unref (film->omitted);
  g_ptr_array_unref (film->curves);
  g_ptr_array_unref (film->parts);
  g_ptr_array_unref (film->events);
  g_free (film->backend);
  g_free (film->utc_time);
  g_free (film->last_utc_time);
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

void
film_add_warning (Film *film, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (film->warnings, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

void
film_warn_of_end (Film *film)
{
  film_add_warning (film, "The file ends within a line, which is skipped: it was being written, or its writer was stopped.");
}

const gchar *
film_get_name (const Film *film)
{
  return film->n_inputs == 1 && film->inputs->len > 0 ? film->inputs->str : film->file;
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

gboolean
film_is_of_bytes (const Film *film)
{
  return film->offset != FILM_NONE && film->has_offsets;
}

gboolean
film_has_histograms (const Film *film)
{
  for (guint i = 0; i < film->curves->len; i++) {
    if (curve_has_histogram (g_ptr_array_index (film->curves, i)))
      return TRUE;
  }
  return FALSE;
}

gdouble
film_read_time (GstClockTime time)
{
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
  curve = curve_new (region, component);
  g_hash_table_insert (film->curve_keys, key, curve);
  g_ptr_array_add (film->curves, curve);
  return curve;
}

/* Adds the numbers of a picture or region. */
static void
film_take_picture (Film *film, const gchar *region, const GstStructure *structure, const gchar *const *components,
                   const Place *place)
{
  for (guint i = 0; components[i] != NULL && i < MAX_COMPONENTS; i++) {
    Curve *curve = film_find_curve (film, region, components[i]);

    curve_take (curve, film->series, structure, place);
    if (region == NULL)
      film->has_folded_histograms |= curve_take_histogram (curve, film->heat, structure) > HEAT_BINS;
  }
  curve_take (film_find_curve (film, region, NULL), film->series, structure, place);
}

/* A region of the property `regions` is identified by its rectangle, one from a detector by type and number. */
static gchar *
film_name_region (const GstStructure *region)
{
  const gchar *type = values_get_string (region, NULL, "type");
  gdouble id;
  guint64 x = 0, y = 0, width = 0, height = 0;

  if (values_get_double (region, NULL, "id", &id))
    return g_strdup_printf ("%s %.0f", type != NULL ? type : "region", id);
  values_get_uint64 (region, NULL, "x", &x);
  values_get_uint64 (region, NULL, "y", &y);
  values_get_uint64 (region, NULL, "width", &width);
  values_get_uint64 (region, NULL, "height", &height);
  return g_strdup_printf ("%" G_GUINT64_FORMAT "×%" G_GUINT64_FORMAT " at %" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT, width,
                          height, x, y);
}

static void
film_take_regions (Film *film, const GstStructure *result, const gchar *const *components, const Place *place)
{
  g_autoptr (GHashTable) seen = NULL; /* a region that occurs twice in a result is used once */

  for (guint i = 0; i < values_count_regions (result); i++) {
    const GstStructure *region = values_get_region (result, i);
    g_autofree gchar *name = film_name_region (region);

    if (!g_hash_table_contains (film->regions, name)) {
      if (film->n_regions == FILM_MAX_REGIONS) {
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
  const GValue *rate = values_get (result, NULL, "framerate");
  guint64 width = 0, height = 0, depth = 8;
  Part part = { .result = film->n_results, .is_of_fields = values_get_string (result, NULL, "field") != NULL };

  part.format = g_strdup (values_get_string (result, NULL, "format"));
  part.range = g_strdup (values_get_string (result, NULL, "range"));
  if (rate != NULL && GST_VALUE_HOLDS_FRACTION (rate))
    part.framerate
        = g_strdup_printf ("%d/%d", gst_value_get_fraction_numerator (rate), gst_value_get_fraction_denominator (rate));
  values_get_uint64 (result, NULL, "width", &width);
  values_get_uint64 (result, NULL, "height", &height);
  values_get_uint64 (result, NULL, "depth", &depth);
  part.width = (guint)width;
  part.height = (guint)height;
  part.depth = (guint)CLAMP (depth, 8, 32);
  if (last != NULL && g_strcmp0 (last->format, part.format) == 0 && g_strcmp0 (last->range, part.range) == 0
      && g_strcmp0 (last->framerate, part.framerate) == 0 && last->width == part.width && last->height == part.height
      && last->depth == part.depth && last->is_of_fields == part.is_of_fields) {
    g_free (part.format);
    g_free (part.range);
    g_free (part.framerate);
  } else if (film->parts->len < FILM_MAX_PARTS) {
    g_ptr_array_add (film->parts, g_memdup2 (&part, sizeof part));
  } else {
    g_free (part.format);
    g_free (part.range);
    g_free (part.framerate);
    film->n_omitted_parts++;
  }
}

/* Results of another run or bit depth are not compared with earlier ones. */
static void
film_check_run (Film *film, Place *place, const GstStructure *result, guint depth)
{
  const gboolean is_anew = runs_take_result (&film->run_end, result);

  if (is_anew)
    film->run_first = (gdouble)film->n_results;
  place->run = film->last.run + (is_anew || depth != film->last_depth ? 1 : 0);
  film->last_depth = depth;
}

/* Checks on which axes this result can be drawn. */
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

/* Collects the names of inputs, and where each begins. */
static void
film_take_input (Film *film, const gchar *input)
{
  if (film->inputs == NULL) {
    film->inputs = g_string_new (input);
  } else if (!g_str_equal (film->last_input, input)) {
    if (film->inputs->len == 0)
      g_string_append (film->inputs, UNKNOWN);
    if (film->n_inputs < MAX_INPUTS)
      g_string_append_printf (film->inputs, ", %s from result %" G_GUINT64_FORMAT, *input != '\0' ? input : UNKNOWN,
                              film->n_results + 1);
    else if (film->n_inputs == MAX_INPUTS)
      g_string_append (film->inputs, " ...");
  } else {
    return;
  }
  film->n_inputs++;
  g_free (film->last_input);
  film->last_input = g_strdup (input);
}

void
film_add_result (Film *film, const GstStructure *result, const gchar *const *components)
{
  const gdouble duration = film_read_time (values_get_time (result, "duration"));
  const gchar *input = values_get_string (result, NULL, "input");
  guint64 frames = 1, size = 0, depth = 8;
  Place place = {
    .time = film_read_time (values_get_time (result, "stream-time")),
    .frame = values_read_double (result, NULL, "frame"),
    .offset = values_read_double (result, NULL, "offset"),
    .result = (gdouble)film->n_results,
  };

  values_get_uint64 (result, NULL, "frames", &frames);
  values_get_uint64 (result, NULL, "size", &size);
  values_get_uint64 (result, NULL, "depth", &depth);
  film_check_run (film, &place, result, (guint)depth);
  film_check_place (film, &place, place.frame + (gdouble)frames);
  film_take_part (film, result);
  series_begin (film->series, (gdouble)MAX (1, MAX (frames, size)));
  heat_begin (film->heat);
  series_set (film->series, film->time, place.time);
  series_set (film->series, film->end, place.time + duration);
  series_set (film->series, film->frame, place.frame);
  series_set (film->series, film->frame_end, place.frame + (gdouble)frames);
  if (!isnan (place.offset)) {
    if (film->offset == FILM_NONE) {
      film->offset = series_add_column (film->series, SERIES_FIRST);
      film->offset_end = series_add_column (film->series, SERIES_LAST);
    }
    series_set (film->series, film->offset, place.offset);
    series_set (film->series, film->offset_end, place.offset + (gdouble)size);
  }
  film_take_picture (film, NULL, result, components, &place);
  active_take (film->active, film->series, result, frames, &place);
  film_take_regions (film, result, components, &place);
  film_take_input (film, input != NULL ? input : "");
  sampled_take (&film->sampled, result);
  if (film->backend == NULL)
    film->backend = g_strdup (values_get_string (result, NULL, "backend"));
  g_free (film->last_utc_time);
  film->last_utc_time = g_strdup (values_get_string (result, NULL, "utc-time"));
  if (film->utc_time == NULL)
    film->utc_time = g_strdup (film->last_utc_time);
  film->n_of_fields += values_get_string (result, NULL, "field") != NULL ? 1 : 0;
  film->n_frames += frames;
  film->n_bytes += size;
  film->n_results++;
}

/* Estimates the number of results between a frame of the last run and the end of the last result; negative: the frame is after
 * it. Assumes that each result has the number of frames of the last one. */
static gdouble
film_count_results_from (const Film *film, gdouble frame)
{
  const gdouble frames = film->run_end.frame - film->last.frame;

  return frames > 0 && !isnan (frame) ? (film->run_end.frame - frame) / frames : 0;
}

/* Returns the first result of an event. If the event came after the last result but has an earlier frame, it belongs to another
 * run, whose first result follows. */
static gdouble
film_find_first_result (const Film *film, gdouble frame, const gchar *utc_time)
{
  if (g_strcmp0 (utc_time, film->last_utc_time) > 0 && frame < film->last.frame)
    return (gdouble)film->n_results;
  return MAX (film->run_first, (gdouble)film->n_results - ceil (film_count_results_from (film, frame)));
}

/* Returns the result after the last one of the event. */
static gdouble
film_find_end_result (const Film *film, const Event *event)
{
  const gdouble results = event->has_frames ? film_count_results_from (film, (gdouble)(event->frame + event->frames)) : 0;

  return MAX (event->result + 1, (gdouble)film->n_results - floor (results));
}

/* Adds an event whose first line this is. FALSE: it was omitted, and is not owned. */
static gboolean
film_begin_event (Film *film, Event *event, const gchar *key)
{
  if (g_hash_table_contains (film->omitted, key)) {
    if (event->ended_by != NULL)
      g_hash_table_remove (film->omitted, key);
    return FALSE;
  }
  film->n_events++;
  if (film->events->len == MAX_EVENTS) {
    if (event->ended_by == NULL && g_hash_table_size (film->omitted) < MAX_EVENTS)
      g_hash_table_add (film->omitted, g_strdup (key));
    return FALSE;
  }
  film->n_damaged += g_str_equal (event->kind, "damaged");
  event->result = event->result_end = film_find_first_result (film, (gdouble)event->frame, event->utc_time);
  g_ptr_array_add (film->events, event);
  if (event->ended_by == NULL)
    g_hash_table_insert (film->open, g_strdup (key), event);
  return TRUE;
}

void
film_add_event (Film *film, const GstStructure *line)
{
  const gchar *input = values_get_string (line, NULL, "input");
  Event *event = event_new (line);
  g_autofree gchar *key = event_make_key (event);
  Event *begun = g_hash_table_lookup (film->open, key);

  if (input != NULL)
    film_take_input (film, input);
  if (g_str_equal (event->kind, "incomplete"))
    film_add_warning (film, "Measuring stopped before the end of the film%s%s.", event->reason != NULL ? ": " : "",
                      event->reason != NULL ? event->reason : "");
  else if (begun != NULL)
    event_take (begun, line);
  else if (film_begin_event (film, event, key))
    begun = event;
  if (begun != event)
    event_free (event);
  if (begun != NULL && begun->ended_by != NULL) {
    begun->result_end = film_find_end_result (film, begun);
    g_hash_table_remove (film->open, key);
  }
}
