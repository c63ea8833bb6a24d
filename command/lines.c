/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#define BLOCK_BYTES (256 * 1024)
#define MAX_LINE_BYTES (256 * 1024 * 1024) /* three waveforms of 16384 columns are some 60 MiB */
#define MAX_LEVELS 16                      /* a line has at most 8: a waveform's column in a component in a region */
#define MAX_FIELDS 1024                    /* of a result, or of a region */
#define MAX_NAMES 8192                     /* of fields, in all lines: names of fields are kept for good */
#define MAX_REGIONS 4096
#define MAX_DIGITS 400 /* of a number; a double has at most 309 before its point */

typedef enum {
  TYPE_ANY, /* as it is written: an unsigned integer, or what it takes */
  TYPE_STRING,
  TYPE_INT,
  TYPE_UINT,
  TYPE_UINT64,
  TYPE_TIME, /* null: unknown */
  TYPE_DOUBLE,
  TYPE_PSNR, /* a double; null: infinite */
  TYPE_FRACTION,
  TYPE_RECTANGLE,
  TYPE_ARRAY,
  TYPE_GROUP /* an object of fields, or an array of such */
} FieldType;

/* Members by their own names, wherever they are. What is not among them comes from a later version, and has TYPE_ANY. */
static const struct {
  const gchar *name;
  FieldType type;
} types[] = {
  { "active-extent", TYPE_RECTANGLE },
  { "active-picture", TYPE_RECTANGLE },
  { "backend", TYPE_STRING },
  { "colorimetry", TYPE_STRING },
  { "column-sums", TYPE_ARRAY },
  { "components", TYPE_GROUP },
  { "count", TYPE_UINT64 },
  { "crop", TYPE_RECTANGLE },
  { "depth", TYPE_UINT },
  { "difference", TYPE_DOUBLE },
  { "difference-count", TYPE_UINT64 },
  { "dot-count", TYPE_UINT64 },
  { "duration", TYPE_TIME },
  { "element", TYPE_STRING },
  { "end", TYPE_TIME },
  { "end-running-time", TYPE_TIME },
  { "ended-by", TYPE_STRING },
  { "event", TYPE_STRING },
  { "format", TYPE_STRING },
  { "frame", TYPE_UINT64 },
  { "framerate", TYPE_FRACTION },
  { "frames", TYPE_UINT64 },
  { "height", TYPE_UINT },
  { "high", TYPE_UINT },
  { "histogram", TYPE_ARRAY },
  { "histogram-distance", TYPE_DOUBLE },
  { "histogram-distance-count", TYPE_UINT64 },
  { "histogram-distance-moved", TYPE_UINT64 },
  { "hue", TYPE_GROUP },
  { "id", TYPE_INT },
  { "low", TYPE_UINT },
  { "max", TYPE_UINT },
  { "mean", TYPE_DOUBLE },
  { "median", TYPE_UINT },
  { "metered-luma", TYPE_DOUBLE },
  { "min", TYPE_UINT },
  { "mse", TYPE_DOUBLE },
  { "offset", TYPE_UINT64 },
  { "out-of-gamut", TYPE_DOUBLE },
  { "out-of-range", TYPE_DOUBLE },
  { "outliers", TYPE_DOUBLE },
  { "parent-id", TYPE_INT },
  { "psnr", TYPE_PSNR },
  { "range", TYPE_STRING },
  { "reference", TYPE_GROUP },
  { "reference-clock", TYPE_STRING },
  { "reference-time", TYPE_UINT64 },
  { "regions", TYPE_GROUP },
  { "repeats", TYPE_DOUBLE },
  { "row-sums", TYPE_ARRAY },
  { "running-time", TYPE_TIME },
  { "sad", TYPE_UINT64 },
  { "saturation", TYPE_GROUP },
  { "size", TYPE_UINT64 },
  { "start", TYPE_TIME },
  { "stddev", TYPE_DOUBLE },
  { "stream-time", TYPE_TIME },
  { "sum", TYPE_UINT64 },
  { "threshold", TYPE_DOUBLE },
  { "timecode", TYPE_STRING },
  { "timestamp", TYPE_TIME },
  { "type", TYPE_STRING },
  { "used-bits", TYPE_UINT },
  { "used-mask", TYPE_UINT },
  { "utc-time", TYPE_STRING },
  { "value", TYPE_DOUBLE },
  { "variance", TYPE_DOUBLE },
  { "vectorscope", TYPE_ARRAY },
  { "waveform", TYPE_ARRAY },
  { "width", TYPE_UINT },
  { "x", TYPE_UINT },
  { "y", TYPE_UINT },
};

/* A field of the structures. */
typedef struct {
  FieldType type;
  guint place; /* of a rectangle's member: 0 to 3; others: 4 */
  gchar name[];
} Field;

typedef enum {
  LEVEL_RESULT,     /* the line's object */
  LEVEL_COMPONENTS, /* its `components`, or a region's, whose members are objects */
  LEVEL_OBJECT,     /* any other: the names of its members follow its own */
  LEVEL_RECTANGLE,  /* whose members are those of one field */
  LEVEL_REGIONS,    /* an array of objects */
  LEVEL_REGION,     /* each of these */
  LEVEL_NUMBERS,    /* an array of numbers, or of such arrays */
  LEVEL_OTHER       /* something that is not read */
} LevelKind;

typedef struct {
  LevelKind kind;
  gsize prefix_length; /* what the names of the members begin with */
} Level;

