/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "total.h"

#include <math.h>
#include <string.h>

#include <cudahisto/histo.h>

#include "fields.h"
#include "lines.h"
#include "number.h"
#include "schema.h"

#define PICTURE -1 /* the scope of what is no component's */

/* ---- how fields add up ------------------------------------------------------------------------------------------------ */

typedef enum {
  RULE_SUM,     /* integers of 128 bits */
  RULE_ARRAY,   /* number by number */
  RULE_MIN,     /* the smaller one */
  RULE_MAX,     /* the larger one */
  RULE_OR,      /* bit by bit */
  RULE_EXTENT,  /* from the first row and column that either has to the last */
  RULE_SOURCE,  /* it has to be the same: else it is another source */
  RULE_SAME,    /* it has to be the same: else it is left out */
  RULE_FIRST,   /* that of the first result */
  RULE_LAST,    /* that of the last one */
  RULE_DERIVED, /* follows from the others */
  RULE_SPAN,    /* of the place in the stream, see total_add_span() */
  RULE_UNKNOWN  /* of a later version: left out */
} Rule;

/* Which results have to have it, so that the total does. */
typedef enum {
  NEED_ALL, /* all that counted something of its scope */
  NEED_ANY, /* any: the others had nothing to say */
  NEED_PAIR /* all that have the field named `pair` */
} Need;

typedef struct {
  const gchar *name; /* a component's without the component's name, and without "reference-" */
  Rule rule;
  Need need;
  const gchar *pair;
} FieldRule;

static const FieldRule rules_of_components[] = {
  { "count", RULE_SUM, NEED_ALL, NULL },
  { "sum", RULE_SUM, NEED_ALL, NULL },
  { "sum-of-squares", RULE_SUM, NEED_ALL, NULL },
  { "mean", RULE_DERIVED, NEED_ANY, NULL },
  { "variance", RULE_DERIVED, NEED_ANY, NULL },
  { "stddev", RULE_DERIVED, NEED_ANY, NULL },
  { "min", RULE_MIN, NEED_ALL, NULL },
  { "max", RULE_MAX, NEED_ALL, NULL },
  { "low", RULE_DERIVED, NEED_ANY, NULL },
  { "median", RULE_DERIVED, NEED_ANY, NULL },
  { "high", RULE_DERIVED, NEED_ANY, NULL },
  { "dot", RULE_SUM, NEED_PAIR, "dot-count" },
  { "dot-count", RULE_SUM, NEED_ANY, NULL },
  { "difference", RULE_DERIVED, NEED_ANY, NULL },
  { "difference-count", RULE_SUM, NEED_ANY, NULL },
  { "sad", RULE_SUM, NEED_PAIR, "difference-count" },
  { "ssd", RULE_SUM, NEED_PAIR, "difference-count" },
  { "mse", RULE_DERIVED, NEED_ANY, NULL },
  { "psnr", RULE_DERIVED, NEED_ANY, NULL },
  { "histogram-distance", RULE_DERIVED, NEED_ANY, NULL },
  { "histogram-distance-moved", RULE_SUM, NEED_PAIR, "histogram-distance-count" },
  { "histogram-distance-count", RULE_SUM, NEED_ANY, NULL },
  { "used-bits", RULE_DERIVED, NEED_ANY, NULL },
  { "used-mask", RULE_OR, NEED_ALL, NULL },
  { "histogram", RULE_ARRAY, NEED_ALL, NULL },
  { "row-sums", RULE_ARRAY, NEED_ALL, NULL },
  { "column-sums", RULE_ARRAY, NEED_ALL, NULL },
  { "waveform", RULE_ARRAY, NEED_ALL, NULL },
};

static const FieldRule rules_of_pictures[] = {
  { "element", RULE_FIRST, NEED_ANY, NULL },
  { "backend", RULE_LAST, NEED_ANY, NULL },
  { "frame", RULE_FIRST, NEED_ANY, NULL },
  { "frames", RULE_SPAN, NEED_ANY, NULL },
  { "offset", RULE_FIRST, NEED_ANY, NULL },
  { "size", RULE_SPAN, NEED_ANY, NULL },
  { "format", RULE_SOURCE, NEED_ANY, NULL },
  { "width", RULE_SOURCE, NEED_ANY, NULL },
  { "height", RULE_SOURCE, NEED_ANY, NULL },
  { "crop", RULE_FIRST, NEED_ANY, NULL },
  { "depth", RULE_SOURCE, NEED_ANY, NULL },
  { "range", RULE_SOURCE, NEED_ANY, NULL },
  { "colorimetry", RULE_SOURCE, NEED_ANY, NULL },
  { "framerate", RULE_SAME, NEED_ANY, NULL },
  { "timestamp", RULE_FIRST, NEED_ANY, NULL },
  { "stream-time", RULE_FIRST, NEED_ANY, NULL },
  { "running-time", RULE_FIRST, NEED_ANY, NULL },
  { "duration", RULE_SPAN, NEED_ANY, NULL },
  { "utc-time", RULE_FIRST, NEED_ANY, NULL },
  { "timecode", RULE_FIRST, NEED_ANY, NULL },
  { "reference-time", RULE_FIRST, NEED_ANY, NULL },
  { "reference-clock", RULE_FIRST, NEED_ANY, NULL },
  { "ended-by", RULE_LAST, NEED_ANY, NULL },
  { "saturation-min", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-low", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-mean", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-high", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-max", RULE_DERIVED, NEED_ANY, NULL },
  { "saturation-histogram", RULE_ARRAY, NEED_ALL, NULL },
  { "hue-median", RULE_DERIVED, NEED_ANY, NULL },
  { "hue-mean", RULE_DERIVED, NEED_ANY, NULL },
  { "hue-histogram", RULE_ARRAY, NEED_ALL, NULL },
  { "outliers", RULE_DERIVED, NEED_ANY, NULL },
  { "outliers-count", RULE_SUM, NEED_ALL, NULL },
  { "repeats", RULE_DERIVED, NEED_ANY, NULL },
  { "repeats-count", RULE_SUM, NEED_ALL, NULL },
  { "out-of-range", RULE_DERIVED, NEED_ANY, NULL },
  { "out-of-range-count", RULE_SUM, NEED_ALL, NULL },
  { "out-of-gamut", RULE_DERIVED, NEED_ANY, NULL },
  { "out-of-gamut-count", RULE_SUM, NEED_ALL, NULL },
  { "metered-luma", RULE_DERIVED, NEED_ANY, NULL },
  { "metered-luma-sum", RULE_SUM, NEED_ALL, NULL },
  { "metered-luma-weights", RULE_SUM, NEED_ALL, NULL },
  { "active-picture", RULE_DERIVED, NEED_ANY, NULL },
  { "active-extent", RULE_EXTENT, NEED_ALL, NULL },
  { "vectorscope", RULE_ARRAY, NEED_ALL, NULL },
  /* Of a region: that it is the same one is seen to before. */
  { "x", RULE_FIRST, NEED_ANY, NULL },
  { "y", RULE_FIRST, NEED_ANY, NULL },
  { "id", RULE_FIRST, NEED_ANY, NULL },
  { "parent-id", RULE_FIRST, NEED_ANY, NULL },
  { "type", RULE_FIRST, NEED_ANY, NULL },
};