struct _Lines {
  gchar *path, *name;
  int fd;
  gboolean is_file; /* it has a length, and can be read again */
  gboolean is_over; /* it is none, and nobody writes to it any more */
  int flags;        /* of its description, to be set again; -1: they have not been changed */

  gchar *data; /* a part of the file: [begin, end) was read and not returned, [begin, scanned) has no newline */
  gsize size, begin, scanned, end;
  gint64 position; /* of data[begin] */
  guint64 number;
  gboolean is_skipping; /* the rest of a line that was refused before its end */
  gboolean is_torn;
  gboolean has_failed;

  GHashTable *fields; /* name: Field */

  /* The line that is being parsed. */
  GstStructure *result, *region;
  GPtrArray *regions;    /* of GstStructure */
  GPtrArray *components; /* names, those of fields; the last one is NULL when the line is whole */
  Level levels[MAX_LEVELS];
  guint n_levels;
  GString *key; /* the prefix of the level, and the name of the member whose value comes */
  const Field *field;
  guint64 *numbers; /* of the array that is being read */
  gsize n_numbers, numbers_size;
  guint rectangle[4], rectangle_members;
  guint64 version;
  gboolean has_version, has_components;
  gboolean is_premature; /* its end is missing, and nothing else is wrong with it so far */
  gchar *fault;          /* why it is none of a sidecar */
};

GQuark
lines_fault_quark (void)
{
  return g_quark_from_static_string ("cudahisto-lines-fault");
}

/* ---- a line's values -------------------------------------------------------------------------------------------------- */

static void lines_refuse (Lines *lines, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* The first reason stands. */
static void
lines_refuse (Lines *lines, const gchar *format, ...)
{
  va_list arguments;

  if (lines->fault != NULL)
    return;
  va_start (arguments, format);
  lines->fault = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

static Level *
lines_get_level (Lines *lines)
{
  return &lines->levels[lines->n_levels - 1];
}

static FieldType
lines_find_type (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    if (strcmp (types[i].name, name) == 0)
      return types[i].type;
  }
  return TYPE_ANY;
}

static guint
lines_find_place (const gchar *name)
{
  static const gchar *const names[] = { "x", "y", "width", "height" };
  guint place;

  for (place = 0; place < G_N_ELEMENTS (names); place++) {
    if (strcmp (names[place], name) == 0)
      break;
  }
  return place;
}

/* The field whose name is in `key`, behind the prefix. NULL: there are too many names. */
static const Field *
lines_find_field (Lines *lines, gsize prefix_length)
{
  Field *field = g_hash_table_lookup (lines->fields, lines->key->str);

  if (field == NULL && g_hash_table_size (lines->fields) < MAX_NAMES) {
    field = g_malloc (sizeof *field + lines->key->len + 1);
    field->type = lines_find_type (lines->key->str + prefix_length);
    field->place = lines_find_place (lines->key->str + prefix_length);
    memcpy (field->name, lines->key->str, lines->key->len + 1);
    g_hash_table_insert (lines->fields, field->name, field);
  }
  return field;
}

/* Takes the value as that of the field that comes. */
static void
lines_take_value (Lines *lines, GValue *value)
{
  GstStructure *structure = lines->region != NULL ? lines->region : lines->result;
  const gchar *name = lines->field->name;

  if (gst_structure_n_fields (structure) >= MAX_FIELDS)
    lines_refuse (lines, "it has more than %d fields", MAX_FIELDS);
  else if (gst_structure_has_field (structure, name))
    lines_refuse (lines, "it has two of `%s`", name);
  else {
    gst_structure_take_value (structure, name, value);
    return;
  }
  g_value_unset (value);
}

static void
lines_take_string (Lines *lines, const gchar *text, gsize length)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_take_string (&value, g_strndup (text, length));
  lines_take_value (lines, &value);
}

static void
lines_take_uint64 (Lines *lines, guint64 number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT64);
  g_value_set_uint64 (&value, number);
  lines_take_value (lines, &value);
}

static void
lines_take_double (Lines *lines, gdouble number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, number);
  lines_take_value (lines, &value);
}

/* "30000/1001" */
static void
lines_take_fraction (Lines *lines, const gchar *text, gsize length)
{
  GValue value = G_VALUE_INIT;
  gchar copy[32], *slash, *end = NULL;
  gint64 numerator, denominator = 0;

  if (length >= sizeof copy) {
    lines_refuse (lines, "`%s` should be a fraction", lines->field->name);
    return;
  }
  memcpy (copy, text, length);
  copy[length] = '\0';
  numerator = g_ascii_strtoll (copy, &slash, 10);
  if (slash != copy && *slash == '/' && g_ascii_isdigit (slash[1]))
    denominator = g_ascii_strtoll (slash + 1, &end, 10);
  if (end != copy + length || numerator < 0 || numerator > G_MAXINT || denominator < 1 || denominator > G_MAXINT) {
    lines_refuse (lines, "`%s` should be a fraction", lines->field->name);
    return;
  }
  g_value_init (&value, GST_TYPE_FRACTION);
  gst_value_set_fraction (&value, (gint)numerator, (gint)denominator);
  lines_take_value (lines, &value);
}