/* Why a field is left out. */
typedef enum {
  WHY_NOT,     /* it is not */
  WHY_LINES,   /* not all results have it, or what it follows from */
  WHY_DEPTH,   /* 256 counters of deeper samples do not tell their values */
  WHY_LENGTH,  /* the arrays are of different lengths */
  WHY_DIFFERS, /* it is not the same in all results */
  WHY_SIZE,    /* it is too large */
  WHY_TIMES,   /* the results do not follow each other, as far as their times or offsets say */
  WHY_UNKNOWN, /* this version does not know how it adds up */
  N_WHY
} Why;

static const gchar *const sentences[N_WHY] = {
  [WHY_LINES] = "not all results have what they follow from (docs/statistics.md, \"Adding results up\")",
  [WHY_DEPTH] = "256 counters do not tell the values of samples of more than 8 bits (measure with bins=native)",
  [WHY_LENGTH] = "the results have them in different lengths",
  [WHY_DIFFERS] = "they are not the same in all results",
  [WHY_SIZE] = "they are too large",
  [WHY_TIMES] = "the results do not follow each other in the stream, or do not say so",
  [WHY_UNKNOWN] = "this version of cudahisto does not know how they add up",
};

/* A field of the total. */
typedef struct {
  const FieldRule *rule;
  gint scope;    /* PICTURE, or the index of a component */
  guint64 added; /* results that had it */
  guint64 last;  /* the number of the last one, from 1 */
  Why why;
  Wide sum;       /* RULE_SUM, and RULE_OR, RULE_MIN and RULE_MAX */
  guint64 *array; /* RULE_ARRAY */
  gsize length;
  gint64 extent[4];    /* RULE_EXTENT: first and last column, first and last row; first beyond last: none */
  GValue value;        /* the others */
  const gchar *member; /* its name without the component's, with "reference-" */
  gchar name[];
} Entry;

typedef struct {
  gchar *name;
  gboolean has_counted, is_counted; /* any result before the one that is being added, and that one, has samples of it */
} Component;

/* The numbers of a picture, or of a region. */
typedef struct {
  GPtrArray *entries; /* in the order of a line */
  GHashTable *by_name;
  GArray *components;
  gboolean has_counted, is_counted; /* as a Component's, of any of them */
} Numbers;

struct _Total {
  guint64 results, depth;
  Numbers *picture;
  GPtrArray *regions; /* Numbers */
  Why why_no_regions;

  gboolean is_bytes;
  guint64 frame, frames, offset, size;
  GstClockTime timestamp, duration;
  Why why_no_frames, why_no_duration;
};

/* ---- memory ----------------------------------------------------------------------------------------------------------- */

static void
total_free_entry (gpointer data)
{
  Entry *entry = data;

  g_free (entry->array);
  if (G_IS_VALUE (&entry->value))
    g_value_unset (&entry->value);
  g_free (entry);
}

static void
total_clear_component (gpointer data)
{
  g_free (((Component *)data)->name);
}

static Numbers *
total_new_numbers (void)
{
  Numbers *numbers = g_new0 (Numbers, 1);

  numbers->entries = g_ptr_array_new_with_free_func (total_free_entry);
  numbers->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  numbers->components = g_array_new (FALSE, TRUE, sizeof (Component));
  g_array_set_clear_func (numbers->components, total_clear_component);
  return numbers;
}

static void
total_free_numbers (gpointer data)
{
  Numbers *numbers = data;

  g_hash_table_unref (numbers->by_name);
  g_ptr_array_unref (numbers->entries);
  g_array_unref (numbers->components);
  g_free (numbers);
}

Total *
total_new (void)
{
  Total *total = g_new0 (Total, 1);

  total->picture = total_new_numbers ();
  total->regions = g_ptr_array_new_with_free_func (total_free_numbers);
  total->timestamp = total->duration = GST_CLOCK_TIME_NONE;
  return total;
}

void
total_free (Total *total)
{
  if (total == NULL)
    return;
  g_ptr_array_unref (total->regions);
  total_free_numbers (total->picture);
  g_free (total);
}

guint64
total_count (const Total *total)
{
  return total->results;
}

/* ---- adding ----------------------------------------------------------------------------------------------------------- */

static void
total_leave_out (Entry *entry, Why why)
{
  if (entry->why == WHY_NOT)
    entry->why = why;
}

static const FieldRule *
total_find_rule (const FieldRule *rules, guint n_rules, const gchar *name)
{
  static const FieldRule unknown = { "", RULE_UNKNOWN, NEED_ANY, NULL };

  for (guint i = 0; i < n_rules; i++) {
    if (strcmp (rules[i].name, name) == 0)
      return &rules[i];
  }
  return &unknown;
}