/* FALSE: it is no whole number from 0 to 2^64 - 1. */
static gboolean
lines_parse_uint64 (const gchar *text, gsize length, guint64 *number)
{
  guint64 sum = 0;

  if (length == 0 || length > 20)
    return FALSE;
  for (gsize i = 0; i < length; i++) {
    const guint digit = (guint)((guchar)text[i] - '0');

    if (digit > 9)
      return FALSE;
    /* Twenty digits may be too many. */
    if (i == 19 && (sum > G_MAXUINT64 / 10 || (sum == G_MAXUINT64 / 10 && digit > G_MAXUINT64 % 10)))
      return FALSE;
    sum = sum * 10 + digit;
  }
  *number = sum;
  return TRUE;
}

static gboolean
lines_parse_int64 (const gchar *text, gsize length, gint64 *number)
{
  const gboolean is_negative = length > 0 && text[0] == '-';
  guint64 size;

  if (!lines_parse_uint64 (text + is_negative, length - is_negative, &size) || size > (guint64)G_MAXINT64 + is_negative)
    return FALSE;
  *number = (gint64)(is_negative ? -size : size);
  return TRUE;
}

static gboolean
lines_is_whole (const gchar *text, gsize length)
{
  for (gsize i = text[0] == '-' ? 1 : 0; i < length; i++) {
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
  }
  return TRUE;
}

static gdouble
lines_parse_double (const gchar *text, gsize length)
{
  gchar copy[MAX_DIGITS + 1];

  memcpy (copy, text, length);
  copy[length] = '\0';
  return g_ascii_strtod (copy, NULL);
}

/* A number for a field of any type, as it is written. */
static void
lines_take_number (Lines *lines, const gchar *text, gsize length)
{
  GValue value = G_VALUE_INIT;
  guint64 number;
  gint64 signed_number;

  if (lines_parse_uint64 (text, length, &number)) {
    lines_take_uint64 (lines, number);
  } else if (lines_parse_int64 (text, length, &signed_number)) {
    g_value_init (&value, G_TYPE_INT64);
    g_value_set_int64 (&value, signed_number);
    lines_take_value (lines, &value);
  } else if (lines_is_whole (text, length)) {
    lines_take_string (lines, text, length);
  } else {
    lines_take_double (lines, lines_parse_double (text, length));
  }
}

static void
lines_take_number_of_type (Lines *lines, const gchar *text, gsize length)
{
  const gchar *name = lines->field->name;
  GValue value = G_VALUE_INIT;
  guint64 number = 0;
  gint64 signed_number;
  gdouble real;

  switch (lines->field->type) {
  case TYPE_UINT:
    if (!lines_parse_uint64 (text, length, &number) || number > G_MAXUINT) {
      lines_refuse (lines, "`%s` should be a whole number of at most 32 bits", name);
      return;
    }
    g_value_init (&value, G_TYPE_UINT);
    g_value_set_uint (&value, (guint)number);
    lines_take_value (lines, &value);
    return;
  case TYPE_INT:
    if (!lines_parse_int64 (text, length, &signed_number) || signed_number < G_MININT || signed_number > G_MAXINT) {
      lines_refuse (lines, "`%s` should be a whole number of at most 32 bits", name);
      return;
    }
    g_value_init (&value, G_TYPE_INT);
    g_value_set_int (&value, (gint)signed_number);
    lines_take_value (lines, &value);
    return;
  case TYPE_UINT64:
  case TYPE_TIME:
    if (lines_parse_uint64 (text, length, &number))
      lines_take_uint64 (lines, number);
    else
      lines_refuse (lines, "`%s` should be a whole number of at most 64 bits", name);
    return;
  case TYPE_DOUBLE:
  case TYPE_PSNR:
    real = lines_parse_double (text, length);
    if (isfinite (real))
      lines_take_double (lines, real);
    else
      lines_refuse (lines, "`%s` is too large", name);
    return;
  case TYPE_ANY:
    lines_take_number (lines, text, length);
    return;
  default:
    lines_refuse (lines, "`%s` should not be a number", name);
  }
}

static void
lines_take_rectangle (Lines *lines)
{
  GValue value = G_VALUE_INIT;

  if (lines->rectangle_members != 0xf) {
    lines_refuse (lines, "`%s` should have x, y, width and height", lines->field->name);
    return;
  }
  gst_value_array_init (&value, 4);
  for (guint i = 0; i < 4; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_UINT);
    g_value_set_uint (&number, lines->rectangle[i]);
    gst_value_array_append_and_take_value (&value, &number);
  }
  lines_take_value (lines, &value);
}

/* As messages have them packed. */
static void
lines_take_array (Lines *lines)
{
  GValue value = G_VALUE_INIT;

  for (gsize i = 0; i < lines->n_numbers; i++)
    lines->numbers[i] = GUINT64_TO_LE (lines->numbers[i]);
  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, g_bytes_new (lines->numbers, lines->n_numbers * sizeof *lines->numbers));
  lines_take_value (lines, &value);
}

static void
lines_take_regions (Lines *lines)
{
  GValue regions = G_VALUE_INIT;

  gst_value_array_init (&regions, lines->regions->len);
  for (guint i = 0; i < lines->regions->len; i++) {
    GValue region = G_VALUE_INIT;

    g_value_init (&region, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&region, lines->regions->pdata[i]);
    lines->regions->pdata[i] = NULL;
    gst_value_array_append_and_take_value (&regions, &region);
  }
  g_ptr_array_set_size (lines->regions, 0);
  gst_structure_take_value (lines->result, "regions", &regions);
}