/* Which component the field is of, and its name without that; PICTURE: it is of none. */
static gint
total_find_scope (const Numbers *numbers, const gchar *name, const gchar **member)
{
  for (guint c = 0; c < numbers->components->len; c++) {
    const gchar *component = g_array_index (numbers->components, Component, c).name;
    const gsize length = strlen (component);

    if (strncmp (name, component, length) == 0 && name[length] == '-') {
      *member = name + length + 1;
      return (gint)c;
    }
  }
  *member = name;
  return PICTURE;
}

static Entry *
total_add_entry (Numbers *numbers, const gchar *name, guint place)
{
  Entry *entry = g_malloc0 (sizeof *entry + strlen (name) + 1);
  const gchar *plain;

  strcpy (entry->name, name);
  entry->scope = total_find_scope (numbers, entry->name, &entry->member);
  plain = entry->member;
  if (entry->scope != PICTURE && g_str_has_prefix (plain, "reference-"))
    plain += strlen ("reference-");
  entry->rule = entry->scope == PICTURE ? total_find_rule (rules_of_pictures, G_N_ELEMENTS (rules_of_pictures), plain)
                                        : total_find_rule (rules_of_components, G_N_ELEMENTS (rules_of_components), plain);
  if (entry->rule->rule == RULE_UNKNOWN)
    total_leave_out (entry, WHY_UNKNOWN);
  entry->extent[0] = entry->extent[2] = G_MAXINT64;
  g_ptr_array_insert (numbers->entries, (gint)place, entry);
  g_hash_table_insert (numbers->by_name, entry->name, entry);
  return entry;
}

/* FALSE: it is no whole number of at most 128 bits. */
static gboolean
total_get_wide (const GValue *value, Wide *number)
{
  if (G_VALUE_HOLDS_UINT64 (value) || G_VALUE_HOLDS_UINT (value)) {
    *number = G_VALUE_HOLDS_UINT (value) ? g_value_get_uint (value) : g_value_get_uint64 (value);
    return TRUE;
  }
  return G_VALUE_HOLDS_STRING (value) && number_parse_wide (g_value_get_string (value), number);
}

static void
total_add_array (Entry *entry, const GValue *value)
{
  const gboolean is_signed = g_str_has_suffix (entry->name, "-sums");
  const guint64 *numbers;
  gsize length;

  if (!G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    total_leave_out (entry, WHY_LINES);
    return;
  }
  numbers = g_bytes_get_data (g_value_get_boxed (value), &length);
  length /= sizeof *numbers;
  if (entry->added == 0) {
    entry->array = g_new0 (guint64, MAX (length, 1));
    entry->length = length;
  } else if (length != entry->length) {
    total_leave_out (entry, WHY_LENGTH);
    return;
  }
  for (gsize i = 0; i < length; i++) {
    const guint64 number = GUINT64_FROM_LE (numbers[i]);

    if (__builtin_add_overflow (entry->array[i], number, &entry->array[i]) && !is_signed)
      total_leave_out (entry, WHY_SIZE);
  }
}

static void
total_add_extent (Entry *entry, const GValue *value)
{
  if (!GST_VALUE_HOLDS_ARRAY (value) || gst_value_array_get_size (value) != 4) {
    total_leave_out (entry, WHY_LINES);
    return;
  }
  for (guint i = 0; i < 2; i++) { /* columns, rows */
    const gint64 first = g_value_get_uint (gst_value_array_get_value (value, i));
    const gint64 count = g_value_get_uint (gst_value_array_get_value (value, i + 2));

    if (entry->added == 0)
      entry->extent[2 * i + 1] = -1;
    if (count > 0) {
      entry->extent[2 * i] = MIN (entry->extent[2 * i], first);
      entry->extent[2 * i + 1] = MAX (entry->extent[2 * i + 1], first + count - 1);
    }
  }
}

static void
total_keep_value (Entry *entry, const GValue *value)
{
  if (G_IS_VALUE (&entry->value))
    g_value_unset (&entry->value);
  g_value_init (&entry->value, G_VALUE_TYPE (value));
  g_value_copy (value, &entry->value);
}

static void
total_add_number (Entry *entry, const GValue *value)
{
  Wide number;

  if (!total_get_wide (value, &number)) {
    total_leave_out (entry, WHY_SIZE);
    return;
  }
  if (entry->added == 0)
    entry->sum = number;
  else if (entry->rule->rule == RULE_MIN)
    entry->sum = MIN (entry->sum, number);
  else if (entry->rule->rule == RULE_MAX)
    entry->sum = MAX (entry->sum, number);
  else if (entry->rule->rule == RULE_OR)
    entry->sum |= number;
  else if (__builtin_add_overflow (entry->sum, number, &entry->sum))
    total_leave_out (entry, WHY_SIZE);
}

static void
total_add_value (Entry *entry, const GValue *value, gboolean is_first)
{
  switch (entry->rule->rule) {
  case RULE_SUM:
  case RULE_MIN:
  case RULE_MAX:
  case RULE_OR:
    total_add_number (entry, value);
    break;
  case RULE_ARRAY:
    total_add_array (entry, value);
    break;
  case RULE_EXTENT:
    total_add_extent (entry, value);
    break;
  case RULE_SAME:
    if (!is_first && (entry->added == 0 || gst_value_compare (&entry->value, value) != GST_VALUE_EQUAL))
      total_leave_out (entry, WHY_DIFFERS);
    total_keep_value (entry, value);
    break;
  case RULE_SOURCE:
  case RULE_FIRST:
    if (is_first)
      total_keep_value (entry, value);
    break;
  case RULE_LAST:
    total_keep_value (entry, value);
    break;
  default:
    break;
  }
}

/* Whether results before this one had samples in the entry's scope, and whether this one has. */
static gboolean
total_has_counted (const Numbers *numbers, const Entry *entry)
{
  return entry->scope == PICTURE ? numbers->has_counted
                                 : g_array_index (numbers->components, Component, entry->scope).has_counted;
}