static void
lines_append_number (Lines *lines, const gchar *text, gsize length)
{
  guint64 number;
  gint64 signed_number;

  if (!lines_parse_uint64 (text, length, &number)) {
    if (!lines_parse_int64 (text, length, &signed_number)) {
      lines_refuse (lines, "`%s` should have whole numbers of at most 64 bits", lines->field->name);
      return;
    }
    number = (guint64)signed_number;
  }
  if (lines->n_numbers == lines->numbers_size) {
    lines->numbers_size = MAX (1024, lines->numbers_size * 2);
    lines->numbers = g_renew (guint64, lines->numbers, lines->numbers_size);
  }
  lines->numbers[lines->n_numbers++] = number;
}

static void
lines_set_rectangle_member (Lines *lines, const gchar *text, gsize length)
{
  const guint place = lines_find_place (lines->key->str + lines_get_level (lines)->prefix_length);
  guint64 number;

  if (place >= G_N_ELEMENTS (lines->rectangle))
    return;
  if (!lines_parse_uint64 (text, length, &number) || number > G_MAXUINT || (lines->rectangle_members & 1u << place) != 0) {
    lines_refuse (lines, "`%s` should have x, y, width and height", lines->field->name);
    return;
  }
  lines->rectangle[place] = (guint)number;
  lines->rectangle_members |= 1u << place;
}

/* ---- what the parser calls -------------------------------------------------------------------------------------------- */

/* Whether the level has members whose values are fields. */
static gboolean
lines_has_fields (const Level *level)
{
  return level->kind == LEVEL_RESULT || level->kind == LEVEL_OBJECT || level->kind == LEVEL_REGION;
}

static gboolean
lines_is_version (Lines *lines)
{
  return lines->n_levels == 1 && strcmp (lines->key->str, "cudahisto") == 0;
}

/* A value that is neither an object nor an array, and no number. FALSE: there is nothing more to do with it. */
static gboolean
lines_begin_value (Lines *lines, const gchar *what)
{
  Level *level;

  if (lines->n_levels == 0) {
    lines_refuse (lines, "it is %s, and no object", what);
    return FALSE;
  }
  level = lines_get_level (lines);
  if (lines->fault != NULL || level->kind == LEVEL_OTHER)
    return FALSE;
  if (lines_is_version (lines)) {
    lines_refuse (lines, "`cudahisto` should be the version of the format");
    return FALSE;
  }
  if (lines_has_fields (level))
    return TRUE;
  lines_refuse (lines, "%s is where none should be", what);
  return FALSE;
}

static int
lines_on_null (void *data)
{
  Lines *lines = data;

  if (!lines_begin_value (lines, "null"))
    return 1;
  if (lines->field->type == TYPE_TIME)
    lines_take_uint64 (lines, GST_CLOCK_TIME_NONE);
  else if (lines->field->type == TYPE_PSNR)
    lines_take_double (lines, INFINITY);
  else if (lines->field->type != TYPE_ANY)
    lines_refuse (lines, "`%s` should not be null", lines->field->name);
  return 1;
}

static int
lines_on_boolean (void *data, int boolean)
{
  Lines *lines = data;
  GValue value = G_VALUE_INIT;

  if (!lines_begin_value (lines, "a boolean"))
    return 1;
  if (lines->field->type != TYPE_ANY) {
    lines_refuse (lines, "`%s` should not be a boolean", lines->field->name);
    return 1;
  }
  g_value_init (&value, G_TYPE_BOOLEAN);
  g_value_set_boolean (&value, boolean != 0);
  lines_take_value (lines, &value);
  return 1;
}

static int
lines_on_string (void *data, const unsigned char *text, size_t length)
{
  Lines *lines = data;

  if (!lines_begin_value (lines, "a text"))
    return 1;
  if (memchr (text, '\0', length) != NULL)
    lines_refuse (lines, "`%s` has a character U+0000", lines->field->name);
  else if (lines->field->type == TYPE_FRACTION)
    lines_take_fraction (lines, (const gchar *)text, length);
  else if (lines->field->type == TYPE_STRING || lines->field->type == TYPE_ANY)
    lines_take_string (lines, (const gchar *)text, length);
  else
    lines_refuse (lines, "`%s` should not be a text", lines->field->name);
  return 1;
}

static int
lines_on_number (void *data, const char *text, size_t length)
{
  Lines *lines = data;
  Level *level;

  if (lines->n_levels == 0) {
    lines_refuse (lines, "it is a number, and no object");
    return 1;
  }
  if (lines_is_version (lines)) {
    if (lines->has_version || !lines_parse_uint64 (text, length, &lines->version))
      lines_refuse (lines, "`cudahisto` should be the version of the format");
    lines->has_version = TRUE;
    return 1;
  }
  level = lines_get_level (lines);
  if (lines->fault != NULL || level->kind == LEVEL_OTHER)
    return 1;
  if (length > MAX_DIGITS)
    lines_refuse (lines, "it has a number of %" G_GSIZE_FORMAT " digits", length);
  else if (level->kind == LEVEL_NUMBERS)
    lines_append_number (lines, text, length);
  else if (level->kind == LEVEL_RECTANGLE)
    lines_set_rectangle_member (lines, text, length);
  else if (lines_has_fields (level))
    lines_take_number_of_type (lines, text, length);
  else
    lines_refuse (lines, "a number is where none should be");
  return 1;
}

/* 0, which ends the parsing: it goes too deep. */
static int
lines_push (Lines *lines, LevelKind kind, gsize prefix_length)
{
  if (lines->n_levels == MAX_LEVELS) {
    lines_refuse (lines, "it is nested deeper than any line of cudahisto");
    return 0;
  }
  lines->levels[lines->n_levels++] = (Level){ kind, prefix_length };
  return 1;
}

static int
lines_begin_region (Lines *lines)
{
  if (lines->regions->len == MAX_REGIONS) {
    lines_refuse (lines, "it has more than %d regions", MAX_REGIONS);
    return lines_push (lines, LEVEL_OTHER, 0);
  }
  lines->region = gst_structure_new_empty ("region");
  return lines_push (lines, LEVEL_REGION, 0);
}

static int
lines_begin_components (Lines *lines)
{
  if (lines->region == NULL) {
    if (lines->has_components)
      lines_refuse (lines, "it has two of `components`");
    lines->has_components = TRUE;
  }
  return lines_push (lines, LEVEL_COMPONENTS, 0);
}

static int
lines_on_start_map (void *data)
{
  Lines *lines = data;
  Level *level;

  if (lines->n_levels == 0)
    return lines_push (lines, LEVEL_RESULT, 0);
  level = lines_get_level (lines);
  if (lines->fault != NULL || level->kind == LEVEL_OTHER)
    return lines_push (lines, LEVEL_OTHER, 0);
  if (level->kind == LEVEL_REGIONS)
    return lines_begin_region (lines);
  if (level->kind == LEVEL_NUMBERS || level->kind == LEVEL_RECTANGLE || lines_is_version (lines)
      || (level->kind != LEVEL_COMPONENTS && lines->field->type != TYPE_ANY && lines->field->type != TYPE_GROUP
          && lines->field->type != TYPE_RECTANGLE)) {
    lines_refuse (lines, "an object is where none should be");
    return lines_push (lines, LEVEL_OTHER, 0);
  }
  if ((level->kind == LEVEL_RESULT || level->kind == LEVEL_REGION) && strcmp (lines->key->str, "components") == 0)
    return lines_begin_components (lines);
  if (level->kind != LEVEL_COMPONENTS && lines->field->type == TYPE_RECTANGLE) {
    lines->rectangle_members = 0;
    return lines_push (lines, LEVEL_RECTANGLE, lines->key->len);
  }
  g_string_append_c (lines->key, '-');
  return lines_push (lines, LEVEL_OBJECT, lines->key->len);
}

static int
lines_on_map_key (void *data, const unsigned char *text, size_t length)
{
  Lines *lines = data;
  const Level *level = lines_get_level (lines);

  if (level->kind == LEVEL_OTHER)
    return 1;
  if (length > 256 || memchr (text, '\0', length) != NULL) {
    lines_refuse (lines, "it has a member of a name that no field has");
    length = 0;
  }
  g_string_truncate (lines->key, level->prefix_length);
  g_string_append_len (lines->key, (const gchar *)text, (gssize)length);
  if (lines->fault != NULL || level->kind == LEVEL_RECTANGLE)
    return 1;
  lines->field = lines_find_field (lines, level->prefix_length);
  if (lines->field == NULL)
    lines_refuse (lines, "the file has had more than %d names of fields", MAX_NAMES);
  else if (level->kind == LEVEL_COMPONENTS && lines->region == NULL)
    g_ptr_array_add (lines->components, (gpointer)lines->field->name);
  return 1;
}

static int
lines_on_end_map (void *data)
{
  Lines *lines = data;
  const Level *level = lines_get_level (lines);

  if (level->kind == LEVEL_RECTANGLE && lines->fault == NULL)
    lines_take_rectangle (lines);
  if (level->kind == LEVEL_REGION) {
    g_ptr_array_add (lines->regions, lines->region);
    lines->region = NULL;
  }
  lines->n_levels--;
  return 1;
}

static int
lines_on_start_array (void *data)
{
  Lines *lines = data;
  Level *level;

  if (lines->n_levels == 0) {
    lines_refuse (lines, "it is an array, and no object");
    return lines_push (lines, LEVEL_OTHER, 0);
  }
  level = lines_get_level (lines);
  if (lines->fault != NULL || level->kind == LEVEL_OTHER)
    return lines_push (lines, LEVEL_OTHER, 0);
  if (level->kind == LEVEL_NUMBERS)
    return lines_push (lines, LEVEL_NUMBERS, 0);
  if (level->kind == LEVEL_RESULT && strcmp (lines->key->str, "regions") == 0) {
    if (lines->regions->len > 0)
      lines_refuse (lines, "it has two of `regions`");
    return lines_push (lines, LEVEL_REGIONS, 0);
  }
  if (!lines_has_fields (level) || lines_is_version (lines)
      || (lines->field->type != TYPE_ANY && lines->field->type != TYPE_ARRAY)) {
    lines_refuse (lines, "an array is where none should be");
    return lines_push (lines, LEVEL_OTHER, 0);
  }
  lines->n_numbers = 0;
  return lines_push (lines, LEVEL_NUMBERS, 0);
}

static int
lines_on_end_array (void *data)
{
  Lines *lines = data;

  lines->n_levels--;
  if (lines->fault == NULL && lines->levels[lines->n_levels].kind == LEVEL_NUMBERS && lines->n_levels > 0
      && lines_get_level (lines)->kind != LEVEL_NUMBERS)
    lines_take_array (lines);
  return 1;
}