static gboolean
total_is_counted (const Numbers *numbers, const Entry *entry)
{
  return entry->scope == PICTURE ? numbers->is_counted
                                 : g_array_index (numbers->components, Component, entry->scope).is_counted;
}

static void
total_look_at_counts (Numbers *numbers, const GstStructure *result)
{
  numbers->is_counted = FALSE;
  for (guint c = 0; c < numbers->components->len; c++) {
    Component *component = &g_array_index (numbers->components, Component, c);
    guint64 count = 0;

    fields_get_uint64 (result, component->name, "count", &count);
    component->is_counted = count > 0;
    numbers->is_counted |= count > 0;
  }
}

/* Adds the fields of a picture or region. `number` of the result is counted from 1. */
static void
total_add_numbers (Numbers *numbers, const GstStructure *result, guint64 number)
{
  guint place = 0;

  total_look_at_counts (numbers, result);
  for (gint f = 0; f < gst_structure_n_fields (result); f++) {
    const gchar *name = gst_structure_nth_field_name (result, (guint)f);
    Entry *entry = g_hash_table_lookup (numbers->by_name, name);
    guint found;

    if (strcmp (name, "regions") == 0)
      continue;
    if (entry == NULL) {
      entry = total_add_entry (numbers, name, place);
      if (entry->rule->need == NEED_ALL && total_has_counted (numbers, entry))
        total_leave_out (entry, WHY_LINES);
    }
    total_add_value (entry, gst_structure_get_value (result, name), number == 1);
    entry->added++;
    entry->last = number;
    place = g_ptr_array_find (numbers->entries, entry, &found) ? found + 1 : place;
  }
  for (guint i = 0; i < numbers->entries->len; i++) {
    Entry *entry = numbers->entries->pdata[i];

    if (entry->rule->need == NEED_ALL && entry->last != number && total_is_counted (numbers, entry))
      total_leave_out (entry, WHY_LINES);
    if (entry->rule->rule == RULE_SAME && entry->last != number)
      total_leave_out (entry, WHY_DIFFERS);
  }
  for (guint c = 0; c < numbers->components->len; c++) {
    Component *component = &g_array_index (numbers->components, Component, c);

    component->has_counted |= component->is_counted;
  }
  numbers->has_counted |= numbers->is_counted;
}

/* Where the result is in the stream. `frames` of bytes are buffers: two results may have parts of one. */
static void
total_add_span (Total *total, const GstStructure *result)
{
  const GstClockTime timestamp = fields_get_time (result, "timestamp"), duration = fields_get_time (result, "duration");
  guint64 frame = 0, frames = 0, offset = 0, size = 0;
  gboolean follows, is_same_buffer, is_in_order;

  fields_get_uint64 (result, NULL, "frame", &frame);
  total->is_bytes = fields_get_uint64 (result, NULL, "offset", &offset);
  fields_get_uint64 (result, NULL, "size", &size);
  if (!fields_get_uint64 (result, NULL, "frames", &frames))
    total->why_no_frames = WHY_LINES;
  if (total->results == 0) {
    total->frame = frame;
    total->frames = frames;
    total->offset = offset;
    total->size = size;
    total->timestamp = timestamp;
    total->duration = duration;
    if (!gst_structure_has_field (result, "duration"))
      total->why_no_duration = WHY_TIMES;
    return;
  }
  follows = !total->is_bytes || total->offset + total->size == offset;
  is_same_buffer = total->is_bytes && follows && total->why_no_frames == WHY_NOT && frame == total->frame + total->frames - 1;
  is_in_order = is_same_buffer;
  if (GST_CLOCK_TIME_IS_VALID (timestamp) && GST_CLOCK_TIME_IS_VALID (total->timestamp)) {
    is_in_order |= GST_CLOCK_TIME_IS_VALID (total->duration) && timestamp >= total->timestamp + total->duration;
    is_in_order |= total->why_no_frames == WHY_NOT && total->frames == 1 && timestamp >= total->timestamp;
  }
  if (!gst_structure_has_field (result, "duration"))
    total->why_no_duration = WHY_TIMES;
  if (total->why_no_duration == WHY_NOT && GST_CLOCK_TIME_IS_VALID (total->timestamp)) {
    if (!is_in_order || !GST_CLOCK_TIME_IS_VALID (timestamp))
      total->why_no_duration = WHY_TIMES;
    else
      total->duration = GST_CLOCK_TIME_IS_VALID (duration) ? timestamp + duration - total->timestamp : GST_CLOCK_TIME_NONE;
  }
  if (!follows)
    total->why_no_frames = WHY_TIMES;
  total->frames += frames - (is_same_buffer && frames > 0 ? 1 : 0);
  total->size += size;
}

static gboolean
total_is_same_region (const Numbers *numbers, const GstStructure *region)
{
  static const gchar *const names[] = { "x", "y", "width", "height", "id", "parent-id", "type" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const Entry *entry = g_hash_table_lookup (numbers->by_name, names[i]);
    const GValue *value = gst_structure_get_value (region, names[i]);

    if ((entry != NULL) != (value != NULL) || (value != NULL && gst_value_compare (&entry->value, value) != GST_VALUE_EQUAL))
      return FALSE;
  }
  return TRUE;
}

static void
total_set_components (Numbers *numbers, const gchar *const *components)
{
  for (; *components != NULL; components++) {
    const Component component = { .name = g_strdup (*components) };

    g_array_append_val (numbers->components, component);
  }
}

static void
total_add_regions (Total *total, const GstStructure *result, const gchar *const *components, guint64 number)
{
  const guint count = fields_count_regions (result);

  if (number > 1 && count != total->regions->len)
    total->why_no_regions = WHY_DIFFERS;
  for (guint i = 0; i < count && total->why_no_regions == WHY_NOT; i++) {
    const GstStructure *region = fields_get_region (result, i);

    if (number == 1) {
      g_ptr_array_add (total->regions, total_new_numbers ());
      total_set_components (total->regions->pdata[i], components);
    } else if (!total_is_same_region (total->regions->pdata[i], region)) {
      total->why_no_regions = WHY_DIFFERS;
      return;
    }
    total_add_numbers (total->regions->pdata[i], region, number);
  }
}