static const yajl_callbacks callbacks = {
  .yajl_null = lines_on_null,
  .yajl_boolean = lines_on_boolean,
  .yajl_number = lines_on_number,
  .yajl_string = lines_on_string,
  .yajl_start_map = lines_on_start_map,
  .yajl_map_key = lines_on_map_key,
  .yajl_end_map = lines_on_end_map,
  .yajl_start_array = lines_on_start_array,
  .yajl_end_array = lines_on_end_array,
};

/* ---- a line ----------------------------------------------------------------------------------------------------------- */

static void
lines_free_region (gpointer region)
{
  if (region != NULL)
    gst_structure_free (region);
}

static void
lines_forget_line (Lines *lines)
{
  g_clear_pointer (&lines->result, gst_structure_free);
  g_clear_pointer (&lines->region, gst_structure_free);
  g_ptr_array_set_size (lines->regions, 0);
  g_ptr_array_set_size (lines->components, 0);
  lines->n_levels = 0;
  lines->field = NULL;
  lines->has_version = lines->has_components = lines->is_premature = FALSE;
  lines->version = LINES_VERSION;
  g_string_truncate (lines->key, 0);
  g_clear_pointer (&lines->fault, g_free);
}

/* The parser's own words for what is no JSON, without their full stop and newline. */
static gchar *
lines_describe_error (yajl_handle parser)
{
  unsigned char *text = yajl_get_error (parser, 0, NULL, 0);
  gchar *words = g_strdup (text != NULL ? (const gchar *)text : "");
  gsize length;

  yajl_free_error (parser, text);
  g_strstrip (words);
  length = strlen (words);
  if (length > 0 && words[length - 1] == '.')
    words[length - 1] = '\0';
  return words;
}

/* What the line is, now that it was parsed. FALSE: *error is set. */
static gboolean
lines_judge (Lines *lines, GError **error)
{
  if (lines->version != LINES_VERSION) {
    g_set_error (error, LINES_FAULT, LINES_FAULT_VERSION,
                 "%s: line %" G_GUINT64_FORMAT " is of version %" G_GUINT64_FORMAT
                 " of the format, and this cudahisto knows version %d: a later one reads it",
                 lines->name, lines->number, lines->version, LINES_VERSION);
    return FALSE;
  }
  if (lines->fault == NULL && !gst_structure_has_field (lines->result, "event")) {
    if (!lines->has_components)
      lines_refuse (lines, "it has neither `components` nor `event`");
    else if (!gst_structure_has_field (lines->result, "frame") || !gst_structure_has_field (lines->result, "frames"))
      lines_refuse (lines, "it has no `frame` and `frames`");
  }
  if (lines->fault == NULL)
    return TRUE;
  g_set_error (error, LINES_FAULT, LINES_FAULT_LINE, "%s: line %" G_GUINT64_FORMAT " is not one of a sidecar of cudahisto: %s",
               lines->name, lines->number, lines->fault);
  return FALSE;
}

static LinesKind
lines_parse (Lines *lines, const gchar *text, gsize length, GstStructure **structure, GError **error)
{
  yajl_handle parser;
  yajl_status status;
  LinesKind kind = LINES_ERROR;

  lines_forget_line (lines);
  lines->result = gst_structure_new_empty ("cudahisto");
  parser = yajl_alloc (&callbacks, NULL, lines);
  status = yajl_parse (parser, (const unsigned char *)text, length);
  if (status == yajl_status_ok) {
    const gboolean is_sound = lines->fault == NULL;

    status = yajl_complete_parse (parser);
    lines->is_premature = status != yajl_status_ok && is_sound;
  }
  if (status == yajl_status_error) {
    gchar *words = lines_describe_error (parser);

    g_set_error (error, LINES_FAULT, LINES_FAULT_LINE, "%s: line %" G_GUINT64_FORMAT " is not JSON: %s", lines->name,
                 lines->number, words);
    g_free (words);
  } else if (lines_judge (lines, error)) {
    if (gst_structure_has_field (lines->result, "event")) {
      gst_structure_set_name (lines->result, "cudahisto-event");
      kind = LINES_EVENT;
    } else {
      if (lines->regions->len > 0)
        lines_take_regions (lines);
      g_ptr_array_add (lines->components, NULL);
      kind = LINES_RESULT;
    }
    *structure = g_steal_pointer (&lines->result);
  }
  yajl_free (parser);
  return kind;
}

/* ---- the file --------------------------------------------------------------------------------------------------------- */

static gboolean
lines_is_space (gchar character)
{
  return character == ' ' || character == '\t' || character == '\r';
}

static gboolean
lines_is_blank (const gchar *text, gsize length)
{
  for (gsize i = 0; i < length; i++) {
    if (!lines_is_space (text[i]))
      return FALSE;
  }
  return TRUE;
}

/* Makes room for another block behind what was read. FALSE: the line is too long. */
static gboolean
lines_make_room (Lines *lines)
{
  if (lines->begin > 0) {
    memmove (lines->data, lines->data + lines->begin, lines->end - lines->begin);
    lines->scanned -= lines->begin;
    lines->end -= lines->begin;
    lines->begin = 0;
  }
  if (lines->size - lines->end >= BLOCK_BYTES)
    return TRUE;
  if (lines->size >= MAX_LINE_BYTES)
    return FALSE;
  lines->size = MIN (MAX (lines->size * 2, 2 * BLOCK_BYTES), MAX_LINE_BYTES + BLOCK_BYTES);
  lines->data = g_realloc (lines->data, lines->size);
  return TRUE;
}

typedef enum { FILL_MORE, FILL_END, FILL_FAILED } Fill;