/* "I420 1280x720", "bytes". Free with g_free(). */
static gchar *
total_describe_source (const GValue *format, const GValue *width, const GValue *height)
{
  if (format == NULL || !G_VALUE_HOLDS_STRING (format))
    return g_strdup ("?");
  if (width == NULL || height == NULL || !G_VALUE_HOLDS_UINT (width) || !G_VALUE_HOLDS_UINT (height))
    return g_strdup (g_value_get_string (format));
  return g_strdup_printf ("%s %ux%u", g_value_get_string (format), g_value_get_uint (width), g_value_get_uint (height));
}

static const GValue *
total_find_value (const Total *total, const gchar *name)
{
  const Entry *entry = g_hash_table_lookup (total->picture->by_name, name);

  return entry != NULL && G_IS_VALUE (&entry->value) ? &entry->value : NULL;
}

/* Whether the result is of the same source; else `error` says what is not. */
static gboolean
total_check_source (const Total *total, const GstStructure *result, const gchar *const *components, GError **error)
{
  const gchar *what = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rules_of_pictures); i++) {
    const gchar *name = rules_of_pictures[i].name;
    const GValue *ours = total_find_value (total, name), *theirs = gst_structure_get_value (result, name);

    if (rules_of_pictures[i].rule == RULE_SOURCE
        && ((ours != NULL) != (theirs != NULL) || (ours != NULL && gst_value_compare (ours, theirs) != GST_VALUE_EQUAL)))
      what = what != NULL ? what : name;
  }
  for (guint c = 0; c <= total->picture->components->len && what == NULL; c++) {
    const gchar *name
        = c < total->picture->components->len ? g_array_index (total->picture->components, Component, c).name : NULL;

    if (g_strcmp0 (name, components[c]) != 0)
      what = "components";
  }
  if (what == NULL)
    return TRUE;
  if (strcmp (what, "format") == 0 || strcmp (what, "width") == 0 || strcmp (what, "height") == 0) {
    gchar *ours = total_describe_source (total_find_value (total, "format"), total_find_value (total, "width"),
                                         total_find_value (total, "height"));
    gchar *theirs
        = total_describe_source (gst_structure_get_value (result, "format"), gst_structure_get_value (result, "width"),
                                 gst_structure_get_value (result, "height"));

    g_set_error (error, LINES_FAULT, LINES_FAULT_LINE, "it is of %s, and those before are of %s", theirs, ours);
    g_free (theirs);
    g_free (ours);
  } else {
    g_set_error (error, LINES_FAULT, LINES_FAULT_LINE, "its `%s` is another than that of those before", what);
  }
  return FALSE;
}

gboolean
total_add (Total *total, const GstStructure *result, const gchar *const *components, GError **error)
{
  const guint64 number = total->results + 1;

  if (total->results == 0) {
    total_set_components (total->picture, components);
    fields_get_uint64 (result, NULL, "depth", &total->depth);
  } else if (!total_check_source (total, result, components, error)) {
    return FALSE;
  }
  total_add_span (total, result);
  total_add_numbers (total->picture, result, number);
  total_add_regions (total, result, components, number);
  total->results = number;
  return TRUE;
}

/* ---- what follows ----------------------------------------------------------------------------------------------------- */

/* An entry that is whole. NULL: there is none such, or it is left out. */
static const Entry *
total_find_whole (const Numbers *numbers, gint scope, const gchar *name)
{
  gchar full[600];
  const Entry *entry;

  if (scope == PICTURE)
    g_strlcpy (full, name, sizeof full);
  else
    g_snprintf (full, sizeof full, "%s-%s", g_array_index (numbers->components, Component, scope).name, name);
  entry = g_hash_table_lookup (numbers->by_name, full);
  return entry != NULL && entry->why == WHY_NOT ? entry : NULL;
}

static gboolean
total_find_sum (const Numbers *numbers, gint scope, const gchar *name, Wide *sum)
{
  const Entry *entry = total_find_whole (numbers, scope, name);

  if (entry != NULL)
    *sum = entry->sum;
  return entry != NULL;
}

/* The quotient of two fields; their names begin with `prefix`. */
static Why
total_divide (const Numbers *numbers, gint scope, const gchar *prefix, const gchar *dividend, const gchar *divisor,
              gdouble *quotient)
{
  gchar *names[] = { g_strconcat (prefix, dividend, NULL), g_strconcat (prefix, divisor, NULL) };
  Wide sums[2] = { 0 };
  const gboolean are_there
      = total_find_sum (numbers, scope, names[0], &sums[0]) && total_find_sum (numbers, scope, names[1], &sums[1]);

  g_free (names[0]);
  g_free (names[1]);
  if (!are_there || sums[1] == 0)
    return WHY_LINES;
  *quotient = number_round_wide (sums[0]) / number_round_wide (sums[1]);
  return WHY_NOT;
}

/* What follows from the sums of a component, and, where `has_values`, from its histogram, which tells each value. */
static Why
total_summarize (const Total *total, const Numbers *numbers, gint scope, gboolean needs_squares, gboolean needs_values,
                 struct histo_summary *summary)
{
  const Entry *histogram = total_find_whole (numbers, scope, "histogram");
  struct histo_component_stats stats = { .depth = (guint32)total->depth };
  Wide count = 0, sum = 0, squares = 0;
  guint64 all;

  if (!total_find_sum (numbers, scope, "count", &count) || count == 0)
    return WHY_LINES;
  if (!needs_values
      && (!total_find_sum (numbers, scope, "sum", &sum)
          || (needs_squares && !total_find_sum (numbers, scope, "sum-of-squares", &squares))))
    return WHY_LINES;
  if (needs_values && histogram == NULL)
    return WHY_LINES;
  if (needs_values && total->depth > 8 && histogram->length != (gsize)1 << total->depth)
    return WHY_DEPTH;
  if (count > G_MAXUINT64 || sum > G_MAXUINT64 || total->depth > 16
      || (histogram != NULL && histogram->length > HISTO_MAX_BINS))
    return WHY_SIZE;
  all = (guint64)count;
  stats.count = all;
  stats.sum = (guint64)sum;
  stats.sum_of_squares = (guint64)squares;
  stats.sum_of_squares_high = (guint64)(squares >> 64);
  stats.histogram = needs_values ? histogram->array : &all;
  stats.bins = needs_values ? (guint32)histogram->length : 1;
  return histo_summarize (&stats, summary) ? WHY_NOT : WHY_LINES;
}

static Why
total_summarize_colours (const Numbers *numbers, struct histo_colour_summary *summary, gboolean is_hue)
{
  const Entry *histogram = total_find_whole (numbers, PICTURE, is_hue ? "hue-histogram" : "saturation-histogram");
  struct histo_picture_stats stats = { 0 };

  if (histogram == NULL)
    return WHY_LINES;
  if (histogram->length == 0 || histogram->length > HISTO_MAX_BINS * 2 || (is_hue && histogram->length != HISTO_HUES))
    return WHY_LENGTH;
  for (gsize i = 0; i < histogram->length; i++)
    stats.chroma_count += histogram->array[i];
  if (is_hue) {
    stats.hue = histogram->array;
  } else {
    stats.saturation = histogram->array;
    stats.saturation_count = (guint32)histogram->length;
  }
  return histo_summarize_colours (&stats, summary) ? WHY_NOT : WHY_LINES;
}

static void
total_set_double (Entry *entry, gdouble number)
{
  g_value_init (&entry->value, G_TYPE_DOUBLE);
  g_value_set_double (&entry->value, number);
}

static void
total_set_uint (Entry *entry, guint number)
{
  g_value_init (&entry->value, G_TYPE_UINT);
  g_value_set_uint (&entry->value, number);
}

static guint
total_count_bits (Wide mask)
{
  return (guint)__builtin_popcountll ((guint64)mask);
}

/* Of the rest of a component's fields. */
static Why
total_derive_summary (const Total *total, const Numbers *numbers, Entry *entry)
{
  const gchar *name = entry->rule->name;
  const gboolean is_of_values = strcmp (name, "low") == 0 || strcmp (name, "median") == 0 || strcmp (name, "high") == 0;
  const Entry *mask = total_find_whole (numbers, entry->scope, "used-mask");
  struct histo_summary summary;
  Why why;

  if (strcmp (name, "used-bits") == 0 && mask != NULL) {
    total_set_uint (entry, total_count_bits (mask->sum));
    return WHY_NOT;
  }
  why = total_summarize (total, numbers, entry->scope, strcmp (name, "mean") != 0,
                         is_of_values || strcmp (name, "used-bits") == 0, &summary);
  if (why != WHY_NOT)
    return why;
  if (strcmp (name, "mean") == 0)
    total_set_double (entry, summary.mean);
  else if (strcmp (name, "variance") == 0)
    total_set_double (entry, summary.variance);
  else if (strcmp (name, "stddev") == 0)
    total_set_double (entry, summary.stddev);
  else if (strcmp (name, "low") == 0)
    total_set_uint (entry, summary.low);
  else if (strcmp (name, "median") == 0)
    total_set_uint (entry, summary.median);
  else if (strcmp (name, "high") == 0)
    total_set_uint (entry, summary.high);
  else
    total_set_uint (entry, summary.used_bits);
  return WHY_NOT;
}

static Why
total_derive_of_component (const Total *total, const Numbers *numbers, Entry *entry)
{
  const gchar *prefix = g_str_has_prefix (entry->member, "reference-") ? "reference-" : "", *name = entry->rule->name;
  const gdouble peak = (gdouble)((1u << MIN (total->depth, 16)) - 1);
  gdouble quotient;
  Why why;

  if (strcmp (name, "difference") == 0)
    why = total_divide (numbers, entry->scope, prefix, "sad", "difference-count", &quotient);
  else if (strcmp (name, "mse") == 0 || strcmp (name, "psnr") == 0)
    why = total_divide (numbers, entry->scope, prefix, "ssd", "difference-count", &quotient);
  else if (strcmp (name, "histogram-distance") == 0)
    why = total_divide (numbers, entry->scope, prefix, "histogram-distance-moved", "histogram-distance-count", &quotient);
  else
    return total_derive_summary (total, numbers, entry);
  if (why == WHY_NOT)
    total_set_double (entry, strcmp (name, "psnr") == 0 ? 10 * log10 (peak * peak / quotient) : quotient);
  return why;
}

static Why
total_derive_colour (const Numbers *numbers, Entry *entry)
{
  struct histo_colour_summary summary;
  const Why why = total_summarize_colours (numbers, &summary, g_str_has_prefix (entry->name, "hue"));

  if (why != WHY_NOT)
    return why;
  if (strcmp (entry->name, "saturation-min") == 0)
    total_set_uint (entry, summary.saturation_min);
  else if (strcmp (entry->name, "saturation-low") == 0)
    total_set_uint (entry, summary.saturation_low);
  else if (strcmp (entry->name, "saturation-mean") == 0)
    total_set_double (entry, summary.saturation_mean);
  else if (strcmp (entry->name, "saturation-high") == 0)
    total_set_uint (entry, summary.saturation_high);
  else if (strcmp (entry->name, "saturation-max") == 0)
    total_set_uint (entry, summary.saturation_max);
  else if (strcmp (entry->name, "hue-median") == 0)
    total_set_uint (entry, summary.hue_median);
  else
    total_set_double (entry, summary.hue_mean);
  return WHY_NOT;
}