static Fill
lines_fill (Lines *lines, GError **error)
{
  const gssize length = read (lines->fd, lines->data + lines->end, lines->size - lines->end);

  if (length > 0) {
    lines->end += (gsize)length;
    return FILL_MORE;
  }
  if (length == 0 && !lines->is_file)
    lines->is_over = TRUE;
  if (length == 0 || errno == EINTR || errno == EAGAIN)
    return FILL_END;
  lines->has_failed = TRUE;
  g_set_error (error, LINES_FAULT, LINES_FAULT_READ, "%s cannot be read on after line %" G_GUINT64_FORMAT ": %s", lines->name,
               lines->number, g_strerror (errno));
  return FILL_FAILED;
}

/* Passes over `length` bytes. */
static void
lines_advance (Lines *lines, gsize length)
{
  lines->begin += length;
  lines->position += (gint64)length;
  lines->scanned = MAX (lines->scanned, lines->begin);
}

/* The file's first bytes, of which there are three or all: passes over a byte order mark. FALSE: it is none of lines of
 * UTF-8. */
static gboolean
lines_check_start (Lines *lines, GError **error)
{
  const gchar *start = lines->data + lines->begin;
  const gsize length = lines->end - lines->begin;
  const gchar *what = NULL;

  if (length >= 3 && memcmp (start, "\xef\xbb\xbf", 3) == 0)
    lines_advance (lines, 3);
  else if (length >= 2 && (memcmp (start, "\xff\xfe", 2) == 0 || memcmp (start, "\xfe\xff", 2) == 0))
    what = "is UTF-16, as the > of PowerShell writes it, and lines of cudahisto are UTF-8: convert it with iconv";
  else if (length >= 2 && memcmp (start, "\x1f\x8b", 2) == 0)
    what = "is compressed: unpack it first, as in `zcat FILE | cudahisto show -`";
  if (what == NULL)
    return TRUE;
  lines->has_failed = TRUE;
  g_set_error (error, LINES_FAULT, LINES_FAULT_TEXT, "%s %s", lines->name, what);
  return FALSE;
}

/* What follows the last newline, at the end of the file: a whole line whose newline is missing, something that is no beginning
 * of one, or LINES_END. */
static LinesKind
lines_end (Lines *lines, GstStructure **structure, GError **error)
{
  const gsize length = lines->end - lines->begin;
  GError *reason = NULL;
  LinesKind kind;

  lines->is_torn = FALSE;
  if (lines->is_skipping || lines_is_blank (lines->data + lines->begin, length))
    return LINES_END;
  lines->number++;
  kind = lines_parse (lines, lines->data + lines->begin, length, structure, &reason);
  if (kind == LINES_ERROR && lines->is_premature) {
    g_error_free (reason);
    lines->number--;
    lines->is_torn = TRUE;
    return LINES_END;
  }
  if (kind == LINES_ERROR)
    g_propagate_error (error, reason);
  lines->is_skipping = TRUE; /* its newline may follow */
  lines_advance (lines, length);
  return kind;
}

/* Reads on until there is a newline. LINES_RESULT: it is at *newline in the data. */
static LinesKind
lines_find_newline (Lines *lines, gsize *newline, GError **error)
{
  for (;;) {
    const gchar *found = NULL;

    if (lines->end > lines->scanned)
      found = memchr (lines->data + lines->scanned, '\n', lines->end - lines->scanned);
    if (found != NULL) {
      *newline = (gsize)(found - lines->data);
      return LINES_RESULT;
    }
    lines->scanned = lines->end;
    if (lines->is_skipping)
      lines_advance (lines, lines->end - lines->begin);
    if (!lines_make_room (lines)) {
      lines->number++;
      lines->is_skipping = TRUE;
      g_set_error (error, LINES_FAULT, LINES_FAULT_LINE,
                   "%s: line %" G_GUINT64_FORMAT " is longer than %d MiB, and no line of cudahisto is", lines->name,
                   lines->number, MAX_LINE_BYTES >> 20);
      return LINES_ERROR;
    }
    switch (lines_fill (lines, error)) {
    case FILL_MORE:
      break;
    case FILL_END:
      return LINES_END;
    case FILL_FAILED:
      return LINES_ERROR;
    }
  }
}

LinesKind
lines_next (Lines *lines, GstStructure **structure, GError **error)
{
  while (!lines->has_failed) {
    gsize newline = 0, length;
    LinesKind kind = lines_find_newline (lines, &newline, error);
    const gchar *line;

    if (kind == LINES_ERROR)
      return kind;
    if (lines->position == 0 && !lines_check_start (lines, error))
      return LINES_ERROR;
    if (kind == LINES_END)
      return lines_end (lines, structure, error);
    line = lines->data + lines->begin;
    length = newline - lines->begin;
    lines_advance (lines, length + 1);
    lines->is_torn = FALSE;
    if (lines->is_skipping) {
      lines->is_skipping = FALSE;
      continue;
    }
    lines->number++;
    if (!lines_is_blank (line, length))
      return lines_parse (lines, line, length, structure, error);
  }
  return LINES_END;
}