/* x, y, width and height of an extent, of which columns and rows may each have none. */
static void
total_set_rectangle (Entry *entry, const gint64 extent[4], gboolean is_picture)
{
  const guint width = extent[0] <= extent[1] ? (guint)(extent[1] - extent[0] + 1) : 0;
  const guint height = extent[2] <= extent[3] ? (guint)(extent[3] - extent[2] + 1) : 0;
  guint rectangle[] = { width > 0 ? (guint)extent[0] : 0, height > 0 ? (guint)extent[2] : 0, width, height };

  if (is_picture && (width == 0 || height == 0))
    memset (rectangle, 0, sizeof rectangle);
  gst_value_array_init (&entry->value, 4);
  for (guint i = 0; i < 4; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_UINT);
    g_value_set_uint (&number, rectangle[i]);
    gst_value_array_append_and_take_value (&entry->value, &number);
  }
}

static Why
total_derive_of_picture (const Numbers *numbers, Entry *entry)
{
  Wide count, all;
  gdouble quotient;
  gchar *of;
  Why why;

  if (g_str_has_prefix (entry->name, "saturation-") || g_str_has_prefix (entry->name, "hue-"))
    return total_derive_colour (numbers, entry);
  if (strcmp (entry->name, "active-picture") == 0) {
    const Entry *extent = total_find_whole (numbers, PICTURE, "active-extent");

    if (extent == NULL)
      return WHY_LINES;
    total_set_rectangle (entry, extent->extent, TRUE);
    return WHY_NOT;
  }
  if (strcmp (entry->name, "metered-luma") == 0) {
    why = total_divide (numbers, PICTURE, "metered-luma", "-sum", "-weights", &quotient);
    if (why == WHY_NOT)
      total_set_double (entry, quotient);
    return why;
  }
  of = g_strconcat (entry->name, "-count", NULL);
  why = numbers->components->len > 0 && total_find_sum (numbers, PICTURE, of, &count)
                && total_find_sum (numbers, 0, "count", &all) && all > 0
            ? WHY_NOT
            : WHY_LINES;
  g_free (of);
  if (why == WHY_NOT)
    total_set_double (entry, number_round_wide (count) / number_round_wide (all));
  return why;
}

/* Fields that have to be in each result that has another. */
static void
total_check_pairs (Numbers *numbers)
{
  for (guint i = 0; i < numbers->entries->len; i++) {
    Entry *entry = numbers->entries->pdata[i];
    const Entry *pair;
    gchar *name;

    if (entry->rule->need != NEED_PAIR)
      continue;
    name = g_strconcat (g_str_has_prefix (entry->member, "reference-") ? "reference-" : "", entry->rule->pair, NULL);
    pair = total_find_whole (numbers, entry->scope, name);
    if (pair == NULL || pair->added != entry->added)
      total_leave_out (entry, WHY_LINES);
    g_free (name);
  }
}

static void
total_derive (const Total *total, Numbers *numbers)
{
  total_check_pairs (numbers);
  for (guint i = 0; i < numbers->entries->len; i++) {
    Entry *entry = numbers->entries->pdata[i];

    if (entry->rule->rule == RULE_EXTENT && entry->why == WHY_NOT && !G_IS_VALUE (&entry->value))
      total_set_rectangle (entry, entry->extent, FALSE);
    if (entry->rule->rule == RULE_DERIVED && entry->why == WHY_NOT)
      total_leave_out (entry, entry->scope == PICTURE ? total_derive_of_picture (numbers, entry)
                                                      : total_derive_of_component (total, numbers, entry));
  }
}

/* ---- the line --------------------------------------------------------------------------------------------------------- */

static void
total_append_text (GString *text, const gchar *string)
{
  g_string_append_c (text, '"');
  for (; *string != '\0'; string++) {
    if ((guchar)*string < 0x20)
      g_string_append_printf (text, "\\u%04x", (guint)*string);
    else if (*string == '"' || *string == '\\')
      g_string_append_printf (text, "\\%c", *string);
    else
      g_string_append_c (text, *string);
  }
  g_string_append_c (text, '"');
}

static void
total_append_double (GString *text, gdouble number)
{
  gchar *digits = fields_format_double (number);

  if (!isfinite (number))
    g_string_append (text, "null");
  else
    g_string_append_printf (text, "%s%s", digits, strpbrk (digits, ".e") == NULL ? ".0" : "");
  g_free (digits);
}

static gboolean
total_is_time (const gchar *name)
{
  return g_str_has_suffix (name, "-time") || strcmp (name, "timestamp") == 0;
}

static void
total_append_value (GString *text, const gchar *name, const GValue *value)
{
  static const gchar *const members[] = { "{\"x\":", ",\"y\":", ",\"width\":", ",\"height\":" };

  if (G_VALUE_HOLDS_UINT64 (value)) {
    if (total_is_time (name) && !GST_CLOCK_TIME_IS_VALID (g_value_get_uint64 (value)))
      g_string_append (text, "null");
    else
      number_append_wide (text, g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    number_append_wide (text, g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    g_string_append_printf (text, "%d", g_value_get_int (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    total_append_double (text, g_value_get_double (value));
  } else if (G_VALUE_HOLDS_STRING (value)) {
    total_append_text (text, g_value_get_string (value));
  } else if (GST_VALUE_HOLDS_FRACTION (value)) {
    g_string_append_printf (text, "\"%d/%d\"", gst_value_get_fraction_numerator (value),
                            gst_value_get_fraction_denominator (value));
  } else if (GST_VALUE_HOLDS_ARRAY (value)) {
    for (guint i = 0; i < G_N_ELEMENTS (members); i++)
      g_string_append_printf (text, "%s%u", members[i], g_value_get_uint (gst_value_array_get_value (value, i)));
    g_string_append_c (text, '}');
  } else {
    g_string_append (text, "null");
  }
}

static void
total_append_array (GString *text, const Entry *entry)
{
  const gboolean is_table = g_str_equal (entry->rule->name, "waveform") || g_str_equal (entry->rule->name, "vectorscope");
  const gboolean is_signed = g_str_has_suffix (entry->name, "-sums");

  g_string_append_c (text, '[');
  for (gsize i = 0; i < entry->length; i++) {
    if (i > 0)
      g_string_append_c (text, ',');
    if (is_table && i % HISTO_BINS == 0)
      g_string_append_c (text, '[');
    if (is_signed)
      g_string_append_printf (text, "%" G_GINT64_FORMAT, (gint64)entry->array[i]);
    else
      number_append_wide (text, entry->array[i]);
    if (is_table && (i % HISTO_BINS == HISTO_BINS - 1 || i == entry->length - 1))
      g_string_append_c (text, ']');
  }
  g_string_append_c (text, ']');
}

/* What is left out, by why. */
typedef struct {
  GString *names[N_WHY];
} LeftOut;

static void
total_tell (LeftOut *left_out, Why why, const gchar *region, const gchar *name)
{
  if (left_out->names[why] == NULL)
    left_out->names[why] = g_string_new (NULL);
  g_string_append_printf (left_out->names[why], "%s%s%s", left_out->names[why]->len > 0 ? ", " : "", region, name);
}

static void
total_append_name (GString *text, const gchar *name)
{
  const gchar last = text->str[text->len - 1];

  if (last != '{' && last != '[')
    g_string_append_c (text, ',');
  if (name != NULL) {
    total_append_text (text, name);
    g_string_append_c (text, ':');
  }
}

/* The name of the object that the member is in ("saturation", "hue", a component's "reference"), or NULL. */
static const gchar *
total_find_group (const Entry *entry)
{
  if (entry->scope != PICTURE)
    return g_str_has_prefix (entry->member, "reference-") ? "reference" : NULL;
  if (g_str_has_prefix (entry->member, "saturation-"))
    return "saturation";
  return g_str_has_prefix (entry->member, "hue-") ? "hue" : NULL;
}

static void
total_append_span (GString *text, const Total *total, const Entry *entry, LeftOut *left_out)
{
  const gboolean is_duration = strcmp (entry->name, "duration") == 0, is_frames = strcmp (entry->name, "frames") == 0;
  const Why why = is_duration ? total->why_no_duration : is_frames ? total->why_no_frames : WHY_NOT;

  if (why != WHY_NOT) {
    total_tell (left_out, why, "", entry->name);
    return;
  }
  total_append_name (text, entry->name);
  if (is_duration && !GST_CLOCK_TIME_IS_VALID (total->duration))
    g_string_append (text, "null");
  else
    number_append_wide (text, is_duration ? total->duration : is_frames ? total->frames : total->size);
}

/* The members of a scope. */
static void
total_append_scope (GString *text, const Total *total, const Numbers *numbers, gint scope, const gchar *region,
                    LeftOut *left_out)
{
  const gchar *open_group = NULL;

  for (guint i = 0; i < numbers->entries->len; i++) {
    const Entry *entry = numbers->entries->pdata[i];
    const gchar *group = total_find_group (entry), *member = group != NULL ? entry->member + strlen (group) + 1 : entry->member;

    if (entry->scope != scope)
      continue;
    if (entry->why != WHY_NOT) {
      total_tell (left_out, entry->why, region, entry->name);
      continue;
    }
    if (g_strcmp0 (group, open_group) != 0) {
      if (open_group != NULL)
        g_string_append_c (text, '}');
      if (group != NULL) {
        total_append_name (text, group);
        g_string_append_c (text, '{');
      }
      open_group = group;
    }
    if (entry->rule->rule == RULE_SPAN) {
      total_append_span (text, total, entry, left_out);
      continue;
    }
    if (entry->array == NULL && !G_IS_VALUE (&entry->value) && entry->rule->rule >= RULE_EXTENT)
      continue; /* a field of the first result that it did not have */
    total_append_name (text, member);
    if (entry->array != NULL)
      total_append_array (text, entry);
    else if (G_IS_VALUE (&entry->value))
      total_append_value (text, entry->name, &entry->value);
    else
      number_append_wide (text, entry->sum);
  }
  if (open_group != NULL)
    g_string_append_c (text, '}');
}

static void
total_append_numbers (GString *text, const Total *total, Numbers *numbers, const gchar *region, LeftOut *left_out)
{
  total_derive (total, numbers);
  total_append_scope (text, total, numbers, PICTURE, region, left_out);
  total_append_name (text, "components");
  g_string_append_c (text, '{');
  for (guint c = 0; c < numbers->components->len; c++) {
    total_append_name (text, g_array_index (numbers->components, Component, c).name);
    g_string_append_c (text, '{');
    total_append_scope (text, total, numbers, (gint)c, region, left_out);
    g_string_append_c (text, '}');
  }
  g_string_append_c (text, '}');
}

static void
total_append_regions (GString *text, const Total *total, LeftOut *left_out)
{
  if (total->why_no_regions != WHY_NOT) {
    total_tell (left_out, total->why_no_regions, "", "regions");
    return;
  }
  if (total->regions->len == 0)
    return;
  total_append_name (text, "regions");
  g_string_append_c (text, '[');
  for (guint i = 0; i < total->regions->len; i++) {
    gchar *region = g_strdup_printf ("region %u ", i);

    total_append_name (text, NULL);
    g_string_append_c (text, '{');
    total_append_numbers (text, total, total->regions->pdata[i], region, left_out);
    g_string_append_c (text, '}');
    g_free (region);
  }
  g_string_append_c (text, ']');
}

gchar *
total_to_line (Total *total, GPtrArray *missing)
{
  GString *text = g_string_new ("{");
  LeftOut left_out = { { NULL } };

  total_append_name (text, "cudahisto");
  number_append_wide (text, SCHEMA_VERSION);
  total_append_numbers (text, total, total->picture, "", &left_out);
  total_append_regions (text, total, &left_out);
  g_string_append (text, "}\n");
  for (guint why = 0; why < N_WHY; why++) {
    if (left_out.names[why] == NULL)
      continue;
    g_ptr_array_add (missing, g_strdup_printf ("%s left out, since %s", left_out.names[why]->str, sentences[why]));
    g_string_free (left_out.names[why], TRUE);
  }
  return g_string_free (text, FALSE);
}