/* FALSE: *error is set. */
static gboolean
lines_open_file (Lines *lines, GError **error)
{
  struct stat about;

  if (strcmp (lines->path, "-") == 0)
    lines->fd = dup (STDIN_FILENO);
  else
    lines->fd = g_open (lines->path, O_RDONLY | O_CLOEXEC, 0);
  if (lines->fd < 0 || fstat (lines->fd, &about) < 0) {
    g_set_error (error, LINES_FAULT, LINES_FAULT_READ, "%s: %s", lines->name, g_strerror (errno));
    return FALSE;
  }
  if (S_ISDIR (about.st_mode)) {
    g_set_error (error, LINES_FAULT, LINES_FAULT_READ, "%s is a folder: name a sidecar file in it", lines->name);
    return FALSE;
  }
  lines->is_file = S_ISREG (about.st_mode);
  return TRUE;
}

Lines *
lines_open (const gchar *path, GError **error)
{
  Lines *lines = g_new0 (Lines, 1);

  lines->flags = -1;
  lines->path = g_strdup (path);
  lines->name = strcmp (path, "-") == 0 ? g_strdup ("standard input") : g_filename_display_name (path);
  lines->fields = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  lines->regions = g_ptr_array_new_with_free_func (lines_free_region);
  lines->components = g_ptr_array_new ();
  lines->key = g_string_new (NULL);
  if (lines_open_file (lines, error))
    return lines;
  lines_close (lines);
  return NULL;
}

void
lines_close (Lines *lines)
{
  if (lines == NULL)
    return;
  if (lines->flags != -1) /* standard input is another's, too */
    fcntl (lines->fd, F_SETFL, lines->flags);
  if (lines->fd >= 0)
    close (lines->fd);
  lines_forget_line (lines);
  g_ptr_array_unref (lines->regions);
  g_ptr_array_unref (lines->components);
  g_hash_table_unref (lines->fields);
  g_string_free (lines->key, TRUE);
  g_free (lines->numbers);
  g_free (lines->data);
  g_free (lines->name);
  g_free (lines->path);
  g_free (lines);
}

guint64
lines_get_number (const Lines *lines)
{
  return lines->number;
}

const gchar *const *
lines_get_components (const Lines *lines)
{
  return (const gchar *const *)lines->components->pdata;
}

gboolean
lines_ends_within_line (const Lines *lines)
{
  return lines->is_torn;
}

gint64
lines_get_position (const Lines *lines)
{
  return lines->position;
}

gint64
lines_get_size (const Lines *lines)
{
  struct stat about;

  return lines->is_file && fstat (lines->fd, &about) == 0 ? about.st_size : -1;
}

gboolean
lines_was_replaced (const Lines *lines)
{
  struct stat open_one, there;

  if (!lines->is_file || fstat (lines->fd, &open_one) < 0)
    return FALSE;
  if (open_one.st_size < lines->position + (gint64)(lines->end - lines->begin))
    return TRUE;
  return strcmp (lines->path, "-") != 0 && g_stat (lines->path, &there) == 0
         && (there.st_ino != open_one.st_ino || there.st_dev != open_one.st_dev);
}

/* Copies what `from` has until its end. FALSE: errno says why not. */
static gboolean
lines_copy (int from, int to)
{
  gchar block[BLOCK_BYTES / 4];
  gssize length;

  while ((length = read (from, block, sizeof block)) != 0) {
    if (length < 0 && errno != EINTR)
      return FALSE;
    for (gssize done = 0, written; done < length; done += written) {
      written = write (to, block + done, (gsize)(length - done));
      if (written < 0)
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
lines_keep (Lines *lines, GError **error)
{
  g_autofree gchar *path = NULL;
  int copy;

  if (lines->is_file)
    return TRUE;
  copy = g_file_open_tmp ("cudahisto-XXXXXX", &path, error);
  if (copy < 0)
    return FALSE;
  g_unlink (path);
  if (!lines_copy (lines->fd, copy) || lseek (copy, 0, SEEK_SET) != 0) {
    g_set_error (error, LINES_FAULT, LINES_FAULT_READ,
                 "%s cannot be kept in %s, where it has to be to be read twice: %s. TMPDIR names another folder.", lines->name,
                 g_get_tmp_dir (), g_strerror (errno));
    close (copy);
    return FALSE;
  }
  close (lines->fd);
  lines->fd = copy;
  lines->is_file = TRUE;
  return TRUE;
}

gboolean
lines_rewind (Lines *lines)
{
  if (!lines->is_file || lseek (lines->fd, 0, SEEK_SET) != 0)
    return FALSE;
  lines->begin = lines->scanned = lines->end = 0;
  lines->position = 0;
  lines->number = 0;
  lines->is_skipping = lines->is_torn = lines->has_failed = FALSE;
  return TRUE;
}

void
lines_skip_to_last (Lines *lines)
{
  gint64 last = 0;
  guint64 number = 0;

  if (!lines->is_file)
    return;
  for (gsize newline = 0; lines_find_newline (lines, &newline, NULL) == LINES_RESULT; number++) {
    last = lines->position;
    lines_advance (lines, newline + 1 - lines->begin);
  }
  if (!lines_rewind (lines) || number == 0 || lseek (lines->fd, last, SEEK_SET) != last)
    return;
  lines->position = last;
  lines->number = number - 1;
}

void
lines_wait_no_more (Lines *lines)
{
  const int flags = fcntl (lines->fd, F_GETFL);

  if (lines->is_file || flags == -1 || (flags & O_NONBLOCK) != 0)
    return;
  if (fcntl (lines->fd, F_SETFL, flags | O_NONBLOCK) == 0)
    lines->flags = flags;
}

gboolean
lines_are_over (const Lines *lines)
{
  return lines->is_over || lines->has_failed;
}

const gchar *
lines_get_name (const Lines *lines)
{
  return lines->name;
}
